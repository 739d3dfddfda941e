# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench --steps: variants, their commands and environment, sections, ratios, table and picture."""

import subprocess
import sys
from pathlib import Path

import pytest
from pictures import check_picture
from tofulib import CHECKOUT, bench, build, hosts, log, mpi, shell, source, steps, trial

BRICK = {"Pair": 50.0, "Neigh": 10.0, "Comm": 30.0, "Modify": 5.0, "Other": 5.0}
UNKNOWN = "ERROR: Unknown package tofu comm p2p/rdma keyword: endpoints (allowed: transport, pattern)"


def one(comm_scale):
    """A run that differs from brick in the Comm section only."""
    sections = {**BRICK, "Comm": BRICK["Comm"] * comm_scale}
    return {"atoms": 4000, "cpu_use": 100.0, "loop": sum(sections.values()), "sections": sections}


def one_round(state, **scales):
    """A round of brick and others."""
    return {"runs": {"brick": one(1.0), **{name: one(scale) for name, scale in scales.items()}}, "state": state}


ROUNDS = [one_round(bench.TWO_CORES, **{"3stage": 0.5, "half": 0.25}),
          one_round(bench.TWO_CORES, **{"3stage": 0.75, "half": 0.5}),
          one_round(bench.DISTURBED, **{"3stage": 2.0, "half": 1.5})]


def result():
    """A result as the command writes it."""
    return {"about": {"ranks": 2, "pairs": 3, "lammps": "4Feb2025", "processor": "test", "transport": "ofi",
                      "mpi_over_tcp": True},
            "variants": {name: {"label": steps.VARIANTS[name].label} for name in ("brick", "3stage", "half")},
            "left_out": {"endpoints": UNKNOWN},
            "cases": {name: {"atoms": 4000, "rounds": ROUNDS, "summary": steps.summarize(ROUNDS)}
                      for name in ("lj4000", "eam")}}


@pytest.fixture
def lammps(tmp_path, private_cache):
    """A LAMMPS whose bench folder has one input."""
    (tmp_path / "bench").mkdir()
    (tmp_path / "bench" / "in.lj").write_text("units lj\nrun             100\n", encoding="utf-8")
    return build.Build(Path("lmp"), source.Source(tmp_path, "4Feb2025", True), mpi.Mpi("openmpi", "", "", "mpirun"))


def test_ratios_are_taken_within_rounds():
    group = steps.summarize(ROUNDS)["all"]
    assert group["rounds"] == 3
    assert group["variants"]["half"]["comm ratio"] == {"median": 0.5, "min": 0.25, "max": 1.5}
    assert group["variants"]["3stage"]["loop ratio"]["min"] == pytest.approx(0.85)
    assert group["variants"]["brick"]["comm ratio"] == {"median": 1.0, "min": 1.0, "max": 1.0}


def test_disturbed_rounds_have_no_state_of_their_own():
    assert steps.summarize(ROUNDS)[bench.TWO_CORES]["rounds"] == 2
    assert set(steps.summarize(ROUNDS)) == {"all", bench.TWO_CORES}


def test_sections_add_up_to_the_whole():
    measured = {"loop": 100.0, "sections": {"Pair": 40.0, "Bond": 5.0, "Neigh": 10.0, "Comm": 20.0, "Output": 1.0,
                                            "Modify": 4.0}}
    sections = steps.with_other(measured)["sections"]
    assert tuple(sections) == steps.SECTIONS
    assert sections["Other"] == 26.0 and sum(sections.values()) == 100.0


@pytest.mark.parametrize("text, expected", [
    (f"units lj\n{UNKNOWN}\nLast input line: x\n", UNKNOWN),
    ("WARNING: comm_style p2p/rdma: using MPI instead of libfabric: no provider\n",
     "WARNING: comm_style p2p/rdma: using MPI instead of libfabric: no provider"),
    ("ERROR: Lost atoms: original 864 current 860\n", None),
    ("Loop time of 1\n", None)])
def test_refused_options_are_told_from_other_errors(text, expected):
    assert steps.refusal(text) == expected


@pytest.mark.parametrize("transport, over_tcp, expected", [
    ("ofi", True, {"TOFU_NODE_SIZE": "1", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self"}),
    ("mpi", False, {"TOFU_NODE_SIZE": "1"}), ("shm", False, {}), ("auto", False, {})])
def test_environment_sends_messages_where_they_shall_go(lammps, transport, over_tcp, expected):
    assert steps.extra_environment(steps.Setting(lammps, transport, over_tcp)) == expected


def test_every_mpi_library_can_be_sent_over_tcp():
    assert set(steps.OVER_TCP) == set(mpi.IDENTITY)


def test_brick_gets_no_options_and_others_the_transport(lammps):
    setting = steps.Setting(lammps, "ofi", True)
    assert steps.package_words(steps.VARIANTS["brick"], setting) == []
    assert " ".join(steps.package_words(steps.VARIANTS["3stage"], setting)) == \
        "-pk tofu comm p2p/rdma pattern 3stage transport ofi"


def test_hosts_of_their_own_get_a_pinned_rank_each(lammps, tmp_path, monkeypatch):
    monkeypatch.setattr(mpi, "cores", lambda: (4, 8))
    made = hosts.Hosts(2, tmp_path)
    setting = steps.Setting(lammps, "auto", True, made)
    words = [str(word) for word in steps.line("threads", bench.CASES["lj4000"], "in.lj", "log", setting)]
    assert words[:4] == ["ip", "netns", "exec", made.bridge]
    assert words[words.index("--host") + 1] == f"{made.names[0]}:1,{made.names[1]}:1"
    assert words.index("-np") < words.index("sh") < words.index(str(lammps.lmp))
    assert "RANK * 2" in words[words.index("-c") + 1]
    environment = steps.extra_environment(setting)
    assert "TOFU_NODE_SIZE" not in environment and environment["OMPI_MCA_btl"] == "tcp,self"


def test_a_case_that_the_half_shell_does_not_serve_is_refused(private_cache):
    done = subprocess.run([sys.executable, CHECKOUT / "tools" / "tofu", "bench", "--steps", "--cases", "lj864,chain"],
                          capture_output=True, text=True)
    assert done.returncode != 0 and "chain" in done.stderr + done.stdout and "bonds" in done.stderr + done.stdout


def test_hosts_where_there_can_be_none_are_refused(monkeypatch):
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert "root" in hosts.why_not("openmpi")


@pytest.mark.parametrize("cores, expected", [(2, 1), (4, 2)])
def test_communication_threads_get_cores_if_there_are_enough(lammps, monkeypatch, cores, expected):
    monkeypatch.setattr(mpi, "cores", lambda: (cores, cores))
    words = steps.line("threads", bench.CASES["lj4000"], "in.lj", "log", steps.Setting(lammps, "ofi", True))
    assert f"slot:PE={expected}" in words and "endpoints" in words


def answer(monkeypatch, logs):
    """Runs of LAMMPS that write these logs: by variant, with the exit status."""
    def attempt(line, **settings):
        logfile = Path(line[line.index("-log") + 1])
        text, status = logs.get(logfile.name.rpartition(".")[2], ("fine\n", 0))
        logfile.write_text(text, encoding="utf-8")
        return subprocess.CompletedProcess(line, status, "", "")
    monkeypatch.setattr(shell, "attempt", attempt)


def test_variants_that_the_program_refuses_are_left_out(lammps, monkeypatch, capsys):
    answer(monkeypatch, {"endpoints": (UNKNOWN, 1), "threads": (UNKNOWN, 1)})
    taken, left_out = steps.probe(steps.Setting(lammps, "ofi", True))
    assert taken == ["brick", "3stage", "p2p", "half"] and left_out == {"endpoints": UNKNOWN, "threads": UNKNOWN}
    assert f"leaving out p2p, 4 endpoints: {UNKNOWN}" in capsys.readouterr().out


def test_probe_that_fails_otherwise_stops(lammps, monkeypatch):
    answer(monkeypatch, {"p2p": ("ERROR: Lost atoms\n", 1)})
    with pytest.raises(shell.Failure, match="p2p failed with status 1: ERROR: Lost atoms"):
        steps.probe(steps.Setting(lammps, "ofi", True))


def test_brick_alone_is_nothing_to_compare(lammps, monkeypatch):
    answer(monkeypatch, {name: (UNKNOWN, 1) for name in steps.VARIANTS if name != "brick"})
    with pytest.raises(shell.Failure, match="takes only brick"):
        steps.probe(steps.Setting(lammps, "ofi", True))


def test_rounds_are_interleaved(lammps, monkeypatch):
    class Clock:
        def state(self):
            return bench.TWO_CORES
    order = []
    monkeypatch.setattr(trial, "run_checked", lambda line, logfile, *_, **settings: order.append(logfile.name))
    monkeypatch.setattr(log, "read",
                        lambda path: [log.Run([], [], 1.0, 2, 10, 4000, {"Comm": 0.5}, {"Comm": 0.4}, 99.9)])
    case = steps.measure_case("lj4000", steps.Setting(lammps, "ofi", True), ["brick", "half"], 2, Clock())
    assert order == ["log.lj4000.brick", "log.lj4000.half"] * 2
    assert case["atoms"] == 4000 and case["rounds"][0]["state"] == bench.TWO_CORES


def test_table_has_a_row_for_each_variant_and_says_what_is_missing(capsys):
    steps.print_table(result())
    text = capsys.readouterr().out
    rows = [row for row in text.splitlines() if row.startswith("p2p, half shell")]
    assert len(rows) == 4 and "0.500 0.250-1.500" in rows[0]
    assert f"Left out: p2p, 4 endpoints: {UNKNOWN}" in text and "2 of the rounds were disturbed" in text


def test_picture_is_drawn(tmp_path):
    check_picture(tmp_path, result(), "tofulib.plot_steps")


def test_unknown_case_is_refused():
    done = subprocess.run([CHECKOUT / "tools" / "tofu", "bench", "--steps", "--cases", "nix"], capture_output=True,
                          text=True,
                          check=False)
    assert done.returncode == 1 and "the cases are lj864, lj4000" in done.stderr
