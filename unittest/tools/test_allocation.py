# SPDX-License-Identifier: GPL-2.0-only
"""Allocations of batch systems, and the words that start ranks on their nodes."""

import pytest
from tofulib import allocation, mpi, shell
from tofulib.allocation import Allocation
from tofulib.launcher import Launcher

OPEN_MPI, MPICH = (mpi.Mpi(name, "mpicxx", "mpicc", "mpirun") for name in ("openmpi", "mpich"))


@pytest.fixture(autouse=True)
def plain_user(monkeypatch):
    """No words for root, and one hardware thread for each of 4 cores here."""
    monkeypatch.setattr(mpi.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(mpi, "cores", lambda: (4, 4))


def test_without_a_batch_system_there_is_this_machine():
    where = allocation.find({})
    assert (where.scheduler, where.cores, where.name) == ("", (4,), "this machine, 4 cores")


@pytest.mark.parametrize("text, cores", [("48(x2)", (48, 48)), ("48(x2),24", (48, 48, 24)), ("1", (1,))])
def test_slurm_nodes_are_counted(text, cores):
    where = allocation.find({"SLURM_JOB_ID": "1", "SLURM_JOB_CPUS_PER_NODE": text})
    assert (where.scheduler, where.cores) == ("Slurm", cores)


def test_slurm_counts_hardware_threads_as_processors(monkeypatch):
    monkeypatch.setattr(mpi, "cores", lambda: (4, 8))
    assert allocation.find({"SLURM_JOB_ID": "1", "SLURM_JOB_CPUS_PER_NODE": "96"}).cores == (48,)


@pytest.mark.parametrize("lines, more, cores", [
    ("a a b b", {}, (2, 2)), ("a b", {"NCPUS": "16"}, (16, 16)), ("a b", {"PBS_NUM_PPN": "8"}, (8, 8))])
def test_pbs_nodes_are_counted(tmp_path, lines, more, cores):
    (tmp_path / "nodes").write_text("\n".join(lines.split()), encoding="utf-8")
    where = allocation.find({"PBS_JOBID": "1", "PBS_NODEFILE": str(tmp_path / "nodes"), **more})
    assert (where.scheduler, where.cores, where.hosts) == ("PBS", cores, ("a", "b"))


def test_lsf_nodes_are_counted():
    where = allocation.find({"LSB_JOBID": "1", "LSB_MCPU_HOSTS": "a 16 b 8"})
    assert (where.scheduler, where.cores, where.hosts, where.total) == ("LSF", (16, 8), ("a", "b"), 24)


@pytest.mark.parametrize("variables", [
    {"SLURM_JOB_ID": "1"}, {"SLURM_JOB_ID": "1", "SLURM_JOB_CPUS_PER_NODE": "many"}, {"PBS_JOBID": "1"},
    {"LSB_JOBID": "1", "LSB_MCPU_HOSTS": "a"}])
def test_an_allocation_that_is_not_understood_is_refused_with_a_remedy(variables):
    with pytest.raises(shell.Failure, match="--launch"):
        allocation.find(variables)


TWO_NODES = Allocation("Slurm", (48, 48))


@pytest.mark.parametrize("library, ranks, threads, expected", [
    (OPEN_MPI, 96, 1, "--map-by ppr:48:node:PE=1 --bind-to core -np 96"),
    (OPEN_MPI, 8, 12, "--map-by ppr:4:node:PE=12 --bind-to core -np 8"),
    (OPEN_MPI, 97, 1, "--map-by ppr:49:node --oversubscribe --bind-to none -np 97"),
    (MPICH, 96, 1, "-ppn 48 -bind-to core:1 -np 96"),
    (MPICH, 96, 2, "-ppn 48 -bind-to none -np 96"),
])
def test_two_full_nodes_are_bound_and_more_are_not(library, ranks, threads, expected):
    assert Launcher(library, where=TWO_NODES).words(ranks, threads) == ["mpirun", *expected.split()]


def test_hosts_of_an_allocation_are_named():
    where = Allocation("LSF", (16, 16), ("a", "b"))
    assert Launcher(OPEN_MPI, where=where).words(32)[:3] == ["mpirun", "--host", "a:16,b:16"]
    assert Launcher(MPICH, where=where).words(32)[:3] == ["mpirun", "-hosts", "a,b"]


def test_words_of_the_user_replace_the_launcher():
    words = Launcher(None, "srun -n {ranks} -c {threads} -N{nodes} 'a b'", TWO_NODES).words(8, 12)
    assert words == ["srun", "-n", "8", "-c", "12", "-N2", "a b"]


@pytest.mark.parametrize("template", ["srun", "srun -n {rank}", "srun -n {ranks} {", "srun -n {}"])
def test_words_that_cannot_start_the_ranks_are_refused(template):
    with pytest.raises(shell.Failure, match="--launch"):
        Launcher(None, template, TWO_NODES)
