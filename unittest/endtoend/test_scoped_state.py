# SPDX-License-Identifier: GPL-2.0-only
"""Members of LAMMPS' objects that have another value for the time of a call have their own again after an exception."""

import re
from pathlib import Path

import pytest

from lammps_plugin import compile_plugin
from lammps_run import run_script
from small_systems import LJ

SOURCES = Path(__file__).resolve().parents[2] / "src" / "TOFU"

pytestmark = pytest.mark.full


def test_an_exception_restores_every_member(installation, tmp_path):
    """The plug-in has the classes of its own, from the same source."""
    guards = SOURCES / "lammps" / "scoped_state"
    plugin = compile_plugin(installation, [Path(__file__).with_name("scoped_state_check.cpp"),
                                           guards.with_suffix(".cpp")], tmp_path / "check.so",
                            ["-I", str(SOURCES), "-fopenmp"])
    script = f"log log.lammps\n{LJ}plugin load {plugin}\nfix check all scoped_state\nrun 0\n"
    output = run_script(installation, script, 1, tmp_path).expect_success().output
    found = dict(re.findall(r"^scoped state (.*): (.*)$", output, re.MULTILINE))
    assert set(found.values()) == {"changed restored"}, found
    classes = set(re.findall(r"^class (Scoped\w+)", guards.with_suffix(".h").read_text(), re.MULTILINE))
    checked = re.findall(r"\bScoped\w+", Path(__file__).with_name("scoped_state_check.cpp").read_text())
    assert classes - {"ScopedValue"} <= set(checked)
