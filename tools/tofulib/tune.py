# SPDX-License-Identifier: GPL-2.0-only
"""Find the fastest way to run the user's own input on a number of cores: a contest of short runs in scratch copies."""

import math
import shlex
import tempfile
import time

from . import (bench, busy, cache, configuration, contest, cutoff_search, program, ranking, run, same_physics, scratch,
               shell, trial, venv)
from .configuration import OURS, STOCK

#: Bounds of the time that a run computes steps in [s].
SHORTEST_WINDOW, LONGEST_WINDOW = 0.5, 10.0
#: Rounds that the time is dealt to, counted as if all candidates took part: most are dropped after the first.
ROUNDS_WITH_ALL = 1.8
#: Share of the time for further choices of the best configuration.
SHARE_OF_REFINEMENT = 0.3
#: With --cutoff, share of the time for the configurations; the rest is for the settings of the input.
SHARE_OF_CONFIGURATIONS = 0.4
#: Least share of a step from which the long-range part is worth trials.
LEAST_KSPACE = 0.03
#: Seconds of the first, longest run, which finds out how the input spends its time, and its share of all at most.
PROBE, SHARE_OF_PROBE = 3.0, 0.1
#: A run that takes so many times what is expected, and so much more, hangs [s].
HANGS_TIMES, HANGS = 3.0, 20.0
#: What is known is printed after this part more than the time that was given, if a verdict needs it.
PATIENCE = 0.15
#: Exit status without a verdict since there was too little time; busy.STATUS has the other one.
TOO_SHORT = 4
#: Arguments of LAMMPS that tune itself chooses.
CHOSEN_HERE = frozenset("-suffix -sf -package -pk -kokkos -k -partition -p -in -i -skiprun -sr".split())


def command(options):
    """tools/tofu tune.

    Returns:
        0 with a verdict, busy.STATUS on a busy machine, TOO_SHORT without enough rounds.
    """
    script = run.find_input(options.input)
    if not options.seconds >= 10:
        raise shell.Failure(f"got --seconds {options.seconds:g}; 10 at least are needed")
    if options.cores is not None and options.cores < 1:
        raise shell.Failure(f"got -n {options.cores}; at least one is needed")
    refuse_arguments(options.lammps_arguments)
    bed = run.prepare(options, script, options.lammps_arguments)
    if bed.program.tofu == program.ABSENT:
        raise shell.Failure(f"{bed.program.lmp} has no TOFU; give --plugin FILE, or leave --lmp out to build one")
    script = run.stock_input(bed, script)
    cores = options.cores or bed.launcher.where.total
    run.warn(bed.launcher, cores, 1)
    with tempfile.TemporaryDirectory(prefix="tofu-tune-", dir=cache.folder("tune")) as place:
        tuning = Tuning(bed, scratch.Scratch(script, options.folder, place), cores, options.lammps_arguments)
        search = cutoff_search.Search(tuning) if options.cutoff else None
        carry_out = tuning.search_all if options.exhaustive else tuning.carry_out
        share = SHARE_OF_CONFIGURATIONS if search else 1.0
        result = carry_out(share * options.seconds, options.mixed)
        if search and ranking.winner(result):
            search.carry_out(ranking.winner(result), (1.0 - share) * options.seconds)
    status = report(result, tuning, script, options, search)
    if search and search.result:
        found = search.report(script.name, options.although_busy)
        status = found or (0 if search.result.complete else TOO_SHORT) or status
    return status


def refuse_arguments(words):
    """Refuse arguments of LAMMPS that would change what is compared.

    Raises:
        shell.Failure: There is one.
    """
    found = [word for word in words if word in CHOSEN_HERE]
    if found:
        raise shell.Failure(f"got {' '.join(found)} for LAMMPS; tune itself chooses the input, ranks, suffix and "
                            f"packages")


class Tuning:
    """The candidates and their measurements.

    Args:
        bed: A trial.Bench.
        copies: A Scratch.
        cores: Number of cores.
        more: Further arguments of LAMMPS.
        clock: Function that returns the time [s].
    """

    def __init__(self, bed, copies, cores, more=(), clock=time.monotonic):
        self.bed = bed
        self.copies = copies
        self.cores = cores
        self.more = tuple(more)
        self.clock = clock
        self.comparison = same_physics.Comparison()
        self.watch = busy.Watch(bed.launcher, cores)
        self.end = None        # when the last run must have ended; None: never
        self.check = lambda text: None    # gets LAMMPS' output of the input as it is, and may refuse the input
        self.text = ""         # output of the last run
        self.setup = 0.0       # time of a run before the steps that are measured, as LAMMPS' time limit counts it [s]
        self.window = PROBE
        self.around = 0.0      # time that a run takes beside the window [s]
        self.expected = 0.0    # time of a whole run [s]
        self.part = 0          # which run of the input is measured
        self.measured = {}     # candidate -> its runs
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
        start = self.clock()
        self.end = start + (1.0 + PATIENCE) * seconds
        show = shell.Progress(".")
        show.line(f"tune: {self.copies.script} with LAMMPS as it is")
        setup = self.setup = self.probe(min(PROBE, SHARE_OF_PROBE * seconds), seconds)
        candidates = self.candidates(mixed)
        rest = seconds - (self.clock() - start)
        self.set_window((1.0 - SHARE_OF_REFINEMENT) * rest, len(candidates), setup)

        def say(text):
            show.line(f"tune {text}")

        result = contest.hold(candidates, self.measure, (1.0 - SHARE_OF_REFINEMENT) * rest, (STOCK, OURS), say,
                              limit=rest, patience=PATIENCE * seconds)
        further = self.refinements(result)
        rest = seconds - (self.clock() - start)
        if further and rest > contest.FEWEST_ROUNDS * 2 * self.expected:
            self.set_window(rest, len(further), setup)
            result = contest.joined(result, contest.hold(further, self.measure, rest, (STOCK, OURS), say, limit=rest))
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
        setup = self.setup = self.probe(PROBE)
        candidates = self.candidates(mixed)
        for one in list(candidates):
            candidates += configuration.refinements(one, self.cores, self.kspace, self.bed.program.threaded)
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
            setup: Time of a run before the steps that are measured, as LAMMPS' time limit counts it [s].
        """
        share = seconds / (ROUNDS_WITH_ALL * ncandidates) - setup - self.around
        self.window = setup + min(LONGEST_WINDOW, max(SHORTEST_WINDOW, share))
        self.expected = self.window + self.around

    def refinements(self, result):
        """Further choices of the best of both sides, after these; empty if there are none."""
        if set(result.best) != {STOCK, OURS}:
            return []
        best = [result.best[STOCK], result.best[OURS]]
        further = [other for one in best for other in configuration.refinements(one, self.cores, self.kspace,
                                                                                self.bed.program.threaded)]
        further = [one for one in dict.fromkeys(further) if one not in best]
        return further and [*best, *further]

    def candidates(self, mixed):
        """All configurations that are tried, LAMMPS without a package first: it is the reference."""
        return configuration.candidates(self.cores, self.bed.program.suffixes, max(self.bed.launcher.where.cores),
                                        self.bed.program.threaded, mixed)

    def probe(self, window, seconds=None):
        """Run the input once as it is.

        Args:
            window: Time after which LAMMPS ends its loops [s].
            seconds: Time of all, for messages; None: there is no limit.

        Returns:
            Time before the steps that are measured, as LAMMPS' time limit counts it [s].

        Raises:
            shell.Failure: The input makes no steps, or none in this time.
        """
        one = configuration.Configuration("", self.cores, 1)
        start = self.clock()
        self.window, self.expected = window, math.inf
        try:
            runs = self.run(one, window)
        except shell.Late:
            raise shell.Failure(f"LAMMPS as it is did not come to the end of its first steps in {seconds:g} s on "
                                f"{self.cores} ranks: nothing was measured. Give it more time with --seconds, or take "
                                f"a smaller system") from None
        except shell.Failure as failure:
            raise self.copies.explained(failure) from None
        passed = self.clock() - start
        self.check(self.text)
        self.around = max(0.0, passed - window)
        self.part = max(range(len(runs)), key=lambda i: runs[i].seconds * bool(runs[i].steps))
        if not runs[self.part].steps:
            raise shell.Failure("the input makes no time steps (run 0): there is no time of a step to measure")
        self.atoms = runs[self.part].atoms
        self.kspace = runs[self.part].sections.get("Kspace", 0.0) > LEAST_KSPACE * runs[self.part].seconds
        self.comparison.add_reference(one.ranks, same_physics.first_row(runs))
        return max(0.0, min(passed, window) - runs[self.part].seconds)

    def run(self, one, seconds, change=None):
        """Run a fresh copy for some seconds.

        Args:
            one: A Configuration.
            seconds: Time after which LAMMPS ends its loops.
            change: Function that makes another text of that of the input.

        Returns:
            All runs in the output.

        Raises:
            contest.OutOfTime: The time of all was up.
            shell.Late: It did not end.
        """
        left = math.inf if self.end is None else self.end - self.clock()
        limit = min(left, HANGS_TIMES * self.expected + HANGS)
        folder, script = self.copies.fresh(seconds, self.bed.lines(one), change=change)
        try:
            return self.bed.carry_out(one, script, folder / "log.tofu", folder, self.more, max(limit, 0.1), seconds)
        except shell.Late:
            if limit == left and self.expected < math.inf:
                raise contest.OutOfTime from None
            raise
        finally:
            self.text = trial.text_of(folder / "log.tofu")

    def measure(self, one):
        """Time of a step.

        Raises:
            contest.Refused: LAMMPS stops with an error, other physics than LAMMPS without a package, or no steps.
            contest.OutOfTime: The time of all was up.
        """
        self.watch.look()
        try:
            if one.side == OURS and not self.comparison.has(one.ranks):
                reference = self.run(configuration.Configuration("", one.ranks, 1), SHORTEST_WINDOW)
                self.comparison.add_reference(one.ranks, same_physics.first_row(reference))
            runs = self.run(one, self.window)
        except shell.Failure as failure:
            raise contest.Refused(first_line(str(failure))) from None
        self.judge(one, same_physics.first_row(runs))
        if len(runs) <= self.part or not runs[self.part].steps:
            raise contest.Refused(f"it did not come to run {self.part + 1} of the input in {self.window:.1f} s")
        self.measured.setdefault(one, []).append(runs[self.part])
        return bench.times(runs[self.part])["loop"]

    def judge(self, one, row):
        """Learn from LAMMPS' own packages how much rounding matters, and refuse a candidate of ours that differs
        more."""
        if one.side == STOCK:
            if not one.suffix and not self.comparison.has(one.ranks):
                self.comparison.add_reference(one.ranks, row)
            if one.suffix in ("opt", "omp"):
                self.comparison.add_stock(one.ranks, row)
            return
        lines = self.comparison.differences(one.ranks, row, one.precision)
        if lines:
            raise contest.Refused(f"its first thermo output differs: {lines[0]}")

    def sections(self, one):
        """Time of a step and of each section in all rounds of a candidate [us a step]."""
        return [(found["loop"], found["sections"]) for found in map(bench.times, self.measured.get(one, []))]

    def reasons(self, result):
        """What speaks against a verdict; see busy.Watch."""
        best = [one for one in result.best.values() if result.times.get(one)]
        return self.watch.reasons([result.times[one] for one in best],
                                  [[found.cpu_use for found in self.measured.get(one, [])] for one in best])


def first_line(text):
    """The first line of a message."""
    return text.strip().splitlines()[0] if text.strip() else "it failed"


def report(result, tuning, script, options, search=None):
    """Print the table, the refused, the verdict and the command line that won; write the files that are wanted.

    Returns:
        The exit status.
    """
    print(f"\n{script.name}: {tuning.atoms} atoms on {tuning.cores} cores, run {tuning.part + 1} of the input")
    ranking.print_times(result)
    ranking.print_sections(result, {one: tuning.sections(one) for one in result.best.values()})
    reasons = tuning.reasons(result)
    write_files(result, tuning, script, options, reasons, search)
    print()
    if reasons and not options.although_busy:
        print(busy.message(reasons))
        return busy.STATUS
    print("\n".join([*(f"The machine is busy: {reason}" for reason in reasons), ranking.verdict(result)]))
    winner = ranking.winner(result)
    if winner and (result.complete or not result.speedup):
        what = "The fastest is" if result.significant or not result.speedup else "The smaller median has"
        print(f"{what}\n  {command_line(tuning, winner, script)}")
    if result.speedup and not result.complete:
        print(f"Give it more time: --seconds {suggested(options.seconds, result):.0f}")
        return TOO_SHORT
    if tuning.kspace and search is None and "PPPM initialization" in tuning.text:
        print("Coulomb cut-off and mesh were those of the input: --cutoff looks for faster ones of the same accuracy")
    return busy.STATUS if reasons else 0


def suggested(seconds, result):
    """Time that would have been enough."""
    return 60.0 * math.ceil(seconds * contest.FEWEST_ROUNDS / max(1, result.rounds) / 60.0)


def command_line(tuning, one, script):
    """What to type for a configuration."""
    line = shell.quote(tuning.bed.line(one, ["-in", script.name, *tuning.more]))
    lines = tuning.bed.lines(one)
    return line + "".join(f"\n  with this line in front of the input: {text}" for text in lines)


def write_files(result, tuning, script, options, reasons, search=None):
    """Write the figures as JSON, and draw them."""
    content = {"about": {**bench.origin(), "input": script.name, "atoms": tuning.atoms, "cores": tuning.cores,
                         "program": str(tuning.bed.program.lmp), "launcher": shlex.join(tuning.bed.launcher.words(1))},
               "times": [{"name": one.name, "side": one.side, "ranks": one.ranks, "threads": one.threads,
                          "arguments": one.arguments, "lines": tuning.bed.lines(one), "us a step": times,
                          "sections": ranking.sections_of(times, tuning.sections(one)),
                          "CPU use": [found.cpu_use for found in tuning.measured.get(one, [])]}
                         for one, times in result.times.items()],
               "refused": {one.name: reason for one, reason in result.refused.items()},
               "untried": [one.name for one in result.untried], "busy": reasons,
               "best": {side: one.name for side, one in result.best.items()}, "times faster": result.speedup}
    if search and search.result:
        content["cut-off"] = search.content()
    if options.json:
        cache.write_json(options.json, content)
    if options.plot:
        venv.draw("plot_tune", content, options.plot)
