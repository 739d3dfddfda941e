# SPDX-License-Identifier: GPL-2.0-only
"""Each pair style of the kernel of many potentials gives what LAMMPS' own style gives, in one system of two types."""

import sys
from pathlib import Path

import pytest

from force_style_references import installed_styles
from lammps_run import BRICK, Installation, missing_variables, threadpool
from lammps_server import CaseFailed
from suffix_runs import ANALYSIS, differences, differences_from_brick, results

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tofulib import pair_cases  # noqa: E402

INSTALLED = set() if missing_variables() else installed_styles(Installation.from_environment())["pair"]
CASES = [name for name in pair_cases.CASES if f"{pair_cases.pair_style(name)}/threadpool" in INSTALLED]
SETTINGS = ((1, 3, "brick", "newton on"), (2, 1, "p2p/rdma", "newton off"), (2, 2, "p2p/rdma", "newton on"))
SOLVER = ("kspace_style ewald 1e-4", "kspace_modify compute no")
FEWEST_CASES = 24


def system(name, folder, newton="newton on", substyle=""):
    """The script of a case, with its tables where it reads them."""
    pair_cases.write_table(folder)
    text = pair_cases.script(name, 5, SOLVER, newton, substyle)
    return text.replace("atom_style charge\n", "atom_style charge\natom_modify map array\n").replace(
        f" {pair_cases.TABLE} ", f" {folder}/{pair_cases.TABLE} ")


def test_most_cases_are_installed():
    assert len(CASES) >= FEWEST_CASES


@pytest.mark.most(40)
@pytest.mark.usual(30)
@pytest.mark.parametrize("name", CASES)
def test_forces_energies_and_stresses_are_those_without_the_suffix(servers, tmp_path, name):
    """Settings take turns; the others are run with -m long."""
    compare(servers, tmp_path, name, SETTINGS[CASES.index(name) % len(SETTINGS)])


@pytest.mark.long
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_forces_energies_and_stresses_are_those_without_the_suffix_in_all_settings(servers, tmp_path, name, setting):
    compare(servers, tmp_path, name, setting)


@pytest.mark.parametrize("name", [name for name in CASES if name != "morse"][::3])
def test_a_substyle_of_hybrid_overlay_is_that_without_the_suffix(servers, tmp_path, name):
    compare(servers, tmp_path, name, SETTINGS[0], "hybrid/overlay morse 2.0")


def compare(servers, folder, name, setting, substyle="", before=""):
    ranks, parts, comm, newton = setting
    text = system(name, folder, newton, substyle).replace("neighbor 0.3 bin", f"{before}\nneighbor 0.3 bin")
    if substyle:
        text = text.replace("neighbor 0.3 bin", "pair_coeff * * morse 0.3 4.0 1.1\nneighbor 0.3 bin")
    assert not differences_from_brick(servers, text, threadpool(parts, comm), ranks, folder)


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("lj/class2") and "soft" in name
                                  or name.startswith(("lj/long", "buck/long", "nm/cut", "lj/expand/coul"))
                                  or name in ("pedone", "gauss/cut", "ufm") or name.endswith("/cs")])
def test_energies_are_shifted_as_without_the_suffix(servers, tmp_path, name):
    """Those of long-range dispersion are not, nor at another lambda all of lj/class2/coul/long/soft."""
    compare(servers, tmp_path, name, SETTINGS[1], before="pair_modify shift yes")


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith(("lj/long", "buck/long"))])
def test_dispersion_is_computed_at_every_distance_without_a_table(servers, tmp_path, name):
    compare(servers, tmp_path, name, SETTINGS[0], before="pair_modify table 0 table/disp 0")


@pytest.mark.parametrize("name", [name for name in CASES if name.endswith("msm") and "spica" not in name])
def test_multilevel_sums_take_the_virial_of_charges_from_their_energy(servers, tmp_path, name):
    """By default; stresses of atoms are refused then. In steps without output there are no energies."""
    text = system(name, tmp_path, "newton on").replace("kspace_modify pressure/scalar no\n", "")
    analysis = ("thermo_style custom step pe evdwl ecoul press\nthermo_modify norm no format float %.17g\nthermo 5\n"
                "unfix integrate\nfix barostat all nph iso 0.1 0.1 1.0")
    assert not differences_from_brick(servers, text, threadpool(2), 2, tmp_path, analysis, "fx fy fz")
    stress = "\n".join([threadpool(2).command, text, ANALYSIS, "run 0"])
    with pytest.raises(CaseFailed, match="pressure/scalar no"):
        servers.server(2, threadpool(2)).run(stress)


def test_multilevel_sums_with_spica_refuse_that_as_without_the_suffix(servers, tmp_path):
    text = system("lj/spica/coul/msm", tmp_path).replace("kspace_modify pressure/scalar no\n", "")
    for variant in (BRICK, threadpool(2)):
        with pytest.raises(CaseFailed, match="pressure/scalar no"):
            servers.server(1, variant).run("\n".join([variant.command, text, "run 0"]))


@pytest.mark.parametrize("kind", ("linear", "spline", "lookup", "bitmap"))
def test_a_pair_that_is_too_close_for_its_table_is_named(servers, tmp_path, kind):
    text = system(f"table {kind}", tmp_path).replace(
        "neighbor 0.3 bin", "create_atoms 1 single 3.0 3.0 3.0 units box\ncreate_atoms 1 single 3.0 3.0 3.1 units box\n"
        "neighbor 0.3 bin")
    script = "\n".join([threadpool(2).command, text, "run 0"])
    with pytest.raises(CaseFailed, match="Pair distance < table inner cutoff: ijtype 1 1 dist 0.1"):
        servers.server(1, threadpool(2)).run(script)


@pytest.mark.parametrize("setting", [setting for setting in SETTINGS if "newton on" in setting], ids=str)
@pytest.mark.parametrize("name", [name for name in CASES if name in ("lj/cut/soft", "lj/cut/coul/long/soft")])
def test_parameters_that_change_in_a_run_are_those_without_the_suffix(servers, tmp_path, name, setting):
    """By fix adapt/fep, and for the energies of compute fep, which crashes with newton off and no long-range solver."""
    ranks, parts, comm, newton = setting
    text = "\n".join([system(name, tmp_path, newton), "variable now equal ramp(0.7,0.4)", "variable more equal 0.05",
                      f"fix change all adapt/fep 2 pair {name} lambda * * v_now",
                      f"compute perturbed all fep 1.0 pair {name} lambda * * v_more"])
    analysis = ANALYSIS.replace("thermo_style custom step", "thermo_style custom step c_perturbed[1]")
    expected, found = (results(servers, text, variant, ranks, tmp_path, analysis)
                       for variant in (BRICK, threadpool(parts, comm)))
    assert abs(expected[0][-1].columns["c_perturbed[1]"][-1]) > 0.1
    assert not differences(expected, found)
