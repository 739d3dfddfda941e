# SPDX-License-Identifier: GPL-2.0-only
"""Random scripts for a LAMMPS that was built without the package and gets it from the plug-in.

These are the scripts of `random_scripts.py` with the commands as the plug-in spells them. LAMMPS' `clear` unloads all
plug-ins, so that a line that loads the plug-in follows every `clear`. Between blocks, some scripts load it again,
unload parts of it that are in use or not, or unload everything; styles that are deleted in this way are made again,
by brick too.
"""

import random
from dataclasses import dataclass, replace
from pathlib import Path
from typing import List, Sequence, Tuple

from lammps_run import Variant
from random_scripts import RandomScript, random_script

PLUGIN = "plugin "
"""Begin of the lines that brick leaves out."""

LOAD = "plugin load {library}"

BRICK_ONLY = "{brick} "
"""Begin of the lines that only brick has."""

SPELLING = {"comm_style p2p/rdma": "comm_style/p2p/rdma", "comm_style brick": "comm_style/brick",
            "package threadpool": "package/threadpool"}
"""Command of a LAMMPS with the package -> the same in the plug-in."""

CHANCE = 0.6
"""Share of blocks that begin with commands about plug-ins."""

KINDS_WITHOUT_HISTORY = ("atomic", "charge", "bond", "full", "eam")
"""Kinds of atoms whose pair style keeps nothing from step to step, so that it can be made again."""


@dataclass(frozen=True)
class PluginScript(RandomScript):
    """A script for a LAMMPS with the plug-in.

    Args:
        library: file of the plug-in.
        stock_spelling: whether `comm_style brick` stays as it is: LAMMPS' own command, which keeps p2p_rdma.
    """

    library: Path = Path()
    stock_spelling: bool = False

    @property
    def variant(self) -> Variant:
        """The variant that is compared with brick, in a job of its own: brick runs where no plug-in was ever loaded."""
        usual = super().variant
        return replace(usual, environment=(*usual.environment, ("TOFU_TEST_PLUGIN", "loaded")))

    def text(self, variant: Variant, folder: Path, first: Sequence[str] = ()) -> str:
        """The script for one way to compute; only this script's own variant loads the plug-in."""
        lines = super().text(variant, folder, first).splitlines()
        if variant != self.variant:
            return "\n".join(line.replace(BRICK_ONLY, "") for line in lines if not line.startswith(PLUGIN)) + "\n"
        spelled: List[str] = [LOAD]
        for line in lines:
            if not line.startswith(BRICK_ONLY):
                spelled.append(self.as_spelled(line))
            if line == "clear":
                spelled.append(LOAD)
        return "\n".join(spelled).replace("{library}", str(self.library)) + "\n"

    def as_spelled(self, line: str) -> str:
        """A line of the script, with the plug-in's name of its command."""
        for usual, name in SPELLING.items():
            if line.startswith(usual) and not (self.stock_spelling and line == "comm_style brick"):
                return name + line[len(usual):]
        return line


def plugin_script(number: int, library: Path) -> PluginScript:
    """The script with this number, with commands about plug-ins."""
    script = random_script(number)
    draw = random.Random(f"plug-in {number}")
    blocks = list(script.blocks)
    for n in range(1, len(blocks)):
        if draw.random() < CHANCE:
            blocks[n] = (*commands_about_plugins(script, n, draw), *script.blocks[n])
    return PluginScript(script.number, script.system, script.parts, script.style, tuple(blocks), library,
                        draw.random() < 0.3)


def commands_about_plugins(script: RandomScript, block: int, draw: random.Random) -> List[str]:
    """Commands before a block of a script, after which all is as before."""
    ways = [[LOAD], [LOAD, LOAD], ["plugin list"],
            ["plugin unload command comm_style/p2p_rdma", "plugin unload command package/threadpool", LOAD],
            ["plugin unload fix p2p_rdma/stats", LOAD],
            ["plugin unload kspace pppm/offload", "plugin unload pair nonsense", LOAD]]
    pair = pair_lines(script)
    if not script.parts:
        ways += [["plugin clear", LOAD]] * 3    # no more than statistics is lost
    elif pair:
        style = f"{pair[0].split()[1]}/threadpool"
        ways += [[f"plugin unload pair {style}", LOAD, *pair]] * 3
        if not loses_the_suffix(script):
            made_again = [*pair, *lines_of(script, "bond_"), *motion_lines(script, block)]
            ways += [["plugin clear", LOAD, *made_again]] * 3
    return draw.choice(ways)


def pair_lines(script: RandomScript) -> List[str]:
    """Commands that make the pair style again with its first coefficients; none if it would lose something."""
    if script.system.kind not in KINDS_WITHOUT_HISTORY:
        return []
    return [*lines_of(script, "pair_"), "pair_modify shift no"]


def lines_of(script: RandomScript, *starts: str) -> List[str]:
    """Lines of the first block that begin with one of these words."""
    return [line for line in script.blocks[0] if line.startswith(starts)]


def loses_the_suffix(script: RandomScript) -> bool:
    """Whether a command switches the suffix off: it is then unknown which styles the plug-in takes along."""
    return any("{suffix off}" in line for block in script.blocks for line in block)


def motion_lines(script: RandomScript, block: int) -> Tuple[str, ...]:
    """Commands that make the time integration anew as it is before a block.

    Where the plug-in has taken the fix along, `unfix` would be an error, so that only brick has it.
    """
    before = [line for lines in script.blocks[:block] for line in lines if line.startswith("fix motion ")]
    return (f"{BRICK_ONLY}unfix motion", before[-1])
