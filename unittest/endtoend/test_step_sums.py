# SPDX-License-Identifier: GPL-2.0-only
"""Temperature and pressure of fix nvt, npt and nph with the suffix: one reduction a step, and what LAMMPS computes."""

import re
from typing import List, NamedTuple, Tuple

import pytest

from charged_systems import water
from lammps_output import read_thermo
from lammps_run import BRICK, run, threadpool
from small_systems import LJ, METAL
from suffix_runs import TRICLINIC, largest_difference
from test_neighbor_check import WITH_SUFFIX


class Case(NamedTuple):
    """A system with such a fix.

    Args:
        system: commands of an input script.
        reductions: those that a step has when nothing is printed.
    """

    system: str
    reductions: float


def moved_by(fix: str, system: str = LJ) -> str:
    return system.replace("fix integrate all nve", f"fix integrate {fix}")


ISO = moved_by("all npt temp 1.4 1.0 0.1 iso 0 1 0.5")
ANISO = moved_by("all npt temp 1.4 1.0 0.1 aniso 0 1 0.5")
FLAT = ANISO.replace("units lj", "units lj\ndimension 2").replace("fcc 0.8442", "sq2 0.8442").replace(
    "block 0 5 0 5 0 5", "block 0 12 0 12 -0.5 0.5").replace("aniso 0 1 0.5", "x 0 1 0.5 y 0 1 0.5")
WATER = water(2).format(kspace="kspace_style pppm 1e-4").replace("fix integrate all nve\n", "")
WATER += "fix integrate all npt temp 300.0 300.0 50.0 {} 1.0 1.0 200.0\n"
HALVES = "group one id 1:250\ngroup two subtract all one\n"

CASES = {
    "nvt": Case(moved_by("all nvt temp 1.4 1.0 0.1"), 1),
    "nvt with a short chain": Case(moved_by("all nvt temp 1.4 1.0 0.1 tchain 1 tloop 3"), 1),
    "iso": Case(ISO, 1),
    "aniso": Case(ANISO, 1),
    "xy together": Case(moved_by("all npt temp 1.4 1.0 0.1 x 0 1 0.5 y 0 1 0.5 z 1 2 0.7 couple xy"), 1),
    "tri": Case(moved_by("all npt temp 1.4 1.0 0.1 tri 0 1 0.5", TRICLINIC), 1),
    "nph": Case(moved_by("all nph iso 0 1 0.5"), 1),
    "nph and langevin": Case(moved_by("all nph aniso 0 1 0.5") + "fix bath all langevin 1.4 1.0 0.1 4711\n", 1),
    "nph and langevin that tallies": Case(
        moved_by("all nph aniso 0 1 0.5") + "fix bath all langevin 1.4 1.0 0.1 4711 tally yes\n", 1),
    # the mean random force is wanted before velocities change
    "nph and langevin without a mean": Case(
        moved_by("all nph iso 0 1 0.5") + "fix bath all langevin 1.4 1.0 0.1 4711 zero yes\n", 2),
    "langevin without a mean": Case(LJ + "fix bath all langevin 1.4 1.0 0.1 4711 zero yes\n", 1),
    "two dimensions": Case(FLAT + "fix flat all enforce2d\n", 1),
    "water": Case(WATER.format("iso"), 1),
    "water, aniso": Case(WATER.format("aniso"), 1),
    "tail": Case(ISO + "pair_modify tail yes\n", 1),
    "virial alone": Case(ISO + "compute p all pressure integrate_temp virial\nfix_modify integrate press p\n", 1),
    # velocities that are summed are not those that are scaled
    "half of the atoms": Case(moved_by("one npt temp 1.4 1.0 0.1 iso 0 1 0.5", LJ.replace("fix ", HALVES + "fix ")), 2),
    # velocities, or virials, change between two steps
    "another integrator after it": Case(
        moved_by("one npt temp 1.4 1.0 0.1 iso 0 1 0.5", LJ.replace("fix ", HALVES + "fix ")) + "fix rest two nve\n",
        2),
    "another integrator before it": Case(LJ.replace(
        "fix integrate all nve", HALVES + "fix rest two nve\nfix integrate one npt temp 1.4 1.0 0.1 iso 0 1 0.5"), 2),
    "another integrator after a barostat": Case(
        moved_by("one nph iso 0 1 0.5", LJ.replace("fix ", HALVES + "fix ")) + "fix rest two nve\n", 2),
    "two thermostats": Case(LJ.replace(
        "fix integrate all nve", HALVES + "fix rest two nvt temp 1.0 1.0 0.1\n"
                                          "fix integrate one npt temp 1.4 1.0 0.1 iso 0 1 0.5"), 3),
    "scaled at the end of steps": Case(ISO + "fix cool all temp/rescale 4 1.0 1.0 0.0 1.0\n", 1.5),
    "momentum": Case(ANISO + "fix still all momentum 2 linear 1 1 1\n", 1.5),
    # others ask for the same numbers
    "averages": Case(ISO + "fix mean all ave/time 2 1 2 c_integrate_temp c_integrate_press\n", 2),
    "a changing group": Case(ANISO + "variable low atom z<4\ngroup low dynamic all every 3 var low\n"
                                     "compute low low temp\nfix mean all ave/time 5 1 5 c_low\n", 1.2),
    "a temperature of a changing number of atoms": Case(
        ANISO + "compute_modify integrate_temp dynamic/dof yes\n", 2),
    "a pressure that acts": Case(
        WATER.format("iso") + "compute q all pressure NULL virial\nvariable push equal 1e-4*c_q\n"
                              "fix push all addforce v_push 0.0 0.0\n", 2),
    "a pressure that acts, without the suffix": Case(
        WATER.format("iso") + "suffix off\ncompute q all pressure NULL virial\n"
                              "variable push equal 1e-4*c_q\nfix push all addforce v_push 0.0 0.0\n", 1),
}

FASTER = "velocity all ramp vx 0 1.0 z 0 8 sum yes"    # unlike others it does not initialize anything
BETWEEN = {
    "velocities": f"run 7\n{FASTER}\nrun 7 pre no\n",
    "velocities, in pieces of a run": f"run 12 pre no every 4 '{FASTER}'\n",
    "velocities, with LAMMPS' own loop": f"suffix off\nrun_style verlet\nrun 7\n{FASTER}\nrun 7 pre no\n",
    "another pressure": "run 7\ncompute p all pressure NULL virial\nfix_modify integrate press p\nrun 7\n",
    "another temperature": "run 7\ngroup one id 1:250\ncompute t one temp\nfix_modify integrate temp t\nrun 7\n",
    "a temperature with a bias": "run 7\ncompute t all temp/partial 1 1 0\nfix_modify integrate temp t\nrun 7\n",
    "the step number": "run 7\nreset_timestep 0\nrun 7\nreset_timestep 0\nrun 7\n",
    "a minimisation": "run 7\nunfix integrate\nfix relax all box/relax aniso 1.0\nminimize 0 0 10 100\nunfix relax\n"
                      "fix integrate all npt temp 1.4 1.0 0.1 aniso 0 1 0.5\nrun 7\n",
    "the loop is LAMMPS' own": "run 7\nsuffix off\nrun_style verlet\nrun 7\n",
    "rRESPA": "run 7\nrun_style respa 2 2 pair 2\nrun 7\n",
    "computes come and go": "compute q all pressure thermo_temp\ncompute t all temp\n"
                            "thermo_style custom step c_q c_t pe\nthermo 3\nrun 7\n"
                            "thermo_style custom step temp press\nuncompute q\nuncompute t\nrun 7\n",
}

THERMO = ("thermo_style custom step temp press pxx pyy pzz pxy pxz pyz pe etotal vol\n"
          "thermo_modify norm no format float %.17g\nthermo 5\n")


def thermo(servers, script: str, variant, ranks: int) -> List[dict]:
    begin = WITH_SUFFIX if variant.parts else ""
    output = servers.server(ranks, variant).run("\n".join([begin, variant.command, script]))
    return [table.columns for table in read_thermo(output)]


def differences(expected: List[dict], found: List[dict], allowed: float) -> List[str]:
    """Lines about columns of thermo rows that differ by more than allowed, relative to the largest value; what the
    first row has is the same but for the rounding of sums."""
    assert len(expected) == len(found)
    lines = []
    for number, (one, other) in enumerate(zip(expected, found)):
        for name in sorted(set(one) - {"CPU"}):
            errors = {allowed: largest_difference(one[name], other[name])}
            if number == 0:
                errors[1e-12] = largest_difference(one[name][:1], other[name][:1])
            lines += [f"{name}: {error:.1e}, allowed {limit:.0e}" for limit, error in errors.items()
                      if not error <= limit]
    return lines


def cases_on_ranks(cases) -> List[Tuple[str, int, int]]:
    return [(case, *((1, 3) if number % 3 == 0 else (2, 1) if number % 3 == 1 else (3, 1)))
            for number, case in enumerate(cases)]


@pytest.mark.parametrize("case, ranks, parts", cases_on_ranks(CASES))
def test_thermodynamics_are_those_of_the_fix_without_the_suffix(servers, case, ranks, parts):
    script = f"{CASES[case].system}\n{THERMO}\nrun 20\n"
    expected, found = (thermo(servers, script, variant, ranks) for variant in (BRICK, threadpool(parts)))
    assert not differences(expected, found, 1e-11)


@pytest.mark.parametrize("change, ranks, parts", cases_on_ranks(BETWEEN))
def test_what_changes_between_runs_is_noticed(servers, change, ranks, parts):
    script = f"{ANISO}\n{THERMO}\n{BETWEEN[change]}"
    expected, found = (thermo(servers, script, variant, ranks) for variant in (BRICK, threadpool(parts)))
    assert not differences(expected, found, 1e-11)


@pytest.mark.usual(8)
@pytest.mark.parametrize("case", CASES)
def test_reductions_of_a_step(servers, case):
    """Of the last two runs, the longer one has as many more as its further steps have."""
    variant = threadpool(1, "p2p/rdma")
    script = f"{CASES[case].system}\nthermo 0\nrun 100\nrun 100\nrun 160\n"
    output = servers.server(2, variant).run("\n".join([WITH_SUFFIX, variant.command, script]))
    lines = re.findall(r"TOFU threadpool: (\d+) temperatures, pressures and energies by (\d+) reductions", output)
    assert len(lines) == 3, output
    assert (int(lines[2][1]) - int(lines[1][1])) / 60 == CASES[case].reductions


@pytest.mark.parametrize("more, asked", [("", 5), (
    "fix bath all langevin 1.4 1.0 0.1 4711 tally yes\nthermo_style custom step temp press pe pxx f_bath\n", 6)],
                         ids=["alone", "with langevin"])
def test_an_output_has_one_reduction_for_temperature_pressure_and_energy(servers, more, asked):
    variant = threadpool(1, "p2p/rdma")
    script = f"{LJ}\nthermo_style custom step temp press pe pxx\n{more}thermo 2\nrun 100\nrun 100\nrun 160\n"
    output = servers.server(2, variant).run("\n".join([WITH_SUFFIX, variant.command, script]))
    counts = [tuple(map(int, numbers)) for numbers in re.findall(
        r"TOFU threadpool: (\d+) temperatures, pressures and energies by (\d+) reductions", output)]
    _, (few, fewer), (many, reductions) = counts
    assert (many - few, reductions - fewer) == (asked * 30, 30)


@pytest.mark.parametrize("every", (0, 1, 5))
def test_a_density_beyond_the_table_of_eam_is_told_once(servers, every):
    """With the sum of the next output of an energy, or without one."""
    system = METAL.replace("fcc 3.615", "fcc 2.4") + "thermo_style custom step temp pe\n"
    counts = []
    for variant in (BRICK, threadpool(1, "p2p/rdma")):
        output = servers.server(2, variant).run(
            f"{WITH_SUFFIX if variant.parts else ''}{variant.command}\n{system}timestep 1e-6\nthermo {every}\nrun 10\n")
        counts.append(output.count("exceeded rhomax"))
    assert counts == [1, 1]


@pytest.mark.usefixtures("no_segment_left")
def test_partitions_have_sums_of_their_own(installation, tmp_path):
    script = "variable t world 1.4 0.9\n" + ISO.replace("temp 1.4 1.0", "temp $t $t") + (
        "thermo_style custom step temp press pe\nthermo 5\nrun 20\n"
        'print "$(temp:%.17g) $(press:%.17g) $(pe:%.17g)" file {}.$t\n')
    for variant in (BRICK, threadpool(1, "p2p/rdma")):
        (tmp_path / "in.script").write_text(script.format(variant))
        run(installation, ["-log", "none", "-in", "in.script", "-partition", "2x2"], 4, tmp_path,
            variant).expect_success()
    for t in ("1.4", "0.9"):
        expected, found = ([float(word) for word in (tmp_path / f"{variant}.{t}").read_text().split()]
                           for variant in (BRICK, threadpool(1, "p2p/rdma")))
        assert found == pytest.approx(expected, rel=1e-10)
