# SPDX-License-Identifier: GPL-2.0-only
"""Over uTofu, LAMMPS has the physics of brick and the bits of shared memory: inputs of all kinds, with the emulator of
its library, whose messages come in disorder.

The LAMMPS with the emulator is a program of its own, so that all other tests have what users build. Further seeds of
the unit tests, which `--long` has, are here as well.
"""

import os
import re
import signal
import subprocess
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, seed, settings

from charged_systems import SALT
from lammps_output import read_statistics, read_thermo
from lammps_run import BRICK, SHM, Variant, run_script
from lammps_server import ServerPool
from manybody_systems import WITHOUT_ATOMS
from random_comparison import SETTINGS, expect_same_as_brick
from random_scripts import RandomScript, random_script
from random_systems import SEED, random_systems
from ring_balance_runs import FORCES, Way
from small_systems import CHAINS, LJ, METAL, dump
from stock_inputs import same_as_brick
from test_bad_weather import end, running_job, wait_for_end
from test_half_shell import HALF, expect_same, shells
from test_pppm_offload import ALWAYS, CASES
from test_pppm_offload import Way as MeshWay
from test_pppm_offload import pppm, same_as_pppm    # noqa: F401 (a fixture)
from test_random_scripts import FIRST, check
from test_ring_balance import same_as_without, without    # noqa: F401 (a fixture)
from test_runs_are_repeatable import expect_the_same_bits
from test_stock_inputs import BENCHMARKS, DEAREST, EXAMPLES, name, ranks_for
from test_tiled import SYSTEMS as TILED_SYSTEMS
from test_tiled import TILED, expect_the_same
from uneven_systems import DROPLET, EMBEDDED, SLAB

pytestmark = pytest.mark.full

DENSE = LJ.replace("0 5 0 5 0 5", "0 8 0 8 0 8").replace("every 2", "every 10")
#: Short, since each three numbers of a sum over gates go through the emulators of all ranks.
MESH_RUN = "thermo 2\nrun 4\n"
#: Of one run of the unit tests; all runs together have 1,000.
SEEDS_OF_A_RUN = 25
#: Scripts of the random ones: none of them is in the run of the other backends.
SCRIPTS = range(FIRST + 1000, FIRST + 1005)


def utofu(title, *keywords, number=1, toq=64, **more):
    """A variant over the emulated interfaces.

    Args:
        title: its name.
        keywords: further ones of the comm style.
        number: seed of the disorder, 0 for none.
        toq: entries of a queue of orders.
        more: further fields of a Variant; an environment is added.
    """
    environment = (("TOFU_EMULATOR_SEED", str(number)), ("TOFU_EMULATOR_TOQ", str(toq)),
                   ("TOFU_EMULATOR_CHECK_MPI", "on"), *more.pop("environment", ()))
    return Variant(title, keywords=("transport", "utofu", *keywords), environment=environment, **more)


UTOFU = utofu("utofu")


def on_parts(parts):
    """Styles with the suffix, in jobs of their own."""
    return utofu(f"utofu-threadpool-{parts}", environment=(("TOFU_TEST", "threadpool"),), parts=parts)


@pytest.fixture(name="installation", scope="module")
def fixture_installation(installation):
    """The LAMMPS with the emulator."""
    if "TOFU_LMP_UTOFU" not in os.environ:
        pytest.skip("TOFU_LMP_UTOFU not set: no LAMMPS with the emulator of uTofu was built")
    return replace(installation, lmp=os.environ["TOFU_LMP_UTOFU"])


@pytest.fixture(name="servers", scope="module")
def fixture_servers(installation, tmp_path_factory):
    """Jobs of the LAMMPS with the emulator."""
    pool = ServerPool(installation, tmp_path_factory.mktemp("servers"))
    yield pool
    pool.finish()


# inputs of all kinds


@pytest.mark.parametrize("stock, ranks", list(zip(BENCHMARKS, (2, 4, 3, 8, 2, 6))), ids=name)
def test_a_benchmark_is_the_same_as_with_brick(installation, tmp_path, stock, ranks):
    same_as_brick(installation, stock, ranks, [UTOFU], tmp_path)


@pytest.mark.parametrize("stock, ranks", [(stock, ranks_for(index + 1, stock)) for index, stock in enumerate(EXAMPLES)
                                          if not stock.path.endswith(DEAREST)], ids=name)
def test_an_example_is_the_same_as_with_brick(installation, tmp_path, stock, ranks):
    same_as_brick(installation, stock, ranks, [UTOFU], tmp_path)


@seed(SEED + 2)
@settings(SETTINGS, max_examples=15)
@given(system=random_systems())
def test_a_random_system_is_the_same_as_with_brick(servers, tmp_path_factory, system):
    variant = utofu("p2p", *system.keywords)
    expect_same_as_brick(servers.server(system.ranks, variant), system, tmp_path_factory.getbasetemp() / "random-utofu",
                         variant=variant)


@dataclass(frozen=True)
class ScriptOverUtofu(RandomScript):
    """A random script whose variant has its messages over uTofu."""

    @property
    def variant(self):
        plain = super().variant
        if plain.style == "brick":
            return plain
        return replace(plain, keywords=(*self.system.keywords, "transport", "utofu"),
                       environment=(*UTOFU.environment, *plain.environment))


def test_random_scripts_do_what_they_do_with_brick(servers, tmp_path):
    check(servers, SCRIPTS, tmp_path, lambda number: ScriptOverUtofu(**vars(random_script(number))))


@pytest.mark.parametrize("ranks", (1, 2, 3, 8))
@pytest.mark.parametrize("system", HALF)
def test_half_of_the_ghosts_give_the_same_energies_and_pressure(servers, system, ranks):
    server = servers.server(ranks, UTOFU)
    script = "{}\n" + HALF[system] + "thermo 1\nrun 12\n"
    expected = read_thermo(server.run(script.format(BRICK.command)))
    output = server.run(script.format(UTOFU.command))
    assert shells(output) == [("half", "")]
    expect_same(expected, read_thermo(output))


@pytest.mark.parametrize("ranks", (2, 3, 8))
@pytest.mark.parametrize("system", TILED_SYSTEMS)
def test_tiles_give_the_forces_of_brick(servers, tmp_path, system, ranks):
    expect_the_same(servers, TILED_SYSTEMS[system], utofu("tiled-utofu", *TILED), ranks, tmp_path)


@pytest.mark.parametrize("system, way", [
    (SLAB, Way(4, "mode auto", UTOFU, grid="1 2 2")), (DROPLET, Way(8, "mode forward", UTOFU)),
    (DROPLET, Way(3, "mode ghost direction downstream", UTOFU))], ids=("slab-4", "droplet-8", "droplet-3"))
def test_physics_with_a_ring_is_the_same(servers, without, tmp_path, system, way):    # noqa: F811
    same_as_without(servers, without, tmp_path, system, way)


@pytest.mark.parametrize("system, way", [
    (DROPLET, Way(4, "mode auto", on_parts(1))), (EMBEDDED["eam"], Way(3, "mode auto", on_parts(2)))],
    ids=("droplet-4", "eam-3"))
def test_physics_with_a_ring_and_parts_is_the_same(servers, without, tmp_path, system, way):    # noqa: F811
    same_as_without(servers, without, tmp_path, system, way, WITHOUT_ATOMS, " ".join(FORCES))


#: Without gates, which have tests of their own with smaller meshes.
MESH_WAYS = (MeshWay(2, "fft pencil", UTOFU), MeshWay(3, "fft partial chain ring", UTOFU),
             MeshWay(4, "fft replicated", on_parts(1)), MeshWay(8, "fft partial chain direct", UTOFU),
             MeshWay(8, "fft pencil", on_parts(1)))


@pytest.mark.parametrize("way", MESH_WAYS, ids=str)
@pytest.mark.parametrize("system", ("salt", "water, diff ad", "tilted salt"))
def test_long_range_forces_are_those_of_pppm(servers, pppm, tmp_path, system, way):    # noqa: F811
    same_as_pppm(servers, pppm, CASES[system], way, tmp_path)


# bits


@pytest.mark.parametrize("system, ranks", (("metal", 4), ("grains", 2), ("chains", 8)))
def test_the_same_run_and_any_order_of_arrival_give_the_same_bits(servers, tmp_path, system, ranks):
    expect_the_same_bits(servers, tmp_path, system, UTOFU, ranks)


def trajectory(installation, tmp_path, script, ranks, variant):
    """Output and end of a run, whose emulator has nothing to complain about.

    Args:
        installation: programs.
        tmp_path: folder for files.
        script: commands behind the comm style; the last step is dumped after them.
        ranks: number of ranks.
        variant: the way of the messages.
    """
    path = tmp_path / f"{variant}.dump"
    done = run_script(installation, f"{variant.command}\n{script}{dump(path, columns='vx vy vz fx fy fz')}\n", ranks,
                      tmp_path, environment=dict(variant.environment)).expect_success()
    assert "a call of uTofu before" not in done.output and "a call of uTofu after" not in done.output
    assert "queues not freed" not in done.output and "registrations left" not in done.output
    return done.output, path.read_text()


def energies(output):
    """Columns of the first run."""
    return {title: values.tolist() for title, values in read_thermo(output)[0].columns.items()}


@pytest.mark.parametrize("ranks, system, variants", [
    (4, DENSE, (utofu("paper", "endpoints", "6", number=0, toq=2048), utofu("disorder", number=1, toq=4))),
    (3, METAL, (utofu("disorder", number=2), utofu("copied", "landing", "no", "shell", "full", number=3))),
    (2, CHAINS, (utofu("threads", "endpoints", "2", "threads", "2", number=4),)),
    (8, DENSE, (utofu("staged", "pattern", "3stage", number=5),))],
                         ids=("lj-4", "metal-3", "chains-2", "lj-8"))
def test_a_run_over_utofu_has_the_bits_of_one_over_shared_memory(installation, tmp_path, ranks, system, variants):
    script = f"{system}thermo 5\nrun 30\n"
    for variant in variants:
        like = replace(SHM, keywords=("transport", "shm", *(word for word in variant.keywords[2:]
                                                            if word in ("shell", "full", "pattern", "3stage"))))
        expected, last = trajectory(installation, tmp_path, script, ranks, like)
        output, found = trajectory(installation, tmp_path, script, ranks, variant)
        assert found == last
        assert energies(output) == energies(expected)
        assert "messages by uTofu" in output and "network interfaces" in output
        assert read_statistics(output)[-1]["peers by uTofu"][1] > 0.0


@pytest.mark.parametrize("words", ("fft pencil", "fft partial", "fft partial reduce int32 chain gates"))
def test_a_mesh_over_utofu_gives_the_energies_of_shared_memory(installation, tmp_path, words):
    def script(kspace):
        return SALT.replace("{kspace}", f"kspace_style pppm/offload 1.0e-4\nkspace_modify {ALWAYS} {kspace}") + MESH_RUN

    expected, last = trajectory(installation, tmp_path, script(words.replace("chain gates", "chain direct")), 4, SHM)
    output, found = trajectory(installation, tmp_path, script(words), 4, utofu("mesh", number=6))
    assert found == last
    assert energies(output) == energies(expected)
    assert "instead of gates" not in output and "gates not freed" not in output


def test_sums_of_doubles_over_gates_are_repeatable_and_close(installation, tmp_path):
    kspace = f"kspace_style pppm/offload 1.0e-4\nkspace_modify {ALWAYS} fft partial chain {{}}"
    script = SALT.replace("{kspace}", kspace) + MESH_RUN
    runs = [trajectory(installation, tmp_path, script.replace("{}", chain), 4, utofu("sums", number=number))
            for chain, number in (("direct", 7), ("gates", 7), ("gates", 8))]
    assert runs[1][1] == runs[2][1] and energies(runs[1][0]) == energies(runs[2][0])
    for title, values in energies(runs[0][0]).items():
        assert energies(runs[1][0])[title] == pytest.approx(values, rel=1e-9)


# the machine


def test_places_follow_the_coordinates_of_the_interconnect(installation, tmp_path):
    environment = {"TOFU_NODE_SIZE": "2", "TOFU_EMULATOR_RANKS_PER_NODE": "2"}
    script = f"comm_style p2p/rdma transport utofu place auto\n{LJ}run 10\n"
    output = run_script(installation, script, 8, tmp_path, environment=environment).expect_success().output
    assert "a torus of 1 by 1 by 1 by 2 by 3 by 1 nodes" in output


def test_a_killed_rank_is_named_and_the_others_end_soon(installation, tmp_path):
    """In recovery mode Open MPI leaves the other ranks alone."""
    victim = 2
    variant = utofu("killed", number=0)
    job, pids = running_job(installation, tmp_path, 4, variant, {"OMPI_MCA_orte_enable_recovery": "1"})
    try:
        os.kill(pids[victim], signal.SIGKILL)
        alive = wait_for_end(pids, 5.0)
        output = job.output()
    finally:
        end(job, pids)
    assert not alive, output[-2000:]
    assert re.search(rf"ERROR.*rank {victim}\b", output), output[-2000:]


# more of it under --long


@pytest.mark.long
def test_the_plugin_has_the_backend(plugin, tmp_path):
    path, stock = plugin
    script = f"plugin load {path}\ncomm_style/p2p_rdma transport utofu stats full\n{LJ}run 10\n"
    output = run_script(stock, script, 2, tmp_path).expect_success().output
    assert read_statistics(output)[-1]["peers by uTofu"] == (1.0, 1.0)


@pytest.mark.long
@pytest.mark.parametrize("first", range(1, 1001, SEEDS_OF_A_RUN))
def test_more_seeds(first):
    program = os.environ.get("TOFU_TEST_TRANSPORT_UTOFU")
    if not program:
        pytest.skip("TOFU_TEST_TRANSPORT_UTOFU is not set: no unit tests were built")
    seeds = {"TOFU_UTOFU_FIRST_SEED": str(first), "TOFU_UTOFU_SEEDS": str(SEEDS_OF_A_RUN)}
    done = subprocess.run([program, "--gtest_brief=1"], env={**os.environ, **seeds}, capture_output=True, text=True,
                          timeout=60 * SEEDS_OF_A_RUN, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
