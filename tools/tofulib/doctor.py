# SPDX-License-Identifier: GPL-2.0-only
"""Report the state of this machine, the missing requirements, and the remedy."""

import contextlib
import os
import platform
import re
import resource
import shutil
import statistics
import sys
from pathlib import Path

from . import (CHECKOUT, allocation, apt, build, busy, cache, launcher, mpi, program, providers, shell, source,
               style_index, system, version)

#: Shared memory that a node-wide run of a few ranks may need [bytes].
SHARED_MEMORY_WANTED = 64 * 2**20
#: Providers of libfabric that lock the memory they send from, and how much they may need [bytes].
NEED_LOCKED_MEMORY = frozenset(("verbs", "cxi", "efa", "psm2", "psm3", "opx"))
LOCKED_MEMORY_WANTED = 64 * 2**20
#: Vector instructions by the flag that the processor reports, the widest first.
VECTORS = {"avx512f": "AVX-512", "avx2": "AVX2", "sse4_2": "SSE4", "sse2": "SSE2", "sve": "SVE", "asimd": "NEON"}


def command(options):
    """tools/tofu doctor.

    Returns:
        0 if 'tofu run' can work, possibly after installing packages by itself; 1 if something stands in the way.
    """
    problems = []
    print(f"TOFU {version.tofu_version()}")
    if options.lammps:
        section(f"LAMMPS of --lammps {options.lammps}")
        report_tree(Path(options.lammps), problems)
        return report_remedies(problems)
    for title, report in (("Machine", report_machine), ("Messages and threads", report_messages)):
        section(title)
        report(problems)
    if options.lmp:
        section(f"LAMMPS of --lmp {options.lmp}")
        report_program(options.lmp, options.plugin, problems)
    section("To build LAMMPS with TOFU" + (", which --lmp does not need" if options.lmp else ""))
    of_build = [] if options.lmp else problems
    report_requirements(of_build)
    report_lammps(of_build)
    section("For 'predict' and plots")
    report_each(["venv"])
    section("For the tests alone")
    report_test_requirements()
    return report_remedies(problems)


def report_remedies(problems):
    """Print what to do.

    Returns:
        The exit status.
    """
    section("Remedies" if problems else "Nothing stands in the way.")
    for problem in problems:
        print(f"  * {problem}")
    return 1 if problems else 0


def section(title):
    """Print a heading."""
    print(f"\n{title}")


def line(name, value):
    """Print one finding."""
    print(f"  {name:18} {value}")


def report_machine(problems):
    """Report system, processor and memory."""
    release = platform.freedesktop_os_release() if hasattr(platform, "freedesktop_os_release") else {}
    line("system",
         f"{release.get('PRETTY_NAME', platform.system())}, {platform.machine()}, kernel {platform.release()}")
    line("python", f"{platform.python_version()} ({sys.executable})")
    if sys.version_info < (3, 9):
        problems.append("Python 3.9 or newer is needed.")
    physical, logical = mpi.cores()
    line("processors", f"{processor_name()}: {physical} cores, {logical} processors usable here")
    line("vectors", vectors())
    line("memory", f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GB")
    line("load", load())
    report_shared_memory(problems)
    report_cache(problems)


def load():
    """How busy the machine is now."""
    watch = busy.Watch(launcher.Launcher(None), 1)
    watch.look()
    others, cores = statistics.mean(watch.others), mpi.cores_of_machine()
    averages = ", ".join(f"{average:.1f}" for average in os.getloadavg())
    idle = others <= busy.PASSING
    return (f"{others:.1f} processes run or wait now, on {allocation.count(cores, 'core')} (load averages {averages})"
            + ("" if idle else ": on all cores 'tune', 'predict' and 'run' without an input give no verdict"))


def report_cache(problems):
    """Report the folder of downloads and builds."""
    try:
        free = shutil.disk_usage(cache.folder()).free
    except shell.Failure as failure:
        line("cache", f"{cache.root()}, not usable")
        problems.append(f"{failure}.")
        return
    line("cache", f"{cache.root()}, {free / 2**30:.1f} GB free")
    if free < 4 * 2**30:
        problems.append(f"A LAMMPS source tree, its build and the compiler cache take 3 GB; {cache.root()} has less. "
                        f"Set TOFU_CACHE to another folder.")


def processor_name():
    """Name that the processor reports."""
    found = re.search(r"^model name\s*:\s*(.+)$", build.about_processor(), re.MULTILINE)
    return found.group(1).strip() if found else platform.processor() or platform.machine()


def report_shared_memory(problems):
    """Report the file system behind shm_open()."""
    try:
        usage = shutil.disk_usage("/dev/shm")
    except OSError:
        line("/dev/shm", "missing")
        problems.append("There is no /dev/shm: p2p/rdma will use MPI between the ranks of a node. "
                        "Mount it: mount -t tmpfs tmpfs /dev/shm")
        return
    line("/dev/shm", f"{usage.free / 2**20:.0f} of {usage.total / 2**20:.0f} MB free")
    if usage.free < SHARED_MEMORY_WANTED:
        problems.append(
            f"/dev/shm has {usage.free / 2**20:.1f} MB free, below {SHARED_MEMORY_WANTED / 2**20:.0f} MB: p2p/rdma may "
                        f"have to use MPI between the ranks of a node. In a container, start it with --shm-size=1g.")


def vectors():
    """The widest vector instructions of the processor, as the kernels use them."""
    return next((name for flag, name in VECTORS.items() if build.processor_has(flag)), "none that the kernels know")


def report_messages(problems):
    """Report how messages between ranks can go, and where ranks and threads may run."""
    found = providers.names()
    line("libfabric", "missing: messages between nodes go by MPI" if found is None else
         ", ".join(found) or "has no providers")
    soft, _ = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    line("locked memory", "unlimited" if soft == resource.RLIM_INFINITY else f"{soft / 2**20:.1f} MB")
    if set(found or ()) & NEED_LOCKED_MEMORY and 0 <= soft < LOCKED_MEMORY_WANTED:
        problems.append(f"Only {soft / 2**20:.1f} MB of memory may be locked, and an InfiniBand or similar network "
                        f"needs more. Let the administrator set 'memlock unlimited' in /etc/security/limits.conf, and "
                        f"in a container use --ulimit memlock=-1.")
    where = allocation.find()
    line("ranks run on", where.name)
    launchers = [name for name in ("srun", "mpirun", "mpiexec", "jsrun", "aprun") if shutil.which(name)]
    line("launchers", ", ".join(launchers) or "none")
    nodes = len(list(Path("/sys/devices/system/node").glob("node[0-9]*")))
    line("NUMA domains", nodes or "unknown")


def report_program(path, plugin, problems):
    """Report a LAMMPS of the user, and how it can be started."""
    try:
        lmp = program.find(path)
        text = program.help_of(lmp)
        tofu, file = program.tofu_in(text, plugin)
    except shell.Failure as failure:
        problems.append(f"{failure}.")
        line("program", "not usable")
        return
    line("program", lmp)
    name = re.search(r"Simulator - (.+)", text)
    line("version", name.group(1) if name else "unknown")
    line("TOFU", f"{tofu} {file}".strip())
    if tofu == program.ABSENT:
        problems.append("The program has no TOFU: give --plugin FILE, or set LAMMPS_PLUGIN_PATH to the folder of "
                        "tofuplugin.so.")
    found = program.Program(lmp, tofu, file, program.packages_in(text), None, {}, program.kokkos_in(text))
    line("suffixes", " ".join(found.suffixes) or "none")
    library = program.library_of(lmp)
    line("MPI library", f"{library.name}, started by {library.launcher}" if library else "unknown")
    if library is None:
        problems.append(f"{lmp} is {program.kind_of(lmp)}: which MPI library it uses, or the launcher of that, was not "
                        f"found. Say how to start it with --launch, as in --launch 'srun -n {{ranks}} -c {{threads}}'.")


def report_tree(path, problems):
    """Report what a source tree of LAMMPS has otherwise than TOFU expects, without compiling it."""
    tree = path if (path / "src" / "version.h").exists() else path.parent
    if not (tree / "src" / "version.h").exists():
        line("sources", "not usable")
        problems.append(f"{path} is no source tree of LAMMPS: it has no src/version.h.")
        return
    line("version", source.release_of(tree))
    done = shell.attempt(["cmake", "-D", f"LAMMPS_SOURCE_DIR={tree / 'src'}", "-P",
                          CHECKOUT / "cmake" / "check_tree.cmake"])
    if done.returncode:
        problems.append(f"CMake could not look at the sources:\n{done.stderr}")
    found = {kind: re.findall(rf"^-- {kind}: (.*)$", done.stdout, re.MULTILINE) for kind in ("left out", "stops")}
    for kind, rows in found.items():
        for row in rows:
            line(kind, row)
    problems += [f"A build would stop: {row}. Build a tested release, {source.TESTED}." for row in found["stops"]]
    absent = absent_headers(tree)
    line("headers", "all there" if not absent else f"{', '.join(absent)} MISSING")
    if absent:
        problems.append(f"Sources of TOFU include headers that this LAMMPS does not have. Build a tested release, "
                        f"{source.TESTED}.")
    if found["left out"]:
        print("  The build tells the same, and all else is built: TOFU's results are those of LAMMPS there, too.")


def absent_headers(tree):
    """Headers of LAMMPS that TOFU's sources include and that a source tree does not have."""
    ours = CHECKOUT / "src" / "TOFU"
    wanted = {name for path in ours.rglob("*") if path.suffix in (".cpp", ".h", ".table")
              for name in re.findall(r'^ *#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE)}
    wanted.update(style_index.stock_headers())
    own = {path.name for path in ours.rglob("*.h")}
    there = {path.name for pattern in ("src/*.h", "src/*/*.h", "third_party/*/*.h") for path in tree.glob(pattern)}
    return sorted(name for name in wanted if Path(name).name not in own | there
                  and not name.startswith("tofu_style_"))    # made by the build


def report_requirements(problems):
    """Report which requirements of the build are met."""
    absent = report_each([*system.BUILD, "openmpi", "mpich", *system.SOURCE])
    has_mpi = not {"openmpi", "mpich"} <= set(absent)
    needed = [name for name in absent if name != "mpich" and (name != "openmpi" or not has_mpi)]
    if needed:
        problems.append(remedy(needed))


def report_test_requirements():
    """Report what the tests need beyond that; it stands in nobody's way, since 'tofu test' installs it."""
    absent = report_each([name for name in system.FULL_TEST if name not in (*system.BUILD, "venv")])
    if absent:
        print(f"  'tofu test' and 'tofu test --full' install what they miss, or do it now:\n      {to_type(absent)}")


def report_each(names):
    """A line for each requirement.

    Returns:
        Names of those that are not met.
    """
    absent = []
    for name in names:
        requirement = system.REQUIREMENTS[name]
        found = requirement.found()
        absent += [] if found else [name]
        line(name, f"{program_version(name) if found else 'MISSING'}  ({requirement.purpose})")
    return absent


def to_type(absent):
    """The command that installs missing packages, as a user types it."""
    return ("" if os.geteuid() == 0 else "sudo ") + shell.quote(system.install_command(absent))


def remedy(absent):
    """Advice about missing packages."""
    try:
        system.become_root(system.install_command(absent))
        return (f"Missing: {', '.join(absent)}. 'tofu run' and 'tofu test' install what they need, or do it now:\n"
                f"      {to_type(absent)}")
    except shell.Failure:
        return f"Missing: {', '.join(absent)}. This user cannot install them; please run\n      {to_type(absent)}"


def program_version(name):
    """First line that a program prints about its version, or "found"."""
    library = mpi.find(name) if name in mpi.IDENTITY else None
    program = library.launcher if library else name
    if name == "spin":
        answer = shell.attempt(["spin", "-V"]).stdout
    else:
        answer = shell.attempt([program, "--version"]).stdout if library or shutil.which(program) else ""
    rows = [row.strip() for row in answer.splitlines() if any(c.isdigit() for c in row)]
    return rows[0][:70] if rows else "found"


def report_lammps(problems):
    """Report sources and builds in the cache, and where a source would come from."""
    trees = sorted(path.parent.name for path in (cache.root() / "lammps").glob(f"*/{source.STAMP}"))
    line("sources", ", ".join(trees) or "none yet")
    builds = sorted(path.parent.name for path in (cache.root() / "build").glob("*/tofu-stamp.json"))
    line("builds", ", ".join(builds) or "none yet")
    with contextlib.suppress(shell.Failure):    # the cache was reported already
        line("compiler cache", build.ccache_folder())
    try:
        line("Debian mirror", apt.mirror())
    except shell.Failure as failure:
        line("Debian mirror", "none")
        if source.PINNED_RELEASE not in trees:
            problems.append(f"{failure}; LAMMPS will be cloned with git instead, or give --lammps DIR.")
