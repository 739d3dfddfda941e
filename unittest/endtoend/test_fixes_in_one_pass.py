# SPDX-License-Identifier: GPL-2.0-only
"""Fixes with the suffix /threadpool leave their work at the end of a step and at the begin of the next one to a single
pass over atoms. Output, other fixes and variables look at atoms as they are without that."""

import pytest

from lammps_output import read_thermo
from lammps_run import threadpool
from small_systems import GRAINS, LJ, dump

STEPS = 24
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
    "fixes that do not wait among others": (
        LJ, f"{LANGEVIN}\nfix push all addforce 0.1 0 0\n{FALL}\nfix still all momentum 5 linear 1 1 1"),
    "grains that are frozen and fall": (
        GRAINS, f"{SOME}\nunfix floor\nfix ice some freeze\n{FALL}\nfix hot all langevin 1.0 1.0 0.5 4711 omega yes"),
}


def result(servers, system: str, ranks: int, parts: int, every: int, path) -> str:
    """The last output, and atoms after the last step, as text with all digits."""
    text, fixes = SYSTEMS[system]
    fixes_with_energy = "".join(f" f_{name}" for name in ("fall",) if f"fix {name} " in fixes)
    script = [text, fixes, f"thermo_style custom step temp pe ke press{fixes_with_energy}",
              "thermo_modify norm no format float %.17g", f"thermo {every}", f"run {STEPS}",
              dump(path, columns="vx vy vz fx fy fz")]
    (thermo,) = read_thermo(servers.server(ranks, threadpool(parts)).run("\n".join(script)))
    assert thermo.nrows == STEPS // every + 1
    last = {name: float(values[-1]) for name, values in thermo.columns.items()}
    return f"{last}\n{path.read_text()}"


@pytest.mark.parametrize("system,ranks,parts", [
    (system, 1 + number % 2, (2, 3, 1)[number % 3]) for number, system in enumerate(SYSTEMS)])
def test_steps_with_output_and_without_give_the_same_bits(servers, tmp_path, system, ranks, parts):
    """Output in each step divides each pass."""
    expected = result(servers, system, ranks, parts, 1, tmp_path / "each")
    assert result(servers, system, ranks, parts, STEPS, tmp_path / "last") == expected
