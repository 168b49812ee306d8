"""Texts of a page: its verdict in words, and sections on the sample and on segments of the queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from unjudged.base.wording import plain
from unjudged.comparison.by_measure import MeasureComparison
from unjudged.comparison.by_segment import SegmentComparison
from unjudged.comparison.comparison_result import Comparison
from unjudged.comparison.verdicts import VERDICTS
from unjudged.evaluation.scores import Scores
from unjudged.grids.grid import Cell, Grid
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.origin import Origin
from unjudged.uncertainty.estimate import Estimate


def sample_section(estimated: Scores) -> dict[str, Any]:
    """Show the values that the sample estimates."""
    origin = estimated.judged.judgments.origin
    names = " and ".join(f"{measure} estimates {measure.estimated}" for measure in estimated.measures)
    words = [
        f"The judgments are {origin.words}.",
        f"From the sample {names} as it would be with the whole pool judged.",
    ]
    grid = replace(estimated.grid(), title="Estimates from the sample")
    return _section("sample", "Sample", words, grid)


def segments_section(compared: SegmentComparison) -> dict[str, Any]:
    """Show the differences by segment of the queries, and say whether segments differ."""
    grid = compared.grid()
    words = compared.sentences()
    rest = [note for note in grid.notes if note not in words]
    return _section("segments", "Segments", words, replace(grid, notes=rest))


def _section(place: str, title: str, words: Sequence[str], grid: Grid) -> dict[str, Any]:
    columns = [
        {
            "name": plain(column.name),
            "number": column.numeric,
            "decimals": _decimals(grid, k),
            "p": column.kind == "p value",
        }
        for k, column in enumerate(grid.columns)
    ]
    table = {
        "place": f"{place}-table",
        "caption": plain(grid.title),
        "notes": list(map(plain, grid.notes)),
        "columns": columns,
        "rows": [[_cell(cell) for cell in row] for row in grid.rows],
    }
    return {"place": place, "title": title, "words": list(map(plain, words)), "table": table}


def _decimals(grid: Grid, k: int) -> int:
    return grid.columns[k].decimals if grid.columns[k].kind in ("number", "p value") else 0


def _cell(cell: Cell) -> Cell:
    if isinstance(cell, str):
        return plain(cell)
    return None if isinstance(cell, float) and not isfinite(cell) else cell


NAMED = 5
"""Most systems that a sentence names."""


def words_for_one(run: str, measure: Measure, bounds: Estimate, origin: Origin) -> list[str]:
    """Say of one run its mean and what the unjudged documents could make of it."""
    first = f"{run} has mean {measure} {bounds.value:.4f}."
    if measure.traits.estimates:
        return [first, f"It estimates {measure.estimated} with the pool judged, from {origin}."]
    if not bounds.has_interval:
        return [first]
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
    firm, order, how = result.firmly_beats, result.order(), _how(result)
    best, others = order[0], len(runs) - 1
    beaten = int(firm[best].sum())
    rivals = [runs[system] for system in order[1:] if not firm[best, system]]
    most = "lowest" if result.measure.traits.lower else "highest"
    lines = [f"{runs[best]} has the {most} mean {measure}, {result.means[best]:.4f}."]
    if not rivals:
        lines.append(f"It is {how} better than all {others} other systems.")
    elif beaten:
        but = f"but not than {_some(rivals, 'or')}"
        lines.append(f"It is {how} better than {beaten} of {others} other systems, {but}.")
    else:
        lines.append(f"It is not {how} better than any other system.")
    return [*lines, listed]


def _how(result: MeasureComparison) -> str:
    return "significantly" if result.judging.missing else "clearly or robustly"


def _against_baseline(runs: Sequence[str], baseline: str, result: MeasureComparison) -> list[str]:
    base = list(runs).index(baseline)
    firm, how = result.firmly_beats, _how(result)
    better = [runs[i] for i in result.order() if firm[i, base]]
    worse = [runs[i] for i in result.order() if firm[base, i]]
    head = f"The baseline {baseline} has mean {result.measure} {result.means[base]:.4f}."
    return [
        head,
        f"{how.capitalize()} better: {_some(better)}." if better else f"No system is {how} better.",
        f"{how.capitalize()} worse: {_some(worse)}." if worse else f"No system is {how} worse.",
    ]


def _some(names: Sequence[str], last: str = "and") -> str:
    """Return the names, or the first of them and how many more there are.

    >>> _some(["a", "b", "c"], "or"), _some("abcdefg")
    ('a, b or c', 'a, b, c, d, e and 2 more')
    """
    more = len(names) - NAMED
    shown = [*names[:NAMED], *([f"{more} more"] if more > 0 else [])]
    return f" {last} ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
