# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench --collectives: counts are exact, set-up is left out, functions are named."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from tofulib import collectives, mpi, shell

PROGRAM = """\
#include <mpi.h>
__attribute__((noinline)) void ask()
{
  double a[3] = {0.0}, b[3];
  MPI_Allreduce(a, b, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  a[0] = b[0];
}
int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 5; ++i) ask();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}
"""
LJ = """\
units lj
lattice fcc 0.8442
region box block 0 6 0 6 0 6
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0
neighbor 0.3 bin
neigh_modify delay 0 every 1 check yes
fix integrate all nve
thermo 0
run @steps@
"""


STARTED = """\
#include <mpi.h>
#include <cstdio>
#include <initializer_list>
int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv);
  int rank, ntests = 0, done = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const bool tests : {false, true}) {
    int number = rank + 5;
    MPI_Request request;
    const double start = MPI_Wtime();
    MPI_Iallreduce(MPI_IN_PLACE, &number, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    const double started = MPI_Wtime() - start;
    if (tests)
      for (done = 0; !done; ntests++) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0) std::printf("%d %d %d\\n", number, started < 0.02, MPI_Wtime() - start >= 0.02);
  }
  const double start = MPI_Wtime();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::printf("%d %d\\n", ntests > 1, MPI_Wtime() - start >= 0.02);
  MPI_Finalize();
}
"""


def counter_for(library):
    if library is None:
        pytest.skip("this MPI library is not installed")
    return collectives.build_counter(library)


@pytest.mark.parametrize("name", ["openmpi", "mpich"])
def test_counts_of_a_small_program_are_exact(name, tmp_path, private_cache, monkeypatch):
    monkeypatch.setattr(collectives, "SYMBOLS", {})    # both programs may have one name
    library = mpi.find(name)
    counter = counter_for(library)
    (tmp_path / "program.cpp").write_text(PROGRAM, encoding="utf-8")
    shell.capture([library.cxx, "-O0", "-o", tmp_path / "program", tmp_path / "program.cpp"])
    shell.capture([*mpi.free_launch(library), "-np", "2", "env", f"LD_PRELOAD={counter}",
                   f"TOFU_COLLECTIVES={tmp_path}", tmp_path / "program"])
    sums = collectives.read(tmp_path)
    found = {(key[0], collectives.name_of(key[1], key[2])): values for key, values in sums.items()}
    assert found["Allreduce", "ask"][:2] == [5.0, 120.0]
    assert found["Barrier", "main"][:2] == [1.0, 0.0]
    assert all(values[2] > 0.0 for values in found.values())


@pytest.mark.full
@pytest.mark.parametrize("name", ["openmpi", "mpich"])
def test_started_operations_end_later_and_others_take_longer(name, tmp_path, private_cache):
    """With a delay of 20 ms."""
    library = mpi.find(name)
    counter = counter_for(library)
    (tmp_path / "program.cpp").write_text(STARTED, encoding="utf-8")
    shell.capture([library.cxx, "-O0", "-std=c++17", "-o", tmp_path / "program", tmp_path / "program.cpp"])
    output = shell.capture([*mpi.free_launch(library), "-np", "2", "env", f"LD_PRELOAD={counter}",
                            "TOFU_COLLECTIVES_DELAY=20000", tmp_path / "program"])
    assert output.split() == ["5", "1", "1", "5", "1", "1", "1", "1"]


@pytest.mark.full
@pytest.mark.skipif("TOFU_LMP" not in os.environ, reason="TOFU_LMP is not set; 'tools/tofu test' sets it")
def test_results_do_not_depend_on_when_answers_arrive(tmp_path, private_cache, monkeypatch):
    """With reductions that take random times, the bits are the same."""
    library = mpi.find("openmpi")
    lammps = SimpleNamespace(mpi=library, lmp=Path(os.environ["TOFU_LMP"]),
                             source=SimpleNamespace(path=Path(os.environ["TOFU_LAMMPS_DIR"])))
    text = LJ.replace("thermo 0", "thermo 20\nthermo_modify format float %.17g").replace("1.44", "4.0")
    case = collectives.Case(lambda _: collectives.Input(text, tmp_path), 200)
    words = ("-pk", "threadpool", "1", "check", "overlap", *collectives.SUFFIX)
    monkeypatch.setenv("TOFU_COLLECTIVES_JITTER", "1")
    rows = [collectives.counted_run(case.make(lammps), case.steps, lammps, words, counter_for(library),
                                    f"TOFU_COLLECTIVES_DELAY={delay}").rows for delay in (0, 300, 2000)]
    assert rows[0] == rows[1] == rows[2] and len(rows[0]) == 11


@pytest.mark.full
@pytest.mark.skipif("TOFU_LMP" not in os.environ, reason="TOFU_LMP is not set; 'tools/tofu test' sets it")
def test_lammps_and_tofu_ask_once_a_step(tmp_path, private_cache):
    library = mpi.find("openmpi")
    lammps = SimpleNamespace(mpi=library, lmp=Path(os.environ["TOFU_LMP"]),
                             source=SimpleNamespace(path=Path(os.environ["TOFU_LAMMPS_DIR"])))
    case = collectives.Case(lambda _: collectives.Input(LJ, tmp_path), 100)    # fewer are not timed
    found = {way: collectives.per_step(case, lammps, words, counter_for(library))
             for way, words in collectives.WAYS.items()}
    (stock,), (step,) = found.values()
    assert (stock.operation, stock.caller, stock.calls, stock.bytes) == (
        "Allreduce", "Neighbor::check_distance", 1.0, 4.0)
    assert (step.caller, step.calls) == ("NeighborCheck::reduce_in_this_step", 1.0)
    assert step.bytes == 12.0    # whether an atom has moved too far, whether one is far from its rank, and how far


@pytest.mark.full
@pytest.mark.skipif("TOFU_LMP" not in os.environ, reason="TOFU_LMP is not set; 'tools/tofu test' sets it")
def test_a_step_at_constant_pressure_has_one_sum(tmp_path, private_cache):
    """A peptide in water with pppm: LAMMPS has five sums a step, and asks for missing atoms at each build."""
    library = mpi.find("openmpi")
    lammps = SimpleNamespace(mpi=library, lmp=Path(os.environ["TOFU_LMP"]),
                             source=SimpleNamespace(path=Path(os.environ["TOFU_LAMMPS_DIR"]), release="of the tests"))
    case = collectives.Case(collectives.stock_input(
        "examples/peptide", "in.peptide", (r"^fix\s+1 all nvt .*$", ""), (r"^thermo\s+\d+$", "thermo 0"),
        (r"100 (b 4 6 .*)$", r"0 \1\nfix 1 all npt temp 275 275 100 iso 1 1 1000")), 100)
    stock, ours = ({one.caller: one.calls for one in collectives.per_step(
        case, lammps, collectives.WAYS[way], counter_for(library))} for way in ("LAMMPS", "TOFU"))
    assert sum(stock.values()) > 5.0 and stock["NTopoDihedralAll::build"] > 0.0
    assert set(ours) == {"RankSum::reduce", "NeighborCheck::reduce_in_this_step"}
    assert ours["RankSum::reduce"] == 1.0
    assert ours["NeighborCheck::reduce_in_this_step"] == stock["Neighbor::check_distance"]


def test_names_have_neither_parameters_nor_namespaces():
    for name, text in (("LAMMPS_NS::Neighbor::check_distance()", "Neighbor::check_distance"),
                       ("LAMMPS_NS::PairOn<std::vector<int, A<int> >, 2>::ask(int) const", "PairOn::ask"),
                       ("main", "main")):
        assert collectives.short(name) == text


def test_an_address_belongs_to_the_function_in_front_of_it(monkeypatch):
    monkeypatch.setitem(collectives.SYMBOLS, "program", [(0x10, "first()"), (0x30, "second()")])
    assert [collectives.name_of("program", at) for at in (0x11, 0x30, 0x31)] == ["first", "first", "second"]
    assert collectives.name_of("program", 0x8) == "program+8"


def test_rare_operations_are_added_up():
    counts = [collectives.Count("Allreduce", name, calls, 8 * calls, 0.1)._asdict()
              for name, calls in (("often", 1.0), ("rare", 0.03), ("rarer", 0.02))]
    (line,) = [line for line in collectives.table({"lj": {"TOFU": counts}}) if line.startswith("lj ")]
    assert line.endswith("often 1.00, others 0.05") and " 1.05 " in line


def test_wrong_requests_are_explained():
    with pytest.raises(shell.Failure, match="with --collectives the cases are lj,"):
        collectives.command(SimpleNamespace(cases="lj,salt", pairs=1))


def test_ranks_that_have_counted_nothing_are_told(tmp_path):
    with pytest.raises(shell.Failure, match="rank 0 has counted nothing"):
        collectives.read(tmp_path)
