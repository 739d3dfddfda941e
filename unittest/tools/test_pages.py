# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu pages: tables and pictures of the pages come from doc/data; links of pages lead somewhere."""

import json
import re
import shutil
import sys
import types

import pytest
from tofulib import CHECKOUT, pages, shell

MARKDOWN = sorted(path for folder in ("", "doc", "doc/internals", "examples", "lib/tofu_rdma/examples", "src/TOFU")
                  for path in (CHECKOUT / folder).glob("**/*.md" if folder == "examples" else "*.md"))


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A checkout with pages and data alone, which tests may change."""
    shutil.copytree(CHECKOUT / "doc", tmp_path / "doc")
    shutil.copy(CHECKOUT / "README.md", tmp_path)
    monkeypatch.setattr(pages, "CHECKOUT", tmp_path)
    monkeypatch.setattr(pages, "DOC", tmp_path / "doc")
    monkeypatch.setattr(pages.venv, "python", lambda: sys.executable)
    return tmp_path


@pytest.mark.parametrize("name", pages.PAGES)
def test_tables_are_those_of_the_data(name):
    assert pages.page_text(name) == (CHECKOUT / name).read_text(encoding="utf-8"), "run tools/tofu pages"


@pytest.mark.parametrize("name", pages.PICTURES)
def test_pictures_are_those_of_the_data(name):
    data = pages.PICTURES[name][0]
    assert pages.data_sum_of(CHECKOUT / "doc" / "img" / name) == pages.data_sum(data), "run tools/tofu pages"


def test_every_table_is_on_a_page_and_every_data_file_is_used():
    text = "".join((CHECKOUT / name).read_text(encoding="utf-8") for name in pages.PAGES)
    assert {name for _, name, _ in pages.TABLE.findall(text)} == set(pages.TABLES)
    source = (CHECKOUT / "tools" / "tofulib" / "pages.py").read_text(encoding="utf-8")
    assert not [path.name for path in (CHECKOUT / "doc" / "data").iterdir() if f'"{path.stem}' not in source]


def test_page_of_performance_and_that_of_predictions_are_short():
    for name in ("performance.md", "scale.md"):
        assert (CHECKOUT / "doc" / name).read_text(encoding="utf-8").count("\n") <= 150


def test_new_data_change_tables_and_pictures(copy, capfd):
    pytest.importorskip("matplotlib")
    data = copy / "doc" / "data" / "threads.json"
    found = json.loads(data.read_text(encoding="utf-8"))
    found["cases"]["lj864"]["summary"]["speedup"]["median"] = 7.25
    data.write_text(json.dumps(found), encoding="utf-8")
    assert pages.command(types.SimpleNamespace(check=True)) == 1
    output = capfd.readouterr().out
    changed = [name for name in pages.PAGES if "<!-- table threads" in (CHECKOUT / name).read_text(encoding="utf-8")]
    assert len(changed) > 1 and all(f"tofu: {name}: not made" in output for name in (*changed, "threads.png"))
    assert pages.command(types.SimpleNamespace(check=False)) == 0
    assert pages.command(types.SimpleNamespace(check=True)) == 0
    assert all("| 7.25 (" in (copy / name).read_text(encoding="utf-8") for name in changed)
    picture = (copy / "doc" / "img" / "threads.png").read_bytes()
    assert picture.startswith(pages.PNG) and picture != (CHECKOUT / "doc" / "img" / "threads.png").read_bytes()


def test_unknown_table_is_refused(copy):
    (copy / "README.md").write_text("<!-- table nix -->\n<!-- end -->\n", encoding="utf-8")
    with pytest.raises(shell.Failure, match="no table 'nix'"):
        pages.page_text("README.md")


def anchors(path):
    """The anchors of headings, as the web pages of git servers make them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_links_lead_somewhere(page):
    wrong = []
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, fragment = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if "://" not in link and (not target.exists() or (fragment and fragment not in anchors(target))):
            wrong.append(link)
    assert not wrong
