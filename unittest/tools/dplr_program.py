# SPDX-License-Identifier: GPL-2.0-only
"""Water with long-range deep potentials on Fugaku: a model of the program of the DPLR paper.

"51 ns/day", molecular dynamics with long-range deep potentials on Fugaku. The transforms that its program sends by MPI
are those of LAMMPS' pppm; those that it sums in the network go round a ring of nodes for each plane of points. Its
networks have no kernels here: what they need is fitted. unittest/tools/dplr_paper.py has the printed results.
"""

from tofulib.predict.figures import Figure

#: Nodes along the box.
NODES = {12: (2, 3, 2), 96: (4, 6, 4), 768: (8, 12, 8), 4608: (16, 18, 16), 8400: (20, 21, 20)}
#: Points of a node along each dimension.
POINTS = 4
TRANSFORMS = 4    #: of a step, one forward and three back
VALUES_OF_A_REDUCTION = 12

FIGURES = {
    "atoms of a node": Figure(47, "published", "sec. 4.3"),
    "values of a reduction": Figure(VALUES_OF_A_REDUCTION, "published", "sec. 3.1, packed int32"),
    "transforms of a step": Figure(TRANSFORMS, "published", "sec. 3.1, Poisson-IK"),
    "latency of a relay, us": Figure(0.49, "assumed", "that of a put, network.latency; a relay need not take as long"),
    "reductions of a ring at once": Figure(1, "assumed", "a gate is busy until the sum has gone round"),
    "message of FFT-MPI, us": Figure(3.29, "fitted", "mpi.message of fugaku.json, fitted to LJ of another paper"),
    "short-range forces, us": Figure(827, "fitted", "8 % more force time with overlap, 768 nodes, sec. 4.3"),
    "long-range part without transforms, us": Figure(290, "fitted", "35 % from overlap, 96 nodes, sec. 4.3"),
    "all else in a step, us": Figure(863, "fitted", "51 ns/day, 12 nodes, abstract"),
}


def reductions(points):
    """Reductions of a ring: real and imaginary parts of a node's points."""
    return -(-2 * points**3 // VALUES_OF_A_REDUCTION)


def ring_sums(nodes, points):
    """Time of all transforms of a step by sums in the network [us]."""
    return (TRANSFORMS * reductions(points) * sum(NODES[nodes]) * FIGURES["latency of a relay, us"].value /
            FIGURES["reductions of a ring at once"].value)


def long_range(nodes, points=POINTS):
    """Time of the long-range part of a step [us]."""
    return FIGURES["long-range part without transforms, us"].value + ring_sums(nodes, points)


def step(nodes, overlap=True):
    """Time of a step, atoms dealt evenly [us]."""
    short, other = FIGURES["short-range forces, us"].value, FIGURES["all else in a step, us"].value
    return other + (max(short, long_range(nodes)) if overlap else short + long_range(nodes))
