# SPDX-License-Identifier: GPL-2.0-only
"""The plan of messages for all ranks of a grid, made of the package's own plan of one rank (plans.py).

One plan, in shifts from a rank, serves all ranks. Where sub-boxes are equal and all boundaries are periodic, regions
are alike, too; else a swap says which part of its sub-box a rank at each place sends, if any: a region is a product of
what ranks along each dimension send. shares.py has arrays over ranks.
"""

import functools
import math
from typing import NamedTuple

from . import plans


class Geometry(NamedTuple):
    """A box in a grid of sub-boxes."""

    grid: tuple        #: ranks along each dimension
    box: tuple         #: lengths [distance]
    cut: tuple         #: how far ghosts are needed, along each dimension [distance]
    periodic: tuple = (True, True, True)
    splits: tuple = ()    #: [3][ranks along the dimension + 1] walls as parts of the box; empty: equal sub-boxes

    @property
    def alike(self):
        """Whether all ranks have the same regions."""
        return not self.splits and all(self.periodic)

    @property
    def sides(self):
        """Mean lengths of a sub-box [distance]."""
        return tuple(length / count for length, count in zip(self.box, self.grid))

    @property
    def lines(self):
        """Sub-boxes along each dimension."""
        return tuple(line_of(self.grid[dim], self.box[dim], self.cut[dim], self.periodic[dim],
                             tuple(self.splits[dim]) if self.splits else ()) for dim in range(3))

    @property
    def reach(self):
        """How many sub-boxes away ghosts come from at most, along each dimension."""
        return tuple(max(map(abs, line.sent)) for line in self.lines)

    @property
    def ranks(self):
        """Number of ranks."""
        return self.grid[0] * self.grid[1] * self.grid[2]


class Line(NamedTuple):
    """Sub-boxes along one dimension; all lengths are parts of the box."""

    walls: tuple       #: [places + 1]
    cut: float         #: how far ghosts are needed
    periodic: bool
    sent: dict         #: shift -> [places] what each sends so many sub-boxes up, None if nothing

    def side(self, at):
        """Length of a sub-box."""
        return self.walls[at + 1] - self.walls[at]

    def parts(self, shift):
        """[places] what is sent so many sub-boxes up, as a part of the sender's sub-box; None: nothing is sent."""
        return [None if length is None else self.part(length, at) for at, length in enumerate(self.sent[shift])]

    def forwarded(self, number, sign):
        """[places] what each rank sends to the next one in a round of the staged pattern, as a part of its own
        sub-box: it was received from another rank in the round before."""
        count = len(self.walls) - 1
        lengths = [self.sent[sign * number][(at - sign * (number - 1)) % count] for at in range(count)]
        return [None if length is None else self.part(length, at) for at, length in enumerate(lengths)]

    def with_ghosts(self):
        """[places] length of a sub-box with its ghosts on both sides, as a multiple of its own."""
        return [1.0 + self.part(2.0 * self.cut if self.periodic else min(self.cut, low) + min(self.cut, 1.0 - high), at)
                for at, (low, high) in enumerate(zip(self.walls, self.walls[1:]))]

    def part(self, length, at):
        """A length as a part of a sub-box."""
        side = self.side(at)
        return length / side if side > 0.0 else 0.0

    def mean(self, parts):
        """Mean over places of parts of their sub-boxes, in mean lengths of a sub-box."""
        return sum((part or 0.0) * self.side(at) for at, part in enumerate(parts))


@functools.lru_cache(maxsize=64)
def line_of(count, length, cut, periodic, walls):
    """The Line of a dimension; arguments as in Geometry."""
    sent = {0: [high - low for low, high in zip(walls, walls[1:])] if walls else [1.0 / count] * count}
    alike = periodic and not walls
    for at in range(1 if alike else count):
        swaps, _ = plans.halo((count, 1, 1), (at, 0, 0), (length, 1.0, 1.0), (cut, 0.0, 0.0), (periodic, False, False),
                              (walls, (0.0, 1.0), (0.0, 1.0)) if walls else (), plans.FULL)
        for swap in swaps:
            if swap.receiver >= 0:
                places = sent.setdefault(swap.offset[0], [None] * count)
                places[slice(None) if alike else slice(at, at + 1)] = [swap.volume] * (count if alike else 1)
    return Line(walls or (*(i / count for i in range(count)), 1.0), cut / length, periodic, sent)


class Swap(NamedTuple):
    """One region that every rank sends."""

    offset: tuple      #: shift from sender to receiver, in sub-boxes
    atoms: float       #: volume of the region as a multiple of that of a sub-box, ghosts that are forwarded included;
                       #: the mean over ranks
    round: int = 1     #: of a dimension of a staged pattern: ghosts come from so many sub-boxes away
    along: tuple = ()  #: [3][ranks along the dimension] part of its sub-box's length that a rank at this place sends,
                       #: None if it sends nothing; empty where all ranks are alike


class Message(NamedTuple):
    """All regions of a stage between two ranks."""

    shift: tuple       #: to the receiver, at most half of the grid along each dimension
    swaps: tuple = ()  #: numbers of swaps; none in a message of fix ring_balance alone

    def hops(self, swaps):
        """Sub-boxes on the shortest way to the receiver."""
        return min((sum(map(abs, swaps[i].offset)) for i in self.swaps), default=sum(map(abs, self.shift)))


class Stage(NamedTuple):
    """Messages that are under way at the same time."""

    messages: tuple    #: in the order of the receivers' ranks, away from the edges of the grid
    own: tuple         #: swaps of a rank with itself


class Plan(NamedTuple):
    """All swaps of one exchange of ghosts."""

    geometry: Geometry
    swaps: tuple
    stages: tuple

    def atoms(self, message):
        """Size of a message, as a multiple of the atoms of a sub-box; the mean over ranks."""
        return sum(self.swaps[i].atoms for i in message.swaps)

    @property
    def messages(self):
        """Number of messages of a rank that has all of them."""
        return sum(len(stage.messages) for stage in self.stages)

    @property
    def ghosts(self):
        """Ghosts as a multiple of the atoms of a sub-box; the mean over ranks."""
        return sum(swap.atoms for swap in self.swaps)


def direct(geometry, half=False):
    """Pattern p2p: straight to every rank within the cut-off, all at once."""
    return plan_of(geometry, plans.HALF if half else plans.FULL)


def staged(geometry, at_once=True):
    """Pattern 3stage: x, y and z one after the other.

    Args:
        geometry: A Geometry.
        at_once: Down and up of a round are under way together; not so with comm_style brick.
    """
    return plan_of(geometry, plans.STAGED, at_once)


def plan_of(geometry, pattern, at_once=True):
    """The plan of a pattern: of the swaps of a rank in the middle those that any rank has."""
    stages, swaps, reach, middle = {}, [], geometry.reach, tuple((n - 1) // 2 for n in geometry.grid)
    if pattern != plans.STAGED:
        stages[0] = {}
    for one in swaps_in_the_middle(geometry.grid, reach, pattern):
        dim = next(d for d in range(3) if one.offset[d])
        swap = (region(geometry, one.offset, dim, one.stage + 1 - sum(reach[:dim])) if pattern == plans.STAGED
                else region(geometry, one.offset))
        if swap:
            stage = stages.setdefault(one.stage if at_once else len(swaps), {})
            stage.setdefault(shift_to(one.receiver, geometry.grid, middle), []).append(len(swaps))
            swaps.append(swap)
    return Plan(geometry, tuple(swaps), tuple(map(make_stage, stages.values())))


def make_stage(swaps):
    """A Stage of the swaps by the shift to their receiver."""
    own = swaps.pop((0, 0, 0), ())
    return Stage(tuple(Message(shift, tuple(swaps[shift])) for shift in sorted(swaps)), tuple(own))


@functools.lru_cache(maxsize=64)
def swaps_in_the_middle(grid, reach, pattern):
    """Swaps of the rank in the middle of a periodic grid of equal sub-boxes, where ghosts come from so many sub-boxes
    away along each dimension: all that there are for any rank of any grid with this reach."""
    sides, cut = tuple(map(float, grid)), tuple(max(0.0, steps - 0.5) for steps in reach)
    return plans.halo(grid, tuple((n - 1) // 2 for n in grid), sides, cut, tuple(map(bool, reach)), (), pattern)[0]


def shift_to(rank, grid, place):
    """Shift from a place to a rank that is numbered along z first."""
    return (rank // (grid[1] * grid[2]) - place[0], rank // grid[2] % grid[1] - place[1], rank % grid[2] - place[2])


def region(geometry, offset, dim=None, number=1):
    """The Swap of a shift, None if no rank has it.

    Args:
        geometry: A Geometry.
        offset: The shift.
        dim: Dimension of the stage, for the staged pattern: the region contains the ghosts of the dimensions before.
        number: Round of this dimension.
    """
    if geometry.alike:
        steps = [number if d == dim else abs(step) for d, step in enumerate(offset)]
        before = [1.0 + 2.0 * geometry.cut[d] / geometry.sides[d] for d in range(dim or 0)]
        return Swap(offset, math.prod([*(width(geometry, d, step) for d, step in enumerate(steps)), *before]), number)
    lines = geometry.lines
    if any(number * step not in line.sent for step, line in zip(offset, lines)):
        return None
    along = tuple(line.with_ghosts() if d < (dim or 0) else line.forwarded(number, step) if d == dim
                  else line.parts(step) for d, (line, step) in enumerate(zip(lines, offset)))
    return Swap(offset, math.prod(line.mean(parts) for line, parts in zip(lines, along)), number, along)


def width(geometry, dim, steps):
    """Part of a sub-box along a dimension that is sent so many sub-boxes away, where all ranks are alike."""
    side = geometry.sides[dim]
    return max(0.0, min(side, geometry.cut[dim] - (steps - 1) * side)) / side if steps else 1.0


def wrapped(offset, grid):
    """The shortest shift to the same rank; up rather than down if both are as short."""
    return tuple((step + (n - 1) // 2) % n - (n - 1) // 2 for step, n in zip(offset, grid))


def deal(costs, hands):
    """Longest first, to the hand with the least load, as src/TOFU/transport/deal.cpp does it.

    Returns:
        The hand of each item.
    """
    load, hand = [0.0] * hands, [0] * len(costs)
    for item in sorted(range(len(costs)), key=lambda i: -costs[i]):
        hand[item] = load.index(min(load))
        load[hand[item]] += costs[item]
    return hand
