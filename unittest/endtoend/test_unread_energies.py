# SPDX-License-Identifier: GPL-2.0-only
"""Energies and virials that fix plumed requests for each step are computed in those in which someone reads them.

A stand-in for the fix is in fix_plumed_stand_in.cpp.
"""

import re
from pathlib import Path

import pytest

from charged_systems import water
from lammps_output import read_snapshot
from lammps_plugin import compile_plugin
from lammps_run import BRICK, threadpool
from small_systems import CHAINS, LJ, METAL, dump
from suffix_runs import largest_difference, thermo_of

OUTPUT = "thermo_style custom step temp pe press f_bias[*]\nthermo_modify norm no format float %.17g\n"
SYSTEMS = {
    "two types": LJ,
    "metal": METAL,
    "chains": CHAINS,
    "rigid water": water(2).format(kspace="kspace_style pppm 1e-4"),
    "a barostat": LJ.replace("all nve", "all npt temp 1.4 1.0 0.1 iso 0 1 0.5"),
}
NEVER, LATE = "0 0", "3 20"
STEPS = 130
COUNTS = re.compile(r"(\d+) steps without energies, .*; (\d+) with energies after the forces")


@pytest.fixture(scope="module")
def stand_in(installation, tmp_path_factory):
    """The plug-in with the stand-in for fix plumed."""
    return compile_plugin(installation, [Path(__file__).with_name("fix_plumed_stand_in.cpp")],
                          tmp_path_factory.mktemp("plumed") / "plumed.so")


def script(variant, stand_in: Path, reads: str, system: str = LJ, more: str = "") -> str:
    """A run with the fix before all others, as it has to be with a barostat."""
    begin = system.index("fix integrate")
    return "\n".join([variant.command, system[:begin], f"plugin load {stand_in}", f"fix bias all plumed {reads}",
                      system[begin:], OUTPUT, "thermo 50", more, f"run {STEPS}"])


def counts(servers, variant, text: str) -> tuple:
    """Numbers of steps without energies, and of those that got them after the forces."""
    found = COUNTS.search(servers.server(1, variant).run(text))
    return tuple(map(int, found.groups())) if found else (0, 0)


@pytest.mark.parametrize("system,reads,ranks,parts", [
    (system, (NEVER, LATE)[number % 2], 1 + number % 2, (1, 3)[number // 2 % 2])
    for number, system in enumerate([*SYSTEMS, *SYSTEMS])])
def test_energies_and_motion_are_those_of_stock(servers, tmp_path, stand_in, system, reads, ranks, parts):
    """What the fix has read for the first time, in step 20, was computed after the forces."""
    results = []
    for variant in (BRICK, threadpool(parts, "p2p/rdma")):
        path = tmp_path / f"{variant.name}.dump"
        text = script(variant, stand_in, reads, SYSTEMS[system]).replace(f"run {STEPS}", "run 20\nrun 5")
        tables = thermo_of(servers, f"{text}\n{dump(path)}", variant, ranks, tmp_path / f"{variant.name}.log")
        results.append([*(table.columns for table in tables), read_snapshot(path).columns])
    for expected, found in zip(*results):
        for name, values in expected.items():
            assert largest_difference(values, found[name]) < 1e-10, name
    assert (results[1][0]["f_bias[1]"][-1] != 0.0) == (reads == LATE)


def test_steps_without_a_reader_have_no_energies(servers, stand_in):
    """The first step is requested in the set-up; outputs of steps 50 and 100 have energies, as has the last step."""
    variant = threadpool(2, "p2p/rdma")
    assert counts(servers, variant, script(variant, stand_in, NEVER)) == (STEPS - 4, 0)


def test_from_the_first_reader_on_all_steps_have_energies(servers, stand_in):
    variant = threadpool(1, "p2p/rdma")
    assert counts(servers, variant, script(variant, stand_in, "7 30")) == (28, 1)
    assert counts(servers, variant, script(variant, stand_in, "30 0")) == (0, 0)


@pytest.mark.parametrize("reader", ("fix h all halt 10 v_high > 1e9 error soft\n", "timer timeout 1:00:00\n",
                                    "fix unknown all external pf/array 1\n", "suffix off\n",
                                    "fix share all ring/balance 10 1.0\n"))
def test_all_steps_have_energies_where_someone_may_read_them_without_a_request(servers, stand_in, reader):
    variant = threadpool(1, "p2p/rdma")
    text = script(variant, stand_in, NEVER, more="variable high equal 0\n" + reader)
    if "suffix" in reader:
        text = text.replace(reader, "").replace("plugin load", "suffix off\nplugin load")
    try:
        assert counts(servers, variant, text) == (0, 0)
    finally:
        servers.server(1, variant).run("timer timeout off\nsuffix threadpool")
