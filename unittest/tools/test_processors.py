# SPDX-License-Identifier: GPL-2.0-only
"""Kernels compile with the options of any processor: LAMMPS is built with -march=native by default."""

import platform

import pytest

from tofulib import CHECKOUT, shell

PROCESSORS = ["x86-64", "haswell", "alderlake", "znver3", "skylake-avx512", "icelake-server", "sapphirerapids"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the names are those of x86 processors")
@pytest.mark.parametrize("processor", PROCESSORS)
def test_a_kernel_compiles_for_a_processor(processor):
    folder = CHECKOUT / "src" / "TOFU"
    shell.capture(["c++", "-std=c++17", f"-march={processor}", "-fsyntax-only", "-I", folder,
                   folder / "kernels" / "near_rows.cpp"])
