# SPDX-License-Identifier: GPL-2.0-only
"""A busy machine gives no verdict: what tells it, and programs that do not end are stopped with all they started."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tofulib import busy, mpi, shell
from tofulib.allocation import Allocation
from tofulib.launcher import Launcher

IDLE = ([[100.0, 102.0, 99.0], [50.0, 51.0, 50.5]], [[99.0, 98.5, 99.2], [100.0, 99.9, 99.7]])


@pytest.fixture
def machine(monkeypatch):
    """A machine with two cores; the number of processes that run is what it is told."""
    class Machine:
        others = 0
    monkeypatch.setattr(mpi, "cores_of_machine", lambda: 2)
    monkeypatch.setattr(mpi, "cores", lambda: (2, 2))
    monkeypatch.setattr(busy, "running", lambda: Machine.others)
    monkeypatch.setattr(busy, "BETWEEN_LOOKS", 0.0)
    monkeypatch.setattr(busy, "INTERVAL", 0.0)
    return Machine


def reasons_of(times=IDLE[0], uses=IDLE[1], wanted=2, template="", where=Allocation("", (2,))):
    """What a watch says after three looks."""
    watch = busy.Watch(Launcher(None, template, where), wanted)
    for _ in range(3):
        watch.look()
    return watch.reasons(times, uses)


def test_an_idle_machine_gives_a_verdict(machine):
    assert not reasons_of()


@pytest.mark.parametrize("others, wanted, is_busy", [(1, 2, True), (1, 1, False), (2, 1, True), (22, 2, True)])
def test_processes_that_outnumber_cores_are_seen(machine, others, wanted, is_busy):
    machine.others = others
    assert any("other programs run" in reason for reason in reasons_of(wanted=wanted)) == is_busy
    assert not reasons_of(wanted=wanted, template="srun -n {ranks}")    # the ranks are on other machines


def test_more_processes_measured_than_cores_are_seen(machine):
    (reason,) = reasons_of(wanted=8)
    assert "8 processes measured share 2 cores" in reason
    assert not reasons_of(wanted=8, where=Allocation("Slurm", (2,) * 4))    # two on each node


@pytest.mark.parametrize("use, is_busy", [(100.0, False), (81.0, False), (79.0, True), (12.0, True)])
def test_ranks_that_do_not_get_their_processors_are_seen(machine, use, is_busy):
    found = reasons_of(uses=[IDLE[1][0], [99.0, use, use]])
    assert bool(found) == is_busy and all("CPU use" in reason for reason in found)
    assert not reasons_of(uses=[IDLE[1][0], [99.0, use, 99.0]])    # one disturbed round of three


@pytest.mark.parametrize("times, is_busy", [
    ([100.0, 140.0, 120.0], False), ([100.0, 160.0, 120.0], True), ([100.0], False), ([], False),
    ([100.0, 101.0, 102.0, 103.0, 900.0], False), ([100.0, 101.0, 102.0, 900.0, 900.0], True)])
def test_times_that_scatter_are_seen(machine, times, is_busy):
    found = reasons_of(times=[IDLE[0][0], times])
    assert bool(found) == is_busy and all("differ by a factor" in reason for reason in found)


def test_a_load_beside_this_process_is_counted():
    """With as many busy processes as cores, and one more, at least one runs or waits at any moment."""
    if not Path("/proc/loadavg").exists():
        pytest.skip("this system does not count processes in /proc/loadavg")
    number = mpi.cores_of_machine() + 1
    loads = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        time.sleep(0.3)
        found = [busy.running() for _ in range(20) if not time.sleep(0.01)]
    finally:
        for load in loads:
            load.kill()
            load.wait()
    assert max(found) >= number - 1


def alive(word):
    """Processes whose command line has a word."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes().split(b"\0"):
                found.append(path)
        except OSError:
            pass
    return found


def gone(word):
    """Whether there are no such processes any more; the system may need a moment for it."""
    return any(not alive(word) for _ in range(100) if not time.sleep(0.1))


def test_a_program_that_is_late_is_stopped_with_what_it_has_started(monkeypatch):
    word = f"tofu-test-{os.getpid()}"
    sleep = f"import sys, time; time.sleep(60); sys.exit('{word}')"
    command = ["sh", "-c", f'"{sys.executable}" -c "{sleep}" {word} & wait']
    with pytest.raises(shell.Late, match="had not ended and was stopped"):
        shell.attempt(command, 0.5)
    assert gone(word)
    with pytest.raises(shell.Late):    # it does not listen
        monkeypatch.setattr(shell, "TIME_TO_END", 0.2)
        shell.attempt(["sh", "-c", f'trap "" TERM; "{sys.executable}" -c "{sleep}" {word}; sleep 60'], 0.5)
    assert gone(word)


def test_a_program_may_be_stopped_before_its_time_is_up(monkeypatch):
    monkeypatch.setattr(shell, "BETWEEN_QUESTIONS", 0.05)
    asked = []
    with pytest.raises(shell.Late):
        shell.attempt(["sleep", "60"], 50.0, lambda: asked.append(1) or len(asked) > 3)
    assert len(asked) == 4


def test_a_program_in_time_gives_what_it_prints():
    done = shell.attempt(["sh", "-c", "echo out; echo err >&2; exit 5"], 60.0)
    assert (done.returncode, done.stdout, done.stderr) == (5, "out\n", "err\n")
    assert shell.attempt(["no-such-program"], 60.0).returncode == 127
