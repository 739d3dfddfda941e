# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench --styles: the fastest stock variant, ratios, the table, the inputs."""

from types import SimpleNamespace

import pytest
from tofulib import bench, pair_cases, pair_styles, shell


def runs(*pairs):
    """Runs whose pairs take so long in a step."""
    return [{"loop": 2.0 * pair, "sections": {"Pair": pair}} for pair in pairs]


MEASURED = {"none": runs(12.0, 10.0, 11.0), "omp": runs(9.0, 8.0, 30.0), "threadpool": runs(3.0, 4.0, 5.0)}


def test_opponent_is_the_fastest_stock_variant_by_its_median():
    summary = pair_styles.summarize(MEASURED)
    assert summary["stock"] == "omp"
    assert summary["pair"] == {"median": 3.0, "min": 2.0, "max": 6.0}
    assert summary["step"] == summary["pair"]


def test_table_has_a_row_for_each_style():
    text = pair_styles.table({"born": {"summary": pair_styles.summarize(MEASURED)}})
    assert text.splitlines()[2] == "| born | omp | 9 us | 4 us | 3.00 (2.00-6.00) | 3.00 (2.00-6.00) |"


def test_styles_that_a_program_lacks_are_explained():
    with pytest.raises(shell.Failure, match="--packages EXTRA-PAIR"):
        pair_styles.check_request(["gauss"], {"born/threadpool"})
    pair_styles.check_request(["born"], {"born/threadpool"})
    with pytest.raises(shell.Failure, match="the cases are born"):
        bench.chosen(SimpleNamespace(cases="water", pairs=1), "--styles", pair_cases.CASES)


def test_a_substyle_of_a_hybrid_style_is_named_in_its_coefficients():
    plain = pair_cases.pair_lines("table linear").splitlines()
    assert plain[0] == "pair_style table linear 2000"
    assert plain[1] == f"pair_coeff * * {pair_cases.TABLE} LJ 2.5"
    hybrid = pair_cases.pair_lines("coul/cut", substyle="hybrid/overlay morse 2.0").splitlines()
    assert hybrid == ["pair_style hybrid/overlay morse 2.0 coul/cut 2.8", "pair_coeff * * coul/cut"]


def test_styles_with_a_long_range_solver_get_it():
    assert pair_cases.pair_lines("born/coul/long", ("kspace_style ewald 1e-4",)).endswith("kspace_style ewald 1e-4")
    assert "kspace" not in pair_cases.pair_lines("born", ("kspace_style ewald 1e-4",))
