# SPDX-License-Identifier: GPL-2.0-only
"""Random scripts through LAMMPS' Python module give what brick gives through it, beside a second LAMMPS object.

Between the runs the driver reads arrays of atoms and writes them back, see `python_driver.py`.
"""

import random
import re

import numpy as np
import pytest

from lammps_run import BACKENDS, Installation, threadpool
from python_driver import FAILS, TURNS, Companion, Wrong, look, spans
from python_library import NoLibrary, make_python_lammps
from random_scripts import random_script
from random_systems import SEED
from small_systems import LJ
from test_random_scripts import FIRST, MISTAKES, PLAIN, check, judge
from test_random_scripts import servers  # noqa: F401: a fixture, here with the program below

pytestmark = pytest.mark.full

TESTS, SCRIPTS_PER_TEST = 1, 2
LONG_TESTS, SCRIPTS_PER_LONG_TEST = 6, 50


@pytest.fixture(scope="module")
def python_lammps(tmp_path_factory):
    """The program that uses the Python module, or a skip."""
    try:
        return make_python_lammps(Installation.from_environment(), tmp_path_factory.mktemp("python"))
    except NoLibrary as why:
        pytest.skip(str(why))


@pytest.fixture(scope="module")
def installation(python_lammps):
    """The program in the place of LAMMPS."""
    return python_lammps.installation


@pytest.fixture
def no_complaint(python_lammps):
    """Fails a test in which the second object had other energies, or arrays were not what they should be."""
    python_lammps.complaints.unlink(missing_ok=True)
    yield
    if python_lammps.complaints.exists():
        pytest.fail(python_lammps.complaints.read_text())


@pytest.mark.parametrize("part", range(TESTS))
def test_random_scripts_through_python_do_what_they_do_with_brick(servers, no_complaint, tmp_path, part):  # noqa: F811
    first = FIRST + part * SCRIPTS_PER_TEST
    check(servers, range(first, first + SCRIPTS_PER_TEST), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("part", range(LONG_TESTS))
def test_three_hundred_random_scripts_through_python_do_what_they_do_with_brick(
    servers, no_complaint, tmp_path, part):  # noqa: F811
    first = SEED + part * SCRIPTS_PER_LONG_TEST
    check(servers, range(first, first + SCRIPTS_PER_LONG_TEST), tmp_path)


def test_mistake_through_python_is_found(servers, no_complaint, tmp_path):  # noqa: F811
    verdict = judge(servers, random_script(PLAIN), tmp_path / "script", MISTAKES["a force a little wrong"])
    assert verdict.kind == "differs" and verdict.lines


ERRORS = {
    "before the run": "pair_style nonsense",
    "in the set-up": "run 0 nonsense",
    "lost atoms": "run 100",
}
"""Command that fails with an error on all ranks, after which a script may begin anew."""


@pytest.mark.parametrize("command", ERRORS.values(), ids=ERRORS)
@pytest.mark.parametrize("variant", (*BACKENDS, threadpool(2, "p2p/rdma")), ids=str)
def test_an_error_that_python_catches_does_not_disturb_what_follows(
    servers, no_complaint, variant, command):  # noqa: F811
    begin = f"{variant.command}\n{LJ}"
    end = "run 10\nprint 'energy $(pe:%.17g)'\n"
    fast = "change_box all boundary f f f\nset atom 17 vx 300.0\nneigh_modify every 1\n" if command == "run 100" else ""
    output = servers.server(3, variant).run(f"{begin}{end}{fast}{FAILS}{command}\nclear\n{begin}{end}run 5\n")
    energies = re.findall(r"^energy (\S+)$", output, re.M)
    assert len(energies) == 2 and energies[0] == energies[1], output


# the driver's own checks can fail


class FakeLammps:
    """An object whose energy depends on how many others there are.

    Args:
        cmdargs: arguments, ignored.
    """

    living = 0

    def __init__(self, cmdargs):
        FakeLammps.living += 1
        self.turns = 0

    def command(self, command: str) -> None:
        self.turns = 0 if command == "clear" else self.turns + command.startswith("run ")

    def commands_string(self, text: str) -> None:
        pass

    def get_thermo(self, name: str) -> float:
        return self.turns + 1e-15 * FakeLammps.living

    def close(self) -> None:
        FakeLammps.living -= 1


def test_companion_notices_that_it_is_disturbed():
    companion = Companion(FakeLammps)
    for turn in range(2 * TURNS):
        companion.take_turn(turn == 2)
    disturbing = FakeLammps([])
    with pytest.raises(Wrong, match="ends with energy"):
        companion.take_turn(False)
    disturbing.close()


class FakeArrays:
    """Three atoms, of which this rank has two.

    Args:
        gathered: first coordinate as gathered from all ranks.
    """

    def __init__(self, gathered: float):
        self.gathered = gathered
        self.numpy = self

    def extract_setting(self, name: str) -> int:
        return {"box_exist": 1, "nlocal": 2, "nghost": 0}[name]

    def get_natoms(self) -> int:
        return 3

    def gather_atoms_concat(self, name: str, kind: int, count: int):
        return [2, 3, 1]

    def extract_atom(self, name: str, nelem: int):
        return np.array([[2], [3]]) if name == "id" else np.array([[2.0, 2.0, 2.0], [3.0, 3.0, 3.0]])

    def gather_atoms(self, name: str, kind: int, count: int):
        return [1.0, 1.0, 1.0, self.gathered, 2.0, 2.0, 3.0, 3.0, 3.0]

    def scatter_atoms(self, name: str, kind: int, count: int, values) -> None:
        pass


def test_driver_notices_wrong_arrays():
    look(FakeArrays(2.0), random.Random(1))
    with pytest.raises(Wrong, match="gathered x"):
        look(FakeArrays(2.5), random.Random(1))


def test_pieces_of_a_case_end_with_runs():
    lines = ["clear", "run 5", f"{FAILS}run", "units lj", f"{FAILS}x", "minimize 0 0 1 1", "print 'end'"]
    pieces = list(spans(lines))
    assert [line for piece in pieces for line in piece] == lines
    assert [piece[-1] for piece in pieces] == ["run 5", f"{FAILS}run", "units lj", f"{FAILS}x", "minimize 0 0 1 1",
                                               "print 'end'"]
