# SPDX-License-Identifier: GPL-2.0-only
"""The wheel of LAMMPS with TOFU: installed in a fresh environment it runs, is upgraded and removed."""

import base64
import hashlib
import os
import re
import sys
import zipfile
from pathlib import Path

import pytest
from tofulib import build, mpi, shell, version, wheel

pytestmark = pytest.mark.full

LIMIT = 120.0
STEPS = ["-v", "x", "0.5", "-v", "y", "0.5", "-v", "z", "0.5"]    # a box of 4,000 atoms
OLD = "0.9"


class Environment:
    """A virtual environment."""

    def __init__(self, folder):
        self.folder = folder
        shell.capture([sys.executable, "-m", "venv", folder])

    def pip(self, *words):
        """Run its pip; returns what it prints."""
        return shell.capture([self.folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check", *words])

    def files(self):
        """Its files, those of Python and pip's caches left out."""
        return {str(path.relative_to(self.folder)) for path in self.folder.rglob("*")
                if path.is_file() and "__pycache__" not in path.parts}


def old_wheel(folder):
    """A wheel of an older version with two files, one of which is in the new version, too."""
    name = f"lammps_tofu-{OLD}"
    files = {f"{name}.data/data/bin/lmp-tofu": "old", f"{name}.data/data/lib/libnot_any_more.so": "old",
             f"{name}.dist-info/METADATA": f"Metadata-Version: 2.1\nName: lammps-tofu\nVersion: {OLD}\n",
             f"{name}.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n"}
    rows = [f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip('=')},"
            f"{len(text)}" for path, text in files.items()]
    path = folder / f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        for inside, text in files.items():
            file.writestr(inside, text)
        file.writestr(f"{name}.dist-info/RECORD", "\n".join([*rows, f"{name}.dist-info/RECORD,,", ""]))
    return path


@pytest.fixture(scope="module")
def package():
    """The wheel that the stages have made."""
    path = os.environ.get("TOFU_WHEEL")
    if not path:
        pytest.skip("TOFU_WHEEL is not set; 'tools/tofu test' sets it")
    return Path(path)


@pytest.fixture(scope="module")
def environment(package, tmp_path_factory):
    """An environment with an older version, upgraded to the wheel."""
    made = Environment(tmp_path_factory.mktemp("environment") / "venv")
    made.pip("install", "--no-index", old_wheel(tmp_path_factory.mktemp("old")))
    made.pip("install", package)
    return made


@pytest.fixture
def bench():
    """Folder of LAMMPS' benchmarks."""
    folder = os.environ.get("TOFU_LAMMPS_DIR")
    if not folder:
        pytest.skip("TOFU_LAMMPS_DIR is not set; 'tools/tofu test' sets it")
    return Path(folder) / "bench"


@pytest.fixture
def run(environment, bench, tmp_path):
    """A function that runs LJ on two ranks and returns what LAMMPS prints."""
    def function(*words, launcher=None):
        launcher = launcher or [environment.folder / "bin" / "mpirun", "-np", "2"]
        done = shell.attempt([*launcher, environment.folder / "bin" / "lmp-tofu", "-in", bench / "in.lj", *STEPS,
                              *words], LIMIT, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
    return function


def thermo(text):
    """Rows of numbers between the heading of the thermo output and its end."""
    found = re.search(r"^\s*Step .*\n((?:[ \d.e+-]+\n)+)", text, re.MULTILINE)
    return [[float(word) for word in row.split()] for row in found.group(1).splitlines()]


def test_an_upgrade_leaves_nothing_of_the_old_version(environment):
    assert (environment.folder / "bin" / "lmp-tofu").read_bytes().startswith(b"\x7fELF")
    assert not (environment.folder / "lib" / "libnot_any_more.so").exists()
    assert re.search(rf"^Version: {version.tofu_version()}\+lammps\d{{8}}", environment.pip("show", "lammps-tofu"),
                     re.MULTILINE)


def test_two_ranks_agree_with_lammps_without_tofu(run):
    stock, tofu = run(), run("-sf", "threadpool", "-pk", "threadpool", "1", "comm", "p2p/rdma")
    assert "TOFU" not in stock
    assert "TOFU threadpool" in tofu and "TOFU p2p/rdma" in tofu and " 2 by 1 by 1 " not in stock.split("MPI")[0]
    assert thermo(stock)[0] == pytest.approx(thermo(tofu)[0], rel=1e-7)
    assert thermo(stock)[-1] == pytest.approx(thermo(tofu)[-1], rel=1e-5)


def test_messages_go_through_the_libfabric_of_mpi(run, environment):
    text = run("-sf", "threadpool", "-pk", "threadpool", "1", "comm", "p2p/rdma", "transport", "ofi")
    assert "TOFU p2p/rdma: messages by libfabric" in text, text
    assert not list((environment.folder / "lib").glob("libfabric*"))


def test_a_launcher_of_another_library_is_named(environment, bench, tmp_path):
    library = mpi.find("openmpi")
    if not library:
        pytest.skip("needs Open MPI")
    done = shell.attempt([*mpi.free_launch(library), "-np", "2", environment.folder / "bin" / "lmp-tofu", "-in",
                          bench / "in.lj", "-log", "none", *STEPS, "-sf", "threadpool"], LIMIT, cwd=tmp_path)
    known = (r"WARNING: TOFU: mpirun of Open MPI has started 2 processes",    # where MPI starts all the same
             r"lmp-tofu: MPI did not start: .* mpirun of Open MPI .*; use .*/bin/mpirun")
    assert len(re.findall("|".join(known), done.stdout + done.stderr)) == 2, done.stdout + done.stderr


def test_processes_that_do_not_know_each_other_are_named(run):
    text = run("-sf", "threadpool", launcher=["env", "SLURM_STEP_NUM_TASKS=4"])
    assert len(re.findall(r"WARNING: TOFU: srun has started 4 processes .*MPICH Version: [\d.]+;", text)) == 1, text


def test_help_tells_version_and_commit(environment):
    done = shell.attempt([environment.folder / "bin" / "lmp-tofu", "-h"], LIMIT)
    assert re.match(rf"TOFU {re.escape(version.tofu_version())} \(commit ([0-9a-f]{{12}}\+?|unknown)\), LAMMPS "
                    rf"\d+\w{{3}}\d{{4}}\n", done.stdout), done.stdout[:200]
    assert "threadpool" in done.stdout and "List of individual style options" in done.stdout


def test_python_module_has_a_name_of_its_own(environment, tmp_path):
    script = ("from lammps_tofu import lammps; import os, sys\n"
              "lmp = lammps(cmdargs=['-screen', 'none', '-log', 'none'])\n"
              "print(lmp.version(), 'TOFU' in lmp.installed_packages, os.environ['LAMMPS_POTENTIALS'])\n"
              "print('lammps' in sys.modules)")
    done = shell.attempt([environment.folder / "bin" / "python", "-c", script], LIMIT, cwd=tmp_path)
    words = done.stdout.split()
    assert words[0].startswith("202") and words[1] == "True" and words[3] == "False", done.stdout + done.stderr
    assert (Path(words[2]) / "Cu_u3.eam").is_file()


def test_licenses_of_what_is_linked_in_are_there(package):
    with zipfile.ZipFile(package) as file:
        names = [Path(name).name for name in file.namelist() if "/licenses/" in name]
    for word in ("LICENSE.lammps", "LICENSE.tofu", "COPYING.hwloc", "LICENSE-BSD3.highway", "SOURCES"):
        assert any(name.startswith(word) for name in names), names


def test_a_removal_leaves_mpich_and_nothing_else(package, tmp_path):
    made = Environment(tmp_path / "venv")
    made.pip("install", "mpich")
    before = made.files()
    made.pip("install", package)
    assert made.files() > before
    made.pip("uninstall", "--yes", "lammps-tofu")
    assert made.files() == before


def test_a_program_of_open_mpi_is_refused(tmp_path):
    lammps = build.Build(tmp_path / "lmp", None, mpi.Mpi("openmpi", "", "", ""))
    with pytest.raises(shell.Failure, match="MPICH"):
        wheel.pack(lammps, tmp_path)


def test_libraries_become_static_and_others_are_refused(tmp_path):
    folder = tmp_path / "build"
    folder.mkdir()
    (folder / "libfftw3.a").touch()
    line = f"liblammps.a /usr/lib/libmpich.so {folder}/libfftw3.so -lm /usr/lib/x86_64-linux-gnu/libpthread.a"
    text = f"build lmp: LINK main.cpp.o | liblammps.a\n  FLAGS = -O2\n  LINK_LIBRARIES = {line}\n  OBJECT_DIR = x\n"
    (folder / "build.ninja").write_text(text, encoding="utf-8")
    python = tmp_path / "venv" / "bin" / "python"
    found = wheel.libraries_of(folder, tmp_path, python)
    assert found.static == [folder / "libfftw3.a"] and not found.own
    assert found.shared == [tmp_path / "venv" / "lib" / "libmpi.so.12", "-lm",
                            "/usr/lib/x86_64-linux-gnu/libpthread.a"]
    (folder / "libfftw3.a").unlink()
    with pytest.raises(shell.Failure, match="no libfftw3.a beside it"):
        wheel.libraries_of(folder, tmp_path, python)


@pytest.mark.parametrize("facts, expected", ((wheel.Facts("smallbig", False), "lammps20250204"),
                                             (wheel.Facts("bigbig", True), "lammps20250204.bigbig.native")))
def test_the_version_tells_which_lammps_it_is(facts, expected):
    assert wheel.wheel_version("4Feb2025", facts) == f"{version.tofu_version()}+{expected}"


def test_the_module_finds_itself_under_its_name():
    text = "from lammps.constants import X\n    import lammps\n    if lammps.__version__ > 0: lammps(ptr=p)\n"
    assert wheel.renamed(text) == ("from lammps_tofu.constants import X\n    import lammps_tofu\n"
                                   "    if lammps_tofu.__version__ > 0: lammps(ptr=p)\n")
