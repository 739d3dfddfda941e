# SPDX-License-Identifier: GPL-2.0-only
"""Messages and bytes of the long-range part of real runs are those that the model of tools/tofu predict counts,
exactly: LAMMPS' pppm, and the three transforms of pppm/offload.

Runs have the long-range part or leave it out, with atoms that do not move; a library in front of MPI counts what each
rank sends.
"""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from charged_systems import SALT
from lammps_run import run_script
from message_counts import HEAD, counted, environment

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from tofulib.predict import mesh as meshes  # noqa: E402
from tofulib.predict import transforms  # noqa: E402

pytestmark = pytest.mark.full

STEPS = 3
OURS = ("pencil", "partial", "replicated")


def script_of(points, words, walls=()):
    """The salt with each kind of long-range part, without it, and with it."""
    lines = ["comm_style p2p/rdma transport mpi", SALT.replace("{kspace}", "kspace_style pppm 1e-4").replace(
        "fix integrate all nve\n", "")]
    if walls:
        lines.insert(1, f"processors {' '.join(str(len(cuts) - 1) for cuts in walls)}")
        lines.append("balance 1.0 " + " ".join(f"{dim} {' '.join(map(str, cuts[1:-1]))}"
                                               for dim, cuts in zip("xyz", walls) if len(cuts) > 2))
    ways = [("pppm", "")] + [("pppm/offload", f"fft {name} overlap no") for name in OURS]
    for style, more in ways:
        name = more.split()[1] if more else "pppm"
        for wanted in ("no", "yes"):
            lines += [f"kspace_style {style} 1e-4",
                      f"kspace_modify mesh {' '.join(map(str, points))} compute {wanted} {words}",
                      *([f"kspace_modify {more}"] if more else []), "run 0",
                      f"shell putenv TOFU_PHASE={name}-{wanted}", f"run {STEPS} pre no", "shell putenv TOFU_PHASE=rest"]
    return "\n".join(lines) + "\n"


def expected(name, mesh, grid, box):
    """Messages and bytes that each rank sends per step by the model [ranks, 2]."""
    if name == "pppm":
        transform = transforms.pppm(mesh, grid)
        found = sum(swap_traffic(swap, grid, mesh.fields) for swap in meshes.swaps(mesh, grid, box))
    else:
        transform = {"pencil": transforms.pencil, "partial": transforms.partial,
                     "replicated": transforms.replicated}[name](mesh, grid, box)
        found = np.zeros((int(np.prod(grid)), 2), int)
    for one in transform.forward + transform.backward:
        messages, points = one.move.sent
        head = 0 if name == "pppm" else HEAD
        found = found + np.stack([messages, one.nbytes * points + head * messages], axis=1)
    return found


def swap_traffic(swap, grid, fields):
    """What ranks send in a swap with the fields, and backwards with the charges."""
    place = meshes.places(grid)[swap.dim]
    if grid[swap.dim] == 1:
        return np.zeros((place.size, 2), int)
    there = swap.planes[place] * swap.area
    back = swap.planes[(place - swap.step) % grid[swap.dim]] * swap.area
    return np.stack([(there > 0).astype(int) + (back > 0), 8 * (fields * there + back)], axis=1)


def check(installation, counter, folder, ranks, points, order, diff, walls=()):
    """Run, and compare all ranks."""
    counts = folder / "counts"
    counts.mkdir()
    script = script_of(points, f"order {order} diff {diff}", walls)
    run = run_script(installation, script, ranks, folder, environment=environment(counter, counts)).expect_success()
    grids = re.findall(r"(\d+) by (\d+) by (\d+) MPI processor grid", run.output)
    (grid,) = {tuple(map(int, words)) for words in grids}
    assert set(re.findall(r"grid = (\d+ \d+ \d+)", run.output)) >= {" ".join(map(str, points))}
    mesh = meshes.Mesh(points, order, 0.5, 3 if diff == "ik" else 1, walls)
    found = counted(counts, ranks)
    nothing = np.zeros((ranks, 2), int)
    for name in ("pppm", *OURS):
        per_run = found.get(f"{name}-yes", nothing) - found.get(f"{name}-no", nothing)
        model = expected(name, mesh, grid, (18.6,) * 3)
        assert ranks == 1 or model.any()
        assert (per_run == STEPS * model).all(), (name, per_run.tolist(), (STEPS * model).tolist())


@pytest.mark.most(3)
@pytest.mark.parametrize("ranks, points, order, diff", [
    (2, (12, 15, 16), 5, "ik"), (3, (20, 12, 18), 4, "ad"), (4, (16, 16, 16), 5, "ad"),
    (6, (9, 12, 15), 5, "ik"), (1, (12, 15, 16), 5, "ik"), (8, (12, 15, 6), 7, "ik")])
def test_counts_are_those_of_the_model(installation, counter, tmp_path, ranks, points, order, diff):
    check(installation, counter, tmp_path, ranks, points, order, diff)


@pytest.mark.parametrize("walls, points, order, diff", [
    (((0.0, 0.3, 1.0), (0.0, 0.45, 0.6, 1.0), (0.0, 1.0)), (12, 15, 16), 5, "ik"),
    (((0.0, 0.55, 1.0), (0.0, 1.0), (0.0, 0.2, 0.5, 1.0)), (16, 9, 12), 4, "ad")])
def test_counts_with_uneven_walls_are_those_of_the_model(installation, counter, tmp_path, walls, points, order, diff):
    check(installation, counter, tmp_path, 6, points, order, diff, walls)


@pytest.mark.long
@pytest.mark.parametrize("ranks, points, order, diff", [(12, (12, 15, 16), 5, "ik"), (27, (15, 15, 12), 5, "ad"),
                                                        (64, (20, 18, 16), 5, "ik")])
def test_counts_of_many_ranks_are_those_of_the_model(installation, counter, tmp_path, ranks, points, order, diff):
    check(installation, counter, tmp_path, ranks, points, order, diff)
