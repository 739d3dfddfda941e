# SPDX-License-Identifier: GPL-2.0-only
"""Inject a fault into a running job at a random moment, and judge how the job ends.

A `Case` follows from a number, its seed: the job, the fault, and the time of the fault. `run_case()` starts
the job, lets the `Fault` happen, follows all processes of the job until the last has ended, and notes
what is left behind; `complaints()` lists what is wrong with that. A job either goes on to its normal end
with the right result, or all its processes end within `SECONDS_TO_END` and its output gives the reason.

The following belongs to a job. Its processes have a mark in their environment, wherever they are in the tree of
processes. Its /dev/shm is private (`PrivateSharedMemory`); where mount namespaces are forbidden, the names
that its processes have mapped belong to it (`HostSharedMemory`). Its files are those below its working
directory, which holds its TMPDIR. Other jobs on this machine are neither changed nor inspected.
"""

import ctypes
import os
import random
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Set, Tuple

from charged_systems import SALT
from lammps_output import CLOCKS, read_thermo
from lammps_run import (
    MPI, NO_GRACE, OFI, OFI_TCP, SHM, SHM_THREADS, Installation, Job, Variant, is_alive, mpi_rank, start)
from small_systems import LJ
from uneven_systems import DROPLET

SECONDS_TO_END = 5.0
"""Seconds after the fault within which a job that cannot go on must have ended."""

SECONDS_FOR_THE_LAUNCHER = 5.0
"""Seconds that the launcher may take to end after all ranks have ended."""

SECONDS_TO_NOTICE = 10.0
"""Seconds after which a fault that need not end a job may still take effect, when the job needs the broken part; ranks
that make links wait so long for each other."""

PATIENCE = 60.0
"""Seconds after which a job that may go on counts as hung; on two busy cores such a job takes up to ten."""

MARK = "FAULT_INJECTOR_JOB"
"""Variable in the environment of all processes of a job."""

PARTS = 3
"""Number of times that a job makes its links anew; it runs some steps each time."""

BANNER = r"^LAMMPS \("
PART = [rf"^=== part {part}$" for part in range(PARTS + 1)]
END = r"^=== end$"
"""Lines of the output: MPI has started; the first links follow; the next part begins; all steps are done."""

MARKS = ["", BANNER, *PART]
"""Lines after which a fault happens, some time later; empty: the start of the launcher."""

CRASH = re.compile(r"Segmentation fault|Bus error|terminate called|stack smashing|double free|corrupted|Signal code:|"
                   r"exited on signal (?!2\b|9\b|15\b)\d+|AddressSanitizer", re.I)
"""Signs of a crash, which no fault excuses."""

LAUNCHERS_OWN = re.compile(r"ompi\.|openmpi-sessions|vader_segment|pmix|prte|hydra|mpich|psm_")
"""Beginnings of names that an MPI library leaves behind when it is killed; TOFU does not remove them."""


# ---- the processes of a job


def processes_of(mark: str) -> List[int]:
    """Process ids of all living processes of the job with this mark.

    A process that starts a program has no environment for a moment: only two looks show that there is no process.
    """
    found = look_for_processes_of(mark)
    if not found:
        time.sleep(0.005)
        found = look_for_processes_of(mark)
    return found


def look_for_processes_of(mark: str) -> List[int]:
    """The process ids that one look finds."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                variables = Path(f"/proc/{entry}/environ").read_bytes().split(b"\0")
            except OSError:
                continue
            if wanted in variables and is_alive(int(entry)):
                found.append(int(entry))
    return sorted(found)


def program_of(pid: int) -> str:
    """Path of the program that process `pid` runs; empty if it has ended."""
    try:
        return os.readlink(f"/proc/{pid}/exe").replace(" (deleted)", "")
    except OSError:
        return ""


def where_it_is(pid: int) -> str:
    """Description of process `pid`, with the places of its threads if there is a debugger."""
    text = f"process {pid}, rank {mpi_rank(pid)}, {program_of(pid)}"
    if shutil.which("gdb") is None:
        return text
    try:
        words = ["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 14"]
        trace = subprocess.run(words, capture_output=True, text=True, timeout=30)
    except subprocess.TimeoutExpired:
        return text
    return "\n".join([text, *(line[:160] for line in trace.stdout.splitlines() if re.match(r"#|Thread \d", line))])


def send(pid: int, number: int) -> bool:
    """Send a signal; False if the process has ended."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


# ---- the /dev/shm of a job


class PrivateSharedMemory:
    """A /dev/shm for a job alone, in a mount namespace that lives as long as this object.

    Args:
        megabytes: size of the file system.

    Raises:
        OSError: mount namespaces are forbidden.
    """

    private = True

    def __init__(self, megabytes: int = 64):
        script = f"mount -t tmpfs -o size={megabytes}m tmpfs /dev/shm && echo ready && exec cat"
        self._keeper = subprocess.Popen(["unshare", "-m", "sh", "-c", script], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)
        self._covered: Set[str] = set()
        if self._keeper.stdout.readline() != b"ready\n":
            self._end_keeper()
            raise OSError("no mount namespace of one's own")
        self._folder = os.open(Path("/proc", str(self._keeper.pid), "root", "dev", "shm"), os.O_RDONLY | os.O_DIRECTORY)

    def wrapper(self, folder: Path) -> Tuple[str, ...]:
        """Words before a command that run it in the namespace and in that working directory."""
        return ("nsenter", f"--target={self._keeper.pid}", "--mount", "env", f"--chdir={folder}")

    def note(self, pids: Sequence[int]) -> None:
        """Do nothing: all that is in this /dev/shm is the job's."""

    def entries(self) -> List[str]:
        """Names that exist now, without those that the job could not remove any more."""
        return sorted(set(os.listdir(self._folder)) - self._covered - {"filler"})

    def fill(self) -> None:
        """Take all pages."""
        descriptor = os.open("filler", os.O_RDWR | os.O_CREAT, 0o600, dir_fd=self._folder)
        try:
            while True:
                free = os.fstatvfs(self._folder)
                more = max(free.f_bavail * free.f_bsize, 4096)
                os.posix_fallocate(descriptor, os.fstat(descriptor).st_size, more)
        except OSError:    # full, whichever process took the last page
            pass
        finally:
            os.close(descriptor)

    def empty(self) -> None:
        """Return the pages that fill() has taken."""
        os.unlink("filler", dir_fd=self._folder)

    def sweep(self) -> List[str]:
        """Remove all names, as scripts that tidy up after jobs do, and return them."""
        names = self.entries()
        for name in names:
            try:
                os.unlink(name, dir_fd=self._folder)
            except OSError:
                pass
        return names

    def make_read_only(self) -> None:
        """Cover it with a read-only file system; the kernel allows no other way while files of it are in use."""
        mount = ("mount", "-t", "tmpfs", "-o", "ro", "tmpfs", "/dev/shm")
        subprocess.run([*self.wrapper(Path("/")), *mount], check=True, capture_output=True)
        self._covered = set(self.entries())

    def close(self) -> None:
        """Release the file system; the namespace ends with the last process in it."""
        os.close(self._folder)
        self._end_keeper()

    def _end_keeper(self) -> None:
        self._keeper.stdin.close()
        self._keeper.wait()
        self._keeper.stdout.close()


class HostSharedMemory:
    """The /dev/shm of this machine; only entries that processes of the job were seen to have mapped count."""

    private = False

    def __init__(self) -> None:
        self._names: Set[str] = set()

    def wrapper(self, folder: Path) -> Tuple[str, ...]:
        """No words are needed: a job starts in its folder."""
        return ()

    def note(self, pids: Sequence[int]) -> None:
        """Remember the names that these processes have mapped."""
        for pid in pids:
            try:
                maps = Path(f"/proc/{pid}/maps").read_text()
            except OSError:
                continue
            self._names |= set(re.findall(r"/dev/shm/(\S+)$", maps, re.M))

    def entries(self) -> List[str]:
        """Names of the job that still exist."""
        return sorted(name for name in self._names if Path("/dev/shm", name).exists())

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def make_shared_memory():
    """A private /dev/shm where the system allows it, else that of the machine."""
    try:
        return PrivateSharedMemory()
    except OSError:
        return HostSharedMemory()


FORBID_MEMFD = """
import ctypes, os, struct, sys
number = {"x86_64": 319, "aarch64": 279}[os.uname().machine]
fail, allow = 0x00050000 | 38, 0x7fff0000
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, fail), (0x06, 0, 0, allow)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
program = Program(len(steps), ctypes.addressof(code))
libc = ctypes.CDLL(None)
libc.prctl(38, 1, 0, 0, 0)
if libc.prctl(22, 2, ctypes.byref(program)) != 0:
    sys.exit("no seccomp")
os.execvp(sys.argv[1], sys.argv[1:])
"""
"""Starts a program for which memfd_create() fails with ENOSYS, as on old systems: shared memory then has a name."""

WITHOUT_MEMFD = (sys.executable, "-c", FORBID_MEMFD)


# ---- sockets of a process


class Connection(NamedTuple):
    """A socket of a process: its descriptor in that process, and its inode."""

    descriptor: int
    inode: int


def sockets_of(pid: int) -> List[Connection]:
    """All sockets of process `pid`."""
    found = []
    try:
        for entry in os.listdir(f"/proc/{pid}/fd"):
            match = re.fullmatch(r"socket:\[(\d+)\]", os.readlink(f"/proc/{pid}/fd/{entry}"))
            if match:
                found.append(Connection(int(entry), int(match.group(1))))
    except OSError:
        pass
    return sorted(found)


def tcp_table() -> Dict[int, Tuple[str, str]]:
    """Inode of each TCP socket of this machine -> its address and that of the other end."""
    rows = [line.split() for name in ("tcp", "tcp6")
            for line in Path(f"/proc/self/net/{name}").read_text().splitlines()[1:]]
    return {int(row[9]): (row[1], row[2]) for row in rows}


def other_ends(pid: int, others: Sequence[int]) -> Dict[Connection, int]:
    """The TCP connections of process `pid`, and which of the other processes has the other end; 0: none of these."""
    table = tcp_table()
    sockets = {ends: inode for inode, ends in table.items()}
    owners = {one.inode: other for other in others for one in sockets_of(other)}
    return {one: owners.get(sockets.get(table[one.inode][::-1]), 0)
            for one in sockets_of(pid) if one.inode in table and not table[one.inode][1].endswith(":0000")}


def copy_of_descriptor(pid: int, descriptor: int) -> int:
    """A descriptor of this process for a file that another process has open.

    Raises:
        OSError: the process has ended or has closed the descriptor, or access is forbidden.
    """
    pidfd_getfd = 438
    handle = os.pidfd_open(pid)
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        copy = libc.syscall(pidfd_getfd, handle, descriptor, 0)
        if copy < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return copy
    finally:
        os.close(handle)


def shut_down(pid: int, descriptor: int) -> bool:
    """End a connection of process `pid` with another process in both directions; False if the socket is none."""
    try:
        with socket.socket(fileno=copy_of_descriptor(pid, descriptor)) as copy:
            copy.getpeername()
            if struct.unpack("iII", copy.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0] == pid:
                return False    # a pair with which the process wakes itself up
            copy.shutdown(socket.SHUT_RDWR)
    except OSError:
        return False
    return True


# ---- faults


@dataclass
class Target:
    """A running job, and the random numbers of its fault.

    Args:
        job: the job.
        mark: mark of its processes.
        binary: program of its ranks.
        shared_memory: its /dev/shm.
        draw: random numbers that the fault draws from.
    """

    job: Job
    mark: str
    binary: str
    shared_memory: object
    draw: random.Random

    def ranks(self) -> Dict[int, int]:
        """Living ranks and their process ids; waits for the first one, unless the job has ended."""
        binary = os.path.realpath(self.binary)
        deadline = time.monotonic() + PATIENCE
        while True:
            over = self.job.process.poll() is not None or time.monotonic() > deadline
            found = {mpi_rank(pid): pid for pid in processes_of(self.mark) if program_of(pid) == binary}
            if found or over:
                return found
            time.sleep(0.005)

    def some_ranks(self, number: int) -> Dict[int, int]:
        """That many random ranks, or all if there are fewer."""
        ranks = self.ranks()
        return {rank: ranks[rank] for rank in self.draw.sample(sorted(ranks), min(number, len(ranks)))}

    def one_or_all(self) -> Dict[int, int]:
        """A single rank in two cases of three, else all ranks."""
        return self.some_ranks(self.draw.choice((1, 1, 1000)))


@dataclass
class Hit:
    """Effect of a fault.

    Args:
        text: description.
        ranks: ranks that were hit.
        landed: whether the fault still found something to hit.
    """

    text: str
    ranks: Tuple[int, ...] = ()
    landed: bool = True


def hit_ranks(what: str, victims: Dict[int, int], number: int) -> Hit:
    """Send a signal to ranks."""
    hit = tuple(rank for rank, pid in victims.items() if send(pid, number))
    return Hit(f"{what} of rank {', '.join(map(str, hit))}", hit, bool(hit))


def kill_one(target: Target) -> Hit:
    return hit_ranks("SIGKILL", target.some_ranks(1), signal.SIGKILL)


def kill_all(target: Target) -> Hit:
    return hit_ranks("SIGKILL", target.ranks(), signal.SIGKILL)


def stop_and_continue(target: Target) -> Hit:
    seconds = target.draw.uniform(0.1, 2.0)
    victims = target.one_or_all()
    hit = hit_ranks(f"{seconds:.2f} s of SIGSTOP", victims, signal.SIGSTOP)
    time.sleep(seconds if hit.landed else 0.0)
    hit_ranks("SIGCONT", victims, signal.SIGCONT)
    return hit


def stop_the_launcher(target: Target) -> Hit:
    number = target.draw.choice((signal.SIGTERM, signal.SIGINT, signal.SIGKILL))
    landed = target.job.process.poll() is None
    target.job.process.send_signal(number)
    return Hit(f"{number.name} of the launcher", (), landed)


def fill_shared_memory(target: Target) -> Hit:
    target.shared_memory.fill()
    return Hit("/dev/shm is full")


def empty_shared_memory(target: Target) -> Hit:
    target.shared_memory.empty()
    return Hit("/dev/shm, full until then, is empty")


def sweep_shared_memory(target: Target) -> Hit:
    return Hit(f"swept from /dev/shm: {' '.join(target.shared_memory.sweep()) or 'nothing'}")


def read_only_shared_memory(target: Target) -> Hit:
    target.shared_memory.make_read_only()
    return Hit("/dev/shm is read-only")


def limit_descriptors(pid: int, limit: int) -> None:
    """Let process `pid` open no descriptor with a number of `limit` or more; open descriptors stay open."""
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, resource.prlimit(pid, resource.RLIMIT_NOFILE)[1]))


def few_descriptors(target: Target) -> Hit:
    limited = []
    for rank, pid in target.one_or_all().items():
        try:
            nopen = len(os.listdir(f"/proc/{pid}/fd"))
            limit = target.draw.choice((3, 3, 8, nopen, nopen + 1, nopen + 2, nopen + 4))
            limit_descriptors(pid, limit)
            limited.append(f"rank {rank} has {nopen} descriptors and may have {limit}")
        except OSError:    # the process has ended
            pass
    return Hit("; ".join(limited), (), bool(limited))


def close_one_socket(target: Target) -> Hit:
    for rank, pid in target.some_ranks(1).items():
        ends = other_ends(pid, processes_of(target.mark))
        sockets = sockets_of(pid)
        target.draw.shuffle(sockets)
        if target.draw.random() < 0.5:    # most sockets lead to the launcher
            sockets.sort(key=lambda one: mpi_rank(ends.get(one, 0)) < 0)
        for one in sockets:
            if shut_down(pid, one.descriptor):
                whose = describe_other_end(ends.get(one))
                return Hit(f"socket {one.descriptor} of rank {rank} is shut down: {whose}", (rank,))
    return Hit("no socket", (), False)


def close_connections_of_a_rank(target: Target) -> Hit:
    """Shut down all connections of a rank with other ranks, as a network failure does, some time after the first one
    was made."""
    delay = target.draw.choice((0.0, 0.03 * target.draw.random()))
    victims = target.some_ranks(1)
    others = [pid for pid in target.ranks().values() if pid not in victims.values()]
    deadline = time.monotonic() + SECONDS_TO_END
    while target.job.process.poll() is None and time.monotonic() < deadline:
        for rank, pid in victims.items():
            if any(other_ends(pid, others).values()):
                time.sleep(delay)
                nshut = sum(shut_down(pid, one.descriptor) for one, other in other_ends(pid, others).items() if other)
                return Hit(f"{nshut} connections of rank {rank} with other ranks are shut down", (rank,), nshut > 0)
    return Hit("no connections with other ranks", (), False)


def describe_other_end(pid: Optional[int]) -> str:
    """The process with which a socket is connected, as text."""
    if pid is None:
        return "no TCP connection"
    rank = mpi_rank(pid) if pid else -1
    if rank >= 0:
        return f"TCP with rank {rank}"
    return f"TCP with {os.path.basename(program_of(pid)) if pid else 'no process'}"


ENDS, GOES_ON, EITHER = "ends", "goes on", "either"

WITHOUT_SHARED_MEMORY = {"OMPI_MCA_btl": "self,tcp", "OMPI_MCA_pml": "ob1", "MPIR_CVAR_NOLOCAL": "1",
                         "UCX_TLS": "self,tcp"}
"""Keeps MPI itself away from /dev/shm: these tests do not judge its use of it."""

PRIVATE_SHM, SECCOMP, PIDFD_GETFD, ORTE = "private shm", "seccomp", "pidfd_getfd", "orte"
"""Abilities that a system may lack: mount namespaces, filters of system calls, descriptors of other processes, a
launcher that can leave ranks alone."""

LAUNCHER_SAYS = r"exited on signal|Killed \(signal|mpirun noticed|BAD TERMINATION|aborted|terminated"


@dataclass(frozen=True)
class Fault:
    """A fault and its expected consequence.

    Args:
        name: name in test ids.
        inject: function that causes the fault.
        expected: expected outcome of the job.
        since: the first of MARKS after which the fault may happen.
        says: regular expressions; the output of a job that ends matches one of them; {rank}: a rank that was hit.
        environment: variables of the job.
        variants: variants for which the fault makes sense; empty: all.
        needs: abilities of the system that the fault needs; ORTE: the launcher does not end the other ranks, and may
            outlive them.
        named: whether shared memory has names, which may stay until the next job of the user starts.
        full: whether /dev/shm is full from the start.
    """

    name: str
    inject: Callable[[Target], Hit]
    expected: str
    since: str = ""
    says: Tuple[str, ...] = (r"\brank {rank}\b", LAUNCHER_SAYS)
    environment: Tuple[Tuple[str, str], ...] = ()
    variants: Tuple[Variant, ...] = ()
    needs: Tuple[str, ...] = ()
    named: bool = False
    full: bool = False


NOTHING = ("",)
LOST = (r"^ERROR.*rank \d+", r"lost the connection", LAUNCHER_SAYS)
NAMED = {"named": True, "variants": (SHM, SHM_THREADS), "needs": (PRIVATE_SHM, SECCOMP)}
ON_SHARED_MEMORY = {"expected": GOES_ON, "environment": tuple(WITHOUT_SHARED_MEMORY.items()), **NAMED}
ON_NETWORK = {"expected": EITHER, "since": BANNER, "says": LOST, "variants": (OFI, OFI_TCP)}
NO_HELP = {
    "expected": ENDS,
    "since": PART[1],
    "says": (r"^ERROR.*rank {rank}\b",),
    "environment": (("OMPI_MCA_orte_enable_recovery", "1"),),
    "needs": (ORTE,),
}
"""With these settings Open MPI's launcher leaves the other ranks alone when one is killed."""

FAULTS: Tuple[Fault, ...] = (
    Fault("kill", kill_one, ENDS),
    Fault("kill-without-help", kill_one, **NO_HELP),
    Fault("kill-all", kill_all, ENDS),
    Fault("kill-all-named", kill_all, ENDS, **NAMED),
    Fault("stop-and-continue", stop_and_continue, GOES_ON),
    Fault("stop-the-launcher", stop_the_launcher, ENDS, says=NOTHING),
    Fault("full-shm", fill_shared_memory, **ON_SHARED_MEMORY),
    Fault("emptied-shm", empty_shared_memory, full=True, **ON_SHARED_MEMORY),
    Fault("swept-shm", sweep_shared_memory, **ON_SHARED_MEMORY),
    Fault("read-only-shm", read_only_shared_memory, **ON_SHARED_MEMORY),
    Fault("few-descriptors", few_descriptors, GOES_ON, since=PART[1], variants=(SHM, SHM_THREADS, MPI)),
    Fault("few-descriptors-ofi", few_descriptors, **ON_NETWORK),
    Fault("one-socket", close_one_socket, EITHER, since=BANNER, says=LOST, needs=(PIDFD_GETFD,)),
    Fault("no-network", close_connections_of_a_rank, needs=(PIDFD_GETFD,), **ON_NETWORK),
)


def lack(fault: Fault, installation: Installation, shared_memory) -> str:
    """Reason why this system cannot have the fault; empty if it can."""
    if PRIVATE_SHM in fault.needs and not shared_memory.private:
        return "no mount namespace of one's own (needs root)"
    if SECCOMP in fault.needs and subprocess.run([*WITHOUT_MEMFD, "true"], capture_output=True).returncode != 0:
        return "no filter of system calls"
    if ORTE in fault.needs:
        version = subprocess.run([installation.mpiexec[0], "--version"], capture_output=True, text=True).stdout
        able = "Open MPI) 4" in version
        return "" if able else "only the launcher of Open MPI 4 can be told not to end the other ranks"
    if PIDFD_GETFD in fault.needs:
        try:
            os.close(copy_of_descriptor(os.getpid(), 0))
        except (AttributeError, OSError) as failure:
            return f"no pidfd_getfd: {failure}"
    return ""


# ---- jobs


@dataclass(frozen=True)
class Kind:
    """A computation of a job.

    Args:
        system: script up to the first run.
        begin, end: commands around every part of the job; each part makes its links anew.
        parts: parts of styles with the suffix /threadpool; 0: no such styles.
    """

    name: str
    system: str
    begin: str = ""
    end: str = ""
    parts: int = 0

    def __str__(self) -> str:
        return self.name


LONG_RANGE = "kspace_style pppm/offload 1e-4\nkspace_modify mesh 12 15 16 order 5 gewald 0.4 overlap/always yes fft {}"

KINDS: Tuple[Kind, ...] = (
    Kind("lj", LJ),
    Kind("lj-threadpool", LJ, parts=2),
    Kind("pppm-partial", SALT.format(kspace=LONG_RANGE.format("partial"))),
    Kind("pppm-pencil", SALT.format(kspace=LONG_RANGE.format("pencil"))),
    Kind("ring", DROPLET, "fix ring all ring/balance 1 1.0\n", "unfix ring\n"),
    Kind("ring-threadpool", DROPLET, "fix ring all ring/balance 1 1.0\n", "unfix ring\n", parts=1),
)

VARIANTS = (SHM, OFI, MPI, SHM_THREADS, OFI_TCP)
RANKS = (1, 2, 3, 4, 4, 6, 8)
SEVERAL_RANKS = (2, 3, 4, 4, 6)
"""Not more ranks, since over libfabric many processes take seconds to connect on two cores."""


@dataclass(frozen=True)
class Work:
    """A job without its fault.

    Args:
        kind: its computation.
        ranks: number of MPI ranks; it and `kind` determine the result, to the last bit.
        variant: what carries messages.
        environment: more variables.
        named: whether shared memory must have names.
    """

    kind: Kind
    ranks: int
    variant: Variant = SHM
    environment: Tuple[Tuple[str, str], ...] = ()
    named: bool = False

    def script(self) -> str:
        """Input with `PARTS` parts, each of which makes its links anew, and a part without steps before them."""
        comm = " ".join(("comm_style", *self.variant.words))
        suffix = f"package threadpool {self.kind.parts}\nsuffix threadpool\n" if self.kind.parts else ""
        steps = 300 // (3 + self.ranks)
        lines = [f"{suffix}{comm}", self.kind.system, f"thermo {steps}"]
        for part in range(PARTS + 1):
            lines += [f'print "=== part {part}"', "comm_style brick", comm, self.kind.begin,
                      f"run {steps if part else 0} post no", self.kind.end]
        return "\n".join([*lines, 'print "=== end"', ""])

    def __str__(self) -> str:
        return f"{self.kind}-{self.variant}-{self.ranks}"


@dataclass(frozen=True)
class Case:
    """A job, a fault, and the time of the fault.

    Args:
        seed: number from which all else follows.
        work: the job.
        fault: the fault.
        after: line of the output after which the fault happens.
        delay: time between this line and the fault, seconds.
    """

    seed: int
    work: Work
    fault: Fault
    after: str
    delay: float

    @classmethod
    def deal(cls, seed: int) -> "Case":
        """Case number `seed`; consecutive seeds, as many as there are faults, have each fault once."""
        draw = random.Random(seed)
        fault = FAULTS[seed % len(FAULTS)]
        variant = draw.choice(fault.variants or VARIANTS)
        several = variant.backend == "libfabric" or ORTE in fault.needs    # one rank alone would test nothing
        ranks = draw.choice(SEVERAL_RANKS if several else RANKS)
        after = draw.choice(MARKS[MARKS.index(fault.since):])
        delay = draw.uniform(0.0, 0.6) if after == "" else 0.2 * draw.random() ** 2
        return cls(seed, Work(draw.choice(KINDS), ranks, variant, fault.environment, fault.named), fault, after, delay)

    def __str__(self) -> str:
        return f"{self.fault.name}-{self.work}-{self.seed}"


# ---- a run of a job


@dataclass
class Ending:
    """End of a job.

    Args:
        status: exit status of the launcher; None if it had to be killed.
        output: whole output.
        hit: effect of the fault; None: there was no fault.
        hit_at: seconds from the start of the job to the end of the fault.
        over_at: seconds from the start to the end of the last process.
        done_before: whether all steps were done when the fault happened.
        launcher: process of the launcher, which is not part of TOFU.
        launcher_hung: whether the launcher did not end after its ranks had ended.
        survivors: processes that did not end, with their descriptions.
        leftovers: files and names that exist after the end and should not.
    """

    status: Optional[int] = None
    output: str = ""
    hit: Optional[Hit] = None
    hit_at: float = 0.0
    over_at: float = 0.0
    done_before: bool = False
    launcher: int = 0
    launcher_hung: bool = False
    survivors: List[str] = field(default_factory=list)
    leftovers: List[str] = field(default_factory=list)

    @property
    def seconds_to_end(self) -> float:
        """Seconds from the fault to the end of the last process."""
        return self.over_at - self.hit_at

    def crash(self) -> str:
        """Sign of a crash, or nothing. Open MPI's launcher may crash itself when it is interrupted as it ends: it then
        reports so in lines with its own process, which do not count."""
        others = re.sub(rf"^\[[^]\n]*:{self.launcher}\] .*$", "", self.output, flags=re.M)
        found = CRASH.search(others)
        return found.group(0) if found else ""

    def result(self) -> List[Tuple[str, List[float]]]:
        """All thermo output with all digits, without clocks."""
        columns = [column for table in read_thermo(self.output) for column in table.columns.items()]
        return [(name, values.tolist()) for name, values in columns if name not in CLOCKS]


class Watched:
    """A job whose processes are followed to their end.

    Args:
        job: a job that has just been started.
        mark: mark of its processes.
        shared_memory: its /dev/shm.
        files: names in its working directory that may stay.
    """

    def __init__(self, job: Job, mark: str, shared_memory, files: Sequence[str] = ()):
        self.job, self.mark, self.shared_memory = job, mark, shared_memory
        self.files = set(files)
        self.started = time.monotonic()
        self.ending = Ending()
        self.had_ranks = False

    def age(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    def wait_until(self, over: Callable[[], bool], limit: float) -> bool:
        """Check the condition every few milliseconds, at most until the job has this age; True if it became true."""
        while self.age() < limit:
            pids = processes_of(self.mark)
            self.shared_memory.note(pids)
            if over() or (not pids and self.job.process.poll() is not None):
                return over()
            time.sleep(0.02)
        return False

    def has_printed(self, line: str) -> bool:
        """Whether the output has a line that matches."""
        return bool(re.search(line, self.job.output(), re.M))

    def living(self, program: str = "") -> List[int]:
        """Living processes of the job; only those that run `program` if there ever was one."""
        pids = processes_of(self.mark)
        ranks = [pid for pid in pids if program and program_of(pid) == os.path.realpath(program)]
        self.had_ranks = self.had_ranks or bool(ranks)
        return ranks if program and self.had_ranks else pids

    def follow(self, limit: float, program: str = "") -> Ending:
        """Wait for the end of all processes until the job has this age; kill the rest; note what is left behind.

        Args:
            limit: age of the job in seconds.
            program: program of the ranks, if other processes, those of the launcher, may take longer.
        """
        self.wait_until(lambda: not self.living(program), limit)
        self.ending.over_at = self.age()
        left = self.living(program)
        if left:
            self.ending.survivors = [f"{len(left)} processes", *(where_it_is(pid) for pid in left[-2:])]
        else:
            self.wait_until(lambda: not self.living(), self.age() + SECONDS_FOR_THE_LAUNCHER)
            self.ending.launcher_hung = bool(self.living())
        self.end()
        self.ending.launcher = self.job.process.pid
        self.ending.output = self.job.output()
        self.ending.leftovers = self.leftovers()
        return self.ending

    def end(self) -> None:
        """Leave no process of the job, and take the status of its launcher."""
        if processes_of(self.mark) == [] or self.job.process.poll() is not None:
            self.ending.status = self.job.process.wait()
        deadline = time.monotonic() + 10
        while processes_of(self.mark) and time.monotonic() < deadline:
            for pid in processes_of(self.mark):
                send(pid, signal.SIGKILL)
            time.sleep(0.01)
        self.job.process.wait()

    def leftovers(self) -> List[str]:
        """Names in /dev/shm, in the working directory and in TMPDIR that were not removed."""
        found = [f"/dev/shm/{name}" for name in self.shared_memory.entries()]
        for path in sorted(self.job.cwd.iterdir()):
            if path.name == "tmp":
                found += [str(inside) for inside in sorted(path.iterdir())]
            elif path.name not in self.files and not path.name.startswith("output-"):
                found.append(str(path))
        return [name for name in found if not LAUNCHERS_OWN.match(os.path.basename(name))]


def start_work(installation: Installation, work: Work, folder: Path, shared_memory) -> Watched:
    """Make the folder and start a job in it."""
    (folder / "tmp").mkdir(parents=True)
    (folder / "in.script").write_text(work.script())
    mark = uuid.uuid4().hex
    environment = {MARK: mark, "TMPDIR": str(folder / "tmp"), **NO_GRACE}
    environment.update(work.environment + work.variant.environment)
    words = ["-log", "none", "-nonbuf", "-in", "in.script"]
    wrapper = [*shared_memory.wrapper(folder), *(WITHOUT_MEMFD if work.named else ())]
    job = start(installation, words, work.ranks, folder, environment=environment, wrapper=wrapper)
    return Watched(job, mark, shared_memory, ["in.script"])


def run_undisturbed(installation: Installation, work: Work, folder: Path, shared_memory) -> Ending:
    """Run the job without a fault."""
    watched = start_work(installation, work, folder, shared_memory)
    try:
        return watched.follow(PATIENCE)
    finally:
        watched.end()


def run_case(installation: Installation, case: Case, folder: Path, shared_memory) -> Ending:
    """Run the job with its fault.

    Args:
        installation: LAMMPS to run.
        case: the job and its fault.
        folder: folder, which is made.
        shared_memory: the /dev/shm of the job.
    """
    if case.fault.full:
        shared_memory.fill()
    watched = start_work(installation, case.work, folder / "job", shared_memory)
    try:
        target = Target(watched.job, watched.mark, installation.lmp, watched.shared_memory,
                        random.Random(case.seed * 2 + 1))
        watched.wait_until(lambda: watched.has_printed(case.after), PATIENCE)
        watched.wait_until(lambda: False, watched.age() + case.delay)
        watched.living(installation.lmp)    # notes that there are ranks: their launcher may hang when they are killed
        inject(watched, target, case.fault)
        has_to_end = case.fault.expected == ENDS and watched.ending.hit.landed and not watched.ending.done_before
        limit = watched.ending.hit_at + (SECONDS_TO_END if has_to_end else PATIENCE)
        watched.follow(limit, installation.lmp)
    finally:
        watched.end()
    if case.fault.named and watched.ending.leftovers:
        run_undisturbed(installation, case.work, folder / "next", shared_memory)
        watched.ending.leftovers = watched.leftovers()
    return watched.ending


def inject(watched: Watched, target: Target, fault: Fault) -> None:
    """Let the fault happen, and note it."""
    ending = watched.ending
    ending.hit = fault.inject(target)
    ending.hit_at = watched.age()
    time.sleep(0.05)    # output from before the fault is still on its way through the launcher
    ending.done_before = watched.has_printed(END)


# ---- judgement


def complaints(fault: Fault, ending: Ending, expected: Ending) -> List[str]:
    """Lines that say what is wrong with the end of a job; none if nothing is wrong."""
    lines = [f"not ended {ending.seconds_to_end:.1f} s after the fault: {line}" for line in ending.survivors]
    lines += [f"left behind: {name}" for name in ending.leftovers]
    lines += [f"crash: {ending.crash()}"] if ending.crash() else []
    if ending.survivors:
        return lines
    done = re.search(END, ending.output, re.M) or ORTE not in fault.needs    # the launcher ORTE ends with 0 in any case
    if ending.status == 0 and done:
        return lines + ([] if ending.result() == expected.result()
                        else ["ended with status 0, but with another result"])
    if ending.done_before:
        return lines
    return lines + complaints_about_an_error(fault, ending)


def complaints_about_an_error(fault: Fault, ending: Ending) -> List[str]:
    """Lines that say what is wrong with a job that did not come to its normal end."""
    lines = []
    limit = SECONDS_TO_END + (0.0 if fault.expected == ENDS else SECONDS_TO_NOTICE)
    if fault.expected == GOES_ON or not ending.hit or not ending.hit.landed:
        lines.append(f"ended with status {ending.status} and should have gone on")
    elif ending.seconds_to_end > limit:
        lines.append(f"took {ending.seconds_to_end:.1f} s to end")
    silent = ending.launcher_hung and ORTE not in fault.needs    # the launcher had to give the reason
    if ending.hit and ending.hit.landed and not silent and not names_the_cause(fault, ending):
        lines.append(f"does not say why: nothing like {' or '.join(fault.says)}")
    return lines


def names_the_cause(fault: Fault, ending: Ending) -> bool:
    """Whether the output has one of the words that the fault requires."""
    ranks = "|".join(map(str, ending.hit.ranks)) or r"\d+"
    return any(re.search(words.replace("{rank}", f"({ranks})"), ending.output, re.M) for words in fault.says)


def report(case: Case, ending: Ending, lines: Sequence[str]) -> str:
    """The report of a failing case."""
    hit = f"{ending.hit.text} after {ending.hit_at:.2f} s" if ending.hit else "no fault"
    when = f"{case.delay:.3f} s after {case.after or 'the start'}"
    head = f"case {case} (TOFU_FAULTS={case.seed} repeats it): {hit}, which is {when}; status {ending.status}"
    return "\n".join([head, *lines, "output:", ending.output[-3000:]])
