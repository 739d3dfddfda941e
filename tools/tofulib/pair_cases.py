# SPDX-License-Identifier: GPL-2.0-only
"""One small system for all pair styles: a crystal of two types of atoms with small charges, in units lj.

Charges are so small that atoms without repulsion stay apart for the steps of a measurement or a test.
"""

from typing import NamedTuple

#: Table for pair_style table.
TABLE = "pair_cases.table"
TABLE_POINTS = 2000

SYSTEM = """\
units lj
atom_style charge
{newton}
lattice fcc {density}
region box block 0 {cells} 0 {cells} 0 {cells}
create_box 2 box
create_atoms 1 box
set group all type/fraction 2 0.5 4711
mass * 1.0
set type 1 charge 0.1
set type 2 charge -0.1
velocity all create 0.5 87287 loop geom
displace_atoms all random 0.05 0.05 0.05 31 units box
{pair}
neighbor 0.3 bin
fix integrate all nve
timestep 0.001
"""


class PairCase(NamedTuple):
    """Settings of a pair style.

    Args:
        arguments: Those of the command pair_style.
        coefficients: Arguments of each pair_coeff.
        solver: Long-range solver that it needs, a kspace_style.
        package: Package of LAMMPS that has the style, if tools/tofu build leaves it out.
    """

    arguments: str
    coefficients: tuple
    solver: str = ""
    package: str = ""


LJ = ("* * 1.0 1.0", "2 2 0.8 0.9")
BORN = ("* * 40.0 0.3 1.0 2.0 -0.5", "2 2 30.0 0.25 0.9 1.5 0.4")
BUCK = ("* * 1000.0 0.2 3.0", "2 2 800.0 0.2 2.5")
CHARGES = ("* *",)
MDF = ("* * 4.0 4.0", "2 2 2.0 2.5")
SOFT_CHARGES, SOFT_LJ = ("* * 0.7", "2 2 0.5"), ("* * 1.0 1.0 0.7", "2 2 0.8 0.9 0.5")
SPICA = ("1 1 lj9_6 1.0 1.0", "1 2 lj12_4 0.9 1.0", "2 2 lj12_5 0.8 0.9")
NM = ("* * 1.0 1.12 12.5 6.0", "2 2 0.8 1.0 10.0 5.5")
EXTRA, CLASS2, FEP, CG_SPICA, CORE_SHELL = "EXTRA-PAIR", "CLASS2", "FEP", "CG-SPICA", "CORESHELL"
EWALD, DISPERSION, MSM = "ewald", "ewald/disp", "msm"

CASES = {
    "born": PairCase("2.5", BORN),
    "born/coul/dsf": PairCase("0.4 2.5 2.8", BORN, package=EXTRA),
    "born/coul/dsf/cs": PairCase("0.4 2.5 2.8", BORN, package=CORE_SHELL),
    "born/coul/long": PairCase("2.5 2.8", BORN, solver=EWALD),
    "born/coul/long/cs": PairCase("2.5 2.8", BORN, solver=EWALD, package=CORE_SHELL),
    "born/coul/msm": PairCase("2.5 2.8", BORN, solver=MSM),
    "born/coul/wolf": PairCase("0.4 2.5 2.8", BORN, package=EXTRA),
    "born/coul/wolf/cs": PairCase("0.4 2.5 2.8", BORN, package=CORE_SHELL),
    "buck": PairCase("2.5", BUCK),
    "buck/coul/cut": PairCase("2.5 2.8", BUCK),
    "buck/coul/long": PairCase("2.5 2.8", BUCK, solver=EWALD),
    "buck/coul/long/cs": PairCase("2.5 2.8", BUCK, solver=EWALD, package=CORE_SHELL),
    "buck/coul/msm": PairCase("2.5 2.8", BUCK, solver=MSM),
    "buck/long/coul/long cut": PairCase("long 2.5 2.8", BUCK, solver=DISPERSION),
    "buck/long/coul/long long": PairCase("long 2.5", BUCK, solver=DISPERSION),
    "buck/mdf": PairCase("2.0 2.5", BUCK, package=EXTRA),
    "cosine/squared": PairCase("2.5", ("1 1 1.0 1.1 2.5 wca", "1 2 1.0 1.3 1.3 wca", "2 2 0.8 1.2"), package=EXTRA),
    "coul/cut": PairCase("2.8", CHARGES),
    "coul/cut/global": PairCase("2.8", CHARGES, package=EXTRA),
    "coul/cut/soft": PairCase("2.0 0.3 2.8", SOFT_CHARGES, package=FEP),
    "coul/debye": PairCase("0.7 2.8", CHARGES),
    "coul/dsf": PairCase("0.4 2.8", CHARGES),
    "coul/long": PairCase("2.8", CHARGES, solver=EWALD),
    "coul/long/cs": PairCase("2.8", CHARGES, solver=EWALD, package=CORE_SHELL),
    "coul/long/soft": PairCase("2.0 0.3 2.8", SOFT_CHARGES, solver=EWALD, package=FEP),
    "coul/msm": PairCase("2.8", CHARGES, solver=MSM),
    "coul/wolf": PairCase("0.4 2.8", CHARGES),
    "coul/wolf/cs": PairCase("0.4 2.8", CHARGES, package=CORE_SHELL),
    "gauss": PairCase("2.5", ("* * -1.0 0.8", "2 2 -0.7 0.9"), package=EXTRA),
    "gauss/cut": PairCase("2.5", ("* * -1.0 1.1 0.3", "2 2 -0.7 1.2 0.4"), package=EXTRA),
    "harmonic/cut": PairCase("", ("* * 10.0 2.0", "2 2 8.0 1.8"), package=EXTRA),
    "lennard/mdf": PairCase("2.0 2.5", MDF, package=EXTRA),
    "lj/charmm/coul/charmm": PairCase("2.0 2.5", LJ),
    "lj/charmm/coul/charmm/implicit": PairCase("2.0 2.5", LJ),
    "lj/charmm/coul/long": PairCase("2.0 2.5 2.8", LJ, solver=EWALD),
    "lj/charmm/coul/long/soft": PairCase("2.0 0.5 0.3 2.0 2.5 2.8", SOFT_LJ, solver=EWALD, package=FEP),
    "lj/charmm/coul/msm": PairCase("2.0 2.5 2.8", LJ, solver=MSM),
    "lj/charmmfsw/coul/charmmfsh": PairCase("2.0 2.5 2.8", LJ),
    "lj/charmmfsw/coul/long": PairCase("2.0 2.5 2.8", LJ, solver=EWALD),
    "lj/class2": PairCase("2.5", LJ, package=CLASS2),
    "lj/class2/coul/cut": PairCase("2.5 2.8", LJ, package=CLASS2),
    "lj/class2/coul/cut/soft": PairCase("2.0 0.5 0.3 2.5 2.8", SOFT_LJ, package=FEP),
    "lj/class2/coul/long": PairCase("2.5 2.8", LJ, solver=EWALD, package=CLASS2),
    "lj/class2/coul/long/cs": PairCase("2.5 2.8", LJ, solver=EWALD, package=CORE_SHELL),
    "lj/class2/coul/long/soft": PairCase("2.0 0.5 0.3 2.5 2.8", SOFT_LJ, solver=EWALD, package=FEP),
    "lj/class2/soft": PairCase("2.0 0.5 2.5", SOFT_LJ, package=FEP),
    "lj/cubic": PairCase("", LJ, package=EXTRA),
    "lj/cut": PairCase("2.5", LJ),
    "lj/cut/coul/cut": PairCase("2.5 2.8", LJ),
    "lj/cut/coul/cut/soft": PairCase("2.0 0.5 0.3 2.5 2.8", SOFT_LJ, package=FEP),
    "lj/cut/coul/debye": PairCase("0.7 2.5 2.8", LJ, package=EXTRA),
    "lj/cut/coul/dsf": PairCase("0.4 2.5 2.8", LJ, package=EXTRA),
    "lj/cut/coul/long": PairCase("2.5 2.8", LJ, solver=EWALD),
    "lj/cut/coul/long/cs": PairCase("2.5 2.8", LJ, solver=EWALD, package=CORE_SHELL),
    "lj/cut/coul/long/soft": PairCase("2.0 0.5 0.3 2.5 2.8", SOFT_LJ, solver=EWALD, package=FEP),
    "lj/cut/coul/msm": PairCase("2.5 2.8", LJ, solver=MSM),
    "lj/cut/coul/wolf": PairCase("0.4 2.5 2.8", LJ, package=EXTRA),
    "lj/cut/soft": PairCase("2.0 0.5 2.5", SOFT_LJ, package=FEP),
    "lj/expand": PairCase("2.5", ("* * 1.0 0.9 0.1", "2 2 0.8 0.8 0.2")),
    "lj/expand/coul/long": PairCase("2.5 2.8", ("* * 1.0 0.9 0.1", "2 2 0.8 0.8 0.2"), solver=EWALD, package=EXTRA),
    "lj/gromacs": PairCase("2.0 2.5", LJ, package=EXTRA),
    "lj/gromacs/coul/gromacs": PairCase("2.0 2.5 1.5 2.8", LJ, package=EXTRA),
    "lj/long/coul/long cut": PairCase("long 2.5 2.8", LJ, solver=DISPERSION),
    "lj/long/coul/long long": PairCase("long 2.5", LJ, solver=DISPERSION),
    "lj/long/coul/long long off": PairCase("2.5", LJ, solver=DISPERSION),
    "lj/mdf": PairCase("2.0 2.5", LJ, package=EXTRA),
    "lj/smooth": PairCase("2.0 2.5", LJ, package=EXTRA),
    "lj/smooth/linear": PairCase("2.5", LJ, package=EXTRA),
    "lj/spica": PairCase("2.5", SPICA, package=CG_SPICA),
    "lj/spica/coul/long": PairCase("2.5 2.8", SPICA, solver=EWALD, package=CG_SPICA),
    "lj/spica/coul/msm": PairCase("2.5 2.8", SPICA, solver=MSM, package=CG_SPICA),
    "lj96/cut": PairCase("2.5", LJ, package=EXTRA),
    "mie/cut": PairCase("2.5", ("* * 1.0 1.0 12.5 6.0", "2 2 0.8 0.9 10.0 5.5"), package=EXTRA),
    "morse": PairCase("2.5", ("* * 1.0 5.0 1.1", "2 2 0.8 4.0 1.2")),
    "morse/smooth/linear": PairCase("2.5", ("* * 1.0 5.0 1.1", "2 2 0.8 4.0 1.2"), package=EXTRA),
    "morse/soft": PairCase("2 0.8 2.5", ("* * 1.0 5.0 1.1 0.9", "2 2 0.8 4.0 1.2 0.5"), package=FEP),
    "nm/cut": PairCase("2.5", NM, package=EXTRA),
    "nm/cut/coul/cut": PairCase("2.5 2.8", NM, package=EXTRA),
    "nm/cut/coul/long": PairCase("2.5 2.8", NM, solver=EWALD, package=EXTRA),
    "pedone": PairCase("2.5", ("* * 1.0 5.0 1.1 0.1", "2 2 0.8 4.0 1.2 0.2"), package=EXTRA),
    "soft": PairCase("2.0", ("* * 10.0", "2 2 8.0")),
    "table bitmap": PairCase("12", (f"* * {TABLE} LJ 2.5", f"2 2 {TABLE} SOFT 2.4")),
    "table linear": PairCase("2000", (f"* * {TABLE} LJ 2.5", f"2 2 {TABLE} SOFT 2.4")),
    "table lookup": PairCase("4000", (f"* * {TABLE} LJ 2.5", f"2 2 {TABLE} SOFT 2.4")),
    "table spline": PairCase("1000", (f"* * {TABLE} LJ 2.5", f"2 2 {TABLE} SOFT 2.4")),
    "ufm": PairCase("2.5", ("* * 10.0 0.8", "2 2 8.0 0.7"), package=EXTRA),
    "yukawa": PairCase("0.7 2.5", ("* * 10.0", "2 2 8.0 2.3")),
    "zbl": PairCase("1.5 2.0", ("1 1 2.0 2.0", "2 2 3.0 3.0")),
}
"""By style; behind a blank are words of the style's own."""


def pair_style(name):
    """Name of the style of a case."""
    return name.split()[0]


def pair_lines(name, solver=(), substyle=""):
    """Commands that choose the pair style of a case, and its long-range solver.

    Args:
        name: Of a case.
        solver: Commands for styles that need a long-range solver.
        substyle: Words that make the style one of a hybrid style, such as "hybrid/overlay zero 2.5".
    """
    case = CASES[name]
    before = f"{pair_style(name)} " if substyle else ""
    coefficients = []
    for line in case.coefficients:
        i, j, *rest = line.split(None, 2)
        coefficients.append(f"pair_coeff {i} {j} {before}{' '.join(rest)}".rstrip())
    return "\n".join([f"pair_style {substyle} {name} {case.arguments}".replace("  ", " "), *coefficients,
                      *(solver_lines(case.solver, solver) if case.solver else ())])


def solver_lines(style, solver):
    """Commands for the long-range solver of a case.

    Args:
        style: Its kspace_style.
        solver: Commands for ewald.
    """
    lines = [line.replace("kspace_style ewald", f"kspace_style {style}") for line in solver]
    return [*lines, "kspace_modify pressure/scalar no"] if lines and style == MSM else lines


def script(name, cells, solver=(), newton="", substyle=""):
    """The system with the pair style of a case.

    Args:
        name: Of a case.
        cells: Edge of the box in lattice cells of four atoms.
        solver: See pair_lines().
        newton: A command newton.
        substyle: See pair_lines().
    """
    system = SYSTEM.replace("type/fraction", "type/ratio") if CASES[name].solver == MSM else SYSTEM    # neutral
    return system.format(cells=cells, density=0.8442, newton=newton, pair=pair_lines(name, solver, substyle))


def write_table(folder):
    """Write the file of the tables."""
    sections = []
    for name, power, strength in (("LJ", 12, 4.0), ("SOFT", 9, 3.0)):
        lines = [name, f"N {TABLE_POINTS} R 0.6 2.6", ""]
        for number in range(TABLE_POINTS):
            r = 0.6 + 2.0 * number / (TABLE_POINTS - 1)
            energy = strength * (r ** -power - r ** -6)
            force = strength * (power * r ** (-power - 1) - 6 * r ** -7)
            lines.append(f"{number + 1} {r:.12g} {energy:.15g} {force:.15g}")
        sections.append("\n".join(lines))
    (folder / TABLE).write_text("\n\n".join(sections) + "\n", encoding="utf-8")
