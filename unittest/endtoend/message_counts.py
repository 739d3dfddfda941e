# SPDX-License-Identifier: GPL-2.0-only
"""Messages of MPI and their bytes, which a library in front of MPI counts for each rank."""

import subprocess
from pathlib import Path
from typing import Dict

import numpy as np

HEAD = 64
"""Bytes in front of each message of TOFU that goes by MPI."""


def build_counter(folder: Path) -> Path:
    """The library that counts."""
    library = folder / "libcount_messages.so"
    subprocess.run(["mpicxx", "-std=c++17", "-O1", "-shared", "-fPIC", "-o", library,
                    Path(__file__).with_name("count_messages.cpp")], check=True)
    return library


def environment(counter: Path, folder: Path) -> Dict[str, str]:
    """Variables with which a run counts, into files of a folder."""
    return {"LD_PRELOAD": str(counter), "TOFU_MESSAGES": str(folder)}


def counted(folder: Path, ranks: int) -> Dict[str, np.ndarray]:
    """Messages and bytes of each rank in each phase: name -> [ranks, 2]."""
    found: Dict[str, np.ndarray] = {}
    for rank in range(ranks):
        for phase, *numbers in (line.split() for line in (folder / str(rank)).read_text().splitlines()):
            found.setdefault(phase, np.zeros((ranks, 2), int))[rank] = numbers
    return found
