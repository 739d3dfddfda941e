# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu tune: the contest, the scratch copies, the check of the physics, and the command itself."""

import hashlib
import itertools
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tofulib import (CHECKOUT, busy, configuration, contest, input_edits, log, program, ranking, same_physics, scratch,
                     shell, trial, tune)
from tofulib.configuration import OURS, STOCK, Configuration
from tofulib.launcher import Launcher

TOFU = CHECKOUT / "tools" / "tofu"


# configurations


def test_cores_are_dealt_evenly_to_ranks_and_threads():
    assert configuration.splits(12) == [(12, 1), (6, 2), (4, 3), (3, 4), (2, 6), (1, 12)]
    assert configuration.splits(64, 8) == [(64, 1), (32, 2), (16, 4), (8, 8)]


@pytest.mark.parametrize("one, arguments, lines", [
    (Configuration("", 2, 1), "", []),
    (Configuration("omp", 1, 2), "-sf omp -pk omp 2", []),
    (Configuration("intel", 2, 1), "-sf intel -pk intel 0 omp 1 mode double", []),
    (Configuration("opt", 2, 1, ("p2p/rdma",)), "-sf opt -pk tofu comm p2p/rdma", ["comm_style/p2p/rdma"]),
    (Configuration("threadpool", 1, 2, ("p2p/rdma", "shell", "full")),
     "-sf threadpool -pk threadpool 2 comm p2p/rdma shell full",
     ["package/threadpool 2 comm p2p/rdma shell full", "suffix threadpool"]),
    (Configuration("threadpool", 1, 2, (), "mixed"), "-sf threadpool -pk threadpool 2 precision mixed comm brick",
     ["package/threadpool 2 precision mixed comm brick", "suffix threadpool"]),
    (Configuration("threadpool", 2, 1, ("p2p/rdma",), words=configuration.RING),
     "-sf threadpool -pk threadpool 1 balance ring 10 1.05 comm p2p/rdma",
     ["package/threadpool 1 balance ring 10 1.05 comm p2p/rdma", "suffix threadpool"]),
])
def test_a_configuration_is_arguments_or_lines(one, arguments, lines):
    assert " ".join(one.arguments) == arguments and one.lines == lines
    assert one.side == (OURS if lines else STOCK)


def test_a_plugin_is_loaded_by_lines_and_stock_has_none():
    bed = trial.Bench(program.Program(Path("lmp"), program.PLUGIN, "t.so", frozenset(), None, {}),
                      Launcher(None, "run {ranks}"))
    ours, stock = Configuration("threadpool", 2, 1), Configuration("omp", 2, 1)
    assert bed.lines(ours) == ["plugin load t.so", "package/threadpool 1 comm brick", "suffix threadpool"]
    assert bed.line(ours, ["-in", "x"]) == ["run", "2", "lmp", "-in", "x"]
    assert bed.lines(stock) == [] and "-sf" in bed.line(stock, [])


@pytest.mark.parametrize("best, cores, kspace, names", [
    (Configuration("", 2, 1, ("p2p/rdma",)), 2, True, []),
    (Configuration("omp", 2, 2), 4, True, ["omp 2x1", "omp 1x3"]),
    (Configuration("opt", 4, 1), 4, True, ["opt 2x1"]),
    (Configuration("threadpool", 1, 2), 2, False, []),
    (Configuration("threadpool", 2, 1, ("p2p/rdma",)), 2, False, ["threadpool 2x1 balance ring 10 1.05 p2p/rdma"]),
    (Configuration("threadpool", 4, 1), 4, True,
     ["threadpool 4x1 overlap no", "threadpool 4x1 fft partial", "threadpool 4x1 fft replicated", "threadpool 2x1",
      "threadpool 1x3"]),
])
def test_further_choices_of_the_best(best, cores, kspace, names):
    assert [one.name for one in configuration.refinements(best, cores, kspace)] == names


@pytest.mark.parametrize("cores", [1, 2, 12])
def test_both_sides_have_the_same_ranks_and_threads(cores):
    found = configuration.candidates(cores, ["opt", "omp", "intel", "kk"], 16, ["omp", "intel", "kk"])
    assert len(set(found)) == len(found) and found[0] == Configuration("", cores, 1)
    ours = {(one.ranks, one.threads) for one in found if one.suffix == "threadpool"}
    assert ours == set(configuration.splits(cores)) | {(1, 1)}
    for suffix in ("omp", "intel", "kk"):
        assert {(one.ranks, one.threads) for one in found if one.suffix == suffix and one.side == STOCK} == ours
    for suffix in ("", "opt"):
        assert {(one.ranks, one.threads) for one in found if one.suffix == suffix and one.side == STOCK} == {
            way for way in ours if way[1] == 1}
    sides = [one.side for one in found[:8]]
    assert sides == [STOCK, OURS] * 4 or cores == 1


def test_kokkos_has_its_own_switches_and_no_p2p_rdma():
    assert Configuration("kk", 2, 3).arguments == ["-k", "on", "t", "3", "-sf", "kk"]
    found = configuration.candidates(2, ["kk"], 16, [])
    assert [one.name for one in found if one.suffix == "kk"] == ["kk 2x1", "kk 1x1"]
    assert all(one.side == STOCK for one in found if one.suffix == "kk")


# the contest


class Clock:
    """A clock that a measurement moves on."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def contest_of(times, seconds=60.0, noise=(1.0, 1.05, 0.97)):
    """The result of a contest of configurations with these times; a time of None refuses."""
    candidates = [Configuration("" if name.startswith("s") else "threadpool", number, 1)
                  for number, name in enumerate(times)]
    by_name, clock, wobble = dict(zip(times, candidates)), Clock(), itertools.cycle(noise)
    values = {one: times[name] for name, one in by_name.items()}

    def measure(one):
        clock.now += 1.0
        if values[one] is None:
            raise contest.Refused("it differs")
        return values[one] * next(wobble)
    return by_name, contest.hold(candidates, measure, seconds, (STOCK, OURS), clock=clock), clock


def test_the_fastest_of_each_side_wins_and_losers_are_dropped_early():
    names, result, _ = contest_of({"s1": 100.0, "s2": 300.0, "t1": 50.0, "t2": 54.0, "t3": 90.0})
    assert result.best == {STOCK: names["s1"], OURS: names["t1"]}
    assert [len(result.times[names[name]]) for name in ("s2", "t3")] == [1, 1]
    assert len(result.times[names["t1"]]) >= contest.FEWEST_ROUNDS
    assert result.speedup["min"] <= 2.0 <= result.speedup["max"]


def test_a_contest_ends_when_the_time_is_up():
    _, _, clock = contest_of({"s1": 100.0, "t1": 50.0}, seconds=8.0)
    assert 8.0 <= clock.now <= 10.0


def test_the_best_of_both_sides_are_measured_often_enough_however_short_the_time():
    names, result, _ = contest_of({"s1": 100.0, "t1": 50.0, "t2": 500.0}, seconds=0.0)
    assert len(result.times[names["s1"]]) == len(result.times[names["t1"]]) == contest.FEWEST_ROUNDS


def timed_contest(limit, costs, slack=contest.SLACK, growth=1.0, patience=0.0):
    """A contest with a limit, of names of sides and what a measurement costs, which grows with each of them."""
    candidates = [Configuration("" if name.startswith("s") else "threadpool", number, 1)
                  for number, name in enumerate(costs)]
    names, clock = dict(zip(candidates, costs)), Clock()

    def measure(one):
        clock.now += costs[names[one]]
        costs[names[one]] *= growth
        return 100.0 - one.ranks
    result = contest.hold(candidates, measure, limit, (STOCK, OURS), clock=clock, slack=slack, limit=limit,
                          patience=patience)
    return ({names[one]: len(times) for one, times in result.times.items()}, [names[one] for one in result.untried],
            result, clock.now)


def test_candidates_are_left_out_so_that_the_best_come_to_their_rounds_in_time():
    rounds, untried, result, passed = timed_contest(12.0, {f"{side}{i}": 1.0 for i in range(8) for side in "st"})
    assert passed <= 12.0 and result.complete and result.rounds >= contest.FEWEST_ROUNDS
    assert untried and not set(untried) & set(rounds) and len(untried) + len(rounds) == 16


@pytest.mark.parametrize("growth", (1.1, 1.2, 1.3))
@pytest.mark.parametrize("limit", (10.0, 12.0, 14.0, 20.0))
def test_measurements_that_take_longer_each_time_still_lead_to_a_verdict(limit, growth):
    _, _, result, passed = timed_contest(limit, {f"{side}{i}": 1.0 for i in range(8) for side in "st"}, growth=growth,
                                         patience=0.15 * limit)
    assert result.complete and passed <= 1.15 * limit


def test_both_sides_are_measured_at_least_once_when_time_is_short():
    rounds, untried, result, passed = timed_contest(11.0, {"s0": 5.0, "t0": 5.0, "s1": 5.0})
    assert rounds == {"s0": 1, "t0": 1} and untried == ["s1"] and passed <= 11.0
    assert not result.complete and result.rounds == 1 and result.speedup
    assert "No verdict: the time was enough for 1 round" in ranking.verdict(result)
    rounds, untried, result, _ = timed_contest(4.0, {"s0": 5.0, "t0": 5.0})    # costs are known after the first one
    assert rounds == {"s0": 1} and untried == ["t0"] and ranking.verdict(result) == ""


def test_a_measurement_that_was_stopped_ends_the_contest():
    stock, ours, last = Configuration("", 2, 1), Configuration("threadpool", 2, 1), Configuration("opt", 2, 1)

    def measure(one):
        if one is ours:
            raise contest.OutOfTime
        return 1.0
    result = contest.hold([stock, ours, last], measure, 9.0, (STOCK, OURS), limit=9.0)
    assert result.times == {stock: [1.0]} and result.untried == (ours, last) and not result.refused


@pytest.mark.parametrize("ratios, words, significant", [
    ((2.0, 2.2, 2.1), "is 2.10 (2.00 - 2.20) times faster than LAMMPS' fastest (opt 2x1)", True),
    ((0.8, 0.7, 0.9), "is slower, 0.80 (0.70 - 0.90) times as fast as LAMMPS' fastest (opt 2x1)", True),
    ((0.66, 0.77, 1.10), "No significant difference", False), ((1.0, 1.2, 1.3), "No significant difference", False)])
def test_a_range_that_crosses_one_is_no_difference(ratios, words, significant):
    stock, ours = Configuration("opt", 2, 1), Configuration("threadpool", 2, 1)
    result = contest.Result({stock: list(ratios), ours: [1.0] * 3}, {}, {STOCK: stock, OURS: ours},
                            contest.bench.ratio_range(ratios), 3)
    assert words in ranking.verdict(result) and result.significant == significant


def test_sections_add_up_to_the_median_of_the_steps(capsys):
    """Sections of the last round would add up to a third of it."""
    stock, ours = Configuration("opt", 2, 1), Configuration("threadpool", 2, 1)
    rounds = [(17085.0, {"Pair": 15000.0, "Comm": 2085.0}), (17000.0, {"Pair": 14000.0, "Comm": 3000.0}),
              (5472.0, {"Pair": 5000.0, "Comm": 472.0}), (18000.0, {"Pair": 17000.0, "Comm": 1000.0})]
    result = contest.Result({stock: [step for step, _ in rounds], ours: [100.0]}, {}, {STOCK: stock, OURS: ours}, {}, 1)
    found = ranking.sections_of(result.times[stock], rounds)
    assert sum(found.values()) == pytest.approx(0.5 * (17085.0 + 17000.0))
    assert found["Pair"] / found["Comm"] == pytest.approx(15000.0 / 2085.0)    # of one round
    ranking.print_sections(result, {stock: rounds, ours: [(100.0, {"Pair": 60.0})]})
    output = capsys.readouterr().out
    assert "Sections of threadpool 2x1 add up to 60 % of the step" in output and "opt 2x1 add up" not in output
    ranking.print_sections(result, {stock: rounds, ours: [(100.0, {})]})    # the input has `timer off`
    assert capsys.readouterr().out == ""


def test_nobody_is_dropped_from_an_exhaustive_search():
    candidates = [Configuration("", 2, 1), Configuration("opt", 2, 1), Configuration("threadpool", 2, 1)]
    seconds = dict(zip(candidates, (9.0, 3.0, 1.0)))
    result = contest.hold(candidates, seconds.get, 0.0, (STOCK, OURS), slack=contest.ALL_STAY)
    assert {len(times) for times in result.times.values()} == {contest.FEWEST_ROUNDS}
    assert result.best == {STOCK: candidates[1], OURS: candidates[2]}


def test_two_contests_are_one_result():
    stock, ours = Configuration("opt", 2, 1), Configuration("threadpool", 2, 1)
    better = Configuration("threadpool", 1, 1)
    first = contest.Result({stock: [4.0], ours: [2.0]}, {better: "a mistake"}, {STOCK: stock, OURS: ours},
                           {"median": 2.0})
    second = contest.Result({stock: [4.0], ours: [2.1], better: [1.0]}, {}, {STOCK: stock, OURS: better},
                            {"median": 4.0})
    both = contest.joined(first, second)
    assert both.times == {stock: [4.0, 4.0], ours: [2.0, 2.1], better: [1.0]} and both.speedup == {"median": 4.0}
    assert both.best == {STOCK: stock, OURS: better} and both.refused == {better: "a mistake"}


def test_a_refused_candidate_has_a_reason_and_no_time():
    names, result, _ = contest_of({"s1": 100.0, "t1": None, "t2": 50.0})
    assert result.refused == {names["t1"]: "it differs"} and names["t1"] not in result.times
    assert result.best[OURS] == names["t2"]


def test_without_one_side_there_is_no_verdict():
    names, result, _ = contest_of({"s1": 100.0, "t1": None})
    assert result.best == {STOCK: names["s1"]} and result.speedup == {}


# the physics


ROW = {"Step": 0.0, "Temp": 1.44, "PotEng": -6.77, "E_coul": 1e-3, "Press": -5e-6, "Pxx": 3.0, "CPU": 0.2, "v_x": 0.0}


@pytest.fixture
def comparison():
    """A comparison with a reference on 2 ranks."""
    found = same_physics.Comparison()
    found.add_reference(2, ROW)
    return found


@pytest.mark.parametrize("change, agrees", [
    ({}, True), ({"CPU": 9.0}, True), ({"PotEng": -6.77 * (1 + 1e-11)}, True), ({"PotEng": -6.77 * (1 + 1e-9)}, False),
    ({"E_coul": 1e-3 + 1e-10}, True), ({"Press": -5e-6 + 1e-10}, True), ({"Press": -5e-6 + 1e-8}, False),
    ({"v_x": 1e-11}, True), ({"v_x": 1e-8}, False), ({"Temp": float("nan")}, False), ({"More": 1.0}, False)])
def test_rows_may_differ_by_rounding_only(comparison, change, agrees):
    assert (comparison.differences(2, {**ROW, **change}) == []) == agrees


def test_rounding_of_stock_packages_is_allowed(comparison):
    found = {**ROW, "PotEng": -6.77 * (1 + 5e-9)}
    assert comparison.differences(2, found)
    comparison.add_stock(2, {**ROW, "PotEng": -6.77 * (1 - 1e-9)})
    assert not comparison.differences(2, found)


def test_mixed_precision_has_its_own_bound(comparison):
    assert not comparison.differences(2, {**ROW, "PotEng": -6.77 * (1 + 1e-5)}, "mixed")
    assert comparison.differences(2, {**ROW, "PotEng": -6.77 * (1 + 1e-3)}, "mixed")


# copies


@pytest.fixture
def folder(tmp_path):
    """A user's folder with an input in a subfolder, a data file, a link and a pipe."""
    top = tmp_path / "user"
    (top / "runs").mkdir(parents=True)
    (top / "data").write_text("data\n", encoding="utf-8")
    (top / "runs" / "in.x").write_text("thermo_style custom step &\n  pe\nrun 5\n", encoding="utf-8")
    (top / "link").symlink_to("data")
    os.mkfifo(top / "pipe")
    return top


def contents(top):
    """Names, links and sums of all files below a folder."""
    return {str(path.relative_to(top)): os.readlink(path) if path.is_symlink()
            else hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            for path in sorted(top.rglob("*"))}


def test_a_copy_is_fresh_and_the_original_stays(folder, tmp_path):
    before = contents(folder)
    copies = scratch.Scratch(folder / "runs" / "in.x", folder, tmp_path / "place")
    for _ in range(2):
        where, script = copies.fresh(1.5, ["suffix threadpool"])
        assert not (where / "written").exists() and (where.parent / "data").read_text(encoding="utf-8") == "data\n"
        (where / "written").touch()
    lines = (where / script).read_text(encoding="utf-8").splitlines()
    assert lines == ["suffix threadpool", "timer timeout 1.50 every 10", input_edits.ALL_DIGITS, "include in.x"]
    assert input_edits.ALL_DIGITS in (where / "in.x").read_text(encoding="utf-8")
    assert not (where.parent / "pipe").exists()
    assert contents(folder) == before
    shutil.rmtree(copies.copy)
    assert not copies.copy.exists()


def test_files_that_a_copy_lacks_have_a_remedy(folder, tmp_path):
    copies = scratch.Scratch(folder / "runs" / "in.x", None, tmp_path / "place")
    opened = shell.Failure("LAMMPS stopped: ERROR: Cannot open file ../data (src/read_data.cpp:1)")
    other = shell.Failure("LAMMPS stopped: ERROR: Unknown pair style")
    assert "--folder names a larger one" in str(copies.explained(opened)) and copies.explained(other) is other


def test_links_to_files_outside_become_files_and_other_links_stay(folder, tmp_path):
    outside = tmp_path / "potentials"
    outside.mkdir()
    (outside / "Si.sw").write_text("Si", encoding="utf-8")
    (folder / "Si.sw").symlink_to("../potentials/Si.sw")
    (folder / "all").symlink_to("../potentials")
    (folder / "nothing").symlink_to("../not-there")
    before = contents(folder)
    copies = scratch.Scratch(folder / "runs" / "in.x", folder, tmp_path / "place")
    copy = copies.fresh(1.0)[0].parent
    assert (copy / "Si.sw").read_text(encoding="utf-8") == "Si" and not (copy / "Si.sw").is_symlink()
    assert (copy / "all" / "Si.sw").exists() and os.readlink(copy / "link") == "data"
    (copy / "Si.sw").write_text("written by a run", encoding="utf-8")
    assert (outside / "Si.sw").read_text(encoding="utf-8") == "Si" and contents(folder) == before
    shutil.rmtree(copies.copy)
    assert (outside / "Si.sw").exists()


TAIL = """Loop time of 0.5 on 2 procs for 10 steps with 32 atoms

Pair    | 0.1 | 0.2 | 0.3 | 0.0 | 50.0
"""
TABLES = {
    "one": "   Step          Temp          E_pair    \n         0   1.5   -2.25 \nWARNING: something\n"
           "        10   1.25   -2.5 \n",
    "multi": "------------ Step              0 ----- CPU =            0 (sec) -------------\n"
             "Temp     =      1.5 E_pair   =  -2.25\n"
             "------------ Step             10 ----- CPU =            1 (sec) -------------\n"
             "Temp     =      1.25 E_pair   =  -2.5\n",
    "yaml": "---\nkeywords: ['Step', 'Temp', 'E_pair', ]\ndata:\n  - [0, 1.5, -2.25, ]\n  - [10, 1.25, -2.5, ]\n...\n",
}


@pytest.mark.parametrize("style", TABLES)
def test_thermo_tables_of_all_styles_are_read(style):
    found = log.read_run(TABLES[style] + TAIL)
    assert found.columns == ["Step", "Temp", "E_pair"]
    assert found.rows == [[0.0, 1.5, -2.25], [10.0, 1.25, -2.5]] and found.steps == 10


def test_all_digits_follow_a_thermo_style_over_several_lines():
    text = "thermo_style custom step &\n  pe\nrun 5\n# thermo_style one\n"
    assert input_edits.edited(text, []) == (f"thermo_style custom step &\n  pe\n{input_edits.ALL_DIGITS}\nrun 5\n"
                                            "# thermo_style one\n")


def test_settings_come_again_behind_clear_and_echo_is_taken_away():
    assert input_edits.edited("echo none\nrun 1\n  clear\nshell echo clear\n", ["timer timeout 1", "suffix x"]) == (
        "\nrun 1\n  clear\ntimer timeout 1\nsuffix x\nshell echo clear\n")


def test_files_that_an_input_reaches_are_changed_in_the_copy_alone(tmp_path):
    outside, top = tmp_path / "outside.in", tmp_path / "copy"
    (top / "runs").mkdir(parents=True)
    files = {"runs/in.x": f"include common.in\ninclude {outside}\njump in.loop again\ninclude ${{name}}\n"
                          'if "1 == 1" then "jump SELF x" "include then.in"\n',
             "runs/common.in": "include ../deeper.in\n", "deeper.in": "clear\n", "runs/in.loop": "jump in.x\n",
             "runs/then.in": "clear\n", "runs/unknown.in": "clear\n"}
    for name, text in [*files.items(), ("../outside.in", "clear\n")]:
        (top / name).write_text(text, encoding="utf-8")
    found = input_edits.reached(top / "runs" / "in.x", top)
    expected = {Path(name) for name in files} - {Path("runs/unknown.in")}
    assert {path.resolve().relative_to(top) for path in found} == expected
    input_edits.rewrite(top / "runs" / "in.x", top, lambda text: text.replace("clear", "changed"))
    assert (top / "deeper.in").read_text(encoding="utf-8") == "changed\n"
    assert outside.read_text(encoding="utf-8") == (top / "runs" / "unknown.in").read_text(encoding="utf-8") == "clear\n"


def test_an_input_outside_of_the_folder_and_a_folder_that_is_too_large_are_refused(folder, tmp_path, monkeypatch):
    with pytest.raises(shell.Failure, match="--folder"):
        scratch.Scratch(folder / "runs" / "in.x", tmp_path / "elsewhere", tmp_path)
    monkeypatch.setattr(scratch, "LARGEST_FOLDER", 3)
    with pytest.raises(shell.Failure, match="allows"):
        scratch.Scratch(folder / "runs" / "in.x", None, tmp_path)


# the command


INPUT = """
units lj
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
fix 1 all nve
dump 1 all atom 10 atoms.dump
thermo_style custom step pe press
run 100000
"""


@pytest.fixture
def own_folder(tmp_path):
    """A folder with an input and results of an earlier run."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "in.mine").write_text(INPUT, encoding="utf-8")
    (folder / "atoms.dump").write_text("of an earlier run\n", encoding="utf-8")
    return folder


def tofu(*words, cwd, **variables):
    """Run tools/tofu with a cache of its own, so that nothing is built."""
    environment = {**os.environ, "TOFU_CACHE": str(cwd.parent / "cache"), **variables}
    return subprocess.run([str(word) for word in (TOFU, *words)], cwd=cwd, env=environment, capture_output=True,
                          text=True, timeout=300, check=False)


NEEDS_LAMMPS = pytest.mark.skipif("TOFU_LMP" not in os.environ, reason="TOFU_LMP is not set; 'tools/tofu test' sets it")


@pytest.mark.full
@NEEDS_LAMMPS
def test_tune_names_the_best_of_both_sides_and_leaves_the_folder_alone(own_folder):
    """Which one is faster depends on what else the machine does."""
    before = contents(own_folder)
    done = tofu("tune", "-n", "2", "--seconds", "10", "--json", own_folder.parent / "t.json", "--plot",
                own_folder.parent / "t.png", "--lmp", os.environ["TOFU_LMP"], "--although-busy", "in.mine",
                cwd=own_folder)
    assert done.returncode in (0, busy.STATUS, tune.TOO_SHORT), done.stdout + done.stderr
    assert contents(own_folder) == before
    assert re.search("times faster than|times as fast as|No significant difference|No verdict", done.stdout)
    assert "-in in.mine" in done.stdout or done.returncode == tune.TOO_SHORT
    found = json.loads((own_folder.parent / "t.json").read_text(encoding="utf-8"))
    assert set(found["best"]) == {STOCK, OURS} and not found["refused"]
    measured = {row["name"] for row in found["times"]}
    assert {"none 2x1", "threadpool 2x1 p2p/rdma"} <= measured
    assert {"threadpool 1x2 p2p/rdma", "threadpool 1x1 p2p/rdma", "omp 1x1"} <= measured | set(found["untried"])
    assert bool(found["busy"]) == (done.returncode == busy.STATUS or "machine is busy" in done.stdout)
    assert (own_folder.parent / "t.png").stat().st_size > 10000


@pytest.mark.long
@NEEDS_LAMMPS
def test_tune_refuses_a_candidate_with_other_physics(own_folder):
    """The input itself makes a mistake where the run style has the suffix."""
    (own_folder / "in.mine").write_text(
        INPUT.replace("pair_coeff 1 1 1.0", "variable wrong equal is_active(run_style,verlet/threadpool)\n"
                                            "pair_coeff 1 1 $(1.0+1e-8*v_wrong)"), encoding="utf-8")
    done = tofu("tune", "-n", "2", "--seconds", "60", "--json", own_folder.parent / "t.json", "--although-busy",
                "--lmp", os.environ["TOFU_LMP"], "in.mine", cwd=own_folder)
    assert done.returncode in (0, busy.STATUS), done.stdout + done.stderr
    found = json.loads((own_folder.parent / "t.json").read_text(encoding="utf-8"))
    assert "thermo output differs: PotEng" in found["refused"]["threadpool 2x1 p2p/rdma"]
    assert not any(row["name"].startswith("threadpool") for row in found["times"])
    assert found["best"][OURS].endswith("p2p/rdma")


@NEEDS_LAMMPS
def test_an_input_that_stops_is_reported_with_the_message_of_lammps(own_folder):
    (own_folder / "in.mine").write_text("units nonsense\n", encoding="utf-8")
    done = tofu("tune", "--lmp", os.environ["TOFU_LMP"], "in.mine", cwd=own_folder)
    assert done.returncode == 1 and "LAMMPS stopped" in done.stderr and "nonsense" in done.stderr
