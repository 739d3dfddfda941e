# SPDX-License-Identifier: GPL-2.0-only
"""Write one exchange of ghosts as a schedule in GOAL, the language of LogGOPSim.

Each rank packs and sends its messages one after the other, then receives those of its peers, both in the order of the
peers' numbers as the program does; a stage begins when all of the stage before is done. LogGOPSim adds its own
overheads, latency and gaps.
"""

import math


def write(path, plan, atoms, nbytes, pack, start=None, by_rank=True):
    """Write the exchange from owners to ghosts.

    Args:
        path: File to write.
        plan: A halo.Plan.
        atoms: [ranks] of each rank; ranks are numbered along z first.
        nbytes: Per atom.
        pack: Time to pack an atom [us].
        start: [ranks] when each rank begins [us]; None: all at once.
        by_rank: Peers in the order of their numbers; False: in the order of the plan, as in exchange.py.
    """
    geometry = plan.geometry
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"num_ranks {geometry.ranks}\n")
        for rank in range(geometry.ranks):
            lines = list(lines_of(plan, atoms, nbytes, pack, rank, 0.0 if start is None else start[rank], by_rank))
            file.write("\n".join([f"rank {rank} {{", *lines, "}", ""]))


def lines_of(plan, atoms, nbytes, pack, rank, start, by_rank):
    """Lines of one rank."""
    number, before = 1, ["l1"]
    yield f"l1: calc {round(1000 * start)}"
    for stage_number, stage in enumerate(plan.stages):
        done, last = [], before
        for tag, share, to in peers(plan, stage, rank, 1, by_rank):
            tag += 1000 * stage_number
            sent = share * atoms[rank]
            yield f"l{number + 1}: calc {round(1000 * pack * sent)}"
            yield f"l{number + 2}: send {max(1, round(nbytes * sent))}b to {to} tag {tag}"
            yield from (f"l{number + 1} requires {label}" for label in last)
            yield f"l{number + 2} requires l{number + 1}"
            last = [f"l{number + 2}"]
            number += 2
        for tag, share, source in peers(plan, stage, rank, -1, by_rank):
            tag += 1000 * stage_number
            number += 1
            yield f"l{number}: recv {max(1, round(nbytes * share * atoms[source]))}b from {source} tag {tag}"
            yield from (f"l{number} requires {label}" for label in last)
            last = done = [f"l{number}"]
        before = done or before


def peers(plan, stage, rank, sign, by_rank):
    """Messages of a rank in a stage: number, size as a multiple of the sender's atoms, the other rank."""
    found = []
    for tag, message in enumerate(stage.messages):
        other = at(plan.geometry, rank, message.shift, sign)
        share = share_at(plan, message, place_of(plan.geometry, rank if sign > 0 else other))
        if share is not None:
            found.append((tag, share, other))
    return sorted(found, key=lambda one: one[2]) if by_rank else found


def share_at(plan, message, place):
    """Size of the message of the rank at a place, as a multiple of its atoms; None if it sends none."""
    if plan.geometry.alike:
        return plan.atoms(message)
    found = [[shares[at] for shares, at in zip(plan.swaps[i].along, place)] for i in message.swaps]
    there = [math.prod(shares) for shares in found if None not in shares]
    return sum(there) if there else None


def place_of(geometry, rank):
    """Place of a rank in the grid."""
    grid = geometry.grid
    return rank // (grid[1] * grid[2]), rank // grid[2] % grid[1], rank % grid[2]


def at(geometry, rank, shift, sign):
    """The rank at a shift."""
    grid = geometry.grid
    x, y, z = ((p + sign * s) % n for p, s, n in zip(place_of(geometry, rank), shift, grid))
    return (x * grid[1] + y) * grid[2] + z
