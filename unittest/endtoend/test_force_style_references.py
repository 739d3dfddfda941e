# SPDX-License-Identifier: GPL-2.0-only
"""LAMMPS' own force-style references hold when p2p_rdma exchanges the ghosts, on one and more ranks."""

import itertools
from collections import Counter

import pytest

from force_style_references import BRICK_IS_THE_REFERENCE, Reference, installed_styles, read_references
from lammps_output import expect_variant
from lammps_run import BACKENDS, BRICK, Installation, Variant, missing_variables, variants_of_the_long_products

RANKS = (1, 2, 4)

FEWEST_REFERENCES = 250
"""Least number of references that can be replayed with the packages of the stock benchmarks."""

if not missing_variables():
    ALL_REFERENCES = read_references(Installation.from_environment().lammps_dir)
    STYLES = installed_styles(Installation.from_environment())
else:  # tests can be collected, but not run
    ALL_REFERENCES, STYLES = [], {}

REFERENCES = [reference for reference in ALL_REFERENCES if reference.obstacle(STYLES) is None]
INDICES = range(len(REFERENCES))
NAMES = [reference.path.stem for reference in REFERENCES]
CASES = [(index, newton, ranks) for index, reference in enumerate(REFERENCES)
         for newton, ranks in (*(("on", ranks) for ranks in RANKS), ("off", RANKS[-1]))
         if newton == "on" or reference.kind != "fix"]
"""What is replayed: the scripts of fixes say themselves what newton is."""


def replay(servers, reference: Reference, ranks: int, variant: Variant, newton: str, folder):
    """Run the reference's script and return what it printed; its dumps are in `folder`."""
    folder.mkdir()
    script = reference.script(variant, newton, folder)
    (folder / "in.reference").write_text(script)
    return servers.server(ranks, variant).run(script)


def check(servers, reference: Reference, ranks: int, variant: Variant, newton: str, folder):
    """Fail unless the reference, or brick in its place, is met."""
    output = replay(servers, reference, ranks, variant, newton, folder / variant.name)
    expect_variant(output, variant.backend)
    if reference.path.stem in BRICK_IS_THE_REFERENCE:
        brick = reference.from_results(
            replay(servers, reference, ranks, BRICK, newton, folder / "brick"), folder / "brick"
        )
        differences = brick.differences(output, folder / variant.name)
    else:
        differences = reference.differences(output, folder / variant.name)
    assert not differences, "\n".join([f"{folder / variant.name}/in.reference on {ranks} ranks", *differences])


def backend(index: int, ranks: int) -> Variant:
    """Backends take turns, so that each reference is replayed with several."""
    return BACKENDS[(index + RANKS.index(ranks)) % len(BACKENDS)]


def test_enough_references_can_be_replayed():
    assert len(REFERENCES) >= FEWEST_REFERENCES


def test_references_of_styles_that_were_not_built():
    obstacles = Counter(reference.obstacle(STYLES) for reference in ALL_REFERENCES if reference not in REFERENCES)
    listed = "; ".join(f"{obstacle} ({count})" for obstacle, count in sorted(obstacles.items()))
    if obstacles:
        pytest.skip(f"{sum(obstacles.values())} of {len(ALL_REFERENCES)} references left out: {listed}")


@pytest.mark.most(120)
@pytest.mark.usual(60)
@pytest.mark.parametrize("index,newton,ranks", CASES, ids=[f"{NAMES[index]}-{newton}-{ranks}"
                                                           for index, newton, ranks in CASES])
def test_reference_is_met(servers, tmp_path, index, newton, ranks):
    check(servers, REFERENCES[index], ranks, backend(index, ranks), newton, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("index", INDICES, ids=NAMES)
def test_reference_is_met_by_every_variant(servers, tmp_path, index):
    newtons = ("on",) if REFERENCES[index].kind == "fix" else ("on", "off")
    for newton, ranks, variant in itertools.product(newtons, (1, 2, 3, 4, 6, 8), variants_of_the_long_products()):
        folder = tmp_path / f"newton-{newton}-{ranks}-{variant}"
        folder.mkdir()
        check(servers, REFERENCES[index], ranks, variant, newton, folder)
