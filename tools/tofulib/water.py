# SPDX-License-Identifier: GPL-2.0-only
"""Boxes of water for measurements: SPC/E and TIP4P/2005 with rigid molecules, settled for a while."""

import math
import random
from typing import NamedTuple

from . import bench, cache, trial

#: Lattice with one point for each molecule: cells along an edge, and kind of the lattice; by number of molecules.
LATTICES = {500: (5, "fcc"), 1000: (10, "sc"), 2000: (10, "bcc"), 4000: (10, "fcc")}
MOLECULES_PER_VOLUME = 0.03334    #: at 1 g/cm3 [1/Angstrom^3]
#: Place of kspace_style in a script; bench --kspace and bench --gromacs compare several.
KSPACE = "@kspace@"
NVT, NPT = "nvt temp 300.0 300.0 100.0", "npt temp 300.0 300.0 100.0 iso 1.0 1.0 1000.0"


class Model(NamedTuple):
    """A rigid molecule of three atoms; lengths in Angstrom, angle in degrees, energies in kcal/mol."""

    name: str
    pair: str                #: words of pair_style
    kspace: str              #: words of kspace_style
    epsilon: float           #: Lennard-Jones, of oxygen
    sigma: float
    charge: float            #: of hydrogen
    bond: float              #: length
    angle: float


SPCE = Model("SPC/E", "lj/cut/coul/long 9.0", "pppm 1e-4", 0.1553, 3.166, 0.4238, 1.0, 109.47)
TIP4P = Model("TIP4P/2005", "lj/cut/tip4p/long 1 2 1 1 0.1546 8.5", "pppm/tip4p 1e-4", 0.1852, 3.1589, 0.5564, 0.9572,
              104.52)

HEAD = """\
units real
atom_style full
pair_style {pair}
bond_style harmonic
angle_style harmonic
special_bonds lj/coul 0.0 0.0 0.0
"""

FORCES = """\
pair_coeff * * 0.0 1.0
pair_coeff 1 1 {epsilon} {sigma}
bond_coeff 1 450.0 {bond}
angle_coeff 1 55.0 {angle}
"""

BUILD = HEAD + """\
lattice {lattice} {edge:.6f}
region box block 0 {cells} 0 {cells} 0 {cells}
create_box 2 box bond/types 1 angle/types 1 extra/bond/per/atom 2 extra/angle/per/atom 1 extra/special/per/atom 2
molecule water {molecule}
create_atoms 0 box mol water 4711
mass 1 15.9994
mass 2 1.008
""" + FORCES + """\
kspace_style {kspace}
minimize 0.0 0.0 100 1000
velocity all create 300.0 87287
fix rigid all shake 1e-4 20 0 b 1 a 1
fix integrate all nvt temp 300.0 300.0 50.0
timestep 1.0
run 300
write_data {data} nocoeff
"""

RUN = HEAD + """\
{place}
read_data {data}
""" + FORCES + """\
neighbor 2.0 bin
neigh_modify delay 4 every 2 check yes
fix rigid all shake 1e-4 20 0 b 1 a 1
fix integrate all {ensemble}
timestep 2.0
thermo 0
run {warm_up}
run @steps@
"""

#: LAMMPS finds the special bonds itself.
MOLECULE = """\
{name}

3 atoms
2 bonds
1 angles

Coords

1 0.0 0.0 0.0
2 {x:.6f} {y:.6f} 0.0
3 -{x:.6f} {y:.6f} 0.0

Types

1 1
2 2
3 2

Charges

1 {oxygen:.6f}
2 {charge}
3 {charge}

Bonds

1 1 1 2
2 1 1 3

Angles

1 1 2 1 3
"""


def script(model, molecules, lammps, warm_up, ensemble=NVT):
    """An input that reads settled water, with @kspace@ and @steps@ in it.

    Args:
        model: A Model.
        molecules: Number of molecules, a key of LATTICES.
        lammps: A Build, with which the water is made at need.
        warm_up: Steps before the measured ones.
        ensemble: Words of the fix that integrates.
    """
    return RUN.format(place=KSPACE, data=settled(model, molecules, lammps), warm_up=warm_up, ensemble=ensemble,
                      **model._asdict())


def settled(model, molecules, lammps):
    """A data file of water that has settled for a while, made once for each program.

    Returns:
        Its path.
    """
    folder = cache.folder("bench")
    word = model.name.partition("/")[0].lower()
    data = folder / f"data.{word}.{molecules}.{lammps.source.release}"
    if data.exists():
        return data
    molecule = folder / f"{word}.mol"
    molecule.write_text(MOLECULE.format(**model._asdict(), oxygen=-2 * model.charge, **half(model)), encoding="utf-8")
    cells, lattice = LATTICES[molecules]
    fresh = folder / f"{data.name}.{random.getrandbits(32):x}"
    trial.runs_of(lammps, data.name, BUILD.format(
        **model._asdict(), lattice=lattice, edge=(molecules / MOLECULES_PER_VOLUME) ** (1 / 3) / cells, cells=cells,
        molecule=molecule, data=fresh), bench.RANKS)
    fresh.rename(data)
    return data


def half(model):
    """Distances of a hydrogen from the oxygen: x to the side, y along the molecule's axis."""
    angle = math.radians(model.angle) / 2
    return {"x": model.bond * math.sin(angle), "y": model.bond * math.cos(angle)}
