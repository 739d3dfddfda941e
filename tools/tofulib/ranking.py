# SPDX-License-Identifier: GPL-2.0-only
"""Tables of a contest: the candidates by their times, the sections of the best, the verdict."""

import statistics

from . import log
from .configuration import OURS, STOCK


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


def verdict(result):
    """How many times faster TOFU is; empty if one side could not run."""
    if not result.speedup:
        return ""
    ratio, ours, stock = result.speedup, result.best[OURS], result.best[STOCK]
    word = "faster than" if ratio["median"] >= 1.0 else "as fast as"
    return (f"TOFU ({ours.name}) is {ratio['median']:.2f} ({ratio['min']:.2f} - {ratio['max']:.2f}) times {word} "
            f"LAMMPS' fastest ({stock.name}).")


def print_sections(result, sections):
    """Time of each section for the best of both sides.

    Args:
        result: Outcome of a contest.
        sections: Candidate -> time of each section [us a step].
    """
    best = [result.best[side] for side in (STOCK, OURS) if result.best.get(side) in sections]
    if len(best) < 2:
        return
    print(f"\n{'us a step':10} " + " ".join(f"{one.name:>24}" for one in best))
    for name in log.SECTIONS:
        values = [sections[one].get(name) for one in best]
        if any(value is not None for value in values):
            print(f"{name:10} " + " ".join(f"{'-' if value is None else format(value, '.1f'):>24}" for value in values))
