# SPDX-License-Identifier: GPL-2.0-only
"""Build LAMMPS with TOFU in the cache, and do nothing if nothing has changed."""

import os
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from . import CHECKOUT, cache, mpi, shell, source, system

#: Optional parts of LAMMPS that no benchmark needs and that would need more system packages.
LAMMPS_OFF = ("WITH_JPEG", "WITH_PNG", "WITH_GZIP", "WITH_FFMPEG", "WITH_CURL")
#: LAMMPS' own accelerator packages, which TOFU is compared with.
ACCELERATORS = ("OPENMP", "OPT", "INTEL")
#: Memory that one compiler may need [bytes].
COMPILER_MEMORY = 1.2e9


class Build(NamedTuple):
    """A LAMMPS that is ready to run."""

    lmp: Path              #: the program
    source: source.Source
    mpi: mpi.Mpi


def command(options):
    """tools/tofu build."""
    result = build(options.lammps_version, options.lammps, options.mpi, options.portable, refresh=options.refresh)
    print(result.lmp)
    return 0


def build(which="pinned", directory=None, mpi_name="openmpi", portable=False, with_tofu=True, refresh=False,
          accelerated=True):
    """Build LAMMPS; returns at once when nothing has changed since the last time.

    Args:
        which: "pinned" or "newest" LAMMPS.
        directory: Source tree to use instead.
        mpi_name: "openmpi" or "mpich".
        portable: Whether the program must run on other processors than this machine's.
        with_tofu: False builds the same LAMMPS without the package.
        refresh: Look up the newest release even if the last look-up was recent.
        accelerated: False leaves out LAMMPS' accelerator packages, which take a third of the time.

    Returns:
        A Build.
    """
    tree = source.get(which, directory, refresh)
    folder = cache.root() / "build" / build_name(tree, mpi_name, portable, with_tofu, accelerated)
    key = build_key(tree, mpi_name, portable, with_tofu)
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
        configure(tree, folder, library, portable, with_tofu, accelerated)
        compile_lammps(tree, folder, with_tofu)
        cache.write_json(stamp, {"key": key, "mpi": library, "processor": processor()})
    return Build(folder / "lmp", tree, library)


def build_name(tree, mpi_name, portable, with_tofu, accelerated=True):
    """Name of the build folder: one for each kind of program."""
    words = [tree.release, mpi_name]
    if not with_tofu:
        words.append("stock")
    if portable:
        words.append("portable")
    if not accelerated:
        words.append("plain")
    if not tree.cached:
        words.append(cache.fingerprint(str(tree.path))[:8])
    return "-".join(words)


def build_key(tree, mpi_name, portable, with_tofu):
    """Key that changes whenever a build would give another program. Trees in the cache are never edited."""
    inputs = [CHECKOUT / "src" / "TOFU", CHECKOUT / "cmake"] if with_tofu else []
    if not tree.cached:
        inputs += [tree.path / name for name in ("src", "cmake", "lib")]
    return cache.fingerprint(str(tree.path), cache.read_json(tree.path / source.STAMP), mpi_name, portable, processor(),
                             cache.file_stamps(*inputs))


def processor():
    """Fingerprint of the processor properties that -march=native depends on."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return ""
    return cache.fingerprint(re.findall(r"^(?:flags|Features|CPU part|model|cpu family)\s*:.*", text, re.MULTILINE)[:4])


def configure(tree, folder, library, portable, with_tofu, accelerated):
    """Run CMake."""
    shell.say(f"configuring LAMMPS {tree.release} {'with' if with_tofu else 'without'} TOFU, {library.name}")
    settings = {
        "CMAKE_BUILD_TYPE": "Release",
        "CMAKE_CXX_FLAGS": "" if portable else "-march=native",
        "CMAKE_CXX_COMPILER_LAUNCHER": "ccache",
        "MPI_CXX_COMPILER": library.cxx,
        "MPI_C_COMPILER": library.cc,
        "FFT": "FFTW3",
        "PKG_TOFU": "on" if with_tofu else "off",
        **{name: "off" for name in LAMMPS_OFF},
        **{f"PKG_{name}": "on" if accelerated else "off" for name in ACCELERATORS},
    }
    words = [word for name, value in settings.items() for word in ("-D", f"{name}={value}")]
    run_cmake(tree.path / "cmake", folder, ["-C", CHECKOUT / "cmake" / "presets" / "tofu.cmake", *words],
              folder.with_name(f"{folder.name}-configure.log"), env=environment())


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


def compile_lammps(tree, folder, with_tofu):
    """Run Ninja."""
    jobs = parallel_jobs()
    shell.say(f"compiling LAMMPS {tree.release} {'with' if with_tofu else 'without'} TOFU on {jobs} cores in {folder} "
              f"(about {round(18 / jobs)} minutes the first time, seconds later)")
    shell.run_logged(["ninja", "-C", folder, "-j", jobs], folder.with_name(f"{folder.name}-compile.log"),
                     progress=r"^\[", env=environment())


def parallel_jobs():
    """Number of compilers: one for each processor, as far as memory permits."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(1, min(mpi.cores()[1], int(memory / COMPILER_MEMORY)))


def environment():
    """Environment of the compilers.

    ccache must not share objects between processors when the objects are compiled with -march=native. It may share
    objects between build folders, hence the relative paths.
    """
    return {**os.environ, "CCACHE_DIR": str(ccache_folder()), "CCACHE_BASEDIR": str(cache.root()),
            "CCACHE_NOHASHDIR": "1",
            "NINJA_STATUS": "[%f/%t, %e s] "}


def ccache_folder():
    """The compiler cache of this processor: "ccache" belongs to the first processor that used it."""
    owner = cache.folder("ccache") / "tofu-processor.json"
    if not owner.exists():
        cache.write_json(owner, {"processor": processor()})
    if cache.read_json(owner).get("processor") == processor():
        return cache.folder("ccache")
    return cache.folder(f"ccache-{processor()}")
