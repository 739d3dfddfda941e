# SPDX-License-Identifier: GPL-2.0-only
"""Inputs as users write them: what tune and predict must get through. Some are LAMMPS' own examples."""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

#: A liquid in a small box; further lines follow.
BOX = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
"""
#: What tune and predict do with an input.
STEPS, NO_STEPS, FLAT = "steps", "no steps", "two dimensions"


class UserInput(NamedTuple):
    """One input."""

    script: str            #: name
    files: dict            #: name -> text; empty: the folder of an example is copied
    example: str = ""      #: folder of LAMMPS' examples
    kind: str = STEPS


def own(text, kind=STEPS, script="in.user", **files):
    """An input of a few lines behind the box; with further inputs it is complete."""
    complete = any(text_of for text_of in files.values())
    return UserInput(script, {script: text if complete else BOX + text, **files}, kind=kind)


INPUTS = {
    "a log of its own in a sub-folder": own(
        "log logs/user.log\nthermo 100\nrun 100000\n", **{"logs/keep": ""}),
    "no log and no echo": own("echo none\nlog none\nthermo_style custom step pe press\nrun 100000\n"),
    "dumps and restarts in sub-folders": own(
        "shell mkdir out\ndump 1 all atom 50 out/*.dump\ndump 2 all custom 100 here/a.dump id x y z\n"
        "restart 200 out/a.restart out/b.restart\nrun 100000\nwrite_data out/end.data\n", **{"here/keep": ""}),
    "another folder by shell cd": own(
        "shell mkdir work\nshell cd work\nlog work.log\nwrite_data begin.data\nrun 100000\nshell cd ..\n"),
    "two systems with clear": own(f"run 200\nclear\n{BOX}thermo_style custom step temp epair press\nrun 100000\n"),
    "a loop over runs that jumps to its own name": own(
        "variable t loop 400\nlabel again\nfix 2 all langevin 1.$t 1.$t 1.0 48279\nrun 50\nunfix 2\nnext t\n"
        "jump in.user again\n"),
    "a loop until a condition that the end of the time never meets": own(
        "variable s equal step\nrun 100\nlabel again\nrun 100\n"
        'if "$s < 100000000" then "jump SELF again"\n'),
    "a run of single steps": own("run 0\nvariable i loop 4000\nlabel again\nrun 1 pre no post no\nnext i\n"
                                 "jump SELF again\nrun 0\n"),
    "a run with commands in it": own('thermo 10\nrun 100000 every 100 "print \'now\'"\n'),
    "minimization and several runs": own(
        "min_style cg\nminimize 1e-4 1e-6 50 100\nreset_timestep 0\nrun 100\nrun 0\n"
        "fix 3 all momentum 100 linear 1 1 1\nrun 100000\n"),
    "run 0 alone": own("run 0\n", NO_STEPS),
    "parts in other files": own(
        "variable what index run\ninclude box.in\ninclude ${what}.in\n"
        'if "${what} == run" then "include more.in"\n',
        **{"box.in": BOX, "run.in": "thermo_style custom step &\n  temp pe # of all\nrun 50\n",
           "more.in": "run 100000\n"}),
    "loops and an if in the middle of a Monte Carlo": UserInput("in.mc", {}, "MC-LOOP", FLAT),
    "minimization in two dimensions": UserInput("in.min", {}, "min", FLAT),
    "melt": UserInput("in.melt", {}, "melt"),
    "peptide": UserInput("in.peptide", {}, "peptide"),
    "clear and restarts (tersoff)": UserInput("in.tersoff", {}, "tersoff"),
    "clear (three-body styles)": UserInput("in.threebody", {}, "threebody"),
    "units": UserInput("in.ar.real", {}, "UNITS"),
    "a log of its own (heat exchange)": UserInput("in.lj.hex", {}, "HEAT"),
    "water with long-range forces": UserInput("in.spce", {}, "rdf-adf"),
    "minimize only, several times": UserInput("in.indent.min", {}, "indent", FLAT),
}


def place(name, folder):
    """Put an input into a folder.

    Returns:
        Its path; None if LAMMPS' examples are not there.
    """
    one = INPUTS[name]
    if one.example:
        source = Path(os.environ["TOFU_LAMMPS_DIR"], "examples", one.example)
        if not (source / one.script).is_file():
            return None
        shutil.copytree(source, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("log.*", "dump.*"))
    for file, text in one.files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")
    return folder / one.script
