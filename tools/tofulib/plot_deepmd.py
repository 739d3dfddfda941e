# SPDX-License-Identifier: GPL-2.0-only
"""Draw a result of bench --deepmd."""

import matplotlib.pyplot as plt

from .plot_tune import BLUE, GREY, ORANGE

#: Color of each way and its name in the picture.
WAYS = {"deepmd-kit": (GREY, "deepmd-kit, TensorFlow, compressed"), "double": (BLUE, "TOFU, double"),
        "mixed": (ORANGE, "TOFU, mixed precision")}


def draw(result, picture):
    """Draw the time of an atom by the number of atoms of a core, and how many times faster TOFU is."""
    cases = {name: case for name, case in result["cases"].items() if case["quantity"] == "pair"}
    labels = [f"{case['atoms']:,}" + ("\ncopper" if name.startswith("copper") else "") for name, case in cases.items()]
    figure, (times, ratios) = plt.subplots(1, 2, figsize=(12, 4.2), layout="constrained")
    for number, (way, (color, label)) in enumerate(WAYS.items()):
        places = [place + 0.27 * (number - 1) for place in range(len(cases))]
        summaries = [case["summary"][way] for case in cases.values()]
        atoms = [case["atoms"] for case in cases.values()]
        times.bar(places, [one["median"] / n for one, n in zip(summaries, atoms)], 0.25, color=color, label=label)
        if way == "deepmd-kit":
            continue
        middles = [one["speedup"]["median"] for one in summaries]
        ranges = [[middle - one["speedup"]["min"] for middle, one in zip(middles, summaries)],
                  [one["speedup"]["max"] - middle for middle, one in zip(middles, summaries)]]
        bars = ratios.bar(places, middles, 0.25, color=color, label=label, yerr=ranges, ecolor="#444444", capsize=2)
        ratios.bar_label(bars, [f"{middle:.1f}" for middle in middles], fontsize=8, padding=2)
    for panel, title in ((times, "time of Pair by atom and step [µs of one core]"),
                         (ratios, "times faster than deepmd-kit")):
        panel.set_xticks(range(len(cases)), labels, fontsize=9)
        panel.set_xlabel("atoms of a core", fontsize=9)
        panel.set_title(title, fontsize=10)
        panel.spines[["top", "right"]].set_visible(False)
    times.set_yscale("log")
    times.legend(fontsize=9, frameon=False)
    ratios.axhline(1.0, color=GREY, linewidth=1.2, linestyle="--")
    about = result["about"]
    figure.suptitle(f"Deep potentials: water and copper, deepmd-kit {about['deepmd-kit']}, {about['pairs']} "
                    f"interleaved rounds, LAMMPS {about['lammps']}, {about['processor']}", fontsize=10)
    figure.savefig(picture, dpi=140)
