# SPDX-License-Identifier: GPL-2.0-only
"""Programs that were compiled with sanitizers, and the reports of their jobs.

A report goes to a file, so that neither MPI nor the size of an output can hide it; that of undefined behavior goes to
the output of the job, which it ends.
"""

import os
from pathlib import Path
from typing import Dict, Optional

import pytest

from lammps_run import Installation, Variant
from lammps_server import LammpsServer, ServerPool

UNDEFINED = "runtime error: "


def sanitized(name: str) -> Installation:
    """LAMMPS with TOFU whose code checks itself: "address" (with undefined behavior), "thread", or "everywhere":
    addresses in LAMMPS' own code, too. Skips a test if there is none."""
    variable = f"TOFU_LMP_{name.upper()}"
    if variable not in os.environ:
        pytest.skip(f"{variable} is not set: 'tools/tofu test' builds it" + " with --long" * (name == "everywhere"))
    usual = Installation.from_environment()
    return Installation(os.environ[variable], usual.mpiexec, usual.lammps_dir)


def watch(folder: Path) -> Dict[str, str]:
    """Environment of a job whose reports go to `folder`. MPI does not free all its memory: leaks are no reports."""
    to = f"log_path={folder}/report"
    return {"ASAN_OPTIONS": f"detect_leaks=0:{to}", "UBSAN_OPTIONS": "print_stacktrace=1",
            "TSAN_OPTIONS": f"halt_on_error=1:{to}"}


def reports(folder: Path) -> str:
    """The reports of the jobs that were watched there; empty if there are none."""
    found = [path.read_text(errors="replace") for path in sorted(folder.glob("report.*"))]
    outputs = [path.read_text(errors="replace") for path in sorted(folder.rglob("output-*.txt"))]
    return "\n".join([*found, *(text[text.index(UNDEFINED):] for text in outputs if UNDEFINED in text)])


class WatchedServers(ServerPool):
    """Servers whose reports go to a folder."""

    def server(self, ranks: int, variant: Variant, environment: Optional[Dict[str, str]] = None) -> LammpsServer:
        return super().server(ranks, variant, {**(environment or {}), **watch(self.cwd)})
