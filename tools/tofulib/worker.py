# SPDX-License-Identifier: GPL-2.0-only
"""Carry out a function of a module in the virtual environment, where numpy and matplotlib are:
python -m tofulib.worker MODULE FUNCTION DATA.json RESULT. The function gets the data and the path of its result."""

import importlib
import json
import sys

if __name__ == "__main__":
    module, function, data, path = sys.argv[1:]
    with open(data, encoding="utf-8") as file:
        getattr(importlib.import_module(module), function)(json.load(file), path)
