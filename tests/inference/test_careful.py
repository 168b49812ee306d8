"""The careful p value and its limits, row by row as their formulas say, and beside SciPy's t test."""

from __future__ import annotations

from decimal import Decimal, localcontext
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tests.conftest import examples
from unjudged import Scores, compare
from unjudged.base.segments import Floats
from unjudged.evidence.mean_intervals import limits_of_mean, shape_of
from unjudged.inference.significance import careful, share_alike

REACH = 1.0
scores = st.one_of(st.floats(-1, 1, width=16), st.sampled_from([0.0, 0.1, 0.25, -0.5]))
tables = st.integers(1, 12).flatmap(
    lambda queries: st.lists(st.lists(scores, min_size=queries, max_size=queries), min_size=1, max_size=4)
)
margins = st.sampled_from([0.0, 0.01, 0.2, -0.1])


def plain_sides(row: list[float], margin: float, reach: float) -> tuple[float, float]:
    """Student's and Hall's p values of one row, the larger of both, above and below minus the margin."""
    n, mean = len(row), float(np.mean(row))
    deviation = float(np.std(row, ddof=1)) if n > 1 else 0.0
    if deviation <= 1e-12 * float(np.abs(row).max()):
        return plain_alike(mean, margin, reach) ** n, plain_alike(-mean, -margin, reach) ** n
    bend = plain_bend(row)
    t = sqrt(n) * (mean + margin) / deviation
    bent = t + bend * t**2 + bend**2 * t**3 / 3 + bend / 2
    return max(stats.t.sf([t, bent], n - 1)), max(stats.t.cdf([t, bent], n - 1))


def plain_alike(value: float, margin: float, reach: float) -> float:
    if value + margin <= 1e-12 or not np.isfinite(reach):
        return 1.0
    return min(1.0, max(0.0, (reach - margin) / (reach + value)))


def plain_bend(row: list[float]) -> float:
    n = len(row)
    skewness = float(np.mean((np.array(row) - np.mean(row)) ** 3)) / float(np.std(row, ddof=1)) ** 3
    return (n**2 / ((n - 1) * (n - 2)) if n > 2 else 1.0) * skewness / (3 * sqrt(n))


def plain_limits(row: list[float], alpha: float, reach: float) -> tuple[float, float]:
    n, mean = len(row), float(np.mean(row))
    deviation = float(np.std(row, ddof=1)) if n > 1 else 0.0
    if deviation <= 1e-12 * float(np.abs(row).max()):
        share = alpha ** (1 / n)
        return share * mean - (1 - share) * reach, share * mean + (1 - share) * reach
    critical, a, error = float(stats.t.isf(alpha, n - 1)), plain_bend(row), deviation / sqrt(n)

    def straightened(value: float) -> float:
        with localcontext(prec=60):
            exact = Decimal(a)
            cubed = 1 + 3 * exact * (Decimal(value) - exact / 2)
            root = (abs(cubed) ** (Decimal(1) / 3)).copy_sign(cubed)
            return float((root - 1) / exact) if abs(a) > 1e-20 else value

    low = mean - max(critical, straightened(critical)) * error
    high = mean - min(-critical, straightened(-critical)) * error
    return max(low, -reach), min(high, reach)


@examples(300)
@given(table=tables, margin=margins, reach=st.sampled_from([REACH, np.inf]))
def test_rows_are_as_the_formulas_say(table: list[list[float]], margin: float, reach: float) -> None:
    found = careful(np.array(table), margin, reach)
    plain = np.array([plain_sides(row, margin, reach) for row in table])
    np.testing.assert_allclose(found.above, plain[:, 0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.below, plain[:, 1], rtol=1e-9, atol=1e-12)


@examples(300)
@given(table=tables, alpha=st.sampled_from([0.05, 0.025, 0.2]), reach=st.sampled_from([REACH, np.inf]))
def test_limits_are_as_the_formulas_say(table: list[list[float]], alpha: float, reach: float) -> None:
    low, high = limits_of_mean(np.array(table), alpha, (-reach, reach))
    plain = np.array([plain_limits(row, alpha, reach) for row in table])
    np.testing.assert_allclose(low, plain[:, 0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(high, plain[:, 1], rtol=1e-9, atol=1e-12)


@examples(200)
@given(table=tables, margin=margins)
def test_turning_the_differences_turns_the_sides(table: list[list[float]], margin: float) -> None:
    one, other = careful(np.array(table), margin, REACH), careful(-np.array(table), -margin, REACH)
    np.testing.assert_allclose(one.above, other.below, atol=1e-15)
    np.testing.assert_allclose(one.below, other.above, atol=1e-15)


@examples(200)
@given(table=tables)
def test_never_below_student_and_equal_without_skewness(table: list[list[float]]) -> None:
    values = np.array(table)
    symmetric = np.hstack([values, -values]) + 0.1
    for rows, exact in ((values, False), (symmetric, True)):
        spread = shape_of(rows).deviation > 1e-6
        if rows.shape[1] > 1 and spread.any():
            student = stats.ttest_1samp(rows[spread], 0, axis=1).pvalue
            both = careful(rows).both[spread]
            assert (both >= student - 1e-12).all()
            if exact:
                np.testing.assert_allclose(both, student, atol=1e-9)


def test_limits_are_where_the_p_value_is_alpha() -> None:
    values = np.random.default_rng(4).gamma(0.5, 0.1, (20, 30)) - 0.02
    low, high = limits_of_mean(values, 0.05, (-np.inf, np.inf))
    for k, row in enumerate(values):
        assert careful(row[None], -low[k]).above[0] == pytest.approx(0.05, abs=1e-9)
        assert careful(row[None], -high[k]).below[0] == pytest.approx(0.05, abs=1e-9)


def test_equal_differences() -> None:
    """Forty queries with +.1: a share of .91 of all queries could be like them, the rest at -1."""
    found = careful(np.full((1, 40), 0.1), 0.0, REACH)
    assert found.above[0] == pytest.approx((1 / 1.1) ** 40)
    assert found.below[0] == 1.0
    assert careful(np.full((1, 40), 0.1)).above[0] == 1.0
    nothing: Floats = np.zeros((2, 5))
    assert careful(nothing, 0.0, REACH).both.tolist() == [1.0, 1.0]
    assert careful(np.ones((1, 3)), 0.0, REACH).above[0] == pytest.approx(1 / 8)
    assert share_alike(np.array([0.5, -0.5]), 0.1, 1.0).tolist() == [0.6, 1.0]


def test_a_careful_p_that_decides_is_printed() -> None:
    """Many small gains and few large losses: Student's test is sure, and the careful one is not."""
    losses = np.where(np.arange(30) % 10, 0.02, -0.03)
    losses[0] = -0.1
    found = compare(Scores.read(np.stack([np.full(30, 0.5), 0.5 + losses]), runs=["old", "new"]))
    row = found.pair()
    assert row["p_adjusted"] < 0.05 < row["p_careful"] == pytest.approx(careful(losses[None]).both[0])
    assert row["other_queries"] == "may differ"
    assert "(careful p = " in str(found)
    assert "careful p" in str(found.grid("pairs"))
    assert compare(Scores.read(np.random.default_rng(1).random((2, 30)))).pair()["p_careful"] is None
