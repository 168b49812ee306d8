"""The questions whose answers are recorded: of small collections, the sample, TREC-8 and DL-2019."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.parity.collections import Case
from unjudged import (
    Collection,
    Scores,
    audit,
    calibrate,
    compare,
    compare_collections,
    evaluate,
    experiment,
    gate,
    judging,
    plan_queries,
)
from unjudged.predictions import Predictions

BINARY = (
    *("NumRet", "NumRel", "NumRelRet", "NumNonrelRet", "Judged", "Judged@5", "Unjudged@5", "Hole@5"),
    *("AP", "AP@5", "AP(rel=2)", "GMAP", "yaAP", "P@5", "P(rel=2)@3", "R", "R@5", "RelP@5", "Rprec"),
    *("RprecMult@2", "RR", "RR@3", "Success@3", "IPrec@0.2", "IAP", "Bpref", "Bpref(form='original')"),
    *("Bpref10", "GMBpref", "SetP", "SetR", "SetF", "SetF(beta=2)", "SetRelP", "SetAP", "Utility", "BinG"),
    *("NCP", "NCP(stop='geometric')"),
)
GRADED = (
    *("nDCG", "nDCG@5", "nDCG(dcg='exp-log2')@5", "nDCG(gains={1:1,2:5,3:9})@10", "DCG@5", "IdealDCG@5"),
    *("ERR@5", "ERR(max_grade=3)", "nDCGRel", "RnDCG", "G", "RBP(p=0.8)", "RBP(p=0.95)@10"),
    *("RBP(p=0.5,max_grade=3)", "RBPResidual(p=0.8)", "RBPUpper(p=0.8)"),
)
SAMPLED = (
    *("infAP", "infAP(pool=False)", "indAP", "subAP", "subAP(seed=1)", "xinfAP", "infNDCG", "infP@5"),
    *("statAP", "statAPVariance", "statRprec", "statP@5"),
)
MEASURES = (*BINARY, *GRADED, *SAMPLED)
UNCERTAIN = (
    *("AP", "P@5", "nDCG@5", "RBP(p=0.8)", "RR", "R@5", "Rprec", "Bpref", "GMAP", "ERR@5", "Success@3"),
    *("NumRelRet", "SetF", "infAP", "indAP", "subAP", "xinfAP", "infNDCG", "infP@5", "statAP", "statP@5"),
)
FEW = ("AP", "P@5", "RR", "nDCG@5", "RBP(p=0.8)")
ESTIMATES = ("infAP", "xinfAP", "infNDCG", "statAP")
COMPARED = (*FEW, "GMAP", *ESTIMATES)
FRACTIONAL = {"P@5": "P(rel=0.5)@5", "RBP(p=0.8)": "RBP(p=0.8,rel=0.5)", "R@5": "R(rel=0.5)@5"}
FRACTIONAL |= {name: f"{name}(rel=0.5)" for name in ("AP", "GMAP", "RR", "Rprec", "Bpref", "infAP", "statAP")}
"""Where grades are fractions, a measure must say which are relevant."""
Asked = Iterator[tuple[str, Callable[[], Any]]]


def questions_of(case: Case) -> Asked:
    """Yield every question about a collection, under a name; large collections are asked less."""
    if case.kind == "numbers":
        yield from _about_scores(case.extra)
        return
    here = Collection(case.qrels, case.runs)

    def ask(what: Any, measures: Any, title: str = "", **given: Any) -> Asked:
        for name in measures:
            measure = FRACTIONAL.get(name, name) if case.kind == "fractional" else name
            told = title or ", ".join(f"{word}={value}" for word, value in given.items())
            yield f"{what.__name__} {told} {name}", partial(what, here, measures=measure, **given)

    if case.kind == "calibration":
        yield from _calibrated(case, depth=10 if case.name.startswith("dl2019") else 100)
        return
    yield from ask(values, MEASURES)
    if case.kind == "large":
        return
    small = case.kind not in ("medium", "sampled")
    yield from _evaluated(case, ask, small)
    yield from _compared(case, ask, small)
    yield from _judged_further(case, here)
    if "groups" in case.extra:
        yield from _calibrated(case, depth=5)


def _evaluated(case: Case, ask: Callable[..., Asked], small: bool) -> Asked:
    yield from ask(values, MEASURES if small else FEW, ties="expected")
    yield from ask(values, ("AP", "nDCG", "RBP(p=0.8)"), depth=3)
    yield from ask(evaluate, UNCERTAIN if small else (*FEW, *ESTIMATES), interval="sampling")
    if case.kind != "sampled":
        yield from ask(evaluate, (*FEW, *ESTIMATES), interval="queries")
        yield from ask(evaluate, UNCERTAIN if small else (*FEW, "R@5", "Rprec"), interval="bounds")
        yield from ask(evaluate, ("AP", "R@5", "Rprec"), interval="bounds(extra_relevant=2)")
        yield from ask(evaluate, ("AP", "R@5", "Rprec"), interval="bounds", pool_depth=2)
        for share in (0.2, [0.5, 0.3, 0.1]) if small else (0.2,):
            yield from ask(evaluate, FEW[3:], interval=f"model(prevalence={share}, draws=200)", seed=3)
    if "predictions" in case.extra:
        predicted = {"predictions": case.extra["predictions"]}
        for what in (systems, compare):
            yield from ask(what, (*FEW, "DCG@5"), " with predictions", **predicted)


def _compared(case: Case, ask: Callable[..., Asked], small: bool) -> Asked:
    yield from ask(compare, COMPARED)
    yield from ask(compare, ["AP"], baseline=next(iter(case.runs)))
    yield from ask(compare, ["AP"], depth=5)
    yield from ask(compare, ["AP"], pool_depth=2)
    yield from ask(compare, ["P@5"], ties="expected")
    for test in ("randomization", "wilcoxon", "bootstrap"):
        yield from ask(compare, ["nDCG@5"], test=test, draws=2000, seed=5)
    for correction in ("bh", "bonferroni", "tukey", "none"):
        yield from ask(compare, ["AP"], correction=correction, draws=2000)
    yield from ask(by_query, ("nDCG@5", "RBP(p=0.8)", "AP")[: 3 if small else 2])
    first, second, *_, last = case.runs
    for old, new in ((last, first), (first, second)):
        for way in ("worst", "as-judged", "seen"):
            yield from ask(
                gate,
                ("nDCG@5", "P@5", "GMAP", "AP")[: 4 if small else 2],
                old=old,
                new=new,
                margin=0.02,
                judging=way,
            )
    if segments := case.extra.get("segments"):
        yield from ask(compare, ("AP", "RBP(p=0.8)"), "by segment", segments=segments)
        yield from ask(gate, ["nDCG@5"], "by segment", old=last, new=first, margin=0.02, segments=segments)
    if "other" in case.extra:
        folder = Path(case.extra["other"])
        runs = {run: folder / Path(file).name for run, file in case.runs.items()}
        several: Any = (("nDCG@5", {}), ("GMAP", {}), ("AP", {"correction": "bh"}))
        for measure, how in several:
            both = {"one": Collection(case.qrels, case.runs), "two": Collection(folder / "qrels.txt", runs)}
            yield f"collections {measure}", partial(compare_collections, both, measure, **how)


def _judged_further(case: Case, here: Collection) -> Asked:
    for measure in ("RBP(p=0.8)", "nDCG@5", "AP"):
        yield f"next {measure}", partial(judging.next, here, n=12, measure=measure, seed=1)
    if case.kind == "sampled":
        return
    runs = list(case.runs.values())
    for design, level in {"uniform": 0.4, "pool": 2, "mixed": 1, "stratified": 0.4}.items():
        for seed in range(2):
            told = f"{design}({level})"
            yield f"drawn {told} {seed}", partial(judging.next, None, case.runs, design=told, seed=seed)
        many: Any = {"measures": ["AP", "infAP", "Bpref"], "levels": [level, level * 2], "against": "AP"}
        asked = partial(experiment, case.qrels, case.runs, design, repeats=3, seed=2, **many)
        yield f"experiment {design}", asked
    for how in ("sample", "sample per query"):
        yield f"stated {how}", partial(judging.stated_sample, case.qrels, runs, how)
    if "second" in case.extra:
        judge = Predictions.of(case.extra["second"], kind="grades")
        yield "audit", partial(audit, case.qrels, judge, case.runs, "AP", draws=200)
    if answers := case.extra.get("answers"):
        for rule in ("error", "majority", "highest", "last"):
            given = {"ann": answers["ann"]} if rule == "error" else answers
            yield f"merged by {rule}", partial(judging.merge, case.qrels, given, conflicts=rule)


def _calibrated(case: Case, depth: int) -> Asked:
    for measure in ("AP", "nDCG@5", "RBP(p=0.8)", "P@5", "RR"):
        yield f"calibrated {measure}", partial(_by_calibration, case, measure, depth)


def _by_calibration(case: Case, measure: str, depth: int) -> Any:
    made = calibrate(case.qrels, case.runs, case.extra["groups"], measure, depth=depth)
    collection = Collection(case.qrels, case.runs, calibration=made)
    share = 0.5 if case.kind == "groups" else 0.9
    return evaluate(collection, None, measure, interval=f"calibrated(confidence={share})", depth=depth)


def values(collection: Collection, measures: str, **given: Any) -> Any:
    """Score the runs, and return no more than the scores."""
    found = evaluate(collection, measures=measures, **given)
    return {"": {"values": found.values.ravel(), "means": found.means.ravel()}}


def systems(collection: Collection, measures: str, **given: Any) -> Any:
    """Score the runs, without rows by query."""
    return {"systems": evaluate(collection, measures=measures, **given).rows["systems"]}


def by_query(collection: Collection, measures: str) -> Any:
    """Compare the first and the last run query by query."""
    found = compare(collection, measures=measures)
    return found.by_query(found.runs[0], found.runs[-1])


def _about_scores(extra: dict[str, Any]) -> Asked:
    columns: dict[str, list[Any]] = {
        "run": [],
        "query": [],
        "measure": [],
        "value": [],
        "low": [],
        "high": [],
    }
    for run, values in extra["scores"].items():
        for q, (value, ends) in enumerate(zip(values, extra["ends"][run], strict=True)):
            for column, cell in zip(
                columns.values(), (run, f"q{q:02}", "nDCG@10", value, *ends), strict=True
            ):
                column.append(cell)
    for names in (list(columns), list(columns)[:4]):
        table, title = Scores.read({name: columns[name] for name in names}), f"scores of {len(names)} columns"
        yield f"{title} compare", partial(compare, table)
        yield f"{title} gate", partial(gate, table, "s0", "s4", margin=0.02)
        yield f"{title} evaluate", partial(evaluate, table, interval="queries")
    for test in ("t", "randomization", "wilcoxon", "bootstrap"):
        for correction in ("holm", "bh", "bonferroni", "tukey", "none"):
            asked = partial(compare, table, test=test, correction=correction, draws=2000, seed=4)
            yield f"scores {test} {correction}", asked
    for correction, comparisons in (("none", None), ("holm", 10)):
        for effect in (0.02, 0.1):
            given: Any = {"correction": correction, "comparisons": comparisons}
            matrix = list(extra["scores"].values())
            yield f"plan {correction} {effect}", partial(plan_queries, matrix, effect, **given)
