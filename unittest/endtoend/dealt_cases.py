# SPDX-License-Identifier: GPL-2.0-only
"""Cases of a test with many parameters that run in the usual tests, and in the full ones; the others are `long`.

Full: cases with each value of each parameter, and with each pair of values of different parameters, other than those
with the parameter that has most values; of these at most eight, from all parts of the list, or with the marker most(N)
at most N. Usual: of these cases so many that each value is in one, but for numbers of ranks above two; a test with the
marker usual(N) has N of them. Results do not depend on chance, so a case that failed is in the next run, too.
"""

from collections import Counter
from itertools import combinations

import pytest

FOLDER = "endtoend"
FEW = 4
"""A test with at most so many cases runs all of them in the full tests."""
MOST = 8
"""Cases that a test has in the full tests, if it has no marker most(N); tests of tools are quick, and have all."""
RANKS, USUAL_RANKS = "ranks", 2
"""Name of the parameter that is a number of ranks, and how many the usual tests have if there is a choice."""


def mark_the_rest(items):
    """Give the marker `full` or `long` to the cases of tests that the usual run leaves out."""
    tests = {}
    for item in items:
        if hasattr(item, "callspec") and not any(item.iter_markers("long")):
            tests.setdefault((item.path, item.originalname), []).append(item)
    for cases in tests.values():
        chosen = choose([item.callspec.params for item in cases])
        most = [marker.args[0] for marker in cases[0].iter_markers("most")]
        if most or cases[0].path.parent.name == FOLDER:
            chosen = spread(chosen, *(most or [MOST]))
        usual = [chosen[index] for index in choose_once([cases[index].callspec.params for index in chosen])]
        for marker in cases[0].iter_markers("usual"):
            usual = spread(usual, *marker.args)
        for index, item in enumerate(cases):
            if index not in chosen:
                item.add_marker(pytest.mark.long)
            elif index not in usual:
                item.add_marker(pytest.mark.full)


def choose_once(cases):
    """Indices of the fewest cases, as far as a simple search finds them, that have each value once.

    Args:
        cases: For each case its parameters, name to value.
    """
    entries = [{(name, repr(value)) for name, value in case.items() if not is_many_ranks(name, value)}
               for case in cases]
    several = Counter(name for name, _ in set().union(*entries))
    order = sorted(range(len(cases)), key=lambda index: (any(map(is_many_ranks, *zip(*cases[index].items()))), index))
    missing, chosen = set().union(*entries), []
    while missing:
        best = max(order, key=lambda index: len(entries[index] & missing))    # the first of equals
        chosen.append(best)
        missing -= entries[best]
    return sorted(chosen) if several else [order[0]]


def spread(entries, most):
    """At most so many entries of a list, from all of its parts."""
    return [entries[len(entries) * index // most] for index in range(most)] if most < len(entries) else entries


def is_many_ranks(name, value):
    """Whether a parameter is a number of ranks that the usual tests avoid."""
    return name == RANKS and isinstance(value, int) and value > USUAL_RANKS


def choose(cases):
    """Indices of the cases that are run.

    Args:
        cases: For each case its parameters, name to value.
    """
    if len(cases) <= FEW:
        return list(range(len(cases)))
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
