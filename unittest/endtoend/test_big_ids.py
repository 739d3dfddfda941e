# SPDX-License-Identifier: GPL-2.0-only
"""Atom IDs beyond 32 bits, which LAMMPS has with LAMMPS_SIZES=bigbig, survive exchange, borders and transfers of work.

The newest LAMMPS of the tests is built in that way.
"""

import re

import pytest

from compare import ROUNDING, compare_snapshots
from lammps_output import read_snapshot
from lammps_run import BRICK, MPI, OFI, SHM, run_script, threadpool
from small_systems import CHAINS, LJ, dump

pytestmark = pytest.mark.full

OFFSET = 5_000_000_000
STEPS = 30
RING = "fix even all ring/balance 5 1.01\n"
IDS = {"Atoms": (0,), "Velocities": (0,), "Bonds": (2, 3)}
"""Columns with IDs of atoms, by section of a data file."""

WAYS = {"shm": (SHM, ""), "ofi": (OFI, ""), "mpi": (MPI, ""), "suffix": (threadpool(2, "p2p/rdma"), ""),
        "ring, suffix": (threadpool(1, "p2p/rdma"), RING), "ring": (SHM, RING)}


@pytest.fixture(scope="module")
def newest(newest):
    """The newest LAMMPS, if it was built with large IDs."""
    if "bigbig" not in newest.lmp:
        pytest.skip("the newest LAMMPS was not built with LAMMPS_SIZES=bigbig")
    return newest


def with_large_ids(text: str) -> str:
    """A data file with OFFSET added to all IDs of atoms."""
    section, lines = "", []
    for line in text.splitlines():
        words = line.split()
        heading = re.match(r"([A-Z]\w+)( #.*)?$", line)
        if heading:
            section = heading.group(1)
        elif words and section in IDS:
            for column in IDS[section]:
                words[column] = str(int(words[column]) + OFFSET)
            line = " ".join(words)
        lines.append(line)
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module", params=["lj", "chains"])
def system(request, newest, tmp_path_factory):
    """A script that reads atoms with large IDs, unevenly on four ranks, and the folder of
    its results with brick."""
    folder = tmp_path_factory.mktemp("big")
    text = {"lj": LJ, "chains": CHAINS}[request.param]
    run_script(newest, f"{text}write_data small.data nocoeff\n", 1, folder).expect_success()
    (folder / "big.data").write_text(with_large_ids((folder / "small.data").read_text()))
    begin, _, rest = text.partition("region box")
    rest = "\n".join(line for line in rest.splitlines()[1:]
                     if not line.startswith(("create_", "mass", "set ", "velocity", "displace", "replicate", "region")))
    begin = begin.replace("atom_modify map array", "atom_modify map hash")
    some = "" if request.param == "chains" else (
        f"group some id <> {OFFSET + 1} {OFFSET + 60}\ndelete_atoms group some compress no\n")
    script = f"{begin}processors 4 1 1\nread_data {folder}/big.data\n{rest}\n{some}"
    run_script(newest, f"{script}run {STEPS}\n{dump(folder / 'brick.dump')}\n", 4, folder,
               variant=BRICK).expect_success()
    return script, folder


@pytest.mark.most(3)
@pytest.mark.parametrize("way", WAYS)
def test_atoms_with_large_ids_move_as_with_brick(newest, system, tmp_path, way):
    script, folder = system
    variant, fixes = WAYS[way]
    run_script(newest, f"{script}{fixes}run {STEPS}\n{dump('found.dump')}\n", 4, tmp_path,
               variant=variant).expect_success()
    expected, found = read_snapshot(folder / "brick.dump"), read_snapshot(tmp_path / "found.dump")
    assert expected.columns["id"].min() > 2**32
    assert not compare_snapshots(expected, found, ROUNDING.after(STEPS))
