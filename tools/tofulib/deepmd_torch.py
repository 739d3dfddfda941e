# SPDX-License-Identifier: GPL-2.0-only
"""Time a deep potential with deepmd-kit's PyTorch backend. Runs in deepmd-kit's environment with PyTorch:
python deepmd_torch.py MODEL.dp FOLDER makes the compressed FOLDER/MODEL.pth;
python deepmd_torch.py MODEL.pth ATOMS.json CALLS RESULT.json computes the atoms CALLS times.

What is timed is forward_lower of the model, which the backend's pair_style calls in each step, on one thread. Its list
of neighbors has been made and sorted before, which LAMMPS' list has not been: a step in LAMMPS takes no less time.
"""

import json
import os
import statistics
import sys
import time
from pathlib import Path

import torch
from deepmd.entrypoints.convert_backend import convert_backend
from deepmd.pt.entrypoints.compress import enable_compression
from deepmd.pt.utils.nlist import extend_input_and_build_neighbor_list

#: Stride of tables [1/Angstrom] and factor of their range, as in the models of the other backend.
STRIDE, EXTRAPOLATE = 0.01, 5
WARM_UP = 3    #: calls, in which functions are compiled


def make(plain, folder):
    """Convert and compress a model."""
    target = Path(folder) / (Path(plain).stem + ".pth")
    original = target.with_name(f"{target.stem}-original.pth")
    convert_backend(INPUT=plain, OUTPUT=str(original))
    enable_compression(str(original), str(target), STRIDE, EXTRAPOLATE)


def run(name, atoms_file, calls, result_file):
    """Compute energy and forces of atoms in a periodic box, and write them with the average time of a call [us]."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    torch.set_num_threads(1)
    model = torch.jit.load(name)
    with open(atoms_file, encoding="utf-8") as file:
        atoms = json.load(file)
    box = torch.diag(torch.tensor(atoms["box"], dtype=torch.float64)).reshape(1, 9)
    places = torch.tensor([atoms["positions"]], dtype=torch.float64)
    types = torch.tensor([atoms["types"]], dtype=torch.int64)
    inputs = extend_input_and_build_neighbor_list(places, types, model.get_rcut(), model.get_sel(),
                                                  mixed_types=model.mixed_types(), box=box)
    extended, extended_types, mapping, neighbors = inputs
    times = []
    for _ in range(WARM_UP + int(calls)):
        coordinates = extended.detach().clone().requires_grad_(True)
        begin = time.perf_counter()
        found = model.forward_lower(coordinates, extended_types, neighbors, mapping, do_atomic_virial=False)
        times.append((time.perf_counter() - begin) * 1e6)
    forces = torch.zeros_like(places).index_add_(1, mapping[0], found["extended_force"].detach())
    result = {"average": statistics.mean(times[WARM_UP:]), "energy": float(found["energy"].detach()),
              "forces": forces[0].tolist(), "torch": torch.__version__}
    with open(result_file, "w", encoding="utf-8") as file:
        json.dump(result, file)


if __name__ == "__main__":
    (make if len(sys.argv) == 3 else run)(*sys.argv[1:])
