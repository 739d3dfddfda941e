# SPDX-License-Identifier: GPL-2.0-only
"""One exchange of ghosts takes as long in the max-plus model as in SimGrid, a simulator of discrete events.

Both have the figures of Fugaku's network; ranks have uneven atoms and begin at random times. SimGrid's ports share the
bandwidth among the messages that are under way, at both ends; the model's interfaces send one message after the other
and take any number at once.
"""

import subprocess
from pathlib import Path

import goal_schedule
import numpy as np
import pytest
from tofulib import CHECKOUT
from tofulib.predict import figures, halo
from tofulib.predict.exchange import Exchange, Network

PYTHON = "/usr/bin/python3"    # Debian's package is for this one
NBYTES, PACK = 24, 0.01

pytestmark = pytest.mark.skipif(
    not Path(PYTHON).exists() or subprocess.run([PYTHON, "-c", "import simgrid"], stderr=subprocess.DEVNULL,
                                                check=False).returncode != 0,
    reason="SimGrid is not installed (Debian: python3-simgrid)")


def make_plan(pattern, grid, cut):
    """A pattern for sub-boxes with sides of 3."""
    geometry = halo.Geometry(grid, tuple(3.0 * n for n in grid), (cut,) * 3)
    if pattern in ("half", "full"):
        return halo.direct(geometry, pattern == "half")
    return halo.staged(geometry, at_once=pattern == "3stage")


def both(folder, pattern, grid, cut=2.8, atoms=28, bandwidth=6.35):
    """End of each rank by the model and by SimGrid [us]."""
    plan = make_plan(pattern, grid, cut)
    ranks, random = plan.geometry.ranks, np.random.default_rng(5)
    owned, start = random.poisson(atoms, ranks) + 1, np.round(random.exponential(2.0, ranks), 3)
    schedule = folder / "exchange.goal"
    goal_schedule.write(schedule, plan, owned, NBYTES, PACK, start, by_rank=False)
    machine = figures.read("fugaku").changed(waiting__unexplained=0.0, network__hop=0.0, network__bandwidth=bandwidth,
                                             memory__pack=PACK, memory__unpack=0.0)
    network = Network(machine, grid, (1, 1, 1), 1)
    model = Exchange(network, plan, owned.astype(float), NBYTES)(start)
    words = [1000 * bandwidth, machine["network.latency"], machine["network.put"], machine["network.notice"]]
    done = subprocess.run([PYTHON, CHECKOUT / "unittest" / "tools" / "simgrid_goal.py", schedule, *map(str, words)],
                          capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return model, np.array(done.stdout.split(), float)


@pytest.mark.parametrize("pattern, grid, cut, atoms", [
    ("brick", (4, 3, 5), 2.8, 28), ("3stage", (4, 5, 4), 2.8, 200), ("half", (6, 6, 6), 2.8, 28),
    ("full", (5, 4, 5), 2.8, 1000), ("half", (5, 5, 5), 3.7, 10)])
def test_every_rank_ends_as_in_a_simulation_of_events(tmp_path, pattern, grid, cut, atoms):
    model, simulated = both(tmp_path, pattern, grid, cut, atoms)
    assert model == pytest.approx(simulated, rel=0.1)


@pytest.mark.parametrize("pattern, grid", [("full", (4, 3, 5)), ("3stage", (4, 3, 5)), ("brick", (4, 4, 4))])
def test_where_bandwidth_limits_the_model_is_too_early_by_less_than_a_tenth(tmp_path, pattern, grid):
    model, simulated = both(tmp_path, pattern, grid, atoms=200, bandwidth=0.5)
    assert 0.9 < model.mean() / simulated.mean() < 1.0
    assert model.max() == pytest.approx(simulated.max(), rel=0.15)


@pytest.mark.long
@pytest.mark.parametrize("pattern", ["brick", "3stage", "half", "full"])
def test_every_one_of_2197_ranks_ends_as_in_a_simulation_of_events(tmp_path, pattern):
    model, simulated = both(tmp_path, pattern, (13, 13, 13))
    assert model == pytest.approx(simulated, rel=0.1)
