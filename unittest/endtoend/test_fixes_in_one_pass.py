# SPDX-License-Identifier: GPL-2.0-only
"""Fixes with the suffix /threadpool leave their work at the end of a step and at the begin of the next one to a single
pass over atoms. Output, other fixes and variables look at atoms as they are without that."""

import hashlib
from typing import List, NamedTuple

import pytest

from lammps_output import CLOCKS, read_thermo
from lammps_run import BRICK, Variant, threadpool
from small_systems import CHAINS, GRAINS, LJ, dump

WITH_SUFFIX = "suffix threadpool\nclear"

STEPS, SEEN = 24, 8
"""Of both runs together, and from one output to the next."""

DIVIDED = "fix leave all setforce NULL NULL NULL\nfix later all momentum 1000000 linear 1 1 1"
"""Fixes that change nothing, between stages of a step: what waits is done before them."""

FORCES_LATER = "region all block INF INF INF INF INF INF\nfix fewer all evaporate 1000000 1 all 4711"
"""A fix that changes nothing, but might look at forces after atoms have moved: these are cleared later, then."""

LANGEVIN = "fix heat all langevin 1.0 2.0 0.5 4711"
FALL = "fix fall all gravity 0.5 vector 1 0 1"
WARMER = "variable warmer equal 1+0.001*step"
SOME = "group some id <> 1 300"

DRIFTING = "chains that drift from rank to rank"
"""With comm_style brick, which leaves forces on ghosts where new atoms of a rank may come."""

SYSTEMS = {
    "nve": (LJ, ""),
    "nve of a group, gravity and langevin": (LJ, f"{SOME}\nunfix integrate\nfix move some nve\n{FALL}\n{LANGEVIN}"),
    "two thermostats with a limit": (
        LJ, f"{SOME}\nunfix integrate\nfix move all nve/limit 0.02\n{LANGEVIN}\nfix cool some langevin 1 1 0.5 99"),
    "thermostat with a sum, and one of a variable": (
        LJ, f"{FALL}\n{LANGEVIN} zero yes\n{WARMER}\nfix vary all langevin v_warmer 1.0 0.5 33"),
    "gravity of a variable after gravity": (LJ, f"{FALL}\n{WARMER}\nfix more all gravity v_warmer vector 0 0 1"),
    "fixes that do not wait among others": (
        LJ, f"{LANGEVIN}\nfix flat all setforce NULL 0 NULL\n{FALL}\nfix still all momentum 5 linear 1 1 1"),
    "grains that are frozen and fall": (
        GRAINS, f"{SOME}\nunfix floor\nfix ice some freeze\n{FALL}\nfix hot all langevin 1.0 1.0 0.5 4711 omega yes"),
    DRIFTING: (CHAINS, "velocity all set 0.0 0.0 8.0 sum yes"),
}


class Outcome(NamedTuple):
    """Output as rows, and a hash of all digits of atoms after the last step."""

    rows: List[dict]
    atoms: str


def outcome(servers, system: str, ranks: int, variant: Variant, more: str, path) -> Outcome:
    text, fixes = SYSTEMS[system]
    # the first clear gives the step loop of the suffix to the first script of a process, too
    begin = WITH_SUFFIX if variant.parts else ""
    energy = "f_fall" if FALL in fixes else ""
    script = [begin, variant.command, text, fixes, more, f"thermo_style custom step temp pe ke press {energy}",
              "thermo_modify norm no format float %.17g", f"thermo {SEEN}", f"run {STEPS - SEEN}",
              f"run {SEEN} pre no", dump(path, columns="vx vy vz fx fy fz")]
    tables = read_thermo(servers.server(ranks, variant).run("\n".join(script)))
    rows = [{name: float(values[row]) for name, values in table.columns.items()}
            for table in tables for row in range(table.nrows)]
    assert len(rows) == STEPS // SEEN + 2    # the end of the first run is there twice
    return Outcome(rows, hashlib.sha256(path.read_bytes()).hexdigest())


def cases() -> List[tuple]:
    """Each system on one or two ranks, with one to three parts."""
    return [(system, 1 + number % 2, (2, 3, 1)[number % 3]) for number, system in enumerate(SYSTEMS)]


@pytest.mark.parametrize("system,ranks,parts", cases())
def test_one_pass_gives_the_bits_of_one_pass_for_each_fix(servers, tmp_path, system, ranks, parts):
    variant = threadpool(parts) if system == DRIFTING else threadpool(parts, "p2p_rdma")
    expected = outcome(servers, system, ranks, variant, DIVIDED, tmp_path / "divided")
    one = outcome(servers, system, ranks, variant, "", tmp_path / "one")
    assert one == expected
    assert outcome(servers, system, ranks, variant, FORCES_LATER, tmp_path / "later") == one


@pytest.mark.parametrize("system,ranks,parts", cases())
def test_one_pass_gives_the_output_of_stock_fixes(servers, tmp_path, system, ranks, parts):
    expected = outcome(servers, system, ranks, BRICK, "", tmp_path / "stock").rows
    found = outcome(servers, system, ranks, threadpool(parts, "p2p_rdma"), "", tmp_path / "one").rows
    assert found == [pytest.approx(row, rel=1e-8) for row in expected]


READ = """\
compute read all reduce sum fx fy fz
variable size atom fx*fx+fy*fy+fz*fz
compute largest all reduce max v_size
"""
"""Of forces, by whoever asks for it."""

VALUES = "c_read[1] c_read[2] c_largest"

READERS = {
    "output of each step": "thermo 1\nthermo_style custom step fnorm fmax c_read[1] c_read[2] c_largest",
    "averages at the end of a step": f"fix mean all ave/time 1 1 1 {VALUES} file {{file}} format %.17g",
    "averages of atoms, and their dump": "fix mean all ave/atom 1 3 3 fx fy fz\n"
                                         "dump read all custom 3 {file} id fx fy fz f_mean[1] f_mean[2]\n"
                                         "dump_modify read sort id format float %.17g",
    "a fix that keeps forces, behind the thermostat": "fix keep all store/force\n"
                                                      "compute kept all reduce sum f_keep[1]\n"
                                                      "fix mean all ave/time 3 1 3 c_kept file {file} format %.17g",
    "a fix whose variable is made of them, behind the thermostat": "variable drag atom -0.1*fx\n"
        "variable pull atom 0.05*fx*fx\nfix drag all addforce v_drag 0.0 0.0 energy v_pull",
    "a group of atoms with large forces": "variable large atom v_size>900\ngroup large dynamic all var large every 1\n"
                                          "fix more large langevin 1.0 1.0 0.5 77",
    "text that a fix prints": "variable now equal c_largest\nfix say all print 1 '${{now}}' file {file} screen no",
    "a condition at which the run ends": "variable now equal c_largest*(step>10)\n"
                                         "fix halt all halt 1 v_now > 1.0e3 error continue",
}
"""What may look at forces between the thermostat and the pass, or between two steps."""


def seen(servers, reader: str, more: str, path) -> tuple:
    """Output, what the reader has written, and atoms after the last step and after a minimization."""
    written = path.with_suffix(".read")
    variant = threadpool(1)
    script = [WITH_SUFFIX, variant.command, LJ, FALL, LANGEVIN, more, READ, READERS[reader].format(file=written),
              "thermo_modify norm no format float %.17g", f"run {STEPS - 1}", dump(path, columns="vx vy vz fx fy fz"),
              f"run {STEPS} every 2 'variable last equal c_largest' 'print \"last $(v_last:%.17g)\"'",
              "minimize 0 0 4 8"]
    text = servers.server(1, variant).run("\n".join(script))
    values = [{name: list(column) for name, column in table.columns.items() if name not in CLOCKS}
              for table in read_thermo(text)]
    return values, [line for line in text.splitlines() if "last " in line], \
        written.read_text() if written.exists() else "", path.read_text()


@pytest.mark.parametrize("reader", READERS)
def test_whoever_reads_forces_sees_those_with_the_work_of_all_fixes(servers, tmp_path, reader):
    one, divided = seen(servers, reader, "", tmp_path / "one"), seen(servers, reader, DIVIDED, tmp_path / "divided")
    assert one == divided


def test_energy_of_gravity_has_the_same_bits_for_any_number_of_parts(servers):
    """Shares of parts are no whole blocks of sums without further care."""
    script = [LJ, FALL, "thermo_style custom step f_fall", "thermo_modify norm no format float %.17g", "run 0"]
    energies = set()
    for parts in (1, 2, 3):
        variant = threadpool(parts)
        (thermo,) = read_thermo(servers.server(1, variant).run("\n".join([variant.command, *script])))
        energies.add(float(thermo.columns["f_fall"][0]))
    assert len(energies) == 1
