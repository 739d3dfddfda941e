# SPDX-License-Identifier: GPL-2.0-only
"""Draw a bench result."""

import matplotlib.pyplot as plt

#: Colors that color-blind readers can tell apart (Okabe and Ito).
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#666666"
#: State of the machine: marker, filled or not.
STATES = {"two cores": ("o", True), "one core": ("s", False)}
PANELS = (("comm ratio", "Comm section", BLUE), ("loop ratio", "Whole step", ORANGE))


def draw(result, picture):
    """Draw one row for each case, one panel for each quantity, one marker for each state of the machine."""
    cases = result["cases"]
    figure, panels = plt.subplots(1, 2, sharey=True, figsize=(9, 1.6 + 0.75 * len(cases)), layout="constrained")
    for panel, (quantity, title, color) in zip(panels, PANELS):
        draw_panel(panel, cases, quantity, color)
        panel.set_title(title, fontsize=11, fontweight="bold", loc="left", color=color)
        panel.set_xlabel("time p2p_rdma / brick; median and range", fontsize=9)
    panels[0].set_yticks(range(len(cases)), [f"{name}\n{case['atoms']:,} atoms" for name, case in cases.items()])
    panels[0].set_ylim(len(cases) - 0.5, -0.5)
    add_legend(figure, cases)
    about = result["about"]
    figure.suptitle(
        f"comm_style p2p/rdma relative to brick: {about['ranks']} ranks, {about['pairs']} interleaved pairs, "
                    f"LAMMPS {about['lammps']}, {about['processor']}", fontsize=11)
    figure.savefig(picture, dpi=160)


def draw_panel(panel, cases, quantity, color):
    """Draw medians with ranges of one quantity. All medians are in the picture; a range may extend beyond it."""
    widest = 1.1
    for row, case in enumerate(cases.values()):
        states = shown_states(case)
        for number, state in enumerate(states):
            ratio = case["summary"][state][quantity]
            marker, filled = STATES.get(state, ("D", True))
            height = row + 0.3 * (number - (len(states) - 1) / 2)
            panel.plot([ratio["min"], ratio["max"]], [height, height], color=color, linewidth=2.5, alpha=0.4,
                       solid_capstyle="round")
            panel.plot(ratio["median"], height, marker, color=color, markersize=7, markerfacecolor=color if filled
                       else "white",
                       markeredgewidth=1.8)
            panel.annotate(f"{ratio['median']:.2f}", (ratio["median"], height), xytext=(0, 7),
                           textcoords="offset points",
                           ha="center", fontsize=8)
            widest = max(widest, ratio["median"])
    panel.axvline(1.0, color=GREY, linewidth=1.2, linestyle="--")
    panel.set_xlim(0, 1.15 * widest)
    panel.grid(axis="x", color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.tick_params(axis="y", length=0)
    panel.spines[["top", "right", "left"]].set_visible(False)


def shown_states(case):
    """The states that were seen, or all pairs together if no state was stable."""
    return [state for state in STATES if state in case["summary"]] or ["all"]


def add_legend(figure, cases):
    """Explain the markers if there are two kinds."""
    seen = [state for state in STATES if any(state in shown_states(case) for case in cases.values())]
    handles = [plt.Line2D([], [], linestyle="none", marker=STATES[state][0], color=GREY, markeredgewidth=1.8,
                          markerfacecolor=GREY if STATES[state][1] else "white", label=f"processors on {state}")
                          for state in seen]
    if len(handles) > 1:
        figure.legend(handles=handles, loc="outside lower center", ncols=2, fontsize=8, frameon=False)
