# SPDX-License-Identifier: GPL-2.0-only
"""What each rank has of a plan: arrays over ranks, or one number where all ranks are alike."""

import numpy as np


def of_swaps(plan, numbers):
    """Atoms of swaps, as a multiple of those of the sender's sub-box: a number or [ranks]."""
    if plan.geometry.alike:
        return sum(plan.swaps[i].atoms for i in numbers)
    found = np.zeros(plan.geometry.ranks)
    for i in numbers:
        found += product([[share or 0.0 for share in shares] for shares in plan.swaps[i].along])
    return found


def sends(plan, numbers):
    """Whether a rank has any of the swaps to send: True or [ranks]."""
    if plan.geometry.alike and len(numbers):
        return True
    found = np.zeros(plan.geometry.ranks, bool)
    for i in numbers:
        found |= product([[share is not None for share in shares] for shares in plan.swaps[i].along])
    return found


def product(along):
    """Products of values by place along each dimension, over ranks that are numbered along z first."""
    x, y, z = map(np.array, along)
    return (x[:, None, None] * y[None, :, None] * z[None, None, :]).ravel()


def messages(plan):
    """Messages of the rank with the most."""
    if plan.geometry.alike:
        return plan.messages
    count = sum(sends(plan, message.swaps).astype(int) for stage in plan.stages for message in stage.messages)
    return int(np.max(count))


def ghosts(network, plan, atoms):
    """Ghosts of each rank.

    Args:
        network: A Network.
        plan: A halo.Plan.
        atoms: [ranks] of each rank.
    """
    if plan.geometry.alike:
        return plan.ghosts * float(atoms.mean())
    found = np.zeros(network.ranks)
    for stage in plan.stages:
        found += of_swaps(plan, stage.own) * atoms
        for message in stage.messages:
            found += (of_swaps(plan, message.swaps) * atoms)[network.ways(message.shift).sender]
    return found
