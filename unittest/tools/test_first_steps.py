# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu run --compare: how the input is shortened, and that wrong physics is seen at the first step."""

import pytest
from tofulib import first_steps, input_edits, log, program, shell, trial
from tofulib.allocation import Allocation
from tofulib.configuration import Configuration
from tofulib.launcher import Launcher

OUTPUT = "\n".join(first_steps.OUTPUT)


@pytest.mark.parametrize("text, expected", [
    ("run 1000\nrun 5\n", f"{OUTPUT}\nrun 100\nquit\n{OUTPUT}\nrun 5\nquit\n"),
    ("run 0\n  run ${n} upto &\n every 5\n", f"run 0\n{OUTPUT}\n  run 100  &\n every 5\nquit\n"),
    ("minimize 1e-4 0.0 ${m} 1000 # long\n", f"{OUTPUT}\nminimize 1e-4 0.0 100 1000 # long\nquit\n"),
    ("# run 7\nrun_style verlet\necho none\nclear\n", "# run 7\nrun_style verlet\n\nclear\nstart\n")])
def test_the_first_run_is_short_and_the_last(text, expected):
    assert first_steps.shortened(text, False, ["start"]) == expected


def test_run_0_counts_where_nothing_else_is():
    assert first_steps.shortened("run 0\n", True, []) == f"{OUTPUT}\nrun 0\nquit\n"


def run_of(change=lambda step, row: None, steps=3):
    """A run with some quantities; Pxx is small beside Press, forces at the begin are rounding."""
    columns = ["Step", "Temp", "PotEng", "E_bond", "Press", "Pxx", "Fmax"]
    rows = []
    for step in range(steps):
        row = dict(zip(columns, [step, 1.44, -6.77, 0.0, 5.0, 1e-9, 1e-15 if step == 0 else 3.0]))
        change(step, row)
        rows.append(list(row.values()))
    return log.Run(columns, rows, 1.0, 2, steps - 1, 4000, {}, {}, 100.0)


def moved(name, factor, at=0):
    """A run with one quantity that differs from a step on."""
    return run_of(lambda step, row: row.update({name: row[name] * factor}) if step >= at else None)


def test_differences_are_relative_to_the_largest_of_a_kind():
    rows, steps = first_steps.compare(run_of(), [moved("Pxx", 1.5), moved("PotEng", 1.0 + 1e-6, at=2)])
    found = {row.name: row for row in rows}
    assert steps == 2 and "E_bond" not in found
    assert found["Pxx"].first == [pytest.approx(1e-10), 0.0]
    assert found["PotEng"].most == [(0.0, 2), (pytest.approx(1e-6), 2)] and found["PotEng"].first == [0.0, 0.0]
    assert found["Fmax"].value == 1e-15


@pytest.mark.parametrize("ours, other, agrees", [
    (run_of(), run_of(), True), (moved("PotEng", 1.0 + 1e-9), run_of(), False),
    (moved("PotEng", 1.0 + 1e-9), moved("PotEng", 1.0 - 1e-9), True), (moved("Fmax", 7.0), run_of(), True),
    (run_of(lambda step, row: row.update(Fmax=0.5) if step == 0 else None), run_of(), False),
    (run_of(lambda step, row: row.update(Fmax=2e-15) if step == 0 else None), run_of(), True),
    (moved("PotEng", 1.5, at=1), run_of(), True), (moved("Temp", float("nan")), run_of(), False)])
def test_what_rounding_does_not_explain_at_the_first_step_is_a_difference(ours, other, agrees):
    rows, _ = first_steps.compare(run_of(), [ours, other])
    assert (first_steps.judged(rows, "double") == []) == agrees


@pytest.mark.parametrize("wrong", [False, True])
def test_status_and_table_of_the_command(tmp_path, private_cache, monkeypatch, capsys, wrong):
    """What runs is a stand-in that looks at its script."""
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "in.x").write_text("include more.in\n", encoding="utf-8")
    (tmp_path / "user" / "more.in").write_text("run 5000\n", encoding="utf-8")

    def carry_out(_bed, one, script, _output, folder, _more):
        assert f"{OUTPUT}\nrun 100\nquit" in (folder / "more.in").read_text(encoding="utf-8") and script
        return [moved("PotEng", 1.0 + 1e-6) if wrong and one.suffix == "threadpool" else run_of()]
    monkeypatch.setattr(trial.Bench, "carry_out", carry_out)
    bed = trial.Bench(program.Program(tmp_path / "lmp", program.BUILT_IN, "", frozenset(["OPENMP"]), None, {}),
                      Launcher(None, "", Allocation("", (2,))))
    one = Configuration("threadpool", 2, 1, ("p2p/rdma",))
    assert first_steps.command(bed, tmp_path / "user" / "in.x", one, None, []) == int(wrong)
    output = capsys.readouterr().out
    assert ("DIFFERS at the first step: PotEng by 1.0e-06" in output) == wrong and "omp 2x1" in output
    assert (tmp_path / "user" / "more.in").read_text(encoding="utf-8") == "run 5000\n"


def test_an_input_without_a_run_of_its_own_is_refused(tmp_path, private_cache, monkeypatch):
    (tmp_path / "user").mkdir()
    (tmp_path / "user" / "in.x").write_text('if "1 == 1" then "run 5"\n', encoding="utf-8")
    found = run_of()._replace(columns=["Step", "Temp"])
    monkeypatch.setattr(trial.Bench, "carry_out", lambda *words: [found])
    bed = trial.Bench(program.Program(tmp_path / "lmp", program.BUILT_IN, "", frozenset(), None, {}),
                      Launcher(None, "", Allocation("", (2,))))
    with pytest.raises(shell.Failure, match="no command run or minimize on a line of its own"):
        first_steps.command(bed, tmp_path / "user" / "in.x", Configuration("threadpool", 2, 1), None, [])


def test_all_digits_are_compared():
    assert input_edits.ALL_DIGITS in first_steps.OUTPUT[1]
