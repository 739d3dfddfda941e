# SPDX-License-Identifier: GPL-2.0-only
"""The log says which styles have a variant, how messages travel, and which vector instructions the kernels use."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from charged_systems import SALT, SLAB, WATER
from lammps_output import read_statistics
from lammps_run import BRICK, SHM, Installation, Variant, run_script, threadpool
from manybody_systems import METAL as METALS_OF_ADP
from manybody_systems import SILICON, VASHISHTA, compound
from small_systems import CHAINS, GRAINS, LJ

CHECKOUT = Path(__file__).parents[2]


def lines(output: str, begin: str):
    """Ends of the lines with this beginning."""
    return re.findall(rf"^{begin}(.*)$", output, re.MULTILINE)


def test_styles_with_a_variant_and_without_are_listed(installation, tmp_path):
    script = f"{LJ}fix held all lineforce 1.0 1.0 1.0\nfix calm all momentum 5 linear 1 1 1\nrun 5\nrun 5\n"
    output = run_script(installation, script, 2, tmp_path, variant=threadpool(1, "p2p/rdma")).expect_success().output
    assert lines(output, "TOFU threadpool: variants of ") == ["pair lj/cut; fix nve"]
    assert lines(output, "TOFU threadpool: LAMMPS' own styles, one thread per rank, for ") == ["fix lineforce"]


def test_styles_in_a_hybrid_one_are_listed(installation, tmp_path):
    script = (f"{LJ}pair_style hybrid/overlay lj/cut 2.5 beck 2.5\npair_coeff * * lj/cut 1 1\n"
              "pair_coeff * * beck 0.5 0.2 0.8 2.0 0.1\nrun 5\n")
    output = run_script(installation, script, 2, tmp_path, variant=threadpool(1)).expect_success().output
    assert lines(output, "TOFU threadpool: variants of ") == ["pair lj/cut; fix nve"]
    assert lines(output, "TOFU threadpool: LAMMPS' own styles, one thread per rank, for ") == ["pair beck"]


def test_the_list_is_told_again_when_it_changes(installation, tmp_path):
    script = (f"{LJ}run 1\nfix held all lineforce 1.0 1.0 1.0\nrun 1\n"
              "suffix off\npair_style lj/cut 2.5\npair_coeff * * 1 1\nrun 1\n")
    output = run_script(installation, script, 1, tmp_path, variant=threadpool(2)).expect_success().output
    assert lines(output, "TOFU threadpool: variants of ") == ["pair lj/cut; fix nve", "pair lj/cut; fix nve", "fix nve"]
    own = lines(output, "TOFU threadpool: LAMMPS' own styles, one thread per rank, for ")
    assert own == ["fix lineforce", "pair lj/cut; fix lineforce"]


OWN = "TOFU threadpool: LAMMPS' own styles, one thread per rank, for "


def report(installation, folder, script: str, variant: Variant, ranks: int = 1):
    """The variants, and LAMMPS' own styles, of a script."""
    output = run_script(installation, script, ranks, folder, variant=variant).expect_success().output
    return [(*lines(output, begin), "")[0] for begin in ("TOFU threadpool: variants of ", OWN)], output


def test_the_report_knows_a_variant_by_its_object_and_not_by_its_name(installation, tmp_path):
    """Fixes wall/gran and shake have the names of LAMMPS' own, and no time of LAMMPS' own styles is told."""
    for system, variants in ((GRAINS, "pair gran/hooke/history; fix gravity, wall/gran, nve/sphere"),
                             (WATER.format(kspace="kspace_style pppm 1e-4"),
                              "pair lj/cut/coul/long; bond harmonic; angle harmonic; kspace pppm; fix nve, shake")):
        found, output = report(installation, tmp_path, f"{system}run 100\n", threadpool(2))
        assert found == [variants, ""]
        assert "sections with LAMMPS' own styles" not in output


def test_sub_styles_of_bonds_are_listed_one_by_one(installation, tmp_path):
    script = CHAINS.replace("bond/types 1", "bond/types 2").replace(
        "bond_style fene\nbond_coeff 1",
        "bond_style hybrid fene harmonic/shift\nbond_coeff 2 harmonic/shift 10 1.0 1.5\nbond_coeff 1 fene")
    found, _ = report(installation, tmp_path, f"{script}run 1\n", threadpool(1))
    assert found == ["pair lj/cut; bond fene; fix nve", "bond harmonic/shift"]


LEFT_TO_LAMMPS = {
    "sw threebody off": (SILICON.replace("pair_style sw", "pair_style sw threebody off"), "pair sw (threebody off)"),
    "sw": (SILICON, ""),
    "vashishta": (compound(VASHISHTA.format("{file} A B"), 5.87),
                  "pair vashishta (elements in reverse order have another two-body term)"),
    "grains that are rigid": (f"{GRAINS}set group all mol 1\n".replace("atom_style sphere",
                                                                      "atom_style hybrid sphere molecular"),
                              "pair gran/hooke/history (atoms with bonds)"),
    "langevin": (LJ.replace("fix integrate", "fix heat all langevin 1 1 1 4711 gjf vhalf\nfix integrate"),
                 "fix langevin (gjf)"),
    "addforce": (f"{LJ}variable f atom x\nfix push all addforce v_f 0 0\n",
                 "fix addforce (forces that depend on the atom)"),
    "dpd": (LJ.replace("atom_modify map array", "atom_modify id no").replace("loop geom", "loop local").replace(
        "pair_style lj/cut 2.5\npair_coeff * * 1.0 1.0 2.5\npair_coeff 2 2 0.8 0.9 2.0",
        "comm_modify vel yes\npair_style dpd 1.0 2.0 4711\npair_coeff * * 25.0 4.5"), "pair dpd (atoms without ids)"),
    "adp": (METALS_OF_ADP.replace("1.0 bin", "1.0 multi") + "comm_modify mode multi reduce/multi\n",
            "pair adp (comm_modify reduce/multi needs half lists)"),
    "pppm": (SLAB.format(kspace="kspace_style pppm 1e-4\nkspace_modify slab 3.0 diff ad"),
             "kspace pppm (with slab and diff ad its forces along z are others)"),
    "setforce": (f"{LJ}variable f atom x\nfix push all setforce v_f 0 0\n",
                 "fix setforce (forces that depend on the atom)"),
}


@pytest.mark.parametrize("name", LEFT_TO_LAMMPS)
def test_what_a_variant_leaves_to_lammps_is_told_with_the_reason(installation, tmp_path, name):
    system, own = LEFT_TO_LAMMPS[name]
    (tmp_path / "asymmetric").write_text(asymmetric(installation.lammps_dir / "potentials" / "InP.vashishta"))
    found, _ = report(installation, tmp_path, f"{system.replace('{file}', 'asymmetric')}run 1\n", threadpool(2))
    assert found[1] == own and own.split(" (")[0] not in found[0].split("; ") and found[0]


def asymmetric(potential: Path) -> str:
    """The potential with elements A and B, and another two-body term from the second to the first."""
    text = re.sub(r"\bIn\b", "A", re.sub(r"\bP\b", "B", potential.read_text()))
    return re.sub(r"^(B +A +A +)([\d.]+)", lambda found: f"{found[1]}{1.01 * float(found[2])}", text, flags=re.M)


@pytest.mark.parametrize("system, single", [
    (LJ, "pair lj/cut"), (GRAINS, None), (LJ.replace("units lj", "units lj\nsuffix off"), None),
    (WATER.format(kspace="kspace_style pppm 1e-4"), "pair lj/cut/coul/long; kspace pppm")])
def test_what_computes_in_single_precision_is_told(installation, tmp_path, system, single):
    variant = replace(threadpool(1), package=("precision", "mixed"))
    _, output = report(installation, tmp_path, f"{system}suffix on\nfix keep all addforce 0 0 0\nrun 1\n", variant)
    assert lines(output, "TOFU threadpool: in single precision: ") == ([single] if single else [])
    assert ("TOFU threadpool: precision mixed has no effect here" in output) == (single is None)
    assert "single precision" not in report(installation, tmp_path, f"{system}run 1\n", threadpool(1))[1]


# what the input overrides

GIVEN = f"{SHM.style} stats full"
"""Words of the command line, which the log repeats as they are."""

OVERRIDDEN = {
    "comm_style tiled": (f"comm_style tiled\n{LJ}balance 1.0 rcb\n", "TOFU p2p/rdma: 'comm_style tiled' in the input "
                         f"overrides 'comm {GIVEN}' of the command line: write 'comm_style p2p/rdma layout tiled' in "
                         "its place to have both"),
    "comm_style brick": (f"{LJ}comm_style brick\n", "TOFU p2p/rdma: 'comm_style brick' in the input overrides 'comm "
                         f"{GIVEN}' of the command line: take that line out of the input to have p2p/rdma"),
    "suffix off": (LJ.replace("pair_style", "suffix off\npair_style"), "TOFU threadpool: not the variants of pair "
                   "lj/cut; fix nve, since 'suffix off' in the input overrides '-sf threadpool': take that out of the "
                   "input to have them"),
    "suffix omp": (LJ.replace("fix integrate", "suffix omp\nfix integrate"), "TOFU threadpool: not the variants of fix "
                   "nve/omp, since 'suffix omp' in the input overrides '-sf threadpool': take that out of the input to "
                   "have them"),
    "package threadpool": (f"package threadpool 2\n{LJ}", "TOFU: 'package threadpool 2' in the input overrides '-pk "
                           "threadpool 1 overlap always' of the command line: take that line out of the input to have "
                           "the latter"),
    "nothing": (f"{LJ}run 1\nclear\n{LJ}comm_modify cutoff 3.5\n", None),
}


@pytest.mark.parametrize("name", OVERRIDDEN)
def test_a_line_of_the_input_that_overrides_the_command_line_is_named_with_the_remedy(installation, tmp_path, name):
    """The end of the run does not advise what is given."""
    script, told = OVERRIDDEN[name]
    output = run_script(installation, f"{script}run 100\n", 2, tmp_path, variant=threadpool(1, "p2p/rdma")) \
        .expect_success().output
    assert [line for line in output.splitlines() if "overrides" in line] == ([told] if told else [])
    advised = " ".join(lines(output, "TOFU advice: "))
    assert not re.search("p2p[_/]rdma", re.sub("balance ring 10 1.05 comm p2p[_/]rdma", "", advised))
    assert "-sf" not in advised


@pytest.mark.parametrize("more, told", [("", 1), ("run_style verlet\n", 0), ("run_style respa 1\n", 0)],
                         ids=["suffix in the input", "run_style behind it", "rRESPA"])
def test_a_step_loop_that_is_lammps_own_is_told(installation, tmp_path, more, told):
    script = f"package threadpool 1\nsuffix threadpool\n{LJ}{more}minimize 0 0 1 1\nrun 1\n"
    output = run_script(installation, script, 2, tmp_path).expect_success().output
    assert len(lines(output, "TOFU threadpool: the step loop is LAMMPS' own")) == told


def test_the_share_of_the_time_that_styles_on_one_thread_take_is_told(installation, tmp_path):
    share = "TOFU threadpool: sections with LAMMPS' own styles took "
    own = f"{LJ}fix held all lineforce 1.0 1.0 1.0\npair_style beck 2.5\npair_coeff * * 20.0 0.2 0.8 2.0 0.1\n"
    for script, parts, sections in ((f"{own}run 100\n", 2, ["Pair", "Modify"]), (f"{own}run 100\n", 1, None),
                                    (f"{own}run 99\n", 2, None), (f"{LJ}run 100\n", 2, None),
                                    (f"timer off\n{own}run 100\n", 2, None)):
        output = run_script(installation, script, 2, tmp_path, variant=threadpool(parts)).expect_success().output
        found = lines(output, share)
        if not sections:
            assert found == []
            continue
        total, _, parts_of_it = found[0].partition(" % of the time: ")
        named = re.findall(r"(\w+) (\d+) %", parts_of_it)
        assert [name for name, _ in named] == sections
        assert 0 <= int(total) <= 100 and abs(int(total) - sum(int(one) for _, one in named)) <= 1


def test_bonded_styles_are_listed(installation, tmp_path):
    output = run_script(installation, f"{CHAINS}run 1\n", 1, tmp_path, variant=threadpool(1)).expect_success().output
    (found,) = lines(output, "TOFU threadpool: variants of ")
    assert found.startswith("pair lj/cut; bond fene")


def test_the_instruction_set_is_told(installation, tmp_path):
    output = run_script(installation, f"{LJ}run 1\n", 1, tmp_path, variant=threadpool(1)).expect_success().output
    (found,) = lines(output, "TOFU threadpool: work is cut into 1 part, 1 thread per rank, ")
    assert re.fullmatch("AVX-512|AVX2|SSE[24]|NEON|SVE", found)


def test_the_version_is_told_once(installation, tmp_path):
    """By the first of the styles that says something, also after a `clear`."""
    version = re.search(r'TOFU_VERSION "(.*)"', (CHECKOUT / "src/TOFU/base/tofu_version.h").read_text())[1]
    for variant in (SHM, threadpool(1), threadpool(2, "p2p/rdma")):
        script = f"{LJ}run 1\nrun 1\nclear\n{variant.command if variant is SHM else ''}\n{LJ}run 1\n"
        output = run_script(installation, script, 2, tmp_path, variant=variant).expect_success().output
        assert lines(output, "TOFU version ") == [version]
        assert output.index("TOFU version") == output.index("TOFU ")


def test_processors_of_the_threads_are_told(installation, tmp_path):
    """Where each thread gets a processor of its own: on one rank, with two processors or more."""
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one processor")
    for pin in ("yes", "no"):
        variant = Variant("pin", "brick", environment=(("TOFU_TEST", "pin"),), parts=2, package=("pin", pin))
        output = run_script(installation, f"{LJ}run 1\n", 1, tmp_path, variant=variant).expect_success().output
        (told,) = lines(output, "TOFU threadpool: threads ")
        found = re.fullmatch(r"of rank 0 are bound to processors (\d+), (\d+)(?: of NUMA domains? [\d, ]+)?", told)
        if pin == "yes":
            assert found and {int(found[1]), int(found[2])} <= os.sched_getaffinity(0)
        else:
            assert told == "are not bound to processors"


@pytest.mark.parametrize("suffix", ("", "_NEWEST"))
def test_info_comm_names_the_communication_style(tmp_path, suffix):
    if f"TOFU_LMP{suffix}" not in os.environ:
        pytest.skip(f"TOFU_LMP{suffix} not set: that LAMMPS was not built")
    installation = Installation.from_environment(suffix)
    styles = ("brick", "p2p/rdma", "brick", "tiled", "p2p_rdma", "tiled", "p2p/rdma layout tiled", "tiled", "brick")
    script = "".join(f"comm_style {style}\ninfo comm\n" for style in styles)
    output = run_script(installation, script, 1, tmp_path).expect_success().output
    assert re.findall(r"^Comm style = (\S+),", output, re.MULTILINE) == [
        style.split()[0].replace("_", "/") for style in styles]


def test_the_way_of_messages_is_told(installation, tmp_path):
    for variant, expected in ((SHM, "shared memory (up to 3 peers of a rank)"),
                              (Variant("mpi", keywords=("transport", "mpi")), "MPI (up to 3 peers of a rank)")):
        output = run_script(installation, f"{LJ}run 5\nrun 5\n", 4, tmp_path, variant=variant).expect_success().output
        assert lines(output, "TOFU p2p/rdma: messages by ") == [expected]
    output = run_script(installation, f"{LJ}run 5\n", 4, tmp_path, variant=SHM,
                        environment={"TOFU_NODE_SIZE": "2"}).expect_success().output
    assert lines(output, "TOFU p2p/rdma: messages by ") == [
        "shared memory (up to 1 peer of a rank), libfabric (up to 2 peers of a rank)"]


def test_statistics_are_brief_unless_all_are_wanted(installation, tmp_path):
    for words, least, most in (("", 3, 6), (" stats brief", 3, 6), (" stats full", 25, 60)):
        script = f"comm_style p2p/rdma{words}\n{LJ}run 5\n"
        output = run_script(installation, script, 4, tmp_path, variant=BRICK).expect_success().output
        (found,) = read_statistics(output)
        assert least <= len(found) <= most and found["peers by shared memory"] == (3.0, 3.0)
        assert ("peers by MPI" in found) == ("settings: " in output) == (words == " stats full")
        assert found["seconds waiting"][1] >= found["seconds waiting"][0] >= 0.0


# advice after a run

UNEVEN = LJ.replace("block 0 5 0 5 0 5", "block 0 10 0 10 0 10").replace(
    "create_atoms 1 box", "region left block INF 2.4 INF INF INF INF\ncreate_atoms 1 region left").replace(
    "2.5", "7.0").replace("every 2", "every 50")
"""All atoms belong to the first of two ranks, and nearly all time is spent in their pairs, however busy the machine
is."""


def advice(installation, folder, script: str, variant: Variant):
    """Advice of a run on two ranks."""
    job = run_script(installation, f"processors 2 1 1\n{script}", 2, folder, variant=variant).expect_success()
    return lines(job.output, "TOFU advice: ")


def test_uneven_work_is_noticed_with_the_words_to_type(installation, tmp_path):
    (found,) = [line for line in advice(installation, tmp_path, f"{UNEVEN}run 100\n", SHM) if "ranks wait" in line]
    begin, _, words = found.partition(": ")
    assert re.fullmatch(r"ranks wait \d+ % of the time for the one with most work in Pair", begin)
    assert words == "fix even all ring/balance 10 1.05"
    found = advice(installation, tmp_path, f"{UNEVEN}{words}\nrun 100\n", SHM)
    assert not any("ranks wait" in line for line in found), found


def test_uneven_work_of_the_suffix_is_shared_by_words_of_the_command_line(installation, tmp_path):
    suffix = threadpool(2, "p2p/rdma")
    found = [line for line in advice(installation, tmp_path, f"{UNEVEN}run 100\n", suffix) if "ranks wait" in line]
    _, _, words = found[0].partition(": ")
    assert words == f"-pk threadpool 2 balance ring 10 1.05 comm {GIVEN}"
    shared = replace(suffix, package=tuple(words.split()[3:-4]))
    found = advice(installation, tmp_path, f"{UNEVEN}run 100\n", shared)
    assert not any("ranks wait" in line for line in found), found


def test_a_pair_style_that_has_a_variant_is_named(installation, tmp_path):
    found = advice(installation, tmp_path, f"{LJ}run 100\n", SHM)
    assert "pair style lj/cut has a faster variant: -sf threadpool -pk threadpool 1" in found


def test_a_short_run_gets_no_advice(installation, tmp_path):
    assert not advice(installation, tmp_path, f"{UNEVEN}run 99\n", SHM)


def test_long_range_forces_on_one_thread_are_noticed(installation, tmp_path):
    system = SALT.replace("{kspace}", "kspace_style pppm 1e-6\nkspace_modify mesh 60 60 60")
    found = advice(installation, tmp_path, f"{system}run 100\n", SHM)
    assert any(re.fullmatch(r"\d+ % of the time is Kspace: kspace_style pppm/offload", line) for line in found), found
    found = advice(installation, tmp_path, f"{system}run 100\n", threadpool(1, "p2p/rdma"))
    assert not any("Kspace" in line for line in found), found
