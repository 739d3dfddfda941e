# SPDX-License-Identifier: GPL-2.0-only
"""The example of doc/manual/TOFU_own_potential.rst compiles as it stands, with the header that CMake writes of its
entry in a table, and gives the results of LAMMPS."""

import re
import subprocess
import textwrap
from pathlib import Path

import numpy as np
import pytest

from lammps_output import read_snapshot, read_thermo
from lammps_plugin import compile_plugin
from lammps_run import run_script

pytestmark = pytest.mark.full

CHECKOUT = Path(__file__).resolve().parents[2]

HEADER = """
#pragma once
#include "kernels/data/pair_data.h"
namespace TOFU_NS {
struct BornGaussCoefficients {
  static constexpr int NCOEFFICIENTS = 8;
  int ntypes = 0;
  PairTable table;
};
void born_gauss(const BornGaussCoefficients &, const PairJob &, int first, int last, PairTally &);
}    // namespace TOFU_NS
"""

KERNEL = """
#include "kernels/pair/born_gauss.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "born_gauss.cpp"
#include "kernels/simd/highway_targets.h"
#include <hwy/foreach_target.h>
#include "kernels/pair/pair_loop-inl.h"
#include <hwy/contrib/math/math-inl.h>
HWY_BEFORE_NAMESPACE();
namespace TOFU_NS {
namespace HWY_NAMESPACE {
EXAMPLE
}    // namespace HWY_NAMESPACE
}    // namespace TOFU_NS
HWY_AFTER_NAMESPACE();
#if HWY_ONCE
namespace TOFU_NS {
EXPORT
}    // namespace TOFU_NS
#endif
"""

STYLE = """
#include "lammpsplugin.h"
#include "pair_born_gauss_threadpool.h"
#include "version.h"
using namespace LAMMPS_NS;
static Pair *create(LAMMPS *lmp)
{
  return new PairBornGaussThreadpool(lmp);
}
extern "C" void lammpsplugin_init(void *lmp, void *handle, void *regfunc)
{
  lammpsplugin_t plugin;
  plugin.version = LAMMPS_VERSION;
  plugin.style = "pair";
  plugin.name = "born/gauss/threadpool";
  plugin.info = "the example of the manual";
  plugin.author = "The TOFU developers";
  plugin.creator.v1 = (lammpsplugin_factory1 *) &create;
  plugin.handle = handle;
  ((lammpsplugin_regfunc) regfunc)(&plugin, lmp);
}
"""

WRITE = """
cmake_minimum_required(VERSION 3.20)
set(TOFU_SOURCE_DIR "${CHECKOUT}/src/TOFU")
include("${TOFU_SOURCE_DIR}/style_tables.cmake")
tofu_write_styles(headers "${FOLDER}/pair.table" "${FOLDER}" pair_born_gauss)
"""

SYSTEM = """
units lj
atom_style atomic
newton NEWTON
lattice fcc 0.8
region box block 0 5 0 6 0 7
create_box 2 box
create_atoms 1 box
set type 1 type/fraction 2 0.4 4711
mass 1 1.0
mass 2 2.0
velocity all create 1.5 815
displace_atoms all random 0.1 0.1 0.1 99
pair_style STYLE 2.6
pair_coeff 1 1 150.0 3.5 1.2 4.0 1.4
pair_coeff 1 2 120.0 3.2 -0.8 3.0 1.6 2.2
pair_coeff 2 2 200.0 3.7 0.9 2.5 1.3
pair_modify shift yes
fix move all nve
thermo_style custom step temp pe press pxy
thermo_modify norm no format float %.17g
thermo 5
run 0
write_dump all custom forces.dump id type x y z fx fy fz modify sort id format float %.17g
run 20
"""


@pytest.fixture(scope="module")
def plugin(installation, tmp_path_factory):
    """The example as a plug-in for the LAMMPS under test."""
    page = (CHECKOUT / "doc" / "manual" / "TOFU_own_potential.rst").read_text(encoding="utf-8")
    blocks = [textwrap.dedent(block) for block in
              re.findall(r"^\.\. code-block:: c\+\+\n\n((?:(?:   .*)?\n)+)", page, re.MULTILINE)]
    kernel, export, entry = (next(block for block in blocks if word in block)
                             for word in ("struct BornGauss", "TOFU_EXPORT", "KernelStyle<"))
    kernel = KERNEL.replace("EXAMPLE", kernel).replace("EXPORT\n", export)
    folder = tmp_path_factory.mktemp("born_gauss")
    (folder / "kernels" / "pair").mkdir(parents=True)
    for name, text in (("kernels/pair/born_gauss.h", HEADER), ("born_gauss.cpp", kernel),
                       ("pair.table", entry), ("write.cmake", WRITE), ("pair.cpp", STYLE)):
        (folder / name).write_text(text, encoding="utf-8")
    subprocess.run(["cmake", f"-DCHECKOUT={CHECKOUT}", f"-DFOLDER={folder}", "-P", folder / "write.cmake"], check=True,
                   timeout=60)
    return compile_plugin(installation, [folder / "born_gauss.cpp", folder / "pair.cpp"], folder / "born_gauss.so",
                          ["-I", str(CHECKOUT / "src" / "TOFU"), "-I", str(folder), "-lhwy"])


@pytest.mark.parametrize("ranks,parts,newton", (
    (1, 3, "on"), (2, 2, "off"),
    pytest.param(1, 1, "off", marks=pytest.mark.long), pytest.param(2, 2, "on", marks=pytest.mark.long)))
def test_the_example_gives_what_the_style_of_lammps_gives(installation, plugin, tmp_path, ranks, parts, newton):
    found = []
    for style, start in (("born/gauss", ""), ("born/gauss/threadpool", f"plugin load {plugin}\n")):
        folder = tmp_path / style.replace("/", "-")
        folder.mkdir()
        script = f"package threadpool {parts}\n" + start + SYSTEM.replace("STYLE", style).replace("NEWTON", newton)
        output = run_script(installation, script, ranks, folder).expect_success().output
        found.append((read_thermo(output), read_snapshot(folder / "forces.dump").forces))
    (tables, forces), (our_tables, our_forces) = found
    scale = np.max(np.abs(forces))
    assert scale > 1.0
    np.testing.assert_allclose(our_forces, forces, rtol=0.0, atol=1e-12 * scale)
    for table, ours, tolerance in zip(tables, our_tables, (1e-12, 1e-9)):
        for name, values in table.columns.items():
            size = np.max(np.abs(values)) if name != "Pxy" else np.max(np.abs(table.columns["Press"]))
            np.testing.assert_allclose(ours.columns[name], values, rtol=0.0, atol=tolerance * size, err_msg=name)
