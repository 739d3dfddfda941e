# SPDX-License-Identifier: GPL-2.0-only
"""Boxes of water for measurements: lattices, molecules, inputs."""

import math
from types import SimpleNamespace

import pytest
from tofulib import cache, threads, water

MODELS = pytest.mark.parametrize("model", [water.SPCE, water.TIP4P], ids=lambda model: model.name)


@pytest.fixture
def settled(monkeypatch, tmp_path):
    """A build whose water is there already."""
    monkeypatch.setattr(cache, "folder", lambda *parts: tmp_path)
    for word in ("spc", "tip4p"):
        (tmp_path / f"data.{word}.2000.test").touch()
    return SimpleNamespace(source=SimpleNamespace(release="test"))


def test_lattices_have_as_many_points_as_there_are_molecules():
    for molecules, (cells, lattice) in water.LATTICES.items():
        assert cells**3 * {"sc": 1, "bcc": 2, "fcc": 4}[lattice] == molecules


@MODELS
def test_molecules_have_the_bonds_and_the_angle_of_the_model(model):
    place = water.half(model)
    assert math.hypot(place["x"], place["y"]) == pytest.approx(model.bond)
    assert 2 * math.degrees(math.atan2(place["x"], place["y"])) == pytest.approx(model.angle)


@MODELS
def test_inputs_read_settled_water_and_leave_the_long_range_part_open(model, settled, tmp_path):
    text = water.script(model, 2000, settled, 8, water.NPT)
    word = model.name.partition("/")[0].lower()
    assert f"{water.KSPACE}\nread_data {tmp_path / f'data.{word}.2000.test'}\n" in text
    assert f"pair_style {model.pair}\n" in text and f"pair_coeff 1 1 {model.epsilon} {model.sigma}\n" in text
    assert f"fix integrate all {water.NPT}\n" in text and text.endswith("run 8\nrun @steps@\n")


@pytest.mark.parametrize("name", ["spce", "tip4p"])
def test_water_of_bench_threads_has_the_mesh_of_its_model(name, settled, monkeypatch):
    seen = []
    monkeypatch.setattr(threads.trial, "runs_of", lambda lammps, label, text, *words: seen.append(text) or [None])
    monkeypatch.setattr(threads.bench, "times", lambda run: run)
    threads.run_water(f"threads.{name}", threads.CASES[name], settled, 2, [], 1, 1)
    assert f"\nkspace_style {threads.CASES[name].model.kspace}\n" in seen[0] and "@" not in seen[0]


def test_tip4p_is_not_measured_with_the_package_that_refuses_it(settled, monkeypatch):
    ran, found = [], {"atoms": 6000, "loop": 1.0, "sections": {}}
    monkeypatch.setattr(threads.trial, "runs_of", lambda *words, **more: ran.append(words[4]) or [found])
    monkeypatch.setattr(threads.bench, "times", lambda run: run)
    threads.measure_case("tip4p", settled, 1)
    assert ran and not any("intel" in words for words in ran) and any("omp" in words for words in ran)
