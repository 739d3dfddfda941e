# SPDX-License-Identifier: GPL-2.0-only
"""What an input needs of LAMMPS is read before anything is compiled: its packages, styles that do not exist."""

import importlib.machinery
import importlib.util
import os
from pathlib import Path

import pytest
from tofulib import CHECKOUT, build, input_needs, input_styles, lammps_packages, run, shell, source, style_index

LOADER = importlib.machinery.SourceFileLoader("tofu_command", str(CHECKOUT / "tools" / "tofu"))
tofu_command = importlib.util.module_from_spec(importlib.util.spec_from_loader("tofu_command", LOADER))
LOADER.exec_module(tofu_command)

#: Headers of a small source tree: folder and name -> styles; the presets and modules that the tools read.
HEADERS = {"pair_lj_cut": ["PairStyle(lj/cut,PairLJCut)"], "pair_hybrid": ["PairStyle(hybrid,PairHybrid)"],
           "KSPACE/pair_lj_cut_coul_long": ["PairStyle(lj/cut/coul/long,PairLJCutCoulLong)"],
           "KSPACE/pair_born_coul_long": ["PairStyle(born/coul/long,PairBorn)"],
           "CORESHELL/pair_born_coul_long_cs": ["PairStyle(born/coul/long/cs,PairBornCS)"],
           "KSPACE/pppm": ["KSpaceStyle(pppm,PPPM)"], "MANYBODY/pair_airebo": ["PairStyle(airebo,PairAIREBO)"],
           "MANYBODY/pair_eam_alloy": ["PairStyle(eam/alloy,PairEAMAlloy)"],
           "REAXFF/pair_reaxff": ["PairStyle(reaxff,PairReaxFF)"],
           "REAXFF/fix_qeq_reaxff": ["FixStyle(qeq/reaxff,FixQEqReaxFF)", "FixStyle(qeq/reax,FixQEqReaxFF)"],
           "PHONON/fix_phonon": ["FixStyle(phonon,FixPhonon)"],
           "PHONON/third_order": ["CommandStyle(third_order,ThirdOrder)"],
           "DRUDE/fix_drude": ["FixStyle(drude/direct,FixDrude<false>);"],
           "MOLECULE/bond_harmonic": ["BondStyle(harmonic,BondHarmonic)"],
           "MOLECULE/atom_vec_full": ["AtomStyle(full,AtomVecFull)"], "fix_nve": ["FixStyle(nve,FixNVE)"],
           "VORONOI/compute_voronoi": ["ComputeStyle(voronoi/atom,ComputeVoronoi)"],
           "atom_vec_hybrid": ["AtomStyle(hybrid,AtomVecHybrid)"],
           "atom_vec_atomic": ["AtomStyle(atomic,AtomVecAtomic)"],
           "OPENMP/pair_lj_cut_omp": ["PairStyle(lj/cut/omp,PairLJCutOMP)"],
           "INTEL/verlet_lrt": ["IntegrateStyle(verlet/lrt/intel,VerletLRTIntel)"],
           "STUBS/pair_nix": ["PairStyle(stub,Nix)"]}
PHONON = """if(NOT PKG_KSPACE)
  list(REMOVE_ITEM LAMMPS_FIX_HEADERS ${LAMMPS_SOURCE_DIR}/PHONON/fix_phonon.h)
endif()
"""


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A source tree with a few styles, on a machine without libraries for packages."""
    monkeypatch.setattr(lammps_packages.system, "has_header", lambda header: lambda: False)
    monkeypatch.delenv("LAMMPS_PLUGIN_PATH", raising=False)
    top = tmp_path / "lammps"
    for name, styles in HEADERS.items():
        header = top / "src" / f"{name}.h"
        header.parent.mkdir(parents=True, exist_ok=True)
        header.write_text("#ifdef X_CLASS\n// clang-format off\n" + "\n".join(styles) + "\n#else\n", encoding="utf-8")
    modules = top / "cmake" / "Modules" / "Packages"
    modules.mkdir(parents=True)
    (modules / "PHONON.cmake").write_text(PHONON, encoding="utf-8")
    (modules / "VORONOI.cmake").touch()
    (top / "cmake" / "presets").mkdir()
    (top / "cmake/presets/most.cmake").write_text("set(ALL_PACKAGES\n  MEAM\n  PHONON\n  VORONOI)\n", encoding="utf-8")
    (top / "cmake/CMakeLists.txt").touch()
    return source.Source(top, "4Feb2025", True)


@pytest.fixture
def needs(tree, tmp_path):
    """Function that tells the packages of an input; more files of its folder may be given."""
    def packages_of(text, words=(), more=(), **files):
        for name, content in {"in_x": text, **files}.items():
            (tmp_path / name.replace("_", ".")).write_text(content, encoding="utf-8")
        return sorted(input_needs.packages_of(tree, tmp_path / "in.x", words, more))
    return packages_of


@pytest.mark.parametrize("text, packages", [
    ("pair_style lj/cut 2.5\nfix 1 all nve\nregion box delete\nkspace_style none\n", []),
    ("pair_style lj/cut/coul/long 10 # airebo\nkspace_style pppm 1e-4", ["KSPACE"]),
    ("pair_style lj/cut/coul/long/omp 10\nkspace_style pppm/offload 1e-4", ["KSPACE"]),
    ("pair_style born/coul/long/cs 10", ["CORESHELL", "KSPACE"]),
    ("fix 1 all &\n  phonon 1", ["KSPACE", "PHONON"]), ("third_order all", ["PHONON"]),
    ("fix 1 all drude/direct", ["DRUDE"]), ("run_style verlet/lrt/intel", []),
    ("pair_style hybrid lj/cut 2.5 eam/alloy", ["MANYBODY"]), ("atom_style hybrid full atomic", ["MOLECULE"]),
    ("variable p string airebo\npair_style ${p} 3.0", ["MANYBODY"]),
    ("variable p index lj/cut airebo\npair_style $p 3.0", ["MANYBODY"]),
    ("variable a string eam\nvariable b string ${a}/alloy\npair_style ${b}", ["MANYBODY"]),
    ('if "${x} == 1" then "pair_style airebo 3.0" else &\n "bond_style harmonic"', ["MANYBODY", "MOLECULE"]),
    ('run 100 every 10 "fix 2 all qeq/reaxff 1" "print \'fix 1 all nix\'"', ["REAXFF"]),
    ('print "fix 1 all nix"\nprint """\nfix 1 all nix\n"""\nfix 1 all nve', []),
    ("pair_style deepmd graph.pb", [lammps_packages.DEEP]),
    ("fix 1 all dplr/threadpool model x", [lammps_packages.DEEP]),
    ("comm_style p2p/rdma\nfix 1 all ring_balance 10 1.05", []),
    ("write_restart a.restart\nclear\nread_restart a.restart", []),
])
def test_packages_are_those_of_the_styles(needs, text, packages):
    assert needs(text) == packages


def test_included_files_and_the_command_line_and_data_files_count(needs):
    text = "include ${p}.settings\nread_data data.x\njump SELF end"
    found = needs(text, ["-nc", "-v", "p", "ff", "-var", "n", "1", "2"], ff_settings="include more.ff\njump in.x begin",
                  more_ff="", data_x="LAMMPS\n\nBond Coeffs # harmonic\n\n1 2.0 3.0\n\nAtoms # nix\n")
    assert found == ["MOLECULE"]    # no style is called nix
    assert needs("include ff.settings", ff_settings="pair_style airebo 3") == ["MANYBODY"]
    assert needs("variable p string reaxff\npair_style $p", ["-v", "p", "lj/cut"]) == []    # LAMMPS keeps this one


@pytest.mark.parametrize("text, files", [
    ("pair_style ${p} 2.5\nfix 1 all qeq/reaxff", {}),
    ("variable p equal step\nfix 1 all $p\nfix 2 all qeq/reaxff", {}),
    ("include nix\nfix 1 all qeq/reaxff", {}), ("read_restart old.restart\nfix 1 all qeq/reaxff", {"old_restart": "x"}),
    ("pair_style hybrid ${p} lj/cut\nfix 1 all qeq/reaxff", {})])
def test_an_input_that_cannot_be_read_gets_the_full_set(needs, capsys, text, files):
    assert set(needs(text, **files)) == lammps_packages.full() | {"REAXFF"}
    assert capsys.readouterr().out.count("cannot read which styles in.x needs (in.x, line ") == 1


@pytest.mark.parametrize("text, message", [
    ("units lj\npair_style lj/cutt 2.5",
     r"in\.x, line 2: LAMMPS 4Feb2025 has no pair_style lj/cutt\. Did you mean lj/cut"),
    ("fix 1 all nvee", "has no fix nvee. Did you mean nve"),
    ("pair_style hybrid airbo 3", "no pair_style airbo.*airebo"), ("pair_style stub", "no pair_style stub"),
    ("compute 1 all voronoi/atom", "VORONOI.*--packages VORONOI.*--lmp"),
    ("pair_style lj/cut/gpu 2.5", "lj/cut/gpu needs the package GPU"),
    ("suffix kk", "line 1: kk needs the package KOKKOS"),
    ("package gpu 1", "needs the package GPU, which tools/tofu does not build"),
])
def test_what_cannot_run_ends_before_anything_is_compiled(needs, text, message):
    with pytest.raises(shell.Failure, match=message):
        needs(text)


def test_what_the_user_has_chosen_and_plug_ins_are_not_refused(needs):
    assert needs("compute 1 all voronoi/atom", more=["VORONOI"]) == ["VORONOI"]
    assert needs("plugin load nixplugin.so\npair_style nix 1.0") == []


def test_styles_without_a_variant_are_told_with_what_can_be_gained(tmp_path):
    script = tmp_path / "in.x"
    script.write_text("pair_style hybrid airebo lj/cut 2.5\nfix 1 all nvt temp 1 1 1\nkspace_style pppm 1e-4\n",
                      encoding="utf-8")
    (line,) = input_needs.notices(script)
    assert line.startswith("pair_style airebo has no variant") and "lj/cut" not in line
    assert "p2p/rdma), fix nvt, kspace_style pppm. tools/tofu tune in.x" in line
    script.write_text("pair_style beck 8.0\n", encoding="utf-8")
    assert "fix ring/balance, where ranks have unequal work, for beck" in input_needs.notices(script)[0]
    for text in ("pair_style lj/cut 2.5", "pair_style eam/alloy/omp", "pair_style deepmd x.pb", "pair_style none"):
        script.write_text(text, encoding="utf-8")
        assert input_needs.notices(script) == []


def test_lines_of_an_input():
    text = 'a 1 & # no\n  2 "x # y" # z\n\nb """c\n# d""" e\n'
    found = list(input_styles.logical_lines(text))
    assert [number for number, _line in found] == [1, 3, 4]
    assert [word for word, _ in input_styles.words_of(found[0][1])] == ["a", "1", "2", "x # y"]
    assert [word for word, _ in input_styles.words_of(found[2][1])] == ["b", "c\n# d", "e"]


def test_run_builds_what_the_input_needs_and_the_benchmark_needs_nothing_more(tree, tmp_path, monkeypatch):
    asked = []

    def fake(*_words, packages, needs):
        asked.append((packages, sorted(needs)))
        raise shell.Failure("enough")
    monkeypatch.setattr(source, "get", lambda *_words: tree)
    monkeypatch.setattr(build, "build", fake)
    (tree.path / "bench").mkdir()
    (tree.path / "bench" / "in.rhodo").write_text("kspace_style pppm 1e-4\n", encoding="utf-8")
    (tmp_path / "in.x").write_text("pair_style ${p} 3\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for words in (["run"], ["run", "in.rhodo"], ["run", "--packages", "reaxff", "in.x", "-v", "p", "airebo"],
                  ["tune", "in.x", "-v", "p", "airebo"],
                  ["predict", "--machine", "hdr", "--nodes", "1", "in.x", "-v", "p", "airebo"]):
        options = tofu_command.parse(words)
        with pytest.raises(shell.Failure, match="enough"):
            options.command(options)
    assert asked == [("", []), ("", ["KSPACE"]), ("reaxff", ["MANYBODY"]), ("", ["MANYBODY"]), ("", ["MANYBODY"])]


@pytest.mark.skipif("TOFU_LAMMPS_DIR" not in os.environ, reason="TOFU_LAMMPS_DIR is not set; 'tools/tofu test' sets it")
def test_benchmarks_and_examples_of_lammps_are_read():
    """Nearly all of its examples; the one that is refused has a command of older releases."""
    path = Path(os.environ["TOFU_LAMMPS_DIR"])
    tree = source.Source(path, source.release_of(path), True)
    expected = {"in.lj": [], "in.eam": ["MANYBODY"], "in.chain": ["MOLECULE"], "in.chute": ["GRANULAR"],
                "in.rhodo": ["KSPACE", "MOLECULE", "RIGID"]}
    assert set(expected) == set(run.BENCHMARKS)
    for name, packages in expected.items():
        assert sorted(input_needs.packages_of(tree, path / "bench" / name)) == packages
    index = style_index.StyleIndex(path)
    readers = {script: input_styles.Reader(script) for script in sorted((path / "examples").rglob("in.*"))[::7]}
    unclear = [script.name for script, found in readers.items() if found.unclear]
    unknown = [(script.name, name) for script, found in readers.items() for kind, name in found.styles
               if not index.has(kind, name)]
    assert len(readers) > 80 or not readers    # Debian's tree has them, others need not
    assert len(unclear) <= len(readers) // 50 and len(unknown) <= len(readers) // 50, (unclear, unknown)
