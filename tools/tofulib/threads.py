# SPDX-License-Identifier: GPL-2.0-only
"""Measure the suffix /threadpool against the fastest of LAMMPS' own CPU packages, on the same cores.

Every configuration runs once per round, one after the other, and rounds are repeated, for the reasons given in
bench.py. Each side uses the cores as ranks and as threads of one rank. On each side the configuration with the smallest
median counts: TOFU is compared with the best that a user of LAMMPS can get by trying. Ratios are taken within rounds.
"""

import math
import os
import statistics
from pathlib import Path
from typing import NamedTuple

from . import bench, cache, shell, trial, water
from .configuration import P2P, THREADED, Configuration

CORES = bench.RANKS
#: Suffixes of LAMMPS' own packages that are measured.
STOCK = ("", "opt", "omp", "intel")
MANY_PARTS = 4 * CORES    #: threads of the configuration that has more than there are cores


class Water(NamedTuple):
    """Water at constant pressure, with rigid molecules."""

    model: water.Model
    molecules: int
    steps: int
    refused_by: tuple = ()    #: suffixes that cannot compute the model


CASES = {
    "lj864": bench.Case("in.lj", 0.3, 10000),
    "lj4000": bench.Case("in.lj", 0.5, 2500),
    "lj32000": bench.Case("in.lj", 1.0, 300),
    "eam4000": bench.Case("in.eam", 0.5, 600),
    "eam32000": bench.Case("in.eam", 1.0, 60),
    "rhodo": bench.Case("in.rhodo", 1.0, 16),
    "chain": bench.Case("in.chain", 1.0, 300),
    "chute": bench.Case("in.chute", 1.0, 1000),
    "spce": Water(water.SPCE, 2000, 80),
    "tip4p": Water(water.TIP4P, 2000, 60, refused_by=("intel",)),
}


def way(ranks, threads):
    """Name of the configuration of the suffix with these ranks and threads."""
    return f"threadpool {ranks}x{threads}"


#: Ways of the suffix whose times are divided by each other.
WAYS = ((way(1, CORES), way(CORES, 1)), (way(1, CORES), way(1, 1)), (way(1, MANY_PARTS), way(1, CORES)))


def both_sides(layouts, precision="double"):
    """Configurations of LAMMPS' packages and of the suffix; packages without threads have one rank per core only.

    Args:
        layouts: Ranks and threads of each.
        precision: Of packages that can compute pairs in single precision.
    """
    return [Configuration(suffix, ranks, threads, precision=precision) for ranks, threads in layouts
            for suffix in STOCK if threads == 1 or suffix in THREADED] + [
                Configuration("threadpool", *layout, P2P, precision) for layout in layouts]


def by_name(found):
    """Configurations by their names in tables."""
    return {f"{one.suffix or 'none'} {one.ranks}x{one.threads}": one for one in found}


def configurations(mixed=False):
    """All configurations by name.

    The suffix has two more, to compare its ways with each other: one core, and more threads than cores.

    Args:
        mixed: Whether packages that can compute pairs in single precision do so.
    """
    precision = "mixed" if mixed else "double"
    return by_name([*both_sides(((CORES, 1), (1, CORES)), precision),
                    *(Configuration("threadpool", *layout, P2P, precision) for layout in ((1, 1), (1, MANY_PARTS)))])


def command(options):
    """tools/tofu bench --threads."""
    names = bench.chosen(options, "--threads", CASES, cores=CORES)
    lammps = bench.ready(options)
    data = options.json or Path("tofu-threads.json")
    result = {"about": bench.about(lammps, options), "fork and join": fork_join(), "mixed": options.mixed, "cases": {}}
    for name in names:
        result["cases"][name] = measure_case(name, lammps, options.pairs, options.mixed)
        cache.write_json(data, result)    # a bench that is interrupted keeps the cases before
    print_table(result)
    return bench.finish(options, "threads", result, "plot_threads")


def measure_case(name, lammps, rounds, mixed=False):
    """Run one case round by round.

    Returns:
        Sizes, every single run in microseconds a step, and the summary.
    """
    case = CASES[name]
    run, refused_by = (run_water, case.refused_by) if isinstance(case, Water) else (bench.run, ())
    ways = {way: one for way, one in configurations(mixed).items() if one.suffix not in refused_by}
    measured = bench.by_rounds(name, rounds, ways, lambda one: run(
        f"threads.{name}", case, lammps, one.ranks, one.arguments, one.threads, min(one.threads, CORES // one.ranks)))
    return {"atoms": next(iter(measured.values()))[0]["atoms"], "steps": case.steps, "runs": measured,
            "summary": summarize(measured)}


def run_water(name, case, lammps, *words):
    """As bench.run(), for water."""
    text = water.script(case.model, case.molecules, lammps, math.ceil(bench.WARM_UP * case.steps), water.NPT)
    text = text.replace(water.KSPACE, f"kspace_style {case.model.kspace}").replace("@steps@", str(case.steps))
    return bench.times(trial.runs_of(lammps, name, text, *words)[-1])


def summarize(measured):
    """The fastest configuration of each side, the ratio of their times within rounds (how many times faster), and
    ratios of the ways in which the suffix uses the cores."""
    medians = bench.medians(measured)
    stock = min((name for name in medians if not name.startswith("threadpool")), key=medians.get)
    ours = min((way(CORES, 1), way(1, CORES)), key=medians.get)
    sections = sorted(set(measured[stock][0]["sections"]) & set(measured[ours][0]["sections"]))
    return {"medians": medians, "stock": stock, "ours": ours, "rounds": len(measured[stock]),
            "speedup": bench.ratios(measured[stock], measured[ours]),
            "sections": {section: [statistics.median(one["sections"][section] for one in measured[side])
                                   for side in (stock, ours)] for section in sections},
            "ways": {f"{above.split()[1]} / {below.split()[1]}": bench.ratios(measured[above], measured[below])
                     for above, below in WAYS if above in measured and below in measured}}


def fork_join(rounds=5):
    """Time to fork and join two threads, of TOFU and of libgomp.

    Each kind runs in processes of its own, which take turns: threads of the other kind that spin on the same
    processors would be measured as well.

    Args:
        rounds: Processes of each kind.

    Returns:
        Nanoseconds by name, medians over the processes.
    """
    program = cache.folder("bench") / "fork_join"
    code, pool = Path(__file__).with_name("fork_join.cpp"), Path(__file__).resolve().parents[2] / "src" / "TOFU"
    shell.capture(["c++", "-std=c++17", "-O2", "-fopenmp", "-pthread", "-I", pool, "-o", program, code,
                   *(pool / "pool" / f"{name}.cpp" for name in ("thread_pool", "part_times", "processors"))])
    processors = [str(number) for number in sorted(os.sched_getaffinity(0))[:CORES]]
    found = {"libgomp, active": [], "libgomp, passive": [], "threadpool": []}
    for _ in range(rounds):
        for name, times in found.items():
            kind, _, policy = name.partition(", ")
            environment = {**os.environ, "OMP_WAIT_POLICY": policy or "passive", "OMP_NUM_THREADS": str(CORES),
                           "GOMP_CPU_AFFINITY": " ".join(processors)}
            times.append(float(shell.capture([program, kind, "11", *processors], env=environment)))
    return {name: statistics.median(times) for name, times in found.items()}


def print_table(result):
    """Print the summary."""
    mode = "mixed precision on both sides" if result.get("mixed") else "double"
    print(f"\nHow many times faster than the fastest of none, opt, omp and intel ({mode}), on {CORES} cores; ranks x "
          f"threads.")
    print(f"{'case':9} {'atoms':>6}   {'fastest stock':15} {'us a step':>10}   {'threadpool':15} {'us a step':>10}   "
          f"{'times faster':>12} {'min - max':^13}")
    for name, case in result["cases"].items():
        summary = case["summary"]
        speedup = summary["speedup"]
        print(f"{name:9} {case['atoms']:6d}   {summary['stock']:15} {summary['medians'][summary['stock']]:10.1f}   "
              f"{summary['ours']:15} {summary['medians'][summary['ours']]:10.1f}   {speedup['median']:12.2f} "
              f"{speedup['min']:6.2f}-{speedup['max']:.2f}")
    ratios = list(dict.fromkeys(one for case in result["cases"].values() for one in case["summary"]["ways"]))
    print("\nTime of a step of the suffix, one way to use the cores divided by another, median and range:")
    print(f"{'case':9}" + "".join(f" {one:>18}" for one in ratios))
    for name, case in result["cases"].items():
        ways = case["summary"]["ways"]
        print(f"{name:9}" + "".join(f" {ways[one]['median']:8.2f} {ways[one]['min']:.2f}-{ways[one]['max']:.2f}"
                                    for one in ratios))
    print("Fork and join of two threads: "
          + ", ".join(f"{name} {time:.0f} ns" for name, time in result["fork and join"].items()))
    print()
