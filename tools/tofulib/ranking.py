# SPDX-License-Identifier: GPL-2.0-only
"""Tables of a contest: the candidates by their times, the sections of the best, the verdict."""

import statistics

from . import allocation, contest, log
from .configuration import OURS, STOCK

#: Sections that add up to a step but for this part need no word.
MOST_MISSING = 0.05


def ranked(result):
    """Candidates that were measured, the fastest first."""
    return sorted(result.times, key=lambda one: statistics.median(result.times[one]))


def winner(result):
    """The faster of the best of both sides, which took part in all rounds; None if nothing could run."""
    return min(result.best.values(), key=lambda one: statistics.median(result.times[one]), default=None)


def print_times(result):
    """A row for each candidate, and a line for each that was refused."""
    print(f"{'configuration':40} {'us a step':>10} {'min - max':>21} {'rounds':>7}")
    for one in ranked(result):
        times = result.times[one]
        between = f"{min(times):.1f} - {max(times):.1f}"
        print(f"{one.name:40} {statistics.median(times):10.1f} {between:>21} {len(times):7d}")
    for one, reason in result.refused.items():
        print(f"not used: {one.name}: {reason}")
    if result.untried:
        print(f"not tried, for lack of time: {', '.join(one.name for one in result.untried)}")


def verdict(result):
    """How many times faster TOFU is, or why that is not known; empty if one side could not run."""
    if not result.speedup:
        return ""
    ratio, ours, stock = result.speedup, result.best[OURS], result.best[STOCK]
    figures = f"{ratio['median']:.2f} ({ratio['min']:.2f} - {ratio['max']:.2f})"
    if not result.complete:
        return (f"No verdict: the time was enough for {allocation.count(result.rounds, 'round')} of TOFU ({ours.name}) "
                f"beside LAMMPS' fastest ({stock.name}), {contest.FEWEST_ROUNDS} are needed. So far the ratio of their "
                f"times is {figures}.")
    if not result.significant:
        return (f"No significant difference: the times of LAMMPS' fastest ({stock.name}) divided by those of TOFU "
                f"({ours.name}) are {figures} in {result.rounds} rounds.")
    if ratio["median"] > 1.0:
        return f"TOFU ({ours.name}) is {figures} times faster than LAMMPS' fastest ({stock.name})."
    return f"TOFU ({ours.name}) is slower, {figures} times as fast as LAMMPS' fastest ({stock.name})."


def print_sections(result, sections):
    """Time of each section for the best of both sides.

    Args:
        result: Outcome of a contest.
        sections: Candidate -> time of a step and time of each section in each round [us a step].
    """
    best = [result.best[side] for side in (STOCK, OURS) if sections.get(result.best.get(side))]
    if len(best) < 2:
        return
    shown = {one: sections_of(result.times[one], sections[one]) for one in best}
    if not all(shown.values()):
        return
    print(f"\n{'us a step':10} " + " ".join(f"{one.name:>24}" for one in best))
    for name in log.SECTIONS:
        values = [shown[one].get(name) for one in best]
        if any(value is not None for value in values):
            print(f"{name:10} " + " ".join(f"{'-' if value is None else format(value, '.1f'):>24}" for value in values))
    print(f"{'step':10} " + " ".join(f"{statistics.median(result.times[one]):24.1f}" for one in best))
    print("Sections are those of the round whose step is next to the median, scaled to it.")
    for one in best:
        part = sum(shown[one].values()) / statistics.median(result.times[one])
        if abs(part - 1.0) > MOST_MISSING:
            print(f"Sections of {one.name} add up to {100.0 * part:.0f} % of the step in LAMMPS' own table, too.")


def sections_of(times, measured):
    """Sections of one round, scaled so that they belong to the median of the times.

    Args:
        times: Time of a step in each round.
        measured: (time of a step, sections) of rounds; those without sections do not count.
    """
    middle = statistics.median(times)
    known = [(step, found) for step, found in measured if found and step > 0.0]
    if not known:
        return {}
    step, found = min(known, key=lambda one: abs(one[0] - middle))
    return {name: value * middle / step for name, value in found.items()}
