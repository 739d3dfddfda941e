# SPDX-License-Identifier: GPL-2.0-only
"""Inputs as users write them run through tune and predict, and through run --compare."""

import hashlib
import json
import os
import subprocess

import pytest
import user_inputs
from tofulib import CHECKOUT, busy, configuration, contest, launcher, program, scratch, shell, trial, tune
from tofulib.predict import calibrate
from user_inputs import FLAT, INPUTS, NO_STEPS, STEPS

pytestmark = pytest.mark.skipif("TOFU_LMP" not in os.environ,
                                reason="TOFU_LMP is not set; 'tools/tofu test' sets it")
ENDLESS = "a loop until a condition that the end of the time never meets"
OWN_LOG, CLEAR = "a log of its own in a sub-folder", "two systems with clear"
#: Inputs whose short runs are made in each run of the tests.
READ = (OWN_LOG, CLEAR, ENDLESS, "no log and no echo", "dumps and restarts in sub-folders",
        "another folder by shell cd", "a loop over runs that jumps to its own name", "minimization and several runs",
        "run 0 alone", "parts in other files", "minimization in two dimensions")


def inputs(always, wanted=lambda kind: True):
    """Parameters: all inputs of some kinds, those that are not always run marked as long."""
    return [pytest.param(name, name, marks=[] if name in always else [pytest.mark.long])
            for name, one in INPUTS.items() if wanted(one.kind)]


@pytest.fixture
def user(request, tmp_path):
    """The path of the input of the parameter, in a folder of its own."""
    (tmp_path / "user").mkdir()
    path = user_inputs.place(request.param, tmp_path / "user")
    if path is None:
        pytest.skip("this source tree has no examples")
    return path


@pytest.fixture
def bed():
    """The program under test on two cores."""
    found = program.existing(os.environ["TOFU_LMP"])
    return trial.Bench(found, launcher.Launcher(found.library))


def contents(top):
    """Names and sums of all files below a folder."""
    return {path.relative_to(top): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            for path in sorted(top.rglob("*"))}


def test_there_are_twenty_inputs():
    assert len(INPUTS) >= 20


@pytest.mark.most(5)
@pytest.mark.usual(3)
@pytest.mark.parametrize("user, name", inputs(READ), indirect=["user"])
def test_short_runs_of_an_input_are_read(user, name, bed, tmp_path):
    """One run without and one with TOFU, as tune makes them; the folder of the user stays as it is."""
    before, kind = contents(user.parent), INPUTS[name].kind
    tuning = tune.Tuning(bed, scratch.Scratch(user, None, tmp_path / "place"), 2)
    if kind == NO_STEPS:
        with pytest.raises(shell.Failure, match="no time steps"):
            tuning.probe(0.3, 60.0)
    else:
        tuning.set_window(1.0, 2, tuning.probe(0.3, 60.0))
        assert tuning.atoms > 0
        for one in (configuration.Configuration("", 2, 1),
                    configuration.Configuration("threadpool", 2, 1, configuration.P2P)):
            assert measured(tuning, one) > 0.0
    assert contents(user.parent) == before


def measured(tuning, one):
    """Time of a step; runs that a busy machine ended before the part that counts get more time."""
    for _ in range(4):
        try:
            return tuning.measure(one)
        except contest.Refused as refused:
            if "did not come to run" not in str(refused):
                raise
            tuning.window *= 2.0
    raise AssertionError(f"{one.name} did not come to run {tuning.part + 1} in {tuning.window / 2.0:.1f} s")


@pytest.mark.parametrize("user, name", inputs((OWN_LOG, CLEAR), lambda kind: kind == STEPS), indirect=["user"])
def test_short_runs_of_an_input_tell_its_size(user, name, bed, tmp_path):
    """As predict makes them, with its questions behind the input."""
    copies, limit = scratch.Scratch(user, None, tmp_path / "place"), calibrate.Limit(60.0)
    dump = calibrate.DUMP.format(copies.folder / calibrate.POSITIONS)
    found = calibrate.short_run(bed, copies, calibrate.way(calibrate.OURS, 2, 1), 0.5, limit, [dump])
    assert found.run.steps > 0 and min(calibrate.box_of(found.text)) > 0.0
    positions = calibrate.read_positions(copies.folder / calibrate.POSITIONS, (True,) * 3)
    assert len(positions) == (0 if name == ENDLESS else found.run.atoms)    # it never comes to the lines behind it
    assert calibrate.word(found.text, r"ghost atom cutoff = (\S+)") and found.statistics


def tofu(path, command, *words):
    """Run a command of tools/tofu on an input."""
    words = [*words, "--lmp", os.environ["TOFU_LMP"]]
    line = [CHECKOUT / "tools" / "tofu", command, *words, path]
    return subprocess.run([str(word) for word in line], cwd=path.parent, capture_output=True, text=True, timeout=300,
                          check=False)


@pytest.mark.parametrize("user, name", inputs((OWN_LOG,)), indirect=["user"])
def test_tune_gets_through(user, name):
    before, data = contents(user.parent), user.parent.parent / "found.json"
    seconds = "10" if name == OWN_LOG else "60"
    done = tofu(user, "tune", "-n", "2", "--seconds", seconds, "--json", data, "--although-busy")
    if INPUTS[name].kind == NO_STEPS:
        assert done.returncode == 1 and "no time steps" in done.stderr, done.stdout + done.stderr
    else:
        assert done.returncode in (0, busy.STATUS, tune.TOO_SHORT), done.stdout + done.stderr
        found = json.loads(data.read_text(encoding="utf-8"))
        assert set(found["best"]) == {configuration.STOCK, configuration.OURS}, found
        assert not any(one.startswith("threadpool") for one in found["refused"]), found["refused"]
    assert contents(user.parent) == before


@pytest.mark.parametrize("user, name", inputs(()), indirect=["user"])
def test_predict_gets_through(user, name):
    done = tofu(user, "predict", "--machine", "hdr", "--nodes", "1,4", "--steps", "5", "--seconds", "60",
                "--although-busy")
    message = {NO_STEPS: "no time steps", FLAT: "three-dimensional boxes only"}.get(INPUTS[name].kind)
    if message:
        assert done.returncode == 1 and message in done.stderr, done.stdout + done.stderr
    else:
        assert done.returncode in (0, busy.STATUS), done.stdout + done.stderr
        assert "speed-up" in done.stdout and "gains" in done.stdout


@pytest.mark.parametrize("user, name", inputs((OWN_LOG, "parts in other files"), lambda kind: kind != NO_STEPS),
                         indirect=["user"])
def test_the_first_steps_are_compared(user, name):
    before = contents(user.parent)
    done = tofu(user, "run", "-n", "2", "--compare")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "agrees with LAMMPS as it is" in done.stdout
    rows = {line.split()[0]: line.split() for line in done.stdout.splitlines() if line.strip()}
    assert float(rows["PotEng"][2]) < 1e-10 and {"Press", "Fmax"} <= set(rows)
    assert contents(user.parent) == before
