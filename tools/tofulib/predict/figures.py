# SPDX-License-Identifier: GPL-2.0-only
"""Figures of a machine: each with its source, and whether that source was read or measured."""

import json
from pathlib import Path
from typing import NamedTuple

from .. import shell

FOLDER = Path(__file__).with_name("machines")
#: Kinds of figures, from the surest to the least sure.
KINDS = {"published": "printed in the source", "derived": "computed from printed figures",
         "measured": "measured with this version", "fitted": "fitted so that the model meets published figures",
         "assumed": "not verified; replace it by your own"}
#: Every machine has these. All are numbers of at least 0, times in us.
REQUIRED = {
    "node.ranks": "ranks of a node, if --ranks-per-node does not say",
    "node.threads": "threads of a rank, if --threads does not say",
    "network.latency": "of a put of 8 bytes to another node, one way, without hops",
    "network.hop": "of one switch or, on a torus, of one link beyond the first",
    "network.put": "processor time of one put",
    "network.notice": "processor time of noticing a message",
    "network.bandwidth": "of one interface, GB/s",
    "network.interfaces": "of a node",
    "shm.latency": "of a message in shared memory",
    "shm.put": "processor time of such a message, both ends together",
    "shm.bandwidth": "of one rank, GB/s",
    "mpi.message": "software of MPI per message between nodes, both ends together, beyond network.latency",
    "mpi.message_on_node": "the same within a node, beyond shm.latency",
    "mpi.pack": "of one atom into or out of a message of comm_style brick",
    "memory.pack": "of one atom into a message of comm_style p2p_rdma",
    "memory.unpack": "of one atom out of a message of comm_style p2p_rdma",
    "threads.fork_join_openmp": "of OpenMP with threads.counted threads",
    "threads.fork_join_pool": "of the pool of threads, likewise",
    "threads.counted": "number of threads that fork and join were measured with",
    "collective.round": "of a reduction: per doubling of the number of ranks",
    "collective.lateness": "of the last rank at a reduction: per factor e of the number of ranks",
    "waiting.unexplained": "of each exchange of messages, beyond what the model explains",
    "noise.relative": "standard deviation of the time in which a rank computes, relative, from step to step; "
                      "noise.stock likewise of stock LAMMPS, if there is one",
    "noise.probability": "that a rank is disturbed in a step",
    "noise.mean": "mean length of a disturbance",
}
TOPOLOGIES = {"torus": 0, "fattree": 1, "dragonfly": 0}    #: with the number of further values


class Figure(NamedTuple):
    """One figure."""

    value: float
    kind: str      #: one of KINDS
    source: str


class Machine(NamedTuple):
    """Figures of a machine by name, and what is no number."""

    name: str
    topology: tuple    #: "torus"; "fattree", ports of a switch; "dragonfly"
    figures: dict      #: name -> Figure

    def __getitem__(self, name):
        return self.figures[name].value

    def unsure(self):
        """Names of the figures that have not been verified."""
        return [name for name, figure in self.figures.items() if figure.kind == "assumed"]

    def changed(self, **values):
        """A machine with other values; dots of names are double underscores."""
        return self.with_values({name.replace("__", "."): value for name, value in values.items()})

    def with_values(self, values):
        """A machine with other values by name."""
        return self._replace(figures={**self.figures, **{name: self.figures[name]._replace(value=value)
                                                         for name, value in values.items()}})


def as_words(machine):
    """What JSON can hold."""
    return {"name": machine.name, "topology": machine.topology,
            "figures": {name: list(figure) for name, figure in machine.figures.items()}}


def from_words(words):
    """The machine that as_words() was made of."""
    return Machine(words["name"], tuple(words["topology"]),
                   {name: Figure(*figure) for name, figure in words["figures"].items()})


def known():
    """Names of the machines that are delivered."""
    return sorted(path.stem for path in FOLDER.glob("*.json") if not path.stem.startswith("kernels-"))


def read(name):
    """A machine.

    Args:
        name: One that is delivered, or a file.

    Raises:
        shell.Failure: There is no such file, or a figure is missing or has no meaning.
    """
    path = find(name)
    content = read_json(path)
    figures = read_figures(content, path)
    if "kernels" in content:
        figures.update(read_figures(read_json(path.with_name(content["kernels"])), content["kernels"]))
    missing = [key for key in REQUIRED if key not in figures]
    if missing:
        raise shell.Failure(f"machine file {path}: it lacks {', '.join(missing)}; --machine FILE needs every figure "
                            f"that {FOLDER.name}/fugaku.json has")
    for key in ("network.bandwidth", "network.interfaces", "shm.bandwidth", "node.ranks", "node.threads",
                "threads.counted"):
        if figures[key].value <= 0.0:
            raise shell.Failure(f"machine file {path}: {key} is {figures[key].value:g}; it must be above 0")
    topology = tuple(content.get("topology", ()))
    if not topology or topology[0] not in TOPOLOGIES or len(topology) != 1 + TOPOLOGIES[topology[0]]:
        raise shell.Failure(f"machine file {path}: topology is {json.dumps(list(topology))}; it is [\"torus\"], "
                            f"[\"fattree\", ports of a switch] or [\"dragonfly\"]")
    return Machine(content.get("name", path.stem), topology, figures)


def find(name):
    """The file of a machine."""
    for path in (Path(name), FOLDER / f"{name}.json"):
        if path.is_file():
            return path
    raise shell.Failure(f"there is no machine file {name}. Give a file, or one of those that are delivered: "
                        f"{', '.join(known())}")


def read_json(path):
    """Content of a file of figures."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise shell.Failure(f"machine file {path}: {error}") from None
    if not isinstance(content, dict) or not isinstance(content.get("figures"), dict):
        raise shell.Failure(f"machine file {path}: it has no \"figures\"")
    return content


def read_figures(content, path):
    """All figures of a file."""
    found = {}
    for name, words in content["figures"].items():
        try:
            figure = Figure(float(words["value"]), words["kind"], words["source"])
        except (TypeError, KeyError, ValueError):
            raise shell.Failure(f"machine file {path}: {name} is {words!r}; it needs a value, a kind "
                                f"({', '.join(KINDS)}) and a source") from None
        if figure.kind not in KINDS or not figure.source or not 0.0 <= figure.value < float("inf"):
            raise shell.Failure(f"machine file {path}: {name} is {words!r}; a value is at least 0, a kind is one of "
                                f"{', '.join(KINDS)}, and a source is no empty text")
        found[name] = figure
    return found
