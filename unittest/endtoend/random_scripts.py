# SPDX-License-Identifier: GPL-2.0-only
"""Random scripts: a random system, then commands between short runs, all drawn from one number.

A script is a list of blocks: one or two commands, an evaluation (`run 0` and a dump of forces), a short run and a
dump. It is written once, with placeholders, and filled in for each way to compute:

* `{suffix}`: the package and suffix commands of the variant, if it has parts;
* `{suffix off}`, `{suffix on}`: these suffix commands, for variants with parts only;
* `{comm}`: the comm style of the variant; `{comm words}`: with more keywords if the style is p2p_rdma;
* `{folder}`, `{name}`: the folder of files, and the name of the variant;
* a line `@look`: a dump that is compared.

Commands appear in a form whose effect depends neither on the order of atoms on a rank nor on the last digits of
coordinates. LAMMPS draws random numbers by the bits of coordinates, so coordinates are rounded first.
"""

import random
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List, Sequence, Tuple

from hypothesis import HealthCheck, Phase, given, seed, settings

from lammps_run import BRICK, Variant
from random_systems import (
    BACKEND_KEYWORDS, FARTHEST_PARTNER, FIXED_CUTOFF, TURNING, RandomSystem, random_systems, shortest_ghost_cutoff)

FEWEST_COMMANDS, MOST_COMMANDS = 2, 8
LONGEST_RUN = 15
MOST_ATOMS = 700

ENVIRONMENT_OF_SUFFIX = (("TOFU_TEST", "threadpool"),)
"""Environment of jobs with styles of the suffix. They are separate jobs, since a suffix outlives a `clear` (see
`threadpool()`)."""

DIGITS = 1e-4
"""Coordinates are rounded to multiples of this before LAMMPS draws random numbers by their bits, distance."""

STEPS_PER_ITERATION = 4
"""Number of steps in which a difference grows as much as in an iteration of a minimisation."""

BLOCK = "=== block"
"""Text printed before each block, so that its thermo tables can be told from others."""

LOOK = "@look"

LASTING_FIXES = ("motion", "deform", "flat", "shifted", "walls")
"""Fixes that are given again after `clear`."""

PAIR_IN_RESTART = ("atomic", "charge", "bond", "full", "ellipsoid", "peri")
"""Atom kinds whose restart files need no pair style from the script."""

PER_ATOM_FIXES = ("held", "marks", "kept", "average")
"""Fixes that forbid `replicate`, or whose values no data file has."""


@dataclass(frozen=True)
class RandomScript:
    """A script with placeholders.

    Args:
        number: number from which the script was drawn.
        system: system of the first block.
        parts: parts of styles with the suffix /threadpool, 0 for no such styles.
        style: comm style of the variant.
        blocks: lines of each block; the first block sets up the system.
    """

    number: int
    system: RandomSystem
    parts: int
    style: str
    blocks: Tuple[Tuple[str, ...], ...]

    @property
    def variant(self) -> Variant:
        """The variant that is compared with brick."""
        keywords = (*self.system.keywords, *BACKEND_KEYWORDS[self.system.backend]) if self.style == "p2p/rdma" else ()
        return Variant("found", self.style, keywords, ENVIRONMENT_OF_SUFFIX if self.parts else (), self.parts)

    def text(self, variant: Variant, folder: Path, first: Sequence[str] = ()) -> str:
        """The script for one way to compute.

        Args:
            variant: the way to compute.
            folder: folder of `data.system`, of dumps and of other files, whose names begin with that of the variant.
            first: commands before the first run.
        """
        lines: List[str] = []
        for number, block in enumerate(self.blocks):
            lines.append(f'print "{BLOCK} {number}"')
            looks = 0
            for line in block:
                if line.startswith("run "):
                    lines += first
                    first = ()
                lines.append(self._dump(number, looks) if line == LOOK else line)
                looks += line == LOOK
        return filled_in("\n".join(lines), variant, folder)

    def _dump(self, block: int, look: int) -> str:
        return (f"write_dump {self.system.dumped_group} custom {{folder}}/{{name}}.{block}.{look}.dump "
                "id x y z fx fy fz modify sort id format float %.17g")

    def age(self, block: int) -> float:
        """Steps until the end of a block."""
        return sum(steps_of(line) for lines in self.blocks[: block + 1] for line in lines)


def steps_of(line: str) -> float:
    """Number of steps of a command, or number of steps in which a difference grows as much."""
    words = line.split()
    if words[:1] == ["run"]:
        return 2.0 * int(words[1])    # rRESPA has two inner steps in each step
    return STEPS_PER_ITERATION * float(words[3]) if words[:1] == ["minimize"] else 0.0


def filled_in(text: str, variant: Variant, folder: Path) -> str:
    """`text` with all placeholders replaced, and without the lines that become empty."""
    *suffix, comm = variant.command.split("\n")
    text = text.replace("{suffix}", "\n".join(suffix))
    for word in ("off", "on"):
        text = text.replace(f"{{suffix {word}}}", f"suffix {word}" if variant.parts else "")
    more = r"\1" if variant.style == "p2p/rdma" else ""
    text = re.sub(r"\{comm((?: [^}]*)?)\}", lambda match: comm + match.expand(more), text)
    text = text.replace("{folder}", str(folder)).replace("{name}", variant.name)
    return "\n".join(line for line in text.split("\n") if line.strip()) + "\n"


def system_of(number: int) -> RandomSystem:
    """The second system that Hypothesis draws from this seed; the first is always the simplest system."""
    systems: List[RandomSystem] = []

    @seed(number)
    @settings(max_examples=2, phases=[Phase.generate], database=None, deadline=None,
              suppress_health_check=list(HealthCheck))
    @given(random_systems())
    def collect(system: RandomSystem) -> None:
        systems.append(system)

    collect()
    return systems[-1]


def random_script(number: int) -> RandomScript:
    """The script with this number."""
    system = system_of(number)
    writer = Writer(random.Random(number), system)
    parts = writer.choice((0, 0, 0, 0, 1, 1, 2))
    style = writer.choice(("p2p/rdma",) * 5 + ("brick",)) if parts else "p2p/rdma"
    ncommands = writer.random.randint(FEWEST_COMMANDS, MOST_COMMANDS)
    blocks = [(*writer.start(), *writer.runs())]
    while ncommands > 0:
        lines = writer.command()
        ncommands -= 1
        if ncommands and writer.chance(0.25):
            lines = [*lines, *writer.command()]
            ncommands -= 1
        blocks.append((*lines, *writer.runs()))
    return RandomScript(number, system, parts, style, tuple(blocks))


class Writer:
    """Writes a script command by command, and keeps track of the definitions.

    Args:
        numbers: random numbers for all that is drawn.
        system: system of the first block.
    """

    def __init__(self, numbers: random.Random, system: RandomSystem):
        self.random = numbers
        self.system = system
        self.base = [line.replace(BRICK.command, "{comm}") for line in system.setup(BRICK, Path("{folder}"))]
        self.boundary = list(system.boundary)
        self.triclinic = system.tilt is not None
        self.motion = system.motion
        self.multi = system.multi
        self.respa = False
        self.rough = False    # atoms may overlap: a box that follows them would grow without limit
        self.points = system.points    # some atoms have no shape
        self.fixes = {line.split()[1]: line for line in self.base if line.startswith("fix ")}
        self.atoms = 1
        for dim in range(system.dimension):
            self.atoms *= max(1, int(system.sides[dim]))
        self.names = 0

    # random values

    def choice(self, values: Sequence):
        return self.random.choice(values)

    def chance(self, probability: float = 0.5) -> bool:
        return self.random.random() < probability

    def number(self, low: float, high: float) -> float:
        return round(self.random.uniform(low, high), 3)

    def seed(self) -> int:
        return self.random.randint(1, 900000)

    def name(self, kind: str) -> str:
        """A name that is not in use yet."""
        self.names += 1
        return f"{kind}{self.names}"

    # present state

    @property
    def unit(self) -> float:
        return self.system.unit

    @property
    def temperature(self) -> float:
        return 600.0 if self.system.units == "metal" else 1.0

    @property
    def dims(self) -> str:
        return "xyz"[: self.system.dimension]

    @property
    def bonded(self) -> bool:
        return self.system.kind in ("bond", "full")

    @property
    def sphere(self) -> bool:
        return self.system.kind == "sphere"

    @property
    def peri(self) -> bool:
        return self.system.kind == "peri"

    @property
    def turning(self) -> bool:
        """Whether a fix turns atoms, and stops if some have no shape."""
        return self.system.kind in TURNING and self.fixes["motion"].endswith(f"nve/{self.system.kind}")

    @property
    def has_values_of_atoms(self) -> bool:
        """Whether a fix has values that `replicate` and data files cannot store."""
        return any(name in self.fixes for name in PER_ATOM_FIXES)

    @property
    def shrink_wrapped(self) -> bool:
        return any(kind in "sm" for kind in self.boundary)

    @property
    def may_be_rough(self) -> bool:
        """Whether the box keeps its size when atoms overlap."""
        return not self.shrink_wrapped and self.motion != "npt" and "pressed" not in self.fixes

    def lines_of(self, *starts: str) -> List[str]:
        """Lines of the first block that begin with one of these words."""
        return [line for line in self.base if line.startswith(starts)]

    def place(self, dim: str, low: float, high: float) -> str:
        """A coordinate somewhere between two fractions of the box."""
        return f"$({dim}lo+{self.number(low, high)}*l{dim}:%.12f)"

    def region(self) -> Tuple[str, str]:
        """Name and command of a region: a slab or a corner of the box."""
        name = self.name("r")
        sides = []
        for dim in "xyz":
            cut = dim in self.dims and self.chance()
            sides.append(f"{self.place(dim, 0.0, 0.5)} {self.place(dim, 0.5, 1.0)}" if cut else "INF INF")
        return name, f"region {name} block {' '.join(sides)} units box"

    def some_atoms(self) -> Tuple[str, List[str]]:
        """Name and commands of a group of atoms, chosen by their ids."""
        name = self.name("g")
        condition = f"(id*{self.choice((7, 11, 13, 29))})%97<{self.random.randint(5, 50)}"
        return name, [f'variable {name} atom "{condition}"', f"group {name} variable {name}"]

    def rounded(self) -> List[str]:
        """Commands after which coordinates have the same bits in all runs that agree; -0 becomes 0, and z is not
        exactly 0 in two dimensions where the box has been remapped."""
        lines = [f'variable round{dim} atom "round({dim}/{DIGITS})*{DIGITS}+0"' for dim in "xyz"]
        return [*lines, "set group all " + " ".join(f"{dim} v_round{dim}" for dim in "xyz")]

    # parts of a script

    def start(self) -> List[str]:
        """Commands that make the system."""
        lines = ["{suffix}", *self.base]
        return lines + (self.walls() if self.chance(0.7) else [])

    def walls(self) -> List[str]:
        """Commands for walls where atoms would leave through a fixed boundary."""
        faces = [f"{dim}lo EDGE {dim}hi EDGE" for dim, kind in zip("xyz", self.boundary) if kind == "f"]
        if not faces or self.triclinic:
            return []
        return self.fix("walls", f"all wall/reflect {' '.join(faces)}")

    def fix(self, name: str, words: str) -> List[str]:
        """Commands that define a fix, in the place of one with the same name."""
        gone = [f"unfix {name}"] if name in self.fixes else []
        self.fixes[name] = f"fix {name} {words}"
        return [*gone, self.fixes[name]]

    def unfix(self, name: str) -> List[str]:
        return [f"unfix {name}"] if self.fixes.pop(name, "") else []

    def runs(self) -> List[str]:
        """Commands for an evaluation, a run in one of several forms, and another evaluation."""
        steps = self.random.randint(0, LONGEST_RUN)
        post = self.choice((" post no", ""))
        forms = [[f"run {steps}{post}"]] * 3
        if not self.respa:
            forms.append([f"run {steps} post no", f"run {LONGEST_RUN - steps} pre no{post}"])
        forms.append([f"run {steps + 1} every {self.choice((1, 3, 5))} NULL"])
        forms.append(["dump moving all custom 2 {folder}/{name}.moving id x y z", "dump_modify moving pbc yes sort id",
                      f"run {steps}{post}", "undump moving"])
        return ["run 0", LOOK, *self.choice(forms), LOOK]    # statistics come without "post no" alone

    def command(self) -> List[str]:
        """One command that is possible now."""
        while True:
            lines = self.choice(COMMANDS)(self)
            if lines:
                return lines

    def again(self, boundary: bool, lines: Sequence[str], lasting: Sequence[str] = ()) -> List[str]:
        """`clear`, then the commands that make the system and the lasting fixes anew.

        Args:
            boundary: whether the settings before the box must be made again.
            lines: commands that read box and atoms.
            lasting: names of fixes that are given again, beside the usual ones.
        """
        comm = ["{comm}"]
        self.fixes = {name: line for name, line in self.fixes.items() if name in (*LASTING_FIXES, *lasting)}
        self.multi = self.system.multi
        self.respa = False
        before = ["processors"] + (["units", "dimension", "newton", "atom_style", "atom_modify map"] if boundary
                                   else [])
        after = ["neighbor", "neigh_modify", "lattice", "pair_", "bond_", "special_bonds", "group", "atom_modify first",
                 "comm_modify",
                 "timestep"]
        return ["clear", "{suffix}", *([] if self.system.late else comm), *self.lines_of(*before),
                *([f"boundary {' '.join(self.boundary)}"] if boundary else []), *lines, *self.lines_of(*after),
                *self.fixes.values(), *(comm if self.system.late else []), *self.lines_of("thermo")]


# the box


def scale_box(w: Writer) -> List[str]:
    dims = [dim for dim in w.dims if w.chance(0.6)] or ["x"]
    remap = w.peri or w.chance(0.7)    # else peridynamic partners beyond a face come apart, see FARTHEST_PARTNER
    low = 0.95 if remap and not w.sphere else 1.0
    return [f"change_box all "
            f"{' '.join(f'{dim} scale {w.number(low, 1.12)}' for dim in dims)}{' remap' if remap else ''}"]


def change_boundary(w: Writer) -> List[str]:
    if w.motion != "nve" or "pressed" in w.fixes or w.peri:    # partners beyond the face would be a box length apart
        return []
    opened = w.shrink_wrapped    # first and last atoms overlap if the box becomes periodic
    if opened and w.sphere:    # a sphere may touch two images of another one in such a short box, see SHORTEST_SIDE
        return []
    if opened and w.system.kind in TURNING:    # an atom may overlap with its image: huge forces, which cancel
        return []
    kinds = ("p", "p", "f") if w.triclinic or w.rough or opened else ("p", "p", "f", "s", "m")
    w.boundary = [w.choice(kinds) if dim in w.dims and not (w.triclinic and dim != "x") else "p" for dim in "xyz"]
    w.rough = w.rough or opened
    lines = w.unfix("walls") + [f"change_box all boundary {' '.join(w.boundary)}"]
    return lines + (w.walls() if w.chance(0.8) else [])


def tilt_box(w: Writer) -> List[str]:
    if w.motion != "nve" or "pressed" in w.fixes or w.boundary[0] in "sm" or w.boundary[1:] != ["p", "p"]:
        return []
    if w.peri:    # partners come apart, see FARTHEST_PARTNER
        return []
    tilts = ("xy",) if w.system.dimension == 2 else ("xy", "xz", "yz")
    if w.triclinic and w.chance():
        w.triclinic = False
        return [f"change_box all {' '.join(f'{tilt} final 0.0' for tilt in tilts)} remap ortho"]
    lines = w.unfix("walls") + ([] if w.triclinic else ["change_box all triclinic"])
    w.triclinic = True
    size = f"$({w.number(-0.4, 0.4)}*{'lx' if w.system.dimension == 2 or w.chance() else 'ly'}:%.12f)"
    tilt = w.choice(tilts)
    return [*lines, "box tilt large",
            f"change_box all {tilt} final {size}{' remap' if w.chance(0.8) else ''} units box"]


def replicate(w: Writer) -> List[str]:
    if 2 * w.atoms > MOST_ATOMS or w.sphere or w.has_values_of_atoms or w.system.only_group or w.shrink_wrapped:
        return []
    if w.peri:    # a fix has the partners of each atom, and forbids it
        return []
    w.atoms *= 2
    along = w.choice(w.dims)
    return [f"replicate {' '.join('2' if dim == along else '1' for dim in 'xyz')}{w.choice(('', ' bbox'))}"]


def balance(w: Writer) -> List[str]:
    dims = w.choice([w.dims, w.dims[::-1], "x", "y"])
    cuts = [f"{dim} {' '.join(str(round((i + w.number(-0.3, 0.3)) / n, 4)) for i in range(1, n))}"
            for dim, n in zip("xyz", w.system.grid) if n > 1]
    ways = [[f"balance 1.0 shift {dims} {w.random.randint(1, 10)} 1.02"],
            [f"balance 0.9 {' '.join(f'{dim} uniform' for dim in w.dims)}"]]
    return w.choice(ways + ([[f"balance 0.9 {' '.join(cuts)}"]] if cuts else []))


# atoms


def displace(w: Writer) -> List[str]:
    lengths = {dim: kind == "p" and dim in w.dims for dim, kind in zip("xyz", w.boundary)}
    far = [f"$({w.number(-2.5, 2.5)}*l{dim}:%.12f)" if periodic else "0.0" for dim, periodic in lengths.items()]
    little = [f"{w.number(0.0, 0.06) * w.unit:.4g}" if dim in w.dims else "0.0" for dim in "xyz"]
    of, over = w.choice(w.dims), w.choice(w.dims)
    ways = [[f"displace_atoms all move {' '.join(far)} units box"],
            [*w.rounded(), f"displace_atoms all random {' '.join(little)} {w.seed()} units box"]]
    if lengths[of] and not w.peri:    # partners beyond a face come apart, see FARTHEST_PARTNER
        width = w.number(-0.05, 0.05)
        ways.append([f"displace_atoms all ramp {of} 0.0 $({width}*l{of}:%.12f) {over} "
                     f"$({over}lo:%.12f) $({over}hi:%.12f) units box"])
    if w.chance(0.1) and w.boundary == ["p"] * 3 and w.may_be_rough and not w.peri:
        w.rough = True
        group, lines = w.some_atoms()
        ways.append([*lines, f"displace_atoms {group} move {' '.join(far)} units box"])
    return w.choice(ways)


def delete(w: Writer) -> List[str]:
    if w.atoms < 10 or w.system.kind == "body":    # delete_atoms frees a body that is in use, if there are ghosts
        return []
    if w.peri:    # without some partners LAMMPS' own energies depend on the number of ranks
        return []
    whole = w.choice(("bond yes", "mol yes")) if w.bonded else ""
    if w.chance():
        name, region = w.region()
        lines, which = [region], f"region {name}"
    else:
        name, lines = w.some_atoms()
        which, whole = f"group {name}", "bond yes" if w.bonded else ""
    if w.bonded or w.sphere or w.peri or w.chance():
        return [*lines, f"delete_atoms {which} compress no {whole}".rstrip()]
    return [*lines, f"delete_atoms {which} compress yes", "reset_atoms id sort yes"]    # by position, not by order


def create(w: Writer) -> List[str]:
    if "held" in w.fixes or w.peri:    # the places or partners that these fixes have for new atoms are undefined
        return []
    if w.turning:    # new atoms have no shape
        return []
    w.points = True
    old, new = w.name("old"), w.name("new")
    n = w.random.randint(1, 20)
    if w.chance(0.7):
        apart = f" overlap {0.85 * w.unit:.4g} maxtry 100" if w.chance(0.7) or not w.may_be_rough else ""
        made = f"create_atoms {w.choice((1, 2))} random {n} {w.seed()} NULL{apart} units box"
    else:
        at = " ".join(w.place(dim, 0.02, 0.98) if dim in w.dims else "0.0" for dim in "xyz")
        made = f"create_atoms {w.choice((1, 2))} single {at} units box"
    w.atoms += n
    lines = [f"group {old} union all", made, f"group {new} subtract all {old}"]
    apart = [f"delete_atoms overlap {0.8 * w.unit:.4g} {new} {old} compress no"]
    if not w.may_be_rough or w.chance(0.6):
        return lines + apart
    w.rough = True
    softly = w.motion != "deform" and not w.sphere and not w.system.only_group and w.chance()
    return lines + ([f"minimize 0.0 0.0 {w.random.randint(1, 8)} 50"] if softly else [])


def set_property(w: Writer) -> List[str]:
    group, lines = w.some_atoms()
    ways = [[*w.rounded(), f"set group all type/fraction {w.choice((1, 2))} {w.number(0.1, 0.6)} {w.seed()}"],
            [*lines, f"set group {group} type {w.choice((1, 2))}"],
            [*lines, f"set group {group} image {w.random.randint(-2, 2)} NULL NULL"] if w.boundary[0] == "p" else lines]
    if w.system.kind in ("charge", "full"):
        ways.append([*lines, f"set group {group} charge {w.number(-0.5, 0.5)}"])
    if w.sphere:
        ways = [[*lines, f"set group {group} diameter {w.number(0.9, 1.05)}"],
                [*lines, f"set group {group} omega 0.1 0.0 0.0"]]
    return w.choice(ways)


def set_direction(w: Writer) -> List[str]:
    """Commands that turn the atoms of a group, or let them turn."""
    if w.system.kind not in TURNING:
        return []
    group, lines = w.some_atoms()
    line, flat = w.system.kind == "line", w.system.dimension == 2
    axis = " ".join(str(0.0 if flat and dim != "z" else w.number(-1.0, 1.0)) for dim in "xyz")
    ways = [[*lines, f"set group {group} {'omega' if line else 'angmom'} {axis}"]]
    if not w.points:    # points have no direction
        way, place = ("theta", "") if line else ("quat", f"{axis} ")
        ways += [[*lines, f"set group {group} {way} {place}{w.number(-180.0, 180.0)}"],
                 [*w.rounded(), f"set group all {way}/random {w.seed()}"]]
    return w.choice(ways)


def set_shape(w: Writer) -> List[str]:
    """Commands that give the atoms of a group another shape, or none."""
    if w.system.kind not in ("line", "tri") or w.turning:
        return []
    group, lines = w.some_atoms()
    word, largest = ("length", 0.35) if w.system.kind == "line" else ("tri", 0.2)    # see TRIANGLE: this one is not cut
    size = w.choice((0.0, largest))
    w.points = w.points or size == 0.0
    return [*lines, f"set group {group} {word} {size}"]


def velocity(w: Writer) -> List[str]:
    temperature = w.number(0.2, 1.5) * w.temperature
    made = f"velocity all create {temperature:.6g} {w.seed()} loop geom dist {w.choice(('uniform', 'gaussian'))}"
    ways = [[*w.rounded(), made],
            [f"velocity all scale {temperature:.6g}"], ["velocity all zero linear"],
            [f"velocity all set {w.number(-0.5, 0.5)} NULL NULL sum yes units box"]]
    if w.system.dimension == 3:
        ways.append([f"velocity all ramp vx 0.0 {w.number(-0.5, 0.5)} z $(zlo:%.12f) $(zhi:%.12f) units box"])
    return w.choice(ways)


def reset_ids(w: Writer) -> List[str]:
    if w.bonded:
        molecules = f"reset_atoms mol all compress {w.choice(('yes', 'no'))}"
        return [w.choice(("reset_atoms id sort yes", "reset_atoms image all", molecules))]
    return [] if w.sphere or w.peri else ["reset_atoms id sort yes"]    # contacts and partners are stored by ID


# files


def restart(w: Writer) -> List[str]:
    read = ["read_restart {folder}/{name}.restart", "comm_modify mode single"]
    lines = w.again(False, read, ("held", "marks", "kept"))
    if w.system.kind in PAIR_IN_RESTART and w.chance():
        lines = [line for line in lines if not line.startswith("pair_")]
    # LAMMPS writes styles of fixes with the suffix if that is off, and does not find them again
    return ["{suffix on}", "write_restart {folder}/{name}.restart", *lines]


def data(w: Writer) -> List[str]:
    if w.has_values_of_atoms:
        return []
    lines = w.again(True, ["read_data {folder}/{name}.data"])
    return ["write_data {folder}/{name}.data nocoeff", *lines, *w.system.bond_lines]


def write_files(w: Writer) -> List[str]:
    ways = ["write_restart {folder}/{name}.other", "write_data {folder}/{name}.other nocoeff",
            "write_coeff {folder}/{name}.coeff"]
    return [w.choice(ways if "average" in w.fixes else [*ways, "reset_timestep 0"])]


# neighbors and ghosts


def neighbor_settings(w: Writer) -> List[str]:
    group, lines = w.some_atoms()
    ways = [[f"neigh_modify every {w.choice((1, 2, 5))} delay {w.choice((0, 0, 10))} check {w.choice(('yes', 'no'))}"],
            [f"neigh_modify once {w.choice(('yes', 'no'))}"],
            ["neigh_modify exclude type 1 2"], [*lines, f"neigh_modify exclude group {group} {group}"],
            ["neigh_modify exclude none"]]
    if not w.system.only_group:
        styles = ("multi",) if w.multi else ("bin", "nsq", "multi")
        ways.append([f"neighbor {w.number(0.1, 0.4) * w.unit:.4g} {w.choice(styles)}"])
    if w.bonded:
        ways.append(["neigh_modify exclude molecule/intra all"])
    if not w.sphere:    # FixNeighHistory would keep pointers into deleted pages
        ways.append([f"neigh_modify one {w.choice((2000, 3000))} page {w.choice((30000, 100000))}"])
    return w.choice(ways)


def ghost_settings(w: Writer) -> List[str]:
    if w.system.only_group:
        return []
    least = shortest_ghost_cutoff(w.system.kind, w.system.cutoff, w.system.skin) * w.unit
    ways = [] if w.sphere else [["comm_modify vel yes"], ["comm_modify vel no"]]
    if w.multi:
        ways.append(["comm_modify mode single", f"neighbor {w.system.skin * w.unit:.4g} bin"])
    else:
        ways.append([f"comm_modify cutoff {least * w.number(1.0, 1.6):.6g}"])
    if not w.multi and w.system.kind not in FARTHEST_PARTNER:
        ways += [["comm_modify cutoff 0.0"],
                 [f"neighbor {w.system.skin * w.unit:.4g} multi", "comm_modify cutoff 0.0", "comm_modify mode multi",
                  f"comm_modify cutoff/multi {w.choice((1, 2))} {least * w.number(1.0, 1.5):.6g}"]]
    lines = w.choice(ways)
    if any("mode" in line.split() for line in lines):
        w.multi = not w.multi
    return lines


def comm_style(w: Writer) -> List[str]:
    other = w.choice(("pattern 3stage", "pattern p2p", "shell full", "slots 1", "slots 7", "landing no", "stores plain",
                      "verify yes"))
    to_and_fro = ["comm_style brick", "run 3 post no", LOOK, "{comm}"]
    return w.choice((["comm_style brick"], ["comm_style brick", "{comm}"], ["{comm}"], [f"{{comm {other}}}"],
                     to_and_fro, to_and_fro))


# styles


def suffix(w: Writer) -> List[str]:
    """Commands by which some styles lose the suffix, or get it again."""
    lines = [f"{{suffix {w.choice(('off', 'off', 'on'))}}}"]
    if not w.sphere and w.chance(0.7):    # spheres would lose the history of contacts with the style
        lines += [*w.lines_of("pair_"), "pair_modify shift no"]
    if w.chance(0.7):
        lines += ["unfix motion", w.fixes["motion"]]
    return lines


def pair(w: Writer) -> List[str]:
    if w.system.kind in FIXED_CUTOFF:
        return []
    cutoff = round(w.system.cutoff * w.number(0.7, 1.0), 6)
    ways = [w.system.pair_coeff("1 2", 0.8, 0.75, cutoff), w.system.pair_coeff("* *", 0.9, 0.75, cutoff)]
    return [w.choice(ways if w.system.kind in TURNING else [*ways, "pair_modify shift yes"])]


def minimize(w: Writer) -> List[str]:
    if w.sphere or w.system.only_group or w.motion == "deform":
        return []
    return [f"min_style {w.choice(('cg', 'sd', 'fire', 'quickmin'))}",
            f"minimize 0.0 0.0 {w.random.randint(1, 6)} 40"]


def run_style(w: Writer) -> List[str]:
    if w.sphere:
        return []
    w.respa = w.chance()
    return ["run_style respa 2 2 bond 1 pair 2" if w.respa else "run_style verlet"]


def motion(w: Writer) -> List[str]:
    if w.sphere or w.system.only_group or w.motion == "deform":
        return []
    damp = 0.1 if w.system.units == "metal" else 0.5
    words = ["nve", f"nve/limit {0.05 * w.unit:.3g}", f"nvt temp {w.temperature} {w.temperature} {damp}"]
    if w.system.kind in TURNING and not w.points:
        words = [f"nve/{w.system.kind}"] * 3 + words
    w.motion = "nve"
    return w.fix("motion", f"all {w.choice(words)}")


def fixes(w: Writer) -> List[str]:
    """Commands that add or delete a fix or compute."""
    present = sorted(name for name in w.fixes if name not in LASTING_FIXES)
    if present and w.chance(0.4):
        return w.unfix(w.choice(present))
    return w.choice(FIXES)(w)


def fix_held(w: Writer) -> List[str]:
    if "rain" in w.fixes:
        return []
    return w.fix("held", f"all spring/self {5.0 if w.system.units == 'lj' else 0.5}")


def fix_pushed(w: Writer) -> List[str]:
    group, lines = w.some_atoms()
    force = w.choice(("addforce 0.1 -0.2 0.0", "setforce 0.1 NULL 0.0", "aveforce 0.0 0.1 0.0"))
    return [*lines, *w.fix("pushed", f"{group} {force}")]


def fix_calm(w: Writer) -> List[str]:
    return w.fix("calm", f"all {w.choice(('momentum 3 linear 1 1 1', 'viscous 0.3'))}")


def fix_marks(w: Writer) -> List[str]:
    if "marks" in w.fixes:
        return []
    return [*w.fix("marks", "all property/atom d_weight ghost yes"), "set group all d_weight 1.5"]


def fix_kept(w: Writer) -> List[str]:
    return w.fix("kept", f"all {w.choice(('store/force', 'store/state 0 x y z vx'))}")


def fix_pressed(w: Writer) -> List[str]:
    if w.motion != "nve" or w.boundary != ["p"] * 3 or w.triclinic or w.rough:
        return []
    if w.system.dimension == 2 or w.sphere or w.system.only_group:
        return []
    return w.fix("pressed", "all press/berendsen iso 0.0 0.0 1.0")


def fix_shifted(w: Writer) -> List[str]:
    if w.system.only_group:
        return []
    if "shifted" in w.fixes:
        return w.unfix("shifted")
    return w.fix("shifted", f"all balance {w.choice((2, 5))} 1.0 shift {w.dims} 4 1.02")


def fix_rain(w: Writer) -> List[str]:
    if w.triclinic or w.bonded or w.system.only_group or "rain" in w.fixes or "held" in w.fixes:
        return []
    if w.peri or w.turning:    # new atoms have neither partners nor a shape
        return []
    w.points = True
    name = w.name("r")
    sides = [f"$({dim}lo+0.05*l{dim}:%.12f) $({dim}hi-0.05*l{dim}:%.12f)" if dim in w.dims else "-0.1 0.1"
             for dim in "xyz"]
    atoms = f"{w.random.randint(1, 5)} 1 3 {w.seed()}"
    return [f"region {name} block {' '.join(sides)} units box",
            *w.fix("rain", f"all deposit {atoms} region {name} near {0.8 * w.unit:.4g} units box")]


def fix_average(w: Writer) -> List[str]:
    """A compute that needs a full list, or values of single atoms."""
    name = w.name("c")
    style = w.choice((f"coord/atom cutoff {0.9 * w.unit:.4g}", "pe/atom", "stress/atom NULL", "cluster/atom 1.0",
                      "ke/atom"))
    column = "[1]" if style.startswith("stress") else ""
    return [f"compute {name} all {style}", *w.fix("average", f"all ave/atom 1 1 1 c_{name}{column}")]


FIXES: Tuple[Callable[[Writer], List[str]], ...] = (
    fix_held, fix_pushed, fix_calm, fix_marks, fix_kept, fix_pressed, fix_shifted, fix_rain, fix_average, fix_average)

COMMANDS: Tuple[Callable[[Writer], List[str]], ...] = (
    scale_box, change_boundary, tilt_box, replicate, balance, balance, displace, displace, delete, delete, create,
    create,
    set_property, set_direction, set_direction, set_shape, velocity, reset_ids, restart, data, write_files,
    neighbor_settings, neighbor_settings, ghost_settings,
    ghost_settings, comm_style, comm_style, suffix, pair, minimize, run_style, motion, fixes, fixes, fixes)
