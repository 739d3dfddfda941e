# SPDX-License-Identifier: GPL-2.0-only
"""Measure each step from brick to the half shell by itself, section by section, as Figure 12 of the SC'23 paper does.

By default every message takes the network path, as it would between nodes: each rank counts as a node of its own,
p2p_rdma goes over libfabric, and MPI, which brick and all collectives use, goes over TCP. Otherwise brick would copy
through shared memory while the others pay for a network. With --hosts each rank is on a host of its own, as far as the
network is concerned: messages then cross a network stack and a bridge in any case. Rounds are interleaved (A B C ...
A B C ...), and ratios are taken within a round, for the reasons given in bench.py.
"""

import contextlib
import re
import statistics
from typing import NamedTuple, Optional

from . import bench, build, cache, hosts, log, mpi, shell, trial

#: Sections of a bar. All other time of a step is in the last one, so that the sections add up to the whole.
SECTIONS = ("Pair", "Neigh", "Comm", "Modify", "Other")
DEFAULT_CASES = ("lj4000", "lj32000", "eam")
#: Cases that the half shell cannot run.
WITH_BONDS = {"chain"}
TRANSPORTS = ("ofi", "mpi", "shm", "auto")
#: Transports with which no message may go through shared memory.
NETWORK = ("ofi", "mpi")
#: The small input that shows whether the program takes a variant.
PROBE = bench.Case("in.lj", 0.3, 0)
#: Variables that make each MPI library use TCP between ranks of one machine. FI_PROVIDER would be enough for some, but
#: p2p_rdma reads it too.
OVER_TCP = {"openmpi": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self"},
            "mpich": {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self"}}
#: Pins the rank of a host; Open MPI takes each host for a machine that has all cores for itself.
PIN = 'first=$((OMPI_COMM_WORLD_RANK * {threads})); exec taskset -c "$first-$((first + {threads} - 1))" "$0" "$@"'


class Variant(NamedTuple):
    """One step on the way from brick to the half shell."""

    label: str             #: name in tables and pictures
    keywords: str = ""     #: keywords of comm_style p2p/rdma; empty: brick
    threads: int = 1       #: communication threads of each rank


REFERENCE = "brick"
VARIANTS = {
    REFERENCE: Variant("brick"),
    "3stage": Variant("3 stages", "pattern 3stage"),
    "p2p": Variant("p2p", "pattern p2p shell full endpoints 1 threads 1"),
    "endpoints": Variant("p2p, 4 endpoints", "shell full endpoints 4 threads 1"),
    "threads": Variant("p2p, 2 threads", "shell full endpoints 2 threads 2", threads=2),
    "half": Variant("p2p, half shell", "shell half"),
}


class Setting(NamedTuple):
    """Settings that all runs share."""

    lammps: build.Build
    transport: str
    over_tcp: bool
    places: Optional[hosts.Hosts] = None    #: a host for each rank; None: all ranks on this machine


def command(options):
    """tools/tofu bench --steps."""
    names = bench.chosen(options, "--steps", bench.CASES, DEFAULT_CASES)
    if WITH_BONDS & set(names):
        raise shell.Failure(
            f"--steps cannot run {', '.join(sorted(WITH_BONDS & set(names)))}: the half shell does not serve atoms "
            f"with bonds")
    lammps = bench.ready(options, drawn=True)
    over_tcp = options.transport in NETWORK if options.brick_over_tcp is None else options.brick_over_tcp
    why = hosts.why_not(lammps.mpi.name) if options.hosts else ""
    if why:
        raise shell.Failure(f"--hosts is not possible: {why}")
    clock = bench.StateClock()
    with hosts.Hosts(bench.RANKS, cache.folder("bench")) if options.hosts else contextlib.nullcontext() as made:
        setting = Setting(lammps, options.transport, over_tcp, made)
        variants, left_out = probe(setting)
        cases = {name: measure_case(name, setting, variants, options.pairs, clock) for name in names}
    result = {"about": {**bench.about(lammps, options), "transport": options.transport, "mpi_over_tcp": over_tcp,
                        "hosts": bench.RANKS if options.hosts else 1},
              "variants": {name: describe(name, setting) for name in variants}, "left_out": left_out, "cases": cases}
    print_table(result)
    return bench.finish(options, "steps", result, "plot_steps")


def describe(name, setting):
    """Label, arguments and environment with which a reader can repeat a variant."""
    return {"label": VARIANTS[name].label, "arguments": shell.quote(package_words(VARIANTS[name], setting)),
            "environment": extra_environment(setting)}


def probe(setting):
    """Ask the program which variants it takes, by a run without steps.

    Returns:
        The names of the variants that it takes, and the reasons against the others.
    """
    script = bench.write_script(PROBE, setting.lammps)
    taken, left_out = [], {}
    for name in VARIANTS:
        logfile = script.with_name(f"log.probe.{name}")
        logfile.unlink(missing_ok=True)
        done = shell.attempt(line(name, PROBE, script, logfile, setting), env=environment(setting),
                             cwd=bench_folder(setting))
        text = logfile.read_text(encoding="utf-8", errors="replace") if logfile.exists() else ""
        why = refusal(text)
        if why:
            left_out[name] = why
            shell.say(f"leaving out {VARIANTS[name].label}: {why}")
        elif done.returncode:
            raise shell.Failure(f"{VARIANTS[name].label} failed with status {done.returncode}: {first_error(text)}\n"
                                f"{done.stdout}{done.stderr}")
        else:
            taken.append(name)
    if REFERENCE not in taken or len(taken) < 2:
        raise shell.Failure("there is nothing to compare: the program takes only "
                            + (", ".join(taken) or "none of the variants"))
    return taken, left_out


def refusal(text):
    """Reason why the program that wrote this log refused a variant; None if it did not.

    Either the program has no such option, or it does without the transport: the run would then measure something
    else than the table says.
    """
    found = re.search(r"^ERROR: Unknown .*|^WARNING: .*using MPI instead of .*", text, re.MULTILINE)
    return found and found.group(0)


def first_error(text):
    """LAMMPS' own message, if there is one."""
    found = re.search(r"^ERROR.*", text, re.MULTILINE)
    return found.group(0) if found else "no message in its log"


def line(name, case, script, logfile, setting):
    """The command of one run.

    Ranks are pinned alike in all variants, except that a variant with several threads gets a core for each thread if
    there are enough.
    """
    variant = VARIANTS[name]
    threads = variant.threads if bench.RANKS * variant.threads <= mpi.cores()[0] else 1
    return [*launch(setting, threads), str(setting.lammps.lmp), *package_words(variant, setting),
            "-in", script, "-log", logfile, "-screen", "none", *case.variables]


def launch(setting, threads):
    """Words that start a program on all ranks, pinned."""
    if not setting.places:
        return mpi.launch(setting.lammps.mpi, bench.RANKS, threads)
    words = [*setting.places.wrapper, *mpi.free_launch(setting.lammps.mpi), *setting.places.options(1), "-np",
             str(bench.RANKS)]
    pinned = bench.RANKS * threads <= mpi.cores()[0]
    return [*words, "sh", "-c", PIN.format(threads=threads)] if pinned else words


def package_words(variant, setting):
    """LAMMPS arguments of a variant."""
    if not variant.keywords:
        return []
    return [*trial.COMM["p2p_rdma"], *variant.keywords.split(), "transport", setting.transport]


def environment(setting):
    """Environment of all runs."""
    return {**trial.environment(setting.lammps, 1), **extra_environment(setting)}


def extra_environment(setting):
    """Variables that make messages take the wanted path.

    They are the same for all variants: collectives, which all variants leave to MPI, then cost the same in all.
    """
    if setting.places:
        return setting.places.environment
    found = {"TOFU_NODE_SIZE": "1"} if setting.transport in NETWORK else {}
    if setting.over_tcp:
        found.update(OVER_TCP[setting.lammps.mpi.name])
    return found


def bench_folder(setting):
    """Folder in which the inputs find their files."""
    return setting.lammps.source.path / "bench"


def measure_case(name, setting, variants, nrounds, clock):
    """Run one case round by round.

    Returns:
        Sizes, every single run, and the summary by state of the machine.
    """
    case = bench.CASES[name]
    script = bench.write_script(case, setting.lammps)
    show = shell.Progress(".")
    rounds = []
    for number in range(nrounds):
        show.line(f"bench --steps {name}: round {number + 1} of {nrounds}")
        rounds.append(measure_round(name, case, script, setting, variants, clock))
    show.finish()
    return {"atoms": rounds[0]["runs"][REFERENCE]["atoms"], "steps": case.steps, "rounds": rounds,
            "summary": summarize(rounds)}


def measure_round(name, case, script, setting, variants, clock):
    """One run of each variant, one right after the other."""
    runs, states = {}, [clock.state()]
    for variant in variants:
        logfile = script.with_name(f"log.{name}.{variant}")
        trial.run_checked(line(variant, case, script, logfile, setting), logfile, environment(setting),
                        cwd=bench_folder(setting))
        runs[variant] = with_other(bench.times(log.read(logfile)[-1]))
        states.append(clock.state())
    return {"runs": runs, "state": bench.state_of(states, runs.values())}


def with_other(one):
    """A run with the sections of a bar."""
    parts = {name: one["sections"].get(name, 0.0) for name in SECTIONS[:-1]}
    return {**one, "sections": {**parts, SECTIONS[-1]: one["loop"] - sum(parts.values())}}


def summarize(rounds):
    """Medians and ranges over all rounds, and over those of each state of the machine."""
    return {state: summarize_group(group) for state, group in bench.by_state(rounds).items()}


def summarize_group(rounds):
    """Times and ratios over some rounds."""
    return {"rounds": len(rounds), "variants": {name: summarize_variant(name, rounds) for name in rounds[0]["runs"]}}


def summarize_variant(name, rounds):
    """Median times of a variant, and its ratios to the reference of the same round."""
    runs = [one["runs"][name] for one in rounds]
    references = [one["runs"][REFERENCE] for one in rounds]
    return {"sections": {part: statistics.median(one["sections"][part] for one in runs) for part in SECTIONS},
            "loop": statistics.median(one["loop"] for one in runs),
            "loop ratio": bench.ratio_range([one["loop"] / other["loop"] for one, other in zip(runs, references)]),
            "comm ratio": bench.ratio_range([one["sections"]["Comm"] / other["sections"]["Comm"]
                                             for one, other in zip(runs, references)])}


def print_table(result):
    """Print the summary: a block for each case and state, a row for each variant."""
    about = result["about"]
    path = f"transport {about['transport']}, MPI over {'TCP' if about['mpi_over_tcp'] else 'its default'}"
    if about.get("hosts", 1) > 1:
        path += ", each on a host of its own"
    print(f"\nMedian time per step in us, {about['ranks']} ranks, {path}; ratios to {VARIANTS[REFERENCE].label} of the "
          f"same round, "
          f"below 1 is faster.")
    for name, case in result["cases"].items():
        for state, group in case["summary"].items():
            print_block(f"{name}, {case['atoms']} atoms, {state} ({group['rounds']} rounds)", group)
    for name, why in result["left_out"].items():
        print(f"Left out: {VARIANTS[name].label}: {why}")
    disturbed = sum(one["state"] == bench.DISTURBED for case in result["cases"].values() for one in case["rounds"])
    if disturbed:
        print(f"{disturbed} of the rounds were disturbed by other programs: they count in the blocks 'all' only. "
              f"Repeat on an idle "
              f"machine.")
    print()


def print_block(title, group):
    """Print the rows of one case in one state of the machine."""
    print(f"\n{title}")
    print(f"{'':17}" + "".join(f"{part:>9}" for part in (*SECTIONS, "whole"))
          + f"   {'whole ratio':^20}   {'Comm ratio':^20}")
    for name, one in group["variants"].items():
        times = "".join(f"{value:9.1f}" for value in (*one["sections"].values(), one["loop"]))
        ratios = "   ".join(f"{ratio['median']:6.3f} {ratio['min']:.3f}-{ratio['max']:.3f}".ljust(20)
                            for ratio in (one["loop ratio"], one["comm ratio"]))
        print(f"{VARIANTS[name].label:17}{times}   {ratios}".rstrip())
