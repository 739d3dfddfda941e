# SPDX-License-Identifier: GPL-2.0-only
"""fix ring_balance in tools/tofu predict: the plan is the package's own, and the model moves what it says."""

import random

import numpy as np
import pytest
from tofulib.predict import figures, halo, paper, plans, sharing, step

GRIDS = [((1, 1, 2), (True,) * 3), ((4, 1, 1), (True,) * 3), ((4, 1, 1), (False,) * 3), ((2, 3, 2), (True,) * 3),
         ((3, 3, 3), (True,) * 3), ((3, 3, 3), (False,) * 3), ((3, 5, 3), (False, True, False)),
         ((4, 5, 3), (False,) * 3), ((5, 4, 7), (True,) * 3)]
"""Grids with rings that are closed, by a lane or by a boundary, and open ones."""


def shared(atoms, level="rank", half=False, grid=(4, 1, 1)):
    """What the fix does with these atoms; sub-boxes are cubes of 3 with a cut-off of 1."""
    geometry = halo.Geometry(grid, tuple(3.0 * n for n in grid), (1.0,) * 3)
    return sharing.Sharing(geometry, np.array(atoms, float), list(range(len(atoms))), level, half, half)


def test_work_that_is_handed_over_needs_ghosts():
    full = shared([27, 81, 27, 27])
    assert full.loads == (pytest.approx(2.0), pytest.approx(41 / 40.5)) and full.computed.sum() == 162
    assert full.given.tolist() == [12, 40, 0, 0]    # rank 0 gives some of its own on
    # slabs of 40 of 81 atoms, and of 12 of 27, with all within the cut-off beside them
    assert full.ghosts.sum() == pytest.approx((40 + 12) / 9 * 5 * 5)
    assert set(full.positions) == {(1, 0, 0), (-1, 0, 0)}
    assert sum(amounts.sum() for amounts in full.positions.values()) == pytest.approx(full.ghosts.sum())
    assert sum(amounts.sum() for amounts in full.forces.values()) == 52
    half = shared([27, 81, 27, 27], half=True)
    assert 0 < half.ghosts.sum() < full.ghosts.sum()
    even = shared([27, 28, 27, 28])
    assert even.ghosts.sum() == 0 and not even.positions and even.loads[0] == even.loads[1]


def test_a_step_with_the_ring_is_shorter_where_kernels_are_long():
    machine = figures.read("fugaku")
    load = paper.system("lj", machine)._replace(atoms=48 * 400, box=(36.0, 24.0, 24.0), spread=20.0)
    without, with_it = (step.Steps(load, machine, 12, paper.P2P._replace(ring=level)) for level in ("", "rank"))
    results = [one.run(50) for one in (without, with_it)]
    assert results[1].sections["Comm"] + results[1].sections["Pair"] < results[0].sections["Comm"] + (
        results[0].sections["Pair"])
    assert results[1].loads[1] < results[1].loads[0] and results[0].loads == ()
    assert with_it.ghosts.sum() > without.ghosts
    assert results[1].parts["decisions of the ring"] > 0.0
    assert sum(results[1].parts.values()) == pytest.approx(results[1].step, rel=1e-9)


def test_full_lists_return_forces_of_rows_alone():
    machine = figures.read("hdr")
    load = paper.system("lj", machine)._replace(atoms=48 * 400, box=(36.0, 24.0, 24.0), spread=20.0)
    one = step.Steps(load, machine, 12, step.Setting("p2p", False, 4, 1, 1, ring="rank"))
    assert "rows" in one.exchanges and one.run(5).step > 0.0


def test_the_largest_load_does_not_grow():
    random.seed(3)
    for grid, periodic in GRIDS:
        ranks = grid[0] * grid[1] * grid[2]
        work = [int(random.paretovariate(1.0) * 10) for _ in range(ranks)]
        for nodes in (None, [rank // 3 for rank in range(ranks)]):
            after = list(work)
            for one in plans.transfers(*plans.ring(grid, periodic), work, nodes):
                after[one.source] -= one.amount
                after[one.target] += one.amount
            assert sum(after) == sum(work) and max(after) <= max(work) and min(after) >= 0


def test_ways_to_balance_a_droplet_are_compared(monkeypatch):
    """The rows of doc/scale.md: walls and the ring make ranks more even, level node nearly so."""
    from tofulib.predict import curves
    monkeypatch.setattr(curves, "DROPLET", 20_000)
    monkeypatch.setitem(curves.STEPS, "lj", 5)
    row = curves.droplet(figures.read("hdr"), (8, 6))[1]
    assert row["none"]["load"] > 1.2 and row["shift"]["load"] < row["none"]["load"]
    assert row["ring of nodes"]["load"] <= row["ring"]["load"] + 0.01 < row["none"]["load"]
    assert all(row[way]["step"] > 0.0 for way in ("none", "shift", "ring", "ring of nodes", "shift and ring"))


def test_the_best_way_to_divide_a_node_is_found():
    from tofulib.predict import curves
    machine = figures.read("hdr")
    load = paper.system("eam", machine)._replace(atoms=20_000, box=(62.0,) * 3)
    row = curves.row(load, machine, 2, ((4, 2), (8, 1)), 12)
    assert {(one["ranks"], one["threads"]) for one in row["all"]} == {(4, 2), (8, 1)}
    assert row["best"]["step"] == min(one["step"] for one in row["all"] if one["comm"] != "brick")
    assert row["without checks"] < row["best"]["step"] and row["ring"]["step"] > 0.0
    (line,) = [line for line in curves.lines_of({"hdr": {"eam": [{**row, "nodes": 768}]}}, True) if "=" in line]
    assert line.startswith("| EAM | 768 | ") and f" = {row['speed-up']:.2f} |" in line
    eight = [one["step"] for one in row["all"] if one["ranks"] == 8]
    (line,) = [line for line in curves.lines_of({"hdr": {"eam": [{**row, "nodes": 768}]}}, False) if "=" in line]
    assert f"/ {min(eight):.1f} = " in line or f"/ {min(eight):,.0f} = " in line
