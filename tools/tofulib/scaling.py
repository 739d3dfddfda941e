# SPDX-License-Identifier: GPL-2.0-only
"""Measure how LAMMPS' own packages and the suffix /threadpool scale from one core to all, as ranks x threads.

Strong scaling has the same atoms on all numbers of cores, weak scaling the same atoms of a core. One short run of each
configuration chooses the two fastest of each side on each number of cores. These run in rounds, all numbers of cores
one after the other, and efficiencies and ratios are taken within rounds, for the reasons given in bench.py.
"""

import math
import tempfile
from pathlib import Path

from . import bench, cache, configuration, mpi, program, shell, threads
from .configuration import OURS, STOCK
from .predict import command as predict

STRONG, WEAK = "strong", "weak"
#: The box of in.chute has walls, and grows along two axes only.
CASES = {name: case for name, case in threads.CASES.items()
         if isinstance(case, bench.Case) and case.script != "in.chute"}
DEFAULT = ("lj4000", "lj32000", "eam32000", "rhodo", "chain")
#: Inputs with a box of fixed size: LAMMPS has others that copy it.
FIXED = ("in.rhodo", "in.chain")
#: Part of the steps of the runs that choose, and how many they choose of each side.
QUICK, CHOSEN = 0.25, 2
#: Steps of an input that predict runs: its time limit ends them.
ENDLESS = 10**7


def command(options):
    """tools/tofu bench --scaling."""
    counts = predict.numbers(options.cores, "--cores") if options.cores else core_counts(mpi.cores()[0])
    names = bench.chosen(options, "--scaling", CASES, DEFAULT, cores=counts[-1])
    lammps = bench.ready(options)
    data = options.json or Path("tofu-scaling.json")
    result = {"about": {**bench.about(lammps, options), "ranks": counts[-1]},
              "cases": {name: {} for name in names}}
    for number, name in enumerate(names):
        for mode in (STRONG, WEAK):
            result["cases"][name][mode] = measure_case(name, mode, lammps, counts, options.pairs,
                                                       f"{name} ({number + 1} of {len(names)}), {mode}")
            cache.write_json(data, result)    # a bench that is interrupted keeps what it has
        add_prediction(name, lammps, result["cases"][name][STRONG]["rows"])
    text = table(result["cases"])
    print(f"\nA step on {', '.join(map(str, counts))} cores, ranks x threads; efficiency relative to {counts[0]}:\n\n"
          f"{text}\n")
    bench.print_disturbed([found for modes in result["cases"].values() for found in modes.values()])
    return bench.finish(options, "scaling", result, "plot_scaling", text)


def core_counts(most):
    """Numbers of cores that are measured: powers of two, and all."""
    return sorted({*(2**power for power in range(most.bit_length())), most})


def copies(number):
    """So many copies of a box as a block that is as even as it can be."""
    return min(((a, b, number // (a * b)) for a in range(1, number + 1) for b in range(a, number // a + 1)
                if number % (a * b) == 0), key=sum)


def sized(case, mode, cores, part=1.0):
    """A case for a number of cores, with steps that take about as long on any.

    Args:
        case: A bench.Case.
        mode: STRONG or WEAK.
        cores: Number of cores.
        part: Of the steps.
    """
    steps = part * case.steps / threads.CORES
    if mode == STRONG:
        return case._replace(steps=math.ceil(steps * cores))
    script = f"{case.script}.scaled" if case.script in FIXED else case.script
    return case._replace(script=script, copies=copies(cores), steps=math.ceil(steps))


def measure_case(name, mode, lammps, counts, rounds, title):
    """Run one case round by round on all numbers of cores.

    Returns:
        Every single run in microseconds a step, and the rows of the table.
    """
    ways = threads.by_name([one for cores in counts for one in threads.both_sides(configuration.splits(cores))])

    def run(one, part=1.0):
        cores = one.ranks * one.threads
        return {"cores": cores, **bench.run(f"scaling.{name}", sized(CASES[name], mode, cores, part), lammps,
                                            one.ranks, one.arguments, one.threads)}

    def attempt(one):
        try:
            return run(one, QUICK)
        except shell.Failure as failure:
            shell.say(f"{name}, {mode}: {one.name} is left out: {failure}")
            return None

    quick = bench.by_rounds(f"{title}, choosing", 1, ways, attempt)
    best = fastest({way: found[0] for way, found in quick.items() if found[0]}, ways)
    measured = bench.by_rounds(title, rounds, best, run)
    return {"runs": measured, "rows": rows(measured, ways)}


def fastest(quick, ways):
    """The configurations that take part in the rounds: the fastest of each side on each number of cores.

    Raises:
        shell.Failure: A side has none on some number of cores.
    """
    ranking = {(one.ranks * one.threads, one.side): [] for one in ways.values()}
    for way in sorted(quick, key=lambda way: bench.loop(quick[way])):
        ranking[quick[way]["cores"], ways[way].side].append(way)
    for (cores, side), found in ranking.items():
        if not found:
            raise shell.Failure(f"nothing of {side} has run on {cores} cores; --cores leaves numbers of cores out")
    return {way: ways[way] for found in ranking.values() for way in found[:CHOSEN]}


def rows(measured, ways):
    """For each number of cores the configuration of each side with the smallest median: its times, its efficiency
    relative to that of the fewest cores, and how many times faster TOFU is."""
    medians, best, found = bench.medians(measured), {}, []
    for way in sorted(measured, key=medians.get):
        best.setdefault((measured[way][0]["cores"], ways[way].side), way)
    counts = sorted({cores for cores, _ in best})
    for cores in counts:
        stock, ours = (measured[best[cores, side]] for side in (STOCK, OURS))
        found.append({"cores": cores, "atoms": ours[0]["atoms"], "speedup": bench.ratios(stock, ours), **{
            side: {"way": best[cores, side], "time": bench.ratio_range(list(map(bench.loop, runs))),
                   "efficiency": bench.ratios(measured[best[counts[0], side]], runs, core_time)}
            for side, runs in ((STOCK, stock), (OURS, ours))}})
    return found


def core_time(one):
    """Time of a core for the step of an atom [us]."""
    return one["loop"] * one["cores"] / one["atoms"]


def add_prediction(name, lammps, found):
    """Add to rows of strong scaling what predict expects of short runs on one core, for ranks of one thread."""
    case, source = CASES[name], lammps.source.path / "bench"
    text = bench.changed_input(lammps, f"bench/{case.script}", (bench.RUN, f"run {ENDLESS}"))
    with tempfile.TemporaryDirectory(prefix="tofu-scaling-", dir=cache.folder("bench")) as folder:
        script = Path(folder) / case.script
        script.write_text(text, encoding="utf-8")
        for path in source.iterdir():
            if path.name in text:
                script.with_name(path.name).symlink_to(path)
        try:
            steps = predict.steps_here(program.built(lammps), script, case.variables, [row["cores"] for row in found])
        except shell.Failure as failure:
            shell.say(f"{name}: no prediction: {failure}")
            return
    for row in found:
        row["predicted"] = steps.get(row["cores"], {})


def table(cases):
    """All rows as a table in Markdown."""
    lines = ["| case | scaling | cores | atoms | LAMMPS' fastest, us a step | efficiency | TOFU, us a step | "
             "efficiency | times faster | predicted: LAMMPS, TOFU |", f"|{'---|' * 10}"]
    for name, modes in cases.items():
        for mode, found in modes.items():
            for row in found["rows"]:
                sides = " | ".join(
                    f"{row[side]['time']['median']:,.1f} ({row[side]['way'].removeprefix('threadpool ')}) | "
                    f"{100 * row[side]['efficiency']['median']:.0f} %" for side in (STOCK, OURS))
                expected = ", ".join(f"{row['predicted'][side]:,.1f}" for side in (STOCK, OURS)
                                     if row.get("predicted"))
                lines.append(f"| {name} | {mode} | {row['cores']} | {row['atoms']:,} | {sides} | "
                             f"{bench.in_words(row['speedup'])} | {expected} |")
    return "\n".join(lines)
