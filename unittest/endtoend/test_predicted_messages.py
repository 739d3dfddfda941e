# SPDX-License-Identifier: GPL-2.0-only
"""Messages, ghosts and bytes of every kind in a run are those that the model of tools/tofu predict counts, exactly.

The model is given the positions at the start of the run, during which no lists are built.
"""

import re
import sys
from pathlib import Path

import pytest

from lammps_output import read_snapshot, read_statistics
from lammps_run import run_script
from small_systems import LJ, METAL

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tofulib.predict import exact, halo  # noqa: E402

STEPS = 4
BOX = "region box block 0 5 0 5 0 5"
SYSTEMS = {
    "lj": (LJ, 2.8, 0),
    "lj, long box": (LJ.replace(BOX, "region box block 0 3 0 5 0 9"), 2.8, 0),
    "lj, long cut-off": (LJ + "comm_modify cutoff 5.3\n", 5.3, 0),
    "eam": (METAL, 5.95, 1),
}
CASES = [("lj", 1, "half"), ("lj", 2, "half"), ("lj", 2, "full"), ("lj", 3, "half"), ("lj", 6, "full"),
         ("lj", 8, "half"), ("lj, long box", 8, "half"), ("lj, long box", 7, "full"), ("lj, long cut-off", 4, "full"),
         ("lj, long cut-off", 8, "half"), ("eam", 2, "half"), ("eam", 4, "full"), ("eam", 8, "half")]


def script_of(system, shell):
    """A melt for a while, then a run without new lists, with its first positions in a file."""
    return (f"comm_style p2p_rdma shell {shell} pattern p2p stats full\n{system}run 20\nneigh_modify every 100\n"
            f"dump first all custom 100 first x y z id\ndump_modify first format float %.17g first yes\nrun {STEPS}\n")


def bounds_in(path):
    """Lower corner and lengths of the box of a dump."""
    lines = path.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("ITEM: BOX"))
    rows = [[float(word) for word in line.split()] for line in lines[at + 1:at + 4]]
    return [low for low, _ in rows], tuple(high - low for low, high in rows)


@pytest.mark.parametrize("name, ranks, shell", CASES)
def test_counts_are_those_of_the_model(installation, tmp_path, name, ranks, shell):
    system, cut, exchanges = SYSTEMS[name]
    output = run_script(installation, script_of(system, shell), ranks, tmp_path).expect_success().output
    found = read_statistics(output)[-1]
    calls = {kind: found[f"calls of {kind}"][0] for kind in ("exchange", "borders", "forward", "reverse", "styles")}
    assert calls == {"exchange": 1, "borders": 1, "forward": STEPS, "reverse": STEPS + 1,
                     "styles": 2 * exchanges * (STEPS + 1)}
    (counts,) = {tuple(map(int, words)) for words in
                 re.findall(r"(\d+) by (\d+) by (\d+) MPI processor grid", output)}
    low, box = bounds_in(tmp_path / "first")
    geometry = halo.Geometry(counts, box, (cut,) * 3)
    layout = exact.Layout(geometry, low, read_snapshot(tmp_path / "first").vectors("x", "y", "z"))
    half = shell == "half"
    links = len(halo.direct(geometry).links)
    messages, nbytes, ghosts = [], [], []
    for traffic, new in zip(layout.direct(half, rounded=half), layout.new_ghosts(half, rounded=half)):
        of_styles = exchanges * (STEPS + 1)
        messages.append(links + new[0] + (STEPS + of_styles) * traffic.sent[0] +
                        (STEPS + 1 + of_styles) * traffic.received[0])
        nbytes.append(new[1] + 24 * STEPS * traffic.sent[1] + 24 * (STEPS + 1) * traffic.received[1] + of_styles * sum(
            8 * way[1] + exact.STYLE_HEAD * way[2] for way in (traffic.sent, traffic.received)))
        ghosts.append(traffic.ghosts)
    assert found["ghost atoms"] == (pytest.approx(sum(ghosts) / ranks, abs=0.0501), max(ghosts))
    assert found["messages sent"] == (pytest.approx(sum(messages) / ranks, abs=0.501), max(messages))
    for kbytes, expected in zip(found["kbytes sent"], (sum(nbytes) / ranks, max(nbytes))):
        assert kbytes * 1024 == pytest.approx(expected, abs=0.06)
