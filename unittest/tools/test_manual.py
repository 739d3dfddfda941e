# SPDX-License-Identifier: GPL-2.0-only
"""The pages of LAMMPS' manual: Sphinx builds them without a warning, with LAMMPS' lexer and names of pages."""

import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest
import yaml
from tofulib import CHECKOUT, manual, shell

CONF = """\
import sys
sys.path.insert(0, {lexer!r})
from LAMMPSLexer import LAMMPSLexer
from sphinx.highlighting import lexers
lexers["LAMMPS"] = LAMMPSLexer(startinline=True)
highlight_language = "none"
project = "LAMMPS"
root_doc = "Manual"
"""
#: Sections of a page that describes a command, in this order.
SECTIONS = ["Syntax", "Examples", "Description", "Restrictions", "Related commands", "Default"]
COMMANDS = sorted(path for path in manual.MANUAL.glob("*.rst")
                  if " command\n=" in path.read_text(encoding="ascii"))


@pytest.fixture(params=["TOFU_LAMMPS_DIR", "TOFU_LAMMPS_DIR_NEWEST"])
def lammps_doc(request):
    """The folder doc of each LAMMPS source tree under test; it stays as it is."""
    tree = os.environ.get(request.param)
    if not tree:
        pytest.skip(f"{request.param} is not set; 'tools/tofu test' sets it")
    return Path(tree) / "doc"


@pytest.fixture
def pages(tmp_path):
    """The pages of the manual, as they are in LAMMPS' doc/src."""
    return [path for path in manual.write(tmp_path / "src") if path.suffix == ".rst"]


def build(folder, lammps_doc):
    """Build the pages in a folder by Sphinx, where warnings are errors.

    LAMMPS' own pages are there by name only. As in LAMMPS' manual pages of fixes are listed, and the page of the
    package leads to all others.
    """
    text = "".join(path.read_text(encoding="ascii") for path in folder.glob("*.rst"))
    targets = set(re.findall(r":doc:`[^`]*<(\w+)>`", text))
    own = {path.stem for path in folder.glob("*.rst")}
    stubs = sorted(name for name in targets - own if (lammps_doc / "src" / f"{name}.rst").is_file())
    for name in stubs:
        (folder / f"{name}.rst").write_text(f"{name}\n{'=' * len(name)}\n", encoding="ascii")
    listed = ["Packages_TOFU", *sorted(name for name in own if name.startswith("fix_")), *stubs]
    (folder / "Manual.rst").write_text("LAMMPS\n======\n\n.. toctree::\n\n   " + "\n   ".join(listed) + "\n",
                                       encoding="ascii")
    (folder / "conf.py").write_text(CONF.format(lexer=str(lammps_doc / "utils" / "sphinx-config")), encoding="utf-8")
    return subprocess.run([sys.executable, "-m", "sphinx", "-n", "-W", "--keep-going", "-q", "-b", "html", folder,
                           folder.parent / "html"], capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})


@pytest.mark.full
def test_sphinx_builds_all_pages_without_a_warning(pages, lammps_doc):
    folder = pages[0].parent
    done = build(folder, lammps_doc)
    assert done.returncode == 0 and not done.stderr, done.stderr
    html = folder.parent / "html"
    assert len(pages) > 15 and all((html / f"{path.stem}.html").is_file() for path in pages)
    assert "tersoff/mod/c" in (html / "TOFU_styles.html").read_text(encoding="utf-8")


@pytest.mark.full
@pytest.mark.most(1)
@pytest.mark.parametrize("old, new, message", [
    ("<processors>`", "<processor>`", "unknown document: 'processor'"),
    ("<comm_style_p2p_rdma>`", "<comm_style_p3p>`", "unknown document: 'comm_style_p3p'"),
    ("The command has the name", "The ``command has the name", "Inline literal start-string without end-string"),
])
def test_wrong_page_fails(pages, lammps_doc, old, new, message):
    page = next(path for path in pages if path.name == "package_tofu.rst")
    text = page.read_text(encoding="ascii")
    assert old in text
    page.write_text(text.replace(old, new), encoding="ascii")
    done = build(page.parent, lammps_doc)
    assert done.returncode != 0 and message in done.stderr


@pytest.mark.parametrize("page", sorted(manual.MANUAL.glob("*.rst")), ids=lambda path: path.stem)
def test_pages_are_short_and_in_ascii(page):
    text = page.read_text(encoding="ascii")
    assert text.count("\n") <= 150
    targets = re.findall(r"doc/[\w./-]+\.\w+|src/TOFU/[\w./-]+\.\w+|unittest/[\w./-]+\.py", text)
    assert not [name for name in targets if not (CHECKOUT / name).is_file()]


@pytest.mark.parametrize("page", COMMANDS, ids=lambda path: path.stem)
def test_commands_have_the_sections_of_lammps(page):
    titles = re.findall(r'^(.+)\n"{3,}$', page.read_text(encoding="ascii"), re.MULTILINE)
    assert [title for title in titles if title in SECTIONS] == SECTIONS and len(COMMANDS) >= 8


def test_pages_pass_the_searches_of_lammps_makefile(pages, lammps_doc):
    makefile = (lammps_doc / "Makefile").read_text(encoding="utf-8")
    patterns = sorted(set(re.findall(r"grep -n '([^']+)' \$\(RSTDIR\)", makefile)))
    assert len(patterns) >= 5
    for pattern in patterns:
        done = subprocess.run(["grep", "-n", pattern, *pages], capture_output=True, text=True, check=False,
                              env={**os.environ, "LC_ALL": "C"})
        assert done.returncode == 1, f"{pattern}: {done.stdout}{done.stderr}"


def test_names_of_pages_and_labels_are_free_in_lammps_manual(pages, lammps_doc):
    labels = re.findall(r"^\.\. _([^:]+):$", "".join(path.read_text(encoding="ascii") for path in pages), re.MULTILINE)
    assert "PKG-TOFU" in labels and len(set(labels)) == len(labels) > 3
    taken = set()
    for path in (lammps_doc / "src").glob("*.rst"):
        taken |= set(re.findall(r"^\.\. _([^:]+):", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert len(taken) > 100 and not taken & set(labels)
    names = {path.name.lower() for path in (lammps_doc / "src").glob("*.rst")}
    assert not [path.name for path in pages if path.name.lower() in names]


@pytest.fixture
def whole_manual(lammps_doc, tmp_path):
    """LAMMPS' doc/src with our pages, and TOFU in its lists of packages."""
    folder = shutil.copytree(lammps_doc / "src", tmp_path / "whole")
    assert manual.command(types.SimpleNamespace(folder=folder)) == 0
    there = [folder / name for name in manual.LISTS if (folder / name).is_file()]
    text = "".join(path.read_text(encoding="utf-8") for path in there)
    assert len(there) >= 2 and all(text.count(entry) == 1 for entry in (manual.ROW, manual.LINE, manual.PAGE))
    assert not manual.enter(folder)
    return folder


@pytest.fixture
def tree_with_tofu(lammps_doc, tmp_path):
    """LAMMPS' sources and headers that register TOFU's styles; a checker that looks into folders of packages alone
    finds all of them."""
    tree = tmp_path / "tree" / "src"
    tree.mkdir(parents=True)
    for path in (lammps_doc.parent / "src").iterdir():
        if path.name != "TOFU":
            (tree / path.name).symlink_to(path)
    (tree / "TOFU").mkdir()
    macros = {"min": "Minimize", "run": "Integrate", "kspace": "KSpace"}
    for number, row in enumerate(manual.styles()):
        kind, name = row["style"].split()
        macro = f"{macros.get(kind, kind.capitalize())}Style"
        (tree / "TOFU" / f"style_{number}.h").write_text(f"{macro}({name}/threadpool,Class{number});\n",
                                                         encoding="ascii")
    return tree


def checked(lammps_doc, script, tree, folder):
    """Complaints of one of LAMMPS' checkers about a manual."""
    done = subprocess.run([sys.executable, lammps_doc / "utils" / script, "-s", tree, "-d", folder],
                          capture_output=True, text=True, timeout=100, check=False)
    assert not done.stderr, done.stderr
    return set(done.stdout.splitlines())


@pytest.mark.full
def test_lammps_finds_the_package_in_its_lists(lammps_doc, whole_manual, tree_with_tofu):
    complaints = checked(lammps_doc, "check-packages.py", tree_with_tofu, whole_manual)
    assert complaints and not [line for line in complaints if "TOFU" in line]
    without = checked(lammps_doc, "check-packages.py", tree_with_tofu, lammps_doc / "src")
    assert len([line for line in without if line.startswith("Package TOFU missing in ")]) == 2


@pytest.mark.full
def test_lammps_finds_every_style_in_the_index(lammps_doc, whole_manual, tree_with_tofu):
    complaints = checked(lammps_doc, "check-styles.py", tree_with_tofu, whole_manual)
    assert not [line for line in complaints if "index entry" in line and "threadpool" in line]
    without = checked(lammps_doc, "check-styles.py", tree_with_tofu, lammps_doc / "src")
    assert any("index entry lj/cut/threadpool" in line for line in without)


def test_lists_of_another_form_are_refused(tmp_path):
    (tmp_path / manual.LISTS[0]).write_text("Packages\n", encoding="utf-8")
    with pytest.raises(shell.Failure, match="no list of packages"):
        manual.enter(tmp_path)


def test_index_has_every_style_once(pages):
    entries = re.findall(r"^\.\. index:: (.+)$", "".join(path.read_text(encoding="ascii") for path in pages),
                         re.MULTILINE)
    assert len(set(entries)) == len(entries)
    own = {"comm_style p2p/rdma", "comm_style p2p_rdma", "package tofu", "package threadpool", "fix ring/balance",
           "fix ring_balance", "fix p2p/rdma/stats", "fix p2p_rdma/stats", "kspace_style pppm/offload",
           "kspace_style pppm/tip4p/offload", "pair_style deepmd"}
    assert own < set(entries) and len(entries) == len(own) + len(manual.styles())


def test_authors_are_those_of_the_citation():
    citation = yaml.safe_load((CHECKOUT / "CITATION.cff").read_text(encoding="utf-8"))
    names = ", ".join(author["name"] for author in citation["authors"])
    assert f"\n**Authors:** {names}.\n" in (manual.MANUAL / "Packages_TOFU.rst").read_text(encoding="ascii")


def test_command_writes_pages_pictures_and_the_table(tmp_path, capfd):
    assert manual.command(types.SimpleNamespace(folder=tmp_path / "src")) == 0
    written = [Path(line) for line in capfd.readouterr().out.splitlines()]
    assert (tmp_path / "src" / "img" / "ring-balance.png").is_file() and (tmp_path / "src" / manual.STYLES).is_file()
    assert len(written) > 17 and all(path.is_file() for path in written)
