# SPDX-License-Identifier: GPL-2.0-only
"""A simulation that has blown up stops as with LAMMPS' own styles: at the same lists, with the same message."""

import re
from typing import Dict, List, NamedTuple, Tuple

import pytest

from lammps_run import BRICK, OFI, SHM, SHM_3STAGE, Variant, run_script, threadpool
from manybody_systems import SILICON, TERSOFF, compound
from small_systems import CHAINS, GRAINS, LJ, METAL, MOLECULES
from suffix_runs import CHARGES, TRICLINIC
from uneven_systems import SLAB

WATER = MOLECULES.replace("lj/charmm/coul/charmm 5.0 6.0",
                          "lj/charmm/coul/long 5.0 6.0") + "kspace_style {kspace} 1e-4\n"

SYSTEMS: Dict[str, str] = {
    "lj": LJ,
    "lj, all pairs looked at": LJ.replace("neighbor 0.3 bin", "neighbor 0.3 nsq"),
    "lj, triclinic": TRICLINIC,
    "charges": CHARGES,
    "metal": METAL,
    "chains": CHAINS.replace("neigh_modify every 1 delay 0 check yes", "neigh_modify every 10 delay 0 check no"),
    "molecules": MOLECULES,
    "molecules with a mesh": WATER,
    "silicon": SILICON,
    "silicon, bond order": compound(TERSOFF.format("Si.tersoff Si Si"), 5.431),
    "grains": GRAINS.replace("neigh_modify every 1 delay 0 check yes", "neigh_modify every 10 delay 0 check no"),
}

PAIRWISE = ("lj", "lj, all pairs looked at", "lj, triclinic", "charges", "metal", "grains")
"""Systems in which an atom without a finite position has no neighbors, so that the energy of the other atoms is still
the right number."""

HOW: Dict[str, str] = {
    "no number": 'variable bad atom "exp(1000)-exp(1000)"\nset atom 17 x v_bad\nrun 30 pre no post no\n',
    "infinite": 'variable bad atom exp(1000)\nset atom 17 y v_bad\nrun 30 pre no post no\n',
    "one place": "variable px atom x[71]\nvariable py atom y[71]\nvariable pz atom z[71]\n"
                 "set atom 17 x v_px y v_py z v_pz\nrun 30 post no\n",
}
"""Commands that misplace an atom between two runs; the second run makes no new lists unless pairs depend on them."""


class End(NamedTuple):
    """End of a run: the last row of thermodynamics, and the error."""

    step: int
    energy: float
    message: str


def script_of(system: str, how: str, kspace: str = "pppm") -> str:
    """A script that builds lists at step 0 and then every 10 steps, and misplaces an atom at step 3."""
    lines = re.sub(r"neigh_modify every \d+", "neigh_modify every 10", SYSTEMS[system]).format(kspace=kspace)
    return f"{lines}thermo 1\nthermo_style custom step pe\nrun 3 post no\n{HOW[how]}"


def without_ids(message: str) -> str:
    """The same message for all missing atoms."""
    return re.sub(r"(Bond|Angle|Dihedral|Improper) atoms (\d+ )+missing", "Atoms missing", message)


def end_of(output: str) -> End:
    """Read the end from the output of a failed run. The message of a rank may be in the middle of a line of rank 0."""
    rows: List[Tuple[str, str]] = re.findall(r"^ *(\d+) +(\S+) *$", output, re.M)
    lines = [re.sub(r" on proc \d+| \(src/.*", "", line) for line in re.findall("ERROR(?: on proc|:).*", output)]
    return End(int(rows[-1][0]), float(rows[-1][1]), one_message(lines))


def one_message(lines: List[str]) -> str:
    """The message of all ranks. Of several ranks that lack atoms some may say so of a bond and others of an angle,
    since with the suffix they do not wait for each other in between; the message is then "atoms missing"."""
    if len(set(lines)) > 1:
        lines = [without_ids(line) for line in lines]
    (message,) = set(lines)
    return message


def expect_same_end(expected: End, found: End, ranks: int, others_feel_nothing: bool, ranks_wait: bool = True) -> None:
    """Expect the same end. The rank that finds the atom may end the others before rank 0 has printed its last row;
    lists are 10 steps apart. Without waiting, another rank may be the first that lacks atoms."""
    assert abs(found.step - expected.step) <= (1 if ranks > 1 else 0)
    messages = [end.message.replace("ERROR: ", "") for end in (expected, found)]
    if not ranks_wait:
        messages = [without_ids(message) for message in messages]
    assert messages[0] in messages[1]
    if others_feel_nothing and found.step == expected.step:
        assert found.energy == pytest.approx(expected.energy, rel=1e-6), "other atoms have felt it"


VARIANTS: Tuple[Variant, ...] = (
    threadpool(1, "brick"), threadpool(1, "p2p/rdma"), threadpool(2, "p2p/rdma"), threadpool(3, "brick"), SHM, OFI,
    SHM_3STAGE)
RANKS = (1, 2, 4)


def cases():
    """Every system with every misplacement. Variants and rank counts take turns; each case has the suffix on one and on
    several parts."""
    number = 0
    for system in SYSTEMS:
        for how in HOW:
            for variant in (VARIANTS[number % 2], VARIANTS[2 + number % 2], VARIANTS[4 + number % 3]):
                yield pytest.param(system, how, variant, RANKS[number % 3],
                                   id=f"{system}-{how}-{variant}-{RANKS[number % 3]}")
            number += 1


SYSTEMS["slab"] = SLAB
"""System for fix ring/balance, too; it comes last, so that the turns of the other systems stay the same."""


@pytest.fixture(scope="module")
def stock_end(installation, tmp_path_factory):
    """The ends of runs with LAMMPS' own styles, each case computed once."""
    known: Dict[Tuple[str, str, int], End] = {}

    def end(system: str, how: str, ranks: int) -> End:
        if (system, how, ranks) not in known:
            folder = tmp_path_factory.mktemp("stock")
            known[system, how, ranks] = end_of(
                run_script(installation, script_of(system, how), ranks, folder, variant=BRICK).expect_failure())
        return known[system, how, ranks]

    return end


@pytest.mark.most(8)
@pytest.mark.usual(4)
@pytest.mark.parametrize("system,how,variant,ranks", cases())
def test_it_ends_as_with_stock_styles(installation, tmp_path, stock_end, system, how, variant, ranks):
    expected = stock_end(system, how, ranks)
    script = script_of(system, how, "pppm/offload" if variant.parts else "pppm")
    script = re.sub("(kspace_style pppm/offload .*)", r"\1\nkspace_modify overlap/always yes", script)
    output = run_script(installation, script, ranks, tmp_path, variant=variant).expect_failure()
    expect_same_end(expected, end_of(output), ranks, system in PAIRWISE, ranks == 1 or not variant.parts)


@pytest.mark.full
@pytest.mark.parametrize("variant", (SHM, OFI, threadpool(2, "p2p/rdma")), ids=str)
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("words", ("", "weight time", "mode forward"), ids=lambda words: words or "weight atoms")
def test_it_ends_as_with_stock_styles_where_work_is_handed_over(installation, tmp_path, stock_end, how, variant, words):
    ranks = 4
    with_fix = script_of("slab", how).replace("thermo 1\n", f"fix ring all ring/balance 1 1.0 {words}\nthermo 1\n", 1)
    assert "ring/balance" in with_fix
    output = run_script(installation, with_fix, ranks, tmp_path, variant=variant).expect_failure()
    expect_same_end(stock_end("slab", how, ranks), end_of(output), ranks, True)


@pytest.mark.parametrize("variant", (SHM, OFI), ids=str)
@pytest.mark.parametrize("how", HOW)
def test_it_ends_as_with_stock_styles_with_half_of_the_ghosts(installation, tmp_path, stock_end, how, variant):
    script = script_of("lj", how).replace("run 3 post no", "run 3")    # a run without post no prints the statistics
    output = run_script(installation, script, 4, tmp_path, variant=variant).expect_failure()
    assert "ghosts from the half shell" in output
    expect_same_end(stock_end("lj", how, 4), end_of(output), 4, True)


@pytest.mark.parametrize("ranks", (1, 2))
def test_two_atoms_on_one_place_stop_a_run_in_single_precision_as_well(installation, tmp_path, stock_end, ranks):
    script = f"package threadpool 2 precision mixed\nsuffix threadpool\n{script_of('lj', 'one place')}"
    found = end_of(run_script(installation, script, ranks, tmp_path).expect_failure())
    expected = stock_end("lj", "one place", ranks)
    assert (found.step, found.message) == (expected.step, expected.message)
