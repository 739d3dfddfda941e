# SPDX-License-Identifier: GPL-2.0-only
"""LAMMPS' benchmarks and examples give the same results with p2p_rdma as with brick.

The file stock_inputs.yaml says how far each input is compared. In CI each benchmark runs on two rank counts, each
example on one, but for the dearest; rank counts and backends take turns. `-m long` runs the full product, or with
TOFU_VARIANTS="ofi ofi-tcp" its part with these variants.
"""

import pytest

from lammps_run import BACKENDS, RANK_COUNTS, variants_of_the_long_products
from stock_inputs import StockInput, read_table, same_as_brick

BENCHMARKS = read_table("benchmarks")
EXAMPLES = read_table("examples")

FEWEST_EXAMPLES = 40

# with more ranks than the two cores of a small machine these take 8 s and more; other tests have their commands too
DEAREST = ("atm/in.atm", "balance/in.balance.group.dynamic", "balance/in.balance.group.static",
           "balance/in.balance.kspace", "balance/in.balance.var.dynamic", "comb/in.comb.HfO2", "eim/in.eim",
           "indent/in.indent.min", "rerun/in.rdf.rerun", "rerun/in.read_dump", "template/in.template-mix")


def ranks_for(index: int, stock: StockInput) -> int:
    """The rank count whose turn it is; one rank alone would send no message."""
    possible = [ranks for ranks in stock.ranks or RANK_COUNTS if ranks > 1]
    return possible[index % len(possible)]


def examples_of_each_run() -> list:
    """One case for each example, with its rank count; the dearest are marked `long`."""
    return [pytest.param(stock, ranks_for(index, stock), id=f"{name(stock)}-{ranks_for(index, stock)}",
                         marks=[pytest.mark.long] if stock.path.endswith(DEAREST) else [])
            for index, stock in enumerate(EXAMPLES)]


def name(value) -> str:
    return value.path.replace("examples/", "").replace("/in.", "/") if isinstance(value, StockInput) else str(value)


def test_table_has_enough_examples():
    cheap = [stock for stock in EXAMPLES if not stock.path.endswith(DEAREST)]
    assert len(cheap) >= FEWEST_EXAMPLES and len(cheap) == len(EXAMPLES) - len(DEAREST)


@pytest.mark.usual(3)
@pytest.mark.parametrize(
    "stock,ranks", [(stock, ranks) for index, stock in enumerate(BENCHMARKS) for ranks in RANK_COUNTS[index % 3::3]],
    ids=name
)
def test_benchmark_is_the_same_as_with_brick(installation, tmp_path, stock, ranks):
    backend = BACKENDS[(BENCHMARKS.index(stock) + RANK_COUNTS.index(ranks)) % len(BACKENDS)]
    same_as_brick(installation, stock, ranks, [backend], tmp_path)


@pytest.mark.most(24)
@pytest.mark.usual(12)
@pytest.mark.parametrize("stock,ranks", examples_of_each_run())
def test_example_is_the_same_as_with_brick(installation, tmp_path, stock, ranks):
    backend = BACKENDS[EXAMPLES.index(stock) % len(BACKENDS)]
    same_as_brick(installation, stock, ranks, [backend], tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("ranks", RANK_COUNTS)
@pytest.mark.parametrize("stock", BENCHMARKS + EXAMPLES, ids=name)
def test_input_is_the_same_as_with_brick_on_all_ranks_with_all_variants(installation, tmp_path, stock, ranks):
    if stock.ranks and ranks not in stock.ranks:
        pytest.skip(f"{stock.path} does not run on {ranks} ranks: {stock.reason}")
    same_as_brick(installation, stock, ranks, variants_of_the_long_products(), tmp_path)
