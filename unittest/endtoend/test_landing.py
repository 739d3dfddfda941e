# SPDX-License-Identifier: GPL-2.0-only
"""Between nodes, positions land in x and forces leave from f: results have the same bits, each array is registered
once, and nothing lands where ghosts may be looked at."""

import numpy as np
import pytest

from lammps_output import read_statistics, read_thermo
from lammps_run import OFI, OFI_3STAGE, OFI_FULL_THREADS, OFI_TCP, Variant
from small_systems import CHAINS, GRAINS, LJ, METAL, dump

pytestmark = pytest.mark.full

LANDED, LEFT, REGISTERED = "messages that landed in x", "kbytes that left from f", "arrays registered"
DENSE = LJ.replace("0 5 0 5 0 5", "0 8 0 8 0 8").replace("every 2", "every 10")


def without_landing(variant: Variant) -> Variant:
    """The variant in which everything is copied to and from slots."""
    return Variant(f"{variant.name}-copied", keywords=(*variant.keywords, "landing", "no"),
                   environment=variant.environment)


@pytest.mark.parametrize("ranks", (2, 3, 8))
@pytest.mark.parametrize("variant", (OFI, OFI_TCP, OFI_3STAGE, OFI_FULL_THREADS), ids=str)
@pytest.mark.parametrize("system", (DENSE, METAL, CHAINS), ids=("lj", "metal", "chains"))
def test_landing_gives_the_same_bits_as_copying(servers, tmp_path, system, variant, ranks):
    found = []
    for way in (variant, without_landing(variant)):
        path = tmp_path / f"{way}.dump"
        output = servers.server(ranks, variant).run(
            "\n".join([way.command, system, "thermo 5", "run 30", dump(path, columns="vx vy vz fx fy fz")]))
        (thermo,) = read_thermo(output)
        assert thermo.nrows == 7
        found.append(({name: values.tolist() for name, values in thermo.columns.items()}, path.read_text()))
        statistics = read_statistics(output)[0]
        if way is not variant:
            assert statistics[LANDED] == statistics[LEFT] == statistics[REGISTERED] == (0.0, 0.0)
        elif system is DENSE and variant is not OFI_FULL_THREADS:
            # each of three endpoints registers the arrays
            assert statistics[LANDED][0] > 0.0 and statistics[LEFT][0] > 0.0 and 1.0 <= statistics[REGISTERED][1] <= 2.0
    assert found[0] == found[1]


def test_a_steady_run_registers_each_array_once(servers):
    output = servers.server(4, OFI).run(f"{OFI.command}\n{DENSE}run 60\nrun 60\nrun 60\n")
    first, last = (read_statistics(output)[i] for i in (0, -1))
    assert 1.0 <= first[REGISTERED][0] <= 2.0
    assert last[REGISTERED] == first[REGISTERED]
    assert last["regions registered"] == first["regions registered"]
    assert last[LANDED][0] > 100.0


NOBODY_LANDS = {
    "newton off": DENSE.replace("units lj\n", "units lj\nnewton off\n") + "run 20\n",
    "a minimizer": DENSE + "displace_atoms all random 0.1 0.1 0.1 12 units box\nminimize 0 0 10 20\n",
    "rRESPA": CHAINS + "run_style respa 2 2 bond 1 pair 2\nrun 20\n",
    "a compute that looks at ghosts after the forces": DENSE
    + "compute c all coord/atom cutoff 1.2\ncompute cc all reduce sum c_c\n"
                                                       "thermo_style custom step pe c_cc\nthermo 1\nrun 20\n",
    "pairs that are written out": DENSE
    + "compute p all pair/local dist\ndump p all local 1 /dev/null c_p\nrun 20\nundump p\n",
    "a fix that is not known": DENSE + "group some id 1:20\nunfix integrate\nfix body some rigid/nve single\nrun 20\n",
    "velocities that travel with positions": GRAINS.replace("newton off", "newton on") + "run 20\n",
}


@pytest.mark.parametrize("case", NOBODY_LANDS)
def test_where_ghosts_may_be_looked_at_nothing_lands(servers, case):
    output = servers.server(4, OFI).run(f"{OFI.command}\n{NOBODY_LANDS[case]}")
    assert read_statistics(output)[-1][LANDED] == (0.0, 0.0)


def test_arrays_that_move_are_registered_again(servers):
    """Atoms are added until x outgrows the memory that was allocated; copying gives the same."""
    script = "{}\n" + DENSE + """run 10
region corner block 0 2 0 2 0 2
delete_atoms overlap 0.5 all all
create_atoms 1 random 9000 7721 NULL
displace_atoms all random 0.01 0.01 0.01 91 units box
reset_atoms id
pair_style soft 1.0
pair_coeff * * 10.0
run 30
"""
    server = servers.server(3, OFI)
    output = server.run(script.format(OFI.command))
    copied = read_thermo(server.run(script.format(without_landing(OFI).command)))
    for one, other in zip(read_thermo(output), copied):
        assert all(np.array_equal(values, other.columns[name]) for name, values in one.columns.items())
    before, after = read_statistics(output)
    assert after[REGISTERED][0] > before[REGISTERED][0] and after[LANDED][0] > 0.0


def test_clear_in_between_leaves_nothing_open(servers):
    output = servers.server(4, OFI).run(f"{OFI.command}\n{DENSE}run 20\nclear\n{OFI.command}\n{METAL}run 20\nclear\n"
                                        f"{OFI.command}\n{DENSE}run 20\n")
    first, _, last = read_statistics(output)
    assert first[LANDED] == last[LANDED] and last[LANDED][0] > 0.0
