# SPDX-License-Identifier: GPL-2.0-only
"""Draw a result of bench --kspace."""

import re

import matplotlib.pyplot as plt

from .plot import BLUE, GREY, ORANGE


def title(name):
    """Name of a case in the picture."""
    found = re.fullmatch(r"fft(\d+)(whole)?x(\d+)", name)
    if found:
        points, whole, ranks = found.groups()
        return f"{points}³ points{'' if whole else ' each'}, {ranks} rank{'s' if ranks != '1' else ''}"
    return re.sub(r"^water(\d+)$", r"water, \1 molecules", name)


def draw(result, picture):
    """Draw transforms in one panel and whole simulations in the other: one row for each case, with median and range of
    the best of pppm/offload."""
    cases = result["cases"]
    groups = {"transforms: Kspace section": [name for name in cases if name.startswith("fft")],
              "simulations: whole step": [name for name in cases if not name.startswith("fft")]}
    groups = {label: names for label, names in groups.items() if names}
    rows = max(map(len, groups.values()))
    figure, panels = plt.subplots(1, len(groups), figsize=(7 * len(groups), 1.6 + 0.34 * rows), layout="constrained",
                                  squeeze=False)
    for panel, (label, names) in zip(panels[0], groups.items()):
        draw_panel(panel, {name: cases[name] for name in names})
        panel.set_title(label, fontsize=10)
    about = result["about"]
    figure.suptitle(
        f"pppm/offload: times faster than pppm of the fastest stock package, {about['ranks']} cores, {about['pairs']} "
        f"interleaved rounds, "
                    f"LAMMPS {about['lammps']}, {about['processor']}", fontsize=10)
    figure.savefig(picture, dpi=140)


def draw_panel(panel, cases):
    """Draw the bars of one group of cases."""
    largest = 1.0
    for row, case in enumerate(cases.values()):
        summary = case["summary"]
        speedup = summary["ways"][summary["ours"]][case["quantity"]]
        panel.barh(row, speedup["median"], height=0.6, color=BLUE)
        panel.plot([speedup["min"], speedup["max"]], [row, row], color=ORANGE, linewidth=2.2, solid_capstyle="round")
        panel.annotate(f"{speedup['median']:.2f}  {summary['ours']}, {case['quantity']}", (speedup["max"], row),
                       xytext=(5, 0), textcoords="offset points",
                       va="center", fontsize=7)
        largest = max(largest, speedup["max"])
    panel.axvline(1.0, color=GREY, linewidth=1.2, linestyle="--")
    panel.set_yticks(range(len(cases)), [title(name) for name in cases], fontsize=8)
    panel.set_ylim(len(cases) - 0.4, -0.6)
    panel.set_xlim(0, 1.5 * largest)
    panel.tick_params(axis="y", length=0)
    panel.spines[["top", "right"]].set_visible(False)
