# SPDX-License-Identifier: GPL-2.0-only
"""Measure kspace_style pppm/offload against pppm of the same program: its transforms alone, rhodopsin, and water.

Every way to compute a case runs once per round, one after the other, and ratios are taken within rounds, for the
reasons given in bench.py. On each side the way with the smallest median counts.
"""

import statistics

from . import bench, cache, kspace_cases, trial
from .kspace_cases import OURS, STOCK

#: Names of the cases; a name without its last part selects all cases that begin with it.
CASES = (*kspace_cases.fft_cases(), "rhodo", *(f"water{molecules}" for molecules in kspace_cases.WATER_STEPS))
GROUPS = ("fft", "water")


def command(options):
    """tools/tofu bench --kspace."""
    names = chosen(options.cases)
    bench.refuse(options, "--kspace", (*GROUPS, *CASES), kspace_cases.CORES, bool(names))
    lammps = bench.ready(options)
    result = {"about": bench.about(lammps, options),
              "cases": {name: measure_case(make_case(name, lammps), lammps, options.pairs) for name in names}}
    print_table(result)
    return bench.finish(options, "kspace", result)


def chosen(names):
    """The requested cases. All cases if none is requested; no case if one of the names does not exist."""
    if not names:
        return list(CASES)
    found = []
    for name in names.split(","):
        some = [case for case in CASES if case == name or (name in GROUPS and case.startswith(name))]
        if not some:
            return []
        found += [case for case in some if case not in found]
    return found


def make_case(name, lammps):
    """Make the case of that name; a case of water makes its data file now."""
    if name == "rhodo":
        return kspace_cases.rhodo_case(lammps)
    if name.startswith("water"):
        return kspace_cases.water_case(int(name[len("water"):]), lammps)
    return kspace_cases.fft_cases()[name]


def measure_case(case, lammps, rounds):
    """Run one case round by round.

    Returns:
        Sizes, every single run in microseconds a step, and the summary.
    """
    measured = bench.by_rounds(case.name, rounds, {way.name: way for way in case.ways},
                               lambda way: bench.times(run_once(case, way, lammps)))
    sides = {way.name: way.side for way in case.ways}
    atoms = measured[case.ways[0].name][0]["atoms"]
    return {"atoms": atoms, "steps": case.steps, "quantity": case.quantity, "runs": measured,
            "summary": summarize(measured, sides, case.quantity)}


def run_once(case, way, lammps):
    """Make the measured run of one way."""
    folder = cache.folder("bench")
    label = f"kspace.{case.name}.{way.name.replace(' ', '.').replace(',', '')}"
    script, logfile = folder / f"in.{label}", folder / f"log.{label}"
    script.write_text(case.script.replace("@kspace@", way.kspace).replace("@steps@", str(case.steps)), encoding="utf-8")
    return trial.runs_of(lammps, script, logfile, way.ranks, way.arguments, way.threads, folder=case.folder)[-1]


def time_of(one, quantity):
    """Microseconds a step: of the whole step, or of a section."""
    return one["loop"] if quantity == "step" else one["sections"][quantity]


def summarize(measured, sides, quantity):
    """How many times faster each way is than the fastest stock one, in Kspace and in the whole step.

    Args:
        measured: Runs by way.
        sides: STOCK or OURS by way.
        quantity: Quantity that decides which way of a side is the fastest: "step" or a section.
    """
    medians = {name: statistics.median(time_of(one, quantity) for one in runs) for name, runs in measured.items()}
    stock, ours = (min((name for name in medians if sides[name] == side), key=medians.get) for side in (STOCK, OURS))
    ways = {}
    for name, runs in measured.items():
        ways[name] = {"side": sides[name]}
        for what in ("Kspace", "step"):
            pairs = [(time_of(one, what), time_of(other, what)) for one, other in zip(measured[stock], runs)]
            ways[name][what] = {"time": statistics.median(other for _, other in pairs),
                                **bench.ratio_range([one / other for one, other in pairs])}
    return {"stock": stock, "ours": ours, "rounds": len(measured[stock]), "ways": ways}


def print_table(result):
    """Print the summary."""
    print("\nHow many times faster than stock's fastest way (s); the best of pppm/offload is marked (*). Case fftNxR: "
          "N^3 points on each of R ranks, "
          "fftNwholexR: N^3 on all.")
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
