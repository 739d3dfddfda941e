# SPDX-License-Identifier: GPL-2.0-only
"""Inputs of bench --gromacs: the same atoms, forces and time step for LAMMPS and for GROMACS."""

import itertools
import math
import re
from typing import NamedTuple

from . import water

#: Argon for reduced units: length [nm], energy [kJ/mol], mass [g/mol]; density, cut-off, temperature and time step of
#: LAMMPS' bench/in.lj in reduced units.
SIGMA, EPSILON, MASS = 0.34, 0.996, 39.948
DENSITY, CUTOFF, TEMPERATURE, TIME_STEP = 0.8442, 2.5, 1.44, 0.005
BOLTZMANN = 0.0083144626    #: [kJ/mol/K]
#: Edge of the box of bench/in.lj in cells of four atoms, and unit of time [ps].
CELLS = 20
TAU = SIGMA * math.sqrt(MASS / EPSILON)
MOLECULES = 4000
KJ_OF_KCAL = 4.184
SKINS = ("1.5", "2.0", "3.0")    #: of water [Angstrom], of which the best counts
#: Words of kspace_modify for water; root mean square error of forces 0.0185 kcal/mol/Angstrom, GROMACS' is 0.0188.
DERIVATIVES = "diff ad order 5 mesh 32 32 32"


class Case(NamedTuple):
    """A system."""

    script: str      #: LAMMPS input with @skin@, @kspace@, @warm@ and @steps@ in it
    files: dict      #: GROMACS' files by name
    steps: int
    skins: tuple     #: skins of LAMMPS; one word: that of the input
    charges: bool
    unit: float      #: LAMMPS' unit of energy [kJ/mol]


PARAMETERS = """\
integrator = md
dt = {step:.8f}
nsteps = {steps}
nstlog = 0
nstenergy = 0
nstcalcenergy = 100
cutoff-scheme = Verlet
vdwtype = cut-off
vdw-modifier = none
rvdw = {cutoff}
rcoulomb = {cutoff}
"""

ENERGY = """\
thermo_style custom step pe
thermo_modify norm no format float %.12g
thermo 0
"""

LJ_SCRIPT = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {cells} 0 {cells} 0 {cells}
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor @skin@ bin
neigh_modify delay 0 every 20 check no
fix integrate all nve
""" + ENERGY + """\
run @warm@
run @steps@
"""

LJ_TOPOLOGY = """\
[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
AR {mass} 0.0 A {sigma} {epsilon}
[ moleculetype ]
AR 1
[ atoms ]
1 AR 1 AR AR 1 0.0 {mass}
[ system ]
argon
[ molecules ]
AR {atoms}
"""

WATER_TOPOLOGY = """\
[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
OW 15.9994 0.0 A 0.3166 {epsilon}
HW 1.008 0.0 A 0.0 0.0
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW 1 -0.8476 15.9994
2 HW 1 SOL HW1 1 0.4238 1.008
3 HW 1 SOL HW2 1 0.4238 1.008
[ settles ]
1 1 0.1 0.16329809
[ exclusions ]
1 2 3
2 1 3
3 1 2
[ system ]
water
[ molecules ]
SOL {molecules}
"""


def make(name, lammps):
    """Make the case of that name."""
    return {"lj32000": lj_case, "water4000": water_case}[name](lammps)


NAMES = ("lj32000", "water4000")


def lj_case(_):
    """The Lennard-Jones liquid of LAMMPS' benchmark."""
    edge = SIGMA * (4 / DENSITY) ** (1 / 3)
    corners = ((0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0))
    places = [[edge * (cell + part) for cell, part in zip(cells, corner)]
              for cells in itertools.product(range(CELLS), repeat=3) for corner in corners]
    steps = 400
    parameters = PARAMETERS.format(step=TIME_STEP * TAU, steps=2 * steps, cutoff=CUTOFF * SIGMA)
    parameters += f"gen-vel = yes\ngen-temp = {TEMPERATURE * EPSILON / BOLTZMANN:.3f}\ngen-seed = 87287\n"
    files = {"run.mdp": parameters, "start.g96": g96([("AR", "AR")] * len(places), places, [edge * CELLS] * 3, 1),
             "system.top": LJ_TOPOLOGY.format(mass=MASS, sigma=SIGMA, epsilon=EPSILON, atoms=len(places))}
    return Case(LJ_SCRIPT.format(cells=CELLS), files, steps, ("0.3",), False, EPSILON)


def water_case(lammps):
    """SPC/E water that has settled."""
    steps = 100
    script = water.script(water.SPCE, MOLECULES, lammps, "@warm@", "nve").replace("neighbor 2.0", "neighbor @skin@")
    script = script.replace("delay 4 every 2 check yes", "delay 0 every 1 check yes").replace("thermo 0\n", ENERGY)
    box, atoms = read_data(water.settled(water.SPCE, MOLECULES, lammps).read_text(encoding="utf-8"))
    parameters = PARAMETERS.format(step=0.002, steps=2 * steps, cutoff=0.9)
    parameters += "coulombtype = PME\nfourierspacing = 0.12\npme-order = 4\n"
    names = [("SOL", name) for _ in range(MOLECULES) for name in ("OW", "HW1", "HW2")]
    files = {"run.mdp": parameters, "start.g96": g96(names, [place for place, _ in atoms], box, 3,
                                                     [speed for _, speed in atoms]),
             "system.top": WATER_TOPOLOGY.format(epsilon=water.SPCE.epsilon * KJ_OF_KCAL, molecules=MOLECULES)}
    return Case(script, files, steps, SKINS, True, KJ_OF_KCAL)


def read_data(text):
    """A data file of LAMMPS with molecules of three atoms that follow each other by ID.

    Returns:
        Edges of the box [nm], and place [nm] and velocity [nm/ps] of each atom, molecules whole, from the corner on.
    """
    bounds = [[float(word) for word in line]
              for line in re.findall(r"^(\S+) (\S+) [xyz]lo [xyz]hi", text, re.MULTILINE)]
    edges = [hi - lo for lo, hi in bounds]

    def section(name):
        body = re.search(rf"^{name}[^\n]*\n\n(.*?)(\n\n|\Z)", text, re.MULTILINE | re.DOTALL).group(1)
        return {int(words[0]): words[1:] for words in map(str.split, body.splitlines())}

    places, speeds = section("Atoms"), section("Velocities")
    atoms = []
    for first in range(1, len(places) + 1, 3):
        whole = [[float(x) - lo for x, (lo, _) in zip(places[first + k][3:6], bounds)] for k in range(3)]
        for other in whole[1:]:
            for dim, edge in enumerate(edges):
                other[dim] -= edge * round((other[dim] - whole[0][dim]) / edge)
        # LAMMPS: Angstrom, Angstrom/fs
        atoms += [([x / 10 for x in place], [100 * float(v) for v in speeds[first + k]])
                  for k, place in enumerate(whole)]
    return [edge / 10 for edge in edges], atoms


def g96(names, places, box, atoms_of_molecule, speeds=None):
    """A file of GROMOS-96, which has nine digits where .gro has three.

    Args:
        names: Names of residue and atom, of each atom.
        places: [nm].
        box: Edges [nm].
        atoms_of_molecule: Number of atoms of each.
        speeds: [nm/ps], or None.
    """
    def block(title, values):
        return [title, *(f"{(k // atoms_of_molecule + 1) % 100000:5d} {residue:<5s} {name:<5s}{(k + 1) % 10000000:7d}"
                         + "".join(f"{x:15.9f}" for x in value)
                         for k, ((residue, name), value) in enumerate(zip(names, values))), "END"]

    lines = ["TITLE", "bench --gromacs", "END", *block("POSITION", places)]
    if speeds:
        lines += block("VELOCITY", speeds)
    return "\n".join([*lines, "BOX", "".join(f"{edge:15.9f}" for edge in box), "END", ""])
