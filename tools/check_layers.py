#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Check that includes go down only, from room to room of src/TOFU, as the table in its README says, and within a room;
and that no type has two definitions.

  base/, transport/, halo/, pool/, balance/, placement/, kernels/, mesh/, model/
              engines: no LAMMPS headers, and of each other what ROOMS allows; only transport/ makes MPI calls
  lammps/     knowledge of LAMMPS' insides that the styles need
  threadpool/, styles/, deep/, p2p/, ring/, offload/, commands/, plugin/
              LAMMPS classes; their headers include no vendor header, not even through another TOFU header, and of
              LAMMPS one base class at most
  lib/tofu_rdma
              includes its own headers and those of transport/ and base/; tofu_rdma.h, which other codes include,
              includes none of them

A unit is a header and its source: x.h, x.cpp, x-inl.h and x-impl.h. Units that include each other in a circle are
refused, in one room as well. A quoted include that is no file of src/TOFU counts as a LAMMPS header. With --self-test
the program checks that its rules can fail.
"""

import re
import sys
import tempfile
from pathlib import Path

TOFU = Path(__file__).resolve().parents[1] / "src" / "TOFU"
LIBRARY = TOFU.parents[1] / "lib" / "tofu_rdma"
VENDOR = re.compile(
    r"<(mpi\.h|rdma/.*|utofu\.h|immintrin\.h|x86intrin\.h|arm_neon\.h|arm_sve\.h|omp\.h|fftw3\.h|hwy/.*)>")
#: A type at the left margin; neither a member of another type nor a specialization.
DEFINITION = re.compile(
    r"^(?:enum class|enum|struct|class)\s+(?:alignas\([^)]*\)\s+)?(\w+)(?=\s*(?:final\s*)?(?::[^:]|\{))", re.MULTILINE)
#: A line of the table of rooms in the README of src/TOFU: room, content, rooms that it may use.
LINE = re.compile(r"^\| `([a-z0-9_/]+)/` \| .* \| ([a-z0-9_/, ]+) \|$", re.MULTILINE)


def read_rooms(table):
    """Room -> rooms that its files may include, beside their own; a room stands for the rooms inside it."""
    return {room: () if others == "none" else tuple(others.split(", ")) for room, others in LINE.findall(table)}


ROOMS = read_rooms((TOFU / "README.md").read_text(encoding="utf-8"))
#: Rooms without LAMMPS headers.
ENGINES = ("base", "transport", "halo", "pool", "balance", "placement", "kernels", "mesh", "model")
STYLES = ("threadpool", "styles", "deep", "p2p", "ring", "offload", "commands")


def check(root):
    """All violations below a source folder, as lines of text."""
    found = []
    for file in source_files(root):
        name, room, code = file.relative_to(root), room_of(file, root), without_comments(file)
        if room not in ROOMS:
            found.append(f"{name} is in no known room")
            continue
        theirs = lammps_includes(file, root)
        found += [f"{name} includes {other.relative_to(root)}: {room} must not know "
                  f"{room_of(other, root) or 'what is in no room'}"
                  for other in own_includes(file, root) if not may_use(room, room_of(other, root))]
        room = room.split("/")[0]
        if room in ENGINES:
            found += [f"{name} includes {header}: {room} must not know LAMMPS" for header in theirs]
        if room in ENGINES and room != "transport":
            found += [f"{name} uses {call}: {room} leaves communication to transport"
                      for call in re.findall(r"\bMPI_\w+|<mpi\.h>", code)]
        if room in STYLES and file.suffix == ".h":
            found += [f"{name} includes {vendor} {way}: a style header must not"
                      for vendor, way in vendor_includes(file, root)]
            if len(theirs) > 1:
                found.append(f"{name} includes {', '.join(theirs)}: a style header includes its base class only")
    found += [f"{' and '.join(circle)} include each other" for circle in circles(arrows_between_units(root))]
    return found + [f"{' and '.join(places)} define {name}: one definition rule"
                    for name, places in sorted(types_of(root).items()) if len(places) > 1]


def types_of(root):
    """Types that headers define, outside of other types -> the headers."""
    found = {}
    for file in sorted(root.rglob("*.h")):
        for name in DEFINITION.findall(without_comments(file)):
            found.setdefault(name, []).append(str(file.relative_to(root)))
    return found


def source_files(root):
    """C++ files of the package, and tables of styles, of which headers are made."""
    return sorted([*root.rglob("*.h"), *root.rglob("*.cpp"), *root.rglob("*.table")])


def unit_of(file, root):
    """The unit that a file belongs to: room/x of room/x.h, x.cpp, x-inl.h, x-impl.h."""
    return str(file.relative_to(root).with_name(file.stem.split("-")[0]))


def arrows_between_units(root):
    """Unit -> units that its files include."""
    arrows = {}
    for file in source_files(root):
        unit = unit_of(file, root)
        arrows.setdefault(unit, set()).update(unit_of(other, root) for other in own_includes(file, root))
        arrows[unit].discard(unit)
    return arrows


def circles(arrows):
    """Sets of units that reach each other. Units that include none of the rest, or that none of the rest includes, are
    taken away until no such unit is left; the remaining units are the result."""
    left = {unit: set(others) for unit, others in arrows.items()}
    while True:
        included = set().union(*left.values()) if left else set()
        done = {unit for unit, others in left.items() if not others or unit not in included}
        if not done:
            break
        left = {unit: others - done for unit, others in left.items() if unit not in done}
    return [sorted(left)] if left else []


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
            elif other and not (root in other.parents and room_of(other, root) in ("transport", "base")):
                found.append(f"{name} includes {header}: of TOFU the library may know transport and base only")
    return found


def library_files(library):
    """C and C++ files of the library."""
    return sorted(file for ending in ("*.h", "*.c", "*.cpp") for file in library.rglob(ending))


def may_use(room, other):
    """Whether files of a room may include those of another one: a room allows the rooms inside it."""
    return other == room or any(other == allowed or other.startswith(f"{allowed}/") for allowed in ROOMS[room])


def room_of(file, root):
    """The innermost room that a file is in; its first folder if that is no room."""
    parts = file.relative_to(root).parts[:-1]
    rooms = ["/".join(parts[:depth]) for depth in range(len(parts), 0, -1)]
    return next((room for room in rooms if room in ROOMS), rooms[-1] if rooms else "")


def without_comments(file):
    """The code of a file."""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read_text(encoding="utf-8"), flags=re.DOTALL)


def quoted(file):
    """Names that a file includes with quotes."""
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
    """Vendor headers that a file includes, directly or through TOFU headers, with the way to each."""
    seen = seen if seen is not None else set()
    for header in re.findall(r"^\s*#\s*include\s*(<[^>]+>)", without_comments(file), re.MULTILINE):
        if VENDOR.match(header):
            yield header, way or "directly"
    for other in own_includes(file, root):
        if other not in seen:
            seen.add(other)
            yield from vendor_includes(other, root, f"{way or 'through'} {other.relative_to(root)}", seen)


GOOD = {"p2p/comm_x.h": '#include "comm.h"\n#include "lammps/list.h"\n',
        "p2p/comm_x.cpp": '#include "comm_x.h"\n#include "comm_x-impl.h"\n#include "atom.h"\n#include <mpi.h>\n',
        "p2p/comm_x-impl.h": '#include "comm_x.h"\n#include "halo/plan.h"\n',
        "lammps/list.h": '#include "neighbor.h"\n',
        "ring/fix_z.h": "", "ring/fix_z.cpp": '#include "p2p/comm_x.h"\n#include "balance/ring.h"\n',
        "halo/plan.h": '#include "transport/put.h"\n// MPI_Send is not called here\n',
        "transport/put.h": "#include <cstddef>\n",
        "transport/put.cpp": '#include "put.h"\n#include <mpi.h>\n', "pool/run.h": "#include <thread>\n",
        "balance/ring.h": "#include <vector>\n",
        "base/relax.h": "",
        "kernels/pair/loop.cpp": '#include "kernels/pair/loop.h"\n#include "kernels/simd/lanes.h"\n'
                                 '#include "base/relax.h"\n#include <hwy/highway.h>\n',
        "kernels/pair/loop.h": "", "kernels/simd/lanes.h": "",
        "threadpool/pair/on_pool.h": '#include "pointers.h"\n#include "kernels/pair/loop.h"\n',
        "threadpool/package/fix.h": "",
        "styles/core/pair_y.h": '#include "pair.h"\n#include "threadpool/pair/on_pool.h"\n',
        "styles/core/pair.table":
            '#include "threadpool/pair/on_pool.h"\n\npair z: Style<PairZ>\n  #include "force.h"\n'}
BAD = [("transport/put.h", '#include "atom.h"\n'), ("transport/put.h", '#include "halo/plan.h"\n'),
       ("halo/plan.h", '#include "comm.h"\n'), ("halo/plan.h", '#include "../p2p/comm_x.h"\n'),
       ("halo/plan.h", "int n = MPI_Barrier(world);\n"), ("halo/plan.h", "#include <mpi.h>\n"),
       ("p2p/comm_x.h", '#include "comm.h"\n#include "atom.h"\n'), ("p2p/comm_x.h", "#include <immintrin.h>\n"),
       ("p2p/comm_x.h", '#include "transport/raw.h"\n'), ("pool/run.h", '#include "transport/put.h"\n'),
       ("pool/run.h", '#include "comm.h"\n'),
       ("balance/ring.h", '#include "comm.h"\n'), ("balance/ring.h", '#include "halo/plan.h"\n'),
       ("balance/ring.h", "#include <mpi.h>\n"),
       ("kernels/pair/loop.h", '#include "atom.h"\n'), ("kernels/pair/loop.h", '#include "halo/plan.h"\n'),
       ("kernels/pair/loop.h", "#include <mpi.h>\n"),
       ("styles/core/pair_y.h", '#include "pair.h"\n#include "halo/plan.h"\n'),
       ("styles/core/pair_y.h", "#include <hwy/highway.h>\n"),
       ("styles/core/pair.table", '#include "halo/plan.h"\n\npair z: Style<PairZ>\n'),
       ("styles/core/pair.table", 'pair z: Style<PairZ>\n  #include "halo/plan.h"\n'),
       ("kernels/pair/loop.cpp", '#include "../../styles/core/pair_y.h"\n'), ("pair_flat.h", '#include "pair.h"\n'),
       ("attic/old.h", ""),
       # upwards among rooms inside a room, and into a room that is not in the table
       ("kernels/simd/lanes.h", '#include "kernels/pair/loop.h"\n'), ("kernels/else/new.h", ""),
       ("threadpool/pair/on_pool.h", '#include "threadpool/package/fix.h"\n'),
       # upwards among styles
       ("threadpool/pair/on_pool.h", '#include "p2p/comm_x.h"\n'),
       ("threadpool/pair/on_pool.h", '#include "styles/core/pair_y.h"\n'),
       ("p2p/comm_x.cpp", '#include "ring/fix_z.h"\n'), ("lammps/list.h", '#include "threadpool/pair/on_pool.h"\n'),
       ("base/relax.h", '#include "pool/run.h"\n'),
       # two types of one name
       ("base/relax.h", "struct A {\n};\nenum class A { B };\n")]
#: Circles: of two headers, of a header and a source, of three units.
ROUND = [{"halo/plan.h": '#include "list.h"\n', "halo/list.h": '#include "plan.h"\n'},
         {"halo/plan.cpp": '#include "list.h"\n', "halo/list.h": '#include "plan.h"\n'},
         {"halo/plan.h": '#include "list.h"\n', "halo/list.cpp": '#include "third.h"\n',
          "halo/third-inl.h": '#include "plan.h"\n', "halo/list.h": "",
          "halo/third.h": ""}]


GOOD_LIBRARY = {"tofu_rdma.h": "#include <mpi.h>\n",
                "tofu_rdma.cpp": '#include "tofu_rdma.h"\n#include "table.h"\n#include "transport/put.h"\n',
                "table.h": '#include "transport/put.h"\n#include "base/relax.h"\n',
                "examples/use.c": "#include <tofu_rdma.h>\n"}
BAD_LIBRARY = [("tofu_rdma.cpp", '#include "halo/plan.h"\n'), ("tofu_rdma.cpp", '#include "p2p/comm_x.h"\n'),
               ("table.h", '#include "atom.h"\n'),
               ("tofu_rdma.h", '#include "transport/put.h"\n'), ("tofu_rdma.h", '#include "table.h"\n'),
               ("examples/use.c", '#include "../../../src/TOFU/halo/plan.h"\n')]


def self_test():
    """Every rule must reject a tree that breaks it, and accept one that does not."""
    cases = [(None, None), *(({**GOOD, name: text}, None) for name, text in BAD),
             *(({**GOOD, **files}, None) for files in ROUND),
             *((None, {**GOOD_LIBRARY, name: text}) for name, text in BAD_LIBRARY)]
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
        count = len([*source_files(TOFU), *library_files(LIBRARY)])
        print(f"layer check: {count} files, arrows point down only, no circles")
