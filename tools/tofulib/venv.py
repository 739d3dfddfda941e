# SPDX-License-Identifier: GPL-2.0-only
"""Virtual environments: that with the libraries for tests and plots, and that where wheels are made."""

import os
import shutil
import sys

from . import CHECKOUT, cache, shell, system

REQUIREMENTS = CHECKOUT / "tools" / "requirements.txt"


def python(requirements=REQUIREMENTS):
    """The Python of a virtual environment, which is made or renewed at need.

    Args:
        requirements: File that lists its libraries.

    Returns:
        Path of the interpreter.
    """
    folder = cache.root() / ("venv" if requirements == REQUIREMENTS else f"venv-{requirements.parent.name}")
    interpreter = folder / "bin" / "python"
    stamp = folder / "tofu-stamp.json"
    wanted = {"python": sys.version, "requirements": requirements.read_text(encoding="utf-8")}
    if interpreter.exists() and cache.read_json(stamp) == wanted:
        return interpreter

    system.ensure(["venv"])
    with cache.lock(folder):
        shell.say(f"making a virtual environment with the libraries of "
                  f"{requirements.relative_to(CHECKOUT)} (about a minute)")
        shutil.rmtree(folder, ignore_errors=True)
        shell.capture([sys.executable, "-m", "venv", folder])
        shell.capture([interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
                       requirements])
        cache.write_json(stamp, wanted)
    return interpreter


def environment():
    """Environment of our programs there; their arrays are short, and one thread is enough for them."""
    return {**os.environ, "PYTHONPATH": str(CHECKOUT / "tools"), "MPLBACKEND": "Agg", "PYTHONDONTWRITEBYTECODE": "1",
            "OMP_NUM_THREADS": "1"}


def carry_out(interpreter, module, function, data, path):
    """Carry out a function of a module there.

    Args:
        interpreter: Python of the virtual environment.
        module: As in "tofulib.plot".
        function: Of it, with two arguments: the data, and the path of its result.
        data: JSON file with the data.
        path: Of the result.
    """
    shell.capture([interpreter, "-m", "tofulib.worker", module, function, data, path], env=environment())
