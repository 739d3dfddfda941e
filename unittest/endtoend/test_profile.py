# SPDX-License-Identifier: GPL-2.0-only
"""Keyword profile of package threadpool: times of parts in the log and in a file."""

import re
from dataclasses import replace

import pytest

from lammps_output import error_line, read_thermo
from lammps_run import run_script, threadpool
from small_systems import LJ

COLUMNS = ("alone", "parts", "longest", "forks", "share", "ratio")
PARTS = 3


def run(installation, folder, profile, script, ranks=1):
    variant = replace(threadpool(PARTS, "p2p/rdma"), package=("profile", str(profile)))
    return run_script(installation, script, ranks, folder, variant=variant)


def tables(output):
    """Tables of the log: number of steps, and by section the columns."""
    found = re.findall(r"^TOFU threadpool: profile of rank 0, 3 parts .* (\d+) steps\nSection .*\n"
                       r"((?:[A-Z].*\n)+?Step .*)", output, re.MULTILINE)
    return [(int(steps), {row.split()[0]: dict(zip(COLUMNS, map(float, row.split()[1:]))) for row in rows.splitlines()})
            for steps, rows in found]


def test_sections_add_up_to_the_step_and_the_step_to_the_processor_time_of_the_loop(installation, tmp_path):
    output = run(installation, tmp_path, "yes", f"{LJ}run 10\nrun 60\n").expect_success().output
    (short, _), (steps, sections) = tables(output)
    assert (short, steps) == (10, 60)
    step = sections.pop("Step")
    assert {"Pair", "Comm", "Modify", "Other"} <= set(sections)
    for column in ("alone", "parts", "longest", "forks"):
        assert sum(one[column] for one in sections.values()) == pytest.approx(step[column], abs=0.01)
    assert step["alone"] > 0.0 and step["forks"] >= 4.0
    assert step["longest"] <= step["parts"] <= PARTS * step["longest"] + 0.01
    loop = float(re.findall(r"^Loop time of (\S+)", output, re.MULTILINE)[1])
    assert 0.0 < 1e-6 * steps * (step["alone"] + step["parts"]) <= 1.05 * loop, "other programs do not count"


def test_a_file_has_each_part_and_minimizations_do_not_count(installation, tmp_path):
    """Two ranks: the file is that of the first."""
    file = tmp_path / "times"
    output = run(installation, tmp_path, file, f"{LJ}minimize 0.0 0.0 5 10\nrun 20\n", 2).expect_success().output
    ((_, sections),) = tables(output)
    lines = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
    forks = [line for line in lines if len(line) > 2]
    assert len(forks) == round(20 * sections["Step"]["forks"]) > 0
    assert all(len(line) <= 2 + PARTS for line in forks) and lines[-1][0] in sections and len(lines[-1]) == 2
    parts = 1e6 / 20 * sum(float(time) for line in forks for time in line[2:])
    assert parts == pytest.approx(sections["Step"]["parts"], rel=1e-3)


def test_results_do_not_depend_on_it(installation, tmp_path):
    script = f"{LJ}thermo 10\nrun 40\n"
    columns = [read_thermo(run(installation, tmp_path, profile, script).expect_success().output)[0].columns
               for profile in ("no", "yes")]
    assert {name: list(values) for name, values in columns[0].items()} == \
        {name: list(values) for name, values in columns[1].items()}


def test_a_file_that_cannot_be_written_is_an_error(installation, tmp_path):
    done = run(installation, tmp_path, tmp_path / "none" / "times", LJ)
    assert "cannot write profile" in error_line(done.output) and "No such file" in error_line(done.output)
