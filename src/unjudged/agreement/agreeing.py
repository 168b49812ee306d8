"""Agreement of two or more sources, on documents and on systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import product

import numpy as np

from unjudged.agreement.coefficients import COEFFICIENTS, SharedLabels
from unjudged.agreement.leaderboards import leaderboard_rows
from unjudged.agreement.resampling import DRAWS, QueryDraws, left_out_estimates, note_on_intervals, row_of
from unjudged.base.choices import check_probability
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.evaluation.collection import Collection, RunsSource
from unjudged.evaluation.evaluation import evaluate
from unjudged.evaluation.scores import Scores
from unjudged.measures.kernel.names import MeasureLike
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.results.fields import Row
from unjudged.results.result import Result
from unjudged.uncertainty.estimate import Estimate

OF_TWO, OF_ALL = ([name for name, c in COEFFICIENTS.items() if c.of_all == own] for own in (False, True))


def coefficient_estimates(
    counts: Floats, grades: Floats, confidence: float, names: Iterable[str] = OF_TWO
) -> dict[str, Estimate]:
    """Estimate coefficients of two sources from queries x grades x grades, or of all from coincidences.

    The counts may be weighted. Queries without a shared document say nothing, and do not count.
    """
    chosen = {name: COEFFICIENTS[name] for name in names}
    limits = {name: c.limits for name, c in chosen.items()}

    def values(tables: Floats) -> dict[str, Floats]:
        return {name: c.function(tables, grades) for name, c in chosen.items()}

    return left_out_estimates(counts, values, limits, confidence)


def document_rows(labels: SharedLabels, confidence: float) -> Iterator[Row]:
    """Yield the coefficients of each pair of sources, then those of all."""

    def rows(counts: Floats, sources: str, documents: int, chosen: Iterable[str]) -> Iterator[Row]:
        for name, one in coefficient_estimates(counts, labels.grades, confidence, chosen).items():
            yield row_of(one, sources, COEFFICIENTS[name].title, documents=documents)

    names = labels.sources
    for i, j in labels.pairs():
        counts = labels.counts(i, j)
        yield from rows(counts, f"{names[i]}, {names[j]}", int(counts.sum()), OF_TWO)
    yield from rows(labels.coincidences(), ", ".join(names), len(labels.query), OF_ALL)


def confusion_rows(counts: Floats, grades: Floats, weights: Floats | None = None) -> Iterator[Row]:
    """Yield how many documents have each two grades of the sources, and their weighted share."""
    totals, shares = counts.sum(0), (counts if weights is None else weights).sum(0)
    names = [f"{grade:g}" for grade in grades]
    for i, j in product(np.flatnonzero(totals.any(1)), np.flatnonzero(totals.any(0))):
        share = float(shares[i, j] / shares.sum())
        yield {"grade": names[i], "other_grade": names[j], "documents": int(totals[i, j]), "share": share}


def agree(
    sources: Mapping[str, JudgmentsSource | Scores],
    runs: RunsSource | None = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    p: float = 0.9,
    alpha: float = 0.05,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Result:
    """Return how far two or more named sources agree: judgments of people or models, or tables of scores.

    Judgments are compared document by document (rows `agreement` and `confusion`). With `runs` the runs are
    scored by each source, and the leaderboards are compared by each of the `measures` (rows `orders`, `means`
    and `significance`); `Scores` are compared as leaderboards alone. `p` is the persistence of rank-biased
    overlap, `alpha` the level at which pairs of systems are significant. Intervals are for other sets of as
    many queries.

    >>> a = {"q1": {"d1": 1, "d2": 0, "d3": 0}, "q2": {"d1": 1, "d2": 1}}
    >>> b = {"q1": {"d1": 1, "d2": 1, "d3": 0}, "q2": {"d1": 1, "d2": 1}}
    >>> found = agree({"ann": a, "bob": b}).rows["agreement"][1]
    >>> found["coefficient"], round(found["value"], 4)
    ('kappa', 0.5455)
    """
    if len(sources) < 2:
        raise UsageError("expected two sources or more by name: {'people': qrels, 'model': labels}")
    check_probability("alpha", alpha, 0.05)
    check_probability("p", p, 0.9)
    drawing = partial(QueryDraws, confidence=confidence, draws=draws, seed=seed)
    tables: dict[str, Scores] = {n: s for n, s in sources.items() if isinstance(s, Scores)}
    judged = {n: Judgments.of(s) for n, s in sources.items() if not isinstance(s, Scores)}
    if tables and judged:
        mixed = f"{counted(len(tables), 'table')} of scores and {counted(len(judged), 'source')} of judgments"
        raise UsageError(f"there are {mixed}: evaluate the judgments first, or give judgments only")
    rows: dict[str, list[Row]] = {}
    notes, titles = [], {"means": "Means", "significance": "Significant pairs of systems"}
    if judged:
        labels = SharedLabels.of(judged)
        if not len(labels.query):
            raise UsageError("no document was judged by two sources: expected the same queries and documents")
        rows["agreement"] = [*document_rows(labels, confidence)]
        names = labels.sources
        rows["confusion"] = [
            {"sources": f"{names[i]}, {names[j]}", **row}
            for i, j in labels.pairs()
            for row in confusion_rows(labels.counts(i, j), labels.grades)
        ]
        titles["agreement"] = f"Agreement of {', '.join(names)} on documents"
        titles["confusion"] = "Documents by grade: the first source in rows, the second in columns"
        notes.append(f"On documents: {note_on_intervals(confidence)}")
        if runs is not None:
            tables = {
                name: evaluate(Collection(own, runs), measures=measures) for name, own in judged.items()
            }
    if tables:
        rows |= leaderboard_rows(tables, p=p, drawing=drawing, alpha=alpha)
        systems = len({row["system"] for row in rows["means"]})
        titles["orders"] = f"Order of {counted(systems, 'system')}"
        notes.append(f"On systems: {note_on_intervals(confidence, f'{draws:,} draws of the queries')}")
        notes.append(
            f"Significance: paired t test, Holm's step-down correction per source, alpha = {alpha:g}."
        )
    return Result(rows, notes, {"titles": titles, "sources": list(sources)})
