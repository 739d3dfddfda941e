# SPDX-License-Identifier: GPL-2.0-only
"""Small random systems of ReaxFF: force field, elements, box, boundaries, charges and options by a number.

Atoms are on a lattice with random displacements, at distances at which bonds are strong, weak and absent.
"""

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Tuple

FORCE_FIELDS = {
    "AB/ffield.reax.AB": "H B N", "CHO/ffield.reax.cho": "H C O", "FeOH3/ffield.reax.Fe_O_C_H": "H O Fe",
    "HNS/ffield.reax.hns": "C H O N", "RDX/ffield.reax.rdx": "H C O N", "ZnOH2/ffield.reax.ZnOH": "H O Zn",
}
"""Elements of each file of LAMMPS' examples; AB is the one with inner walls."""

MASSES = {"H": 1.008, "B": 10.811, "C": 12.0, "N": 14.0, "O": 15.999, "Fe": 55.845, "Zn": 65.38}

MEMORY = "safezone 4.0 mincap 500 minhbonds 500"
"""For LAMMPS' style, which stops if it has less."""

FIXES = ("qeq/reaxff 1 0.0 10.0 1e-12 reaxff maxiter 1000", "qeq/shielded 1 10.0 1e-12 1000 reaxff")
"""Arguments of fixes that equilibrate charges."""

SETTINGS = """\
units real
atom_style charge
atom_modify map array
boundary {boundary}
processors {grid}
lattice sc {spacing} origin 0.5 0.5 0.5
region box {shape} 0 {cells[0]} 0 {cells[1]} 0 {cells[2]} {tilt}
create_box {ntypes} box
create_atoms 1 box
{types}
displace_atoms all random {shake} {shake} {shake} {seed} units box
{masses}
pair_style {style}reaxff NULL {options} {memory}
pair_coeff * * {word}{file} {elements}
{more}
{charges}
neighbor {skin} bin
neigh_modify every {every} delay 0 check no
velocity all create 600.0 {seed} loop geom
fix integrate all nve
timestep 0.1
"""


@dataclass(frozen=True)
class RandomReaxFF:
    """A system.

    Args:
        number: what it was drawn by.
        ranks: number of ranks.
        parts: threads of each rank with the suffix.
        comm: comm_style with the suffix.
        text: commands before the first run, with {examples} for LAMMPS' folder of examples.
    """

    number: int
    ranks: int
    parts: int
    comm: str
    text: str

    def commands(self, examples: Path) -> str:
        return self.text.replace("{examples}", str(examples))


def random_reaxff(number: int) -> RandomReaxFF:
    """The system of a number."""
    w = random.Random(number)
    file = w.choice(sorted(FORCE_FIELDS))
    elements = FORCE_FIELDS[file].split()
    ranks = w.choice((1, 2, 2, 3, 4))
    periodic = w.random() < 0.7
    boundary = "p p p" if periodic else " ".join(w.choice(("p", "f")) for _ in range(3))
    cells = [w.randint(3, 6) for _ in range(3)]
    tilt = []
    if periodic and w.random() < 0.4:
        tilt = [f"{w.uniform(-0.45, 0.45) * cells[dim]:.3f}" for dim in (0, 0, 1)]
    absent = len(elements) > 2 and w.random() < 0.2
    equilibrated = not absent and w.random() < 0.6
    types = [f"set group all type/fraction {kind} {w.uniform(0.2, 0.6):.3f} {w.randint(1, 99999)}"
             for kind in range(2, len(elements) + 1)]
    options = [] if equilibrated else ["checkqeq no"]
    options += ["enobonds no"] if w.random() < 0.2 else []
    return RandomReaxFF(
        number, ranks, w.choice((1, 2, 3)), w.choice(("brick", "p2p/rdma")),
        SETTINGS.replace("{file}", "{{examples}}/" + file).format(
            boundary=boundary, shape="prism" if tilt else "block", cells=cells, tilt=" ".join(tilt),
            spacing=round(w.uniform(1.7, 3.2), 3), ntypes=len(elements),
            grid=w.choice(_grids(ranks)), types="\n".join(types), shake=round(w.uniform(0.05, 0.25), 3),
            masses="\n".join(f"mass {kind} {MASSES[name]}" for kind, name in enumerate(elements, 1)),
            style="hybrid/overlay lj/cut 8.0 " if absent else "", word="reaxff " if absent else "",
            options=" ".join(options), memory=MEMORY,
            elements=" ".join([*elements[:-1], "NULL"] if absent else elements),
            more=f"pair_coeff * {len(elements)} lj/cut 0.02 2.0" if absent else "",
            charges=f"fix charges all {w.choice(FIXES)}" if equilibrated else _charges(w, len(elements)),
            skin=round(w.uniform(0.3, 1.5), 3), every=w.choice((1, 2, 5)), seed=w.randint(1, 99999)))


def _grids(ranks: int) -> Tuple[str, ...]:
    """Processor grids."""
    return tuple(f"{x} {y} {ranks // (x * y)}" for x in range(1, ranks + 1) for y in range(1, ranks + 1)
                 if ranks % (x * y) == 0)


def _charges(w: random.Random, ntypes: int) -> str:
    """Fixed charges of each type."""
    return "\n".join(f"set type {kind} charge {w.uniform(-0.5, 0.5):.3f}" for kind in range(1, ntypes + 1))
