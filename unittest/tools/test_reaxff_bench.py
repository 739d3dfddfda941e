# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench --reaxff: inputs, ratios, the table, and energies that have to agree."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from tofulib import bench, reaxff, shell


def runs(*pairs):
    """Runs whose pairs take so long in a step."""
    return [{"loop": 2.0 * pair, "sections": {"Pair": pair, "Modify": 0.5 * pair}} for pair in pairs]


MEASURED = {"reaxff": runs(80.0, 90.0, 100.0), "reaxff, tables": runs(60.0, 50.0, 70.0),
            "reaxff/threadpool": runs(10.0, 20.0, 10.0)}


def test_ratios_are_those_of_rounds():
    summary = reaxff.summarize(MEASURED)
    assert summary["stock"] == "reaxff, tables" and summary["rounds"] == 3
    assert summary["ways"]["reaxff"]["pairs"] == {"time": 90.0, "median": 8.0, "min": 4.5, "max": 10.0}
    assert summary["ways"]["reaxff/threadpool"]["step"] == {"time": 20.0, "median": 1.0, "min": 1.0, "max": 1.0}


def test_table_has_a_row_for_each_way():
    text = reaxff.table({"water": {"atoms": 40, "summary": reaxff.summarize(MEASURED)}})
    assert text.splitlines()[3] == ("| water | 40 | reaxff, tables (fastest stock) | 3.0 | 1.5 | 6.00 (2.50-7.00) | "
                                    "6.00 (2.50-7.00) |")
    assert len(text.splitlines()) == 2 + len(MEASURED)


@pytest.mark.parametrize("name", reaxff.CASES)
def test_inputs_have_the_files_of_lammps(name):
    text = reaxff.script_of(name, Path("examples/reaxff"), reaxff.TABLES)
    assert f"read_data examples/reaxff/{reaxff.CASES[name].data}" in text
    assert "pair_style reaxff NULL tabulate 10000\n" in text and f"run {reaxff.CASES[name].steps}\n" in text


def test_another_energy_is_refused():
    reaxff.check_energy("water", "reaxff, tables", -1000.0, -1000.0005)
    for found in (-1001.0, float("nan")):
        with pytest.raises(shell.Failure, match="times of different models"):
            reaxff.check_energy("water", "reaxff, tables", -1000.0, found)


def test_other_cases_are_refused():
    with pytest.raises(shell.Failure, match="the cases are water, hns"):
        bench.chosen(SimpleNamespace(cases="lj864", pairs=1), "--reaxff", reaxff.CASES)
