# SPDX-License-Identifier: GPL-2.0-only
"""Measure pair_style deepmd/threadpool against that of deepmd-kit (TensorFlow, compressed model), on the same cores.

Every way to compute a case runs once per round, one after the other, and ratios are taken within rounds, for the
reasons given in bench.py. Before a run is timed its first energy and forces are compared with those of the first way.
The threads of TensorFlow are on the core of their rank, too. The PyTorch backend, if it is installed, is called from
Python (deepmd_torch.py), since its libraries for LAMMPS need a GPU. Times are wall time of a core that no other program
should use: LAMMPS' "CPU use" is without the time that the system spends for a process, which is a quarter with large
tensors.
"""

import json
import math
import os
import statistics
import subprocess
import time
from pathlib import Path

from . import bench, cache, deepmd_cases, log, mpi, shell, trial
from .deepmd_cases import CASES, MODELS
from .deepmd_kit import DeepmdKit

#: Largest difference from the reference: of the energy by the number of atoms [eV], and of a force by the largest one.
TOLERANCE = {"double": (1e-10, 1e-9), "mixed": (1e-5, 1e-4)}
#: Way of the PyTorch backend, and the largest number of atoms of its runs: it takes a MB an atom.
TORCH, MOST_OF_TORCH = "PyTorch", 2000
#: Case whose start is timed.
STARTS = "water64"


def command(options):
    """tools/tofu bench --deepmd FOLDER."""
    names = bench.chosen(options, "--deepmd", CASES)
    kit = DeepmdKit(options.deepmd)
    bench.refuse(options, "--deepmd", CASES, deepmd_cases.CORES)
    lammps = bench.ready(options)
    setting = Setting(lammps, kit, {CASES[name].model for name in [*names, STARTS]})
    result = {"about": {**bench.about(lammps, options), "deepmd-kit": kit.version},
              "start": measure_start(setting, options.pairs),
              "cases": {name: measure_case(name, setting, options.pairs) for name in names}}
    print_tables(result)
    has_pairs = any(case["quantity"] == "pair" for case in result["cases"].values())
    return bench.finish(options, "deepmd", result, "plot_deepmd" if has_pairs else None)


class Setting:
    """What all runs share: LAMMPS, deepmd-kit's plug-in for it, and the models."""

    def __init__(self, lammps, kit, models):
        self.lammps, self.kit = lammps, kit
        self.plugin = kit.plugin(lammps)
        self.models = {name: kit.model(name, MODELS[name].words, MODELS[name].script) for name in sorted(models)}
        self.torch_models = {name: kit.torch_model(model) for name, model in self.models.items()
                             if kit.torch and MODELS[name].words}
        self.folder = cache.folder("bench")

    def has_torch(self, case):
        """Whether the PyTorch backend can compute a case."""
        return case.quantity == "pair" and case.model in self.torch_models and case.atoms <= MOST_OF_TORCH

    def line(self, name, way, pinned=True, forces=None):
        """Write the input of a way.

        Returns:
            The command line, and the log.
        """
        case = CASES[name]
        label = f"deepmd.{name}.{way.name.replace(' ', '.')}"
        script, logfile, data = (self.folder / f"{kind}.{label}" for kind in ("in", "log", "data"))
        deepmd_cases.write_data(data, case)
        script.write_text(deepmd_cases.script_of(case, way, data, self.models[case.model], self.plugin, forces),
                          encoding="utf-8")
        launch = mpi.launch(self.lammps.mpi, way.ranks, way.threads) if pinned else []
        return [*launch, str(self.lammps.lmp), *way.words, "-in", str(script), "-log", str(logfile), "-screen",
                "none"], logfile

    def environment(self, way):
        """Environment variables of a run."""
        return {**trial.environment(self.lammps, way.threads), **(self.kit.variables if way.kit else {})}


# times

def measure_case(name, setting, rounds):
    """Run one case round by round.

    Returns:
        Sizes, every single run in microseconds a step, and the summary.
    """
    case = CASES[name]
    show = shell.Progress(".")
    measured = {way.name: [] for way in case.ways}
    for number in range(rounds):
        first = None
        for way in case.ways:
            show.line(f"bench {name}: round {number + 1} of {rounds}, {way.name}")
            run, values = run_once(name, way, setting)
            if first is None:
                first = values
            run["difference"] = compare(name, way, first, values)
            measured[way.name].append(run)
        if setting.has_torch(case):
            show.line(f"bench {name}: round {number + 1} of {rounds}, {TORCH}")
            run, values = run_torch(name, setting)
            run["difference"] = compare(name, case.ways[0], first, values)
            measured.setdefault(TORCH, []).append(run)
    show.finish()
    return {"atoms": case.atoms, "steps": case.steps, "quantity": case.quantity, "cores": case.ways[0].ranks,
            "runs": measured, "summary": summarize(measured, case.quantity)}


def run_once(name, way, setting):
    """Measure one way.

    Returns:
        Times in microseconds a step; the first energy and forces.
    """
    forces = setting.folder / f"forces.deepmd.{name}.{way.name.replace(' ', '.')}"
    line, logfile = setting.line(name, way, forces=forces)
    trial.run_checked(line, logfile, setting.environment(way), cwd=setting.folder)
    runs = log.read(logfile)
    run = bench.times(runs[-1])
    run["imbalance"] = statistics.mean(one.held["Nlocal"][1] / one.held["Nlocal"][0] for one in (runs[0], runs[-1]))
    return run, (runs[0].rows[0][runs[0].columns.index("PotEng")], read_forces(forces))


def run_torch(name, setting):
    """Measure calls of the PyTorch backend.

    Returns:
        As run_once(); the time of a call takes the place of both the section and the step.
    """
    case = CASES[name]
    atoms, result = (setting.folder / f"{kind}.deepmd.{name}.torch.json" for kind in ("atoms", "result"))
    box, places = deepmd_cases.atoms_of(case)
    cache.write_json(atoms, {"box": box, "types": [kind - 1 for kind, *_ in places],
                             "positions": [place for _, *place in places]})
    script = Path(__file__).with_name("deepmd_torch.py")
    shell.capture([setting.kit.torch, "-I", script, setting.torch_models[case.model], atoms, str(case.steps), result],
                  cwd=setting.folder, env={**os.environ, **setting.kit.variables})
    found = json.loads(result.read_text(encoding="utf-8"))
    run = {"loop": found["average"], "sections": {"Pair": found["average"]}, "imbalance": 1.0}
    return run, (found["energy"], found["forces"])


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

    reference = next(iter(measured))
    return {name: {"median": statistics.median(map(time_of, runs)),
                   "speedup": bench.ratio_range([time_of(one) / time_of(other) for one, other in
                                                 zip(measured[reference], runs)]),
                   **({} if TORCH not in measured else
                      {"over torch": bench.ratio_range([time_of(one) / time_of(other) for one, other in
                                                        zip(measured[TORCH], runs)])}),
                   "imbalance": statistics.median(run["imbalance"] for run in runs),
                   "difference": [max(run["difference"][k] for run in runs) for k in (0, 1)]}
            for name, runs in measured.items()}


# start and memory

def measure_start(setting, rounds):
    """Time and memory of runs that end after the first forces, without a launcher.

    Returns:
        By way: medians of wall time [s], processor time [s] and peak resident memory [MB].
    """
    found = {way.name: [] for way in CASES[STARTS].ways}
    for _ in range(rounds):
        for way in CASES[STARTS].ways:
            line, logfile = setting.line(STARTS, way, pinned=False)
            found[way.name].append(measure_process(line, setting.environment(way), logfile))
    return {name: dict(zip(("wall", "processor", "memory"), map(statistics.median, zip(*runs))))
            for name, runs in found.items()}


def measure_process(line, environment, logfile):
    """Wall time [s], processor time [s] and peak memory [MB] of a process.

    Raises:
        shell.Failure: It fails.
    """
    logfile.unlink(missing_ok=True)
    begin = time.monotonic()
    with subprocess.Popen(line, env=environment, cwd=logfile.parent, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - begin
    log.read(logfile)    # raises with LAMMPS' message
    if process.returncode:
        raise shell.Failure(f"status {process.returncode} from\n  {shell.quote(line)}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


# tables

def print_tables(result):
    """Print the summary."""
    cases = result["cases"]
    print_pairs({name: case for name, case in cases.items() if case["quantity"] == "pair"}, result["about"])
    steps = {name: case for name, case in cases.items() if case["quantity"] == "step"}
    for name, case in steps.items():
        print_step(name, case)
    print("\nStart of a run, with the first forces of 192 atoms:")
    for name, one in result["start"].items():
        print(f"  {name:10} {one['wall']:6.2f} s, {one['processor']:6.2f} s of processor time, {one['memory']:6.0f} MB")
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
    print_torch({name: case for name, case in cases.items() if TORCH in case["summary"]})


def print_torch(cases):
    """Print times of the PyTorch backend, and how many times faster TOFU is."""
    if not cases:
        return
    print("\nThe backend with PyTorch (compressed, called from Python with a sorted list of neighbors):")
    print(f"{'case':10} {'atoms':>6}   {TORCH:>10}   " + "   ".join(
        f"{way + ', times faster':>24}" for way in ("double", "mixed")))
    for name, case in cases.items():
        summary, atoms = case["summary"], case["atoms"]
        print(f"{name:10} {atoms:6d}   {summary[TORCH]['median'] / atoms:10.1f}   " + "   ".join(
            f"{bench.in_words(summary[way]['over torch']):>24}" for way in ("double", "mixed")))


def print_step(name, case):
    """Print times of whole steps."""
    print(f"\n{name}: {case['atoms']} atoms, us a step")
    reference = next(iter(case["summary"]))
    for way, one in case["summary"].items():
        ns_per_day = 0.0864 / (one["median"] * 1e-6)
        print(f"  {way:10} {one['median']:10.1f}   {bench.in_words(one['speedup'])} times faster than {reference}; "
              f"{ns_per_day:.2f} ns/day with steps of 1 fs{of_ideal(way, one)}")


def of_ideal(way, one):
    """The gain of fix ring/balance as part of the ideal one, which is that of ranks with equal numbers of atoms."""
    if way != "ring":
        return ""
    return f"; {one['speedup']['median'] / one['imbalance']:.2f} of the ideal gain, {one['imbalance']:.2f}"
