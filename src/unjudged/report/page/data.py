"""Everything that a page shows, as JSON facts and packed arrays."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan
from pathlib import Path
from typing import Any

import numpy as np

import unjudged
from unjudged.base.wording import plain
from unjudged.comparison.by_measure import MeasureComparison
from unjudged.comparison.by_segment import SegmentComparison
from unjudged.comparison.comparison_result import Comparison
from unjudged.comparison.testing.deciding_queries import deciding_queries
from unjudged.comparison.verdicts import KEPT, VERDICTS
from unjudged.evaluation.measure_warnings import why_not_uniform
from unjudged.evaluation.scores import Scores
from unjudged.formats.inputs import FILE, kind_of_source
from unjudged.grids.escapes import Labels
from unjudged.grids.grid import Cell, Grid
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import Origin
from unjudged.report.descriptions import (
    Description,
    differences_chart,
    interval_words,
    intervals_chart,
    judged_chart,
    matrix_chart,
)
from unjudged.report.measure_pages import signature
from unjudged.report.page.packed import (
    BY_RANK,
    TOP,
    Packed,
    add_holes,
    add_pairs,
    add_rankings,
    conclusions,
    depth_kept,
)
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.shared import SharedRankings

LONGEST_NAME = 1000
EVERY = "whatever the unjudged documents{} turn out to be"


@dataclass(frozen=True, eq=False)
class PageInput:
    """Results of a page; `comparison` is None for a single run, `calibrated` without a calibration.

    Scores of a table have neither `judgments` nor `shared` rankings.
    """

    scores: Scores
    bounds: Sequence[Sequence[Estimate]]
    queries: Sequence[Sequence[Estimate]]
    sources: Sequence[tuple[str, Any]]
    """`judgments` and their source, then the name and source of each run."""
    command: str
    title: str
    comparison: Comparison | None = None
    judgments: Judgments | None = None
    shared: SharedRankings | None = None
    calibrated: Sequence[Sequence[Estimate]] | None = None
    extras: Sequence[dict[str, Any]] = ()
    """Further sections, as `sample_section` and `segments_section` make them."""
    notes: Sequence[str] = ()
    """Further notes beside those of the scores or of the comparison."""


def page_data(given: PageInput) -> tuple[dict[str, Any], str]:
    """Return the facts, with the index of the arrays among them, and the arrays in base64."""
    scores, shared, comparison = given.scores, given.shared, given.comparison
    packed, labels = Packed(), Labels(LONGEST_NAME)
    for k, measure in enumerate(scores.measures):
        packed.add(f"values{k}", measure.averaged(scores.values[:, :, k]), "f8")
        packed.add(f"means{k}", measure.over_queries(scores.values[:, :, k]), "f8")
        for name, estimates in _intervals(given).items():
            packed.add(f"{name}{k}", [[row[k].low, row[k].high] for row in estimates], "f8")
    if comparison is not None:
        add_pairs(packed, comparison)
    depth = 0
    if shared is not None and given.judgments is not None:
        depth = depth_kept(shared)
        add_rankings(packed, shared, given.judgments, depth)
        add_holes(packed, shared)
    notes = [*(scores.warnings if comparison is None else comparison.notes), *given.notes]
    facts = {
        "version": unjudged.__version__,
        "title": plain(given.title),
        "command": plain(given.command),
        "files": _files(given.sources),
        "counts": _counts(given),
        "origin": _origin(given),
        "notes": [plain(str(note)) for note in notes],
        "runs": [labels[run] for run in scores.runs],
        "queries": [labels[query] for query in scores.queries],
        "measures": [_measure(given, k, measure) for k, measure in enumerate(scores.measures)],
        "intervals": _described(given),
        "tests": _tests(comparison, labels),
        "extras": given.extras,
        "verdicts": VERDICTS,
        "kept": KEPT,
        "conclusions": conclusions(),
        "judged": judged_chart([] if comparison is None else ["A", "B"]),
        "ranked": shared is not None,
        "depth": depth,
        "by_rank": BY_RANK,
        "top": TOP,
    }
    text = packed.text()
    return {**facts, "arrays": packed.index}, text


def _intervals(given: PageInput) -> dict[str, Sequence[Sequence[Estimate]]]:
    """Return the intervals of each kind that some measure has."""
    kinds = {"bounds": given.bounds, "queries": given.queries, "calibrated": given.calibrated or []}
    return {name: rows for name, rows in kinds.items() if any(e.has_interval for row in rows for e in row)}


def _described(given: PageInput) -> dict[str, dict[str, Any]]:
    """Return the confidence and the coverage in words of each kind of interval."""
    every = EVERY.format("" if given.comparison is None else " of all runs")
    covers = {"bounds": every, "queries": "other queries"}
    if able := [e for row in given.calibrated or () for e in row if e.has_interval]:
        covers["calibrated"] = able[0].method.split(" (")[0]
    return {
        name: {"confidence": _level(estimates), "covers": covers[name]}
        for name, estimates in _intervals(given).items()
    }


def _level(estimates: Sequence[Sequence[Estimate]]) -> float:
    """Return the confidence of intervals."""
    return min(e.confidence for row in estimates for e in row if not isnan(e.confidence))


MOST_DECIDED = 200
"""Pairs that a page says of which queries decide about them."""


def _measure(given: PageInput, k: int, measure: Measure) -> dict[str, Any]:
    if given.comparison is None and given.judgments is not None:
        words = words_for_one(given.scores.runs[0], measure, given.bounds[0][k], given.judgments.origin)
        exact = given.bounds[0][k].method.endswith("exact")
    elif given.comparison is not None:
        result = given.comparison.results[k]
        words, exact = words_for_many(given.comparison, result), result.judging.exact
    definition = measure.help.split("\n\n>>>")[0].strip()
    low, high = measure.range
    return {
        "name": str(measure),
        "signature": signature(measure),
        "definition": definition,
        "range": [low if np.isfinite(low) else None, high if np.isfinite(high) else None],
        "exact": exact,
        "bounded": given.bounds[0][k].has_interval,
        "sign": measure.sign,
        "judged": _judged(measure),
        "cutoff": measure.given.get("cutoff"),
        "words": [plain(line) for line in words],
        "charts": _charts(given, k, measure),
        "deciding": _deciding(given.comparison, k),
    }


def _deciding(comparison: Comparison | None, k: int) -> dict[str, str]:
    """Say for each pair which queries decide about it, if there are not too many pairs for a page."""
    if comparison is None or len(comparison.results[k].tests.pairs) > MOST_DECIDED:
        return {}
    result = comparison.results[k]
    values, pairs = result.measure.averaged(result.values), result.tests.pairs
    said = {}
    for a, b in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
        found = deciding_queries(values[a] - values[b], comparison.queries, result.level(a, b))
        said[f"{a},{b}"] = said[f"{b},{a}"] = plain(" ".join(found.sentences()))
    return said


def _judged(measure: Measure) -> str:
    """With which judgments intervals for other queries are."""
    return "other samples" if measure.traits.estimates else "these judgments"


def _charts(given: PageInput, k: int, asked: Measure) -> dict[str, Description]:
    """Describe the charts of a measure; the page has their rows."""
    measure = str(asked)
    whose = "" if given.comparison is None else " of all runs"
    kinds = {
        name: rows for name, rows in _intervals(given).items() if any(row[k].has_interval for row in rows)
    }
    words = {
        kind: interval_words(kind, _level(estimates), whose, _judged(asked))
        for kind, estimates in kinds.items()
    }
    charts = {"intervals": intervals_chart(measure, words)}
    if given.comparison is not None:
        charts["matrix"] = matrix_chart(measure)
        charts["differences"] = differences_chart(measure, "A", "B", bounded="bounds" in kinds)
    return charts


def _tests(comparison: Comparison | None, labels: Labels) -> dict[str, Any] | None:
    if comparison is None:
        return None
    tests = comparison.results[0].tests
    return {
        "test": tests.test.title,
        "correction": f"{tests.correction.title}{comparison.family}",
        "alpha": tests.alpha,
        "baseline": None if comparison.baseline is None else labels[comparison.baseline],
    }


def _counts(given: PageInput) -> dict[str, int] | None:
    if given.judgments is None or given.shared is None:
        return None
    grade, shared = given.judgments.grade, given.shared
    retrieved = np.zeros(len(shared.judgments.grade), bool)
    retrieved[shared.rankings.row] = True
    return {
        "judged": int((grade >= 0).sum()),
        "relevant": int((grade >= 1).sum()),
        "pooled_unjudged": int((grade < 0).sum()),
        "retrieved_unjudged": int((retrieved & (shared.judgments.grade < 0)).sum()),
    }


def _origin(given: PageInput) -> str | None:
    """Say how the judgments were made, and why they cannot be the sample that they are taken for."""
    if given.judgments is None or given.shared is None:
        return None
    why = why_not_uniform(given.shared.judged_rankings)
    return given.judgments.origin.words if why is None else f"part of the pool was judged; {why}"


def _files(sources: Sequence[tuple[str, Any]]) -> list[dict[str, Any]]:
    """Return name, size and SHA-256 of every source that is a file."""
    listed: list[dict[str, Any]] = []
    for name, source in sources:
        path = Path(source) if kind_of_source(source) == FILE else None
        shown: dict[str, Any] = {"name": plain(name), "file": None if path is None else plain(str(source))}
        if path is not None and path.is_file():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            shown |= {"bytes": path.stat().st_size, "sha256": digest}
        listed.append(shown)
    return listed


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
