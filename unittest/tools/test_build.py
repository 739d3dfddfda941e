# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu build: no work is done twice, and all work is done again when it must be."""

import select
import subprocess
import sys
import types

import pytest
from tofulib import CHECKOUT, build, cache, lammps_packages, mpi, shell, source, time_left


@pytest.fixture
def fake_builds(private_cache, tmp_path, monkeypatch):
    """A checkout with one source file, and compilers that only record that they ran."""
    calls = []
    checkout, tree = tmp_path / "checkout", tmp_path / "lammps"
    for folder in (checkout / "src" / "TOFU", checkout / "cmake", tree / "src", tree / "cmake"):
        folder.mkdir(parents=True)
    (tree / "cmake/CMakeLists.txt").write_text("pkg_depends(CG-DNA ASPHERE)\npkg_depends(ATC MPI)\n", encoding="utf-8")
    for name in ("REAXFF", "MEAM", "ML-POD", "MAKE", "EXTRA-FIX", "CG-DNA", "ASPHERE", "RIGID", "KSPACE"):
        (tree / "src" / name).mkdir()
    (checkout / "src/TOFU/comm.cpp").write_text("old", encoding="utf-8")

    def compile_lammps(_tree, folder, _with_tofu):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lmp").touch()
        calls.append(folder.name)
    monkeypatch.setattr(build, "CHECKOUT", checkout)
    monkeypatch.setattr(source, "get", lambda *arguments: source.Source(tree, "4Feb2025", True))
    monkeypatch.setattr(build.system, "ensure", lambda names: None)
    monkeypatch.setattr(mpi, "find", lambda name: mpi.Mpi(name, "mpicxx", "mpicc", "mpirun"))
    monkeypatch.setattr(build, "configure", lambda *arguments: None)
    monkeypatch.setattr(build, "compile_lammps", compile_lammps)
    return calls


@pytest.fixture
def configured(fake_builds, monkeypatch):
    """The packages of each configuration of such a build, without those that every program has."""
    found = []
    monkeypatch.setattr(build, "configure", lambda _tree, _folder, _mpi, _kind, packages: found.append(
        sorted(packages - set(lammps_packages.ALWAYS))))
    return found


def test_second_build_does_nothing(fake_builds):
    assert build.build() == build.build()
    assert fake_builds == ["4Feb2025-openmpi"]


def test_edited_source_is_built_again(fake_builds):
    build.build()
    (build.CHECKOUT / "src/TOFU/comm.cpp").write_text("newer", encoding="utf-8")
    build.build()
    assert len(fake_builds) == 2


def test_kinds_of_programs_do_not_share_a_folder(fake_builds):
    build.build()
    build.build(mpi_name="mpich")
    build.build(portable=True)
    build.build(with_tofu=False)
    assert len(set(fake_builds)) == 4


def test_build_that_failed_is_tried_again(fake_builds, monkeypatch):
    def fail(*_arguments):
        raise shell.Failure("no")
    with monkeypatch.context() as patch:
        patch.setattr(build, "compile_lammps", fail)
        with pytest.raises(shell.Failure):
            build.build()
    build.build()
    assert fake_builds == ["4Feb2025-openmpi"]


def test_packages_are_only_ever_added_to_a_folder(configured, fake_builds):
    """The first build has what is needed alone; what is there already is not built again; one that is needed by
    another comes along."""
    build.build(needs=())
    build.build(needs={"RIGID"})
    build.build(needs=())
    build.build(needs={"RIGID"}, packages="rigid")
    build.build(needs={"CG-DNA"})
    assert configured == [[], ["RIGID"], ["ASPHERE", "CG-DNA", "RIGID"]] and len(set(fake_builds)) == 1
    (build.CHECKOUT / "src/TOFU/comm.cpp").write_text("newer", encoding="utf-8")
    build.build(needs=())
    assert configured[3] == ["ASPHERE", "CG-DNA", "RIGID"]


def test_without_a_choice_there_are_the_packages_of_the_preset(configured):
    build.build(packages="reaxff")
    assert {"MEAM", "KSPACE", "REAXFF", lammps_packages.DEEP} < set(configured[0]) and "TOFU" not in configured[0]


def test_packages_of_a_build_that_failed_are_not_kept(configured, monkeypatch):
    def fail(*_arguments):
        raise shell.Failure("no")
    build.build(needs={"RIGID"})
    with monkeypatch.context() as patch:
        patch.setattr(build, "compile_lammps", fail)
        with pytest.raises(shell.Failure):
            build.build(needs={"KSPACE"})
    build.build(needs=())
    assert configured == [["RIGID"], ["KSPACE", "RIGID"], ["RIGID"]]


def test_settings_switch_off_what_a_folder_had_and_does_not_need(tmp_path):
    lines = ("PKG_REAXFF:BOOL=on", "PKG_RIGID:BOOL=ON", "PKG_MC:BOOL=OFF", "PKG_TOFU:BOOL=ON")
    (tmp_path / "CMakeCache.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    had = lammps_packages.in_build_folder(tmp_path)
    found = lammps_packages.settings({"RIGID", lammps_packages.DEEP}, had)
    assert had == {"REAXFF", "RIGID", "TOFU"} and lammps_packages.in_build_folder(tmp_path / "nix") == frozenset()
    assert found["PKG_RIGID"] == found["TOFU_DEEP"] == "on" and found["PKG_REAXFF"] == found["PKG_KSPACE"] == "off"
    assert "PKG_MC" not in found and "PKG_TOFU" not in found


def test_a_package_that_does_not_exist_is_refused_before_there_is_a_folder(fake_builds, private_cache):
    for names, message in (("REAXF", "no package REAXF. Did you mean REAXFF"), ("meam,MAKE", "no package MAKE"),
                           ("extra-fi,pod", "EXTRA-FI, POD. Did you mean EXTRA-FIX or ML-POD"),
                           ("QQ", "no package QQ. --packages")):
        with pytest.raises(shell.Failure, match=message):
            build.build(packages=names)
    assert not fake_builds and not private_cache.exists()
    assert build.build(packages="meam,ReaxFF").lmp.exists()


def test_build_for_another_processor_starts_from_nothing(fake_builds, monkeypatch):
    first = build.build()
    left = first.lmp.with_name("old.o")
    left.touch()
    monkeypatch.setattr(build, "processor", lambda: "another")
    build.build()
    assert len(fake_builds) == 2 and not left.exists()


def test_compiler_cache_is_not_shared_between_processors(private_cache, monkeypatch):
    monkeypatch.setattr(build, "processor", lambda: "first")
    first = build.ccache_folder()
    monkeypatch.setattr(build, "processor", lambda: "second")
    assert build.ccache_folder() != first
    monkeypatch.setattr(build, "processor", lambda: "first")
    assert build.ccache_folder() == first


def test_failed_program_reports_its_first_error(tmp_path):
    script = ("seq 100; echo '[5/9] Building src/error.cpp.o'; seq 100; echo 'x.cpp:1: error: no such thing'; seq 100; "
              "exit 3")
    with pytest.raises(shell.Failure, match=r"(?s)status 3.*x\.cpp:1: error: no such thing.*build\.log") as failure:
        (tmp_path / "script").write_text(script, encoding="utf-8")
        shell.run_logged(["sh", tmp_path / "script"], tmp_path / "build.log")
    assert "error.cpp.o" not in str(failure.value)


def test_lock_keeps_a_second_call_waiting(private_cache):
    program = f"import sys; sys.path.insert(0, {str(CHECKOUT / 'tools')!r}); from tofulib import cache\n" \
              "with cache.lock(cache.root() / 'x'): print('mine', flush=True)"
    with cache.lock(cache.root() / "x"):
        second = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        assert second.stdout.readline().startswith("tofu: waiting for another tofu")
        assert not select.select([second.stdout], [], [], 0.3)[0], "the second call did not wait"
    assert second.communicate(timeout=30)[0] == "mine\n"


def test_cache_follows_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("TOFU_CACHE", raising=False)
    assert cache.root() == tmp_path / "xdg" / "tofu"
    monkeypatch.setenv("TOFU_CACHE", str(tmp_path / "own"))
    assert cache.root() == tmp_path / "own"


def test_damaged_json_counts_as_absent(tmp_path):
    (tmp_path / "x.json").write_text('{"key": ', encoding="utf-8")
    assert cache.read_json(tmp_path / "x.json") == {}


def test_build_folder_of_another_checkout_is_configured_anew(tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.20)\nproject(x NONE)\n",
                                                        encoding="utf-8")
    folder, log = tmp_path / "build", tmp_path / "configure.log"
    assert build.home_directory(folder) is None
    for name in ("first", "second", "second"):
        build.run_cmake(tmp_path / name, folder, {}, log)
        assert build.home_directory(folder) == str(tmp_path / name)


@pytest.mark.parametrize("headers, linalg, off", [
    ((), False, {"COMPRESS", "MACHDYN", "RHEO", "VORONOI", "ELECTRODE", "ML-POD"}),
    ((), True, {"COMPRESS", "MACHDYN", "RHEO", "VORONOI"}),
    (("lapack.h", "zlib.h"), False, {"MACHDYN", "RHEO", "VORONOI"}),
])
def test_most_packages_are_those_whose_libraries_are_there(monkeypatch, tmp_path, headers, linalg, off):
    monkeypatch.setattr(lammps_packages.system, "has_header", lambda header: lambda: header in headers)
    if linalg:
        (tmp_path / "lib" / "linalg").mkdir(parents=True)
    (tmp_path / "cmake" / "presets").mkdir(parents=True)
    listed = ["MEAM", "COMPRESS", "MACHDYN", "RHEO", "VORONOI", "ELECTRODE", "ML-POD"]
    (tmp_path / "cmake/presets/most.cmake").write_text("# preset\nset(ALL_PACKAGES\n  " + "\n  ".join(listed) + ")\n",
                                                       encoding="utf-8")
    tree = types.SimpleNamespace(path=tmp_path, release="4Feb2025")
    assert lammps_packages.chosen(tree, lammps_packages.MOST) == set(listed) - off


def test_the_time_that_is_left_counts_slow_files_that_come_late():
    """600 sources of a second each, then 100 kernels of 3 s each."""
    plan = [f"[{n + 1}/700, 0.0 s] Building CXX object lammps/src/{'TOFU/kernels/k' if n >= 600 else 'f'}{n}.cpp.o"
            for n in range(700)]
    left = time_left.TimeLeft(plan, jobs=1)
    total = 600.0 + 300.0
    for done, passed in ((60, 60.0), (300, 300.0), (600, 600.0), (650, 750.0)):
        text = left(f"[{done}/700, {passed} s] Building CXX object lammps/src/f{done}.cpp.o")
        assert text.startswith(f"{done} of 700 files, about ") and text.endswith(f" left: f{done}.cpp.o")
        number, unit = text.split("about ")[1].split()[:2]
        assert abs(int(number) * {"s": 1, "min": 60}[unit] - (total - passed)) <= 0.1 * (total - passed)
    slow_begin = left("[1/700, 22.0 s] Building CXX object lammps/src/lammps.cpp.o")    # the first guess is of 450 s
    assert slow_begin == "1 of 700 files, about 12 min left: lammps.cpp.o"
    assert left("[1/9000, 1.0 s] Linking") and left("ninja: no work to do.") == "ninja: no work to do."


def test_the_sum_of_a_precompiled_header_is_that_of_its_files(tmp_path, monkeypatch):
    """Of their contents, wherever they are; there is none if the files are not known."""
    sums = []
    for name, text in (("a", "one"), ("b", "one"), ("c", "two")):
        folder = tmp_path / name
        (folder / build.HEADER).parent.mkdir(parents=True)
        (folder / "atom.h").write_text(text, encoding="utf-8")
        monkeypatch.setattr(build.shell, "capture", lambda _command: f"{build.HEADER}: #deps 1\n    atom.h\n\n")
        build.write_sum_of_header(folder)
        sums.append((folder / f"{build.HEADER}.sum").read_text(encoding="utf-8"))
    assert sums[0] == sums[1] != sums[2]
    monkeypatch.setattr(build.shell, "capture", lambda _command: f"{build.HEADER}: deps not found\n")
    build.write_sum_of_header(tmp_path / "a")
    assert not (tmp_path / "a" / f"{build.HEADER}.sum").exists()


def test_the_plan_has_all_that_is_to_be_done_although_ninja_would_first_make_its_file_anew(tmp_path):
    """As CMake's files do that look for new sources."""
    (tmp_path / "build.ninja").write_text("""\
rule configure
  command = true
  generator = 1
rule compile
  command = touch $out
  description = Building CXX object $out
build always: phony
build build.ninja: configure always
build a.o: compile
build src/TOFU/kernels/b.o: compile
default a.o src/TOFU/kernels/b.o
""", encoding="utf-8")
    plan = build.planned(tmp_path)
    assert [line.split("] ")[1] for line in plan] == [f"Building CXX object {name}"
                                                       for name in ("a.o", "src/TOFU/kernels/b.o")]
    assert time_left.TimeLeft(plan, jobs=2).whole() == time_left.USUAL * 4.0 / 2
