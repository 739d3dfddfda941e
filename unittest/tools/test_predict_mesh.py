# SPDX-License-Identifier: GPL-2.0-only
"""The long-range part in tools/tofu predict: counts and times of messages against lists of them, overlap, kernels,
logs, and the figures of the DPLR paper. Counts of real runs are in unittest/endtoend/test_predicted_mesh.py."""

import os
import subprocess
from pathlib import Path

import dplr_program
import numpy as np
import pytest
from dplr_paper import compare
from tofulib import CHECKOUT, busy, shell
from tofulib.predict import calibrate, figures, longrange, paper, step, transforms, workload
from tofulib.predict.exchange import Network

TOFU = CHECKOUT / "tools" / "tofu"
MESH = {"points": [15, 18, 20], "order": 5, "reach": 1.0, "fields": 3, "offload": True}
NAMES = ("pppm", "pencil", "partial", "replicated")


def charged(**values):
    """A system with a mesh, on the ranks of a small machine."""
    kernels = {f"{side}.Kspace.{term}": figures.Figure(value, "measured", "made up") for side in ("stock", "tofu")
               for term, value in (("atom", 0.1), ("fft", 1e-4))}
    load = paper.system("lj", figures.read("fugaku"))
    return load._replace(atoms=2700, box=(15.0, 18.0, 20.0), spread=0.0, mesh=MESH,
                         kernels={**load.kernels, **kernels}, **values)


def network_of(grid=(2, 3, 2), node=1, **values):
    machine = figures.read("fugaku").changed(waiting__unexplained=0.0, **values)
    return Network(machine, grid, None, node)


def part(name, grid=(2, 3, 2), node=1, **values):
    """The long-range part by a transform."""
    network = network_of(grid, node, **values)
    side = "stock" if name == "pppm" else "tofu"
    return longrange.LongRange(charged(), network, side, np.full(network.ranks, 40.0), 1, name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("grid", [(1, 1, 2), (2, 3, 2), (4, 3, 5)])
def test_what_is_counted_is_what_partners_send(name, grid):
    one = part(name, grid)
    for move in (each.move for each in one.transform.forward + one.transform.backward):
        lists = [move.partners(rank) for rank in range(one.network.ranks)]
        sent, got = (np.array([pair[i] for pair in lists]) for i in (0, 1))
        assert (sent == got.T).all()
        assert (np.count_nonzero(sent, axis=1) == move.sent[0]).all()
        assert (np.count_nonzero(got, axis=1) == move.received[0]).all()
        if not isinstance(move, transforms.Rows):
            assert (sent.sum(axis=1) == move.sent[1]).all() and (got.sum(axis=1) == move.received[1]).all()
        assert move.sent[1].sum() == move.received[1].sum()


def test_transforms_move_the_mesh():
    """All points get to pencils and back; there are three messages less where a rank has a whole dimension."""
    one = part("pppm")
    for move in (each.move for each in one.transform.forward[1:]):
        assert move.sent[1].sum() + move.own.sum() == np.prod(MESH["points"])
    half = part("pencil").transform.forward[1].move
    assert half.sent[1].sum() + half.own.sum() in (8 * 18 * 20, 15 * 10 * 20, 15 * 18 * 11)
    assert part("pencil", (1, 1, 1)).messages == part("pppm", (1, 1, 1)).messages == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_round_ends_when_a_list_of_messages_says(name):
    """Ranks begin at random times, each on a node of its own."""
    one = part(name, network__bandwidth=1e9, network__hop=0.0)
    random = np.random.default_rng(3)
    put, get = one.network.processor_times(0.0, one.mpi)
    for times in one.forward + one.backward:
        start = random.exponential(20.0, one.network.ranks)
        found = one.round(start, times)
        for rank in range(one.network.ranks):
            senders = np.flatnonzero(times.move.partners(rank)[1])
            ready = start[rank] + times.send[rank]
            expected = ready
            if len(senders):
                last = (start + times.send)[senders].max() + one.machine["network.latency"]
                expected = max(ready + times.read[rank], last + times.one[rank])
            own = start[rank] + times.send[rank] + one.machine["network.latency"] + times.one[rank]
            assert found[rank] == pytest.approx(expected, rel=1e-12) or (
                len(senders) and found[rank] == pytest.approx(own, rel=1e-12))    # its own points take no latency
        assert (times.send >= times.move.sent[0] * put).all() and (times.read >= times.move.received[0] * get).all()


def test_one_rank_computes_and_no_more():
    one = part("pppm", (1, 1, 1), mpi__pack=0.0)
    assert one(np.zeros(1)) == pytest.approx(one.computing)
    points = 15 * 18 * 20
    assert one.computing == pytest.approx(0.1 * 40 + 1e-4 * 4 * points * np.log2(points))


def test_dearer_messages_and_a_late_rank_cost_time():
    cheap, dear = (part("pppm", mpi__message=value)(np.zeros(12)) for value in (1.0, 2.0))
    most = part("pppm").messages
    assert 0.5 * most < (dear - cheap).max() <= 1.01 * most
    start = np.zeros(12)
    start[5] = 1000.0
    assert (part("pencil")(start) > 1000.0).all()


def test_messages_within_a_node_are_found():
    inside, outside = (part("pencil", node=node, network__latency=50.0)(np.zeros(12)).max() for node in (12, 1))
    assert outside > inside + 4 * 45.0


def test_overlap_hides_what_pair_forces_last():
    machine, load = figures.read("fugaku"), charged()
    plain, beside = (step.Steps(load, machine, 12, paper.P2P._replace(ranks=1, overlap=overlap)).run(5)
                     for overlap in (False, True))
    assert plain.fft == beside.fft and plain.sections["Kspace"] > 20.0
    assert beside.sections["Kspace"] < 0.5 * plain.sections["Kspace"]
    assert beside.sections["Pair"] > plain.sections["Pair"]    # a thread less
    for result in (plain, beside):
        assert sum(result.sections.values()) == pytest.approx(result.step, rel=0.01)
        assert sum(result.parts.values()) == pytest.approx(result.step, rel=1e-9)


def test_stock_has_pppm_and_the_best_transform_is_taken():
    machine, load = figures.read("fugaku"), charged()
    stock = step.Steps(load, machine, 12, paper.BRICK._replace(ranks=1)).run(2)
    ours = step.Steps(load, machine, 12, paper.P2P._replace(ranks=1))
    times = {name: float(longrange.LongRange(load, ours.network, "tofu", ours.atoms, 1, name)(
        np.zeros(12)).max()) for name in NAMES[1:]}
    assert stock.fft == "pppm" and ours.long_range.name == min(times, key=times.get)
    without = load._replace(mesh={**MESH, "offload": False})
    assert step.Steps(without, machine, 12, paper.P2P._replace(ranks=1)).long_range.name == "pppm"


def run_of(text, seconds, transforms_alone, ranks=1):
    return calibrate.Measured(ranks, 1, calibrate.log.Run([], [], 1.0, ranks, 100, 600, {"Kspace": seconds}, {}, 100.0),
                              text, {}, 0, transforms_alone)


LOG = ("neighbor 2.0 bin\nkspace_modify mesh 8 9 10 diff ad\nPPPM initialization ...\n  grid = 8 9 10\n"
       "  stencil order = 5\n  TOFU FFT = pencil\n")


def test_the_mesh_is_read_from_the_log():
    def mesh(text, units="real"):
        return calibrate.mesh_of({side: [run_of(text, 0.1, 0.0)] for side in ("stock", "tofu")}, units)
    assert mesh(LOG) == {"points": [8, 9, 10], "order": 5, "reach": 1.0, "fields": 1, "offload": True}
    plain = mesh(LOG.replace("neighbor 2.0 bin\n", "").replace(" diff ad", "").replace("  TOFU FFT = pencil\n", ""),
                 "lj")
    assert plain == {"points": [8, 9, 10], "order": 5, "reach": 0.15, "fields": 3, "offload": False}
    for text, message in ((LOG.replace("PPPM init", "Ewald init"), "not pppm"),
                          (LOG + "  triclinic box = (0 0 0)\n", "triclinic"),
                          ("kspace_style pppm/tip4p 1e-4\n" + LOG, "tip4p")):
        with pytest.raises(shell.Failure, match=message):
            mesh(text)


def test_kernels_are_split_into_transforms_and_atoms():
    """1,000 us a step for 600 atoms, of which transforms take 400 us."""
    kernels = calibrate.mesh_kernels({"stock": [run_of("", 0.1, 400.0)], "tofu": [run_of("", 0.1, 1200.0)]}, {
        "points": [8, 8, 8], "fields": 3})
    assert kernels["stock.Kspace.atom"].value == pytest.approx(1.0)
    assert kernels["stock.Kspace.fft"].value == pytest.approx(400.0 / (4 * 512 * 9))
    assert kernels["tofu.Kspace.fft"].value == pytest.approx(1000.0 / (4 * 512 * 9))
    assert kernels["tofu.Kspace.atom"].value == 0.0    # a disturbed measurement
    npt = "fix 1 all npt temp 1 1 1 iso 1 1 1\n"
    assert [calibrate.fix_reductions(npt, mesh)["stock"] for mesh in (False, True)] == [4.0, 5.0]


def test_transforms_that_the_end_of_the_time_has_cut_off_are_those_of_the_other_side():
    mesh = {"points": [8, 8, 8], "fields": 3}
    cut = calibrate.mesh_kernels({"stock": [run_of("", 0.1, 400.0)], "tofu": [run_of("", 0.1, 0.0)]}, mesh)
    assert cut["tofu.Kspace.fft"].value == cut["stock.Kspace.fft"].value > 0.0
    assert "of stock" in cut["tofu.Kspace.fft"].source and "of stock" not in cut["stock.Kspace.fft"].source
    with pytest.raises(shell.Failure, match="--seconds"):
        calibrate.mesh_kernels({side: [run_of("", 0.1, 0.0)] for side in ("stock", "tofu")}, mesh)


@pytest.mark.parametrize("name, atoms", [("rhodo", 32000), ("spce", 3000)])
def test_delivered_systems_can_be_predicted(name, atoms):
    load, measured = workload.read(Path(workload.__file__).with_name("systems") / f"{name}.json")
    assert load.atoms == atoms and load.timestep == 2.0 and not measured
    assert all(figure.kind == "measured" and "Zen 4" in figure.source for figure in load.kernels.values())
    one = step.Steps(load, figures.read("hdr"), 1, step.Setting("brick", False, 1, 1, 1)).run(5)
    assert one.sections["Kspace"] > 0.0 < one.sections["Pair"]


@pytest.fixture(scope="module")
def compared():
    """All printed figures of the DPLR paper beside those of the model."""
    return compare(figures.read("fugaku"))


def test_figures_of_the_dplr_paper_are_within_their_bounds(compared):
    assert [target.name for target, _, good in compared if not good] == []
    assert sum(target.held_out for target, _, _ in compared) == 5


def test_page_has_the_figures_of_the_dplr_paper(compared):
    page = (CHECKOUT / "doc" / "internals" / "prediction.md").read_text(encoding="utf-8")
    for target, found, _ in compared:
        kind = "held out" if target.held_out else "fitted"
        printed = target.note or f"{target.value:g}"
        assert f"| {target.name} | {printed} | {found:.3g} | {target.bound:.0%} | {kind} |".replace("%", " %") in page
    for name, figure in dplr_program.FIGURES.items():
        assert f"| {name} | {figure.value:g} | {figure.kind} | {figure.source} |" in page


def test_reductions_of_the_dplr_paper():
    """Section 3.1: 11 packed reductions for 4^3 points, 36 for 6^3."""
    assert [dplr_program.reductions(points) for points in (4, 6)] == [11, 36]
    assert dplr_program.ring_sums(768, 4) == pytest.approx(4 * 11 * 28 * 0.49)


@pytest.mark.full
def test_an_input_with_a_long_range_part_is_measured_and_predicted(tmp_path):
    if "TOFU_LMP" not in os.environ:
        pytest.skip("TOFU_LMP is not set; 'tools/tofu test' sets it")
    (tmp_path / "in.salt").write_text("""units real
atom_style charge
lattice diamond 8.0
region box block 0 5 0 5 0 5
create_box 2 box
create_atoms 1 box basis 5 2 basis 6 2 basis 7 2 basis 8 2
mass * 30.0
set type 1 charge 1.0
set type 2 charge -1.0
pair_style lj/cut/coul/long 8.0
pair_coeff * * 0.1 3.0
kspace_style pppm 1e-4
neighbor 2.0 bin
fix 1 all nve
timestep 0.25
run 1000000
""", encoding="utf-8")
    def predict(seconds):
        words = ["predict", tmp_path / "in.salt", "--machine", "hdr", "--nodes", "1,2", "--ranks-per-node", "4",
                 "--threads", "2", "--steps", "10", "--seconds", seconds, "--although-busy", "--lmp",
                 os.environ["TOFU_LMP"], "--save", tmp_path / "saved.json"]
        return subprocess.run([TOFU, *map(str, words)], capture_output=True, text=True, timeout=300, check=False,
                              cwd=tmp_path)

    for seconds in (25, 100, 200):    # more than the first on a machine that is busy or slow
        done = predict(seconds)
        if "--seconds" not in done.stderr:
            break
    assert done.returncode in (0, busy.STATUS), done.stdout + done.stderr
    assert "Kspace" in done.stdout and ", fft " in done.stdout
    load, _ = workload.read(tmp_path / "saved.json")
    assert load.timestep == 0.25 and load.seconds_per_day(1000.0) == pytest.approx(21.6)    # ns for a step of 1 ms
    assert load.mesh["offload"] and load.mesh["order"] == 5 and len(load.mesh["points"]) == 3
    for side in ("stock", "tofu"):
        assert load.kernel(side, "Kspace", "fft") > 0.0 and load.kernel(side, "Kspace", "atom") >= 0.0
