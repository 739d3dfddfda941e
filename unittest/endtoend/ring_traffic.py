# SPDX-License-Identifier: GPL-2.0-only
"""Extra ghosts, messages and bytes of fix ring/balance for given positions, atom by atom as the program counts them.

With direction both, mode ghost, weight atoms, and the suffix threadpool, whose
ranks make the rows that they get. Which atoms go is said in src/TOFU/balance/transfer/donor_selection.cpp and
src/TOFU/balance/transfer/region_finder.cpp, who sends them in src/TOFU/halo/ghost_sources.h.
"""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tofulib.predict.sharing import SEAM  # noqa: E402

HERE = (0, 0, 0)
#: More than a distance, by what rounding can do.
LARGER = 1.0 + 1.0e-6


class Shared:
    """Ranks that compute for each other. A ghost is an atom and the box lengths that are added to its position.

    Args:
        layout: A plan_traffic.Layout of an orthogonal box.
        low: Lower corner of the box.
        x: Positions [natoms, 3].
        transfers: Of plans.transfers().
        reach: Longest cut-off with skin.
        full_lists: Whether neighbor lists are full.
        half_shell: Whether ghosts are those of the half shell.
    """

    def __init__(self, layout, low, x, transfers, reach, full_lists, half_shell):
        self.layout, self.low, self.x, self.reach, self.full_lists = layout, np.array(low), x, reach, full_lists
        self.box = np.array(layout.geometry.box)
        self.owner = np.zeros(len(x), int)
        for rank, one in enumerate(layout.owned):
            self.owner[one.atoms] = rank
        self.sent = self.pattern(half_shell)
        self.held = [{(int(atom), HERE) for atom in one.atoms} for one in layout.owned]
        for (_, receiver, boxes), atoms in self.sent.items():
            self.held[receiver] |= {(atom, boxes) for atom in atoms}
        self.before = [sorted(ghosts) for ghosts in self.held]
        self.extra = [[] for _ in layout.owned]     # ghosts, in the order of donors
        self.rows = {}    # (donor, receiver) -> forces that come back with full lists
        for donor in sorted({one.source for one in transfers}):
            self.give(donor, [one for one in transfers if one.source == donor])

    def pattern(self, half_shell):
        """Atoms of the swaps of the pattern: (sender, receiver, box lengths) -> set of atoms."""
        found, grid = {}, self.layout.geometry.grid
        for sender, one in enumerate(self.layout.owned):
            for swap in self.layout.plan(one, half_shell)[0]:
                if swap.receiver >= 0:
                    boxes = tuple(-((at + step) // n) for at, step, n in zip(one.place, swap.offset, grid))
                    chosen = self.layout.chosen(one, swap.offset, half_shell)
                    found[sender, swap.receiver, boxes] = set(map(int, one.atoms[chosen]))
        return found

    def give(self, donor, transfers):
        """All that one rank hands over."""
        ghosts = self.before[donor]
        mine = np.array([boxes == HERE and self.owner[atom] == donor for atom, boxes in ghosts])
        places = np.array([self.x[atom] + np.array(boxes) * self.box for atom, boxes in ghosts])
        images = [self.image(one.target, places[mine].mean(axis=0)) for one in transfers]
        squares = [self.squares(places, *bounds) for _, bounds in images]
        given, parts, seam = np.zeros(len(ghosts), bool), [], ~mine | self.full_lists
        for one, distances in zip(transfers, squares):
            free = np.flatnonzero(mine & ~given)
            parts.append(free[np.argsort(distances[free], kind="stable")[:one.amount]])
            given[parts[-1]] = True
            seam |= distances <= self.limit(distances[parts[-1]], SEAM * self.reach)
        for one, (boxes, _), distances, part in zip(transfers, images, squares, parts):
            near = (distances <= self.limit(distances[part], self.reach)) & self.around(places, places[part])
            near &= ~mine | given | seam
            near[part] = True
            moved = [(atom, tuple(int(a + b) for a, b in zip(there, boxes))) for atom, there in ghosts]
            self.add(donor, one.target, {moved[i] for i in np.flatnonzero(near)} - self.held[one.target])
            self.rows[donor, one.target] = self.returned(donor, one.target, boxes, {moved[i][0] for i in part})

    def add(self, donor, receiver, ghosts):
        """Extra ghosts of a receiver, each once; but with full lists the atoms of donors come without their positions,
        and the receiver does not see that it has such an atom twice if another donor names it, too."""
        have = self.extra[receiver]
        apart = {ghost for ghost in ghosts if self.full_lists and self.owner[ghost[0]] == donor}
        known = {ghost for ghost, named in have if not named or not self.full_lists}
        have += [(ghost, True) for ghost in sorted(apart)]
        have += [(ghost, False) for ghost in sorted(ghosts - apart - known)]

    def image(self, rank, center):
        """Box lengths to the image of a rank that is nearest to a place, and the bounds of this image [distance]."""
        boxes, bounds = [], []
        for dim, at in enumerate(self.layout.owned[rank].place):
            lo, hi = self.layout.edges[dim][at], self.layout.edges[dim][at + 1]
            ways = (0, -1, 1) if self.layout.geometry.periodic[dim] else (0,)
            gaps = [max(lo - n * self.box[dim] - center[dim], center[dim] - hi + n * self.box[dim], 0.0) for n in ways]
            boxes.append(ways[gaps.index(min(gaps))])
            bounds.append((lo - boxes[-1] * self.box[dim], hi - boxes[-1] * self.box[dim]))
        return boxes, np.array(bounds).T

    @staticmethod
    def squares(places, low, high):
        """Squares of distances from a box."""
        gap = np.maximum(np.maximum(low - places, places - high), 0.0)
        return (gap * gap).sum(axis=1)

    @staticmethod
    def limit(squares, reach):
        """Square of the distance of the farthest, and some more."""
        return ((np.sqrt(squares.max()) + reach) * LARGER) ** 2 if len(squares) else -1.0

    def around(self, places, centers):
        """Whether places are near the box around others."""
        if not len(centers):
            return np.zeros(len(places), bool)
        low, high = centers.min(axis=0), centers.max(axis=0)
        farther = self.reach * LARGER + (high - low) * (LARGER - 1.0)
        return ((places >= low - farther) & (places <= high + farther)).all(axis=1)

    def returned(self, donor, receiver, boxes, given):
        """Forces that come back where lists are full: of a swap of the pattern all, if any of it are given."""
        swap = self.sent.get((donor, receiver, tuple(boxes)), set())
        return len(given - swap) + (len(swap) if given & swap else 0)

    def forward(self):
        """Atoms of the messages of a step: (sender, receiver) -> number, of the pattern and extra ones."""
        found = {}
        for (sender, receiver, _), atoms in self.sent.items():
            found[sender, receiver] = found.get((sender, receiver), 0) + len(atoms)
        for receiver, extra in enumerate(self.extra):
            for (atom, _), _ in extra:
                pair = int(self.owner[atom]), receiver
                found[pair] = found.get(pair, 0) + 1
        return {(one, other): number for (one, other), number in found.items() if one != other and number}

    def reverse(self):
        """Likewise of forces: all of them with half lists, those of rows with full ones."""
        if not self.full_lists:
            return {(receiver, sender): number for (sender, receiver), number in self.forward().items()}
        return {(receiver, donor): number for (donor, receiver), number in self.rows.items() if number}
