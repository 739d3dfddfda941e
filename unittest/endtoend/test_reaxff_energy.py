# SPDX-License-Identifier: GPL-2.0-only
"""The energy that a run of ReaxFF conserves drifts as little as with LAMMPS' styles.

LAMMPS has two constants for the same unit, so that forces are the slope of E + FACTOR E_polarization, not of the
energy that is printed (page pair_reaxff_threadpool).
"""

from typing import List

import numpy as np
import pytest

from lammps_output import read_thermo
from lammps_run import BRICK, Variant, threadpool
from reaxff_files import molecules_in

FACTOR = 332.06371 / (23.02 * 14.4) - 1.0

DROPLET = """\
units real
atom_style charge
boundary p p p
read_data {data}
pair_style reaxff NULL safezone 2.0 mincap 200 minhbonds 200
pair_coeff * * {examples}/water/qeq_ff.water O H
neighbor 1.0 bin
neigh_modify every 1 delay 0 check yes
velocity all create 300.0 {seed} loop geom
fix charges all qeq/reaxff 1 0.0 10.0 {tolerance} reaxff maxiter 400
fix integrate all nve
timestep {timestep}
compute terms all pair reaxff
thermo_style custom step etotal c_terms[14]
thermo_modify norm no format float %.17g
run {settle} post no
thermo {every}
run {steps} post no
"""

BOX = "0.0 60.0 {0}lo {0}hi"


def write_droplet(examples, path) -> None:
    """Write a data file with the 32 molecules of LAMMPS' water that are next to the center, in a wide box."""
    text = (examples / "water" / "data.water").read_text()
    center = 0.5 * float(text.split("xlo")[0].split()[-1])
    places = molecules_in(text)
    chosen = np.argsort(np.linalg.norm(places[:, 0] - center, axis=1), kind="stable")[:32]
    lines = ["Droplet", "", "96 atoms", "2 atom types", "", *(BOX.format(name) for name in "xyz"), "", "Masses", "",
             "1 15.9994", "2 1.008", "", "Atoms # charge", ""]
    for number, molecule in enumerate(places[chosen] - center + 30.0):
        for k in range(3):
            x, y, z = molecule[k]
            lines.append(f"{3 * number + k + 1} {1 if k == 0 else 2} 0.0 {x:.10f} {y:.10f} {z:.10f}")
    path.write_text("\n".join(lines) + "\n")


def energies(installation, servers, folder, variant: Variant, tolerance: str, timestep: float, steps: int,
             every: int, settle: int, seed: int = 4928459) -> List[np.ndarray]:
    """The energy that is conserved and the one that is printed, every so many steps of a run [kcal/mol].

    Args:
        timestep: fs.
        settle: steps before the run.
        seed: of the velocities.
    """
    examples = installation.lammps_dir / "examples" / "reaxff"
    write_droplet(examples, folder / "droplet")
    script = DROPLET.format(data=folder / "droplet", examples=examples, tolerance=tolerance, timestep=timestep,
                            steps=steps, every=every, settle=settle, seed=seed)
    log = folder / f"{variant}.log"
    servers.server(1, variant).run(f"log {log}\n{variant.command}\n{script}\nlog none", timeout=3600.0)
    table = read_thermo(log.read_text(encoding="utf-8"))[-1].columns
    return [table["TotEng"] + FACTOR * table["c_terms[14]"], table["TotEng"]]


@pytest.mark.full
def test_the_page_says_which_energy_is_conserved(installation, servers, tmp_path):
    conserved, printed = energies(installation, servers, tmp_path, threadpool(1), "1e-8", 0.05, 400, 1, 0)
    assert np.std(conserved) < 0.5 * np.std(printed)


SEEDS = (11, 222, 3333, 4444, 55555)


@pytest.mark.long
@pytest.mark.parametrize("tolerance", ("1e-6", "1e-8"))
def test_ten_thousand_steps_conserve_energy_as_with_stock(installation, servers, tmp_path, tolerance):
    """Slopes of lines through the energy of 2 ps. They differ between trajectories, so that means of some are taken."""
    drifts, errors, noises = [], [], []
    for variant in (BRICK, threadpool(1)):
        slopes, scatter = [], []
        for seed in SEEDS:
            energy = energies(installation, servers, tmp_path, variant, tolerance, 0.2, 10_000, 20, 1_000, seed)[0]
            time = np.linspace(0.0, 1.0, len(energy))
            slope, offset = np.polyfit(time, energy, 1)
            slopes.append(slope)
            scatter.append(np.std(energy - slope * time - offset))
        drifts.append(abs(np.mean(slopes)))
        errors.append(np.std(slopes, ddof=1) / np.sqrt(len(SEEDS)))
        noises.append(np.mean(scatter))
    assert drifts[1] <= drifts[0] + 3.0 * np.hypot(*errors), f"drifts {drifts} with errors {errors} kcal/mol"
    assert noises[1] <= 2.0 * noises[0], f"scatter {noises} kcal/mol"
