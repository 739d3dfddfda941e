# SPDX-License-Identifier: GPL-2.0-only
"""fix ring/balance: the physics does not depend on the rank that computes an atom's row, and ranks compute equal
numbers of atoms."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Dict, Tuple

import numpy as np
import pytest
from hypothesis import event, given, note, reject, seed, settings
from hypothesis import strategies as st

from compare import compare_thermo
from energy_drift import drift
from lammps_output import Snapshot, ThermoTable, read_snapshot, read_thermo
from lammps_run import ALL_VARIANTS, BRICK, SHM, Installation, Variant, run, shuffled, threadpool
from lammps_server import CaseFailed
from manybody_systems import WITHOUT_ATOMS
from random_comparison import SETTINGS, expect_same_as_brick
from random_systems import SEED, RandomSystem, random_systems
from ring_balance_runs import (FORCES, OPT, SOME_WAYS, TOLERANCE, TWO_TO_A_NODE, Result, Way, compute, differences,
                               expect_balanced, expect_counts_agree, moved)
from small_systems import LJ, dump
from uneven_systems import DROPLET, EMBEDDED, SHAPES, SLAB, STYLES, cuts, filled, unequal_boxes

WAYS = (
    Way(1),
    Way(2),
    Way(2, "mode ghost", grid="2 1 1"),
    Way(2, "mode forward weight time"),
    Way(3, "mode forward"),
    Way(3, "mode ghost direction downstream"),
    Way(3, "mode auto", ring=(2, 0, 1)),
    Way(4, "mode forward weight neighbors", grid="1 1 4"),
    Way(4, "mode auto level node", environment=TWO_TO_A_NODE),
    Way(4, "mode ghost", grid="2 1 2"),
    Way(4, "direction downstream level node", environment=TWO_TO_A_NODE, grid="4 1 1"),
    Way(8, "mode ghost"),
    Way(8, "mode forward", grid="1 1 8"),
    Way(8, "mode auto level node weight neighbors", environment=TWO_TO_A_NODE),
    Way(8, "mode ghost direction downstream", grid="1 2 4"),
    Way(12, "mode auto"),
    Way(12, "mode forward", grid="1 4 3"),
)
THREADPOOL_WAYS = (Way(2, "mode ghost", threadpool(1, "p2p/rdma")), Way(3, "mode forward", threadpool(2, "p2p/rdma")),
                   Way(4, "mode auto level node", threadpool(1, "p2p/rdma"), TWO_TO_A_NODE),
                   Way(3, "mode auto", threadpool(2, "p2p/rdma")),
                   Way(8, "mode auto", threadpool(1, "p2p/rdma")))
"""One part uses half lists, several parts use full lists; with mode forward rows are sent, with the other modes the
receiver makes the rows."""


@pytest.fixture(scope="module")
def without(servers, tmp_path_factory):
    """Results of runs without the fix, each computed once; arguments as those of compute()."""
    known: Dict[tuple, Result] = {}

    def result(system: str, way: Way, *more) -> Result:
        key = (system, replace(way, words="", ring=()), *more)
        if key not in known:
            known[key] = compute(servers, system, way, tmp_path_factory.mktemp("without"), False, *more)
        return known[key]

    return result


def same_as_without(servers, without, folder: Path, system: str, way: Way, *more) -> Result:
    """Expect the same forces, energies and stresses, of which other ranks have computed a part."""
    found = compute(servers, system, way, folder, True, *more)
    assert not differences(system, without(system, way, *more), found)
    for shares, snapshot in zip(found.shares, found.snapshots):
        expect_balanced(shares, way, system)
        computed = np.bincount(snapshot.columns["f_ring"].astype(int), minlength=way.ranks)
        assert np.array_equal(computed, shares.ranks[:, 1])
    assert way.ranks == 1 or found.shares[0].handed_over > 0
    assert re.search("^TOFU ring/balance:", found.output, re.M)
    return found


@pytest.mark.most(9)
@pytest.mark.usual(6)
@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("system", ("droplet", "molecules", "sw"))
def test_physics_is_the_same_without(servers, without, tmp_path, system, way):
    same_as_without(servers, without, tmp_path, {**SHAPES, **STYLES}[system], way)


@pytest.mark.parametrize("way", SOME_WAYS, ids=str)
@pytest.mark.parametrize("system", [name for name in SHAPES if name != "droplet"])
def test_physics_of_atoms_in_a_part_of_the_box_is_the_same(servers, without, tmp_path, system, way):
    same_as_without(servers, without, tmp_path, SHAPES[system], way)


@pytest.mark.most(16)
@pytest.mark.usual(8)
@pytest.mark.parametrize("way", SOME_WAYS, ids=str)
@pytest.mark.parametrize("system", [name for name in STYLES if name not in ("molecules", "sw")])
def test_physics_of_a_pair_style_is_the_same(servers, without, tmp_path, system, way):
    same_as_without(servers, without, tmp_path, STYLES[system], way)


ACCELERATED = {**{name: SHAPES[name] for name in ("droplet", "triclinic", "two dimensions", "all atoms on one rank")},
               **{name: text for name, text in STYLES.items() if name not in (
                   "neighbor style nsq", "long cut-off of ghosts", "ghosts with velocities")},
               **EMBEDDED}


@pytest.mark.usual(15)
@pytest.mark.parametrize("way", THREADPOOL_WAYS, ids=str)
@pytest.mark.parametrize("system", ACCELERATED)
def test_physics_with_the_suffix_threadpool_is_the_same(servers, without, tmp_path, system, way):
    same_as_without(servers, without, tmp_path, ACCELERATED[system], way, WITHOUT_ATOMS, "fx fy fz")


TILES = Variant("tiles", keywords=("layout", "tiled"))
TILES_OF_THE_POOL = [Variant("tiles-threadpool", keywords=("layout", "tiled"), environment=(("TOFU_TEST", "tiles"),),
                             parts=parts) for parts in (1, 2)]
UNEVEN = 'variable heavy atom "1+3*(x<4)+2*(z>5)"\nbalance 1.0 rcb weight var heavy\n'
"""Ranks have unequal numbers of atoms in sub-boxes that are no grid."""
BISECTED_AGAIN = UNEVEN + "fix bisect all balance 6 1.0 rcb weight var heavy\n"
TILED_WAYS = {
    "droplet": (Way(2, "mode ghost", TILES), Way(4, "mode auto", TILES), Way(8, "mode forward", TILES)),
    "triclinic": (Way(3, "mode forward direction downstream", TILES), Way(8, "mode ghost", TILES)),
    "two dimensions": (Way(4, "mode ghost level node", TILES, TWO_TO_A_NODE),),
    "walls": (Way(3, "mode auto", TILES), Way(8, "mode auto", TILES, ring=(2, 0, 1, 5, 3, 7, 6, 4))),
    "no boundary is periodic": (Way(4, "mode forward", TILES),),
}


@pytest.mark.parametrize("cuts_of", (UNEVEN, BISECTED_AGAIN), ids=("once", "again"))
@pytest.mark.parametrize("system, way", [(name, way) for name, ways in TILED_WAYS.items() for way in ways], ids=str)
def test_physics_on_tiles_is_the_same(servers, without, tmp_path, system, way, cuts_of):
    """Fix balance rcb makes other sub-boxes while the ring stays."""
    same_as_without(servers, without, tmp_path, SHAPES[system] + cuts_of, way)


@pytest.mark.parametrize("system, way", [
    ("droplet", Way(2, "mode ghost", TILES_OF_THE_POOL[0])), ("droplet", Way(8, "mode auto", TILES_OF_THE_POOL[0])),
    ("triclinic", Way(3, "mode ghost", TILES_OF_THE_POOL[1])), ("eam", Way(4, "mode auto", TILES_OF_THE_POOL[0]))],
    ids=str)
def test_rows_on_tiles_are_made_where_they_are_computed(servers, without, tmp_path, system, way):
    found = same_as_without(servers, without, tmp_path, {**SHAPES, **EMBEDDED}[system] + UNEVEN, way, WITHOUT_ATOMS,
                            "fx fy fz")
    as_atoms, as_rows = handed_over(found.output)
    assert as_atoms > 0 and as_rows == 0


@pytest.mark.parametrize("ranks", (1, 2, 4))
def test_physics_on_tiles_is_that_of_comm_style_tiled(servers, tmp_path, ranks):
    stock = Way(ranks, "", Variant("tiled", style="tiled"))
    system = DROPLET + UNEVEN
    expected = compute(servers, system, stock, tmp_path / "stock", False)
    found = compute(servers, system, Way(ranks, "mode auto", TILES), tmp_path / "found")
    assert not differences(system, expected, found)


def handed_over(output: str) -> Tuple[int, int]:
    """How often work was handed over as atoms and as rows, in the last run."""
    return tuple(map(int, re.findall(r"handed over (\d+) times as atoms, (\d+) times as rows", output)[-1]))


AS_ROWS = {"molecules": ("molecules", ""), "hybrid": ("hybrid of eam and lj/cut", ""),
           "weight neighbors": ("droplet", "weight neighbors"), "mode forward": ("droplet", "mode forward")}


@pytest.mark.parametrize("name", AS_ROWS)
def test_rows_are_sent_where_their_receiver_cannot_make_them(servers, tmp_path, name):
    system, words = AS_ROWS[name]
    found = compute(servers, ACCELERATED[system], Way(3, words, threadpool(1, "p2p/rdma")), tmp_path, True,
                    WITHOUT_ATOMS, "fx fy fz")
    atoms, rows = handed_over(found.output)
    assert atoms == 0 < rows


@pytest.mark.parametrize("parts", (1, 2))
@pytest.mark.parametrize("system", ("droplet", "slab", "triclinic", "two dimensions", "tersoff", "eam",
                                    "excluded types"))
def test_rows_are_made_where_they_are_computed_with_lists_of_the_threadpool(servers, tmp_path, system, parts):
    way = Way(3, "mode auto", threadpool(parts, "p2p/rdma"))
    found = compute(servers, {**SHAPES, **ACCELERATED}[system], way, tmp_path, True, WITHOUT_ATOMS, "fx fy fz")
    atoms, rows = handed_over(found.output)
    assert rows == 0 < atoms


ONE_SLOT = Variant("threadpool-1-slots-1", keywords=("slots", "1"), environment=(("TOFU_TEST", "threadpool"),), parts=1)


@pytest.mark.parametrize("system", ("droplet", "slab", "eam"))
def test_messages_that_have_to_wait_for_room_are_sent_when_their_receiver_reads(servers, without, tmp_path, system):
    same_as_without(servers, without, tmp_path, {**SHAPES, **EMBEDDED}[system], Way(4, "mode auto", ONE_SLOT),
                    WITHOUT_ATOMS, "fx fy fz")


BESIDE = {"fix balance": "fix shift all balance 4 1.05 shift x 5 1.05 weight neigh 0.8\n",
          "pictures": "dump pictures all image 100 {folder}/picture.*.ppm type type\n"}


@pytest.mark.parametrize("name", BESIDE)
def test_rows_are_sent_where_others_read_the_lists(servers, tmp_path, name):
    system = DROPLET + BESIDE[name].format(folder=tmp_path)
    found = compute(servers, system, Way(3, "mode auto", threadpool(1, "p2p/rdma")), tmp_path, True, WITHOUT_ATOMS,
                    "fx fy fz")
    atoms, rows = handed_over(found.output)
    assert atoms == 0 < rows


ALL_GHOSTS = Variant("threadpool-1-shell-full", keywords=("shell", "full"), environment=(("TOFU_TEST", "threadpool"),),
                     parts=1)
"""With all ghosts two ranks have each pair of an owned atom and a ghost; a half list, as that of eam, has the pair in a
row of one of them."""


@pytest.mark.parametrize("grid", ("1 1 2", "2 1 2", "1 2 4"))
@pytest.mark.parametrize("system", EMBEDDED)
def test_half_lists_with_all_ghosts_have_each_pair_once(servers, without, tmp_path, system, grid):
    ranks = int(np.prod([int(word) for word in grid.split()]))
    same_as_without(servers, without, tmp_path, EMBEDDED[system], Way(ranks, "mode auto", ALL_GHOSTS, grid=grid),
                    WITHOUT_ATOMS, "fx fy fz")


@pytest.mark.parametrize("variant", (ALL_GHOSTS, threadpool(1, "p2p/rdma")), ids=str)
@pytest.mark.parametrize("grid", ("1 1 2", "2 1 2"))
@pytest.mark.parametrize("lattice,length",
                         [(lattice, length) for lattice in ("sc", "bcc", "fcc") for length in (2.7, 3.3, 3.615, 4.1)])
def test_no_pair_of_a_perfect_lattice_is_lost_or_counted_twice(servers, tmp_path, lattice, length, grid, variant):
    """Coordinates of a plane are equal or differ in the last bit, and differ by another bit beyond a periodic
    boundary."""
    ranks = int(np.prod([int(word) for word in grid.split()]))
    energies = []
    for words in ("", "fix ring all ring/balance 1 1.0\n"):
        system = EMBEDDED["eam"].replace("fcc 3.615", f"{lattice} {length}")
        way = Way(ranks, variant=variant, grid=grid)
        output = servers.server(ranks, way.variant).run(
            f"{way.start()}{system}{words}thermo_style custom step pe press pxx pyy pzz\n"
            f"thermo_modify norm no format float %.17g\nrun 0\n")
        table, = read_thermo(output)
        energies.append([table.columns[name][0] for name in ("PotEng", "Press", "Pxx", "Pyy", "Pzz")])
    assert handed_over(output) == (1, 0)
    for without_fix, with_fix in zip(*energies):
        assert abs(with_fix - without_fix) <= 1e-11 * max(map(abs, energies[0]))


@pytest.mark.parametrize("mode", ("auto", "forward"))
def test_pairs_in_single_precision_are_computed_elsewhere_too(servers, mode):
    """Coordinates are relative to the middle of the sub-box, so the receiver rounds them differently."""
    variant = threadpool(1, "p2p/rdma")
    energies = []
    for precision, words in (("double", ""), ("mixed", ""),
                             ("mixed", f"fix ring all ring/balance 1 1.0 mode {mode}\n")):
        start = Way(2, variant=variant).start().replace("package threadpool 1",
                                                        f"package threadpool 1 precision {precision}")
        output = servers.server(2, variant).run(
            f"{start}{DROPLET}{moved(DROPLET)}{words}thermo_style custom step pe\n"
            f"thermo_modify norm no format float %.17g\nrun 0\n")
        energies.append(read_thermo(output)[0].columns["PotEng"][0])
    assert handed_over(output) == ((1, 0) if mode == "auto" else (0, 1))
    double, mixed, ring = energies
    assert double != mixed and mixed != ring
    assert abs(ring - double) <= 1e-6 * abs(double)


@pytest.mark.parametrize("system", ("droplet", "molecules", "tersoff", "eam", "hybrid of eam and lj/cut"))
def test_energies_and_stresses_of_atoms_with_the_suffix_threadpool_are_the_same(servers, without, tmp_path, system):
    same_as_without(servers, without, tmp_path, ACCELERATED[system], THREADPOOL_WAYS[1])


@pytest.mark.parametrize("system", ("droplet", "rigid water", "molecules", "morse", "excluded types"))
def test_physics_with_the_suffix_opt_is_the_same(servers, without, tmp_path, system):
    same_as_without(servers, without, tmp_path, {**SHAPES, **STYLES}[system], Way(2, variant=OPT))


@pytest.mark.parametrize("variant", [variant for variant in ALL_VARIANTS if variant is not SHM], ids=str)
def test_whatever_carries_the_messages_physics_is_the_same(servers, without, tmp_path, variant):
    same_as_without(servers, without, tmp_path, SLAB, Way(4, "mode auto", variant, grid="1 2 2"))


@pytest.mark.parametrize("mode", ("ghost", "forward"))
@pytest.mark.parametrize("system", ("droplet", "slab", "molecules", "tersoff"))
def test_physics_is_that_of_brick(servers, tmp_path, system, mode):
    text = {**SHAPES, **STYLES}[system]
    way = Way(4, f"mode {mode}")
    expected = compute(servers, text, replace(way, variant=BRICK), tmp_path / "brick", False)
    assert not differences(text, expected, compute(servers, text, way, tmp_path / "ring"))


OFFLOADED = unequal_boxes(STYLES["rigid water"].replace("kspace_style pppm ", "kspace_style pppm/offload ").replace(
    "{cuts}", "").replace("kspace_modify ", "kspace_modify overlap/always yes "))


@pytest.mark.parametrize("way", (Way(2, "mode ghost", threadpool(1, "p2p/rdma")),
                                 Way(3, "mode forward", threadpool(2, "p2p/rdma"))), ids=str)
def test_physics_beside_pppm_offload_is_the_same(servers, without, tmp_path, way):
    same_as_without(servers, without, tmp_path, OFFLOADED, way, WITHOUT_ATOMS, "fx fy fz")


@pytest.mark.parametrize("kspace,way", (("pppm", Way(4, "mode auto", grid="4 1 1")), (
    "pppm/offload", Way(2, "mode forward", threadpool(1, "p2p/rdma"), grid="2 1 1"))))
def test_peptide_is_the_same(servers, without, installation, tmp_path, kspace, way):
    """The system is LAMMPS' own example, with special bonds and rigid hydrogens."""
    folder = installation.lammps_dir / "examples" / "peptide"
    lines = [line for line in (folder / "in.peptide").read_text().splitlines() if line.split()
             and line.split()[0] not in ("run", "thermo_style", "thermo")]
    system = "\n".join(lines).replace("data.peptide", str(folder / "data.peptide")).replace(
        "kspace_style\tpppm", f"kspace_style {kspace}") \
        .replace("delay 5", "every 2 delay 0 check no") + "\n{cuts}\n"
    if kspace == "pppm/offload":
        system += "kspace_modify overlap/always yes\n"
    same_as_without(servers, without, tmp_path, system, way, WITHOUT_ATOMS, "fx fy fz", 20)


# evenness of the work

EVEN = {"slab": Way(2), "void": Way(4), "density gradient": Way(3), "triclinic": Way(4, grid="1 2 2"),
        "unequal boxes": Way(8),
        "droplet": Way(8, "level node", environment=(("TOFU_NODE_SIZE", "8"),)),
        "two dimensions": Way(4, "mode forward"), "crack": Way(4)}


@pytest.mark.parametrize("system", EVEN)
def test_all_ranks_compute_the_same_number_of_atoms(servers, tmp_path, system):
    for shares in compute(servers, SHAPES[system], EVEN[system], tmp_path).shares:
        assert shares.after <= 1.05 < shares.before, shares


def test_downstream_alone_is_algorithm_1(servers, tmp_path):
    """As in Figure 6, no atom is handed over against the direction, and an open end keeps its atoms."""
    downstream = compute(servers, SHAPES["walls"], Way(4, "direction downstream", grid="1 1 4"), tmp_path / "one",
                         steps=0).shares[0]
    both = compute(servers, SHAPES["walls"], Way(4, "direction both", grid="1 1 4"), tmp_path / "both",
                   steps=0).shares[0]
    expect_counts_agree(downstream)
    assert downstream.ranks[0, 3] == 0 and downstream.ranks[3, 2] == 0
    goal, pushed = np.mean(downstream.ranks[:, 0]), 0.0
    for owned, given in downstream.ranks[:, (0, 2)][:-1]:
        pushed = min(max(owned - goal + pushed, 0.0), owned)
        assert abs(given - pushed) <= 2.0, downstream
    assert both.after <= downstream.after


@pytest.mark.parametrize("weight", ("neighbors", "time"))
def test_work_may_be_weighed_otherwise(servers, tmp_path, weight):
    for shares in compute(servers, SHAPES["density gradient"], Way(3, f"weight {weight}"), tmp_path).shares[:1]:
        expect_counts_agree(shares)
        assert shares.after < shares.before


def test_ranks_of_a_node_share_first(servers, tmp_path):
    """Nodes own equal numbers of atoms: no work leaves a node, and no message does."""
    system = unequal_boxes(LJ).replace("{cuts}", "balance 1.0 x 0.15 0.5 0.65")
    shares = compute(servers, system, Way(4, "level node", environment=TWO_TO_A_NODE), tmp_path, steps=0).shares[0]
    nodes = shares.ranks.reshape(2, 2, 5).sum(axis=1)
    assert abs(nodes[0, 2] - nodes[0, 3]) <= 0.05 * nodes[0, 0] + 1 and shares.after <= 1.05 < shares.before, shares


def test_the_order_of_the_ring_is_that_of_the_file(servers, tmp_path):
    """The first of five ranks in a row owns all atoms; this rank, the rank behind it on the ring and the rank before it
    compute a third each."""
    system = filled(LJ).replace("INF INF INF INF 0.3 5.2", "INF INF INF INF 0.1 1.6")
    order = (0, 1, 2, 4, 3)
    shares = compute(servers, system, Way(5, grid="1 1 5", ring=order), tmp_path, steps=0).shares[0]
    assert np.array_equal(np.nonzero(shares.ranks[:, 3])[0], (1, 3)), shares
    assert np.ptp(shares.ranks[(0, 1, 3), 1]) <= 1, shares


def test_extra_ghosts_come_where_sub_boxes_are_wide(servers, tmp_path):
    """The receiver lacks atoms near those that it computes; every mode sends all of them."""
    found = {mode: compute(servers, SLAB, Way(2, f"mode {mode}"), tmp_path / mode, steps=0).shares[0]
             for mode in ("ghost", "forward", "auto")}
    assert all(shares.extra_ghosts > 0 and shares.extra_bytes > 0 for shares in found.values()), found
    assert len({shares.extra_ghosts for shares in found.values()}) == 1, found


def test_below_the_threshold_nothing_is_handed_over(servers, tmp_path):
    texts = []
    for balanced in (False, True):
        way = Way(3, thresh=20.0)
        found = compute(servers, DROPLET, way, tmp_path / str(balanced), balanced)
        texts.append([snapshot.vectors(*FORCES).tobytes() for snapshot in found.snapshots])
    assert all(shares.handed_over == 0 == shares.extra_ghosts and shares.after == shares.before > 1.5
               for shares in found.shares)
    assert texts[0] == texts[1]


# random systems

KEYWORDS = {"mode": ("auto", "ghost", "forward"), "level": ("rank", "node"), "direction": ("both", "downstream"),
            "weight": ("atoms", "neighbors", "time")}
WORDS = st.fixed_dictionaries({key: st.sampled_from(values) for key, values in KEYWORDS.items()}).map(
    lambda chosen: " ".join(f"{key} {chosen[key]}" for key in chosen))
NEWTON_ON = random_systems().filter(lambda system: system.kind in ("atomic", "charge", "bond", "full")
                                    and not system.only_group).map(
    lambda system: replace(system, newton="on"))


def expect_same_as_brick_in_a_random_box(servers, folder, system: RandomSystem, words: str) -> None:
    expect_same_as_brick(servers.server(system.ranks, system.variant), system, folder,
                         f"fix ring all ring/balance 1 1.0 {words}\n")


@seed(SEED + 2)
@settings(SETTINGS, max_examples=15)
@given(system=NEWTON_ON, words=WORDS)
def test_random_system_is_the_same_as_with_brick(servers, tmp_path_factory, system, words):
    expect_same_as_brick_in_a_random_box(servers, tmp_path_factory.getbasetemp() / "random", system, words)


LISTS_OF_THE_THREADPOOL = NEWTON_ON.filter(lambda system: system.neighbor in ("bin", "nsq") and not system.multi).map(
    lambda system: replace(system, late=False))


@pytest.mark.full
@seed(SEED + 4)
@settings(SETTINGS, max_examples=15)
@given(system=LISTS_OF_THE_THREADPOOL, words=WORDS, parts=st.sampled_from((1, 1, 2)))
def test_random_system_with_the_suffix_threadpool_is_the_same_as_with_brick(
    servers, tmp_path_factory, system, words, parts):
    variant = replace(system.variant, name=f"threadpool-{parts}", parts=parts,
                      environment=(("TOFU_TEST", "threadpool"),))
    folder = tmp_path_factory.getbasetemp() / "random"
    expect_same_as_brick(servers.server(system.ranks, variant), system, folder,
                         f"fix ring all ring/balance 1 1.0 {words}\n", variant)


@st.composite
def random_metals(draw) -> str:
    """A piece of copper in a box of any shape, for half lists, whose pairs are divided among ranks."""
    cells = [draw(st.integers(2, 6)) for _ in range(3)]
    boundary = [draw(st.sampled_from("ppsf")) for _ in range(3)]
    tilts = [draw(st.sampled_from((0.0, 0.0, 0.3, -0.45))) * cells[axis] for axis in (0, 0, 1)] if boundary == [
        "p", "p", "p"] else [0.0] * 3
    box = "block {} " if not any(tilts) else "prism {} " + " ".join(f"{tilt:.3g}" for tilt in tilts)
    kept = [sorted(draw(st.integers(0, 10)) / 10 for _ in range(2)) for _ in range(3)]
    lattice = draw(st.sampled_from((3.4, 3.615, 3.9)))
    inside = " ".join(f"{low * (size - 1):.4g} {low * (size - 1) + 1 + (high - low) * (size - 1):.4g}"
                      for (low, high), size in zip(kept, cells))
    processors = draw(st.sampled_from(("* * *", "1 1 *", "* 1 1", "1 * *")))
    return "\n".join([
        f"units metal\nprocessors {processors}\nboundary {' '.join(boundary)}\nlattice fcc {lattice}",
        f"region box {box.format(' '.join(f'0 {size}' for size in cells))}",
        f"create_box 1 box\nregion piece block {inside}\ncreate_atoms 1 region piece\nmass * 63.55\npair_style eam\n"
        f"pair_coeff * * Cu_u3.eam",
        f"velocity all create {draw(st.sampled_from((300, 3000)))} 4711 loop geom\n"
        f"neighbor {draw(st.sampled_from((0.3, 1.0, 2.0)))} bin",
        "neigh_modify every 2 delay 0 check no\nfix integrate all nve\n"
        "thermo_modify norm no lost ignore format float %.17g\nthermo 5\n"])


def expect_the_same_of_a_metal(servers, folder, system: str, ranks: int, shell: str, words: str) -> None:
    """Compare with brick and LAMMPS' own style."""
    way = Way(ranks, words, replace(threadpool(1, "p2p/rdma"), keywords=("shell", shell)))
    note(f"{ranks} ranks, {words}, {way.variant.command}\n{system}")
    try:
        expected = compute(servers, system, replace(way, variant=BRICK), folder / "brick", False, WITHOUT_ATOMS,
                           "fx fy fz", 12)
    except CaseFailed:
        event("rejected: brick itself stops with an error")
        reject()
    found = compute(servers, system, way, folder / "ring", True, WITHOUT_ATOMS, "fx fy fz", 12)
    assert not differences(system, expected, found)
    for shares in found.shares:
        expect_counts_agree(shares)


METALS = {"system": random_metals(), "ranks": st.sampled_from((2, 3, 4, 8)), "shell": st.sampled_from(("auto", "full")),
          "words": WORDS}


@pytest.mark.full
@seed(SEED + 5)
@settings(SETTINGS, max_examples=25)
@given(**METALS)
def test_a_random_piece_of_metal_is_the_same_as_with_brick(servers, tmp_path_factory, system, ranks, shell, words):
    expect_the_same_of_a_metal(servers, tmp_path_factory.getbasetemp() / "metal", system, ranks, shell, words)


@pytest.mark.long
@seed(SEED + 6)
@settings(SETTINGS, max_examples=2_000)
@given(**METALS)
def test_two_thousand_pieces_of_metal_are_the_same_as_with_brick(
    servers, tmp_path_factory, system, ranks, shell, words):
    expect_the_same_of_a_metal(servers, tmp_path_factory.getbasetemp() / "metal", system, ranks, shell, words)


@pytest.mark.long
@seed(SEED + 3)
@settings(SETTINGS, max_examples=3_000)
@given(system=NEWTON_ON, words=WORDS)
def test_three_thousand_random_systems_are_the_same_as_with_brick(servers, tmp_path_factory, system, words):
    expect_same_as_brick_in_a_random_box(servers, tmp_path_factory.getbasetemp() / "random", system, words)


# bits

REPEATED = {"droplet": DROPLET, "slab": SLAB, "molecules": STYLES["molecules"], "sw": STYLES["sw"]}
REPEATED_WAYS = (Way(4, "mode ghost", grid="1 2 2"), Way(4, "mode forward", environment=(("TOFU_NODE_SIZE", "1"),)),
                 Way(3, "mode auto", threadpool(2, "p2p/rdma")))


def bits(servers, system: str, way: Way, folder: Path, shuffle: int) -> str:
    """Thermo rows, velocities and forces after some steps as text with all digits.

    The script begins with a `clear`, since the compute that LAMMPS makes for the temperature has the suffix only then.
    """
    folder.mkdir()
    way = replace(way, variant=shuffled(way.variant, shuffle))
    output = servers.server(way.ranks, way.variant, dict(way.environment)).run("\n".join([
        way.variant.command, "clear", way.start() + system.replace("{cuts}", cuts(way.ranks)), moved(system),
        way.fix(folder), WITHOUT_ATOMS, "run 40",
        dump(folder / "end.dump", columns="vx vy vz fx fy fz f_ring")]))
    table, = read_thermo(output)
    return "\n".join([*(f"{name} {values.tolist()}" for name, values in table.columns.items()),
                      (folder / "end.dump").read_text()])


@pytest.mark.parametrize("way", REPEATED_WAYS, ids=str)
@pytest.mark.parametrize("system", REPEATED)
def test_the_same_run_twice_and_shuffled_arrivals_give_the_same_bits(servers, tmp_path, system, way):
    expected = bits(servers, REPEATED[system], way, tmp_path / "expected", 0)
    for number, shuffle in enumerate((0, 1, 300)):
        assert bits(servers, REPEATED[system], way, tmp_path / str(number), shuffle) == expected


# ways to run LAMMPS

def finished(installation: Installation, ranks: int, variant: Variant, folder: Path, fix: str,
             extra: str = "") -> Tuple[ThermoTable, Snapshot, str]:
    """Run a job of its own: thermo rows and forces after some steps.  The commands of a plug-in have a slash."""
    folder.mkdir(parents=True)
    system = SLAB + moved(SLAB)
    commands = re.sub("^(comm_style|package) ", r"\1/", variant.command, flags=re.M) if extra else variant.command
    (folder / "in.script").write_text(f"{extra}{commands}\n{system}{fix}\nthermo 4\nrun 40\n{dump('end.dump')}\n")
    output = run(installation, ["-log", "none", "-in", "in.script"], ranks, folder, BRICK,
                 dict(variant.environment)).expect_success().output
    return read_thermo(output)[0], read_snapshot(folder / "end.dump"), output


def expect_same_job(installation: Installation, variant: Variant, folder: Path, extra: str = "") -> None:
    """Expect the same results with the fix as without."""
    fix = "fix ring all ring/balance 1 1.0"
    expected, found = (finished(installation, 4, variant, folder / (text[:3] or "none"), text, extra)
                       for text in ("", fix))
    assert "TOFU ring/balance:" in found[2] and "TOFU ring/balance:" not in expected[2]
    assert not compare_thermo([expected[0]], [found[0]], TOLERANCE, "lj", expected[1])
    assert np.max(np.abs(expected[1].forces - found[1].forces)) <= 1e-8 * np.max(np.abs(expected[1].forces))


@pytest.mark.parametrize("variant", (SHM, threadpool(2, "p2p/rdma")), ids=str)
def test_newest_lammps_gives_the_same(newest, tmp_path, variant):
    expect_same_job(newest, variant, tmp_path)


@pytest.mark.parametrize("variant", (SHM, threadpool(2, "p2p/rdma")), ids=str)
def test_plugin_gives_the_same_to_a_lammps_without_the_package(plugin, tmp_path, variant):
    library, stock = plugin
    expect_same_job(stock, variant, tmp_path, f"plugin load {library}\n")


@pytest.mark.usefixtures("no_segment_left")
def test_partitions_are_worlds_of_their_own(installation, tmp_path):
    script = (f"variable mode world ghost forward\ncomm_style p2p/rdma\n"
              f"{SLAB}{moved(SLAB)}fix ring all ring/balance 1 1.0 mode ${{mode}}\nrun 20\n{dump('${mode}.dump')}\n")
    (tmp_path / "in.script").write_text(script)
    run(installation, ["-log", "none", "-in", "in.script", "-partition", "2x2"], 4, tmp_path, BRICK).expect_success()
    one, other = (read_snapshot(tmp_path / f"{mode}.dump").forces for mode in ("ghost", "forward"))
    assert np.max(np.abs(one - other)) <= 1e-8 * np.max(np.abs(one))


# energy over long runs

def check_drift(servers, variant: Variant, steps: int) -> None:
    """Expect no extra drift, with sub-boxes of unequal size on a grid of 1 x 2 x 2 ranks."""
    expected, noise, temperature = drift(servers, BRICK, steps)
    found, other_noise, other_temperature = drift(servers, variant, steps,
                                                  "balance 1.0 y 0.35 z 0.6\nfix ring all ring_balance 20 1.02\n")
    assert abs(found) <= abs(expected) + 5.0 * noise, f"drift {found:.2e}, with brick {expected:.2e} +- {noise:.1e}"
    assert other_noise <= 2.0 * noise
    assert other_temperature == pytest.approx(temperature, rel=0.05)


@pytest.mark.parametrize("variant", (SHM, threadpool(2, "p2p/rdma")), ids=str)
def test_energy_of_a_run_drifts_as_with_brick(servers, variant):
    check_drift(servers, variant, 4_000)


@pytest.mark.long
@pytest.mark.parametrize("variant", (SHM, threadpool(2, "p2p/rdma")), ids=str)
def test_energy_of_one_hundred_thousand_steps_drifts_as_with_brick(servers, variant):
    check_drift(servers, variant, 100_000)
