# SPDX-License-Identifier: GPL-2.0-only
"""Recipes that no test runs (EasyBuild, conda, manylinux, cibuildwheel) name versions, checksums and options that are
those of the rest of the checkout."""

import re
import subprocess

import pytest
from tofulib import CHECKOUT, source, static_libraries, version, wheel, wheel_file

pytestmark = pytest.mark.full

PACKAGING = CHECKOUT / "packaging"
SCRIPT = PACKAGING / "python" / "manylinux.sh"
SPACK = PACKAGING / "spack" / "spack_repo" / "tofu" / "packages" / "lammps_tofu_plugin" / "package.py"


def read(path):
    """Text of a file."""
    return path.read_text(encoding="utf-8")


def pinned_checksum():
    """Checksum of the archive of the pinned release, from the recipe for Spack."""
    return re.search(rf'"patch_{source.PINNED_RELEASE}", "(\w{{64}})"', read(SPACK)).group(1)


def test_easyconfig_builds_the_pinned_release():
    path, = (PACKAGING / "easybuild").glob("*.eb")
    settings = {"SHLIB_EXT": "so"}
    exec(compile(read(path), path.name, "exec"), settings)    # pylint: disable=exec-used
    toolchain = f"{settings['toolchain']['name']}-{settings['toolchain']['version']}"
    assert path.stem == f"{settings['name']}-{settings['version']}-{toolchain}"
    assert settings["version"] == version.tofu_version() and settings["local_lammps"] == source.PINNED_RELEASE
    assert list(settings["checksums"][0].values()) == [pinned_checksum()]
    assert "cmake/presets/tofu.cmake" in settings["configopts"]


def test_conda_recipe_builds_the_pinned_release():
    text = read(PACKAGING / "conda" / "meta.yaml")
    found = dict(re.findall(r'\{% set (\w+) = "([^"]+)" %\}', text))
    assert found == {"version": version.tofu_version(), "lammps": source.PINNED_RELEASE}
    assert pinned_checksum() in text and "cmake/presets/tofu.cmake" in text


def test_manylinux_script_makes_the_same_static_libraries():
    subprocess.run(["sh", "-n", SCRIPT], check=True)
    text = read(SCRIPT)
    for option in (*static_libraries.HIGHWAY, *static_libraries.HWLOC):
        assert f" {option} " in text.replace("\\\n", " ").replace("\n", " "), option


def test_cibuildwheel_leaves_the_same_libraries_out():
    tomllib = pytest.importorskip("tomllib")
    settings = tomllib.loads(read(PACKAGING / "python" / "cibuildwheel.toml"))["tool"]["cibuildwheel"]
    assert tuple(re.findall(r"--exclude (\S+)", settings["repair-wheel-command"])) == wheel.LEFT_OUT
    assert str(SCRIPT.relative_to(CHECKOUT)) in settings["before-all"]
    assert "/project/" + str(wheel.PROJECT.relative_to(CHECKOUT)) in settings["before-all"]


@pytest.mark.parametrize("name", ("lammps-tofu", "lammps-tofu-plugin"))
def test_projects_can_be_read_and_name_their_back_end(name):
    tomllib = pytest.importorskip("tomllib")
    settings = tomllib.loads(read(PACKAGING / "python" / name / "pyproject.toml"))
    assert settings["project"]["name"] == name and settings["project"]["license"] == "GPL-2.0-only"
    back_end = settings["build-system"]["requires"]
    assert back_end[0] == "scikit-build-core" and settings["build-system"]["build-backend"] == "scikit_build_core.build"
    assert all(any(line.startswith(one) for line in read(wheel_file.REQUIREMENTS).splitlines()) for one in back_end)
