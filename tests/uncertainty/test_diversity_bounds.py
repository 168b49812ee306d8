"""Bounds of measures of diversity against every completion of small judgments."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import Judgments, evaluate
from unjudged.measures.kernel.names import parse_measures
from unjudged.uncertainty.bounding.bounds import bounds

EXACT = parse_measures(["P_IA@2", "StRecall@2", "ERR_IA@3", "alpha_DCG(alpha=0.9)@3", "AP_IA"])
ENCLOSED = parse_measures(["alpha_nDCG@2", "alpha_nDCG@3", "nERR_IA(alpha=0.8)@2", "nERR_IA@4"])

Sets = dict[str, int]


def rows_of(sets: Sets, subtopics: int) -> list[tuple[str, int, str, int]]:
    """Bit s is subtopic s; -1 is not judged."""
    return [
        ("q", s, doc, own if own < 0 else own >> s & 1) for doc, own in sets.items() for s in range(subtopics)
    ]


@examples(60)
@given(
    st.integers(1, 3),
    st.dictionaries(st.sampled_from("abcde"), st.integers(-1, 7), min_size=1),
    st.permutations("abcdef"),
    st.integers(1, 5),
)
def test_every_completion(subtopics: int, drawn: Sets, order: list[str], length: int) -> None:
    sets = {doc: own if own < 0 else own % 2**subtopics for doc, own in drawn.items()}
    assume(any(own >= 0 for own in sets.values()))
    ranking = order[:length]
    known = {doc: own for doc, own in sets.items() if own >= 0}
    free = [doc for doc in "abcdef" if doc not in known and (doc in ranking or doc in sets)]
    allowed = 0
    for own in known.values():
        allowed |= own
    choices = sorted({own & (allowed or 1) for own in range(2**subtopics)})
    assume(len(choices) ** len(free) <= 256)
    measures = [*EXACT, *ENCLOSED]
    rankings = evaluate(Judgments.by_subtopic(rows_of(sets, subtopics)), {"q": ranking}, measures).judged
    found = [bounds(measure, rankings) for measure in measures]
    values = []
    for chosen in product(choices, repeat=len(free)):
        complete = rows_of({**known, **dict(zip(free, chosen, strict=True))}, subtopics)
        values.append(evaluate(Judgments.by_subtopic(complete), {"q": ranking}, measures).values[0, 0])
    for k, (measure, own) in enumerate(zip(measures, found, strict=True)):
        lowest, highest = min(v[k] for v in values), max(v[k] for v in values)
        if measure in EXACT:
            assert own.exact
            assert (own.low[0], own.high[0]) == pytest.approx((lowest, highest), abs=1e-12), measure
        else:
            assert own.low[0] <= lowest + 1e-12, measure
            assert own.high[0] >= highest - 1e-12, measure
            if not free:
                assert own.low[0] == pytest.approx(own.high[0], abs=1e-12)


def test_worked_bounds() -> None:
    """Unjudged at rank 1, known at rank 2: nothing, or every subtopic, from the first."""
    judgments = Judgments.by_subtopic([("q", 1, "a", 1), ("q", 2, "b", 1)])
    scores = evaluate(judgments, {"q": ["n", "a"]}, ["P_IA@2", "StRecall@2", "ERR_IA@2"])
    ends = [(e.low, e.high) for e in scores.estimate("bounds")[0]]
    every = 2 * (1 + 0.5 / 2)
    assert ends[0] == pytest.approx((1 / 4, 3 / 4))
    assert ends[1] == pytest.approx((1 / 2, 1))
    assert ends[2] == pytest.approx((0.5 / every, (2 + 0.5 / 2) / every))
