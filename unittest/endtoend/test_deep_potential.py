# SPDX-License-Identifier: GPL-2.0-only
"""pair_style deepmd with the suffix /threadpool: energies, forces and virials are those of the formulas, as
deep_models.py computes them with NumPy from the same models.

`-m deepmd` compares with deepmd-kit itself, see install_deepmd_kit.py.
"""

import copy
import os
import re
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

import numpy as np
import pytest

from compare import PRESSURE_PER_ENERGY_DENSITY, Tolerance, compare_snapshots, compare_thermo
from deep_models import (NAMES, Atoms, DeepModel, Part, Values, compressed, evaluate, graph, random_atoms, random_model,
                         training_script, write_model)
from deepmd_kit import assignments
from lammps_output import Snapshot, ThermoTable, read_snapshot, read_thermo
from lammps_run import Variant, run_script, threadpool
from ring_balance_runs import read_shares, shares_of
from small_systems import dump

# ---- systems and runs


@dataclass(frozen=True)
class Units:
    """Length of an Angstrom and energy of an eV in a system of units."""

    name: str = "metal"
    angstrom: float = 1.0
    ev: float = 1.0

    @property
    def pressure(self) -> float:
        """Pressure over energy density."""
        return PRESSURE_PER_ENERGY_DENSITY[self.name]


METAL = Units()
REAL = Units("real", 1.0, 0.0019872067 / 8.617343e-5)
SI = Units("si", 1e-10, 1.3806504e-23 / 8.617343e-5)


@dataclass(frozen=True)
class Way:
    """Number of ranks, of threads of a rank, and comm style."""

    ranks: int = 1
    threads: int = 1
    style: str = "brick"

    @property
    def variant(self) -> Variant:
        """Comm style and suffix."""
        return threadpool(self.threads, self.style)

    def __str__(self) -> str:
        return f"{self.ranks}x{self.threads}-{self.style.replace('/', '_')}"


ONE = Way()
WAYS = tuple(Way(ranks, threads, style) for ranks, threads, style in (
    (1, 1, "brick"), (2, 1, "p2p/rdma"), (3, 2, "p2p/rdma"), (4, 3, "brick"), (8, 1, "p2p/rdma"), (1, 3, "p2p/rdma"),
    (2, 2, "brick"), (3, 3, "brick"), (4, 1, "p2p/rdma"), (8, 2, "brick"), (1, 2, "brick"), (2, 3, "p2p/rdma"),
    (3, 1, "brick"), (4, 2, "p2p/rdma"), (8, 3, "p2p/rdma")))


def dealt(names: Sequence[str], each: int) -> List[tuple]:
    """Pairs of a name and a way: each name gets some ways, in turn."""
    return [pytest.param(name, WAYS[(number * each + k * 7 + number // 5) % len(WAYS)],
                         id=f"{name}-{WAYS[(number * each + k * 7 + number // 5) % len(WAYS)]}")
            for number, name in enumerate(names) for k in range(each)]


BOX = np.diag([7.0, 6.5, 8.0])
TILTED = np.array([[7.0, 0.0, 0.0], [1.5, 6.5, 0.0], [-1.1, 0.9, 7.5]])
LONG = np.diag([24.0, 6.0, 6.5])


def write_data(path: Path, atoms: Atoms, cell: np.ndarray, ntypes: int, units: Units = METAL) -> Path:
    """Write a data file; types of the atoms are those of LAMMPS less one."""
    cell, x = cell * units.angstrom, atoms.x * units.angstrom
    lines = ["atoms of a deep potential", "", f"{len(x)} atoms", f"{ntypes} atom types"]
    lines += [f"0 {float(cell[k, k])!r} {dim}lo {dim}hi" for k, dim in enumerate("xyz")]
    if np.any(cell - np.diag(np.diag(cell))):
        lines.append(f"{float(cell[1, 0])!r} {float(cell[2, 0])!r} {float(cell[2, 1])!r} xy xz yz")
    lines += ["", "Atoms", ""] + [f"{i + 1} {atoms.types[i] + 1} {' '.join(repr(float(v)) for v in x[i])}"
                                  for i in range(len(x))]
    path.write_text("\n".join(lines) + "\n")
    return path


def system(data: Path, pair: str, coeff: str = "pair_coeff * *", units: Units = METAL, open_box: bool = False,
           mass: float = 20.0) -> str:
    """Commands up to the pair style; `pair` are its words."""
    return f"""\
units {units.name}
atom_style atomic
atom_modify map array
boundary {"f f f" if open_box else "p p p"}
read_data {data}
mass * {mass}
pair_style {pair}
{coeff}
neighbor {0.5 * units.angstrom} bin
neigh_modify every 1 delay 0 check yes
thermo_modify norm no format float %.17g
"""


def prepared(folder: Path, model: DeepModel, atoms: Atoms, words: str = "", cell: np.ndarray = BOX,
             units: Units = METAL, file: str = "model.pb", **options) -> str:
    """Commands up to the pair style, of atoms with a model; both get files in the folder. `words` come behind the file
    in the pair style, further options are those of `system()`."""
    data = write_data(folder / "data", atoms, cell, len(model.types), units)
    return system(data, f"deepmd {write_model(folder / file, model)} {words}", units=units, **options)


ANALYSIS = """\
compute e all pe/atom
compute s all centroid/stress/atom NULL pair
compute p all pressure NULL virial
compute ss all reduce sum c_e c_s[1] c_s[2] c_s[3] c_s[4] c_s[5] c_s[6] c_s[7] c_s[8] c_s[9]
thermo_style custom step pe evdwl c_p[*] c_ss[*]
thermo_modify norm no format float %.17g
"""
STRESSES = tuple(f"c_s[{k}]" for k in range(1, 10))
PER_ATOM = " ".join(("fx fy fz c_e", *STRESSES))
CENTROID_ORDER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1))


@dataclass
class Result:
    """Thermo tables and the atoms at the end of a run."""

    thermo: List[ThermoTable]
    snapshot: Snapshot
    output: str


def compute(servers, way: Way, folder: Path, commands: str, analysis: str = ANALYSIS, columns: str = PER_ATOM,
            variant: Optional[Variant] = None, run: str = "run 0") -> Result:
    """Run a script; the first commands are those of the way."""
    variant = variant or way.variant
    path = folder / f"{variant}-{way.ranks}.dump"
    script = "\n".join([variant.command, commands, analysis, run, dump(path, columns=columns)])
    output = servers.server(way.ranks, variant).run(script)
    return Result(read_thermo(output), read_snapshot(path), output)


def expect_agrees(expected: Values, found: Result, units: Units = METAL, forces: float = 1e-10,
                  energies: float = 1e-12) -> None:
    """Expect energies, forces, pressures and stresses of atoms to be those of the reference."""
    row = {name: column[-1] for name, column in found.thermo[-1].columns.items()}
    atoms = found.snapshot
    size = np.sum(np.abs(expected.energies)) * energies
    np.testing.assert_allclose(row["PotEng"] / units.ev, expected.energy, rtol=0, atol=size)
    largest = max(1.0, np.max(np.abs(expected.forces)))
    np.testing.assert_allclose(atoms.forces / (units.ev / units.angstrom), expected.forces, rtol=0,
                               atol=forces * largest)
    virial = expected.virial
    terms = max(1.0, np.sum(np.abs(expected.virials)))
    if "c_p[1]" in row:
        pressures = np.array([row[f"c_p[{k}]"] for k in range(1, 7)])
        to_virial = atoms.volume / units.angstrom**3 / (units.ev / units.angstrom**3 * units.pressure)
        symmetric = [virial[a, b] for a, b in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        np.testing.assert_allclose(pressures * to_virial, symmetric, rtol=0, atol=forces * terms)
    if "c_e" in atoms.columns:
        np.testing.assert_allclose(atoms.columns["c_e"] / units.ev, expected.energies, rtol=0,
                                   atol=energies * np.max(np.abs(expected.energies)))
    if STRESSES[0] in atoms.columns:
        stresses = -atoms.vectors(*STRESSES) / (units.ev * units.pressure)
        np.testing.assert_allclose(stresses, [[v[a, b] for a, b in CENTROID_ORDER] for v in expected.virials], rtol=0,
                                   atol=forces * max(1.0, np.max(np.abs(expected.virials))))


# ---- models

BOTH = Part(one_sided=False)
GRAPH_TYPES = replace(BOTH, sel=(60,), vectors=5, tensorflow=True)
MODELS = {
    "one-sided": lambda: random_model(1),
    "two-sided": lambda: random_model(2, (BOTH,)),
    "one type": lambda: random_model(3, (Part(sel=(90,), axis=2),), types=("Cu",)),
    "three types": lambda: random_model(4, (replace(BOTH, sel=(40, 30, 35), neuron=(6, 12), axis=3),), types=NAMES),
    "excluded pairs": lambda: random_model(
        5, (replace(BOTH, sel=(40, 30, 35), excluded=((0, 1), (2, 2))),), types=NAMES),
    "excluded pairs, one-sided": lambda: random_model(6, (Part(excluded=((0, 0),)),)),
    "averages are zero": lambda: random_model(7, (Part(shift=0.0),)),
    "timesteps": lambda: random_model(8, (replace(BOTH, resnet_dt=True),)),
    "no residual fitting": lambda: random_model(9, (Part(),), fitting=(12, 10, 7), resnet_dt=False),
    "one hidden layer": lambda: random_model(10, (Part(neuron=(5, 10), axis=10),), fitting=(33,)),
    "gelu and silu": lambda: random_model(11, (Part(activation="gelu"),), activation="silu"),
    "softplus and sigmoid": lambda: random_model(12, (Part(activation="softplus"),), activation="sigmoid"),
    "relu6 and gelu": lambda: random_model(13, (Part(activation="relu6"),), activation="gelu_tf"),
    "relu and relu": lambda: random_model(14, (Part(activation="relu"),), activation="relu"),
    "cut-offs that are not exact": lambda: random_model(15, (Part(rcut=3.7, rcut_smth=3.3),)),
    "single precision": lambda: random_model(16, (BOTH,), single_precision=True),
    "distances alone": lambda: random_model(17, (Part(radial=True, one_sided=False, neuron=(4, 8, 8)),)),
    "distances alone, one-sided": lambda: random_model(18, (Part(radial=True, resnet_dt=True),)),
    "hybrid of two": lambda: random_model(19, (Part(rcut=3.1, axis=3), replace(BOTH, rcut_smth=2.0, neuron=(6, 12)))),
    "hybrid with distances": lambda: random_model(
        20, (Part(radial=True, one_sided=False, neuron=(3, 6, 12)), replace(BOTH, rcut=3.3, excluded=((0, 1),)))),
    "hybrid of one": lambda: random_model(21, (BOTH,), hybrid=True),
    "no slots for a type": lambda: random_model(22, (Part(sel=(60, 0)),)),
    "narrow nets": lambda: random_model(23, (Part(neuron=(1, 2, 3), axis=1),), fitting=(3, 3)),
    "types": lambda: random_model(90, (GRAPH_TYPES,), types=NAMES),
    "types, not smooth": lambda: random_model(91, (replace(GRAPH_TYPES, smooth=False, shift=0.0, resnet_dt=True),)),
    "types, of an early release": lambda: random_model(92, (replace(GRAPH_TYPES, one_sided=True, vectors=3),)),
    "types, excluded pairs": lambda: random_model(
        93, (replace(GRAPH_TYPES, excluded=((0, 2),), shift=0.0),), types=NAMES, nframe=0),
    "compressed, types": lambda: compressed(random_model(90, (GRAPH_TYPES,), types=NAMES)),
    "compressed, types, not smooth": lambda: compressed(
        random_model(91, (replace(GRAPH_TYPES, smooth=False, shift=0.0),))),
    "compressed, types, of an early release": lambda: compressed(
        random_model(92, (replace(GRAPH_TYPES, one_sided=True, vectors=3),))),
    "compressed": lambda: compressed(random_model(1)),
    "compressed, two-sided": lambda: compressed(
        random_model(5, (replace(BOTH, sel=(40, 30, 35), excluded=((0, 1), (2, 2))),), types=NAMES)),
    "compressed, hybrid": lambda: compressed(random_model(19, (Part(rcut=3.1), replace(BOTH, neuron=(6, 12))))),
    "compressed, distances alone": lambda: compressed(
        random_model(17, (Part(radial=True, one_sided=False, neuron=(4, 8, 8)),))),
    "compressed, single precision": lambda: compressed(random_model(16, (BOTH,), single_precision=True)),
}
CHANGING = random_model(30, (Part(rcut=3.0),))


def atoms_for(model: DeepModel, seed: int = 1, natoms: int = 30, cell: np.ndarray = BOX, **options) -> Atoms:
    """Random atoms of all types of a model."""
    return random_atoms(seed, natoms, cell, len(model.types), **options)


def moved(atoms: Atoms, i: int, k: int, by: float) -> Atoms:
    """The atoms, one of them with another coordinate k."""
    x = atoms.x.copy()
    x[i, k] += by
    return replace(atoms, x=x)


def slope(model: DeepModel, change, h: float = 1e-4) -> float:
    """Derivative of the energy of the atoms change(by)."""
    energies = [evaluate(model, change(by)).energy for by in (h, -h)]
    return (energies[0] - energies[1]) / (2.0 * h)


@pytest.mark.parametrize("name", ("two-sided", "distances alone", "hybrid with distances", "compressed, hybrid",
                                  "types", "compressed, types", "timesteps", "relu6 and gelu", "excluded pairs"))
def test_forces_and_virial_of_the_reference_are_derivatives_of_its_energy(name):
    model = MODELS[name]()
    atoms = atoms_for(model, 3, 20, TILTED)
    values = evaluate(model, atoms)

    def strained(a: int, b: int, by: float) -> Atoms:
        strain = np.eye(3)
        strain[a, b] += by
        return replace(atoms, x=atoms.x @ strain, cell=atoms.cell @ strain)

    for i, k in ((0, 0), (7, 2), (13, 1)):
        assert slope(model, lambda by: moved(atoms, i, k, by)) == pytest.approx(-values.forces[i, k], abs=1e-6)
    for a, b in ((0, 0), (2, 1)):
        assert slope(model, lambda by: strained(a, b, by)) == pytest.approx(-values.virial[a, b], abs=1e-5)
    assert 0.1 < np.max(np.abs(values.forces)) < 100.0
    np.testing.assert_allclose(values.virial, values.virial.T, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name,way", dealt(list(MODELS), 2))
def test_energies_forces_and_virials_are_those_of_the_formulas(servers, tmp_path, name, way):
    model = MODELS[name]()
    atoms = atoms_for(model)
    found = compute(servers, way, tmp_path, prepared(tmp_path, model, atoms))
    expect_agrees(evaluate(model, atoms), found)
    assert "more neighbors" not in found.output


EXACT = Part(rcut_smth=0.5, excluded_take_slots=True)
"""Options of a model in a file .dp. Cut-offs are exact in single precision, in which the reference has them."""

TYPED = replace(EXACT, sel=(60,), vectors=5)
COMMON = {
    "one-sided": lambda: random_model(70, (replace(EXACT, resnet_dt=True),)),
    "two-sided": lambda: random_model(
        71, (replace(EXACT, one_sided=False, sel=(40, 30, 35), excluded=((0, 1), (2, 2))),), types=NAMES),
    "one-sided, excluded pairs": lambda: random_model(
        84, (replace(EXACT, excluded=((0, 1),)), replace(EXACT, excluded=((0, 0), (0, 1)))), nframe=1, natom=2),
    "distances alone": lambda: random_model(72, (replace(EXACT, radial=True),), activation="silu"),
    "hybrid": lambda: random_model(73, (replace(EXACT, radial=True), replace(EXACT, one_sided=False))),
    "types": lambda: random_model(74, (replace(TYPED, one_sided=False),), types=NAMES),
    "types, one-sided": lambda: random_model(75, (replace(TYPED, appended=False, neuron=(5, 10, 20)),), types=NAMES),
    "types, not smooth": lambda: random_model(76, (replace(TYPED, smooth=False, shift=0.0),)),
    "types, excluded pairs": lambda: random_model(
        77, (replace(TYPED, one_sided=False, excluded=((0, 2),), vectors=3),), types=NAMES),
    "types, excluded pairs, averages are zero": lambda: random_model(
        78, (replace(TYPED, one_sided=False, excluded=((0, 0), (0, 1)), shift=0.0),), types=NAMES),
    "types, gelu": lambda: random_model(79, (replace(TYPED, activation="gelu", neuron=(6, 12)),), activation="silu"),
    "types, kinks": lambda: random_model(80, (replace(TYPED, activation="relu6", one_sided=False),)),
    "types, one type": lambda: random_model(81, (replace(TYPED, vectors=1),), types=("Cu",)),
    "types, hybrid": lambda: random_model(
        82, (replace(TYPED, rcut=3.5), replace(EXACT, one_sided=False), replace(TYPED, neuron=(6, 12), vectors=3))),
}


@pytest.mark.parametrize("name", ("types", "types, not smooth", "types, excluded pairs", "types, hybrid"))
def test_forces_of_the_reference_with_types_are_derivatives_of_its_energy(name):
    model = COMMON[name]()
    atoms = atoms_for(model, 3, 20, TILTED)
    values = evaluate(model, atoms)
    for i, k in ((0, 0), (7, 2), (13, 1)):
        assert slope(model, lambda by: moved(atoms, i, k, by)) == pytest.approx(-values.forces[i, k], abs=1e-6)
    assert 0.03 < np.max(np.abs(values.forces)) < 100.0


@pytest.mark.parametrize("name,way", dealt(list(COMMON), 1))
def test_files_in_the_common_format_of_deepmd_kit(servers, tmp_path, name, way):
    model = COMMON[name]()
    atoms = atoms_for(model)
    if name == "types, hybrid":
        atoms.x[1] = atoms.x[0] + (0.2, 0.1, 0.2)    # beyond the tables
    parameters = [(0.4, -0.7)[:own.shape[1]] for own in (model.frame, model.atom)]
    words = [f"{word} {' '.join(map(str, own))}" for word, own in zip(("fparam", "aparam"), parameters) if own]
    found = compute(servers, way, tmp_path, prepared(tmp_path, model, atoms, " ".join(words), file="model.dp"))
    expect_agrees(evaluate(model, atoms, *parameters), found)
    assert "more neighbors" not in found.output


@pytest.mark.parametrize("way", (WAYS[1], WAYS[3]), ids=str)
def test_of_more_neighbors_than_shared_slots_the_nearest_of_all_types_are_taken(servers, tmp_path, way):
    """Those of excluded pairs take slots, too."""
    model = random_model(83, (replace(TYPED, sel=(17,), excluded=((0, 1),), one_sided=False),), types=NAMES)
    atoms = atoms_for(model)
    expected = evaluate(model, atoms)
    assert expected.noverflows > 0
    found = compute(servers, way, tmp_path, prepared(tmp_path, model, atoms, file="model.dp"))
    expect_agrees(expected, found)
    assert "more neighbors, of a type or all" in found.output


EARLIER = {
    "no options": (("train_attr/training_script",), Part(one_sided=False)),
    "no options, one-sided": (("train_attr/training_script", "descrpt_attr/sel"), Part()),
    "no options, distances alone": (("train_attr/training_script",), Part(radial=True, one_sided=False)),
    "no slots": (("descrpt_attr/sel",), Part()),
    "no energies of single atoms": (("fitting_attr/t_bias_atom_e",), Part()),
    "no numbers of parameters": (("fitting_attr/dfparam", "fitting_attr/daparam", "model_type"), Part()),
}
"""Constants that files of earlier releases do not have."""


@pytest.mark.parametrize("case", EARLIER)
def test_files_of_earlier_releases(servers, tmp_path, case):
    without, part = EARLIER[case]
    model = random_model(24, (part,))
    atoms = atoms_for(model, 2)
    pair = f"deepmd {write_model(tmp_path / 'model.pb', model, without=without)}"
    if "fitting_attr/t_bias_atom_e" in without:
        model.biases[:] = 0.0
    found = compute(servers, Way(2, 2), tmp_path, system(write_data(tmp_path / "data", atoms, BOX, 2), pair))
    expect_agrees(evaluate(model, atoms), found)


def test_a_model_without_names_of_types(servers, tmp_path):
    """Types of atoms are those of the model in the same order; deepmd-kit's fparam_aparam.pbtxt is such a model."""
    model = random_model(25, (Part(rcut=3.0, sel=(60, 60)),))
    atoms = atoms_for(model, 2)
    script = training_script(model)
    del script["model"]["type_map"]
    write_model(tmp_path / "model.pb", replace(model, types=("", "")), script)
    found = compute(servers, Way(2, 2), tmp_path,
                    system(write_data(tmp_path / "data", atoms, BOX, 2), f"deepmd {tmp_path / 'model.pb'}"))
    expect_agrees(evaluate(model, atoms), found)


# ---- boxes, units, types

SHAPES: Dict[str, Tuple[np.ndarray, dict]] = {
    "triclinic": (TILTED, {}),
    "several images": (np.diag([3.1, 3.4, 3.0]), {"natoms": 3}),
    "open": (np.diag([14.0, 13.0, 15.0]), {"periodic": False}),
    "an atom alone": (np.diag([14.0, 13.0, 15.0]), {"periodic": False, "natoms": 1}),
    "an atom and its images": (np.diag([3.1, 3.4, 3.0]), {"natoms": 1}),
    "a pair that is very close": (BOX, {}),
}


@pytest.mark.parametrize("shape,way", dealt(list(SHAPES), 2))
@pytest.mark.parametrize("name", ("hybrid with distances", "compressed"))
def test_boxes_of_all_shapes(servers, tmp_path, name, shape, way):
    model = MODELS[name]()
    cell, options = SHAPES[shape]
    atoms = atoms_for(model, 5, cell=cell, **options)
    if "close" in shape:
        atoms.x[1] = atoms.x[0] + (0.2, 0.1, 0.2)
    found = compute(servers, way, tmp_path, prepared(tmp_path, model, atoms, cell=cell, open_box=atoms.cell is None))
    expect_agrees(evaluate(model, atoms), found)


@pytest.mark.parametrize("units,way", dealt(["real", "si"], 2))
@pytest.mark.parametrize("name", ("hybrid with distances", "compressed", "fparam"))
def test_units_of_length_and_energy_are_converted(servers, tmp_path, name, units, way):
    chosen = {"real": REAL, "si": SI}[units]
    parameters = (0.4, -0.2) if name == "fparam" else ()
    model = random_model(31, (Part(),), nframe=2) if parameters else MODELS[name]()
    atoms = atoms_for(model, 6)
    words = "fparam 0.4 -0.2" if parameters else ""
    found = compute(servers, way, tmp_path, prepared(tmp_path, model, atoms, words, units=chosen))
    expect_agrees(evaluate(model, atoms, parameters), found, chosen)


TYPE_MAPS = {
    "names in another order": ("pair_coeff * * H O", (1, 0)),
    "a name twice": ("pair_coeff * * O O", (0, 0)),
    "a type that is no atom": ("pair_coeff * * O NULL H", (0, -1, 1)),
    "more types than the model": ("pair_coeff * *", (0, 1, -1)),
    "fewer names than types": ("pair_coeff * * H O", (1, 0, -1)),
    "fewer types than the model": ("pair_coeff * *", (0,)),
    "one name of the model": ("pair_coeff * * H", (1,)),
}


@pytest.mark.parametrize("case,way", dealt(list(TYPE_MAPS), 2))
def test_types_of_atoms_are_those_that_pair_coeff_says(servers, tmp_path, case, way):
    coeff, numbers = TYPE_MAPS[case]
    model = random_model(32, (BOTH,))
    atoms = random_atoms(7, 30, BOX, len(numbers))
    pair = f"deepmd {write_model(tmp_path / 'model.pb', model)}"
    data = write_data(tmp_path / "data", atoms, BOX, len(numbers))
    found = compute(servers, way, tmp_path, system(data, pair, coeff))
    expect_agrees(evaluate(model, replace(atoms, types=np.array(numbers)[atoms.types])), found)


@pytest.mark.parametrize("way", (WAYS[0], WAYS[2], WAYS[9]), ids=str)
def test_a_type_that_no_atom_has(servers, tmp_path, way):
    model = random_model(4, (replace(BOTH, sel=(40, 30, 35)),), types=NAMES)
    atoms = random_atoms(8, 25, BOX, 1)
    atoms.types[5:] = 2
    found = compute(servers, way, tmp_path, prepared(tmp_path, model, atoms))
    expect_agrees(evaluate(model, atoms), found)


def lennard_jones(atoms: Atoms, epsilon: float, sigma: float, cutoff: float) -> Values:
    """Lennard-Jones energies, forces and virials of all atoms."""
    n = atoms.natoms
    values = Values(np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3)), 0)
    shifts = np.array([[a, b, c] for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]) @ atoms.cell
    for i in range(n):
        d = (atoms.x[None] + shifts[:, None] - atoms.x[i]).reshape(-1, 3)
        r = np.linalg.norm(d, axis=1)
        d, r = d[(r < cutoff) & (r > 0.0)], r[(r < cutoff) & (r > 0.0)]
        s6 = (sigma / r)**6
        values.energies[i] = np.sum(2.0 * epsilon * (s6 * s6 - s6))
        f = (24.0 * epsilon * (2.0 * s6 * s6 - s6) / r**2)[:, None] * d
        values.forces[i] = -np.sum(f, axis=0)
        values.virials[i] = 0.5 * np.einsum("ka,kb->ab", d, f)
    return values


@pytest.mark.parametrize("way", (WAYS[0], WAYS[2], WAYS[4], WAYS[6]), ids=str)
@pytest.mark.parametrize("first", ("deepmd", "lj/cut"))
def test_another_potential_is_added_by_hybrid_overlay(servers, tmp_path, way, first):
    model = MODELS["two-sided"]()
    atoms = atoms_for(model, 9)
    parts = [f"deepmd {write_model(tmp_path / 'model.pb', model)}", "lj/cut 3.0"]
    pair = " ".join(["hybrid/overlay", *(parts if first == "deepmd" else reversed(parts))])
    coeff = "pair_coeff * * deepmd O H\npair_coeff * * lj/cut 0.01 1.2"
    deep, lj = evaluate(model, atoms), lennard_jones(atoms, 0.01, 1.2, 3.0)
    both = Values(deep.energies + lj.energies, deep.forces + lj.forces, deep.virials + lj.virials, 0)
    analysis = ANALYSIS.replace("compute s all centroid/stress/atom NULL pair\n", "")
    analysis = re.sub(r"c_e c_s\[1\].*", "c_e", analysis).replace("c_ss[*]", "c_ss")
    found = compute(servers, way, tmp_path, system(write_data(tmp_path / "data", atoms, BOX, 2), pair, coeff), analysis,
                    "fx fy fz c_e")
    expect_agrees(both, found)


@pytest.mark.parametrize("way", (WAYS[1], WAYS[4]), ids=str)
def test_two_models_are_added_by_hybrid_overlay(servers, tmp_path, way):
    model, other = MODELS["two-sided"](), MODELS["one-sided"]()
    atoms = atoms_for(model, 9)
    files = [write_model(tmp_path / f"{number}.pb", one) for number, one in enumerate((model, other))]
    pair = f"hybrid/overlay deepmd {files[0]} deepmd {files[1]}"
    coeff = "pair_coeff * * deepmd 1 O H\npair_coeff * * deepmd 2 O H"
    first, second = evaluate(model, atoms), evaluate(other, atoms)
    both = Values(first.energies + second.energies, first.forces + second.forces, first.virials + second.virials, 0)
    expect_agrees(both, compute(servers, way, tmp_path, system(write_data(tmp_path / "data", atoms, BOX, 2), pair,
                                                               coeff)))


def test_without_the_suffix_the_remedy_is_named(installation, tmp_path):
    output = run_script(installation, "region b block 0 1 0 1 0 1\ncreate_box 1 b\npair_style deepmd x.pb\n", 1,
                        tmp_path).expect_failure()
    assert "deepmd-kit, whose plug-in is not loaded" in output and "suffix threadpool" in output


# ---- too many neighbors

OVERFLOWING = {"both types": Part(sel=(9, 7), one_sided=False), "one type": Part(sel=(60, 6)),
               "distances alone": Part(sel=(8, 60), radial=True)}


@pytest.mark.parametrize("case", OVERFLOWING)
@pytest.mark.parametrize("way", (WAYS[10], WAYS[2], WAYS[9]), ids=str)
def test_of_too_many_neighbors_the_nearest_are_taken_with_one_warning(servers, tmp_path, case, way):
    model = random_model(33, (OVERFLOWING[case],))
    atoms = atoms_for(model, 10, 40)
    expected = evaluate(model, atoms)
    assert expected.noverflows
    found = compute(servers, way, tmp_path, prepared(tmp_path, model, atoms), run="run 0\nrun 0\nrun 2")
    expect_agrees(expected, found)    # without a fix that moves them, atoms stay
    warnings = re.findall("WARNING.* more neighbors, of a type or all, than the model's 'sel'", found.output)
    assert 1 <= len(warnings) <= way.ranks


# ---- compression, precision, repetition


def test_a_compressed_model_has_the_results_of_the_original(servers, tmp_path):
    model = MODELS["hybrid of two"]()
    atoms = atoms_for(model, 11)
    found = [compute(servers, Way(2, 2), tmp_path, prepared(tmp_path, one, atoms))
             for one in (model, compressed(model))]
    expect_agrees(evaluate(model, atoms), found[1], forces=1e-9)
    assert not compare_snapshots(found[0].snapshot, found[1].snapshot, 1e-9)


@pytest.mark.parametrize("name", ("two-sided", "hybrid of two", "hybrid with distances", "compressed"))
@pytest.mark.parametrize("way,units", ((WAYS[0], METAL), (WAYS[2], METAL), (WAYS[6], SI)),
                         ids=lambda value: value.name if isinstance(value, Units) else str(value))
def test_mixed_precision_is_near(servers, tmp_path, name, way, units):
    model = MODELS[name]()
    atoms = atoms_for(model, 12)
    commands = prepared(tmp_path, model, atoms, units=units)
    variant = replace(way.variant, package=("precision", "mixed"))
    found = compute(servers, way, tmp_path, commands, variant=variant)
    expected = evaluate(model, atoms)
    expect_agrees(expected, found, units, forces=1e-5, energies=1e-7)
    assert np.max(np.abs(found.snapshot.forces / (units.ev / units.angstrom) - expected.forces)) > 1e-9


def heated(commands: str, step: float = 0.0005, temperature: float = 300.0) -> str:
    """The system with velocities and an integrator."""
    return f"{commands}velocity all create {temperature} 4711 loop geom\nfix integrate all nve\ntimestep {step}\n"


@pytest.mark.parametrize("way", (Way(1, 3), Way(3, 2, "p2p/rdma")), ids=str)
def test_the_same_run_twice_is_the_same_to_the_last_bit(servers, tmp_path, way):
    model = MODELS["hybrid of two"]()
    commands = heated(prepared(tmp_path, model, atoms_for(model, 13)))
    texts = []
    for attempt in range(2):
        (tmp_path / str(attempt)).mkdir()
        compute(servers, way, tmp_path / str(attempt), commands, run="run 20", columns=f"vx vy vz {PER_ATOM}")
        texts.append((tmp_path / str(attempt) / f"{way.variant}-{way.ranks}.dump").read_text())
    assert texts[0] == texts[1]


@pytest.mark.parametrize("name", ("two-sided", "compressed"))
def test_energy_is_conserved(servers, tmp_path, name):
    """Another potential keeps atoms apart, since the random one may attract them at any distance."""
    model = MODELS[name]()
    data = write_data(tmp_path / "data", atoms_for(model, 15, 24), BOX, 2)
    pair = f"hybrid/overlay deepmd {write_model(tmp_path / 'm.pb', model)} lj/cut {1.2 * 2**(1 / 6)}"
    coeff = "pair_coeff * * deepmd O H\npair_coeff * * lj/cut 0.2 1.2\npair_modify pair lj/cut shift yes"
    commands = heated(system(data, pair, coeff), 0.0002, 300.0) + "min_style cg\nminimize 0 0 50 200\n"
    found = compute(servers, Way(2, 1, "p2p/rdma"), tmp_path, commands,
                    "velocity all create 300 4711 loop geom\nthermo_style custom step etotal ke pe\n"
                    "thermo_modify norm no format float %.17g\nthermo 5\n", "fx fy fz", run="run 500")
    total, potential = (found.thermo[-1].columns[column] for column in ("TotEng", "PotEng"))
    assert np.ptp(potential) > 0.05
    assert np.ptp(total) < 2e-3 * np.ptp(potential), (np.ptp(total), np.ptp(potential))


# ---- what scripts do

SCENARIOS = {
    "minimize": "min_style cg\nminimize 0 0 10 100\n",
    "npt": "unfix integrate\nfix integrate all npt temp 300 300 0.05 aniso 0 0 0.5\nrun 20\n",
    "box changes": "run 5\nchange_box all x scale 1.1 y scale 1.05 remap units box\nrun 5\n",
    "atoms are deleted": "run 5\ngroup gone id 3 8 21\ndelete_atoms group gone compress no\nrun 5\n",
    "rerun": "dump d all custom 2 {folder}/{name}.trajectory id type x y z\ndump_modify d format float %.17g sort id\n"
             "run 10\nundump d\nrerun {folder}/{name}.trajectory dump x y z\n",
    "another model": "run 3\npair_style deepmd {folder}/other.pb\npair_coeff * * H O\nrun 3\n",
    "scaled by fix adapt": "variable half equal 0.5+0.01*step\nfix half all adapt 1 pair deepmd scale * * v_half\n"
                           "run 6\n",
}


def scenario_result(servers, way: Way, folder: Path, commands: str, scenario: str) -> Result:
    text = SCENARIOS[scenario].replace("{folder}", str(folder)).replace("{name}", f"{way}")
    (folder / str(way)).mkdir()
    return compute(servers, way, folder / str(way), heated(commands),
                   "thermo_style custom step pe ke press pxx pyy pzz pxy vol\n"
                   "thermo_modify norm no format float %.17g\nthermo 1\n", "vx vy vz fx fy fz", run=text)


@pytest.mark.parametrize("way", (Way(2, 2, "p2p/rdma"), Way(3, 1, "brick")), ids=str)
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_what_scripts_do_does_not_depend_on_ranks_and_threads(servers, tmp_path, scenario, way):
    model = MODELS["two-sided"]()
    atoms = atoms_for(model, 16)
    write_model(tmp_path / "other.pb", random_model(34))
    commands = prepared(tmp_path, model, atoms)
    expected, found = (scenario_result(servers, one, tmp_path, commands, scenario) for one in (ONE, way))
    assert len(expected.thermo) == len(found.thermo) > 0
    for one, other in zip(expected.thermo, found.thermo):
        for column, values in one.columns.items():
            np.testing.assert_allclose(other.columns[column], values, rtol=1e-9, atol=1e-8, err_msg=column)
    assert not compare_snapshots(expected.snapshot, found.snapshot, 1e-8, 1.0, ("vx", "vy", "vz", "fx", "fy", "fz"))


def test_forces_and_energy_are_scaled_by_fix_adapt(servers, tmp_path):
    model = MODELS["two-sided"]()
    atoms = atoms_for(model, 16)
    commands = prepared(tmp_path, model, atoms)
    found = compute(servers, Way(2, 2), tmp_path, commands, run="variable third equal 0.3\n"
                    "fix third all adapt 1 pair deepmd scale * * v_third\nrun 0")
    whole = evaluate(model, atoms)
    expect_agrees(Values(0.3 * whole.energies, 0.3 * whole.forces, 0.3 * whole.virials, 0), found)


@pytest.mark.parametrize("way", (Way(1, 2), Way(2, 1)), ids=str)
def test_a_run_continues_from_a_restart_file_to_the_last_bit(servers, tmp_path, way):
    model = MODELS["two-sided"]()
    pair = f"pair_style deepmd {write_model(tmp_path / 'm.pb', model)}\npair_coeff * *\n"
    data = write_data(tmp_path / "data", atoms_for(model, 17), BOX, 2)
    commands = heated(system(data, f"deepmd {tmp_path / 'm.pb'}")) + "thermo 1\n"
    columns = "vx vy vz fx fy fz"
    end = "run 10\n" + dump(tmp_path / "{}.dump", columns=columns)
    script = "\n".join([way.variant.command, commands, f"run 10\nwrite_restart {tmp_path / 'restart'}",
                        end.format("straight"), "clear", way.variant.command, "atom_modify map array",
                        f"read_restart {tmp_path / 'restart'}", pair, "neighbor 0.5 bin",
                        "neigh_modify every 1 delay 0 check yes\nfix integrate all nve\nthermo 1",
                        "thermo_modify norm no format float %.17g",
                        end.format("restarted")])
    servers.server(way.ranks, way.variant).run(script)
    assert (tmp_path / "straight.dump").read_text() == (tmp_path / "restarted.dump").read_text()


# ---- uneven ranks


def atoms_in_a_third() -> Atoms:
    """Atoms in a third of the long box."""
    atoms = random_atoms(18, 40, np.diag([7.0, 6.0, 6.5]))
    return replace(atoms, x=atoms.x + (1.0, 0.0, 0.0), cell=LONG)


@pytest.mark.parametrize("ranks,threads", ((2, 1), (2, 3), (3, 2)))
@pytest.mark.parametrize("name", ("two-sided", "hybrid with distances"))
def test_other_ranks_compute_atoms_of_a_full_one(servers, tmp_path, name, ranks, threads):
    model = MODELS[name]()
    atoms = atoms_in_a_third()
    way = Way(ranks, threads, "p2p/rdma")
    commands = "processors * 1 1\n" + heated(prepared(tmp_path, model, atoms, cell=LONG))
    analysis = re.sub(r"c_e c_s\[1\].*", "c_e", ANALYSIS.replace("compute s all centroid/stress/atom NULL pair\n", ""))
    analysis = analysis.replace("c_ss[*]", "c_ss") + "thermo 1\n"
    results = []
    for fix, shares in (("", ""), ("fix ring all ring/balance 1 1.0\n", shares_of(ranks))):
        results.append(compute(servers, way, tmp_path, commands, analysis, "fx fy fz c_e",
                               run=f"{fix}run 0\n{dump(tmp_path / 'start', columns='fx fy fz c_e')}\n{shares}\nrun 10"))
        start = Result(results[-1].thermo[:1], read_snapshot(tmp_path / "start"), "")
        expect_agrees(evaluate(model, atoms), start)
    without, ring = results
    assert read_shares(ring.output)[0].handed_over > 0
    assert not compare_snapshots(without.snapshot, ring.snapshot, 1e-9, 1.0, ("fx", "fy", "fz", "c_e"))
    assert not compare_thermo(without.thermo, ring.thermo, Tolerance(ceiling=1e-9), "metal", without.snapshot)


def test_stresses_of_atoms_that_another_rank_computes(servers, tmp_path):
    model = MODELS["two-sided"]()
    atoms = atoms_in_a_third()
    commands = "processors * 1 1\n" + prepared(tmp_path, model, atoms, cell=LONG)
    found = compute(servers, Way(2, 2, "p2p/rdma"), tmp_path, commands, run="fix ring all ring/balance 1 1.0\nrun 0")
    expect_agrees(evaluate(model, atoms), found)


# ---- parameters


@pytest.mark.parametrize("way", (WAYS[0], WAYS[2], WAYS[9]), ids=str)
@pytest.mark.parametrize("nframe,natom", ((1, 0), (0, 2), (2, 1)))
def test_parameters_of_frame_and_atoms(servers, tmp_path, nframe, natom, way):
    model = random_model(40, (Part(),), nframe=nframe, natom=natom)
    atoms = atoms_for(model, 19)
    frame, atom = (0.7, -0.4)[:nframe], (0.2, 1.1)[:natom]
    words = " ".join(f"{name} {' '.join(map(str, numbers))}" for name, numbers in (("fparam", frame), ("aparam", atom))
                     if numbers)
    found = compute(servers, way, tmp_path, prepared(tmp_path, model, atoms, words))
    expect_agrees(evaluate(model, atoms, frame, atom), found)


def test_parameters_that_are_given_again_replace_the_earlier_ones(servers, tmp_path):
    model = random_model(40, (Part(),), nframe=1, natom=1)
    atoms = atoms_for(model, 19)
    found = compute(servers, Way(2, 2), tmp_path, prepared(tmp_path, model, atoms, "fparam 0.7 aparam 0.2"),
                    run=f"run 0\npair_style deepmd {tmp_path}/model.pb fparam -0.4 aparam 1.3\npair_coeff * *\nrun 0")
    expect_agrees(evaluate(model, atoms, (-0.4,), (1.3,)), found)


def test_a_vector_of_a_compute_is_the_parameters_of_the_frame(servers, tmp_path):
    model = random_model(41, (Part(),), nframe=3)
    atoms = atoms_for(model, 20)
    commands = prepared(tmp_path, model, atoms, "fparam_from_compute center")
    found = compute(servers, Way(2, 2), tmp_path, f"{commands}group some id 1:7\ncompute center some com")
    expect_agrees(evaluate(model, atoms, np.mean(atoms.x[:7], axis=0)), found)


@pytest.mark.parametrize("every", (1, 8))
def test_a_compute_that_changes_is_the_parameter_of_each_step(servers, tmp_path, every):
    """Forces of the last step, and velocities, must not depend on how often thermo output is written."""
    model = random_model(42, (Part(),), nframe=1)
    model.frame = np.array([[300.0], [0.01]])
    atoms = atoms_for(model, 21)
    commands = heated(prepared(tmp_path, model, atoms, "fparam_from_compute t")) + "compute t all temp\n"
    # temperature at the time of the forces is that of the half step
    found = compute(servers, ONE, tmp_path, commands, f"thermo_style custom step pe\nthermo {every}\n"
                    "thermo_modify norm no format float %.17g\n", "vx vy vz fx fy fz",
                    run="run 8")
    x, v, f = (found.snapshot.vectors(*names) for names in (("x", "y", "z"), ("vx", "vy", "vz"), ("fx", "fy", "fz")))
    mvv2e, ftm2v, boltz = 1.0364269e-4, 1.0 / 1.0364269e-4, 8.617343e-5
    half = v - 0.5 * 0.0005 * ftm2v * f / 20.0
    temperature = mvv2e * 20.0 * np.sum(half**2) / ((3 * len(x) - 3) * boltz)
    expected = evaluate(model, replace(atoms, x=x), (temperature,))
    np.testing.assert_allclose(f, expected.forces, rtol=0, atol=1e-9)


# ---- several models


@dataclass
class Deviation:
    """One row of the file of deviations."""

    step: int
    numbers: np.ndarray
    by_atom: np.ndarray


def read_deviations(path: Path, natoms: int) -> List[Deviation]:
    """Rows of a file of deviations, whose header must be as usual."""
    head, *lines = path.read_text().splitlines()
    names = ["#", "step", *(f"{which}_devi_{what}" for what in "vf" for which in ("max", "min", "avg"))]
    assert head.split() == names + (["atm_devi_f(N)"] if natoms else [])
    assert all(len(line) == 12 + 19 * (6 + natoms) for line in lines)
    rows = [line.split() for line in lines]
    return [Deviation(int(row[0]), np.array(row[1:7], float), np.array(row[7:], float)) for row in rows]


def deviations(values: List[Values], relative: Optional[float], relative_virial: Optional[float]) -> tuple:
    """The six numbers of a row, and the deviation of the force on each atom."""
    forces = np.stack([one.forces for one in values])
    virials = np.stack([one.virial for one in values]) / forces.shape[1]
    f = np.sqrt(np.mean(np.sum((forces - np.mean(forces, axis=0))**2, axis=2), axis=0))
    v = np.std(virials, axis=0)
    if relative is not None:
        f = f / (np.linalg.norm(np.mean(forces, axis=0), axis=1) + relative)
    if relative_virial is not None:
        v = v / (np.abs(np.mean(virials, axis=0)) + relative_virial)
    return np.array([v.max(), v.min(), np.sqrt(np.mean(v * v)), f.max(), f.min(), f.mean()]), f


DEVIATIONS = {
    "each step": ("out_freq 1", 1, 1, None, None),
    "steps without other output": ("out_freq 2", 2, 5, None, None),
    "by atom": ("out_freq 3 atomic", 3, 3, None, None),
    "relative": ("out_freq 2 relative 0.8 relative_v 0.3 atomic", 2, 10, 0.8, 0.3),
}


@pytest.mark.parametrize("way", (WAYS[0], WAYS[2], WAYS[4]), ids=str)
@pytest.mark.parametrize("case", DEVIATIONS)
def test_deviation_of_several_models(servers, tmp_path, case, way):
    words, freq, thermo, relative, relative_virial = DEVIATIONS[case]
    models = [random_model(seed, (replace(BOTH, rcut=3.0),)) for seed in (50, 51, 52)]
    atoms = atoms_for(models[0], 22)
    files = " ".join(str(write_model(tmp_path / f"{k}.pb", model)) for k, model in enumerate(models))
    pair = f"deepmd {files} {words} out_file {tmp_path / 'devi.out'}"
    commands = heated(system(write_data(tmp_path / "data", atoms, BOX, 2), pair))
    each = (f"dump each all custom 1 {tmp_path / 'step'}.*.dump id x y z fx fy fz\n"
            "dump_modify each sort id format float %.17g\n")
    compute(servers, way, tmp_path, commands + each, f"thermo {thermo}\n", "fx fy fz", run="run 10\nundump each")
    rows = read_deviations(tmp_path / "devi.out", atoms.natoms if "atomic" in words else 0)
    assert [row.step for row in rows] == list(range(0, 11, freq))
    for row in rows:
        snapshot = read_snapshot(tmp_path / f"step.{row.step}.dump")
        there = replace(atoms, x=snapshot.vectors("x", "y", "z"))
        values = [evaluate(model, there) for model in models]
        np.testing.assert_allclose(snapshot.forces, values[0].forces, rtol=0, atol=1e-10)
        numbers, by_atom = deviations(values, relative, relative_virial)
        np.testing.assert_allclose(row.numbers, numbers, rtol=2e-6, err_msg=f"step {row.step}")
        if "atomic" in words:
            np.testing.assert_allclose(row.by_atom, by_atom, rtol=2e-6)


def test_the_first_of_several_models_moves_atoms(servers, tmp_path):
    models = [random_model(seed) for seed in (53, 54)]
    atoms = atoms_for(models[0], 23)
    files = " ".join(str(write_model(tmp_path / f"{k}.pb", model)) for k, model in enumerate(models))
    pair = f"deepmd {files} out_freq 1 out_file {tmp_path / 'devi.out'}"
    found = compute(servers, Way(2, 2), tmp_path, system(write_data(tmp_path / "data", atoms, BOX, 2), pair))
    expect_agrees(evaluate(models[0], atoms), found)


def test_deviation_of_atoms_that_another_rank_computes(servers, tmp_path):
    models = [random_model(seed, (replace(BOTH, rcut=3.0),)) for seed in (50, 51)]
    atoms = atoms_in_a_third()
    files = " ".join(str(write_model(tmp_path / f"{k}.pb", model)) for k, model in enumerate(models))
    pair = f"deepmd {files} out_freq 1 atomic out_file {tmp_path / 'devi.out'}"
    commands = "processors * 1 1\n" + system(write_data(tmp_path / "data", atoms, LONG, 2), pair)
    found = compute(servers, Way(2, 2, "p2p/rdma"), tmp_path, commands, "", "fx fy fz",
                    run="fix ring all ring/balance 1 1.0\nrun 0")
    values = [evaluate(model, atoms) for model in models]
    np.testing.assert_allclose(found.snapshot.forces, values[0].forces, rtol=0, atol=1e-10)
    (row,) = read_deviations(tmp_path / "devi.out", atoms.natoms)
    numbers, by_atom = deviations(values, None, None)
    np.testing.assert_allclose(row.numbers, numbers, rtol=2e-6)
    np.testing.assert_allclose(row.by_atom, by_atom, rtol=2e-6)


# ---- errors


def with_options(model: DeepModel, **changes) -> bytes:
    """File of a model whose training script has other options; `a__b=value` changes model.a.b."""
    script = copy.deepcopy(training_script(model))
    for path, value in changes.items():
        *way, last = path.split("__")
        section = script["model"]
        for name in way:
            section = section.setdefault(name, {})
        section[last] = value
    return graph(model, script)


def without_nets(model: DeepModel) -> bytes:
    """File of a model that has lost its embedding nets."""
    return graph(replace(model, descriptors=[replace(one, nets={}) for one in model.descriptors]))


@dataclass(frozen=True)
class Wrong:
    """Something wrong: bytes of the file (None: there is no file), more words of pair_style, and other commands."""

    words: Sequence[str]
    content: Optional[bytes] = b"good"
    pair: str = ""
    coeff: str = "pair_coeff * *"
    units: str = "metal"
    start: str = ""
    end: str = ""


GOOD = random_model(60, (Part(rcut=3.0, sel=(30, 30), neuron=(4, 8)),))
FILE = graph(GOOD)
WRONG = {
    "truncated inside": Wrong(["model.pb", "damaged"], FILE[:len(FILE) // 2]),
    "truncated near the end": Wrong(["model.pb", "damaged"], FILE[:-20]),
    "truncated near the start": Wrong(["model.pb"], FILE[:40]),
    "text": Wrong(["model.pb", "damaged, or no graph"], b"This is a text, but no model.\n" * 50),
    "graph as text": Wrong(["model.pb", "dp convert-from pbtxt"], b"node {\n  name: \"t_coord\"\n}\n"),
    "model of pytorch": Wrong(["model.pb", "damaged"], b"PK\003\004" + bytes(100)),
    "empty": Wrong(["model.pb", "empty"], b""),
    "missing": Wrong(["model.pb", "No such file"], None),
    "another graph": Wrong(["model.pb", "not a model of deepmd-kit"],
                           b"\x0a\x09\x0a\x01a\x12\x04NoOp"),
    "zeros": Wrong(["model.pb"], bytes(1000)),
    "parameters that it does not have": Wrong(["model.pb", "0 parameters of the frame", "got 2"], pair="fparam 1 2"),
    "too few parameters": Wrong(["3 parameters of the frame", "got 2"], graph(random_model(61, nframe=3)),
                                "fparam 1 2"),
    "no parameters of atoms": Wrong(["1 parameters of each atom", "got 0"], graph(random_model(61, natom=1))),
    "unknown type": Wrong(["no type Xx", "O H"], coeff="pair_coeff * * O Xx"),
    "more names than types": Wrong(["3 names", "2 atom types"], coeff="pair_coeff * * O H O"),
    "pair_coeff of one type": Wrong(["* *"], coeff="pair_coeff 1 1 O"),
    "unknown keyword": Wrong(["Unknown", "colour"], pair="out_freq 10 colour red"),
    "keyword without value": Wrong(["Illegal", "out_freq"], pair="out_freq"),
    "ttm": Wrong(["ttm", "suffix off"], pair="ttm hot"),
    "both kinds of parameters": Wrong(["either fparam or fparam_from_compute"], graph(random_model(61, nframe=1)),
                                      "fparam 1 fparam_from_compute t"),
    "missing compute": Wrong(["Compute ID nowhere"], graph(random_model(61, nframe=1)), "fparam_from_compute nowhere"),
    "compute of another size": Wrong(["Compute t ", "3 values"], graph(random_model(61, nframe=3)),
                                     "fparam_from_compute t", end="compute t all temp"),
    "units lj": Wrong(["units lj", "metal or real"], units="lj"),
    "newton off": Wrong(["newton pair on"], start="newton off"),
    "stress of atoms": Wrong(["centroid/stress/atom"],
                             end="compute s all stress/atom NULL\ncompute r all reduce sum c_s[1]\n"
                             "thermo_style custom step c_r"),
    "se_atten": Wrong(["se_atten", "suffix off"], with_options(GOOD, descriptor__type="se_atten")),
    "dpa2": Wrong(["dpa2", "suffix off"], with_options(GOOD, descriptor__type="dpa2")),
    "se_e3": Wrong(["se_e3", "suffix off"], with_options(GOOD, descriptor__type="se_e3")),
    "embedding of types": Wrong(["type_embedding", "suffix off"], with_options(GOOD, type_embedding={"neuron": [2]})),
    "spins": Wrong(["spin", "suffix off"], with_options(GOOD, spin={"use_spin": [True]})),
    "polar": Wrong(["polar", "suffix off"], with_options(GOOD, fitting_net__type="polar")),
    "unknown activation": Wrong(["swoosh", "suffix off"],
                                with_options(GOOD, fitting_net__activation_function="swoosh")),
    "options that are no options": Wrong(["options", "not understood"],
                                         with_options(GOOD, descriptor__exclude_types=3)),
    "no embedding nets": Wrong(["embedding net", "empty", "original model"], without_nets(GOOD)),
    "another axis": Wrong(["model is damaged", "fitting net"], with_options(GOOD, descriptor__axis_neuron=5)),
    "model of another framework": Wrong(["model.pb", "damaged", "HDF5"], b"\x89HDF\r\n\x1a\n" + bytes(500)),
    "se_atten in a hybrid descriptor of TensorFlow": Wrong(
        ["se_atten_v2", "graph of TensorFlow", "suffix off"],
        with_options(GOOD, descriptor__type="hybrid", descriptor__list=[{"type": "se_atten_v2", "attn_layer": 0}])),
    "models that differ": Wrong(["different types"], FILE, "{other}"),
}


@pytest.mark.full
@pytest.mark.parametrize("ranks", (1, 2))
@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_explained(installation, tmp_path, case, ranks):
    wrong = WRONG[case]
    if wrong.content is not None:
        (tmp_path / "model.pb").write_bytes(FILE if wrong.content == b"good" else wrong.content)
    write_model(tmp_path / "other.pb", replace(GOOD, types=("O", "D")))
    data = write_data(tmp_path / "data", random_atoms(24, 10, BOX), BOX, 2)
    commands = system(data, f"deepmd model.pb {wrong.pair}".replace("{other}", "other.pb"), wrong.coeff)
    commands = commands.replace("units metal\n", f"units {wrong.units}\n{wrong.start}\n")
    script = f"{threadpool(1).command}\n{commands}{wrong.end}\nrun 1\n"
    output = run_script(installation, script, ranks, tmp_path, timeout=60.0).expect_failure()
    message = next((line for line in output.splitlines() if line.startswith("ERROR")), output)
    assert all(word in message for word in wrong.words), message


# ---- with deepmd-kit itself


def convert(deepmd, source: Path, path: Path) -> Path:
    """Convert a graph as text to the usual format."""
    subprocess.run([deepmd.folder / "bin" / "dp", "convert-from", "pbtxt", "-i", source, "-o", path], check=True,
                   capture_output=True, env=environment_of(deepmd))
    return path


def environment_of(deepmd) -> Dict[str, str]:
    """Variables with which its programs run."""
    return {**os.environ, **deepmd.variables}


@pytest.fixture(scope="module")
def water(deepmd, tmp_path_factory):
    """Both models of deepmd-kit's test of its pair style, and the values of that test."""
    folder = tmp_path_factory.mktemp("water")
    models = [convert(deepmd, deepmd.tests.parents[1] / "tests" / "infer" / f"{name}.pbtxt", folder / f"{name}.pb")
              for name in ("deeppot", "deeppot-1")]
    values = assignments((deepmd.tests / "test_lammps.py").read_text())
    return models, values


def values_of(energies, forces, virials) -> Values:
    """deepmd-kit's numbers; its virials of atoms have the components of the force first."""
    return Values(np.array(energies), np.array(forces).reshape(-1, 3),
                  np.array(virials).reshape(-1, 3, 3).transpose(0, 2, 1), 0)


@pytest.mark.deepmd
@pytest.mark.parametrize("way", (WAYS[0], WAYS[2], WAYS[6]), ids=str)
@pytest.mark.parametrize("coeff", ("pair_coeff * *", "pair_coeff * * H O"))
def test_deepmd_kits_own_numbers_for_water(servers, water, tmp_path, coeff, way):
    models, values = water
    types = values["type_HO"] if "H O" in coeff else values["type_OH"]
    cell = np.diag([13.0, 13.0, 13.0])
    atoms = Atoms(values["coord"], np.array(types) - 1, cell)
    found = compute(servers, way, tmp_path, system(write_data(tmp_path / "data", atoms, cell, 2), f"deepmd {models[0]}",
                                                   coeff))
    expect_agrees(values_of(values["expected_ae"], values["expected_f"], values["expected_v"]), found, forces=1e-9)


@pytest.mark.deepmd
@pytest.mark.parametrize("relative", ("", "relative 1.0", "relative_v 1.0"))
def test_deepmd_kits_own_deviation_of_two_models(servers, water, tmp_path, relative):
    models, values = water
    cell = np.diag([13.0, 13.0, 13.0])
    atoms = Atoms(values["coord"], np.array(values["type_OH"]) - 1, cell)
    pair = f"deepmd {models[0]} {models[1]} out_freq 1 atomic out_file {tmp_path / 'devi.out'} {relative}"
    compute(servers, Way(2, 2), tmp_path, system(write_data(tmp_path / "data", atoms, cell, 2), pair))
    (row,) = read_deviations(tmp_path / "devi.out", 6)
    both = [values_of(np.zeros(6), values[f"expected_f{k}"], values[f"expected_v{k}"]) for k in ("", "2")]
    numbers, by_atom = deviations(both, *(1.0 if relative == f"{name} 1.0" else None
                                          for name in ("relative", "relative_v")))
    np.testing.assert_allclose(row.numbers, numbers, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(row.by_atom, by_atom, rtol=1e-6)


def numbers_of(source: str, name: str) -> np.ndarray:
    """The numbers of an array in a C++ file."""
    body = re.search(rf"> {name} = \{{([^}}]*)\}}", source).group(1)
    return np.array([float(word) for word in body.split(",")])


@pytest.mark.deepmd
@pytest.mark.parametrize("way", (WAYS[0], WAYS[2]), ids=str)
def test_deepmd_kits_own_numbers_with_parameters(servers, deepmd, tmp_path, way):
    sources = deepmd.tests.parents[1]
    model = convert(deepmd, sources / "tests" / "infer" / "fparam_aparam.pbtxt", tmp_path / "m.pb")
    text = (sources / "api_cc" / "tests" / "test_deeppot_a_fparam_aparam.cc").read_text()
    cell = np.diag([13.0, 13.0, 13.0])
    atoms = Atoms(numbers_of(text, "coord").reshape(-1, 3), np.zeros(6, int), cell)
    pair = f"deepmd {model} fparam {numbers_of(text, 'fparam')[0]} aparam {numbers_of(text, 'aparam')[0]}"
    found = compute(servers, way, tmp_path, system(write_data(tmp_path / "data", atoms, cell, 1), pair))
    expected = values_of(*(numbers_of(text, f"expected_{name}") for name in "efv"))
    expect_agrees(expected, found, forces=1e-9, energies=1e-9)


@pytest.mark.deepmd
def test_deepmd_kits_own_numbers_of_distances_alone(servers, deepmd, tmp_path):
    sources = deepmd.tests.parents[1]
    model = convert(deepmd, sources / "tests" / "infer" / "deeppot-r.pbtxt", tmp_path / "m.pb")
    text = (sources / "api_cc" / "tests" / "test_deeppot_r.cc").read_text()
    cell = np.diag([13.0, 13.0, 13.0])
    atoms = Atoms(numbers_of(text, "coord").reshape(-1, 3), numbers_of(text, "atype").astype(int), cell)
    found = compute(servers, Way(2, 2), tmp_path,
                    system(write_data(tmp_path / "data", atoms, cell, 2), f"deepmd {model}"))
    expected = values_of(*(numbers_of(text, f"expected_{name}") for name in "efv"))
    expect_agrees(expected, found, forces=1e-9)


@pytest.fixture(scope="module")
def common_models(deepmd, tmp_path_factory):
    """Folder with models of deepmd-kit's classes, the energies that they give for some configurations, and those."""
    folder = tmp_path_factory.mktemp("common")
    atoms = random_atoms(27, 24, BOX, 3, distance=1.2)
    moves = np.random.default_rng(28).normal(0.0, 0.1, (2, *atoms.x.shape))
    x = np.stack([atoms.x, *(atoms.x + moves)])
    np.savez(folder / "atoms.npz", x=x, types=atoms.types, cell=BOX)
    subprocess.run([deepmd.folder / "bin" / "python", Path(__file__).parent / "deepmd_common_models.py", folder],
                   check=True, env=environment_of(deepmd))
    return folder, atoms, x


@pytest.mark.deepmd
def test_models_in_the_common_format_have_the_energies_of_deepmd_kits_classes(servers, common_models, tmp_path):
    folder, atoms, configurations = common_models
    models = sorted(folder.glob("*.dp"))
    assert len(models) > 15
    for number, path in enumerate(models):
        expected = np.load(path.with_suffix(".npz"))["energies"]
        file = tmp_path / f"{number}.dp"    # the other names have spaces
        file.write_bytes(path.read_bytes())
        for k, x in enumerate(configurations):
            data = write_data(tmp_path / "data", replace(atoms, x=x), BOX, 3)
            found = compute(servers, WAYS[(number + k) % len(WAYS)], tmp_path, system(data, f"deepmd {file}"))
            np.testing.assert_allclose(found.snapshot.columns["c_e"], expected[k], rtol=1e-12, err_msg=path.stem)


@pytest.mark.deepmd
@pytest.mark.parametrize("framework", ("tensorflow", "pytorch"))
def test_trained_models_with_vectors_of_types_as_in_deepmd_kits_python(servers, deepmd, tmp_path, framework):
    """Models as a user has them, compressed and not, against the energies, forces and virials of the framework."""
    python = deepmd.python_of(framework)
    if not python.exists():
        pytest.skip("no PyTorch: python3 install_deepmd_kit.py FOLDER torch")
    atoms = random_atoms(29, 24, BOX, 3, distance=1.2)
    moves = np.random.default_rng(30).normal(0.0, 0.1, (2, *atoms.x.shape))
    x = np.stack([atoms.x, *(atoms.x + moves)])
    np.savez(tmp_path / "atoms.npz", x=x, types=atoms.types, cell=BOX)
    subprocess.run([python, Path(__file__).parent / "deepmd_trained_models.py", tmp_path, framework], check=True,
                   env=environment_of(deepmd))
    files = sorted({*tmp_path.glob("*.pb"), *tmp_path.glob("*.pth")})
    assert len(files) >= 6
    for number, path in enumerate(files):
        expected = np.load(path.with_suffix(".npz"))
        for k, configuration in enumerate(x):
            data = write_data(tmp_path / "data.lmp", replace(atoms, x=configuration), BOX, 3)
            found = compute(servers, WAYS[(number + k) % len(WAYS)], tmp_path, system(data, f"deepmd {path}"))
            of_framework = values_of(*(expected[name][k] for name in ("energies", "forces", "virials")))
            expect_agrees(of_framework, found)
            largest = np.abs(of_framework.forces).max()
            assert largest > 1e-3
            np.testing.assert_allclose(found.snapshot.forces, of_framework.forces, rtol=0, atol=1e-10 * largest,
                                       err_msg=path.name)


def with_both(installation, kit, folder: Path, commands: str, ranks: int = 2) -> List[Result]:
    """Results of deepmd-kit's style, and of that with the suffix."""
    results = []
    for name, first in (("theirs", f"plugin load {kit.plugin}\n"), ("ours", threadpool(2).command + "\n")):
        path = folder / f"{name}.dump"
        script = f"{first}{commands}run 0\n{dump(path, columns='fx fy fz c_e')}\n"
        output = run_script(installation, script, ranks, folder, environment=kit.variables).expect_success().output
        results.append(Result(read_thermo(output), read_snapshot(path), output))
    return results


@pytest.mark.deepmd
@pytest.mark.parametrize("ranks", (1, 2))
def test_bulk_water_as_with_deepmd_kits_own_style(installation, deepmd, tmp_path, ranks):
    """The model is a hybrid one in the same file as a model of Wannier centers, which are no atoms for it."""
    commands = f"""\
units metal
atom_style full
neighbor 2.0 bin
neigh_modify every 1 delay 0 check no exclude type 1 3
read_data {deepmd.bulk_water}
pair_style deepmd {deepmd.model}
pair_coeff * *
bond_style zero
bond_coeff *
special_bonds lj/coul 1 1 1 angle no
compute e all pe/atom
compute ee all reduce sum c_e
thermo_style custom step pe c_ee pxx pyy pzz pxy pxz pyz
thermo_modify format float %.17g
"""
    expect_same(*with_both(installation, deepmd, tmp_path, commands, ranks))


def expect_same(theirs: Result, ours: Result, energies: float = 1e-10, forces: float = 1e-9) -> None:
    """Expect the same forces, energies and pressures."""
    largest = max(1.0, np.abs(theirs.snapshot.forces).max())
    np.testing.assert_allclose(ours.snapshot.forces, theirs.snapshot.forces, rtol=0, atol=forces * largest)
    pressure = np.abs(theirs.thermo[0].columns["Pxx"]).max()
    for name, values in theirs.thermo[0].columns.items():
        scale = pressure if name.startswith("P") and name != "PotEng" else np.abs(values).max()
        np.testing.assert_allclose(ours.thermo[0].columns[name], values, rtol=0, atol=energies * max(scale, 1.0),
                                   err_msg=name)


@pytest.mark.deepmd
@pytest.mark.parametrize("units", (METAL, REAL), ids=lambda units: units.name)
def test_water_in_other_units_and_a_tilted_box_as_with_deepmd_kits_own_style(installation, deepmd, water, tmp_path,
                                                                             units):
    models, _ = water
    atoms = random_atoms(26, 40, 1.5 * TILTED)
    data = write_data(tmp_path / "data", atoms, 1.5 * TILTED, 2, units)
    commands = system(data, f"deepmd {models[0]}", units=units) + """\
compute e all pe/atom
compute ee all reduce sum c_e
thermo_style custom step pe c_ee pxx pyy pzz pxy pxz pyz
thermo_modify format float %.17g
"""
    expect_same(*with_both(installation, deepmd, tmp_path, commands))
