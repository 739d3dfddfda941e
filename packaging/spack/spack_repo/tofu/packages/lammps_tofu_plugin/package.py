# SPDX-License-Identifier: GPL-2.0-only
"""Spack recipe of the plug-in; see doc/manual/TOFU_packages.rst."""

from pathlib import Path

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *

#: Releases of LAMMPS that the plug-in can be compiled for, with checksums of archives as in Spack's own recipe.
LAMMPS = {
    "20250204": ("patch_4Feb2025", "a4cb0a58451d47ac31ee3e1f148d92f445298d6e27f2d06f161b9b4168d79eb1"),
    "20250402": ("patch_2Apr2025", "5087ebd6b00cd44a7d73303d49685668f6effa76dc375912f7f75db558b39bca"),
    "20250612": ("patch_12Jun2025", "b3fe6dc57115edb89d022879fe676503ec88b4e12cfee3488cc2f43cb0957ba7"),
    "20250722.6": ("stable_22Jul2025_update6", "40780d0269c656ffa983a8e3e6ed047fedfe1d0b7344b77ace25bf8c7c535f01"),
    "20250910": ("patch_10Sep2025", "475d5cda1b289ca3b3dcc97c1ee199f67fa6ad736951213e9b6ec08069d70f0c"),
    "20251210": ("patch_10Dec2025", "175afc62a7314970d56e93b54745f4e6132e8f688155fff3dd70b298ec077c0e"),
    "20260211": ("patch_11Feb2026", "b9ba0e368ee5af93f038b913e09a02b777a365ac6aea141842ded9b98b1efa8e"),
    "20260330": ("patch_30Mar2026", "395f00e166836ac0164793d65ba0d957d79dd0848a79c36fa903855e8b49b7e0"),
    "20260704": ("patch_4Jul2026", "be9deffba169d140c337fd29570d3f5469332ece7e77280cce998f6caaad5534"),
}
#: Packages of LAMMPS with styles that have a variant in the plug-in.
PACKAGES = ("cg-spica", "class2", "coreshell", "dpd-basic", "extra-molecule", "extra-pair", "fep", "granular", "kspace",
            "manybody", "meam", "mofff", "molecule", "qeq", "reaxff", "rigid")


class LammpsTofuPlugin(CMakePackage):
    """TOFU as a plug-in for LAMMPS: ghost exchange by one-sided messages, threads with vectorised kernels, long-range
    forces and load balancing, for tens to a few thousand atoms per core."""

    homepage = "https://www.lammps.org/"
    git = Path(__file__).resolve().parents[6].as_uri()    # the checkout that this recipe is in

    license("GPL-2.0-only")

    version("main", branch="main")
    version("1.0", tag="v1.0")

    variant("lammps_release", default="20260704", values=tuple(LAMMPS), multi=False,
            description="Release of the LAMMPS that loads the plug-in")
    variant("libfabric", default=True, description="Messages between nodes by libfabric instead of MPI")
    variant("hwloc", default=True, description="Place threads by hwloc; without it by numbers of processors alone")

    depends_on("cxx", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("mpi@3:")
    depends_on("highway@1.0.6:")    # older ones are under Apache-2.0 alone, which does not go with GPL-2.0
    depends_on("nlohmann-json")    # options in files of deep potentials
    depends_on("libfabric@1.11:", when="+libfabric")
    depends_on("hwloc@2:", when="+hwloc")
    depends_on("fftw-api@3", when="^lammps+kspace")
    depends_on("lammps+plugin+mpi", type=("build", "run"))
    for _release, (_tag, _sha256) in LAMMPS.items():
        depends_on(f"lammps@={_release}", type=("build", "run"), when=f"lammps_release={_release}")
        resource(name=f"lammps-{_release}", url=f"https://github.com/lammps/lammps/archive/{_tag}.tar.gz",
                 sha256=_sha256, placement="lammps-source", when=f"lammps_release={_release}")
    conflicts("^lammps lammps_sizes=smallsmall", msg="the plug-in is for smallbig and bigbig")

    root_cmakelists_dir = "cmake/plugin"

    def cmake_args(self):
        lammps = self.spec["lammps"]
        packages = [name.upper() for name in PACKAGES if lammps.satisfies(f"+{name}")]
        single = lammps.satisfies("+kspace fftw_precision=single")
        args = [self.define("LAMMPS_SOURCE_DIR", join_path(self.stage.source_path, "lammps-source", "src")),
                self.define("LAMMPS_SIZES", lammps.variants["lammps_sizes"].value),
                self.define("LAMMPS_PACKAGES", packages), self.define("LAMMPS_FFT_SINGLE", single),
                self.define("CMAKE_INSTALL_LIBDIR", "lib")]
        for name, library in (("libfabric", "TOFU_OFI_LIBRARY"), ("hwloc", "TOFU_HWLOC_LIBRARY")):
            if self.spec.satisfies(f"~{name}"):
                args.append(self.define(library, False))    # do not look for that of the system
        return args

    def setup_run_environment(self, env):
        env.prepend_path("LAMMPS_PLUGIN_PATH", join_path(self.prefix.lib, "lammps", "plugins"))
