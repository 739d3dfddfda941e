# SPDX-License-Identifier: GPL-2.0-only
"""Write a compressed deep potential with long-range forces (DPLR), whose weights are random. Runs in deepmd-kit's
environment, and writes into the present folder: python deepmd_dplr_models.py MODEL.pb DATA

DATA is a folder with training data of water and its Wannier centers, as deepmd-kit's sources have one. One step of
training makes weights and averages; time does not depend on weights. Both models in the file, that of energies and that
of Wannier centers, have the size of that which deepmd_models.py makes for water.
"""

import json
import subprocess
import sys
from pathlib import Path

from deepmd.tf.env import tf

DESCRIPTOR = {"type": "se_e2_a", "rcut": 6.0, "rcut_smth": 0.5, "sel": [46, 92], "neuron": [25, 50, 100],
              "axis_neuron": 16, "type_one_side": True, "seed": 1}
FITTING = {"neuron": [240, 240, 240], "seed": 2}
CENTERS = {"model": {"type_map": ["O", "H"], "descriptor": DESCRIPTOR,
                     "fitting_net": {**FITTING, "type": "dipole", "sel_type": [0]}},
           "loss": {"type": "tensor", "pref": 0.0, "pref_atomic": 1.0}}
MODIFIER = {"type": "dipole_charge", "model_charge_map": [-8], "sys_charge_map": [6, 1], "ewald_h": 1.0,
            "ewald_beta": 0.4}
ENERGIES = {"model": {"type_map": ["O", "H"], "descriptor": DESCRIPTOR, "fitting_net": FITTING},
            "loss": {"type": "ener"}}
#: Factor of the last weights, so that centers stay near their atoms.
NEARER = 0.05


def run(*words):
    """Run a command of deepmd-kit."""
    done = subprocess.run([Path(sys.executable).with_name("dp"), *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout)


def make(name, options, data):
    """Train a model for one step; NAME-original.pb is the model."""
    rest = {"learning_rate": {"type": "exp", "start_lr": 1e-8, "stop_lr": 1e-9, "decay_steps": 1},
            "training": {"training_data": {"systems": [data], "batch_size": 1}, "numb_steps": 1, "seed": 3,
                         "save_ckpt": f"{name}.ckpt"}}
    Path(f"{name}.json").write_text(json.dumps({**options, **rest}), encoding="utf-8")
    run("train", f"{name}.json", "--skip-neighbor-stat")
    run("freeze", "-c", ".", "-o", f"{name}-original.pb")


def compress(name, target):
    """Compress a model."""
    run("compress", "-i", f"{name}-original.pb", "-o", str(target), "-t", f"{name}.json")


def scale(path, names, factor):
    """Multiply constants of a model."""
    graph = tf.compat.v1.GraphDef()
    graph.ParseFromString(path.read_bytes())
    for node in graph.node:
        if node.name in names:
            value = node.attr["value"].tensor
            value.CopyFrom(tf.make_tensor_proto(factor * tf.make_ndarray(value)))
    path.write_bytes(graph.SerializeToString())


def main(name, data):
    """Write the files of both models; that of energies has the other one in it."""
    make("centers", CENTERS, data)
    scale(Path("centers-original.pb"), ("final_layer_type_0/matrix", "final_layer_type_0/bias"), NEARER)
    compress("centers", "centers.pb")
    ENERGIES["model"]["modifier"] = {**MODIFIER, "model_name": "centers.pb"}
    make("energies", ENERGIES, data)
    compress("energies", name)


if __name__ == "__main__":
    main(*sys.argv[1:])
