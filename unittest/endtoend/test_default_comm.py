# SPDX-License-Identifier: GPL-2.0-only
"""-sf threadpool alone begins with comm_style p2p/rdma, in package and plug-in; what is asked for by name wins."""

import pytest

from lammps_output import read_statistics
from lammps_run import run, run_script
from small_systems import LJ

SUFFIX = ["-log", "none", "-in", "in.script", "-sf", "threadpool"]
BY_DEFAULT = "TOFU: comm_style p2p/rdma, as by default with -sf threadpool"
OVERRIDES = "in the input overrides p2p/rdma, which '-sf threadpool' begins with"


def output_of(installation, folder, script, words=(), ranks=2, **environment):
    """Output of a run with the suffix."""
    (folder / "in.script").write_text(script, encoding="utf-8")
    return run(installation, [*SUFFIX, *words], ranks, folder, environment=environment).expect_success().output


@pytest.mark.parametrize("ranks", (1, 2))
def test_the_suffix_alone_brings_p2p_rdma(installation, tmp_path, ranks):
    output = output_of(installation, tmp_path, f"{LJ}run 10\n", ranks=ranks)
    assert output.count(BY_DEFAULT) == 1 and len(read_statistics(output)) == 1


def test_clear_begins_as_the_command_line_does(installation, tmp_path):
    output = output_of(installation, tmp_path, f"{LJ}run 10\nclear\n{LJ}run 10\n")
    assert output.count(BY_DEFAULT) == 2 and len(read_statistics(output)) == 2


@pytest.mark.parametrize("words", (["-pk", "threadpool", "1", "comm", "brick"], ["-pk", "tofu", "comm", "brick"]))
def test_a_switch_for_brick_is_obeyed_without_a_word(installation, tmp_path, words):
    output = output_of(installation, tmp_path, f"{LJ}run 10\n", words)
    assert BY_DEFAULT not in output and "overrides" not in output and not read_statistics(output)


def test_a_switch_with_keywords_is_taken_as_it_is(installation, tmp_path):
    output = output_of(installation, tmp_path, f"{LJ}run 10\n",
                       ["-pk", "threadpool", "1", "comm", "p2p/rdma", "shell", "full"])
    assert BY_DEFAULT not in output and len(read_statistics(output)) == 1


@pytest.mark.parametrize("style, remedy", (
    ("brick", "take that line out of the input to have p2p/rdma"),
    ("tiled", "write 'comm_style p2p/rdma layout tiled' in its place to have both")))
def test_the_style_that_the_input_names_wins_with_one_line(installation, tmp_path, style, remedy):
    output = output_of(installation, tmp_path, f"comm_style {style}\n{LJ}run 10\n")
    assert output.count(f"'comm_style {style}' {OVERRIDES}: {remedy}") == 1 and not read_statistics(output)


@pytest.mark.parametrize("value, statistics", (("brick", 0), ("p2p/rdma", 1), ("p2p_rdma", 1),
                                               (" p2p/rdma  shell full ", 1)))
def test_the_environment_chooses(installation, tmp_path, value, statistics):
    output = output_of(installation, tmp_path, f"{LJ}run 10\n", TOFU_COMM=value)
    assert len(read_statistics(output)) == statistics


@pytest.mark.parametrize("value", ("tiled", "brick shell full", "p2p/rdma shell most"))
def test_a_wrong_value_of_the_environment_is_an_error(installation, tmp_path, value):
    (tmp_path / "in.script").write_text(f"{LJ}run 10\n", encoding="utf-8")
    text = run(installation, SUFFIX, 2, tmp_path, environment={"TOFU_COMM": value}).expect_failure()
    assert "TOFU_COMM" in text and "allowed: " in text


def test_as_second_choice_of_a_hybrid_suffix_it_brings_nothing(installation, tmp_path):
    (tmp_path / "in.script").write_text(f"{LJ}run 10\n", encoding="utf-8")
    output = run(installation, [*SUFFIX[:-1], "hybrid", "omp", "threadpool"], 2, tmp_path).expect_success().output
    assert BY_DEFAULT not in output and not read_statistics(output)


def test_without_the_suffix_nothing_changes(installation, tmp_path):
    output = run_script(installation, f"{LJ}run 10\n", 2, tmp_path,
                        environment={"TOFU_COMM": "p2p_rdma"}).expect_success().output
    assert "TOFU" not in output


def test_a_plugin_begins_alike(plugin, tmp_path):
    library, stock = plugin
    path = {"LAMMPS_PLUGIN_PATH": str(library.parent)}
    output = output_of(stock, tmp_path, f"{LJ}run 10\n", **path)
    assert output.count(BY_DEFAULT) == 1 and len(read_statistics(output)) == 1
    output = output_of(stock, tmp_path, f"{LJ}run 10\n", **path, TOFU_COMM="brick")
    assert BY_DEFAULT not in output and not read_statistics(output)
    output = output_of(stock, tmp_path, f"comm_style/brick\n{LJ}run 10\n", **path)
    assert f"'comm_style brick' {OVERRIDES}" in output and not read_statistics(output)
    output = output_of(stock, tmp_path, f"comm_style tiled\n{LJ}run 10\n", **path)
    assert f"'comm_style tiled' {OVERRIDES}" in output and not read_statistics(output)
