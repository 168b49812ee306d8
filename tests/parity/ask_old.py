"""Asks the package of commit 705eafce; this file does not change."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import unjudged
from tests.parity.collections import Case
from tests.parity.rows import Answer, Found, main
from unjudged import Collection, Scores, UnjudgedError, baselines, experiments, judging, predictions
from unjudged.agreement import agreeing, orders

KAPPAS = ("same", "kappa", "linear", "quadratic", "mae", "alpha", "ordinal_alpha")
ORDERS = {"tau": "tau", "tau_ap": "tau_ap_b", "spearman": "spearman", "rbo": "rbo_a", "drop": "drop"}


@lru_cache(4)
def _collection(qrels: str, runs: tuple[tuple[str, str], ...]) -> Collection:
    return Collection.of(qrels, dict(runs), fractions=True)


def of(case: Case) -> Collection:
    return _collection(case.qrels, tuple(case.runs.items()))


def ends(a: str, b: str, name: str, estimate: Any) -> Iterator[Found]:
    yield "", a, b, f"{name}value", estimate.value
    yield "", a, b, f"{name}ends", [estimate.low, estimate.high, estimate.confidence]


def pairs_of(judgments: Any) -> list[list[Any]]:
    """Documents with a grade, sorted, with grade, stratum and probability."""
    found = []
    for row in np.flatnonzero(judgments.grade >= 0).tolist():
        ((query, document),) = judgments.pooled.names([row])
        known = [
            None if column is None else column[row] for column in (judgments.stratum, judgments.probability)
        ]
        found.append(
            [query, document, int(judgments.grade[row]), *(None if k is None else k.item() for k in known)]
        )
    return sorted(found)


def values(case: Case, measure: str, **options: Any) -> Iterator[Found]:
    scores = unjudged.evaluate(of(case), measures=measure, **options)
    order = np.argsort(scores.queries)
    for i, run in enumerate(scores.runs):
        yield "by query", run, "", "value", scores.values[i, order, 0]
        yield "", run, "", "mean", scores.means[i, 0]


def interval(case: Case, measure: str, pool_depth: int | None = None, **options: Any) -> Iterator[Found]:
    estimates = unjudged.evaluate(of(case), measures=measure, pool_depth=pool_depth).estimate(**options)
    for run, (estimate,) in zip(estimates.runs, estimates, strict=True):
        yield from ends(run, "", "", estimate)


def calibrated(case: Case, measure: str) -> Iterator[Found]:
    depth = 5 if case.kind == "groups" else 10 if case.name.startswith("dl2019") else 100
    made = unjudged.calibrate(of(case), None, case.extra["groups"], measure, depth=depth)
    yield "", "", "", "scores", [[name, [row[:2] for row in rows]] for name, rows in made.scores.items()]
    scores = unjudged.evaluate(of(case), measures=measure, depth=depth)
    confidence = 0.5 if case.kind == "groups" else 0.9
    estimates = scores.estimate("calibrated", calibration=made, confidence=confidence)
    for run, (estimate,) in zip(estimates.runs, estimates, strict=True):
        yield from ends(run, "", "", estimate)


def compare(case: Case, measure: str, **options: Any) -> Iterator[Found]:
    found = unjudged.compare(of(case), measures=measure, **options)
    yield from _compared(found, measure)


def _compared(found: Any, measure: str) -> Iterator[Found]:
    for pair in found.pairs(measure):
        a, b = pair.a, pair.b
        yield from ends(a, b, "difference ", pair.difference)
        yield from ends(a, b, "other queries ", pair.other_queries)
        yield from ends(a, b, "effect ", pair.effect)
        yield "", a, b, "outcomes", [pair.wins, pair.ties, pair.losses]
        for name in ("mean_a", "mean_b", "p", "p_adjusted", "verdict", "better"):
            yield "", a, b, name, getattr(pair, name)
        for name in ("reversal", "reversible", "judged_share"):
            yield "", a, b, name, getattr(pair, name)
    result = found.result(measure)
    for run, places, low, high in zip(
        found.runs, result.rank_intervals(), *result.other_queries, strict=True
    ):
        yield "", run, "", "places", places
        yield "", run, "", "interval", [low, high]


def tests(case: Case, measure: str, **options: Any) -> Iterator[Found]:
    for pair in unjudged.compare(of(case), measures=measure, **options).pairs():
        yield "", pair.a, pair.b, "p", pair.p
        yield "", pair.a, pair.b, "p_adjusted", pair.p_adjusted


def by_query(case: Case, measure: str) -> Iterator[Found]:
    found = unjudged.compare(of(case), measures=measure)
    first, *_, last = found.runs
    told = found.per_query(first, last)
    for one in told.queries:
        yield one.query, first, last, "difference", one.difference
        yield one.query, first, last, "ends", [one.low, one.high]
    yield "", first, last, "documents", [list(one) for one in told.documents]
    yield "", first, last, "needed", told.needed


def gate(case: Case, measure: str, by: bool = False, **options: Any) -> Iterator[Found]:
    runs, segments = list(case.runs), case.extra.get("segments") if by else None
    for old, new in ((runs[-1], runs[0]), (runs[0], runs[1])):
        found = unjudged.gate(of(case), old, new, measure, by=segments, **options)
        yield "", new, old, "outcome of all", found.outcome
        yield from _checked(found, old, new)


def _checked(found: Any, old: str, new: str) -> Iterator[Found]:
    for check in found.checks:
        yield check.segment, new, old, "values", [check.queries, check.old, check.new, check.difference]
        yield check.segment, new, old, "limits", [check.low, check.high]
        yield check.segment, new, old, "p", [check.p_not_worse, check.p_worse, check.p_worse_adjusted]
        for name in ("outcome", "open_to", "queries_needed", "documents"):
            yield check.segment, new, old, name, getattr(check, name)


def segments(case: Case, measure: str) -> Iterator[Found]:
    found = unjudged.compare(of(case), measures=measure).by(case.extra["segments"])
    for row in found.rows:
        key = row.segment, row.a, row.b
        yield *key, "values", [row.queries, row.mean_a, row.mean_b, row.difference]
        yield *key, "ends", [row.low, row.high]
        yield *key, "p", row.p
        yield *key, "p_adjusted", row.p_adjusted
        yield *key, "detectable", row.detectable
    for one in found.interactions:
        yield "", one.a, one.b, "interaction", [one.p, one.p_adjusted]


def collections(case: Case, measure: str, **options: Any) -> Iterator[Found]:
    other = Path(case.extra["other"])
    runs = {run: str(other / Path(file).name) for run, file in case.runs.items()}
    both = {"one": of(case), "two": _collection(str(other / "qrels.txt"), tuple(runs.items()))}
    found = unjudged.compare_collections(both, measure, **options)
    for i, run in enumerate(found.runs):
        yield "", run, "", "means", found.means[i]
        yield "", run, "", "mean", found.macro_means[i]
        yield "", run, "", "interval", [end[i] for end in found.interval]
        yield "", run, "", "places", found.ranks()[i]
    for k, (a, b) in enumerate(zip(found.pairs.first, found.pairs.second, strict=True)):
        names = found.runs[a], found.runs[b]
        yield "", *names, "p", [one.p[k] for one in found.tests]
        yield "", *names, "p_adjusted", found.p_adjusted[:, k]
        yield "", *names, "macro", [end[k] for end in found.macro]
        yield "", *names, "macro_adjusted", found.macro_adjusted[k]


def next_(case: Case, measure: str, **options: Any) -> Iterator[Found]:
    runs = (
        dict(list(case.runs.items())[:2]) if options.get("difference") else dict(list(case.runs.items())[:6])
    )
    found = judging.next(case.qrels, runs, 12, measure, **options)
    yield "", "", "", "candidates", found.candidates
    yield "", "", "", "documents", [[one.query, one.document] for one in found]
    yield "", "", "", "gains", [one.gain for one in found]
    for pair in found.pairs:
        yield (
            "",
            pair.leader,
            pair.other,
            "pair",
            [pair.difference, pair.low, pair.high, pair.p, pair.settled],
        )


def drawn(case: Case, design: Any, level: float, seed: int) -> Iterator[Found]:
    sample = judging.sample(judging.pool(case.runs, 4), design, level, seed=seed)
    yield from _drawn(sample)


def _drawn(sample: Any) -> Iterator[Found]:
    places = [sample.pooled.names([row])[0] for row in range(len(sample.drawn))]
    order = sorted(range(len(places)), key=places.__getitem__)
    yield "", "", "", "to judge", sorted(sample.to_judge())
    yield "", "", "", "stratum", sample.stratum[order]
    yield "", "", "", "probability", sample.probability[order]
    yield "", "", "", "origin", [sample.origin.kind, sample.origin.depth]


def redrawn(case: Case, design: Any, level: float, seed: int) -> Iterator[Found]:
    pool = judging.Pool.of(case.qrels, case.runs)
    yield "", "", "", "judgments", pairs_of(judging.DESIGNS[design].draw(pool, level, seed))


def drawn_for_predictions(case: Case, seed: int) -> Iterator[Found]:
    given = case.extra.get("predictions")
    yield from _drawn(
        predictions.design_for_predictions(case.runs, 15, given, "P@5", qrels=case.qrels, seed=seed)
    )


def pool(case: Case, depth: int) -> Iterator[Found]:
    made = judging.pool(case.runs, depth).judgments
    yield "", "", "", "documents", sorted(made.pooled.names(np.arange(len(made.grade))))


def stated(case: Case, how: str) -> Iterator[Found]:
    found = judging.stated_sample(case.qrels, case.runs, how)
    yield "", "", "", "judgments", pairs_of(found)
    yield "", "", "", "documents", len(found.grade)


def merged(case: Case, conflicts: Any, judges: list[str], drawn: bool) -> Iterator[Found]:
    first = judging.sample(judging.pool(case.runs, 4), "depth", 3) if drawn else case.qrels
    given = {judge: case.extra["answers"][judge] for judge in judges}
    found = judging.merge(first, given, conflicts=conflicts, allow_missing=drawn)
    yield "", "", "", "judgments", pairs_of(found.judgments)
    yield "", "", "", "conflicts", sorted(found.conflicts)
    yield "", "", "", "origin", [found.judgments.origin.kind, found.judgments.origin.depth]


def experiment(case: Case, **options: Any) -> Iterator[Found]:
    found = experiments.experiment(case.qrels, case.runs, repeats=3, seed=2, **options)
    yield "", "", "", "means", found.means
    yield "", "", "", "actual", found.actual
    yield "", "", "", "judged", found.judged
    for row in found.agreement:
        field = f"{row.level:g} {row.measure} {row.against} {row.statistic}"
        yield "", "", "", field, [row.mean, row.deviation]


def agreement(case: Case, measure: str) -> Iterator[Found]:
    sources = {"first": case.qrels, "second": case.extra["second"]}
    found = agreeing.agree(sources, case.runs, measure, draws=200)
    assert found.documents is not None
    for pair, estimates in found.documents.estimates.items():
        for name in KAPPAS:
            if name in estimates:
                yield from ends("+".join(pair), "", f"{name} ", estimates[name])
    for board in found.leaderboards:
        for pair, estimates in board.estimates.items():
            for name, own in ORDERS.items():
                yield from ends(*pair, f"{name} ", estimates[own])
        yield "", "", "", "significant", list(board.significant.items())


def predicted(case: Case, measure: str) -> Iterator[Found]:
    (found,) = predictions.estimate_with_predictions(
        of(case), None, case.extra["predictions"], measure, rel=1
    )
    pairs = [(a, b) for i, a in enumerate(found.runs) for b in found.runs[i + 1 :]]
    for run in found.runs:
        for estimate in found.intervals(run):
            yield from ends(run, "", f"{estimate.of.queries} ", estimate)
    compared = predictions.compare_with_predictions([found], pairs)
    for pair in compared.pairs:
        for estimate in pair.intervals:
            yield from ends(pair.a, pair.b, f"{estimate.of.queries} ", estimate)
        for name in ("mean_a", "mean_b", "p", "p_adjusted", "verdict"):
            yield "", pair.a, pair.b, name, getattr(pair, name)


def scores(case: Case, measure: str, what: str, given_ends: bool) -> Iterator[Found]:
    columns: dict[str, list[Any]] = {
        "run": [],
        "query": [],
        "measure": [],
        "value": [],
        "low": [],
        "high": [],
    }
    for run, own in case.extra["scores"].items():
        for q, (value, (low, high)) in enumerate(zip(own, case.extra["ends"][run], strict=True)):
            row = (run, f"q{q:02}", measure, value, low, high)
            for name, cell in zip(columns, row, strict=True):
                columns[name].append(cell)
    table = Scores.of({name: columns[name] for name in (list(columns) if given_ends else list(columns)[:4])})
    if what == "compare":
        yield from _compared(unjudged.compare(table), measure)
    elif what == "gate":
        yield from _checked(unjudged.gate(table, "s0", "s4", margin=0.02), "s0", "s4")
    elif what == "query interval":
        for run, (estimate,) in zip(table.runs, table.estimate("queries"), strict=True):
            yield from ends(run, "", "", estimate)
    else:
        for i, run in enumerate(table.runs):
            yield "", run, "", "mean", table.means[i, 0]


def chance(case: Case) -> Iterator[Found]:
    for measure in ("AP", "P@10", "R@10", "RR", "Success@10", "RBP(p=0.8)", "nDCG@10", "SetP", "SetR"):
        for documents, relevant in ((10, 4), (1000, 50), (30, 1), (20, 20)):
            value = baselines.expected(measure, documents, relevant)
            yield f"{measure} of {documents}, {relevant}", "", "", "expected", value
    for documents, relevant in ((10, 4), (1000, 50), (20, 20)):
        yield (
            f"AP of {documents}, {relevant}",
            "",
            "",
            "variance",
            baselines.variance_of_ap(documents, relevant),
        )


def urn(case: Case) -> Iterator[Found]:
    for seed in (0, 1):
        made = experiments.simulate(systems=4, queries=6, documents=60, seed=seed, depth=40)
        yield f"seed {seed}", "", "", "relevant", int((made.judgments.grade > 0).sum())
        for i, run in enumerate(made.runs):
            means = unjudged.evaluate(made.judgments, made.runs, ["AP", "RBP(p=0.8)"]).means[i]
            yield f"seed {seed}", run, "", "means", means


def statistics(case: Case) -> Iterator[Found]:
    means = {name: np.array(own) for name, own in case.extra["scores"].items()}
    for a, b in (("s0", "s1"), ("s0", "s4"), ("s2", "s3")):
        for digits in (3, 1):
            first, second = np.round(means[a], digits), np.round(means[b], digits)
            for name in ("tau", "tau_ap", "rho", "spearman"):
                yield f"{digits} digits", a, b, name, getattr(orders, name)(first, second)
            found = orders.rank_overlap(np.argsort(-first).tolist(), np.argsort(-second).tolist(), 0.9)
            yield f"{digits} digits", a, b, "rbo", found.value


def powered(case: Case) -> Iterator[Found]:
    one, two, three, *_ = case.extra["scores"].values()
    for size in (5, 12):
        found = predictions.prediction_powered(one[:size], two[:size], three)
        yield f"{size} queries", "", "", "powered", [found.value, found.error, found.weight, found.p]


def pair_tests(case: Case) -> Iterator[Found]:
    matrix = np.array(list(case.extra["scores"].values()))
    for test in ("t", "randomization", "wilcoxon", "bootstrap"):
        for correction in ("holm", "bh", "bonferroni", "tukey", "none"):
            found = unjudged.compare_pairs(matrix, test=test, correction=correction, draws=2000, seed=4)
            yield test, correction, "", "p", found.p
            yield test, correction, "", "p_adjusted", found.p_adjusted
    yield "", "", "", "effect", list(found.effect)
    yield "", "", "", "difference", list(found.difference)


def plan(case: Case) -> Iterator[Found]:
    matrix = np.array(list(case.extra["scores"].values()))
    for correction, comparisons in (("none", None), ("holm", 10)):
        for effect in (0.02, 0.1):
            found = unjudged.plan_queries(matrix, effect, correction=correction, comparisons=comparisons)
            for name in ("deviation", "queries", "queries_approximate", "smallest_difference"):
                yield f"{correction} {effect}", "", "", name, getattr(found, name)


ASK: dict[str, Answer] = {
    "values": values,
    "interval": interval,
    "calibrated": calibrated,
    "compare": compare,
    "tests": tests,
    "by query": by_query,
    "gate": gate,
    "segments": segments,
    "collections": collections,
    "next": next_,
    "drawn": drawn,
    "redrawn": redrawn,
    "drawn for predictions": drawn_for_predictions,
    "pool": pool,
    "stated": stated,
    "merged": merged,
    "experiment": experiment,
    "agreement": agreement,
    "predicted": predicted,
    "scores": scores,
    "chance": chance,
    "urn": urn,
    "orders": statistics,
    "powered": powered,
    "pair tests": pair_tests,
    "plan": plan,
}

if __name__ == "__main__":
    main(ASK, UnjudgedError, sys.argv[1:])
