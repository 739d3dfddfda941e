# SPDX-License-Identifier: GPL-2.0-only
"""The half shell is used where half of the ghosts are enough, with the same physics; elsewhere the log gives the reason
why not."""

import re

import numpy as np
import pytest

from charged_systems import WATER
from lammps_output import read_statistics, read_thermo
from lammps_run import BRICK, SHM, SHM_FULL, Variant, run_script, threadpool
from random_molecules import random_molecules
from small_systems import CHAINS, GRAINS, LJ, METAL, MOLECULES

GRAINS_NEWTON = GRAINS.replace("newton off", "newton on")
SLAB = LJ.replace("0 5 0 5 0 5", "0 12 0 2 0 6")
FLAT = LJ.replace("units lj\n", "units lj\ndimension 2\n").replace("fcc 0.8442", "sq2 0.8442").replace(
    "0 5 0 5 0 5", "0 12 0 9 -0.1 0.1") \
    + "fix flat all enforce2d\n"
TILTED = LJ.replace("block 0 5 0 5 0 5", "prism 0 5 0 5 0 5 1.5 -1.0 2.0")
TWO_STYLES = LJ.replace("pair_style lj/cut 2.5\npair_coeff * * 1.0 1.0 2.5\npair_coeff 2 2 0.8 0.9 2.0",
                        "pair_style hybrid/overlay lj/cut 2.5 morse 1.8\npair_coeff * * lj/cut 1.0 1.0 2.5\n"
                        "pair_coeff 1 2 morse 0.5 2.0 1.2")
THREE_BODIES = LJ.replace("lj/cut 2.5\npair_coeff * * 1.0 1.0 2.5\npair_coeff 2 2 0.8 0.9 2.0",
                          "sw\npair_coeff * * Si.sw Si Si") \
    .replace("units lj", "units metal").replace("0.8442", "5.43")

PEPTIDE = """\
units real
atom_style full
pair_style lj/charmm/coul/charmm 8.0 10.0
bond_style harmonic
angle_style charmm
dihedral_style charmm
improper_style harmonic
read_data {data}
neighbor 1.0 bin
neigh_modify every 1 delay 0 check no
fix integrate all nve
fix rigid all shake 1e-8 100 0 b 4 6 8 10 12 14 18 a 31
thermo_style custom step pe press
thermo 10
run 80
"""

HALF = {
    "lj": LJ,
    "metal": METAL,
    "grains with newton on": GRAINS_NEWTON,
    "box thinner than the cut-off": SLAB,
    "two dimensions": FLAT,
    "tilted box": TILTED,
    "two pair styles": TWO_STYLES,
    "no boundary is periodic": LJ
    + "change_box all boundary f f f\nfix walls all wall/reflect xlo EDGE xhi EDGE ylo EDGE yhi EDGE zlo EDGE zhi "
      "EDGE\n",
    "excluded pairs": LJ + "neigh_modify exclude type 1 2\n",
    "a molecule that excludes itself": LJ.replace("atom_style atomic", "atom_style hybrid atomic sphere")
    + "group some id 1:200\n"
                                       "neigh_modify exclude group some some\n",
    "long cut-off of ghosts": LJ + "comm_modify cutoff 6.5\n",
    "barostat": LJ + "unfix integrate\nfix integrate all npt temp 1.44 1.44 0.1 iso 0.0 0.0 1.0\n",
}

# oxygens are next to the faces of sub-boxes
CROSSING_WATER = WATER.format(kspace="kspace_style pppm 1e-4") + "displace_atoms all move 1.5 1.5 1.5\n"
MOLECULAR = {
    "bonds": CHAINS,
    "bonds of atoms with IDs in a hash": CHAINS.replace("map array", "map hash"),
    "bonds, angles, dihedrals and impropers": MOLECULES,
    "molecules in a tilted box": MOLECULES.replace("block 0 8.5 0 5.5 0 5.5", "prism 0 8.5 0 5.5 0 5.5 1.3 -0.8 0.6"),
    "a box thinner than two cut-offs": MOLECULES.replace("replicate 4 4 4", "replicate 4 2 2"),
    "velocities of ghosts": MOLECULES + "comm_modify vel yes\n",
    "excluded types": MOLECULES + "neigh_modify exclude type 1 2\n",
    "bonds that are turned off": MOLECULES + "delete_bonds all dihedral 2\n",
    "bonds in two pair styles": CHAINS.replace("pair_style lj/cut 1.12\npair_coeff 1 1 1.0 1.0 1.12",
                                               "pair_style hybrid/overlay lj/cut 1.12 morse 1.5\n"
                                               "pair_coeff 1 1 lj/cut 1.0 1.0 1.12\npair_coeff 1 1 morse 0.1 2.0 1.2"),
    "water held by SHAKE": CROSSING_WATER,
    "water held by RATTLE": CROSSING_WATER.replace("all shake 1e-8", "all rattle 1e-8"),
    "barostat": MOLECULES + "unfix integrate\nfix integrate all npt temp 300 300 50 iso 1.0 1.0 500.0\n",
}
"""Systems with bonds; half of the ghosts come with partners from the other side."""

FULL = {
    "newton off": (LJ.replace("units lj\n", "units lj\nnewton off\n"), "newton is off"),
    "newton off for bonds": ("newton on off\n" + CHAINS, "newton is off for bonds"),
    "TIP4P": (WATER.format(kspace="").replace("lj/cut/coul/long 7.0", "lj/cut/tip4p/cut 1 2 1 1 0.15 7.0"),
              "pair style lj/cut/tip4p/cut"),
    "rigid molecules": (WATER.format(kspace="").replace("lj/cut/coul/long 7.0", "lj/cut/coul/cut 7.0").replace(
        "fix integrate all nve\nfix rigid all shake 1e-8 100 0 b 1 a 1", "fix rigid all rigid/small molecule"),
                        "fix rigid/small"),
    "fix restrain": (CHAINS + "fix r all restrain bond 1 2 5.0 5.0 1.0\n", "fix restrain"),
    "fix ring/balance with bonds": (CHAINS + "fix r all ring/balance 1 1.0\n", "fix ring/balance"),
    "compute of bonds": (CHAINS + "compute b all bond/local dist\ncompute bb all reduce sum c_b inputs local\n"
                         "thermo_style custom step pe c_bb\n", "compute bond/local"),
    "full list of a compute": (LJ + "compute c all coord/atom cutoff 1.2\ncompute cc all reduce sum c_c\n"
                              "thermo_style custom step pe c_cc\n", "full neighbor list"),
    "neighbor style nsq": (LJ.replace("0.3 bin", "0.3 nsq"), "half/nsq"),
    "ghosts of a group": (
        LJ + "group some type 1\natom_modify first some\nneigh_modify include some\ncomm_modify group some\n", "group"),
    "unknown fix": (LJ + "group some id 1:20\nfix body some rigid/nve single\n", "fix rigid/nve"),
    "three-body potential": (THREE_BODIES, "full neighbor list"),
    "pattern 3stage": (LJ, "pattern 3stage"),
    "ghosts from far away": (LJ + "comm_modify cutoff 8.6\n", "much further away"),
    "ghosts over many sub-boxes": (LJ + "comm_modify cutoff 30.0\n", "three stages are faster"),
    "as requested": (LJ, "as requested"),
}
KEYWORDS = {"pattern 3stage": ("pattern", "3stage"), "ghosts from far away": ("pattern", "p2p"),
            "as requested": ("shell", "full")}


def shells(output: str):
    """Messages of the log about the shell, in order: ("half", "") or ("full", reason)."""
    found = re.findall(r"^TOFU p2p/rdma: ghosts from the (half|full) shell(?: since (.*))?$", output, re.MULTILINE)
    return [(shell, reason) for shell, reason in found]


def expect_same(expected, found, at_start=1e-12, later=1e-8) -> None:
    """Compare every number of every row, relative to the largest of its column."""
    assert [table.nrows for table in found] == [table.nrows for table in expected]
    for number, (before, after) in enumerate(zip(expected, found)):
        for name, values in before.columns.items():
            scale = max(np.abs(values).max(), 1e-300)
            differences = np.abs(after.columns[name] - values) / scale
            assert differences.max() <= later, f"{name} of run {number}: {differences}"
            if number == 0:
                assert differences[0] <= at_start, f"{name} at the start: {differences[0]:.1e}"


@pytest.mark.parametrize("ranks", (1, 2, 3, 8))
@pytest.mark.parametrize("system", HALF)
def test_half_of_the_ghosts_give_the_same_energies_and_pressure(servers, system, ranks):
    server = servers.server(ranks, SHM)
    script = "{}\n" + HALF[system] + "thermo 1\nrun 12\n"
    expected = read_thermo(server.run(script.format(BRICK.command)))
    output = server.run(script.format(SHM.command))
    full = server.run(script.format(SHM_FULL.command))
    assert shells(output) == [("half", "")]
    expect_same(expected, read_thermo(output))
    ghosts = [read_statistics(text)[0]["ghost atoms"][0] for text in (output, full)]
    assert ghosts[0] <= 0.55 * ghosts[1]


@pytest.mark.usual(20)
@pytest.mark.parametrize("ranks", (1, 2, 3, 4, 8))
@pytest.mark.parametrize("system", MOLECULAR)
def test_molecules_with_half_of_the_ghosts_and_partners_in_bonds_are_the_same(servers, system, ranks):
    """Energies of each kind of interaction; constraints are solved to a tolerance."""
    server = servers.server(ranks, SHM)
    script = "{}\n" + MOLECULAR[system] + (
        "thermo_style custom step temp epair ebond eangle edihed eimp etotal press pxx pxy\n"
        "thermo_modify norm no format float %.17g\nthermo 1\nrun 12\n")
    expected = read_thermo(server.run(script.format(BRICK.command)))
    output = server.run(script.format(SHM.command))
    full = server.run(script.format(SHM_FULL.command))
    assert shells(output)[-1] == ("half", "")    # bonds are made with a full list
    expect_same(expected, read_thermo(output), 1e-11 if "water" in system else 1e-12)
    half, all_of_them = (read_statistics(text)[0] for text in (output, full))
    assert "ghosts of bonded partners" in half and "ghosts of bonded partners" not in all_of_them
    assert half["ghost atoms"][0] <= 0.75 * all_of_them["ghost atoms"][0]


@pytest.mark.usual(10)
def test_parts_that_share_the_search_for_partners_find_the_same(installation, tmp_path):
    """A peptide in water, which has enough atoms for parts; lists are made in each step."""
    script = PEPTIDE.format(data=installation.lammps_dir / "examples" / "peptide" / "data.peptide")
    found = []
    for style in ("brick", "p2p/rdma"):
        output = run_script(installation, script, 1, tmp_path, variant=threadpool(4, style)).expect_success().output
        found.append(read_thermo(output)[0].columns)
    assert np.allclose(found[0]["PotEng"], found[1]["PotEng"], rtol=1e-8)
    assert np.allclose(found[0]["Press"][:3], found[1]["Press"][:3], rtol=1e-6)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ranks", (1, 2, 3, 4, 8))
def test_random_molecules_across_corners_are_the_same(servers, seed, ranks):
    """Interactions join any atoms of a molecule, along bonds or not."""
    server = servers.server(ranks, SHM)
    script = "{}\n" + random_molecules(seed, tilted=seed % 2 == 1)
    expected = read_thermo(server.run(script.format(BRICK.command)))
    output = server.run(script.format(SHM.command))
    assert shells(output) == [("half", "")]
    expect_same(expected, read_thermo(output))


@pytest.mark.parametrize("system", ("bonds, angles, dihedrals and impropers", "water held by SHAKE"))
@pytest.mark.parametrize("precision", ("double", "mixed"))
def test_molecules_have_the_half_shell_with_the_suffix(servers, system, precision):
    """Without output in between, pairs come from clusters of atoms in mixed precision."""
    found = []
    for comm in ("brick", "p2p/rdma"):
        variant = threadpool(2, comm)
        output = servers.server(2, variant).run(
            f"{variant.command}\npackage threadpool 2 precision {precision}\n{MOLECULAR[system]}thermo 6\nrun 12\n")
        found.append(read_thermo(output))
    assert shells(output)[-1] == ("half", "")    # bonds are made with a full list
    expect_same(*found, *((1e-11, 1e-8) if precision == "double" else (1e-4, 1e-4)))


@pytest.mark.usual(3)
@pytest.mark.parametrize("case", FULL)
def test_full_shell_is_kept_and_the_log_says_why(installation, tmp_path, case):
    script, reason = FULL[case]
    command = Variant("p2p", keywords=KEYWORDS.get(case, ())).command
    output = run_script(installation, f"{command}\n{script}run 2\n", 2, tmp_path).expect_success().output
    shell, why = shells(output)[-1]
    assert shell == "full" and reason in why


def test_runs_in_between_that_need_all_ghosts_get_them(servers):
    script = "{}\n" + LJ + """thermo_style custom step pe press
run 6
compute near all coord/atom cutoff 1.3
compute sum all reduce sum c_near
thermo_style custom step pe press c_sum
run 6
uncompute sum
uncompute near
thermo_style custom step pe press
run 6
"""
    server = servers.server(4, SHM)
    expected = read_thermo(server.run(script.format(BRICK.command)))
    output = server.run(script.format(SHM.command))
    assert [shell for shell, _ in shells(output)] == ["half", "full", "half"]
    expect_same(expected, read_thermo(output))


def test_computes_on_pairs_count_each_pair_once(servers):
    script = "{}\n" + LJ + """group one type 1
group two type 2
compute rdf all rdf 20 1 1 1 2
fix rdf all ave/time 1 1 6 c_rdf[*] mode vector
compute pairs all pair/local dist eng
compute npairs all reduce sum c_pairs[1] c_pairs[2] inputs local
compute between one group/group two
compute virial all stress/atom NULL
compute xx all reduce sum c_virial[1] c_virial[4]
thermo_style custom step pe press c_npairs[*] c_between f_rdf[10][2] f_rdf[12][2] f_rdf[18][3] f_rdf[18][5] c_xx[*]
thermo_modify norm no format float %.17g
thermo 6
run 12
"""
    server = servers.server(3, SHM)
    expected = read_thermo(server.run(script.format(BRICK.command)))
    output = server.run(script.format(SHM.command))
    assert shells(output) == [("half", "")]
    assert all(np.abs(values).max() > 0.0 for values in expected[-1].columns.values())
    expect_same(expected, read_thermo(output))


def test_overlap_is_deleted_between_runs_as_with_brick(servers):
    script = "{}\n" + LJ + "run 4\ncreate_atoms 1 random 40 7721 NULL\ndelete_atoms overlap 0.8 all all\nrun 0\n"
    server = servers.server(4, SHM)
    expected = read_thermo(server.run(script.format(BRICK.command)))
    found = read_thermo(server.run(script.format(SHM.command)))
    expect_same(expected, found)


def test_switching_to_brick_brings_back_its_neighbor_lists(servers):
    script = "{}\n" + LJ + "run 4\ncomm_style brick\nrun 4\n{}\nrun 4\n"
    server = servers.server(4, SHM)
    expected = read_thermo(server.run(script.format(BRICK.command, BRICK.command)))
    found = read_thermo(server.run(script.format(SHM.command, SHM.command)))
    expect_same(expected, found)


@pytest.mark.parametrize("case,words", {
    "comm_style p2p/rdma shell quarter": ["shell", "quarter", "auto", "half", "full"],
    "comm_style p2p/rdma shell half pattern 3stage": ["half", "p2p", "3stage"],
}.items(), ids=str)
def test_wrong_shell_is_explained(installation, tmp_path, case, words):
    run_script(installation, f"{case}\n{LJ}run 1\n", 2, tmp_path).expect_error(words)


def test_insisting_on_the_half_shell_where_it_would_be_wrong_is_an_error(installation, tmp_path):
    run_script(installation, f"comm_style p2p/rdma shell half\nnewton on off\n{CHAINS}run 1\n", 2,
               tmp_path).expect_error(("shell half", "newton is off for bonds", "shell auto"))
