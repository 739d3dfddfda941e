# SPDX-License-Identifier: GPL-2.0-only
"""Nodes and cores that this process may use: an allocation of Slurm, PBS or LSF, or this machine."""

import os
import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from . import mpi, shell


class Allocation(NamedTuple):
    """Nodes that a batch system has given to this job; without a batch system this machine alone."""

    scheduler: str         #: "Slurm", "PBS", "LSF", or "" without a batch system
    cores: tuple           #: cores of each node
    hosts: tuple = ()      #: names of the nodes, if the launcher needs them

    @property
    def nodes(self):
        """Number of nodes."""
        return len(self.cores)

    @property
    def total(self):
        """Number of cores of all nodes."""
        return sum(self.cores)

    @property
    def name(self):
        """The allocation in words."""
        if not self.scheduler:
            return f"this machine, {count(self.total, 'core')}"
        return f"{self.scheduler} allocation of {count(self.nodes, 'node')}, {count(self.total, 'core')}"

    def room_for(self, ranks, threads):
        """Whether all ranks with these threads have a core for each thread, evenly dealt to the nodes."""
        return self.ranks_per_node(ranks) * threads <= min(self.cores)

    def ranks_per_node(self, ranks):
        """Ranks on each node, the same on all but perhaps the last."""
        return -(-ranks // self.nodes)


def count(number, thing):
    """A number with its noun: "1 core", "2 cores"."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def find(variables=None):
    """The allocation that the environment describes.

    Args:
        variables: Environment variables; without them those of this process.

    Raises:
        shell.Failure: A batch system is there but its variables are not as expected.
    """
    variables = os.environ if variables is None else variables
    for present, read in (("SLURM_JOB_ID", slurm), ("PBS_JOBID", pbs), ("LSB_JOBID", lsf)):
        if variables.get(present):
            return read(variables)
    return Allocation("", (mpi.cores()[0],))


def slurm(variables):
    """Slurm gives processors of its nodes as "48(x2),24". With two hardware threads a core these are twice the
    cores."""
    text = variables.get("SLURM_JOB_CPUS_PER_NODE", "")
    parts = [re.fullmatch(r"(\d+)(?:\(x(\d+)\))?", part) for part in text.split(",")]
    if not all(parts):
        raise shell.Failure(f"SLURM_JOB_CPUS_PER_NODE={text!r} is not like 48(x2),24; "
                            f"start the ranks with --launch 'srun -n {{ranks}} -c {{threads}}'")
    share = hardware_threads()
    cores = [max(1, int(part.group(1)) // share) for part in parts for _ in range(int(part.group(2) or 1))]
    return Allocation("Slurm", tuple(cores))


def pbs(variables):
    """PBS lists its nodes in a file: a line for each processor, or for each rank with NCPUS processors."""
    path = Path(variables.get("PBS_NODEFILE", ""))
    names = path.read_text(encoding="utf-8").split() if path.is_file() else []
    if not names:
        raise shell.Failure(f"PBS_NODEFILE={str(path)!r} names no nodes; start the ranks with --launch")
    lines = Counter(names)
    given = variables.get("NCPUS", variables.get("PBS_NUM_PPN", ""))
    least = int(given) if given.isdigit() else 1
    return Allocation("PBS", tuple(max(number, least) for number in lines.values()), tuple(lines))


def lsf(variables):
    """LSF lists its nodes and slots as "hosta 16 hostb 16"."""
    words = variables.get("LSB_MCPU_HOSTS", "").split()
    if not words or len(words) % 2 or not all(word.isdigit() for word in words[1::2]):
        raise shell.Failure(f"LSB_MCPU_HOSTS={' '.join(words)!r} is not like 'hosta 16 hostb 16'; "
                            f"start the ranks with --launch")
    return Allocation("LSF", tuple(map(int, words[1::2])), tuple(words[::2]))


def hardware_threads():
    """Hardware threads of a core of this machine."""
    physical, logical = mpi.cores()
    return max(1, round(logical / physical))
