# SPDX-License-Identifier: GPL-2.0-only
"""Differences between LAMMPS as it is and TOFU over the first steps of an input: tools/tofu run --compare."""

import math
import re
import tempfile
from typing import NamedTuple

from . import cache, input_edits, same_physics, scratch, shell
from .configuration import Configuration

#: Steps that are compared; fewer if the first run of the input has fewer.
STEPS = 100
#: What is compared in each of them.
COLUMNS = ("step temp pe ke etotal epair emol evdwl ecoul elong ebond eangle edihed eimp press pxx pyy pzz pxy pxz pyz "
           "fmax fnorm")
#: Lines in front of the run that is compared.
OUTPUT = [f"thermo_style custom {COLUMNS}", f"{input_edits.ALL_DIGITS} lost warn", "thermo 1"]
FORCES = frozenset(("Fmax", "Fnorm"))
#: Smaller forces are nothing but rounding [of the energy of an atom, in units of energy and length of the input].
LEAST_FORCE = 1e-8
#: Packages of LAMMPS in the order in which one of them is compared as well, to show what rounding alone does.
OTHERS = ("omp", "intel", "opt")


class Row(NamedTuple):
    """One quantity."""

    name: str
    value: float      #: of LAMMPS as it is, at the first step
    first: list       #: for each of the others: relative difference at the first step
    most: list        #: for each of the others: largest relative difference in all steps, and its step


def command(bed, script, one, folder, more):
    """Run the first steps of an input in copies of its folder, and print the differences.

    Args:
        bed: A trial.Bench.
        script: The input.
        one: The Configuration of TOFU.
        folder: To copy; None: that of the input.
        more: Arguments of LAMMPS.

    Returns:
        1 if values differ at the first step by more than rounding, else 0.
    """
    reference = Configuration("", one.ranks, 1)
    other = next((Configuration(suffix, one.ranks, 1) for suffix in OTHERS if suffix in bed.program.suffixes), None)
    with tempfile.TemporaryDirectory(prefix="tofu-compare-", dir=cache.folder("run")) as place:
        copies = scratch.Scratch(script, folder, place)
        runs = {way: run(bed, copies, way, more) for way in (reference, one, other) if way}
    rows, steps = compare(runs[reference], [runs[way] for way in runs if way != reference])
    names = [way.name for way in runs if way != reference]
    print(f"\n{script.name}: {runs[reference].atoms} atoms, the first {steps} steps; reference: {reference.name}\n"
          f"Differences are relative to the largest of the energies, of the pressures, and of the forces.\n")
    print_rows(rows, names)
    problems = judged(rows, one.precision)
    print("\n" + ("\n".join(f"DIFFERS at the first step: {problem}" for problem in problems) or
                  f"At the first step {one.name} agrees with LAMMPS as it is: rounding explains all differences."))
    print("Later differences grow from rounding, as they do between LAMMPS' own packages"
          + (f" ({other.name})" if other else "") + ". A fix that draws random numbers atom by atom makes them large.")
    return 1 if problems else 0


def run(bed, copies, one, more, change=None, steps=STEPS):
    """The first run of the input, with the output that is compared.

    Args:
        bed: A trial.Bench.
        copies: A Scratch.
        one: A Configuration.
        more: Arguments of LAMMPS.
        change: Function that makes another text of that of the input.
        steps: Most steps.

    Raises:
        shell.Failure: There is no such run.
    """
    texts = "\n".join(input_edits.reached(copies.top / copies.script, copies.top).values())
    without_steps = not re.search(r"^[ \t]*(?:run[ \t]+(?!0[ \t]*$)|minimize\b)", texts, re.MULTILINE)
    folder, script = copies.changed(
        lambda text, start: shortened(change(text) if change else text, without_steps, start, steps), bed.lines(one))
    shell.say(f"first steps with {one.name}")
    try:
        found = bed.carry_out(one, script, folder / "log.tofu", folder, more)[-1]
    except shell.Failure as failure:
        raise copies.explained(failure) from None
    if "Fmax" not in found.columns or not found.rows:
        raise shell.Failure(f"{copies.script} has no command run or minimize on a line of its own, in it or in a file "
                            f"that it includes by name: there are no first steps to compare")
    return found


def shortened(text, without_steps, start, most=STEPS, output=OUTPUT, commands=r"run|minimize[ \t]+\S+[ \t]+\S+"):
    """An input that ends after the first steps: each run is short and the last one.

    Args:
        text: The input.
        without_steps: Whether `run 0` counts; it is passed over if other runs follow.
        start: Lines that begin the run.
        most: Most steps of it.
        output: Lines in front of it.
        commands: Pattern of the commands in front of the number of steps.
    """
    def replaced(found):
        name, steps, rest = found.groups()
        if steps == "0" and not without_steps:
            return found.group(0)
        number = min(int(steps), most) if steps.isdigit() else most
        rest = re.sub(r"\bupto\b", "", rest)
        return "\n".join([*output, f"{name}{number}{rest}", "quit"])

    pattern = rf"^([ \t]*(?:{commands})[ \t]+)(\S+)((?:[^\n]*&[ \t]*\n)*[^\n]*)$"
    text = input_edits.command_lines("clear").sub(lambda found: "\n".join([found.group(1), *start]), text)
    return re.sub(pattern, replaced, input_edits.command_lines("echo").sub("", text), flags=re.MULTILINE)


def compare(reference, others):
    """Differences of runs to one of them, in the steps that all of them have.

    Args:
        reference: A log.Run.
        others: Further ones, with the same columns.

    Returns:
        A list of Row for quantities that are not zero, and the number of these steps.
    """
    tables = [{values[0]: dict(zip(run.columns, values)) for values in run.rows} for run in (reference, *others)]
    steps = sorted(set.intersection(*map(set, tables)))
    force = force_of(reference)
    rows = []
    for name in reference.columns[1:]:
        if not any(table[step][name] for table in tables for step in steps):
            continue
        sizes = [force if name in FORCES else same_physics.scale(name, tables[0][step]) for step in steps]
        relative = [[(difference(tables[0][step][name], table[step][name], size), step)
                     for step, size in zip(steps, sizes)] for table in tables[1:]]
        rows.append(Row(name, tables[0][steps[0]][name], [found[0][0] for found in relative],
                        [max(found) for found in relative]))
    return rows, int(steps[-1] - steps[0])


def force_of(run):
    """Size of forces: the largest of all steps, since those of a lattice are nothing but rounding."""
    rows = [dict(zip(run.columns, values)) for values in run.rows]
    energy = max(abs(row[name]) for row in rows for name in row if name in same_physics.ENERGIES)
    return max(*(row["Fmax"] for row in rows), LEAST_FORCE * energy / max(1, run.atoms))


def difference(expected, found, size):
    """Relative difference; infinite if one of the values alone is no number."""
    apart = abs(found - expected)
    if math.isnan(apart):
        return 0.0 if math.isnan(found) and math.isnan(expected) else math.inf
    return apart / size if size else math.inf if apart else 0.0


def judged(rows, precision):
    """What differs at the first step by more than rounding; rounding is as large as between LAMMPS' own packages.

    Args:
        rows: From compare(): TOFU, and another package of LAMMPS if there is one.
        precision: Of TOFU.
    """
    problems = []
    for row in rows:
        allowed = max([same_physics.TOLERANCE[precision], *(same_physics.TIMES_STOCK * one for one in row.first[1:])])
        if not row.first[0] <= allowed:
            problems.append(f"{row.name} by {row.first[0]:.1e}, allowed are {allowed:.1e}")
    return problems


def print_rows(rows, names):
    """Print the table."""
    print(f"{'':8} {'':>22}  " + "  ".join(f"{name:^28}" for name in names))
    print(f"{'':8} {'at the first step':>22}  " + "  ".join([f"{'there':>8} {'at most (step)':>19}"] * len(names)))
    for row in rows:
        cells = [f"{first:8.1e} {most:10.1e} ({step:6.0f})" for first, (most, step) in zip(row.first, row.most)]
        print(f"{row.name:8} {row.value:22.14g}  " + "  ".join(f"{cell:28}" for cell in cells))
