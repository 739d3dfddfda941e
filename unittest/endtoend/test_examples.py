# SPDX-License-Identifier: GPL-2.0-only
"""The inputs in examples run, begin as their reference logs do, and keep to LAMMPS' rules for examples."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from lammps_output import read_thermo
from lammps_run import BRICK, run, threadpool
from stock_inputs import logical_lines

pytestmark = pytest.mark.usefixtures("no_segment_left")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
INPUTS = sorted(EXAMPLES.glob("*/in.*"))
WITH_SUFFIX = ("in.carbide", "in.chute", "in.copper", "in.dplr", "in.droplet", "in.lj.threadpool", "in.rcb",
               "in.relax", "in.salt", "in.tip4p", "in.water.offload")
"""Inputs whose reference logs were made with the suffix."""
REFUSED = {"echo", "log", "package", "processors", "suffix"}
"""Commands that LAMMPS does not accept in examples (doc/src/Modify_requirements.rst)."""


def test_every_input_has_a_reference_log():
    assert INPUTS and {f"{path.name.replace('in.', 'log.', 1)}.2" for path in INPUTS} == {
        path.name for path in EXAMPLES.glob("*/log.*")}


@pytest.mark.most(20)
@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_no_command_that_lammps_does_not_accept_in_examples(path):
    commands = {line.split()[0] for line in logical_lines(path.read_text(encoding="utf-8")) if line.strip()}
    assert "comm_style" in commands and not commands & REFUSED


@pytest.mark.most(20)
@pytest.mark.usual(3)
@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.name)
def test_input_begins_as_its_reference_log(installation, path, tmp_path):
    folder = Path(shutil.copytree(path.parent, tmp_path / "example"))
    variant = threadpool(1) if path.name in WITH_SUFFIX else BRICK    # the comm style is that of the input
    done = run(installation, ["-log", "none", "-in", path.name], 2, folder, variant=variant,
               environment={"TOFU_LAMMPS_BENCH": str(installation.lammps_dir / "bench")}).expect_success()
    assert ("TOFU threadpool: variants of pair" in done.output) == (path.name in WITH_SUFFIX)
    assert "TOFU p2p/rdma: messages by shared memory" in done.output
    log = path.with_name(f"{path.name.replace('in.', 'log.', 1)}.2").read_text(encoding="utf-8")
    expected, found = read_thermo(log), read_thermo(done.output)
    assert len(found) == len(expected) > 0
    for name, values in expected[0].columns.items():
        if name != "CPU":    # seconds
            np.testing.assert_allclose(found[0].columns[name][0], values[0], rtol=1e-6, atol=1e-6, err_msg=name)
