# SPDX-License-Identifier: GPL-2.0-only
"""Neighbor lists with more entries on one rank than an integer of 32 bits can count."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Dict

import pytest

from lammps_output import expect_variant, read_thermo
from lammps_run import BRICK, SHM, Variant, run_script, threadpool

pytestmark = [pytest.mark.full, pytest.mark.long]

GIGABYTES = 16
"""Memory that has to be available: the lists alone have nine."""

MOST_COUNTED = 2**31

DIGITS = 1e-10
"""Relative difference of energy and pressure; these are sums of billions of terms."""

TIMEOUT = 1800.0

SYSTEM = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 63 0 63 0 63
create_box 1 box
create_atoms 1 box
mass 1 1.0
displace_atoms all random 0.05 0.05 0.05 4711
{pair}
neighbor 0.3 bin
neigh_modify one 6000 page 600000
fix integrate all nve
thermo_style custom step atoms pe press pxx pyy pzz pxy pxz pyz
thermo_modify norm no format float %.17g
run 0
"""
"""A million atoms."""


@dataclass(frozen=True)
class Potential:
    """A pair style whose list is as long as wanted.

    Args:
        commands: its commands.
        full: whether the list that is too long to be counted is a full one.
    """

    commands: str
    full: bool


LJ_HALF = Potential("pair_style lj/cut 10.5\npair_coeff * * 1.0 1.0", False)
LJ_FULL = Potential("pair_style lj/cut 8.3\npair_coeff * * 1.0 1.0", True)
MORSE_HALF = Potential("pair_style morse 10.5\npair_coeff * * 1.0 1.5 1.12", False)

CASES = {
    "half list, p2p_rdma": (LJ_HALF, SHM),
    "half list, threadpool": (MORSE_HALF, threadpool(1)),
    "half list, threadpool and p2p_rdma": (MORSE_HALF, threadpool(1, "p2p/rdma")),
    "full list, threadpool": (LJ_FULL, threadpool(1)),
    "full list, threadpool with two parts": (LJ_FULL, threadpool(2)),
    "half list, threadpool with two parts and p2p_rdma": (MORSE_HALF, threadpool(2, "p2p/rdma")),
}


def available_gigabytes() -> float:
    """Memory that programs can still get on this machine."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.M)
    return int(found.group(1)) / 2**20


@pytest.fixture
def enough_memory():
    """A skip where memory is short."""
    available = available_gigabytes()
    if available < GIGABYTES:
        pytest.skip(f"{available:.1f} GB of memory are available, {GIGABYTES} are needed")


@pytest.fixture(scope="module")
def references():
    """Output of brick by commands of the pair style; filled in as tests need it."""
    return {}


def output_of(installation, folder: Path, potential: Potential, variant: Variant) -> str:
    """Output of a job on one rank."""
    script = SYSTEM.replace("{pair}", potential.commands)
    return run_script(installation, script, 1, folder, variant=variant, timeout=TIMEOUT).expect_success().output


def entries(output: str, full: bool) -> float:
    """Number of entries of the neighbor list, from LAMMPS' own statistics."""
    name = "FullNghs" if full else "Neighs"
    return float(re.search(rf"^{name}:\s+(\S+) ave", output, re.M).group(1))


@pytest.mark.parametrize("potential,variant", CASES.values(), ids=CASES)
def test_list_with_more_entries_than_an_integer_can_count(
    installation, references: Dict[str, str], enough_memory, tmp_path, potential, variant):
    if potential.commands not in references:
        references[potential.commands] = output_of(installation, tmp_path, potential, BRICK)
    output = output_of(installation, tmp_path, potential, variant)
    expect_variant(output, variant.backend)
    assert MOST_COUNTED < entries(output, potential.full) < 1.2 * MOST_COUNTED
    (expected,), (found,) = read_thermo(references[potential.commands]), read_thermo(output)
    assert found.columns["Atoms"][0] == expected.columns["Atoms"][0] == 4 * 63**3
    for names in (["PotEng"], ["Press", "Pxx", "Pyy", "Pzz", "Pxy", "Pxz", "Pyz"]):
        limit = DIGITS * max(abs(expected.columns[name][0]) for name in names)
        for name in names:
            one, other = expected.columns[name][0], found.columns[name][0]
            assert abs(other - one) <= limit, f"{name} {one!r} became {other!r}, allowed difference {limit:.1e}"
