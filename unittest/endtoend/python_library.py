# SPDX-License-Identifier: GPL-2.0-only
"""LAMMPS as a Python module: the library, linked from the objects of the LAMMPS under test, and a program that uses
it."""

import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import List

from lammps_run import Installation

DRIVER = Path(__file__).with_name("python_driver.py")


class NoLibrary(Exception):
    """The objects cannot be linked to a library; the message gives the reason."""


@dataclass
class PythonLammps:
    """A program with the command line of LAMMPS that drives LAMMPS through its Python module.

    Args:
        installation: the LAMMPS under test, with this program in the place of its binary.
        complaints: file that the program makes when something is wrong.
    """

    installation: Installation
    complaints: Path


def link_command(installation: Installation) -> List[str]:
    """The words of the last command of the build, which links LAMMPS; to be run in the folder of the build."""
    build = Path(installation.lmp).parent
    commands = subprocess.run(["ninja", "-t", "commands", "lmp"], cwd=build, check=True, capture_output=True, text=True)
    return [word for word in shlex.split(commands.stdout.splitlines()[-1]) if word not in (":", "&&")]


def link_library(installation: Installation, library: Path) -> None:
    """Link all objects of LAMMPS but that of its main program to a library.

    Raises:
        NoLibrary: the linker refuses.
    """
    words: List[str] = []
    for word in link_command(installation):
        if word.endswith("main.cpp.o"):
            continue
        whole = word.endswith("liblammps.a")    # nothing asks for its parts
        words += ["-Wl,--whole-archive", word, "-Wl,--no-whole-archive"] if whole else [word]
    words[words.index("-o") + 1] = str(library)
    done = subprocess.run([*words, "-shared"], cwd=Path(installation.lmp).parent, capture_output=True, text=True)
    if done.returncode != 0:
        raise NoLibrary(f"the objects of {installation.lmp} cannot be linked to a library: {done.stderr[-1000:]}")


def make_python_lammps(installation: Installation, folder: Path) -> PythonLammps:
    """Link the library into a copy of the Python module of the source tree, and write the program.

    Raises:
        NoLibrary: there is no such module, or the linker refuses.
    """
    module = installation.lammps_dir / "python" / "lammps"
    if not module.is_dir():
        raise NoLibrary(f"{module} does not exist")
    shutil.copytree(module, folder / "lammps")
    link_library(installation, folder / "lammps" / "liblammps.so")
    complaints, program = folder / "complaints", folder / "lmp"
    words = shlex.join([sys.executable, str(DRIVER), str(folder), str(complaints)])
    program.write_text(f'#!/bin/sh\nexport OPENBLAS_NUM_THREADS=1\nexec {words} "$@"\n')
    program.chmod(0o755)
    return PythonLammps(replace(installation, lmp=str(program)), complaints)
