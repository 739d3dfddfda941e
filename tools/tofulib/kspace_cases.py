# SPDX-License-Identifier: GPL-2.0-only
"""Inputs of bench --kspace: rhodopsin and boxes of water, and the ways to compute each of them."""

import functools
import math
from typing import NamedTuple

from . import bench, threads, water
from .configuration import P2P, Configuration

CORES = bench.RANKS

STOCK, OURS = "pppm", "offload"
#: Command for pppm, which a suffix may replace by its variant.
PPPM = "kspace_style pppm 1e-4"

WATER_STEPS = {500: 600, 1000: 300, 2000: 150, 4000: 80}
RHODO_STEPS = 16


class Way(NamedTuple):
    """One way to compute a case."""

    name: str
    side: str              #: STOCK or OURS
    ranks: int
    threads: int           #: cores of a rank
    arguments: tuple       #: of LAMMPS
    kspace: str            #: commands that choose the long-range part; pppm in the place of its accuracy


class Case(NamedTuple):
    """A measured case: a script with @kspace@ and @steps@ in it, and the ways to compute it."""

    name: str
    script: str
    steps: int
    folder: object         #: working directory of the run, a path; None: the bench folder of the cache
    ways: tuple


def our_kspace(words):
    """Commands for pppm/offload with keywords of its own."""
    return f"kspace_style pppm/offload 1e-4\nkspace_modify {words}"


def our_ways():
    """Ways for both layouts of ranks and threads, each with and without overlap. One rank with overlap leaves a core to
    the thread of the long-range part."""
    found = []
    for ranks, parts, overlap in ((CORES, 1, "no"), (CORES, 1, "yes"), (1, CORES, "no"), (1, CORES - 1, "yes")):
        words = Configuration("threadpool", ranks, parts, P2P).arguments
        found.append(Way(f"offload {ranks}x{CORES // ranks}, overlap {overlap}", OURS, ranks, CORES // ranks, words,
                         our_kspace(f"overlap {overlap}")))
    return tuple(found)


def rhodo_case(lammps):
    """Case of LAMMPS' rhodopsin benchmark, with the suffix on both sides."""
    text = bench.changed_input(lammps, "bench/in.rhodo", (r"^kspace_style\s+pppm\s+1e-4.*$", water.KSPACE),
                               (bench.RUN, f"run {math.ceil(bench.WARM_UP * RHODO_STEPS)}\nrun @steps@"))
    ours = our_ways()
    same = tuple(Way(f"pppm {way.ranks}x{way.threads}", STOCK, way.ranks, way.threads, way.arguments, PPPM)
                 for way in ours if way.name.endswith("no"))
    return Case("rhodo", text, RHODO_STEPS, lammps.source.path / "bench", same + ours)


def water_case(molecules, lammps):
    """Case of a cube of SPC/E water, compared with the fastest of LAMMPS' own packages."""
    steps = WATER_STEPS[molecules]
    script = water.script(water.SPCE, molecules, lammps, math.ceil(bench.WARM_UP * steps))
    stock = tuple(Way(name, STOCK, one.ranks, one.threads, one.arguments, PPPM)
                  for name, one in threads.configurations().items() if one.suffix != "threadpool")
    return Case(f"water{molecules}", script, steps, None, stock + our_ways())


#: Functions of a Build that make the cases.
CASES = {"rhodo": rhodo_case,
         **{f"water{molecules}": functools.partial(water_case, molecules) for molecules in WATER_STEPS}}
