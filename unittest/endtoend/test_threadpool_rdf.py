# SPDX-License-Identifier: GPL-2.0-only
"""Compute rdf with the suffix /threadpool beside the one without, in the same run: the numbers have the same bits."""

import pytest

from charged_systems import WATER
from lammps_run import threadpool
from small_systems import LJ

FLAT = LJ.replace("atom_modify", "dimension 2\natom_modify").replace("lattice fcc", "lattice sq").replace(
    "block 0 5 0 5 0 5", "block 0 20 0 20 -0.1 0.1")
WITH_BONDS = WATER.format(kspace="kspace_style pppm 1e-4")

#: A system, what stands behind `compute ID`, and commands between two runs.
SYSTEMS = {
    "all": (LJ, "all rdf 70", ""),
    "pairs of types": (LJ, "all rdf 50 1 1 1 2 2 1 * 2", ""),
    "a group": (f"{LJ}group some id 1:400:3\n", "some rdf 40 2 * 1 2", ""),
    "a group that changes": (f"{LJ}variable low atom z<4\ngroup low dynamic all every 1 var low\n", "low rdf 30", ""),
    "a short cut-off": (LJ, "all rdf 60 * * 1 2 cutoff 1.9", ""),
    "a long cut-off": (f"{LJ}comm_modify cutoff 3.5\n", "all rdf 60 1 2 cutoff 3.1", ""),
    "newton off": (f"newton off\n{LJ}", "all rdf 60 * * 2 1", ""),
    "bonds whose pairs stay in the list": (WITH_BONDS, "all rdf 80 * * 1 2", ""),
    "bonds whose pairs count": (f"{WITH_BONDS}special_bonds lj 0 0 1 coul 0 0.5 1\n", "all rdf 80 * * 1 1", ""),
    "hybrid": (LJ.replace("pair_style lj/cut 2.5\npair_coeff * * 1.0 1.0 2.5\n",
                          "pair_style hybrid lj/cut 2.5 morse 2.2\npair_coeff * * morse 2.0 5.0 1.1\n").replace(
        "2 2 0.8", "2 2 lj/cut 0.8"), "all rdf 60 1 1 1 2", ""),
    "two dimensions": (FLAT, "all rdf 60 * * 1 2 2 1", ""),
    "a perfect lattice, with borders of bins between neighbors": (
        LJ.replace("lattice fcc 0.8442", "lattice fcc 0.5").replace("velocity all create 1.44 87287 loop geom\n", ""),
        "all rdf 25", ""),
    "atoms that change": (f"{LJ}compute_modify thermo_temp dynamic/dof yes\n", "all rdf 60 1 2",
                          "delete_atoms random fraction 0.1 yes all NULL 4711 compress no\n"
                          "change_box all x scale 1.02 remap\n"),
}

CASES = [(system, 1 + number % 3, (3, 1, 2)[number % 3]) for number, system in enumerate(SYSTEMS)]


@pytest.mark.parametrize("system,ranks,parts", CASES)
def test_radial_distributions_have_the_bits_of_stock(servers, tmp_path, system, ranks, parts):
    text, compute, between = SYSTEMS[system]
    run = "fix {0} all ave/time 2 1 2 c_{0}[*] mode vector file {1}/{0} format ' %.17g'\n"
    variant = threadpool(parts, "p2p/rdma" if ranks == 2 else "brick")
    script = (f"{variant.command}\n{text}\nsuffix off\ncompute stock {compute}\n"
              f"compute pool {compute.replace(' rdf ', ' rdf/threadpool ')}\n"
              + run.format("stock", tmp_path) + run.format("pool", tmp_path) + f"run 4\n{between}run 2\n")
    servers.server(ranks, variant).run(script)
    stock, pool = ((tmp_path / name).read_text().splitlines()[3:] for name in ("stock", "pool"))
    assert pool == stock
    assert any(float(number) for line in stock for number in line.split()[2:])
