# SPDX-License-Identifier: GPL-2.0-only
"""The folder where downloads, sources and builds are kept."""

import contextlib
import fcntl
import hashlib
import json
import os
from pathlib import Path

from . import shell


def root():
    """$TOFU_CACHE, or the place for caches that the XDG convention gives."""
    if os.environ.get("TOFU_CACHE"):
        return Path(os.environ["TOFU_CACHE"]).expanduser().absolute()
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home).absolute() / "tofu"


def folder(*parts):
    """A folder inside the cache, created at need.

    Raises:
        shell.Failure: It cannot be created, or cannot be written to.
    """
    path = root().joinpath(*parts)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise shell.Failure(cannot_write(path, error.strerror)) from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise shell.Failure(cannot_write(path, "it is not writable"))
    return path


def cannot_write(path, why):
    """What to say of a folder of the cache that cannot be used."""
    return (f"cannot write to the cache, {path}: {why}. TOFU_CACHE=FOLDER names another place for downloads, builds "
            f"and copies")


@contextlib.contextmanager
def lock(path):
    """Keep two calls from filling one folder at once. The system drops the lock of a process that dies.

    Args:
        path: The folder, which need not exist; "<folder>.lock" beside it is the lock.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise shell.Failure(cannot_write(path.parent, error.strerror)) from None
    with open(f"{path}.lock", "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            shell.say(f"waiting for another tofu that works in {path}")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def read_json(path):
    """The content of a JSON file; an empty dictionary if there is none or it is damaged."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def write_json(path, content):
    """Write a JSON file in one step, so that no reader finds half of it."""
    temporary = Path(f"{path}.{os.getpid()}.tmp")
    temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    temporary.replace(path)


def fingerprint(*things):
    """A short name for any JSON-like content."""
    return hashlib.sha256(json.dumps(things, sort_keys=True, default=str).encode()).hexdigest()[:16]


def file_stamps(*paths):
    """Name, size and time of every file below the paths; the result changes whenever a file is edited."""
    stamps = []
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        stamps += [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files if file.is_file()]
    return stamps
