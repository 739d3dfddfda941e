# SPDX-License-Identifier: GPL-2.0-only
"""fix dplr with the suffix /threadpool: Wannier centers, forces and virials are those of the formulas, as deep_models.py
computes them with NumPy from the same models, and of LAMMPS' own PPPM for charges at the same places.

`-m deepmd` compares with deepmd-kit itself, see install_deepmd_kit.py.
"""

import re
from dataclasses import dataclass, field, replace
from math import pi, sqrt
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple

import numpy as np
import pytest

from deep_models import (NAMES, Atoms, DeepModel, Part, compressed, dipole_of, evaluate, graph, random_atoms,
                         random_model, write_model)
from deepmd_kit import ENVIRONMENT, DeepmdKit
from lammps_output import read_snapshot, read_thermo
from lammps_run import BRICK, run_script, threadpool
from small_systems import dump
from test_deep_potential import BOX, METAL, REAL, SI, TILTED, Units, Way

WAYS = tuple(Way(ranks, threads, style) for ranks, threads, style in (
    (1, 1, "brick"), (2, 1, "p2p_rdma"), (3, 2, "p2p_rdma"), (4, 3, "brick"), (2, 2, "brick"), (1, 3, "p2p_rdma"),
    (4, 1, "p2p_rdma"), (3, 1, "brick"), (1, 2, "brick"), (2, 3, "p2p_rdma")))


def dealt(names: Sequence[str], each: int = 1) -> List[tuple]:
    """Pairs of a name and a way: each name gets some ways, in turn."""
    pairs = [(name, WAYS[(each * number + 3 * k) % len(WAYS)]) for number, name in enumerate(names)
             for k in range(each)]
    return [pytest.param(name, way, id=f"{name}-{way}") for name, way in pairs]


# ---- models

TWO_SIDED = Part(one_sided=False)
DIPOLES = random_model(71, (replace(TWO_SIDED, axis=3),), selected=(0,))


@dataclass(frozen=True)
class Models:
    """A model of energies and one of dipoles.

    Args:
        apart: whether they are in two files.
    """

    energies: DeepModel
    dipoles: DeepModel
    apart: bool = False

    def write(self, folder: Path) -> Tuple[Path, Path]:
        """Files for pair_style deepmd and for fix dplr."""
        if self.apart:
            return (write_model(folder / "energies.pb", self.energies),
                    write_model(folder / "dipoles.pb", self.dipoles))
        file = write_model(folder / "dplr.pb", self.energies, wannier=self.dipoles)
        return file, file


MODELS = {
    "two-sided": lambda: Models(random_model(70, (TWO_SIDED,)), DIPOLES),
    "one-sided": lambda: Models(random_model(72), random_model(73, (Part(),), selected=(0,))),
    "hybrid energies": lambda: Models(random_model(74, (TWO_SIDED,), hybrid=True), DIPOLES),
    "two files": lambda: Models(random_model(70, (TWO_SIDED,)), DIPOLES, apart=True),
    "dipoles look further": lambda: Models(random_model(75, (replace(TWO_SIDED, rcut=3.0),)), DIPOLES),
    "dipoles look less far": lambda: Models(
        random_model(70, (TWO_SIDED,)), random_model(76, (Part(rcut=2.8, neuron=(6, 12)),), selected=(0,))),
    "hydrogen has centers": lambda: Models(random_model(70, (TWO_SIDED,)), random_model(77, (TWO_SIDED,),
                                                                                        selected=(1,))),
    "both types have centers": lambda: Models(random_model(70, (TWO_SIDED,)), random_model(
        78, (replace(TWO_SIDED, resnet_dt=True),), selected=(0, 1))),
    "three types": lambda: Models(
        random_model(79, (replace(TWO_SIDED, sel=(40, 30, 35)),), types=NAMES),
        random_model(80, (Part(sel=(40, 30, 35), excluded=((0, 2),)),), types=NAMES, selected=(0, 2))),
    "single precision": lambda: Models(random_model(81, (TWO_SIDED,), single_precision=True),
                                       random_model(82, (TWO_SIDED,), single_precision=True, selected=(0,))),
    "compressed": lambda: Models(compressed(random_model(70, (TWO_SIDED,))), compressed(DIPOLES)),
}

# ---- systems

CHARGES = (1.0, 0.6, 0.8)
"""Of atoms by type of the model."""

COULOMB = {"metal": 14.399645, "real": 332.06371, "si": 8.9876e9}
FIELD = {"metal": 1.0, "real": 23.060549, "si": 1.0}
"""Force on a unit charge in a field of one."""

GEWALD = 0.40


@dataclass
class System:
    """Atoms, and Wannier centers of some types.

    Args:
        hosts: number of the atom that each center belongs to.
        start: places of the centers in the data file.
    """

    atoms: Atoms
    hosts: np.ndarray
    start: np.ndarray
    ntypes: int
    units: Units = METAL
    charge_of: Dict[str, float] = field(default_factory=lambda: {"metal": 1.0, "real": 1.0, "si": 1.602176634e-19})

    @classmethod
    def random(cls, seed: int, selected: Sequence[int], ntypes: int = 2, natoms: int = 24, cell: np.ndarray = BOX,
               units: Units = METAL) -> "System":
        """Centers begin anywhere near their atoms."""
        atoms = random_atoms(seed, natoms, cell, ntypes)
        hosts = np.flatnonzero(np.isin(atoms.types, selected))
        start = atoms.x[hosts] + np.random.default_rng(seed).uniform(-0.4, 0.4, (len(hosts), 3))
        return cls(atoms, hosts, start, ntypes, units)

    @property
    def center_types(self) -> Dict[int, int]:
        """LAMMPS' type of the centers of each type of the model."""
        return {kind: self.ntypes + 1 + number for number, kind in enumerate(sorted(set(self.atoms.types[self.hosts])))}

    @property
    def charges(self) -> np.ndarray:
        """Of atoms and centers, neutral in sum; unit charges."""
        q = np.array(CHARGES)[self.atoms.types]
        return np.concatenate([q, np.full(len(self.hosts), -np.sum(q) / len(self.hosts))])

    def write(self, path: Path, places: Optional[np.ndarray] = None, tilts: bool = False) -> Path:
        """Write a data file; `places` are those of the centers."""
        unit, atoms = self.units.angstrom, self.atoms
        x = np.concatenate([atoms.x, self.start if places is None else places]) * unit
        types = [*(atoms.types + 1), *(self.center_types[atoms.types[host]] for host in self.hosts)]
        cell, q = atoms.cell * unit, self.charges * self.charge_of[self.units.name]
        n = atoms.natoms
        lines = ["atoms and Wannier centers", "", f"{len(x)} atoms", f"{len(self.hosts)} bonds",
                 f"{self.ntypes + len(self.center_types)} atom types", "1 bond types"]
        lines += [f"0 {float(cell[k, k])!r} {dim}lo {dim}hi" for k, dim in enumerate("xyz")]
        if tilts or np.any(cell - np.diag(np.diag(cell))):
            lines.append(f"{float(cell[1, 0])!r} {float(cell[2, 0])!r} {float(cell[2, 1])!r} xy xz yz")
        lines += ["", "Atoms # full", ""]
        lines += [f"{i + 1} 0 {types[i]} {float(q[i])!r} {' '.join(repr(float(v)) for v in x[i])}" for i in
                  range(len(x))]
        # every second bond is stored with the center
        pairs = [(host + 1, n + k + 1) for k, host in enumerate(self.hosts)]
        lines += ["", "Bonds", ""] + [f"{k + 1} 1 {a} {b}" if k % 2 else f"{k + 1} 1 {b} {a}" for k, (a, b) in
                                      enumerate(pairs)]
        path.write_text("\n".join(lines) + "\n")
        return path


def kspace(style: str, units: Units, mesh: str = "12 15 16", more: str = "") -> str:
    """A kspace style with given parameters."""
    fft = "" if style == "pppm" else "fft pencil"
    return (f"kspace_style {style} 1e-5\n"
            f"kspace_modify gewald {GEWALD / units.angstrom!r} diff ik mesh {mesh} {fft} {more}\n")


def commands(system: System, data: Path, files: Tuple[Path, Path], style: str = "pppm/dplr", *, options: str = "",
             coeff: str = "pair_coeff * *", mesh: str = "12 15 16", more: str = "") -> str:
    """Commands up to the fix."""
    units = system.units
    associated = " ".join(f"{kind + 1} {center}" for kind, center in system.center_types.items())
    centers = [f"exclude type {atom} {center}" for center in system.center_types.values()
               for atom in range(1, system.ntypes + 1)]
    return f"""\
units {units.name}
atom_style full
atom_modify map array
read_data {data}
mass * 20.0
pair_style deepmd {files[0]}
{coeff}
bond_style zero
bond_coeff *
special_bonds lj/coul 1 1 1 angle no
neighbor {0.5 * units.angstrom} bin
neigh_modify every 1 delay 0 check yes {" ".join(centers)}
{kspace(style, units, mesh, more)}
group real type {" ".join(str(kind + 1) for kind in range(system.ntypes))}
fix wannier all dplr model {files[1]} type_associate {associated} bond_type 1 {options}
fix_modify wannier virial yes energy yes
thermo_modify norm no format float %.17g
"""


ANALYSIS = """\
compute p all pressure NULL virial
thermo_style custom step pe elong f_wannier c_p[*]
thermo_modify norm no format float %.17g
"""
PRESSURES = tuple(f"c_p[{k}]" for k in range(1, 7))
COMPONENTS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass
class Expected:
    """Energies, eV; forces on atoms, eV/Angstrom; virial, eV; places of centers, Angstrom."""

    energy: float
    kspace: float
    field_energy: float
    forces: np.ndarray
    virial: np.ndarray
    places: np.ndarray


def long_range(servers, folder: Path, system: System, places: np.ndarray, tilts: bool,
               mesh: str) -> Tuple[float, np.ndarray, np.ndarray]:
    """Energy without self energies, forces, and the virial that LAMMPS' own PPPM finds for all charges."""
    units = system.units
    data = system.write(folder / "charges.data", places, tilts)
    script = f"""\
{BRICK.command}
units {units.name}
atom_style full
atom_modify map array
read_data {data}
mass * 20.0
pair_style coul/long {3.0 * units.angstrom}
pair_coeff * *
bond_style zero
bond_coeff *
special_bonds coul 1 1 1
neighbor {0.5 * units.angstrom} bin
neigh_modify exclude group all all
{kspace("pppm", units, mesh)}
compute p all pressure NULL kspace
thermo_style custom step elong c_p[*]
thermo_modify norm no format float %.17g
run 0
{dump(folder / "charges.dump", columns="fx fy fz")}
"""
    output = servers.server(1, BRICK).run(script)
    row = {name: column[-1] for name, column in read_thermo(output)[-1].columns.items()}
    snapshot = read_snapshot(folder / "charges.dump")
    q = system.charges * system.charge_of[units.name]
    self_energy = COULOMB[units.name] * GEWALD / units.angstrom / sqrt(pi) * np.sum(q * q)
    volume = snapshot.volume / units.angstrom**3
    virial = np.array([row[name] for name in PRESSURES]) * volume * units.angstrom**3 / (units.ev * units.pressure)
    return ((row["E_long"] + self_energy) / units.ev, snapshot.forces / (units.ev / units.angstrom), virial)


def expected_values(servers, folder: Path, models: Models, system: System, efield: Sequence[float] = (0.0, 0.0, 0.0),
                    tilts: bool = False, mesh: str = "12 15 16") -> Expected:
    """What the fix and the styles together shall compute."""
    atoms, n = system.atoms, system.atoms.natoms
    dipoles = [dipole_of(models.dipoles, atoms, host) for host in system.hosts]
    moments = np.array([one.value for one in dipoles])
    places = atoms.x[system.hosts] + moments
    energy, electric, virial = long_range(servers, folder, system, places, tilts, mesh)
    deep = evaluate(models.energies, atoms)
    q = system.charges
    push = q[:, None] * np.array(efield)
    everywhere = np.concatenate([atoms.x, places])
    field_energy = -float(np.sum(push * everywhere))
    virial = virial + [deep.virial[a, b] + np.sum(push[:, a] * everywhere[:, b]) for a, b in COMPONENTS]
    electric = electric + push
    forces = deep.forces + electric[:n]
    for k, (one, host) in enumerate(zip(dipoles, system.hosts)):
        on_center = electric[n + k]
        f = one.forces_for(on_center)
        np.add.at(forces, one.owners, f)
        forces[host] += on_center - np.sum(f, axis=0)
        w = one.vectors.T @ f - np.outer(one.value, on_center)
        virial += [w[a, b] for a, b in COMPONENTS]
    return Expected(deep.energy + energy + field_energy, energy, field_energy, forces, virial, places)


def compute(servers, way: Way, folder: Path, script: str, run: str = "run 0", analysis: str = ANALYSIS,
            columns: str = "x y z fx fy fz", variant=None):
    """Run a script.

    Returns:
        Its thermo tables, the atoms at its end, and its output.
    """
    variant = variant or way.variant
    path = folder / f"{variant}-{way.ranks}.dump"
    text = "\n".join([variant.command, script, analysis, run, dump(path, columns=columns)])
    output = servers.server(way.ranks, variant).run(text)
    return read_thermo(output), read_snapshot(path), output


def expect(expected: Expected, system: System, thermo, snapshot, forces: float = 1e-10,
           energies: float = 1e-12) -> None:
    """Expect values of the reference."""
    units, n = system.units, system.atoms.natoms
    row = {name: column[-1] for name, column in thermo[-1].columns.items()}
    size = abs(expected.energy) + 50.0 * n
    np.testing.assert_allclose([row["PotEng"] / units.ev, row["E_long"] / units.ev, row["f_wannier"] / units.ev],
                               [expected.energy, expected.kspace, expected.field_energy], rtol=0, atol=energies * size)
    largest = max(1.0, np.max(np.abs(expected.forces)))
    f = snapshot.forces / (units.ev / units.angstrom)
    np.testing.assert_allclose(f[:n], expected.forces, rtol=0, atol=forces * largest)
    assert np.all(f[n:] == 0.0)
    wrap = (snapshot.vectors("x", "y", "z")[n:] / units.angstrom - expected.places) @ np.linalg.inv(system.atoms.cell)
    np.testing.assert_allclose(wrap - np.round(wrap), 0.0, atol=1e-12)
    virial = np.array([row[name] for name in PRESSURES]) * snapshot.volume / (units.ev * units.pressure)
    np.testing.assert_allclose(virial, expected.virial, rtol=0, atol=10.0 * forces * n * largest)


def dplr_system(models: Models, seed: int = 1, **options) -> System:
    """Random atoms for models."""
    return System.random(seed, models.dipoles.selected, len(models.energies.types), **options)


# ---- forces, energies, virials


@pytest.mark.parametrize("name", MODELS)
def test_dipoles_are_neither_tiny_nor_huge(name):
    models = MODELS[name]()
    system = dplr_system(models)
    lengths = [np.linalg.norm(dipole_of(models.dipoles, system.atoms, host).value) for host in system.hosts]
    assert 0.05 < np.mean(lengths) < 1.0, np.mean(lengths)


def test_forces_of_the_reference_are_derivatives_of_its_dipoles():
    models = MODELS["two-sided"]()
    atoms = dplr_system(models).atoms
    force, h = np.array([0.3, -0.7, 0.5]), 1e-5
    dipole = dipole_of(models.dipoles, atoms, 0)
    by_atom = np.zeros((atoms.natoms, 3))
    np.add.at(by_atom, dipole.owners, dipole.forces_for(force))
    for i in dict.fromkeys(dipole.owners[:4]):
        if i == 0:
            continue
        for dim in range(3):
            values = []
            for sign in (1.0, -1.0):
                x = atoms.x.copy()
                x[i, dim] += sign * h
                values.append(force @ dipole_of(models.dipoles, replace(atoms, x=x), 0).value)
            assert (values[0] - values[1]) / (2.0 * h) == pytest.approx(by_atom[i, dim], abs=1e-8)


@pytest.mark.parametrize("name,way", dealt(list(MODELS), 2))
def test_all_values_are_those_of_the_formulas(servers, tmp_path, name, way):
    models = MODELS[name]()
    system = dplr_system(models)
    script = commands(system, system.write(tmp_path / "data"), models.write(tmp_path))
    thermo, snapshot, output = compute(servers, way, tmp_path, script)
    expect(expected_values(servers, tmp_path, models, system), system, thermo, snapshot)
    assert "more neighbors of a type" not in output


BOXES = {"triclinic": (TILTED, True), "tilts of zero": (BOX, True), "kspace_style pppm": (BOX, False),
         "kspace_style pppm/offload": (BOX, False), "kspace_style pppm, triclinic": (TILTED, True)}


@pytest.mark.parametrize("box,way", dealt(list(BOXES), 2))
def test_other_boxes_and_kspace_styles(servers, tmp_path, box, way):
    """LAMMPS' own PPPM computes what pppm/offload does not take, and the log says so."""
    cell, tilts = BOXES[box]
    models = MODELS["two-sided"]()
    system = dplr_system(models, 2, cell=cell)
    style = "pppm/dplr" if "kspace" not in box else box.split(",")[0].split()[1]
    script = commands(system, system.write(tmp_path / "data", tilts=tilts), models.write(tmp_path), style)
    thermo, snapshot, output = compute(servers, way, tmp_path, script)
    expect(expected_values(servers, tmp_path, models, system, tilts=tilts), system, thermo, snapshot)
    assert (f"kspace_style {style} is LAMMPS' own, not pppm/offload: the box is triclinic" in output) == tilts


FIELDS = {"constant": "efield 0.2 -0.1 0.3", "variables": "efield v_along -0.1 v_up"}


@pytest.mark.parametrize("case,way", dealt([f"{name}, {units}" for name in FIELDS for units in ("metal", "real", "si")]
                                           + ["none, real", "none, si"]))
def test_fields_and_units(servers, tmp_path, case, way):
    name, unit = case.split(", ")
    units = {"metal": METAL, "real": REAL, "si": SI}[unit]
    models = MODELS["two-sided"]()
    system = dplr_system(models, 3, units=units)
    efield = np.array([0.2, -0.1, 0.3]) if name in FIELDS else np.zeros(3)
    data, files = system.write(tmp_path / "data"), models.write(tmp_path)
    script = "variable along equal 0.3-0.1\nvariable up equal 0.3\n" + commands(system, data, files,
                                                                                options=FIELDS.get(name, ""))
    # from the unit of fields to eV/Angstrom per unit charge
    force = efield * FIELD[unit] * system.charge_of[unit] / (units.ev / units.angstrom)
    thermo, snapshot, _ = compute(servers, way, tmp_path, script)
    expect(expected_values(servers, tmp_path, models, system, force), system, thermo, snapshot)


TYPE_MAPS = {"names": "pair_coeff * * O H", "names and NULL": "pair_coeff * * O H NULL",
             "another order of the dipoles": "pair_coeff * * O H NULL"}


@pytest.mark.parametrize("case,way", dealt(list(TYPE_MAPS)))
def test_types_go_by_their_names(servers, tmp_path, case, way):
    models = MODELS["two-sided"]()
    if "order" in case:    # the model of dipoles has the types the other way round
        other = random_model(71, (replace(TWO_SIDED, axis=3),), types=("H", "O"), selected=(1,))
        models = Models(models.energies, other)
    system = System.random(4, (0,))
    script = commands(system, system.write(tmp_path / "data"), models.write(tmp_path), coeff=TYPE_MAPS[case])
    thermo, snapshot, _ = compute(servers, way, tmp_path, script)
    reference = expected_values(servers, tmp_path, models, system) if "order" not in case else None
    if reference is None:
        swapped = replace(system.atoms, types=1 - system.atoms.types)
        moments = [dipole_of(models.dipoles, swapped, host).value for host in system.hosts]
        places = snapshot.vectors("x", "y", "z")
        wrap = (places[system.atoms.natoms:] - system.atoms.x[system.hosts] - moments) @ np.linalg.inv(BOX)
        np.testing.assert_allclose(wrap - np.round(wrap), 0.0, atol=1e-12)
    else:
        expect(reference, system, thermo, snapshot)


def test_two_centers_of_one_atom_have_both_forces(servers, tmp_path):
    """Half the charge at the same place each, which is one center with the whole charge."""
    models = MODELS["two-sided"]()
    system = dplr_system(models, 5)
    double = replace(system, hosts=np.concatenate([system.hosts, system.hosts]),
                     start=np.concatenate([system.start, system.start]))
    found = []
    for one in (system, double):
        script = commands(one, one.write(tmp_path / "data"), models.write(tmp_path))
        thermo, snapshot, _ = compute(servers, Way(2, 2, "p2p_rdma"), tmp_path, script)
        found.append((thermo[0].columns["PotEng"][0], snapshot.forces[:system.atoms.natoms]))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-12)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=0, atol=1e-10 * np.abs(found[0][1]).max())


def test_in_mixed_precision_values_are_near(servers, tmp_path):
    models = MODELS["two-sided"]()
    system = dplr_system(models, 6)
    script = commands(system, system.write(tmp_path / "data"), models.write(tmp_path))
    way = Way(2, 2, "p2p_rdma")
    thermo, snapshot, _ = compute(servers, way, tmp_path, script,
                                  variant=replace(way.variant, package=("precision", "mixed")))
    reference = expected_values(servers, tmp_path, models, system)
    n = system.atoms.natoms
    np.testing.assert_allclose(snapshot.forces[:n], reference.forces, rtol=0,
                               atol=1e-5 * np.abs(reference.forces).max())
    assert np.abs(snapshot.forces[:n] - reference.forces).max() > 1e-9


def test_forces_and_pressures_are_derivatives_of_lammps_own_energies(servers, tmp_path):
    """With a fine mesh, since forces with diff ik are derivatives only up to its error."""
    models = MODELS["two-sided"]()
    system = dplr_system(models, 7)
    script = commands(system, system.write(tmp_path / "data"), models.write(tmp_path), mesh="40 40 45", more="order 7")
    h = 1e-4
    moves = "run 0\n" + dump(tmp_path / "start", columns="x y z fx fy fz") + "\n"
    places = ((int(system.hosts[0]) + 1, "x"), (2, "y"), (int(system.hosts[3]) + 1, "z"), (11, "x"))
    for atom, dim in places:
        move = "displace_atoms one move " + " ".join("{by}" if dim == other else "0.0" for other in "xyz")
        moves += "\n".join([f"group one id {atom}", move.format(by=h), "run 0", move.format(by=-2.0 * h), "run 0",
                            move.format(by=h), "group one delete", ""])
    for scale in (1.0 + h, (1.0 - h) / (1.0 + h)):
        moves += f"change_box all y scale {scale!r} remap units box\nrun 0\n"
    thermo, _, _ = compute(servers, Way(2, 2, "p2p_rdma"), tmp_path, script, moves)
    energies = [table.columns["PotEng"][0] for table in thermo]
    forces = read_snapshot(tmp_path / "start").columns
    for number, (atom, dim) in enumerate(places):
        slope = (energies[2 * number + 1] - energies[2 * number + 2]) / (2.0 * h)
        assert slope == pytest.approx(-forces[f"f{dim}"][atom - 1], abs=2e-4), (atom, dim)
    strained = (energies[-2] - energies[-1]) / (2.0 * h)
    pressure = thermo[0].columns["c_p[2]"][0] * np.linalg.det(BOX) / METAL.pressure
    assert strained == pytest.approx(-pressure, rel=1e-4, abs=2e-3)
