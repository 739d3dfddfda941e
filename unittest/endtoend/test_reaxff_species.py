# SPDX-License-Identifier: GPL-2.0-only
"""Reactions: molecules that form and break over borders of ranks are those of LAMMPS' styles, one by one as long as
atoms are at the same places, and as many later."""

from typing import List, NamedTuple

import numpy as np
import pytest

from lammps_run import BRICK, threadpool
from reaxff_files import write_water

HNS = """\
read_data {examples}/HNS/data.hns-equil
pair_style reaxff NULL safezone 3.0 mincap 300 minhbonds 300
pair_coeff * * {examples}/HNS/ffield.reax.hns C H O N
"""
WATER = """\
read_data {water}
pair_style reaxff NULL safezone 3.0 mincap 300 minhbonds 300
pair_coeff * * {examples}/water/qeq_ff.water O H
"""
"""70 molecules, periodic."""

SCRIPT = """\
units real
atom_style charge
{system}
neighbor 1.0 bin
neigh_modify every 2 delay 0 check no
velocity all create {temperature} 41279 loop geom
fix charges all qeq/reaxff 1 0.0 10.0 {tolerance} reaxff maxiter 400
fix integrate all nve
timestep {timestep}
fix species all reaxff/species 1 1 {every} {file}
thermo {steps}
run {steps}
"""


class Count(NamedTuple):
    """Molecules of a step."""

    step: int
    nmolecules: int
    of_species: dict    # formula -> number


def counts_in(path) -> List[Count]:
    """Lines of a file of fix reaxff/species: titles, and numbers under them, in turns."""
    lines = [line.split() for line in path.read_text().splitlines()]
    titles = [line[1:] for line in lines if line[0] == "#"]    # Timestep No_Moles No_Specs, then formulas
    numbers = [[int(word) for word in line] for line in lines if line[0] != "#"]
    assert len(titles) == len(numbers) > 0
    return [Count(row[0], row[1], dict(zip(names[3:], row[3:]))) for names, row in zip(titles, numbers)]


RUNS = ((BRICK, 1), (threadpool(1), 2))
"""Ways to run, and ranks."""


def species(installation, servers, folder, variant, ranks: int, system: str, **values) -> List[Count]:
    """Molecules during a run.

    Args:
        system: HNS or WATER.
        values: temperature [K], of which half becomes potential energy, tolerance, timestep [fs], steps, every.
    """
    examples = installation.lammps_dir / "examples" / "reaxff"
    write_water(examples, folder / "water")
    path = folder / f"{variant}.species"
    script = SCRIPT.format(system=system.format(examples=examples, water=folder / "water"), file=path, **values)
    servers.server(ranks, variant).run(f"{variant.command}\n{script}", timeout=3600.0)
    return counts_in(path)


SYSTEMS = {"HNS": (HNS, 8000.0, 0.1), "water": (WATER, 5000.0, 0.25)}
"""Commands, initial temperature [K] and time step [fs]."""


@pytest.mark.long
@pytest.mark.parametrize("name", SYSTEMS)
def test_reactions_of_the_first_500_steps_are_the_same(installation, servers, tmp_path, name):
    """Of bonds at single moments, with charges to many digits."""
    system, temperature, timestep = SYSTEMS[name]
    expected, found = (species(installation, servers, tmp_path, variant, ranks, system, temperature=temperature,
                               tolerance="1e-10", timestep=timestep, steps=500, every=10)
                       for variant, ranks in RUNS)
    assert len({tuple(count.of_species.items()) for count in expected}) > 2, "too few reactions"
    assert expected == found


@pytest.mark.long
@pytest.mark.parametrize("name", SYSTEMS)
def test_reactions_of_5000_steps_are_as_many(installation, servers, tmp_path, name):
    """Atoms are at other places by then: numbers of molecules scatter as counts of independent events do."""
    system, temperature, timestep = SYSTEMS[name]
    means = []
    for variant, ranks in RUNS:
        counts = species(installation, servers, tmp_path, variant, ranks, system, temperature=temperature,
                         tolerance="1e-6", timestep=timestep, steps=5000, every=50)
        means.append(np.mean([count.nmolecules for count in counts if count.step >= 2500]))
    assert abs(means[1] - means[0]) <= 3.0 * np.sqrt(2.0 * means[0]), f"molecules: {means}"
