# SPDX-License-Identifier: GPL-2.0-only
"""Hosts that are network namespaces of this machine, joined by a bridge, for Open MPI to start ranks on.

Every host has its own network, host name and /dev/shm, so that nothing but the network connects it to the others.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tofulib import shell  # noqa: E402

#: Stand-in for ssh: agent [options] host command ...
AGENT = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
exec ip netns exec "$host" unshare --mount --uts sh -c \\
  "hostname $host && mount -t tmpfs tmpfs /dev/shm && $*"
"""
NETWORK = "10.99.7"


def why_not(library_name):
    """Reason why there can be no such hosts here; empty if there is none."""
    if os.geteuid() != 0 or shutil.which("ip") is None or shutil.which("unshare") is None:
        return "hosts in network namespaces need root, ip and unshare"
    if library_name != "openmpi":
        return "hosts in network namespaces are started by Open MPI's launcher only"
    return ""


class Hosts:
    """A number of hosts, which are gone at the end of the `with` block.

    Args:
        number: Number of hosts.
        folder: Folder for the script that stands in for ssh.

    Raises:
        shell.Failure: This system gives no network namespaces.
    """

    def __init__(self, number, folder):
        tag = f"tofu{os.getpid() % 10000}"
        self.names = [f"{tag}h{i}" for i in range(number)]
        self.bridge = f"{tag}b"
        self.agent = folder / "agent"

    def __enter__(self):
        self.agent.write_text(AGENT, encoding="utf-8")
        self.agent.chmod(0o755)
        try:
            self._join()
        except subprocess.CalledProcessError as failure:
            self.__exit__()
            raise shell.Failure(f"no network namespaces here: {failure.stderr.decode().strip()}") from failure
        return self

    def __exit__(self, *_):
        for name in [*self.names, self.bridge]:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)

    def _join(self):
        """Join each host by a pair of virtual interfaces to the bridge; the launcher runs in the namespace of the
        bridge."""
        ip("netns", "add", self.bridge)
        ip("-n", self.bridge, "link", "add", "bridge", "type", "bridge")
        ip("-n", self.bridge, "link", "set", "bridge", "up")
        ip("-n", self.bridge, "addr", "add", f"{NETWORK}.100/24", "dev", "bridge")
        ip("-n", self.bridge, "link", "set", "lo", "up")
        for number, name in enumerate(self.names):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
            ip("-n", self.bridge, "link", "add", f"port{number}", "type", "veth", "peer", "name", "net0", "netns", name)
            ip("-n", self.bridge, "link", "set", f"port{number}", "master", "bridge", "up")
            ip("-n", name, "addr", "add", f"{NETWORK}.{number + 1}/24", "dev", "net0")
            ip("-n", name, "link", "set", "net0", "up")

    @property
    def environment(self):
        """Environment of the launcher and the ranks."""
        network = f"{NETWORK}.0/24"
        return {"OMPI_MCA_plm": "rsh", "OMPI_MCA_plm_rsh_agent": str(self.agent),
                "OMPI_MCA_oob_tcp_if_include": network,
                "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": network}

    @property
    def wrapper(self):
        """Words in front of the launcher."""
        return ["ip", "netns", "exec", self.bridge]

    def options(self, ranks_per_host):
        """Options of the launcher: neighboring ranks share a host."""
        return ["--host", ",".join(f"{name}:{ranks_per_host}" for name in self.names), "--map-by", "slot"]


def ip(*words):
    """Run ip(8)."""
    subprocess.run(["ip", *words], check=True, capture_output=True)
