# SPDX-License-Identifier: GPL-2.0-only
"""Boxes of few atoms, with ghosts from many box lengths away: images of images, made swap by swap up to some atoms and
from their sources beyond."""

import numpy as np
import pytest

from lammps_output import read_snapshot, read_thermo
from lammps_run import BRICK, SHM, SHM_3STAGE, threadpool
from small_systems import dump

SYSTEM = """\
units lj
atom_style atomic
atom_modify map array
region box {shape} units box
create_box 1 box
create_atoms 1 random {natoms} 4711 box overlap 0.25 maxtry 5000 units box
mass * 1.0
pair_style lj/cut 2.6
pair_coeff * * 0.01 0.3
velocity all set 0.3 0.2 -0.1
neighbor 0.1 bin
neigh_modify delay 0 every 3 check no
comm_modify cutoff 5.0
fix integrate all nve
thermo_style custom step temp pe press
thermo 5
run 10
"""

SHAPES = {"box": "block 0 1 0 1.1 0 0.9", "tilted box": "prism 0 1 0 1.1 0 0.9 0.3 -0.2 0.1"}


def outcome(servers, variant, ranks: int, system: str, path):
    tables = read_thermo(servers.server(ranks, variant).run("\n".join([variant.command, system, dump(path)])))
    return tables[-1].columns, read_snapshot(path)


@pytest.mark.parametrize("variant", [SHM, SHM_3STAGE, threadpool(2, "p2p/rdma")], ids=str)
@pytest.mark.parametrize("shape,natoms,ranks",
                         [("box", 1, 1), ("tilted box", 3, 1), ("box", 16, 2), ("tilted box", 17, 1)])
def test_energies_and_forces_are_those_of_brick(servers, tmp_path, variant, shape, natoms, ranks):
    system = SYSTEM.format(shape=SHAPES[shape], natoms=natoms)
    expected, atoms = outcome(servers, BRICK, ranks, system, tmp_path / "brick")
    found, own = outcome(servers, variant, ranks, system, tmp_path / "own")
    assert own.natoms == natoms
    for name in ("Temp", "PotEng", "Press"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(own.forces, atoms.forces, rtol=1e-7, atol=1e-9 * np.abs(atoms.forces).max() + 1e-12)
