"""Expected values over the orders of tied documents: compared with all orders, and measured on TREC-8."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from coverage_tables import markdown

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.oracles.tied_orders import case, every_order, variants

from unjudged import evaluate
from unjudged.measures.ties.expected import expected_values
from unjudged.measures.ties.extremes import tie_range

CASES = 5000
MEASURES = ["AP", "nDCG@10", "P@10", "RR", "RBP(p=0.8)", "Bpref"]


def largest_differences(cases: int = CASES) -> tuple[int, float, float]:
    """Return how many measures were compared, and the largest errors of expected values and of range ends."""
    measures = variants()
    worst, worst_end = 0.0, 0.0
    for seed in range(cases):
        r = case(np.random.default_rng(seed), sampled=False)
        orders = every_order(r)
        for measure in measures:
            every = measure.compute(orders)
            worst = max(worst, abs(expected_values(measure, r).values[0] - every.mean()))
            limits = tie_range(measure, r)
            worst_end = max(worst_end, abs(limits.low[0] - every.min()), abs(limits.high[0] - every.max()))
    return len(measures), worst, worst_end


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
