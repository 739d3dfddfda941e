# SPDX-License-Identifier: GPL-2.0-only
"""Get a LAMMPS source tree: the user's own, the cache, Debian's source package, or git, in this order."""

import datetime
import hashlib
import os
import re
import shutil
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from . import apt, cache, shell, system

GIT_ADDRESS = "https://github.com/lammps/lammps.git"
#: Time after which the newest release is looked up again [s].
NEWEST_LIFETIME = 7 * 24 * 3600
#: A file in each unpacked tree that says where it came from; written last, so a tree with it is complete.
STAMP = ".tofu-source.json"


class Package(NamedTuple):
    """A Debian source package of LAMMPS."""

    suite: str             #: Debian suite that has it
    version: str           #: version in that suite; empty for the version that the suite has
    sha256: str            #: of the upstream tarball; empty to trust the signed index alone
    git: str               #: the same in the LAMMPS git repository


PINNED = Package("trixie", "20250204+dfsg.1-2", "3671165bd52fad36734e0a9136c5bc5ecb225e03988f8c89aa13366a8b53b1c7",
                 "patch_4Feb2025")
NEWEST = Package("sid", "", "", "stable")
PINNED_RELEASE = "4Feb2025"
#: Releases that are tested, in words.
TESTED = "4Feb2025 to 4Jul2026"


class Source(NamedTuple):
    """A LAMMPS source tree."""

    path: Path
    release: str           #: release date as LAMMPS writes it, without blanks: 4Feb2025
    cached: bool           #: whether it is in the cache, where trees are never edited


def get(which="pinned", directory=None, refresh=False):
    """Find a LAMMPS source tree, downloading it if need be.

    Args:
        which: "pinned" or "newest".
        directory: The user's own tree, which takes precedence.
        refresh: Look up the newest release even if the last look-up was recent.

    Returns:
        A Source.
    """
    if directory:
        return own_tree(directory)
    known = PINNED_RELEASE if which == "pinned" else ("" if refresh else recent_newest())
    if known and is_complete(cached_tree(known)):
        return Source(cached_tree(known), known, True)
    with cache.lock(cache.root() / "lammps"):
        return fetch(which, known)


def own_tree(directory):
    """The user's own source tree."""
    path = Path(directory).resolve()
    return Source(path, release_of(path), False)


def release_of(path):
    """Release date in a source tree, such as 4Feb2025.

    Raises:
        shell.Failure: This is no LAMMPS source tree.
    """
    header = Path(path) / "src" / "version.h"
    build = Path(path) / "cmake" / "CMakeLists.txt"
    found = re.search(r'LAMMPS_VERSION "([^"]+)"', header.read_text(encoding="utf-8")) if header.is_file() else None
    if not found or not build.is_file():
        raise shell.Failure(f"{path} is not a LAMMPS source tree: it needs src/version.h and cmake/CMakeLists.txt. "
                            f"Give the folder that has src, cmake and bench in it.")
    return found.group(1).replace(" ", "")


def cached_tree(release):
    """Folder of that release in the cache."""
    return cache.root() / "lammps" / release


def is_complete(tree):
    """Whether a tree in the cache was unpacked to the end."""
    return (tree / STAMP).is_file()


def newest_record():
    """The file that records the newest release and the time of the look-up."""
    return cache.folder("lammps") / "newest.json"


def recent_newest():
    """The newest release according to a recent look-up, else ""."""
    record = cache.read_json(newest_record())
    return record["release"] if time.time() - record.get("time", 0) < NEWEST_LIFETIME else ""


def fetch(which, known):
    """Download and unpack a release; called with the cache locked.

    Args:
        which: "pinned" or "newest".
        known: Its release date if that is known already.
    """
    if known and is_complete(cached_tree(known)):    # another call of tofu was faster
        return Source(cached_tree(known), known, True)
    package = PINNED if which == "pinned" else NEWEST
    reasons = []
    for way in (from_debian, from_git):
        try:
            tree = way(package)
            break
        except shell.Failure as failure:
            reasons.append(str(failure))
            shell.say(f"no luck with that: {failure}")
    else:
        return last_resort(which, reasons)
    release = release_of(tree)
    if which == "newest":
        cache.write_json(newest_record(), {"release": release, "time": time.time()})
    return Source(tree, release, True)


def last_resort(which, reasons):
    """Use an older "newest" of the cache, as without a network.

    Raises:
        shell.Failure: There is none; the message has the reasons.
    """
    release = cache.read_json(newest_record()).get("release", "") if which == "newest" else ""
    if release and is_complete(cached_tree(release)):
        shell.say(f"cannot look for a newer LAMMPS, using {release}")
        return Source(cached_tree(release), release, True)
    raise shell.Failure("could not get the LAMMPS source:\n  " + "\n  ".join(reasons) +
                        "\nYou can give a source tree of your own: --lammps DIR")


def from_debian(package):
    """Upstream tarball of a Debian source package, checked and unpacked.

    Raises:
        shell.Failure: No Debian mirror, no such package, or a wrong checksum.
    """
    system.ensure(["apt keys"])
    shell.say(f"looking up the LAMMPS source package in Debian {package.suite}")
    archive = apt.upstream_archive("lammps", package.suite, package.version, cache.folder("apt", package.suite))
    if package.sha256 and archive.sha256 != package.sha256:
        raise shell.Failure(f"Debian's index gives SHA256 {archive.sha256} for {archive.name}, this TOFU expects "
                            f"{package.sha256}. Somebody changed the package; do not use it before you know why.")
    tree = cached_tree(release_of_archive(archive.name))
    if is_complete(tree) and cache.read_json(tree / STAMP).get("sha256") == archive.sha256:
        return tree

    tarball = cache.folder("downloads") / archive.name
    if not tarball.is_file() or sha256_of(tarball) != archive.sha256:
        shell.say(f"downloading {archive.name}, {archive.nbytes / 1e6:.0f} MB")
        apt.download(archive, tarball)
    return unpack(tarball, tree, {"archive": archive.name, "sha256": archive.sha256})


def release_of_archive(name):
    """Release date in the name of Debian's upstream tarball: lammps_20250204+dfsg.1.orig.tar.xz is 4Feb2025."""
    found = re.match(r"lammps_(\d{8})", name)
    if not found:
        raise shell.Failure(f"expected the name of a LAMMPS tarball, such as lammps_20250204.orig.tar.xz, found {name}")
    date = datetime.datetime.strptime(found.group(1), "%Y%m%d")
    return f"{date.day}{date:%b%Y}"


def sha256_of(path):
    """SHA256 of a file."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def unpack(tarball, tree, origin):
    """Unpack a tarball beside its final place and move it there in one step.

    Args:
        tarball: The archive; its files may or may not sit in one top folder.
        tree: Final place, replaced if something incomplete or older is there.
        origin: Content of the stamp.

    Returns:
        The final place.
    """
    if tarball.name.endswith(".xz"):
        system.ensure(["xz"])
    shell.say(f"unpacking {tarball.name}")
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=cache.folder("lammps")) as temporary:
        shell.capture(["tar", "-xf", tarball, "-C", temporary, "--no-same-owner"])
        settle(top_folder(Path(temporary)), tree, origin)
    return tree


def from_git(package):
    """The same release from the LAMMPS git repository."""
    if shutil.which("git") is None:
        raise shell.Failure("there is no git to fetch LAMMPS with (Debian: apt-get install git)")
    shell.say(f"cloning {package.git} from {GIT_ADDRESS}")
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=cache.folder("lammps")) as temporary:
        clone = Path(temporary) / "git"
        shell.capture(["git", "clone", "--quiet", "--depth", "1", "--branch", package.git, GIT_ADDRESS, clone])
        tree = cached_tree(release_of(clone))
        settle(clone, tree, {"git": package.git})
    return tree


def top_folder(path):
    """The folder that holds src/version.h: the path itself or the only folder in it."""
    children = list(path.iterdir())
    return children[0] if len(children) == 1 and not (path / "src").is_dir() else path


def settle(fresh, tree, origin):
    """Stamp an unpacked tree and move it to its final place."""
    release_of(fresh)
    cache.write_json(fresh / STAMP, origin)
    os.chmod(fresh, 0o755)
    if tree.exists():
        shutil.rmtree(tree)
    fresh.rename(tree)
