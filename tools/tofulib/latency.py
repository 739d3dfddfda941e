# SPDX-License-Identifier: GPL-2.0-only
"""Measure one-way latency and bandwidth of MPI and of every backend of libtofu_rdma, from 8 bytes to 1 MB.

One program measures all variants in one run, interleaved, on pinned ranks; figures are medians over the repetitions
with minimum and maximum. With words of the user's own that start the ranks, these may be on several hosts.
"""

import os

from . import CHECKOUT, bench, build, cache, launcher, mpi, shell, system, venv

#: Measured quantities: key, heading, unit.
QUANTITIES = (("latency", "One-way latency", "us"), ("bandwidth", "Bandwidth", "MB/s"))
#: The variant that the others are compared with.
REFERENCE = "Send/Recv"
#: A run that takes longer counts as hung [s].
TIMEOUT = 1800


def command(options):
    """tools/tofu latency."""
    check(options)
    launcher.check_program(options.launch)
    system.ensure(["c++", "cmake", "ninja", "ccache", options.mpi])
    library = mpi.find(options.mpi)
    program = build_program(library)
    start = (launcher.Launcher(library, options.launch).words(options.ranks) if options.launch
             else mpi.launch(library, options.ranks))
    hosts = len(set(shell.capture([*start, "hostname"], limit=TIMEOUT).split())) if options.launch else 1
    shell.say(f"measuring on {options.ranks} ranks, {options.repetitions} repetitions")
    text = measure(start, options, program)
    samples, skipped = read(text)
    about = {**bench.origin(), "mpi": library.name, "ranks": options.ranks, "repetitions": options.repetitions,
             "load": os.getloadavg()[0], "hosts": hosts}
    result = {"about": about, "skipped": skipped, "variants": summarize(samples)}
    print_table(result)
    if options.json:
        cache.write_json(options.json, result)
        print(f"Data: {options.json}")
    if options.plot:
        venv.draw("latency_plot", result, options.plot)
    return 0


def measure(start, options, program):
    """Run the program and return what it prints."""
    line = [*start, program, options.repetitions]
    try:
        return shell.capture(line, limit=TIMEOUT)
    except shell.Late:
        raise shell.Failure(f"this did not end within {TIMEOUT} s; take fewer --repetitions, or an idle machine:\n"
                            f"  {shell.quote(line)}") from None


def check(options):
    """Refuse options with which nothing can be measured."""
    cores = mpi.cores()[0]
    if options.ranks < 2 or options.ranks % 2 or options.repetitions < 1:
        raise shell.Failure(
            f"got -n {options.ranks} --repetitions {options.repetitions}; ranks work in pairs, so their number must "
                            f"be even, and at least one repetition is needed")
    if options.ranks > cores and not options.launch:
        raise shell.Failure(
            f"latency pins {options.ranks} ranks on a core each, this machine offers {cores}; take a smaller -n")


def build_program(library):
    """Build lib/tofu_rdma with its measuring program; this is quick when nothing has changed.

    Returns:
        Path of the program.
    """
    folder = cache.root() / "build" / f"rdma-{library.name}"
    build.compile_project(CHECKOUT / "lib" / "tofu_rdma", folder, {
        "CMAKE_C_COMPILER_LAUNCHER": "ccache", **build.mpi_settings(library), "TOFU_RDMA_LATENCY": "on",
        "TOFU_RDMA_FORTRAN": "off", "TOFU_RDMA_EXAMPLES": "off"}, ["tofu_rdma_latency"])
    return folder / "tofu_rdma_latency"


def read(text):
    """Read the output of the measuring program.

    Returns:
        Samples by variant and size, each (latency, bandwidth), and the variants that were left out with their reasons.
    """
    samples, skipped = {}, {}
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        name, _, values = rest.partition("\t")
        if kind == "skip":
            skipped[name] = values
        elif kind == "sample":
            size, latency, bandwidth = values.split()
            samples.setdefault(name, {}).setdefault(int(size), []).append((float(latency), float(bandwidth)))
    if REFERENCE not in samples:
        raise shell.Failure(f"the measuring program printed no sample of {REFERENCE}:\n{text}")
    return samples, skipped


def summarize(samples):
    """Median and range for each variant, quantity and size."""
    return {name: {key: [{"bytes": size, **bench.ratio_range([one[number] for one in sizes[size]])}
                         for size in sorted(sizes)]
                   for number, (key, _, _) in enumerate(QUANTITIES)}
            for name, sizes in samples.items()}


def print_table(result):
    """Print the summary: a block for each quantity."""
    about_it, variants = result["about"], result["variants"]
    for key, title, unit in QUANTITIES:
        print(f"\n{title}, {unit}: median (min - max) of {about_it['repetitions']} interleaved repetitions, "
              f"{about_it['ranks']} ranks, {about_it['mpi']}")
        columns = [[name, *(cell(row) for row in variant[key])] for name, variant in variants.items()]
        widths = [max(len(text) for text in column) for column in columns]
        for number, size in enumerate(["bytes", *(row["bytes"] for row in variants[REFERENCE][key])]):
            print(f"{size:>8}" + "".join(f"  {column[number]:>{width}}" for column, width in zip(columns, widths)))
    for name, reason in result["skipped"].items():
        print(f"\n{name} is left out: {reason}")
    if about_it["load"] > about_it["ranks"] + 0.5:
        print(f"\nThe load of this machine was {about_it['load']:.1f}: other programs ran, and wide ranges are theirs. "
              f"Repeat on an idle machine.")
    print()


def cell(row):
    """Median and range, with few digits."""
    median, least, most = (f"{row[name]:.{2 if row[name] < 100 else 0}f}" for name in ("median", "min", "max"))
    return f"{median} ({least}-{most})"
