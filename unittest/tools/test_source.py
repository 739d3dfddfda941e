# SPDX-License-Identifier: GPL-2.0-only
"""Origin of the LAMMPS source: the order of the ways, checksums, and the state after an interruption."""

import subprocess
import tarfile

import pytest
from tofulib import apt, cache, shell, source


@pytest.fixture
def tarball(tmp_path):
    """A function that makes a tarball of a tiny LAMMPS tree, with or without a top folder."""
    def make(name, top, release="4 Feb 2025"):
        tree = tmp_path / f"make-{name}"
        (tree / "src").mkdir(parents=True)
        (tree / "cmake").mkdir()
        (tree / "src/version.h").write_text(f'#define LAMMPS_VERSION "{release}"\n', encoding="utf-8")
        (tree / "cmake/CMakeLists.txt").write_text("project(lammps CXX)\n", encoding="utf-8")
        path = tmp_path / name
        with tarfile.open(path, "w:gz") as archive:
            for entry in [tree] if top else tree.iterdir():
                archive.add(entry, arcname=f"lammps-1/{'' if entry == tree else entry.name}" if top else entry.name)
        return path
    return make


@pytest.fixture
def debian(monkeypatch, tarball, private_cache):
    """A Debian mirror that serves one tarball and counts the downloads."""
    class Mirror:
        downloads = 0
        available = True
    path = tarball("lammps_20250204+dfsg.1.orig.tar.gz", top=True)
    archive = apt.Archive("http://mirror.invalid/x", path.name, path.stat().st_size, source.sha256_of(path))

    def look_up(_package, suite, _version, _scratch):
        if not Mirror.available:
            raise shell.Failure(f"no {suite} today")
        return archive

    def download(_archive, target):
        Mirror.downloads += 1
        target.write_bytes(path.read_bytes())
    monkeypatch.setattr(apt, "upstream_archive", look_up)
    monkeypatch.setattr(apt, "download", download)
    monkeypatch.setattr(source.system, "ensure", lambda names: None)
    monkeypatch.setattr(source, "PINNED", source.PINNED._replace(sha256=archive.sha256))
    monkeypatch.setattr(source, "GIT_ADDRESS", "/nonexistent/lammps.git")
    return Mirror


def test_own_tree_goes_first_and_nothing_is_downloaded(debian, tarball, tmp_path):
    own = tmp_path / "make-own.tar.gz"
    tarball("own.tar.gz", top=False, release="22 Jul 2025")
    found = source.get(directory=own)
    assert (found.path, found.release, found.cached) == (own, "22Jul2025", False)
    assert debian.downloads == 0


def test_second_call_takes_the_cache(debian):
    first = source.get()
    assert first.release == "4Feb2025" and first.path == cache.root() / "lammps" / "4Feb2025"
    assert source.get() == first
    assert debian.downloads == 1


def test_newest_is_looked_up_again_only_after_a_while_or_on_demand(debian, monkeypatch):
    first = source.get("newest")
    debian.available = False
    assert source.get("newest") == first
    monkeypatch.setattr(source, "NEWEST_LIFETIME", -1)
    assert source.get("newest") == first, "without a network an older newest is better than none"
    debian.available = True
    assert source.get("newest", refresh=True) == first


def test_half_unpacked_tree_does_not_count(debian):
    tree = cache.folder("lammps", "4Feb2025")
    (tree / "src").mkdir()
    found = source.get()
    assert found.path == tree and (tree / "src" / "version.h").exists()


def test_interrupted_unpacking_leaves_nothing_behind(debian, monkeypatch):
    def interrupt(*_arguments):
        raise KeyboardInterrupt
    with monkeypatch.context() as patch:
        patch.setattr(source, "settle", interrupt)
        with pytest.raises(KeyboardInterrupt):
            source.get()
    assert not source.is_complete(source.cached_tree("4Feb2025"))
    assert not list((cache.root() / "lammps").glob(".partial-*"))
    assert source.get().release == "4Feb2025"
    assert debian.downloads == 1, "the finished download is used again"


def test_damaged_download_is_fetched_again(debian):
    (cache.folder("downloads") / "lammps_20250204+dfsg.1.orig.tar.gz").write_bytes(b"half")
    source.get()
    assert debian.downloads == 1


def test_package_with_another_checksum_is_refused(debian, monkeypatch):
    monkeypatch.setattr(source, "PINNED", source.PINNED._replace(sha256="0" * 64))
    with pytest.raises(shell.Failure, match="Somebody changed the package"):
        source.get()
    assert debian.downloads == 0


def test_git_is_the_last_resort(debian, monkeypatch, tarball, tmp_path):
    debian.available = False
    tarball("repository.tar.gz", top=False)
    repository = tmp_path / "make-repository.tar.gz"
    for words in (["init", "-q", "-b", "main"], ["add", "."],
                  ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "x"], ["tag", source.PINNED.git]):
        subprocess.run(["git", *words], cwd=repository, check=True)
    monkeypatch.setattr(source, "GIT_ADDRESS", f"file://{repository}")
    assert source.get().release == "4Feb2025"


def test_without_any_way_the_message_says_what_was_tried_and_what_to_do(debian):
    debian.available = False
    with pytest.raises(shell.Failure, match=r"(?s)no trixie today.*git.*--lammps DIR"):
        source.get()


@pytest.mark.parametrize("top", [True, False])
def test_tarballs_with_and_without_a_top_folder(private_cache, tarball, monkeypatch, top):
    monkeypatch.setattr(source.system, "ensure", lambda names: None)
    path = tarball("lammps_20260704.orig.tar.gz", top, "4 Jul 2026")
    tree = source.unpack(path, source.cached_tree("4Jul2026"), {})
    assert source.release_of(tree) == "4Jul2026" and source.is_complete(tree)


def test_release_in_the_name_of_a_tarball():
    assert source.release_of_archive("lammps_20250204+dfsg.1.orig.tar.xz") == "4Feb2025"
    assert source.release_of_archive("lammps_20241231.orig.tar.xz") == "31Dec2024"
    with pytest.raises(shell.Failure):
        source.release_of_archive("lammps-stable.tar.gz")


@pytest.mark.parametrize("name, text, expected", [
    ("sources.list", "# deb http://no.example/debian x main\ndeb http://a.example/debian/ bookworm main\n",
     "http://a.example/debian"),
    ("sources.list", "deb [arch=amd64 signed-by=/k.gpg] http://b.example/debian trixie main\n",
     "http://b.example/debian"),
    ("sources.list.d/x.list", "deb-src http://no.example/debian x main\ndeb http://c.example/debian sid main\n",
     "http://c.example/debian"),
    ("sources.list.d/x.sources",
     "Types: deb\n# a remark\nURIs: http://d.example/debian\nSuites: trixie\nComponents: main\n",
     "http://d.example/debian"),
    ("sources.list.d/x.sources",
     "Types: deb\nURIs: http://no.example/debian\nSuites: x\nEnabled: no\n\nTypes: deb deb-src\n"
     "URIs: http://security.example/debian-security http://e.example/debian\nSuites: trixie\nComponents: main\n",
     "http://e.example/debian"),
])
def test_mirror_is_read_from_the_machines_own_configuration(tmp_path, monkeypatch, name, text, expected):
    (tmp_path / "sources.list.d").mkdir()
    (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(apt, "CONFIGURATION", str(tmp_path))
    assert apt.mirror() == expected


def test_machine_without_a_debian_mirror_is_told_so(tmp_path, monkeypatch):
    (tmp_path / "sources.list").write_text("deb http://f.example/ubuntu noble main\n", encoding="utf-8")
    monkeypatch.setattr(apt, "CONFIGURATION", str(tmp_path))
    with pytest.raises(shell.Failure, match="no Debian mirror.*f.example/ubuntu"):
        apt.mirror()
