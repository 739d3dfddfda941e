# SPDX-License-Identifier: GPL-2.0-only
"""The grid of ranks as LAMMPS chooses it, and blocks of it for nodes."""


def factors(number):
    """All ways to write a number as a product of three, in LAMMPS' order."""
    return [(i, j, number // i // j) for i in range(1, number + 1) if number % i == 0
            for j in range(1, number // i + 1) if number // i % j == 0]


def surface(counts, box):
    """Surface of one part of a box that is cut into so many parts along each dimension, halved."""
    x, y, z = (length / count for length, count in zip(box, counts))
    return x * y + y * z + z * x


def of_ranks(ranks, box):
    """The grid with the smallest surface of a sub-box; the first of equals, as in LAMMPS."""
    return min(factors(ranks), key=lambda counts: surface(counts, box))


def of_node(grid, ranks, box):
    """The block of sub-boxes of a node with the smallest surface.

    Returns:
        Sub-boxes of a node along each dimension, or None if no block fits into the grid.
    """
    fitting = [block for block in factors(ranks) if all(n % b == 0 for n, b in zip(grid, block))]
    sides = [length / count for length, count in zip(box, grid)]
    return min(fitting, key=lambda block: surface((1, 1, 1), [b * side for b, side in zip(block, sides)]), default=None)
