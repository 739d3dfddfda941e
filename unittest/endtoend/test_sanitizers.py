# SPDX-License-Identifier: GPL-2.0-only
"""All of TOFU's code runs without a report of sanitizers: of wrong addresses, undefined behavior and data races.

The programs have the checks in TOFU's objects alone, or under `long` in LAMMPS' own code as well. `-m long` runs
all of LAMMPS' inputs and 100 random scripts.
"""

import itertools
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from lammps_output import expect_variant
from lammps_plugin import compile_plugin
from lammps_run import BACKENDS, Installation, LammpsFailure, Variant, run_script, threadpool
from sanitizers import WatchedServers, reports, sanitized, watch
from small_systems import LJ
from stock_inputs import StockInput, read_table, run_stock_input
from test_random_scripts import FIRST, check

pytestmark = pytest.mark.full

MOST_STEPS = 10
TIMEOUT = 300.0

IN_EVERY_RUN = ("bench/in.lj", "bench/in.eam", "bench/in.chain", "bench/in.chute", "bench/in.rhodo",
                "granular/in.pour.heat", "meam/in.meam", "melt/in.melt", "rigid/in.rigid.small", "tersoff/in.tersoff")
"""Inputs of bench and of examples, with pairs, many bodies, bonds, grains, a mesh and constraints."""

WHOLE = ("micelle/in.micelle", "rerun/in.read_dump", "template/in.template-mix")
"""Inputs of which some steps alone end in an error of LAMMPS: what comes later wants what the first run has made."""

SCRIPTS = 5
LONG_TESTS = 10


@dataclass(frozen=True)
class Case:
    """An input in one way to run it.

    Args:
        stock: the input.
        ranks: MPI ranks.
        variant: transport and parts of the styles with the suffix.
    """

    stock: StockInput
    ranks: int
    variant: Variant

    def __str__(self) -> str:
        name = self.stock.path.replace("examples/", "").replace("/in.", "/")
        return f"{name}-{self.ranks}-{self.variant}"


def cases() -> list:
    """All inputs, with 1 to 3 ranks, 1 to 3 parts and all transports in turn; most have the marker `long`."""
    found = []
    for turn, stock in enumerate(read_table("benchmarks") + read_table("examples")):
        ranks, parts, backend = (2, 3, 1)[turn % 3], (2, 1, 3)[turn // 3 % 3], BACKENDS[(turn + turn // 3) % 3]
        if stock.ranks and ranks not in stock.ranks:
            ranks = stock.ranks[0]
        variant = replace(backend, name=f"{parts}-{backend}", parts=parts)
        short = stock if stock.path.endswith(WHOLE) else replace(stock, steps=min(stock.steps, MOST_STEPS))
        found.append(pytest.param(Case(short, ranks, variant), id=str(Case(short, ranks, variant)),
                                  marks=[] if stock.path.endswith(IN_EVERY_RUN) else [pytest.mark.long]))
    return found


def run_watched(installation: Installation, case: Case, folder: Path) -> None:
    """Run an input and expect no report."""
    try:
        found = run_stock_input(installation, case.stock, case.ranks, case.variant, folder, TIMEOUT,
                                environment=watch(folder))
    except LammpsFailure as failure:
        raise LammpsFailure(f"{reports(folder)}\n{failure}") from None
    assert not reports(folder), reports(folder)
    expect_variant(found.run.output, case.variant.backend)


@pytest.mark.parametrize("case", cases())
def test_input_runs_without_a_wrong_address_or_undefined_behavior(tmp_path, case):
    run_watched(sanitized("address"), case, tmp_path)


@pytest.mark.parametrize("case", [
    pytest.param(replace(case, ranks=1, variant=threadpool(parts, "p2p/rdma")),
                 id=f"{case.stock.name}-{parts}", marks=[] if number < 2 else [pytest.mark.long])
    for number, (case, parts) in enumerate(itertools.product((param.values[0] for param in cases()), (2, 3)))])
def test_parts_of_a_rank_run_without_a_data_race(tmp_path, case):
    run_watched(sanitized("thread"), case, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("case", cases())
def test_input_runs_without_a_wrong_address_in_lammps_either(tmp_path, case):
    run_watched(sanitized("everywhere"), case, tmp_path)


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, LONG_TESTS))])
def test_random_scripts_run_without_a_wrong_address_or_undefined_behavior(tmp_path, part):
    """Their results are as with brick, too."""
    folder = tmp_path / "servers"
    folder.mkdir()
    servers = WatchedServers(sanitized("address"), folder)
    first = FIRST + part * SCRIPTS
    check(servers, range(first, first + SCRIPTS), tmp_path)
    servers.finish()
    assert not reports(folder), reports(folder)


# the sanitizers see

INSTRUMENTED = {"address": b"__asan_init", "thread": b"__tsan_init"}


@pytest.mark.parametrize("name", INSTRUMENTED)
def test_every_object_has_the_checks(name):
    """Of the package, or of those sources that the build names."""
    folder = Path(sanitized(name).lmp).parent
    only = re.search(r"^TOFU_SANITIZE_ONLY:\w+=(.*)$", (folder / "CMakeCache.txt").read_text(), re.M).group(1)
    objects = {path.as_posix().split("/src/TOFU/")[1]: path
               for path in (folder / "CMakeFiles/lammps.dir").glob("**/src/TOFU/**/*.o")}
    chosen = {path for path in objects if re.search(only, f"/{path}")}
    rooms = {"kernels", "pool", "threadpool", "transport"} | ({"styles"} if name == "address" else set())
    assert {path.split("/")[0] for path in chosen} >= rooms
    assert len(objects) > 250 and (name == "thread" or len(chosen) == len(objects))
    assert [path for path in chosen if INSTRUMENTED[name] not in objects[path].read_bytes()] == []


FAULTS = [("address", "address", Variant("parts", "brick", parts=2), "/kernels/"),
          ("address", "address", Variant("shm"), "/halo/"),
          ("address", "undefined", Variant("shm"), "/p2p/"),
          ("thread", "thread", Variant("parts", "brick", parts=2), "/kernels/")]


@pytest.mark.parametrize("name, fault, variant, where", FAULTS, ids=[f"{fault[1]}-{fault[2]}" for fault in FAULTS])
def test_fault_is_reported_where_it_is(tmp_path, name, fault, variant, where):
    installation = sanitized(name)
    plugin = compile_plugin(installation, [Path(__file__).with_name("fix_fault.cpp")], tmp_path / "fault.so",
                            [] if fault == "undefined" else [f"-fsanitize={fault}"])
    script = f"{variant.command}\n{LJ}\nplugin load {plugin}\n{{}}\nrun 10"
    run_script(installation, script.format(""), 1, tmp_path, environment=watch(tmp_path)).expect_success()
    assert not reports(tmp_path), reports(tmp_path)
    run_script(installation, script.format(f"fix fault all fault {fault}"), 1, tmp_path,
               environment=watch(tmp_path)).expect_failure()
    assert where in reports(tmp_path) and "TOFU" in reports(tmp_path), reports(tmp_path)
