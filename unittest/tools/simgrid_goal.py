# SPDX-License-Identifier: GPL-2.0-only
"""Carry out a schedule in GOAL by SimGrid, a simulator of discrete events (Debian: python3-simgrid).

Run by the system's Python: simgrid_goal.py SCHEDULE BANDWIDTH LATENCY PUT NOTICE [us, bytes per us]; prints when each
rank is done [us]. Each rank has a host with a port of its own, in which the messages under way share the bandwidth; a
message begins when it is sent, whether or not its receiver waits for it. One microsecond is a second of SimGrid, whose
precision is absolute.
"""

import sys
import tempfile
from pathlib import Path

from goal_machine import read
from simgrid import Actor, Engine, Mailbox, this_actor

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="ranks" prefix="r" suffix="" radical="0-{last}" speed="1Gf" bw="{bandwidth}Bps" lat="{latency}s"/>
</platform>
"""
#: The plain model of links: no windows, no protocol, no traffic of acknowledgments.
MODEL = ("network/model:CM02", "network/TCP-gamma:1e30", "network/crosstraffic:0")


def carry_out(rank, operations, put, notice, done):
    """What one rank does."""
    for kind, *words in operations:
        if kind == "recv":
            Mailbox.by_name(f"{words[2]}>{rank}#{words[4]}").set_receiver(Actor.self())
    for kind, *words in operations:
        if kind == "calc":
            this_actor.sleep_for(int(words[0]) / 1000)
        elif kind == "send":
            this_actor.sleep_for(put)
            Mailbox.by_name(f"{rank}>{words[2]}#{words[4]}").put_init(words[0], int(words[0][:-1])).detach()
        else:
            got = Mailbox.by_name(f"{words[2]}>{rank}#{words[4]}").get()
            assert got == words[0], f"rank {rank} got {got}, not {words[0]}, from {words[2]}"
            this_actor.sleep_for(notice)
    done[rank] = Engine.clock


def main(path, *figures):
    """Simulate, and print one number per rank."""
    bandwidth, latency, put, notice = map(float, figures)
    ranks = read(Path(path))
    engine = Engine([sys.argv[0], "--log=root.thres:critical", *(f"--cfg={word}" for word in MODEL)])
    with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
        file.write(PLATFORM.format(last=len(ranks) - 1, bandwidth=bandwidth, latency=latency / 2))
        file.flush()
        engine.load_platform(file.name)
    done = [None] * len(ranks)
    for rank, operations in enumerate(ranks):
        Actor.create(f"rank {rank}", engine.host_by_name(f"r{rank}"), carry_out, rank, operations, put, notice, done)
    engine.run()
    print("\n".join(map(repr, done)))


main(*sys.argv[1:])
