# SPDX-License-Identifier: GPL-2.0-only
"""Check that every source file names its license in its first lines, as SPDX prescribes."""

from . import CHECKOUT, shell

IDENTIFIER = "SPDX-License-Identifier: GPL-2.0-only"
#: The identifier is in one of so many first lines: the header of LAMMPS' sources has it in the seventh.
FIRST_LINES = 8
#: Kinds of files that are no sources: pages, figures, results, and data whose format has no comments.
WITHOUT = frozenset((".md", ".rst", ".csv", ".png", ".json", ".cff", ".mol", ".pb", ".patch", ".pyc"))
#: Beginnings of names: reference logs repeat their inputs, and any change of the requirements renews the environment.
WITHOUT_NAMES = ("log.", "requirements.txt")
#: Folders of a checkout with sources; others, such as those of builds and of LAMMPS, are not ours.
FOLDERS = (".ci", "cmake", "doc", "examples", "lib", "packaging", "src", "tools", "unittest")


def sources(checkout=CHECKOUT):
    """All source files of a checkout, in order."""
    found = [checkout / ".clang-format"]
    for folder in FOLDERS:
        found += [path for path in sorted((checkout / folder).rglob("*"))
                  if path.is_file() and path.suffix not in WITHOUT and not path.name.startswith(WITHOUT_NAMES)]
    return found


def check_licenses(files):
    """Check that the first lines of every file have the identifier of the license.

    Raises:
        shell.Failure: Some files have none; the message names them.
    """
    absent = [str(path) for path in files if not has_identifier(path)]
    if absent:
        raise shell.Failure(f"these files do not have '{IDENTIFIER}' in their first {FIRST_LINES} lines:\n  "
                            + "\n  ".join(absent))
    print(f"license check: {len(files)} files have their SPDX identifier")


def has_identifier(path):
    """Whether a line of the beginning consists of the identifier and marks of a comment."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[:FIRST_LINES]
    return any(line.strip(" \t#/*!-") == IDENTIFIER for line in lines)
