# SPDX-License-Identifier: GPL-2.0-only
"""Build LAMMPS with TOFU in the cache, and do nothing if nothing has changed."""

import hashlib
import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from . import CHECKOUT, cache, lammps_packages, mpi, shell, source, static_libraries, system, time_left

#: Optional parts of LAMMPS that no benchmark needs and that would need more system packages, or a network.
LAMMPS_OFF = ("WITH_JPEG", "WITH_PNG", "WITH_GZIP", "WITH_FFMPEG", "WITH_CURL", "DOWNLOAD_POTENTIALS")
#: Integers of LAMMPS' default build.
DEFAULT_SIZES = "smallbig"
#: Options of LAMMPS' own code when it has checks of addresses.
ADDRESS_CHECKS = "-O1 -g1 -DNDEBUG -fsanitize=address -fno-omit-frame-pointer"
#: LAMMPS' precompiled header in a build folder.
HEADER = "CMakeFiles/lammps.dir/cmake_pch.hxx.gch"
#: Memory that one compiler may need [bytes].
COMPILER_MEMORY = 1.2e9


class Kind(NamedTuple):
    """Differences between programs of one source tree."""

    mpi_name: str = "openmpi"        #: "openmpi" or "mpich"
    portable: bool = False           #: whether it must run on other processors than this machine's
    with_tofu: bool = True           #: False: the same LAMMPS without the package
    accelerated: bool = True         #: False: without LAMMPS' accelerator packages, a third of the compile time
    sizes: str = DEFAULT_SIZES       #: integers: "smallbig", "bigbig", "smallsmall"
    optimized: bool = True           #: False: half of the compile time, for tests
    sanitizer: str = "none"          #: checks in TOFU's code, for tests: "address" or "thread"
    checked_only: str = ""           #: regular expression of the sources of TOFU that have checks; empty: all have
    checks_lammps: bool = False      #: whether LAMMPS' own code has checks of addresses, too, and TOFU's wide vectors
    for_wheel: bool = False          #: with a Highway and a hwloc that may be given to others (static_libraries.py)
    utofu_library: str = ""          #: an emulator of the library of uTofu, for tests

    @property
    def words(self):
        """The kind in words, for the name of a folder."""
        found = [] if self.with_tofu else ["stock"]
        found += ["portable"] if self.portable else []
        found += [] if self.accelerated else ["plain"]
        found += [] if self.sizes == DEFAULT_SIZES else [self.sizes]
        found += [] if self.optimized else ["quick"]
        found += [] if self.sanitizer == "none" else [self.sanitizer]
        found += ["everywhere"] if self.checks_lammps else []
        found += ["wheel"] if self.for_wheel else []
        found += ["utofu"] if self.utofu_library else []
        return found


class Build(NamedTuple):
    """A LAMMPS that is ready to run."""

    lmp: Path              #: the program
    source: source.Source
    mpi: mpi.Mpi


def command(options):
    """tools/tofu build."""
    result = build(options.lammps_version, options.lammps, options.mpi, options.portable, refresh=options.refresh,
                   packages=options.packages)
    print(result.lmp)
    return 0


def build(which="pinned", directory=None, mpi_name="openmpi", portable=False, refresh=False, packages="", needs=None,
          **more):
    """Build LAMMPS; returns at once when nothing has changed since the last time.

    There is one folder for each kind of program. Packages are only ever added to it.

    Args:
        which: "pinned" or "newest" LAMMPS.
        directory: Source tree to use instead.
        mpi_name: "openmpi" or "mpich".
        portable: Whether the program must run on other processors than this machine's.
        refresh: Look up the newest release even if the last look-up was recent.
        packages: What the user has chosen: lammps_packages.MOST, or names with commas.
        needs: Names of packages that are enough; None: lammps_packages.full().
        more: Further fields of a Kind.

    Returns:
        A Build.
    """
    tree, kind = source.get(which, directory, refresh), Kind(mpi_name, portable, **more)
    needs = {*(lammps_packages.full() if needs is None else needs), *lammps_packages.chosen(tree, packages)}
    wanted = lammps_packages.with_dependencies(tree, {*lammps_packages.ALWAYS, *needs})
    folder, key = cache.root() / "build" / build_name(tree, kind), build_key(tree, kind)
    stamp = folder / "tofu-stamp.json"
    done = cache.read_json(stamp)
    if done.get("key") == key and wanted <= set(done.get("packages", ())) and (folder / "lmp").exists():
        return Build(folder / "lmp", tree, mpi.Mpi(*done["mpi"]))

    system.ensure([*system.BUILD, mpi_name])
    library = mpi.find(mpi_name)
    with cache.lock(folder):
        done = cache.read_json(stamp)    # another call may have been faster
        if done.get("processor", processor()) != processor():
            shutil.rmtree(folder)    # objects made for another machine's processor
            done = {}
        before = frozenset(done.get("packages", ()))
        folder.mkdir(parents=True, exist_ok=True)
        cache.write_json(stamp, {"processor": processor(), "packages": sorted(before)})
        configure(tree, folder, library, kind, wanted | before)
        compile_lammps(tree, folder, kind)
        cache.write_json(stamp, {"key": key, "mpi": library, "processor": processor(),
                                 "packages": sorted(wanted | before)})
    return Build(folder / "lmp", tree, library)


def build_name(tree, kind):
    """Name of the build folder: one for each kind of program."""
    own_tree = [] if tree.cached else [cache.fingerprint(str(tree.path))[:8]]
    return "-".join([tree.release, kind.mpi_name, *kind.words, *own_tree])


def build_key(tree, kind):
    """Key that changes whenever a build would give another program. Trees in the cache are never edited."""
    inputs = [CHECKOUT / "src" / "TOFU", CHECKOUT / "cmake"] if kind.with_tofu else [CHECKOUT / "cmake" / "presets"]
    if not tree.cached:
        inputs += [tree.path / name for name in ("src", "cmake", "lib")]
    return cache.fingerprint(str(tree.path), cache.read_json(tree.path / source.STAMP), kind, processor(),
                             cache.file_stamps(*inputs))


def processor():
    """Fingerprint of the processor properties that -march=native depends on."""
    lines = re.findall(r"^(?:flags|Features|CPU part|model|cpu family)\s*:.*", about_processor(), re.MULTILINE)
    return cache.fingerprint(lines[:4]) if lines else ""


def processor_has(*names):
    """Whether the processor has all of these instruction sets, by Linux' names."""
    found = re.search(r"^(?:flags|Features)\s*:(.*)", about_processor(), re.MULTILINE)
    return bool(found) and set(names) <= set(found.group(1).split())


def about_processor():
    """What Linux says about the processor; nothing on other systems."""
    try:
        return Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""


def configure(tree, folder, library, kind, packages):
    """Run CMake.

    Args:
        tree: A source.Source.
        folder: The build folder.
        library: An Mpi.
        kind: A Kind.
        packages: Names of all packages.
    """
    shell.say(f"configuring LAMMPS {tree.release} {'with' if kind.with_tofu else 'without'} TOFU, {library.name}")
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_CXX_FLAGS": "" if kind.portable else "-march=native",
        **({} if kind.optimized else {"CMAKE_CXX_FLAGS_RELEASE": "-O1 -DNDEBUG"}),
        **({"CMAKE_CXX_FLAGS_RELEASE": ADDRESS_CHECKS, "TOFU_SANITIZE_PROCESSOR": "native"} if kind.checks_lammps
           else {}),
        "TOFU_SANITIZE": kind.sanitizer,
        "TOFU_SANITIZE_ONLY": kind.checked_only,
        "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
        "MPI_CXX_COMPILER": library.cxx,
        "MPI_C_COMPILER": library.cc,
        "FFT": "FFTW3",
        **(static_libraries.settings() if kind.for_wheel else {}),
        **(emulator_settings(kind.utofu_library) if kind.utofu_library else {}),
        "LAMMPS_SIZES": kind.sizes,
        **lammps_packages.settings(packages, lammps_packages.in_build_folder(folder)),
        "PKG_TOFU": "on" if kind.with_tofu else "off",
        "TOFU_NATIVE_ONLY": "off" if kind.portable else "on",
        "TOFU_PCH": "on",
        "TOFU_GROWING": "on",
        **{name: "off" for name in LAMMPS_OFF},
        **({} if kind.accelerated else {f"PKG_{name}": "off" for name in lammps_packages.ACCELERATORS}),
    }
    run_cmake(tree.path / "cmake", folder, settings, folder.with_name(f"{folder.name}-configure.log"),
              ["-C", lammps_packages.PRESET], env=environment())


def emulator_settings(library):
    """CMake's settings for a build with the emulator of uTofu, which has a header of its own."""
    return {"TOFU_UTOFU": "on", "TOFU_UTOFU_INCLUDE_DIR": CHECKOUT / "unittest" / "utofu",
            "TOFU_UTOFU_LIBRARY": library}


def definitions(settings):
    """CMake's arguments for settings by name."""
    return [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]


def run_cmake(source_folder, folder, settings, log, words=(), **process):
    """Configure a build folder. A folder that belongs to another source folder is configured anew: checkouts share the
    cache, but CMake refuses such a folder.

    Args:
        source_folder: Folder of CMakeLists.txt.
        folder: The build folder.
        settings: Of CMake by name.
        log: File for its output.
        words: Further arguments of CMake.
        process: Settings of the process.
    """
    if home_directory(folder) not in (None, str(source_folder)):
        shutil.rmtree(folder)
    shell.run_logged(["cmake", *words, *definitions(settings), "-S", source_folder, "-B", folder, "-G", "Ninja"], log,
                     **process)


def compile_project(source_folder, folder, settings, targets=(), variables=None):
    """Configure a build folder and compile what is in it; this is quick when nothing has changed.

    Args:
        source_folder: Folder of CMakeLists.txt.
        folder: The build folder.
        settings: Of CMake by name.
        targets: Names of what is compiled; empty: all.
        variables: Further environment variables by name.
    """
    env = {**environment(), **(variables or {})}
    with cache.lock(folder):
        run_cmake(source_folder, folder, {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", **settings},
                  folder / "tofu-configure.log", env=env)
        shell.run_logged(["ninja", "-C", folder, "-j", parallel_jobs(), *targets], folder / "tofu-compile.log",
                         progress=r"^\[", env=env)


def mpi_settings(library):
    """CMake's settings for an MPI library, for all languages that this MPI supports."""
    wrappers = {"CXX": library.cxx, "C": library.cc, "Fortran": library.fc}
    return {f"MPI_{language}_COMPILER": wrapper for language, wrapper in wrappers.items() if wrapper}


def home_directory(folder):
    """The source folder that a build folder was configured for; None if it was not configured."""
    try:
        text = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    except OSError:
        return None
    found = re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", text, re.MULTILINE)
    return found and found.group(1)


def compile_lammps(tree, folder, kind):
    """Run Ninja."""
    jobs, log = parallel_jobs(), folder.with_name(f"{folder.name}-compile.log")
    if HEADER in (folder / "build.ninja").read_text(encoding="utf-8"):    # with GCC
        shell.run_logged(["ninja", "-C", folder, HEADER], log, env=environment())
        write_sum_of_header(folder)
    plan = planned(folder)
    left = time_left.TimeLeft(plan, jobs)
    shell.say(f"compiling LAMMPS {tree.release} {'with' if kind.with_tofu else 'without'} TOFU, {len(plan)} files on "
              f"{jobs} cores in {folder}: {time_left.in_words(left.whole())}, less for files that were compiled "
              f"before")
    shell.run_logged(["ninja", "-C", folder, "-j", jobs], log, progress=r"^\[", show=left, env=environment())


def planned(folder):
    """Ninja's lines of all that is to be done, in order. It looks for new files before it plans, and a trial run ends
    there; not so with a copy of its file, which no rule makes."""
    shutil.copy(folder / "build.ninja", folder / "plan.ninja")
    lines = shell.capture(["ninja", "-C", folder, "-f", "plan.ninja", "-n"], env=environment()).splitlines()
    return [line for line in lines if line.startswith("[")]


def write_sum_of_header(folder):
    """Tell ccache what the precompiled header was made of: its own bytes differ from folder to folder. Without a sum
    ccache takes these bytes."""
    files = shell.capture(["ninja", "-C", folder, "-t", "deps", HEADER]).splitlines()[1:]
    contents = [Path(folder, file.strip()).read_bytes() for file in files if file.strip()]
    if not contents:    # a sum of nothing would be that of any header
        (folder / f"{HEADER}.sum").unlink(missing_ok=True)
        return
    summed = hashlib.sha256(b"".join(hashlib.sha256(content).digest() for content in contents)).hexdigest()
    (folder / f"{HEADER}.sum").write_text(summed, encoding="utf-8")


def parallel_jobs():
    """Number of compilers: one for each processor, as far as memory permits."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(mpi.cores()[1], int(memory / COMPILER_MEMORY)))


def environment():
    """Environment of the compilers.

    ccache must not share objects between processors when the objects are compiled with -march=native. It may share
    objects between build folders, hence the relative paths, and the sum of what a precompiled header was made of. With
    such a header it takes objects on two conditions only: that macros of the command line that the header does not use
    may differ, and times of files.
    """
    return {**os.environ, "CCACHE_DIR": str(ccache_folder()), "CCACHE_BASEDIR": str(cache.root()),
            "CCACHE_NOHASHDIR": "1", "CCACHE_SLOPPINESS": "pch_defines,time_macros",
            "CCACHE_PCH_EXTSUM": "1",
            "NINJA_STATUS": "[%f/%t, %e s] "}


def ccache_folder():
    """The compiler cache of this processor: "ccache" belongs to the first processor that used it."""
    owner = cache.folder("ccache") / "tofu-processor.json"
    if not owner.exists():
        cache.write_json(owner, {"processor": processor()})
    if cache.read_json(owner).get("processor") == processor():
        return cache.folder("ccache")
    return cache.folder(f"ccache-{processor()}")
