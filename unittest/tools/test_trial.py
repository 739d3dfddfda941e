# SPDX-License-Identifier: GPL-2.0-only
"""Runs of LAMMPS whose output is read from the screen, whatever the input does; a stand-in prints it."""

import pytest
from tofulib import log, program, shell, trial
from tofulib.allocation import Allocation
from tofulib.configuration import Configuration
from tofulib.launcher import Launcher

RUN = ("Per MPI rank memory allocation (min/avg/max) = 1 | 1 | 1 Mbytes\n   Step  Temp\n  0  1.44\n"
       "Loop time of 0.5 on 2 procs for 10 steps with 32 atoms\n\nPair    | 0.1 | 0.2 | 0.3 | 0.0 | 50.0\n")
CUT = f"WARNING: {log.WAS_CUT} (src/timer.cpp:1)\n"
ERROR = "ERROR: Unknown pair style nix (src/force.cpp:275)\nLast input line: pair_style nix\n"
STOCK = Configuration("", 2, 1)


@pytest.fixture
def play(tmp_path, monkeypatch):
    """A function that runs a stand-in for LAMMPS: it prints a text to the file of -screen, then does some commands."""
    monkeypatch.setattr(shell, "BETWEEN_QUESTIONS", 0.05)
    monkeypatch.setattr(shell, "TIME_TO_END", 0.5)

    def play(text, commands="exit 0", **times):
        (tmp_path / "text").write_text(text, encoding="utf-8")
        (tmp_path / "lmp").write_text(
            "#!/bin/sh\necho \"$@\" > arguments\nwhile [ \"$1\" != -screen ]; do shift; done\n"
            f"cat text > \"$2\"\n{commands}\n", encoding="utf-8")
        (tmp_path / "lmp").chmod(0o755)
        bed = trial.Bench(program.Program(tmp_path / "lmp", program.BUILT_IN, "", frozenset(), None, {}),
                          Launcher(None, "env R={ranks}", Allocation("", (2,))))
        return bed.carry_out(STOCK, "in.x", tmp_path / "screen", tmp_path, ["-log", "mine", "-var", "x", "1"], **times)
    return play


def test_words_of_the_user_come_before_those_that_matter(play, tmp_path):
    assert [run.steps for run in play(RUN + RUN)] == [10, 10]
    words = (tmp_path / "arguments").read_text(encoding="utf-8").split()
    assert words[:5] == ["-log", "mine", "-var", "x", "1"] and words.index("none") > 5
    assert "-echo screen" in " ".join(words)


def test_a_message_of_lammps_is_passed_on(play):
    with pytest.raises(shell.Failure, match="(?s)LAMMPS stopped: ERROR: Unknown pair style nix.*Last input line"):
        play(RUN + ERROR, "exit 1")
    with pytest.raises(shell.Failure, match="(?s)status 7 from.*mpirun failed"):
        play("", "echo mpirun failed >&2; exit 7")
    with pytest.raises(shell.Failure, match="in.x makes no run"):
        play("LAMMPS\n")


def test_what_fails_behind_a_run_that_was_cut_does_not_matter(play):
    assert len(play(RUN.replace("Loop", CUT + "Loop") + ERROR, "exit 1")) == 1


def test_a_loop_that_never_ends_is_stopped_and_its_runs_count(play):
    (run,) = play(RUN.replace("Loop", CUT + "Loop"), "sleep 60", limit=50.0, window=40.0, after=0.2)
    assert run.steps == 10
    (run,) = play(RUN, "sleep 60", limit=50.0, window=0.1, after=0.2)    # its runs never look at the clock
    assert run.steps == 10


def test_a_program_that_comes_to_no_run_is_late(play):
    with pytest.raises(shell.Late):
        play(RUN.partition("Loop")[0], "sleep 60", limit=0.3)


def test_words_that_come_in_parts_are_seen(tmp_path, monkeypatch):
    end, now = trial.EndOfRuns(tmp_path / "screen", 10.0, 1.0), [0.0]
    monkeypatch.setattr(trial.time, "monotonic", lambda: now[0])
    assert not end()
    with open(tmp_path / "screen", "a", encoding="utf-8") as file:
        for moment, text, over in ((1.0, log.BEGINS[:7], False), (2.0, f"{log.BEGINS[7:]}\n", False),
                                   (20.0, log.WAS_CUT[:5], False), (21.0, f"{log.WAS_CUT[5:]}\n", False),
                                   (21.9, "", False), (22.1, "", True)):
            file.write(text)
            file.flush()
            now[0] = moment
            assert end() == over, moment
    now[0] = 0.0
    (tmp_path / "other").write_text(f"{log.BEGINS}\n", encoding="utf-8")
    end = trial.EndOfRuns(tmp_path / "other", 10.0, 1.0)
    assert not end()
    now[0] = 30.9
    assert not end()
    now[0] = 31.1
    assert end()


def test_runs_without_a_begin_of_their_own_are_one_run():
    """`run 1 pre no post no` in a loop, and the parts of `run 20 every 10`."""
    more = "Loop time of 0.25 on 2 procs for 5 steps with 32 atoms\n"
    (run,) = log.runs_in(RUN.partition("\nPair")[0] + more + more)
    assert (run.seconds, run.steps, run.sections) == (1.0, 20, {})
    (run,) = log.runs_in(RUN + more + "Pair    | 0.1 | 0.2 | 0.3 | 0.0 | 50.0\n")
    assert (run.seconds, run.steps, run.sections) == (0.75, 15, {"Pair": pytest.approx(0.4)})
    assert log.runs_in(RUN.partition(" on 2 procs")[0]) == []
