# SPDX-License-Identifier: GPL-2.0-only
"""Messages, atoms and bytes of every rank for given positions, atom by atom on the plan of each rank
(tofulib/predict/plans.py): the counts must be those of the statistics of p2p_rdma, exactly."""

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tofulib.predict import plans, tiles  # noqa: E402

#: Bytes in front of the atoms of each swap when ghosts are new: number of atoms, number of values. Exchanges of styles
#: have the second one only, positions and forces have none.
BORDER_HEAD, STYLE_HEAD = 16, 8
#: Bytes of the places where the next positions may land, in each message of forces by libfabric.
OFFER = 80
#: Bytes of a new ghost without bonds or charges: x, y, z, ID, type, mask.
BORDER_ATOM = 6 * 8


class Traffic(NamedTuple):
    """What one rank sends and receives in a forward; in reverse the two change places."""

    sent: tuple        #: messages with at least one atom, atoms in them, swaps in them
    received: tuple
    ghosts: int        #: that the rank has, images of its own atoms included


class Owned(NamedTuple):
    """Atoms and ghosts of one rank."""

    place: tuple
    x: np.ndarray
    atoms: np.ndarray    #: their numbers among all positions


def edges(low, length, walls):
    """Bounds of the sub-boxes along one dimension, bitwise as Domain has them."""
    return np.array([low + length * wall for wall in walls[:-1]] + [low + length])


def summed(messages):
    """Messages with atoms, their atoms, their swaps; a message is a list of the atoms of its swaps."""
    full = [swaps for swaps in messages if any(swaps)]
    return len(full), sum(map(sum, full)), sum(map(len, full))


def head_and_atoms(messages, per_atom):
    """Bytes of messages with new ghosts."""
    return sum(BORDER_HEAD * len(swaps) + per_atom * sum(swaps) for swaps in messages)


class Layout:
    """Atoms of a box in a grid of ranks.

    Args:
        geometry: A halo.Geometry.
        low: Lower corner of the box.
        x: Positions in the box [natoms, 3].
    """

    def __init__(self, geometry, low, x):
        self.geometry = geometry
        self.edges = [edges(low[d], geometry.box[d], geometry.lines[d].walls) for d in range(3)]
        where = [np.clip(np.searchsorted(self.edges[d], x[:, d], side="right") - 1, 0, geometry.grid[d] - 1)
                 for d in range(3)]
        self.owned = []
        for place in np.ndindex(*geometry.grid):
            mine = np.flatnonzero(np.all([where[d] == place[d] for d in range(3)], axis=0))
            self.owned.append(Owned(place, x[mine], mine))

    def beyond(self, dim, loc, steps):
        """Where the receiver so many sub-boxes away begins, seen from a rank at this location."""
        n, bounds = self.geometry.grid[dim], self.edges[dim]
        if abs(steps) == 1:
            return bounds[loc + 1] if steps > 0 else bounds[loc]
        to = loc + steps
        return bounds[to % n + (steps < 0)] + to // n * self.geometry.box[dim]

    def direct(self, half, rounded):
        """Traffic of all ranks in a forward with pattern p2p.

        Args:
            half: Ghosts from upper neighbors only.
            rounded: Without ghosts near edges and corners that are further away than the cut-off.
        """
        return [self.traffic(rank, half, rounded) for rank in self.owned]

    def plan(self, rank, half=False):
        """Swaps of one rank, and the ranks that it is linked to."""
        geometry = self.geometry
        return plans.halo(geometry.grid, rank.place, geometry.box, geometry.cut, geometry.periodic, geometry.splits,
                          plans.HALF if half else plans.FULL)

    def traffic(self, rank, half, rounded):
        """Traffic of one rank."""
        sent, received, ghosts = {}, {}, 0
        for swap in self.plan(rank, half)[0]:
            if swap.receiver >= 0 and self.owned[swap.receiver] is not rank:
                sent.setdefault(swap.receiver, []).append(self.wanted(rank, swap.offset, rounded))
            if swap.sender >= 0:
                atoms = self.wanted(self.owned[swap.sender], swap.offset, rounded)
                ghosts += atoms
                if self.owned[swap.sender] is not rank:
                    received.setdefault(swap.sender, []).append(atoms)
        return Traffic(summed(sent.values()), summed(received.values()), ghosts)

    def wanted(self, rank, offset, rounded):
        """Number of a rank's atoms that the receiver at this offset needs."""
        return int(self.chosen(rank, offset, rounded).sum())

    def chosen(self, rank, offset, rounded):
        """Whether the receiver at this offset needs them, for each of a rank's atoms."""
        inside, distsq, moved = np.ones(len(rank.x), bool), 0.0, 0
        for dim, steps in enumerate(offset):
            if not steps:
                continue
            edge, cut, x = self.beyond(dim, rank.place[dim], steps), self.geometry.cut[dim], rank.x[:, dim]
            inside &= x >= edge - cut if steps > 0 else x <= edge + cut
            gap = np.maximum(edge - x if steps > 0 else x - edge, 0.0)
            distsq = distsq + gap * gap
            moved += 1
        if rounded and moved > 1:
            inside &= distsq <= self.geometry.cut[0] * self.geometry.cut[0]
        return inside

    def new_ghosts(self, half, rounded, per_atom=BORDER_ATOM):
        """Messages and bytes of all ranks when ghosts are new, pattern p2p.

        Args:
            half: As in direct().
            rounded: Likewise.
            per_atom: Bytes of a ghost, with what the atom style adds.
        """
        found = []
        for rank in self.owned:
            sent = {}
            for swap in self.plan(rank, half)[0]:
                if swap.receiver >= 0 and self.owned[swap.receiver] is not rank:
                    sent.setdefault(swap.receiver, []).append(self.wanted(rank, swap.offset, rounded))
            found.append((len(sent), head_and_atoms(sent.values(), per_atom)))
        return found

    def links(self):
        """Number of ranks that each rank is linked to."""
        return [len(self.plan(rank)[1]) for rank in self.owned]


class TiledLayout:
    """Atoms of a box in a tiled layout.

    Args:
        cuts: tiles.Tiles.
        box: Lower corner and lengths of the box.
        cut: How far ghosts are needed.
        periodic: Whether each dimension is.
        x: Positions [natoms, 3].
        owner: Rank of each atom [natoms].
    """

    def __init__(self, cuts, box, cut, periodic, x, owner):
        self.low, self.length = (np.array(one) for one in box)
        self.cuts, self.cut, self.periodic = cuts, cut, periodic
        self.owned = [x[owner == rank] for rank in range(len(cuts.low))]

    def near(self, half=False):
        """Pairs of ranks and images within the cut-off."""
        return tiles.images(self.cuts, self.length, (self.cut,) * 3, self.periodic, half)

    def counts(self, half, rounded):
        """Atoms of each region: (sender, receiver) -> a list of them."""
        found, near = {}, self.near(half)
        for me, other, shift in zip(near.me, near.other, near.shift):
            found.setdefault((int(me), int(other)), []).append(self.wanted(me, other, shift, rounded))
        return found

    def wanted(self, me, other, shift, rounded):
        """Number of a rank's atoms that an image of another one wants; at outer faces of a box that is not periodic
        there is no end."""
        low = self.low + (self.cuts.low[other] + shift) * self.length
        high = self.low + (self.cuts.high[other] + shift) * self.length
        outer = ~np.array(self.periodic)
        low[outer & (self.cuts.low[other] <= 0.0)] = -np.inf
        high[outer & (self.cuts.high[other] >= 1.0)] = np.inf
        x = self.owned[me]
        inside = ((x >= low - self.cut) & (x <= high + self.cut)).all(axis=1)
        if rounded:
            gap = np.maximum(np.maximum(low - x, x - high), 0.0)
            mine = self.low + self.cuts.low[me] * self.length, self.low + self.cuts.high[me] * self.length
            if ((low > mine[0]) | (high < mine[1])).sum() > 1:
                inside &= (gap * gap).sum(axis=1) <= self.cut * self.cut
        return int(inside.sum())

    def direct(self, half, rounded):
        """Traffic of all ranks in a forward, as Layout.direct()."""
        counts, found = self.counts(half, rounded), []
        for rank in range(len(self.owned)):
            sent = [atoms for (me, to), atoms in counts.items() if me == rank != to]
            got = [atoms for (me, to), atoms in counts.items() if to == rank != me]
            ghosts = sum(sum(atoms) for (_, to), atoms in counts.items() if to == rank)
            found.append(Traffic(summed(sent), summed(got), ghosts))
        return found

    def new_ghosts(self, half, rounded, per_atom=BORDER_ATOM):
        """Messages and bytes of all ranks when ghosts are new, as Layout.new_ghosts()."""
        counts, found = self.counts(half, rounded), []
        for rank in range(len(self.owned)):
            sent = [atoms for (me, to), atoms in counts.items() if me == rank != to]
            found.append((len(sent), head_and_atoms(sent, per_atom)))
        return found

    def links(self):
        """Number of ranks that each rank is linked to."""
        near = self.near()
        return [len(set(near.other[near.me == rank]) - {rank}) for rank in range(len(self.owned))]
