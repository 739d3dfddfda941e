# SPDX-License-Identifier: GPL-2.0-only
"""Random scripts with sub-boxes from recursive bisection give the same results as with brick and its grid."""

import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Sequence

import pytest

from lammps_run import Variant
from random_scripts import RandomScript, random_script
from random_systems import SEED
from test_random_scripts import FIRST, check, servers    # noqa: F401 (a fixture)

pytestmark = pytest.mark.full

TILES = (
    (r"^balance .*$", "balance 0.9 rcb"),
    (r"^(fix \S+ \S+ balance \S+ \S+) shift .*$", r"\1 rcb"),
    (r"^(comm_style p2p/rdma.*)$", r"\1 layout tiled"),
    (r"pattern 3stage", "pattern p2p"),
)
"""Commands about grids, and what stands in their place."""

SCRIPTS = 4
LONG_TESTS, SCRIPTS_PER_LONG_TEST = 20, 100


@dataclass(frozen=True)
class TiledScript(RandomScript):
    """A script that brick runs as it is, and the variant with bisection in place of cuts."""

    def text(self, variant: Variant, folder: Path, first: Sequence[str] = ()) -> str:
        if variant.style != "p2p/rdma":
            return super().text(variant, folder, first)
        comm = variant.command.split("\n")[-1]
        text = f"{comm}\n" + super().text(variant, folder, ("balance 0.9 rcb", *first))
        text = re.sub("^clear$", f"clear\n{comm}", text, flags=re.M)    # commands about tiles may come first
        text = re.sub("^comm_style brick$", comm, text, flags=re.M)
        for pattern, replacement in TILES:
            text = re.sub(pattern, replacement, text, flags=re.M)
        return text


def tiled_script(number: int) -> TiledScript:
    """The script with this number, on tiles."""
    script = random_script(number)
    return TiledScript(**{field.name: getattr(script, field.name) for field in fields(script)})


NUMBERED = ("reset_atoms", "create_atoms", "compress yes", "deposit")
"""Words of commands that give IDs to atoms in an order that depends on sub-boxes."""


def suitable_numbers(first: int, count: int) -> list:
    """Numbers of scripts whose variant is p2p_rdma and whose IDs do not depend on sub-boxes."""
    found, number = [], first
    while len(found) < count:
        script = random_script(number)
        commands = "\n".join(line for block in script.blocks for line in block)
        if script.style == "p2p/rdma" and not any(word in commands for word in NUMBERED):
            found.append(number)
        number += 1
    return found


def test_random_scripts_do_on_tiles_what_they_do_with_brick(servers, tmp_path):    # noqa: F811
    check(servers, suitable_numbers(FIRST, SCRIPTS), tmp_path, tiled_script)


@pytest.mark.long
@pytest.mark.parametrize("part", range(LONG_TESTS))
def test_two_thousand_random_scripts_do_on_tiles_what_they_do_with_brick(servers, tmp_path, part):    # noqa: F811
    check(servers, suitable_numbers(SEED + 4 * part * SCRIPTS_PER_LONG_TEST, SCRIPTS_PER_LONG_TEST), tmp_path,
          tiled_script)
