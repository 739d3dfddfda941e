# SPDX-License-Identifier: GPL-2.0-only
"""How much longer Ninja will compile: from the processor time that sources of LAMMPS and TOFU have taken before."""

import itertools
import re
from pathlib import Path

#: Processor time of sources by a part of their path [in that of most sources of LAMMPS]; Zen 3, GCC 12, with a
#: precompiled header. The first that fits counts; a few sources take as long as a hundred others.
WEIGHTS = {
    "/pair_lj_long_tip4p_long_omp.": 38, "/TOFU/kernels/pair/lj_coul.": 38, "/TOFU/kernels/pair/lj_charmm_coul.": 29,
    "/src/force.": 8, "/tofu_patched/": 5, "/TOFU/kernels/pair/exponential.": 23, "/pppm_disp_intel.": 17,
    "/pair_airebo_intel.": 16, "/TOFU/kernels/pair/pair_terms.": 14, "/pair_buck_long_coul_long_omp.": 13,
    "/pair_lj_long_coul_long_": 12, "/TOFU/kernels/manybody/tersoff.": 12, "/TOFU/kernels/pair/lj_cut.": 12,
    "/KSPACE/pppm_disp.": 11, "/src/variable.": 11, "/src/lammps.": 11, "/src/modify.": 10, "/npair_intel.": 8,
    "/TOFU/kernels/bonded/dihedrals.": 8, "/TOFU/kernels/": 3.0, "/TOFU/model/": 3.2, "/TOFU/mesh/": 2.0,
    "/TOFU/p2p/": 1.7, "/TOFU/ring/": 2.5,
    "/TOFU/deep/": 1.5, "/TOFU/offload/": 1.4, "/TOFU/transport/": 1.25, "/TOFU/halo/": 1.35, "/TOFU/placement/": 1.3,
    "/TOFU/styles/": 0.9, "/TOFU/lammps/": 0.7, "/TOFU/": 1.1, "/INTEL/": 1.8, "/OPT/": 1.0, "/KSPACE/": 1.2,
    "/MANYBODY/": 1.2, "/RIGID/": 1.2, "/OPENMP/": 0.8, "/REPLICA/": 0.9}
#: That of most sources of LAMMPS, until it is measured [s].
USUAL = 0.5
#: The first guess counts at the begin as if it were known from so many sources, and no longer after this time [s].
FIRST_GUESS, FIRST_MINUTE = 100, 60.0
#: Most time that is printed in seconds [s].
IN_SECONDS = 240


class TimeLeft:
    """Tells from lines of Ninja how much time is left: what has taken as long before takes as long again.

    Args:
        plan: Ninja's lines of all that is to be done, in order: kernels take longer than other files, and come late.
        jobs: Number of compilers.
    """

    def __init__(self, plan, jobs):
        self.sums = [0.0, *itertools.accumulate(map(weight_of, plan))]
        self.guess = USUAL / jobs    # time of most sources of LAMMPS [s]

    def __call__(self, line):
        found = re.match(r"\[(\d+)/(\d+), ([\d.]+) s\] (?:Building \S+ object )?(.*)", line)
        if not found:
            return line
        done, total, passed, what = int(found[1]), int(found[2]), float(found[3]), found[4]
        sums = self.sums if len(self.sums) > total else range(total + 1)
        guessed = FIRST_GUESS * max(0.0, 1.0 - passed / FIRST_MINUTE)
        each = (passed + guessed * self.guess) / max(sums[done] + guessed, 1e-9)
        return f"{done} of {total} files, {in_words(each * (sums[total] - sums[done]))} left: {Path(what).name}"

    def whole(self):
        """Time of all, before anything is known of this machine [s]."""
        return self.guess * self.sums[-1]


def in_words(seconds):
    """A time that is not exact, in words."""
    if seconds < IN_SECONDS:
        return f"about {max(10, 10 * round(seconds / 10))} s"
    return f"about {round(seconds / 60)} min"


def weight_of(line):
    """Processor time of a step of Ninja, in that of most sources of LAMMPS."""
    usual = 1.0 if "Building" in line else 0.0
    return next((weight for words, weight in WEIGHTS.items() if words in line), usual)
