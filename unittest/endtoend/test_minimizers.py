# SPDX-License-Identifier: GPL-2.0-only
"""Minimizers with the suffix /threadpool go the way that LAMMPS' own go."""

import re
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Dict, List, Tuple

import numpy as np
import pytest

from lammps_output import Snapshot, ThermoTable, error_line, read_snapshot, read_thermo
from lammps_plugin import compile_plugin
from lammps_run import BRICK, Variant, run, run_script, threadpool
from small_systems import LJ, dump
from suffix_runs import TRICLINIC, largest_difference

DISPLACED = "displace_atoms all random 0.08 0.08 0.08 31 units box\n"
OUTPUT = """\
thermo_style custom step pe fnorm fmax press pxx pyy pzz lx ly lz
thermo_modify norm {norm} format float %.17g
thermo 1
"""
SPHERES = LJ.replace("atom_style atomic", "atom_style sphere").replace(
    "mass * 1.0", "set type 1 diameter 1.0 density 1.5").replace(
    "set group all type/fraction 2 0.4 4711", "set group all type/fraction 2 0.4 4711\nset type 2 density 0.6")
MASSES = LJ.replace("mass * 1.0", "mass 1 1.0\nmass 2 2.5")
SYSTEMS = {"atoms": MASSES, "spheres": SPHERES, "a triclinic box": TRICLINIC}
BOXES = {
    "aniso": LJ + DISPLACED + "fix relax all box/relax aniso 0.5 vmax 0.002\n",
    "tilted": TRICLINIC + DISPLACED + "fix relax all box/relax tri 0.5 vmax 0.002\n",
    "with a reference that moves": LJ + DISPLACED + "fix relax all box/relax x 5.0 y 1.0 z -3.0 vmax 0.01 nreset 2\n",
    "alone": LJ.replace("set group all type/fraction 2 0.4 4711", "") +
             "displace_atoms all random 0.001 0.001 0.001 31 units box\nfix relax all box/relax iso 0.5 vmax 0.05\n",
}
"""In the last one forces of atoms are small, so that nearly all of the slopes is that of the box, and searches find the
minimum along a line."""


LINES = {f"{style} {line}": f"min_style {style}\nmin_modify line {line}\n"
         for style in ("cg", "sd") for line in ("backtrack", "quadratic", "forcezero")}
DAMPED = {
    "quickmin": "min_style quickmin\n",
    "fire": "min_style fire\n",
    **{f"fire {integrator}": f"min_style fire\nmin_modify integrator {integrator}\n"
       for integrator in ("verlet", "leapfrog", "eulerexplicit")},
    **{f"abcfire {integrator}": f"min_style fire\nmin_modify abcfire yes integrator {integrator} dmax 0.02\n"
       for integrator in ("eulerimplicit", "verlet", "eulerexplicit")},
    "fire with other settings": "min_style fire\nmin_modify delaystep 3 dtgrow 1.2 dtshrink 0.4 alpha0 0.3 alphashrink "
                                "0.9 tmax 4 tmin 0.1 halfstepback no initialdelay no\n",
}
RANKS_AND_PARTS = ((1, 3, "brick"), (1, 2, "p2p/rdma"), (2, 2, "p2p/rdma"))


@dataclass
class Minimization:
    """What a minimization left behind.

    Args:
        tables: thermo rows of each iteration, of each minimize command.
        atoms: places and forces at the end.
        log: the log file.
    """

    tables: List[ThermoTable]
    atoms: Snapshot
    log: str

    def lines(self, pattern: str) -> List[str]:
        """What the group of a pattern matches, in each line of the log."""
        return re.findall(pattern, self.log, re.M)

    @property
    def story(self) -> Dict[str, List[str]]:
        """Why it ended, and what LAMMPS counts."""
        return {name: self.lines(pattern) for name, pattern in {
            "end": r"^  Stopping criterion = (.*)$", "evaluations": r"^  Iterations, force evaluations = (.*)$",
            "builds": r"^Neighbor list builds = (.*)$", "dangerous": r"^Dangerous builds = (.*)$",
            "settings": r"^  Parameters for .*\n(.*)$", "values": r"^  Parameters for .*\n.*\n(.*)$"}.items()}

    @property
    def energies(self) -> np.ndarray:
        """Those that LAMMPS prints at the end: initial, before the last iteration, final."""
        return np.array(self.lines(r"^  Energy initial, next-to-last, final = *\n(.*)$")[0].split(), float)

    @property
    def norms(self) -> np.ndarray:
        """Initial and final norms of forces, and the final step of line searches."""
        numbers = " ".join(self.lines(r"^  (?:Force .* initial, final|Final line search .*) = (.*)$"))
        return np.array(numbers.split(), float)


def minimized(servers, script: str, variant: Variant, ranks: int, folder: Path) -> Minimization:
    name = f"{variant}-{ranks}"
    path, log = folder / f"{name}.dump", folder / f"{name}.log"
    servers.server(ranks, variant).run(f"log {log}\n{variant.command}\n{script}\n"
                                       f"{dump(path, columns='x y z fx fy fz')}\nlog none")
    text = log.read_text(encoding="utf-8")
    return Minimization(read_thermo(text), read_snapshot(path), text)


def script_of(system: str, minimizer: str, minimize: str = "minimize 0 0 12 60", norm: str = "no") -> str:
    moved = "" if "box/relax" in system else DISPLACED
    return f"{system}{moved}{OUTPUT.format(norm=norm)}{minimizer}{minimize}\n"


def differences(expected: Minimization, found: Minimization, allowed: float, same_ids: bool = True) -> List[str]:
    """Lines about the story, and columns that differ by more than what is allowed, relative to the largest value.

    Args:
        same_ids: whether atoms are compared, too.
    """
    lines = [f"{name}: {expected.story[name]}, found {values}" for name, values in found.story.items()
             if values != expected.story[name]]
    if not np.allclose(expected.norms, found.norms, rtol=max(allowed, 1e-7) if allowed else 0.0, atol=0.0):
        lines.append(f"norms: {expected.norms}, found {found.norms}")
    if not np.allclose(expected.energies[:2], found.energies[:2], rtol=max(allowed, 1e-12), atol=0.0):
        lines.append(f"energies: {expected.energies}, found {found.energies}")
    pairs = list(zip(expected.tables, found.tables)) + [(expected.atoms, found.atoms)] * same_ids
    for one, other in pairs:
        for name, values in one.columns.items():
            if len(values) != len(other.columns[name]):
                lines.append(f"{name}: {len(values)} rows, found {len(other.columns[name])}")
                continue
            error = largest_difference(values, other.columns[name])
            if not error <= allowed:
                lines.append(f"{name}: {error:.1e}")
    return lines


def expect_the_same_way(servers, script: str, ranks_parts_style: Tuple[int, int, str], folder: Path,
                        allowed: float = 1e-10):
    """LAMMPS' own *fire* runs on one rank, where atoms have other ids: after a build of neighbor lists amid an
    iteration it goes on with the number of atoms that a rank had before, and may come to other places with several
    ranks than with one."""
    ranks, parts, style = ranks_parts_style
    wrong = ranks > 1 and "min_style fire" in script
    expected = minimized(servers, script, BRICK, 1 if wrong else ranks, folder)
    found = minimized(servers, script, threadpool(parts, style), ranks, folder)
    assert not differences(expected, found, allowed, not wrong)
    assert expected.tables[0].nrows > 1
    assert np.max(np.abs(expected.atoms.forces)) > 0.0
    return found


@pytest.mark.most(15)
@pytest.mark.parametrize("ranks_parts_style", RANKS_AND_PARTS)
@pytest.mark.parametrize("minimizer", (*LINES, *DAMPED))
@pytest.mark.parametrize("system", ("atoms", "spheres", "a triclinic box"))
def test_each_iteration_is_that_of_lammps(servers, tmp_path, minimizer, system, ranks_parts_style):
    steps = "minimize 0 0 12 60" if minimizer in LINES else "timestep 0.01\nminimize 0 0 40 80"
    found = expect_the_same_way(servers, script_of(SYSTEMS[system], {**LINES, **DAMPED}[minimizer], steps),
                                ranks_parts_style, tmp_path)
    assert int(found.story["builds"][0]) > 0


@pytest.mark.parametrize("ranks_parts_style", RANKS_AND_PARTS)
@pytest.mark.parametrize("minimizer", LINES)
@pytest.mark.parametrize("box", BOXES)
def test_the_box_changes_as_without(servers, tmp_path, box, minimizer, ranks_parts_style):
    script = script_of(BOXES[box], LINES[minimizer], f"minimize 0 0 {6 if box == 'alone' else 12} 60")
    found = expect_the_same_way(servers, script, ranks_parts_style, tmp_path)
    lengths = found.tables[0].columns["Lx"]
    assert abs(lengths[-1] - lengths[0]) > 1e-4


ALL = ("cg", "sd", "quickmin", "fire")


@pytest.mark.parametrize("minimizer", ALL)
def test_energies_per_atom_are_those_of_lammps(servers, tmp_path, minimizer):
    script = script_of(MASSES, f"min_style {minimizer}\n", norm="yes")
    found = expect_the_same_way(servers, script, (2, 2, "p2p/rdma"), tmp_path)
    assert found.energies[2] == pytest.approx(found.tables[0].columns["PotEng"][-1], rel=1e-12)


ENDS = {
    "energy tolerance": "minimize 1e-3 0 60 500",
    "energy tolerance, as soon as it counts": "minimize 1.0 0 60 500",
    "force tolerance": "minimize 0 {force} 60 500",
    "max iterations": "minimize 0 0 7 500",
    "max force evaluations": "minimize 0 0 60 15",
}
FORCES = {"two": 30.0, "max": 7.0, "inf": 5.0}
"""Norms of forces that all minimizers come below within 20 iterations."""


@pytest.mark.parametrize("minimizer, norm", product(ALL, FORCES))
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("ranks_parts_style", RANKS_AND_PARTS[1:])
def test_the_end_is_that_of_lammps(servers, tmp_path, minimizer, end, norm, ranks_parts_style):
    script = script_of(LJ, f"min_style {minimizer}\nmin_modify norm {norm}\n",
                       f"timestep 0.01\n{ENDS[end].format(force=FORCES[norm])}")
    found = expect_the_same_way(servers, script, ranks_parts_style, tmp_path, 1e-8)
    if end == "max force evaluations" and minimizer in ("quickmin", "fire"):
        end = "max iterations"    # damped dynamics has no other limit
    assert found.story["end"] == [end.partition(",")[0]]


@pytest.mark.parametrize("minimizer", ("quickmin", "fire"))
def test_a_time_limit_ends_a_minimization(servers, tmp_path, minimizer):
    """Lines end as soon as the energy stays as it is."""
    variant = threadpool(2)
    script = script_of(LJ, f"min_style {minimizer}\nthermo 1000\n",
                       "timer timeout 0:00:01 every 1\nminimize 0 0 100000000 1000000000")
    found = minimized(servers, f"{script}timer timeout off\n", variant, 1, tmp_path)
    assert found.story["end"] == ["walltime limit reached"]


@pytest.mark.parametrize("minimizer", ("cg", "fire"))
def test_minimizers_use_the_pool_and_those_named_otherwise_do_not(servers, tmp_path, minimizer):
    script = script_of(LJ, f"min_style {minimizer}\n") + (
        f'if "$(is_active(min_style,{minimizer}/threadpool))" then "print active" else "print inactive"\n')
    assert minimized(servers, script, threadpool(2), 1, tmp_path).lines("^((?:in)?active)$") == ["active"]
    assert minimized(servers, script, BRICK, 1, tmp_path).lines("^((?:in)?active)$") == ["inactive"]
    script = script.replace(f"min_style {minimizer}", f"suffix off\nmin_style {minimizer}\nsuffix on")
    off = minimized(servers, script, threadpool(2), 1, tmp_path)
    assert off.lines("^((?:in)?active)$") == ["inactive"]
    assert "the minimizer is LAMMPS' own" in off.log


SPRINGS = LJ.replace("pair_style lj/cut 2.5\npair_coeff * * 1.0 1.0 2.5\npair_coeff 2 2 0.8 0.9 2.0",
                     "pair_style zero 1.5\npair_coeff * *") + """\
fix springs all spring/self 10.0
fix_modify springs energy yes
"""
"""Forces have the same bits for any number of parts."""

UNEVEN_SPRINGS = SPRINGS + """\
fix along_x all spring/self 7.0 x
fix_modify along_x energy yes
fix along_y all spring/self 3.0 y
fix_modify along_y energy yes
"""
"""Not at the minimum in one step along the forces, after which all would be rounding."""


@pytest.mark.parametrize("minimizer", ALL)
def test_vectors_have_the_same_bits_for_any_number_of_parts(servers, tmp_path, minimizer):
    minimize = f"minimize 0 0 {2 if minimizer == 'cg' else 12} 60"    # cg is at the minimum in three iterations
    script = script_of(UNEVEN_SPRINGS, f"min_style {minimizer}\n", minimize)
    found = []
    for parts in (1, 2, 3, 4):
        found.append(minimized(servers, script, threadpool(parts), 1, tmp_path))
        assert not differences(found[0], found[-1], 0.0)
    assert np.max(np.abs(found[0].atoms.forces)) > 0.0
    assert not differences(minimized(servers, script, BRICK, 1, tmp_path), found[0], 1e-10)


@pytest.mark.parametrize("minimizer", ALL)
def test_the_same_minimization_twice_has_the_same_bits(servers, tmp_path, minimizer):
    script = script_of(MASSES, f"min_style {minimizer}\n")
    first, second = (minimized(servers, script, threadpool(2, "p2p/rdma"), 2, tmp_path) for _ in range(2))
    assert not differences(first, second, 0.0)


@pytest.mark.parametrize("minimizer", LINES)
def test_a_search_that_finds_nothing_more_ends_as_that_of_lammps(servers, tmp_path, minimizer):
    """At the minimum of springs all is exact but for rounding; which of the reasons comes first, it may decide."""
    script = script_of(SPRINGS, LINES[minimizer], "minimize 0 0 1000 10000")
    expected, found = (minimized(servers, script, variant, 1, tmp_path) for variant in (BRICK, threadpool(2)))
    reasons = {"linesearch alpha is zero", "forces are zero", "quadratic factors are zero", "energy tolerance",
               "search direction is not downhill"}
    for one in (expected, found):
        assert len(one.story["end"]) == 1 and one.story["end"][0] in reasons
    last = [one.tables[0].columns["PotEng"][-1] for one in (expected, found)]
    assert abs(last[1] - last[0]) <= 1e-9 * expected.tables[0].columns["PotEng"][0]


FEW = LJ.replace("create_atoms 1 box", "create_atoms 1 single 2 2 2\ncreate_atoms 1 single 2.65 2 2\n"
                 "create_atoms 1 single 2.3 2.6 2.2\ncreate_atoms 1 single 2.4 2.2 2.7").replace(
                     "set group all type/fraction 2 0.4 4711\n", "")


def test_directions_start_anew_after_as_many_iterations_as_there_are_coordinates(servers, tmp_path):
    script = script_of(FEW, "min_style cg\n", "minimize 0 0 15 100")
    found = expect_the_same_way(servers, script, (1, 2, "brick"), tmp_path, 1e-8)
    assert found.tables[0].nrows > 4 * 3


def test_fire_ends_when_velocities_are_against_forces_too_often(servers, tmp_path):
    script = script_of(MASSES, "min_style fire\nmin_modify vdfmax 1 delaystep 2 tmax 20\n",
                       "timestep 0.03\nminimize 0 0 400 800")
    found = expect_the_same_way(servers, script, (1, 2, "brick"), tmp_path, 1e-6)
    assert found.story["end"] == ["max iterations with v.f negative"]


@pytest.mark.full
@pytest.mark.parametrize("minimizer", ("cg", "sd"))
def test_norms_of_the_box_are_those_of_lammps(servers, tmp_path, minimizer):
    """LAMMPS takes each third force of the box for the norm *max*."""
    only_y = BOXES["alone"].replace("iso 0.5", "y 0.5")
    for norm in FORCES:
        script = script_of(only_y, f"min_style {minimizer}\nmin_modify norm {norm}\n", "minimize 0 150.0 12 300")
        found = expect_the_same_way(servers, script, (2, 2, "p2p/rdma"), tmp_path)
        assert (norm == "max") == (found.story["evaluations"][0].split()[0] == "1")


def test_a_second_minimization_has_a_pool_of_its_own(servers, tmp_path):
    script = script_of(MASSES, "min_style cg\n", "minimize 0 0 5 60\n{unfix}\nminimize 0 0 5 60")
    expected = minimized(servers, script.format(unfix=""), BRICK, 1, tmp_path)
    found = minimized(servers, script.format(unfix="unfix THREADPOOL"), threadpool(2), 1, tmp_path)
    assert len(found.tables) == 2
    assert not differences(expected, found, 1e-9)


@pytest.mark.full
@pytest.mark.parametrize("minimizer", ("fire", "quickmin"))
def test_a_fix_that_knows_the_minimizer_by_name_finds_it(installation, tmp_path, minimizer):
    """The name has the suffix again when the fix is gone."""
    plugin = compile_plugin(installation, [Path(__file__).with_name("fix_named_minimizer.cpp")], tmp_path / "artn.so")
    variant = threadpool(2)
    script = (f"plugin load {plugin}\n{{start}}\n{MASSES}{DISPLACED}{OUTPUT.format(norm='no')}min_style {minimizer}\n"
              f"fix name all artn {minimizer}\nminimize 0 0 8 80\nunfix name\n"
              f'print "suffix $(is_active(min_style,{minimizer}/threadpool))"\nminimize 0 0 1 80\n'
              f'print "suffix $(is_active(min_style,{minimizer}/threadpool))"\n')
    outputs = [run_script(installation, script.format(start=start), 2, tmp_path).expect_success().output
               for start in (BRICK.command, variant.command)]
    expected, found = (read_thermo(output)[0] for output in outputs)
    for name, values in expected.columns.items():
        assert largest_difference(values, found.columns[name]) <= 1e-10, name
    assert [re.findall(r"^suffix (\d)", output, re.M) for output in outputs] == [["0", "0"], ["0", "1"]]
    assert "the minimizer is LAMMPS' own" not in outputs[1]


def test_line_searches_of_spins_are_an_error(installation, tmp_path):
    done = run_script(installation, f"package threadpool 1\nsuffix threadpool\n{LJ}min_style cg\n"
                                    "min_modify line spin_cubic\nminimize 0 0 5 60\n", 1, tmp_path)
    assert done.returncode != 0
    assert "min_modify line backtrack, quadratic or forcezero" in error_line(done.output)


ELECTRONS = """\
units electron
newton on
boundary f f f
atom_style electron
read_data {data}
pair_style eff/cut 100.0
pair_coeff * *
comm_modify vel yes
thermo_style custom step pe fnorm fmax
thermo_modify format float %.17g
thermo 1
min_style {style}
min_modify line {line} norm {norm}
minimize 0 1e-4 12 60
"""
"""Radii of electrons are minimized, too."""


@pytest.mark.parametrize("norm", ("two", "inf"))
@pytest.mark.parametrize("line", ("backtrack", "quadratic", "forcezero"))
@pytest.mark.parametrize("style", ("cg", "sd"))
def test_other_numbers_of_atoms_are_minimized(servers, installation, tmp_path, style, line, norm):
    data = installation.lammps_dir / "examples" / "PACKAGES" / "eff" / "CH4" / "data.ch4"
    script = ELECTRONS.format(data=data, style=style, line=line, norm=norm)
    found = expect_the_same_way(servers, script, (1, 2, "brick"), tmp_path)
    assert found.tables[0].nrows > 2


@pytest.mark.parametrize("minimizer", ("cg", "quickmin"))
def test_a_rank_without_atoms_does_its_part(servers, tmp_path, minimizer):
    system = LJ.replace("region box block 0 5 0 5 0 5", "region box block 0 12 0 5 0 5\nregion half block 1 5 0 5 0 5")
    system = system.replace("create_atoms 1 box", "create_atoms 1 region half")
    found = expect_the_same_way(servers, script_of(system, f"min_style {minimizer}\n"), (2, 2, "p2p/rdma"), tmp_path)
    assert re.search(r"^Nlocal: .* 0 min$", found.log, re.M)


@pytest.mark.full
@pytest.mark.parametrize("ranks", (1, 2))
@pytest.mark.parametrize("minimizer", ("quickmin", "fire"))
def test_replicas_of_an_elastic_band_go_together(installation, tmp_path, minimizer, ranks):
    """They have one time step for all, and end in the same iteration."""
    example = installation.lammps_dir / "examples" / "neb"
    script = (example / "in.neb.hop1").read_text(encoding="utf-8")
    for old, new in (("min_style       quickmin", f"min_style {minimizer}"), ("0.05\n", "0.005\n"),
                     ("neb             0.0 0.1 1000 1000 100", "neb 0.0 0.1 30 20 10")):
        assert old in script
        script = script.replace(old, new)
    bands = []
    for variant in (BRICK, threadpool(2)):
        folder = tmp_path / variant.name
        folder.mkdir()
        for name in ("initial.hop1", "final.hop1"):
            (folder / name).symlink_to(example / name)
        (folder / "in.script").write_text(script, encoding="utf-8")
        run(installation, ["-in", "in.script", "-partition", f"3x{ranks}"], 3 * ranks, folder, variant).expect_success()
        log = (folder / "log.lammps").read_text(encoding="utf-8")
        bands.append(np.array([line.split()[:9] for line in log.splitlines() if re.match(r" +\d+ ", line)], float))
    assert bands[0].shape == bands[1].shape and len(bands[0]) > 6
    assert np.max(np.abs(bands[0][-1] - bands[0][0])) > 0.1
    assert np.allclose(bands[0], bands[1], rtol=2e-5, atol=0.0)
