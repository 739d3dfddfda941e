# SPDX-License-Identifier: GPL-2.0-only
"""Packages by CPack: what is in them, what they say about themselves, and that their content works where it is
unpacked."""

import datetime
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest
from tofulib import CHECKOUT, build, mpi, shell, version

LIBRARY = CHECKOUT / "lib" / "tofu_rdma"
PLUGIN = CHECKOUT / "cmake" / "plugin"


def configure(source, folder, *words):
    """Configure a project; with the prefix /usr CMake puts libraries where Debian wants them."""
    launcher = [word for language in ("C", "CXX") if shutil.which("ccache")
                for word in ("-D", f"CMAKE_{language}_COMPILER_LAUNCHER=ccache")]
    shell.capture(["cmake", "-S", source, "-B", folder, "-G", "Ninja", "-D", "CMAKE_INSTALL_PREFIX=/usr", *launcher,
                   *words], env=build.environment())


def packed(folder):
    """Make all packages of a built project; returns those of Debian by their names."""
    shell.capture(["cpack"], cwd=folder)
    return {control(path, "Package"): path for path in folder.glob("*.deb")}


def control(package, field):
    """A field of a Debian package."""
    return shell.capture(["dpkg-deb", "-f", package, field]).strip()


def content(package):
    """Paths of the files in a package; libraries of this architecture are in lib/ARCH."""
    listing = shell.capture(["dpkg-deb", "-c", package] if package.suffix == ".deb" else ["tar", "-tvf", package])
    names = [re.sub(r" -> .*", "", line).split()[5] for line in listing.splitlines()]
    inside = [re.sub(r"^(\./usr|[^/]+)/", "", name) for name in names if not name.endswith("/")]
    return {re.sub(r"^lib/[^/]+-linux-[^/]+/", "lib/ARCH/", name) for name in inside}


def without_tools():
    """The reason why packages cannot be made here, or ""."""
    names = ("dpkg-deb", "dpkg-shlibdeps", "file", "cpack", "ninja", "pkg-config")
    absent = [name for name in names if not shutil.which(name)]
    return f"needs {', '.join(absent)}" if absent else ""


pytestmark = [pytest.mark.full, pytest.mark.skipif(bool(without_tools()), reason=without_tools())]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """MPI, the Debian packages of the library by name, and the build folder."""
    used = mpi.find("openmpi")
    if used is None or not used.fc or not shutil.which("gfortran"):
        pytest.skip("needs Open MPI and gfortran")
    folder = tmp_path_factory.mktemp("library")
    configure(LIBRARY, folder, "-D", "TOFU_RDMA_EXAMPLES=off", *build.definitions(build.mpi_settings(used)))
    shell.capture(["ninja", "-C", folder, "-j", build.parallel_jobs()], env=build.environment())
    return used, packed(folder), folder


@pytest.mark.long
def test_library_is_three_packages_with_every_file_in_one_of_them(library):
    _, packages, folder = library
    found = {name: content(path) for name, path in packages.items()}
    number = version.tofu_version()
    licenses = {f"share/doc/{name}/copyright" for name in found}
    assert {name: files - licenses for name, files in found.items()} == {
        "libtofu-rdma1": {"lib/ARCH/libtofu_rdma.so.1", f"lib/ARCH/libtofu_rdma.so.{number}"},
        "libtofu-rdma-fortran1": {"lib/ARCH/libtofu_rdma_fortran.so.1", f"lib/ARCH/libtofu_rdma_fortran.so.{number}"},
        "libtofu-rdma-dev": {
            "include/tofu_rdma.h", "include/tofu_rdma.mod",
            *(f"lib/ARCH/lib{name}.{kind}" for name in ("tofu_rdma", "tofu_rdma_fortran") for kind in ("a", "so")),
            *(f"lib/ARCH/pkgconfig/{name}.pc" for name in ("tofu_rdma", "tofu_rdma_fortran")),
            *(f"lib/ARCH/cmake/tofu_rdma/tofu_rdma-{name}.cmake"
              for name in ("config", "config-version", "targets", "targets-release"))}}
    archive, = folder.glob("*.tar.gz")
    assert content(archive) == set().union(*found.values())


@pytest.mark.parametrize("name, section, needs", [
    ("libtofu-rdma1", "libs", ["libc6 ", "libopenmpi", "libstdc++6 "]),
    ("libtofu-rdma-fortran1", "libs", ["libtofu-rdma1 (= ", "libgfortran"]),
    ("libtofu-rdma-dev", "libdevel", ["libtofu-rdma1 (= ", "libtofu-rdma-fortran1 (= ", "libopenmpi-dev"])])
def test_library_packages_say_what_they_are_and_need(library, name, section, needs):
    package = library[1][name]
    check_fields(package, section, version.tofu_version())
    depends = control(package, "Depends")
    assert [need for need in needs if need not in depends] == []
    assert "libgfortran" not in depends or name == "libtofu-rdma-fortran1"    # C codes need no Fortran


def check_fields(package, section, number):
    """Fields that all packages have."""
    assert control(package, "Section") == section and control(package, "Version") == number
    assert control(package, "Homepage").startswith("https://") and control(package, "Priority") == "optional"
    assert re.fullmatch(r".+ <.+@.+>", control(package, "Maintainer"))
    summary, *text = control(package, "Description").splitlines()
    assert 10 < len(summary) <= 80 and text


def test_unpacked_library_is_found_and_linked(library, tmp_path):
    used, packages, _ = library
    for package in packages.values():
        shell.capture(["dpkg-deb", "-x", package, tmp_path])
    pkgconfig = next(tmp_path.glob("usr/lib/*/pkgconfig"))
    environment = {**os.environ, "PKG_CONFIG_PATH": str(pkgconfig), "LD_LIBRARY_PATH": str(pkgconfig.parent)}
    for name, compiler, source in (("tofu_rdma", used.cc, "stencil.c"), ("tofu_rdma_fortran", used.fc, "stencil.f90")):
        assert shell.capture(["pkg-config", "--modversion", name], env=environment).strip() == version.tofu_version()
        words = shell.capture(["pkg-config", "--cflags", "--libs", name], env=environment).split()
        assert f"-I{tmp_path}/usr/include" in [re.sub(r"/lib/[^/]+/pkgconfig(/\.\.)+", "", word) for word in words]
        program = tmp_path / source.replace(".", "_")
        shell.capture([compiler, LIBRARY / "examples" / source, "-o", program, *words, "-lm"])
        linked = shell.capture(["ldd", program], env=environment)
        assert str(tmp_path) in linked and "not found" not in linked
    license_text = (CHECKOUT / "LICENSE").read_text(encoding="utf-8")
    assert (tmp_path / "usr/share/doc/libtofu-rdma1/copyright").read_text(encoding="utf-8") == license_text


def test_library_inside_another_project_leaves_packages_to_it(tmp_path):
    if mpi.find("openmpi") is None:
        pytest.skip("needs Open MPI")
    (tmp_path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.20)\nproject(whole LANGUAGES C CXX)\nadd_subdirectory({LIBRARY} part)\n",
        encoding="utf-8")
    configure(tmp_path, tmp_path / "build", "-D", "TOFU_RDMA_FORTRAN=off",
              *build.definitions(build.mpi_settings(mpi.find("openmpi"))))
    assert not list((tmp_path / "build").rglob("CPackConfig.cmake"))


@pytest.fixture(params=["TOFU_LAMMPS_DIR", "TOFU_LAMMPS_DIR_NEWEST"])
def plugin(request, tmp_path):
    """Release of a LAMMPS as it writes it and as a number, and the configured build folder of the plug-in for it."""
    tree = os.environ.get(request.param)
    if not tree or mpi.find("openmpi") is None:
        pytest.skip(f"needs Open MPI, and {request.param} to be set; 'tools/tofu test' sets it")
    release = re.search('"(.*)"', (Path(tree) / "src" / "version.h").read_text(encoding="utf-8")).group(1)
    date = datetime.datetime.strptime(release, "%d %b %Y").strftime("%Y%m%d")
    configure(PLUGIN, tmp_path, "-D", f"LAMMPS_SOURCE_DIR={tree}", "-D", "LAMMPS_PACKAGES=KSPACE;MOLECULE",
              *build.definitions(build.mpi_settings(mpi.find("openmpi"))))
    return release, date, tmp_path


def test_plugin_package_names_its_lammps(plugin):
    """The library in it is a stand-in, since the real one takes minutes to compile."""
    release, date, folder = plugin
    settings = (folder / "CPackConfig.cmake").read_text(encoding="utf-8")
    assert 'set(CPACK_GENERATOR "TGZ;DEB")' in settings
    (folder / "plugin.c").write_text("void lammpsplugin_init(void) {}\n", encoding="utf-8")
    hwy = re.search(r"TOFU_HWY_LIBRARY:FILEPATH=(.*)", (folder / "CMakeCache.txt").read_text(encoding="utf-8")).group(1)
    shell.capture(["cc", "-shared", "-fPIC", folder / "plugin.c", "-Wl,--no-as-needed", hwy, "-lc",
                   "-o", folder / "tofuplugin.so"])
    packages = packed(folder)
    assert list(packages) == ["lammps-tofu-plugin"]
    package = packages["lammps-tofu-plugin"]
    check_fields(package, "science", f"{version.tofu_version()}-{date}")
    description = control(package, "Description")
    assert f"For LAMMPS {release}, smallbig" in description and "KSPACE MOLECULE" in description
    assert "libhwy1" in control(package, "Depends")
    expected = {"lib/ARCH/lammps/plugins/tofuplugin.so", "share/doc/lammps-tofu-plugin/copyright"}
    archive, = folder.glob("*.tar.gz")
    assert content(package) == content(archive) == expected
    assert f"lammps{date}" in archive.name


SCRIPT = """\
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
run 2
"""


def test_lammps_loads_the_plugin_from_the_unpacked_package(tmp_path):
    needed = ("TOFU_LAMMPS_DIR", "TOFU_PLUGIN", "TOFU_STOCK_LMP", "TOFU_MPIEXEC")
    absent = [name for name in needed if name not in os.environ]
    if absent:
        pytest.skip(f"{', '.join(absent)} not set; 'tools/tofu test' sets them")
    configure(PLUGIN, tmp_path, "-D", f"LAMMPS_SOURCE_DIR={os.environ['TOFU_LAMMPS_DIR']}",
              *build.definitions(build.mpi_settings(mpi.find("openmpi"))))
    shutil.copy(os.environ["TOFU_PLUGIN"], tmp_path)
    package, = packed(tmp_path).values()
    depends, linked = control(package, "Depends"), shell.capture(["ldd", os.environ["TOFU_PLUGIN"]])
    assert "libopenmpi" in depends and ("libhwy" in depends) == ("libhwy" in linked)
    shell.capture(["dpkg-deb", "-x", package, tmp_path / "root"])
    folder, = (tmp_path / "root" / "usr").glob("lib/*/lammps/plugins")
    (tmp_path / "in.lj").write_text(SCRIPT, encoding="utf-8")
    text = shell.capture([*shlex.split(os.environ["TOFU_MPIEXEC"]), "-np", "1", os.environ["TOFU_STOCK_LMP"], "-sf",
                          "threadpool", "-in", "in.lj"],
                         cwd=tmp_path, env={**os.environ, "OMP_NUM_THREADS": "1", "LAMMPS_PLUGIN_PATH": str(folder)})
    assert "pair lj/cut/threadpool" in text and "TOFU threadpool: variants of pair lj/cut" in text
