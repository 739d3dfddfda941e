# SPDX-License-Identifier: GPL-2.0-only
"""Time steps of all ranks: velocity Verlet in LAMMPS' order, with one time per rank.

Sections are those of LAMMPS: what a rank waits for in an exchange belongs to Comm, or to Pair or Modify if the pair
style or a fix has the exchange; reductions of the neighbor check belong to Other, those of thermo to Output, those
of fixes to Modify.
"""

import math
from typing import NamedTuple

import numpy as np

from ..log import SECTIONS
from . import grid, halo, longrange, shares
from .exchange import FORWARD, REVERSE, Exchange, Network
from .sharing import HANDING, Sharing
from .workload import COMPUTING, OURS, STOCK

#: Bytes per atom of positions and of forces, and of a charge.
VECTOR, SCALAR = 24, 8
#: Exchanges of charge equilibration, and its reductions.
CHARGES = ("charges to ghosts", "charges back", "sums of charges")
#: Messages of MPI in one swap of comm_style brick where atoms change owner or ghosts are new: counts, then contents.
COUNTS_FIRST = 2


#: No rank needs much less time than it should.
LEAST_NOISE = -0.5
#: Ways to run whose ghosts go by comm_style brick.
BY_MPI = ("brick", "suffix")


class Setting(NamedTuple):
    """One way to run."""

    comm: str          #: "brick": all is stock; "suffix": the kernels of TOFU over brick; "3stage"; "p2p"
    half: bool         #: half shell
    ranks: int         #: per node
    threads: int       #: that compute, of each rank
    senders: int       #: threads of them that send and receive
    overlap: bool = False    #: one of the threads computes the long-range part, the others all else
    endpoints: int = 0       #: of the network, of each rank; 0: one for each thread that sends
    ring: str = ""           #: level of fix ring_balance, "rank" or "node"; empty: without the fix

    @property
    def workers(self):
        """Threads that compute what all of them share."""
        return self.threads - 1 if self.overlap else self.threads

    @property
    def side(self):
        """Whose kernels are used."""
        return STOCK if self.comm == "brick" else OURS

    @property
    def name(self):
        """As tables have it."""
        if self.comm in BY_MPI:
            return "stock, brick" if self.comm == "brick" else "TOFU, suffix over brick"
        shell = "" if self.comm != "p2p" else " half" if self.half else " full"
        return (f"TOFU, {self.comm}{shell}" + (f", {self.senders} threads" if self.senders > 1 else "") +
                (f", {self.endpoints} endpoints" if self.endpoints else "") + (", overlap" if self.overlap else "") +
                (f", ring of {self.ring}s" if self.ring else ""))


class Result(NamedTuple):
    """What was predicted for one setting."""

    step: float        #: of the last rank [us]
    sections: dict     #: mean over ranks [us per step]
    parts: dict        #: of the step: transport without waiting, named terms [us per step]
    grid: tuple
    sides: tuple       #: of a sub-box, in cut-offs
    atoms: tuple       #: per rank: mean, most
    messages: int      #: of a rank in a forward
    nbytes: float      #: in them, per rank
    ghosts: float      #: per rank
    shell: str         #: of ghosts, and threads, in words
    fft: str = ""      #: transform of the long-range part
    transforms: dict = {}    #: name -> long-range part with this transform alone [us]
    loads: tuple = ()  #: most atoms that a rank computes over the average, without and with fix ring_balance


class Steps:
    """A workload on some nodes of a machine in one setting.

    Args:
        load: A Workload.
        machine: A figures.Machine.
        nodes: Number of nodes.
        setting: A Setting.
        seed: Of the atoms per rank and of the noise.
        positions: Positions, of which the atoms of each rank are counted; None: they are drawn.
        decide_every: Steps between decisions of fix ring_balance.
    """

    def __init__(self, load, machine, nodes, setting, seed=1, positions=None, decide_every=10):
        self.load, self.machine, self.setting = load, machine, setting
        self.pair_exchanges = load.pair_exchanges.get(setting.side, ())
        self.fix_exchanges = load.fix_exchanges.get(setting.side, ())
        self.fix_reductions = load.reductions[setting.side]
        self.random = np.random.default_rng(seed)
        self.decide_every = decide_every
        self.sharing = None
        self.lay_out(nodes * setting.ranks, positions)
        self.charges = self.charge_equilibration()
        self.computed = self.sharing.computed if self.sharing else self.atoms
        self.fork = self.fork_join()
        self.exchanges = self.make_exchanges()
        self.long_range = self.make_long_range() if load.mesh else None

    def lay_out(self, ranks, positions):
        """Sub-boxes, atoms and ghosts of all ranks, and their messages."""
        load, setting = self.load, self.setting
        self.grid = grid.of_ranks(ranks, load.box)
        splits = self.walls(positions) if positions else ()
        self.geometry = halo.Geometry(self.grid, tuple(load.box), (load.cut,) * 3, periodic=load.periodic,
                                      splits=splits)
        block = grid.of_node(self.grid, setting.ranks, load.box)
        self.network = Network(self.machine, self.grid, block, setting.ranks)
        self.atoms = positions.counts(self.grid, splits) if positions else self.drawn(load.atoms / ranks)
        self.plan = self.make_plan()
        self.sharing = self.shared() if setting.ring else None
        self.ghosts = shares.ghosts(self.network, self.plan, self.atoms)
        if self.sharing:
            self.ghosts = self.ghosts + self.sharing.ghosts

    @property
    def name(self):
        """Of the setting, as tables have it."""
        return self.setting.name

    @property
    def messages(self):
        """Messages of the rank with the most in a forward, and the mean of the atoms in them."""
        plan = self.plan
        sent = sum(plan.atoms(message) for stage in plan.stages for message in stage.messages)
        return shares.messages(plan), sent * float(self.atoms.mean())

    @property
    def sides(self):
        """Mean lengths of a sub-box [distance]."""
        return self.geometry.sides

    def make_long_range(self):
        """pppm of LAMMPS, or of TOFU with the transform that is best here."""
        if self.setting.side == STOCK:
            return longrange.LongRange(self.load, self.network, STOCK, self.atoms, self.setting.threads, "pppm",
                                       self.geometry.splits)
        return longrange.best(self.load, self.network, self.atoms, self.geometry.splits)

    def walls(self, positions):
        """Walls of fix balance, empty if there is none."""
        if not self.load.balance:
            return ()
        least = tuple(self.load.skin / length for length in self.load.box)
        return positions.walls(self.grid, self.load.balance, least)

    def drawn(self, mean):
        """Atoms of each rank: whole numbers around the mean, with the spread of the workload."""
        if self.load.spread <= 0.0 or self.network.ranks == 1:
            return np.full(self.network.ranks, mean)
        atoms = self.random.normal(mean, math.sqrt(self.load.spread * mean), self.network.ranks)
        return np.maximum(np.rint(atoms), 0.0)

    def make_plan(self):
        """The plan of the comm style."""
        if self.setting.comm == "p2p":
            return halo.direct(self.geometry, self.setting.half)
        return halo.staged(self.geometry, at_once=self.setting.comm == "3stage")

    def charge_equilibration(self):
        """How often what CHARGES names happens in a step; empty without charge equilibration. TOFU has no exchange
        among the images of one rank."""
        counts = self.load.charges.get(self.setting.side, ())
        alone = self.network.ranks == 1 and self.setting.side == OURS
        return {kind: 0.0 if alone else count for kind, count in zip(CHARGES, counts)}

    def full_lists(self):
        """Whether TOFU's neighbor lists are full: no forces return."""
        return self.load.reverses[OURS] < 0.5

    def shared(self):
        """What fix ring_balance does."""
        return Sharing(self.geometry, self.atoms, self.network.node_of_rank, self.setting.ring, not self.full_lists(),
                       self.setting.half)

    def fork_join(self):
        """Of the computing threads: it grows with the doublings of their number."""
        if self.setting.workers == 1:
            return 0.0
        way = "openmp" if self.setting.side == STOCK else "pool"
        return self.machine[f"threads.fork_join_{way}"] * math.log2(self.setting.workers) / max(
            1.0, math.log2(self.machine["threads.counted"]))

    def make_exchanges(self):
        """Prepare all kinds of exchange."""
        mpi, senders = self.setting.comm in BY_MPI, self.setting.senders

        extra = self.sharing.positions if self.sharing else None

        def exchange(direction, nbytes, threads=senders, atoms=self.atoms, plan=self.plan, repeat=1, more=extra):
            return Exchange(self.network, plan, atoms, nbytes, threads, mpi, direction,
                            self.fork if threads > 1 else 0.0, repeat, more, self.setting.endpoints)

        found = {"forward": exchange(FORWARD, VECTOR), "reverse": exchange(REVERSE, VECTOR),
                 "borders": exchange(FORWARD, self.load.border_bytes, 1, repeat=COUNTS_FIRST if mpi else 1)}
        if self.sharing and self.full_lists():
            nothing = halo.Plan(self.geometry, (), (halo.Stage((), ()),))
            found["rows"] = exchange(REVERSE, VECTOR, plan=nothing, more=self.sharing.forces)
        no_atoms = np.zeros(self.network.ranks)
        plan = halo.staged(self.geometry, at_once=False) if mpi else halo.direct(self.geometry)
        found["exchange"] = exchange(FORWARD, 0, 1, no_atoms, plan, COUNTS_FIRST if mpi else 1, None)
        for name, (direction, nbytes) in self.exchanges_of_styles():
            found[name] = exchange(direction, nbytes)
        return found

    def exchanges_of_styles(self):
        """Names and kinds of the exchanges of pair styles and fixes."""
        of_charges = list(zip(CHARGES, ((FORWARD, SCALAR), (REVERSE, SCALAR)))) if self.charges else []
        return ([(f"pair {number}", kind) for number, kind in enumerate(self.pair_exchanges)] +
                [(f"fix {number}", kind) for number, kind in enumerate(self.fix_exchanges)] + of_charges)

    def compute(self, section):
        """Processor time of a section [ranks]."""
        load, side, threads = self.load, self.setting.side, self.setting.workers
        atoms = self.computed if section in ("Pair", "Neigh") else self.atoms
        if section == "Neigh" and self.sharing:
            atoms = atoms + HANDING * (self.sharing.given + self.sharing.taken)
        return (load.kernel(side, section, "constant") + load.kernel(side, section, "atom") * atoms / threads +
                load.kernel(side, section, "ghost") * self.ghosts / threads +
                (load.kernel(side, section, "shared") if self.network.ranks > 1 else 0.0) +
                load.kernel(side, section, "forks") * self.fork)

    def rebuild(self):
        """Processor time of finding new owners and new ghosts, on one thread [ranks]."""
        return self.load.kernel(self.setting.side, "Rebuild", "atom") * self.atoms

    def reduction(self):
        """Time of a reduction, from the moment when the last rank has begun."""
        ranks = self.network.ranks
        if ranks == 1:
            return 0.0
        return self.machine["collective.round"] * math.ceil(math.log2(ranks))

    def decision(self):
        """Time of a decision of fix ring_balance, from the moment when the last rank has begun."""
        return self.sharing.decision(self.machine) + self.reduction() + self.lateness()

    def lateness(self):
        """How late the last rank is at a reduction, beyond what the model has."""
        return self.machine["collective.lateness"] * math.log(self.network.ranks)

    def run(self, steps):
        """Carry out steps, after a rebuild.

        Returns:
            A Result.
        """
        clock = Clock(self.network.ranks)
        times = {section: self.compute(section) for section in COMPUTING}
        due = dict.fromkeys(("rebuild", "check", "thermo", "reverse", "decision", *CHARGES), 0.5)    # to round numbers
        every = {"rebuild": 1.0 / self.load.rebuild_every if self.load.rebuild_every else 0.0,
                 "reverse": self.load.reverses[self.setting.side],
                 "check": self.load.checks[self.setting.side],
                 "thermo": 1.0 / self.load.thermo_every if self.load.thermo_every else 0.0}
        every["decision"] = min(1.0 / self.decide_every, every["rebuild"]) if self.sharing else 0.0
        every.update(self.charges)
        self.happened = {kind: 0 for kind in due}

        def happens(kind):
            if due[kind] < 1.0 - 1e-9:
                return False
            due[kind] -= 1.0
            self.happened[kind] += 1
            return True

        for _ in range(steps):
            for kind, step in every.items():
                due[kind] += step
            clock.add("Modify", times["Modify"] / 2.0 + self.uneven(times["Modify"] / 2.0, 2))
            while happens("check"):
                clock.gather("Other", self.reduction() + self.lateness())
            if happens("decision"):
                clock.gather("Modify", self.decision())
            if happens("rebuild"):
                clock.pass_through("Comm", self.exchanges["exchange"])
                clock.pass_through("Comm", self.exchanges["borders"])
                clock.add("Comm", self.rebuild())
                clock.add("Neigh", times["Neigh"] + self.uneven(times["Neigh"]))
            else:
                clock.pass_through("Comm", self.exchanges["forward"])
            self.equilibrate(clock, happens)
            begin = clock.now
            self.pairs(clock, times)
            if self.long_range:
                self.mesh_part(clock, begin)
            if happens("reverse"):
                clock.pass_through("Comm", self.exchanges["reverse"])
            if "rows" in self.exchanges:
                clock.pass_through("Comm", self.exchanges["rows"])
            for number in range(len(self.fix_exchanges)):
                clock.pass_through("Modify", self.exchanges[f"fix {number}"])
            clock.add("Modify", times["Modify"] / 2.0 + self.uneven(times["Modify"] / 2.0, 2))
            if self.fix_reductions:
                clock.gather("Modify", self.fix_reductions * self.reduction() + self.lateness())
            clock.add("Other", times["Other"] + self.uneven(times["Other"]))
            if happens("thermo"):
                clock.gather("Output", self.load.thermo_reductions * self.reduction() + self.lateness())
        return self.result(clock, steps)

    def equilibrate(self, clock, happens):
        """Charges: exchanges and reductions in turns. The last rank is late once: little is computed between them.

        Args:
            happens: Function that says whether something of CHARGES is due once more in this step.
        """
        if not self.charges:
            return
        to_ghosts, back, sums = CHARGES
        sums_of_turn = math.ceil(self.charges[sums] / max(1.0, self.charges[to_ghosts]))
        late, goes_on = self.lateness(), True
        while goes_on:
            goes_on = False
            for kind in (to_ghosts, back, *[sums] * sums_of_turn):
                if not happens(kind):
                    continue
                goes_on = True
                if kind == sums:
                    clock.gather("Modify", self.reduction() + late)
                    late = 0.0
                else:
                    clock.pass_through("Modify", self.exchanges[kind])

    def pairs(self, clock, times):
        """The pair style, with its exchanges in the middle."""
        half = times["Pair"] / 2.0
        clock.add("Pair", half + self.noise(half))
        for number in range(len(self.pair_exchanges)):
            clock.pass_through("Pair", self.exchanges[f"pair {number}"])
        clock.add("Pair", half + self.noise(half))
        clock.add("Bond", times["Bond"] + self.uneven(times["Bond"]))

    def mesh_part(self, clock, begin):
        """The long-range part: beside the pairs, or after them."""
        if self.setting.overlap:
            clock.set("Kspace", np.maximum(clock.now, self.long_range(begin)))
        else:
            clock.pass_through("Kspace", self.long_range)

    def noise(self, time):
        """What the ranks need more, or less, than they should for half of the pairs [ranks]."""
        ranks, more = self.network.ranks, self.uneven(time, 2)
        if self.machine["noise.probability"] > 0.0:
            hit = self.random.random(ranks) < self.machine["noise.probability"] / 2.0
            more = more + hit * self.random.exponential(self.machine["noise.mean"], ranks)
        return more

    def uneven(self, time, times=1):
        """What the ranks need more, or less, than they should for something that is done so many times in a step, in
        proportion to its time [ranks]."""
        known = self.machine.figures
        figure = known.get("noise.stock" if self.setting.side == STOCK else "", known["noise.relative"])
        deviation = figure.value * math.sqrt(times)
        if deviation <= 0.0 or self.network.ranks == 1:
            return 0.0
        bound = LEAST_NOISE / deviation
        mean = (LEAST_NOISE * 0.5 * math.erfc(-bound / math.sqrt(2.0)) +
                deviation * math.exp(-0.5 * bound * bound) / math.sqrt(2.0 * math.pi))    # of what is cut off below
        return (np.maximum(self.random.normal(0.0, deviation, self.network.ranks), LEAST_NOISE) - mean) * time

    def result(self, clock, steps):
        """Averages, and the named terms of the step."""
        every = {kind: number / steps for kind, number in self.happened.items()}
        exchanges = {"forward": 1.0 - every["rebuild"], "reverse": every["reverse"], "exchange": every["rebuild"],
                     "borders": every["rebuild"]}
        exchanges.update({name: every.get(name, 1.0) for name, _ in self.exchanges_of_styles()})
        if "rows" in self.exchanges:
            exchanges["rows"] = 1.0
        alone = np.zeros(self.network.ranks)
        unexplained = self.machine["waiting.unexplained"] if self.messages[0] else 0.0
        even = sum(part * (float(self.exchanges[name](alone).mean()) - unexplained) for name, part in exchanges.items())
        reductions = (every["check"] + every["thermo"] * self.load.thermo_reductions + self.fix_reductions +
                      every[CHARGES[2]])
        computing = sum(float(np.mean(self.compute(section))) * (every["rebuild"] if section == "Neigh" else 1.0)
                        for section in COMPUTING) + float(np.mean(self.rebuild())) * every["rebuild"]
        parts = {"computing": computing, "messages and packing": even,
                 "unexplained waiting": unexplained * sum(exchanges.values()),
                 "reductions": reductions * self.reduction(),
                 "lateness at reductions": (every["check"] + every["thermo"] + bool(self.fix_reductions) +
                                            bool(self.charges)) * self.lateness()}
        step = clock.last() / steps
        if self.sharing:
            parts["decisions of the ring"] = every["decision"] * self.decision()
        parts.update(self.parts_of_mesh(clock.sections["Kspace"] / steps))
        parts["waiting for uneven or disturbed ranks"] = step - sum(parts.values())
        messages, sent = self.messages
        mean = float(self.atoms.mean())
        return Result(step, {name: clock.sections[name] / steps for name in SECTIONS}, parts, self.grid,
                      tuple(side / self.load.cut for side in self.sides), (mean, float(self.atoms.max())),
                      messages, VECTOR * sent, float(np.mean(self.ghosts)), self.name,
                      self.long_range.name if self.long_range else "",
                      self.long_range.alone if self.long_range else {},
                      self.sharing.loads if self.sharing else ())

    def parts_of_mesh(self, section):
        """Named terms of the long-range part, without what pair forces hide."""
        if not self.long_range:
            return {}
        alone = float(self.long_range(np.zeros(self.network.ranks)).mean())
        if self.setting.overlap:
            return {"long-range part that pair forces do not hide": section}
        computing = float(np.mean(self.long_range.computing))
        return {"long-range part: computing": computing, "long-range part: messages": alone - computing}


class Clock:
    """A time per rank, and the mean time that went to each section."""

    def __init__(self, ranks):
        self.now = np.zeros(ranks)
        self.mean = 0.0
        self.sections = {name: 0.0 for name in SECTIONS}

    def add(self, section, time):
        """Ranks compute."""
        self.set(section, self.now + time)

    def pass_through(self, section, exchange):
        """Ranks exchange."""
        self.set(section, exchange(self.now))

    def gather(self, section, time):
        """Ranks wait for the last one, and then need some time."""
        self.set(section, np.full_like(self.now, self.now.max() + time))

    def set(self, section, now):
        """The section has ended at these times."""
        mean = float(now.mean())
        self.sections[section] += mean - self.mean
        self.now, self.mean = now, mean

    def last(self):
        """Time of the last rank."""
        return float(self.now.max())
