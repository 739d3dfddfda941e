# SPDX-License-Identifier: GPL-2.0-only
"""Run LAMMPS with TOFU: the user's input, or without one the stock LJ benchmark against the fastest stock LAMMPS."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import bench, build, cache, configuration, contest, launcher, program, ranking, shell, trial
from .configuration import OURS, STOCK, Configuration

#: Inputs in LAMMPS' bench folder, which are known by name.
BENCHMARKS = ("in.chain", "in.chute", "in.eam", "in.lj", "in.rhodo")
#: Time for the comparison without an input [s].
SECONDS = 40
#: Relative difference of the thermo output that rounding explains: at step 0, where only the order of sums differs,
#: and after the 100 steps of the benchmark, over which an LJ liquid amplifies that by less than 1e4. At step 0 the
#: benchmark is a lattice: LAMMPS adds a million pair energies of few values, whose rounding errors are the same many
#: times over.
TOLERANCE_FIRST = 1e-11
TOLERANCE_LAST = 1e-8


def command(options):
    """tools/tofu run."""
    for name, value in (("-n", options.ranks), ("-t", options.threads)):
        if value is not None and value < 1:
            raise shell.Failure(f"got {name} {value}; at least one is needed")
    script = None if options.input is None else find_input(options.input)
    bed = prepare(options)
    if script is None:
        return compare(bed, options.ranks or bed.launcher.where.total)
    return run_input(bed, stock_input(bed, script), options)


def find_input(name):
    """An input of the user, or a stock benchmark by its name; looked for before anything is built.

    Raises:
        shell.Failure: It is neither.
    """
    path = Path(name)
    if path.is_file():
        return path.resolve()
    if name in BENCHMARKS:
        return path
    raise shell.Failure(f"there is no input {name}. Give a file, or one of LAMMPS' benchmarks: {', '.join(BENCHMARKS)}")


def stock_input(bed, script):
    """The path of an input that may be a stock benchmark.

    Raises:
        shell.Failure: The program has no source tree to take it from.
    """
    if script.is_absolute():
        return script
    if "TOFU_LAMMPS_BENCH" not in bed.program.folders:
        raise shell.Failure(f"{bed.program.lmp} has no source tree with bench/{script}; give the path of the input")
    return Path(bed.program.folders["TOFU_LAMMPS_BENCH"]) / script


def prepare(options):
    """The program, built if need be, and the way to start it.

    Returns:
        A trial.Bench.
    """
    if options.lmp:
        found = program.existing(options.lmp, options.plugin, options.launch)
    else:
        found = program.built(build.build(options.lammps_version, options.lammps, options.mpi, options.portable,
                                          packages=options.packages))
    return trial.Bench(found, launcher.Launcher(found.library, options.launch))


def chosen(options, where):
    """The configuration that the options ask for.

    Args:
        options: Those of the command line.
        where: The Allocation; it gives the number of ranks if the options do not.
    """
    ranks = options.ranks or max(1, where.total // options.threads)
    if options.stock or options.no_suffix:
        comm = () if options.stock or options.comm == "brick" else (options.comm,)
        return Configuration("omp" if options.threads > 1 else "", ranks, options.threads, comm)
    return Configuration("threadpool", ranks, options.threads, () if options.comm == "brick" else (options.comm,))


def run_input(bed, script, options):
    """Run one input in its own folder, where its data files are; the log goes to the current folder.

    Returns:
        The exit status.

    Raises:
        shell.Failure: The program has no TOFU, and LAMMPS as it is was not asked for.
    """
    one = chosen(options, bed.launcher.where)
    if one.side == OURS and bed.program.tofu == program.ABSENT:
        raise shell.Failure(f"{bed.program.lmp} has no TOFU. Give --plugin FILE, set LAMMPS_PLUGIN_PATH to the folder "
                            f"of tofuplugin.so, or use --stock")
    log_words = [] if "-log" in options.lammps_arguments or "-l" in options.lammps_arguments else [
        "-log", os.path.abspath("log.lammps")]
    line = bed.line(one, ["-in", started(bed, one, script), *log_words, *options.lammps_arguments])
    shell.say(f"on {bed.launcher.where.name}, in {script.parent}: {shell.quote(line)}")
    sys.stdout.flush()
    return subprocess.run(line, cwd=script.parent, env=bed.environment(one), check=False).returncode


def started(bed, one, script):
    """The script to start: the input, or one that loads the plug-in and then includes the input."""
    lines = bed.lines(one)
    if not lines:
        return script.name
    wrapper = cache.folder("run") / f"in.plugin-{os.getpid()}"
    wrapper.write_text("\n".join([*lines, f"include {script.name}"]) + "\n", encoding="utf-8")
    return str(wrapper)


def compare(bed, cores):
    """Run the stock LJ benchmark with the fastest of LAMMPS' own packages and with TOFU, and check the physics.

    Returns:
        0 if the thermo output agrees, else 1.
    """
    folder = cache.folder("run")
    script = folder / "in.lj"
    write_precise(stock_input(bed, Path("in.lj")), script)
    node = max(bed.launcher.where.cores)
    candidates = [*configuration.stock(cores, bed.program.suffixes, node), *configuration.ours(cores, node)]
    shell.say(f"running bench/in.lj on {bed.launcher.where.name}: {len(candidates)} configurations, about {SECONDS} s")
    show, logs = shell.Progress("."), {}

    def measure(one):
        (logs[one],) = bed.carry_out(one, script, folder / "log.lammps", folder)
        return bench.times(logs[one])["loop"]

    result = contest.hold(candidates, measure, SECONDS, (STOCK, OURS), show.line)
    show.finish()
    one = logs[candidates[0]]
    print(f"\n{one.atoms} atoms, {one.steps} steps, {cores} cores as ranks x threads")
    ranking.print_times(result)
    print(ranking.verdict(result))
    ranking.print_sections(result, {one: bench.times(found)["sections"] for one, found in logs.items()})
    problems = differences(logs[candidates[0]], logs[result.best[OURS]])
    print("\n" + ("\n".join(problems) or f"Physics agrees: thermo output differs by at most {TOLERANCE_FIRST:g} at "
                                         f"step 0 and {TOLERANCE_LAST:g} at the last step."))
    print("Your own input: tools/tofu run my.input     The best settings for it: tools/tofu tune my.input")
    return 1 if problems else 0


def write_precise(stock, script):
    """An input that runs a stock input, unedited, with all digits in the thermo output."""
    if any(character in str(stock) for character in ' "'):
        shutil.copy(stock, script.with_name("in.stock"))
        stock = "in.stock"
    script.write_text(f"thermo_modify format float %.17g\ninclude {stock}\n", encoding="utf-8")


def differences(reference, other):
    """Differences between two runs that rounding does not explain.

    Returns:
        One line for each difference; empty if the physics agrees.
    """
    if reference.columns != other.columns or len(reference.rows) != len(other.rows) or not reference.rows:
        return [f"thermo tables differ: LAMMPS as it is has {len(reference.rows)} rows of "
                f"{reference.columns}, TOFU has {len(other.rows)} rows of {other.columns}"]
    problems = []
    for row, limit in ((0, TOLERANCE_FIRST), (-1, TOLERANCE_LAST)):
        for name, expected, found in zip(reference.columns, reference.rows[row], other.rows[row]):
            scale = max(abs(expected), abs(found))
            if not abs(expected - found) <= limit * scale:
                problems.append(
                    f"PHYSICS DIFFERS at step {reference.rows[row][0]:.0f}: {name} is {expected!r} with LAMMPS "
                                f"as it is and {found!r} with TOFU; the limit is {limit:g} relative")
    return problems
