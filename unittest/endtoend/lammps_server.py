# SPDX-License-Identifier: GPL-2.0-only
"""One LAMMPS job that runs many small cases, one after the other.

Starting an MPI job takes longer than a case with some hundred atoms. The job reads commands from
rank 0's standard input; each case begins with `clear` and ends with a printed mark. A case that ends
with an error takes the job with it: the next case starts a new one. Between cases the job is paused
(SIGSTOP), because waiting ranks spin and would slow down every other job.
"""

import itertools
import os
import queue
import re
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Dict, List, Optional, Tuple

from lammps_run import Installation, LammpsFailure, Variant, descendants, kill_tree, mpi_command

END = "=== end of case"

CASE_TIMEOUT = 60.0
"""Seconds after which a case counts as hung; most take a tenth of a second."""


SECONDS_TO_FINISH = 30.0
"""A job that has read its last command must end within this time."""

MOST_SERVERS = 12 if os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") < 16e9 else 40
"""Number of jobs that are kept, of 30 MB for each rank; a further one replaces the one that was unused for the longest
time."""


class CaseFailed(LammpsFailure):
    """LAMMPS stopped with an error in this case."""


class CaseHung(LammpsFailure):
    """The case did not end within the time limit."""


class LammpsServer:
    """A LAMMPS job on a fixed number of ranks that runs one script after the other.

    Args:
        installation: LAMMPS to run.
        ranks: number of MPI ranks.
        environment: variables of the job, such as those of a Variant.
        cwd: its working directory; the output of all cases is kept there.
    """

    def __init__(self, installation: Installation, ranks: int, environment: Dict[str, str], cwd: Path):
        self.installation = installation
        self.ranks = ranks
        self.environment = dict(environment)
        self.cwd = cwd
        self.cases_run = 0
        self._process: Optional[subprocess.Popen] = None
        self._began = False  # LAMMPS has, in this job
        self._family: List[int] = []
        self._lines: queue.Queue = queue.Queue()

    def run(self, script: str, timeout: float = CASE_TIMEOUT) -> str:
        """Run `script` after a `clear` of LAMMPS and return its output.

        A job that Open MPI's start has crashed before LAMMPS began is started once more: a thread of Open MPI 4 reads
        the environment (getenv) while another one still changes it. This was seen once in some ten thousand starts.

        Variables survive LAMMPS' `clear`; those that the script defines are deleted before it starts. So does the
        number of warnings, of which LAMMPS prints 100: all are printed here.

        Raises:
            CaseFailed: LAMMPS ended with an error; the message has its output.
            CaseHung: the case did not end within `timeout` seconds.
        """
        try:
            return self._run_once(script, timeout)
        except CaseFailed as failed:
            if self._began or "mca_pmix" not in str(failed):
                raise
            return self._run_once(script, timeout)

    def _run_once(self, script: str, timeout: float) -> str:
        self.cases_run += 1
        mark = f"{END} {self.cases_run}"
        names = dict.fromkeys(re.findall(r"^\s*variable\s+(\S+)", script, re.M))
        forget = [f"variable {name} delete" for name in names if "$" not in name]
        process = self._started_process()
        self._signal(signal.SIGCONT)
        text = "\n".join(["clear", "thermo_modify warn always", *forget, script, f'print "{mark}"', ""])
        try:
            process.stdin.write(text.encode())
            process.stdin.flush()
        except BrokenPipeError:
            pass  # the job has ended, which the reader reports
        output = self._read_until(mark, timeout)
        self.pause()
        return output

    def pause(self) -> None:
        """Stop the ranks until the next case."""
        if self._process is not None:
            self._signal(signal.SIGSTOP)

    def _signal(self, number: int) -> None:
        """Send a signal to the ranks, but not to the launcher; the ranks are known after the first case."""
        if number == signal.SIGSTOP and not self._family:
            self._family = descendants(self._process.pid)
        for pid in self._family:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def _started_process(self) -> subprocess.Popen:
        if self._process is None:
            self._began = False
            command = mpi_command(self.installation, self.ranks, ["-log", "none", "-nonbuf"])
            self._process = subprocess.Popen(
                command,
                cwd=self.cwd,
                env=self.installation.job_environment(self.environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._lines = queue.Queue()
            reader = threading.Thread(target=_pump, args=(self._process.stdout, self._lines), daemon=True)
            reader.start()
        return self._process

    def _read_until(self, mark: str, timeout: float) -> str:
        deadline = time.monotonic() + timeout
        printed: List[str] = []
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                self.close()
                raise CaseHung(f"no end after {timeout:.0f} s:\n" + "\n".join(printed[-40:])) from None
            if line is None:
                code = self._process.wait()
                self.close()
                raise CaseFailed(f"LAMMPS ended with status {code}:\n" + "\n".join(printed[-40:]))
            self._began = self._began or line.startswith("LAMMPS (")
            if line == mark:
                return "\n".join(printed)
            printed.append(line)

    def finish(self) -> None:
        """Let LAMMPS come to the end of its input and check that it ends well.

        Raises:
            LammpsFailure: LAMMPS did not end in time, or ended with an error.
        """
        if self._process is None:
            return
        self._signal(signal.SIGCONT)
        process = self._process
        try:
            process.stdin.close()
            status = process.wait(SECONDS_TO_FINISH)
        except (subprocess.TimeoutExpired, BrokenPipeError):
            status = None
        self.close()
        if status != 0:
            raise LammpsFailure(f"LAMMPS on {self.ranks} ranks did not end well after its last case: status {status}")

    def close(self) -> None:
        """End the job, if there is one, by force."""
        if self._process is not None:
            self._signal(signal.SIGCONT)
            kill_tree(self._process)
            for stream in (self._process.stdin, self._process.stdout):
                try:
                    stream.close()
                except BrokenPipeError:
                    pass
            self._process = None
            self._family = []


def _pump(stream, lines: queue.Queue) -> None:
    """Put the lines of `stream` into `lines`, and None at the end."""
    try:
        for line in stream:
            lines.put(line.decode(errors="replace").rstrip("\n"))
    except ValueError:  # closed by close()
        pass
    lines.put(None)


class ServerPool:
    """The servers of a test session, each started when it is first needed.

    Args:
        installation: LAMMPS to run.
        cwd: folder in which each server gets a working directory.
    """

    def __init__(self, installation: Installation, cwd: Path):
        self.installation = installation
        self.cwd = cwd
        self._servers: Dict[Tuple, LammpsServer] = {}
        self._count = itertools.count()

    def server(self, ranks: int, variant: Variant, environment: Optional[Dict[str, str]] = None) -> LammpsServer:
        """A server on `ranks` ranks whose environment suits `variant`.

        The comm style itself is chosen by each script, so that variants that differ in nothing but the
        style or its keywords share a server.
        """
        variables = {**dict(variant.environment), **(environment or {})}
        key = (ranks, tuple(sorted(variables.items())))
        server = self._servers.pop(key, None)
        if server is None:
            if len(self._servers) >= MOST_SERVERS:
                self._servers.pop(next(iter(self._servers))).finish()
            folder = self.cwd / f"server-{next(self._count)}"
            folder.mkdir(parents=True)
            server = LammpsServer(self.installation, ranks, variables, folder)
        for other in self._servers.values():
            other.pause()  # once more, in case something has continued it
        self._servers[key] = server  # the last in the order of use
        return server

    def finish(self) -> None:
        """Let all servers come to their end; after the last has ended, raise the first error."""
        errors = []
        for server in self._servers.values():
            try:
                server.finish()
            except LammpsFailure as failure:
                errors.append(failure)
        self._servers.clear()
        if errors:
            raise errors[0]
