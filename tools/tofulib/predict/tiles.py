# SPDX-License-Identifier: GPL-2.0-only
"""Tiled layouts: sub-boxes of recursive bisection, which ranks are near each other, and what they send.

Messages of p2p_rdma are those of the package's own plan (plans.py); those of LAMMPS' comm_style tiled go to all ranks
that overlap what is needed beyond a face, one face after the other.
"""

from typing import NamedTuple

import numpy as np

from . import plans

#: Sub-boxes that are nearer touch, as parts of the box.
TOLERANCE = 1e-9


class Tiles(NamedTuple):
    """Sub-boxes of all ranks as parts of the box."""

    low: np.ndarray     #: [ranks, 3]
    high: np.ndarray


class Images(NamedTuple):
    """Pairs of a rank and an image of another one, or of its own, that is within the cut-off."""

    me: np.ndarray       #: [pairs] sender
    other: np.ndarray    #: receiver
    shift: np.ndarray    #: [pairs, 3] of its image, in box lengths
    volume: np.ndarray   #: [pairs] that is sent, in boxes


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


def images(tiles, box, cut, periodic, half=False):
    """All pairs within the cut-off along each dimension.

    Args:
        tiles: Tiles.
        box: Lengths [3].
        cut: How far ghosts are needed along each dimension [3].
        periodic: Whether each dimension is.
        half: Without images that are upper neighbors of the sender.
    """
    numbers, volumes = plans.tiles(np.concatenate([tiles.low, tiles.high], axis=1).ravel(), box, cut, periodic, half)
    rows = np.array(numbers, np.int64).reshape(-1, 5)
    return Images(rows[:, 0], rows[:, 1], rows[:, 2:], np.array(volumes))


def direct(tiles, box, cut, periodic, half=False):
    """Messages of p2p_rdma: one stage."""
    near = images(tiles, box, cut, periodic, half)
    share = near.volume / np.maximum(volume(tiles)[near.me], 1e-300)
    return (joined(len(tiles.low), near.me, near.other, share),)


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
    """Messages of comm_style tiled: beyond each face, six stages. What a receiver needs beyond an edge of its sub-box,
    ghosts of the dimensions before, comes with the part of the sender's sub-box that ends there."""
    me, other, shift, _ = images(tiles, box, cut, periodic)
    reach, stages = np.array(cut) / np.array(box), []
    far_low, far_high = tiles.low[other] + shift, tiles.high[other] + shift
    inner = np.minimum(tiles.high[me], far_high) - np.maximum(tiles.low[me], far_low)
    ends = ((tiles.low[me] <= far_low + TOLERANCE).astype(int) + (tiles.high[me] >= far_high - TOLERANCE))
    near = np.minimum(tiles.high[me], far_high + reach) - np.maximum(tiles.low[me], far_low - reach)
    for dim in range(3):
        size = np.where(np.arange(3) < dim, inner + ends * reach, inner)
        size[:, dim] = near[:, dim]
        across = np.delete(inner, dim, axis=1) > TOLERANCE
        for side in (-1, 1):    # the lower part goes to those below, then the upper one to those above
            beyond = (far_high[:, dim] <= tiles.low[me, dim] + TOLERANCE if side < 0
                      else far_low[:, dim] >= tiles.high[me, dim] - TOLERANCE)
            some = beyond & across.all(axis=1) & (size[:, dim] > TOLERANCE)
            share = size[some].prod(axis=1) / np.maximum(volume(tiles)[me[some]], 1e-300)
            stages.append(joined(len(tiles.low), me[some], other[some], share))
    return tuple(stages)
