# SPDX-License-Identifier: GPL-2.0-only
"""Run a small system with fix ring_balance and without, and judge what it did: the ways to run it, its output,
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
from test_threadpool import ANALYSIS, PER_ATOM
from uneven_systems import cuts

TWO_TO_A_NODE = (("TOFU_NODE_SIZE", "2"),)
OPT = Variant("opt", environment=(("TOFU_TEST", "opt"),))
"""Styles with the suffix opt; in jobs of their own, since a suffix outlives a `clear`."""

STEPS = 60
"""With new neighbor lists in every second step."""
TOLERANCE = Tolerance(start=1e-12, steps_per_decade=1.0, ceiling=1e-8)
"""The first step to rounding; rounding grows."""

ENERGIES = ("c_e",)
STRESSES = tuple(f"c_s[{k}]" for k in range(1, 7))
FORCES = ("fx", "fy", "fz")
CANCELLED = frozenset(f"c_ss[{k}]" for k in range(1, 7))
"""Sums over all atoms that may be nothing but rounding; the stresses of atoms are compared themselves."""


@dataclass(frozen=True)
class Way:
    """One way to compute.

    Args:
        ranks: MPI ranks.
        words: keywords of the fix.
        variant: comm style and suffix.
        environment: more variables.
        grid: of ranks, as the command `processors` takes it.
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
        words = f"fix ring all ring_balance {self.every} {self.thresh} {self.words}"
        if not self.ring:
            return words
        path = folder / "ring.txt"
        path.write_text("\n".join(map(str, self.ring)) + "\n")
        return f"{words} ring file {path}"

    def in_a_row(self, system: str) -> bool:
        """Whether the ring is known to follow the order of ranks (and may be closed)."""
        row = "processors * 1 1" in system or self.grid.split().count("1") == 2 or self.ranks <= 3
        return row and (not self.ring or self.ring == tuple(range(self.ranks)))

    def __str__(self) -> str:
        words = [*self.words.split(), *(f"{name[5:].lower()}={value}" for name, value in self.environment),
                 *(["file"] if self.ring else []),
                 *([] if "*" in self.grid else [self.grid.replace(" ", "x")])]
        return "-".join([str(self.ranks), str(self.variant), *words])


SOME_WAYS = (Way(2, "mode ghost"), Way(3, "mode forward"), Way(4, "mode auto level node", environment=TWO_TO_A_NODE))
"""On 2, 3 and 4 ranks, each in another mode."""


@dataclass
class Shares:
    """What the fix says about the last decision.

    Args:
        imbalance: its scalar.
        before, after: largest work of a rank over the average.
        handed_over: atoms whose rows another rank computes.
        extra_ghosts: of all ranks.
        extra_bytes: of all ranks in each step.
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
    """The commands that print what read_shares() reads."""
    vector = " ".join(f"$(f_ring[{k}])" for k in range(1, 6))
    return "\n".join([f'print "ring: $(f_ring) {vector}"',
                      *(f'print "rank of the ring: {" ".join(f"$(f_ring[{rank}][{k}])" for k in range(1, 6))}"'
                                                             for rank in range(1, ranks + 1))])


def read_shares(output: str) -> List[Shares]:
    """In the order in which they were printed; commands may be printed between them, if an earlier script of the server
    has asked for it."""
    found, printed = [], "\n".join(line for line in output.splitlines()
                                   if line.startswith(("ring: ", "rank of the ring: ")))
    for block in re.findall(r"^ring: .*\n(?:rank of the ring: .*\n?)+", printed, re.M):
        first, *others = [[float(word) for word in line.split(":")[1].split()] for line in block.splitlines()]
        found.append(Shares(*first, np.array(others)))
    return found


@dataclass
class Result:
    """What one run gave: thermo tables, snapshots at the start and the end, what the fix said then, and all that was
    printed."""

    thermo: List[ThermoTable]
    snapshots: List[Snapshot]
    shares: List[Shares]
    output: str


def moved(system: str) -> str:
    """On a perfect lattice all forces are 0 but for rounding."""
    return f"displace_atoms all random 0.05 0.05 {'0' if 'dimension 2' in system else '0.05'} 31 units box\n"


def compute(servers, system: str, way: Way, folder: Path, balanced: bool = True, analysis: str = ANALYSIS,
            columns: str = PER_ATOM, steps: int = STEPS) -> Result:
    """The first step and some more, with the fix or without."""
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
    """The smallest largest number of atoms per rank if each may go to a neighbor in the row of ranks."""
    def enough(most: int) -> bool:
        pushed = 0    # least that the rank before must hand on; if negative, most that it can take back
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
    """Scalar, vector and array say the same."""
    owned, computed, given, taken, ghosts = shares.ranks.T
    assert np.array_equal(computed, owned - given + taken) and np.all(given <= owned), shares
    assert np.sum(given) == np.sum(taken) == shares.handed_over, shares
    assert np.sum(ghosts) == shares.extra_ghosts, shares
    assert (shares.extra_bytes > 0) == (shares.extra_ghosts > 0), shares
    assert shares.imbalance == pytest.approx(np.max(computed) / np.mean(computed), rel=1e-6), shares


def expect_balanced(shares: Shares, way: Way, system: str) -> None:
    """Atoms were handed over if need was, and work is as even as a row of ranks permits at least."""
    expect_counts_agree(shares)
    owned, computed = shares.ranks.T[:2]
    if way.ranks == 1:
        assert shares.handed_over == 0 and shares.imbalance == 1.0
        return
    assert shares.before >= 1.0 and shares.after >= 1.0
    if "weight time" in way.words:
        return    # a rank that was slow gets fewer atoms, so that their numbers may be less even than before
    assert shares.after <= shares.before
    if np.max(owned) > 1.05 * np.mean(owned):
        assert shares.handed_over > 0 and shares.after < shares.before, shares
    if "weight" not in way.words:
        assert shares.before == pytest.approx(np.max(owned) / np.mean(owned), rel=1e-6)
        assert shares.after == pytest.approx(np.max(computed) / np.mean(computed), rel=1e-6)
        if not any(word in way.words for word in ("downstream", "node")) and way.in_a_row(system):
            assert np.max(computed) <= least_of_a_row(owned), shares
