# SPDX-License-Identifier: GPL-2.0-only
"""Drift of the energy over a run."""

import numpy as np

from lammps_output import read_thermo
from lammps_run import Variant

RANKS = 4
SCRIPT = """\
{comm}
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
pair_modify shift yes
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
fix integrate all nve
timestep 0.004
{more}run {settle} post no
reset_timestep 0
thermo_style custom step atoms temp etotal
thermo_modify norm no format float %.17g
thermo {every}
run {steps} post no
"""
"""256 atoms; the pair energy is shifted, or else each crossing of the cut-off would change the total."""


def drift(servers, variant: Variant, steps: int, more: str = ""):
    """Drift of the energy over a run, with `more` commands before it.

    Returns:
        Slope of a line through the total energy times the run length, and the scatter around the line,
        both per kinetic energy at the start; mean temperature.
    """
    script = SCRIPT.format(comm=variant.command, more=more, settle=2000, every=steps // 200, steps=steps)
    thermo = read_thermo(servers.server(RANKS, variant).run(script, timeout=3600.0))[-1]
    assert np.all(thermo.columns["Atoms"] == 256)
    energy = thermo.columns["TotEng"] / (1.5 * 255 * thermo.columns["Temp"][0])
    time = np.linspace(0.0, 1.0, thermo.nrows)
    slope, offset = np.polyfit(time, energy, 1)
    return slope, np.std(energy - slope * time - offset), np.mean(thermo.columns["Temp"])
