# SPDX-License-Identifier: GPL-2.0-only
"""Run style verlet/threadpool builds neighbor lists at the steps at which LAMMPS builds them, in every input, whether
ranks read the answer of all ranks at once or after the forces of pairs."""

import re
from typing import List, NamedTuple, Tuple

import pytest

from charged_systems import water
from lammps_output import read_statistics, read_thermo
from lammps_run import BRICK, Variant, threadpool
from small_systems import CHAINS, LJ, METAL
from sudden_motion import KINDS, sudden_motion
from suffix_runs import TRICLINIC

CHECKED = LJ.replace("neigh_modify every 2 delay 0 check no", "neigh_modify every 1 delay 0 check yes").replace(
    "velocity all create 1.44", "velocity all create 6.0")
OPEN = CHECKED.replace("units lj", "units lj\nboundary p p s")
HALF_FULL = LJ.replace(
    "region box block 0 5 0 5 0 5", "region box block 0 5 0 5 0 8\nregion low block 0 5 0 5 0 4.9").replace(
    "create_atoms 1 box", "create_atoms 1 region low").replace("every 2 delay 0 check no", "every 1 delay 0 check yes")
SQUEEZED = "fix integrate all npt temp 6.0 6.0 0.5 {} 20.0 20.0 0.3"

CASES = {
    "atoms": CHECKED,
    "slow atoms": CHECKED.replace("create 6.0", "create 0.2"),
    "delay": CHECKED.replace("delay 0", "delay 7"),
    "every": CHECKED.replace("every 1", "every 3"),
    "no check": LJ,
    "once": CHECKED.replace("check yes", "check yes once yes") + "neighbor 3.0 bin\n",
    "box": CHECKED.replace("fix integrate all nve", SQUEEZED.format("iso")),
    "box by sides": CHECKED.replace("fix integrate all nve", SQUEEZED.format("aniso")),
    "shrink-wrapped": OPEN,
    "prism": TRICLINIC.replace("every 2 delay 0 check no", "every 1 delay 0 check yes"),
    "moving prism": TRICLINIC.replace("every 2 delay 0 check no", "every 1 delay 0 check yes").replace(
        "fix integrate all nve", SQUEEZED.format("tri")),
    "a fix asks": HALF_FULL + "region above block 1 4 1 4 6 7\nfix more all deposit 3 1 13 77 region above near 0.5\n",
    "few atoms per part": CHECKED.replace("region box block 0 5 0 5 0 5", "region box block 0 3 0 3 0 3"),
    "first group": CHECKED + "group some type 1\natom_modify first some\nneigh_modify include some\n"
                             "group other type 2\nneigh_modify exclude group other other\nvelocity other set 0 0 0\n"
                             "unfix integrate\nfix integrate some nve\n",
}
CASES.update({
    "delay and every": CHECKED.replace("delay 0", "delay 6").replace("every 1", "every 3"),
    "metal": METAL.replace("every 2 delay 0 check no", "every 1 delay 0 check yes"),
    "chains": CHAINS.replace("fix integrate all nve", "fix integrate all nve\nfix bath all langevin 1.0 1.0 2.0 4711"),
    "water": water().format(kspace="kspace_style pppm 1e-4").replace(
        "every 2 delay 0 check no", "every 1 delay 0 check yes").replace(
        "fix integrate all nve\n", "") + "fix integrate all npt temp 300.0 300.0 50.0 iso 1.0 1.0 200.0\n",
    "fast atoms": LJ.replace("every 2 delay 0 check no", "every 1 delay 0 check yes"),
    "water at a temperature": water().format(kspace="kspace_style pppm 1e-4").replace(
        "every 2 delay 0 check no", "every 1 delay 5 check yes").replace(
        "fix integrate all nve", "fix integrate all nvt temp 275.0 275.0 100.0 tchain 1").replace(
        "timestep 1.0", "timestep 2.0"),
    "shear": TRICLINIC.replace("every 2 delay 0 check no", "every 1 delay 0 check yes") +
             "fix flow all deform 1 xy erate 0.3 remap x\n",
    "stretch": CHECKED + "fix pull all deform 1 x erate 0.2 y erate -0.1 remap x\n",
    "wobble": CHECKED + "fix pull all deform 1 z wiggle 0.3 0.2 remap x\n",
    "atoms vanish": CHECKED + "region low block INF INF INF INF 0 1\nfix fewer all evaporate 5 2 low 4711\n",
    "no velocities": CHECKED + "unfix integrate\ngroup some type 2\ngroup others subtract all some\n"
                               "fix integrate some nve\nfix wheel others move wiggle 0.05 0.0 0.05 0.2\n",
    "from rest": CHECKED.replace("velocity all create 6.0 87287 loop geom",
                                 "displace_atoms all random 0.1 0.1 0.1 4711"),
    "longer steps": CHECKED + "fix longer all dt/reset 7 0.001 0.008 0.02 units box\n",
})

#: Cases whose first lists stay good for long.
LASTING = ("slow atoms", "once")

STEPS = (30, 40, 31)
"""Of three runs, the second of which goes on without set-up."""


class Outcome(NamedTuple):
    """Of the runs of a script: lines with the numbers of list builds and of dangerous builds, and thermo rows."""

    builds: List[str]
    thermo: List[dict]


def with_check(way: str, parts: int = 1, keywords: Tuple[str, ...] = ()) -> Variant:
    """Styles with the suffix and p2p/rdma, and a way to check."""
    variant = threadpool(parts, "p2p/rdma")
    return Variant(f"{variant.name}-{way}", style=variant.style, environment=variant.environment, parts=parts,
                   package=("check", way), keywords=keywords)


WITH_SUFFIX = "suffix threadpool\nclear\n"
"""The step loop and the temperature are those of the suffix in the first script of a process, too."""


def outcome(servers, system: str, variant: Variant, ranks: int, more: str = "thermo 10") -> Outcome:
    runs = [f"run {n}{' pre no' if i == 1 else ''}" for i, n in enumerate(STEPS)]
    begin = WITH_SUFFIX if variant.parts else ""
    output = servers.server(ranks, variant).run("\n".join([begin, variant.command, system, more, *runs]))
    builds = re.findall(r"^(?:Neighbor list builds|Dangerous builds) = .*$", output, re.M)
    assert len(builds) >= 3, output
    return Outcome(builds, [{name: values.tolist() for name, values in table.columns.items()}
                            for table in read_thermo(output)])


def cases_on_ranks() -> List[tuple]:
    """Each case on one and two ranks, and on three or four."""
    return [(case, ranks, parts) for number, case in enumerate(CASES)
            for ranks, parts in ((1, 2), (2, 1), (4, 1) if number % 2 else (3, 2))]


@pytest.mark.most(10)
@pytest.mark.usual(6)
@pytest.mark.parametrize("case, ranks, parts", cases_on_ranks())
def test_lists_are_built_as_often_as_with_run_style_verlet(servers, case, ranks, parts):
    expected = outcome(servers, CASES[case], BRICK, ranks)
    step, overlap = (outcome(servers, CASES[case], with_check(way, parts), ranks) for way in ("step", "overlap"))
    assert step.builds == expected.builds
    assert step == overlap    # in all digits
    numbers = [int(line.split()[-1]) for line in expected.builds if line.startswith("Neighbor")]
    assert case in LASTING or min(numbers) > 0


def builds_by_step(servers, number: int, variant: Variant, ranks: int) -> Tuple[List[float], List[float]]:
    """Numbers of list builds and of dangerous ones so far, in each step of an input in which atoms become faster."""
    begin = WITH_SUFFIX if variant.parts else ""
    (table,) = read_thermo(servers.server(ranks, variant).run(f"{begin}{variant.command}\n{sudden_motion(number)}"))
    return table.columns["Nbuild"].tolist(), table.columns["Ndanger"].tolist()


MOTIONS, FEW_MOTIONS = 500, 30


@pytest.mark.most(10)
@pytest.mark.usual(4)
@pytest.mark.parametrize("number", [pytest.param(number, marks=() if number < FEW_MOTIONS else pytest.mark.long)
                                    for number in range(MOTIONS)])
def test_lists_are_in_time_where_atoms_become_faster_at_once(servers, number):
    ranks, parts = ((2, 1), (4, 1), (2, 2))[number // len(KINDS) % 3]
    expected = builds_by_step(servers, number, BRICK, ranks)
    order = ("order", "brick") if "fix bath" in sudden_motion(number) else ()    # in which random numbers are drawn
    for way in ("step", "overlap"):
        assert builds_by_step(servers, number, with_check(way, parts, order), ranks) == expected


class Overlaps(NamedTuple):
    """Of one run, from its log."""

    checks: int
    reductions: int
    beside: int
    again: int
    by_sums: int


def read_overlaps(output: str) -> Overlaps:
    (line,) = re.findall(r"TOFU threadpool: (\d+) neighbor checks by (\d+) reductions, (\d+) of them beside forces of "
                         r"pairs, (\d+) of which were computed again(?:; (\d+) by other sums)?", output)
    return Overlaps(*(int(word or 0) for word in line))


def run_overlapping(servers, system: str, ranks: int, steps: int = 400) -> Overlaps:
    variant = with_check("overlap")
    return read_overlaps(servers.server(ranks, variant).run(
        f"{WITH_SUFFIX}{variant.command}\n{system}\nrun_style verlet\nthermo {steps}\nrun {steps}\n"))


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("case", ["fast atoms", "metal", "chains"])
def test_ranks_wait_for_the_answer_before_few_forces_and_compute_few_twice(servers, case, ranks):
    found = run_overlapping(servers, CASES[case], ranks)
    assert found.checks == found.reductions == 400
    assert found.beside >= 0.6 * found.checks
    assert found.again <= 0.05 * found.checks


GRAINS_IN_CONTACT = """units lj
atom_style sphere
newton off
comm_modify vel yes
lattice sc 1.1
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
set group all diameter 1.0 density 1.0
velocity all create 1.0 4711 loop geom
pair_style gran/hooke/history 1000.0 NULL 50.0 NULL 0.5 0
pair_coeff * *
neighbor 0.2 bin
neigh_modify every 1 delay 0 check yes
timestep 0.002
fix integrate all nve/sphere
"""

WAITING = {
    "contact histories": GRAINS_IN_CONTACT,
    "a fix before forces": CASES["fast atoms"] + "variable a equal 1.0\n"
                           "fix a all adapt 1 pair lj/cut epsilon 1 1 v_a\n",
    "a fix before atoms change ranks": CASES["atoms vanish"],
    "a pair style with a stream of random numbers": CASES["fast atoms"].replace(
        "pair_style lj/cut 2.5", "comm_modify vel yes\nsuffix off\npair_style dpd 1.0 1.0 4711\nsuffix on").replace(
        "pair_coeff * * 1.0 1.0 2.5", "pair_coeff * * 10.0 4.5 1.0").replace("pair_coeff 2 2 0.8 0.9 2.0", ""),
    "an unknown pair style": CASES["fast atoms"].replace(
        "pair_style lj/cut 2.5", "pair_style momb 2.5 1.0 1.0").replace(
        "pair_coeff * * 1.0 1.0 2.5", "pair_coeff * * 1.0 5.0 1.0 0.0 1.0").replace("pair_coeff 2 2 0.8 0.9 2.0", ""),
}


@pytest.mark.parametrize("case", WAITING)
def test_ranks_wait_in_each_step_where_forces_may_not_be_computed_twice(servers, case):
    assert run_overlapping(servers, WAITING[case], 2, 100).beside == 0


PUSHED = CHECKED.replace("create 6.0", "create 0.01") + """\
variable push equal 4000.0*(step==60)
fix push all addforce v_push 0.0 0.0
"""


def test_forces_that_were_computed_too_early_are_dropped(servers):
    """An atom that is pushed is not foretold: lists are built in the same steps, and results have the same bits."""
    script = PUSHED + "run_style verlet\nthermo 10\nrun 150\n"
    outputs = {way: servers.server(2, with_check(way)).run(f"{WITH_SUFFIX}{with_check(way).command}\n{script}")
               for way in ("step", "overlap")}
    assert read_overlaps(outputs["overlap"]).again >= 1
    step, overlap = ([table.columns["TotEng"].tolist() for table in read_thermo(output)] for output in outputs.values())
    assert step == overlap


@pytest.mark.parametrize("ensemble", ["nvt temp 0.7 0.7 0.5", "npt temp 0.7 0.7 0.5 iso 5.0 5.0 5.0",
                                      "npt temp 0.7 0.7 0.5 aniso 5.0 5.0 5.0"], ids=["nvt", "npt", "aniso"])
def test_the_sum_at_the_end_of_a_step_answers_for_the_next(servers, ensemble):
    system = CASES["fast atoms"].replace("all nve", f"all {ensemble}")
    assert run_overlapping(servers, system, 2).by_sums >= 150    # of 400; with npt the box still shrinks at first


def test_the_sum_does_not_answer_where_another_fix_changes_velocities(servers):
    system = CHECKED.replace("all nve", "all nvt temp 6.0 6.0 0.5") + "fix kick all momentum 1 linear 1 1 1\n"
    assert run_overlapping(servers, system, 2).by_sums == 0


UNKNOWN = "fix program all external pf/array 1\n"
"""A fix that the table of styles does not have; a program behind it may do anything to atoms."""

BY_OTHERS = "as with check step, since fix external is not known to TOFU"


@pytest.mark.parametrize("ensemble", ["nve", "nvt temp 1.0 1.0 0.5"], ids=["nve", "nvt"])
def test_lists_are_checked_in_each_step_with_a_fix_that_is_not_known(servers, ensemble):
    system = CASES["fast atoms"].replace("all nve", f"all {ensemble}") + UNKNOWN
    expected = outcome(servers, system, with_check("step"), 2)
    variant = with_check("overlap")
    assert outcome(servers, system, variant, 2) == expected    # in all digits
    output = servers.server(2, variant).run(
        f"{WITH_SUFFIX}{variant.command}\n{system}\nrun_style verlet\nthermo 50\nrun 100\nrun 100\n")
    assert output.count(BY_OTHERS) == 1
    assert "neighbor checks by" not in output    # no reduction but those of check step


@pytest.mark.parametrize("way, system", [("step", UNKNOWN), ("overlap", "fix mean all ave/time 1 1 1 c_thermo_temp\n")])
def test_the_log_says_so_only_where_another_way_was_wanted(servers, way, system):
    variant = with_check(way)
    output = servers.server(2, variant).run(f"{WITH_SUFFIX}{variant.command}\n{CASES['fast atoms']}{system}\nrun 1\n")
    assert "is not known to TOFU" not in output


ROW = CHECKED.replace("region box block 0 5 0 5 0 5", "processors 1 1 4\nregion box block 0 4 0 4 0 12")


@pytest.mark.parametrize("more, way, alone", [
    ("", "step", False), ("", "overlap", False),
    ("region gas block INF INF INF INF 3 9\nfix fewer all evaporate 2 1 gas 4711\n", "step", True),
], ids=["step", "overlap", "fix"])
def test_the_check_tells_whether_atoms_go_to_ranks_without_a_link(servers, more, way, alone):
    """Four ranks in a row are not all linked: without the check all ranks ask each other once more in each build."""
    variant = with_check(way)
    output = servers.server(4, variant).run(f"{variant.command}\n{ROW}{more}\nrun_style verlet\nrun 60\n")
    builds = int(re.search(r"Neighbor list builds = (\d+)", output).group(1))
    (statistics,) = read_statistics(output)
    asked = int(statistics["questions for far atoms"][1])
    assert builds > 10
    assert asked == builds + 1 if alone else asked == 1    # set-up asks
