# SPDX-License-Identifier: GPL-2.0-only
"""Compare the first row of thermo output between ways to compute.

Rounding is measured, not assumed: LAMMPS' own packages differ from each other by the order of their sums.
"""

import math

#: Allowed difference, relative to the largest value of the same kind, by precision.
TOLERANCE = {"double": 1e-10, "mixed": 1e-4}
#: Times that TOFU may differ as much as LAMMPS' own packages do.
TIMES_STOCK = 10.0
#: Columns with times of the run, which no two runs share.
NOT_PHYSICS = frozenset("CPU T/CPU S/CPU CPULeft TimeoutLeft Elapsed Elaplong Part Nbuild Ndanger Spcpu Tpcpu".split())
ENERGIES = frozenset("""PotEng KinEng TotEng E_pair E_vdwl E_coul E_long E_bond E_angle E_dihed E_impro E_mol E_tail
                        Enthalpy Ecouple Econserve""".split())
PRESSURES = frozenset("Press Pxx Pyy Pzz Pxy Pxz Pyz".split())


def first_row(runs):
    """The first row of the first run, by column."""
    return dict(zip(runs[0].columns, runs[0].rows[0])) if runs and runs[0].rows else {}


class Comparison:
    """First rows of LAMMPS as it is; rows of others are compared with them.

    Positions and velocities that LAMMPS creates may depend on the number of ranks, so rows are compared with rows of
    as many ranks.
    """

    def __init__(self):
        self.references = {}    # ranks -> row of LAMMPS without a package
        self.spread = {}        # (ranks, column) -> largest difference between LAMMPS' own packages

    def has(self, ranks):
        """Whether there is a reference for that many ranks."""
        return ranks in self.references

    def add_reference(self, ranks, row):
        """Remember the row of LAMMPS without a package."""
        self.references[ranks] = row

    def add_stock(self, ranks, row):
        """Learn how much another package of LAMMPS differs, as far as it has the same columns."""
        for name, value in self.references.get(ranks, {}).items():
            if name in row and math.isfinite(row[name]) and math.isfinite(value):
                here = self.spread.get((ranks, name), 0.0)
                self.spread[ranks, name] = max(here, abs(row[name] - value))

    def differences(self, ranks, row, precision="double"):
        """Columns that rounding does not explain, one line each; none if the physics agrees."""
        reference = self.references[ranks]
        names = [name for name in reference if name not in NOT_PHYSICS]
        if not names or set(row) != set(reference):
            return [f"columns are {' '.join(row) or 'none'} instead of {' '.join(reference) or 'none'}"]
        found = []
        for name in names:
            expected, value = reference[name], row[name]
            allowed = max(TOLERANCE[precision] * scale(name, reference),
                          TIMES_STOCK * self.spread.get((ranks, name), 0.0))
            if not abs(value - expected) <= allowed:
                found.append(f"{name} is {value:.15g} instead of {expected:.15g}, allowed difference {allowed:.1e}")
        return found


def scale(name, row):
    """Size of the values that a column is a sum of: the largest of its kind; 1 at least for columns of the user."""
    for kind in (ENERGIES, PRESSURES):
        if name in kind:
            return max(abs(value) for column, value in row.items() if column in kind)
    return max(1.0, abs(row[name])) if name[:2] in ("c_", "f_", "v_") else abs(row[name])
