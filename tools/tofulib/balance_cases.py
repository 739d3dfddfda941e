# SPDX-License-Identifier: GPL-2.0-only
"""Inputs of bench --balance: a slab and a droplet of liquid that leave most of the box to vapor, and the ways to
balance them."""

import itertools
import math
import random
from typing import NamedTuple

from . import bench, cache, threads, trial

CORES = bench.RANKS

STOCK, OURS = "stock", "ours"

#: Steps between two decisions of LAMMPS' balancing, and max/average of atoms per rank above which a way balances anew.
EVERY, THRESHOLD = 100, 1.05
#: Nevery of fix ring/balance: it decides when lists are next built after so many steps. A decision costs two numbers of
#: each rank, and with 50 atoms per rank a plan is out of date after some 20 steps.
EVERY_OF_RING = 10
#: Longest edge of the box, in diameters of the droplet or thicknesses of the slab: vapor between the images is thicker
#: than the cut-off.
ROOM = {"drop": 1.6, "slab": 3.0}
#: Distance of the liquid from the middle of the box: in radii of the droplet along each of x, y and z, or in
#: thicknesses of the slab along z, so that one of two ranks has four fifths of the atoms.
SHIFTS = {"drop": 0.5, "slab": 0.35}


class Potential(NamedTuple):
    """Parameters of a liquid for LAMMPS."""

    commands: str          #: units and pair style
    coefficients: str
    skin: float            #: distance
    timestep: float
    temperature: float     #: slightly above melting, since small droplets boil earlier
    damp: float            #: damping time of the thermostat while the liquid settles
    lattice: float         #: edge of the fcc cell that it is made from [distance]
    mass: float
    steps: dict            #: number of timed steps, by atoms of a rank; few enough that a small droplet stays in place


POTENTIALS = {
    "lj": Potential("units lj\natom_style atomic\npair_style lj/cut 2.5\n", "pair_coeff 1 1 1.0 1.0\n", 0.3, 0.005,
                    0.65, 1.0, 1.71, 1.0,
                    {50: 5000, 200: 3000, 1000: 1000, 10000: 100}),
    "eam": Potential("units metal\natom_style atomic\npair_style eam\n", "pair_coeff 1 1 Cu_u3.eam\n", 1.0, 0.005,
                     1500.0, 0.1, 3.7, 63.55,
                     {50: 3000, 200: 1200, 1000: 300, 10000: 30}),
}


class Way(NamedTuple):
    """One way to balance, or the way without balancing."""

    name: str
    side: str              #: STOCK or OURS
    comm: str              #: command before the box is made
    balance: str           #: commands when the atoms are there


SHIFT = f"fix even all balance {EVERY} {THRESHOLD} shift xyz 10 {THRESHOLD}"
RCB = f"balance {THRESHOLD} rcb\nfix even all balance {EVERY} {THRESHOLD} rcb"
RING = f"fix ring all ring/balance {EVERY_OF_RING} {THRESHOLD}"
#: Values of fix ring/balance that the result keeps, by their meaning.
RING_COLUMNS = {"before": "f_ring[1]", "after": "f_ring[2]", "handed over": "f_ring[3]", "extra ghosts": "f_ring[4]",
                "extra bytes": "f_ring[5]"}

WAYS = {way.name: way for way in (
    Way("stock none", STOCK, "", ""), Way("stock shift", STOCK, "", SHIFT),
    Way("stock rcb", STOCK, "comm_style tiled", RCB),
    Way("p2p none", OURS, "", ""), Way("p2p shift", OURS, "", SHIFT), Way("p2p ring", OURS, "", RING))}


def packages(way):
    """Arguments of LAMMPS by package: for a stock way all packages, with one thread per rank; for the other ways the
    suffix threadpool."""
    ours = way.side == OURS
    return {one.suffix or "none": one.arguments for one in threads.configurations().values() if one.ranks == CORES
            and (one.suffix == "threadpool") == ours}


class Case(NamedTuple):
    """One case: a liquid and a size, on all ranks."""

    shape: str             #: drop or slab
    potential: str
    size: int              #: atoms of a rank, on average
    steps: int

    @property
    def name(self):
        """Name in tables and on the command line."""
        return f"{self.shape}.{self.potential}.{self.size}"

    @property
    def atoms(self):
        """Number of atoms of all ranks."""
        return self.size * CORES


CASES = {case.name: case for case in (
    Case(shape, potential, size, steps) for shape, potential in itertools.product(ROOM, POTENTIALS)
    for size, steps in POTENTIALS[potential].steps.items())}


def liquid(shape, natoms, edge):
    """Points of an fcc lattice that fill a sphere or a slab around the middle of a box.

    Args:
        shape: drop or slab.
        natoms: Number of points.
        edge: Edge of the fcc cell [distance].

    Returns:
        Edges of the box [distance], radius or thickness of the liquid [distance], and the points, which are relative to
        the middle.
    """
    across = max(round((natoms / 4) ** (1 / 3)), 3)
    if shape == "drop":
        size = edge * (3 * natoms / (16 * math.pi)) ** (1 / 3)
        box = [2 * ROOM[shape] * size] * 3
        span, far = [across + 2] * 3, lambda point: (math.dist(point, (0, 0, 0)), point)
    else:
        size = edge * natoms / (4 * across**2)
        box = [edge * across, edge * across, ROOM[shape] * size]
        span, far = [across, across, math.ceil(size / edge) + 2], lambda point: (abs(point[2]), point)
    points = [[edge * (cell + part + 0.25 - count / 2) for cell, part, count in zip(cells, parts, span)]
              for cells in itertools.product(*map(range, span))
              for parts in ((0, 0, 0), (0, 0.5, 0.5), (0.5, 0, 0.5), (0.5, 0.5, 0))]
    return box, size, sorted(points, key=far)[:natoms]


# scripts; parts that several scripts share come first

FORCES = """\
mass 1 {mass}
{coefficients}neighbor {skin} bin
neigh_modify every 1 delay 5 check yes
timestep {timestep}
fix integrate all nve
"""

SETTLE = """\
{commands}read_data {lattice_data}
""" + FORCES + """\
velocity all create {hot} 87287
fix heat all langevin {temperature} {temperature} {damp} 48279
fix still all momentum 10 linear 1 1 1
run {steps}
velocity all zero linear
write_data {data} nocoeff
"""

SCRIPT = """\
{commands}@comm@
read_data {data}
displace_atoms all move {move} units box
""" + FORCES + """\
@balance@
thermo_style custom step temp pe press @columns@
thermo 0
run {warm_up}
run {steps}
"""


def script_of(case, data):
    """The input of a case, with @comm@, @balance@ and @columns@ in it; it runs once to settle memory and
    caches, and once to measure."""
    potential = POTENTIALS[case.potential]
    shift = SHIFTS[case.shape] * liquid(case.shape, case.atoms, potential.lattice)[1]
    move = " ".join(f"{-shift if case.shape == 'drop' or axis == 'z' else 0:.6g}" for axis in "xyz")
    return SCRIPT.format(**{**potential._asdict(), "data": data, "move": move, "steps": case.steps,
                            "warm_up": math.ceil(bench.WARM_UP * case.steps)})


def fill(script, way):
    """The input of a way."""
    columns = " ".join(RING_COLUMNS.values()) if way.balance.startswith(RING) else ""
    return script.replace("@comm@", way.comm).replace("@balance@", way.balance).replace("@columns@", columns)


def liquid_data(case, lammps):
    """A data file of liquid that has settled in the middle of the box, made once for each program.

    Returns:
        Its path.
    """
    folder = cache.folder("bench")
    label = f"balance.{case.shape}.{case.potential}.{case.atoms}"
    data = folder / f"data.{label}.{lammps.source.release}"
    if data.exists():
        return data
    potential = POTENTIALS[case.potential]
    lattice, fresh = folder / f"lattice.{label}", folder / f"{data.name}.{random.getrandbits(32):x}"
    write_lattice(lattice, *liquid(case.shape, case.atoms, potential.lattice))
    numbers = {**potential._asdict(), "hot": 2 * potential.temperature, "steps": settling_steps(case.atoms)}
    trial.runs_of(lammps, label, SETTLE.format(**numbers, lattice_data=lattice, data=fresh), CORES,
                  ("-sf", "opt"))
    fresh.rename(data)
    return data


def settling_steps(natoms):
    """Number of steps, enough for the liquid to melt and for vapor to fill the box. The time that this takes grows
    little with size; the work is some seconds."""
    return round(min(8000, max(1000, 4e6 / natoms)))


def write_lattice(path, box, _, points):
    """Write a data file with atoms at these points.

    Args:
        path: The file.
        box: Edges of the box [distance].
        points: Positions relative to the middle [distance].
    """
    head = ["lattice", "", f"{len(points)} atoms", "1 atom types", ""]
    edges = [f"{-edge / 2:.8f} {edge / 2:.8f} {axis}lo {axis}hi" for axis, edge in zip("xyz", box)]
    atoms = [f"{number} 1 {x:.8f} {y:.8f} {z:.8f}" for number, (x, y, z) in enumerate(points, 1)]
    path.write_text("\n".join([*head, *edges, "", "Atoms # atomic", "", *atoms, ""]), encoding="utf-8")
