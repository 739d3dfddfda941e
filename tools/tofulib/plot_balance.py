# SPDX-License-Identifier: GPL-2.0-only
"""Draw a result of bench --balance."""

import re

import matplotlib.pyplot as plt

from .plot import GREY

#: Color (Okabe and Ito, the strongest for the ring), marker and label of each way.
WAYS = {"stock none": ("#999999", "s", "LAMMPS, none"), "stock shift": ("#E69F00", "^", "LAMMPS, fix balance shift"),
        "stock rcb": ("#009E73", "v", "LAMMPS, fix balance rcb"), "p2p none": ("#56B4E9", "s", "TOFU, none"),
        "p2p shift": ("#0072B2", "^", "TOFU, fix balance shift"),
        "p2p ring": ("#D55E00", "o", "TOFU, fix ring/balance"),
        "p2p node": ("#CC79A7", "D", "TOFU, fix ring/balance level node")}
#: Goal: largest number of atoms that a rank computes, divided by the average.
GOAL = 1.05


def title(name):
    """Name of a case in the picture."""
    shape, potential, size, ranks = re.fullmatch(r"(\w+)\.(\w+)\.(\d+)(?:x(\d+))?", name).groups()
    where = f", {ranks} ranks" if ranks else ""
    return f"{potential.upper()} {dict(drop='droplet').get(shape, shape)}, {int(size):,} a rank{where}"


def draw(result, picture):
    """Draw times in one panel and counted atoms in the other: one row for each case, a mark for each way."""
    parts = [(part, result[part]) for part in ("timed", "counted") if result[part]]
    rows = max(len(cases) for _, cases in parts)
    figure, panels = plt.subplots(1, len(parts), figsize=(6.4 * len(parts), 2.2 + 0.27 * rows), layout="constrained",
                                  squeeze=False)
    for panel, (part, cases) in zip(panels[0], parts):
        {"timed": draw_times, "counted": draw_counts}[part](panel, cases)
        finish(panel, cases)
    handles = [plt.Line2D([], [], color=color, marker=marker, linestyle="", label=label) for color, marker,
               label in WAYS.values()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, fontsize=8, frameon=False)
    about = result["about"]
    figure.suptitle(
        f"Uneven systems: {about['pairs']} interleaved rounds, LAMMPS {about['lammps']}, {about['processor']}",
        fontsize=10)
    figure.savefig(picture, dpi=140)


def draw_times(panel, cases):
    """Draw how many times faster each way is than the fastest of LAMMPS' ways, median and range. A line in each row
    marks TOFU without balancing, times the max/average of its atoms."""
    for row, case in enumerate(cases.values()):
        ways = case["summary"]["ways"]
        for name, way in ways.items():
            draw_mark(panel, name, row, way["faster"]["median"], (way["faster"]["min"], way["faster"]["max"]))
        ideal = ways["p2p none"]["faster"]["median"] * ways["p2p none"]["ideal"]
        panel.plot([ideal, ideal], [row - 0.35, row + 0.35], color="black", linewidth=1.2)
    panel.axvline(1.0, color=GREY, linewidth=1.2, linestyle="--")
    panel.set_xlim(left=0)
    panel.set_xlabel(
        "times faster than the fastest of LAMMPS' ways; median and range.\n"
        "Black: TOFU, none, times max/average of its atoms", fontsize=8)
    panel.set_title("step time, 2 ranks on 2 cores", fontsize=10)


def draw_counts(panel, cases):
    """Draw the largest number of atoms that a rank computes, divided by the average."""
    for row, case in enumerate(cases.values()):
        for name, way in case["ways"].items():
            draw_mark(panel, name, row, way["imbalance"])
    panel.axvline(GOAL, color=GREY, linewidth=1.2, linestyle="--")
    panel.set_xlim(left=0.9)
    panel.set_xlabel(f"atoms that a rank computes, max/average; the line is at {GOAL}", fontsize=8)
    panel.set_title("computed atoms", fontsize=10)


def draw_mark(panel, name, row, value, span=None):
    """Draw one way of one case."""
    color, marker, _ = WAYS[name]
    if span:
        panel.plot(span, [row, row], color=color, linewidth=1.5, alpha=0.5)
    panel.plot([value], [row], color=color, marker=marker, markersize=5, linestyle="")


def finish(panel, cases):
    """Set up the common parts of both panels."""
    panel.set_yticks(range(len(cases)), map(title, cases), fontsize=8)
    panel.set_ylim(len(cases) - 0.4, -0.6)
    panel.grid(axis="y", color="#eeeeee", linewidth=0.6)
    panel.tick_params(axis="y", length=0)
    panel.spines[["top", "right"]].set_visible(False)
