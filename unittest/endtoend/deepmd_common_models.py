# SPDX-License-Identifier: GPL-2.0-only
"""Random models in the common format of deepmd-kit (.dp) and their energies, by deepmd-kit's classes in NumPy.

This program is run by the Python of an installed deepmd-kit (see install_deepmd_kit.py) and needs no framework:

    python deepmd_common_models.py FOLDER

FOLDER/atoms.npz has the positions x of some configurations, types and cell; for each model NAME.dp and NAME.npz with
the energies of the atoms of each configuration are written.
"""

import sys
from itertools import product
from pathlib import Path

import numpy as np
from deepmd.dpmodel.descriptor.dpa1 import DescrptDPA1
from deepmd.dpmodel.descriptor.hybrid import DescrptHybrid
from deepmd.dpmodel.descriptor.se_atten_v2 import DescrptSeAttenV2
from deepmd.dpmodel.descriptor.se_e2_a import DescrptSeA
from deepmd.dpmodel.descriptor.se_r import DescrptSeR
from deepmd.dpmodel.fitting import EnergyFittingNet
from deepmd.dpmodel.model.ener_model import EnergyModel
from deepmd.dpmodel.utils.serialization import save_dp_model

TYPES = ["O", "H", "Cl"]
NETS = {"neuron": [4, 8, 16], "seed": 1}


def with_statistics(descriptor, rng, shift=1.0):
    """The descriptor with random averages and deviations, those of a type of center the same in all slots."""
    average, deviation = (np.array(a) for a in descriptor.get_stat_mean_and_stddev())
    size = 1 if deviation.shape[-1] == 1 else 3
    for center in range(len(TYPES)):
        average[center, :, 0] = shift * abs(rng.normal(0.06, 0.02))
        deviation[center] = abs(rng.normal(0.11, 0.02, (1, size + 1))[:, :deviation.shape[-1]])
        deviation[center, :, 1:] = deviation[center, :, 1:2]
    descriptor.set_stat_mean_and_stddev(average, deviation)
    return descriptor


def descriptors(rng):
    """Descriptors by name."""
    def pairs(**options):
        return with_statistics(DescrptSeA(4.0, 0.6, [40, 40, 30], axis_neuron=4, **{**NETS, **options}), rng)

    def typed(kind=DescrptDPA1, shift=1.0, sel=110, **options):
        mode = {} if kind is DescrptSeAttenV2 else {"tebd_input_mode": "strip"}
        return with_statistics(kind(4.0, 0.6, sel, len(TYPES), axis_neuron=4, attn_layer=0,
                                    **{**NETS, "tebd_dim": 5, **mode, **options}), rng, shift)

    yield "pairs", pairs(type_one_side=False)
    yield "one-sided, excluded pairs", pairs(type_one_side=True, resnet_dt=True, exclude_types=[[0, 1]])
    yield "two-sided, excluded pairs", pairs(type_one_side=False, exclude_types=[[0, 1], [2, 2]])
    yield "distances", with_statistics(DescrptSeR(4.0, 0.6, [40, 40, 30], type_one_side=True, **NETS), rng)
    for one_sided, smooth, appended in product((False, True), repeat=3):
        yield f"types {one_sided:d}{smooth:d}{appended:d}", typed(
            type_one_side=one_sided, smooth_type_embedding=smooth, concat_output_tebd=appended,
            use_tebd_bias=appended, shift=1.0 if smooth else 0.0)
    yield "second version", typed(DescrptSeAttenV2, resnet_dt=True)
    yield "vectors as long as types", typed(tebd_dim=3)
    yield "vectors twice as long as types", typed(tebd_dim=6, activation_function="gelu")
    yield "types, excluded pairs", typed(exclude_types=[[0, 2]])
    yield "types, few slots", typed(sel=12, exclude_types=[[0, 2]])
    yield "hybrid", DescrptHybrid([typed(neuron=[4, 8]), pairs(type_one_side=False), typed(tebd_dim=2)])


def main(folder):
    """Write the models, and their energies."""
    atoms = np.load(folder / "atoms.npz")
    rng = np.random.default_rng(5)
    for name, descriptor in descriptors(rng):
        fitting = EnergyFittingNet(len(TYPES), descriptor.get_dim_out(), neuron=[20, 20, 20],
                                   mixed_types=descriptor.mixed_types(), seed=2)
        fitting.bias_atom_e = rng.normal(-50.0, 5.0, (len(TYPES), 1))
        model = EnergyModel(descriptor=descriptor, fitting=fitting, type_map=TYPES)
        save_dp_model(str(folder / f"{name}.dp"), {"model": model.serialize(), "model_def_script": {}})
        energies = [model.call(x.reshape(1, -1), atoms["types"].reshape(1, -1),
                               box=atoms["cell"].reshape(1, 9))["atom_energy"].ravel() for x in atoms["x"]]
        np.savez(folder / f"{name}.npz", energies=energies)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
