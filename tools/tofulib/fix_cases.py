# SPDX-License-Identifier: GPL-2.0-only
"""Inputs of bench --fixes: fixes and computes with their usual settings in runs whose pair styles have the suffix."""

from typing import NamedTuple

from . import bench, kspace_cases

MOLECULES = 2000
STEPS = {"lj": 300, "water": 80, "tip4p": 60, "rhodo": 16}

LJ = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 20 0 20 0 20
create_box 2 box
create_atoms 1 box
region wall block INF INF INF INF 0 1
group wall region wall
group mobile subtract all wall
set group wall type 2
mass * 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff * * 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
timestep 0.005
"""
NVE = "fix integrate all nve"
OUTPUT = "thermo 100\n"
WATER = """\
neighbor 2.0 bin
neigh_modify delay 4 every 2 check yes
timestep 2.0
"""
SHAKE = "fix constraints all shake 1e-4 20 0 b 1 a 1"
NVT_WATER = f"{SHAKE}\nfix integrate all nvt temp 300.0 300.0 100.0"
TIP4P_STYLE = "lj/cut/tip4p/long 1 2 1 1 0.1546 9.0"
TIP4P_CHARGES = "set type 1 charge -1.1128\nset type 2 charge 0.5564\n"


class FixCase(NamedTuple):
    """A fix or compute, as lines of an input.

    Args:
        system: A key of STEPS.
        symbols: Regular expression of the functions that do its work.
        lines: Commands with it. Those of the systems without are BASES.
    """

    system: str
    symbols: str
    lines: str


#: Commands that the systems have without a fix or compute of the table.
BASES = {"lj": NVE, "water": NVT_WATER, "tip4p": NVT_WATER, "rhodo": ""}

SLLOD = ("change_box all triclinic", "fix flow all deform 1 xy erate 0.05 remap v")
BODIES = ("region balls sphere 5 5 10 3", "group ball region balls", "region other sphere 15 15 10 3",
          "group other region other", "group bodies union ball other", "group rest subtract all bodies",
          "neigh_modify exclude group ball ball", "neigh_modify exclude group other other")
STRESS = "compute s all stress/atom NULL"
CHUNKS = "compute c all chunk/atom bin/1d z lower 0.05 units reduced"

RIGID = r"[Rr]igid|BodyAtoms|MathExtra|Fix::v_tally|Domain::(unmap|remap)"
SHAKE_FUNCTIONS = r"FixShake|constrain_|Shake|Cluster"
THERMOSTAT = (r"ComputeTemp|FixNH|FixNVT|FixNPT|FixDeform|_bias|GroupOnPool|integrate_values|Thermal|VelocitySums|"
              r"Domain::|remap_on_pool")
GROUP = r"|Group::(vcm|xcm|angmom|inertia|mass|omega|count|bounds)"


def added(symbols, *lines, system="lj"):
    """Case of a fix or compute that is added to what the system has."""
    return FixCase(system, symbols, "\n".join((BASES[system], *lines)))


def integrated(*lines, system="lj", symbols=THERMOSTAT):
    """Case of a fix that integrates."""
    return FixCase(system, symbols, "\n".join(lines))


def output(symbols, columns, *lines, system="lj"):
    """Case of columns of thermodynamic output."""
    return added(symbols, *lines, f"thermo_style custom step temp press {columns}", system=system)


def averaged(symbols, words, *lines):
    """Case of a fix of the family ave."""
    return added(symbols, *lines, f"fix average all {words}")


def biased(temperature, fix="nvt temp 1.44 1.44 0.5", *lines):
    """Case of a thermostat with another temperature."""
    return integrated(*lines, f"compute t all {temperature}", f"fix integrate all {fix}", "fix_modify integrate temp t")


def rigid(fix, system="water"):
    """Case of rigid molecules."""
    return integrated(f"fix integrate all {fix}", system=system, symbols=RIGID)


CASES = {
    # forces and velocities
    "momentum 100": added("FixMomentum" + GROUP, "fix m all momentum 100 linear 1 1 1 angular"),
    "addforce": added("FixAddForce", "fix a mobile addforce 0.01 0.0 0.0"),
    "setforce of a wall": added("FixSetForce", "velocity wall set 0 0 0", "fix s wall setforce 0.0 0.0 0.0"),
    "spring of a wall": added("FixSpring" + GROUP, "fix s wall spring tether 50.0 15 15 0 0"),
    "spring/self of a wall": added("FixSpringSelf", "fix s wall spring/self 10.0"),
    "temp/berendsen": added("FixTempBerendsen|ComputeTemp", "fix b all temp/berendsen 1.44 1.44 0.5"),
    "temp/rescale 10": added("FixTempRescale|ComputeTemp", "fix b all temp/rescale 10 1.44 1.44 0.1 1.0"),
    "langevin": added("FixLangevin|RanMars|MarsSequence|draw", "fix l all langevin 1.44 1.44 1.0 4711"),
    # averages and analysis
    "ave/time 10 100 1000": averaged("FixAveTime|ComputeTemp|ComputePress",
                                     "ave/time 10 100 1000 c_thermo_temp c_thermo_press"),
    "ave/chunk 10 100 1000": averaged("FixAveChunk|ComputeChunk", "ave/chunk 10 100 1000 c vx density/number temp",
                                      CHUNKS),
    "ave/atom 10 10 100": averaged("FixAveAtom", "ave/atom 10 10 100 vx vy vz"),
    "ave/histo 10 10 100": averaged("FixAveHisto", "ave/histo 10 10 100 -5 5 100 vx mode vector"),
    "ave/correlate 5 100 1000": averaged(
        "FixAveCorrelate|ComputePress",
        "ave/correlate 5 100 1000 c_thermo_press[1] c_thermo_press[2] c_thermo_press[3]"),
    "reduce 100": output("ComputeReduce", "c_r[*]", "compute r all reduce sum vx vy vz"),
    "msd 100": output("ComputeMSD|Domain::unmap" + GROUP, "c_m[4]", "compute m all msd com yes"),
    "rdf 100": averaged("ComputeRDF|DistanceCounter|count_rows|bin_of_distance",
                        "ave/time 100 1 100 c_g[*] mode vector", "compute g all rdf 100"),
    "pe/atom 100": output("ComputePEAtom|ComputeReduce", "c_sum", "compute e all pe/atom",
                          "compute sum all reduce sum c_e"),
    "ke/atom 100": output("ComputeKEAtom|ComputeReduce", "c_sum", "compute e all ke/atom",
                          "compute sum all reduce sum c_e"),
    "stress/atom 100": output("ComputeStressAtom|ComputeReduce", "c_sum[*]", STRESS,
                              "compute sum all reduce sum c_s[1] c_s[2] c_s[3]"),
    "stress/atom in ave/chunk 10 100 1000": averaged("ComputeStressAtom|FixAveChunk|ComputeChunk",
                                                     "ave/chunk 10 100 1000 c c_s[1] c_s[2] c_s[3]", STRESS, CHUNKS),
    "stress/atom in ave/chunk 1 100 100": averaged("ComputeStressAtom|FixAveChunk|ComputeChunk",
                                                   "ave/chunk 1 100 100 c c_s[1] c_s[2] c_s[3]", STRESS, CHUNKS),
    # thermostats and barostats
    "nvt": integrated("fix integrate all nvt temp 1.44 1.44 0.5"),
    "nvt, temp/com": biased("temp/com"),
    "nvt, temp/partial": biased("temp/partial 0 1 1"),
    "nvt, temp/profile": biased("temp/profile 1 0 0 z 20"),
    "npt": integrated("fix integrate all npt temp 1.44 1.44 0.5 iso 0.0 0.0 5.0"),
    "npt, temp/com": biased("temp/com", "npt temp 1.44 1.44 0.5 iso 0.0 0.0 5.0"),
    "deform, nvt/sllod": integrated(*SLLOD, "fix integrate all nvt/sllod temp 1.44 1.44 0.5"),
    "deform, nvt": integrated(SLLOD[0], SLLOD[1].replace("remap v", "remap x"),
                              "fix integrate all nvt temp 1.44 1.44 0.5"),
    "deform, nvt, temp/deform": biased("temp/deform", "nvt temp 1.44 1.44 0.5", *SLLOD),
    # rigid bodies
    "rigid, two bodies of 95 atoms": integrated(*BODIES, "fix integrate rest nve",
                                                "fix bodies bodies rigid group 2 ball other", symbols=RIGID),
    "SPC/E: shake, nvt": FixCase("water", SHAKE_FUNCTIONS, NVT_WATER),
    "SPC/E: rigid/small": rigid("rigid/small molecule"),
    "SPC/E: rigid/nve/small": rigid("rigid/nve/small molecule"),
    "SPC/E: rigid/nvt/small": rigid("rigid/nvt/small molecule temp 300 300 100"),
    "SPC/E: rigid/npt/small": rigid("rigid/npt/small molecule temp 300 300 100 iso 0 0 1000"),
    "TIP4P: shake, nvt": FixCase("tip4p", SHAKE_FUNCTIONS, NVT_WATER),
    "TIP4P: rigid/small": rigid("rigid/small molecule", "tip4p"),
    # rhodopsin
    "rhodo: shake, npt": FixCase("rhodo", f"{SHAKE_FUNCTIONS}|{THERMOSTAT}|ComputePress", ""),
    "rhodo: momentum 100": added("FixMomentum" + GROUP, "fix m all momentum 100 linear 1 1 1 angular", system="rhodo"),
    "rhodo: spring/self of the protein": added("FixSpringSelf", "group protein molecule 1",
                                               "fix s protein spring/self 1.0", system="rhodo"),
}


def script(name, lammps, base=False):
    """Input of a case; with base, of its system without what is measured."""
    case = CASES[name]
    lines, steps = BASES[case.system] if base else case.lines, STEPS[case.system]
    runs = f"{OUTPUT}run {max(steps // 10, 2)}\nrun {steps}\n"
    if case.system == "rhodo":
        return bench.changed_input(lammps, "bench/in.rhodo", (bench.RUN, lines + "\n")) + runs
    if case.system == "lj":
        return f"{LJ}{lines}\n{runs}"
    head = kspace_cases.WATER_HEAD + "kspace_style pppm 1e-4\n"
    forces, charges = kspace_cases.WATER_FORCES, ""
    if case.system == "tip4p":
        head = head.replace("lj/cut/coul/long 9.0", TIP4P_STYLE).replace("style pppm", "style pppm/tip4p")
        charges = TIP4P_CHARGES
    data = kspace_cases.water_data(MOLECULES, lammps)
    return f"{head}read_data {data}\n{forces}{charges}{WATER}{lines}\n{runs}"
