# SPDX-License-Identifier: GPL-2.0-only
"""Pack LAMMPS with TOFU, MPICH and benchmarks into one archive, for clusters without a network."""

import re
import shutil
import tarfile
import tempfile
import zipfile
from pathlib import Path

from . import CHECKOUT, apt, build, cache, program, shell, venv, wheel, wheel_file

FILES = CHECKOUT / "packaging" / "bundle"
#: Most bytes of the archive: what users carry to a cluster by hand.
LIMIT = 60e6
#: Ends of names, and how such archives are packed.
PACKED = {".tar": "w", ".tar.gz": "w:gz", ".tgz": "w:gz", ".tar.xz": "w:xz"}
#: Inputs of LAMMPS' benchmarks, and files that they read.
BENCH = ("in.lj", "in.chain", "in.chain.scaled", "data.chain", "in.eam", "Cu_u3.eam", "in.rhodo", "in.rhodo.scaled",
         "data.rhodo")
#: What is taken of the wheel of mpich: the launcher, and libraries.
MPICH = ("bin/mpiexec.hydra", "bin/hydra_pmi_proxy", "lib/libmpi.so.12", "lib/mpich")
#: Libraries of glibc, which the machine has.
GLIBC = re.compile(r"ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util)\.so\.\d+|linux-vdso\.so\.1")
BUSYBOX = "busybox-static"


def command(options):
    """tools/tofu bundle."""
    target = options.file.absolute()
    how = packing(target)
    lammps = build.build(options.lammps_version, options.lammps, "mpich", True, packages=options.packages,
                         for_wheel=True)
    with tempfile.TemporaryDirectory(prefix="tofu-bundle-") as scratch:
        top = Path(scratch) / "lammps-tofu"
        fill(top, wheel.pack(lammps, Path(scratch)), lammps.source.path / "bench")
        shell.say(f"packing {target}")
        with tarfile.open(target, how) as archive:
            archive.add(top, top.name, filter=owned_by_nobody)
        report(target, top, lammps)
    return 0


def packing(target):
    """How tarfile packs an archive of that name.

    Raises:
        shell.Failure: The name has another end.
    """
    for ending, how in PACKED.items():
        if target.name.endswith(ending):
            return how
    raise shell.Failure(f"the name of the archive, {target.name}, ends in none of {', '.join(PACKED)}")


def fill(top, package, benchmarks):
    """Put everything into a folder.

    Args:
        top: The folder, which is made.
        package: The wheel.
        benchmarks: Folder of LAMMPS with its benchmarks.
    """
    unpack_wheel(package, top)
    add_mpich(venv.python(wheel_file.REQUIREMENTS).parent.parent, top)
    add_run_time(top)
    add_busybox(top)
    add_bench(benchmarks, top / "bench")
    for name in ("compare", "README.md"):
        shutil.copy(FILES / name, top / name)


def unpack_wheel(path, top):
    """Program, library and licenses of the wheel; potentials are left out, which the benchmarks do not need."""
    with zipfile.ZipFile(path) as file:
        for name in file.namelist():
            inside = re.match(r"[^/]+\.data/data/((?:bin|lib)/.+)|[^/]+\.dist-info/(?:licenses/)+(.+)", name)
            if not inside or name.endswith("/"):
                continue
            target = top / (inside.group(1) or f"licenses/{inside.group(2)}")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(file.read(name))
            target.chmod(0o755 if inside.group(1) else 0o644)


def add_mpich(environment, top):
    """The launcher and the libraries of MPICH, from an environment that has its wheel."""
    for name in MPICH:
        copy = shutil.copytree if (environment / name).is_dir() else shutil.copy
        copy(environment / name, top / name)
    found = sorted(environment.glob("lib/python3*/site-packages/mpich-*.dist-info/licenses/*"))
    for path in found:
        shutil.copy(path, top / "licenses" / f"{path.name}.mpich")


def add_run_time(top):
    """Libraries of the compiler that the program needs beside those of glibc."""
    text = shell.capture(["ldd", top / "bin" / "lmp-tofu"])
    for name, path in re.findall(r"^\s*(\S+) => (/\S+)", text, re.MULTILINE):
        if not GLIBC.fullmatch(name) and not Path(path).resolve().is_relative_to(top.resolve()):
            shutil.copy(Path(path).resolve(), top / "lib" / name)
    shutil.copy("/usr/share/doc/libstdc++6/copyright", top / "licenses" / "LICENSE.libstdc++")


def add_busybox(top):
    """A shell and the few tools of the script, in one program that needs no library."""
    unpacked = cache.folder("downloads") / BUSYBOX
    if not unpacked.exists():
        with tempfile.TemporaryDirectory(dir=unpacked.parent) as scratch:
            shell.capture(["apt-get", *apt.unsandboxed(), "download", BUSYBOX], cwd=scratch)
            shell.capture(["dpkg-deb", "-x", next(Path(scratch).glob("*.deb")), Path(scratch) / "files"])
            (Path(scratch) / "files").rename(unpacked)
    shutil.copy(next(unpacked.rglob("bin/busybox")), top / "bin" / "busybox")
    shutil.copy(unpacked / "usr" / "share" / "doc" / BUSYBOX / "copyright", top / "licenses" / "LICENSE.busybox")


def add_bench(source, target):
    """Inputs whose number of steps is a variable, and their data."""
    target.mkdir()
    for name in BENCH:
        shutil.copy(source / name, target / name)
        if name.startswith("in."):
            text = (source / name).read_text(encoding="utf-8")
            found, count = re.subn(r"^run(\s+)(\d+)", r"run\1${steps}", text, flags=re.MULTILINE)
            if count != 1:
                raise shell.Failure(f"{source / name} has {count} commands 'run' with a number, expected 1")
            (target / name).write_text("variable steps index 100\n" + found, encoding="utf-8")


def owned_by_nobody(info):
    """A member of the archive without its owner's name."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    return info


def report(target, top, lammps):
    """Print sizes and packages.

    Raises:
        shell.Failure: The archive is too large.
    """
    packed, plain = target.stat().st_size, sum(path.stat().st_size for path in top.rglob("*") if path.is_file())
    text = shell.capture([top / "bin" / "lmp-tofu", "-h"])
    packages = sorted(program.packages_in(text))
    print(f"{target}: {packed / 1e6:.1f} MB packed, {plain / 1e6:.1f} MB unpacked")
    print(f"LAMMPS {lammps.source.release} with {len(packages)} packages: {' '.join(packages)}")
    if packed > LIMIT:
        raise shell.Failure(f"{target} has {packed / 1e6:.1f} MB, the limit is {LIMIT / 1e6:.0f} MB: give it a name "
                            f"that ends in .tar.xz, or build fewer packages (--packages)")
