# SPDX-License-Identifier: GPL-2.0-only
"""Tiled layouts in tools/tofu predict: cuts, who is near whom, messages, times."""

import numpy as np
import pytest
from tofulib.predict import figures, forecast, halo, paper, step, tiles, workload
from tofulib.predict.exchange import FORWARD, REVERSE, Exchange, Network
from tofulib.predict.graph import GraphExchange
from tofulib.predict.positions import Positions
from tofulib.predict.tiled_step import TiledSteps

CASES = [(2, (7.0, 9.0, 11.0), 1.3, (True, True, True)), (7, (7.0, 9.0, 11.0), 1.3, (True, True, True)),
         (12, (9.0, 9.0, 9.0), 2.1, (True, False, True)), (5, (7.0, 7.0, 30.0), 8.0, (True, True, True)),
         (16, (7.0, 9.0, 11.0), 3.0, (False, False, False))]
"""Ranks, box, cut-off, which boundaries are periodic."""


def droplet(natoms=3000, seed=3):
    """Positions of a droplet off the center of its box."""
    points = np.random.default_rng(seed).normal((0.4, 0.5, 0.6), 0.12, (natoms, 3))
    return np.clip(points, 0.0, 1.0)


@pytest.mark.parametrize("ranks, box, cut, periodic", CASES)
def test_bisection_deals_atoms_evenly_and_fills_the_box(ranks, box, cut, periodic):
    atoms = droplet()
    cuts = tiles.bisect(atoms, ranks, box)
    counts = np.bincount(tiles.count(cuts, atoms), minlength=ranks)
    assert counts.max() - counts.min() <= 0.02 * counts.mean() + 2 and counts.sum() == len(atoms)
    assert tiles.volume(cuts).sum() == pytest.approx(1.0)
    inside = [((atoms >= cuts.low[r]) & (atoms < cuts.high[r])).all(axis=1).sum() for r in range(ranks)]
    assert np.abs(np.array(inside) - counts).max() <= 1    # an atom may be on the upper face of the box


def test_comm_style_tiled_has_the_same_ghosts_in_fewer_messages():
    box, periodic = (24.0,) * 3, (True,) * 3
    atoms = droplet(20000)
    cuts = tiles.bisect(atoms, 64, box)
    counts = np.bincount(tiles.count(cuts, atoms), minlength=64)
    (full,), stages = tiles.direct(cuts, box, (1.0,) * 3, periodic), tiles.staged(cuts, box, (1.0,) * 3, periodic)
    expected = (full.share * counts[full.sender]).sum()
    assert sum((one.share * counts[one.sender]).sum() for one in stages) == pytest.approx(expected, rel=0.1)
    assert sum(len(one.sender) for one in stages) < len(full.sender)


@pytest.mark.parametrize("direction", [FORWARD, REVERSE])
@pytest.mark.parametrize("senders", [1, 2])
def test_equal_tiles_take_as_long_as_a_grid(direction, senders):
    """Eight tiles of one size are a grid of 2 x 2 x 2; messages of a rank are alike, so that their order is free."""
    machine = figures.read("fugaku").changed(network__hop=0.0)
    geometry = halo.Geometry((2, 2, 2), (6.0,) * 3, (2.9,) * 3)
    network = Network(machine, geometry.grid, None, 1)
    at = np.indices((2, 2, 2)).reshape(3, -1).T / 2.0
    (graph,) = tiles.direct(tiles.Tiles(at, at + 0.5), geometry.box, geometry.cut, geometry.periodic)
    atoms, start = np.full(8, 30.0), np.arange(8) * 0.3
    plan = halo.direct(geometry)
    expected = Exchange(network, plan, atoms, 0, senders, direction=direction)(start)
    found = GraphExchange(network, (graph,), atoms, 0, senders, direction=direction)(start)
    assert len(graph.sender) == 8 * plan.messages == 56
    assert graph.swaps.sum() == 8 * 26 and found.max() == pytest.approx(expected.max(), rel=0.15)


def test_tiles_are_even_where_a_grid_is_not():
    machine = figures.read("fugaku")
    atoms = Positions(droplet(20000))
    load = paper.system("lj", machine)._replace(atoms=20000, box=(40.0,) * 3)
    setting = step.Setting("p2p", True, 4, 1, 1)
    equal = step.Steps(load, machine, 12, setting, positions=atoms)
    tiled = TiledSteps(load._replace(balance=workload.RCB), machine, 12, setting, positions=atoms)
    assert tiled.atoms.max() < 1.05 * tiled.atoms.mean() < equal.atoms.max() / 3
    result = tiled.run(20)
    assert result.step < equal.run(20).step / 2 and sum(result.parts.values()) == pytest.approx(result.step)
    stock = TiledSteps(load._replace(balance=workload.RCB), machine, 12, step.Setting("brick", False, 4, 1, 1),
                       positions=atoms)
    assert stock.name == "stock, tiled" and stock.run(20).step > result.step
    names = [one["name"] for one in forecast.forecast(load._replace(balance=workload.RCB), machine, [3], [4], 1, [1], 5,
                                                      1, droplet(2000).tolist(), ring=10)[0]["results"]]
    assert names == ["stock, tiled", "TOFU, suffix over tiled", "TOFU, p2p half", "TOFU, p2p full"]
