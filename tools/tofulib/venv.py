# SPDX-License-Identifier: GPL-2.0-only
"""The virtual environment with the libraries that tests and plots need."""

import shutil
import sys

from . import CHECKOUT, cache, shell, system

REQUIREMENTS = CHECKOUT / "tools" / "requirements.txt"


def python():
    """The Python of the virtual environment, which is made or renewed at need.

    Returns:
        Path of the interpreter.
    """
    folder = cache.root() / "venv"
    interpreter = folder / "bin" / "python"
    stamp = folder / "tofu-stamp.json"
    wanted = {"python": sys.version, "requirements": REQUIREMENTS.read_text(encoding="utf-8")}
    if interpreter.exists() and cache.read_json(stamp) == wanted:
        return interpreter

    system.ensure(["venv"])
    with cache.lock(folder):
        shell.say(f"making a virtual environment with the libraries of tools/{REQUIREMENTS.name} (about a minute)")
        shutil.rmtree(folder, ignore_errors=True)
        shell.capture([sys.executable, "-m", "venv", folder])
        shell.capture([interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r",
                       REQUIREMENTS])
        cache.write_json(stamp, wanted)
    return interpreter
