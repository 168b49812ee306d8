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
from unjudged.formats.ties import joined_ties
from unjudged.measures.ties.expected import expected_values
from unjudged.measures.ties.extremes import tie_range
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

CASES = 5000
MEASURES = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "Bpref"]


def largest_differences(cases: int = CASES) -> tuple[int, float, float]:
    """Return how many measures were compared, and the largest errors of expected values and of range ends."""
    measures = [measure for measure in variants() if measure.name != "Hole"]  # which looks at other queries
    apart = [case(np.random.default_rng(seed), sampled=False) for seed in range(cases)]
    r = joined(apart, r_ties=True)
    each = [every_order(one) for one in apart]
    orders = joined([replace(one, judgments=own.judgments) for one, own in zip(each, apart, strict=True)])
    starts = np.cumsum([0, *map(len, each)])[:-1]
    sizes = np.array(list(map(len, each)))
    worst, worst_end = 0.0, 0.0
    for measure in measures:
        every = measure.compute(orders)
        found, limits = expected_values(measure, r), tie_range(measure, r)
        if found.sampled or not limits.exact:
            raise SystemExit(f"{measure}: not every order was tried")
        worst = max(worst, float(np.abs(found.values - np.add.reduceat(every, starts) / sizes).max()))
        low, high = np.minimum.reduceat(every, starts), np.maximum.reduceat(every, starts)
        worst_end = max(worst_end, float(np.abs([limits.low - low, limits.high - high]).max()))
    return len(measures), worst, worst_end


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


def enumeration_table() -> str:
    measures, worst, worst_end = largest_differences()
    rows = [["expected value", f"{worst:.1e}"], ["ends of the range", f"{worst_end:.1e}"]]
    said = f"{CASES:,} rankings of up to six documents, {measures} measures and parameters, every order:"
    return f"{said}\n\n{markdown(['', 'largest difference'], rows)}"


def runs_table(folder: Path) -> str:
    """How far other orders move the means of TREC-8's runs."""
    runs = sorted((folder / "runs").glob("*"))
    scores = evaluate(folder / "qrels.trec8.gz", runs, MEASURES, ties="range")
    expected = evaluate(folder / "qrels.trec8.gz", runs, MEASURES, ties="expected")
    rows = []
    for k, measure in enumerate(scores.measures):
        if scores.tied is None:
            raise SystemExit("no run of TREC-8 has ties, expected some")
        width = (scores.tied.high - scores.tied.low)[:, :, k].mean(axis=1)
        moved = np.abs(expected.means[:, k] - scores.means[:, k])
        numbers = [f"{(width > 0.001).sum()} of {len(runs)}", f"{width.max():.4f}", f"{moved.max():.4f}"]
        rows.append([str(measure), *numbers])
    head = [
        "measure",
        "runs that other orders move by more than .001",
        "widest range",
        "from order to expected",
    ]
    return markdown(head, rows)
