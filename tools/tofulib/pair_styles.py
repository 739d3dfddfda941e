# SPDX-License-Identifier: GPL-2.0-only
"""Measure each pair style with the suffix /threadpool against the fastest of LAMMPS' own variants of the style.

All have the same system (pair_cases.py), on two ranks of one thread. Variants run one after the other, round by round,
for the reasons given in bench.py; ratios are taken within rounds. Long-range solvers are set up, since pair styles need
their parameters, and do not compute.
"""

from . import bench, cache, pair_cases, program, shell, trial
from .configuration import P2P, Configuration

RANKS = bench.RANKS
CELLS = 12
STEPS = 150
SOLVER = ("kspace_style ewald 1e-4", "kspace_modify compute no")

#: Arguments of LAMMPS by suffix.
OURS = "threadpool"
VARIANTS = {suffix or "none": Configuration(suffix, RANKS, 1, P2P if suffix == OURS else ()).arguments
            for suffix in ("", "opt", "omp", "intel", OURS)}


def command(options):
    """tools/tofu bench --styles."""
    lammps = bench.ready(options, packages=options.packages)
    present = program.pair_styles(lammps.lmp)
    names = bench.chosen(options, "--styles", pair_cases.CASES,
                         [name for name in pair_cases.CASES if measurable(name, present)])
    check_request(names, present)
    cases = {name: measure_case(name, lammps, options.pairs, present) for name in names}
    text = table(cases)
    print(f"\nPair section and step of the fastest of {', '.join(one for one in VARIANTS if one != OURS)}, divided by "
          f"those of the suffix, on {RANKS} ranks:\n\n{text}\n")
    return bench.finish(options, "styles", {"about": bench.about(lammps, options), "cases": cases}, table=text)


def measurable(name, present):
    """Whether a program with these pair styles has the style of a case with the suffix."""
    return f"{pair_cases.pair_style(name)}/{OURS}" in present


def check_request(names, present):
    """Refuse cases that this LAMMPS does not have."""
    absent = sorted({pair_cases.CASES[name].package for name in names if not measurable(name, present)})
    if absent:
        raise shell.Failure(f"this LAMMPS has not all of {', '.join(names)}: build it with "
                            f"--packages {','.join(absent)}")


def measure_case(name, lammps, rounds, present):
    """Run a style round by round.

    Returns:
        Every single run by variant, and the summary.
    """
    pair_cases.write_table(cache.folder("bench"))
    style = pair_cases.pair_style(name)
    measured = bench.by_rounds(
        name, rounds, {one: one for one in VARIANTS if one == "none" or f"{style}/{one}" in present},
        lambda one: run_once(name, lammps, one))
    return {"runs": measured, "summary": summarize(measured)}


def run_once(name, lammps, variant):
    """Make the measured run of one variant."""
    solver = SOLVER if variant == "none" else ("suffix off", *SOLVER, "suffix on")
    text = pair_cases.script(name, CELLS, solver) + f"run {STEPS // 10}\nrun {STEPS}\n"
    return bench.times(trial.runs_of(lammps, f"{name}.{variant}", text, RANKS, VARIANTS[variant])[-1])


def summarize(measured):
    """The fastest stock variant by its Pair section, and how many times faster the suffix is within rounds."""
    def pair(one):
        return one["sections"]["Pair"]

    medians = bench.medians(measured, pair)
    stock = min((name for name in medians if name != OURS), key=medians.get)
    return {"medians": medians, "stock": stock, "rounds": len(measured[stock]),
            "pair": bench.ratios(measured[stock], measured[OURS], pair),
            "step": bench.ratios(measured[stock], measured[OURS])}


def table(cases):
    """The summary as a table in Markdown."""
    lines = ["| style | fastest stock | its pairs | suffix | pairs, times faster | step, times faster |",
             "|---|---|---|---|---|---|"]
    for name, case in cases.items():
        summary = case["summary"]
        medians = summary["medians"]
        lines.append(f"| {name} | {summary['stock']} | {medians[summary['stock']]:.0f} us | {medians[OURS]:.0f} us | "
                     f"{bench.in_words(summary['pair'])} | {bench.in_words(summary['step'])} |")
    return "\n".join(lines)
