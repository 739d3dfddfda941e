# SPDX-License-Identifier: GPL-2.0-only
"""The comparisons of these tests notice small errors: each gets an error that it must reject."""

import dataclasses

import numpy as np
import pytest

from compare import ROUNDING, Tolerance, compare_snapshots, compare_thermo
from force_style_references import Reference, read_references
from lammps_output import Snapshot, ThermoTable, atoms_after_each_run, read_snapshot, read_statistics, read_thermo
from lammps_run import BRICK
from lammps_server import CaseFailed, LammpsServer
from small_systems import LJ, SYSTEMS, dump
from stock_inputs import rewrite, script_facts

TABLE = """\
   Step          Temp          E_pair         Press
         0   1.44          -6.7733681     -5.0196707
WARNING: this row does not belong to the table (src/thermo.cpp:1)
        10   0.74          -5.7     0.03
Loop time of 0.1 on 2 procs for 10 steps with 500 atoms
"""


def snapshot(natoms: int = 8) -> Snapshot:
    """Atoms whose forces carry their ids."""
    ids = np.arange(1.0, natoms + 1)
    return Snapshot(0, 10.0, {"id": ids, "fx": ids, "fy": 10 * ids, "fz": -11 * ids})


def changed(original: Snapshot, column: str, atom: int, difference: float) -> Snapshot:
    copy = Snapshot(original.step, original.volume, {name: values.copy() for name, values in original.columns.items()})
    copy.columns[column][atom] += difference
    return copy


def test_equal_snapshots_agree():
    assert compare_snapshots(snapshot(), snapshot(), 1e-12) == []


@pytest.mark.parametrize("difference,agrees", [(8e-11, True), (1e-10, False), (1.0, False), (np.nan, False)])
def test_force_error_is_seen_from_the_tolerance_on(difference, agrees):
    found = changed(snapshot(), "fx", 3, difference)  # the largest force is 88
    assert (compare_snapshots(snapshot(), found, 1e-12) == []) == agrees


def test_missing_atom_is_named():
    lost = Snapshot(0, 10.0, {name: np.delete(values, 4) for name, values in snapshot().columns.items()})
    (line,) = compare_snapshots(snapshot(), lost, 1.0)
    assert "missing ids [5]" in line


def test_swapped_ids_are_seen():
    assert compare_snapshots(snapshot(), changed(snapshot(), "id", 2, 100.0), 1.0)


def test_forces_of_a_perfect_crystal_are_measured_by_its_energy():
    still, other = (
        Snapshot(0, 8.0, {**snapshot().columns, **dict.fromkeys(("fx", "fy", "fz"), np.zeros(8))}) for _ in "ab"
    )
    other.columns["fx"] = np.full(8, 5e-13)
    assert compare_snapshots(still, other, 1e-12)
    assert compare_snapshots(still, other, 1e-12, potential_energy=-8.0) == []
    other.columns["fx"] = np.full(8, 5e-9)
    assert compare_snapshots(still, other, 1e-12, potential_energy=-8.0)


@pytest.mark.parametrize(
    "name,difference,agrees",
    [
        ("E_pair", 1e-12, True),
        ("E_pair", 1e-10, False),
        ("Press", 1e-10, False),
        ("Temp", 1e-10, False),
        ("Step", 1.0, False),
    ],
)
def test_thermo_error_is_seen_from_the_tolerance_on(name, difference, agrees):
    expected, found = read_thermo(TABLE), read_thermo(TABLE)
    found[0].columns[name][0] += difference
    assert (compare_thermo(expected, found, ROUNDING, "lj", snapshot()) == []) == agrees


def test_missing_row_and_missing_column_are_seen():
    expected = read_thermo(TABLE)
    shorter = [ThermoTable({name: values[:1] for name, values in expected[0].columns.items()})]
    narrower = [ThermoTable({name: values for name, values in expected[0].columns.items() if name != "Press"})]
    assert compare_thermo(expected, shorter, ROUNDING, "lj", snapshot())
    assert compare_thermo(expected, narrower, ROUNDING, "lj", snapshot())


def test_tolerance_grows_with_the_steps_up_to_its_ceiling():
    tolerance = Tolerance(start=1e-12, steps_per_decade=10, ceiling=1e-6)
    assert tolerance.after(0) == 1e-12
    assert tolerance.after(20) == pytest.approx(1e-10)
    assert tolerance.after(1000) == 1e-6


def test_thermo_rows_are_read_around_warnings():
    (table,) = read_thermo(TABLE)
    assert table.columns["Step"].tolist() == [0, 10]
    assert atoms_after_each_run(TABLE) == [500]


def test_thermo_styles_multi_and_yaml_are_read():
    head = "------------ Step              0 ----- CPU =            0 (sec) -------------"
    multi = f"{head}\nTotEng   =  -5.5 KinEng = 2.0\nLoop time of 1"
    yaml = "keywords: ['Step', 'Temp', ]\ndata:\n  - [0, 1.5, ]\n  - [10, 1.25, ]\n...\nLoop time of 1"
    assert read_thermo(multi)[0].columns["TotEng"].tolist() == [-5.5]
    assert read_thermo(yaml)[0].columns["Temp"].tolist() == [1.5, 1.25]


def test_statistics_are_read():
    text = ("TOFU p2p/rdma statistics, average | maximum over 4 ranks\n  peers by MPI    1.5 | 2\n"
            "  ghost atoms  7 | 9\nLoop time")
    assert read_statistics(text) == [{"peers by MPI": (1.5, 2.0), "ghost atoms": (7.0, 9.0)}]


def test_rewriter_shortens_runs_and_nothing_else():
    text = ('units real\nrun 5000 # long\nrun 7 every 1 &\n  "print x"\nminimize 0 1e-3 5000 90000\nprint "run 5000"\n'
            'run ${n}\n')
    words = [line.split() for line in rewrite(text, 100).splitlines()]
    commands = [" ".join(w) for w in words if w[0] in ("units", "run", "minimize", "print")]
    assert commands == [
        "units real",
        "run 100",
        'run 7 every 1 "print x"',
        "minimize 0 1e-3 100 1000",
        'print "run 5000"',
        "run 100",
    ]
    assert sum(w[0] == "dump" for w in words) == 4


def test_units_and_normalisation_are_read():
    assert script_facts("units metal\n") == ("metal", False)
    assert script_facts("atom_style atomic\n") == ("lj", True)
    assert script_facts("units lj\nthermo_modify norm no\n") == ("lj", False)


MISTAKES = {
    "a little shorter cut-off": "pair_coeff * * 1.0 1.0 2.49",
    "a little stronger force": "pair_coeff * * 1.00000000001 1.0 2.5",
    "one atom moved a little": "displace_atoms first move 1e-10 0 0 units box",
    "one atom missing": "delete_atoms group first compress no",
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_in_the_physics_is_seen(servers, tmp_path, mistake):
    server = servers.server(2, BRICK)
    prepared = f"{LJ}group first id 1\nrun 10 post no\n"
    server.run(f"{prepared}run 0 post no\n{dump(tmp_path / 'right.dump')}")
    server.run(f"{prepared}{MISTAKES[mistake]}\nrun 0 post no\n{dump(tmp_path / 'wrong.dump')}")
    assert compare_snapshots(
        read_snapshot(tmp_path / "right.dump"), read_snapshot(tmp_path / "wrong.dump"), ROUNDING.start
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_same_physics_is_accepted(servers, tmp_path, system):
    server = servers.server(2, BRICK)
    for name in ("first", "second"):
        server.run(f"{SYSTEMS[system]}run 10 post no\n{dump(tmp_path / f'{name}.dump')}")
    assert (tmp_path / "first.dump").read_text() == (tmp_path / "second.dump").read_text()


def test_reference_with_one_wrong_digit_is_not_met(servers, installation, tmp_path):
    references = read_references(installation.lammps_dir)
    reference = next(r for r in references if r.path.stem == "mol-pair-lj_cut")
    output = servers.server(2, BRICK).run(reference.script(BRICK, "on", tmp_path))
    assert reference.differences(output, tmp_path) == []
    for key in ("init_vdwl", "init_stress", "init_forces", "run_vdwl", "run_stress", "run_forces"):
        numbers = reference.numbers(key)
        largest = int(np.argmax(np.abs(numbers)))
        numbers[largest] *= 1.0 + 1e-10
        wrong = Reference(reference.path, {**reference.fields, key: " ".join(f"{n:.17g}" for n in numbers)})
        assert wrong.differences(output, tmp_path), key


CRASH = "[host:1] [ 1] libc.so.6(getenv+0x9d)\n[host:1] [ 3] mca_pmix_ext3x.so(+0x5842)"


@pytest.mark.parametrize("first,again", (("", True), ("LAMMPS (4 Feb 2025)", False)))
def test_only_a_job_that_crashed_before_lammps_began_is_started_again(installation, tmp_path, first, again):
    program = tmp_path / "lmp"
    program.write_text(f"""#!/bin/sh
test -e {tmp_path}/started && exec {installation.lmp} "$@"
touch {tmp_path}/started
printf '%s\\n' '{first}' '{CRASH}'
exit 139
""", encoding="utf-8")
    program.chmod(0o755)
    server = LammpsServer(dataclasses.replace(installation, lmp=str(program)), 1, {}, tmp_path)
    if again:
        assert "units are lj" in server.run('print "units are lj"')
        server.close()
    else:
        with pytest.raises(CaseFailed, match="mca_pmix"):
            server.run("units lj")
