# SPDX-License-Identifier: GPL-2.0-only
"""Every command that README.md shows in a ```sh block is run here; ```console blocks only illustrate.

The blocks run with bash in a scratch folder that looks like the root of a checkout (tools/tofu, cmake/ ...), with a
LAMMPS source tree in lammps/ that they may change. But for `-m long`, the plug-in is not compiled once more: the one
that the tests have stands in its build folder.
"""

import os
import re
import subprocess
from pathlib import Path

import pytest
from linked_tree import light_copy
from tofulib import CHECKOUT, build, test

pytestmark = pytest.mark.full

TIMEOUT = 600

#: Command that takes some minutes.
COMPILES_PLUGIN = "cmake --build build-plugin --parallel 2"


def blocks():
    """The ```sh blocks of README.md, named by their line."""
    path = CHECKOUT / "README.md"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    found = [(f"line {text.count(chr(10), 0, block.start()) + 1}", block.group(1))
             for block in re.finditer(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]
    prebuilt = f"cp '{os.environ.get('TOFU_PLUGIN', '')}' build-plugin/"
    return [*(pytest.param(block.replace(COMPILES_PLUGIN, prebuilt), id=line) for line, block in found),
            *(pytest.param(block, id=f"{line}, compiled", marks=pytest.mark.long)
              for line, block in found if COMPILES_PLUGIN in block)]


def test_readme_has_commands_to_run():
    assert sum(COMPILES_PLUGIN in block.values[0] for block in blocks()) == 1 < len(blocks())


@pytest.mark.parametrize("commands", blocks())
def test_readme_block(commands, tmp_path):
    if "TOFU_LAMMPS_DIR" not in os.environ:
        pytest.skip("TOFU_LAMMPS_DIR is not set; 'tools/tofu test' sets it")
    assert "tofu test" not in commands, "a README block that runs the tests would run itself; use ```console"
    for entry in CHECKOUT.iterdir():
        if entry.name != "lammps" and not entry.name.startswith(".git"):
            (tmp_path / entry.name).symlink_to(entry)
    light_copy(Path(os.environ["TOFU_LAMMPS_DIR"]), tmp_path / "lammps")
    environment = {**build.environment(), "CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_BASEDIR": str(tmp_path),
                   "LAMMPS": str(tmp_path / "lammps"),    # as the first block has it
                   "CXXFLAGS": test.fewer_sets()}    # as the plug-in of the tests, in the compiler's cache
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=tmp_path, env=environment,
                          stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, f"{commands}\n{done.stdout}"
