# SPDX-License-Identifier: GPL-2.0-only
"""fix dplr with the suffix /threadpool: Wannier centers, forces and virials are those of the formulas, as
deep_models.py computes them with NumPy from the same models, and of LAMMPS' own PPPM for charges at the same places.

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
from lammps_output import read_snapshot, read_thermo
from lammps_plugin import compile_plugin
from lammps_run import BRICK, run_script, threadpool
from small_systems import dump
from test_deep_potential import BOX, METAL, REAL, SI, TILTED, Units, Way

WAYS = tuple(Way(ranks, threads, style) for ranks, threads, style in (
    (1, 1, "brick"), (2, 1, "p2p/rdma"), (3, 2, "p2p/rdma"), (4, 3, "brick"), (2, 2, "brick"), (1, 3, "p2p/rdma"),
    (4, 1, "p2p/rdma"), (3, 1, "brick"), (1, 2, "brick"), (2, 3, "p2p/rdma")))


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
        apart: format of a file of its own for the dipoles, if they have one.
    """

    energies: DeepModel
    dipoles: DeepModel
    apart: str = ""

    def write(self, folder: Path) -> Tuple[Path, Path]:
        """Files for pair_style deepmd and for fix dplr."""
        if self.apart:
            return (write_model(folder / "energies.pb", self.energies),
                    write_model(folder / f"dipoles.{self.apart}", self.dipoles))
        file = write_model(folder / "dplr.pb", self.energies, wannier=self.dipoles)
        return file, file


MODELS = {
    "two-sided": lambda: Models(random_model(70, (TWO_SIDED,)), DIPOLES),
    "one-sided": lambda: Models(random_model(72), random_model(73, (Part(),), selected=(0,))),
    "hybrid energies": lambda: Models(random_model(74, (TWO_SIDED,), hybrid=True), DIPOLES),
    "two files": lambda: Models(random_model(70, (TWO_SIDED,)), DIPOLES, apart="pb"),
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
    "file .dp": lambda: Models(random_model(70, (TWO_SIDED,)), random_model(
        86, (Part(rcut_smth=0.5, one_sided=False, excluded_take_slots=True),), selected=(1,)), apart="dp"),
    "file .dp, one net for all": lambda: Models(random_model(70, (TWO_SIDED,)), random_model(
        89, (Part(rcut_smth=0.5, sel=(60,), vectors=5),), selected=(0, 1)), apart="dp"),
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


SLAB = "slab 3.0 diff ad"
"""Words of kspace_modify for a slab, which come after those of kspace()."""


def as_slab(script: str) -> str:
    """The script with a box that is not periodic in z, and is cut along y only."""
    return script.replace("atom_style full", "boundary p p f\nprocessors 1 * 1\natom_style full")


def long_range(servers, folder: Path, system: System, places: np.ndarray, tilts: bool, mesh: str,
               slab: bool) -> Tuple[float, np.ndarray, np.ndarray]:
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
{kspace("pppm", units, mesh, SLAB if slab else "")}
compute p all pressure NULL kspace
thermo_style custom step elong c_p[*]
thermo_modify norm no format float %.17g
run 0
{dump(folder / "charges.dump", columns="fx fy fz")}
"""
    output = servers.server(1, BRICK).run(as_slab(script) if slab else script)
    row = {name: column[-1] for name, column in read_thermo(output)[-1].columns.items()}
    snapshot = read_snapshot(folder / "charges.dump")
    q = system.charges * system.charge_of[units.name]
    self_energy = COULOMB[units.name] * GEWALD / units.angstrom / sqrt(pi) * np.sum(q * q)
    volume = snapshot.volume / units.angstrom**3
    virial = np.array([row[name] for name in PRESSURES]) * volume * units.angstrom**3 / (units.ev * units.pressure)
    return ((row["E_long"] + self_energy) / units.ev, snapshot.forces / (units.ev / units.angstrom), virial)


def expected_values(servers, folder: Path, models: Models, system: System, efield: Sequence[float] = (0.0, 0.0, 0.0),
                    tilts: bool = False, mesh: str = "12 15 16", slab: bool = False) -> Expected:
    """What the fix and the styles together shall compute."""
    atoms, n = system.atoms, system.atoms.natoms
    dipoles = [dipole_of(models.dipoles, atoms, host) for host in system.hosts]
    moments = np.array([one.value for one in dipoles])
    places = atoms.x[system.hosts] + moments
    energy, electric, virial = long_range(servers, folder, system, places, tilts, mesh, slab)
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
    assert "larger 'sel'" not in output


BOXES = {"triclinic": (TILTED, True), "tilts of zero": (BOX, True), "kspace_style pppm": (BOX, False),
         "kspace_style pppm/offload": (BOX, False), "kspace_style pppm, triclinic": (TILTED, True)}


@pytest.mark.parametrize("box,way", dealt(list(BOXES), 2))
def test_other_boxes_and_kspace_styles(servers, tmp_path, box, way):
    cell, tilts = BOXES[box]
    models = MODELS["two-sided"]()
    system = dplr_system(models, 2, cell=cell)
    style = "pppm/dplr" if "kspace" not in box else box.split(",")[0].split()[1]
    script = commands(system, system.write(tmp_path / "data", tilts=tilts), models.write(tmp_path), style,
                      more="overlap/always yes" if style == "pppm/offload" else "")
    thermo, snapshot, output = compute(servers, way, tmp_path, script)
    expect(expected_values(servers, tmp_path, models, system, tilts=tilts), system, thermo, snapshot)
    assert "is LAMMPS' own, not pppm/offload" not in output and "TOFU FFT = " in output


def between_faces(system: System) -> System:
    """The system in the half of a box that is twice as high; centers may be outside of that half."""
    middle = np.array([0.0, 0.0, 4.0])
    atoms = replace(system.atoms, x=system.atoms.x + middle, cell=np.diag([7.0, 6.5, 16.0]))
    return replace(system, atoms=atoms, start=system.start + middle)


@pytest.mark.parametrize("way", (Way(2, 2, "p2p/rdma"), Way(3)), ids=str)
def test_lammps_own_pppm_computes_what_pppm_offload_does_not(servers, tmp_path, way):
    models = MODELS["two-sided"]()
    system = between_faces(dplr_system(models, 2))
    script = as_slab(commands(system, system.write(tmp_path / "data"), models.write(tmp_path), more=SLAB))
    thermo, snapshot, output = compute(servers, way, tmp_path, script)
    expect(expected_values(servers, tmp_path, models, system, slab=True), system, thermo, snapshot)
    assert "kspace_style pppm/dplr is LAMMPS' own, not pppm/offload: with slab and diff ad" in output


@pytest.mark.parametrize("box,way", (("tilted", Way(4)), ("tilted", Way(3, 2, "p2p/rdma")), ("slab", Way(4)),
                                     ("orthogonal", Way(4))), ids=str)
def test_meshes_have_room_for_the_longest_dipoles(servers, tmp_path, box, way):
    """They reach beyond half the skin, and beyond some points of a fine mesh; LAMMPS' own PPPM, which computes the
    slab, has room, too."""
    models = Models(random_model(70, (TWO_SIDED,)), random_model(71, (replace(TWO_SIDED, axis=3),), selected=(0, 1)))
    tilts, slab = box == "tilted", box == "slab"
    system = dplr_system(models, 17, cell=TILTED if tilts else BOX)
    longest = max(np.linalg.norm(dipole_of(models.dipoles, system.atoms, host).value) for host in system.hosts)
    for net in models.dipoles.fitting:
        net[-1].weights *= 0.99 / longest
        net[-1].biases *= 0.99 / longest
    system = between_faces(system) if slab else system
    mesh = "45 48 144" if slab else "45 48 50"
    script = commands(system, system.write(tmp_path / "data", tilts=tilts), models.write(tmp_path), mesh=mesh,
                      more=SLAB if slab else "")
    script = script.replace("neighbor 0.5 bin", "neighbor 0.1 bin")
    thermo, snapshot, _ = compute(servers, way, tmp_path, as_slab(script) if slab else script)
    expect(expected_values(servers, tmp_path, models, system, tilts=tilts, mesh=mesh, slab=slab), system, thermo,
           snapshot)


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


@pytest.mark.parametrize("index", (1, 2))
def test_types_are_those_of_the_chosen_sub_style(servers, tmp_path, index):
    """The other one takes each type for the other."""
    models = MODELS["two-sided"]()
    system = System.random(4, (0,))
    own, other = "O H NULL", "H O NULL"
    coeff = "\n".join(f"pair_coeff * * deepmd {k} {own if k == index else other}" for k in (1, 2))
    files = models.write(tmp_path)
    script = commands(system, system.write(tmp_path / "data"), files, coeff=coeff,
                      options=f"pair_deepmd_index {index}")
    script = script.replace(f"deepmd {files[0]}", f"hybrid/overlay deepmd {files[0]} deepmd {files[0]}", 1)
    _, snapshot, _ = compute(servers, WAYS[index], tmp_path, script)
    moments = [dipole_of(models.dipoles, system.atoms, host).value for host in system.hosts]
    places = snapshot.vectors("x", "y", "z")[system.atoms.natoms:]
    wrap = (places - system.atoms.x[system.hosts] - moments) @ np.linalg.inv(BOX)
    np.testing.assert_allclose(wrap - np.round(wrap), 0.0, atol=1e-12)


def test_two_centers_of_one_atom_have_both_forces(servers, tmp_path):
    """Half the charge at the same place each, which is one center with the whole charge."""
    models = MODELS["two-sided"]()
    system = dplr_system(models, 5)
    double = replace(system, hosts=np.concatenate([system.hosts, system.hosts]),
                     start=np.concatenate([system.start, system.start]))
    found = []
    for one in (system, double):
        script = commands(one, one.write(tmp_path / "data"), models.write(tmp_path))
        thermo, snapshot, _ = compute(servers, Way(2, 2, "p2p/rdma"), tmp_path, script)
        found.append((thermo[0].columns["PotEng"][0], snapshot.forces[:system.atoms.natoms]))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-12)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=0, atol=1e-10 * np.abs(found[0][1]).max())


def test_in_mixed_precision_values_are_near(servers, tmp_path):
    models = MODELS["two-sided"]()
    system = dplr_system(models, 6)
    script = commands(system, system.write(tmp_path / "data"), models.write(tmp_path))
    way = Way(2, 2, "p2p/rdma")
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
    thermo, _, _ = compute(servers, Way(2, 2, "p2p/rdma"), tmp_path, script, moves)
    energies = [table.columns["PotEng"][0] for table in thermo]
    forces = read_snapshot(tmp_path / "start").columns
    for number, (atom, dim) in enumerate(places):
        slope = (energies[2 * number + 1] - energies[2 * number + 2]) / (2.0 * h)
        assert slope == pytest.approx(-forces[f"f{dim}"][atom - 1], abs=2e-4), (atom, dim)
    strained = (energies[-2] - energies[-1]) / (2.0 * h)
    pressure = thermo[0].columns["c_p[2]"][0] * np.linalg.det(BOX) / METAL.pressure
    assert strained == pytest.approx(-pressure, rel=1e-4, abs=2e-3)


# ---- runs

LONG = np.diag([24.0, 6.0, 6.5])


def moving(script: str, step: float = 0.0005, temperature: float = 300.0) -> str:
    """The system with velocities and an integrator of its atoms."""
    return (f"{script}velocity real create {temperature} 4711 loop geom\nfix integrate real nve\n"
            f"timestep {step}\n")


RING = "fix ring all ring/balance 1 1.0\n"
SCENARIOS = {
    "nve": "run 20\n",
    "minimize": "unfix integrate\nmin_style cg\nminimize 0 0 10 100\n",
    "minimize with fire": "unfix integrate\nmin_style fire\nminimize 0 0 8 100\n",
    "npt": "unfix integrate\nfix integrate real npt temp 300 300 0.05 aniso 0 0 0.5\nrun 20\n",
    "box changes": "run 5\nchange_box all x scale 1.1 y scale 1.05 remap units box\nrun 5\n",
    "rerun": "dump d all custom 2 {folder}/{name}.trajectory id type x y z\ndump_modify d format float %.17g sort id\n"
             "run 10\nundump d\nrerun {folder}/{name}.trajectory dump x y z\n",
    "restart": "run 5\nwrite_restart {folder}/{name}.restart\nclear\n{again}run 5\n",
    "atoms move alone": "run 3\ndisplace_atoms real move 2.1 -1.7 2.5 units box\nrun 3\n",
    "pre no": "run 3\nrun 4 pre no\nrun 3 post no\n",
    "balance": "run 3\nbalance 0.9 shift x 8 1.01\nrun 3\n",
    "fix balance": "fix b all balance 2 1.0 shift x 8 1.01\nneigh_modify every 1 delay 0 check no\nrun 10\n",
    "ring_balance, p2p/rdma": f"{RING}run 10\n",
    "ring_balance in front, p2p/rdma": "run 5\nrun 5\n",
    "ring_balance in front, minimize, p2p/rdma": "unfix integrate\nmin_style cg\nminimize 0 0 10 100\n",
}


def scenario_result(servers, way: Way, folder: Path, system: System, models: Models, scenario: str):
    """Thermo tables and atoms at the end of a scenario."""
    own = folder / str(way)
    own.mkdir()
    data, files = system.write(own / "data"), models.write(own)
    script = moving(commands(system, data, files, options="efield 0.1 0.0 0.2"))
    if "in front" in scenario:
        script = script.replace("fix wannier", f"{RING}fix wannier", 1)
    analysis = ("thermo_style custom step pe ke elong f_wannier press pxx pyy pzz pxy vol\n"
                "thermo_modify norm no format float %.17g\nthermo 1\n")
    again = script.replace(f"read_data {data}", f"read_restart {own}/restart").replace(
        "velocity real create 300.0 4711 loop geom\n", "")
    text = SCENARIOS[scenario].replace("{again}", f"{way.variant.command}\n{again}{analysis}")
    text = text.replace("{folder}/{name}.restart", f"{own}/restart")
    text = text.replace("{folder}", str(own)).replace("{name}", "t")
    return compute(servers, way, own, script, text, analysis, "xu yu zu vx vy vz fx fy fz")


@pytest.mark.parametrize("scenario,way", [pytest.param(
    name, way, id=f"{name}-{way}") for number, name in enumerate(SCENARIOS)
    for way in ((Way(2, 2, "p2p/rdma"), Way(3, 1, "brick")), (Way(4, 1, "p2p/rdma"), Way(2, 3, "brick")))[number % 2]
    if way.style == "p2p/rdma" or "p2p/rdma" not in name])
def test_runs_do_not_depend_on_ranks_and_threads(servers, tmp_path, scenario, way):
    models = MODELS["two-sided"]()
    system = dplr_system(models, 8)
    alone = Way(1, 1, "p2p/rdma" if "p2p/rdma" in scenario else "brick")
    expected, found = (scenario_result(servers, one, tmp_path, system, models, scenario) for one in (alone, way))
    assert len(expected[0]) == len(found[0]) > 0
    for one, other in zip(expected[0], found[0]):
        for column, values in one.columns.items():
            np.testing.assert_allclose(other.columns[column], values, rtol=1e-9, atol=1e-7, err_msg=column)
    n = system.atoms.natoms
    for name in ("vx", "vy", "vz", "fx", "fy", "fz"):
        np.testing.assert_allclose(found[1].columns[name][:n], expected[1].columns[name][:n], rtol=0, atol=1e-7,
                                   err_msg=name)
    for name in ("xu", "yu", "zu"):    # also of centers
        np.testing.assert_allclose(found[1].columns[name], expected[1].columns[name], rtol=0, atol=1e-7, err_msg=name)
    if "ring" in scenario:
        handed = re.findall(r"(\d+) atoms handed over", found[2])
        assert handed and all(int(n) > 0 for n in handed), handed


def test_a_run_goes_on_after_a_restart_as_without_it(servers, tmp_path):
    models = MODELS["two-sided"]()
    system = dplr_system(models, 9)
    results = []
    for scenario in ("restart", "nve"):
        folder = tmp_path / scenario
        folder.mkdir()
        results.append(scenario_result(servers, Way(2, 2, "p2p/rdma"), folder, system, models, scenario)[0])
    np.testing.assert_allclose(results[0][-1].columns["PotEng"], results[1][0].columns["PotEng"][5:11], rtol=1e-10)


@pytest.mark.parametrize("reach", (0.5, 2.4))
@pytest.mark.parametrize("way", (WAYS[0], WAYS[2], WAYS[6]), ids=str)
def test_centers_may_begin_far_from_their_atoms(servers, tmp_path, way, reach):
    models = MODELS["two-sided"]()
    system = dplr_system(models, 10)
    system.start = system.atoms.x[system.hosts] + np.random.default_rng(1).uniform(-reach, reach,
                                                                                   (len(system.hosts), 3))
    script = commands(system, system.write(tmp_path / "data"), models.write(tmp_path))
    thermo, snapshot, _ = compute(servers, way, tmp_path, script)
    expect(expected_values(servers, tmp_path, models, system), system, thermo, snapshot)


@pytest.mark.parametrize("way", (Way(1, 3), Way(3, 2, "p2p/rdma")), ids=str)
def test_the_same_run_twice_is_the_same_to_the_last_bit(servers, tmp_path, way):
    models = MODELS["dipoles look further"]()
    system = dplr_system(models, 11)
    texts = []
    for attempt in ("first", "second"):
        folder = tmp_path / attempt
        folder.mkdir()
        scenario_result(servers, way, folder, system, models, "nve")
        texts.append((folder / str(way) / f"{way.variant}-{way.ranks}.dump").read_text())
    assert texts[0] == texts[1]


@pytest.mark.parametrize("way", (Way(1, 1), Way(2, 2, "p2p/rdma")), ids=str)
def test_the_long_range_part_runs_beside_the_pair_forces_with_the_same_bits(installation, tmp_path, way):
    models = MODELS["two-sided"]()
    system = dplr_system(models, 12)
    script = moving(commands(system, system.write(tmp_path / "data"), models.write(tmp_path)))
    dumps, outputs = [], []
    for overlap in ("always", "no"):
        path = tmp_path / f"{overlap}.dump"
        variant = replace(way.variant, package=("overlap", overlap))
        text = f"{variant.command}\n{script}run 10\n{dump(path, columns='vx vy vz fx fy fz')}\n"
        output = run_script(installation, text, way.ranks, tmp_path)
        outputs.append(output.expect_success().output)
        dumps.append(path.read_text())
    assert dumps[0] == dumps[1]
    assert ["10 of 11 steps had it beside the pair forces" in output for output in outputs] == [True, False]


@pytest.mark.parametrize("way", (Way(2, 2, "p2p/rdma"),), ids=str)
def test_energy_is_conserved(servers, tmp_path, way):
    """Another potential keeps atoms apart, since the random one may attract them at any distance."""
    models = MODELS["two-sided"]()
    system = dplr_system(models, 13)
    files = models.write(tmp_path)
    script = commands(system, system.write(tmp_path / "data"), files, mesh="24 24 27", coeff="""\
pair_coeff * * deepmd O H NULL
pair_coeff * * lj/cut 0.2 1.2
pair_modify pair lj/cut shift yes""")
    script = script.replace(f"pair_style deepmd {files[0]}",
                            f"pair_style hybrid/overlay deepmd {files[0]} lj/cut {1.2 * 2**(1 / 6)}")
    script += "min_style cg\nminimize 0 0 50 200\n"
    thermo, _, _ = compute(servers, way, tmp_path, moving(script, 0.0002), "run 400",
                           "compute ke real ke\nthermo_style custom step c_ke pe\n"
                           "thermo_modify norm no format float %.17g\nthermo 5\n")
    kinetic, potential = (np.array(thermo[-1].columns[column]) for column in ("c_ke", "PotEng"))
    total = kinetic + potential    # centers have velocities that mean nothing
    assert np.ptp(potential) > 0.05
    assert np.ptp(total) < 5e-3 * np.ptp(potential), (np.ptp(total), np.ptp(potential))


# ---- errors


@dataclass(frozen=True)
class Wrong:
    """Something wrong: words of the message, and changes of the commands as pairs of texts."""

    words: Sequence[str]
    changes: Sequence[Tuple[str, str]] = ()
    end: str = ""
    data: Sequence[Tuple[str, str]] = ()


FIX = "fix wannier all dplr model dplr.pb type_associate 1 3 bond_type 1"
KSPACE = "kspace_style pppm/dplr 1e-5\n"
TWICE = (("pair_style deepmd dplr.pb", "pair_style hybrid/overlay deepmd dplr.pb deepmd dplr.pb"),
         ("pair_coeff * *\n", "pair_coeff * * deepmd 1 O H NULL\npair_coeff * * deepmd 2 O H NULL\n"))
WRONG = {
    "no pair style": Wrong(["pair_style deepmd with the suffix", "hybrid/overlay"],
                           [("pair_style deepmd dplr.pb", "pair_style hybrid/overlay zero 4.0 coul/long 4.0"),
                            ("pair_coeff * *\n", "pair_coeff * * zero\npair_coeff * * coul/long\n")]),
    "no kspace style": Wrong(["kspace_style pppm/dplr", "none"], [(KSPACE, ""), ("kspace_modify", "#")]),
    "another kspace style": Wrong(["kspace_style pppm/dplr", "kspace style is pppm"],
                                  [(KSPACE, "suffix off\nkspace_style pppm 1e-4\nsuffix on\n"),
                                   ("fft pencil", "")]),
    "no fix": Wrong(["pppm/dplr", "fix dplr"], [(FIX, "#"), ("fix_modify", "#")]),
    "two fixes": Wrong(["one fix dplr only"], end=FIX.replace("wannier", "another")),
    "a group": Wrong(["group all"], [(FIX, FIX.replace("all", "real", 1))]),
    "unknown keyword": Wrong(["Unknown", "colour"], [(FIX, FIX.replace("model", "colour red model"))]),
    "no model": Wrong(["model", "missing"], [(FIX, FIX.replace("model dplr.pb ", ""))]),
    "no types": Wrong(["type_associate", "missing"], [(FIX, FIX.replace("type_associate 1 3 ", ""))]),
    "no bonds": Wrong(["bond_type", "missing"], [(FIX, FIX.replace("bond_type 1", ""))]),
    "odd types": Wrong(["pairs of atom types"], [(FIX, FIX.replace("1 3", "1 3 2"))]),
    "unknown type": Wrong(["no atom type 4", "3"], [(FIX, FIX.replace("1 3", "1 4"))]),
    "unknown bond type": Wrong(["no bond type 2"], [(FIX, FIX.replace("bond_type 1", "bond_type 2"))]),
    "two components": Wrong(["three components"], [(FIX, FIX + " efield 0.1 0.2")]),
    "no such variable": Wrong(["Variable nowhere"], [(FIX, FIX + " efield v_nowhere 0 0")]),
    "variable of another kind": Wrong(["Variable each", "equal style"],
                                      [(FIX, "variable each atom x\n" + FIX + " efield v_each 0 0")]),
    "a file without dipoles": Wrong(["no model of Wannier centers", "dipole_charge"],
                                    [(FIX, FIX.replace("dplr.pb", "energies.pb"))]),
    "no file": Wrong(["nowhere.pb", "No such file"], [(FIX, FIX.replace("dplr.pb", "nowhere.pb"))]),
    "a damaged file": Wrong(["damaged.pb"], [(FIX, FIX.replace("dplr.pb", "damaged.pb"))]),
    "atoms without dipoles": Wrong(["no dipoles of atom type 2", "atom types 1"],
                                   [(FIX, FIX.replace("1 3", "1 3 2 3"))]),
    "types without centers": Wrong(["dipoles of atom type 1", "no type of Wannier centers"],
                                   [("model dplr.pb", "model both.pb"), ("1 3", "2 3")]),
    "two sub-styles": Wrong(["several sub-styles deepmd", "pair_deepmd_index 1, 2"], TWICE),
    "one sub-style too many": Wrong(["pair_deepmd_index is 3", "pair_deepmd_index 1, 2"],
                                    [*TWICE, (FIX, FIX + " pair_deepmd_index 3")]),
    "lists of style multi": Wrong(["longer cut-off (4)", "(3)", "neighbor style bin"],
                                  [("dplr.pb", "further.pb"), (" bin\n", " multi\n")]),
    "lists of style multi/old": Wrong(["longer cut-off (4)", "neighbor style bin"],
                                      [("dplr.pb", "further.pb"), (" bin\n", " multi/old\n")]),
    "ghosts of mode multi": Wrong(["longer cut-off (4)", "comm_modify mode single"],
                                  [("dplr.pb", "further.pb"), (" bin\n", " multi\n")],
                                  end="comm_modify mode multi\n"),
    "long dipoles": Wrong(["Wannier center", "distance of", "limit is 1 (1 Angstrom)", "minimize"],
                          [("dplr.pb", "long.pb")]),
    "a model with parameters": Wrong(["with parameters of frames", "without parameters"],
                                     [(FIX, FIX.replace("dplr.pb", "parameters.pb"))]),
    "centers that are atoms": Wrong(["Atom type 3", "NULL"], [("pair_coeff * *\n", "pair_coeff * * O H H\n")]),
    "newton off": Wrong(["newton"], [("units metal\n", "units metal\nnewton off\n")]),
    "respa": Wrong(["respa", "verlet"], end="run_style respa 2 2 kspace 2 pair 1\n"),
    "compute no": Wrong(["compute no"], end="kspace_modify compute no\n"),
    "stress of atoms": Wrong(["stress"], end="compute s all centroid/stress/atom NULL\n"
                             "compute r all reduce sum c_s[1]\nthermo_style custom step c_r\n"),
    "units lj": Wrong(["lj"], [("units metal\n", "units lj\n"), ("pair_style deepmd dplr.pb", "pair_style zero 4.0")]),
    "a center without a bond": Wrong(["Wannier center", "bond"], end="delete_bonds one bond 1 remove special\n"),
    "bonds of other atoms": Wrong(["bond of its bond_type"], end="set group two type 2\nset group two charge 0.6\n"),
}


@pytest.mark.full
@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_explained(installation, tmp_path, case):
    wrong = WRONG[case]
    models = MODELS["two-sided"]()
    system = System.random(14, (0,), natoms=12)
    models.write(tmp_path)
    write_model(tmp_path / "energies.pb", models.energies)
    write_model(tmp_path / "both.pb", models.energies, wannier=random_model(78, (TWO_SIDED,), selected=(0, 1)))
    write_model(tmp_path / "further.pb", random_model(75, (replace(TWO_SIDED, rcut=3.0),)), wannier=models.dipoles)
    write_model(tmp_path / "parameters.pb", random_model(71, (TWO_SIDED,), selected=(0,), nframe=1))
    long = random_model(71, (replace(TWO_SIDED, axis=3),), selected=(0,))
    long.fitting[0][-1].weights *= 20.0
    write_model(tmp_path / "long.pb", models.energies, wannier=long)
    (tmp_path / "damaged.pb").write_bytes(graph(models.energies, wannier=models.dipoles)[:-3000])
    system.write(tmp_path / "data")
    script = commands(system, Path("data"), (Path("dplr.pb"), Path("dplr.pb")))
    for old, new in wrong.changes:
        assert old in script, old
        script = script.replace(old, new)
    center = system.atoms.natoms + 1
    script += f"group one id {system.hosts[0] + 1} {center}\ngroup two id {system.hosts[0] + 1}\n"
    output = run_script(installation, f"{threadpool(1).command}\n{script}{wrong.end}\nrun 1\n", 1 + len(case) % 2,
                        tmp_path, timeout=60.0).expect_failure()
    message = next((line for line in output.splitlines() if line.startswith("ERROR")), output)
    assert all(word in message for word in wrong.words), message


def test_fixes_that_exchange_atoms_by_themselves_are_told(installation, tmp_path):
    """Centers are at their own places when that happens, so that some change ranks without their atoms."""
    plugin = tmp_path / "lists.so"
    compile_plugin(installation, [Path(__file__).with_name("fix_list_builder.cpp")], plugin)
    models = MODELS["two-sided"]()
    system = dplr_system(models, 16)
    script = moving(commands(system, system.write(tmp_path / "data"), models.write(tmp_path)), temperature=3e4)
    output = run_script(installation, f"plugin load {plugin}\n{threadpool(1).command}\n{script}neigh_modify every 100 "
                        "check no\nfix lists all lists 8\nrun 200\n", 2, tmp_path, timeout=60.0).expect_failure()
    message = next((line for line in output.splitlines() if line.startswith("ERROR")), output)
    assert "exchanged without a word" in message and "gcmc" in message, message


def test_more_neighbors_than_places_are_told_once(servers, tmp_path):
    models = Models(random_model(70, (TWO_SIDED,)), random_model(83, (replace(TWO_SIDED, sel=(3, 4)),), selected=(0,)))
    models.dipoles.fitting[0][-1].weights *= 0.02    # few places make long dipoles
    models.dipoles.fitting[0][-1].biases *= 0.02
    system = dplr_system(models, 15)
    script = commands(system, system.write(tmp_path / "data"), models.write(tmp_path))
    thermo, snapshot, output = compute(servers, Way(2, 2), tmp_path, script, "run 0\nrun 2")
    expect(expected_values(servers, tmp_path, models, system), system, thermo, snapshot)
    assert 1 <= len(re.findall("WARNING.*'sel' of the model of Wannier centers", output)) <= 2


# ---- with deepmd-kit itself


def kspace_of_water(mesh: int) -> str:
    """The commands of deepmd-kit's example."""
    return f"kspace_style pppm/dplr 1e-5\nkspace_modify gewald 0.40 diff ik mesh {mesh} {mesh} {mesh}"


@pytest.mark.deepmd
@pytest.mark.parametrize("way", (Way(), Way(2, 2, "p2p/rdma"), Way(3, 1)), ids=str)
def test_deepmd_kits_own_references(installation, deepmd, tmp_path, way):
    (tmp_path / "data").write_text(deepmd.data_of_the_test())
    script = (f"{way.variant.command}\n{deepmd.water('data', 0.2, kspace_of_water(10))}run 1\n"
              f"{dump(tmp_path / 'dump', columns='x y z fx fy fz')}\n")
    output = run_script(installation, script, way.ranks, tmp_path).expect_success().output
    expected, snapshot = deepmd.expected, read_snapshot(tmp_path / "dump")
    energies = read_thermo(output)[0].columns
    real = len(expected["f_lr"])
    np.testing.assert_allclose(energies["E_long"], [expected["e_kspace"]] * 2, rtol=0, atol=1e-7)
    np.testing.assert_allclose(energies["PotEng"], [expected["e_lr"]] * 2, rtol=0, atol=1e-7)
    np.testing.assert_allclose(snapshot.forces[:real], expected["f_lr"], rtol=0, atol=1e-7)
    np.testing.assert_allclose(snapshot.vectors("x", "y", "z")[real:], expected["WC"], rtol=0, atol=1e-7)


WITH_DEEPMD_KIT = {
    "run": ({}, "run 10"),
    "minimization": ({}, "minimize 0 0 5 20"),
    "triclinic box": ({"box": ""}, "run 2"),
    "field": ({"options": "efield 0.1 -0.05 0.2"}, "run 5"),
    "field in units real": ({"options": "efield 0.1 -0.05 0.2"}, "run 0"),
}


@pytest.mark.deepmd
@pytest.mark.parametrize("case", WITH_DEEPMD_KIT)
def test_bulk_water_as_with_deepmd_kit_alone(installation, deepmd, tmp_path, case):
    """128 molecules.  The model is that of a test, so that they do not behave like water.

    In units real the reference is deepmd-kit in units metal: its fix dplr (3.2.0) converts its forces on owned atoms to
    other units, but not those on ghosts.  LAMMPS' constants of both units agree to 1e-7.
    """
    options, end = WITH_DEEPMD_KIT[case]
    number = list(WITH_DEEPMD_KIT).index(case)
    way = (Way(2, 1, "p2p/rdma"), Way(2, 2), Way(1, 2), Way(3, 1, "p2p/rdma"))[number % 4]
    units = REAL if "real" in case else METAL
    results = []
    for name, first, ranks, unit in (("theirs", f"plugin load {deepmd.plugin}", 2, METAL),
                                     ("ours", way.variant.command, way.ranks, units)):
        script = (f"{first}\n{deepmd.water(deepmd.bulk_water, 2.0, kspace_of_water(32), unit.name, **options)}"
                  f"fix integrate real nve\nvelocity real create 300 4711 loop geom\n{end}\n"
                  f"{dump(tmp_path / name, columns='x y z fx fy fz')}\n")
        output = run_script(installation, script, ranks, tmp_path, environment=deepmd.variables).expect_success().output
        results.append((read_thermo(output)[0].columns, read_snapshot(tmp_path / name)))
    (theirs, their_atoms), (ours, our_atoms) = results
    tolerance = 1e-9 if units == METAL else 1e-6
    largest = np.abs(their_atoms.forces).max()
    np.testing.assert_allclose(our_atoms.forces / units.ev, their_atoms.forces, rtol=0, atol=tolerance * largest)
    edges = np.ptp(their_atoms.vectors("x", "y", "z"), axis=0)
    moved = np.abs(our_atoms.vectors("x", "y", "z") - their_atoms.vectors("x", "y", "z"))
    assert np.all((moved < 1e-9) | (np.abs(moved - edges) < 1.0))
    pressure = np.abs(theirs["Pxx"]).max()
    assert set(ours) == set(theirs)
    for name, values in theirs.items():
        is_pressure = name.startswith("P") and name != "PotEng"
        scale = pressure if is_pressure else max(1.0, np.abs(values).max())
        unit = 0.986923267 if is_pressure and units == REAL else 1.0 if is_pressure or name == "Step" else units.ev
        np.testing.assert_allclose(ours[name] / unit, values, rtol=0, atol=tolerance * scale, err_msg=name)


EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "dplr"


@pytest.mark.deepmd
@pytest.mark.parametrize("ranks", (1, 2, 3))
def test_example_as_with_deepmd_kits_own_styles(installation, deepmd, tmp_path, ranks):
    """Those of release 3.2.0 need each center of the data file on the rank of its atom, else the run stands still."""
    script = (EXAMPLE / "in.dplr").read_text(encoding="utf-8")
    for old, new in (("water.pb", str(EXAMPLE / "water.pb")), ("data.water", str(EXAMPLE / "data.water")),
                     ("thermo          40", "thermo 5"), ("${steps}", "20"),
                     ("temp temperature", "temp temperature format float %.17g\n#")):
        assert old in script
        script = script.replace(old, new)
    way = Way(ranks, 2, "p2p/rdma")
    theirs, ours = (read_thermo(run_script(installation, f"{first}\n{script}", ranks, tmp_path, timeout=60.0,
                                           environment=deepmd.variables).expect_success().output)[0].columns
                    for first in (f"plugin load {deepmd.plugin}", way.variant.command))
    assert len(theirs["Step"]) == 5
    for name, values in theirs.items():
        scale = np.abs(values).max()
        np.testing.assert_allclose(ours[name], values, rtol=0, atol=1e-8 * max(scale, 1.0), err_msg=name)
