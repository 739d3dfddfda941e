# SPDX-License-Identifier: GPL-2.0-only
"""Packages of LAMMPS: which there are, what they need, and the settings of CMake that switch them on."""

import difflib
import re

from . import CHECKOUT, shell, system

#: LAMMPS' own accelerator packages, which TOFU is compared with.
ACCELERATORS = ("OPENMP", "OPT", "INTEL")
#: What every program has: the benchmark of `run` needs no other package, and PLUGIN is one file.
ALWAYS = (*ACCELERATORS, "PLUGIN")
#: A part of TOFU that no package of LAMMPS stands for: an option of CMake.
DEEP = "TOFU_DEEP"
#: Name of LAMMPS' preset of the packages that most inputs need.
MOST = "most"
#: Packages that need a library: its header.
WITH_LIBRARY = {"ADIOS": "adios2.h", "COMPRESS": "zlib.h", "MACHDYN": "eigen3/Eigen/Core",
                "RHEO": "gsl/gsl_linalg.h", "VORONOI": "voro++/voro++.hh"}
#: The header of LAPACK, and packages that need it where the source tree has no substitute: Debian's has none.
LAPACK, WITH_LAPACK = "lapack.h", ("ATC", "AWPMD", "ELECTRODE", "ML-POD")
#: Folders in src of LAMMPS with names like those of packages.
NO_PACKAGES = frozenset(("MAKE", "STUBS", "DEPEND"))
PRESET = CHECKOUT / "cmake" / "presets" / "tofu.cmake"


def names_in(text):
    """Names of packages in a list with commas."""
    return frozenset(name.strip().upper() for name in text.split(",") if name.strip())


def names_of_preset(path):
    """Names of packages that a preset of CMake switches on: the words in capitals of its list."""
    found = re.search(r"^(?:set|foreach)\(\w+((?:\s+[A-Z0-9-]+)+)\)", path.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(found.group(1).split())


def full():
    """What tests and benchmarks need: the packages of TOFU's preset, and all of TOFU."""
    return names_of_preset(PRESET) - {"TOFU"} | {DEEP}


def most(tree):
    """Packages of LAMMPS' preset "most" whose libraries are there."""
    return names_of_preset(tree.path / "cmake" / "presets" / "most.cmake") - without_library(tree)


def chosen(tree, text):
    """What the user has chosen.

    Args:
        tree: A source.Source.
        text: MOST, or names with commas.

    Raises:
        shell.Failure: The tree has no such package; the message names the nearest ones.
    """
    if text == MOST:
        return most(tree)
    names, known = names_in(text), in_tree(tree)
    absent = sorted(names - known)
    if absent:
        near = sorted({one for name in absent for one in difflib.get_close_matches(name, known)})
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        raise shell.Failure(f"LAMMPS {tree.release} has no package {', '.join(absent)}.{meant} --packages takes "
                            f"{MOST}, or names with commas such as REAXFF,MEAM")
    return names


def in_tree(tree):
    """All packages of a source tree."""
    return frozenset(path.name for path in (tree.path / "src").iterdir()
                     if path.is_dir() and path.name.isupper() and path.name not in NO_PACKAGES)


def without_library(tree):
    """Packages that cannot be built here: this machine lacks their library."""
    needed = dict(WITH_LIBRARY)
    if not (tree.path / "lib" / "linalg").is_dir():
        needed.update({name: LAPACK for name in WITH_LAPACK})
    return frozenset(name for name, header in needed.items() if not system.has_header(header)())


def with_preparation(tree):
    """Packages that are not just switched on: they need a library that is not here, a download, or a device."""
    modules = {path.stem for path in (tree.path / "cmake" / "Modules" / "Packages").glob("*.cmake")}
    usual = names_of_preset(tree.path / "cmake" / "presets" / "most.cmake") | full() | set(ACCELERATORS)
    return frozenset(modules - usual) | without_library(tree)


def with_dependencies(tree, names):
    """Packages with those that they depend on, as LAMMPS' build says."""
    text = (tree.path / "cmake" / "CMakeLists.txt").read_text(encoding="utf-8")
    arrows = re.findall(r"^\s*pkg_depends\(([A-Z0-9-]+) ([A-Z0-9-]+)\)", text, re.MULTILINE)
    known, found = in_tree(tree), set(names)
    while True:
        more = {other for name, other in arrows if name in found and other in known} - found
        if not more:
            return frozenset(found)
        found |= more


def settings(names, known):
    """Settings of CMake.

    Args:
        names: What is built.
        known: Further names, which are switched off: the build folder may have had them.
    """
    every = {*names, *known, *names_of_preset(PRESET), DEEP} - {"TOFU"}
    return {name if name == DEEP else f"PKG_{name}": "on" if name in names else "off" for name in sorted(every)}


def in_build_folder(folder):
    """Packages that a build folder was configured with."""
    try:
        text = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    except OSError:
        return frozenset()
    return frozenset(re.findall(r"^PKG_([A-Z0-9-]+):BOOL=(?:on|ON)$", text, re.MULTILINE))
