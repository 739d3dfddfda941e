# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu tune --cutoff: contests of short runs between settings of an input that have the same accuracy.

Each stage varies one kind of setting of the best so far (coulomb_cutoff.STAGES); the input's own settings take part in
all rounds. LAMMPS' estimate of the force error of each candidate must not be above that of the input's own settings:
until it is not, LAMMPS is asked for a smaller error, and for a larger one where it would be much smaller.
"""

import statistics

from . import bench, busy, contest, coulomb_cutoff, first_steps, ranking, same_physics, shell
from .coulomb_cutoff import CHANGED, INPUT

#: Largest ratio of the estimated error to that of the input's own settings: boxes of fix npt differ in later runs.
MOST = 1.001
#: From this ratio on no larger error is asked for. A mesh grows in steps: sizes are products of 2, 3 and 5.
NEAR = 0.85
#: The error that is asked for aims at this ratio.
AIM = 0.97
#: Most runs that look for that error.
MOST_TRIES = 5
#: Time limit of such a run [s].
SHORT = 0.1
#: Part of its time that a stage may take beyond it for rounds that a verdict needs.
PATIENCE = 0.15


class Search:
    """Settings of an input and their measurements.

    Args:
        tuning: A tune.Tuning, which runs the input; its first run is read here.
    """

    def __init__(self, tuning):
        self.tuning = tuning
        self.settings = None
        self.one = None        # the Configuration
        self.target = 0.0      # LAMMPS' estimate for the input's own settings [force]
        self.requests = {}     # Choice.mesh -> relative accuracy that is asked for
        self.estimates = {}    # Choice -> Estimate
        self.measured = {}     # Choice -> its runs
        self.result = None
        self.physics = []      # what the first steps say, in lines
        self.differs = False   # whether more than rounding and Ewald sums differ
        tuning.check = self.read_input    # of the input's own run: before anything else is measured

    def read_input(self, text):
        """Read the input's own settings.

        Args:
            text: Output of LAMMPS.

        Raises:
            shell.Failure: There is nothing to choose, or it would change the physics.
        """
        try:
            self.settings = coulomb_cutoff.settings_of(text)
        except shell.Failure as failure:
            raise shell.Failure(f"tune --cutoff: {failure}") from None
        self.requests[self.settings.choice.mesh] = self.settings.accuracy

    def carry_out(self, one, seconds):
        """Hold the contests, and compare the energies of the best settings with those of the input's own.

        Args:
            one: The Configuration.
            seconds: Time that the contests may take.
        """
        self.one, start, own = one, self.tuning.clock(), self.settings.choice
        self.tuning.end = start + (1.0 + PATIENCE) * seconds
        show, base = shell.Progress("."), own
        show.line(f"tune: settings of the input, with {one.name}")
        for number, further in enumerate(coulomb_cutoff.STAGES):
            candidates = list(dict.fromkeys([own, base, *further(self.settings, base)]))
            left = seconds - (self.tuning.clock() - start)
            if len(candidates) <= 1 + (base != own) or \
                    (number and left < contest.FEWEST_ROUNDS * 2 * self.tuning.expected):
                continue
            share = left / (len(coulomb_cutoff.STAGES) - number)
            self.tuning.set_window(share, len(candidates), self.tuning.setup)
            found = contest.hold(candidates, self.measure, share, (INPUT, CHANGED),
                                 lambda text: show.line(f"tune {text}"), limit=share, patience=PATIENCE * share)
            self.result = contest.joined(self.result, found) if self.result else found
            base = ranking.winner(self.result) or own
        show.finish()
        if self.is_faster():
            self.compare(self.result.best[CHANGED])

    def is_faster(self):
        """Whether settings were found that are faster than the input's own in all rounds."""
        return bool(self.result) and self.result.significant and self.result.speedup["median"] > 1.0

    def lines(self, choice):
        """The lines of a choice by the name of their command."""
        accuracy = self.requests.get(choice.mesh, self.settings.accuracy)
        return coulomb_cutoff.lines(self.settings, choice, accuracy)

    def change(self, choice):
        """Function that edits an input."""
        new = self.lines(choice)
        return lambda text: coulomb_cutoff.edited(text, new)

    def run(self, choice, window):
        """Run a choice.

        Args:
            choice: The Choice.
            window: Time limit of LAMMPS [s].

        Returns:
            The run that is measured, and the Estimate.

        Raises:
            contest.Refused: The input has other settings all the same, or does not come to that run.
            contest.OutOfTime: The time was up.
            shell.Failure: LAMMPS stops with an error.
        """
        tuning = self.tuning
        runs = tuning.run(self.one, window, self.change(choice))
        if choice.side == CHANGED and coulomb_cutoff.settings_of(tuning.text).choice._replace(side=CHANGED) != choice:
            raise contest.Refused("the input sets this again, in a way that cannot be edited")
        if len(runs) <= tuning.part or not runs[tuning.part].steps:
            raise contest.Refused(f"it did not come to run {tuning.part + 1} of the input in {window:.1f} s")
        return runs[tuning.part], coulomb_cutoff.estimate_of(tuning.text, tuning.part)

    def measure(self, choice):
        """Time of a step [us], for contest.hold.

        Raises:
            contest.Refused: The choice cannot be used.
            contest.OutOfTime: The time was up.
        """
        self.tuning.watch.look()
        try:
            known = choice.mesh in self.requests
            found, estimate = self.run(choice, self.tuning.window)
            if choice.side == INPUT:
                self.target = self.target or estimate.accuracy
            if not self.target:
                raise contest.Refused("the input's own settings could not be measured")
            if not known and self.fit(choice, estimate.accuracy) != self.settings.accuracy:
                found, estimate = self.run(choice, self.tuning.window)
        except shell.Failure as failure:
            raise contest.Refused(str(failure).strip().splitlines()[0]) from None
        if estimate.accuracy > MOST * self.target:
            raise contest.Refused(f"LAMMPS estimates a force error of {estimate.accuracy:g}; that of the input's own "
                                  f"settings is {self.target:g}")
        if choice.lists != self.settings.choice.lists and estimate.dangerous:
            raise contest.Refused(f"LAMMPS counts {estimate.dangerous} dangerous builds of neighbor lists")
        self.estimates[choice] = estimate
        self.measured.setdefault(choice, []).append(found)
        return bench.times(found)["loop"]

    def fit(self, choice, error):
        """Find the accuracy to ask for: the estimated error is to come near that of the input's own settings, from
        below.

        Args:
            choice: The Choice.
            error: LAMMPS' estimate with the accuracy that the input asks for [force].

        Returns:
            That accuracy.

        Raises:
            contest.Refused: There is none.
        """
        short = self.tuning.window if self.tuning.part else SHORT    # runs before it need their time
        request, errors = self.settings.accuracy, {}
        while len(errors) < MOST_TRIES and request not in errors:
            if errors:
                self.requests[choice.mesh] = request
                error = self.run(choice, short)[1].accuracy
            errors[request] = error
            if NEAR * self.target <= error <= MOST * self.target:
                break
            request = float(f"{request * AIM * self.target / error:.3g}")
        passed = [request for request, error in errors.items() if error <= MOST * self.target]
        self.requests[choice.mesh] = max(passed, default=self.settings.accuracy)
        if not passed:
            raise contest.Refused(f"LAMMPS estimates a force error of {min(errors.values()):g} or more; that of the "
                                  f"input's own settings is {self.target:g}")
        return max(passed)

    def compare(self, choice):
        """Compare energies at the first step with those of the input's own settings: the Lennard-Jones part must be the
        same."""
        tuning = self.tuning
        try:
            own, other = (dict(zip(run.columns, run.rows[0])) for run in (
                first_steps.run(tuning.bed, tuning.copies, self.one, tuning.more, self.change(one), steps=0)
                for one in (self.settings.choice, choice)))
        except shell.Failure as failure:
            self.physics = [f"Energies were not compared: {str(failure).strip().splitlines()[0]}"]
            return
        size = same_physics.scale("PotEng", own)
        apart = {names: abs(sum(other[name] - own[name] for name in names.split(" + "))) / size
                 for names in ("E_vdwl", "E_coul + E_long")}
        self.differs = not apart["E_vdwl"] <= same_physics.TOLERANCE[self.one.precision]
        self.physics = [f"At the first step E_vdwl differs by {apart['E_vdwl']:.1e} of the largest energy, "
                        f"E_coul + E_long by {apart['E_coul + E_long']:.1e}."]

    def report(self, name, although_busy):
        """Print the table, the verdict, and the lines for the input.

        Args:
            name: Of the input.
            although_busy: Whether there is a verdict on a busy machine.

        Returns:
            The exit status.
        """
        print(f"\nCoulomb cut-off, mesh and neighbor lists of {name}, with {self.one.name}")
        self.print_table()
        reasons = self.reasons()
        if reasons and not although_busy:
            print("\n" + busy.message(reasons))
            return busy.STATUS
        print("\n".join(["", *(f"The machine is busy: {reason}" for reason in reasons), *self.verdict()]))
        return 1 if self.differs else busy.STATUS if reasons else 0

    def reasons(self):
        """What speaks against a verdict; see busy.Watch."""
        best = [one for one in self.result.best.values() if self.result.times.get(one)]
        return self.tuning.watch.reasons([self.result.times[one] for one in best],
                                         [[found.cpu_use for found in self.measured[one]] for one in best])

    def print_table(self):
        """A row for each choice, the fastest first, and what could not be used."""
        print(f"{'cut-off':>8} {'order':>5} {'diff':>4} {'skin':>6} {'delay':>5} {'every':>5} {'mesh':>12} "
              f"{'force error':>12} {'us a step':>10} {'min - max':>21} {'rounds':>6}")
        for one in ranking.ranked(self.result):
            times, estimate = self.result.times[one], self.estimates[one]
            print(f"{one.cutoff:8g} {one.order:5} {one.diff:>4} {one.skin:6g} {one.delay:5} {one.every:5} "
                  f"{estimate.mesh:>12} {estimate.accuracy:12.5g} {statistics.median(times):10.1f} "
                  f"{f'{min(times):.1f} - {max(times):.1f}':>21} {len(times):6}"
                  + ("  the input's own" if one.side == INPUT else ""))
        print("Force error: LAMMPS' line 'estimated absolute RMS force accuracy'.")
        for one, reason in self.result.refused.items():
            print(f"not used: {one.name}: {reason}")
        if self.result.untried:
            print(f"not tried, for lack of time: {len(self.result.untried)} of all")
        if self.settings.lists_stay:
            print(f"skin and delay are not tried: {self.settings.lists_stay}")

    def verdict(self):
        """The verdict and the lines for the input."""
        if set(self.result.best) != {INPUT, CHANGED}:
            return ["No verdict: there are no times of other settings beside the input's own."]
        best, own, ratio = self.result.best[CHANGED], self.result.best[INPUT], self.result.speedup
        figures = f"{ratio['median']:.2f} ({ratio['min']:.2f} - {ratio['max']:.2f})" if ratio else "unknown"
        if not self.result.complete:
            return [f"No verdict: {self.result.rounds} rounds of the best settings ({best.name}) beside the input's "
                    f"own, {contest.FEWEST_ROUNDS} are needed. Give it more time with --seconds. So far the ratio of "
                    f"their times is {figures}."]
        if not self.is_faster():
            return [f"The input's own settings stay: with the best others ({best.name}) a step is {figures} times as "
                    f"fast in {self.result.rounds} rounds."]
        if self.differs:
            return [*self.physics, f"REFUSED: {best.name} changes more than the Coulomb part."]
        return [f"With these lines a step is {figures} times faster than with the input's own in {self.result.rounds} "
                f"rounds. LAMMPS estimates a force error of {self.estimates[best].accuracy:g}, with the input's own "
                f"{self.estimates[own].accuracy:g}.", *self.physics, *self.advice(best)]

    def advice(self, choice):
        """The lines for the input, and where they go."""
        settings, lines = self.settings, self.lines(choice)
        found = []
        for name, line in lines.items():
            instead = {"pair_style": " ".join(["pair_style", *settings.pair]),
                       "kspace_style": " ".join(["kspace_style", *settings.kspace])}.get(name)
            place = (f"in place of {instead}" if instead else "in place of its line neighbor, if there is one"
                     if name == "neighbor" else f"behind the lines {'kspace_style and ' * (name == 'kspace_modify')}"
                     f"{name} of the input")
            found.append(f"  {line:50} # {place}")
        if "pair_style" in lines and coulomb_cutoff.has_one_for_both(settings.pair):
            found.append("The number in front of the new one was the cut-off of both parts. It stays that of the "
                         "Lennard-Jones part; the new one is for the Coulomb part alone.")
        if choice.diff == "ad" and settings.choice.diff != "ad":
            found.append("diff ad keeps the total momentum only within the force error; fix momentum or fix recenter "
                         "take away a drift.")
        return found

    def content(self):
        """The figures for JSON."""
        return {"target": self.target, "accuracy of the input": self.settings.accuracy,
                "times": [{**one._asdict(), "mesh": self.estimates[one].mesh,
                           "estimated force error": self.estimates[one].accuracy, "us a step": times,
                           "lines": self.lines(one)} for one, times in self.result.times.items()],
                "refused": {one.name: reason for one, reason in self.result.refused.items()},
                "best": {side: one.name for side, one in self.result.best.items()}, "times faster": self.result.speedup}
