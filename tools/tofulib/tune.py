# SPDX-License-Identifier: GPL-2.0-only
"""Find the fastest way to run the user's own input on a number of cores: a contest of short runs in scratch copies."""

import shlex
import tempfile
import time
from pathlib import Path

from . import bench, cache, configuration, contest, program, ranking, run, same_physics, scratch, shell, venv
from .configuration import OURS, P2P, STOCK

#: Bounds of the time that a run computes steps in [s].
SHORTEST_WINDOW, LONGEST_WINDOW = 0.5, 10.0
#: Rounds that the time is dealt to, counted as if all candidates took part: most are dropped after the first.
ROUNDS_WITH_ALL = 1.8
#: Share of the time for further choices of the best configuration.
SHARE_OF_REFINEMENT = 0.3
#: Least share of a step from which the long-range part is worth trials.
LEAST_KSPACE = 0.03
#: Seconds of the first, longest run, which finds out how the input spends its time.
PROBE = 3.0


def command(options):
    """tools/tofu tune."""
    script = run.find_input(options.input)
    if options.seconds < 10:
        raise shell.Failure(f"got --seconds {options.seconds}; a run of each candidate needs 10 seconds at least")
    bed = run.prepare(options)
    if bed.program.tofu == program.ABSENT:
        raise shell.Failure(f"{bed.program.lmp} has no TOFU; give --plugin FILE, or leave --lmp out to build one")
    script = run.stock_input(bed, script)
    cores = options.cores or bed.launcher.where.total
    with tempfile.TemporaryDirectory(prefix="tofu-tune-", dir=cache.folder("tune")) as place:
        tuning = Tuning(bed, scratch.Scratch(script, options.folder, place), cores, options.lammps_arguments)
        carry_out = tuning.search_all if options.exhaustive else tuning.carry_out
        result = carry_out(options.seconds, options.mixed)
    report(result, tuning, script, options)
    return 0


class Tuning:
    """The candidates and their measurements.

    Args:
        bed: A trial.Bench.
        copies: A Scratch.
        cores: Number of cores.
        more: Further arguments of LAMMPS.
    """

    def __init__(self, bed, copies, cores, more=()):
        self.bed = bed
        self.copies = copies
        self.cores = cores
        self.more = tuple(more)
        self.comparison = same_physics.Comparison()
        self.window = PROBE
        self.part = 0          # which run of the input is measured
        self.sections = {}     # candidate -> sections of its last run [us a step]
        self.atoms = 0
        self.kspace = False    # whether the long-range part matters

    def carry_out(self, seconds, mixed=False):
        """Hold the contest.

        Args:
            seconds: Time that it may take.
            mixed: Whether single precision of pairs is tried as well.

        Returns:
            The Result of the contest.
        """
        start = time.monotonic()
        show = shell.Progress(".")
        show.line(f"tune: {self.copies.script} with LAMMPS as it is")
        setup = self.probe()
        candidates = self.candidates(mixed)
        rest = seconds - (time.monotonic() - start)
        self.set_window((1.0 - SHARE_OF_REFINEMENT) * rest, len(candidates), setup)

        def say(text):
            show.line(f"tune {text}")

        result = contest.hold(candidates, self.measure, (1.0 - SHARE_OF_REFINEMENT) * rest, (STOCK, OURS), say)
        further = self.refinements(result)
        rest = max(seconds - (time.monotonic() - start), 0.1 * seconds)
        if further:
            self.set_window(rest, len(further), setup)
            result = contest.joined(result, contest.hold(further, self.measure, rest, (STOCK, OURS), say))
        show.finish()
        return result

    def search_all(self, seconds, mixed=False):
        """Measure all configurations and all further choices of each in all rounds, however long it takes.

        Args:
            seconds: Time that a run of all of them takes in each round, with some more for starting them.
            mixed: Whether single precision of pairs is tried as well.

        Returns:
            The Result of the contest.
        """
        show = shell.Progress(".")
        show.line(f"tune: {self.copies.script} with LAMMPS as it is")
        setup = self.probe()
        candidates = self.candidates(mixed)
        for one in list(candidates):
            candidates += configuration.refinements(one, self.cores, self.kspace)
        candidates = list(dict.fromkeys(candidates))
        self.set_window(seconds, len(candidates), setup)
        result = contest.hold(candidates, self.measure, 0.0, (STOCK, OURS), lambda text: show.line(f"tune {text}"),
                              slack=contest.ALL_STAY)
        show.finish()
        return result

    def set_window(self, seconds, ncandidates, setup):
        """Deal the time of a contest to its runs.

        Args:
            seconds: Time of the contest.
            ncandidates: Number of its candidates.
            setup: Time of a run before the steps that are measured [s].
        """
        share = seconds / (ROUNDS_WITH_ALL * ncandidates) - setup
        self.window = setup + min(LONGEST_WINDOW, max(SHORTEST_WINDOW, share))

    def refinements(self, result):
        """Further choices of the best configuration with suffix, after the best of both sides; empty if there are
        none."""
        if set(result.best) != {STOCK, OURS}:
            return []
        best = result.best[OURS]
        further = configuration.refinements(best, self.cores, self.kspace)
        return further and [result.best[STOCK], best, *further]

    def candidates(self, mixed):
        """All configurations that are tried, LAMMPS without a package first: it is the reference."""
        node = max(self.bed.launcher.where.cores)
        found = configuration.stock(self.cores, self.bed.program.suffixes, node)
        for one in configuration.ours(self.cores, node):
            found += [one, one._replace(comm=())]
            if one.ranks > 1:
                found.append(one._replace(comm=(*P2P, "shell", "full")))
            found += [one._replace(precision="mixed")] if mixed else []
        return found + [configuration.Configuration(suffix, self.cores, 1, P2P)
                        for suffix in ("", *self.bed.program.suffixes)]

    def probe(self):
        """Run the input once as it is.

        Returns:
            Time before the steps that are measured [s].
        """
        one = configuration.Configuration("", self.cores, 1)
        start = time.monotonic()
        runs = self.run(one, PROBE)
        passed = time.monotonic() - start
        self.part = max(range(len(runs)), key=lambda i: runs[i].seconds)
        self.atoms = runs[self.part].atoms
        self.kspace = runs[self.part].sections.get("Kspace", 0.0) > LEAST_KSPACE * runs[self.part].seconds
        self.comparison.add_reference(one.ranks, same_physics.first_row(runs))
        return max(0.0, passed - runs[self.part].seconds)

    def run(self, one, seconds):
        """Run a fresh copy for some seconds.

        Returns:
            All runs in the log.
        """
        folder, script = self.copies.fresh(seconds, self.bed.lines(one))
        return self.bed.carry_out(one, script, folder / "log.tofu", folder, self.more)

    def measure(self, one):
        """Time of a step.

        Raises:
            contest.Refused: LAMMPS stops with an error, other physics than LAMMPS without a package, or no steps.
        """
        if not self.comparison.has(one.ranks):
            reference = self.run(configuration.Configuration("", one.ranks, 1), SHORTEST_WINDOW)
            self.comparison.add_reference(one.ranks, same_physics.first_row(reference))
        try:
            runs = self.run(one, self.window)
        except shell.Failure as failure:
            raise contest.Refused(first_line(str(failure))) from None
        self.judge(one, same_physics.first_row(runs))
        if len(runs) <= self.part or not runs[self.part].steps:
            raise contest.Refused(f"it did not come to run {self.part + 1} of the input in {self.window:.1f} s")
        measured = bench.times(runs[self.part])
        self.sections[one] = measured["sections"]
        return measured["loop"]

    def judge(self, one, row):
        """Learn from LAMMPS' own packages how much rounding matters, and refuse a candidate of ours that differs
        more."""
        if one.side == STOCK:
            if one.suffix in ("opt", "omp"):
                self.comparison.add_stock(one.ranks, row)
            return
        lines = self.comparison.differences(one.ranks, row, one.precision)
        if lines:
            raise contest.Refused(f"its first thermo output differs: {lines[0]}")


def first_line(text):
    """The first line of a message."""
    return text.strip().splitlines()[0] if text.strip() else "it failed"


def report(result, tuning, script, options):
    """Print the table, the refused, and the command line that won; write the files that are wanted."""
    print(f"\n{script.name}: {tuning.atoms} atoms on {tuning.cores} cores, run {tuning.part + 1} of the input")
    ranking.print_times(result)
    ranking.print_sections(result, tuning.sections)
    print(f"\n{ranking.verdict(result)}")
    winner = ranking.winner(result)
    if winner:
        print(f"The fastest is\n  {command_line(tuning, winner, script)}")
    write_files(result, tuning, script, options)


def command_line(tuning, one, script):
    """What to type for a configuration."""
    line = shell.quote(tuning.bed.line(one, ["-in", script.name, *tuning.more]))
    lines = tuning.bed.lines(one)
    return line + "".join(f"\n  with this line in front of the input: {text}" for text in lines)


def write_files(result, tuning, script, options):
    """Write the figures as JSON, and draw them."""
    content = {"about": {**bench.origin(), "input": script.name, "atoms": tuning.atoms, "cores": tuning.cores,
                         "program": str(tuning.bed.program.lmp), "launcher": shlex.join(tuning.bed.launcher.words(1))},
               "times": [{"name": one.name, "side": one.side, "ranks": one.ranks, "threads": one.threads,
                          "arguments": one.arguments, "lines": tuning.bed.lines(one), "us a step": times,
                          "sections": tuning.sections.get(one, {})} for one, times in result.times.items()],
               "refused": {one.name: reason for one, reason in result.refused.items()},
               "best": {side: one.name for side, one in result.best.items()}, "times faster": result.speedup}
    if options.json:
        cache.write_json(options.json, content)
    if options.plot:
        with tempfile.TemporaryDirectory() as folder:
            data = options.json or Path(folder, "tune.json")
            cache.write_json(data, content)
            bench.plot(venv.python(), data, options.plot, "tofulib.plot_tune")
