# SPDX-License-Identifier: GPL-2.0-only
"""Pair styles of TIP4P water with the suffix give what LAMMPS' own styles give, and refuse the same."""

import numpy as np
import pytest

from charged_systems import WATER
from lammps_output import read_snapshot, read_thermo
from lammps_run import BRICK, Variant, threadpool
from lammps_server import CaseFailed
from small_systems import dump
from suffix_runs import differences, expect_same_bits, results

LJ = "pair_coeff * * 0.0 0.0\npair_coeff 1 1 0.16 3.16\npair_coeff 3 3 0.1 2.6"
MIXED = ("pair_modify mix geometric\npair_coeff 1 1 0.16 3.16\npair_coeff 2 2 0.0 1.0\npair_coeff 3 3 0.1 2.6 6.0\n"
         "pair_coeff 1 3 0.12 2.9 5.5")
SOFT = ("pair_modify shift yes\npair_coeff * * 0.0 1.0 0.6\npair_coeff 1 1 0.16 3.16 0.9\npair_coeff 1 3 0.12 2.9 0.5\n"
        "pair_coeff 3 3 0.1 2.6 0.0")
MESHES = ("kspace_style pppm/disp/tip4p 1e-4\nkspace_modify gewald 0.4 mesh 12 15 16 gewald/disp 0.3 "
          "mesh/disp 12 12 12")
STYLES = {
    "lj/cut/tip4p/long": ("lj/cut/tip4p/long 1 2 1 1 0.15 6.5 6.0", LJ, "kspace_style pppm/tip4p 1e-4"),
    "lj/cut/tip4p/cut": ("lj/cut/tip4p/cut 1 2 1 1 0.15 6.5 6.0", LJ, ""),
    "tip4p/long": ("tip4p/long 1 2 1 1 0.15 6.0", "pair_coeff * *", "kspace_style pppm/tip4p 1e-4"),
    "tip4p/cut": ("tip4p/cut 1 2 1 1 0.15 6.0", "pair_coeff * *", ""),
    "lj/long/tip4p/long": ("lj/long/tip4p/long long long 1 2 1 1 0.15 6.5 6.0", MIXED, MESHES),
    "lj/long/tip4p/long cut": ("lj/long/tip4p/long cut long 1 2 1 1 0.15 6.5 6.0", f"{MIXED}\npair_modify shift yes",
                               "kspace_style pppm/tip4p 1e-4"),
    "lj/long/tip4p/long without charges": ("lj/long/tip4p/long long off 1 2 1 1 0.15 6.5", MIXED,
                                           MESHES),
    "lj/cut/tip4p/long/soft": ("lj/cut/tip4p/long/soft 1 2 1 1 0.15 1.5 0.5 4.0 6.5 6.0", SOFT,
                               "kspace_style pppm/tip4p 1e-4"),
    "tip4p/long/soft": ("tip4p/long/soft 1 2 1 1 0.15 1.5 4.0 6.0", "pair_coeff * * 0.9\npair_coeff 1 3 0.6",
                        "kspace_style pppm/tip4p 1e-4"),
}
"""Arguments of pair_style, its coefficients, and the long-range part."""

SETTINGS = ((1, 1, "brick"), (1, 3, "p2p/rdma"), (2, 2, "p2p/rdma"), (3, 1, "brick"), (4, 2, "p2p/rdma"))
"""Ranks, parts, comm style."""

RIGID = "fix rigid all shake 1e-8 100 0 b 1 a 1"


def water(name: str, rigid: bool = True, pair: str = "") -> str:
    """216 molecules and six ions.

    Args:
        name: a key of STYLES.
        rigid: whether fix shake holds bonds and angles; else charge sites are at any distance from oxygens.
        pair: lines in place of those that choose the pair style.
    """
    style, coefficients, solver = STYLES[name]
    head, tail = WATER.split("velocity all create", 1)
    head = head.replace("create_box 2", "create_box 3").replace("mass 2 1.008", "mass 2 1.008\nmass 3 22.99")
    tail = tail.split("pair_style", 1)[0], tail.split("{kspace}", 1)[1]
    ions = "create_atoms 3 random 6 4711 NULL overlap 1.7 maxtry 1000\nset type 3 charge 0.5"
    text = "\n".join([head + ions, "velocity all create" + tail[0] + (pair or f"pair_style {style}\n{coefficients}"),
                      solver + tail[1]]).replace("charge -0.8476", "charge -1.1128").replace("charge 0.4238",
                                                                                              "charge 0.5564")
    assert RIGID in text
    return text if rigid else text.replace(RIGID, "").replace("timestep 1.0", "timestep 0.25")


@pytest.mark.parametrize("rigid", (True, False), ids=("rigid", "flexible"))
@pytest.mark.parametrize("name,setting", [(name, setting) for name in STYLES for setting in SETTINGS
                                          if setting in SETTINGS[1:4]
                                          or name in ("lj/cut/tip4p/long", "lj/cut/tip4p/cut")], ids=str)
def test_forces_energies_and_stresses_are_those_without_the_suffix(servers, tmp_path, name, setting, rigid):
    """The least common settings are left out with styles that differ in one of their parts alone."""
    compare(servers, tmp_path, water(name, rigid), setting)


HYBRID = {
    "overlay": ("lj/cut/tip4p/long", "pair_style hybrid/overlay {} morse 4.0\npair_coeff * * {name} 0 0\n"
                "pair_coeff 1 1 {name} 0.16 3.16\npair_coeff 3 3 {name} 0.1 2.6\npair_coeff 3 3 morse 0.3 2.0 3.1"),
    "of other types": ("lj/cut/tip4p/cut", "pair_style hybrid {} lj/cut 6.0\npair_coeff 1*2 1*2 {name} 0 0\n"
                       "pair_coeff 1 1 {name} 0.16 3.16\npair_coeff * 3 lj/cut 0.1 2.6"),
}
"""Style of the water, and commands of a hybrid style; in the second the water has a list of its own."""


@pytest.mark.parametrize("setting", SETTINGS[1:3], ids=str)
@pytest.mark.parametrize("kind", HYBRID)
def test_a_substyle_is_that_without_the_suffix(servers, tmp_path, kind, setting):
    name, text = HYBRID[kind]
    compare(servers, tmp_path, water(name, pair=text.format(STYLES[name][0], name=name)), setting)


OTHERS = {
    "triclinic": lambda text: text.replace("velocity all create",
                                           "change_box all triclinic xy final 1.5 remap\nvelocity all create"),
    "rigid bodies": lambda text: text.replace(RIGID, "").replace(
        "fix integrate all nve",
        "group ions type 3\ngroup bodies subtract all ions\nfix rigid bodies rigid/small molecule\n"
        "fix integrate ions nve"),
    "a box that changes": lambda text: text.replace("fix integrate all nve\n", "").replace(
        RIGID, f"{RIGID}\nfix integrate all npt temp 300 300 100 iso 0 0 1000"),
    "without a table": lambda text: text.replace("neighbor 1.0", "pair_modify table 0 table/disp 0\nneighbor 1.0"),
    "pairs of a molecule count": lambda text: text.replace("neighbor 1.0",
                                                           "special_bonds lj/coul 0.3 0.4 0.5\nneighbor 1.0"),
}
"""What becomes of the system."""


@pytest.mark.parametrize("setting", SETTINGS[1:3], ids=str)
@pytest.mark.parametrize("name", ("lj/cut/tip4p/long", "lj/long/tip4p/long", "lj/cut/tip4p/long/soft"))
@pytest.mark.parametrize("other", OTHERS)
def test_in_other_systems(servers, tmp_path, other, name, setting):
    if other == "triclinic" and MESHES in water(name):
        pytest.skip("pppm/disp/tip4p needs an orthogonal box")
    text = OTHERS[other](water(name))
    assert text != water(name)
    compare(servers, tmp_path, text, setting)


@pytest.mark.parametrize("setting", SETTINGS[1:3], ids=str)
@pytest.mark.parametrize("name", ("lj/cut/tip4p/long/soft", "tip4p/long/soft"))
def test_lambda_may_change_in_a_run(servers, tmp_path, name, setting):
    text = (f"{water(name)}variable now equal ramp(0.9,0.4)\n"
            f"fix change all adapt 2 pair {name} lambda 1*2 * v_now\n")
    compare(servers, tmp_path, text, setting)


def compare(servers, folder, text: str, setting) -> None:
    ranks, parts, comm = setting
    variant = threadpool(parts, comm)
    expected = results(servers, text, BRICK, ranks, folder)
    found = results(servers, text, variant, ranks, folder)
    assert np.max(np.abs(expected[1][0].columns["fx"])) > 1.0
    assert not differences(expected, found)


def test_a_run_keeps_to_the_trajectory_without_the_suffix(servers):
    """Rounding errors grow; lists are built several times."""
    text = water("lj/cut/tip4p/long").replace("timestep 1.0", "timestep 0.2")
    text += "thermo_style custom step pe ke etotal press\nthermo_modify norm no format float %.17g\nthermo 20\nrun 80\n"
    expected, found = (read_thermo(servers.server(2, variant).run(f"{variant.command}\n{text}"))[-1].columns
                       for variant in (BRICK, threadpool(2, "p2p/rdma")))
    for column in ("PotEng", "KinEng", "TotEng"):
        assert found[column] == pytest.approx(expected[column], rel=1e-9)
    assert len(set(expected["PotEng"])) > 4


@pytest.mark.parametrize("ranks,parts", ((2, 1), (1, 3)))
def test_the_same_run_twice_is_the_same_to_the_last_bit(servers, tmp_path, ranks, parts):
    expect_same_bits(servers, [(ranks, threadpool(parts, "p2p/rdma"))] * 2, f"{water('lj/cut/tip4p/long')}\nrun 30",
                     tmp_path)


def test_a_restart_goes_on_with_the_same_model(servers, tmp_path):
    name = "lj/cut/tip4p/cut"
    variant = threadpool(2)
    run = "thermo_style custom step pe\nthermo_modify norm no format float %.17g\nrun 0"
    output = servers.server(2, variant).run("\n".join([
        variant.command, water(name, rigid=False), run, f"write_restart {tmp_path}/restart", "clear", variant.command,
        f"read_restart {tmp_path}/restart", run]))
    before, after = (table.columns["PotEng"][-1] for table in read_thermo(output)[-2:])
    assert after == pytest.approx(before, rel=1e-13)


# what is refused

LOST = {
    "missing": ("group gone id 2\ndelete_atoms group gone compress no bond yes", "TIP4P hydrogen is missing"),
    "of another type": ("set atom 3 type 3", "TIP4P hydrogen has incorrect atom type"),
}


@pytest.mark.parametrize("variant", (BRICK, threadpool(1), threadpool(3, "p2p/rdma")), ids=str)
@pytest.mark.parametrize("kind", LOST)
def test_an_oxygen_without_its_hydrogens_is_refused(servers, kind, variant):
    commands, message = LOST[kind]
    text = water("lj/cut/tip4p/cut", rigid=False).replace("neighbor 1.0", f"{commands}\nneighbor 1.0")
    with pytest.raises(CaseFailed, match=message):
        servers.server(2, variant).run(f"{variant.command}\n{text}\nrun 0\n")


APPROACH = """\
units real
atom_style full
atom_modify map array sort 0 0
boundary f f f
processors 2 1 1
region box block 0 40 0 20 0 20
create_box 3 box bond/types 1 angle/types 1 extra/bond/per/atom 2 extra/angle/per/atom 1 extra/special/per/atom 2
create_atoms 1 single 29.28 10 10
create_atoms 2 single 30.28 10 10
create_atoms 2 single 28.95 10.94 10
create_atoms 3 single 19.99 10 10
mass 1 16
mass 2 1
mass 3 20
set type 1 charge -1.0
set type 2 charge 0.5
set type 3 charge 0.5
pair_style tip4p/cut 1 2 1 1 0.15 7.0
pair_coeff * *
bond_style harmonic
bond_coeff 1 450 1.0
angle_style harmonic
angle_coeff 1 55 109.47
create_bonds single/bond 1 1 2
create_bonds single/bond 1 1 3
create_bonds single/angle 1 2 1 3
neighbor 2.0 bin
neigh_modify delay 1000 every 1000 check no
group ion type 3
velocity ion set 0.02 0 0
fix integrate ion nve
timestep 1.0
"""
"""An ion comes near to a molecule of the other rank before lists are built anew.  Its rank lacks a hydrogen of this
molecule, which is farther away than ghosts are."""


@pytest.mark.parametrize("variant", (BRICK, threadpool(1), threadpool(2, "p2p/rdma")), ids=str)
def test_hydrogens_beyond_the_ghosts_are_missed_when_they_count_and_not_before(servers, variant: Variant):
    server = servers.server(2, variant)
    assert "Loop time" in server.run(f"{variant.command}\n{APPROACH}run 60\n")
    with pytest.raises(CaseFailed, match="TIP4P hydrogen is missing"):
        servers.server(2, variant).run(f"{variant.command}\n{APPROACH}run 160\n")


def test_oxygens_beyond_reach_do_not_count_however_near_their_charges_are(servers, tmp_path):
    """Bonds are stretched to 1.3 times their length, so that charges are within the cut-off of 7 and oxygens are beyond
    that and twice the distance of a charge from its oxygen."""
    text = APPROACH.split("create_atoms", 1)[0] + "".join(
        f"create_atoms {kind} single {x} {y} 10\n" for kind, x, y in (
            (1, 16.0, 10.0), (2, 16.75, 11.06), (2, 16.75, 8.94), (1, 23.35, 10.0), (2, 22.6, 11.06), (2, 22.6, 8.94)))
    text += "mass 1 16" + APPROACH.split("mass 1 16")[1].replace(
        "create_bonds single/angle 1 2 1 3", "create_bonds single/angle 1 2 1 3\ncreate_bonds single/bond 1 4 5\n"
        "create_bonds single/bond 1 4 6\ncreate_bonds single/angle 1 5 4 6")
    forces = []
    for variant in (BRICK, threadpool(2)):
        path = tmp_path / f"{variant}.dump"
        servers.server(2, variant).run("\n".join([variant.command, text, "run 0", dump(path, columns="fx fy fz")]))
        forces.append(read_snapshot(path).forces)
    assert np.max(np.abs(forces[1] - forces[0])) < 1e-12 * np.max(np.abs(forces[0]))


def test_a_hydrogen_of_another_image_is_none(servers):
    """LAMMPS takes the image that there is, however far it is: the site is then anywhere."""
    text = APPROACH.replace("boundary f f f\nprocessors 2 1 1\n", "").replace("29.28 ", "9.28 ").replace(
        "30.28 ", "10.28 ").replace("28.95 ", "8.95 ").replace("19.99 ", "39.99 ")
    variant = threadpool(2)
    assert "Loop time" in servers.server(1, variant).run(f"{variant.command}\n{text}run 60\n")
    with pytest.raises(CaseFailed, match="TIP4P hydrogen is missing"):
        servers.server(1, variant).run(f"{variant.command}\n{text}run 160\n")


def test_rows_are_not_handed_over(servers):
    variant = threadpool(1, "p2p/rdma")
    with pytest.raises(CaseFailed, match="it looks for the other atoms of a molecule"):
        servers.server(2, variant).run("\n".join([
            variant.command, water("lj/cut/tip4p/long"), "fix even all ring/balance 10 1.05", "run 0"]))
