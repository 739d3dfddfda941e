# SPDX-License-Identifier: GPL-2.0-only
"""The version of TOFU, which one header holds."""

import re

from . import CHECKOUT, shell

HEADER = CHECKOUT / "src" / "TOFU" / "base" / "tofu_version.h"


def tofu_version():
    """The version, such as "1.0"."""
    return re.search(r'TOFU_VERSION "([^"]+)"', HEADER.read_text(encoding="utf-8")).group(1)


def commit():
    """The commit of the checkout, with a plus if files were changed since; "unknown" without git."""
    found = shell.attempt(["git", "-C", CHECKOUT, "rev-parse", "--short=12", "HEAD"]).stdout.strip()
    changed = shell.attempt(["git", "-C", CHECKOUT, "status", "--porcelain", "--untracked-files=no"]).stdout.strip()
    return f"{found}{'+' if changed else ''}" if found else "unknown"
