# SPDX-License-Identifier: GPL-2.0-only
"""Curves of doc/scale.md: systems of fixed size on more and more nodes of three machines, with few and with many
threads per rank. Runs in the virtual environment, by tools/tofu predict --curves: python -m tofulib.predict.curves
DATA.json [MACHINE ...]; plot_curves.py draws them."""

import json
import sys
from pathlib import Path

import numpy as np

from . import figures, paper, report, workload
from .forecast import forecast
from .positions import Positions
from .step import Setting, Steps

SYSTEMS = Path(__file__).with_name("systems")
#: Ranks of a node, threads of a rank; the first is usual.
MACHINES = {"fugaku": ((4, 12), (48, 1), (12, 4), (1, 48)), "hdr": ((8, 6), (48, 1), (2, 24), (1, 48)),
            "slingshot11": ((8, 6), (48, 1), (2, 24), (1, 48))}
NODES = (1, 12, 96, 768, 6144, 36864)
#: More ranks need more than some 1.5 GB. Ways to divide a node that are not usual are compared up to fewer.
MOST_RANKS, MOST_RANKS_TO_COMPARE = 300_000, 100_000
#: Where the plan of fix ring_balance, which all ranks make, is not longer than all else.
MOST_RANKS_OF_A_RING = 10_000
#: Steps between decisions of fix ring_balance.
DECIDE_EVERY = 10
#: Copies of a measured system along each dimension.
COPIES = {"rhodo": 12, "spce": 24}
#: So many that lists are built a whole number of times.
STEPS = {"lj": 25, "eam": 22, "rhodo": 20, "spce": 25}
#: Systems and numbers of nodes in tables.
LABELS = {"lj": "LJ", "eam": "EAM", "rhodo": "rhodo", "spce": "SPC/E"}
SHOWN = (12, 768, 6144, 36864)
#: A droplet in a box of so many of its radii.
DROPLET, BOX_IN_RADII = 400_000, 3.2


def enlarged(load, copies):
    """A system of copies of another one."""
    mesh = {**load.mesh, "points": [points * copies for points in load.mesh["points"]]}
    return load._replace(atoms=load.atoms * copies**3, box=tuple(length * copies for length in load.box), mesh=mesh)


def systems(machine):
    """All systems by name."""
    found = {name: paper.system(name, machine, nodes=paper.NODES[paper.STRONG]) for name in ("lj", "eam")}
    for name, copies in COPIES.items():
        load, _ = workload.read(SYSTEMS / f"{name}.json")
        found[name] = enlarged(load, copies)
    return found


def tables(data, only):
    """Add forecasts to a file of them: machine -> system -> a row for each number of nodes."""
    found = json.loads(data.read_text(encoding="utf-8")) if data.exists() else {}
    for name in only:
        machine = figures.read(name)
        rows_of = found.setdefault(name, {})
        for system, load in systems(machine).items():
            rows = rows_of.setdefault(system, [])
            for nodes in NODES[len(rows):]:
                rows.append(row(load, machine, nodes, MACHINES[name], STEPS[system]))
                print(name, system, nodes, f"{rows[-1]['speed-up']:.2f}", rows[-1]["best"]["name"], flush=True)
                data.write_text(json.dumps(found), encoding="utf-8")
        for system in ("lj", "eam"):
            for way in MACHINES[name][:2]:
                key = f"droplet {system} {way[0]} x {way[1]}"
                if key not in rows_of:
                    rows_of[key] = droplet(machine, way, system)
                    data.write_text(json.dumps(found), encoding="utf-8")
    return found


def row(load, machine, nodes, ways, steps):
    """All ways to divide a node, and what else changes the best of them."""
    results = []
    for number, (ranks, threads) in enumerate(ways):
        if nodes * ranks <= (MOST_RANKS if number == 0 else MOST_RANKS_TO_COMPARE):
            senders = [1] if load.mesh else [1, *(n for n in (6,) if n <= threads)]
            wanted = fewer(load) if nodes * ranks > MOST_RANKS_TO_COMPARE else None
            (line,) = forecast(load, machine, [nodes], [ranks], threads, senders, steps, 1, wanted=wanted)
            results += line["results"]
    stock = min((one for one in results if one["comm"] == "brick"), key=lambda one: one["step"])
    best = min((one for one in results if one["comm"] != "brick"), key=lambda one: one["step"])
    setting = Setting(*(best[name] for name in Setting._fields))
    hidden = Steps(load._replace(checks={side: 0.0 for side in load.checks}), machine, nodes, setting)
    ring = {}
    if setting.comm == "p2p" and nodes * setting.ranks <= MOST_RANKS_OF_A_RING:
        with_it = Steps(load, machine, nodes, setting._replace(ring="rank"), decide_every=DECIDE_EVERY)
        ring = {"step": with_it.run(steps).step, "loads": with_it.sharing.loads}
    return {"nodes": nodes, "speed-up": stock["step"] / best["step"], "stock": short(stock), "best": short(best),
            "all": [short(one) for one in results], "without checks": hidden.run(steps).step, "ring": ring}


def fewer(load):
    """Whether a setting is predicted for many ranks: stock, and p2p, with overlap where there is a mesh."""
    return lambda one: one.comm == "brick" or (one.comm == "p2p" and one.overlap == bool(load.mesh))


def short(one):
    """What is drawn and written of one setting."""
    return {key: one[key] for key in ("name", "comm", "half", "ranks", "threads", "senders", "step", "sections",
                                      "parts", "sides", "atoms", "fft", "transforms", "messages", "nbytes")}


def droplet(machine, way, system="lj"):
    """A droplet of liquid off the center of its box, with equal walls, walls of fix balance, and fix ring_balance on
    its two levels.

    Args:
        machine: A figures.Machine.
        way: Ranks of a node, threads of a rank.
        system: Of paper.system, whose kernels and density it has.
    """
    radius = (DROPLET * 3.0 / 4.0 / np.pi / paper.DENSITY[system]) ** (1.0 / 3.0)
    box = BOX_IN_RADII * radius
    random = np.random.default_rng(1)
    points = (random.random((int(1.1 * DROPLET * 6.0 / np.pi), 3)) * 2.0 - 1.0) / BOX_IN_RADII
    points = points[(points**2).sum(axis=1) < BOX_IN_RADII**-2][:DROPLET] + (0.45, 0.5, 0.57)
    load = paper.system(system, machine)._replace(atoms=len(points), box=(box,) * 3, skin=0.3)
    ranks, threads = way
    found = []
    for nodes in (1, 12, 96):
        line = {"nodes": nodes}
        for name, balance, ring in (("none", "", ""), ("shift", "xyz", ""), ("ring", "", "rank"),
                                   ("ring of nodes", "", "node"), ("shift and ring", "xyz", "rank")):
            setting = Setting("p2p", load.half, ranks, threads, 1, ring=ring)
            one = Steps(load._replace(balance=balance), machine, nodes, setting, 1, Positions(points), DECIDE_EVERY)
            result = one.run(STEPS[system])
            line[name] = {"step": result.step, "parts": result.parts,
                         "load": float(one.computed.max() / one.computed.mean())}
        found.append(line)
    return found


def best_in(row, usual):
    """Fastest setting of stock LAMMPS and of TOFU in a row.

    Args:
        usual: Ranks of a node; None: those that are best for each side.
    """
    def fastest(stock):
        return min((one for one in row["all"] if (one["comm"] == "brick") == stock and
                    usual in (None, one["ranks"])), key=lambda one: one["step"], default=None)

    return fastest(True), fastest(False)


def lines_of(found, by_division):
    """Lines of a table of doc/scale.md: steps of both sides and their ratio.

    Args:
        by_division: Each side has the division of a node that is best for it; else both have the usual one.
    """
    names = [name for name in MACHINES if name in found]
    lines = [["", "nodes", *names], ["---"] * (2 + len(names))]
    for system, label in LABELS.items():
        for nodes in SHOWN:
            cells = [cell(found[name], name, system, nodes, by_division) for name in names]
            lines.append([label, f"{nodes:,}", *cells])
    return [f"| {' | '.join(line)} |" for line in lines]


def cell(of_machine, name, system, nodes, by_division):
    """One cell of such a table."""
    row = next((row for row in of_machine.get(system, []) if row["nodes"] == nodes), None)
    pair = best_in(row, None if by_division else MACHINES[name][0][0]) if row else (None, None)
    if None in pair:
        return "-"
    words = [report.number(one["step"]) + (f" ({one['ranks']} x {one['threads']})" if by_division else "")
             for one in pair]
    return f"{words[0]} / {words[1]} = {pair[0]['step'] / pair[1]['step']:.2f}"


def droplet_lines(of_machine):
    """Lines of the table of droplets: steps, and the most atoms that a rank computes over the average."""
    ways = ("none", "shift", "ring", "ring of nodes", "shift and ring")
    return [f"| {key.split()[1].upper()} | {key.split(' ', 2)[2]} | {row['nodes']} | " +
            " | ".join(f"{report.number(row[way]['step'])} ({row[way]['load']:.2f})" for way in ways) + " |"
            for key, rows in of_machine.items() if key.startswith("droplet") for row in rows]


def main(data, *only):
    """Compute what is not in the file of data yet, for all machines or for some, and print the tables of the page."""
    found = tables(Path(data), only or tuple(MACHINES))
    for title, lines in (("Usual division of a node", lines_of(found, False)),
                         ("The best division of a node for each side", lines_of(found, True)),
                         ("Droplet, hdr", droplet_lines(found.get("hdr", {})))):
        print(f"\n{title}\n" + "\n".join(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
