# SPDX-License-Identifier: GPL-2.0-only
"""With a deep potential the total energy of a run drifts as little as with deepmd-kit's own pair style.

One model has random weights, as bench --deepmd makes it: its energy is a smooth function of the positions. A short
repulsion keeps atoms from places where no model is trained. The other one is that of examples/dplr: water at 300 K with
long-range forces.
"""

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from deep_models import random_atoms
from lammps_output import read_thermo
from lammps_run import run_script, threadpool

CHECKOUT = Path(__file__).resolve().parents[2]
MAKER = CHECKOUT / "tools" / "tofulib" / "deepmd_models.py"
WATER = CHECKOUT / "examples" / "dplr"
NWATER = 384
"""Atoms of the example, without Wannier centers."""
NATOMS, EDGE = 24, 6.2
MODEL = ("O,H", "46,92", "4.0", "5,10,20", "4", "24,24,24")

SCRIPT = """\
{first}units metal
atom_style atomic
region box block 0 {edge} 0 {edge} 0 {edge}
create_box 2 box
{atoms}
mass 1 16.0
mass 2 2.0
pair_style hybrid/overlay deepmd {model} lj/cut 1.5
pair_coeff * * deepmd O H
pair_coeff * * lj/cut 0.2 1.2 1.3469545
pair_modify shift yes
neighbor 1.0 bin
neigh_modify every 1 delay 0 check yes
velocity all create 300.0 87287 loop geom
fix integrate all nve
timestep 0.00025
run {settle} post no
reset_timestep 0
thermo_style custom step atoms temp etotal
thermo_modify norm no format float %.17g
thermo {every}
run {steps} post no
"""
"""The other pair potential ends at its minimum, where its force is zero."""


class Drift(NamedTuple):
    """Change of the energy over a run by a line through it, scatter around the line, both in relation to the kinetic
    energy; temperature [K]."""

    slope: float
    noise: float
    temperature: float


@pytest.fixture(scope="module")
def smooth_model(deepmd, tmp_path_factory):
    """A compressed model for both sides."""
    folder = tmp_path_factory.mktemp("smooth")
    subprocess.run([deepmd.folder / "bin" / "python", "-I", MAKER, folder / "model.pb", *MODEL], cwd=folder, check=True,
                   capture_output=True, env={**os.environ, **deepmd.variables})
    return folder / "model.pb"


def drift(installation, first: str, model: Path, folder: Path, steps: int, variables) -> Drift:
    """Run `first` and the script."""
    atoms = random_atoms(5, NATOMS, np.diag([EDGE] * 3), distance=1.35)
    lines = "\n".join(f"create_atoms {1 if i % 3 == 0 else 2} single {' '.join(map(repr, map(float, x)))}"
                      for i, x in enumerate(atoms.x))
    script = SCRIPT.format(first=first, edge=EDGE, atoms=lines, model=model, settle=500, every=steps // 100,
                           steps=steps)
    run = run_script(installation, script, 1, folder, environment=variables, timeout=3600.0).expect_success()
    columns = read_thermo(run.output)[-1].columns
    assert np.all(columns["Atoms"] == NATOMS)
    return drift_of(columns, NATOMS, first)


def drift_of(columns, natoms: int, name: str) -> Drift:
    """Drift of the total energy of a table of the log."""
    temperature = np.mean(columns["Temp"])
    kinetic = 1.5 * (natoms - 1) * 8.617343e-5 * temperature
    time, energy = np.linspace(0.0, 1.0, len(columns["TotEng"])), columns["TotEng"] / kinetic
    slope, offset = np.polyfit(time, energy, 1)
    result = Drift(slope, np.std(energy - slope * time - offset), temperature)
    print(f"{name.splitlines()[0][:40]}: {result}")
    return result


def check(installation, deepmd, model: Path, folder: Path, steps: int) -> None:
    expected = drift(installation, f"plugin load {deepmd.plugin}\n", model, folder, steps, deepmd.variables)
    found = drift(installation, threadpool(2).command + "\n", model, folder, steps, {})
    assert abs(found.slope) <= abs(expected.slope) + 5.0 * expected.noise
    assert found.noise <= 2.0 * expected.noise
    assert found.temperature == pytest.approx(expected.temperature, rel=0.1)


@pytest.mark.deepmd
def test_energy_drifts_as_with_deepmd_kits_own_style(installation, deepmd, smooth_model, tmp_path):
    check(installation, deepmd, smooth_model, tmp_path, 2_000)


@pytest.mark.long
def test_energy_of_one_hundred_thousand_steps_drifts_as_with_deepmd_kits_own_style(installation, deepmd, smooth_model,
                                                                                  tmp_path):
    check(installation, deepmd, smooth_model, tmp_path, 100_000)


@pytest.mark.full
@pytest.mark.parametrize("steps", (1_000, pytest.param(100_000, marks=pytest.mark.long)))
def test_energy_of_water_with_long_range_forces_stays(installation, tmp_path, steps):
    """A drift by a thousandth of the kinetic energy would be seen."""
    script = (WATER / "in.dplr").read_text(encoding="utf-8")
    for old, new in (("water.pb", str(WATER / "water.pb")), ("data.water", str(WATER / "data.water")),
                     ("thermo          40", f"thermo {steps // 100}"), ("${steps}", str(steps)),
                     ("temp temperature", "temp temperature norm no format float %.17g\n#")):
        assert old in script
        script = script.replace(old, new)
    run = run_script(installation, script, 2, tmp_path, variant=threadpool(1), timeout=3600.0).expect_success()
    found = drift_of(read_thermo(run.output)[-1].columns, NWATER, "water")
    assert abs(found.slope) < 1e-3 and found.noise < 1e-3
    assert 270.0 < found.temperature < 350.0
