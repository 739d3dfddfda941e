# SPDX-License-Identifier: GPL-2.0-only
"""Rigid bodies, and thermostats of velocities with a bias, with the suffix /threadpool."""

import numpy as np
import pytest

from charged_systems import WATER
from lammps_output import read_thermo
from lammps_run import BRICK, threadpool
from small_systems import LJ
from suffix_runs import moved, moved_otherwise

BODIES = """\
units lj
atom_style molecular
atom_modify map array
lattice custom 0.75 a1 1 0 0 a2 0 1 0 a3 0 0 1 basis 0.1 0.1 0.1 basis 0.3 0.1 0.1 basis 0.2 0.35 0.15 &
  basis 0.15 0.2 0.4 basis 0.6 0.6 0.6 basis 0.8 0.7 0.65
region box block 0 7 0 7 0 7
create_box 2 box
create_atoms 1 box basis 5 2 basis 6 2
mass 1 1.3
mass 2 0.7
variable body atom 2*(floor(x/2)+7*floor(y/2)+49*floor(z/2))+type
set group all mol v_body
displace_atoms all move 1.6 1.6 1.6 units box
pair_style zero 2.0
pair_coeff * *
comm_modify cutoff 2.5
neighbor 0.3 bin
neigh_modify every 4 delay 0 check no
variable x atom 1.5*sin(id*id)
variable y atom sin(3*id)
variable z atom cos(id*id)
velocity all set v_x v_y v_z
fix pull all addforce v_y v_z v_x
fix move all {fix}
timestep 0.004
compute s all {stress} NULL fix
compute ss all reduce sum c_s[*]
thermo_style custom step temp press pxx pyy pzz pxy pxz pyz vol c_ss[*]
"""
"""In each cell a body of four atoms and one of two, which is linear; borders of two ranks, and of the box, cut bodies.
There are no forces between atoms: differences come from the fixes alone."""


def bodies(fix: str, stress: str = "stress/atom") -> str:
    return BODIES.format(fix=fix, stress=stress)


def changed(text: str, *changes) -> str:
    """A text with other words, which must be in it."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


NO_TEMPERATURE = ("temp press pxx pyy pzz pxy pxz pyz vol ", "")
FLAT = changed(bodies("rigid/small molecule"), ("atom_modify", "dimension 2\natom_modify"),
               ("custom 0.75", "custom 1.5"),
               ("0.1 0.1 0.1 basis 0.3 0.1 0.1 basis 0.2 0.35 0.15", "0.1 0.1 0 basis 0.3 0.1 0 basis 0.2 0.3 0"),
               ("0.15 0.2 0.4 basis 0.6 0.6 0.6", "0.1 0.4 0 basis 0.6 0.6 0"), ("0.8 0.7 0.65", "0.8 0.7 0"),
               ("box block 0 7 0 7 0 7", "box block 0 14 0 14 -0.1 0.1"),
               ("7*floor(y/2)+49*floor(z/2)", "14*floor(y/2)"),
               ("1.6 1.6 1.6", "1.6 1.6 0"), ("v_x v_y v_z", "v_x v_y 0"), ("v_y v_z v_x", "v_y v_z 0"),
               ("timestep", "fix flat all enforce2d\ntimestep"), NO_TEMPERATURE)

HALF_EMPTY = (("box block 0 7 0 7 0 7", "box block 0 40 0 7 0 7\nregion filled block 0 7 0 7 0 7"),
              ("create_atoms 1 box", "create_atoms 1 region filled"))
"""Changes that leave the second of two ranks without an atom."""

RIGID = {
    "rigid/small": bodies("rigid/small molecule"),
    "rigid/small with Langevin": bodies("rigid/small molecule langevin 1.0 2.0 0.5 4711"),
    "rigid/small with early forces and gravity": changed(
        bodies("rigid/small molecule gravity fall"), ("fix move", "fix fall all gravity 3.0 vector 1 2 -2\nfix move"),
        ("timestep", "fix_modify move bodyforces early\ntimestep")),
    "rigid/small in a triclinic box": changed(
        bodies("rigid/small molecule"),
        ("velocity all", "change_box all triclinic xy final 2.0 xz final -1.0 yz final 1.5 remap\nvelocity all")),
    "rigid/small in two dimensions": FLAT,
    "rigid/small of spheres": changed(
        bodies("rigid/small molecule"), ("atom_style molecular", "atom_style hybrid molecular sphere"),
        ("mass 1 1.3\nmass 2 0.7", "set group all diameter 0.3 density 1.1"), NO_TEMPERATURE),
    "rigid/small and stresses about centroids": bodies("rigid/small molecule", "centroid/stress/atom"),
    "rigid/nve/small": bodies("rigid/nve/small molecule"),
    "rigid/nvt/small": bodies("rigid/nvt/small molecule temp 1.0 2.0 0.1"),
    "rigid/npt/small": bodies("rigid/npt/small molecule temp 1.0 2.0 0.1 iso 0 1 0.5"),
    "rigid/nph/small": bodies("rigid/nph/small molecule x 0 1 0.5 y 0 1 0.5"),
    "rigid/small with a rank that never has an atom": changed(bodies("rigid/small molecule"), *HALF_EMPTY),
}
ON_TWO_RANKS = ("rigid/small", "rigid/small in a triclinic box", "rigid/nvt/small", "rigid/npt/small",
                "rigid/small with a rank that never has an atom")


SOME = ("fix move all", "group solid molecule 1:90\ngroup rest subtract all solid\nfix rest rest nve\nfix move solid")


def few(fix: str) -> str:
    """Bodies of some of the atoms, for fixes whose ranks have all bodies."""
    return changed(bodies(fix), SOME)


FEW = {
    "rigid": few("rigid molecule"),
    "rigid of all atoms": bodies("rigid molecule"),
    "rigid of groups": changed(
        few("rigid group 2 ball other"), ("molecule 1:90", "molecule 1:20 60:90"),
        ("fix rest", "group ball molecule 1:20\ngroup other molecule 60:90\nfix rest")),
    "rigid with Langevin": few("rigid molecule langevin 1.0 2.0 0.5 4711"),
    "rigid with early forces and gravity": changed(
        few("rigid molecule gravity fall force * off on on torque 3*7 on off on"),
        ("fix move", "fix fall all gravity 3.0 vector 1 2 -2\nfix move"),
        ("timestep", "fix_modify move bodyforces early\ntimestep")),
    "rigid in two dimensions": changed(FLAT, SOME, ("rigid/small", "rigid")),
    "rigid of spheres": changed(RIGID["rigid/small of spheres"], SOME, ("rigid/small", "rigid")),
    "rigid in a triclinic box": changed(RIGID["rigid/small in a triclinic box"], SOME, ("rigid/small", "rigid")),
    "rigid/nve": few("rigid/nve molecule"),
    "rigid/nvt": few("rigid/nvt molecule temp 1.0 2.0 0.1"),
    "rigid/npt": few("rigid/npt molecule temp 1.0 2.0 0.1 iso 0 1 0.5"),
    "rigid/npt that dilates a group": few("rigid/npt molecule temp 1.0 2.0 0.1 aniso 0 1 0.5 dilate rest"),
    "rigid/nph": few("rigid/nph molecule x 0 1 0.5 y 0 1 0.5"),
    "rigid with a rank that never has an atom": changed(few("rigid molecule"), *HALF_EMPTY),
}


@pytest.mark.parametrize("system,ranks,parts", [
    *((system, 1, 3) for system in RIGID), *((system, 2, 2) for system in ON_TWO_RANKS),
    *((system, 1 + number % 3, (3, 2, 1)[number // 2 % 3]) for number, system in enumerate(FEW))])
def test_rigid_bodies_move_as_without(servers, tmp_path, system, ranks, parts):
    expected, found = (moved(servers, {**RIGID, **FEW}[system], variant, ranks, tmp_path)
                       for variant in (BRICK, threadpool(parts)))
    assert np.max(np.abs(expected[0][0].columns["c_ss[4]"])) > 1e-3
    assert not moved_otherwise(expected, found, 1e-11 if "np" in system else 1e-12)


MODELS = {
    "SPC/E": ("lj/cut/coul/cut 7.0", {}),
    "TIP4P": ("lj/cut/tip4p/cut 1 2 1 1 0.15 6.5 6.0", {"-0.8476": "-1.1128", "0.4238": "0.5564"}),
}
WAYS = {"shake": "fix rigid all shake 1e-8 100 0 b 1 a 1",
        "rigid/small": "fix rigid all rigid/small molecule"}


@pytest.mark.parametrize("model,way,ranks,parts", (("SPC/E", "shake", 2, 2), ("SPC/E", "rigid/small", 1, 2),
                                                   ("TIP4P", "shake", 1, 2), ("TIP4P", "rigid/small", 2, 2)))
def test_energy_of_rigid_water_is_that_without_and_conserved(servers, model, way, ranks, parts):
    """Rounding errors grow, until lists have been built several times."""
    style, charges = MODELS[model]
    text = WATER.replace("lj/cut/coul/long 7.0", style).format(kspace="").replace(WAYS["shake"], WAYS[way])
    if way == "rigid/small":
        text = text.replace("fix integrate all nve\n", "")
    for old, new in charges.items():
        text = text.replace(f"charge {old}", f"charge {new}")
    text = text.replace("timestep 1.0", "timestep 0.2")
    text += "thermo_style custom step pe ke etotal press\nthermo_modify norm no format float %.17g\nthermo 10\nrun 40\n"
    variant = threadpool(parts)
    servers.server(ranks, variant).run(variant.command)    # from the next script on thermo output has the suffix, too
    stock, one, other = (read_thermo(servers.server(ranks, variant).run(f"{variant.command}\n{text}"))[-1].columns
                         for variant in (BRICK, variant, variant))
    for column in ("PotEng", "KinEng", "TotEng", "Press"):
        assert one[column] == pytest.approx(stock[column], rel=1e-9)
        assert np.array_equal(one[column], other[column])
    assert len(set(one["PotEng"])) == 5


@pytest.mark.parametrize("keyword", ("", " constrain", " constrain com"))
def test_heat_is_exchanged_between_constrained_molecules_as_without(servers, tmp_path, keyword):
    """Fix ehex constrain looks for fix shake by its name, and calls it."""
    text = changed(WATER, ("lj/cut/coul/long 7.0", "lj/cut/coul/cut 7.0")).format(kspace="") + "\n".join([
        "region hot block INF INF INF INF 0 6 units box", "region cold block INF INF INF INF 9 15 units box",
        f"fix hot all ehex 1 0.02 region hot{keyword}", f"fix cold all ehex 1 -0.02 region cold{keyword}", ""])
    expected, found = (moved(servers, text, variant, 2, tmp_path) for variant in (BRICK, threadpool(2)))
    assert not moved_otherwise(expected, found, 1e-9)
    without = moved(servers, text.replace("0.02 ", "0.0 "), BRICK, 2, tmp_path)
    assert moved_otherwise(without, found, 1e-7)


def test_bonds_are_constrained_where_a_rank_never_has_an_atom(servers, tmp_path):
    text = changed(WATER, ("lj/cut/coul/long 7.0", "lj/cut/coul/cut 7.0"), ("box block 0 6.2 0", "box block 0 60.0 0"),
                   ("replicate 3 3 3", "replicate 1 3 3")).format(kspace="") + (
        "compute s all stress/atom NULL fix\ncompute ss all reduce sum c_s[*]\n"
        "thermo_style custom step pe press c_ss[*]")
    expected, found = (moved(servers, text, variant, 2, tmp_path) for variant in (BRICK, threadpool(2)))
    assert np.max(np.abs(expected[0][0].columns["c_ss[1]"])) > 1.0
    assert not moved_otherwise(expected, found, 1e-10)


# thermostats

GAS = LJ.replace("block 0 5 0 5 0 5", "block 0 8 0 8 0 8").replace("lj/cut 2.5", "zero 2.5").replace(
    "1.0 1.0 2.5", "").replace("pair_coeff 2 2 0.8 0.9 2.0\n", "") \
    .replace("velocity all create 1.44 87287 loop geom",
             "variable x atom 1.5*sin(id*id)+0.1*z\nvariable y atom sin(3*id)+0.2\nvariable z atom cos(id*id)\n"
             "velocity all set v_x v_y v_z")
#: Stresses of atoms are printed each five steps; in others LAMMPS would print those of an earlier step.
ADDED = {
    "a constant": "add all addforce 0.3 -0.2 1e1",
    "a constant for a group": "add some addforce 0.3 -0.2 0.1",
    "a constant every 5 steps": "add all addforce 0.3 -0.2 0.1 every 5",
    "variables": "add some addforce v_grow 0.2 v_grow",
    "variables every 5 steps": "add all addforce v_grow 0.2 v_grow every 5",
    "a region": "add all addforce 0.3 -0.2 0.1 region half",
    "variables of atoms": "add all addforce v_x 0.2 v_grow",
    "an energy": "add all addforce v_grow 0.2 v_grow energy v_x",
}


def pushed(force: str) -> str:
    """A gas with a force, whose atoms have been through several boxes."""
    return GAS.replace("region box block 0 8 0 8 0 8", "region box prism 0 8 0 8 0 8 1 -2 2") + (
        "set group all image 3 -2 1\nset type 2 image 0 -7 4\ngroup some id 1:1500:3 1600:2000\n"
        "region half block INF INF INF INF 0 6\nvariable grow equal 0.1+0.3*step\n"
        f"fix {force}\nfix_modify add energy yes virial yes\ncompute s all stress/atom NULL fix\n"
        "compute ss all reduce sum c_s[*]\n"
        "thermo_style custom step pe press pxx pyy pzz pxy pxz pyz f_add f_add[*] c_ss[*]")


@pytest.mark.parametrize("force,ranks,parts", [(force, 1 + number % 3, (2, 3, 1)[number // 2 % 3])
                                               for number, force in enumerate(ADDED)])
def test_forces_are_added_as_without(servers, tmp_path, force, ranks, parts):
    expected, found = (moved(servers, pushed(ADDED[force]), variant, ranks, tmp_path)
                       for variant in (BRICK, threadpool(parts)))
    assert np.max(np.abs(expected[0][0].columns["c_ss[4]"])) > 1e-3
    assert not moved_otherwise(expected, found, 1e-12)


@pytest.mark.parametrize("system, fewest", ((RIGID["rigid/nvt/small"], 2), (FEW["rigid/nvt"], 1),
                                            (pushed(ADDED["variables"]), 1)),
                         ids=("rigid/nvt/small", "rigid/nvt", "addforce"))
def test_sums_are_the_same_bits_for_any_number_of_parts(servers, tmp_path, system, fewest):
    """With one part, LAMMPS moves small bodies. It makes the compute of the output's temperature with
    *clear*: the first case of a job has none with the suffix, and rounds its sum otherwise."""
    found = [moved(servers, system, threadpool(parts), 1, tmp_path)
             for parts in (fewest, fewest, fewest + 1, fewest + 2)]
    for other in found[2:]:
        assert not moved_otherwise(found[1], other, 0.0)


NVT, NPT = "fix integrate all nvt temp 1.0 2.0 0.1", "fix integrate all npt temp 1.0 2.0 0.1 aniso 0 1 0.5"


def biased(temperature: str, fix: str = NVT) -> str:
    """A gas with a thermostat whose temperature has a bias."""
    return GAS.replace("fix integrate all nve", f"{fix}\ncompute t all {temperature}\nfix_modify integrate temp t\n"
                                                "thermo_style custom step temp press c_t c_t[*]")


def sheared(fix: str) -> str:
    """A gas in a box that shears, whose velocities are those of the flow at the borders."""
    return GAS.replace("region box block 0 8 0 8 0 8", "region box prism 0 8 0 8 0 8 0 0 0").replace(
        "fix integrate all nve", f"fix flow all deform 1 xy erate 0.5 remap v\n{fix}\n"
                                 "compute t all temp/deform\nthermo_style custom step temp press c_t c_t[*]")


SLLOD = "fix integrate all nvt/sllod temp 1.0 2.0 0.1"
BIASED = {
    "temp/com": biased("temp/com"),
    "temp/com of a group that changes": biased("temp/com").replace(
        "compute t all", "variable low atom z<6\ngroup moving dynamic all every 2 var low\ncompute u moving temp/com\n"
        "compute t all").replace("c_t c_t[*]", "c_t c_t[*] c_u c_u[*]"),
    "temp/partial": biased("temp/partial 1 0 1"),
    "temp/profile": biased("temp/profile 1 1 0 z 4").replace(" c_t[*]", " c_t[1]"),
    "temp/ramp": biased("temp/ramp vx 0 1.0 z 0 13"),
    "temp/region": biased("temp/region half").replace("compute t", "region half block INF INF INF INF 0 4\ncompute t"),
    "npt with temp/com": biased("temp/com", NPT),
    "npt of a tilted box": biased("temp/com", NPT.replace("aniso 0 1 0.5", "tri 0 1 0.5")).replace(
        "region box block 0 8 0 8 0 8", "region box prism 0 8 0 8 0 8 2 1 -1.5"),
    "nvt/sllod": sheared(SLLOD),
    "nvt/sllod psllod": sheared(SLLOD + " psllod yes"),
    "nvt/sllod with temp/profile": sheared(
        SLLOD + "\ncompute p all temp/profile 1 0 0 y 8\nfix_modify integrate temp p"),
}


@pytest.mark.parametrize("system,ranks,parts", [(system, 1, 3) for system in BIASED] + [
    (system, 2, 2) for system in ("temp/com", "npt with temp/com", "nvt/sllod")])
def test_thermal_velocities_are_scaled_as_without(servers, tmp_path, system, ranks, parts):
    expected, found = (moved(servers, BIASED[system], variant, ranks, tmp_path)
                       for variant in (BRICK, threadpool(parts)))
    assert not moved_otherwise(expected, found, 1e-12)
