"""Asks the package: an adapter for each question, whose answers have the form of the recorded ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

import unjudged
from tests.pairs import all_pairs
from tests.parity.collections import Case
from tests.parity.rows import Answer, Found
from unjudged import Collection, Judgments, Scores, judging, predictions, studies
from unjudged.inference.pair_rows import turned as turned_row
from unjudged.inference.pairs import effect_size, t_interval
from unjudged.judging.designs import draw
from unjudged.judging.judging_page import to_judge_in
from unjudged.studies import agreement as orders
from unjudged.studies.agreement import COEFFICIENTS, STATISTICS


@lru_cache(4)
def _collection(qrels: str, runs: tuple[tuple[str, str], ...]) -> Collection:
    return Collection(qrels, dict(runs))


def of(case: Case) -> Collection:
    return _collection(case.qrels, tuple(case.runs.items()))


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
    kind, seed = options.pop("interval"), options.pop("seed", 0)
    asked = f"{kind}({', '.join(f'{name}={value}' for name, value in options.items())})"
    found = unjudged.evaluate(of(case), measures=measure, interval=asked, pool_depth=pool_depth, seed=seed)
    yield from _intervals(found, kind)


def _intervals(found: Any, kind: str) -> Iterator[Found]:
    ends_of = {"bounds": "", "queries": "query_", "calibrated": "calibrated_"}
    prefix = ends_of.get(kind, "estimate_")
    for run in found.runs:
        row = found[run]
        told = not row["method"].startswith("no interval")
        yield "", run, "", "value", row.get("estimate", row["mean"])
        low, high = (row.get(f"{prefix}{end}", np.nan) for end in ("low", "high"))
        yield "", run, "", "ends", [low, high, row["confidence"] if told else np.nan]


def calibrated(case: Case, measure: str) -> Iterator[Found]:
    depth = 5 if case.kind == "groups" else 10 if case.name.startswith("dl2019") else 100
    made = unjudged.calibrate(of(case), None, case.extra["groups"], measure, depth=depth)
    yield "", "", "", "scores", [[name, [row[:2] for row in rows]] for name, rows in made.scores.items()]
    confidence = 0.5 if case.kind == "groups" else 0.9
    collection = Collection(case.qrels, dict(case.runs), calibration=made)
    asked = f"calibrated(confidence={confidence})"
    yield from _intervals(
        unjudged.evaluate(collection, None, measure, interval=asked, depth=depth), "calibrated"
    )


def compare(case: Case, measure: str, **options: Any) -> Iterator[Found]:
    found = unjudged.compare(of(case), measures=measure, **options)
    yield from _compared(found)


def _pairs(found: Any) -> Iterator[Any]:
    """The pairs as they were before: the earlier system minus the later one, or minus the baseline."""
    for row in sorted(found.pairs, key=lambda row: _order(found, row)):
        alone = found.settings["baseline"] is not None
        yield found.pair(*((row["a"], row["b"]) if alone else (row["b"], row["a"])), row["measure"])


def _order(found: Any, row: Any) -> list[int]:
    return sorted(found.runs.index(row[side]) for side in "ab")


def _known(row: Any, name: str) -> Any:
    return row.get(name, np.nan)


def _compared(found: Any) -> Iterator[Found]:
    for row in _pairs(found):
        a, b = row["a"], row["b"]
        bounded = np.isfinite(_known(row, "low"))
        level = 1 - found.settings["alpha"]
        yield "", a, b, "difference value", row["difference"]
        ends = [_known(row, "low"), _known(row, "high"), 1.0 if bounded else np.nan]
        yield "", a, b, "difference ends", ends
        yield "", a, b, "other queries value", row["difference"]
        yield "", a, b, "other queries ends", [row["query_low"], row["query_high"], level]
        yield "", a, b, "effect value", row["effect"]
        yield "", a, b, "effect ends", [row["effect_low"], row["effect_high"], level]
        yield "", a, b, "outcomes", [row["wins"], row["ties"], row["losses"]]
        for name in ("mean_a", "mean_b", "p", "p_adjusted", "better"):
            yield "", a, b, name, row[name]
    systems = {row["system"]: row for row in found.systems}
    for run in found.runs:
        row = systems[run]
        if "place_low" in row:
            yield "", run, "", "places", [row["place_low"], row["place_high"]]
        yield "", run, "", "interval", [_known(row, "query_low"), _known(row, "query_high")]


def tests(case: Case, measure: str, **options: Any) -> Iterator[Found]:
    for row in _pairs(unjudged.compare(of(case), measures=measure, **options)):
        yield "", row["a"], row["b"], "p", row["p"]
        yield "", row["a"], row["b"], "p_adjusted", row["p_adjusted"]


def by_query(case: Case, measure: str) -> Iterator[Found]:
    found = unjudged.compare(of(case), measures=measure)
    first, *_, last = found.runs
    told = found.by_query(first, last)
    for row in told.rows["queries"]:
        yield row["query"], first, last, "difference", row["difference"]
        yield row["query"], first, last, "ends", [_known(row, "low"), _known(row, "high")]


def gate(case: Case, measure: str, by: bool = False, **options: Any) -> Iterator[Found]:
    runs, segments = list(case.runs), case.extra.get("segments") if by else None
    judging: Any = {"as they are": "as-judged"}.get(options.pop("judgments", ""), "worst")
    for old, new in ((runs[-1], runs[0]), (runs[0], runs[1])):
        found = unjudged.gate(of(case), old, new, measure, segments=segments, judging=judging, **options)
        yield "", new, old, "outcome of all", _outcome(found.outcome)
        yield from _checked(found, old, new)


def _outcome(word: str) -> str:
    return "open" if word == "undecided" else word


def _checked(found: Any, old: str, new: str) -> Iterator[Found]:
    for row in found.checks:
        key = row["segment"], new, old
        yield *key, "values", [row["queries"], row["mean_b"], row["mean_a"], row["difference"]]
        yield *key, "limits", [row["limit_low"], row["limit_high"]]
        yield *key, "p", [row["p_not_worse"], row["p_worse"], row["p_worse_adjusted"]]
        yield *key, "outcome", _outcome(row["outcome"])
        yield *key, "open_to", "judgments" if row["open_to"] == "judging" else row["open_to"]
        yield *key, "queries_needed", row["queries_needed"]


def segments(case: Case, measure: str) -> Iterator[Found]:
    found = unjudged.compare(of(case), measures=measure, segments=case.extra["segments"])
    for turned in found.segments:
        row = turned_row(turned)
        key = row["segment"], row["a"], row["b"]
        yield *key, "values", [row["queries"], row["mean_a"], row["mean_b"], row["difference"]]
        yield *key, "ends", [row["query_low"], row["query_high"]]
        yield *key, "p", np.nan if row["p"] is None else row["p"]
        yield *key, "p_adjusted", np.nan if row["p_adjusted"] is None else row["p_adjusted"]
        yield *key, "detectable", row["detectable"] if np.isfinite(row["detectable"]) else None
        if row["segment"] == "all":
            between = [row["interaction_p"], row["interaction_p_adjusted"]]
            yield "", row["a"], row["b"], "interaction", between


def collections(case: Case, measure: str, **options: Any) -> Iterator[Found]:
    other = Path(case.extra["other"])
    runs = {run: str(other / Path(file).name) for run, file in case.runs.items()}
    both = {"one": of(case), "two": _collection(str(other / "qrels.txt"), tuple(runs.items()))}
    found = unjudged.compare_collections(both, measure, **options)
    systems = {(row["collection"], row["system"]): row for row in found.systems}
    for run in found.runs:
        macro = systems["mean", run]
        yield "", run, "", "means", [systems[name, run]["mean"] for name in both]
        yield "", run, "", "mean", macro["mean"]
        yield "", run, "", "interval", [macro["query_low"], macro["query_high"]]
        if "place_low" in macro:
            yield "", run, "", "places", [macro["place_low"], macro["place_high"]]
    rows = {(row["collection"], row["a"], row["b"]): row for row in found.rows["collections"]}
    for (name, a, b), turned in rows.items():
        if name == "mean":
            alone = found.settings["baseline"] is not None
            row = turned if alone else turned_row(turned)
            each = [rows[one, a, b] for one in both]
            key = "", row["a"], row["b"]
            yield *key, "p", [one["p"] for one in each]
            yield *key, "p_adjusted", [one["p_adjusted"] for one in each]
            yield *key, "macro", [row["difference"], row["query_low"], row["query_high"], row["p"]]
            yield *key, "macro_adjusted", row["p_adjusted"]


def next_(case: Case, measure: str, **options: Any) -> Iterator[Found]:
    """Documents that settle pairs; other variants are gone."""
    if {*options} != {"settle", "seed"}:
        return
    runs = dict(list(case.runs.items())[:6])
    found = judging.next(case.qrels, runs, n=12, measure=measure, seed=options["seed"])
    yield "", "", "", "documents", [[one["query"], one["document"]] for one in found.wanted]
    yield "", "", "", "gains", [one["gain"] for one in found.wanted]


DESIGNS = {"random": "uniform", "depth": "pool"}


def drawn(case: Case, design: Any, level: float, seed: int) -> Iterator[Found]:
    yield from _drawn(_sample(case, design, level, seed))


def _sample(case: Case, design: str, level: Any, seed: int = 0) -> Judgments:
    """A pool of a lower depth is a stratum that is judged completely, and one that is not judged."""
    pool = judging.Pool.of_runs(case.runs, 4)
    if design == "depth":
        design, level = "stratified", {level: 1.0}
    return draw(pool, judging.DESIGNS.find(DESIGNS.get(design, design)), level, seed=seed)


def _drawn(sample: Judgments) -> Iterator[Found]:
    places = [sample.pooled.names([row])[0] for row in range(len(sample.grade))]  # type: ignore[arg-type]
    order = sorted(range(len(places)), key=places.__getitem__)
    one = np.ones(len(places), np.int32)
    yield "", "", "", "to judge", sorted(to_judge_in(sample))
    yield "", "", "", "stratum", (one if sample.stratum is None else sample.stratum)[order]
    yield (
        "",
        "",
        "",
        "probability",
        sample.inclusion[order] if sample.probability is None else sample.probability[order],
    )
    yield "", "", "", "origin", [sample.origin.kind, sample.origin.depth]


def redrawn(case: Case, design: Any, level: float, seed: int) -> Iterator[Found]:
    pool = judging.Pool.of(case.qrels, case.runs)
    yield (
        "",
        "",
        "",
        "judgments",
        pairs_of(judging.DESIGNS[DESIGNS.get(design, design)].draw(pool, level, seed)),
    )


def pool(case: Case, depth: int) -> Iterator[Found]:
    made = judging.Pool.of_runs(case.runs, depth).judgments
    yield "", "", "", "documents", sorted(made.pooled.names(np.arange(len(made.grade))))


def stated(case: Case, how: str) -> Iterator[Found]:
    found = judging.stated_sample(case.qrels, case.runs, how)
    yield "", "", "", "judgments", pairs_of(found)
    yield "", "", "", "documents", len(found.grade)


def merged(case: Case, conflicts: Any, judges: list[str], drawn: bool) -> Iterator[Found]:
    """Where answers are missing, nobody can judge the documents."""
    first = _sample(case, "depth", 3) if drawn else case.qrels
    given = {judge: case.extra["answers"][judge] for judge in judges}
    if isinstance(first, Judgments):
        given["nobody"] = first.with_grades(np.full_like(first.grade, -2))
    found = judging.merge(first, given, conflicts=conflicts)
    yield "", "", "", "judgments", pairs_of(found.judgments)
    conflicts = [(row["query"], row["document"]) for row in found.rows["conflicts"]]
    yield "", "", "", "conflicts", sorted(conflicts)
    yield "", "", "", "origin", [found.judgments.origin.kind, found.judgments.origin.depth]


def experiment(case: Case, design: str, **options: Any) -> Iterator[Found]:
    design = DESIGNS.get(design, design)
    found = unjudged.experiment(case.qrels, case.runs, design, against="AP", repeats=3, seed=2, **options)
    yield "", "", "", "means", found.source.means
    yield "", "", "", "actual", found.source.actual
    yield "", "", "", "judged", found.source.judged
    for row in found.rows["experiment"]:
        field = f"{row['level']:g} {row['measure']} {row['against']} {row['statistic']}"
        yield "", "", "", field, [row["mean"], row["deviation"]]


def agreement(case: Case, measure: str) -> Iterator[Found]:
    judge = predictions.Predictions.of(case.extra["second"], kind="grades")
    found = unjudged.audit(case.qrels, judge, case.runs, measure, draws=200).rows
    titles = {own.title: name for name, own in COEFFICIENTS.items()}
    for row in found["agreement"]:
        if name := titles.get(row["coefficient"]):
            yield from _agreed("" if "alpha" in name else "first+second", "", name, row)
    titles = {STATISTICS[name].title: name for name in ("tau", "tau_ap", "rbo")}
    for row in found["orders"]:
        if name := titles.get(row["coefficient"]):
            yield from _agreed("first", "second", name, row)


def _agreed(a: str, b: str, name: str, row: Any) -> Iterator[Found]:
    low, high = (np.nan if row[end] is None else row[end] for end in ("query_low", "query_high"))
    value = np.nan if row["value"] is None else row["value"]
    yield "", a, b, f"{name} value", value
    yield "", a, b, f"{name} ends", [low, high, np.nan if np.isnan(low) else 0.95]


def predicted(case: Case, measure: str) -> Iterator[Found]:
    given = {"measures": measure, "predictions": case.extra["predictions"]}
    found = unjudged.evaluate(of(case), **given)
    for run in found.runs:
        row, others = found[run], unjudged.evaluate(of(case), interval="queries", **given)[run]
        if "estimate_low" in row:
            yield "", run, "", "these queries value", row["mean"]
            yield "", run, "", "these queries ends", [row["estimate_low"], row["estimate_high"], 0.95]
        yield "", run, "", "other queries value", row["mean"]
        yield "", run, "", "other queries ends", [others["query_low"], others["query_high"], 0.95]
    pairs = [(a, b) for i, a in enumerate(found.runs) for b in found.runs[i + 1 :]]
    if len(found.runs) < 2:
        return
    compared = unjudged.compare(of(case), measures=measure, predictions=case.extra["predictions"])
    for a, b in pairs:
        row = compared.pair(a, b)
        for name in ("mean_a", "mean_b"):
            if name in row:
                yield "", a, b, name, row[name]
        yield "", a, b, "p", row["p"]
        yield "", a, b, "p_adjusted", row["p_adjusted"]
        if "estimate_low" in row:
            yield "", a, b, "these queries value", row["difference"]
            yield "", a, b, "these queries ends", [row["estimate_low"], row["estimate_high"], 0.95]
        yield "", a, b, "other queries value", row["difference"]
        yield "", a, b, "other queries ends", [row["query_low"], row["query_high"], 0.95]


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
    table = Scores.read(
        {name: columns[name] for name in (list(columns) if given_ends else list(columns)[:4])}
    )
    if what == "compare":
        yield from _compared(unjudged.compare(table))
    elif what == "gate":
        yield from _checked(unjudged.gate(table, "s0", "s4", margin=0.02), "s0", "s4")
    elif what == "query interval":
        yield from _intervals(unjudged.evaluate(table, interval="queries"), "queries")
    else:
        for i, run in enumerate(table.runs):
            yield "", run, "", "mean", table.means[i, 0]


def chance(case: Case) -> Iterator[Found]:
    for measure in ("AP", "P@10", "R@10", "RR", "Success@10", "RBP(p=0.8)", "nDCG@10", "SetP", "SetR"):
        for documents, relevant in ((10, 4), (1000, 50), (30, 1), (20, 20)):
            value = studies.expected(measure, documents, relevant)
            yield f"{measure} of {documents}, {relevant}", "", "", "expected", value
    for documents, relevant in ((10, 4), (1000, 50), (20, 20)):
        yield (
            f"AP of {documents}, {relevant}",
            "",
            "",
            "variance",
            studies.variance_of_ap(documents, relevant),
        )


def urn(case: Case) -> Iterator[Found]:
    for seed in (0, 1):
        made = studies.simulate(systems=4, queries=6, documents=60, seed=seed, depth=40)
        yield f"seed {seed}", "", "", "relevant", int((made.judgments.grade > 0).sum())
        for i, run in enumerate(made.runs):
            means = unjudged.evaluate(made.judgments, made.runs, ["AP", "RBP(p=0.8)"]).means[i]
            yield f"seed {seed}", run, "", "means", means


def statistics(case: Case) -> Iterator[Found]:
    means = {name: np.array(own) for name, own in case.extra["scores"].items()}
    for a, b in (("s0", "s1"), ("s0", "s4"), ("s2", "s3")):
        for digits in (3, 1):
            first, second = np.round(means[a], digits), np.round(means[b], digits)
            for name in ("tau", "tau_ap", "rho"):
                yield f"{digits} digits", a, b, name, getattr(orders, name)(first, second)
            one, other = (-np.argsort(np.argsort(-own)).astype(float) for own in (first, second))
            found = studies.rank_overlap(one, other, 0.9)
            yield f"{digits} digits", a, b, "rbo", found


def powered(case: Case) -> Iterator[Found]:
    one, two, three, *_ = case.extra["scores"].values()
    for size in (5, 12):
        found = predictions.prediction_powered(one[:size], two[:size], three)
        yield f"{size} queries", "", "", "powered", [found.value, found.error, found.weight, found.p]


def pair_tests(case: Case) -> Iterator[Found]:
    matrix = np.array(list(case.extra["scores"].values()))
    for test in ("t", "randomization", "wilcoxon", "bootstrap"):
        for correction in ("holm", "bh", "bonferroni", "tukey", "none"):
            found = all_pairs(matrix, test, correction, draws=2000, seed=4)
            yield test, correction, "", "p", found.p
            yield test, correction, "", "p_adjusted", found.p_adjusted
    yield "", "", "", "effect", list(effect_size(found.pairs))
    yield "", "", "", "difference", list(t_interval(found.pairs))


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
