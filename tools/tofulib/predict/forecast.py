# SPDX-License-Identifier: GPL-2.0-only
"""All settings on all numbers of nodes."""

import math

from .. import cache
from . import figures, paper, workload
from .positions import Positions
from .step import Setting, Steps
from .tiled_step import TiledSteps

#: Beyond so many swaps p2p_rdma takes three stages (src/TOFU/halo/pattern_cost.cpp).
MOST_SWAPS = 500


def settings(load, ranks, threads, senders, rings=(), endpoints=()):
    """All ways to run that are compared.

    Args:
        load: A Workload.
        ranks: Per node.
        threads: Of each rank.
        senders: Numbers of threads of a rank that send and receive.
        rings: Levels of fix ring_balance; settings with them come beside those without.
        endpoints: Numbers of endpoints of a rank, likewise.
    """
    tiled = load.balance == workload.RCB
    found = [Setting(comm, False, ranks, threads, 1) for comm in ("brick", "suffix", *(() if tiled else ("3stage",)))]
    if load.mesh and load.mesh.get("offload", True) and threads > 1:
        found += [Setting("p2p", half, ranks, threads, 1, True) for half in ([True] if load.half else []) + [False]]
    for number in senders:
        found += [Setting("p2p", half, ranks, threads, number) for half in ([True] if load.half else []) + [False]]
    found += [one._replace(endpoints=number) for number in endpoints for one in found
              if one.comm == "p2p" and number > one.senders]
    return found + [one._replace(ring=level) for level in rings for one in found if one.comm == "p2p" and not tiled]


def forecast(load, machine, nodes, ranks_per_node, threads, senders, steps, seed, positions=None, ring=None,
             endpoints=()):
    """Predict all settings.

    Args:
        ring: Steps between decisions of fix ring_balance, which is then among the settings; None: it is not.
        endpoints: Numbers of endpoints of a rank to try beside one for each thread that sends.

    Returns:
        A list with, for each number of nodes, its results by setting; settings that make no sense have a reason.
    """
    positions = Positions(positions) if positions else None
    table = []
    for number in nodes:
        results, reasons = [], []
        for ranks in ranks_per_node:
            if number * ranks > load.atoms:
                reasons.append(f"{number * ranks:,} ranks for {load.atoms:,} atoms")
                continue
            for setting in settings(load, ranks, threads, senders, ("rank", "node") if ring else (), endpoints):
                kind = TiledSteps if positions and load.balance == workload.RCB else Steps
                steps_of = kind(load, machine, number, setting, seed, positions, ring or 1)
                if setting.comm == "p2p" and math.prod(2 * n + 1 for n in steps_of.geometry.reach) > MOST_SWAPS + 1:
                    continue
                results.append({**setting._asdict(), **steps_of.run(steps)._asdict(), "name": steps_of.name})
        table.append({"nodes": number, "results": results, "reasons": reasons, **best_of(results, load)})
    return table


def best_of(results, load):
    """The best of each side, and what follows from them."""
    if not results:
        return {}
    def fastest(*comms):
        return min((one for one in results if one["comm"] in comms), key=lambda one: one["step"], default=None)

    def gain(slow, fast):
        return slow["step"] / fast["step"] if slow and fast else None

    stock, ours = fastest("brick"), fastest("suffix", "3stage", "p2p")
    return {"stock": results.index(stock), "best": results.index(ours), "speed-up": stock["step"] / ours["step"],
            "of it the exchange": gain(fastest("suffix"), fastest("3stage", "p2p")),
            "per day": {"unit": load.unit, "stock": load.seconds_per_day(stock["step"]),
                        "tofu": load.seconds_per_day(ours["step"])}, "limit": limit(ours)}


def limit(one):
    """One sentence about what limits the best setting."""
    name = max(one["parts"], key=lambda part: one["parts"][part])
    share = 100.0 * one["parts"][name] / one["step"]
    words = f"{share:.0f} % of the step: {name}"
    if min(one["sides"]) < 1.0:
        words += f"; sub-boxes are thinner than the cut-off ({min(one['sides']):.2f} of it)"
    return words + "."


def answer(job, path):
    """Carry out a job, and write its forecasts."""
    machine = figures.from_words(job["machine"])
    if job["system"]:
        loads = [(paper.system(name, machine, nodes=paper.NODES[paper.STRONG]), None) for name in job["system"]]
    else:
        loads = [(workload.from_words(job["load"]), job["positions"])]
    found = [{"load": workload.as_words(load), "table": forecast(
        load, machine, job["nodes"], job["ranks_per_node"], job["threads"], job["senders"], job["steps"], job["seed"],
        positions, job["ring"], job["endpoints"])} for load, positions in loads]
    cache.write_json(path, found)
