# SPDX-License-Identifier: GPL-2.0-only
"""Damaged force-field files of ReaxFF, by a number: other values, signs and counts, missing, doubled and swapped words
and lines, truncated files."""

import random
import re
from typing import List

NUMBER = re.compile(r"-?\d+\.\d*")
COUNT = re.compile(r"\d+")

VALUES = ("0.0", "-1.0", "1e-9", "1e9", "-1e9", "1e300", "1e-300", "-0.0")
"""What a parameter may become."""

NO_NUMBERS = ("x", "1e999", "nan", "1.5.2", "-", "0x10")


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
