# SPDX-License-Identifier: GPL-2.0-only
"""Small random systems: box, processor grid, cut-off, atoms and options drawn by Hypothesis.

Atoms are on a lattice with random displacements, at least 0.8 lattice constants apart, so that no force is so large
that it hides the others. Lengths in a `RandomSystem` are in lattice constants; `PAIRS` gives the constant.
"""

import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Tuple

import numpy as np
from hypothesis import strategies as st

from lammps_run import Variant

FEWEST_ATOMS, MOST_ATOMS = 4, 500

SEED = int(os.environ.get("TOFU_SEED", random.SystemRandom().randrange(2**31)))
"""Seed of all random systems; with TOFU_SEED set to the number in a report the same systems are drawn again."""

SPACING = {"eam": 2.6}
"""Lattice constant by atom kind in its own length unit; 1 if not listed."""

LONGEST_CUTOFF = 2.8

FIXED_CUTOFF = {"eam": 4.95 / 2.6, "sphere": 1.05, "peri": 1.5}
"""Force cut-offs that do not vary: the pair style prescribes them, or `SHORTEST_SIDE` and `FARTHEST_PARTNER` depend on
them."""

SHORTEST_SIDE = {"sphere": 2 * FIXED_CUTOFF["sphere"], "peri": 2.2 * FIXED_CUTOFF["peri"]}
"""Shortest box side by atom kind; 1.05 if not listed.

fix NEIGH_HISTORY finds the history of a contact by the ID of the partner. In a shorter box two images of
one sphere can touch the same other sphere. The assignment of the two histories then depends on the order
of the ghosts, and brick itself gives other forces with other intervals between lists.

fix PERI_NEIGH refuses a box in which two images of one atom are partners of the same other atom.
"""

FARTHEST_PARTNER = {"bond": 1.9, "full": 1.9, "peri": 1.5 * FIXED_CUTOFF["peri"]}
"""Distance within which the partners of an atom must be ghosts, by atom kind.

Without a partner of a bond LAMMPS stops. A peridynamic bond without a partner is broken without notice, and which bonds
that are depends on the ghosts. Such a bond should break before, by its stretch.
"""

KINDS = ("atomic", "charge", "bond", "full", "sphere", "ellipsoid", "eam", "body", "line", "tri", "peri")

ATOM_MAP = {"peri": "hash"}
"""Style of the atom map by atom kind; array if not listed.

delete_atoms leaves the last IDs in an array, if it deletes these atoms. Their peridynamic partners then have bonds with
any other atoms, depending on the order of atoms.
"""

DIMENSION = {"line": 2, "tri": 3}
"""Dimension of atom kinds that exist in one dimension only."""

SECTION = {"ellipsoid": "Ellipsoids", "body": "Bodies", "line": "Lines", "tri": "Triangles"}
"""Section of a data file for the shapes of atoms, by atom kind."""

TURNING = ("body", "line", "tri")
"""Atom kinds whose atoms consist of several parts, and are turned by fix nve/body, nve/line or nve/tri."""

PAIR_STYLE = {"charge": "lj/cut/coul/cut", "full": "lj/cut/coul/cut", "body": "body/nparticle", "line": "line/lj",
              "tri": "tri/lj"}
"""Pair style of atom kinds with pairs of the Lennard-Jones kind; lj/cut if not listed."""

PART_STRENGTH, PART_SIZE = 0.2, 0.5
"""Well depth and diameter of a part of an atom, over those of an atom without parts."""

FEWEST_PARTS, MOST_PARTS = 2, 6
"""Number of parts of a body."""

TRIANGLE = np.array([[0.24, 0.0, 0.0], [-0.14, 0.15, 0.0], [-0.10, -0.15, 0.0]])
"""Corners around the centroid. pair_style tri/lj cuts a triangle at its longest side: with two sides of the same length
the cut would depend on the last digits."""

ALL_PARTS = "9.0"
"""Cut-off between parts of lines. pair_style line/lj adds the wrong pressure, of another pair, for two lines with no
parts within this cut-off; no parts may be further apart."""


BACKEND_KEYWORDS = {"shm": (), "mpi": ("transport", "mpi"), "ofi": ("transport", "ofi")}
"""Words of comm_style p2p/rdma that choose the backend."""


@dataclass(frozen=True)
class RandomSystem:
    """Everything that defines a case; lengths in lattice constants.

    Args:
        seed: seed of positions, velocities and charges.
        kind: atom style, or "eam" for atom style atomic with an eam potential.
        grid: processor grid.
        sides: box lengths.
        dimension: 2 or 3.
        boundary: LAMMPS' boundary words.
        tilt: xy, xz, yz over the shorter of the two lengths involved, or None for an orthogonal box.
        cutoff: force cut-off.
        skin: neighbor skin.
        ghost_cutoff: value of `comm_modify cutoff`, 0 to leave the command out.
        newton: "on" or "off".
        neighbor: neighbor list style.
        multi: whether to use `comm_modify mode multi`, with a cut-off of its own for type 1.
        velocity: whether to use `comm_modify vel yes`.
        only_group: whether one group alone has ghosts (`comm_modify group`).
        cuts: fractions at which `balance` cuts the box in each dimension, or None for equal sub-boxes.
        shift: whether to balance by shifting cuts during runs.
        motion: time integration: "nve", "npt" or "deform".
        points: whether atoms of type 2 have no shape; then no atom turns.
        late: whether to choose the comm style after everything else.
        keywords: keywords of comm_style p2p/rdma.
        backend: backend of the messages, a key of BACKEND_KEYWORDS.
    """

    seed: int
    kind: str
    grid: Tuple[int, int, int]
    sides: Tuple[float, float, float]
    dimension: int
    boundary: Tuple[str, str, str]
    tilt: Optional[Tuple[float, float, float]]
    cutoff: float
    skin: float
    ghost_cutoff: float
    newton: str
    neighbor: str
    multi: bool
    velocity: bool
    only_group: bool
    cuts: Optional[Tuple[Tuple[float, ...], ...]]
    shift: bool
    motion: str
    points: bool
    late: bool
    keywords: Tuple[str, ...]
    backend: str

    @property
    def ranks(self) -> int:
        return int(np.prod(self.grid))

    @property
    def variant(self) -> Variant:
        """The p2p_rdma variant to compare with brick."""
        return Variant("p2p", keywords=(*self.keywords, *BACKEND_KEYWORDS[self.backend]))

    @property
    def unit(self) -> float:
        """Lattice constant, distance."""
        return SPACING.get(self.kind, 1.0)

    @property
    def units(self) -> str:
        return "metal" if self.kind == "eam" else "lj"

    def write_data(self, path: Path) -> None:
        """Write the atoms as a LAMMPS data file."""
        numbers = np.random.default_rng(self.seed)
        cells = [max(1, int(side)) for side in self.sides]
        if self.dimension == 2:
            cells[2] = 1
        lattice = np.stack(np.meshgrid(*map(np.arange, cells), indexing="ij"), axis=-1).reshape(-1, 3)
        fractions = (lattice + 0.5 + numbers.uniform(-0.1, 0.1, lattice.shape)) / cells
        if self.dimension == 2:
            fractions[:, 2] = 0.5
        sides = np.array(self.sides) * self.unit
        xy, xz, yz = np.array(self.tilt or (0, 0, 0)) * np.minimum(sides[[0, 0, 1]], sides[[1, 2, 2]])
        box = np.array([[sides[0], 0, 0], [xy, sides[1], 0], [xz, yz, sides[2]]])
        origin = np.array([0.0, 0.0, -0.5 * sides[2] if self.dimension == 2 else 0.0])
        positions = fractions @ box + origin
        natoms = len(positions)
        types = numbers.integers(1, 3, natoms)
        # neighbors along z (in 2d along y) are pairs; the last atom of an odd row is single
        firsts = [i for i in range(0, natoms - 1, 2) if np.abs(lattice[i] - lattice[i + 1]).sum() == 1]
        bonds = [(i + 1, i + 2) for i in firsts] if self.kind in ("bond", "full") else []
        lines = ["random system", "", f"{natoms} atoms", "2 atom types"]
        if self.kind in ("bond", "full"):
            lines += [f"{len(bonds)} bonds", "1 bond types", "1 extra bond per atom"]
        shaped = self._has_shape(types)
        shapes = [self._shape(i + 1, positions[i], numbers) for i in np.flatnonzero(shaped)]
        if shapes:
            lines.append(f"{len(shapes)} {SECTION[self.kind].lower()}")
        for name, low, length in zip("xyz", origin, sides):
            lines.append(f"{low:.17g} {low + length:.17g} {name}lo {name}hi")
        if self.tilt:
            lines.append(f"{xy:.17g} {xz:.17g} {yz:.17g} xy xz yz")
        if self.kind not in ("sphere", "ellipsoid", "peri", *TURNING):  # these have a mass or a density per atom
            lines += ["", "Masses", "", "1 1.0", "2 1.5"]
        lines += ["", f"Atoms # {self.atom_style}", ""]
        charges = numbers.uniform(-1, 1, natoms)
        molecules = np.arange(natoms) // 2 + 1
        for i, (x, y, z) in enumerate(positions):
            place = f"{x:.17g} {y:.17g} {z:.17g}"
            lines.append(self._atom_line(i + 1, types[i], int(shaped[i]), charges[i], molecules[i], place))
        if shapes:
            lines += ["", SECTION[self.kind], "", *shapes]
        if bonds:
            lines += ["", "Bonds", ""] + [f"{n} 1 {a} {b}" for n, (a, b) in enumerate(bonds, 1)]
        path.write_text("\n".join(lines) + "\n")

    @property
    def atom_style(self) -> str:
        return "atomic" if self.kind == "eam" else self.kind

    def _atom_line(self, tag: int, kind: int, shape: int, charge: float, molecule: int, position: str) -> str:
        words = {
            "atomic": f"{tag} {kind} {position}",
            "charge": f"{tag} {kind} {charge:.17g} {position}",
            "bond": f"{tag} {molecule} {kind} {position}",
            "full": f"{tag} {molecule} {kind} {charge:.17g} {position}",
            "sphere": f"{tag} {kind} {1.05 if kind == 1 else 0.95} 1.0 {position}",
            "ellipsoid": f"{tag} {kind} {shape} 1.0 {position}",
            "body": f"{tag} {kind} {shape} 1.0 {position}",
            "line": f"{tag} {molecule} {kind} {shape} 4.0 {position}",
            "tri": f"{tag} {molecule} {kind} {shape} 20.0 {position}",
            "peri": f"{tag} {kind} 1.0 1.0 {position}",
        }
        return words[self.atom_style]

    def _has_shape(self, types: np.ndarray) -> np.ndarray:
        """Whether atoms of these types have a shape in the data file."""
        if self.kind not in SECTION:
            return np.zeros(len(types), dtype=bool)
        return (types == 1) | (self.kind in TURNING and not self.points)

    def _shape(self, tag: int, position: np.ndarray, numbers: np.random.Generator) -> str:
        """Entry of an atom in the section of shapes."""
        if self.kind == "ellipsoid":
            return f"{tag} 1.0 0.8 0.6 1 0 0 0"
        if self.kind == "body":
            nparts = numbers.integers(FEWEST_PARTS, MOST_PARTS + 1)
            parts = numbers.uniform(-0.1, 0.1, (nparts, 3))
            parts[:, self.dimension:] = 0.0
            inertia = "0.1 0.12 0.14 0.01 0.0 0.0"
            return "\n".join([f"{tag} 1 {6 + 3 * nparts}", f"{nparts}", inertia, *map(_words, parts)])
        if self.kind == "line":
            angle, length = numbers.uniform(-np.pi, np.pi), numbers.uniform(0.2, 0.4)
            end = 0.5 * length * np.array([np.cos(angle), np.sin(angle)])
            return f"{tag} {_words(position[:2] - end)} {_words(position[:2] + end)}"
        turned = numbers.uniform(0.9, 1.1) * TRIANGLE @ np.linalg.qr(numbers.normal(size=(3, 3)))[0]
        return f"{tag} {_words((position + turned).ravel())}"

    def pair_coeff(self, types: str, epsilon: float, sigma: float, cutoff: float) -> str:
        """The command for pairs of the Lennard-Jones kind.

        Args:
            types: the two types.
            epsilon, sigma: well depth and diameter of atoms without parts.
            cutoff: cut-off between centers, distance.
        """
        if self.kind in TURNING:
            epsilon, sigma = PART_STRENGTH * epsilon, PART_SIZE * sigma
        lengths = "0.15 0.15 " if self.kind == "line" else ""    # of the parts
        words = f"{epsilon:g} {sigma:g} {ALL_PARTS + ' ' if self.kind == 'line' else ''}"
        return f"pair_coeff {types} {lengths}{words}{cutoff:.17g}"

    def _pair_lines(self) -> list:
        cutoff, short = self.cutoff * self.unit, 0.6 * self.cutoff * self.unit  # two lengths for mode multi
        if self.kind == "eam":
            return ["pair_style eam", "pair_coeff * * Cu_u3.eam"]
        if self.kind == "sphere":
            return ["pair_style gran/hooke/history 2000.0 NULL 50.0 NULL 0.5 1", "pair_coeff * *"]
        if self.kind == "peri":
            lattice = f"lattice {'sc' if self.dimension == 3 else 'sq'} 1.0"
            return [lattice, "pair_style peri/pmb", f"pair_coeff * * 20.0 {cutoff:.17g} 0.3 0.25"]
        lines = [f"pair_style {PAIR_STYLE.get(self.kind, 'lj/cut')} {cutoff:.17g}"]
        lines += [self.pair_coeff("1 1", 1.0, 0.8, cutoff), self.pair_coeff("2 2", 0.7, 0.7, short)]
        lines += [self.pair_coeff("1 2", 0.9, 0.75, cutoff)]
        if self.kind in ("bond", "full"):
            lines += ["bond_style harmonic", "bond_coeff 1 50.0 1.0", "special_bonds lj/coul 0 1 1"]
        return lines

    def _ghost_lines(self) -> list:
        lines = []
        if self.only_group:
            lines += ["group inner type 1", "atom_modify first inner"]
            lines += ["neigh_modify include inner", "comm_modify group inner"]
        if self.multi:
            lines.append(f"comm_modify mode multi cutoff/multi 1 {1.1 * (self.cutoff + self.skin) * self.unit:.17g}")
        elif self.ghost_cutoff:
            lines.append(f"comm_modify cutoff {self.ghost_cutoff * self.unit:.17g}")
        if self.velocity or self.kind == "sphere":
            lines.append("comm_modify vel yes")
        return lines

    @property
    def dumped_group(self) -> str:
        """Group whose forces are dumped: with `neigh_modify include` LAMMPS leaves the forces on all other atoms
        undefined."""
        return "inner" if self.only_group else "all"

    def _balance_lines(self) -> list:
        lines = []
        if self.cuts:
            words = [f"{name} {' '.join(f'{c:.6g}' for c in cuts)}" for name, cuts in zip("xyz", self.cuts) if cuts]
            lines += [f"balance 0.9 {' '.join(words)}"] if words else []
        if self.shift:
            lines.append(f"fix shifted all balance 4 0.9 shift {'xyz'[: self.dimension]} 3 1.0")
        return lines

    def _motion_lines(self) -> list:
        metal = self.kind == "eam"
        temperature, damp = (600.0, 0.1) if metal else (1.0, 0.5)
        moved = self.dumped_group
        lines = [f"velocity all create {temperature} {self.seed % 900000 + 1} loop geom"]
        lines.append(f"timestep {0.002 if metal else 0.004 if self.kind != 'sphere' else 0.001}")
        if self.motion == "npt":
            box = "x 0.0 0.0 1.0 y 0.0 0.0 1.0" if self.dimension == 2 else "aniso 0.0 0.0 1.0"
            lines.append(f"fix motion all npt temp {temperature} {temperature} {damp} {box}")
        else:
            turning = self.kind == "sphere" or (self.kind in TURNING and not self.points)
            lines.append(f"fix motion {moved} nve{'/' + self.kind if turning else ''}")
        if self.motion == "deform":
            lines.append(
                f"fix deform all deform 2 {'xy' if self.tilt else 'x'} erate 0.5{' remap v' if self.tilt else ''}"
            )
        return lines + (["fix flat all enforce2d"] if self.dimension == 2 else [])

    @property
    def bond_lines(self) -> list:
        """Commands by which LAMMPS makes peridynamic bonds, and the bonds get a strain; in bonds without strain forces
        are rounding errors."""
        if self.kind != "peri":
            return []
        strain = [f'variable strain{dim} atom "{dim}+0.03*sin({factor}*id)"' for dim, factor in (("x", 11), ("y", 23))]
        return ["run 0 post no", *strain, "set group all x v_strainx y v_strainy"]

    def setup(self, variant: Variant, folder: Path) -> list:
        """The commands before the first evaluation; arguments as for `script()`."""
        choose = [variant.command]
        return [
            *([] if self.late else choose),
            f"units {self.units}",
            f"dimension {self.dimension}",
            f"boundary {' '.join(self.boundary)}",
            f"newton {self.newton}",
            f"atom_style {self.atom_style}{f' nparticle {FEWEST_PARTS} {MOST_PARTS}' if self.kind == 'body' else ''}",
            f"atom_modify map {ATOM_MAP.get(self.kind, 'array')}",
            f"processors {' '.join(map(str, self.grid))}",
            f"read_data {folder}/data.system",
            f"neighbor {self.skin * self.unit:.17g} {self.neighbor}",
            "neigh_modify every 2 delay 0 check no",
            *self._pair_lines(),
            *self._ghost_lines(),
            *self._motion_lines(),
            *self._balance_lines(),
            *(choose if self.late else []),
            "thermo_style custom step atoms pe ke evdwl ecoul ebond press pxx pyy pzz pxy pxz pyz",
            "thermo_modify norm no format float %.17g",
            "thermo 5",
            *self.bond_lines,
        ]

    def script(self, variant: Variant, folder: Path) -> str:
        """The LAMMPS script of this system; it dumps `start` and `end` into `folder`.

        Args:
            variant: way to exchange ghosts.
            folder: folder of `data.system` (see `write_data`) and of the dumps.
        """
        dump = (
            f"write_dump {self.dumped_group} custom "
            + "{}/{}.{}.dump id x y z fx fy fz modify sort id format float %.17g"
        )
        lines = [
            *self.setup(variant, folder),
            "run 0 post no",
            dump.format(folder, variant.name, "start"),
            "run 15",
            dump.format(folder, variant.name, "end"),
        ]
        return "\n".join(lines) + "\n"


def _words(values: np.ndarray) -> str:
    """Numbers with all their digits."""
    return " ".join(f"{value:.17g}" for value in values)


def shortest_ghost_cutoff(kind: str, cutoff: float, skin: float) -> float:
    """The shortest ghost cut-off with which LAMMPS finds all neighbors and all partners."""
    return max(cutoff + skin, FARTHEST_PARTNER.get(kind, 0.0))


def _rounded(low: float, high: float):
    """Numbers with three decimals: they are short in a script, and a data file cannot store all doubles."""
    return st.floats(low, high).map(lambda number: round(number, 3))


def processor_grids(ranks: int, dimension: int):
    """All factorisations of `ranks` into a processor grid."""
    return [
        (x, y, ranks // (x * y))
        for x in range(1, ranks + 1)
        for y in range(1, ranks // x + 1)
        if ranks % (x * y) == 0 and (dimension == 3 or x * y == ranks)
    ]


@st.composite
def random_systems(draw) -> RandomSystem:
    """Draw a system; each cut-off is between 0.15 and 3 times the sub-box length in its dimension."""
    # the seed is drawn first: Hypothesis avoids the very first choice of the simplest system in the second one, see
    # random_scripts.system_of(), and no kind of atoms should be missing
    number = draw(st.integers(0, 2**31 - 1))
    kind = draw(st.sampled_from(KINDS))
    dimension = DIMENSION.get(kind) or draw(st.sampled_from((3, 3, 3, 2)))
    grid = draw(st.sampled_from(processor_grids(draw(st.sampled_from((1, 2, 3, 4, 6, 8))), dimension)))
    cutoff = FIXED_CUTOFF.get(kind) or draw(_rounded(1.3, LONGEST_CUTOFF - 0.3))
    skin = draw(_rounded(0.1, 0.3))
    sides = [p * (cutoff + skin) / draw(_rounded(0.15, 3.0)) for p in grid]
    if dimension == 2:
        sides[2] = 1.0
    shortest = SHORTEST_SIDE.get(kind, 1.05)
    sides = _limited([max(side, shortest) for side in sides], shortest)
    boundary = [draw(st.sampled_from(("p", "p", "f", "s", "m"))) for _ in range(3)]
    if dimension == 2:
        boundary[2] = "p"
    tilt = None
    if draw(st.booleans()):
        tilt = tuple(draw(_rounded(-0.5, 0.5)) for _ in range(3))
        tilt = (tilt[0], 0.0, 0.0) if dimension == 2 else tilt
        # LAMMPS shears only along directions whose upper face is periodic, and shrink-wraps no tilted face
        boundary = ["p" if b in "sm" else b for b in boundary]
        boundary[1:] = ["p"] * 2
    periodic = all(b == "p" for b in boundary)
    simple = kind in ("atomic", "charge")
    neighbor = draw(st.sampled_from(("bin", "bin", "nsq", "multi")))
    multi = neighbor == "multi" and draw(st.booleans())
    only_group = simple and not multi and neighbor == "bin" and draw(st.booleans())
    motions = ("nve", "npt", "deform") if periodic and kind != "sphere" and not only_group else ("nve",)
    motion = draw(st.sampled_from(motions))
    shift = draw(st.sampled_from((False, False, True))) and not only_group
    cuts = None if draw(st.booleans()) else tuple(_cuts(draw, p) for p in grid)
    least_ghosts = shortest_ghost_cutoff(kind, cutoff, skin)
    ghost_cutoff = least_ghosts * draw(_rounded(1.0, 1.5)) if draw(st.booleans()) or kind in FARTHEST_PARTNER else 0.0
    keywords = [
        *draw(st.sampled_from((("pattern", "p2p"), ("pattern", "p2p"), ("pattern", "3stage")))),
        *draw(st.sampled_from(((), (), ("shell", "full")))),
        *draw(st.sampled_from(((), (), (), ("endpoints", "3", "threads", "2")))),
        *draw(st.sampled_from(((), ("slots", "1"), ("slots", "2"), ("slots", "9")))),
        *draw(st.sampled_from(((), ("verify", "yes")))),
    ]
    return RandomSystem(
        seed=number,
        kind=kind,
        grid=grid,
        sides=tuple(sides),
        dimension=dimension,
        boundary=tuple(boundary),
        tilt=tilt,
        cutoff=cutoff,
        skin=skin,
        ghost_cutoff=ghost_cutoff,
        newton=draw(st.sampled_from(("on", "off"))),
        neighbor=neighbor,
        multi=multi and kind not in FARTHEST_PARTNER,
        velocity=draw(st.booleans()),
        only_group=only_group,
        cuts=cuts,
        shift=shift,
        motion=motion,
        points=kind in TURNING and draw(st.booleans()),
        late=draw(st.booleans()),
        keywords=tuple(keywords),
        backend=draw(st.sampled_from(sorted(BACKEND_KEYWORDS))),
    )


def _limited(sides: list, shortest: float) -> list:
    """`sides`, none below `shortest`, with the longest changed until the box holds FEWEST_ATOMS to MOST_ATOMS sites."""
    while np.prod([int(side) for side in sides]) < FEWEST_ATOMS:
        sides[int(np.argmax(sides))] *= 1.5
    while np.prod([int(side) for side in sides]) > MOST_ATOMS:
        longest = int(np.argmax(sides))
        sides[longest] = max(0.7 * sides[longest], shortest)
    return sides


def _cuts(draw, parts: int) -> Tuple[float, ...]:
    """Uneven fractions that cut a length into `parts` parts, none of them empty."""
    return tuple((i + draw(_rounded(-0.4, 0.4))) / parts for i in range(1, parts))
