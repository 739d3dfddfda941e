#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Train water.pb: python make_model.py DATA, by the Python of a deepmd-kit with TensorFlow (ten minutes on two cores).

DATA is the folder `examples/water/dplr/train/data` of deepmd-kit's sources up to 2.2: 30 frames of 128 molecules of
water with energies, forces, and dipoles of the molecules, which are the places of their Wannier centers. First a model
of these places is trained, then one of what energies and forces have beside those of the charges. The present folder
gets water.pb with both.
"""

import json
import subprocess
import sys
from pathlib import Path

DESCRIPTOR = {"type": "se_e2_a", "rcut": 5.0, "rcut_smth": 0.5, "sel": [30, 60], "neuron": [8, 16, 32],
              "axis_neuron": 4, "type_one_side": True, "seed": 1}
FITTING = {"neuron": [32, 32, 32], "seed": 2}
CENTERS = {"model": {"type_map": ["O", "H"], "descriptor": DESCRIPTOR,
                     "fitting_net": {**FITTING, "type": "dipole", "sel_type": [0]}},
           "loss": {"type": "tensor", "pref": 0.0, "pref_atomic": 1.0}}
ENERGIES = {"model": {"type_map": ["O", "H"], "descriptor": DESCRIPTOR, "fitting_net": FITTING,
                      "modifier": {"type": "dipole_charge", "model_name": "dw.pb", "model_charge_map": [-8],
                                   "sys_charge_map": [6, 1], "ewald_h": 1.0, "ewald_beta": 0.4}},
            "loss": {"type": "ener", "start_pref_e": 0.02, "limit_pref_e": 1, "start_pref_f": 1000, "limit_pref_f": 1}}
"""The exponent of the charges (ewald_beta) is gewald of the run."""


def train(name, options, data, rate, steps):
    """Train a model and write NAME.pb."""
    rest = {"learning_rate": {"type": "exp", "start_lr": rate, "stop_lr": 1e-8, "decay_steps": steps // 200},
            "training": {"training_data": {"systems": [str(data)], "batch_size": 1}, "numb_steps": steps, "seed": 3,
                         "disp_freq": steps // 20, "save_freq": steps, "disp_file": f"{name}.out",
                         "save_ckpt": f"{name}.ckpt"}}
    Path(f"{name}.json").write_text(json.dumps({**options, **rest}), encoding="utf-8")
    dp = str(Path(sys.executable).with_name("dp"))
    subprocess.run([dp, "train", f"{name}.json", "--skip-neighbor-stat"], check=True)
    subprocess.run([dp, "freeze", "-c", ".", "-o", f"{name}.pb"], check=True)


def main(data):
    """Train both models."""
    train("dw", CENTERS, Path(data).resolve(), 0.01, 4000)
    train("water", ENERGIES, Path(data).resolve(), 0.002, 8000)


if __name__ == "__main__":
    main(*sys.argv[1:])
