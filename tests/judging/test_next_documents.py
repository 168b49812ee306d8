"""What `next` lists: documents that narrow bounds, those that tell about pairs, and pools."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from unjudged import MEASURES, InputError, Judgments, UsageError, compare, evaluate, sample
from unjudged.base.segments import Floats
from unjudged.evidence.contrast import ALONE
from unjudged.evidence.shared import SharedRankings
from unjudged.judging import merge
from unjudged.judging import next as next_documents
from unjudged.judging.gains import added, gains, pair_sums, prevalence
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.origin import CHOSEN, POOL, Origin
from unjudged.rankings.runs import Run

RBP = "RBP(p=0.8)"


def test_what_is_judged_is_not_listed_again() -> None:
    judgments, run = Judgments.read(sample.qrels), sample.runs["dense"]
    found = next_documents(judgments, run, n=40)
    assert found.notes[0] == "40 documents to judge, which say most about nDCG@10 of dense."
    gains = [one["gain"] for one in found.wanted]
    assert gains == sorted(gains, reverse=True)
    later: dict[str, dict[str, int]] = {}
    for one in found.wanted:
        later.setdefault(one["query"], {})[one["document"]] = 0
    again = next_documents(merge(judgments, {"ann": later}).judgments, run, n=40).wanted
    names = [{(one["query"], one["document"]) for one in wanted} for wanted in (found.wanted, again)]
    assert not names[0] & names[1]


def test_an_open_pair_says_what_compare_says_of_it() -> None:
    two = {name: sample.runs[name] for name in ("dense", "reranked")}
    found = next_documents(sample.qrels, two, n=1, measure=RBP)
    (pair,) = found.pairs
    row = compare(sample.qrels, two, RBP).pair()
    shares = {"flip", "loss"}
    assert repr(pair) == repr({name: value for name, value in row.items() if name not in shares})
    assert pair["headline"] == "needs judging"
    assert found.open_pairs == [pair]
    assert found.notes[:3] == [
        "More judging could change what RBP(p=0.8) says of dense and reranked.",
        "This list may not be enough. To be sure of the order: --until better.",
        "reranked is ahead of dense, but unjudged documents could reverse it: needs judging.",
    ]


def test_equal_runs_are_not_open() -> None:
    run = {f"q{i}": {"known": 1.0} for i in range(5)}
    qrels = {f"q{i}": {"known": int(i < 2)} for i in range(5)}
    found = next_documents(qrels, {"a": run, "c": run})
    assert found.wanted == []
    stop = "Stop: more judging cannot, or is unlikely to, change what nDCG@10 says of a and c."
    assert found.sentence() == stop


@pytest.mark.parametrize("name", ["xinfAP", "infAP", "statAP", "AP(unjudged='condensed')", "RBP(chance=100)"])
def test_measures_that_would_refuse_the_documents_are_refused_first(name: str) -> None:
    """`next -m xinfAP` listed documents, and xinfAP refused their judgments."""
    with pytest.raises(UsageError, match=r"use AP, or draw a sample|use it without"):
        next_documents(sample.qrels, sample.runs, measure=name)


def test_the_documents_name_the_estimates_that_refuse_them(tmp_path: Path) -> None:
    found = next_documents(sample.qrels, sample.runs, n=5)
    (tmp_path / "next.qrels").write_text(found.text().replace(" -1\n", " 1\n"))
    told = re.search("Estimates from samples will refuse these judgments: (.*)[.]", found.text())
    assert told
    assert told[0] in found.notes
    judged = merge(sample.qrels, {"ann": tmp_path / "next.qrels"}).judgments
    assert judged.origin.kind == CHOSEN
    for name, known in MEASURES.items():
        if known.traits.estimates:
            assert name in told[1].split(", ")
            with pytest.raises(UsageError, match="needs a random sample"):
                evaluate(
                    judged,
                    sample.runs["dense"],
                    f"{name}@10" if name.endswith("P") and name[-2] != "A" else name,
                )


def test_a_pool_is_the_first_documents_of_every_run_that_nobody_judged(tmp_path: Path) -> None:
    """Sorted by name, so that nobody can infer ranks; without judgments it is a whole pool."""
    first: set[tuple[str, str]] = set()
    for path in sample.runs.values():
        run = Run.read(path)
        for q, query in enumerate(run.queries):
            start = int(run.offsets[q])
            first |= {(query, document) for document in list(run.documents)[start : start + 10]}
    file = tmp_path / "pool.qrels"
    for qrels, origin in ((None, Origin(POOL, 10)), (sample.qrels, Origin(POOL))):
        known: set[tuple[str, str]] = set()
        if qrels is not None:
            lines = [line.split() for line in qrels.read_text().splitlines() if line[0] != "#"]
            known = {(query, document) for query, _, document, grade in lines if grade != "-1"}
        found = next_documents(qrels, sample.runs, design="pool(10)")
        names = [(one["query"], one["document"]) for one in found.wanted]
        assert names == sorted(first - known)
        file.write_text(found.text())
        assert Judgments.read(file).origin == origin
        assert len(Judgments.read(file).grade) == len(names)


PREVALENCE = 0.3
QRELS = {
    "q1": {"a": 1, "b": -1, "c": 0, "d": -1, "e": -1, "f": 1},
    "q2": {"u": -1, "v": 1, "w": -1, "x": 0},
}
RANKINGS = {
    "one": {"q1": "bacdef", "q2": "xwvu"},
    "two": {"q1": "fedcba", "q2": "vwx"},
    "three": {"q1": "acfz", "q2": "yuv"},
}
RUNS = {
    name: {q: {d: float(-k) for k, d in enumerate(docs)} for q, docs in run.items()}
    for name, run in RANKINGS.items()
}


def brute_force(measure: str, pairs: list[tuple[int, int]]) -> dict[tuple[str, str], float]:
    """|Cov(D, x_d)| / sd(x_d) over all completions of every unknown document, each with its probability."""
    retrieved = {(q, d) for run in RUNS.values() for q, docs in run.items() for d in docs}
    pooled = {(q, d) for q, docs in QRELS.items() for d in docs}
    names = sorted(name for name in retrieved | pooled if QRELS[name[0]].get(name[1], -1) < 0)
    states, chances, values = [], [], []
    for state in product([0, 1], repeat=len(names)):
        grades = {q: {d: g for d, g in docs.items() if g >= 0} for q, docs in QRELS.items()}
        for (q, d), grade in zip(names, state, strict=True):
            grades[q][d] = grade
        states.append(state)
        chances.append(PREVALENCE ** sum(state) * (1 - PREVALENCE) ** (len(state) - sum(state)))
        values.append(np.asarray(evaluate(grades, RUNS, measure).means)[:, 0])
    x, p, v = np.array(states, float), np.array(chances), np.array(values)
    found = {}
    for k, name in enumerate(names):
        total = 0.0
        for i, j in pairs:
            difference = v[:, i] - (v[:, j] if j != ALONE else 0.0)
            covariance = p @ (difference * x[:, k]) - (p @ difference) * (p @ x[:, k])
            total += abs(covariance) / np.sqrt(PREVALENCE * (1 - PREVALENCE))
        found[name] = total
    return found


def named(shared: SharedRankings, gain: Floats) -> dict[tuple[str, str], float]:
    return {
        (shared.query(row), shared.document(row)): float(gain[row])
        for row in np.flatnonzero(shared.judgments.grade < 0).tolist()
    }


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "P@3"])
def test_gains_of_sums_equal_brute_force(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (chosen,) = parse_measures(measure)
    shared = SharedRankings.of(Judgments.read(QRELS), RUNS)
    monkeypatch.setattr(
        "unjudged.judging.gains.prevalence", lambda shared, _: np.full(len(shared.name), PREVALENCE)
    )
    for pairs in ([(0, 1), (0, 2), (1, 2)], [(1, ALONE)]):
        first, second = np.array(pairs).T
        ours = named(shared, gains(shared, chosen, first, second, 100))
        assert ours == pytest.approx(brute_force(measure, pairs), rel=1e-9, abs=1e-12)


def best_possible(measure: str, grades: list[int]) -> float:
    """What the sum of a measure is divided by: the relevant documents, or the best possible DCG."""
    relevant = sum(grade > 0 for grade in grades)
    depth = 3 if measure == "nDCG@3" else relevant
    return sum(1 / np.log2(k + 2) for k in range(min(depth, relevant))) if "nDCG" in measure else relevant


@pytest.mark.parametrize("measure", ["AP", "AP@3", "nDCG", "nDCG@3", "R@3", "DCG@3"])
def test_what_a_document_adds_is_what_its_judgment_adds_to_the_sum(measure: str) -> None:
    (chosen,) = parse_measures(measure)
    shared = SharedRankings.of(Judgments.read(QRELS), RUNS)
    found = np.zeros((len(shared.judgments.grade), len(RUNS)))
    for one in added(shared, chosen):
        found[one.row, one.run] = one.number

    def sums(grades: dict[str, dict[str, int]], query: str) -> tuple[Floats, float]:
        scores = evaluate(grades, RUNS, measure).values[:, :, 0][:, list(QRELS).index(query)]
        whole = 1.0 if measure == "DCG@3" else best_possible(measure, [*grades[query].values()])
        return scores * whole, whole

    for row in np.flatnonzero(shared.judgments.grade < 0).tolist():
        query, document = shared.query(row), shared.document(row)
        before, _ = sums(QRELS, query)
        after, whole = sums({**QRELS, query: {**QRELS[query], document: 1}}, query)
        np.testing.assert_allclose(found[row], (after - before) / whole / len(QRELS), atol=1e-12)


def test_what_is_likely_is_the_share_at_the_same_ranks() -> None:
    """The documents that are first, second, or third of a run; none of those in fourth place is judged."""
    shared = SharedRankings.of(Judgments.read(QRELS), RUNS)
    chance = dict(zip(shared.names, prevalence(shared, 1)[np.argsort(shared.name)].tolist(), strict=True))
    best = {name: min(docs.index(name) for run in RANKINGS.values() for docs in run.values() if name in docs)
            for name in chance}  # fmt: skip
    grades = {name: grade for docs in QRELS.values() for name, grade in docs.items() if grade >= 0}
    share = 0.5
    for rank in range(3):
        own = [grade for name, grade in grades.items() if best[name] == rank]
        share = (sum(own) + share) / (len(own) + 1)
        assert {chance[name] for name in chance if best[name] == rank} == {share}


@pytest.mark.parametrize("best", [1, 5, 100])
@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "RR"])
def test_the_best_gains_are_found_whatever_the_order_of_the_runs(
    measure: str, best: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    (chosen,) = parse_measures(measure)
    monkeypatch.setattr("unjudged.judging.gains.DOCUMENTS", 64)
    monkeypatch.setattr("unjudged.judging.gains.ELEMENTS", 5000)
    turned = dict(reversed(sample.runs.items()))
    shared, other = (SharedRankings.of(Judgments.read(sample.qrels), runs) for runs in (sample.runs, turned))
    first, second = np.array([0, 1, 3]), np.array([1, 2, 5])
    every, some = (named(shared, gains(shared, chosen, first, second, n)) for n in (10**6, best))
    again = named(other, gains(other, chosen, 5 - first, 5 - second, best))
    kept = sorted(every.items(), key=lambda one: (-one[1], one[0]))[:best]
    for found in (some, again):
        assert sorted(found.items(), key=lambda one: (-one[1], one[0]))[:best] == kept


def test_sums_over_pairs() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(20, 7))
    first, second = np.triu_indices(7, 1)
    for kept in (np.ones(21, bool), rng.random(21) < 0.8, rng.random(21) < 0.2, np.zeros(21, bool)):
        pairs = list(zip(first[kept], second[kept], strict=True))
        by_hand = sum((np.abs(table[:, i] - table[:, j]) for i, j in pairs), np.zeros(20))
        np.testing.assert_allclose(pair_sums(table, first[kept], second[kept]), by_hand, atol=1e-12)


def test_judging_what_is_chosen_leaves_no_pair_open() -> None:
    known = {q: dict(docs) for q, docs in QRELS.items()}
    steps = 0
    while (found := next_documents(known, RUNS, n=1, measure="AP")).open_pairs:
        (one,) = found.wanted
        query, document = one["query"], one["document"]
        assert known[query].get(document, -1) < 0
        known[query][document] = int(document in "aefvw")
        steps += 1
    assert steps
    assert found.wanted == []
    assert found.sentence() == (
        "Stop: more judging cannot, or is unlikely to, change what AP says of any of the 3 pairs of 3 runs."
    )
    with pytest.raises(InputError, match="nothing to judge: Stop: more judging cannot"):
        found.text()
    everything = {"q1": "abcdefz", "q2": "uvwxy"}
    known = {q: {d: int(d in "aefvw") for d in docs} for q, docs in everything.items()}
    for row in next_documents(known, RUNS, n=1, measure="AP").pairs:
        assert row["more_judging"] == "cannot change it"
        assert row["low"] == row["high"] == pytest.approx(row["difference"], abs=1e-12)


@pytest.mark.parametrize("measure", ["AP", "RBP"])
def test_the_order_of_the_runs_changes_nothing(measure: str) -> None:
    turned = dict(reversed(sample.runs.items()))
    one, two = (next_documents(sample.qrels, runs, n=20, measure=measure) for runs in (sample.runs, turned))
    assert one.wanted == two.wanted
    values = [w["gain"] for w in one.wanted]
    assert values == sorted(values, reverse=True)
