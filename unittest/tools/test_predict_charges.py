# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu predict with charge equilibration and ReaxFF: what is read from runs, what a step costs, and counts that
are those of the programs."""

import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from tofulib import collectives, launcher, log, mpi, program, scratch, shell, trial
from tofulib.predict import calibrate, figures, paper, step, workload
from tofulib.predict.workload import OURS, STOCK

FIX = "fix charges all qeq/reaxff 1 0.0 10.0 1e-6 reaxff\n"
COUNTS = ("TOFU threadpool: fix qeq/reaxff: one system with the sum of charges kept, preconditioner: factored inverse "
          "over ranks; a solution took 3.10 passes over the matrix, 2.10 reductions and 4.40 exchanges (mean of 41)\n")


def measured(side, text, ranks=2, **sections):
    """A short run with a log."""
    run = log.Run([], [], 1.0, ranks, 100, 200, sections, {}, 100.0, {"Nghost": (600.0 if ranks == 1 else 500.0, 600)})
    return calibrate.Measured(ranks, 1, run, text, {"calls of styles": (444.0, 444)} if side == OURS else {}, 10)


def charges(text, stock="", ranks=2):
    """What logs of both sides, with the same commands, say."""
    return calibrate.charge_equilibration({side: [measured(side, text + more, ranks)]
                                           for side, more in ((STOCK, stock), (OURS, COUNTS))})


def test_exchanges_and_reductions_of_charges_are_read_from_logs():
    """With 16 passes of both systems LAMMPS has 14 iterations, two reductions in each, 6 around them."""
    answer = "TOFU predict passes 8\n"
    assert charges(FIX, answer) == {STOCK: (17.0, 16.0, 34.0), OURS: (4.4, 0.0, 2.1)}
    assert charges(FIX.replace(" 1 ", " 2 "), answer)[STOCK] == (8.5, 8.0, 17.0)
    assert charges(FIX.replace(" 1 ", " ${n} ") + FIX, answer)[OURS] == (4.4, 0.0, 2.1)
    assert charges(FIX, answer, ranks=1)[OURS] == (4.2, 0.0, 2.1)    # one rank has no exchanges to count
    assert charges("fix charges all nve\n") == {}
    of_stock = calibrate.charge_equilibration({side: [measured(side, FIX + answer)] for side in (STOCK, OURS)})
    assert of_stock[OURS] == of_stock[STOCK]    # fix_modify solver stock


@pytest.mark.parametrize("text, message", [
    (FIX, "number of passes of fix qeq/reaxff"), (FIX.replace("qeq/", "acks2/"), "has fix acks2/reaxff"),
    (FIX.replace("qeq/reaxff", "qeq/point"), "has fix qeq/point"),
    (FIX + FIX.replace("charges", "more"), "one fix qeq/reaxff or qeq/shielded alone")])
def test_other_ways_to_equilibrate_charges_are_refused(text, message):
    with pytest.raises(shell.Failure, match=message):
        charges(text)


def test_lammps_is_asked_for_passes_of_the_fixes_of_an_input(tmp_path):
    (tmp_path / "in.x").write_text(f"include more\nrun 1\n{FIX.replace('charges', '${name}')}", encoding="utf-8")
    (tmp_path / "more").write_text(f"{FIX}fix 2 all acks2/reaxff 1 0 10 1e-6 reaxff\nfix 3 all qeq/shielded/omp 1 8\n",
                                   encoding="utf-8")
    lines = calibrate.questions(scratch.Scratch(tmp_path / "in.x", None, tmp_path / "place"))
    assert [line for line in lines if "passes" in line] == [
        """if "$(is_defined(fix,charges))" then 'print "TOFU predict passes $(f_charges)"'""",
        """if "$(is_defined(fix,3))" then 'print "TOFU predict passes $(f_3)"'"""]


def test_pairs_of_reaxff_have_a_term_of_ghosts():
    """100 and 200 atoms a rank with 500 and 600 ghosts; 3 us an atom and 0.5 us a ghost."""
    runs = {side: [measured(side, "pair_style reaxff NULL\n", ranks, Pair=1e-6 * 100 * (3.0 * atoms + 0.5 * ghosts))
                   for ranks, atoms, ghosts in ((1, 200, 600), (2, 100, 500))] for side in (STOCK, OURS)}
    found, _ = calibrate.fit_kernels(runs)
    for side in (STOCK, OURS):
        assert found[f"{side}.Pair.ghost"].value == pytest.approx(0.5)
        assert found[f"{side}.Pair.atom"].value == pytest.approx(3.0)


@pytest.mark.parametrize("comm, side, counts", [("brick", STOCK, (17.0, 16.0, 34.0)), ("p2p", OURS, (4.4, 0.0, 2.1))])
def test_a_step_has_the_exchanges_and_reductions_of_charges(comm, side, counts):
    """Even ranks, so that each exchange takes as long as one alone, and a reduction its rounds."""
    machine = figures.read("fugaku").changed(network__hop=0.0, collective__lateness=7.0)
    load = paper.system("lj", machine)._replace(atoms=48 * 22, box=(18.0, 12.0, 12.0), spread=0.0)
    with_charges = load._replace(charges={side: counts})
    setting = step.Setting(comm, False, 1, 1, 1)    # ranks of one node would have other messages among each other
    without, found = (step.Steps(one, machine, 48, setting).run(20) for one in (load, with_charges))
    steps = step.Steps(with_charges, machine, 48, setting)
    start = np.zeros(48)
    ways = [float(steps.exchanges[kind](start).max()) for kind in step.CHARGES[:2]]
    expected = counts[0] * ways[0] + counts[1] * ways[1] + counts[2] * steps.reduction() + steps.lateness()
    assert found.sections["Modify"] - without.sections["Modify"] == pytest.approx(expected, rel=0.02)
    assert found.parts["reductions"] - without.parts["reductions"] == pytest.approx(counts[2] * steps.reduction())
    assert found.parts["lateness at reductions"] - without.parts["lateness at reductions"] == pytest.approx(
        steps.lateness())
    assert sum(found.parts.values()) == pytest.approx(found.step, rel=1e-9)


def test_a_saved_workload_has_its_charges(tmp_path):
    load = paper.system("lj", figures.read("fugaku"))._replace(charges={STOCK: (17.0, 16.0, 34.0)})
    workload.save(tmp_path / "w.json", load, {})
    assert workload.read(tmp_path / "w.json")[0].charges == load.charges
    content = json.loads((tmp_path / "w.json").read_text(encoding="utf-8"))
    del content["load"]["charges"]    # of an earlier version
    (tmp_path / "w.json").write_text(json.dumps(content), encoding="utf-8")
    assert workload.read(tmp_path / "w.json")[0].charges == {}


HNS = """\
units real
atom_style charge
read_data {examples}/HNS/data.hns-equil
pair_style reaxff NULL
pair_coeff * * {examples}/HNS/ffield.reax.hns C H O N
velocity all create 300.0 41279 loop geom
neighbor 1.0 bin
neigh_modify every 100 delay 0 check no
fix charges all qeq/reaxff 1 0.0 10.0 1.0e-6 reaxff maxiter 400
fix integrate all nve
timestep 0.1
thermo_style custom step f_charges
thermo_modify norm no format float %.17g
thermo 1
run @steps@
"""
STEPS = 12


NEEDS_LAMMPS = pytest.mark.skipif("TOFU_LMP" not in os.environ, reason="TOFU_LMP is not set; 'tools/tofu test' sets it")


@NEEDS_LAMMPS
@pytest.mark.full
def test_short_runs_of_an_input_tell_its_passes(tmp_path):
    """On one rank."""
    found = program.existing(os.environ["TOFU_LMP"])
    bed = trial.Bench(found, launcher.Launcher(found.library))
    (tmp_path / "user").mkdir()
    examples = Path(os.environ["TOFU_LAMMPS_DIR"]) / "examples" / "reaxff"
    text = HNS.format(examples=examples).replace("thermo 1\n", "thermo 10\n").replace("@steps@", "100000")
    (tmp_path / "user" / "in.hns").write_text(text, encoding="utf-8")
    copies = scratch.Scratch(tmp_path / "user" / "in.hns", None, tmp_path / "place")
    limit = calibrate.Limit(120.0)
    counts = calibrate.charge_equilibration({
        side: [calibrate.short_run(bed, copies, calibrate.way(side, 1, 1), 2.0, limit)] for side in (STOCK, OURS)})
    to_ghosts, back, reductions = counts[STOCK]
    assert to_ghosts == back + 1.0 and reductions == 2.0 * back + 2.0 and 10.0 < back < 120.0
    assert 1.0 <= counts[OURS][2] < 8.0


@NEEDS_LAMMPS
@pytest.mark.parametrize("side", [STOCK, pytest.param(OURS, marks=pytest.mark.full)])
def test_counts_are_those_of_the_programs(tmp_path, private_cache, side):
    """Of all solutions of a run: reductions by a library in front of MPI, exchanges by p2p/rdma."""
    library = mpi.find("openmpi")
    tree = Path(os.environ["TOFU_LAMMPS_DIR"])
    lammps = SimpleNamespace(mpi=library, lmp=Path(os.environ["TOFU_LMP"]), source=SimpleNamespace(path=tree))
    text = HNS.format(examples=tree / "examples" / "reaxff")
    words = ("-pk", "tofu", "comm", "p2p/rdma", "stats", "full", *(("-sf", "threadpool") if side == OURS else ()))
    place = collectives.cache.folder("bench")
    run = collectives.counted_run(collectives.Input(text, tmp_path), STEPS, lammps, words,
                                  collectives.build_counter(library), f"TOFU_COLLECTIVES={place / 'collectives'}")
    output = (place / "log.collectives").read_text(encoding="utf-8")
    of_fix = re.compile(r"FixQEqReaxFF::(parallel|CG|calculate_Q)|ChargeSolver::solve|_M_invoke")
    sums = collectives.read(place / "collectives")
    reductions = sum(calls for (operation, module, address), (calls, _, _) in sums.items()
                     if operation == "Allreduce" and of_fix.search(collectives.name_of(module, address)))
    exchanges = calibrate.read_statistics(output)[-1]["calls of styles"][0]
    passes = [row[run.columns.index("f_charges")] for row in run.rows]
    assert len(passes) == STEPS + 1
    counts = output if side == OURS else COUNTS
    found = [calibrate.charge_equilibration({STOCK: [measured(STOCK, f"TOFU predict passes {number}\n")],
                                             OURS: [measured(OURS, FIX + counts)]})[side] for number in passes]
    assert reductions == pytest.approx(sum(counts[2] for counts in found), abs=0.1)
    # with new lists LAMMPS' pair style has an exchange
    assert exchanges == pytest.approx(sum(sum(counts[:2]) for counts in found) + (side == STOCK), abs=0.1)
