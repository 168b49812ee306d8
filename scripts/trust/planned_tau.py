"""Whether a plan keeps its promise: half of TREC-8's topics are the pilot, the others are judged by it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from coverage_tables import markdown, share

from unjudged import Judgments
from unjudged.agreement.orders import tau
from unjudged.experiments.judgment_plan import plan_judgments
from unjudged.experiments.robustness import experiment
from unjudged.judging.pooling.pool import Pool

SPLITS, TARGET, REPEATS = 10, 0.9, 3
DESIGNS = ("depth", "stratified")


@dataclass(frozen=True)
class Promise:
    """A planned tau with its interval, and what the other topics had."""

    split: int
    design: str
    level: str
    promised: float
    low: float
    high: float
    found: float


def promises(folder: Path, split: int) -> list[Promise]:
    """What plans from one half of the topics promise and the other half keeps."""
    judgments = Judgments.read(folder / "qrels.trec8.gz")
    runs = {path.name: path for path in sorted((folder / "runs").iterdir())}
    names = list(judgments.queries)
    pilot = set(np.random.default_rng(split).permutation(names)[: len(names) // 2].tolist())
    halves = [_of(judgments, {name for name in names if (name in pilot) == own}) for own in (True, False)]
    plan = plan_judgments(
        halves[0], runs, tau=TARGET, designs=DESIGNS, repeats=REPEATS, queries=len(names) - len(pilot)
    )
    other, kept = Pool.of(halves[1], runs), []
    for one in plan.designs:
        if one.level is None:
            continue
        tried = experiment(
            other,
            design=one.design,
            levels=[one.level],
            measures=one.measure,
            statistics=["tau"],
            repeats=REPEATS,
        )  # type: ignore[call-overload]
        found = float(np.mean([tau(means, tried.reference) for means in tried.means[0, :, :, 0]]))
        kept.append(Promise(split, one.design, one.shown, one.tau, one.tau_low, one.tau_high, found))
    return kept


def _of(judgments: Judgments, queries: set[str]) -> Judgments:
    names = list(judgments.queries)
    rows = zip(judgments.query.tolist(), judgments.documents, judgments.grade.tolist(), strict=True)
    return Judgments.of([(names[q], document, grade) for q, document, grade in rows if names[q] in queries])


def promises_table(found: list[Promise]) -> str:
    """How often the other topics kept the promise."""
    head = [
        "design",
        "plans",
        "promised tau, mean",
        "tau of the other topics, mean",
        "inside the interval",
        "at least its lower end",
    ]
    rows = []
    for design in DESIGNS:
        own = [one for one in found if one.design == design]
        if own:
            inside = sum(one.low <= one.found <= one.high for one in own)
            above = sum(one.found >= one.low for one in own)
            means = [
                share(float(np.mean([getattr(one, name) for one in own]))) for name in ("promised", "found")
            ]
            rows.append([design, str(len(own)), *means, str(inside), str(above)])
    return markdown(head, rows)
