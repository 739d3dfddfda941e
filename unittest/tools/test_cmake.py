# SPDX-License-Identifier: GPL-2.0-only
"""cmake/TOFU.cmake on real LAMMPS trees: it adds the package, and leaves out what LAMMPS has changed with an
explanation."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import style_headers
from tofulib import CHECKOUT, install, source, style_index

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


@pytest.mark.full
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


@pytest.mark.full
@on_one_tree(0)
def test_preset_is_all_that_is_needed(lammps_tree, tmp_path):
    done = configure(lammps_tree, tmp_path / "build", "-C", CHECKOUT / "cmake" / "presets" / "tofu.cmake")
    assert done.returncode == 0, done.stdout
    enabled = re.search(r"Enabled packages: (.*)", done.stdout).group(1).split(";")
    assert {"TOFU", "ASPHERE", "BODY", "CG-SPICA", "CLASS2", "CORESHELL", "DPD-BASIC", "EFF", "EXTRA-COMPUTE",
            "EXTRA-MOLECULE", "EXTRA-PAIR", "FEP", "KSPACE", "MOLECULE", "RIGID", "MANYBODY", "MEAM", "GRANULAR",
            "MOFFF", "OPENMP", "OPT", "INTEL", "PERI", "PLUGIN", "QEQ", "REAXFF", "REPLICA"} == set(enabled)


#: Sources of the package that are left over, for headers and sources of styles.
UNUSED = """\
cmake_minimum_required(VERSION 3.20)
include("${CHECKOUT}/src/TOFU/dependencies.cmake")
set(sources ${SOURCES})
foreach(room ${TOFU_ROOMS} ${MORE})
  file(GLOB found "${TOFU_SOURCE_DIR}/${room}/*.cpp" "${TOFU_SOURCE_DIR}/${room}/*/*.cpp")
  list(APPEND sources ${found})
endforeach()
tofu_without_unused(sources ${HEADERS})
message("${sources}")
"""


def needed(tmp_path, stock, more=""):
    """Sources that a build compiles, by room and name.

    Args:
        tmp_path: Folder for scripts.
        stock: Names of LAMMPS' headers; None: of all styles that have a variant.
        more: Further rooms.
    """
    headers, sources = style_headers.styles(tmp_path, stock)
    (tmp_path / "unused.cmake").write_text(UNUSED, encoding="utf-8")
    done = subprocess.run(["cmake", f"-DCHECKOUT={CHECKOUT}", f"-DHEADERS={';'.join(headers)}",
                           f"-DSOURCES={';'.join(sources)}", f"-DMORE={more}", "-P", tmp_path / "unused.cmake"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stdout
    return {path.strip().partition("/src/TOFU/")[2] for path in done.stdout.split(";")}


def test_kernels_that_no_style_of_this_lammps_needs_are_not_compiled(tmp_path):
    """Those that come with a style, however far away, are; with all styles all sources are."""
    few = needed(tmp_path, ["pair_lj_cut.h", "pair_meam.h"])
    assert {"kernels/pair/lj_cut.cpp", "kernels/manybody/meam.cpp", "kernels/manybody/meam_screening.cpp",
            "kernels/manybody/meam_embedding.cpp", "kernels/neighbor/cell_grid.cpp",
            "threadpool/lists/rows_for_donors.cpp", "threadpool/step/verlet_threadpool.cpp",
            "p2p/comm_p2p_rdma.cpp"} < few
    assert not {"kernels/manybody/sw.cpp", "kernels/granular/contacts.cpp", "kernels/deep/dense_net.cpp",
                "threadpool/rigid/rigid_on_pool.cpp"} & few
    folder = CHECKOUT / "src" / "TOFU"
    every = {str(path.relative_to(folder)) for path in folder.rglob("*.cpp")} - {"plugin/tofuplugin.cpp"}
    assert needed(tmp_path, None, "mesh;offload;deep;model") == every


def test_styles_of_tables_are_headers_that_each_parser_reads(tmp_path):
    """One kind and one block, markers at the margin, and no style whose style without the suffix LAMMPS lacks; headers
    of an earlier state go."""
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "pair_gone_threadpool.h").write_text("#ifdef PAIR_CLASS\n", encoding="utf-8")
    headers, sources = style_headers.styles(tmp_path, ["pair_lj_spica.h", "fix_nvt.h", "pair_eam.h", "pair_gauss.h"])
    names = sorted(Path(path).name for path in headers)
    assert names == ["fix_nvt_threadpool.h", "pair_eam_threadpool.h", "pair_gauss_threadpool.h",
                     "pair_lj_spica_threadpool.h"]
    assert [Path(path).name for path in sources] == ["pair_eam_threadpool.cpp"]
    assert len(list((tmp_path / "headers").iterdir())) == 3
    text = (tmp_path / "headers" / "pair_lj_spica_threadpool.h").read_text(encoding="utf-8")
    assert re.findall(r"^#ifdef (\w+)$", text, re.MULTILINE) == ["PAIR_CLASS"]
    assert re.findall(r"^PairStyle\(([^,]+),(\w+)\);$", text, re.MULTILINE) == [
        ("lj/spica/threadpool", "PairLJSPICAThreadpool"), ("lj/sdk/threadpool", "PairLJSPICAThreadpool")]
    assert "c.spica(lj1[i][j], lj2[i][j], LJSPICAParms::lj_pow1[lj_type[i][j]],\n" in text
    every = style_headers.styles(tmp_path)[0]
    written = {(kind, name) for path in every for kind, name in
               style_index.MARKER.findall(Path(path).read_text(encoding="utf-8"))}
    assert written == {(kind, name) for kind, name, path in style_index.own_styles() if "styles" in path.parts}
    assert len(written) == len([1 for path in every for _ in
                                style_index.MARKER.finditer(Path(path).read_text(encoding="utf-8"))])


@pytest.mark.parametrize("line", ["pair gauss: PairTermsStyle", "pair gauss PairTermsStyle<PairGauss>", "}"])
def test_a_line_of_a_table_that_begins_no_style_is_refused_by_its_number(tmp_path, line):
    folder = shutil.copytree(CHECKOUT / "src" / "TOFU" / "styles", tmp_path / "src" / "TOFU" / "styles")
    for name in ("repeated.cmake", "style_tables.cmake"):
        shutil.copy(CHECKOUT / "src" / "TOFU" / name, folder.parent)
    table = folder / "core" / "fix" / "fix.table"
    text = table.read_text(encoding="utf-8")
    table.write_text(text + line + "\n", encoding="utf-8")
    with pytest.raises(AssertionError) as caught:
        style_headers.styles(tmp_path, ["fix_nvt.h"], tmp_path)
    number = text.count("\n") + 1
    assert f"fix.table:{number}: '{line}' is no style" in re.sub(r"\s+", " ", str(caught.value))


#: Packages that have styles with a variant.
PACKAGES = sorted(set(style_index.stock_headers().values()) - {"core"})
#: Package -> packages that switch it on again.
NEED_IT = {"MOLECULE": ("EXTRA-MOLECULE",)}


def included_without_file(build, tree, package):
    """Headers of a package that is off, and sources and registered headers of TOFU that include them."""
    off = {path.name for path in (tree / "src" / package).glob("*.h")}
    ninja = (build / "build.ninja").read_text(encoding="utf-8")
    sources = [Path(path) for path in re.findall(r"^build \S+\.o: CXX\S+ (\S+/src/TOFU/\S+\.cpp)", ninja, re.MULTILINE)]
    registered = {name for path in (build / "styles").glob("style_*.h")
                  for name in re.findall(r'"(\w+_threadpool\.h)"', path.read_text(encoding="utf-8"))}
    headers = [path for path in [*(build / "tofu_styles").glob("*.h"), *(CHECKOUT / "src" / "TOFU").rglob("*.h")]
               if path.name in registered]
    assert len(sources) > 200 and len(headers) > 50
    return sorted({f"{path.name}: {name}" for path in [*sources, *headers]
                   for name in re.findall(r'^#include "([^"/]+)"', path.read_text(encoding="utf-8"), re.MULTILINE)
                   if name in off})


@pytest.mark.full
@on_one_tree(0)
@pytest.mark.parametrize("packages", (("CORESHELL",), pytest.param(PACKAGES, marks=pytest.mark.long)),
                         ids=("one", "all"))
def test_with_each_package_alone_off_its_styles_are_left_out_and_no_others(lammps_tree, tmp_path, packages):
    """CORESHELL has variants of styles of other packages, which go with these."""
    def registered():
        return {name for path in (build / "styles").glob("style_*.h")
                for name in re.findall(r'"(\w+)_threadpool\.h"', path.read_text(encoding="utf-8"))
                if f"{name}.h" in stock}
    stock, build = style_index.stock_headers(), tmp_path / "build"
    done = configure(lammps_tree, build, "-C", CHECKOUT / "cmake" / "presets" / "tofu.cmake")
    assert done.returncode == 0, done.stdout
    every = registered()
    assert every == {name.removesuffix(".h") for name in stock}
    for package in packages:
        off = {package, *NEED_IT.get(package, ())}
        done = configure(lammps_tree, build, *(f"-DPKG_{one}={'off' if one in off else 'on'}" for one in PACKAGES))
        assert done.returncode == 0, done.stdout
        gone = {name for name in every if stock[f"{name}.h"] in off}
        gone |= {name for name in every if name.removesuffix("_cs") in gone}
        assert gone and every - registered() == gone, package
        assert included_without_file(build, lammps_tree, package) == []


@on_one_tree(0)
def test_packages_that_are_added_change_no_command_of_what_is_compiled(lammps_tree, tmp_path):
    def commands():
        lines = subprocess.run(["ninja", "-C", tmp_path / "build", "-t", "commands", "lmp"], stdout=subprocess.PIPE,
                               text=True, timeout=TIMEOUT, check=True).stdout.splitlines()
        return {found.group(1): line for line in lines if (found := re.search(r" -o (\S+\.(?:o|gch)) ", line))}
    growing = ["-DTOFU_GROWING=on", "-DTOFU_PCH=on"]
    done = configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on", "-DPKG_OPENMP=on", "-DPKG_PLUGIN=on",
                     "-DTOFU_DEEP=off", *growing)
    assert done.returncode == 0, done.stdout
    before = commands()
    done = configure(lammps_tree, tmp_path / "build", "-DTOFU_DEEP=on", *(f"-DPKG_{name}=on" for name in (
        "KSPACE", "MOLECULE", "RIGID", "MANYBODY", "CORESHELL", "REAXFF", "MC")))
    assert done.returncode == 0, done.stdout
    after = commands()
    assert len(after) > len(before) + 200 and len(before) > 400
    assert [name for name, line in before.items() if after[name] != line] == []
    assert not any("/TOFU/deep/" in name or "/kernels/manybody/sw" in name for name in before)
    assert any("/TOFU/deep/" in name for name in after) and any("/kernels/manybody/sw" in name for name in after)


@on_one_tree(1)
def test_configuring_again_rewrites_nothing(lammps_tree, tmp_path):
    def stamps():
        files = [*(tmp_path / "build" / "styles").rglob("*.h"), *(tmp_path / "build" / "tofu_patched").rglob("*.cpp")]
        return {str(file): file.stat().st_mtime_ns for file in files}
    assert configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on").returncode == 0
    before = stamps()
    assert configure(lammps_tree, tmp_path / "build").returncode == 0
    assert stamps() == before


@pytest.mark.full
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


@pytest.mark.full
@pytest.mark.parametrize("lammps_tree, anchor, old, new", dealt([
    ("the definition of Input::comm_style", "void Input::comm_style()", "void Input::comm_style(int)"),
    ("the early return of 'comm_style brick'", "if (comm->style == Comm::BRICK) return",
     "if (Comm::BRICK == comm->style) return"),
    ("the early return of 'comm_style tiled'", "if (comm->style == Comm::TILED) return",
     "if (Comm::TILED == comm->style) return"),
    ("the error for an unknown comm_style", "Unknown comm_style argument", "Unknown comm style"),
    ("the error for an unknown package", "Unknown package keyword", "No such package"),
    ("the error for an unknown package", "void Input::pair_coeff()",
     'void twice() { if (0) {} else error->all(FLERR,"Unknown package keyword: {}", 0); }\nvoid Input::pair_coeff()'),
]), indirect=["lammps_tree"])
def test_commands_whose_place_has_moved_are_left_out_and_spelled_otherwise(lammps_tree, tmp_path, anchor, old, new):
    replace(lammps_tree / "src" / "input.cpp", old, new)
    done = configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on")
    text = message(done)
    assert done.returncode == 0
    assert f"left out, since LAMMPS {source.release_of(lammps_tree)} has changed" in text
    assert f"comm_style/p2p/rdma, package/threadpool and package/tofu are there, and no switch -pk): {anchor}" in text
    assert text.count("package/tofu are there") == 1 and "/threadpool:" not in text
    assert not (tmp_path / "build" / "tofu_patched" / "src" / "input.cpp").exists()
    assert "-DTOFU_COMMANDS_WITH_SLASH" in (tmp_path / "build" / "build.ninja").read_text(encoding="utf-8")    # advice


#: Styles that repeat the texts of a file of LAMMPS, by the names of their sources.
MINIMIZERS = ["min_cg", "min_fire", "min_quickmin", "min_sd"]
REPEAT = {"verlet.cpp": ["verlet"], "min.cpp": MINIMIZERS, "min_linesearch.cpp": ["min_cg", "min_sd"],
          **{f"{name}.cpp": [name] for name in MINIMIZERS}, "fix_langevin.cpp": ["fix_langevin"],
          **{f"MEAM/{name}": ["pair_meam"] for name in ("meam.h", "meam_dens_init.cpp", "meam_dens_final.cpp",
                                                        "meam_force.cpp", "pair_meam.cpp")}}
COMPARE = """\
cmake_minimum_required(VERSION 3.20)
set(LAMMPS_SOURCE_DIR "${FOLDER}")
set(PKG_MEAM on)
include("${CHECKOUT}/src/TOFU/repeated.cmake")
tofu_compare_repeated()
get_property(files GLOBAL PROPERTY TOFU_LEFT_OUT_FILES)
list(REMOVE_DUPLICATES files)
list(SORT files)
message("${files}")
"""


def left_out(folder, script):
    """What is left out for a folder of LAMMPS' sources, by the names of the sources."""
    script.write_text(COMPARE, encoding="utf-8")
    done = subprocess.run(["cmake", f"-DFOLDER={folder}", f"-DCHECKOUT={CHECKOUT}", "-P", script],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stdout
    return [name for name in done.stdout.strip().split(";") if name]


@pytest.mark.full
def test_one_changed_byte_in_each_repeated_text_leaves_out_its_own_styles(lammps_tree, tmp_path):
    """And none is left out where nothing has changed."""
    table = (CHECKOUT / "src" / "TOFU" / "repeated.cmake").read_text(encoding="utf-8")
    texts = re.findall(r'^ +"(\S+?)\|([^"|]*)\|[^"]*"', table, re.MULTILINE)
    assert len(texts) > 35 and {file for file, _ in texts} == set(REPEAT)
    folder = tmp_path / "src"
    for file in REPEAT:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(lammps_tree / "src" / file, folder / file)
    shutil.copy(lammps_tree / "src" / "version.h", folder)
    assert left_out(folder, tmp_path / "compare.cmake") == []
    for file, name in texts:
        code = (folder / file).read_text(encoding="utf-8")
        begin = code.index(name)
        place = re.compile(r"^[^/\n]*(;)", re.MULTILINE).search(code, begin).start(1)    # not one in a comment
        changed = code[:place] + "," + code[place + 1:]
        (folder / file).write_text(changed, encoding="utf-8")
        assert left_out(folder, tmp_path / "compare.cmake") == [f"{one}_threadpool" for one in REPEAT[file]], name
        (folder / file).write_text(code, encoding="utf-8")


@pytest.mark.full
@on_one_tree(0)
def test_styles_that_are_left_out_are_told_and_neither_registered_nor_compiled(lammps_tree, tmp_path):
    for file in ("verlet.cpp", "min_linesearch.cpp", "fix_langevin.cpp"):
        replace(lammps_tree / "src" / file, "if (", "if (0 + ")
    build = tmp_path / "build"
    done = configure(lammps_tree, build, INJECT, "-DPKG_TOFU=on")
    assert done.returncode == 0, done.stdout
    styles = ("run_style verlet/threadpool", "min_style cg/threadpool", "min_style sd/threadpool",
              "fix langevin/threadpool")
    text = message(done)
    assert all(text.count(f"{style}: ") == 1 for style in styles)
    assert f"since LAMMPS {source.release_of(lammps_tree)} has changed" in text
    assert "void Verlet::run(int n) in verlet.cpp" in text
    ninja = (build / "build.ninja").read_text(encoding="utf-8")
    for kind, name, others in (("integrate", "verlet", []), ("minimize", "min_cg", ["min_fire", "min_quickmin"]),
                               ("fix", "fix_langevin", ["fix_nve", "fix_ring_balance"])):
        registered = (build / "styles" / f"style_{kind}.h").read_text(encoding="utf-8")
        assert f"{name}_threadpool" not in registered and all(other in registered for other in others)
        assert f"/{name}_threadpool.cpp" not in ninja
    assert "min_fire_threadpool.cpp" in ninja
    assert "TOFU_LEFT_OUT" in ninja
    compiled = subprocess.run(["ninja", "-C", build, "CMakeFiles/lammps.dir" + next(
        re.finditer(r"CMakeFiles/lammps.dir(\S*/version_line.cpp.o)", ninja)).group(1)], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False)
    assert compiled.returncode == 0, compiled.stdout
    strict = configure(lammps_tree, build, "-DTOFU_STRICT=on")
    assert strict.returncode != 0
    assert "run_style verlet/threadpool would be left out" in message(strict)


@on_one_tree(1)
def test_nothing_is_left_out_of_a_tested_release(lammps_tree, tmp_path):
    done = configure(lammps_tree, tmp_path / "build", "-DTOFU_STRICT=on", "-C",
                     CHECKOUT / "cmake" / "presets" / "tofu.cmake")
    assert done.returncode == 0, done.stdout


#: Stand-in for what LAMMPS' CMake functions do from 2Sep2026 on: styles are read from the text of headers.
REGISTRY = r"""
function(GenerateStyleHeaders path)
  foreach(kind NBIN NPAIR NSTENCIL NTOPO)
    string(TOLOWER ${kind} name)
    GenerateStyleHeader("${path}" ${kind} ${name})
  endforeach()
  foreach(kind ANGLE ATOM_VEC BODY BOND COMMAND COMPUTE DIHEDRAL DUMP FIX GRAN_SUB_MOD IMPROPER INTEGRATE KSPACE
          MINIMIZE PAIR READER REGION)
    get_property(headers GLOBAL PROPERTY ${kind})
    set(code "")
    foreach(header IN LISTS headers)
      file(STRINGS "${header}" lines)
      set(inside FALSE)
      foreach(line IN LISTS lines)
        if(line MATCHES "^#ifdef [A-Z_]+_CLASS")
          set(inside TRUE)
        elseif(line MATCHES "^#(else|endif)")
          set(inside FALSE)
        elseif(inside AND line MATCHES "^[A-Za-z]+Style\\(([^,]*), *([^)]*)\\)")
          string(APPEND code "add_builtin(\"${CMAKE_MATCH_1}\", &creator<${CMAKE_MATCH_2}>)\n")
        endif()
      endforeach()
    endforeach()
    string(TOLOWER ${kind} name)
    file(WRITE "${path}/style_${name}.cpp" "${code}")
  endforeach()
endfunction()
"""


def with_registry(tree, text=REGISTRY):
    """Let a linked tree have the stand-in."""
    utils = tree / "cmake" / "Modules" / "StyleHeaderUtils.cmake"
    if utils.parent.is_symlink():
        original = utils.parent.resolve()
        utils.parent.unlink()
        shutil.copytree(original, utils.parent)
    with open(utils, "a", encoding="utf-8") as file:
        file.write(text)


@pytest.mark.full
@on_one_tree(0)
def test_styles_are_registered_where_lammps_reads_them_from_the_text_of_headers(lammps_tree, tmp_path):
    with_registry(lammps_tree)
    build = tmp_path / "build"
    done = configure(lammps_tree, build, INJECT, "-DPKG_TOFU=on")
    assert done.returncode == 0, done.stdout
    for kind, names in (("command", ["comm_style/p2p_rdma", "comm_style/p2p/rdma", "comm_style/brick",
                                     "comm_style/tiled", "package/tofu", "package/threadpool"]),
                        ("integrate", ["verlet/threadpool"]), ("minimize", ["cg/threadpool", "fire/threadpool"]),
                        ("fix", ["ring_balance", "ring/balance", "p2p_rdma/stats", "p2p/rdma/stats", "THREADPOOL",
                                 "KSPACE_OVERLAP", "nve/threadpool"]), ("pair", ["lj/cut/threadpool"])):
        code = (build / "styles" / f"style_{kind}.cpp").read_text(encoding="utf-8")
        for name in names:
            assert code.count(f'"{name}"') == 1, name


@on_one_tree(1)
def test_a_style_that_lammps_does_not_find_stops_the_configuration(lammps_tree, tmp_path):
    with_registry(lammps_tree, REGISTRY.replace("#ifdef [A-Z_]+_CLASS", "#if defined [A-Z_]+_CLASS"))
    done = configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on")
    assert done.returncode != 0
    assert "has changed how it finds styles" in message(done)


#: A parser of commands, and what makes a command, before and after 2Sep2026.
PARSERS = r"""
#include <cassert>
#include <map>
#include <string>
#include <type_traits>

struct LAMMPS;
struct Command {
  std::string *found;
  void command(int narg, char **) { *found += std::to_string(narg); }
};
using Creator = Command *(*) (LAMMPS *);
std::string found;
Command *make(LAMMPS *) { return new Command{&found}; }
#ifdef NEWER
struct Registry {
  Creator find(const std::string &name) const { return name == "package/tofu" ? &make : nullptr; }
};
struct Input {
  static Registry &command_styles() { static Registry registry; return registry; }
};
#else
struct Input {
  std::map<std::string, Creator> *command_map = new std::map<std::string, Creator>{{"package/tofu", &make}};
};
#endif
struct LAMMPS {
  Input *input = new Input;
};
"""
CALLS = r"""
int main()
{
  LAMMPS lmp;
  char name[] = "tofu", other[] = "gpu", *arg[] = {name, name, name}, *absent[] = {other};
  assert(tofu_run_command(&lmp, "package/", 3, arg) && found == "2");
  assert(!tofu_run_command(&lmp, "package/", 1, absent));
}
"""


@pytest.mark.full
@on_one_tree(0)
def test_commands_are_found_in_maps_and_in_registries(lammps_tree, tmp_path):
    done = configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on")
    assert done.returncode == 0, done.stdout
    code = (tmp_path / "build" / "tofu_patched" / "src" / "input.cpp").read_text(encoding="utf-8")
    code = code[code.index("// TOFU: what makes a command style"):code.index("void Input::comm_style()")]
    (tmp_path / "calls.cpp").write_text(PARSERS + code + CALLS, encoding="utf-8")
    for words in ([], ["-DNEWER"]):
        built = subprocess.run(["c++", "-std=c++17", *words, tmp_path / "calls.cpp", "-o", tmp_path / "calls"],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT,
                               check=False)
        assert built.returncode == 0, built.stdout
        assert subprocess.run([tmp_path / "calls"], timeout=TIMEOUT, check=False).returncode == 0


@pytest.mark.long
def test_comments_in_the_integrator_do_not_matter(lammps_tree, tmp_path):
    replace(lammps_tree / "src" / "verlet.cpp", "void Verlet::run(int n)\n{", "void Verlet::run(int n)\n{   // as ever")
    assert configure(lammps_tree, tmp_path / "build", INJECT, "-DPKG_TOFU=on").returncode == 0


@pytest.mark.full
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
