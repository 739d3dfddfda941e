# SPDX-License-Identifier: GPL-2.0-only
"""A root folder with nothing in it but the libraries of glibc, in which programs run without a search path."""

import os
import shutil
from pathlib import Path

from tofulib import shell

#: Libraries of glibc, and the loader.
GLIBC = ("libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1")
#: Mounts of the system that a program may count on, in a namespace of its own; "$0" is the root.
PREPARE = ('for one in dev proc sys; do mount --rbind /$one "$0/$one" || exit 99; done; '
           'exec chroot "$0" "$@"')


class BareRoot:
    """The folder."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("dev", "proc", "sys", "tmp"):
            (folder / name).mkdir(parents=True)
        loader = Path(shell.capture(["cc", "-print-file-name=ld-linux-x86-64.so.2"]).strip())
        self.add(loader if loader.is_file() else Path("/lib64/ld-linux-x86-64.so.2"), "lib64/ld-linux-x86-64.so.2")
        for name in GLIBC:
            self.add(Path(shell.capture(["cc", f"-print-file-name={name}"]).strip()), f"lib/{name}")

    def add(self, file, name):
        """Copy a file of the system."""
        (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file.resolve(), self.folder / name)

    def reason_against(self):
        """Why nothing can be run in it; empty if it can."""
        if os.geteuid() != 0:
            return "needs root for chroot"
        done = shell.attempt(["unshare", "--mount", "true"], 10.0)
        return "" if done.returncode == 0 else f"needs mounts of its own: {done.stderr.strip()}"

    def run(self, *words, limit=120.0):
        """Run a program without environment; returns the finished process."""
        return shell.attempt(["unshare", "--mount", "sh", "-c", PREPARE, self.folder, *words], limit,
                             env={}, cwd=self.folder)
