# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench --deepmd: cases, comparison of first results, ratios, table and picture; without deepmd-kit."""

import itertools
import math

import pytest
from pictures import check_picture
from tofulib import deepmd, deepmd_cases, deepmd_kit, shell
from tofulib.deepmd_cases import CASES, Way


def runs(*times):
    """Runs whose section Pair takes so long."""
    return [{"sections": {"Pair": time}, "loop": 2 * time, "difference": [1e-15, 1e-13]}
            for time in times]


MEASURED = {"deepmd-kit": runs(1000.0, 1200.0, 1100.0), "double": runs(250.0, 240.0, 275.0),
            "mixed": runs(100.0, 110.0, 130.0)}


def case_of(quantity="pair"):
    """A case as in the result."""
    return {"atoms": 24, "steps": 10, "quantity": quantity, "cores": 1, "runs": MEASURED,
            "summary": deepmd.summarize(MEASURED, quantity)}


def distance(one, other, box):
    """Distance of two atoms in a periodic box."""
    return math.hypot(*(min(abs(a - b) % edge, edge - abs(a - b) % edge)
                        for a, b, edge in zip(one[1:], other[1:], box)))


@pytest.mark.parametrize("name", ("water1", "water8", "water64", "copper256", "paper", "dplr128"))
def test_atoms_have_the_density_of_the_liquid_and_no_two_are_at_one_place(name):
    case = CASES[name]
    box, atoms = deepmd_cases.atoms_of(case)
    assert len(atoms) == case.atoms == len(set(atoms))
    room = math.prod(box)
    expected = deepmd_cases.VOLUME / 3 if case.model != "copper" else deepmd_cases.CELL**3 / 4
    assert room / len(atoms) == pytest.approx(expected)
    assert min(distance(a, b, box) for a, b in itertools.combinations(atoms[:90], 2)) > 0.9
    assert deepmd_cases.atoms_of(case) == (box, atoms)


def test_molecules_are_water():
    _, atoms = deepmd_cases.atoms_of(CASES["water8"])
    for oxygen, first, second in zip(*(atoms[k::3] for k in range(3))):
        assert [oxygen[0], first[0], second[0]] == [1, 2, 2]
        bonds = [[b - a for a, b in zip(oxygen[1:], hydrogen[1:])] for hydrogen in (first, second)]
        assert [math.hypot(*bond) for bond in bonds] == pytest.approx([deepmd_cases.BOND] * 2)
        cosine = sum(a * b for a, b in zip(*bonds)) / deepmd_cases.BOND**2
        assert math.degrees(math.acos(cosine)) == pytest.approx(deepmd_cases.ANGLE)


def test_a_script_loads_the_plug_in_of_deepmd_kit_for_its_side_alone(tmp_path):
    case = CASES["water64"]
    kit, ours = Way("deepmd-kit", True), Way("double", False, 2)
    first, second = (deepmd_cases.script_of(case, way, tmp_path / "data", "m.pb", "kit.so", tmp_path / "f")
                     for way in (kit, ours))
    assert first == "plugin load kit.so\n" + second and kit.words == () and "threadpool" in ours.words
    assert second.count("\nrun ") == 3 and "\nrun 4\nrun 40\n" in second
    assert "precision" in Way("mixed", False, mixed=True).words


def test_the_data_file_has_all_atoms_and_masses(tmp_path):
    deepmd_cases.write_data(tmp_path / "data", CASES["water2"])
    text = (tmp_path / "data").read_text(encoding="utf-8")
    assert "6 atoms" in text and "2 atom types" in text and "1 15.999" in text
    assert len(text.partition("Atoms\n\n")[2].splitlines()) == 6


def test_each_oxygen_of_long_range_forces_has_a_center_with_a_bond_and_the_box_no_charge(tmp_path):
    case = CASES["dplr16"]
    deepmd_cases.write_data(tmp_path / "data", case)
    text = (tmp_path / "data").read_text(encoding="utf-8")
    atoms = [line.split() for line in text.partition("Atoms\n\n")[2].partition("\n\n")[0].splitlines()]
    bonds = [line.split() for line in text.partition("Bonds\n\n")[2].splitlines()]
    assert case.atoms == 48 and len(atoms) == 64 and len(bonds) == 16
    assert sum(float(atom[3]) for atom in atoms) == 0.0
    for _, kind, oxygen, center in bonds:
        one, other = atoms[int(oxygen) - 1], atoms[int(center) - 1]
        assert kind == "1" and [one[2], other[2]] == ["1", "3"] and one[1] == other[1] and one[4:] == other[4:]


def test_long_range_forces_have_the_same_commands_on_both_sides(tmp_path):
    case = CASES["dplr128"]
    first, second = (deepmd_cases.script_of(case, way, tmp_path / "data", "m.pb", "kit.so", "f")
                     for way in case.ways[:2])
    assert first == "plugin load kit.so\n" + second
    for words in ("pppm/dplr", "mesh 48 24 24", "fix wannier all dplr model m.pb", "pair_style deepmd m.pb"):
        assert words in second
    assert [way.ranks for way in case.ways] == [2, 2, 2]


def test_ratios_are_taken_within_rounds():
    summary = deepmd.summarize(MEASURED, "pair")
    assert summary["deepmd-kit"]["median"] == 1100.0
    assert summary["double"]["speedup"] == {"median": 4.0, "min": 4.0, "max": 5.0}
    assert summary["mixed"]["speedup"]["max"] == pytest.approx(1200 / 110)
    assert deepmd.summarize(MEASURED, "step")["double"]["median"] == 500.0


def test_other_first_results_are_refused():
    double, mixed = Way("double", False), Way("mixed", False, mixed=True)
    first = (-10.0, [[1.0, 0.0, -2.0], [0.0, 0.5, 3.0]])
    near = (-10.0 + 1e-6, [[1.0, 1e-6, -2.0], [0.0, 0.5, 3.0]])
    assert deepmd.compare("water1", double, first, first) == [0.0, 0.0]
    assert deepmd.compare("water1", mixed, first, near) == pytest.approx([5e-7, 1e-6])
    with pytest.raises(shell.Failure, match="water1: first results of double differ"):
        deepmd.compare("water1", double, first, near)
    for wrong in ((-10.0, first[1][:1]), (math.nan, first[1]), (-10.0, [[1.0, 0.0, -2.0], [0.0, 0.5, math.nan]])):
        with pytest.raises(shell.Failure, match="differ"):
            deepmd.compare("water1", mixed, first, wrong)


def test_forces_are_read_from_a_dump(tmp_path):
    (tmp_path / "f").write_text("ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n2\n"
                                "ITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\n"
                                "ITEM: ATOMS id fx fy fz\n1 0.5 0 -1\n2 1e-3 2 3\n", encoding="utf-8")
    assert deepmd.read_forces(tmp_path / "f") == [[0.5, 0.0, -1.0], [1e-3, 2.0, 3.0]]


def test_wrong_requests_are_explained(tmp_path):
    class Options:
        cases, pairs, deepmd = "water1,lj864", 3, tmp_path
    with pytest.raises(shell.Failure, match="with --deepmd the cases are water1"):
        deepmd.command(Options)
    Options.cases, Options.pairs = "water1", 0
    with pytest.raises(shell.Failure, match="at least one round"):
        deepmd.command(Options)
    Options.pairs = 1
    with pytest.raises(shell.Failure, match="(?s)no bin/dp and no .*install_deepmd_kit.py"):
        deepmd.command(Options)


def test_an_installation_is_found(tmp_path):
    for name in ("bin", "lib/python3.11/site-packages/deepmd/lib", "deepmd_kit-3.2.0/source/lmp"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "bin" / "dp").touch()
    kit = deepmd_kit.DeepmdKit(tmp_path)
    assert kit.version == "3.2.0" and kit.sources == tmp_path / "deepmd_kit-3.2.0" / "source"
    assert kit.variables["LD_LIBRARY_PATH"] == str(tmp_path / "lib/python3.11/site-packages/tensorflow")


def test_table_and_picture_show_every_case(tmp_path, capsys):
    about = {"ranks": 2, "pairs": 3, "lammps": "4Feb2025", "processor": "test", "deepmd-kit": "3.2.0"}
    result = {"about": about,
              "cases": {"water8": case_of(), "copper256": case_of(), "paper": case_of("step")}}
    deepmd.print_tables(result)
    table = capsys.readouterr().out
    assert table.count("4.00 (4.00-5.00)") == 3 and "45.8" in table and "paper: 24 atoms" in table
    assert "172.80 ns/day" in table
    pytest.importorskip("matplotlib")
    check_picture(tmp_path, result, "plot_deepmd")
