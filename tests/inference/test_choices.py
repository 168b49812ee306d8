"""Two systems under every choice of measure: each row is that of `compare`, and a sentence sums them up."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import Collection, Scores, UsageError, compare, compare_choices, sample
from unjudged.questions.defensible_choices import AS_SEEN, AT_WORST, survival_of

TWO = {name: sample.runs[name] for name in ("fused", "reranked")}
TOLD = ("difference", "p", "query_low", "query_high", "headline", "more_judging", "other_queries", "ahead")
DOCUMENTS = [f"d{k}" for k in range(8)]
QUERIES = [f"q{k}" for k in range(12)]
RANKINGS = st.fixed_dictionaries(
    {query: st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 4), min_size=1) for query in QUERIES}
)
GRADES = st.fixed_dictionaries(
    {
        query: st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 2), min_size=2).map(
            lambda grades: {**grades, "d0": 2}
        )
        for query in QUERIES
    }
)


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
@examples(6)
@given(GRADES, RANKINGS, RANKINGS, st.data())
def test_every_row_is_the_one_that_compare_has(qrels: Any, old: Any, new: Any, data: st.DataObject) -> None:
    found = compare_choices(qrels, {"old": old, "new": new})
    crossed = [row for row in found["choices"] if "cutoff" in row]
    assert len(crossed) == 48
    for row in data.draw(st.lists(st.sampled_from(crossed), min_size=6, max_size=6)):
        (own,) = compare(qrels, {"old": old, "new": new}, row["measure"]).pairs
        assert str([own[name] for name in TOLD]) == str([row[name] for name in TOLD])
        left_out = "unjudged='condensed'" in row["measure"]
        assert left_out == (row["unjudged"] == "condensed")
    changes = {row["label"]: row for row in found["choices"] if "cutoff" not in row}
    (wilcoxon,) = compare(qrels, {"old": old, "new": new}, test="wilcoxon").pairs
    assert changes["wilcoxon test"]["headline"] == wilcoxon["headline"]
    (base,) = compare(qrels, {"old": old, "new": new}).pairs
    assert (changes[AT_WORST]["better"] is not None) >= base["sure"]
    assert (changes[AS_SEEN]["better"] is not None) >= (base["better"] is not None)
    if base["ahead"] and base["low"] <= 0 <= base["high"]:
        assert abs(changes[AT_WORST]["difference"]) <= max(abs(base["low"]), abs(base["high"])) + 1e-9


@pytest.mark.thorough
def test_segments_are_left_out_one_at_a_time() -> None:
    segments = {
        query: "odd" if int(query[1:]) % 2 else "even"
        for query in Collection(sample.qrels, TWO).judgments.queries
    }
    found = compare_choices(sample.qrels, TWO, segments=segments)
    (row,) = (row for row in found["choices"] if row["label"] == "without odd")
    own = compare(sample.qrels, TWO, segments=segments).rows["segments"]
    (even,) = (one for one in own if one["segment"] == "even")
    assert row["difference"] == even["difference"]
    assert row["p"] == even["p"]


def test_a_description_prescribes_the_choices() -> None:
    given = {"measures": ["nDCG", "RBP(p=0.95)"], "cutoffs": [7], "relevant": [2], "unjudged": "nonrelevant"}
    collection = Collection(sample.qrels, TWO, choices=given)
    crossed = [row for row in compare_choices(collection)["choices"] if "cutoff" in row]
    assert [row["measure"] for row in crossed] == ["nDCG(gains={1: 0})@7", "RBP(p=0.95, rel=2)@7"]


def test_a_grade_that_no_document_has_is_no_choice() -> None:
    qrels = {f"q{k}": {"a": 1, "b": 0} for k in range(4)}
    run = {f"q{k}": {"a": 2.0, "b": 1.0} for k in range(4)}
    found = compare_choices(qrels, {"one": run, "other": run})
    assert found.title("choices").startswith("The two systems have the same mean under all 24 choices.")


def row(ahead: str, least: int, cutoff: int, family: str, better: str | None = None) -> dict[str, Any]:
    known = {"least": least, "cutoff": cutoff, "family": family, "unjudged": "nonrelevant"}
    return {"ahead": ahead, "better": better, **known}


def test_the_sentence_names_the_largest_groups_of_exceptions() -> None:
    def lost(least: int, cutoff: int, family: str) -> bool:
        return (least == 2 and cutoff == 20) or (least, cutoff, family) == (1, 5, "RR")

    grid = [
        (least, cutoff, family)
        for least in (1, 2)
        for cutoff in (5, 10, 20)
        for family in ("AP", "RR", "RBP")
    ]
    rows = [row("old" if lost(*one) else "new", *one, None if lost(*one) else "new") for one in grid]
    assert list(survival_of(rows)) == [
        "new leads under 14 of 18 choices, and is better under 14.",
        "It does not lead with relevant = 2 at cutoff 20 or with relevant = 1 at cutoff 5 by RR.",
    ]
    alone = [{"ahead": "new", "label": "wilcoxon test"}, {"ahead": "old", "label": AT_WORST}]
    assert list(survival_of([*rows, *alone]))[2:] == [
        "It leads under 1 of 2 other changes, made one at a time.",
        "It does not lead if unjudged documents are at their worst for it.",
    ]
    several = [row("old" if k % 5 == 0 else "new", *one) for k, one in enumerate(grid)]
    assert re.search(r"or under \d more\.$", " ".join(survival_of(several)))


def test_what_choices_need() -> None:
    with pytest.raises(UsageError, match="choices are about two systems, and there are 6"):
        compare_choices(sample.qrels, sample.runs)
    with pytest.raises(UsageError, match="choices of measures need judgments and runs"):
        compare_choices(Scores.read({"query": ["a"], "x": [0.1], "y": [0.2]}, "AP"))


def test_the_figure_has_a_strip_per_choice() -> None:
    found = compare_choices(sample.qrels, TWO)
    drawn = found.plot.choices()
    assert drawn.title == found.settings["said"][0]
    assert sum("<circle" in part for part in drawn.parts) == len(found["choices"])
