# SPDX-License-Identifier: GPL-2.0-only
"""The mesh of a long-range part on ranks: who has which points, and what moves between two such layouts.

A layout cuts each dimension into parts, and each combination of parts is on one rank. So the points that two ranks have
in common are products of what their parts have in common in each dimension, and messages of all ranks are counted
without a list of them. Bricks and their ghost points are those of LAMMPS' Grid3d.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

#: As Grid3d, which adds it before it cuts digits off.
OFFSET = 4096


class Mesh(NamedTuple):
    """A mesh of pppm."""

    points: tuple    #: along each dimension
    order: int       #: of the stencil
    reach: float     #: how far from its sub-box an atom of a rank may be [distance]
    fields: int      #: meshes that are transformed back: 3 with diff ik, 1 with diff ad
    splits: tuple = ()    #: walls of sub-boxes as in halo.Geometry; empty: equal sub-boxes

    def cuts(self, dim, count):
        """Walls of the sub-boxes along a dimension as parts of the box, bitwise as Comm has them."""
        return np.array(self.splits[dim] if self.splits else [i * 1.0 / count for i in range(count)] + [1.0])


class Layout(NamedTuple):
    """Parts of the mesh, and the rank of each combination of them."""

    parts: tuple           #: [3] (begins, ends behind the last point), which may reach beyond the mesh
    place: np.ndarray      #: [3, ranks] part of each rank along each dimension; -1: the rank has nothing

    def lengths(self, dim):
        """Points along a dimension [ranks]."""
        low, high = self.parts[dim]
        return np.where(self.place[dim] < 0, 0, (high - low)[self.place[dim]])

    @property
    def points(self):
        """Points of each rank."""
        return self.lengths(0) * self.lengths(1) * self.lengths(2)


def even(points, parts):
    """Begins and ends of parts that are as even as possible."""
    cuts = np.arange(parts + 1, dtype=np.int64) * points // parts
    return cuts[:-1], cuts[1:]


def whole(points, count=1):
    """One part, or the same for each of several ranks."""
    return np.zeros(count, np.int64), np.full(count, points, np.int64)


def places(grid):
    """Place of each rank in a grid that is numbered along z first."""
    return np.indices(grid, dtype=np.int64).reshape(3, -1)


def bricks(mesh, grid):
    """Points in the sub-box of each rank, as Grid3d deals them: a point is in the middle of its cell."""
    parts = []
    for dim, (points, count) in enumerate(zip(mesh.points, grid)):
        cuts = mesh.cuts(dim, count) * points
        first = np.ceil(cuts - 0.5).astype(np.int64)
        parts.append((first[:-1], first[1:]))
    return Layout(tuple(parts), places(grid))


def with_ghosts(mesh, grid, box):
    """Bricks with the points around them that the atoms of a rank reach."""
    parts, inner = [], bricks(mesh, grid)
    shift = 0.5 if mesh.order % 2 else 0.0
    below, above = (mesh.order - 1) // 2, mesh.order // 2
    for dim, (points, count, length) in enumerate(zip(mesh.points, grid, box)):
        edges = length * mesh.cuts(dim, count)
        inverse = points / length
        low = ((edges[:-1] - mesh.reach) * inverse + shift + OFFSET).astype(np.int64) - OFFSET - below
        high = ((edges[1:] + mesh.reach) * inverse + shift + OFFSET).astype(np.int64) - OFFSET + above + 1
        parts.append((np.minimum(low, inner.parts[dim][0]), np.maximum(high, inner.parts[dim][1])))
    return Layout(tuple(parts), inner.place)


def without_own_images(mesh, boxes, inner):
    """Without ghost points in dimensions that each rank has whole: those are its own points."""
    parts = tuple(inner.parts[dim] if len(inner.parts[dim][0]) == 1 else boxes.parts[dim] for dim in range(3))
    return Layout(parts, boxes.place)


def overlap(first, second, points):
    """Points that parts have in common with images of other parts [parts, other parts]."""
    (low, high), (other_low, other_high) = first, second
    found = np.zeros((len(low), len(other_low)), np.int64)
    least = min(other_low.min() - high.max(), 0) // points
    most = max(other_high.max() - low.min(), 0) // points + 1
    for image in range(int(least), int(most) + 1):
        begin = np.maximum.outer(low + image * points, other_low)
        end = np.minimum.outer(high + image * points, other_high)
        found += np.maximum(end - begin, 0)
    return found


class Move:
    """Points go from one layout to another; each rank sends one message to each other one that it has points for.

    Args:
        points: Of the mesh along each dimension.
        source: Layout that has the points.
        target: Layout that gets them.
    """

    def __init__(self, points, source, target):
        self.source, self.target = source, target
        self.common = [overlap(source.parts[dim], target.parts[dim], points[dim]) for dim in range(3)]

    @functools.cached_property
    def own(self):
        """Points that stay on each rank."""
        return self.between(self.source.place, self.target.place)

    @functools.cached_property
    def sent(self):
        """Messages that each rank sends, and points in them."""
        return self.count(self.source.place, 1, self.own)

    @functools.cached_property
    def received(self):
        """Messages that each rank gets, and points in them."""
        return self.count(self.target.place, 0, self.own)

    def between(self, places, others):
        """Points that go from each rank to another."""
        found = np.ones(places.shape[1], np.int64)
        for dim in range(3):
            found *= self.common[dim][places[dim], others[dim]]
        return np.where((places[0] < 0) | (others[0] < 0), 0, found)

    def count(self, places, axis, own):
        """Messages of each rank, and points in them, without what stays on the rank."""
        messages = np.ones(places.shape[1], np.int64)
        points = messages.copy()
        for dim in range(3):
            messages *= np.count_nonzero(self.common[dim], axis=axis)[places[dim]]
            points *= self.common[dim].sum(axis=axis)[places[dim]]
        nothing = places[0] < 0
        return np.where(nothing, 0, messages - (own > 0)), np.where(nothing, 0, points - own)

    def partners(self, rank):
        """Points that one rank sends to each, and gets from each [ranks]."""
        def seen(places, others, first):
            found = np.ones(others.shape[1], np.int64)
            for dim in range(3):
                matrix = self.common[dim] if first else self.common[dim].T
                found *= matrix[places[dim, rank]][others[dim]]
            found[others[0] < 0] = 0
            found[rank] = 0
            return found if places[0, rank] >= 0 else 0 * found
        return (seen(self.source.place, self.target.place, True), seen(self.target.place, self.source.place, False))

    def last(self, times):
        """The latest of the times of those that a rank gets points from, itself included [ranks]."""
        shape = tuple(len(self.source.parts[dim][0]) for dim in range(3))
        found = np.full(shape, -math.inf)
        busy = self.source.place[0] >= 0
        np.maximum.at(found, tuple(self.source.place[:, busy]), times[busy])
        for dim in sorted(range(3), key=lambda d: self.common[d].shape[1] / self.common[d].shape[0]):
            found = self.along(found, dim)
        place = self.target.place
        return np.where(place[0] < 0, -math.inf, found[tuple(place)])

    def along(self, times, dim):
        """The latest along one dimension."""
        moved = np.moveaxis(times, dim, 0)
        found = np.full((self.common[dim].shape[1], *moved.shape[1:]), -math.inf)
        if self.common[dim].all():
            found[:] = moved.max(axis=0)
        else:
            for part, column in enumerate(self.common[dim].T):
                hit = np.flatnonzero(column)
                if len(hit):
                    found[part] = moved[hit].max(axis=0)
        return np.moveaxis(found, 0, dim)


class Swap(NamedTuple):
    """Planes that all ranks send to a neighbor along one dimension; one after the other."""

    dim: int
    step: int               #: -1: to the lower neighbor
    planes: np.ndarray      #: [parts of the dimension] that each sends
    area: np.ndarray        #: [ranks] points of a plane


def swaps(mesh, grid, box):
    """Swaps of Grid3d that fill ghost points; backwards they add them up."""
    inner, outer, found = bricks(mesh, grid), with_ghosts(mesh, grid, box), []
    for dim in range(3):
        (low, high), (out_low, out_high) = inner.parts[dim], outer.parts[dim]
        area = np.ones(inner.place.shape[1], np.int64)
        for other in range(3):
            if other != dim:
                area *= (outer if other < dim else inner).lengths(other)
        for step, wanted in ((-1, np.roll(out_high - high, 1)), (1, np.roll(low - out_low, -1))):
            sent, have, done = np.zeros_like(low), high - low, False
            while not done:
                planes = np.minimum(have, wanted - sent)
                found.append(Swap(dim, step, planes, area))
                sent = sent + planes
                have = have - planes + np.roll(planes, step)
                done = bool((sent >= wanted).all())
                if not done and not planes.any():
                    raise ValueError(f"ghost points of dimension {dim} are on no rank")
    return found


def stock_pencils(mesh, ranks):
    """Layouts of LAMMPS' FFT: along x as pppm deals them, then along y and along z as FFT3d does."""
    rank = np.arange(ranks)
    py, pz = grid_of_pencils(ranks, mesh.points[1], mesh.points[2])
    x, y, z = mesh.points
    along_x = Layout((whole(x), even(y, py), even(z, pz)), np.stack([0 * rank, rank % py, rank // py]))
    p, q = bifactor(ranks)
    along_y = Layout((even(x, p), whole(y), even(z, q)), np.stack([rank % p, 0 * rank, rank // p]))
    along_z = Layout((even(x, p), even(y, q), whole(z)), np.stack([rank % p, rank // p, 0 * rank]))
    return along_x, along_y, along_z


def bifactor(number):
    """Two factors, the smaller one as large as possible and first."""
    small = next(i for i in range(math.isqrt(number), 0, -1) if number % i == 0)
    return small, number // small


def grid_of_pencils(ranks, points_y, points_z):
    """Grid of pencils along x as PPPM::procs2grid2d() chooses it."""
    best, area, found = 2 * (points_y + points_z), 0, (1, ranks)
    for y in (n for n in range(1, ranks + 1) if ranks % n == 0):
        size_y, size_z = -(-points_y // y), -(-points_z // (ranks // y))
        if size_y + size_z < best or (size_y + size_z == best and size_y * size_z > area):
            best, area, found = size_y + size_z, size_y * size_z, (y, ranks // y)
    return found
