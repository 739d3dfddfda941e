# SPDX-License-Identifier: GPL-2.0-only
"""Inputs of bench --kspace: rhodopsin and boxes of water, and the ways to compute each of them."""

import functools
import math
import random
from typing import NamedTuple

from . import bench, cache, threads, trial
from .configuration import P2P, Configuration

CORES = bench.RANKS

STOCK, OURS = "pppm", "offload"
#: Command for pppm, which a suffix may replace by its variant.
PPPM = "kspace_style pppm 1e-4"

WATER_STEPS = {500: 600, 1000: 300, 2000: 150, 4000: 80}
RHODO_STEPS = 16
#: Lattice with one point for each molecule: cells along an edge, and kind of the lattice.
WATER_LATTICES = {500: (5, "fcc"), 1000: (10, "sc"), 2000: (10, "bcc"), 4000: (10, "fcc")}
MOLECULES_PER_VOLUME = 0.03334    #: of water at 1 g/cm3 [1/Angstrom^3]


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
    text = bench.changed_input(lammps, "bench/in.rhodo", (r"^kspace_style\s+pppm\s+1e-4.*$", "@kspace@"),
                               (bench.RUN, f"run {math.ceil(bench.WARM_UP * RHODO_STEPS)}\nrun @steps@"))
    ours = our_ways()
    same = tuple(Way(f"pppm {way.ranks}x{way.threads}", STOCK, way.ranks, way.threads, way.arguments, PPPM)
                 for way in ours if way.name.endswith("no"))
    return Case("rhodo", text, RHODO_STEPS, lammps.source.path / "bench", same + ours)


WATER_HEAD = """\
units real
atom_style full
pair_style lj/cut/coul/long 9.0
bond_style harmonic
angle_style harmonic
special_bonds lj/coul 0.0 0.0 0.0
"""

WATER_FORCES = """\
pair_coeff 1 1 0.1553 3.166
pair_coeff 1 2 0.0 1.0
pair_coeff 2 2 0.0 1.0
bond_coeff 1 450.0 1.0
angle_coeff 1 55.0 109.47
"""

WATER_BUILD = WATER_HEAD + """\
lattice {lattice} {edge}
region box block 0 {cells} 0 {cells} 0 {cells}
create_box 2 box bond/types 1 angle/types 1 extra/bond/per/atom 2 extra/angle/per/atom 1 extra/special/per/atom 2
molecule water {molecule}
create_atoms 0 box mol water 4711
mass 1 15.9994
mass 2 1.008
""" + WATER_FORCES + """\
kspace_style pppm 1e-4
minimize 0.0 0.0 100 1000
velocity all create 300.0 87287
fix rigid all shake 1e-4 20 0 b 1 a 1
fix integrate all nvt temp 300.0 300.0 50.0
timestep 1.0
run 300
write_data {data} nocoeff
"""

WATER_SCRIPT = WATER_HEAD + """\
@kspace@
read_data {data}
""" + WATER_FORCES + """\
neighbor 2.0 bin
neigh_modify delay 4 every 2 check yes
fix rigid all shake 1e-4 20 0 b 1 a 1
fix integrate all nvt temp 300.0 300.0 100.0
timestep 2.0
thermo 0
run {warm_up}
run @steps@
"""

MOLECULE = """\
SPC/E

3 atoms
2 bonds
1 angles

Coords

1 0.0 0.0 0.0
2 0.81649 0.57736 0.0
3 -0.81649 0.57736 0.0

Types

1 1
2 2
3 2

Charges

1 -0.8476
2 0.4238
3 0.4238

Bonds

1 1 1 2
2 1 1 3

Angles

1 1 2 1 3
"""
"""Bonds of 1 Angstrom, an angle of 109.47 degrees; LAMMPS finds the special bonds itself."""


def water_case(molecules, lammps):
    """Case of a cube of SPC/E water, compared with the fastest of LAMMPS' own packages."""
    data = water_data(molecules, lammps)
    steps = WATER_STEPS[molecules]
    script = WATER_SCRIPT.format(data=data, warm_up=math.ceil(bench.WARM_UP * steps))
    stock = tuple(Way(name, STOCK, one.ranks, one.threads, one.arguments, PPPM)
                  for name, one in threads.configurations().items() if one.suffix != "threadpool")
    return Case(f"water{molecules}", script, steps, None, stock + our_ways())


#: Functions of a Build that make the cases.
CASES = {"rhodo": rhodo_case,
         **{f"water{molecules}": functools.partial(water_case, molecules) for molecules in WATER_STEPS}}


def water_data(molecules, lammps):
    """A data file of water that has settled for a while, made once for each program.

    Returns:
        Its path.
    """
    folder = cache.folder("bench")
    data = folder / f"data.water.{molecules}.{lammps.source.release}"
    if data.exists():
        return data
    (folder / "spce.mol").write_text(MOLECULE, encoding="utf-8")
    cells, lattice = WATER_LATTICES[molecules]
    edge = (molecules / MOLECULES_PER_VOLUME) ** (1 / 3) / cells
    fresh = folder / f"{data.name}.{random.getrandbits(32):x}"
    trial.runs_of(lammps, data.name, WATER_BUILD.format(
        lattice=lattice, edge=f"{edge:.6f}", cells=cells, molecule=folder / "spce.mol", data=fresh), CORES)
    fresh.rename(data)
    return data
