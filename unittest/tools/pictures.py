# SPDX-License-Identifier: GPL-2.0-only
"""Checks of the pictures that tools/tofu bench draws."""

import sys

from tofulib import venv


def check_picture(folder, data, module: str) -> None:
    """Check that a module draws data."""
    picture = folder / "picture.png"
    venv.draw(module, data, picture, sys.executable)
    assert picture.stat().st_size > 10000
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
