# SPDX-License-Identifier: GPL-2.0-only
"""Count the collective operations of a time step, by the function that calls them: LAMMPS without a suffix, and TOFU.

Each input runs twice, and what the longer run has more is divided by the steps that it has more: what happens before
the steps and after them drops out. Times are those of the longer run, waiting included. Operations are counted by a
library that is loaded before MPI's.
"""

import bisect
import os
import re
import shutil
from pathlib import Path
from typing import Callable, NamedTuple

from . import bench, cache, kspace_cases, shell, trial, water

RANKS = bench.RANKS
#: Rarer ones are added up.
RARE = 0.05
WATER_MOLECULES = 500


class Input(NamedTuple):
    """An input of LAMMPS."""

    text: str        #: with @steps@
    folder: Path     #: where its files are


class Case(NamedTuple):
    """An input, and the number of steps of its shorter run; the longer one has three times as many."""

    make: Callable   #: from a Build to an Input
    steps: int


class Count(NamedTuple):
    """Collective operations of one function, per step and rank."""

    operation: str
    caller: str
    calls: float
    bytes: float
    microseconds: float


def stock_input(folder, name, *changes):
    """Function that reads an input of LAMMPS' tree and changes it."""
    return lambda lammps: Input(bench.changed_input(lammps, f"{folder}/{name}", (bench.RUN, "run @steps@"), *changes),
                                lammps.source.path / folder)


def water_npt(lammps):
    """SPC/E water at constant pressure."""
    text = water.script(water.SPCE, WATER_MOLECULES, lammps, 0, water.NPT)
    return Input(text.replace(water.KSPACE, kspace_cases.PPPM), cache.folder("bench"))


CASES = {
    "lj": Case(stock_input("bench", "in.lj", (r"^neigh_modify.*$", "neigh_modify delay 0 every 1 check yes")), 200),
    "eam": Case(stock_input("bench", "in.eam"), 100),
    "chain": Case(stock_input("bench", "in.chain"), 200),
    "chute": Case(stock_input("bench", "in.chute"), 200),
    "rhodo": Case(stock_input("bench", "in.rhodo"), 20),
    "peptide": Case(stock_input("examples/peptide", "in.peptide"), 100),
    "water npt": Case(water_npt, 100),
}
SUFFIX = ("comm", "p2p/rdma", "-sf", "threadpool")
WAYS = {
    "LAMMPS": (),
    "TOFU": ("-pk", "threadpool", "1", *SUFFIX),
}


def command(options):
    """tools/tofu bench --collectives."""
    names = bench.chosen(options, "--collectives", CASES)
    lammps = bench.ready(options)
    counter = build_counter(lammps.mpi)
    cases = {name: measure_case(name, lammps, counter) for name in names}
    print("\n".join(table(cases)))
    return bench.finish(options, "collectives", {"about": bench.about(lammps, options), "cases": cases})


def counted_run(work, steps, lammps, words, counter, variable):
    """The log of a run of an Input with the library that counts, and a variable for it."""
    folder = cache.folder("bench") / "collectives"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return trial.runs_of(lammps, "collectives", work.text.replace("@steps@", str(steps)), RANKS, words,
                         folder=work.folder, within=("env", f"LD_PRELOAD={counter}", variable))[-1]


def build_counter(library):
    """Compile the library that counts.

    Args:
        library: The Mpi that LAMMPS was built with.

    Returns:
        Its path.
    """
    target = cache.folder("bench") / f"libcount_collectives.{library.name}.so"
    shell.capture([library.cxx, "-std=c++17", "-O2", "-fPIC", "-shared", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX",
                   "-o", target, Path(__file__).with_name("count_collectives.cpp"), "-ldl"])
    return target


def measure_case(name, lammps, counter):
    """Counts of a case by way, each a list of a Count's fields."""
    found = bench.by_rounds(name, 1, WAYS, lambda words: per_step(CASES[name], lammps, words, counter))
    return {way: [one._asdict() for one in counts] for way, (counts,) in found.items()}


def per_step(case, lammps, words, counter):
    """Collective operations of each function in a step, most frequent first.

    Args:
        case: A Case.
        lammps: A Build.
        words: Arguments of LAMMPS.
        counter: Path of the library that counts.
    """
    work = case.make(lammps)
    few, many = (run(work, steps, lammps, words, counter) for steps in (case.steps, 3 * case.steps))
    names = {key: name_of(key[1], key[2]) for key in many}
    nsteps = 2 * case.steps
    sums = {}
    for key, (calls, size, seconds) in many.items():
        calls_before, size_before, _ = few.get(key, (0.0, 0.0, 0.0))
        sum_of = sums.setdefault((key[0], names[key]), [0.0, 0.0, 0.0])
        more = calls - calls_before
        for k, value in enumerate((more, size - size_before, 1e6 * seconds * more / calls)):
            sum_of[k] += value / nsteps
    counts = [Count(*key, *values) for key, values in sums.items() if values[0] > 0.0]
    return sorted(counts, key=lambda one: (-one.calls, one.caller))


def run(work, steps, lammps, words, counter):
    """Run an input and count.

    Returns:
        Calls, bytes and seconds by operation, file and address of the caller; averages over ranks.
    """
    folder = cache.folder("bench") / "collectives"
    counted_run(work, steps, lammps, words, counter, f"TOFU_COLLECTIVES={folder}")
    return read(folder)


def read(folder):
    """Read what the ranks have written into a folder; see run()."""
    sums = {}
    for rank in range(RANKS):
        path = folder / f"rank.{rank}"
        if not path.exists():
            raise shell.Failure(f"rank {rank} has counted nothing: is this LAMMPS linked with MPI as a shared library?")
        for one in path.read_text(encoding="utf-8").splitlines():
            operation, module, address, *numbers = one.split("\t")
            sum_of = sums.setdefault((operation, module, int(address, 16)), [0.0, 0.0, 0.0])
            for k, number in enumerate(numbers):
                sum_of[k] += float(number) / RANKS
    return sums


SYMBOLS = {}


def name_of(module, address):
    """Name of the function with this address in a program or library."""
    if module not in SYMBOLS:
        lines = shell.attempt(["nm", "-C", "--defined-only", module if os.path.exists(module) else "/proc/self/exe"]
                              ).stdout.splitlines()
        pairs = [line.split(" ", 2) for line in lines if re.match(r"[0-9a-f]+ [tTwW] ", line)]
        SYMBOLS[module] = sorted((int(at, 16), name) for at, _, name in pairs)
    symbols = SYMBOLS[module]
    at = bisect.bisect_right(symbols, (address - 1, "\U0010ffff")) - 1
    return short(symbols[at][1]) if at >= 0 else f"{os.path.basename(module)}+{address:x}"


def short(name):
    """Name of a function without its parameters and namespaces of the project."""
    name = re.sub(r"\[abi:[^\]]*\]|\[clone [^\]]*\]|\b(?:LAMMPS_NS|TOFU_NS)::", "", name)
    while re.search(r"<[^<>]*>", name):
        name = re.sub(r"<[^<>]*>", "", name)
    return name.partition("(")[0].strip()


def table(cases):
    """Lines of a table."""
    lines = ["", f"Collective operations of a time step, {RANKS} ranks", "",
             f"{'case':10} {'way':13} {'calls':>6} {'bytes':>6} {'us':>6}   calls by function"]
    for name, ways in cases.items():
        for way, counts in ways.items():
            often = [one for one in counts if one["calls"] >= RARE]
            rest = sum(one["calls"] for one in counts) - sum(one["calls"] for one in often)
            text = ", ".join(f"{one['caller']} {one['calls']:.2f}" for one in often)
            text += f"{', ' if text else ''}others {rest:.2f}" if rest >= 0.005 else ""
            sums = {field: sum(one[field] for one in counts) for field in ("calls", "bytes", "microseconds")}
            lines.append(f"{name:10} {way:13} {sums['calls']:6.2f} {sums['bytes']:6.1f} {sums['microseconds']:6.1f}   "
                         f"{text}")
    return [*lines, ""]
