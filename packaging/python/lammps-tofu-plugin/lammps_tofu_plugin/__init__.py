# SPDX-License-Identifier: GPL-2.0-only
"""TOFU as a plug-in for LAMMPS."""

import os


def folder():
    """The folder with the plug-in, for LAMMPS_PLUGIN_PATH."""
    return os.path.dirname(os.path.abspath(__file__))
