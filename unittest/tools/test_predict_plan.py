# SPDX-License-Identifier: GPL-2.0-only
"""The plan of messages for all ranks in tools/tofu predict is that of each rank, and it has the messages of the SC'23
paper; the library of the plans."""

import itertools
import math
import os
import subprocess
import sys

import pytest
from goal_schedule import share_at
from tofulib import CHECKOUT, cache
from tofulib.predict import grid, halo, plans

CASES = [
    ((2, 1, 1), (7.0, 9.0, 11.0), 1.3),
    ((3, 4, 1), (7.0, 9.0, 11.0), 1.3),
    ((2, 2, 2), (7.0, 7.0, 7.0), 1.3),
    ((5, 2, 3), (7.0, 9.0, 11.0), 3.1),
    ((6, 7, 8), (7.0, 9.0, 11.0), 1.0),
    ((6, 6, 6), (9.0, 9.0, 9.0), 2.1),
    ((1, 1, 1), (7.0, 9.0, 11.0), 8.0),
]
WALLS = {3: (0.0, 0.15, 0.4, 1.0), 2: (0.0, 0.7, 1.0), 1: (0.0, 1.0), 5: (0.0, 0.1, 0.35, 0.4, 0.45, 1.0)}
DIFFERENT = [
    ((3, 2, 1), (7.0, 9.0, 11.0), 1.3, (True, True, True), True),
    ((5, 3, 2), (7.0, 9.0, 11.0), 2.1, (True, True, True), True),
    ((3, 5, 2), (7.0, 9.0, 11.0), 2.1, (False, True, False), True),
    ((5, 1, 3), (7.0, 9.0, 11.0), 4.0, (True, False, True), True),
    ((3, 4, 2), (7.0, 9.0, 11.0), 1.3, (False, False, False), False),
    ((4, 2, 6), (7.0, 9.0, 11.0), 2.5, (False, True, True), False),
]
"""Ranks that are not alike: grid, box, cut-off, which boundaries are periodic, uneven walls."""


def rank_at(place, shift, counts):
    """Rank at a shift, numbered along z first."""
    x, y, z = ((p + s) % n for p, s, n in zip(place, shift, counts))
    return (x * counts[1] + y) * counts[2] + z


@pytest.mark.parametrize("pattern", ["full", "half", "staged"])
@pytest.mark.parametrize("counts, box, cut, periodic, uneven", DIFFERENT + [(*case, (True,) * 3, False)
                                                                            for case in CASES])
def test_messages_of_every_rank_are_those_of_its_own_plan(pattern, counts, box, cut, periodic, uneven):
    splits = tuple(WALLS[n] for n in counts) if uneven else ()
    geometry = halo.Geometry(counts, box, (cut,) * 3, periodic=periodic, splits=splits)
    plan = halo.staged(geometry) if pattern == "staged" else halo.direct(geometry, pattern == "half")
    for place in itertools.product(*map(range, counts)):
        swaps, _ = plans.halo(counts, place, box, geometry.cut, periodic, splits,
                              ("full", "half", "staged").index(pattern))
        me, messages = rank_at(place, (0, 0, 0), counts), {}
        for swap in swaps:
            if swap.receiver >= 0 and swap.receiver != me:
                messages.setdefault((swap.stage, swap.receiver), []).append(swap)
        found = {(number, rank_at(place, message.shift, counts)): message for number, stage in enumerate(plan.stages)
                 for message in stage.messages if share_at(plan, message, place) is not None}
        assert set(found) == set(messages)
        own = math.prod(line.side(at) for line, at in zip(geometry.lines, place))
        for key, message in found.items():
            offsets = [plan.swaps[i].offset for i in message.swaps if geometry.alike or
                       None not in [shares[at] for shares, at in zip(plan.swaps[i].along, place)]]
            assert offsets == [swap.offset for swap in messages[key]]
            # the package takes later rounds of a dimension for as wide as the first, and the box for periodic
            if pattern != "staged" or (all(periodic) and all(plan.swaps[i].round == 1 for i in message.swaps)):
                volume = sum(swap.volume for swap in messages[key])
                assert share_at(plan, message, place) * own == pytest.approx(volume, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("counts, box, cut, periodic, uneven", DIFFERENT)
def test_ghosts_of_ranks_that_differ_do_not_depend_on_the_pattern(counts, box, cut, periodic, uneven):
    """All patterns have the same ghosts; the half shell has what goes down."""
    splits = tuple(WALLS[n] for n in counts) if uneven else ()
    geometry = halo.Geometry(counts, box, (cut,) * 3, periodic=periodic, splits=splits)
    full = halo.direct(geometry)
    assert halo.staged(geometry).ghosts == pytest.approx(full.ghosts, rel=1e-9)
    assert halo.staged(geometry, False).ghosts == pytest.approx(full.ghosts, rel=1e-9)
    assert halo.direct(geometry, True).swaps == tuple(swap for swap in full.swaps if swap.offset[::-1] < (0, 0, 0))


def test_equal_walls_are_as_none():
    for counts, box, cut in CASES:
        geometry = halo.Geometry(counts, box, (cut,) * 3)
        uneven = geometry._replace(splits=tuple(tuple(i / n for i in range(n)) + (1.0,) for n in counts))
        assert uneven.reach == geometry.reach and not uneven.alike
        for half in (False, True):
            plan, other = halo.direct(geometry, half), halo.direct(uneven, half)
            assert [swap.offset for swap in plan.swaps] == [swap.offset for swap in other.swaps]
            assert [swap.atoms for swap in other.swaps] == pytest.approx([swap.atoms for swap in plan.swaps])
            assert other.stages == plan.stages


def test_messages_of_the_paper():
    """SC'23 paper, sec. 3 and fig. 15: 13 and 26 messages, 62 and 124 with a sub-box thinner than the cut-off; at most
    528 bytes with 22 atoms per rank."""
    wide = halo.Geometry((16, 12, 16), tuple(2.94 * n for n in (16, 12, 16)), (2.8,) * 3)
    thin = wide._replace(box=tuple(2.2 * n for n in wide.grid))
    assert [halo.direct(one, half).messages for one in (wide, thin) for half in (True, False)] == [13, 26, 62, 124]
    assert [halo.staged(one, False).messages for one in (wide, thin)] == [6, 12]
    plan, atoms = halo.direct(wide, True), 0.8442 * 2.94**3
    assert max(24 * atoms * plan.atoms(message) for message in plan.stages[0].messages) <= 528
    a, r = 2.94, 2.8
    assert halo.direct(wide).ghosts * a**3 == pytest.approx(8 * r**3 + 12 * a * r**2 + 6 * a**2 * r, rel=1e-12)
    assert halo.staged(wide).ghosts * a**3 == pytest.approx(8 * r**3 + 12 * a * r**2 + 6 * a**2 * r, rel=1e-12)


def test_ghosts_do_not_depend_on_the_pattern():
    for counts, box, cut in CASES:
        geometry = halo.Geometry(counts, box, (cut,) * 3)
        full = halo.direct(geometry).ghosts
        assert halo.staged(geometry).ghosts == pytest.approx(full, rel=1e-12)
        assert halo.direct(geometry, True).ghosts == pytest.approx(full / 2, rel=1e-12)


@pytest.mark.parametrize("ranks, box, expected", [(2, (1, 1, 1), (1, 1, 2)), (8, (1, 1, 1), (2, 2, 2)),
                                                  (12, (1, 1, 1), (2, 2, 3)), (4, (4, 1, 1), (4, 1, 1)),
                                                  (147456, (16, 9, 16), (64, 36, 64))])
def test_grid_of_ranks_is_that_of_lammps(ranks, box, expected):
    assert grid.of_ranks(ranks, box) == expected


def test_blocks_of_nodes():
    assert grid.of_node((64, 36, 64), 4, (16, 9, 16)) in ((2, 1, 2), (1, 2, 2), (2, 2, 1))
    assert grid.of_node((3, 3, 3), 2, (1, 1, 1)) is None


def test_the_library_is_compiled_again_when_a_source_has_changed(private_cache, monkeypatch, tmp_path):
    linked = []

    def compile_nothing(words, **_):
        linked.extend(["-shared"] if "-shared" in words else [])
        words[words.index("-o") + 1].write_bytes(b"")

    monkeypatch.setattr(plans.shell, "capture", compile_nothing)
    (tmp_path / "halo").mkdir()
    (tmp_path / "balance").mkdir()
    (tmp_path / "halo" / "halo_plan.h").write_text("old", encoding="utf-8")
    monkeypatch.setattr(plans, "ROOMS", tmp_path)
    assert plans.compiled() == plans.compiled() and len(linked) == 1
    assert plans.compiled().parent == cache.folder("predict", "plans")
    (tmp_path / "halo" / "halo_plan.h").write_text("changed", encoding="utf-8")
    plans.compiled()
    assert len(linked) == 2


def test_one_line_says_that_there_is_no_compiler(private_cache, tmp_path):
    done = subprocess.run([sys.executable, CHECKOUT / "tools" / "tofu", "predict", "--machine", "fugaku"],
                          env={**os.environ, "PATH": str(tmp_path)}, capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == 1 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "needs a C++ compiler" in line and "apt-get install g++" in line


def test_dealing_is_that_of_the_transport():
    assert halo.deal([5.0, 4.0, 3.0, 3.0, 3.0], 2) == [0, 1, 1, 0, 1]
    assert halo.deal([1.0, 1.0], 1) == [0, 0]
