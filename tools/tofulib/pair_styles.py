# SPDX-License-Identifier: GPL-2.0-only
"""Measure each pair style with the suffix /threadpool against the fastest of LAMMPS' own variants of the style.

All have the same system (pair_cases.py), on two ranks of one thread. Variants run one after the other, round by round,
for the reasons given in bench.py; ratios are taken within rounds. Long-range solvers are set up, since pair styles need
their parameters, and do not compute.
"""

import statistics
from pathlib import Path

from . import bench, build, cache, log, mpi, pair_cases, program, shell, trial

RANKS = bench.RANKS
CELLS = 12
STEPS = 150
SOLVER = ("kspace_style ewald 1e-4", "kspace_modify compute no")

#: Arguments of LAMMPS by suffix.
VARIANTS = {
    "none": (),
    "opt": ("-sf", "opt"),
    "omp": ("-pk", "omp", "1", "-sf", "omp"),
    "intel": ("-pk", "intel", "0", "omp", "1", "mode", "double", "-sf", "intel"),
    "threadpool": ("-pk", "threadpool", "1", "comm", "p2p/rdma", "-sf", "threadpool"),
}
OURS = "threadpool"


def command(options):
    """tools/tofu bench --styles."""
    lammps = build.build(options.lammps_version, options.lammps, options.mpi, options.portable,
                         packages=options.packages)
    present = program.pair_styles(lammps.lmp)
    names = (options.cases or ",".join(name for name in pair_cases.CASES if measurable(name, present))).split(",")
    check_request(names, options.pairs, present)
    cases = {name: measure_case(name, lammps, options.pairs, present) for name in names}
    text = table(cases)
    print(f"\nPair section and step of the fastest of {', '.join(one for one in VARIANTS if one != OURS)}, divided by "
          f"those of the suffix, on {RANKS} ranks:\n\n{text}\n")
    data = options.json or Path("tofu-styles.json")
    cache.write_json(data, {"about": bench.about(lammps, options), "cases": cases})
    data.with_suffix(".md").write_text(text + "\n", encoding="utf-8")
    print(f"Raw data: {data}   Table: {data.with_suffix('.md')}")
    return 0


def measurable(name, present):
    """Whether a program with these pair styles has the style of a case with the suffix."""
    return f"{pair_cases.pair_style(name)}/{OURS}" in present


def check_request(names, pairs, present):
    """Refuse cases that do not exist, or that this LAMMPS does not have, and too few rounds."""
    if pairs < 1 or any(name not in pair_cases.CASES for name in names):
        raise shell.Failure(f"got --cases {','.join(names)} --pairs {pairs}; with --styles the cases are "
                            f"{', '.join(pair_cases.CASES)}, and at least one round is needed")
    absent = sorted({pair_cases.CASES[name].package for name in names if not measurable(name, present)})
    if absent:
        raise shell.Failure(f"this LAMMPS has not all of {', '.join(names)}: build it with "
                            f"--packages {','.join(absent)}")


def measure_case(name, lammps, rounds, present):
    """Run a style round by round.

    Returns:
        Every single run by variant, and the summary.
    """
    folder = cache.folder("bench")
    pair_cases.write_table(folder)
    style = pair_cases.pair_style(name)
    variants = [one for one in VARIANTS if one == "none" or f"{style}/{one}" in present]
    show = shell.Progress(".")
    measured = {one: [] for one in variants}
    for number in range(rounds):
        for one in variants:
            show.line(f"bench {name}: round {number + 1} of {rounds}, {one}")
            measured[one].append(run_once(name, lammps, one, folder))
    show.finish()
    return {"runs": measured, "summary": summarise(measured)}


def run_once(name, lammps, variant, folder):
    """Make the measured run of one variant."""
    solver = SOLVER if variant == "none" else ("suffix off", *SOLVER, "suffix on")
    file_name = name.replace("/", "_").replace(" ", "_")
    script, logfile = folder / f"in.{file_name}.{variant}", folder / f"log.{file_name}.{variant}"
    script.write_text(pair_cases.script(name, CELLS, solver) + f"run {STEPS // 10}\nrun {STEPS}\n", encoding="utf-8")
    line = [*mpi.launch(lammps.mpi, RANKS), str(lammps.lmp), *VARIANTS[variant], "-in", script, "-log", logfile,
            "-screen", "none"]
    trial.run_checked(line, logfile, trial.environment(lammps, 1), cwd=folder)
    return bench.times(log.read(logfile)[-1])


def summarise(measured):
    """The fastest stock variant by its Pair section, and how many times faster the suffix is within rounds."""
    def pair(one):
        return one["sections"]["Pair"]

    medians = {name: statistics.median(map(pair, runs)) for name, runs in measured.items()}
    stock = min((name for name in medians if name != OURS), key=medians.get)
    rounds = list(zip(measured[stock], measured[OURS]))
    return {"medians": medians, "stock": stock, "rounds": len(rounds),
            "pair": bench.ratio_range([pair(one) / pair(other) for one, other in rounds]),
            "step": bench.ratio_range([one["loop"] / other["loop"] for one, other in rounds])}


def table(cases):
    """The summary as a table in Markdown."""
    lines = ["| style | fastest stock | its pairs | suffix | pairs, times faster | step, times faster |",
             "|---|---|---|---|---|---|"]
    for name, case in cases.items():
        summary = case["summary"]
        medians = summary["medians"]
        lines.append(f"| {name} | {summary['stock']} | {medians[summary['stock']]:.0f} us | {medians[OURS]:.0f} us | "
                     f"{ratio(summary['pair'])} | {ratio(summary['step'])} |")
    return "\n".join(lines)


def ratio(found):
    """Median and range as text."""
    return f"{found['median']:.2f} ({found['min']:.2f}-{found['max']:.2f})"
