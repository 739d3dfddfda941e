# SPDX-License-Identifier: GPL-2.0-only
"""The prediction for this machine beside runs of the same input that were not used for it: tools/tofu predict
--machine here --check N."""

from ..log import SECTIONS
from . import calibrate, report
from .workload import OURS, STOCK

#: Below this part of a step the clock and the system decide, and deviations mean nothing.
LARGE_ENOUGH = 0.03
#: Bounds of the step and of a section.
STEP, SECTION = 0.10, 0.20


def setting_of(run):
    """What a run of calibrate.way() is among the settings of a forecast: their fields."""
    pattern, half = calibrate.pattern_of(run)
    if pattern == "brick":
        return {"comm": "brick"}
    return {"comm": pattern, "half": half, "senders": 1, "overlap": False, "endpoints": 0, "ring": ""}


def predicted(results, ranks, run):
    """The result of a forecast for a run; None if it was not among the settings."""
    wanted = {"ranks": ranks, **setting_of(run)}
    return next((one for one in results if all(one[key] == value for key, value in wanted.items())), None)


def compare(runs, results):
    """Deviations of the model.

    Args:
        runs: Fastest further runs, (side, ranks) -> calibrate.Measured.
        results: Of one number of nodes in a forecast.

    Returns:
        A list of (side, ranks, run, step, sections), relative deviations; sections that are no 3 % of the step have
        none.
    """
    found = []
    for (side, ranks), run in sorted(runs.items(), key=lambda item: (item[0][1], item[0][0] == OURS)):
        model = predicted(results, ranks, run)
        if model:
            step = run.step()
            sections = {name: model["sections"][name] / run.per_step(name) - 1.0 for name in SECTIONS
                        if run.per_step(name) > LARGE_ENOUGH * step}
            found.append((side, ranks, run, model["step"] / step - 1.0, sections))
    return found


def cell(deviation, bound, part):
    """A deviation, with a mark beyond its bound, and the part of the step."""
    return f"{100.0 * deviation:+.0f} % of {100.0 * part:.0f}{' (!)' if abs(deviation) > bound else ''}"


def table(name, rows, used):
    """Rows of a table in the manner of doc/scale.md.

    Args:
        name: Of the input.
        rows: From compare().
        used: Steps of the runs that the model is made of, by side and ranks.
    """
    names = [section for section in SECTIONS if any(section in row[4] for row in rows)]
    cells = [["input", "ranks", "", "step us, measured", "CPU use", "its runs", "model", *names]]
    for side, ranks, run, step, sections in rows:
        one = run.step()
        cells.append([name, str(ranks), "stock" if side == STOCK else "TOFU", report.number(one),
                      f"{run.run.cpu_use:.0f} %", f"{100.0 * (used[side, ranks] / one - 1.0):+.1f} %",
                      f"{100.0 * step:+.1f} %{' (!)' if abs(step) > STEP else ''}",
                      *(cell(sections[key], SECTION, run.per_step(key) / one) if key in sections else ""
                        for key in names)])
    return cells


def print_rows(name, rows, used):
    """Print the table, and how many figures are beyond their bounds."""
    cells = table(name, rows, used)
    print(f"\nModel against further runs; deviation of sections with at least {100 * LARGE_ENOUGH:.0f} % of the step, "
          f"and their part of it; its runs: how the step of the runs that the model is made of differs from that of "
          f"the further ones, which the model cannot know; (!): beyond {100 * STEP:.0f} % of a step or "
          f"{100 * SECTION:.0f} % of a section")
    for row in [cells[0], ["---"] * len(cells[0]), *cells[1:]]:
        print(f"| {' | '.join(row)} |")
