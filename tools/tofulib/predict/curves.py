# SPDX-License-Identifier: GPL-2.0-only
"""Curves of doc/scale.md: systems of fixed size on more and more nodes of three machines. Runs in the virtual
environment: python -m tofulib.predict.curves DATA.json [MACHINE ...]; plot_curves.py draws them."""

import json
import sys
from pathlib import Path

from . import figures, paper, workload
from .forecast import forecast

SYSTEMS = Path(__file__).with_name("systems")
MACHINES = {"fugaku": (4, 12), "hdr": (8, 6), "slingshot11": (8, 6)}    #: ranks of a node, threads of a rank
NODES = (1, 12, 96, 768, 6144, 36864)
#: More ranks take long where there is a mesh.
MOST_RANKS_WITH_A_MESH = 50_000
#: Copies of a measured system along each dimension.
COPIES = {"rhodo": 12, "spce": 24}
STEPS = 25


def enlarged(load, copies):
    """A system of copies of another one."""
    mesh = {**load.mesh, "points": [points * copies for points in load.mesh["points"]]}
    return load._replace(atoms=load.atoms * copies**3, box=tuple(length * copies for length in load.box), mesh=mesh)


def systems(machine):
    """All systems by name."""
    found = {name: paper.system(name, machine, nodes=paper.NODES[paper.STRONG]) for name in ("lj", "eam")}
    for name, copies in COPIES.items():
        load, _ = workload.read(SYSTEMS / f"{name}.json")
        found[name] = enlarged(load, copies)
    return found


def tables(data, only):
    """Add forecasts to a file of them: machine -> system -> a row for each number of nodes."""
    found = json.loads(data.read_text(encoding="utf-8")) if data.exists() else {}
    for name in only:
        ranks, threads = MACHINES[name]
        machine = figures.read(name)
        found.setdefault(name, {})
        for system, load in systems(machine).items():
            if system in found[name]:
                continue
            nodes = [n for n in NODES if not load.mesh or n * ranks < MOST_RANKS_WITH_A_MESH]
            table = forecast(load, machine, nodes, [ranks], threads, [1] if load.mesh else [1, 6], STEPS, 1)
            found[name][system] = [short(line) for line in table if line["results"]]
            print(name, system, *(f"{row['nodes']}: {row['speed-up']:.2f}" for row in found[name][system]), flush=True)
            data.write_text(json.dumps(found), encoding="utf-8")
    return found


def short(line):
    """What is drawn and written of one number of nodes."""
    stock, best = line["results"][line["stock"]], line["results"][line["best"]]
    of = ("name", "step", "sections", "parts", "sides", "atoms", "fft")
    return {"nodes": line["nodes"], "speed-up": line["speed-up"],
            **{side: {key: one[key] for key in of} for side, one in (("stock", stock), ("best", best))},
            "all": {f"{one['name']} {one['fft']}".strip(): one["step"] for one in line["results"]}}


def main(data, *only):
    """Compute what is not in the file of data yet, for all machines or for some."""
    tables(Path(data), only or tuple(MACHINES))


if __name__ == "__main__":
    main(*sys.argv[1:])
