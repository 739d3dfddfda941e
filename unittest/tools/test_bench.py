# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench: scripts, ratios and the table."""

import subprocess
from pathlib import Path

import pytest
from tofulib import CHECKOUT, bench, build, mpi, shell, source


def one(comm, loop, cpu_use=100.0):
    """A run with these times a step."""
    return {"atoms": 864, "cpu_use": cpu_use, "loop": loop, "sections": {"Comm": comm}, "least": {"Comm": comm / 2}}


MEASURED = {"brick": [one(40, 100), one(40, 100), one(20, 100), one(20, 100)],
            "p2p_rdma": [one(20, 90), one(10, 80), one(10, 95), one(40, 120, 80.0)]}


def test_ratios_are_taken_within_pairs():
    summary = bench.summarize(MEASURED)
    assert summary["pairs"] == 4 and summary["comm ratio"] == {"median": 0.5, "min": 0.25, "max": 2.0}
    assert summary["comm brick"] == 30 and summary["loop ratio"]["max"] == 1.2
    assert bench.disturbed(MEASURED) == 1


@pytest.fixture
def lammps(tmp_path, private_cache):
    """A LAMMPS whose bench folder has one input."""
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "in.lj").write_text("units lj\nrun             100\n", encoding="utf-8")
    return build.Build(Path("lmp"), source.Source(tmp_path, "4Feb2025", True), mpi.Mpi("openmpi", "", "", "mpirun"))


def test_stock_input_gets_other_steps_and_a_warm_up(lammps):
    assert bench.text_of(bench.Case("in.lj", 0.3, 6000), lammps) == "units lj\nrun 600\nrun 6000\n"


def test_input_without_a_run_line_is_refused(lammps):
    (lammps.source.path / "bench" / "in.lj").write_text("run ${steps}\n", encoding="utf-8")
    with pytest.raises(shell.Failure, match="expected one 'run N' in bench/in.lj"):
        bench.text_of(bench.CASES["lj864"], lammps)


def test_table_has_a_row_for_each_case(capsys):
    bench.print_table({"lj864": {"atoms": 864, "runs": MEASURED, "summary": bench.summarize(MEASURED)}})
    text = capsys.readouterr().out
    (row,) = [row.split() for row in text.splitlines() if row.startswith("lj864")]
    assert row[1:6] == ["864", "4", "30.0", "15.0", "0.500"] and "1 of the rounds were disturbed" in text


def test_unknown_case_is_refused():
    done = subprocess.run([CHECKOUT / "tools" / "tofu", "bench", "--cases", "lj864,nix"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 1 and "the cases are lj864, lj4000" in done.stderr
