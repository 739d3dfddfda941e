# SPDX-License-Identifier: GPL-2.0-only
"""Small runs with the suffix /threadpool whose forces, energies and stresses are compared."""

import itertools
from pathlib import Path
from typing import Dict, Iterable, List, Sequence, Tuple

import numpy as np

from compare import compare_snapshots
from lammps_output import ThermoTable, read_snapshot, read_thermo
from lammps_run import BRICK, Variant, run_script, threadpool
from small_systems import LJ, dump

CHARGES = LJ.replace("atom_style atomic", "atom_style charge").replace(
    "mass * 1.0", "mass * 1.0\nset type 1 charge 0.4").replace(
    "set group all type/fraction 2 0.4 4711", "set group all type/fraction 2 0.4 4711\nset type 2 charge -0.6").replace(
    "pair_style lj/cut 2.5\npair_coeff * * 1.0 1.0 2.5", "pair_style lj/cut/coul/cut 2.5 2.2\npair_coeff * * 1.0 1.0")
SOLVED = CHARGES.replace("lj/cut/coul/cut 2.5 2.2", "lj/cut/coul/long 2.5 2.4") + "kspace_style pppm 1e-4\n"
"""Charges with a long-range solver."""

TRICLINIC = LJ.replace("region box block 0 5 0 5 0 5", "region box prism 0 5 0 5 0 5 1.3 -0.8 0.6")
ANALYSIS = """\
compute e all pe/atom
compute s all stress/atom NULL
compute ee all reduce sum c_e
compute ss all reduce sum c_s[1] c_s[2] c_s[3] c_s[4] c_s[5] c_s[6]
thermo_style custom step pe evdwl ecoul ebond eangle edihed eimp press pxx pyy pzz pxy pxz pyz c_ee c_ss[*]
thermo_modify norm no format float %.17g
thermo 5
"""
PER_ATOM = "fx fy fz c_e c_s[1] c_s[2] c_s[3] c_s[4] c_s[5] c_s[6]"


def thermo_of(servers, script: str, variant: Variant, ranks: int, log: Path) -> List[ThermoTable]:
    """Thermo tables of a script by its log file: what ranks print to the screen may get mixed."""
    servers.server(ranks, variant).run(f"log {log}\n{script}\nlog none")
    return read_thermo(log.read_text(encoding="utf-8"))


def results(servers, system: str, variant: Variant, ranks: int, folder, analysis: str = ANALYSIS,
            columns: str = PER_ATOM, steps: int = 10) -> tuple:
    """Thermo rows, and per-atom forces, energy and stress, at the start and after some steps of a small system."""
    paths = [folder / f"{variant}-{ranks}-{when}.dump" for when in ("start", "end")]
    # on a perfect lattice all forces are 0 but for rounding
    moved = "displace_atoms all random 0.05 0.05 " + ("0.0" if "dimension 2" in system else "0.05") + " 31 units box"
    script = "\n".join([variant.command, system, moved, analysis, "run 0", dump(paths[0], columns=columns),
                        f"run {steps}", dump(paths[1], columns=columns)])
    tables = thermo_of(servers, script, variant, ranks, folder / f"{variant}-{ranks}.log")
    return tables, [read_snapshot(path) for path in paths]


def contacts(servers, system: str, variant: Variant, ranks: int, folder) -> tuple:
    """Thermo rows, and forces and torques at the start and after some steps.  No energies or stresses of atoms are
    computed, since LAMMPS' own style would then compute the contacts."""
    folder.mkdir()
    paths = [folder / "start.dump", folder / "end.dump"]
    columns = "vx vy vz fx fy fz omegax omegay omegaz tqx tqy tqz"
    tables = thermo_of(servers, "\n".join([
        variant.command, system, "thermo_style custom step ke press pxx pyy pzz pxy pxz pyz",
        "thermo_modify norm no format float %.17g", "thermo 10", "run 0", dump(paths[0], columns=columns), "run 30",
        dump(paths[1], columns=columns)]), variant, ranks, folder / "log")
    return tables, [read_snapshot(path) for path in paths]


def expect_contacts_in_restart_files(installation, folder, system: str, steps: int,
                                     ranks: Sequence[int] = (1, 1, 1, 1, 1)) -> None:
    """Runs go on alike from restart files that LAMMPS' own code and the suffix have written, read by both.
    LAMMPS numbers pair styles with contacts, so that each run is a process of its own.

    Args:
        installation: the LAMMPS under test.
        folder: of the restart files.
        system: spheres in contact.
        steps: number of steps before the restart file.
        ranks: that write, and that read.
    """
    settings = "\n".join(line for line in system.splitlines()
                         if line.startswith(("comm_modify", "neighbor", "neigh_modify", "timestep", "fix")))
    variants = (BRICK, threadpool(2, "p2p/rdma"))
    for writer in variants:
        run_script(installation,
                   f"{writer.command}\n{system}\nrun {steps}\nwrite_restart {folder / writer.name}\n", ranks[0],
                   folder).expect_success()
    found = set()
    for (writer, reader), reads_on in zip(itertools.product(variants, variants), ranks[1:]):
        script = (f"{reader.command}\nread_restart {folder / writer.name}\n{settings}\n"
                  f"thermo_modify norm no format float %.10g\nrun 10\n")
        output = run_script(installation, script, reads_on, folder).expect_success().output
        assert "Unused restart file" not in output
        found.add(f"{read_thermo(output)[0].columns['Temp'][-1]:.7g}")
    assert len(found) == 1


def largest_difference(expected: np.ndarray, found: np.ndarray) -> float:
    """Largest difference relative to the largest value of the column."""
    return float(np.max(np.abs(found - expected)) / max(np.max(np.abs(expected)), 1e-3))


def differences(expected, found) -> List[str]:
    """Lines about columns that differ by more than rounding; rounding errors grow tenfold within the ten steps."""
    lines = []
    for when, allowed, one, other in zip(("start", "end"), (1e-12, 1e-10), expected[1], found[1]):
        for column in one.columns:
            error = largest_difference(one.columns[column], other.columns[column])
            if not error <= allowed:
                lines.append(f"{column} at the {when}: {error:.1e}, allowed {allowed:.0e}")
    for one, other in zip(expected[0], found[0]):
        for column, values in one.columns.items():
            scale = max(np.max(np.abs(values)), 1.0)
            error = float(np.max(np.abs(values - other.columns[column])) / scale)
            if not error <= 1e-10:
                lines.append(f"thermo {column}: {error:.1e}")
    return lines


def differences_from_brick(servers, system: str, variant: Variant, ranks: int, folder, *arguments,
                           **options) -> List[str]:
    """Differences between runs of LAMMPS' own code and of a variant; further arguments are those of `results()`."""
    return differences(*(results(servers, system, one, ranks, folder, *arguments, **options)
                         for one in (BRICK, variant)))


def expect_same_bits(servers, runs: Iterable[Tuple[int, Variant]], script: str, folder,
                     columns: str = "vx vy vz fx fy fz") -> None:
    """Expect the atoms at the end of a script to be the same to the last bit in all runs.

    Args:
        servers: servers of the session.
        runs: number of ranks and variant of each run.
        script: what follows the command of the variant.
        folder: of the dumps.
        columns: what is compared.
    """
    texts = set()
    for number, (ranks, variant) in enumerate(runs):
        path = folder / f"{number}.dump"
        servers.server(ranks, variant).run("\n".join([variant.command, script, dump(path, columns=columns)]))
        texts.add(path.read_text())
    assert len(texts) == 1


def expect_same_script(servers, script: str, variant: Variant, ranks: int, folder) -> None:
    """Expect what a script does with a variant to be what it does without: thermo output of all its runs, and forces at
    its end. Its `{folder}` and `{again}` are a folder of its own and the command of the variant."""
    tables, snapshots = [], []
    for one in (BRICK, variant):
        own = folder / str(one)
        own.mkdir()
        text = script.replace("{folder}", str(own)).replace("{again}", one.command)
        output = servers.server(ranks, one).run(f"{one.command}\n{text}\n{dump(own / 'dump')}\n")
        tables.append(read_thermo(output))
        snapshots.append(read_snapshot(own / "dump"))
    assert len(tables[0]) == len(tables[1]) > 0
    for one, other in zip(*tables):
        assert one.nrows == other.nrows
        for column, values in one.columns.items():
            if column not in ("CPU", "CPULeft"):
                scale = max(np.max(np.abs(values)), 1.0)
                assert np.max(np.abs(values - other.columns[column])) / scale < 1e-9, column
    assert not compare_snapshots(*snapshots, 1e-8, 1.0)


def moved(servers, system: str, variant: Variant, ranks: int, folder) -> tuple:
    """Thermo rows and the atoms after ten steps."""
    path = folder / f"{variant}-{ranks}.dump"
    columns = "vx vy vz fx fy fz" + (" omegax omegay omegaz tqx tqy tqz" if "sphere" in system else "")
    script = (f"{variant.command}\n{system}\nthermo_modify norm no format float %.17g\nthermo 5\nrun 10\n"
              f"{dump(path, columns=columns)}\n")
    return thermo_of(servers, script, variant, ranks, folder / f"{variant}-{ranks}.log"), read_snapshot(path)


def moved_otherwise(expected: tuple, found: tuple, allowed: float) -> Dict[str, float]:
    """Columns of thermo rows and of atoms that differ by more than allowed, relative to the largest value."""
    tables = [(one.columns, other.columns) for one, other in zip((*expected[0], expected[1]), (*found[0], found[1]))]
    errors = {name: largest_difference(values, other[name]) for one, other in tables for name, values in one.items()}
    return {name: error for name, error in errors.items() if not error <= allowed and name not in ("CPU", "CPULeft")}
