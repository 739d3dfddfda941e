# SPDX-License-Identifier: GPL-2.0-only
"""Compile plug-ins for the LAMMPS under test."""

import re
import subprocess
from pathlib import Path
from typing import Sequence

from lammps_run import Installation


def compile_plugin(installation: Installation, sources: Sequence[Path], plugin: Path,
                   options: Sequence[str] = ()) -> Path:
    """Compile a plug-in with the MPI of the LAMMPS under test, and return it.

    Args:
        installation: the LAMMPS; it is not linked, since its symbols are there when the plug-in is loaded.
        sources: C++ files.
        plugin: file to write.
        options: further words for the compiler, put last.
    """
    cache = (Path(installation.lmp).parent / "CMakeCache.txt").read_text()
    compiler = re.search(r"^MPI_CXX_COMPILER:\w+=(.*)$", cache, re.MULTILINE).group(1)
    source = installation.lammps_dir / "src"
    folders = [f"-I{source / name}" for name in (".", "PLUGIN", "KSPACE", "EXTRA-FIX", "EXTRA-PAIR")]
    subprocess.run([compiler, "-std=c++17", "-O1", "-fPIC", "-shared", *folders, *map(str, sources), "-o", str(plugin),
                    *options],
                   check=True)
    return plugin
