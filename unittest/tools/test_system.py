# SPDX-License-Identifier: GPL-2.0-only
"""System packages: only missing packages are installed, and a user who cannot install gets the command to type."""

import os
import re
import subprocess
import types
from pathlib import Path

import pytest
from linked_tree import light_copy
from tofulib import apt, busy, doctor, mpi, shell, system


@pytest.fixture
def machine(monkeypatch):
    """A machine that lacks ninja and MPICH; it records the commands that are run on it."""
    class Machine:
        commands = []
        absent = {"ninja", "mpich"}
        user = 0
        sudo = False
        fails_first = False

    def attempt(command, **_settings):
        words = [str(word) for word in command]
        Machine.commands.append(words)
        if words[0] == "sudo" and not Machine.sudo:
            return subprocess.CompletedProcess(command, 1, "", "")
        if "install" in words:
            if Machine.fails_first and not any("update" in earlier for earlier in Machine.commands):
                return subprocess.CompletedProcess(command, 100, "", "Unable to locate package")
            Machine.absent = set()
        return subprocess.CompletedProcess(command, 0, "", "")
    requirements = {name: requirement._replace(found=lambda name=name: name not in Machine.absent)
                    for name, requirement in system.REQUIREMENTS.items()}
    monkeypatch.setattr(system, "REQUIREMENTS", requirements)
    monkeypatch.setattr(shell, "attempt", attempt)
    monkeypatch.setattr(system, "check_cmake", lambda: None)
    monkeypatch.setattr(system.os, "geteuid", lambda: Machine.user)
    monkeypatch.setattr(system.shutil, "which", lambda name: f"/usr/bin/{name}")
    Machine.commands = []
    return Machine


def test_only_what_is_missing_is_installed_and_named(machine, capsys):
    system.ensure(["c++", "ninja", "openmpi"])
    installs = [words for words in machine.commands if "install" in words]
    assert len(installs) == 1 and "ninja-build" in installs[0] and "g++" not in installs[0]
    assert "installing system packages: ninja-build" in capsys.readouterr().out


def test_nothing_missing_runs_nothing(machine):
    machine.absent = set()
    system.ensure(system.FULL_TEST)
    assert machine.commands == []


def test_fresh_machine_gets_its_package_lists_first(machine):
    machine.fails_first = True
    system.ensure(["ninja"])
    kinds = ["update" if "update" in words else "install" for words in machine.commands]
    assert kinds == ["install", "update", "install"]


def test_sudo_is_used_where_it_works_without_asking(machine):
    machine.user, machine.sudo = 1000, True
    system.ensure(["ninja"])
    assert machine.commands[-1][:2] == ["sudo", "-n"]


def test_who_cannot_install_is_told_the_command(machine):
    machine.user = 1000
    with pytest.raises(shell.Failure,
                       match=r"sudo apt-get install -y --no-install-recommends ninja-build libmpich-dev mpich"):
        system.ensure(["ninja", "mpich"])
    assert not any("install" in words for words in machine.commands)


def test_machine_without_apt_is_told_what_to_look_for(machine, monkeypatch):
    monkeypatch.setattr(system.shutil, "which", lambda name: None)
    with pytest.raises(shell.Failure, match="no apt-get.*ninja-build"):
        system.ensure(["ninja"])


@pytest.mark.parametrize("version, accepted", [("3.20.0", True), ("3.31.6", True), ("4.0.1", True), ("3.18.4", False)])
def test_old_cmake_is_refused(monkeypatch, version, accepted):
    monkeypatch.setattr(shell, "capture", lambda command: f"cmake version {version}\n")
    if accepted:
        system.check_cmake()
    else:
        with pytest.raises(shell.Failure, match=f"found CMake {version[:4]}, need 3.20"):
            system.check_cmake()


@pytest.mark.parametrize("absent, mentioned", [({"ninja"}, True), ({"mpich"}, False), ({"openmpi", "mpich"}, True)])
def test_doctor_asks_for_what_is_needed_and_for_one_mpi_only(machine, capsys, absent, mentioned):
    machine.absent = absent
    problems = []
    doctor.report_requirements(problems)
    assert bool(problems) == mentioned
    assert not any("mpich" in problem for problem in problems)
    assert capsys.readouterr().out.count("MISSING") == len(absent)


def test_doctor_warns_of_a_small_shared_memory(monkeypatch, capsys):
    class Usage:
        free = total = 64 * 1024
    problems = []
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: Usage)
    doctor.report_shared_memory(problems)
    assert "--shm-size" in problems[0]


def sections_of_doctor(capsys, *words):
    """The exit status of doctor, and what it prints below each of its headings."""
    status = doctor.command(types.SimpleNamespace(**dict(zip(("lmp", "plugin", "lammps"), (*words, "", "", "")))))
    found, title = {}, ""
    for line in capsys.readouterr().out.splitlines():
        if line and not line.startswith(" "):
            title = line
        found[title] = f"{found.get(title, '')}{line}\n"
    return status, found


def test_doctor_tells_what_tests_need_from_what_running_needs(machine, capsys, monkeypatch, private_cache):
    monkeypatch.setattr(apt, "mirror", lambda: "http://deb.debian.org/debian")    # there are no programs to ask
    machine.absent = {"gtest", "spin", "mpich"}
    status, found = sections_of_doctor(capsys)
    assert status == 0 and "gtest" in found["For the tests alone"] and "MISSING" in found["For the tests alone"]
    assert "MISSING" not in found["To build LAMMPS with TOFU"].replace("mpich              MISSING", "")
    machine.absent = {"ninja"}
    status, found = sections_of_doctor(capsys)
    assert status == 1 and "Missing: ninja" in found["Remedies"]


def test_doctor_says_how_busy_the_machine_is(monkeypatch):
    monkeypatch.setattr(mpi, "cores_of_machine", lambda: 2)
    for running, words in ((0, "0.0 processes run or wait now, on 2 cores"), (5, "give no verdict")):
        monkeypatch.setattr(busy, "running", lambda running=running: running)
        assert words in doctor.load() and ("no verdict" in doctor.load()) == bool(running)


HELP = """Large-scale Atomic/Molecular Massively Parallel Simulator - 4 Feb 2025

Installed packages:

KSPACE OPENMP OPT{more}

List of individual style options included in this LAMMPS executable
"""


@pytest.mark.parametrize("text, problem", [
    (HELP.format(more=" TOFU"), "is a script for sh: which MPI library"), (HELP.format(more=""), "has no TOFU"),
    ("something else", "no LAMMPS that can be run")])
def test_doctor_looks_into_a_program(tmp_path, capsys, text, problem, monkeypatch):
    monkeypatch.delenv("LAMMPS_PLUGIN_PATH", raising=False)
    path, problems = tmp_path / "lmp", []
    path.write_text(f"#!/bin/sh\ncat <<'E'\n{text}\nE\n", encoding="utf-8")
    path.chmod(0o755)
    doctor.report_program(str(path), "", problems)
    output = capsys.readouterr().out
    assert any(problem in found for found in problems)
    assert ("4 Feb 2025" in output and "opt omp" in output) == text.startswith("Large")


def test_doctor_needs_no_compiler_for_a_program_that_is_there(machine, capsys, tmp_path, monkeypatch, private_cache):
    """A program that is no LAMMPS stands in the way; a missing compiler does not."""
    machine.absent = {"c++", "ninja"}
    monkeypatch.setattr(doctor, "report_program", lambda path, plugin, problems: None)
    status, found = sections_of_doctor(capsys, "lmp")
    assert status == 0 and "MISSING" in found["To build LAMMPS with TOFU, which --lmp does not need"]


def test_doctor_answers_without_a_cache(tmp_path):
    (tmp_path / "file").touch()
    done = subprocess.run([doctor.build.CHECKOUT / "tools" / "tofu", "doctor"], capture_output=True, text=True,
                          check=False, env={**os.environ, "TOFU_CACHE": str(tmp_path / "file" / "cache")})
    assert done.returncode == 1 and not done.stderr and "cannot write to the cache" in done.stdout
    assert "For the tests alone" in done.stdout


def test_doctor_looks_into_a_source_tree_without_compiling_it(tmp_path, capsys):
    if "TOFU_LAMMPS_DIR" not in os.environ:
        pytest.skip("TOFU_LAMMPS_DIR is not set; 'tools/tofu test' sets it")
    tree = light_copy(Path(os.environ["TOFU_LAMMPS_DIR"]), tmp_path / "lammps")
    options = types.SimpleNamespace(lmp=None, plugin="", lammps=str(tree))
    assert doctor.command(options) == 0
    text = capsys.readouterr().out
    assert "Nothing stands in the way" in text and "left out" not in text and "all there" in text
    for name, old, new in (("verlet.cpp", "if (", "if (0 + "), ("input.cpp", "Unknown package keyword", "No package")):
        code = (tree / "src" / name).read_text(encoding="utf-8")
        (tree / "src" / name).unlink()
        (tree / "src" / name).write_text(code.replace(old, new), encoding="utf-8")
    assert doctor.command(options) == 0
    text = capsys.readouterr().out
    assert re.search(r"left out +run_style verlet/threadpool: void Verlet::run\(int n\)", text)
    assert re.search(r"left out +the spellings comm_style p2p/rdma.*the error for an unknown package in input", text)
    (tree / "src" / "verlet.h").unlink()
    lists = tree / "cmake" / "CMakeLists.txt"
    code = lists.read_text(encoding="utf-8")
    lists.unlink()
    lists.write_text(code.replace("LAMMPS_STYLE_HEADERS_DIR", "STYLES"), encoding="utf-8")
    assert doctor.command(options) == 1
    text = capsys.readouterr().out
    assert "stops" in text and re.search(r"headers +.*verlet.h.* MISSING", text)


def test_doctor_says_that_a_folder_is_no_source_tree(tmp_path, capsys):
    assert doctor.command(types.SimpleNamespace(lmp=None, plugin="", lammps=str(tmp_path))) == 1
    assert "no source tree of LAMMPS" in capsys.readouterr().out
