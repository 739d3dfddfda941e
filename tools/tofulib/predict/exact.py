# SPDX-License-Identifier: GPL-2.0-only
"""Messages, atoms and bytes of every rank for given positions, atom by atom as the program counts them.

For checks of the model on few ranks: the counts must be those of the statistics of p2p_rdma, exactly.
"""

from typing import NamedTuple

import numpy as np

from . import halo, tiles

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
    return np.array([low + length * split for split in walls.splits[:-1]] + [low + length])


class Layout:
    """Atoms of a box in a grid of ranks.

    Args:
        geometry: A halo.Geometry.
        low: Lower corner of the box.
        x: Positions in the box [natoms, 3].
    """

    def __init__(self, geometry, low, x):
        self.geometry = geometry
        self.walls = geometry.walls
        self.edges = [edges(low[d], geometry.box[d], self.walls[d]) for d in range(3)]
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
        plan = halo.direct(self.geometry, half)
        return [self.traffic(plan, rank, rounded) for rank in self.owned]

    def traffic(self, plan, rank, rounded):
        """Traffic of one rank."""
        sent = [self.wanted(rank, swap.offset, rounded) for swap in plan.swaps]
        got = [self.wanted(self.sender(rank.place, swap.offset), swap.offset, rounded)
               if self.receives(rank.place, swap.offset) else 0 for swap in plan.swaps]
        messages = [message.swaps for stage in plan.stages for message in stage.messages]
        ends = (self.sends, self.receives)
        return Traffic(*(self.summed(counts, [[i for i in swaps if there(rank.place, plan.swaps[i].offset)]
                                              for swaps in messages])
                         for counts, there in zip((sent, got), ends)), sum(got))

    @staticmethod
    def summed(counts, messages):
        """Messages with atoms, their atoms, their swaps."""
        full = [swaps for swaps in messages if any(counts[i] for i in swaps)]
        return len(full), sum(counts[i] for swaps in full for i in swaps), sum(map(len, full))

    def sender(self, place, offset):
        """The rank that this one gets a swap from."""
        grid = self.geometry.grid
        i, j, k = ((p - o) % n for p, o, n in zip(place, offset, grid))
        return self.owned[(i * grid[1] + j) * grid[2] + k]

    def sends(self, place, offset):
        """Whether there is a receiver at this offset."""
        return all(walls.sends(at, step) for walls, at, step in zip(self.walls, place, offset))

    def receives(self, place, offset):
        """Whether there is a sender for this offset."""
        return all(walls.receives(at, step) for walls, at, step in zip(self.walls, place, offset))

    def wanted(self, rank, offset, rounded):
        """Number of a rank's atoms that the receiver at this offset wants."""
        return int(self.chosen(rank, offset, rounded).sum()) if self.sends(rank.place, offset) else 0

    def chosen(self, rank, offset, rounded):
        """Whether the receiver at this offset wants them, for each of a rank's atoms."""
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
        plan, found = halo.direct(self.geometry, half), []
        for rank in self.owned:
            messages = [[i for i in message.swaps if self.sends(rank.place, plan.swaps[i].offset)]
                        for message in plan.stages[0].messages]
            swaps = [i for message in messages for i in message]
            atoms = sum(self.wanted(rank, plan.swaps[i].offset, rounded) for i in swaps)
            found.append((sum(map(bool, messages)), BORDER_HEAD * len(swaps) + per_atom * atoms))
        return found

    def links(self):
        """Number of ranks that each rank is linked to."""
        return [len(halo.links_at(self.geometry, rank.place)) for rank in self.owned]


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

    def near(self, factor=1.0):
        """Pairs of ranks and images within some cut-offs."""
        return tiles.images(self.cuts, self.length, (factor * self.cut,) * 3, self.periodic)

    def counts(self, half, rounded):
        """Atoms of each region: (sender, receiver) -> a list of them."""
        found = {}
        near = self.near()
        for me, other, shift, upper in zip(near.me, near.other, near.shift, near.upper):
            if not half or not upper:
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
            sent = [atoms for (me, to), atoms in counts.items() if me == rank != to and any(atoms)]
            got = [atoms for (me, to), atoms in counts.items() if to == rank != me and any(atoms)]
            ghosts = sum(sum(atoms) for (_, to), atoms in counts.items() if to == rank)
            found.append(Traffic(*((len(one), sum(map(sum, one)), sum(map(len, one))) for one in (sent, got)), ghosts))
        return found

    def new_ghosts(self, half, rounded, per_atom=BORDER_ATOM):
        """Messages and bytes of all ranks when ghosts are new, as Layout.new_ghosts()."""
        counts, found = self.counts(half, rounded), []
        for rank in range(len(self.owned)):
            sent = [atoms for (me, to), atoms in counts.items() if me == rank != to]
            found.append((len(sent), sum(BORDER_HEAD * len(atoms) + per_atom * sum(atoms) for atoms in sent)))
        return found

    def links(self, factor=1.0):
        """Number of ranks that each rank is linked to."""
        near = self.near(factor)
        return [len(set(near.other[near.me == rank]) - {rank}) for rank in range(len(self.owned))]
