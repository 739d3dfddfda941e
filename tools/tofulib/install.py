# SPDX-License-Identifier: GPL-2.0-only
"""Put TOFU into a LAMMPS source tree, and take it out again."""

import hashlib
import os
import re
import shutil
from pathlib import Path

from . import CHECKOUT, cache, shell, source

#: Installed files and folders: path in the TOFU checkout -> path in the LAMMPS tree.
FILES = {
    "src/TOFU": "src/TOFU",
    "cmake/TOFU.cmake": "cmake/Modules/Packages/TOFU.cmake",
    "cmake/presets/tofu.cmake": "cmake/presets/tofu.cmake",
}
#: The file with the names and checksums of what was installed.
MANIFEST = "src/TOFU/.tofu-install.json"
BUILD_FILE = "cmake/CMakeLists.txt"
LINE = b"include(${CMAKE_CURRENT_SOURCE_DIR}/Modules/Packages/TOFU.cmake)  # added by 'tofu install'\n"
PROJECT_CALL = re.compile(rb"^project\s*\(\s*lammps\b[^)]*\)[^\n]*\n", re.MULTILINE)


def install_command(options):
    """tools/tofu install."""
    install(options.lammps_dir)
    shell.say(f"TOFU is in {options.lammps_dir}; now configure LAMMPS with -D PKG_TOFU=on")
    return 0


def uninstall_command(options):
    """tools/tofu uninstall."""
    uninstall(options.lammps_dir, options.force)
    shell.say(f"{options.lammps_dir} is as it was without TOFU")
    return 0


def install(directory):
    """Copy TOFU into a LAMMPS tree and hook it into the build; an older copy is replaced.

    Raises:
        shell.Failure: No LAMMPS tree, a foreign TOFU in it, or a build file that is not as expected.
    """
    tree = Path(directory)
    release = source.release_of(tree)
    if (tree / MANIFEST).exists():
        uninstall(tree)
    hooked = hook(tree / BUILD_FILE, release)
    taken = [target for target in FILES.values() if (tree / target).exists()]
    if taken:
        raise shell.Failure(f"{tree} already has {', '.join(taken)}, which 'tofu install' did not put there. "
                            f"Please move it away first.")
    for origin, target in FILES.items():
        copy(CHECKOUT / origin, tree / target)
    cache.write_json(tree / MANIFEST, {"files": checksums(tree)})
    replace(tree / BUILD_FILE, hooked)


def uninstall(directory, force=False):
    """Take TOFU out of a LAMMPS tree, leaving every other byte as it is.

    Args:
        directory: The LAMMPS tree.
        force: Also delete files in src/TOFU that are not as they were installed.

    Raises:
        shell.Failure: Nothing was installed there, or the user's own changes would be lost.
    """
    tree = Path(directory)
    source.release_of(tree)
    if not (tree / MANIFEST).exists():
        raise shell.Failure(f"TOFU is not installed in {tree} (there is no {MANIFEST})")
    recorded = cache.read_json(tree / MANIFEST).get("files", {})
    present = checksums(tree)
    own = sorted(name for name in present if present[name] != recorded.get(name))
    if own and not force:
        raise shell.Failure(
            f"these files in {tree} are not as they were installed and would be lost: {', '.join(own)}. "
                            f"Save them, or use --force.")
    text = (tree / BUILD_FILE).read_bytes()
    if text.count(LINE) == 1:
        replace(tree / BUILD_FILE, text.replace(LINE, b""))
    elif b"TOFU.cmake" in text:
        raise shell.Failure(f"the TOFU line in {tree / BUILD_FILE} was edited; please delete it by hand and try again")
    for target in FILES.values():
        remove(tree / target)


def hook(build_file, release):
    """LAMMPS' build file with the line of TOFU after its project() call.

    Returns:
        The new content; nothing is written.
    """
    text = build_file.read_bytes()
    if b"TOFU.cmake" in text:
        raise shell.Failure(f"{build_file} already mentions TOFU.cmake, which 'tofu install' did not write. "
                            f"Please remove that line first.")
    calls = list(PROJECT_CALL.finditer(text))
    if len(calls) != 1:
        raise shell.Failure(f"LAMMPS {release} has changed where the package must be hooked in: expected one "
                            f"project(lammps ...) call in {build_file}, found {len(calls)}. Nothing was changed. You "
                            f"can build "
                            f"with -D CMAKE_PROJECT_lammps_INCLUDE={CHECKOUT / 'cmake' / 'TOFU.cmake'} instead.")
    end = calls[0].end()
    return text[:end] + LINE + text[end:]


def checksums(tree):
    """SHA256 of every installed file, the manifest itself excepted."""
    sums = {}
    for target in FILES.values():
        path = tree / target
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            name = str(file.relative_to(tree))
            if file.is_file() and name != MANIFEST:
                sums[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    return sums


def copy(origin, target):
    """Copy a file or a folder."""
    if origin.is_dir():
        shutil.copytree(origin, target, ignore=shutil.ignore_patterns("__pycache__", ".*", "*~", "*.orig"))
    else:
        shutil.copy2(origin, target)


def remove(path):
    """Delete a file or a folder, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def replace(path, content):
    """Write a file in one step, keeping its permissions."""
    temporary = path.with_name(f"{path.name}.tofu-{os.getpid()}")
    temporary.write_bytes(content)
    shutil.copymode(path, temporary)
    temporary.replace(path)
