# SPDX-License-Identifier: GPL-2.0-only
"""Decide whether two runs of the same system agree.

Two ways to exchange ghosts add the same numbers in another order. Each sum then differs by rounding
of its largest terms, not of its result: the exact forces in a perfect crystal are zero, and the computed
forces are rounding errors. A difference is therefore measured against a *scale*, the size of the terms:

* force: the largest force on an atom, or energy per atom over distance of two atoms;
* energy: the largest energy in the row;
* pressure: the largest pressure in the row, or energy over volume.

At the first step a difference is the rounding error of one sum. From then on it grows with the dynamics, by
about a factor of ten in `steps_per_decade` steps.
"""

from dataclasses import dataclass
from typing import Dict, FrozenSet, List, Sequence

import numpy as np

from lammps_output import CLOCKS, COUNTERS, ENERGIES, PRESSURES, Snapshot, ThermoTable

PRESSURE_PER_ENERGY_DENSITY = {
    "lj": 1.0,
    "real": 68568.415,
    "metal": 1.6021765e6,
    "si": 1.0,
    "cgs": 1.0,
    "electron": 2.94210108e13,
    "micro": 1.0,
    "nano": 1.0,
}
"""Pressure over energy per volume in each of LAMMPS' unit systems (`force->nktv2p`)."""


@dataclass(frozen=True)
class Tolerance:
    """Allowed difference of two runs, relative to the scale.

    Args:
        start: allowed difference at the first step.
        steps_per_decade: steps in which a difference grows tenfold.
        ceiling: largest allowed difference.
    """

    start: float = 1e-12
    steps_per_decade: float = 25.0
    ceiling: float = 1e-5

    def after(self, steps: float) -> float:
        """Tolerance `steps` steps after the start."""
        return min(self.start * 10.0 ** (steps / self.steps_per_decade), max(self.ceiling, self.start))


ROUNDING = Tolerance()
ROUNDING_WITH_KSPACE = Tolerance(start=1e-10)


class Differences(AssertionError):
    """Two runs disagree; the message lists the differences."""


def force_scale(snapshot: Snapshot, potential_energy: float = 0.0) -> float:
    """Size of the terms whose sum is a force.

    Args:
        snapshot: a snapshot with forces.
        potential_energy: potential energy of all atoms.

    Returns:
        The largest force component, or energy per atom over the distance of two atoms, force.
    """
    if snapshot.natoms == 0:
        return 0.0
    largest = float(np.max(np.abs(snapshot.forces)))
    distance = (snapshot.volume / snapshot.natoms) ** (1.0 / 3.0)
    return max(largest, abs(potential_energy) / snapshot.natoms / distance)


def compare_snapshots(
    expected: Snapshot, found: Snapshot, tolerance: float, potential_energy: float = 0.0, columns=("fx", "fy", "fz")
) -> List[str]:
    """Lines that describe how forces by atom id differ; none if they agree within `tolerance`."""
    where = f"step {expected.step}"
    if expected.step != found.step:
        return [f"{where}: the other run dumped step {found.step}"]
    if not np.array_equal(expected.columns["id"], found.columns["id"]):
        missing = np.setdiff1d(expected.columns["id"], found.columns["id"])
        extra = np.setdiff1d(found.columns["id"], expected.columns["id"])
        return [
            f"{where}: {found.natoms} atoms instead of {expected.natoms}, missing ids {_few(missing)}, extra ids "
            f"{_few(extra)}"
        ]
    reference, other = expected.vectors(*columns), found.vectors(*columns)
    scale = force_scale(expected, potential_energy)
    error = np.max(np.abs(reference - other), axis=1) if expected.natoms else np.zeros(0)
    wrong = np.flatnonzero(~(error <= tolerance * scale))
    if not len(wrong):
        return []
    worst = sorted(wrong, key=lambda i: -np.nan_to_num(error[i], nan=np.inf))[:5]
    lines = [f"{where}: {len(wrong)} of {expected.natoms} forces differ by more than {tolerance:.1e} of {scale:.6g}"]
    for i in worst:
        relative = error[i] / scale if scale else np.inf
        lines.append(f"  atom {int(expected.columns['id'][i])}: {reference[i]} became {other[i]} ({relative:.2e})")
    return lines


def compare_thermo(
    expected: Sequence[ThermoTable],
    found: Sequence[ThermoTable],
    tolerance: Tolerance,
    units: str,
    snapshot: Snapshot,
    rows: str = "all",
    ignored: FrozenSet[str] = frozenset(),
    same_length: bool = True,
) -> List[str]:
    """Lines that describe how two logs differ; none if they agree.

    Args:
        expected, found: thermo tables of the two logs.
        tolerance: allowed difference over the steps since the first row.
        units: LAMMPS' name of the unit system.
        snapshot: first snapshot; its volume and number of atoms give the scale of pressures.
        rows: "all", or "start" for the very first row alone.
        ignored: columns that may differ.
        same_length: whether each run must have as many rows.
    """
    lines: List[str] = []
    if same_length and [table.nrows for table in expected] != [table.nrows for table in found]:
        return [f"rows per run: {[t.nrows for t in found]} instead of {[t.nrows for t in expected]}"]
    steps_done = 0.0
    for number, (reference, other) in enumerate(zip(expected, found)):
        if list(reference.columns) != list(other.columns):
            return lines + [f"run {number}: columns {list(other.columns)} instead of {list(reference.columns)}"]
        for row in range(reference.nrows if rows == "all" else 1):
            age = steps_done + reference.steps[row] - reference.steps[0]
            lines += _compare_row(reference, other, row, tolerance.after(age), units, snapshot, ignored)
        steps_done += reference.steps[-1] - reference.steps[0]
        if rows == "start":
            break
    return lines


def _compare_row(
    expected: ThermoTable,
    found: ThermoTable,
    row: int,
    tolerance: float,
    units: str,
    snapshot: Snapshot,
    ignored: FrozenSet[str],
) -> List[str]:
    scales = column_scales(expected, row, units, snapshot)
    lines = []
    for name, scale in scales.items():
        if name in ignored:
            continue
        reference, other = expected.columns[name][row], found.columns[name][row]
        limit = 0.0 if name in COUNTERS else tolerance * scale
        if not (abs(reference - other) <= limit or (np.isnan(reference) and np.isnan(other))):
            lines.append(
                f"step {expected.steps[row]:.0f}: {name} {reference:.17g} became {other:.17g}, "
                f"difference {abs(reference - other):.2e}, allowed {limit:.2e}"
            )
    return lines


def column_scales(table: ThermoTable, row: int, units: str, snapshot: Snapshot) -> Dict[str, float]:
    """Size of the terms behind each column of a thermo row, in the column's own unit."""
    values = {name: float(column[row]) for name, column in table.columns.items() if name not in CLOCKS}
    energy = max((abs(values[name]) for name in values if name in ENERGIES), default=0.0)
    # normalised energies are per atom; taking them as total energies only makes the scale smaller
    energy_density = energy * PRESSURE_PER_ENERGY_DENSITY[units] / snapshot.volume
    pressure = max([abs(values[name]) for name in values if name in PRESSURES] + [energy_density])
    scales = {}
    for name, value in values.items():
        if name in ENERGIES:
            scales[name] = energy
        elif name in PRESSURES:
            scales[name] = pressure
        else:
            scales[name] = max(abs(value), float(np.max(np.abs(table.columns[name]))))
    return scales


def _few(ids: np.ndarray) -> str:
    shown = ", ".join(str(int(i)) for i in ids[:8])
    return f"[{shown}{', ...' if len(ids) > 8 else ''}]"
