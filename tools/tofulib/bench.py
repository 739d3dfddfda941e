# SPDX-License-Identifier: GPL-2.0-only
"""Measure p2p_rdma against brick: the same program, interleaved runs, ratios within each pair of runs.

Absolute times on a shared machine mean little, so every figure is the ratio of two runs made one right after the other,
given as median with minimum and maximum. Pairs in which another program took processor time are counted.
"""

import datetime
import math
import platform
import re
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

from . import build, cache, doctor, mpi, shell, time_left, trial, venv, version

RANKS = 2
#: Least processor use of a run that was not disturbed by another program [%].
CPU_USE_MINIMUM = 97.0
#: Part of the steps that run before the measured ones, to settle memory and caches.
WARM_UP = 0.1
#: Line of an input that runs steps.
RUN = r"^run\s+\d+[ \t]*$"


class Case(NamedTuple):
    """A stock benchmark at one size, long enough for 0.3 to 1 s on two ranks."""

    script: str            #: input in LAMMPS' bench folder
    scale: float           #: value of its variables x, y and z: box edge in units of 20 lattice cells
    steps: int
    copies: tuple = (1, 1, 1)    #: of that box along x, y and z

    @property
    def variables(self):
        """Arguments of LAMMPS that set the size."""
        return [word for axis, count in zip("xyz", self.copies) for word in ("-v", axis, f"{self.scale * count:g}")]


CASES = {
    "lj864": Case("in.lj", 0.3, 6000),
    "lj4000": Case("in.lj", 0.5, 1000),
    "lj32000": Case("in.lj", 1.0, 120),
    "eam": Case("in.eam", 1.0, 50),
    "chain": Case("in.chain", 1.0, 200),
}


def command(options):
    """tools/tofu bench."""
    names = chosen(options, "bench", CASES, cores=RANKS)
    lammps = ready(options)
    cases = {name: measure_case(name, lammps, options.pairs) for name in names}
    print_table(cases)
    return finish(options, "bench", {"about": about(lammps, options), "cases": cases})


def chosen(options, what, cases, default=(), cores=0):
    """Names of the requested cases.

    Args:
        options: Those of the command line.
        what: Command or option that has the cases.
        cases: All that there are.
        default: Those that run if none is requested; empty: all.
        cores: That the bench pins its threads on; 0: any number.

    Raises:
        shell.Failure: A case does not exist, there are too few rounds, or the machine has fewer cores.
    """
    names = (options.cases or ",".join(default or cases)).split(",")
    refuse(options, what, cases, cores, all(name in cases for name in names))
    return names


def refuse(options, what, cases, cores=0, known=True):
    """Refuse requests that cannot be measured; arguments as of chosen(), and whether all cases exist."""
    if options.pairs < 1 or not known:
        raise shell.Failure(f"got --cases {options.cases} --pairs {options.pairs}; with {what} the cases are "
                            f"{', '.join(cases)}, and at least one round is needed")
    if mpi.cores()[0] < cores:
        raise shell.Failure(f"bench pins {cores} threads on {cores} cores, this machine offers {mpi.cores()[0]}")


def ready(options, packages=""):
    """The LAMMPS to measure, built at need.

    Args:
        options: Those of the command line.
        packages: Further packages of LAMMPS.
    """
    return build.build(options.lammps_version, options.lammps, options.mpi, options.portable, packages=packages)


def finish(options, name, result, module=None, table=""):
    """Write a result.

    Args:
        options: Those of the command line.
        name: Of the bench in names of files.
        result: What was measured.
        module: That draws it; None: there is no picture.
        table: In Markdown; empty: there is none.

    Returns:
        The exit status.
    """
    data = options.json or Path(f"tofu-{name}.json")
    cache.write_json(data, result)
    print(f"Raw data: {data}")
    if table:
        data.with_suffix(".md").write_text(table + "\n", encoding="utf-8")
        print(f"Table: {data.with_suffix('.md')}")
    if module:
        venv.draw(module, result, options.plot or Path(f"tofu-{name}.png"))
    return 0


def by_rounds(title, count, ways, measure):
    """Measure all ways once in each round, one after the other.

    Args:
        title: Of the bench, for the line of progress.
        count: Number of rounds.
        ways: name -> way.
        measure: Function that measures a way once.

    Returns:
        name -> what measure() has returned in each round.
    """
    show, measured = shell.Progress("."), {name: [] for name in ways}
    start, left = time.monotonic(), ""
    for number in range(count):
        for place, (name, way) in enumerate(ways.items(), number * len(ways) + 1):
            show.line(f"bench {title}: round {number + 1} of {count}, {name}{left}")
            measured[name].append(measure(way))
            rest = (time.monotonic() - start) * (count * len(ways) / place - 1.0)
            left = f", {time_left.in_words(rest)} left"
    show.finish()
    return measured


def about(lammps, options):
    """Origin of the figures: date, programs and machine."""
    return {**origin(), "lammps": lammps.source.release, "mpi": lammps.mpi.name, "portable": options.portable,
            "ranks": RANKS, "pairs": options.pairs, "command": shell.quote(["tools/tofu", *sys.argv[1:]])}


def origin():
    """Date, version and machine."""
    physical, logical = mpi.cores()
    return {"date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"), "commit": version.commit(),
            "processor": doctor.processor_name(), "cores": physical, "processors": logical,
            "system": platform.platform()}


def measure_case(name, lammps, pairs):
    """Run one case pair by pair.

    Returns:
        Sizes, every single run, and the summary.
    """
    measured = by_rounds(name, pairs, trial.COMM, lambda words: run(name, CASES[name], lammps, RANKS, words))
    return {"atoms": measured["brick"][0]["atoms"], "steps": CASES[name].steps, "runs": measured,
            "summary": summarize(measured)}


def run(name, case, lammps, *words, **more):
    """Times of the measured run of a case; further arguments as of trial.runs_of()."""
    return times(trial.runs_of(lammps, name, text_of(case, lammps), *words, more=case.variables,
                               folder=lammps.source.path / "bench", **more)[-1])


def text_of(case, lammps):
    """The stock input with another number of steps and a warm-up; everything else stays."""
    return changed_input(lammps, f"bench/{case.script}", (
        RUN, f"run {math.ceil(WARM_UP * case.steps)}\nrun {case.steps}"))


def changed_input(lammps, path, *changes):
    """An input of LAMMPS' tree with changes.

    Args:
        lammps: A Build.
        path: Of the input in the tree.
        changes: Pairs of a regular expression, which has to match once, and what takes its place.

    Raises:
        shell.Failure: An expression does not match once.
    """
    text = (lammps.source.path / path).read_text(encoding="utf-8")
    for old, new in changes:
        text, count = re.subn(old, new, text, flags=re.MULTILINE)
        if count != 1:
            raise shell.Failure(f"expected one '{'run N' if old == RUN else old}' in {path} of LAMMPS "
                                f"{lammps.source.release}, found {count}")
    return text


def times(measured):
    """Times of a run in microseconds a step."""
    scale = 1e6 / measured.steps
    return {"atoms": measured.atoms, "cpu_use": measured.cpu_use, "loop": measured.seconds * scale,
            "sections": {name: seconds * scale for name, seconds in measured.sections.items()},
            "least": {name: seconds * scale for name, seconds in measured.least.items()}}


def summarize(measured):
    """Times and ratios over all pairs of runs."""
    summary = {"pairs": len(measured["brick"])}
    for quantity, time_of in (("comm", lambda one: one["sections"]["Comm"]),
                              ("least", lambda one: one["least"]["Comm"]), ("loop", loop)):
        summary.update({f"{quantity} {name}": median for name, median in medians(measured, time_of).items()})
        summary[f"{quantity} ratio"] = ratios(measured["p2p_rdma"], measured["brick"], time_of)
    return summary


def disturbed(measured):
    """Number of rounds in which another program took processor time."""
    return sum(min(one["cpu_use"] for one in pair) < CPU_USE_MINIMUM for pair in zip(*measured.values()))


def print_disturbed(cases):
    """Print in how many rounds of all cases another program took processor time, if there are any."""
    number = sum(disturbed(case["runs"]) for case in cases)
    if number:
        print(f"{number} of the rounds were disturbed by other programs. Repeat on an idle machine.")


def ratio_range(ratios):
    """Median and range of the ratios of some pairs."""
    return {"median": statistics.median(ratios), "min": min(ratios), "max": max(ratios)}


def loop(one):
    """Time of a step of a run [us]."""
    return one["loop"]


def medians(measured, time_of=loop):
    """Median time of each way, whose runs are given by its name."""
    return {name: statistics.median(map(time_of, runs)) for name, runs in measured.items()}


def ratios(runs, others, time_of=loop):
    """Median and range of the ratios of the times of runs to those of others of the same round."""
    return ratio_range([time_of(one) / time_of(other) for one, other in zip(runs, others)])


def in_words(ratio, digits=2):
    """Median and range of a ratio as text."""
    return f"{ratio['median']:.{digits}f} ({ratio['min']:.{digits}f}-{ratio['max']:.{digits}f})"


def print_table(cases):
    """Print the summary."""
    print(f"\nTime of p2p_rdma relative to brick, {RANKS} ranks; below 1 is faster.")
    print(f"{'':8} {'':>6} {'':>5}   {'Comm, us a step':^17}   {'Comm ratio':^19}   {'without waiting':^19}   "
          f"{'whole step ratio':^19}")
    print(f"{'case':8} {'atoms':>6} {'pairs':>5}   {'brick':>8} {'p2p_rdma':>8}   "
          + "   ".join([f"{'median':>6} {'min - max':^12}"] * 3))
    for name, case in cases.items():
        summary = case["summary"]
        print(f"{name:8} {case['atoms']:6d} {summary['pairs']:5d}   {summary['comm brick']:8.1f} "
              f"{summary['comm p2p_rdma']:8.1f}   "
              + "    ".join(f"{one['median']:6.3f} {one['min']:.3f}-{one['max']:.3f}"
                            for one in (summary[f"{quantity} ratio"] for quantity in ("comm", "least", "loop"))))
    print("Without waiting: Comm of the rank that spent less in it, which is the one that the other waits for.")
    print_disturbed(cases.values())
    print()
