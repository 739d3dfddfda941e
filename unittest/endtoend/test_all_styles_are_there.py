# SPDX-License-Identifier: GPL-2.0-only
"""A program has every style of TOFU's headers and tables whose style without the suffix LAMMPS has."""

import re
import sys
from pathlib import Path
from typing import List, Set, Tuple

import pytest

from lammps_run import Installation, run_script

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from tofulib import style_index  # noqa: E402

pytestmark = pytest.mark.full

KINDS = {"Angle": "angle", "Bond": "bond", "Command": "command", "Compute": "compute", "Dihedral": "dihedral",
         "Fix": "fix", "Improper": "improper", "Integrate": "integrate", "KSpace": "kspace", "Minimize": "minimize",
         "Pair": "pair"}
"""Begin of a line that names a style -> category in what `info styles` prints."""

SUFFIX = "/(threadpool|offload)$"

OF_OTHERS = ("pppm/dplr/threadpool", "deepmd", "deepmd/threadpool", "dplr/threadpool")
"""Styles that LAMMPS does not have without the suffix, or that deepmd-kit has: there whatever LAMMPS has."""


def styles_of_the_package() -> List[Tuple[str, str]]:
    """Category and name of each style."""
    found = [(KINDS[kind], name) for kind, name, _ in style_index.own_styles() if kind in KINDS]
    assert len(found) > 150 and ("fix", "ring_balance") in found and ("pair", "lj/cut/threadpool") in found
    return found


def available(installation: Installation, folder: Path, first: str = "") -> Set[Tuple[str, str]]:
    """Category and name of all styles that LAMMPS lists, which are all but those with capitals."""
    output = run_script(installation, f"{first}info styles\n", 1, folder).expect_success().output
    found = set()
    for kind, text in re.findall(r"^(\w+) styles[^:\n]*:\n\n(.*?)\n\n", output, re.MULTILINE | re.DOTALL):
        found |= {(kind.lower(), name) for name in text.split()}
    assert ("pair", "lj/cut") in found and ("minimize", "cg") in found and ("command", "run") in found
    return found


def missing(installation: Installation, folder: Path, first: str = "") -> List[Tuple[str, str]]:
    """Styles that should be there and are not."""
    there = available(installation, folder, first)
    return [(kind, name) for kind, name in styles_of_the_package() if (kind, name) not in there and name[0].islower()
            and (name in OF_OTHERS or kind == "command" or not re.search(SUFFIX, name) or
                 (kind, re.sub(SUFFIX, "", name)) in there)]


def test_the_program_has_every_style(installation, tmp_path):
    assert missing(installation, tmp_path) == []


def test_the_newest_lammps_has_every_style(newest, tmp_path):
    assert missing(newest, tmp_path) == []


def test_a_lammps_with_the_plugin_has_every_style(plugin, tmp_path):
    library, stock = plugin
    assert missing(stock, tmp_path, f"plugin load {library}\n") == []
