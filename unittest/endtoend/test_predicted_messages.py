# SPDX-License-Identifier: GPL-2.0-only
"""Messages, ghosts and bytes of every kind in a run are those that the model of tools/tofu predict counts, exactly.

The model is given the positions at the start of the run, during which no lists are built.
"""

import re
from typing import NamedTuple, Tuple

import numpy as np
import pytest

from charged_systems import WATER
from lammps_output import read_snapshot, read_statistics
from lammps_run import run_script
from plan_traffic import OFFER, STYLE_HEAD, Layout, TiledLayout
from small_systems import LJ, METAL
from suffix_runs import TRICLINIC
from uneven_systems import DROPLET, SLAB, in_part

from tofulib.predict import halo, tiles
from tofulib.predict.positions import Positions

pytestmark = pytest.mark.full

STEPS = 4
FREE = LJ.replace("region box block", "boundary s p m\nregion box block")
FIXED = in_part(LJ.replace("units lj\n", "units lj\nboundary p f f\n"), "block 0 5 -1 6 -1 6", "block 0 5 0 5 0 5")
BOX = "region box block 0 5 0 5 0 5"


class System(NamedTuple):
    """A system, and what is sent in it beside positions and forces."""

    text: str
    cut: float
    styles: Tuple = ()          # (to ghosts, bytes per atom, number in a run) of exchanges of styles
    border_bytes: int = 48      # per atom when ghosts are new
    columns: str = "x y z"      # of the dump
    periodic: Tuple = (True, True, True)
    walls: Tuple = ()           # numbers along each dimension, and parts of the box between the walls


SYSTEMS = {
    "lj": System(LJ, 2.8),
    "lj, long box": System(LJ.replace(BOX, "region box block 0 3 0 5 0 9"), 2.8),
    "lj, long cut-off": System(LJ + "comm_modify cutoff 5.3\n", 5.3),
    "eam": System(METAL, 5.95, ((True, 8, STEPS + 1), (False, 8, STEPS + 1))),
    "water": System(WATER.replace("{kspace}", "kspace_style pppm 1e-4"), 8.0, ((True, 24, STEPS + 4),), 64),
    "triclinic": System(TRICLINIC, 2.8, columns="xs ys zs"),
    "lj, uneven": System(LJ, 2.8, walls=((2, 3, 2), (0.3,), (0.25, 0.7), (0.6,))),
    "lj, thin": System(LJ, 2.8, walls=((5, 1, 2), (0.1, 0.25, 0.3, 0.8), (), (0.55,))),
    "eam, uneven": System(METAL, 5.95, ((True, 8, STEPS + 1), (False, 8, STEPS + 1)),
                          walls=((2, 2, 1), (0.4,), (0.6,), ())),
    "lj, 27 uneven": System(LJ, 2.8, walls=((3, 3, 3), (0.2, 0.7), (0.4, 0.6), (0.3, 0.8))),
    "eam, 27 uneven": System(METAL, 5.95, ((True, 8, STEPS + 1), (False, 8, STEPS + 1)),
                             walls=((3, 3, 3), (0.4, 0.7), (0.3, 0.6), (0.25, 0.8))),
    "lj, 64 uneven": System(LJ, 2.8, walls=((4, 4, 4), (0.1, 0.4, 0.7), (0.3, 0.6, 0.8), (0.2, 0.55, 0.6))),
    "free": System(FREE, 2.8, periodic=(False, True, False)),
    "free, uneven": System(FREE, 2.8, periodic=(False, True, False), walls=((4, 1, 2), (0.2, 0.4, 0.7), (), (0.4,))),
    "fixed": System(FIXED, 2.8, periodic=(True, False, False)),
}
"""Water has charges, molecules, and positions that SHAKE sends, four times before the first step."""
CASES = [("lj", 1, "half"), ("lj", 2, "half"), ("lj", 2, "full"), ("lj", 3, "half"), ("lj", 6, "full"),
         ("lj", 8, "half"), ("lj, long box", 8, "half"), ("lj, long box", 7, "full"), ("lj, long cut-off", 4, "full"),
         ("lj, long cut-off", 8, "half"), ("eam", 2, "half"), ("eam", 4, "full"), ("eam", 8, "half"),
         ("water", 2, "full"), ("water", 4, "full"), ("water", 8, "full"), ("triclinic", 2, "half"),
         ("triclinic", 4, "full"), ("triclinic", 8, "half"),
         ("lj, uneven", 12, "half"), ("lj, thin", 10, "full"),
         ("eam, uneven", 4, "half"), ("free", 1, "half"), ("free", 3, "half"), ("free", 6, "full"),
         ("free", 12, "half"), ("free, uneven", 8, "half"), ("fixed", 8, "half"),
         ("lj", 6, "full endpoints 3 threads 2"), ("eam, uneven", 4, "half endpoints 2")]
"""Systems, ranks, the shell and what follows it; several endpoints are those of libfabric between all ranks."""


def script_of(system, shell):
    """A melt for a while, then a run without new lists, with its first positions in a file."""
    walls = ""
    if system.walls:
        counts, *parts = system.walls
        walls = "balance 1.0 " + " ".join(f"{dim} {' '.join(map(str, cuts))}" for dim, cuts in zip("xyz", parts)
                                          if cuts) + "\n"
    processors = f"processors {' '.join(map(str, system.walls[0]))}\n" if walls else ""
    return (f"comm_style p2p/rdma shell {shell} pattern p2p stats full\n{processors}{system.text}run 20\n{walls}"
            f"neigh_modify every 100\n"
            f"dump first all custom 100 first {system.columns} id\n"
            f"dump_modify first format float %.17g first yes\nrun {STEPS}\n")


def bounds_in(path):
    """Lower corner and lengths of the box of a dump."""
    lines = path.read_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("ITEM: BOX"))
    rows = [[float(word) for word in line.split()] for line in lines[at + 1:at + 4]]
    return [low for low, _ in rows], tuple(high - low for low, high in rows)


def scaled_cut_offs(output, cut):
    """How far ghosts are needed in a triclinic box, as parts of the distances of its faces."""
    found = re.findall(r"triclinic box = \(0 0 0\) to \((\S+) (\S+) (\S+)\) with tilt \((\S+) (\S+) (\S+)\)", output)
    lx, ly, lz, xy, xz, yz = map(float, found[-1])
    inverse = np.linalg.inv(np.array([[lx, xy, xz], [0.0, ly, yz], [0.0, 0.0, lz]]))
    return tuple(cut * np.linalg.norm(inverse, axis=1))


def expect_calls(system, found):
    """Expect one rebuild and as many exchanges as there are steps."""
    calls = {kind: found[f"calls of {kind}"][0] for kind in ("exchange", "borders", "forward", "reverse", "styles")}
    assert calls == {"exchange": 1, "borders": 1, "forward": STEPS, "reverse": STEPS + 1,
                     "styles": sum(number for _, _, number in system.styles)}


@pytest.mark.most(8)
@pytest.mark.parametrize("name, ranks, shell", CASES)
def test_counts_are_those_of_the_model(installation, tmp_path, name, ranks, shell):
    check(installation, tmp_path, name, ranks, shell)


@pytest.mark.long
@pytest.mark.parametrize("name, ranks, shell", [
    ("lj", 27, "full"), ("lj", 64, "half"), ("eam", 27, "half"), ("water", 27, "full"), ("triclinic", 27, "half"),
    ("lj, 27 uneven", 27, "half"), ("eam, 27 uneven", 27, "full"), ("lj, 64 uneven", 64, "half"), ("free", 27, "half")])
def test_counts_of_many_ranks_are_those_of_the_model(installation, tmp_path, name, ranks, shell):
    check(installation, tmp_path, name, ranks, shell)


def check(installation, tmp_path, name, ranks, shell):
    """Run, and expect the counts of the model."""
    system = SYSTEMS[name]
    apart = {"TOFU_NODE_SIZE": "1"} if "endpoints" in shell else {}
    script = script_of(system, shell)
    output = run_script(installation, script, ranks, tmp_path, environment=apart).expect_success().output
    found = read_statistics(output)[-1]
    expect_calls(system, found)
    assert not apart or found["peers by libfabric"][0] > 0.0
    (counts,) = {tuple(map(int, words)) for words in
                 re.findall(r"(\d+) by (\d+) by (\d+) MPI processor grid", output)}
    positions = read_snapshot(tmp_path / "first").vectors(*system.columns.split())
    half, scaled = shell.startswith("half"), system.columns != "x y z"
    if scaled:    # ghosts near edges are not left out
        low, geometry = (0.0,) * 3, halo.Geometry(counts, (1.0,) * 3, scaled_cut_offs(output, system.cut))
    else:
        low, box = bounds_in(tmp_path / "first")
        splits = tuple((0.0, *parts, 1.0) for parts in system.walls[1:])
        geometry = halo.Geometry(counts, box, (system.cut,) * 3, periodic=system.periodic, splits=splits)
    compare(system, found, Layout(geometry, low, positions), half, half and not scaled,
            OFFER if apart else 0)


def compare(system, found, layout, half, rounded, offer=0):
    """Expect the counts of the model, given the layout, and bytes of offers in each message of forces."""
    messages, nbytes, ghosts = [], [], []
    for traffic, new, links in zip(layout.direct(half, rounded),
                                   layout.new_ghosts(half, rounded, per_atom=system.border_bytes), layout.links()):
        number = links + new[0] + STEPS * traffic.sent[0] + (STEPS + 1) * traffic.received[0]
        size = new[1] + 24 * STEPS * traffic.sent[1] + (STEPS + 1) * (
            24 * traffic.received[1] + offer * traffic.received[0])
        for to_ghosts, per_atom, calls in system.styles:
            way = traffic.sent if to_ghosts else traffic.received
            number += calls * way[0]
            size += calls * (per_atom * way[1] + STYLE_HEAD * way[2])
        messages.append(number)
        nbytes.append(size)
        ghosts.append(traffic.ghosts)
    ranks = len(ghosts)
    assert found["ghost atoms"] == (pytest.approx(sum(ghosts) / ranks, abs=0.0501), max(ghosts))
    assert found["messages sent"] == (pytest.approx(sum(messages) / ranks, abs=0.501), max(messages))
    for kbytes, expected in zip(found["kbytes sent"], (sum(nbytes) / ranks, max(nbytes))):
        assert kbytes * 1024 == pytest.approx(expected, abs=0.06)


def tiles_in(path, low, box):
    """Sub-boxes in a file of balance, which has six digits."""
    lines = path.read_text().splitlines()
    nodes = lines.index("ITEM: NODES")
    cubes = lines.index("ITEM: CUBES")
    corners = {int(words[0]): [float(x) for x in words[2:5]] for words in map(str.split, lines[nodes + 1:])
               if len(words) == 5 and words[0].isdigit()}
    rows = {int(words[0]) - 1: np.array([corners[int(node)] for node in words[2:]])
            for words in map(str.split, lines[cubes + 1:]) if len(words) == 10}
    bounds = np.array([[rows[rank].min(axis=0), rows[rank].max(axis=0)] for rank in range(len(rows))])
    fractions = (bounds - np.array(low)) / np.array(box)
    fractions[fractions < 1e-5] = 0.0
    fractions[fractions > 1.0 - 1e-5] = 1.0
    return tiles.Tiles(fractions[:, 0], fractions[:, 1])


@pytest.mark.parametrize("name, ranks, shell, dims", [("droplet", 8, "half", "xyz"), ("eam", 3, "full", "z"),
                                                      ("slab", 6, "half", "zx")])
def test_counts_with_walls_of_balance_are_those_of_the_model(installation, tmp_path, name, ranks, shell, dims):
    """Balance shift has put the walls; those of the model, from positions alone, make ranks as even."""
    system = {**SYSTEMS, "droplet": System(DROPLET, 2.8), "slab": System(SLAB, 2.8)}[name]
    script = script_of(system, shell).replace(
        "run 20\n", f"run 20\nbalance 1.0 shift {dims} 8 1.0 out walls\n")
    output = run_script(installation, script, ranks, tmp_path).expect_success().output
    found = read_statistics(output)[-1]
    expect_calls(system, found)
    positions = read_snapshot(tmp_path / "first").vectors(*system.columns.split())
    low, box = bounds_in(tmp_path / "first")
    cuts = tiles_in(tmp_path / "walls", low, box)
    splits = tuple(np.append(np.unique(cuts.low[:, dim]), 1.0) for dim in range(3))
    geometry = halo.Geometry(tuple(len(one) - 1 for one in splits), box, (system.cut,) * 3, splits=splits)
    layout = Layout(geometry, low, positions)
    compare(system, found, layout, shell == "half", shell == "half")
    atoms = Positions((positions - np.array(low)) / np.array(box))
    even = atoms.counts(geometry.grid, atoms.walls(geometry.grid, dims))
    assert max(even) <= 1.1 * max(len(one.atoms) for one in layout.owned)


@pytest.mark.parametrize("name, ranks, shell", [("lj", 2, "half"), ("droplet", 8, "half"),
                                                ("droplet", 12, "full"), ("free", 7, "half"), ("eam", 3, "half")])
def test_counts_of_tiles_are_those_of_the_model(installation, tmp_path, name, ranks, shell):
    system = {**SYSTEMS, "droplet": System(DROPLET, 2.8)}[name]
    # in a run between atoms on a wall, where balance has cut, go to the rank beyond
    script = script_of(system, shell).replace("pattern p2p", "pattern p2p layout tiled").replace(
        "run 20\n", "run 20\nbalance 1.0 rcb out tiles\nrun 0\n").replace("z id\n", "z id proc\n")
    output = run_script(installation, script, ranks, tmp_path).expect_success().output
    found = read_statistics(output)[-1]
    expect_calls(system, found)
    snapshot = read_snapshot(tmp_path / "first")
    low, box = bounds_in(tmp_path / "first")
    cuts = tiles_in(tmp_path / "tiles", low, box)
    layout = TiledLayout(cuts, (low, box), system.cut, system.periodic,
                               snapshot.vectors(*system.columns.split()), snapshot.columns["proc"].astype(int))
    compare(system, found, layout, shell == "half", shell == "half")
