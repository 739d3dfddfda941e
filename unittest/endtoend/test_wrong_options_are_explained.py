# SPDX-License-Identifier: GPL-2.0-only
"""A wrong option stops LAMMPS with an error that says what was found and what is allowed."""

import pytest

from lammps_output import error_line
from lammps_run import run, run_script
from small_systems import LJ

pytestmark = pytest.mark.full

WRONG = {
    "unknown keyword": ("backend shm", ["backend", "transport", "pattern", "slots", "verify"]),
    "unknown transport": ("transport foo", ["transport", "foo", "auto", "shm", "mpi"]),
    "unknown pattern": ("pattern 4stage", ["pattern", "4stage", "auto", "p2p", "3stage"]),
    "unknown order": ("order by id", ["order", "by", "p2p", "brick"]),
    "more slots than an integer holds": ("slots 99999999999999999999", ["slots", "99999999999999999999", "1 to 64"]),
    "no slots": ("slots 0", ["slots", "0"]),
    "negative slots": ("slots -4", ["slots", "-4"]),
    "slots that are no number": ("slots x", ["slots", "x"]),
    "slots that are no whole number": ("slots 2.5", ["slots", "2.5"]),
    "far too many slots": ("slots 1000000000", ["slots", "1000000000"]),
    "more threads than endpoints": ("endpoints 2 threads 3", ["3 threads", "2 endpoints"]),
    "no endpoint": ("endpoints 0", ["endpoints", "0", "1 to 64"]),
    "threads that are no number": ("threads many", ["threads", "many", "1 to 64"]),
    "unknown verify": ("verify maybe", ["verify", "maybe", "yes", "no"]),
    "a seed that is no number": ("shuffle x", ["shuffle", "x", "0 to 2147483647"]),
    "a seed that is too large": ("shuffle 99999999999999999999", ["shuffle", "99999999999999999999"]),
    "a seed below zero": ("shuffle -1", ["shuffle", "-1"]),
    "keyword without value": ("transport", ["transport"]),
    "second keyword without value": ("pattern p2p slots", ["slots"]),
}
"""Options, and words that the message must contain."""


@pytest.mark.usefixtures("no_segment_left")
@pytest.mark.parametrize("ranks", (1, 2))
@pytest.mark.parametrize("case", WRONG)
def test_wrong_option_in_the_script(installation, tmp_path, case, ranks):
    options, words = WRONG[case]
    script = f"comm_style p2p/rdma {options}\n{LJ}run 1\n"
    output = run_script(installation, script, ranks, tmp_path).expect_error(words)
    assert f"Last input line: comm_style p2p/rdma {options}" in output


@pytest.mark.usefixtures("no_segment_left")
@pytest.mark.parametrize("case", WRONG)
def test_wrong_option_on_the_command_line(installation, tmp_path, case):
    options, words = WRONG[case]
    arguments = ["-in", "none", "-log", "none", "-pk", "tofu", "comm", "p2p/rdma", *options.split()]
    run(installation, arguments, 2, tmp_path).expect_error(words)


@pytest.mark.parametrize(
    "package,words",
    {"": ["comm"], "comm": ["comm"], "comm foo": ["foo", "brick", "p2p/rdma"], "halo yes": ["halo", "comm"]}.items(),
    ids=str,
)
def test_wrong_package_command(installation, tmp_path, package, words):
    run_script(installation, f"package tofu {package}\n", 1, tmp_path).expect_error(words)


@pytest.mark.parametrize("package,words", {
    "99999999999999999999": ["number of parts", "99999999999999999999", "0 to 1024"],
    "1 spin 1e999": ["spin", "1e999", "0 to 1000000"],
    "1 spin nan": ["spin", "nan"],
    "1 spin -1": ["spin", "-1"],
    "0x2": ["number of parts", "0x2"],
    "1 check soon": ["check", "soon", "auto", "step", "overlap"],
    "1 check": ["Missing value", "check"],
    "1 overlap sometimes": ["overlap", "sometimes", "yes", "no", "always"],
}.items(), ids=str)
def test_wrong_number_for_the_pool(installation, tmp_path, package, words):
    run_script(installation, f"package threadpool {package}\n", 1, tmp_path).expect_error(words)


@pytest.mark.parametrize("name,value", [("TOFU_NODE_SIZE", "many"), ("TOFU_NODE_SIZE", "-1"),
                                        ("TOFU_NODE_SIZE", "4294967297")])
def test_wrong_environment(installation, tmp_path, name, value):
    script = f"comm_style p2p/rdma\n{LJ}run 1\n"
    run_script(installation, script, 2, tmp_path, environment={name: value}).expect_error((name, value))


@pytest.mark.usefixtures("no_segment_left")
def test_shared_memory_between_nodes_names_the_remedy(installation, tmp_path):
    script = f"comm_style p2p/rdma transport shm\n{LJ}run 1\n"
    environment = {"TOFU_NODE_SIZE": "1"}
    message = error_line(run_script(installation, script, 2, tmp_path, environment=environment).expect_failure())
    assert "shm" in message and ("auto" in message or "mpi" in message), message


def test_shared_memory_within_one_node_is_accepted(installation, tmp_path):
    run_script(installation, f"comm_style p2p/rdma transport shm\n{LJ}run 1\n", 2, tmp_path).expect_success()


@pytest.mark.usefixtures("no_segment_left")
def test_recursive_bisection_after_p2p_is_refused_as_with_brick(installation, tmp_path):
    outputs = []
    for style in ("brick", "p2p_rdma"):
        script = f"comm_style {style}\n{LJ}balance 1.0 rcb\nrun 1\n"
        outputs.append(error_line(run_script(installation, script, 4, tmp_path).expect_failure()))
    assert outputs[0] == outputs[1]
