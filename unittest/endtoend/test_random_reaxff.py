# SPDX-License-Identifier: GPL-2.0-only
"""Random systems of ReaxFF have the energies, charges and forces of LAMMPS' style, at the start and after some steps.

Systems are numbered from TOFU_SEED on: with the number in a report as TOFU_SEED that system is the first.
"""

import os

import numpy as np
import pytest

from lammps_run import BRICK, threadpool
from lammps_server import CaseFailed
from random_reaxff import random_reaxff
from test_reaxff import TERMS, expect_same, results

FIRST = int(os.environ.get("TOFU_SEED", 5600))
STEPS = 8
LARGEST_FORCE = 1e5
"""Largest force; with larger ones atoms are so close that charges or angles lose digits [kcal/mol/Angstrom]."""


@pytest.mark.usual(4)
@pytest.mark.most(16)
@pytest.mark.parametrize("number", range(FIRST, FIRST + 100))
def test_energies_and_forces_are_the_same(installation, servers, tmp_path, number):
    system = random_reaxff(number)
    script = system.commands(installation.lammps_dir / "examples" / "reaxff") + TERMS
    variant = threadpool(system.parts, system.comm)
    for steps, digits in ((0, (1e-10, 1e-9, 1e-9)), (STEPS, (1e-7, 1e-6, 1e-6))):
        try:
            expected = results(servers, script, BRICK, system.ranks, tmp_path, steps)
        except CaseFailed as failure:
            error = next((line for line in str(failure).splitlines() if line.startswith("ERROR")), "without a message")
            pytest.skip(f"LAMMPS' style stops: {error}")
        largest = max(np.max(np.abs(expected[1].columns[name])) for name in ("fx", "fy", "fz"))
        if not largest < LARGEST_FORCE:
            pytest.skip(f"the largest force is {largest:.2g}")
        expect_same(expected, results(servers, script, variant, system.ranks, tmp_path, steps), *digits)
