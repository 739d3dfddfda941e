# SPDX-License-Identifier: GPL-2.0-only
"""Fixtures of the end-to-end tests: the LAMMPS under test, and servers that run as long as the session."""

import os
import shutil
from pathlib import Path

import pytest

from dealt_cases import mark_the_rest
from deepmd_kit import ENVIRONMENT, DeepmdKit
from lammps_run import Installation, abandoned_segments, missing_variables, segments_left_since
from lammps_server import ServerPool
from message_counts import build_counter
from random_systems import SEED


def pytest_configure(config):
    missing = missing_variables()
    if missing and not config.option.collectonly:
        pytest.exit(f"{', '.join(missing)} not set: start these tests with `tools/tofu test`", returncode=2)
    config.pluginmanager.register(FailuresAtOnce(config.pluginmanager))


@pytest.hookimpl(tryfirst=True)    # before cases are left out by their markers
def pytest_collection_modifyitems(items):
    mark_the_rest(items)


class FailuresAtOnce:
    """Prints failures when they happen, for runs that are stopped before their summary."""

    def __init__(self, plugins):
        self.plugins = plugins

    def pytest_runtest_logreport(self, report):
        terminal = self.plugins.get_plugin("terminalreporter")    # the workers of a run in parallel have none
        if report.failed and terminal:
            terminal.write_line(f"\nFAILED {report.nodeid} ({report.when})\n{report.longreprtext[-2000:]}")


def pytest_report_header():
    return f"seed of the random systems: {SEED} (TOFU_SEED={SEED} repeats them)"


@pytest.fixture(scope="session")
def installation():
    """The LAMMPS under test."""
    return Installation.from_environment()


@pytest.fixture(scope="session")
def newest():
    """The newest LAMMPS that TOFU supports."""
    if "TOFU_LMP_NEWEST" not in os.environ:
        pytest.skip("TOFU_LMP_NEWEST not set: the newest LAMMPS was not built")
    return Installation.from_environment("_NEWEST")


@pytest.fixture(scope="session")
def servers(installation, tmp_path_factory):
    """LAMMPS jobs that run many small cases; at the end each must end well and leave nothing behind."""
    pool = ServerPool(installation, tmp_path_factory.mktemp("servers"))
    before = abandoned_segments()
    yield pool
    pool.finish()
    left = segments_left_since(before)
    assert not left, f"shared-memory segments left behind: {sorted(left)}"


@pytest.fixture(scope="session")
def counter(tmp_path_factory):
    """The library that counts messages of MPI."""
    if not shutil.which("mpicxx"):
        pytest.skip("there is no mpicxx")
    return build_counter(tmp_path_factory.mktemp("counter"))


@pytest.fixture
def no_segment_left():
    """Fails a test that leaves a shared-memory segment of TOFU behind."""
    before = abandoned_segments()
    yield
    left = segments_left_since(before)
    assert not left, f"shared-memory segments left behind: {sorted(left)}"


@pytest.fixture(scope="session")
def plugin():
    """The plug-in and a LAMMPS without the package, or a skip."""
    needed = ("TOFU_PLUGIN", "TOFU_STOCK_LMP")
    if any(name not in os.environ for name in needed):
        pytest.skip(f"{' and '.join(needed)} not set: no plug-in was built")
    stock = Installation(os.environ["TOFU_STOCK_LMP"], Installation.from_environment().mpiexec, Path())
    return Path(os.environ["TOFU_PLUGIN"]), stock


@pytest.fixture(scope="session")
def deepmd(installation, tmp_path_factory):
    """deepmd-kit, its plug-in for the LAMMPS under test, and the model of its test; or a skip."""
    kit = DeepmdKit.from_environment()
    if kit is None:
        pytest.skip(
            f"{ENVIRONMENT} is not set to a folder with deepmd-kit; 'python3 unittest/endtoend/install_deepmd_kit.py "
            f"FOLDER' makes one (2 GB)")
    kit.prepare(installation, tmp_path_factory.mktemp("deepmd"))
    return kit
