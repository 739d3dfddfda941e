#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Install deepmd-kit for the tests of deep potentials: python3 install_deepmd_kit.py FOLDER [torch] (2 GB, with torch
8 GB; some minutes, needs a network).

FOLDER becomes a virtual environment with the libraries. Beside them lie two source distributions: that of the same
release for the C++ files of the LAMMPS plug-in, and an older one, the last that has the tests of that plug-in, for a
model and its reference energies and forces. With the word torch FOLDER/torch becomes an environment with PyTorch in
place of TensorFlow.
"""

import subprocess
import sys
import tarfile
import venv
from pathlib import Path

VERSION = "3.2.0"
VERSION_WITH_TESTS = "2.2.2"

TORCH = "torch"
"""Folder of the environment with PyTorch, and the word that asks for it."""

SOURCES = {VERSION: f"deepmd_kit-{VERSION}", VERSION_WITH_TESTS: f"deepmd-kit-{VERSION_WITH_TESTS}"}
"""Release -> folder in its source distribution."""

BUILD_TOOLS = ("scikit-build-core", "scikit-build", "setuptools<81", "setuptools_scm", "hatch-fancy-pypi-readme",
               "dependency-groups", "cmake")
"""Packages that pip needs before it downloads a source distribution.  By itself pip would install TensorFlow, too, and
the older release must not find the TensorFlow of the newer one: these packages are in an environment of their own."""


def install(folder, with_torch=False):
    """Make the virtual environment and fetch the sources.

    Args:
        folder: Path of the environment; parts that exist already are kept.
        with_torch: Whether to make that with PyTorch, too.
    """
    if with_torch:
        pip(folder / TORCH, "install", f"deepmd-kit[torch]=={VERSION}", "e3nn")
    pip(folder, "install", f"deepmd-kit[cpu]=={VERSION}")
    missing = [version for version, name in SOURCES.items() if not (folder / name).exists()]
    if missing:
        pip(folder / "download", "install", *BUILD_TOOLS)
    for version in missing:
        pip(folder / "download", "download", f"deepmd-kit=={version}", "--no-binary", "deepmd-kit", "--no-deps",
            "--no-build-isolation",
            "-d", folder / "download")
        with tarfile.open(folder / "download" / f"{SOURCES[version]}.tar.gz") as archive:
            archive.extractall(folder)


def pip(folder, *words):
    """Run pip of a virtual environment, which is made if it does not exist."""
    if not (folder / "bin" / "pip").exists():
        venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "pip", "--disable-pip-version-check", *words], check=True)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], [TORCH]):
        sys.exit(__doc__)
    install(Path(sys.argv[1]).resolve(), with_torch=TORCH in sys.argv[2:])
