# SPDX-License-Identifier: GPL-2.0-only
"""Run every test: one table of stages, each named, timed and counted."""

import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree
from pathlib import Path
from typing import Callable, NamedTuple

from . import CHECKOUT, build, cache, lammps_packages, licenses, mpi, shell, system, venv, wheel

SANITIZERS = ("none", "address", "thread")
#: Longest lines; that of C++ is also in .clang-format.
COLUMNS = {".h": 100, ".cpp": 100, ".table": 100, ".py": 120}
#: Packages with styles that have variants.
WITH_VARIANTS = ("CG-SPICA", "CLASS2", "CORESHELL", "DPD-BASIC", "EXTRA-MOLECULE", "EXTRA-PAIR", "FEP", "GRANULAR",
                 "KSPACE", "MANYBODY", "MEAM", "MOFFF", "MOLECULE", "QEQ", "REAXFF", "RIGID")
#: Options of kernels in a LAMMPS for this processor alone.
AS_IN_LAMMPS = "-march=native -DHWY_COMPILE_ONLY_STATIC"
#: What one input with threads needs: the thread sanitizer for all takes the compiler a minute more.
SOURCES_OF_LJ = (r"/(pool|threadpool|transport)/|/kernels/[a-z]+/(atom_|cell_grid|find_entries|flat_vectors|"
                 r"gathered_atoms|instruction_set|lj_cut|mark_neighbors|near_rows)")
#: Tests of the usual run and of the full one; further options of pytest may choose others.
USUAL, FULL, ALL = "not full and not long and not deepmd", "not long and not deepmd", ""


class Stage(NamedTuple):
    """One part of the test run; the action raises shell.Failure if it fails."""

    name: str
    action: Callable


class Result(NamedTuple):
    """Outcome of a stage."""

    name: str
    seconds: float
    passed: int
    failed: int
    skipped: int
    message: str


class Counts(NamedTuple):
    """Numbers of tests that pytest counted; a stage that returns them counts as so many tests, other stages as one."""

    passed: int
    failed: int
    skipped: int


def command(options):
    """tools/tofu test.

    Returns:
        0 if every stage passed, else 1.
    """
    results = [carry_out(stage) for stage in Suite(options).stages()]
    report(results)
    return 1 if any(result.failed for result in results) else 0


def carry_out(stage):
    """Run one stage and return its outcome."""
    print(f"\n=== {stage.name}", flush=True)
    start, message, counts = time.monotonic(), "", None
    try:
        counts = stage.action()
    except shell.Failure as failure:
        message = str(failure)
        print(message, flush=True)
    counts = counts or (Counts(0, 1, 0) if message else Counts(1, 0, 0))
    return Result(stage.name, time.monotonic() - start, *counts, message)


def report(results):
    """Print the table of the stages, the failures once more, and the closing line."""
    print(f"\n{'stage':34} {'result':8} {'time':>8}  tests")
    for result in results:
        verdict = "FAILED" if result.failed else "passed"
        print(f"{result.name:34} {verdict:8} {result.seconds:6.0f} s  {result.passed + result.failed}")
    for result in results:
        if result.failed:
            print(f"\nFAILED {result.name}: {result.message or f'{result.failed} tests, see above'}")
    passed, failed, skipped = (sum(getattr(result, field) for result in results) for field in Counts._fields)
    print(f"\n{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)


class Suite:
    """The stages, and the builds that later stages use."""

    def __init__(self, options):
        self.options = options
        self.full = options.full or options.long
        self.if_long = "on" if options.long else "off"    # for CMake
        self.builds = {}
        self.plugins = {}
        self.wheel = None
        self.sizes_of = {"newest": "bigbig"}    # all others have LAMMPS' default

    def stages(self):
        """The stages in order: what users need first, then what developers need, then one pytest run for all."""
        usual = [
            Stage("system packages and libraries", self.prepare),
            Stage("layers and layout", self.layers),
            Stage("LAMMPS with TOFU, Open MPI", lambda: self.lammps("tofu")),
            *([] if self.full else [Stage("unit tests", self.units_as_in_lammps)]),
        ]
        return [*usual, *(self.full_stages() if self.full else []), *(self.long_stages() if self.options.long else []),
                Stage("tools and end-to-end tests", self.pytest)]

    def full_stages(self):
        """Other builds, other processors, and what developers need."""
        return [
            Stage("reference", check_reference),
            *(Stage(f"unit tests{'' if name == 'none' else f', {name} sanitizer'}", lambda name=name: self.units(name))
              for name in SANITIZERS),
            Stage("unit tests, aarch64 (qemu)", self.units_for_aarch64),
            Stage("LAMMPS with TOFU, emulator of uTofu",
                  lambda: self.lammps("utofu", utofu_library=str(self.emulator()))),
            Stage("protocol model", self.model),
            Stage("LAMMPS with TOFU, address sanitizer", lambda: self.lammps("address", sanitizer="address")),
            Stage("LAMMPS with TOFU, thread sanitizer",
                  lambda: self.lammps("thread", sanitizer="thread",
                                      checked_only="" if self.options.long else SOURCES_OF_LJ)),
            Stage("LAMMPS without TOFU", lambda: self.lammps("stock", with_tofu=False)),
            Stage("plug-in", lambda: self.build_plugin("stock")),
            Stage("newest LAMMPS with TOFU, MPICH, BIGBIG",
                  lambda: self.lammps("newest", "newest", mpi_name="mpich", accelerated=False,
                                      sizes=self.sizes_of["newest"], optimized=False, for_wheel=True,
                                      needs=lammps_packages.full() if self.options.long
                                      else {*WITH_VARIANTS, lammps_packages.DEEP})),
            Stage("wheel", lambda: self.make_wheel("newest")),
        ]

    def long_stages(self):
        """Builds that only the long tests have."""
        return [
            Stage("LAMMPS and TOFU, address sanitizer",
                  lambda: self.lammps("everywhere", sanitizer="address", checks_lammps=True, accelerated=False)),
            Stage("plug-in for the newest LAMMPS", lambda: self.build_plugin("newest")),
        ]

    def prepare(self):
        """Install the requirements of the later stages."""
        system.ensure([*(system.FULL_TEST if self.full else system.TEST), "openmpi", *(["mpich"] if self.full else [])])
        venv.python()
        print(f"{mpi.cores()[1]} processors")

    @staticmethod
    def layers():
        """Check that the layer check can fail, then the includes from room to room, layout and licenses."""
        for arguments in (["--self-test"], []):
            print(shell.capture([sys.executable, CHECKOUT / "tools" / "check_layers.py", *arguments]), end="")
        check_layout([CHECKOUT / "tools" / "tofu",
                      *sorted(path for folder in ("src", "lib", "unittest", "tools", "packaging") for ending in COLUMNS
                              for path in (CHECKOUT / folder).rglob(f"*{ending}"))])
        licenses.check_licenses(licenses.sources())

    @staticmethod
    def units_as_in_lammps():
        """Run the C++ unit tests with kernels for this processor alone: LAMMPS has the same objects, which come from
        the compiler's cache."""
        library = mpi.find("openmpi")
        run_unit_tests("unit", {"CMAKE_CXX_FLAGS": AS_IN_LAMMPS, **build.mpi_settings(library)},
                       {"TOFU_MPIEXEC": shell.quote(mpi.free_launch(library))})

    def units(self, sanitizer):
        """Run the C++ unit tests, which need no LAMMPS."""
        library = mpi.find("openmpi")
        # the engines with a sanitizer have the options of those in LAMMPS, and come from the same compiler cache
        run_unit_tests(f"unit-{sanitizer}", {
            "TOFU_SANITIZE": sanitizer,
            "TOFU_SANITIZE_KERNELS": self.if_long if sanitizer == "address" else "off",    # they start no threads
            "CMAKE_CXX_FLAGS": self.instruction_sets() if sanitizer == "none" else "-march=native",
            "TOFU_TEST_UTOFU": "transport" if sanitizer == "none" and not self.options.long else self.if_long,
            **build.mpi_settings(library)},
            {"TOFU_MPIEXEC": shell.quote(mpi.free_launch(library)),
             **({"GTEST_ALSO_RUN_DISABLED_TESTS": "1"} if self.options.long and sanitizer == "none" else {})})

    def units_for_aarch64(self):
        """Run the unit tests that need neither MPI nor libfabric, for NEON and SVE."""
        run_unit_tests("unit-aarch64", {
            "TOFU_WITHOUT_MPI": "on", "TOFU_ALL_INSTRUCTION_SETS": self.if_long, "TOFU_TEST_UTOFU": self.if_long,
            "CMAKE_TOOLCHAIN_FILE": CHECKOUT / "unittest" / "unit" / "aarch64.cmake"}, {})

    def instruction_sets(self):
        """Options of the compiler for the instruction sets of the kernels: in unit tests and the plug-in the same,
        since both share the compiler's cache."""
        return "" if self.options.long else fewer_sets()

    def model(self):
        """Check the protocols exhaustively by Spin."""
        folder = cache.folder("build", "model")
        log = folder / "tofu-spin.log"
        shell.run_logged(["bash", CHECKOUT / "unittest" / "model" / "run.sh", folder,
                          "all" if self.options.long else "usual"], log, progress=r"^(ok|FAILED) ")
        print("\n".join(line for line in log.read_text(encoding="utf-8").splitlines() if line.startswith("ok ")))

    def lammps(self, name, which="pinned", **settings):
        """Build one LAMMPS for later stages."""
        self.builds[name] = build.build(which, **settings)
        print(self.builds[name].lmp)

    def need(self, name):
        """A build of an earlier stage."""
        if name not in self.builds:
            raise shell.Failure(f"not run: it needs the build '{name}', which failed")
        return self.builds[name]

    @staticmethod
    def emulator():
        """The emulator of uTofu, which the unit tests have made."""
        library = cache.folder("build", "unit-none") / "utofu" / "libtofucom.so"
        if not library.exists():
            raise shell.Failure("not run: it needs the emulator of uTofu, which the unit tests make")
        return library

    def build_plugin(self, name):
        """Build the plug-in for one of the builds; in the long tests that for the pinned LAMMPS has the emulator of
        uTofu."""
        lammps = self.need(name)
        folder = cache.folder("build", f"plugin-{name}")
        network = {**build.emulator_settings(self.emulator()), "CMAKE_INSTALL_RPATH": self.emulator().parent} \
            if self.options.long and name == "stock" else {}
        build.compile_project(CHECKOUT / "cmake" / "plugin", folder, {
            "LAMMPS_SOURCE_DIR": lammps.source.path / "src",
            "LAMMPS_SIZES": self.sizes_of.get(name, build.DEFAULT_SIZES), "LAMMPS_PACKAGES": ";".join(WITH_VARIANTS),
            "CMAKE_CXX_FLAGS": self.instruction_sets(), "MPI_CXX_COMPILER": lammps.mpi.cxx, **network})
        self.plugins[name] = folder / "tofuplugin.so"

    def make_wheel(self, name):
        """Pack one of the builds, without compiling anything."""
        self.wheel = wheel.pack(self.need(name), cache.folder("build", "wheel"))
        print(self.wheel)

    def pytest(self):
        """Run the tests of the tools and of the styles inside LAMMPS, in one pytest run."""
        environment = self.environment()
        report_file = cache.folder("build") / "pytest.xml"
        report_file.unlink(missing_ok=True)
        unittest = CHECKOUT / "unittest"
        line = [venv.python(), "-m", "pytest", "-c", unittest / "endtoend" / "pytest.ini", "--rootdir", CHECKOUT,
                unittest / "tools",
                unittest / "endtoend", "-p", "no:cacheprovider", f"--junitxml={report_file}", *side_by_side(),
                "-m", ALL if self.options.long else FULL if self.full else USUAL, *self.options.pytest_arguments]
        status = subprocess.run([str(word) for word in line], cwd=CHECKOUT, env=environment,
                                stdin=subprocess.DEVNULL, check=False).returncode
        counts = read_counts(report_file)
        if counts.passed + counts.failed == 0 or (status and not counts.failed):
            raise shell.Failure(f"pytest ended with status {status} after {counts.passed} passed tests")
        return counts

    def environment(self):
        """Environment with the paths of the programs under test."""
        tofu, stock = self.need("tofu"), self.builds.get("stock")
        variables = {"TOFU_LMP": tofu.lmp, "TOFU_LAMMPS_DIR": tofu.source.path,
                     "TOFU_MPIEXEC": shell.quote(mpi.free_launch(tofu.mpi)),
                     "TOFU_PLUGIN": self.plugins.get("stock"), "TOFU_STOCK_LMP": stock and stock.lmp,
                     "TOFU_WHEEL": self.wheel}
        units = cache.folder("build", "unit-none" if self.full else "unit")
        for name, program in (("TOFU_DELAYED_EXCHANGE", "delayed_exchange"),
                              ("TOFU_TEST_TRANSPORT_UTOFU", "test_transport_utofu")):
            if (units / program).exists():
                variables[name] = units / program
        for name in ("address", "thread", "everywhere", "utofu"):
            if name in self.builds:
                variables[f"TOFU_LMP_{name.upper()}"] = self.builds[name].lmp
        newest = self.builds.get("newest")
        if newest:
            variables.update({"TOFU_LMP_NEWEST": newest.lmp, "TOFU_LAMMPS_DIR_NEWEST": newest.source.path,
                              "TOFU_MPIEXEC_NEWEST": shell.quote(mpi.free_launch(newest.mpi))})
        return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1",
                **{name: str(value) for name, value in variables.items() if value}}


def fewer_sets():
    """Options of the compiler for kernels that this processor can run: for AVX2 and AVX-512, or if it lacks AVX-512 for
    itself alone, as in LAMMPS. Kernels for SSE4 have the sanitizers; all sets take twice the compiler's time."""
    if build.processor_has("avx512f", "aes"):
        return "-march=haswell -maes"
    return AS_IN_LAMMPS if build.processor_has("avx2", "aes") else ""


def side_by_side():
    """Options of pytest: most jobs are short, have two ranks and wait for the launcher, so that two at a time take 0.6
    of the time on two processors."""
    return ["-n", str(max(2, min(8, mpi.cores()[1] // 2 + 1))), "--dist", "worksteal"]


def check_layout(files):
    """Check that C++ is laid out as by clang-format, and that no line is too long: clang-format leaves comments alone.

    Raises:
        shell.Failure: The check failed; the message names the places.
    """
    long_lines = []
    for path in files:
        allowed = COLUMNS[path.suffix or ".py"]
        long_lines += [f"{path}:{number}: {len(line)} columns, allowed are {allowed}" for number, line
                       in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if len(line) > allowed]
    if long_lines:
        raise shell.Failure("\n".join(long_lines))
    cpp = [path for path in files if path.suffix in (".h", ".cpp")]
    done = shell.attempt([venv.python().with_name("clang-format"), "--dry-run", "--Werror", *cpp])
    if done.returncode:
        raise shell.Failure(f"clang-format would change these places:\n{done.stderr}")
    print(f"layout check: {len(files)} files, of which {len(cpp)} in C++ are as clang-format has them")


def check_reference():
    """Check that the reference of the public headers builds without a warning.

    Raises:
        shell.Failure: The check failed; the message has doxygen's warnings.
    """
    with tempfile.TemporaryDirectory() as folder:
        settings = (CHECKOUT / "doc" / "Doxyfile").read_text(encoding="utf-8") + f"\nOUTPUT_DIRECTORY = {folder}\n"
        Path(folder, "Doxyfile").write_text(settings, encoding="utf-8")
        shell.capture(["doxygen", Path(folder, "Doxyfile")], cwd=CHECKOUT)
        pages = len(list(Path(folder).rglob("*.html")))
    print(f"reference check: {pages} pages without a warning")


def run_unit_tests(name, settings, variables):
    """Configure, build and run the C++ unit tests.

    Args:
        name: Name of the build folder.
        settings: Of CMake by name.
        variables: Variables that are added to the environment.
    """
    folder = cache.folder("build", name)
    build.compile_project(CHECKOUT / "unittest" / "unit", folder, settings, variables=variables)
    log = folder / "tofu-ctest.log"
    shell.run_logged(["ctest", "--test-dir", folder, "--output-on-failure", "--no-tests=error", "--timeout", "300",
                      "--parallel", build.parallel_jobs()], log, progress=r"^ *\d+/\d+")
    print(log.read_text(encoding="utf-8").strip().splitlines()[-3].strip())


def read_counts(report_file):
    """Numbers of passed, failed and skipped tests in pytest's XML report; none if there is no report."""
    if not report_file.exists():
        return Counts(0, 0, 0)
    suites = list(xml.etree.ElementTree.parse(report_file).getroot().iter("testsuite"))
    tests, failures, errors, skipped = (sum(int(suite.get(name)) for suite in suites)
                                        for name in ("tests", "failures", "errors", "skipped"))
    return Counts(max(0, tests - failures - errors - skipped), failures + errors, skipped)
