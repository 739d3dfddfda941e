# SPDX-License-Identifier: GPL-2.0-only
"""Measure kspace_style pppm/offload against pppm of the same program: rhodopsin and water.

Every way to compute a case runs once per round, one after the other, and ratios are taken within rounds, for the
reasons given in bench.py. On each side the way with the smallest median counts.
"""

import statistics

from . import bench, kspace_cases, trial
from .kspace_cases import CASES, OURS, STOCK


def command(options):
    """tools/tofu bench --kspace."""
    names = bench.chosen(options, "--kspace", CASES, cores=kspace_cases.CORES)
    lammps = bench.ready(options)
    result = {"about": bench.about(lammps, options),
              "cases": {name: measure_case(CASES[name](lammps), lammps, options.pairs) for name in names}}
    print_table(result)
    return bench.finish(options, "kspace", result)


def measure_case(case, lammps, rounds):
    """Run one case round by round.

    Returns:
        Sizes, every single run in microseconds a step, and the summary.
    """
    measured = bench.by_rounds(case.name, rounds, {way.name: way for way in case.ways},
                               lambda way: bench.times(run_once(case, way, lammps)))
    return {"atoms": measured[case.ways[0].name][0]["atoms"], "steps": case.steps, "runs": measured,
            "summary": summarize(measured, {way.name: way.side for way in case.ways})}


def run_once(case, way, lammps):
    """Make the measured run of one way."""
    text = case.script.replace("@kspace@", way.kspace).replace("@steps@", str(case.steps))
    return trial.runs_of(lammps, f"kspace.{case.name}.{way.name}", text, way.ranks, way.arguments, way.threads,
                         folder=case.folder)[-1]


def summarize(measured, sides):
    """How many times faster each way is than the fastest stock one, in Kspace and in the whole step.

    Args:
        measured: Runs by way.
        sides: STOCK or OURS by way.
    """
    medians = bench.medians(measured)
    stock, ours = (min((name for name in medians if sides[name] == side), key=medians.get) for side in (STOCK, OURS))
    ways = {}
    for name, runs in measured.items():
        ways[name] = {"side": sides[name]}
        for what, time_of in (("Kspace", lambda one: one["sections"]["Kspace"]), ("step", bench.loop)):
            ways[name][what] = {"time": statistics.median(map(time_of, runs)),
                                **bench.ratios(measured[stock], runs, time_of)}
    return {"stock": stock, "ours": ours, "rounds": len(measured[stock]), "ways": ways}


def print_table(result):
    """Print the summary."""
    print("\nHow many times faster than stock's fastest way (s); the best of pppm/offload is marked (*).")
    print(f"{'case':14} {'way':24}   {'Kspace, us':>10} {'times faster':>13} {'min - max':^13}   {'step, us':>10} "
          f"{'times faster':>13} {'min - max':^13}")
    for name, case in result["cases"].items():
        summary = case["summary"]
        for label, way in summary["ways"].items():
            mark = {summary["stock"]: "s", summary["ours"]: "*"}.get(label, " ")
            columns = [f"{one['time']:10.1f} {one['median']:13.2f} {one['min']:6.2f}-{one['max']:<6.2f}"
                       for one in (way["Kspace"], way["step"])]
            print(f"{name:14} {mark} {label:22}   {columns[0]}   {columns[1]}")
    print()
