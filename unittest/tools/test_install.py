# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu install and uninstall: the tree is restored to the bit, and the user's own files are never lost."""

import os
import stat

import pytest
from tofulib import install, shell

PLAIN_BUILD_FILE = b"cmake_minimum_required(VERSION 3.16)\nproject(lammps CXX)\nset(SOVERSION 0)\n"


@pytest.fixture
def small_tree(tmp_path):
    """A minimal LAMMPS source tree."""
    tree = tmp_path / "lammps"
    for folder in ("src", "cmake/Modules/Packages", "cmake/presets"):
        (tree / folder).mkdir(parents=True)
    (tree / "src/version.h").write_text('#define LAMMPS_VERSION "4 Feb 2025"\n', encoding="utf-8")
    (tree / install.BUILD_FILE).write_bytes(PLAIN_BUILD_FILE)
    return tree


def snapshot(tree):
    """All visible properties of a tree: names, kinds, permissions, contents."""
    seen = {}
    for folder, folders, files in os.walk(tree):
        for name in folders + files:
            path = os.path.join(folder, name)
            content = os.readlink(path) if os.path.islink(path) else open(path, "rb").read() if os.path.isfile(
                path) else None
            seen[os.path.relpath(path, tree)] = (stat.S_IMODE(os.lstat(path).st_mode), content)
    return seen


def test_uninstall_restores_a_real_tree_to_the_bit(lammps_tree):
    before = snapshot(lammps_tree)
    install.install(lammps_tree)
    changed = {name for name, seen in snapshot(lammps_tree).items() if before.get(name) != seen}
    assert {"cmake/CMakeLists.txt", "cmake/Modules/Packages/TOFU.cmake", "cmake/presets/tofu.cmake",
            "src/TOFU/commands/package_tofu.h"} <= changed
    install.uninstall(lammps_tree)
    assert snapshot(lammps_tree) == before


def test_the_build_file_gets_one_line_after_the_project_call(small_tree):
    (small_tree / install.BUILD_FILE).chmod(0o640)
    install.install(small_tree)
    lines = (small_tree / install.BUILD_FILE).read_bytes().splitlines(keepends=True)
    assert lines[2] == install.LINE
    assert b"".join(lines[:2] + lines[3:]) == PLAIN_BUILD_FILE
    assert stat.S_IMODE((small_tree / install.BUILD_FILE).stat().st_mode) == 0o640


def test_installing_again_replaces_the_older_copy(small_tree):
    before = snapshot(small_tree)
    install.install(small_tree)
    once = snapshot(small_tree)
    install.install(small_tree)
    assert snapshot(small_tree) == once
    install.uninstall(small_tree)
    assert snapshot(small_tree) == before


@pytest.mark.parametrize("spoil", ["edit", "add"])
def test_uninstall_refuses_to_delete_the_users_own_changes(small_tree, spoil):
    before = snapshot(small_tree)
    install.install(small_tree)
    file = small_tree / "src/TOFU" / {"edit": "package_tofu.h", "add": "pair_mine.h"}[spoil]
    file.write_text("mine\n", encoding="utf-8")
    with pytest.raises(shell.Failure, match=rf"{file.name}.*--force"):
        install.uninstall(small_tree)
    assert file.read_text(encoding="utf-8") == "mine\n"
    install.uninstall(small_tree, force=True)
    assert snapshot(small_tree) == before


def test_a_folder_that_is_no_lammps_tree_is_refused(tmp_path):
    for action in (install.install, install.uninstall):
        with pytest.raises(shell.Failure, match="not a LAMMPS source tree"):
            action(tmp_path)
    assert not list(tmp_path.iterdir())


def test_uninstall_without_install_is_refused(small_tree):
    with pytest.raises(shell.Failure, match="not installed"):
        install.uninstall(small_tree)


def test_a_foreign_tofu_folder_is_left_alone(small_tree):
    (small_tree / "src/TOFU").mkdir()
    before = snapshot(small_tree)
    with pytest.raises(shell.Failure, match="move it away"):
        install.install(small_tree)
    assert snapshot(small_tree) == before


@pytest.mark.parametrize("calls", [b"", b"project(lammps CXX)\nproject(lammps C)\n", b"project(mylammps CXX)\n"])
def test_a_moved_project_call_is_explained_and_changes_nothing(small_tree, calls):
    (small_tree / install.BUILD_FILE).write_bytes(calls)
    before = snapshot(small_tree)
    with pytest.raises(shell.Failure, match=r"4Feb2025 has changed.*CMAKE_PROJECT_lammps_INCLUDE"):
        install.install(small_tree)
    assert snapshot(small_tree) == before
