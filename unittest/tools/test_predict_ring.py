# SPDX-License-Identifier: GPL-2.0-only
"""fix ring_balance in tools/tofu predict: the plan is the package's own, and the model moves what it says."""

import random

import numpy as np
import pytest
from tofulib.predict import figures, halo, paper, plans, positions, sharing, step

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


def test_walls_and_the_ring_make_the_ranks_of_a_droplet_more_even():
    """The most atoms that a rank computes over the average; level node is nearly as even as level rank."""
    machine = figures.read("hdr")
    points = np.random.default_rng(1).random((150_000, 3))
    points = points[((points - (0.45, 0.5, 0.57)) ** 2).sum(axis=1) < 0.3**2]
    length = (len(points) / paper.DENSITY["lj"] / (4.0 / 3.0 * np.pi * 0.3**3)) ** (1.0 / 3.0)
    load = paper.system("lj", machine)._replace(atoms=len(points), box=(length,) * 3, skin=0.3)
    found = {}
    for balance, ring in (("", ""), ("xyz", ""), ("", "rank"), ("", "node")):
        setting = step.Setting("p2p", load.half, 8, 6, 1, ring=ring)
        one = step.Steps(load._replace(balance=balance), machine, 12, setting, 1, positions.Positions(points))
        found[balance or ring] = float(one.computed.max() / one.computed.mean())
        assert one.run(5).step > 0.0
    assert found["xyz"] < found[""] and found["node"] <= found["rank"] + 0.01 < found[""] > 1.2
