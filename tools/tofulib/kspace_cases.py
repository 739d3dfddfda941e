# SPDX-License-Identifier: GPL-2.0-only
"""Inputs of bench --kspace: meshes with very few atoms, rhodopsin, and boxes of water; and the ways to compute each of
them."""

import math
import random
from typing import NamedTuple

from . import bench, cache, threads, trial
from .configuration import P2P, Configuration

CORES = bench.RANKS

#: Ranks in x, y and z for each number of ranks.
GRIDS = {1: (1, 1, 1), 2: (1, 1, 2), 4: (1, 2, 2), 8: (2, 2, 2)}
#: Transforms of pppm/offload, as words of kspace_modify.
TRANSFORMS = {"partial": "fft partial chain direct", "ring": "fft partial chain ring", "pencil": "fft pencil",
              "replicated": "fft replicated"}
#: Points along an edge of the mesh of one rank, and of a whole mesh. Meshes with 7 points are left out: pppm would take
#: 8 points instead, since it allows factors of 2, 3 and 5 only.
POINTS_OF_A_RANK = (4, 5, 6, 8)
POINTS_OF_A_MESH = (32, 48, 64)
#: Number of points of a whole mesh for which a step of the slowest transform on one core takes about a millisecond. It
#: decides how many steps are measured.
POINTS_OF_A_MILLISECOND = 4000
SECONDS = 0.4
STEPS_OF_FFT = (10, 4000)    #: least and most

STOCK, OURS = "pppm", "offload"

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
    quantity: str          #: compared quantity: a section of LAMMPS' timing breakdown, or "step"


def stock_kspace(accuracy):
    """Command for pppm, which a suffix may replace by its variant."""
    return f"kspace_style pppm {accuracy}"


def our_kspace(accuracy, words):
    """Commands for pppm/offload with keywords of its own."""
    return f"kspace_style pppm/offload {accuracy}\nkspace_modify {words}"


# FFT alone

FFT_SCRIPT = """\
units real
atom_style charge
processors {grid}
region box block 0 {nx} 0 {ny} 0 {nz}
create_box 1 box
{atoms}
mass 1 1.0
pair_style coul/long 1.0
pair_coeff * *
@kspace@
kspace_modify mesh {nx} {ny} {nz} gewald 0.5
neighbor 0.2 bin
neigh_modify every 1000000 delay 1000000 check no
thermo 0
run {warm_up}
run @steps@
"""


def fft_cases():
    """Cases by name: one charge in each octant of a box whose atoms do not move, so that the Kspace section is the work
    on the mesh."""
    shapes = {f"fft{points}": lambda grid, points=points: [points * n for n in grid] for points in POINTS_OF_A_RANK}
    shapes.update({f"fft{points}whole": lambda grid, points=points: [points] * 3 for points in POINTS_OF_A_MESH})
    return {f"{name}x{ranks}": fft_case(f"{name}x{ranks}", ranks, shape(grid)) for name, shape in shapes.items()
            for ranks, grid in GRIDS.items()}


def fft_case(name, ranks, mesh):
    """Case of a mesh with these numbers of points, which are one Angstrom apart."""
    atoms = []
    for octant in range(8):
        signs = [octant >> axis & 1 for axis in range(3)]
        place = " ".join(f"{n * (0.25 + 0.5 * sign):.3f}" for n, sign in zip(mesh, signs))
        atoms += [f"create_atoms 1 single {place} units box",
                  f"set atom {octant + 1} charge {1 - 2 * (sum(signs) % 2)}"]
    points = math.prod(mesh)
    steps = round(min(max(SECONDS * 1000 * POINTS_OF_A_MILLISECOND / points * min(1, CORES / ranks) ** 2,
                          STEPS_OF_FFT[0]), STEPS_OF_FFT[1]))
    numbers = dict(zip(("nx", "ny", "nz"), mesh))
    script = FFT_SCRIPT.format(grid=" ".join(map(str, GRIDS[ranks])), atoms="\n".join(atoms),
                               warm_up=max(steps // 10, 2), **numbers)
    ways = (Way("pppm", STOCK, ranks, 1, (), stock_kspace("1e-4")),
            *(Way(label, OURS, ranks, 1, (), our_kspace("1e-4", f"{words} overlap no"))
              for label, words in TRANSFORMS.items()))
    return Case(name, script, steps, None, ways, "Kspace")


# whole steps

def our_ways(accuracy):
    """Ways for both layouts of ranks and threads, each with and without overlap. One rank with overlap leaves a core to
    the thread of the long-range part."""
    found = []
    for ranks, parts, overlap in ((CORES, 1, "no"), (CORES, 1, "yes"), (1, CORES, "no"), (1, CORES - 1, "yes")):
        words = Configuration("threadpool", ranks, parts, P2P).arguments
        found.append(Way(f"offload {ranks}x{CORES // ranks}, overlap {overlap}", OURS, ranks, CORES // ranks, words,
                         our_kspace(accuracy, f"overlap {overlap}")))
    return tuple(found)


def rhodo_case(lammps):
    """Case of LAMMPS' rhodopsin benchmark, with the suffix on both sides."""
    text = bench.changed_input(lammps, "bench/in.rhodo", (r"^kspace_style\s+pppm\s+1e-4.*$", "@kspace@"),
                               (bench.RUN, f"run {math.ceil(bench.WARM_UP * RHODO_STEPS)}\nrun @steps@"))
    ours = our_ways("1e-4")
    same = tuple(Way(f"pppm {way.ranks}x{way.threads}", STOCK, way.ranks, way.threads, way.arguments,
                     stock_kspace("1e-4"))
                 for way in ours if way.name.endswith("no"))
    return Case("rhodo", text, RHODO_STEPS, lammps.source.path / "bench", same + ours, "step")


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
    stock = tuple(Way(name, STOCK, one.ranks, one.threads, one.arguments, stock_kspace("1e-4"))
                  for name, one in threads.configurations().items() if one.suffix != "threadpool")
    return Case(f"water{molecules}", script, steps, None, stock + our_ways("1e-4"), "step")


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
    fresh, script = folder / f"{data.name}.{random.getrandbits(32):x}", folder / f"in.{data.name}"
    script.write_text(WATER_BUILD.format(lattice=lattice, edge=f"{edge:.6f}", cells=cells, molecule=folder / "spce.mol",
                                         data=fresh), encoding="utf-8")
    trial.runs_of(lammps, script, folder / f"log.{data.name}", CORES)
    fresh.rename(data)
    return data
