# SPDX-License-Identifier: GPL-2.0-only
"""Whether a machine is too busy for measurements to mean something.

Three signs of it: the ranks get too little of their processors, others wait for the same processors, and times of
the same way to run are too different.
"""

import statistics
import time
from pathlib import Path

from . import allocation, mpi

#: Exit status of a command that measured on a busy machine and gives no verdict.
STATUS = 3
#: Least share of its processor that a rank gets on an idle machine, as LAMMPS prints it [%].
LEAST_CPU_USE = 80.0
#: Largest ratio of two times of the same way to run; from ENOUGH times on without the longest and the shortest.
MOST_SCATTER, ENOUGH = 1.5, 5
#: How often a look counts processes, and the time between [s]; a process that runs in passing is seen once.
COUNTS, INTERVAL = 10, 0.01
#: So much of a processor are passing processes on an idle machine.
PASSING = 0.4
#: Shortest time between looks [s].
BETWEEN_LOOKS = 1.0


class Watch:
    """Looks at the machine between measurements, when none of their processes run.

    Args:
        launcher: A launcher.Launcher, which says where they run.
        wanted: Number of processors that they take.
    """

    def __init__(self, launcher, wanted):
        self.here = launcher.is_here
        self.room = max(launcher.where.cores)               #: cores of a node that may be used
        self.wanted = -(-wanted // launcher.where.nodes)    #: on each node
        self.others = []
        self.last = 0.0

    def look(self):
        """Count the processes of others, unless this was done a moment ago."""
        if self.here and time.monotonic() - self.last > BETWEEN_LOOKS:
            for _ in range(COUNTS):
                self.others.append(running())
                time.sleep(INTERVAL)
            self.last = time.monotonic()

    def reasons(self, times, uses):
        """What speaks against a verdict, a sentence each; none if the machine was idle.

        Args:
            times: Times of each of the ways that the verdict is about, a list for each.
            uses: CPU use of LAMMPS in each of these runs [%], likewise.
        """
        found, cores = [], mpi.cores_of_machine()
        others = statistics.mean(self.others) if self.others else 0.0
        if self.here and self.wanted > self.room:
            found.append(f"the {self.wanted} processes measured share {allocation.count(self.room, 'core')}")
        elif others + self.wanted > cores + PASSING:
            found.append(f"other programs run: {others:.1f} processes on average beside those measured, which take "
                         f"{self.wanted} of {allocation.count(cores, 'core')}")
        least = min((statistics.median(one) for one in uses if one), default=100.0)
        if least < LEAST_CPU_USE:
            found.append(f"ranks got {least:.0f} % of their processors (LAMMPS' CPU use); an idle machine gives "
                         f"{LEAST_CPU_USE:.0f} % or more")
        most = max(map(scatter, times), default=1.0)
        if most > MOST_SCATTER:
            found.append(f"times of the same run differ by a factor of {most:.2f}, the limit is {MOST_SCATTER:g}")
        return found


def running():
    """Number of processes and threads on this machine that run or wait for a processor, without this one."""
    try:
        return max(0, int(Path("/proc/loadavg").read_text(encoding="utf-8").split()[3].split("/")[0]) - 1)
    except (OSError, ValueError, IndexError):
        return 0


def scatter(times):
    """Ratio of the longest to the shortest time, each the second one if there are enough."""
    inner = sorted(times)[1:-1] if len(times) >= ENOUGH else sorted(times)
    return inner[-1] / inner[0] if inner and inner[0] > 0.0 else 1.0


def message(reasons):
    """The message for the user."""
    return ("No verdict: the machine is busy.\n  " + "\n  ".join(reasons) +
            "\n  Repeat it when nothing else runs, or take the figures as they are with --although-busy.")
