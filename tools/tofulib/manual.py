# SPDX-License-Identifier: GPL-2.0-only
"""The pages of doc/manual in LAMMPS' manual: copies with an index of styles, and entries in the lists of packages."""

import csv
import re
import shutil
from pathlib import Path

from . import CHECKOUT, shell

MANUAL = CHECKOUT / "doc" / "manual"
#: The table of styles, and the page that shows it and has their entries in LAMMPS' index.
STYLES, STYLES_PAGE = "styles.csv", "TOFU_styles.rst"
#: The files with LAMMPS' lists of packages; up to 2025 the table was in the first, now it is in the last.
LISTS = ("Packages_list.rst", "Packages_details.rst", "Packages.rst")
ROW = """\
   * - :ref:`TOFU <PKG-TOFU>`
     - fast steps with few atoms per rank
     - :doc:`TOFU styles <TOFU_styles>`
     - ``PACKAGES/tofu``
     - sys
"""
LINE = "   * :ref:`TOFU <PKG-TOFU>`\n"
PAGE = "   Packages_TOFU\n"


def command(options):
    """tools/tofu manual."""
    for path in (*write(options.folder), *enter(options.folder)):
        print(path)
    return 0


def styles():
    """The rows of the table of styles."""
    with open(MANUAL / STYLES, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def index_of(pages):
    """Entries of LAMMPS' index for the styles that none of some pages has an entry for."""
    there = set(re.findall(r"^\.\. index:: (.+)$", "".join(pages), re.MULTILINE))
    entries = []
    for row in styles():
        kind, name = row["style"].split()
        entries.append(f"{kind if kind in ('fix', 'compute') else f'{kind}_style'} {name}/threadpool")
    return "".join(f".. index:: {entry}\n" for entry in entries if entry not in there)


def write(folder):
    """Copy the pages with their pictures and the table of styles.

    Args:
        folder: Where to put them; it is made if it is not there.

    Returns:
        The files that were written.
    """
    folder = Path(folder)
    (folder / "img").mkdir(parents=True, exist_ok=True)
    texts = {path.name: path.read_text(encoding="ascii") for path in sorted(MANUAL.glob("*.rst"))}
    texts[STYLES_PAGE] = f"{index_of(texts.values())}\n{texts[STYLES_PAGE]}"
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="ascii")
    copies = [shutil.copy(MANUAL / STYLES, folder)]
    copies += [shutil.copy(picture, folder / "img") for picture in (MANUAL / "img").glob("*.png")]
    return [*(folder / name for name in texts), *map(Path, copies)]


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
                raise shell.Failure(f"{path}: no list of packages as LAMMPS had it in 2026: add there: {LINE.strip()}")
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
