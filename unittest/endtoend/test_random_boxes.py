# SPDX-License-Identifier: GPL-2.0-only
"""Forces and energies are those of brick in random boxes, on random grids, with random cut-offs and options."""

import pytest
from hypothesis import given, seed, settings

from random_comparison import SETTINGS, expect_same_as_brick
from random_systems import SEED, random_systems


@seed(SEED)
@SETTINGS
@given(system=random_systems())
def test_random_system_is_the_same_as_with_brick(servers, tmp_path_factory, system):
    server = servers.server(system.ranks, system.variant)
    expect_same_as_brick(server, system, tmp_path_factory.getbasetemp() / "random")


@pytest.mark.long
@seed(SEED + 1)
@settings(SETTINGS, max_examples=10_000)
@given(system=random_systems())
def test_ten_thousand_random_systems_are_the_same_as_with_brick(servers, tmp_path_factory, system):
    server = servers.server(system.ranks, system.variant)
    expect_same_as_brick(server, system, tmp_path_factory.getbasetemp() / "random")
