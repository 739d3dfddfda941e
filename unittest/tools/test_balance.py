# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench --balance: cases, liquids, ways, packages, gains and ideals, tables."""

import math
import re
import statistics
from types import SimpleNamespace

import pytest
from tofulib import balance, balance_cases, log, shell
from tofulib.balance_cases import OURS, STOCK, WAYS

#: Largest number of atoms divided by the average, without balancing.
UNEVEN = 1.6
RING = {"before": UNEVEN, "after": 1.02, "handed over": 30.0, "extra ghosts": 12.0, "extra bytes": 288.0}


def runs(imbalance, *times, **more):
    """Runs that take these times a step: half of a time is for pair forces on one rank, a quarter on the other, and a
    tenth is for lists on both."""
    return [{"atoms": 100, "loop": time, "imbalance": imbalance,
             "sections": {"Pair": 0.375 * time, "Neigh": 0.1 * time},
             "least": {"Pair": 0.25 * time, "Neigh": 0.1 * time}, **more} for time in times]


MEASURED = {"stock none": runs(UNEVEN, 20, 30, 40), "stock shift": runs(1.1, 16, 20, 20),
            "stock rcb": runs(1.0, 25, 25, 25),
            "p2p none": runs(UNEVEN, 12, 15, 12), "p2p shift": runs(1.1, 10, 10, 10),
            "p2p ring": runs(1.02, 8, 10, 10, ring=RING)}


def test_gains_are_taken_within_rounds_and_on_the_same_side():
    ways = balance.summarize(MEASURED)["ways"]
    assert ways["stock shift"]["gain"] == {"median": 1.5, "min": 1.25, "max": 2.0}
    assert ways["p2p ring"]["gain"] == {"median": 1.5, "min": 1.2, "max": 1.5}
    assert ways["p2p none"]["gain"]["median"] == 1.0


def test_the_ideal_gain_is_the_imbalance_without_balancing():
    ways = balance.summarize(MEASURED)["ways"]
    assert ways["p2p ring"]["ideal"] == UNEVEN and ways["p2p ring"]["part"] == pytest.approx(1.5 / UNEVEN)
    assert ways["p2p ring"]["imbalance"] == 1.02


def test_the_limit_shares_pair_forces_and_lists_and_nothing_else():
    """The shared part is six tenths of the time, of which 1/1.6 remains."""
    ways = balance.summarize(MEASURED)["ways"]
    assert ways["p2p ring"]["limit"] == pytest.approx(1 / (1 - 0.6 * (1 - 1 / UNEVEN)) / UNEVEN)


def test_ours_are_compared_with_the_fastest_stock_way():
    summary = balance.summarize(MEASURED)
    assert (summary["stock"], summary["rounds"]) == ("stock shift", 3)
    assert summary["ways"]["p2p ring"]["faster"] == {"median": 2.0, "min": 2.0, "max": 2.0}
    assert summary["ways"]["stock shift"]["faster"]["median"] == 1.0


def test_all_cases_or_those_with_some_words_or_single_ones():
    assert balance.chosen(None) == list(balance.CASES.values())
    assert [case.name for case in balance.chosen("drop.lj.50")] == ["drop.lj.50"]
    assert {case.name for case in balance.chosen("slab.eam")} == {
        f"slab.eam.{size}" for size in (50, 200, 1000, 10000)}
    assert balance.chosen("drop,slab.lj.7") == []


def test_cases_are_named_once():
    assert all(name == case.name for name, case in balance.CASES.items())
    assert len(balance.chosen("drop,drop.lj,drop.lj.50")) == len(balance.chosen("drop"))


@pytest.mark.parametrize("cases,pairs", (("lj864", 3), ("drop.lj.51", 3), ("drop", 0)))
def test_wrong_requests_are_explained(cases, pairs):
    with pytest.raises(shell.Failure, match="with --balance the cases are drop.lj.50, .*at least one round"):
        balance.command(SimpleNamespace(cases=cases, pairs=pairs))


@pytest.mark.parametrize("shape", ("drop", "slab"))
@pytest.mark.parametrize("natoms", (100, 401, 2000, 20000))
def test_a_liquid_has_all_its_atoms_apart_from_each_other_and_vapor_between_its_images(shape, natoms):
    box, size, points = balance_cases.liquid(shape, natoms, 2.0)
    assert len(points) == len({tuple(round(x, 6) for x in point) for point in points}) == natoms
    last = 2 if shape == "slab" else max(range(3), key=lambda axis: max(abs(point[axis]) for point in points))
    half = max(abs(point[last]) for point in points)
    assert size / (2 if shape == "slab" else 1) == pytest.approx(half, rel=0.3, abs=1.0)
    assert box[last] - 2 * half > 0.8 * size
    assert all(abs(statistics.mean(point[axis] for point in points)) < 0.5 for axis in range(3))
    assert all(abs(point[axis]) <= box[axis] / 2 for point in points for axis in range(3))


def test_a_liquid_has_the_density_of_its_lattice():
    box, size, _ = balance_cases.liquid("drop", 5000, 2.0)
    assert 5000 / (4 / 3 * math.pi * size**3) == pytest.approx(4 / 2.0**3)
    box, size, _ = balance_cases.liquid("slab", 5000, 2.0)
    assert 5000 / (box[0] * box[1] * size) == pytest.approx(4 / 2.0**3)


def test_on_two_ranks_one_has_three_times_as_many_atoms():
    for case in balance.CASES.values():
        _, _, points = balance_cases.liquid(case.shape, case.atoms, balance_cases.POTENTIALS[case.potential].lattice)
        moved = float(re.search(r"displace_atoms all move \S+ \S+ (\S+) units box",
                                balance_cases.script_of(case, "data")).group(1))
        assert sum(point[2] + moved < 0 for point in points) >= 0.75 * case.atoms, case.name


def test_stock_is_tried_with_every_package_and_ours_with_the_suffix():
    assert set(balance_cases.packages(WAYS["stock rcb"])) == {"none", "opt", "omp", "intel"}
    assert balance_cases.packages(WAYS["p2p ring"]) == {
        "threadpool": ["-sf", "threadpool", "-pk", "threadpool", "1", "comm", "p2p/rdma"]}
    assert all("rdma" not in words for words in balance_cases.packages(WAYS["stock none"]).values())


def test_a_way_brings_its_commands_and_its_columns():
    script = balance_cases.script_of(balance.CASES["drop.eam.200"], "data")
    none, rcb, ring = (balance_cases.fill(script, WAYS[name]) for name in ("p2p none", "stock rcb", "p2p ring"))
    assert "balance" not in none and "f_ring" not in none + rcb and "@" not in none + rcb + ring
    assert rcb.index("comm_style tiled") < rcb.index("read_data") < rcb.index("fix even all balance 100 1.05 rcb")
    assert "fix ring all ring/balance 10 1.05" in ring
    assert "press f_ring[1] f_ring[2] f_ring[3] f_ring[4] f_ring[5]\n" in ring


@pytest.fixture
def fake_runs(monkeypatch):
    """Replacements of runs: time by package, in the order of measurement.

    Returns:
        The requested runs.
    """
    asked = []

    def run_once(case, way, package, _):
        asked.append((way.name, package))
        time = {"none": 40, "opt": 30, "omp": 25, "intel": 20, "threadpool": 10}[package] - (
            way.name == "stock shift") * (package == "opt") * 15
        return runs(UNEVEN, time, ring=RING)[0] if way.name == "p2p ring" else runs(UNEVEN, time, ghosts=200.0)[0]

    monkeypatch.setattr(balance, "run_once", run_once)
    return asked


def test_the_first_round_finds_the_package_of_each_stock_way(fake_runs):
    case = balance.CASES["drop.lj.50"]
    result = balance.measure_case(case, None, 3)
    ours = {name: "threadpool" for name in WAYS if WAYS[name].side == OURS}
    assert result["packages"] == {"stock none": "intel", "stock shift": "opt", "stock rcb": "intel", **ours}
    assert {len(one) for one in result["runs"].values()} == {3}
    assert fake_runs.count(("stock none", "intel")) == 3 and fake_runs.count(("stock none", "omp")) == 1
    assert result["summary"]["stock"] == "stock shift"


def test_rounds_are_interleaved(fake_runs):
    balance.measure_case(balance.CASES["slab.lj.50"], None, 3)
    assert [name for name, _ in fake_runs][-2 * len(WAYS):] == list(WAYS) * 2


def finished(most, rows=((0.0, 1.0),), columns=("Step", "Temp")):
    """A run of four ranks as read from a log."""
    return log.Run(list(columns), list(map(list, rows)), 1.0, 4, 10, 200, {}, {}, 100.0,
                   {"Nlocal": (50.0, most), "Nghost": (300.0, 310.0)})


def test_computed_atoms_are_those_of_the_log_at_both_ends_of_the_run():
    assert balance.work_of([finished(70.0), finished(80.0)]) == {"imbalance": 1.5, "ghosts": 1200.0}


def test_with_the_ring_they_are_those_that_the_fix_says():
    rows = [(0, 0, 0, 0, 0, 0), (10, 1.6, 1.25, 30, 12, 288)]
    one, other = (finished(80.0, [*rows[:1], (10, before, 1.25, 30, 12, 288)],
                           ("Step", *balance_cases.RING_COLUMNS.values())) for before in (1.5, 1.7))
    assert balance.work_of([one, other]) == {"imbalance": 1.25, "ghosts": 1200.0,
                                             "ring": {**RING, "after": 1.25, "before": 1.6}}


LOG = """\
Per MPI rank memory allocation (min/avg/max) = 3 | 3 | 3 Mbytes
   Step          Temp
         0   1
        10   1
Loop time of 1 on 2 procs for 10 steps with 100 atoms

Nlocal:             50 ave          77 max          23 min
Histogram: 1 0 0 0 0 0 0 0 0 1
Nghost:          312.5 ave         400 max         225 min
"""


def test_the_log_says_what_ranks_held(tmp_path):
    (tmp_path / "log").write_text(LOG, encoding="utf-8")
    assert log.read(tmp_path / "log")[0].held == {"Nlocal": (50.0, 77.0), "Nghost": (312.5, 400.0)}


def test_tables_show_every_case(capsys):
    packages = {name: "intel" if WAYS[name].side == STOCK else "threadpool" for name in WAYS}
    cases = {name: {"atoms": 100, "steps": 10, "runs": MEASURED, "packages": packages,
                    "summary": balance.summarize(MEASURED)} for name in ("drop.lj.50", "slab.eam.10000")}
    balance.print_times(cases)
    table = capsys.readouterr().out
    assert all(len(re.findall(rf"^{name} +", table, re.MULTILINE)) == len(WAYS) for name in cases)
    assert re.search(r"^drop.lj.50 +s stock shift +intel .*1\.50 ", table, re.MULTILINE)
