# SPDX-License-Identifier: GPL-2.0-only
"""Run LAMMPS in one configuration: the command line, the environment, the log."""

import os
from pathlib import Path
from typing import NamedTuple

from . import configuration, launcher, log, mpi, program, shell

#: Arguments that make an unedited input use a ghost exchange.
COMM = {"brick": [], "p2p_rdma": ["-pk", "tofu", "comm", "p2p_rdma"]}


class Bench(NamedTuple):
    """A program and the way to start it."""

    program: program.Program
    launcher: launcher.Launcher

    def line(self, one, words):
        """The command line.

        Args:
            one: A Configuration.
            words: Arguments of LAMMPS behind those of the configuration.
        """
        arguments = one.arguments if self.program.tofu != program.PLUGIN or one.side == configuration.STOCK else []
        return [*self.launcher.words(one.ranks, one.threads), str(self.program.lmp), *arguments, *words]

    def lines(self, one):
        """Lines in front of the input: those that choose the configuration where no switch can."""
        if self.program.tofu != program.PLUGIN or one.side == configuration.STOCK:
            return []
        load = [f"plugin load {self.program.plugin}"] if self.program.plugin else []
        return [*load, *one.lines]

    def environment(self, one):
        """The user's environment, with the folders of the source tree and the number of threads."""
        return {**self.program.folders, **os.environ, "OMP_NUM_THREADS": str(one.threads)}

    def carry_out(self, one, script, logfile, cwd, more=()):
        """Run a script quietly.

        Returns:
            All runs in the log.

        Raises:
            shell.Failure: LAMMPS failed; the message has LAMMPS' own message if there is one.
        """
        line = self.line(one, ["-in", str(script), "-log", str(logfile), "-screen", "none", *more])
        run_checked(line, Path(logfile), self.environment(one), cwd)
        return log.read(Path(logfile))


def words(lammps, ranks, comm):
    """The command that starts LAMMPS without a suffix, up to the input."""
    return [*mpi.launch(lammps.mpi, ranks), str(lammps.lmp), *COMM[comm]]


def environment(lammps, threads):
    """The user's environment, with the folders of this LAMMPS' potentials and benchmarks."""
    return {**program.built(lammps).folders, **os.environ, "OMP_NUM_THREADS": str(threads)}


def run_checked(line, logfile, env, cwd=None):
    """Run LAMMPS quietly.

    Raises:
        shell.Failure: LAMMPS failed; the message has LAMMPS' own message if there is one.
    """
    logfile.unlink(missing_ok=True)
    done = shell.attempt(line, env=env, cwd=cwd or logfile.parent)
    if done.returncode:
        if logfile.exists():
            log.read(logfile)    # raises with LAMMPS' message
        raise shell.Failure(f"status {done.returncode} from\n  {shell.quote(line)}\n{done.stdout}{done.stderr}")
