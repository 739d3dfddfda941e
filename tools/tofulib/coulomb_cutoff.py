# SPDX-License-Identifier: GPL-2.0-only
"""Settings of an input between which the work of long-range forces moves: what it has, what may take their place, and
the lines for that. The accuracy, the Lennard-Jones cut-off and all other physics stay.

The settings are read from the commands that LAMMPS echoes, so that variables have their values and loops and includes
count as they were carried out.
"""

import re
from typing import NamedTuple

from . import input_edits, input_styles, log, shell, style_index

#: The two sides of the contest.
INPUT, CHANGED = "input", "changed"
#: Pair styles whose Coulomb cut-off is a number of its own -> words between their name and that number. The last of
#: these words is the other cut-off, which holds for both if the number is missing.
LEADING = {"lj/cut/coul/long": 1, "lj/cut/coul/long/cs": 1, "lj/cut/coul/long/soft": 4, "lj/cut/tip4p/long": 6,
           "lj/charmm/coul/long": 2, "lj/charmm/coul/long/soft": 5, "lj/charmmfsw/coul/long": 2,
           "lj/class2/coul/long": 1, "lj/class2/coul/long/cs": 1, "lj/expand/coul/long": 1, "lj/spica/coul/long": 1,
           "lj/sdk/coul/long": 1, "buck/coul/long": 1, "buck/coul/long/cs": 1, "born/coul/long": 1,
           "born/coul/long/cs": 1, "nm/cut/coul/long": 1}
#: Pair styles with a Coulomb cut-off alone.
COULOMB_ALONE = {"coul/long": 0, "coul/long/cs": 0, "coul/long/soft": 2, "tip4p/long": 5}
MESHES = ("pppm", "pppm/tip4p")
#: Length of an Angstrom in LAMMPS' units.
ANGSTROM = {"real": 1.0, "metal": 1.0, "electron": 1.8897261, "nano": 0.1, "micro": 1e-4, "si": 1e-10, "cgs": 1e-8}
#: Cut-offs and skins that are tried [Angstrom], and with units lj [sigma].
CUTOFFS, CUTOFFS_LJ = (8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0), (2.5, 2.75, 3.0, 3.25, 3.5, 4.0, 4.5)
SKINS, SKINS_LJ = (1.0, 1.5, 2.0, 2.5, 3.0), (0.2, 0.3, 0.4, 0.5, 0.6)
#: LAMMPS' own skin, which holds without a command [Angstrom; with units lj sigma].
SKIN, SKIN_LJ = 2.0, 0.3
ORDERS, DIFFS = (3, 4, 5, 6, 7), ("ik", "ad")
#: Steps without a check of the lists after they were built, and steps between checks.
CHECKS = ((0, 1), (2, 1), (5, 1), (0, 2))
COMMANDS = "units|pair_style|kspace_style|kspace_modify|neighbor|neigh_modify|run_style|fix"


class Choice(NamedTuple):
    """Settings that are measured."""

    cutoff: float          #: of the real-space part of Coulomb forces [length]
    order: int             #: of the stencil of the mesh
    diff: str              #: "ik" or "ad"
    skin: float            #: of neighbor lists [length]
    delay: int             #: steps after a build of the lists without a check
    every: int             #: steps between checks
    side: str = CHANGED

    @property
    def name(self):
        """Name in messages."""
        return (f"cut-off {self.cutoff:g}, order {self.order}, diff {self.diff}, skin {self.skin:g}, delay "
                f"{self.delay}, every {self.every}")

    @property
    def mesh(self):
        """The settings from which the mesh follows."""
        return self.cutoff, self.order, self.diff

    @property
    def lists(self):
        """The settings of neighbor lists."""
        return self.skin, self.delay, self.every


class Settings(NamedTuple):
    """What an input has."""

    units: str
    pair: tuple            #: words of pair_style
    kspace: tuple          #: words of kspace_style
    fixed: tuple           #: words of kspace_modify that give the mesh back to LAMMPS' choice
    binning: str           #: style of neighbor
    lists_stay: str        #: why skin and checks are not tried; empty if they are
    choice: Choice         #: its own

    @property
    def accuracy(self):
        """The relative accuracy that it asks for."""
        return float(self.kspace[1])


class Estimate(NamedTuple):
    """What LAMMPS says of a run."""

    accuracy: float        #: estimated absolute RMS force accuracy [force]
    mesh: str              #: points, such as "25 32 32"
    dangerous: int         #: builds of lists that may have come too late


def settings_of(text):
    """The settings of an input.

    Args:
        text: Output of LAMMPS with `-echo screen`.

    Raises:
        shell.Failure: There is nothing to choose, or a choice would change the physics; the message says why.
    """
    found = commands_in(text)
    pair, kspace = only_one(found, "pair_style"), only_one(found, "kspace_style")
    if style_index.SUFFIX.sub("", kspace[0]) not in MESHES or not kspace[1:]:
        raise shell.Failure(f"kspace_style {' '.join(kspace)}: the mesh against the cut-off is for pppm and pppm/tip4p")
    if any(words[0] == "respa" for words in found.get("run_style", [])):
        raise shell.Failure("run_style respa: forces would move between the mesh and the pairs, which are computed in "
                            "different steps; that is another integration")
    if any(words[2:3] == ["tune/kspace"] for words in found.get("fix", [])):
        raise shell.Failure("fix tune/kspace changes the same settings during the run")
    modify = keywords(found.get("kspace_modify", []), ("order", "diff", "mesh", "gewald", "force"))
    if "force" in modify:
        raise shell.Failure("kspace_modify force sets an absolute accuracy; write the relative one into kspace_style")
    units = (found.get("units") or [["lj"]])[-1][0]
    skin, binning = (found.get("neighbor") or [[str(default_skin(units)), "bin"]])[-1][:2]
    lists = keywords(found.get("neigh_modify", []), ("delay", "every", "check", "once"))
    own = Choice(cutoff_of(pair), int(modify.get("order", "5")), modify.get("diff", "ik"), float(skin),
                 int(lists.get("delay", "0")), int(lists.get("every", "1")), INPUT)
    fixed = (("mesh", "0", "0", "0") if modify.get("mesh", "0") != "0" else ()) + (
        ("gewald", "0") if float(modify.get("gewald", "0")) else ())
    return Settings(units, tuple(pair), tuple(kspace), fixed, binning, lists_stay(lists), own)


def lists_stay(lists):
    """Why skin and checks of lists are not tried; empty if they are."""
    if lists.get("once") in ("yes", "on", "true"):
        return "neigh_modify once yes: the lists are built once"
    if lists.get("check") in ("no", "off", "false"):
        return "neigh_modify check no: whether a smaller skin is enough would not be seen"
    return ""


def commands_in(text):
    """Commands that LAMMPS has echoed, those of COMMANDS: name -> words of each. A line with variables is followed by
    itself with their values."""
    found = {}
    for name, rest in re.findall(rf"^[ \t]*({COMMANDS})\b[ \t]*(.*)$", text, re.MULTILINE):
        line = input_styles.without_comment(rest)
        if "$" not in line:
            found.setdefault(name, []).append([word for word, _quoted in input_styles.words_of(line)])
    return found


def only_one(found, name):
    """The words of a command that has the same ones whenever it is carried out.

    Raises:
        shell.Failure: It was not carried out, or with different words.
    """
    lines = found.get(name, [])
    if not lines or not lines[0]:
        raise shell.Failure(f"the input has no command {name}, which would be changed")
    if any(line != lines[0] for line in lines):
        raise shell.Failure(f"the input has different lines {name}: {' '.join(lines[0])}, and {' '.join(lines[-1])}")
    return lines[0]


def keywords(lines, names):
    """The last value behind each of some keywords."""
    return {word: after for words in lines for word, after in zip(words, words[1:]) if word in names}


def default_skin(units):
    """LAMMPS' own skin."""
    return SKIN_LJ if units == "lj" else SKIN * ANGSTROM.get(units, 1.0)


def places(words):
    """Where a line pair_style has Coulomb cut-offs.

    Args:
        words: Behind pair_style.

    Returns:
        For each (its place, whether a number is there); without one the number in front of the place holds for both.

    Raises:
        shell.Failure: There is none that can be moved alone.
    """
    found, hybrid = [], words[0].startswith("hybrid")
    if words[0].startswith("hybrid/scaled"):
        raise shell.Failure("pair_style hybrid/scaled: its factors cannot be told from cut-offs")
    for number, word in enumerate(words if hybrid else words[:1]):
        name = style_index.SUFFIX.sub("", word)
        leading = LEADING.get(name, COULOMB_ALONE.get(name))
        if leading is not None:
            place = number + 1 + leading
            given = place < len(words) and input_styles.is_number(words[place])
            if not given and name in COULOMB_ALONE:
                raise shell.Failure(f"pair_style {' '.join(words)}: its cut-off cannot be read")
            found.append((place, given))
        elif re.search(r"/(long|msm|dsf|wolf)\b", name):
            raise shell.Failure(f"pair_style {name} has no Coulomb cut-off that can be moved alone; styles that have "
                                f"one: {', '.join([*LEADING, *COULOMB_ALONE])}")
    if not found:
        raise shell.Failure(f"pair_style {' '.join(words)} has no long-range Coulomb part; styles that have one: "
                            f"{', '.join([*LEADING, *COULOMB_ALONE])}")
    return found


def cutoff_of(words):
    """The Coulomb cut-off of a line pair_style [length].

    Raises:
        shell.Failure: There are different ones.
    """
    values = {float(words[place if given else place - 1]) for place, given in places(words)}
    if len(values) > 1:
        raise shell.Failure(f"pair_style {' '.join(words)} has different Coulomb cut-offs")
    return values.pop()


def with_cutoff(words, cutoff):
    """The words of a line pair_style with another Coulomb cut-off; all other numbers stay."""
    changed = list(words)
    for place, given in reversed(places(words)):
        changed[place:place + given] = [f"{cutoff:g}"]
    return changed


def has_one_for_both(words):
    """Whether one number is the cut-off of both parts."""
    return any(not given for _place, given in places(words))


def lengths(units, angstrom, sigma):
    """Values in the units of an input."""
    return sigma if units == "lj" else tuple(float(f"{one * ANGSTROM[units]:.3g}") for one in angstrom)


def cutoffs(settings, base):
    """Choices with other cut-offs, the nearest first."""
    values = lengths(settings.units, CUTOFFS, CUTOFFS_LJ)
    return others(settings, base, [base._replace(cutoff=one)
                                   for one in sorted(values, key=lambda one: abs(one - base.cutoff))])


def stencils(settings, base):
    """Choices with other orders and derivatives, the nearest first."""
    orders = sorted(ORDERS, key=lambda one: abs(one - base.order))
    return others(settings, base, [base._replace(order=order, diff=diff) for order in orders for diff in DIFFS])


def lists(settings, base):
    """Choices with other skins, and with other checks."""
    if settings.lists_stay:
        return []
    values = lengths(settings.units, SKINS, SKINS_LJ)
    return others(settings, base, [*(base._replace(skin=one) for one in values),
                                   *(base._replace(delay=delay, every=every) for delay, every in CHECKS)])


def around(settings, base):
    """Choices with the next cut-offs to both sides: the best one depends on the stencil."""
    values = lengths(settings.units, CUTOFFS, CUTOFFS_LJ)
    near = [*[one for one in values if one < base.cutoff][-1:], *[one for one in values if one > base.cutoff][:1]]
    return others(settings, base, [base._replace(cutoff=one) for one in near])


#: What is tried, one after the other, with the best so far as the base.
STAGES = (cutoffs, stencils, lists, around)


def others(settings, base, found):
    """Those of some choices that are neither the base nor the input's own, once each."""
    known = {base._replace(side=CHANGED), settings.choice._replace(side=CHANGED)}
    return [one for one in dict.fromkeys(one._replace(side=CHANGED) for one in found) if one not in known]


def lines(settings, choice, accuracy):
    """The lines of a choice by the name of their command; only what differs from the input.

    Args:
        settings: Those of the input.
        choice: The Choice.
        accuracy: Relative accuracy to ask for.
    """
    own, found = settings.choice, {}
    if choice.side == INPUT:
        return {}
    if choice.cutoff != own.cutoff:
        found["pair_style"] = " ".join(["pair_style", *with_cutoff(settings.pair, choice.cutoff)])
    if accuracy != settings.accuracy:
        found["kspace_style"] = f"kspace_style {settings.kspace[0]} {accuracy:g}"
    words = [*(settings.fixed if choice.mesh != own.mesh else ()),
             *(["order", str(choice.order)] if choice.order != own.order else []),
             *(["diff", choice.diff] if choice.diff != own.diff else [])]
    if words:
        found["kspace_modify"] = " ".join(["kspace_modify", *words])
    if choice.skin != own.skin:
        found["neighbor"] = f"neighbor {choice.skin:g} {settings.binning}"
    if choice.lists[1:] != own.lists[1:]:
        found["neigh_modify"] = f"neigh_modify delay {choice.delay} every {choice.every} check yes"
    return found


def edited(text, new):
    """An input, or a file that it includes, with the lines of a choice.

    Lines pair_style, kspace_style and neighbor are replaced. Those that add to settings come behind each line that
    sets the same ones, and all of neighbor lists also behind pair_style, since the input may have none.

    Args:
        text: The input.
        new: From lines().
    """
    behind = {"kspace_style": ("kspace_modify",), "kspace_modify": ("kspace_modify",),
              "neigh_modify": ("neigh_modify",), "pair_style": ("neighbor", "neigh_modify")}

    def replaced(found, name):
        line = new.get(name, found.group(1)) if name in ("pair_style", "kspace_style", "neighbor") else found.group(1)
        return "\n".join([line, *(new[other] for other in behind.get(name, ()) if other in new)])

    for name in ("neighbor", "neigh_modify", "pair_style", "kspace_modify", "kspace_style"):
        text = input_edits.command_lines(name).sub(lambda found, name=name: replaced(found, name), text)
    return text


def estimate_of(text, part):
    """What LAMMPS says of a run.

    Args:
        text: Its output.
        part: Which run of the input.

    Raises:
        shell.Failure: It says nothing of the accuracy.
    """
    blocks = re.split(rf"^{log.BEGINS}.*\n", text, flags=re.MULTILINE)
    before = "".join(blocks[:part + 1])
    accuracies = re.findall(r"estimated absolute RMS force accuracy = (\S+)", before)
    meshes = re.findall(r"^ *grid = (\d+ \d+ \d+)", before, re.MULTILINE)
    if len(blocks) <= part + 1 or not accuracies or not meshes:
        raise shell.Failure("LAMMPS printed no estimate of the accuracy of its mesh")
    dangerous = re.findall(r"^Dangerous builds = (\d+)", blocks[part + 1], re.MULTILINE)
    return Estimate(float(accuracies[-1]), meshes[-1], max(map(int, dangerous), default=0))
