# SPDX-License-Identifier: GPL-2.0-only
"""What fix ring_balance hands over in a run is what the model of tools/tofu predict plans, rank by rank, and so are
extra ghosts, messages and bytes, given the positions; the estimate of extra ghosts without positions is near those of
the run."""

import re

import numpy as np
import pytest

from lammps_output import read_snapshot
from lammps_run import run_script
from message_counts import HEAD, counted, environment
from plan_traffic import Layout
from ring_balance_runs import Way, read_shares, shares_of
from ring_traffic import Shared
from tofulib.predict import halo, plans, sharing
from uneven_systems import DROPLET, SLAB, STYLES

pytestmark = pytest.mark.full

CASES = [("droplet", DROPLET, 8, "rank", "half"), ("slab", SLAB, 2, "rank", "full"), ("slab", SLAB, 12, "rank", "half"),
         ("droplet", DROPLET, 8, "node", "half")]
"""Systems, ranks, level, shell; neighbor lists are half."""


def loads_after(work, transfers):
    """Units of work by rank after the transfers."""
    loads = list(map(int, work))
    for one in transfers:
        loads[one.source] -= one.amount
        loads[one.target] += one.amount
    return loads


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
    nodes = [rank // 2 for rank in range(ranks)]
    transfers = plans.transfers(*plans.ring(grid, (True,) * 3), owned, nodes if level == "node" else None)
    assert transfers and loads_after(owned, transfers) == computed.tolist()
    assert sum(one.amount for one in transfers) == shares.ranks[:, 2].sum()
    model = sharing.Sharing(halo.Geometry(grid, box, (2.8,) * 3), owned.astype(float), nodes, level, True,
                            shell == "half")
    assert model.computed.astype(int).tolist() == computed.tolist()
    print("extra ghosts", name, ranks, level, shell, model.ghosts.sum(), extra.sum())
    assert extra.sum() / 2 < model.ghosts.sum() < extra.sum() * 2


STEPS = 3
TRAFFIC = [("droplet", DROPLET, 8, "rank", "full", "mixed"), ("slab", SLAB, 4, "rank", "full", "mixed"),
           ("droplet", DROPLET, 12, "node", "full", "mixed"), ("buck", STYLES["buck"], 6, "rank", "full", "double"),
           ("buck", STYLES["buck"], 4, "node", "full", "double")]
"""Buck has half lists, LJ full ones if vectors have eight numbers."""


@pytest.mark.parametrize("name, system, ranks, level, shell, precision", TRAFFIC)
def test_messages_and_bytes_are_those_of_the_model(installation, counter, tmp_path, name, system, ranks, level, shell,
                                                   precision):
    check(installation, counter, tmp_path, system, ranks, level, shell, precision)


@pytest.mark.long
@pytest.mark.parametrize("name, system, ranks, level, precision", [
    ("droplet", DROPLET, 27, "rank", "mixed"), ("slab", SLAB, 27, "node", "mixed"),
    ("buck", STYLES["buck"], 27, "rank", "double")])
def test_messages_and_bytes_of_many_ranks_are_those_of_the_model(installation, counter, tmp_path, name, system, ranks,
                                                                 level, precision):
    check(installation, counter, tmp_path, system, ranks, level, "full", precision)


def check(installation, counter, tmp_path, system, ranks, level, shell, precision):
    """Run steps without new lists, with the suffix threadpool: the receiver makes the rows."""
    way = Way(ranks, f"level {level} mode ghost", thresh=sharing.THRESH)
    counts = tmp_path / "counts"
    counts.mkdir()
    script = (f"package threadpool 1 precision {precision}\nsuffix threadpool\n"
              f"comm_style p2p_rdma shell {shell} transport mpi\n{system}\nrun_style verlet\n{way.fix(tmp_path)}\n"
              f"neigh_modify every 100\ndump first all custom 100 first x y z id\n"
              f"dump_modify first format float %.17g first yes\nrun 0\n"
              f'print "box of the run: $(xlo) $(ylo) $(zlo) $(lx) $(ly) $(lz)"\n{shares_of(ranks)}\n'
              f"shell putenv TOFU_PHASE=steps\nrun {STEPS} pre no\nshell putenv TOFU_PHASE=rest\n")
    run = run_script(installation, script, ranks, tmp_path,
                     environment={**environment(counter, counts), "TOFU_NODE_SIZE": "2"}).expect_success()
    (shares,) = read_shares(run.output)
    grid = tuple(map(int, re.findall(r"(\d+) by (\d+) by (\d+) MPI processor grid", run.output)[-1]))
    bounds = list(map(float, re.findall(r"^box of the run: (.*)$", run.output, re.MULTILINE)[-1].split()))
    geometry, half = halo.Geometry(grid, tuple(bounds[3:]), (2.8,) * 3), shell == "half"
    x = read_snapshot(tmp_path / "first").vectors("x", "y", "z")
    layout = Layout(geometry, bounds[:3], x)
    owned = [len(one.atoms) for one in layout.owned]
    nodes = [rank // 2 for rank in range(ranks)]
    transfers = plans.transfers(*plans.ring(grid, (True,) * 3), owned, nodes if level == "node" else None)
    full_lists = bool(re.search(r"pair (lj/cut|buck)/threadpool.*\n +attributes: full", run.output))
    model = Shared(layout, bounds[:3], x, transfers, 2.8, full_lists, half)
    assert owned == shares.ranks[:, 0].astype(int).tolist()
    assert [len(extra) for extra in model.extra] == shares.ranks[:, 4].astype(int).tolist()
    expected = np.zeros((ranks, 2), int)
    for way_of, size in ((model.forward(), 24), (model.reverse(), 24)):
        for (sender, _), atoms in way_of.items():
            expected[sender] += (1, HEAD + size * atoms)
    assert counted(counts, ranks)["steps"].tolist() == (STEPS * expected).tolist()
