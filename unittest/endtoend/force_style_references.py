# SPDX-License-Identifier: GPL-2.0-only
"""LAMMPS' own force-style references: read a YAML file, make a script of it, compare the results.

The files in unittest/force-styles/tests of the LAMMPS tree hold a system, a style, and the energy,
stress and forces that the style gave on one rank. LAMMPS' C++ drivers replay them on one rank only;
here they are replayed on any number of ranks.
"""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional, Set

import numpy as np
import yaml

from compare import PRESSURE_PER_ENERGY_DENSITY
from lammps_output import read_snapshot
from lammps_run import Installation, Variant

KINDS = {
    "mol-pair": "pair",
    "manybody-pair": "pair",
    "atomic-pair": "pair",
    "kspace": "pair",
    "bond": "bond",
    "angle": "angle",
    "dihedral": "dihedral",
    "improper": "improper",
    "fix-timestep": "fix",
}
"""Begin of a file name -> kind of style that the file tests."""

ENERGY_TERMS = {
    "pair": {"vdwl": "$(evdwl-etail:%.17g)", "coul": "$(ecoul:%.17g)"},
    "bond": {"energy": "$(ebond:%.17g)"},
    "angle": {"energy": "$(eangle:%.17g)"},
    "dihedral": {"energy": "$(edihed:%.17g)"},
    "improper": {"energy": "$(eimp:%.17g)"},
}
"""Kind of style -> names of its energies and the expressions that print them."""

LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)

PER_ATOM = {"forces": ("fx", "fy", "fz"), "pos": ("x", "y", "z"), "vel": ("vx", "vy", "vz")}
"""Name of a per-atom block and the dump columns that it holds."""

RANK_FACTOR = 10.0
"""Factor of the allowed difference. A reference was made on one rank; several ranks add in another order (LAMMPS'
threaded tests allow 5 to 10)."""

SMALLEST_EPSILON = 1e-13
"""Least allowed difference: some references allow less than the rounding error of a sum in another order."""

BRICK_IS_THE_REFERENCE = {
    **dict.fromkeys((
        "atomic-pair-buck_coul_cut_qeq_point", "atomic-pair-buck_coul_cut_qeq_shielded", "atomic-pair-edip",
        "atomic-pair-lj_cut_sphere", "atomic-pair-lj_expand_sphere", "atomic-pair-meam_sw_spline",
        "atomic-pair-pedone", "atomic-pair-reaxff", "atomic-pair-reaxff-acks2", "atomic-pair-reaxff-acks2_efield",
        "atomic-pair-reaxff-qtpie", "atomic-pair-reaxff_lgvdw", "atomic-pair-reaxff_noqeq",
        "atomic-pair-reaxff_tabulate", "atomic-pair-reaxff_tabulate_flag"),
        "random displacements depend on the compiler, atom ids on the number of ranks"),
    "fix-timestep-rigid_nph_small": "on 8 ranks stock LAMMPS gives something else",
    "fix-timestep-rigid_npt_small": "on 8 ranks stock LAMMPS gives something else",
    "kspace-msm_nopbc": "on 3 ranks stock LAMMPS gives something else",
    "fix-timestep-restrain": "the fix takes other images of its atoms when there is more than one rank",
    "manybody-pair-bop": "the forces of this pair style depend on the number of ranks",
    "manybody-pair-bop_save": "the forces of this pair style depend on the number of ranks",
}
"""References that stock LAMMPS itself does not meet on all numbers of ranks, with the reason; brick takes their
place."""

FIX_SYSTEM = """\
pair_style lj/cut 8.0
pair_coeff 1 1 0.02 2.5
pair_coeff 2 2 0.005 1.0
pair_coeff 2 4 0.005 0.5
pair_coeff 3 3 0.02 3.2
pair_coeff 4 4 0.015 3.1
pair_coeff 5 5 0.015 3.1
bond_style harmonic
bond_coeff 1 250.0 1.5
bond_coeff 2 300.0 1.1
bond_coeff 3 350.0 1.3
bond_coeff 4 650.0 1.2
bond_coeff 5 450.0 1.0
angle_style harmonic
angle_coeff 1 75.0 110.1
angle_coeff 2 45.0 111.0
angle_coeff 3 50.0 120.0
angle_coeff 4 100.0 108.5
group solute molecule 1:2
group solvent molecule 3:5"""
"""The force field with which every fix reference was made; the files do not contain it."""


def installed_styles(installation: Installation) -> Dict[str, Set[str]]:
    """Names of the styles in a LAMMPS binary by kind ("pair", "fix" ...), as `lmp -h` lists them."""
    text = subprocess.run([installation.lmp, "-h"], capture_output=True, text=True, check=True).stdout
    styles: Dict[str, Set[str]] = {}
    kind = None
    for line in text.splitlines():
        head = re.match(r"\* (\w+) styles:?\s*$", line, re.I)
        if head:
            kind = head.group(1).lower()
            styles[kind] = set()
        elif kind and line.strip():
            styles[kind].update(line.split())
    return styles


@dataclass(frozen=True)
class Reference:
    """One YAML file.

    Args:
        path: path of the file.
        fields: its keys with their values as text.
    """

    path: Path
    fields: Dict[str, str]

    @classmethod
    def read(cls, path: Path) -> "Reference":
        """Read a file; the base loader keeps every value as text and accepts the untagged blocks (`! |`).

        A file that is not YAML (LAMMPS' own reader is more lenient) comes back without fields.
        """
        try:
            return cls(path, yaml.load(path.read_text(), Loader=LOADER))
        except yaml.YAMLError:
            return cls(path, {})

    @property
    def kind(self) -> str:
        """Kind of the tested style: "pair", "bond", "angle", "dihedral", "improper" or "fix"."""
        return next(kind for prefix, kind in KINDS.items() if self.path.name.startswith(prefix + "-"))

    @property
    def epsilon(self) -> float:
        """Relative difference allowed on several ranks."""
        return RANK_FACTOR * max(float(self.fields["epsilon"]), SMALLEST_EPSILON)

    def lines(self, key: str) -> List[str]:
        """The non-empty lines of a block."""
        return [line.strip() for line in self.fields.get(key, "").splitlines() if line.strip()]

    def numbers(self, key: str) -> Optional[np.ndarray]:
        """All numbers of a key, or None if the file does not have it."""
        return np.array(self.fields[key].split(), dtype=float) if key in self.fields else None

    def obstacle(self, styles: Dict[str, Set[str]]) -> Optional[str]:
        """Reason why a binary with `styles` cannot replay this reference; None if it can."""
        if not self.fields:
            return "not valid YAML"
        if "comm_style tiled" in self.lines("pre_commands") + self.lines("post_commands"):
            return "chooses comm_style tiled itself"
        if self.fields.get("pair_style", "").startswith("dpd"):
            return "random forces depend on the number of ranks and on the order of neighbor lists"
        pairs = [line.split(None, 1) for line in self.lines("prerequisites")]
        missing = [kind for kind, name in pairs if name not in styles.get(kind, set())]
        return f"needs a style of kind {missing[-1]} that was not built" if missing else None

    def script(self, variant: Variant, newton: str, folder: Path) -> str:
        """The LAMMPS script that replays this reference and leaves `start` and `end` dumps in `folder`.

        Args:
            variant: way to exchange ghosts.
            newton: "on" or "off" for pair and bond references.
            folder: folder for the dumps.
        """
        tests = self.path.parent
        system = (tests / self.fields["input_file"]).read_text()
        lines = [variant.command, f"variable input_dir index {tests}"]
        if self.kind != "fix":
            lines.append(f"variable newton_{'pair' if self.kind == 'pair' else 'bond'} index {newton}")
        lines += self.lines("pre_commands") + [system]
        lines += self._fix_lines(folder) if self.kind == "fix" else self._force_lines(folder)
        return "\n".join(lines) + "\n"

    def _force_lines(self, folder: Path) -> List[str]:
        style = f"{self.kind}_style"
        coefficients = [f"{self.kind}_coeff {line}" for line in self.lines(f"{self.kind}_coeff")]
        lines = [f"{style} {self.fields[style]}", *coefficients]
        if self.kind == "pair":
            lines += ["pair_modify table 0", "pair_modify table/disp 0"]
        return [
            *lines,
            *self.lines("post_commands"),
            f"compute tofu_stress all pressure NULL {self.kind}",
            "thermo_style custom step temp pe evdwl ecoul press c_tofu_stress[*]",
            "thermo_modify norm no",
            "run 0 post no",
            *self._report("start", folder, "fx fy fz"),
            "fix 1 all nve",
            "thermo 2",
            "run 4 post no",
            *self._report("end", folder, "fx fy fz"),
        ]

    def _fix_lines(self, folder: Path) -> List[str]:
        lines = [FIX_SYSTEM, *self.lines("post_commands"), "timestep 0.25"]
        if "run_stress" in self.fields:
            lines += ["compute tofu_stress all pressure NULL fix"]
            lines += ["thermo_style custom step temp pe press c_tofu_stress[*]"]
        lines += ["run 0 post no", "thermo 2", "run 4 post no start 0 stop 8", "run 4 post no start 0 stop 8"]
        return lines + self._report("end", folder, "x y z vx vy vz")

    def _report(self, when: str, folder: Path, columns: str) -> List[str]:
        """Commands that dump per-atom columns and print the global results as `@ name when numbers`."""
        lines = [
            f"write_dump all custom {folder}/{when}.dump id {columns} modify sort id format float %.17g",
            f'print "@ volume {when} $(vol:%.17g)"',
        ]
        for name, expression in ENERGY_TERMS.get(self.kind, {}).items():
            lines.append(f'print "@ {name} {when} {expression}"')
        if self.kind != "fix" or "run_stress" in self.fields:
            stress = " ".join(f"$(c_tofu_stress[{i}]:%.17g)" for i in range(1, 7))
            lines.append(f'print "@ stress {when} {stress}"')
        if "global_scalar" in self.fields:
            lines.append(f'print "@ global_scalar {when} $(f_test:%.17g)"')
        if "global_vector" in self.fields:
            size = int(self.numbers("global_vector")[0])
            vector = " ".join(f"$(f_test[{i}]:%.17g)" for i in range(1, size + 1))
            lines.append(f'print "@ global_vector {when} {vector}"')
        return lines

    def differences(self, output: str, folder: Path) -> List[str]:
        """Lines that list the differences between the results of the script and the reference.

        A component is compared with itself or, where the system has larger ones, with the largest of its
        kind: forces on an atom are sums of contributions as large as the largest force.

        Args:
            output: output of LAMMPS.
            folder: folder of the dumps.
        """
        printed = _printed_numbers(output)
        lines: List[str] = []
        for when, prefix in (("start", "init"), ("end", "run")):
            if not (folder / f"{when}.dump").exists():
                continue
            lines += self._per_atom_differences(folder / f"{when}.dump", prefix)
            for (name, moment), found in printed.items():
                if moment != when or name == "volume":
                    continue
                key = name if name.startswith("global") else f"{prefix}_{name}"
                expected = self.numbers(key)
                if expected is None:
                    continue
                if name == "global_vector":
                    expected = expected[1:]
                if name == "stress":
                    found = found * printed["volume", when] / PRESSURE_PER_ENERGY_DENSITY[self._units()]
                lines += _compare(key, expected, found, self.epsilon)
        return lines

    def from_results(self, output: str, folder: Path) -> "Reference":
        """A reference with the same script whose results are those of a run of it.

        Args:
            output: output of LAMMPS.
            folder: folder of the dumps.
        """
        fields = {key: value for key, value in self.fields.items() if not re.match("(init|run|global)_", key)}
        printed = _printed_numbers(output)
        for when, prefix in (("start", "init"), ("end", "run")):
            for (name, moment), found in printed.items():
                if moment == when and name == "stress":
                    found = found * printed["volume", when] / PRESSURE_PER_ENERGY_DENSITY[self._units()]
                if moment == when and name == "global_vector":
                    found = np.concatenate([[len(found)], found])
                if moment == when:
                    fields[name if name.startswith("global") else f"{prefix}_{name}"] = _as_text(found)
            if (folder / f"{when}.dump").exists():
                snapshot = read_snapshot(folder / f"{when}.dump")
                for key, columns in PER_ATOM.items():
                    if columns[0] in snapshot.columns:
                        fields[f"{prefix}_{key}"] = _as_text(snapshot.vectors("id", *columns))
        return Reference(self.path, fields)

    def _units(self) -> str:
        """Unit system, set before the system file, or the file's default."""
        setting = r"^(?:variable\s+units\s+index|units)\s+(\w+)"
        system = (self.path.parent / self.fields["input_file"]).read_text()
        found = re.findall(setting, "\n".join(self.lines("pre_commands")), re.M) + re.findall(setting, system, re.M)
        return found[0] if found else "lj"

    def _per_atom_differences(self, dump: Path, prefix: str) -> List[str]:
        snapshot = read_snapshot(dump)
        lines = []
        for name, columns in PER_ATOM.items():
            key = f"{prefix}_{name}"
            expected = self.numbers(key)
            if expected is None or columns[0] not in snapshot.columns:
                continue
            expected = expected.reshape(-1, 4)
            expected = expected[np.argsort(expected[:, 0])]
            if not np.array_equal(expected[:, 0], snapshot.columns["id"]):
                lines.append(f"{key}: {snapshot.natoms} atoms instead of {len(expected)}, or other ids")
                continue
            lines += _compare(key, expected[:, 1:], snapshot.vectors(*columns), self.epsilon)
        return lines


def _printed_numbers(output: str) -> Dict:
    """(name, moment) -> numbers of the lines `@ name moment numbers`."""
    rows = [line.split() for line in output.splitlines() if line.startswith("@ ")]
    return {(row[1], row[2]): np.array(row[3:], dtype=float) for row in rows}


def _as_text(numbers: np.ndarray) -> str:
    return " ".join(f"{number:.17g}" for number in np.ravel(numbers))


def _compare(name: str, expected: np.ndarray, found: np.ndarray, epsilon: float) -> List[str]:
    if expected.shape != found.shape:
        return [f"{name}: {found.shape} numbers instead of {expected.shape}"]
    scale = float(np.max(np.abs(expected))) if expected.size else 0.0
    # references below 1e-13 are rounding errors of zero; LAMMPS writes such stresses as zero
    error = np.abs(expected - found) - 1e-13
    if not np.any(~(error <= epsilon * scale)):
        return []
    worst = np.unravel_index(np.argmax(np.nan_to_num(error, nan=np.inf)), error.shape)
    relative = error[worst] / scale if scale else np.inf
    return [
        f"{name}{list(map(int, worst))}: {expected[worst]:.17g} became {found[worst]:.17g}, "
        f"{relative:.1e} of the largest, allowed {epsilon:.1e}"
    ]


def read_references(lammps_dir: Path) -> List[Reference]:
    """All references of a LAMMPS tree that this driver can replay, in the order of their names."""
    folder = lammps_dir / "unittest" / "force-styles" / "tests"
    names = [path for path in sorted(folder.glob("*.yaml")) if any(path.name.startswith(k + "-") for k in KINDS)]
    return [Reference.read(path) for path in names]
