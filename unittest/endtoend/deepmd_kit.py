# SPDX-License-Identifier: GPL-2.0-only
"""deepmd-kit as installed by install_deepmd_kit.py: its plug-in, the model and the references of its LAMMPS test."""

import ast
import os
import re
import subprocess
from pathlib import Path
from typing import Dict, Optional

import numpy as np

from install_deepmd_kit import SOURCES, TORCH, VERSION, VERSION_WITH_TESTS
from lammps_plugin import compile_plugin
from lammps_run import Installation

ENVIRONMENT = "TOFU_DEEPMD"


class DeepmdKit:
    """An installed deepmd-kit.

    Attributes:
        plugin: plug-in with its styles for the LAMMPS under test.
        model: model of water, for pair style deepmd and fix dplr.
        bulk_water: data file of 128 molecules.
        variables: environment variables of a run.
        expected: references of the test, by their names there without `expected_`; energies in eV, forces in
            eV/Angstrom, Wannier centers in Angstrom.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.libraries = next(folder.glob("lib/python*/site-packages"))
        self.sources = folder / SOURCES[VERSION] / "source"
        old = folder / SOURCES[VERSION_WITH_TESTS]
        self.tests = old / "source" / "lmp" / "tests"
        self.bulk_water = old / "examples" / "water" / "dplr" / "lmp" / "conf.lmp"
        self.variables = {"LD_LIBRARY_PATH": str(self.libraries / "tensorflow"), "TF_CPP_MIN_LOG_LEVEL": "3",
                          "DP_INTRA_OP_PARALLELISM_THREADS": "1", "DP_INTER_OP_PARALLELISM_THREADS": "1"}
        self.values = assignments((self.tests / "test_dplr.py").read_text())
        self.expected = {name[len("expected_"):]: value for name, value in self.values.items()
                         if name.startswith("expected_")}

    def python_of(self, framework: str) -> Path:
        """The Python with a framework: "tensorflow", or "pytorch", which may be absent."""
        return (self.folder / TORCH if framework == "pytorch" else self.folder) / "bin" / "python"

    @classmethod
    def from_environment(cls) -> Optional["DeepmdKit"]:
        """The installation that TOFU_DEEPMD names; None if it is not set."""
        return cls(Path(os.environ[ENVIRONMENT])) if os.environ.get(ENVIRONMENT) else None

    def prepare(self, installation: Installation, folder: Path) -> None:
        """Compile the plug-in, and convert the model to the format that the library reads, into `folder`."""
        self.model = folder / "model.pb"
        subprocess.run([self.folder / "bin" / "dp", "convert-from", "pbtxt", "-i", self.tests / "lrmodel.pbtxt", "-o",
                        self.model],
                       check=True, capture_output=True, env={**os.environ, **self.variables})
        header = (self.sources / "lmp" / "deepmd_version.h.in").read_text()
        (folder / "deepmd_version.h").write_text(re.sub(r"@\w+@", "unknown", header))
        own = [file for file in (self.sources / "lmp").glob("*.cpp") if not file.stem.endswith("_kokkos")]
        library = self.libraries / "deepmd" / "lib"
        self.plugin = compile_plugin(
            installation, [*own, self.sources / "lmp" / "plugin" / "deepmdplugin.cpp",
                           installation.lammps_dir / "src" / "EXTRA-FIX" / "fix_ttm.cpp"],
            folder / "deepmd.so",
            ["-DLMPPLUGIN", f"-DLAMMPS_VERSION_NUMBER={version_number(installation)}", f"-I{folder}",
             f"-I{self.sources / 'lmp'}",
             f"-I{self.sources / 'api_c' / 'include'}", f"-L{library}", "-ldeepmd_c", f"-Wl,-rpath,{library}"])

    def water(self, data, skin: float, kspace: str, units: str = "metal", box: str = "change_box all ortho",
              options: str = "") -> str:
        """The commands of its example for bulk water.

        Args:
            data: data file; it makes the box triclinic, with tilts of zero.
            kspace: commands of the kspace style.
            box: commands that change the box.
            options: more words of fix dplr.
        """
        return f"""\
units {units}
atom_style full
neighbor {skin} bin
neigh_modify every 1 delay 0 check no exclude type 1 3
read_data {data}
{box}
timestep {0.0005 if units == "metal" else 0.5}
pair_style deepmd {self.model}
pair_coeff * *
bond_style zero
bond_coeff *
special_bonds lj/coul 1 1 1 angle no
{kspace}
group real type 1 2
fix wannier all dplr model {self.model} type_associate 1 3 bond_type 1 {options}
fix_modify wannier virial yes energy yes
thermo 1
thermo_style custom step pe elong f_wannier pxx pyy pzz pxy pxz pyz
thermo_modify format float %.17g
"""

    def data_of_the_test(self) -> str:
        """Data file of the test: two molecules of water with their Wannier centers."""
        value = self.values
        edges = np.array(value["box"][:6]).reshape(3, 2)
        molecules, types, charges, x = value["mol_list"], value["type_OH"], value["charge"], value["coord"]
        bonds = value["bond_list"][0]
        lines = ["two molecules of water", "", f"{len(x)} atoms", "3 atom types", f"{len(bonds)} bonds", "1 bond types"]
        lines += [f"{lo} {hi} {dim}lo {dim}hi" for dim, (lo, hi) in zip("xyz", edges)] + [
            "0 0 0 xy xz yz", "", "Masses", ""]
        lines += [f"{number} {mass}" for number, mass in enumerate(value["mass_list"], 1)] + ["", "Atoms", ""]
        lines += [f"{i + 1} {molecules[i]} {types[i]} {charges[i]} {' '.join(map(str, x[i]))}"
                  for i in range(len(x))] + ["", "Bonds", ""]
        lines += [f"{number} 1 {first} {second}" for number, (first, second) in enumerate(bonds, 1)]
        return "\n".join(lines) + "\n"


def assignments(source: str) -> Dict[str, object]:
    """Constants of a Python file, which is not run; other values are left out."""
    found: Dict[str, object] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                found[node.targets[0].id] = constant(node.value)
            except ValueError:
                continue
    return found


def constant(node: ast.expr):
    """The value of a literal, or of np.array() and its reshape() around one.

    Raises:
        ValueError: the node is something else.
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("array", "reshape"):
        if node.func.attr == "array":
            return np.array(constant(node.args[0]))
        return constant(node.func.value).reshape([constant(word) for word in node.args])
    return ast.literal_eval(node)


def version_number(installation: Installation) -> int:
    """Version of LAMMPS as deepmd-kit writes it: 20250204 for 4 Feb 2025."""
    day, month, year = re.search(r'"(\d+) (\w+) (\d+)"',
                                 (installation.lammps_dir / "src" / "version.h").read_text()).groups()
    months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
    return int(f"{year}{months.index(month[:3]) + 1:02}{int(day):02}")
