# SPDX-License-Identifier: GPL-2.0-only
"""Sub-styles of pair_style hybrid/scaled with the suffix give what LAMMPS' own give, whatever scales them."""

import re

import pytest

from lammps_run import BRICK, threadpool
from manybody_systems import SILICON, SW
from suffix_runs import ANALYSIS, CHARGES, differences, differences_from_brick, results

LJ_AND_CHARGES = "pair_style lj/cut/coul/cut 2.5 2.2\npair_coeff * * 1.0 1.0\npair_coeff 2 2 0.8 0.9 2.0\n"
FACTORS = "variable grow equal 0.6+0.02*step\nvariable shrink equal 0.8-0.03*step\nvariable side atom 0.5+0.05*x\n"


def scaled(first: str, second: str) -> str:
    """Two styles for pairs of all types, and one for some of them.

    Args:
        first, second: What the first two are multiplied by; the third has a constant.
    """
    assert LJ_AND_CHARGES in CHARGES
    return CHARGES.replace(LJ_AND_CHARGES, FACTORS + f"""\
pair_style hybrid/scaled {first} lj/cut/coul/cut 2.5 2.2 {second} morse 2.0 0.3 coul/debye 0.7 2.4
pair_coeff * * lj/cut/coul/cut 1.0 1.0
pair_coeff 2 2 lj/cut/coul/cut 0.8 0.9 2.0
pair_coeff * * morse 0.5 4.0 1.1
pair_coeff 1 2 coul/debye
""")


SYSTEMS = {
    "constants": scaled("0.7", "0.4"),
    "variables": scaled("v_grow", "v_shrink"),
    "a variable twice": scaled("v_grow", "v_grow"),
    "a variable of atoms": scaled("v_side", "v_shrink"),
    "three bodies": SILICON.replace(SW, FACTORS + "pair_style hybrid/scaled v_grow sw v_shrink tersoff\n"
                                    "pair_coeff * * sw Si.sw Si Si\npair_coeff * * tersoff Si.tersoff Si Si\n"),
}
SETTINGS = ((1, 3, "brick"), (2, 1, "p2p/rdma"), (2, 2, "p2p/rdma"), (1, 1, "p2p/rdma"))
CASES = [(name, *SETTINGS[(number + turn) % len(SETTINGS)]) for number, name in enumerate(SYSTEMS) for turn in (0, 1)]


@pytest.mark.parametrize("name,ranks,parts,comm", CASES)
def test_forces_energies_and_stresses_are_those_without_the_suffix(servers, tmp_path, name, ranks, parts, comm):
    expected, found = (results(servers, SYSTEMS[name], variant, ranks, tmp_path)
                       for variant in (BRICK, threadpool(parts, comm)))
    energies = expected[0][-1].columns["evdwl" if "evdwl" in expected[0][-1].columns else "E_vdwl"]
    assert abs(energies[-1] - energies[0]) > 1e-3
    lines = differences(expected, found)
    # forces of a pair are not opposite there: their virial depends on which of the atoms is a ghost
    if name == "a variable of atoms" and comm != "brick":
        lines = [line for line in lines if not re.match(r"thermo P(ress|[xyz]{2}):", line)]
    assert not lines


@pytest.mark.parametrize("ranks,parts", ((1, 3), (2, 2)))
def test_without_newtons_third_law_between_ranks(servers, tmp_path, ranks, parts):
    text = SYSTEMS["variables"].replace("units lj\n", "units lj\nnewton off\n")
    assert not differences_from_brick(servers, text, threadpool(parts), ranks, tmp_path)


def test_the_sub_styles_are_those_with_the_suffix(servers):
    """Without analysis, so that the global virial takes the shortest way."""
    output = servers.server(1, threadpool(2)).run(
        "\n".join([threadpool(2).command, SYSTEMS["variables"], "run 0"]))
    assert "variants of pair lj/cut/coul/cut, morse, coul/debye" in output, output[-3000:]


def test_pressures_in_a_run_without_stresses_of_atoms_are_those_without_the_suffix(servers, tmp_path):
    analysis = "\n".join(line for line in ANALYSIS.splitlines() if not line.startswith("compute")).replace(
        " c_ee c_ss[*]", "")
    assert not differences_from_brick(servers, SYSTEMS["variables"], threadpool(2), 2, tmp_path, analysis, "fx fy fz")
