# SPDX-License-Identifier: GPL-2.0-only
"""A program has every style of TOFU's headers whose style without the suffix LAMMPS has."""

import os
import re
from pathlib import Path
from typing import Dict, List, Tuple

import pytest

from lammps_run import Installation, run_script

SOURCES = Path(__file__).parents[2] / "src" / "TOFU"
KINDS = {"Angle": "angle", "Bond": "bond", "Command": "command", "Compute": "compute", "Dihedral": "dihedral",
         "Fix": "fix", "Improper": "improper", "Integrate": "integrate", "KSpace": "kspace", "Minimize": "minimize",
         "Pair": "pair"}
"""Begin of a line that names a style -> category of `is_available`."""

OF_OTHERS = ("pppm/dplr/threadpool", "deepmd", "deepmd/threadpool", "dplr/threadpool")
"""Styles that LAMMPS does not have without the suffix, or that deepmd-kit has: there whatever LAMMPS has."""


def styles_of_headers() -> List[Tuple[str, str]]:
    """Category and name of each style."""
    found = [(KINDS[kind], name) for header in sorted(SOURCES.glob("*/*.h"))
             for kind, name in re.findall(r"^([A-Za-z]+)Style\(([^,]+),", header.read_text(encoding="utf-8"),
                                          re.MULTILINE)]
    assert len(found) > 150 and ("fix", "ring_balance") in found and ("pair", "lj/cut/threadpool") in found
    return found


def available(installation: Installation, styles: List[Tuple[str, str]], folder: Path, first: str = "") -> Dict:
    """Whether each of them is there."""
    lines = "".join(f'print "style {kind} {name} $(is_available({kind},{name}))"\n' for kind, name in styles)
    output = run_script(installation, first + lines, 1, folder).expect_success().output
    answers = {(kind, name): answer == "1" for kind, name, answer in
               re.findall(r"^style (\S+) (\S+) ([01])$", output, re.MULTILINE)}
    assert set(answers) == set(styles)
    return answers


def missing(installation: Installation, folder: Path, first: str = "") -> List[Tuple[str, str]]:
    """Styles that should be there and are not."""
    styles = styles_of_headers()
    stock = {(kind, name): (kind, re.sub("/(threadpool|offload)$", "", name)) for kind, name in styles}
    answers = available(installation, sorted({*styles, *stock.values()}), folder, first)
    return [(kind, name) for kind, name in styles if not answers[kind, name]
            and (name in OF_OTHERS or name == stock[kind, name][1] or answers[stock[kind, name]])]


def test_the_program_has_every_style(installation, tmp_path):
    assert missing(installation, tmp_path) == []


def test_the_newest_lammps_has_every_style(tmp_path):
    if "TOFU_LMP_NEWEST" not in os.environ:
        pytest.skip("TOFU_LMP_NEWEST not set: the newest LAMMPS was not built")
    assert missing(Installation.from_environment("_NEWEST"), tmp_path) == []


def test_a_lammps_with_the_plugin_has_every_style(plugin, tmp_path):
    library, stock = plugin
    assert missing(stock, tmp_path, f"plugin load {library}\n") == []
