# SPDX-License-Identifier: GPL-2.0-only
"""Run a droplet with fix ring/balance and draw which rank computes which atom; bench --balance --picture."""

import random

from . import balance_cases, bench, cache, trial, venv
from .balance_cases import RING, Case

#: One layer of ranks, so that all of them show in a slice.
GRID = (1, 2, 4)
DROPLET = Case("drop", "lj", 200, 8, balance_cases.EVERY, False)

DUMP = """\
dump ranks all custom {steps} {dump} id x y z proc f_ring
dump_modify ranks sort id
run {steps}
"""


def make(lammps, picture):
    """Run the droplet and draw the picture.

    Returns:
        The exit status of the command.
    """
    data = cache.folder("bench") / "balance.picture.json"
    cache.write_json(data, {"about": {"lammps": lammps.source.release}, "grid": GRID, **simulate(lammps)})
    bench.plot(venv.python(), data, picture, "tofulib.plot_balance_picture")
    print(f"Picture: {picture}")
    return 0


def simulate(lammps):
    """Owner and computing rank of every atom of the droplet.

    Returns:
        "box", lower and upper bounds [distance], and "atoms", by ID: x, y, z, the rank that owns it, the rank that
        computes it.
    """
    folder = cache.folder("bench")
    label = f"balance.picture.{random.getrandbits(32):x}"
    script, logfile, dump = (folder / f"{kind}.{label}" for kind in ("in", "log", "dump"))
    way = balance_cases.Way("picture", balance_cases.OURS, f"processors {' '.join(map(str, GRID))}", RING)
    text = balance_cases.script_of(DROPLET, balance_cases.liquid_data(DROPLET, lammps)) + DUMP.format(
        steps=DROPLET.steps, dump=dump)
    script.write_text(balance_cases.fill(text, way), encoding="utf-8")
    trial.runs_of(lammps, script, logfile, DROPLET.ranks, next(iter(balance_cases.packages(way).values())))
    last = last_snapshot(dump.read_text(encoding="utf-8"))
    for file in (script, logfile, dump):
        file.unlink()
    return last


def last_snapshot(text):
    """Bounds and atoms of the last snapshot of a dump in an orthogonal box."""
    lines = text[text.rindex("ITEM: TIMESTEP"):].splitlines()
    bounds = lines.index(next(line for line in lines if line.startswith("ITEM: BOX BOUNDS"))) + 1
    atoms = lines.index(next(line for line in lines if line.startswith("ITEM: ATOMS"))) + 1
    return {"box": [[float(word) for word in line.split()] for line in lines[bounds:bounds + 3]],
            "atoms": [[*map(float, line.split()[1:4]), *(round(float(word)) for word in line.split()[4:6])]
                      for line in lines[atoms:]]}
