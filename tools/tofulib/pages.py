# SPDX-License-Identifier: GPL-2.0-only
"""Tables and pictures of the pages, made from the measured data in doc/data.

A table is between the lines <!-- table NAME --> and <!-- end --> of a page; NAME is a key of TABLES. A picture has the
sum of its data in a text chunk, so that a picture of other data is recognized without drawing it again.
"""

import csv
import hashlib
import json
import re
import struct
import tempfile
import zlib
from pathlib import Path

from . import CHECKOUT, bench, shell, venv, version

DOC = CHECKOUT / "doc"
PAGES = ("README.md", "doc/performance.md", "doc/internals/pool.md", f"doc/release-{version.tofu_version()}.md")
#: Cases of the table on the first page.
FEW = ("lj864", "lj32000", "eam32000", "rhodo", "chain")
ALL = (*FEW, "chute")
#: Cases with deep potentials that are left out of the table.
UNLISTED = ("water2", "water4", "water512")
#: Pictures, the data that they show, and the modules that draw them.
PICTURES = {"threads.png": ("threads", "plot_threads"), "deepmd.png": ("deepmd-zen4", "plot_deepmd")}
TABLE = re.compile(r"(<!-- table ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
PNG = b"\x89PNG\r\n\x1a\n"
KEYWORD = b"Data\0"


def command(options):
    """tools/tofu pages."""
    stale = [name for name in PAGES if page_text(name) != (CHECKOUT / name).read_text(encoding="utf-8")]
    pictures = [name for name in PICTURES if data_sum_of(DOC / "img" / name) != data_sum(PICTURES[name][0])]
    if options.check:
        for name in (*stale, *pictures):
            shell.say(f"{name}: not made from the data in doc/data; run tools/tofu pages")
        return int(bool(stale or pictures))
    for name in stale:
        (CHECKOUT / name).write_text(page_text(name), encoding="utf-8")
    for name in pictures:
        draw(name, DOC / "img" / name)
    shell.say(f"written: {', '.join((*stale, *pictures)) or 'nothing, all are up to date'}")
    return 0


def read(name):
    """The data of a name."""
    return json.loads((DOC / "data" / f"{name}.json").read_text(encoding="utf-8"))


def page_text(name):
    """The text of a page with the tables that its data give."""
    def table(found):
        if found[2] not in TABLES:
            raise shell.Failure(f"{name}: there is no table '{found[2]}'; there are {', '.join(TABLES)}")
        return f"{found[1]}{TABLES[found[2]]()}\n{found[3]}"
    return TABLE.sub(table, (CHECKOUT / name).read_text(encoding="utf-8"))


def rows(head, cells):
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *cells]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def microseconds(time):
    """Time of a step: three digits, or whole microseconds."""
    return f"{time:.1f}" if time < 100 else f"{time:,.0f}"


def machine_of(about):
    """The processor, in words of a person if there are some."""
    return about.get("machine", about.get("processor"))


def origin(about, words):
    """Sentence on machine, version and command of a measurement."""
    commit = f", commit {about['commit']}" if "commit" in about else ""
    return (f"{about['cores']} cores, {machine_of(about)}, LAMMPS {about['lammps']}, {about['pairs']} interleaved "
            f"rounds, {about['date'][:10]}{commit}: `tools/tofu bench{words}`.")


def threads_table(name, cases):
    """Steps of the fastest package of LAMMPS and of TOFU; of more than a few cases with ratios of threads to ranks."""
    data = read(name)
    head = ["case", "atoms", "LAMMPS' fastest package, us a step", "TOFU, us a step", "times faster"]
    lines = []
    for case, one in data["cases"].items():
        if case in cases:
            summary = one["summary"]
            stock, ours = (f"{microseconds(summary['medians'][way])} ({way.removeprefix('threadpool ')})"
                           for way in (summary["stock"], summary["ours"]))
            lines.append([case, f"{one['atoms']:,}", stock, ours, bench.in_words(summary["speedup"])])
            if cases is not FEW:
                lines[-1].append(bench.in_words(threads_to_ranks(one)))
    if cases is not FEW:
        head.append("TOFU: 1x2 / 2x1")
    return f"{rows(head, lines)}\n\n{origin(data['about'], ' --threads')}"


def threads_to_ranks(case):
    """Time of one rank with two threads divided by that of two ranks."""
    if "runs" not in case:
        return case["summary"]["ways"]["1x2 / 2x1"]
    return bench.ratios(case["runs"]["threadpool 1x2"], case["runs"]["threadpool 2x1"])


def fork_join():
    """Time of fork and join, by machine."""
    found = [f"{data['fork and join']['threadpool']:.0f} ns ({data['fork and join']['libgomp, active']:.0f}) on "
             f"{machine_of(data['about'])}" for data in map(read, THREADS)]
    return f"Fork and join of two threads, and that of libgomp: {'; '.join(found)}."


def bench_table():
    """Section Comm and step of p2p/rdma relative to brick."""
    data = read("bench")
    lines = [[case, f"{one['atoms']:,}", *(bench.in_words(one["summary"][f"{part} ratio"])
                                           for part in ("comm", "loop"))]
             for case, one in data["cases"].items()]
    return f"{rows(['case', 'atoms', 'Comm', 'step'], lines)}\n\n{origin(data['about'], '')}"


def deepmd_table(name, quantity, unit, words):
    """Time of the pair style for an atom, or of a step, by deepmd-kit and by TOFU."""
    data, ways = read(name), ("deepmd-kit", "double", "mixed")
    lines = []
    for case, one in data["cases"].items():
        if one["quantity"] == quantity and case not in UNLISTED and set(ways) <= set(one["summary"]):
            summary, divisor = one["summary"], one["atoms"] if quantity == "pair" else 1000.0
            lines.append([case, f"{one['atoms']:,}", *(f"{summary[way]['median'] / divisor:.3g}" for way in ways),
                          *(bench.in_words(summary[way]["speedup"]) for way in ways[1:])])
    head = ["case", "atoms", f"deepmd-kit, {unit}", "TOFU, double", "TOFU, mixed", "times faster, double", "mixed"]
    source = f"{origin(data['about'], words)} deepmd-kit {data['about']['deepmd-kit']}, TensorFlow."
    return f"{rows(head, lines)}\n\n{source}"


def thread_gain_table():
    """What twelve threads bring, by the times of their parts on one core."""
    data, lines = read("thread-gain"), []
    for case, one in data["cases"].items():
        found = one["threads"]["12"]
        step = found["sections"]["Step"]
        alone = {name: values["alone"] / (step["alone"] + step["parts"]) for name, values in found["sections"].items()
                 if name != "Step"}
        most = sorted(alone, key=alone.get, reverse=True)[:2]
        lines.append([case, f"{one['about']['atoms']:,}", f"{found['alone']:.2%}",
                      ", ".join(f"{name} {alone[name]:.2%}" for name in most), f"{found['longest']:.2f}",
                      f"{found['steady']:.2f}", f"{step['forks']:.0f}", f"{found['speedup']:.1f}"])
    head = ["case", "atoms", "alone", "most of it in", "longest part, by the mean", "steady", "forks a step",
            "times faster"]
    about = next(iter(data["cases"].values()))["about"]
    return (f"{rows(head, lines)}\n\nOne core of {data['machine']}, one rank, 12 threads by counting, "
            f"{about['date'][:10]}, commit {about['commit']}: `{data['command']}`.")


def measured():
    """Other measurements, of which the page that their commit brought had single cases."""
    with open(DOC / "data" / "measured.csv", encoding="utf-8", newline="") as file:
        lines = [[one["what"], one["relative to"], one["times faster"], one["machine"],
                  f"{one['date']}, {one['commit']}", f"`{one['command']}`" if one["command"] else ""]
                 for one in csv.DictReader(file)]
    return rows(["what", "relative to", "times faster", "machine", "date, commit", "command"], lines)


#: Measurements of bench --threads, one for each processor; the first one is that of the README.
THREADS = ("threads", "threads-emerald-rapids", "threads-zen4")
TABLES = {
    **{name: lambda name=name: threads_table(name, ALL) for name in THREADS},
    "threads-few": lambda: threads_table("threads", FEW),
    "fork-join": fork_join,
    "bench": bench_table,
    "measured": measured,
    "thread-gain": thread_gain_table,
    "deepmd-zen4": lambda: deepmd_table("deepmd-zen4", "pair", "us an atom", " --deepmd FOLDER"),
    "dplr": lambda: deepmd_table("dplr", "step", "ms a step", " --deepmd FOLDER --cases dplr128,dplr16"),
}


def draw(name, picture):
    """Draw a picture, and write the sum of its data into it."""
    data, module = PICTURES[name]
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / name
        venv.carry_out(f"tofulib.{module}", "draw", read(data), drawn)
        picture.write_bytes(with_data_sum(drawn.read_bytes(), data_sum(data)))


def data_sum(name):
    """Sum of the data of a name, whatever their layout."""
    return hashlib.sha256(json.dumps(read(name), sort_keys=True).encode()).hexdigest()


def with_data_sum(png, text):
    """A picture with a text chunk behind its header."""
    end = len(PNG) + 25    # behind the chunk IHDR
    body = b"tEXt" + KEYWORD + text.encode()
    return png[:end] + struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body)) + png[end:]


def data_sum_of(picture):
    """The sum in a picture; empty without one."""
    found = re.search(b"tEXt" + KEYWORD + b"([0-9a-f]{64})", picture.read_bytes()) if picture.is_file() else None
    return found[1].decode() if found else ""
