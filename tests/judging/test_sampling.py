"""Samples checked by every outcome that the random numbers can have."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from hashlib import blake2b
from itertools import combinations, permutations, product
from math import comb

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from unjudged.judging import pooling as sampling
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.pooled import unit


def orders(n: int) -> list[np.ndarray]:
    """Every order that n random numbers can have."""
    return [np.array(order, np.uint64) << np.uint64(40) for order in permutations(range(n))]


def test_every_document_of_a_cell_is_as_likely() -> None:
    cell = np.array([0, 1, 0, 1, 1])
    found: Counter[int] = Counter()
    samples: Counter[tuple[int, ...]] = Counter()
    for number in orders(5):
        chosen = np.flatnonzero(sampling.smallest(number, cell, np.array([1, 2])))
        found.update(chosen.tolist())
        samples[tuple(chosen.tolist())] += 1
    assert {i: Fraction(found[i], 120) for i in range(5)} == {
        **dict.fromkeys((0, 2), Fraction(1, 2)),
        **dict.fromkeys((1, 3, 4), Fraction(2, 3)),
    }
    assert set(samples.values()) == {20}  # 2 x 3 samples, all alike


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("documents", "relevant", "size"), [(4, 1, 2), (4, 2, 2), (5, 2, 2), (5, 1, 1), (5, 2, 3)]
)
def test_redraw_rule_gives_every_sample_with_a_relevant_document_the_same_probability(
    documents: int, relevant: int, size: int
) -> None:
    """Over all orders of the first numbers, of the second, and of what decides on the count.

    Every outcome of the second and of the count is a query of its own.
    """
    is_relevant = np.arange(documents) < relevant
    counts = [comb(relevant, k) * comb(documents - relevant, size - k) for k in range(1, size + 1)]
    chances = (np.arange(sum(counts)) + 0.5) / sum(counts)
    outcomes = list(product(orders(documents), chances))
    queries = len(outcomes)
    query = np.repeat(np.arange(queries), documents)
    second = np.concatenate([order for order, _ in outcomes])
    chance = np.array([chance for _, chance in outcomes])
    samples: Counter[tuple[int, ...]] = Counter()
    for first in orders(documents):
        chosen = sampling.smallest(np.tile(first, queries), query, np.full(queries, size))
        final = sampling.redrawn(chosen, np.tile(is_relevant, queries), query, second, chance)
        found, times = np.unique(final.reshape(queries, documents), axis=0, return_counts=True)
        for sample, count in zip(found, times.tolist(), strict=True):
            samples[tuple(np.flatnonzero(sample).tolist())] += count
    valid = [s for s in combinations(range(documents), size) if is_relevant[list(s)].any()]
    assert sorted(samples) == sorted(valid)
    assert len(set(samples.values())) == 1


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 12))
def test_counts_of_relevant(relevant: int, others: int, size: int) -> None:
    assume(size <= others)
    exact = [comb(relevant, k) * comb(others, size - k) for k in range(1, min(relevant, size) + 1)]
    assert sampling.counts_of_relevant(relevant + others, relevant, size) == pytest.approx(
        [float(Fraction(way, sum(exact))) for way in exact], rel=1e-12
    )


def test_counts_of_relevant_in_a_large_pool() -> None:
    share = sampling.counts_of_relevant(1_000_000, 500_000, 200_000)
    assert share.sum() == pytest.approx(1)
    assert 1 + np.argmax(share) == pytest.approx(100_000, abs=1)


def test_more_cells_than_fit_in_a_number() -> None:
    many = (1 << 24) + 5
    wanted = np.zeros(many, np.int64)
    wanted[[5, many - 1]] = 1
    cell = np.array([many - 1, 5, many - 1, 5])
    number = np.array([1, 2, 3, 4], np.uint64) << np.uint64(60)
    assert sampling.smallest(number, cell, wanted).tolist() == [True, True, False, False]


def test_redrawing_leaves_other_queries_alone() -> None:
    chosen = np.array([True, False, False, True])
    relevant = np.array([True, False, True, False])
    query = np.array([0, 0, 1, 1])
    final = sampling.redrawn(chosen, relevant, query, np.arange(4, dtype=np.uint64), np.full(2, 0.5))
    assert final.tolist() == [True, False, True, False]


def test_a_query_without_relevant_documents_is_not_drawn_again() -> None:
    chosen, none = np.array([True, False]), np.zeros(2, bool)
    final = sampling.redrawn(chosen, none, np.zeros(2, int), np.arange(2, dtype=np.uint64), np.zeros(1))
    assert final.tolist() == [True, False]


def test_sizes_are_the_nearest_and_at_least_one() -> None:
    sizes = np.array([0, 1, 4, 15, 1404, 1405, 1709])
    assert sampling.rounded_sizes(0.1, sizes).tolist() == [0, 1, 1, 2, 140, 141, 171]
    assert sampling.rounded_sizes(0.3, np.array([1405])).tolist() == [422]  # decimal 421.5, less in binary
    assert sampling.rounded_sizes(0.0, sizes).tolist() == [0] * 7
    assert sampling.rounded_sizes(1.0, sizes).tolist() == sizes.tolist()


def test_numbers_look_random_and_independent() -> None:
    names = [b"d%d" % i for i in range(20_000)]
    identity = sampling.identities_of(names)
    assert len(set(identity.tolist())) == len(names)
    first, second = (unit(sampling.numbers(identity, seed)) for seed in (1, 2))
    for values in (first, second):
        counts = np.histogram(values, 20, (0, 1))[0]
        assert ((counts - 1000) ** 2 / 1000).sum() < 43.8  # chi-squared, 19 degrees of freedom, 0.1 %
    assert abs(np.corrcoef(first, second)[0, 1]) < 3.3 / np.sqrt(len(names))
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 3.3 / np.sqrt(len(names))


def test_a_number_depends_on_query_document_and_seed_alone() -> None:
    some = Judgments.read({"q1": {"a": 1, "b": 0}, "q2": {"a": 0}})
    more = Judgments.read({"q2": {"c": 0, "a": 1}, "q1": {"b": 1, "a": 0}})
    few, many = sampling.identities(some), sampling.identities(more)
    assert few.tolist() == [many[3], many[2], many[1]]
    assert len({*few.tolist(), *many.tolist()}) == 4
    assert sampling.numbers(few, 7).tolist() == sampling.numbers(many[[3, 2, 1]], 7).tolist()


def test_numbers_by_their_definition() -> None:
    """Files say how they were made, so the numbers may never change."""
    word = (1 << 64) - 1

    def mixed(x: int) -> int:
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & word
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB & word
        return x ^ (x >> 31)

    identity = int.from_bytes(blake2b(b"q1 d7", digest_size=8).digest(), "little")
    salt = blake2b(b"3 redraw", digest_size=16).digest()
    first, second = (int.from_bytes(salt[i : i + 8], "little") for i in (0, 8))
    judgments = Judgments.read({"q1": {"d7": 1}})
    found = sampling.numbers(sampling.identities(judgments), 3, "redraw")
    assert found.tolist() == [mixed(mixed(identity ^ first) ^ second)]
