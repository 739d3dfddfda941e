# SPDX-License-Identifier: GPL-2.0-only
"""Where fix ring/balance cannot work, it stops with an error that gives the reason and a remedy."""

import re
from pathlib import Path

import pytest

from force_style_references import installed_styles
from lammps_run import run_script
from small_systems import CHAINS, LJ
from uneven_systems import DROPLET, EAM

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("no_segment_left")]

GRAINS = LJ.replace("atom_style atomic", "atom_style sphere\ncomm_modify vel yes").replace(
    "mass * 1.0\n", "set group all diameter 1.05 density 1.0\n")
HISTORY = re.sub("pair_style .*\n(pair_coeff .*\n)*",
                 "pair_style gran/hooke/history 20000.0 NULL 50.0 NULL 0.5 1\npair_coeff * *\n", GRAINS)
"""Spheres whose contacts have a history."""


def with_style(commands: str, system: str = LJ) -> str:
    """The system in the units of another pair style, on a lattice on which atoms are far from each other."""
    units = "real" if "reaxff" in commands else "metal"
    return re.sub("pair_style .*\n(pair_coeff .*\n)*", commands,
                  system.replace("units lj", f"units {units}").replace("fcc 0.8442", "fcc 5.0"))


REFUSED_STYLES = {
    "adp": "pair_style adp\npair_coeff * * AlCu.adp Al Cu\n",
    "airebo": "pair_style airebo 3.0\npair_coeff * * CH.airebo C H\n",
    "rebo": "pair_style rebo\npair_coeff * * CH.rebo C H\n",
    "bop": "pair_style bop\npair_coeff * * CdTe.bop.table Cd Te\ncomm_modify cutoff 15.0\n",
    "comb": "pair_style comb\npair_coeff * * ffield.comb Cu Cu\n",
    "comb3": "pair_style comb3 polar_off\npair_coeff * * ffield.comb3 O Cu\n",
    "eam": "pair_style eam\npair_coeff * * Cu_u3.eam\n",
    "eam/alloy": "pair_style eam/alloy\npair_coeff * * Cu_mishin1.eam.alloy Cu Cu\n",
    "eam/cd": "pair_style eam/cd\npair_coeff * * FeCr.cdeam Cr Fe\n",
    "eim": "pair_style eim\npair_coeff * * Na Cl ffield.eim Na Cl\n",
    "meam": "pair_style meam\npair_coeff * * library.meam Ni Cu Ni.meam Ni Ni\n",
    "reaxff": "pair_style reaxff NULL checkqeq no\npair_coeff * * ffield.reax.cho C H\n",
    "gran/hooke/history": "",
}
"""Pair styles whose forces need more than the rows of neighbor lists."""
CHARGED = frozenset({"comb", "comb3", "reaxff"})


def system_of(style: str) -> str:
    """A system with a refused style."""
    if style == "gran/hooke/history":
        return HISTORY
    return with_style(REFUSED_STYLES[style], LJ.replace("atom_style atomic", "atom_style charge") if style in CHARGED
                      else LJ)


def message_of(installation, script: str, folder: Path, **options) -> str:
    """The error with which the script stops."""
    output = run_script(installation, script, 2, folder, **options).expect_failure()
    lines = {line for line in output.splitlines() if line.startswith("ERROR")}
    assert len(lines) == 1, output[-3000:]
    return lines.pop()


@pytest.mark.parametrize("style", REFUSED_STYLES)
def test_styles_that_cannot_work_are_refused_by_name(installation, tmp_path, style):
    if style not in installed_styles(installation)["pair"]:
        pytest.skip(f"this LAMMPS was built without pair style {style}")
    message = message_of(installation,
                         f"comm_style p2p/rdma\n{system_of(style)}fix ring all ring/balance 1 1.0\nrun 1\n", tmp_path)
    assert "ring/balance" in message and re.search(rf"\b{re.escape(style)}\b", message), message
    assert ("use the suffix threadpool" in message) == (style in ("eam", "eam/alloy")), message


REPLACED = {
    "a refused style after the fix": (with_style("pair_style lj/cut 5.0\npair_coeff * * 0.01 3.0\n") + "{ring}run 2\n"
                                      + REFUSED_STYLES["eam"] + "run 1\n",
                                      ["eam", "threadpool"]),
    "a refused style in hybrid": (
        with_style("pair_style hybrid eam lj/cut 5.0\npair_coeff 1 1 eam Cu_u3.eam\npair_coeff * 2 lj/cut 0.1 2.0\n")
        + "{ring}run 1\n",
                                  ["eam", "threadpool"]),
    "comm_style brick": ("comm_style brick\n" + LJ + "{ring}run 1\n", ["brick", "comm_style p2p/rdma"]),
    "comm_style tiled": ("comm_style tiled\n" + LJ + "{ring}run 1\n", ["tiled", "comm_style p2p/rdma"]),
    "comm_style brick after the fix": (LJ + "{ring}run 2\ncomm_style brick\nrun 1\n", ["brick", "comm_style p2p/rdma"]),
    "newton off": (LJ.replace("units lj\n", "units lj\nnewton off\n") + "{ring}run 1\n", ["newton"]),
    "newton off for pairs": (LJ.replace("units lj\n", "units lj\nnewton off on\n") + "{ring}run 1\n", ["newton"]),
    "no atom IDs": (LJ.replace("map array", "id no").replace("loop geom", "loop local") + "{ring}run 1\n", ["ID"]),
    "run_style respa": (CHAINS + "run_style respa 2 2 bond 1 pair 2\n{ring}run 2\n", ["respa", "verlet"]),
    "run_style respa with levels of pairs": (DROPLET + "run_style respa 2 2 inner 1 1.5 2.0 outer 2\n{ring}run 2\n",
                                             ["respa", "verlet"]),
    "neigh_modify include": (LJ + "group some type 1\natom_modify first some\nneigh_modify include some\n{ring}run 1\n",
                             ["neigh_modify include"]),
    "no pair style": (LJ.split("pair_style")[0] + "fix integrate all nve\ncomm_modify cutoff 2.5\n{ring}run 1\n",
                      ["pair"]),
}
"""Scripts, and words that the message has beside the name of the fix."""


@pytest.mark.parametrize("case", REPLACED)
def test_what_cannot_work_is_explained(installation, tmp_path, case):
    script, words = REPLACED[case]
    message = message_of(installation, "comm_style p2p/rdma\n"
                         + script.replace("{ring}", "fix ring all ring/balance 1 1.0\n"), tmp_path)
    assert all(word in message for word in ("ring/balance", *words)), message


def test_suffix_intel_is_refused(installation, tmp_path):
    if "lj/cut/intel" not in installed_styles(installation)["pair"]:
        pytest.skip("this LAMMPS was built without the package INTEL")
    message = message_of(installation,
                         f"package intel 0 mode double\nsuffix intel\ncomm_style p2p/rdma\n"
                         f"{LJ}fix ring all ring/balance 1 1.0\nrun 1\n", tmp_path)
    assert "ring/balance" in message and "intel" in message, message


def test_callbacks_that_look_at_pairs_are_refused(installation, tmp_path):
    """The computes of package TALLY take the first atom of a pair for an owned one."""
    if "pe/tally" not in installed_styles(installation)["compute"]:
        pytest.skip("this LAMMPS was built without the package TALLY")
    script = (f"comm_style p2p/rdma\n{LJ}compute c all pe/tally all\nthermo_style custom step pe c_c\n"
              f"fix ring all ring/balance 1 1.0\nrun 1\n")
    message = message_of(installation, script, tmp_path)
    assert "ring/balance" in message and "tally" in message, message


def test_bonds_that_break_between_builds_are_refused(installation, tmp_path):
    """The bonds of package BPM delete a pair in the row itself, but other ranks have copies of rows."""
    if "bpm/spring" not in installed_styles(installation)["bond"]:
        pytest.skip("this LAMMPS was built without the package BPM")
    script = CHAINS.replace("atom_style bond", "newton on off\ncomm_modify vel yes\natom_style bond")
    style = "special_bonds lj 0 1 1 coul 1 1 1\nbond_style bpm/spring\nbond_coeff 1 30.0 0.5 1.0\n"
    message = message_of(installation, f"comm_style p2p/rdma\n{script}{style}fix ring all ring/balance 1 1.0\nrun 1\n",
                         tmp_path)
    assert "ring/balance" in message and "BPM" in message, message


def test_single_pairs_of_embedded_atoms_are_refused(installation, tmp_path):
    """The energy of embedding is shared among the pairs of a row, which another rank may have; the error must also
    occur if only some ranks ask for the energy of a pair."""
    pairs = ("compute pairs all pair/local eng\ncompute energy all reduce sum c_pairs inputs local\n"
             "thermo_style custom step c_energy\n")
    script = (f"package threadpool 2\nsuffix threadpool\ncomm_style p2p/rdma\n"
              f"{EAM}{pairs}fix ring all ring/balance 1 1.0\nrun 1\n")
    output = run_script(installation, script, 2, tmp_path).expect_failure()
    errors = [line for line in output.splitlines() if line.startswith("ERROR")]
    assert errors and all("pair/local" in line and "ring/balance" in line for line in errors), output[-3000:]


WRONG_WORDS = {
    "nothing": ("", ["ring/balance"]),
    "no threshold": ("1", ["ring/balance"]),
    "every negative": ("-5 1.05", ["-5"]),
    "every that is no number": ("often 1.05", ["often"]),
    "threshold below one": ("1 0.9", ["0.9", "1"]),
    "threshold that is no number": ("1 much", ["much"]),
    "threshold beyond all numbers": ("1 1e999", ["1e999"]),
    "interval beyond all integers": ("99999999999999999999 1.1", ["99999999999999999999", "Nevery"]),
    "unknown keyword": ("1 1.05 colour red", ["colour", "mode", "level", "ring", "weight", "direction"]),
    "keyword without a value": ("1 1.05 mode", ["mode"]),
    "unknown mode": ("1 1.05 mode backward", ["mode", "backward", "ghost", "forward", "auto"]),
    "unknown level": ("1 1.05 level core", ["level", "core", "rank", "node"]),
    "unknown ring": ("1 1.05 ring hilbert", ["ring", "hilbert", "serpentine", "file"]),
    "ring file without a name": ("1 1.05 ring file", ["ring", "file"]),
    "unknown weight": ("1 1.05 weight mass", ["weight", "mass", "atoms", "neighbors", "time"]),
    "unknown direction": ("1 1.05 direction upstream", ["direction", "upstream", "both", "downstream"]),
}


@pytest.mark.parametrize("case", WRONG_WORDS)
def test_wrong_words_are_explained(installation, tmp_path, case):
    arguments, words = WRONG_WORDS[case]
    message = message_of(installation, f"comm_style p2p/rdma\n{LJ}fix ring all ring/balance {arguments}\nrun 1\n",
                         tmp_path)
    assert all(word in message for word in words), message


WRONG_RINGS = {
    "missing file": (None, ["ring.txt"]),
    "empty file": ("", ["ring.txt"]),
    "a rank that does not exist": ("0\n2\n", ["ring.txt", "2"]),
    "a negative rank": ("0\n-1\n", ["ring.txt", "-1"]),
    "a rank twice": ("1\n1\n", ["ring.txt", "1"]),
    "a rank too few": ("1\n", ["ring.txt"]),
    "a rank too many": ("1\n0\n1\n", ["ring.txt"]),
    "a word": ("0\none\n", ["ring.txt", "one"]),
}


@pytest.mark.parametrize("case", WRONG_RINGS)
def test_wrong_ring_is_explained(installation, tmp_path, case):
    text, words = WRONG_RINGS[case]
    if text is not None:
        (tmp_path / "ring.txt").write_text(text)
    message = message_of(
        installation, f"comm_style p2p/rdma\n{LJ}fix ring all ring/balance 1 1.0 ring file ring.txt\nrun 1\n", tmp_path)
    assert all(word in message for word in ("ring/balance", *words)), message
