# SPDX-License-Identifier: GPL-2.0-only
"""Crystals and compounds for potentials with three bodies."""

SILICON = """\
units metal
atom_style atomic
atom_modify map array
lattice diamond 5.431
region box block 0 3 0 3 0 3
create_box 2 box
create_atoms 1 box
set group all type/fraction 2 0.5 4711
mass * 28.06
velocity all create 2000.0 376847 loop geom
pair_style sw
pair_coeff * * Si.sw Si Si
neighbor 1.0 bin
neigh_modify every 2 delay 0 check no
fix integrate all nve
timestep 0.001
thermo_modify norm no format float %.17g
"""
"""216 atoms; the box is four cut-offs wide."""
SW, TERSOFF = "pair_style sw\npair_coeff * * Si.sw Si Si\n", "pair_style tersoff\npair_coeff * * {}\n"
VASHISHTA, ADP = "pair_style vashishta\npair_coeff * * {}\n", "pair_style adp\npair_coeff * * {}\n"

EDIP, EDIP_MULTI = "pair_style edip\npair_coeff * * {}\n", "pair_style edip/multi\npair_coeff * * {}\n"


def compound(style: str, lattice: float, system: str = SILICON) -> str:
    return system.replace(SW, style).replace("diamond 5.431", f"diamond {lattice}")


METAL = compound(ADP.format("AlCu.adp Al Cu"), 4.05).replace("lattice diamond", "lattice fcc").replace("28.06", "40.0")
"""108 atoms; the box is not quite two cut-offs wide."""

CONCENTRATIONS = "pair_style {}\npair_coeff * * FeCr.cdeam Cr Fe\n"
ALLOY = compound(CONCENTRATIONS.format("eam/cd"), 2.86).replace("lattice diamond", "lattice bcc").replace(
    "block 0 3 0 3 0 3", "block 0 5 0 4 0 4").replace("28.06", "54.0")
"""160 atoms of iron and chromium, whose pair energies depend on the concentration."""
PAIR_CONCENTRATIONS = ALLOY.replace("eam/cd", "eam/cd/old")
WITH_OTHERS = PAIR_CONCENTRATIONS.replace("create_box 2 box", "create_box 3 box").replace(
    "mass *", "set group all type/fraction 3 0.2 815\nmass *").replace(
        CONCENTRATIONS.format("eam/cd/old"), "pair_style hybrid eam/cd/old lj/cut 5.0\n"
        "pair_coeff * * eam/cd/old FeCr.cdeam Cr Fe NULL\npair_coeff * 3 lj/cut 0.02 2.0\n")
"""The same with atoms of another potential."""

MEAM = "pair_style meam\npair_coeff * * {}\n"
MEAM_ALLOY = METAL.replace(ADP.format("AlCu.adp Al Cu"),
                           MEAM.format("library.meam AlS SiS MgS CuS FeS AlSiMgCuFe.meam AlS MgS"))
"""Aluminium and magnesium, with second neighbors that are screened in part."""

WITHOUT_ATOMS = """\
thermo_style custom step pe evdwl ecoul press pxx pyy pzz pxy pxz pyz
thermo_modify norm no format float %.17g
thermo 5
"""
"""Thermo output without energies and stresses of single atoms."""
