# SPDX-License-Identifier: GPL-2.0-only
"""Random scripts in a LAMMPS with the plug-in give what brick gives in the same LAMMPS, which has no package TOFU."""

from dataclasses import replace
from functools import partial

import pytest

from lammps_run import BRICK
from plugin_scripts import BRICK_ONLY, LOAD, plugin_script
from random_systems import SEED
from test_random_scripts import FIRST, MISTAKES, PLAIN, check, judge
from test_random_scripts import servers  # noqa: F401: a fixture, here with the LAMMPS below

pytestmark = pytest.mark.full

TESTS, SCRIPTS_PER_TEST = 1, 4
LONG_TESTS, SCRIPTS_PER_LONG_TEST = 20, 50


@pytest.fixture(scope="module")
def installation(plugin, installation):
    """The LAMMPS without the package, with the potentials of the other."""
    return replace(plugin[1], lammps_dir=installation.lammps_dir)


@pytest.fixture(scope="module")
def script_of(plugin):
    """Number -> script that loads the plug-in."""
    return partial(plugin_script, library=plugin[0])


@pytest.mark.parametrize("part", range(TESTS))
def test_random_scripts_with_the_plugin_do_what_they_do_with_brick(servers, script_of, tmp_path, part):  # noqa: F811
    first = FIRST + part * SCRIPTS_PER_TEST
    check(servers, range(first, first + SCRIPTS_PER_TEST), tmp_path, script_of)


@pytest.mark.long
@pytest.mark.parametrize("part", range(LONG_TESTS))
def test_a_thousand_random_scripts_with_the_plugin_do_what_they_do_with_brick(
    servers, script_of, tmp_path, part):  # noqa: F811
    first = SEED + part * SCRIPTS_PER_LONG_TEST
    check(servers, range(first, first + SCRIPTS_PER_LONG_TEST), tmp_path, script_of)


@pytest.mark.parametrize("mistake", ("a force a little wrong", "an error"))
def test_mistake_with_the_plugin_is_found(servers, script_of, tmp_path, mistake):  # noqa: F811
    verdict = judge(servers, script_of(PLAIN), tmp_path / "script", MISTAKES[mistake])
    assert verdict.kind == "differs" and verdict.lines


def test_brick_runs_without_the_plugin(script_of, tmp_path):
    kinds = set()
    for number in range(40):
        script = script_of(number)
        stock, loaded = (script.text(variant, tmp_path).splitlines() for variant in (BRICK, script.variant))
        load = LOAD.replace("{library}", str(script.library))
        assert not any("plugin" in line or BRICK_ONLY in line for line in stock)
        assert all(line == load for line, last in zip(loaded[1:], loaded) if last == "clear") and loaded[0] == load
        assert not any(line.startswith(("comm_style p2p/rdma", "package ", BRICK_ONLY)) for line in loaded)
        kinds |= {" ".join(line.split()[:3]) for line in loaded if line.startswith("plugin ")}
    assert {"plugin clear", "plugin list", "plugin unload pair", "plugin unload fix"} <= kinds
