# SPDX-License-Identifier: GPL-2.0-only
"""Run LAMMPS: any input, or the stock LJ benchmark with brick and with p2p_rdma side by side."""

import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from . import build, cache, log, mpi, shell

#: Arguments that make an unedited input use a ghost exchange.
COMM = {"brick": [], "p2p_rdma": ["-pk", "tofu", "comm", "p2p_rdma"]}
#: Number of runs with each ghost exchange in the comparison; they are interleaved, so that both see the same machine.
REPEATS = 2
#: Relative difference of the thermo output that rounding explains: at step 0, where only the order of a sum differs,
#: and after the 100 steps of the benchmark, over which an LJ liquid amplifies that by less than a factor 1e4.
TOLERANCE_FIRST = 1e-12
TOLERANCE_LAST = 1e-8


def command(options):
    """tools/tofu run."""
    if options.ranks < 1 or options.threads < 1:
        raise shell.Failure(f"need at least one rank and one thread, got -n {options.ranks} -t {options.threads}")
    lammps = build.build(options.lammps_version, options.lammps, options.mpi, options.portable)
    if options.input is None:
        return compare(lammps, options)
    return run_input(lammps, options)


def words(lammps, ranks, threads, comm):
    """The command that starts LAMMPS, up to the input."""
    thread_words = ["-sf", "omp", "-pk", "omp", str(threads)] if threads > 1 else []
    return [*mpi.launch(lammps.mpi, ranks, threads), str(lammps.lmp), *thread_words, *COMM[comm]]


def environment(lammps, threads):
    """The user's environment, with the folders of this LAMMPS' potentials and benchmarks."""
    tree = lammps.source.path
    found = {"LAMMPS_POTENTIALS": str(tree / "potentials"), "TOFU_LAMMPS_BENCH": str(tree / "bench")}
    return {**found, **os.environ, "OMP_NUM_THREADS": str(threads)}


def run_input(lammps, options):
    """Run one input in its own folder, where its data files are; the log goes to the current folder."""
    script = find_input(options.input, lammps)
    log_words = [] if "-log" in options.lammps_arguments or "-l" in options.lammps_arguments else [
        "-log", os.path.abspath("log.lammps")]
    line = [*words(lammps, options.ranks, options.threads, options.comm), "-in", script.name, *log_words,
            *options.lammps_arguments]
    shell.say(f"in {script.parent}: {shell.quote(line)}")
    sys.stdout.flush()
    return subprocess.run(line, cwd=script.parent, env=environment(lammps, options.threads), check=False).returncode


def find_input(name, lammps):
    """An input of the user, or a stock benchmark by its name."""
    stock = lammps.source.path / "bench" / Path(name).name
    for path in (Path(name), stock):
        if path.is_file():
            return path.resolve()
    available = ", ".join(sorted(path.name for path in stock.parent.glob("in.*")))
    raise shell.Failure(f"there is no input {name}. Give a file, or one of the stock benchmarks: {available}")


def compare(lammps, options):
    """Run the stock LJ benchmark with both ghost exchanges, print the breakdowns, check the physics.

    Returns:
        0 if the thermo output agrees, else 1.
    """
    folder = cache.folder("run")
    script = folder / "in.lj"
    write_precise(lammps.source.path / "bench" / "in.lj", script)
    shell.say(
        f"running bench/in.lj of LAMMPS {lammps.source.release} on {options.ranks} ranks with brick and p2p_rdma, "
              f"{REPEATS} times each")
    runs = {comm: [] for comm in COMM}
    for _ in range(REPEATS):
        for comm in COMM:
            logfile = folder / f"log.{comm}"
            line = [*words(lammps, options.ranks, options.threads, comm), "-in", script, "-log", logfile, "-screen",
                    "none"]
            run_checked(line, logfile, environment(lammps, options.threads))
            runs[comm] += log.read(logfile)
    print_breakdowns(runs)
    problems = differences(runs["brick"][0], runs["p2p_rdma"][0])
    print("\n".join(problems) or f"Physics agrees: thermo output differs by at most {TOLERANCE_FIRST:g} at step 0 and "
                                 f"{TOLERANCE_LAST:g} at the last step.")
    print(f"Logs: {folder}")
    return 1 if problems else 0


def write_precise(stock, script):
    """An input that runs a stock input, unedited, with all digits in the thermo output."""
    if any(character in str(stock) for character in ' "'):
        shutil.copy(stock, script.with_name("in.stock"))
        stock = "in.stock"
    script.write_text(f"thermo_modify format float %.17g\ninclude {stock}\n", encoding="utf-8")


def run_checked(line, logfile, env, cwd=None):
    """Run LAMMPS quietly.

    Raises:
        shell.Failure: LAMMPS failed; the message has LAMMPS' own message if there is one.
    """
    logfile.unlink(missing_ok=True)
    done = shell.attempt(line, env=env, cwd=cwd or logfile.parent)
    if done.returncode:
        if logfile.exists():
            log.read(logfile)    # raises with LAMMPS' message
        raise shell.Failure(f"status {done.returncode} from\n  {shell.quote(line)}\n{done.stdout}{done.stderr}")


def print_breakdowns(runs):
    """The timing breakdowns side by side."""
    brick, p2p = (mean_times(runs[comm]) for comm in ("brick", "p2p_rdma"))
    one = runs["brick"][0]
    print(f"\nMPI task timing breakdown, s: {one.atoms} atoms, {one.steps} steps, {one.ranks} ranks, "
          f"mean of {len(runs['brick'])} runs")
    print(f"{'Section':8} | {'brick':>10} | {'p2p_rdma':>10} | {'ratio':>6}\n{'-' * 43}")
    for name, seconds in brick.items():
        ratio = f"{p2p[name] / seconds:6.2f}" if seconds > 0 else f"{'-':>6}"
        print(f"{name:8} | {seconds:10.6f} | {p2p[name]:10.6f} | {ratio}")
    print("Absolute times vary with what else the machine does; 'tools/tofu bench' measures the ratio properly.\n")


def mean_times(runs):
    """Mean time of each section, and of the loop, over runs of the same kind."""
    times = {name: statistics.mean(run.sections[name] for run in runs) for name in runs[0].sections}
    times["Loop"] = statistics.mean(run.seconds for run in runs)
    return times


def differences(reference, other):
    """Differences between two runs that rounding does not explain.

    Returns:
        One line for each difference; empty if the physics agrees.
    """
    if reference.columns != other.columns or len(reference.rows) != len(other.rows) or not reference.rows:
        return [f"thermo tables differ: brick has {len(reference.rows)} rows of {reference.columns}, "
                f"p2p_rdma has {len(other.rows)} rows of {other.columns}"]
    problems = []
    for row, limit in ((0, TOLERANCE_FIRST), (-1, TOLERANCE_LAST)):
        for name, expected, found in zip(reference.columns, reference.rows[row], other.rows[row]):
            scale = max(abs(expected), abs(found))
            if not abs(expected - found) <= limit * scale:
                problems.append(
                    f"PHYSICS DIFFERS at step {reference.rows[row][0]:.0f}: {name} is {expected!r} with brick and "
                                f"{found!r} with p2p_rdma; the limit is {limit:g} relative")
    return problems
