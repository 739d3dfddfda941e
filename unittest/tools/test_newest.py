# SPDX-License-Identifier: GPL-2.0-only
"""Smoke test of the newest LAMMPS with the other MPI library: the stock benchmarks with brick and with p2p_rdma."""

import os
import re
import shlex
from pathlib import Path

import pytest
from tofulib import log, run, shell, trial

pytestmark = pytest.mark.full

STEPS = 20
NEEDED = ("TOFU_LMP_NEWEST", "TOFU_LAMMPS_DIR_NEWEST", "TOFU_MPIEXEC_NEWEST")
#: Relative difference at step 0, from the order of a sum; with k-space also from the order of the charges on the mesh.
FIRST = {"in.rhodo": 1e-10}
#: Relative difference at the last step: fix langevin draws its random numbers in the order of the local atoms, which an
#: exchange may change.
LAST = {"in.chain": 1e-2}


def thermo(tmp_path, name, ranks, comm):
    """First run of a stock benchmark, shortened, with all digits in its thermo output."""
    tree = Path(os.environ["TOFU_LAMMPS_DIR_NEWEST"])
    text = (tree / "bench" / name).read_text(encoding="utf-8")
    text, count = re.subn(r"^run\s+\d+", f"thermo_modify line one format float %.17g\nrun {STEPS}", text,
                          flags=re.MULTILINE)
    assert count == 1, f"the test expects one run command in {name}"
    script, logfile = tmp_path / name, tmp_path / f"log.{comm}"
    script.write_text(text, encoding="utf-8")
    line = [*shlex.split(os.environ["TOFU_MPIEXEC_NEWEST"]), "-np", str(ranks), os.environ["TOFU_LMP_NEWEST"],
            *trial.COMM[comm],
            "-in", script, "-log", logfile, "-screen", "none"]
    shell.capture(line, env={**os.environ, "OMP_NUM_THREADS": "1"}, cwd=tree / "bench")
    return log.read(logfile)[0]


@pytest.mark.most(3)
@pytest.mark.parametrize("name, ranks",
                         [("in.lj", 4), ("in.eam", 4), ("in.chain", 2), ("in.chute", 4), ("in.rhodo", 2)])
def test_stock_benchmark_as_with_brick(tmp_path, monkeypatch, name, ranks):
    missing = [variable for variable in NEEDED if variable not in os.environ]
    if missing:
        pytest.skip(f"{', '.join(missing)} not set: 'tools/tofu test --full' sets them")
    monkeypatch.setattr(run, "TOLERANCE_FIRST", FIRST.get(name, 1e-12))
    monkeypatch.setattr(run, "TOLERANCE_LAST", LAST.get(name, run.TOLERANCE_LAST))
    problems = run.differences(thermo(tmp_path, name, ranks, "brick"), thermo(tmp_path, name, ranks, "p2p_rdma"))
    assert not problems, "\n".join(problems)
