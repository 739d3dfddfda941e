# SPDX-License-Identifier: GPL-2.0-only
"""Lists of bonds, angles, dihedrals and impropers with the suffix: those of LAMMPS, with atoms missing, too."""

import re

import pytest

from lammps_run import BRICK, threadpool
from lammps_server import CaseFailed
from small_systems import MOLECULES
from suffix_runs import differences_from_brick
from test_neighbor_check import WITH_SUFFIX

DANGLING = MOLECULES + "group gone id 5 204 301\ndelete_atoms group gone bond no compress no\n"
KINDS = {"Bond": 2, "Angle": 2, "Dihedral": 3, "Improper": 2}
"""With the number of types of each."""


def ran(servers, variant, ranks: int, script: str) -> str:
    """Output of a script, also of one that fails."""
    begin = WITH_SUFFIX if variant.parts else ""
    try:
        return servers.server(ranks, variant).run("\n".join([begin, variant.command, script]))
    except CaseFailed as failure:
        return str(failure)


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize("off", ["bond 1", "angle 2", "dihedral 3", "improper 1"])
def test_those_that_are_switched_off_are_left_out(servers, tmp_path, off, newton, ranks):
    system = MOLECULES.replace("units real\n", f"units real\nnewton on {newton}\n") + f"delete_bonds all {off} any\n"
    assert not differences_from_brick(servers, system, threadpool(1), ranks, tmp_path)


@pytest.mark.parametrize("newton", ["on", "off"])
@pytest.mark.parametrize("parts", [2, 3])
def test_several_parts_leave_out_what_one_does(servers, tmp_path, parts, newton):
    """Without newton, and of types that are off, parts have fewer rows than their atoms store: gaps to be closed."""
    system = MOLECULES.replace("units real\n", f"units real\nnewton on {newton}\n") + \
        "replicate 2 2 1\ndelete_bonds all bond 1 any\ndelete_bonds all dihedral 2 any\n"
    assert not differences_from_brick(servers, system, threadpool(parts), 1, tmp_path)


@pytest.mark.parametrize("kind", ["Dihedral", "Improper"])
def test_an_atom_that_is_missing_is_an_error(servers, kind):
    """Others are removed, so that this kind is the first in which LAMMPS misses an atom. It looks for
    those of bonds and angles before it builds lists. With several ranks the first to stop ends the others."""
    others = "".join(f"delete_bonds all {other.lower()} 1*{ntypes} any remove\n" for other, ntypes in KINDS.items()
                     if other != kind)
    expected, found = (re.findall(r"ERROR on proc \d+: (.* missing on proc .*) \(", ran(servers, variant, 1, script))
                       for script in (f"{MOLECULES}{others}{DANGLING[len(MOLECULES):]}run 5\n",)
                       for variant in (BRICK, threadpool(1)))
    assert expected and expected[0].startswith(kind)
    assert found == expected


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("way, warnings", [("warn", 6), ("ignore", 0)])
def test_atoms_may_be_missing_where_the_input_says_so(servers, tmp_path, way, warnings, ranks):
    system = f"{DANGLING}thermo_modify lost/bond {way} norm no format float %.17g\n"
    output = ran(servers, threadpool(1), ranks, f"{system}run 10\n")
    for kind in KINDS:
        assert len(re.findall(f"WARNING: {kind} atoms missing at step", output)) == warnings
    analysis = f"thermo_style custom step pe ebond eangle edihed eimp press\nthermo_modify lost/bond {way} norm no " \
               "format float %.17g\nthermo 5\n"
    assert not differences_from_brick(servers, system, threadpool(1), ranks, tmp_path, analysis, "fx fy fz")
