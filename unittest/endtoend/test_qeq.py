# SPDX-License-Identifier: GPL-2.0-only
"""fix qeq/reaxff and qeq/shielded with the suffix /threadpool have the charges of LAMMPS' own algorithm: exactly where
both go on to rounding, within the tolerance otherwise, in fewer passes, exchanges and reductions."""

import re
from typing import Dict, Tuple

import numpy as np
import pytest

from lammps_output import read_snapshot, read_thermo
from lammps_run import run_script, threadpool
from small_systems import dump

WATER = """\
units real
atom_style charge
{boundary}
read_data {examples}/water/data.water
pair_style reaxff NULL safezone 3.0 mincap 150
pair_coeff * * {examples}/water/qeq_ff.water O H
neighbor 0.5 bin
neigh_modify every 1 delay 0 check yes
velocity all create 300.0 4928459 rot yes dist gaussian
timestep 0.25
"""
HNS = """\
units real
atom_style charge
read_data {examples}/HNS/data.hns-equil
pair_style reaxff NULL
pair_coeff * * {examples}/HNS/ffield.reax.hns C H O N
neighbor 1.0 bin
neigh_modify every 5 delay 0 check no
timestep 0.1
velocity all create 300.0 41279 loop geom
"""
"""Triclinic, 304 atoms."""
AUO = """\
units real
atom_style charge
read_data {examples}/AuO/data.AuO
pair_style reaxff {examples}/AuO/lmp_control
pair_coeff * * {examples}/AuO/ffield.reax.AuO O Au
neighbor 2 bin
neigh_modify every 10 delay 0 check no
timestep 0.25
velocity all create 300.0 41279 loop geom
"""
SYSTEMS: Dict[str, str] = {
    "water": WATER,
    "HNS": HNS,
    "AuO": AUO,
    "hybrid": HNS.replace("pair_style reaxff NULL\npair_coeff * *", "pair_style hybrid/overlay reaxff NULL zero 8.0\n"
                          "pair_coeff * * zero\npair_coeff * * reaxff"),
}
ALL = "reaxff maxiter 400"
FIX = "fix charges {group} {style} 1 0.0 10.0 {tolerance} {parameters}\n"


def fix(style: str = "qeq/reaxff", tolerance: str = "1e-12", group: str = "all", parameters: str = ALL) -> str:
    return FIX.format(style=style, tolerance=tolerance, group=group, parameters=parameters)


def run(installation, folder, system: str, script: str, ranks: int = 1, parts: int = 1) -> str:
    """Output of a system and a script. The pair style is LAMMPS' own: the suffix is off, styles have full names."""
    folder.mkdir(exist_ok=True)
    head = f"package threadpool {parts}\n"
    text = system.format(examples=installation.lammps_dir / "examples" / "reaxff", boundary="boundary p p p")
    return run_script(installation, head + text + "fix move all nve\n" + script, ranks, folder).expect_success().output


def charges(installation, folder, system: str, script: str, ranks: int = 1, parts: int = 1) -> np.ndarray:
    """Charges by atom at the end of a script."""
    run(installation, folder, system, script + dump(folder / "dump", columns="q") + "\n", ranks, parts)
    return read_snapshot(folder / "dump").columns["q"]


@pytest.fixture(scope="module")
def of_stock(installation, tmp_path_factory):
    """Charges of LAMMPS' own algorithm at the start, by the name of the system."""
    known: Dict[str, np.ndarray] = {}

    def get(name: str) -> np.ndarray:
        if name not in known:
            known[name] = charges(installation, tmp_path_factory.mktemp("stock"), SYSTEMS[name], fix() + "run 0\n")
        return known[name]

    return get


@pytest.mark.parametrize("ranks,parts", ((1, 3), (2, 1), pytest.param(4, 2, marks=pytest.mark.full),
                                         pytest.param(8, 1, marks=pytest.mark.full)))
@pytest.mark.parametrize("system", SYSTEMS)
def test_charges_are_those_of_stock(installation, tmp_path, of_stock, system, ranks, parts):
    found = charges(installation, tmp_path, SYSTEMS[system], fix("qeq/reaxff/threadpool") + "run 0\n", ranks, parts)
    assert np.max(np.abs(found - of_stock(system))) < 1e-10


@pytest.mark.parametrize("preconditioner", ("diagonal", "local", "ranks"))
def test_charges_do_not_depend_on_the_preconditioner(installation, tmp_path, of_stock, preconditioner):
    found = charges(installation, tmp_path, HNS, fix("qeq/reaxff/threadpool") +
                    f"fix_modify charges preconditioner {preconditioner}\nrun 0\n", 2)
    assert np.max(np.abs(found - of_stock("HNS"))) < 1e-10


@pytest.mark.parametrize("ranks", (1, 2))
def test_shielded_charges_are_those_of_stock(installation, tmp_path, ranks):
    found = [charges(installation, tmp_path / name, HNS,
                     f"fix charges all qeq/shielded{name} 1 10.0 1e-12 400 reaxff\nrun 5\n", ranks)
             for name in ("", "/threadpool")]
    assert np.max(np.abs(found[1] - found[0])) < 1e-10


def test_fifty_steps_are_within_the_tolerance_of_stock(installation, tmp_path):
    tables = [read_thermo(run(installation, tmp_path / name.replace("/", "-"), HNS, fix(name, "1e-8") +
                              "thermo_style custom step pe ecoul press f_charges\nthermo_modify format float %.12g\n"
                              "thermo 10\nrun 50\n", 2))[0].columns
              for name in ("qeq/reaxff", "qeq/reaxff/threadpool")]
    assert np.allclose(tables[0]["PotEng"], tables[1]["PotEng"], rtol=1e-7)
    assert np.allclose(tables[0]["E_coul"], tables[1]["E_coul"], rtol=1e-6)
    assert np.all(tables[1]["f_charges"] < tables[0]["f_charges"])


@pytest.mark.parametrize("ranks,system", ((1, "water"), (2, "HNS")))
def test_bits_do_not_depend_on_parts_and_are_repeated(installation, tmp_path, ranks, system):
    texts = set()
    for number, parts in enumerate((1, 2, 3, 3)):
        path = tmp_path / f"{number}.dump"
        run(installation, tmp_path / str(number), SYSTEMS[system],
            fix("qeq/reaxff/threadpool", "1e-6") + f"run 12\n{dump(path, columns='q')}\n", ranks, parts)
        texts.add(path.read_text())
    # stock's pair style has no parts: forces, and so positions, are the same
    assert len(texts) == 1


def counts(output: str) -> Tuple[float, float, float]:
    """Passes, reductions and exchanges of a solution in the last run."""
    found = re.findall(r"TOFU threadpool: fix qeq\S+: .* took (\S+) passes over the matrix, (\S+) reductions and "
                       r"(\S+) exchanges", output)
    return tuple(float(word) for word in found[-1])


@pytest.mark.parametrize("ranks", (1, 2, pytest.param(4, marks=pytest.mark.full)))
@pytest.mark.parametrize("system", ("water", "HNS", "AuO"))
def test_a_step_takes_few_passes_reductions_and_exchanges(installation, tmp_path, system, ranks):
    output = run(installation, tmp_path, SYSTEMS[system], fix("qeq/reaxff/threadpool", "1e-6") + "run 10\nrun 40\n",
                 ranks)
    passes, reductions, exchanges = counts(output)
    assert passes <= 3.5 and reductions <= 4 and exchanges <= 6


EVENTS: Dict[str, str] = {
    "atoms are deleted": "region half block INF INF INF 5 INF INF\nrun 3\ndelete_atoms region half compress no\n",
    "atoms are added": "run 3\ncreate_atoms 3 single 1.0 2.0 3.0\ncreate_atoms 3 single 12.0 7.0 5.0\n",
    "some ranks have no atom": "region half block 5 INF INF INF INF INF\ndelete_atoms region half compress no\n",
    "every third step": "unfix charges\nfix charges all {style} 3 0.0 10.0 1e-12 reaxff maxiter 400\nrun 7\n",
    "atoms have minimized energy": "min_style cg\nminimize 0.0 0.0 3 10\n",
    "charges were set": "run 2\nset group all charge 3.0\n",
}


@pytest.mark.parametrize("ranks", (1, 2))
@pytest.mark.parametrize("event", EVENTS)
def test_charges_after_events_are_those_of_stock(installation, tmp_path, event, ranks):
    """Atoms that are added have no history; run 0 computes charges where the atoms are."""
    found = [charges(installation, tmp_path / style[-5:], HNS, fix(style) + EVENTS[event].format(style=style) +
                     "run 0\n", ranks * (2 if "no atom" in event else 1))
             for style in ("qeq/reaxff", "qeq/reaxff/threadpool")]
    if "every third" in event or "minimized" in event:    # positions differ a little
        assert np.max(np.abs(found[1] - found[0])) < 1e-6
    else:
        assert np.max(np.abs(found[1] - found[0])) < 1e-9


def test_a_restart_begins_with_the_charges_that_it_has(installation, tmp_path):
    """LAMMPS' own algorithm begins anew, with many more iterations."""
    ours = fix("qeq/reaxff/threadpool", "1e-6")
    run(installation, tmp_path, HNS, ours + f"run 10\nwrite_restart {tmp_path}/restart\n", 2)
    settings = HNS[HNS.index("pair_style"):HNS.index("velocity")]
    output = run(installation, tmp_path, f"read_restart {tmp_path}/restart\n" + settings, ours + "run 0\n", 2)
    assert counts(output)[0] <= 4


def test_the_field_of_fix_efield_counts(installation, tmp_path):
    system = WATER.replace("{boundary}", "boundary p p s")
    found = [charges(installation, tmp_path / style[-5:], system,
                     fix(style) + "fix field all efield 0.0 0.0 1.0\nrun 0\n", 2)
             for style in ("qeq/reaxff", "qeq/reaxff/threadpool")]
    assert np.max(np.abs(found[1] - found[0])) < 1e-10
    without = charges(installation, tmp_path / "none", system, fix("qeq/reaxff/threadpool") + "run 0\n", 2)
    assert np.max(np.abs(found[1] - without)) > 1e-4


PARAMETERS = "1 5.32 14.8732 1.0206\n2 5.8678 14.0 0.9\n3 8.5 17.9978 1.0503\n4 6.8 13.5 0.95\n"


@pytest.mark.parametrize("ranks", (1, 2))
def test_a_group_has_the_charges_of_its_atoms_alone(installation, tmp_path, ranks):
    """LAMMPS' own algorithm reads numbers that were never set of other atoms."""
    (tmp_path / "parameters").write_text(PARAMETERS)
    system = HNS[:HNS.index("pair_style")] + "pair_style zero 10.0\npair_coeff * *\nneighbor 1.0 bin\n"
    system += "group some id <> 30 190\nset group all charge 0.25\ngroup others subtract all some\n"
    ours = fix("qeq/reaxff/threadpool", group="some", parameters=f"{tmp_path}/parameters maxiter 400") + "run 0\n"
    together = charges(installation, tmp_path / "together", system, ours, ranks)
    alone = charges(installation, tmp_path / "alone", system, "delete_atoms group others compress no\n" + ours, ranks)
    stock = charges(installation, tmp_path / "stock", system, "delete_atoms group others compress no\n" +
                    ours.replace("/threadpool", ""), ranks)
    assert np.max(np.abs(together[29:190] - alone)) < 1e-11
    assert np.max(np.abs(alone - stock)) < 1e-10
    assert np.all(together[:29] == 0.25) and np.all(together[190:] == 0.25)


def test_a_matrix_that_is_not_definite_is_left_to_stock(installation, tmp_path):
    """Once a run, with a warning."""
    (tmp_path / "parameters").write_text(re.sub(r" 1[3-7]\.\d+", " 3.0", PARAMETERS))
    ours = fix("qeq/reaxff/threadpool", "1e-6", parameters=f"{tmp_path}/parameters maxiter 50 nowarn")
    system = HNS[:HNS.index("pair_style")] + "pair_style zero 10.0\npair_coeff * *\nneighbor 1.0 bin\n"
    output = run(installation, tmp_path, system, ours + "run 4\n", 2)
    assert output.count("is not positive definite") == 1
    assert "variants of" not in output or "not definite" in output


def test_solver_stock_gives_the_bits_of_stock(installation, tmp_path):
    found = []
    for name, more in (("qeq/reaxff", ""), ("qeq/reaxff/threadpool", "fix_modify charges solver stock\n")):
        path = tmp_path / f"{len(found)}.dump"
        run(installation, tmp_path / str(len(found)), HNS, fix(name, "1e-6") + more + f"run 10\n"
            f"{dump(path, columns='q')}\n", 2)
        found.append(path.read_text())
    assert found[0] == found[1]


def test_the_solver_can_be_changed_between_runs(installation, tmp_path, of_stock):
    found = charges(installation, tmp_path, HNS, "timestep 0.0\n" + fix("qeq/reaxff/threadpool") + "run 2\n"
                    "fix_modify charges solver stock\nrun 2\nfix_modify charges solver projected\nrun 6\n", 2)
    assert np.max(np.abs(found - of_stock("HNS"))) < 1e-10


@pytest.mark.parametrize("words,message", (("solver other", "must be projected or stock"),
                                           ("preconditioner", "must be auto, diagonal, local or ranks")))
def test_wrong_words_are_explained(installation, tmp_path, words, message):
    examples = installation.lammps_dir / "examples" / "reaxff"
    script = HNS.format(examples=examples) + fix("qeq/reaxff/threadpool") + f"fix_modify charges {words}\n"
    run_script(installation, script, 1, tmp_path).expect_error([message])


def test_too_few_iterations_are_warned_of(installation, tmp_path):
    few = fix("qeq/reaxff/threadpool", parameters="reaxff maxiter 4")
    output = run(installation, tmp_path / "warned", HNS, few + "run 0\n")
    assert "CG convergence failed after 4 iterations at step 0" in output
    output = run(installation, tmp_path / "silent", HNS, few.replace("maxiter 4", "maxiter 4 nowarn") + "run 0\n")
    assert "CG convergence failed" not in output
