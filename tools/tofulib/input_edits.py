# SPDX-License-Identifier: GPL-2.0-only
"""Edits of a user's input, in a copy: so that short runs of it can be read and compared."""

import re
from pathlib import Path

#: All digits of a double, in front of LAMMPS' own choice.
ALL_DIGITS = "thermo_modify format float %.17g"


def command_lines(name):
    """A pattern of all lines of a command, with those that continue it; group 1."""
    return re.compile(rf"^([ \t]*{name}\b(?:[^\n]*&[ \t]*\n)*[^\n]*)$", re.MULTILINE)


def edited(text, start, behind=()):
    """An input as it runs in a copy.

    The thermo output gets all digits: by a command of its own behind each `thermo_style`, which resets the format. A
    format that the input itself sets comes later and holds. Behind each `clear`, which forgets settings, come those of
    the start again. Commands `echo` are taken away: the output shows what the input does.

    Args:
        text: The input.
        start: Lines that begin the run.
        behind: Lines behind each `run` and `minimize`.
    """
    if behind:
        text = command_lines("(?:run|minimize)").sub(lambda found: with_lines(found.group(1), behind), text)
    text = command_lines("thermo_style").sub(rf"\1\n{ALL_DIGITS}", text)
    text = command_lines("clear").sub(lambda found: "\n".join([found.group(1), *start]), text)
    return command_lines("echo").sub("", text)


def with_lines(command, behind):
    """A command with lines behind it, unless words in triple quotes go on there."""
    return command if command.count('"""') % 2 else "\n".join([command, *behind])


def named_in(text):
    """Names of files that an input includes or jumps to, as far as they are no variables."""
    found = re.findall(r"^[ \t]*(?:include|jump)[ \t]+([^\s&$]+)", text, re.MULTILINE)
    found += re.findall(r"[\"'](?:include|jump)[ \t]+([^\s\"'$]+)", text)    # in the words of an if command
    return [name for name in dict.fromkeys(found) if name != "SELF"]


def reached(path, top):
    """An input and all files that it includes or jumps to, that these include, and so on.

    Args:
        path: The input; names count from its folder, where it runs.
        top: Folder; files outside of it are left out, since they are no copies.

    Returns:
        path -> text.
    """
    found, left = {}, [Path(path)]
    while left:
        one = left.pop()
        if one not in found:
            found[one] = one.read_text(encoding="utf-8", errors="surrogateescape")
            named = [Path(path).parent / name for name in named_in(found[one])]
            left += [other for other in named if other.is_file() and Path(top).resolve() in other.resolve().parents]
    return found


def rewrite(path, top, change):
    """Change an input and all files that it reaches, in their places.

    Args:
        path: The input.
        top: Folder of the copy.
        change: Function that makes the new text of the old one.
    """
    for one, text in reached(path, top).items():
        one.unlink()    # it may be a link, or not writable
        one.write_text(change(text), encoding="utf-8", errors="surrogateescape")
