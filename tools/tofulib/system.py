# SPDX-License-Identifier: GPL-2.0-only
"""Packages that the machine needs: find the missing ones, and install only these."""

import importlib.util
import os
import re
import shutil
from typing import Callable, NamedTuple

from . import mpi, shell

#: The oldest CMake that the package supports (LAMMPS 4Jul2026 needs it too).
CMAKE_MINIMUM = (3, 20)


class Requirement(NamedTuple):
    """A requirement that the system must meet."""

    packages: tuple          #: Debian packages that provide it
    found: Callable          #: says whether it is there
    purpose: str


def has_program(name):
    """A test for a program on the search path."""
    return lambda: shutil.which(name) is not None


def has_header(name):
    """A test for a C++ header on the compiler's search path."""
    return lambda: shell.attempt(["c++", "-E", "-x", "c++", "-include", name, "/dev/null"]).returncode == 0


def has_file(name):
    """A test for a file."""
    return lambda: os.path.exists(name)


def has_header_in(name, folder):
    """A test for a header on the compiler's search path, or in a folder of its own."""
    return lambda: os.path.exists(os.path.join(folder, name)) or has_header(name)()


def has_module_of_system(name):
    """A test for a module of the system's Python, which need not be the one that runs."""
    return lambda: shell.attempt(["/usr/bin/python3", "-c", f"import {name}"]).returncode == 0


def has_venv():
    """Whether this Python can make virtual environments; in Debian this is a package of its own."""
    return importlib.util.find_spec("ensurepip") is not None


DEBIAN_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"

REQUIREMENTS = {
    "c++": Requirement(("g++",), has_program("c++"), "compiler"),
    "cmake": Requirement(("cmake",), has_program("cmake"), "build"),
    "ninja": Requirement(("ninja-build",), has_program("ninja"), "build"),
    "ccache": Requirement(("ccache",), has_program("ccache"), "fast rebuilds"),
    "fftw": Requirement(("libfftw3-dev",), has_header("fftw3.h"), "FFTs of LAMMPS"),
    "highway": Requirement(("libhwy-dev",), has_header("hwy/highway.h"), "vector units"),
    "libfabric": Requirement(("libfabric-dev",), has_header("rdma/fabric.h"), "messages between nodes"),
    "json": Requirement(("nlohmann-json3-dev",), has_header("nlohmann/json.hpp"), "deep potentials"),
    "hdf5": Requirement(("libhdf5-dev",), has_header_in("hdf5.h", "/usr/include/hdf5/serial"),
                        "unit tests"),
    "hwloc": Requirement(("libhwloc-dev",), has_header("hwloc.h"), "places of threads"),
    "openmpi": Requirement(("libopenmpi-dev", "openmpi-bin"), lambda: mpi.find("openmpi") is not None, "Open MPI"),
    "mpich": Requirement(("libmpich-dev", "mpich"), lambda: mpi.find("mpich") is not None, "MPICH"),
    "xz": Requirement(("xz-utils",), has_program("xz"), "unpack the LAMMPS source"),
    "apt keys": Requirement(("debian-archive-keyring",), has_file(DEBIAN_KEYRING), "check the LAMMPS source"),
    "venv": Requirement(("python3-venv",), has_venv, "libraries of Python"),
    "gtest": Requirement(("libgtest-dev",), has_header("gtest/gtest.h"), "unit tests"),
    "gfortran": Requirement(("gfortran",), has_program("gfortran"), "Fortran module of libtofu_rdma"),
    "c++ for aarch64": Requirement(("g++-aarch64-linux-gnu",), has_program("aarch64-linux-gnu-g++"),
                                   "unit tests for aarch64"),
    "qemu": Requirement(("qemu-user",), has_program("qemu-aarch64"), "unit tests for aarch64"),
    "gtest sources": Requirement(("googletest",), has_file("/usr/src/googletest/CMakeLists.txt"),
                                 "unit tests for aarch64"),
    "doxygen": Requirement(("doxygen",), has_program("doxygen"), "reference"),
    "debian packages": Requirement(("dpkg-dev", "file"), lambda: all(map(shutil.which, ("dpkg-shlibdeps", "file"))),
                                   "packages of the plug-in and of libtofu_rdma"),
    "pkg-config": Requirement(("pkg-config",), has_program("pkg-config"), "libtofu_rdma for other codes"),
    "spin": Requirement(("spin",), has_program("spin"), "protocol model"),
    "simgrid": Requirement(("python3-simgrid",), has_module_of_system("simgrid"), "checks of tools/tofu predict"),
}

#: Names in REQUIREMENTS that each purpose needs, beside the chosen MPI.
BUILD = ("c++", "cmake", "ninja", "ccache", "fftw", "highway", "libfabric", "hwloc", "json")
SOURCE = ("xz", "apt keys")    # for Debian's LAMMPS source
TEST = BUILD + ("venv", "gtest", "hdf5")
FULL_TEST = TEST + ("gfortran", "c++ for aarch64", "qemu", "gtest sources", "doxygen", "debian packages", "pkg-config",
                    "spin", "simgrid")


def missing(names):
    """Names of the requirements that the machine does not meet."""
    return [name for name in names if not REQUIREMENTS[name].found()]


def install_command(names):
    """The command that installs the missing packages."""
    packages = [package for name in names for package in REQUIREMENTS[name].packages]
    return ["apt-get", "install", "-y", "--no-install-recommends", *packages]


def ensure(names):
    """Install what is missing; if nothing is missing, do nothing.

    Args:
        names: Keys of REQUIREMENTS.

    Raises:
        Failure: A requirement is missing, and this user cannot install it.
    """
    absent = missing(names)
    if absent:
        install(absent)
    if "cmake" in names:
        check_cmake()


def install(absent):
    """Install the Debian packages behind the names."""
    command = install_command(absent)
    wanted = " ".join(command[4:])
    if shutil.which("apt-get") is None:
        raise shell.Failure(f"missing on this machine: {', '.join(absent)}. It has no apt-get, so please install what "
                            f"Debian calls: {wanted}")
    prefix = become_root(command)
    shell.say(f"installing system packages: {wanted}")
    environment = ["env", "DEBIAN_FRONTEND=noninteractive"]
    wait = ["-o", "DPkg::Lock::Timeout=300"]
    if shell.attempt(prefix + environment + command + wait).returncode:
        # the package lists may be missing, as on a fresh machine, or too old
        shell.capture(prefix + environment + ["apt-get", "update", *wait])
        shell.capture(prefix + environment + command + wait)
    still = missing(absent)
    if still:
        raise shell.Failure(f"installed {wanted}, and yet cannot find: {', '.join(still)}")


def become_root(command):
    """Words to put before a command that needs root.

    Raises:
        Failure: Not root, and no sudo that works without asking; the message has the command to type.
    """
    if os.geteuid() == 0:
        return []
    if shell.attempt(["sudo", "-n", "true"]).returncode == 0:
        return ["sudo", "-n"]
    raise shell.Failure(f"system packages are missing and installing them needs root. Please run\n\n"
                        f"  sudo {shell.quote(command)}\n\nand then this command again.")


def check_cmake():
    """Refuse a CMake that is too old."""
    text = shell.capture(["cmake", "--version"])
    version = tuple(int(part) for part in re.search(r"(\d+)\.(\d+)", text).groups())
    if version < CMAKE_MINIMUM:
        raise shell.Failure(
            f"found CMake {'.'.join(map(str, version))}, need {'.'.join(map(str, CMAKE_MINIMUM))} or newer. "
                            f"'pip install cmake' gives a newer one without root.")
