# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu latency: output of the program, medians, table and picture, and a short run of the program itself."""

import subprocess
import types

import pytest
from pictures import check_picture
from tofulib import CHECKOUT, latency, mpi, shell

pytestmark = pytest.mark.full

#: Two repetitions of two sizes, in the order in which the program prints them.
PRINTED = """skip tofu libfabric\trank 0, tofu_rdma_create: there is no provider
sample Send/Recv\t8 2.0 10.0
sample tofu shm\t8 1.0 20.0
sample Send/Recv\t16 4.0 15.0
sample tofu shm\t16 1.5 30.0
sample tofu shm\t8 3.0 10.0
sample Send/Recv\t8 1.0 30.0
"""


@pytest.fixture
def result():
    """A result as 'tofu latency' writes it."""
    samples, skipped = latency.read(PRINTED)
    about = {"mpi": "openmpi", "ranks": 2, "repetitions": 2, "load": 0.5, "processor": "test"}
    return {"about": about, "skipped": skipped, "variants": latency.summarize(samples)}


def test_median_and_range_of_each_variant_quantity_and_size(result):
    shm = result["variants"]["tofu shm"]
    assert shm["latency"] == [{"bytes": 8, "median": 2.0, "min": 1.0, "max": 3.0},
                              {"bytes": 16, "median": 1.5, "min": 1.5, "max": 1.5}]
    assert shm["bandwidth"][0] == {"bytes": 8, "median": 15.0, "min": 10.0, "max": 20.0}
    assert list(result["variants"]) == ["Send/Recv", "tofu shm"]


def test_variant_that_was_left_out_is_named_with_its_reason(result, capsys):
    latency.print_table(result)
    assert "tofu libfabric is left out: rank 0, tofu_rdma_create: there is no provider" in capsys.readouterr().out


def test_table_has_a_row_for_each_size_in_both_blocks(result, capsys):
    latency.print_table(result)
    rows = [row.split() for row in capsys.readouterr().out.splitlines() if row[:8].strip().isdigit()]
    assert [row[0] for row in rows] == ["8", "16", "8", "16"]
    assert rows[0][1] == "1.50" and "2.00" in rows[0]


def test_busy_machine_is_told(result, capsys):
    latency.print_table(result)
    assert "Repeat on an idle machine" not in capsys.readouterr().out
    result["about"]["load"] = 6.0
    latency.print_table(result)
    assert "load of this machine was 6.0" in capsys.readouterr().out


def test_output_without_samples_is_refused():
    with pytest.raises(shell.Failure, match="no sample of Send/Recv"):
        latency.read("nothing of use\n")


def test_picture_is_drawn(result, tmp_path):
    pytest.importorskip("matplotlib")
    check_picture(tmp_path, result, "latency_plot")


@pytest.mark.parametrize("ranks, repetitions, words",
                         [(3, 1, "must be even"), (0, 1, "must be even"), (2, 0, "at least one repetition"),
                                                       (2000, 1, "take a smaller -n")])
def test_what_cannot_be_measured_is_refused(ranks, repetitions, words):
    with pytest.raises(shell.Failure, match=words):
        latency.check(types.SimpleNamespace(ranks=ranks, repetitions=repetitions, launch=""))


def test_one_short_run_measures_every_variant(tmp_path):
    if mpi.cores()[0] < 2 or mpi.find("openmpi") is None:
        pytest.skip("needs two cores and Open MPI")
    done = subprocess.run([CHECKOUT / "tools" / "tofu", "latency", "--repetitions", "1", "--json", tmp_path / "l.json"],
                          capture_output=True,
                          text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "tofu shm" in done.stdout and "tofu mpi" in done.stdout
    figures = latency.cache.read_json(tmp_path / "l.json")
    for variant in figures["variants"].values():
        assert [row["bytes"] for row in variant["latency"]] == [2**power for power in range(3, 21)]
        assert all(row["median"] > 0 for key in ("latency", "bandwidth") for row in variant[key])


def test_ranks_may_be_started_by_words_of_the_user(tmp_path):
    """Here a launcher on this machine, whose ranks are on one host."""
    if mpi.cores()[0] < 2 or mpi.find("openmpi") is None:
        pytest.skip("needs two cores and Open MPI")
    words = shell.quote([*mpi.free_launch(mpi.find("openmpi")), "-np", "{ranks}"])
    done = subprocess.run([CHECKOUT / "tools" / "tofu", "latency", "--repetitions", "1", "--launch", words, "--json",
                           tmp_path / "l.json"], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr + done.stdout
    assert latency.cache.read_json(tmp_path / "l.json")["about"]["hosts"] == 1
