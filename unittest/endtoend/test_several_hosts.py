# SPDX-License-Identifier: GPL-2.0-only
"""Several hosts: network namespaces joined by a bridge, shared memory inside each, libfabric between them.

Every "host" has its own network, host name and /dev/shm, so that nothing but the network connects
it to the others. Needs root and Open MPI; is skipped where these are missing, and says so.
"""

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
from lammps_run import BRICK, SHM, Variant, is_alive, start
from small_systems import LJ, dump

HOSTS = 4
RANKS_PER_HOST = 2
RANKS = HOSTS * RANKS_PER_HOST
SECONDS_TO_END = 10.0

AGENT = """#!/bin/sh
# stands for ssh: agent [options] host command ...
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec ip netns exec "$host" unshare --mount --uts sh -c \\
  "hostname $host && mount -t tmpfs tmpfs /dev/shm && $*"
"""


def run_ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture(scope="module")
def hosts(installation, tmp_path_factory):
    """Names of the hosts and the script that stands for ssh; everything is gone afterwards."""
    if os.geteuid() != 0 or shutil.which("ip") is None or shutil.which("unshare") is None:
        pytest.skip("several hosts need root, ip and unshare")
    version = subprocess.run([installation.mpiexec[0], "--version"], capture_output=True, text=True).stdout
    if "Open MPI" not in version:
        pytest.skip("several hosts are started by Open MPI's launcher only")
    tag = f"tofu{os.getpid() % 10000}"
    names = [f"{tag}h{i}" for i in range(HOSTS)]
    bridge = f"{tag}b"
    try:
        try:
            run_ip("netns", "add", bridge)
        except subprocess.CalledProcessError as failure:
            pytest.skip(f"no network namespaces here: {failure.stderr.decode().strip()}")
        run_ip("-n", bridge, "link", "add", "bridge", "type", "bridge")
        run_ip("-n", bridge, "link", "set", "bridge", "up")
        run_ip("-n", bridge, "addr", "add", "10.99.7.100/24", "dev", "bridge")
        run_ip("-n", bridge, "link", "set", "lo", "up")
        for number, name in enumerate(names):
            run_ip("netns", "add", name)
            run_ip("-n", name, "link", "set", "lo", "up")
            run_ip("-n", bridge, "link", "add", f"port{number}", "type", "veth", "peer", "name", "net0", "netns", name)
            run_ip("-n", bridge, "link", "set", f"port{number}", "master", "bridge", "up")
            run_ip("-n", name, "addr", "add", f"10.99.7.{number + 1}/24", "dev", "net0")
            run_ip("-n", name, "link", "set", "net0", "up")
        agent = tmp_path_factory.mktemp("hosts") / "agent"
        agent.write_text(AGENT)
        agent.chmod(0o755)
        yield names, bridge, agent
    finally:
        for name in [*names, bridge]:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def start_on_hosts(installation, hosts, folder: Path, variant):
    """The job in.script on all hosts; the launcher sits in the namespace of the bridge."""
    names, bridge, agent = hosts
    slots = ",".join(f"{name}:{RANKS_PER_HOST}" for name in names)
    environment = {
        "OMPI_MCA_plm": "rsh",
        "OMPI_MCA_plm_rsh_agent": str(agent),
        "OMPI_MCA_oob_tcp_if_include": "10.99.7.0/24",
        "OMPI_MCA_btl": "tcp,self",
        "OMPI_MCA_btl_tcp_if_include": "10.99.7.0/24",
        "OMPI_MCA_pml": "ob1",
    }
    wrapper = ["ip", "netns", "exec", bridge]
    return start(installation, ["-log", "none", "-nonbuf", "-in", "in.script"], RANKS, folder, variant, environment,
                 wrapper=wrapper, launcher_options=["--host", slots, "--map-by", "slot"])


def test_forces_across_hosts_are_those_of_brick(installation, hosts, tmp_path):
    (tmp_path / "in.script").write_text(f"{LJ}run 30\n{dump('after.dump')}\n")
    snapshots = []
    for how in (BRICK, SHM):
        job = start_on_hosts(installation, hosts, tmp_path, how).wait(120).expect_success()
        snapshots.append(read_snapshot(tmp_path / "after.dump"))
        (tmp_path / "after.dump").unlink()
    lines = compare_snapshots(*snapshots, ROUNDING.after(30))
    assert not lines, "\n".join(lines)
    (statistics,) = read_statistics(job.output)
    assert statistics["peers by shared memory"] == (1.0, 1.0)
    assert statistics["peers by libfabric"] == (RANKS - RANKS_PER_HOST,) * 2
    assert statistics["peers by MPI"] == (0.0, 0.0)


def test_all_hosts_end_when_a_rank_on_one_is_killed(installation, hosts, tmp_path):
    (tmp_path / "in.script").write_text(f"{LJ}thermo 1000\nrun 100000000\n")
    job = start_on_hosts(installation, hosts, tmp_path, SHM)
    try:
        deadline = time.monotonic() + 60
        while not re.search(r"^\s+[1-9]\d*000 ", job.output(), re.M):
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
    assert re.search(r"\brank 5\b", output), output[-2000:]


def test_endpoints_listen_on_the_network_of_the_job_only(installation, hosts, tmp_path):
    """Every socket of a rank on a host listens at an address of the job's network, never at all addresses."""
    (tmp_path / "in.script").write_text(f"{LJ}thermo 1000\nrun 100000000\n")
    job = start_on_hosts(installation, hosts, tmp_path, Variant("ofi", keywords=("transport", "ofi")))
    try:
        deadline = time.monotonic() + 60
        while not re.search(r"^\s+[1-9]\d*000 ", job.output(), re.M):
            assert time.monotonic() < deadline and job.process.poll() is None, job.output()
            time.sleep(0.05)
        pid = job.ranks(installation.lmp)[0]
        # MPI's own sockets listen everywhere; those of libfabric are the ones with an address
        listening = [line.split()[1] for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
                     if line.split()[3] == "0A"]
    finally:
        job.kill()
    addresses = {entry.split(":")[0] for entry in listening}
    assert "0107630A" in addresses, addresses    # 10.99.7.1 in network byte order
    assert addresses <= {"0107630A", "00000000"}, addresses
