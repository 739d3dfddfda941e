# SPDX-License-Identifier: GPL-2.0-only
"""kspace_style pppm of an unedited input under the suffix: pppm/offload where its results are those of pppm, else
LAMMPS' own, with the reason in the log."""

import re
from dataclasses import replace

import pytest

from charged_systems import SALT, SLAB, TILTED_SALT, WATER
from lammps_output import read_snapshot, read_thermo
from lammps_run import BRICK, threadpool
from small_systems import dump
from test_pppm_offload import (ANALYSIS, FLIP, FORCES, MESH, NEARLY_HALF, STOCK, Result, Way, compute,
                               too_different)

OWN = re.compile(r"^TOFU threadpool: kspace_style pppm is LAMMPS' own, not pppm/offload: (.*)$", re.MULTILINE)

WAYS = (Way(1, variant=threadpool(1)), Way(1, variant=threadpool(2)), Way(2, variant=threadpool(1, "p2p/rdma")),
        Way(4, variant=threadpool(1)))
OFFLOADED = {
    "salt": (SALT, MESH),
    "water, diff ad": (WATER, "mesh 10 9 16 order 4 diff ad gewald 0.4"),
    "slab": (SLAB, "mesh 12 15 32 order 5 slab 3.0"),
    "triclinic": (TILTED_SALT, MESH),
}
PLAIN = {
    "slab, diff ad": (SLAB, "mesh 12 15 32 order 5 gewald 0.4 slab 3.0 diff ad", "slab and diff ad"),
}


def unedited(system: str, settings: str) -> str:
    """The system with pppm as the long-range part."""
    return system.replace("{kspace}", f"kspace_style pppm 1e-4\nkspace_modify {settings}")


def both(servers, system: str, way: Way, folder):
    """Results of LAMMPS on one rank and of the way."""
    return [compute(servers, system, "", one, folder / name) for name, one in (("stock", STOCK), ("suffix", way))]


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("name", OFFLOADED)
def test_pppm_is_offloaded_with_the_same_results(servers, tmp_path, name, way):
    expected, found = both(servers, unedited(*OFFLOADED[name]), way, tmp_path)
    assert not too_different(expected, found, 1e-10, 1e-8)
    assert "TOFU FFT = " + ("replicated" if way.ranks == 1 else "pencil") in found.output
    assert re.search(r"^TOFU threadpool: variants of .*kspace pppm\b", found.output, re.MULTILINE)
    assert not OWN.search(found.output) and "TOFU FFT" not in expected.output


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("name", PLAIN)
def test_where_it_cannot_be_offloaded_it_is_lammps_own_and_the_log_says_why(servers, tmp_path, name, way):
    system, settings, reason = PLAIN[name]
    expected, found = both(servers, unedited(system, settings), way, tmp_path)
    assert not too_different(expected, found, 1e-10, 1e-8)
    (told,) = OWN.findall(found.output)
    assert reason in told and "TOFU FFT" not in found.output


CHANGES = {
    "slab and diff ad": (SLAB, "mesh 12 15 32 order 5 gewald 0.4 slab 3.0", ["kspace_modify diff ad"],
                         ["kspace_modify diff ik"]),
}


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("name", CHANGES)
def test_from_offload_to_lammps_own_and_back_between_runs(servers, tmp_path, name, way):
    system, settings, there, back = CHANGES[name]
    results = []
    for label, one in (("stock", STOCK), ("suffix", way)):
        path = tmp_path / f"{label}.dump"
        script = "\n".join([one.variant.command, unedited(system, settings), ANALYSIS, "run 0", "run 4", *there,
                            "run 4", *back, "run 4", dump(path, columns=" ".join(FORCES))])
        output = servers.server(one.ranks, one.variant).run(script)
        results.append(Result(read_thermo(output), [read_snapshot(path)], output))
    assert not too_different(*results, 1e-10, 1e-8)
    output = results[1].output
    assert len(OWN.findall(output)) == 1 and output.count("TOFU FFT = ") == 2


def test_a_flip_of_the_box_gives_what_pppm_gives(servers):
    """Wave vectors of that step are those of the box before, as those of pppm."""
    system = SALT.replace("region box block 0 3 0 3 0 3", NEARLY_HALF) + FLIP
    way = Way(2, variant=threadpool(1, "p2p/rdma"))
    rows = []
    for one in (STOCK, way):
        output = servers.server(one.ranks, one.variant).run(
            f"{one.variant.command}\n{unedited(system, 'mesh 16 16 16 order 7 gewald 0.4')}")
        rows.append(read_thermo(output)[0].columns)
    assert min(rows[0]["Xy"]) < 0.0 < rows[0]["Xy"][0]
    assert rows[1]["E_long"] == pytest.approx(rows[0]["E_long"], rel=1e-9)


@pytest.mark.parametrize("words, modify, expected", [
    ("overlap no", "", "pencil"), ("fft partial", "", "partial"), ("overlap no fft replicated", "", "replicated"),
    ("fft partial", "fft replicated", "replicated"), ("overlap always", "overlap no", "pencil")])
def test_package_threadpool_reaches_the_choices_of_the_long_range(servers, tmp_path, words, modify, expected):
    """The keyword overlap of kspace_modify keeps the meaning that it has in LAMMPS."""
    variant = replace(threadpool(1, "p2p/rdma"), package=tuple(words.split()))
    script = "\n".join([variant.command, unedited(SALT, f"{MESH} {modify}"), "run 8"])
    output = servers.server(2, variant).run(script)
    assert f"TOFU FFT = {expected}" in output
    beside = "beside the pair forces" in output and "overlap no" not in words
    assert beside == ("overlap no" not in words)
    stock = servers.server(1, BRICK).run(unedited(SALT, MESH) + "run 8\n")
    for name, values in read_thermo(stock)[0].columns.items():
        if name not in ("CPU", "Step"):
            assert read_thermo(output)[0].columns[name] == pytest.approx(values, rel=1e-8)


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_two_runs_give_the_same_bits(servers, tmp_path, way):
    texts = []
    for number in range(2):
        compute(servers, unedited(*OFFLOADED["salt"]), "", way, tmp_path / str(number))
        texts.append((tmp_path / str(number) / "1.dump").read_text())
    assert texts[0] == texts[1]


def in_mixed_precision(way: Way) -> Way:
    """The way with pairs and mesh in single precision."""
    return replace(way, variant=replace(way.variant, package=("precision", "mixed")))


@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.parametrize("name", OFFLOADED)
def test_the_mesh_is_in_single_precision_with_mixed(servers, tmp_path, name, way):
    """Energy, pressure and stresses are those of the long-range part alone."""
    system = unedited(*OFFLOADED[name])
    expected, found, again = (compute(servers, system, "", one, tmp_path / label) for label, one in (
        ("double", way), ("mixed", in_mixed_precision(way)), ("again", in_mixed_precision(way))))
    assert not too_different(expected, found, 3e-4, 3e-3)
    assert "in single precision" in found.output and "in single precision" not in expected.output
    for column in ("E_long", "c_p", "c_ee"):
        double, mixed = (result.thermo[0].columns[column][0] for result in (expected, found))
        assert 1e-11 < abs(mixed / double - 1.0) < 1e-5, column
    assert [one.columns["fx"].tolist() for one in found.snapshots] == [one.columns["fx"].tolist()
                                                                       for one in again.snapshots]


@pytest.mark.parametrize("kspace", ("pppm", "pppm/offload"))
def test_the_precision_of_the_mesh_follows_settings_and_accuracy(servers, kspace):
    """Single precision would not do for an accuracy of 1e-7."""
    way = in_mixed_precision(Way(2, variant=threadpool(1, "p2p/rdma")))
    start = f"{way.variant.command}\n{unedited(SALT, MESH).replace('kspace_style pppm ', f'kspace_style {kspace} ')}"
    output = servers.server(2, way.variant).run(
        f"{start}run 2\nkspace_style {kspace} 1e-7\nkspace_modify mesh 24 24 24 order 7\nrun 2\n"
        f"kspace_style {kspace} 1e-4\nrun 2\n")
    assert re.findall(r"TOFU FFT = \w+( in single precision)?", output) == [
        " in single precision", "", " in single precision"]
