# SPDX-License-Identifier: GPL-2.0-only
"""The release notes and the page about packages say what the README, the recipes and CMake say."""

import re

import pytest
from tofulib import CHECKOUT, version

NOTES = CHECKOUT / "doc" / f"release-{version.tofu_version()}.md"
PACKAGES = CHECKOUT / "doc" / "packages.md"


def read(path):
    """Text of a page, with line breaks as blanks except in tables."""
    return re.sub(r"(?<=[^|\n])\n(?=[^|\n])", " ", path.read_text(encoding="utf-8"))


def test_this_version_has_release_notes():
    assert f"TOFU {version.tofu_version()}" in read(NOTES).partition("\n")[0]
    assert f"## {version.tofu_version()}\n" in (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_measurements_are_those_of_the_readme():
    rows = [row for row in read(NOTES).splitlines() if re.match(r"\| \w+ \| [\d,]+ \|", row)]
    readme = read(CHECKOUT / "README.md").splitlines()
    assert len(rows) == 5 and not set(rows) - set(readme)


@pytest.mark.parametrize("figures", ["162 ns", "602 ns", "1.2 to 2.9 times faster", "9 to 10 %"])
def test_other_figures_are_those_of_the_page_about_performance(figures):
    assert figures in read(NOTES) and figures in read(CHECKOUT / "doc" / "performance.md").replace("**", "")


def test_releases_of_lammps_are_those_of_the_readme():
    oldest, newest = re.search(r"Releases from (\w+) to (\w+) are tested", read(CHECKOUT / "README.md")).groups()
    assert f"| LAMMPS | {oldest} to {newest} |" in read(NOTES)


def test_variants_of_the_page_are_those_of_the_recipes():
    recipes = "".join(path.read_text(encoding="utf-8") for path in (CHECKOUT / "packaging").rglob("package.py"))
    table = read(PACKAGES).partition("| package | variant |")[2].partition("\n\n")[0]
    named = re.findall(r"^\|[^|]*\| \*(\w+)\* \|", table, re.MULTILINE)
    assert sorted(named) == sorted(set(re.findall(r'^ +variant\("(\w+)"', recipes, re.MULTILINE)))


def test_debian_packages_of_the_page_are_those_of_cmake():
    table = read(PACKAGES).partition("| package | content |")[2].partition("\n\n")[0]
    named = re.findall(r"^\| \*([\w-]+)\*", table, re.MULTILINE)
    text = "".join((CHECKOUT / name / "packages.cmake").read_text(encoding="utf-8")
                   for name in ("cmake/plugin", "lib/tofu_rdma")).replace("${PROJECT_VERSION_MAJOR}", "1")
    given = re.findall(r"_PACKAGE_NAME ([\w-]+)\)", text) + re.findall(r"CPACK_PACKAGE_NAME (lammps[\w-]+)\)", text)
    assert sorted(set(given) & set(named)) == sorted(named) and len(named) == 4


@pytest.mark.parametrize("page", [NOTES, PACKAGES], ids=lambda path: path.stem)
def test_links_and_paths_of_the_pages_exist(page):
    text = read(page)
    links = [link for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text) if "://" not in link]
    paths = re.findall(r"`?((?:packaging|cmake|lib)/[\w./-]+\w)", re.sub(r"\S*\*\S*|lib/x86\S*", "", text))
    assert links or paths
    assert [link for link in links if not (page.parent / link).is_file()] == []
    assert [path for path in paths if not (CHECKOUT / path).exists()] == []
