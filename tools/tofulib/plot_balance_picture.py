# SPDX-License-Identifier: GPL-2.0-only
"""Draw which rank owns and which rank computes each atom of a droplet."""

import collections
import statistics

import matplotlib.pyplot as plt

#: Half of the thickness of the slice that is drawn, as part of the box.
SLICE = 0.12


def draw(data, picture):
    """Draw a slice through the droplet, colored by owner and by computing rank. The numbers are the atoms of each rank
    in the whole droplet."""
    figure, panels = plt.subplots(1, 2, figsize=(11, 6.2), layout="constrained")
    draw_panel(panels[0], data, 3, "before: every rank computes the atoms that it owns")
    draw_panel(panels[1], data, 4, "after: with fix ring/balance, arrows: atoms handed over")
    draw_arrows(panels[1], data)
    figure.savefig(picture, dpi=100)


def draw_panel(panel, data, column, title):
    """Draw one slice, with the sub-box and the number of atoms of each rank."""
    box, grid, atoms = data["box"], data["grid"], data["atoms"]
    middle = statistics.median(atom[0] for atom in atoms)
    near = sorted(atom for atom in atoms if abs(atom[0] - middle) < SLICE * (box[0][1] - box[0][0]))
    panel.scatter([atom[2] for atom in near], [atom[1] for atom in near], c=[atom[column] for atom in near],
                  cmap="tab20", vmin=0, vmax=20,
                  s=70, edgecolors="white", linewidths=0.5)
    counts = collections.Counter(atom[column] for atom in atoms)
    ranks = grid[0] * grid[1] * grid[2]
    for rank in range(ranks):
        z, y = middle_of(rank, data)
        panel.annotate(str(counts[rank]), (z, y + 0.36 * edge(data, 1)), ha="center", va="center", fontsize=10,
                       fontweight="bold",
                       bbox={"boxstyle": "round", "facecolor": "white", "edgecolor": "none", "alpha": 0.8})
    for axis, line in ((1, panel.axhline), (2, panel.axvline)):
        for cut in range(grid[axis] + 1):
            line(box[axis][0] + cut * edge(data, axis), color="black", linewidth=0.8)
    panel.set_title(f"{title}\nmax/average {max(counts.values()) * ranks / len(atoms):.2f}", fontsize=10)
    panel.set_xlim(box[2])
    panel.set_ylim(box[1])
    panel.set_aspect("equal")
    panel.axis("off")


def draw_arrows(panel, data):
    """Draw an arrow from every rank that hands over atoms to each of its receivers."""
    for owner, computer in sorted({(atom[3], atom[4]) for atom in data["atoms"] if atom[3] != atom[4]}):
        panel.annotate("", middle_of(computer, data), middle_of(owner, data),
                       arrowprops={"arrowstyle": "-|>", "linewidth": 2.2, "color": "black"})


def middle_of(rank, data):
    """Middle of a sub-box, along z and y; LAMMPS numbers ranks with z the fastest."""
    _, ny, nz = data["grid"]
    return tuple(data["box"][axis][0] + (cell + 0.5) * edge(data, axis)
                 for axis, cell in ((2, rank % nz), (1, rank // nz % ny)))


def edge(data, axis):
    """Edge of a sub-box."""
    low, high = data["box"][axis]
    return (high - low) / data["grid"][axis]
