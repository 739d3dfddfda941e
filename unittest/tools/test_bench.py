# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench: scripts, states of the machine, ratios and the table."""

import subprocess
from pathlib import Path

import pytest
from tofulib import CHECKOUT, bench, build, log, mpi, shell, source, trial


def one(comm, loop, atoms=864):
    """A run with these times a step."""
    return {"atoms": atoms, "loop": loop, "sections": {"Comm": comm}, "least": {"Comm": comm / 2}}


def pair(brick, p2p, state):
    """A pair of runs."""
    return {"brick": one(*brick), "p2p_rdma": one(*p2p), "state": state}


PAIRS = [pair((40, 100), (20, 90), bench.TWO_CORES), pair((40, 100), (10, 80), bench.TWO_CORES),
         pair((20, 100), (10, 95), bench.ONE_CORE), pair((20, 100), (40, 120), bench.MIXED)]


def test_ratios_are_taken_within_pairs_and_by_state():
    summary = bench.summarize(PAIRS)
    assert summary["all"]["pairs"] == 4 and summary["all"]["comm ratio"] == {"median": 0.5, "min": 0.25, "max": 2.0}
    assert summary[bench.TWO_CORES]["comm ratio"] == {"median": 0.375, "min": 0.25, "max": 0.5}
    assert summary[bench.ONE_CORE]["loop ratio"]["median"] == 0.95
    assert bench.MIXED not in summary


def test_state_that_was_not_seen_has_no_row():
    assert set(bench.summarize(PAIRS[:2])) == {"all", bench.TWO_CORES}


@pytest.fixture
def lammps(tmp_path, private_cache):
    """A LAMMPS whose bench folder has one input."""
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "in.lj").write_text("units lj\nrun             100\n", encoding="utf-8")
    return build.Build(Path("lmp"), source.Source(tmp_path, "4Feb2025", True), mpi.Mpi("openmpi", "", "", "mpirun"))


def test_stock_input_gets_other_steps_and_a_warm_up(lammps):
    script = bench.write_script(bench.Case("in.lj", 0.3, 6000), lammps)
    assert script.read_text(encoding="utf-8") == "units lj\nrun 600\nrun 6000\n"


def test_input_without_a_run_line_is_refused(lammps):
    (lammps.source.path / "bench" / "in.lj").write_text("run ${steps}\n", encoding="utf-8")
    with pytest.raises(shell.Failure, match="expected one 'run N' in bench/in.lj"):
        bench.write_script(bench.CASES["lj864"], lammps)


@pytest.mark.parametrize("states, cpu_use, expected", [
    ("222", 99.9, bench.TWO_CORES), ("111", 99.9, bench.ONE_CORE), ("112", 99.9, bench.MIXED),
    ("121", 99.9, bench.MIXED),
    ("222", 80.0, bench.DISTURBED), ("121", 80.0, bench.DISTURBED)])
def test_pair_has_a_state_only_if_the_machine_kept_it(lammps, monkeypatch, states, cpu_use, expected):
    names = {"1": bench.ONE_CORE, "2": bench.TWO_CORES}

    class Clock:
        sequence = iter(states)

        def state(self):
            return names[next(self.sequence)]
    monkeypatch.setattr(trial, "run_checked", lambda *arguments, **settings: None)
    monkeypatch.setattr(log, "read",
                        lambda path: [log.Run([], [], 1.0, 2, 10, 864, {"Comm": 0.5}, {"Comm": 0.4}, cpu_use)])
    script = bench.write_script(bench.CASES["lj864"], lammps)
    assert bench.measure_pair("lj864", bench.CASES["lj864"], script, lammps, Clock())["state"] == expected


def test_ping_tells_a_plausible_time(private_cache):
    if mpi.cores()[0] < bench.RANKS:
        pytest.skip("the ping needs two cores")
    assert bench.StateClock().state() in (bench.ONE_CORE, bench.TWO_CORES)


def test_table_has_a_row_for_each_case_and_state(capsys):
    bench.print_table({"lj864": {"atoms": 864, "pairs": PAIRS, "summary": bench.summarize(PAIRS)}})
    rows = [row.split() for row in capsys.readouterr().out.splitlines() if row.startswith("lj864")]
    assert [row[2] for row in rows] == ["all", "one", "two"]
    assert "0.375" in rows[2]


def test_unknown_case_is_refused():
    done = subprocess.run([CHECKOUT / "tools" / "tofu", "bench", "--cases", "lj864,nix"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 1 and "the cases are lj864, lj4000" in done.stderr
