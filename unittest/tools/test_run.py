# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu run: reading logs, and a physics check that notices wrong physics."""

import os
import types
from pathlib import Path

import pytest
from tofulib import build, log, mpi, run, shell, source

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
                         [(0, 1e-13, True), (0, 1e-11, False), (1, 1e-9, True), (1, 1e-7, False)])
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


def test_comparison_fails_when_the_physics_differs(one_run, private_cache, monkeypatch, tmp_path, capsys):
    tree = tmp_path / "lammps"
    (tree / "bench").mkdir(parents=True)
    (tree / "bench" / "in.lj").write_text("run 100\n", encoding="utf-8")
    lammps = build.Build(tree / "lmp", source.Source(tree, "4Feb2025", True),
                         mpi.Mpi("openmpi", "mpicxx", "mpicc", "mpirun"))
    wrong = one_run._replace(rows=[[0, 1.44, -6.77, -5.02], one_run.rows[1]])
    options = types.SimpleNamespace(ranks=2, threads=1)
    monkeypatch.setattr(run, "run_checked", lambda *arguments: None)
    monkeypatch.setattr(run.log, "read", lambda path: [wrong if "p2p" in path.name else one_run])
    assert run.compare(lammps, options) == 1
    assert "PHYSICS DIFFERS at step 0: E_pair" in capsys.readouterr().out
    monkeypatch.setattr(run.log, "read", lambda path: [one_run])
    assert run.compare(lammps, options) == 0
    output = capsys.readouterr().out
    assert "Physics agrees" in output and "Comm     |   0.016144 |   0.016144 |   1.00" in output


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


def test_unknown_input_names_the_stock_benchmarks(tmp_path):
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "in.chain").touch()
    lammps = build.Build(Path("lmp"), source.Source(tmp_path, "4Feb2025", True), None)
    assert run.find_input("in.chain", lammps) == tmp_path / "bench" / "in.chain"
    with pytest.raises(shell.Failure, match="in.nix.*in.chain"):
        run.find_input("in.nix", lammps)


@pytest.mark.skipif("TOFU_LMP" not in os.environ, reason="TOFU_LMP is not set; 'tools/tofu test' sets it")
def test_stock_benchmark_runs_with_a_rank_more_than_cores(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    tree = source.Source(Path(os.environ["TOFU_LAMMPS_DIR"]), "", True)
    lammps = build.Build(Path(os.environ["TOFU_LMP"]), tree, mpi.find("openmpi"))
    options = types.SimpleNamespace(ranks=3, threads=1, comm="p2p_rdma", input="in.eam",
                                    lammps_arguments=[word for axis in "xyz" for word in ("-v", axis, "0.3")])
    assert run.run_input(lammps, options) == 0
    assert log.read(tmp_path / "log.lammps")[0].ranks == 3
