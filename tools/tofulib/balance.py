# SPDX-License-Identifier: GPL-2.0-only
"""Measure fix ring/balance on uneven systems against LAMMPS' own ways of balancing, and against none.

Every way to compute a case runs once per round, one after the other, and ratios are taken within rounds, for the
reasons given in bench.py. Each of LAMMPS' own ways runs with its fastest package: the first round tries all packages,
and keeps the fastest run of each way.
"""

import statistics

from . import balance_cases, bench, trial
from .balance_cases import CASES, OURS, RING_COLUMNS, STOCK, WAYS

#: The way without balancing of each side; the other ways of that side are compared with it.
NONE = {STOCK: "stock none", OURS: "p2p none"}


def command(options):
    """tools/tofu bench --balance."""
    cases = chosen(options.cases)
    bench.refuse(options, "--balance", (*CASES, "words of these names"), balance_cases.CORES, bool(cases))
    lammps = bench.ready(options)
    result = {"about": bench.about(lammps, options),
              "cases": {case.name: measure_case(case, lammps, options.pairs) for case in cases}}
    print_times(result["cases"])
    print()
    return bench.finish(options, "balance", result)


def chosen(names):
    """The requested cases, each given by its name or by words of its name. All cases if none is requested; no case if
    one of the names does not exist."""
    if not names:
        return list(CASES.values())
    found = []
    for name in names.split(","):
        some = [case for case in CASES.values() if set(name.split(".")) <= set(case.name.split("."))]
        if not some:
            return []
        found += [case for case in some if case not in found]
    return found


def measure_case(case, lammps, rounds):
    """Run one case round by round.

    Returns:
        Sizes, every single run in microseconds a step, the package of each way, and the summary.
    """
    packages = {name: list(balance_cases.packages(way)) for name, way in WAYS.items()}

    def fastest(way):
        tried = {package: run_once(case, way, package, lammps) for package in packages[way.name]}
        packages[way.name] = [min(tried, key=lambda package: tried[package]["loop"])]
        return tried[packages[way.name][0]]
    measured = bench.by_rounds(case.name, rounds, WAYS, fastest)
    return {"atoms": case.atoms, "steps": case.steps, "runs": measured,
            "packages": {name: one[0] for name, one in packages.items()}, "summary": summarize(measured)}


def run_once(case, way, package, lammps):
    """Measure one way with one package: times in microseconds a step, and the work of the ranks."""
    text = balance_cases.fill(balance_cases.script_of(case, balance_cases.liquid_data(case, lammps)), way)
    done = trial.runs_of(lammps, f"balance.{case.name}.{way.name}.{package}", text, balance_cases.CORES,
                         balance_cases.packages(way)[package])
    return {**bench.times(done[-1]), **work_of(done[-2:])}


def work_of(runs):
    """Work of the ranks, averaged over the ends of these runs, that is, over the beginning and the end of the measured
    run.

    Returns:
        "imbalance", the largest number of atoms that a rank computes divided by the average, "ghosts", the number of
        ghosts of all ranks, and "ring", the values of fix ring/balance if the run has this fix.
    """
    found = {"imbalance": statistics.mean(one.held["Nlocal"][1] / one.held["Nlocal"][0] for one in runs),
             "ghosts": statistics.mean(one.held["Nghost"][0] * one.ranks for one in runs)}
    last = [dict(zip(one.columns, one.rows[-1])) for one in runs]
    ring = {name: statistics.mean(one[column] for one in last) for name, column in RING_COLUMNS.items()
            if column in last[0]}
    if ring:
        found.update(imbalance=ring["after"], ring=ring)
    return found


def summarize(measured):
    """Times and gains of each way.

    Returns:
        The fastest stock way, and for each way: "time", its median time a step, "imbalance", the largest number of
        computed atoms divided by the average, "gain", how many times faster it is than no balancing on its side,
        "ideal", the gain if the imbalance were all that counts, "part", the gain divided by the ideal, "limit", this
        part if pair forces and lists, and nothing else, were shared evenly at no cost, and "faster", how many times
        faster it is than the fastest stock way.
    """
    medians = bench.medians(measured)
    stock = min((name for name in medians if WAYS[name].side == STOCK), key=medians.get)
    ways = {}
    for name, runs in measured.items():
        none = measured[NONE[WAYS[name].side]]
        ideal = statistics.median(one["imbalance"] for one in none)
        gain = bench.ratios(none, runs)
        ways[name] = {"time": medians[name], "imbalance": statistics.median(one["imbalance"] for one in runs),
                      "gain": gain, "ideal": ideal, "part": gain["median"] / ideal,
                      "limit": statistics.median(gain_of_sharing(one, ideal) for one in none) / ideal,
                      "faster": bench.ratios(measured[stock], runs)}
    return {"stock": stock, "rounds": len(measured[stock]), "ways": ways}


def gain_of_sharing(run_without, ideal):
    """How many times faster a run would be if its pair forces and lists were shared evenly and at no cost, and all else
    stayed the same.

    Args:
        run_without: Times of a run without balancing, on two ranks.
        ideal: Largest number of atoms of a rank divided by the average.
    """
    shared = sum(2 * run_without["sections"][name] - run_without["least"][name]
                 for name in ("Pair", "Neigh"))    # of the rank with the longer time
    return run_without["loop"] / (run_without["loop"] - shared * (1 - 1 / ideal))


def print_times(cases):
    """Print a row for each case and way."""
    print(f"\nGain: times faster than the same side without balancing; ideal: most by average of its atoms. "
          f"{balance_cases.CORES} ranks. "
          f"(s): the fastest stock way.\nLimit, of ideal: if pair forces and lists alone were shared evenly and at no "
          f"cost.")
    print(f"{'case':16} {'way':12} {'package':10}   {'us a step':>10} {'max/avg':>8}   {'gain':>5} {'min - max':^13} "
          f"{'of ideal':>8} {'limit':>6}   {'times faster than (s)':^20}   {'extra ghosts':>12} {'bytes a step':>12}")
    for name, case in cases.items():
        summary = case["summary"]
        for label, way in summary["ways"].items():
            ring = case["runs"][label][-1].get("ring")
            extra = f"   {ring['extra ghosts']:12.0f} {ring['extra bytes']:12.0f}" if ring else ""
            mark = "s" if label == summary["stock"] else " "
            print(f"{name:16} {mark} {label:10} {case['packages'][label]:10}   {way['time']:10.1f} "
                  f"{way['imbalance']:8.3f}   {spread(way['gain'])} {way['part']:8.2f} {way['limit']:6.2f}   "
                  f"{spread(way['faster'])}{extra}".rstrip())


def spread(ratio):
    """Median and range of a ratio."""
    return f"{ratio['median']:5.2f} {ratio['min']:6.2f}-{ratio['max']:<6.2f}"
