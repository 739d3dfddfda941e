# SPDX-License-Identifier: GPL-2.0-only
"""Measure pair_style deepmd/threadpool against that of deepmd-kit (TensorFlow, compressed model), on the same cores.

Every way to compute a case runs once per round, one after the other, and ratios are taken within rounds, for the
reasons given in bench.py. The first energy and forces of each run are compared with those of the first way. The threads
of TensorFlow are on the core of their rank, too. Times are wall time of a core that no other program should use:
LAMMPS' "CPU use" is without the time that the system spends for a process, which is a quarter with large tensors.
"""

import math
import statistics
from pathlib import Path
from typing import NamedTuple

from . import bench, build, cache, deepmd_cases, shell, trial
from .deepmd_cases import CASES, MODELS
from .deepmd_kit import DeepmdKit

#: Largest difference from the reference: of the energy by the number of atoms [eV], and of a force by the largest one.
TOLERANCE = {"double": (1e-10, 1e-9), "mixed": (1e-5, 1e-4)}


class Setting(NamedTuple):
    """What all runs share."""

    lammps: build.Build
    kit: DeepmdKit
    plugin: Path           #: deepmd-kit's plug-in for this LAMMPS
    models: dict           #: files of the models by name


def command(options):
    """tools/tofu bench --deepmd FOLDER."""
    names = bench.chosen(options, "--deepmd", CASES, cores=deepmd_cases.CORES)
    kit = DeepmdKit(options.deepmd)
    lammps = bench.ready(options)
    setting = Setting(lammps, kit, kit.plugin(lammps), {
        name: kit.model(name, MODELS[name].words, MODELS[name].script)
        for name in sorted({CASES[case].model for case in names})})
    result = {"about": {**bench.about(lammps, options), "deepmd-kit": kit.version},
              "cases": {name: measure_case(name, setting, options.pairs) for name in names}}
    print_tables(result)
    has_pairs = any(case["quantity"] == "pair" for case in result["cases"].values())
    return bench.finish(options, "deepmd", result, "plot_deepmd" if has_pairs else None)


def measure_case(name, setting, rounds):
    """Run one case round by round.

    Returns:
        Sizes, every single run in microseconds a step, and the summary.
    """
    case = CASES[name]
    first = []

    def measure(way):
        run, values = run_once(name, way, setting)
        if way == case.ways[0]:
            first[:] = [values]
        return {**run, "difference": compare(name, way, first[0], values)}

    measured = bench.by_rounds(name, rounds, {way.name: way for way in case.ways}, measure)
    return {"atoms": case.atoms, "steps": case.steps, "quantity": case.quantity, "cores": case.ways[0].ranks,
            "runs": measured, "summary": summarize(measured, case.quantity)}


def run_once(name, way, setting):
    """Measure one way.

    Returns:
        Times in microseconds a step; the first energy and forces.
    """
    case, folder, label = CASES[name], cache.folder("bench"), f"deepmd.{name}.{way.name}"
    forces, data = folder / f"forces.{label}", folder / f"data.{label}"
    deepmd_cases.write_data(data, case)
    variables = [f"{variable}={value}" for variable, value in setting.kit.variables.items()] if way.kit else []
    runs = trial.runs_of(
        setting.lammps, label,
        deepmd_cases.script_of(case, way, data, setting.models[case.model], setting.plugin, forces), way.ranks,
        way.words, within=("env", *variables))
    return bench.times(runs[-1]), (runs[0].rows[0][runs[0].columns.index("PotEng")], read_forces(forces))


def read_forces(path):
    """Forces in a dump of id fx fy fz."""
    text = path.read_text(encoding="utf-8").partition("ITEM: ATOMS")[2]
    return [[float(word) for word in line.split()[1:]] for line in text.splitlines()[1:]]


def compare(name, way, first, other):
    """Compare first energies and forces with those of the reference.

    Returns:
        Largest differences: of the energy by the number of atoms [eV], of a force [eV/Angstrom].

    Raises:
        shell.Failure: They differ by more than rounding.
    """
    energies, forces = TOLERANCE["mixed" if way.mixed else "double"]
    energy = abs(first[0] - other[0]) / max(1, len(first[1]))
    differences = [abs(a - b) for one, two in zip(first[1], other[1]) for a, b in zip(one, two)]
    force = math.nan if any(map(math.isnan, differences)) else max(differences, default=0.0)
    largest = max((abs(component) for one in first[1] for component in one), default=0.0)
    if len(first[1]) != len(other[1]) or not energy <= energies or not force <= forces * largest:
        raise shell.Failure(f"{name}: first results of {way.name} differ from those of the reference by "
                            f"{energy:.2g} eV an atom (at most {energies:g}) and {force:.2g} eV/Angstrom (at most "
                            f"{forces * largest:g}): times of different models mean nothing")
    return [energy, force]


def summarize(measured, quantity):
    """Medians of each way [us], and how many times faster than the first way it is, within rounds."""
    def time_of(run):
        return run["sections"]["Pair"] if quantity == "pair" else run["loop"]

    reference = next(iter(measured.values()))
    return {name: {"median": statistics.median(map(time_of, runs)),
                   "speedup": bench.ratios(reference, runs, time_of),
                   "difference": [max(run["difference"][k] for run in runs) for k in (0, 1)]}
            for name, runs in measured.items()}


def print_tables(result):
    """Print the summary."""
    cases = result["cases"]
    print_pairs({name: case for name, case in cases.items() if case["quantity"] == "pair"}, result["about"])
    for name, case in cases.items():
        if case["quantity"] == "step":
            print_step(name, case)
    print()


def print_pairs(cases, about):
    """Print times of Pair on one core."""
    if not cases:
        return
    print(f"\nTime of Pair on one core, us an atom and step, and how many times faster than deepmd-kit "
          f"{about['deepmd-kit']} (TensorFlow, compressed).")
    print(f"{'case':10} {'atoms':>6}   {'deepmd-kit':>10}   {'double':>8} {'times faster':>24}   {'mixed':>8} "
          f"{'times faster':>24}   largest difference of a force")
    for name, case in cases.items():
        summary, atoms = case["summary"], case["atoms"]
        words = [f"{name:10} {atoms:6d}   {summary['deepmd-kit']['median'] / atoms:10.1f}"]
        for way in ("double", "mixed"):
            words.append(f"{summary[way]['median'] / atoms:8.1f} {bench.in_words(summary[way]['speedup']):>24}")
        forces = [summary[way]["difference"][1] for way in ("double", "mixed")]
        print("   ".join(words), f"  {forces[0]:.1e}, {forces[1]:.1e}")


def print_step(name, case):
    """Print times of whole steps."""
    print(f"\n{name}: {case['atoms']} atoms, us a step")
    reference = next(iter(case["summary"]))
    for way, one in case["summary"].items():
        ns_per_day = 0.0864 / (one["median"] * 1e-6)
        print(f"  {way:10} {one['median']:10.1f}   {bench.in_words(one['speedup'])} times faster than {reference}; "
              f"{ns_per_day:.2f} ns/day with steps of 1 fs")
