# SPDX-License-Identifier: GPL-2.0-only
"""The plan of messages: which regions go to which rank, as src/TOFU/halo/halo_plan.cpp makes it.

One plan, in shifts from a rank, serves all ranks. Where sub-boxes are equal and all boundaries are periodic, regions
are alike, too; else a swap says which part of its sub-box a rank at each place sends, if any. Needs Python alone;
shares.py has arrays over ranks. unittest/tools/test_predict_plan.py compares it with the plan of the program.
"""

import math
from typing import NamedTuple

from .walls import Walls


class Geometry(NamedTuple):
    """A box in a grid of sub-boxes."""

    grid: tuple        #: ranks along each dimension
    box: tuple         #: lengths [distance]
    cut: tuple         #: how far ghosts are needed, along each dimension [distance]
    dimension: int = 3
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
    def walls(self):
        """Walls along each dimension."""
        return tuple(Walls(self.grid[dim], self.box[dim], self.cut[dim] if dim < self.dimension else 0.0,
                           self.periodic[dim], self.splits[dim] if self.splits else None) for dim in range(3))

    @property
    def reach(self):
        """How many sub-boxes away ghosts come from at most, along each dimension."""
        most = [walls.largest_need for walls in self.walls]
        return tuple(most[:self.dimension] + [0] * (3 - self.dimension))

    @property
    def ranks(self):
        """Number of ranks."""
        return self.grid[0] * self.grid[1] * self.grid[2]


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
    links: tuple       #: shifts to all ranks that messages ever go to or come from in the direct pattern; where ranks
                       #: are not alike those of all ranks, see links_at()

    def atoms(self, message):
        """Size of a message, as a multiple of the atoms of a sub-box; the mean over ranks."""
        return sum(self.swaps[i].atoms for i in message.swaps)

    def share_at(self, message, place):
        """Size of the message of the rank at a place, as a multiple of its atoms; None if it sends none."""
        if self.geometry.alike:
            return self.atoms(message)
        found = [[shares[at] for shares, at in zip(self.swaps[i].along, place)] for i in message.swaps]
        there = [math.prod(shares) for shares in found if None not in shares]
        return sum(there) if there else None

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
    offsets = [offset for offset in offsets_by_shell(geometry.reach) if not half or goes_down(offset)]
    if geometry.alike:
        swaps = tuple(Swap(offset, region(geometry, offset)) for offset in offsets)
    else:
        walls = geometry.walls
        swaps = (uneven(walls, offset, [one.shares(step) for one, step in zip(walls, offset)]) for offset in offsets)
        swaps = tuple(swap for swap in swaps if swap)
    return Plan(geometry, swaps, (make_stage(geometry, swaps, range(len(swaps))),), links(geometry))


def staged(geometry, at_once=True):
    """Pattern 3stage: x, y and z one after the other.

    Args:
        geometry: A Geometry.
        at_once: Down and up of a round are under way together; not so with comm_style brick.
    """
    swaps, stages = [], []
    for dim, reach in enumerate(geometry.reach):
        for number in range(1, reach + 1):
            first = len(swaps)
            swaps += [swap for swap in (staged_swap(geometry, dim, number, sign) for sign in (-1, 1)) if swap]
            numbers = tuple(range(first, len(swaps)))
            stages += [numbers] if at_once else [(one,) for one in numbers]
    swaps = tuple(swaps)
    return Plan(geometry, swaps, tuple(make_stage(geometry, swaps, numbers) for numbers in stages), links(geometry))


def staged_swap(geometry, dim, number, sign):
    """A swap of a round of a dimension, None if no rank has it."""
    offset = tuple(sign if d == dim else 0 for d in range(3))
    if geometry.alike:
        return Swap(offset, slab(geometry, dim, number), number)
    walls = geometry.walls
    along = [one.with_ghosts() if d < dim else one.forwarded(number, sign) if d == dim else one.shares(0)
             for d, one in enumerate(walls)]
    return uneven(walls, offset, along, number)


def uneven(walls, offset, along, number=1):
    """A swap whose region differs by place, None if no rank has it."""
    if not all(any(share is not None for share in one) for one in along):
        return None
    return Swap(offset, math.prod(one.mean(shares) for one, shares in zip(walls, along)), number, tuple(along))


def offsets_by_shell(reach):
    """All shifts but none, nearest shell first."""
    found = [(dx, dy, dz) for dz in range(-reach[2], reach[2] + 1) for dy in range(-reach[1], reach[1] + 1)
             for dx in range(-reach[0], reach[0] + 1) if dx or dy or dz]
    return sorted(found, key=lambda offset: sum(map(abs, offset)))


def goes_down(offset):
    """Whether the sender is an upper neighbor of the receiver."""
    return next(step for step in reversed(offset) if step) < 0


def width(geometry, dim, steps):
    """Part of a sub-box, along a dimension, that is wanted so many sub-boxes away."""
    side = geometry.sides[dim]
    return max(0.0, min(side, geometry.cut[dim] - (steps - 1) * side)) / side if steps else 1.0


def region(geometry, offset):
    """Volume of a region of the direct pattern, in sub-boxes."""
    volume = 1.0
    for dim in range(3):
        volume *= width(geometry, dim, abs(offset[dim]))
    return volume


def slab(geometry, dim, number):
    """Volume of a region of the staged pattern, in sub-boxes: with the ghosts of the dimensions before."""
    volume = width(geometry, dim, number)
    for before in range(dim):
        volume *= 1.0 + 2.0 * geometry.cut[before] / geometry.sides[before]
    return volume


def wrapped(offset, grid):
    """The shortest shift to the same rank; up rather than down if both are as short."""
    return tuple((step + (n - 1) // 2) % n - (n - 1) // 2 for step, n in zip(offset, grid))


def make_stage(geometry, swaps, numbers):
    """Join the regions that go to the same rank."""
    by_shift, own = {}, []
    for number in numbers:
        shift = wrapped(swaps[number].offset, geometry.grid)
        if any(shift):
            by_shift.setdefault(shift, []).append(number)
        else:
            own.append(number)
    return Stage(tuple(Message(shift, tuple(by_shift[shift])) for shift in sorted(by_shift)), tuple(own))


def links(geometry):
    """Shifts to all other ranks within the cut-off."""
    shifts = {wrapped(offset, geometry.grid) for offset in offsets_by_shell(geometry.reach)}
    return tuple(sorted(shifts - {(0, 0, 0)}))


def links_at(geometry, place):
    """Places of all other ranks that messages of a rank ever go to or come from in the direct pattern."""
    found = set()
    for sending in (True, False):
        x, y, z = ({one.at(at + (step if sending else -step)) for step in range(-reach, reach + 1)
                    if (one.sends if sending else one.receives)(at, step)}
                   for one, at, reach in zip(geometry.walls, place, geometry.reach))
        found |= {(i, j, k) for i in x for j in y for k in z}
    return found - {tuple(place)}


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
