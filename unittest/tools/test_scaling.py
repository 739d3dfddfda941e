# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench --scaling: sizes, the choice of each side, efficiencies, the table and the picture."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from pictures import check_picture
from tofulib import bench, configuration, mpi, scaling, shell, threads
from tofulib.predict import calibrate
from tofulib.predict import command as predict

WAYS = threads.by_name([one for cores in (1, 2, 4) for one in threads.both_sides(configuration.splits(cores))])


def runs(cores, *loops, atoms=4000):
    """Runs on these cores with these times a step."""
    return [{"cores": cores, "atoms": atoms, "cpu_use": 99.0, "loop": loop, "sections": {}, "least": {}}
            for loop in loops]


STRONG = {"opt 1x1": runs(1, 80, 80, 160), "threadpool 1x1": runs(1, 40, 20, 40),
          "opt 4x1": runs(4, 40, 40, 40), "intel 2x2": runs(4, 30, 50, 50),
          "threadpool 4x1": runs(4, 10, 10, 20), "threadpool 1x4": runs(4, 30, 30, 30)}


@pytest.mark.parametrize("most, counts", ((1, [1]), (2, [1, 2]), (6, [1, 2, 4, 6]), (64, [1, 2, 4, 8, 16, 32, 64])))
def test_numbers_of_cores_are_powers_of_two_and_all(most, counts):
    assert scaling.core_counts(most) == counts


@pytest.mark.parametrize("number, block", ((1, (1, 1, 1)), (2, (1, 1, 2)), (8, (2, 2, 2)), (12, (2, 2, 3)),
                                           (48, (3, 4, 4)), (7, (1, 1, 7))))
def test_copies_of_the_box_are_an_even_block(number, block):
    assert scaling.copies(number) == block


def test_strong_scaling_keeps_the_atoms_and_weak_scaling_those_of_a_core():
    case = scaling.CASES["lj4000"]
    strong, weak = (scaling.sized(case, mode, 12) for mode in (scaling.STRONG, scaling.WEAK))
    assert strong.variables == case.variables and strong.steps == 6 * case.steps
    assert weak.variables == ["-v", "x", "1", "-v", "y", "1", "-v", "z", "1.5"] and weak.steps == case.steps / 2
    assert scaling.sized(case, scaling.STRONG, 1, 1e-9).steps == 1


@pytest.mark.parametrize("name", ("rhodo", "chain"))
def test_boxes_of_fixed_size_are_copied_by_the_input_for_that(name):
    weak = scaling.sized(scaling.CASES[name], scaling.WEAK, 2)
    assert weak.script == f"in.{name}.scaled" and weak.variables == ["-v", "x", "1", "-v", "y", "1", "-v", "z", "2"]
    assert scaling.sized(scaling.CASES[name], scaling.STRONG, 2).script == f"in.{name}"


def test_all_layouts_of_both_sides_are_tried():
    assert {way for way, one in WAYS.items() if one.ranks * one.threads == 4} == {
        "none 4x1", "opt 4x1", "omp 4x1", "intel 4x1", "threadpool 4x1", "omp 2x2", "intel 2x2", "threadpool 2x2",
        "omp 1x4", "intel 1x4", "threadpool 1x4"}


def test_two_of_each_side_on_each_number_of_cores_are_chosen():
    quick = {way: runs(one.ranks * one.threads, number + 1.0)[0] for number, (way, one) in enumerate(WAYS.items())}
    chosen = scaling.fastest({**quick, "intel 1x4": runs(4, 0.5)[0]}, WAYS)
    assert set(chosen) == {"none 1x1", "opt 1x1", "threadpool 1x1", "none 2x1", "opt 2x1", "threadpool 2x1",
                           "threadpool 1x2", "intel 1x4", "none 4x1", "threadpool 4x1", "threadpool 2x2"}
    del quick["threadpool 1x1"]
    with pytest.raises(shell.Failure, match="nothing of TOFU has run on 1 cores"):
        scaling.fastest(quick, WAYS)


def test_efficiencies_and_ratios_are_those_of_rounds():
    one, four = scaling.rows(STRONG, WAYS)
    assert (one["cores"], four["cores"], four["atoms"]) == (1, 4, 4000)
    assert (four["stock"]["way"], four["TOFU"]["way"]) == ("opt 4x1", "threadpool 4x1")
    assert four["stock"]["time"] == {"median": 40, "min": 40, "max": 40}
    assert four["speedup"] == {"median": 4.0, "min": 2.0, "max": 4.0}
    assert one["stock"]["efficiency"] == {"median": 1.0, "min": 1.0, "max": 1.0}
    assert four["stock"]["efficiency"] == {"median": 0.5, "min": 0.5, "max": 1.0}
    assert four["TOFU"]["efficiency"] == {"median": 0.5, "min": 0.5, "max": 1.0}


def test_efficiency_of_weak_scaling_is_that_of_equal_atoms_of_a_core():
    weak = {**STRONG, **{way: runs(4, *(one["loop"] for one in found), atoms=16000)
                         for way, found in STRONG.items() if found[0]["cores"] == 4}}
    four = scaling.rows(weak, WAYS)[1]
    assert four["stock"]["efficiency"]["median"] == 2.0 and four["atoms"] == 16000


def result():
    """What the bench writes."""
    rows = scaling.rows(STRONG, WAYS)
    strong = [{**row, "predicted": {"stock": 100.0 / row["cores"], "TOFU": 40.0 / row["cores"]}} for row in rows]
    return {"about": {"ranks": 4, "pairs": 3, "lammps": "4Feb2025", "processor": "test"},
            "cases": {"lj4000": {"strong": {"rows": strong}, "weak": {"rows": rows}}}}


def test_table_has_a_row_for_each_number_of_cores_and_what_is_predicted():
    lines = scaling.table(result()["cases"]).splitlines()
    assert lines[3] == ("| lj4000 | strong | 4 | 4,000 | 40.0 (opt 4x1) | 50 % | 10.0 (4x1) | 50 % | "
                        "4.00 (2.00-4.00) | 25.0, 10.0 |")
    assert len(lines) == 6 and lines[5].endswith("| 4.00 (2.00-4.00) |  |")


def test_picture_shows_both_modes(tmp_path):
    pytest.importorskip("matplotlib")
    check_picture(tmp_path, result(), "plot_scaling")


@pytest.mark.parametrize("words, message", ((("lj864,chute", None), "with --scaling the cases are lj864"),
                                            (("lj864", "1,100000"), "bench pins 100000 threads"),
                                            (("lj864", "0,1"), "whole numbers of at least 1")))
def test_wrong_requests_are_explained(words, message):
    with pytest.raises(shell.Failure, match=message):
        scaling.command(SimpleNamespace(cases=words[0], cores=words[1], pairs=1))


def test_what_fails_is_left_out_and_the_others_run_in_all_rounds(monkeypatch, capsys):
    def run(_, case, __, ranks, arguments, nthreads):
        if "opt" in arguments:
            raise shell.Failure("no such style")
        return {"atoms": 4000, "loop": case.steps / (ranks * nthreads) + ranks}

    monkeypatch.setattr(bench, "run", run)
    found = scaling.measure_case("lj4000", scaling.STRONG, None, [1, 2], 3, "test")
    assert set(found["runs"]) == {"none 1x1", "omp 1x1", "threadpool 1x1", "omp 1x2", "intel 1x2", "threadpool 1x2",
                                  "threadpool 2x1"}
    assert all(len(runs) == 3 for runs in found["runs"].values())
    assert [row["TOFU"]["way"] for row in found["rows"]] == ["threadpool 1x1", "threadpool 1x2"]
    assert capsys.readouterr().out.count("opt 2x1 is left out: no such style") == 1


@pytest.fixture
def tree(tmp_path, private_cache, monkeypatch):
    """A made-up LAMMPS with an input and its potential, of which nothing is run."""
    for name, text in (("in.eam", "pair_coeff 1 1 Cu_u3.eam\nrun 100\n"), ("Cu_u3.eam", ""), ("data.rhodo", "")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(scaling.program, "built", lambda one: SimpleNamespace(library=None))
    monkeypatch.setattr(predict.plans, "compiled", lambda: None)
    (tmp_path / "bench").symlink_to(tmp_path)
    return SimpleNamespace(source=SimpleNamespace(path=tmp_path, release="test"))


def test_prediction_has_the_fastest_setting_of_each_side(tree, monkeypatch):
    seen = []

    def short_runs(bed, script, nthreads, seconds, place, more):
        seen.extend((bed.launcher.where.total, nthreads, more, script.read_text(encoding="utf-8").splitlines()[-1],
                     sorted(path.name for path in script.parent.iterdir())))
        return calibrate.Calibration(None, {}, [], {}, [], {})

    monkeypatch.setattr(calibrate, "carry_out", short_runs)
    monkeypatch.setattr(predict, "system_of", lambda options, machine, job, found: (machine, {}, None))
    monkeypatch.setattr(predict, "carry_out", lambda module, job: [{"table": [{"results": [
        {"ranks": ranks, "comm": comm, "step": step / ranks} for ranks in job["ranks_per_node"][:2]
        for comm, step in (("brick", 80.0), ("p2p", 20.0), ("suffix", 40.0))]}]}])
    found = [{"cores": cores} for cores in (1, 2, 64)]
    scaling.add_prediction("eam32000", tree, found)
    assert [row["predicted"] for row in found] == [{"stock": 80.0, "TOFU": 20.0}, {"stock": 40.0, "TOFU": 10.0}, {}]
    assert seen == [1, 1, scaling.CASES["eam32000"].variables, f"run {scaling.ENDLESS}", ["Cu_u3.eam", "in.eam"]]


def test_without_a_prediction_the_reason_is_said(tree, monkeypatch, capsys):
    def too_short(*_, **__):
        raise calibrate.TooShort("no time", 1e9)

    monkeypatch.setattr(calibrate, "carry_out", too_short)
    found = [{"cores": 1}]
    scaling.add_prediction("eam32000", tree, found)
    assert found == [{"cores": 1}] and "eam32000: no prediction: no time" in capsys.readouterr().out


@pytest.fixture
def lammps(private_cache):
    """The LAMMPS under test."""
    if "TOFU_LMP" not in os.environ or mpi.cores()[0] < 2:
        pytest.skip("needs two cores and TOFU_LMP, which 'tools/tofu test' sets")
    return SimpleNamespace(mpi=mpi.find("openmpi"), lmp=Path(os.environ["TOFU_LMP"]), source=SimpleNamespace(
        path=Path(os.environ["TOFU_LAMMPS_DIR"]), release="4Feb2025"))


@pytest.mark.long
def test_steps_are_predicted_from_runs_on_one_core(lammps, monkeypatch):
    pytest.importorskip("numpy")
    monkeypatch.setattr(predict, "SECONDS", 5.0)
    monkeypatch.setattr(predict.venv, "python", lambda: sys.executable)
    found = [{"cores": cores} for cores in (1, 2, 1000)]
    scaling.add_prediction("lj864", lammps, found)
    for side in ("stock", "TOFU"):
        one, two = (row["predicted"][side] for row in found[:2])
        assert one / 2 <= two < one
    assert found[2]["predicted"] == {}


def test_lammps_has_the_atoms_of_weak_scaling(lammps, monkeypatch):
    monkeypatch.setattr(threads, "STOCK", ("",))
    monkeypatch.setitem(scaling.CASES, "lj864", bench.Case("in.lj", 0.3, 40))
    found = scaling.measure_case("lj864", scaling.WEAK, lammps, [1, 2], 1, "test")
    assert [row["atoms"] for row in found["rows"]] == [864, 1728]
    assert all(row[side]["efficiency"]["median"] > 0.0 for row in found["rows"] for side in ("stock", "TOFU"))
