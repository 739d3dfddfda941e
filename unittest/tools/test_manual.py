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
import style_headers
import yaml
from tofulib import CHECKOUT, manual, manual_lists, rst, shell, style_index

pytestmark = pytest.mark.full

DOC = CHECKOUT / "doc"
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
KINDS = {"Pair": "pair_style", "Bond": "bond_style", "Angle": "angle_style", "Dihedral": "dihedral_style",
         "Improper": "improper_style", "KSpace": "kspace_style", "Fix": "fix", "Compute": "compute",
         "Minimize": "min_style"}


@pytest.fixture(params=["TOFU_LAMMPS_DIR", "TOFU_LAMMPS_DIR_NEWEST"])
def lammps_doc(request):
    """The folder doc of each LAMMPS source tree under test; it stays as it is."""
    tree = os.environ.get(request.param)
    if not tree:
        pytest.skip(f"{request.param} is not set; 'tools/tofu test' sets it")
    return Path(tree) / "doc"


@pytest.fixture
def pages(tmp_path):
    """The pages of the manual."""
    return [path for path in rst.write_manual(tmp_path / "src") if path.suffix == ".rst"]


@pytest.fixture
def doc(tmp_path):
    """A copy of the Markdown pages that tests may change."""
    return Path(shutil.copytree(DOC, tmp_path / "doc", ignore=shutil.ignore_patterns("*.json")))


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


def test_sphinx_builds_all_pages_without_a_warning(pages, lammps_doc):
    folder = pages[0].parent
    done = build(folder, lammps_doc)
    assert done.returncode == 0 and not done.stderr, done.stderr
    html = folder.parent / "html"
    assert len(pages) == len(manual.PAGES) and all((html / f"{path.stem}.html").is_file() for path in pages)
    assert "<em>" in (html / "comm_style_p2p_rdma.html").read_text(encoding="utf-8")


def test_link_to_a_page_that_lammps_does_not_have_fails(doc, lammps_doc, tmp_path):
    page = doc / "package_tofu.md"
    page.write_text(page.read_text(encoding="utf-8").replace("lammps.org/package.html", "lammps.org/parcel.html"),
                    encoding="utf-8")
    rst.write_manual(tmp_path / "src", doc)
    done = build(tmp_path / "src", lammps_doc)
    assert done.returncode != 0 and "unknown document: 'parcel'" in done.stderr


@pytest.mark.parametrize("old, new, message", [
    ("(comm_style_p2p_rdma.md)", "(comm_style_p3p.md)", "link to comm_style_p3p.md leads nowhere"),
    ("(comm_style_p2p_rdma.md)", "(comm_style_p2p_rdma.md#landings)", "#landings leads nowhere"),
    ("lammps.org/package.html", "lammps.org/package.html#top", "LAMMPS' manual knows the label 'top' by another name"),
    ("## Examples", "> quoted\n\n## Examples", "a blockquote has no form"),
    ("## Examples", "A <b>bold</b> word.\n\n## Examples", "html_inline has no form"),
    ("## Examples", "A × B\n\n## Examples", "is in ASCII; this page has ×"),
    ("LAMMPS without the TOFU package", "LAMMPS alone", "no row 'LAMMPS without the TOFU package'"),
])
def test_page_that_cannot_be_converted_is_refused(doc, tmp_path, old, new, message):
    page = doc / "package_tofu.md"
    text = page.read_text(encoding="utf-8")
    assert old in text
    page.write_text(text.replace(old, new), encoding="utf-8")
    with pytest.raises(shell.Failure, match=f"package_tofu.md: .*{re.escape(message)}"):
        rst.write_manual(tmp_path / "src", doc)


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
    assert "PKG-TOFU" in labels and len(set(labels)) == len(labels) > 4
    taken = set()
    for path in (lammps_doc / "src").glob("*.rst"):
        taken |= set(re.findall(r"^\.\. _([^:]+):", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert len(taken) > 100 and not taken & set(labels)
    assert not [path.name for path in pages if (lammps_doc / "src" / path.name).exists()]


@pytest.fixture
def whole_manual(lammps_doc, pages):
    """LAMMPS' doc/src with our pages, and TOFU in its lists of packages."""
    folder = shutil.copytree(lammps_doc / "src", pages[0].parent.parent / "whole")
    for page in pages:
        shutil.copy(page, folder)
    there = [folder / name for name in manual_lists.LISTS if (folder / name).is_file()]
    assert manual_lists.enter(folder) == there and len(there) >= 2
    text = "".join(path.read_text(encoding="utf-8") for path in there)
    assert all(text.count(entry) == 1 for entry in (manual_lists.ROW, manual_lists.LINE, manual_lists.PAGE))
    assert not manual_lists.enter(folder)
    return folder


@pytest.fixture
def tree_with_tofu(lammps_doc, tmp_path):
    """LAMMPS' sources and TOFU's, in links; a checker that looks into folders of packages alone finds all headers."""
    tree = tmp_path / "tree" / "src"
    tree.mkdir(parents=True)
    for path in (lammps_doc.parent / "src").iterdir():
        if path.name != "TOFU":
            (tree / path.name).symlink_to(path)
    (tree / "TOFU").mkdir()
    for header in [*(CHECKOUT / "src" / "TOFU").rglob("*.h"), *map(Path, style_headers.styles(tmp_path)[0])]:
        if not (tree / "TOFU" / header.name).exists():
            (tree / "TOFU" / header.name).symlink_to(header)
    return tree


def checked(lammps_doc, script, tree, folder):
    """Complaints of one of LAMMPS' checkers about a manual."""
    done = subprocess.run([sys.executable, lammps_doc / "utils" / script, "-s", tree, "-d", folder],
                          capture_output=True, text=True, timeout=100, check=False)
    assert not done.stderr, done.stderr
    return set(done.stdout.splitlines())


def test_lammps_finds_the_package_in_its_lists(lammps_doc, whole_manual, tree_with_tofu):
    complaints = checked(lammps_doc, "check-packages.py", tree_with_tofu, whole_manual)
    assert complaints and not [line for line in complaints if "TOFU" in line]
    without = checked(lammps_doc, "check-packages.py", tree_with_tofu, lammps_doc / "src")
    assert len([line for line in without if line.startswith("Package TOFU missing in ")]) == 2


def test_lammps_finds_every_style_in_the_index(lammps_doc, whole_manual, tree_with_tofu):
    complaints = checked(lammps_doc, "check-styles.py", tree_with_tofu, whole_manual)
    assert not [line for line in complaints if "index entry" in line and ("threadpool" in line or "ring" in line)]
    without = checked(lammps_doc, "check-styles.py", tree_with_tofu, lammps_doc / "src")
    assert any("index entry lj/cut/threadpool" in line for line in without)


def test_lists_of_another_form_are_refused(tmp_path):
    (tmp_path / manual_lists.LISTS[0]).write_text("Packages\n", encoding="utf-8")
    with pytest.raises(shell.Failure, match="no list of packages"):
        manual_lists.enter(tmp_path)


def test_index_has_every_style_of_the_package(pages):
    registered = {f"{KINDS[kind]} {name}" for kind, name, _ in style_index.own_styles()
                  if kind in KINDS and re.fullmatch(r"[a-z0-9_/]+", name)}
    entries = re.findall(r"^\.\. index:: (.+)$", "".join(path.read_text(encoding="ascii") for path in pages),
                         re.MULTILINE)
    assert len(set(entries)) == len(entries)
    commands = {"comm_style p2p_rdma", "comm_style p2p/rdma", "package tofu", "package threadpool"}
    assert set(entries) == registered | commands


def test_authors_are_those_of_the_citation():
    citation = yaml.safe_load((CHECKOUT / "CITATION.cff").read_text(encoding="utf-8"))
    names = ", ".join(author["name"] for author in citation["authors"])
    assert f"\n**Authors:** {names}.\n" in (DOC / manual.PACKAGE).read_text(encoding="utf-8")


@pytest.mark.parametrize("markdown, expected", [
    ("**Results with *weight time* differ**, *all*", "**Results with** *weight time* **differ**, *all*"),
    ("the *x*s and `a*b`s", r"the *x*\ s and ``a*b``\ s"),
    (r"2 \* 3, x|y, d_ and p2p_rdma", r"2 \* 3, x\|y, d\_ and p2p_rdma"),
    ("end::", r"end:\:"),
    ("2\\) of three", r"\2) of three"),
    ("[`a` of *b*](https://docs.lammps.org/run.html)", ":doc:`a of b <run>`"),
    ("[figures](performance.md)", "figures (``doc/performance.md`` of TOFU)"),
    ("[a<b](https://a.org/c#d)", r"`a\<b <https://a.org/c#d>`__"),
    ("* one\n  line\n* two\n\n      code", "* one line\n\n* two\n\n  .. code-block:: text\n\n     code"),
    ("```sh\nls\n```", ".. code-block:: bash\n\n   ls"),
    ("    mpirun -np 2 lmp", ".. code-block:: bash\n\n   mpirun -np 2 lmp"),
    ("    package tofu\n    fix 1\n\n    mpirun", ".. code-block:: LAMMPS\n\n   package tofu\n   fix 1\n\n"
                                                  ".. code-block:: bash\n\n   mpirun"),
    ("## Syntax\n\n    fix ID\n\n    N = 1 or 2\n    keywords\n      up value = yes or no\n        yes = up_",
     'Syntax\n""""""\n\n.. code-block:: LAMMPS\n\n   fix ID\n\n* N = *1* or *2*\n* keywords\n\n'
     "  .. parsed-literal::\n\n"
     "       *up* value = *yes* or *no*\n         yes = up\\_"),
    ("| a | b |\n|---|---|\n| *c* | |", ".. list-table::\n   :header-rows: 1\n   :widths: auto\n\n"
                                         "   * - a\n     - b\n   * - *c*\n     -"),
])
def test_form(markdown, expected, doc):
    page = doc / "fix_ring_balance.md"
    page.write_text(markdown, encoding="utf-8")
    writer = rst.PageWriter(rst.read(page), set())
    assert re.sub(r" +$", "", writer.blocks(writer.source.tree.children), flags=re.MULTILINE) == expected


def test_command_writes_the_pages(monkeypatch, tmp_path, capfd):
    monkeypatch.setattr(manual.venv, "python", lambda: sys.executable)
    assert manual.command(types.SimpleNamespace(folder=tmp_path / "src")) == 0
    output = capfd.readouterr().out
    assert (tmp_path / "src" / "img" / "ring-balance.png").is_file()
    assert all(f"{page.name}.rst" in output for page in manual.PAGES.values())
