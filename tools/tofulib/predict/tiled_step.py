# SPDX-License-Identifier: GPL-2.0-only
"""Time steps of all ranks in a tiled layout, of recursive bisection by atoms: stock LAMMPS by comm_style tiled, TOFU by
comm_style p2p_rdma layout tiled."""

import numpy as np

from . import halo, tiles
from .exchange import FORWARD, REVERSE, Network
from .graph import GraphExchange
from .step import BY_MPI, COUNTS_FIRST, VECTOR, Steps


class TiledSteps(Steps):
    """As Steps; positions are needed."""

    def lay_out(self, ranks, positions):
        """Sub-boxes, atoms and ghosts of all ranks, and their messages."""
        load, setting = self.load, self.setting
        self.grid = (1, 1, ranks)    # ranks of a node follow one another, and halves of them are boxes
        self.network = Network(self.machine, self.grid, None, setting.ranks)
        self.tiles = tiles.bisect(positions.fractions, ranks, load.box)
        self.atoms = np.bincount(tiles.count(self.tiles, positions.fractions), minlength=ranks).astype(float)
        about = (self.tiles, load.box, (load.cut,) * 3, load.periodic)
        self.stages = (tiles.staged(*about) if setting.comm in BY_MPI else tiles.direct(*about, setting.half))
        self.owners = self.stages if setting.comm in BY_MPI else tiles.direct(*about)
        shape = np.maximum(np.rint(np.array(load.box) / np.array(self.sides)), 1).astype(int)
        self.geometry = halo.Geometry(tuple(map(int, shape)), tuple(load.box), (load.cut,) * 3, periodic=load.periodic)
        self.ghosts = np.zeros(ranks)
        for stage in self.stages:
            self.ghosts += stage.own * self.atoms + np.bincount(stage.receiver, stage.share * self.atoms[stage.sender],
                                                                ranks)

    @property
    def name(self):
        """Of the setting, as tables have it."""
        return self.setting.name.replace("brick", "tiled")

    @property
    def messages(self):
        """Messages of the rank with the most in a forward, and the mean of the atoms in them."""
        ranks = len(self.atoms)
        count = sum(np.bincount(stage.sender, minlength=ranks) for stage in self.stages)
        sent = sum(float((stage.share * self.atoms[stage.sender]).sum()) for stage in self.stages)
        return int(np.max(count)), sent / ranks

    @property
    def sides(self):
        """Mean lengths of a sub-box [distance]."""
        return tuple((self.tiles.high - self.tiles.low).mean(axis=0) * np.array(self.load.box))

    def make_exchanges(self):
        """Prepare all kinds of exchange."""
        mpi, senders = self.setting.comm in BY_MPI, self.setting.senders

        def exchange(direction, nbytes, threads=senders, atoms=self.atoms, stages=self.stages, repeat=1):
            return GraphExchange(self.network, stages, atoms, nbytes, threads, mpi, direction,
                                 self.fork if threads > 1 else 0.0, repeat)

        twice = COUNTS_FIRST if mpi else 1
        found = {"forward": exchange(FORWARD, VECTOR), "reverse": exchange(REVERSE, VECTOR),
                 "borders": exchange(FORWARD, self.load.border_bytes, 1, repeat=twice),
                 "exchange": exchange(FORWARD, 0, 1, np.zeros(len(self.atoms)), self.owners, twice)}
        for name, (direction, nbytes) in self.exchanges_of_styles():
            found[name] = exchange(direction, nbytes)
        return found
