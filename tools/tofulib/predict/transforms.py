# SPDX-License-Identifier: GPL-2.0-only
"""Rounds of messages of the transforms of pppm/offload and of pppm, as the program plans them.

src/TOFU/mesh/fft/pencil_plan.cpp, partial_fft.cpp and replicated_fft.cpp, which make lists of messages; here they are
counted, for up to 300,000 ranks. unittest/endtoend/test_predicted_mesh.py counts the messages of real runs.
"""

import functools
import itertools
from typing import NamedTuple

import numpy as np

from . import mesh as meshes
from .mesh import Layout, Move

#: src/TOFU/mesh/exchange/exchange_cost.h and pencil_plan.cpp.
ROUND, MESSAGE, BYTE, POINT, FIELDS, MOST_SAMPLED = 1.0, 0.5, 2e-4, 5e-3, 2, 16
ORDERS = ((1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0), (0, 1, 2), (0, 2, 1))
#: src/TOFU/mesh/fft/fft_choice.cpp.
MOST_REPLICAS, MOST_REPLICATED_POINTS = 64, 48**3
#: With more ranks, rank n has cell n, as messages then stay near, and the messages of fewer ranks are counted.
MOST_DEALT, FEW_SAMPLED = 512, 3
REAL = 8    #: bytes


class Round(NamedTuple):
    """Messages that are under way at the same time."""

    move: Move
    nbytes: int    #: of a point


class Transform(NamedTuple):
    """A distributed transform of one mesh forward and of some back."""

    name: str
    forward: tuple        #: of Round
    backward: tuple
    work: np.ndarray      #: [ranks] points times logarithm, or products, that a rank computes
    unit: str             #: of work: "fft" or "product"


def pppm(mesh, grid):
    """Remaps of LAMMPS' pppm: from bricks, within each transform, and back to bricks."""
    inner = meshes.bricks(mesh, grid)
    x, y, z = meshes.stock_pencils(mesh, inner.place.shape[1])

    def rounds(*layouts, nbytes=2 * REAL):
        return tuple(Round(Move(mesh.points, *pair), nbytes) for pair in zip(layouts, layouts[1:]))

    work = (1 + mesh.fields) * (x.points + y.points + z.points) / 3.0 * logarithm(mesh)
    return Transform("pppm", rounds(inner, x, nbytes=REAL) + rounds(x, y, z, x),
                     mesh.fields * rounds(x, y, z, inner), work, "fft")


def logarithm(mesh):
    """Of the number of points, to the base of two."""
    return float(np.log2(np.prod(np.array(mesh.points, float))))


def boxes_of(mesh, grid, box):
    """Bricks, and bricks with the ghost points that are not their own points."""
    inner = meshes.bricks(mesh, grid)
    return inner, meshes.without_own_images(mesh, meshes.with_ghosts(mesh, grid, box), inner)


@functools.lru_cache(maxsize=2)
def pencil(mesh, grid, box):
    """Pencils of the half spectrum."""
    inner, boxes = boxes_of(mesh, grid, box)
    plan = best_pencils(mesh, inner, boxes)
    reals, halves, axis = stages_of(plan, mesh.points)
    half = list(mesh.points)
    half[axis] = half[axis] // 2 + 1
    there = tuple(Round(Move(half, *pair), 2 * REAL) for pair in zip(halves, halves[1:]))
    back = tuple(Round(Move(half, *pair), 2 * REAL * mesh.fields) for pair in zip(halves[::-1], halves[-2::-1]))
    work = (1 + mesh.fields) * reals.points * logarithm(mesh)
    return Transform("pencil", (Round(Move(mesh.points, boxes, reals), REAL), *there),
                     (*back, Round(Move(mesh.points, reals, boxes), REAL * mesh.fields)), work, "fft")


class Pencils(NamedTuple):
    """A grid of pencils: dimensions in the order of the transform, and p x q cells on ranks."""

    dims: tuple
    p: int
    q: int
    cell_of: np.ndarray    #: [ranks] i + p * j; -1 for none


def stages_of(plan, points):
    """Layouts of the real numbers, of the spectrum in one to three stages, and the dimension with the half."""
    a, b, c = plan.dims
    half = list(points)
    half[a] = half[a] // 2 + 1
    stages = [0] + ([1] if plan.p > 1 else []) + ([2] if plan.q > 1 else [])
    return layout(plan, points, 0), [layout(plan, half, stage) for stage in stages], a


def layout(plan, points, stage):
    """Layout of one stage."""
    (a, b, c), i, j = plan.dims, plan.cell_of % plan.p, plan.cell_of // plan.p
    parts, place = [meshes.whole(n) for n in points], np.zeros((3, len(plan.cell_of)), np.int64)

    def cut(dim, count, part):
        parts[dim], place[dim] = meshes.even(points[dim], count), part

    if stage > 0:
        cut(a, plan.p, i)
    if stage == 0:
        cut(b, plan.p, i)
    if stage == 2:
        cut(b, plan.q, j)
    if stage < 2:
        cut(c, plan.q, j)
    place[:, plan.cell_of < 0] = -1
    return Layout(tuple(parts), place)


def best_pencils(mesh, inner, boxes):
    """The grid of pencils with the least estimated time; the first of equals."""
    ranks, n, best, least = inner.place.shape[1], mesh.points, None, float("inf")
    grids = [(cost_of_cells(dims, p, q, n), dims, p, q) for dims in ORDERS for p, q in grids_of(dims, n, ranks)]
    if ranks > MOST_DEALT:    # the same but for equals, and the best is found soon
        grids.sort()
        far = FarMoves(n, boxes)
    for cost, dims, p, q in grids:
        if cost >= least:
            continue
        if ranks > MOST_DEALT:
            cost += far.cost(dims, p, q)
        else:
            plan = Pencils(dims, p, q, deal_cells(dims, p, q, n, inner))
            cost += cost_of_move(Move(n, boxes, layout(plan, n, 0)), FIELDS * REAL)
        if cost < least:
            best, least = (dims, p, q), cost
    return Pencils(*best, deal_cells(*best, n, inner))


def grids_of(dims, points, ranks):
    """All grids of cells of an order of dimensions."""
    a, b, c = (points[dim] for dim in dims)
    return [(p, min(ranks // p, b, c)) for p in range(1, min(ranks, b, a // 2 + 1) + 1)]


def cost_of_cells(dims, p, q, points):
    """Estimated time without the exchange between bricks and pencils [us]."""
    na, nb, nc = (points[dim] for dim in dims)
    half = na // 2 + 1
    size = max(na * -(-nb // p) * -(-nc // q), 2 * -(-half // p) * nb * -(-nc // q),
               2 * -(-half // p) * -(-nb // q) * nc)
    return POINT * size + sum(ROUND + MESSAGE * (n - 1) + BYTE * FIELDS * REAL * size * (n - 1) / n
                              for n in (p, q) if n > 1)


def cost_of_move(move, nbytes):
    """Estimated time of the rank with most work, among some [us]."""
    ranks, most = move.source.place.shape[1], 0.0
    for rank in range(0, ranks, -(-ranks // MOST_SAMPLED)):
        sent, got = move.partners(rank)
        length = np.maximum(sent * nbytes, got > 0)
        most = max(most, MESSAGE * np.count_nonzero(length) + BYTE * float(length.sum()))
    return ROUND + most if most > 0.0 else 0.0


class FarMoves:
    """Exchanges between bricks and pencils of many ranks, where rank n has cell n, without an array over ranks.

    Messages are counted at both ends; with two ranks that send to each other the program counts one.

    Args:
        points: Of the mesh along each dimension.
        boxes: Layout of the bricks with their ghost points.
    """

    def __init__(self, points, boxes):
        self.points, self.boxes, self.found = points, boxes, {}

    def common(self, dim, count):
        """Points that parts of the bricks have in common with pencils that are cut into so many along a dimension."""
        if (dim, count) not in self.found:
            matrix = meshes.overlap(self.boxes.parts[dim], meshes.even(self.points[dim], count), self.points[dim])
            self.found[dim, count] = (matrix, *((np.count_nonzero(matrix, axis=axis), matrix.sum(axis=axis))
                                                for axis in (1, 0)))
        return self.found[dim, count]

    def cost(self, dims, p, q):
        """Estimated time of the rank with most work, among some [us]."""
        ranks, most = self.boxes.place.shape[1], 0.0
        commons = [self.common(dim, count) for dim, count in zip(dims, (1, p, q))]
        for rank in range(0, ranks, -(-ranks // FEW_SAMPLED)):
            at, cell = self.boxes.place[list(dims), rank], (0, rank % p, rank // p)
            most = max(most, self.of_rank(commons, at, cell if rank < p * q else None))
        return ROUND + most if most > 0.0 else 0.0

    @staticmethod
    def of_rank(commons, at, cell):
        """Time of one rank with its brick and its cell."""
        messages = np.prod([one[1][0][place] for one, place in zip(commons, at)])
        points = np.prod([one[1][1][place] for one, place in zip(commons, at)])
        if cell is not None:
            own = np.prod([one[0][place, part] for one, place, part in zip(commons, at, cell)])
            messages += np.prod([one[2][0][part] for one, part in zip(commons, cell)]) - 2 * (own > 0)
            points -= own
        return MESSAGE * float(messages) + BYTE * FIELDS * REAL * float(points)


def deal_cells(dims, p, q, points, inner):
    """Each cell goes to the rank that has most of it, the largest share first."""
    ranks = inner.place.shape[1]
    if ranks > MOST_DEALT:
        return np.where(np.arange(ranks) < p * q, np.arange(ranks), -1)
    a, b, c = dims
    in_b = meshes.overlap(inner.parts[b], meshes.even(points[b], p), 10**9)[inner.place[b]]
    in_c = meshes.overlap(inner.parts[c], meshes.even(points[c], q), 10**9)[inner.place[c]]
    shares = inner.lengths(a)[:, None, None] * in_c[:, :, None] * in_b[:, None, :]
    rank, j, i = np.nonzero(shares)
    cell_of, dealt = np.full(ranks, -1), np.zeros(p * q, bool)
    cell = i + p * j
    for number in np.lexsort((cell, rank, -shares[rank, j, i])):
        if cell_of[rank[number]] < 0 and not dealt[cell[number]]:
            cell_of[rank[number]] = cell[number]
            dealt[cell[number]] = True
    free = iter(np.flatnonzero(cell_of < 0))
    for number in np.flatnonzero(~dealt):
        cell_of[next(free)] = number
    return cell_of


def replicated(mesh, grid, box):
    """Every rank gets the whole mesh, in one round or in two."""
    inner, boxes = boxes_of(mesh, grid, box)
    ranks = inner.place.shape[1]
    one = np.arange(ranks)
    everywhere = Layout((meshes.whole(mesh.points[0], ranks), meshes.whole(mesh.points[1]),
                         meshes.whole(mesh.points[2])), np.stack([one, 0 * one, 0 * one]))
    at_once, sums, copies = (Move(mesh.points, *pair) for pair in (
        (boxes, everywhere), (boxes, inner), (inner, everywhere)))
    moves = ([at_once] if cost_of_move(at_once, REAL) <= cost_of_move(sums, REAL) + cost_of_move(copies, REAL)
             else [sums, copies])
    work = np.full(ranks, (1 + mesh.fields) * float(np.prod(mesh.points)) * logarithm(mesh))
    return Transform("replicated", tuple(Round(move, REAL) for move in moves), (), work, "fft")


def partial(mesh, grid, box):
    """Partial sums along rows of ranks, one dimension after the other."""
    inner, boxes = boxes_of(mesh, grid, box)
    dims = cheapest_order(mesh.points, inner)
    outputs = [meshes.even(n // 2 + 1 if dim == dims[0] else n, len(inner.parts[dim][0]))
               for dim, n in enumerate(mesh.points)]
    now = [inner.parts[dim] for dim in range(3)]
    forward, backward, work = [Round(Move(mesh.points, boxes, inner), REAL)], [], 0.0
    for dim in dims:
        lines = Layout(tuple(now), inner.place)
        others = lines.points // np.maximum(lines.lengths(dim), 1)
        half = dim == dims[0]
        n = mesh.points[dim]
        work = work + (1 + mesh.fields) * (2.0 if half else 4.0) * (n // 2 + 1) * lines.points
        if len(now[dim][0]) > 1:
            forward.append(Round(rows(mesh.points, inner, dim, outputs[dim], others), 2 * REAL))
            backward.append(Round(rows(mesh.points, inner, dim, inner.parts[dim], others),
                                  (REAL if half else 2 * REAL) * mesh.fields))
        now[dim] = outputs[dim]
    return Transform("partial", tuple(forward), (*backward[::-1], Round(Move(mesh.points, inner, boxes),
                                                                        REAL * mesh.fields)), work, "product")


class Rows:
    """Each rank of a row sends each other one what that one owns of a dimension, for all lines of the row."""

    def __init__(self, move, lines):
        self.move, self.last = move, move.last
        self.source, self.target, self.partners = move.source, move.target, move.partners
        self.sent, self.received = ((messages, points * lines) for messages, points in (move.sent, move.received))


def rows(points, inner, dim, owned, lines):
    """Messages along a dimension: every rank of the row has a partial sum of every point."""
    count = len(owned[0])
    size = int(owned[1][-1])
    parts, source = [], []
    for other in range(3):
        here = np.arange(len(inner.parts[other][0]))
        parts.append(owned if other == dim else (here, here + 1))
        source.append(meshes.whole(size, count) if other == dim else (here, here + 1))
    return Rows(Move((10**9,) * 3, Layout(tuple(source), inner.place), Layout(tuple(parts), inner.place)), lines)


def cheapest_order(points, inner):
    """Order of dimensions with the least estimated work and messages; the first of equals."""
    def cost_of(order):
        length = [float(max(inner.parts[dim][1] - inner.parts[dim][0])) for dim in range(3)]
        cost = 0.0 if order[1] == 0 else 16.0 * length[0] * length[1] * length[2]
        for dim in order:
            half = dim == order[0]
            n, count = points[dim], len(inner.parts[dim][0])
            found = n // 2 + 1 if half else n
            lines = length[0] * length[1] * length[2] / length[dim]
            cost += ((2.0 if half else 4.0) * (n // 2 + 1) * length[dim] * lines +
                     16.0 * 2.0 * (found - found // count) * lines)
            length[dim] = -(-found // count)
        return cost
    return min(itertools.permutations(range(3)), key=cost_of)

