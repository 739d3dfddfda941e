# SPDX-License-Identifier: GPL-2.0-only
"""A damaged force field of ReaxFF ends with LAMMPS' error, or it runs: without a crash, and without an end of its own.

TOFU_FFIELDS is the number of files, TOFU_SEED the number of the first one. LAMMPS' reader does not survive each of
them; what LAMMPS' own styles do not survive either does not count.
"""

import os

import pytest

from lammps_run import BRICK, threadpool
from lammps_server import CaseFailed, CaseHung
from random_reaxff import FORCE_FIELDS
from reaxff_files import damaged

FIRST = int(os.environ.get("TOFU_SEED", 1))
NFILES = int(os.environ.get("TOFU_FFIELDS", 60))
FILES = sorted(name for name in FORCE_FIELDS if name != "FeOH3/ffield.reax.Fe_O_C_H")    # the largest one

SCRIPT = """\
units real
atom_style charge
boundary f f f
region box block 0 12 0 12 0 12
create_box 3 box
lattice sc 1.9 origin 0.5 0.5 0.5
region atoms block 0 7.7 0 5.8 0 5.8 units box
create_atoms 1 region atoms
set group all type/fraction 2 0.5 4711
set group all type/fraction 3 0.3 4712
displace_atoms all random 0.4 0.4 0.4 4713 units box
mass * 12.0
pair_style reaxff NULL safezone 4.0 mincap 500 minhbonds 500 {options}
pair_coeff * * {file} {elements}
{charges}
neighbor 1.0 bin
fix integrate all nve
timestep 0.1
thermo_modify lost ignore
run 2
"""
"""36 atoms, some of them close to each other. Without periods a large cut-off does not mean many ghosts."""

CHARGES = ("fix charges all qeq/reaxff 1 0.0 10.0 1e-6 reaxff nowarn",
           "fix charges all qeq/shielded 1 10.0 1e-6 100 reaxff")


def script_of(number: int, installation, path) -> str:
    """Write the damaged file of a number.

    Returns:
        a script with it.
    """
    name = FILES[number % len(FILES)]
    text = (installation.lammps_dir / "examples" / "reaxff" / name).read_text(errors="replace")
    path.write_text(damaged(text, number))
    options = ("", "checkqeq no", "enobonds no")[number % 3]
    return SCRIPT.format(file=path, elements=" ".join(FORCE_FIELDS[name].split()[:3]), options=options,
                         charges="" if "checkqeq" in options else CHARGES[number % 2])


def end_of(servers, variant, ranks: int, script: str) -> str:
    """How a case ends: "" or a message of LAMMPS, or what went wrong otherwise in capitals."""
    try:
        servers.server(ranks, variant).run(f"{variant.command}\n{script}")
    except CaseHung:
        return "HANGS"
    except CaseFailed as failure:
        messages = [line for line in str(failure).splitlines() if line.startswith("ERROR")]
        return messages[0] if messages else "CRASHES"
    return ""


def check(installation, servers, path, numbers) -> None:
    """Expect that all files end with LAMMPS' error or a run, at least half of them with the latter."""
    nruns, wrong = 0, []
    for number in numbers:
        ranks = 2 if number % 8 == 7 else 1
        script = script_of(number, installation, path)
        end = end_of(servers, threadpool(2), ranks, script)
        nruns += end == ""
        if end in ("HANGS", "CRASHES") and end_of(servers, BRICK, ranks, script) not in ("HANGS", "CRASHES"):
            wrong.append(f"TOFU_SEED={number}: {end}")
    assert not wrong, "\n".join(wrong)
    assert 2 * nruns > len(numbers)


@pytest.mark.parametrize("share", range(4))
def test_a_damaged_force_field_is_an_error_or_runs(installation, servers, tmp_path, share):
    check(installation, servers, tmp_path / "ffield", range(FIRST + share, FIRST + NFILES, 4))


@pytest.mark.long
@pytest.mark.parametrize("share", range(100))
def test_ten_thousand_damaged_force_fields(installation, servers, tmp_path, share):
    check(installation, servers, tmp_path / "ffield", range(100_000 + share, 110_000, 100))
