# SPDX-License-Identifier: GPL-2.0-only
"""Kspace styles without a variant work beside those with the suffix, with the results that they have without it."""

import re

import pytest

from charged_systems import SALT
from lammps_run import BRICK, threadpool
from test_pppm_offload import FORCES, Way, compute, too_different

MSM_PAIRS = "lj/cut/coul/msm 7.0"
LONG_PAIRS = "lj/long/coul/long long long 7.0"
STYLES = {
    "ewald/disp": (LONG_PAIRS, "ewald/disp 1e-4", "gewald 0.4 gewald/disp 0.3"),
    "msm": (MSM_PAIRS, "msm 1e-4", "pressure/scalar no"),
    "msm/cg": (MSM_PAIRS, "msm/cg 1e-4", "pressure/scalar no"),
    "pppm/cg": (None, "pppm/cg 1e-4", "gewald 0.4 mesh 12 15 16"),
    "pppm/disp": (LONG_PAIRS, "pppm/disp 1e-4", "gewald 0.4 mesh 12 15 16 gewald/disp 0.3 mesh/disp 12 12 12"),
    "pppm/stagger": (None, "pppm/stagger 1e-4", "gewald 0.4 mesh 12 15 16"),
}
"""Pair style in place of lj/cut/coul/long, kspace style, and words of kspace_modify."""


ANALYSIS = """\
compute p all pressure NULL kspace
thermo_style custom step elong pe press c_p c_p[*]
thermo_modify norm no format float %.17g
thermo 4
"""


def with_style(name: str) -> str:
    """The salt with another long-range part."""
    pairs, style, words = STYLES[name]
    text = SALT.replace("{kspace}", f"kspace_style {style}" + (f"\nkspace_modify {words}" if words else ""))
    if not pairs:
        return text
    if pairs == LONG_PAIRS:
        text = text.replace("pair_modify mix arithmetic", "pair_modify mix geometric")
    assert "lj/cut/coul/long 7.0" in text
    return text.replace("lj/cut/coul/long 7.0", pairs)


@pytest.mark.parametrize("way", (Way(2, variant=threadpool(1, "p2p/rdma")),
                                 pytest.param(Way(1, variant=threadpool(2)), marks=pytest.mark.long),
                                 pytest.param(Way(4, variant=threadpool(2)), marks=pytest.mark.long)), ids=str)
@pytest.mark.parametrize("name", STYLES)
def test_results_are_those_without_the_suffix(servers, tmp_path, name, way):
    text = with_style(name)
    expected, found = (compute(servers, text, "", one, tmp_path / str(one), ANALYSIS, FORCES)
                       for one in (Way(way.ranks, variant=BRICK), way))
    assert not too_different(expected, found, 1e-11, 1e-8)
    own = re.search(r"^TOFU threadpool: LAMMPS' own styles, one thread per rank, for (.*)$", found.output, re.MULTILINE)
    assert f"kspace {name}" in own.group(1)
