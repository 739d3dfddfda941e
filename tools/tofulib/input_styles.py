# SPDX-License-Identifier: GPL-2.0-only
"""Styles that an input uses, read without running it: with its includes, and variables where they are plain."""

import itertools
import re
from pathlib import Path
from typing import NamedTuple

#: Commands with a style: its kind, as LAMMPS registers it, and its place.
STYLES = {"pair_style": ("Pair", 1), "bond_style": ("Bond", 1), "angle_style": ("Angle", 1),
          "dihedral_style": ("Dihedral", 1), "improper_style": ("Improper", 1), "kspace_style": ("KSpace", 1),
          "atom_style": ("Atom", 1), "min_style": ("Minimize", 1), "run_style": ("Integrate", 1),
          "fix": ("Fix", 3), "compute": ("Compute", 3), "dump": ("Dump", 3), "region": ("Region", 2)}
#: What these commands take in place of a style.
NO_STYLES = {"Pair": ("none",), "Bond": ("none",), "Angle": ("none",), "Dihedral": ("none",), "Improper": ("none",),
             "KSpace": ("none",), "Region": ("delete",)}
#: Sections of a data file with the name of a style behind a # -> its kind.
SECTIONS = {"Atoms": "Atom", "Pair Coeffs": "Pair", "PairIJ Coeffs": "Pair", "Bond Coeffs": "Bond",
            "Angle Coeffs": "Angle", "Dihedral Coeffs": "Dihedral", "Improper Coeffs": "Improper"}
#: How much of a data file is read [bytes]: these sections come first, but for Atoms.
HEAD_OF_DATA = 4 * 2**20
#: Most values of a word with variables that are evaluated.
MOST_VALUES = 64
WORD = re.compile(r'"""(.*?)"""|"([^"]*)"|\'([^\']*)\'|([^\s"\']\S*)', re.DOTALL)


class Place(NamedTuple):
    """Where something stands in an input."""

    file: str
    line: int

    def __str__(self):
        return f"{self.file}, line {self.line}"


class Reader:
    """Reads an input and all files that it includes.

    Args:
        script: The input; names of files count from its folder.
        words: Arguments of LAMMPS, for its variables.
    """

    def __init__(self, script, words=()):
        self.folder = Path(script).parent
        self.styles = {}      # (kind, name) -> Place
        self.maybe = set()    # (kind, name) of words that may be styles
        self.commands = {}    # first word -> Place
        self.devices = {}     # package or suffix that the input selects -> Place
        self.written = set()  # restart files
        self.unclear = []     # what cannot be read, in words
        self.variables = variables_of(words)
        self.given = frozenset(self.variables)    # LAMMPS keeps those of the command line
        self.seen = set()
        self.read(Path(script))

    def read(self, path):
        """Read one file."""
        path = path.resolve()
        if path in self.seen:
            return
        self.seen.add(path)
        for number, line in logical_lines(path.read_text(encoding="utf-8", errors="replace")):
            self.command(line, Place(path.name, number))

    def command(self, line, place):
        """Read one command."""
        words = words_of(line)
        if not words:
            return
        name = words[0][0]
        self.commands.setdefault(name, place)
        plain = [word for word, _quoted in words]
        if name in STYLES:
            self.style(*STYLES[name], plain, place)
        elif name == "variable":
            self.variable(plain[1:])
        elif name in ("include", "jump"):
            self.include(plain[1:2], place)
        elif name == "read_data":
            for path in self.files(plain[1:2]):
                self.data(path)
        elif name == "write_restart":
            self.written.update(plain[1:2])
        elif name == "read_restart":
            self.restart(plain[1:2], place)
        elif name in ("package", "suffix"):
            self.devices.update({word: place for word in plain[1:2] if word not in self.devices})
        elif name in ("if", "run"):    # commands in quotes
            for word, quoted in words[1:]:
                if quoted and re.match(r"[a-z_]+(\s|$)", word.strip()):
                    self.command(word.strip(), place)

    def style(self, kind, position, words, place):
        """Read the style of a command."""
        if len(words) <= position:
            return
        values = self.values(words[position])
        if values is None:
            self.unclear.append(f"{place}: {' '.join(words[:position + 1])}")
            return
        for name in values:
            if name not in NO_STYLES.get(kind, ()):
                self.styles.setdefault((kind, name), place)
            if name.startswith("hybrid"):
                self.hybrid(kind, name, words[position + 1:], place)

    def hybrid(self, kind, name, words, place):
        """Read the styles behind hybrid; arguments are among them."""
        for number, word in enumerate(words):
            values = self.values(word)
            if values is None:
                self.unclear.append(f"{place}: {word} behind {name}")
            elif number == 0 and name != "hybrid/scaled":
                self.styles.update({(kind, value): place for value in values if (kind, value) not in self.styles})
            else:
                self.maybe.update((kind, value) for value in values)

    def variable(self, words):
        """Learn a variable; those that are not plain are forgotten."""
        if len(words) < 2 or words[0] in self.given:
            return
        name, style, values = words[0], words[1], words[2:]
        found = [self.values(value) for value in values]
        plain = style in ("index", "string", "universe", "world") or \
            (style in ("equal", "internal") and len(values) == 1 and is_number((found[0] or [""])[0]))
        if plain and values and None not in found:
            self.variables[name] = list(dict.fromkeys(itertools.chain(self.variables.get(name, []), *found)))
        elif style != "delete":
            self.variables.pop(name, None)

    def values(self, word):
        """All values that a word with variables may have; None if they are not known."""
        found = [""]
        for text, long, short in re.findall(r"([^$]+)|\$\{([^}]*)\}|\$(.?)", word):
            values = [text] if text else self.variables.get(long or short)
            if not values or len(found) * len(values) > MOST_VALUES:
                return None
            found = [one + value for one in found for value in values]
        return found

    def files(self, words):
        """Paths of the files that a word names; those that are not there are left out."""
        named = [name for word in words for name in self.values(word) or []]
        return [self.folder / name for name in named if (self.folder / name).is_file()]

    def include(self, words, place):
        """Read an included file."""
        if words in ([], ["SELF"]):
            return
        files = self.files(words)
        if not files:
            self.unclear.append(f"{place}: file {words[0]}")
        for path in files:
            self.read(path)

    def restart(self, words, place):
        """Look at a restart file, which brings styles along; the input itself may have made it."""
        if self.files(words) and not self.written.intersection(words):
            self.unclear.append(f"{place}: the styles in {words[0]}")

    def data(self, path):
        """Read the names of styles behind the sections of a data file."""
        with open(path, "rb") as file:
            text = file.read(HEAD_OF_DATA).decode("utf-8", errors="replace")
        sections = "|".join(SECTIONS)
        for section, name in re.findall(rf"^[ \t]*({sections})[ \t]*#[ \t]*(\S+)[ \t]*$", text, re.MULTILINE):
            self.maybe.add((SECTIONS[section], name))


def logical_lines(text):
    """Commands of an input with the numbers of their first lines: without comments, lines that end in & joined, texts
    in triple quotes as a whole."""
    lines, number = text.splitlines(), 0
    while number < len(lines):
        first, line = number, lines[number]
        number += 1
        while number < len(lines) and (line.count('"""') % 2 or without_comment(line).rstrip().endswith("&")):
            joined = line if line.count('"""') % 2 else without_comment(line).rstrip()[:-1]
            line = joined + ("\n" if line.count('"""') % 2 else " ") + lines[number]
            number += 1
        yield first + 1, without_comment(line).strip()


def without_comment(line):
    """A line without its comment; a # in quotes is none."""
    quoted = [(found.start(), found.end()) for found in re.finditer(r'""".*?"""|"[^"]*"|\'[^\']*\'', line, re.DOTALL)]
    for found in re.finditer("#", line):
        if not any(begin < found.start() < end for begin, end in quoted):
            return line[:found.start()]
    return line


def words_of(line):
    """Words of a command, each with whether it is in quotes."""
    return [(next(group for group in found.groups() if group is not None), found.group(4) is None)
            for found in WORD.finditer(line)]


def variables_of(words):
    """Variables that arguments of LAMMPS set: -v or -var, a name, and values up to the next switch."""
    found, name = {}, None
    for number, word in enumerate(words):
        if word in ("-v", "-var"):
            name = None
        elif number and words[number - 1] in ("-v", "-var"):
            name = word
            found[name] = []
        elif re.match(r"-[a-z]", word):
            name = None
        elif name:
            found[name].append(word)
    return found


def is_number(text):
    """Whether a text is a plain number."""
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text) is not None
