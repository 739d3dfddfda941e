# SPDX-License-Identifier: GPL-2.0-only
"""A LAMMPS that can be run: built here, or the user's own with TOFU in it or as a plug-in."""

import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from . import mpi, shell

#: Accelerator packages of LAMMPS, and the suffix of each.
SUFFIXES = {"OPT": "opt", "OPENMP": "omp", "INTEL": "intel"}
#: How TOFU comes into a program.
BUILT_IN, PLUGIN, ABSENT = "built in", "plug-in", "absent"
#: Names of MPI libraries as programs are linked with them.
LIBRARIES = {"openmpi": r"libmpi\.so\.40|libopen-rte|libopen-pal", "mpich": r"libmpich|libmpi\.so\.12"}


class Program(NamedTuple):
    """A LAMMPS program."""

    lmp: Path
    tofu: str              #: BUILT_IN, PLUGIN or ABSENT
    plugin: str            #: file that has to be loaded; empty if LAMMPS finds it by itself
    packages: frozenset    #: of LAMMPS
    library: object        #: an Mpi; None if it is not known
    folders: dict          #: environment variables with folders of its source tree, if there is one

    @property
    def suffixes(self):
        """Suffixes of the accelerator packages that it has."""
        return [suffix for package, suffix in SUFFIXES.items() if package in self.packages]


def built(lammps):
    """The program of a Build."""
    tree = lammps.source.path
    folders = {"LAMMPS_POTENTIALS": str(tree / "potentials"), "TOFU_LAMMPS_BENCH": str(tree / "bench")}
    return Program(lammps.lmp, BUILT_IN, "", frozenset(["TOFU", *SUFFIXES]), lammps.mpi, folders)


def existing(path, plugin="", template=""):
    """The user's own program.

    Args:
        path: The program, or its name on the search path.
        plugin: TOFU as a plug-in that has to be loaded.
        template: The user's launcher, if the MPI library need not be found.

    Raises:
        shell.Failure: There is no such program, it is no LAMMPS, or its MPI library was not found.
    """
    found = shutil.which(path)
    if not found:
        raise shell.Failure(f"there is no program {path}; --lmp needs a LAMMPS program")
    if plugin and not Path(plugin).is_file():
        raise shell.Failure(f"there is no plug-in {plugin}")
    lmp = Path(found).resolve()
    library = None if template else library_of(lmp)
    if library is None and not template:
        raise shell.Failure(f"{lmp} uses an MPI library whose launcher is not on the search path; say how to start it "
                            f"with --launch, as in --launch 'srun -n {{ranks}} -c {{threads}}'")
    text = shell.attempt([lmp, "-h"]).stdout
    if "List of individual style options" not in text:
        raise shell.Failure(f"{lmp} -h does not print the styles of a LAMMPS")
    return Program(lmp, *tofu_in(text, plugin), packages_in(text), library, {})


def tofu_in(text, plugin):
    """How TOFU comes into the program that printed this help, and the plug-in to load."""
    if plugin:
        return PLUGIN, str(Path(plugin).resolve())
    if "TOFU" in packages_in(text):
        return BUILT_IN, ""
    folders = os.environ.get("LAMMPS_PLUGIN_PATH", "").split(":")
    if any((Path(folder) / "tofuplugin.so").is_file() for folder in folders if folder):
        return PLUGIN, ""
    return ABSENT, ""


def packages_in(text):
    """Names below "Installed packages:" in the help of LAMMPS."""
    found = re.search(r"^Installed packages:\s*\n\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    return frozenset(found.group(1).split()) if found else frozenset()


def pair_styles(lmp):
    """Names of the pair styles of a program, those with suffixes among them."""
    text = shell.attempt([lmp, "-h"]).stdout
    found = re.search(r"^\* Pair styles:?\s*\n(.*?)^\* ", text, re.MULTILINE | re.DOTALL)
    return frozenset(found.group(1).split()) if found else frozenset()


def library_of(lmp):
    """The MPI library that a program is linked with, as far as its launcher is on the search path."""
    libraries = shell.attempt(["ldd", lmp]).stdout
    for name, pattern in LIBRARIES.items():
        if re.search(pattern, libraries):
            return mpi.find(name) or launcher_alone(name)
    return None


def launcher_alone(name):
    """An MPI library without compilers: its launcher is enough to run programs."""
    for program in (f"mpirun.{name}", "mpirun"):
        found = shutil.which(program)
        sign = {"openmpi": "Open MPI", "mpich": "HYDRA"}[name]
        if found and sign.lower() in shell.attempt([found, "--version"]).stdout.lower():
            return mpi.Mpi(name, "", "", found)
    return None
