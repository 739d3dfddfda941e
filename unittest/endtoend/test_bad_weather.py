# SPDX-License-Identifier: GPL-2.0-only
"""Little shared memory, lost atoms, killed ranks: a clear message, an end in seconds, nothing left behind."""

import os
import re
import shutil
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

from compare import ROUNDING, compare_snapshots
from lammps_output import read_snapshot, read_statistics
from lammps_run import BACKENDS, BRICK, SHM, descendants, is_alive, run_script, shared_segments, start
from small_systems import LJ, dump

pytestmark = pytest.mark.usefixtures("no_segment_left")

SECONDS_TO_END = 10.0

ENDLESS = f"{LJ}thermo 1000\nrun 100000000\n"

TINY_SHARED_MEMORY = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs -o size=64k tmpfs /dev/shm && exec "$@"', "sh")
"""Words before a command that give it a /dev/shm of 64 kB, in a mount namespace of its own."""

MPI_WITHOUT_SHARED_MEMORY = {
    "OMPI_MCA_btl": "self,tcp",
    "OMPI_MCA_pml": "ob1",
    "MPIR_CVAR_NOLOCAL": "1",
    "UCX_TLS": "self,tcp",
}
"""Keeps Open MPI and MPICH themselves away from /dev/shm."""


@pytest.fixture
def tiny_shared_memory():
    """The wrapper that makes /dev/shm tiny, or a skip where mount namespaces are forbidden."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare command")
    trial = subprocess.run([*TINY_SHARED_MEMORY, "true"], capture_output=True, text=True)
    if trial.returncode != 0:
        pytest.skip(f"no mount namespace: {trial.stderr.strip()}")
    return TINY_SHARED_MEMORY


def test_tiny_shared_memory_falls_back_to_mpi_with_one_warning(installation, tmp_path, tiny_shared_memory):
    script = f"{LJ}run 20\n{dump('{name}.dump')}\n"
    options = {"environment": MPI_WITHOUT_SHARED_MEMORY, "wrapper": tiny_shared_memory}
    run_script(installation, script.replace("{name}", "brick"), 4, tmp_path, variant=BRICK, **options).expect_success()
    job = run_script(
        installation, script.replace("{name}", "p2p"), 4, tmp_path, variant=SHM, **options
    ).expect_success()
    warnings = [line for line in job.output.splitlines() if line.startswith("WARNING") and "p2p_rdma" in line]
    assert len(warnings) == 1, job.output
    assert "shared memory" in warnings[0] or "/dev/shm" in warnings[0], warnings[0]
    (statistics,) = read_statistics(job.output)
    assert statistics["peers by shared memory"] == (0.0, 0.0)
    assert statistics["peers by MPI"] == (3.0, 3.0)
    lines = compare_snapshots(*(read_snapshot(tmp_path / f"{n}.dump") for n in ("brick", "p2p")), ROUNDING.after(20))
    assert not lines, "\n".join(lines)


def test_tiny_shared_memory_is_an_error_where_shared_memory_was_asked_for(installation, tmp_path, tiny_shared_memory):
    options = {"environment": MPI_WITHOUT_SHARED_MEMORY, "wrapper": tiny_shared_memory}
    script = f"comm_style p2p_rdma transport shm\n{LJ}run 20\n"
    output = run_script(installation, script, 4, tmp_path, **options).expect_failure()
    (message,) = [line for line in output.splitlines() if line.startswith("ERROR")]
    assert "p2p_rdma" in message and ("auto" in message or "mpi" in message), message


@pytest.mark.parametrize("variant", BACKENDS, ids=str)
def test_atom_outside_the_box_is_lost_as_with_brick(installation, tmp_path, variant):
    script = f"{LJ}change_box all boundary f f f\nset atom 17 vx 300.0\nneigh_modify every 1\nrun 100\n"
    messages = []
    for how in (BRICK, variant):
        output = run_script(installation, script, 4, tmp_path, variant=how).expect_failure()
        messages.append([line for line in output.splitlines() if line.startswith("ERROR")])
    assert messages[0] == messages[1]
    assert re.search(r"Lost atoms: original 500 current \d+", messages[0][0])


@pytest.mark.parametrize("variant", BACKENDS, ids=str)
def test_error_on_one_rank_ends_the_job(installation, tmp_path, variant):
    script = f"{LJ}neigh_modify one 10 page 100\nrun 10\n"
    run_script(installation, script, 4, tmp_path, variant=variant, timeout=60).expect_failure()


def running_job(installation, folder, ranks, variant, environment=None):
    """A job in the middle of its steps, with the process ids of its ranks."""
    (folder / "in.endless").write_text(ENDLESS)
    arguments = ["-log", "none", "-nonbuf", "-in", "in.endless"]
    job = start(installation, arguments, ranks, folder, variant, environment)
    deadline = time.monotonic() + 60
    while not re.search(r"^\s+[1-9]\d*000 ", job.output(), re.M):
        if time.monotonic() > deadline or job.process.poll() is not None:
            job.kill()
            pytest.fail(f"the job did not get to its steps:\n{job.output()}")
        time.sleep(0.05)
    pids = job.ranks(installation.lmp)
    if len(pids) != ranks:
        job.kill()
        pytest.fail(f"{len(pids)} of {ranks} ranks found")
    return job, pids


def wait_for_end(pids, seconds):
    """Those of the processes `pids` that still live after at most `seconds` seconds."""
    deadline = time.monotonic() + seconds
    alive = list(pids)
    while alive and time.monotonic() < deadline:
        time.sleep(0.05)
        alive = [pid for pid in alive if is_alive(pid)]
    return alive


def end(job, pids):
    """Whatever became of the job, leave no process of it."""
    job.kill()
    for pid in filter(is_alive, pids):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("victim", (0, 2), ids=("first", "third"))
@pytest.mark.parametrize("variant", BACKENDS, ids=str)
def test_all_ranks_end_when_one_is_killed(installation, tmp_path, variant, victim):
    job, pids = running_job(installation, tmp_path, 4, variant)
    try:
        os.kill(pids[victim], signal.SIGKILL)
        alive = wait_for_end([*pids, job.process.pid], SECONDS_TO_END)
        output = job.output()
    finally:
        end(job, pids)
    assert not alive, f"{len(alive)} processes lived on for {SECONDS_TO_END} s:\n{output[-2000:]}"
    # our own watch and Open MPI's launcher name the rank; MPICH's launcher ends all at once and says why
    assert re.search(rf"\brank {victim}\b|Killed \(signal 9\)", output, re.I), output[-2000:]


@pytest.mark.parametrize("variant", BACKENDS, ids=str)
def test_ranks_end_by_themselves_when_the_launcher_does_not_help(installation, tmp_path, variant):
    """Open MPI's recovery mode leaves the other ranks alone: our own watch must end them and name the peer."""
    launcher = subprocess.run([installation.mpiexec[0], "--version"], capture_output=True, text=True).stdout
    if "open" not in launcher.lower():
        pytest.skip("only Open MPI's launcher can be told not to end the other ranks")
    job, pids = running_job(installation, tmp_path, 4, variant, {"OMPI_MCA_orte_enable_recovery": "1"})
    victim = 2
    try:
        os.kill(pids[victim], signal.SIGKILL)
        alive = wait_for_end(pids, SECONDS_TO_END)
        time.sleep(0.5)
        output = job.output()
    finally:
        end(job, pids)
    assert not alive, f"{len(alive)} ranks lived on for {SECONDS_TO_END} s:\n{output[-2000:]}"
    assert re.search(rf"ERROR.*rank {victim}\b", output), output[-2000:]


@pytest.mark.parametrize("variant", BACKENDS, ids=str)
def test_interrupted_job_leaves_nothing(installation, tmp_path, variant):
    job, pids = running_job(installation, tmp_path, 4, variant)
    try:
        job.process.send_signal(signal.SIGINT)
        alive = wait_for_end([*pids, job.process.pid], SECONDS_TO_END)
    finally:
        end(job, pids)
    assert not alive


def test_no_segment_has_a_name_while_the_steps_run(installation, tmp_path):
    """Segments lose their names once all ranks have mapped them, so that not even SIGKILL of all leaves one."""
    before = set(shared_segments())
    job, pids = running_job(installation, tmp_path, 4, SHM)
    try:
        named = set(shared_segments()) - before
        mapped = Path(f"/proc/{pids[0]}/maps").read_text()
        for pid in [*pids, *descendants(job.process.pid), job.process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_for_end(pids, SECONDS_TO_END)
    finally:
        job.kill()
    assert not named
    assert re.search(r"/dev/shm/\S*tofu\S* \(deleted\)", mapped)


def test_segments_are_private_to_the_user(installation, tmp_path):
    """Watches /dev/shm while jobs start; a segment has a name for milliseconds, so a sighting takes a few jobs."""
    seen = {}
    (tmp_path / "in.script").write_text(f"{LJ}run 0\n")
    for _ in range(10):
        job = start(installation, ["-log", "none", "-in", "in.script"], 4, tmp_path, SHM)
        while job.process.poll() is None:
            for name in shared_segments():
                try:
                    seen[name] = stat.S_IMODE(os.stat(f"/dev/shm/{name}").st_mode)
                except FileNotFoundError:
                    pass
        job.wait(30).expect_success()
        if seen:
            break
    if not seen:
        pytest.skip("no segment was seen while it had a name")
    assert set(seen.values()) == {0o600}, {name: oct(mode) for name, mode in seen.items()}
