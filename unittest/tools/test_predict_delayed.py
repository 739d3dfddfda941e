# SPDX-License-Identifier: GPL-2.0-only
"""Exchanges of the program itself, over a network that is slowed down to the times of a LogGP network, end when the
model of tools/tofu predict says.

Plans, messages, lanes and waits are those of the program (unittest/unit/halo/delayed_exchange.cpp). Latency, sending,
noticing, bandwidth and packing take 40,000 times as long as on Fugaku, so that the machine of the test adds little.
"""

import os
import subprocess

import goal_schedule
import numpy as np
import pytest
from goal_machine import carry_out
from tofulib.predict import figures, halo
from tofulib.predict.exchange import FORWARD, REVERSE, Exchange, Network

PROGRAM = os.environ.get("TOFU_DELAYED_EXCHANGE")
NBYTES, PACK, UNPACK = 24, 0.01, 0.0
FACTOR, NAP = 4e4, 1e-3
#: Other programs on the machine may disturb a run.
ATTEMPTS = 3

pytestmark = pytest.mark.skipif(not PROGRAM, reason="TOFU_DELAYED_EXCHANGE is not set; 'tools/tofu test' sets it")


class Run:
    """One case.

    Args:
        pattern: "half", "full" or "staged".
        grid: Ranks along each dimension; sub-boxes have sides of 3.
        cut: Cut-off.
        lanes: Threads that send, for each rank.
        atoms: Mean of each rank.
    """

    def __init__(self, pattern, grid, cut=2.8, lanes=1, atoms=28):
        self.pattern, self.lanes = pattern, lanes
        self.geometry = halo.Geometry(grid, tuple(3.0 * n for n in grid), (cut,) * 3)
        self.plan = (halo.staged(self.geometry) if pattern == "staged"
                     else halo.direct(self.geometry, pattern == "half"))
        random = np.random.default_rng(7)
        self.atoms = random.poisson(atoms, self.geometry.ranks) + 10
        self.start = np.round(random.exponential(2.0, self.geometry.ranks), 3)

    def model(self, direction):
        """End of each rank [us]."""
        machine = figures.read("fugaku").changed(waiting__unexplained=0.0, network__hop=0.0, memory__pack=PACK,
                                                 memory__unpack=UNPACK)
        network = Network(machine, self.geometry.grid, (1, 1, 1), 1)
        return Exchange(network, self.plan, self.atoms.astype(float), NBYTES, self.lanes, False, direction)(self.start)

    def program(self):
        """End of each rank, in a forward and in a reverse [us]."""
        machine = figures.read("fugaku")
        delays = [machine["network.latency"], machine["network.put"], machine["network.notice"],
                  1000 * machine["network.bandwidth"], FACTOR]
        shares = [swap.atoms for swap in self.plan.swaps]
        words = [self.pattern, *self.geometry.grid, *self.geometry.box, self.geometry.cut[0], self.lanes, PACK, UNPACK,
                 NAP, len(shares), *shares, *self.atoms, *self.start]
        done = subprocess.run([PROGRAM], input=" ".join(map(str, words)), capture_output=True, text=True, check=False,
                              env={**os.environ, "TOFU_DELAYS": ",".join(map(str, delays))}, timeout=120)
        assert done.returncode == 0, done.stderr
        return np.array([line.split() for line in done.stdout.splitlines()], float).T


    def in_order(self, folder):
        """End of each rank in a forward, if each carries out its messages in the program's order [us]."""
        schedule, machine = folder / "forward.goal", figures.read("fugaku")
        goal_schedule.write(schedule, self.plan, self.atoms, NBYTES, PACK, self.start)
        return np.array(carry_out(schedule, machine["network.latency"], machine["network.put"],
                                  machine["network.notice"], 1000 * machine["network.bandwidth"]))


def differences(run, folder, single_ranks):
    """What of one run of the program is not within a tenth of the model."""
    ends, found = run.program(), []
    for direction, end in zip((FORWARD, REVERSE), ends):
        model = run.model(direction)
        for name, ratio in (("last", model.max() / end.max()), ("mean", model.mean() / end.mean())):
            if not 0.9 < ratio < 1.1:
                found.append(f"{direction}: {name} end is {ratio:.3f} of that of the program")
    if single_ranks:
        ratios = run.in_order(folder) / ends[0]
        if ratios.min() < 0.9 or ratios.max() > 1.1:
            found.append(f"single ranks: {ratios.min():.3f} to {ratios.max():.3f} of those of the program")
    return found


def check(run, folder, single_ranks=False):
    """Compare, once more if a run was disturbed."""
    for _ in range(ATTEMPTS):
        found = differences(run, folder, single_ranks)
        if not found:
            return
    raise AssertionError("\n".join(found))


@pytest.mark.parametrize("pattern, grid, cut, atoms", [
    ("half", (2, 1, 1), 2.8, 28), ("full", (3, 2, 2), 2.8, 100), ("staged", (3, 2, 1), 2.8, 28),
    ("half", (4, 4, 4), 2.8, 28), ("full", (3, 3, 3), 2.8, 200), ("staged", (4, 4, 4), 2.8, 50),
    ("half", (5, 4, 3), 3.7, 60)])
def test_an_exchange_of_the_program_ends_when_the_model_says(tmp_path, pattern, grid, cut, atoms):
    """The model has one order of messages for all ranks. That of the program differs at the edges of the grid, which is
    seen in single ranks: they end as in an execution in that order, where the rank has no ghosts of its own atoms."""
    run = Run(pattern, grid, cut, atoms=atoms)
    check(run, tmp_path, not any(stage.own for stage in run.plan.stages))


@pytest.mark.parametrize("lanes", [2, 3])
def test_threads_that_send_end_when_the_model_says(tmp_path, lanes):
    check(Run("full", (3, 3, 3), lanes=lanes), tmp_path)
