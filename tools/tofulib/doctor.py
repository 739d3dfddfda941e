# SPDX-License-Identifier: GPL-2.0-only
"""Report the state of this machine, the missing requirements, and the remedy."""

import os
import platform
import shutil
import sys
from pathlib import Path

from . import apt, build, cache, mpi, shell, source, system

#: Shared memory that a node-wide run of a few ranks may want [bytes].
SHARED_MEMORY_WANTED = 64 * 2**20


def command(_options):
    """tools/tofu doctor.

    Returns:
        0 if 'tofu run' can work, possibly after installing packages by itself; 1 if something stands in the way.
    """
    problems = []
    section("Machine")
    report_machine(problems)
    section("Programs and libraries")
    report_requirements(problems)
    section("LAMMPS")
    report_lammps(problems)
    section("Remedies" if problems else "Nothing stands in the way.")
    for problem in problems:
        print(f"  * {problem}")
    return 1 if problems else 0


def section(title):
    """Print a heading."""
    print(f"\n{title}" if title != "Machine" else title)


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
    line("memory", f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.1f} GB")
    report_shared_memory(problems)
    free = shutil.disk_usage(cache.folder()).free
    line("cache", f"{cache.root()}, {free / 2**30:.1f} GB free")
    if free < 4 * 2**30:
        problems.append(f"A LAMMPS source tree, its build and the compiler cache take 3 GB; {cache.root()} has less. "
                        f"Set TOFU_CACHE to another folder.")


def processor_name():
    """Name that the processor reports."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor()
    names = [row.partition(":")[2].strip() for row in text.splitlines() if row.startswith("model name")]
    return names[0] if names else platform.machine()


def report_shared_memory(problems):
    """Report the file system behind shm_open()."""
    try:
        usage = shutil.disk_usage("/dev/shm")
    except OSError:
        line("/dev/shm", "missing")
        problems.append("There is no /dev/shm: p2p_rdma will use MPI between the ranks of a node. "
                        "Mount it: mount -t tmpfs tmpfs /dev/shm")
        return
    line("/dev/shm", f"{usage.free / 2**20:.0f} of {usage.total / 2**20:.0f} MB free")
    if usage.free < SHARED_MEMORY_WANTED:
        problems.append(
            f"/dev/shm has {usage.free / 2**20:.1f} MB free, below {SHARED_MEMORY_WANTED / 2**20:.0f} MB: p2p_rdma may "
                        f"have to use MPI between the ranks of a node. In a container, start it with --shm-size=1g.")


def report_requirements(problems):
    """Report which requirements of the build and the tests are met."""
    absent = []
    for name, requirement in system.REQUIREMENTS.items():
        found = requirement.found()
        absent += [] if found else [name]
        line(name, f"{version(name) if found else 'MISSING'}  ({requirement.purpose})")
    both_mpi = {"openmpi", "mpich"}
    needed = [name for name in absent if name not in both_mpi or both_mpi <= set(absent)]
    if "mpich" in needed and "openmpi" in needed:
        needed.remove("mpich")
    if needed:
        problems.append(remedy(needed))


def remedy(absent):
    """Advice about missing packages."""
    install = ("" if os.geteuid() == 0 else "sudo ") + shell.quote(system.install_command(absent))
    try:
        system.become_root(system.install_command(absent))
        return (f"Missing: {', '.join(absent)}. 'tofu run' and 'tofu test' install what they need, or do it now:\n"
                f"      {install}")
    except shell.Failure:
        return f"Missing: {', '.join(absent)}. This user cannot install them; please run\n      {install}"


def version(name):
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
    line("compiler cache", build.ccache_folder())
    try:
        line("Debian mirror", apt.mirror())
    except shell.Failure as failure:
        line("Debian mirror", "none")
        if source.PINNED_RELEASE not in trees:
            problems.append(f"{failure}; LAMMPS will be cloned with git instead, or give --lammps DIR.")
