# SPDX-License-Identifier: GPL-2.0-only
"""What an input needs of LAMMPS and what TOFU has for it: its packages, styles that do not exist, styles without a
variant."""

import os
import re

from . import input_styles, lammps_packages, shell, style_index

#: Packages of LAMMPS for devices, and the suffixes of their styles: tools/tofu does not build them.
DEVICES = {"gpu": "GPU", "kk": "KOKKOS", "kokkos": "KOKKOS", "kk/host": "KOKKOS", "kk/device": "KOKKOS"}
#: Kinds of styles as inputs write them.
IN_WORDS = {"Pair": "pair_style", "Bond": "bond_style", "Angle": "angle_style", "Dihedral": "dihedral_style",
            "Improper": "improper_style", "KSpace": "kspace_style", "Atom": "atom_style", "Minimize": "min_style",
            "Integrate": "run_style", "Fix": "fix", "Compute": "compute", "Dump": "dump", "Region": "region"}
#: Pair styles that compute nothing themselves.
FRAMES = ("hybrid", "hybrid/overlay", "hybrid/scaled", "hybrid/molecular", "zero", "none")


def packages_of(tree, script, words=(), more=()):
    """Packages that an input needs, to be called before anything is compiled.

    Args:
        tree: A source.Source.
        script: The input.
        words: Arguments of LAMMPS, for its variables.
        more: Packages that the user has chosen.

    Returns:
        Their names; if the input cannot be read as a whole, those of the full set are among them.

    Raises:
        shell.Failure: There is no such style, or tools/tofu cannot build its package.
    """
    index, found = style_index.StyleIndex(tree.path), input_styles.Reader(script, words)
    refuse_devices(found, more)
    refuse_unknown(index, found, tree.release)
    named = {**found.styles, **{one: None for one in found.maybe if index.has(*one)},
             **{("Command", name): place for name, place in found.commands.items()}}
    packages = {}
    for (kind, name), place in named.items():
        for package in index.packages_of(kind, name):
            packages.setdefault(package, (kind, name, place))
    refuse_packages(tree, packages, more)
    if found.unclear:
        shell.say(f"cannot read which styles {script.name} needs ({found.unclear[0]}), and so builds the packages of "
                  f"cmake/presets/tofu.cmake; --packages adds others")
        return frozenset(packages) | lammps_packages.full()
    return frozenset(packages)


def refuse_devices(found, more):
    """Refuse an input for GPUs or KOKKOS.

    Raises:
        shell.Failure: It uses one of them.
    """
    asked = {DEVICES[word]: (word, place) for word, place in found.devices.items() if word in DEVICES}
    for (_kind, name), place in found.styles.items():
        suffix = style_index.SUFFIX.search(name)
        if suffix and suffix.group(1) in DEVICES:
            asked.setdefault(DEVICES[suffix.group(1)], (name, place))
    for package, (word, place) in asked.items():
        if package not in more:
            raise shell.Failure(f"{place}: {word} needs the package {package}, which tools/tofu does not build. Take "
                                f"it away, or give a program of your own with --lmp")


def refuse_unknown(index, found, release):
    """Refuse styles that neither LAMMPS nor TOFU has, unless a plug-in may bring them.

    Raises:
        shell.Failure: There is one; the message has the nearest names.
    """
    if "plugin" in found.commands or os.environ.get("LAMMPS_PLUGIN_PATH"):
        return
    for (kind, name), place in found.styles.items():
        if not index.has(kind, name):
            near = index.near(kind, name)
            meant = f". Did you mean {' or '.join(near)}?" if near else ""
            raise shell.Failure(f"{place}: LAMMPS {release} has no {IN_WORDS[kind]} {name}{meant}")


def refuse_packages(tree, packages, more):
    """Refuse packages that are not just switched on, unless the user has chosen them.

    Args:
        tree: A source.Source.
        packages: Name -> kind and name of a style that needs it, and its Place.
        more: Packages that the user has chosen.

    Raises:
        shell.Failure: There is one.
    """
    for name in sorted(lammps_packages.with_preparation(tree) & (set(packages) - set(more))):
        kind, style, place = packages[name]
        raise shell.Failure(f"{f'{place}: ' if place else ''}{IN_WORDS.get(kind, 'the command')} {style} is in LAMMPS' "
                            f"package {name}, which needs a library or a download (LAMMPS' manual, "
                            f"Build_extras). --packages {name} tries to build it all the same, and --lmp takes a "
                            f"program of your own")


def notices(script, words=()):
    """Notices about pair styles without a variant.

    Args:
        script: The input.
        words: Arguments of LAMMPS, for its variables.

    Returns:
        Lines; empty if there is a variant of all of them.
    """
    index, found = style_index.StyleIndex(None), input_styles.Reader(script, words)
    pairs = [name for kind, name in found.styles if kind == "Pair" and name not in FRAMES]
    without = sorted({name for name in pairs if not index.has_variant("Pair", name)})
    if not without:
        return []
    gains = ["the ghost exchange (p2p/rdma)", *with_variant(index, found)]
    movable = [name for name in without if name in movable_rows()]
    if movable:
        gains.append(f"fix ring/balance, where ranks have unequal work, for {', '.join(movable)}")
    return [f"pair_style {', '.join(without)} has no variant with the suffix threadpool: LAMMPS' own code computes its "
            f"forces. What can be gained all the same: {', '.join(gains)}. tools/tofu tune {script.name} measures "
            f"whether that pays"]


def with_variant(index, found):
    """Styles of an input that TOFU has variants of, beside pair styles, in words."""
    return sorted({f"{IN_WORDS[kind]} {index.plain(kind, name)}" for kind, name in found.styles
                   if kind != "Pair" and index.has_variant(kind, name)})


def movable_rows():
    """Pair styles without a suffix whose work fix ring/balance can move, from the package's own table."""
    return frozenset(name for name, traits in style_index.traits_of("PAIRS") if re.search(r"\bANY_ROWS\b", traits))
