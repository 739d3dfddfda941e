# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures for the tests of tools/tofu: a private cache, and copies of LAMMPS trees that tests may change."""

import os
import sys
from pathlib import Path

import pytest
from linked_tree import light_copy

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT / "tools"))
sys.path.append(str(CHECKOUT / "unittest" / "endtoend"))    # hosts.py


@pytest.fixture
def private_cache(tmp_path, monkeypatch):
    """An empty cache folder that the tools use during the test."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("TOFU_CACHE", str(folder))
    return folder


@pytest.fixture(params=["TOFU_LAMMPS_DIR", "TOFU_LAMMPS_DIR_NEWEST"])
def lammps_tree(request, tmp_path):
    """A copy of each LAMMPS source tree under test, whose cmake folder, src folder and files in src may be changed."""
    original = os.environ.get(request.param)
    if not original:
        pytest.skip(f"{request.param} is not set; 'tools/tofu test' sets it")
    return light_copy(Path(original), tmp_path / "lammps")
