# SPDX-License-Identifier: GPL-2.0-only
"""Styles with the suffix /threadpool give the results of LAMMPS' own styles, for any number of parts."""

import itertools
import re
from dataclasses import replace
from pathlib import Path
from typing import Dict, List

import numpy as np
import pytest

from force_style_references import BRICK_IS_THE_REFERENCE, Reference, installed_styles, read_references
from lammps_output import expect_variant, read_snapshot, read_thermo
from lammps_run import BRICK, Installation, Variant, missing_variables, run_script, threadpool
from lammps_server import CaseFailed
from manybody_systems import ALLOY, PAIR_CONCENTRATIONS
from manybody_systems import METAL as METALS_OF_ADP
from small_systems import CHAINS, GRAINS, LJ, METAL, MOLECULES, dump
from stock_inputs import StockInput, read_table, same_as_brick
from suffix_runs import (ANALYSIS, CHARGES, SOLVED, TRICLINIC, contacts, differences, differences_from_brick,
                         expect_contacts_in_restart_files, expect_same_bits, expect_same_script, largest_difference,
                         moved, moved_otherwise)

SUFFIX = "/threadpool"
PARTS = (1, 2, 4)
STYLES = ("brick", "p2p/rdma")

if not missing_variables():
    INSTALLED = installed_styles(Installation.from_environment())
    REFERENCES = {reference.path.stem: reference
                  for reference in read_references(Installation.from_environment().lammps_dir)
                  if reference.obstacle(INSTALLED) is None}
else:  # tests can be collected, but not run
    INSTALLED, REFERENCES = {}, {}


def style_name(reference: Reference) -> str:
    """The first word of the style that a reference tests, without the prefix of its kind."""
    if reference.kind == "fix":
        commands = (line.split() for line in reference.lines("post_commands"))
        return next((words[3] for words in commands if words[:2] == ["fix", "test"]), "")
    key = f"{reference.kind}_style"
    return reference.fields[key].split()[0] if key in reference.fields else ""


ACCELERATED = {name: reference for name, reference in REFERENCES.items()
               if style_name(reference) + SUFFIX in INSTALLED.get(reference.kind, set())}

FEWEST_REFERENCES = 18


def test_there_are_references_of_accelerated_styles():
    assert len(ACCELERATED) >= FEWEST_REFERENCES


@pytest.mark.most(120)
@pytest.mark.parametrize("name,parts,newton",
                         [(name, parts, newton) for name, reference in ACCELERATED.items() for parts in PARTS
                                               for newton in ("on", "off") if newton == "on"
                                               or reference.kind != "fix"])
def test_reference_is_met(servers, tmp_path, name, parts, newton):
    """Comm styles and rank counts take turns; the style in use is the accelerated one."""
    reference = ACCELERATED[name]
    variant = threadpool(parts, STYLES[(parts + len(newton)) % 2])
    ranks = 1 + (PARTS.index(parts) + len(newton)) % 2
    script = reference.script(variant, newton, tmp_path) + f"info styles {reference.kind}\n"
    output = servers.server(ranks, variant).run(script)
    expect_variant(output, variant.backend)
    assert "TOFU threadpool:" in output
    if reference.kind == "pair" and name in BRICK_IS_THE_REFERENCE:
        folder = tmp_path / "brick"
        folder.mkdir()
        without = servers.server(ranks, BRICK).run(reference.script(BRICK, newton, folder))
        reference = reference.from_results(without, folder)
    assert not reference.differences(output, tmp_path)


LESS_EXACT = {
    "bench/in.eam": (
        1e-11, "equal terms of a perfect lattice are rounded one way; stock on 1 and on 2 ranks differs by 5e-11"),
    "examples/stress_vcm/in.stress_vcm": (1e-11, "the same; stock on 1, 2 and 3 ranks differs by 1.6e-12"),
    "examples/template/in.template-mix": (1e-11, "atoms overlap, the energy is 3e14"),
    "examples/template/in.mol-data-mix": (
        1e-10, "rounding grows fast: 1e-8 after 100 steps; stock on 1, 2 and 3 ranks differs by 2e-7"),
    "examples/cmap/in.cmap": (1e-10,
                              "an improper is planar to 1e-3: an ulp of its cosine is 2000 k of force; stock with all "
                              "atoms moved differs by 6e-12"),
}
"""Inputs for which stock LAMMPS itself is not as exact as 1e-12 at the start, or as the error that grows from this;
with the allowed difference and the reason."""


STOCK_IS_WRONG = {
    "examples/balance/in.balance.kspace": "LAMMPS reads its table of dispersion beyond the end: type 2 has twice the "
                                          "cut-off, and a tenth of the energy is gained in 20 steps",
}
"""Inputs to which the suffix gives the results that stock LAMMPS has with `pair_modify table/disp 0` alone."""


def table(group: str) -> List[StockInput]:
    """The rows of stock_inputs.yaml."""
    return [replace(stock, start=max(stock.start, LESS_EXACT[stock.path][0])) if stock.path in LESS_EXACT else stock
            for stock in read_table(group)]


BENCHMARKS = table("benchmarks")
EXAMPLES = table("examples")
CHOSEN = range(0, len(EXAMPLES), 3)
"""The examples that CI runs; `-m long` has the others."""


def name_of(value) -> str:
    return value.path.replace("examples/", "").replace("/in.", "/") if hasattr(value, "path") else str(value)


@pytest.mark.parametrize("parts,ranks,style", ((1, 2, "p2p/rdma"), (2, 1, "brick"), (3, 4, "brick")))
@pytest.mark.parametrize("stock", BENCHMARKS, ids=name_of)
def test_benchmark_is_the_same_as_without(installation, tmp_path, stock, parts, ranks, style):
    same_as_brick(installation, stock, ranks, [threadpool(parts, style)], tmp_path)


def same_as_without(installation, stock: StockInput, number: int, tmp_path) -> None:
    """Parts and comm styles take turns."""
    if stock.path in STOCK_IS_WRONG:
        pytest.skip(STOCK_IS_WRONG[stock.path])
    ranks = stock.ranks[0] if stock.ranks else 2
    same_as_brick(installation, stock, ranks, [threadpool(1 + number // 3 % 3, STYLES[number // 9 % 2])], tmp_path)


@pytest.mark.usual(4)
@pytest.mark.parametrize("number", CHOSEN, ids=lambda number: name_of(EXAMPLES[number]))
def test_example_is_the_same_as_without(installation, tmp_path, number):
    same_as_without(installation, EXAMPLES[number], number, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("number", [number for number in range(len(EXAMPLES)) if number not in CHOSEN],
                         ids=lambda number: name_of(EXAMPLES[number]))
def test_other_example_is_the_same_as_without(installation, tmp_path, number):
    same_as_without(installation, EXAMPLES[number], number, tmp_path)


# small systems, each with something that lists or kernels must get right

BILAYER = CHAINS.replace("special_bonds fene", "special_bonds lj 0.0 0.3 0.7")

LONG_ROWS = BILAYER.replace("block 0 5 0 5 0 5", "block 0 2 0 2 0 5").replace("1.12\n", "3.5\n").replace(
    "comm_modify cutoff 2.0", "comm_modify cutoff 4.2")
"""Rows of neighbor lists have some hundred entries, with several images of an atom."""


HYBRID_BONDS = re.sub(r"(bond|angle|dihedral)_style .*\n", "", MOLECULES).replace(
    "bond_coeff 1 ", """bond_style hybrid harmonic fene
angle_style hybrid harmonic charmm
dihedral_style hybrid opls harmonic charmm
bond_coeff 1 """).replace("bond_coeff 1 300", "bond_coeff 1 harmonic 300").replace(
    "bond_coeff 2 250.0 1.45", "bond_coeff 2 fene 30.0 2.5 0.3 1.4").replace(
    "angle_coeff 1", "angle_coeff 1 charmm").replace("angle_coeff 2 60.0 110.0 0.0 0.0",
                                                     "angle_coeff 2 harmonic 60.0 110.0").replace(
    "dihedral_coeff 1", "dihedral_coeff 1 charmm").replace("dihedral_coeff 2 1.2 2 180 0.5",
                                                           "dihedral_coeff 2 opls 1.2 -0.7 0.9 0.4").replace(
    "dihedral_coeff 3 0.4 1 60 0.0", "dihedral_coeff 3 harmonic 0.4 -1 3")
"""All bonded styles with the suffix; each, except that of impropers, is one substyle of a hybrid style."""


SHIFTED = MOLECULES.replace("dihedral_style charmm", "dihedral_style charmmfsw").replace(
    "pair_style lj/charmm/coul/charmm 5.0 6.0", "pair_style lj/charmmfsw/coul/charmmfsh 5.0 6.0")


SYSTEMS: Dict[str, str] = {
    "two types with two cut-offs": LJ,
    "one type": LJ.replace("set group all type/fraction 2 0.4 4711\n", "").replace("create_box 2", "create_box 1")
    .replace("pair_coeff 2 2 0.8 0.9 2.0\n", ""),
    "newton off": LJ.replace("units lj\n", "units lj\nnewton off\n"),
    "metal": METAL,
    "metal, newton off": METAL.replace("units metal\n", "units metal\nnewton off\n"),
    "metal in a triclinic box": METAL.replace("region box block 0 5 0 5 0 5",
                                              "region box prism 0 5 0 5 0 5 1.3 -0.8 0.6"),
    "triclinic": TRICLINIC,
    "triclinic, newton off": TRICLINIC.replace("units lj\n", "units lj\nnewton off\n"),
    "two dimensions": LJ.replace("units lj\n", "units lj\ndimension 2\n").replace("lattice fcc", "lattice sq")
    .replace("block 0 5 0 5 0 5", "block 0 20 0 20 -0.5 0.5") + "fix flat all enforce2d\n",
    "walls": LJ.replace("units lj\n", "units lj\nboundary p f s\n")
    .replace("create_atoms 1 box", "region fill block 0 5 0.4 4.6 0.4 4.6\ncreate_atoms 1 region fill")
    + "fix wall all wall/lj126 ylo EDGE 1.0 1.0 2.5 yhi EDGE 1.0 1.0 2.5\n",
    "bonds": CHAINS,
    "weighted special bonds": BILAYER,
    "special bonds to atoms whose images are near, too": BILAYER.replace("block 0 5 0 5 0 5", "block 0 2 0 2 0 5")
    .replace("1.12\n", "2.6\n").replace("comm_modify cutoff 2.0", "comm_modify cutoff 3.2"),
    "special bonds in long rows with images": LONG_ROWS,
    "special bonds in long rows, some to deleted atoms": LONG_ROWS
    + "group last id > 60\ndelete_atoms group last bond yes compress no\n",
    "special bonds in long rows, hash of atom IDs": LONG_ROWS.replace("map array", "map hash"),
    "molecules": MOLECULES,
    "molecules, newton off": MOLECULES.replace("units real\n", "units real\nnewton off\n"),
    "molecules, newton off for pairs": MOLECULES.replace("units real\n", "units real\nnewton off on\n"),
    "molecules in a triclinic box": MOLECULES.replace("region box block 0 8.5 0 5.5 0 5.5",
                                                      "region box prism 0 8.5 0 5.5 0 5.5 1.3 -0.8 0.6"),
    "molecules with hybrid styles": HYBRID_BONDS,
    "molecules with hybrid styles, newton off": HYBRID_BONDS.replace("units real\n", "units real\nnewton off\n"),
    "molecules with implicit 1-4 pairs": MOLECULES.replace("charmm/coul/charmm", "charmm/coul/charmm/implicit"),
    "molecules with shifted 1-4 pairs": SHIFTED,
    "molecules with shifted 1-4 pairs, newton off": SHIFTED.replace("units real\n", "units real\nnewton off\n"),
    "molecules with shifted 1-4 pairs, long-range": SHIFTED.replace(
        "coul/charmmfsh 5.0 6.0", "coul/long 5.0 6.0") + "kspace_style pppm 1e-4\n",
    "excluded types": LJ + "neigh_modify exclude type 1 2\n",
    "excluded group": LJ + "group some id 1:100\nneigh_modify exclude group some some\n",
    "neighbor style nsq": LJ.replace("neighbor 0.3 bin", "neighbor 0.3 nsq"),
    "neighbor style multi": LJ.replace("neighbor 0.3 bin", "neighbor 0.3 multi"),
    "shifted energies": LJ + "pair_modify shift yes\n",
    "tail corrections": LJ + "pair_modify tail yes\n",
    "hybrid": LJ.replace("pair_style lj/cut 2.5\npair_coeff * * 1.0 1.0 2.5\npair_coeff 2 2 0.8 0.9 2.0",
                         "pair_style hybrid lj/cut 2.5 morse 2.5\npair_coeff 1 1 lj/cut 1.0 1.0\n"
                         "pair_coeff 1 2 lj/cut 1.0 1.0 2.2\npair_coeff 2 2 morse 2.0 5.0 1.1"),
    "hybrid/overlay": LJ.replace("pair_style lj/cut 2.5\npair_coeff * * 1.0 1.0 2.5\npair_coeff 2 2 0.8 0.9 2.0",
                                 "pair_style hybrid/overlay lj/cut 2.5 beck 2.0\n"
                                 "pair_coeff * * lj/cut 1.0 1.0\npair_coeff * * beck 0.5 0.2 0.8 2.0 0.1"),
    "hybrid with charges": CHARGES.replace(
        "pair_style lj/cut/coul/cut 2.5 2.2\npair_coeff * * 1.0 1.0\npair_coeff 2 2 0.8 0.9 2.0",
                                           "pair_style hybrid/overlay lj/cut/coul/cut 2.5 2.2 morse 2.0\n"
                                           "pair_coeff * * lj/cut/coul/cut 1.0 1.0\npair_coeff * * morse 0.3 4.0 1.1"),
    "charges": CHARGES,
    "charges, newton off": CHARGES.replace("units lj\n", "units lj\nnewton off\n"),
    "a rank without atoms": LJ.replace("create_atoms 1 box",
                                       "region below block 0 5 0 5 0 1\ncreate_atoms 1 region below")
    .replace("region box", "processors 1 1 *\nregion box"),
    "a group is integrated": LJ.replace("fix integrate all nve", "group some id 1:250\nfix integrate some nve"),
    "atoms of many sizes of step": LJ.replace("fix integrate all nve", "fix integrate all nve/limit 0.05"),
    "atoms move far": LJ + "displace_atoms all move 3.7 -9.1 22.2 units box\n",
    "dense corner of an empty box": LJ.replace("block 0 5 0 5 0 5", "block 0 40 0 40 0 40")
    .replace("create_atoms 1 box", "region corner block 0 4 0 4 0 4\ncreate_atoms 1 region corner"),
}


@pytest.mark.most(20)
@pytest.mark.parametrize("ranks,parts,style", ((1, 3, "brick"), (2, 1, "p2p/rdma"), (3, 2, "p2p/rdma")))
@pytest.mark.parametrize("system", SYSTEMS)
def test_energies_forces_and_stresses_are_the_same(servers, tmp_path, system, ranks, parts, style):
    assert not differences_from_brick(servers, SYSTEMS[system], threadpool(parts, style), ranks, tmp_path)


def columns_of_bonds(ids: List[int]) -> str:
    """Data file of 4 x 4 columns of bonded atoms; the IDs are those of layers, one after the other."""
    places = list(itertools.product(range(len(ids) // 16), range(4), range(4)))
    atoms = "".join(f"{i} 1 1 {1.1 * x + 0.03 * z} {1.1 * y - 0.02 * z} {1.1 * z + 0.01 * x}\n"
                    for i, (z, y, x) in zip(ids, places))
    bonds = "".join(f"{k + 1} 1 {ids[k]} {ids[k + 16]}\n" for k in range(len(ids) - 16))
    return (f"columns\n\n{len(ids)} atoms\n{len(ids) - 16} bonds\n1 atom types\n1 bond types\n"
            f"0 4.4 xlo xhi\n0 4.4 ylo yhi\n0 {1.1 * len(ids) / 16} zlo zhi\n\n"
            f"Atoms # bond\n\n{atoms}\nBonds\n\n{bonds}")


@pytest.mark.parametrize("ranks,parts,style", ((1, 1, "brick"), (2, 2, "p2p/rdma")))
def test_special_atoms_that_were_deleted_may_have_ids_beyond_the_map(servers, tmp_path, ranks, parts, style):
    # LAMMPS has a hash for IDs above a million, and an array of the other IDs after they are deleted
    (tmp_path / "data").write_text(columns_of_bonds([*range(1, 81), *range(1500000, 1500016)]))
    head, rest = LONG_ROWS.split("mass 1 1.0\n")
    script = "\n".join(["units lj", "atom_style bond",
                        next(line for line in head.splitlines() if line.startswith("special_bonds")),
                        f"read_data {tmp_path}/data", "mass 1 1.0",
                        *(line for line in rest.splitlines() if not line.startswith("create_bonds")),
                        "group last id > 1000000", "delete_atoms group last bond yes compress no\n"])
    assert not differences_from_brick(servers, script, threadpool(parts, style), ranks, tmp_path)


GRAIN_SYSTEMS: Dict[str, str] = {
    "newton off": GRAINS,
    "newton on": GRAINS.replace("newton off", "newton on"),
    "two sizes, the small ones frozen": GRAINS.replace("create_box 1", "create_box 2").replace(
        "velocity all",
        "set group all type/fraction 2 0.3 4711\nset type 2 diameter 0.8\nset type 2 density 2.0\nvelocity all")
    + "group frozen type 2\nvelocity frozen set 0 0 0\nfix frozen frozen freeze\n",
    "triclinic": GRAINS.replace("region box block 0 8 0 8 0 10", "region box prism 0 8 0 8 0 10 1.5 0 0"),
    "contacts do not attract": GRAINS.replace("0.5 1\npair_coeff", "0.5 1 limit_damping\npair_coeff"),
    "a stiff spring across, little friction": GRAINS.replace("20000.0 NULL 50.0 NULL 0.5 1\npair",
                                                             "20000.0 50000.0 50.0 200.0 0.02 1\npair"),
    "hybrid": GRAINS.replace("pair_style gran", "pair_style hybrid gran").replace(
        "pair_coeff * *", "pair_coeff * * gran/hooke/history"),
    "neighbor style nsq": GRAINS.replace("neighbor 0.1 bin", "neighbor 0.1 nsq"),
    "a box that grows, with velocities of ghosts": GRAINS + "fix grow all deform 1 x erate 0.5 remap v\n",
    "stiffer with the area": GRAINS.replace("pair_style gran/hooke", "pair_style gran/hertz"),
    "stiffer with the area, little friction, newton on": GRAINS.replace("newton off", "newton on").replace(
        "pair_style gran/hooke/history 20000.0 NULL 50.0 NULL 0.5 1",
        "pair_style gran/hertz/history 20000.0 50000.0 50.0 200.0 0.02 1 limit_damping"),
    "without a history": GRAINS.replace("pair_style gran/hooke/history", "pair_style gran/hooke"),
    "without a history, little friction, newton on": GRAINS.replace("newton off", "newton on").replace(
        "pair_style gran/hooke/history 20000.0 NULL 50.0 NULL 0.5 1",
        "pair_style gran/hooke 20000.0 NULL 50.0 200.0 0.02 1 limit_damping"),
}


@pytest.mark.parametrize("ranks,parts,style", ((1, 3, "brick"), (2, 1, "p2p/rdma"), (3, 2, "p2p/rdma")))
@pytest.mark.parametrize("system", GRAIN_SYSTEMS)
def test_contacts_of_grains_are_the_same(servers, tmp_path, system, ranks, parts, style):
    variant = threadpool(parts, style)
    expected = contacts(servers, GRAIN_SYSTEMS[system], BRICK, ranks, tmp_path / "brick")
    assert np.max(np.abs(expected[1][1].columns["tqx"])) > 0.01
    assert not differences(expected, contacts(servers, GRAIN_SYSTEMS[system], variant, ranks, tmp_path / "threadpool"))


FREE_ATOMS = """\
units lj
atom_modify map array
region box block 0 7 0 8 0 9
create_box 1 box
create_atoms 1 random 600 4711 box
mass * 1.0
pair_style zero 1.0
pair_coeff * *
velocity all create 200.0 376847 loop geom
neighbor 0.3 bin
neigh_modify every 3 delay 0 check no
fix integrate all nve
timestep 0.03
thermo_modify lost error
"""
"""Atoms that do not see each other and are fast: they move up to six sigma between builds."""

PERIODIC_BOXES: Dict[str, str] = {
    "periodic": FREE_ATOMS,
    "walls in y": "boundary p f p\n" + FREE_ATOMS + "fix walls all wall/reflect ylo EDGE yhi EDGE\n",
    "shrink-wrapped in z": "boundary p p s\n" + FREE_ATOMS,
    "triclinic": FREE_ATOMS.replace("region box block 0 7 0 8 0 9", "region box prism 0 7 0 8 0 9 1.3 -0.8 0.6"),
    "growing": FREE_ATOMS + "fix grow all deform 1 x erate 0.5 y scale 0.9\n",
    "growing, with velocities": FREE_ATOMS + "fix grow all deform 1 x erate 0.5 remap v\n",
}


@pytest.mark.parametrize("ranks,parts,style", ((1, 1, "p2p/rdma"), (1, 3, "brick"), (2, 2, "p2p/rdma")))
@pytest.mark.parametrize("box", PERIODIC_BOXES)
def test_atoms_come_back_into_the_box_as_without_the_suffix(servers, tmp_path, box, ranks, parts, style):
    """Image flags are equal; positions and velocities differ by the rounding of one multiplication a step."""
    columns, found = "x y z ix iy iz vx vy vz", {}
    for variant in (BRICK, threadpool(parts, style)):
        path = tmp_path / f"{variant.name}.dump"
        servers.server(ranks, variant).run("\n".join([variant.command, PERIODIC_BOXES[box], "run 60",
                                                      dump(path, columns=columns)]))
        found[variant.name] = read_snapshot(path)
    expected, snapshot = found.values()
    assert np.ptp(expected.columns["ix"]) >= 2
    for name in columns.split():
        allowed = 0.0 if name in ("ix", "iy", "iz") else 1e-10
        assert np.allclose(snapshot.columns[name], expected.columns[name], rtol=0.0, atol=allowed), name


@pytest.mark.parametrize("system", ("two types with two cut-offs", "metal", "weighted special bonds", "molecules"))
def test_the_same_run_twice_is_the_same_to_the_last_bit(servers, tmp_path, system):
    for parts, ranks in ((1, 2), (2, 1), (5, 2)):
        expect_same_bits(servers, [(ranks, threadpool(parts, "p2p/rdma"))] * 2, f"{SYSTEMS[system]}\nrun 40", tmp_path)


def test_full_lists_give_the_same_bits_for_any_number_of_parts(servers, tmp_path):
    """LJ has full lists with wide vectors: of 8 floats on many processors, of 8 doubles on some."""
    some_full = False
    for precision in ("double", "mixed"):
        texts, outputs = set(), []
        for parts in (1, 2, 3, 8):
            path = tmp_path / f"{precision}-{parts}.dump"
            variant = threadpool(parts)
            command = variant.command.replace(f"threadpool {parts}", f"threadpool {parts} precision {precision}")
            outputs.append(servers.server(1, variant).run(
                "\n".join([command, LJ, "run 40", dump(path, columns="vx vy vz fx fy fz")])))
            texts.add(path.read_text())
        full = {"attributes: full" in output for output in outputs}
        assert len(full) == 1
        some_full = some_full or full == {True}
        assert full == {False} or len(texts) == 1
    if not some_full:
        pytest.skip("this processor has short vectors: no pair style has a full list")


# fixes and computes, with enough atoms for several parts.  There are no forces between atoms: differences come from the
# fixes and computes alone

GAS = LJ.replace("block 0 5 0 5 0 5", "block 0 10 0 10 0 10").replace("lj/cut 2.5", "zero 2.5").replace(
    "1.0 1.0 2.5", "").replace("pair_coeff 2 2 0.8 0.9 2.0\n", "") \
    .replace("velocity all create 1.44 87287 loop geom",
             "variable x atom 1.5*sin(id*id)\nvariable y atom sin(3*id)\nvariable z atom cos(id*id)\n"
             "velocity all set v_x v_y v_z")
HEAP = GRAINS.replace("0 8 0 8", "0 25 0 25").replace("0.2 7.8 0.2 7.8 0.6 6", "0.2 24.8 0.2 24.8 0.4 6").replace(
    "sc 1.1", "sc 1.1 origin 0 0 0.5")
THERMOSTAT = GAS + "fix random all langevin 1.0 2.0 0.5 4711"
STREAM = "\ncompute stream all temp/partial 1 0 1\nfix_modify {} temp stream"
TILTED = GAS.replace("block 0 10 0 10 0 10", "prism 0 10 0 10 0 10 2 1 -1.5")


def integrated_by(fix: str, system: str = GAS) -> str:
    """A system with another fix in the place of fix nve; the words of the fix begin with its group."""
    return system.replace("all nve", fix)


RANDOM: Dict[str, str] = {
    "langevin": THERMOSTAT,
    "langevin with scale and zero": THERMOSTAT + " scale 2 1.5 zero yes",
    "langevin of a group": GAS + "group some id 1:4000:3\nfix random some langevin 1.0 2.0 0.5 4711",
    # with three parts the last one begins so far ahead in the sequence that it jumps there
    "langevin of most atoms": GAS + "group most id > 300\nfix random most langevin 1.0 2.0 0.5 4711",
    "langevin with a bias": THERMOSTAT + STREAM.format("random"),
    "langevin with a temperature of each atom": GAS
    + "variable t atom 1+x/20\nfix random all langevin v_t 2.0 0.5 4711",
    "langevin that tallies": THERMOSTAT + " tally yes\nthermo_style custom step f_random",
    "langevin that tallies and takes the mean away": THERMOSTAT
    + " tally yes zero yes\nthermo_style custom step f_random",
    "langevin with a bias that tallies": THERMOSTAT + " tally yes" + STREAM.format("random")
    + "\nthermo_style custom step f_random",
    "langevin gjf that tallies": GAS.replace(
        "fix integrate", "fix random all langevin 1.0 2.0 0.5 4711 tally yes gjf vhalf\nfix integrate")
    + "thermo_style custom step f_random",
    "langevin with spins": HEAP.replace("velocity all create 1.0 2345 loop geom\n", "")
    .replace("pair_style gran/hooke/history 20000.0 NULL 50.0 NULL 0.5 1", "pair_style zero 1.2")
    + "fix random all langevin 1.0 2.0 0.5 4711 omega yes",
}

MOVERS: Dict[str, str] = {
    "nve/limit": integrated_by("all nve/limit 0.005")
    + "fix fall all gravity 9.0 vector 1 2 -2\nthermo_style custom step f_integrate",
    "gravity": GAS + "fix fall all gravity 3.0 vector 1 2 -2\nthermo_style custom step f_fall",
    "gravity that changes": GAS
    + "variable g equal 3+step\nfix fall all gravity v_g vector 1 2 -2\nthermo_style custom step f_fall",
    "nvt": integrated_by("all nvt temp 1.0 2.0 0.1"),
    "nvt with a bias": integrated_by("all nvt temp 1.0 2.0 0.1") + STREAM.format("integrate"),
    "npt": integrated_by("all npt temp 1.0 2.0 0.1 iso 0 1 0.5"),
    "npt with a box that shears": integrated_by("all npt temp 1.0 2.0 0.1 tri 0 1 0.5", TILTED),
    "npt of a group that alone follows the box": integrated_by("some npt temp 1.0 2.0 0.1 aniso 0 1 0.5 dilate some",
                                                               TILTED.replace("fix ", "group some id 1:2500\nfix ")),
    "nph": integrated_by("all nph x 0 1 0.5 y 0 1 0.5"),
    "temperature of a group that changes": GAS
    + "variable low atom z<9\ngroup moving dynamic all every 2 var low\ncompute t moving temp\n"
                                                 "thermo_style custom step c_t c_t[*]",
    "grains": HEAP,
    "grains of which some are frozen": HEAP.replace(
        "fix gravity", "region floor block INF INF INF INF INF 1.2 units box\ngroup low region floor\n"
                                                    "group free subtract all low\nfix frozen low freeze\nfix gravity")
    .replace("all nve/sphere", "free nve/sphere") + "thermo_style custom step f_frozen[*]",
    "grains on a floor that goes up and down": HEAP.replace("zplane 0.0 10.0", "zplane 0.0 NULL wiggle z 0.3 0.01"),
    "grains between walls that are sheared": HEAP.replace("zplane 0.0 10.0", "zplane 0.0 6.0 shear x 3.0"),
}


def cases(systems, also_on_two_ranks):
    """Cases as (system, ranks, parts)."""
    return [(system, 1, 3) for system in systems] + [(system, 2, 2) for system in also_on_two_ranks]


@pytest.mark.parametrize("system,ranks,parts", cases(
    RANDOM, ("langevin with scale and zero", "langevin of a group", "langevin that tallies and takes the mean away")))
def test_random_forces_are_the_same(servers, tmp_path, system, ranks, parts):
    """Results are the same to the last bit for any number of parts.  Stock code gives other last bits, since compilers
    may fuse products and sums in another way there."""
    stock, one, several = (moved(servers, RANDOM[system], variant, ranks, tmp_path)
                           for variant in (BRICK, threadpool(1), threadpool(parts)))
    assert all(np.array_equal(values, several[1].columns[name]) for name, values in one[1].columns.items())
    assert not moved_otherwise(stock, several, 1e-13)


@pytest.mark.parametrize("system,ranks,parts",
                         cases(MOVERS, ("npt with a box that shears", "grains of which some are frozen")))
def test_atoms_move_as_without(servers, tmp_path, system, ranks, parts):
    expected, found = (moved(servers, MOVERS[system], variant, ranks, tmp_path)
                       for variant in (BRICK, threadpool(parts)))
    assert not moved_otherwise(expected, found, 1e-12)


SHAPES = {
    "two": ("0 0 0", "0.9 0 0"),
    "three": ("0 0 0", "0.9 0 0", "-0.7 0.6 0"),
    "four": ("0 0 0", "0.9 0 0", "-0.3 0.85 0", "-0.3 -0.4 0.75"),
    "angle": ("0 0 0", "0.9 0 0", "-0.3 0.85 0"),
}
"""Positions of the atoms of a cluster, all bound to the first one."""

CLUSTERS = """\
units lj
atom_style angle
region box block 0 25 0 25 0 25 units box
create_box 1 box bond/types 1 angle/types 2 extra/bond/per/atom 3 extra/angle/per/atom 3 extra/special/per/atom 6
mass 1 1.3
{molecules}
lattice sc 0.03 origin 0.01 0.02 0.03
create_atoms 0 box mol two 1
lattice sc 0.03 origin 0.51 0.02 0.03
create_atoms 0 box mol three 2
lattice sc 0.03 origin 0.01 0.52 0.03
create_atoms 0 box mol four 3
lattice sc 0.03 origin 0.51 0.52 0.03
create_atoms 0 box mol angle 4
bond_style harmonic
bond_coeff 1 100 0.9
angle_style harmonic
angle_coeff 1 50 110
angle_coeff 2 50 120
pair_style zero 1.5
pair_coeff * *
comm_modify cutoff 2.5
neighbor 0.3 bin
variable x atom 1.5*sin(id*id)
variable y atom sin(3*id)
variable z atom cos(id*id)
velocity all set v_x v_y v_z
fix integrate all nve
fix rigid all shake 1e-6 30 0 b 1 a 1
timestep 0.004
compute s all stress/atom NULL fix
compute ss all reduce sum c_s[*]
thermo_style custom step temp pxx pyy pzz pxy pxz pyz c_ss[*]
"""


def grown(system: str) -> str:
    """The same with masses of atoms, of which each step makes others."""
    for old, new in (("atom_style angle", "atom_style hybrid sphere 1 angle"), ("mass 1 1.3\n", ""),
                     ("timestep", "set group all density 1.1 diameter 1\nvariable grow equal 1.0+0.001*step\n"
                                  "fix grow all adapt 1 atom diameter v_grow\ntimestep")):
        system = system.replace(old, new)
    return system


@pytest.mark.parametrize("ranks,parts,masses", ((1, 3, "of types"), (2, 2, "of types"), (2, 3, "that grow")))
def test_clusters_of_all_kinds_are_constrained_as_without(servers, tmp_path, ranks, parts, masses):
    """Clusters across the border of a rank are included, and so is their share of pressure and stress.

    The last bit of a squared distance (1e-16) is divided by the way that a force moves an atom in a step,
    dt^2/2 = 8e-6: forces can be the same to 1e-11 at best. All else that they lead to is.
    """
    for name, positions in SHAPES.items():
        bonds = [f"{number} 1 1 {number + 1}" for number in range(1, len(positions))]
        sections = {"Coords": [f"{number + 1} {position}" for number, position in enumerate(positions)],
                    "Types": [f"{number + 1} 1" for number in range(len(positions))], "Bonds": bonds}
        if len(positions) == 3:
            sections["Angles"] = [f"1 {1 if name == 'angle' else 2} 2 1 3"]
        head = f"A cluster\n\n{len(positions)} atoms\n{len(bonds)} bonds\n{len(sections.get('Angles', []))} angles\n"
        (tmp_path / name).write_text(head + "".join(f"\n{title}\n\n" + "\n".join(lines) + "\n"
                                                    for title, lines in sections.items()))
    system = CLUSTERS.format(molecules="\n".join(f"molecule {name} {tmp_path / name}" for name in SHAPES))
    if masses == "that grow":
        system = grown(system)
    expected, found = (moved(servers, system, variant, ranks, tmp_path) for variant in (BRICK, threadpool(parts)))
    assert max(np.abs(expected[0][0].columns["Pxy"])) > 1e-3
    wrong = moved_otherwise(expected, found, 1e-11)
    assert set(wrong) <= {"fx", "fy", "fz"} and max(wrong.values(), default=0.0) < 1e-10, wrong


def test_sums_are_the_same_bits_for_any_number_of_parts(servers):
    """The sums are the temperature and the values that depend on it; a sum over all atoms in sequence would have other
    bits."""
    system = integrated_by("all npt temp 1.0 2.0 0.1 iso 0 1 0.5") + (
        "thermo_style custom step temp press vol\nthermo_modify temp integrate_temp format float %.17g\n"
        "thermo 5\nrun 10\n")
    found = [read_thermo(servers.server(1, variant).run(f"{variant.command}\n{system}"))
             for variant in map(threadpool, (1, 2, 3))]
    for (one,), (other,) in zip(found, found[1:]):
        assert all(np.array_equal(one.columns[name], other.columns[name]) for name in ("Temp", "Press", "Volume"))


SCENARIOS = {
    "atoms are deleted and created": "run 5\nregion hole sphere 4 4 4 2.0 units box\n"
                                     "delete_atoms region hole compress no\nrun 5\n"
                                     "create_atoms 2 single 4.0 4.0 4.0 units box\nrun 5\n",
    "the box changes": "run 5\nreplicate 2 1 1\nrun 5\nchange_box all x scale 1.05 remap\nrun 5\n",
    "coefficients change": "run 5\npair_coeff 1 1 1.3 0.95\nrun 5\nspecial_bonds lj 0.5 0.5 0.5\nrun 5\n",
    "fix adapt changes coefficients": "variable eps equal 1.0+0.01*step\nfix a all adapt 2 pair lj/cut epsilon * * "
                                      "v_eps\nrun 11\n",
    "a minimisation": "minimize 0 0 12 1000\nrun 5\n",
    "a minimisation with fire": "min_style fire\nminimize 0 0 20 1000\n",
    "restart and continue": "run 7\nwrite_restart {folder}/r\nclear\n{again}\nread_restart {folder}/r\n"
                            "neigh_modify every 2 delay 0 check no\n"
                            "fix integrate all nve\nthermo_modify norm no format float %.17g\nrun 7\n",
    "restart of npt": "unfix integrate\nfix integrate all npt temp 1 1 0.1 iso 0 0 0.5\nrun 7\n"
                      "write_restart {folder}/r\nclear\n{again}\nread_restart {folder}/r\n"
                      "fix integrate all npt temp 1 1 0.1 iso 0 0 0.5\nthermo_modify norm no format float %.17g\n"
                      "run 7\n",
    "thermostats take turns": "run 3\nfix random all langevin 1.0 1.0 0.1 4711\nrun 3\nunfix random\nunfix integrate\n"
                              "fix integrate all nvt temp 1 1 0.1\nrun 3\n"
                              "compute_modify thermo_temp extra/dof 9\nfix_modify integrate temp thermo_temp\nrun 3\n",
    "fixes on a rank without atoms": "region slab block 0.3 3.9 INF INF INF INF side out units box\n"
                                     "delete_atoms region slab compress no\nunfix integrate\n"
                                     "fix integrate all npt temp 1 1 0.1 aniso 0 0 0.5\n"
                                     "fix random all langevin 1.0 1.0 0.1 4711 zero yes\n"
                                     "fix fall all gravity 1.0 vector 0 1 0\nrun 3\nunfix integrate\n"
                                     "fix integrate all nve/limit 0.01\nrun 3\n",
    "rerun": "dump d all custom 5 {folder}/d id type x y z\ndump_modify d format float %.17g\nrun 10\nundump d\n"
             "rerun {folder}/d dump x y z\n",
    "a dynamic group": "variable low atom z<4\ngroup moving dynamic all every 2 var low\nunfix integrate\n"
                       "fix integrate moving nve\nrun 10\n",
    "evaporation": "region r block INF INF INF INF 4 INF\nfix e all evaporate 5 3 r 4711\nrun 12\n",
    "deposition": "region r block 0 8 0 8 2 8 units box\nfix d all deposit 5 1 3 4711 region r near 0.9 vz -1 -1\n"
                  "run 12\n",
    "another pair style, then this one again": "run 3\npair_style morse 2.5\npair_coeff * * 2.0 5.0 1.1\nrun 3\n"
                                               "pair_style lj/cut 2.5\n"
                                               "pair_coeff * * 1.0 1.0\nrun 3\n",
    "rRESPA on one level": "run_style respa 2 2 pair 2\nrun 5\n",
    "a compute with a half list": "compute c all coord/atom cutoff 1.3\ncompute g all group/group all\n"
                                  "compute cc all reduce sum c_c\n"
                                  "thermo_style custom step pe c_g c_cc\nthermo_modify norm no format float %.17g\n"
                                  "thermo 2\nrun 6\n",
    "pairs one by one": "compute p all pair/local eng force\ncompute pp all reduce sum c_p[1] c_p[2] inputs local\n"
                        "thermo_style custom step pe c_pp[*]\n"
                        "thermo_modify norm no format float %.17g\nthermo 2\nrun 6\n",
}

BONDED_SCENARIOS = {
    "stresses about centroids": "compute c all centroid/stress/atom NULL bond angle dihedral improper\n"
                                "compute cc all reduce sum c_c[1] c_c[4] c_c[7] c_c[9]\n"
                                "thermo_style custom step pe pxx c_cc[*]\nthermo_modify norm no format float %.17g\n"
                                "run 4\n",
    "fix adapt changes coefficients of bonds": "variable k equal 300.0+5*step\nfix a all adapt 1 bond harmonic k * v_k "
                                               "angle charmm k * v_k\nrun 6\n",
    "coefficients of bonds change": "run 3\nbond_coeff 1 200.0 1.6\ndihedral_coeff 3 0.4 1 60 0.7\n"
                                    "improper_coeff 2 9.0 10.0\nrun 3\n",
    "bonds are deleted": "run 3\ngroup some id 1:100\ndelete_bonds some bond 1 remove special\n"
                         "delete_bonds all dihedral 2\nrun 3\n",
    "bonds are made": "run 3\ncreate_bonds many all all 1 1.55 2.4\nrun 3\n",
    "SHAKE takes bonds over": "run 2\nfix s all shake 1e-10 100 0 b 1\nrun 4\nunfix s\nrun 4\n",
    "other bonded styles, then these again": "run 3\nbond_style morse\nbond_coeff * 80.0 2.0 1.5\ndihedral_style opls\n"
                                             "dihedral_coeff * 1.0 0.5 0.2 0.1\nrun 3\n"
                                             "bond_style harmonic\nbond_coeff * 300.0 1.5\nrun 3\n",
    "molecules are replicated": "run 3\nreplicate 1 2 1\nrun 3\n",
    "molecules are minimised": "minimize 0 0 8 1000\nrun 3\n",
    "restart of molecules": "run 7\nwrite_restart {folder}/r\nclear\n{again}\nread_restart {folder}/r\n"
                            "neigh_modify every 2 delay 0 check no\n"
                            "fix integrate all nve\ntimestep 0.5\nthermo_modify norm no format float %.17g\nrun 7\n",
    "rRESPA with bonds inside": "pair_style lj/cut/coul/cut 6.0\npair_coeff * * 0.05 2.0\ndihedral_style opls\n"
                                "dihedral_coeff * 1.0 0.5 0.2 0.1\n"
                                "run_style respa 3 2 2 bond 1 angle 1 dihedral 2 improper 2 pair 3\nrun 5\n",
    "bonds one by one": "compute b all bond/local dist engpot force\n"
                        "compute bb all reduce sum c_b[1] c_b[2] c_b[3] inputs local\n"
                        "compute d all dihedral/local phi\ncompute dd all reduce sum c_d inputs local\n"
                        "thermo_style custom step pe c_bb[*] c_dd\n"
                        "thermo_modify norm no format float %.17g\nrun 4\n",
}
METAL_SCENARIOS = {
    "a full list that is built when it is asked for": "compute c all centro/atom 12\ncompute cc all reduce sum c_c\n"
                                                      "thermo_style custom step pe c_cc\n"
                                                      "thermo_modify norm no format float %.17g\nthermo 3\nrun 9\n",
}
ALL_SCENARIOS = {**{name: (METAL, body) for name, body in METAL_SCENARIOS.items()},
                 **{name: (LJ, body) for name, body in SCENARIOS.items()},
                 **{name: (MOLECULES, body) for name, body in BONDED_SCENARIOS.items()}}


@pytest.mark.parametrize("parts,ranks", ((1, 2), (3, 1)))
@pytest.mark.parametrize("scenario", ALL_SCENARIOS)
def test_what_scripts_do_works_as_without(servers, tmp_path, scenario, parts, ranks):
    system, commands = ALL_SCENARIOS[scenario]
    expect_same_script(servers, f"{system}\nthermo 1\n{commands}", threadpool(parts), ranks, tmp_path)


@pytest.mark.parametrize("parts", (1, 4))
def test_bonds_that_are_too_long_are_warned_about_as_without(servers, parts):
    """The run is on one rank, since output lines of several ranks may get mixed."""
    warned = []
    for variant in (BRICK, threadpool(parts)):
        output = servers.server(1, variant).run(
            f"{variant.command}\n{CHAINS}\nbond_coeff 1 30.0 1.14 1.0 1.0\nthermo_modify warn 1000000\nrun 0\n")
        warned.append(sorted(re.findall(r"FENE bond too long: (\d+ \d+ \d+) (\d+\.\d{1,9})", output)))
    assert 0 < len(warned[0]) < 100
    assert warned[0] == warned[1]


def test_a_bond_that_is_far_too_long_is_an_error(servers):
    variant = threadpool(2)
    with pytest.raises(CaseFailed, match="Bad FENE bond"):
        servers.server(1, variant).run(f"{variant.command}\n{CHAINS}\nbond_coeff 1 30.0 0.4 1.0 1.0\nrun 0\n")


@pytest.mark.parametrize("variant", (BRICK, threadpool(1), threadpool(2), threadpool(1, "p2p/rdma")), ids=str)
def test_positions_that_are_no_numbers_end_the_run(servers, variant):
    """Two atoms in one place have no force that is a number."""
    script = f"{variant.command}\n{LJ}\nvariable x equal x[1]\nvariable y equal y[1]\nvariable z equal z[1]\nrun 0\n"
    script += ("variable x equal $x\nvariable y equal $y\nvariable z equal $z\n"
               "create_atoms 1 single $x $y $z units box\nrun 4\n")
    with pytest.raises(CaseFailed, match="Non-numeric"):
        servers.server(2, variant).run(script)


def test_energy_of_pairs_of_a_metal_adds_up(servers):
    """The energy of embedding is shared among the pairs of a half list, also if the forces come from a full list."""
    script = "{}\n" + METAL + """compute p all pair/local eng
compute pp all reduce sum c_p inputs local
thermo_style custom step pe c_pp
thermo_modify norm no format float %.17g
run 4
"""
    for parts, ranks in ((1, 1), (1, 2), (3, 2)):
        variant = threadpool(parts)
        (thermo,) = read_thermo(servers.server(ranks, variant).run(script.format(variant.command)))
        assert np.allclose(thermo.columns["PotEng"], thermo.columns["c_pp"], rtol=1e-12)


def test_mixed_precision_is_single_in_pairs_alone(servers, tmp_path):
    """Mixed precision gives other bits than double precision, but energies and forces agree to the accuracy that the
    page states; each run gives the same bits."""
    moved = "displace_atoms all random 0.05 0.05 0.05 31 units box\n"
    one_type = "".join(line + "\n" for line in LJ.splitlines() if "fraction" not in line and "pair_coeff 2" not in line)
    for system, parts, ranks in ((one_type, 1, 2), (LJ, 2, 1), (CHARGES, 2, 2), (CHARGES, 1, 2), (BILAYER, 3, 1),
                                 (BILAYER, 1, 1), (TRICLINIC, 1, 2)):
        found = []
        variant, path = threadpool(parts), tmp_path / "dump"
        for precision in ("double", "mixed", "mixed"):
            command = variant.command.replace(f"threadpool {parts}", f"threadpool {parts} precision {precision}")
            output = servers.server(ranks, variant).run(
                "\n".join([command, system, moved, ANALYSIS, "run 5", dump(path, columns="fx fy fz c_e c_s[1]")]))
            found.append((read_thermo(output)[0], read_snapshot(path)))
        double, mixed, again = found
        assert all(np.array_equal(values, again[1].columns[name]) for name, values in mixed[1].columns.items())
        assert abs(mixed[0].columns["PotEng"][0] / double[0].columns["PotEng"][0] - 1.0) < 1e-5
        for column in ("fx", "fy", "fz", "c_e", "c_s[1]"):
            assert 1e-9 < largest_difference(double[1].columns[column], mixed[1].columns[column]) < 1e-4, column


def in_precision(variant: Variant, precision: str) -> str:
    """The command of a variant with the suffix, with that precision."""
    return variant.command.replace(f"threadpool {variant.parts}", f"threadpool {variant.parts} precision {precision}")


CLUSTERED: Dict[str, str] = {
    "cut-offs of pairs of types": SOLVED,
    "newton off": "newton off\n" + SOLVED,
    "one cut-off, atoms without Lennard-Jones forces": SOLVED.replace("2.5 2.4", "2.5 2.5").replace(
        "pair_coeff * * 1.0 1.0\n", "pair_coeff * * 0.0 1.0\npair_coeff 1 1 1.0 1.0 2.5\n").replace(
            "pair_coeff 2 2 0.8 0.9 2.0\n", ""),
    "triclinic": SOLVED.replace("region box block 0 5 0 5 0 5", "region box prism 0 5 0 5 0 5 1.3 -0.8 0.6"),
    "molecules, switched": MOLECULES.replace("lj/charmm/coul/charmm 5.0 6.0", "lj/charmm/coul/long 5.0 6.0")
    + "kspace_style pppm 1e-4\n",
    "hybrid": SOLVED.replace("lj/cut/coul/long", "hybrid/overlay yukawa 1.2 2.2 lj/cut/coul/long").replace(
        "pair_coeff * * ", "pair_coeff * * lj/cut/coul/long ").replace(
            "pair_coeff 2 2 ", "pair_coeff 1 2 yukawa 0.7\npair_coeff 2 2 lj/cut/coul/long "),
    "rows of other ranks, a rank without atoms": SOLVED.replace(
        "region box block 0 5 0 5 0 5", "region box block 0 16 0 5 0 5\nregion left block 0 4.9 0 5 0 5").replace(
            "create_atoms 1 box", "create_atoms 1 region left") + "fix ring all ring/balance 1 1.0\n",
    "a few atoms far from all others": SOLVED.replace(
        "region box block 0 5 0 5 0 5", "region box block 0 60 0 60 0 5\nregion middle block 27 32 27 32 0 5").replace(
            "create_atoms 1 box", "create_atoms 1 region middle\ncreate_atoms 1 single 2 3 1\n"
            "create_atoms 1 single 57 4 3\ncreate_atoms 1 single 30 55 2"),
}


@pytest.mark.parametrize("system", CLUSTERED)
@pytest.mark.parametrize("parts,comm,ranks", ((1, "brick", 1), (1, "p2p/rdma", 2), (2, "brick", 3), (3, "p2p/rdma", 1)))
def test_forces_from_clusters_of_atoms_are_those_of_rows_to_single_precision(servers, tmp_path, system, parts, comm,
                                                                             ranks):
    """With AVX2 or AVX-512, steps without energies take pairs from clusters; energies are wanted in each step, or in
    the last one alone."""
    if "ring/balance" in CLUSTERED[system] and comm == "brick":
        pytest.skip("fix ring/balance needs comm_style p2p/rdma")
    variant = threadpool(parts, comm)
    shake = "displace_atoms all random 0.05 0.05 0.05 31 units box\n"
    found = {}
    for name, precision, every in (("double", "double", 3), ("rows", "mixed", 1), ("clusters", "mixed", 3),
                                   ("again", "mixed", 3)):
        servers.server(ranks, variant).run(
            f"{in_precision(variant, precision)}\n{CLUSTERED[system]}{shake}neigh_modify every 10\nthermo {every}\n"
            f"dump forces all custom 2 {tmp_path / name}.* id x y z fx fy fz\n"
            f"dump_modify forces sort id format float %.17g\nrun 3\n")
        found[name] = read_snapshot(tmp_path / f"{name}.2").columns
    for column in ("fx", "fy", "fz"):
        assert np.array_equal(found["again"][column], found["clusters"][column])
        for name in ("rows", "clusters"):
            assert 1e-9 < largest_difference(found["double"][column], found[name][column]) < 1e-4
        features = Path("/proc/cpuinfo").read_text(encoding="utf-8")
        if "avx2" in features:
            assert not np.array_equal(found["rows"][column], found["clusters"][column])


def test_clusters_follow_what_a_script_changes_between_runs(servers, tmp_path):
    """Splitting parameter, coefficients and charges."""
    variant = threadpool(2, "p2p/rdma")
    found = {}
    for precision in ("double", "mixed"):
        servers.server(2, variant).run(
            f"{in_precision(variant, precision)}\n{SOLVED}displace_atoms all random 0.05 0.05 0.05 31 units box\n"
            f"neigh_modify every 10\nthermo 7\nrun 7\nkspace_modify gewald 1.3\nrun 7\n"
            f"pair_coeff 1 1 1.3 0.95\nset type 1 charge 0.5\nset type 2 charge -0.7\n"
            f"dump forces all custom 20 {tmp_path / precision}.* id x y z fx fy fz\n"
            f"dump_modify forces sort id format float %.17g\nrun 7\n")
        found[precision] = read_snapshot(tmp_path / f"{precision}.20").columns
    for column in ("fx", "fy", "fz"):
        assert 1e-9 < largest_difference(found["double"][column], found["mixed"][column]) < 1e-4


@pytest.mark.parametrize("parts,comm,ranks", ((2, "brick", 1), (1, "p2p/rdma", 2)))
def test_energy_is_conserved_with_clusters_of_atoms_as_in_double_precision(servers, parts, comm, ranks):
    """Over lists of ten steps; trajectories are the same up to there to six digits."""
    variant = threadpool(parts, comm)
    change, kinetic = [], 0.0
    for precision in ("double", "mixed"):
        output = servers.server(ranks, variant).run(
            f"{in_precision(variant, precision)}\n{SOLVED}neigh_modify every 10\n"
            f"thermo_style custom step etotal ke\nthermo_modify norm no format float %.17g\nthermo 100\nrun 100\n")
        columns = read_thermo(output)[-1].columns
        change.append(columns["TotEng"][-1] - columns["TotEng"][0])
        kinetic = columns["KinEng"][-1]
    assert abs(change[1] - change[0]) < 1e-5 * kinetic


def test_mixed_precision_gives_way_to_double_where_sub_boxes_are_too_wide(installation, tmp_path):
    """The sub-box is 90 neighbor cut-offs wide on one rank, and 23 on each of four ranks."""
    wide = LJ.replace("block 0 5 0 5 0 5", "block 0 150 0 3 0 3") + (
        "displace_atoms all random 0.05 0.05 0.05 31 units box\n"
        "thermo_style custom step pe\nthermo_modify format float %.17g\nrun 0\n")
    start = "processors * 1 1\npackage threadpool 1 precision {}\nsuffix threadpool\n"
    energies, warned = {}, {}
    for precision, ranks in (("double", 1), ("mixed", 1), ("mixed", 4)):
        output = run_script(installation, start.format(precision) + wide, ranks, tmp_path).expect_success().output
        energies[precision, ranks] = read_thermo(output)[0].columns["PotEng"][0]
        warned[precision,
               ranks] = "neighbor cutoffs wide, so that coordinates in single precision are too inexact" in output
    exact = energies["double", 1]
    assert abs(energies["mixed", 1] / exact - 1.0) < 1e-13 < abs(energies["mixed", 4] / exact - 1.0) < 1e-5
    assert warned == {("double", 1): False, ("mixed", 1): True, ("mixed", 4): False}


def test_styles_are_set_up_anew_where_the_pool_has_been_deleted_before_a_run_without_set_up(installation, tmp_path):
    """The run without set-up makes the pool anew, with the settings of a command that was never given."""
    runs = ("run 5\nunfix THREADPOOL\nrun 5 pre no\n", "run 5\nrun 5\n")
    thermo = "thermo_style custom step pe\nthermo_modify format float %.17g\n"
    start = f"package threadpool 2\nsuffix threadpool\n{METAL}{thermo}"
    ends = [read_thermo(run_script(installation, start + run, 1, tmp_path).expect_success().output)[-1].columns[
        "PotEng"][-1] for run in runs]
    assert ends[0] == pytest.approx(ends[1], rel=1e-11)


WRONG = {
    "package threadpool": "missing number of parts",
    "package threadpool two": r"number of parts: two \(allowed: an integer from 0 to 1024\)",
    "package threadpool -1": "number of parts: -1",
    "package threadpool 2 color red":
        r"keyword: color \(allowed: balance, check, comm, fft, map, overlap, pin, place, precision, profile, spin\)",
    "package threadpool 2 spin": "Missing value after package threadpool keyword: spin",
    "package threadpool 2 spin long": r"spin value: long \(allowed: 0 to",
    "package threadpool 2 precision single": r"precision value: single \(allowed: double, mixed\)",
    "package threadpool 2 pin maybe": r"pin value: maybe \(allowed: yes, no\)",
    "package threadpool 2 comm tiled": "comm value: tiled",
    "package threadpool 2 balance walls": r"balance value: walls \(allowed: no, ring NEVERY THRESH\)",
    "package threadpool 2 balance ring 10": "Missing values after package threadpool keyword: balance ring",
    "package threadpool 2 balance ring ten 1.05": "balance ring Nevery: ten",
    "package threadpool 2 balance ring 10 0.9": "balance ring thresh: 0.9",
    LJ + "package threadpool 2": "after simulation box is defined",
    LJ + "fix x all THREADPOOL": "added by the package threadpool command only",
}


@pytest.mark.full
@pytest.mark.parametrize("script", WRONG, ids=lambda script: script.splitlines()[-1])
def test_wrong_settings_are_explained(servers, script):
    with pytest.raises(CaseFailed, match=WRONG[script]):
        servers.server(1, threadpool(1)).run(script)


def test_threads_are_as_many_as_processors_whatever_the_parts(installation, tmp_path):
    """A rank that may use one processor has one thread, and gives the same results with four parts."""
    script = "package threadpool 4\nsuffix threadpool\n" + LJ + "run 10\n"
    free = run_script(installation, script, 1, tmp_path).expect_success().output
    bound = run_script(installation, script, 1, tmp_path, wrapper=("taskset", "-c", "0")).expect_success().output
    assert re.search(r"cut into 4 parts, 1 thread per rank \(no more processors\)", bound)
    assert "cut into 4 parts" in free
    for one, two in zip(read_thermo(free), read_thermo(bound)):
        assert all(np.array_equal(values, two.columns[name]) for name, values in one.columns.items())


REDUCED = "neigh_modify collection/type 2 1 2\ncomm_modify mode multi reduce/multi\n"
TWO_SIZES = LJ.replace("neighbor 0.3 bin", "neighbor 0.3 multi") + REDUCED
NO_FULL_LISTS = {
    "lj/cut": TWO_SIZES,
    "lj/cut in a triclinic box": TWO_SIZES.replace("region box block 0 5 0 5 0 5",
                                                   "region box prism 0 5 0 5 0 5 1.3 -0.8 0.6"),
    "adp": METALS_OF_ADP.replace("neighbor 1.0 bin", "neighbor 1.0 multi") + REDUCED,
    "eam/cd": ALLOY.replace("neighbor 1.0 bin", "neighbor 1.0 multi") + REDUCED,
    "eam/cd/old": PAIR_CONCENTRATIONS.replace("neighbor 1.0 bin", "neighbor 1.0 multi") + REDUCED,
}
"""LAMMPS refuses full lists where ghosts come from the cut-off of their own collection alone."""


@pytest.mark.parametrize("name, ranks, style", [(name, 1 + number % 2, STYLES[number // 2 % 2])
                                                for number, name in enumerate((*NO_FULL_LISTS, "lj/cut"))])
def test_half_lists_are_taken_where_lammps_refuses_full_ones(servers, tmp_path, name, ranks, style):
    system = NO_FULL_LISTS[name]
    assert not differences_from_brick(servers, system, threadpool(2, style), ranks, tmp_path)


def test_levels_of_pair_forces_name_the_suffix_and_the_remedy(servers):
    """LAMMPS' sentence remains for styles that have no levels without the suffix."""
    script = f"{threadpool(1).command}\n{{}}run_style respa 2 4 inner 1 1.5 1.8 outer 2\nrun 1\n"
    with pytest.raises(CaseFailed, match="one level of rRESPA: .*write 'pair' in place of 'inner'.*or 'suffix off'"):
        servers.server(1, threadpool(1)).run(script.format(LJ))
    with pytest.raises(CaseFailed, match="does not support rRESPA inner/middle/outer"):
        servers.server(1, threadpool(1)).run(script.format(METAL))


def test_a_fix_may_be_the_first_that_needs_the_pool(installation, tmp_path):
    """Neither a package command nor another style has asked for it."""
    script = ("suffix threadpool\nlattice fcc 0.8442\nregion box block 0 4 0 4 0 4\ncreate_box 1 box\n"
              "create_atoms 1 box\nmass * 1.0\n")
    script += ("pair_style soft 1.0\npair_coeff * * 10.0\ndisplace_atoms all random 0.1 0.1 0.1 4711\n"
               "fix integrate all nve\nrun 10\n")
    found = [read_thermo(run_script(installation, text, 2, tmp_path).expect_success().output)
             for text in (script, script.replace("suffix threadpool\n", ""))]
    assert all(np.allclose(values, found[1][0].columns[name], rtol=1e-9)
               for name, values in found[0][0].columns.items())


def test_contacts_with_walls_are_remembered_by_restart_files_with_and_without_the_suffix(installation, tmp_path):
    expect_contacts_in_restart_files(installation, tmp_path, GRAINS, 8, ranks=(2, 2, 3, 3, 1))


def test_settings_may_be_given_again(installation, tmp_path):
    """Settings may be given several times: the last ones count, and all processors are still available."""
    once = run_script(installation, "package threadpool 2\nsuffix threadpool\n" + LJ + "run 5\n", 1,
                      tmp_path).expect_success().output
    twice = run_script(installation, "package threadpool 3\npackage threadpool 2\nsuffix threadpool\n" + LJ + "run 5\n",
                       1, tmp_path)
    said = [re.search("TOFU threadpool: .*", output).group(0) for output in (once, twice.expect_success().output)]
    assert said[0] == said[1]


HYBRIDS = {
    "second for some pairs": "hybrid/overlay lj/cut 2.5 lj/cut 1.8\npair_coeff * * lj/cut 1 1.0 1.0\n"
                             "pair_coeff 1 2 lj/cut 2 0.2 0.9\n",
    "one each": "hybrid lj/cut 2.5 morse 2.5\npair_coeff 1 1 morse 1.0 2.0 1.2\npair_coeff * 2 lj/cut 1.0 1.0\n"}


@pytest.mark.parametrize("pairs", HYBRIDS)
@pytest.mark.parametrize("parts", (1, 2))
def test_coefficients_of_types_that_a_substyle_does_not_have_are_never_read(installation, tmp_path, pairs, parts):
    """These coefficients are never set. The C library fills new memory with a pattern that is a large number, so that
    code that reads a coefficient gives a wrong result."""
    script = ("lattice fcc 0.8442\nregion box block 0 4 0 4 0 4\ncreate_box 2 box\ncreate_atoms 1 box\nmass * 1.0\n"
              "set group all type/fraction 2 0.4 4711\n")
    script += (f"pair_style {HYBRIDS[pairs]}velocity all create 1.44 87287 loop geom\nfix integrate all nve\nthermo 5\n"
               f"run 10\n")
    variants = (BRICK, threadpool(parts))
    expected, found = (read_thermo(run_script(installation, f"{variant.command}\n{script}", 1, tmp_path,
                                              environment={"MALLOC_PERTURB_": "165"})
                                   .expect_success().output)[0] for variant in variants)
    for name in ("E_pair", "Press"):
        assert np.allclose(found.columns[name], expected.columns[name], rtol=1e-6, atol=1e-6), name
