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
#: Charges by type, with Wannier centers, and points of the mesh between two molecules, which are 3.1 Angstrom apart.
CHARGES = {1: 6.0, 2: 1.0, 3: -8.0}
POINTS = 6


class Way(NamedTuple):
    """One way to compute a case."""

    name: str
    kit: bool              #: whether deepmd-kit's plug-in computes the model
    ranks: int = 1
    mixed: bool = False

    @property
    def words(self):
        """Arguments of LAMMPS."""
        precision = "mixed" if self.mixed else "double"
        return () if self.kit else Configuration("threadpool", self.ranks, 1, P2P, precision).arguments


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
    """Atoms on a grid."""

    model: str
    grid: tuple            #: cells of copper, or sites of molecules
    steps: int
    ranks: int = 1
    molecules: int = 0     #: of water, if they are fewer than sites

    @property
    def atoms(self):
        """Number of atoms, without Wannier centers."""
        sites = math.prod(self.grid)
        return 4 * sites if self.model == "copper" else 3 * (self.molecules or sites)

    @property
    def quantity(self):
        """What is compared: time of Pair on one core, or of the whole step."""
        return "pair" if self.ranks == 1 else "step"

    @property
    def ways(self):
        """deepmd-kit, which is the reference, and TOFU in both precisions."""
        return (Way("deepmd-kit", True, self.ranks), Way("double", False, self.ranks),
                Way("mixed", False, self.ranks, mixed=True))


CASES = {
    "water1": Case("water", (1, 1, 1), 600), "water2": Case("water", (2, 1, 1), 400),
    "water4": Case("water", (2, 2, 1), 300), "water8": Case("water", (2, 2, 2), 200),
    "water64": Case("water", (4, 4, 4), 40), "water512": Case("water", (8, 8, 8), 8),
    "water4096": Case("water", (16, 16, 16), 2), "copper256": Case("copper", (4, 4, 4), 40),
    "paper": Case("water", (6, 6, 6), 40, CORES, molecules=188),
    "dplr16": Case("dplr", (4, 2, 2), 300, CORES), "dplr128": Case("dplr", (8, 4, 4), 60, CORES),
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
    return box, [atom for site in sites for atom in molecule(stream, [spacing * (n + 0.5) for n in site])]


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
    places = [f"{x:.10f} {y:.10f} {z:.10f}" for _, x, y, z in atoms]
    rows, sizes, bonds = [f"{kind} {place}" for (kind, *_), place in zip(atoms, places)], [], []
    if case.model == "dplr":    # charges, and a Wannier center at each oxygen with a bond to it
        count = len(atoms) // 3
        rows = [f"{number // 3 + 1} {kind} {CHARGES[kind]} {place}"
                for number, ((kind, *_), place) in enumerate(zip(atoms, places))]
        rows += [f"{number + 1} 3 {CHARGES[3]} {places[3 * number]}" for number in range(count)]
        sizes = [f"{count} bonds", "1 bond types"]
        bonds = ["", "Bonds", "", *(f"{n + 1} 1 {3 * n + 1} {len(atoms) + n + 1}" for n in range(count))]
    lines = [f"{case.model} of bench --deepmd", "", f"{len(rows)} atoms", f"{len(masses)} atom types", *sizes, "",
             *(f"0 {edge:.10f} {axis}lo {axis}hi" for edge, axis in zip(box, "xyz")), "", "Masses", "",
             *(f"{number} {mass}" for number, mass in enumerate(masses, 1)), "", "Atoms", "",
             *(f"{number} {row}" for number, row in enumerate(rows, 1)), *bonds, ""]
    path.write_text("\n".join(lines), encoding="utf-8")


# scripts

#: The time step is short: the model has no repulsion that would keep random places of atoms apart.
SCRIPT = """\
{load}units metal
atom_style atomic
read_data {data}
pair_style {pair}
pair_coeff * *
neighbor 2.0 bin
neigh_modify every 50 delay 0 check no
timestep 0.00001
velocity all create 300.0 87287
fix integrate all nve
thermo_style custom step temp pe press
thermo_modify norm no format float %.17g
thermo 0
"""
#: The same with Wannier centers and long-range forces, as deepmd-kit's example has them.
DPLR_SCRIPT = """\
{load}units metal
atom_style full
read_data {data}
pair_style {pair}
pair_coeff * *
bond_style zero
bond_coeff *
special_bonds lj/coul 1 1 1 angle no
kspace_style pppm/dplr 1e-5
kspace_modify gewald 0.40 diff ik mesh {mesh}
neighbor 2.0 bin
neigh_modify every 50 delay 0 check no exclude type 1 3 exclude type 2 3
group real type 1 2
fix wannier all dplr model {model} type_associate 1 3 bond_type 1
fix_modify wannier virial yes
timestep 0.00001
velocity real create 300.0 87287
fix integrate real nve
thermo_style custom step temp pe elong press
thermo_modify norm no format float %.17g
thermo 0
"""
FIRST_FORCES = """\
run 0
write_dump all custom {forces} id fx fy fz modify sort id format float %.17g
run {warm_up}
run {steps}
"""


def script_of(case, way, data, model, plugin, forces):
    """The input of a way.

    Args:
        case: What is computed.
        way: One of its ways.
        data: Its data file.
        model: The file of the model.
        plugin: deepmd-kit's plug-in.
        forces: File for the first forces.
    """
    return ((DPLR_SCRIPT if case.model == "dplr" else SCRIPT) + FIRST_FORCES).format(
        load=f"plugin load {plugin}\n" if way.kit else "", data=data, model=model, pair=f"deepmd {model}",
        mesh=" ".join(str(POINTS * n) for n in case.grid), forces=forces,
        warm_up=math.ceil(bench.WARM_UP * case.steps), steps=case.steps)
