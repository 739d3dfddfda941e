# SPDX-License-Identifier: GPL-2.0-only
"""Draw a result of bench --threads: a step before and after."""

import matplotlib.pyplot as plt

#: Colors that color-blind readers can tell apart (Okabe and Ito), the strongest for the section that TOFU changes.
SECTIONS = {"Pair": "#56B4E9", "Neigh": "#009E73", "Comm": "#D55E00", "Bond": "#0072B2", "Kspace": "#CC79A7",
            "Modify": "#F0E442", "Other": "#999999"}


def draw(result, picture):
    """Draw two stacked bars for each case, the fastest stock package above TOFU; the length is the time of a step
    relative to that of the stock package."""
    cases = result["cases"]
    figure, panel = plt.subplots(figsize=(9, 1.3 + 0.62 * len(cases)), layout="constrained")
    for row, case in enumerate(cases.values()):
        draw_case(panel, row, case["summary"])
    panel.set_yticks(range(len(cases)), [f"{name}\n{case['atoms']:,} atoms" for name, case in cases.items()],
                     fontsize=8)
    panel.set_ylim(len(cases) - 0.4, -0.6)
    panel.set_xlim(0, 1.16)
    panel.set_xlabel("time of a step, relative to LAMMPS' fastest package", fontsize=9)
    panel.tick_params(axis="y", length=0)
    panel.spines[["top", "right", "left"]].set_visible(False)
    used = {name for case in cases.values() for name in case["summary"]["sections"]}
    handles = [plt.Rectangle((0, 0), 1, 1, color=color, label=name) for name, color in SECTIONS.items()
               if name in used]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), fontsize=9, frameon=False)
    about = result["about"]
    figure.suptitle(f"A step with LAMMPS' fastest package (above) and with TOFU (below): {about['ranks']} cores, "
                    f"LAMMPS {about['lammps']}, {about['processor']}", fontsize=10)
    figure.savefig(picture, dpi=140)


def draw_case(panel, row, summary):
    """Draw the two bars of a case."""
    sections = summary["sections"]
    whole = sum(stock for stock, _ in sections.values())
    for side, height in ((0, row - 0.19), (1, row + 0.19)):
        left = 0.0
        for name, color in SECTIONS.items():
            width = max(0.0, sections.get(name, (0.0, 0.0))[side]) / whole
            panel.barh(height, width, left=left, height=0.34, color=color, edgecolor="white", linewidth=0.4)
            left += width
        if side:
            text = f"{summary['speedup']['median']:.2f} times faster"
            panel.annotate(text, (left, height), xytext=(5, 0), textcoords="offset points", va="center", fontsize=8)
        else:
            panel.annotate(summary["stock"].replace("x", " × "), (left, height), xytext=(5, 0),
                           textcoords="offset points", va="center", fontsize=7, color="#666666")
