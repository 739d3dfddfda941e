# SPDX-License-Identifier: GPL-2.0-only
"""Copies of a user's folder in which an input runs for a short time, so that nothing of the user's is changed."""

import os
import shutil
from pathlib import Path

from . import input_edits, shell

#: Largest folder that is copied [bytes].
LARGEST_FOLDER = 2 * 2**30
#: Name of the script that is started in a copy.
WRAPPER = "in.tofu-wrapper"


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

    def fresh(self, seconds, before=(), behind=(), change=None):
        """A fresh copy in place of the last one.

        Args:
            seconds: Time after which LAMMPS ends its loops.
            before: Lines in front of the input.
            behind: Lines behind each of its commands run and minimize.
            change: Function that makes another text of that of the input, and of each file that it reaches.

        Returns:
            The folder to run in and the name of the script.
        """
        return self.changed(lambda text, start: input_edits.edited(change(text) if change else text, start, behind),
                            [*before, f"timer timeout {seconds:.2f} every 10", input_edits.ALL_DIGITS])

    def changed(self, change, start):
        """A fresh copy with a changed input, in place of the last one.

        Args:
            change: Function that makes the new text of the input, and of each file that it includes or jumps to, of
                the old one and of `start`.
            start: Lines in front of the input.

        Returns:
            The folder to run in and the name of the script.
        """
        shutil.rmtree(self.copy, ignore_errors=True)
        shutil.copytree(self.top, self.copy, symlinks=True, ignore=not_plain)
        self.replace_links()
        input_edits.rewrite(self.copy / self.script, self.copy, lambda text: change(text, start))
        lines = [*start, f"include {quoted(self.script.name)}"]
        (self.folder / WRAPPER).write_text("\n".join(lines) + "\n", encoding="utf-8")
        return self.folder, WRAPPER

    def explained(self, failure):
        """An error of LAMMPS in a copy, with the remedy if it lacks files that are not in the copy."""
        if "annot open" not in str(failure) or isinstance(failure, shell.Late):
            return failure
        return shell.Failure(f"{failure}\nThe input ran in a copy of {self.top}. If it needs files or folders outside "
                             f"of that, --folder names a larger one to copy")

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


def quoted(name):
    """A name as one word of an input."""
    return f'"{name}"' if any(character in name for character in " '#&") else name


def folder_size(top):
    """Bytes of all files below a folder, and of those that links name."""
    paths = [os.path.join(folder, name) for folder, _, names in os.walk(top) for name in names]
    return sum(os.stat(path).st_size for path in paths if os.path.exists(path))


def not_plain(folder, names):
    """Names of what is neither file, folder nor link: reading a pipe would wait for a writer."""
    paths = {name: os.path.join(folder, name) for name in names}
    return [name for name, path in paths.items()
            if not (os.path.islink(path) or os.path.isfile(path) or os.path.isdir(path))]
