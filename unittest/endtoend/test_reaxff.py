# SPDX-License-Identifier: GPL-2.0-only
"""ReaxFF with the suffix /threadpool: bonds, charges and pairs are those of LAMMPS' style, for LAMMPS' examples, also
where bonds and their neighbors are spread over ranks, and bits do not depend on the number of parts."""

import re
from typing import Dict, Tuple

import numpy as np
import pytest

from lammps_output import read_snapshot
from lammps_run import BRICK, Variant, run_script, threadpool
from lammps_server import CaseFailed
from suffix_runs import thermo_of

EXAMPLES: Dict[str, Tuple[str, str, str]] = {
    "water": ("water/data.water", "water/qeq_ff.water", "O H"),
    "explosive": ("HNS/data.hns-equil", "HNS/ffield.reax.hns", "C H O N"),
    "metal and oxygen": ("AuO/data.AuO", "AuO/ffield.reax.AuO", "O Au"),
    "hydrocarbon and oxygen": ("CHO/data.CHO", "CHO/ffield.reax.cho", "H C O"),
    "iron hydroxide": ("FeOH3/data.FeOH3", "FeOH3/ffield.reax.Fe_O_C_H", "H O Fe"),
    "nitramine": ("RDX/data.RDX", "RDX/ffield.reax.rdx", "H C O N"),
    "vanadium oxide": ("VOH/data.VOH", "VOH/ffield.reax.V_O_C_H", "H C O V"),
    "zinc hydroxide": ("ZnOH2/data.ZnOH2", "ZnOH2/ffield.reax.ZnOH", "H O Zn"),
    "walls inside atoms": ("AB/data.AB", "AB/ffield.reax.AB", "H B N"),
    "layers": ("data.tatb", "ffield.reax", "C H O N"),
}
"""Atoms, force field and elements of LAMMPS' examples."""

ATOMS = """\
units real
atom_style charge
atom_modify map array
read_data {examples}/{data}
pair_style reaxff NULL {options}
pair_coeff * * {examples}/{file} {elements}
neighbor {skin} bin
neigh_modify every 10 delay 0 check no
displace_atoms all random 0.02 0.02 0.02 4711
fix integrate all nve
timestep 0.1
"""
CHARGES = "fix charges all qeq/reaxff 1 0.0 10.0 1e-12 reaxff maxiter 400\n"
FIXED_CHARGES = "set type 1 charge 0.11\nset type 2 charge -0.07\n"
TERMS = """\
compute terms all pair reaxff
thermo_style custom step pe evdwl ecoul press pxx pyy pzz pxy pxz pyz c_terms[*]
thermo_modify norm no format float %.17g
thermo 5
"""
BY_ATOM = """\
compute e all pe/atom
compute s all stress/atom NULL
compute ee all reduce sum c_e
compute ss all reduce sum c_s[1] c_s[2] c_s[3] c_s[4] c_s[5] c_s[6]
""" + TERMS.replace("c_terms[*]", "c_terms[*] c_ee c_ss[*]")


OF_CHARGES = ("E_coul", "c_terms[12]", "c_terms[14]")


def system(installation, name: str, charges: bool = True, options: str = "", skin: float = 1.0) -> str:
    """Lines of an example.

    Args:
        installation: the LAMMPS under test.
        name: of EXAMPLES.
        charges: whether they are equilibrated, to 12 digits.
        options: further words of pair_style.
        skin: of the neighbor list, Angstrom.
    """
    data, file, elements = EXAMPLES[name]
    atoms = ATOMS.format(examples=installation.lammps_dir / "examples/reaxff", data=data, file=file, elements=elements,
                         options=options + ("" if charges else " checkqeq no"), skin=skin)
    return atoms + (CHARGES if charges else FIXED_CHARGES)


def results(servers, script: str, variant: Variant, ranks: int, folder, steps: int = 0, columns: str = "q fx fy fz"):
    """Thermo rows, and charges and forces at the end."""
    path = folder / f"{variant}-{ranks}.dump"
    tables = thermo_of(servers, f"{variant.command}\n{script}\nrun {steps}\nwrite_dump all custom {path} id {columns} "
                                "modify sort id format float %.17g", variant, ranks, folder / f"{variant}-{ranks}.log")
    return tables, read_snapshot(path)


def expect_same(expected, found, energies: float = 1e-11, forces: float = 1e-10, charges: float = 1e-10) -> None:
    """Expect thermo rows and atoms to be the same, relative to the largest value of a column, charges in e.

    Terms of charges have one digit less, since the charges are those of an iteration.
    """
    lines = []
    for one, other in zip(expected[0], found[0]):
        for name, values in one.columns.items():
            scale = max(np.max(np.abs(values)), 1.0)
            error = np.max(np.abs(values - other.columns[name])) / scale
            factor = 100.0 if name.startswith(("P", "c_ss")) else 10.0 if name in OF_CHARGES else 1.0
            if not error <= energies * factor:
                lines.append(f"{name}: {error:.1e}")
    largest = max(np.max(np.abs(expected[1].columns[name])) for name in ("fx", "fy", "fz"))
    for name, values in expected[1].columns.items():
        error = np.max(np.abs(values - found[1].columns[name]))
        allowed = charges if name == "q" else forces * largest if name.startswith("f") else np.inf
        if not error <= allowed:
            lines.append(f"{name}: {error:.1e}, allowed {allowed:.1e}")
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize("ranks,parts,style", ((1, 2, "brick"), (4, 1, "p2p/rdma")))
@pytest.mark.parametrize("charges", (True, False))
@pytest.mark.parametrize("name", EXAMPLES)
def test_terms_and_forces_are_the_same(installation, servers, tmp_path, name, charges, ranks, parts, style):
    """Of all terms by themselves."""
    script = system(installation, name, charges) + TERMS
    expect_same(*(results(servers, script, one, ranks, tmp_path) for one in (BRICK, threadpool(parts, style))))


@pytest.mark.parametrize("name", ("water", "layers"))
def test_energies_and_stresses_of_atoms_add_up(installation, servers, tmp_path, name):
    """Those of bonds are shared otherwise among atoms than by LAMMPS, with the same sum."""
    script = system(installation, name) + BY_ATOM
    expected, found = (results(servers, script, one, 2, tmp_path, columns="q fx fy fz c_e")
                       for one in (BRICK, threadpool(2)))
    expect_same(expected, found)
    assert np.allclose(expected[1].columns["c_e"], found[1].columns["c_e"], rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("name", ("water", "hydrocarbon and oxygen"))
def test_twenty_steps_are_the_same(installation, servers, tmp_path, name):
    script = system(installation, name) + TERMS
    expect_same(*(results(servers, script, one, ranks, tmp_path, 20)
                  for one, ranks in ((BRICK, 2), (threadpool(1, "p2p/rdma"), 2))), 1e-9, 1e-8, 1e-8)


#: Of water on two ranks, with those of LAMMPS itself.
MOST_KBYTES = 21.0


def test_memory_is_a_small_part_of_that_of_the_style(installation, tmp_path):
    """By LAMMPS' line, which counts all arrays of a rank, with those of LAMMPS itself."""
    kbytes = []
    for variant in (BRICK, threadpool(1)):
        folder = tmp_path / str(variant)
        folder.mkdir()
        script = f"{variant.command}\n{system(installation, 'water')}run 2\n"
        output = run_script(installation, script, 2, folder).expect_success().output
        told = re.search(r"memory allocation \(min/avg/max\) = \S+ \| (\S+) \| \S+ Mbytes", output)
        kbytes.append(2 * float(told[1]) * 1024.0 / 3000)
    assert kbytes[1] < MOST_KBYTES and kbytes[1] < kbytes[0] / 5.0, kbytes


def test_bits_do_not_depend_on_parts(installation, servers, tmp_path):
    texts = set()
    for number, parts in enumerate((1, 1, 2, 3, 4)):
        folder = tmp_path / str(number)
        folder.mkdir()
        results(servers, system(installation, "layers") + TERMS, threadpool(parts), 1, folder, 12)
        texts.add((folder / f"{threadpool(parts)}-1.dump").read_text())
    assert len(texts) == 1


OPTIONS = ("enobonds no", "safezone 1.0 mincap 1 minhbonds 1", "tabulate 10000", "list/blocking yes")


@pytest.mark.parametrize("options", OPTIONS)
def test_options_are_those_of_the_style(installation, servers, tmp_path, options):
    """What LAMMPS takes from tables is computed here; memory needs no settings."""
    stock = "" if "safezone" in options else options
    scripts = [system(installation, "hydrocarbon and oxygen", options=words) + TERMS for words in (stock, options)]
    expected, found = (results(servers, script, variant, 1, tmp_path)
                       for script, variant in zip(scripts, (BRICK, threadpool(1))))
    if "tabulate" in options:
        expect_same(expected, found, 1e-8, 1e-6, 1e-8)
    else:
        expect_same(expected, found)


@pytest.mark.parametrize("words", ("hbond_cutoff 12.0", "hbond_cutoff 0.0", "nbrhood_cutoff 9.0", "nbrhood_cutoff 2.0",
                                   "thb_cutoff 0.05\nthb_cutoff_sq 0.1"))
def test_words_of_a_control_file_count(installation, servers, tmp_path, words):
    """Hydrogen bonds end where pairs do."""
    (tmp_path / "control").write_text(f"simulation_name test\n{words}\n")
    script = system(installation, "water", charges=False, options="safezone 3.0 mincap 300 minhbonds 300") + TERMS
    script = script.replace("reaxff NULL", f"reaxff {tmp_path}/control")
    expect_same(*(results(servers, script, one, 1, tmp_path) for one in (BRICK, threadpool(2))))


@pytest.mark.parametrize("cut", (4.0, 6.0))
def test_a_short_cutoff_holds_for_all_terms(installation, servers, tmp_path, cut):
    """Of pairs in the force field: bonds and hydrogen bonds do not reach beyond, with LAMMPS' warnings."""
    examples = installation.lammps_dir / "examples/reaxff"
    text = (examples / "water/qeq_ff.water").read_text()
    assert text.count("10.0000") and "Upper Taper-radius" in text
    lines = [f" {cut} ! {line}" if "Upper Taper-radius" in line else line for line in text.splitlines()]
    (tmp_path / "ffield").write_text("\n".join(lines) + "\n")
    script = system(installation, "water", charges=False, options="safezone 3.0 mincap 300 minhbonds 300") + TERMS
    script = script.replace(f"{examples}/water/qeq_ff.water", f"{tmp_path}/ffield")
    expect_same(*(results(servers, script, one, 1, tmp_path) for one in (BRICK, threadpool(2))))


def test_dispersion_of_lgvdw_is_the_same(installation, servers, tmp_path):
    script = system(installation, "layers", options="lgvdw yes").replace(
        f"{installation.lammps_dir}/examples/reaxff/ffield.reax", "ffield.reax.lg") + TERMS
    expect_same(*(results(servers, script, one, 1, tmp_path) for one in (BRICK, threadpool(2))))


@pytest.mark.parametrize("fix", ("acks2/reaxff", "qtpie/reaxff"))
def test_charges_of_other_fixes_are_taken(installation, servers, tmp_path, fix):
    water = installation.lammps_dir / "examples/reaxff/water"
    words = "reaxff maxiter 1000" if fix.startswith("acks2") else f"reaxff {water}/gauss_exp.txt maxiter 1000"
    script = system(installation, "water").replace(
        CHARGES, f"fix charges all {fix} 1 0.0 10.0 1e-12 {words}\n") + TERMS
    if fix.startswith("acks2"):
        script = script.replace("qeq_ff.water", "acks2_ff.water")
    expect_same(*(results(servers, script, one, 2, tmp_path) for one in (BRICK, threadpool(1))), 1e-9, 1e-8, 1e-8)


def test_a_type_without_element_and_another_style(installation, servers, tmp_path):
    """Some atoms have forces of another style alone."""
    script = system(installation, "hydrocarbon and oxygen", charges=False).replace(
        "pair_style reaxff NULL", "set group all type/fraction 3 0.05 4711\n"
                                  "pair_style hybrid/overlay lj/cut 8.0 reaxff NULL").replace(
        "pair_coeff * * ", "pair_coeff * 3 lj/cut 0.02 2.0\npair_coeff * * reaxff ").replace("H C O\n", "H C NULL\n")
    expect_same(*(results(servers, script + TERMS, one, 2, tmp_path) for one in (BRICK, threadpool(2))))


EXCLUDED = {
    "type": "neigh_modify exclude type 1 2\n",
    "group": "group some id <> 20 60\nneigh_modify exclude group some some\n",
}


@pytest.mark.parametrize("what", EXCLUDED)
def test_excluded_pairs_have_no_bonds(installation, servers, tmp_path, what):
    """Such as those of a frozen wall; neither bonds, nor angles with them, nor hydrogen bonds."""
    name = "water" if what == "group" else "hydrocarbon and oxygen"
    script = system(installation, name, charges=False, options="safezone 4.0 mincap 300") + EXCLUDED[what] + TERMS
    expect_same(*(results(servers, script, one, 2, tmp_path, 3) for one in (BRICK, threadpool(2))))


MOLECULE = """\
units real
atom_style full
region box block 0 9 0 9 0 9
create_box 3 box bond/types 1 extra/bond/per/atom 3 extra/special/per/atom 8
create_atoms 2 single 5.0 5.0 5.0
create_atoms 1 single 6.0 5.1 5.0
create_atoms 2 single 5.0 6.4 5.0
create_atoms 3 single 5.0 7.0 6.0
create_atoms 1 single 7.0 5.9 6.0
mass 1 1.0
mass 2 12.0
mass 3 16.0
bond_style zero
bond_coeff 1
create_bonds single/bond 1 1 2
create_bonds single/bond 1 1 3
create_bonds single/bond 1 3 4
special_bonds lj/coul {special}
set group all charge 0.0
set type 1 charge 0.1
pair_style reaxff NULL checkqeq no
pair_coeff * * ffield.reax.cho H C O
neighbor 1.0 bin
fix integrate all nve
timestep 0.1
"""


@pytest.mark.parametrize("ranks", (1, 2))
@pytest.mark.parametrize("special", ("0.0 0.0 0.0", "0.0 1.0 0.5", "1.0 1.0 1.0"))
def test_special_bonds_are_no_bonds(installation, servers, tmp_path, special, ranks):
    """Pairs with a factor of 0 are in no list; other factors have no effect."""
    script = MOLECULE.format(special=special).replace(
        "ffield.reax.cho", f"{installation.lammps_dir}/examples/reaxff/CHO/ffield.reax.cho") + TERMS
    expect_same(*(results(servers, script, one, ranks, tmp_path, 5) for one in (BRICK, threadpool(2))), 1e-9, 1e-9)


def test_types_may_change_without_new_lists(installation, servers, tmp_path):
    """As fix atom/swap changes them: bonds and acceptors are those of the types of a step. Charges stay."""
    script = system(installation, "water", charges=False, options="safezone 3.0 mincap 300 minhbonds 300").replace(
        "read_data", "boundary f f f\nread_data").replace(
        "timestep 0.1", "region upper block INF INF INF INF 9 INF\ndelete_atoms region upper\ntimestep 0.001")
    script += TERMS + ("run 1 post no\nset type 1 type/fraction 2 0.5 77\nset type 2 type/fraction 1 0.3 77\n"
                       "run 2 pre no post no\n")
    tables = [thermo_of(servers, f"{one.command}\n{script}", one, 1, tmp_path / f"{one}.log")
              for one in (BRICK, threadpool(2))]
    for expected, found in zip(*tables):
        for name, values in expected.columns.items():
            assert np.allclose(values, found.columns[name], rtol=1e-9, atol=1e-9), name


def bonds_of(text: str):
    """Lines of a file of fix reaxff/bonds in the order of IDs, with the bonds of an atom in the order of neighbors."""
    lines = []
    for line in text.splitlines():
        words = line.split()
        if line.startswith("#") or not words:
            lines.append((0, line))
            continue
        n = int(words[2])
        neighbors = sorted(zip(map(int, words[3:3 + n]), words[4 + n:4 + 2 * n]))
        lines.append((int(words[0]), words[1], neighbors, words[3 + n], words[4 + 2 * n:]))
    return sorted(lines, key=lambda line: (str(line[1]) if line[0] == 0 else "", line[0]))


def test_readers_of_bonds_write_the_same_files(installation, tmp_path):
    """Files of species and of bonds, and bonds of a compute."""
    readers = """\
fix bonds all reaxff/bonds 5 bonds
fix species all reaxff/species 1 5 5 species
compute bonds all reaxff/atom bonds yes
compute orders all reduce sum c_bonds[1] c_bonds[2] c_bonds[3]
thermo_style custom step pe c_orders[*]
thermo_modify format float %.10g
run 20
"""
    texts = []
    for variant in (BRICK, threadpool(2)):
        folder = tmp_path / str(variant)
        folder.mkdir()
        script = f"{variant.command}\n{system(installation, 'hydrocarbon and oxygen')}\n{readers}"
        done = run_script(installation, script, 2, folder).expect_success()
        numbers = [line.split() for line in done.output.splitlines() if line.split()[:1] in (["0"], ["20"])]
        texts.append(((folder / "species").read_text(), bonds_of((folder / "bonds").read_text()), numbers))
    assert texts[0] == texts[1]


SMALL = """\
units real
atom_style charge
atom_modify map array
lattice diamond 3.77
region box block 0 2 0 2 0 2
create_box 3 box
create_atoms 1 box
displace_atoms all random 0.1 0.1 0.1 623426
mass 1 1.0
mass 2 12.0
mass 3 16.0
set group all type/subset 2 32 998877
set type 2 type/subset 3 16 887766
pair_style reaxff NULL
pair_coeff * * ffield.reax.mattsson H C O
fix charges all qeq/reaxff 1 0.0 8.0 1e-12 reaxff maxiter 400
fix integrate all nve
timestep 0.05
"""
"""64 atoms in a box of 7.54, narrower than the cut-off."""


@pytest.mark.parametrize("ranks,parts,style", ((1, 3, "brick"), (2, 1, "p2p/rdma")))
def test_images_of_atoms_are_neighbors_of_themselves(servers, tmp_path, ranks, parts, style):
    expect_same(*(results(servers, SMALL + TERMS, one, ranks, tmp_path) for one in (BRICK, threadpool(parts, style))))


def test_errors_are_those_of_the_style(servers):
    for line, message in (("pair_style reaxff", "Illegal pair_style command"),
                          ("pair_style reaxff NULL\npair_coeff * * ffield.reax.cho X H", "Non-existent ReaxFF type")):
        script = ("units real\natom_style charge\nregion box block 0 20 0 20 0 20\ncreate_box 2 box\nmass * 1.0\n"
                  f"{line}\n")
        for variant in (BRICK, threadpool(1)):
            with pytest.raises(CaseFailed, match=message):
                servers.server(1, variant).run(f"{variant.command}\n{script}")
