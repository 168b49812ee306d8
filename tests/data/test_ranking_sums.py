"""Sums over rankings, compiled and by NumPy, to the bit; and arrays that do not belong together."""

from __future__ import annotations

from math import inf
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import InputError
from unjudged.data.scan.plain import ranking_sums as plain

compiled = pytest.importorskip("unjudged.data.scan.compiled.native", reason="nothing was compiled")
TWINS = (compiled, plain)


@st.composite
def rankings(draw: st.DrawFn) -> list[tuple[list[int], list[int]]]:
    """Grades, negative where a document is not judged, and their ranks, for some rankings."""
    found = []
    for size in draw(st.lists(st.integers(0, 30), max_size=6)):
        grades = draw(st.lists(st.integers(-2, 4), min_size=size, max_size=size))
        ranks = draw(st.lists(st.integers(1, 40), min_size=size, max_size=size, unique=True))
        found.append((grades, sorted(ranks)))
    return found


def arrays(found: list[tuple[list[int], list[int]]]) -> tuple[Any, ...]:
    grades = np.array([grade for own, _ in found for grade in own], np.int32)
    ranks = np.array([rank for _, own in found for rank in own], np.int32)
    return grades, ranks, np.cumsum([0, *(len(own) for own, _ in found)]).astype(np.int64)


cutoffs = st.one_of(st.integers(1, 45), st.just(inf))


@pytest.mark.parametrize("twin", TWINS)
@examples(100)
@given(found=rankings(), rel=st.integers(0, 5), cutoff=cutoffs)
def test_precisions_are_added_up_in_rank_order(
    twin: ModuleType, found: list[tuple[list[int], list[int]]], rel: int, cutoff: float
) -> None:
    grades, ranks, offsets = arrays(found)
    expected = []
    for own, places in found:
        total, hits = 0.0, 0
        for grade, rank in zip(own, places, strict=True):
            if grade >= rel and rank <= cutoff:
                hits += 1
                total += hits / rank
        expected.append(total)
    assert twin.sum_precisions(grades, ranks, offsets, rel, cutoff).tolist() == expected


@pytest.mark.parametrize("twin", TWINS)
@examples(100)
@given(found=rankings(), depth=st.integers(0, 45), seed=st.integers(0, 9))
def test_gains_are_added_up_in_rank_order_and_in_the_best_order(
    twin: ModuleType, found: list[tuple[list[int], list[int]]], depth: int, seed: int
) -> None:
    grades, ranks, offsets = arrays(found)
    rows = np.random.default_rng(seed).permutation(len(grades)).astype(np.int32)
    gain = np.empty(len(grades))
    gain[rows] = np.maximum(grades, 0) ** 0.5
    discount = np.log2(np.arange(1, depth + 2))
    expected = [
        sum((max(g, 0) ** 0.5 / discount[k] for g, k in zip(*own, strict=True) if k <= depth), 0.0)
        for own in found
    ]
    np.testing.assert_array_equal(twin.sum_gains(gain, rows, ranks, offsets, discount), expected)
    ordered = [sorted((max(g, 0) ** 0.5 for g in own), reverse=True) for own, _ in found]
    expected = [sum((g / discount[k] for k, g in enumerate(own[:depth], 1)), 0.0) for own in ordered]
    best = twin.sum_best_gains(np.maximum(grades, 0) ** 0.5, offsets, discount)
    np.testing.assert_array_equal(best, expected)


@examples(100)
@given(found=rankings(), rel=st.integers(0, 5), cutoff=cutoffs, more=st.integers(0, 3))
def test_ends_of_average_precision_are_those_of_plain_python(
    found: list[tuple[list[int], list[int]]], rel: int, cutoff: float, more: int
) -> None:
    """Those are tested beside all completions, as the bounds of AP."""
    grades, ranks, offsets = arrays(found)
    retrieved = np.array([max(own, default=0) + more for _, own in found], np.int32)
    relevant = np.array([sum(grade >= rel for grade in own) for own, _ in found], np.int64)
    given_arrays = grades, ranks, offsets, retrieved, relevant, np.arange(len(found)), rel, cutoff
    ends = zip(*(twin.ends_of_precision(*given_arrays) for twin in TWINS), strict=True)
    for one, other in ends:
        np.testing.assert_allclose(one, other, rtol=1e-13)


@pytest.mark.parametrize("twin", TWINS)
@examples(50)
@given(found=rankings(), low=st.integers(-3, 4), high=st.one_of(st.integers(-2, 5), st.just(inf)))
def test_grades_are_counted(
    twin: ModuleType, found: list[tuple[list[int], list[int]]], low: int, high: float
) -> None:
    grades, _, offsets = arrays(found)
    counts = twin.count_grades(grades, offsets, low, high)
    assert counts.dtype == np.int64
    assert counts.tolist() == [sum(low <= grade < high for grade in own) for own, _ in found]


WHOLE, OFFSETS, NUMBERS = np.arange(1, 5, dtype=np.int32), np.array([0, 2, 4]), np.arange(1.0, 5.0)
HOSTILE: dict[str, tuple[Any, ...]] = {
    "offsets past the end": ("count_grades", WHOLE, np.array([0, 2, 5]), 0, inf),
    "offsets before the start": ("count_grades", WHOLE, np.array([-1, 2, 4]), 0, inf),
    "offsets backwards": ("sum_precisions", WHOLE, WHOLE, np.array([0, 3, 2]), 1, inf),
    "fewer labels than ranks": ("sum_precisions", WHOLE[:2], WHOLE, OFFSETS, 1, inf),
    "a row past the end": ("sum_gains", NUMBERS, WHOLE, WHOLE, OFFSETS, np.ones(9)),
    "a negative row": ("sum_gains", NUMBERS, WHOLE - 2, WHOLE, OFFSETS, np.ones(9)),
    "a negative rank": ("sum_gains", NUMBERS, WHOLE - 1, WHOLE - 2, OFFSETS, np.ones(9)),
    "fewer rankings than offsets": (
        "ends_of_precision",
        *[WHOLE] * 2,
        OFFSETS,
        *[WHOLE[:1], *[OFFSETS] * 2],
        1,
        9,
    ),
    "gains that end too early": ("sum_best_gains", NUMBERS[:3], OFFSETS, np.ones(9)),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_arrays_that_do_not_belong_together(case: str) -> None:
    name, *given_arrays = HOSTILE[case]
    with pytest.raises(InputError, match="changed while it was read"):
        getattr(compiled, name)(*given_arrays)


@pytest.mark.parametrize(
    "wrong", [WHOLE.astype(np.int64), WHOLE[::2], WHOLE.reshape(2, 2), WHOLE * 1.0, [1, 2]]
)
def test_other_arrays_are_refused(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError, BufferError)):
        compiled.count_grades(wrong, OFFSETS, 0, inf)


def test_sums_of_no_rankings_and_sums_that_may_be_changed() -> None:
    nothing = np.zeros(0, np.int32)
    assert compiled.sum_precisions(nothing, nothing, np.zeros(1, np.int64), 1, inf).tolist() == []
    sums = compiled.sum_precisions(WHOLE, WHOLE, OFFSETS, 1, inf)
    sums += 1
    assert sums.tolist() == [3.0, 1.0 + 1 / 3 + 2 / 4]
