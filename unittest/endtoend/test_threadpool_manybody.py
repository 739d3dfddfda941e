# SPDX-License-Identifier: GPL-2.0-only
"""Three-body potentials with the suffix /threadpool have forces on neighbors, which may be atoms of other parts or
ghosts."""

from typing import Dict

import pytest

from lammps_run import BRICK, threadpool
from lammps_server import CaseFailed
from manybody_systems import (ADP, ALLOY, EDIP, EDIP_MULTI, METAL, PAIR_CONCENTRATIONS, SILICON, SW, TERSOFF, VASHISHTA,
                              WITHOUT_ATOMS, WITH_OTHERS, compound)
from suffix_runs import ANALYSIS, PER_ATOM, differences_from_brick, expect_same_bits, expect_same_script

NEWTON_OFF = ("units metal\n", "units metal\nnewton off\n")

LIQUID = compound(EDIP.format("Si.edip Si Si"), 5.26).replace(
    "neighbor 1.0", "displace_atoms all random 0.5 0.5 0.5 811 units box\nneighbor 1.0").replace("0.001", "0.0002")
"""The density of the liquid, and coordination numbers that are not whole."""

SYSTEMS: Dict[str, str] = {
    "one element": SILICON,
    "two elements with cut-offs of their own": compound("pair_style sw\npair_coeff * * GaN.sw Ga N\n", 4.5),
    "triclinic": SILICON.replace("region box block 0 3 0 3 0 3", "region box prism 0 3 0 3 0 3 0.8 -0.5 0.4"),
    "bonds that are weakened exponentially": compound(TERSOFF.format("Si.tersoff Si Si"), 5.431),
    "bonds of two elements": compound(TERSOFF.format("SiC.tersoff Si C"), 4.36),
    "atoms that do not agree about repulsion": compound(TERSOFF.format("SiC_1989.tersoff Si C"), 4.36),
    "third atoms with cut-offs of their own": compound(TERSOFF.format("BNC.tersoff B N"), 3.7),
    "shifted distances": compound(TERSOFF.format("Si.tersoff Si Si").replace("tersoff\n", "tersoff shift 0.1\n", 1),
                                  5.2),
    "angles near the preferred one": SILICON.replace("pair_style sw", "pair_style sw/mod maxdelcs 0.05 0.4"),
    "angles near the preferred one, two elements": compound("pair_style sw/mod\npair_coeff * * GaN.sw Ga N\n", 4.5),
    "angles with a limit and no window": compound(
        "pair_style sw/mod maxdelcs 0.2 0.2\npair_coeff * * tmd.sw.mod Mo S\n", 5.5),
    "nuclei": compound("pair_style tersoff/zbl\npair_coeff * * SiC.tersoff.zbl Si C\n", 4.36),
    "near nuclei": compound("pair_style tersoff/zbl\npair_coeff * * SiC.tersoff.zbl C C\n", 2.3).replace(
        "timestep 0.001", "timestep 0.00001"),
    "nuclei and shifted distances": compound(
        "pair_style tersoff/zbl shift 0.1\npair_coeff * * SiC.tersoff.zbl Si C\n", 4.3),
    "modified bonds": compound("pair_style tersoff/mod\npair_coeff * * Si.tersoff.mod Si Si\n", 5.431),
    "modified bonds and a constant": compound("pair_style tersoff/mod/c\npair_coeff * * Si.tersoff.modc Si Si\n", 5.0),
    "modified bonds, one type is not an element": SILICON.replace(
        SW, "pair_style hybrid tersoff/mod shift 0.05 lj/cut 6.0\npair_coeff * * tersoff/mod Si.tersoff.mod Si NULL\n"
                                                                  "pair_coeff * 2 lj/cut 0.02 2.0\n"),
    "hybrid, where one type is not an element": SILICON.replace(
        SW, "pair_style hybrid sw lj/cut 6.0\npair_coeff * * sw Si.sw Si NULL\n"
                                                                "pair_coeff * 2 lj/cut 0.02 2.0\n"),
    "hybrid/overlay": SILICON.replace(
        SW, "pair_style hybrid/overlay tersoff lj/cut 6.0\npair_coeff * * tersoff Si.tersoff Si Si\n"
                                      "pair_coeff * * lj/cut 0.02 2.0\n"),
    "pairs far away and near triples": compound("pair_style vashishta\npair_coeff * * InP.vashishta In P\n", 5.87),
    "pairs far away and near triples, triclinic": compound(VASHISHTA.format("SiC.vashishta Si C"), 4.36).replace(
        "region box block 0 3 0 3 0 3", "region box prism 0 3 0 3 0 3 0.8 -0.5 0.4"),
    "pairs far away and near triples of one element": compound(VASHISHTA.format("SiC.vashishta C C"), 3.9),
    "pairs far away beside another potential": compound(
        "pair_style hybrid/overlay vashishta lj/cut 6.0\npair_coeff * * vashishta SiO.1990.vashishta Si O\n"
        "pair_coeff * * lj/cut 0.02 2.0\n", 5.4),
    "coordination numbers from tables": compound(EDIP.format("Si.edip Si Si"), 5.431),
    "coordination numbers from tables, liquid": LIQUID,
    "coordination numbers from tables, one type is not an element": SILICON.replace(
        SW, "pair_style hybrid edip lj/cut 6.0\npair_coeff * * edip Si.edip Si NULL\npair_coeff * 2 lj/cut 0.02 2.0\n"),
    "coordination numbers of two elements": compound(EDIP_MULTI.format("SiC.edip Si C"), 4.36),
    "coordination numbers of two elements, liquid": LIQUID.replace(EDIP.format("Si.edip Si Si"),
                                                                   EDIP_MULTI.format("SiC.edip Si C")).replace(
                                                                       "diamond 5.26", "diamond 4.5"),
    "coordination numbers of one element": compound(EDIP_MULTI.format("SiC.edip C C"), 3.6),
    "dipoles and quadrupoles": METAL,
    "dipoles and quadrupoles of one type": METAL.replace("create_box 2 box", "create_box 1 box").replace(
        "set group all type/fraction 2 0.5 4711\n", "").replace("AlCu.adp Al Cu", "Ni.adp Ni").replace("4.05", "3.52"),
    "dipoles and quadrupoles, newton off": METAL.replace(*NEWTON_OFF),
    "dipoles and quadrupoles, one type is not an element": METAL.replace(
        ADP.format("AlCu.adp Al Cu"), "pair_style hybrid adp lj/cut 6.0\npair_coeff * * adp AlCu.adp Al NULL\n"
                                      "pair_coeff * 2 lj/cut 0.02 2.0\n"),
    "concentrations of atoms": ALLOY,
    "concentrations of pairs": PAIR_CONCENTRATIONS,
    "concentrations of atoms, newton off, triclinic": ALLOY.replace(*NEWTON_OFF).replace(
        "block 0 5 0 4 0 4", "prism 0 5 0 4 0 4 0.8 -0.5 0.4"),
    "concentrations of pairs, newton off": PAIR_CONCENTRATIONS.replace(*NEWTON_OFF),
    "concentrations of pairs, one type is not an element": WITH_OTHERS,
    "atoms without neighbors and ranks without atoms": SILICON.replace(
        "create_atoms 1 box", "region below block 0 3 0 3 0 0.8\ncreate_atoms 1 region below") + (
            "neigh_modify exclude type 1 2\n"),
    "atoms move far between new lists": SILICON.replace("create 2000.0", "create 8000.0").replace("every 2", "every 20")
    .replace("neighbor 1.0", "neighbor 2.5").replace("timestep 0.001", "timestep 0.003"),
}


@pytest.mark.most(20)
@pytest.mark.parametrize("ranks,parts,style,by_atom", ((1, 3, "brick", False), (2, 1, "p2p/rdma", True)))
@pytest.mark.parametrize("system", SYSTEMS)
def test_energies_and_forces_are_the_same(servers, tmp_path, system, ranks, parts, style, by_atom):
    """Without energies and stresses of single atoms and, on two ranks, with them."""
    analysis, columns = (ANALYSIS, PER_ATOM) if by_atom else (WITHOUT_ATOMS, "fx fy fz")
    assert not differences_from_brick(servers, SYSTEMS[system], threadpool(parts, style), ranks, tmp_path, analysis,
                                      columns)


@pytest.mark.parametrize("ranks,parts,style", ((3, 1, "brick"), (2, 3, "p2p/rdma")))
@pytest.mark.parametrize("system", ("concentrations of atoms", "concentrations of pairs"))
def test_alloys_are_the_same_after_many_steps(servers, tmp_path, system, ranks, parts, style):
    assert not differences_from_brick(servers, SYSTEMS[system], threadpool(parts, style), ranks, tmp_path, steps=50)


MODIFIED = """\
{i} {j} {k} {m} {lambda3} -0.36 {n} 1.0 1.4 120.0 {R} 0.3 3.2 1800.0 0.53 0.2 730000.0 1000000.0 1.0 26.0{c0}
"""
"""Coefficients of tersoff/mod, and with c0 those of tersoff/mod/c."""


def modified_bonds(style: str, path) -> str:
    """Two elements that have little in common, whose third atoms have cut-offs of their own."""
    constants = {"A": " -0.5", "B": " 0.7"} if style == "tersoff/mod/c" else {"A": "", "B": ""}
    path.write_text("".join(
        MODIFIED.format(i=i, j=j, k=k, m=3 if k == "A" else 1, lambda3=1.3 if j == "A" else 0.4,
                        n=1.0 if i == "A" else 0.8, R=3.1 if k == "A" else 2.9, c0=constants[j])
        for i in "AB" for j in "AB" for k in "AB"))
    return compound(f"pair_style {style}\npair_coeff * * {path} A B\n", 5.2)


@pytest.mark.parametrize("ranks,parts,style", ((1, 3, "brick"), (2, 1, "p2p/rdma")))
@pytest.mark.parametrize("pair_style", ("tersoff/mod", "tersoff/mod/c"))
def test_modified_bonds_of_two_elements_are_the_same(servers, tmp_path, pair_style, ranks, parts, style):
    system = modified_bonds(pair_style, tmp_path / "bonds")
    assert not differences_from_brick(servers, system, threadpool(parts, style), ranks, tmp_path, WITHOUT_ATOMS,
                                      "fx fy fz")


@pytest.mark.parametrize("system", ("one element", "bonds of two elements", "nuclei", "modified bonds",
                                    "angles near the preferred one", "pairs far away and near triples",
                                    "dipoles and quadrupoles", "coordination numbers from tables, liquid",
                                    "coordination numbers of two elements, liquid"))
def test_parts_share_energies_and_stresses_of_atoms(servers, tmp_path, system):
    assert not differences_from_brick(servers, SYSTEMS[system], threadpool(2), 2, tmp_path, ANALYSIS, PER_ATOM)


ONE_SIDED = """\
Si Si Si 20.0 11.0 1.6 1.6 4.43 0.0 2.5 0.0 5.5 4.993 1.0 2.86 0.0 -0.333
C  C  C  30.0 7.5 -0.9 -0.9 4.43 2.0 2.5 1.0 5.5 2.1 0.8 2.6 1.5 -0.2
Si C  C  19.0 {eta} 1.6 -0.9 4.43 15.4 2.5 12.0 5.5 9.0 1.0 2.9 5.0 -0.333
C  Si Si 19.0 9.0 -0.9 1.6 4.43 15.4 2.5 12.0 5.5 7.0 1.2 2.7 4.0 -0.25
""" + "".join(f"{triple} 0 0 0 0 0 0 0 0 0 1.5 0 0 0.5 0.1\n" for triple in ("Si Si C", "Si C Si", "C C Si", "C Si C"))
"""Coefficients of vashishta that have little in common: powers that are not whole, three-body terms at all centers."""


@pytest.mark.parametrize("ranks,parts,style", ((1, 3, "brick"), (2, 1, "p2p/rdma")))
@pytest.mark.parametrize("eta", ("9.0", "8.0"))
def test_pairs_of_any_powers_are_the_same(servers, tmp_path, eta, ranks, parts, style):
    """With two powers the atoms of a pair do not agree about its energy."""
    path = tmp_path / "coefficients"
    path.write_text(ONE_SIDED.format(eta=eta))
    system = compound(VASHISHTA.format(f"{path} Si C"), 4.6)
    assert not differences_from_brick(servers, system, threadpool(parts, style), ranks, tmp_path, WITHOUT_ATOMS,
                                      "fx fy fz")


UNLIKE = """\
A A A 8.0 1.5 3.1 2.5 3.1 0.007 0.25 1.1 1.4 0.7 1.2 0.6 300.0 -0.16 32.5 0.29 0.66
A B B 7.0 1.3 2.9 2.4 2.8 0.009 0.30 1.2 2.4 0.6 1.3 0.5 200.0 -0.16 32.5 0.29 0.66
A A B 8.0 1.5 3.1 2.5 3.1 0.007 0.28 1.1 1.7 0.7 1.2 0.6 250.0 -0.16 32.5 0.29 0.66
A B A 7.0 1.3 2.9 2.4 2.8 0.009 0.28 1.2 1.7 0.7 1.3 0.5 250.0 -0.16 32.5 0.29 0.66
B B B 6.0 {B} 2.6 2.0 2.5 0.010 0.40 1.0 1.8 0.5 1.5 0.4 100.0 -0.10 20.0 0.30 0.50
B A A 7.5 1.2 3.0 2.2 2.7 0.008 0.35 1.3 1.6 0.8 1.1 0.7 150.0 -0.20 25.0 0.25 0.60
B A B 7.5 1.2 3.0 2.2 2.7 0.008 0.20 1.3 1.5 0.8 1.1 0.7 120.0 -0.12 15.0 0.20 0.40
B B A 6.0 {B} 2.6 2.0 2.5 0.010 0.20 1.0 1.5 0.8 1.5 0.4 120.0 -0.12 15.0 0.20 0.40
"""
"""Coefficients of edip/multi that have little in common."""


@pytest.mark.parametrize("ranks,parts,style", ((1, 3, "brick"), (2, 1, "p2p/rdma")))
@pytest.mark.parametrize("B", ("1.1", "0.0"))
def test_coordination_numbers_of_unlike_elements_are_the_same(servers, tmp_path, B, ranks, parts, style):
    """Where one B is 0, LAMMPS' own code computes."""
    path = tmp_path / "coefficients"
    path.write_text(UNLIKE.format(B=B))
    system = compound(EDIP_MULTI.format(f"{path} A B"), 4.9)
    assert not differences_from_brick(servers, system, threadpool(parts, style), ranks, tmp_path, WITHOUT_ATOMS,
                                      "fx fy fz")


@pytest.mark.parametrize("pair_style", (SW, TERSOFF.format("Si.tersoff Si Si"), VASHISHTA.format("SiC.vashishta Si C")))
def test_stresses_about_centroids_are_an_error_as_without(servers, pair_style):
    script = SILICON.replace(SW, pair_style) + (
        "compute s all centroid/stress/atom NULL\ncompute sum all reduce sum c_s[1]\n"
        "thermo_style custom step c_sum\nrun 0\n")
    messages = []
    for variant in (BRICK, threadpool(1)):
        with pytest.raises(CaseFailed) as failure:
            servers.server(1, variant).run(f"{variant.command}\n{script}")
        messages += [line for line in str(failure.value).splitlines() if line.startswith("ERROR")][:1]
    assert len(messages) == 2 and "centroid/stress/atom" in messages[0]
    assert messages[0].split("(")[0] == messages[1].split("(")[0]


def test_the_same_run_twice_is_the_same_to_the_last_bit(servers, tmp_path):
    expect_same_bits(servers, [(2, threadpool(5))] * 2, f"{SILICON}\nrun 20", tmp_path)


SCENARIOS = {
    "atoms are deleted and minimized": "run 4\nregion hole sphere 8 8 8 4.0 units box\n"
                                       "delete_atoms region hole compress no\n"
                                       "minimize 0 0 8 1000\nrun 4\n",
    "another potential, and another box": "run 4\npair_coeff * * GaN.sw Ga Ga\nrun 2\npair_coeff * * Si.sw Si Si\n"
                                          "replicate 2 1 1\n"
                                          "change_box all x scale 1.02 remap\nrun 4\npair_style tersoff\n"
                                          "pair_coeff * * Si.tersoff Si Si\nrun 4\n",
    "positions change between runs": "run 4\ndisplace_atoms all move 3.1 -0.4 11.0 units box\nrun 0\n"
                                     "displace_atoms all ramp x -0.3 0.3 z 0 16 units box\nrun 4\n",
    "pairs only, then triples too": "run 2\npair_style sw threebody off\npair_coeff * * Si.sw Si Si\nrun 4\n"
                                    "pair_style sw\npair_coeff * * Si.sw Si Si\nrun 4\n",
}


@pytest.mark.parametrize("parts,ranks", ((1, 2), (3, 1)))
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_scripts_do_works_as_without(servers, tmp_path, scenario, parts, ranks):
    expect_same_script(servers, f"{SILICON}\nthermo 1\n{SCENARIOS[scenario]}", threadpool(parts), ranks, tmp_path)


def test_newton_off_is_an_error_as_without(servers):
    with pytest.raises(CaseFailed, match="requires newton pair on"):
        servers.server(1, threadpool(1)).run(
            f"{threadpool(1).command}\n" + SILICON.replace("units metal\n", "units metal\nnewton off\n") + "run 0\n")
