# SPDX-License-Identifier: GPL-2.0-only
"""Each bonded style with the suffix gives the results of LAMMPS' own style, with several types, ranks and parts.

The references of the LAMMPS tree (test_threadpool.py) hold the same for one system; here each style has the bonds,
angles, dihedrals or impropers of many chains, some of them across the borders of ranks, parts and the box.
"""

import re
from math import cos, pi, sin
from typing import Dict, List

import pytest

from force_style_references import installed_styles
from lammps_run import BRICK, Installation, missing_variables, threadpool
from lammps_server import CaseFailed
from small_systems import MOLECULES
from suffix_runs import differences_from_brick

INSTALLED = {} if missing_variables() else installed_styles(Installation.from_environment())

TYPES = {"bond": 2, "angle": 2, "dihedral": 3, "improper": 2}

# the words of each style, and the coefficients of each type; {} is the folder of tables

STYLES: Dict[str, Dict[str, List[str]]] = {
    "bond": {
        "class2": ["1 1.5 300.0 -400.0 250.0", "2 1.45 250.0 -350.0 200.0"],
        "fene/expand": ["1 30.0 2.5 0.3 1.4 0.05", "2 25.0 2.4 0.2 1.3 0.1"],
        "gromos": ["1 60.0 1.5", "2 50.0 1.45"],
        "morse": ["1 80.0 2.0 1.5", "2 70.0 1.8 1.45"],
        "nonlinear": ["1 60.0 1.5 1.2", "2 50.0 1.45 1.1"],
        "table linear 300": ["1 {}/bond.table ONE", "2 {}/bond.table TWO"],
        "table spline 300": ["1 {}/bond.table ONE", "2 {}/bond.table TWO"],
    },
    "angle": {
        "class2": ["1 110 50 -10 5", "1 bb 10 1.5 1.45", "1 ba 5 6 1.5 1.45", "2 105 40 -8 6", "2 bb 8 1.4 1.5",
                   "2 ba -4 6 1.5 1.4"],
        "class2/p6": ["1 110 50 -10 5 3 -2", "1 bb 10 1.5 1.45", "1 ba 5 6 1.5 1.45", "2 105 40 -8 6 -4 1",
                      "2 bb 8 1.4 1.5", "2 ba -4 6 1.5 1.4"],
        "cosine": ["1 50.0", "2 60.0"],
        "cosine/periodic": ["1 50.0 1 3", "2 40.0 -1 4"],
        "cosine/shift": ["1 50.0 105.0", "2 60.0 110.0"],
        "cosine/squared": ["1 50.0 105.0", "2 60.0 110.0"],
        "fourier": ["1 50.0 1.0 0.7 0.5", "2 60.0 1.0 -0.4 0.3"],
        "quartic": ["1 105.0 50.0 -10.0 5.0", "2 110.0 60.0 12.0 6.0"],
        "table linear 300": ["1 {}/angle.table ONE", "2 {}/angle.table TWO"],
        "table spline 300": ["1 {}/angle.table ONE", "2 {}/angle.table TWO"],
    },
    "dihedral": {
        "class2": ["1 3.0 40 2.0 60 1.0 80", "2 2.0 0 1.5 180 0.7 30", "3 1.0 10 0.5 20 0.2 90",
                   "* mbt 1.0 2.0 -1.5 1.45", "* ebt 1.0 -0.6 0.3 0.5 0.7 -0.2 1.5 1.45",
                   "* at 0.8 0.5 -0.3 0.4 0.6 0.2 105 110", "* aat 4.0 105 110", "1*2 bb13 6.0 1.5 1.45",
                   "3 bb13 0.0 1.5 1.45"],
        "fourier": ["1 3 0.8 3 0 1.2 2 180 0.4 1 60", "2 1 1.1 4 30", "3 2 0.7 0 0 0.5 6 90"],
        "helix": ["1 80.0 100.0 40.0", "2 1.0 2.0 3.0", "3 3.0 0.0 1.0"],
        "multi/harmonic": ["1 1.0 -2.0 0.5 1.5 -0.7", "2 0.5 1.0 0.0 0.3 0.2", "3 1.0 0.0 2.0 0.0 0.0"],
        "nharmonic": ["1 5 1.0 -2.0 0.5 1.5 -0.7", "2 1 3.0", "3 9 1.0 0.3 -0.2 0.5 0.1 0.7 -0.3 0.2 0.6"],
        "quadratic": ["1 5.0 80", "2 4.0 -170", "3 3.0 0"],
        "table linear 400": ["1 {}/dihedral.table ONE", "2 {}/dihedral.table TWO", "3 {}/dihedral.table ONE"],
        "table spline 400": ["1 {}/dihedral.table ONE", "2 {}/dihedral.table TWO", "3 {}/dihedral.table ONE"],
    },
    "improper": {
        "class2": ["1 20.0 10.0", "1 aa 5.0 4.0 3.0 105 110 100", "2 0.0 0.0", "2 aa 2.0 0.0 1.0 100 110 105"],
        "cvff": ["1 20.0 -1 4", "2 15.0 1 3"],
        "distance": ["1 20.0 5.0", "2 -15.0 8.0"],
        "fourier": ["1 20.0 1.0 -0.7 0.3 1", "2 15.0 0.5 0.4 0.2 0"],
        "inversion/harmonic": ["1 20.0 35.0", "2 15.0 0.0"],
        "umbrella": ["1 20.0 0.0", "2 15.0 70.0"],
    },
}
CASES = [(kind, words) for kind, styles in STYLES.items() for words in styles]


def needs(kind: str, words: str) -> None:
    """Skip a test of a style that the binary does not have."""
    if f"{words.split()[0]}/threadpool" not in INSTALLED.get(kind, set()):
        pytest.skip(f"no {kind}_style {words.split()[0]} in this LAMMPS")


def write_tables(folder) -> None:
    """Tables of bonds, angles and dihedrals; those of dihedrals are periodic, and one has no forces."""
    def table(name, parameters, rows):
        return f"{name}\n{parameters}\n\n" + "".join(f"{n} " + " ".join(f"{value:.15g}" for value in row) + "\n"
                                                     for n, row in enumerate(rows, 1))

    def bond(k, r0):
        rows = [(0.9 + 0.01 * n, k * (0.9 + 0.01 * n - r0)**2, -2 * k * (0.9 + 0.01 * n - r0)) for n in range(141)]
        return f"N {len(rows)} EQ {r0}", rows

    def angle(k, shift):
        step = pi / 90
        rows = [(2.0 * n, k * (1 + cos(n * step + shift)), k * sin(n * step + shift) * pi / 180) for n in range(91)]
        return f"N {len(rows)}", rows

    def dihedral(k, m, forces):
        step = 2 * pi / 120
        rows = [(-180 + 3.0 * n, k * cos(m * n * step), k * m * sin(m * n * step) * pi / 180) for n in range(120)]
        return f"N {len(rows)} DEGREES" + ("" if forces else " NOF"), [row if forces else row[:2] for row in rows]

    (folder / "bond.table").write_text(table("ONE", *bond(300.0, 1.5)) + "\n" + table("TWO", *bond(250.0, 1.45)))
    (folder / "angle.table").write_text(table("ONE", *angle(40.0, 0.3)) + "\n" + table("TWO", *angle(30.0, -0.4)))
    (folder / "dihedral.table").write_text(table("ONE", *dihedral(1.5, 3, True)) + "\n" +
                                           table("TWO", *dihedral(1.0, 2, False)))


def with_styles(chosen: Dict[str, str], folder) -> str:
    """The system with other styles, by kind: the words of one."""
    write_tables(folder)
    system = MOLECULES
    for kind, words in chosen.items():
        system = re.sub(rf"^{kind}_style .*\n(^{kind}_coeff .*\n)+",
                        f"{kind}_style {words}\n" + "".join(f"{kind}_coeff {line}\n" for line in STYLES[kind][words]),
                        system, flags=re.M).replace("{}", str(folder))
    return system


def as_substyle(kind: str, words: str, system: str) -> str:
    """The last type has the style zero, and the coefficients of the others name the style."""
    name, last = words.split()[0], TYPES[kind]
    system = system.replace(f"{kind}_style {words}", f"{kind}_style hybrid zero {words}")
    system = re.sub(rf"^{kind}_coeff (\S+) (.*)$", rf"{kind}_coeff \1 {name} \2", system, flags=re.M)
    system = re.sub(rf"^({kind}_coeff) \* ", rf"\1 1*{last - 1} ", system, flags=re.M)
    system = re.sub(rf"^{kind}_coeff {last} .*\n", "", system, flags=re.M)
    return re.sub(rf"((^{kind}_coeff .*\n)+)", rf"\1{kind}_coeff {last} zero\n", system, flags=re.M)


def of_newton(system: str, newton: str) -> str:
    return system.replace("units real\n", f"units real\nnewton {newton}\n")


@pytest.mark.most(18)
@pytest.mark.parametrize("ranks,parts,newton", ((1, 3, "off"), (2, 2, "on")))
@pytest.mark.parametrize("kind,words", CASES)
def test_style_is_the_same_with_the_suffix(servers, tmp_path, kind, words, ranks, parts, newton):
    needs(kind, words)
    system = of_newton(with_styles({kind: words}, tmp_path), newton)
    assert not differences_from_brick(servers, system, threadpool(parts), ranks, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("newton", ("on", "off"))
@pytest.mark.parametrize("ranks,parts,style", ((1, 1, "brick"), (1, 8, "p2p/rdma"), (3, 2, "p2p/rdma"),
                                               (4, 1, "brick")))
@pytest.mark.parametrize("kind,words", CASES)
def test_style_is_the_same_everywhere(servers, tmp_path, kind, words, ranks, parts, style, newton):
    needs(kind, words)
    system = of_newton(with_styles({kind: words}, tmp_path), newton)
    assert not differences_from_brick(servers, system, threadpool(parts, style), ranks, tmp_path)


@pytest.mark.parametrize("kind,words", CASES)
def test_style_is_the_same_as_part_of_hybrid(servers, tmp_path, kind, words):
    """The style has no coefficients of the last type."""
    needs(kind, words)
    system = as_substyle(kind, words, with_styles({kind: words}, tmp_path))
    assert not differences_from_brick(servers, system, threadpool(2), 2, tmp_path)


NO_ANGLES = "special_bonds lj/coul 1 1 1\nangle_style none\ndihedral_style none\nimproper_style none\n"
QUARTIC = "bond_coeff 1 {0} 50.0 -0.6 0.4 1.9 5.0\nbond_coeff 2 {0} 40.0 -0.5 0.3 1.56 4.0\n"
SPECIAL_SYSTEMS: Dict[str, str] = {
    "bonds that break": NO_ANGLES + "bond_style quartic\n" + QUARTIC.format(""),
    "bonds that break, part of hybrid": NO_ANGLES + "bond_style hybrid quartic\n" + QUARTIC.format("quartic"),
    "bonds that break, pairs of two styles": NO_ANGLES + "bond_style quartic\n" + QUARTIC.format("") +
    "pair_style hybrid/overlay lj/cut 5.0 coul/cut 6.0\npair_coeff * * lj/cut 0.05 2.0\npair_coeff * * coul/cut\n",
    **{f"repulsion of outer atoms, {kinds[0]} and {kinds[1]}":
       "dihedral_style none\npair_style lj/spica 6.0\n"
       f"pair_coeff 1 1 {kinds[0]} 0.05 2.4\npair_coeff 1 2 {kinds[1]} 0.06 2.5\npair_coeff 2 2 {kinds[1]} 0.05 2.0\n"
       "angle_style spica\nangle_coeff 1 50.0 105.0 1.0\nangle_coeff 2 60.0 110.0 0.0\n"
       for kinds in (("lj9_6", "lj12_4"), ("lj12_6", "lj12_5"))},
    "no repulsion of outer atoms": "dihedral_style none\npair_style lj/spica 6.0\npair_coeff * * lj9_6 0.05 2.4\n"
    "angle_style sdk\nangle_coeff 1 50.0 105.0 0.0\nangle_coeff 2 60.0 110.0 0.0\n",
}
"""Styles that need another pair style or no angles: commands behind those of the system."""


@pytest.mark.parametrize("ranks,parts,newton", ((1, 3, "off"), (2, 2, "on")))
@pytest.mark.parametrize("system", SPECIAL_SYSTEMS)
def test_style_with_pair_forces_is_the_same_with_the_suffix(servers, tmp_path, system, ranks, parts, newton):
    needs(*(("bond", "quartic") if "break" in system else ("angle", "spica")))
    script = of_newton(MOLECULES, newton) + SPECIAL_SYSTEMS[system]
    assert not differences_from_brick(servers, script, threadpool(parts), ranks, tmp_path)


def test_broken_bonds_are_those_of_stock(servers, tmp_path):
    """In a data file after some steps, with newton off: two ranks store a bond."""
    needs("bond", "quartic")
    broken = []
    for variant in (BRICK, threadpool(2)):
        file = tmp_path / variant.name
        servers.server(2, variant).run(f"{variant.command}\n{of_newton(MOLECULES, 'off')}"
                                       f"{SPECIAL_SYSTEMS['bonds that break']}run 20\nwrite_data {file}\n")
        bonds = re.search(r"^Bonds\n\n((?:[\d -]+\n)+)", file.read_text(), re.MULTILINE)[1]
        broken.append(sorted(tuple(line.split()[1:]) for line in bonds.splitlines()))
    assert broken[0] == broken[1]
    assert 10 < len(broken[0]) < 7 * 64 - 10


def error_of(servers, variant, script: str) -> str:
    with pytest.raises(CaseFailed) as failure:
        servers.server(1, variant).run(f"{variant.command}\n{script}")
    return re.search(r"ERROR on proc 0: (.*?) \(", str(failure.value)).group(1)


@pytest.mark.parametrize("words", ("fene/expand", "table linear 300", "table spline 300"))
def test_a_bond_that_is_too_long_is_the_same_error(servers, tmp_path, words):
    needs("bond", words)
    system = with_styles({"bond": words}, tmp_path) + \
        "group stretched id 5\ndisplace_atoms stretched move 6.5 0 0 units box\ncomm_modify cutoff 12\nrun 0\n"
    assert error_of(servers, threadpool(2), system) == error_of(servers, BRICK, system)


def test_a_bond_that_is_shorter_than_its_table_is_the_same_error(servers, tmp_path):
    needs("bond", "table")
    system = with_styles({"bond": "table linear 300"}, tmp_path) + \
        "run 0\nset atom 5 x $(x[4]+0.5) y $(y[4]) z $(z[4])\nrun 0\n"
    assert error_of(servers, threadpool(2), system) == error_of(servers, BRICK, system)
