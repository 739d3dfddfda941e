# SPDX-License-Identifier: GPL-2.0-only
"""The parts of tools/tofu, one idea per file."""

from pathlib import Path

#: The TOFU checkout these tools belong to.
CHECKOUT = Path(__file__).resolve().parents[2]
