# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu threads: what follows from the times of parts, and the command itself."""

import json
import math
import os
import subprocess
from types import SimpleNamespace

import pytest
from tofulib import CHECKOUT, busy, shell, thread_gain
from tofulib.thread_gain import STEP, Section

#: Two steps of a section with two forks, and of one with none.
PROFILE = """\
Pair 1e-6 4e-6 6e-6
Pair 1e-6 2e-6 2e-6
Pair 2e-6
Output 3e-6
Pair 1e-6 6e-6 4e-6
Pair 1e-6 2e-6 2e-6
Pair 0
"""


def test_sections_have_the_time_alone_of_parts_and_of_the_longest():
    found = thread_gain.sections_of(thread_gain.read_profile(PROFILE), 2)
    assert list(found) == ["Pair", "Output", STEP]
    assert found["Pair"] == pytest.approx(Section(alone=3.0, parts=14.0, longest=8.0, forks=2.0, steady=7.0))
    assert found["Output"] == pytest.approx(Section(1.5, 0.0, 0.0, 0.0, 0.0))
    assert found[STEP] == pytest.approx(Section(4.5, 14.0, 8.0, 2.0, 7.0))


def test_the_least_time_of_each_part_counts():
    one, other = ([("Pair", [1.0, 5.0, 2.0])], [("Pair", [2.0, 3.0, 4.0])])
    assert thread_gain.least_of([one, other]) == [("Pair", [1.0, 3.0, 2.0])]
    with pytest.raises(shell.Failure, match="forked at different places"):
        thread_gain.least_of([one, [("Pair", [1.0])]])


def test_a_step_is_the_time_alone_the_longest_parts_and_the_forks():
    whole = {STEP: Section(100.0, 0.0, 0.0, 0.0, 0.0)}
    parts = {STEP: Section(alone=10.0, parts=96.0, longest=30.0, forks=5.0, steady=26.0)}
    found = thread_gain.summary({1: whole, 4: parts}, {4: 45.0}, fork=0.5)
    assert found[1].step == 100.0 and found[1].speedup == 1.0 and math.isnan(found[1].measured)
    four = found[4]
    assert four.step == pytest.approx(10.0 + 30.0 + 5.0 * 0.5 * 2)
    assert four.speedup == pytest.approx(100.0 / 45.0) and four.efficiency == pytest.approx(four.speedup / 4)
    assert four.alone == pytest.approx(10.0 / 106.0) and four.measured == 45.0
    assert (four.longest, four.steady) == pytest.approx((4 * 30.0 / 96.0, 4 * 26.0 / 96.0))
    assert sum(four.losses[STEP]) == pytest.approx(four.step - 100.0 / 4)


def test_a_busy_machine_speaks_against_measured_times():
    found = {1: iter((2.0, 1.0)), 2: iter((0.5, 0.5))}

    def timed(count):
        return SimpleNamespace(seconds=next(found[count]), steps=1000, cpu_use=100.0)

    watch = busy.Watch(SimpleNamespace(is_here=False, where=SimpleNamespace(cores=[2], nodes=1)), 2)
    times, reasons = thread_gain.measure(SimpleNamespace(timed=timed), [1, 2], 2, watch)
    assert times == pytest.approx({1: 1000.0, 2: 500.0})
    assert len(reasons) == 1 and "differ by a factor of 2.00" in reasons[0]


def test_numbers_of_threads_begin_with_one():
    assert thread_gain.counts_of("4,2,4") == [1, 2, 4]
    for text in ("", "0", "2,x", "-1"):
        with pytest.raises(shell.Failure, match="numbers of threads"):
            thread_gain.counts_of(text)


def threads(tmp_path, *words):
    """Run tools/tofu threads with LAMMPS' LJ benchmark."""
    line = [CHECKOUT / "tools" / "tofu", "threads", "--lmp", os.environ["TOFU_LMP"],
            f"{os.environ['TOFU_LAMMPS_DIR']}/bench/in.lj", *words]
    return subprocess.run([str(word) for word in line], env={**os.environ, "TOFU_CACHE": str(tmp_path / "cache")},
                          capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.skipif("TOFU_LMP" not in os.environ, reason="TOFU_LMP is not set; 'tools/tofu test' sets it")
def test_one_thread_is_all_alone_and_more_have_their_work_in_parts(tmp_path):
    small = [word for axis in "xyz" for word in ("-v", axis, "0.5")]
    done = threads(tmp_path, "-t", "2,3", "--steps", "40", "--rounds", "1", "--measure", "--although-busy", "--json",
                   tmp_path / "t.json", *small)
    assert done.returncode in (0, busy.STATUS), done.stderr
    assert "3 threads: where the time beyond 1/3 goes" in done.stdout
    content = json.loads((tmp_path / "t.json").read_text(encoding="utf-8"))
    assert content["about"]["atoms"] == 4000 and content["about"]["steps"] == 40
    one, two, three = (content["threads"][count] for count in "123")
    assert one["alone"] == 1.0 and one["sections"][STEP]["forks"] == 0.0 and one["measured"] > 0.0
    for count, found in ((2, two), (3, three)):
        step = found["sections"][STEP]
        assert step["forks"] >= 4.0 and {"Pair", "Neigh", "Comm", "Modify"} < set(found["sections"])
        assert step["longest"] <= step["parts"] <= count * step["longest"] and step["steady"] <= step["longest"]
        assert 0.0 < found["alone"] < 0.5, "most of the work is in parts"


@pytest.mark.skipif("TOFU_LMP" not in os.environ, reason="TOFU_LMP is not set; 'tools/tofu test' sets it")
def test_wrong_numbers_are_refused(tmp_path):
    for words, message in ((("-t", "x"), "numbers of threads"), (("--steps", "0"), "at least one")):
        done = threads(tmp_path, *words)
        assert done.returncode == 1 and message in done.stderr
