# SPDX-License-Identifier: GPL-2.0-only
"""One exchange of ghosts: when each rank is done, from when each rank began.

The algebra is max-plus: a rank goes on when the last of its messages is there. Within a stage, a thread of a rank packs
and sends its messages one after the other, and then reads those of its peers in the same order. A message leaves when
its thread has packed it and its interface is free; it arrives a latency, the hops and its own length later. All of that
is known beforehand, relative to the begin of the stage, since interfaces are idle then; so a stage is a few operations
on arrays over ranks per message.
"""

from typing import NamedTuple

import numpy as np

from . import halo, shares

FORWARD, REVERSE = "forward", "reverse"


class Ways(NamedTuple):
    """Where messages with one shift go, for all ranks."""

    sender: np.ndarray     #: [ranks] rank from which a rank gets the message with this shift
    latency: np.ndarray    #: [ranks] of what a rank sends [us]
    on_node: np.ndarray    #: [ranks] whether sender and receiver are on one node


class Network:
    """Ranks in a grid, on nodes, with the costs of a machine.

    Args:
        machine: A figures.Machine.
        grid: Ranks along each dimension.
        block: Ranks of a node along each dimension; None: consecutive ranks, which run along z.
        node: Ranks of a node.
    """

    def __init__(self, machine, grid, block, node):
        self.machine = machine
        self.grid = grid
        self.ranks = grid[0] * grid[1] * grid[2]
        self.node = node
        place = np.indices(grid, dtype=np.int32).reshape(3, -1)
        self.place = place
        self.nodes = max(1, self.ranks // node)
        if block:
            self.node_place = place // np.array(block, dtype=np.int32)[:, None]
            self.node_grid = tuple(n // b for n, b in zip(grid, block))
        else:
            self.node_place = np.stack([np.arange(self.ranks, dtype=np.int32) // node] + [place[0] * 0] * 2)
            self.node_grid = None
        self.ways_of = {}

    @property
    def node_of_rank(self):
        """Number of each rank's node."""
        return (self.node_place[0] if self.node_grid is None else
                np.ravel_multi_index(tuple(self.node_place), self.node_grid))

    @property
    def bandwidth(self):
        """GB/s of one endpoint of a rank while all ranks of the node send: interfaces are shared."""
        return self.bandwidth_of(1.0)

    def bandwidth_of(self, endpoints):
        """GB/s of one of several endpoints of a thread: they gain where a node has more interfaces than ranks."""
        interfaces = self.machine["network.interfaces"]
        return self.machine["network.bandwidth"] * min(1.0, interfaces / self.node / endpoints)

    def processor_times(self, on_node, mpi):
        """Processor time of a message at its sender and at its receiver.

        Args:
            on_node: Part of the messages that stay within a node, or whether a message does.
            mpi: Messages are sent by MPI.
        """
        machine, far = self.machine, 1.0 - on_node
        if mpi:
            both = on_node * machine["mpi.message_on_node"] + far * machine["mpi.message"]
            return both / 2.0, both / 2.0
        shm = on_node * machine["shm.put"] / 2.0
        return shm + far * machine["network.put"], shm + far * machine["network.notice"]

    def ways(self, shift):
        """Where messages with this shift go."""
        if shift not in self.ways_of:
            apart = self.node_distance(self.shifted(shift, 1))
            self.ways_of[shift] = self.shifted(shift, -1), apart.astype(np.int16)
        sender, apart = self.ways_of[shift]
        far = self.machine["network.latency"] + self.machine["network.hop"] * self.hops(apart)
        return Ways(sender, np.where(apart == 0, self.machine["shm.latency"], far), apart == 0)

    def shifted(self, shift, sign):
        """Rank at a shift from each rank."""
        x, y, z = ((self.place[d] + sign * shift[d]) % self.grid[d] for d in range(3))
        return ((x * self.grid[1] + y) * self.grid[2] + z).astype(np.intp)

    def apart(self, rank, others):
        """Steps between the nodes of one rank and of others."""
        distance = np.zeros(len(others), np.int32)
        for dim in range(3):
            gap = np.abs(self.node_place[dim][rank] - self.node_place[dim][others])
            distance += gap > 0 if self.node_grid is None else np.minimum(gap, self.node_grid[dim] - gap)
        return distance

    def node_distance(self, other):
        """Steps between the nodes of each rank and of another, on a torus of nodes; 1 if nodes have no grid."""
        distance = np.zeros(self.ranks, np.int32)
        for dim in range(3):
            gap = np.abs(self.node_place[dim] - self.node_place[dim][other])
            if self.node_grid is None:
                distance += gap > 0
            else:
                distance += np.minimum(gap, self.node_grid[dim] - gap)
        return distance

    def hops(self, apart):
        """Hops that cost latency beyond that of the shortest way."""
        kind = self.machine.topology[0]
        if kind == "torus":
            return np.maximum(apart - 1, 0)
        if kind == "dragonfly":
            return 0 if self.nodes <= 16 else 3
        radix, levels, most = self.machine.topology[1], 1, self.machine.topology[1]
        while self.nodes > most:
            levels += 1
            most = most * radix // 2
        return 2 * levels - 1


class Read(NamedTuple):
    """One message that a thread reads."""

    sender: np.ndarray     #: [ranks]
    arrival: np.ndarray    #: [ranks] after the begin of the sender, indexed by sender [us]
    cost: np.ndarray       #: [ranks] processor time of the reader [us]


class Thread(NamedTuple):
    """One thread in one stage."""

    sending: np.ndarray    #: [ranks] processor time of all that it sends [us]
    reads: list


class StageTimes(NamedTuple):
    """One stage."""

    threads: list
    fork: float            #: [us]
    after: object          #: [ranks] what the first thread does when all are done [us]


class Exchange:
    """Times of a plan for given atoms.

    Args:
        network: A Network.
        plan: A halo.Plan.
        atoms: [ranks] of each rank.
        nbytes: Per atom.
        threads: That send and receive.
        mpi: Messages are sent by MPI, as comm_style brick does.
        direction: FORWARD, owner to ghost; REVERSE, ghost to owner.
        fork: Of these threads [us].
        repeat: Messages that go one after the other for each message of the plan (counts before contents).
        more: Extra ghosts of fix ring_balance, with a plan of one stage: shift -> [ranks] that each rank sends.
        endpoints: Of the network, at least one for each thread; endpoint e is served by thread e mod threads.
    """

    def __init__(self, network, plan, atoms, nbytes, threads=1, mpi=False, direction=FORWARD, fork=0.0, repeat=1,
                 more=None, endpoints=0):
        self.network, self.machine = network, network.machine
        self.plan, self.atoms, self.nbytes = plan, atoms, nbytes
        self.threads, self.mpi, self.direction, self.fork, self.repeat = threads, mpi, direction, fork, repeat
        self.pack = self.machine["mpi.pack" if mpi else "memory.pack"]
        self.unpack = self.machine["mpi.pack" if mpi else "memory.unpack"]
        self.more, self.endpoints = more or {}, max(endpoints, threads)
        self.bandwidth = network.bandwidth_of(self.endpoints / threads)
        stages = tuple(map(self.with_more, plan.stages)) if more else plan.stages
        stages = stages if direction == FORWARD else stages[::-1]
        self.stages = [self.make_stage(stage) for stage in stages]

    def with_more(self, stage):
        """A stage with messages of extra ghosts; they have none of their own where there is another one."""
        shifts = {message.shift for message in stage.messages}
        return stage._replace(messages=stage.messages + tuple(halo.Message(shift) for shift in sorted(self.more)
                                                              if shift not in shifts))

    def make_stage(self, stage):
        """Prepare what does not depend on when ranks begin."""
        hands = self.hands(stage)
        own = shares.of_swaps(self.plan, stage.own)
        copies = own * self.atoms * self.pack
        threads, after = [], np.zeros(self.network.ranks)
        for thread in range(min(self.threads, max(1, len(stage.messages)))):
            mine = [(message, hand) for message, hand in zip(stage.messages, hands) if hand % self.threads == thread]
            threads.append(self.make_thread(mine, copies if thread == 0 and self.direction == FORWARD else 0.0, after))
        if self.direction == REVERSE:
            after = after + own * self.atoms * self.unpack
        return StageTimes(threads, self.fork if len(threads) > 1 else 0.0, after)

    def hands(self, stage):
        """Endpoint of each message: costliest first, a hop counting as 680 bytes."""
        costs = [self.plan.atoms(message) * float(self.atoms.mean()) * self.nbytes +
                 680.0 * message.hops(self.plan.swaps) for message in stage.messages]
        return halo.deal(costs, self.endpoints)

    def make_thread(self, messages, copies, after):
        """Prepare one thread: begin of each message after that of the stage, then what it reads."""
        clock = np.zeros(self.network.ranks)
        free = {}    # endpoint -> [ranks] when the interface can take the next message
        reads = []
        for message, endpoint in messages:
            ways, sent, there = self.ends(message)
            length = self.nbytes * sent * 1e-3    # kB; by GB/s this is us
            put, get = (there * time for time in self.network.processor_times(ways.on_node, self.mpi))
            clock = clock + put + self.pack * sent + np.where(
                ways.on_node, length / self.machine["shm.bandwidth"], 0.0)
            gone = np.maximum(clock, free.get(endpoint, 0.0)) + np.where(ways.on_node, 0.0, length / self.bandwidth)
            free[endpoint] = gone
            arrival = np.where(ways.on_node, clock, gone) + ways.latency
            got = sent[ways.sender]
            unpack = self.unpack * got
            if self.repeat > 1:
                arrival = arrival + (self.repeat - 1) * (put + get + ways.latency)
            if self.direction == REVERSE and self.threads > 1:    # sums have an order: one thread makes them
                after += unpack
                unpack = 0.0
            if there is not True:    # a receiver waits for existing messages only
                arrival = np.where(there, arrival, -np.inf)
            reads.append(Read(ways.sender, arrival, get[ways.sender] + unpack))
        return Thread(clock + copies, reads)

    def ends(self, message):
        """Ways and atoms of a message, and which ranks send it; in reverse the ghosts of a rank go back to where they
        came from."""
        ways, there = self.network.ways(message.shift), shares.sends(self.plan, message.swaps)
        sent = shares.of_swaps(self.plan, message.swaps) * self.atoms
        if message.shift in self.more:
            sent = sent + self.more[message.shift]
            there = there if there is True else there | (self.more[message.shift] > 0)
        if self.direction == FORWARD:
            return ways, sent, there
        back = self.network.ways(tuple(-step for step in message.shift))
        return back, sent[ways.sender], there if there is True else there[ways.sender]

    def __call__(self, start):
        """When each rank is done.

        Args:
            start: [ranks] when each begins [us].
        """
        now = start
        for stage in self.stages:
            begin = now + stage.fork if stage.fork else now
            done = None
            for thread in stage.threads:
                clock = begin + thread.sending
                for read in thread.reads:
                    arrived = begin + read.arrival
                    np.maximum(clock, arrived[read.sender], out=clock)
                    clock += read.cost
                done = clock if done is None else np.maximum(done, clock)
            now = done + stage.after if np.any(stage.after) else done
        return now + self.machine["waiting.unexplained"] if self.plan.messages or self.more else now
