# SPDX-License-Identifier: GPL-2.0-only
"""Models with a descriptor se_atten (DPA-1) as deepmd-kit trains, freezes and compresses them, and what it computes
with them.

This program is run by the Python of an installed deepmd-kit (see install_deepmd_kit.py):

    python deepmd_trained_models.py FOLDER tensorflow|pytorch

FOLDER/atoms.npz has the positions x of some configurations, types and cell; for each model, NAME.pb or NAME.pth, and
its compressed one, NAME.npz with energies of atoms, forces and virials of each configuration is written. Two steps of
training make averages and weights as in a file of a user; what is learned is random.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from deepmd.infer import DeepPot

TYPES = ["O", "H", "Cl"]
STRIP = {"type": "se_atten", "rcut": 4.0, "rcut_smth": 0.6, "sel": 110, "neuron": [4, 8, 16], "axis_neuron": 4,
         "attn_layer": 0, "tebd_input_mode": "strip", "seed": 1}
EMBEDDING = {"neuron": [3, 6], "activation_function": "tanh", "seed": 5}
V2 = {**{key: value for key, value in STRIP.items() if key != "tebd_input_mode"}, "type": "se_atten_v2"}

MODELS = {
    "tensorflow": {
        "smooth": {"descriptor": {**STRIP, "smooth_type_embedding": True, "set_davg_zero": False}},
        "kinks": {"descriptor": {**STRIP, "smooth_type_embedding": False}, "type_embedding": EMBEDDING},
        "second-version": {"descriptor": V2, "type_embedding": {"neuron": [5], "use_tebd_bias": True, "seed": 5}},
        "excluded": {"descriptor": {**STRIP, "smooth_type_embedding": True, "exclude_types": [[0, 1]]}}},
    "pytorch": {
        "dpa1": {"descriptor": {**STRIP, "type": "dpa1", "smooth_type_embedding": True, "set_davg_zero": False}},
        "one-sided": {"descriptor": {**STRIP, "type_one_side": True, "tebd_dim": 6, "concat_output_tebd": False}},
        "second-version": {"descriptor": V2}}}
"""Models of each framework, without fitting nets."""

ENDING = {"tensorflow": "pb", "pytorch": "pth"}
WORDS = {"tensorflow": ["--tf"], "pytorch": ["--pt"]}


def write_data(folder, atoms):
    """Write the configurations as training data, with random energies and forces."""
    rng = np.random.default_rng(7)
    nframes, natoms = atoms["x"].shape[:2]
    (folder / "set.000").mkdir(parents=True)
    np.savetxt(folder / "type.raw", atoms["types"], fmt="%d")
    (folder / "type_map.raw").write_text("\n".join(TYPES))
    for name, values in (("coord", atoms["x"].reshape(nframes, -1)),
                         ("box", np.tile(atoms["cell"].ravel(), (nframes, 1))),
                         ("energy", rng.normal(-100.0, 10.0, nframes)),
                         ("force", rng.normal(0.0, 1.0, (nframes, 3 * natoms)))):
        np.save(folder / "set.000" / f"{name}.npy", values)


def train(folder, framework, model, data):
    """Train a model in a folder of its own, freeze and compress it; its files are returned."""
    ending = ENDING[framework]
    options = {"model": {"type_map": TYPES, "fitting_net": {"neuron": [20, 20, 20], "seed": 2}, **model},
               "loss": {"type": "ener"},
               "learning_rate": {"type": "exp", "start_lr": 0.05, "stop_lr": 0.01, "decay_steps": 1},
               "training": {"training_data": {"systems": [str(data)], "batch_size": 1}, "numb_steps": 2, "seed": 3,
                            "disp_freq": 1, "save_freq": 2}}
    folder.mkdir()
    (folder / "input.json").write_text(json.dumps(options))
    dp = [Path(sys.executable).with_name("dp"), *WORDS[framework]]
    files = [folder / f"{name}.{ending}" for name in ("model", "compressed")]
    for words in (["train", "input.json", "--skip-neighbor-stat"], ["freeze", "-o", files[0].name],
                  ["compress", "-i", files[0].name, "-o", files[1].name, "-t", "input.json"]):
        done = subprocess.run([*dp, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        if done.returncode:
            sys.exit(done.stdout)
    return files


def main(folder, framework):
    """Make all models of a framework."""
    atoms = np.load(folder / "atoms.npz")
    write_data(folder / "data", atoms)
    for name, model in MODELS[framework].items():
        for file in train(folder / name, framework, model, folder / "data"):
            target = folder / f"{name}-{file.name}"
            file.rename(target)
            potential = DeepPot(str(target))
            results = [potential.eval(x[None], atoms["cell"].reshape(1, 9), atoms["types"].tolist(), atomic=True)
                       for x in atoms["x"]]
            np.savez(target.with_suffix(".npz"), energies=[one[3].ravel() for one in results],
                     forces=[one[1][0] for one in results], virials=[one[4][0].reshape(-1, 3, 3) for one in results])


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "2")
    main(Path(sys.argv[1]), sys.argv[2])
