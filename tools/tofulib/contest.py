# SPDX-License-Identifier: GPL-2.0-only
"""Find the fastest of some ways to compute: rounds of short measurements, losers dropped early.

In each round every candidate that is left is measured once, one after the other, so that all see the same machine.
Ratios are taken within rounds.
"""

import statistics
import time
from typing import Callable, NamedTuple

from . import bench

#: After a round, candidates stay whose median is at most this many times that of the best of their side; the last
#: value holds for all later rounds.
SLACK = (1.5, 1.2, 1.08)
#: No candidate is dropped in the first FEWEST_ROUNDS, after which an exhaustive search ends.
ALL_STAY = (float("inf"),)
#: Fewest rounds in which the best of both sides are measured.
FEWEST_ROUNDS = 3
#: Most rounds; medians get no better with more.
MOST_ROUNDS = 11


class Result(NamedTuple):
    """Outcome of a contest."""

    times: dict            #: candidate -> time of a step in each round in which it took part [us]
    refused: dict          #: candidate -> reason
    best: dict             #: side -> candidate
    speedup: dict          #: "median", "min", "max": times that the best of the second side is faster than the first's


class Refused(Exception):
    """A candidate cannot be used; the message says why."""


def hold(candidates, measure, seconds, sides, say=lambda text: None, clock=time.monotonic, slack=SLACK):
    """Measure the candidates until the time is up or enough is known.

    Args:
        candidates: Candidates with `side` and `name`, the likely winners first.
        measure: Function that measures a candidate once [us a step]; raises Refused if it cannot be used.
        seconds: Time after which no further round begins, once there are FEWEST_ROUNDS.
        sides: The two sides that are compared, the reference first.
        say: Function that shows progress.
        clock: Function that tells the time [s].
        slack: As SLACK.

    Returns:
        A Result; a side without a candidate has no best, and then there is no speed-up.
    """
    start = clock()
    times, refused, left = {}, {}, list(candidates)
    for number in range(MOST_ROUNDS):
        for one in list(left):
            spent = clock() - start
            say(f"round {number + 1}: {one.name}, {spent:.0f} of about {seconds:.0f} s")
            try:
                times.setdefault(one, []).append(measure(one))
            except Refused as reason:
                refused[one] = str(reason)
                times.pop(one, None)
                left.remove(one)
        left = survivors(left, times, sides, slack[min(number, len(slack) - 1)])
        finished = number + 1 >= FEWEST_ROUNDS
        if finished:
            left = survivors(left, times, sides, 1.0)
        if finished and clock() - start >= seconds:
            break
    best = {side: fastest(left, times, side) for side in sides if any(one.side == side for one in left)}
    return Result(times, refused, best, speedup(times, best, sides))


def joined(first, second):
    """One Result of two contests; the best, and the speed-up, are those of the second one."""
    times = {one: [*first.times.get(one, []), *second.times.get(one, [])] for one in {**first.times, **second.times}}
    return Result(times, {**first.refused, **second.refused}, {**first.best, **second.best},
                  second.speedup or first.speedup)


def survivors(left, times, sides, slack):
    """Candidates that are near the best of their side."""
    bound = {side: slack * statistics.median(times[fastest(left, times, side)])
             for side in sides if any(one.side == side for one in left)}
    return [one for one in left if statistics.median(times[one]) <= bound[one.side]]


def fastest(left, times, side):
    """The candidate of a side with the smallest median."""
    return min((one for one in left if one.side == side), key=lambda one: statistics.median(times[one]))


def speedup(times, best, sides):
    """Ratio of the times of the best of both sides, over the rounds in which both took part."""
    if any(side not in best for side in sides):
        return {}
    return bench.ratio_range([one / other for one, other in zip(*(times[best[side]] for side in sides))])
