# SPDX-License-Identifier: GPL-2.0-only
"""Figures of a network from a file of `tools/tofu latency --json`.

A one-way latency contains the processor times of both ends, which the machine file has. It says which share of it they
are; the rest is the latency of the network, at least a tenth.
"""

import json
from pathlib import Path

from .. import latency, shell
from .figures import Figure

#: Variants of the measuring program that go over the network, the best first, and that within a node.
NETWORK, NODE = ("tofu libfabric", "tofu mpi"), "tofu shm"
LEAST_SHARE = 0.1
#: MB/s in GB/s.
PER_GB = 1000.0


def read(path):
    """A file of `tools/tofu latency --json`.

    Raises:
        shell.Failure: It is none.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        about = content["about"]
        if not (about["date"] and about["processor"]):
            raise ValueError("it does not say when and where")
        if not all(variant[key] for variant in [content["variants"][latency.REFERENCE], *content["variants"].values()]
                   for key, _, _ in latency.QUANTITIES):
            raise ValueError("it has no figures")
        return content
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise shell.Failure(f"{path} is no file that 'latency --json' has written: {error}") from None


def figures_of(content, machine):
    """Figures that replace those of a machine.

    Args:
        content: Of the file.
        machine: A figures.Machine, for the processor times of both ends.

    Returns:
        Figures by name: those of the network if ranks were on several hosts, else those of a node.

    Raises:
        shell.Failure: The variant that is needed was not measured.
    """
    about, variants = content["about"], content["variants"]
    if about.get("hosts", 1) > 1:
        name = next((one for one in NETWORK if one in variants), None)
        ends, prefix, messages = machine["network.put"] + machine["network.notice"], "network", "mpi.message"
    else:
        name, ends, prefix, messages = NODE, machine["shm.put"], "shm", "mpi.message_on_node"
    if name not in variants:
        missing = " or ".join(NETWORK) if prefix == "network" else NODE
        raise shell.Failure(f"the file of 'latency --json' has no variant {missing}, which --network needs")
    source = f"tools/tofu latency, {name}, {about['date'][:10]}, {about['processor']}"
    whole, mpi = one_way(variants[name]), one_way(variants[latency.REFERENCE])
    rest = max(whole - ends, LEAST_SHARE * whole)
    values = {f"{prefix}.latency": rest, f"{prefix}.bandwidth": widest(variants[name]) / PER_GB,
              messages: max(0.0, mpi - rest)}
    return {key: Figure(value, "measured", source) for key, value in values.items()}


def one_way(variant):
    """Latency of the smallest message [us]."""
    return variant["latency"][0]["median"]


def widest(variant):
    """Largest bandwidth of any message [MB/s]."""
    return max(row["median"] for row in variant["bandwidth"])
