# SPDX-License-Identifier: GPL-2.0-only
"""Short runs of a user's input on this machine: kernels, packing, sizes, how often lists are built.

The input runs on one rank and on all cores, by LAMMPS as it is and by TOFU. Of each section there are then times for
two numbers of atoms per rank, which give two terms.
"""

import itertools
import math
import re
import statistics
import time
from pathlib import Path
from typing import NamedTuple

from .. import busy, input_edits, log, scratch, shell, trial
from ..configuration import THREADED, Configuration
from .figures import Figure
from .workload import OURS, RCB, REDUCTIONS_PER_REBUILD, STOCK, Workload

#: Time units in a nanosecond by style of units; lj has none.
PER_NANOSECOND = {"real": 1e6, "metal": 1e3, "electron": 1e6, "nano": 1.0, "micro": 1e-3, "si": 1e-9, "cgs": 1e-9}
#: Sections and the two terms that each is made of.
BASIS = {"Pair": ("constant", "atom"), "Bond": ("constant", "atom"), "Neigh": ("ghost", "atom"),
         "Modify": ("constant", "atom"), "Other": ("constant", "atom")}
#: Name of the dump of the last positions, and how many atoms may be in it.
POSITIONS, MOST_POSITIONS = "tofu-predict.positions", 500_000
#: Shares of the time to find the fastest package of LAMMPS: usual, and at most.
SHARE_OF_CHOICE, MOST_OF_CHOICE = 0.25, 0.4
#: Least time for the steps of a run [s].
SHORTEST = 0.3
#: Part of the time by which runs may be late before they are stopped.
PATIENCE = 0.1
#: Reason for the full shell that there is on few ranks only.
FEW_RANKS = "three stages are faster"
#: Lines behind an input with a long-range part: LAMMPS times its transforms, for two seconds or more.
BENCH = ["timer timeout off", "kspace_modify fftbench yes", "run 1"]
#: Time of that [s].
TIME_OF_BENCH = 7.5
#: Time that lines behind an input may take, and the transforms alone [s].
TIME_OF_LINES, MOST_TIME_OF_BENCH = 10.0, 30.0
#: Skin of neighbor lists by style of units, where the input says nothing.
SKINS = {"lj": 0.3, "si": 0.001, "cgs": 0.1}
USUAL_SKIN = 2.0
DUMP = "write_dump all custom {} xs ys zs modify format float %.9g"
#: How often each is run, interleaved; the faster one counts, since other programs only make runs slower.
ROUNDS = 2
#: Lines behind each run of the input, whose answers are read from the output.
QUESTIONS = ["info out screen system",
             'print "TOFU predict box $(lx) $(ly) $(lz) $(xy) $(xz) $(yz)"']
#: Such a line for a fix that equilibrates charges: its scalar, LAMMPS' mean passes of two solutions over the matrix.
QUESTION_OF_CHARGES = """if "$(is_defined(fix,{0}))" then 'print "TOFU predict passes $(f_{0})"'"""
#: Fixes that equilibrate charges, by ID, style and interval, and those of them that are modeled.
CHARGES = r"^[ \t]*fix[ \t]+(\S+)[ \t]+\S+[ \t]+((?:qeq|acks2|qtpie)/\S+)[ \t]+(\S+)"
KNOWN_CHARGES = r"qeq/(?:reaxff|reax|shielded)(?:/\w+)?"
LOG = "log.predict"
#: A run that takes less time is no measurement [s].
TOO_SHORT = 0.5
#: Mean of the later of two normal variables beyond their mean, in standard deviations.
LATER_OF_TWO = 0.5642
#: More than this is no noise but another program [of the time for pairs].
MOST_NOISE = 0.5
#: Most of stock LAMMPS' Comm on one rank that is taken for what rebuilds need beyond copies, as TOFU does.
MOST_OF_REBUILDS = 0.5
#: Reductions per step of LAMMPS' fixes that keep a temperature, and that keep a pressure with all lengths alike or not,
#: doc/internals/sums.md; with the suffix there is one.
OF_TEMPERATURE, OF_PRESSURE_ISO, OF_PRESSURE = 1.0, 4.0, 5.0
#: Terms of Pair of ReaxFF: bond orders of ghosts are computed, too.
BASIS_OF_REAXFF = {**BASIS, "Pair": ("ghost", "atom")}
#: Exchange of fix shake in each step.
OF_SHAKE = ("forward", 24)
#: Exchanges of a style with half neighbor lists that the suffix does not have: stock eam returns densities.
STOCK_EXCHANGES = (("reverse", 8), ("forward", 8))


class Measured(NamedTuple):
    """One short run."""

    ranks: int
    threads: int
    run: log.Run
    text: str          #: of the log
    statistics: dict   #: of p2p_rdma: name -> (average, most)
    rebuilds: int
    transforms: float = 0.0    #: time of the transforms of the long-range part in a step, alone [us]

    def step(self):
        """Time of a step [us]."""
        return self.run.seconds / self.run.steps * 1e6

    def per_step(self, section):
        """Mean over the ranks [us]."""
        return self.run.sections.get(section, 0.0) / self.run.steps * 1e6

    @property
    def atoms(self):
        """Atoms per rank."""
        return self.run.atoms / self.ranks

    @property
    def ghosts(self):
        """Ghosts per rank at the end of the run."""
        return self.run.held.get("Nghost", (0.0, 0.0))[0]

    @property
    def rebuilt(self):
        """Rebuilds per step."""
        return self.rebuilds / self.run.steps

    def calls(self, kind):
        """Calls of the exchanges of a kind, per step; without p2p_rdma those of a pair style with half lists."""
        if not self.statistics:
            return {"forward": 1.0 - self.rebuilt, "reverse": 1.0, "borders": self.rebuilt}[kind]
        return self.statistics[f"calls of {kind}"][0] / self.run.steps


class Further(NamedTuple):
    """Runs that are not used beside those that are: (side, ranks) -> Measured, the fastest."""

    runs: dict
    used: dict


class Calibration(NamedTuple):
    """What the short runs gave."""

    load: Workload
    figures: dict      #: name -> Figure, of this machine
    positions: list    #: rows of coordinates as fractions of the box; empty if there are too many
    runs: dict         #: side -> list of Measured
    notes: list        #: for the user
    further: Further
    busy: tuple = ()   #: what speaks against a forecast, a sentence each


class TooShort(shell.Late):
    """The short runs need more time.

    Args:
        message: For the user.
        enough: Time that suffices, as far as known; None: unknown [s].
    """

    def __init__(self, message, enough=None):
        super().__init__(message)
        self.enough = enough


class Limit:
    """Time of all short runs, dealt to those that are left.

    Args:
        seconds: Time that they may take.
        clock: Function that returns the time [s].
    """

    def __init__(self, seconds, clock=time.monotonic):
        self.clock = clock
        self.seconds = seconds
        self.end = clock() + seconds
        self.besides = []    # of each run, time beside its steps [s]
        self.outside = 0.0   # of it, what LAMMPS' own time limit does not see: start and end of the program [s]

    @property
    def left(self):
        """Time that is left [s]."""
        return self.end - self.clock()

    @property
    def beside(self):
        """Time that a run takes beside its steps [s]."""
        return statistics.median(self.besides) if self.besides else 0.0

    def window(self, passing, needed=False):
        """LAMMPS' time limit for a run; 0 if there is no time for steps [s].

        Args:
            passing: Time that the run may take [s].
            needed: Whether it may take more, if need be, as long as the time of all is not up.
        """
        steps = passing - self.beside
        if needed and self.left > self.beside:
            steps = max(steps, SHORTEST)
        return self.beside - self.outside + steps if steps >= SHORTEST else 0.0

    def record(self, passed, window, steps):
        """Record the times of a run.

        Args:
            passed: Time that it took [s].
            window: LAMMPS' time limit [s].
            steps: Time of the steps of all its runs [s].
        """
        outside = max(0.0, passed - window)
        self.outside = min(self.outside, outside) if self.besides else outside
        self.besides.append(max(0.0, passed - steps))

    @property
    def stop(self):
        """Time after which a run is stopped [s]."""
        return max(0.1, self.left + PATIENCE * self.seconds)


def carry_out(bed, script, threads, seconds, place, stock_suffix=None, folder=None, more=(), further=0):
    """Run an input for a short time in copies of its folder.

    Args:
        bed: A trial.Bench.
        script: The input.
        threads: Of each rank.
        seconds: Time for all runs but further ones, which take as long again for each round.
        place: Folder for the copies.
        stock_suffix: Package of LAMMPS as it is, or "none"; None: the fastest one.
        folder: To copy; None: that of the input.
        more: Arguments of LAMMPS.
        further: So many more runs of each kind, in turns with those that are used, which are then as many.

    Returns:
        A Calibration.

    Raises:
        TooShort: The input does not come to its steps in this time.
        shell.Failure: The model has not its kind of forces.
    """
    copies = scratch.Scratch(script, folder, place)
    rounds, ways = max(ROUNDS, further), ways_of(bed, threads)
    limit = Limit(seconds * (rounds + further) / ROUNDS)
    counts = sorted({ranks for _, ranks in ways})
    watch = busy.Watch(bed.launcher, counts[-1] * threads)
    shell.say(f"short runs of {Path(script).name} on {' and '.join(map(str, counts))} ranks, {limit.seconds:.0f} s in "
              f"all")
    suffix = (known_suffix(bed.program, stock_suffix, threads) if stock_suffix
              else fastest_suffix(bed, copies, counts[-1], threads, limit, more))
    runs, others, positions, times, left, benches = {}, {}, [], {}, (rounds + further) * len(ways), 0
    for number, (side, ranks) in itertools.product(range(rounds), ways):
        watch.look()
        dump = (number, side, ranks) == (0, OURS, 1)
        timed = number == 1 and ranks == 1 and bool(runs[side, ranks].run.sections.get("Kspace"))
        lines = [*([DUMP.format(copies.folder / POSITIONS)] if dump else []), *(BENCH if timed else [])]
        one, share = way(side, ranks, threads, suffix), (limit.left - benches * TIME_OF_BENCH) / left
        window = limit.window(share, needed=number == 0 or timed)
        if number > 0 and not window and not benches:
            break    # each way has run once
        found = short_run(bed, copies, one, window, limit, lines, more)
        left, benches = left - 1, benches - timed + ((number, ranks) == (0, 1) and "Kspace" in found.run.sections)
        times.setdefault((side, ranks), []).append(found.step())
        faster = min(runs.get((side, ranks), found), found, key=Measured.step)
        runs[side, ranks] = faster._replace(transforms=found.transforms or faster.transforms)
        if dump and found.run.atoms <= MOST_POSITIONS:
            positions = read_positions(copies.folder / POSITIONS, boundaries_of(found.text))
        if number < further:
            window = limit.window((limit.left - benches * TIME_OF_BENCH) / left, needed=number == 0)
            if window:
                found = short_run(bed, copies, one, window, limit, more=more)
                others[side, ranks] = min(others.get((side, ranks), found), found, key=Measured.step)
            left -= 1
    of_sides = {side: [runs[side, ranks] for ranks in counts] for side in (STOCK, OURS)}
    reasons = watch.reasons(times.values(), [[one.run.cpu_use] for one in runs.values()])
    found = evaluate(of_sides, positions, Path(script).name)
    return found._replace(load=found.load._replace(stock_suffix=name_of(suffix)), further=Further(others, runs),
                          busy=tuple(reasons))


def ways_of(bed, threads):
    """Sides and numbers of ranks that run: one rank, and all cores."""
    return [(side, ranks) for ranks in sorted({1, max(1, bed.launcher.where.total // threads)})
            for side in (STOCK, OURS)]


def known_suffix(program, name, threads):
    """The suffix of --stock-suffix.

    Raises:
        shell.Failure: The program does not have it, or it has no threads, and ranks have several.
    """
    suffix = "" if name == "none" else name
    if suffix and suffix not in program.suffixes:
        raise shell.Failure(f"--stock-suffix {name}: {program.lmp} has none, {' '.join(program.suffixes)}")
    if threads > 1 and suffix not in program.threaded:
        raise shell.Failure(f"--stock-suffix {name} has no threads, and {threads} are asked for; those with threads "
                            f"are {' '.join(program.threaded) or 'none in this program'}")
    return suffix


def fastest_suffix(bed, copies, ranks, threads, limit, more=()):
    """The package of LAMMPS with which the input is fastest on all cores; one run of each, those that fail left out."""
    known = [suffix for suffix in ("", *bed.program.suffixes) if threads == 1 or suffix in bed.program.threaded]
    times, failure, start = {}, shell.Failure(f"{bed.program.lmp} has no package of LAMMPS with threads"), limit.left
    for number, suffix in enumerate(known):
        window = limit.window(SHARE_OF_CHOICE * start / len(known), needed=True)
        if limit.left < (1.0 - MOST_OF_CHOICE) * start or not window:
            shell.say(f"no time to try {', '.join(map(name_of, known[number:]))}; --stock-suffix chooses one")
            break
        try:
            times[suffix] = short_run(bed, copies, way(STOCK, ranks, threads, suffix), window, limit, more=more).step()
        except shell.Late:
            raise
        except shell.Failure as reason:
            failure = reason
    if not times:
        raise failure
    found = ", ".join(f"{name_of(suffix)} {time_of:.1f}" for suffix, time_of in times.items())
    best = min(times, key=times.get)
    shell.say(f"the fastest of LAMMPS' packages is {name_of(best)} (us a step on {ranks} ranks: {found})")
    return best


def name_of(suffix):
    """A suffix in words."""
    return suffix or "none"


def short_run(bed, copies, one, seconds, limit, lines=(), more=()):
    """Run an input once, in a fresh copy of its folder.

    Args:
        bed: A trial.Bench.
        copies: A scratch.Scratch.
        one: A Configuration.
        seconds: Time from its begin to the end of its steps; 0 if there is none.
        limit: A Limit.
        lines: Behind the input and the questions.
        more: Arguments of LAMMPS.

    Raises:
        TooShort: There was no time for it, or the time was up before its first steps had finished.
    """
    if not seconds:
        raise TooShort(f"the short runs do not fit into --seconds {limit.seconds:g}: one takes {limit.beside:.1f} "
                       f"s beside its steps. --seconds {enough(limit):.0f} is enough", enough(limit))
    start = limit.clock()
    where, name = copies.fresh(seconds, bed.lines(one), questions(copies))
    if lines:
        with open(where / name, "a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    try:
        runs = bed.carry_out(one, name, where / LOG, where, more, limit.stop, seconds,
                             MOST_TIME_OF_BENCH if lines == BENCH else TIME_OF_LINES if lines else trial.TIME_TO_END)
    except shell.Late:
        raise TooShort(f"a run of the input on {one.ranks} ranks had not finished its first steps when the time was "
                       f"up. Give it more with --seconds, or take a smaller system", 3.0 * limit.seconds) from None
    except shell.Failure as failure:
        raise copies.explained(failure) from None
    found = read(where / LOG, one.ranks, one.threads)
    if lines != BENCH:
        limit.record(limit.clock() - start, seconds, sum(run.seconds for run in runs))
    return found


def questions(copies):
    """Lines behind each run of an input: also for the fixes in it that equilibrate charges."""
    texts = input_edits.reached(copies.top / copies.script, copies.top).values()
    names = dict.fromkeys(name for text in texts for name, style, _ in re.findall(CHARGES, text, re.MULTILINE)
                          if re.fullmatch(KNOWN_CHARGES, style) and re.fullmatch(r"\w+", name))
    return [*QUESTIONS, *(QUESTION_OF_CHARGES.format(name) for name in names)]


def enough(limit):
    """Time in which all runs fit, as far as known [s]."""
    return 10.0 * math.ceil(max(1.5 * limit.seconds, (4 * ROUNDS + 4) * (limit.beside + 1.0)) / 10.0)


def way(side, ranks, threads, stock_suffix=""):
    """The configuration of a side."""
    if side == STOCK:
        return Configuration(stock_suffix, ranks, threads if stock_suffix in (*THREADED, "kk") else 1)
    return Configuration("threadpool", ranks, threads, ("p2p_rdma", "stats", "full"),
                         words=("overlap", "no"))


def read(logfile, ranks, threads):
    """The longest run in a log."""
    text = trial.text_of(Path(logfile))
    runs = log.runs_in(text)
    number = max(range(len(runs)), key=lambda i: runs[i].seconds * bool(runs[i].steps))
    if runs[number].steps == 0:
        raise shell.Failure("the input makes no time steps (run 0); predict needs a run command")
    builds = [int(n) for n in re.findall(r"^Neighbor list builds = (\d+)", text, re.MULTILINE)]
    blocks = read_statistics(text)
    return Measured(ranks, threads, runs[number], text, blocks[min(number, len(blocks) - 1)] if blocks else {},
                    builds[number] if number < len(builds) else 0,
                    1e6 * float(word(text, r"^FFT time \(% of Kspce\) = (\S+)") or 0.0))


def read_statistics(text):
    """The statistics of p2p_rdma: a dictionary for each run, name -> (average, maximum)."""
    return [{name.strip(): (float(average), float(most)) for name, average, most in
             re.findall(r"^  (\S.*?) +([-+.\de]+) \| ([-+.\dena]+)\s*$", block.partition("\n\n")[0], re.MULTILINE)}
            for block in re.split(r"^TOFU p2p[_/]rdma statistics.*\n", text, flags=re.MULTILINE)[1:]]


def box_of(text):
    """Lengths of the box at the end; of a triclinic box the distances of its faces.

    Regions of ghosts are as large a part of a triclinic box with these distances as of an orthogonal box with such
    lengths, and LAMMPS chooses the same grid of ranks.

    Raises:
        shell.Failure: There is no answer, or the box is two-dimensional.
    """
    found = re.findall(r"^TOFU predict box (.*)$", text, re.MULTILINE)
    if not found:
        raise shell.Failure("found no size of the box: the commands run or minimize must be on lines of their own, in "
                            "the input or in files that it includes by name")
    dimensions = re.search(r"^Dimensions *= *(\d)", text, re.MULTILINE)
    if dimensions and dimensions.group(1) != "3":
        raise shell.Failure("predict knows three-dimensional boxes only")
    lx, ly, lz, xy, xz, yz = map(float, found[-1].split())
    return (1.0 / math.hypot(1.0 / lx, xy / (lx * ly), (yz * xy - ly * xz) / (lx * ly * lz)),
            1.0 / math.hypot(1.0 / ly, yz / (ly * lz)), lz)


def boundaries_of(text):
    """Whether each dimension of the box is periodic."""
    found = re.search(r"^Boundaries *= *(\S+) (\S+) (\S+)", text, re.MULTILINE)
    return tuple("p" in bound for bound in found.groups()) if found else (True,) * 3


def balance_of(text):
    """Dimensions whose walls the input shifts, as in "xyz"; RCB where it cuts the box into tiles; empty: neither."""
    if re.search(r"^(fix\s+\S+\s+\S+\s+)?balance\s.*\brcb\b", text, re.MULTILINE):
        return RCB
    found = re.findall(r"^(?:fix\s+\S+\s+\S+\s+)?balance\s.*\bshift\s+([xyz]+)", text, re.MULTILINE)
    return "".join(dim for dim in "xyz" if any(dim in dims for dims in found))


def read_positions(path, periodic):
    """Positions of a dump as fractions of the box, row by row."""
    found = []
    if not path.exists():    # the input itself ends LAMMPS
        return found
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith("ITEM: ATOMS"):
                break
        for line in file:
            found.append([float(word) % 1.0 if wraps else min(max(float(word), 0.0), 1.0)
                          for word, wraps in zip(line.split(), periodic)])
    return found


def evaluate(runs, positions, name):
    """Make a workload and figures of this machine from the runs."""
    last, text = runs[OURS][-1], runs[OURS][-1].text
    box = box_of(text)
    units = word(text, r"^ *Unit style *: *(\S+)") or word(text, r"^Units *= *(\S+)") or "lj"
    periodic, balance = boundaries_of(text), balance_of(text)
    mesh = mesh_of(runs, units)
    notes = []
    if balance and not positions:
        notes.append("there are no positions, of which the walls of fix balance follow: sub-boxes are taken as equal")
    if balance == RCB and mesh:
        raise shell.Failure("the input balances with rcb and has a long-range part, which predict does not model "
                            "together")
    rebuilds = sum(one.rebuilds for one in runs[STOCK] + runs[OURS])
    every = sum(one.run.steps for one in runs[STOCK] + runs[OURS]) / rebuilds if rebuilds else 0.0
    kernels, remarks = fit_kernels(runs)
    packing = packings(runs)
    for side, (_, of_rebuild) in packing.items():
        kernels[f"{side}.Rebuild.atom"] = Figure(of_rebuild, "measured", "Comm of one rank, beyond copies")
    if mesh:
        kernels.update(mesh_kernels(runs, mesh))
    notes += remarks
    if mesh and mesh["order"] != int(word(runs[STOCK][-1].text, r"^  stencil order = (\d+)")):
        notes.append("the mesh of both sides is TOFU's; that of the fastest stock package has another order")
    short = min(one.run.seconds for one in runs[STOCK] + runs[OURS])
    if short < TOO_SHORT:
        notes.append(f"a run took {short:.3f} s: below {TOO_SHORT} s times mean little. Let the input run more steps; "
                     f"the short runs end them in time")
    reason = word(text, r"ghosts from the full shell since (.*)")
    half = reason in (None, FEW_RANKS)
    if not half:
        notes.append(f"full shell only, since {reason}")
    step = float(word(text, r"^Current timestep size = (\S+)"))
    unit, per_unit = ("ns", PER_NANOSECOND[units]) if units in PER_NANOSECOND else ("tau", 1.0)
    of_fixes, charges = fix_exchanges(text), charge_equilibration(runs)
    if charges:
        notes.append("charges: " + "; ".join(
            f"{name} has {forward + reverse:.1f} exchanges and {reductions:.1f} reductions a step"
            for name, (forward, reverse, reductions) in ((side, charges[side]) for side in (STOCK, OURS))))
    of_charges = sum(charges[OURS][:2]) if charges and last.ranks > 1 else 0.0
    exchanges = max(0, round(last.calls("styles") - of_charges) - len(of_fixes))
    if exchanges:
        notes.append(f"styles exchange values {exchanges} times a step with TOFU, taken as 8 bytes per atom within "
                     f"Pair; stock styles are taken to do so {max(exchanges, len(STOCK_EXCHANGES))} times")
    rows = len(last.run.rows)
    cut = float(word(text, r"ghost atom cutoff = (\S+)") or 0.0)
    if cut <= 0.0:
        raise shell.Failure("found no 'ghost atom cutoff' in the log; predict needs a pair style with neighbor lists")
    load = Workload(name, last.run.atoms, box, cut, step, unit, per_unit, every,
                    checks(text, every), half, kernels,
                    {STOCK: (STOCK_EXCHANGES + (("forward", 8),) * max(0, exchanges - 2)) if exchanges else (),
                     OURS: (("forward", 8), ("reverse", 8)) * (exchanges // 2) + (("forward", 8),) * (exchanges % 2)},
                    {STOCK: 1.0, OURS: min(1.0, last.calls("reverse"))}, 0.2, fix_reductions(text, bool(mesh)),
                    thermo_every=last.run.steps / (rows - 1) if rows > 2 else 0.0, mesh=mesh, periodic=periodic,
                    balance=balance, skin=skin_of(text, units), fix_exchanges={STOCK: of_fixes, OURS: of_fixes},
                    charges=charges)
    return Calibration(load, machine_figures(runs, packing), positions, runs, notes, {})


def skin_of(text, units):
    """Skin of neighbor lists [distance]."""
    return float(word(text, r"^neighbor\s+([\d.eE+-]+)\s") or SKINS.get(units, USUAL_SKIN))


def mesh_of(runs, units):
    """The mesh of the long-range part: fields of workload.Workload.mesh; empty without one.

    Raises:
        shell.Failure: It is none of pppm, or the box is triclinic.
    """
    stock, ours = runs[STOCK][-1], runs[OURS][-1]
    if not stock.run.sections.get("Kspace"):
        return {}
    grid = word(stock.text, r"^  grid = (\d+ \d+ \d+)")
    if not re.search(r"^PPPM initialization", stock.text, re.MULTILINE) or not grid:
        raise shell.Failure("the long-range part (section Kspace) is not pppm, the only one that predict models")
    if not all(boundaries_of(stock.text)):
        raise shell.Failure("the box is not periodic and has a long-range part (slab), which predict does not model "
                            "together")
    if re.search(r"triclinic box =", stock.text):
        raise shell.Failure("the box is triclinic and has a long-range part, which predict does not model together")
    if word(stock.text, r"^kspace_style\s+(pppm\S*(?:tip4p|cg|stagger)\S*)"):
        raise shell.Failure("predict models pppm, and none of its variants tip4p, cg and stagger")
    potential = word(stock.text, r"^kspace_modify\s.*\bdiff\s+(\w+)") == "ad"
    # the mesh of both sides: TOFU's, as that of all but INTEL's pppm, which has order 7 and fewer points
    of_mesh = ours.text if word(ours.text, r"^  grid = (\d+ \d+ \d+)") else stock.text
    grid, order = word(of_mesh, r"^  grid = (\d+ \d+ \d+)"), word(of_mesh, r"^  stencil order = (\d+)")
    return {"points": [int(n) for n in grid.split()], "order": int(order),
            "reach": 0.5 * skin_of(stock.text, units), "fields": 1 if potential else 3,
            "offload": "TOFU FFT = " in ours.text}


def mesh_kernels(runs, mesh):
    """Terms of section Kspace, of the runs on one rank, where no message is sent. LAMMPS times transforms alone; all
    else is given to the atoms, with the products of the spectrum and with ghost points.

    A side whose transforms were not timed, since the time was up, gets those of the other side: all are of FFTW.

    Raises:
        TooShort: The time was up before the transforms of either side.
    """
    found, points = {}, math.prod(mesh["points"])
    work = (1 + mesh["fields"]) * points * math.log2(points)
    timed = {side: measured[0].transforms for side, measured in runs.items() if measured[0].transforms}
    if not timed:
        raise TooShort("the time was up before LAMMPS had timed the transforms of the long-range part; give it "
                       "more with --seconds, twice as many for a start")
    for side, measured in runs.items():
        one = measured[0]
        share = one.threads if side == STOCK else 1    # pppm/offload has one thread
        whose, transforms = ((side, one.transforms) if side in timed else next(iter(timed.items())))
        alone = min(transforms, one.per_step("Kspace"))    # a disturbed measurement is longer
        rest = one.per_step("Kspace") - alone
        of_other = "" if whose == side else f" of {whose}, since the time was up"
        for term, value, source in (("fft", alone / work, f"transforms alone, kspace_modify fftbench{of_other}"),
                                    ("atom", rest * share / one.atoms, "Kspace without transforms")):
            found[f"{side}.Kspace.{term}"] = Figure(value, "measured", f"short run on one rank: {source}")
    return found


def word(text, pattern):
    """The first group of the last match; None without one."""
    found = re.findall(pattern, text, re.MULTILINE)
    return found[-1] if found else None


def checks(text, every):
    """Reductions of the neighbor check per step, by side."""
    found = re.findall(r"update: every = (\d+) steps, delay = (\d+) steps, check = (yes|no)", text)
    if not found or found[-1][2] == "no" or not every:
        return {STOCK: 0.0, OURS: 0.0}
    step, delay = int(found[-1][0]), int(found[-1][1])
    stock = max(1.0, (every - delay) / step) / every
    return {STOCK: stock, OURS: min(stock, REDUCTIONS_PER_REBUILD / every)}


def fix_reductions(text, mesh=False):
    """Reductions of fixes nvt, npt and nph per step, by side; a fix is the last one in the log that has its name. A
    pressure needs one more of LAMMPS' pppm."""
    fixes = {name: (style, more) for name, style, more in
             re.findall(r"^fix\s+(\S+)\s+\S+\s+(nvt|npt|nph)\b\S*(.*)$", text, re.MULTILINE)}
    def of_pressure(more):
        return mesh + (OF_PRESSURE_ISO if re.search(r"\biso\b", more) else OF_PRESSURE)

    stock = sum(OF_TEMPERATURE if style == "nvt" else of_pressure(more)
                for style, more in fixes.values())
    return {STOCK: stock, OURS: float(len(fixes))}


def fix_exchanges(text):
    """Exchanges of fixes in each step, on both sides."""
    return (OF_SHAKE,) * len(set(re.findall(r"^fix\s+(\S+)\s+\S+\s+shake\b", text, re.MULTILINE)))


def charge_equilibration(runs):
    """Exchanges to ghosts and back, and reductions, of fix qeq/reaxff or qeq/shielded in a step, by side; empty without
    one. LAMMPS' are those of its last solution, TOFU's the mean of a run.

    Raises:
        shell.Failure: It is another fix that equilibrates charges, or its passes over the matrix are not known.
    """
    fixes = {name: (style, every) for name, style, every in re.findall(CHARGES, runs[OURS][-1].text, re.MULTILINE)
             if "$" not in name + style + every}
    if not fixes:
        return {}
    style, every = next(reversed(fixes.values()))
    if len(fixes) > 1 or not re.fullmatch(KNOWN_CHARGES, style):
        raise shell.Failure(f"the input has fix {style}, and predict models one fix qeq/reaxff or qeq/shielded alone")

    def of_lammps(one):
        passes = word(one.text, r"^TOFU predict passes (\S+)")
        if passes is None:
            raise shell.Failure(f"found no number of passes of fix {style} over its matrix: its ID must have no "
                                f"variables, and the commands run must be on lines of their own")
        both = 2.0 * float(passes)    # of two systems, one of each before the iterations
        return both + 1.0, both, 2.0 * both + 2.0

    def of_tofu(one):
        counts = re.findall(r"^TOFU threadpool: fix qeq/.* (\S+) reductions and (\S+) exchanges", one.text,
                            re.MULTILINE)
        if not counts:    # LAMMPS' own solver
            return of_lammps(one)
        reductions, exchanges = map(float, counts[-1])
        return (exchanges if one.ranks > 1 else 2.0 * reductions), 0.0, reductions

    return {side: tuple(count / int(every) for count in counts) for side, counts in (
        (STOCK, of_lammps(runs[STOCK][-1])), (OURS, of_tofu(runs[OURS][-1])))}


def fit_kernels(runs):
    """Terms of all sections of both sides.

    Returns:
        Figures by name "side.section.term", and remarks for the user.
    """
    found, remarks = {}, []
    for side, measured in runs.items():
        reactive = re.search(r"^pair_style\s.*\breaxff", measured[-1].text, re.MULTILINE)
        for section, (first, second) in (BASIS_OF_REAXFF if reactive else BASIS).items():
            points = []
            for one in measured:
                time = one.per_step(section)
                if section == "Neigh":
                    time = one.run.sections.get(section, 0.0) * 1e6 / one.rebuilds if one.rebuilds else 0.0
                values = {"constant": 1.0, "atom": one.atoms / one.threads, "ghost": one.ghosts / one.threads}
                points.append((values[first], values[second], time))
            if not any(time for _, _, time in points):
                continue
            source = "short runs on " + " and ".join(str(one.ranks) for one in measured) + " ranks"
            for term, value in zip((first, second), fit(points)):
                found[f"{side}.{section}.{term}"] = Figure(value, "measured", source)
    if len(runs[OURS]) < 2:
        remarks.append("this machine gave one number of ranks only: what does not depend on the atoms per rank is "
                       "taken as 0, which is too optimistic for few atoms per rank")
    return found, remarks


def fit(points):
    """Two terms, none negative, with the least sum of squares of relative errors.

    Args:
        points: (factor of the first, factor of the second, time) of each measurement.
    """
    scaled = [(a / time, b / time) for a, b, time in points if time > 0.0]
    aa, bb, ab = (sum(x * y for x, y in pairs) for pairs in (
        [(a, a) for a, _ in scaled], [(b, b) for _, b in scaled], [(a, b) for a, b in scaled]))
    a1, b1 = sum(a for a, _ in scaled), sum(b for _, b in scaled)
    determinant = aa * bb - ab * ab
    if len(scaled) > 1 and determinant > 1e-9 * aa * bb:
        first, second = (a1 * bb - b1 * ab) / determinant, (b1 * aa - a1 * ab) / determinant
        if first >= 0.0 and second >= 0.0:
            return first, second
        if second < 0.0:
            return a1 / aa, 0.0
    return 0.0, b1 / bb if bb else 0.0


def pattern_of(one):
    """Pattern of a run's ghosts, "p2p", "3stage" or "brick", and whether they are those of the half shell."""
    found = re.findall(r"statistics, .*: pattern (\S+), (half|full) shell", one.text)
    return (found[-1][0], found[-1] == ("p2p", "half")) if found else ("brick", False)


def packings(runs):
    """Side -> what packing_of() says of the runs on one rank, if they have ghosts."""
    ours, stock = runs[OURS][0], runs[STOCK][0]
    if ours.ranks > 1 or not ours.ghosts or not stock.ghosts:
        return {}
    found = packing_of(ours)
    return {STOCK: packing_of(stock, found[1]), OURS: found}


def packing_of(one, of_rebuild=None):
    """Comm of one rank, which copies its own images.

    Args:
        one: The run.
        of_rebuild: The second value, if it is not among the run's statistics.

    Returns:
        Time to copy a ghost, each way, and per atom of the rank beyond that when atoms change owner [us].
    """
    comm, moves = one.per_step("Comm"), one.calls("forward") + one.calls("reverse")
    if of_rebuild is None:
        moving = sum(one.statistics[f"seconds in {kind}"][0] for kind in ("forward", "reverse")) * 1e6 / one.run.steps
        copy = moving / (moves * one.ghosts)
        rest = comm / one.rebuilt - moving / one.rebuilt - copy * one.ghosts if one.rebuilt else 0.0
        return copy, max(0.0, rest / one.atoms)
    of_rebuild = min(of_rebuild, MOST_OF_REBUILDS * comm / max(one.rebuilt * one.atoms, 1e-9))
    return (comm - one.rebuilt * one.atoms * of_rebuild) / ((moves + one.calls("borders")) * one.ghosts), of_rebuild


def machine_figures(runs, packing):
    """Figures of this machine: packing, noise.

    Args:
        runs: side -> list of Measured.
        packing: side -> what packing_of() says of the run on one rank; empty if there is none.
    """
    found = {}
    names = {STOCK: ["mpi.pack"], OURS: ["memory.pack", "memory.unpack"]}
    for side, (copy, _) in packing.items():
        for name in names[side]:
            found[name] = Figure(max(0.0, copy), "measured", "Comm of one rank, copies of its own images")
    ours = runs[OURS][-1]
    if ours.ranks > 1 and packing:
        waited = ours.statistics["seconds waiting"][0] / ours.run.steps * 1e6
        noise = min(waited / LATER_OF_TWO / max(ours.per_step("Pair"), 1e-9), MOST_NOISE)
        found["noise.relative"] = Figure(noise, "measured", f"time that {ours.ranks} ranks waited for each other")
    return found
