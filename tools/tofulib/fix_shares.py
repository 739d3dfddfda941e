# SPDX-License-Identifier: GPL-2.0-only
"""Measure what fixes and computes take of the processor time of a step whose pair styles have the suffix /threadpool.

Other programs on the machine change wall times, and a run on one rank has processor time of its own. Linux' perf takes
a sample of it each millisecond. The share of a fix are the samples in functions that do its work, divided by the
processor time of the loop over steps. Beside it stands the processor time of a step divided by that of the same system
without the fix, run in turns with it: what a fix makes others do (stresses by atom in pair styles) shows there alone.
"""

import re
import shutil
import statistics

from . import bench, cache, fix_cases, shell, trial
from .configuration import P2P, Configuration

SAMPLES = 1000    #: per second
VARIANT = Configuration("threadpool", 1, 1, P2P).arguments


def command(options):
    """tools/tofu bench --fixes."""
    names = bench.chosen(options, "--fixes", fix_cases.CASES)
    if not shutil.which("perf"):
        raise shell.Failure("bench --fixes takes samples with Linux' perf, which is not in PATH (Debian: linux-perf)")
    lammps = bench.ready(options)
    cases = measure(names, lammps, options.pairs)
    text = table(cases)
    print(f"\nProcessor time of one rank with the suffix:\n\n{text}\n")
    return bench.finish(options, "fixes", {"about": bench.about(lammps, options), "cases": cases}, table=text)


def measure(names, lammps, rounds):
    """Runs of all cases, round by round, with those of their systems without what is measured.

    Returns:
        Summary and every single run by case.
    """
    show = shell.Progress(".")
    measured = {name: [] for name in names}
    for number in range(rounds):
        without = {}
        for name in names:
            show.line(f"bench {name}: round {number + 1} of {rounds}")
            system = fix_cases.CASES[name].system
            if system not in without:
                without[system] = run_once(name, lammps, True)["step"]
            measured[name].append({**run_once(name, lammps), "without": without[system]})
    show.finish()
    return {name: {"summary": summarize(runs), "runs": runs} for name, runs in measured.items()}


def run_once(name, lammps, base=False):
    """One run under perf.

    Returns:
        "share" of a step, processor time of a "step" [us], and the "top" functions with their share.
    """
    folder = cache.folder("bench")
    script, logfile, data = (folder / f"{one}.fixes" for one in ("in", "log", "perf"))
    script.write_text(fix_cases.script(name, lammps, base), encoding="utf-8")
    runs = trial.runs_of(lammps, script, logfile, 1, VARIANT, folder=lammps.source.path / "bench", front=(
        "perf", "record", "-q", "-e", "cpu-clock:u", "-F", str(SAMPLES), "-o", data, "--"))
    run = runs[-1]
    found = samples(shell.capture(["perf", "report", "-i", data, "--stdio", "-q", "--comm", lammps.lmp.name,
                                   "-F", "sample,sym"]))
    seconds = sum(one.seconds * one.cpu_use / 100.0 for one in runs)
    shares = {symbol: count / SAMPLES / seconds for symbol, count in found.items()
              if re.search(fix_cases.CASES[name].symbols, symbol)}
    top = dict(sorted(shares.items(), key=lambda one: -one[1])[:6])
    return {"share": sum(shares.values()), "step": run.seconds * run.cpu_use / 100.0 / run.steps * 1e6, "top": top}


def samples(report):
    """Samples by function, of a report of perf."""
    found = {}
    for count, symbol in re.findall(r"^\s*(\d+)\s+\[\S\]\s+(.*?)\s*$", report, re.MULTILINE):
        found[symbol] = found.get(symbol, 0) + int(count)
    return found


def summarize(runs):
    """Median and range over the rounds."""
    return {"share": bench.ratio_range([one["share"] for one in runs]),
            "step": bench.ratio_range([one["step"] / one["without"] for one in runs]),
            "us": statistics.median(one["step"] for one in runs)}


def table(cases):
    """The summary as a table in Markdown."""
    lines = ["| fix or compute | step | its functions, of the step | step, relative to without |", "|---|---|---|---|"]
    for name, case in cases.items():
        one = case["summary"]
        lines.append(f"| {name} | {one['us']:.0f} us | {percent(one['share'])} | {bench.in_words(one['step'], 3)} |")
    return "\n".join(lines)


def percent(found):
    """Median and range as text."""
    return " ".join((f"{100 * found['median']:.1f} %", f"({100 * found['min']:.1f}-{100 * found['max']:.1f})"))
