"""The fewest queries that change a verdict are those that enumeration finds; corrections over measures."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from tests.cli.in_process import everything, printed, refused
from tests.conftest import examples
from tests.report.test_page import said
from unjudged import Scores, UsageError, compare, sample
from unjudged.inference.corrections import holm
from unjudged.inference.deciding_queries import deciding_queries, influences
from unjudged.inference.pairs import Pairs
from unjudged.inference.significance import p_values
from unjudged.report.page.report_page import report_page
from unjudged.results.fields import FIELDS
from unjudged.results.words import method_of

FILES = [str(sample.qrels), *map(str, sample.runs.values())]
TWO = [FILES[0], *(str(sample.runs[name]) for name in ("fused", "reranked"))]


def significant(values: np.ndarray) -> bool:
    if len(values) < 2 or not values.any():
        return False
    if np.ptp(values) < 1e-15:
        return bool(2.0 ** (1 - len(values)) <= 0.05)
    return bool(ttest_1samp(values, 0).pvalue <= 0.05)


@examples(150)
@given(st.lists(st.integers(-20, 40), min_size=3, max_size=9))
def test_no_smaller_set_exists(whole: list[int]) -> None:
    values = np.array(whole) / 20
    n, before = len(values), significant(values)
    found = deciding_queries(values, [str(i) for i in range(n)])
    assert found.significant == before
    fewest = next(
        (
            k
            for k in range(1, n - 1)
            for left in combinations(range(n), k)
            if significant(np.delete(values, left)) != before
        ),
        None,
    )
    if found.changing is not None:
        assert significant(np.delete(values, [int(q) for q in found.changing])) != before
    if found.proved:
        assert (None if found.changing is None else len(found.changing)) == fewest
    if found.turning is not None:
        assert values.sum() * np.delete(values, [int(q) for q in found.turning]).sum() <= 1e-12
        for left in combinations(range(n), len(found.turning) - 1):
            assert values.sum() * np.delete(values, left).sum() > 0


@pytest.mark.parametrize("queries", range(2, 12))
def test_equal_differences_decide_as_their_p_value_says(queries: int) -> None:
    """They were significant however few they are, beside p = 0.25."""
    equal, names = np.full(queries, 0.1), [str(k) for k in range(queries)]
    found, p = deciding_queries(equal, names), p_values(Pairs.of([equal, np.zeros(queries)])).p[0]
    assert found.significant == (p <= 0.05)
    assert (found.changing is None) == (queries < 6)
    assert found.changing is None or queries - len(found.changing) == 5


@examples(150)
@given(st.lists(st.integers(0, 2), min_size=3, max_size=9))
def test_no_smaller_set_exists_among_many_equal_differences(whole: list[int]) -> None:
    test_no_smaller_set_exists.hypothesis.inner_test(whole)  # type: ignore[attr-defined]


def test_most_answers_are_proved() -> None:
    rng = np.random.default_rng(3)
    cases = [rng.normal(rng.choice([0.0, 0.3, 0.6]), 1, 50) for _ in range(200)]
    proved = [deciding_queries(case, list(map(str, range(50)))).proved for case in cases]
    assert np.mean(proved) > 0.95


def test_influences_are_those_of_leaving_out() -> None:
    values = np.random.default_rng(1).normal(0.2, 1, 12)
    influence, p = influences(values)
    for i in range(12):
        rest = np.delete(values, i)
        assert influence[i] == pytest.approx(values.mean() - rest.mean())
        assert p[i] == pytest.approx(ttest_1samp(rest, 0).pvalue)
    assert np.isnan(influences(values[:2])[0]).all()
    equal = np.array([0.5, 0.5, 0.5])
    assert influences(equal)[1].tolist() == [0.5] * 3 == [p_values(Pairs.of([equal[:2], [0, 0]])).p[0]] * 3


def test_a_pair_says_which_queries_decide() -> None:
    """At the level that its own p value must pass after correction."""
    comparison = compare(sample.qrels, sample.runs, "AP")
    row = comparison.pair("reranked", "fused")
    level = comparison.level(row)
    assert level == pytest.approx(0.05 * row["p"] / row["p_adjusted"])
    assert level < 0.05
    found = comparison.by_query("reranked", "fused")
    gaps = {one["query"]: one["difference"] for one in found.rows["queries"]}
    decided = deciding_queries(np.array(list(gaps.values())), list(gaps), level)
    assert found.notes == decided.sentences()
    left = np.array([gap for query, gap in gaps.items() if query not in (decided.changing or [])])
    everything = ttest_1samp(np.array(list(gaps.values())), 0).pvalue <= level
    assert (ttest_1samp(left, 0).pvalue <= level) != everything == decided.significant


def test_on_the_command_line_and_on_the_page() -> None:
    text = everything("compare", *TWO, "-m", "AP", "--view", "queries")
    assert "the difference is no longer significant (paired t test, alpha = 0.05; the fewest)." in text
    assert "influence" in text
    assert FIELDS["influence"].means == "what the query adds to the mean difference"
    header = printed("compare", *TWO, "-m", "AP", "--view", "queries", "--format", "csv").splitlines()[0]
    assert header.endswith(",influence,p_without")
    page = report_page(sample.qrels, sample.runs, ["AP", "P@10"], correct_over="measures")
    assert "over 30 tests: 15 pairs by 2 measures" in said(page.html)


def test_correction_over_measures() -> None:
    apart = compare(sample.qrels, sample.runs, ["AP", "P@10"])
    together = compare(sample.qrels, sample.runs, ["AP", "P@10"], correct_over="measures")
    p = np.array([row["p"] for row in apart.pairs])
    assert [row["p_adjusted"] for row in together.pairs] == holm.function(p).tolist()
    assert "over 15 pairs per measure" in method_of(apart.settings)
    assert "over 30 tests: 15 pairs by 2 measures" in method_of(together.settings)
    one = compare(sample.qrels, sample.runs, "AP", correct_over="measures")
    assert [row["p_adjusted"] for row in one.pairs] == [row["p_adjusted"] for row in apart.pairs[:15]]
    rng = np.random.default_rng(0)
    scores = Scores.of(
        rng.random((2, 20, 2)), ["AP", "P@10"], runs=["a", "b"], queries=[*map(str, range(20))]
    )
    assert "over 2 tests: 1 pair by 2 measures" in method_of(
        compare(scores, correct_over="measures").settings
    )
    with pytest.raises(UsageError, match="use holm, bh or bonferroni"):
        compare(scores, correct_over="measures", correction="tukey")
    with pytest.raises(UsageError, match="correct_over is 'all'"):
        compare(scores, correct_over="all")  # type: ignore[arg-type]
    words = ["compare", *FILES, "-m", "AP", "-m", "P@10", "--correction"]
    assert "over 30 tests" in everything(*words, "holm(over=measures)")
    assert "expected one of pairs, measures" in refused(2, *words, "holm(over=all)")
