# SPDX-License-Identifier: GPL-2.0-only
"""Fixes and computes that are maps and sums over atoms, with the suffix /threadpool: each against that of LAMMPS.

All other styles are LAMMPS' own and the same in both runs, so that what a map changes has the same bits."""

from typing import NamedTuple

import numpy as np
import pytest

from lammps_output import read_snapshot
from lammps_run import Variant, run_script, threadpool
from small_systems import CHAINS, LJ, dump
from suffix_runs import CHARGES, moved_otherwise, thermo_of

WHERE = """\
displace_atoms all random 0.05 0.05 0.05 31 units box
set group all image 1 -2 3
group some id 1:400:3 500:864
region half block INF INF INF INF 0 6
variable grow equal 0.4+0.3*step
region moving sphere 5 5 5 v_grow units box
variable x atom 0.1*x
"""
GAS = LJ.replace("block 0 5 0 5 0 5", "block 0 6 0 6 0 6") + WHERE
IMAGES = "set group all image 1 -2 3\n"
NEAR = GAS.replace(IMAGES, "")
CHARGED = CHARGES.replace("block 0 5 0 5 0 5", "block 0 6 0 6 0 6") + WHERE
TILTED = GAS.replace("region box block 0 6 0 6 0 6", "region box prism 0 6 0 6 0 6 1.3 -0.8 0.6")
FLAT = LJ.replace("atom_modify", "dimension 2\natom_modify").replace("fcc", "sq2").replace(
    "box block 0 5 0 5 0 5", "box block 0 18 0 18 -0.1 0.1") + WHERE.replace("0.05 31", "0.0 31").replace(
    "-2 3", "-2 NULL").replace("0 6\n", "INF INF\n")
WALLS = GAS.replace("atom_style", "boundary p p f\natom_style").replace("-2 3", "-2 NULL").replace(
    "region box block 0 6 0 6 0 6\n", "region box block 0 6 0 6 -0.5 6.5\nregion filled block 0 6 0 6 0 5.9\n").replace(
    "create_atoms 1 box", "create_atoms 1 region filled")
TWO_LEVELS = "run_style respa 2 2 inner 1 1.5 2.0 outer 2\nfix_modify a respa 1"
NETWORK = CHAINS.replace("block 0 5 0 5 0 5", "block 0 6 0 6 0 6") + "group some id 1:400:3 500:864"
BITS, ROUNDING = 0.0, 1e-12
SMALL = 1e-10
"""Of differences of large numbers: the shift of a center."""


class Case(NamedTuple):
    """Commands, with {s} where the suffix comes; what they print; and how far atoms and output may be from LAMMPS'."""

    commands: str
    output: str = ""
    atoms: float = BITS
    printed: float = ROUNDING
    system: str = GAS
    columns: str = ""


def fix(words: str, output: str = "f_a f_a[*]", **more) -> Case:
    style, _, arguments = words.partition(" ")
    return Case(f"fix a {more.pop('group', 'some')} {style}{{s}} {arguments}", output, **more)


def of_atoms(words: str, ncolumns: int = 0, system: str = GAS) -> Case:
    """A compute of atoms, whose values are dumped."""
    style, _, arguments = words.partition(" ")
    columns = " ".join(f"c_a[{column + 1}]" for column in range(ncolumns)) or "c_a"
    return Case(f"compute a some {style}{{s}} {arguments}\ncompute r all reduce sum {columns}",
                "c_r" + ("[*]" if ncolumns else ""), system=system, columns=columns)


def wall(words: str, **more) -> Case:
    case = fix(words, system=WALLS, **more)
    return case._replace(output=case.output + " c_r", commands=case.commands + (
        "\nfix_modify a energy yes virial yes\ncompute s all stress/atom NULL fix\ncompute r all reduce sum c_s[3]"))


def rescaled(words: str, temperature: str = "") -> Case:
    more = f"\ncompute t some {temperature}\nfix_modify a temp t" if temperature else ""
    case = fix(words, "f_a")
    return case._replace(commands=case.commands + more)


def reduced(mode: str, values: str = "x vy fz c_e c_s[2]", system: str = GAS) -> Case:
    several = "[*]" if " " in values else ""
    return Case("compute e all ke/atom\ncompute s all stress/atom NULL\n"
                f"compute a some reduce{{s}} {mode} {values}", f"c_a{several}", system=system)


CASES = {
    "setforce": fix("setforce 1.0 NULL -0.5", "f_a[*]"),
    "setforce variables and region": fix("setforce v_grow 0.0 NULL region moving", "f_a[*]"),
    "setforce variable of atoms": fix("setforce v_x NULL 0.0", "f_a[*]"),
    "setforce respa": fix(f"setforce 1.0 NULL -0.5\n{TWO_LEVELS}", "f_a[*]"),
    "aveforce": fix("aveforce 1.0 NULL 0.5", "f_a[*]", atoms=ROUNDING),
    "aveforce variable and region": fix("aveforce v_grow 0.0 NULL region half", "f_a[*]", atoms=ROUNDING),
    "aveforce respa": fix(f"aveforce 1.0 NULL 0.5\n{TWO_LEVELS}", "f_a[*]", atoms=ROUNDING),
    "momentum": fix("momentum 2 linear 1 0 1 angular", "", atoms=ROUNDING),
    "momentum rescale": fix("momentum 1 linear 1 1 1 rescale", "", atoms=ROUNDING, system=TILTED, group="all"),
    "recenter": fix("recenter INIT 5.0 NULL units box", atoms=ROUNDING, printed=SMALL, system=NEAR),
    "recenter shift": fix("recenter 0.5 0.5 INIT shift all units fraction", atoms=ROUNDING, printed=SMALL,
                          system=TILTED.replace(IMAGES, "")),
    "enforce2d": Case("fix push all addforce 0.0 0.0 0.1\nfix a some enforce2d{s}", system=FLAT),
    "efield": Case("fix a some efield{s} 0.3 -0.2 0.1\nfix_modify a energy yes virial yes\n"
                   "compute s all stress/atom NULL fix\ncompute r all reduce sum c_s[*]", "f_a f_a[*] c_r[*]",
                   system=CHARGED),
    "efield variables and region": fix("efield v_grow 0.0 v_grow region half", system=CHARGED),
    "efield variable of atoms": fix("efield v_x 0.0 0.1", system=CHARGED),
    "spring/self": fix("spring/self 10.0", "f_a"),
    "spring/self xz variable": fix("spring/self v_grow xz", "f_a", system=TILTED),
    "viscous": fix("viscous 0.7 scale 2 1.5", ""),
    "temp/rescale": rescaled("temp/rescale 5 0.9 0.8 0.01 0.5"),
    "temp/rescale bias": rescaled("temp/rescale 1 0.9 0.8 0.01 0.5", "temp/com"),
    "temp/berendsen": rescaled("temp/berendsen v_grow 0.0 0.1"),
    "temp/berendsen bias": rescaled("temp/berendsen 0.9 0.8 0.1", "temp/partial 1 0 1"),
    "deform": fix("deform 1 x erate 0.5 y volume", "", group="all"),
    "deform tilt": fix("deform 2 xy erate 0.5 z wiggle 0.3 0.1 remap x", "", system=TILTED),
    "deform of velocities": fix("deform 1 xy erate 0.5 remap v", "", system=TILTED, group="all"),
    "press/berendsen": fix("press/berendsen iso 0.0 1.0 0.5", "", group="all"),
    "press/berendsen partial": fix("press/berendsen aniso 0.0 1.0 0.5 dilate partial modulus 20", ""),
    "wall/lj93": wall("wall/lj93 zlo EDGE 1.0 1.0 2.5 zhi v_place 1.2 0.9 2.0 units box"),
    "wall/lj126": wall("wall/lj126 zlo EDGE 1.0 1.0 2.5 zhi EDGE 1.2 0.9 2.0"),
    "wall/lj1043": wall("wall/lj1043 zlo EDGE 1.0 1.0 2.5 zhi EDGE 1.2 0.9 2.0"),
    "wall/harmonic": wall("wall/harmonic zlo EDGE 1.0 1.0 1.5 zhi EDGE 1.2 0.9 1.2"),
    "wall/morse": wall("wall/morse zlo EDGE 1.0 2.0 1.0 2.5 zhi EDGE 1.2 1.5 0.9 2.0"),
    "pe/atom": of_atoms("pe/atom"),
    "pe/atom of bonds": of_atoms("pe/atom bond", system=NETWORK),
    "ke/atom": of_atoms("ke/atom"),
    "stress/atom": of_atoms("stress/atom NULL", 6),
    "stress/atom of bonds": of_atoms("stress/atom NULL pair bond", 6, NETWORK),
    "stress/atom bias": of_atoms("stress/atom thermo_temp ke", 6)._replace(
        commands="compute t all temp/com\ncompute a some stress/atom{s} t ke virial\ncompute r all reduce sum c_a[*]"),
    "centro/atom": of_atoms("centro/atom fcc"),
    "centro/atom axes": of_atoms("centro/atom bcc axes yes", 10)._replace(
        commands="compute a all centro/atom{s} bcc axes yes\ncompute r all reduce sum c_a[*]"),
    "coord/atom": of_atoms("coord/atom cutoff 1.6"),
    "coord/atom types": of_atoms("coord/atom cutoff 1.6 group some 1 2*", 2),
    "msd": Case("compute a some msd{s}", "c_a[*]"),
    "msd com": Case("compute a some msd{s} com yes", "c_a[*]", system=TILTED),
    "msd average": Case("compute a some msd{s} average yes", "c_a[*]"),
    "com": Case("compute a some com{s}", "c_a[*]", system=TILTED),
    "com of a dynamic group": Case("group low dynamic some every 2 region half\ncompute a low com{s}", "c_a[*]"),
    "gyration": Case("compute a some gyration{s}", "c_a c_a[*]"),
    **{f"reduce {mode}": reduced(mode) for mode in ("sum", "sumsq", "min", "max", "maxabs")},
    **{f"reduce {mode}": reduced(mode, "fz") for mode in ("sumabs", "ave", "avesq", "aveabs")},
    "reduce replace": reduced("max", "c_e x vy replace 2 1 replace 3 1"),
    "reduce variable": reduced("ave", "v_x"),
}
CASES["wall/lj93"] = CASES["wall/lj93"]._replace(system=WALLS + "variable place equal 11.2-0.1*step\n")


def run(servers, case: Case, variant: Variant, ranks: int, folder, suffix: str) -> tuple:
    """Thermo rows each five steps, and the atoms after ten."""
    path = folder / f"{variant}-{ranks}.dump"
    text = "\n".join([variant.command, "suffix off", case.system, case.commands.format(s=suffix),
                      f"thermo_style custom step temp pe press {case.output}",
                      "thermo_modify norm no format float %.17g", "thermo 5", "run 10",
                      dump(path, columns=f"vx vy vz fx fy fz {case.columns}")])
    return thermo_of(servers, text, variant, ranks, folder / f"{variant}-{ranks}.log"), read_snapshot(path)


def both(servers, name: str, ranks: int, parts: int, folder, case: Case = None) -> tuple:
    """What run() returns, of LAMMPS' style and of that with the suffix, beside the same threads."""
    return tuple(run(servers, case or CASES[name], threadpool(parts), ranks, folder, suffix)
                 for suffix in ("", "/threadpool"))


@pytest.mark.most(80)
@pytest.mark.usual(30)
@pytest.mark.parametrize("ranks,parts", ((1, 3), (2, 3), (1, 1), (2, 1)))
@pytest.mark.parametrize("name", CASES)
def test_styles_do_what_those_of_lammps_do(servers, tmp_path, name, ranks, parts):
    (tables, atoms), (others, found) = both(servers, name, ranks, parts, tmp_path)
    assert not moved_otherwise((tables, atoms), (others, atoms), CASES[name].printed)
    allowed = ROUNDING if name.startswith("centro") else CASES[name].atoms    # the smallest numbers, in another order
    assert not moved_otherwise(([], atoms), ([], found), allowed)
    values = [np.max(np.abs(value)) for table in tables for column, value in table.columns.items()
              if column.startswith(("f_a", "c_a", "c_r"))]
    assert bool(values) == bool(CASES[name].output)
    assert not values or max(values) > 0.0


SUMS = ("setforce", "aveforce", "recenter shift", "efield", "spring/self", "wall/lj126", "msd com", "gyration",
        "reduce sumsq", "reduce min")


@pytest.mark.most(10)
@pytest.mark.usual(3)
@pytest.mark.parametrize("name", SUMS)
def test_sums_are_the_same_bits_for_any_number_of_parts(servers, tmp_path, name):
    first, *others = (run(servers, CASES[name], threadpool(parts), 1, tmp_path, "/threadpool") for parts in (1, 2, 3))
    for other in others:
        assert not moved_otherwise(first, other, 0.0)


@pytest.mark.most(13)
@pytest.mark.usual(3)
@pytest.mark.parametrize("name", ("setforce", "aveforce", "momentum", "recenter", "spring/self", "viscous", "pe/atom",
                                  "stress/atom", "coord/atom", "msd", "gyration", "reduce sum", "reduce min"))
def test_a_rank_may_have_no_atom(servers, tmp_path, name):
    case = CASES[name]
    case = case._replace(system=case.system.replace("box block 0 6 0 6 0 6\n", "box block 0 40 0 6 0 6\n"
                                                    "region filled block 0 6 0 6 0 6\n").replace(
        "create_atoms 1 box", "create_atoms 1 region filled"))
    assert "filled" in case.system
    assert not moved_otherwise(*both(servers, name, 2, 3, tmp_path, case), case.printed)


@pytest.mark.parametrize("style", ("lj93", "harmonic"))
def test_an_atom_behind_a_wall_is_an_error(installation, tmp_path, style):
    script = f"{threadpool(2).command}\n{WALLS}\nfix a all wall/{style}/threadpool zlo 1.0 1.0 1.0 2.5\nrun 1\n"
    assert "Particle on or inside fix wall surface" in run_script(installation, script, 1, tmp_path).expect_failure()
