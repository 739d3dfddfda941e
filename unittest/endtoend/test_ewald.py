# SPDX-License-Identifier: GPL-2.0-only
"""kspace_style ewald under the suffix gives what LAMMPS' ewald gives: forces, energies and virials, also of atoms and
of groups, in all boxes and with all settings."""

import re

import pytest

from charged_systems import SALT, SLAB, TILTED_SALT, WATER
from lammps_output import read_snapshot, read_thermo
from lammps_run import threadpool
from lammps_server import CaseFailed
from small_systems import dump
from test_pppm_offload import ANALYSIS, FLIP, FORCES, NEARLY_HALF, STOCK, Result, Way, compute, too_different

WAYS = (Way(1, variant=threadpool(1)), Way(1, variant=threadpool(3)), Way(2, variant=threadpool(1, "p2p/rdma")),
        Way(3, variant=threadpool(2)), Way(4, variant=threadpool(1)))
SOME_WAYS = WAYS[1:3]

FIRST, LATER = 1e-12, 1e-8
"""Allowed differences of the first step and of later ones."""

ROUNDED = {"water": 1e-11, "far from the origin": 1e-11}
"""Larger ones of the first step: the potential energy of water is a seventieth of its long-range part, and phases of
positions of 500 Angstrom are rounded to 1e-13."""


def tilted(tilts: str) -> str:
    """The salt in another triclinic box."""
    return TILTED_SALT.replace("1.2 -0.8 0.7", tilts)


CHARMM = SALT.replace("lj/cut/coul/long 7.0", "lj/charmm/coul/long 6.0 7.0")
HYBRID = re.sub(r"pair_coeff (\d \d)", r"pair_coeff \1 lj/cut", SALT.replace(
    "pair_style lj/cut/coul/long 7.0", "pair_style hybrid/overlay coul/long 7.0 lj/cut 6.0\npair_coeff * * coul/long"))
CHARGED = "set type 1 charge 1.02\n"

CASES = {
    "salt": (SALT, "1e-5", ""),
    "water": (WATER, "1e-4", ""),
    "three tilts": (TILTED_SALT, "1e-5", ""),
    "large tilts": (tilted("1.5 -1.5 1.5"), "1e-4", ""),
    "a box hardly tilted": (tilted("0.1 0.05 0.0").replace("0 3 0 3 0 3", "0 3 0 3 0 4"), "1e-4", ""),
    "a slab": (SLAB, "1e-4", "slab 3.0"),
    "a slab without force along z": (SLAB, "1e-4", "slab nozforce"),
    "a charged slab": (SLAB.replace("group sodium", f"{CHARGED}group sodium"), "1e-4", "slab 2.5"),
    "a charged box": (SALT.replace("group sodium", f"{CHARGED}group sodium"), "1e-4", ""),
    "waves along each edge": (SALT, "1e-4", "kmax/ewald 3 6 4"),
    "gewald": (SALT, "1e-4", "gewald 0.45"),
    "absolute accuracy": (SALT, "1e-4", "force 0.02"),
    "lj/charmm/coul/long": (CHARMM, "1e-4", ""),
    "hybrid/overlay": (HYBRID, "1e-4", ""),
    "newton off": (f"newton off\n{SALT}", "1e-4", ""),
    "far from the origin": (SALT.replace("0 3 0 3 0 3", "1000 1003 -3 0 500 503"), "1e-4", ""),
}


def with_ewald(system: str, accuracy: str, words: str) -> str:
    """The system with ewald as the long-range part."""
    return system.replace("{kspace}", f"kspace_style ewald {accuracy}" + (f"\nkspace_modify {words}" if words else ""))


def both(servers, text: str, way: Way, folder, analysis: str = ANALYSIS):
    """Results of LAMMPS on one rank and of the way."""
    return [compute(servers, text, "", one, folder / name, analysis)
            for name, one in (("stock", STOCK), ("suffix", way))]


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_lammps(servers, tmp_path, name, way):
    expected, found = both(servers, with_ewald(*CASES[name]), way, tmp_path)
    assert not too_different(expected, found, ROUNDED.get(name, FIRST), LATER)
    assert re.search(r"^TOFU threadpool: variants of .*kspace ewald\b", found.output, re.MULTILINE)
    for line in ("KSpace vectors: actual", "estimated relative force accuracy", "not charge neutral"):
        one, other = (re.findall(rf"{line}.*", result.output) for result in (expected, found))
        assert one == other, line


GROUPS = """\
compute ab sodium group/group chloride pair no kspace yes boundary yes
compute aa sodium group/group sodium pair no kspace yes
compute all all group/group sodium kspace yes
thermo_style custom step elong c_ab c_ab[*] c_aa c_all c_all[*]
thermo_modify norm no format float %.17g
thermo 4
"""


@pytest.mark.parametrize("way", SOME_WAYS, ids=str)
@pytest.mark.parametrize("name", ("salt", "three tilts", "a slab", "a charged slab"))
def test_groups_of_atoms(servers, tmp_path, name, way):
    expected, found = (compute(servers, with_ewald(*CASES[name]), "", one, tmp_path / str(one), GROUPS, FORCES)
                       for one in (STOCK, way))
    assert not too_different(expected, found, 1e-11, LATER)


CHANGES = {
    "another accuracy": "kspace_style ewald 1e-7\nrun 4\nkspace_style ewald 1e-3\nrun 4\n",
    "another box": "change_box all x scale 1.1 remap\nrun 4\nreplicate 1 2 1\nrun 4\n",
    "a constant pressure": "unfix integrate\nfix integrate all npt temp 1500 1500 100 aniso 0 0 500\nrun 8\n",
    "another number of atoms": "delete_atoms group edge compress no\nrun 4\n",
    "no charges": "set group all charge 0.0\nkspace_modify gewald 0.4\nrun 4\nset type 1 charge 1.0\n"
                  "set type 2 charge -1.0\nrun 4\n",
    "without the long-range part": "kspace_modify compute no\nrun 4\nkspace_modify compute yes\nrun 4\n",
    "inner steps": "run_style respa 2 2 pair 1 kspace 2\nrun 4\n",
    "a minimum": "minimize 0 0 4 20\n",
}


@pytest.mark.parametrize("way", SOME_WAYS, ids=str)
@pytest.mark.parametrize("name", CHANGES)
def test_changes_between_runs(servers, tmp_path, name, way):
    results = []
    for label, one in (("stock", STOCK), ("suffix", way)):
        path = tmp_path / f"{label}.dump"
        script = "\n".join([one.variant.command, with_ewald(*CASES["salt"]), ANALYSIS, "group edge id 1 2 3 4 211 212",
                            "run 0", CHANGES[name], dump(path, columns=" ".join(FORCES))])
        output = servers.server(one.ranks, one.variant).run(script)
        results.append(Result(read_thermo(output), [read_snapshot(path)], output))
    assert not too_different(*results, FIRST, 1e-7)


def test_a_flip_of_the_box(servers):
    system = SALT.replace("region box block 0 3 0 3 0 3", NEARLY_HALF) + FLIP
    rows = []
    for one in (STOCK, WAYS[2]):
        output = servers.server(one.ranks, one.variant).run(f"{one.variant.command}\n{with_ewald(system, '1e-4', '')}")
        rows.append(read_thermo(output)[0].columns)
    assert min(rows[0]["Xy"]) < 0.0 < rows[0]["Xy"][0]
    assert rows[1]["E_long"] == pytest.approx(rows[0]["E_long"], rel=1e-9)


@pytest.mark.parametrize("way", (WAYS[1], WAYS[3]), ids=str)
def test_two_runs_give_the_same_bits(servers, tmp_path, way):
    texts = []
    for number in range(2):
        compute(servers, with_ewald(*CASES["three tilts"]), "", way, tmp_path / str(number))
        texts.append((tmp_path / str(number) / "1.dump").read_text())
    assert texts[0] == texts[1]


ERRORS = {
    "a box that is not periodic": (SLAB, "1e-4", ""),
    "a slab in a triclinic box": (TILTED_SALT.replace("atom_style charge", "atom_style charge\nboundary p p f"), "1e-4",
                                  "slab nozforce"),
    "a slab in a periodic box": (SALT, "1e-4", "slab 3.0"),
    "accuracy": (SALT, "1.5", ""),
    "a pair style without a long range": (SALT.replace("coul/long 7.0", "coul/cut 7.0"), "1e-4", ""),
    "kmax": (SALT, "1e-4", "kmax/ewald -1 2 2"),
    "a charged box": (SALT.replace("group sodium", f"{CHARGED}group sodium"), "1e-4", "gewald 0.3 wire 3.0"),
}


@pytest.mark.most(3)
@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_those_of_lammps(servers, name):
    messages = []
    for one in (STOCK, WAYS[2]):
        with pytest.raises(CaseFailed) as failure:
            servers.server(one.ranks, one.variant).run(f"{one.variant.command}\n{with_ewald(*ERRORS[name])}run 0\n")
        messages.append(re.search(r"ERROR: (.*?)(?: \(src|$)", str(failure.value), re.MULTILINE).group(1))
    assert messages[0].replace("ewald/threadpool", "ewald") == messages[1].replace("ewald/threadpool", "ewald")
