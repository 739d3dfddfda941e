# SPDX-License-Identifier: GPL-2.0-only
"""LAMMPS' line about memory has that of TOFU, and ranks with many atoms do not need much more memory than LAMMPS does
without TOFU."""

import re
import sys
from typing import NamedTuple

import pytest

from lammps_run import BRICK, Variant, run_script, threadpool

pytestmark = pytest.mark.full

SCRIPT = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 {n} 0 {n} 0 {n}
create_box 1 box
create_atoms 1 box
mass * 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff * * 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix integrate all nve
run {steps}
"""

MEASURE = [sys.executable, "-c",
           "import resource, subprocess, sys; status = subprocess.call(sys.argv[1:]); "
           "print('resident', resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, flush=True); sys.exit(status)"]
"""Starts a program and tells its largest resident memory in kB."""

MB = 1024.0 * 1024.0


class Memory(NamedTuple):
    """Of the rank with the most of it, in bytes."""

    told: float       # in LAMMPS' line
    resident: float
    rows: float       # of its neighbor lists


def memory_of(installation, variant: Variant, n: int, ranks: int, steps: int, path) -> Memory:
    path.mkdir()
    output = run_script(installation, SCRIPT.format(n=n, steps=steps), ranks, path, variant=variant,
                        wrapper=MEASURE).expect_success().output
    told = re.search(r"Per MPI rank memory allocation \(min/avg/max\) = \S+ \| \S+ \| (\S+) Mbytes", output)
    pairs = re.findall(r"^(?:Neighs|FullNghs): +\S+ ave +(\S+) max", output, re.MULTILINE)
    resident = max(int(kilobytes) for kilobytes in re.findall(r"resident (\d+)", output))
    return Memory(float(told[1]) * MB, resident * 1024.0, 4.0 * sum(map(float, pairs)))


@pytest.mark.parametrize("parts", [1, 2])
def test_memory_that_lammps_tells_grows_as_rows_do(installation, tmp_path, parts):
    variant = threadpool(parts, "p2p/rdma")
    small, large = (memory_of(installation, variant, n, 1, 0, tmp_path / f"{n}") for n in (5, 20))
    brick_small, brick_large = (memory_of(installation, BRICK, n, 1, 0, tmp_path / f"brick-{n}") for n in (5, 20))
    rows, brick_rows = large.rows - small.rows, brick_large.rows - brick_small.rows
    beside_rows = brick_large.told - brick_small.told - brick_rows
    assert rows > 4e6
    assert large.told - small.told > beside_rows + rows
    assert large.told < large.resident


@pytest.mark.parametrize("ranks,n", [(1, 20), pytest.param(1, 32, marks=pytest.mark.long),
                                     pytest.param(2, 26, marks=pytest.mark.long)])
def test_many_atoms_need_not_much_more_memory_than_without_tofu(installation, tmp_path, ranks, n):
    """The bound is that of rows with both atoms of each pair, which wide vectors need, and some more."""
    brick = memory_of(installation, BRICK, n, ranks, 25, tmp_path / "brick")
    tofu = memory_of(installation, threadpool(1, "p2p/rdma"), n, ranks, 25, tmp_path / "tofu")
    assert tofu.resident - tofu.rows < 1.15 * (brick.resident - brick.rows) + 11 * MB
    assert tofu.resident < (1.4 if n <= 20 else 1.55) * brick.resident


def test_few_atoms_need_no_more_than_some_megabytes(installation, tmp_path):
    brick = memory_of(installation, BRICK, 5, 1, 25, tmp_path / "brick")
    tofu = memory_of(installation, threadpool(1, "p2p/rdma"), 5, 1, 25, tmp_path / "tofu")
    assert tofu.resident < brick.resident + 20 * MB
