"""The questions, as plain data: `ask` has an adapter for each kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.parity.collections import Case

COUNTS = ("NumRet", "NumRel", "NumRelRet", "NumNonrelRet", "Judged", "Judged@5", "Unjudged@5", "Hole@5")
BINARY = (
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
MEASURES = (*COUNTS, *BINARY, *GRADED, *SAMPLED)
UNCERTAIN = (
    *("AP", "P@5", "nDCG@5", "RBP(p=0.8)", "RR", "R@5", "Rprec", "Bpref", "GMAP", "ERR@5", "Success@3"),
    *("NumRelRet", "SetF", "infAP", "indAP", "subAP", "xinfAP", "infNDCG", "infP@5", "statAP", "statP@5"),
)
LARGER = ("medium", "sampled")
BOUNDED = ("P@5", "nDCG@5", "RR", "AP", "RBP(p=0.8)", "R@5", "Rprec")
COMPARED = ("AP", "nDCG@5", "RBP(p=0.8)", "P@5", "GMAP", "RR", "infAP", "xinfAP", "statAP")
CALIBRATED = ("AP", "nDCG@5", "RBP(p=0.8)", "P@5", "RR")
SUMS = ("P@5", "RBP(p=0.8)", "DCG@5")
FRACTIONAL = {"P@5": "P(rel=0.5)@5", "RBP(p=0.8)": "RBP(p=0.8,rel=0.5)", "R@5": "R(rel=0.5)@5"}
FRACTIONAL |= {name: f"{name}(rel=0.5)" for name in ("AP", "GMAP", "RR", "Rprec", "Bpref", "infAP", "statAP")}
"""Where grades are fractions, a measure must say which are relevant."""
DRAWS = {"random": 0.4, "depth": 2, "mixed": 1, "stratified": 0.4}


@dataclass(frozen=True)
class Question:
    """One question: the adapter, what its fields begin with, the measure if there is one, and options."""

    ask: str
    label: str
    measure: str = ""
    own: dict[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> dict[str, Any]:
        return {**({"measure": self.measure} if self.measure else {}), **self.own}


def questions_of(case: Case) -> Iterator[Question]:
    """Yield every question about a collection."""
    for question in _questions_of(case):
        named = FRACTIONAL.get(question.measure) if case.kind == "fractional" else None
        yield replace(question, measure=named) if named else question


def _questions_of(case: Case) -> Iterator[Question]:
    """Yield the questions by the kind of collection: large ones are asked less."""
    if case.kind == "numbers":
        yield from (
            Question(ask, ask) for ask in ("chance", "urn", "orders", "powered", "pair tests", "plan")
        )
        yield from _of_scores("nDCG@10")
        return
    if case.kind == "calibration":
        yield from (Question("calibrated", "calibrated", measure) for measure in CALIBRATED)
        if "predictions" in case.extra:
            yield Question("predicted", "predicted", "P@5")
        return
    yield from (Question("values", "values", measure) for measure in MEASURES)
    if case.kind == "large":
        return
    yield from (Question("values", "expected", m, {"ties": "expected"}) for m in _some(MEASURES, case))
    yield from (Question("values", "to depth 3", m, {"depth": 3}) for m in ("AP", "nDCG", "RBP(p=0.8)"))
    yield from _intervals(case)
    yield from _comparisons(case)
    yield from _judging(case)
    for design, level in DRAWS.items():
        options: dict[str, Any] = {
            "design": design,
            "levels": [level, level * 2],
            "measures": ["AP", "infAP", "Bpref"],
        }
        yield Question("experiment", f"experiment {design}", own=options)
    if "second" in case.extra:
        yield Question("agreement", "agreement", "AP")
    if "predictions" in case.extra:
        yield from (Question("predicted", "predicted", measure) for measure in (*SUMS, "AP", "nDCG@5"))


def _some(measures: tuple[str, ...], case: Case) -> tuple[str, ...]:
    """Leave out what is slow with many documents."""
    return measures if case.kind not in LARGER else ("AP", "P@5", "RR", "nDCG@5", "RBP(p=0.8)")


def _intervals(case: Case) -> Iterator[Question]:
    for measure in UNCERTAIN:
        for interval in ("queries", "sampling"):
            yield Question("interval", f"interval {interval}", measure, {"interval": interval})
    if case.kind == "sampled":
        return
    for measure in BOUNDED if case.kind == "medium" else UNCERTAIN:
        yield Question("interval", "interval bounds", measure, {"interval": "bounds"})
    for measure in ("AP", "R@5", "Rprec"):
        more = {"interval": "bounds", "extra_relevant": 2}
        yield Question("interval", "bounds with 2 more", measure, more)
        yield Question("interval", "bounds to depth 2", measure, {"interval": "bounds", "pool_depth": 2})
    for measure in BOUNDED[3:5] if case.kind == "medium" else BOUNDED[:5]:
        given = {"interval": "model", "prevalence": 0.2, "draws": 200, "seed": 3}
        yield Question("interval", "interval model", measure, given)
        yield Question(
            "interval", "interval model by rank", measure, {**given, "prevalence": [0.5, 0.3, 0.1]}
        )
    if "groups" in case.extra:
        yield from (Question("calibrated", "calibrated", measure) for measure in CALIBRATED)


def _comparisons(case: Case) -> Iterator[Question]:
    yield from (Question("compare", "compare", measure) for measure in COMPARED)
    first = next(iter(case.runs))
    yield Question("compare", "compare with baseline", "AP", {"baseline": first})
    yield Question("compare", "compare to depth", "AP", {"depth": 5})
    yield Question("compare", "compare with pool depth", "AP", {"pool_depth": 2})
    yield Question("compare", "compare expected", "P@5", {"ties": "expected"})
    for test in ("randomization", "wilcoxon", "bootstrap"):
        yield Question("tests", f"test {test}", "nDCG@5", {"test": test, "draws": 2000, "seed": 5})
    for correction in ("bh", "bonferroni", "tukey", "none"):
        given = {"correction": correction, "draws": 2000}
        yield Question("tests", f"correction {correction}", "AP", given)
    for measure in ("nDCG@5", "RBP(p=0.8)", "AP")[: 2 if case.kind in LARGER else 3]:
        yield Question("by query", "by query", measure)
    for measure in ("nDCG@5", "P@5", "GMAP", "AP")[: 2 if case.kind in LARGER else 4]:
        yield Question("gate", "gate", measure, {"margin": 0.02})
        yield Question("gate", "gate as judged", measure, {"margin": 0.02, "judgments": "as they are"})
    if "segments" in case.extra:
        yield from (Question("segments", "segments", measure) for measure in ("AP", "RBP(p=0.8)"))
        yield Question("gate", "gate by segment", "nDCG@5", {"margin": 0.02, "by": True})
    if "other" in case.extra:
        yield from (Question("collections", "collections", measure) for measure in ("nDCG@5", "GMAP"))
        yield Question("collections", "collections bh", "AP", {"correction": "bh"})


def _judging(case: Case) -> Iterator[Question]:
    yield Question("next", "next", "RBP(p=0.8)")
    yield Question("next", "next of difference", "P@5", {"difference": True})
    for measure in ("RBP(p=0.8)", "nDCG@5", "AP"):
        yield Question("next", "next settle", measure, {"settle": True, "seed": 1})
    yield Question("next", "next given prevalence", "nDCG@5", {"prevalence": 0.3, "pooled": True})
    yield Question("next", "next with confidence", "AP", {"confidence": 0.9, "top": 3})
    if case.kind == "sampled":
        return
    for design, level in DRAWS.items():
        for seed in range(1 if case.kind in LARGER else 3):
            given = {"design": design, "level": level, "seed": seed}
            yield Question("drawn", f"drawn {design} {seed}", own=given)
            yield Question("redrawn", f"judged less {design} {seed}", own=given)
    yield Question("pool", "pool", own={"depth": 3})
    for name, how in (("uniformly", "sample"), ("per-query", "sample per query")):
        yield Question("stated", f"stated {name}", own={"how": how})
    if "answers" in case.extra:
        for rule in ("error", "majority", "highest", "last"):
            judges = ["ann"] if rule == "error" else ["ann", "bob", "cy"]
            for drawn in (True, False):
                given = {"conflicts": rule, "judges": judges, "drawn": drawn}
                yield Question("merged", f"merged by {rule}{' drawn' * drawn}", own=given)


def _of_scores(measure: str) -> Iterator[Question]:
    for ends in (True, False):
        label = "scores with ends" if ends else "scores"
        for ask in ("means", "query interval", "compare", "gate"):
            yield Question("scores", f"{label} {ask}", measure, {"what": ask, "given_ends": ends})
