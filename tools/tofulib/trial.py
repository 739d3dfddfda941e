# SPDX-License-Identifier: GPL-2.0-only
"""Run LAMMPS in one configuration: the command line, the environment, the log."""

import math
import os
import re
import time
from pathlib import Path
from typing import NamedTuple

from . import cache, configuration, launcher, log, mpi, program, shell

#: Arguments that make an unedited input use a ghost exchange.
COMM = {"brick": [], "p2p_rdma": ["-pk", "tofu", "comm", "p2p/rdma"]}

#: Time that an input has after its last run has been ended [s].
TIME_TO_END = 1.0
#: Times of LAMMPS' time limit that its runs may take together: `clear` makes it begin anew.
PATIENCE = 3.0


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

    def carry_out(self, one, script, output, cwd, more=(), limit=None, window=math.inf, after=TIME_TO_END):
        """Run a script quietly.

        Commands such as `log` of the script change what comes into a log file. They do not change what comes to the
        screen, which goes into a file here, at once: LAMMPS may be stopped.

        Args:
            one: A Configuration.
            script: The script.
            output: File for LAMMPS' output, an absolute path.
            cwd: Folder to run in.
            more: Arguments of LAMMPS.
            limit: Time after which LAMMPS is stopped [s]; None: never.
            window: Time limit of its runs, as `timer timeout` has it [s].
            after: With a limit, time that LAMMPS has after that [s].

        Returns:
            All runs in the output that have finished; what comes behind a run that the time limit of LAMMPS has ended
            may fail or never end.

        Raises:
            shell.Late: The time was up before a run had finished.
            shell.Failure: LAMMPS failed; the message has LAMMPS' own message if there is one.
        """
        line = self.line(one, [*more, "-in", str(script), "-log", "none", "-screen", str(output), "-echo", "screen",
                               "-nonbuf"])
        output.unlink(missing_ok=True)
        try:
            done = shell.attempt(line, limit, EndOfRuns(output, window, after), env=self.environment(one), cwd=cwd)
        except shell.Late:
            runs = log.runs_in(text_of(output))
            if not runs:
                raise
            return runs
        text = text_of(output)
        runs, error = log.runs_in(text), log.error_in(text)
        if done.returncode and not (runs and log.WAS_CUT in text):
            raise shell.Failure(f"LAMMPS stopped: {error}" if error else failed(line, done))
        if not runs:
            raise shell.Failure(f"{Path(script).name} makes no run, or ends before it")
        return runs


class EndOfRuns:
    """Says that LAMMPS may be stopped: it had its time.

    The time limit of LAMMPS has ended a run a while ago: what follows in the input may be a loop that never ends, since
    `run` does nothing any more. Or it ends none, because runs are so short that they never read the clock.

    Args:
        output: File with LAMMPS' output.
        window: Time limit of LAMMPS [s].
        after: Time after it [s].
    """

    def __init__(self, output, window, after):
        self.output = output
        self.window = window
        self.after = after
        self.read = 0
        self.times = {}    # words in the output -> when they were seen last

    def __call__(self):
        if self.output.exists():
            with open(self.output, "rb") as file:
                file.seek(self.read)
                new = file.read()
            complete = new.rfind(b"\n") + 1
            self.read += complete
            for words in (log.BEGINS, log.WAS_CUT):
                if words.encode() in new[:complete] and (words == log.WAS_CUT or words not in self.times):
                    self.times[words] = time.monotonic()
        now = time.monotonic()
        return (now - self.times.get(log.WAS_CUT, now) > self.after
                or now - self.times.get(log.BEGINS, now) > PATIENCE * self.window + self.after)


def text_of(path):
    """Content of a file; empty if there is none."""
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def failed(line, done):
    """What to say of a program that failed without a message of LAMMPS.

    Args:
        line: Its command line.
        done: The finished process.
    """
    return f"status {done.returncode} from\n  {shell.quote(line)}\n{done.stdout}{done.stderr}"


def runs_of(lammps, name, text, ranks, words=(), threads=1, cores=0, more=(), within=(), folder=None):
    """Run LAMMPS quietly.

    Args:
        lammps: A Build.
        name: Of the files of the run in the folder of benches.
        text: The input.
        ranks: Number of ranks.
        words: Arguments of LAMMPS in front of the input.
        threads: Of OpenMP, of each rank.
        cores: Of each rank; 0: one for each thread.
        more: Arguments of LAMMPS behind the input.
        within: Words between the launcher and LAMMPS.
        folder: To run in; None: that of the log.

    Returns:
        All runs in the log.

    Raises:
        shell.Failure: LAMMPS failed; the message has LAMMPS' own message if there is one.
    """
    label = re.sub(r"[ /]", ".", name.replace(",", ""))
    script, logfile = (cache.folder("bench") / f"{kind}.{label}" for kind in ("in", "log"))
    script.write_text(text, encoding="utf-8")
    logfile.unlink(missing_ok=True)
    line = [*mpi.launch(lammps.mpi, ranks, cores or threads), *within, str(lammps.lmp), *words, "-in", script, "-log",
            logfile, "-screen", "none", *more]
    done = shell.attempt(line, cwd=folder or logfile.parent, env={
        **program.folders_of(lammps.source.path), **os.environ, "OMP_NUM_THREADS": str(threads)})
    if done.returncode and not logfile.exists():
        raise shell.Failure(failed(line, done))
    runs = log.read(logfile)    # raises with LAMMPS' message
    if done.returncode:
        raise shell.Failure(failed(line, done))
    return runs
