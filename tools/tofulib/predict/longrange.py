# SPDX-License-Identifier: GPL-2.0-only
"""The long-range part of a step: when each rank is done, from when each rank began.

A round of messages is max-plus: a rank goes on when the last of those that it gets points from has sent them. A rank
packs and sends its messages one after the other, then reads those of its peers; those that have come meanwhile cost
their reading only. What is on the same node is counted for some ranks, and the mean is taken for all.
"""

from typing import NamedTuple

import numpy as np

from . import mesh as meshes
from . import transforms
from .workload import OURS, STOCK

#: Number of ranks whose partners are counted one by one.
SAMPLED = 16
#: Bytes of an atom's position, for which machines have the time to pack.
VECTOR = 24.0
#: Time of a product and a sum of a partial transform [us], measured: 1 rank of a virtual AMD EPYC (Zen 4).
PRODUCT = 9.2e-5


class Times(NamedTuple):
    """What a round costs each rank."""

    send: np.ndarray     #: processor time [us]
    wire: np.ndarray     #: time of its interface [us]
    read: np.ndarray     #: processor time of all that it gets [us]
    one: np.ndarray      #: of the last message of that
    latency: float
    move: object


class LongRange:
    """The long-range part of a workload in one way.

    Args:
        load: A Workload with a mesh.
        network: A Network.
        side: STOCK or OURS.
        atoms: [ranks].
        threads: That share the work on atoms.
        name: Transform: "pppm", "pencil", "partial" or "replicated".
        splits: Walls of sub-boxes as in halo.Geometry.
    """

    def __init__(self, load, network, side, atoms, threads, name, splits=()):
        self.network, self.machine, self.name = network, network.machine, name
        self.alone = {}    # time of each transform that was compared, when all ranks begin together [us]
        self.mesh = meshes.Mesh(tuple(load.mesh["points"]), load.mesh["order"], load.mesh["reach"],
                                load.mesh["fields"], tuple(map(tuple, splits)))
        self.grid, box = network.grid, load.box
        self.mpi = name == "pppm"
        make = {"pencil": transforms.pencil, "partial": transforms.partial, "replicated": transforms.replicated}
        self.transform = (transforms.pppm(self.mesh, self.grid) if self.mpi
                          else make[name](self.mesh, self.grid, box))
        self.swaps = meshes.swaps(self.mesh, self.grid, box) if self.mpi else []
        per_work = load.kernel(side, "Kspace", "fft") if self.transform.unit == "fft" else PRODUCT
        share = 1.0 / threads if side == STOCK else 1.0    # pppm/offload has one thread
        on_atoms = load.kernel(side, "Kspace", "constant") + load.kernel(side, "Kspace", "atom") * atoms * share
        self.on_atoms, self.on_mesh = on_atoms, per_work * self.transform.work
        self.forward = [self.times(one) for one in self.transform.forward]
        self.backward = [self.times(one) for one in self.transform.backward]

    @property
    def computing(self):
        """Processor time without messages [ranks]."""
        return self.on_atoms + self.on_mesh

    def costs(self):
        """Packing and unpacking of a byte [us]."""
        return tuple(self.machine[name] / VECTOR for name in (("mpi.pack", "mpi.pack") if self.mpi else
                                                              ("memory.pack", "memory.unpack")))

    def times(self, one):
        """Costs of a round."""
        move, nbytes = one.move, one.nbytes
        pack, unpack = self.costs()
        on_node, far = self.places(move)
        put, get = self.network.processor_times(on_node, self.mpi)
        (sent, sent_points), (got, got_points) = move.sent, move.received
        length = nbytes * sent_points * 1e-3    # kB; by GB/s this is us
        send = sent * put + nbytes * sent_points * pack + on_node * length / self.machine["shm.bandwidth"]
        read = got * get + nbytes * got_points * unpack
        return Times(send, (1.0 - on_node) * length / self.network.bandwidth, read, read / np.maximum(got, 1),
                     on_node * self.machine["shm.latency"] + (1.0 - on_node) * far, move)

    def places(self, move):
        """The part of messages that stay within a node, and the mean latency of the others."""
        network, inside, total, far = self.network, 0, 0, []
        for rank in range(0, network.ranks, -(-network.ranks // SAMPLED)):
            partners = np.flatnonzero(move.partners(rank)[0])
            if len(partners):
                apart = network.apart(rank, partners)
                inside, total = inside + int((apart == 0).sum()), total + len(partners)
                far.append(apart[apart > 0])
        apart = np.concatenate(far) if far else np.zeros(0)
        latency = self.machine["network.latency"] + self.machine["network.hop"] * (
            float(np.mean(network.hops(apart))) if len(apart) else 0.0)
        return inside / total if total else 1.0, latency

    def round(self, now, times):
        """When each rank has all of a round."""
        sent = now + times.send
        if not times.move.received[0].any():
            return sent
        last = times.move.last(np.maximum(sent, now + times.wire)) + times.latency
        return np.where(times.move.received[0] > 0, np.maximum(sent + times.read, last + times.one), sent)

    def swap(self, now, swap, fields, back=False):
        """When each rank has the planes of a neighbor."""
        parts = self.grid[swap.dim]
        place = meshes.places(self.grid)[swap.dim]
        pack, unpack = self.costs()
        step = -swap.step if back else swap.step
        planes = swap.planes[(place - swap.step) % parts] if back else swap.planes[place]
        nbytes = 8.0 * fields * planes * swap.area
        if parts == 1:
            return now
        shift = tuple(step if dim == swap.dim else 0 for dim in range(3))
        ways = self.network.ways(shift)
        put, get = self.network.processor_times(ways.on_node, self.mpi)
        wire = nbytes * 1e-3 / np.where(ways.on_node, self.machine["shm.bandwidth"], self.network.bandwidth)
        sent = now + np.where(planes > 0, put, 0.0) + nbytes * pack
        arrived = (sent + wire + ways.latency)[ways.sender]
        got = nbytes[ways.sender]
        return np.where(got > 0, np.maximum(sent, arrived) + get[ways.sender] + got * unpack, sent)

    def __call__(self, start):
        """When each rank is done [us].

        Args:
            start: [ranks] when each begins [us].
        """
        now = start + self.on_atoms / 2.0
        for swap in self.swaps[::-1]:
            now = self.swap(now, swap, 1, back=True)
        share = self.on_mesh / (1 + self.mesh.fields)
        now = now + share
        for times in self.forward:
            now = self.round(now, times)
        now = now + share * self.mesh.fields
        for times in self.backward:
            now = self.round(now, times)
        for swap in self.swaps:
            now = self.swap(now, swap, self.mesh.fields)
        return now + self.on_atoms / 2.0

    @property
    def messages(self):
        """Messages of the rank with the most, in a step."""
        found = sum(one.move.sent[0] for one in self.transform.forward + self.transform.backward)
        swaps = sum(2 * int(swap.planes.any()) for swap in self.swaps if self.grid[swap.dim] > 1)
        return int(np.max(found)) + swaps


def best(load, network, atoms, splits=()):
    """pppm/offload with the transform that takes the least time when all ranks begin together."""
    if not load.mesh.get("offload", True):
        return LongRange(load, network, OURS, atoms, 1, "pppm", splits)
    mesh = load.mesh["points"]
    names = ["pencil", *(["partial"] if network.ranks > 1 else [])]
    if network.ranks <= transforms.MOST_REPLICAS and int(np.prod(mesh)) <= transforms.MOST_REPLICATED_POINTS:
        names.append("replicated")
    found = [LongRange(load, network, OURS, atoms, 1, name, splits) for name in names]
    start = np.zeros(network.ranks)
    alone = {one.name: float(one(start).max()) for one in found}
    best_one = min(found, key=lambda one: alone[one.name])
    best_one.alone = alone
    return best_one
