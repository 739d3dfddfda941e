# SPDX-License-Identifier: GPL-2.0-only
"""Neighbor lists whose rows wait until they are needed, with the suffix /threadpool and mixed precision."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Dict

import numpy as np
import pytest

from charged_systems import WATER
from lammps_output import read_snapshot, read_thermo
from lammps_run import Variant, threadpool
from small_systems import MOLECULES
from suffix_runs import SOLVED, largest_difference

SYSTEMS: Dict[str, str] = {
    "charges": SOLVED,
    "newton off": "newton off\n" + SOLVED,
    "triclinic": SOLVED.replace("region box block 0 5 0 5 0 5", "region box prism 0 5 0 5 0 5 1.3 -0.8 0.6"),
    "not periodic": SOLVED.replace("pppm 1e-4", "pppm 1e-4\nkspace_modify slab 3.0").replace(
        "region box block 0 5 0 5 0 5", "boundary p p f\nregion box block 0 5 0 5 0 7").replace(
            "create_atoms 1 box", "region lower block 0 5 0 5 0.5 5.5\ncreate_atoms 1 region lower"),
    "molecules, switched": MOLECULES.replace("lj/charmm/coul/charmm 5.0 6.0", "lj/charmm/coul/long 5.0 6.0")
    + "kspace_style pppm 1e-4\n",
    "water": WATER.replace("{kspace}", "kspace_style pppm 1e-4"),
}
LISTS = re.compile(r"TOFU threadpool: (\d+) neighbor lists of clusters of atoms, (\d+) of them with rows as well")
HELD = ("f_held[1]", "f_held[2]", "f_held[3]")


def held_forces(every: int, step: int, path: Path) -> str:
    """Commands that write the forces of a step without energies, the last multiple of every before step: in that step
    itself a dump has LAMMPS ask for energies, whose forces are not those of clusters."""
    return (f"fix held all store/state {every} fx fy fz\ndump forces all custom {step} {path}.* id {' '.join(HELD)}\n"
            "dump_modify forces sort id format float %.17g\n")


def run(servers, variant: Variant, ranks: int, precision: str, script: str) -> str:
    """Output of a script under the step loop of the suffix."""
    command = replace(variant, package=("precision", precision)).command
    return servers.server(ranks, variant).run(f"suffix threadpool\nclear\n{command}\n{script}")


def has_clusters() -> bool:
    """Whether this processor has vectors for clusters."""
    return "avx2" in Path("/proc/cpuinfo").read_text(encoding="utf-8")


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("parts,comm,ranks", ((1, "brick", 1), (1, "p2p/rdma", 2), (2, "brick", 3), (3, "p2p/rdma", 1)))
def test_forces_energies_and_lists_are_those_of_double_precision(servers, tmp_path, system, parts, comm, ranks):
    """Lists are built in every seventh step; energies are wanted some steps after that, and rows counted at the end."""
    found = {}
    for name, precision in (("double", "double"), ("mixed", "mixed"), ("again", "mixed")):
        output = run(servers, threadpool(parts, comm), ranks, precision,
                     f"{SYSTEMS[system]}neigh_modify every 7\nthermo_style custom step pe press\nthermo 18\n"
                     f"{held_forces(11, 24, tmp_path / name)}run 104\n")
        found[name] = (read_snapshot(tmp_path / f"{name}.24").columns, read_thermo(output)[-1].columns,
                       int(re.search(r"Total # of neighbors = (\d+)", output).group(1)), LISTS.search(output))
    forces, energies, nneighbors, lists = (list(pair) for pair in zip(*found.values()))
    for column in HELD:
        assert 1e-9 < largest_difference(forces[0][column], forces[1][column]) < 2e-4
        assert np.array_equal(forces[1][column], forces[2][column])
    double, mixed = (columns["PotEng"][:5] for columns in energies[:2])
    assert np.allclose(double, mixed, rtol=0.0, atol=2e-5 * np.max(np.abs(double)))
    assert abs(nneighbors[1] - nneighbors[0]) <= 1e-3 * nneighbors[0]
    assert not lists[0]
    if has_clusters():
        assert int(lists[1].group(1)) > int(lists[1].group(2)) > 0


def test_the_last_list_of_a_run_has_rows_though_no_step_needed_them(servers):
    """LAMMPS counts its neighbors then."""
    script = f"{SOLVED}thermo_style custom step temp\nthermo 1000\nrun 101\n"
    output = [run(servers, threadpool(2, "p2p/rdma"), 2, precision, script) for precision in ("double", "mixed")]
    double, mixed = (int(re.search(r"Total # of neighbors = (\d+)", one).group(1)) for one in output)
    assert abs(mixed - double) <= 1e-3 * double
    if has_clusters():
        assert int(LISTS.search(output[1]).group(2)) == 1


@pytest.mark.parametrize("reader", (
    "compute near all coord/atom cutoff 0.8\ncompute sum all reduce sum c_near\n",
    "compute near all pair/local dist\ncompute sum all reduce sum c_near inputs local\n",
    "group even id 2 4 6 8 10 12 14 16\ngroup odd id 1 3 5 7 9 11 13 15\ncompute sum even group/group odd\n",
    "neigh_modify exclude type 1 2\ncompute sum all reduce sum x\n",
    "fix program all external pf/array 1\ncompute sum all reduce sum x\n",
    "fix ring all ring/balance 1 1.0\ncompute sum all reduce sum x\n",
), ids=("own list", "pairs of the list", "groups", "exclusions", "a program", "rows of other ranks"))
def test_what_reads_lists_finds_rows(servers, tmp_path, reader):
    """Computes that have the pair style's list, programs that may read it, and pairs that are left out."""
    found = []
    for precision in ("double", "mixed"):
        output = run(servers, threadpool(1, "p2p/rdma"), 2, precision,
                     f"{SOLVED}{reader}thermo_style custom step pe c_sum\n"
                     f"fix sums all ave/time 1 1 1 c_sum file {tmp_path / precision}\nthermo 7\nrun 104\n")
        assert "coord/atom" in reader or not LISTS.search(output)
        sums = np.loadtxt(tmp_path / precision)[:15, 1]
        found.append((read_thermo(output)[-1].columns["PotEng"][:3], sums))
    for double, mixed in zip(*found):
        assert np.allclose(double, mixed, rtol=1e-4, atol=1e-4 * np.max(np.abs(double)))


def test_lists_of_a_minimization_and_of_other_step_loops_have_rows(servers, tmp_path):
    """After a run whose rows waited; only lists of runs without rows are counted."""
    output = run(servers, threadpool(1, "p2p/rdma"), 2, "mixed",
                 f"{SOLVED}thermo_style custom step pe\nthermo 100\nrun 100\n"
                 "minimize 0.0 1e-3 20 40\nrun 100\nrun 100 pre no\nrun 4 pre no post no\nrun 4\n")
    if has_clusters():
        # the second is that of minimize

        builds = [int(number) for number in re.findall(r"Neighbor list builds = (\d+)", output)]
        assert [int(number) for number, _ in LISTS.findall(output)][:2] == [builds[0], builds[2]]
    energies = [table.columns["PotEng"][-1] for table in read_thermo(output)]
    assert np.all(np.isfinite(energies)) and energies[1] < energies[0]


def test_a_list_that_lammps_builds_after_one_whose_rows_waited_has_nothing_of_it(servers, tmp_path):
    """With neigh_modify include the list is LAMMPS' own. Two slabs that were apart touch each other by then, with as
    many ghosts as before."""
    found = {}
    for precision in ("double", "mixed"):
        output = run(servers, threadpool(1), 1, precision,
                     f"{SYSTEMS['not periodic']}region upper block INF INF INF INF 3.1 INF\ngroup upper region upper\n"
                     f"displace_atoms upper move 0 0 1.2\ntimestep 0.0\nthermo_style custom step pe\nthermo 100\n"
                     f"run 100\ndisplace_atoms upper move 0 0 -1.2\ngroup both type 1 2\n"
                     f"atom_modify first both\nneigh_modify include both\n"
                     f"{held_forces(7, 15, tmp_path / precision)}run 20\n")
        found[precision] = read_snapshot(tmp_path / f"{precision}.120").columns
        assert bool(LISTS.search(output)) == (precision == "mixed" and has_clusters())
    for column in HELD:
        assert largest_difference(found["double"][column], found["mixed"][column]) < 1e-4
