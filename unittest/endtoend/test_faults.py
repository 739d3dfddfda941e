# SPDX-License-Identifier: GPL-2.0-only
"""After any fault a job ends with the right result, or in seconds with a reason, and leaves nothing behind.

`TOFU_FAULTS="17 4711" pytest test_faults.py -k repeated` repeats the cases with these seeds.
"""

import os
import random
import shutil
import socket
import subprocess
import sys
import uuid
from contextlib import closing
from pathlib import Path
from typing import Dict, List, Sequence

import pytest

import fault_injector
from fault_injector import (EITHER, ENDS, FAULTS, GOES_ON, MARK, PIDFD_GETFD, WITHOUT_MEMFD, Case, Ending, Fault, Hit,
                            HostSharedMemory, PrivateSharedMemory, Watched, Work, complaints, lack, limit_descriptors,
                            make_shared_memory, processes_of, report, run_case, run_undisturbed, shut_down, sockets_of)
from lammps_run import Installation, Job
from random_systems import SEED

CASES = len(FAULTS)
"""Number of cases in every run of the tests: each fault, on the same jobs each time unless TOFU_SEED is set."""

LONG = 1000
"""Number of cases of the long test."""


def first_seed(salt: str) -> int:
    """First seed of a test: a multiple of the number of faults."""
    return random.Random(f"{SEED} {salt}").randrange(10**6) * len(FAULTS)


class References:
    """Results of jobs without faults, each computed when it is first needed; the result is the same with every backend.

    Args:
        installation: LAMMPS to run.
        folder: folder of the jobs.
    """

    def __init__(self, installation: Installation, folder: Path):
        self._installation = installation
        self._folder = folder
        self._endings: Dict[str, Ending] = {}

    def of(self, work: Work) -> Ending:
        """The end of the job without its fault, after a check that the job has ended well."""
        plain = Work(work.kind, work.ranks)
        if str(plain) not in self._endings:
            with closing(make_shared_memory()) as shared_memory:
                ending = run_undisturbed(self._installation, plain, self._folder / str(plain), shared_memory)
            clean = ending.status == 0 and not ending.survivors and not ending.leftovers
            assert clean, f"{plain} undisturbed: {ending}"
            self._endings[str(plain)] = ending
        return self._endings[str(plain)]


@pytest.fixture(scope="session")
def references(installation, tmp_path_factory):
    """Jobs without faults."""
    return References(installation, tmp_path_factory.mktemp("undisturbed"))


@pytest.fixture(scope="session")
def missing(installation):
    """Fault -> reason why this system cannot have it; empty if it can."""
    with closing(make_shared_memory()) as shared_memory:
        return {fault.name: lack(fault, installation, shared_memory) for fault in FAULTS}


def failure_of(installation: Installation, references: References, seed: int, folder: Path) -> str:
    """Report of a failing case; empty if the case passes."""
    case = Case.deal(seed)
    expected = references.of(case.work)
    with closing(make_shared_memory()) as shared_memory:
        ending = run_case(installation, case, folder, shared_memory)
    lines = complaints(case.fault, ending, expected)
    return report(case, ending, lines) if lines else ""


def name_of(number: int) -> str:
    """Name of a case: its fault, and how many earlier cases have the same fault."""
    return f"{FAULTS[number % len(FAULTS)].name}-{number // len(FAULTS)}"


@pytest.mark.most(14)
@pytest.mark.usual(2)
@pytest.mark.parametrize("number", range(CASES), ids=name_of)
def test_a_job_survives_or_ends_and_says_why(installation, references, missing, tmp_path, number):
    seed = (first_seed("few") if "TOFU_SEED" in os.environ else 0) + number
    if missing[Case.deal(seed).fault.name]:
        pytest.skip(missing[Case.deal(seed).fault.name])
    failure = failure_of(installation, references, seed, tmp_path / "job")
    assert not failure, failure


@pytest.mark.skipif("TOFU_FAULTS" not in os.environ, reason="TOFU_FAULTS names no seeds of cases to repeat")
def test_repeated_cases(installation, references, tmp_path):
    for number, seed in enumerate(map(int, os.environ["TOFU_FAULTS"].split())):
        failure = failure_of(installation, references, seed, tmp_path / str(number))
        assert not failure, failure


@pytest.mark.long
def test_a_thousand_jobs_survive_or_end_and_say_why(installation, references, missing, tmp_path):
    first = first_seed("many")
    failures = []
    for seed in range(first, first + LONG):
        if not missing[Case.deal(seed).fault.name]:
            failures.append(failure_of(installation, references, seed, tmp_path / str(seed)))
    failures = list(filter(None, failures))
    assert not failures, f"{len(failures)} of {LONG} cases\n" + "\n\n".join(failures[:10])


# ---- errors that the checks must notice, in jobs that are not LAMMPS


def fake_job(folder: Path, words: Sequence[str], shared_memory=None) -> Watched:
    """Start any command as a job."""
    (folder / "tmp").mkdir()
    mark = uuid.uuid4().hex
    shared_memory = shared_memory or HostSharedMemory()
    environment = {**os.environ, MARK: mark, "TMPDIR": str(folder / "tmp")}
    job = Job([*shared_memory.wrapper(folder), *words], folder, environment, {})
    return Watched(job, mark, shared_memory)


def shell_job(folder: Path, script: str, shared_memory=None) -> Watched:
    """Start a shell script as a job."""
    return fake_job(folder, ["sh", "-c", script], shared_memory)


def python_job(folder: Path, lines: Sequence[str]) -> Watched:
    """Start a Python script as a job, and wait until it has printed "ready"."""
    watched = fake_job(folder, [sys.executable, "-u", "-c", "\n".join(lines)])
    assert watched.wait_until(lambda: "ready" in watched.job.output(), 20.0), watched.job.output()
    return watched


def fault(expected: str, *needs: str) -> Fault:
    """A fault that does nothing, with an expected outcome."""
    return Fault("nothing", lambda target: Hit("nothing"), expected, needs=needs)


def table(energy: float) -> str:
    """Output of a job with this energy."""
    return f"Step PotEng\n0 1.0\n10 {energy}\nLoop time of 1 on 1 procs\n"


WELL = Ending(status=0, output=table(2.0), hit=Hit("nothing", (3,)), over_at=1.0)


def changed(**fields) -> Ending:
    """A good end of a job, with some fields changed."""
    return Ending(**{**vars(WELL), **fields})


def test_a_job_that_ends_well_is_not_complained_about(tmp_path):
    watched = shell_job(tmp_path, "sleep 0.1 & wait; echo done")
    ending = watched.follow(10.0)
    assert ending.status == 0 and ending.output == "done\n" and not ending.survivors and not ending.leftovers
    for expected in (ENDS, GOES_ON, EITHER):
        assert complaints(fault(expected), WELL, WELL) == []
    error = changed(status=1, output="ERROR: rank 3 has ended")
    assert complaints(fault(ENDS), error, WELL) == complaints(fault(EITHER), error, WELL) == []


HANGS = {
    "launcher": "sleep 60",
    "child": "sleep 60 & wait",
    "orphans": "setsid sh -c 'sleep 60 & exec sleep 60' & exit 0",
}


@pytest.mark.parametrize("script", HANGS.values(), ids=HANGS)
def test_a_hang_is_noticed_and_ended(tmp_path, script):
    watched = shell_job(tmp_path, script)
    ending = watched.follow(0.5)
    (line, *_) = complaints(fault(ENDS), ending, WELL)
    assert "not ended 0." in line and "process" in line
    assert processes_of(watched.mark) == []


def test_a_launcher_may_hang_when_its_ranks_have_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(fault_injector, "SECONDS_FOR_THE_LAUNCHER", 0.3)
    program = Path(shutil.copy(shutil.which("sleep"), tmp_path / "output-rank"))
    watched = shell_job(tmp_path, f"{program} 0.3; sleep 60")
    assert watched.wait_until(lambda: watched.living(str(program)) and watched.had_ranks, 5.0)
    ending = watched.follow(10.0, str(program))
    assert ending.launcher_hung and not ending.survivors and processes_of(watched.mark) == []


def test_a_crash_of_the_launcher_is_not_one_of_a_rank():
    crash = "[vm:7] *** Process received signal ***\n[vm:7] Signal: Segmentation fault (11)\n[vm:7] Signal code: (1)\n"
    ending = changed(status=-11, launcher=7, output=crash + "ERROR: rank 3 has ended")
    assert complaints(fault(EITHER), ending, WELL) == []


@pytest.mark.parametrize(
    "expected,wrong,text",
    [
        (GOES_ON, {"status": 1}, "should have gone on"),
        (GOES_ON, {"output": table(2.0 + 1e-15)}, "another result"),
        (ENDS, {"output": "Step PotEng\n"}, "another result"),
        (EITHER, {"status": 1, "output": "ERROR: lost"}, "does not say why"),
        (ENDS, {"status": 1, "output": "ERROR: rank 30 has ended"}, "does not say why"),
        (ENDS, {"status": 1, "output": "ERROR: rank 3 has ended", "over_at": 5.1}, "took 5.1 s"),
        (EITHER, {"status": 139, "output": "ERROR: rank 3\nSegmentation fault"}, "crash"),
        (ENDS, {"status": 134, "output": "terminate called after rank 3"}, "crash"),
        (EITHER, {"status": -11, "launcher": 7, "output": "rank 3\n[vm:17] Signal: Segmentation fault (11)"}, "crash"),
        (EITHER, {"status": 1, "hit": Hit("nobody there", (3,), False)}, "should have gone on"),
        (ENDS, {"leftovers": ["/dev/shm/tofu-1"]}, "left behind: /dev/shm/tofu-1"),
    ],
)
def test_an_end_that_is_wrong_is_noticed(expected, wrong, text):
    lines = complaints(fault(expected), changed(**wrong), WELL)
    assert any(text in line for line in lines), lines


def test_a_leftover_in_a_shared_memory_of_its_own_is_noticed(tmp_path):
    try:
        shared_memory = PrivateSharedMemory()
    except OSError as failure:
        pytest.skip(str(failure))
    name = f"tofu-{uuid.uuid4().hex}"
    try:
        ending = shell_job(tmp_path, f"touch /dev/shm/{name} /dev/shm/vader_segment.x", shared_memory).follow(10.0)
        assert ending.leftovers == [f"/dev/shm/{name}"]
        assert not Path("/dev/shm", name).exists()
        assert shared_memory.sweep() == sorted([name, "vader_segment.x"]) and shared_memory.entries() == []
    finally:
        shared_memory.close()


def test_a_leftover_in_the_shared_memory_of_all_is_noticed_if_it_is_the_jobs(tmp_path):
    """The names do not begin with tofu-: a job of another test would remove such files as abandoned."""
    mine, other = (Path(f"/dev/shm/left-{uuid.uuid4().hex}") for _ in "ab")
    try:
        other.write_bytes(b"x" * 4096)
        lines = ["import mmap, time", f"f = open({str(mine)!r}, 'w+b')", "f.truncate(4096)",
                 "m = mmap.mmap(f.fileno(), 4096)", "print('ready')", "time.sleep(1.0)"]    # long enough to be seen
        watched = python_job(tmp_path, lines)
        assert watched.follow(20.0).leftovers == [str(mine)]
    finally:
        for path in (mine, other):
            path.unlink(missing_ok=True)


def test_a_leftover_file_is_noticed(tmp_path):
    ending = shell_job(tmp_path, "touch core.17 tmp/tofu-1 tmp/ompi.host.0").follow(10.0)
    assert [Path(name).name for name in ending.leftovers] == ["core.17", "tofu-1"]


def test_shared_memory_gets_full_empty_and_read_only(tmp_path):
    try:
        shared_memory = PrivateSharedMemory()
    except OSError as failure:
        pytest.skip(str(failure))

    def can_write() -> bool:
        words = [*shared_memory.wrapper(tmp_path), "sh", "-c", "echo x > /dev/shm/trial && rm /dev/shm/trial"]
        return subprocess.run(words, capture_output=True).returncode == 0

    try:
        seen = [can_write()]
        for change in (shared_memory.fill, shared_memory.sweep, shared_memory.empty, shared_memory.make_read_only):
            change()
            seen.append(can_write())
        assert seen == [True, False, False, True, False]
    finally:
        shared_memory.close()


def test_unnamed_memory_is_forbidden():
    trial = [sys.executable, "-c", "import os\nos.memfd_create('x')"]
    if subprocess.run([*WITHOUT_MEMFD, "true"], capture_output=True).returncode != 0:
        pytest.skip("no filter of system calls")
    assert subprocess.run(trial).returncode == 0
    assert "Function not implemented" in subprocess.run([*WITHOUT_MEMFD, *trial], capture_output=True, text=True).stderr


def test_descriptors_become_few(tmp_path):
    lines = ["import time", "print('ready')", "while True:", "    time.sleep(0.01)", "    open('/dev/null').close()"]
    watched = python_job(tmp_path, lines)
    try:
        limit_descriptors(watched.job.process.pid, 3)
        watched.follow(10.0)
        assert "Too many open files" in watched.ending.output and not watched.ending.survivors
    finally:
        watched.end()


def test_a_socket_of_another_process_is_shut_down(installation, tmp_path):
    why = lack(fault(EITHER, PIDFD_GETFD), installation, HostSharedMemory())
    if why:
        pytest.skip(why)
    with socket.create_server(("127.0.0.1", 0)) as server:
        connect = f"s = socket.create_connection({server.getsockname()!r})"
        lines = ["import socket", connect, "pair = socket.socketpair()", "print('ready')", "print(s.recv(1))"]
        watched = python_job(tmp_path, lines)
        try:
            shut = [shut_down(watched.job.process.pid, one.descriptor) for one in sockets_of(watched.job.process.pid)]
            assert sorted(shut) == [False, False, True]
            assert watched.follow(10.0).output == "ready\nb''\n"
        finally:
            watched.end()


def test_every_fault_is_dealt_and_a_seed_says_all():
    cases: List[Case] = [Case.deal(seed) for seed in range(10 * len(FAULTS))]
    assert {case.fault.name for case in cases[: len(FAULTS)]} == {one.name for one in FAULTS}
    assert cases == [Case.deal(seed) for seed in range(10 * len(FAULTS))]
    assert {case.work.ranks for case in cases} == set(fault_injector.RANKS)
