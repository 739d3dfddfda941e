# SPDX-License-Identifier: GPL-2.0-only
"""Say what a file with a deep potential has, and whether pair_style deepmd/threadpool takes it."""

import subprocess
from pathlib import Path

from . import CHECKOUT, build, cache, shell


def command(options):
    """tools/tofu model."""
    if not options.file.is_file():
        raise shell.Failure(f"there is no file {options.file}")
    return subprocess.run([build_program(), options.file], check=False).returncode


def build_program() -> Path:
    """Compile the program that reads models; this is quick when nothing has changed.

    Returns:
        Path of the program.
    """
    folder = cache.root() / "build" / "show-model"
    with cache.lock(folder):
        build.run_cmake(CHECKOUT / "tools" / "tofulib" / "show_model", folder,
                        ["-D", "CMAKE_CXX_COMPILER_LAUNCHER=ccache"], folder / "tofu-configure.log",
                        env=build.environment())
        shell.run_logged(["ninja", "-C", folder, "-j", build.parallel_jobs()], folder / "tofu-compile.log",
                         progress=r"^\[", env=build.environment())
    return folder / "show_model"
