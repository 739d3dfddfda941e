# SPDX-License-Identifier: GPL-2.0-only
"""The table of LAMMPS' styles (style_table.cpp): each name is a style of a supported LAMMPS or of TOFU."""

import os
import re
from pathlib import Path

import pytest
from tofulib import CHECKOUT

pytestmark = pytest.mark.full

TREES = ("TOFU_LAMMPS_DIR", "TOFU_LAMMPS_DIR_NEWEST")
MACROS = {"PAIRS": "PairStyle", "FIXES": "FixStyle", "COMPUTES": "ComputeStyle", "DUMPS": "DumpStyle"}


@pytest.mark.parametrize("table", MACROS)
def test_every_name_is_that_of_a_style(table):
    if any(name not in os.environ for name in TREES):
        pytest.skip(f"{' and '.join(TREES)} not set: 'tools/tofu test --full' sets them")
    text = (CHECKOUT / "src" / "TOFU" / "lammps" / "styles" / "style_table.cpp").read_text(encoding="utf-8")
    entries = re.search(rf"const Table {table} = \{{\n(.*?)\n\}};", text, re.DOTALL).group(1)
    names = re.findall(r'\{"([^"]+)"', entries)
    folders = [CHECKOUT / "src" / "TOFU", *(Path(os.environ[name]) / "src" for name in TREES)]
    style = re.compile(rf"^{MACROS[table]}\(([^,]+),", re.MULTILINE)
    styles = {name for folder in folders for header in folder.rglob("*.h")
              for name in style.findall(header.read_text(encoding="utf-8", errors="replace"))}
    assert len(names) > 5 and len(names) == len(set(names)) and len(names) == entries.count("{")
    assert not sorted(set(names) - styles), "no style has this name"
