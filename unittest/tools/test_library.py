# SPDX-License-Identifier: GPL-2.0-only
"""lib/tofu_rdma as another code uses it: installed in some folder, found by pkg-config, compiled with the MPI
wrappers."""

import os
import re
import shutil
import subprocess

import pytest
from tofulib import CHECKOUT, build, mpi, shell

pytestmark = pytest.mark.full

LIBRARY = CHECKOUT / "lib" / "tofu_rdma"


def installation(library, folder):
    """Build and install the library; the compiler cache makes it quick after the unit tests."""
    launcher = [word for language in ("C", "CXX") if shutil.which("ccache")
                for word in ("-D", f"CMAKE_{language}_COMPILER_LAUNCHER=ccache")]
    shell.capture(["cmake", "-S", LIBRARY, "-B", folder / "build", "-G", "Ninja", *launcher,
                   *build.definitions(build.mpi_settings(library)),
                   "-D",
                   "TOFU_RDMA_EXAMPLES=off"], env=build.environment())
    shell.capture(["ninja", "-C", folder / "build", "-j", build.parallel_jobs()], env=build.environment())
    shell.capture(["cmake", "--install", folder / "build", "--prefix", folder / "prefix"])
    return folder / "prefix"


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def installed(request, tmp_path_factory):
    """An MPI library and the prefix of an installation for it."""
    library = mpi.find(request.param)
    if library is None or not shutil.which("ninja"):
        pytest.skip(f"needs {request.param} and ninja")
    return library, installation(library, tmp_path_factory.mktemp(request.param))


def pkg_config(prefix, *words):
    """Output of pkg-config about the installation."""
    if not shutil.which("pkg-config"):
        pytest.skip("needs pkg-config")
    folder = next(prefix.glob("lib*/**/pkgconfig"))
    return shell.capture(["pkg-config", *words], env={**os.environ, "PKG_CONFIG_PATH": str(folder)}).split()


def run(library, program, prefix):
    """Run the stencil on three ranks."""
    libraries = next(prefix.glob("lib*/**/libtofu_rdma.so")).parent
    line = [*mpi.free_launch(library), "-np", "3", program, "6", "20"]
    done = subprocess.run(line, env={**os.environ, "LD_LIBRARY_PATH": str(libraries)}, capture_output=True, text=True,
                          timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"3 x 1 x 1 ranks, .* max error", done.stdout)


@pytest.mark.parametrize("kind", ["shared", "static"])
def test_c_code_compiles_links_and_runs(installed, kind, tmp_path):
    library, prefix = installed
    static = ["--static"] if kind == "static" else []
    words = pkg_config(prefix, "--cflags", "--libs", *static, "tofu_rdma")
    if static:
        words = [f"-l:lib{word[2:]}.a" if word == "-ltofu_rdma" else word for word in words]
    shell.capture([library.cc, "-std=c99", LIBRARY / "examples" / "stencil.c", "-o", tmp_path / "stencil", *words,
                   "-lm"])
    run(library, tmp_path / "stencil", prefix)


def test_fortran_code_compiles_links_and_runs(installed, tmp_path):
    library, prefix = installed
    if not library.fc or not shutil.which("gfortran"):
        pytest.skip(f"needs gfortran and the Fortran wrapper of {library.name}")
    words = pkg_config(prefix, "--cflags", "--libs", "tofu_rdma_fortran")
    shell.capture([library.fc, LIBRARY / "examples" / "stencil.f90", "-o", tmp_path / "stencil", *words])
    run(library, tmp_path / "stencil", prefix)


PROJECT = """\
cmake_minimum_required(VERSION 3.20)
project(stencil LANGUAGES C CXX)
find_package(tofu_rdma 1.0 REQUIRED)
add_executable(stencil {source})
target_link_libraries(stencil PRIVATE tofu_rdma::{target} m)
"""


@pytest.mark.parametrize("target", ["tofu_rdma", "tofu_rdma_static"])
def test_cmake_finds_the_library(installed, target, tmp_path):
    library, prefix = installed
    (tmp_path / "CMakeLists.txt").write_text(
        PROJECT.format(source=LIBRARY / "examples" / "stencil.c", target=target), encoding="utf-8")
    shell.capture(["cmake", "-S", tmp_path, "-B", tmp_path / "build", "-G", "Ninja",
                   *build.definitions(build.mpi_settings(library)),
                   "-D", f"CMAKE_PREFIX_PATH={prefix}"])
    shell.capture(["ninja", "-C", tmp_path / "build"])
    run(library, tmp_path / "build" / "stencil", prefix)


def test_shared_library_shows_nothing_but_its_interface(installed):
    _, prefix = installed
    names = {line.split()[-1] for line in shell.capture(
        ["nm", "-D", "--defined-only", next(prefix.glob("lib*/**/libtofu_rdma.so"))]).splitlines()}
    header = (LIBRARY / "tofu_rdma.h").read_text(encoding="utf-8")
    declared = set(re.findall(r"TOFU_RDMA_API[^;(]*?(tofu_rdma_\w+)\(", header))
    assert names == declared


def test_header_stands_alone_in_c99_and_in_cxx(installed, tmp_path):
    library, prefix = installed
    for compiler, name, standard in ((library.cc, "h.c", "c99"), (library.cxx, "h.cpp", "c++11")):
        (tmp_path / name).write_text("#include <tofu_rdma.h>\nint main(void) { return 0; }\n", encoding="utf-8")
        shell.capture([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-DOMPI_SKIP_MPICXX",
                       f"-I{prefix / 'include'}", "-c", tmp_path / name, "-o", tmp_path / "h.o"])


def test_fortran_module_knows_the_error_codes_of_the_header():
    """Names and values are written twice; here they are compared."""
    header = (LIBRARY / "tofu_rdma.h").read_text(encoding="utf-8")
    module = (LIBRARY / "tofu_rdma.f90").read_text(encoding="utf-8")
    codes = dict(re.findall(r"(TOFU_RDMA_(?:OK|ERROR_\w+)) = (\d+)", header))
    assert len(codes) == 9 and dict(re.findall(r"(TOFU_RDMA_(?:OK|ERROR_\w+)) = (\d+)", module)) == codes
