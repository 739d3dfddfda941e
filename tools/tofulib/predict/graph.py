# SPDX-License-Identifier: GPL-2.0-only
"""One exchange of ghosts where each rank has messages of its own, as in a tiled layout: when each rank is done.

The costs are those of exchange.py. Messages are dealt to threads, the costliest first, and a thread takes them in the
order of the peers' numbers.
"""

from typing import NamedTuple

import numpy as np

from .exchange import FORWARD, REVERSE


def in_order(ranks, keys, count):
    """Messages of each rank, the one with the least key first: [most, ranks] numbers of messages, -1 for none.

    Args:
        ranks: [messages] whose messages they are.
        keys: [messages] that say which is first.
        count: Number of ranks.
    """
    order = np.lexsort((keys, ranks))
    number = np.bincount(ranks, minlength=count)
    first = np.concatenate([[0], np.cumsum(number)[:-1]])
    found = np.full((int(number.max(initial=0)), count), -1)
    found[np.arange(len(ranks)) - first[ranks[order]], ranks[order]] = order
    return found


def ends(ranks, peers, costs, count, threads):
    """Messages of each thread of each rank in the order of the peers' numbers: [threads] of [most, ranks].

    Args:
        ranks: [messages] whose messages they are.
        peers: [messages] the other ends.
        costs: [messages] by which they are dealt.
        count: Number of ranks.
        threads: Of each rank.
    """
    hand = np.zeros(len(ranks), int)
    if threads > 1:
        load, every = np.zeros((count, threads)), np.arange(count)
        for message in in_order(ranks, -costs, count):
            free = load.argmin(axis=1)
            there = message >= 0
            hand[message[there]] = free[there]
            load[every[there], free[there]] += costs[message[there]]
    found = []
    for thread in range(threads):
        mine = np.flatnonzero(hand == thread)
        of_mine = in_order(ranks[mine], peers[mine], count)
        found.append(np.where(of_mine < 0, -1, mine[of_mine]) if len(mine) else of_mine)
    return found


class Stage(NamedTuple):
    """What is known before a stage begins."""

    sending: list           #: [threads] of [ranks] processor time of all that a thread sends [us]
    sender: np.ndarray      #: [messages] rank that sends
    arrival: np.ndarray     #: [messages] after the begin of the sender [us]
    reading: np.ndarray     #: [messages] processor time of the reader [us]
    inbox: list             #: [threads] of [most, ranks] messages to read
    fork: float
    after: np.ndarray       #: [ranks] what the first thread does when all are done [us]


class GraphExchange:
    """Times of stages of messages for given atoms.

    Args:
        network: A Network.
        stages: Of tiles.Graph.
        atoms: [ranks] of each rank.
        nbytes: Per atom.
        threads: That send and receive.
        mpi: Messages are sent by MPI.
        direction: FORWARD or REVERSE.
        fork: Of these threads [us].
        repeat: Messages that go one after the other for each message (counts before contents).
    """

    def __init__(self, network, stages, atoms, nbytes, threads=1, mpi=False, direction=FORWARD, fork=0.0, repeat=1):
        self.network, self.machine, self.atoms, self.nbytes = network, network.machine, atoms, nbytes
        self.threads, self.mpi, self.direction, self.fork, self.repeat = threads, mpi, direction, fork, repeat
        self.any = any(len(stage.sender) for stage in stages)
        self.stages = [self.make_stage(stage) for stage in (stages if direction == FORWARD else stages[::-1])]

    def make_stage(self, stage):
        """Prepare what does not depend on when ranks begin."""
        machine, count = self.machine, self.network.ranks
        pack, unpack = (machine["mpi.pack"],) * 2 if self.mpi else (machine["memory.pack"], machine["memory.unpack"])
        sender, receiver = stage.sender, stage.receiver
        atoms = stage.share * self.atoms[sender]
        if self.direction == REVERSE:
            sender, receiver = receiver, sender
        on_node, latency = self.ways(sender, receiver)
        put, get = self.network.processor_times(on_node, self.mpi)
        length = self.nbytes * atoms * 1e-3    # kB; by GB/s this is us
        work = put + pack * atoms + on_node * length / machine["shm.bandwidth"]
        wire = ~on_node * length / self.network.bandwidth
        arrival, sending = np.zeros(len(sender)), [np.zeros(count) for _ in range(self.threads)]
        for clock, outbox in zip(sending, ends(sender, receiver, atoms, count, self.threads)):
            free = np.zeros(count)
            for message in outbox:
                busy = np.flatnonzero(message >= 0)
                message = message[busy]
                clock[busy] += work[message]
                free[busy] = np.maximum(clock[busy], free[busy]) + wire[message]
                arrival[message] = np.where(on_node[message], clock[busy], free[busy])
        arrival += latency + (self.repeat - 1) * (put + get + latency)
        reading, copies, after = get + unpack * atoms, stage.own * self.atoms, np.zeros(count)
        if self.direction == FORWARD:
            sending[0] += copies * pack
        else:
            after = copies * unpack
            if self.threads > 1:    # sums have an order: one thread makes them
                after = after + np.bincount(receiver, unpack * atoms, count)
                reading = get + 0.0 * atoms
        return Stage(sending, sender, arrival, reading, ends(receiver, sender, atoms, count, self.threads),
                     self.fork if self.threads > 1 else 0.0, after)

    def ways(self, sender, receiver):
        """Whether messages stay on a node, and their latencies."""
        apart = np.zeros(len(sender), np.int32)
        for dim in range(3):
            apart += self.network.node_place[dim][sender] != self.network.node_place[dim][receiver]
        apart = np.minimum(apart, 1)    # nodes of tiles have no grid
        far = self.machine["network.latency"] + self.machine["network.hop"] * self.network.hops(apart)
        return apart == 0, np.where(apart == 0, self.machine["shm.latency"], far)

    def __call__(self, start):
        """When each rank is done.

        Args:
            start: [ranks] when each begins [us].
        """
        now = start
        for stage in self.stages:
            begin = now + stage.fork
            arrived = begin[stage.sender] + stage.arrival
            clocks = [begin + sending for sending in stage.sending]
            for clock, inbox in zip(clocks, stage.inbox):
                for message in inbox:
                    busy = np.flatnonzero(message >= 0)
                    message = message[busy]
                    clock[busy] = np.maximum(clock[busy], arrived[message]) + stage.reading[message]
            now = np.max(clocks, axis=0) + stage.after
        return now + self.machine["waiting.unexplained"] if self.any else now
