# SPDX-License-Identifier: GPL-2.0-only
"""The same run gives the same bits for any order of arrival of messages."""

import pytest

from lammps_output import read_thermo
from lammps_run import ALL_VARIANTS, BRICK, SHM, Variant, shuffled
from small_systems import SYSTEMS, dump

RANKS = (2, 4, 8)
SHUFFLES = (0, 300)
"""Seeds of the order of arrival; 0: the same run once more."""

STEPS = 50


def result(servers, system: str, ranks: int, variant: Variant, shuffle: int, path) -> str:
    """Positions and forces after some steps as text with all digits, and the thermo output."""
    script = [
        shuffled(variant, shuffle).command,
        SYSTEMS[system],
        "thermo 10",
        f"run {STEPS} post no",
        dump(path, columns="vx vy vz fx fy fz"),
    ]
    output = servers.server(ranks, variant).run("\n".join(script))
    (thermo,) = read_thermo(output)
    assert thermo.nrows == STEPS // 10 + 1, output
    return "\n".join([*(f"{name} {values.tolist()}" for name, values in thermo.columns.items()), path.read_text()])


def expect_the_same_bits(servers, tmp_path, system, variant, ranks) -> None:
    expected = result(servers, system, ranks, variant, 0, tmp_path / "expected.dump")
    for shuffle in SHUFFLES:
        assert result(servers, system, ranks, variant, shuffle, tmp_path / f"{shuffle}.dump") == expected


@pytest.mark.most(6)
@pytest.mark.usual(3)
@pytest.mark.parametrize("variant", ALL_VARIANTS, ids=str)
@pytest.mark.parametrize("system", SYSTEMS)
def test_same_run_twice_and_shuffled_arrivals_give_the_same_bits(servers, tmp_path, system, variant):
    """Rank counts take turns."""
    turn = list(SYSTEMS).index(system) + ALL_VARIANTS.index(variant)
    expect_the_same_bits(servers, tmp_path, system, variant, RANKS[turn % len(RANKS)])


@pytest.mark.long
@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("variant", ALL_VARIANTS, ids=str)
@pytest.mark.parametrize("system", SYSTEMS)
def test_shuffled_arrivals_give_the_same_bits_on_all_ranks(servers, tmp_path, system, variant, ranks):
    expect_the_same_bits(servers, tmp_path, system, variant, ranks)


def test_another_order_of_summation_gives_other_bits(servers, tmp_path):
    """The comparisons above are exact: brick adds the same forces in another order, which changes the bits."""
    brick = result(servers, "lj", 4, BRICK, 0, tmp_path / "brick.dump")
    assert result(servers, "lj", 4, SHM, 0, tmp_path / "shm.dump") != brick
