# SPDX-License-Identifier: GPL-2.0-only
"""Tiled layouts: sub-boxes of recursive bisection, which ranks are near each other, and what they send.

Messages of p2p_rdma are those of src/TOFU/halo/tiled_plan.cpp; those of LAMMPS' comm_style tiled go to all ranks that
overlap what is wanted beyond a face, one face after the other.
"""

import math
from typing import NamedTuple

import numpy as np

#: Sub-boxes that are nearer touch, as parts of the box.
TOLERANCE = 1e-9


class Tiles(NamedTuple):
    """Sub-boxes of all ranks as parts of the box."""

    low: np.ndarray     #: [ranks, 3]
    high: np.ndarray


class Images(NamedTuple):
    """Pairs of a rank and an image of another one, or of its own, that is within the cut-off."""

    me: np.ndarray       #: [pairs]
    other: np.ndarray
    shift: np.ndarray    #: [pairs, 3] of the image, in box lengths
    upper: np.ndarray    #: whether the image is an upper neighbor


class Graph(NamedTuple):
    """Messages that are under way at the same time."""

    sender: np.ndarray      #: [messages]
    receiver: np.ndarray
    share: np.ndarray       #: what is sent as a multiple of the sender's atoms
    swaps: np.ndarray       #: regions in the message
    own: np.ndarray         #: [ranks] what a rank copies for itself


def bisect(fractions, ranks, box):
    """Cut the box and its parts in two, with atoms in the ratio of ranks, across the longest extent of the atoms.

    Args:
        fractions: Positions as parts of the box [natoms, 3].
        ranks: Number of ranks.
        box: Lengths.
    """
    low, high = np.zeros((ranks, 3)), np.ones((ranks, 3))
    parts = [(np.arange(len(fractions)), 0, ranks - 1)]
    while parts:
        atoms, first, last = parts.pop()
        if first == last:
            continue
        middle = first + (last - first) // 2 + 1
        x = fractions[atoms]
        extent = (x.max(axis=0) - x.min(axis=0) if len(x) else high[first] - low[first]) * np.array(box)
        dim = int(np.argmax(extent))
        order = np.argsort(x[:, dim], kind="stable")
        count = round(len(atoms) * (middle - first) / (last - first + 1))
        inside = 0 < count < len(atoms)
        ends = (x[order[count - 1]], x[order[count]]) if inside else (low[first], high[first])
        cut = (ends[0][dim] + ends[1][dim]) / 2.0
        high[first:middle, dim], low[middle:last + 1, dim] = cut, cut
        parts += [(atoms[order[:count]], first, middle - 1), (atoms[order[count:]], middle, last)]
    return Tiles(low, high)


def count(tiles, fractions):
    """Number of the rank of each atom [natoms]; walk down the halves, each of which is a box."""
    found = np.zeros(len(fractions), np.int64)
    parts = [(np.arange(len(fractions)), 0, len(tiles.low) - 1)]
    while parts:
        atoms, first, last = parts.pop()
        if first == last or not len(atoms):
            found[atoms] = first
            continue
        middle = first + (last - first) // 2 + 1
        ends, begins = tiles.high[first:middle].max(axis=0), tiles.low[middle:last + 1].min(axis=0)
        dim = int(np.argmax(begins - ends >= -TOLERANCE))
        below = fractions[atoms, dim] < begins[dim]
        parts += [(atoms[below], first, middle - 1), (atoms[~below], middle, last)]
    return found


def tree(tiles):
    """Boxes of halves of ranks: first and last rank, numbers of the two halves, bounds."""
    first, last, lower, upper = [], [], [], []

    def add(a, b):
        number = len(first)
        first.append(a)
        last.append(b)
        lower.append(-1)
        upper.append(-1)
        if a < b:
            middle = a + (b - a) // 2 + 1
            lower[number] = add(a, middle - 1)
            upper[number] = add(middle, b)
        return number

    add(0, len(tiles.low) - 1)
    first, last, lower, upper = map(np.array, (first, last, lower, upper))
    low, high = np.empty((len(first), 3)), np.empty((len(first), 3))
    for number in range(len(first) - 1, -1, -1):
        if lower[number] < 0:
            low[number], high[number] = tiles.low[first[number]], tiles.high[first[number]]
        else:
            halves = [lower[number], upper[number]]
            low[number], high[number] = low[halves].min(axis=0), high[halves].max(axis=0)
    return first, last, lower, upper, low, high


def images(tiles, box, cut, periodic):
    """All pairs within the cut-off along each dimension.

    Args:
        tiles: Tiles.
        box: Lengths [3].
        cut: How far ghosts are needed along each dimension [3].
        periodic: Whether each dimension is.
    """
    first, last, lower, upper, low, high = tree(tiles)
    reach = np.array(cut) / np.array(box) + TOLERANCE
    most = [math.floor(1.0 + one) if wraps else 0 for one, wraps in zip(reach, periodic)]
    shifts = np.array(np.meshgrid(*(range(-n, n + 1) for n in most), indexing="ij")).reshape(3, -1).T
    a, b, found = np.zeros(len(shifts), int), np.zeros(len(shifts), int), []
    while len(a):
        near = ((low[a] - reach <= high[b] + shifts) & (low[b] + shifts - reach <= high[a])).all(axis=1)
        a, b, shifts = a[near], b[near], shifts[near]
        sizes = last[a] - first[a], last[b] - first[b]
        done = (sizes[0] == 0) & (sizes[1] == 0)
        found.append((first[a[done]], first[b[done]], shifts[done]))
        left = ~done & (sizes[0] >= sizes[1])
        right = ~done & ~left
        a, b, shifts = (np.concatenate(parts) for parts in (
            (lower[a[left]], upper[a[left]], a[right], a[right]), (b[left], b[left], lower[b[right]], upper[b[right]]),
            (shifts[left], shifts[left], shifts[right], shifts[right])))
    me, other, shift = (np.concatenate(parts) for parts in zip(*found))
    return exact_images(tiles, np.array(box), np.array(cut), me, other, shift)


def exact_images(tiles, box, cut, me, other, shift):
    """Those that are near as the lower rank of both sees it."""
    up = is_upper(shift)
    mine_first = np.where(me != other, me < other, up)
    order = np.where(mine_first[:, None], shift, -shift)
    a, b = np.where(mine_first, me, other), np.where(mine_first, other, me)
    a_low, a_high = tiles.low[a] * box, tiles.high[a] * box
    b_low, b_high = tiles.low[b] * box + order * box, tiles.high[b] * box + order * box
    gap = np.maximum(a_low - b_high, b_low - a_high)
    gap[gap <= TOLERANCE * box] = 0.0
    way = 0.5 * (b_low + b_high) - 0.5 * (a_low + a_high)
    keep = (gap <= cut).all(axis=1) & ~((me == other) & ~shift.any(axis=1))
    upper = is_upper(way) == mine_first
    return Images(me[keep], other[keep], shift[keep], upper[keep])


def is_upper(way):
    """Whether ways go up in z, else in y, else in x."""
    return np.where(way[:, 2] != 0, way[:, 2] > 0, np.where(way[:, 1] != 0, way[:, 1] > 0, way[:, 0] > 0))


def direct(tiles, box, cut, periodic, half=False):
    """Messages of p2p_rdma: one stage."""
    near = images(tiles, box, cut, periodic)
    sends = ~near.upper if half else np.ones(len(near.me), bool)
    me, other, shift = near.me[sends], near.other[sends], near.shift[sends]
    low, high = near_part(tiles, np.array(cut) / np.array(box), me, other, shift)
    share = np.maximum(high - low, 0.0).prod(axis=1) / np.maximum(volume(tiles)[me], 1e-300)
    return (joined(len(tiles.low), me, other, share),)


def near_part(tiles, reach, me, other, shift):
    """The part of a rank's sub-box that is within the cut-off of an image of another one."""
    return (np.maximum(tiles.low[me], tiles.low[other] + shift - reach),
            np.minimum(tiles.high[me], tiles.high[other] + shift + reach))


def volume(tiles):
    """[ranks] as parts of the box."""
    return (tiles.high - tiles.low).prod(axis=1)


def joined(ranks, me, other, share):
    """Regions between two ranks travel in one message; a rank's own are copied."""
    own = me == other
    copies = np.bincount(me[own], share[own], ranks)
    pairs, which = np.unique(me[~own] * ranks + other[~own], return_inverse=True)
    return Graph(pairs // ranks, pairs % ranks, np.bincount(which.reshape(-1), share[~own], len(pairs)),
                 np.bincount(which.reshape(-1), minlength=len(pairs)), copies)


def staged(tiles, box, cut, periodic):
    """Messages of comm_style tiled: beyond each face, six stages. What a receiver wants beyond an edge of its sub-box,
    ghosts of the dimensions before, comes with the part of the sender's sub-box that ends there."""
    near = images(tiles, box, cut, periodic)
    reach, stages = np.array(cut) / np.array(box), []
    me, other = near.me, near.other
    far_low, far_high = tiles.low[other] + near.shift, tiles.high[other] + near.shift
    inner = np.minimum(tiles.high[me], far_high) - np.maximum(tiles.low[me], far_low)
    ends = ((tiles.low[me] <= far_low + TOLERANCE).astype(int) + (tiles.high[me] >= far_high - TOLERANCE))
    low, high = near_part(tiles, reach, me, other, near.shift)
    for dim in range(3):
        size = np.where(np.arange(3) < dim, inner + ends * reach, inner)
        size[:, dim] = (high - low)[:, dim]
        across = np.delete(inner, dim, axis=1) > TOLERANCE
        for side in (-1, 1):    # the lower part goes to those below, then the upper one to those above
            beyond = (far_high[:, dim] <= tiles.low[me, dim] + TOLERANCE if side < 0
                      else far_low[:, dim] >= tiles.high[me, dim] - TOLERANCE)
            some = beyond & across.all(axis=1) & (size[:, dim] > TOLERANCE)
            share = size[some].prod(axis=1) / np.maximum(volume(tiles)[me[some]], 1e-300)
            stages.append(joined(len(tiles.low), me[some], other[some], share))
    return tuple(stages)
