# SPDX-License-Identifier: GPL-2.0-only
"""kspace_style pppm/offload gives the results of pppm with the same mesh, for any transform, number of ranks, number of
threads and backend."""

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Dict, List, Tuple

import numpy as np
import pytest

from charged_systems import SALT, SLAB, TILTED_SALT, WATER, water
from lammps_output import Snapshot, ThermoTable, read_snapshot, read_thermo
from lammps_run import BRICK, SHM, Variant, run, run_script, shuffled, threadpool
from lammps_server import CaseFailed
from small_systems import LJ, dump
from stock_inputs import StockInput, expect_comparison_means_something, expect_same_physics, run_stock_input

ACCURACY = "1e-4"
MESH = "mesh 12 15 16 order 5 gewald 0.4"
"""Mesh with a given gewald: with diff ad, pppm's own search for gewald stops at a value whose ninth digit depends on
the number of ranks."""

FORCES = ("fx", "fy", "fz")


@dataclass(frozen=True)
class Way:
    """One way to compute.

    Args:
        ranks: MPI ranks.
        words: keywords of kspace_modify that only pppm/offload has.
        variant: comm style and suffix.
        environment: more variables; "TOFU_NODE_SIZE": "2" means two ranks per node.
    """

    ranks: int
    words: str = ""
    variant: Variant = BRICK
    environment: Tuple[Tuple[str, str], ...] = ()

    def __str__(self) -> str:
        extra = "".join(f"-{name[5:].lower()}-{value}" for name, value in self.environment)
        return f"{self.ranks}-{self.variant}-{self.words.replace(' ', '-')}{extra}"


STOCK = Way(1)
"""The way with which all others are compared: pppm on one rank."""

TWO_TO_A_NODE = (("TOFU_NODE_SIZE", "2"),)
ALONE_ON_A_NODE = (("TOFU_NODE_SIZE", "1"),)

WAYS = (
    Way(1, "fft partial"),
    Way(1, "fft pencil", threadpool(2)),
    Way(1, "fft replicated overlap no"),
    Way(2, "fft partial chain direct", threadpool(1, "p2p/rdma")),
    Way(2, "fft partial chain ring"),
    Way(2, "fft pencil", SHM),
    Way(2, "fft replicated", threadpool(2)),
    Way(2, "fft auto"),
    Way(3, "fft partial chain ring", threadpool(2)),
    Way(3, "fft pencil overlap no"),
    Way(3, "fft replicated"),
    Way(4, "fft partial chain direct gather node", environment=TWO_TO_A_NODE),
    Way(4, "fft partial chain ring", environment=ALONE_ON_A_NODE),
    Way(4, "fft pencil", SHM, ALONE_ON_A_NODE),
    Way(4, "fft pencil gather node", threadpool(1)),
    Way(8, "fft partial overlap no"),
    Way(8, "fft pencil"),
    Way(8, "fft replicated gather node", environment=TWO_TO_A_NODE),
)
SOME_WAYS = (WAYS[3], WAYS[9], WAYS[14])
"""Ways on 2, 3 and 4 ranks, each with another transform."""


ALWAYS = "overlap/always yes"
"""Words of kspace_modify: systems are small, and there are more ranks than cores."""


def kspace(way: Way, settings: str, accuracy: str = ACCURACY, overlap: str = ALWAYS) -> str:
    """The commands that choose the long-range part: pppm for STOCK, else pppm/offload with `settings`, `overlap` and
    the words of the way."""
    words = [settings] if way is STOCK else [settings, overlap, way.words]
    style = "pppm" if way is STOCK else "pppm/offload"
    return f"kspace_style {style} {accuracy}" + "".join(f"\nkspace_modify {word}" for word in words if word)


ANALYSIS = """\
compute e all pe/atom kspace
compute s all stress/atom NULL kspace
compute ee all reduce sum c_e
compute ss all reduce sum c_s[*]
compute p all pressure NULL kspace
thermo_style custom step elong pe press c_p c_p[*] c_ee c_ss[*]
thermo_modify norm no format float %.17g
thermo 4
"""
PER_ATOM = ("c_e", *(f"c_s[{k}]" for k in range(1, 7)))

SCALES = (("E_long", "c_ee"), ("PotEng",), ("Press",), ("c_p", *(f"c_p[{k}]" for k in range(1, 7))),
          tuple(f"c_ss[{k}]" for k in range(1, 7)),
          FORCES, ("c_e",), PER_ATOM[1:])
"""Groups of columns whose differences are relative to the largest value of the group; any other column is its own
group."""


@dataclass
class Result:
    """Result of a run: thermo tables, snapshots in the order of their file names, and the whole output."""

    thermo: List[ThermoTable]
    snapshots: List[Snapshot]
    output: str


def difference(expected: Dict[str, np.ndarray], found: Dict[str, np.ndarray]) -> Dict[str, float]:
    """Largest difference of each column, relative to the largest value of its group in SCALES."""
    errors = {}
    for name, values in expected.items():
        if name in ("CPU", "CPULeft", "id", "x", "y", "z"):
            continue
        group = next((names for names in SCALES if name in names), (name,))
        scale = max(np.max(np.abs(expected[one])) for one in group if one in expected)
        error = np.max(np.abs(found[name] - values)) / scale if scale > 0.0 else np.max(np.abs(found[name]))
        errors[name] = np.inf if np.isnan(error) else float(error)
    return errors


def too_different(expected: Result, found: Result, first: float, later: float) -> List[str]:
    """Lines about differences that are larger than allowed, in the first row and snapshot, and in later ones."""
    assert [table.nrows for table in expected.thermo] == [table.nrows for table in found.thermo]
    assert len(expected.snapshots) == len(found.snapshots) > 0
    pairs = []
    for number, (one, other) in enumerate(zip(expected.thermo, found.thermo)):
        for row in range(one.nrows):
            columns = [{name: values[row : row + 1] for name, values in table.columns.items()}
                       for table in (one, other)]
            pairs.append((f"run {number} row {row}", number == row == 0, *columns))
    for number, (one, other) in enumerate(zip(expected.snapshots, found.snapshots)):
        pairs.append((f"snapshot {number}", number == 0, one.columns, other.columns))
    return [f"{where}: {name} {error:.1e}" for where, start, one, other in pairs
            for name, error in difference(one, other).items()
            if not error <= (first if start else later)]


def compute(servers, system: str, settings: str, way: Way, folder: Path, analysis: str = ANALYSIS,
            columns=(*FORCES, *PER_ATOM), steps: int = 8) -> Result:
    """Run the first step and some more; not all of them need energies, and not all of them need a pressure."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / "0.dump", folder / "1.dump"]
    script = "\n".join([way.variant.command, system.replace("{kspace}", kspace(way, settings)), analysis, "run 0",
                        dump(paths[0], columns=" ".join(columns)),
                        *([f"run {steps}", dump(paths[1], columns=" ".join(columns))] if steps else [])])
    output = servers.server(way.ranks, way.variant, dict(way.environment)).run(script)
    return Result(read_thermo(output), [read_snapshot(path) for path in paths if path.exists()], output)


@pytest.fixture(scope="module")
def pppm(servers, tmp_path_factory):
    """Results of pppm on one rank, each computed once; arguments as those of compute() without the way."""
    known: Dict[tuple, Result] = {}

    def result(system: str, settings: str, *more) -> Result:
        key = (system, settings, *more)
        if key not in known:
            known[key] = compute(servers, system, settings, STOCK, tmp_path_factory.mktemp("pppm"), *more)
        return known[key]

    return result


CASES: Dict[str, Tuple[str, str]] = {
    "salt": (SALT, MESH),
    "salt, diff ad": (SALT, MESH + " diff ad"),
    "water": (WATER, MESH),
    "water, diff ad": (WATER, "mesh 10 9 16 order 4 diff ad gewald 0.4"),
    "slab": (SLAB, "mesh 12 15 32 order 5 slab 3.0"),
    "tilted salt": (TILTED_SALT, MESH),
}
"""Systems and words of kspace_modify."""
WRONG_IN_PPPM = {"slab, diff ad": (SLAB, "slab 3.0 diff ad")}
"""A case in which forces along z of pppm are too large by the factor of the slab: fieldforce_ad() divides by the height
of the box, not of the slab."""


def same_as_pppm(servers, pppm, case: Tuple[str, str], way: Way, folder: Path, *more) -> Result:
    """Expect the same energies, pressure, forces, and energies and virials of atoms: to 1e-10 at the start, to 1e-8
    later."""
    expected, found = pppm(*case, *more), compute(servers, *case, way, folder, *more)
    assert np.max(np.abs(expected.thermo[0].columns["E_long"])) > 1.0
    assert not too_different(expected, found, 1e-10, 1e-8)
    return found


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("name", ("salt", "water, diff ad"))
def test_same_as_pppm(servers, pppm, tmp_path, name, way):
    same_as_pppm(servers, pppm, CASES[name], way, tmp_path)


ALL_RANKS = {1: WAYS[1], 2: WAYS[5], 3: WAYS[8], 4: WAYS[14], 8: WAYS[15]}
"""A way for each number of ranks, with another transform, backend, number of threads or gather."""


@pytest.mark.parametrize("way", ALL_RANKS.values(), ids=str)
def test_same_as_pppm_in_a_triclinic_box(servers, pppm, tmp_path, way):
    """To more digits than in other cases."""
    expected, found = pppm(TILTED_SALT, MESH), compute(servers, TILTED_SALT, MESH, way, tmp_path)
    assert not too_different(expected, found, 1e-12, 1e-9)


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("mesh", ("", "mesh 9 15 25", "mesh 12 10 8 order 7"))
def test_same_as_pppm_in_a_triclinic_box_with_other_meshes(servers, pppm, tmp_path, mesh, way):
    same_as_pppm(servers, pppm, (TILTED_SALT, mesh and f"{mesh} gewald 0.4"), way, tmp_path)


@pytest.mark.parametrize("way", SOME_WAYS, ids=str)
@pytest.mark.parametrize("name", [name for name in CASES if name not in ("salt", "water, diff ad")])
def test_same_as_pppm_with_other_settings(servers, pppm, tmp_path, name, way):
    same_as_pppm(servers, pppm, CASES[name], way, tmp_path)


@pytest.mark.parametrize("diff", ("ik", "ad"))
@pytest.mark.parametrize("order", range(2, 8))
def test_same_for_every_order(servers, pppm, tmp_path, order, diff):
    """The transforms take turns."""
    same_as_pppm(servers, pppm, (SALT, f"{MESH} order {order} diff {diff}"), SOME_WAYS[order % 3], tmp_path)


@pytest.mark.parametrize("order", range(2, 8))
def test_same_for_every_order_in_a_triclinic_box(servers, pppm, tmp_path, order):
    same_as_pppm(servers, pppm, (TILTED_SALT, f"{MESH} order {order}"), SOME_WAYS[(order + 1) % 3], tmp_path)


OTHER_CASES: Dict[str, Tuple[str, str]] = {
    "mesh chosen by accuracy": (SALT, ""),
    "mix/disp geom": (SALT, MESH + " mix/disp geom"),
    "gewald": (SALT, "mesh 12 15 16 gewald 0.47"),
    "odd mesh": (SALT, "mesh 9 15 25 order 5"),
    "a net charge": (SALT.replace("{kspace}", "set atom 7 charge 1.7\n{kspace}"), MESH),
    "a slab with a net charge": (SLAB.replace("{kspace}", "set atom 7 charge 1.7\n{kspace}"),
                                 "mesh 12 15 32 order 5 slab 3.0"),
    "newton off": (SALT.replace("units real\n", "units real\nnewton off\n"), MESH),
    "hybrid/overlay": (SALT.replace("pair_style lj/cut/coul/long 7.0",
                                    "pair_style hybrid/overlay lj/cut/coul/long 7.0 morse 4.0").replace(
        "pair_coeff 1 1", "pair_coeff 1 1 lj/cut/coul/long").replace(
            "pair_coeff 2 2", "pair_coeff 1 2 morse 0.5 2.0 2.8\npair_coeff 2 2 lj/cut/coul/long"), MESH),
    "a pair style that is not accelerated": (
        SALT.replace("pair_style lj/cut/coul/long 7.0", "pair_style born/coul/long 7.0").replace(
        "0.3526 2.16", "6.08 0.317 2.34 24.18 11.51").replace("pair_coeff 2 2 0.0128 4.83",
                                                              "pair_coeff 1 2 4.87 0.317 2.755 161.3 200.1\n"
        "pair_coeff 2 2 3.65 0.317 3.17 1669.0 3354.0").replace("pair_modify mix arithmetic\n", ""), MESH),
    "a rank without atoms": (SALT.replace("create_atoms 1 box",
                                          "region low block 0 3 0 3 0 1\ncreate_atoms 1 region low").replace(
        "region box", "processors 1 1 *\nregion box"), MESH),
    "a triclinic box and a mesh chosen by accuracy": (TILTED_SALT, ""),
    "a triclinic box and images of a coarse mesh": (TILTED_SALT, "mesh 4 4 5 order 3 gewald 0.5"),
    "a triclinic box without tilts": (SALT.replace("{kspace}", "change_box all triclinic\n{kspace}"), MESH),
    "a triclinic box, a net charge, newton off": (
        TILTED_SALT.replace("units real\n", "units real\nnewton off\n").replace(
            "{kspace}", "set atom 7 charge 1.7\n{kspace}"), "mesh 9 15 25 order 5"),
    "ranks in one row, more than planes": (SALT.replace("region box", "processors * 1 1\nregion box"),
                                           "mesh 2 15 16 order 2"),
}


@pytest.mark.parametrize("name", OTHER_CASES)
def test_same_with_what_else_pppm_takes(servers, pppm, tmp_path, name):
    """Ways take turns; the way with eight ranks has more ranks than there are planes."""
    number = list(OTHER_CASES).index(name)
    way = WAYS[16] if "planes" in name else SOME_WAYS[number % 3]
    same_as_pppm(servers, pppm, OTHER_CASES[name], way, tmp_path)


@pytest.mark.parametrize("words", ("fft partial chain direct", "fft partial chain ring", "fft replicated"))
def test_more_ranks_than_planes(servers, pppm, tmp_path, words):
    same_as_pppm(servers, pppm, OTHER_CASES["ranks in one row, more than planes"], Way(8, words), tmp_path)


def test_ranks_without_a_part_of_the_spectrum(servers, pppm, tmp_path):
    """Of four ranks in a row, one gets no part of a dimension that has three outputs."""
    system = SALT.replace("region box", "processors 1 1 *\nregion box")
    same_as_pppm(servers, pppm, (system, "mesh 4 4 5 order 3 gewald 0.3"), Way(4, "fft partial"), tmp_path)


GROUPS = """\
compute g sodium group/group chloride kspace yes
compute k sodium group/group sodium pair no kspace yes
compute b all group/group all boundary no kspace yes
thermo_style custom step elong c_g c_g[*] c_k c_k[*] c_b
thermo_modify norm no format float %.17g
thermo 4
"""


@pytest.mark.parametrize("way", SOME_WAYS, ids=str)
@pytest.mark.parametrize("name", ("salt", "slab", "tilted salt"))
def test_groups_act_on_each_other_as_with_pppm(servers, pppm, tmp_path, name, way):
    found = compute(servers, *CASES[name], way, tmp_path, GROUPS, FORCES)
    expected = pppm(*CASES[name], GROUPS, FORCES)
    for one, other in zip(expected.thermo, found.thermo):
        for column in ("c_g", "c_k", "c_b"):
            forces = [f"{column}[{k}]" for k in (1, 2, 3) if f"{column}[{k}]" in one.columns]
            assert np.allclose(other.columns[column], one.columns[column], rtol=1e-9)
            # forces on a whole group cancel: their scale is that of single forces
            assert all(np.allclose(other.columns[force], one.columns[force], rtol=0,
                                   atol=1e-8 * np.max(np.abs(expected.snapshots[0].forces))) for force in forces)


# LAMMPS' own inputs

PEPTIDE = StockInput("examples/peptide/in.peptide", steps=10, start=1e-10)
RHODO = StockInput("bench/in.rhodo", steps=4, start=1e-10)


def with_offload(words: str):
    """A function that edits an input script so that it uses pppm/offload."""
    return lambda text: re.sub(r"^(kspace_style\s+pppm)(\s.*)$", rf"\1/offload\2\nkspace_modify {ALWAYS} {words}", text,
                               count=1, flags=re.MULTILINE)


@pytest.mark.full
@pytest.mark.parametrize("stock,ways", ((PEPTIDE, SOME_WAYS), (RHODO, (WAYS[3],))), ids=("peptide", "rhodo"))
def test_stock_input_is_the_same(installation, tmp_path, stock, ways):
    """The input rhodo has a barostat: the box, and with it the mesh, changes in every step."""
    expected = run_stock_input(installation, stock, 2, BRICK, tmp_path / "pppm")
    expect_comparison_means_something(stock, expected)
    for way in ways:
        found = run_stock_input(installation, stock, way.ranks, way.variant, tmp_path / str(way),
                                edit=with_offload(way.words))
        assert "TOFU FFT = " in found.run.output
        expect_same_physics(installation, stock, expected, found)


# against the exact sum

@pytest.mark.parametrize("name", [*CASES, *WRONG_IN_PPPM])
def test_forces_are_those_of_ewald_to_the_stated_accuracy(servers, tmp_path, name):
    """The error is the root mean square over the atoms, relative to the force of two unit charges at a distance of one
    Angstrom."""
    paths = [tmp_path / f"{style}.dump" for style in ("ewald", "offload")]
    system, settings = {**CASES, **WRONG_IN_PPPM}[name]
    slab, diff = (words if words in settings else "" for words in ("slab 3.0", "diff ad"))
    styles = (f"kspace_style ewald 1e-7\nkspace_modify order 5 {slab}",
              f"kspace_style pppm/offload 1e-6\nkspace_modify {ALWAYS} fft pencil order 7 {slab} {diff}")
    energies = []
    for style, path in zip(styles, paths):
        output = servers.server(2, BRICK).run(
            f"{BRICK.command}\n{system.replace('{kspace}', style)}\nthermo_style custom step pe elong\n"
            f"thermo_modify format float %.17g\nrun 0\n{dump(path)}\n")
        energies.append(read_thermo(output)[0].columns)
    expected, found = (read_snapshot(path).forces for path in paths)
    unit = 332.06371
    assert np.sqrt(np.mean(np.sum((found - expected) ** 2, axis=1))) / unit < 2e-6
    assert abs(energies[0]["PotEng"][0] - energies[1]["PotEng"][0]) < 2e-6 * abs(energies[0]["E_long"][0])


# overlap, and the order of messages

REPEATED = {
    "salt": (SALT, MESH),
    "tilted salt at constant stress": (
        TILTED_SALT + "unfix integrate\nfix integrate all npt temp 1500 1500 100 tri 0 0 500\n", MESH),
    "water at constant pressure": (water(2) + "unfix integrate\nfix integrate all npt temp 300 300 100 iso 0 0 500\n",
                                   MESH + " diff ad"),
}


VIRIAL = """\
compute virial all pressure NULL virial
thermo_style custom step pe elong c_virial c_virial[*]
thermo_modify norm no format float %.17g
thermo 7
"""
"""Thermo output without the temperature: its compute, which exists from the start, has the suffix from the second
script of a server on."""


def bits(servers, system: str, settings: str, way: Way, path: Path, shuffle: int = 0) -> str:
    """Velocities and forces after some steps as text with all digits, and the thermo output."""
    chosen = system.replace("{kspace}", kspace(way, settings))
    script = "\n".join([shuffled(way.variant, shuffle).command, chosen, VIRIAL, "run 20",
                        dump(path, columns="vx vy vz fx fy fz")])
    (thermo,) = read_thermo(servers.server(way.ranks, way.variant, dict(way.environment)).run(script))
    columns = [f"{name} {values.tolist()}" for name, values in thermo.columns.items()]
    return "\n".join([*columns, path.read_text()])


@pytest.mark.parametrize("ranks,variant", ((1, threadpool(2)), (2, threadpool(1, "p2p/rdma")), (4, BRICK)), ids=str)
@pytest.mark.parametrize("words", ("fft partial", "fft partial reduce int32", "fft pencil", "fft replicated"))
@pytest.mark.parametrize("name", REPEATED)
def test_with_and_without_overlap_and_once_more_to_the_last_bit(servers, tmp_path, name, words, ranks, variant):
    system, settings = REPEATED[name]
    expected = bits(servers, system, settings, Way(ranks, words + " overlap no", variant), tmp_path / "no")
    for attempt in range(2):
        assert bits(servers, system, settings, Way(ranks, words + " overlap yes", variant),
                    tmp_path / f"{attempt}") == expected


@pytest.mark.parametrize("words", ("fft partial chain direct", "fft partial chain ring", "fft pencil",
                                   "fft replicated"))
def test_order_of_arrival_does_not_show(servers, tmp_path, words):
    way = Way(4, words, SHM)
    assert bits(servers, SALT, MESH, way, tmp_path / "shuffled", 300) == bits(
        servers, SALT, MESH, way, tmp_path / "plain")


def test_sums_of_integers_are_the_same_bits_by_ring_and_direct(servers, tmp_path):
    """Sums of integers do not depend on the order; sums of doubles do."""
    row = SALT.replace("region box", "processors 1 1 *\nregion box")
    for reduce, same in (("int32", True), ("double", False)):
        ring, direct = (bits(servers, row, MESH, Way(4, f"fft partial chain {chain} reduce {reduce}"),
                             tmp_path / chain) for chain in ("ring", "direct"))
        assert (ring == direct) == same


# commands of scripts

SCENARIOS: Dict[str, Tuple[str, str]] = {
    "constant pressure": (SALT, "unfix integrate\nfix integrate all npt temp 1500 1500 100 aniso 0 0 500\nrun 10\n"),
    "a triclinic box at constant stress": (
        TILTED_SALT, "unfix integrate\nfix integrate all npt temp 1500 1500 100 tri 0 0 300\nrun 10\n"),
    "a triclinic box at constant pressure, coupled": (
        TILTED_SALT, "unfix integrate\nfix integrate all nph x 0 0 300 y 0 0 300 z 0 0 300 couple xy xy 0 0 300\n"
        "run 10\n"),
    "a box that shears": (TILTED_SALT, "fix d all deform 1 xy erate 0.003 yz erate -0.002 xz vel 0.01 x scale 1.01\n"
                          "run 10\n"),
    "a minimisation that tilts the box": (TILTED_SALT, "fix relax all box/relax tri 0.0\nminimize 0 0 4 100\n"),
    "the box becomes triclinic and orthogonal again": (
        SALT, "run 3\nchange_box all triclinic\nchange_box all xy final 3.0 xz final -2.0 remap units box\n"
        "{kspace}\nrun 4\nchange_box all yz delta 1.5 remap units box\nrun 3\n"
        "change_box all xy final 0 xz final 0 yz final 0 remap ortho\n{kspace}\nrun 3\n"),
    "balance of a triclinic box": (TILTED_SALT, "group low id 1:60\nset group low vx 0.01\n"
                                   "fix b all balance 3 1.0 shift xz 5 1.01\nrun 10\n"),
    "rRESPA in a triclinic box": (TILTED_SALT, "run_style respa 2 2 pair 1 kspace 2\nrun 6\n"),
    "a box that deforms": (SALT, "fix d all deform 1 x erate 0.002 z scale 1.02\nrun 10\n"),
    "charges change between runs": (SALT, "run 3\nset type 1 charge 0.8\nset type 2 charge -0.8\nrun 5\n"),
    "charges change in every step": (
        SALT, "variable q equal 1.0-0.01*step\nvariable p equal -v_q\nfix a sodium adapt 1 atom charge v_q\n"
                                           "fix b chloride adapt 1 atom charge v_p\nrun 10\n"),
    "charges change in every step, pressure at its own steps": (
        SALT, "variable q equal 1.0-0.01*step\nvariable p equal -v_q\n"
        "fix a sodium adapt 1 atom charge v_q\nfix b chloride adapt 1 atom charge v_p\nthermo 5\nrun 10\n"),
    "only one charge changes in every step": (SALT,
                                              "group one id 17\nvariable q equal 1.0-0.03*step\n"
                                              "fix a one adapt 1 atom charge v_q reset yes\nrun 6\nrun 3\n"),
    "charges change in some steps": (
        SALT, "group one id 17\nvariable q equal 1.0-0.03*step\nfix a one adapt 3 atom charge v_q\nrun 10\n"),
    "coefficients change": (
        SALT, "variable eps equal 0.3+0.01*step\nfix a all adapt 2 pair lj/cut/coul/long epsilon 1 1 v_eps\nrun 8\n"),
    "a minimisation": (SALT, "minimize 0 0 5 100\nrun 3\n"),
    "a minimisation with fire": (SALT, "min_style fire\nminimize 0 0 8 100\n"),
    "a minimisation that changes the box": (SALT, "fix relax all box/relax iso 0.0\nminimize 0 0 4 100\n"),
    "rerun": (SALT,
              "dump d all custom 2 {folder}/d id type x y z\ndump_modify d format float %.17g\nrun 6\nundump d\n"
              "rerun {folder}/d dump x y z box yes\n"),
    "rRESPA": (SALT, "run_style respa 2 2 pair 1 kspace 2\nrun 6\n"),
    "rRESPA and back": (SALT, "run_style respa 2 2 pair 1 kspace 2\nrun 3\nrun_style verlet\nrun 5\n"),
    "balance by shifting cuts": (SALT,
                                 "region r block INF INF INF INF 0 9 units box\ngroup r region r\nset group r vx 0.01\n"
                                       "fix b all balance 3 1.0 shift xz 5 1.01\nrun 10\n"),
    "balance once": (SALT,
                     "run 3\nregion low block INF INF INF INF 0 9 units box\ndelete_atoms region low compress no\n"
                     "balance 1.0 shift xyz 5 1.01\nrun 5\n"),
    "runs without set-up in between": (SALT, "run 4\nrun 4 pre no post no\nrun 6 every 2 NULL\n"),
    "kspace_modify compute no": (SALT, "run 3\nkspace_modify compute no\nrun 5\nkspace_modify compute yes\nrun 5\n"),
    "kspace_modify compute no and yes without set-up": (
        SALT, "kspace_modify compute no\nrun 3\nkspace_modify compute yes\nrun 20 pre no\n"),
    "the mesh changes": (SALT, "run 3\nkspace_modify mesh 18 16 15 order 4\nrun 5\nkspace_modify diff ad\nrun 3\n"),
    "the style is chosen again": (SALT, "run 3\n{kspace}\nrun 5\n"),
    "stock pppm in between": (SALT,
                              "run 3\nkspace_style pppm 1e-4\nkspace_modify mesh 12 12 12\nrun 3\n{kspace}\nrun 3\n"),
    "no kspace in between": (SALT,
                             "run 3\nkspace_style none\npair_style lj/cut/coul/cut 7.0\npair_coeff * * 0.1 3.0\nrun 3\n"
        "pair_style lj/cut/coul/long 7.0\npair_coeff * * 0.1 3.0\n{kspace}\nrun 3\n"),
    "another cut-off": (SALT,
                        "run 3\npair_style lj/cut/coul/long 6.0\npair_coeff 1 1 0.3526 2.16\n"
                        "pair_coeff 2 2 0.0128 4.83\nrun 5\n"),
    "atoms are deleted": (SALT, "run 4\ngroup gone id 1:16\ndelete_atoms group gone compress no\nrun 6\n"),
    "the box is replicated": (SALT, "run 3\nreplicate 2 1 1\nrun 5\n"),
    "the box is changed": (SALT, "run 3\nchange_box all x scale 1.05 remap\nrun 5\n"),
    "atoms move far": (SALT, "run 3\ndisplace_atoms all move 3.7 -29.1 122.2 units box\nrun 5\n"),
    "restart and continue": (SALT,
                             "run 4\nwrite_restart {folder}/r\nclear\n{again}\nread_restart {folder}/r\n"
                             "pair_modify mix arithmetic\n{kspace}\n"
        "neigh_modify every 2 delay 0 check no\nfix integrate all nve\nthermo_modify norm no format float %.17g\n"
        "run 6\n"),
    "walls and a slab": (SLAB, "kspace_modify slab 3.0 mesh 12 15 32\nrun 10\n"),
    "rigid water at constant pressure": (
        WATER, "unfix integrate\nfix integrate all npt temp 300 300 100 iso 0 0 1000\nrun 10\n"),
    "energies of atoms at some steps": (
        SALT, "compute e all pe/atom\ncompute s all stress/atom NULL\nvariable e atom c_e+c_s[1]\n"
        "fix av all ave/atom 3 2 6 v_e\ncompute m all reduce max f_av\nthermo_style custom step pe press c_m\n"
        "thermo_modify norm no format float %.17g\nthermo 6\nrun 12\n"),
    "a group that does not move": (SALT, "unfix integrate\nfix integrate sodium nve\nrun 8\n"),
    "barriers in the main thread": (SALT, "timer full sync\nrun 8\ntimer normal nosync\n"),
    "no charges": (SALT,
                   "set group all charge 0.0\nkspace_modify gewald 0.3\nrun 4\nset type 1 charge 1.0\n"
                   "set type 2 charge -1.0\nrun 4\n"),
}
SCENARIO_WAYS = (Way(2, "fft partial overlap yes", threadpool(1, "p2p/rdma")), Way(3, "fft pencil overlap yes"))


def scenario(servers, name: str, way: Way, folder: Path) -> Result:
    """Run a scenario; its columns are those of thermo_style one, with the long-range energy."""
    folder.mkdir()
    system, commands = SCENARIOS[name]
    chosen = kspace(way, MESH)
    body = commands.replace("{kspace}", chosen).replace("{folder}", str(folder)).replace("{again}", way.variant.command)
    script = "\n".join([way.variant.command, system.replace("{kspace}", chosen),
                        "thermo_style custom step temp pe elong press pxx pyy pzz vol",
                        "thermo_modify norm no format float %.17g", "thermo 1", body, dump(folder / "dump")])
    output = servers.server(way.ranks, way.variant).run(script)
    return Result(read_thermo(output), [read_snapshot(folder / "dump")], output)


@pytest.mark.usual(10)
@pytest.mark.parametrize("name", SCENARIOS)
def test_what_scripts_do_works_as_with_pppm(servers, tmp_path, name):
    expected = scenario(servers, name, STOCK, tmp_path / "pppm")
    for way in SCENARIO_WAYS:
        found = scenario(servers, name, way, tmp_path / str(way.ranks))
        assert not too_different(expected, found, 1e-7, 1e-7)


FLIP = """fix d all deform 1 xy erate 0.01 flip yes
neigh_modify every 1 delay 0 check no
timestep 0.5
thermo_style custom step elong xy
thermo_modify norm no format float %.17g
thermo 1
run 6
"""
"""The tilt passes half of the box in the second step: then it becomes minus half of it."""
NEARLY_HALF = "region box prism 0 3 0 3 0 3 1.49 0.3 0.2"


@pytest.mark.parametrize("way", SCENARIO_WAYS, ids=str)
def test_forces_are_those_of_the_box_also_when_it_flips(servers, way):
    """In that step those of pppm are not, since its wave vectors are those of the box before."""
    system = SALT.replace("region box block 0 3 0 3 0 3", NEARLY_HALF)
    columns = []
    for one in (STOCK, way):
        chosen = kspace(one, "mesh 16 16 16 order 7 gewald 0.4")
        output = servers.server(one.ranks, one.variant).run(
            f"{one.variant.command}\n{system.replace('{kspace}', chosen)}{FLIP}")
        columns.append(read_thermo(output)[0].columns)
    stock, found = (table["E_long"] for table in columns)
    flip = int(np.argmin(np.diff(columns[0]["Xy"]))) + 1
    assert 0 < flip < 5 and columns[0]["Xy"][flip] < 0.0
    assert np.allclose(found[:flip], stock[:flip], rtol=1e-10, atol=0)
    steps = np.abs(np.diff(np.delete(found, flip)))
    assert np.max(np.abs(np.diff(found))) < 2.0 * np.max(steps) < abs(stock[flip] - found[flip])


def test_work_that_nobody_asks_for_is_noticed(installation, tmp_path):
    commands = "kspace_modify compute no\nrun 3\nkspace_modify compute yes\nrun 20 pre no\n"
    found = finished(installation, [], 2, Way(2, "fft pencil"), tmp_path / "run", SALT + commands)
    assert found.output.count("was started and not asked for; it runs after the pair forces from now on") == 1


def test_run_style_respa_says_that_nothing_runs_beside_it(installation, tmp_path):
    found = finished(installation, [], 2, Way(2, "fft pencil"), tmp_path / "run", SALT
                     + "run_style respa 2 2 pair 1 kspace 2\n")
    assert ("WARNING: kspace_style pppm/offload: the long-range part runs after the pair forces, not beside them: "
            "run_style respa" in found.output)


def bisected(servers, way: Way, path: Path) -> Result:
    """Run with sub-boxes that form no grid and change during the run; one rank alone has the whole box."""
    rebalance = "region low block INF INF INF INF 0 1.4\ngroup low region low\nset group low vz 0.02\n"
    tiled = "" if way is STOCK else "comm_style tiled\nbalance 1.0 rcb\nfix b all balance 3 1.0 rcb\n"
    system = SALT.replace("{kspace}", kspace(way, MESH))
    output = servers.server(way.ranks, BRICK).run(f"{system}{rebalance}{tiled}thermo 2\nrun 8\n{dump(path)}\n")
    return Result(read_thermo(output), [read_snapshot(path)], output)


def test_recursive_bisection(servers, tmp_path):
    expected = bisected(servers, STOCK, tmp_path / "pppm")
    for fft in ("auto", "pencil", "replicated"):
        assert not too_different(expected, bisected(servers, Way(4, f"fft {fft}"), tmp_path / fft), 1e-8, 1e-8)


def test_partial_sums_need_a_regular_grid_of_ranks(servers, tmp_path):
    with pytest.raises(CaseFailed, match="ERROR.*no regular grid"):
        bisected(servers, Way(4, "fft partial"), tmp_path / "dump")


@pytest.mark.long
def test_times_of_the_transform_are_printed_on_request(servers):
    """LAMMPS repeats the transform until the measured time is long enough."""
    way = Way(2, "fft pencil")
    output = servers.server(2, BRICK).run(SALT.replace("{kspace}", kspace(way, MESH + " fftbench yes")) + "run 4\n")
    assert "FFT time" in output


def test_the_log_says_which_transform_auto_has_chosen_and_why(servers):
    output = servers.server(2, BRICK).run(SALT.replace("{kspace}", kspace(Way(2, "fft auto"), MESH)) + "run 4\n")
    name, times = re.search(r"TOFU FFT = (\w+), the fastest of (.*)", output).groups()
    found = {name: float(time) for name, time in re.findall(r"(\w+) ([\d.]+) us", times)}
    assert set(found) == {"partial", "pencil", "replicated"} and name == min(found, key=found.get)


@pytest.mark.parametrize("variant", (BRICK, threadpool(1)), ids=str)
def test_the_log_says_how_much_was_hidden(servers, variant):
    """The first step computes the long-range part before the pair forces; without overlap the log has no line about
    it."""
    for overlap, expected in (("yes", [("20", "21")]), ("no", [])):
        output = servers.server(2, variant).run(f"{variant.command}\n" + SALT.replace(
            "{kspace}", kspace(Way(2, f"fft pencil overlap {overlap}"), MESH)) + "run 20\n")
        assert re.findall(r"TOFU pppm/offload: .*% of it hidden .*; (\d+) of (\d+) steps", output) == expected


@pytest.mark.parametrize("style", ("pppm/offload", "pppm"))
def test_without_a_core_to_spare_the_long_range_part_runs_after_the_pair_forces(servers, style):
    """On one node, unless the input wants it beside them; the result has the same bits."""
    def output(always: bool) -> str:
        variant = threadpool(1)
        chosen = kspace(Way(2, "fft pencil"), MESH, overlap=f"overlap/always {'yes' if always else 'no'}")
        if style == "pppm":
            variant = replace(variant, package=("overlap", "always" if always else "yes"))
            chosen = f"kspace_style pppm {ACCURACY}\nkspace_modify {MESH}"
        return servers.server(max(4, len(os.sched_getaffinity(0))), variant).run(
            f"{variant.command}\n{SALT.replace('{kspace}', chosen)}thermo 5\nthermo_style custom step pe press\n"
            "thermo_modify format float %.17g\nrun 10\n")

    after, beside = output(False), output(True)
    assert "TOFU pppm/offload: the long-range part runs after the pair forces: there is no processor to spare" in after
    assert "% of it hidden" not in after and "% of it hidden" in beside
    for one, other in zip(read_thermo(after)[0].columns.items(), read_thermo(beside)[0].columns.items()):
        assert one[0] == other[0] and np.array_equal(one[1], other[1])


@pytest.mark.parametrize("environment,beside", (({}, False), ({"TOFU_NODE_SIZE": "2"}, True)))
def test_much_work_shares_a_core_where_messages_of_other_nodes_are_waited_for(servers, environment, beside):
    """It takes more than a millisecond."""
    system = SALT.replace("{kspace}", "kspace_style pppm/offload 1e-4\nkspace_modify mesh 80 80 80 fft pencil")
    ranks = max(4, len(os.sched_getaffinity(0)))
    variant = threadpool(1)
    output = servers.server(ranks, variant, environment).run(
        f"{variant.command}\n{system}run 3\n")
    assert ("% of it hidden" in output) == beside
    assert ("there is no processor to spare" in output) == (not beside)


def test_parts_of_a_pool_share_the_long_range_part_without_a_core_to_spare(servers):
    """However long it takes; the sum over the mesh has the bits of one part."""
    system = SALT.replace("{kspace}", "kspace_style pppm/offload 1e-4\nreplicate 3 3 3")
    found = []
    for parts in (1, max(3, len(os.sched_getaffinity(0)))):
        variant = threadpool(parts)
        output = servers.server(1, variant).run(
            f"{variant.command}\n{system}thermo 5\nthermo_style custom step elong pe\n"
            "thermo_modify format float %.17g\nrun 5\n")
        assert parts == 1 or "% of it hidden" not in output
        found.append(read_thermo(output)[0].columns)
    one, other = found
    assert one["E_long"][0] == other["E_long"][0]
    assert np.allclose(one["PotEng"], other["PotEng"], rtol=1e-12, atol=0.0)


# ways to run LAMMPS

def finished(installation, arguments: List[str], ranks: int, way: Way, folder: Path, system: str = SALT,
             extra: str = "") -> Result:
    """Run a job of its own: thermo rows and forces after some steps."""
    folder.mkdir()
    (folder / "in.script").write_text(
        f"{extra}{system.replace('{kspace}', kspace(way, MESH))}thermo 4\nrun 8\n{dump('end.dump')}\n")
    output = run(installation, ["-log", "none", "-in", "in.script", *arguments], ranks, folder,
                 way.variant).expect_success().output
    return Result(read_thermo(output), [read_snapshot(folder / "end.dump")], output)


@pytest.mark.parametrize("arguments", (["-sf", "opt"], ["-pk", "omp", "1", "-sf", "omp"],
                                       ["-pk", "intel", "0", "mode", "double", "-sf", "intel"]),
                         ids=lambda arguments: arguments[-1])
def test_beside_other_accelerated_styles(installation, tmp_path, arguments):
    system = SALT.replace("{kspace}", "suffix off\n{kspace}\nsuffix on")
    expected, found = (finished(installation, arguments, 2, way, tmp_path / str(way.ranks), system)
                       for way in (STOCK, Way(2, "fft pencil")))
    assert not too_different(expected, found, 1e-8, 1e-8)


@pytest.mark.usefixtures("no_segment_left")
def test_partitions_are_worlds_of_their_own(installation, tmp_path):
    script = "variable fft world pencil replicated\n" + SALT.replace(
        "{kspace}", kspace(Way(4, "fft ${fft}"), MESH)) + f"run 8\n{dump('${fft}.dump')}\n"
    (tmp_path / "in.script").write_text(script)
    run(installation, ["-log", "none", "-in", "in.script", "-partition", "2x2"], 4, tmp_path,
        threadpool(1)).expect_success()
    one, other = (read_snapshot(tmp_path / f"{fft}.dump") for fft in ("pencil", "replicated"))
    assert max(difference(one.columns, other.columns).values()) < 1e-8


def test_newest_lammps_gives_the_same(newest, tmp_path):
    cases = {"water, diff ad": CASES["water, diff ad"]}
    cases["tilted slab"] = (SLAB.replace("region box block 0 3 0 3 0 4", "region box prism 0 3 0 3 0 4 0.9 0 0"),
                            CASES["slab"][1])
    for name, (system, settings) in cases.items():
        text = system.replace("{kspace}", "{kspace}\nkspace_modify " + settings)
        expected = finished(newest, [], 1, STOCK, tmp_path / f"{name} pppm", text)
        for way in SOME_WAYS:
            assert not too_different(expected, finished(newest, [], way.ranks, way, tmp_path / f"{name} {way.ranks}",
                                                        text), 1e-8, 1e-8)


def test_plugin_gives_the_same_to_a_lammps_without_the_package(plugin, tmp_path):
    library, stock = plugin
    expected = finished(stock, [], 1, STOCK, tmp_path / "pppm")
    found = finished(stock, [], 2, Way(2, "fft pencil"), tmp_path / "offload", extra=f"plugin load {library}\n")
    assert "% of it hidden" in found.output
    assert not too_different(expected, found, 1e-8, 1e-8)


# sums with fewer digits

def worst_force(servers, words: str, ranks: int, path: Path, system: str = SALT, settings: str = MESH) -> np.ndarray:
    """Forces of the first step."""
    script = system.replace("{kspace}", kspace(Way(ranks, words), settings)) + f"run 0\n{dump(path)}\n"
    servers.server(ranks, BRICK).run(script)
    return read_snapshot(path).forces


@pytest.mark.parametrize("ranks", (2, 4, 8))
@pytest.mark.parametrize("words,allowed",
                         (("reduce float", 1e-7), ("reduce int32", 3e-5), ("reduce int32 scale 1e8", 3e-6)))
@pytest.mark.parametrize("chain", ("direct", "ring"))
def test_rounded_sums_err_within_bounds(servers, tmp_path, ranks, words, allowed, chain):
    """Errors are relative to the largest force, as in Table 1 of the paper for 1e7: they are no larger than the error
    of the mesh itself."""
    exact = worst_force(servers, "fft partial", ranks, tmp_path / "exact")
    error = np.max(np.abs(worst_force(servers, f"fft partial chain {chain} {words}", ranks,
                                      tmp_path / "rounded") - exact)) / np.max(np.abs(exact))
    assert 1e-14 < error < allowed


def test_sums_beyond_the_range_of_integers_are_an_error_that_names_the_remedy(installation, tmp_path):
    script = SALT.replace("{kspace}", kspace(Way(2, "fft partial reduce int32 scale 1e12"), MESH)) + "run 1\n"
    output = run_script(installation, script, 2, tmp_path).expect_failure()
    assert re.search(r"ERROR.*scale", output), output


SECONDS = 3600.0


FINE_MESH = "gewald 0.5 mesh 20 20 20 order 5"
"""With potentials that are smooth at the cut-off, the energy drifts by less than 0.1 % of the kinetic energy in 2,000
steps, whatever the first velocities are. A coarse mesh makes that 1 %, up or down."""


def water_box(servers, words: str, steps: int) -> ThermoTable:
    """Energy and temperature of 64 molecules in double precision and with 1e7 integers, at about room temperature."""
    settle = ("unfix integrate\nfix integrate all nvt temp 300 300 50\nrun 500 post no\nunfix integrate\n"
              "fix integrate all nve\nreset_timestep 0\n")
    analysis = (f"thermo_style custom step temp pe etotal\nthermo_modify norm no format float %.17g\n"
                f"thermo {max(steps // 200, 1)}\nrun {steps} post no\n")
    script = (water(2).replace("{kspace}", "pair_modify shift yes\n" + kspace(Way(2, words), FINE_MESH)) + settle
              + analysis)
    return read_thermo(servers.server(2, BRICK).run(script, timeout=SECONDS))[-1]


def same_water(servers, steps: int) -> None:
    """Expect, as in Figure 7 of the paper, that temperature and energy with integers are those in double precision,
    except for fluctuations."""
    double, integers = (water_box(servers, words, steps)
                        for words in ("fft partial overlap no", "fft partial reduce int32 overlap no"))
    half = double.nrows // 2
    for name in ("Temp", "PotEng"):
        one, other = (table.columns[name][half:] for table in (double, integers))
        error_of_mean = 3.0 * np.std(one) / np.sqrt(half / 10.0)    # about ten rows in sequence are correlated
        assert abs(np.mean(one) - np.mean(other)) < 2.0 * error_of_mean, name
    scale = np.mean(double.columns["TotEng"] - double.columns["PotEng"])
    drifts = [np.polyfit(np.linspace(0.0, 1.0, table.nrows), table.columns["TotEng"], 1)[0] / scale
              for table in (double, integers)]
    assert abs(drifts[1]) < abs(drifts[0]) + 0.01 * max(steps / 10_000, 0.2)


@pytest.mark.full
def test_water_by_integers_is_as_warm_as_in_double_precision(servers):
    same_water(servers, 1_000)


@pytest.mark.long
def test_water_by_integers_is_as_warm_as_in_double_precision_after_50000_steps(servers):
    same_water(servers, 50_000)


# settings that are refused

FLAT = LJ.replace("units lj\n", "units lj\ndimension 2\n").replace("lattice fcc", "lattice sq").replace(
    "block 0 5 0 5 0 5", "block 0 20 0 20 -0.5 0.5").replace(
    "atom_style atomic", "atom_style charge").replace(
        "pair_style lj/cut 2.5\npair_coeff * * 1.0 1.0 2.5\npair_coeff 2 2 0.8 0.9 2.0",
                                                       "pair_style lj/cut/coul/long 2.5\npair_coeff * * 1.0 1.0\n"
                                                       "set type 1 charge 1\nset type 2 charge -1")

WRONG: Dict[str, Tuple[str, str, List[str]]] = {
    "unknown transform": (SALT, "fft fast", ["fft", "fast", "auto", "partial", "pencil", "replicated"]),
    "transform without a name": (SALT, "fft", ["fft"]),
    "unknown reduce": (SALT, "reduce int16", ["reduce", "int16", "double", "float", "int32"]),
    "scale zero": (SALT, "scale 0", ["scale", "0"]),
    "scale that is no number": (SALT, "scale big", ["big"]),
    "negative scale": (SALT, "scale -1e7", ["scale", "-1e7"]),
    "unknown chain": (SALT, "chain star", ["chain", "star", "direct", "ring"]),
    "unknown overlap": (SALT, "overlap maybe", ["maybe"]),
    "unknown overlap/always": (SALT, "overlap/always maybe", ["overlap/always", "maybe", "yes", "no"]),
    "unknown gather": (SALT, "gather all", ["gather", "all", "node", "none"]),
    "unknown keyword": (SALT, "colour red", ["kspace_modify"]),
    "a triclinic box with diff ad": (TILTED_SALT, "diff ad", ["triclinic", "diff ad"]),
    "a triclinic box with a slab": (TILTED_SALT, "slab 3.0", ["triclinic", "slab"]),
    "two dimensions": (FLAT + "{kspace}\n", "fft auto", ["2d"]),
    "no charges at all": (LJ + "{kspace}\n", "fft auto", ["q"]),
    "a pair style without a long range": (SALT.replace("coul/long", "coul/cut"), "fft auto", ["Pair style"]),
    "walls without slab": (SLAB, "fft auto", ["periodic"]),
    "slab without walls": (SALT, "slab 3.0", ["slab"]),
    "order 8": (SALT, "order 8", ["order"]),
    "no accuracy": (SALT.replace("{kspace}", "kspace_style pppm/offload"), "", ["kspace_style"]),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_settings_are_explained(installation, tmp_path, name):
    system, words, expected = WRONG[name]
    script = system.replace("{kspace}", f"kspace_style pppm/offload {ACCURACY}\nkspace_modify {words}") + "run 1\n"
    output = run_script(installation, script, 1, tmp_path).expect_failure()
    message = "\n".join(line for line in output.splitlines() if "ERROR" in line)
    assert message and all(word in message for word in expected), output


def test_own_keywords_are_unknown_to_pppm(servers):
    with pytest.raises(CaseFailed, match="kspace_modify"):
        servers.server(1, BRICK).run(SALT.replace("{kspace}", "kspace_style pppm 1e-4\nkspace_modify fft pencil"))
