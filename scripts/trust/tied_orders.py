"""Expected values over the orders of tied documents: compared with all orders, and measured on TREC-8."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from coverage_tables import markdown

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.oracles.tied_orders import case, every_order, variants

from unjudged import evaluate
from unjudged.evaluation.tied_scores import ends_of_orders, expected_values
from unjudged.formats.ties import joined_ties
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

CASES = 2000
MEASURES = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "Bpref"]


def largest_differences(cases: int = CASES) -> tuple[int, float]:
    """Return how many measures were compared, and the largest error of an expected value."""
    measures = [measure for measure in variants() if measure.name != "Hole"]  # which looks at other queries
    apart = [case(np.random.default_rng(seed), sampled=False) for seed in range(cases)]
    r = joined(apart, r_ties=True)
    each = [every_order(one) for one in apart]
    orders = joined([replace(one, judgments=own.judgments) for one, own in zip(each, apart, strict=True)])
    starts = np.cumsum([0, *map(len, each)])[:-1]
    sizes = np.array(list(map(len, each)))
    found, errors = expected_values(measures, r)
    if errors.any():
        raise SystemExit("not every order was tried")
    worst = 0.0
    for k, measure in enumerate(measures):
        means = np.add.reduceat(measure.compute(orders), starts) / sizes
        worst = max(worst, float(np.abs(found[:, k] - means).max()))
    return len(measures), worst


def joined(parts: list[JudgedRankings], *, r_ties: bool = False) -> JudgedRankings:
    """Return rankings of one query each as those of many queries."""
    grades = [part.judgments.grade.tolist() for part in parts]
    judgments = Judgments.of(
        {f"q{i}": {f"d{j}": grade for j, grade in enumerate(own)} for i, own in enumerate(grades)}
    )
    rankings = [len(part) for part in parts]
    ties = [part.ties for part in parts] if r_ties else []
    return JudgedRankings(
        judgments,
        rank=np.concatenate([part.rank for part in parts]),
        row=np.concatenate([p.row + s for p, s in zip(parts, judgments.offsets, strict=False)]).astype(
            np.int32
        ),
        offsets=np.cumsum([0, *(count for part in parts for count in part.counts.tolist())]),
        retrieved=np.concatenate([part.retrieved for part in parts]),
        query=np.repeat(np.arange(len(parts)), rankings).astype(np.int32),
        ties=joined_ties(ties, [len(part.rank) for part in parts]) if r_ties else None,
    )


def enumeration_sentence() -> str:
    measures, worst = largest_differences()
    said = f"{CASES:,} rankings of up to six documents, {measures} measures and parameters, every order"
    return f"{said}: expected values are off by at most {worst:.1e}."


def runs_table(folder: Path) -> str:
    """How far other orders move the means of TREC-8's runs."""
    runs = sorted((folder / "runs").glob("*"))
    scores = evaluate(folder / "qrels.trec8.gz", runs, MEASURES)
    expected = evaluate(folder / "qrels.trec8.gz", runs, MEASURES, ties="expected")
    width = np.zeros(scores.means.shape)
    for i, run in enumerate(runs):
        one = evaluate(folder / "qrels.trec8.gz", run, MEASURES)
        low, high = ends_of_orders(one.measures, one.judged, one.values, depth=None) or (
            one.values,
            one.values,
        )
        width[i] = (high - low).mean(axis=1)
    moved, rows = np.abs(expected.means - scores.means), []
    for k, measure in enumerate(scores.measures):
        count = f"{(width[:, k] > 0.001).sum()} of {len(runs)}"
        rows.append([str(measure), count, f"{width[:, k].max():.4f}", f"{moved[:, k].max():.4f}"])
    head = ["measure", "runs that two orders move by more than .001", "widest", "from order to expected"]
    return markdown(head, rows)
