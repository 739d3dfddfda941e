# SPDX-License-Identifier: GPL-2.0-only
"""Run other programs and talk to the user."""

import contextlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time

#: Without a terminal, a long program shows one line of progress this often [s].
PROGRESS_INTERVAL = 20
#: Time between questions whether a program may be stopped [s].
BETWEEN_QUESTIONS = 1.0
#: Time that a program has to end by itself, and to end its ranks, before it is killed [s].
TIME_TO_END = 5.0


class Failure(Exception):
    """Error for the user: what was found, what was expected, and what can be done."""


class Late(Failure):
    """A program did not end in the time that it was given, and was stopped."""


def say(text):
    """Tell the user what happens next."""
    print(f"tofu: {text}", flush=True)


def quote(command):
    """The command as a user would type it."""
    return shlex.join(str(word) for word in command)


def capture(command, **settings):
    """Run a program and return what it prints.

    Raises:
        Failure: The program could not be started or failed.
    """
    done = attempt(command, **settings)
    if done.returncode:
        raise Failure(
            f"this failed with status {done.returncode}:\n  {quote(command)}\n{done.stderr or done.stdout or ''}")
    return done.stdout


def attempt(command, limit=None, enough=lambda: False, **settings):
    """Run a program that may fail.

    Args:
        command: The program and its arguments.
        limit: Time after which it is stopped, with all that it has started [s]; None: never.
        enough: With a limit, function that says whether it is to be stopped now.
        settings: Of the process.

    Returns:
        The finished process; status 127 if there is no such program.

    Raises:
        Late: It was stopped.
    """
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL, "text": True,
                "errors": "replace", "start_new_session": limit is not None, **settings}
    try:
        process = subprocess.Popen([str(word) for word in command], **settings)
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, "", f"{error}\n")
    with process:
        try:
            output, errors = wait(process, limit, enough)
        except subprocess.TimeoutExpired as late:
            stop(process, settings["start_new_session"])
            raise Late(f"after {late.timeout:.1f} s this had not ended and was stopped:\n  {quote(command)}") from None
        except BaseException:    # an interruption from the keyboard does not reach a session of its own
            stop(process, settings["start_new_session"])
            raise
    return subprocess.CompletedProcess(command, process.returncode, output, errors)


def wait(process, limit, enough):
    """Wait for a program; arguments as those of attempt().

    Returns:
        What it has printed and its messages.

    Raises:
        subprocess.TimeoutExpired: It is to be stopped.
    """
    if limit is None:
        return process.communicate()
    start = time.monotonic()
    while True:
        passed = time.monotonic() - start
        try:
            return process.communicate(timeout=max(0.0, min(BETWEEN_QUESTIONS, limit - passed)))
        except subprocess.TimeoutExpired:
            passed = time.monotonic() - start
            if passed >= limit or enough():
                raise subprocess.TimeoutExpired(process.args, passed) from None


def stop(process, group):
    """Stop a program, which ends its ranks on SIGTERM, and then what is left.

    Args:
        process: The program.
        group: Whether it leads a process group of its own.
    """
    process.terminate()
    try:
        process.wait(TIME_TO_END)
    except subprocess.TimeoutExpired:
        process.kill()
    if group:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def run_logged(command, log, progress=None, show=str, **settings):
    """Run a long program with all its output in a file, and show its progress.

    Args:
        command: The program and its arguments.
        log: File for its output.
        progress: Regular expression of the lines worth showing; None shows nothing.
        show: Function that makes what is shown from such a line.

    Raises:
        Failure: The program failed; the message ends with the last lines of its output.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    shown = Progress(progress, show)
    try:
        with open(log, "w", encoding="utf-8") as file, subprocess.Popen(
                [str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                text=True, errors="replace", **settings) as process:
            for line in process.stdout:
                file.write(line)
                shown.line(line.rstrip())
    except OSError as error:
        raise Failure(f"cannot run {quote(command)}: {error}") from None
    finally:
        shown.finish()
    if process.returncode:
        raise Failure(
            f"this failed with status {process.returncode}:\n  {quote(command)}\n{excerpt(log)}\nAll output: {log}")


def excerpt(log, lines=30):
    """The part of a failed log that a reader needs first: the lines around the first error, else the last lines."""
    text = log.read_text(encoding="utf-8", errors="replace").splitlines()
    for pattern in (r"\berror: |CMake Error|^ERROR", r"FAILED|\*\*\*Failed"):
        for number, line in enumerate(text):
            if re.search(pattern, line):
                return "\n".join(text[max(0, number - 1):number + lines])
    return "\n".join(text[-lines:])


class Progress:
    """Shows progress: by one changing line on a terminal, elsewhere by a line from time to time."""

    def __init__(self, pattern, show=str):
        self.show = show
        self.pattern = re.compile(pattern) if pattern else None
        self.live = sys.stdout.isatty()
        self.last = time.monotonic()
        self.started = False

    def line(self, text):
        """Look at one line of output."""
        if not self.pattern or not self.pattern.search(text):
            return
        if self.live:
            text = self.show(text)
            width = os.get_terminal_size().columns - 1
            print(f"\r\033[K{text[:width]}", end="", flush=True)
            self.started = True
        elif time.monotonic() - self.last > PROGRESS_INTERVAL:
            print(self.show(text), flush=True)
            self.last = time.monotonic()

    def finish(self):
        """Clear the changing line."""
        if self.started:
            print("\r\033[K", end="", flush=True)
