# SPDX-License-Identifier: GPL-2.0-only
"""Measure p2p_rdma against brick: the same program, interleaved runs, ratios within each pair of runs.

Absolute times on a shared machine mean little, so every figure is the ratio of two runs made one right after the other,
given as median with minimum and maximum. Pairs in which another program took processor time count only in the figures
over all pairs. A virtual machine may move its processors between two states: both on one physical core, or each on a
core of its own. The cost of communication differs several times over between them. A ping between the two processors
before and after each run tells the state; medians are given per state.
"""

import datetime
import math
import os
import platform
import re
import statistics
import subprocess
from pathlib import Path
from typing import NamedTuple

from . import build, cache, doctor, log, mpi, shell, trial, venv, version

RANKS = 2
#: Flag time that separates the two states [ns]: 45 to 60 on one physical core, 150 to 180 on two.
ONE_CORE_BELOW = 90.0
ONE_CORE, TWO_CORES, MIXED, DISTURBED = "one core", "two cores", "mixed", "disturbed"
#: Least processor use of a run that was not disturbed by another program [%].
CPU_USE_MINIMUM = 97.0
#: Part of the steps that run before the measured ones, to settle memory and caches.
WARM_UP = 0.1


class Case(NamedTuple):
    """A stock benchmark at one size, long enough for 0.3 to 1 s on two ranks."""

    script: str            #: input in LAMMPS' bench folder
    scale: float           #: value of its variables x, y and z: box edge in units of 20 lattice cells
    steps: int


CASES = {
    "lj864": Case("in.lj", 0.3, 6000),
    "lj4000": Case("in.lj", 0.5, 1000),
    "lj32000": Case("in.lj", 1.0, 120),
    "eam": Case("in.eam", 1.0, 50),
    "chain": Case("in.chain", 1.0, 200),
}
#: The two variants of each pair, as LAMMPS arguments: the reference first.
VARIANTS = trial.COMM


def command(options):
    """tools/tofu bench."""
    names = (options.cases or ",".join(CASES)).split(",")
    check_request(names, options.pairs)
    interpreter = venv.python()
    lammps = build.build(options.lammps_version, options.lammps, options.mpi, options.portable)
    clock = StateClock()
    cases = {name: measure_case(name, lammps, options.pairs, clock) for name in names}
    result = {"about": about(lammps, options), "cases": cases}
    print_table(cases)
    data, picture = options.json or Path("tofu-bench.json"), options.plot or Path("tofu-bench.png")
    cache.write_json(data, result)
    plot(interpreter, data, picture, "tofulib.plot")
    print(f"Raw data: {data}   Plot: {picture}")
    return 0


def check_request(names, pairs):
    """Refuse cases that do not exist, and too few pairs."""
    if pairs < 1 or any(name not in CASES for name in names):
        raise shell.Failure(f"got --cases {','.join(names)} --pairs {pairs}; the cases are {', '.join(CASES)}, "
                            f"and at least one pair is needed")


def about(lammps, options):
    """Origin of the figures: date, programs and machine."""
    return {**origin(), "lammps": lammps.source.release, "mpi": lammps.mpi.name, "portable": options.portable,
            "ranks": RANKS, "pairs": options.pairs}


def origin():
    """Date, version and machine."""
    physical, logical = mpi.cores()
    return {"date": datetime.datetime.now().astimezone().isoformat(timespec="seconds"), "commit": version.commit(),
            "processor": doctor.processor_name(), "cores": physical, "processors": logical,
            "system": platform.platform()}


def measure_case(name, lammps, pairs, clock):
    """Run one case pair by pair.

    Returns:
        Sizes, every single run, and the summary by state.
    """
    case = CASES[name]
    script = write_script(case, lammps)
    show = shell.Progress(".")
    measured = []
    for number in range(pairs):
        show.line(f"bench {name}: pair {number + 1} of {pairs}")
        measured.append(measure_pair(name, case, script, lammps, clock))
    show.finish()
    first = measured[0]["brick"]
    return {"atoms": first["atoms"], "steps": case.steps, "pairs": measured, "summary": summarise(measured)}


def measure_pair(name, case, script, lammps, clock):
    """One run of each variant, one right after the other.

    Returns:
        The runs by variant, and the state of the machine.
    """
    pair, states = {}, [clock.state()]
    for variant in VARIANTS:
        logfile = script.with_name(f"log.{name}.{variant}")
        variables = [word for axis in "xyz" for word in ("-v", axis, str(case.scale))]
        line = [*trial.words(lammps, RANKS, variant), "-in", script, "-log", logfile, "-screen", "none", *variables]
        trial.run_checked(line, logfile, trial.environment(lammps, 1), cwd=lammps.source.path / "bench")
        pair[variant] = times(log.read(logfile)[-1])
        states.append(clock.state())
    pair["state"] = state_of(states, [pair[variant] for variant in VARIANTS])
    return pair


def state_of(states, runs):
    """State of the machine during runs that were made one after the other.

    Returns:
        The state that all pings agree on, else "mixed"; "disturbed" if other programs ran.
    """
    if min(one["cpu_use"] for one in runs) < CPU_USE_MINIMUM:
        return DISTURBED
    return states[0] if len(set(states)) == 1 else MIXED


def write_script(case, lammps):
    """The stock input with another number of steps and a warm-up; everything else stays."""
    text = (lammps.source.path / "bench" / case.script).read_text(encoding="utf-8")
    warm_up = math.ceil(WARM_UP * case.steps)
    text, count = re.subn(r"^run\s+\d+[ \t]*$", f"run {warm_up}\nrun {case.steps}", text, flags=re.MULTILINE)
    if count != 1:
        raise shell.Failure(
            f"expected one 'run N' line in bench/{case.script} of LAMMPS {lammps.source.release}, found {count}")
    script = cache.folder("bench") / case.script
    script.write_text(text, encoding="utf-8")
    return script


def times(measured):
    """Times of a run in microseconds a step."""
    scale = 1e6 / measured.steps
    return {"atoms": measured.atoms, "cpu_use": measured.cpu_use, "loop": measured.seconds * scale,
            "sections": {name: seconds * scale for name, seconds in measured.sections.items()},
            "least": {name: seconds * scale for name, seconds in measured.least.items()}}


def summarise(pairs):
    """Medians and ranges over all pairs, and over those of each state of the machine."""
    return {state: summarise_group(group) for state, group in by_state(pairs).items()}


def by_state(pairs):
    """All pairs, and those of each state that was seen."""
    groups = {"all": pairs}
    for state in (ONE_CORE, TWO_CORES):
        groups[state] = [pair for pair in pairs if pair["state"] == state]
    return {state: group for state, group in groups.items() if group}


def summarise_group(pairs):
    """Times and ratios over some pairs of runs."""
    summary = {"pairs": len(pairs)}
    for quantity, value in (("comm", lambda one: one["sections"]["Comm"]), ("least", lambda one: one["least"]["Comm"]),
                            ("loop", lambda one: one["loop"])):
        for variant in VARIANTS:
            summary[f"{quantity} {variant}"] = statistics.median(value(pair[variant]) for pair in pairs)
        ratios = [value(pair["p2p_rdma"]) / value(pair["brick"]) for pair in pairs]
        summary[f"{quantity} ratio"] = ratio_range(ratios)
    return summary


def ratio_range(ratios):
    """Median and range of the ratios of some pairs."""
    return {"median": statistics.median(ratios), "min": min(ratios), "max": max(ratios)}


def print_table(cases):
    """Print the summary."""
    print(f"\nTime of p2p_rdma relative to brick, {RANKS} ranks; below 1 is faster. State: where the two processors "
          f"were.")
    print(f"{'':8} {'':>6} {'':9} {'':>5}   {'Comm, us a step':^17}   {'Comm ratio':^19}   {'without waiting':^19}   "
          f"{'whole step ratio':^19}")
    print(f"{'case':8} {'atoms':>6} {'state':9} {'pairs':>5}   {'brick':>8} {'p2p_rdma':>8}   "
          + "   ".join([f"{'median':>6} {'min - max':^12}"] * 3))
    for name, case in cases.items():
        for state, summary in case["summary"].items():
            ratios = [summary[f"{quantity} ratio"] for quantity in ("comm", "least", "loop")]
            print(f"{name:8} {case['atoms']:6d} {state:9} {summary['pairs']:5d}   {summary['comm brick']:8.1f} "
                  f"{summary['comm p2p_rdma']:8.1f}   "
                  + "    ".join(f"{one['median']:6.3f} {one['min']:.3f}-{one['max']:.3f}" for one in ratios))
    print("Without waiting: Comm of the rank that spent less in it, which is the one that the other waits for.")
    disturbed = sum(pair["state"] == DISTURBED for case in cases.values() for pair in case["pairs"])
    if disturbed:
        print(f"{disturbed} of the pairs were disturbed by other programs: they count in the rows 'all' only. Repeat "
              f"on an idle machine.")
    print()


def plot(interpreter, data, picture, module):
    """Draw the summary in a process of its own, because the plot library is in the virtual environment."""
    tools = str(Path(__file__).resolve().parents[1])
    subprocess.run([interpreter, "-m", module, data, picture], check=True,
                   env={**os.environ, "PYTHONPATH": tools, "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1"})


class StateClock:
    """Finds the state of the machine by a ping between the two processors that the ranks will use."""

    def __init__(self):
        self.processors = sorted(os.sched_getaffinity(0))[:RANKS]
        if len(self.processors) < RANKS or mpi.cores()[0] < RANKS:
            raise shell.Failure(f"bench pins {RANKS} ranks on {RANKS} cores, this machine offers {mpi.cores()[0]}")
        self.program = cache.folder("bench") / "ping"
        code = Path(__file__).with_name("ping.cpp")
        if not self.program.exists() or self.program.stat().st_mtime < code.stat().st_mtime:
            shell.capture(["c++", "-std=c++17", "-O2", "-pthread", "-o", self.program, code])

    def state(self):
        """The state right now."""
        nanoseconds = float(shell.capture([self.program, *self.processors]))
        return ONE_CORE if nanoseconds < ONE_CORE_BELOW else TWO_CORES
