# SPDX-License-Identifier: GPL-2.0-only
"""Draw a result of bench --scaling: a step and the efficiency over the number of cores."""

import matplotlib.pyplot as plt

COLORS = {"stock": "#999999", "TOFU": "#D55E00"}
LABELS = {"stock": "LAMMPS' fastest package", "TOFU": "TOFU"}


def draw(result, picture):
    """Draw a row of panels for each case: steps and efficiencies, strong and weak; what predict expects is dashed."""
    cases = result["cases"]
    figure, panels = plt.subplots(len(cases), 4, figsize=(14, 0.9 + 2.9 * len(cases)), layout="constrained",
                                  squeeze=False)
    for line, (name, modes) in zip(panels, cases.items()):
        for column, (mode, found) in enumerate(modes.items()):
            draw_mode(line[2 * column:2 * column + 2], f"{name}, {mode} scaling", found["rows"])
    handles, labels = panels[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(handles), fontsize=9, frameon=False)
    about = result["about"]
    figure.suptitle(f"1 to {about['ranks']} cores of {about['processor']}, LAMMPS {about['lammps']}: medians and "
                    f"ranges of {about['pairs']} rounds", fontsize=10)
    figure.savefig(picture, dpi=140)


def draw_mode(panels, title, rows):
    """Draw times into the left panel and efficiencies into the right one."""
    cores = [row["cores"] for row in rows]
    for side, color in COLORS.items():
        for panel, quantity, scale in zip(panels, ("time", "efficiency"), (1.0, 100.0)):
            middle, low, high = ([scale * row[side][quantity][part] for row in rows]
                                 for part in ("median", "min", "max"))
            panel.errorbar(cores, middle, [[m - l for m, l in zip(middle, low)], [h - m for h, m in zip(high, middle)]],
                           fmt="o-", color=color, label=LABELS[side], markersize=4, capsize=2)
        known = [(row["cores"], row["predicted"][side]) for row in rows if row.get("predicted")]
        if known:
            first, alone = known[0]
            panels[0].plot(*zip(*known), "--", color=color, label=f"{LABELS[side]}, predicted")
            panels[1].plot([n for n, _ in known], [100.0 * first * alone / (n * time) for n, time in known], "--",
                           color=color)
    panels[0].set_yscale("log")
    panels[0].set_ylabel("a step, us")
    panels[0].set_title(title, fontsize=10, loc="left")
    panels[1].set_ylabel("efficiency, %")
    panels[1].set_ylim(bottom=0.0)
    for panel in panels:
        panel.set_xscale("log", base=2)
        panel.set_xticks(cores, [str(n) for n in cores])
        panel.set_xlabel("cores")
        panel.grid(color="#dddddd", linewidth=0.6)
