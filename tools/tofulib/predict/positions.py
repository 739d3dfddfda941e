# SPDX-License-Identifier: GPL-2.0-only
"""Positions of a short run: atoms of each rank in any grid, and the walls that fix balance would set."""

import numpy as np


class Positions:
    """Atoms of a box.

    Args:
        fractions: Positions as parts of the box [natoms, 3].
    """

    def __init__(self, fractions):
        self.fractions = np.asarray(fractions, float)

    def counts(self, grid, splits=()):
        """Atoms of each rank [ranks], numbered along z first.

        Args:
            grid: Ranks along each dimension.
            splits: [3][ranks along the dimension + 1] walls as parts of the box; empty: equal sub-boxes.
        """
        flat = 0
        for dim, count in enumerate(grid):
            x = self.fractions[:, dim]
            where = (np.searchsorted(splits[dim], x, side="right") - 1 if splits else (x * count).astype(np.int64))
            flat = flat * count + np.clip(where, 0, count - 1)
        return np.bincount(flat, minlength=grid[0] * grid[1] * grid[2]).astype(float)

    def walls(self, grid, dims, least=(0.0, 0.0, 0.0)):
        """Walls with the same number of atoms between all of them, as fix balance shift finds them in the end.

        Args:
            grid: Ranks along each dimension.
            dims: Dimensions whose walls move, as in "xyz".
            least: Shortest sub-box along each dimension, as a part of the box; LAMMPS has the skin.
        """
        return tuple(self.along(dim, count, least[dim]) if "xyz"[dim] in dims
                     else np.append(np.arange(count) / count, 1.0) for dim, count in enumerate(grid))

    def along(self, dim, count, least):
        """Walls along one dimension."""
        x, natoms = np.sort(self.fractions[:, dim]), len(self.fractions)
        first = np.rint(natoms * np.arange(1, count) / count).astype(int)    # atom behind each wall
        inner = (x[np.maximum(first - 1, 0)] + x[np.minimum(first, natoms - 1)]) / 2.0
        return apart(np.concatenate([[0.0], inner, [1.0]]), least)


def apart(walls, least):
    """Move walls that are too near to each other as far as needed, if there is room for all."""
    count = len(walls) - 1
    if least * count >= 1.0:
        return np.append(np.arange(count) / count, 1.0)
    step = least * np.arange(count + 1)
    moved = np.maximum.accumulate(walls - step) + step                        # up from the wall below
    back = 1.0 - step[::-1]
    return np.minimum(moved, back)                                            # and down from the end of the box
