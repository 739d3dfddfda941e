# SPDX-License-Identifier: GPL-2.0-only
"""Read a log of LAMMPS: thermo tables and timing breakdowns."""

import re
from typing import NamedTuple

from . import shell

#: Sections of the MPI task timing breakdown, in LAMMPS' order; a run prints those that it has.
SECTIONS = ("Pair", "Bond", "Kspace", "Neigh", "Comm", "Output", "Modify", "Other")
#: LAMMPS' words where a run begins.
BEGINS = "Per MPI rank memory allocation"
#: LAMMPS' words where `timer timeout` has ended a run.
WAS_CUT = "Wall time limit reached"


class Run(NamedTuple):
    """One run command in a log."""

    columns: list          #: names of the thermo columns
    rows: list             #: thermo rows, as floats
    seconds: float         #: loop time [s]
    ranks: int
    steps: int
    atoms: int
    sections: dict         #: average time over the ranks of each section [s]
    least: dict            #: time of each section on the rank that needs least [s]
    cpu_use: float         #: processor time of the ranks divided by wall time, as LAMMPS gives it [%]
    held: dict = {}        #: "Nlocal", "Nghost" of the ranks at the end: (average, most)


def read(path):
    """All runs in a log file.

    Raises:
        shell.Failure: LAMMPS stopped with an error or never finished a run.
    """
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    error = error_in(text)
    if error:
        raise shell.Failure(f"LAMMPS stopped: {error}\nIts log: {path}")
    runs = runs_in(text)
    if not runs:
        raise shell.Failure(f"found no finished run in {path}")
    return runs


def error_in(text):
    """LAMMPS' message and the line after it, which names the command; empty if there is none."""
    error = re.search(r"^ERROR.*(?:\n.*)?", text, re.MULTILINE)
    return error.group(0) if error else ""


def runs_in(text):
    """All finished runs in the text of a log."""
    blocks = re.split(rf"^{BEGINS}.*\n", text, flags=re.MULTILINE)[1:]
    return [run for run in map(read_run, blocks) if run]


def read_run(block):
    """Read one run from the text below its memory line; None if it has not finished.

    Runs with `pre no`, and the parts of one with `every`, follow without a memory line: they are one run here.
    """
    table, _, rest = block.partition("Loop time of ")
    loops = re.findall(r"^Loop time of (\S+) on (\d+) procs? for (\d+) steps with (\d+) atoms", block, re.MULTILINE)
    if not loops:
        return None
    columns, rows = read_table(table)
    sections, least = {}, {}
    for name in SECTIONS:
        found = re.findall(rf"^{name} +\|([^|]*)\|([^|]*)\|", rest, re.MULTILINE)
        if len(found) == len(loops):    # `post no` prints none
            sections[name] = sum(float(average) for _, average in found)
            least[name] = sum(float(minimum.strip() or "nan") for minimum, _ in found)    # section Other has none
    cpu_use = re.search(r"^([\d.]+)% CPU use", rest, re.MULTILINE)
    held = {name: (float(average), float(most)) for name, average, most in
            re.findall(r"^(Nlocal|Nghost): +(\S+) ave +(\S+) max", rest, re.MULTILINE)}
    return Run(columns, rows, sum(float(seconds) for seconds, *_ in loops), int(loops[0][1]),
               sum(int(steps) for _, _, steps, _ in loops), int(loops[0][3]), sections, least,
               float(cpu_use.group(1)) if cpu_use else 100.0, held)


def read_table(text):
    """Names and rows of a thermo table of style one, custom, multi or yaml."""
    if re.search(r"^-+ Step +", text, re.MULTILINE):
        return read_multi(text)
    keywords = re.search(r"^keywords: \[(.*)\]$", text, re.MULTILINE)
    if keywords:
        columns = [name.strip("' ") for name in keywords.group(1).split(",") if name.strip("' ")]
        candidates = [row.replace(",", " ") for row in re.findall(r"^  - \[(.*)\]$", text, re.MULTILINE)]
    else:
        first, *candidates = text.splitlines() or [""]
        columns = first.split()
    return columns, [numbers for numbers in map(as_numbers, candidates) if len(numbers) == len(columns)]


def read_multi(text):
    """Names and rows of a thermo table of style multi: a block of lines with "name = value" for each step."""
    columns, rows = [], []
    for block in re.split(r"^-+ Step +", text, flags=re.MULTILINE)[1:]:
        step = block.split(maxsplit=1)[0]
        pairs = [("Step", step), *re.findall(r"(\S+) += +(\S+)", block.partition("\n")[2])]
        numbers = as_numbers(" ".join(value for _, value in pairs))
        columns = columns or [name for name, _ in pairs]
        if len(numbers) == len(columns):
            rows.append(numbers)
    return columns, rows


def as_numbers(line):
    """A thermo row as floats; empty for a line that is something else, such as a warning."""
    try:
        return [float(word) for word in line.split()]
    except ValueError:
        return []
