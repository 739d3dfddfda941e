# SPDX-License-Identifier: GPL-2.0-only
"""Print a forecast."""

SECTIONS = ("Pair", "Bond", "Kspace", "Neigh", "Comm", "Output", "Modify", "Other")


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
    gains = [line["nodes"] for line in forecast["table"] if line.get("speed-up", 0.0) >= 1.05]
    print(f"TOFU pays, by 5 % or more, with these numbers of nodes: {', '.join(f'{n:,}' for n in gains)}." if gains
          else "TOFU does not pay here.")
    print("Stock is LAMMPS with the kernels of the short runs, see --stock-suffix; 'of it p2p' is what p2p_rdma adds "
          "to the suffix.")


def print_machine(machine, measured):
    """Say where the figures come from, and which of them nobody has verified."""
    unsure = [name for name in machine.unsure() if not name.startswith("kernels.")]
    kernels = [name for name in machine.unsure() if name.startswith("kernels.")]
    print(f"\nMachine: {machine.name}.")
    if measured:
        print(f"Measured by the short runs, on this processor: kernels, {', '.join(sorted(measured))}.")
    if unsure:
        print(f"NOT VERIFIED, replace by your own: "
              f"{', '.join(f'{name} {machine[name]:g}' for name in unsure)}.")
    if kernels:
        print(f"Not verified either: {len(kernels)} terms of kernels, see doc/scale.md.")
    print("How far the model was checked, and what it lacks: doc/scale.md.")
