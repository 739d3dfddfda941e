# SPDX-License-Identifier: GPL-2.0-only
"""Draw the model beside the printed figures of the SC'23 paper. Runs in the virtual environment:
python -m tofulib.predict.plot_paper PICTURE.png"""

import sys

import matplotlib.pyplot as plt

from . import figures, paper
from .plot import COLOURS


def draw(rows, results, picture):
    """Left: sections of table 3. Right: every printed figure, model over paper."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.8), layout="constrained", width_ratios=(1, 1.1))
    draw_table(left, results)
    draw_targets(right, rows)
    figure.savefig(picture, dpi=160)


def draw_table(panel, results):
    """A bar of the paper and a bar of the model for each row of table 3."""
    names = []
    for place, ((system, comm), values) in enumerate(paper.TABLE_3.items()):
        model = results[system, paper.STRONG][0 if comm == "brick" else 1].sections
        printed = dict(zip(paper.TABLE_3_SECTIONS, (value * paper.TABLE_3_UNIT for value in values)))
        for shift, sections in ((-0.2, printed), (0.2, model)):
            bottom = 0.0
            for section in paper.TABLE_3_SECTIONS:
                panel.bar(place + shift, sections[section], bottom=bottom, width=0.36, color=COLOURS[section],
                          edgecolor="white", linewidth=0.5, label=section if not names and shift < 0 else None)
                bottom += sections[section]
        names.append(f"{system.upper()}\n{'stock' if comm == 'brick' else 'p2p'}")
    panel.set_xticks(range(len(names)), names)
    panel.set_ylabel("us per step")
    panel.set_title("36,864 nodes: table 3 (left bars), model (right bars)", fontsize=10, loc="left")
    panel.legend(fontsize=8, frameon=False)


def draw_targets(panel, rows):
    """Model over paper, with the bounds; changes as what remains."""
    for place, (target, found, _) in enumerate(rows):
        if target.quantity == "speed-up":
            ratio, bound = found / target.value, target.bound
        else:
            ratio, bound = (100.0 + found) / (100.0 + target.value), target.bound / (100.0 + target.value)
        panel.errorbar(1.0, place, xerr=bound, color="#bbbbbb", capsize=3, linewidth=5, alpha=0.6)
        panel.plot(ratio, place, "o" if target.held_out else "s", color="#D55E00" if target.held_out else "#0072B2")
    panel.plot([], [], "o", color="#D55E00", label="held out")
    panel.plot([], [], "s", color="#0072B2", label="fitted, or chosen with it in view")
    panel.axvline(1.0, color="black", linewidth=0.6)
    panel.set_yticks(range(len(rows)), [f"{target.system.upper()}: {target.name}" for target, _, _ in rows], fontsize=8)
    panel.invert_yaxis()
    panel.set_xlabel("model / paper; of changes, of what remains; grey: bound")
    panel.legend(fontsize=7, frameon=False, loc="lower right")


if __name__ == "__main__":
    draw(*paper.compare(figures.read("fugaku")), sys.argv[1])
