# SPDX-License-Identifier: GPL-2.0-only
"""Long-range forces of pppm/offload reach fix dplr of deepmd-kit, and have no other effect.

A stand-in for the fix is enough for most tests. `-m deepmd` runs deepmd-kit itself, see install_deepmd_kit.py.
"""

from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest

from lammps_output import read_snapshot, read_thermo
from lammps_plugin import compile_plugin
from lammps_run import BRICK, SHM, run_script

GEWALD = 0.35
COULOMB = 332.06371
"""Energy of two unit charges at unit distance, units real."""

SALT = f"""\
units real
atom_style charge
atom_modify map array
boundary p p EDGE
lattice fcc 5.64
region box block 0 3 0 3 HEIGHT
region ions block 0 2.99 0 2.99 0 2.99
create_box 2 box
create_atoms 1 region ions
lattice fcc 5.64 origin 0.5 0 0
create_atoms 2 region ions
mass * 30.0
set type 1 charge 1.0
set type 2 charge -1.0
displace_atoms all random 0.3 0.3 0.3 4711 units box
pair_style lj/cut/coul/long 8.0
pair_coeff * * 0.1 2.5
neigh_modify every 2 delay 0 check no
timestep 1.0
fix integrate all nve
kspace_style pppm/offload 1e-5
kspace_modify mesh 12 15 24 gewald {GEWALD} fft pencil overlap/always yes
thermo_style custom step pe elong pxx pyy pzz pxy pxz pyz
thermo_modify norm no format float %.17g
dump forces all custom 10 forces.dump id x y z fx fy fz
dump_modify forces sort id format float %.17g first no
"""
BULK = SALT.replace("EDGE", "p").replace("HEIGHT", "0 3")
SLAB = SALT.replace("EDGE", "f").replace("HEIGHT", "-1 4") + "kspace_modify slab 3.0\n"
TILTED = BULK.replace("mass *", "change_box all triclinic\n"
                      "change_box all xy final 6.0 xz final -4.0 yz final 3.0 remap units box\nmass *")
"""A disordered salt of 216 ions."""

NIONS = 216


@pytest.fixture(scope="module")
def reader(installation, tmp_path_factory):
    """The commands that load the stand-in for fix dplr."""
    plugin = tmp_path_factory.mktemp("reader") / "reader.so"
    compile_plugin(installation, [Path(__file__).with_name("fix_dplr_reader.cpp")], plugin)
    return f"plugin load {plugin}\n"


def bytes_of_dump(installation, folder, script, ranks, **options):
    """Run a script in a folder of its own.

    Returns:
        Its output, and the bytes of its dump.
    """
    folder.mkdir()
    output = run_script(installation, script, ranks, folder, **options).expect_success().output
    return output, (folder / "forces.dump").read_bytes()


@pytest.mark.parametrize("ranks", (1, 3))
@pytest.mark.parametrize("system,differentiation", ((BULK, "ik"), (BULK, "ad"), (SLAB, "ik"), (SLAB, "ad"),
                                                    (TILTED, "ik")),
                         ids=("bulk-ik", "bulk-ad", "slab-ik", "slab-ad", "tilted-ik"))
def test_forces_arrive_by_way_of_the_fix(installation, reader, tmp_path, system, differentiation, ranks):
    """Forces and virial are the same as without the fix, and the energy is without self energies, with and without
    overlap.  The fix is defined after a first run, so that the fix that starts the overlapped part must move behind
    it."""
    def result(fix, overlap):
        script = (f"{reader}{system}kspace_modify diff {differentiation} overlap {overlap}\nrun 0\n"
                  f"fix reads all {fix}\nrun 10\n")
        output, dump = bytes_of_dump(installation, tmp_path / f"{fix}-{overlap}", script, ranks)
        return read_thermo(output)[1], dump

    (given, dump), (_, inline), (added, _) = result("dplr", "yes"), result("dplr", "no"), result("moves", "yes")
    assert dump == inline
    forces = [read_snapshot(tmp_path / folder / "forces.dump").forces for folder in ("dplr-yes", "moves-yes")]
    np.testing.assert_allclose(*forces, rtol=0, atol=1e-10 * np.abs(forces[1]).max())
    for name in ("Pxx", "Pyy", "Pzz", "Pxy", "Pxz", "Pyz"):
        np.testing.assert_allclose(given.columns[name], added.columns[name], rtol=0,
                                   atol=1e-9 * np.abs(added.columns["Pxx"]).max())
    self_energy = -COULOMB * NIONS * GEWALD / sqrt(pi)
    for name in ("E_long", "PotEng"):
        differences = np.array(added.columns[name]) - np.array(given.columns[name])
        np.testing.assert_allclose(differences, self_energy, rtol=1e-9)


@pytest.mark.parametrize("system", (BULK, SLAB), ids=("bulk", "slab"))
def test_atoms_get_no_force_but_by_way_of_the_fix(installation, reader, tmp_path, system):
    dumps = [bytes_of_dump(installation, tmp_path / name,
                           f"{reader}{system}fix reads all {fix}\nkspace_modify compute {compute}\nrun 10\n", 2)[1]
             for name, fix, compute in (("ignored", "dplr 0.0", "yes"), ("short", "moves", "no"))]
    assert dumps[0] == dumps[1]


def test_energies_of_atoms_add_up(installation, reader, tmp_path):
    atoms = ("compute each all pe/atom\ncompute sum all reduce sum c_each\nthermo_style custom step pe c_sum\n"
             "fix reads all dplr\nrun 4\n")
    output = run_script(installation, reader + BULK + atoms, 2, tmp_path).expect_success().output
    (table,) = read_thermo(output)
    np.testing.assert_allclose(table.columns["c_sum"], table.columns["PotEng"], rtol=1e-9)


def test_name_of_the_style_is_its_own_again_without_the_fix(installation, reader, tmp_path):
    parts = "fix reads all dplr\nrun 2\ninfo system\nunfix reads\nrun 2\ninfo system\n"
    output = run_script(installation, reader + BULK + parts, 2, tmp_path).expect_success().output
    names = [line.split()[3] for line in output.splitlines() if line.startswith("Kspace style =")]
    assert names == ["pppm/dplr", "pppm/offload"]


def test_forces_arrive_in_a_minimization(installation, reader, tmp_path):
    end = "minimize 0 0 5 20\nrun 0\n"
    script = reader + BULK
    energies = []
    for overlap in ("yes", "no"):
        output = run_script(installation, f"{script}kspace_modify overlap {overlap}\nfix reads all dplr\n{end}", 2,
                            tmp_path)
        energies.append(read_thermo(output.expect_success().output)[0].columns["PotEng"])
    assert list(energies[0]) == list(energies[1])
    assert energies[0][-1] < energies[0][0]


WRONG = {
    "newton off": ("newton off\n", "", ["newton off", "newton on"]),
    "no long-range forces": ("", "kspace_modify compute no\n", ["compute no", "compute yes"]),
    "respa": ("", "run_style respa 2 2 kspace 2 pair 1\n", ["respa", "verlet"]),
}
"""Lines at the start and at the end of a script that would lose forces, and words that the message must contain."""


@pytest.mark.parametrize("case", WRONG)
def test_what_would_lose_forces_is_an_error(installation, reader, tmp_path, case):
    start, end, words = WRONG[case]
    script = start + reader + BULK + end + "fix reads all dplr\nrun 2\n"
    output = run_script(installation, script, 2, tmp_path).expect_failure()
    message = next(line for line in output.splitlines() if line.startswith("ERROR"))
    assert all(word in message for word in ["pppm/offload", *words]), message


def test_a_deepmd_kit_of_another_layout_is_an_error(installation, tmp_path):
    plugin = compile_plugin(installation, [Path(__file__).with_name("fix_dplr_reader.cpp")], tmp_path / "other.so",
                            ["-D", "OTHER_LAYOUT"])
    script = f"plugin load {plugin}\n{BULK}fix reads all dplr\nrun 2\n"
    output = run_script(installation, script, 2, tmp_path).expect_failure()
    message = next(line for line in output.splitlines() if line.startswith("ERROR"))
    assert all(word in message for word in ("fix dplr", "compile deepmd-kit's plug-in", "use pppm/dplr")), message


# ---- with deepmd-kit itself


def kspace(style, mesh, overlap="yes"):
    """The commands of a kspace style for fix dplr; always the same transform, since others round differently."""
    lines = f"kspace_style {style} 1e-5\nkspace_modify gewald 0.40 diff ik mesh {mesh} {mesh} {mesh}\n"
    own = f"kspace_modify fft pencil overlap {overlap} overlap/always yes\n"
    return lines + (own if style == "pppm/offload" else "")


def water(deepmd, data, skin, kspace_commands):
    """deepmd-kit's system, with its own styles and a dump."""
    return f"""\
plugin load {deepmd.plugin}
processors * 2 *
{deepmd.water(data, skin, kspace_commands)}
dump forces all custom 10 forces.dump id x y z fx fy fz
dump_modify forces sort id format float %.17g
"""


def ranks_and_processors(script, ranks):
    """The script with a grid of processors for one rank or two."""
    return script.replace("processors * 2 *", "processors 1 1 1") if ranks == 1 else script


@pytest.mark.deepmd
@pytest.mark.parametrize("overlap", ("yes", "no"))
@pytest.mark.parametrize("ranks", (1, 2))
def test_deepmd_kits_own_references(installation, deepmd, tmp_path, ranks, overlap):
    """Two molecules of water are moved by four mesh points, so that each of two ranks has one.  The molecules do not
    move between the first step, which never overlaps, and the second."""
    (tmp_path / "data").write_text(deepmd.data_of_the_test())
    shift = np.array([0.0, 8.0, 0.0])
    move = "displace_atoms all move {} {} {}\n".format(*shift)
    script = water(deepmd, "data", 0.2,
                   kspace("pppm/offload", 10, overlap)) + move + "dump_modify forces every 1\nrun 1\n"
    output = run_script(installation, ranks_and_processors(script, ranks), ranks, tmp_path,
                        environment=deepmd.variables).expect_success().output
    expected = deepmd.expected
    energies = read_thermo(output)[0].columns
    snapshot = read_snapshot(tmp_path / "forces.dump")
    real = len(expected["f_lr"])
    assert snapshot.step == 1
    assert ("1 of 2 steps had it beside the pair forces" in output) == (overlap == "yes")
    np.testing.assert_allclose(energies["E_long"], [expected["e_kspace"]] * 2, rtol=0, atol=1e-7)
    np.testing.assert_allclose(energies["PotEng"], [expected["e_lr"]] * 2, rtol=0, atol=1e-7)
    np.testing.assert_allclose(snapshot.forces[:real], expected["f_lr"], rtol=0, atol=1e-7)
    np.testing.assert_allclose(snapshot.vectors("x", "y", "z")[real:] - shift, expected["WC"], rtol=0, atol=1e-7)


@pytest.mark.deepmd
@pytest.mark.parametrize("end", ("run 10", "minimize 0 0 5 20"))
@pytest.mark.parametrize("ranks,variant", ((1, BRICK), (2, BRICK), (2, SHM)), ids=str)
def test_bulk_water_as_with_deepmd_kits_own_style(installation, deepmd, tmp_path, ranks, variant, end):
    """The system has 128 molecules.  The model is that of the test, so the system does not behave like water, but the
    forces must agree all the same."""
    def result(name, commands):
        script = water(deepmd, deepmd.bulk_water, 2.0,
                       commands) + "fix integrate real nve\nvelocity real create 300 4711\n" + end + "\n"
        output, dump = bytes_of_dump(installation, tmp_path / name, ranks_and_processors(script, ranks), ranks,
                                     variant=variant,
                                     environment=deepmd.variables)
        return read_thermo(output)[0], read_snapshot(tmp_path / name / "forces.dump"), dump

    theirs, their_forces, _ = result("theirs", kspace("pppm/dplr", 32))
    ours, our_forces, dump = result("ours", kspace("pppm/offload", 32))
    _, _, inline = result("inline", kspace("pppm/offload", 32, "no"))
    assert dump == inline
    largest = np.abs(their_forces.forces).max()
    np.testing.assert_allclose(our_forces.forces, their_forces.forces, rtol=0, atol=1e-9 * largest)
    pressure = np.abs(theirs.columns["Pxx"]).max()
    for name, values in theirs.columns.items():
        scale = pressure if name.startswith("P") and name != "PotEng" else np.abs(values).max()
        np.testing.assert_allclose(ours.columns[name], values, rtol=0, atol=1e-10 * scale, err_msg=name)
