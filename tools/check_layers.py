#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check that arrows point down only: styles -> halo -> transport -> outside, styles -> kernels -> pool -> outside,
styles -> mesh -> transport and kernels, styles -> balance, and lib/tofu_rdma -> transport.

  transport/  includes no LAMMPS header, no halo header, no style header
  halo/       includes no LAMMPS header and no style header, and makes no MPI call
  pool/       includes only its own headers
  balance/    includes only its own headers, and makes no MPI call
  kernels/    includes its own headers and those of pool/, and makes no MPI call
  mesh/       includes its own headers and those of transport/, kernels/ and pool/, and makes no MPI call
  *.h, threadpool/*.h, offload/*.h
              style headers: no vendor header, not even through another TOFU header, and of LAMMPS one base class at most
  lib/tofu_rdma  includes its own headers and those of transport/; tofu_rdma.h, which other codes include, none of them

A quoted include that is no file of src/TOFU is a LAMMPS header. Run with --self-test, it checks that it can fail.
"""

import re
import sys
import tempfile
from pathlib import Path

TOFU = Path(__file__).resolve().parents[1] / "src" / "TOFU"
LIBRARY = TOFU.parents[1] / "lib" / "tofu_rdma"
VENDOR = re.compile(r"<(mpi\.h|rdma/.*|utofu\.h|immintrin\.h|x86intrin\.h|arm_neon\.h|arm_sve\.h|omp\.h|fftw3\.h|hwy/.*)>")
LAYERS = {"transport": ("transport",), "halo": ("halo", "transport"), "pool": ("pool",), "balance": ("balance",), "kernels": ("kernels", "pool"),
          "mesh": ("mesh", "transport", "kernels", "pool"),
          "": ("", "balance", "halo", "kernels", "mesh", "pool", "transport"), "threadpool": ("", "threadpool", "kernels", "pool"),
          "offload": ("", "offload", "kernels", "mesh", "pool", "transport"),
          "plugin": ("", "plugin")}
ENGINES = ("transport", "halo", "pool", "balance", "kernels", "mesh")    # what knows no LAMMPS
STYLES = ("", "threadpool", "offload")


def check(root):
    """All violations below a source folder, as lines for people."""
    found = []
    for file in sorted([*root.rglob("*.h"), *root.rglob("*.cpp")]):
        name, layer, code = file.relative_to(root), layer_of(file, root), without_comments(file)
        ours, theirs = own_includes(file, root), lammps_includes(file, root)
        found += [f"{name} includes {other.relative_to(root)}: {layer or 'a style'} must not know {layer_of(other, root) or 'styles'}"
                  for other in ours if layer_of(other, root) not in LAYERS.get(layer, ())]
        if layer in ENGINES:
            found += [f"{name} includes {header}: {layer} must not know LAMMPS" for header in theirs]
        if layer in ENGINES and layer != "transport":
            found += [f"{name} uses {call}: {layer} leaves communication to transport" for call in re.findall(r"MPI_\w+|<mpi\.h>", code)]
        if layer in STYLES and file.suffix == ".h":
            found += [f"{name} includes {vendor} {way}: a style header must not" for vendor, way in vendor_includes(file, root)]
            if len(theirs) > 1:
                found.append(f"{name} includes {', '.join(theirs)}: a style header includes its base class only")
    return found


def check_library(library, root):
    """All violations below the folder of the library for other codes, which stands on the transport alone."""
    found = []
    for file in library_files(library):
        name = file.relative_to(library.parent)
        for header in quoted(file):
            inside = (file.parent / header).is_file() and library in (file.parent / header).resolve().parents
            other = None if inside else resolve(header, file, root)
            if file.name == "tofu_rdma.h":
                found.append(f"{name} includes {header}: other codes must be able to include it alone")
            elif not inside and not other:
                found.append(f"{name} includes {header}: the library must not know LAMMPS")
            elif other and not (root in other.parents and layer_of(other, root) == "transport"):
                found.append(f"{name} includes {header}: of TOFU the library may know transport only")
    return found


def library_files(library):
    """C and C++ files of the library."""
    return sorted(file for ending in ("*.h", "*.c", "*.cpp") for file in library.rglob(ending))


def layer_of(file, root):
    """Folder of a file; styles lie in none."""
    parts = file.relative_to(root).parts
    return parts[0] if len(parts) > 1 else ""


def without_comments(file):
    """The code of a file."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)


def quoted(file):
    """What a file includes with quotes."""
    return re.findall(r'^\s*#\s*include\s*"([^"]+)"', without_comments(file), re.MULTILINE)


def resolve(header, file, root):
    """The TOFU file behind an include, or None."""
    return next((path.resolve() for path in (file.parent / header, root / header) if path.is_file()), None)


def own_includes(file, root):
    """TOFU files that a file includes."""
    return [path for path in (resolve(header, file, root) for header in quoted(file)) if path]


def lammps_includes(file, root):
    """LAMMPS headers that a file includes."""
    return [header for header in quoted(file) if not resolve(header, file, root)]


def vendor_includes(file, root, way="", seen=None):
    """Vendor headers that a file includes, and through which TOFU headers."""
    seen = seen if seen is not None else set()
    for header in re.findall(r"^\s*#\s*include\s*(<[^>]+>)", without_comments(file), re.MULTILINE):
        if VENDOR.match(header):
            yield header, way or "directly"
    for other in own_includes(file, root):
        if other not in seen:
            seen.add(other)
            yield from vendor_includes(other, root, f"{way or 'through'} {other.relative_to(root)}", seen)


GOOD = {"pair_x.h": '#include "pair.h"\n', "pair_x.cpp": '#include "pair_x.h"\n#include "atom.h"\n#include "halo/plan.h"\n#include "balance/ring.h"\n#include <mpi.h>\n',
        "halo/plan.h": '#include "transport/put.h"\n// MPI_Send is not called here\n', "transport/put.h": "#include <cstddef>\n",
        "transport/put.cpp": '#include "put.h"\n#include <mpi.h>\n', "pool/run.h": "#include <thread>\n", "balance/ring.h": "#include <vector>\n",
        "kernels/loop.cpp": '#include "kernels/loop.h"\n#include "pool/run.h"\n#include <hwy/highway.h>\n', "kernels/loop.h": "",
        "threadpool/pair_y.h": '#include "pair.h"\n#include "pair_x.h"\n#include "kernels/loop.h"\n'}
BAD = [("transport/put.h", '#include "atom.h"\n'), ("transport/put.h", '#include "halo/plan.h"\n'),
       ("halo/plan.h", '#include "comm.h"\n'), ("halo/plan.h", '#include "../pair_x.h"\n'),
       ("halo/plan.h", "int n = MPI_Barrier(world);\n"), ("halo/plan.h", "#include <mpi.h>\n"),
       ("pair_x.h", '#include "pair.h"\n#include "atom.h"\n'), ("pair_x.h", "#include <immintrin.h>\n"),
       ("pair_x.h", '#include "transport/raw.h"\n'), ("pool/run.h", '#include "transport/put.h"\n'), ("pool/run.h", '#include "comm.h"\n'),
       ("balance/ring.h", '#include "comm.h"\n'), ("balance/ring.h", '#include "halo/plan.h"\n'), ("balance/ring.h", "#include <mpi.h>\n"),
       ("kernels/loop.h", '#include "atom.h"\n'), ("kernels/loop.h", '#include "halo/plan.h"\n'), ("kernels/loop.h", "#include <mpi.h>\n"),
       ("threadpool/pair_y.h", '#include "pair.h"\n#include "halo/plan.h"\n'), ("threadpool/pair_y.h", "#include <hwy/highway.h>\n"),
       ("kernels/loop.cpp", '#include "../threadpool/pair_y.h"\n')]


GOOD_LIBRARY = {"tofu_rdma.h": "#include <mpi.h>\n", "tofu_rdma.cpp": '#include "tofu_rdma.h"\n#include "table.h"\n#include "transport/put.h"\n',
                "table.h": '#include "transport/put.h"\n', "examples/use.c": "#include <tofu_rdma.h>\n"}
BAD_LIBRARY = [("tofu_rdma.cpp", '#include "halo/plan.h"\n'), ("tofu_rdma.cpp", '#include "pair_x.h"\n'), ("table.h", '#include "atom.h"\n'),
               ("tofu_rdma.h", '#include "transport/put.h"\n'), ("tofu_rdma.h", '#include "table.h"\n'),
               ("examples/use.c", '#include "../../../src/TOFU/halo/plan.h"\n')]


def self_test():
    """Every rule must reject a tree that breaks it, and accept one that does not."""
    cases = [(None, None), *(({**GOOD, name: text}, None) for name, text in BAD), *((None, {**GOOD_LIBRARY, name: text}) for name, text in BAD_LIBRARY)]
    for broken, broken_library in cases:
        with tempfile.TemporaryDirectory() as folder:
            root, library = Path(folder).resolve() / "src" / "TOFU", Path(folder).resolve() / "lib" / "tofu_rdma"
            write_tree(root, {"transport/raw.h": "#include <rdma/fabric.h>\n", **(broken or GOOD)})
            write_tree(library, broken_library or GOOD_LIBRARY)
            found = check(root) + check_library(library, root)
            if bool(found) != bool(broken or broken_library):
                sys.exit(f"layer check is broken: {broken or broken_library or 'the good tree'} gave {found}")
    print(f"layer check: rejects all of {len(cases) - 1} violations")


def write_tree(root, files):
    """Files with their content."""
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        violations = check(TOFU) + check_library(LIBRARY, TOFU)
        if violations:
            sys.exit("\n".join(violations))
        count = len([*TOFU.rglob("*.h"), *TOFU.rglob("*.cpp"), *library_files(LIBRARY)])
        print(f"layer check: {count} files, arrows point down only")
