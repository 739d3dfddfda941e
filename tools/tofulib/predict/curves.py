# SPDX-License-Identifier: GPL-2.0-only
"""Curves of doc/scale.md: systems of fixed size on more and more nodes of three machines. Runs in the virtual
environment: python -m tofulib.predict.curves DATA.json PICTURE.png"""

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt

from . import figures, paper, paper_dplr, workload
from .forecast import forecast

SYSTEMS = Path(__file__).with_name("systems")
MACHINES = {"fugaku": (4, 12), "hdr": (8, 6), "slingshot11": (8, 6)}    #: ranks of a node, threads of a rank
NODES = (1, 12, 96, 768, 6144, 36864)
#: More ranks take long where there is a mesh.
MOST_RANKS_WITH_A_MESH = 50_000
#: Copies of a measured system along each dimension.
COPIES = {"rhodo": 12, "spce": 24}
STEPS = 25
COLOURS = {"fugaku": "#D55E00", "hdr": "#0072B2", "slingshot11": "#009E73"}


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


def draw(found, picture):
    """A panel for each system, a colour for each machine; DPLR has the paper's program on Fugaku alone."""
    titles = {"lj": "LJ, 4.2 million atoms", "eam": "EAM, 3.5 million atoms", "rhodo": "rhodo, 55 million atoms",
              "spce": "SPC/E water, 41 million atoms"}
    figure, panels = plt.subplots(2, 3, figsize=(12, 6.4), layout="constrained")
    panels = panels.flatten()
    for panel, (system, title) in zip(panels, titles.items()):
        for name in MACHINES:
            rows = found.get(name, {}).get(system, [])
            nodes = [row["nodes"] for row in rows]
            panel.loglog(nodes, [row["stock"]["step"] for row in rows], "o--", color=COLOURS[name], markersize=3,
                         alpha=0.6)
            panel.loglog(nodes, [row["best"]["step"] for row in rows], "o-", color=COLOURS[name], markersize=3,
                         label=name)
        panel.set_title(title, fontsize=9, loc="left")
        panel.legend(fontsize=7, frameon=False)
    nodes = sorted(paper_dplr.NODES)
    panels[4].semilogx(nodes, [paper_dplr.step(n) for n in nodes], "o-", color=COLOURS["fugaku"], markersize=3,
                       label="fugaku, model")
    panels[4].semilogx([12, 8400], [1e6 * 86400.0 * 1e-6 / speed for speed in (51.0, 32.5)], "kx", label="paper")
    panels[4].set_ylim(0.0, 3000.0)
    panels[4].set_title("DPLR water, 47 atoms a node (the paper's program)", fontsize=9, loc="left")
    panels[4].legend(fontsize=7, frameon=False)
    for system, marker in zip(titles, "o^sD"):
        rows = found.get("slingshot11", {}).get(system, [])
        panels[5].semilogx([row["nodes"] for row in rows], [row["speed-up"] for row in rows], marker + "-",
                           markersize=3, label=system)
    panels[5].set_title("speed-up, slingshot11", fontsize=9, loc="left")
    panels[5].legend(fontsize=7, frameon=False)
    for panel in panels:
        panel.set_xlabel("nodes", fontsize=8)
        panel.set_ylabel("us a step" if panel is not panels[5] else "stock / TOFU", fontsize=8)
        panel.grid(color="#dddddd", linewidth=0.6)
        panel.tick_params(labelsize=8)
    figure.suptitle("Predicted, not measured; dashed stock, full TOFU's best setting", fontsize=10)
    figure.savefig(picture, dpi=110)


def main(data, picture, *only):
    """Compute what is not in the file of data yet, for all machines or for some, and draw."""
    found = tables(Path(data), only or tuple(MACHINES))
    if not only:
        draw(found, picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
