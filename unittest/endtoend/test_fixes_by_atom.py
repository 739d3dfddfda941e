# SPDX-License-Identifier: GPL-2.0-only
"""Fixes with the suffix /threadpool that act on each atom by itself, several of them in a run, against LAMMPS' own."""

from typing import List

import pytest

from lammps_output import read_thermo
from lammps_run import BRICK, Variant, threadpool
from small_systems import CHAINS, GRAINS, LJ

WITH_SUFFIX = "suffix threadpool\nclear"

STEPS, SEEN = 24, 8
"""Of both runs together, and from one output to the next."""

LANGEVIN = "fix heat all langevin 1.0 2.0 0.5 4711"
FALL = "fix fall all gravity 0.5 vector 1 0 1"
WARMER = "variable warmer equal 1+0.001*step"
SOME = "group some id <> 1 300"

SYSTEMS = {
    "nve": (LJ, ""),
    "nve of a group, gravity and langevin": (LJ, f"{SOME}\nunfix integrate\nfix move some nve\n{FALL}\n{LANGEVIN}"),
    "two thermostats with a limit": (
        LJ, f"{SOME}\nunfix integrate\nfix move all nve/limit 0.02\n{LANGEVIN}\nfix cool some langevin 1 1 0.5 99"),
    "thermostat with a sum, and one of a variable": (
        LJ, f"{FALL}\n{LANGEVIN} zero yes\n{WARMER}\nfix vary all langevin v_warmer 1.0 0.5 33"),
    "gravity of a variable after gravity": (LJ, f"{FALL}\n{WARMER}\nfix more all gravity v_warmer vector 0 0 1"),
    "fixes of LAMMPS among others": (
        LJ, f"{LANGEVIN}\nfix flat all setforce NULL 0 NULL\n{FALL}\nfix still all momentum 5 linear 1 1 1"),
    "grains that are frozen and fall": (
        GRAINS, f"{SOME}\nunfix floor\nfix ice some freeze\n{FALL}\nfix hot all langevin 1.0 1.0 0.5 4711 omega yes"),
    "chains that drift from rank to rank": (CHAINS, "velocity all set 0.0 0.0 8.0 sum yes"),
}


def thermo_rows(servers, system: str, ranks: int, variant: Variant) -> List[dict]:
    """Thermo output of two runs."""
    text, fixes = SYSTEMS[system]
    # the first clear gives the step loop of the suffix to the first script of a process, too
    begin = WITH_SUFFIX if variant.parts else ""
    energy = "f_fall" if FALL in fixes else ""
    script = [begin, variant.command, text, fixes, f"thermo_style custom step temp pe ke press {energy}",
              "thermo_modify norm no format float %.17g", f"thermo {SEEN}", f"run {STEPS - SEEN}", f"run {SEEN} pre no"]
    tables = read_thermo(servers.server(ranks, variant).run("\n".join(script)))
    rows = [{name: float(values[row]) for name, values in table.columns.items()}
            for table in tables for row in range(table.nrows)]
    assert len(rows) == STEPS // SEEN + 2    # the end of the first run is there twice
    return rows


def cases() -> List[tuple]:
    """Each system on one or two ranks, with one to three parts."""
    return [(system, 1 + number % 2, (2, 3, 1)[number % 3]) for number, system in enumerate(SYSTEMS)]


@pytest.mark.parametrize("system,ranks,parts", cases())
def test_output_is_that_of_stock_fixes(servers, system, ranks, parts):
    expected = thermo_rows(servers, system, ranks, BRICK)
    found = thermo_rows(servers, system, ranks, threadpool(parts, "p2p/rdma"))
    assert found == [pytest.approx(row, rel=1e-8) for row in expected]


def test_energy_of_gravity_has_the_same_bits_for_any_number_of_parts(servers):
    """Shares of parts are no whole blocks of sums without further care."""
    script = [LJ, FALL, "thermo_style custom step f_fall", "thermo_modify norm no format float %.17g", "run 0"]
    energies = set()
    for parts in (1, 2, 3):
        variant = threadpool(parts)
        (thermo,) = read_thermo(servers.server(1, variant).run("\n".join([variant.command, *script])))
        energies.add(float(thermo.columns["f_fall"][0]))
    assert len(energies) == 1
