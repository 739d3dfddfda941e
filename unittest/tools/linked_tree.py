# SPDX-License-Identifier: GPL-2.0-only
"""Copies of LAMMPS source trees that take little time and space."""

import shutil


def light_copy(original, copy):
    """Copy a LAMMPS tree in a second: cmake is copied, all else is linked, with one link for each entry of src."""
    copy.mkdir()
    for entry in original.iterdir():
        if entry.name == "cmake":
            shutil.copytree(entry, copy / "cmake")
        elif entry.name != "src":
            (copy / entry.name).symlink_to(entry)
    (copy / "src").mkdir()
    for entry in (original / "src").iterdir():
        (copy / "src" / entry.name).symlink_to(entry)
    return copy
