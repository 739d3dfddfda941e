# SPDX-License-Identifier: GPL-2.0-only
"""Run style verlet/threadpool builds neighbor lists at the steps at which LAMMPS builds them."""

import re
from typing import List

import pytest

from lammps_run import BRICK, threadpool
from small_systems import LJ
from suffix_runs import TRICLINIC

CHECKED = LJ.replace("neigh_modify every 2 delay 0 check no", "neigh_modify every 1 delay 0 check yes").replace(
    "velocity all create 1.44", "velocity all create 6.0")
OPEN = CHECKED.replace("units lj", "units lj\nboundary p p s")
HALF_FULL = LJ.replace(
    "region box block 0 5 0 5 0 5", "region box block 0 5 0 5 0 8\nregion low block 0 5 0 5 0 4.9").replace(
    "create_atoms 1 box", "create_atoms 1 region low").replace("every 2 delay 0 check no", "every 1 delay 0 check yes")
SQUEEZED = "fix integrate all npt temp 6.0 6.0 0.5 {} 20.0 20.0 0.3"

CASES = {
    "atoms": CHECKED,
    "slow atoms": CHECKED.replace("create 6.0", "create 0.2"),
    "delay": CHECKED.replace("delay 0", "delay 7"),
    "every": CHECKED.replace("every 1", "every 3"),
    "no check": LJ,
    "once": CHECKED.replace("check yes", "check yes once yes") + "neighbor 3.0 bin\n",
    "box": CHECKED.replace("fix integrate all nve", SQUEEZED.format("iso")),
    "box by sides": CHECKED.replace("fix integrate all nve", SQUEEZED.format("aniso")),
    "shrink-wrapped": OPEN,
    "prism": TRICLINIC.replace("every 2 delay 0 check no", "every 1 delay 0 check yes"),
    "moving prism": TRICLINIC.replace("every 2 delay 0 check no", "every 1 delay 0 check yes").replace(
        "fix integrate all nve", SQUEEZED.format("tri")),
    "a fix asks": HALF_FULL + "region above block 1 4 1 4 6 7\nfix more all deposit 3 1 13 77 region above near 0.5\n",
    "few atoms per part": CHECKED.replace("region box block 0 5 0 5 0 5", "region box block 0 3 0 3 0 3"),
    "first group": CHECKED + "group some type 1\natom_modify first some\nneigh_modify include some\n"
                             "group other type 2\nneigh_modify exclude group other other\nvelocity other set 0 0 0\n"
                             "unfix integrate\nfix integrate some nve\n",
}
#: Cases whose first lists stay good for long.
LASTING = ("slow atoms", "once")


def builds(servers, system: str, variant, ranks: int) -> List[str]:
    """Numbers of list builds of three runs, the second of which goes on without set-up, and of dangerous builds."""
    script = "\n".join([variant.command, system, "thermo 100", "run 30", "run 40 pre no", "run 31"])
    output = servers.server(ranks, variant).run(script)
    found = re.findall(r"^(?:Neighbor list builds|Dangerous builds) = .*$", output, re.M)
    assert len(found) >= 3, output
    return found


@pytest.mark.parametrize("ranks, parts", [(1, 2), (2, 1), (3, 2)])
@pytest.mark.parametrize("case", CASES)
def test_lists_are_built_as_often_as_with_run_style_verlet(servers, case, ranks, parts):
    expected = builds(servers, CASES[case], BRICK, ranks)
    found = builds(servers, CASES[case], threadpool(parts, "p2p_rdma"), ranks)
    assert found == expected
    numbers = [int(line.split()[-1]) for line in expected if line.startswith("Neighbor")]
    assert case in LASTING or min(numbers) > 0
