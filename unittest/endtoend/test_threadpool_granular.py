# SPDX-License-Identifier: GPL-2.0-only
"""pair_style granular with the suffix /threadpool: each of its models, alone and with others, and walls that have such
models."""

from typing import Dict

import numpy as np
import pytest

from lammps_output import read_thermo
from lammps_run import BRICK, run_script, threadpool
from small_systems import GRAINS
from suffix_runs import contacts, differences, expect_contacts_in_restart_files

PAIRS = "pair_style gran/hooke/history 20000.0 NULL 50.0 NULL 0.5 1\npair_coeff * *"
WALL = "wall/gran hooke/history 20000.0 NULL 50.0 NULL 0.5 1 zplane 0.0 10.0"
SIZES = GRAINS.replace("create_box 1", "create_box 3").replace(
    "velocity all", "set group all type/fraction 2 0.3 4711\nset group all type/fraction 3 0.2 99\n"
    "set type 2 diameter 0.9\nset type 3 diameter 1.2\nset type 3 density 2.0\nvelocity all") + (
        "velocity all set NULL NULL -1.0 sum yes\nset group all omega 1.0 -2.0 3.0\n")
"""Three sizes of spheres that turn and fall."""

SDS = "rolling sds 500.0 20.0 0.3 twisting sds 300.0 10.0 0.2"
MARSHALL = "rolling sds 800.0 5.0 0.02 twisting marshall"
HOOKE, HERTZ, MATERIAL = "hooke 20000.0 30.0", "hertz 20000.0 50.0", "hertz/material 20000.0 50.0 0.3"


def grains(coefficients: str, system: str = SIZES, settings: str = "") -> str:
    """A system with pair_style granular.

    LAMMPS 4Feb2025 changes the sign of the history of rolling and twisting when the atoms of a pair change places in a
    new list, although it is the same seen from both; lists of the suffix have another order. Models with such a history
    keep their lists.

    Args:
        coefficients: of each pair_coeff command, separated by semicolons.
        settings: of pair_style.
    """
    if "sds" in coefficients or "marshall" in coefficients:
        system = system.replace("neighbor 0.1", "neighbor 0.5").replace("timestep 0.0005", "timestep 0.0002")
    return system.replace(PAIRS, "\n".join([f"pair_style granular {settings}"]
                                           + [f"pair_coeff {words.strip()}" for words in coefficients.split(";")]))


def newton(system: str) -> str:
    """The system with newton on."""
    return system.replace("newton off", "newton on")


SYSTEMS: Dict[str, str] = {
    "hooke, mass_velocity, linear_nohistory": newton(grains(
        f"* * {HOOKE} damping mass_velocity tangential linear_nohistory 1.0 0.5")),
    "no history but of rolling": grains(
        f"* * {HERTZ} damping velocity tangential linear_nohistory 0.4 0.05 rolling sds 500.0 2.0 0.05"),
    "hooke, tsuji, linear_history, limit_damping": newton(grains(
        f"* * hooke 20000.0 0.4 damping tsuji tangential linear_history 8000.0 1.0 0.1 {MARSHALL} limit_damping")),
    "hooke, coeff_restitution": grains(
        f"* * hooke 20000.0 0.4 damping coeff_restitution tangential linear_history 8000.0 1.0 0.5 {SDS}"),
    "hertz, linear_history_classic": grains(
        f"* * {HERTZ} tangential linear_history_classic 8000.0 1.0 0.05 limit_damping"),
    "coefficients are mixed": newton(grains(
        f"1 1 hertz/material 20000.0 0.4 0.3 damping tsuji tangential mindlin NULL 1.0 0.5 {MARSHALL};"
        f"2 2 hertz/material 40000.0 0.5 0.2 damping tsuji tangential mindlin NULL 0.7 0.2 {MARSHALL};"
        f"3 3 hertz/material 10000.0 0.3 0.4 damping tsuji tangential mindlin NULL 0.7 0.1 {MARSHALL}")),
    "each pair of types has a model of its own": newton(grains(
        f"* * {MATERIAL} tangential mindlin 8000.0 1.0 0.5 {SDS};"
        f"1 2 {HOOKE} damping velocity tangential linear_nohistory 1.0 0.5;"
        "1 3 dmt 20000.0 50.0 0.3 20.0 tangential mindlin_rescale NULL 1.0 0.1;"
        f"3 3 jkr 20000.0 50.0 0.3 20.0 tangential linear_history 8000.0 1.0 0.5 {MARSHALL}")),
    "dmt, mindlin/force": grains(
        f"1 1 dmt 20000.0 50.0 0.3 20.0 tangential mindlin/force NULL 1.0 0.05 {SDS};"
        f"2 2 dmt 30000.0 50.0 0.3 30.0 tangential mindlin/force NULL 1.0 0.15 {SDS};"
        f"3 3 dmt 30000.0 40.0 0.2 10.0 tangential mindlin/force NULL 0.5 0.15 {SDS}"),
    "jkr, mindlin_rescale/force": newton(grains(
        f"1 1 jkr 20000.0 50.0 0.3 20.0 tangential mindlin_rescale/force NULL 1.0 0.5 {MARSHALL};"
        f"2 2 jkr 30000.0 40.0 0.2 40.0 tangential mindlin_rescale/force NULL 1.0 0.05 {MARSHALL};"
        f"3 3 jkr 20000.0 40.0 0.2 40.0 tangential mindlin_rescale/force 9000.0 1.0 0.05 {MARSHALL}")),
    "frozen grains and a cut-off": grains(
        f"* * {MATERIAL} damping velocity tangential mindlin NULL 1.0 0.5 {SDS}", settings="1.4")
    + "group frozen type 2\nvelocity frozen set 0 0 0\nfix frozen frozen freeze\n",
    "hybrid": newton(grains("* * granular hertz 20000.0 50.0 tangential mindlin 8000.0 1.0 0.5").replace(
        "pair_style granular", "pair_style hybrid granular gran/hooke 20000.0 NULL 50.0 NULL 0.5 1").replace(
            "0.5\nneighbor", "0.5\npair_coeff 2 3 gran/hooke\nneighbor")),
    "stress by atom in some steps": newton(grains(f"* * {MATERIAL} tangential mindlin NULL 1.0 0.5 {SDS}"))
    + "compute s all stress/atom NULL pair\nfix s all ave/atom 3 1 3 c_s[1]\n",
    "other models": grains(f"* * {MATERIAL} tangential mindlin_classic 8000.0 1.0 0.5"),
    "a cylinder that turns": grains(f"* * {HERTZ} tangential mindlin 8000.0 1.0 0.5").replace(
        "boundary p p f", "boundary f f f")
    + "displace_atoms all move -4 -4 0 units box\nchange_box all x final -4 4 y final -4 4 units box\n"
    f"fix tube all wall/gran granular {HERTZ} tangential mindlin 8000.0 1.0 0.5 zcylinder 5.4 shear x 3.0\n",
    "walls that grains stick to": grains(f"* * {HOOKE} damping velocity tangential linear_nohistory 0.4 0.3")
    + "fix floor all wall/gran granular jkr 20000.0 50.0 0.3 40.0 tangential mindlin NULL 1.0 0.5 "
    + f"{SDS} zplane 0.0 10.0 wiggle z 0.02 0.02\n",
}


def check(servers, tmp_path, system: str, ranks: int, parts: int, style: str) -> None:
    """Raises if results with the suffix differ from LAMMPS' own."""
    expected = contacts(servers, system, BRICK, ranks, tmp_path / "brick")
    assert np.max(np.abs(expected[1][1].columns["tqx"])) > 0.01
    assert not differences(expected, contacts(servers, system, threadpool(parts, style), ranks,
                                              tmp_path / "threadpool"))


DEALT = ((1, 3, "brick"), (2, 1, "p2p/rdma"), (3, 2, "p2p/rdma"), (1, 1, "brick"))


@pytest.mark.parametrize("number,system", enumerate(SYSTEMS), ids=list(SYSTEMS))
def test_forces_torques_and_motion_are_the_same(servers, tmp_path, number, system):
    check(servers, tmp_path, SYSTEMS[system], *DEALT[number % len(DEALT)])


@pytest.mark.long
@pytest.mark.parametrize("case", DEALT)
@pytest.mark.parametrize("system", SYSTEMS)
def test_they_are_the_same_with_each_number_of_parts(servers, tmp_path, system, case):
    check(servers, tmp_path, SYSTEMS[system], *case)


def random_models(seed: int) -> str:
    """Coefficients for three types: one model for equal types, which the others are mixed of, and for one pair of types
    another."""
    numbers = np.random.default_rng(seed)

    def one_of(*words: str) -> str:
        return str(numbers.choice(words))

    def number(low: float, high: float) -> str:
        return f"{np.exp(numbers.uniform(np.log(low), np.log(high))):.12g}"

    def model():
        """Words with the number of coefficients behind them."""
        normal = one_of("hooke", "hertz", "hertz/material", "dmt", "jkr")
        sticks = normal in ("dmt", "jkr")
        restitution = not sticks and numbers.random() < 0.4
        tangential = one_of("linear_nohistory", "linear_history", "linear_history_classic", "mindlin", "mindlin/force",
                            "mindlin_rescale", "mindlin_rescale/force")
        with_spring = [] if tangential == "linear_nohistory" else ["marshall"]    # it divides by its stiffness
        damping = one_of("tsuji", "coeff_restitution") if restitution else one_of(
            "velocity", "mass_velocity", "viscoelastic")
        return {"normal": normal, "sticks": sticks, "restitution": restitution, "damping": damping,
                "tangential": tangential, "rolling": one_of("none", "sds"),
                "twisting": one_of("none", "sds", *with_spring),
                "limit": not sticks and numbers.random() < 0.3}

    def coefficients(m: dict) -> str:
        words = [m["normal"], number(1e4, 4e4), number(0.3, 0.9) if m["restitution"] else number(5.0, 60.0)]
        if m["normal"] in ("hertz/material", "dmt", "jkr"):
            words.append(number(0.1, 0.45))
        if m["sticks"]:
            words.append(number(5.0, 50.0))
        words += ["damping", m["damping"], "tangential", m["tangential"]]
        if m["tangential"] != "linear_nohistory":
            words.append(number(3e3, 1e4))
        words += [number(0.2, 1.0), number(0.02, 0.6)]
        if m["rolling"] == "sds":
            words += ["rolling", "sds", number(1e2, 1e3), number(1.0, 20.0), number(0.01, 0.5)]
        if m["twisting"] != "none":
            words += ["twisting", m["twisting"]]
        if m["twisting"] == "sds":
            words += [number(1e2, 1e3), number(1.0, 20.0), number(0.01, 0.5)]
        return " ".join(words + ["limit_damping"] * m["limit"])

    common, other = model(), model()
    lines = [f"{k} {k} {coefficients(common)}" for k in (1, 2, 3)] + [f"1 3 {coefficients(other)}"]
    return ";".join(lines)


def check_random(servers, tmp_path, seed: int) -> None:
    """Raises if grains with random models differ."""
    system = grains(random_models(seed))
    check(servers, tmp_path, newton(system) if seed % 2 else system, *DEALT[seed % 3])


@pytest.mark.parametrize("seed", range(6))
def test_random_models_are_the_same(servers, tmp_path, seed):
    check_random(servers, tmp_path, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6, 60))
def test_many_random_models_are_the_same(servers, tmp_path, seed):
    check_random(servers, tmp_path, seed)


def test_what_single_pairs_have_can_be_asked_for(servers, tmp_path):
    """compute pair/local reads the history that the kernel has written."""
    system = newton(grains(f"* * {MATERIAL} tangential mindlin_rescale NULL 1.0 0.1 {MARSHALL}"))
    values = [f"p{k}" for k in (4, 8, 9)]
    found = []
    for variant in (BRICK, threadpool(2)):
        output = servers.server(2, variant).run("\n".join([
            variant.command, system, f"compute pairs all pair/local dist force {' '.join(values)}",
            "compute all all reduce sum c_pairs[*] inputs local", "thermo_style custom step c_all[*]",
            "thermo_modify norm no format float %.17g", "run 20"]))
        found.append(read_thermo(output)[0].columns)
    for name, expected in found[0].items():
        assert np.allclose(found[1][name], expected, rtol=1e-9, atol=1e-9 * np.max(np.abs(expected))), name
    assert all(np.max(np.abs(found[0][f"c_all[{k}]"])) > 1e-3 for k in (2, 3, 4, 5))


@pytest.mark.parametrize("ranks,parts,heat", ((1, 3, "area 5.0"), (2, 2, "radius 3.0")))
def test_heat_flows_from_grain_to_grain(servers, ranks, parts, heat):
    system = newton(grains(f"* * {MATERIAL} tangential mindlin NULL 1.0 0.5 heat {heat}").replace(
        "pair_style", "fix heat all property/atom temperature heatflow ghost yes\nset type 1 temperature 1.0\n"
        "set type 2 temperature 3.0\nset type 3 temperature 2.0\npair_style", 1)
        + "fix flow all heat/flow constant 1.0\ncompute heat all property/atom temperature heatflow\n"
        "compute all all reduce sumsq c_heat[*]\nthermo_style custom step ke c_all[*]\n"
        "thermo_modify norm no format float %.17g\nthermo 10\n")
    found = [read_thermo(servers.server(ranks, variant).run(f"{variant.command}\n{system}\nrun 30"))[0].columns
             for variant in (BRICK, threadpool(parts, "p2p/rdma"))]
    assert found[0]["c_all[1]"][0] != found[0]["c_all[1]"][-1] and found[0]["c_all[2]"][0] > 1.0
    for name, expected in found[0].items():
        assert np.allclose(found[1][name], expected, rtol=1e-10), name


def test_a_restart_file_keeps_contacts_with_and_without_the_suffix(installation, tmp_path):
    system = grains(f"1 1 {MATERIAL} tangential mindlin NULL 1.0 0.1 {MARSHALL};"
                    f"2 2 hertz/material 30000.0 30.0 0.2 tangential mindlin NULL 0.6 0.3 {MARSHALL};"
                    f"3 3 {MATERIAL} tangential mindlin NULL 1.0 0.1 {MARSHALL}")
    expect_contacts_in_restart_files(installation, tmp_path, system, 20)


def test_contacts_are_remembered_when_a_script_exchanges_the_pool(installation, tmp_path):
    """By one with fewer parts, and by none: the restart file that LAMMPS' own code reads has them as well.

    The last run names its pair style once more, since LAMMPS reads no `limit_damping` from a restart file and leaves it
    unset.
    """
    found = {}
    for variant, pool in ((BRICK, ""), (threadpool(7), "unfix THREADPOOL\n")):
        last = tmp_path / variant.name
        script = (f"{variant.command}\n{SIZES}run 40\n{pool}run 40\n{pool}write_restart {last} noinit\nclear\n"
                  f"suffix off\nread_restart {last}\n{PAIRS}\ncomm_modify vel yes\nneighbor 0.1 bin\n"
                  "fix integrate all nve/sphere\ntimestep 0.0005\n"
                  "thermo_modify norm no format float %.10g\nrun 40\n")
        output = run_script(installation, script, 1, tmp_path).expect_success().output
        found[variant.name] = [table.columns["Temp"][-1] for table in read_thermo(output)]
    expected, temperatures = found.values()
    assert len(expected) == 3
    assert np.allclose(temperatures, expected, rtol=1e-6)


def test_more_contacts_than_room_for_them_are_an_error(installation, tmp_path):
    """Of a large sphere between 30 small ones, most of which have it in their rows."""
    turn = np.pi * (3.0 - np.sqrt(5.0))
    heights = 1.0 - (np.arange(30) + 0.5) / 15.0
    around = [(np.sqrt(1.0 - z * z) * np.cos(turn * k), np.sqrt(1.0 - z * z) * np.sin(turn * k), z)
              for k, z in enumerate(heights)]
    small = ["create_atoms 1 single " + " ".join(f"{5.0 + 1.95 * x:.6f}" for x in place) for place in around]
    script = "\n".join([
        "units lj", "atom_style sphere", "newton off", "comm_modify vel yes", "region box block 0 10 0 10 0 10",
        "create_box 2 box", *small[:15], "create_atoms 2 single 5 5 5", *small[15:], "set type 1 diameter 1.0",
        "set type 2 diameter 3.0", "set group all density 1.0", PAIRS, "neighbor 0.1 bin",
        "neigh_modify every 1 delay 0 check no one 20 page 200", "fix integrate all nve/sphere", "timestep 0.0001",
        "run 3"])
    for variant in (BRICK, threadpool(2)):
        output = run_script(installation, f"{variant.command}\n{script}\n", 1, tmp_path).expect_failure()
        assert "Neighbor history overflow" in output and "boost neigh_modify one" in output
