"""All pairs of TREC-8's 129 runs: the shares that turn them, and what bounds settle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unjudged.evaluation.collection import Collection
from unjudged.evidence.contrast import Ends
from unjudged.inference.infer import Settings
from unjudged.inference.rows import Row, answer
from unjudged.inference.verdict import excludes_change
from unjudged.measures.kernel.names import parse_measures
from unjudged.questions.sources import of_rankings

pytestmark = pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")


@pytest.fixture(scope="module")
def trec8(data: Path) -> Collection:
    folder = data / "trec8"
    return Collection(folder / "qrels.trec8.gz", sorted((folder / "runs").iterdir()))


def pairs(collection: Collection, name: str, pool_depth: int | None = None) -> list[Row]:
    found = of_rankings(
        collection, parse_measures(name), depth=None, pool_depth=pool_depth, ties="order", seed=0
    )
    return answer(found.evidence, Settings()).pairs


def column(rows: list[Row], name: str) -> np.ndarray:
    return np.array([row[name] for row in rows])


@pytest.mark.parametrize(("pool_depth", "settled"), [(None, 3), (100, 5001)])
def test_shares_by_average_precision(trec8: Collection, pool_depth: int | None, settled: int) -> None:
    """To rank 1,000. Of pairs with a difference above 0.05, 10 of 5,349 are below a share of 5 %."""
    rows = pairs(trec8, "AP", pool_depth)
    assert int(excludes_change(Ends(column(rows, "low"), column(rows, "high"))).sum()) == settled
    flip, large = column(rows, "flip"), np.abs(column(rows, "difference")) > 0.05
    assert int(large.sum()) == 5349
    if pool_depth is None:
        assert int((flip[large] < 0.05).sum()) == 10
        assert [int((flip <= share).sum()) for share in (0.02, 0.05, 0.1, 0.2)] == [738, 1911, 4103, 7906]


@pytest.mark.parametrize("name", ["RBP(p=0.8)", "RBP(p=0.95)"])
def test_sums_equal_the_closed_form(trec8: Collection, name: str) -> None:
    rows = pairs(trec8, name)
    difference, low, high, flip = (column(rows, field) for field in ("difference", "low", "high", "flip"))
    most = np.where(difference > 0, difference - low, high - difference)
    wanted = (difference != 0) & (most > 0) & (np.abs(difference) < most)
    np.testing.assert_allclose(flip[wanted], np.abs(difference[wanted]) / most[wanted], rtol=0, atol=1e-9)
    assert wanted.sum() > 400
