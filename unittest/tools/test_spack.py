# SPDX-License-Identifier: GPL-2.0-only
"""Recipes for Spack: a stand-in reads them, and CMake gets the options that they make."""

import datetime
import os
import re
from pathlib import Path

import pytest
import yaml
from spack_stand_in import Recipe, Spec
from tofulib import CHECKOUT, mpi, shell, style_index, system, version

pytestmark = pytest.mark.full

REPOSITORY = CHECKOUT / "packaging" / "spack" / "spack_repo" / "tofu"
NAMES = ("libtofu_rdma", "lammps_tofu_plugin")
UNUSED = "Manually-specified variables were not used"
LAMMPS = {"kspace": True, "molecule": True, "manybody": False, "rigid": True, "granular": False,
          "lammps_sizes": "smallbig", "fftw_precision": "double"}


def read(name, monkeypatch):
    """The recipe of that name."""
    return Recipe(REPOSITORY / "packages" / name / "package.py", monkeypatch)


@pytest.fixture(params=NAMES)
def recipe(request, monkeypatch):
    """Each recipe."""
    return read(request.param, monkeypatch)


@pytest.fixture
def library(monkeypatch):
    """The recipe of libtofu_rdma."""
    return read("libtofu_rdma", monkeypatch)


@pytest.fixture
def plugin(monkeypatch):
    """The recipe of the plug-in."""
    return read("lammps_tofu_plugin", monkeypatch)


def configure(recipe, words, folder):
    """Run CMake as Spack would; returns all that it says."""
    if mpi.find("openmpi") is None:
        pytest.skip("needs Open MPI")
    source = CHECKOUT / recipe.package.root_cmakelists_dir
    done = shell.attempt(["cmake", "-S", source, "-B", folder, "-G", "Ninja", *words])
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_repository_has_the_layout_that_spack_expects():
    settings = yaml.safe_load((REPOSITORY / "repo.yaml").read_text(encoding="utf-8"))["repo"]
    assert settings["namespace"] == REPOSITORY.name and re.fullmatch(r"v2\.\d+", settings["api"])
    assert {path.parent.name for path in REPOSITORY.glob("packages/*/package.py")} == set(NAMES)


def test_recipe_takes_this_checkout_in_its_version_and_license(recipe):
    assert recipe.package.git == CHECKOUT.as_uri()
    assert ((version.tofu_version(),), {"tag": f"v{version.tofu_version()}"}) in recipe.all("version")
    assert recipe.all("license") == [(("GPL-2.0-only",), {})]
    assert (CHECKOUT / recipe.package.root_cmakelists_dir / "CMakeLists.txt").is_file()
    oldest = ".".join(map(str, system.CMAKE_MINIMUM))
    assert ((f"cmake@{oldest}:",), {"type": "build"}) in recipe.all("depends_on")
    assert len(recipe.package.__doc__) > 50


def test_conditions_name_variants_that_exist(recipe):
    conditions = [keywords["when"] for _, _, keywords in recipe.directives if "when" in keywords]
    own = [re.match(r"[+~]?([\w-]+)", text).group(1) for text in conditions if not text.startswith("^")]
    assert own and set(own) <= set(recipe.defaults())


@pytest.mark.parametrize("changed, said, not_said", [
    ({}, ["Detecting Fortran compiler ABI info", "TOFU: libfabric is"], ["no libfabric"]),
    ({"fortran": False, "examples": True}, ["TOFU: libfabric is"], ["Fortran compiler"]),
    ({"libfabric": False, "fortran": False}, ["TOFU: no libfabric"], ["libfabric is"]),
])
def test_library_is_configured_as_the_variants_say(library, tmp_path, changed, said, not_said):
    args = library.package(Spec({**library.defaults(), **changed})).cmake_args()
    text = configure(library, args, tmp_path)
    assert UNUSED not in text
    assert [words for words in said if words not in text] == [words for words in not_said if words in text] == []
    examples = "examples" in (tmp_path / "build.ninja").read_text(encoding="utf-8")
    assert examples == {**library.defaults(), **changed}["examples"]


def test_an_option_that_the_library_does_not_read_is_noticed(library, tmp_path):
    text = configure(library, ["-DTOFU_RDMA_FORTRAN:BOOL=OFF", "-DTOFU_RDMA_FORTAN:BOOL=OFF"], tmp_path)
    assert UNUSED in text and "TOFU_RDMA_FORTAN" in text


def options_read():
    """Variables that the build of the plug-in reads, and those of CMake."""
    text = "".join((CHECKOUT / path).read_text(encoding="utf-8")
                   for path in ("cmake/plugin/CMakeLists.txt", "src/TOFU/dependencies.cmake"))
    return {name for words in re.findall(r"\$\{(\w+)\}|(?:option|set|find_library|find_path)\((\w+)", text)
            for name in words if name.startswith(("LAMMPS_", "TOFU_", "CMAKE_"))}


def plugin_args(plugin, source, lammps, **changed):
    """Options of the plug-in for a LAMMPS with these variants."""
    spec = Spec({**plugin.defaults(), **changed}, lammps=Spec({**LAMMPS, **lammps}))
    return dict(re.fullmatch(r"-D(\w+):\w+=(.*)", word).groups()
                for word in plugin.package(spec, source).cmake_args())


@pytest.mark.parametrize("lammps, changed, expected", [
    ({}, {}, {"LAMMPS_PACKAGES": "KSPACE;MOLECULE;RIGID", "LAMMPS_SIZES": "smallbig", "LAMMPS_FFT_SINGLE": "OFF"}),
    ({"lammps_sizes": "bigbig", "granular": True, "manybody": True}, {},
     {"LAMMPS_PACKAGES": "GRANULAR;KSPACE;MANYBODY;MOLECULE;RIGID", "LAMMPS_SIZES": "bigbig"}),
    ({"fftw_precision": "single"}, {"libfabric": False, "hwloc": False},
     {"LAMMPS_FFT_SINGLE": "ON", "TOFU_OFI_LIBRARY": "OFF", "TOFU_HWLOC_LIBRARY": "OFF"}),
])
def test_plugin_gets_the_settings_of_its_lammps(plugin, lammps, changed, expected):
    args = plugin_args(plugin, "/stage", lammps, **changed)
    assert {name: args[name] for name in expected} == expected
    assert args["LAMMPS_SOURCE_DIR"] == "/stage/lammps-source/src"
    known = options_read()
    assert {"LAMMPS_SOURCE_DIR", "LAMMPS_FFT_SINGLE", "TOFU_OFI_LIBRARY"} <= known
    assert set(args) <= known
    assert ("TOFU_OFI_LIBRARY" in args) == ("libfabric" in changed)


def lammps_tree():
    """The source tree of LAMMPS that the tests use."""
    if "TOFU_LAMMPS_DIR" not in os.environ:
        pytest.skip("TOFU_LAMMPS_DIR is not set; 'tools/tofu test' sets it")
    return Path(os.environ["TOFU_LAMMPS_DIR"])


@pytest.mark.parametrize("changed", [{}, {"libfabric": False, "hwloc": False}],
                         ids=["default", "without"])
def test_plugin_is_configured_with_sources_where_spack_places_them(plugin, tmp_path, changed):
    (tmp_path / "lammps-source").symlink_to(lammps_tree())
    args = plugin_args(plugin, tmp_path, {}, **changed)
    text = configure(plugin, [f"-D{name}={value}" for name, value in args.items()], tmp_path / "build")
    assert UNUSED not in text
    for name in ("libfabric", "hwloc"):
        assert (f"TOFU: no {name}" in text) == (name in changed)
    installed = (tmp_path / "build" / "cmake_install.cmake").read_text(encoding="utf-8")
    assert '"${CMAKE_INSTALL_PREFIX}/lib/lammps/plugins"' in installed


def test_plugin_is_found_by_lammps(plugin):
    class Environment(dict):
        def prepend_path(self, name, path):
            self[name] = path
    env = Environment()
    plugin.package(Spec({}), prefix="/prefix").setup_run_environment(env)
    assert env == {"LAMMPS_PLUGIN_PATH": "/prefix/lib/lammps/plugins"}


def test_plugin_knows_all_packages_with_variants(plugin):
    source = lammps_tree() / "src"
    bases = style_index.stock_headers()
    assert len(bases) > 150
    folders = {path.parent.name.lower() for base in bases for path in source.glob(f"*/{base}")}
    assert set(plugin.module.PACKAGES) == folders


def test_each_release_has_its_sources_and_its_lammps(plugin):
    releases = plugin.module.LAMMPS
    resources = {keywords["when"]: keywords for _, keywords in plugin.all("resource")}
    depends = {keywords.get("when"): args[0] for args, keywords in plugin.all("depends_on")}
    values = next(keywords["values"] for args, keywords in plugin.all("variant") if args[0] == "lammps_release")
    assert tuple(values) == tuple(releases) and plugin.defaults()["lammps_release"] in releases
    for release, (tag, sha256) in releases.items():
        when = f"lammps_release={release}"
        assert depends[when] == f"lammps@={release}"
        assert resources[when]["url"].endswith(f"/{tag}.tar.gz") and resources[when]["sha256"] == sha256
        assert resources[when]["placement"] == "lammps-source" and re.fullmatch("[0-9a-f]{64}", sha256)
        date = datetime.datetime.strptime(re.search(r"_(\d+[A-Z][a-z]+\d{4})", tag).group(1), "%d%b%Y")
        assert release.split(".")[0] == date.strftime("%Y%m%d")
    assert ["lammps+plugin+mpi"] == [args[0] for args, _ in plugin.all("depends_on") if args[0].startswith("lammps+")]
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    oldest, newest = re.search(r"Releases from (\w+) to (\w+) are tested", readme).groups()
    assert [tag.split("_")[1] for tag, _ in releases.values()][::len(releases) - 1] == [oldest, newest]
