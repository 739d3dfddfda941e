# SPDX-License-Identifier: GPL-2.0-only
"""Kernels compile with the options of any processor: LAMMPS is built with -march=native by default."""

import platform
import shutil

import pytest

from tofulib import CHECKOUT, shell

PROCESSORS = ["x86-64", "haswell", "alderlake", "znver3", "skylake-avx512", "icelake-server", "sapphirerapids"]
ARM_COMPILER = "aarch64-linux-gnu-g++"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the names are those of x86 processors")
@pytest.mark.parametrize("processor", PROCESSORS)
def test_a_kernel_compiles_for_a_processor(processor):
    folder = CHECKOUT / "src" / "TOFU"
    shell.capture(["c++", "-std=c++17", f"-march={processor}", "-fsyntax-only", "-I", folder,
                   folder / "kernels" / "neighbor" / "near_rows.cpp"])


@pytest.mark.skipif(not shutil.which(ARM_COMPILER), reason="no compiler for aarch64")
@pytest.mark.parametrize("kernel,processor", [("adp", "generic"), ("eam_cd", "neoverse-v1")])
def test_a_kernel_that_crashed_a_compiler_compiles_for_arm(kernel, processor, tmp_path):
    (tmp_path / "hwy").symlink_to("/usr/include/hwy")    # Highway's headers, and no others of this machine
    folder = CHECKOUT / "src" / "TOFU"
    without_slp = "-fno-tree-slp-vectorize"
    assert without_slp in (folder / "dependencies.cmake").read_text(encoding="utf-8")
    shell.capture([ARM_COMPILER, "-std=c++17", "-O2", without_slp, f"-mcpu={processor}", "-I", folder, "-I", tmp_path,
                   "-c", folder / "kernels" / "manybody" / f"{kernel}.cpp", "-o", tmp_path / "kernel.o"])
