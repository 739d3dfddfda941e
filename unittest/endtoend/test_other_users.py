# SPDX-License-Identifier: GPL-2.0-only
"""Another user of the same node can neither stop a job, nor change its results, nor use it to change files.

The other user is nobody (`other_user.py`), the job is root's: the tests need root, and a /dev/shm for the job alone.
Files of the other user have names that the job would use, or that look abandoned; its connections come to all ports on
which ranks listen for libfabric. The job goes on with the same results, to the last bit; only where connections are
disturbed it may end with an error that says so.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Dict, List, Sequence, Set, Tuple

import pytest

from fault_injector import KINDS as KINDS_OF_JOBS
from fault_injector import (LOST, PART, PATIENCE, WITHOUT_SHARED_MEMORY, Ending, HostSharedMemory,
                            PrivateSharedMemory, Watched, Work, processes_of, program_of, run_undisturbed, sockets_of,
                            start_work, tcp_table)
from lammps_output import read_statistics
from lammps_run import OFI_TCP, SHM, Installation, Variant, mpi_rank
from other_user import KINDS, MANNERS

pytestmark = [pytest.mark.full, pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")]

OTHER_USER = Path(__file__).with_name("other_user.py")

SECONDS_TO_FINISH = 10.0

ONLY_SHM = Variant("only-shm", keywords=("transport", "shm"))

ONLY_LIBFABRIC_LISTENS = {"OMPI_MCA_btl": "self,vader", "OMPI_MCA_pml": "ob1"}
"""With these settings Open MPI itself listens to no port."""

LJ_JOB = KINDS_OF_JOBS[0]

VICTIM = "what is in here stays as it is\n"


@dataclass(frozen=True)
class OneStyle(Work):
    """A job that keeps its communication style, but makes links anew in every part, since the ranks within the cut-off
    of ghosts are others: the segments of such a job have names that can be predicted.

    Args:
        parts: number of times that it makes links.
    """

    parts: int = 6

    def script(self) -> str:
        comm = " ".join(("comm_style", self.variant.style, *self.variant.keywords))
        lines = [comm, self.kind.system, "thermo 10"]
        for part in range(self.parts):
            lines += [f'print "=== part {part}"', f"comm_modify cutoff {(3.0, 5.0)[part % 2]}", "run 20"]
        return "\n".join([*lines, 'print "=== end"', ""])


@dataclass(frozen=True)
class Longer(Work):
    """A job with more steps.

    Args:
        steps: steps of each part, the first included.
        parts: number of times that it makes links.
    """

    steps: int = 300
    parts: int = 3

    def script(self) -> str:
        comm = " ".join(("comm_style", self.variant.style, *self.variant.keywords))
        lines = [comm, self.kind.system, "thermo 5"]
        for part in range(self.parts):
            lines += [f'print "=== part {part}"', "comm_style brick", comm, f"run {self.steps}"]
        return "\n".join([*lines, 'print "=== end"', ""])


class OtherUser:
    """A running program of the other user.

    Args:
        action: what it does.
        wrapper: words that run it in the mount namespace of a job.
        arguments: of the action.
    """

    def __init__(self, action: str, wrapper: Sequence[str] = (), **arguments):
        words = [*wrapper, sys.executable, str(OTHER_USER), action, json.dumps(arguments)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.report: Dict = {}
        assert self._process.stdout.readline() == "ready\n", f"{action} did not start"

    def order(self, line: str) -> None:
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def finish(self) -> Dict:
        """Let it stop, and return what it has done."""
        if not self.report:
            output, _ = self._process.communicate(timeout=SECONDS_TO_FINISH)
            assert self._process.returncode == 0, output
            self.report = json.loads(output.splitlines()[-1])
        return self.report

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def make_private_memory() -> PrivateSharedMemory:
    """A /dev/shm for a job and the other user, or a skip."""
    try:
        return PrivateSharedMemory()
    except OSError as failure:
        pytest.skip(str(failure))


@pytest.fixture
def shared_memory():
    """A /dev/shm for a job and the other user."""
    made = make_private_memory()
    yield made
    made.close()


@pytest.fixture
def victim(tmp_path):
    """A file of root that everybody may see; it must not change, and nothing may appear beside it."""
    folder = tmp_path / "victim"
    folder.mkdir()
    path = folder / "file"
    path.write_text(VICTIM)
    before = path.stat()
    yield path
    after = path.stat()
    assert path.read_text() == VICTIM and (after.st_mtime_ns, after.st_mode) == (before.st_mtime_ns, before.st_mode)
    assert os.listdir(folder) == ["file"]


class Undisturbed:
    """Ends of jobs without another user, each computed when it is first needed.

    Args:
        installation: LAMMPS to run.
        folder: folder of the jobs.
    """

    def __init__(self, installation: Installation, folder: Path):
        self._installation, self._folder = installation, folder
        self._endings: Dict[Tuple[int, str], Ending] = {}

    def of(self, work: Work) -> Ending:
        """The end, whose numbers do not depend on how the ranks talk to each other."""
        plain = replace(work, variant=SHM, environment=(), named=False)
        key = (work.ranks, plain.script())
        if key not in self._endings:
            with closing(HostSharedMemory()) as shared_memory:
                ending = run_undisturbed(self._installation, plain, self._folder / str(len(self._endings)),
                                         shared_memory)
            assert ending.status == 0 and not ending.survivors and rows_of(ending), ending
            self._endings[key] = ending
        return self._endings[key]


@pytest.fixture(scope="module")
def undisturbed(installation, tmp_path_factory):
    """Ends of jobs without another user."""
    return Undisturbed(installation, tmp_path_factory.mktemp("undisturbed"))


def rows_of(ending: Ending) -> List[List[float]]:
    """All rows of thermodynamic output, also of a job that did not come to its end."""
    return [[float(word) for word in line.split()] for line in ending.output.splitlines()
            if re.fullmatch(r"\s*\d+( +[-+.\de]+){5}\s*", line)]


def complaints(ending: Ending, expected: Ending, may_end: bool = False) -> List[str]:
    """Lines that say what is wrong with the end of a job.

    Args:
        ending: the end.
        expected: the end without another user.
        may_end: whether the job may end with an error that gives the reason.
    """
    lines = [f"not ended after {ending.over_at:.1f} s: {line}" for line in ending.survivors]
    lines += [f"left behind: {name}" for name in ending.leftovers]
    lines += [f"crash: {ending.crash()}"] if ending.crash() else []
    rows, others = rows_of(ending), rows_of(expected)
    lines += [f"wrong number: {row} instead of {other}" for row, other in zip(rows, others) if row != other][:2]
    if ending.survivors:
        return lines
    if ending.status == 0:
        lines += [] if len(rows) == len(others) else [f"{len(rows)} rows instead of {len(others)}"]
    elif not may_end:
        lines.append(f"ended with status {ending.status}")
    elif not any(re.search(words, ending.output, re.M) for words in LOST):
        lines.append("does not say why")
    return lines


def expect_well(ending: Ending, expected: Ending, may_end: bool = False) -> None:
    """Raise AssertionError if something is wrong with the end of a job."""
    lines = complaints(ending, expected, may_end)
    assert not lines, "\n".join([*lines, f"status {ending.status} after {ending.over_at:.1f} s, output:",
                                 ending.output[-3000:]])


def run_beside(installation: Installation, work: Work, folder: Path, shared_memory, user: OtherUser,
               meanwhile: Callable[[Watched], None] = lambda watched: None) -> Ending:
    """Run a job, let the other user finish, and note what is left.

    Args:
        installation: LAMMPS to run.
        work: the job.
        folder: folder of the job.
        shared_memory: its /dev/shm.
        user: the other user, who is at work already.
        meanwhile: called once, when the job has been started.
    """
    watched = start_work(installation, work, folder, shared_memory)
    try:
        meanwhile(watched)
        watched.follow(PATIENCE, installation.lmp)
        user.finish()
        watched.ending.leftovers = watched.leftovers()
    finally:
        watched.end()
        user.close()
    return watched.ending


def write_program(path: Path, text: str, installation: Installation) -> str:
    """Write a shell script that runs LAMMPS, and return its path."""
    path.write_text(text.format(program=shlex.quote(installation.lmp)))
    path.chmod(0o755)
    return str(path)


# ---- names in /dev/shm

NAMED_JOB = OneStyle(LJ_JOB, 4, SHM, tuple(WITHOUT_SHARED_MEMORY.items()), named=True)
"""A job that needs names in /dev/shm."""


@pytest.mark.parametrize("kind", [pytest.param(kind, marks=[pytest.mark.long] if number % 2 else [])
                                  for number, kind in enumerate(KINDS)])
def test_names_that_another_user_takes_first_do_not_stop_a_job(
    installation, undisturbed, shared_memory, victim, tmp_path, kind):
    user = OtherUser("take_names", shared_memory.wrapper(tmp_path), kind=kind, victim=str(victim), ranks=[0, 1, 2, 3])
    ending = run_beside(installation, NAMED_JOB, tmp_path / "job", shared_memory, user)
    expect_well(ending, undisturbed.of(NAMED_JOB))
    assert user.report["made"] > 0 and user.report["changed"] == [], user.report


def test_a_name_that_another_user_has_taken_is_told_where_shared_memory_was_asked_for(
    installation, undisturbed, shared_memory, victim, tmp_path):
    work = replace(NAMED_JOB, variant=ONLY_SHM)
    user = OtherUser("take_names", shared_memory.wrapper(tmp_path), kind="pipe", victim=str(victim), ranks=[0, 1, 2, 3])
    ending = run_beside(installation, work, tmp_path / "job", shared_memory, user)
    expect_well(ending, undisturbed.of(work), may_end=True)
    if ending.status != 0:
        assert re.search(r"^ERROR: comm_style p2p/rdma: .*/dev/shm/tofu-", ending.output, re.M), ending.output


ATTEMPTS = 4

IN_ONE_NAMESPACE_PER_RANK = """#!/bin/sh
exec unshare -m sh -c 'mount -t tmpfs -o mode=1777 tmpfs /dev/shm && exec "$@"' sh {program} "$@"
"""


@pytest.mark.parametrize("kind", ("file", "empty", "large", "pipe", "folder", "link"))
def test_a_file_of_another_user_is_not_taken_for_the_segment_of_a_rank_that_cannot_be_seen(
    installation, undisturbed, victim, tmp_path, kind):
    """Each rank has a /dev/shm of its own, as in containers; in that of either rank, the other user has files with the
    names of the other rank's segments."""
    program = write_program(tmp_path / "lmp", IN_ONE_NAMESPACE_PER_RANK, installation)
    work = replace(NAMED_JOB, ranks=2)
    for attempt in range(ATTEMPTS):    # on a busy machine a job may end before a user has begun
        with closing(HostSharedMemory()) as shared_memory:
            watched = start_work(replace(installation, lmp=program), work, tmp_path / f"job{attempt}", shared_memory)
            users: List[OtherUser] = []
            try:
                for rank, pid in ranks_that_run(watched, installation.lmp, 2).items():
                    words = ("nsenter", f"--target={pid}", "--mount")
                    users.append(OtherUser("take_names", words, kind=kind, victim=str(victim), ranks=[1 - rank]))
                watched.follow(PATIENCE, installation.lmp)
                reports = [user.finish() for user in users]
            finally:
                watched.end()
                for user in users:
                    user.close()
        expect_well(watched.ending, undisturbed.of(work))
        assert all(report["changed"] == [] for report in reports), reports
        if all(report["made"] > 0 for report in reports):
            return
    pytest.fail(f"a user made no name in any of {ATTEMPTS} jobs: {reports}")


def ranks_that_run(watched: Watched, lmp: str, nranks: int) -> Dict[int, int]:
    """Process ids by rank, as soon as all ranks run LAMMPS."""
    lmp = os.path.realpath(lmp)
    found: Dict[int, int] = {}

    def all_run() -> bool:
        found.update({mpi_rank(pid): pid for pid in processes_of(watched.mark) if program_of(pid) == lmp})
        return len(found) == nranks

    assert watched.wait_until(all_run, PATIENCE), watched.job.output()
    return found


def test_segments_of_a_running_job_cannot_be_touched(installation, undisturbed, shared_memory, tmp_path):
    work = replace(NAMED_JOB, parts=12)
    user = OtherUser("meddle", shared_memory.wrapper(tmp_path))
    ending = run_beside(installation, work, tmp_path / "job", shared_memory, user)
    expect_well(ending, undisturbed.of(work))
    assert "instead of shared memory" not in ending.output
    assert user.report["seen"] > 0 and user.report["done"] == [], user.report


def test_memory_of_a_running_job_cannot_be_reached(installation, undisturbed, shared_memory, tmp_path):
    work = Longer(LJ_JOB, 4)
    watched = start_work(installation, work, tmp_path / "job", shared_memory)
    user = None
    try:
        assert watched.wait_until(lambda: watched.has_printed(PART[1]), PATIENCE)
        user = OtherUser("look_into", pids=watched.living(installation.lmp))
        watched.follow(PATIENCE, installation.lmp)
        report = user.finish()
    finally:
        watched.end()
        if user:
            user.close()
    expect_well(watched.ending, undisturbed.of(work))
    assert report["rounds"] > 0 and report["done"] == [], report


LEFT_NAMES = {**{f"tofu-left-{kind}": kind for kind in KINDS if kind != "leased"},
              **{f"tofu-0123456789abcdef-{rank}-0": "file" for rank in range(4)}}

JOBS = {"named": NAMED_JOB, "anonymous": OneStyle(LJ_JOB, 4)}


@pytest.mark.parametrize("work", JOBS.values(), ids=JOBS)
def test_names_that_another_user_has_left_are_not_removed_and_do_no_harm(
    installation, undisturbed, shared_memory, victim, tmp_path, work):
    user = OtherUser("leave_names", shared_memory.wrapper(tmp_path), names=LEFT_NAMES, victim=str(victim))
    ending = run_beside(installation, work, tmp_path / "job", shared_memory, user)
    expect_well(ending, undisturbed.of(work))
    assert "instead of shared memory" not in ending.output
    (*_, statistics) = read_statistics(ending.output)
    assert statistics["peers by shared memory"] == (3.0, 3.0)
    assert user.report == {"made": len(LEFT_NAMES), "changed": []}


@pytest.mark.parametrize("work", JOBS.values(), ids=JOBS)
def test_a_file_that_cannot_be_opened_at_once_does_not_hold_up_a_job(
    installation, undisturbed, shared_memory, victim, tmp_path, work):
    """Opening a file with a lease takes as long as the other user likes, up to 45 s."""
    names = {f"tofu-left-{n}": "leased" for n in range(3)}
    user = OtherUser("leave_names", shared_memory.wrapper(tmp_path), names=names, victim=str(victim))
    ending = run_beside(installation, work, tmp_path / "job", shared_memory, user)
    expect_well(ending, undisturbed.of(work))


# ---- ports

FEW_LISTS = replace(LJ_JOB, system=LJ_JOB.system.replace("neigh_modify every 2", "neigh_modify every 20"))
"""Positions land in x for many steps, before the ranks would notice that they have lost count of messages."""

TCP_JOB = Longer(FEW_LISTS, 4, OFI_TCP, tuple(ONLY_LIBFABRIC_LISTENS.items()))

LOOPBACK = "0100007F"

SEEDS_OF_LONG_TEST = 20


def listening_ports(pids: Sequence[int]) -> Set[int]:
    """Ports of the loopback interface on which these processes listen."""
    table = tcp_table()
    ends = [table[one.inode] for pid in pids for one in sockets_of(pid) if one.inode in table]
    return {int(here.split(":")[1], 16) for here, there in ends
            if there.endswith(":0000") and here.startswith(LOOPBACK)}


class PortFinder:
    """Tells the other user about each port as soon as a rank listens there.

    Args:
        watched: the job.
        lmp: program of the ranks.
        user: the other user.
    """

    def __init__(self, watched: Watched, lmp: str, user: OtherUser):
        self.ports: Set[int] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, args=(watched, os.path.realpath(lmp), user))
        self._thread.start()

    def _look(self, watched: Watched, lmp: str, user: OtherUser) -> None:
        pids: List[int] = []
        while not self._over.wait(0.005):
            if not pids or not all(program_of(pid) == lmp for pid in pids):
                pids = [pid for pid in processes_of(watched.mark) if program_of(pid) == lmp]
            for port in sorted(listening_ports(pids) - self.ports):
                self.ports.add(port)
                user.order(f"port {port}")

    def close(self) -> None:
        self._over.set()
        self._thread.join()


def run_visited(installation: Installation, folder: Path, shared_memory, manner: str, seed: int, since: str,
                program: str = "") -> Ending:
    """Run a job whose ports are visited.

    Args:
        installation: LAMMPS to run.
        folder: folder of the job.
        shared_memory: its /dev/shm.
        manner: manner of the visits, one of `MANNERS`.
        seed: seed of their random numbers.
        since: line of the output after which they begin.
        program: program that starts LAMMPS; none: LAMMPS itself.
    """
    user = OtherUser("connect", manner=manner, seed=seed, visitors=2)
    watched = start_work(replace(installation, lmp=program or installation.lmp), TCP_JOB, folder, shared_memory)
    finder = None
    try:
        watched.wait_until(lambda: watched.has_printed(since), PATIENCE)
        finder = PortFinder(watched, installation.lmp, user)
        watched.follow(PATIENCE, installation.lmp)
    finally:
        if finder:
            finder.close()
        watched.end()
    try:
        report = user.finish()
        assert report["ports"] > 0 and report["made"] > 0, report
    finally:
        user.close()
    return watched.ending


SINCE = {"set-up": "", "run": PART[1]}
"""When the visits begin -> line of the output."""


def visits():
    """Manners of visits, each at one of the times, every third in each run: all pairs are in the long test."""
    for number, manner in enumerate(MANNERS):
        since = list(SINCE)[number % 2]
        marks = () if number % 3 == 1 else pytest.mark.long    # with an impostor ranks wait 10 s for each other
        yield pytest.param(manner, SINCE[since], id=f"{manner}-{since}", marks=marks)


@pytest.mark.most(2)
@pytest.mark.parametrize("manner,since", visits())
def test_connections_of_another_user_do_not_change_results(
    installation, undisturbed, shared_memory, tmp_path, manner, since):
    ending = run_visited(installation, tmp_path / "job", shared_memory, manner, 1, since)
    expect_well(ending, undisturbed.of(TCP_JOB), may_end=True)


WITH_FEW_DESCRIPTORS = """#!/bin/sh
ulimit -n 128
exec {program} "$@"
"""


@pytest.mark.most(1)
@pytest.mark.parametrize("since", SINCE.values(), ids=SINCE)
def test_more_connections_than_a_rank_has_descriptors_do_not_change_results(
    installation, undisturbed, shared_memory, tmp_path, since):
    program = write_program(tmp_path / "lmp", WITH_FEW_DESCRIPTORS, installation)
    ending = run_visited(installation, tmp_path / "job", shared_memory, "flood", 1, since, program)
    expect_well(ending, undisturbed.of(TCP_JOB), may_end=True)


@pytest.mark.long
@pytest.mark.parametrize("manner", MANNERS)
def test_connections_of_another_user_do_not_change_results_of_many_jobs(installation, undisturbed, tmp_path, manner):
    failures = []
    for seed in range(SEEDS_OF_LONG_TEST):
        with closing(make_private_memory()) as shared_memory:
            ending = run_visited(installation, tmp_path / str(seed), shared_memory, manner, seed,
                                 list(SINCE.values())[seed % 2])
        lines = complaints(ending, undisturbed.of(TCP_JOB), may_end=True)
        failures += [f"seed {seed}: {line}" for line in lines]
    assert not failures, "\n".join(failures)


# ---- errors that the checks must notice


WELL = Ending(status=0, output="Step Temp E_pair E_mol TotEng Press\n 0 1 2 3 4 5\n10 1 2.5 3 4 5\nLoop time of 1\n")


@pytest.mark.parametrize(
    "wrong,text",
    [
        ({"output": WELL.output.replace("2.5", "2.500000000000001")}, "wrong number"),
        ({"output": WELL.output.replace("2.5", "2.500000000000001"), "status": 1}, "wrong number"),
        ({"output": WELL.output.replace("10 1 2.5 3 4 5\n", "")}, "1 rows instead of 2"),
        ({"status": 1, "output": "nothing"}, "does not say why"),
        ({"survivors": ["process 17"]}, "not ended"),
        ({"leftovers": ["/dev/shm/tofu-1"]}, "left behind"),
        ({"status": 139, "output": "ERROR: rank 3\nBus error"}, "crash"),
    ],
)
def test_an_end_that_is_wrong_is_noticed(wrong, text):
    assert complaints(WELL, WELL) == []
    (line, *_) = complaints(Ending(**{**vars(WELL), **wrong}), WELL, may_end=True)
    assert text in line


def test_the_other_user_has_no_rights(tmp_path, shared_memory):
    """What the other user may do with a file that everybody may write to it does, and nothing with one of root."""
    for mode, all_done in (("077", []), ("000", ["read", "write", "truncate"])):
        user = OtherUser("meddle", shared_memory.wrapper(tmp_path))
        make = f"umask {mode} && touch /dev/shm/tofu-{mode:0>16}-0-{0:016x}"
        subprocess.run([*shared_memory.wrapper(tmp_path), "sh", "-c", make], check=True)
        time.sleep(0.3)
        try:
            assert user.finish() == {"seen": 1, "done": all_done}
        finally:
            user.close()
