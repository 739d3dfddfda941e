# SPDX-License-Identifier: GPL-2.0-only
"""The pages of LAMMPS' manual about TOFU, made from the pages in doc."""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from . import CHECKOUT, manual_lists, shell, venv

DOC = CHECKOUT / "doc"
#: Links to this address lead to pages of LAMMPS.
LAMMPS_MANUAL = "https://docs.lammps.org/"


class Page(NamedTuple):
    """A page of LAMMPS' manual."""

    name: str              #: in LAMMPS' doc/src, without .rst
    entries: tuple = ()    #: of the index, beside the command of the title and the styles of a table


#: The page that stands for the package in LAMMPS' lists, and leads to the others.
PACKAGE = "lammps_package.md"
#: The pages in doc that belong to the manual.
PAGES = {
    PACKAGE: Page("Packages_TOFU"),
    "comm_style_p2p_rdma.md": Page("comm_style_p2p_rdma", ("comm_style p2p/rdma", "fix p2p_rdma/stats")),
    "fix_ring_balance.md": Page("fix_ring_balance", ("fix ring/balance",)),
    "fix_dplr.md": Page("fix_dplr", ("kspace_style pppm/dplr/threadpool",)),
    "kspace_pppm_offload.md": Page(
        "kspace_pppm_offload", ("kspace_style pppm/threadpool", "kspace_style pppm/tip4p/offload",
                                "kspace_style pppm/tip4p/threadpool")),
    "package_threadpool.md": Page("package_threadpool"),
    "pair_deepmd.md": Page("pair_deepmd", ("pair_style deepmd",)),
    "package_tofu.md": Page("package_tofu"),
    "threadpool.md": Page("Speed_threadpool"),
}


def command(options):
    """tools/tofu manual."""
    # in a process of its own, because the Markdown parser is in the virtual environment
    done = subprocess.run([venv.python(), "-m", "tofulib.rst", Path(options.folder).resolve()], check=False,
                          env={**os.environ, "PYTHONPATH": str(CHECKOUT / "tools"), "PYTHONDONTWRITEBYTECODE": "1"})
    if done.returncode == 0:
        for path in manual_lists.enter(options.folder):
            shell.say(f"{path}: TOFU is in the list of packages")
    return done.returncode
