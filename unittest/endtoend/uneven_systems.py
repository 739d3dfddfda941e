# SPDX-License-Identifier: GPL-2.0-only
"""Small systems whose ranks own unequal numbers of atoms, as text of input scripts.

Either atoms fill only a part of the box, or sub-boxes are of unequal size: `{cuts}` stands for the command that cuts
the box (`cuts()`).
"""

import re
from typing import Dict

from charged_systems import SALT
from charged_systems import SLAB as SALT_SLAB
from charged_systems import WATER
from manybody_systems import SILICON, SW
from small_systems import CHAINS, LJ, METAL, MOLECULES

WIDTHS = (1.0, 2.0, 1.4)
"""Relative widths of sub-boxes, in turn."""


def cuts(ranks: int) -> str:
    """The command that cuts the box into unequal pieces along x."""
    widths = [WIDTHS[rank % 3] for rank in range(ranks)]
    fractions = [sum(widths[: rank + 1]) / sum(widths) for rank in range(ranks - 1)]
    return f"balance 1.0 x {' '.join(f'{fraction:.6f}' for fraction in fractions)}" if fractions else ""


def unequal_boxes(system: str) -> str:
    """The system with sub-boxes in a row of unequal widths."""
    return f"processors * 1 1\n{system}{{cuts}}\n"


def in_part(system: str, box: str, part: str) -> str:
    """The system in another box, with atoms only in a part of it; box and part are given as regions."""
    return re.sub("region box .*", f"region box {box}", system).replace(
        "create_atoms 1 box", f"region part {part}\ncreate_atoms 1 region part")


def with_pair_style(system: str, commands: str) -> str:
    """The system with another pair style."""
    return re.sub("pair_style .*\n(pair_coeff .*\n|pair_modify .*\n)*", commands, system)


DROPLET = in_part(LJ, "block 0 8 0 8 0 8", "sphere 3 3.3 3.1 2.6")
"""306 atoms off the centre of a box of 13.4."""
SLAB = in_part(LJ, "block 0 4 0 4 0 20", "block INF INF INF INF 1 7")
"""384 atoms in less than a third of a long box: sub-boxes are wider than the cut-off."""
FLAT = LJ.replace("units lj\n", "units lj\ndimension 2\n").replace(
    "fcc 0.8442", "sq2 0.8442") + "fix flat all enforce2d\n"

SHAPES: Dict[str, str] = {
    "droplet": DROPLET,
    "slab": SLAB,
    "void": in_part(LJ, "block 0 6 0 6 0 6", "sphere 4.2 4 4.3 2.6 side out"),
    "crack": in_part(LJ, "block 0 3 0 7 0 9", "block INF INF 1.5 INF 5 7.5 side out"),
    "density gradient": in_part(LJ, "block 0 4 0 4 0 9", "block INF INF INF INF INF INF") +
                        "variable gone atom \"z/lz > (7*id%31)/31\"\ngroup gone variable gone\n"
                        "delete_atoms group gone compress no\n",
    "walls": in_part(LJ.replace("units lj\n", "units lj\nboundary p s f\n"), "block 0 6 0 6 0 6",
                     "sphere 2.4 3.2 1.9 1.8")
             + "fix walls all wall/reflect zlo EDGE zhi EDGE\n",
    "no boundary is periodic": in_part(LJ.replace("units lj\n", "units lj\nboundary s f f\n"), "block 0 6 0 6 0 6",
                                       "sphere 2.4 2.3 1.9 1.8")
                               + "fix walls all wall/reflect ylo EDGE yhi EDGE zlo EDGE zhi EDGE\n",
    "triclinic": in_part(LJ, "prism 0 8 0 6 0 7 1.5 -1.0 2.0", "sphere 3 3.3 3.1 2.5"),
    "two dimensions": in_part(FLAT, "block 0 20 0 16 -0.1 0.1", "sphere 8 7 0 6"),
    "all atoms on one rank": in_part(LJ, "block 0 12 0 12 0 12", "block 0.5 2.5 0.5 2.5 0.5 2.5"),
    "unequal boxes": unequal_boxes(LJ),
}

SPHERES = LJ.replace("atom_style atomic", "atom_style hybrid atomic sphere\ncomm_modify vel yes")
CHARGES = LJ.replace("atom_style atomic", "atom_style charge").replace(
    "velocity all", "set type 1 charge 0.4\nset type 2 charge -0.6\nvelocity all")
BUCK = "pair_style buck 2.5\npair_coeff * * 3000.0 0.15 1.5\n"


def filled(system: str) -> str:
    """The system in a box that is somewhat longer, with atoms in about half of it."""
    return in_part(system, "block 0 4 0 4 0 9", "block INF INF INF INF 0.3 5.2")


def silicon(commands: str = SW) -> str:
    """Atoms of a diamond lattice in three fifths of a box."""
    return with_pair_style(in_part(SILICON, "block 0 3 0 3 0 5", "block INF INF INF INF 0.2 3.1"), commands)


def zincblende(commands: str, lattice: float) -> str:
    """The sites of the diamond lattice with two elements in turn."""
    return silicon(commands).replace("diamond 5.431", f"diamond {lattice}").replace(
        "set group all type/fraction 2 0.5 4711\n", "").replace(
        "region part\n", "region part basis 5 2 basis 6 2 basis 7 2 basis 8 2\n")


def tersoff(file: str, elements: str) -> str:
    return f"pair_style tersoff\npair_coeff * * {file} {elements}\n"


LONG_RANGE = "kspace_style pppm 1e-4\nkspace_modify mesh 12 15 16 order 5 gewald 0.4"

STYLES: Dict[str, str] = {
    "morse": filled(
        with_pair_style(LJ, "pair_style morse 2.5\npair_coeff * * 1.0 5.0 1.12\npair_coeff 1 2 1.2 4.5 1.1 2.2\n")),
    "buck": filled(with_pair_style(LJ, BUCK)),
    "lj/cut/coul/cut": filled(with_pair_style(CHARGES, "pair_style lj/cut/coul/cut 2.5 2.2\npair_coeff * * 1.0 1.0\n")),
    "lj/cut/coul/long": unequal_boxes(SALT.replace("{kspace}", LONG_RANGE)),
    "lj/cut/coul/long between walls": unequal_boxes(
        SALT_SLAB.replace("{kspace}", "kspace_style pppm 1e-4\nkspace_modify mesh 12 15 32 gewald 0.4 slab 3.0")),
    "rigid water": unequal_boxes(WATER.replace("{kspace}", LONG_RANGE)),
    "tail corrections": filled(LJ + "pair_modify tail yes\n"),
    "bonds": unequal_boxes(CHAINS),
    "weighted special bonds": unequal_boxes(CHAINS.replace("special_bonds fene", "special_bonds lj 0.0 0.3 0.7")),
    "molecules": unequal_boxes(MOLECULES),
    "sw": silicon(),
    "sw of two elements": zincblende("pair_style sw\npair_coeff * * GaN.sw Ga N\n", 4.5),
    "tersoff": silicon(tersoff("Si.tersoff", "Si Si")),
    "tersoff of two elements": zincblende(tersoff("SiC.tersoff", "Si C"), 4.36),
    "sw/mod": silicon("pair_style sw/mod maxdelcs 0.05 0.4\npair_coeff * * Si.sw Si Si\n"),
    "tersoff/zbl": zincblende("pair_style tersoff/zbl\npair_coeff * * SiC.tersoff.zbl Si C\n", 4.36),
    "tersoff/mod": silicon("pair_style tersoff/mod\npair_coeff * * Si.tersoff.mod Si Si\n"),
    "tersoff/mod/c": silicon("pair_style tersoff/mod/c\npair_coeff * * Si.tersoff.modc Si Si\n"),
    "vashishta": zincblende("pair_style vashishta\npair_coeff * * InP.vashishta In P\n", 5.87),
    "edip": silicon("pair_style edip\npair_coeff * * Si.edip Si Si\n"),
    "edip/multi": zincblende("pair_style edip/multi\npair_coeff * * SiC.edip Si C\n", 4.36),
    "hybrid": filled(with_pair_style(LJ, "pair_style hybrid lj/cut 2.5 morse 2.5\npair_coeff 1 1 lj/cut 1.0 1.0\n"
                                         "pair_coeff 1 2 lj/cut 1.0 1.0 2.2\npair_coeff 2 2 morse 2.0 5.0 1.1\n")),
    "hybrid/overlay": filled(with_pair_style(LJ,
                                             "pair_style hybrid/overlay lj/cut 2.5 beck 2.0\n"
                                             "pair_coeff * * lj/cut 1.0 1.0\n"
                                             "pair_coeff * * beck 0.5 0.2 0.8 2.0 0.1\n")),
    "the same style twice": filled(
        with_pair_style(LJ,
                        "pair_style hybrid/overlay lj/cut 2.5 lj/cut 1.8\npair_coeff * * lj/cut 1 1.0 1.0\n"
                        "pair_coeff 1 2 lj/cut 2 0.2 0.9\n")),
    "hybrid of three bodies and two": silicon(
        "pair_style hybrid sw lj/cut 6.0\npair_coeff * * sw Si.sw Si NULL\npair_coeff * 2 lj/cut 0.02 2.0\n"),
    "hybrid/overlay of three bodies and two": silicon("pair_style hybrid/overlay tersoff lj/cut 6.0\n"
                                                      "pair_coeff * * tersoff Si.tersoff Si Si\n"
                                                      "pair_coeff * * lj/cut 0.02 2.0\n"),
    "excluded types": filled(LJ) + "neigh_modify exclude type 1 2\n",
    "excluded group": filled(LJ) + "group some id 1:150\nneigh_modify exclude group some some\n",
    "ghosts with velocities": filled(SPHERES),
    "neighbor style nsq": filled(LJ.replace("0.3 bin", "0.3 nsq")),
    "neighbor style multi": filled(LJ.replace("0.3 bin", "0.3 multi")),
    "long cut-off of ghosts": filled(LJ) + "comm_modify cutoff 6.5\n",
}

EAM = in_part(METAL, "block 0 4 0 4 0 9", "block INF INF INF INF 0.3 5.2")
EMBEDDED: Dict[str, str] = {
    "eam": EAM,
    "eam/alloy": with_pair_style(EAM, "pair_style eam/alloy\npair_coeff * * Cu_mishin1.eam.alloy Cu\n"),
    "eam/fs": with_pair_style(EAM, "pair_style eam/fs\npair_coeff * * Fe_mm.eam.fs Fe\n").replace(
        "fcc 3.615", "bcc 2.855"),
    "hybrid of eam and lj/cut": with_pair_style(EAM.replace("create_box 1", "create_box 2").replace(
        "velocity all", "set group all type/fraction 2 0.3 4711\nmass 2 63.5\nvelocity all"),
                                                "pair_style hybrid eam lj/cut 6.0\npair_coeff 1 1 eam Cu_u3.eam\n"
                                                "pair_coeff * 2 lj/cut 0.2 2.3\n"),
    "eam in a triclinic box": re.sub("region box .*", "region box prism 0 4 0 4 0 9 1.3 -0.8 0.6", EAM),
}
"""Systems for the suffix /threadpool alone."""
