# SPDX-License-Identifier: GPL-2.0-only
"""Layouts of recursive bisection (balance rcb, fix balance rcb) give the same forces with p2p_rdma as with brick.

Forces do not depend on the layout: the reference is `comm_style brick` with its grid of sub-boxes. Sub-boxes change
every two steps of the runs that are compared with it.
"""

import re

import pytest

from charged_systems import SALT
from compare import ROUNDING, ROUNDING_WITH_KSPACE, compare_snapshots, force_scale
from lammps_output import ENERGIES, error_line, expect_variant, read_snapshot, read_statistics, read_thermo
from lammps_run import BRICK, OFF_NODE, Variant, run_script, shuffled
from small_systems import CHAINS, GRAINS, LJ, METAL, MOLECULES, dump
from test_half_shell import shells
from uneven_systems import SHAPES

TILED = ("layout", "tiled", "verify", "yes")
SHM = Variant("tiled-shm", keywords=TILED)
OFI = Variant("tiled-ofi", keywords=TILED, environment=OFF_NODE)
MPI = Variant("tiled-mpi", keywords=(*TILED, "transport", "mpi"))
FULL = Variant("tiled-full", keywords=(*TILED, "shell", "full"))
THREADS = Variant("tiled-threads", keywords=(*TILED, "endpoints", "3", "threads", "2"), environment=OFF_NODE)
VARIANTS = (SHM, FULL, OFI, MPI, THREADS)
RANKS = (1, 2, 3, 4, 8)

BISECTED = "balance 1.0 rcb\nfix bisect all balance 2 1.0 rcb\n"
MOVED = "displace_atoms all random 0.05 0.05 {} 31 units box\n"
"""In a perfect lattice all forces are rounding errors."""


def moved(system: str) -> str:
    return system + MOVED.format("0.0" if "dimension 2" in system else "0.05")


SYSTEMS = {
    **{name: moved(system) for name, system in SHAPES.items() if name != "unequal boxes"},
    "lj": moved(LJ),
    "metal": moved(METAL),
    "chains": CHAINS,
    "grains without newton": GRAINS,
    "molecules": MOLECULES,
    "lj without newton": moved(LJ.replace("units lj\n", "units lj\nnewton off\n")),
    "cut-off beyond the box": moved(LJ) + "comm_modify cutoff 9.5\n",
    "cut-off beyond sub-boxes": moved(LJ) + "comm_modify cutoff 5.5\n",
    "ghosts with velocities": moved(LJ) + "comm_modify vel yes\n",
    "two cut-offs": moved(LJ.replace("0.3 bin", "0.3 multi")) + "comm_modify mode multi cutoff/multi 1 3.1\n",
    "two cut-offs in a tilted box": moved(LJ.replace("0.3 bin", "0.3 multi").replace(
        "block 0 5 0 5 0 5", "prism 0 5 0 5 0 5 1.3 -0.8 0.6")) + "comm_modify mode multi\n",
    "ghosts of a group": moved(LJ) + "group some type 1\natom_modify first some\nneigh_modify include some\n"
                                     "comm_modify group some\nunfix integrate\nfix integrate some nve\n",
    "barostat": moved(LJ) + "unfix integrate\nfix integrate all npt temp 1.44 1.44 0.1 iso 0.0 0.0 1.0\n",
    "a box that shears and flips": moved(LJ.replace("block 0 5 0 5 0 5", "prism 0 5 0 5 0 5 2.0 0 0")).replace(
        "every 2 delay 0 check no", "every 1 delay 0 check yes") + "fix deform all deform 1 xy erate 2.5 remap v\n",
}


def result(servers, system: str, variant: Variant, ranks: int, folder, bisected: str = BISECTED, server=None) -> tuple:
    """Output, thermo rows, and snapshots at the start and after twelve steps."""
    paths = [folder / f"{variant.name}.{when}.dump" for when in ("start", "end")]
    group = "some" if "comm_modify group some" in system else "all"    # others have no forces
    start, end = (dump(path, group) for path in paths)
    script = f"{variant.command}\n{system}{bisected}thermo 4\nrun 0\n{start}\nrun 12\n{end}\n"
    output = servers.server(ranks, server or variant).run(script)
    return output, read_thermo(output), [read_snapshot(path) for path in paths]


def differences(expected, found, rounding=ROUNDING) -> list:
    """Lines about energies, pressures and forces that differ by more than rounding."""
    lines = []
    (_, thermo, snapshots), (_, others, other_snapshots) = expected, found
    for number, (table, other) in enumerate(zip(thermo, others)):
        assert table.nrows == other.nrows
        energy = max(abs(table.columns[name]).max() for name in ENERGIES if name in table.columns)
        allowed = max(rounding.after(12 * number), 10.0 ** (number - 12))
        for name, values in table.columns.items():
            scale = energy if name in ENERGIES else max(abs(values).max(), 1e-3)
            for row, (value, another) in enumerate(zip(values, other.columns[name])):
                if not abs(value - another) <= allowed * scale:
                    lines.append(f"run {number}, row {row}: {name} {value} became {another}")
    for age, one, other in zip((0, 12), snapshots, other_snapshots):
        lines += compare_snapshots(one, other, rounding.after(age), float(thermo[0].columns["E_pair"][0]))
    return lines


def expect_the_same(servers, system: str, variant: Variant, ranks: int, folder) -> str:
    expected = result(servers, system, BRICK, ranks, folder, "", variant)
    found = result(servers, system, variant, ranks, folder)
    expect_variant(found[0], variant.backend)
    assert force_scale(expected[2][1]) > 0.0
    assert not differences(expected, found)
    return found[0]


@pytest.mark.parametrize("turn", (0, 2))
@pytest.mark.parametrize("system", SYSTEMS)
def test_same_forces_and_energies_as_with_brick(servers, tmp_path, system, turn):
    """Rank counts and variants take turns."""
    number = list(SYSTEMS).index(system)
    ranks, variant = RANKS[(number + turn) % len(RANKS)], VARIANTS[(number // 2 + turn) % len(VARIANTS)]
    expect_the_same(servers, SYSTEMS[system], variant, ranks, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("ranks", (*RANKS, 6, 12))
@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("system", SYSTEMS)
def test_same_forces_and_energies_with_all_variants(servers, tmp_path, system, variant, ranks):
    expect_the_same(servers, SYSTEMS[system], variant, ranks, tmp_path)


@pytest.mark.parametrize("ranks", (2, 4))
@pytest.mark.parametrize("system", ("droplet", "triclinic", "walls"))
def test_same_as_with_comm_style_tiled(servers, tmp_path, system, ranks):
    """Both have the same sub-boxes at the start, so that as many ghosts are sent as there are within the cut-off."""
    tiled = Variant("tiled", style="tiled")
    expected = result(servers, SYSTEMS[system], tiled, ranks, tmp_path, server=FULL)
    found = result(servers, SYSTEMS[system], FULL, ranks, tmp_path)
    assert not differences(expected, found)
    ghosts = [re.findall(r"^Nghost: +(\S+) ave", output, re.MULTILINE)[0] for output in (expected[0], found[0])]
    assert ghosts[0] == ghosts[1]


@pytest.mark.parametrize("ranks", (2, 8))
@pytest.mark.parametrize("system", ("droplet", "triclinic", "two dimensions", "no boundary is periodic", "metal"))
def test_the_half_shell_is_used_and_saves_ghosts(servers, tmp_path, system, ranks):
    half = result(servers, SYSTEMS[system], SHM, ranks, tmp_path)
    full = result(servers, SYSTEMS[system], FULL, ranks, tmp_path)
    assert [shell for shell, _ in shells(half[0])] == ["half"]
    assert [shell for shell, _ in shells(full[0])] == ["full"]
    counts = [read_statistics(output)[0]["ghost atoms"][0] for output in (half[0], full[0])]
    assert 0 < counts[0] < 0.8 * counts[1]
    assert not differences(full, half)


@pytest.mark.parametrize("system", ("droplet", "chains", "triclinic"))
def test_same_with_the_suffix(servers, tmp_path, system):
    plain = Variant("threadpool-brick", style="brick", environment=(("TOFU_TEST", "tiled"),), parts=2)
    suffix = Variant("threadpool-tiled", keywords=TILED, environment=(("TOFU_TEST", "tiled"),), parts=2)
    expected = result(servers, SYSTEMS[system], plain, 3, tmp_path, "")
    found = result(servers, SYSTEMS[system], suffix, 3, tmp_path)
    assert not differences(expected, found)


@pytest.mark.parametrize("variant, ranks", ((SHM, 2), (SHM, 8), (OFI, 3), (OFI, 8), (THREADS, 4)), ids=str)
def test_the_same_run_gives_the_same_bits_for_any_order_of_arrival(servers, tmp_path, variant, ranks):
    def bits(shuffle: int) -> str:
        path = tmp_path / f"{shuffle}.dump"
        # without sort the balance commands themselves leave atoms in the order of arrival
        script = (f"{shuffled(variant, shuffle).command}\n{SYSTEMS['droplet']}balance 1.0 rcb sort yes\n"
                  f"fix bisect all balance 6 1.0 rcb sort yes\nrun 40\n{dump(path, columns='vx vy vz fx fy fz')}\n")
        servers.server(ranks, variant).run(script)
        return path.read_text()

    expected = bits(0)
    for shuffle in (0, 7, 300):
        assert bits(shuffle) == expected


@pytest.mark.parametrize("ranks", (2, 4))
def test_settings_of_comm_modify_are_kept_in_all_changes_of_style(servers, tmp_path, ranks):
    """A chain of styles and layouts; forces are compared after each link of it."""
    steps = [
        ("comm_style p2p/rdma stats full layout tiled", "balance 1.0 rcb"),
        ("comm_style tiled", ""),
        ("comm_style p2p/rdma stats full", ""),
        ("", "balance 1.0 shift xyz 5 1.0"),
        ("comm_style brick", ""),
        ("comm_style p2p/rdma stats full layout tiled", "balance 1.0 rcb"),
        ("comm_style p2p/rdma stats full", "balance 0.9 x uniform y uniform z uniform"),
        ("comm_style p2p/rdma stats full layout brick", ""),
    ]
    modify = "comm_modify mode multi cutoff/multi 1 3.3 vel yes\n"
    system = moved(LJ.replace("0.3 bin", "0.3 multi"))
    server = servers.server(ranks, SHM)
    snapshots = {}
    for name in ("brick", "changing"):
        script = f"comm_style brick\n{modify}{system}".replace(modify, "") + modify
        for number, (style, balance) in enumerate(steps):
            if name == "changing":
                script += f"{style}\n{balance}\n"
            path = tmp_path / f"{name}.{number}.dump"
            script += f"run 2\n{dump(path)}\ninfo comm\n"
        output = server.run(script)
        snapshots[name] = [read_snapshot(tmp_path / f"{name}.{number}.dump") for number in range(len(steps))]
    for age, (one, other) in enumerate(zip(snapshots["brick"], snapshots["changing"]), 1):
        assert not compare_snapshots(one, other, ROUNDING.after(2 * age))
    assert re.findall(r"^Comm style = (\S+), +Comm layout = (\w+)", output, re.MULTILINE) == [
        ("p2p/rdma", "irregular"), ("tiled", "irregular"), ("p2p/rdma", "irregular"),
        ("p2p/rdma", "nonuniform"), ("brick", "nonuniform"), ("p2p/rdma", "irregular"), ("p2p/rdma", "uniform"),
        ("p2p/rdma", "uniform")]
    assert len(re.findall("multi cutoff|Communication mode = multi", output)) >= len(steps)


def test_atoms_come_and_go_and_move_far(servers, tmp_path):
    script = (f"{{}}\n{moved(LJ)}{{}}run 5\n"
              "region hole sphere 4 4 4 2.0 units box\ndelete_atoms region hole compress no\nrun 4\n"
              "create_atoms 2 single 4.0 4.0 4.0 units box\nrun 4\n"
              "displace_atoms all move 3.7 -9.1 22.2 units box\nrun 4\n"
              "replicate 2 1 1\nrun 2\n")
    for ranks in (1, 4):
        server = servers.server(ranks, SHM)
        paths = [tmp_path / f"{ranks}.{name}.dump" for name in ("brick", "tiled")]
        server.run(script.format(BRICK.command, "") + dump(paths[0]))
        server.run(script.format(SHM.command, BISECTED) + dump(paths[1]))
        one, other = (read_snapshot(path) for path in paths)
        assert not compare_snapshots(one, other, ROUNDING.after(19))


KSPACE = "kspace_style {} 1e-4\nkspace_modify mesh 12 15 16 order 5 gewald 0.4{}"
LONG_RANGE = {"pppm": ("pppm", ""), **{fft: ("pppm/offload", f" overlap/always yes fft {fft}")
                                       for fft in ("pencil", "replicated", "auto")}}


@pytest.mark.parametrize("name", LONG_RANGE)
def test_long_range_forces_on_tiles(servers, tmp_path, name):
    system = moved(SALT.replace("{kspace}", KSPACE.format("pppm", "")))
    expected = result(servers, system, BRICK, 4, tmp_path, "", SHM)
    found = result(servers, moved(SALT.replace("{kspace}", KSPACE.format(*LONG_RANGE[name]))), SHM, 4, tmp_path)
    assert not differences(expected, found, ROUNDING_WITH_KSPACE)


REFUSED = {
    "balance rcb without the keyword": (
        f"comm_style p2p/rdma\n{LJ}balance 1.0 rcb\nrun 1\n", ["rcb cannot be used with comm_style brick"]),
    "layout brick from a tiled layout": (
        f"comm_style tiled\n{LJ}balance 1.0 rcb\nrun 1\ncomm_style p2p/rdma layout brick\nrun 1\n",
        ["tiled layout", "layout tiled", "balance shift"]),
    "three stages": (
        f"comm_style p2p/rdma layout tiled pattern 3stage\n{LJ}balance 1.0 rcb\nrun 1\n",
        ["pattern 3stage", "balance rcb", "pattern auto"]),
    "partial sums": (
        "comm_style p2p/rdma layout tiled\n"
        + SALT.replace("{kspace}", KSPACE.format("pppm/offload", " fft partial")) + "balance 1.0 rcb\nrun 1\n",
        ["no regular grid"]),
    "an empty box": (
        "comm_style p2p/rdma layout tiled\nlattice fcc 0.8442\nregion box block 0 5 0 5 0 5\ncreate_box 1 box\n"
        "mass 1 1\npair_style lj/cut 2.5\npair_coeff * * 1 1\nbalance 1.0 rcb\ncreate_atoms 1 box\nrun 1\n",
        ["balance rcb", "sub-boxes", "after atoms have been created"]),
    "the order of brick": (
        f"comm_style p2p/rdma layout tiled order brick\n{LJ}", ["order brick", "layout brick", "order p2p"]),
    "the order of brick after comm_style tiled": (
        f"comm_style tiled\ncomm_style p2p/rdma order brick\n{LJ}", ["order brick", "layout brick", "order p2p"]),
    "a word that is none": (f"comm_style p2p/rdma layout tiles\n{LJ}", ["layout", "tiles", "auto, brick, tiled"]),
}


@pytest.mark.usefixtures("no_segment_left")
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_possible_is_an_error_with_a_remedy(installation, tmp_path, name):
    script, words = REFUSED[name]
    message = error_line(run_script(installation, script, 3, tmp_path).expect_failure())
    for word in words:
        assert word in message, message
