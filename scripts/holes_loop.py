"""Holes of the sample closed: how often intervals of checks contain the score with everything judged.

`python scripts/holes_loop.py [SEEDS]` draws 50 and 100 holes by each seed, answers them, and evaluates.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import NamedTuple

from unjudged import evaluate, judging, sample

MEASURE, SYSTEM, OTHER = "nDCG@10", "dense", "fused"


class Look(NamedTuple):
    """An interval of a system after so many labels."""

    low: float
    high: float


def looks(labels: int, seeds: range) -> Iterator[Look]:
    """Yield the interval of the system after so many labels, by each seed."""
    for seed in seeds:
        design = f"holes({labels})"
        drawn = judging.next(sample.qrels, sample.runs, design=design, measure=MEASURE, seed=seed).sample
        if drawn is None:
            continue
        judged = judging.merge(drawn, {"people": sample.answers}).judgments
        row = evaluate(judged, sample.runs, MEASURE)[SYSTEM]
        yield Look(row["estimate_low"], row["estimate_high"])


def measured(seeds: int) -> dict[str, int]:
    """Return how often intervals contain the truth, and exclude the score as judged and another system's."""
    whole = judging.merge(sample.qrels, {"people": sample.answers}, conflicts="last").judgments
    truth = evaluate(whole, sample.runs, MEASURE)
    judged = evaluate(sample.qrels, sample.runs, MEASURE)[SYSTEM]["mean"]
    target, other = truth[SYSTEM]["mean"], truth[OTHER]["mean"]
    fifty, hundred = (list(looks(labels, range(seeds))) for labels in (50, 100))
    return {
        f"50 labels contain {target:.3f}": sum(one.low <= target <= one.high for one in fifty),
        f"50 labels exclude {judged:.3f}": sum(not one.low <= judged <= one.high for one in fifty),
        f"100 labels contain {target:.3f}": sum(one.low <= target <= one.high for one in hundred),
        f"100 labels exclude {other:.3f}": sum(not one.low <= other <= one.high for one in hundred),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for what, count in measured(seeds).items():
        sys.stdout.write(f"{what}: {count} of {seeds}\n")
