# SPDX-License-Identifier: GPL-2.0-only
"""Rows of very unequal lengths, which the suffix /threadpool deals to parts by their pairs."""

import pytest

from lammps_run import threadpool
from manybody_systems import SILICON, SW, TERSOFF
from small_systems import LJ, METAL
from suffix_runs import CHARGES, SOLVED, differences_from_brick

THINNED = 'variable gone atom "z > 0.5*zhi && id % 4 != 0"\ngroup gone variable gone\ndelete_atoms group gone\n'
"""In the upper half of a box three of four atoms are missing."""

SYSTEMS = {
    "lj": LJ.replace("block 0 5 0 5 0 5", "block 0 5 0 5 0 8"),
    "lj, newton off": "newton off\n" + LJ,
    "eam": METAL,
    "meam": METAL.replace("pair_style eam\npair_coeff 1 1 Cu_u3.eam",
                          "pair_style meam\npair_coeff * * library.meam Cu NULL Cu"),
    "sw": SILICON,
    "tersoff": SILICON.replace(SW, TERSOFF.format("Si.tersoff Si Si")),
    "charges": CHARGES,
    "charges on a mesh": SOLVED,
}


@pytest.mark.parametrize("parts,ranks,style", ((2, 1, "brick"), (3, 2, "p2p/rdma")))
@pytest.mark.parametrize("system", SYSTEMS)
def test_forces_and_energies_are_those_without(servers, tmp_path, system, parts, ranks, style):
    script = SYSTEMS[system] + THINNED
    assert not differences_from_brick(servers, script, threadpool(parts, style), ranks, tmp_path)
