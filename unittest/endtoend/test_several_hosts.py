# SPDX-License-Identifier: GPL-2.0-only
"""Several hosts: network namespaces joined by a bridge, shared memory inside each, libfabric between them.

The tests need root and Open MPI. Where these are missing the tests are skipped, with the reason.
"""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import hosts as several_hosts
import pytest

from compare import ROUNDING, compare_snapshots
from lammps_output import read_snapshot, read_statistics, read_thermo
from lammps_run import BRICK, SHM, Variant, is_alive, start
from small_systems import LJ, dump

from tofulib import shell

pytestmark = pytest.mark.full

HOSTS = 4
RANKS_PER_HOST = 2
RANKS = HOSTS * RANKS_PER_HOST
SECONDS_TO_END = 10.0

@pytest.fixture(scope="module")
def hosts(installation, tmp_path_factory):
    """The hosts; they are removed afterwards."""
    version = subprocess.run([installation.mpiexec[0], "--version"], capture_output=True, text=True).stdout
    why = several_hosts.why_not("openmpi" if "open" in version.lower() else "another")
    if why:
        pytest.skip(why)
    try:
        with several_hosts.Hosts(HOSTS, tmp_path_factory.mktemp("hosts")) as made:
            yield made
    except shell.Failure as failure:
        pytest.skip(str(failure))


def start_on_hosts(installation, hosts, folder: Path, variant, more=None):
    """Start the job in.script on all hosts; the launcher runs in the namespace of the bridge."""
    environment = {
        **hosts.environment,
        "OMPI_MCA_mpi_yield_when_idle": "1",    # the hosts share this machine's cores
        **(more or {}),
    }
    return start(installation, ["-log", "none", "-nonbuf", "-in", "in.script"], RANKS, folder, variant, environment,
                 wrapper=hosts.wrapper, launcher_options=hosts.options(RANKS_PER_HOST))


def test_forces_across_hosts_are_those_of_brick(installation, hosts, tmp_path):
    (tmp_path / "in.script").write_text(f"{LJ}run 12\n{dump('after.dump')}\n")
    snapshots = []
    for how in (BRICK, SHM):
        job = start_on_hosts(installation, hosts, tmp_path, how).wait(120).expect_success()
        snapshots.append(read_snapshot(tmp_path / "after.dump"))
        (tmp_path / "after.dump").unlink()
    assert not compare_snapshots(*snapshots, ROUNDING.after(12))
    (statistics,) = read_statistics(job.output)
    assert statistics["peers by shared memory"] == (1.0, 1.0)
    assert statistics["peers by libfabric"] == (RANKS - RANKS_PER_HOST,) * 2
    assert statistics["peers by MPI"] == (0.0, 0.0)


def test_ranks_of_several_hosts_compute_forces_of_pairs_while_they_ask(installation, hosts, tmp_path):
    """By default; with the bits of ranks that wait for the answer first."""
    script = LJ.replace("every 2 delay 0 check no", "every 1 delay 0 check yes") + "thermo 20\nrun 100\n"
    (tmp_path / "in.script").write_text(script)
    tables = []
    for words in ((), ("check", "step")):
        variant = Variant("hosts", parts=1, package=words)
        job = start_on_hosts(installation, hosts, tmp_path, variant).wait(120).expect_success()
        assert ("of them beside forces of pairs" in job.output) == (not words)
        tables.append([table.columns["TotEng"].tolist() for table in read_thermo(job.output)])
    assert tables[0] == tables[1]


def test_all_hosts_end_when_a_rank_on_one_is_killed(installation, hosts, tmp_path):
    (tmp_path / "in.script").write_text(f"{LJ}thermo 10\nrun 100000000\n")
    # in recovery mode Open MPI leaves the other ranks alone: TOFU's own watch must end them and name the peer
    job = start_on_hosts(installation, hosts, tmp_path, SHM, {"OMPI_MCA_orte_enable_recovery": "1"})
    try:
        deadline = time.monotonic() + 60
        while not re.search(r"^\s+[1-9]\d*0 ", job.output(), re.M):
            assert time.monotonic() < deadline and job.process.poll() is None, job.output()
            time.sleep(0.05)
        pids = job.ranks(installation.lmp)
        assert len(pids) == RANKS
        os.kill(pids[5], signal.SIGKILL)
        deadline = time.monotonic() + SECONDS_TO_END
        alive = pids
        while alive and time.monotonic() < deadline:
            time.sleep(0.05)
            alive = [pid for pid in alive if is_alive(pid)]
        output = job.output()
    finally:
        job.kill()
    assert not alive, f"{len(alive)} ranks lived on for {SECONDS_TO_END} s:\n{output[-2000:]}"
    assert re.search(r"ERROR.*rank 5\b", output), output[-2000:]


def listening_addresses(pid: int):
    """Addresses at which process `pid` listens, without those of MPI, which listens everywhere."""
    sockets = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        try:
            sockets.add(os.readlink(link))
        except OSError:
            continue
    found = set()
    for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
            found.add(fields[1].split(":")[0])
    return found - {"00000000"}


def test_endpoints_listen_on_the_network_of_the_job_only(installation, hosts, tmp_path):
    """The sockets of libfabric listen at an address of the job's network."""
    (tmp_path / "in.script").write_text(f"{LJ}thermo 10\nrun 100000000\n")
    job = start_on_hosts(installation, hosts, tmp_path, Variant("ofi", keywords=("transport", "ofi")))
    try:
        deadline = time.monotonic() + 60
        while not re.search(r"^\s+[1-9]\d*0 ", job.output(), re.M):
            assert time.monotonic() < deadline and job.process.poll() is None, job.output()
            time.sleep(0.05)
        pid = job.ranks(installation.lmp)[0]
        addresses = listening_addresses(pid)
    finally:
        job.kill()
    assert addresses == {"0107630A"}, addresses    # 10.99.7.1 in network byte order
