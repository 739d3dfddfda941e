# SPDX-License-Identifier: GPL-2.0-only
"""Cases of a test with many parameters that run in every test run; the others have the marker `long`.

Each value of each parameter is in a case that is run, and so is each pair of values of different parameters, other
than those with the parameter that has most values: of 383 references on 1, 2 and 4 ranks, each reference is replayed
on one of these numbers of ranks. Results do not depend on chance, so a case that failed is in the next run, too.
"""

from collections import Counter
from itertools import combinations

import pytest

FEW = 4
"""A test with at most so many cases runs all of them."""


def mark_the_rest(items):
    """Give the marker `long` to the cases of tests that are left to the long run."""
    tests = {}
    for item in items:
        if hasattr(item, "callspec") and not any(item.iter_markers("long")):
            tests.setdefault((item.path, item.originalname), []).append(item)
    for cases in tests.values():
        chosen = set(choose([item.callspec.params for item in cases]))
        for index, item in enumerate(cases):
            if index not in chosen:
                item.add_marker(pytest.mark.long)


def choose(cases):
    """Indices of the cases that are run.

    Args:
        cases: For each case its parameters, name to value.
    """
    if len(cases) <= FEW:
        return range(len(cases))
    values = [tuple((name, repr(value)) for name, value in case.items()) for case in cases]
    several = Counter(name for name, _ in dict.fromkeys(entry for case in values for entry in case))
    longest = max(several, key=several.get)    # the first of several: all processes of a run choose alike
    needs = [set(case) | set(combinations([entry for entry in case if entry[0] != longest], 2)) for case in values]
    missing, used, chosen = set().union(*needs), Counter(), []
    while missing:
        best = max(range(len(cases)), key=lambda index: (len(needs[index] & missing),
                                                         -sum(used[entry] for entry in values[index]), -index))
        chosen.append(best)
        missing -= needs[best]
        used.update(values[best])
    return sorted(chosen)
