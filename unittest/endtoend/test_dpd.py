# SPDX-License-Identifier: GPL-2.0-only
"""Dissipative particle dynamics with the suffix: what is not random is that of LAMMPS' style, and what is random
depends on the atoms of a pair and the step alone."""

from dataclasses import replace

import numpy as np
import pytest

from force_style_references import installed_styles, read_references
from lammps_output import read_snapshot, read_thermo
from lammps_run import BRICK, Installation, missing_variables, run_script, threadpool
from small_systems import dump
from suffix_runs import differences_from_brick

SYSTEM = """\
units lj
atom_style atomic
atom_modify map array
comm_modify vel yes
{newton}
lattice fcc 3.0
region box {box} 0 5 0 5 0 5{tilt}
create_box 2 box
create_atoms 1 box
mass * 1.0
reset_atoms id sort yes
set group all type/fraction 2 0.4 4711
velocity all create 1.0 87287 loop geom
displace_atoms all random 0.2 0.2 0.2 31 units box
pair_style {style}
{coefficients}
neighbor 0.3 bin
neigh_modify every 2 delay 0 check no
fix integrate all nve
timestep 0.01
thermo_modify norm no format float %.17g
"""
COEFFICIENTS = "pair_coeff * * 25.0 4.5\npair_coeff 1 2 30.0 3.0 0.9\npair_coeff 2 2 20.0 6.0 0.8"
THERMOSTAT = "pair_coeff * * 4.5\npair_coeff 1 2 3.0 0.9\npair_coeff 2 2 6.0 0.8"
RIGHT = {"box": "block", "tilt": ""}
TILTED = {"box": "prism", "tilt": " 1.3 -0.8 0.6"}
WAYS = ((1, 1, "brick", "newton on"), (1, 3, "p2p/rdma", "newton off"), (2, 2, "p2p/rdma", "newton on"),
        (4, 1, "p2p/rdma", "newton off"), (4, 2, "brick", "newton on"))
"""Ranks, parts, comm style, newton."""


def installed():
    """Whether this LAMMPS has the styles."""
    return not missing_variables() and "dpd/threadpool" in installed_styles(Installation.from_environment())["pair"]


pytestmark = pytest.mark.skipif(not installed(), reason="LAMMPS without the package DPD-BASIC")


def system(style, newton="newton on", box=None):
    """The script of a fluid of 500 particles of two types."""
    coefficients = THERMOSTAT if style.startswith("dpd/tstat") else COEFFICIENTS
    return SYSTEM.format(style=style, newton=newton, coefficients=coefficients, **(box or RIGHT))


def forces(servers, folder, way, text, *commands):
    """Forces after these commands, by the ids of atoms."""
    ranks, parts, comm, _ = way
    variant, path = threadpool(parts, comm), folder / "forces.dump"
    script = "\n".join([variant.command, text, *(commands or ("run 0",)), dump(path)])
    servers.server(ranks, variant).run(script)
    return read_snapshot(path).forces


@pytest.mark.parametrize("box", (RIGHT, TILTED), ids=("right", "tilted"))
@pytest.mark.parametrize("style,way", (("dpd 0.0 1.0 4711", WAYS[1]), ("dpd 0.0 1.0 4711", WAYS[2]),
                                       ("dpd/tstat 0.0 0.0 1.0 4711", WAYS[3]),
                                       ("hybrid/overlay dpd 0.0 1.0 4711 morse 1.0", WAYS[4])), ids=str)
def test_without_a_temperature_everything_is_that_without_the_suffix(servers, tmp_path, style, way, box):
    ranks, parts, comm, newton = way
    text = system(style, newton, box)
    if "hybrid" in style:
        for line in COEFFICIENTS.splitlines():
            words = line.split()
            text = text.replace(line + "\n", " ".join([*words[:3], "dpd", *words[3:]]) + "\n")
        text = text.replace("neighbor 0.3", "pair_coeff * * morse 0.3 4.0 0.6\nneighbor 0.3")
    assert not differences_from_brick(servers, text, threadpool(parts, comm), ranks, tmp_path)


@pytest.mark.parametrize("name", ("mol-pair-dpd", "mol-pair-dpd_tstat"))
def test_special_bonds_are_those_of_the_references_without_a_temperature(servers, tmp_path, name):
    references = read_references(Installation.from_environment().lammps_dir)
    reference = next(one for one in references if one.path.stem == name)
    cold = replace(reference, fields={**reference.fields,
                                      "pair_style": reference.fields["pair_style"].replace("100.0", "0.0")})
    paths = tmp_path / "brick", tmp_path / "suffix"
    outputs = []
    for path, variant in zip(paths, (BRICK, threadpool(2, "p2p/rdma"))):
        path.mkdir()
        outputs.append(servers.server(2, variant).run(cold.script(variant, "on", path)))
    expected = cold.from_results(outputs[0], paths[0])
    assert not expected.differences(outputs[1], paths[1])


def test_random_forces_are_the_same_on_any_number_of_ranks_and_parts(servers, tmp_path):
    """With newton off both ranks of a pair compute its number."""
    all_forces = [forces(servers, tmp_path, way, system("dpd 1.0 1.0 4711", way[3])) for way in WAYS]
    cold = forces(servers, tmp_path, WAYS[0], system("dpd 0.0 1.0 4711"))
    assert np.std(all_forces[0] - cold) > 10.0
    for found in all_forces[1:]:
        assert np.max(np.abs(found - all_forces[0])) < 1e-11 * np.max(np.abs(found))


def test_forces_add_up_to_nothing(servers, tmp_path):
    for way in WAYS[2:4]:
        found = forces(servers, tmp_path, way, system("dpd 1.0 1.0 4711", way[3]))
        assert np.max(np.abs(np.sum(found, axis=0))) < 1e-11 * np.sum(np.abs(found))


def test_random_forces_differ_between_steps_and_seeds(servers, tmp_path):
    """Their squares are the temperature's: twice as large for twice of it."""
    way = WAYS[0]
    cold = forces(servers, tmp_path, way, system("dpd 0.0 1.0 4711"))

    def noise(temperature, seed, step):
        text = system(f"dpd {temperature} 1.0 {seed}")
        return (forces(servers, tmp_path, way, text, f"reset_timestep {step}", "run 0") - cold).ravel()

    first = noise(1.0, 4711, 7)
    square = np.dot(first, first)
    for other in (noise(1.0, 4711, 8), noise(1.0, 4712, 7), noise(1.0, 4711, 7 + 2 ** 32)):
        assert abs(np.dot(first, other)) < 5.0 / np.sqrt(len(first)) * square
    assert np.allclose(noise(1.0, 4711, 7), first, rtol=0, atol=0)
    assert np.allclose(noise(4.0, 4711, 7), 2.0 * first, rtol=1e-10, atol=1e-9)


def test_the_temperature_is_reached_and_the_momentum_stays(servers):
    """From half of it, with friction alone that is not random."""
    for style, newton in (("dpd 1.0 1.0 4711", "newton off"), ("dpd/tstat 1.0 1.0 1.0 4711", "newton on")):
        text = system(style, newton).replace("velocity all create 1.0", "velocity all create 0.5")
        script = "\n".join([threadpool(2).command, text, "thermo_style custom step temp v_px", "run 0"]).replace(
            "thermo_style", "variable px equal vcm(all,x)\nthermo_style") + "\nrun 100\nthermo 1\nrun 200\n"
        rows = read_thermo(servers.server(2, threadpool(2)).run(script))[-1].columns
        assert abs(np.mean(rows["Temp"]) - 1.0) < 0.1
        assert np.max(np.abs(rows["v_px"])) < 1e-12


def test_the_temperature_of_the_thermostat_may_change_in_a_run(servers, tmp_path):
    """In the middle from 0 to 2 it is 1."""
    way, step = WAYS[2], "reset_timestep 50"
    found = forces(servers, tmp_path, way, system("dpd/tstat 0.0 2.0 1.0 4711"), step, "run 0 start 0 stop 100")
    expected = forces(servers, tmp_path, way, system("dpd/tstat 1.0 1.0 1.0 4711"), step, "run 0")
    assert np.max(np.abs(found - expected)) < 1e-11 * np.max(np.abs(expected))


def test_a_restarted_run_goes_on_with_the_same_numbers(installation, tmp_path):
    """Both begin with the friction of whole steps. LAMMPS' own style reads the file, too."""
    variant = threadpool(2, "p2p/rdma")
    text = system("dpd 1.0 1.0 4711")
    output = run_script(installation, "\n".join([variant.command, text, "run 10", f"write_restart {tmp_path / 'r'}",
                                                  "run 10", dump(tmp_path / "on.dump", columns="vx vy vz")]),
                        2, tmp_path)
    assert "variants of pair dpd" in output.output
    rest = text[text.index("neighbor"):]
    again = "\n".join([variant.command, "comm_modify vel yes", f"read_restart {tmp_path / 'r'}", rest,
                       "run 10", dump(tmp_path / "again.dump", columns="vx vy vz")])
    run_script(installation, again, 2, tmp_path)
    on, other = (read_snapshot(tmp_path / name).vectors("vx", "vy", "vz") for name in ("on.dump", "again.dump"))
    assert np.max(np.abs(on - other)) < 1e-9
    run_script(installation, again.replace(variant.command, BRICK.command), 2, tmp_path)


def test_without_ids_of_atoms_it_computes_as_without_the_suffix(servers):
    """With the random numbers of LAMMPS' style: those of ids, all of which are 0, would be one number."""
    text = system("dpd 1.0 1.0 4711").replace("atom_modify map array", "atom_modify id no").replace(
        "velocity all create 1.0", "velocity all create 0.5").replace("reset_atoms id sort yes\n", "")
    rows = []
    for variant in (BRICK, threadpool(1)):
        script = "\n".join([variant.command, text, "thermo_style custom step pe temp", "run 100", "thermo 1",
                            "run 200"])
        rows.append([one.columns for one in read_thermo(servers.server(1, variant).run(script))])
    assert np.isclose(*(one[0]["PotEng"][0] for one in rows), rtol=1e-12)
    for one in rows:
        assert abs(np.mean(one[1]["Temp"]) - 1.0) < 0.1
