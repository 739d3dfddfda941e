# SPDX-License-Identifier: GPL-2.0-only
"""All sources that know LAMMPS compile with integers of every size that LAMMPS can have, without a warning.

The builds of the other tests have two of the three sizes; here the compiler checks the syntax only, which takes a
twentieth of the time.
"""

import os
from pathlib import Path

import check_layers
import pytest
import style_headers
from tofulib import CHECKOUT, mpi, shell, style_index

pytestmark = pytest.mark.full

TOFU = CHECKOUT / "src" / "TOFU"
ROOMS = [room for room in check_layers.ROOMS if room.split("/")[0] not in check_layers.ENGINES]
KINDS = ("pair", "bond", "angle", "dihedral", "improper", "fix", "compute", "min")
#: Headers that nearly all sources include; read once.
COMMON = ("atom.h", "comm.h", "domain.h", "error.h", "force.h", "memory.h", "modify.h", "neighbor.h", "update.h")


def write_generated_headers(folder):
    """The headers that CMake writes for the plug-in, with all styles."""
    headers = [Path(path).name for path in style_headers.styles(folder)[0]]
    for kind in KINDS:
        names = [name for name in headers if name.startswith(f"{kind}_")]
        names += [f"deep/{path.name}" for path in (TOFU / "deep").glob(f"{kind}_*_threadpool.h")]
        (folder / f"tofu_style_{kind}.h").write_text("".join(map('#include "{}"\n'.format, names)), encoding="utf-8")
    names = [name for name in headers if name.startswith("ewald_")]
    names += [path.name for path in (TOFU / "offload").glob("pppm_*.h") if "KSPACE_CLASS" in path.read_text()]
    (folder / "tofu_style_kspace.h").write_text("".join(map('#include "{}"\n'.format, names)), encoding="utf-8")
    (folder / "tofu_style_run.h").write_text('#include "threadpool/step/verlet_threadpool.h"\n', encoding="utf-8")
    (folder / "tofu_style_pair_absent.h").write_text('#include "deep/pair_deepmd_needs_suffix.h"\n', encoding="utf-8")


def compiler(tree, sizes, folder):
    """The compiler with its options; LAMMPS' headers count as those of the system, whose warnings are not ours."""
    packages = {path.parent for base in (*style_index.stock_headers(), "pppm.h")
                for path in (tree / "src").glob(f"*/{base}")}
    folders = [tree / "src", *sorted(packages), tree / "third_party"]
    own = [TOFU, TOFU / "offload", *sorted({path.parent for path in TOFU.glob("styles/**/*.h")}), folder,
           folder / "headers"]
    return [mpi.find("openmpi").cxx, "-std=c++17", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror",
            "-DOMPI_SKIP_MPICXX", f"-DLAMMPS_{sizes}", *(word for path in own for word in ("-I", path)),
            *(word for path in folders for word in ("-isystem", path))]


@pytest.fixture
def tree():
    """The source tree of LAMMPS."""
    if "TOFU_LAMMPS_DIR" not in os.environ or mpi.find("openmpi") is None:
        pytest.skip("needs Open MPI, and TOFU_LAMMPS_DIR to be set; 'tools/tofu test' sets it")
    return Path(os.environ["TOFU_LAMMPS_DIR"])


def skip_unsupported(tree, sizes):
    """LAMMPS has no SMALLSMALL any more since April 2025."""
    if sizes == "SMALLSMALL" and "no longer support" in (tree / "src" / "lmptype.h").read_text(encoding="utf-8"):
        pytest.skip("this LAMMPS has no such integers")


@pytest.mark.parametrize("sizes", [pytest.param("SMALLSMALL", marks=pytest.mark.long), "BIGBIG"])
def test_all_sources_compile(tree, sizes, tmp_path):
    if sizes == "BIGBIG" and "TOFU_LMP_NEWEST" in os.environ:
        pytest.skip("the newest LAMMPS was built so")
    skip_unsupported(tree, sizes)
    line = compiler(tree, sizes, tmp_path)
    write_generated_headers(tmp_path)
    common = tmp_path / "common.h"
    common.write_text("".join(map('#include "{}"\n'.format, COMMON)), encoding="utf-8")
    shell.capture([*line, "-c", "-x", "c++-header", common, "-o", tmp_path / "common.h.gch"])
    sources = sorted({path for room in ROOMS for path in (TOFU / room).rglob("*.cpp")})
    assert len(sources) > 50
    problems = [done.stderr for done in (shell.attempt([*line, "-include", common, "-fsyntax-only", path])
                                         for path in sources) if done.returncode]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("sizes, accepted", [("SMALLSMALL", True), ("SMALLBIG", True), ("BIGBIG", False)])
def test_an_atom_id_in_a_shorter_integer_is_refused(tree, sizes, accepted, tmp_path):
    skip_unsupported(tree, sizes)
    source = tmp_path / "narrow.cpp"
    source.write_text('#include "lmptype.h"\nint narrow(LAMMPS_NS::tagint id) { return int{id}; }\n', encoding="utf-8")
    done = shell.attempt([*compiler(tree, sizes, tmp_path), "-fsyntax-only", source])
    assert (done.returncode == 0) == accepted and ("narrowing" in done.stderr) != accepted, done.stderr
