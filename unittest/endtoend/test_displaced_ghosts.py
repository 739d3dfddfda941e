# SPDX-License-Identifier: GPL-2.0-only
"""Computes that displace atoms and ghosts, and compute forces again, with the suffix /threadpool and p2p_rdma."""

import numpy as np
import pytest

from lammps_output import read_thermo
from lammps_run import BRICK, threadpool
from small_systems import LJ

BORN = """\
compute cluster all cluster/atom 1.2
compute largest all reduce max c_cluster
compute virial all pressure NULL virial
compute born all born/matrix numdiff 1e-5 virial
thermo_style custom step pe c_virial c_largest c_born[*]
thermo_modify norm no format float %.17g
thermo 5
run 10
"""
"""compute born/matrix strains atoms and ghosts and calls the pair style; before that compute cluster/atom communicates
positions of ghosts, as the integrator does before forces."""


@pytest.mark.parametrize("ranks,parts", ((1, 2), (2, 2), (1, 1)))
def test_elastic_constants_by_differences_are_those_without(servers, ranks, parts):
    """The differences have lost half of their digits."""
    expected, found = (
        read_thermo(servers.server(ranks, variant).run("\n".join([*first, variant.command, LJ, BORN])))[-1].columns
        for variant, first in ((BRICK, ()), (threadpool(parts, "p2p/rdma"), ("suffix threadpool\nclear",))))
    for n in range(1, 22):
        constants = expected[f"c_born[{n}]"]
        assert np.allclose(found[f"c_born[{n}]"], constants, rtol=1e-5, atol=1e-4 * abs(expected["c_born[1]"][0]))
    assert abs(expected["c_born[1]"][0]) > 10.0
