# SPDX-License-Identifier: GPL-2.0-only
"""The version of TOFU, which one header holds."""

import re

from . import CHECKOUT

HEADER = CHECKOUT / "src" / "TOFU" / "base" / "tofu_version.h"


def tofu_version():
    """The version, such as "1.0"."""
    return re.search(r'TOFU_VERSION "([^"]+)"', HEADER.read_text(encoding="utf-8")).group(1)
