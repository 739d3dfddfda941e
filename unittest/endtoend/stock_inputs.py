# SPDX-License-Identifier: GPL-2.0-only
"""Run LAMMPS' own inputs, shortened and with full precision, from a copy of their folder.

The copy consists of links; only the input scripts are rewritten: runs are shortened, thermo output
gets all digits, and each run or minimisation dumps the forces at its start and its end. A script
still works as a whole: `jump SELF`, `include` and `read_restart` find the files that they name.
"""

import re
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Optional, Tuple

import yaml

from compare import Differences, Tolerance, compare_snapshots, compare_thermo
from lammps_output import Snapshot, ThermoTable, atoms_after_each_run, expect_variant, read_snapshot, read_thermo
from lammps_run import BRICK, DEFAULT_TIMEOUT, Installation, Run, Variant, run

DUMPED = "tofu_forces"


def logical_lines(text: str) -> List[str]:
    """Lines of an input script, with continuations (`&` at the end) joined; triple quotes are not changed."""
    lines: List[str] = []
    pending, quoted = "", False
    for line in text.splitlines():
        if quoted or '"""' in line:
            if line.count('"""') % 2:
                quoted = not quoted
            lines.append(line)
            continue
        stripped = line.rstrip()
        if stripped.endswith("&") and not stripped.lstrip().startswith("#"):
            pending += stripped[:-1] + " "
            continue
        lines.append(pending + line)
        pending = ""
    return lines + ([pending] if pending else [])


def _cut_run(words: List[str], steps: int) -> List[str]:
    length = int(words[1]) if words[1].isdigit() else steps
    return [words[0], str(min(length, steps)), *words[2:]]


def _cut_minimize(words: List[str], steps: int) -> List[str]:
    def cut(word: str, limit: int) -> str:
        return str(min(int(word), limit)) if word.isdigit() else str(limit)

    return [words[0], *words[1:3], cut(words[3], steps), cut(words[4], 10 * steps)]


def _keep(words: List[str], steps: int) -> List[str]:
    return words


CUTS = {"run": _cut_run, "minimize": _cut_minimize, "rerun": _keep}
"""The commands that compute forces, and the function that shortens each."""


def _dump_interval(words: List[str]) -> int:
    """Interval of the dump: `run` dumps at its start and end, `rerun` each snapshot that it reads, `minimize` always at
    both ends."""
    if words[0] == "run":
        return max(int(words[1]), 1)
    return 1 if words[0] == "rerun" else 1_000_000


def rewrite(text: str, steps: int) -> str:
    """Shorten the runs of an input script to at most `steps` steps and let each dump its forces.

    Args:
        text: the script.
        steps: most steps of a run, most iterations of a minimisation.
    """
    lines = []
    number = 0
    for line in logical_lines(text):
        words = line.split("#")[0].split()
        if not words or words[0] not in CUTS:
            lines.append(line)
            continue
        words = CUTS[words[0]](words, steps)
        number += 1
        lines += [
            # thermo_style deletes the settings of thermo_modify, hence before each run
            "thermo_modify format float %.17g",
            f"dump {DUMPED} all custom {_dump_interval(words)} {DUMPED}.{number}.* id type x y z fx fy fz",
            f"dump_modify {DUMPED} first yes sort id format float %.17g",
            " ".join(words),
            f"undump {DUMPED}",
        ]
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class StockInput:
    """One of LAMMPS' inputs, and how far two runs of it are comparable; a row of the tables.

    Args:
        path: path of the script inside the LAMMPS tree.
        steps: most steps per run.
        compare: "trajectory" (the default): forces at the start and end of each run, all thermo rows;
            "start": only the first step, because later steps draw random numbers per rank or per local
            atom, or amplify rounding errors at once.
        reason: reason why the whole trajectory is not compared, or why a tolerance is wider.
        variables: index variables of the script, set with `-v`.
        start, steps_per_decade, ceiling: see compare.Tolerance.
        ignore: thermo columns that may differ.
        before: scripts of the same folder that must run first (they write files that this script reads).
        ranks: rank counts that the input can run on; empty: all.
        same_atoms: False if even the number of atoms at the end is random.
        same_length: False if the number of steps depends on rounding.
    """

    path: str
    steps: int = 100
    compare: str = "trajectory"
    reason: str = ""
    variables: Dict[str, str] = field(default_factory=dict)
    start: float = 1e-12
    steps_per_decade: float = 25.0
    ceiling: float = 1e-5
    ignore: Tuple[str, ...] = ()
    before: Tuple[str, ...] = ()
    ranks: Tuple[int, ...] = ()
    same_atoms: bool = True
    same_length: bool = True

    @property
    def name(self) -> str:
        return Path(self.path).name[len("in.") :]

    @property
    def tolerance(self) -> Tolerance:
        return Tolerance(self.start, self.steps_per_decade, self.ceiling)


@dataclass
class Result:
    """Result of a run of a stock input.

    Args:
        run: the job.
        snapshots: dumped forces by (number of the run command in the script, time step).
        thermo: its thermo tables.
        natoms: number of atoms after each run.
    """

    run: Run
    snapshots: Dict[Tuple[int, int], Snapshot]
    thermo: List[ThermoTable]
    natoms: List[int]

    @property
    def first(self) -> Snapshot:
        return self.snapshots[min(self.snapshots)]

    def ages(self) -> Dict[Tuple[int, int], int]:
        """Number of steps computed before each snapshot, regardless of `reset_timestep`."""
        ages: Dict[Tuple[int, int], int] = {}
        done, last_number, last_step = 0, None, 0
        for number, step in sorted(self.snapshots):
            if number == last_number:
                done += step - last_step
            ages[number, step] = done
            last_number, last_step = number, step
        return ages


def prepare_folder(source: Path, target: Path, steps: int, edit: Callable[[str], str]) -> None:
    """Make `target` a copy of `source` with edited and rewritten inputs, all other files as links."""
    target.mkdir(parents=True)
    for entry in source.iterdir():
        copy = target / entry.name
        if entry.name.startswith("in.") and entry.is_file():
            copy.write_text(rewrite(edit(entry.read_text()), steps))
        elif not entry.name.startswith("log."):
            copy.symlink_to(entry)


def run_stock_input(
    installation: Installation,
    stock: StockInput,
    ranks: int,
    variant: Variant,
    cwd: Path,
    timeout=DEFAULT_TIMEOUT,
    edit: Callable[[str], str] = str,
    environment: Optional[Dict[str, str]] = None,
) -> Result:
    """Run a stock input, changed by `edit`, on `ranks` ranks in the fresh folder `cwd`/`variant` and read its
    results; `environment` has more variables."""
    folder = cwd / f"{variant.name}-{ranks}"
    shutil.rmtree(folder, ignore_errors=True)
    source = installation.lammps_dir / stock.path
    prepare_folder(source.parent, folder, stock.steps, edit)
    arguments = ["-log", "none"]
    for name, value in stock.variables.items():
        arguments += ["-v", name, str(value)]
    for script in stock.before:  # all variants must read the same files
        run(installation, [*arguments, "-in", script], ranks, folder, BRICK, environment,
            timeout=timeout).expect_success()
    for old in folder.glob(DUMPED + ".*"):
        old.unlink()
    job = run(installation, [*arguments, "-in", source.name], ranks, folder, variant, environment,
              timeout=timeout).expect_success()
    snapshots = {}
    for path in folder.glob(DUMPED + ".*"):
        snapshot = read_snapshot(path)
        snapshots[int(path.name.split(".")[1]), snapshot.step] = snapshot
    return Result(job, snapshots, read_thermo(job.output), atoms_after_each_run(job.output))


def read_table(group: str) -> List[StockInput]:
    """The rows of stock_inputs.yaml under `group`, "benchmarks" or "examples"."""
    table = yaml.safe_load((Path(__file__).parent / "stock_inputs.yaml").read_text())
    rows = []
    for row in table[group]:
        fields = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
        if (fields.get("compare") == "start" or "ceiling" in fields) and "reason" not in fields:
            raise ValueError(f"stock_inputs.yaml: {row['path']} is an exception without a reason")
        rows.append(StockInput(**fields))
    return rows


def script_facts(script: str) -> Tuple[str, bool]:
    """Unit system of an input script, and whether its thermo energies are per atom."""
    units = re.findall(r"^\s*units\s+(\S+)", script, re.M)
    norm = re.findall(r"^\s*thermo_modify\s.*?norm\s+(yes|no)", script, re.M)
    style = units[0] if units else "lj"
    return style, (norm[-1] == "yes" if norm else style == "lj")


def expect_same_physics(installation: Installation, stock: StockInput, expected: Result, found: Result) -> None:
    """Raise Differences unless the two runs of `stock` agree as far as its row in the table requires."""
    script = (installation.lammps_dir / stock.path).read_text(errors="replace")
    units, per_atom = script_facts(script)
    lines: List[str] = []
    if stock.same_atoms and expected.natoms != found.natoms:
        lines.append(f"atoms after each run: {found.natoms} instead of {expected.natoms}")
    if stock.compare == "trajectory" and sorted(expected.snapshots) != sorted(found.snapshots):
        lines.append(f"(run, step) dumped: {sorted(found.snapshots)} instead of {sorted(expected.snapshots)}")
    first = expected.first
    energy = _potential_energy(expected.thermo[0], first.natoms if per_atom else 1)
    for key, age in expected.ages().items():
        if age and stock.compare == "start":
            break
        if key in found.snapshots:
            allowed = stock.tolerance.after(age)
            lines += compare_snapshots(expected.snapshots[key], found.snapshots[key], allowed, energy)
    rows = "all" if stock.compare == "trajectory" else "start"
    ignored = frozenset(stock.ignore)
    lines += compare_thermo(expected.thermo, found.thermo, stock.tolerance, units, first, rows, ignored,
                            stock.same_length)
    if lines:
        hidden = [f"... and {len(lines) - 30} lines more"] if len(lines) > 30 else []
        repeat = [f"expected: {expected.run.shell_line}", f"found:    {found.run.shell_line}"]
        raise Differences("\n".join([stock.path, *lines[:30], *hidden, *repeat]))


def _potential_energy(table: ThermoTable, factor: int) -> float:
    """Energy of all atoms in the first thermo row, from the columns that the row has."""
    first = {name: float(column[0]) for name, column in table.columns.items()}
    if "PotEng" in first:
        return first["PotEng"] * factor
    return (first.get("E_pair", 0.0) + first.get("E_mol", 0.0)) * factor


def expect_comparison_means_something(stock: StockInput, result: Result) -> None:
    """Raise Differences if no compared snapshot has a force, so that any code would pass."""
    compared = [result.first] if stock.compare == "start" else result.snapshots.values()
    if not any(s.natoms and abs(s.forces).max() > 0.0 for s in compared):
        raise Differences(f"{stock.path}: no force in any compared snapshot; compare more steps or drop the input")


def same_as_brick(installation: Installation, stock: StockInput, ranks: int, variants, cwd: Path) -> None:
    """Run `stock` with `comm_style brick` and with each of `variants`, and expect the same physics."""
    expected = run_stock_input(installation, stock, ranks, BRICK, cwd)
    expect_comparison_means_something(stock, expected)
    for variant in variants:
        found = run_stock_input(installation, stock, ranks, variant, cwd)
        expect_variant(found.run.output, variant.backend)
        expect_same_physics(installation, stock, expected, found)
