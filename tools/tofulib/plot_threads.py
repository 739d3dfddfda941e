# SPDX-License-Identifier: GPL-2.0-only
"""Draw a result of bench --threads. Runs in the virtual environment: python -m tofulib.plot_threads DATA.json
PICTURE.png"""

import json
import sys

import matplotlib.pyplot as plt

from .plot import BLUE, GREY, ORANGE


def draw(result, picture):
    """Draw one row for each case: how many times faster, median and range."""
    cases = result["cases"]
    figure, panel = plt.subplots(figsize=(8, 1.4 + 0.55 * len(cases)), layout="constrained")
    for row, case in enumerate(cases.values()):
        speedup, summary = case["summary"]["speedup"], case["summary"]
        panel.barh(row, speedup["median"], height=0.55, color=BLUE)
        panel.plot([speedup["min"], speedup["max"]], [row, row], color=ORANGE, linewidth=2.5, solid_capstyle="round")
        panel.annotate(f"{speedup['median']:.2f}   ({summary['ours'].split()[1]} against {summary['stock']})",
                       (max(speedup["median"], speedup["max"]), row), xytext=(6, 0), textcoords="offset points",
                       va="center", fontsize=8)
    panel.axvline(1.0, color=GREY, linewidth=1.2, linestyle="--")
    panel.set_yticks(range(len(cases)), [f"{name}, {case['atoms']:,} atoms" for name, case in cases.items()])
    panel.set_ylim(len(cases) - 0.4, -0.6)
    panel.set_xlim(0, 1.45 * max(case["summary"]["speedup"]["max"] for case in cases.values()))
    panel.set_xlabel("times faster than the fastest of LAMMPS' own packages (none, opt, omp, intel); median and range",
                     fontsize=9)
    panel.tick_params(axis="y", length=0)
    panel.spines[["top", "right"]].set_visible(False)
    about = result["about"]
    figure.suptitle(f"Suffix /threadpool with p2p_rdma on {about['ranks']} cores, {about['pairs']} interleaved rounds, "
                    f"LAMMPS {about['lammps']}, {about['processor']}", fontsize=10)
    figure.savefig(picture, dpi=160)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        draw(json.load(file), sys.argv[2])
