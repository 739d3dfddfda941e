# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu model says what a deep potential is."""

import subprocess

from tofulib import CHECKOUT

COPPER = CHECKOUT / "examples" / "deepmd" / "copper.pb"


def show(file):
    """Run tools/tofu model."""
    return subprocess.run([CHECKOUT / "tools" / "tofu", "model", file], capture_output=True, text=True, timeout=300,
                          check=False)


def test_the_model_of_the_example_is_described():
    done = show(COPPER)
    assert done.returncode == 0
    for line in ("types            Cu", "descriptor       se_e2_a, rcut 5.5, rcut_smth 1, sel 80",
                 "embedding nets   8-16-32, tanh, double precision, by type of the neighbor, axis 6",
                 "fitting nets     32-32-32 for energies, tanh, double precision", "pair_style deepmd/threadpool: yes"):
        assert line in done.stdout


def test_a_file_that_is_no_model_is_refused_with_the_reason(tmp_path):
    (tmp_path / "model.pb").write_bytes(COPPER.read_bytes()[:5000])
    done = show(tmp_path / "model.pb")
    assert done.returncode == 1 and "pair_style deepmd/threadpool: no: the file is damaged" in done.stdout
    missing = show(tmp_path / "missing.pb")
    assert missing.returncode == 1 and "there is no file" in missing.stderr
