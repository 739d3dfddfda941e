# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu predict: machine files, the max-plus engine against closed forms, the SC'23 paper, the command."""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
from pathlib import Path

import goal_schedule
import numpy as np
import pytest
import sc23_paper
from goal_machine import carry_out
from tofulib import CHECKOUT, busy, log, program, scratch, shell
from tofulib.allocation import Allocation
from tofulib.launcher import Launcher
from tofulib.predict import (calibrate, check, command, figures, halo, network, paper, refine, report, step,
                             workload)
from tofulib.predict.exchange import FORWARD, REVERSE, Exchange, Network

TOFU = CHECKOUT / "tools" / "tofu"
LOADER = importlib.machinery.SourceFileLoader("tofu_command", str(TOFU))
tofu_command = importlib.util.module_from_spec(importlib.util.spec_from_loader("tofu_command", LOADER))
LOADER.exec_module(tofu_command)
WIDE = halo.Geometry((8, 6, 8), (24.0, 18.0, 24.0), (2.8,) * 3)


def bare(**values):
    """A torus of nodes with nothing but latency, hops and injection."""
    nothing = {name.replace(".", "__"): 0.0 for name in ("network.notice", "mpi.pack", "memory.pack", "memory.unpack",
                                                         "waiting.unexplained", "threads.fork_join_pool")}
    return figures.read("fugaku").changed(**{**nothing, "network__latency": 0.5, "network__hop": 0.0,
                                            "network__put": 0.1, "mpi__message": 2.0, **values})


def lasting(plan, machine, senders=1, mpi=False, direction=FORWARD, start=None, atoms=1.0):
    """End of an exchange of messages without length, each rank on a node of its own."""
    network = Network(machine, plan.geometry.grid, (1, 1, 1), 1)
    exchange = Exchange(network, plan, np.full(network.ranks, atoms), 0, senders, mpi, direction)
    return exchange(np.zeros(network.ranks) if start is None else start)


UNEVEN = ((0.0, 0.1, 0.3, 0.4, 1.0), (0.0, 0.5, 0.6, 1.0), (0.0, 0.3, 1.0))


@pytest.mark.parametrize("grid, cut, different", [
    ((4, 3, 5), 2.8, {}), ((3, 4, 4), 3.7, {}), ((2, 2, 2), 2.8, {}), ((1, 2, 3), 2.8, {}),
    ((4, 3, 2), 2.8, {"splits": UNEVEN}), ((4, 3, 2), 2.8, {"splits": UNEVEN, "periodic": (True, False, False)}),
    ((3, 4, 4), 3.7, {"periodic": (False, True, False)})])
@pytest.mark.parametrize("pattern", ["half", "full", "3stage", "brick"])
def test_engine_agrees_with_an_execution_message_by_message(tmp_path, pattern, grid, cut, different):
    """Uneven ranks that begin at different times, also with uneven walls and boundaries that are not periodic; the
    other way is the schedule for LogGOPSim, carried out here."""
    geometry = halo.Geometry(grid, tuple(3.0 * n for n in grid), (cut,) * 3, **different)
    plan = (halo.direct(geometry, pattern == "half") if pattern in ("half", "full")
            else halo.staged(geometry, at_once=pattern == "3stage"))
    random = np.random.default_rng(5)
    atoms, start = random.integers(5, 60, geometry.ranks), random.integers(0, 20000, geometry.ranks) / 1000
    goal_schedule.write(tmp_path / "s.goal", plan, atoms, 24, 0.01, start, by_rank=False)
    bandwidth = 3.0 if len(plan.stages) == 1 else 1e30    # the model's ports are idle when a stage begins
    machine = bare(network__put=0.2, network__notice=0.1, memory__pack=0.01, network__bandwidth=bandwidth)
    network = Network(machine, grid, (1, 1, 1), 1)
    expected = np.array(carry_out(tmp_path / "s.goal", latency=0.5, put=0.2, notice=0.1, bandwidth=1e3 * bandwidth))
    found = Exchange(network, plan, atoms.astype(float), 24)(start)
    rounding = 0.001 * plan.messages * len(plan.stages)    # GOAL has whole nanoseconds
    if any(stage.own for stage in plan.stages):    # copies of a rank's own atoms are no messages
        assert (found >= expected - rounding).all()
    else:
        assert found == pytest.approx(expected, abs=rounding)


@pytest.mark.parametrize("direction", [FORWARD, REVERSE])
def test_equations_of_the_paper(direction):
    """SC'23, equations (3) to (8), with T = put + latency for all messages; p2p ends with the last of its messages."""
    machine, put, latency, both = bare(), 0.1, 0.5, 2.0
    three, brick, half = halo.staged(WIDE), halo.staged(WIDE, at_once=False), halo.direct(WIDE, True)
    for expected, plan, senders, mpi in ((6 * (both + latency), brick, 1, True),
                                         (3 * put + 3 * (put + latency), three, 1, False),
                                         (12 * put + put + latency, half, 1, False),
                                         (3 * (put + latency), three, 2, False),
                                         (2 * put + put + latency, half, 6, False)):
        assert lasting(plan, machine, senders, mpi, direction) == pytest.approx(expected, rel=1e-12)


def test_a_message_arrives_after_its_hops():
    far = lasting(halo.direct(WIDE, True), bare(network__hop=10.0))
    assert far.min() >= 0.5 + 2 * 10.0 and far.max() <= 13 * 0.1 + 0.5 + 2 * 10.0 + 1e-12


def test_packing_is_counted_at_both_ends():
    plan = halo.direct(WIDE, True)
    sent = sum(plan.atoms(message) for message in plan.stages[0].messages)
    idle = lasting(plan, bare())
    packed = lasting(plan, bare(memory__pack=1.0), atoms=2.0)
    assert packed - idle == pytest.approx(2.0 * sent, rel=1e-12)
    assert (lasting(plan, bare(memory__unpack=1.0), atoms=2.0) > idle).all()


def test_a_late_rank_delays_those_that_need_its_atoms_and_no_others():
    start = np.zeros(8 * 6 * 8)
    start[0] = 100.0
    late = lasting(halo.direct(WIDE, True), bare(), start=start) > 50.0
    assert late.sum() == 1 + 13
    assert (lasting(halo.staged(WIDE), bare(), start=start) > 50.0).sum() == 27


def test_interfaces_are_shared_by_the_ranks_of_a_node():
    machine = bare(network__interfaces=1, network__bandwidth=8.0)
    assert [Network(machine, (8, 6, 8), None, node).bandwidth for node in (1, 4)] == [8.0, 2.0]


def test_endpoints_gain_where_there_are_more_interfaces_than_ranks():
    def end(interfaces, endpoints, senders=1):
        plan = halo.direct(WIDE, True)
        machine = bare(network__interfaces=interfaces, network__bandwidth=0.01, network__put=0.0)
        network = Network(machine, plan.geometry.grid, (2, 1, 2), 4)
        exchange = Exchange(network, plan, np.full(network.ranks, 20.0), 24, senders, endpoints=endpoints)
        return exchange(np.zeros(network.ranks)).max()

    assert end(4, 4) == pytest.approx(end(4, 1), rel=0.3)    # interfaces are busy anyway
    assert end(16, 4) < 0.4 * end(16, 1)
    assert end(16, 4) == pytest.approx(end(16, 4, 4), rel=1e-9) and end(16, 2, 2) == end(16, 0, 2)


@pytest.fixture(scope="module")
def small():
    """Both sides of LJ on 12 nodes."""
    machine = figures.read("fugaku")
    load = paper.system("lj", machine)._replace(atoms=48 * 22, box=(18.0, 12.0, 12.0), spread=0.0)
    return machine, load


def test_sections_are_the_step(small):
    machine, load = small
    result = step.Steps(load, machine, 12, paper.P2P).run(20)
    assert sum(result.sections.values()) == pytest.approx(result.step, rel=1e-3)    # mean and last rank
    assert sum(result.sections.values()) <= result.step
    assert sum(result.parts.values()) == pytest.approx(result.step, rel=1e-9)


def test_waiting_for_uneven_ranks_is_comm(small):
    machine, load = small
    even = step.Steps(load, machine, 12, paper.P2P).run(20)
    uneven = step.Steps(load._replace(spread=2.0), machine, 12, paper.P2P).run(20)
    assert uneven.sections["Comm"] > 1.05 * even.sections["Comm"]
    assert uneven.sections["Modify"] == pytest.approx(even.sections["Modify"], rel=0.1)


def test_the_same_seed_gives_the_same_bits(small):
    machine, load = small
    noisy = machine.changed(noise__relative=0.1, noise__probability=0.1, noise__mean=5.0)
    results = [step.Steps(load._replace(spread=0.4), noisy, 12, paper.P2P, seed).run(10) for seed in (1, 1, 2)]
    assert results[0] == results[1] and results[0].step != results[2].step


def test_a_reduction_waits_for_the_last_rank(small):
    machine, load = small
    noisy = machine.changed(noise__relative=0.2, collective__round=0.0, collective__lateness=0.0)
    without, with_one = (step.Steps(load._replace(reductions={"stock": n, "tofu": n}), noisy, 12, paper.P2P).run(20)
                         for n in (0.0, 1.0))
    assert with_one.sections["Modify"] > without.sections["Modify"] and with_one.step > without.step


def test_one_rank_has_no_messages_and_waits_for_nobody(small):
    machine, load = small
    one = step.Setting("p2p", True, 1, 1, 1)
    result = step.Steps(load, machine, 1, one).run(5)
    assert result.messages == 0 and result.parts["unexplained waiting"] == 0.0
    assert abs(result.parts["waiting for uneven or disturbed ranks"]) < 0.05 * result.step


@pytest.fixture(scope="module")
def compared():
    """All printed figures of the paper beside those of the model."""
    return sc23_paper.compare(figures.read("fugaku"))[0]


def test_printed_figures_of_the_paper_are_within_their_bounds(compared):
    rows = compared
    missed = [(target.system, target.name, target.value, round(found, 2)) for target, found, good in rows if not good]
    assert len(rows) == len(sc23_paper.TARGETS) == 13 and not missed


def page_rows():
    """Rows of the tables of doc/internals/prediction.md, as lists of cells."""
    lines = (CHECKOUT / "doc" / "internals" / "prediction.md").read_text(encoding="utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]


def test_page_has_what_the_model_gives(compared):
    rows = {tuple(row[:2]): row for row in page_rows()}
    for target, found, _ in compared:
        row = rows[target.system.upper(), target.name]
        tolerance = 0.006 if target.quantity == "speed-up" else 0.06
        assert float(row[2].rstrip(" %")) == target.value
        assert float(row[3].rstrip(" %")) == pytest.approx(found, abs=tolerance)
        assert row[5] == ("held out" if target.held_out else target.note or "fitted")


def test_page_has_all_figures_of_fugaku():
    machine, rows = figures.read("fugaku"), {row[0]: row for row in page_rows()}
    for name in figures.REQUIRED:
        figure = machine.figures[name]
        assert float(rows[name][1]) == figure.value and rows[name][3:] == [figure.kind, figure.source]
    for system in ("lj", "eam"):
        for section in ("Pair", "Neigh", "Modify", "Other"):
            row = rows[f"{system} {section}" + (" (a build)" if section == "Neigh" else "")]
            for side in ("stock", "tofu"):
                assert [float(cell) for cell in row[1:4]] == [
                    machine[f"kernels.{system}.{side}.{section}.{term}"] for term in ("constant", "atom", "forks")]


def test_speed_of_the_paper_and_the_unit_of_its_table_3():
    """8.77 million tau a day and 2.87 us a day of the text are table 3 in ms per 99 steps, not in 0.01 s."""
    for name, per_day in (("lj", 8.77e6), ("eam", 2.87)):
        load = paper.system(name, figures.read("fugaku"))
        microseconds = sum(sc23_paper.TABLE_3[name, "p2p"]) * sc23_paper.TABLE_3_UNIT
        assert load.seconds_per_day(microseconds) == pytest.approx(per_day, rel=0.01)


def test_messages_alone_have_the_order_of_the_paper():
    machine = figures.read("fugaku")
    alone, six = sc23_paper.messages_alone(machine), sc23_paper.messages_alone(machine, senders=6)
    assert alone["3stage"] / alone["half"] == pytest.approx(1.5, abs=0.02)                 # fitted
    assert alone["half"] / alone["brick"] == pytest.approx(0.21, abs=0.01)                 # fitted
    assert alone["mpi p2p"] > alone["brick"]                                               # held out
    assert six["half"] / alone["half"] == pytest.approx(0.86, abs=0.10)                    # held out
    thin = sc23_paper.messages_alone(machine, 2.2, 6)
    assert six["full"] < six["3stage"] and thin["half"] < thin["3stage"]                   # held out


@pytest.mark.parametrize("name", figures.known())
def test_delivered_machines_are_complete_and_name_their_sources(name):
    machine = figures.read(name)
    assert all(figure.source and figure.kind in figures.KINDS for figure in machine.figures.values())
    assert set(figures.REQUIRED) <= set(machine.figures)
    for system in ("lj", "eam"):
        assert workload.kernels_of(machine, system)


def damaged(tmp_path, change):
    """The file of Fugaku with a change."""
    content = json.loads((figures.FOLDER / "fugaku.json").read_text(encoding="utf-8"))
    content.pop("kernels")
    change(content)
    path = tmp_path / "machine.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize("change, message", [
    (lambda content: content["figures"].pop("network.put"), "lacks network.put"),
    (lambda content: content["figures"]["network.put"].pop("source"), "needs a value, a kind"),
    (lambda content: content["figures"]["network.put"].update(value=-1.0), "at least 0"),
    (lambda content: content["figures"]["network.put"].update(value=float("nan")), "at least 0"),
    (lambda content: content["figures"]["network.put"].update(kind="guessed"), "kind is one of"),
    (lambda content: content["figures"]["network.bandwidth"].update(value=0.0), "must be above 0"),
    (lambda content: content.update(topology=["fattree"]), "topology"),
    (lambda content: content.pop("figures"), "no \"figures\""),
])
def test_damaged_machine_files_are_refused(tmp_path, change, message):
    with pytest.raises(shell.Failure, match=message):
        figures.read(damaged(tmp_path, change))


@pytest.mark.parametrize("words, message", [
    (["--machine", "nix"], "there is no machine file nix"),
    (["--machine", "fugaku", "--nodes", "1,x"], "whole numbers"),
    (["--machine", "fugaku", "--nodes", "0"], "whole numbers"),
    (["--machine", "fugaku", "--steps", "0"], "at least 1"),
    (["--machine", "fugaku", "--seconds", "1"], "at least 5"),
    (["--machine", "here"], "no network"),
    (["--nodes", "1"], "--machine is missing"),
    (["--machine", "hdr", "--check", "1", "in.lj"], "needs --machine here"),
    (["--machine", "hdr", "nix.lj"], "there is no input nix.lj"),
    (["--machine", "hdr", "-v", "x", "2", "nix.lj"], "there is none. All words behind -v NAME are values"),
    (["nix.lj", "--machine", "hdr", "-var", "x"], "at least one value"),
    (["--machine", "hdr", "nix.json"], "no file that 'predict --save'"),
])
def test_wrong_requests_are_explained(words, message):
    done = subprocess.run([TOFU, "predict", *words], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr


def test_command_without_input(tmp_path):
    data, picture = tmp_path / "p.json", tmp_path / "p.png"
    done = subprocess.run([TOFU, "predict", "--machine", "fugaku", "--nodes", "12,96", "--steps", "10", "--json", data,
                           "--plot", picture], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    for words in ("Predicted, not measured", "NOT VERIFIED", "network.hop", "speed-up", "doc/scale.md"):
        assert words in done.stdout
    result = json.loads(data.read_text(encoding="utf-8"))
    assert [line["nodes"] for line in result["forecasts"][0]["table"]] == [12, 96]
    assert picture.stat().st_size > 10000


def test_more_ranks_than_atoms_are_no_setting(small):
    from tofulib.predict import forecast
    machine, load = small
    table = forecast.forecast(load._replace(atoms=100), machine, [1, 1000], [4], 1, [1], 5, 1)
    assert table[0]["results"] and not table[1]["results"] and "4,000 ranks for 100 atoms" in table[1]["reasons"][0]


def test_atoms_of_ranks_are_counted_from_positions(small):
    from tofulib.predict.positions import Positions, apart
    atoms = Positions([[0.1, 0.1, 0.1], [0.6, 0.1, 0.1], [0.6, 0.2, 0.9], [1.0, 0.9, 0.9]])
    assert atoms.counts((2, 1, 2)).tolist() == [1.0, 0.0, 1.0, 2.0]
    walls = atoms.walls((2, 1, 2), "x")
    assert [list(one) for one in walls] == [[0.0, 0.6, 1.0], [0.0, 1.0], [0.0, 0.5, 1.0]]
    assert atoms.counts((2, 1, 2), ((0.0, 0.7, 1.0), *walls[1:])).tolist() == [2.0, 1.0, 0.0, 1.0]
    assert list(apart(np.array([0.0, 0.5, 0.5, 0.95, 1.0]), 0.1)) == pytest.approx([0.0, 0.5, 0.6, 0.9, 1.0])
    assert list(apart(np.array([0.0, 0.01, 1.0]), 0.6)) == [0.0, 0.5, 1.0]


def test_walls_that_follow_the_atoms_make_ranks_even(small):
    """A slab of atoms in the middle of the box, as fix balance shift treats it; ghosts then come over several walls."""
    from tofulib.predict.positions import Positions
    machine, load = small
    random = np.random.default_rng(2)
    atoms = random.random((load.atoms, 3)) * (0.3, 1.0, 1.0) + (0.35, 0.0, 0.0)
    load = load._replace(periodic=(False, True, True), skin=0.3)
    setting = paper.P2P
    equal = step.Steps(load, machine, 12, setting, positions=Positions(atoms))
    moved = step.Steps(load._replace(balance="xyz"), machine, 12, setting, positions=Positions(atoms))
    assert moved.atoms.max() < 0.7 * equal.atoms.max() and moved.atoms.sum() == equal.atoms.sum() == load.atoms
    assert moved.run(10).step < equal.run(10).step
    assert moved.run(10).messages > 0 and moved.ghosts.shape == (48,)
    brick = step.Steps(load._replace(balance="xyz"), machine, 12, paper.BRICK, positions=Positions(atoms))
    assert brick.ghosts.mean() == pytest.approx(2.0 * moved.ghosts.mean(), rel=0.35)    # half shell


def test_terms_of_kernels_are_found_again():
    points = [(1.0, n, 3.0 + 0.2 * n) for n in (50.0, 100.0, 400.0)]
    assert calibrate.fit(points) == pytest.approx((3.0, 0.2))
    assert calibrate.fit([(1.0, 50.0, 10.0), (1.0, 100.0, 5.0)])[1] == 0.0    # no term is negative
    assert calibrate.fit([(1.0, 50.0, 10.0)]) == pytest.approx((0.0, 0.2))


def short_runs(load, machine, **noise):
    """Short runs of a workload on 1 and 2 ranks as the model would have them."""
    found, noisy = [], machine.changed(**noise)
    for side, comm in (("stock", "brick"), ("tofu", "p2p")):
        for ranks in (1, 2):
            setting = step.Setting(comm, False, ranks, 1, 1)
            sections = step.Steps(load, noisy, 1, setting).run(refine.STEPS).sections
            found.append(refine.Run(side, ranks, 1, comm, False, sections))
    return refine.Bed(found, None)


def test_waiting_and_messages_of_short_runs_are_told_apart_from_computing(small):
    """With exchanges in Pair and Modify, reductions in Modify and Other, and 5 % of noise: kernels and noise are those
    that the runs were made with, although both were unknown."""
    machine = figures.read("here").changed(waiting__unexplained=0.0, noise__probability=0.0, collective__lateness=0.0)
    load, exchange = small[1], (("forward", 24),)
    truth = {"Pair": (20.0, 0.5), "Modify": (3.0, 0.02), "Other": (1.0, 0.01)}
    kernels = {f"{side}.{section}.{term}": figures.Figure(value, "measured", "made up") for side in ("stock", "tofu")
               for section, pair in truth.items() for term, value in zip(("constant", "atom"), pair)}
    load = load._replace(spread=0.0, pair_exchanges={"stock": exchange, "tofu": ()}, reductions={"stock": 2, "tofu": 1},
                         fix_exchanges={"stock": exchange, "tofu": exchange}, checks={"stock": 0.5, "tofu": 0.2},
                         kernels=kernels)
    bed = short_runs(load, machine, noise__relative=0.05)
    begin = load._replace(kernels={**load.kernels, **{name: figure._replace(value=1.5 * figure.value) for name, figure
                                                      in load.kernels.items() if ".Pair." not in name}})
    found, refined = refine.refine(bed, begin, machine.changed(noise__relative=0.3))
    for name in ("noise.relative", "noise.stock"):
        assert refined[name] == pytest.approx(0.05, rel=0.2)
    for side in ("stock", "tofu"):
        for section, pair in truth.items():
            values = [found.kernel(side, section, term) for term in ("constant", "atom", "shared")]
            for atoms in (load.atoms, load.atoms / 2):
                assert values[0] + values[1] * atoms == pytest.approx(pair[0] + pair[1] * atoms, rel=0.03)
            assert values[2] == 0.0


def test_what_grows_with_the_number_of_ranks_is_there_on_several_ranks_only():
    assert refine.terms([(1.0, 100.0, 10.0), (1.0, 50.0, 8.0)]) == {
        "constant": pytest.approx(6.0), "atom": pytest.approx(0.04), "shared": 0.0}
    assert refine.terms([(1.0, 100.0, 10.0), (1.0, 50.0, 12.0)]) == {"constant": 0.0, "atom": 0.1, "shared": 7.0}
    figure = figures.Figure(7.0, "measured", "made up")
    load = workload.Workload("any", 1, (1.0,) * 3, 1.0, 1.0, "ns", 1.0, 0.0, {}, False, {"tofu.Other.shared": figure})
    assert not load.alone().kernels


def test_a_root_is_found_between_bounds():
    assert refine.root(lambda x: x * x, 0.25, 0.0, 1.0) == pytest.approx((0.5, 0.25), abs=0.06)
    assert refine.root(lambda x: x, 2.0, 0.0, 1.0) == (1.0, 1.0) and refine.root(lambda x: x, -1.0, 0.0, 1.0) == (0, 0)


def test_numbers_of_rebuilds_are_rounded(small):
    machine, load = small
    for every, number in ((20.02, 5), (19.0, 5), (7.5, 13)):
        one = step.Steps(load._replace(rebuild_every=every), machine, 12, paper.P2P)
        one.run(100)
        assert one.happened["rebuild"] == number


def test_copies_are_told_apart_from_what_rebuilds_need():
    """Forward and reverse of 200 ghosts take 1 us each, the rebuild of every 10th step 12 us, of which 1 us is copies;
    100 atoms."""
    statistics = {"seconds in forward": (0.9e-3, 0), "seconds in reverse": (1e-3, 0), "calls of forward": (900, 0),
                  "calls of reverse": (1000, 0), "calls of borders": (100, 0)}
    run = calibrate.log.Run([], [], 1.0, 1, 1000, 100, {"Comm": 1.9e-3 + 100 * 12e-6}, {}, 100.0,
                            {"Nghost": (200.0, 200)})
    ours = calibrate.Measured(1, 1, run, "", statistics, 100)
    assert calibrate.packing_of(ours) == pytest.approx((0.005, 0.11))
    assert calibrate.packing_of(ours._replace(statistics={}), 0.11) == pytest.approx((0.005, 0.11))
    assert calibrate.packing_of(ours._replace(statistics={}), 9.0)[1] == pytest.approx(0.5 * 3.1 / 10.0)


def test_further_runs_are_compared_with_the_setting_that_they_had():
    results = [{"comm": "brick", "ranks": 2, "half": False, "step": 90.0,
                "sections": {name: 10.0 for name in check.SECTIONS}},
               {"comm": "3stage", "ranks": 2, "half": False, "senders": 1, "overlap": False, "endpoints": 0, "ring": "",
                "step": 50.0, "sections": {name: 6.0 for name in check.SECTIONS}}]
    times = {"Pair": 0.5e-3, "Other": 0.01e-3}
    run = calibrate.log.Run([], [], 1e-3, 2, 10, 100, times, {}, 100.0)
    text = "TOFU p2p/rdma statistics, average | maximum over 2 ranks: pattern 3stage, full shell in use\n"
    runs = {("tofu", 2): calibrate.Measured(2, 1, run, text, {"any": (1, 1)}, 0),
            **{("stock", ranks): calibrate.Measured(ranks, 1, run, "", {}, 0) for ranks in (2, 4)}}
    found = {(side, ranks): (step_of, sections) for side, ranks, _, step_of, sections in check.compare(runs, results)}
    assert found == {("stock", 2): (pytest.approx(-0.1), {"Pair": pytest.approx(-0.8)}),    # Other is 1 % of the step
                     ("tofu", 2): (pytest.approx(-0.5), {"Pair": pytest.approx(-0.88)})}


def measured_network(hosts, *left_out):
    """What 'tofu latency' writes: a message takes 3 us by libfabric, 1 us by shm, 5 us by MPI."""
    rows = {"tofu libfabric": (3.0, 20000.0), "tofu shm": (1.0, 9000.0), "Send/Recv": (5.0, 10000.0)}
    return {"about": {"hosts": hosts, "date": "2026-11-25T10:00:00", "processor": "any"},
            "variants": {name: {"latency": [{"bytes": 8, "median": latency}, {"bytes": 16, "median": 2 * latency}],
                                "bandwidth": [{"bytes": 8, "median": 1.0}, {"bytes": 16, "median": bandwidth}]}
                         for name, (latency, bandwidth) in rows.items() if name not in left_out}}


def test_a_measured_network_replaces_figures_of_the_machine():
    machine = figures.read("hdr").changed(network__put=0.3, network__notice=0.2, shm__put=0.95)
    between = network.figures_of(measured_network(2), machine)
    assert {name: figure.value for name, figure in between.items()} == {
        "network.latency": pytest.approx(2.5), "network.bandwidth": 20.0, "mpi.message": pytest.approx(2.5)}
    within = network.figures_of(measured_network(1), machine)
    assert {name: figure.value for name, figure in within.items()} == {    # processors do not take the whole time
        "shm.latency": pytest.approx(0.1), "shm.bandwidth": 9.0, "mpi.message_on_node": pytest.approx(4.9)}
    assert within["shm.latency"].kind == "measured" and "2026-11-25" in within["shm.latency"].source


def test_a_file_that_measured_no_network_is_refused(tmp_path):
    with pytest.raises(shell.Failure, match="no variant tofu libfabric or tofu mpi"):
        network.figures_of(measured_network(2, "tofu libfabric"), figures.read("hdr"))
    for text in ("{", "{}", '{"variants": {"Send/Recv": {"latency": []}}}'):
        (tmp_path / "net.json").write_text(text, encoding="utf-8")
        with pytest.raises(shell.Failure, match="no file that 'latency --json' has written"):
            network.read(tmp_path / "net.json")


def test_a_measured_network_is_used_and_named(tmp_path):
    (tmp_path / "net.json").write_text(json.dumps(measured_network(2)), encoding="utf-8")
    done = subprocess.run([TOFU, "predict", "--machine", "hdr", "--network", tmp_path / "net.json", "--nodes", "2",
                           "--steps", "5"], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    unsure = done.stdout.partition("NOT VERIFIED")[2]
    assert "network.put" in unsure and "network.latency" not in unsure


def test_what_an_input_asks_for_is_read_from_its_log():
    assert calibrate.checks("update: every = 1 steps, delay = 5 steps, check = yes", 10.0) == {
        "stock": 0.5, "tofu": pytest.approx(0.2)}
    assert calibrate.checks("update: every = 20 steps, delay = 0 steps, check = no", 20.0) == {"stock": 0, "tofu": 0}
    fixes = "fix 1 all nvt temp ${t} 1 1\nfix 1 all nvt temp 2 1 1\nfix 2 ions npt/threadpool temp 1 1 1 iso 1 1 1\n"
    assert calibrate.fix_reductions(fixes) == {"stock": 5.0, "tofu": 2.0}
    assert calibrate.fix_reductions("fix 3 all nph aniso 1 1 1\nfix 4 all nve\n") == {"stock": 5.0, "tofu": 1.0}
    shake = "fix 1 all shake 1e-4 20 0 b 1\nfix 1 all shake/threadpool 1 2\nfix 2 all nve\n"
    assert calibrate.fix_exchanges(shake) == (("forward", 24),)
    statistics = calibrate.read_statistics("TOFU p2p/rdma statistics, average ...\n  messages sent    12 | 13\n"
                                           "  seconds waiting    0.5 | 0.75\n\n  other 1 | 2\n")
    assert statistics == [{"messages sent": (12.0, 13.0), "seconds waiting": (0.5, 0.75)}]
    good = "TOFU predict box 2 3 5 0 0 0\nDimensions = 3\nBoundaries = p,p p,p p,p\n"
    assert calibrate.box_of(good) == pytest.approx((2.0, 3.0, 5.0))
    tilted = np.array([[2.0, 0.7, -0.4], [0.0, 3.0, 1.1], [0.0, 0.0, 5.0]])    # columns are the edges
    faces = 1.0 / np.linalg.norm(np.linalg.inv(tilted), axis=1)
    assert calibrate.box_of(good.replace("0 0 0", "0.7 -0.4 1.1")) == pytest.approx(faces, rel=1e-14)
    assert calibrate.boundaries_of(good) == (True, True, True)
    assert calibrate.boundaries_of("Boundaries = s,s p,p f,m\n") == (False, True, False)
    with pytest.raises(shell.Failure, match="three-dimensional"):
        calibrate.box_of(good.replace("= 3", "= 2"))
    assert calibrate.balance_of("fix 1 all balance 100 1.1 shift zx 10 1.05\nbalance 1.1 shift x 5 1.1\n") == "xz"
    assert calibrate.balance_of("fix 1 all ring/balance 10 1.05\n") == ""
    assert calibrate.balance_of("fix 1 all balance 100 1.1 rcb\n") == workload.RCB
    assert calibrate.skin_of("neighbor 0.4 bin\n", "lj") == 0.4 and calibrate.skin_of("", "real") == 2.0


# the time and the stock side of the short runs


class Clock:
    """A clock that runs move on."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


class Bed:
    """A program whose runs take their time on a clock: `beside` before and after their steps.

    Args:
        clock: A Clock.
        steps_us: Suffix -> time of a step [us]; None: LAMMPS refuses it.
        beside: Time beside the steps [s].
    """

    def __init__(self, clock, steps_us, beside):
        self.clock, self.steps_us, self.beside = clock, steps_us, beside
        packages = frozenset(["OPT", "OPENMP", "INTEL"])
        self.program = program.Program(Path("lmp"), program.BUILT_IN, "", packages, None, {})
        self.launcher = Launcher(None, "", Allocation("", (2,)))
        self.ran = []

    def lines(self, _one):
        """No lines in front of the input."""
        return []

    def carry_out(self, one, script, output, folder, _more, limit, _window, _after):
        """Write what such a run would print."""
        window = float((folder / script).read_text(encoding="utf-8").split("timer timeout ")[1].split()[0])
        seconds = max(0.01, window - 0.5 * self.beside)
        if self.beside + seconds > limit:
            raise shell.Late("late")
        self.clock.now += self.beside + seconds
        self.ran.append(one.name)
        if self.steps_us[one.suffix] is None:
            raise shell.Failure("LAMMPS stopped: ERROR: no such style")
        output.write_text(f"Per MPI rank memory allocation\n  Step\n  0\nLoop time of {seconds} on {one.ranks} procs "
                          f"for {max(1, round(1e6 * seconds / self.steps_us[one.suffix]))} steps with 100 atoms\n",
                          encoding="utf-8")
        return log.runs_in(output.read_text(encoding="utf-8"))


def suffix_of(tmp_path, steps_us, beside=0.5, seconds=40.0, threads=1):
    """The suffix that is chosen, the names of what ran, and the time that it took."""
    (tmp_path / "user").mkdir(exist_ok=True)
    (tmp_path / "user" / "in.x").write_text("run 10\n", encoding="utf-8")
    clock = Clock()
    bed, limit = Bed(clock, steps_us, beside), calibrate.Limit(seconds, clock)
    copies = scratch.Scratch(tmp_path / "user" / "in.x", None, tmp_path / "place")
    return calibrate.fastest_suffix(bed, copies, 2 // threads, threads, limit), bed.ran, clock.now


STEPS_US = {"": 100.0, "opt": 90.0, "omp": 95.0, "intel": 50.0}


def test_stock_is_the_fastest_of_the_packages_of_lammps(tmp_path, capsys):
    found, ran, passed = suffix_of(tmp_path, STEPS_US)
    assert found == "intel" and ran == ["none 2x1", "opt 2x1", "omp 2x1", "intel 2x1"] and 7.0 < passed < 12.0
    assert "the fastest of LAMMPS' packages is intel" in capsys.readouterr().out
    assert suffix_of(tmp_path, {**STEPS_US, "intel": None})[0] == "opt"
    found, ran, _ = suffix_of(tmp_path, {**STEPS_US, "omp": 10.0}, threads=2)
    assert found == "omp" and ran == ["omp 1x2", "intel 1x2"]
    with pytest.raises(shell.Failure, match="no such style"):
        suffix_of(tmp_path, dict.fromkeys(STEPS_US))


def test_packages_are_left_out_when_there_is_no_time_for_them(tmp_path, capsys):
    found, ran, passed = suffix_of(tmp_path, STEPS_US, beside=8.0)
    assert len(ran) < 4 and found and passed < 0.7 * 40.0
    assert "no time to try" in capsys.readouterr().out


@pytest.mark.parametrize("name, threads, message", [
    ("kk", 1, "has none, opt omp intel"), ("opt", 2, "has no threads"), ("none", 2, "has no threads")])
def test_a_stock_suffix_that_cannot_be_used_is_refused(name, threads, message):
    with pytest.raises(shell.Failure, match=message):
        calibrate.known_suffix(Bed(Clock(), STEPS_US, 0.0).program, name, threads)
    assert calibrate.known_suffix(Bed(Clock(), STEPS_US, 0.0).program, "none", 1) == ""
    assert calibrate.known_suffix(Bed(Clock(), STEPS_US, 0.0).program, "omp", 2) == "omp"


@pytest.mark.parametrize("beside, fits", [(0.3, True), (1.5, True), (9.0, False), (90.0, False)])
def test_short_runs_take_no_more_than_their_time(tmp_path, monkeypatch, beside, fits):
    clock = Clock()
    monkeypatch.setattr(calibrate.time, "monotonic", clock)
    monkeypatch.setattr(calibrate.Limit.__init__, "__defaults__", (clock,))
    monkeypatch.setattr(calibrate, "evaluate", lambda *words: calibrate.Calibration(
        paper.system("lj", figures.read("fugaku")), {}, [], {}, [], {}))
    monkeypatch.setattr(calibrate, "MOST_POSITIONS", 0)
    monkeypatch.setattr(busy.Watch, "look", lambda self: None)
    (tmp_path / "in.x").write_text("run 10\n", encoding="utf-8")
    bed = Bed(clock, {**STEPS_US, "threadpool": 40.0}, beside)
    try:
        found = calibrate.carry_out(bed, tmp_path / "in.x", 1, 40.0, tmp_path.parent / f"{tmp_path.name}-place")
        assert fits and found.load.stock_suffix == "intel" and bed.ran.count("intel 2x1") == 3
    except shell.Failure as failure:
        assert not fits and "--seconds" in str(failure)
    assert clock.now <= 1.2 * 40.0


def test_a_run_that_is_needed_gets_the_least_time_for_steps():
    clock = Clock()
    limit = calibrate.Limit(10.0, clock)
    assert limit.window(0.1) == 0.0 and limit.window(2.0) == 2.0
    for passed, window, steps in ((1.7, 1.0, 0.9), (2.7, 1.9, 1.9), (9.9, 9.2, 9.1)):
        limit.record(passed, window, steps)
    assert (limit.beside, limit.outside) == (pytest.approx(0.8), pytest.approx(0.7))
    assert limit.window(1.0) == 0.0 and limit.window(2.0) == pytest.approx(1.3)
    assert limit.window(0.0, needed=True) == pytest.approx(calibrate.SHORTEST + 0.1)
    clock.now = 9.5
    assert limit.window(0.0, needed=True) == 0.0


def line_of(nodes, stock, ours):
    """A line of a forecast."""
    return {"nodes": nodes, "results": [{"step": stock}, {"step": ours}], "stock": 0, "best": 1,
            "speed-up": stock / ours}


@pytest.mark.parametrize("lines, words", [
    ([(1, 100, 50), (10, 20, 10), (100, 9, 9)], "From 100 nodes on TOFU gains nothing."),
    ([(1, 100, 99), (10, 20, 10), (100, 9, 9)], "From 100 nodes on TOFU gains nothing."),
    ([(1, 100, 99), (10, 20, 20), (100, 30, 15)],
     "TOFU still gains with 100 nodes; stock LAMMPS is fastest with 10, more nodes gain nothing."),
    ([(1, 10, 5), (8, 12, 6)], "TOFU still gains with 8 nodes; stock LAMMPS is fastest with 1, more nodes gain "
                               "nothing; TOFU is fastest with 1, more nodes gain nothing."),
    ([(4, 10, 10)], "From 4 nodes on TOFU gains nothing.")])
def test_one_line_says_from_where_on_nothing_is_gained(lines, words):
    assert report.nothing_gained([line_of(*line) for line in lines]) == words


def test_a_busy_machine_gives_no_forecast(monkeypatch, capsys, tmp_path):
    (tmp_path / "in.x").write_text("run 1\n", encoding="utf-8")
    found = calibrate.Calibration(None, {}, [], {}, [], {}, ("other programs run",))
    monkeypatch.setattr(command, "measure", lambda *words: found)
    monkeypatch.setattr(command.venv, "python", lambda: "python3")
    monkeypatch.setattr(command, "system_of", lambda *words: pytest.fail("it forecasts"))
    options = tofu_command.parse(["predict", str(tmp_path / "in.x"), "--machine", "hdr", "-var", "x", "1", "2"])
    assert options.variables == [["x", "1", "2"]]
    assert command.command(options) == busy.STATUS
    assert "other programs run" in capsys.readouterr().out


def measured_input(tmp_path, tilted=False):
    """A small case of LAMMPS' benchmark of LJ that runs long enough."""
    if "TOFU_LMP" not in os.environ:
        pytest.skip("TOFU_LMP is not set; 'tools/tofu test' sets it")
    stock = CHECKOUT.joinpath(os.environ["TOFU_LAMMPS_DIR"], "bench", "in.lj").read_text(encoding="utf-8")
    text = stock.replace("20*", "6*").replace("100", "100000")
    text = text.replace("block", "prism").replace("${zz}", "${zz} 1 0 0") if tilted else text
    (tmp_path / "in.lj").write_text(text, encoding="utf-8")
    return tmp_path / "in.lj"


@pytest.mark.full
def test_a_prediction_is_compared_with_further_runs(tmp_path):
    words = ["--machine", "here", "--check", "1", "--seconds", "15", "--although-busy", "-v", "x", "0.5", "--json",
             tmp_path / "p.json"]
    done = subprocess.run([TOFU, "predict", measured_input(tmp_path, True), *words, "--lmp", os.environ["TOFU_LMP"]],
                          capture_output=True, text=True, timeout=300, check=False, cwd=tmp_path)
    assert done.returncode in (0, busy.STATUS), done.stdout + done.stderr
    found = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))["check"]
    ranks = sorted({1, *(one["ranks"] for one in found)})
    assert [(one["ranks"], one["side"]) for one in found] == [(n, side) for n in ranks for side in ("stock", "tofu")]
    lines = [line for line in done.stdout.splitlines() if line.startswith("| in.lj")]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    assert [row[2:4] for row in rows] == [[str(n), side] for n in ranks for side in ("stock", "TOFU")]
    assert [row[6] for row in rows] == [f"{100.0 * one['of its runs']:+.1f} %" for one in found]
    assert all(one["of its runs"] == one["step of its runs"] / one["step"] - 1.0 for one in found)
    assert any(one["step of its runs"] != one["step"] for one in found)    # they are other runs


def test_an_input_is_measured_and_predicted(tmp_path):
    script, saved = measured_input(tmp_path), tmp_path / "saved.json"
    words = ["--machine", "hdr", "--nodes", "1,4", "--ranks-per-node", "2", "--steps", "20"]
    more = ["--seconds", "15", "--although-busy", "--lmp", os.environ["TOFU_LMP"], "--save", saved, "-v", "x", "0.5"]
    done = subprocess.run([TOFU, "predict", script, *words, *more], capture_output=True, text=True, timeout=300,
                          check=False, cwd=tmp_path)
    assert done.returncode in (0, busy.STATUS), done.stdout + done.stderr
    assert "Measured by the short runs, on this processor" in done.stdout
    assert "the fastest of LAMMPS' packages" in done.stdout
    load, measured = workload.read(saved)
    assert load.stock_suffix in ("none", "opt", "omp", "intel")
    assert {"memory.pack", "mpi.pack"} <= set(measured) and "mpi.message_on_node" not in measured
    assert load.atoms == 432 and load.cut == 2.8 and load.rebuild_every == pytest.approx(20.0, rel=0.05)
    has_wide_vectors = "avx512f" in Path("/proc/cpuinfo").read_text(encoding="utf-8")    # of 8 doubles: full lists
    assert load.half != has_wide_vectors and load.reverses["stock"] == 1.0
    assert load.reverses["tofu"] == 1.0 if load.half else load.reverses["tofu"] < 0.1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.lj", "saved.json"]
    again = subprocess.run([TOFU, "predict", *words, saved], capture_output=True, text=True, timeout=300, check=False,
                           cwd=tmp_path)
    assert again.returncode == 0 and "speed-up" in again.stdout
