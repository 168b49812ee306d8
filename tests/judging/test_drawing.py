"""Drawing before judging: inclusion probabilities by enumeration and over many draws, and the files."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from hashlib import blake2b
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unjudged import InputError, UsageError, evaluate, sample
from unjudged.base.choices import DesignName
from unjudged.judging import Pool
from unjudged.judging.designs import DESIGNS
from unjudged.judging.drawn_sample import DrawnSample, draw
from unjudged.judging.judging_page import judging_page
from unjudged.judging.merging import merge
from unjudged.judging.sample_file import read_sample, sample_text
from unjudged.judging.sampling import rounded
from unjudged.rankings.origin import CHOSEN, STRATIFIED, WEIGHTED, Origin

RUNS = {
    "a": {"q1": {f"d{i}": 9.0 - i for i in range(6)}, "q2": {"e1": 2.0, "e2": 1.0, "e3": 0.5}},
    "b": {"q1": {f"d{i}": float(i) for i in range(3, 9)}, "q2": {"e2": 1.0, "e4": 0.5, "e5": 0.1}},
}
POOL = Pool.of_runs(RUNS, depth=10)
INF = float("inf")
LEVELS: dict[DesignName, float] = {"random": 0.4, "depth": 2, "mixed": 1, "stratified": 0.4}


def drawn(pool: Pool, name: DesignName, seed: int) -> DrawnSample:
    options: dict[str, Any] = {"top": 1} if name == "stratified" else {}
    return draw(pool, name, LEVELS[name], seed=seed, **options)


@pytest.mark.parametrize("name", list(DESIGNS))
def test_recorded_probabilities_are_those_of_enumeration(name: DesignName) -> None:
    """All subsets of the size that the design draws from a query's stratum are equally likely, so the share
    of the subsets that hold a document is its probability."""
    found = drawn(POOL, name, seed=0)
    for q in range(len(POOL.judgments.queries)):
        for stratum in np.unique(found.stratum).tolist():
            rows = np.flatnonzero((found.pooled.query == q) & (found.stratum == stratum))
            size = int(found.drawn[rows].sum())
            subsets = list(combinations(range(len(rows)), size))
            assert len(subsets) == comb(len(rows), size)
            for place, row in enumerate(rows.tolist()):
                share = Fraction(sum(place in subset for subset in subsets), len(subsets))
                assert found.probability[row] == pytest.approx(float(share), abs=1e-15)


@pytest.mark.thorough
@pytest.mark.parametrize("name", list(DESIGNS))
def test_recorded_probabilities_are_those_of_ten_thousand_draws(name: DesignName) -> None:
    draws = 10_000
    samples = [drawn(POOL, name, seed) for seed in range(draws)]
    recorded = samples[0].probability
    for one in samples:
        assert np.array_equal(one.probability, recorded, equal_nan=True)
    chosen = np.stack([one.drawn for one in samples]).astype(float)
    times, pairs = chosen.sum(axis=0), chosen.T @ chosen
    error = np.sqrt(recorded * (1 - recorded) / draws)
    assert (np.abs(times / draws - recorded) <= 4.5 * error).all()
    query, stratum = POOL.judgments.query, drawn(POOL, name, 0).stratum
    for i, j in combinations(range(len(recorded)), 2):
        joint = recorded[i] * recorded[j]
        if query[i] == query[j] and stratum[i] == stratum[j] and 0 < joint < 1:
            size = int(((query == query[i]) & (stratum == stratum[i])).sum())
            taken = round(recorded[i] * size)
            joint *= (taken - 1) * size / (taken * (size - 1))
        assert abs(pairs[i, j] / draws - joint) <= 4.5 * np.sqrt(joint * (1 - joint) / draws) + 1e-12


def test_sizes_are_those_of_the_shares() -> None:
    found = draw(POOL, "stratified", strata={1: 1.0, 3: 0.5, INF: 0.2}, seed=4)
    for q in range(2):
        for stratum, share in ((1, 1.0), (2, 0.5), (3, 0.2)):
            rows = (found.pooled.query == q) & (found.stratum == stratum)
            assert found.drawn[rows].sum() == rounded(share, np.array([rows.sum()]))[0]


def test_a_design_reads_back_the_same(tmp_path: Path) -> None:
    for name in LEVELS:
        found = drawn(POOL, name, seed=3)
        (tmp_path / "design.txt").write_text(sample_text(found))
        again = read_sample(tmp_path / "design.txt")
        assert sample_text(again) == sample_text(found)
        assert again.origin == found.origin
        for field in ("drawn", "stratum", "probability", "earlier"):
            np.testing.assert_array_equal(getattr(again, field), getattr(found, field))


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (lambda text: text.replace("drawn", "pooled", 1), "checksum does not match"),
        (lambda text: text[:-20], "checksum does not match"),
        (lambda text: "q1 0 d1 1\n" + text, "is it a design file"),
        (lambda _: "", "is it a design file"),
    ],
)
def test_a_damaged_design_is_refused(tmp_path: Path, damage: object, problem: str) -> None:
    assert callable(damage)
    (tmp_path / "design.txt").write_text(damage(sample_text(drawn(POOL, "random", 0))))
    with pytest.raises(InputError, match=problem):
        read_sample(tmp_path / "design.txt")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('"seed": 0', '"seed": "x"', 2),
        ('"seed": 0', '"seed": Infinity', 2),
        ('{"depth"', '[{"depth"', 2),
        ('"depth": null', '"depth": "ten"', 2),
        ('"uniform sample"', '"a guess"', 2),
        ("e1 1 0.4 ", "e1 99999999999 0.4 ", 12),
        ("e1 1 0.4 ", "e1 1 1.5 ", 12),
        ("e1 1 0.4 ", "e1 1 nan ", 12),
        ("e1 1 0.4 ", "e1 1 0.4 ? ", 12),
        ("e1 1 0.4 ", "e1 -5 0.4 ", 12),
        ("e1 1 0.4 ", "e1 2147483647 0.4 ", 12),
        ("q2 e2 ", "q2 e1 ", 13),
        ("q2 e2 ", "q1 e2 ", 13),
    ],
)
def test_a_forged_design_is_refused(tmp_path: Path, old: str, new: str, line: int) -> None:
    """Its checksum is right, so nothing but its values tells."""
    body = sample_text(drawn(POOL, "random", 0)).partition("\n")[2]
    assert old in body
    with pytest.raises(InputError, match=f"line {line}|:{line}:"):
        read_sample(forged(tmp_path, body.replace(old, new, 1)))


def forged(tmp_path: Path, body: str) -> Path:
    """A design file with a right checksum."""
    checksum = blake2b(body.encode(), digest_size=16).hexdigest()
    (tmp_path / "design.txt").write_text(f"unjudged-design 1 blake2b {checksum}\n{body}")
    return tmp_path / "design.txt"


def test_designs_of_nothing_and_of_the_impossible_are_refused(tmp_path: Path) -> None:
    head, *rows = sample_text(drawn(POOL, "depth", 0)).splitlines(keepends=True)[1:]
    with pytest.raises(InputError, match=r":3: no documents|line 3: no documents"):
        read_sample(forged(tmp_path, head))
    undrawn = next(number for number, row in enumerate(rows) if " 0.0 pooled" in row)
    rows[undrawn] = rows[undrawn].replace("pooled", "drawn")
    with pytest.raises(InputError, match=f":{undrawn + 3}: document .* was drawn with probability 0"):
        read_sample(forged(tmp_path, head + "".join(rows)))


def test_designs_of_version_0_2_are_read(tmp_path: Path) -> None:
    head, rows = sample_text(drawn(POOL, "stratified", 0)).partition("\n")[2].split("\n", 1)
    for said, origin in (
        ('"chosen": false, "drawn_to": null', Origin(STRATIFIED)),
        ('"chosen": false, "drawn_to": 7', Origin(STRATIFIED, 7)),
        ('"chosen": true, "drawn_to": null', Origin(CHOSEN)),
    ):
        old = f'{{{said}, "design": "stratified", "made_by": "", "seed": 0}}'
        assert old != head
        assert read_sample(forged(tmp_path, f"{old}\n{rows}")).origin == origin
    old = '{"chosen": false, "drawn_to": 7, "design": "predictions", "made_by": "", "seed": 0}'
    assert read_sample(forged(tmp_path, f"{old}\n{rows}")).origin == Origin(WEIGHTED, 7)


@pytest.mark.parametrize(
    ("query", "document"), [("#q1", "d1"), ("q1", "d1 1"), ("q 1", "d1"), ("q1", "\x85")]
)
def test_names_that_no_file_can_hold_are_refused_before_anyone_judges(query: str, document: str) -> None:
    """The page exported `#q1 0 d1 1`, a comment, and `q1 0 d1 1 1`, a line of five columns."""
    found = draw(Pool.of({query: {document: -1}}), "random", 1.0)
    with pytest.raises(InputError, match="cannot be written as TREC text"):
        found.task()
    with pytest.raises(InputError, match="cannot be written as TREC text"):
        judging_page([(query, document)], {})


def test_only_new_documents_are_drawn_from_a_later_pool() -> None:
    first = draw(Pool.of_runs(RUNS, depth=2), "random", 0.5, seed=1)
    later = draw(POOL, "random", 0.5, seed=2, since=first)
    assert len(later.drawn) == len(POOL.judgments.grade)
    old = {(int(q), d) for q, d in zip(first.pooled.query, first.pooled.documents, strict=True)}
    names = list(zip(later.pooled.query.tolist(), later.pooled.documents, strict=True))
    assert [name in old for name in names] == later.earlier.tolist()
    np.testing.assert_array_equal(later.probability[later.earlier], first.probability)
    np.testing.assert_array_equal(later.drawn[later.earlier], first.drawn)
    assert set(later.stratum[~later.earlier].tolist()) == {2}
    for q in range(2):
        new = ~later.earlier & (later.pooled.query == q)
        assert later.probability[new] == pytest.approx(later.drawn[new].sum() / new.sum())
    assert not later.earlier[later.rows_to_judge].any()
    with pytest.raises(UsageError, match="nothing to draw from"):
        draw(Pool.of_runs(RUNS, depth=2), "random", 0.5, since=first)


def asked(found: DrawnSample) -> list[tuple[str, str]]:
    """The documents of a task, in its order."""
    lines = [line.split() for line in found.task().splitlines() if not line.startswith("#")]
    assert all(grade == "-1" for _, _, _, grade in lines)
    return [(query, document) for query, _, document, _ in lines]


def test_what_is_handed_out() -> None:
    found = draw(Pool.of_runs(sample.runs, depth=30), "stratified", 0.2, seed=5, top=10)
    task = asked(found)
    assert set(task) == set(found.to_judge())
    assert len(set(task)) == len(task)
    topics = [query for query, _ in task]
    assert sum(a != b for a, b in zip(topics, topics[1:], strict=False)) == len(set(topics)) - 1
    assert task == asked(found) != sorted(task)


@pytest.mark.thorough
def test_the_order_says_nothing_about_ranks() -> None:
    """Over many seeds, the best-ranked document is in the first half as often as in the second."""
    pool = Pool.of_runs({"a": {"q": {f"d{i:02d}": 20.0 - i for i in range(20)}}}, depth=20)
    found = draw(pool, "depth", 20)
    places = [asked(replace(found, seed=seed)).index(("q", "d00")) for seed in range(2000)]
    assert abs(np.mean(places) - 9.5) < 4 * np.sqrt((20**2 - 1) / 12 / 2000)


def test_estimates_from_a_merged_sample_equal_those_of_the_same_sample_of_judgments(tmp_path: Path) -> None:
    """The loop of draw, judge and merge gives what `Pool.stratified` gives on complete judgments."""
    complete = Pool.of(sample.qrels, sample.runs)
    grades = {
        (complete.judgments.queries[int(q)], document): max(int(grade), 0)
        for q, document, grade in zip(
            complete.judgments.query, complete.judgments.documents, complete.judgments.grade, strict=True
        )
    }
    everything = complete.judgments.with_grades(np.maximum(complete.judgments.grade, 0))
    pool = Pool(everything, complete.matched, complete.runs)
    strata = {5: 1.0, INF: 0.2}
    known = pool.stratified(strata, seed=7)
    found = draw(pool, "stratified", strata=strata, seed=7)
    task, files = asked(found), {}
    for name, part in {"ann": task[:700], "bob": task[500:]}.items():
        files[name] = str(tmp_path / name)
        lines = [f"{query} 0 {document} {grades[query, document]}\n" for query, document in part]
        (tmp_path / name).write_text("".join(lines))
    merged = merge(found, files)
    np.testing.assert_array_equal(merged.judgments.grade, known.grade)
    measures = ["infAP", "xinfAP", "infNDCG", "statAP", "statAP(pairs='joint')"]
    ours, theirs = (evaluate(j, sample.runs, measures).values for j in (merged.judgments, known))
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)
    assert merged.conflicts == []
    assert len(merged.twice) == 200


def test_joined_designs_are_drawn_to_the_lower_rank() -> None:
    shallow, deep = Pool.of_runs(sample.runs, depth=10), Pool.of_runs(sample.runs, depth=20)
    first = draw(shallow, "depth", 3)
    both = draw(deep, "stratified", strata={15: 0.5}, since=first)
    assert (first.origin.depth, both.origin.depth) == (3, 3)
    assert draw(deep, "stratified", strata={15: 0.5}).origin.depth == 15
    assert draw(deep, "stratified", 0.1).origin.depth is None
    assert both.judgments.origin.depth == 3


def test_a_task_is_qrels_without_grades() -> None:
    head, *lines = draw(POOL, "random", 1.0).task().splitlines()
    assert head.startswith("# 14 documents of 2 topics to judge: replace each -1 by a grade, or by -2 for")
    assert all(line.endswith(" -1") for line in lines)


def test_refusals() -> None:
    with pytest.raises(UsageError, match="cannot be drawn again"):
        draw(POOL, "random", 0.5, redraw=True)
    with pytest.raises(UsageError, match="needs a level"):
        draw(POOL, "random")
