# SPDX-License-Identifier: GPL-2.0-only
"""Over long runs the total energy drifts as little as with brick, and no atom is lost."""

import pytest

from energy_drift import drift
from lammps_run import BACKENDS, BRICK, Variant, threadpool

pytestmark = pytest.mark.full

VARIANTS = (*BACKENDS, threadpool(2), threadpool(3, "p2p/rdma"))


def check(servers, variant: Variant, steps: int) -> None:
    expected, noise, temperature = drift(servers, BRICK, steps)
    found, other_noise, other_temperature = drift(servers, variant, steps)
    assert abs(found) <= abs(expected) + 5.0 * noise, f"drift {found:.2e}, with brick {expected:.2e} +- {noise:.1e}"
    assert other_noise <= 2.0 * noise
    assert other_temperature == pytest.approx(temperature, rel=0.05)


@pytest.mark.parametrize("variant", [pytest.param(variant, marks=[pytest.mark.long] if variant in BACKENDS[1:] else [])
                                     for variant in VARIANTS], ids=str)
def test_energy_of_a_run_drifts_as_with_brick(servers, variant):
    check(servers, variant, 5_000)


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
def test_energy_of_one_hundred_thousand_steps_drifts_as_with_brick(servers, variant):
    check(servers, variant, 100_000)
