# SPDX-License-Identifier: GPL-2.0-only
"""Read a log of LAMMPS: thermo tables and timing breakdowns."""

import re
from typing import NamedTuple

from . import shell

#: Sections of the MPI task timing breakdown, in LAMMPS' order; a run prints those that it has.
SECTIONS = ("Pair", "Bond", "Kspace", "Neigh", "Comm", "Output", "Modify", "Other")


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
    error = re.search(r"^ERROR.*(?:\n.*)?", text, re.MULTILINE)
    if error:
        raise shell.Failure(f"LAMMPS stopped: {error.group(0)}\nIts log: {path}")
    runs = [read_run(block) for block in re.split(r"^Per MPI rank memory allocation.*\n", text, flags=re.MULTILINE)[1:]
            if "Loop time of" in block]
    if not runs:
        raise shell.Failure(f"found no finished run in {path}")
    return runs


def read_run(block):
    """Read one run from the text below its memory line."""
    table, _, rest = block.partition("Loop time of ")
    columns, rows = read_table(table)
    head = re.match(r"(\S+) on (\d+) procs? for (\d+) steps with (\d+) atoms", rest)
    seconds, ranks, steps, atoms = head.groups()
    sections, least = {}, {}
    for name in SECTIONS:
        found = re.search(rf"^{name} +\|([^|]*)\|([^|]*)\|", rest, re.MULTILINE)
        if found:
            sections[name] = float(found.group(2))
            least[name] = float(found.group(1).strip() or "nan")    # section Other has no minimum
    cpu_use = re.search(r"^([\d.]+)% CPU use", rest, re.MULTILINE)
    held = {name: (float(average), float(most)) for name, average, most in
            re.findall(r"^(Nlocal|Nghost): +(\S+) ave +(\S+) max", rest, re.MULTILINE)}
    return Run(columns, rows, float(seconds), int(ranks), int(steps), int(atoms), sections, least,
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
