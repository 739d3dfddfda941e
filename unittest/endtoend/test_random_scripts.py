# SPDX-License-Identifier: GPL-2.0-only
"""Random scripts give the same results as with brick and without the suffix, or stop with the same error.

Scripts are numbered from TOFU_SEED on: with the number in a report as TOFU_SEED that script is the first, and a long
series can go on where another one ended.

If a script disagrees, brick computes it once more with coordinates that differ in the last digits and atoms in
another order. If that run disagrees with brick as much, then the script is unstable, and the variant is not wrong.
"""

import os
import re
import resource
import shutil
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Dict, FrozenSet, List, Optional, Sequence, Tuple

import numpy as np
import pytest

from compare import ROUNDING, Tolerance, compare_snapshots, compare_thermo
from lammps_output import Snapshot, expect_variant, read_snapshot, read_thermo
from lammps_run import BRICK, Variant, abandoned_segments, segments_left_since
from lammps_server import CASE_TIMEOUT, CaseFailed, CaseHung, LammpsServer, ServerPool
from random_scripts import BLOCK, LOOK, RandomScript, random_script
from random_systems import KINDS, SEED

REGRESSIONS: Tuple[int, ...] = (900282,)
"""Numbers of scripts that once disagreed; they always run."""

FIRST = int(os.environ.get("TOFU_SEED", 70000))
"""Number of the first script of every run, the same each time unless TOFU_SEED is set; the long series begins
anywhere."""

TESTS, SCRIPTS_PER_TEST = 1, 8
LONG_TESTS, SCRIPTS_PER_LONG_TEST = 100, 100

FEWEST_COMPARED = 0.4
"""Least share of scripts that must come to their end and agree; others stop with an error, or blow up."""

PERTURBED = replace(BRICK, name="perturbed")

DOCUMENTED = frozenset({"Lost atoms", "Lost atoms via balance", "Bond atoms N N missing on proc N at step N"})
"""Errors of brick after which the variant may go on: p2p_rdma keeps an atom that moves beyond the adjacent sub-box."""

TRUNCATED = frozenset({"no message"})
"""What is found if the launcher ends before it has written the message of a rank; a crash would come again."""

IN_BLOCK = "in block"
"""Begin of the first line of a report about numbers."""

LARGEST_FORCE = 1e10
"""Largest force; with larger ones atoms lie on top of each other, and digits mean nothing."""

FACTORS = tuple(10.0**n for n in range(8))

SECONDS_TO_REDUCE = 60.0

TIMEOUT = 3 * CASE_TIMEOUT
"""Seconds after which a script counts as hung; on idle cores the slowest scripts need ten."""

MOST_MEMORY = 4 << 30
"""Bytes of address space of a rank: a box that follows its atoms may grow until no memory is left for other jobs."""

CRASHES = ("Segmentation fault", "Killed", "Failed to allocate", "Failed to reallocate", "no message")
"""Ends of brick that say nothing about the variant."""


@pytest.fixture(scope="module")
def servers(installation, tmp_path_factory):
    """Jobs like those of the other tests, with limited memory."""
    before = abandoned_segments()
    usual, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = MOST_MEMORY if most == resource.RLIM_INFINITY else min(MOST_MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))    # jobs inherit it
    pool = ServerPool(installation, tmp_path_factory.mktemp("servers"))
    yield pool
    resource.setrlimit(resource.RLIMIT_AS, (usual, most))
    pool.finish()
    left = segments_left_since(before)
    assert not left, f"shared-memory segments left behind: {sorted(left)}"


@dataclass
class Outcome:
    """Outcome of a script.

    Args:
        name: name of the variant.
        folder: folder of its dumps.
        output: output of all blocks that were finished.
        errors: kinds of errors that stopped it; none if it came to its end.
    """

    name: str
    folder: Path
    output: str
    errors: FrozenSet[str] = frozenset()

    def blocks(self) -> Dict[int, str]:
        """Output by number of the block."""
        parts = re.split(rf"^{BLOCK} (\d+)$", self.output, flags=re.M)
        return {int(number): text for number, text in zip(parts[1::2], parts[2::2])}


def kinds_of_errors(output: str) -> FrozenSet[str]:
    """The errors in the output of a job that failed, without numbers, names and places."""
    found = re.findall(r"^ERROR(?: on proc \d+)?: (.*?)(?: \(\S+:\d+\))?$", output, re.M)
    kinds = {re.sub(r"[-+]?\d[-+.\de]*", "N", text).split(":")[0].strip() for text in found}
    signals = re.findall(r"exited on signal \d+ \(([^)]*)\)", output)
    return frozenset(kinds or signals or {"no message"})


def run_script(
    server: LammpsServer, script: RandomScript, variant: Variant, folder: Path, first: Sequence[str] = ()
) -> Outcome:
    """Run a script in one way; `first` are commands before its first run."""
    try:
        return Outcome(variant.name, folder, server.run(script.text(variant, folder, first), TIMEOUT))
    except CaseFailed as failure:
        return Outcome(variant.name, folder, "", kinds_of_errors(str(failure)))


def disagreements(
    script: RandomScript, expected: Outcome, found: Outcome, factor: float = 1.0, last: Optional[int] = None
) -> List[str]:
    """Lines about differences between two outcomes that are more than `factor` times the allowed rounding.

    Args:
        script: the script.
        expected, found: its outcomes in two ways.
        factor: factor of the allowed difference.
        last: number of the last block that is compared; without it all blocks are, and the end of the script.
    """
    thermo, other_thermo = ({number: read_thermo(text) for number, text in outcome.blocks().items()}
                            for outcome in (expected, found))
    for number, block in enumerate(script.blocks[: None if last is None else last + 1]):
        tolerance = Tolerance(ROUNDING.after(script.age(number)) * factor, ceiling=ROUNDING.ceiling * factor)
        lines, snapshots = [], []
        tables = thermo.get(number, [])
        energy = float(tables[0].columns.get("PotEng", [0.0])[0]) if tables else 0.0
        for look in range(block.count(LOOK)):
            paths = [outcome.folder / f"{outcome.name}.{number}.{look}.dump" for outcome in (expected, found)]
            if not all(path.exists() for path in paths):
                return compare_errors(expected, found)
            one, other = map(read_snapshot, paths)
            if blown_up(one):
                return []
            snapshots.append(one)
            lines += compare_snapshots(one, other, tolerance.start, energy)
        if tables and snapshots and number in other_thermo:
            lines += compare_thermo(tables, other_thermo[number], tolerance, script.system.units, snapshots[0])
        if lines:
            return [f"{IN_BLOCK} {number}", *lines]
    return compare_errors(expected, found) if last is None else []


def compare_errors(expected: Outcome, found: Outcome) -> List[str]:
    """A line if the outcomes do not end alike."""
    if expected.errors & found.errors or expected.errors == found.errors:
        return []
    if not found.errors and expected.errors & DOCUMENTED:
        return []
    return [f"ends with {sorted(found.errors) or 'no error'} instead of {sorted(expected.errors) or 'no error'}"]


def blown_up(snapshot: Snapshot) -> bool:
    """Whether a comparison of digits makes no sense."""
    return snapshot.natoms > 0 and not np.max(np.abs(snapshot.forces)) < LARGEST_FORCE


def perturbation(script: RandomScript) -> List[str]:
    """Commands that change the last digits and the order of atoms, on which a correct script must not depend."""
    size = 1e-13 * script.system.unit
    depth = size if script.system.dimension == 3 else 0.0
    lines = [f"displace_atoms all random {size} {size} {depth} 4711 units box"]
    return lines if script.system.only_group else [*lines, "atom_modify sort 1 1.0"]    # the two exclude each other


@dataclass
class Verdict:
    """Verdict on a script.

    Args:
        kind: outcome in a word or two.
        lines: lines that tell what is wrong; none if nothing is.
        output: output of the variant, if it came to its end.
    """

    kind: str
    lines: Sequence[str] = ()
    output: str = ""


def judge(servers: ServerPool, script: RandomScript, folder: Path, mistake: Sequence[str] = ()) -> Verdict:
    """Run a script with brick and with its variant.

    Args:
        servers: servers that run the script.
        script: script with placeholders.
        folder: folder for files; its contents are deleted.
        mistake: commands that make the variant wrong.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    script.system.write_data(folder / "data.system")
    ranks, variant = script.system.ranks, script.variant
    try:
        expected = run_script(servers.server(ranks, BRICK), script, BRICK, folder)
    except CaseHung:
        return Verdict("brick hangs")
    if any(kind.startswith(CRASHES) for kind in expected.errors):
        return Verdict("brick crashes")
    try:
        found = run_script(servers.server(ranks, variant), script, variant, folder, mistake)
        if expected.errors and found.errors == TRUNCATED:
            found = run_script(servers.server(ranks, variant), script, variant, folder, mistake)
    except CaseHung as failure:
        return Verdict("hangs", [str(failure)])
    lines = disagreements(script, expected, found)
    if not lines:
        return Verdict(f"error: {sorted(expected.errors)[0]}" if expected.errors else "same", output=found.output)
    if is_unstable(servers.server(ranks, BRICK), script, expected, found, folder, lines[0]):
        return Verdict("unstable")
    return Verdict("differs", lines)


def is_unstable(
    server: LammpsServer, script: RandomScript, expected: Outcome, found: Outcome, folder: Path, where: str
) -> bool:
    """Whether brick disagrees with itself about as much as the variant does, and no later than `where`, the first place
    where the variant disagrees."""
    last = int(where.split()[-1]) if where.startswith(IN_BLOCK) else None
    factor = next((factor for factor in FACTORS if not disagreements(script, expected, found, factor, last)),
                  FACTORS[-1])
    try:
        perturbed = run_script(server, script, PERTURBED, folder, perturbation(script))
    except CaseHung:
        return False
    return bool(disagreements(script, expected, perturbed, factor / FACTORS[1], last))


def reduced(servers: ServerPool, script: RandomScript, folder: Path) -> RandomScript:
    """The script without the blocks, commands, runs and dumps that do not affect the failure, as far as time
    permits."""
    deadline = time.monotonic() + SECONDS_TO_REDUCE
    for unit in ("blocks", "lines"):
        number = len(script.blocks) - 1
        while number >= 0:
            block = script.blocks[number]
            spans = [(0, len(block))] if unit == "blocks" else [(i, i + 1) for i in reversed(range(len(block)))]
            for first, last in spans:
                rest = block[:first] + block[last:]
                blocks = (*script.blocks[:number], rest, *script.blocks[number + 1:])
                less = replace(script, blocks=tuple(filter(None, blocks)))
                if time.monotonic() > deadline:
                    return script
                if less.blocks and judge(servers, less, folder).lines:
                    script, block = less, rest
            number -= 1
    return script


def report(servers: ServerPool, script: RandomScript, lines: Sequence[str], folder: Path) -> str:
    """All that is needed to repeat the failure; the files of the reduced script stay in `folder`."""
    less = reduced(servers, script, folder)
    judge(servers, less, folder)
    return "\n".join([
        f"script {script.number} on {script.system.ranks} ranks, environment {dict(script.variant.environment)}; "
        f"TOFU_SEED={script.number} makes it the first one", *lines,
        f"reduced, with its files in {folder}:", less.text(script.variant, folder)])


def check(servers: ServerPool, numbers: Sequence[int], folder: Path,
          script_of: Callable[[int], RandomScript] = random_script) -> None:
    """Run the scripts with these numbers.

    Args:
        servers: servers that run the scripts.
        numbers: numbers of the scripts.
        folder: folder for files.
        script_of: number -> script.

    Raises:
        AssertionError: some disagree, or too few came to their end.
    """
    verdicts: Counter = Counter()
    reports = []
    for number in numbers:
        script = script_of(number)
        verdict = judge(servers, script, folder / "script")
        verdicts[verdict.kind] += 1
        if verdict.kind == "same":
            expect_variant(verdict.output, script.variant.backend)
        if verdict.lines:
            reports.append(report(servers, script, verdict.lines, folder / str(number)))
    print(f"scripts {numbers[0]} to {numbers[-1]}:",
          ", ".join(f"{n} {verdict}" for verdict, n in verdicts.most_common()))
    assert not reports, "\n\n".join([f"{len(reports)} of {len(numbers)} scripts", *reports])
    assert verdicts["same"] >= FEWEST_COMPARED * len(numbers), verdicts


@pytest.mark.parametrize("part", range(TESTS))
def test_random_scripts_do_what_they_do_with_brick(servers, tmp_path, part):
    first = FIRST + part * SCRIPTS_PER_TEST
    check(servers, range(first, first + SCRIPTS_PER_TEST), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("part", range(LONG_TESTS))
def test_ten_thousand_random_scripts_do_what_they_do_with_brick(servers, tmp_path, part):
    first = SEED + part * SCRIPTS_PER_LONG_TEST
    check(servers, range(first, first + SCRIPTS_PER_LONG_TEST), tmp_path)


def test_scripts_that_once_disagreed_agree(servers, tmp_path):
    for number in REGRESSIONS:
        verdict = judge(servers, random_script(number), tmp_path / "script")
        assert not verdict.lines, "\n".join([f"script {number}", *verdict.lines])


# the comparison can fail

PLAIN = 2114
"""Number of a quick script that comes to its end, and in which velocities are never set."""

MISTAKES = {
    "a force a little wrong": ["fix mistake all addforce 1e-8 0.0 0.0"],
    "a velocity a little wrong": ["group mistake id 1", "velocity mistake set 1e-7 NULL NULL sum yes units box"],
    "an atom missing": ["group mistake id 1", "delete_atoms group mistake compress no"],
    "an error": ["nonsense"],
    "another end": ["quit 1"],
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_of_the_variant_is_found(servers, tmp_path, mistake):
    script = random_script(PLAIN)
    assert judge(servers, script, tmp_path / "script").kind == "same"
    verdict = judge(servers, script, tmp_path / "script", MISTAKES[mistake])
    assert verdict.kind == "differs" and verdict.lines


def test_force_that_is_changed_in_a_dump_is_found(servers, tmp_path):
    script = random_script(PLAIN)
    assert judge(servers, script, tmp_path / "script").kind == "same"
    expected, found = (Outcome(name, tmp_path / "script", "") for name in (BRICK.name, script.variant.name))
    assert not disagreements(script, expected, found)
    path = found.folder / f"{found.name}.1.0.dump"
    *lines, last = path.read_text().splitlines()
    words = last.split()
    largest = np.max(np.abs(read_snapshot(path).forces))
    path.write_text("\n".join([*lines, " ".join([*words[:-1], f"{float(words[-1]) + 1e-6 * largest:.17g}"])]) + "\n")
    assert disagreements(script, expected, found)


def test_script_depends_on_its_number_alone():
    assert [random_script(n) for n in range(20)] == [random_script(n) for n in range(20)]
    assert len({random_script(n).blocks for n in range(20)}) == 20


@pytest.mark.full
def test_scripts_have_atoms_of_all_kinds():
    assert {random_script(n).system.kind for n in range(200)} == set(KINDS)


def test_errors_are_known_by_their_kind():
    first = "ERROR: Lost atoms: original 100 current 99 (../thermo.cpp:494)"
    second = ("ERROR on proc 3: Bond atoms 12 13 missing on proc 3 at step 5 (src/ntopo_bond_all.cpp:61)\n"
              "Last command: run 5")
    third = "ERROR on proc 0: Bond atoms 2 3 missing on proc 0 at step 10 (src/ntopo_bond_all.cpp:61)"
    assert kinds_of_errors(first) == {"Lost atoms"}
    assert kinds_of_errors(second) == kinds_of_errors(third) == {"Bond atoms N N missing on proc N at step N"}
    crash = "mpirun noticed that process rank 1 exited on signal 11 (Segmentation fault)."
    assert kinds_of_errors(crash) == {"Segmentation fault"}
