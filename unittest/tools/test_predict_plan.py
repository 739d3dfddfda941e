# SPDX-License-Identifier: GPL-2.0-only
"""The plan of messages in the model of tools/tofu predict is that of the program, and it has the messages of the SC'23
paper."""

import itertools
import math
import shutil
import subprocess

import pytest
from tofulib import CHECKOUT
from tofulib.predict import grid, halo

CASES = [
    ((2, 1, 1), (7.0, 9.0, 11.0), 1.3, (0, 0, 0)),
    ((3, 4, 1), (7.0, 9.0, 11.0), 1.3, (2, 0, 0)),
    ((2, 2, 2), (7.0, 7.0, 7.0), 1.3, (1, 0, 1)),
    ((5, 2, 3), (7.0, 9.0, 11.0), 3.1, (4, 1, 0)),
    ((6, 7, 8), (7.0, 9.0, 11.0), 1.0, (3, 3, 4)),
    ((6, 6, 6), (9.0, 9.0, 9.0), 2.1, (2, 3, 2)),
    ((1, 1, 1), (7.0, 9.0, 11.0), 8.0, (0, 0, 0)),
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


@pytest.fixture(scope="module")
def print_plan(tmp_path_factory):
    """A function that asks the program for a plan."""
    if not shutil.which("c++"):
        pytest.skip("there is no C++ compiler")
    program = tmp_path_factory.mktemp("plan") / "print_plan"
    source = CHECKOUT / "src" / "TOFU"
    subprocess.run(["c++", "-std=c++17", "-O0", "-I", source, "-o", program, CHECKOUT / "unittest/tools/print_plan.cpp",
                    source / "halo/halo_plan.cpp", source / "halo/rank_map.cpp"], check=True)

    def ask(pattern, geometry, place):
        walls = [split for splits in geometry.splits for split in splits]
        words = [program, pattern, *geometry.grid, *geometry.box, geometry.cut[0], *place, *map(int, geometry.periodic),
                 *walls]
        text = subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout
        return [line.split() for line in text.splitlines()]
    return ask


def rank_at(place, shift, counts):
    """Rank at a shift, numbered along z first."""
    x, y, z = ((p + s) % n for p, s, n in zip(place, shift, counts))
    return (x * counts[1] + y) * counts[2] + z


@pytest.mark.parametrize("pattern", ["full", "half", "staged"])
@pytest.mark.parametrize("counts, box, cut, place", CASES)
def test_plan_is_that_of_the_program(print_plan, pattern, counts, box, cut, place):
    geometry = halo.Geometry(counts, box, (cut,) * 3)
    plan = halo.staged(geometry) if pattern == "staged" else halo.direct(geometry, pattern == "half")
    lines = print_plan(pattern, geometry, place)
    swaps = [tuple(map(int, line[1:4])) for line in lines if line[0] == "swap"]
    assert [swap.offset for swap in plan.swaps] == swaps
    assert {rank_at(place, shift, counts) for shift in plan.links} == {int(line[1]) for line in lines
                                                                         if line[0] == "link"}
    messages = {(int(line[1]), int(line[2]), tuple(map(int, line[3:]))) for line in lines if line[0] == "message"}
    assert {(number, rank_at(place, message.shift, counts), message.swaps)
            for number, stage in enumerate(plan.stages) for message in stage.messages} == messages
    own = 1.0 / math.prod(counts)
    for swap, line in zip(plan.swaps, (line for line in lines if line[0] == "swap")):
        if swap.round == 1:    # the program takes later rounds of a dimension for as wide as the first
            assert swap.atoms * own == pytest.approx(float(line[4]), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("pattern", ["full", "half", "staged"])
@pytest.mark.parametrize("counts, box, cut, periodic, uneven", DIFFERENT)
def test_plan_of_every_rank_is_that_of_the_program(print_plan, pattern, counts, box, cut, periodic, uneven):
    splits = tuple(WALLS[n] for n in counts) if uneven else ()
    geometry = halo.Geometry(counts, box, (cut,) * 3, periodic=periodic, splits=splits)
    plan = halo.staged(geometry) if pattern == "staged" else halo.direct(geometry, pattern == "half")
    walls = geometry.walls
    for place in itertools.product(*map(range, counts)):
        lines = print_plan(pattern, geometry, place)
        links = {rank_at(other, (0, 0, 0), counts) for other in halo.links_at(geometry, place)}
        assert links == {int(line[1]) for line in lines if line[0] == "link"}
        swaps = [line for line in lines if line[0] == "swap"]
        messages = {(int(line[1]), int(line[2])): [swaps[int(i)] for i in line[3:]] for line in lines
                    if line[0] == "message"}
        found = {(number, rank_at(place, message.shift, counts)): message for number, stage in enumerate(plan.stages)
                 for message in stage.messages if plan.share_at(message, place) is not None}
        assert set(found) == set(messages)
        own = math.prod(one.side(at) / one.length for one, at in zip(walls, place))
        for key, message in found.items():
            offsets = [plan.swaps[i].offset for i in message.swaps
                       if None not in [shares[at] for shares, at in zip(plan.swaps[i].along, place)]]
            assert offsets == [tuple(map(int, line[1:4])) for line in messages[key]]
            if pattern != "staged" or (all(periodic) and all(plan.swaps[i].round == 1 for i in message.swaps)):
                volume = sum(float(line[4]) for line in messages[key])
                assert plan.share_at(message, place) * own == pytest.approx(volume, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("counts, box, cut, periodic, uneven", DIFFERENT)
def test_ghosts_of_ranks_that_differ_do_not_depend_on_the_pattern(counts, box, cut, periodic, uneven):
    """All patterns have the same ghosts; the half shell has what goes down."""
    splits = tuple(WALLS[n] for n in counts) if uneven else ()
    geometry = halo.Geometry(counts, box, (cut,) * 3, periodic=periodic, splits=splits)
    full = halo.direct(geometry)
    assert halo.staged(geometry).ghosts == pytest.approx(full.ghosts, rel=1e-9)
    assert halo.staged(geometry, False).ghosts == pytest.approx(full.ghosts, rel=1e-9)
    assert halo.direct(geometry, True).swaps == tuple(swap for swap in full.swaps if halo.goes_down(swap.offset))


def test_equal_walls_are_as_none():
    for counts, box, cut, _ in CASES:
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
    for counts, box, cut, _ in CASES:
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


def test_dealing_is_that_of_the_transport():
    assert halo.deal([5.0, 4.0, 3.0, 3.0, 3.0], 2) == [0, 1, 1, 0, 1]
    assert halo.deal([1.0, 1.0], 1) == [0, 0]
