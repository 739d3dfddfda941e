# SPDX-License-Identifier: GPL-2.0-only
"""The table of styles of the manual (doc/manual/styles.csv) is that of the sources."""

import os
import re
from pathlib import Path

import pytest
from tofulib import CHECKOUT, manual, style_index, version

KINDS = {"pair": "Pair", "bond": "Bond", "angle": "Angle", "dihedral": "Dihedral", "improper": "Improper",
         "kspace": "KSpace", "fix": "Fix", "compute": "Compute", "min": "Minimize", "run": "Integrate"}
README = CHECKOUT / "README.md"


@pytest.fixture(scope="module")
def rows():
    """The rows by kind and name."""
    return {tuple(row["style"].split()): row for row in manual.styles()}


def test_table_has_every_variant_of_the_sources(rows):
    index = style_index.StyleIndex(None)
    variants = {(kind, name.removesuffix("/threadpool")) for kind, macro in KINDS.items()
                for table in (index.variants, index.headers) for name in table.get(macro, {})
                if name.endswith("/threadpool")}
    assert set(rows) == {(kind, name) for kind, name in variants if name == name.lower()}    # others are internal


def test_packages_are_those_of_lammps(rows):
    if "TOFU_LAMMPS_DIR" not in os.environ:
        pytest.skip("TOFU_LAMMPS_DIR is not set; 'tools/tofu test' sets it")
    index = style_index.StyleIndex(Path(os.environ["TOFU_LAMMPS_DIR"]))
    own = {("pair", "deepmd"), ("fix", "dplr"), ("kspace", "pppm/dplr")}
    for (kind, name), row in rows.items():
        if (kind, name) not in own:
            assert row["package"] == " ".join(sorted(index.packages_of(KINDS[kind], name))), name


def test_ring_is_that_of_the_table_of_styles(rows):
    ring = {name for name, traits in style_index.traits_of("PAIRS") if re.search(r"\bANY_ROWS", traits)}
    assert len(ring) > 40
    assert {name for (_, name), row in rows.items() if row["ring"]} == {name for name in ring if ("pair", name) in rows}


def test_mixed_is_that_of_the_page_of_package_threadpool(rows):
    text = (manual.MANUAL / "package_threadpool.rst").read_text(encoding="ascii")
    sentence = re.search(r"It holds for the pair styles (.*?), for the fitting", " ".join(text.split()))[1]
    mixed = {name for (kind, name), row in rows.items() if kind == "pair" and row["mixed"] == "yes"}
    assert set(re.findall(r"\*([\w/]+)\*", sentence)) == mixed


def test_values_are_known(rows):
    assert {row["threads"] for row in rows.values()} == {"yes", "part"}
    assert all(re.fullmatch(r"\d+\.\d+", row["since"]) and row["since"] <= version.tofu_version()
               for row in rows.values())


@pytest.mark.parametrize("page", [README, CHECKOUT / "doc" / f"release-{version.tofu_version()}.md"],
                         ids=lambda path: path.stem)
def test_numbers_of_styles_on_pages_are_those_of_the_table(rows, page):
    text = " ".join(page.read_text(encoding="utf-8").split())
    counts = {kind: sum(one == kind for one, _ in rows) for kind in KINDS}
    found = [int(re.search(pattern, text)[1]) for pattern in (r"(\d+) pair styles", r"(\d+) (?:bonded )?styles",
                                                               r"(\d+) fixes", r"(\d+) minimizers")]
    assert found == [counts["pair"] - 1, sum(counts[kind] for kind in ("bond", "angle", "dihedral", "improper")),
                     counts["fix"] - 1, counts["min"]]    # without those for deep potentials
