# SPDX-License-Identifier: GPL-2.0-only
"""What is computed: a box of atoms, its kernels, and how often ranks exchange, reduce and build lists."""

import json
from pathlib import Path
from typing import NamedTuple

from .. import cache, shell
from . import figures

STOCK, OURS = "stock", "tofu"
#: Sections whose time is that of computing; Neigh is per build of the lists, all others per step.
COMPUTING = ("Pair", "Bond", "Neigh", "Modify", "Other")
#: Term "atom" of Rebuild, in section Comm: when atoms change owner and ghosts are new, beyond messages and copies.
#: Terms of section Kspace, without messages: constant + atom * atoms + fft * points of transforms * their logarithm.
#: Terms of a kernel: time = constant + atom * atoms / threads + ghost * ghosts / threads + forks * fork and join, and
#: shared, where there are several ranks.
#: Of the neighbor check of the suffix, counted: LJ 1.9, copper 2.2.
REDUCTIONS_PER_REBUILD = 2.0
#: Way to balance that makes a tiled layout.
RCB = "rcb"


class Workload(NamedTuple):
    """A system of atoms and what a step of it does."""

    name: str
    atoms: int
    box: tuple                   #: lengths [distance]
    cut: float                   #: how far ghosts are needed [distance]
    timestep: float
    unit: str                    #: of time, as in "ns"; timestep * per_day gives this unit per day
    per_unit: float              #: time units of LAMMPS in one `unit`
    rebuild_every: float         #: steps
    checks: dict                 #: side -> reductions of the neighbor check per step
    half: bool                   #: whether the half shell is possible
    kernels: dict                #: name of a figure -> Figure, "side.section.term"
    pair_exchanges: dict = {}    #: side -> (direction, bytes per atom) of each exchange within Pair
    reverses: dict = {STOCK: 1.0, OURS: 1.0}    #: side -> exchanges of forces per step; 0 with full neighbor lists
    spread: float = 0.0          #: variance of the atoms per rank divided by their mean
    reductions: dict = {STOCK: 0.0, OURS: 0.0}    #: side -> reductions of fixes per step, one after the other
    thermo_every: float = 0.0    #: steps; 0: never
    thermo_reductions: float = 5.0
    border_bytes: int = 48       #: per atom when ghosts are new
    mesh: dict = {}              #: of a long-range part: points, order, reach, fields, offload; empty: none
    periodic: tuple = (True, True, True)    #: along each dimension
    balance: str = ""            #: dimensions whose walls fix balance or balance shifts, as in "xyz", or RCB
    skin: float = 0.0            #: of neighbor lists, the shortest sub-box of fix balance [distance]
    fix_exchanges: dict = {}     #: as pair_exchanges, within Modify
    charges: dict = {}           #: side -> (exchanges to ghosts, back, reductions) of charge equilibration per step
    stock_suffix: str = ""       #: package of LAMMPS on the stock side, "none" without one; empty: not known

    def kernel(self, side, section, term):
        """A term of a kernel [us]; 0 if it has no such term."""
        figure = self.kernels.get(f"{side}.{section}.{term}")
        return figure.value if figure else 0.0

    def alone(self):
        """The workload without what is there on several ranks of the machine of the short runs only."""
        return self._replace(kernels={name: one for name, one in self.kernels.items() if not name.endswith(".shared")})

    def seconds_per_day(self, microseconds):
        """Simulated time per day, in `unit`, for a time per step."""
        return self.timestep / self.per_unit * 86400.0e6 / microseconds


def kernels_of(machine, system):
    """Kernels of one of the systems of a machine.

    Raises:
        shell.Failure: The machine has none.
    """
    start = f"kernels.{system}."
    found = {name[len(start):]: figure for name, figure in machine.figures.items() if name.startswith(start)}
    if not found:
        raise shell.Failure(f"machine {machine.name} has no kernels of {system}; give an INPUT, whose kernels are then "
                            f"measured here")
    return found


def as_words(workload):
    """What JSON can hold."""
    words = workload._asdict()
    words["kernels"] = {name: list(figure) for name, figure in workload.kernels.items()}
    return words


def from_words(words):
    """The workload that as_words() was made of."""
    kernels = {name: figures.Figure(*figure) for name, figure in words["kernels"].items()}
    if not isinstance(words["reductions"], dict):
        raise TypeError("it is from an earlier version")
    exchanges = {kind: {side: tuple(map(tuple, found)) for side, found in words.get(kind, {}).items()}
                 for kind in ("pair_exchanges", "fix_exchanges")}
    exchanges["charges"] = {side: tuple(counts) for side, counts in words.get("charges", {}).items()}
    return Workload(**{**words, "box": tuple(words["box"]), "kernels": kernels,
                       "periodic": tuple(words.get("periodic", (True,) * 3)), **exchanges})


def save(path, load, measured):
    """Write what short runs gave: a workload and figures of the machine by name."""
    cache.write_json(path, {"load": as_words(load), "figures": {name: list(one) for name, one in measured.items()}})


def read(path):
    """What save() has written: a workload and figures of the machine.

    Raises:
        shell.Failure: It is no such file.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        measured = {name: figures.Figure(*words) for name, words in content["figures"].items()}
        return from_words(content["load"]), measured
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise shell.Failure(f"{path} is no file that 'predict --save' has written: {error}") from None
