# SPDX-License-Identifier: GPL-2.0-only
"""What threads bring to an input: tools/tofu threads.

One rank on one core runs all parts of the pool one after the other and times each (`package threadpool T profile
FILE`). T threads would take the time in which the rank works alone, the longest part of each fork, and the time of the
forks. The same run has the same forks each time, so that the least time of each part in some runs is known: other
programs make times longer, never shorter.
"""

import math
import tempfile
from typing import NamedTuple

from . import bench, busy, cache, first_steps, log, program, run, scratch, shell, trial
from .configuration import P2P, Configuration

#: File with the times of parts, in the folder of the run.
PROFILE = "tofu-profile"
#: Time to fork and join for each doubling of threads [us]: threads.fork_join_pool of tools/tofulib/predict/machines.
FORK = 0.2
#: Row of the sum of all sections.
STEP = "Step"


class Section(NamedTuple):
    """Of one step."""

    alone: float      #: time in which one thread works [us]
    parts: float      #: time of all parts [us]
    longest: float    #: time of the longest part of each fork [us]
    forks: float
    steady: float     #: as longest, if a part took as long in each step as it does on average [us]

    @property
    def work(self):
        """Time on one core."""
        return self.alone + self.parts


class Loss(NamedTuple):
    """What T threads take beyond a T-th of the time of one thread [us a step]."""

    work: float       #: more work, since it is cut into parts
    alone: float      #: one thread works alone
    longest: float    #: the longest part takes more than the mean
    forks: float


def command(options):
    """tools/tofu threads."""
    script = run.find_input(options.input)
    counts = counts_of(options.threads)
    for name, value in (("--steps", options.steps), ("--rounds", options.rounds)):
        if value < 1:
            raise shell.Failure(f"got {name} {value}; at least one is needed")
    words = [word for one in options.variables for word in ("-var", *one)]
    bed = run.prepare(options, script, words)
    if bed.program.tofu == program.ABSENT:
        raise shell.Failure(f"{bed.program.lmp} has no TOFU; give --plugin FILE, or leave --lmp out to build one")
    script = run.stock_input(bed, script)
    cores = max(bed.launcher.where.cores)
    with tempfile.TemporaryDirectory(prefix="tofu-threads-", dir=cache.folder("run")) as place:
        runs = Runs(bed, scratch.Scratch(script, options.folder, place), options.steps, words)
        rounds = [{count: runs.profile(count) for count in counts} for _ in range(options.rounds)]
        profiles = {count: sections_of(least_of([one[count] for one in rounds]), runs.steps) for count in counts}
        some = [count for count in counts if options.measure and count <= cores]
        measured, reasons = measure(runs, some, options.rounds, busy.Watch(bed.launcher, max(some, default=1)))
    unusable = bool(reasons) and not options.although_busy
    result = summary(profiles, {} if unusable else measured, options.fork)
    print(f"\n{script.name}: {runs.atoms} atoms, {runs.steps} steps, one rank; least of {options.rounds} rounds")
    print_counts(result)
    for count in counts[1:]:
        print_losses(count, result[count])
    if options.json:
        cache.write_json(options.json, {
            "about": {**bench.origin(), "input": script.name, "arguments": words,
                      "atoms": runs.atoms, "steps": runs.steps, "rounds": options.rounds, "fork": options.fork},
            "busy": reasons, "threads": {count: as_json(one) for count, one in result.items()}})
    if unusable:
        print(f"\n{busy.message(reasons)}")
    return busy.STATUS if reasons else 0


def measure(runs, counts, rounds, watch):
    """Run with threads.

    Returns:
        The least time of a step [us] by number of threads, and what speaks against these times.
    """
    found = {count: [] for count in counts}
    for _ in range(rounds):
        for count in counts:
            watch.look()
            found[count].append(runs.timed(count))
    times = {count: [1e6 * one.seconds / one.steps for one in some] for count, some in found.items()}
    uses = [[one.cpu_use for one in some] for some in found.values()]
    return ({count: min(one) for count, one in times.items()},
            watch.reasons(list(times.values()), uses) if counts else [])


def counts_of(text):
    """Numbers of threads in ascending order; one thread, to which the others are compared, is among them.

    Raises:
        shell.Failure: A word is no such number.
    """
    words = text.split(",")
    if not all(word.isdigit() and int(word) >= 1 for word in words):
        raise shell.Failure(f"got -t {text}; numbers of threads with commas are needed, such as 2,4,12")
    return sorted({1, *map(int, words)})


class Runs:
    """Short runs of the input, in copies of its folder.

    Args:
        bed: A trial.Bench.
        copies: A Scratch.
        wanted: Number of steps.
        more: Arguments of LAMMPS.
    """

    def __init__(self, bed, copies, wanted, more):
        self.bed = bed
        self.copies = copies
        self.wanted = wanted
        self.more = more
        self.steps = self.atoms = 0

    def carry_out(self, threads, words=()):
        """Run the first steps with p2p/rdma.

        Args:
            threads: Their number.
            words: Further ones of package threadpool.

        Returns:
            The folder, and the run.
        """
        one = Configuration("threadpool", 1, threads, P2P, words=words)
        folder, script = self.copies.changed(
            lambda text, start: first_steps.shortened(text, False, start, self.wanted, (), "run"), self.bed.lines(one))
        shell.say(f"threads: {one.name}")
        try:
            found = self.bed.carry_out(one, script, folder / "log.tofu", folder, self.more)[-1]
        except shell.Failure as failure:
            raise self.copies.explained(failure) from None
        if not found.steps:
            raise shell.Failure("the input makes no time steps (run 0): there is no time of a step to measure")
        self.steps, self.atoms = found.steps, found.atoms
        return folder, found

    def profile(self, threads):
        """Forks with T parts one after the other on one core; see read_profile()."""
        folder, _ = self.carry_out(threads, ("profile", PROFILE))
        found = read_profile(trial.text_of(folder / PROFILE))
        if not found:
            raise shell.Failure("LAMMPS wrote no times of parts: the input has another run_style than verlet, or a "
                                "command suffix or package that overrides those of the command line")
        return found

    def timed(self, threads):
        """A run with threads."""
        _, found = self.carry_out(threads)
        return found


def read_profile(text):
    """Lines of a file of package threadpool profile: section, and times [s] of the caller alone and of each part."""
    lines = [line.split() for line in text.splitlines()]
    return [(name, [float(time) for time in times]) for name, *times in lines]


def least_of(rounds):
    """The least of each time in some rounds.

    Raises:
        shell.Failure: Runs have different forks.
    """
    if len({tuple((name, len(times)) for name, times in one) for one in rounds}) > 1:
        raise shell.Failure("two runs of the input forked at different places: it draws random numbers or reads a "
                            "clock, and its parts cannot be compared")
    return [(lines[0][0], [min(times) for times in zip(*(times for _, times in lines))]) for lines in zip(*rounds)]


def sections_of(forks, steps):
    """Section by name, and their sum.

    Forks at the same place of a step, counted from the beginning of a section, are the same work in most steps: the
    part that is longest on average tells of work that is dealt unevenly, that of each fork of all that disturbs it.

    Args:
        forks: See read_profile().
        steps: Number of steps.
    """
    sums, places, place = {}, {}, 0
    for name, (alone, *parts) in forks:
        values = (alone, sum(parts), max(parts, default=0.0), 1e-6 * bool(parts), 0.0)
        sums[name] = [old + new for old, new in zip(sums.get(name, [0.0] * len(values)), values)]
        if parts:
            key = (name, place, len(parts))
            places[key] = [old + new for old, new in zip(places.get(key, [0.0] * len(parts)), parts)]
        place = place + 1 if parts else 0
    for (name, *_), parts in places.items():
        sums[name][-1] += max(parts)
    found = {name: Section(*(1e6 * value / steps for value in sums[name])) for name in log.SECTIONS if name in sums}
    return {**found, STEP: Section(*map(sum, zip(*found.values())))}


class Prediction(NamedTuple):
    """Of one number of threads."""

    sections: dict        #: name -> Section
    losses: dict          #: name -> Loss
    step: float           #: time of a step [us]
    speedup: float
    efficiency: float
    alone: float          #: share of the time in which one thread works alone, of all work
    longest: float        #: longest part by the mean of all threads
    steady: float         #: likewise, of the part that is longest on average
    measured: float       #: time of a step with this number of threads [us]; nan: not measured


def summary(profiles, measured, fork):
    """Prediction by number of threads.

    Args:
        profiles: Number of threads -> name -> Section.
        measured: Number of threads -> time of a step [us].
        fork: Time to fork and join for each doubling of threads [us].
    """
    found, one = {}, profiles[1]
    for count, sections in profiles.items():
        losses = {name: loss(section, one.get(name, Section(0.0, 0.0, 0.0, 0.0, 0.0)), count, fork)
                  for name, section in sections.items()}
        step = one[STEP].work / count + sum(losses[STEP])
        speedup, whole = one[STEP].work / step, sections[STEP]
        found[count] = Prediction(sections, losses, step, speedup, speedup / count, whole.alone / whole.work,
                                  by_mean(whole.longest, whole, count), by_mean(whole.steady, whole, count),
                                  measured.get(count, math.nan))
    return found


def by_mean(longest, section, count):
    """The time of a longest part by the mean of all threads."""
    return count * longest / section.parts if section.parts else 1.0


def loss(section, one, count, fork):
    """The Loss of a section.

    Args:
        section: Section with this number of threads.
        one: Section with one thread.
        count: Number of threads.
        fork: Time to fork and join for each doubling of threads [us].
    """
    return Loss((section.work - one.work) / count, section.alone * (1.0 - 1.0 / count),
                section.longest - section.parts / count, section.forks * fork * math.log2(count))


def print_counts(result):
    """Print a line for each number of threads."""
    print("\nthreads  predicted [us]  times faster  efficiency    alone  longest/mean  steady    forks   measured [us]")
    for count, one in result.items():
        measured = "" if math.isnan(one.measured) else f"{one.measured:9.1f} ({one.measured / one.step - 1.0:+.0%})"
        print(f"{count:7} {one.step:15.1f} {one.speedup:13.2f} {one.efficiency:11.1%} {one.alone:8.2%}"
              f" {one.longest:13.3f} {one.steady:7.3f} {one.sections[STEP].forks:8.1f}   {measured}".rstrip())


def print_losses(count, one):
    """Print where the rest goes.

    Args:
        count: Number of threads.
        one: Its Prediction.
    """
    print(f"\n{count} threads: where the time beyond 1/{count} goes [% of a step]\n"
          "section   more work    alone   longest part    forks      sum   alone, of all work   longest/mean  steady")
    for name, losses in one.losses.items():
        section = one.sections[name]
        values = [100.0 * value / one.step for value in losses]
        print(f"{name:7} {values[0]:11.2f} {values[1]:8.2f} {values[2]:14.2f} {values[3]:8.2f} {sum(values):8.2f}"
              f" {section.alone / one.sections[STEP].work:20.2%} {by_mean(section.longest, section, count):14.3f}"
              f" {by_mean(section.steady, section, count):7.3f}")


def as_json(one):
    """A Prediction as JSON has it."""
    content = one._asdict()
    for name in ("sections", "losses"):
        content[name] = {section: values._asdict() for section, values in content[name].items()}
    if math.isnan(one.measured):
        del content["measured"]
    return content
