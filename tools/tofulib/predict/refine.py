# SPDX-License-Identifier: GPL-2.0-only
"""Split the time of the short runs into computing, messages and waiting, by the model itself.

Modify and Other of a run on several ranks, and Pair with exchanges in it, contain exchanges, reductions, and waiting
for them: these are computed, and what is left is fitted by the terms of a kernel. Comm and Kspace on all ranks give the
noise of the machine.
"""

from typing import NamedTuple

import numpy as np

from .. import cache
from . import calibrate, figures, workload
from .positions import Positions
from .step import Setting, Steps
from .tiled_step import TiledSteps
from .workload import OURS, STOCK

STEPS = 200
#: Sections that are fitted again, and the least part of their time that is taken for computing.
SECTIONS, LEAST = ("Pair", "Modify", "Other"), 0.05
#: Sections in which ranks wait.
WAITING = ("Comm", "Kspace")
#: By side, figures that are fitted to these: noise, and messages.
NAMES = {OURS: ("noise.relative", "memory.unpack"), STOCK: ("noise.stock", "mpi.message_on_node")}
#: Most noise, how many straight lines find it, and how often all is fitted.
MOST_NOISE, LINES, ROUNDS = 1.0, 3, 2


class Run(NamedTuple):
    """A short run: its setting, and its sections [us a step]."""

    side: str
    ranks: int
    threads: int
    comm: str
    half: bool
    sections: dict


class Bed(NamedTuple):
    """What stays the same."""

    runs: list
    positions: object

    def model(self, load, machine, run):
        """Sections of the model for a run, and of them what is computed."""
        kind = TiledSteps if self.positions and load.balance == workload.RCB else Steps
        setting = Setting(run.comm, run.half, run.ranks, run.threads, 1)
        steps = kind(load, machine, 1, setting, 1, self.positions)
        return steps.run(STEPS).sections, {section: float(np.mean(steps.compute(section))) for section in SECTIONS}

    def on_all(self, side):
        """The run of a side on all cores; None if that is one rank."""
        return next((run for run in self.runs if run.side == side and run.ranks > 1), None)


def kernels(bed, load, machine):
    """The workload with terms for what is computed alone."""
    found = dict(load.kernels)
    for side in (STOCK, OURS):
        runs = [run for run in bed.runs if run.side == side]
        models = [bed.model(load, machine, run) for run in runs]
        for section in SECTIONS[0 if load.pair_exchanges.get(side) else 1:]:
            points = [(1.0, load.atoms / run.ranks / run.threads,
                       max(run.sections[section] - sections[section] + computed[section],
                           LEAST * run.sections[section]))
                      for run, (sections, computed) in zip(runs, models)]
            if all(time for _, _, time in points):
                found.update({f"{side}.{section}.{term}": figures.Figure(
                    value, "measured", "short runs, without exchanges, reductions and waiting")
                    for term, value in terms(points).items()})
    return load._replace(kernels=found)


def terms(points):
    """Terms of a kernel. What takes longer with fewer atoms of a rank, on more ranks, is there on several ranks only:
    caches and memory that they share, and waiting that the model has not."""
    constant, atom = calibrate.fit(points)
    if len(points) < 2 or points[0][2] >= points[-1][2]:
        return {"constant": constant, "atom": atom, "shared": 0.0}
    (_, atoms, alone), (_, fewer, time) = points[0], points[-1]
    return {"constant": 0.0, "atom": alone / atoms, "shared": time - alone / atoms * fewer}


def root(function, wanted, low, high):
    """Where a function that grows has the wanted value: by straight lines, between bounds; and the value there."""
    ends = [(low, function(low)), (high, function(high))]
    for _ in range(LINES):
        (one, least), (other, most) = ends
        if not least < wanted < most:
            break
        at = one + (wanted - least) / (most - least) * (other - one)
        found = at, function(at)
        ends = [found, ends[1]] if found[1] < wanted else [ends[0], found]
    return min(ends, key=lambda end: abs(end[1] - wanted))


def noise_and_messages(bed, load, machine, side):
    """The machine with the noise with which a side's ranks wait as long as they did: Comm and Kspace together are those
    of the run. If they are longer even without noise, messages are cheaper: those of MPI, or it is not so dear to take
    atoms out of a message of TOFU, since they may land in place."""
    run = bed.on_all(side)
    noise, cheap = NAMES[side]
    wanted = sum(run.sections[name] for name in WAITING)

    def lasting(values):
        sections, _ = bed.model(load, machine.with_values(values), run)
        return sum(sections[name] for name in WAITING)

    found, there = root(lambda value: lasting({noise: value}), wanted, 0.0, MOST_NOISE)
    values = {noise: found}
    if found == 0.0 and there > wanted:
        values[cheap], _ = root(lambda value: lasting({noise: 0.0, cheap: value}), wanted, 0.0, machine[cheap])
    return machine.with_values(values)


def refine(bed, load, machine):
    """The workload and the machine of the runs, as far as they have several ranks."""
    machine = machine._replace(figures={**machine.figures, NAMES[STOCK][0]: machine.figures[NAMES[OURS][0]]._replace(
        source="time that ranks waited for each other, stock LAMMPS")})
    for _ in range(ROUNDS):
        load = kernels(bed, load, machine)
        for side in NAMES:
            if bed.on_all(side):
                machine = noise_and_messages(bed, load, machine, side)
    return kernels(bed, load, machine), machine


def answer(job, path):
    """Carry out a job, and write the workload and the figures of the machine."""
    machine = figures.from_words(job["machine"])
    bed = Bed([Run(**run) for run in job["runs"]], Positions(job["positions"]) if job["positions"] else None)
    load, refined = refine(bed, workload.from_words(job["load"]), machine)
    cache.write_json(path, {"load": workload.as_words(load), "figures": {
        name: list(one) for name, one in refined.figures.items() if one != machine.figures.get(name)}})
