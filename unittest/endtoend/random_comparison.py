# SPDX-License-Identifier: GPL-2.0-only
"""Random systems with brick and with another communication style, compared."""

import shutil
from typing import Optional

from hypothesis import HealthCheck, event, note, reject, settings

from compare import ROUNDING, compare_snapshots, compare_thermo
from lammps_output import expect_variant, read_snapshot, read_thermo
from lammps_run import BRICK, Variant
from lammps_server import CaseFailed, LammpsServer
from random_systems import SEED, RandomSystem

SETTINGS = settings(
    max_examples=25,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


def expect_same_as_brick(server: LammpsServer, system: RandomSystem, folder, more: str = "",
                         variant: Optional[Variant] = None) -> None:
    """Run `system` and `more` commands with brick and with its own variant or another one, and compare forces, energies
    and pressures."""
    variant = variant or system.variant
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    system.write_data(folder / "data.system")
    script = system.script(variant, folder).replace("run 0", f"{more}run 0")
    note(
        f"{system.ranks} ranks, environment {dict(variant.environment)}, seed {SEED}, files in {folder}:\n{script}"
    )
    try:
        expected = server.run(system.script(BRICK, folder))
    except CaseFailed:
        event("rejected: brick itself stops with an error")
        reject()
    found = server.run(script)
    expect_variant(found, variant.backend)
    first = read_snapshot(folder / "brick.start.dump")
    thermo = read_thermo(expected)
    energy = thermo[0].columns["PotEng"][0]
    lines = []
    for when, steps in (("start", 0), ("end", 15)):
        pair = [read_snapshot(folder / f"{name}.{when}.dump") for name in (BRICK.name, variant.name)]
        lines += compare_snapshots(*pair, ROUNDING.after(steps), energy)
    lines += compare_thermo(thermo, read_thermo(found), ROUNDING, system.units, first)
    assert not lines, "\n".join(lines)
