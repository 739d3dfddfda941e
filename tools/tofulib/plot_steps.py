# SPDX-License-Identifier: GPL-2.0-only
"""Draw a result of bench --steps."""

import matplotlib.pyplot as plt

#: Colors that color-blind readers can tell apart (Okabe and Ito), the strongest for the section that TOFU changes.
COLORS = {"Pair": "#56B4E9", "Neigh": "#009E73", "Comm": "#D55E00", "Modify": "#F0E442", "Other": "#999999"}
#: State of the machine that is drawn: the first that was seen.
PREFERENCE = ("two cores", "one core", "all")


def draw(result, picture):
    """Draw one panel for each system, one stacked bar for each variant."""
    cases, variants = result["cases"], result["variants"]
    figure, panels = plt.subplots(1, len(cases), figsize=(0.8 + 3.2 * len(cases), 4.6), layout="constrained",
                                  squeeze=False)
    for panel, (name, case) in zip(panels[0], cases.items()):
        draw_panel(panel, name, case, variants)
    panels[0][0].set_ylabel("time per step, us; medians")
    handles = [plt.Rectangle((0, 0), 1, 1, color=color, label=section) for section, color in COLORS.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9, frameon=False)
    figure.suptitle(title(result["about"]), fontsize=10)
    figure.savefig(picture, dpi=160)


def draw_panel(panel, name, case, variants):
    """Draw the bars of one system. Above each bar is its time relative to the first, and below that the time of its
    Comm section."""
    state = next(state for state in PREFERENCE if state in case["summary"])
    group = case["summary"][state]
    for place, one in enumerate(group["variants"].values()):
        bottom = 0.0
        for section, color in COLORS.items():
            height = max(0.0, one["sections"][section])
            panel.bar(place, height, bottom=bottom, width=0.7, color=color, edgecolor="white", linewidth=0.5)
            bottom += height
        panel.annotate(f"{one['loop ratio']['median']:.2f}\n({one['comm ratio']['median']:.2f})", (place, bottom),
                       xytext=(0, 3),
                       textcoords="offset points", ha="center", fontsize=8)
    panel.set_xticks(range(len(group["variants"])), [variants[variant]["label"] for variant in group["variants"]],
                     rotation=35,
                     ha="right", rotation_mode="anchor", fontsize=8)
    panel.set_title(f"{name}, {case['atoms']:,} atoms; {state}", fontsize=10, fontweight="bold", loc="left")
    panel.margins(y=0.15)
    panel.grid(axis="y", color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(axis="x", length=0)
    panel.spines[["top", "right"]].set_visible(False)


def title(about):
    """Origin of the figures, and meaning of the figures above the bars."""
    path = f"transport {about['transport']}" + (", MPI over TCP" if about["mpi_over_tcp"] else "")
    path += ", each on a host of its own" if about.get("hosts", 1) > 1 else ""
    return (f"From brick step by step: {about['ranks']} ranks, {path}, {about['pairs']} interleaved rounds,\n"
            f"LAMMPS {about['lammps']}, {about['processor']}\n"
            f"above the bars: whole step relative to brick (Comm section relative to brick)")
