# SPDX-License-Identifier: GPL-2.0-only
"""Spack recipe of libtofu_rdma; see doc/manual/TOFU_packages.rst."""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class LibtofuRdma(CMakePackage):
    """Put with notice between the ranks of an MPI program, over shared memory, libfabric or MPI; for C, C++ and
    Fortran codes."""

    homepage = "https://www.lammps.org/"
    git = Path(__file__).resolve().parents[6].as_uri()    # the checkout that this recipe is in

    license("GPL-2.0-only")

    version("main", branch="main")
    version("1.0", tag="v1.0")

    variant("fortran", default=True, description="Fortran module")
    variant("libfabric", default=True, description="Messages between nodes by libfabric instead of MPI")
    variant("examples", default=False, description="Compile the examples")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("cmake@3.20:", type="build")
    depends_on("mpi@3:")
    depends_on("libfabric@1.11:", when="+libfabric")

    root_cmakelists_dir = "lib/tofu_rdma"

    def cmake_args(self):
        args = [self.define_from_variant("TOFU_RDMA_FORTRAN", "fortran"),
                self.define_from_variant("TOFU_RDMA_EXAMPLES", "examples")]
        if self.spec.satisfies("~libfabric"):
            args.append(self.define("TOFU_OFI_LIBRARY", False))    # do not look for that of the system
        return args
