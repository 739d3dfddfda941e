# SPDX-License-Identifier: GPL-2.0-only
"""Measure pair_style reaxff/threadpool against LAMMPS' reaxff: plain, with its tables, and of the package OPENMP.

Atoms and force fields are those of LAMMPS' examples. Every way to compute a case runs once per round, one after the
other, and ratios are taken within rounds, for the reasons given in bench.py. The first energy of each run is compared
with that of the first way.
"""

from typing import NamedTuple

from . import bench, shell, trial
from .configuration import P2P, Configuration

RANKS = bench.RANKS
PLAIN, OURS = "reaxff", "reaxff/threadpool"
#: Words of pair_style with which LAMMPS interpolates van der Waals and Coulomb forces, as most of its examples do.
TABLES = "tabulate 10000"
#: Largest difference of the first energy, relative: charges have a tolerance of 1e-6.
TOLERANCE = 1e-6

SCRIPT = """\
units real
atom_style charge
read_data {data}
replicate {replicate}
pair_style reaxff NULL {words}
pair_coeff * * {file} {elements}
velocity all create 300.0 41279 loop geom
fix charges all qeq/reaxff 1 0.0 10.0 1.0e-6 reaxff maxiter 400
fix integrate all nve
timestep {timestep}
neighbor 1.0 bin
neigh_modify every 10 delay 0 check no
thermo_style custom step pe ecoul press
run {warm_up}
run {steps}
"""


class Case(NamedTuple):
    """A system, long enough for some seconds on two ranks with LAMMPS' style."""

    data: str              #: in LAMMPS' examples/reaxff
    file: str              #: force field, there
    elements: str
    replicate: str
    timestep: float        #: [fs]
    steps: int


HNS = ("HNS/data.hns-equil", "HNS/ffield.reax.hns", "C H O N")
#: The last cases have 152 and 105 atoms on a rank; the atoms of cho are a gas.
CASES = {
    "water": Case("water/data.water", "water/qeq_ff.water", "O H", "1 1 1", 0.25, 60),
    "hns": Case(*HNS, "2 2 2", 0.1, 60),
    "auo": Case("AuO/data.AuO", "AuO/ffield.reax.AuO", "O Au", "2 2 1", 0.25, 60),
    "hns304": Case(*HNS, "1 1 1", 0.1, 300),
    "cho": Case("CHO/data.CHO", "CHO/ffield.reax.cho", "H C O", "2 1 1", 0.1, 1000),
}
#: Steps before the measured ones: charges of the first ones have no history to begin with.
WARM_UP = 10

#: Arguments of LAMMPS, and words of pair_style.
WAYS = {
    PLAIN: (Configuration("", RANKS, 1).arguments, ""),
    "reaxff, tables": (Configuration("", RANKS, 1).arguments, TABLES),
    "reaxff/omp": (Configuration("omp", RANKS, 1).arguments, ""),
    "reaxff/omp, tables": (Configuration("omp", RANKS, 1).arguments, TABLES),
    OURS: (Configuration("threadpool", RANKS, 1, P2P).arguments, ""),
}


def command(options):
    """tools/tofu bench --reaxff."""
    names = bench.chosen(options, "--reaxff", CASES, cores=RANKS)
    lammps = bench.ready(options, packages="REAXFF,QEQ")
    cases = {name: measure_case(name, lammps, options.pairs) for name in names}
    text = table(cases)
    print(f"\nTime of a step, divided by that of {OURS}, on {RANKS} ranks:\n\n{text}\n")
    return bench.finish(options, "reaxff", {"about": bench.about(lammps, options), "cases": cases}, table=text)


def measure_case(name, lammps, rounds):
    """Run a case round by round.

    Returns:
        Sizes, every single run in microseconds a step, and the summary.
    """
    first = []

    def measure(way):
        run, energy = run_once(name, lammps, way)
        if way == PLAIN:
            first[:] = [energy]
        check_energy(name, way, first[0], energy)
        return run

    measured = bench.by_rounds(name, rounds, {way: way for way in WAYS}, measure)
    return {"atoms": measured[PLAIN][0]["atoms"], "steps": CASES[name].steps, "runs": measured,
            "summary": summarize(measured)}


def script_of(name, examples, words):
    """The input of a case.

    Args:
        name: Of the case.
        examples: LAMMPS' folder examples/reaxff.
        words: Of pair_style.
    """
    case = CASES[name]
    return SCRIPT.format(data=examples / case.data, file=examples / case.file, words=words, warm_up=WARM_UP,
                         **{key: getattr(case, key) for key in ("replicate", "elements", "timestep", "steps")})


def run_once(name, lammps, way):
    """Measure one way.

    Returns:
        Times in microseconds a step; the first energy.
    """
    arguments, words = WAYS[way]
    text = script_of(name, lammps.source.path / "examples" / "reaxff", words)
    label = way.replace("/", "-").replace(", ", "-")
    runs = trial.runs_of(lammps, f"reaxff.{name}.{label}", text, RANKS, arguments)
    return bench.times(runs[-1]), runs[0].rows[0][runs[0].columns.index("PotEng")]


def check_energy(name, way, expected, found):
    """Refuse a way whose first energy is not that of the first way: times of different models mean nothing."""
    if not abs(found - expected) <= TOLERANCE * abs(expected):
        raise shell.Failure(f"{name}: the first energy of {way} is {found:.10g}, that of {PLAIN} is {expected:.10g} "
                            "kcal/mol: times of different models mean nothing")


def summarize(measured):
    """Median times of each way [us], and how many times those with the suffix they are, within rounds; LAMMPS' fastest
    way by its step."""
    times_of = {"pairs": lambda one: one["sections"]["Pair"], "charges": lambda one: one["sections"]["Modify"],
                "step": bench.loop}
    medians = {what: bench.medians(measured, time_of) for what, time_of in times_of.items()}
    ways = {way: {what: {"time": medians[what][way], **bench.ratios(runs, measured[OURS], time_of)}
                  for what, time_of in times_of.items()} for way, runs in measured.items()}
    stock = min((way for way in measured if way != OURS), key=medians["step"].get)
    return {"ways": ways, "stock": stock, "rounds": len(measured[OURS])}


def table(cases):
    """The summary as a table in Markdown; times of a rank by its atoms. Charges are with the motion of atoms."""
    lines = ["| case | atoms | style | pairs, us an atom | charges, us an atom | pairs, times longer | "
             "step, times longer |", "|---|---|---|---|---|---|---|"]
    for name, case in cases.items():
        for way, one in case["summary"]["ways"].items():
            times = " | ".join(f"{RANKS * one[what]['time'] / case['atoms']:.1f}" for what in ("pairs", "charges"))
            mark = " (fastest stock)" if way == case["summary"]["stock"] else ""
            lines.append(f"| {name} | {case['atoms']:,} | {way}{mark} | {times} | {bench.in_words(one['pairs'])} | "
                         f"{bench.in_words(one['step'])} |")
    return "\n".join(lines)
