# SPDX-License-Identifier: GPL-2.0-only
"""The plan of fix ring_balance: which rank computes how many atoms for which other one.

The ring, flows and transfers are those of src/TOFU/balance: rank_ring.cpp, ring_flow.cpp with direction both, and
ring_plan.cpp. unittest/tools/test_predict_ring.py compares them.
"""

import heapq
from typing import NamedTuple

BELOW, ABOVE = -1, 1
#: Kinks beyond the far end of the domain are dropped when there are so many.
MANY = 64


class Ring(NamedTuple):
    """Order of the ranks."""

    order: list      #: [ranks]
    closed: bool     #: whether the last is linked to the first


class Work(NamedTuple):
    """Work along a ring of ranks or of nodes."""

    work: list       #: [places] units
    ranks: list      #: [places] that share it
    closed: bool


class Transfer(NamedTuple):
    """Work of one rank that another one does."""

    source: int
    target: int
    amount: int


def serpentine(grid):
    """To and fro, z fastest."""
    return [(x, grid[1] - 1 - row if x % 2 else row, grid[2] - 1 - k if (x * grid[1] + row) % 2 else k)
            for x in range(grid[0]) for row in range(grid[1]) for k in range(grid[2])]


def serpentine_with_lane(grid, dim):
    """Down a lane at the lower face of a dimension, then to and fro over the rest of each column along it."""
    columns = serpentine(tuple(1 if d == dim else n for d, n in enumerate(grid)))
    walk = columns[::-1]
    for number, column in enumerate(columns):
        for k in range(1, grid[dim]):
            at = grid[dim] - k if number % 2 else k
            walk.append(tuple(at if d == dim else column[d] for d in range(3)))
    return walk


def dimension_for_lane(grid, periodic):
    """Dimension of the columns with which the lane leads back to the beginning; None if there is none."""
    ranks = grid[0] * grid[1] * grid[2]
    for through_boundary in (False, True):
        for dim in (2, 1, 0):
            columns = ranks // grid[dim]
            meets = periodic[dim] if through_boundary else columns % 2 == 0
            if meets and grid[dim] > 1 and columns > 1:
                return dim
    return None


def ring_of(grid, periodic=(True, True, True)):
    """The ring of all ranks, each a neighbor of the next in space; ranks are numbered along z first."""
    dim = dimension_for_lane(grid, periodic)
    walk = serpentine(grid) if dim is None else serpentine_with_lane(grid, dim)
    alone = all(n == 1 or wraps for n, wraps in zip(grid, periodic)) and len(walk) > 2
    return Ring([(x * grid[1] + y) * grid[2] + z for x, y, z in walk], dim is not None or alone)


class Kinks:
    """Places where a convex function changes its slope, on one side of its minimum; the nearest one first."""

    def __init__(self, side):
        self.side, self.shift, self.heap, self.many = side, 0, [], MANY

    def nearest(self):
        """The kink that is nearest to the minimum."""
        return self.side * self.heap[0][0] + self.shift

    def beyond(self, flow, other):
        """Whether a flow is farther away than another one."""
        return self.side * flow > self.side * other

    def push(self, flow, change=1):
        """Add a kink."""
        heapq.heappush(self.heap, [self.side * (flow - self.shift), change])

    def exchange(self, flow):
        """Add a kink, take the nearest one."""
        if not self.heap or not self.beyond(flow, self.nearest()):
            return flow
        self.push(flow)
        taken = self.nearest()
        self.heap[0][1] -= 1
        if self.heap[0][1] == 0:
            heapq.heappop(self.heap)
        return taken

    def cut(self, near_end, far_end):
        """Reduce the domain of the function."""
        change = 0
        while self.heap and self.beyond(near_end, self.nearest()):
            change += heapq.heappop(self.heap)[1]
        if change:
            self.push(near_end, change)
        if len(self.heap) >= self.many:
            self.heap = [kink for kink in self.heap if not self.beyond(self.side * kink[0] + self.shift, far_end)]
            heapq.heapify(self.heap)
            self.many = max(self.many, 2 * len(self.heap))


def bounds(ring, place):
    """Flows from a place to the next one with which no unit moves twice."""
    last = place == len(ring.work) - 1
    if last and not ring.closed:
        return 0, 0
    return -ring.work[0 if last else place + 1], ring.work[place]


def is_possible(ring, links, limit):
    """Whether no place has to keep more than a limit per rank."""
    excess = [work - ranks * limit for work, ranks in zip(ring.work, ring.ranks)]
    flow = links[-1][0]
    for _ in range(2):
        for more, (low, high) in zip(excess, links):
            flow += more
            if flow < low:
                flow = low
            if flow > high:
                return False
    return True


def smallest_limit(ring, links):
    """The smallest possible largest load per rank."""
    low = -(-sum(ring.work) // sum(ring.ranks))
    high = max(-(-work // ranks) for work, ranks in zip(ring.work, ring.ranks))
    while low < high:
        limit = low + (high - low) // 2
        if is_possible(ring, links, limit):
            high = limit
        else:
            low = limit + 1
    return low


def least_movement(ring, links, limit, start, end, laps):
    """Flows over the links of some laps with the least movement."""
    low, high = start
    below, above = Kinks(BELOW), Kinks(ABOVE)
    found = []
    for place, (least, most) in laps * list(enumerate(links)):
        work, capacity = ring.work[place], ring.ranks[place] * limit
        below.shift += work - capacity
        above.shift += work
        low, high = max(low + work - capacity, least), min(high + work, most)
        below.cut(high, low)
        above.cut(low, high)
        zero = min(max(0, low), high)
        above.push(below.exchange(zero))
        below.push(above.exchange(zero))
        best = min(max(0, max(below.nearest(), low)), min(above.nearest(), high))
        found.append((low, high, best))
    flows = [0] * len(found)
    end_low, end_high = end
    for link in range(len(found) - 1, -1, -1):
        low, high, best = found[link]
        flows[link] = min(max(best, max(end_low, low)), min(end_high, high))
        place = link % len(links)
        end_low = flows[link] - ring.work[place]
        end_high = end_low + ring.ranks[place] * limit
    return flows


def flows_both_ways(ring):
    """Flow from each place to the next one, the last of them to the first; negative: the other way."""
    links = [bounds(ring, place) for place in range(len(ring.work))]
    limit, cut = smallest_limit(ring, links), links[-1]
    if ring.closed:
        cut = (least_movement(ring, links, limit, cut, cut, 2)[len(links) - 1],) * 2
    return least_movement(ring, links, limit, cut, cut, 1)


def plan_ranks(ring, work):
    """Transfers between neighbors on the ring: the smallest possible largest load, with the least movement.

    Args:
        ring: A Ring.
        work: [ranks] units of work, whole numbers.

    Returns:
        A list of Transfer, by ranks.
    """
    on_ring = Work([int(work[rank]) for rank in ring.order], [1] * len(ring.order), ring.closed and len(ring.order) > 2)
    found, ranks = [], ring.order
    for flow, rank, after in zip(flows_both_ways(on_ring), ranks, ranks[1:] + ranks[:1]):
        if flow:
            found.append(Transfer(rank, after, flow) if flow > 0 else Transfer(after, rank, -flow))
    return sorted(found)


def off_the_top(loads, amount):
    """Shares to take from the highest loads; of equal ones from the first."""
    def above(level):
        return sum(max(0, load - level) for load in loads)

    high = max(loads)
    low = high - amount
    while low < high:
        level = low + (high - low) // 2
        if above(level) <= amount:
            high = level
        else:
            low = level + 1
    rest, taken = amount - above(high), []
    for load in loads:
        one = int(load >= high and rest > 0)
        taken.append(max(0, load - high) + one)
        rest -= one
    return taken


def into_the_valleys(loads, amount):
    """Shares to add to the lowest loads."""
    return off_the_top([-load for load in loads], amount)


def split(ranks, amounts, first):
    """The first units of amounts, in the order of the ranks, and the others: (rank, amount)."""
    parts = [], []
    for rank, amount in zip(ranks, amounts):
        now = min(first, amount)
        for part, size in zip(parts, (now, amount - now)):
            if size > 0:
                part.append((rank, size))
        first -= now
    return parts


def match(givers, takers, transfers):
    """Transfers from givers to takers of the same total, both in their order."""
    takers = [list(taker) for taker in takers]
    at = 0
    for source, left in givers:
        while left > 0:
            amount = min(left, takers[at][1])
            transfers.append(Transfer(source, takers[at][0], amount))
            left -= amount
            takers[at][1] -= amount
            at += takers[at][1] == 0


def share_node(ranks, work, came, goes, limit, transfers):
    """Which ranks of a node give to the previous and to the next node and take from them; what is then above the limit
    is shared within the node.

    Returns:
        Shares to the previous node, to the next one, from the previous one, from the next one.
    """
    loads = [work[rank] for rank in ranks]
    given = off_the_top(loads, max(0, -came) + max(0, goes))
    there = split(ranks, given, max(0, -came))
    loads = [load - by for load, by in zip(loads, given)]
    taken = into_the_valleys(loads, max(0, came) + max(0, -goes))
    here = split(ranks, taken, max(0, came))
    loads = [load + by for load, by in zip(loads, taken)]
    surplus = [max(0, load - limit) for load in loads]
    total = sum(surplus)
    loads = [load - by for load, by in zip(loads, surplus)]
    match(split(ranks, surplus, total)[0], split(ranks, into_the_valleys(loads, total), total)[0], transfers)
    return (*there, *here)


def plan_nodes(ring, node_of_rank, work):
    """Transfers between nodes that are neighbors on the ring, and between any ranks of a node; as plan_ranks().

    Args:
        ring: A Ring.
        node_of_rank: [ranks].
        work: [ranks] units of work, whole numbers.
    """
    work, nodes = [int(one) for one in work], {}
    for rank in ring.order:
        nodes.setdefault(node_of_rank[rank], []).append(rank)
    nodes = list(nodes.values())
    on_ring = Work([sum(work[rank] for rank in ranks) for ranks in nodes], list(map(len, nodes)),
                   ring.closed and len(nodes) > 2)
    flows = flows_both_ways(on_ring)
    came = flows[-1:] + flows[:-1]
    limit = max(-(-(one + to - away) // ranks)
                for one, to, away, ranks in zip(on_ring.work, came, flows, on_ring.ranks))
    transfers = []
    sides = [share_node(ranks, work, *moved, limit, transfers) for ranks, *moved in zip(nodes, came, flows)]
    for (_, to_next, _, from_next), (to_previous, _, from_previous, _) in zip(sides, sides[1:] + sides[:1]):
        match(to_next, from_previous, transfers)
        match(to_previous, from_next, transfers)
    return sorted(transfers)


def loads_after(work, transfers):
    """[ranks] units of work after the transfers."""
    loads = [int(one) for one in work]
    for source, target, amount in transfers:
        loads[source] -= amount
        loads[target] += amount
    return loads
