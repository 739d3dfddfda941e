# SPDX-License-Identifier: GPL-2.0-only
"""Draw the curves of doc/scale.md. Runs in the virtual environment:
python -m tofulib.predict.plot_curves DATA.json PICTURE.png"""

import json
import sys

import matplotlib.pyplot as plt

from . import paper_dplr
from .curves import MACHINES

COLOURS = {"fugaku": "#D55E00", "hdr": "#0072B2", "slingshot11": "#009E73"}


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


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        draw(json.load(file), sys.argv[2])
