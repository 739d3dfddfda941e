# SPDX-License-Identifier: GPL-2.0-only
"""Debian's source packages, fetched by apt with its own checks but without touching the machine's package lists."""

import os
import re
from typing import NamedTuple

from . import shell, system

CONFIGURATION = "/etc/apt"


class Archive(NamedTuple):
    """An upstream tarball on a mirror."""

    address: str
    name: str
    nbytes: int
    sha256: str


def upstream_archive(package, suite, version, scratch):
    """Address of the upstream tarball of a source package on the mirror, and its checksum from the signed index.

    Args:
        package: Name of the source package.
        suite: Debian suite, such as trixie.
        version: Version, or "" for what the suite has.
        scratch: Folder for the package index of that suite.

    Raises:
        shell.Failure: No Debian mirror, or it does not have that package.
    """
    options = private_lists(suite, scratch)
    shell.capture(["apt-get", *options, "update"], env=plain_language())
    wanted = f"{package}={version}" if version else package
    listing = shell.capture(["apt-get", *options, "source", "--print-uris", "--only-source", wanted],
                            env=plain_language())
    found = re.search(r"'(\S+)' (\S+\.orig\.tar\.\w+) (\d+) SHA256:([0-9a-f]{64})", listing)
    if not found:
        raise shell.Failure(
            f"Debian {suite} lists no upstream tarball with a SHA256 for {wanted}; apt-get said:\n{listing}")
    address, name, nbytes, sha256 = found.groups()
    return Archive(address, name, int(nbytes), sha256)


def download(archive, target):
    """Fetch a tarball; apt checks its SHA256. An interrupted download leaves no file of that name.

    Args:
        archive: An Archive.
        target: Path for the file.
    """
    partial = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        shell.capture(["/usr/lib/apt/apt-helper", *unsandboxed(), "download-file", archive.address, partial,
                       f"SHA256:{archive.sha256}"], env=plain_language())
        partial.replace(target)
    finally:
        for left in target.parent.glob(f"{partial.name}*"):
            left.unlink()


def private_lists(suite, scratch):
    """Options that make apt-get see one deb-src suite and keep its lists apart from the machine's."""
    sources = scratch / "sources.list"
    sources.write_text(f"deb-src [signed-by={system.DEBIAN_KEYRING}] {mirror()} {suite} main\n", encoding="utf-8")
    for folder in ("lists", "lists/partial", "cache", "cache/archives/partial"):
        (scratch / folder).mkdir(parents=True, exist_ok=True)
    settings = {"Dir::Etc::sourcelist": sources, "Dir::Etc::sourceparts": "-", "Dir::State::Lists": scratch / "lists",
                "Dir::Cache": scratch / "cache", "APT::Get::List-Cleanup": "false", "Acquire::Languages": "none"}
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")] + unsandboxed()


def unsandboxed():
    """Options that let apt download as root if this process is root: the user _apt could not write to the cache."""
    return ["-o", "APT::Sandbox::User=root"] if os.geteuid() == 0 else []


def plain_language():
    """Environment in which apt prints its messages in English."""
    return {**os.environ, "LC_ALL": "C"}


def mirror():
    """The Debian mirror that this machine's own apt configuration names.

    Raises:
        shell.Failure: The configuration names no mirror.
    """
    listing = shell.attempt(["apt-get", "-o", f"Dir::Etc={CONFIGURATION}", "update", "--print-uris"],
                            env=plain_language()).stdout
    candidates = list(dict.fromkeys(re.findall(r"^'(\S+)/dists/\S+/binary-\w+/Packages", listing, re.MULTILINE)))
    for address in candidates:
        if re.search(r"/debian$|mirror\+file:", address) and "security" not in address:
            return address
    raise shell.Failure(f"{CONFIGURATION} names no Debian mirror (found: {', '.join(candidates) or 'nothing'})")
