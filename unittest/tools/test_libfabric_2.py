# SPDX-License-Identifier: GPL-2.0-only
"""The libfabric backend compiles with the headers of libfabric 2, too; this machine may have version 1."""

import re
import shutil
import tarfile

import pytest
from tofulib import CHECKOUT, apt, cache, shell

pytestmark = pytest.mark.full

SUITE = "trixie"    # Debian 13 has 2.1
SOURCES = ("ofi_backend.cpp", "ofi_endpoint.cpp", "channel_ofi.cpp")


@pytest.fixture(scope="module")
def headers():
    """Folder with the headers of libfabric 2, kept from one run to the next."""
    folder = cache.folder("downloads") / "libfabric-2"
    if not folder.exists():
        archive = apt.upstream_archive("libfabric", SUITE, "", cache.folder("apt", f"libfabric-{SUITE}"))
        tarball = cache.folder("downloads") / archive.name
        apt.download(archive, tarball)
        partial = folder.with_name("libfabric-2.part")
        shutil.rmtree(partial, ignore_errors=True)
        with tarfile.open(tarball) as files:
            for member in files.getmembers():
                found = re.fullmatch(r"[^/]+/include/(rdma/[\w/]+\.h)", member.name)
                if found:
                    target = partial / found.group(1)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(files.extractfile(member).read())
        partial.rename(folder)
        tarball.unlink()
    return folder


def test_the_headers_are_those_of_version_2(headers):
    assert re.search(r"#define FI_MAJOR_VERSION 2$", (headers / "rdma" / "fabric.h").read_text(encoding="utf-8"),
                     re.MULTILINE)


@pytest.mark.parametrize("source", SOURCES)
def test_backend_compiles(headers, source):
    folder = CHECKOUT / "src" / "TOFU"
    shell.capture(["c++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-D", "TOFU_OFI", "-fsyntax-only", "-I", folder,
                   "-isystem", headers,
                   folder / "transport" / "ofi" / source])
