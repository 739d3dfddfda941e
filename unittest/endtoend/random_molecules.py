# SPDX-License-Identifier: GPL-2.0-only
"""Random molecules around the corners of the sub-boxes of two ranks along each dimension."""

import math
import random

SIDE = 7.0
"""Of the box; sub-boxes of 8 ranks are 3.5 wide."""

ATOMS = 6
"""In a molecule."""

REACH = 2.2
"""Largest distance of an atom that an interaction names from the atom that stores it."""


def random_molecules(seed: int, nmolecules: int = 24, tilted: bool = False) -> str:
    """A script without the first line, the comm style; forces are soft.

    Args:
        seed: of all random numbers.
        nmolecules: # of molecules, of ATOMS atoms each.
        tilted: whether the box is triclinic.
    """
    draw = random.Random(seed)
    box = f"prism 0 {SIDE} 0 {SIDE} 0 {SIDE} 1.1 -0.7 0.9" if tilted else f"block 0 {SIDE} 0 {SIDE} 0 {SIDE}"
    atoms, commands = [], []
    for _ in range(nmolecules):
        first = len(atoms) + 1
        corner = [draw.choice((0.0, SIDE / 2)) for _ in range(3)]
        places = [[c + draw.uniform(-0.8, 0.8) for c in corner]]
        while len(places) < ATOMS:
            places.append(next_place(draw, places[-1]))
        atoms += places
        commands += [f"create_bonds single/bond 1 {first + k} {first + k + 1} special no" for k in range(ATOMS - 1)]
        for kind, natoms, center in (("angle", 3, 1), ("dihedral", 4, 1), ("improper", 4, 1)):
            commands += [f"create_bonds single/{kind} 1 {' '.join(str(first + k) for k in members)} special no"
                         for members in (draw.sample(range(ATOMS), natoms) for _ in range(4))
                         if all(math.dist(places[members[center]], places[k]) < REACH for k in members)]
    commands.append(commands.pop().replace("special no", "special yes"))
    return "\n".join([
        "units lj", "atom_style molecular", "atom_modify map array", "special_bonds lj 0.1 0.5 0.8",
        f"region box {box}",
        "create_box 1 box bond/types 1 angle/types 1 dihedral/types 1 improper/types 1 extra/bond/per/atom 6 &",
        "  extra/angle/per/atom 24 extra/dihedral/per/atom 24 extra/improper/per/atom 24 extra/special/per/atom 30",
        *(f"create_atoms 1 single {' '.join(f'{x:.9f}' for x in place)}" for place in wrapped(atoms, tilted)),
        "mass 1 1.0", "pair_style soft 1.6", "pair_coeff * * 3.0", "bond_style harmonic", "bond_coeff 1 20.0 0.8",
        "angle_style cosine", "angle_coeff 1 1.0", "dihedral_style harmonic", "dihedral_coeff 1 0.5 1 2",
        "improper_style umbrella", "improper_coeff 1 0.3 20.0", "neighbor 0.3 bin", "comm_modify cutoff 2.4",
        *commands, "neigh_modify every 4 delay 0 check no", "velocity all create 1.0 4711 loop geom",
        "fix integrate all nve", "timestep 0.004",
        "thermo_style custom step temp epair ebond eangle edihed eimp etotal press pxx pxy",
        "thermo_modify norm no format float %.17g", "thermo 1", "run 20", ""])


def next_place(draw: random.Random, place: list) -> list:
    """A place at the length of a bond in a random direction."""
    way = [draw.gauss(0.0, 1.0) for _ in range(3)]
    length = math.sqrt(sum(w * w for w in way))
    return [x + 0.85 * w / length for x, w in zip(place, way)]


def wrapped(places: list, tilted: bool) -> list:
    """Places in the box."""
    xy, xz, yz = (1.1, -0.7, 0.9) if tilted else (0.0, 0.0, 0.0)
    inside = []
    for x, y, z in places:
        n = math.floor(z / SIDE)
        x, y, z = x - n * xz, y - n * yz, z - n * SIDE
        n = math.floor((y - yz * z / SIDE) / SIDE)
        x, y = x - n * xy, y - n * SIDE
        n = math.floor((x - xz * z / SIDE - xy * (y - yz * z / SIDE) / SIDE) / SIDE)
        inside.append([x - n * SIDE, y, z])
    return inside
