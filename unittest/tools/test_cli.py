# SPDX-License-Identifier: GPL-2.0-only
"""The command line as a user sees it, and text that the product files must not contain."""

import os
import re
import resource
import shutil
import subprocess
import sys
import types

import pytest
from tofulib import CHECKOUT, shell, test

TOFU = CHECKOUT / "tools" / "tofu"


def tofu(*words, **settings):
    """Run tools/tofu."""
    return subprocess.run([TOFU, *words], capture_output=True, text=True, timeout=300, check=False, **settings)


@pytest.mark.parametrize("command", ["run", "test", "build", "bench", "latency", "install", "uninstall", "manual",
                                     "pages", "model", "predict", "doctor", "wheel", "bundle"])
def test_every_command_explains_itself(command):
    done = tofu(command, "--help")
    assert done.returncode == 0 and f"usage: tofu {command}" in done.stdout


@pytest.mark.parametrize("words", [[], ["nix"], ["build", "--nix"], ["run", "-n", "two"], ["run", "--comm", "nix"]])
def test_wrong_usage_is_refused(words):
    done = tofu(*words)
    assert done.returncode == 2 and "usage: tofu" in done.stderr


def test_failures_go_to_standard_error_without_a_traceback(tmp_path):
    done = tofu("install", tmp_path)
    assert done.returncode == 1 and done.stderr.startswith("tofu: ") and "Traceback" not in done.stderr


def test_doctor_answers_on_any_machine(tmp_path):
    done = tofu("doctor", env={**os.environ, "TOFU_CACHE": str(tmp_path)})
    assert done.returncode in (0, 1) and not done.stderr
    for word in ("/dev/shm", "processors", "openmpi", "Debian mirror", "sources"):
        assert word in done.stdout


def processor_seconds():
    """Processor time of the finished processes that this one has started."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def test_second_build_has_nothing_to_do():
    """The test measures processor time, which other work on the machine does not change."""
    if "TOFU_LMP" not in os.environ:
        pytest.skip("TOFU_LMP is not set; 'tools/tofu test' sets it")
    start = processor_seconds()
    done = tofu("build")
    assert done.returncode == 0 and done.stdout.strip() == os.environ["TOFU_LMP"], done.stderr
    assert processor_seconds() - start < 2.0


def test_layer_check_can_fail():
    done = subprocess.run([sys.executable, CHECKOUT / "tools" / "check_layers.py", "--self-test"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == 0 and "violations" in done.stdout


def fail():
    """A stage that fails."""
    raise shell.Failure("it broke")


@pytest.mark.parametrize("actions, status, last", [
    ([lambda: None, lambda: test.Counts(5, 0, 0)], 0, "6 passed, 0 failed"),
    ([lambda: None, fail], 1, "1 passed, 1 failed"),
    ([lambda: test.Counts(5, 2, 1)], 1, "5 passed, 2 failed, 1 skipped"),
])
def test_closing_line_and_status_of_the_test_command(monkeypatch, capsys, actions, status, last):
    stages = [test.Stage(f"stage {number}", action) for number, action in enumerate(actions)]
    monkeypatch.setattr(test.Suite, "stages", lambda self: stages)
    assert test.command(types.SimpleNamespace(full=False, long=False)) == status
    output = capsys.readouterr().out
    assert output.rstrip().splitlines()[-1] == last
    assert ("FAILED stage 1: it broke" in output) == (fail in actions)


def test_stage_without_its_build_fails_aloud(private_cache):
    suite = test.Suite(types.SimpleNamespace(full=False, long=False, pytest_arguments=[]))
    for action in (lambda: suite.build_plugin("stock"), suite.pytest):
        with pytest.raises(shell.Failure, match="needs the build"):
            action()


def test_pytest_report_is_counted(tmp_path):
    report = tmp_path / "r.xml"
    report.write_text('<testsuites><testsuite tests="10" failures="2" errors="1" skipped="3"/></testsuites>',
                      encoding="utf-8")
    assert test.read_counts(report) == test.Counts(4, 3, 3)
    assert test.read_counts(tmp_path / "none.xml") == test.Counts(0, 0, 0)


@pytest.mark.skipif(not shutil.which("git"), reason="git tells which files belong to the product")
def test_product_files_hold_no_path_of_one_machine_and_no_loose_ends():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=CHECKOUT, capture_output=True,
                            text=True, check=True).stdout
    forbidden = re.compile(r"(?<![\w$}])/(?:root|home|work)/|\b(?:TO" r"DO|FIX" r"ME|XX" r"X)\b")
    found = []
    for name in listed.splitlines():
        path = CHECKOUT / name
        if path.suffix in (".png", ".gz") or not path.is_file():
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            if forbidden.search(line):
                found.append(f"{name}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


def test_layout_check_refuses_long_lines_and_other_layouts(tmp_path):
    good, wide, odd, script = (tmp_path / name for name in ("good.h", "wide.h", "odd.h", "wide.py"))
    (tmp_path / ".clang-format").symlink_to(CHECKOUT / ".clang-format")
    good.write_text("int one();\n", encoding="utf-8")
    wide.write_text(f"// {'x' * 98}\n", encoding="utf-8")
    odd.write_text("int  two ( ) ;\n", encoding="utf-8")
    script.write_text(f"# {'x' * 119}\n", encoding="utf-8")
    test.check_layout([good])
    with pytest.raises(shell.Failure, match=r"wide.py:1: 121 columns, allowed are 120"):
        test.check_layout([good, script])
    with pytest.raises(shell.Failure, match=r"wide.h:1: 101 columns, allowed are 100"):
        test.check_layout([good, wide])
    with pytest.raises(shell.Failure, match="odd.h"):
        test.check_layout([good, odd])
