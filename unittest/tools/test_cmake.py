# SPDX-License-Identifier: GPL-2.0-only
"""cmake/TOFU.cmake on real LAMMPS trees: it adds the package, and a moved anchor stops the configuration with an
explanation."""

import re
import shutil
import subprocess

import pytest
from tofulib import CHECKOUT, install, source

TIMEOUT = 300
INJECT = f"-DCMAKE_PROJECT_lammps_INCLUDE={CHECKOUT}/cmake/TOFU.cmake"
#: Options without searches that the package does not need and that take half of the time: MPI-2's C++ classes, Python.
WITHOUT_SEARCHES = ["-DWITH_CURL=off", "-DMPI_CXX_SKIP_MPICXX=on", "-DCMAKE_DISABLE_FIND_PACKAGE_Python3=on"]


#: Variables with the source trees under test, as in the fixture lammps_tree.
TREES = ("TOFU_LAMMPS_DIR", "TOFU_LAMMPS_DIR_NEWEST")


def dealt(cases):
    """Parameters of a test that takes lammps_tree first: the trees take turns in the first two cases,
    `-m long` runs the others."""
    return [pytest.param(tree, *case, marks=[pytest.mark.long] if (index + turn) % 2 or index > 1 else [])
            for index, case in enumerate(cases) for turn, tree in enumerate(TREES)]


def on_one_tree(turn):
    """Marks a test that takes lammps_tree: it runs on the first or on the second tree, `-m long` on the other one."""
    return pytest.mark.parametrize("lammps_tree", [pytest.param(tree, marks=[pytest.mark.long] if turn != index else [])
                                                   for index, tree in enumerate(TREES)], indirect=True)


def configure(tree, build, *words):
    """Run CMake; returns the process with all its output in stdout."""
    return subprocess.run(["cmake", "-S", tree / "cmake", "-B", build, "-G", "Ninja", *WITHOUT_SEARCHES, *words],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False)


def message(process):
    """Output with CMake's line breaks taken out."""
    return re.sub(r"\s+", " ", process.stdout)


def replace(path, old, new):
    """Edit one file of a linked tree without a change of the original."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"the test expects {old!r} in {path}"
    path.unlink()
    path.write_text(text.replace(old, new), encoding="utf-8")


@on_one_tree(1)
def test_injected_package_is_listed_and_the_tree_is_untouched(lammps_tree, tmp_path):
    done = configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on")
    assert done.returncode == 0, done.stdout
    styles = tmp_path / "build" / "styles"
    assert '"TOFU"' in (styles / "lmpinstalledpkgs.h").read_text(encoding="utf-8")
    assert "comm_style_p2p_rdma.h" in (styles / "style_command.h").read_text(encoding="utf-8")
    assert "fix_p2p_rdma_stats.h" in (styles / "style_fix.h").read_text(encoding="utf-8")
    assert not (lammps_tree / "src" / "TOFU").exists()
    assert (lammps_tree / "src" / "input.cpp").is_symlink()


@on_one_tree(0)
def test_installed_package_needs_only_pkg_tofu(lammps_tree, tmp_path):
    install.install(lammps_tree)
    done = configure(lammps_tree, tmp_path / "build", "-DPKG_TOFU=on")
    assert done.returncode == 0, done.stdout
    forward = (tmp_path / "build" / "styles" / "package_tofu.h").read_text(encoding="utf-8")
    assert str(lammps_tree / "src" / "TOFU") in forward
    assert (tmp_path / "build" / "tofu_patched" / "src" / "input.cpp").exists()


@on_one_tree(1)
def test_without_pkg_tofu_the_build_is_plain_lammps(lammps_tree, tmp_path):
    done = configure(lammps_tree, tmp_path / "build", INJECT)
    assert done.returncode == 0, done.stdout
    assert "TOFU" not in (tmp_path / "build" / "styles" / "lmpinstalledpkgs.h").read_text(encoding="utf-8")
    assert not (tmp_path / "build" / "tofu_patched").exists()


@on_one_tree(0)
def test_preset_is_all_that_is_needed(lammps_tree, tmp_path):
    done = configure(lammps_tree, tmp_path / "build", "-C", CHECKOUT / "cmake" / "presets" / "tofu.cmake")
    assert done.returncode == 0, done.stdout
    enabled = re.search(r"Enabled packages: (.*)", done.stdout).group(1).split(";")
    assert {"TOFU", "ASPHERE", "BODY", "CG-SPICA", "CLASS2", "CORESHELL", "DPD-BASIC", "EFF", "EXTRA-COMPUTE",
            "EXTRA-MOLECULE", "EXTRA-PAIR", "FEP", "KSPACE", "MOLECULE", "RIGID", "MANYBODY", "MEAM", "GRANULAR",
            "OPENMP", "OPT", "INTEL", "PERI", "PLUGIN", "REPLICA"} == set(enabled)


@on_one_tree(1)
def test_configuring_again_rewrites_nothing(lammps_tree, tmp_path):
    def stamps():
        files = [*(tmp_path / "build" / "styles").rglob("*.h"), *(tmp_path / "build" / "tofu_patched").rglob("*.cpp")]
        return {str(file): file.stat().st_mtime_ns for file in files}
    assert configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on").returncode == 0
    before = stamps()
    assert configure(lammps_tree, tmp_path / "build").returncode == 0
    assert stamps() == before


@on_one_tree(0)
def test_a_style_that_the_package_no_longer_has_is_forgotten_by_an_old_build_folder(lammps_tree, tmp_path):
    styles = tmp_path / "build" / "styles"
    (styles / "TOFU").mkdir(parents=True)
    gone = styles / "TOFU" / "fix_gone.h"
    gone.write_text('#include "fix_gone.h"\n// #ifdef FIX_CLASS\n', encoding="utf-8")
    assert configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on").returncode == 0
    text = (styles / "style_fix.h").read_text(encoding="utf-8")
    assert "fix_gone.h" not in text and "fix_ring_balance.h" in text
    assert not gone.exists()


@pytest.mark.parametrize("lammps_tree, anchor, old, new", dealt([
    ("definition of Input::comm_style", "void Input::comm_style()", "void Input::comm_style(int)"),
    ("early return of 'comm_style brick'", "if (comm->style == Comm::BRICK) return",
     "if (Comm::BRICK == comm->style) return"),
    ("early return of 'comm_style tiled'", "if (comm->style == Comm::TILED) return",
     "if (Comm::TILED == comm->style) return"),
    ("error for an unknown comm_style", "Unknown comm_style argument", "Unknown comm style"),
    ("error for an unknown package", "Unknown package keyword", "No such package"),
    ("error for an unknown package", "void Input::pair_coeff()",
     'void twice() { if (0) {} else error->all(FLERR,"Unknown package keyword: {}", 0); }\nvoid Input::pair_coeff()'),
]), indirect=["lammps_tree"])
def test_moved_anchor_is_fatal_and_explained(lammps_tree, tmp_path, anchor, old, new):
    replace(lammps_tree / "src" / "input.cpp", old, new)
    done = configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on")
    text = message(done)
    assert done.returncode != 0
    assert f"LAMMPS {source.release_of(lammps_tree)} has changed" in text
    assert f"anchor {anchor}" in text and "input.cpp" in text
    assert re.search(r"found it [02] times, expected exactly 1", text)
    assert "plug-in (cmake/plugin)" in text


@pytest.mark.parametrize("lammps_tree, file, name, old, new", dealt([
    ("verlet.cpp", "void Verlet::run(int n)", "modify->end_of_step();",
     "modify->end_of_step();\n    modify->new_stage();"),
    ("verlet.cpp", "void Verlet::force_clear()", "void Verlet::force_clear()", "void Verlet::clear_force()"),
    ("min.cpp", "double Min::energy_force(int resetflag)", "modify->min_post_force(vflag);",
     "modify->min_post_force(vflag);\n     modify->new_stage();"),
    ("min_linesearch.cpp", "double MinLineSearch::alpha_step(double alpha, int resetflag)",
     "return energy_force(resetflag);", "return energy_force(0);"),
    ("min_linesearch.cpp", "static constexpr double ALPHA_MAX", "EMACH = 1.0e-8", "EMACH = 1.0e-9"),
]), indirect=["lammps_tree"])
def test_another_step_or_iteration_is_fatal_and_explained(lammps_tree, tmp_path, file, name, old, new):
    replace(lammps_tree / "src" / file, old, new)
    done = configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on")
    text = message(done)
    assert done.returncode != 0
    assert f"LAMMPS {source.release_of(lammps_tree)} has changed {name}" in text
    assert "verlet/threadpool" in text and "min_style" in text


@pytest.mark.parametrize("lammps_tree, file, name, style, old, new", dealt([
    ("fix_langevin.cpp", "void FixLangevin::post_force_templated()", "fix langevin/threadpool",
     "random->uniform()-0.5", "random->uniform()-0.4"),
    ("MEAM/meam.h", "static double fcut(const double xi)", "pair_style meam/threadpool", "return a * a;", "return a;"),
    ("MEAM/meam_dens_init.cpp", "void MEAM::getscreen(", "pair_style meam/threadpool", "sfcij = sij * fcij;",
     "sfcij = sij;"),
]), indirect=["lammps_tree"])
def test_a_style_whose_terms_have_changed_is_fatal_and_explained(lammps_tree, tmp_path, file, name, style, old, new):
    folder = (lammps_tree / "src" / file).parent
    if folder.is_symlink():
        original = folder.resolve()
        folder.unlink()
        shutil.copytree(original, folder)
    replace(lammps_tree / "src" / file, old, new)
    done = configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on", "-DPKG_MEAM=on")
    assert done.returncode != 0
    assert f"LAMMPS {source.release_of(lammps_tree)} has changed {name}, which {style} repeats" in message(done)


@pytest.mark.long
def test_comments_in_the_integrator_do_not_matter(lammps_tree, tmp_path):
    replace(lammps_tree / "src" / "verlet.cpp", "void Verlet::run(int n)\n{", "void Verlet::run(int n)\n{   // as ever")
    assert configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on").returncode == 0


@on_one_tree(0)
def test_renamed_watched_variable_is_fatal_and_explained(lammps_tree, tmp_path):
    replace(lammps_tree / "cmake" / "CMakeLists.txt", "LAMMPS_STYLE_HEADERS_DIR", "LAMMPS_STYLES_DIR")
    done = configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on")
    assert done.returncode != 0
    assert "never set LAMMPS_STYLE_HEADERS_DIR" in message(done)


@on_one_tree(1)
@pytest.mark.parametrize("option, reason",
                         [("-DBUILD_MPI=off", "needs MPI"), ("-DCMAKE_CXX_STANDARD=14", "at least 17|needs C\\+\\+17")])
def test_missing_requirement_is_explained(lammps_tree, tmp_path, option, reason):
    done = configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on", option)
    assert done.returncode != 0
    assert re.search(reason, message(done))


@pytest.mark.parametrize("words, reason", [
    ([], "which has no lammpsplugin.h"),
    (["-DLAMMPS_SOURCE_DIR={tree}/src", "-DLAMMPS_SIZES=smallsmall"], "expected smallbig or bigbig"),
])
def test_plugin_refuses_wrong_options(lammps_tree, tmp_path, words, reason):
    done = subprocess.run(["cmake", "-S", CHECKOUT / "cmake" / "plugin", "-B", tmp_path / "build", "-G", "Ninja",
                           *[word.format(tree=lammps_tree) for word in words]],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode != 0
    assert reason in message(done)
