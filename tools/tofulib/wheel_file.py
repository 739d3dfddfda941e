# SPDX-License-Identifier: GPL-2.0-only
"""What wheels have in common: licenses, the back end that makes them, and the check that they run elsewhere."""

import datetime
import json
import shutil
from pathlib import Path

from . import CHECKOUT, shell, static_libraries, version
from .build import environment

#: What the environment has in which wheels are made.
REQUIREMENTS = CHECKOUT / "packaging" / "python" / "requirements.txt"
#: Debian packages of what is linked in, whose licenses the wheel has.
LICENSED = {"fftw3": "libfftw3-dev", "libgomp": "libgomp1", "nlohmann-json": "nlohmann-json3-dev", "zlib": "zlib1g"}


def date_of(release):
    """The date of a release as LAMMPS' number of its version: 20250204."""
    return datetime.datetime.strptime(release, "%d%b%Y").strftime("%Y%m%d")


def put_licenses(tree, folder):
    """Licenses of all that is in a wheel.

    Args:
        tree: Sources of LAMMPS.
        folder: Made for them.
    """
    folder.mkdir()
    shutil.copy(CHECKOUT / "LICENSE", folder / "LICENSE.tofu")
    shutil.copy(tree.path / "LICENSE", folder / "LICENSE.lammps")
    for library in static_libraries.get():
        for path in sorted((library.folder / "licenses").iterdir()):
            shutil.copy(path, folder / f"{path.name}.{library.name}-{library.version}")
    for name, package in LICENSED.items():
        path = Path("/usr/share/doc") / package / "copyright"
        if path.is_file():
            shutil.copy(path, folder / f"LICENSE.{name}")
    (folder / "SOURCES").write_text(
        f"LAMMPS {tree.release}: https://github.com/lammps/lammps\n"
        f"TOFU {version.tofu_version()}, commit {version.commit()}\n"
        f"Both are under GPL-2.0. Whoever gives this package to others gives them these sources as well, or offers in "
        f"writing to do so for three years.\n", encoding="utf-8")


def put_settings(project, text, settings):
    """Write what the back end needs into a copy of a project.

    Args:
        project: The folder.
        text: The version.
        settings: Of CMake.
    """
    (project / "VERSION").write_text(text + "\n", encoding="utf-8")
    with open(project / "pyproject.toml", "a", encoding="utf-8") as file:
        file.write("\n[tool.scikit-build.cmake.define]\n")
        file.writelines(f"{name} = {json.dumps(str(value))}\n" for name, value in settings.items())


def build(python, project, folder):
    """Let the back end of a project make a wheel.

    Args:
        python: Python of the environment that has the back end.
        project: Folder of pyproject.toml.
        folder: For the wheel.

    Returns:
        Path of the wheel.
    """
    shell.capture([python, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--no-index",
                   "--wheel-dir", folder, project], env=environment())
    return next(folder.glob("*.whl"))


def repair(python, made, output, left_out):
    """Check that a wheel needs nothing that is neither on every Linux nor in the wheels that it depends on, and give it
    the tag of the oldest glibc that it runs with.

    Args:
        python: Python of the environment that has auditwheel.
        made: The wheel.
        output: Folder for the wheel with its tag.
        left_out: Names of libraries that other wheels bring, or this one in another folder.

    Returns:
        Path of the wheel.
    """
    output.mkdir(parents=True, exist_ok=True)
    words = [word for name in left_out for word in ("--exclude", name)]
    fresh = made.parent / "checked"
    shell.capture([python.with_name("auditwheel"), "repair", *words, "--wheel-dir", fresh, made],
                  env={**environment(), "PATH": f"{python.parent}:{environment()['PATH']}"})
    wheel = next(fresh.glob("*.whl"))
    shutil.copy(wheel, output / wheel.name)
    return output / wheel.name
