# SPDX-License-Identifier: GPL-2.0-only
"""The modified embedded atom method with the suffix /threadpool has densities and forces on neighbors, and forces on
atoms between them, which may be atoms of other parts or ghosts."""

from typing import Dict

import pytest

from lammps_run import BRICK, threadpool
from manybody_systems import ADP, MEAM, MEAM_ALLOY, METAL, WITHOUT_ATOMS, compound
from suffix_runs import ANALYSIS, PER_ATOM, differences, results

ALLOY = "library.meam AlS SiS MgS CuS FeS AlSiMgCuFe.meam AlS MgS"

SYSTEMS: Dict[str, str] = {
    "alloy": MEAM_ALLOY,
    "alloy, triclinic": MEAM_ALLOY.replace("region box block 0 3 0 3 0 3", "region box prism 0 3 0 3 0 3 0.4 -0.3 0.2"),
    "compound": compound(MEAM.format("library.meam Si C SiC.meam Si C"), 4.36),
    "one element": METAL.replace(ADP.format("AlCu.adp Al Cu"), MEAM.format("library.meam Ni4 Ni.meam Ni4 Ni4")).replace(
        "4.05", "3.52"),
    "two sets of angular densities": METAL.replace(
        ADP.format("AlCu.adp Al Cu"), MEAM.replace("meam", "meam/ms").format(
            "library.msmeam H Ga4 HGa.msmeam H Ga4")).replace("4.05", "4.6"),
    "one type is not an element": MEAM_ALLOY.replace(
        MEAM.format(ALLOY), "pair_style hybrid meam lj/cut 6.0\n"
                            f"pair_coeff * * meam {ALLOY[:-3]}NULL\npair_coeff * 2 lj/cut 0.02 2.5\n"),
    "energies are scaled": MEAM_ALLOY + ("variable factor equal 1.0-0.01*step\n"
                                         "fix adapt all adapt 1 pair meam scale 1 2 v_factor\n"),
}


@pytest.mark.parametrize("ranks,parts,style,by_atom", ((1, 3, "brick", False), (2, 2, "p2p_rdma", True)))
@pytest.mark.parametrize("system", SYSTEMS)
def test_energies_and_forces_are_the_same(servers, tmp_path, system, ranks, parts, style, by_atom):
    """Without energies and stresses of single atoms and, on two ranks, with them."""
    analysis, columns = (ANALYSIS, PER_ATOM) if by_atom else (WITHOUT_ATOMS, "fx fy fz")
    found = [results(servers, SYSTEMS[system], variant, ranks, tmp_path, analysis, columns)
             for variant in (BRICK, threadpool(parts, style))]
    assert not differences(*found)


def test_three_ranks_are_the_same(servers, tmp_path):
    found = [results(servers, MEAM_ALLOY, variant, 3, tmp_path, WITHOUT_ATOMS, "fx fy fz")
             for variant in (BRICK, threadpool(1, "p2p_rdma"))]
    assert not differences(*found)
