"""Verdict of a page in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from unjudged.comparison.by_measure import MeasureComparison
from unjudged.comparison.comparison_result import Comparison
from unjudged.comparison.verdicts import VERDICTS
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.origin import Origin
from unjudged.uncertainty.estimate import Estimate

NAMED = 5
"""Most systems that a sentence names."""


def words_for_one(run: str, measure: str, bounds: Estimate) -> list[str]:
    """Say of one run its mean and what the unjudged documents could make of it."""
    first = f"{run} has mean {measure} {bounds.value:.4f}."
    if bounds.low == bounds.high:
        return [first, "Unjudged documents cannot change it."]
    span = f"between {bounds.low:.4f} and {bounds.high:.4f}"
    return [first, f"With all documents judged it would be {span}."]


def words_for_sample(origin: Origin, fitting: Sequence[Measure], shown: Sequence[Measure]) -> str:
    """Say that the judgments are a sample, what that means for the measures shown, and what fits it."""
    names, fit = (", ".join(map(str, measures)) for measures in (shown, fitting))
    wide = f"{names} and their bounds know nothing of the documents that were not drawn"
    return f"The judgments are {origin}: {wide}. {fit}, which allows for them, is under Sample."


def words_for_many(comparison: Comparison, result: MeasureComparison) -> list[str]:
    """Say who leads, whom it clearly beats, who may be as good, and how many pairs have each verdict."""
    runs, measure = comparison.runs, str(result.measure)
    if len(runs) == 2:
        return comparison.pair(runs[0], runs[1], measure).sentences()
    counts = Counter(result.verdicts)
    each = "; ".join(f"{counts[verdict]:,} {verdict}" for verdict in VERDICTS if counts[verdict])
    listed = f"{len(result.tests.pairs):,} pairs: {each}."
    if comparison.baseline is not None:
        return [*_against_baseline(runs, comparison.baseline, result), listed]
    clear, order = result.clearly_beats, result.order()
    best, others = order[0], len(runs) - 1
    beaten = int(clear[best].sum())
    rivals = [runs[system] for system in order[1:] if not clear[best, system]]
    lines = [f"{runs[best]} has the highest mean {measure}, {result.means[best]:.4f}."]
    if not rivals:
        lines.append(f"It is clearly better than all {others} other systems.")
    elif beaten:
        but = f"but not than {_some(rivals, 'or')}"
        lines.append(f"It is clearly better than {beaten} of {others} other systems, {but}.")
    else:
        lines.append("It is not clearly better than any other system.")
    return [*lines, listed]


def _against_baseline(runs: Sequence[str], baseline: str, result: MeasureComparison) -> list[str]:
    base = list(runs).index(baseline)
    clear = result.clearly_beats
    better = [runs[i] for i in result.order() if clear[i, base]]
    worse = [runs[i] for i in result.order() if clear[base, i]]
    head = f"The baseline {baseline} has mean {result.measure} {result.means[base]:.4f}."
    return [
        head,
        f"Clearly better: {_some(better)}." if better else "No system is clearly better.",
        f"Clearly worse: {_some(worse)}." if worse else "No system is clearly worse.",
    ]


def _some(names: Sequence[str], last: str = "and") -> str:
    """Return the names, or the first of them and how many more there are.

    >>> _some(["a", "b", "c"], "or"), _some("abcdefg")
    ('a, b or c', 'a, b, c, d, e and 2 more')
    """
    more = len(names) - NAMED
    shown = [*names[:NAMED], *([f"{more} more"] if more > 0 else [])]
    return f" {last} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
