# SPDX-License-Identifier: GPL-2.0-only
"""Draw the curves of doc/scale.md."""

import matplotlib.pyplot as plt

from . import paper_dplr
from .curves import MACHINES

COLORS = {"fugaku": "#D55E00", "hdr": "#0072B2", "slingshot11": "#009E73"}


WAYS = {"none": "equal walls", "shift": "balance shift", "ring": "ring_balance", "ring of nodes": "level node",
        "shift and ring": "shift and ring"}


def draw(found, picture):
    """A panel for each system, a color for each machine; DPLR has the paper's program on Fugaku alone."""
    titles = {"lj": "LJ, 4.2 million atoms", "eam": "EAM, 3.5 million atoms", "rhodo": "rhodo, 55 million atoms",
              "spce": "SPC/E water, 41 million atoms"}
    figure, panels = plt.subplots(2, 4, figsize=(15, 6.4), layout="constrained")
    panels = panels.flatten()
    for panel, (system, title) in zip(panels, titles.items()):
        for name in MACHINES:
            rows = found.get(name, {}).get(system, [])
            nodes = [row["nodes"] for row in rows]
            panel.loglog(nodes, [row["stock"]["step"] for row in rows], "o--", color=COLORS[name], markersize=3,
                         alpha=0.6)
            panel.loglog(nodes, [row["best"]["step"] for row in rows], "o-", color=COLORS[name], markersize=3,
                         label=name)
        finish(panel, title)
    draw_dplr(panels[4])
    for system, marker in zip(titles, "o^sD"):
        rows = found.get("slingshot11", {}).get(system, [])
        panels[5].semilogx([row["nodes"] for row in rows], [row["speed-up"] for row in rows], marker + "-",
                           markersize=3, label=system)
    finish(panels[5], "speed-up, slingshot11", "stock / TOFU")
    draw_threads(panels[6], found)
    draw_droplet(panels[7], found)
    figure.suptitle("Predicted, not measured; dashed stock, full TOFU's best setting", fontsize=10)
    figure.savefig(picture, dpi=100)


def finish(panel, title, unit="us a step"):
    """Title, legend, axes."""
    panel.set_title(title, fontsize=9, loc="left")
    panel.set_xlabel("nodes", fontsize=8)
    panel.set_ylabel(unit, fontsize=8)
    panel.grid(color="#dddddd", linewidth=0.6)
    panel.tick_params(labelsize=8)
    panel.legend(fontsize=7, frameon=False)


def draw_dplr(panel):
    """The paper's program, and its two printed speeds."""
    nodes = sorted(paper_dplr.NODES)
    panel.semilogx(nodes, [paper_dplr.step(n) for n in nodes], "o-", color=COLORS["fugaku"], markersize=3,
                   label="fugaku, model")
    panel.semilogx([12, 8400], [1e6 * 86400.0 * 1e-6 / speed for speed in (51.0, 32.5)], "kx", label="paper")
    panel.set_ylim(0.0, 3000.0)
    finish(panel, "DPLR water, 47 atoms a node (the paper's program)")


def draw_threads(panel, found):
    """Steps of the ways to divide a node, relative to the best one, of TOFU with EAM."""
    for name, line in (("fugaku", "-"), ("hdr", "--")):
        for ranks, threads in MACHINES[name]:
            points = []
            for row in found.get(name, {}).get("eam", []):
                steps = [one["step"] for one in row["all"] if one["comm"] != "brick" and one["ranks"] == ranks]
                if steps:
                    points.append((row["nodes"], min(steps) / row["best"]["step"]))
            if points:
                panel.semilogx(*zip(*points), "o" + line, markersize=3, label=f"{name}, {ranks} x {threads}")
    finish(panel, "EAM, TOFU, ranks x threads of a node", "step / step of the best way")


def draw_droplet(panel, found):
    """The droplet with the ways to balance."""
    rows = found.get("hdr", {}).get("droplet eam 48 x 1", [])
    for way, label in WAYS.items():
        panel.loglog([row["nodes"] for row in rows], [row[way]["step"] for row in rows], "o-", markersize=3,
                     label=label)
    finish(panel, "EAM droplet, 400,000 atoms, hdr, 48 x 1, TOFU")
