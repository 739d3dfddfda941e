# SPDX-License-Identifier: GPL-2.0-only
"""The check that every source file names its license finds those that do not."""

import re
import shutil

import pytest
from tofulib import CHECKOUT, licenses, shell, test

TAG = "SPDX-License" "-Identifier"
GOOD = {"a.py": f"#!/usr/bin/env python3\n# {TAG}: GPL-2.0-only\n", "b.cpp": f"// {TAG}: GPL-2.0-only\n\nint b;\n",
        "c.h": f"/* -*- c++ -*- ---\n   LAMMPS\n\n   {TAG}: GPL-2.0-only\n--- */\n",
        "d.f90": f"! {TAG}: GPL-2.0-only\nend\n", "e.pml": f"/* {TAG}: GPL-2.0-only */\n"}


def written(folder, name, text):
    """A file with this text."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_identifiers_in_the_comments_of_all_languages_are_accepted(tmp_path, capsys):
    licenses.check_licenses([written(tmp_path, name, text) for name, text in GOOD.items()])
    assert "5 files have their SPDX identifier" in capsys.readouterr().out


@pytest.mark.parametrize("text", [
    "", "int b;\n", f"// {TAG}: MIT\n", f"// {TAG}: GPL-2.0-or-later\n", f'auto s = "{TAG}: GPL-2.0-only";\n',
    "\n" * 40 + f"// {TAG}: GPL-2.0-only\n"], ids=["empty", "none", "MIT", "or later", "in a string", "too late"])
def test_a_file_without_the_identifier_is_refused_by_name(text, tmp_path):
    good, bad = written(tmp_path, "good.py", GOOD["a.py"]), written(tmp_path, "bad.cpp", text)
    with pytest.raises(shell.Failure, match="do not have '.*GPL-2.0-only'.*\n.*bad.cpp") as caught:
        licenses.check_licenses([good, bad])
    assert "good.py" not in str(caught.value)


def test_every_tracked_source_is_looked_at():
    """A new folder or kind of file is checked, or it is named as one without sources."""
    if not shutil.which("git") or not (CHECKOUT / ".git").exists():
        pytest.skip("needs git and a checkout")
    tracked = {CHECKOUT / name for name in shell.capture(["git", "ls-files"], cwd=CHECKOUT).splitlines()}
    without = {path for path in tracked if path.suffix in licenses.WITHOUT
               or path.name.startswith((*licenses.WITHOUT_NAMES, "LICENSE", ".gitignore"))}
    assert {path for path in tracked if path.is_file()} - without <= set(licenses.sources())


def test_every_style_names_its_authors():
    """As in LAMMPS, behind the license, in the source of the style or in its header if it has none."""
    style = re.compile(r"^(Pair|Bond|Angle|Dihedral|Improper|KSpace|Fix|Compute|Integrate|Command)Style\(",
                       re.MULTILINE)
    headers = [path for path in (CHECKOUT / "src").rglob("*.h") if style.search(path.read_text(encoding="utf-8"))]
    sources = [path.with_suffix(".cpp") if path.with_suffix(".cpp").is_file() else path for path in headers]
    assert len(sources) > 30
    named = re.compile(r"by the TOFU developers;|\n   Contributing authors: ")
    sources.append(CHECKOUT / "src" / "TOFU" / "styles" / "style.h.in")    # and those of styles in tables
    assert not [path for path in sources if not named.search(path.read_text(encoding="utf-8")[:900])]


def test_checkout_is_complete():
    licenses.check_licenses(licenses.sources())


def test_layer_stage_runs_the_check(monkeypatch):
    monkeypatch.setattr(test, "check_layout", lambda files: None)
    monkeypatch.setattr(test, "check_reference", lambda: None)
    monkeypatch.setattr(licenses, "IDENTIFIER", f"{TAG}: MIT")
    with pytest.raises(shell.Failure, match="do not have '.*MIT'"):
        test.Suite.layers()
