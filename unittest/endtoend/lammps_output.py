# SPDX-License-Identifier: GPL-2.0-only
"""Read the output of LAMMPS: custom dumps and the thermo tables of its log."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterator, List, Tuple

import numpy as np

COUNTERS = frozenset({"Step", "Atoms"})
"""Columns of integers that are the same for every way to exchange ghosts."""

CLOCKS = frozenset({"CPU", "S/CPU", "T/CPU", "CPULeft"})
"""Columns that measure the machine, not the atoms."""

ENERGIES = frozenset(
    "PotEng KinEng TotEng Enthalpy E_pair E_mol E_vdwl E_coul E_bond E_angle E_dihed E_impro E_long E_tail".split()
)

PRESSURES = frozenset("Press Pxx Pyy Pzz Pxy Pxz Pyz".split())


@dataclass
class Snapshot:
    """One snapshot of a custom dump, atoms sorted by id.

    Args:
        step: time step.
        volume: volume of the simulation box, distance**dimension.
        columns: name of a per-atom property -> its values [natoms].
    """

    step: int
    volume: float
    columns: Dict[str, np.ndarray]

    @property
    def natoms(self) -> int:
        return len(self.columns["id"])

    def vectors(self, *names: str) -> np.ndarray:
        """The named columns side by side [natoms, len(names)]."""
        return np.stack([self.columns[name] for name in names], axis=-1)

    @property
    def forces(self) -> np.ndarray:
        """Forces [natoms, 3]."""
        return self.vectors("fx", "fy", "fz")


def read_snapshot(path: Path) -> Snapshot:
    """Read a dump file that holds one snapshot, with `id` among its columns."""
    lines = path.read_text().splitlines()
    heads = {line.split()[1]: number for number, line in enumerate(lines) if line.startswith("ITEM:")}
    step = int(lines[heads["TIMESTEP"] + 1])
    natoms = int(lines[heads["NUMBER"] + 1])
    bounds = [list(map(float, line.split())) for line in lines[heads["BOX"] + 1 : heads["BOX"] + 4]]
    atoms_line = heads["ATOMS"]
    names = lines[atoms_line].split()[2:]
    numbers = np.array(" ".join(lines[atoms_line + 1 : atoms_line + 1 + natoms]).split(), dtype=float)
    table = numbers.reshape(natoms, len(names))
    table = table[np.argsort(table[:, names.index("id")], kind="stable")]
    return Snapshot(step, _volume(bounds), dict(zip(names, table.T)))


def _volume(bounds: List[List[float]]) -> float:
    """Volume from the three BOX BOUNDS lines; those of a triclinic box include the tilt."""
    edges = [line[1] - line[0] for line in bounds]
    if all(len(line) == 3 for line in bounds):
        xy, xz, yz = (line[2] for line in bounds)
        edges[0] -= max(0.0, xy, xz, xy + xz) - min(0.0, xy, xz, xy + xz)
        edges[1] -= max(0.0, yz) - min(0.0, yz)
    return float(np.prod(edges))


@dataclass
class ThermoTable:
    """The thermo output of one run command: column name -> values, one per row."""

    columns: Dict[str, np.ndarray]

    @property
    def steps(self) -> np.ndarray:
        return self.columns["Step"]

    @property
    def nrows(self) -> int:
        return len(self.columns["Step"])


def read_thermo(output: str) -> List[ThermoTable]:
    """All thermo tables in the screen output or log of a run, in the styles one, custom, multi and yaml."""
    tables = []
    for block in _thermo_blocks(output):
        if block[0].startswith("------"):
            rows = _multi_rows(block)
        else:
            rows = _yaml_rows(block) if block[0].startswith("keywords:") else _column_rows(block)
        names = rows[0].keys() if rows else ()
        tables.append(ThermoTable({name: np.array([row[name] for row in rows]) for name in names}))
    return [table for table in tables if table.columns]


def atoms_after_each_run(output: str) -> List[int]:
    """Number of atoms at the end of every run or minimize command."""
    return [int(n) for n in re.findall(r"^Loop time of \S+ on \d+ procs for \d+ steps with (\d+) atoms", output, re.M)]


def _thermo_blocks(output: str) -> Iterator[List[str]]:
    """Lines from the first line of each table to the one before `Loop time`."""
    block: List[str] = []
    for line in output.splitlines():
        if line.startswith("Loop time of"):
            if block:
                yield block
            block = []
        elif block or re.match(r"\s*Step(\s|$)|------------ Step|keywords:", line):
            block.append(line)


def _column_rows(block: List[str]) -> List[Dict[str, float]]:
    names = block[0].split()
    rows = []
    for line in block[1:]:
        try:
            values = [float(word) for word in line.split()]
        except ValueError:  # a warning between two rows
            continue
        if len(values) == len(names):
            rows.append(dict(zip(names, values)))
    return rows


def _yaml_rows(block: List[str]) -> List[Dict[str, float]]:
    names = re.findall(r"'([^']+)'", block[0])
    rows = [re.findall(r"[^\s,\[\]]+", line[4:]) for line in block[1:] if line.startswith("  - [")]
    return [dict(zip(names, map(float, row))) for row in rows]


def _multi_rows(block: List[str]) -> List[Dict[str, float]]:
    rows: List[Dict[str, float]] = []
    for line in block:
        head = re.match(r"-+ Step\s+(\d+) ", line)
        if head:
            rows.append({"Step": float(head.group(1))})
        else:
            for name, value in re.findall(r"(\S+)\s*=\s*(\S+)", line):
                rows[-1][name] = float(value)
    return rows


def expect_variant(output: str, backend: str) -> None:
    """Raise AssertionError unless p2p_rdma ran with all its bytes over the intended backend.

    Args:
        output: output of a run.
        backend: its name in the statistics: "shared memory", "libfabric", "MPI" or "uTofu"; "": p2p_rdma must not have
            run.
    """
    blocks = read_statistics(output)
    if not backend:
        assert not blocks, "p2p_rdma ran"
        return
    assert blocks, "no statistics of p2p_rdma: it did not run"
    for unused in {"shared memory", "libfabric", "MPI"} - {backend}:
        assert all(block[f"peers by {unused}"] == (0.0, 0.0) for block in blocks), f"peers by {unused}"


def read_statistics(output: str) -> List[Dict[str, Tuple[float, float]]]:
    """The statistics of p2p_rdma, one dictionary per block: name -> (average, maximum) over the ranks."""
    blocks: List[Dict[str, Tuple[float, float]]] = []
    open_block = False
    for line in output.splitlines():
        if line.startswith("TOFU p2p/rdma statistics"):
            blocks.append({})
            open_block = True
            continue
        entry = re.fullmatch(r"  (\S.*?)\s+([-+.\de]+) \| ([-+.\dena]+)\s*", line)
        if open_block and entry:
            blocks[-1][entry.group(1)] = (float(entry.group(2)), float(entry.group(3)))
        else:
            open_block = False
    return blocks


def error_line(output: str) -> str:
    """The one line with which LAMMPS stopped."""
    lines = [line for line in output.splitlines() if line.startswith("ERROR")]
    assert len(lines) == 1, output
    return lines[0]
