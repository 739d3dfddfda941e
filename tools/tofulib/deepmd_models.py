# SPDX-License-Identifier: GPL-2.0-only
"""Write a compressed deep potential with random weights. Runs in deepmd-kit's environment, and writes into the present
folder: python deepmd_models.py MODEL.pb TYPES SEL RCUT EMBEDDING AXIS FITTING, lists with commas.

Time does not depend on weights. Averages and deviations of the environment are those that training on water gives, so
that tables have their usual size. Forces are up to 1 eV/Angstrom, with no repulsion of near atoms. Beside
MODEL.pb, for TensorFlow, there is MODEL.dp with the same weights, from which other backends can make their own.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
from deepmd.dpmodel.descriptor.se_e2_a import DescrptSeA
from deepmd.dpmodel.fitting.ener_fitting import EnergyFittingNet
from deepmd.dpmodel.model.ener_model import EnergyModel
from deepmd.dpmodel.utils.serialization import save_dp_model
from deepmd.entrypoints.convert_backend import convert_backend
from deepmd.tf.entrypoints.compress import compress
from deepmd.tf.env import tf

#: Inner cut-off, and the distance down to which intervals of tables are short [Angstrom].
INNER, NEAREST = 0.5, 0.8
#: Factor of the last weights of fitting nets.
STEEPER = 30.0
#: Average of s, and deviations of s and of s times a direction [1/Angstrom].
AVERAGE, DEVIATIONS = 0.07, (0.14, 0.11, 0.11, 0.11)


def numbers(text):
    """A list of numbers with commas."""
    return [int(word) for word in text.split(",")]


def options_of(types, sel, cutoff, embedding, axis, fitting):
    """What deepmd-kit's input would have under "model"."""
    descriptor = {"type": "se_e2_a", "rcut": cutoff, "rcut_smth": INNER, "sel": sel, "neuron": embedding,
                  "axis_neuron": axis, "type_one_side": True}
    return {"type_map": types, "descriptor": descriptor, "fitting_net": {"neuron": fitting}}


def random_model(options):
    """The model as deepmd-kit serializes it."""
    one, types = options["descriptor"], options["type_map"]
    descriptor = DescrptSeA(one["rcut"], one["rcut_smth"], one["sel"], one["neuron"], one["axis_neuron"],
                            type_one_side=True, seed=1)
    fitting = EnergyFittingNet(len(types), descriptor.get_dim_out(), neuron=options["fitting_net"]["neuron"],
                               mixed_types=False, seed=2)
    model = EnergyModel(descriptor, fitting, type_map=types).serialize()
    for net in model["fitting"]["nets"]["networks"]:
        net["layers"][-1]["@variables"]["w"] *= STEEPER
    statistics = model["descriptor"]["@variables"]
    statistics["davg"] = np.zeros_like(statistics["davg"])
    statistics["davg"][..., 0] = AVERAGE
    statistics["dstd"] = np.zeros_like(statistics["dstd"]) + np.array(DEVIATIONS)
    return model


def complete_script(path):
    """Add to the training script in a converted graph what dp compress needs."""
    graph = tf.compat.v1.GraphDef()
    graph.ParseFromString(path.read_bytes())
    node = next(node for node in graph.node if node.name == "train_attr/training_script")
    script = json.loads(node.attr["value"].tensor.string_val[0])
    script["learning_rate"] = {"type": "exp", "start_lr": 1e-3, "stop_lr": 1e-8}
    script["training"] = {"numb_steps": 0}
    node.attr["value"].tensor.string_val[0] = json.dumps(script).encode()
    path.write_bytes(graph.SerializeToString())


def main(name, types, sel, cutoff, embedding, axis, fitting):
    """Write the files of a model."""
    target = Path(name)
    options = options_of(types.split(","), numbers(sel), float(cutoff), numbers(embedding), int(axis), numbers(fitting))
    plain = target.with_suffix(".dp")
    save_dp_model(str(plain), {"model": random_model(options), "model_def_script": options, "backend": "dpmodel",
                               "@variables": {"min_nbor_dist": np.array(NEAREST)}, "min_nbor_dist": NEAREST})
    original = target.with_name(f"{target.stem}-original.pb")
    convert_backend(INPUT=str(plain), OUTPUT=str(original))
    complete_script(original)
    compress(input=str(original), output=str(target), extrapolate=5, step=0.01, frequency="-1",
             checkpoint_folder="model-compression", training_script=None, mpi_log="master", log_path=None, log_level=2)
    shutil.rmtree("model-compression", ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
