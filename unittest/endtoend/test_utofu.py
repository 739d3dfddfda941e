# SPDX-License-Identifier: GPL-2.0-only
"""Messages over uTofu, with the emulator of its library: more seeds of the unit tests, and LAMMPS with the plug-in, for
which `tools/tofu test --long` takes the emulator."""

import os
import subprocess
from dataclasses import replace

import pytest

from charged_systems import SALT
from lammps_output import read_statistics, read_thermo
from lammps_run import Variant, run_script
from small_systems import CHAINS, LJ, METAL, dump
from test_pppm_offload import ALWAYS

DENSE = LJ.replace("0 5 0 5 0 5", "0 8 0 8 0 8").replace("every 2", "every 10")
#: Of one run of the unit tests; all runs together have 1,000.
SEEDS_OF_A_RUN = 25
SHM = Variant("plugin-shm", keywords=("transport", "shm"))


def utofu(name, *keywords, seed=0, toq=2048):
    """A variant over the emulated interfaces."""
    return Variant(name, keywords=("transport", "utofu", *keywords),
                   environment=(("TOFU_EMULATOR_SEED", str(seed)), ("TOFU_EMULATOR_TOQ", str(toq)),
                                ("TOFU_EMULATOR_CHECK_MPI", "on")))


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


@pytest.fixture(name="lammps", scope="module")
def fixture_lammps(installation):
    """A LAMMPS that has the backend, and the first line of its inputs: that of TOFU_LMP_UTOFU, or the plug-in."""
    if "TOFU_LMP_UTOFU" in os.environ:
        return replace(installation, lmp=os.environ["TOFU_LMP_UTOFU"]), ""
    if any(name not in os.environ for name in ("TOFU_PLUGIN", "TOFU_STOCK_LMP")):
        pytest.skip("TOFU_PLUGIN and TOFU_STOCK_LMP not set: no plug-in was built")
    return replace(installation, lmp=os.environ["TOFU_STOCK_LMP"]), f"plugin load {os.environ['TOFU_PLUGIN']}\n"


def trajectory(lammps, tmp_path, script, ranks, variant):
    """Output and end of a run.

    Args:
        lammps: of the fixture.
        script: commands behind the comm style; the last step is dumped after them.
        ranks: number of ranks.
        variant: the way of the messages.
    """
    installation, first = lammps
    command = variant.command.replace("comm_style p2p/rdma", "comm_style/p2p_rdma")
    path = tmp_path / f"{variant}.dump"
    done = run_script(installation, f"{first}{command}\n{script}{dump(path, columns='vx vy vz fx fy fz')}\n", ranks,
                      tmp_path, environment=dict(variant.environment)).expect_success()
    assert "a call of uTofu before" not in done.output and "a call of uTofu after" not in done.output
    assert "queues not freed" not in done.output and "registrations left" not in done.output
    return done.output, path.read_text()


@pytest.mark.long
def test_places_follow_the_coordinates_of_the_interconnect(lammps, tmp_path):
    installation, first = lammps
    environment = {"TOFU_NODE_SIZE": "2", "TOFU_EMULATOR_RANKS_PER_NODE": "2"}
    script = f"{first}comm_style/p2p/rdma transport utofu place auto\n{LJ}run 10\n"
    output = run_script(installation, script, 8, tmp_path, environment=environment).expect_success().output
    assert "a torus of 1 by 1 by 1 by 2 by 3 by 1 nodes" in output


def energies(output):
    """Columns of the first run."""
    return {name: values.tolist() for name, values in read_thermo(output)[0].columns.items()}


@pytest.mark.long
@pytest.mark.parametrize("ranks, system, variants", [
    (4, DENSE, (utofu("paper", "endpoints", "6"), utofu("disorder", seed=1, toq=4))),
    (3, METAL, (utofu("disorder", seed=2), utofu("copied", "landing", "no", "shell", "full", seed=3))),
    (2, CHAINS, (utofu("threads", "endpoints", "2", "threads", "2", seed=4),)),
    (8, DENSE, (utofu("staged", "pattern", "3stage", seed=5),))],
                         ids=("lj-4", "metal-3", "chains-2", "lj-8"))
def test_a_run_over_utofu_has_the_bits_of_one_over_shared_memory(lammps, tmp_path, ranks, system, variants):
    script = f"{system}thermo 5\nrun 30\n"
    for variant in variants:
        like = replace(SHM, keywords=(*SHM.keywords, *(word for word in variant.keywords[2:]
                                                       if word in ("shell", "full", "pattern", "3stage"))))
        expected, end = trajectory(lammps, tmp_path, script, ranks, like)
        output, found = trajectory(lammps, tmp_path, script, ranks, variant)
        assert found == end
        assert energies(output) == energies(expected)
        assert "messages by uTofu" in output and "network interfaces" in output
        assert read_statistics(output)[-1]["peers by uTofu"][1] > 0.0


@pytest.mark.long
@pytest.mark.parametrize("words", ("fft pencil", "fft partial", "fft partial reduce int32 chain gates"))
def test_a_mesh_over_utofu_gives_the_energies_of_shared_memory(lammps, tmp_path, words):
    def script(kspace):
        return SALT.replace("{kspace}", f"kspace_style pppm/offload 1.0e-4\nkspace_modify {ALWAYS} {kspace}") + \
            "thermo 5\nrun 20\n"
    expected, end = trajectory(lammps, tmp_path, script(words.replace("chain gates", "chain direct")), 4, SHM)
    output, found = trajectory(lammps, tmp_path, script(words), 4, utofu("mesh", seed=6))
    assert found == end
    assert energies(output) == energies(expected)
    assert "instead of gates" not in output and "gates not freed" not in output


@pytest.mark.long
def test_sums_of_doubles_over_gates_are_repeatable_and_close(lammps, tmp_path):
    kspace = f"kspace_style pppm/offload 1.0e-4\nkspace_modify {ALWAYS} fft partial chain {{}}"
    script = SALT.replace("{kspace}", kspace) + "thermo 5\nrun 20\n"
    runs = [trajectory(lammps, tmp_path, script.replace("{}", chain), 4, utofu("sums", seed=seed))
            for chain, seed in (("direct", 7), ("gates", 7), ("gates", 8))]
    assert runs[1][1] == runs[2][1] and energies(runs[1][0]) == energies(runs[2][0])
    for name, values in energies(runs[0][0]).items():
        assert energies(runs[1][0])[name] == pytest.approx(values, rel=1e-9)
