# SPDX-License-Identifier: GPL-2.0-only
"""Copies of a user's folder in which an input runs for a short time, so that nothing of the user's is changed."""

import os
import re
import shutil
from pathlib import Path

from . import shell

#: Largest folder that is copied [bytes].
LARGEST_FOLDER = 2 * 2**30
#: All digits of a double, in front of LAMMPS' own choice.
ALL_DIGITS = "thermo_modify format float %.17g"
#: Name of the script that is started in a copy.
WRAPPER = "in.tofu-wrapper"
#: Name of the copy of the input with all digits.
PRECISE = "in.tofu-precise"


class Scratch:
    """Makes fresh copies of the folder of an input.

    Args:
        script: The input.
        top: Folder to copy, which must hold the input; without it the folder of the input.
        place: Folder for the copies, on a disk with room for them.

    Raises:
        shell.Failure: The input is not below the folder, or the folder is too large to be copied again and again.
    """

    def __init__(self, script, top, place):
        script = Path(script).resolve()
        self.top = Path(top).resolve() if top else script.parent
        if self.top not in script.parents:
            raise shell.Failure(f"{script} is not in the folder {self.top}; --folder names a folder around the input")
        size = folder_size(self.top)
        if size > LARGEST_FOLDER:
            raise shell.Failure(f"{self.top} holds {size / 2**30:.1f} GB, and tune copies it for each run: it allows "
                                f"{LARGEST_FOLDER / 2**30:.0f} GB. Put the input and its data files into a folder of "
                                f"their own.")
        self.script = script.relative_to(self.top)
        self.copy = Path(place) / "copy"
        self.folder = (self.copy / self.script).parent    #: of the input in a copy

    def fresh(self, seconds, before=()):
        """A fresh copy in place of the last one.

        Args:
            seconds: Time after which LAMMPS ends its loops.
            before: Lines in front of the input.

        Returns:
            The folder to run in and the name of the script.
        """
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(self.top, self.copy, symlinks=True, ignore=not_plain)
        self.replace_links()
        folder = self.folder
        text = (self.copy / self.script).read_text(encoding="utf-8", errors="surrogateescape")
        (folder / PRECISE).write_text(with_all_digits(text), encoding="utf-8", errors="surrogateescape")
        lines = [*before, f"timer timeout {seconds:.2f} every 10", ALL_DIGITS, f"include {PRECISE}"]
        (folder / WRAPPER).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return folder, WRAPPER

    def replace_links(self):
        """Put files in the place of links to files outside of the folder: a run may write to them."""
        for folder, folders, names in os.walk(self.top):
            for name in (*folders, *names):
                link = Path(folder, name)
                target = link.resolve()
                if not link.is_symlink() or self.top in target.parents or not target.exists():
                    continue
                copy = self.copy / link.relative_to(self.top)
                copy.unlink()
                if target.is_file():
                    shutil.copy2(target, copy)
                else:
                    copy.symlink_to(target)

    def remove(self):
        """Remove the copy."""
        shutil.rmtree(self.copy, ignore_errors=True)


def with_all_digits(text):
    """The input with all digits in its thermo output: a command of its own behind each `thermo_style`, which resets
    the format. A format that the input itself sets comes later and holds."""
    return re.sub(r"^([ \t]*thermo_style\b(?:[^\n]*&[ \t]*\n)*[^\n]*)$", rf"\1\n{ALL_DIGITS}", text,
                  flags=re.MULTILINE)


def folder_size(top):
    """Bytes of all files below a folder, and of those that links name."""
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names]
    return sum(os.stat(path).st_size for path in paths if os.path.exists(path))


def not_plain(folder, names):
    """Names of what is neither file, folder nor link: reading a pipe would wait for a writer."""
    paths = {name: os.path.join(folder, name) for name in names}
    return [name for name, path in paths.items()
            if not (os.path.islink(path) or os.path.isfile(path) or os.path.isdir(path))]
