# SPDX-License-Identifier: GPL-2.0-only
"""Run LAMMPS with TOFU: the user's input, or without one the stock LJ benchmark against the fastest stock LAMMPS."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from . import (bench, build, busy, cache, configuration, contest, first_steps, input_needs, lammps_packages, launcher,
               program, ranking, shell, source, trial)
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
    if "--compare" in options.lammps_arguments:    # behind INPUT, where all else goes to LAMMPS
        options.lammps_arguments.remove("--compare")
        options.compare = True
    script = None if options.input is None else find_input(options.input)
    if options.compare and script is None:
        raise shell.Failure("--compare needs an INPUT to compare; without one 'tofu run' compares by itself")
    bed = prepare(options, script, options.lammps_arguments)
    if script is None:
        warn(bed.launcher, options.ranks or 1, options.threads)
        return compare(bed, options.ranks or bed.launcher.where.total, options.although_busy)
    one = chosen(options, bed.launcher.where)
    warn(bed.launcher, one.ranks, one.threads)
    refuse_without_tofu(bed, one)
    script = stock_input(bed, script)
    if options.compare:
        return first_steps.command(bed, script, one, options.folder, options.lammps_arguments)
    return run_input(bed, script, one, options.lammps_arguments)


def warn(launcher, ranks, threads):
    """Tell the user of more ranks and threads than there are cores."""
    text = launcher.warning(ranks, threads)
    if text:
        shell.say(text)


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


def prepare(options, script=None, words=()):
    """The program, built if need be, and the way to start it.

    Args:
        options: Those of the command line.
        script: The input, whose packages are built; None: the benchmark of `run`.
        words: Arguments of LAMMPS, for its variables.

    Returns:
        A trial.Bench.
    """
    launcher.check_program(options.launch)
    if options.lmp:
        found = program.existing(options.lmp, options.plugin, options.launch)
    else:
        found = program.built(built(options, script, words))
    bed = trial.Bench(found, launcher.Launcher(found.library, options.launch))
    if script is not None and not getattr(options, "stock", False):
        for text in input_needs.notices(stock_input(bed, script), words):
            shell.say(text)
    return bed


def built(options, script, words):
    """A LAMMPS with the packages that an input needs, or with those of the benchmark of `run`.

    Returns:
        A build.Build.
    """
    needs = ()
    if script is not None:
        tree = source.get(options.lammps_version, options.lammps)
        more = lammps_packages.chosen(tree, options.packages)
        needs = input_needs.packages_of(tree, tree.path / "bench" / script, words, more)    # absolute paths stay
    return build.build(options.lammps_version, options.lammps, options.mpi, options.portable,
                       packages=options.packages, needs=needs)


def chosen(options, where):
    """The configuration of the options.

    Args:
        options: Those of the command line.
        where: The Allocation; it gives the number of ranks if the options do not.
    """
    ranks = options.ranks or max(1, where.total // options.threads)
    if options.stock or options.no_suffix:
        comm = () if options.stock or options.comm == "brick" else (options.comm,)
        return Configuration("omp" if options.threads > 1 else "", ranks, options.threads, comm)
    return Configuration("threadpool", ranks, options.threads, () if options.comm == "brick" else (options.comm,))


def refuse_without_tofu(bed, one):
    """Refuse a configuration with TOFU for a program without it.

    Raises:
        shell.Failure: The program has no TOFU, and the configuration is not that of LAMMPS as it is.
    """
    if one.side == OURS and bed.program.tofu == program.ABSENT:
        raise shell.Failure(f"{bed.program.lmp} has no TOFU. Give --plugin FILE, set LAMMPS_PLUGIN_PATH to the folder "
                            f"of tofuplugin.so, or use --stock")


def run_input(bed, script, one, words):
    """Run one input in its own folder, where its data files are; the log goes to the current folder.

    Args:
        bed: A trial.Bench.
        script: The input.
        one: A Configuration.
        words: Arguments of LAMMPS.

    Returns:
        The exit status.
    """
    log_words = [] if "-log" in words or "-l" in words else ["-log", os.path.abspath("log.lammps")]
    line = bed.line(one, ["-in", started(bed, one, script), *log_words, *words])
    shell.say(f"on {bed.launcher.where.name}, in {script.parent}: {shell.quote(line)}")
    sys.stdout.flush()
    try:
        return subprocess.run(line, cwd=script.parent, env=bed.environment(one), check=False).returncode
    except OSError as error:
        raise shell.Failure(f"cannot start {line[0]}: {error}") from None


def started(bed, one, script):
    """The script to start: the input, or one that loads the plug-in and then includes the input."""
    lines = bed.lines(one)
    if not lines:
        return script.name
    wrapper = cache.folder("run") / f"in.plugin-{os.getpid()}"
    wrapper.write_text("\n".join([*lines, f"include {script.name}"]) + "\n", encoding="utf-8")
    return str(wrapper)


def compare(bed, cores, although_busy=False):
    """Run the stock LJ benchmark with the fastest of LAMMPS' own packages and with TOFU, and check the physics.

    Args:
        bed: A trial.Bench.
        cores: Number of cores.
        although_busy: Whether there is a verdict on a busy machine.

    Returns:
        1 if the thermo output differs, busy.STATUS on a busy machine, else 0.
    """
    folder = cache.folder("run")
    script = folder / "in.lj"
    write_precise(stock_input(bed, Path("in.lj")), script)
    node = max(bed.launcher.where.cores)
    candidates = [*configuration.stock(cores, bed.program.suffixes, node, bed.program.threaded),
                  *configuration.ours(cores, node)]
    shell.say(f"running bench/in.lj on {bed.launcher.where.name}: {len(candidates)} configurations, about {SECONDS} s")
    show, logs, watch = shell.Progress("."), {}, busy.Watch(bed.launcher, cores)

    def measure(one):
        watch.look()
        (found,) = bed.carry_out(one, script, folder / "log.lammps", folder)
        logs.setdefault(one, []).append(found)
        return bench.times(found)["loop"]

    result = contest.hold(candidates, measure, SECONDS, (STOCK, OURS), show.line)
    show.finish()
    reference, best = logs[candidates[0]][0], list(result.best.values())
    print(f"\n{reference.atoms} atoms, {reference.steps} steps, {cores} cores as ranks x threads")
    ranking.print_times(result)
    reasons = watch.reasons([result.times[one] for one in best], [[run.cpu_use for run in logs[one]] for one in best])
    print(busy.message(reasons) if reasons and not although_busy else ranking.verdict(result))
    ranking.print_sections(result, {one: [(run["loop"], run["sections"]) for run in map(bench.times, logs[one])]
                                    for one in best})
    problems = differences(reference, logs[result.best[OURS]][0])
    print("\n" + ("\n".join(problems) or f"Physics agrees: thermo output differs by at most {TOLERANCE_FIRST:g} at "
                                         f"step 0 and {TOLERANCE_LAST:g} at the last step."))
    print("Your own input: tools/tofu run my.input     The best settings for it: tools/tofu tune my.input")
    return 1 if problems else busy.STATUS if reasons else 0


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
