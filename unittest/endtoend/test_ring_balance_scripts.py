# SPDX-License-Identifier: GPL-2.0-only
"""Commands of scripts around, between and during runs work with fix ring/balance as without."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Dict, Tuple

import numpy as np
import pytest

from compare import compare_thermo
from force_style_references import installed_styles
from lammps_output import Snapshot, read_snapshot, read_thermo
from lammps_plugin import compile_plugin
from lammps_run import run_script, threadpool
from ring_balance_runs import (
    OPT, SOME_WAYS, TOLERANCE, TWO_TO_A_NODE, Result, Way, expect_counts_agree, moved, read_shares, shares_of)
from small_systems import LJ, dump
from stock_inputs import script_facts
from uneven_systems import DROPLET, EMBEDDED, SHAPES, SLAB, STYLES, cuts, in_part

pytestmark = pytest.mark.full

# atoms that move

MOVING = DROPLET.replace("every 2 delay 0 check no", "every 1 delay 0 check yes").replace(
    "velocity all create 1.44 87287 loop geom",
    "velocity all create 0.2 87287 loop geom\nvelocity all set {} sum yes")


@pytest.mark.most(3)
@pytest.mark.parametrize("way", (Way(2, "mode ghost"), Way(3, "mode forward"), Way(4, "mode auto", grid="1 2 2"),
                                 Way(4, "mode ghost", grid="4 1 1"),
                                 Way(8, "mode auto level node", environment=TWO_TO_A_NODE),
                                 Way(3, "mode auto", threadpool(2, "p2p/rdma"))), ids=str)
def test_donors_become_receivers_when_a_droplet_moves_through_the_box(servers, tmp_path, way):
    """The droplet goes once around a box of 13.4 in each dimension, with another velocity in each."""
    system = MOVING.format("40.0 -34.0 38.0")
    parts, found = 10, []
    for balanced in (False, True):
        folder = tmp_path / str(balanced)
        folder.mkdir()
        runs = "\n".join(f"run 8\n{shares_of(way.ranks) if balanced else ''}" for _ in range(parts))
        output = servers.server(way.ranks, way.variant, dict(way.environment)).run("\n".join([
            way.start() + system, moved(system), way.fix(folder) if balanced else "",
            "thermo_style custom step temp pe press",
            "thermo_modify norm no format float %.17g", "thermo 4", runs, dump(folder / "end.dump")]))
        found.append(Result(read_thermo(output), [read_snapshot(folder / "end.dump")], read_shares(output), output))
    assert not compare_thermo(found[0].thermo, found[1].thermo, TOLERANCE, "lj", found[0].snapshots[0])
    assert np.max(np.abs(found[0].snapshots[0].forces - found[1].snapshots[0].forces)) < 1e-8 * np.max(
        np.abs(found[0].snapshots[0].forces))
    assert len(found[1].shares) == parts
    for shares in found[1].shares:
        expect_counts_agree(shares)
    given, taken = (sum(shares.ranks[:, column] for shares in found[1].shares) for column in (2, 3))
    assert np.all((given > 0) & (taken > 0)), (given, taken)


# commands of scripts

BODIES = in_part(LJ, "block 0 8 0 8 0 8", "block 0.9 4.9 0.9 4.9 0.9 4.9")
"""64 whole cells of a lattice, four atoms each, in an eighth of the box."""

SCENARIOS: Dict[str, Tuple[str, str]] = {
    "many runs": (DROPLET, "run 0\nrun 10\nrun 0\nrun 7\n"),
    "runs without set-up in between": (DROPLET,
                                       "run 10\nrun 10 pre no\nrun 10 pre no post no\nrun 9 every 3 NULL\nrun 5\n"),
    "a minimisation": (DROPLET, "minimize 0 0 8 100\nrun 10\n"),
    "a minimisation with fire": (DROPLET, "run 5\nmin_style fire\nminimize 0 0 20 100\nrun 5\n"),
    "a minimisation of molecules": (STYLES["molecules"], "minimize 0 0 8 100\nrun 5\n"),
    "a minimisation that changes the box": (SHAPES["unequal boxes"],
                                            "fix relax all box/relax iso 0.0\nminimize 0 0 4 100\n"),
    "rerun": (DROPLET,
              "dump d all custom 4 {folder}/d id type x y z\ndump_modify d format float %.17g\nrun 16\nundump d\n"
                       "rerun {folder}/d dump x y z box yes\nrun 4\n"),
    "restart and continue": (STYLES["bonds"],
                             "run 10\nwrite_restart {folder}/r\nclear\n{again}\nread_restart {folder}/r\n"
                             "neigh_modify every 2 delay 0 check no\n"
                             "fix integrate all nve\n{style}\n{ring}\nrun 20\n"),
    "data written and read": (DROPLET,
                              "run 10\nwrite_data {folder}/data\nclear\n{again}\nunits lj\natom_modify map array\n"
                              "pair_style lj/cut 2.5\n"
                              "read_data {folder}/data\nneigh_modify every 2 delay 0 check no\nfix integrate all nve\n"
                              "{style}\n{ring}\nrun 20\n"),
    "clear in between": (DROPLET, "run 10\nclear\n{again}\n" + SLAB + "{style}\n{ring}\nrun 20\n"),
    "the fix goes and comes again": (DROPLET, "run 10\n{unring}\nrun 10\n{ring}\nrun 10\n"),
    "the fix goes and nothing follows": (DROPLET, "run 10\n{unring}\nrun 0\n"),
    "the fix is given again": (DROPLET, "run 10\n{ring} mode forward\nrun 10\n{ring} mode ghost\nrun 10\n"),
    "the fix comes after some steps": (SLAB, "{unring}\nrun 10\n{ring}\nrun 10\n"),
    "brick in between": (DROPLET, "run 6\n{unring}\ncomm_style brick\nrun 6\ncomm_style p2p/rdma\n{ring}\nrun 6\n"),
    "other words of comm_style in between": (
        DROPLET, "run 6\ncomm_style p2p/rdma shell full\nrun 6\ncomm_style p2p/rdma transport mpi\nrun 6\n"),
    "decisions are rare": (DROPLET, "{unring}\n{rare}\nrun 60\nreset_timestep 3\nrun 30\n"),
    "atoms are deleted": (
        DROPLET, "run 6\nregion hole sphere 5 5.5 5.2 2 units box\ndelete_atoms region hole compress no\nrun 10\n"),
    "all atoms of a rank are deleted": (DROPLET,
                                        "run 6\nregion low block INF INF INF INF INF 4 units box\n"
                                        "delete_atoms region low compress no\nrun 10\n"),
    "atoms are created": (DROPLET,
                          "run 6\nregion other block 6 8 5 8 5 8\ncreate_atoms 2 region other\n"
                          "delete_atoms overlap 0.9 all all\nrun 10\n"),
    "overlap is deleted": (
        DROPLET, "run 6\ncreate_atoms 1 random 40 7721 NULL\ndelete_atoms overlap 0.9 all all\nrun 0\nrun 6\n"),
    "atoms are deposited": (SLAB,
                            "region top block 0.1 6.6 0.1 6.6 16 30 units box\n"
                            "fix rain all deposit 20 1 2 4711 region top near 1.0 vz -9 -1\nrun 40\n"),
    "atoms evaporate": (
        SLAB, "region some block INF INF INF INF 2 9 units box\nfix gone all evaporate 4 10 some 4711\nrun 40\n"),
    "atoms get other types": (DROPLET, "run 6\nset group all type/fraction 1 0.5 91\nrun 10\n"),
    "atoms are displaced": (DROPLET,
                            "run 6\ndisplace_atoms all move 3.7 -9.1 22.2 units box\nrun 6\n"
                            "displace_atoms all rotate 4 4 4 0 0 1 90 units box\nrun 6\n"),
    "the box is replicated": (DROPLET, "run 6\n{unring}\nreplicate 2 1 1\n{ring}\nrun 6\n"),
    "the box is changed": (DROPLET,
                           "run 6\nchange_box all x scale 1.05 remap\nrun 6\n"
                           "change_box all triclinic xy final 1.0 remap\nrun 6\n"),
    "the box gets walls": (DROPLET,
                           "run 6\nchange_box all boundary f p f\nfix walls all wall/reflect xlo EDGE xhi EDGE zlo "
                           "EDGE zhi EDGE\nrun 6\n"),
    "the box deforms": (DROPLET, "fix d all deform 1 x erate 0.2 z scale 0.97\nrun 30\n"),
    "the box shears": (SHAPES["triclinic"], "fix d all deform 1 xy erate 0.5 remap v\nrun 30\n"),
    "constant pressure": (SHAPES["unequal boxes"],
                          "unfix integrate\nfix integrate all npt temp 1.44 1.44 0.5 aniso 0 0 5.0\nrun 30\n"),
    "constant temperature": (DROPLET, "unfix integrate\nfix integrate all nvt temp 1.44 1.44 0.5\nrun 30\n"),
    "cuts shift beside it": (DROPLET, "fix shift all balance 4 1.05 shift xz 5 1.05\nrun 40\n"),
    "cuts shift at first": (DROPLET, "run 6\nbalance 1.05 shift xyz 10 1.05\nrun 10\n"),
    "pairs are excluded between runs": (
        DROPLET, "run 6\nneigh_modify exclude type 1 2\nrun 6\nneigh_modify exclude none\nrun 6\n"),
    "lists are made rarely": (DROPLET, "neighbor 1.0 bin\nneigh_modify every 5 delay 10 check yes\nrun 50\n"),
    "lists are made once": (DROPLET, "neighbor 1.0 bin\nneigh_modify once yes\nrun 10\n"),
    "another skin": (DROPLET, "run 6\nneighbor 0.8 bin\nrun 6\nneighbor 0.1 nsq\nrun 6\n"),
    "another cut-off": (DROPLET,
                        "run 6\npair_style lj/cut 3.4\npair_coeff * * 1.0 1.0\nrun 6\npair_style lj/cut 1.8\n"
                        "pair_coeff * * 1.0 1.0\nrun 6\n"),
    "another pair style": (DROPLET,
                           "run 6\npair_style morse 2.5\npair_coeff * * 1.0 5.0 1.12\nrun 6\n"
                           "pair_style hybrid/overlay morse 2.5 lj/cut 2.0\n"
                           "pair_coeff * * morse 1.0 5.0 1.12\npair_coeff * * lj/cut 0.2 1.0\nrun 6\n"
                           "pair_style lj/cut 2.5\npair_coeff * * 1.0 1.0\nrun 6\n"),
    "velocities of ghosts in between": (DROPLET, "run 6\ncomm_modify vel yes\nrun 6\ncomm_modify vel no\nrun 6\n"),
    "more ghosts in between": (SLAB, "run 6\ncomm_modify cutoff 6.0\nrun 6\ncomm_modify cutoff 0.0\nrun 6\n"),
    "no map": (DROPLET.replace("atom_modify map array\n", ""), "run 20\n"),
    "a map by hashing": (DROPLET.replace("map array", "map hash"), "run 20\n"),
    "atoms are sorted often": (DROPLET, "atom_modify sort 2 1.5\nrun 20\n"),
    "atoms are not sorted": (DROPLET, "atom_modify sort 0 0.0\nrun 20\n"),
    "atoms of a group move": (DROPLET, "unfix integrate\ngroup some id 1:150\nfix integrate some nve\nrun 20\n"),
    "forces are set and added": (DROPLET,
                                 "group some type 1\nfix set some setforce 0.1 NULL 0.0\n"
                                 "fix add all addforce 0.0 v_pull 0.0\nvariable pull atom z\nrun 20\n"),
    "forces of the step before are kept": (DROPLET,
                                           "compute f all reduce sumsq fx fy fz\nfix mean all ave/time 1 1 1 c_f[*]\n"
                                           "thermo_style custom step temp pe f_mean[*]\n"
                                           "thermo_modify norm no format float %.17g\nrun 20\n"),
    "energies of atoms at some steps": (
        DROPLET, "compute e all pe/atom\ncompute s all stress/atom NULL\nvariable e atom c_e+c_s[1]\n"
                                        "fix av all ave/atom 3 2 6 v_e\ncompute m all reduce max f_av\n"
                                        "thermo_style custom step pe press c_m\n"
                                        "thermo_modify norm no format float %.17g\nthermo 6\nrun 18\n"),
    "barriers between stages": (DROPLET, "timer full sync\nrun 20\ntimer normal nosync\n"),
    "files are written between runs": (DROPLET, "run 10\nwrite_coeff {folder}/coeff\nrun 10 pre no\nrun 10\n"),
    "files are written between runs, decisions are rare": (
        DROPLET, "{unring}\n{rare}\nrun 10\nwrite_coeff {folder}/coeff\nrun 10 pre no\nrun 10\n"),
    "rigid molecules": (STYLES["rigid water"],
                        "unfix rigid\nunfix integrate\nfix bodies all rigid/small molecule\nrun 30\n"),
    "rigid bodies": (
        BODIES, "variable body atom 1+floor(x/1.68+0.2)+10*floor(y/1.68+0.2)+100*floor(z/1.68+0.2)\nunfix integrate\n"
                             "fix bodies all rigid/nvt/small custom v_body temp 1.44 1.44 0.5\nrun 40\nrun 20\n"),
    "weights of fix balance": (DROPLET, "fix shift all balance 4 1.05 shift x 5 1.05 weight neigh 0.8\nrun 20\n"),
}
SCENARIO_WAYS = (Way(3, "mode ghost"), Way(4, "mode forward", grid="1 2 2"),
                 Way(3, "mode auto", threadpool(2, "p2p/rdma")),
                 Way(4, "mode auto", threadpool(1, "p2p/rdma"), grid="1 2 2"))
RUNS_AFTER_RESTART_NEED = ("thermo_style custom step atoms temp pe press pxx pyy pzz pxy pxz pyz vol\n"
                           "thermo_modify norm no format float %.17g\nthermo 1")


def scenario(servers, name: str, way: Way, folder: Path, balanced: bool) -> Result:
    """Run a scenario with the fix or without."""
    folder.mkdir()
    system, commands = SCENARIOS[name]
    rare = replace(way, every=50)
    words = {"ring": way.fix(folder), "unring": "unfix ring", "rare": rare.fix(folder)} if balanced else dict.fromkeys(
        ("ring", "unring", "rare"), "")
    if not balanced:
        commands = re.sub(r"\{ring\} .*", "", commands)
    for key, text in {**words, "folder": str(folder), "again": way.start(), "style": RUNS_AFTER_RESTART_NEED}.items():
        commands = commands.replace("{" + key + "}", text)
    script = "\n".join([way.start() + system.replace("{cuts}", cuts(way.ranks)), moved(system), RUNS_AFTER_RESTART_NEED,
                        words["ring"], commands, dump(folder / "end.dump")])
    output = servers.server(way.ranks, way.variant, dict(way.environment)).run(script)
    return Result(read_thermo(output), [read_snapshot(folder / "end.dump")], [], output)


@pytest.mark.parametrize("way", SCENARIO_WAYS, ids=str)
@pytest.mark.parametrize("name", SCENARIOS)
def test_what_scripts_do_works_as_without(servers, tmp_path, name, way):
    expected, found = (scenario(servers, name, way, tmp_path / str(balanced), balanced) for balanced in (False, True))
    assert len(expected.thermo) > 0
    assert not compare_thermo(expected.thermo, found.thermo, TOLERANCE, script_facts(SCENARIOS[name][0])[0],
                              expected.snapshots[0])
    one, other = expected.snapshots[0], found.snapshots[0]
    assert np.array_equal(one.columns["id"], other.columns["id"])
    assert np.max(np.abs(one.forces - other.forces)) <= 1e-8 * np.max(np.abs(one.forces))


@pytest.mark.parametrize("way", (Way(3, "mode forward", every=0),
                                 Way(3, "mode auto", threadpool(1, "p2p/rdma"), every=0)), ids=str)
def test_work_is_shared_out_again_after_a_file_was_written(servers, tmp_path, way):
    """The command write_coeff deletes the plan, and with 0 as Nevery there would be no other plan before the next
    set-up."""
    script = "\n".join([way.start() + DROPLET, way.fix(tmp_path), "run 10", f"write_coeff {tmp_path}/coeff",
                        "run 10 pre no", shares_of(way.ranks)])
    shares = read_shares(servers.server(way.ranks, way.variant, dict(way.environment)).run(script))[-1]
    expect_counts_agree(shares)
    assert shares.handed_over > 0 and shares.after < shares.before, shares


@pytest.mark.parametrize("ranks", (1, 3))
def test_owners_compute_atoms_that_come_between_runs(servers, tmp_path, ranks):
    """More atoms are created than there was memory for.  Some of the old atoms are deleted, and the ranks that compute
    the others stay the same."""
    way = Way(ranks, "mode ghost")
    script = "\n".join([way.start() + DROPLET, way.fix(tmp_path), "run 0",
                        dump(tmp_path / "before.dump", columns="id proc f_ring"),
                        "variable third atom \"id % 3 == 0\"\ngroup third variable third\n"
                        "delete_atoms group third compress no\ncreate_atoms 1 random 60000 7721 NULL",
                        dump(tmp_path / "after.dump", columns="id proc f_ring")])
    servers.server(ranks, way.variant, dict(way.environment)).run(script)
    before, after = ({int(one): (owner, computing) for one, owner,
                      computing in zip(*(snapshot.columns[name] for name in ("id", "proc", "f_ring")))}
                     for snapshot in (read_snapshot(tmp_path / "before.dump"), read_snapshot(tmp_path / "after.dump")))
    new, old = after.keys() - before.keys(), after.keys() & before.keys()
    assert len(new) == 60000 and 0 < len(old) < len(before)
    assert all(after[one][1] == after[one][0] for one in new)
    assert all(after[one] == before[one] for one in old)
    assert ranks == 1 or any(owner != computing for owner, computing in (after[one] for one in old))


ON_PAIRS = """\
group one type 1
group two type 2
compute rdf all rdf 20 1 1 1 2
fix rdf all ave/time 1 1 6 c_rdf[*] mode vector
compute pairs all pair/local dist eng force
compute npairs all reduce sum c_pairs[1] c_pairs[2] c_pairs[3] inputs local
compute between one group/group two
compute near all coord/atom cutoff 1.3
compute cluster all cluster/atom 1.2
compute cna all cna/atom 1.4
compute centro all centro/atom 6
compute atoms all reduce sum c_near c_cluster c_cna c_centro
compute ke all ke/atom
compute pe all pe/atom
compute centroid all centroid/stress/atom NULL virial
compute flux all heat/flux ke pe centroid
compute stress all reduce sum c_centroid[*]
compute eng all pair lj/cut
thermo_style custom step pe press c_npairs[*] c_between c_between[*] f_rdf[10][2] f_rdf[12][2] f_rdf[18][3] &
  f_rdf[18][5] c_atoms[*] c_flux[*] c_stress[*] c_eng
thermo_modify norm no format float %.17g
thermo 6
run 18
"""


@pytest.mark.parametrize("way", (*SOME_WAYS, Way(8, "mode ghost"), Way(3, "mode auto", threadpool(1, "p2p/rdma"))),
                         ids=str)
@pytest.mark.parametrize("system", ("slab", "triclinic"))
def test_computes_on_pairs_and_neighbors_give_the_same(servers, tmp_path, system, way):
    """The lists of these computes are made when extra ghosts exist already."""
    tables = [read_thermo(servers.server(way.ranks, way.variant, dict(way.environment)).run(
        way.start() + SHAPES[system] + moved(system) + fix + "\n" + ON_PAIRS))[0] for fix in ("", way.fix(tmp_path))]
    for name, values in tables[0].columns.items():
        scale = np.max(np.abs(values))
        assert scale > 0.0 or name == "Step"
        assert np.max(np.abs(tables[1].columns[name] - values)) <= 1e-8 * scale, name


@pytest.mark.parametrize("way", (Way(3, "mode ghost"), Way(3, "mode auto", threadpool(1, "p2p/rdma"))), ids=str)
def test_monte_carlo_that_makes_lists_itself_gives_the_same(servers, installation, tmp_path, way):
    """fix gcmc calls Neighbor::build() on its own, with full energies as well as with those of single atoms."""
    if "gcmc" not in installed_styles(installation)["fix"]:
        pytest.skip("this LAMMPS was built without the package MC")
    for words in ("", " full_energy"):
        tables = [read_thermo(servers.server(way.ranks, way.variant).run(
            f"{way.start()}{SLAB}{fix}\nfix mc all gcmc 4 10 10 1 4711 1.4 -2.0 0.1{words}\n"
            f"thermo_style custom step atoms pe press f_mc[*]\n"
            "thermo_modify norm no format float %.17g\nthermo 4\nrun 24\n"))[0] for fix in ("", way.fix(tmp_path))]
        assert not compare_thermo([tables[0]], [tables[1]], TOLERANCE, "lj",
                                  Snapshot(0, 3000.0, {"id": np.arange(400)}))


@pytest.fixture(scope="module")
def lists(installation, tmp_path_factory):
    """The command that loads fix lists."""
    plugin = tmp_path_factory.mktemp("lists") / "lists.so"
    compile_plugin(installation, [Path(__file__).with_name("fix_list_builder.cpp")], plugin)
    return f"plugin load {plugin}\n"


@pytest.mark.parametrize("name,way", (("droplet", Way(2, "mode ghost")), ("droplet", Way(3, "mode forward", OPT)),
                                      ("droplet", Way(3, "mode auto", threadpool(1, "p2p/rdma"))),
                                      ("triclinic", Way(2, "mode auto", threadpool(2, "p2p/rdma"))),
                                      ("eam", Way(2, "mode auto", threadpool(1, "p2p/rdma")))), ids=str)
def test_lists_that_a_fix_builds_in_a_step_are_shared_out_as_well(installation, tmp_path, lists, name, way):
    """Ghosts that are appended after forces have been cleared have forces of 0, too; 5 lists are built within 16
    steps."""
    system = re.sub("neigh_modify .*every .*", "neigh_modify every 100 delay 0 check no", {**SHAPES, **EMBEDDED}[name])
    found = []
    for balanced in (False, True):
        folder = tmp_path / str(balanced)
        folder.mkdir()
        script = "\n".join([lists + way.start() + system, moved(system), "fix lists all lists 3", way.fix(folder)
                            if balanced else "",
                            "thermo_style custom step temp pe press\nthermo_modify norm no format float %.17g\n"
                            "thermo 1\nrun 12", "run 2 pre no",
                            shares_of(way.ranks) if balanced else "", "run 2 pre no", dump(folder / "end.dump")])
        output = run_script(installation, script, way.ranks, folder).expect_success().output
        found.append(Result(read_thermo(output), [read_snapshot(folder / "end.dump")], read_shares(output), output))
    lines = compare_thermo(found[0].thermo, found[1].thermo, TOLERANCE, script_facts(system)[0], found[0].snapshots[0])
    assert not lines, "\n".join(lines)
    assert np.max(np.abs(found[0].snapshots[0].forces - found[1].snapshots[0].forces)) < 1e-8 * np.max(
        np.abs(found[0].snapshots[0].forces))
    assert found[1].shares[0].handed_over > 0
