# SPDX-License-Identifier: GPL-2.0-only
"""`-pk threadpool ... balance ring` shares work with the same results, and rests where it cannot, or does not pay."""

import re

import numpy as np
import pytest

from charged_systems import SALT
from lammps_output import read_snapshot
from lammps_run import Variant, run_script
from small_systems import dump
from suffix_runs import differences, results
from test_ring_balance_errors import with_style
from uneven_systems import DROPLET, with_pair_style

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("no_segment_left")]

HANDED_OVER = re.compile(r"^TOFU ring/balance: rows max/average (\S+) -> (\S+), (\d+) atoms handed over", re.MULTILINE)
RESTS = re.compile(r"^TOFU ring/balance: rests, since (.*)$", re.MULTILINE)


def variant(balance: str, style: str = "p2p/rdma") -> Variant:
    """The suffix with a value of the keyword balance."""
    name = f"balance-{balance.replace(' ', '-')}-{style.replace('/', '_')}"
    return Variant(name, style, environment=(("TOFU_TEST", name),), parts=1, package=("balance", *balance.split()))


SHARED, ALONE = variant("ring 1 1.0"), variant("no")


def output_of(installation, system: str, one: Variant, folder, commands: str, ranks: int = 2) -> str:
    """The output of a run of a system."""
    folder.mkdir(exist_ok=True)
    return run_script(installation, f"{system}\n{commands}\n", ranks, folder, variant=one).expect_success().output


@pytest.mark.parametrize("ranks", (2, 3, 4))
def test_work_is_shared_with_the_same_results(servers, tmp_path, ranks):
    expected, found = (results(servers, DROPLET, one, ranks, tmp_path) for one in (ALONE, SHARED))
    assert not differences(expected, found)


def test_the_log_tells_what_was_handed_over_and_the_fix_is_nobodys_style(installation, tmp_path):
    output = output_of(installation, DROPLET, SHARED, tmp_path, "run 10\nrun 10")
    tables = HANDED_OVER.findall(output)
    assert len(tables) == 2
    for before, after, atoms in tables:
        assert float(after) < float(before) and int(atoms) > 0
    assert "fix ring/balance" not in output


def test_the_fix_of_an_input_comes_first(installation, tmp_path):
    commands = "fix even all ring/balance 5 1.3\nrun 10\ninfo fixes"
    output = output_of(installation, DROPLET, SHARED, tmp_path, commands)
    assert len(re.findall(r"style = *ring/balance", output)) == 1 and len(HANDED_OVER.findall(output)) == 1


def test_the_fix_of_the_package_gives_way_to_one_that_comes_later(installation, tmp_path):
    output = output_of(installation, DROPLET, SHARED, tmp_path, "run 10\nfix even all ring_balance 5 1.3\nrun 10")
    assert len(HANDED_OVER.findall(output)) == 2
    (told,) = RESTS.findall(output)
    assert "one fix ring/balance only" in told


def test_two_fixes_of_an_input_are_refused(installation, tmp_path):
    script = f"comm_style p2p/rdma\n{DROPLET}fix one all ring/balance 5 1.3\nfix two all ring/balance 5 1.3\nrun 1\n"
    failure = run_script(installation, script, 2, tmp_path).expect_failure()
    assert "Fix ring/balance is not possible: there can be one fix ring/balance only" in failure


UNSUITABLE = {
    "brick": (DROPLET, variant("ring 1 1.0", "brick"), "comm_style p2p/rdma"),
    "pair style": (with_style("pair_style eam/cd\npair_coeff * * FeCr.cdeam Cr Fe\n"), SHARED, "eam/cd"),
    "no pair style": (with_pair_style(DROPLET, "pair_style none\ncomm_modify cutoff 3.0\n"), SHARED, "pair style"),
}


@pytest.mark.parametrize("name", UNSUITABLE)
def test_it_rests_where_it_is_not_possible_and_changes_nothing(installation, tmp_path, name):
    system, shared, reason = UNSUITABLE[name]
    alone = variant("no", shared.style)
    ends = []
    for one in (alone, shared):
        path = tmp_path / f"{one}.dump"
        output = output_of(installation, system, one, tmp_path, f"run 20\n{dump(path, columns='fx fy fz x y z')}")
        ends.append(read_snapshot(path))
    (told,) = RESTS.findall(output)
    assert reason in told and "not possible" in told
    for column, values in ends[0].columns.items():
        assert np.array_equal(values, ends[1].columns[column])


def test_the_long_range_part_runs_beside_the_pair_forces_from_the_first_run_on(installation, tmp_path):
    """The fix that shares work is added after the one that starts the long-range part, and has to act before it."""
    system = SALT.replace("{kspace}", "kspace_style pppm 1e-4")
    found = []
    for one in (ALONE, SHARED):
        output = output_of(installation, system, one, tmp_path, "run 5\nrun 5\nminimize 0 0 3 9\nrun 5 pre no\nrun 5")
        assert "not beside them" not in output
        found.append(re.findall(r"(\d+ of \d+ steps) had it beside the pair forces", output))
    assert found[0] == found[1] and len(found[0]) == 5


def test_a_long_run_ends_with_a_decision_and_conserves_energy(installation, tmp_path):
    """Whether it pays depends on the machine; what happens then does not."""
    commands = "thermo_modify norm no\nneigh_modify every 2\nrun 600\nrun 600\nprint \"energy $(etotal:%.10f)\""
    energies = []
    for one in (ALONE, SHARED):
        output = output_of(installation, DROPLET, one, tmp_path, commands)
        energies.append(float(re.search(r"^energy (\S+)", output, re.MULTILINE)[1]))
    handed_over = HANDED_OVER.findall(output)
    assert len(handed_over) == 2
    rests = RESTS.findall(output)
    assert all(re.search(r"does not pay: a step takes [\d.]+ us with it, [\d.]+ us without", text) for text in rests)
    assert bool(rests) == (int(handed_over[1][2]) == 0)
    assert energies[1] == pytest.approx(energies[0], rel=1e-4)
