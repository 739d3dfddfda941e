# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu tune --cutoff: which settings of an input may change, the lines for them, and the same accuracy."""

import os
import shutil
import subprocess
from types import SimpleNamespace

import pytest
from tofulib import (CHECKOUT, configuration, contest, coulomb_cutoff, cutoff_search, log, program, scratch, shell,
                     trial, tune)
from tofulib.coulomb_cutoff import CHANGED, INPUT, Choice
from tofulib.launcher import Launcher

ECHOED = """units real
pair_style lj/charmm/coul/long 8.0 ${outer}
pair_style lj/charmm/coul/long 8.0 10.0   # a comment
kspace_style pppm 1e-4
neigh_modify delay 5 every 1
"""


def settings(**lines):
    """Settings of ECHOED with other lines; a line of None is left out."""
    names = {line.split()[0]: line for line in ECHOED.splitlines() if "$" not in line}
    names.update({name: line and f"{name} {line}" for name, line in lines.items()})
    return coulomb_cutoff.settings_of("\n".join(line for line in names.values() if line) + "\n")


def test_settings_are_read_with_the_values_of_variables():
    found = coulomb_cutoff.settings_of(ECHOED)
    assert found.choice == Choice(10.0, 5, "ik", 2.0, 5, 1, INPUT) and found.accuracy == 1e-4
    assert found.pair == ("lj/charmm/coul/long", "8.0", "10.0") and not found.fixed and not found.lists_stay
    found = settings(kspace_modify="mesh 32 32 32 order 7 gewald 0.3 diff ad", neighbor="1.5 nsq",
                     neigh_modify="every 20 delay 0 check no")
    assert found.choice == Choice(10.0, 7, "ad", 1.5, 0, 20, INPUT) and found.binning == "nsq"
    assert found.fixed == ("mesh", "0", "0", "0", "gewald", "0") and "check no" in found.lists_stay
    assert settings(units=None, neigh_modify=None).choice.skin == 0.3


@pytest.mark.parametrize("pair, cutoff, changed", [
    ("lj/cut/coul/long 9.0", 9.0, "lj/cut/coul/long 9.0 12"),
    ("lj/cut/coul/long/omp 9.0 11.0", 11.0, "lj/cut/coul/long/omp 9.0 12"),
    ("lj/charmm/coul/long 8.0 10.0", 10.0, "lj/charmm/coul/long 8.0 10.0 12"),
    ("lj/charmmfsw/coul/long 8.0 10.0 11.0", 11.0, "lj/charmmfsw/coul/long 8.0 10.0 12"),
    ("lj/cut/coul/long/soft 1 0.5 10.0 9.5", 9.5, "lj/cut/coul/long/soft 1 0.5 10.0 9.5 12"),
    ("lj/cut/tip4p/long 1 2 1 1 0.15 8.5", 8.5, "lj/cut/tip4p/long 1 2 1 1 0.15 8.5 12"),
    ("hybrid lj/cut/coul/long 9.0 lj/cut 7.0", 9.0, "hybrid lj/cut/coul/long 9.0 12 lj/cut 7.0"),
    ("hybrid/overlay lj/cut 9.0 coul/long 10.0", 10.0, "hybrid/overlay lj/cut 9.0 coul/long 12")])
def test_the_coulomb_cutoff_moves_and_the_other_one_stays(pair, cutoff, changed):
    assert coulomb_cutoff.cutoff_of(pair.split()) == cutoff
    assert " ".join(coulomb_cutoff.with_cutoff(pair.split(), 12.0)) == changed
    assert coulomb_cutoff.cutoff_of(changed.split()) == 12.0


@pytest.mark.parametrize("lines, words", [
    ({"kspace_style": "ewald 1e-4"}, "is for pppm"), ({"kspace_style": None}, "no command kspace_style"),
    ({"kspace_style": "pppm/disp 1e-4"}, "is for pppm"), ({"pair_style": None}, "no command pair_style"),
    ({"pair_style": "lj/cut 9.0"}, "no long-range Coulomb part"),
    ({"pair_style": "lj/long/coul/long cut long 9.0"}, "cannot be moved|can be moved alone"),
    ({"pair_style": "hybrid/scaled 0.5 lj/cut/coul/long 9.0 0.5 lj/cut 8.0"}, "factors"),
    ({"pair_style": "hybrid/overlay coul/long 9.0 lj/cut/coul/long 9.0 10.0"}, "different Coulomb cut-offs"),
    ({"pair_style": "lj/cut/coul/long 9.0\npair_style lj/cut/coul/long 8.0"}, "different lines pair_style"),
    ({"run_style": "respa 2 4 kspace 2"}, "another integration"), ({"fix": "1 all tune/kspace 100"}, "tune/kspace"),
    ({"kspace_modify": "force 0.01"}, "absolute accuracy")])
def test_what_would_change_the_physics_is_refused(lines, words):
    with pytest.raises(shell.Failure, match=words):
        settings(**lines)


def test_only_what_differs_gets_a_line():
    found = settings(kspace_modify="mesh 32 32 32")
    own = found.choice
    assert coulomb_cutoff.lines(found, own, found.accuracy) == {}
    skin = own._replace(skin=1.5, side=CHANGED)
    assert coulomb_cutoff.lines(found, skin, found.accuracy) == {"neighbor": "neighbor 1.5 bin"}
    other = own._replace(cutoff=12.0, order=4, diff="ad", delay=0, side=CHANGED)
    assert coulomb_cutoff.lines(found, other, 8.5e-5) == {
        "pair_style": "pair_style lj/charmm/coul/long 8.0 10.0 12", "kspace_style": "kspace_style pppm 8.5e-05",
        "kspace_modify": "kspace_modify mesh 0 0 0 order 4 diff ad",
        "neigh_modify": "neigh_modify delay 0 every 1 check yes"}


def test_an_edited_input_has_the_settings_of_the_choice():
    text = ("units real\nneighbor 2.5 bin\npair_style lj/cut/coul/long &\n  9.0\nkspace_style pppm 1e-4\n"
            "kspace_modify order 6\nneigh_modify delay 3\nrun 1\n")
    found = coulomb_cutoff.settings_of(text.replace("&\n", ""))
    choice = Choice(11.0, 4, "ad", 1.5, 0, 2, CHANGED)
    edited = coulomb_cutoff.edited(text, coulomb_cutoff.lines(found, choice, 9e-5))
    again = coulomb_cutoff.settings_of(edited)
    assert again.choice._replace(side=CHANGED) == choice and again.accuracy == 9e-5
    assert again.pair == ("lj/cut/coul/long", "9.0", "11") and edited.count("run 1") == 1
    assert coulomb_cutoff.edited(text, {}) == text


def test_stages_have_all_values_but_those_that_are_known():
    found = settings(neighbor="2.0 bin")
    own = found.choice
    assert [one.cutoff for one in coulomb_cutoff.cutoffs(found, own)] == [9.0, 11.0, 8.0, 12.0, 13.0, 14.0]
    base = own._replace(cutoff=12.0, side=CHANGED)
    assert [one.cutoff for one in coulomb_cutoff.around(found, base)] == [11.0, 13.0]
    stencils = {(one.order, one.diff) for one in coulomb_cutoff.stencils(found, own)}
    assert stencils == {(order, diff) for order in (3, 4, 5, 6, 7) for diff in ("ik", "ad")} - {(5, "ik")}
    skins = coulomb_cutoff.lists(found, base)
    assert {one.skin for one in skins} == {1.0, 1.5, 2.0, 2.5, 3.0} and {one.delay for one in skins} == {0, 2, 5}
    assert not coulomb_cutoff.lists(settings(neigh_modify="once yes"), base)
    sigma = settings(units="lj", pair_style="lj/cut/coul/long 2.5")
    assert [one.cutoff for one in coulomb_cutoff.cutoffs(sigma, sigma.choice)] == [2.75, 3.0, 3.25, 3.5, 4.0, 4.5]
    nano = settings(units="nano", pair_style="lj/cut/coul/long 1.0")
    assert [one.cutoff for one in coulomb_cutoff.cutoffs(nano, nano.choice)] == [0.9, 1.1, 0.8, 1.2, 1.3, 1.4]


OUTPUT = """  grid = 8 8 9
  estimated absolute RMS force accuracy = {:g}
Per MPI rank memory allocation (min/avg/max) = 1 | 1 | 1 Mbytes
Loop time of 1.5 on 1 procs for 10 steps with 32 atoms
Dangerous builds = {}
"""


def test_the_estimate_belongs_to_the_run_that_is_measured():
    text = OUTPUT.format(0.5, 7) + OUTPUT.format(0.25, 3)
    assert coulomb_cutoff.estimate_of(text, 0) == (0.5, "8 8 9", 7)
    assert coulomb_cutoff.estimate_of(text, 1) == (0.25, "8 8 9", 3)
    with pytest.raises(shell.Failure, match="no estimate"):
        coulomb_cutoff.estimate_of(text, 2)


class StandIn:
    """A Tuning whose LAMMPS has an error that follows the accuracy asked for, by a factor of each order.

    Args:
        factors: order -> factor.
        dangerous: Dangerous builds with another skin than that of the input.
    """

    def __init__(self, factors, dangerous=0):
        self.factors = factors
        self.dangerous = dangerous
        self.part, self.window, self.setup, self.text, self.runs = 0, 1.0, 0.0, "", 0
        self.watch = SimpleNamespace(look=lambda: None)

    def run(self, _one, _seconds, change):
        """What LAMMPS would print."""
        edited = change(ECHOED)
        found = coulomb_cutoff.settings_of(edited)
        error = 100.0 * found.accuracy * self.factors[found.choice.order]
        self.text = edited + OUTPUT.format(error, self.dangerous if found.choice.skin != 2.0 else 0)
        self.runs += 1
        return log.runs_in(self.text)


def measured(tuning, choice):
    """A search that has measured the input's own settings and a choice."""
    search = cutoff_search.Search(tuning)
    tuning.check(ECHOED)
    search.measure(search.settings.choice)
    search.measure(choice)
    return search


OTHER = Choice(12.0, 4, "ik", 2.0, 5, 1, CHANGED)


@pytest.mark.parametrize("factor, runs", [(1.0, 2), (1.5, 4), (0.5, 4), (0.9, 2)])
def test_lammps_is_asked_for_another_accuracy_until_the_error_is_that_of_the_input(factor, runs):
    """1.5: the error was too large; 0.5: smaller than it need be. The run with another accuracy is measured anew."""
    search = measured(StandIn({5: 1.0, 4: factor}), OTHER)
    error = search.estimates[OTHER].accuracy
    assert cutoff_search.NEAR * search.target <= error <= search.target and search.tuning.runs == runs
    assert ("kspace_style" in search.lines(OTHER)) == (runs > 2)
    search.measure(OTHER._replace(skin=1.5))    # the same mesh: known
    assert search.tuning.runs == runs + 1


def test_a_choice_with_a_larger_error_or_with_dangerous_builds_is_refused():
    tuning = StandIn({5: 1.0, 4: 1.0})
    search = measured(tuning, OTHER)
    tuning.factors[4] = 1.1    # in a later round
    with pytest.raises(contest.Refused, match="force error"):
        search.measure(OTHER)
    with pytest.raises(contest.Refused, match="3 dangerous builds"):
        measured(StandIn({5: 1.0}, 3), OTHER._replace(order=5, skin=1.0))


def test_the_report_has_the_lines_of_the_best_settings_and_both_errors(capsys):
    search = measured(StandIn({5: 1.0, 4: 1.5}), OTHER._replace(diff="ad"))
    own, best = search.settings.choice, OTHER._replace(diff="ad")
    search.one, search.tuning.watch.reasons = configuration.Configuration("", 1, 1), lambda *_: []
    ratio = {"median": 1.2, "min": 1.1, "max": 1.3}
    search.result = contest.Result({own: [1.2] * 3, best: [1.0] * 3}, {}, {INPUT: own, CHANGED: best}, ratio, 3)
    assert search.report("in.x", False) == 0
    output = capsys.readouterr().out
    assert "1.20 (1.10 - 1.30) times faster" in output and "of 0.009705, with the input's own 0.01." in output
    assert "pair_style lj/charmm/coul/long 8.0 10.0 12 " in output and "kspace_modify order 4 diff ad " in output
    assert "kspace_style pppm 6.47e-05 " in output and "was the cut-off of both parts" in output
    search.differs = True
    assert search.report("in.x", False) == 1 and "REFUSED" in capsys.readouterr().out
    search.differs, search.result = False, search.result._replace(speedup={**ratio, "min": 0.9})
    assert search.report("in.x", False) == 0 and "own settings stay" in capsys.readouterr().out


NEEDS_LAMMPS = pytest.mark.skipif("TOFU_LMP" not in os.environ, reason="TOFU_LMP is not set; 'tools/tofu test' sets it")


@pytest.fixture
def water(tmp_path):
    """A search in 64 molecules of SPC/E water, whose input has been probed, on one rank."""
    folder = tmp_path / "water"
    folder.mkdir()
    shutil.copy(CHECKOUT / "examples" / "water" / "spce.mol", folder)
    text = (CHECKOUT / "examples" / "water" / "in.water.offload").read_text(encoding="utf-8")
    (folder / "in.water").write_text(text.replace("index 8 ", "index 4 "), encoding="utf-8")
    found = program.existing(os.environ["TOFU_LMP"])
    bed = trial.Bench(found, Launcher(found.library))
    tuning = tune.Tuning(bed, scratch.Scratch(folder / "in.water", None, tmp_path / "place"), 1)
    search = cutoff_search.Search(tuning)
    tuning.setup = tuning.probe(0.5)
    tuning.window, tuning.expected = tuning.setup + 0.5, 20.0
    search.one = configuration.Configuration("threadpool", 1, 1)
    return search


@NEEDS_LAMMPS
def test_water_has_the_same_accuracy_and_lennard_jones_energy_with_another_cutoff(water, monkeypatch):
    own = water.settings.choice
    assert own == Choice(9.0, 5, "ik", 2.0, 4, 2, INPUT)
    other = own._replace(cutoff=7.0, order=6, diff="ad", skin=1.5, delay=0, every=1, side=CHANGED)
    assert all(water.measure(one) > 0.0 for one in (own, other))
    assert water.estimates[other].accuracy <= cutoff_search.MOST * water.target
    assert water.estimates[other].mesh != water.estimates[own].mesh
    water.compare(other)
    assert not water.differs and "E_vdwl differs by" in water.physics[0]
    monkeypatch.setattr(coulomb_cutoff, "with_cutoff", lambda words, cutoff: ["lj/cut/coul/long", f"{cutoff:g}"])
    water.compare(other)
    assert water.differs


@NEEDS_LAMMPS
def test_an_input_without_a_mesh_is_refused_before_anything_is_measured(tmp_path):
    folder = tmp_path / "ewald"
    folder.mkdir()
    shutil.copy(CHECKOUT / "examples" / "water" / "spce.mol", folder)
    text = (CHECKOUT / "examples" / "water" / "in.water.offload").read_text(encoding="utf-8")
    text = text.replace("index 8 ", "index 3 ").replace("pppm/offload", "ewald").replace("kspace_modify", "#")
    (folder / "in.ewald").write_text(text, encoding="utf-8")
    done = subprocess.run([CHECKOUT / "tools" / "tofu", "tune", "-n", "1", "--cutoff", "--seconds", "20", "--lmp",
                           os.environ["TOFU_LMP"], "in.ewald"], cwd=folder, capture_output=True, text=True, timeout=120,
                          check=False, env={**os.environ, "TOFU_CACHE": str(tmp_path / "cache")})
    assert done.returncode == 1 and "tune --cutoff: kspace_style ewald" in done.stderr, done.stdout + done.stderr
