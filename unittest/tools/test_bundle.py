# SPDX-License-Identifier: GPL-2.0-only
"""The archive for clusters without a network: its script compares LAMMPS with TOFU where nothing is installed."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from bare_root import BareRoot
from tofulib import CHECKOUT, bundle, shell

pytestmark = pytest.mark.full

LIMIT = 300.0
COMPARE = CHECKOUT / "packaging" / "bundle" / "compare"
#: A launcher that takes the place of MPI: the time of a step depends on package, ranks and size.
STAND_IN = """#!{python}
import math, sys
words = sys.argv[1:]
ranks = int(words[words.index("-np") + 1])
package = words[words.index("-sf") + 1] if "-sf" in words else "none"
if package == "intel":
    sys.exit("ERROR: no such package")
steps = int(words[words.index("steps") + 1])
size = max(1.0, math.prod(float(words[words.index(axis) + 1]) for axis in "xyz"))
time = {{"none": 90, "opt": 60, "omp": 50, "threadpool": 20}}[package] * size * steps * 1e-6 / ranks**0.5
with open("../started", "a") as file:
    print(*words, file=file)
print(f"Loop time of {{time:.6f}} on {{ranks}} procs for {{steps}} steps with 4000 atoms")
"""


@pytest.fixture
def stand_in(tmp_path):
    """A folder like that of the archive, with a launcher that starts nothing, and writes its arguments to a file."""
    try:
        (tmp_path / "bin").mkdir()
        bundle.add_busybox(tmp_path)
    except shell.Failure as failure:
        pytest.skip(f"needs busybox: {failure}")
    (tmp_path / "bench").mkdir()
    shutil.copy(COMPARE, tmp_path / "compare")
    launcher = tmp_path / "bin" / "mpiexec.hydra"
    launcher.write_text(STAND_IN.format(python=sys.executable), encoding="utf-8")
    launcher.chmod(0o755)
    return tmp_path


@pytest.fixture(autouse=True)
def licenses(tmp_path):
    """The folder that all parts put their licenses in."""
    (tmp_path / "licenses").mkdir()


def test_table_and_figures_have_the_fastest_of_each_side(stand_in):
    done = shell.attempt([stand_in / "compare", "--cases", "lj4000,eam", "--cores", "4", "--rounds", "2", "--json",
                          stand_in / "all.json"], LIMIT)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [row[:2] for row in rows[1:-2]] == [[name, cores] for name in ("lj4000", "eam") for cores in "124"]
    assert rows[3][2:] == "30.0 (4 x 1 opt) 50 % 10.0 (4 x 1) 50 % 3.00".split()
    assert done.stdout.splitlines()[-2].startswith("strong scaling on 1 to 4 cores, ")
    found = json.loads((stand_in / "all.json").read_text(encoding="utf-8"))
    ways = {(run["cores"], run["ranks"], run["threads"]) for run in found["runs"] if run["package"] == "TOFU"}
    assert ways == {(1, 1, 1), (2, 2, 1), (2, 1, 2), (4, 4, 1), (4, 2, 2), (4, 1, 4)}
    assert not any(run["package"] == "intel" for run in found["runs"]) and "intel" in done.stderr
    assert found["scaling"] == "strong" and found["processor"]


def test_weak_scaling_copies_the_box(stand_in):
    done = shell.attempt([stand_in / "compare", "--weak", "--cases", "rhodo,eam", "--cores", "12", "--rounds", "1",
                          "--json", stand_in / "all.json"], LIMIT)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert rows[5][:2] == ["rhodo", "12"] and rows[5][2:] == "207.9 (12 x 1 opt) 29 % 69.3 (12 x 1) 29 % 3.00".split()
    started = (stand_in / "started").read_text(encoding="utf-8")
    for words in ("-in in.rhodo.scaled -log none -v steps 16 -v x 2 -v y 2 -v z 3", "-in in.eam -log none -v steps 40 "
                  "-v x 1 -v y 2 -v z 2", "-in in.rhodo.scaled -log none -v steps 16 -v x 1 -v y 1 -v z 1"):
        assert words in started


@pytest.mark.parametrize("words, message", ((["--cases", "nix"], "there is no case nix"),
                                            (["--cores", "0"], "numbers above 0"), (["--nix"], "usage: compare"),
                                            (["--rounds"], "--rounds needs a value")))
def test_wrong_options_are_explained(stand_in, words, message):
    done = shell.attempt([stand_in / "compare", *words], LIMIT, cwd=stand_in)
    assert done.returncode == 1 and message in done.stderr and not done.stdout


def test_number_of_steps_is_a_variable(tmp_path):
    source = tmp_path / "bench"
    source.mkdir()
    for name in bundle.BENCH:
        (source / name).write_text("pair_style lj/cut 2.5\nrun\t\t100\n", encoding="utf-8")
    bundle.add_bench(source, tmp_path / "made")
    text = (tmp_path / "made" / "in.lj").read_text(encoding="utf-8")
    assert text.startswith("variable steps index 100\n") and "run\t\t${steps}\n" in text
    (source / "in.lj").write_text("run 1\nrun 2\n", encoding="utf-8")
    shutil.rmtree(tmp_path / "made")
    with pytest.raises(shell.Failure, match="2 commands 'run'"):
        bundle.add_bench(source, tmp_path / "made")


def test_the_name_tells_how_it_is_packed():
    assert bundle.packing(Path("a.tar.xz")) == "w:xz" and bundle.packing(Path("a.tar")) == "w"
    with pytest.raises(shell.Failure, match=r"ends in none of \.tar"):
        bundle.packing(Path("a.zip"))


def test_it_runs_where_nothing_is_installed(tmp_path):
    for name in ("TOFU_WHEEL", "TOFU_LAMMPS_DIR"):
        if not os.environ.get(name):
            pytest.skip(f"{name} is not set; 'tools/tofu test' sets it")
    root = BareRoot(tmp_path / "root")
    if root.reason_against():
        pytest.skip(root.reason_against())
    top = root.folder / "lammps-tofu"
    bundle.fill(top, Path(os.environ["TOFU_WHEEL"]), Path(os.environ["TOFU_LAMMPS_DIR"]) / "bench")
    done = root.run("/lammps-tofu/bin/busybox", "sh", "/lammps-tofu/compare", "--cases", "lj4000", "--cores", "2",
                    "--rounds", "1", "--json", "/tmp/compare.json", limit=LIMIT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {line.split()[1] for line in done.stdout.splitlines() if line.startswith("lj4000")} == {"1", "2"}
    found = json.loads((root.folder / "tmp" / "compare.json").read_text(encoding="utf-8"))
    assert {run["package"] for run in found["runs"]} >= {"none", "TOFU"}
