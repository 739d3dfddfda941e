# SPDX-License-Identifier: GPL-2.0-only
"""Small deep potentials: random models, their files, and energies and forces with NumPy.

Nothing here needs a framework. Files are TensorFlow's frozen graphs (.pb), with the nodes that deepmd-kit's frozen
models have and that matter for the result: constants by their names, the operations with the cut-offs, and those that
use the tables of a compressed model; or the common format of deepmd-kit (.dp): a tree as JSON, and arrays, in HDF5.
Lengths are in Angstrom, energies in eV.
"""

import json
import struct
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Callable, Dict, List, Optional, Sequence, Tuple

import h5py
import numpy as np

# ---- models


@dataclass
class Layer:
    """One layer of a net: y = activation(x weights + biases), times the time steps if it has any."""

    weights: np.ndarray
    biases: np.ndarray
    timesteps: Optional[np.ndarray] = None


@dataclass
class Table:
    """An embedding net as polynomials of fifth degree, which is what a compressed model has.

    Args:
        info: lower end, end of the short intervals, upper end, length of the short and of the long intervals.
        coefficients: [interval][output][power].
    """

    info: Tuple[float, float, float, float, float]
    coefficients: np.ndarray


@dataclass
class TypeEmbedding:
    """How a descriptor se_atten in mode strip knows types: outputs of its embedding net are multiplied by 1 + c.

    Args:
        embedding: net that makes vectors of types; it is linear.
        net: net that makes the factors c from the vectors of the neighbor and, unless one-sided, of the center.
        smooth: whether factors go to zero at the cut-off.
        appended: whether the vector of the center follows the values of the descriptor.
        tensorflow: whether factors go to zero as in TensorFlow's models, which differ from all others there.
    """

    embedding: List[Layer]
    net: List[Layer]
    one_sided: bool
    smooth: bool
    appended: bool
    tensorflow: bool = False

    @property
    def vectors(self) -> np.ndarray:
        """Vectors by type."""
        return dense(self.embedding, "linear", np.eye(len(self.embedding[0].weights)))

    def factors(self, activation: str, center: int, neighbor: int) -> np.ndarray:
        """Factors c of a pair of types."""
        vectors = self.vectors
        pair = vectors[[neighbor]] if self.one_sided else np.concatenate([vectors[[neighbor]], vectors[[center]]], 1)
        return dense(self.net, activation, pair)[0]

    def weights(self, r: np.ndarray, s: np.ndarray, slope: np.ndarray,
                rcut_smth: float) -> Tuple[np.ndarray, np.ndarray]:
        """What factors are multiplied by, and its derivatives by the distance r; s is the switched 1/r."""
        if not self.smooth:
            return np.ones_like(r), np.zeros_like(r)
        if not self.tensorflow:
            return r * s, r * slope + s
        t = np.maximum(0.0, 1.0 - rcut_smth * s)
        return 1.0 - t**3, 3.0 * t * t * rcut_smth * slope


@dataclass
class Descriptor:
    """Descriptor se_e2_a, or se_e2_r if it is radial, or se_atten without attention if it has an embedding of types.

    Args:
        rcut, rcut_smth: cut-offs.
        sel: slots by type of the neighbor; of se_atten one number for all types.
        axis: columns of the second factor; 0 if it is radial.
        average, deviation: [center type][neighbor type][component].
        nets: by (center type, neighbor type), or (0, neighbor type) if it is one-sided.
        excluded: pairs of types that do not see each other.
        excluded_take_slots: whether these neighbors have slots all the same, of which the empty ones count, as in all
            frameworks but TensorFlow.
    """

    rcut: float
    rcut_smth: float
    sel: Tuple[int, ...]
    neuron: Tuple[int, ...]
    axis: int
    one_sided: bool
    activation: str
    average: np.ndarray
    deviation: np.ndarray
    nets: Dict[Tuple[int, int], List[Layer]]
    resnet_dt: bool = False
    excluded: Tuple[Tuple[int, int], ...] = ()
    excluded_take_slots: bool = False
    radial: bool = False
    tables: Dict[Tuple[int, int], Table] = field(default_factory=dict)
    types: Optional[TypeEmbedding] = None

    @property
    def width(self) -> int:
        """Number of outputs of an embedding net."""
        return self.neuron[-1]

    @property
    def size(self) -> int:
        """Number of values of the descriptor."""
        return self.width * (1 if self.radial else self.axis) + self.ntype_values

    @property
    def ntype_values(self) -> int:
        """Number of values of the center's type among them, which are the last ones."""
        return self.types.vectors.shape[1] if self.types and self.types.appended else 0

    @property
    def ncomponents(self) -> int:
        """Components of the row of a neighbor."""
        return 1 if self.radial else 4

    def net_of(self, center: int, neighbor: int) -> Tuple[int, int]:
        """Key of the net of a pair of types."""
        return (0, 0) if self.types else (0 if self.one_sided else center, neighbor)

    def sees(self, center: int, neighbor: int) -> bool:
        """Whether neighbors of a type count for centers of another."""
        return (center, neighbor) not in self.excluded and (neighbor, center) not in self.excluded


@dataclass
class DeepModel:
    """A model of energies, or of dipoles.

    Args:
        types: names.
        descriptors: one, or several if it is hybrid.
        fitting: net of each type, or one for all; its last layer is linear. Types without dipoles have none.
        biases: energy of a single atom by type.
        frame, atom: averages and inverse deviations of the parameters of the frame and of each atom, [2][number].
        single_precision: whether the file has float32.
        hybrid: whether the descriptor is a list, even of one.
    """

    types: Tuple[str, ...]
    descriptors: List[Descriptor]
    fitting: List[List[Layer]]
    biases: np.ndarray
    activation: str = "tanh"
    resnet_dt: bool = True
    frame: np.ndarray = field(default_factory=lambda: np.zeros((2, 0)))
    atom: np.ndarray = field(default_factory=lambda: np.zeros((2, 0)))
    single_precision: bool = False
    hybrid: bool = False
    selected: Tuple[int, ...] = ()
    """Types that have dipoles, in a model of dipoles."""


@dataclass(frozen=True)
class Part:
    """Options of a random descriptor; see Descriptor. The deviations of the averages from zero are `shift`.
    With `vectors`, the length of the vectors of types, it is se_atten."""

    rcut: float = 4.0
    rcut_smth: float = 0.6
    sel: Tuple[int, ...] = (60, 60)
    neuron: Tuple[int, ...] = (4, 8, 16)
    axis: int = 4
    one_sided: bool = True
    activation: str = "tanh"
    resnet_dt: bool = False
    excluded: Tuple[Tuple[int, int], ...] = ()
    excluded_take_slots: bool = False
    radial: bool = False
    shift: float = 1.0
    vectors: int = 0
    smooth: bool = True
    appended: bool = True
    tensorflow: bool = False


NAMES = ("O", "H", "Cl")


def random_model(seed: int, parts: Sequence[Part] = (Part(),), *, types: Sequence[str] = NAMES[:2],
                 fitting: Tuple[int, ...] = (10, 10, 10), activation: str = "tanh", resnet_dt: bool = True,
                 nframe: int = 0, natom: int = 0, single_precision: bool = False, hybrid: bool = False,
                 selected: Tuple[int, ...] = ()) -> DeepModel:
    """A model with random weights, whose forces between atoms at usual distances are some eV/Angstrom, or whose dipoles
    are some 0.1 Angstrom.

    Args:
        seed: the same model for the same seed and options.
        parts: descriptors; several make a hybrid one.
        fitting: widths of the hidden layers of fitting nets.
        nframe, natom: number of parameters of the frame and of each atom.
        hybrid: whether a single descriptor is written as a hybrid one.
        selected: types that have dipoles, for a model of dipoles.
    """
    rng = np.random.default_rng(seed)
    precision = np.float32 if single_precision else np.float64
    ntypes = len(types)

    def numbers(shape, size: float, middle: float = 0.0) -> np.ndarray:
        return (middle + size * rng.standard_normal(shape)).astype(precision).astype(np.float64)

    def net(widths: Sequence[int], dt: bool, double: bool, size: float = 1.0) -> List[Layer]:
        layers = []
        for inputs, outputs in zip(widths[:-1], widths[1:]):
            residual = layers and (outputs == inputs) or double and outputs == 2 * inputs
            layers.append(Layer(numbers((inputs, outputs), size / np.sqrt(inputs + outputs)), numbers(outputs, 0.3),
                                numbers(outputs, 0.05, 0.4) if dt and residual else None))
        return layers

    descriptors = []
    for part in parts:
        ncomponents = 1 if part.radial else 4
        average = np.zeros((ntypes, ntypes, ncomponents))
        deviation = np.zeros((ntypes, ntypes, ncomponents))
        for center in range(ntypes):    # as trained: the same for all neighbors of a type of center
            average[center, :, 0] = part.shift * abs(numbers((), 0.02, 0.06))
            deviation[center, :, 0] = abs(numbers((), 0.02, 0.14))
            deviation[center, :, 1:] = abs(numbers((), 0.02, 0.11))
        average, deviation = (a.astype(precision).astype(np.float64) for a in (average, deviation))
        centers = range(1 if part.one_sided else ntypes)
        descriptor = Descriptor(part.rcut, part.rcut_smth, part.sel, part.neuron, 0 if part.radial else part.axis,
                                part.one_sided, part.activation, average, deviation, {}, part.resnet_dt, part.excluded,
                                part.excluded_take_slots, part.radial)
        if part.vectors:
            inputs = part.vectors * (1 if part.one_sided else 2)
            embedding, factors = (net(widths, False, True) for widths in ((ntypes, part.vectors),
                                                                          (inputs, *part.neuron)))
            descriptor.types = TypeEmbedding(embedding, factors, part.one_sided, part.smooth, part.appended,
                                             part.tensorflow)
        for center, neighbor in [(0, 0)] if part.vectors else product(centers, range(ntypes)):
            if part.one_sided or part.vectors or part.excluded_take_slots or descriptor.sees(center, neighbor):
                descriptor.nets[center, neighbor] = net((1, *part.neuron), part.resnet_dt, True, 0.7)
        descriptors.append(descriptor)

    size = sum(one.size for one in descriptors)
    nets = []
    for center in range(1 if any(part.vectors for part in parts) else ntypes):
        if selected and center not in selected:
            nets.append([])
            continue
        layers = net((size + nframe + natom, *fitting), resnet_dt, False)
        layers[0].weights[:] = numbers(layers[0].weights.shape, 3.0 / np.sqrt(size))
        noutputs, strength = (descriptors[0].width, 1.0) if selected else (1, 3.0)
        layers.append(Layer(numbers((fitting[-1], noutputs), strength), numbers(noutputs, 1.0)))
        nets.append(layers)
    statistics = [np.stack([numbers(n, 0.3, 0.5), np.abs(numbers(n, 0.3, 1.5))]) for n in (nframe, natom)]
    return DeepModel(tuple(types), descriptors, nets, numbers(ntypes, 5.0, -50.0), activation, resnet_dt, *statistics,
                     single_precision, hybrid or len(parts) > 1, selected)


# ---- nets


def activate(name: str, x: np.ndarray) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value, first and second derivative of an activation function."""
    s = 0.5 * (1.0 + np.tanh(0.5 * x))    # sigmoid
    if name == "tanh":
        y = np.tanh(x)
        return y, 1.0 - y * y, -2.0 * y * (1.0 - y * y)
    if name == "sigmoid":
        d = s * (1.0 - s)
        return s, d, d * (1.0 - 2.0 * s)
    if name == "softplus":
        return np.logaddexp(0.0, x), s, s * (1.0 - s)
    if name == "silu":
        d = s * (1.0 - s)
        return x * s, s + x * d, 2.0 * d + x * d * (1.0 - 2.0 * s)
    if name == "relu":
        return np.maximum(x, 0.0), (x > 0.0).astype(float), np.zeros_like(x)
    if name == "relu6":
        return np.clip(x, 0.0, 6.0), ((x > 0.0) & (x < 6.0)).astype(float), np.zeros_like(x)
    if name in ("gelu", "gelu_tf"):
        c, a = np.sqrt(2.0 / np.pi), 0.044715
        t, u1, u2 = np.tanh(c * (x + a * x**3)), c * (1.0 + 3.0 * a * x * x), 6.0 * c * a * x
        t1 = 1.0 - t * t
        return (0.5 * x * (1.0 + t), 0.5 * (1.0 + t) + 0.5 * x * t1 * u1,
                t1 * u1 + 0.5 * x * (t1 * u2 - 2.0 * t * t1 * u1 * u1))
    assert name == "linear", name
    return x, np.ones_like(x), np.zeros_like(x)


def embedding(net: List[Layer], activation: str, x: np.ndarray) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Outputs of an embedding net [n, width], and their first and second derivatives by its input x [n]."""
    y, d, dd = x[:, None], np.ones((len(x), 1)), np.zeros((len(x), 1))
    for layer in net:
        inputs, outputs = layer.weights.shape
        value, slope, curvature = activate(activation, y @ layer.weights + layer.biases)
        d1, d2 = d @ layer.weights, dd @ layer.weights
        step = 1.0 if layer.timesteps is None else layer.timesteps
        value, d1, d2 = step * value, step * slope * d1, step * (curvature * d1 * d1 + slope * d2)
        if outputs in (inputs, 2 * inputs):
            repeat = (1, outputs // inputs)
            value, d1, d2 = value + np.tile(y, repeat), d1 + np.tile(d, repeat), d2 + np.tile(dd, repeat)
        y, d, dd = value, d1, d2
    return y, d, dd


def dense(net: List[Layer], activation: str, x: np.ndarray) -> np.ndarray:
    """Outputs of an embedding net [n, outputs] for inputs [n, inputs]."""
    for layer in net:
        inputs, outputs = layer.weights.shape
        value = activate(activation, x @ layer.weights + layer.biases)[0]
        value = value if layer.timesteps is None else layer.timesteps * value
        x = value + np.tile(x, (1, outputs // inputs)) if outputs in (inputs, 2 * inputs) else value
    return x


def interpolated(table: Table, x: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Outputs of a table and their first derivatives; outside of its range it is continued as a straight line."""
    lower, middle, upper, short, long = table.info
    nshort = int(round((middle - lower) / short))
    inside = np.clip(x, lower, upper)
    number = np.where(inside < middle, np.floor((inside - lower) / short), nshort + np.floor((inside - middle) / long))
    number = np.minimum(number.astype(int), len(table.coefficients) - 1)
    begin = np.where(number < nshort, lower + number * short, middle + (number - nshort) * long)
    t, a = (inside - begin)[:, None], table.coefficients[number]
    value = sum(a[:, :, power] * t**power for power in range(6))
    slope = sum(power * a[:, :, power] * t**(power - 1) for power in range(1, 6))
    return value + slope * (x - inside)[:, None], slope


def fitted(net: List[Layer], activation: str, x: np.ndarray) -> Tuple[np.ndarray, Callable]:
    """Outputs of a fitting net for one vector of inputs, and a function that makes gradients by inputs from those by
    outputs."""
    h, back = x, []
    for number, layer in enumerate(net):
        last = number + 1 == len(net)
        value, slope, _ = activate("linear" if last else activation, h @ layer.weights + layer.biases)
        step = 1.0 if layer.timesteps is None else layer.timesteps
        residual = 0 < number and not last and layer.weights.shape[0] == layer.weights.shape[1]
        back.append((layer.weights, step * slope, residual))
        h = step * value + (h if residual else 0.0)

    def by_inputs(gradient: np.ndarray) -> np.ndarray:
        for weights, slope, residual in reversed(back):
            gradient = weights @ (slope * gradient) + (gradient if residual else 0.0)
        return gradient

    return h, by_inputs


# ---- energies and forces


@dataclass
class Atoms:
    """Positions, types of the model (negative: not an atom), and the box.

    Args:
        cell: edges as rows, lower triangular; None: no periodic boundary at all.
    """

    x: np.ndarray
    types: np.ndarray
    cell: Optional[np.ndarray] = None

    @property
    def natoms(self) -> int:
        return len(self.x)


@dataclass
class Values:
    """Energies of atoms, forces, virials of atoms [n][3][3] as sum of (x_j - x_i) (x) f_j at atom j, and the number of
    atoms with more neighbors of a type than the model has slots."""

    energies: np.ndarray
    forces: np.ndarray
    virials: np.ndarray
    noverflows: int

    @property
    def energy(self) -> float:
        return float(np.sum(self.energies))

    @property
    def virial(self) -> np.ndarray:
        """Virial of all atoms [3][3], symmetric but for rounding."""
        return np.sum(self.virials, axis=0)


def images_of(cell: Optional[np.ndarray], cutoff: float) -> np.ndarray:
    """Shifts of all images of the box that a sphere around a point inside the box may reach."""
    if cell is None:
        return np.zeros((1, 3))
    heights = 1.0 / np.linalg.norm(np.linalg.inv(cell), axis=0)
    counts = np.ceil(cutoff / heights).astype(int) + 1
    return np.array([np.array(n) @ cell for n in product(*(range(-c, c + 1) for c in counts))])


def nearest(distances: np.ndarray, n: int) -> np.ndarray:
    """The first n in the order of distances squared in single precision."""
    return np.argsort((distances**2).astype(np.float32), kind="stable")[:n]


def switched(r: np.ndarray, rcut: float, rcut_smth: float) -> Tuple[np.ndarray, np.ndarray]:
    """1/r that goes to zero between both cut-offs, and its derivative."""
    width = float(np.float32(rcut) - np.float32(rcut_smth))    # TensorFlow has both in single precision
    u = np.clip((r - rcut_smth) / width, 0.0, 1.0)
    w = u**3 * (-6.0 * u * u + 15.0 * u - 10.0) + 1.0
    slope = -30.0 * u * u * (u - 1.0)**2 / width
    return w / r, slope / r - w / (r * r)


@dataclass
class Environment:
    """Neighbors of one center within one descriptor: their rows, values of the nets, their derivatives by the inputs
    of the nets and by the switch, the sums T, and the vector of the center's type if the values have it."""

    descriptor: Descriptor
    atoms: np.ndarray
    vectors: np.ndarray
    r: np.ndarray
    s: np.ndarray
    slope: np.ndarray
    rows: np.ndarray
    deviations: np.ndarray
    outputs: np.ndarray
    slopes: np.ndarray
    by_switch: np.ndarray
    switch_slope: np.ndarray
    sums: np.ndarray
    vector: np.ndarray
    overflow: bool

    @property
    def values(self) -> np.ndarray:
        """The descriptor, flat."""
        if self.descriptor.radial:
            return self.sums[0] / 5.0
        return np.concatenate([(self.sums.T @ self.sums[:, :self.descriptor.axis]).ravel(), self.vector])

    def forces_by_neighbors(self, gradient: np.ndarray, by_sums: Optional[np.ndarray] = None) -> np.ndarray:
        """Derivatives of the energy by the place of each neighbor, from those by the values, and by the sums T where
        they are given."""
        one = self.descriptor
        share = 1.0 / sum(one.sel)
        unit = self.vectors / self.r[:, None]
        if one.radial:
            e0 = share / 5.0 * (self.slopes @ gradient) / self.deviations[:, 0]
            return (e0 * self.slope)[:, None] * unit
        by_d = gradient[:one.width * one.axis].reshape(one.width, one.axis)
        by_t = self.sums[:, :one.axis] @ by_d.T
        by_t[:, :one.axis] += self.sums @ by_d
        if by_sums is not None:
            by_t = by_t + by_sums
        by_row = share * self.outputs @ by_t.T
        by_row[:, 0] += share * np.sum(self.slopes * (self.rows @ by_t), axis=1)
        e = by_row / self.deviations
        along = np.sum(e[:, 1:] * unit, axis=1)
        radial = e[:, 0] * self.slope + along * (self.slope - self.s / self.r)
        radial += share * np.sum(self.by_switch * (self.rows @ by_t), axis=1) * self.switch_slope
        return (self.s / self.r)[:, None] * e[:, 1:] + radial[:, None] * unit


def slots_of(one: Descriptor, center: int, types: np.ndarray,
             distances: np.ndarray) -> Tuple[List[Tuple[int, np.ndarray, int]], bool]:
    """Neighbors that have slots: for each type, the candidates of this type and the number of empty slots that go with
    it; and whether there are more neighbors than slots. Distances of those that are none are infinite."""
    if one.types:
        here = np.flatnonzero(np.isfinite(distances) & (types >= 0))
        overflow = len(here) > one.sel[0]
        here = here[nearest(distances[here], one.sel[0])]    # those of excluded pairs take slots, too
        nempty = [one.sel[0] - len(here)] + [0] * one.average.shape[0]
        seen = [neighbor for neighbor in range(one.average.shape[0]) if one.sees(center, neighbor)]
        return [(neighbor, here[types[here] == neighbor], nempty[k]) for k, neighbor in enumerate(seen)], overflow
    groups, overflow = [], False
    for neighbor, nslots in enumerate(one.sel):
        if nslots and (one.sees(center, neighbor) or one.excluded_take_slots):
            here = np.flatnonzero(np.isfinite(distances) & (types == neighbor))
            overflow |= len(here) > nslots
            here = here[nearest(distances[here], nslots)]
            nempty = nslots - len(here)
            groups.append((neighbor, here if one.sees(center, neighbor) else here[:0], nempty))
    return groups, overflow


def environment_of(one: Descriptor, center: int, types: np.ndarray, vectors: np.ndarray) -> Environment:
    """Environment of a center among the candidates with these types and vectors, of which none is the center."""
    rcut, rcut_smth = float(np.float32(one.rcut)), float(np.float32(one.rcut_smth))
    distances = np.linalg.norm(vectors, axis=1)
    within = distances < rcut
    chosen, rows, deviations, outputs, slopes, by_switch, switch_slopes = [], [], [], [], [], [], []
    sums = np.zeros((one.ncomponents, one.width))
    groups, overflow = slots_of(one, center, types, np.where(within, distances, np.inf))
    for neighbor, here, nempty in groups:
        r = distances[here]
        s, slope = switched(r, rcut, rcut_smth)
        q = s[:, None] * np.concatenate([np.ones((len(r), 1)), vectors[here] / r[:, None]], axis=1)
        average, deviation = one.average[center, neighbor], one.deviation[center, neighbor]
        q = np.concatenate([q[:, :one.ncomponents], np.zeros((1, one.ncomponents))])    # the last one: an empty slot
        row = (q - average) / deviation
        key = one.net_of(center, neighbor)
        if key in one.tables:
            g, d = interpolated(one.tables[key], row[:, 0])
        else:
            g, d, _ = embedding(one.nets[key], one.activation, row[:, 0])
        number = np.ones(len(row))
        number[-1] = nempty
        through, weight_slope = np.zeros_like(g), np.zeros(len(r))
        if one.types:
            c = one.types.factors(one.activation, center, neighbor)
            weights, weight_slope = one.types.weights(r, s, slope, one.rcut_smth)
            w = np.append(weights, 0.0 if one.types.smooth else 1.0)
            through = g * c
            factor = 1.0 + w[:, None] * c
            g, d = g * factor, d * factor
        factors = np.ones_like(row) if one.radial else row
        sums += (factors * number[:, None]).T @ g
        chosen.append(here)
        rows.append(row[:-1])
        deviations.append(np.tile(deviation, (len(here), 1)))
        outputs.append(g[:-1])
        slopes.append(d[:-1])
        by_switch.append(through[:-1])
        switch_slopes.append(weight_slope)
    if not chosen:
        chosen = [np.zeros(0, int)]
        rows, deviations = [np.zeros((0, one.ncomponents))], [np.zeros((0, one.ncomponents))]
        outputs = slopes = by_switch = [np.zeros((0, one.width))]
        switch_slopes = [np.zeros(0)]
    chosen = np.concatenate(chosen)
    r = distances[chosen]
    return Environment(one, chosen, vectors[chosen], r, *switched(r, rcut, rcut_smth), np.concatenate(rows),
                       np.concatenate(deviations), np.concatenate(outputs), np.concatenate(slopes),
                       np.concatenate(by_switch), np.concatenate(switch_slopes), sums / sum(one.sel),
                       one.types.vectors[center] if one.ntype_values else np.zeros(0), overflow)


def evaluate(model: DeepModel, atoms: Atoms, fparam: Sequence[float] = (), aparam: Sequence[float] = ()) -> Values:
    """Energies, forces and virials; all atoms have the same parameters `aparam`."""
    natoms = atoms.natoms
    cutoff = max(one.rcut for one in model.descriptors)
    shifts = images_of(atoms.cell, cutoff)
    extra = np.concatenate([(np.array(fparam) - model.frame[0]) * model.frame[1],
                            (np.array(aparam) - model.atom[0]) * model.atom[1]])
    values = Values(np.zeros(natoms), np.zeros((natoms, 3)), np.zeros((natoms, 3, 3)), 0)
    for i in range(natoms):
        center = atoms.types[i]
        if center < 0:
            continue
        vectors, owners = neighbors_of(i, atoms, shifts, cutoff)
        environments = [environment_of(one, center, atoms.types[owners], vectors) for one in model.descriptors]
        inputs = np.concatenate([one.values for one in environments] + [extra])
        energy, by_inputs = fitted(model.fitting[min(center, len(model.fitting) - 1)], model.activation, inputs)
        gradient = by_inputs(np.ones(1))
        values.energies[i] = energy[0] + model.biases[center]
        values.noverflows += any(one.overflow for one in environments)
        begin = 0
        for one in environments:
            f = -one.forces_by_neighbors(gradient[begin:begin + one.descriptor.size])
            begin += one.descriptor.size
            j = owners[one.atoms]
            np.add.at(values.forces, j, f)
            values.forces[i] -= np.sum(f, axis=0)
            np.add.at(values.virials, j, one.vectors[:, :, None] * f[:, None, :])
    return values


def neighbors_of(i: int, atoms: Atoms, shifts: np.ndarray, cutoff: float) -> Tuple[np.ndarray, np.ndarray]:
    """Vectors from an atom to all others and their images within little more than the cut-off, and their numbers."""
    vectors = (atoms.x[None, :, :] + shifts[:, None, :] - atoms.x[i]).reshape(-1, 3)
    owners = np.tile(np.arange(atoms.natoms), len(shifts))
    squares = np.sum(vectors**2, axis=1)
    near = np.flatnonzero((squares < (cutoff + 1e-3)**2) & (squares > 0.0))
    return vectors[near], owners[near]


@dataclass
class Dipole:
    """Dipole of one atom, Angstrom, and what a force on its end is for the neighbors.

    Args:
        owners: numbers of the neighbors; vectors to them.
        forces_for: forces on them, without the one on the atom itself, from the force on the end.
    """

    value: np.ndarray
    owners: np.ndarray
    vectors: np.ndarray
    forces_for: Callable


def dipole_of(model: DeepModel, atoms: Atoms, i: int) -> Dipole:
    """Dipole of an atom of a selected type."""
    one = model.descriptors[0]
    vectors, owners = neighbors_of(i, atoms, images_of(atoms.cell, one.rcut), one.rcut)
    environment = environment_of(one, atoms.types[i], atoms.types[owners], vectors)
    net = model.fitting[min(atoms.types[i], len(model.fitting) - 1)]
    factors, by_inputs = fitted(net, model.activation, environment.values)

    def forces_for(force: np.ndarray) -> np.ndarray:
        by_sums = np.zeros_like(environment.sums)
        by_sums[1:] = np.outer(force, factors)
        return environment.forces_by_neighbors(by_inputs(force @ environment.sums[1:]), by_sums)

    return Dipole(environment.sums[1:] @ factors, owners[environment.atoms], environment.vectors, forces_for)


# ---- compression


def compressed(model: DeepModel, nearest_distance: float = 0.6, short: float = 0.01, long: float = 0.1) -> DeepModel:
    """The model with a table in place of each embedding net, as `dp compress` makes it.

    Args:
        nearest_distance: up to here intervals are short; nearer, up to five times the input, they are long.
    """
    precision = np.float32 if model.single_precision else np.float64
    short, long = float(precision(short)), float(precision(long))
    descriptors = []
    for one in model.descriptors:
        tables = {}
        for key, net in one.nets.items():
            centers = range(len(model.types)) if one.one_sided or one.types else (key[0],)
            average, deviation = one.average[centers, key[1], 0], one.deviation[centers, key[1], 0]
            lower = np.floor(np.min(-average / deviation))
            middle = np.ceil(np.max((1.0 / nearest_distance - average) / deviation))
            upper = 5.0 * middle
            ends = np.concatenate([lower + short * np.arange(round((middle - lower) / short)),
                                   middle + long * np.arange(round((upper - middle) / long) + 1)])
            y, d, c = embedding(net, one.activation, ends)
            t = np.diff(ends)[:, None]
            y0, d0, c0, y1, d1, c1 = y[:-1], d[:-1], c[:-1], y[1:], d[1:], c[1:]
            h = y1 - y0
            a = [y0, d0, 0.5 * c0,
                 (20.0 * h - (8.0 * d1 + 12.0 * d0) * t - (3.0 * c0 - c1) * t**2) / (2.0 * t**3),
                 (-30.0 * h + (14.0 * d1 + 16.0 * d0) * t + (3.0 * c0 - 2.0 * c1) * t**2) / (2.0 * t**4),
                 (12.0 * h - 6.0 * (d1 + d0) * t + (c1 - c0) * t**2) / (2.0 * t**5)]
            coefficients = np.stack(a, axis=-1).astype(precision).astype(float)
            tables[key] = Table((lower, middle, upper, short, long), coefficients)
        descriptors.append(replace(one, nets={}, tables=tables))
    return replace(model, descriptors=descriptors)


# ---- files


def varint(n: int) -> bytes:
    """A number as protobuf writes it, seven bits to a byte; negative ones have ten bytes."""
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 0x7f:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def field_of(number: int, value) -> bytes:
    """A field of a protobuf message: an int as varint, a float in single precision, bytes and texts with a length."""
    if isinstance(value, (bool, int)):
        return varint(number << 3) + varint(int(value))
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


KINDS = {"float32": 1, "float64": 2, "int32": 3, "bool": 10}
"""Numbers of TensorFlow's data types."""

TEXT = 7


def tensor(value) -> bytes:
    """TensorProto: a text, or an array; of one whose elements are all equal only one is written."""
    if isinstance(value, str):
        return field_of(1, TEXT) + field_of(2, b"") + field_of(8, value)
    array = np.asarray(value)
    kind = KINDS[array.dtype.name]
    shape = b"".join(field_of(2, field_of(1, int(n))) for n in array.shape)
    head = field_of(1, kind) + field_of(2, shape)
    if array.size == 0:
        return head
    if np.all(array == array.flat[0]):
        one = array.flat[0]
        if kind in (1, 2):
            return head + field_of(4 + kind, array.flat[:1].tobytes())
        return head + field_of(7 if kind == 3 else 11, varint(int(one)))
    return head + field_of(4, np.ascontiguousarray(array).tobytes())


class GraphWriter:
    """Collects nodes of a GraphDef."""

    def __init__(self, single_precision: bool, without: Sequence[str] = (), prefix: str = ""):
        self.prefix = prefix
        self.precision = np.float32 if single_precision else np.float64
        self.without = without
        self.nodes: List[bytes] = []

    def node(self, name: str, operation: str, inputs: Sequence[str] = (), **attributes: bytes) -> str:
        """Append a node, whose attributes are AttrValue messages; its name is returned."""
        entries = [field_of(5, field_of(1, key) + field_of(2, value)) for key, value in attributes.items()]
        self.nodes.append(field_of(1, b"".join([field_of(1, self.prefix + name), field_of(2, operation),
                                                 *(field_of(3, self.prefix + text) for text in inputs), *entries])))
        return name

    def constant(self, name: str, value) -> str:
        """Append a constant, and the node that reads it."""
        if name in self.without:
            return name
        kind = TEXT if isinstance(value, str) else KINDS[np.asarray(value).dtype.name]
        self.node(name, "Const", dtype=field_of(6, kind), value=field_of(8, tensor(value)))
        self.node(name + "/read", "Identity", [name], T=field_of(6, kind))
        return name

    def numbers(self, name: str, value) -> str:
        """Append a constant in the precision of the model."""
        return self.constant(name, np.asarray(value, self.precision))

    def bytes(self) -> bytes:
        return b"".join(self.nodes) + field_of(4, field_of(1, 26))    # with the versions behind the nodes


def training_script(model: DeepModel) -> dict:
    """The options that the model was trained with, as deepmd-kit's input has them."""
    sections = []
    for one in model.descriptors:
        section = {"type": "se_e2_r" if one.radial else "se_e2_a", "rcut": one.rcut, "rcut_smth": one.rcut_smth,
                   "sel": list(one.sel), "neuron": list(one.neuron), "resnet_dt": one.resnet_dt,
                   "type_one_side": one.one_sided, "activation_function": one.activation, "seed": 1,
                   "exclude_types": [list(pair) for pair in one.excluded],
                   "precision": "float32" if model.single_precision else "default"}
        if not one.radial:
            section["axis_neuron"] = one.axis
        if one.types:
            section.update({"type": "se_atten", "sel": one.sel[0], "attn_layer": 0, "tebd_input_mode": "strip",
                            "smooth_type_embedding": one.types.smooth})
        sections.append(section)
    descriptor = {"type": "hybrid", "list": sections} if model.hybrid else sections[0]
    net = next(net for net in model.fitting if net)
    fitting = {"neuron": [layer.weights.shape[1] for layer in net[:-1]], "resnet_dt": model.resnet_dt,
               "activation_function": model.activation, "numb_fparam": model.frame.shape[1],
               "numb_aparam": model.atom.shape[1], "seed": 1, "atom_ener": []}
    if model.selected:
        fitting = {**fitting, "type": "dipole", "sel_type": list(model.selected)}
    return {"model": {"type_map": list(model.types), "descriptor": descriptor, "fitting_net": fitting},
            "learning_rate": {"type": "exp"}, "training": {"numb_steps": 1}}


WANNIER = "dipole_charge/"
"""Begin of the names of the nodes of a model of Wannier centers."""


def graph(model: DeepModel, script: Optional[dict] = None, without: Sequence[str] = (),
          wannier: Optional[DeepModel] = None) -> bytes:
    """The model as a frozen graph.

    Args:
        script: options that the file claims; those of the model if it is None.
        without: names of constants that are left out, as they are absent from files of earlier releases.
        wannier: model of dipoles that is in the same file.
    """
    script = script or training_script(model)
    if wannier:
        script["model"]["modifier"] = {"type": "dipole_charge", "model_name": "dw.pb", "ewald_h": 1.0}
    w = GraphWriter(model.single_precision, without)
    write_nodes(w, model, script)
    if wannier:
        inner = GraphWriter(wannier.single_precision, prefix=WANNIER)
        write_nodes(inner, wannier, training_script(wannier))
        w.nodes += inner.nodes
    return w.bytes()


def write_nodes(w: GraphWriter, model: DeepModel, script: dict) -> None:
    """Nodes of a model."""
    is_compressed = any(one.tables for one in model.descriptors)
    w.node("t_coord", "Placeholder", dtype=field_of(6, KINDS["float64"]))
    w.constant("train_attr/training_script", json.dumps(script))
    w.constant("model_type", "compressed_model" if is_compressed else "original_model")
    w.constant("model_attr/tmap", " ".join(model.types).strip())
    w.constant("model_attr/model_type", "dipole" if model.selected else "ener")
    if model.selected:
        w.constant("model_attr/sel_type", np.array(model.selected, np.int32))
        w.constant("model_attr/output_dim", np.int32(3))
    w.constant("model_attr/model_version", "1.1")
    for number, one in enumerate(model.descriptors):
        write_descriptor(w, one, number, f"_{number}" if model.hybrid else "", len(model.types))
    for name, count, own in (("fparam", "dfparam", model.frame), ("aparam", "daparam", model.atom)):
        w.constant(f"fitting_attr/{count}", np.int32(own.shape[1]))
        if own.shape[1]:
            w.numbers(f"fitting_attr/t_{name}_avg", own[0])
            w.numbers(f"fitting_attr/t_{name}_istd", own[1])
    if not model.selected:
        w.numbers("fitting_attr/t_bias_atom_e", model.biases)
    shared = any(one.types for one in model.descriptors)
    for number, net in enumerate(model.fitting):
        for position, layer in enumerate(net):
            scope = "final_layer" if position + 1 == len(net) else f"layer_{position}"
            scope += "" if shared else f"_type_{number}"
            w.numbers(f"{scope}/matrix", layer.weights)
            w.numbers(f"{scope}/bias", layer.biases)
            if layer.timesteps is not None:
                w.numbers(f"{scope}/idt", layer.timesteps)


def write_descriptor(w: GraphWriter, one: Descriptor, number: int, suffix: str, ntypes: int) -> None:
    """Nodes of a descriptor."""
    scope = f"descrpt_attr{suffix}"
    slots = np.zeros(one.sel[0], int) if one.types else np.repeat(np.arange(ntypes), one.sel)
    w.numbers(f"{scope}/t_avg", one.average[:, slots].reshape(ntypes, -1))
    w.numbers(f"{scope}/t_std", one.deviation[:, slots].reshape(ntypes, -1))
    if not one.radial:    # files have it for the other descriptor alone
        w.constant(f"{scope}/sel", np.array(one.sel, np.int32))
    w.constant(f"{scope}/ntypes", np.int32(ntypes))
    w.numbers(f"{scope}/rcut", one.rcut)
    sel = field_of(1, field_of(3, b"".join(varint(n) for n in one.sel)))
    none = field_of(1, field_of(3, b"".join(varint(0) for _ in one.sel)))
    if one.radial:
        attributes = {"rcut": field_of(4, one.rcut), "rcut_smth": field_of(4, one.rcut_smth), "sel": sel}
    else:
        attributes = {"rcut_a": field_of(4, -1.0), "rcut_r": field_of(4, one.rcut),
                      "rcut_r_smth": field_of(4, one.rcut_smth), "sel_a": sel, "sel_r": none}
    operation = "ProdEnvMatAMix" if one.types else "ProdEnvMatR" if one.radial else "ProdEnvMatA"
    rows = w.node(operation + (f"_{number}" if number else ""), operation, ["t_coord"], **attributes)
    if one.types:
        write_types(w, one, ntypes, rows)
        return
    for (center, neighbor), net in one.nets.items():
        write_net(w, net, f"filter_type_{'all' if one.one_sided else center}{suffix}", f"_{neighbor}")
    # operations in another order than the types, and with names that tell nothing, as after the optimization of a graph
    for count, ((center, neighbor), table) in enumerate(reversed(sorted(one.tables.items()))):
        write_table(w, one, table, f"filter_type_{'all' if one.one_sided else center}{suffix}",
                    f"_{count}" if count else "", neighbor, rows)


def write_net(w: GraphWriter, net: List[Layer], scope: str, ending: str = "") -> None:
    """Constants of an embedding net."""
    for position, layer in enumerate(net, 1):
        w.numbers(f"{scope}/matrix_{position}{ending}", layer.weights)
        w.numbers(f"{scope}/bias_{position}{ending}", layer.biases)
        if layer.timesteps is not None:
            w.numbers(f"{scope}/idt_{position}{ending}", layer.timesteps)


def write_types(w: GraphWriter, one: Descriptor, ntypes: int, rows: str) -> None:
    """What a descriptor se_atten has: nets, or a table and factors of types, for which there is one type more."""
    write_net(w, one.types.embedding, "type_embed_net")
    scope = "filter_type_all"
    if not one.tables:
        write_net(w, one.nets[0, 0], scope)
        write_net(w, one.types.net, scope, "_one_side_ebd" if one.types.one_sided else "_two_side_ebd")
        return
    table = one.tables[0, 0]
    factors = np.zeros((1 if one.types.one_sided else ntypes + 1, ntypes + 1, one.width))
    for center, neighbor in product(range(len(factors[:ntypes])), range(ntypes)):
        factors[center, neighbor] = one.types.factors(one.activation, center, neighbor)
    data = w.numbers("Const", table.coefficients.reshape(len(table.coefficients), -1))
    info = w.numbers(f"{scope}/TabulateFusionSeAtten/table_info", (*table.info, -1.0))
    all_factors = w.numbers(f"{scope}/embedding_lookup/params_0", factors.reshape(-1, one.width))
    found = w.node(f"{scope}/embedding_lookup", "GatherV2", [all_factors, rows])
    found = w.node(f"{scope}/embedding_lookup/Identity", "Identity", [found])
    if one.types.smooth:
        found = w.node(f"{scope}/mul_1", "Mul", [found, rows])
    w.node(f"{scope}/TabulateFusionSeAtten", "TabulateFusionSeAtten", [data, info, rows, rows, found],
           last_layer_size=field_of(3, one.width))


def write_table(w: GraphWriter, one: Descriptor, table: Table, scope: str, ending: str, neighbor: int,
                rows: str) -> None:
    """The operation of a table, the table, and the slice of the rows that it reads."""
    begin = one.ncomponents * sum(one.sel[:neighbor])
    at = w.constant(f"{scope}/Slice{ending}/begin", np.array([0, begin], np.int32))
    size = w.constant(f"{scope}/Slice{ending}/size", np.array([-1, one.ncomponents * one.sel[neighbor]], np.int32))
    part = w.node(f"{scope}/Slice{ending}", "Slice", [rows, at, size])
    shape = w.constant(f"{scope}/Reshape{ending}/shape", np.array([-1, one.ncomponents], np.int32))
    data = w.numbers(f"{scope}/Const{ending}", table.coefficients.reshape(len(table.coefficients), -1))
    info = w.numbers(f"{scope}/TabulateFusion{ending}/table_info", (*table.info, -1.0))
    width = field_of(3, one.width)
    if one.radial:    # the slice itself is the third input, and the last one
        w.node(f"{scope}/TabulateFusionSeR{ending}", "TabulateFusionSeR", [data, info, part], last_layer_size=width)
        return
    inputs = w.node(f"{scope}/Reshape{ending}", "Reshape", [part, shape])
    none = w.constant(f"{scope}/Slice_of{ending}/begin", np.array([0, 0], np.int32))
    column = w.constant(f"{scope}/Slice_of{ending}/size", np.array([-1, 1], np.int32))
    first = w.node(f"{scope}/Slice_of{ending}", "Slice", [inputs, none, column])
    em_x = w.node(f"{scope}/Reshape_of{ending}", "Reshape", [first, shape])
    em = w.node(f"{scope}/Reshape_em{ending}", "Reshape", [part, shape])
    w.node(f"{scope}/TabulateFusionSeA{ending}", "TabulateFusionSeA", [data, info, em_x, em], last_layer_size=width)


def write_model(path: Path, model: DeepModel, script: Optional[dict] = None, without: Sequence[str] = (),
                wannier: Optional[DeepModel] = None) -> Path:
    """Write the model to a file, in the format that its name says; arguments as those of graph()."""
    if path.suffix == ".dp":
        write_dp(path, dp_tree(model))
    else:
        path.write_bytes(graph(model, script, without, wannier))
    return path


# ---- files in the common format of deepmd-kit


def dp_net(net: List[Layer], activation: str, last: str) -> dict:
    """A net, as its class serializes itself; `last` is the activation of its last layer."""
    layers = []
    for number, layer in enumerate(net, 1):
        layers.append({"@class": "Layer", "@version": 2, "bias": True, "use_timestep": layer.timesteps is not None,
                       "activation_function": last if number == len(net) else activation, "resnet": True,
                       "precision": "float64",
                       "@variables": {"w": layer.weights, "b": layer.biases, "idt": layer.timesteps}})
    return {"@class": "EmbeddingNetwork", "@version": 2, "layers": layers}


def dp_nets(ndim: int, ntypes: int, nets: List[Optional[dict]]) -> dict:
    """A collection of nets."""
    return {"@class": "NetworkCollection", "@version": 1, "ndim": ndim, "ntypes": ntypes, "networks": nets}


def dp_descriptor(one: Descriptor, ntypes: int) -> dict:
    """A descriptor."""
    slots = np.zeros(one.sel[0], int) if one.types else np.repeat(np.arange(ntypes), one.sel)
    ndim = 0 if one.types else 1 if one.one_sided else 2
    keys = [(0, 0)] if one.types else list(product(range(ntypes), range(1 if one.one_sided else ntypes)))
    nets = [one.nets.get(key[::-1]) for key in keys]    # at center + ntypes * neighbor
    tree = {"@class": "Descriptor", "@version": 2, "type": "se_r" if one.radial else "se_e2_a", "rcut": one.rcut,
            "rcut_smth": one.rcut_smth, "sel": list(one.sel), "axis_neuron": one.axis,
            "type_one_side": one.one_sided, "exclude_types": [list(pair) for pair in one.excluded],
            "env_protection": 0.0, "spin": None,
            "env_mat": {"rcut": one.rcut, "rcut_smth": one.rcut_smth, "protection": 0.0, "use_exp_switch": False},
            "embeddings": dp_nets(ndim, ntypes, [dp_net(net or [], one.activation, one.activation) for net in nets]),
            "@variables": {"davg": one.average[:, slots], "dstd": one.deviation[:, slots]}}
    if one.types:
        tree.update({
            "type": "dpa1", "type_one_side": one.types.one_sided, "attn_layer": 0, "tebd_input_mode": "strip",
            "smooth_type_embedding": one.types.smooth, "concat_output_tebd": one.types.appended,
            "use_econf_tebd": False, "lmax": 1,
            "type_embedding": {"@class": "TypeEmbedNet", "@version": 2,
                               "embedding": dp_net(one.types.embedding, "Linear", "Linear")},
            "embeddings_strip": dp_nets(0, ntypes, [dp_net(one.types.net, one.activation, one.activation)])})
    return tree


def dp_tree(model: DeepModel) -> dict:
    """The tree of a file, with arrays in it. Excluded types of a model of dipoles have a net there, too."""
    ntypes = len(model.types)
    descriptors = [dp_descriptor(one, ntypes) for one in model.descriptors]
    excluded = [kind for kind in range(ntypes) if model.selected and kind not in model.selected]
    nets = [dp_net(net or model.fitting[model.selected[0]], model.activation, "none") for net in model.fitting]
    for net in nets:
        for layer in (net["layers"][0], net["layers"][-1]):
            layer["resnet"] = False
    shared = any(one.types for one in model.descriptors)
    fitting = {"@class": "Fitting", "@version": 4, "type": "dipole" if model.selected else "ener",
               "numb_fparam": model.frame.shape[1],
               "numb_aparam": model.atom.shape[1], "mixed_types": shared, "exclude_types": excluded,
               "precision": "float32" if model.single_precision else "float64", "atom_ener": [],
               "nets": dp_nets(0 if shared else 1, ntypes, nets),
               "@variables": {"bias_atom_e": 0.5 * model.biases[:, None], "case_embd": None}}
    for name, own in (("fparam", model.frame), ("aparam", model.atom)):
        average, inverse = own if own.shape[1] else (None, None)
        fitting["@variables"].update({f"{name}_avg": average, f"{name}_inv_std": inverse})
    hybrid = {"@class": "Descriptor", "@version": 1, "type": "hybrid", "list": descriptors}
    return {"software": "tests of TOFU", "model_def_script": {},
            "model": {"@class": "Model", "@version": 2, "type": "standard", "type_map": list(model.types),
                      "atom_exclude_types": [], "pair_exclude_types": [],
                      "descriptor": hybrid if model.hybrid else descriptors[0], "fitting": fitting,
                      "@variables": {"out_bias": 0.5 * model.biases[None, :, None],
                                     "out_std": np.full((1, ntypes, 1), 0.5)}}}    # not used


def write_dp(path: Path, tree: dict) -> Path:
    """Write a tree, whose arrays become data sets."""
    with h5py.File(path, "w") as file:

        def without_arrays(value):
            if isinstance(value, np.ndarray):
                return file.create_dataset(f"variable_{len(file):04d}", data=value).name
            if isinstance(value, dict):
                return {key: without_arrays(entry) for key, entry in value.items()}
            return [without_arrays(entry) for entry in value] if isinstance(value, list) else value

        file.attrs["json"] = json.dumps(without_arrays(tree))
    return path


# ---- atoms


def random_atoms(seed: int, natoms: int, cell: Sequence[Sequence[float]], ntypes: int = 2, periodic: bool = True,
                 distance: float = 1.0) -> Atoms:
    """Atoms at random places of a box that are not nearer to each other than a distance.

    Args:
        cell: edges as rows, lower triangular; without periodic boundaries the atoms fill a part of it.
    """
    rng = np.random.default_rng(seed)
    edges = np.array(cell, float)
    shifts = images_of(edges if periodic else None, distance)
    x: List[np.ndarray] = []
    while len(x) < natoms:
        new = (rng.random(3) if periodic else 0.2 + 0.6 * rng.random(3)) @ edges
        others = np.array(x).reshape(-1, 3)
        if np.all(np.linalg.norm(others[None] + shifts[:, None] - new, axis=-1) > distance):
            x.append(new)
    types = np.concatenate([np.arange(ntypes), rng.integers(0, ntypes, natoms)])[:natoms]
    return Atoms(np.array(x), types, edges if periodic else None)
