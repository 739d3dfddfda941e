# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench --kspace: cases, ways, the fastest of each side, ratios, table."""

import re
from types import SimpleNamespace

import pytest
from tofulib import kspace, kspace_cases, shell
from tofulib.kspace_cases import OURS, STOCK


def runs(*times):
    """Runs with these times in Kspace; the whole step takes 10 more."""
    return [{"atoms": 8, "loop": time + 10, "sections": {"Kspace": time}} for time in times]


MEASURED = {"pppm": runs(10, 30, 20), "pencil": runs(5, 10, 40), "partial": runs(20, 20, 20)}
SIDES = {"pppm": STOCK, "pencil": OURS, "partial": OURS}
PAIRS_OF_STEP = [20 / 15, 40 / 20, 30 / 50]


def test_the_fastest_of_each_side_by_its_median_and_ratios_within_rounds():
    summary = kspace.summarize(MEASURED, SIDES)
    assert (summary["stock"], summary["ours"], summary["rounds"]) == ("pppm", "pencil", 3)
    assert summary["ways"]["pencil"]["Kspace"] == {"time": 10, "median": 2.0, "min": 0.5, "max": 3.0}
    assert summary["ways"]["pencil"]["step"]["median"] == pytest.approx(sorted(PAIRS_OF_STEP)[1])
    assert summary["ways"]["pppm"]["Kspace"]["median"] == 1.0


@pytest.mark.parametrize("cases,pairs", (("lj864", 3), ("rhodo", 0)))
def test_wrong_requests_are_explained(cases, pairs):
    with pytest.raises(shell.Failure, match="with --kspace the cases are rhodo, water500.*at least one round"):
        kspace.command(SimpleNamespace(cases=cases, pairs=pairs))


def fake_lammps(folder, text):
    """A build with one input of the benchmarks and nothing else."""
    (folder / "bench").mkdir()
    (folder / "bench" / "in.rhodo").write_text(text, encoding="utf-8")
    return SimpleNamespace(source=SimpleNamespace(path=folder, release="test"))


def test_rhodo_gets_its_long_range_part_from_the_way(tmp_path):
    case = kspace_cases.rhodo_case(
        fake_lammps(tmp_path, "kspace_style    pppm 1e-4\nread_data data.rhodo\nrun             100\n"))
    assert case.script == "@kspace@\nread_data data.rhodo\nrun 2\nrun @steps@\n"
    assert {way.side for way in case.ways} == {STOCK, OURS}
    assert all(way.ranks * way.threads == kspace_cases.CORES for way in case.ways)


def test_another_rhodo_than_expected_is_explained(tmp_path):
    with pytest.raises(shell.Failure, match="pppm.* in bench/in.rhodo of LAMMPS test, found 0"):
        kspace_cases.rhodo_case(fake_lammps(tmp_path, "kspace_style ewald 1e-4\nrun 100\n"))


def test_a_rank_that_overlaps_alone_leaves_a_core_to_the_long_range():
    parts = {way.name: way.arguments[4] for way in kspace_cases.our_ways()}
    assert parts == {"offload 2x1, overlap no": "1", "offload 2x1, overlap yes": "1", "offload 1x2, overlap no": "2",
                     "offload 1x2, overlap yes": "1"}


def test_table_shows_every_case(capsys):
    result = {"cases": {name: {"atoms": 8, "summary": kspace.summarize(MEASURED, SIDES)}
                        for name in ("rhodo", "water500")}}
    kspace.print_table(result)
    table = capsys.readouterr().out
    assert all(re.search(rf"^{name} +s pppm ", table, re.MULTILINE)
               and re.search(rf"^{name} +\* pencil ", table, re.MULTILINE) for name in result["cases"])
