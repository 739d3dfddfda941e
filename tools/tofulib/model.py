# SPDX-License-Identifier: GPL-2.0-only
"""Say what a file with a deep potential has, and whether pair_style deepmd/threadpool takes it."""

import subprocess

from . import CHECKOUT, build, cache, shell


def command(options):
    """tools/tofu model."""
    if not options.file.is_file():
        raise shell.Failure(f"there is no file {options.file}")
    folder = cache.root() / "build" / "show-model"
    build.compile_project(CHECKOUT / "tools" / "tofulib" / "show_model", folder, {})
    return subprocess.run([folder / "show_model", options.file], check=False).returncode
