# SPDX-License-Identifier: GPL-2.0-only
"""Inputs of bench --deepmd: atoms, models, and the ways to compute them."""

import itertools
import math
import random
from typing import NamedTuple

from . import bench
from .configuration import P2P, Configuration

CORES = bench.RANKS

#: Volume of a molecule of water [cubic Angstrom], length of its bonds [Angstrom], and the angle between them [degrees].
VOLUME, BOND, ANGLE = 29.9, 0.9572, 104.52
#: Edge of the cell of copper with four atoms [Angstrom], and the largest displacement of an atom from its site.
CELL, DISPLACEMENT = 3.62, 0.1
#: Edge of the box of a slab across it, in thicknesses, and the distance of the slab from the middle of the box, so that
#: one of two ranks has most of the atoms.
ROOM, SHIFT = 3.0, 0.35
SIDE_BY_SIDE = "processors 1 1 2"
#: Charges by type, with Wannier centers, and points of the mesh between two molecules, which are 3.1 Angstrom apart.
CHARGES = {1: 6.0, 2: 1.0, 3: -8.0}
POINTS = 6
RING = "fix ring all ring_balance 10 1.05"
#: Steps between two builds of lists, when fix ring_balance decides, and least number of steps of a warm-up, in which
#: its first decision is.
LISTS, LISTS_OF_SLAB, WARM_UP_OF_SLAB = 50, 10, 20


class Way(NamedTuple):
    """One way to compute a case."""

    name: str
    kit: bool              #: whether deepmd-kit's plug-in computes the model
    ranks: int = 1
    threads: int = 1
    mixed: bool = False
    commands: str = ""     #: commands in front of the runs

    @property
    def words(self):
        """Arguments of LAMMPS."""
        precision = "mixed" if self.mixed else "double"
        return () if self.kit else Configuration("threadpool", self.ranks, self.threads, P2P, precision).arguments


def sides(ranks):
    """deepmd-kit and TOFU in both precisions, on as many cores as ranks; the reference first."""
    return (Way("deepmd-kit", True, ranks), Way("double", False, ranks), Way("mixed", False, ranks, mixed=True))


SHARED = (Way("2 ranks", False, 2), Way("2 threads", False, 1, 2), Way("1 core", False, 1))
BALANCED = (Way("none", False, 2), Way("ring", False, 2, commands=RING))


class Model(NamedTuple):
    """A model, as arguments of the script that makes it, and masses of its types. Without arguments it is one with
    long-range forces, whose script needs data."""

    words: tuple
    masses: tuple

    @property
    def script(self):
        """Name of the script."""
        return "deepmd_models.py" if self.words else "deepmd_dplr_models.py"


MODELS = {
    "water": Model(("O,H", "46,92", "6.0", "25,50,100", "16", "240,240,240"), (15.999, 1.008)),
    "dplr": Model((), (15.999, 1.008, 15.999)),
    "copper": Model(("Cu", "138", "6.0", "25,50,100", "16", "240,240,240"), (63.546,)),
}


class Case(NamedTuple):
    """Atoms on a grid, and the ways that are compared; the first way is the reference."""

    model: str
    grid: tuple            #: cells of copper, or sites of molecules
    steps: int
    ways: tuple
    quantity: str          #: "pair": time of Pair on one core; "step": of the whole step
    molecules: int = 0     #: of water, if they are fewer than sites
    slab: bool = False

    @property
    def atoms(self):
        """Number of atoms, without Wannier centers."""
        sites = math.prod(self.grid)
        return 4 * sites if self.model == "copper" else 3 * (self.molecules or sites)


def dplr(grid, steps):
    """A case with Wannier centers on all cores."""
    return Case("dplr", grid, steps, sides(CORES), "step")


def water(grid, steps):
    """A case on one core."""
    return Case("water", grid, steps, sides(1), "pair")


CASES = {
    "water1": water((1, 1, 1), 600), "water2": water((2, 1, 1), 400), "water4": water((2, 2, 1), 300),
    "water8": water((2, 2, 2), 200), "water64": water((4, 4, 4), 40), "water512": water((8, 8, 8), 8),
    "water4096": water((16, 16, 16), 2), "copper256": Case("copper", (4, 4, 4), 40, sides(1), "pair"),
    "paper": Case("water", (6, 6, 6), 40, sides(CORES), "step", molecules=188),
    "dplr16": dplr((4, 2, 2), 300), "dplr128": dplr((8, 4, 4), 60),
    "shared2": Case("water", (2, 1, 1), 2000, SHARED, "step"),
    "shared8": Case("water", (2, 2, 2), 800, SHARED, "step"),
    "shared64": Case("water", (4, 4, 4), 100, SHARED, "step"),
    "shared128": Case("water", (8, 4, 4), 60, SHARED, "step"),
    "slab64": Case("water", (4, 4, 4), 100, BALANCED, "step", slab=True),
    "slab512": Case("water", (8, 8, 8), 30, BALANCED, "step", slab=True),
}


# atoms

def atoms_of(case):
    """Edges of the box, and (type, x, y, z) of each atom [Angstrom]; the same ones every time."""
    stream = random.Random(1)
    if case.model == "copper":
        parts = ((0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0))
        box = [CELL * n for n in case.grid]
        return box, [(1, *(CELL * (cell + part) + stream.uniform(-DISPLACEMENT, DISPLACEMENT)
                           for cell, part in zip(cells, part)))
                     for cells in itertools.product(*map(range, case.grid)) for part in parts]
    count = case.molecules or math.prod(case.grid)
    spacing = (VOLUME * count / math.prod(case.grid)) ** (1 / 3)
    box = [spacing * n for n in case.grid]
    sites = itertools.islice(itertools.product(*map(range, case.grid)), count)
    atoms = [atom for site in sites for atom in molecule(stream, [spacing * (n + 0.5) for n in site])]
    if case.slab:
        thickness = box[2]
        box[2] *= ROOM
        atoms = [(kind, x, y, z + box[2] / 2 - thickness * (0.5 + SHIFT)) for kind, x, y, z in atoms]
    return box, atoms


def molecule(stream, center):
    """A molecule of water in a random orientation, with its oxygen at the center."""
    first, other = direction(stream), direction(stream)
    along = sum(a * b for a, b in zip(first, other))
    across = [b - along * a for a, b in zip(first, other)]
    size = math.hypot(*across)
    angle = math.radians(ANGLE)
    second = [math.cos(angle) * a + math.sin(angle) * b / size for a, b in zip(first, across)]
    return [(1, *center), *((2, *(x + BOND * a for x, a in zip(center, way))) for way in (first, second))]


def direction(stream):
    """A random unit vector."""
    vector = [stream.gauss(0, 1) for _ in range(3)]
    return [x / math.hypot(*vector) for x in vector]


def write_data(path, case):
    """Write the atoms of a case as a data file."""
    box, atoms = atoms_of(case)
    masses = MODELS[case.model].masses
    if case.model == "dplr":
        write_charges(path, box, atoms, masses)
        return
    lines = [f"{case.model} of bench --deepmd", "", f"{len(atoms)} atoms", f"{len(masses)} atom types", ""]
    lines += [f"0 {edge:.10f} {axis}lo {axis}hi" for edge, axis in zip(box, "xyz")]
    lines += ["", "Masses", "", *(f"{number} {mass}" for number, mass in enumerate(masses, 1)), "", "Atoms", ""]
    lines += [f"{number} {kind} {x:.10f} {y:.10f} {z:.10f}" for number, (kind, x, y, z) in enumerate(atoms, 1)]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


def write_charges(path, box, atoms, masses):
    """Write molecules of water with charges and Wannier centers, each at its oxygen and with a bond to it."""
    molecules = len(atoms) // 3
    rows = [(number // 3, *atom) for number, atom in enumerate(atoms)]
    rows += [(number, 3, *atoms[3 * number][1:]) for number in range(molecules)]
    lines = ["water with Wannier centers of bench --deepmd", "", f"{len(rows)} atoms", "3 atom types",
             f"{molecules} bonds", "1 bond types", ""]
    lines += [f"0 {edge:.10f} {axis}lo {axis}hi" for edge, axis in zip(box, "xyz")]
    lines += ["", "Masses", "", *(f"{number} {mass}" for number, mass in enumerate(masses, 1)), "", "Atoms", ""]
    lines += [f"{number} {molecule + 1} {kind} {CHARGES[kind]} {x:.10f} {y:.10f} {z:.10f}"
              for number, (molecule, kind, x, y, z) in enumerate(rows, 1)]
    lines += ["", "Bonds", "", *(f"{n + 1} 1 {3 * n + 1} {len(atoms) + n + 1}" for n in range(molecules))]
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")


# scripts

#: The time step is short: the model has no repulsion that would keep random places of atoms apart.
SCRIPT = """\
{load}units metal
atom_style atomic
{layout}
read_data {data}
pair_style {pair}
pair_coeff * *
neighbor 2.0 bin
neigh_modify every {lists} delay 0 check no
timestep 0.00001
velocity all create 300.0 87287
fix integrate all nve
{commands}
thermo_style custom step temp pe press
thermo_modify norm no format float %.17g
thermo 0
"""
#: The same with Wannier centers and long-range forces, as deepmd-kit's example has them.
DPLR_SCRIPT = """\
{load}units metal
atom_style full
{layout}
read_data {data}
pair_style {pair}
pair_coeff * *
bond_style zero
bond_coeff *
special_bonds lj/coul 1 1 1 angle no
kspace_style pppm/dplr 1e-5
kspace_modify gewald 0.40 diff ik mesh {mesh}
neighbor 2.0 bin
neigh_modify every {lists} delay 0 check no exclude type 1 3 exclude type 2 3
group real type 1 2
fix wannier all dplr model {model} type_associate 1 3 bond_type 1
fix_modify wannier virial yes
timestep 0.00001
velocity real create 300.0 87287
fix integrate real nve
{commands}
thermo_style custom step temp pe elong press
thermo_modify norm no format float %.17g
thermo 0
"""
FIRST_FORCES = """\
run 0
write_dump all custom {forces} id fx fy fz modify sort id format float %.17g
"""


def script_of(case, way, data, model, plugin, forces=None):
    """The input of a way.

    Args:
        case: What is computed.
        way: One of its ways.
        data: Its data file.
        model: The file of the model.
        plugin: deepmd-kit's plug-in.
        forces: File for the first forces. None: a run that ends after the first forces, without writing them.
    """
    text = (DPLR_SCRIPT if case.model == "dplr" else SCRIPT).format(
        load=f"plugin load {plugin}\n" if way.kit else "", data=data, model=model,
        pair=f"deepmd {model}", layout=SIDE_BY_SIDE if case.slab else "", commands=way.commands,
        lists=LISTS_OF_SLAB if case.slab else LISTS, mesh=" ".join(str(POINTS * n) for n in case.grid))
    if forces is None:
        return text + "run 0\n"
    warm_up = max(math.ceil(bench.WARM_UP * case.steps), WARM_UP_OF_SLAB if case.slab else 1)
    return text + FIRST_FORCES.format(forces=forces) + f"run {warm_up}\nrun {case.steps}\n"
