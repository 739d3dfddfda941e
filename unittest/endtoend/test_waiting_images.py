# SPDX-License-Identifier: GPL-2.0-only
"""Ghosts that are images of a rank's own atoms are not made in steps in which nothing reads them.  With verify yes
their coordinates are no numbers then, and whatever reads them has no results."""

from dataclasses import replace
from typing import Dict, Tuple

import numpy as np
import pytest

from lammps_output import read_statistics, read_thermo
from lammps_run import BRICK, Variant, threadpool
from lammps_server import CaseFailed
from small_systems import CHAINS, LJ, METAL
from suffix_runs import CHARGES, TRICLINIC

GAP = """\
region gap block INF INF INF INF 4.0 5.0
delete_atoms region gap
displace_atoms all move 0 0 0.5
"""
SYSTEMS: Dict[str, str] = {
    "pairs": LJ,
    "many atoms": LJ.replace("0 5 0 5 0 5", "0 12 0 12 0 12"),
    "newton off": f"newton off\n{LJ}",
    "triclinic": TRICLINIC,
    "not periodic": f"boundary p p f\n{LJ}{GAP}fix bottom all wall/lj93 zlo EDGE 1.0 1.0 2.5\n"
                    "fix top all wall/lj93 zhi EDGE 1.0 1.0 2.5\n",
    "longer than the box": LJ.replace("0 5 0 5 0 5", "0 3 0 3 0 3").replace("2.5", "6.0"),
    "charges": CHARGES,
    "metal": METAL,
    "box that changes": f"{LJ}fix stretched all deform 1 x erate 0.05 y erate -0.02\n",
}
RUN = """\
thermo_style custom step pe ke press pxx pyy pzz pxy pxz pyz
thermo_modify norm no format float %.17g
thermo 11
run 33
run 12 every 5 NULL
run 4 pre no
"""


def run(servers, variant: Variant, ranks: int, script: str) -> Tuple[list, list]:
    """Thermo tables, and statistics of p2p_rdma, of a script under the step loop of the suffix."""
    before = "suffix threadpool\nclear\n" if variant.parts else ""
    output = servers.server(ranks, variant).run(f"{before}{variant.command}\n{script}")
    return read_thermo(output), read_statistics(output)


def verified(parts: int, *keywords: str, precision: str = "double") -> Variant:
    """The suffix with p2p_rdma, which spoils ghosts that nothing may read."""
    return replace(threadpool(parts, "p2p_rdma"), keywords=("verify", "yes", *keywords),
                   package=("precision", precision))


def expect_same(expected: list, found: list, allowed: float = 1e-9) -> None:
    """The same energies, pressures and steps, within rounding errors that have grown."""
    assert len(expected) == len(found)
    for reference, other in zip(expected, found):
        assert reference.columns.keys() == other.columns.keys()
        for name, column in reference.columns.items():
            scale = np.max(np.abs(reference.columns["PotEng" if name.endswith("Eng") else "Press"]))
            assert np.allclose(column, other.columns[name], rtol=allowed, atol=allowed * max(scale, 1.0)), name


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("parts,ranks", ((2, 1), (3, 2)))
def test_nothing_reads_images_that_wait(servers, system, parts, ranks):
    expected, _ = run(servers, BRICK, ranks, SYSTEMS[system] + RUN)
    found, statistics = run(servers, verified(parts, "pattern", "p2p"), ranks, SYSTEMS[system] + RUN)
    expect_same(expected, found)
    assert sum(block["forwards without images"][0] for block in statistics) > 10


READERS: Dict[str, Tuple[int, Tuple[str, ...], str]] = {
    "a compute between outputs": (1, (), LJ + "compute near all coord/atom cutoff 1.5\n"
                                  "compute mean all reduce ave c_near\nfix mean all ave/time 3 1 3 c_mean\n"),
    "a fix that is not known": (1, (), f"{LJ}variable one equal 1.0\n"
                                "fix same all adapt/fep 100 pair lj/cut epsilon 1 2 v_one\n"),
    "mixed precision": (1, (), LJ),
    "a barostat": (1, (), LJ.replace("fix integrate all nve", "fix integrate all npt temp 1.4 1.4 0.5 iso 0 0 2.0")),
    "an output in each step": (1, (), f"{LJ}dump each all custom 1 /dev/null id x\n"),
    "a pair style of LAMMPS": (1, (), LJ.replace("pair_style lj/cut 2.5", "pair_style lj/cut/opt 2.5")),
    "a hybrid style": (1, (), LJ.replace("pair_style lj/cut 2.5", "pair_style hybrid lj/cut 2.5 lj/expand 2.5").replace(
        "pair_coeff * * 1.0 1.0 2.5\npair_coeff 2 2 0.8 0.9 2.0",
        "pair_coeff * * lj/cut 1.0 1.0\npair_coeff 2 2 lj/expand 0.8 0.9 0.1")),
    "bonds": (1, (), CHAINS),
    "other ranks that get images": (2, ("pattern", "3stage"), LJ),
}


@pytest.mark.parametrize("reader", READERS)
def test_images_do_not_wait_for(servers, reader):
    ranks, keywords, script = READERS[reader]
    expected, _ = run(servers, BRICK, ranks, script + RUN)
    precision = "mixed" if reader == "mixed precision" else "double"
    found, statistics = run(servers, verified(2, *keywords, precision=precision), ranks, script + RUN)
    expect_same(expected, found, 1e-4 if precision == "mixed" else 1e-9)
    assert statistics
    assert all(block["forwards without images"][1] == 0 for block in statistics)


def test_images_are_made_in_steps_in_which_a_fix_wants_the_pressure(servers):
    """Every third, and every eleventh for thermo output; in every second lists are built."""
    script = LJ + "fix pressures all ave/time 3 1 3 c_thermo_press\n" + RUN.split("run")[0] + "run 66\n"
    expected, _ = run(servers, BRICK, 1, script)
    found, (statistics,) = run(servers, verified(2), 1, script)
    expect_same(expected, found)
    without = sum(1 for step in range(1, 67) if step % 2 and step % 3 and step % 11)
    assert statistics["forwards without images"] == (without, without)


def test_a_table_names_a_pair_with_an_image_that_is_too_close(servers, tmp_path):
    """In a step in which images wait; two atoms fly to each other through a side of the box."""
    cells = "\n".join(f"{n} {0.9 + 0.05 * (n - 1)} 0.0 0.0" for n in range(1, 34))
    (tmp_path / "table").write_text(f"NOTHING\nN 33\n\n{cells}\n", encoding="utf-8")
    script = f"""\
units lj
atom_style atomic
atom_modify map array sort 0 0.0
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 single 0.9 4.0 4.0
create_atoms 1 single 7.1 4.0 4.0
mass 1 1.0
velocity all set 0.0 0.0 0.0
group left id 1
group right id 2
velocity left set -2.0 0.0 0.0
velocity right set 2.0 0.0 0.0
pair_style table linear 33
pair_coeff 1 1 {tmp_path}/table NOTHING 2.4
neighbor 0.4 bin
neigh_modify every 100 delay 0 check no
fix integrate all nve
timestep 0.01
thermo 1000
run 100
"""
    with pytest.raises(CaseFailed, match="Pair distance < table inner cutoff: ijtype 1 1 dist 0.8"):
        run(servers, verified(2), 1, script)
