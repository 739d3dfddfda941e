# SPDX-License-Identifier: GPL-2.0-only
"""Printed results of the DPLR paper, and the model of its program beside them."""

from typing import NamedTuple

import numpy as np
from dplr_program import FIGURES, NODES, TRANSFORMS, long_range, ring_sums, step
from tofulib.predict.exchange import Network
from tofulib.predict.longrange import LongRange
from tofulib.predict.workload import STOCK

RANKS_OF_A_NODE = (2, 1, 2)
#: Points of a node along each dimension.
POINTS = (4, 5, 6)
TIMESTEP = 1e-6    #: ns


class Target(NamedTuple):
    """A printed figure."""

    name: str
    value: float
    bound: float       #: relative
    held_out: bool
    note: str = ""


TARGETS = (
    Target("FFT-MPI over ring sums, 4^3 points of a node", 2.0, 0.25, True, "up to 2"),
    Target("FFT-MPI over ring sums, 5^3 points of a node", 1.4, 0.25, True, "up to 1.4"),
    Target("FFT-MPI over ring sums, 6^3 points of a node", 1.0, 0.25, True, "slightly above 1"),
    Target("long-range part, 768 over 96 nodes", 2.0, 0.25, True, "nearly doubled"),
    Target("ns/day, 12 nodes, 564 atoms", 51.0, 0.02, False),
    Target("ns/day, 8,400 nodes, 403,200 atoms", 32.5, 0.25, True),
    Target("step without over with overlap, 96 nodes", 1.35, 0.02, False),
    Target("forces over short-range forces, 768 nodes", 1.08, 0.02, False),
)


class Charges(NamedTuple):
    """What LongRange needs of a workload, without any work of processors."""

    mesh: dict
    box: tuple

    def kernel(self, *_):
        """No time at all."""
        return 0.0


def by_mpi(machine, nodes, points):
    """Time of the same by LAMMPS' FFT, from bricks and back [us]."""
    message = FIGURES["message of FFT-MPI, us"].value
    machine = machine.changed(mpi__message=message, mpi__message_on_node=message, mpi__pack=0.0)
    counts = NODES[nodes]
    grid = tuple(n * r for n, r in zip(counts, RANKS_OF_A_NODE))
    network = Network(machine, grid, RANKS_OF_A_NODE, int(np.prod(RANKS_OF_A_NODE)))
    mesh = {"points": [points * n for n in counts], "order": 5, "reach": 1.0, "fields": TRANSFORMS - 1}
    one = LongRange(Charges(mesh, tuple(map(float, grid))), network, STOCK, np.zeros(network.ranks), 1, "pppm")
    one.swaps = []    # ghost points are not in that measurement
    return float(one(np.zeros(network.ranks)).max())


def per_day(nodes):
    """Simulated time [ns]."""
    return TIMESTEP * 86400.0e6 / step(nodes)


def compare(machine):
    """All printed figures beside those of the model.

    Returns:
        A list of (Target, model, whether it is within the bound).
    """
    short = FIGURES["short-range forces, us"].value
    found = [by_mpi(machine, 768, points) / ring_sums(768, points) for points in POINTS]
    found += [long_range(768) / long_range(96), per_day(12), per_day(8400), step(96, overlap=False) / step(96),
              max(short, long_range(768)) / short]
    return [(target, one, abs(one / target.value - 1.0) <= target.bound) for target, one in zip(TARGETS, found)]
