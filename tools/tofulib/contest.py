# SPDX-License-Identifier: GPL-2.0-only
"""Find the fastest of some ways to compute: rounds of short measurements, losers dropped early.

In each round every candidate that is left is measured once, one after the other, so that all see the same machine.
Ratios are taken within rounds.
"""

import statistics
import time
from typing import NamedTuple

from . import bench

#: After a round, candidates stay whose median is at most this many times that of the best of their side; the last
#: value holds for all later rounds.
SLACK = (1.5, 1.2, 1.08)
#: No candidate is dropped in the first FEWEST_ROUNDS, after which an exhaustive search ends.
ALL_STAY = (float("inf"),)
#: Fewest rounds in which the best of both sides are measured.
FEWEST_ROUNDS = 3
#: Measurements take longer than before: so many times as much time is kept for later ones.
MARGIN = 1.1
#: Most rounds; medians get no better with more.
MOST_ROUNDS = 11


class Result(NamedTuple):
    """Outcome of a contest."""

    times: dict            #: candidate -> time of a step in each round in which it took part [us]
    refused: dict          #: candidate -> reason
    best: dict             #: side -> candidate
    speedup: dict          #: "median", "min", "max": times that the best of the second side is faster than the first's
    rounds: int = 0        #: in which both of these took part
    untried: tuple = ()    #: candidates for which there was no time

    @property
    def complete(self):
        """Whether the best of both sides were measured often enough for a verdict."""
        return bool(self.speedup) and self.rounds >= FEWEST_ROUNDS

    @property
    def significant(self):
        """Whether all rounds agree which side is faster."""
        return self.complete and not self.speedup["min"] <= 1.0 <= self.speedup["max"]


class Refused(Exception):
    """A candidate cannot be used; the message says why."""


class OutOfTime(Exception):
    """A measurement was stopped since the time of the contest was up."""


class Budget:
    """Time of a contest, and what measurements cost of it.

    Args:
        limit: Time after which no measurement may run [s]; None: there is no limit.
        clock: Function that returns the time [s].
        patience: Time that measurements without which there is no verdict may take beyond that [s].
    """

    def __init__(self, limit, clock, patience=0.0):
        self.clock = clock
        self.end = None if limit is None else clock() + limit
        self.patience = patience
        self.costs = {}    # candidate -> longest time of a measurement so far [s]

    def cost(self, one):
        """Time that a measurement of a candidate is likely to take."""
        return self.costs.get(one, statistics.median(self.costs.values() or [0.0]))

    def allows(self, one, reserved, needed):
        """Whether a measurement is likely to end in time, and so are those for which time is reserved."""
        if self.end is None:
            return True
        end = self.end + (self.patience if needed else 0.0)
        return self.clock() + self.cost(one) + MARGIN * sum(map(self.cost, reserved)) <= end

    def measure(self, one, measure):
        """Measure a candidate, and record the time of the measurement."""
        start = self.clock()
        try:
            return measure(one)
        finally:
            self.costs[one] = max(self.costs.get(one, 0.0), self.clock() - start)


def hold(candidates, measure, seconds, sides, say=lambda text: None, clock=time.monotonic, slack=SLACK, limit=None,
         patience=0.0):
    """Measure the candidates until the time is up or enough is known.

    Args:
        candidates: Candidates with `side` and `name`, the likely winners first.
        measure: Function that measures a candidate once [us a step]; raises Refused if it cannot be used, OutOfTime if
            it was stopped.
        seconds: Time after which no further round begins, once there are FEWEST_ROUNDS.
        sides: The two sides that are compared, the reference first.
        say: Function that shows progress.
        clock: Function that returns the time [s].
        slack: As SLACK.
        limit: Time that the contest may take at most [s]: candidates are left out so that the best of both sides come
            to FEWEST_ROUNDS. None: however long it takes.
        patience: Time that these rounds of the best may take beyond it [s].

    Returns:
        A Result; a side without a candidate has no best, and then there is no speed-up.
    """
    start, budget = clock(), Budget(limit, clock, patience)
    times, refused, untried, left = {}, {}, [], list(candidates)
    for number in range(MOST_ROUNDS):
        for one in list(left):
            needed = 0 < number < FEWEST_ROUNDS and one in best_of(left, times, sides)
            if not budget.allows(one, reserve(one, number, left, times, sides), needed):
                left.remove(one)
                untried += [] if one in times else [one]
                continue
            say(f"round {number + 1}: {one.name}, {clock() - start:.0f} of about {seconds:.0f} s")
            try:
                found = budget.measure(one, measure)
                times.setdefault(one, []).append(found)
            except Refused as reason:
                refused[one] = str(reason)
                times.pop(one, None)
                left.remove(one)
            except OutOfTime:
                budget.end = clock() - 1.0    # nothing fits any more
                left.remove(one)
                untried += [] if one in times else [one]
        left = survivors(left, times, sides, slack[min(number, len(slack) - 1)])
        finished = number + 1 >= FEWEST_ROUNDS
        if finished:
            left = survivors(left, times, sides, 1.0)
        if (finished and clock() - start >= seconds) or not left:
            break
    most = {side: max((len(found) for one, found in times.items() if one.side == side), default=0) for side in sides}
    last = [one for one in times if len(times[one]) == most[one.side]]
    best = {side: fastest(last, times, side) for side in sides if most[side]}
    ratios = ratios_of(times, best, sides)
    return Result(times, refused, best, bench.ratio_range(ratios) if ratios else {}, len(ratios), tuple(untried))


def reserve(one, number, left, times, sides):
    """Measurements for which time is kept: those of the best of both sides, in the rounds that they need.

    Args:
        one: The candidate that is to be measured.
        number: Of the round, from 0.
        left: Candidates that take part in this round.
        times: As in a Result.
        sides: The two sides.
    """
    best = best_of(left, times, sides)
    if one in best or not any(other.side == one.side for other in best):
        return []
    this_round = [other for other in best if len(times[other]) <= number]
    return [*this_round, *(best * max(0, FEWEST_ROUNDS - 1 - number))]


def best_of(left, times, sides):
    """The fastest of each side that has been measured."""
    known = [one for one in left if one in times]
    return [fastest(known, times, side) for side in sides if any(one.side == side for one in known)]


def joined(first, second):
    """One Result of two contests; the best, and the speed-up, are those of the second one if that was complete."""
    times = {one: [*first.times.get(one, []), *second.times.get(one, [])] for one in {**first.times, **second.times}}
    last = second if second.complete or not first.complete else first
    return Result(times, {**first.refused, **second.refused}, {**first.best, **last.best},
                  last.speedup or first.speedup, last.rounds or first.rounds,
                  (*first.untried, *(one for one in second.untried if one not in times)))


def survivors(left, times, sides, slack):
    """Candidates that are near the best of their side."""
    bound = {side: slack * statistics.median(times[fastest(left, times, side)])
             for side in sides if any(one.side == side for one in left)}
    return [one for one in left if statistics.median(times[one]) <= bound[one.side]]


def fastest(left, times, side):
    """The candidate of a side with the smallest median."""
    return min((one for one in left if one.side == side), key=lambda one: statistics.median(times[one]))


def ratios_of(times, best, sides):
    """Ratio of the times of the best of both sides in each round in which both took part."""
    if any(side not in best for side in sides):
        return []
    return [one / other for one, other in zip(*(times[best[side]] for side in sides))]
