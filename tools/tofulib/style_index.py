# SPDX-License-Identifier: GPL-2.0-only
"""Which package of LAMMPS, or part of TOFU, has a style: read from the headers that register styles, and from TOFU's
tables, of which its build writes headers."""

import difflib
import re
from pathlib import Path

from . import CHECKOUT, lammps_packages

#: A line that registers a style: its kind and its name.
MARKER = re.compile(r"^\s*([A-Za-z]+)Style\(\s*([^,\s()]+)\s*,\s*[\w<>]+\s*\)", re.MULTILINE)
#: The first line of a style in a table: its kind and its names without the suffix.
ENTRY = re.compile(r"^([a-z]+) ([^:\n]+): \w+<", re.MULTILINE)
TOFU = CHECKOUT / "src" / "TOFU"
#: Packages whose styles are variants of others, and the suffixes of all variants.
OF_VARIANTS = frozenset((*lammps_packages.ACCELERATORS, "GPU", "KOKKOS"))
SUFFIX = re.compile(r"/(omp|opt|intel|gpu|kk|kk/host|kk/device|threadpool|offload)$")
#: What parts of TOFU need.
PARTS = {"deep": {lammps_packages.DEEP}, "offload/pppm": {"KSPACE"},
         "offload/pppm_dplr": {"KSPACE", lammps_packages.DEEP}}


class StyleIndex:
    """The styles of a source tree and of TOFU.

    Args:
        tree: Path of the source tree; None: TOFU's styles alone.
    """

    def __init__(self, tree):
        self.headers = {}     # kind -> name -> header; kinds as LAMMPS has them, such as Pair
        self.variants = {}    # the same for variants that come with other packages
        self.tree = tree
        for kind, name, path in own_styles():
            table = self.variants if TOFU / "styles" in path.parents else self.headers
            table.setdefault(kind, {}).setdefault(name, path)
        for header in sorted([*(tree / "src").glob("*.h"), *(tree / "src").glob("[A-Z]*/*.h")] if tree else []):
            if header.parent.name not in ("TOFU", *lammps_packages.NO_PACKAGES):
                self.enter(header, self.variants if header.parent.name in OF_VARIANTS else self.headers)
        self.conditions = conditions(tree) if tree else {}
        self.packages = {}    # stem of a header -> its package
        for names in self.headers.values():
            self.packages.update({header.stem: header.parent.name for header in names.values()})

    @staticmethod
    def enter(header, table):
        """Enter the styles of a header into a table."""
        for kind, name in MARKER.findall(header.read_text(encoding="utf-8", errors="replace")):
            table.setdefault(kind, {}).setdefault(name, header)

    def plain(self, kind, name):
        """A name without the suffix of a variant: lj/cut/omp is lj/cut."""
        if name in self.headers.get(kind, {}):
            short = SUFFIX.sub("", name)
            return short if short in self.headers[kind] else name
        return SUFFIX.sub("", name)

    def has(self, kind, name):
        """Whether there is such a style, with or without a suffix."""
        return self.plain(kind, name) in self.headers.get(kind, {}) or name in self.variants.get(kind, {})

    def has_variant(self, kind, name):
        """Whether TOFU has a variant of a style, or the style is TOFU's own."""
        name = self.plain(kind, name)
        own = self.headers.get(kind, {}).get(name)
        if own is not None and TOFU in own.parents:
            return True
        with_suffix = f"{name}/threadpool"
        return with_suffix in self.variants.get(kind, {}) or with_suffix in self.headers.get(kind, {})

    def near(self, kind, name):
        """Names of styles like that one."""
        known = [one for one in self.headers.get(kind, {}) if one == one.lower()]
        return difflib.get_close_matches(self.plain(kind, name), known, 3)

    def packages_of(self, kind, name):
        """Packages that a style needs."""
        name = self.plain(kind, name)
        header = self.headers.get(kind, {}).get(name)
        if header is None:
            return frozenset()
        if TOFU in header.parents:
            return part_of(header)
        found = {header.parent.name, *self.conditions.get(header.stem, ())}
        if header.parent.name == "CORESHELL":    # variants of styles of other packages
            found.add(self.packages.get(re.sub("_cs$", "", header.stem), ""))
        return frozenset(one for one in found if one.isupper())


def own_styles():
    """TOFU's styles: kind, such as Pair, name, and the header or table that has it."""
    for header in sorted(TOFU.rglob("*.h")):
        for kind, name in MARKER.findall(header.read_text(encoding="utf-8")):
            yield kind, name, header
    for kind, names, table in entries():
        for name in names:
            yield kind.capitalize(), f"{name}/threadpool", table


def entries():
    """Styles in tables: kind, such as pair, names without the suffix, and the table."""
    for table in sorted((TOFU / "styles").rglob("*.table")):
        for kind, names in ENTRY.findall(table.read_text(encoding="utf-8")):
            yield kind, names.split(), table


def traits_of(table):
    """Names and traits of LAMMPS' own styles, as pairs.

    Args:
        table: PAIRS, FIXES, COMPUTES or DUMPS of lammps/styles/style_table.cpp.
    """
    text = (CHECKOUT / "src" / "TOFU" / "lammps" / "styles" / "style_table.cpp").read_text(encoding="utf-8")
    groups = re.search(rf"const Table {table} = table\(\{{\n(.*?)\n\}}\);", text, re.DOTALL)[1]
    return [(name, traits) for traits, names in re.findall(r'\{([A-Z0-9_ |]+),\s+((?:"[^"]*"\s*)+)\}', groups)
            for name in names.replace('"', " ").split()]


def stock_headers():
    """Names of LAMMPS' headers, such as pair_lj_cut.h, to the package whose styles TOFU has variants of; core: none."""
    styles = TOFU / "styles"
    found = {path.name.replace("_threadpool", ""): path for path in sorted(styles.rglob("*_threadpool.h"))}
    found.update({f"{kind}_{names[0].replace('/', '_')}.h": table for kind, names, table in entries()})
    return {name: path.relative_to(styles).parts[0] for name, path in found.items()}


def part_of(header):
    """What a header of TOFU needs."""
    known = f"{header.parent.name}/{header.stem}"
    fitting = [one for one in PARTS if known.startswith(one)]
    return frozenset(PARTS[max(fitting, key=len)]) if fitting else frozenset()


def conditions(tree):
    """Stems of headers that LAMMPS' build takes out of their package if another one is off -> that one."""
    found = {}
    for path in (Path(tree) / "cmake" / "Modules" / "Packages").glob("*.cmake"):
        text = path.read_text(encoding="utf-8", errors="replace")
        blocks = re.findall(r"^if\(NOT PKG_([A-Z0-9-]+)\)$(.*?)^endif\(\)$", text, re.MULTILINE | re.DOTALL)
        for needed, block in blocks:
            for stem in re.findall(r"REMOVE_ITEM \w+ \S*?(\w+)\.h\b", block):
                found.setdefault(stem, set()).add(needed)
    return found
