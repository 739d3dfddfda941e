# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench --gromacs: the same atoms on both sides, logs, comparison of first energies; without GROMACS."""

import math

import pytest
from tofulib import gromacs, gromacs_cases, shell

DATA = """\
LAMMPS data file

6 atoms
2 atom types

-1.0 9.0 xlo xhi
0.0 10.0 ylo yhi
2.0 12.0 zlo zhi

Atoms # full

4 2 1 -0.8476 0.5 1.0 3.0 0 0 0
2 1 2 0.4238 -0.5 2.0 3.0 1 0 0
1 1 1 -0.8476 8.5 2.0 3.0 0 0 0
3 1 2 0.4238 8.5 2.0 11.9 0 0 0
5 2 2 0.4238 1.5 1.0 3.0 0 0 0
6 2 2 0.4238 0.5 2.0 3.0 0 0 0

Velocities

1 0.01 0 0
2 0 0.02 0
3 0 0 -0.03
4 0 0 0
5 0 0 0
6 0 0 0

Bonds

1 1 1 2
"""

LOG = """\
           Step           Time
              0        0.00000

   Energies (kJ/mol)
        LJ (SR)   Coulomb (SR)   Coul. recip.      Potential    Kinetic En.
    3.10000e+04   -2.10000e+05    1.00000e+03   -1.78000e+05    3.00000e+04
   Total Energy
   -1.48000e+05

   Energies (kJ/mol)
        LJ (SR)   Coulomb (SR)   Coul. recip.      Potential    Kinetic En.
    3.00000e+04   -2.00000e+05    1.00000e+03   -1.69000e+05    3.00000e+04

               Core t (s)   Wall t (s)        (%)
       Time:        1.200        0.500      199.8
"""


def test_molecules_are_whole_and_in_order_of_their_ids():
    box, atoms = gromacs_cases.read_data(DATA)
    assert box == pytest.approx([1.0, 1.0, 1.0]) and len(atoms) == 6
    places, speeds = zip(*atoms)
    assert places[0] == pytest.approx([0.95, 0.2, 0.1])
    assert places[1] == pytest.approx([1.05, 0.2, 0.1])     # across the boundary, beside its oxygen
    assert places[2] == pytest.approx([0.95, 0.2, -0.01])
    assert speeds[1] == pytest.approx([0.0, 2.0, 0.0])      # 0.02 Angstrom/fs


def test_a_file_of_atoms_has_nine_digits_and_fixed_columns():
    text = gromacs_cases.g96([("SOL", "OW"), ("SOL", "HW1")], [[1.0, 2.5, -0.1], [0.123456789, 0.0, 10.0]],
                             [3.0, 4.0, 5.0], 2)
    lines = text.splitlines()
    assert lines[4] == "    1 SOL   OW         1    1.000000000    2.500000000   -0.100000000"
    assert lines[5][24:39] == "    0.123456789" and lines[-2].split() == ["3.000000000", "4.000000000", "5.000000000"]
    assert "VELOCITY" not in text


def test_the_liquid_is_that_of_the_benchmark():
    case = gromacs_cases.lj_case(None)
    lines = case.files["start.g96"].splitlines()
    edge = float(lines[-2].split()[0]) / gromacs_cases.SIGMA
    assert 32000 / edge**3 == pytest.approx(0.8442)
    assert lines.index("END", 4) - lines.index("POSITION") - 1 == 32000
    assert "rvdw = 0.85" in case.files["run.mdp"]
    # the unit of time: a step of 0.005
    step = float(case.files["run.mdp"].partition("dt = ")[2].split()[0])
    assert step == pytest.approx(0.005 * 0.34e-9 * math.sqrt(0.039948 / 996.0) * 1e12, rel=1e-6)
    assert "run @steps@" in case.script and "@skin@" in case.script


def test_time_and_first_energy_are_read_from_the_log():
    assert gromacs.read_gromacs(LOG, 100) == (5000.0, -178000.0)
    with pytest.raises(shell.Failure, match="no time"):
        gromacs.read_gromacs(LOG.partition("Core")[0], 100)
    with pytest.raises(shell.Failure, match="no potential energy"):
        gromacs.read_gromacs(LOG.replace("Potential", "Other"), 100)


def test_sides_that_compute_something_else_are_refused():
    gromacs.compare("lj32000", {"gromacs 1x2": -100.0, "mixed 2x1": -100.1})
    for wrong in (-101.0, 100.0, math.nan):
        with pytest.raises(shell.Failure, match="the first potential energy of mixed 2x1"):
            gromacs.compare("lj32000", {"gromacs 1x2": -100.0, "mixed 2x1": wrong})


def test_the_best_way_of_each_side_counts_and_ratios_are_those_of_rounds():
    summary = gromacs.summarize({"gromacs 2x1": [100.0, 120.0, 110.0], "gromacs 1x2": [200.0, 200.0, 200.0],
                                 "double 2x1": [100.0, 100.0, 100.0], "mixed 2x1, skin 1.0": [90.0, 90.0, 90.0],
                                 "mixed 1x2, skin 2.0": [50.0, 40.0, 55.0]})
    assert summary["mixed"] == {"way": "mixed 1x2, skin 2.0", "time": 50.0, "median": 2.0, "min": 2.0, "max": 3.0}
    assert summary["gromacs"]["way"] == "gromacs 2x1" and summary["double"]["median"] == pytest.approx(1.1)


def test_one_rank_leaves_a_core_to_the_long_range_part_beside_pairs():
    case = gromacs_cases.lj_case(None)._replace(charges=True, skins=("1.0", "2.0"))
    ways = gromacs.ways_of(case)
    assert len(ways) == len({way.name for way in ways}) == 2 + 2 * 2 * 2 * 2 * 2
    assert {gromacs.threads_of(way) for way in ways if way.ranks == 1 and "overlap yes" in way.kspace} == {1}
    assert {gromacs.threads_of(way) for way in ways if way.ranks == 1 and "overlap no" in way.kspace} == {2}
    assert [way.name for way in gromacs.ways_of(gromacs_cases.lj_case(None))][2] == "double 2x1, skin 0.3"
