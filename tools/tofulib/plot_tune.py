# SPDX-License-Identifier: GPL-2.0-only
"""Draw a result of tune."""

import statistics

import matplotlib.pyplot as plt

#: Colors that color-blind readers can tell apart (Okabe and Ito).
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#666666"


def draw(result, picture):
    """Draw a row for each configuration, the fastest at the top, with median and range."""
    rows = sorted(result["times"], key=lambda row: statistics.median(row["us a step"]))
    figure, panel = plt.subplots(figsize=(8, 1.4 + 0.3 * len(rows)), layout="constrained")
    for number, row in enumerate(rows):
        times = row["us a step"]
        middle = statistics.median(times)
        panel.barh(number, middle, height=0.6, color=BLUE if row["side"] == "TOFU" else GREY)
        panel.plot([min(times), max(times)], [number, number], color=ORANGE, linewidth=2.2, solid_capstyle="round")
        panel.annotate(f"{middle:.1f}", (max(times), number), xytext=(5, 0), textcoords="offset points", va="center",
                       fontsize=7)
    panel.set_yticks(range(len(rows)), [row["name"] for row in rows], fontsize=8)
    panel.set_ylim(len(rows) - 0.4, -0.6)
    panel.set_xlabel("us a step (blue: TOFU, gray: LAMMPS as it is)")
    panel.spines[["top", "right"]].set_visible(False)
    about = result["about"]
    panel.set_title(f"{about['input']}: {about['atoms']} atoms, {about['cores']} cores, {about['processor']}",
                    fontsize=10)
    figure.savefig(picture, dpi=140)
