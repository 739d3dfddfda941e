# SPDX-License-Identifier: GPL-2.0-only
"""Each value of each parameter, and each pair of values of the shorter ones, is in a case that every run has."""

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from dealt_cases import FEW, choose, choose_once, spread

SYSTEMS, RANKS, STYLES = range(30), (1, 2, 4), ("brick", "p2p/rdma")
CASES = [{"system": system, "ranks": ranks, "style": style}
         for system, ranks, style in product(SYSTEMS, RANKS, STYLES)]


def test_each_value_is_in_a_case_that_is_run():
    chosen = [CASES[index] for index in choose(CASES)]
    assert {case["system"] for case in chosen} == set(SYSTEMS)
    assert {(case["ranks"], case["style"]) for case in chosen} == set(product(RANKS, STYLES))


def test_cases_are_as_few_as_values_of_the_longest_parameter_and_of_all_kinds_alike():
    chosen = [CASES[index] for index in choose(CASES)]
    assert len(chosen) == len(SYSTEMS)
    assert all(8 <= sum(case["ranks"] == ranks for case in chosen) <= 12 for ranks in RANKS)


@pytest.mark.full
def test_all_processes_of_a_run_choose_alike():
    """Where two parameters have as many values, too, and whatever order sets of strings have in a process."""
    program = ("from itertools import product; from dealt_cases import choose; "
               "cases = [dict(zip('abc', case)) for case in product('pqrs', 'tuvw', 'xyz')]; "
               "print(choose([case for number, case in enumerate(cases) if number % 5 > 1]))")
    chosen = {subprocess.run([sys.executable, "-c", program], cwd=Path(__file__).parent, check=True, text=True,
                             env={**os.environ, "PYTHONHASHSEED": str(seed)}, stdout=subprocess.PIPE).stdout
              for seed in range(1, 9)}
    assert len(chosen) == 1


def test_few_cases_are_all_run():
    few = [{"system": system, "ranks": ranks} for system in "ab" for ranks in (1, 2)]
    assert len(few) == FEW and list(choose(few)) == list(range(FEW))


def test_what_cannot_be_combined_otherwise_is_run():
    only = {"system": 0, "ranks": 64, "style": "brick"}
    assert len(CASES) in choose([*CASES, only])


def test_the_usual_tests_have_each_value_once_and_at_most_two_ranks_where_there_is_a_choice():
    chosen = [CASES[index] for index in choose_once(CASES)]
    assert len(chosen) == len(SYSTEMS) and {case["system"] for case in chosen} == set(SYSTEMS)
    assert {(case["ranks"]) for case in chosen} == {1, 2} and {case["style"] for case in chosen} == set(STYLES)
    assert choose_once([{"ranks": ranks} for ranks in (4, 1, 2, 8)]) == [1, 2]
    assert choose_once([{"ranks": 4}, {"ranks": 8}]) == [0]
    assert choose_once([{"ranks": 8, "system": 0}, {"ranks": 4, "system": 1}]) == [0, 1]


def test_some_of_many_cases_are_from_all_parts_of_the_list():
    assert spread(list(range(30)), 3) == [0, 10, 20] and spread([4, 7], 3) == [4, 7] and spread([4, 7], 1) == [4]
