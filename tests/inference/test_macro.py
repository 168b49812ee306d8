"""Means over collections: their test and interval by Welch, by hand, and in a small simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from unjudged.inference.several_collections import macro_differences, macro_interval


def test_two_collections_that_vary_alike_are_welchs_test() -> None:
    """With two parts, mean a = -mean b turned round: Welch's t test, its variance times 1 + 2/42."""
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.2, 1, (1, 12)), rng.normal(0.1, 2, (1, 30))
    b *= a.std(ddof=1) / b.std(ddof=1)  # then their median is the variance of each
    found = macro_differences([a, -b], 0.95)
    welch = stats.ttest_ind(a[0], b[0], equal_var=False)
    wider = np.sqrt(1 + 2 / 42)
    p = 2 * stats.t.sf(abs(welch.statistic) / wider, welch.df)
    assert found.p[0] == pytest.approx(p, abs=1e-12)
    low, high = welch.confidence_interval(0.95)
    ends = [(low + high) / 2 - wider * (high - low) / 2, (low + high) / 2 + wider * (high - low) / 2]
    assert [found.low[0] * 2, found.high[0] * 2] == pytest.approx(ends, abs=1e-12)


def test_the_median_variance_counts_as_a_quarter_of_a_query() -> None:
    """By hand: variances 10 and 4, so that 7 is their median, with four and two degrees of freedom."""
    first = np.array([[-4.0, -2.0, 0.0, 2.0, 4.0]])
    second = np.array([[-2.0, 0.0, 2.0]]) + 3
    found = macro_differences([first, second], 0.95)
    each = np.array([(0.25 * 7 + 4 * 10) / 4.25 / 5, (0.25 * 7 + 2 * 4) / 2.25 / 3]) / 4
    freedom = each.sum() ** 2 / (each[0] ** 2 / 4 + each[1] ** 2 / 2)
    assert found.value[0] == 1.5
    error = np.sqrt(each.sum() * (1 + 2 / 8))
    assert found.p[0] == pytest.approx(2 * stats.t.sf(1.5 / error, freedom), abs=1e-12)
    half = stats.t.ppf(0.975, freedom) * error
    assert [found.low[0], found.high[0]] == pytest.approx([1.5 - half, 1.5 + half], abs=1e-12)


def test_five_queries_of_one_collection_borrow_from_many_of_another() -> None:
    """Five zeros among scores near 0 do not have to allow for scores of 1, and hold the mean all the same."""
    rng = np.random.default_rng(6)
    few, many = np.zeros((1, 5)), rng.beta(0.5, 20, (1, 400))
    _, alone = macro_interval([few, few], (0.0, 1.0), 0.95)
    _, beside = macro_interval([few, many], (0.0, 1.0), 0.95)
    assert alone[0] > 0.1
    assert many.mean() / 2 + 0.001 < beside[0] < 0.05


def test_differences_that_do_not_vary() -> None:
    same, more = np.zeros((1, 4)), np.full((1, 4), 0.25)
    assert macro_differences([same, same], 0.95).p[0] == 1
    constant = macro_differences([more, more], 0.95)
    assert (constant.p[0], constant.low[0], constant.high[0]) == (2.0**-7, -np.inf, np.inf)


def test_size_and_coverage_in_a_small_simulation() -> None:
    """docs/evidence/collections.csv has the large one."""
    rng = np.random.default_rng(4)
    parts = [rng.beta(0.6, 0.9, (600, n)) for n in (5, 40, 300)]
    low, high = macro_interval(parts, (0.0, 1.0), 0.95)
    assert 0.93 <= ((low <= 0.4) & (high >= 0.4)).mean() <= 0.985
    nothing = [rng.normal(0, scale, (4000, n)) for n, scale in ((5, 1), (40, 0.5), (300, 2))]
    assert (macro_differences(nothing, 0.95).p <= 0.05).mean() == pytest.approx(0.05, abs=0.015)
