# SPDX-License-Identifier: GPL-2.0-only
"""Patches for LAMMPS in packaging/upstream: they apply to the release that they are for, alone and together, what they
touch compiles, and the builds of the package and the plug-in use each hook in place of a change of their own."""

import itertools
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from linked_tree import light_copy
from test_cmake import INJECT, TIMEOUT, configure
from tofulib import CHECKOUT, source

FOLDER = CHECKOUT / "packaging" / "upstream"
#: The release that the patches are for.
RELEASE = "4Jul2026"
HOOKS = ["comm-styles", "package-keywords", "neighbor-accessors", "verlet-stages", "plugin-kinds"]
#: Patches without which another one compiles with errors.
NEEDS = {"plugin-kinds": ["comm-styles"]}
#: Sources of the package that are compiled otherwise with a hook.
USERS = ["lammps/neighbor_builds.cpp", "threadpool/step/verlet_threadpool.cpp", "p2p/comm_p2p_rdma.cpp"]
GMOCK = Path("/usr/src/googletest")


@pytest.fixture
def newest_tree():
    """The source tree that the patches are for."""
    tree = os.environ.get("TOFU_LAMMPS_DIR_NEWEST")
    if not tree:
        pytest.skip("TOFU_LAMMPS_DIR_NEWEST is not set; 'tools/tofu test --full' sets it")
    if source.release_of(tree) != RELEASE:
        pytest.skip(f"the patches are for {RELEASE}, the newest LAMMPS is {source.release_of(tree)}")
    return Path(tree)


def text_of(hook):
    """A patch."""
    return (FOLDER / f"{hook}.patch").read_text(encoding="utf-8")


def files_of(hook):
    """Paths that a patch changes, and those that it adds."""
    pairs = re.findall(r"^--- (\S+)\n\+\+\+ b/(\S+)$", text_of(hook), re.MULTILINE)
    return [new for old, new in pairs if old != "/dev/null"], [new for old, new in pairs if old == "/dev/null"]


def touched_files(tree, copy, hooks):
    """Copy those files of a tree that some patches change."""
    for name in {name for hook in hooks for name in files_of(hook)[0]}:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).unlink(missing_ok=True)
        shutil.copy(tree / name, copy / name)
    return copy


def patched_tree(tree, copy, hooks):
    """A light copy of a whole tree with some of the hooks; of manual and tests it has the touched files only."""
    light_copy(tree, copy)
    for folder in ("doc", "unittest", "src/PLUGIN"):
        (copy / folder).unlink()
        (copy / folder).mkdir()
    for entry in (tree / "src" / "PLUGIN").iterdir():
        (copy / "src" / "PLUGIN" / entry.name).symlink_to(entry)
    (copy / "unittest" / "testing").symlink_to(tree / "unittest" / "testing")
    touched_files(tree, copy, hooks)
    for hook in hooks:
        apply(copy, hook)
    return copy


def apply(tree, hook):
    """Apply a patch without leave to guess a place."""
    done = subprocess.run(["patch", "-p1", "--batch", "--fuzz=0", "--no-backup-if-mismatch", "-d", tree, "-i",
                           FOLDER / f"{hook}.patch"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stdout
    return done.stdout


def snapshot(tree):
    """Content of all files of a folder."""
    return {path.relative_to(tree): path.read_bytes() for path in sorted(tree.rglob("*")) if path.is_file()}


def test_each_patch_has_a_text_and_a_line_in_the_table():
    assert sorted(HOOKS) == sorted(path.stem for path in FOLDER.glob("*.patch"))
    table = (FOLDER / "README.md").read_text(encoding="utf-8")
    for hook in HOOKS:
        text = (FOLDER / f"{hook}.md").read_text(encoding="utf-8")
        assert all(f"**{part}" in text for part in ("Summary", "Why", "What changes", "Compatibility", "Test")), hook
        line = next(line for line in table.splitlines() if line.startswith(f"| [{hook}]"))
        assert line.endswith("| not sent |")


@pytest.mark.parametrize("hook", HOOKS)
def test_a_patch_has_test_and_manual_and_is_laid_out_as_lammps(hook):
    changed, added = files_of(hook)
    assert any(name.startswith("unittest/") for name in changed + added)
    assert any(name.startswith("doc/src/") for name in changed)
    lines = re.findall(r"^\+(?!\+\+)(.*)$", text_of(hook), re.MULTILINE)
    assert not [line for line in lines if line != line.rstrip() or "\t" in line or not line.isascii()]
    code = "".join(part for part in text_of(hook).split("diff --git ") if not part.startswith("a/doc/"))
    assert max(map(len, re.findall(r"^\+(?!\+\+)(.*)$", code, re.MULTILINE))) <= 110    # tables of CMake are wide


@pytest.mark.parametrize("hook", HOOKS)
def test_a_patch_applies_alone_at_its_very_place(newest_tree, tmp_path, hook):
    assert "offset" not in apply(touched_files(newest_tree, tmp_path, [hook]), hook)


def test_patches_apply_together_in_any_order(newest_tree, tmp_path):
    results = []
    for order in itertools.permutations(HOOKS):
        if order in (tuple(HOOKS), tuple(HOOKS[::-1]), ("verlet-stages", "package-keywords", "plugin-kinds",
                                                        "neighbor-accessors", "comm-styles")):
            tree = touched_files(newest_tree, tmp_path / str(len(results)), HOOKS)
            for hook in order:
                apply(tree, hook)
            results.append(snapshot(tree))
    assert len(results) == 3 and results[0] == results[1] == results[2]


FIND = """\
cmake_minimum_required(VERSION 3.20)
include("${CHECKOUT}/src/TOFU/hooks.cmake")
tofu_find_hooks()
message("found ${TOFU_HOOKS}.")
"""


def found_hooks(tree, script):
    """Hooks that CMake finds in a tree."""
    script.write_text(FIND, encoding="utf-8")
    done = subprocess.run(["cmake", f"-DLAMMPS_SOURCE_DIR={tree}/src", f"-DCHECKOUT={CHECKOUT}", "-P", script],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=True)
    return re.search(r"found (.*)\.$", done.stdout, re.MULTILINE).group(1).split(";")


@pytest.mark.parametrize("hook", HOOKS)
def test_cmake_finds_a_hook_where_its_patch_is(newest_tree, tmp_path, hook):
    tree = touched_files(newest_tree, tmp_path / "tree", HOOKS)
    assert found_hooks(tree, tmp_path / "find.cmake") == [""]
    apply(tree, hook)
    assert found_hooks(tree, tmp_path / "find.cmake") == [hook]


@pytest.mark.parametrize("hooks", [*(pytest.param([hook], id=hook, marks=pytest.mark.full) for hook in HOOKS),
                                   pytest.param(HOOKS, id="all")])
def test_nothing_is_left_out_of_a_build_with_hooks(newest_tree, tmp_path, hooks):
    """The texts that TOFU changes or repeats are found, or there is a hook in their place."""
    tree = patched_tree(newest_tree, tmp_path / "lammps", hooks)
    done = subprocess.run(["cmake", f"-DLAMMPS_SOURCE_DIR={tree}/src", "-P", CHECKOUT / "cmake" / "check_tree.cmake"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=True)
    assert f"has the hooks {', '.join(hooks)}" in done.stdout
    assert "left out" not in done.stdout and "stops" not in done.stdout


def test_a_stage_of_the_step_that_has_changed_leaves_the_run_style_out(newest_tree, tmp_path):
    tree = patched_tree(newest_tree, tmp_path / "lammps", ["verlet-stages"])
    code = (tree / "src" / "verlet.cpp").read_text(encoding="utf-8")
    for old, new, expected in (("  finish_step();", "  finish_step();\n    extra();", False),
                               ("modify->final_integrate();", "modify->final_integrate();\n  extra();", True)):
        (tree / "src" / "verlet.cpp").write_text(code.replace(old, new), encoding="utf-8")
        done = subprocess.run(["cmake", f"-DLAMMPS_SOURCE_DIR={tree}/src", "-P",
                               CHECKOUT / "cmake" / "check_tree.cmake"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=True)
        assert ("left out: run_style verlet/threadpool: void Verlet::finish_step()" in done.stdout) == expected


def commands_of(build):
    """Source -> command that compiles it."""
    lines = subprocess.run(["ninja", "-C", build, "-t", "commands"], stdout=subprocess.PIPE, text=True,
                           timeout=TIMEOUT, check=True).stdout.splitlines()
    return {found.group(1): line for line in lines if (found := re.search(r" -c (\S+)$", line))}


def check_syntax(build, command):
    """Run a command that compiles a source as far as the check of its syntax."""
    words = re.sub(r" -o \S+| -M[DTF]+ \S*\.(?:o|d)| -MD", "", command.partition("c++ ")[2] or command)
    done = subprocess.run(f"c++ {words} -fsyntax-only", shell=True, cwd=build, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, f"{words}\n{done.stdout}"


@pytest.mark.long
@pytest.mark.parametrize("hook", HOOKS)
def test_package_uses_a_hook_alone(newest_tree, tmp_path, hook):
    """And changes the texts for which there is none."""
    tree = patched_tree(newest_tree, tmp_path / "lammps", [*NEEDS.get(hook, []), hook])
    build = tmp_path / "build"
    done = configure(tree, build, INJECT, "-DPKG_TOFU=on", "-DPKG_PLUGIN=on", "-DTOFU_DEEP=off")
    assert done.returncode == 0 and "left out" not in done.stdout, done.stdout
    code = (build / "tofu_patched" / "src" / "input.cpp").read_text(encoding="utf-8")
    comm = hook in ("comm-styles", "plugin-kinds")
    assert ('tofu_run_command(lmp, "comm_style/"' in code) != comm
    assert ('tofu_run_command(lmp, "package/"' in code) == (hook != "package-keywords")
    assert (build / "tofu_patched" / "src" / "info.cpp").exists() != comm
    commands = commands_of(build)
    check_syntax(build, commands[str(build / "tofu_patched" / "src" / "input.cpp")])
    for name in files_of(hook)[0]:
        if name.endswith(".cpp") and str(tree / name) in commands:
            check_syntax(build, commands[str(tree / name)])


@pytest.mark.full
def test_package_with_all_hooks_changes_no_source(newest_tree, tmp_path):
    tree = patched_tree(newest_tree, tmp_path / "lammps", HOOKS)
    build = tmp_path / "build"
    done = configure(tree, build, INJECT, "-DPKG_TOFU=on", "-DPKG_PLUGIN=on", "-DTOFU_DEEP=off")
    assert done.returncode == 0 and "left out" not in done.stdout, done.stdout
    assert not (build / "tofu_patched").exists()
    assert '#include "comm_styles.h"' in (build / "styles" / "style_comm.h").read_text(encoding="utf-8")
    commands = commands_of(build)
    for name, word in (("lammps/neighbor_builds.cpp", "TOFU_NEIGHBOR_ACCESSORS"),
                       ("threadpool/step/verlet_threadpool.cpp", "TOFU_VERLET_STAGES")):
        assert f"-D{word}" in commands[str(CHECKOUT / "src" / "TOFU" / name)]
    sources = [tree / name for hook in HOOKS for name in files_of(hook)[0] if re.match(r"src/.*\.cpp$", name)]
    for path in [*sources, *(CHECKOUT / "src" / "TOFU" / name for name in USERS)]:
        check_syntax(build, commands[str(path)])
    if not GMOCK.is_dir():
        pytest.skip(f"the tests of the patches are not compiled: no {GMOCK}")
    flags = re.sub(r" -o \S+| -c \S+", "", commands[str(tree / "src" / "verlet.cpp")])
    folders = f"-I{GMOCK}/googlemock/include -I{GMOCK}/googletest/include -I{tree}/src"
    tests = {name for hook in HOOKS for names in files_of(hook) for name in names
             if re.match(r"unittest/.*\.cpp$", name)}
    for name in sorted(tests):
        check_syntax(build, f"{flags} {folders} -c {tree / name}")


@pytest.mark.full
@pytest.mark.parametrize("absent", [None, *HOOKS])
def test_plugin_extends_the_commands_where_all_hooks_for_that_are_there(newest_tree, tmp_path, absent):
    tree = patched_tree(newest_tree, tmp_path / "lammps", [hook for hook in HOOKS if hook != absent])
    build = tmp_path / "build"
    done = subprocess.run(["cmake", "-S", CHECKOUT / "cmake" / "plugin", "-B", build, "-G", "Ninja",
                           f"-DLAMMPS_SOURCE_DIR={tree}/src"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=TIMEOUT, check=False)
    assert done.returncode == 0, done.stdout
    commands = commands_of(build)
    own = {path.rpartition("/src/TOFU/")[2]: command for path, command in commands.items()}
    comm = absent not in ("comm-styles", "plugin-kinds")
    assert ("-DTOFU_COMM_KIND" in own["plugin/tofuplugin.cpp"]) == comm
    assert ("-DTOFU_COMMANDS_WITH_SLASH" in own["lammps/io/command_line.cpp"]) == (not comm or
                                                                                  absent == "package-keywords")
    if absent is None:
        check_syntax(build, own["plugin/tofuplugin.cpp"])
