# SPDX-License-Identifier: GPL-2.0-only
"""Runs go on from restart files of LAMMPS' own code and of the suffix /threadpool, read by both, on other numbers of
ranks.

Reference is the run of LAMMPS' own code from its own file. What a fix keeps in a file counts, too: a thermostat,
contacts or springs that a reader had lost would lead to other forces.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import List, Tuple

import pytest

from charged_systems import water
from compare import Tolerance
from lammps_output import read_snapshot
from lammps_run import BRICK, threadpool
from small_systems import LJ, dump
from suffix_runs import largest_difference, thermo_of
from test_qeq import HNS
from test_threadpool_fixes import bodies, few
from test_threadpool_granular import HERTZ, grains

NOT_IN_FILES = ("comm_modify", "compute", "fix", "kspace", "neigh", "thermo", "timestep", "variable")
"""First letters of commands that a script has to repeat after it has read a restart file."""


@dataclass(frozen=True)
class Case:
    """A system, and what of it is compared.

    Args:
        system: lines of a script, with the fixes.
        output: columns of thermo output.
        columns: of atoms.
        again: further words that commands begin with that are to be repeated.
        restored: number of fixes that take something out of the file.
        keywords: of comm_style p2p/rdma.
        start: allowed difference where a run goes on.
        steps, later: before the file is written, and after it has been read.
        ranks: that the suffix reads on; 0: on those of RANKS_AND_PARTS.
    """

    system: str
    output: str = "temp press pe"
    columns: str = "ix iy iz vx vy vz fx fy fz"
    again: Tuple[str, ...] = ()
    restored: int = 0
    keywords: Tuple[str, ...] = ()
    start: float = 1e-12
    steps: int = 50
    later: int = 20
    ranks: int = 0


def integrated(fixes: str, system: str = LJ) -> str:
    """The system with other fixes in the place of fix nve."""
    return system.replace("fix integrate all nve", fixes)


OF_BODIES = " ".join(f"f_move[{body}][{column}]" for body in (1, 20) for column in range(1, 16))
PEPTIDE = """\
units real
atom_style full
pair_style lj/charmm/coul/long 8.0 10.0 10.0
bond_style harmonic
angle_style charmm
dihedral_style charmm
improper_style harmonic
kspace_style pppm 0.0001
read_data {examples}/peptide/data.peptide
neighbor 2.0 bin
neigh_modify delay 5
timestep 2.0
fix integrate all nvt temp 275.0 275.0 100.0 tchain 1
fix rigid all shake 1e-8 100 0 b 4 6 8 10 12 14 18 a 31
"""
HEATED = integrated(
    "fix integrate all nve\nfix flow all deform 1 x vel 0.1 y erate 0.02\nfix tether all spring/self 5.0\n"
    "fix heat all temp/berendsen 1.0 2.0 0.1\ngroup some id 1:200\nfix more some temp/rescale 3 1.0 2.0 0.01 0.5")

CASES = {
    "SHAKE of water": Case(water(2).format(kspace="kspace_style pppm 1e-4"), start=1e-10),
    # LAMMPS' own style reads no cut-off of pairs: it has to be named once more
    "contacts of pair_style granular": Case(
        grains(f"* * {HERTZ} tangential linear_history 8000.0 1.0 0.5"), "ke pxx pyy pzz pxy pxz pyz",
        "vx vy vz fx fy fz omegax omegay omegaz tqx tqy tqz", again=("pair",), restored=3),
    "SHAKE of a peptide with a thermostat": Case(PEPTIDE, "temp press pe f_integrate f_integrate[*]", restored=1,
                                                 start=1e-10, steps=20, later=10),
    "rigid/small": Case(bodies("rigid/small molecule"), "temp press"),
    "rigid": Case(few("rigid molecule"), "temp press f_move " + OF_BODIES),
    "fixes with sums and origins": Case(HEATED, "temp press pe vol f_tether f_heat f_more", restored=4),
    "rigid/nvt": Case(few("rigid/nvt molecule temp 1.0 2.0 0.1"), "temp press f_move", restored=1),
    # axes of linear bodies that LAMMPS finds anew depend on rounding
    "rigid/nvt/small": Case(bodies("rigid/nvt/small molecule temp 1.0 2.0 0.1"), "temp press f_move", restored=1,
                            start=1e-11, ranks=2),
    "charges that are equilibrated": Case(HNS.replace("{examples}", "{examples}/reaxff") + (
        "fix integrate all nve\nfix charges all qeq/reaxff 1 0.0 10.0 1e-12 reaxff maxiter 400\n"),
        columns="q vx vy vz fx fy fz", again=("pair",), start=1e-10, steps=5, later=4),
    "a barostat": Case(integrated("fix integrate all npt temp 1.4 1.0 0.1 aniso 0 1 0.5"),
                       "temp press pe vol f_integrate f_integrate[*]", restored=1),
    "random forces": Case(LJ + "fix random all langevin 1.0 1.0 0.1 4711\n", keywords=("order", "brick"), ranks=2),
}
RANKS_AND_PARTS = ((3, 1), (1, 2), (1, 3), (3, 2))


def commands_after_reading(case: Case) -> str:
    """What files do not have: settings and fixes, and groups by their atoms' numbers."""
    return "\n".join(line for line in case.system.splitlines() if line.startswith(NOT_IN_FILES + case.again))


def write(servers, case: Case, variant, path) -> None:
    """Write a restart file on two ranks, since numbers of atoms depend on that."""
    servers.server(2, variant).run(f"{variant.command}\n{case.system}\nrun {case.steps}\nwrite_restart {path}\n")


def go_on(servers, case: Case, variant, ranks: int, path) -> dict:
    """Values by name where a run goes on, and some steps later."""
    run = f"{path}-{variant.name}"
    script = "\n".join([
        variant.command, f"read_restart {path}", commands_after_reading(case),
        f"thermo_style custom step {case.output}", "thermo_modify norm no format float %.17g",
        "run 0", dump(f"{run}-start", columns=case.columns),
        f"run {case.later}", dump(f"{run}-end", columns=case.columns)])
    tables = thermo_of(servers, script, variant, ranks, Path(f"{run}.log"))
    assert len(re.findall("Resetting (?:global|peratom) fix info", Path(f"{run}.log").read_text())) == case.restored
    return {when: {**{name: column[-1:] for name, column in table.columns.items()},
                   **read_snapshot(Path(f"{run}-{when}")).columns} for when, table in zip(("start", "end"), tables)}


def differences(where: str, expected: dict, found: dict, allowed: float) -> List[str]:
    """Lines about columns that differ by more than allowed."""
    errors = {name: largest_difference(values, found[name]) for name, values in expected.items()}
    return [f"{where}: {name} {error:.1e}" for name, error in errors.items() if not error <= allowed]


@pytest.mark.most(len(CASES))
@pytest.mark.usual(6)
@pytest.mark.parametrize("name,ranks,parts", [
    (name, case.ranks or RANKS_AND_PARTS[number % 4][0], RANKS_AND_PARTS[number % 4][1])
    for number, (name, case) in enumerate(CASES.items())])
def test_runs_go_on_from_files_of_stock_and_of_the_suffix(installation, servers, tmp_path, name, ranks, parts):
    """Results of *langevin* and of LAMMPS' own *rigid/nvt/small* depend on the number of ranks, which is the same
    there."""
    case = CASES[name]
    case = replace(case, system=case.system.replace("{examples}", str(installation.lammps_dir / "examples")))
    suffix = replace(threadpool(parts, "p2p/rdma"), keywords=case.keywords)
    found = {}
    for writer in (BRICK, suffix):
        path = tmp_path / writer.name
        write(servers, case, writer, path)
        for reader, reads_on in ((BRICK, 2), (suffix, ranks)):
            found[writer, reader] = go_on(servers, case, reader, reads_on, path)
    lines = []
    for (writer, reader), run in found.items():
        where = f"{writer} read by {reader}"
        lines += differences(f"{where}, against {writer} read by stock", found[writer, BRICK]["start"], run["start"],
                             case.start)
        for when, steps in (("start", case.steps), ("end", case.steps + case.later)):
            lines += differences(f"{where}, {when}", found[BRICK, BRICK][when], run[when],
                                 Tolerance(case.start).after(steps))
    assert not lines, "\n".join(lines)
