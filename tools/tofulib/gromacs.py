# SPDX-License-Identifier: GPL-2.0-only
"""Measure the suffix /threadpool against GROMACS on the same cores: the same atoms, cut-off, time step, without a
thermostat, on both sides in mixed precision and on ours in double precision, too.

Every way runs once per round, one after the other, and ratios are taken within rounds, for the reasons given in
bench.py. GROMACS chooses its buffer of lists itself; of water the best of three skins and four ways to the long-range
forces counts on our side. GROMACS' time is that of the second half of its run, as it counts itself (-resethway), and
its first energy is compared with LAMMPS'. It rounds positions to single precision, and has another mesh for its
long-range part.
"""

import re
import shutil
from typing import NamedTuple

from . import bench, cache, gromacs_cases, kspace_cases, shell, trial
from .configuration import P2P, Configuration

CORES = bench.RANKS
#: Largest relative difference of first energies: that of the long-range parts, whose accuracy is 1e-4 of a force.
TOLERANCE = 2e-3


class Way(NamedTuple):
    """One way to compute a case."""

    side: str          #: "gromacs", "double" or "mixed"
    ranks: int
    threads: int
    skin: str = ""
    kspace: str = ""

    @property
    def name(self):
        """Name in tables and file names."""
        more = f", skin {self.skin}" if self.skin else ""
        for words, name in ((gromacs_cases.DERIVATIVES, ", diff ad"), ("overlap yes", ", overlap")):
            more += name if words in self.kspace else ""
        return f"{self.side} {self.ranks}x{self.threads}{more}"


def ways_of(case):
    """All ways: ranks or threads, each with all skins, and with the long-range part after or beside pairs, with
    gradients of the spectrum or derivatives of weights."""
    layouts = ((CORES, 1), (1, CORES))
    found = [Way("gromacs", *layout) for layout in layouts]
    kspaces = [kspace_cases.our_kspace(f"overlap {overlap}{words}") for overlap in ("no", "yes")
               for words in ("", f" {gromacs_cases.DERIVATIVES}")] if case.charges else [""]
    for side in ("double", "mixed"):
        found += [Way(side, *layout, skin, kspace) for layout in layouts for skin in case.skins for kspace in kspaces]
    return found


def command(options):
    """tools/tofu bench --gromacs."""
    names = bench.chosen(options, "--gromacs", gromacs_cases.NAMES, cores=CORES)
    program = shutil.which("gmx")
    if not program:
        raise shell.Failure("found no program gmx; GROMACS is in Debian's package gromacs: apt-get install gromacs")
    lammps = bench.ready(options)
    result = {"about": {**bench.about(lammps, options), "gromacs": about(program)},
              "cases": {name: measure_case(name, lammps, program, options.pairs) for name in names}}
    print_table(result)
    return bench.finish(options, "gromacs", result)


def about(program):
    """Version and instruction set of GROMACS."""
    text = shell.capture([program, "--version"])
    return {key: re.search(rf"^{words}:\s*(.+)$", text, re.MULTILINE).group(1)
            for key, words in (("version", "GROMACS version"), ("instructions", "SIMD instructions"),
                               ("precision", "Precision"))}


def measure_case(name, lammps, program, rounds):
    """Run one case round by round.

    Returns:
        Sizes, microseconds a step of every run, and the summary.
    """
    case, folder = gromacs_cases.make(name, lammps), cache.folder("bench", f"gromacs.{name}")
    for file, text in case.files.items():
        (folder / file).write_text(text, encoding="utf-8")
    shell.capture([program, "-quiet", "grompp", "-f", "run.mdp", "-c", "start.g96", "-p", "system.top", "-o", "run.tpr",
                   "-maxwarn", "2"], cwd=folder)
    energies = {}

    def run_once(way):
        run = run_gromacs if way.side == "gromacs" else run_lammps
        time, energies[way.name] = run(case, way, folder, program if way.side == "gromacs" else lammps)
        return time

    measured = bench.by_rounds(name, rounds, {way.name: way for way in ways_of(case)}, run_once)
    compare(name, energies)
    return {"steps": case.steps, "runs": measured, "energies": energies, "summary": summarize(measured)}


def run_gromacs(case, way, folder, program):
    """Measure GROMACS.

    Returns:
        Microseconds a step, and the first energy [kJ/mol].
    """
    shell.capture([program, "-quiet", "mdrun", "-s", "run.tpr", "-g", "md.log", "-ntmpi", str(way.ranks), "-ntomp",
                   str(way.threads), "-pin", "on", "-resethway", "-noconfout", "-notunepme", "-nb", "cpu"], cwd=folder)
    return read_gromacs((folder / "md.log").read_text(encoding="utf-8"), case.steps)


def read_gromacs(text, steps):
    """Time of a step [us] and first potential energy [kJ/mol] in a log of GROMACS.

    Raises:
        shell.Failure: The log has no time.
    """
    wall = re.search(r"^\s*Time:\s+\S+\s+(\S+)", text, re.MULTILINE)
    table = re.search(r"^ *Energies \(kJ/mol\)\n((?:.+\n)+)", text, re.MULTILINE)
    if not wall or not table:
        raise shell.Failure(f"GROMACS' log has no {'energies' if wall else 'time'}:\n{text[-1000:]}")
    lines = table.group(1).splitlines()
    for names, values in zip(lines[::2], lines[1::2]):
        columns = [names[k:k + 15].strip() for k in range(0, len(names), 15)]
        if "Potential" in columns:
            return float(wall.group(1)) * 1e6 / steps, float(values.split()[columns.index("Potential")])
    raise shell.Failure("GROMACS' log has no potential energy")


def run_lammps(case, way, folder, lammps):
    """Measure the suffix; as run_gromacs()."""
    text = case.script.replace("@skin@", way.skin).replace("@kspace@", way.kspace)
    text = text.replace("@warm@", str(case.steps)).replace("@steps@", str(case.steps))
    words = Configuration("threadpool", way.ranks, threads_of(way), P2P, way.side).arguments
    runs = trial.runs_of(lammps, f"{folder.name}.{way.name}", text, way.ranks, words, way.threads)
    return bench.times(runs[-1])["loop"], runs[0].rows[0][runs[0].columns.index("PotEng")] * case.unit


def threads_of(way):
    """Threads of the pool: one rank with overlap leaves a core to the thread of the long-range part."""
    return way.threads - 1 if way.threads > 1 and "overlap yes" in way.kspace else way.threads


def compare(name, energies):
    """Refuse sides that do not compute the same.

    Raises:
        shell.Failure: First energies differ by more than the long-range parts may.
    """
    reference = next(iter(energies.values()))
    for way, energy in energies.items():
        if not abs(energy - reference) <= TOLERANCE * abs(reference):
            raise shell.Failure(f"{name}: the first potential energy of {way} is {energy:.6g} kJ/mol, that of "
                                f"{next(iter(energies))} {reference:.6g}: times of different systems mean nothing")


def summarize(measured):
    """The fastest way of each side, and how many times faster than GROMACS' it is, within rounds."""
    medians = bench.medians(measured, float)
    best = {side: min((name for name in medians if name.startswith(side)), key=medians.get)
            for side in ("gromacs", "double", "mixed")}
    return {side: {"way": name, "time": medians[name],
                   **bench.ratios(measured[best["gromacs"]], measured[name], float)}
            for side, name in best.items()}


def print_table(result):
    """Print the summary."""
    about_gromacs = result["about"]["gromacs"]
    print(f"\nGROMACS {about_gromacs['version']} ({about_gromacs['instructions']}, {about_gromacs['precision']} "
          f"precision); us a step, times faster than GROMACS, median and range")
    for name, case in result["cases"].items():
        for one in case["summary"].values():
            ratio = f"{one['median']:.2f} {one['min']:.2f}-{one['max']:.2f}"
            print(f"{name:10} {one['way']:34} {one['time']:9.1f}   {ratio}")
    print()
