# SPDX-License-Identifier: GPL-2.0-only
"""Ways to use a number of cores: accelerator package or suffix, ranks, threads, ghost exchange."""

import itertools
from typing import NamedTuple

STOCK, OURS = "stock", "TOFU"
#: Suffixes of LAMMPS whose styles have threads; kk has them if KOKKOS was built with OpenMP.
THREADED = ("omp", "intel")
#: Suffixes of LAMMPS in the order in which they are likely to be fast.
LIKELY = ("intel", "omp", "opt", "", "kk")
#: Most threads of a rank that are tried.
MOST_THREADS = 16
P2P = ("p2p/rdma",)
#: Words of package threadpool that share the work of uneven ranks.
RING = ("balance", "ring", "10", "1.05")


class Configuration(NamedTuple):
    """One way to use the cores."""

    suffix: str            #: "" for none
    ranks: int
    threads: int           #: of each rank
    comm: tuple = ()       #: words of the ghost exchange; empty for LAMMPS' own
    precision: str = "double"
    words: tuple = ()      #: more words of package threadpool

    @property
    def side(self):
        """Whether something of TOFU is in use."""
        return OURS if self.suffix == "threadpool" or self.comm else STOCK

    @property
    def name(self):
        """Name in tables, such as "threadpool 2x4 p2p/rdma"."""
        words = [self.suffix or "none", f"{self.ranks}x{self.threads}", *self.words, *self.comm]
        return " ".join(words + ([self.precision] if self.precision != "double" else []))

    @property
    def arguments(self):
        """Command-line arguments of LAMMPS; the input stays as it is."""
        comm = ["comm", *self.comm] if self.comm else []
        if self.suffix == "threadpool":
            return ["-sf", "threadpool", "-pk", "threadpool", *self.package, *(comm or ["comm", "brick"])]
        if self.suffix == "kk":
            return ["-k", "on", "t", str(self.threads), "-sf", "kk"]
        package = {"omp": ["-pk", "omp", str(self.threads)],
                   "intel": ["-pk", "intel", "0", "omp", str(self.threads), "mode", self.precision]}
        suffix = ["-sf", self.suffix, *package.get(self.suffix, [])] if self.suffix else []
        return [*suffix, *(["-pk", "tofu", *comm] if comm else [])]

    @property
    def package(self):
        """Words of package threadpool, without the ghost exchange."""
        return [str(self.threads), *(("precision", self.precision) if self.precision != "double" else ()), *self.words]

    @property
    def lines(self):
        """Lines in front of the input, for TOFU as a plug-in: it has no switches on the command line."""
        if self.suffix == "threadpool":
            comm = " ".join(self.comm or ("brick",))
            return [f"package/threadpool {' '.join(self.package)} comm {comm}", "suffix threadpool"]
        return [f"comm_style/{' '.join(self.comm)}"] if self.comm else []


def splits(cores, most_threads=MOST_THREADS):
    """Ranks and threads of all ways to deal cores evenly, most ranks first."""
    return [(cores // threads, threads) for threads in range(1, min(cores, most_threads) + 1) if cores % threads == 0]


def ways(cores, most_threads=MOST_THREADS):
    """Ranks and threads that are tried on both sides: all splits of the cores, and one core alone."""
    return list(dict.fromkeys([*splits(cores, min(most_threads, MOST_THREADS)), (1, 1)]))


def stock(cores, suffixes, most_threads=MOST_THREADS, threaded=THREADED):
    """Configurations of LAMMPS as it is, in double precision, the reference first and then the likely winners.

    Args:
        cores: Number of cores.
        suffixes: Suffixes of the packages that the program has.
        most_threads: Cores of a node.
        threaded: Those of the suffixes whose styles have threads.
    """
    known = [suffix for suffix in LIKELY if suffix in suffixes or not suffix]
    found = [Configuration(suffix, ranks, threads) for ranks, threads in ways(cores, most_threads)
             for suffix in known if threads == 1 or suffix in threaded]
    reference = Configuration("", cores, 1)
    return [reference, *(one for one in found if one != reference)]


def ours(cores, most_threads=MOST_THREADS):
    """Configurations with suffix and p2p/rdma."""
    return [Configuration("threadpool", ranks, threads, P2P) for ranks, threads in ways(cores, most_threads)]


def candidates(cores, suffixes, most_threads=MOST_THREADS, threaded=THREADED, mixed=False):
    """All configurations that tune tries, sides in turn, so that both have had their likely winners whenever the time
    is up."""
    found = []
    for one in ours(cores, most_threads):
        found += [one, one._replace(comm=())]
        if one.ranks > 1:
            found.append(one._replace(comm=(*P2P, "shell", "full")))
        found += [one._replace(precision="mixed")] if mixed else []
    found.sort(key=lambda one: (one.ranks * one.threads < cores, one.comm != P2P))    # keeps the order of equals
    found += [Configuration(suffix, cores, 1, P2P) for suffix in ("", *(name for name in suffixes if name != "kk"))]
    pairs = itertools.zip_longest(stock(cores, suffixes, most_threads, threaded), found)
    return [one for pair in pairs for one in pair if one]


def refinements(best, cores, kspace, threaded=THREADED):
    """Configurations like the best one of a side, with further choices.

    Args:
        best: A Configuration.
        cores: Number of cores.
        kspace: Whether the input has a long-range part that the suffix computes.
        threaded: Suffixes whose styles have threads.
    """
    fewer = []
    if kspace:    # a core of each rank for the long-range part, and stock is tried with as many
        ranks = [one for one, threads in splits(cores) if threads > 1][:2]
        fewer = [best._replace(ranks=one, threads=cores // one - 1) for one in ranks]
    if best.suffix != "threadpool":
        return [one for one in fewer if one.threads == 1 or best.suffix in threaded] if best.side == STOCK else []
    found = [best._replace(words=RING)] if best.ranks > 1 and best.comm else []
    if not kspace:
        return found
    found.append(best._replace(words=("overlap", "no")))
    found += [best._replace(words=("fft", fft)) for fft in ("partial", "replicated" if best.ranks > 1 else "pencil")]
    return found + fewer
