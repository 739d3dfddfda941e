# SPDX-License-Identifier: GPL-2.0-only
"""With little shared memory, lost atoms or killed ranks, a job ends in seconds with a clear message, and leaves nothing
behind."""

import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from compare import ROUNDING, compare_snapshots
from lammps_output import read_snapshot, read_statistics
from lammps_run import BACKENDS, BRICK, SHM, descendants, is_alive, mpi_command, run_script, start
from small_systems import LJ, dump

pytestmark = pytest.mark.usefixtures("no_segment_left")

SECONDS_TO_END = 10.0

ENDLESS = f"{LJ}thermo 1000\nrun 100000000\n"

TINY_SHARED_MEMORY = "mount -t tmpfs -o size=64k tmpfs /dev/shm"
OWN_SHARED_MEMORY = "mount -t tmpfs tmpfs /dev/shm"
HIDDEN_PROC = "mount -t tmpfs tmpfs /proc"


def in_mount_namespace(*mounts):
    """Words before a command that run it in a mount namespace of its own with these mounts; skip the test where that is
    forbidden."""
    words = ("unshare", "-m", "sh", "-c", " && ".join([*mounts, 'exec "$@"']), "sh")
    if shutil.which("unshare") is None:
        pytest.skip("no unshare command")
    trial = subprocess.run([*words, "true"], capture_output=True, text=True)
    if trial.returncode != 0:
        pytest.skip(f"no mount namespace: {trial.stderr.strip()}")
    return words


MPI_WITHOUT_SHARED_MEMORY = {
    "OMPI_MCA_btl": "self,tcp",
    "OMPI_MCA_pml": "ob1",
    "MPIR_CVAR_NOLOCAL": "1",
    "UCX_TLS": "self,tcp",
}
"""Keeps Open MPI and MPICH themselves away from /dev/shm."""


def test_tiny_shared_memory_does_not_matter_where_ranks_see_each_other(installation, tmp_path):
    options = {"environment": MPI_WITHOUT_SHARED_MEMORY, "wrapper": in_mount_namespace(TINY_SHARED_MEMORY)}
    job = run_script(installation, f"{LJ}run 20\n", 4, tmp_path, variant=SHM, **options).expect_success()
    assert "WARNING" not in job.output, job.output
    (statistics,) = read_statistics(job.output)
    assert statistics["peers by shared memory"] == (3.0, 3.0)


def test_ranks_that_do_not_see_each_other_use_named_memory(installation, tmp_path):
    script = f"{LJ}run 20\n{dump('{name}.dump')}\n"
    options = {"wrapper": in_mount_namespace(HIDDEN_PROC)}
    run_script(installation, script.replace("{name}", "brick"), 4, tmp_path, variant=BRICK).expect_success()
    job = run_script(installation, script.replace("{name}", "p2p"), 4, tmp_path, variant=SHM,
                     **options).expect_success()
    (statistics,) = read_statistics(job.output)
    assert statistics["peers by shared memory"] == (3.0, 3.0)
    assert not compare_snapshots(*(read_snapshot(tmp_path / f"{n}.dump") for n in ("brick", "p2p")), ROUNDING.after(20))


def test_too_little_named_memory_falls_back_to_mpi_with_one_warning(installation, tmp_path):
    script = f"{LJ}run 20\n{dump('{name}.dump')}\n"
    options = {"environment": MPI_WITHOUT_SHARED_MEMORY, "wrapper": in_mount_namespace(TINY_SHARED_MEMORY, HIDDEN_PROC)}
    run_script(installation, script.replace("{name}", "brick"), 4, tmp_path, variant=BRICK, **options).expect_success()
    job = run_script(
        installation, script.replace("{name}", "p2p"), 4, tmp_path, variant=SHM, **options
    ).expect_success()
    warnings = [line for line in job.output.splitlines() if line.startswith("WARNING") and "p2p/rdma" in line]
    assert len(warnings) == 1, job.output
    assert "shared memory" in warnings[0] or "/dev/shm" in warnings[0], warnings[0]
    (statistics,) = read_statistics(job.output)
    assert statistics["peers by shared memory"] == (0.0, 0.0)
    assert statistics["peers by MPI"] == (3.0, 3.0)
    assert not compare_snapshots(*(read_snapshot(tmp_path / f"{n}.dump") for n in ("brick", "p2p")), ROUNDING.after(20))


def test_too_little_named_memory_is_an_error_where_shared_memory_was_asked_for(installation, tmp_path):
    options = {"environment": MPI_WITHOUT_SHARED_MEMORY, "wrapper": in_mount_namespace(TINY_SHARED_MEMORY, HIDDEN_PROC)}
    script = f"comm_style p2p/rdma transport shm\n{LJ}run 20\n"
    output = run_script(installation, script, 4, tmp_path, **options).expect_failure()
    (message,) = [line for line in output.splitlines() if line.startswith("ERROR")]
    assert "p2p/rdma" in message and ("auto" in message or "mpi" in message), message


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
    """The processes among `pids` that still live after at most `seconds` seconds."""
    deadline = time.monotonic() + seconds
    alive = list(pids)
    while alive and time.monotonic() < deadline:
        time.sleep(0.05)
        alive = [pid for pid in alive if is_alive(pid)]
    return alive


def end(job, pids):
    """End all processes of the job, whether it has ended or not."""
    job.kill()
    for pid in filter(is_alive, pids):
        os.kill(pid, signal.SIGKILL)


@pytest.mark.usual(1)
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
    # TOFU's own watch and Open MPI's launcher name the rank; MPICH's launcher ends all at once and gives the reason
    assert re.search(rf"\brank {victim}\b|Killed \(signal 9\)", output, re.I), output[-2000:]


@pytest.mark.full
@pytest.mark.parametrize("variant", BACKENDS, ids=str)
def test_ranks_end_by_themselves_when_the_launcher_does_not_help(installation, tmp_path, variant):
    """In recovery mode Open MPI leaves the other ranks alone: TOFU's own watch must end them and name the peer."""
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


@pytest.mark.most(2)
@pytest.mark.usual(1)
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
    """Memory that has no name cannot be left behind, not even by SIGKILL of all."""
    job, pids = running_job(installation, tmp_path, 4, SHM)
    try:
        mapped = Path(f"/proc/{pids[0]}/maps").read_text()
        for pid in [*pids, *descendants(job.process.pid), job.process.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        wait_for_end(pids, SECONDS_TO_END)
    finally:
        job.kill()
    assert re.search(r"/memfd:tofu-\S* \(deleted\)", mapped)
    assert not re.search(r"/dev/shm/\S*tofu", mapped)


def test_a_segment_that_a_killed_job_has_left_is_removed_by_the_next(installation, tmp_path):
    """No process holds its lock. A unit test checks that a job's own segments are locked and private."""
    wrapper = in_mount_namespace(OWN_SHARED_MEMORY, "touch /dev/shm/tofu-left /dev/shm/other")
    (tmp_path / "in.script").write_text(f"{LJ}run 0\n")
    job = mpi_command(installation, 4, ["-log", "none", "-in", "in.script", *SHM.arguments])
    command = [*wrapper, "sh", "-c", '"$@" && ls /dev/shm', "sh", *job]
    result = subprocess.run(command, cwd=tmp_path, env=installation.job_environment({}), capture_output=True, text=True,
                            timeout=120)
    assert result.returncode == 0, result.stdout + result.stderr
    names = result.stdout.split()
    assert "other" in names and "tofu-left" not in names
