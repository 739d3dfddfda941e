# SPDX-License-Identifier: GPL-2.0-only
"""Start LAMMPS under MPI, wait for it with a time limit, and clean up after it.

`run()` starts one job and waits; `start()` returns the running job, for tests that do something
to it meanwhile. `lammps_output.py` reads the results of a job, and `lammps_server.py` runs many small
cases in one job.
"""

import fcntl
import os
import re
import shlex
import signal
import subprocess
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Set, Tuple

from lammps_output import error_line

RANK_COUNTS = (1, 2, 3, 4, 6, 8)
"""Numbers of MPI ranks on which the package must agree with `comm_style brick`."""

DEFAULT_TIMEOUT = 180.0
"""Seconds after which a job counts as hung; the slowest job needs about 20 s on two cores."""


SHARED_MEMORY = Path("/dev/shm")

NO_GRACE = {"OMPI_MCA_odls_base_sigkill_timeout": "0"}
"""Without this setting Open MPI waits a second or two between SIGTERM and SIGKILL after an error; LAMMPS does not need
this time."""


@dataclass(frozen=True)
class Variant:
    """One way to compute: a comm style, its keywords, its environment, and the parts of /threadpool styles.

    Args:
        name: short name, used in test ids and file names.
        style: LAMMPS comm style.
        keywords: words that follow the style.
        environment: additional variables of the job.
        parts: parts that styles with the suffix /threadpool cut their work into; 0: no such styles.
        package: more words of package threadpool. Long-range forces always overlap with pair forces unless these words
            say otherwise: systems are small, and there are more ranks than cores.
    """

    name: str
    style: str = "p2p/rdma"
    keywords: Tuple[str, ...] = ()
    environment: Tuple[Tuple[str, str], ...] = ()
    parts: int = 0
    package: Tuple[str, ...] = ()

    @property
    def words(self) -> Tuple[str, ...]:
        """The comm style with its keywords, and with all statistics, which the tests read."""
        return (self.style, *self.keywords, *(("stats", "full") if self.style == "p2p/rdma" else ()))

    @property
    def command(self) -> str:
        """The variant as lines of an input script, before there is a box."""
        comm = " ".join(("comm_style", *self.words))
        package = " ".join(("package", *self._package_words))
        return f"{package}\nsuffix threadpool\n{comm}" if self.parts else comm

    @property
    def _package_words(self) -> Tuple[str, ...]:
        return ("threadpool", str(self.parts), "overlap", "always", *self.package)

    @property
    def arguments(self) -> List[str]:
        """The variant as command-line arguments, so that a stock input is run as it is."""
        comm = [] if self.style == "brick" and not self.parts else ["-pk", "tofu", "comm", *self.words]
        return [*comm, "-pk", *self._package_words, "-sf", "threadpool"] if self.parts else comm

    @property
    def backend(self) -> str:
        """The backend of all messages, by its name in the statistics of p2p_rdma; empty for brick."""
        if self.style == "brick":
            return ""
        for word, name in (("mpi", "MPI"), ("utofu", "uTofu")):
            if word in self.keywords:
                return name
        off_node = dict(self.environment).get("TOFU_NODE_SIZE") == "1" or "ofi" in self.keywords
        return "libfabric" if off_node else "shared memory"

    def __str__(self) -> str:
        return self.name


OFF_NODE = (("TOFU_NODE_SIZE", "1"),)

BRICK = Variant("brick", style="brick")
SHM = Variant("shm")
MPI = Variant("mpi", keywords=("transport", "mpi"))
OFI = Variant("ofi", environment=OFF_NODE)
OFI_TCP = Variant("ofi-tcp", keywords=("transport", "ofi", "provider", "tcp"))
OFI_SHM = Variant("ofi-shm", keywords=("transport", "ofi", "provider", "shm"))
OFI_FULL_THREADS = Variant("ofi-full-threads", keywords=("shell", "full", "endpoints", "3", "threads", "2"),
                           environment=OFF_NODE)
SHM_3STAGE = Variant("shm-3stage", keywords=("pattern", "3stage"))
SHM_FULL = Variant("shm-full", keywords=("shell", "full"))
SHM_THREADS = Variant("shm-threads", keywords=("endpoints", "3", "threads", "3"))
MPI_3STAGE = Variant("mpi-3stage", keywords=("transport", "mpi", "pattern", "3stage"))
OFI_3STAGE = Variant("ofi-3stage", keywords=("pattern", "3stage"), environment=OFF_NODE)


def threadpool(parts: int, style: str = "brick") -> Variant:
    """Styles with the suffix /threadpool; they run in jobs of their own, since a suffix outlives a `clear`. With two
    parts ranks compute forces of pairs while they ask each other about neighbor lists, as on several nodes."""
    name = f"threadpool-{parts}-{style.replace('/', '_')}"
    return Variant(name, style=style, environment=(("TOFU_TEST", "threadpool"),), parts=parts,
                   package=("check", "overlap") if parts == 2 else ())


def shuffled(variant: Variant, seed: int) -> Variant:
    """The variant, which reads messages in the random order of a seed; 0: as they arrive."""
    return replace(variant, keywords=(*variant.keywords, "shuffle", str(seed))) if seed else variant


BACKENDS = (SHM, OFI, MPI)
"""All backends, with the direct pattern."""

ALL_VARIANTS = (SHM, MPI, OFI, SHM_FULL, SHM_THREADS, SHM_3STAGE, MPI_3STAGE, OFI_3STAGE, OFI_FULL_THREADS, OFI_TCP)


def variants_of_the_long_products() -> Tuple[Variant, ...]:
    """All variants, or those named in TOFU_VARIANTS ("ofi ofi-tcp").

    Raises:
        ValueError: TOFU_VARIANTS names a variant that does not exist.
    """
    names = os.environ.get("TOFU_VARIANTS", " ".join(str(variant) for variant in ALL_VARIANTS)).split()
    known = {str(variant): variant for variant in ALL_VARIANTS}
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise ValueError(f"TOFU_VARIANTS={' '.join(names)}: must be some of {' '.join(known)}")
    return tuple(known[name] for name in names)


def missing_variables() -> List[str]:
    """Names of the environment variables that the tests need and do not have."""
    return [name for name in ("TOFU_LMP", "TOFU_MPIEXEC", "TOFU_LAMMPS_DIR") if name not in os.environ]


#: The two innermost calls of such a crash, as Open MPI prints them.
CRASH_OF_MPI_INIT = re.compile(r"libc\.so\.6\(getenv\+.*\n.*/libmpi\.so.*\n.*/mca_pmix_")


@dataclass(frozen=True)
class Installation:
    """The programs that `tools/tofu test` has built, which it names in the environment of the tests.

    Args:
        lmp: LAMMPS binary with PKG_TOFU.
        mpiexec: words that start an MPI job; `-np N` is added.
        lammps_dir: source tree that belongs to `lmp`.
    """

    lmp: str
    mpiexec: Tuple[str, ...]
    lammps_dir: Path

    @classmethod
    def from_environment(cls, suffix: str = "") -> "Installation":
        """Read TOFU_LMP, TOFU_MPIEXEC and TOFU_LAMMPS_DIR, the first two with `suffix`.

        Raises:
            KeyError: a variable is missing.
        """
        return cls(
            lmp=os.environ["TOFU_LMP" + suffix],
            mpiexec=tuple(shlex.split(os.environ["TOFU_MPIEXEC" + suffix])),
            lammps_dir=Path(os.environ.get("TOFU_LAMMPS_DIR" + suffix) or os.environ["TOFU_LAMMPS_DIR"]),
        )

    def job_environment(self, extra: Dict[str, str]) -> Dict[str, str]:
        """Environment of a job: one thread per rank, potentials found, nothing inherited from TOFU_*."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("TOFU_")}
        environment["OMP_NUM_THREADS"] = "1"
        environment["LAMMPS_POTENTIALS"] = str(self.lammps_dir / "potentials")
        environment.update(extra)
        return environment


class LammpsFailure(AssertionError):
    """A job ended with an error, or not at all."""


@dataclass
class Run:
    """A job that has ended.

    Args:
        command: the words that started it.
        cwd: its working directory.
        returncode: exit status of the launcher.
        output: standard output and error, in the order in which they came.
        seconds: wall-clock time.
    """

    command: List[str]
    cwd: Path
    returncode: int
    output: str
    seconds: float
    environment: Dict[str, str] = field(default_factory=dict)

    @property
    def shell_line(self) -> str:
        """A line that repeats this run in a shell."""
        words = [f"{k}={shlex.quote(v)}" for k, v in sorted(self.environment.items())]
        return " ".join([f"cd {shlex.quote(str(self.cwd))} &&"] + words + [shlex.join(self.command)])

    def expect_success(self) -> "Run":
        """Return itself, or raise LammpsFailure with the end of the output."""
        if self.returncode != 0:
            raise LammpsFailure(
                f"LAMMPS ended with status {self.returncode}:\n{self.output[-4000:]}\nrepeat: {self.shell_line}"
            )
        return self

    def expect_failure(self) -> str:
        """Return the output of a run that had to stop with an error and did."""
        if self.returncode == 0:
            raise LammpsFailure(f"LAMMPS ended without the expected error:\n{self.output[-4000:]}\n{self.shell_line}")
        return self.output

    def expect_error(self, words: Sequence[str]) -> str:
        """Return the output of a run that had to stop with one error, whose line has these words, and did."""
        output = self.expect_failure()
        message = error_line(output)
        assert all(word in message for word in words), message
        return output


def descendants(pid: int) -> List[int]:
    """Process ids of all living children, grandchildren ... of `pid`, parents first."""
    children: Dict[int, List[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # the command name may contain blanks and brackets: fields are counted from the last bracket
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        state, parent = fields[0], int(fields[1])
        if state != "Z":
            children.setdefault(parent, []).append(int(entry.name))
    found, queue = [], [pid]
    while queue:
        offspring = children.get(queue.pop(0), [])
        found += offspring
        queue += offspring
    return found


def mpi_rank(pid: int) -> int:
    """Rank in MPI_COMM_WORLD that the launcher gave process `pid`; -1 if it is unknown."""
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return -1
    for variable in variables:
        name, _, value = variable.partition(b"=")
        if name in (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK", b"PMIX_RANK"):
            return int(value)
    return -1


def is_alive(pid: int) -> bool:
    """True while process `pid` runs; a zombie has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def named_segments() -> Set[str]:
    """Names of the package's shared-memory segments that exist now, including those of other users' jobs."""
    return {entry.name for entry in SHARED_MEMORY.glob("*tofu*")}


def abandoned_segments() -> Set[str]:
    """Names of the segments whose creator has ended: a creator holds a lock as long as the segment has a name."""
    return {name for name in named_segments() if _is_abandoned(SHARED_MEMORY / name)}


def segments_left_since(before: Set[str]) -> Set[str]:
    """Segments that have been abandoned since; checked twice, since a job of another release has no lock."""
    left = abandoned_segments() - before
    if left:
        time.sleep(1.0)
        left &= abandoned_segments()
    return left


def _is_abandoned(path: Path) -> bool:
    try:
        with open(path, "rb") as segment:
            fcntl.flock(segment, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:  # the segment is locked, no longer exists, or belongs to another user
        return False
    return True


class Job:
    """A running MPI job with its output going to a file."""

    def __init__(self, command: Sequence[str], cwd: Path, environment: Dict[str, str], shown: Dict[str, str]):
        self.command = list(command)
        self.cwd = cwd
        self._shown = shown
        self._started = time.monotonic()
        self._output_path = cwd / f"output-{self._started:.6f}.txt"
        with open(self._output_path, "wb") as sink:
            self.process = subprocess.Popen(
                self.command,
                cwd=cwd,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def output(self) -> str:
        """The output of the job so far."""
        return self._output_path.read_text(errors="replace")

    def ranks(self, binary: str) -> List[int]:
        """Process ids of the job's LAMMPS processes (of `binary`), in the order of their ranks."""
        found = []
        for pid in sorted([self.process.pid, *descendants(self.process.pid)]):
            try:
                program = os.readlink(f"/proc/{pid}/exe")
            except OSError:
                continue
            if program.replace(" (deleted)", "") == os.path.realpath(binary):
                found.append(pid)
        return sorted(found, key=mpi_rank)

    def wait(self, timeout: float) -> Run:
        """Wait for the end of the job; a job that takes longer than `timeout` seconds is killed.

        Raises:
            LammpsFailure: the job took too long.
        """
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise LammpsFailure(
                f"no end after {timeout:.0f} s:\n{self.output()[-3000:]}\nrepeat: {self._result().shell_line}"
            ) from None
        return self._result()

    def kill(self) -> None:
        """End the job and all processes that it started."""
        kill_tree(self.process)

    def _result(self) -> Run:
        seconds = time.monotonic() - self._started
        code = self.process.returncode
        return Run(self.command, self.cwd, code, self.output(), seconds, self._shown)


def kill_tree(process: subprocess.Popen) -> None:
    """End `process` and all its descendants, with SIGTERM first: a launcher can then remove its files."""
    family = descendants(process.pid)
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    for pid in family:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def mpi_command(
    installation: Installation, ranks: int, arguments: Sequence[str], launcher_options: Sequence[str] = ()
) -> List[str]:
    """The words that start LAMMPS on `ranks` ranks."""
    return [*installation.mpiexec, *launcher_options, "-np", str(ranks), installation.lmp, "-nocite", *arguments]


def start(
    installation: Installation,
    arguments: Sequence[str],
    ranks: int,
    cwd: Path,
    variant: Variant = BRICK,
    environment: Optional[Dict[str, str]] = None,
    wrapper: Sequence[str] = (),
    launcher_options: Sequence[str] = (),
) -> Job:
    """Start LAMMPS and return the running job.

    Args:
        installation: LAMMPS to run.
        arguments: its command line without the variant.
        ranks: number of MPI ranks.
        cwd: working directory.
        variant: way to exchange ghosts; appended to the command line.
        environment: more variables; they take precedence over those of the variant.
        wrapper: words put before the launcher, such as `unshare -m`.
        launcher_options: words put behind it.
    """
    shown = {**dict(variant.environment), **(environment or {})}
    words = mpi_command(installation, ranks, [*arguments, *variant.arguments], launcher_options)
    command = [*wrapper, *words]
    return Job(command, cwd, installation.job_environment(shown), shown)


def run(
    installation: Installation,
    arguments: Sequence[str],
    ranks: int,
    cwd: Path,
    variant: Variant = BRICK,
    environment: Optional[Dict[str, str]] = None,
    wrapper: Sequence[str] = (),
    timeout: float = DEFAULT_TIMEOUT,
) -> Run:
    """Start LAMMPS as `start()` does, and wait at most `timeout` seconds for its end; after an error it ends at
    once. A job that Open MPI ended before LAMMPS began is started once more."""
    for last in (False, True):
        ended = start(installation, arguments, ranks, cwd, variant, {**NO_GRACE, **(environment or {})},
                      wrapper).wait(timeout)
        if last or not is_crash_of_mpi_init(ended.output):
            break
    return ended


def is_crash_of_mpi_init(output: str) -> bool:
    """Whether a thread of Open MPI 4 read the environment while MPI_Init wrote to it, which glibc does not allow: the
    innermost call is getenv, called from libmpi for PMIx, and LAMMPS has not printed its first line."""
    return bool(CRASH_OF_MPI_INIT.search(output)) and "LAMMPS (" not in output


def run_script(installation: Installation, script: str, ranks: int, cwd: Path, **options) -> Run:
    """Write `script` to a file in `cwd` and run it; `options` as for `run()`."""
    path = Path(cwd) / "in.script"
    path.write_text(script)
    return run(installation, ["-log", "none", "-in", path.name], ranks, cwd, **options)
