# SPDX-License-Identifier: GPL-2.0-only
"""What fix ring_balance changes: atoms that each rank computes, extra ghosts, what its decision takes.

The plan is the program's. Extra ghosts are estimated: what is handed over is taken to be a slab at the face towards the
receiver, as wide as it has to be with the atoms of the sub-box spread evenly. With full lists the receiver needs all
within the cut-off of the slab that it has not, with half lists the slab, the seam behind it, and the donor's ghosts
beside it.
"""

import numpy as np

from . import halo, plans

#: More than this factor times the average makes the fix hand over work.
THRESH = 1.05
#: The first part of the cut-off beyond what is handed over, src/TOFU/balance/transfer/region_transfer.h.
SEAM = 0.225
#: Handing over as atoms, at both ends, as a part of making the lists of these atoms, doc/internals/ring.md.
HANDING = 0.2
#: Processor time of the plan per rank of the ring [us], by level: one core of a virtual AMD EPYC (Zen 4) that did other
#: work, 64 to 147,456 ranks.
PLAN = {"rank": 0.33, "node": 0.6}
#: What each rank sends to all others [bytes].
SENT_TO_ALL = 16


class Sharing:
    """Work that ranks do for each other.

    Args:
        geometry: A halo.Geometry.
        atoms: [ranks] that each rank owns.
        nodes: [ranks] number of each rank's node.
        level: "rank" or "node".
        half_lists: Neighbor lists are half.
        half_shell: So are ghosts.
    """

    def __init__(self, geometry, atoms, nodes, level, half_lists, half_shell):
        self.geometry, self.level = geometry, level
        self.owned = atoms
        even = np.rint(atoms)
        found = []
        if even.max() > THRESH * even.mean():
            found = self.plan(even.astype(int), nodes)
        self.transfers = np.array(found, np.int64).reshape(-1, 3)
        source, target, amount = self.transfers.T
        ranks = geometry.ranks
        self.given = np.bincount(source, amount, ranks)
        self.taken = np.bincount(target, amount, ranks)
        self.computed = atoms - self.given + self.taken
        extra = self.extra_ghosts(half_lists, half_shell)
        self.ghosts = np.bincount(target, extra, ranks)
        self.positions = self.by_shift(extra)
        self.forces = self.positions if half_lists else self.by_shift(np.minimum(amount, extra))

    def plan(self, work, nodes):
        """Transfers."""
        ring = plans.ring(self.geometry.grid, self.geometry.periodic)
        return plans.transfers(*ring, work, nodes if self.level == "node" else None)

    def shifts(self):
        """[transfers, 3] from donor to receiver."""
        grid = np.array(self.geometry.grid)
        gap = self.places(self.transfers[:, 1]) - self.places(self.transfers[:, 0])
        low = (grid - 1) // 2
        return np.where(np.array(self.geometry.periodic), (gap + low) % grid - low, gap)

    def places(self, ranks):
        """[transfers, 3] places in the grid."""
        return np.stack(np.unravel_index(ranks, self.geometry.grid), axis=1)

    def extra_ghosts(self, half_lists, half_shell):
        """[transfers] extra ghosts."""
        if not len(self.transfers):
            return np.zeros(0)
        shifts, source, cut = self.shifts(), self.transfers[:, 0], self.geometry.cut[0]
        place, rows = self.places(source), np.arange(len(source))
        sides = np.stack([length * np.diff(line.walls)[place[:, dim]]
                          for dim, (length, line) in enumerate(zip(self.geometry.box, self.geometry.lines))], axis=1)
        dim = np.argmax(np.abs(shifts), axis=1)    # the face that the two share
        part = self.transfers[:, 2] / np.maximum(self.owned[source], 1.0)
        density = self.owned[source] / sides.prod(axis=1)
        across = sides[rows, dim]
        slab = part * across
        lateral = np.stack([(dim + 1) % 3, (dim + 2) % 3], axis=1)
        a, b = (sides[rows, lateral[:, i]] for i in (0, 1))
        if not half_lists:
            return density * slab * (a + 2.0 * cut) * (b + 2.0 * cut)
        has = np.zeros(len(source))    # how far from the face the receiver has ghosts
        upper = shifts[rows, dim] < 0    # the donor is an upper neighbor of the receiver
        has[upper if half_shell else slice(None)] = cut
        beyond = np.maximum(slab - has, 0.0)
        seam = np.clip(slab + SEAM * cut, has, across) - np.maximum(slab, np.minimum(has, across))
        around = (a + cut) * (b + cut)
        return density * (beyond * around + np.maximum(seam, 0.0) * a * b)

    def by_shift(self, amounts):
        """Atoms of messages by their shift: shift -> [ranks] that each rank sends."""
        found, source = {}, self.transfers[:, 0]
        if not len(source):
            return found
        shifts, where = np.unique(self.shifts(), axis=0, return_inverse=True)
        where = where.reshape(-1)
        for number, shift in enumerate(shifts):
            mine = where == number
            key = halo.wrapped(tuple(map(int, shift)), self.geometry.grid)
            found[key] = found.get(key, 0.0) + np.bincount(source[mine], amounts[mine], self.geometry.ranks)
        return found

    @property
    def loads(self):
        """Largest number of atoms that a rank computes over the average, without and with the fix."""
        mean = float(self.owned.mean())
        return float(self.owned.max()) / mean, float(self.computed.max()) / mean

    def decision(self, machine):
        """Time of a decision beyond that of a reduction [us]: each rank sends its work to all and makes the plan."""
        ranks = len(self.owned)
        return SENT_TO_ALL * ranks * 1e-3 / machine["network.bandwidth"] + PLAN[self.level] * ranks
