# SPDX-License-Identifier: GPL-2.0-only
"""deepmd-kit as unittest/endtoend/install_deepmd_kit.py installs it: its plug-in for LAMMPS, models for it."""

import os
import re
from pathlib import Path

from . import cache, shell, wheel_file

SCRIPT = "unittest/endtoend/install_deepmd_kit.py"
#: File of the plug-in that is compiled from LAMMPS' sources, beside those of deepmd-kit.
FIX_TTM = Path("src") / "EXTRA-FIX" / "fix_ttm.cpp"


class DeepmdKit:
    """An installed deepmd-kit.

    Attributes:
        folder: Its virtual environment.
        sources: The folder "source" of its source distribution.
        library: Folder of its libraries.
        variables: Environment variables of a run, with one thread.
    """

    def __init__(self, folder):
        """
        Raises:
            shell.Failure: The folder has no deepmd-kit; the message says how to install it.
        """
        self.folder = Path(folder).absolute()
        libraries = sorted(self.folder.glob("lib/python*/site-packages/deepmd/lib"))
        sources = sorted(self.folder.glob("deepmd_kit-*/source/lmp"))
        missing = [name for name, found in (("bin/dp", (self.folder / "bin" / "dp").exists()),
                                            ("lib/python*/site-packages/deepmd/lib", libraries),
                                            ("deepmd_kit-*/source/lmp", sources)) if not found]
        if missing:
            raise shell.Failure(f"{self.folder} has no {' and no '.join(missing)}; this makes it, with deepmd-kit and "
                                f"its sources (2 GB, some minutes):\n  python3 {SCRIPT} {self.folder}")
        self.library, self.sources = libraries[-1], sources[-1].parent
        self.variables = {"LD_LIBRARY_PATH": str(self.library.parents[1] / "tensorflow"), "TF_CPP_MIN_LOG_LEVEL": "3",
                          "DP_INTRA_OP_PARALLELISM_THREADS": "1", "DP_INTER_OP_PARALLELISM_THREADS": "1",
                          "OMP_NUM_THREADS": "1"}

    def water(self):
        """Folder with training data of water and Wannier centers, which is in the older sources.

        Raises:
            shell.Failure: There is none.
        """
        found = sorted(self.folder.glob("deepmd*/examples/water/dplr/train/data"))
        if not found:
            raise shell.Failure(f"{self.folder} has no deepmd-kit-*/examples/water/dplr/train/data; "
                                f"{SCRIPT} fetches it")
        return str(found[0])

    @property
    def version(self):
        """Release of the sources, which is that of the libraries."""
        return self.sources.parent.name.partition("-")[2]

    def plugin(self, lammps):
        """The plug-in with deepmd-kit's styles, compiled against a LAMMPS at need.

        Args:
            lammps: A build.Build.
        """
        headers = lammps.source.path / "src"
        stamp = cache.fingerprint(str(self.folder), self.version, str(lammps.lmp), lammps.source.release)
        folder = cache.folder("bench", f"deepmd-{stamp}")
        plugin = folder / "deepmd.so"
        if plugin.exists():
            return plugin
        shell.say("compiling deepmd-kit's plug-in")
        (folder / "deepmd_version.h").write_text(
            re.sub(r"@\w+@", "unknown", (self.sources / "lmp" / "deepmd_version.h.in").read_text(encoding="utf-8")),
            encoding="utf-8")
        own = [file for file in sorted((self.sources / "lmp").glob("*.cpp")) if not file.stem.endswith("_kokkos")]
        own += [self.sources / "lmp" / "plugin" / "deepmdplugin.cpp", lammps.source.path / FIX_TTM]
        folders = [headers, headers / "PLUGIN", headers / "KSPACE", headers / "EXTRA-FIX", folder,
                   self.sources / "lmp", self.sources / "api_c" / "include"]
        fresh = folder / "fresh.so"
        shell.capture([lammps.mpi.cxx, "-std=c++17", "-O2", "-fPIC", "-shared", "-DLMPPLUGIN",
                       f"-DLAMMPS_VERSION_NUMBER={wheel_file.date_of(lammps.source.release)}",
                       *(f"-I{path}" for path in folders), *own,
                       f"-L{self.library}", "-ldeepmd_c", f"-Wl,-rpath,{self.library}", "-o", fresh])
        fresh.rename(plugin)
        return plugin

    def model(self, name, words, script="deepmd_models.py"):
        """A compressed model with random weights, made at need.

        Args:
            name: Of the file, without ending.
            words: Arguments of the script behind the file; without any the folder with water for DPLR models.
            script: The program that makes it.
        """
        script = Path(__file__).with_name(script)
        words = words or (self.water(),)
        stamp = cache.fingerprint(str(self.folder), self.version, words, script.read_text(encoding="utf-8"))
        folder = cache.folder("bench", f"deepmd-models-{stamp}")
        model = folder / f"{name}.pb"
        if not model.exists():
            shell.say(f"making a compressed deep potential, {name}, with random weights")
            fresh = folder / "making" / model.name
            fresh.parent.mkdir(exist_ok=True)
            # isolated: this folder has modules with names of deepmd-kit's
            shell.capture([self.folder / "bin" / "python", "-I", script, fresh, *words], cwd=fresh.parent,
                          env={**os.environ, **self.variables})
            fresh.rename(model)
        return model
