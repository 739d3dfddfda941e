# SPDX-License-Identifier: GPL-2.0-only
"""Checks of the pictures that tools/tofu bench draws."""

import json
import sys

from tofulib import bench


def check_picture(folder, data, module: str) -> None:
    """Check that a module draws the data."""
    file, picture = folder / "data.json", folder / "picture.png"
    file.write_text(json.dumps(data), encoding="utf-8")
    bench.plot(sys.executable, file, picture, module)
    assert picture.stat().st_size > 10000
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
