# SPDX-License-Identifier: GPL-2.0-only
"""Command lines, partitions, suffixes, mixed nodes, and the statistics."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest

from compare import ROUNDING, compare_snapshots
from lammps_output import read_snapshot, read_statistics, read_thermo
from lammps_plugin import compile_plugin
from lammps_run import BACKENDS, BRICK, SHM, Installation, run, run_script, start, threadpool
from small_systems import CHAINS, LJ, METAL, SYSTEMS, dump

pytestmark = pytest.mark.usefixtures("no_segment_left")

STEPS = 20


def script_of(system: str, path="end.dump") -> str:
    return f"{system}run {STEPS}\n{dump(path)}\n"


def expect_same_forces(expected, found, steps=STEPS):
    assert not compare_snapshots(read_snapshot(expected), read_snapshot(found), ROUNDING.after(steps))


@pytest.fixture
def folders(tmp_path):
    """Two empty folders, one for brick."""
    for name in ("brick", "p2p"):
        (tmp_path / name).mkdir()
    return tmp_path / "brick", tmp_path / "p2p"


@pytest.mark.parametrize(
    "arguments",
    (["-sf", "opt"], ["-pk", "omp", "1", "-sf", "omp"], ["-pk", "intel", "0", "-sf", "intel"]),
    ids=lambda a: a[-1],
)
@pytest.mark.parametrize("variant", BACKENDS, ids=str)
@pytest.mark.parametrize("system", ("lj", "metal"))
def test_accelerated_styles_run_beside_it(installation, folders, system, variant, arguments):
    for folder, how in zip(folders, (BRICK, variant)):
        (folder / "in.script").write_text(script_of(SYSTEMS[system]))
        run(installation, ["-log", "none", "-in", "in.script", *arguments], 4, folder, variant=how).expect_success()
    # the intel package computes in mixed precision: its rounding errors are those of single precision
    brick, other = (read_snapshot(folder / "end.dump") for folder in folders)
    assert not compare_snapshots(brick, other, 1e-4 if "intel" in arguments else ROUNDING.after(STEPS))


@pytest.mark.parametrize("variant", BACKENDS, ids=str)
def test_partitions_are_worlds_of_their_own(installation, folders, variant):
    for folder, how in zip(folders, (BRICK, variant)):
        script = (f"variable which world first second\nvariable steps world 15 25\n{LJ}run ${{steps}}\n"
                  f"{dump('${which}.dump')}\n")
        (folder / "in.script").write_text(script)
        run(installation, ["-partition", "2x2", "-in", "in.script"], 4, folder, variant=how).expect_success()
    for name, steps in (("first", 15), ("second", 25)):
        expect_same_forces(folders[0] / f"{name}.dump", folders[1] / f"{name}.dump", steps)
    for number in (0, 1):
        assert read_statistics((folders[1] / f"log.lammps.{number}").read_text())


@pytest.fixture(scope="session")
def two_objects(installation, tmp_path_factory):
    """A program with two LAMMPS objects, linked as the LAMMPS under test is."""
    build = Path(installation.lmp).parent
    folder = tmp_path_factory.mktemp("two_objects")
    source, binary = Path(__file__).with_name("two_objects.cpp"), folder / "two_objects"
    link = subprocess.run(["ninja", "-t", "commands", "lmp"], cwd=build, check=True, capture_output=True,
                          text=True).stdout.splitlines()[-1]
    words = [word for word in shlex.split(link) if word not in (":", "&&")]
    words[words.index("-o") + 1] = str(binary)
    words = [str(source) if word.endswith("main.cpp.o") else word for word in words]
    mpi = subprocess.run(["mpicxx.openmpi", "--showme:compile"], check=True, capture_output=True,
                         text=True).stdout.split()
    subprocess.run([*words, *mpi, "-I", str(installation.lammps_dir / "src")], cwd=build, check=True)
    return binary


@pytest.mark.parametrize("ranks", (1, 3))
@pytest.mark.parametrize("variant", BACKENDS, ids=str)
def test_two_lammps_objects_in_one_process_do_not_disturb_each_other(
    installation, two_objects, tmp_path, variant, ranks):
    (tmp_path / "in.system").write_text(LJ)
    program = Installation(str(two_objects), installation.mpiexec, installation.lammps_dir)
    output = run(program, [variant.command, "in.system"], ranks, tmp_path, variant=BRICK,
                 environment=dict(variant.environment)) \
        .expect_success().output
    energies = {}
    for name, turn, energy in re.findall(r"^(first|second|alone) (\d) (\S+)$", output, re.MULTILINE):
        energies.setdefault(name, []).append(float(energy))
    assert len(energies["first"]) == 3 and len(energies["second"]) == len(energies["alone"]) == 5, output
    assert energies["second"] == energies["alone"] and energies["first"] == energies["alone"][:3]
    assert len(set(energies["alone"])) == 5


def test_package_option_survives_clear(installation, tmp_path):
    script = f"{LJ}run 5\nclear\n{METAL}run 5\nclear\n{CHAINS}run 5\n"
    output = run_script(installation, script, 2, tmp_path, variant=SHM).expect_success().output
    assert len(read_statistics(output)) == 3


@pytest.mark.parametrize("commands, blocks", [
    ("run 1 post no\n" * 20, 0), ("run 100 post no\nrun 5 pre no post no\n", 0), ("run 100 post no\nrun 5\n", 1),
    ('run 20 post no every 5 "print hello"\n', 0), ("run 20 every 5 NULL\n", 4), ("run 100\n", 1)])
def test_nothing_is_printed_after_runs_without_a_summary(installation, tmp_path, commands, blocks):
    script = ("package threadpool 2 check overlap balance ring 10 1.0\nsuffix threadpool\ncomm_style p2p/rdma\n"
              f"{LJ}neigh_modify check yes\nrun_style verlet\n{commands}")
    output = run_script(installation, script, 2, tmp_path).expect_success().output
    assert len(read_statistics(output)) == len(re.findall("^TOFU ring/balance", output, re.MULTILINE)) == blocks
    assert ("neighbor checks by" in output) == (commands == "run 100\n")
    assert blocks or "TOFU advice" not in output


def test_the_number_of_ranks_is_told_in_words_that_fit(installation, tmp_path):
    for ranks, words in ((1, "over 1 rank: "), (2, "over 2 ranks: ")):
        output = run_script(installation, f"{LJ}run 1\n", ranks, tmp_path, variant=SHM).expect_success().output
        assert words in output


def test_clear_forgets_the_comm_style_of_the_script(installation, tmp_path):
    script = f"comm_style p2p/rdma\n{LJ}run 5\nclear\n{LJ}run 5\n"
    output = run_script(installation, script, 2, tmp_path).expect_success().output
    assert len(read_statistics(output)) == 1


def test_package_command_in_the_script(installation, tmp_path):
    output = (
        run_script(installation, f"package tofu comm p2p/rdma slots 2 stats full\n{LJ}run 5\n", 2, tmp_path)
        .expect_success()
        .output
    )
    (statistics,) = read_statistics(output)
    assert statistics["messages sent"][0] > 0


@pytest.mark.parametrize("node_size,shm,ofi", [(0, 3, 0), (1, 0, 3), (2, 1, 2), (3, 1.5, 1.5)])
def test_node_size_decides_who_shares_memory(installation, folders, node_size, shm, ofi):
    for folder, how in zip(folders, (BRICK, SHM)):
        environment = {"TOFU_NODE_SIZE": str(node_size)}
        job = run_script(installation, script_of(LJ), 4, folder, variant=how, environment=environment).expect_success()
    expect_same_forces(folders[0] / "end.dump", folders[1] / "end.dump")
    (statistics,) = read_statistics(job.output)
    assert statistics["peers by shared memory"][0] == pytest.approx(shm)
    assert statistics["peers by libfabric"][0] == pytest.approx(ofi)


def test_statistics_agree_with_lammps(installation, tmp_path):
    output = run_script(installation, script_of(LJ), 8, tmp_path, variant=SHM).expect_success().output
    (statistics,) = read_statistics(output)
    ghosts = float(re.search(r"^Nghost:\s+(\S+) ave", output, re.M).group(1))
    builds = int(re.search(r"^Neighbor list builds = (\d+)", output, re.M).group(1))
    assert statistics["ghost atoms"][0] == pytest.approx(ghosts, abs=0.06)
    assert statistics["swaps"] == (13.0, 13.0)
    assert statistics["peers by shared memory"] == (7.0, 7.0)
    # one call at set-up, one per neighbor build; positions go out in all other steps, forces come back in each
    assert statistics["calls of borders"][0] == builds + 1
    assert statistics["calls of forward"][0] == STEPS - builds
    assert statistics["calls of reverse"][0] == STEPS + 1
    assert statistics["messages sent"][0] >= 7 * STEPS


def test_messages_to_one_rank_are_combined(installation, tmp_path):
    """On two ranks all 26 directions lead to the rank itself or to the same peer: there is one message per call."""
    output = run_script(installation, script_of(LJ), 2, tmp_path, variant=SHM).expect_success().output
    (statistics,) = read_statistics(output)
    assert statistics["messages per call"] == (1.0, 1.0)


def test_brick_prints_no_statistics(installation, tmp_path):
    assert read_statistics(run_script(installation, script_of(LJ), 2, tmp_path).expect_success().output) == []


def test_info_command_works(installation, tmp_path):
    script = f"{LJ}info comm\nrun 5\ninfo comm system memory\n"
    output = run_script(installation, script, 2, tmp_path, variant=SHM).expect_success().output
    assert output.count("Communication information:") == 2


@pytest.mark.parametrize("variant", BACKENDS, ids=str)
def test_two_jobs_at_once_do_not_disturb_each_other(installation, folders, variant):
    jobs = []
    for folder in folders:
        (folder / "in.script").write_text(script_of(LJ))
        jobs.append(start(installation, ["-log", "none", "-in", "in.script"], 2, folder, variant))
    for job in jobs:
        job.wait(60).expect_success()
    assert (folders[0] / "end.dump").read_text() == (folders[1] / "end.dump").read_text()


def test_serial_run_needs_no_peer(installation, folders):
    for folder, how in zip(folders, (BRICK, SHM)):
        job = run_script(installation, script_of(LJ), 1, folder, variant=how).expect_success()
    expect_same_forces(folders[0] / "end.dump", folders[1] / "end.dump")
    (statistics,) = read_statistics(job.output)
    assert all(statistics[f"peers by {backend}"] == (0.0, 0.0) for backend in ("shared memory", "libfabric", "MPI"))


@pytest.mark.parametrize("variant", BACKENDS, ids=str)
@pytest.mark.parametrize("ranks", (4, 8))
def test_atoms_that_cross_several_ranks_are_kept(installation, folders, variant, ranks):
    """Atoms move by 4.5, half of the box, between two builds of lists: brick loses them, p2p_rdma must not.

    On 8 ranks they also leave the region that ghosts come from. The reference is brick on one rank, which
    cannot lose an atom in a periodic box.
    """
    # the numbering of created atoms depends on the ranks, so all runs read the same file
    run_script(installation, f"{LJ}write_data atoms.data nocoeff\n", 1, folders[0]).expect_success()
    script = f"""processors {ranks} 1 1
units lj
atom_modify map array
read_data {folders[0]}/atoms.data
pair_style soft 1.2
pair_coeff * * 3.0
neighbor 1.0 bin
neigh_modify every 10 delay 0 check no
region fast block INF INF INF INF INF 1.5 units box
group fast region fast
group slow subtract all fast
fix still slow nve
fix flight fast move linear 90.0 0.0 0.0 units box
run 40
{dump('end.dump')}
"""
    lost = run_script(installation, script, ranks, folders[0]).expect_failure()
    assert "Lost atoms" in lost
    truth = script.replace(f"processors {ranks} 1 1", "processors 1 1 1")
    run_script(installation, truth, 1, folders[0]).expect_success()
    job = run_script(installation, script, ranks, folders[1], variant=variant).expect_success()
    expected, found = (read_snapshot(folder / "end.dump") for folder in folders)
    assert found.natoms == expected.natoms
    assert np.array_equal(found.columns["id"], expected.columns["id"])
    expect_same_forces(folders[0] / "end.dump", folders[1] / "end.dump", 40)
    if ranks == 8:
        (statistics,) = read_statistics(job.output)
        assert statistics["exchanges with far atoms"][1] > 0


def test_plugin_gives_the_same_to_a_lammps_without_the_package(plugin, tmp_path):
    library, stock = plugin
    script = f"plugin load {library}\n{{comm}}\n{script_of(LJ, '{name}.dump')}"
    for name, comm in (("brick", "comm_style brick"), ("p2p", "comm_style/p2p_rdma")):
        text = script.replace("{comm}", comm).replace("{name}", name)
        output = run_script(stock, text, 2, tmp_path).expect_success().output
    assert read_statistics(output)
    expect_same_forces(tmp_path / "brick.dump", tmp_path / "p2p.dump")


def test_an_installed_plugin_is_found_without_a_line_in_the_input(plugin, tmp_path):
    library, stock = plugin
    subprocess.run(["cmake", "--install", library.parent, "--prefix", tmp_path / "prefix"], check=True,
                   capture_output=True)
    (installed,) = (tmp_path / "prefix").glob("lib*/**/lammps/plugins/tofuplugin.so")
    for name, words in (("stock", []), ("suffix", ["-sf", "threadpool"])):
        (tmp_path / "in.script").write_text(script_of(LJ, f"{name}.dump"))
        job = run(stock, ["-log", "none", "-in", "in.script", *words], 2, tmp_path,
                  environment={"LAMMPS_PLUGIN_PATH": str(installed.parent)}).expect_success()
    assert "TOFU threadpool: variants of pair lj/cut; fix nve" in job.output
    expect_same_forces(tmp_path / "stock.dump", tmp_path / "suffix.dump")
    assert "the step loop is LAMMPS' own" not in job.output and "Loading plugin" not in job.output


@pytest.mark.parametrize("first, later", [
    ("suffix threadpool\nplugin load {}\n", ""),
    ("plugin load {}\nsuffix threadpool\n", "run_style verlet\nmin_style cg\n")])
def test_a_plugin_has_the_step_loop_and_the_minimizers(plugin, tmp_path, first, later):
    library, stock = plugin
    active = 'print "active $(is_active(run_style,verlet/threadpool)) $(is_active(min_style,cg/threadpool))"\n'
    outputs = []
    for name, begin, then in (("stock", "", ""), ("plugin", first.format(library), later + active)):
        script = (f"{begin}{LJ}{then}run {STEPS}\n{dump(f'{name}.dump')}\nmin_style fire\nminimize 0 0 5 20\n"
                  f"{dump(f'{name}-min.dump')}\n")
        outputs.append(run_script(stock, script, 1, tmp_path).expect_success().output)
    output = outputs[1]
    assert "active 1 1" in output
    assert "the step loop is LAMMPS' own" not in output and "the minimizer is LAMMPS' own" not in output
    assert output.count("TOFU version") == 1 and "Loading plugin" not in output
    expect_same_forces(tmp_path / "stock.dump", tmp_path / "plugin.dump")
    expect_same_forces(tmp_path / "stock-min.dump", tmp_path / "plugin-min.dump")


def test_a_plugin_advises_what_can_be_typed_there(plugin, tmp_path):
    library, stock = plugin
    script = f"plugin load {library}\ncomm_style/p2p/rdma stats full\n{LJ}run 100\n"
    output = run_script(stock, script, 2, tmp_path).expect_success().output
    assert re.search(r"pair style lj/cut has a faster variant: -sf threadpool and 'package/threadpool \d' in the input",
                     output)


def test_a_plugin_for_another_release_is_not_loaded_and_says_so(plugin, installation, tmp_path):
    library, stock = plugin
    other = compile_plugin(installation, [Path(__file__).with_name("other_release.cpp")], tmp_path / "other.so")
    script = f"plugin load {other}\nplugin load {library}\ninfo styles\n"
    output = run_script(stock, script, 1, tmp_path).expect_success().output
    assert re.search(r"TOFU: this plug-in was built for LAMMPS \d+ \w+ \d+ and not loaded by LAMMPS 1 Jan 2020", output)
    assert "lj/cut " in output and "/threadpool" not in output and "TOFU version" not in output


@pytest.mark.parametrize("system,variant", [
    pytest.param(system, variant, marks=[] if (number + turn) % len(BACKENDS) == 0 else [pytest.mark.long])
    for number, system in enumerate(SYSTEMS) for turn, variant in enumerate(BACKENDS)], ids=str)
def test_newest_lammps_gives_the_same_as_with_brick(newest, folders, system, variant):
    for folder, how in zip(folders, (BRICK, variant)):
        output = run_script(newest, script_of(SYSTEMS[system]), 4, folder, variant=how).expect_success().output
    assert read_statistics(output)
    expect_same_forces(folders[0] / "end.dump", folders[1] / "end.dump")


NAMES = {"comm_style": ("comm_style {}", "p2p_rdma", "p2p/rdma"),
         "package": ("package tofu comm {}", "p2p_rdma", "p2p/rdma"),
         "fix": ("comm_style p2p/rdma\nfix even all {} 5 1.0", "ring_balance", "ring/balance")}
"""Command with a name of a style, and its two names."""


@pytest.mark.parametrize("command", NAMES)
def test_the_names_without_underscore_are_the_same_styles(installation, tmp_path, command):
    words, *names = NAMES[command]
    outputs = []
    for number, name in enumerate(names):
        folder = tmp_path / str(number)
        folder.mkdir()
        before, *after = words.format(name).split("\n")
        system = LJ.replace("create_atoms 1 box", "region part block 0 3.5 0 5 0 5\ncreate_atoms 1 region part")
        script = "\n".join([before, "suffix threadpool", system, *after, "run 10", ""])
        outputs.append(run_script(installation, script, 2, folder).expect_success().output)
    tables = [read_thermo(output) for output in outputs]
    for one, other in zip(*tables):
        assert one.columns.keys() == other.columns.keys()
        assert all(np.array_equal(one.columns[column], other.columns[column]) for column in one.columns)
    lines = [re.findall(r"^TOFU (?:threadpool|p2p/rdma: ghosts|ring/balance).*$", output, re.MULTILINE)
             for output in outputs]
    assert lines[0] and lines[0] == lines[1]


def test_a_plugin_has_both_names(plugin, tmp_path):
    library, stock = plugin
    script = ""
    for comm, ring in (("p2p/rdma", "ring/balance"), ("p2p_rdma", "ring_balance")):
        script += f"plugin load {library}\ncomm_style/{comm}\n{LJ}fix even all {ring} 5 1.0\nrun 1\nclear\n"
    output = run_script(stock, script, 2, tmp_path).expect_success().output
    assert len(read_statistics(output)) == 2


def test_ghost_cutoffs_survive_the_way_to_brick_and_back(installation, tmp_path):
    """LAMMPS copies only the first bytes of them from style to style; new memory is full of other bytes here."""
    system = LJ.replace("neighbor 0.3 bin", "neighbor 0.3 multi")
    assert "multi" in system
    cutoffs = "comm_modify mode multi cutoff/multi * 3.1\n"
    outputs = []
    for number, changes in enumerate(("", "comm_style p2p/rdma\n", "comm_style p2p/rdma\ncomm_style brick\n",
                                      "comm_style p2p/rdma\ncomm_style brick\ncomm_style p2p/rdma shell full\n")):
        folder = tmp_path / str(number)
        folder.mkdir()
        script = f"{system}{cutoffs}{changes}run 0\ninfo comm\n"
        done = run_script(installation, script, 2, folder, environment={"MALLOC_PERTURB_": "170"})
        outputs.append(done.expect_success().output)
    for output in outputs:
        assert re.findall(r"^Communication cutoff for collection \d+ = (\S+)$", output, re.MULTILINE) == ["3.1"] * 2
        first, ghosts = (re.findall(r"^Nghost: .*$", one, re.MULTILINE) for one in (outputs[0], output))
        assert ghosts == first


@pytest.mark.parametrize("started, told", ((4, 1), (1, 0)))
def test_ranks_that_do_not_know_each_other_are_named(installation, tmp_path, started, told):
    (tmp_path / "in.script").write_text(f"{LJ}run 1\nrun 1\n")
    line = [installation.lmp, "-in", "in.script", "-log", "none", *threadpool(1).arguments]
    done = subprocess.run([str(word) for word in line], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                          check=True, env={**os.environ, "SLURM_STEP_NUM_TASKS": str(started)})
    found = re.findall(r"^WARNING: TOFU: srun has started 4 processes \(SLURM_STEP_NUM_TASKS\), .* Open MPI .*$",
                       done.stdout, re.MULTILINE)
    assert len(found) == told, done.stdout
