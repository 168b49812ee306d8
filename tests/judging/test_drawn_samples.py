"""Drawing before judging: inclusion probabilities by enumeration and over many draws, and the file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb, inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unjudged import InputError, Judgments, UsageError, evaluate, sample
from unjudged.judging import DESIGNS, NextDocuments, Pool, merge
from unjudged.judging import next as next_documents
from unjudged.judging.designs import draw
from unjudged.judging.judging_page import judging_page, to_judge_in
from unjudged.judging.pooling import rounded_sizes
from unjudged.rankings.origin import POOL, STRATIFIED, UNIFORM, Origin
from unjudged.rankings.sample_file import sample_text

RUNS = {
    "a": {"q1": {f"d{i}": 9.0 - i for i in range(6)}, "q2": {"e1": 2.0, "e2": 1.0, "e3": 0.5}},
    "b": {"q1": {f"d{i}": float(i) for i in range(3, 9)}, "q2": {"e2": 1.0, "e4": 0.5, "e5": 0.1}},
}
WHOLE = Pool.of_runs(RUNS, depth=10)
LEVELS = {"uniform": 0.4, "mixed": 1, "stratified": 0.4}


def drawn(name: str, seed: int = 0) -> Judgments:
    options: dict[str, Any] = {"top": 1} if name == "stratified" else {}
    return draw(WHOLE, DESIGNS.find(name), LEVELS[name], seed=seed, **options)


def columns(found: Judgments) -> tuple[Any, Any, Any]:
    """Strata, probabilities and what was drawn, which every sample that waits has."""
    assert found.stratum is not None
    assert found.probability is not None
    assert found.drawn is not None
    return found.stratum, found.probability, found.drawn


@pytest.mark.parametrize("name", LEVELS)
def test_recorded_probabilities_are_those_of_enumeration(name: str) -> None:
    """All subsets of the size that the design draws from a query's stratum are equally likely, so the share
    of the subsets that hold a document is its probability."""
    found = drawn(name)
    strata, probability, chosen = columns(found)
    for q in range(len(found.queries)):
        for stratum in np.unique(strata).tolist():
            rows = np.flatnonzero((found.query == q) & (strata == stratum))
            size = int(chosen[rows].sum())
            subsets = list(combinations(range(len(rows)), size))
            assert len(subsets) == comb(len(rows), size)
            for place, row in enumerate(rows.tolist()):
                share = Fraction(sum(place in subset for subset in subsets), len(subsets))
                assert probability[row] == pytest.approx(float(share), abs=1e-15)


@pytest.mark.thorough
@pytest.mark.parametrize("name", LEVELS)
def test_recorded_probabilities_are_those_of_ten_thousand_draws(name: str) -> None:
    draws = 10_000
    samples = [columns(drawn(name, seed)) for seed in range(draws)]
    stratum, recorded, _ = samples[0]
    for _, probability, _ in samples:
        assert np.array_equal(probability, recorded)
    chosen = np.stack([rows for _, _, rows in samples]).astype(float)
    times, pairs = chosen.sum(axis=0), chosen.T @ chosen
    error = np.sqrt(recorded * (1 - recorded) / draws)
    assert (np.abs(times / draws - recorded) <= 4.5 * error).all()
    query = WHOLE.judgments.query
    for i, j in combinations(range(len(recorded)), 2):
        joint = recorded[i] * recorded[j]
        if query[i] == query[j] and stratum[i] == stratum[j] and 0 < joint < 1:
            size = int(((query == query[i]) & (stratum == stratum[i])).sum())
            taken = round(recorded[i] * size)
            joint *= (taken - 1) * size / (taken * (size - 1))
        assert abs(pairs[i, j] / draws - joint) <= 4.5 * np.sqrt(joint * (1 - joint) / draws) + 1e-12


def test_sizes_are_those_of_the_shares() -> None:
    found = draw(WHOLE, DESIGNS.find("stratified"), {1: 1.0, 3: 0.5, inf: 0.2}, seed=4)
    strata, _, chosen = columns(found)
    for q in range(2):
        for stratum, share in ((1, 1.0), (2, 0.5), (3, 0.2)):
            rows = (found.query == q) & (strata == stratum)
            assert chosen[rows].sum() == rounded_sizes(share, np.array([rows.sum()]))[0]


@pytest.mark.parametrize(
    ("design", "origin"),
    [
        ("uniform(40%)", Origin(UNIFORM)),
        ("uniform(0.4)", Origin(UNIFORM)),
        ("mixed(1)", Origin(STRATIFIED)),
        ("stratified(1:100%, 3:50%, rest:20%)", Origin(STRATIFIED)),
        ("stratified(2:50%)", Origin(STRATIFIED, 2)),
        ("stratified(40%, top=1)", Origin(STRATIFIED)),
    ],
)
def test_the_file_of_a_sample_is_judgments(design: str, origin: Origin, tmp_path: Path) -> None:
    """It reads back the same while documents wait, and with grades filled in by an editor or merged."""
    found = next_documents(None, RUNS, design=design, seed=3, measure="P@2")
    assert found.sample is not None
    file = tmp_path / "to-judge.sample"
    file.write_text(found.text())
    again = Judgments.read(file)
    assert again.origin == found.sample.origin == origin
    by_name = dict(zip(again.pooled.names(np.arange(len(again.grade))), range(len(again.grade)), strict=True))
    place = [by_name[name] for name in found.sample.pooled.names(np.arange(len(again.grade)))]
    for field in ("grade", "drawn", "stratum", "probability"):
        ours, theirs = getattr(found.sample, field), getattr(again, field)
        assert (ours is None) == (theirs is None)
        assert ours is None or ours.tolist() == theirs[place].tolist()
    assert sorted(to_judge_in(again)) == sorted((row["query"], row["document"]) for row in found.wanted)
    file.write_text(found.text().replace(" -1\n", " 1\n"))
    filled = Judgments.read(file)
    answers = {q: {d: 1 for p, d in to_judge_in(again) if p == q} for q in again.queries}
    merged = merge(again, {"ann": answers})
    assert filled.drawn is merged.judgments.drawn is None
    assert filled.grade.tolist() == merged.judgments.grade.tolist()
    file.write_text(merged.text())
    assert Judgments.read(file).grade.tolist() == filled.grade.tolist()
    with pytest.raises(UsageError, match=r"not judged yet, such as document .*: the estimate needs all"):
        evaluate(again, RUNS, "xinfAP")
    ours, theirs = (evaluate(one, RUNS, "xinfAP").means for one in (file, filled))
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)


def lines_of(name: str = "uniform") -> list[str]:
    return sample_text(drawn(name)).splitlines(keepends=True)


FORGERIES: list[tuple[Callable[[str], str], str]] = [
    (lambda text: text.replace('"uniform sample"', '"a guess"'), ":1: expected .* as this package writes it"),
    (lambda text: text.replace('"depth": null', '"depth": "ten"'), ":1: the depth is 'ten'"),
    (lambda text: text.replace('{"depth"', '[{"depth"'), ":1: expected"),
    (lambda text: text[: text.rindex("\n", 0, -1) + 1], "13 documents, and the first line says 14"),
    (lambda text: text.replace("e1 1 0.4 ", "e1 99999999999 0.4 "), r":\d+: the stratum is '99999999999'"),
    (lambda text: text.replace("e1 1 0.4 ", "e1 1 1.5 "), r":\d+: the probability is '1.5'"),
    (lambda text: text.replace("e1 1 0.4 ", "e1 1 nan "), r":\d+: the probability is 'nan'"),
    (lambda text: text.replace("e1 1 0.4 ", "e1 1 0.4 ? "), r":\d+: .*expected 5 columns"),
    (lambda text: text.replace("q2 e2 ", "q2 e1 "), r":\d+: document 'e1' of query 'q2' comes twice"),
    (lambda text: text.replace("0.4 -1", "0.4 x"), r":\d+: the grade is 'x'"),
    (lambda text: text.replace("0.4 -1", "0 -1"), r":\d+: document .* was drawn with probability 0"),
]


@pytest.mark.parametrize(("forge", "problem"), FORGERIES)
def test_a_forged_or_cut_file_is_refused(tmp_path: Path, forge: Callable[[str], str], problem: str) -> None:
    text = "".join(lines_of())
    forged = forge(text)
    assert forged != text
    (tmp_path / "a.sample").write_text(forged)
    with pytest.raises(InputError, match=problem):
        Judgments.read(tmp_path / "a.sample")


@pytest.mark.parametrize(
    ("query", "document"), [("#q1", "d1"), ("q1", "d1 1"), ("q 1", "d1"), ("q1", "\x85")]
)
def test_names_that_no_file_can_hold_are_refused_before_anyone_judges(query: str, document: str) -> None:
    """The page exported `#q1 0 d1 1`, a comment, and `q1 0 d1 1 1`, a line of five columns."""
    found = next_documents({query: {document: -1}}, {query: {document: 1.0}}, design="uniform(100%)")
    with pytest.raises(InputError, match="cannot be written as TREC text"):
        found.text()
    with pytest.raises(InputError, match="cannot be written as TREC text"):
        judging_page([(query, document)], {})


def asked(found: NextDocuments) -> list[tuple[str, str]]:
    return [(row["query"], row["document"]) for row in found.wanted]


def test_what_is_handed_out() -> None:
    """Topic after topic, in a random order that the seed decides."""
    found = next_documents(None, sample.runs, design="stratified(20%, top=10)", seed=5)
    task = asked(found)
    assert found.sample is not None
    assert set(task) == set(to_judge_in(found.sample))
    topics = [query for query, _ in task]
    assert sum(a != b for a, b in zip(topics, topics[1:], strict=False)) == len(set(topics)) - 1
    assert task == asked(next_documents(None, sample.runs, design="stratified(20%, top=10)", seed=5))
    assert task != sorted(task)


@pytest.mark.thorough
def test_the_order_says_nothing_about_ranks() -> None:
    """Over many seeds, the best-ranked document is in the first half as often as in the second."""
    runs = {"a": {"q": {f"d{i:02d}": 20.0 - i for i in range(20)}}}
    found = (next_documents(None, runs, design="uniform(100%)", seed=seed) for seed in range(2000))
    places = [asked(one).index(("q", "d00")) for one in found]
    assert abs(np.mean(places) - 9.5) < 4 * np.sqrt((20**2 - 1) / 12 / 2000)


def test_estimates_from_a_merged_sample_equal_those_of_the_same_sample_of_judgments() -> None:
    """The loop of draw, judge and merge gives what `Pool.stratified` gives on complete judgments."""
    whole = Pool.of(sample.qrels, sample.runs)
    complete = whole.judgments.with_grades(np.maximum(whole.judgments.grade, 0))
    pool = Pool(replace(complete, origin=Origin(POOL)), whole.matched, whole.runs)
    known = pool.stratified({5: 1.0, inf: 0.2}, seed=7)
    blank = complete.with_grades(np.full_like(complete.grade, -1))
    found = next_documents(blank, sample.runs, design="stratified(5:100%, rest:20%)", seed=7)
    rows = {name: row for row, name in enumerate(complete.pooled.names(np.arange(len(complete.grade))))}
    files: dict[str, dict[str, dict[str, int]]] = {"ann": {}, "bob": {}}
    for name, part in {"ann": asked(found)[:700], "bob": asked(found)[500:]}.items():
        for query, document in part:
            files[name].setdefault(query, {})[document] = int(complete.grade[rows[query, document]])
    assert found.sample is not None
    merged = merge(found.sample, files)
    np.testing.assert_array_equal(merged.judgments.grade, known.grade)
    measures = ["infAP", "xinfAP", "infNDCG", "statAP", "statAP(pairs='joint')"]
    ours, theirs = (evaluate(j, sample.runs, measures).values for j in (merged.judgments, known))
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    assert merged.rows["merged"][0]["judged_twice"] == 200
    # What is known already is not asked again, and the sample is the same.
    again = next_documents(complete, sample.runs, design="stratified(5:100%, rest:20%)", seed=7)
    assert not again.wanted
    assert again.sample is not None
    assert again.sample.grade.tolist() == known.grade.tolist()


@pytest.mark.thorough
@pytest.mark.parametrize("name", DESIGNS)
def test_a_number_of_documents_decides_the_level(name: str) -> None:
    deepest, by_level = len(Pool.of_runs(sample.runs, 10**6).judgments.grade), []
    if name not in ("uniform", "stratified"):
        levels = (next_documents(None, sample.runs, design=f"{name}({k})", seed=3) for k in range(1, 41))
        by_level = [len(one.wanted) for one in levels]
    for n in (1480, 1700, 10**6):
        found = len(next_documents(None, sample.runs, design=name, n=n, seed=3).wanted)
        assert found == max(own for own in by_level if own <= n) if by_level else found <= n
        assert by_level or found >= min(0.98 * n, deepest)


@pytest.mark.parametrize(
    ("design", "n", "problem"),
    [
        ("uniform(10%, redraw=True)", None, "cannot be drawn again by its relevant documents before"),
        ("uniform(10%, top=5)", None, "design 'uniform': no parameter is called 'top'; it has redraw, rel"),
        ("uniform(10)", None, "invalid share '10': use 10% or 0.1"),
        ("pool(10%)", None, "invalid depth '10%'"),
        ("stratified(5:1, 5:0.5)", None, "stratum 5 is given twice"),
        ("stratified", 3, "design 'stratified' draws at least .* documents, and n is 3: raise it"),
        ("uniform(10%)", 5, "says how many documents: omit n"),
        ("most telling(top=5)", None, "expected 'most telling' with a number of documents"),
        ("holes(ten)", None, "expected 'holes' with a number of documents"),
        (
            "depth(5)",
            None,
            "design is 'depth', expected one of most telling, holes, uniform",
        ),
        ("uniform(10%", None, r"cannot be read, expected name\(level, key=value\)"),
        ("uniform(10%, redraw=1+)", None, "cannot be read, expected name"),
        ("uniform", 0, "n is 0, expected a whole number of at least 1"),
    ],
)
def test_refusals(design: str, n: int | None, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        next_documents(sample.qrels, sample.runs, design=design, n=n)
