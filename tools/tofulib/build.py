# SPDX-License-Identifier: GPL-2.0-only
"""Build LAMMPS with TOFU in the cache, and do nothing if nothing has changed."""

import difflib
import hashlib
import itertools
import math
import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from . import CHECKOUT, cache, mpi, shell, source, static_libraries, system

#: Optional parts of LAMMPS that no benchmark needs and that would need more system packages, or a network.
LAMMPS_OFF = ("WITH_JPEG", "WITH_PNG", "WITH_GZIP", "WITH_FFMPEG", "WITH_CURL", "DOWNLOAD_POTENTIALS")
#: LAMMPS' own accelerator packages, which TOFU is compared with.
ACCELERATORS = ("OPENMP", "OPT", "INTEL")
#: Name of LAMMPS' preset of the packages that most inputs need, and those of them that need a library: its header.
MOST = "most"
WITH_LIBRARY = {"COMPRESS": "zlib.h", "MACHDYN": "eigen3/Eigen/Core", "RHEO": "gsl/gsl_linalg.h",
                "VORONOI": "voro++/voro++.hh"}
#: The header of LAPACK, and those that need it where the source tree has no substitute: Debian's has none.
LAPACK, WITH_LAPACK = "lapack.h", ("ELECTRODE", "ML-POD")
#: Folders in src of LAMMPS with names like those of packages.
NO_PACKAGES = frozenset(("MAKE", "STUBS", "DEPEND"))
#: Integers of LAMMPS' default build.
DEFAULT_SIZES = "smallbig"
#: Options of LAMMPS' own code when it has checks of addresses.
ADDRESS_CHECKS = "-O1 -g1 -DNDEBUG -fsanitize=address -fno-omit-frame-pointer"
#: Processor time of sources by a part of their path, relative to those of LAMMPS; Zen 3, with a precompiled header.
WEIGHTS = {"/TOFU/kernels/": 3.2, "/TOFU/model/": 1.9, "/TOFU/p2p/": 1.5, "/TOFU/mesh/": 1.5, "/INTEL/": 2.0,
           "/OPT/": 1.6}
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
    packages: str = ""               #: more packages: MOST, or names with commas
    sizes: str = DEFAULT_SIZES       #: integers: "smallbig", "bigbig", "smallsmall"
    optimised: bool = True           #: False: half of the compile time, for tests
    sanitizer: str = "none"          #: checks in TOFU's code, for tests: "address" or "thread"
    checked_only: str = ""           #: regular expression of the sources of TOFU that have checks; empty: all have
    checks_lammps: bool = False      #: whether LAMMPS' own code has checks of addresses, too, and TOFU's wide vectors
    for_wheel: bool = False          #: with a Highway and a hwloc that may be given to others (static_libraries.py)

    @property
    def words(self):
        """The kind in words, for the name of a folder."""
        found = [] if self.with_tofu else ["stock"]
        found += ["portable"] if self.portable else []
        found += [] if self.accelerated else ["plain"]
        found += [] if self.sizes == DEFAULT_SIZES else [self.sizes]
        found += [] if self.optimised else ["quick"]
        found += [] if self.sanitizer == "none" else [self.sanitizer]
        found += ["everywhere"] if self.checks_lammps else []
        found += ["wheel"] if self.for_wheel else []
        if self.packages:
            names = cache.fingerprint(names_in(self.packages))[:8]
            found.append(MOST if self.packages == MOST else f"packages-{names}")
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


def build(which="pinned", directory=None, mpi_name="openmpi", portable=False, refresh=False, **more):
    """Build LAMMPS; returns at once when nothing has changed since the last time.

    Args:
        which: "pinned" or "newest" LAMMPS.
        directory: Source tree to use instead.
        mpi_name: "openmpi" or "mpich".
        portable: Whether the program must run on other processors than this machine's.
        refresh: Look up the newest release even if the last look-up was recent.
        more: Further fields of a Kind.

    Returns:
        A Build.
    """
    tree, kind = source.get(which, directory, refresh), Kind(mpi_name, portable, **more)
    refuse_packages(tree, kind.packages)
    folder = cache.root() / "build" / build_name(tree, kind)
    key = build_key(tree, kind)
    stamp = folder / "tofu-stamp.json"
    done = cache.read_json(stamp)
    if done.get("key") == key and (folder / "lmp").exists():
        return Build(folder / "lmp", tree, mpi.Mpi(*done["mpi"]))

    system.ensure([*system.BUILD, mpi_name])
    library = mpi.find(mpi_name)
    with cache.lock(folder):
        if done.get("processor", processor()) != processor():
            shutil.rmtree(folder)    # objects made for another machine's processor
        folder.mkdir(parents=True, exist_ok=True)
        cache.write_json(stamp, {"processor": processor()})
        configure(tree, folder, library, kind)
        compile_lammps(tree, folder, kind)
        cache.write_json(stamp, {"key": key, "mpi": library, "processor": processor()})
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


def names_in(packages):
    """Names of packages in a list with commas, in order."""
    return sorted({name.strip().upper() for name in packages.split(",") if name.strip()})


def refuse_packages(tree, packages):
    """Refuse packages that the tree does not have.

    Raises:
        shell.Failure: It names the nearest ones.
    """
    if packages in ("", MOST):
        return
    known = sorted(path.name for path in (tree.path / "src").iterdir()
                   if path.is_dir() and path.name.isupper() and path.name not in NO_PACKAGES)
    absent = [name for name in names_in(packages) if name not in known]
    if absent:
        near = sorted({one for name in absent for one in difflib.get_close_matches(name, known)})
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        raise shell.Failure(f"LAMMPS {tree.release} has no package {', '.join(absent)}.{meant} --packages takes "
                            f"{MOST}, or names with commas such as REAXFF,MEAM")


def package_settings(tree, packages):
    """Settings that switch on more packages.

    Args:
        tree: The source tree.
        packages: MOST, or names with commas.
    """
    if packages == MOST:
        needed = dict(WITH_LIBRARY)
        if not (tree.path / "lib" / "linalg").is_dir():
            needed.update({name: LAPACK for name in WITH_LAPACK})
        absent = [name for name, header in needed.items() if not system.has_header(header)()]
        return {"BUILD_TOOLS": "off", **{f"PKG_{name}": "off" for name in absent}}
    return {f"PKG_{name}": "on" for name in names_in(packages)}


def processor():
    """Fingerprint of the processor properties that -march=native depends on."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""
    return cache.fingerprint(re.findall(r"^(?:flags|Features|CPU part|model|cpu family)\s*:.*", text, re.MULTILINE)[:4])


def configure(tree, folder, library, kind):
    """Run CMake."""
    shell.say(f"configuring LAMMPS {tree.release} {'with' if kind.with_tofu else 'without'} TOFU, {library.name}")
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_CXX_FLAGS": "" if kind.portable else "-march=native",
        **({} if kind.optimised else {"CMAKE_CXX_FLAGS_RELEASE": "-O1 -DNDEBUG"}),
        **({"CMAKE_CXX_FLAGS_RELEASE": ADDRESS_CHECKS, "TOFU_SANITIZE_PROCESSOR": "native"} if kind.checks_lammps
           else {}),
        "TOFU_SANITIZE": kind.sanitizer,
        "TOFU_SANITIZE_ONLY": kind.checked_only,
        "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
        "MPI_CXX_COMPILER": library.cxx,
        "MPI_C_COMPILER": library.cc,
        "FFT": "FFTW3",
        **(static_libraries.settings() if kind.for_wheel else {}),
        "LAMMPS_SIZES": kind.sizes,
        **package_settings(tree, kind.packages),
        "PKG_TOFU": "on" if kind.with_tofu else "off",
        "TOFU_NATIVE_ONLY": "off" if kind.portable else "on",
        "TOFU_PCH": "on",
        **{name: "off" for name in LAMMPS_OFF},
        **{f"PKG_{name}": "on" if kind.accelerated else "off" for name in ACCELERATORS},
    }
    presets = [tree.path / "cmake" / "presets" / "most.cmake"] if kind.packages == MOST else []
    presets.append(CHECKOUT / "cmake" / "presets" / "tofu.cmake")
    words = [word for preset in presets for word in ("-C", preset)]
    words += [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
    run_cmake(tree.path / "cmake", folder, words, folder.with_name(f"{folder.name}-configure.log"), env=environment())


def run_cmake(source_folder, folder, words, log, **settings):
    """Configure a build folder. A folder that belongs to another source folder is configured anew: checkouts share the
    cache, but CMake refuses such a folder.

    Args:
        source_folder: Folder of CMakeLists.txt.
        folder: The build folder.
        words: Further arguments of CMake.
        log: File for its output.
        settings: Settings of the process.
    """
    if home_directory(folder) not in (None, str(source_folder)):
        shutil.rmtree(folder)
    shell.run_logged(["cmake", *words, "-S", source_folder, "-B", folder, "-G", "Ninja"], log, **settings)


def mpi_words(library):
    """Arguments that tell CMake which MPI to use, for all languages that this MPI supports."""
    wrappers = {"CXX": library.cxx, "C": library.cc, "Fortran": library.fc}
    return [word for language, wrapper in wrappers.items() if wrapper
            for word in ("-D", f"MPI_{language}_COMPILER={wrapper}")]


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
    jobs = parallel_jobs()
    minutes = round((45 if kind.packages == MOST else 14) / jobs)
    shell.say(f"compiling LAMMPS {tree.release} {'with' if kind.with_tofu else 'without'} TOFU on {jobs} cores in "
              f"{folder} (about {max(1, minutes)} minutes the first time, seconds later)")
    log = folder.with_name(f"{folder.name}-compile.log")
    if HEADER in (folder / "build.ninja").read_text(encoding="utf-8"):    # with GCC
        shell.run_logged(["ninja", "-C", folder, HEADER], log, env=environment())
        write_sum_of_header(folder)
    plan = [line for line in shell.capture(["ninja", "-C", folder, "-n"], env=environment()).splitlines()
            if line.startswith("[")]
    shell.run_logged(["ninja", "-C", folder, "-j", jobs], log, progress=r"^\[", show=TimeLeft(plan),
                     env=environment())


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


class TimeLeft:
    """Tells from lines of Ninja how much time is left: what has taken as long before takes as long again.

    Args:
        plan: Ninja's lines of all that is to be done, in order: kernels take longer than other files, and come late.
    """

    def __init__(self, plan):
        self.sums = [0.0, *itertools.accumulate(map(weight_of, plan))]

    def __call__(self, line):
        found = re.match(r"\[(\d+)/(\d+), ([\d.]+) s\] (?:Building \S+ object )?(.*)", line)
        if not found:
            return line
        done, total, passed, what = int(found[1]), int(found[2]), float(found[3]), found[4]
        sums = self.sums if len(self.sums) > total else range(total + 1)
        left = passed * (sums[total] - sums[done]) / max(sums[done], 1e-9)
        return f"{done} of {total} files, about {math.ceil(left / 60)} min left: {Path(what).name}"


def weight_of(line):
    """Processor time of a step of Ninja, relative to that of a source of LAMMPS."""
    return next((weight for words, weight in WEIGHTS.items() if words in line), 0.0 if "Building" not in line else 1.0)


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
