# SPDX-License-Identifier: GPL-2.0-only
"""Headers of the styles with the suffix, as the builds have them: those of entries in tables are written by CMake."""

import subprocess

from tofulib import CHECKOUT, style_index

SCRIPT = """\
cmake_minimum_required(VERSION 3.20)
set(TOFU_SOURCE_DIR "${CHECKOUT}/src/TOFU")
include("${TOFU_SOURCE_DIR}/repeated.cmake")
include("${TOFU_SOURCE_DIR}/style_tables.cmake")
tofu_find_styles(headers sources "${FOLDER}/headers" ${STOCK})
message("${headers}|${sources}")
"""


def styles(folder, stock=None, checkout=CHECKOUT):
    """Headers and sources of styles.

    Args:
        folder: Gets the headers of styles in tables, in a folder headers.
        stock: Names of LAMMPS' headers, such as pair_lj_cut.h; None: those of all variants.
        checkout: Folder with src/TOFU.

    Returns:
        Paths of headers, and of sources.
    """
    names = style_index.stock_headers() if stock is None else stock
    script = folder / "styles.cmake"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run(["cmake", f"-DCHECKOUT={checkout}", f"-DFOLDER={folder}",
                           f"-DSTOCK={';'.join(name.removesuffix('.h') for name in names)}", "-P", script],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout
    return [part.split(";") if part else [] for part in done.stdout.strip().split("|")]
