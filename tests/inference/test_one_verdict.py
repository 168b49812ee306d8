"""Headlines and gates of small collections agree, and are of a pair alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Qrels, RunDict, examples
from tests.evidence.completions import Several, evidence_of
from unjudged.inference.gate import PASS, gate_checks
from unjudged.inference.infer import Columns, Settings, decide, run_tests
from unjudged.inference.verdict import BETTER, FEW_QUERIES

MEASURES = ["RBP(p=0.8)", "nDCG@3", "AP", "R@3", "RR"]
SETTINGS = Settings.of("t", "none", 0.05, 1, 0)


@st.composite
def skilled_runs(draw: st.DrawFn) -> Several:
    """Three runs of 9 to 14 queries; the first of them may be far better, and some documents are unjudged."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    skills = draw(st.permutations([4.0, 1.0, 0.0]))
    judged = draw(st.sampled_from([0.5, 0.8, 0.95]))
    qrels: Qrels = {}
    runs: dict[str, RunDict] = {name: {} for name in ("one", "two", "three")}
    for number in range(draw(st.integers(9, 14))):
        query, relevant = f"q{number}", rng.random(12) < 0.4
        known = rng.random(12) < judged
        qrels[query] = {"x": 0} | {f"d{k}": int(relevant[k]) for k in range(12) if known[k]}
        for name, skill in zip(runs, skills, strict=True):
            scores = skill * relevant + rng.random(12)
            runs[name][query] = {f"d{k}": float(scores[k]) for k in np.argsort(-scores)[:5].tolist()}
    return qrels, runs


def row_of(collection: Several, name: str, a: int, b: int) -> Columns:
    contrast = evidence_of(collection, name).contrast(np.array([a]), np.array([b]), by_query=True)
    (columns,) = decide([run_tests(contrast, SETTINGS)], SETTINGS)
    return columns


@pytest.mark.parametrize("name", MEASURES)
@examples(15)
@given(collection=skilled_runs())
def test_better_passes_the_gate(name: str, collection: Several) -> None:
    for a, b in ((0, 1), (1, 0), (0, 2)):
        columns = row_of(collection, name, a, b)
        if columns["headline"][0] == BETTER and columns["difference"][0] > 0:
            contrast = evidence_of(collection, name).contrast(np.array([a]), np.array([b]), by_query=True)
            (check,) = gate_checks([(contrast, 0.0, "")], 0.05, "seen")
            assert check["outcome"] == PASS


@pytest.mark.parametrize("name", MEASURES)
@examples(8)
@given(collection=skilled_runs())
def test_a_verdict_is_of_the_pair(name: str, collection: Several) -> None:
    """Swapping negates, a third run changes nothing, and few queries are never enough."""
    qrels, runs = collection
    columns, swapped = row_of(collection, name, 0, 1), row_of(collection, name, 1, 0)
    alone = row_of((qrels, {run: runs[run] for run in ("one", "two")}), name, 0, 1)
    assert columns["difference"][0] == -swapped["difference"][0]
    for field in ("headline", "other_queries", "more_judging"):
        assert columns[field][0] == swapped[field][0] == alone[field][0]
    for field in ("p", "seen", "flip", "loss", "low", "high"):
        np.testing.assert_allclose(columns[field], alone[field], atol=1e-12, equal_nan=True)
    for field in ("p", "seen", "flip", "loss"):
        np.testing.assert_allclose(columns[field], swapped[field], atol=1e-9, equal_nan=True)
    assert (columns["headline"][0] == FEW_QUERIES) == (len(qrels) < 10)


@pytest.mark.parametrize("name", MEASURES)
@examples(8)
@given(collection=skilled_runs())
def test_the_loss_share_is_at_most_the_flip_share(name: str, collection: Several) -> None:
    columns = row_of(collection, name, 0, 1)
    flip, loss, seen = columns["flip"][0], columns["loss"][0], columns["seen"][0]
    if not np.isnan(loss):
        assert loss <= flip + 1e-9
    if columns["headline"][0] == BETTER:
        assert loss > seen or np.isinf(loss)
