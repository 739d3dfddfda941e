# SPDX-License-Identifier: GPL-2.0-only
"""The systems of the SC'23 paper: Li et al., "Enhance the Strong Scaling of LAMMPS on Fugaku",
10.1145/3581784.3607064. unittest/tools/sc23_paper.py has its printed results."""

from . import workload
from .step import Setting
from .workload import Workload

#: Atoms of the runs.
SMALL, LARGE, STRONG = "65K", "1.7M", "strong"
ATOMS = {("lj", SMALL): 65856, ("lj", LARGE): 1700000, ("lj", STRONG): 4194304,
         ("eam", SMALL): 65856, ("eam", LARGE): 1700000, ("eam", STRONG): 3456000}
NODES = {SMALL: 768, LARGE: 768, STRONG: 36864}
#: Rebuilds of 99 steps, counted in runs of the same inputs with stock LAMMPS.
REBUILDS = {"lj": 4 / 99, "eam": 9 / 99}
CHECKS = {"lj": 0.0, "eam": 19 / 99}
#: Atoms of a volume of the box, and how far ghosts are needed.
DENSITY = {"lj": 0.8442, "eam": 4 / 3.615**3}
CUT = {"lj": 2.8, "eam": 5.95}
#: Nodes along the box, in the ratio of the grid of ranks that the paper gives.
GRID = {768: (8, 12, 8), 2160: (12, 15, 12), 6144: (16, 24, 16), 18432: (24, 32, 24), 36864: (32, 36, 32)}
#: Variance of the atoms per rank over their mean: counted in a liquid of LJ at step 99, 28.4 atoms per rank.
SPREAD = 0.38


def system(name, machine, size=STRONG, nodes=None):
    """One of the paper's systems, with the kernels of a machine.

    Args:
        name: "lj" or "eam".
        machine: A figures.Machine.
        size: One of SMALL, LARGE, STRONG.
        nodes: The box has the shape of the grid of ranks on so many nodes, so that sub-boxes are cubes; None: a cube.
    """
    atoms = ATOMS[name, size]
    side = (atoms / DENSITY[name]) ** (1 / 3)
    box = (side, side, side)
    if nodes:
        shape = grid_of_ranks(nodes)
        unit = (atoms / DENSITY[name] / (shape[0] * shape[1] * shape[2])) ** (1 / 3)
        box = tuple(unit * n for n in shape)
    lj = name == "lj"
    kernels = workload.kernels_of(machine, name)
    of_halo = {key: kernels[f"{workload.OURS}.halo.{key}"].value for key in ("half", "reverse", "exchanges")}
    within_pair = (("reverse", 8), ("forward", 8))
    return Workload(f"{'LJ' if lj else 'EAM'} of the SC'23 paper", atoms, box, CUT[name], 0.005, "tau" if lj else "us",
                    1.0 if lj else 1e6, 1 / REBUILDS[name],
                    {workload.STOCK: CHECKS[name], workload.OURS: CHECKS[name]}, of_halo["half"] > 0.0, kernels,
                    {workload.STOCK: () if lj else within_pair,
                     workload.OURS: within_pair[:round(of_halo["exchanges"])]},
                    {workload.STOCK: 1.0, workload.OURS: of_halo["reverse"]}, SPREAD)


def grid_of_ranks(nodes):
    """Ranks along each dimension with 2 by 1 by 2 ranks of a node."""
    x, y, z = GRID[nodes]
    return 2 * x, y, 2 * z


BRICK = Setting("brick", False, 4, 12, 1)
P2P = Setting("p2p", True, 4, 12, 6)
