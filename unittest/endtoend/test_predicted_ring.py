# SPDX-License-Identifier: GPL-2.0-only
"""What fix ring_balance hands over in a run is what the model of tools/tofu predict plans, rank by rank; the model's
estimate of extra ghosts is near those of the run."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from lammps_run import run_script
from ring_balance_runs import Way, read_shares, shares_of
from uneven_systems import DROPLET, SLAB

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tofulib.predict import halo, ring, sharing  # noqa: E402

CASES = [("droplet", DROPLET, 8, "rank", "half"), ("slab", SLAB, 2, "rank", "full"), ("slab", SLAB, 12, "rank", "half"),
         ("droplet", DROPLET, 8, "node", "half")]
"""Systems, ranks, level, shell; neighbor lists are half."""


@pytest.mark.parametrize("name, system, ranks, level, shell", CASES)
def test_transfers_are_those_of_the_model(installation, tmp_path, name, system, ranks, level, shell):
    way = Way(ranks, f"level {level}", thresh=sharing.THRESH,
              environment=(("TOFU_NODE_SIZE", "2"),) if level == "node" else ())
    script = (f"{way.start()}comm_style p2p_rdma shell {shell}\n{system}\n{way.fix(tmp_path)}\nthermo 1\nrun 0\n"
              f'print "box of the run: $(lx) $(ly) $(lz)"\n{shares_of(ranks)}\n')
    run = run_script(installation, script, ranks, tmp_path, environment=dict(way.environment)).expect_success()
    (shares,) = read_shares(run.output)
    grid = tuple(map(int, re.findall(r"(\d+) by (\d+) by (\d+) MPI processor grid", run.output)[-1]))
    box = tuple(map(float, re.findall(r"^box of the run: (.*)$", run.output, re.MULTILINE)[-1].split()))
    owned, computed, extra = (shares.ranks[:, k].astype(int) for k in (0, 1, 4))
    chain, nodes = ring.ring_of(grid), [rank // 2 for rank in range(ranks)]
    transfers = ring.plan_ranks(chain, owned) if level == "rank" else ring.plan_nodes(chain, nodes, owned)
    assert transfers and ring.loads_after(owned, transfers) == computed.tolist()
    assert sum(one.amount for one in transfers) == shares.ranks[:, 2].sum()
    model = sharing.Sharing(halo.Geometry(grid, box, (2.8,) * 3), owned.astype(float), nodes, level, True,
                            shell == "half")
    assert model.computed.astype(int).tolist() == computed.tolist()
    print("extra ghosts", name, ranks, level, shell, model.ghosts.sum(), extra.sum())
    assert extra.sum() / 2 < model.ghosts.sum() < extra.sum() * 2
