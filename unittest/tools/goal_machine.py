# SPDX-License-Identifier: GPL-2.0-only
"""Carry out a schedule in GOAL, message by message: a LogGP machine."""


def read(path):
    """Operations of each rank, in the order in which they follow each other."""
    ranks = []
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if words[0] == "rank":
            ranks.append([])
        elif words[0].endswith(":"):
            ranks[-1].append(words[1:])
    return ranks


def carry_out(path, latency, put, notice, bandwidth):
    """When each rank is done [us].

    Args:
        path: The schedule.
        latency: Of a message [us].
        put: Processor time of the sender [us].
        notice: Processor time of the receiver [us].
        bandwidth: Of the port of a rank, which sends one message after the other [bytes/us].
    """
    operations = read(path)
    clocks, ports, arrived = [0.0] * len(operations), [0.0] * len(operations), {}
    left = sum(map(len, operations))
    while left:
        before = left
        for rank, waiting in enumerate(operations):
            while waiting:
                kind, *words = waiting[0]
                if kind == "calc":
                    clocks[rank] += int(words[0]) / 1000
                elif kind == "send":
                    clocks[rank] += put
                    ports[rank] = max(clocks[rank], ports[rank]) + int(words[0][:-1]) / bandwidth
                    arrived[rank, int(words[2]), words[4]] = ports[rank] + latency, words[0]
                else:
                    message = arrived.pop((int(words[2]), rank, words[4]), None)
                    if message is None:
                        break
                    assert message[1] == words[0]    # both sides count the same bytes
                    clocks[rank] = max(clocks[rank], message[0]) + notice
                waiting.pop(0)
                left -= 1
        assert left < before, "ranks wait for each other"
    assert not arrived
    return clocks
