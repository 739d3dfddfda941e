# SPDX-License-Identifier: GPL-2.0-only
"""Draw a forecast."""

import matplotlib.pyplot as plt

COLORS = {"Pair": "#56B4E9", "Bond": "#CC79A7", "Kspace": "#882255", "Neigh": "#009E73",
           "Comm": "#D55E00", "Output": "#0072B2", "Modify": "#F0E442", "Other": "#999999"}


def draw(result, picture):
    """A row for each system: time per step and speed-up over nodes, and sections of both sides."""
    forecasts = result["forecasts"]
    figure, panels = plt.subplots(len(forecasts), 2, figsize=(10, 0.8 + 3.6 * len(forecasts)), layout="constrained",
                                  squeeze=False)
    for (left, right), forecast in zip(panels, forecasts):
        lines = [line for line in forecast["table"] if line["results"]]
        draw_times(left, lines, forecast["load"])
        draw_sections(right, lines)
    handles = [plt.Rectangle((0, 0), 1, 1, color=color, label=section) for section, color in COLORS.items()
               if any(one["sections"][section] > 0.0 for forecast in forecasts for line in forecast["table"]
                      for one in line["results"])]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9, frameon=False)
    figure.suptitle(f"Predicted, not measured: {result['machine']['name']}", fontsize=10)
    figure.savefig(picture, dpi=160)


def draw_times(panel, lines, load):
    """Time per step of both sides, and the speed-up as numbers."""
    nodes = [line["nodes"] for line in lines]
    for side, style in (("stock", "o--"), ("best", "o-")):
        steps = [line["results"][line[side]]["step"] for line in lines]
        panel.loglog(nodes, steps, style, color="#999999" if side == "stock" else "#D55E00",
                     label="stock" if side == "stock" else "TOFU, best setting")
    for line in lines:
        panel.annotate(f"{line['speed-up']:.2f}", (line["nodes"], line["results"][line["best"]]["step"]),
                       xytext=(0, -12), textcoords="offset points", ha="center", fontsize=8)
    panel.margins(y=0.12)
    panel.set_xlabel("nodes")
    panel.set_ylabel("time per step, us")
    panel.set_title(load["name"], fontsize=10, loc="left")
    panel.grid(color="#dddddd", linewidth=0.6)
    panel.legend(fontsize=8, frameon=False)


def draw_sections(panel, lines):
    """Shares of the step: left bar stock, right bar TOFU."""
    for place, line in enumerate(lines):
        for shift, side in ((-0.2, "stock"), (0.2, "best")):
            one = line["results"][line[side]]
            whole, bottom = line["results"][line["stock"]]["step"], 0.0
            for section, color in COLORS.items():
                height = one["sections"][section] / whole
                panel.bar(place + shift, height, bottom=bottom, width=0.36, color=color, edgecolor="white",
                          linewidth=0.4)
                bottom += height
    panel.set_xticks(range(len(lines)), [f"{line['nodes']:,}" for line in lines])
    panel.set_xlabel("nodes; left stock, right TOFU")
    panel.set_ylabel("part of the stock step")
