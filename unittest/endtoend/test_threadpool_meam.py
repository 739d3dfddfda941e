# SPDX-License-Identifier: GPL-2.0-only
"""The modified embedded atom method with the suffix /threadpool has densities and forces on neighbors, and forces on
atoms between them, which may be atoms of other parts or ghosts."""

from typing import Dict

import numpy as np
import pytest

from lammps_output import read_snapshot, read_thermo
from lammps_run import BRICK, threadpool
from manybody_systems import ADP, MEAM, MEAM_ALLOY, METAL, WITHOUT_ATOMS, compound
from small_systems import dump
from suffix_runs import ANALYSIS, PER_ATOM, differences_from_brick

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


@pytest.mark.parametrize("ranks,parts,style,by_atom", ((1, 3, "brick", False), (2, 2, "p2p/rdma", True)))
@pytest.mark.parametrize("system", SYSTEMS)
def test_energies_and_forces_are_the_same(servers, tmp_path, system, ranks, parts, style, by_atom):
    """Without energies and stresses of single atoms and, on two ranks, with them."""
    analysis, columns = (ANALYSIS, PER_ATOM) if by_atom else (WITHOUT_ATOMS, "fx fy fz")
    assert not differences_from_brick(servers, SYSTEMS[system], threadpool(parts, style), ranks, tmp_path, analysis,
                                      columns)


def fifty_steps(servers, variant, ranks: int, path) -> tuple:
    """Thermo rows, and forces after the last step."""
    output = servers.server(ranks, variant).run("\n".join([
        variant.command, MEAM_ALLOY, WITHOUT_ATOMS, "run 50", dump(path, columns="fx fy fz")]))
    return read_thermo(output)[0].columns, read_snapshot(path).columns


@pytest.mark.parametrize("ranks,parts,style", ((3, 1, "p2p/rdma"), (1, 2, "brick")))
def test_fifty_steps_are_the_same_and_can_be_repeated(servers, tmp_path, ranks, parts, style):
    rows, forces = fifty_steps(servers, BRICK, ranks, tmp_path / "stock")
    first, again = (fifty_steps(servers, threadpool(parts, style), ranks, tmp_path / name) for name in ("1", "2"))
    for column, values in rows.items():
        assert np.allclose(first[0][column], values, rtol=0.0, atol=1e-9 * np.max(np.abs(values))), column
    for column, values in forces.items():
        assert np.allclose(first[1][column], values, rtol=0.0, atol=1e-8 * np.max(np.abs(values))), column
    for one, other in zip(first, again):
        assert all(np.array_equal(one[column], other[column]) for column in one)


LIBRARY = """\
'A' 'fcc' 12 28 58.71
4.99 2.45 2.20 6.00 2.20 3.52 4.45 1.10
1.00 3.57 1.60 3.70 1.0 3
'B' '{structure}' {neighbors} 29 63.54
5.11 3.63 2.20 6.00 2.20 3.62 3.54 1.07
1.00 3.14 2.49 2.95 1.0 3
"""


@pytest.mark.parametrize("structure,neighbors", (("hcp", 12), ("zig", 2)))
def test_weights_mixed_in_the_reference_structure_are_the_same(servers, tmp_path, structure, neighbors):
    """With a zigzag line LAMMPS' own code computes."""
    library, parameters = tmp_path / "library", tmp_path / "parameters"
    library.write_text(LIBRARY.format(structure=structure, neighbors=neighbors))
    parameters.write_text("rc = 4.2\ndelr = 0.4\nmixture_ref_t = 1\n"
                          + ("theta(2,2) = 120.0\n" if structure == "zig" else ""))
    system = MEAM_ALLOY.replace(ALLOY, f"{library} A B {parameters} A B").replace("4.05", "3.6")
    assert not differences_from_brick(servers, system, threadpool(3), 1, tmp_path)
