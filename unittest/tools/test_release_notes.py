# SPDX-License-Identifier: GPL-2.0-only
"""The release notes and the page about packages say what the README, the recipes and CMake say."""

import csv
import re

from tofulib import CHECKOUT, version

NOTES = CHECKOUT / "doc" / f"release-{version.tofu_version()}.md"
PACKAGES = CHECKOUT / "doc" / "manual" / "TOFU_packages.rst"


def read(path):
    """Text of a page, with line breaks as blanks except in tables."""
    return re.sub(r"(?<=[^|\n])\n(?=[^|\n])", " ", path.read_text(encoding="utf-8"))


def test_this_version_has_release_notes():
    assert f"TOFU {version.tofu_version()}" in read(NOTES).partition("\n")[0]
    assert f"## {version.tofu_version()}\n" in (CHECKOUT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_releases_of_lammps_are_those_of_the_readme():
    oldest, newest = re.search(r"Releases from (\w+) to (\w+) are tested", read(CHECKOUT / "README.md")).groups()
    assert f"| LAMMPS | {oldest} to {newest} |" in read(NOTES)


def table(first):
    """The rows of the table of the page about packages whose head begins with these cells, without marks."""
    text = PACKAGES.read_text(encoding="ascii").partition(f".. csv-table::\n   :header: {first}")[2]
    lines = text.split("\n\n")[1].splitlines()
    return [[cell.strip("*") for cell in line] for line in csv.reader(lines, skipinitialspace=True)]


def test_variants_of_the_page_are_those_of_the_recipes():
    recipes = "".join(path.read_text(encoding="utf-8") for path in (CHECKOUT / "packaging").rglob("package.py"))
    named = [row[1] for row in table('"package", "variant"')]
    assert sorted(named) == sorted(set(re.findall(r'^ +variant\("(\w+)"', recipes, re.MULTILINE)))


def test_debian_packages_of_the_page_are_those_of_cmake():
    named = [row[0] for row in table('"package", "content"')]
    text = "".join((CHECKOUT / name / "packages.cmake").read_text(encoding="utf-8")
                   for name in ("cmake/plugin", "lib/tofu_rdma")).replace("${PROJECT_VERSION_MAJOR}", "1")
    given = re.findall(r"_PACKAGE_NAME ([\w-]+)\)", text) + re.findall(r"CPACK_PACKAGE_NAME (lammps[\w-]+)\)", text)
    assert sorted(set(given) & set(named)) == sorted(named) and len(named) == 4


def test_paths_of_the_pages_exist():
    for page in (NOTES, PACKAGES):
        text = re.sub(r"\S*\*\S*|lib/x86\S*", "", read(page))
        paths = re.findall(r"`?((?:packaging|cmake|lib)/[\w./-]+\w)", text)
        assert paths or page == NOTES
        assert [path for path in paths if not (CHECKOUT / path).exists()] == []
