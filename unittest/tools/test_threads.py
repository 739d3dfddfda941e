# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench --threads: configurations, the fastest of each side, ratios, table and picture."""

import pytest
from pictures import check_picture
from tofulib import mpi, shell, threads


def runs(*loops):
    """Runs with these times a step."""
    return [{"atoms": 4000, "loop": loop, "sections": {"Pair": loop / 2, "Comm": loop / 4}} for loop in loops]


MEASURED = {"none 2x1": runs(10, 11, 12), "opt 2x1": runs(8, 9, 30), "omp 1x2": runs(9, 10, 10),
            "threadpool 2x1": runs(4, 3, 6),
            "threadpool 1x2": runs(5, 5, 5), "threadpool 1x1": runs(10, 8, 10), "threadpool 1x8": runs(6, 5, 7)}


def test_opponent_is_the_fastest_of_the_others_by_its_median():
    summary = threads.summarize(MEASURED)
    assert (summary["stock"], summary["ours"]) == ("opt 2x1", "threadpool 2x1")
    assert summary["speedup"] == {"median": 3.0, "min": 2.0, "max": 5.0}
    assert summary["sections"]["Pair"] == [4.5, 2.0]


def test_the_ways_of_the_suffix_are_compared_within_rounds_and_never_count_as_fastest():
    fast = {**MEASURED, "threadpool 1x1": runs(1, 1, 1), "threadpool 1x8": runs(1, 1, 1)}
    assert threads.summarize(fast)["ours"] == "threadpool 2x1"
    ways = threads.summarize(MEASURED)["ways"]
    assert ways == {"1x2 / 2x1": {"median": 1.25, "min": 5 / 6, "max": 5 / 3},
                    "1x2 / 1x1": {"median": 0.5, "min": 0.5, "max": 0.625},
                    "1x8 / 1x2": {"median": 1.2, "min": 1.0, "max": 1.4}}


def test_both_sides_use_all_cores_as_ranks_and_as_threads():
    found = threads.configurations()
    assert {"none 2x1", "opt 2x1", "omp 2x1", "omp 1x2", "intel 2x1", "intel 1x2", "threadpool 2x1",
            "threadpool 1x2", "threadpool 1x1", "threadpool 1x8"} == set(found)
    assert {name for name, one in found.items() if one.ranks * one.threads != threads.CORES} == \
        {"threadpool 1x1", "threadpool 1x8"}
    assert found["threadpool 1x2"].arguments[2:5] == ["-pk", "threadpool", "2"]


def test_both_sides_can_be_in_mixed_precision():
    double, mixed = threads.configurations(), threads.configurations(mixed=True)
    assert list(double) == list(mixed)
    for name in mixed:
        words = " ".join(mixed[name].arguments)
        assert ("mode mixed" in words) == name.startswith("intel")
        assert ("precision mixed" in words) == name.startswith("threadpool")
        assert "mixed" not in " ".join(double[name].arguments)


def test_wrong_requests_are_explained():
    class Options:
        cases, pairs = "lj864,water", 3
    with pytest.raises(shell.Failure, match="with --threads the cases are lj864"):
        threads.command(Options)
    Options.cases, Options.pairs = "lj864", 0
    with pytest.raises(shell.Failure, match="at least one round"):
        threads.command(Options)


@pytest.mark.full
def test_fork_and_join_is_measured_for_both(private_cache):
    if mpi.cores()[0] < threads.CORES:
        pytest.skip("needs two cores")
    found = threads.fork_join(rounds=1)
    assert set(found) == {"threadpool", "libgomp, active", "libgomp, passive"}
    assert all(10.0 < time < 1e8 for time in found.values())


def test_table_and_picture_show_every_case(tmp_path, capsys):
    result = {"about": {"ranks": 2, "pairs": 3, "lammps": "4Feb2025", "processor": "test"},
              "fork and join": {"threadpool": 110.0, "libgomp, active": 600.0, "libgomp, passive": 50000.0},
              "cases": {name: {"atoms": 4000, "summary": threads.summarize(MEASURED)}
                        for name in ("lj4000", "eam4000")}}
    threads.print_table(result)
    table = capsys.readouterr().out
    assert table.count("3.00") == 2 and "lj4000" in table and "threadpool 110 ns" in table
    assert table.count("0.50-0.62") == 2
    pytest.importorskip("matplotlib")
    check_picture(tmp_path, result, "plot_threads")
