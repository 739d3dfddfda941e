# SPDX-License-Identifier: GPL-2.0-only
"""tools/tofu bench --fixes: samples by function, shares, the table, the inputs."""

import types

import pytest
from tofulib import fix_cases, fix_shares, shell

REPORT = """
       120  [.] LAMMPS_NS::FixNVE::initial_integrate
         7  [.] operator new(unsigned long)
         3  [k] 0xffffffff8140
        30  [.] LAMMPS_NS::FixNVE::initial_integrate

"""


def test_samples_of_a_function_are_added_up():
    assert fix_shares.samples(REPORT) == {"LAMMPS_NS::FixNVE::initial_integrate": 150, "operator new(unsigned long)": 7,
                                          "0xffffffff8140": 3}


def test_table_has_shares_of_a_step_and_ratios_to_the_step_without():
    runs = [{"share": 0.1, "step": 12.0, "without": 10.0}, {"share": 0.3, "step": 11.0, "without": 10.0},
            {"share": 0.2, "step": 15.0, "without": 10.0}]
    text = fix_shares.table({"momentum 100": {"summary": fix_shares.summarize(runs)}})
    assert text.splitlines()[2] == "| momentum 100 | 12 us | 20.0 % (10.0-30.0) | 1.200 (1.100-1.500) |"


def test_unknown_cases_and_a_missing_perf_are_explained(monkeypatch):
    for cases, message in (("nix", "the cases are momentum 100"), ("momentum 100", "linux-perf")):
        with pytest.raises(shell.Failure, match=message):
            fix_shares.command(types.SimpleNamespace(cases=cases, pairs=1))
        monkeypatch.setenv("PATH", "")


@pytest.mark.parametrize("name", [name for name, case in fix_cases.CASES.items() if case.system != "rhodo"])
def test_base_is_the_same_input_without_what_is_measured(name, monkeypatch, tmp_path):
    monkeypatch.setattr(fix_cases.kspace_cases, "water_data", lambda *_: tmp_path / "data.water")
    lammps = types.SimpleNamespace()
    case = fix_cases.CASES[name]
    whole, base = fix_cases.script(name, lammps), fix_cases.script(name, lammps, base=True)
    assert case.lines in whole and fix_cases.BASES[case.system] in base
    assert whole.replace(case.lines, fix_cases.BASES[case.system]) == base
