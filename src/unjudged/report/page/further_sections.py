"""Texts of a page: its verdict in words, and a further section per result that was given."""

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
from unjudged.experiments.summary import STATISTICS
from unjudged.grids.grid import Cell, Grid
from unjudged.measures.kernel.registry import Measure
from unjudged.predictions.audit_grids import Audit
from unjudged.predictions.judges_audit_grids import JudgesAudit
from unjudged.rankings.origin import Origin
from unjudged.report.figures.charts import picture
from unjudged.report.figures.experiment_figures import curves
from unjudged.report.figures.judging_figures import audit_figure
from unjudged.report.saved_experiment import SavedExperiment
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
    return _section("sample", "Sample", words, [], [grid])


def segments_section(compared: SegmentComparison) -> dict[str, Any]:
    """Show the differences by segment of the queries, and say whether segments differ."""
    grid = compared.grid()
    words = compared.sentences()
    rest = [note for note in grid.notes if note not in words]
    return _section("segments", "Segments", words, [], [replace(grid, notes=rest)])


def audit_section(audit: Audit | JudgesAudit) -> dict[str, Any]:
    """Say how far the predictions agree with people, and what they do to each run's score."""
    if isinstance(audit, JudgesAudit):
        names = ", ".join(audit.judges)
        words = [f"The judges {names} beside people: agreement on documents, and what they do to each run."]
        return _section("audit", "Predictions", words, [], audit.grids())
    words = [
        f"{audit.documents:,} documents have both a human judgment and a prediction.",
        "AUC is the chance that a relevant document has a higher prediction than one that is not.",
    ]
    description = "Share of relevant documents by prediction, and bias of each run, with intervals"
    drawn = [_figure("audit-figure", "Predictions against people", description, audit_figure(audit))]
    return _section("audit", "Predictions", words, drawn, audit.grids())


def experiment_section(saved: SavedExperiment) -> dict[str, Any]:
    """Say how well fewer judgments would have ordered the runs and estimated their scores."""
    shown = [name for name in ("tau", "rho", "rms") if name in saved.statistics] or saved.statistics[:3]
    words = [
        f"How well measures agree with {saved.against} under all judgments if fewer documents are judged.",
        f"Design: {saved.design}. The bands are one standard deviation over the samples on either side.",
    ]
    titles = ", ".join(STATISTICS[name].title for name in shown)
    drawn = [_figure("experiment-figure", "Agreement by level", titles, curves(saved, statistics=shown))]
    return _section("experiment", "Fewer judgments", words, drawn, [saved.grid()])


def _section(
    place: str, title: str, words: Sequence[str], figures: Sequence[dict[str, str]], grids: Sequence[Grid]
) -> dict[str, Any]:
    tables = [
        {
            "place": f"{place}-table-{number}",
            "caption": plain(grid.title),
            "notes": list(map(plain, grid.notes)),
            "columns": [
                {
                    "name": plain(column.name),
                    "number": column.numeric,
                    "decimals": _decimals(grid, k),
                    "p": column.kind == "p value",
                }
                for k, column in enumerate(grid.columns)
            ],
            "rows": [[_cell(cell) for cell in row] for row in grid.rows],
        }
        for number, grid in enumerate(grids)
    ]
    return {
        "place": place,
        "title": title,
        "words": list(map(plain, words)),
        "figures": list(figures),
        "tables": tables,
    }


def _decimals(grid: Grid, k: int) -> int:
    return grid.columns[k].decimals if grid.columns[k].kind in ("number", "p value") else 0


def _cell(cell: Cell) -> Cell:
    if isinstance(cell, str):
        return plain(cell)
    return None if isinstance(cell, float) and not isfinite(cell) else cell


def _figure(place: str, title: str, description: str, chart: Any) -> dict[str, str]:
    svg = picture(chart, "svg")
    return {"place": place, "title": title, "description": description, "svg": str(svg)}


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
