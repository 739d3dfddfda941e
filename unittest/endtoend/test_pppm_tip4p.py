# SPDX-License-Identifier: GPL-2.0-only
"""kspace_style pppm/tip4p/offload, and pppm/tip4p of an unedited input under the suffix, give the results of LAMMPS'
pppm/tip4p with the same mesh."""

import re
from typing import Dict, Tuple

import numpy as np
import pytest

from lammps_output import read_snapshot, read_thermo
from lammps_run import BRICK, SHM, threadpool
from lammps_server import CaseFailed
from small_systems import dump
from test_pppm_offload import ALONE_ON_A_NODE, ALWAYS, STOCK, TWO_TO_A_NODE, Result, Way, compute, too_different
from test_tip4p import RIGID, water

MESH = "mesh 12 15 16 order 5 gewald 0.4"



def waters(rigid: bool) -> str:
    """216 molecules; without ions, whose IDs depend on the number of ranks."""
    text = water("lj/cut/tip4p/long", rigid).replace("kspace_style pppm/tip4p 1e-4", "{kspace}")
    return re.sub(r"^(create_atoms 3 random|set type 3) .*\n", "", text, flags=re.MULTILINE)


RIGID_WATER, FLEXIBLE_WATER = waters(True), waters(False)
TILTED = RIGID_WATER.replace("velocity all create",
                             "change_box all triclinic xy final 2.5 yz final -1.5 remap\nvelocity all create")
SLAB = RIGID_WATER.replace("velocity all create", "change_box all boundary p p f z delta -4 4\nvelocity all create")

WAYS = (
    Way(1, "fft replicated", threadpool(2)),
    Way(1, "fft partial overlap no"),
    Way(2, "fft partial", threadpool(2, "p2p/rdma")),
    Way(3, "fft pencil"),
    Way(4, "fft pencil gather node", threadpool(1), TWO_TO_A_NODE),
    Way(4, "fft replicated", SHM, ALONE_ON_A_NODE),
)

CASES: Dict[str, Tuple[str, str, Tuple[Way, ...]]] = {
    "rigid": (RIGID_WATER, MESH, WAYS),
    "flexible, diff ad": (FLEXIBLE_WATER, f"{MESH} diff ad", WAYS[2:5]),
    "triclinic": (TILTED, MESH, WAYS[1:5]),
    "slab": (SLAB, "mesh 12 15 32 order 5 gewald 0.4 slab 3.0", WAYS[2:4]),
    "a coarse mesh": (RIGID_WATER, "mesh 6 5 6 order 3 gewald 0.3", WAYS[4:5]),
    "a net charge": (FLEXIBLE_WATER.replace("{kspace}", "set atom 1 charge -0.7\n{kspace}"), MESH, WAYS[3:4]),
}
"""Systems, words of kspace_modify, and ways."""


def with_solver(system: str, settings: str, way: Way, style: str) -> str:
    """The system with its long-range part; only pppm/tip4p/offload takes the words of a way."""
    words = [settings, *([ALWAYS, way.words] if style.endswith("offload") else [])]
    return system.replace("{kspace}", f"kspace_style {style} 1e-4" + "".join(f"\nkspace_modify {word}" for word in words
                                                                              if word))


def computed(servers, system: str, settings: str, way: Way, folder, style: str = "pppm/tip4p/offload") -> Result:
    return compute(servers, with_solver(system, settings, way, style), "", way, folder)


@pytest.fixture(scope="module")
def stock(servers, tmp_path_factory):
    """Results of LAMMPS' pppm/tip4p on one rank, each computed once."""
    known: Dict[tuple, Result] = {}

    def result(*case: str) -> Result:
        if case not in known:
            known[case] = computed(servers, *case, STOCK, tmp_path_factory.mktemp("stock"), "pppm/tip4p")
            assert "TOFU" not in known[case].output
        return known[case]

    return result


def expect_the_same(expected: Result, found: Result) -> None:
    """To 1e-12 at the start; the whole energy and pressure, small rests of large parts, to 1e-10."""
    assert np.max(np.abs(expected.thermo[0].columns["E_long"])) > 1.0
    assert not too_different(expected, found, 1e-10, 1e-8)
    lines = too_different(expected, found, 1e-12, 1e-8)
    assert not [line for line in lines if "PotEng" not in line and "Press" not in line]


@pytest.mark.parametrize("name,way", [(name, way) for name, case in CASES.items() for way in case[2]], ids=str)
def test_same_as_pppm_tip4p(servers, stock, tmp_path, name, way):
    """With energies and virials of atoms, to which ghosts contribute."""
    system, settings, _ = CASES[name]
    expected, found = stock(system, settings), computed(servers, system, settings, way, tmp_path)
    expect_the_same(expected, found)
    assert "TOFU FFT = " in found.output


OWN = re.compile(r"^TOFU threadpool: kspace_style pppm/tip4p is LAMMPS' own, not pppm/offload: (.*)$", re.MULTILINE)
SUFFIX_WAYS = (Way(1, variant=threadpool(2)), Way(2, variant=threadpool(1, "p2p/rdma")))


@pytest.mark.parametrize("name,way", [("rigid", SUFFIX_WAYS[0]), ("flexible, diff ad", SUFFIX_WAYS[1]),
                                      ("triclinic", SUFFIX_WAYS[1])], ids=str)
def test_an_unedited_input_is_offloaded(servers, stock, tmp_path, name, way):
    system, settings, _ = CASES[name]
    found = computed(servers, system, settings, way, tmp_path, "pppm/tip4p")
    expect_the_same(stock(system, settings), found)
    assert "TOFU FFT = " in found.output and not OWN.search(found.output)
    assert re.search(r"^TOFU threadpool: variants of .*kspace pppm/tip4p\b", found.output, re.MULTILINE)


def test_slab_and_diff_ad_are_those_of_lammps_and_the_log_says_why(servers, stock, tmp_path):
    settings = "mesh 12 15 32 order 5 gewald 0.4 slab 3.0 diff ad"
    found = computed(servers, SLAB, settings, SUFFIX_WAYS[1], tmp_path, "pppm/tip4p")
    assert not too_different(stock(SLAB, settings), found, 1e-10, 1e-8)
    (told,) = OWN.findall(found.output)
    assert "slab and diff ad" in told and "TOFU FFT" not in found.output


SCENARIOS: Dict[str, Tuple[str, str]] = {
    "constant pressure": (RIGID_WATER.replace("fix integrate all nve\n", "").replace(
        RIGID, f"{RIGID}\nfix integrate all npt temp 300 300 100 iso 0 0 1000"), "run 10\n"),
    "a triclinic box that changes": (TILTED + "fix d all deform 1 xy erate 0.002 z scale 1.01 remap v\n", "run 10\n"),
    "atoms change places": (RIGID_WATER, "displace_atoms all move 3.7 -29.1 122.2 units box\nrun 4\n"
                            "balance 1.0 shift xz 5 1.01\nrun 4\n"),
    "rRESPA, a minimization": (FLEXIBLE_WATER, "run_style respa 2 2 pair 1 kspace 2\nrun 4\nrun_style verlet\n"
                               "minimize 0 0 4 20\n"),
    "rigid bodies": (RIGID_WATER.replace(RIGID, "").replace(
        "fix integrate all nve", "fix rigid all rigid/small molecule"), "run 8\n"),
}
"""Systems and commands."""
SCENARIO_WAYS = (Way(2, "fft partial", threadpool(2, "p2p/rdma")), Way(3, "fft pencil"))


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_scripts_do_works_as_with_pppm_tip4p(servers, tmp_path, name):
    """Ways take turns."""
    system, commands = SCENARIOS[name]
    results = []
    for style, way in (("pppm/tip4p", STOCK),
                       ("pppm/tip4p/offload", SCENARIO_WAYS[list(SCENARIOS).index(name) % 2])):
        script = "\n".join([way.variant.command, with_solver(system, MESH, way, style),
                            "thermo_style custom step temp pe elong press pxx pyy pzz vol",
                            "thermo_modify norm no format float %.17g", "thermo 2", commands, dump(tmp_path / "dump")])
        output = servers.server(way.ranks, way.variant).run(script)
        results.append(Result(read_thermo(output), [read_snapshot(tmp_path / "dump")], output))
    assert not too_different(*results, 1e-7, 1e-7)


def test_a_trajectory_of_rigid_water_stays_that_of_pppm_tip4p(servers):
    """Lists are built every other step; molecules go from rank to rank."""
    columns = []
    for style, way in (("pppm/tip4p", STOCK), ("pppm/tip4p/offload", Way(4, "fft pencil"))):
        text = with_solver(RIGID_WATER, f"{MESH}", way, style).replace("timestep 1.0", "timestep 0.2")
        output = servers.server(way.ranks, way.variant).run(
            f"{text}thermo_style custom step pe ke etotal press\nthermo_modify norm no format float %.17g\n"
            "thermo 20\nrun 80\n")
        columns.append(read_thermo(output)[-1].columns)
    for name in ("PotEng", "KinEng", "TotEng"):
        assert columns[1][name] == pytest.approx(columns[0][name], rel=1e-9), name
    assert len(set(columns[0]["PotEng"])) > 4


@pytest.mark.parametrize("ranks,variant", ((1, threadpool(3)), (2, threadpool(1, "p2p/rdma"))), ids=str)
def test_with_and_without_overlap_and_once_more_to_the_last_bit(servers, tmp_path, ranks, variant):
    texts = []
    for number, overlap in enumerate(("no", "yes", "yes")):
        path = tmp_path / f"{number}.dump"
        text = with_solver(RIGID_WATER, MESH, Way(ranks, f"fft pencil overlap {overlap}"), "pppm/tip4p/offload")
        output = servers.server(ranks, variant).run(
            "\n".join([variant.command, text, "run 20", dump(path, columns="vx vy vz fx fy fz")]))
        assert ("beside the pair forces" in output) == (overlap == "yes")
        texts.append(path.read_text())
    assert texts[0] == texts[1] == texts[2]


# what is refused

REFUSED = {
    "a hydrogen that is missing": (FLEXIBLE_WATER.replace(
        "neighbor 1.0", "group gone id 2\ndelete_atoms group gone compress no bond yes\nneighbor 1.0"),
        "TIP4P hydrogen is missing"),
    "newton off": ("newton off\n" + FLEXIBLE_WATER, "requires newton"),
    "a pair style with charges at atoms": (FLEXIBLE_WATER.replace("{kspace}", "pair_style lj/cut/coul/long 6.0\n"
                                                                  "pair_coeff * * 0.1 3.0\n{kspace}"),
                                           "KSpace style is incompatible with Pair style"),
}


@pytest.mark.parametrize("variant", (BRICK, threadpool(1)), ids=str)
@pytest.mark.parametrize("name", REFUSED)
def test_what_pppm_tip4p_refuses_is_refused(servers, name, variant):
    system, message = REFUSED[name]
    with pytest.raises(CaseFailed, match=message):
        servers.server(2, variant).run(
            f"{variant.command}\n" + with_solver(system, MESH, Way(2), "pppm/tip4p/offload") + "run 0\n")
