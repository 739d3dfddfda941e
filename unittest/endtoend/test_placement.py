# SPDX-License-Identifier: GPL-2.0-only
"""The keyword *place*: ranks of a node get a block of sub-boxes.

How good the blocks are is a matter of the unit tests (test_placement.cpp). Here LAMMPS must make that grid, print words
of its own command `processors` that make the same one, and compute the same forces. `TOFU_NODE_SIZE` pretends nodes of
consecutive ranks.
"""

import re
from dataclasses import replace

import numpy as np
import pytest

from charged_systems import SALT
from compare import ROUNDING, ROUNDING_WITH_KSPACE, compare_snapshots
from lammps_output import read_snapshot
from lammps_run import BRICK, run, run_script
from small_systems import LJ

pytestmark = pytest.mark.full

TALL = LJ.replace("region box block 0 5 0 5 0 5", "region box block 0 5 0 5 0 9").replace(
    "mass * 1.0", "mass * 1.0\nreset_atoms id sort yes")    # so that IDs do not depend on the grid
FLAT = TALL.replace("units lj", "units lj\ndimension 2").replace("lattice fcc", "lattice sq2").replace(
    "region box block 0 5 0 5 0 9", "region box block 0 12 0 20 -0.2 0.2") \
    + "fix flat all enforce2d\n"
SKEW = TALL.replace("region box block 0 5 0 5 0 9", "region box prism 0 5 0 7 0 5 1.5 0 -1")
OPEN = TALL.replace("units lj", "units lj\nboundary f p f").replace("0 5 0 5 0 9", "0 8 0 5 0 5")
SYSTEMS = {"tall": TALL, "two dimensions": FLAT, "triclinic": SKEW, "open": OPEN}



def owners_after(system, name, steps=0):
    """A system that runs, and writes the owner of each atom and its force to a file."""
    return (f"{system}compute owner all property/atom proc\nrun {steps}\n"
            f"write_dump all custom {name} id c_owner fx fy fz modify sort id format float %.17g\n")


def nodes_of(size):
    """Environment with nodes of so many ranks."""
    return {"TOFU_NODE_SIZE": str(size)}


def placed(output):
    """Lines about the placement."""
    return re.findall(r"^TOFU place: (.*)$", output, re.MULTILINE)


def words_in(output):
    """Arguments of LAMMPS' command processors in the log."""
    (words,) = re.findall(r"^TOFU place: the same by LAMMPS' command: processors (.*)$", output, re.MULTILINE)
    return words


def owners(path):
    """Rank of each atom."""
    return read_snapshot(path).vectors("c_owner").astype(int).ravel()


def expect_same_atoms(path, other, tolerance=ROUNDING.start):
    """The same forces, whatever the ranks."""
    assert not compare_snapshots(*(replace_owner(read_snapshot(one)) for one in (path, other)), tolerance)


def replace_owner(snapshot):
    """A snapshot without the owners."""
    return replace(snapshot, columns={name: values for name, values in snapshot.columns.items() if name != "c_owner"})


@pytest.mark.usefixtures("no_segment_left")
@pytest.mark.parametrize("system,size", [("tall", 4), ("two dimensions", 4), ("triclinic", 2), ("open", 4)])
def test_the_words_in_the_log_make_the_same_grid(installation, tmp_path, system, size):
    system = SYSTEMS[system]
    output = run_script(installation, f"package tofu place auto\n{owners_after(system, 'placed')}", 8, tmp_path,
                        environment=nodes_of(size)).expect_success().output
    assert f"each of {8 // size} nodes of {size} ranks has a block of " in output
    run_script(installation, f"processors {words_in(output)}\n{owners_after(system, 'words')}", 8, tmp_path) \
        .expect_success()
    run_script(installation, owners_after(system, "plain"), 8, tmp_path).expect_success()
    assert (owners(tmp_path / "placed") == owners(tmp_path / "words")).all()
    assert (owners(tmp_path / "placed") != owners(tmp_path / "plain")).any()
    expect_same_atoms(tmp_path / "placed", tmp_path / "plain")
    assert (tmp_path / "placed").read_text() == (tmp_path / "words").read_text()


NETWORK = "torus 4 2\n" + "".join(f"{rank} {x} {y}\n" for rank, (x, y) in enumerate(
    ((2, 1), (0, 0), (3, 0), (1, 1), (2, 0), (0, 1), (3, 1), (1, 0))))
"""Eight nodes of one rank each at shuffled places, so that no words of LAMMPS are enough."""


@pytest.mark.usefixtures("no_segment_left")
@pytest.mark.parametrize("comm", ("comm_style p2p/rdma place network map ranks.map", "package tofu place network map "
                                  "ranks.map", "package threadpool 1 place network map ranks.map comm p2p/rdma"))
def test_ranks_lie_along_a_torus_and_the_file_makes_the_same_grid(installation, tmp_path, comm):
    (tmp_path / "network").write_text(NETWORK)
    output = run_script(installation, f"{comm}\nprocessors * * * file final.map\n{owners_after(TALL, 'placed', 20)}", 8,
                        tmp_path, environment=nodes_of(1)).expect_success().output
    (links,) = (line for line in placed(output) if line.startswith("links"))
    assert "a torus of 4 by 2 nodes" in links
    after, before = map(float, re.findall(r": ([\d.]+)", links))
    assert after < before
    assert words_in(output).endswith(" grid custom ranks.map")

    # "processors file" has the final places, too: rank, two other numbers of it, and the place
    wanted = {tuple(map(int, line.split())) for line in (tmp_path / "ranks.map").read_text().splitlines()[3:]}
    found = re.findall(r"^(\d+) \d+ \d+: (\d+) (\d+) (\d+): ", (tmp_path / "final.map").read_text(), re.MULTILINE)
    assert {tuple(map(int, numbers)) for numbers in found} == wanted and len(wanted) == 8

    run_script(installation, f"processors {words_in(output)}\n{owners_after(TALL, 'words', 20)}", 8, tmp_path) \
        .expect_success()
    assert (owners(tmp_path / "placed") == owners(tmp_path / "words")).all()
    expect_same_atoms(tmp_path / "placed", tmp_path / "words", ROUNDING.after(20))


@pytest.mark.usefixtures("no_segment_left")
def test_switches_of_slurm_are_known(installation, tmp_path):
    program = tmp_path / "lmp"
    program.write_text("#!/bin/sh\nrank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}\n"
                       "export SLURM_TOPOLOGY_ADDR=s0.s$((rank / 2 % 2 + 1)).n$((rank / 2))\n"
                       "export SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node\n"
                       f'exec {installation.lmp} "$@"\n')
    program.chmod(0o755)
    output = run_script(replace(installation, lmp=str(program)), f"comm_style p2p/rdma place auto\n{TALL}run 0\n", 8,
                        tmp_path, environment=nodes_of(2)).expect_success().output
    assert any(line.startswith("links") and "2 switches" in line for line in placed(output)), output


@pytest.mark.parametrize("how", ("a grid", "one dimension", "a map"))
def test_the_command_processors_takes_precedence(installation, tmp_path, how):
    words = {"a grid": "2 2 2", "one dimension": "* 1 *", "a map": "* * * map xyz"}[how]
    for name, first in (("placed", "package tofu place auto"), ("plain", "comm_style brick")):
        output = run_script(installation, f"{first}\nprocessors {words}\n{owners_after(TALL, name)}", 8, tmp_path,
                            environment=nodes_of(4)).expect_success().output
        assert not placed(output)
        assert output.count("place auto does nothing since the command processors") == (name == "placed")
    assert (owners(tmp_path / "placed") == owners(tmp_path / "plain")).all()


@pytest.mark.parametrize("ranks,size,words", [(4, 0, ["one node"]), (4, 4, ["one node"]), (8, 3, ["2 to 3 ranks"])])
def test_why_nothing_is_placed_is_said_once(installation, tmp_path, ranks, size, words):
    script = f"package tofu place auto\n{LJ}replicate 2 1 1\nrun 0\n"
    output = run_script(installation, script, ranks, tmp_path, environment=nodes_of(size)).expect_success().output
    assert len(placed(output)) == 1
    assert all(word in placed(output)[0] for word in [*words, "LAMMPS' grid of ranks stays"])


def test_each_grid_is_placed_anew(installation, tmp_path):
    """Also after a change of the style, and with the cutoff that is known then."""
    script = f"package tofu place auto\n{TALL}run 0\nreplicate 6 1 1\nrun 0\nclear\ncomm_style p2p/rdma\n{TALL}run 0\n"
    output = run_script(installation, script, 8, tmp_path, environment=nodes_of(4)).expect_success().output
    words = re.findall(r"processors (.*)$", "\n".join(placed(output)), re.MULTILINE)
    assert len(words) == 2 and words[0] != words[1]    # "clear" forgets what the input has said
    assert "the mean edge of a sub-box" in output and "(with a cutoff of 2.8, the present one)" in output


def test_the_switch_on_the_command_line_outlives_clear_and_a_change_of_the_style(installation, tmp_path):
    (tmp_path / "in.script").write_text(f"{TALL}run 0\nclear\ncomm_style p2p/rdma\n{TALL}run 0\n"
                                        f"clear\ncomm_style p2p/rdma\ncomm_style brick\n{TALL}run 0\n"
                                        f"clear\ncomm_style p2p/rdma place no\n{TALL}run 0\n")
    output = run(installation, ["-log", "none", "-in", "in.script", "-pk", "tofu", "place", "auto"], 8, tmp_path,
                 environment=nodes_of(4)).expect_success().output
    words = re.findall(r"processors (.*)$", "\n".join(placed(output)), re.MULTILINE)
    assert len(words) == 3 and len(set(words)) == 1


def test_place_after_the_box_is_warned_of(installation, tmp_path):
    script = f"{TALL}comm_style p2p/rdma place auto\nrun 0\nreplicate 1 1 2\nrun 0\n"
    output = run_script(installation, script, 8, tmp_path, environment=nodes_of(4)).expect_success().output
    warning = output.index("place auto acts when the next grid of ranks is made")
    assert warning < output.index("Replicat") < output.index("TOFU place: ")


TALL_SALT = SALT.replace("0 3 0 3 0 3", "0 3 0 3 0 6")


@pytest.mark.usefixtures("no_segment_left")
@pytest.mark.parametrize("kspace", ("pppm", "pppm/offload"))
def test_long_range_forces_are_those_of_lammps_grid(installation, tmp_path, kspace):
    words = "\nkspace_modify overlap/always yes" if kspace == "pppm/offload" else ""
    script = TALL_SALT.format(kspace=f"kspace_style {kspace} 1e-4{words}")
    (tmp_path / "network").write_text(NETWORK)
    for name, first in (("placed", "comm_style p2p/rdma place network"), ("plain", "comm_style brick")):
        run_script(installation, f"{first}\n{owners_after(script, name)}", 8, tmp_path,
                   environment=nodes_of(1)).expect_success()
    assert (owners(tmp_path / "placed") != owners(tmp_path / "plain")).any()
    expect_same_atoms(tmp_path / "placed", tmp_path / "plain", ROUNDING_WITH_KSPACE.start)


@pytest.mark.parametrize("comm", ("package tofu place network", "comm_style p2p/rdma place network"))
def test_msm_is_refused_unless_ranks_are_in_lammps_order(installation, tmp_path, comm):
    """It has wrong forces with any other order, also with LAMMPS' own `processors map xyz`."""
    (tmp_path / "network").write_text(NETWORK)
    script = f"{comm}\n{TALL_SALT}run 0\n".replace("coul/long", "coul/msm").format(kspace="kspace_style msm 1e-4")
    run_script(installation, script, 8, tmp_path, environment=nodes_of(1)).expect_error(
        ("msm", "place network", "place no", "pppm"))
    run_script(installation, script, 2, tmp_path).expect_success()


def test_partitions_are_placed_by_themselves(installation, tmp_path):
    script = f"package tofu place auto map ranks.map\n{TALL}run 0\n"
    (tmp_path / "in.script").write_text(script)
    run(installation, ["-partition", "8", "4", "-in", "in.script"], 12, tmp_path, BRICK, nodes_of(2)).expect_success()
    for number, nnodes in ((0, 4), (1, 2)):
        log = (tmp_path / f"log.lammps.{number}").read_text()
        stays = "LAMMPS' grid of ranks stays" in log
        assert stays or f"each of {nnodes} nodes of 2 ranks" in log
        ranks = np.loadtxt(tmp_path / f"ranks.map.{number + 1}", skiprows=3, dtype=int)[:, 0]
        assert sorted(ranks) == list(range(2 * nnodes))


WRONG = {
    "package tofu place": ["Missing value", "place"],
    "package tofu place nofile": ["nofile", "auto", "no", "file"],
    "package threadpool 1 place nofile comm p2p/rdma": ["nofile", "auto", "no", "file"],
    "comm_style p2p/rdma place nofile": ["nofile", "auto", "no", "file"],
    "package tofu map ranks.map": ["map", "ranks.map", "place auto"],
    "comm_style tiled\npackage tofu place auto": ["place", "brick or p2p/rdma", "tiled"],
    "comm_style p2p/rdma place wrong": ["wrong", "line 2", "'x'", "whole number"],
    "comm_style p2p/rdma place short": ["short", "no line", "rank 1"],
    "package tofu place auto map folder/ranks.map": ["folder/ranks.map", "cannot write"],
}
"""Commands, and words that the message must contain."""


@pytest.mark.parametrize("command", WRONG)
def test_wrong_words_are_explained(installation, tmp_path, command):
    (tmp_path / "wrong").write_text("torus 4 4\n0 1 x\n")
    (tmp_path / "short").write_text("0 1 2\n")
    run_script(installation, f"{command}\n{TALL}run 0\n", 2, tmp_path, environment=nodes_of(1)).expect_error(
        WRONG[command])
