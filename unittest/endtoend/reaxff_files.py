# SPDX-License-Identifier: GPL-2.0-only
"""Files of ReaxFF: a small box of water, and damaged force fields by a number: other values, signs and counts, missing,
doubled and swapped words and lines, truncated files."""

import random
import re
from typing import List

import numpy as np

NUMBER = re.compile(r"-?\d+\.\d*")
COUNT = re.compile(r"\d+")

VALUES = ("0.0", "-1.0", "1e-9", "1e9", "-1e9", "1e300", "1e-300", "-0.0")
"""What a parameter may become."""

NO_NUMBERS = ("x", "1e999", "nan", "1.5.2", "-", "0x10")


WATER = """\
Water

{natoms} atoms
2 atom types

0.0 {side} xlo xhi
0.0 {side} ylo yhi
0.0 {side} zlo zhi

Masses

1 15.9994
2 1.008

Atoms # charge

"""

NEAREST, SIDE = 1.5, 13.5
"""Least distance between atoms of two molecules, and side of the box of water [Angstrom]."""


def molecules_in(text: str) -> np.ndarray:
    """Molecules of LAMMPS' water in one piece: [molecules, 3, 3] positions of the oxygen and of the two hydrogen atoms
    that are nearest to it. IDs do not tell: atoms have changed their molecules. The few ions are left out."""
    side = float(text.split("xlo")[0].split()[-1])
    rows = [line.split() for line in text.split("Atoms")[1].split("Velocities")[0].splitlines()[2:] if line.split()]
    rows.sort(key=lambda row: int(row[0]))
    kinds, places = np.array([row[1] for row in rows]), np.array([row[3:6] for row in rows], dtype=float)
    oxygen, hydrogen = places[kinds == "1"], places[kinds == "2"]
    apart = hydrogen[:, None] - oxygen[None]
    apart -= side * np.round(apart / side)
    owner = np.linalg.norm(apart, axis=-1).argmin(axis=1)
    found = []
    for i, center in enumerate(oxygen):
        own = np.flatnonzero(owner == i)
        if len(own) == 2:
            found.append([center, *(center + apart[own, i])])
    return np.array(found)


def write_water(examples, path, nmolecules: int = 70, side: float = SIDE) -> None:
    """Write a data file with a cube of LAMMPS' water, periodic: molecules with their oxygen in the cube, without those
    that come too near to others over the periodic borders.

    Raises:
        ValueError: There is no room for so many.
    """
    chosen: List[np.ndarray] = []
    for molecule in molecules_in((examples / "water" / "data.water").read_text()):
        if not np.all((0.0 <= molecule[0]) & (molecule[0] < side)) or len(chosen) == nmolecules:
            continue
        apart = molecule[None, :, None] - np.array(chosen)[:, None] if chosen else np.full((1, 1, 1, 3), side)
        apart = apart - side * np.round(apart / side) if chosen else apart
        if np.min(np.linalg.norm(apart, axis=-1)) >= NEAREST:
            chosen.append(molecule)
    if len(chosen) < nmolecules:
        raise ValueError(f"{len(chosen)} molecules fit into a cube of {side}, {nmolecules} are asked for")
    lines = [f"{3 * i + k + 1} {1 if k == 0 else 2} 0.0 {' '.join(f'{x % side:.10f}' for x in molecule[k])}"
             for i, molecule in enumerate(chosen) for k in range(3)]
    path.write_text(WATER.format(natoms=len(lines), side=side) + "\n".join(lines) + "\n")


def damaged(text: str, number: int) -> str:
    """The file with one to some ten changes.

    Args:
        text: a force field.
        number: of the damage; the same number has the same changes.
    """
    w = random.Random(number)
    lines = text.split("\n")
    for _ in range(w.choice((1, 1, 2, 5, 12))):
        if w.random() < 0.96:
            _damage_word(w, lines)
        else:
            _damage_lines(w, lines)
    text = "\n".join(lines)
    return text[:w.randrange(len(text))] if w.random() < 0.02 else text


def _damage_word(w: random.Random, lines: List[str]) -> None:
    """Change a word before the comment of a line. Counts stay small: LAMMPS' tables grow with the fourth power of the
    number of elements."""
    row = w.randrange(1, len(lines))
    line, mark, comment = lines[row].partition("!")
    words = line.split()
    if not words:
        return
    k = w.randrange(len(words))
    if COUNT.fullmatch(words[k]) and len(words) == 1 and w.random() < 0.8:
        return    # most files are still read
    if COUNT.fullmatch(words[k]):
        words[k] = w.choice(("0", "-1", "1", "7", str(int(words[k]) + 1), str(int(words[k]) - 1)))
    elif w.random() < 0.02:
        del words[k]
    elif w.random() < 0.02:
        words[k] = w.choice(NO_NUMBERS)
    elif NUMBER.fullmatch(words[k]) and w.random() < 0.6:
        words[k] = f"{float(words[k]) * w.choice((-1.0, 0.0, 0.1, 0.5, 1.5, 10.0, -100.0)):.4f}"
    else:
        words[k] = w.choice(VALUES)
    lines[row] = " ".join(words) + (f" {mark}{comment}" if mark else "")


def _damage_lines(w: random.Random, lines: List[str]) -> None:
    row, other = (w.randrange(1, len(lines)) for _ in range(2))
    change = w.choice(("delete", "double", "swap", "empty"))
    if change == "delete":
        del lines[row]
    elif change == "double":
        lines.insert(row, lines[row])
    elif change == "swap":
        lines[row], lines[other] = lines[other], lines[row]
    else:
        lines[row] = ""
