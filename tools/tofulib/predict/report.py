# SPDX-License-Identifier: GPL-2.0-only
"""Print a forecast."""

from ..log import SECTIONS

#: Smaller speed-ups are no gain.
LEAST_GAIN = 1.05


def number(value):
    """Three or four digits."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}" if value >= 10 else f"{value:.3g}"


def rows_of(forecast):
    """Cells of the table."""
    unit = forecast["load"]["unit"]
    rows = [["nodes", "ranks", "atoms/rank", "side/cut", "stock us", "TOFU us", "speed-up", "of it p2p",
             f"{unit}/day stock", f"{unit}/day TOFU", "best setting"]]
    for line in forecast["table"]:
        if not line["results"]:
            rows.append([f"{line['nodes']:,}", *["-"] * 9, "; ".join(line["reasons"])])
            continue
        stock, ours = (line["results"][line[side]] for side in ("stock", "best"))
        rows.append([f"{line['nodes']:,}", f"{line['nodes'] * ours['ranks']:,}", number(ours["atoms"][0]),
                     f"{min(ours['sides']):.2f}", number(stock["step"]), number(ours["step"]),
                     f"{line['speed-up']:.2f}", f"{line['of it the exchange']:.2f}",
                     number(line["per day"]["stock"]), number(line["per day"]["tofu"]),
                     f"{ours['name']}, {ours['ranks']} x {ours['threads']} a node" +
                     (f", fft {ours['fft']}" if ours.get("fft") else "")])
    return rows


def section_rows(forecast):
    """Cells of the table of sections."""
    used = [name for name in SECTIONS if any(one["sections"][name] > 0.005 for line in forecast["table"]
                                             for one in line["results"])]
    rows = [["nodes", "setting", *used]]
    for line in forecast["table"]:
        for side in ("stock", "best"):
            if line["results"]:
                one = line["results"][line[side]]
                rows.append([f"{line['nodes']:,}", one["name"], *(number(one["sections"][name]) for name in used)])
    return rows


def text_of(rows, left=()):
    """Aligned columns; those in `left` to the left."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(width) if i in left else cell.rjust(width)
                               for i, (cell, width) in enumerate(zip(row, widths))).rstrip() for row in rows)


def print_forecast(forecast):
    """Print the tables and the sentences."""
    load = forecast["load"]
    print(f"\nPredicted, not measured: {load['name']}; {load['atoms']:,} atoms, cut-off of ghosts {load['cut']:g}")
    print(text_of(rows_of(forecast), left=(10,)))
    print("\nSections, us a step, mean over ranks:")
    print(text_of(section_rows(forecast), left=(1,)))
    print()
    for line in forecast["table"]:
        if line["results"]:
            print(f"{line['nodes']:,} node{'s' if line['nodes'] > 1 else ''}: {line['limit']}")
    gains = [line["nodes"] for line in forecast["table"] if line.get("speed-up", 0.0) >= LEAST_GAIN]
    print(f"TOFU pays, by 5 % or more, with these numbers of nodes: {', '.join(f'{n:,}' for n in gains)}." if gains
          else "TOFU does not pay here.")
    print(nothing_gained(forecast["table"]))
    suffix = load.get("stock_suffix")
    with_suffix = "without a suffix" if suffix == "none" else f"with suffix {suffix}"
    print((f"Stock is LAMMPS {with_suffix}, as in the short runs" if suffix else
           "Stock is LAMMPS with the kernels of the short runs") + "; 'of it p2p' is what p2p_rdma adds to the suffix.")


def nothing_gained(table):
    """One line: from how many nodes on, of those of the request, TOFU gains nothing, and more nodes gain nothing."""
    table = [line for line in table if line["results"]]
    if not table:
        return "There is no number of nodes to compare."
    words = []
    without = from_where(table, lambda line: line["speed-up"] < LEAST_GAIN)
    words.append(f"from {without:,} nodes on TOFU gains nothing" if without else
                 f"TOFU still gains with {table[-1]['nodes']:,} nodes")
    for side, name in (("stock", "stock LAMMPS"), ("best", "TOFU")):
        steps = {line["nodes"]: line["results"][line[side]]["step"] for line in table}
        fastest = min(steps, key=steps.get)
        if fastest != table[-1]["nodes"]:
            words.append(f"{name} is fastest with {fastest:,}, more nodes gain nothing")
    return f"{'; '.join(words)}.".replace("from", "From", 1) if without else f"{'; '.join(words)}."


def from_where(table, condition):
    """The smallest number of nodes from which on all lines meet a condition; None if the last one does not."""
    found = None
    for line in reversed(table):
        if not condition(line):
            break
        found = line["nodes"]
    return found


def print_machine(machine, measured):
    """Say where the figures come from, and which of them have not been verified."""
    unsure = [name for name in machine.unsure() if not name.startswith("kernels.")]
    kernels = [name for name in machine.unsure() if name.startswith("kernels.")]
    print(f"\nMachine: {machine.name}.")
    if measured:
        print(f"Measured by the short runs, on this processor: kernels, {', '.join(sorted(measured))}.")
    if unsure:
        print(f"NOT VERIFIED, replace by your own: {', '.join(f'{name} {machine[name]:g}' for name in unsure)}.")
    if kernels:
        print(f"Not verified either: {len(kernels)} terms of kernels, see doc/scale.md.")
    print("How far the model was checked, and what it lacks: doc/scale.md.")
