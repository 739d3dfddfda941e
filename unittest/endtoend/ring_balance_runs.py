# SPDX-License-Identifier: GPL-2.0-only
"""Run a small system with fix ring/balance and without, and judge the result: the ways to run it, its output, and
comparisons."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import List, Tuple

import numpy as np
import pytest

from compare import Tolerance, compare_thermo
from lammps_output import CLOCKS, Snapshot, ThermoTable, read_snapshot, read_thermo
from lammps_run import SHM, Variant
from small_systems import dump
from stock_inputs import script_facts
from suffix_runs import ANALYSIS, PER_ATOM
from uneven_systems import cuts

TWO_TO_A_NODE = (("TOFU_NODE_SIZE", "2"),)
OPT = Variant("opt", environment=(("TOFU_TEST", "opt"),))
"""Styles with the suffix opt; they run in jobs of their own, since a suffix outlives a `clear`."""

STEPS = 60
"""Number of steps; neighbor lists are built in every second step."""
TOLERANCE = Tolerance(start=1e-12, steps_per_decade=1.0, ceiling=1e-8)
"""The first step agrees to rounding; rounding errors grow."""

ENERGIES = ("c_e",)
STRESSES = tuple(f"c_s[{k}]" for k in range(1, 7))
FORCES = ("fx", "fy", "fz")
CANCELLED = frozenset(f"c_ss[{k}]" for k in range(1, 7))
"""Sums over all atoms that may consist of rounding errors; the stresses of single atoms are compared."""


@dataclass(frozen=True)
class Way:
    """One way to compute.

    Args:
        ranks: MPI ranks.
        words: keywords of the fix.
        variant: comm style and suffix.
        environment: more variables.
        grid: grid of ranks, as the command `processors` takes it.
        ring: ranks in the order of the ring, for `ring file`; empty: serpentine.
        every, thresh: the first arguments of the fix.
    """

    ranks: int
    words: str = ""
    variant: Variant = SHM
    environment: Tuple[Tuple[str, str], ...] = ()
    grid: str = "* * *"
    ring: Tuple[int, ...] = ()
    every: int = 1
    thresh: float = 1.0

    def start(self) -> str:
        """The first lines of a script."""
        suffix = "suffix opt\n" if self.variant is OPT else ""
        return f"{suffix}{self.variant.command}\nprocessors {self.grid}\n"

    def fix(self, folder: Path) -> str:
        """The command; the file of the ring is written to `folder`."""
        words = f"fix ring all ring/balance {self.every} {self.thresh} {self.words}"
        if not self.ring:
            return words
        path = folder / "ring.txt"
        path.write_text("\n".join(map(str, self.ring)) + "\n")
        return f"{words} ring file {path}"

    def in_a_row(self, system: str) -> bool:
        """Whether the ring is known to follow the order of ranks (it may be closed)."""
        row = "processors * 1 1" in system or self.grid.split().count("1") == 2 or self.ranks <= 3
        return row and (not self.ring or self.ring == tuple(range(self.ranks)))

    def __str__(self) -> str:
        words = [*self.words.split(), *(f"{name[5:].lower()}={value}" for name, value in self.environment),
                 *(["file"] if self.ring else []),
                 *([] if "*" in self.grid else [self.grid.replace(" ", "x")])]
        return "-".join([str(self.ranks), str(self.variant), *words])


SOME_WAYS = (Way(2, "mode ghost"), Way(3, "mode forward"), Way(4, "mode auto level node", environment=TWO_TO_A_NODE))
"""Ways on 2, 3 and 4 ranks, each in another mode."""


@dataclass
class Shares:
    """The values of the fix about its last decision.

    Args:
        imbalance: scalar of the fix.
        before, after: largest work of a rank divided by the average.
        handed_over: number of atoms whose rows another rank computes.
        extra_ghosts: extra ghosts of all ranks.
        extra_bytes: extra bytes of all ranks in each step.
        ranks: [nranks][5] atoms owned, computed, handed over, received, and extra ghosts.
    """

    imbalance: float
    before: float
    after: float
    handed_over: float
    extra_ghosts: float
    extra_bytes: float
    ranks: np.ndarray


def shares_of(ranks: int) -> str:
    """The commands whose output read_shares() reads."""
    vector = " ".join(f"$(f_ring[{k}])" for k in range(1, 6))
    return "\n".join([f'print "ring: $(f_ring) {vector}"',
                      *(f'print "rank of the ring: {" ".join(f"$(f_ring[{rank}][{k}])" for k in range(1, 6))}"'
                                                             for rank in range(1, ranks + 1))])


def read_shares(output: str) -> List[Shares]:
    """Read all shares in the order in which they were printed. Commands may be printed between them, if an earlier
    script of the server has asked for it."""
    found, printed = [], "\n".join(line for line in output.splitlines()
                                   if line.startswith(("ring: ", "rank of the ring: ")))
    for block in re.findall(r"^ring: .*\n(?:rank of the ring: .*\n?)+", printed, re.M):
        first, *others = [[float(word) for word in line.split(":")[1].split()] for line in block.splitlines()]
        found.append(Shares(*first, np.array(others)))
    return found


@dataclass
class Result:
    """Result of a run: thermo tables, snapshots at the start and the end, the shares at these times, and the whole
    output."""

    thermo: List[ThermoTable]
    snapshots: List[Snapshot]
    shares: List[Shares]
    output: str


def moved(system: str) -> str:
    """The command that displaces atoms at random: on a perfect lattice all forces would be 0 but for rounding."""
    return f"displace_atoms all random 0.05 0.05 {'0' if 'dimension 2' in system else '0.05'} 31 units box\n"


def compute(servers, system: str, way: Way, folder: Path, balanced: bool = True, analysis: str = ANALYSIS,
            columns: str = PER_ATOM, steps: int = STEPS) -> Result:
    """Run the first step and some more, with the fix or without."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "start.dump", folder / "end.dump"]
    after = [shares_of(way.ranks) if balanced else ""] * 2
    columns += " f_ring" if balanced else ""
    script = "\n".join([way.start() + system.replace("{cuts}", cuts(way.ranks)), moved(system), analysis,
                        way.fix(folder) if balanced else "",
                        "run 0", after[0], dump(paths[0], columns=columns), f"run {steps}", after[1],
                        dump(paths[1], columns=columns)])
    output = servers.server(way.ranks, way.variant, dict(way.environment)).run(script)
    return Result(read_thermo(output), [read_snapshot(path) for path in paths], read_shares(output), output)


def differences(system: str, expected: Result, found: Result) -> List[str]:
    """Lines about thermo rows, forces, and energies and stresses of atoms that differ by more than rounding."""
    lines = compare_thermo(expected.thermo, found.thermo, TOLERANCE, script_facts(system)[0], expected.snapshots[0],
                           ignored=CLOCKS | CANCELLED)
    for when, allowed, one, other in zip(("start", "end"), (TOLERANCE.start, TOLERANCE.ceiling), expected.snapshots,
                                         found.snapshots):
        if not np.array_equal(one.columns["id"], other.columns["id"]):
            lines.append(f"atoms at the {when}: {one.natoms} became {other.natoms}, or others")
            continue
        for names in (FORCES, ENERGIES, STRESSES):
            if names[0] in one.columns:
                scale = np.max(np.abs(one.vectors(*names)))
                error = np.max(np.abs(other.vectors(*names) - one.vectors(*names)), axis=1)
                worst = int(np.argmax(error))
                if not error[worst] <= allowed * scale:
                    lines.append(
                        f"{names[0]}.. at the {when}: atom {one.columns['id'][worst]:.0f} by "
                        f"{error[worst] / scale:.1e} of the largest, "
                                 f"{np.sum(error > allowed * scale)} atoms by more than {allowed:.0e}")
    return lines


def least_of_a_row(owned: np.ndarray) -> int:
    """Minimum of the largest number of atoms per rank, if each atom may go to a neighbor in the row of ranks."""
    def enough(most: int) -> bool:
        pushed = 0    # least number that the rank before hands on; if negative, most that it can take
        for number in owned:
            if pushed > most:
                return False
            pushed = number - min(number, max(0, -pushed)) + max(0, pushed) - most
        return pushed <= 0

    low, high = 0, int(np.max(owned))
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return high


def expect_counts_agree(shares: Shares) -> None:
    """Expect that scalar, vector and array of the fix agree."""
    owned, computed, given, taken, ghosts = shares.ranks.T
    assert np.array_equal(computed, owned - given + taken) and np.all(given <= owned), shares
    assert np.sum(given) == np.sum(taken) == shares.handed_over, shares
    assert np.sum(ghosts) == shares.extra_ghosts, shares
    assert (shares.extra_bytes > 0) == (shares.extra_ghosts > 0), shares
    assert shares.imbalance == pytest.approx(np.max(computed) / np.mean(computed), rel=1e-6), shares


def expect_balanced(shares: Shares, way: Way, system: str) -> None:
    """Expect that atoms were handed over if necessary, and that work is at least as even as a row of ranks permits."""
    expect_counts_agree(shares)
    owned, computed = shares.ranks.T[:2]
    if way.ranks == 1:
        assert shares.handed_over == 0 and shares.imbalance == 1.0
        return
    assert shares.before >= 1.0 and shares.after >= 1.0
    if "weight time" in way.words:
        return    # a slow rank gets fewer atoms, so that the numbers of atoms may be less even than before
    assert shares.after <= shares.before
    if np.max(owned) > 1.05 * np.mean(owned):
        assert shares.handed_over > 0 and shares.after < shares.before, shares
    if "weight" not in way.words:
        assert shares.before == pytest.approx(np.max(owned) / np.mean(owned), rel=1e-6)
        assert shares.after == pytest.approx(np.max(computed) / np.mean(computed), rel=1e-6)
        if not any(word in way.words for word in ("downstream", "node")) and way.in_a_row(system):
            assert np.max(computed) <= least_of_a_row(owned), shares
