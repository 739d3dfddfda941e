# SPDX-License-Identifier: GPL-2.0-only
"""The table of LAMMPS' styles (style_table.cpp): each name is a style of a supported LAMMPS or of TOFU."""

import os
import re
from pathlib import Path

import pytest
from tofulib import style_index

pytestmark = pytest.mark.full

TREES = ("TOFU_LAMMPS_DIR", "TOFU_LAMMPS_DIR_NEWEST")
MACROS = {"PAIRS": "PairStyle", "FIXES": "FixStyle", "COMPUTES": "ComputeStyle", "DUMPS": "DumpStyle"}


@pytest.mark.parametrize("table", MACROS)
def test_every_name_is_that_of_a_style(table):
    if any(name not in os.environ for name in TREES):
        pytest.skip(f"{' and '.join(TREES)} not set: 'tools/tofu test --full' sets them")
    names = [name for name, _ in style_index.traits_of(table)]
    style = re.compile(rf"^{MACROS[table]}\(([^,]+),", re.MULTILINE)
    styles = {name for variable in TREES for header in (Path(os.environ[variable]) / "src").rglob("*.h")
              for name in style.findall(header.read_text(encoding="utf-8", errors="replace"))}
    styles |= {name for kind, name, _ in style_index.own_styles() if MACROS[table] == f"{kind}Style"}
    assert len(names) > 5 and len(names) == len(set(names))
    assert not sorted(set(names) - styles), "no style has this name"
