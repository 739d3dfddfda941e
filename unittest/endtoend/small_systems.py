# SPDX-License-Identifier: GPL-2.0-only
"""Small systems as text of input scripts, for tests of one behaviour each."""

from math import cos, sin

LJ = """\
units lj
atom_style atomic
atom_modify map array
lattice fcc 0.8442
region box block 0 5 0 5 0 5
create_box 2 box
create_atoms 1 box
mass * 1.0
set group all type/fraction 2 0.4 4711
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff * * 1.0 1.0 2.5
pair_coeff 2 2 0.8 0.9 2.0
neighbor 0.3 bin
neigh_modify every 2 delay 0 check no
fix integrate all nve
thermo_modify norm no format float %.17g
"""
"""500 Lennard-Jones atoms in a periodic box of 8.4, about two cut-offs wide on two ranks."""

CHAINS = """\
units lj
atom_style bond
atom_modify map array
special_bonds fene
lattice fcc 0.8442
region box block 0 5 0 5 0 5
create_box 1 box bond/types 1 extra/bond/per/atom 6 extra/special/per/atom 30
create_atoms 1 box
mass 1 1.0
displace_atoms all random 0.05 0.05 0.05 1234
velocity all create 1.0 87287 loop geom
bond_style fene
bond_coeff 1 30.0 1.5 1.0 1.0
pair_style lj/cut 1.12
pair_coeff 1 1 1.0 1.0 1.12
pair_modify shift yes
comm_modify cutoff 2.0
create_bonds single/bond 1 1 2
create_bonds single/bond 1 3 4
create_bonds many all all 1 0.5 1.09
neighbor 0.4 bin
neigh_modify every 1 delay 0 check yes
fix integrate all nve
thermo_modify norm no format float %.17g
"""
"""Bead-spring network: lattice neighbors that are close have a bond."""

MOLECULES = """\
units real
atom_style full
atom_modify map array
special_bonds charmm
region box block 0 8.5 0 5.5 0 5.5
create_box 2 box bond/types 2 angle/types 2 dihedral/types 3 improper/types 2 extra/bond/per/atom 4 &
  extra/angle/per/atom 4 &
  extra/dihedral/per/atom 4 extra/improper/per/atom 4 extra/special/per/atom 12
""" + "".join(f"create_atoms {1 + k % 2} single {0.5 + 0.9 * k:.3f} {2.7 + 0.8 * cos(1.7 * k):.3f} "
              f"{2.7 + 0.8 * sin(1.7 * k):.3f}\n" for k in range(8)) + """\
mass 1 12.0
mass 2 14.0
set type 1 charge 0.3
set type 2 charge -0.3
bond_style harmonic
bond_coeff 1 300.0 1.5
bond_coeff 2 250.0 1.45
angle_style charmm
angle_coeff 1 50.0 105.0 10.0 2.4
angle_coeff 2 60.0 110.0 0.0 0.0
dihedral_style charmm
dihedral_coeff 1 0.8 3 0 1.0
dihedral_coeff 2 1.2 2 180 0.5
dihedral_coeff 3 0.4 1 60 0.0
improper_style harmonic
improper_coeff 1 20.0 80.0
improper_coeff 2 15.0 0.0
pair_style lj/charmm/coul/charmm 5.0 6.0
pair_coeff 1 1 0.05 2.0 0.03 1.9
pair_coeff 2 2 0.07 2.1
pair_modify mix arithmetic
""" + "".join(f"create_bonds single/bond {1 + k % 2} {k} {k + 1} special no\n" for k in range(1, 8)) + "".join(
    f"create_bonds single/angle {1 + k % 2} {k} {k + 1} {k + 2} special no\n" for k in range(1, 7)) + "".join(
    f"create_bonds single/dihedral {1 + k % 3} {k} {k + 1} {k + 2} {k + 3} special no\n"
    for k in range(1, 6)) + "".join(
    f"create_bonds single/improper {1 + k % 2} {k + 1} {k} {k + 2} {k + 3} special {'no' if k == 1 else 'yes'}\n"
    for k in (1, 4)) + """\
replicate 4 4 4
displace_atoms all move 4.1 2.2 1.7 units box
displace_atoms all random 0.05 0.05 0.05 31 units box
velocity all create 300.0 87287 loop geom
neighbor 1.0 bin
neigh_modify every 2 delay 0 check no
fix integrate all nve
timestep 0.5
thermo_modify norm no format float %.17g
"""
"""64 short chains with charges, bonds, angles, dihedrals and impropers, many across a boundary; one type of dihedral
has no 1-4 pairs."""

METAL = """\
units metal
atom_style atomic
atom_modify map array
lattice fcc 3.615
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 box
pair_style eam
pair_coeff 1 1 Cu_u3.eam
velocity all create 1600.0 376847 loop geom
neighbor 1.0 bin
neigh_modify every 2 delay 0 check no
fix integrate all nve
timestep 0.005
thermo_modify norm no format float %.17g
"""
"""500 copper atoms; eam exchanges densities by reverse and forward communication in each step."""

GRAINS = """\
units lj
atom_style sphere
atom_modify map array
boundary p p f
newton off
comm_modify vel yes
region box block 0 8 0 8 0 10 units box
create_box 1 box
lattice sc 1.1
region fill block 0.2 7.8 0.2 7.8 0.6 6 units box
create_atoms 1 region fill
set group all diameter 1.05 density 1.0
velocity all create 1.0 2345 loop geom
pair_style gran/hooke/history 20000.0 NULL 50.0 NULL 0.5 1
pair_coeff * *
neighbor 0.1 bin
neigh_modify every 1 delay 0 check yes
timestep 0.0005
fix gravity all gravity 10.0 chute 26.0
fix floor all wall/gran hooke/history 20000.0 NULL 50.0 NULL 0.5 1 zplane 0.0 10.0
fix integrate all nve/sphere
thermo_modify norm no format float %.17g
"""
"""Falling spheres: ghosts need velocities, and the contact history is sent back to its owner."""

SYSTEMS = {"lj": LJ, "chains": CHAINS, "metal": METAL, "grains": GRAINS}


def dump(path, group: str = "all", columns: str = "fx fy fz") -> str:
    """The command that writes per-atom columns, sorted by id, with all digits."""
    return f"write_dump {group} custom {path} id x y z {columns} modify sort id format float %.17g"
