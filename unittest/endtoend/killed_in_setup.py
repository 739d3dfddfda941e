# SPDX-License-Identifier: GPL-2.0-only
"""Kill jobs while they start until one leaves named segments behind, then see that the next job removes them.

    python killed_in_setup.py COMMAND...

COMMAND is a job in this folder whose ranks use named segments; /dev/shm is for this script alone. Prints what happened;
the exit status is 0 if all is well.
"""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

SHARED_MEMORY = Path("/dev/shm")
ATTEMPTS = 60


def segments():
    """Names of the segments that exist now."""
    return {path.name for path in SHARED_MEMORY.glob("tofu-*")}


def modes():
    """Permissions of the segments that exist now."""
    found = set()
    for name in segments():
        try:
            found.add(stat.S_IMODE((SHARED_MEMORY / name).stat().st_mode))
        except FileNotFoundError:
            pass
    return found


def start(command):
    """The job in a session of its own, so that it can be killed as a whole."""
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT, start_new_session=True)


def kill_in_setup(command):
    """Start the job and kill all of it when it has a segment with a name.

    Returns:
        The permissions that segments had; empty if the job ended before one was seen.
    """
    job = start(command)
    seen = set()
    while not seen and job.poll() is None:
        seen = modes()
    for pid in processes_of(job.pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    job.wait()
    time.sleep(0.2)
    return seen


def processes_of(session):
    """All processes that were started in a session, or below it."""
    found = [session]
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session or int(fields[1]) in found:
            found.append(int(entry.name))
    return found


def main(command):
    """See the module's docstring."""
    seen = set()
    for _ in range(ATTEMPTS):
        seen |= kill_in_setup(command)
        if segments():
            break
    else:
        print("nothing was left by", ATTEMPTS, "jobs")
        return 0
    left = segments()
    print("left:", *left)
    status = start(command).wait(60)
    print("the next job ended with status", status, "and left", *segments())
    return 0 if status == 0 and not segments() and seen == {0o600} else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
