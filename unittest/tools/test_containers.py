# SPDX-License-Identifier: GPL-2.0-only
"""Definitions of containers: hadolint reads the Dockerfile, a shell the scripts of the Apptainer definition; both
install what the tools need. Without a network no image can be built."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tofulib import CHECKOUT, shell, system

DOCKERFILE = CHECKOUT / "packaging" / "docker" / "Dockerfile"
DEFINITION = CHECKOUT / "packaging" / "apptainer" / "tofu.def"
LIBRARY_PACKAGES = CHECKOUT / "packaging" / "library_packages.sh"
MPI = ("openmpi", "mpich")
#: Sections of a definition whose text is run by a shell.
SCRIPTS = ("post", "environment", "runscript", "test")
SECTIONS = (*SCRIPTS, "arguments", "files", "help", "labels")


def read(path):
    """Text of a file."""
    return path.read_text(encoding="utf-8")


def instructions():
    """Instructions of the Dockerfile: pairs of keyword and text, with continued lines in one."""
    lines = [line for line in read(DOCKERFILE).splitlines() if line and not line.startswith("#")]
    return [tuple(text.split(None, 1)) for text in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines()]


class Stage:
    """A stage of the Apptainer definition: its header, and its sections by title, such as "files from build"."""

    def __init__(self, text):
        header, *sections = re.split(r"^%", text, flags=re.MULTILINE)
        self.header = dict(re.findall(r"^(\w+): (.+)$", header, re.MULTILINE))
        titles = [section.partition("\n")[0].strip() for section in sections]
        assert len(titles) == len(set(titles)), "a section is there twice"
        self.sections = dict(zip(titles, (section.partition("\n")[2] for section in sections)))


def stages():
    """The stages of the Apptainer definition."""
    return [Stage("Bootstrap:" + text) for text in read(DEFINITION).split("\nBootstrap:")[1:]]


def installed(text):
    """Names that a script gives to apt-get install."""
    text = re.sub(r"\\\n\s*", "", text)
    return {word for line in re.findall(r"apt-get install -y --no-install-recommends ?([^\n;&]*)", text)
            for word in line.split()}


def needed(mpi):
    """Debian packages that a build with one MPI needs, and Python for the tools."""
    return {"python3"}.union(*(system.REQUIREMENTS[name].packages for name in (*system.BUILD, *system.SOURCE, mpi)))


@pytest.fixture
def hadolint():
    """The program, which comes as a Python package."""
    program = Path(sys.executable).with_name("hadolint")
    if not program.exists():
        pytest.skip("needs hadolint (tools/requirements.txt)")
    return program


def test_hadolint_finds_nothing_in_the_dockerfile(hadolint):
    done = shell.attempt([hadolint, "--no-color", "--failure-threshold", "style", DOCKERFILE], cwd="/")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("old, new, rule", [
    ("FROM debian:trixie-slim", "FROM debian", "DL3006"), ("CMD [", "COMD [", "unexpected"),
    (" || exit 1", "", None), ("install -D LICENSE", "install -D $LICENSE", "SC2086")])
def test_hadolint_would_find_mistakes(hadolint, tmp_path, old, new, rule):
    copy = tmp_path / "Dockerfile"
    copy.write_text(read(DOCKERFILE).replace(old, new), encoding="utf-8")
    done = shell.attempt([hadolint, "--no-color", "--failure-threshold", "style", copy], cwd="/")
    assert (done.returncode != 0) == (rule is not None) and (rule or "") in done.stdout + done.stderr


@pytest.mark.parametrize("mpi", MPI)
def test_dockerfile_installs_what_the_tools_need(mpi):
    stage, found = "", {}
    for keyword, text in instructions():
        if keyword == "FROM":
            stage = text.rpartition(" AS ")[2]
        elif keyword == "RUN":
            found.setdefault(stage, set()).update(installed(text))
    assert found["base"] | found[mpi] == needed(mpi)
    launcher = system.REQUIREMENTS[mpi].packages[1]
    assert f"echo {launcher} > /launcher" in [text for keyword, text in instructions() if mpi in text and
                                              keyword == "RUN"][0]


@pytest.mark.parametrize("mpi", MPI)
def test_apptainer_definition_installs_what_the_tools_need(mpi, tmp_path):
    """The beginning of the script is run, with a stand-in for apt-get."""
    script = stages()[0].sections["post"].partition("# the tools get LAMMPS")[0].replace("{{ MPI }}", mpi)
    (tmp_path / "apt-get").write_text('#!/bin/sh\necho "apt-get $*"\n', encoding="utf-8")
    (tmp_path / "apt-get").chmod(0o755)
    said = shell.capture(["sh", "-c", script + "echo launcher $launcher"],
                         env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert installed(said) == needed(mpi)
    assert f"launcher {system.REQUIREMENTS[mpi].packages[1]}\n" in said


def test_apptainer_definition_refuses_another_mpi():
    script = stages()[0].sections["post"].partition("# what tools")[0].replace("{{ MPI }}", "intelmpi")
    done = shell.attempt(["sh", "-c", script])
    assert done.returncode == 1 and "MPI is 'intelmpi', expected openmpi or mpich" in done.stderr


def test_apptainer_definition_has_the_sections_and_headers_of_the_format():
    first, last = stages()
    for stage in (first, last):
        assert set(stage.header) == {"Bootstrap", "From", "Stage"} and stage.header["Bootstrap"] == "docker"
        assert {title.split()[0] for title in stage.sections} <= set(SECTIONS)
    assert first.header["Stage"] == "build" and "files from build" in last.sections
    arguments = dict(re.findall(r"^\s+(\w+)=(\S+)$", first.sections["arguments"], re.MULTILINE))
    used = set(re.findall(r"\{\{ (\w+) \}\}", read(DEFINITION)))
    assert set(arguments) == used == {"MPI", "PACKAGES"} and arguments["MPI"] in MPI
    for line in last.sections["labels"].strip().splitlines():
        assert re.fullmatch(r"[\w.]+ \S.*", line.strip())


@pytest.mark.parametrize("stage", [0, 1], ids=["build", "final"])
def test_apptainer_scripts_are_shell(stage):
    scripts = {title: text for title, text in stages()[stage].sections.items() if title in SCRIPTS}
    assert "post" in scripts
    for title, text in scripts.items():
        done = subprocess.run(["sh", "-n"], input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"%{title}: {done.stderr}"


def test_files_that_images_take_from_the_checkout_exist():
    copied = [text.split()[0] for keyword, text in instructions() if keyword == "COPY" and "--from" not in text]
    listed = [line.split()[0] for line in stages()[0].sections["files"].strip().splitlines()]
    assert sorted(copied) == sorted(listed) == ["LICENSE", "cmake", "packaging", "src", "tools"]
    assert all((CHECKOUT / name).exists() for name in copied)


def test_both_images_are_of_a_debian_whose_highway_may_be_distributed():
    docker = [text.split()[0] for keyword, text in instructions() if keyword == "FROM" and text.startswith("debian")]
    apptainer = [stage.header["From"] for stage in stages()]
    assert docker == apptainer == ["debian:trixie", "debian:trixie-slim"]


def test_both_images_are_built_by_the_same_call_of_the_tools():
    docker = re.search(r"tools/tofu (build .*)", read(DOCKERFILE)).group(1)
    apptainer = re.search(r"tools/tofu (build .*)", read(DEFINITION)).group(1)
    words = docker.replace("${MPI}", "openmpi").replace("${PACKAGES}", "PLUGIN")
    assert apptainer.replace("{{ MPI }}", "openmpi").replace("{{ PACKAGES }}", "PLUGIN") == words
    done = shell.attempt([sys.executable, CHECKOUT / "tools" / "tofu", *words.replace('"', "").split(), "--help"])
    assert done.returncode == 0 and "--portable" in done.stdout


def test_library_packages_are_those_that_a_program_loads():
    if not shutil.which("dpkg-query"):
        pytest.skip("needs dpkg")
    assert "libc6" in shell.capture([LIBRARY_PACKAGES, shutil.which("cmake")]).split()
    lmp = os.environ.get("TOFU_LMP")
    if lmp:
        packages = shell.capture([LIBRARY_PACKAGES, lmp]).split()
        assert {"libc6", "libstdc++6"} < set(packages) and any(name.startswith("libopenmpi") for name in packages)


def test_library_packages_refuse_what_is_no_program(tmp_path):
    text = tmp_path / "text"
    text.write_text("no program\n", encoding="utf-8")
    for path in (text, tmp_path / "absent"):
        assert shell.attempt([LIBRARY_PACKAGES, path]).returncode != 0
