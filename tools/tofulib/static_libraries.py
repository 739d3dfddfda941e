# SPDX-License-Identifier: GPL-2.0-only
"""Static libraries for a program that is given to others: Highway and hwloc from Debian's sources, and a library that
finds libfabric when the program runs.

Debian 12 has a Highway whose license does not go with that of LAMMPS, and the hwloc of Debian needs libudev.
"""

import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

from . import CHECKOUT, apt, cache, shell

#: Debian suites that have them; Highway 1.0.6 or newer.
SUITES = {"highway": "trixie", "hwloc": "bookworm"}
#: Source of the library in place of libfabric.
LIBFABRIC = CHECKOUT / "packaging" / "python" / "libfabric_at_run_time.cpp"
#: Options of CMake for Highway: the library alone.
HIGHWAY = ("BUILD_SHARED_LIBS=off", "CMAKE_POSITION_INDEPENDENT_CODE=on", "CMAKE_BUILD_TYPE=Release",
           "HWY_ENABLE_CONTRIB=off", "HWY_ENABLE_EXAMPLES=off", "HWY_ENABLE_TESTS=off", "BUILD_TESTING=off")
#: Options of configure for hwloc: processors and NUMA domains, nothing that needs a further library.
HWLOC = ("--enable-static", "--disable-shared", "--with-pic", "--disable-plugins", "--disable-io", "--disable-libxml2",
         "--disable-libudev", "--disable-cairo", "--disable-readme", "--without-x")


class Library(NamedTuple):
    """A library that was built here."""

    name: str
    version: str
    folder: Path         #: with include, lib and licenses


def settings():
    """Settings of CMake that make a build of TOFU use them."""
    highway, hwloc = get()
    return {"TOFU_HWY_INCLUDE_DIR": highway.folder / "include", "TOFU_HWY_LIBRARY": highway.folder / "lib" / "libhwy.a",
            "TOFU_HWLOC_INCLUDE_DIR": hwloc.folder / "include",
            "TOFU_HWLOC_LIBRARY": hwloc.folder / "lib" / "libhwloc.a",
            "TOFU_OFI_LIBRARY": make_libfabric(cache.folder("static", "libfabric"))}


def get():
    """Highway and hwloc, built at the first call."""
    return library("highway", make_highway), library("hwloc", make_hwloc)


def library(name, make):
    """One of them; what was built once is kept.

    Args:
        name: Of Debian's source package.
        make: Function that builds it, from folders of its sources and for the result.
    """
    place = cache.folder("static") / name
    done = cache.read_json(place / "tofu-stamp.json")
    if done:
        return Library(name, done["version"], place)
    with cache.lock(place), tempfile.TemporaryDirectory(prefix=".partial-", dir=place.parent) as scratch:
        sources, result = Path(scratch, "sources"), Path(scratch, "result")
        shell.say(f"building a static library of {name} (some seconds)")
        archive = apt.upstream_archive(name, SUITES[name], "", cache.folder("apt", SUITES[name]))
        tarball = cache.folder("downloads") / archive.name
        apt.download(archive, tarball)
        with tarfile.open(tarball) as files:
            files.extractall(sources)
        tarball.unlink()
        top = next(sources.iterdir())
        make(top, result)
        keep_licenses(top, result)
        version = archive.name.partition("_")[2].partition(".orig")[0]
        cache.write_json(result / "tofu-stamp.json", {"version": version, "address": archive.address})
        shutil.rmtree(place, ignore_errors=True)
        result.rename(place)
    return Library(name, version, place)


def make_highway(top, result):
    """Build Highway by CMake."""
    shell.capture(["cmake", "-S", top, "-B", top / "build", "-G", "Ninja", "-D", f"CMAKE_INSTALL_PREFIX={result}",
                   "-D", "CMAKE_INSTALL_LIBDIR=lib", *(word for option in HIGHWAY for word in ("-D", option))])
    shell.capture(["cmake", "--build", top / "build", "--target", "install"])


def make_hwloc(top, result):
    """Build hwloc by its own makefiles; the programs are left out."""
    shell.capture(["./configure", f"--prefix={result}", *HWLOC], cwd=top)
    for folder in ("include", "hwloc"):
        shell.capture(["make", "-C", folder, "install"], cwd=top)


def make_libfabric(folder):
    """Compile what finds libfabric when a program runs.

    Returns:
        Path of the static library.
    """
    shell.capture(["c++", "-std=c++17", "-O2", "-fPIC", "-c", LIBFABRIC, "-o", folder / "libfabric_at_run_time.o"])
    shell.capture(["ar", "rcsD", folder / "libfabric_at_run_time.a", folder / "libfabric_at_run_time.o"])
    return folder / "libfabric_at_run_time.a"


def of_system(name):
    """A static library of this machine, such as libfftw3.a.

    Raises:
        shell.Failure: There is none.
    """
    path = Path(shell.capture(["c++", f"-print-file-name={name}"]).strip())
    if not path.is_absolute():
        raise shell.Failure(f"this machine has no {name} (Debian: libfftw3-dev)")
    return path.resolve()


def keep_licenses(top, result):
    """Copy the license files beside the library."""
    (result / "licenses").mkdir()
    for path in sorted(top.iterdir()):
        if path.is_file() and path.name.startswith(("LICENSE", "COPYING")):
            shutil.copy(path, result / "licenses" / path.name)
