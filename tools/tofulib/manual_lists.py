# SPDX-License-Identifier: GPL-2.0-only
"""TOFU's entries in the lists of packages of LAMMPS' manual."""

import re
from pathlib import Path

from .shell import Failure

#: The files with the lists, in LAMMPS' doc/src; up to 2025 the table was in the first, now it is in the last.
LISTS = ("Packages_list.rst", "Packages_details.rst", "Packages.rst")
ROW = """\
   * - :ref:`TOFU <PKG-TOFU>`
     - fast steps with few atoms per rank
     - :doc:`Speed threadpool <Speed_threadpool>`
     - ``PACKAGES/tofu``
     - sys
"""
LINE = "   * :ref:`TOFU <PKG-TOFU>`\n"
PAGE = "   Packages_TOFU\n"


def enter(folder):
    """Enter the package into the lists of a manual, in the order of the alphabet; a second time changes nothing.

    Args:
        folder: LAMMPS' doc/src.

    Returns:
        The files that were changed; none if the folder has none of the lists.

    Raises:
        Failure: A list has no entry of a package that it has in LAMMPS.
    """
    changed = []
    for path in (Path(folder) / name for name in LISTS):
        if path.is_file():
            before = path.read_text(encoding="utf-8")
            after = _with_entries(before)
            if "TOFU" not in after:
                raise Failure(f"{path}: no list of packages as LAMMPS had it in 2026: add there: {LINE.strip()}")
            if after != before:
                path.write_text(after, encoding="utf-8")
                changed.append(path)
    return changed


def _with_entries(text):
    """The text with an entry behind the last one whose name comes before, for each kind of list that it has."""
    for pattern, entry in ((r"^   \* - :ref:`([A-Z0-9-]+) <PKG-.*\n(?:     .*\n)*", ROW),
                           (r"^   \* :ref:`([A-Z0-9-]+) <PKG-.*\n", LINE),
                           (r"^   (Packages_details)\n", PAGE)):
        before = [match for match in re.finditer(pattern, text, re.MULTILINE) if match[1] < "TOFU"]
        if before and entry not in text:
            end = before[-1].end()
            text = text[:end] + entry + text[end:]
    return text
