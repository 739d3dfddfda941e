# SPDX-License-Identifier: GPL-2.0-only
"""Small systems with charges as text of input scripts; `{kspace}` stands for the commands that choose the long-range
part."""

import math
import random
from typing import List, Tuple

Vector = Tuple[float, float, float]

BOND = 1.0
"""Length of an O-H bond of SPC/E [Angstrom]."""
ANGLE = math.radians(109.47)
SPACING = 3.1
"""Distance of the lattice on which molecules start [Angstrom]; 1 g/cm3."""
MOLECULES_OF_A_CELL = 8
CLEARANCE = 1.65
"""Smallest distance of atoms of two molecules at the start [Angstrom]."""

SALT = """\
units real
atom_style charge
atom_modify map array
lattice custom 6.2 a1 1 0 0 a2 0 1 0 a3 0 0 1 basis 0 0 0 basis 0.5 0.5 0 basis 0.5 0 0.5 basis 0 0.5 0.5 &
  basis 0.5 0 0 basis 0 0.5 0 basis 0 0 0.5 basis 0.5 0.5 0.5
region box block 0 3 0 3 0 3
create_box 2 box
create_atoms 1 box basis 5 2 basis 6 2 basis 7 2 basis 8 2
mass 1 22.99
mass 2 35.45
reset_atoms id sort yes
set type 1 charge 1.0
set type 2 charge -1.0
displace_atoms all random 0.4 0.4 0.4 4711 units box
group sodium type 1
group chloride type 2
velocity all create 1500.0 87287 loop geom
pair_style lj/cut/coul/long 7.0
pair_coeff 1 1 0.3526 2.16
pair_coeff 2 2 0.0128 4.83
pair_modify mix arithmetic
{kspace}
neighbor 1.0 bin
neigh_modify every 2 delay 0 check no
fix integrate all nve
timestep 1.0
thermo_modify norm no format float %.17g
"""
"""216 ions of molten NaCl in a cube of 18.6 Angstrom."""

TILTED_SALT = SALT.replace("region box block 0 3 0 3 0 3", "region box prism 0 3 0 3 0 3 1.2 -0.8 0.7")
"""The same in a triclinic box, of which all three tilts are large."""

SLAB = SALT.replace("atom_style charge", "atom_style charge\nboundary p p f").replace(
    "region box block 0 3 0 3 0 3", "region box block 0 3 0 3 0 4").replace(
    "create_atoms 1 box", "region fill block 0 3 0 3 0.4 3.6\ncreate_atoms 1 region fill") + """\
fix walls all wall/lj93 zlo EDGE 0.5 2.5 6.0 zhi EDGE 0.5 2.5 6.0
"""
"""The salt between two walls; it needs `kspace_modify slab`."""


def water(cells: int = 3) -> str:
    """Rigid SPC/E water, oriented at random.

    Args:
        cells: cells of 8 molecules along each edge of the box.
    """
    atoms = [atom for molecule in oriented_cell() for atom in molecule]
    lines = ["units real", "atom_style full", "atom_modify map array",
             f"region box block 0 {2 * SPACING} 0 {2 * SPACING} 0 {2 * SPACING}",
             "create_box 2 box bond/types 1 angle/types 1 extra/bond/per/atom 2 extra/angle/per/atom 1 "
             "extra/special/per/atom 2",
             *(f"create_atoms {1 if number % 3 == 0 else 2} single {x:.9f} {y:.9f} {z:.9f}"
               for number, (x, y, z) in enumerate(atoms)),
             "mass 1 15.9994", "mass 2 1.008", "set type 1 charge -0.8476", "set type 2 charge 0.4238",
             "pair_style lj/cut/coul/long 3.0", "pair_coeff * * 0 0", "pair_coeff 1 1 0.1553 3.166",
             "bond_style harmonic", "bond_coeff 1 450.0 1.0", "angle_style harmonic", "angle_coeff 1 55.0 109.47",
             "special_bonds lj/coul 0 0 0.5"]
    for oxygen in range(1, len(atoms), 3):
        lines += [f"set atom {oxygen}*{oxygen + 2} mol {(oxygen + 2) // 3}",
                  *(f"create_bonds single/bond 1 {oxygen} {oxygen + k} special no" for k in (1, 2)),
                  f"create_bonds single/angle 1 {oxygen + 1} {oxygen} {oxygen + 2} special "
                  f"{'yes' if oxygen + 2 == len(atoms) else 'no'}"]
    return "\n".join([*lines, f"replicate {cells} {cells} {cells}", "velocity all create 300.0 87287 loop geom",
                      f"pair_style lj/cut/coul/long {min(7.0, SPACING * cells - 1.0)}", "pair_coeff * * 0 0",
                      "pair_coeff 1 1 0.1553 3.166", "{kspace}",
                      "neighbor 1.0 bin", "neigh_modify every 2 delay 0 check no", "fix integrate all nve",
                      "fix rigid all shake 1e-8 100 0 b 1 a 1",
                      "timestep 1.0", "thermo_modify norm no format float %.17g", ""])


def oriented_cell() -> List[List[Vector]]:
    """Positions of O, H and H of the molecules of one cell; no molecule is too near to another or to an image of it."""
    draw = random.Random(4711)
    placed: List[List[Vector]] = []
    for number in range(MOLECULES_OF_A_CELL):
        oxygen = tuple(SPACING * (0.5 + (number >> axis & 1)) for axis in range(3))
        molecule = oriented_molecule(draw, oxygen)
        while any(distance(one, other) < CLEARANCE for one in molecule for neighbor in placed for other in neighbor):
            molecule = oriented_molecule(draw, oxygen)
        placed.append(molecule)
    return placed


def oriented_molecule(draw: random.Random, oxygen: Vector) -> List[Vector]:
    """Positions of O, H and H of a molecule in a random plane."""
    along, other = unit_vector(draw), unit_vector(draw)
    overlap = sum(a * b for a, b in zip(along, other))
    across = [b - overlap * a for a, b in zip(along, other)]
    length = math.sqrt(sum(a * a for a in across))
    hydrogens = [[math.cos(ANGLE / 2) * a + side * math.sin(ANGLE / 2) * b / length for a, b in zip(along, across)]
                 for side in (-1, 1)]
    return [oxygen, *(tuple(o + BOND * h for o, h in zip(oxygen, hydrogen)) for hydrogen in hydrogens)]


def unit_vector(draw: random.Random) -> Vector:
    """A unit vector of random direction."""
    vector = [draw.gauss(0.0, 1.0) for _ in range(3)]
    length = math.sqrt(sum(a * a for a in vector))
    return tuple(a / length for a in vector)


def distance(one: Vector, other: Vector) -> float:
    """Distance of the nearest images in the cell."""
    cell = 2 * SPACING
    return math.sqrt(sum(((a - b + cell / 2) % cell - cell / 2) ** 2 for a, b in zip(one, other)))


WATER = water()
"""216 molecules in a cube of 18.6 Angstrom."""
