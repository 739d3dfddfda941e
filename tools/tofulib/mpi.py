# SPDX-License-Identifier: GPL-2.0-only
"""The two MPI libraries, which may live side by side on one machine, and how to start programs with them."""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

from . import shell

#: Arguments that make the compiler wrapper of each library identify itself, and a part of its answer.
IDENTITY = {"openmpi": (["--showme:version"], "Open MPI"), "mpich": (["-show"], "mpich")}


class Mpi(NamedTuple):
    """One MPI library."""

    name: str
    cxx: str         #: compiler wrapper for C++
    cc: str          #: compiler wrapper for C
    launcher: str    #: program that starts ranks
    fc: str = ""     #: compiler wrapper for Fortran; empty if there is none


def find(name):
    """The MPI library of that name, or None.

    Debian installs programs as mpicxx.openmpi and mpicxx.mpich; elsewhere plain mpicxx reports its library.
    """
    for suffix in (f".{name}", ""):
        programs = [shutil.which(program + suffix) for program in ("mpicxx", "mpicc", "mpirun")]
        if all(programs) and is_a(name, programs[0]):
            return Mpi(name, *programs, shutil.which("mpifort" + suffix) or "")
    return None


def is_a(name, wrapper):
    """Whether the compiler wrapper belongs to that MPI library."""
    arguments, sign = IDENTITY[name]
    answer = shell.attempt([wrapper, *arguments])
    return sign.lower() in (answer.stdout + answer.stderr).lower()


def cores():
    """Number of physical cores and of logical processors that this process may use."""
    logical = os.sched_getaffinity(0)
    return physical(logical), len(logical)


def cores_of_machine():
    """Number of physical cores of this machine, whoever may use them."""
    return physical(range(os.cpu_count() or 1))


def physical(processors):
    """Number of physical cores of some logical processors."""
    found = set()
    for cpu in processors:
        topology = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology")
        try:
            found.add(((topology / "physical_package_id").read_text(), (topology / "core_id").read_text()))
        except OSError:
            found.add(cpu)
    return len(found)


def launch(library, ranks, threads=1):
    """Words that start a program on a number of ranks: pinned if there is a core for each thread, else free.

    Args:
        library: An Mpi.
        ranks: Number of ranks.
        threads: Threads of each rank.
    """
    pinned = ranks * threads <= cores()[0]
    if library.name == "mpich":
        binding = ["-bind-to", f"core:{threads}" if pinned else "none"]
    elif pinned:
        binding = ["--map-by", f"slot:PE={threads}", "--bind-to", "core"]
    else:
        binding = ["--oversubscribe", "--bind-to", "none"]
    return [*free_launch(library, binding), "-np", str(ranks)]


def free_launch(library, binding=None):
    """Words that start a program unpinned on any number of ranks; "-np N program" follows.

    Args:
        library: An Mpi.
        binding: Words to use in place of those for unpinned ranks.
    """
    words = [library.launcher]
    if library.name == "openmpi" and os.geteuid() == 0:
        words.append("--allow-run-as-root")
    if binding is None:
        binding = ["-bind-to", "none"] if library.name == "mpich" else ["--oversubscribe", "--bind-to", "none"]
    return words + binding
