# SPDX-License-Identifier: GPL-2.0-only
"""Draw latency and bandwidth."""

import matplotlib.pyplot as plt

#: Colors that color-blind readers can tell apart (Okabe and Ito), and markers for prints without colors. The first
#: is for the reference.
LOOKS = (("#666666", "o"), ("#0072B2", "s"), ("#D55E00", "^"), ("#009E73", "D"), ("#CC79A7", "v"), ("#E69F00", "P"),
         ("#56B4E9", "X"),
         ("#000000", "*"))
PANELS = (("latency", "One-way latency", "µs; lower is better"), ("bandwidth", "Bandwidth", "MB/s; higher is better"))


def draw(result, picture):
    """Draw one panel for each quantity, one line for each variant: medians with ranges."""
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    for panel, (quantity, title, unit) in zip(panels, PANELS):
        for number, (name, variant) in enumerate(result["variants"].items()):
            draw_line(panel, name, variant[quantity], *LOOKS[number % len(LOOKS)])
        panel.set_title(f"{title}, {unit}", fontsize=11, fontweight="bold", loc="left")
        dress(panel, next(iter(result["variants"].values()))[quantity])
    panels[0].legend(fontsize=9, frameon=False)
    about = result["about"]
    figure.suptitle(
        f"libtofu_rdma and {about['mpi']}: {about['ranks']} ranks, median and range of {about['repetitions']} "
        f"interleaved repetitions, {about['processor']}", fontsize=10)
    figure.savefig(picture, dpi=160)


def draw_line(panel, name, rows, color, marker):
    """Draw medians over message size, and the range as a shade."""
    sizes = [row["bytes"] for row in rows]
    panel.fill_between(sizes, [row["min"] for row in rows], [row["max"] for row in rows], color=color, alpha=0.13,
                       linewidth=0)
    panel.plot(sizes, [row["median"] for row in rows], marker + "-", color=color, markersize=4.5, linewidth=1.5,
               label=name)


def dress(panel, rows):
    """Set up the axes: both are logarithmic; message sizes have short names."""
    panel.set_xscale("log", base=2)
    panel.set_yscale("log")
    ticks = [row["bytes"] for row in rows][::3]
    panel.set_xticks(ticks, [size_name(size) for size in ticks])
    panel.set_xlabel("message size, bytes", fontsize=9)
    panel.grid(color="#dddddd", linewidth=0.6)
    panel.set_axisbelow(True)
    panel.spines[["top", "right"]].set_visible(False)


def size_name(size):
    """Short name of a message size: 8, 4k, 1M."""
    for factor, letter in ((2**20, "M"), (2**10, "k")):
        if size >= factor:
            return f"{size // factor}{letter}"
    return str(size)
