# SPDX-License-Identifier: GPL-2.0-only
"""The plans of src/TOFU/halo and src/TOFU/balance, by the library of plans.cpp, which is compiled at its first use and
again when a source has changed. Ranks of a grid are numbered along z first."""

import array
import concurrent.futures
import ctypes
import functools
import shutil
from pathlib import Path
from typing import NamedTuple

from .. import CHECKOUT, cache, shell

ROOMS = CHECKOUT / "src" / "TOFU"
SOURCES = (Path(__file__).with_suffix(".cpp"), *(ROOMS / f"{name}.cpp" for name in (
    "halo/halo_plan", "halo/rank_map", "halo/tiled_plan", "halo/tiles", "balance/rank_ring", "balance/ring_flow",
    "balance/ring_plan")))
#: Patterns of a HaloPlan: direct with the full and with the half shell, and staged.
FULL, HALF, STAGED = 0, 1, 2
#: C types of the elements of arrays.
INT, LONG, REAL = "i", "q", "d"


class Swap(NamedTuple):
    """A region that a rank sends, and its counterpart that it receives."""

    stage: int
    offset: tuple      #: from sender to receiver, in sub-boxes
    receiver: int      #: rank; -1: none
    sender: int        #: rank; -1: none
    volume: float      #: that is sent, in boxes


class Transfer(NamedTuple):
    """Work of one rank that another one does."""

    source: int
    target: int
    amount: int    #: units of work


def compiled():
    """The library, compiled at need.

    Returns:
        Its path.

    Raises:
        shell.Failure: There is no compiler.
    """
    folder = cache.folder("predict", "plans")
    library, stamp = folder / "libtofu_plans.so", folder / "stamp.json"
    wanted = {"sources": cache.fingerprint(cache.file_stamps(SOURCES[0], ROOMS / "halo", ROOMS / "balance"))}
    with cache.lock(folder):
        if not library.exists() or cache.read_json(stamp) != wanted:
            if not shutil.which("c++"):
                raise shell.Failure("predict compiles the plans of messages and needs a C++ compiler, c++, which is "
                                    "not in PATH; in Debian: apt-get install g++")
            shell.say("compiling the plans of messages (some seconds)")
            with concurrent.futures.ThreadPoolExecutor() as pool:
                objects = list(pool.map(lambda source: compiled_source(source, folder), SOURCES))
            new = library.with_suffix(".new")
            shell.capture(["c++", "-shared", "-o", new, *objects])
            new.replace(library)    # a process may have the old one open
            cache.write_json(stamp, wanted)
    return library


def compiled_source(source, folder):
    """The object file of a source."""
    target = folder / f"{source.stem}.o"
    shell.capture(["c++", "-std=c++17", "-O1", "-fPIC", "-I", ROOMS, "-c", "-o", target, source])
    return target


@functools.lru_cache(maxsize=1)
def loaded():
    """The library; compiled() says what is raised."""
    return ctypes.CDLL(str(compiled()))


def call(name, *arguments):
    """Call a function of the library.

    Args:
        name: Of the function, without the prefix.
        arguments: Whole numbers, and arrays, None for a null pointer.

    Returns:
        Its lists of integers and of reals.
    """
    library = loaded()
    getattr(library, f"tofu_plans_{name}")(*(
        ctypes.c_int(one) if isinstance(one, int) else one if one is None else ctypes.c_void_p(one.buffer_info()[0])
        for one in arguments))
    return fetched(library.tofu_plans_integers, LONG), fetched(library.tofu_plans_reals, REAL)


def fetched(function, kind):
    """An array with a copy of a list of the last call."""
    begin = ctypes.c_void_p()
    function.restype = ctypes.c_size_t
    count, found = function(ctypes.byref(begin)), array.array(kind)
    found.frombytes(ctypes.string_at(begin, count * found.itemsize) if count else b"")
    return found


def halo(grid, place, box, cut, periodic, splits, pattern):
    """The HaloPlan of one rank of a grid of sub-boxes.

    Args:
        grid: Ranks along each dimension.
        place: Of the rank.
        box: Lengths of the box.
        cut: How far ghosts are needed along each dimension.
        periodic: Whether each dimension is.
        splits: [3][ranks along the dimension + 1] walls as parts of the box; empty: equal sub-boxes.
        pattern: FULL, HALF or STAGED.

    Returns:
        A list of Swap, and the ranks that the rank is linked to.
    """
    walls = array.array(REAL, [wall for walls in splits for wall in walls]) if splits else None
    numbers, volumes = call("halo", array.array(INT, grid), array.array(INT, place), array.array(REAL, box),
                            array.array(REAL, cut), array.array(INT, periodic), walls, pattern)
    end = 1 + 6 * numbers[0]
    rows = zip(*[iter(numbers[1:end])] * 6)
    return [Swap(stage, tuple(offset), receiver, sender, volume)
            for (stage, *offset, receiver, sender), volume in zip(rows, volumes)], list(numbers[end:])


def tiles(fractions, box, cut, periodic, half):
    """What all ranks of a tiled layout send.

    Args:
        fractions: Lower and upper corner of the sub-box of each rank as parts of the box, flat.
        box: Lengths of the box.
        cut: How far ghosts are needed along each dimension.
        periodic: Whether each dimension is.
        half: Ghosts come from upper neighbors only.

    Returns:
        Flat arrays: five integers for each swap, its sender, its receiver and the shift of the receiver's image in box
        lengths; and the volume of each, in boxes.
    """
    return call("tiles", len(fractions) // 6, array.array(REAL, fractions), array.array(REAL, box),
                array.array(REAL, cut), array.array(INT, periodic), int(half))


def ring(grid, periodic):
    """The ring of fix ring_balance: its ranks in their order, and whether the last is linked to the first."""
    closed, *order = call("ring", array.array(INT, grid), array.array(INT, periodic))[0]
    return order, bool(closed)


def transfers(order, closed, work, nodes=None):
    """Transfers of fix ring_balance.

    Args:
        order: [ranks] of the ring.
        closed: Whether the last rank is linked to the first.
        work: [ranks] units of work, whole numbers.
        nodes: [ranks] node of each rank for level node; None: level rank.

    Returns:
        A list of Transfer, sorted.
    """
    numbers, _ = call("transfers", len(order), array.array(INT, order), int(closed), array.array(LONG, work),
                      None if nodes is None else array.array(INT, nodes))
    return [Transfer(*row) for row in zip(*[iter(numbers)] * 3)]
