# SPDX-License-Identifier: GPL-2.0-only
"""Random inputs in which atoms become much faster than they were some steps ago: what speeds say of the next steps is
wrong there. Lattices that start at rest and fall apart, thermostats whose target jumps or rises, potentials that are
switched on, grains that grow, and impacts.
"""

import random
from typing import Callable, Dict

STEPS = 260
"""Of each input; two that differ by rounding alone still build lists at the same steps then."""

ATOMS = """\
units lj
lattice {lattice} {density}
region box block 0 {nx} 0 {ny} 0 {nz}
create_box 2 box
create_atoms 1 box
mass * 1.0
pair_style lj/cut 2.5
pair_coeff * * 1.0 1.0
neighbor {skin} bin
neigh_modify every {every} delay {delay} check yes
velocity all create {temperature} {seed} loop geom
timestep {timestep}
fix integrate all nve
"""

GRAINS = """\
units lj
atom_style sphere 1
newton off
comm_modify vel yes
lattice sc 0.9
region box block 0 {nx} 0 {ny} 0 {nz}
create_box 1 box
create_atoms 1 box
set group all diameter 0.9 density 1.0
velocity all create 1e-8 {seed} loop geom
pair_style gran/hooke 1000.0 NULL 50.0 NULL 0.5 0
pair_coeff * *
neighbor {skin} bin
neigh_modify every {every} delay {delay} check yes
timestep 0.002
fix integrate all nve/sphere
variable size equal "{size}"
fix grow all adapt 1 atom diameter v_size
"""

OUTPUT = f"thermo_style custom step temp pe nbuild ndanger\nthermo 1\nrun {STEPS}\n"


def common(draw: random.Random) -> Dict[str, object]:
    """Values that all inputs have: box, skin, and when lists may be built."""
    nx, ny, nz = sorted(draw.choice((4, 5, 6)) for _ in range(3))
    return {"nx": nx, "ny": ny, "nz": nz, "skin": draw.choice((0.2, 0.3, 0.4)), "every": draw.choice((1, 1, 1, 2)),
            "delay": draw.choice((0, 0, 0, 4)), "seed": draw.randrange(1, 90000), "lattice": "fcc", "density": 0.8442,
            "temperature": 10.0 ** draw.uniform(-4.0, -1.5), "timestep": draw.choice((0.002, 0.004, 0.005))}


def from_rest(draw: random.Random) -> str:
    """An unstable lattice: displacements grow exponentially."""
    values = {**common(draw), "lattice": "sc", "density": draw.uniform(1.0, 1.3),
              "temperature": 10.0 ** draw.uniform(-7.0, -3.0), "timestep": draw.choice((0.002, 0.003))}
    return ATOMS.format(**values)


def heated_at_once(draw: random.Random) -> str:
    """A cold crystal whose velocities are scaled up in one step."""
    step, target = draw.randrange(30, 200), draw.uniform(1.0, 4.0)
    return (ATOMS.format(**common(draw)) +
            f"fix heat all temp/rescale {step} {target} {target} 0.02 1.0\n")


def ramp(draw: random.Random) -> str:
    """A cold crystal whose temperature is raised several times."""
    every, target = draw.randrange(20, 90), draw.uniform(1.0, 5.0)
    return ATOMS.format(**common(draw)) + f"fix heat all temp/rescale {every} 0.01 {target} 0.02 1.0\n"


def thermostat_that_jumps(draw: random.Random) -> str:
    """The target of a thermostat is a variable with a jump."""
    step, target, damp = draw.randrange(30, 200), draw.uniform(2.0, 6.0), draw.choice((0.02, 0.05))
    return (ATOMS.format(**common(draw)) +
            f'variable target equal "0.001+{target}*(step>={step})"\n'
            f"fix bath all langevin v_target 1.0 {damp} {draw.randrange(1, 90000)}\n")


def potential_switched_on(draw: random.Random) -> str:
    """Ghost particles begin to repel each other."""
    step, strength = draw.randrange(20, 200), draw.uniform(50.0, 300.0)
    return (ATOMS.format(**common(draw)).replace("lj/cut 2.5", "soft 1.5").replace("* * 1.0 1.0", "* * 0.0") +
            f'variable strength equal "{strength}*(step>={step})"\n'
            f"fix switch all adapt {draw.choice((1, 5))} pair soft a * * v_strength\n")


def push(draw: random.Random) -> str:
    """A force acts on a part of the atoms, from some step on; not so long that atoms are lost, as LAMMPS' own are."""
    step, force = draw.randrange(20, 200), draw.uniform(50.0, 400.0)
    return (ATOMS.format(**common(draw)) + "region part block INF INF INF INF INF 2\ngroup part region part\n"
            f'variable push equal "{force}*(step>={step})*(step<{step + 20})"\n'
            "fix push part addforce v_push 0.0 0.0\n")


def grains_that_jump(draw: random.Random) -> str:
    """Grains become larger in one step, so that they overlap."""
    step, more = draw.randrange(20, 200), draw.uniform(0.3, 0.6)
    return GRAINS.format(**common(draw), size=f"0.9+{more}*(step>={step})")


def grains_that_grow(draw: random.Random) -> str:
    """Grains that do not touch grow until they do."""
    return GRAINS.format(**common(draw), size=f"0.9+{draw.uniform(0.3, 0.7)}*step/{STEPS}.0")


def impact(draw: random.Random) -> str:
    """A plate that moves by itself hits a crystal at rest."""
    speed = draw.uniform(1.0, 3.0)
    return (ATOMS.format(**{**common(draw), "nz": 9, "timestep": 0.002}).replace(
        "create_atoms 1 box", "region low block INF INF INF INF 0 4\nregion high block INF INF INF INF 5 6.4\n"
        "create_atoms 1 region low\ncreate_atoms 2 region high") +
        f"group plate type 2\nvelocity plate set 0.0 0.0 {-speed} sum yes\n")


KINDS: Dict[str, Callable] = {
    "from rest": from_rest, "heated at once": heated_at_once, "ramp": ramp, "thermostat": thermostat_that_jumps,
    "switch": potential_switched_on, "push": push, "grains jump": grains_that_jump, "grains grow": grains_that_grow,
    "impact": impact,
}


def sudden_motion(number: int) -> str:
    """Commands of input `number`, which has always the same ones; kinds take turns."""
    kind = list(KINDS.values())[number % len(KINDS)]
    return kind(random.Random(f"sudden motion {number}")) + OUTPUT
