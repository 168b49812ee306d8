"""The test between segments, against Welch's test by hand and enumeration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from unjudged.inference.interaction import interaction_p

RNG = np.random.default_rng(5)


def by_hand(parts: list[np.ndarray]) -> float:
    """Welch's test as Welch wrote it, in plain Python."""
    weight = [len(part) / part.var(ddof=1) for part in parts]
    centre = sum(w * part.mean() for w, part in zip(weight, parts, strict=True)) / sum(weight)
    k, spread = len(parts), 0.0
    for w, part in zip(weight, parts, strict=True):
        spread += (1 - w / sum(weight)) ** 2 / (len(part) - 1)
    top = sum(w * (part.mean() - centre) ** 2 for w, part in zip(weight, parts, strict=True)) / (k - 1)
    statistic = top / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    return float(stats.f.sf(statistic, k - 1, (k**2 - 1) / (3 * spread))) * (1 - 1e-9)


def test_the_interaction_is_the_larger_of_two_p_values() -> None:
    parts = [RNG.normal(0, 1, 12), RNG.normal(0, 2, 30), RNG.normal(1, 1, 8)]
    assert interaction_p(parts, draws=999) >= by_hand(parts)
    assert np.isnan(interaction_p([np.array([1.0]), RNG.normal(0, 1, 9)]))
    assert interaction_p([np.zeros(4), np.zeros(5)]) == 1
    assert interaction_p([np.zeros(9), np.ones(9)]) < 0.001


def test_two_segments_have_the_share_of_all_assignments() -> None:
    """Studentized permutation, with scipy's enumeration of the assignments as the oracle."""
    head, tail = RNG.normal(0, 1, 5), RNG.normal(1, 3, 6)

    def welch(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
        found: np.ndarray = np.abs(stats.ttest_ind(a, b, axis=axis, equal_var=False).statistic)
        return found

    scipys = stats.permutation_test(
        (head, tail), welch, alternative="greater", vectorized=True, n_resamples=np.inf
    )
    assert interaction_p([head, tail]) == pytest.approx(scipys.pvalue, abs=1e-12)
    drawn = interaction_p([head, tail], draws=400)
    assert drawn == pytest.approx(scipys.pvalue, abs=0.08)
    assert drawn == interaction_p([head, tail], draws=400)


def test_several_segments_never_have_less_than_welchs_p_value() -> None:
    parts = [RNG.normal(0, scale, 5) for scale in (0.1, 1, 3, 9)]
    assert interaction_p(parts, draws=99) >= by_hand(parts)
