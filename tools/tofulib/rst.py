# SPDX-License-Identifier: GPL-2.0-only
"""Markdown pages as reStructuredText in the form of LAMMPS' manual. Runs in the virtual environment: python -m
tofulib.rst FOLDER"""

import itertools
import re
import shutil
import sys
import textwrap
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from .manual import DOC, LAMMPS_MANUAL, PACKAGE, PAGES
from .shell import Failure

WIDTH = 78
#: Characters that underline a heading, by its level.
UNDERLINES = {1: "=", 2: '"', 3: "^"}
#: Sections that LAMMPS calls otherwise.
SECTIONS = {"Restrictions and compatibility": "Restrictions", "Defaults": "Default"}
#: The row of the restrictions that becomes LAMMPS' usual sentence.
WITHOUT_PACKAGE = "LAMMPS without the TOFU package"
#: First words of lines of an input, where a block may have other lines too.
COMMANDS = ("comm_style", "comm_style/brick", "comm_style/tiled", "comm_style/p2p_rdma", "comm_style/p2p/rdma", "fix",
            "kspace_modify", "kspace_style", "package", "pair_style", "suffix")
#: Words that a line for the shell begins with.
SHELL = ("mpirun", "tools/tofu", "-pk")
#: What stands for a language where the keywords of a command are explained.
KEYWORDS = "keywords"
#: A line of a syntax block that begins the description of a keyword: indentation, keyword, the rest.
KEYWORD = re.compile(r"^( *)([\w/]+) (values? = .*)$")
#: Values to choose from: words with "or" between.
CHOICE = re.compile(r"[\w/]+(?: or [\w/]+)+")
#: What would begin a list at the start of a paragraph.
LIST_MARK = re.compile(r"(?:[-+*]|\w{1,3}[.)]|\(\w{1,3}\)|#\.) ")


class Run(NamedTuple):
    """A piece of a line with one look."""

    kind: str    #: text, em, strong, code, doc, ref or url
    text: str
    target: str = ""


class Source(NamedTuple):
    """A parsed Markdown page."""

    path: Path
    tree: SyntaxTreeNode

    @property
    def anchors(self):
        """The headings, by the anchors that links to them use."""
        return {anchor(plain(node)): plain(node) for node in self.tree.walk() if node.type == "heading"}


def read(path):
    """Parse a Markdown page."""
    parser = MarkdownIt("commonmark").enable("table")
    return Source(path, SyntaxTreeNode(parser.parse(path.read_text(encoding="utf-8"))))


def plain(node):
    """The text of a node without its looks."""
    if node.type == "softbreak":
        return " "
    if node.type in ("text", "code_inline"):
        return node.content
    return "".join(plain(child) for child in node.children)


def anchor(heading):
    """The anchor of a heading, as the web pages of git servers make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def label(page, fragment):
    """The label of a heading in the manual, where labels of all pages share one name space."""
    return f"{PAGES[page].name}_{fragment}"


def write_manual(folder, doc=DOC):
    """Write all pages of the manual, with their pictures.

    Args:
        folder: Where to put them; it is made if it is not there.
        doc: Folder of the Markdown pages.

    Returns:
        The files that were written.

    Raises:
        Failure: A page has a link that leads nowhere, or something that has no place in LAMMPS' manual.
    """
    sources = {name: read(doc / name) for name in PAGES}
    links = [link_target(node, name) for name, source in sources.items() for node in source.tree.walk()
             if node.type == "link"]
    wanted = {(page, fragment) for page, fragment in links if page in PAGES and fragment}
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, source in sources.items():
        path = folder / f"{PAGES[name].name}.rst"
        page = PageWriter(source, {fragment for page, fragment in wanted if page == name})
        path.write_text(page.text(), encoding="ascii")
        written.append(path)
        for picture in page.pictures:
            (folder / "img").mkdir(exist_ok=True)
            written.append(Path(shutil.copy(doc / picture, folder / "img")))
    return written


def link_target(node, page):
    """Page and anchor that a link of this page leads to; the page is an address if it is not of this folder."""
    address, _, fragment = node.attrs["href"].partition("#")
    return address or page, fragment


class PageWriter:
    """Writes one page."""

    def __init__(self, source, wanted):
        """Write nothing yet.

        Args:
            source: The Markdown page.
            wanted: Anchors of this page that links of any page lead to.
        """
        self.source = source
        self.wanted = wanted
        self.section = ""
        self.pictures = []
        self.about_package = False
        self.writers = {
            "heading": self.heading, "paragraph": self.paragraph, "code_block": self.code_block, "fence": self.fence,
            "bullet_list": lambda node: self.list(node, "*"), "ordered_list": lambda node: self.list(node, "#."),
            "table": self.table,
        }

    def fail(self, text):
        """Refuse the page."""
        raise Failure(f"{self.source.path.name}: {text}")

    def text(self):
        """The page."""
        body = self.blocks(self.source.tree.children)
        if "Restrictions and compatibility" in self.source.anchors.values() and not self.about_package:
            self.fail(f"the table of restrictions has no row '{WITHOUT_PACKAGE}'")
        entries = "".join(f".. index:: {entry}\n" for entry in self.index_entries())
        text = "\n\n".join(part for part in (entries.rstrip(), body, self.contents()) if part) + "\n"
        strange = sorted(set(re.findall(r"[^\n -~]", text)))
        if strange:
            self.fail(f"LAMMPS' manual is in ASCII; this page has {' '.join(strange)}")
        return text

    def index_entries(self):
        """Commands and styles that the page describes: that of its title, those of a table of styles, and others."""
        page = PAGES[self.source.path.name]
        title = plain(next(node for node in self.source.tree.walk() if node.type == "heading"))
        entries = [title.removesuffix(" command")] if title.endswith(" command") else []
        entries += page.entries
        for node in self.source.tree.walk():
            if node.type == "table" and [plain(cell) for cell in rows(node)[0]] == ["kind", "styles"]:
                for kind, styles in ([plain(cell) for cell in row] for row in rows(node)[1:]):
                    command = kind if kind in ("fix", "compute") else f"{kind}_style"
                    entries += [f"{command} {style}/threadpool" for style in styles.split(", ")]
        return entries

    def contents(self):
        """On the page of the package, the list of the pages that LAMMPS' manual does not list by itself."""
        if self.source.path.name != PACKAGE:
            return ""
        names = [page.name for name, page in PAGES.items() if name != PACKAGE and not page.name.startswith("fix_")]
        return "\n".join([".. toctree::", "   :hidden:", "", *(f"   {name}" for name in names)])

    def blocks(self, nodes):
        """Some blocks, one below the other."""
        return "\n\n".join(filter(None, (self.block(node) for node in nodes)))

    def block(self, node):
        """One block."""
        if node.type not in self.writers:
            self.fail(f"a {node.type} has no form in LAMMPS' manual")
        return self.writers[node.type](node)

    def heading(self, node):
        """A heading, with a label if a link leads to it."""
        level, text = int(node.tag[1]), plain(node)
        if level not in UNDERLINES:
            self.fail(f"the heading '{text}' is too deep")
        if level == 2:
            self.section = text
        title = SECTIONS.get(text, text)
        mark = f".. _PKG-{title.split()[0]}:\n\n" if self.source.path.name == PACKAGE and level == 1 else ""
        if anchor(text) in self.wanted:
            mark = f".. _{label(self.source.path.name, anchor(text))}:\n\n"
        added = "\n\n.. versionadded:: TBD" if text == "Description" else ""
        shown = escape(title)
        return f"{mark}{shown}\n{UNDERLINES[level] * len(shown)}{added}"

    def paragraph(self, node):
        """A paragraph, or a picture by itself."""
        inline = node.children[0]
        if [child.type for child in inline.children] == ["image"]:
            image = inline.children[0]
            self.pictures.append(image.attrs["src"])
            return f".. image:: img/{Path(image.attrs['src']).name}\n   :alt: {plain(image) or image.content}"
        return wrap(self.inline(inline))

    def list(self, node, mark):
        """A list."""
        items = [self.blocks(item.children) for item in node.children]
        tight = "\n" if all(len(item.children) == 1 for item in node.children) else "\n\n"
        return tight.join(hang(item, f"{mark} ") for item in items)

    def table(self, node):
        """A table; LAMMPS' usual sentence stands in front of that of the restrictions."""
        lines = rows(node)
        sentence = ""
        if self.section == "Restrictions and compatibility":
            for row in lines:
                if plain(row[0]) == WITHOUT_PACKAGE:
                    self.about_package = True
                    sentence = wrap(f"{self.inline(row[1].children[0])} It is only enabled if LAMMPS was built with "
                                    f"that package.  See the :doc:`Build package <Build_package>` page for more info.")
            lines = [row for row in lines if plain(row[0]) != WITHOUT_PACKAGE]
            if len(lines) == 1:
                return sentence
        entries = [hang("\n".join(hang(wrap(self.inline(cell.children[0]), WIDTH - 8), "- ") for cell in row), "* ")
                   for row in lines]
        body = textwrap.indent("\n".join(entries), "   ")
        table = f".. list-table::\n   :header-rows: 1\n   :widths: auto\n\n{body}"
        return f"{sentence}\n\n{table}" if sentence else table

    def fence(self, node):
        """A block of code that names its language."""
        return code(node.content, {"sh": "bash"}.get(node.info, node.info))

    def code_block(self, node):
        """A block of code: lines of an input, of a shell or of a log; below Syntax also the list of keywords."""
        pieces = []    # of one language each, with the lines
        language = ""
        lines = node.content.rstrip().split("\n")
        for before, line in zip(["", *lines], lines):
            if line and (not before or self.section == "Examples"):
                language = self.language(line)
            if pieces and pieces[-1][0] == language:
                pieces[-1][1].append(line)
            else:
                pieces.append((language, [line]))
        return "\n\n".join(syntax(lines) if language == KEYWORDS else code("\n".join(lines), language)
                           for language, lines in pieces)

    def language(self, line):
        """The language of a line of an indented block, which does not name it."""
        if line.startswith(SHELL):
            return "bash"
        if line.split()[0] in COMMANDS or self.section == "Examples":
            return "LAMMPS"
        return KEYWORDS if self.section == "Syntax" else "text"

    def inline(self, node):
        """The text of a paragraph or a cell, not yet wrapped."""
        return join(self.runs(node, "text"))

    def runs(self, node, kind):
        """The pieces of a text. Looks within looks do not exist in reStructuredText: the inner one is taken."""
        found = []
        for child in node.children:
            if child.type == "softbreak":
                found.append(Run(kind, " "))
            elif child.type == "text":
                found.append(Run(kind, child.content))
            elif child.type == "code_inline":
                found.append(Run("code", child.content))
            elif child.type in ("em", "strong"):
                found += self.runs(child, child.type)
            elif child.type == "link":
                found += self.link(child)
            else:
                self.fail(f"{child.type} has no form in a line of LAMMPS' manual")
        return found

    def link(self, node):
        """A link to a page of LAMMPS, to one of these pages, to another page of TOFU, or to the web."""
        shown, name = plain(node), self.source.path.name
        address, fragment = link_target(node, name)
        if address.startswith(LAMMPS_MANUAL):
            if fragment:
                self.fail(f"LAMMPS' manual knows the label '{fragment}' by another name; link to the page")
            return [Run("doc", shown, address[len(LAMMPS_MANUAL):].removesuffix(".html"))]
        if "://" in address:
            return [Run("url", shown, node.attrs["href"])]
        path = self.source.path.parent / address
        if not path.is_file():
            self.fail(f"the link to {address} leads nowhere")
        if fragment and fragment not in read(path).anchors:
            self.fail(f"the link to {address}#{fragment} leads nowhere")
        if address not in PAGES:
            return [Run("text", f"{shown} ("), Run("code", f"doc/{address}"), Run("text", " of TOFU)")]
        if fragment:
            return [Run("ref", SECTIONS.get(shown, shown), label(address, fragment))]
        return [Run("doc", shown, PAGES[address].name)]


def rows(table):
    """The rows of a table, each a list of cells; the first is the heading."""
    return [list(row.children) for part in table.children for row in part.children]


def code(text, language):
    """A block of code."""
    return f".. code-block:: {language}\n\n{textwrap.indent(text.rstrip(), '   ')}"


def syntax(lines):
    """The arguments or the keywords of a command: a list with the keywords below an entry, or these alone."""
    lines = "\n".join(lines).rstrip().split("\n")
    if KEYWORD.match(lines[0]):
        return parsed_literal(lines)
    text = ""
    for below, group in itertools.groupby(lines, lambda line: line.startswith(" ")):
        if below:
            keywords = textwrap.dedent("\n".join(group)).split("\n")
            text += f"\n{textwrap.indent(parsed_literal(keywords), '  ')}\n\n"
        else:
            text += "".join(hang(wrap(choices(line), WIDTH - 2), "* ") + "\n" for line in group)
    return text.rstrip()


def parsed_literal(lines):
    """The keywords of a command, as they are laid out."""
    marked = []
    for line in lines:
        found = KEYWORD.match(line)
        marked.append(f"{found[1]}*{found[2]}* {choices(found[3])}" if found else escape(line))
    return ".. parsed-literal::\n\n" + textwrap.indent("\n".join(marked), "     ")


def choices(line):
    """A line in which values to choose from are emphasised."""
    before, sign, after = line.partition(" = ")
    if sign and CHOICE.fullmatch(after):
        return f"{escape(before)} = " + " or ".join(f"*{escape(word)}*" for word in after.split(" or "))
    return escape(line)


def escape(text):
    """Text in which no character has a meaning."""
    text = re.sub(r"([\\*`|])", r"\\\1", text)
    text = re.sub(r"_(?=\W|$)", r"\\_", text)
    return text.replace("::", ":\\:")


def mark_up(run):
    """A piece with its look."""
    text = escape(run.text)
    if run.kind == "text":
        return text
    if run.kind == "code":
        return f"``{run.text}``"
    if run.kind in ("em", "strong"):
        mark = "*" if run.kind == "em" else "**"
        return f"{mark}{text}{mark}"
    shown = text.replace("<", "\\<")
    return f"`{shown} <{run.target}>`__" if run.kind == "url" else f":{run.kind}:`{shown} <{run.target}>`"


def join(runs):
    """The pieces as one text; where letters touch a piece with a look, an empty separator stands between."""
    text = ""
    for run in spread(runs):
        piece = mark_up(run)
        looks = run.kind != "text"
        if text and piece and ((looks and re.search(r"[\w*`_]$", text) and not text.endswith("\\ "))
                               or (text[-1] in "*`_" and not looks and re.match(r"\w", piece))):
            piece = f"\\ {piece}"
        text += piece
    return text


def spread(runs):
    """The pieces, without blanks at the ends of those with a look, and equal neighbors put together."""
    result = []
    for run in runs:
        parts = [run]
        if run.kind in ("em", "strong"):
            inner = run.text.strip()
            left = run.text[:len(run.text) - len(run.text.lstrip())]
            right = run.text[len(run.text.rstrip()):] if inner else ""
            parts = [Run("text", left), Run(run.kind, inner), Run("text", right)]
        for part in parts:
            if part.text and result and result[-1].kind == part.kind and part.kind in ("text", "em", "strong"):
                result[-1] = Run(part.kind, result[-1].text + part.text)
            elif part.text:
                result.append(part)
    return result


def wrap(text, width=WIDTH):
    """A paragraph in lines; its beginning is not taken for a list."""
    if LIST_MARK.match(text):
        text = f"\\{text}"
    return "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))


def hang(text, mark):
    """A block behind a mark, all lines as far to the right as the first."""
    return mark + textwrap.indent(text, " " * len(mark))[len(mark):] if text else mark.rstrip()


if __name__ == "__main__":
    try:
        for made in write_manual(Path(sys.argv[1])):
            print(made)
    except Failure as failure:
        sys.exit(f"tofu: {failure}")
