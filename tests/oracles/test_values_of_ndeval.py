"""Measures of diversity against ndeval: values that it gave, and its steps one by one."""

from __future__ import annotations

from math import log2
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import Judgments, evaluate

FROZEN = [
    line.split(" | ")
    for line in Path(__file__).with_name("ndeval_values.txt").read_text().splitlines()
    if not line.startswith("#")
]
OURS = "alpha_nDCG{}@3 alpha_nDCG{}@10 alpha_DCG{}@5 ERR_IA{}@5 nERR_IA{}@20 P_IA@3 AP_IA StRecall@2"

Sets = dict[str, set[int]]


def judged(sets: Sets) -> Judgments:
    """Every document has a line for each of six subtopics."""
    rows = [("q", s, doc, int(s in own)) for doc, own in sets.items() for s in range(1, 7)]
    return Judgments.by_subtopic(rows)


@pytest.mark.parametrize(("documents", "ranking", "alpha", "values"), FROZEN)
def test_values_of_ndeval(documents: str, ranking: str, alpha: str, values: str) -> None:
    sets: Sets = {}
    for word in documents.split():
        name, _, subtopics = word.partition(":")
        sets[name] = {int(s) for s in subtopics}
    found = evaluate(judged(sets), {"q": ranking.split()}, OURS.format(*[f"(alpha={alpha})"] * 5).split())
    assert found.values[0, 0] == pytest.approx([float(v) for v in values.split()], abs=1e-9)


def greedy(sets: Sets, alpha: float) -> list[str]:
    """The document of the highest gain is next; of equals, the one with the last name."""
    left, worth, order = dict(sets), dict.fromkeys(range(1, 7), 1.0), []
    while left:
        name = max(left, key=lambda d: (sum(worth[s] for s in sorted(left[d])), d))
        for s in left.pop(name):
            worth[s] *= 1 - alpha
        order.append(name)
    return order


def cumulated(sets: Sets, ranking: list[str], alpha: float, cutoff: int, *, err: bool) -> float:
    total, seen = 0.0, dict.fromkeys(range(1, 7), 0)
    for rank, name in enumerate(ranking[:cutoff], 1):
        for s in sets.get(name, ()):
            total += (1 - alpha) ** seen[s] / (rank if err else log2(rank + 1))
            seen[s] += 1
    return total


collections = st.tuples(
    st.dictionaries(st.sampled_from("abcdefgh"), st.sets(st.integers(1, 6)), min_size=1),
    st.permutations("abcdefghxy"),
    st.integers(1, 10),
    st.sampled_from([0.0, 0.5, 0.75, 1.0]),
    st.integers(2, 12),
)


@examples(300)
@given(collections)
def test_its_steps_one_by_one(drawn: tuple[Sets, list[str], int, float, int]) -> None:
    sets, order, length, alpha, k = drawn
    ranking, n = order[:length], len({s for own in sets.values() for s in own})
    given_alpha = f"(alpha={alpha})"
    names = [f"{m}{given_alpha}@{k}" for m in ("alpha_nDCG", "nERR_IA", "alpha_DCG", "ERR_IA")]
    found = evaluate(judged(sets), {"q": ranking}, [*names, f"P_IA@{k}", f"StRecall@{k}"]).values[0, 0]
    if n == 0:
        assert found.tolist() == [0] * 6
        return
    top = ranking[:k]
    ideal = greedy(sets, alpha)
    best = [sum((1 - alpha) ** (i - 1) / w for i, w in pairs) for pairs in weights(k)]
    dcg, err = (cumulated(sets, ranking, alpha, k, err=err) for err in (False, True))
    expected = [
        dcg / cumulated(sets, ideal, alpha, k, err=False),
        err / cumulated(sets, ideal, alpha, k, err=True),
        dcg / (n * best[0]),
        err / (n * best[1]),
        sum(len(sets.get(d, ())) for d in top) / (k * n),
        len({s for d in top for s in sets.get(d, ())}) / n,
    ]
    assert found == pytest.approx(expected, abs=1e-12)


def weights(k: int) -> list[list[tuple[int, float]]]:
    return [[(i, log2(i + 1)) for i in range(1, k + 1)], [(i, float(i)) for i in range(1, k + 1)]]


@examples(200)
@given(collections)
def test_against_pyndeval(drawn: tuple[Sets, list[str], int, float, int]) -> None:
    pyndeval = pytest.importorskip("pyndeval")
    sets, order, length, alpha, _ = drawn
    if not any(sets.values()):
        return
    rows = [("q", str(s), doc, int(s in own)) for doc, own in sets.items() for s in range(1, 7)]
    run = [("q", name, -float(rank)) for rank, name in enumerate(order[:length])]
    theirs = [name for name in pyndeval.DEFAULT_MEASURES if "NRBP" not in name]
    oracle = pyndeval.ndeval(rows, run, theirs, alpha=alpha)["q"]
    ours = [
        name if name.startswith(("P-", "MAP", "strec")) else name.replace("@", f"(alpha={alpha})@")
        for name in theirs
    ]
    found = evaluate(judged(sets), {"q": order[:length]}, ours).values[0, 0]
    assert found == pytest.approx([oracle[name] for name in theirs], abs=1e-12)
