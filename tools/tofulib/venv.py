# SPDX-License-Identifier: GPL-2.0-only
"""Virtual environments: that with the libraries for tests and plots, and that where wheels are made."""

import json
import os
import shutil
import sys
import tempfile

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


def carry_out(module, function, data, path, interpreter=None):
    """Carry out a function of a module there.

    Args:
        module: As in "tofulib.plot_tune".
        function: Of it, with two arguments: the data, and the path of its result.
        data: What JSON can hold.
        path: Of the result.
        interpreter: Another Python with the libraries.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(data, file)
        file.flush()
        shell.capture([interpreter or python(), "-m", "tofulib.worker", module, function, file.name, path],
                      env=environment())


def draw(module, data, picture, interpreter=None):
    """Draw data by a module, and say so; arguments as of carry_out()."""
    carry_out(f"tofulib.{module}", "draw", data, picture, interpreter)
    print(f"Plot: {picture}")
