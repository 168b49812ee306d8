"""Agreement of two or more sources, on documents and on systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from unjudged.agreement.coefficients import COEFFICIENTS, SharedLabels
from unjudged.agreement.leaderboards import LeaderboardAgreement, leaderboards
from unjudged.agreement.resampling import DRAWS, QueryDraws, left_out_estimates, note_on_intervals
from unjudged.base.choices import check_probability
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.evaluation.collection import Collection, RunsSource
from unjudged.evaluation.evaluation import evaluate
from unjudged.evaluation.scores import Scores
from unjudged.grids.grid import Cell, Column, Grid, Shown, blank, grid_of
from unjudged.measures.kernel.names import MeasureLike
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.uncertainty.estimate import Estimate


def coefficient_estimates(
    counts: Floats, grades: Floats, confidence: float, *, of_all: bool = False
) -> dict[str, Estimate]:
    """Estimate coefficients of two sources from queries x grades x grades, or of all from coincidences.

    The counts may be weighted. Queries without a shared document say nothing, and do not count.
    """
    chosen = {name: c for name, c in COEFFICIENTS.items() if c.of_all == of_all}
    limits = {name: c.limits for name, c in chosen.items()}

    def values(tables: Floats) -> dict[str, Floats]:
        return {name: c.function(tables, grades) for name, c in chosen.items()}

    return left_out_estimates(counts, values, limits, confidence)


@dataclass(frozen=True, eq=False, repr=False)
class DocumentAgreement(Shown):
    """How far sources agree on the documents that they share: coefficients, confusion, queries, grades."""

    labels: SharedLabels
    confidence: float

    @cached_property
    def _counts(self) -> dict[tuple[str, ...], Floats]:
        """Counts by query of each pair of sources, then coincidences of all of them under ()."""
        names = self.labels.sources
        counts: dict[tuple[str, ...], Floats] = {
            (names[i], names[j]): self.labels.counts(i, j) for i, j in self.labels.pairs()
        }
        return {**counts, (): self.labels.coincidences()}

    @cached_property
    def estimates(self) -> dict[tuple[str, ...], dict[str, Estimate]]:
        """Coefficients of each pair of sources, then those of all sources under (), by name."""
        return {
            pair: coefficient_estimates(counts, self.labels.grades, self.confidence, of_all=not pair)
            for pair, counts in self._counts.items()
        }

    def grid(self) -> Grid:
        """Return a row per pair of sources and coefficient, then those of all sources."""
        columns = [Column("sources", "label"), Column("coefficient", "label")]
        columns += [Column("documents", "integer"), Column("value"), Column("low"), Column("high")]
        rows: list[list[Cell]] = []
        for pair, estimates in self.estimates.items():
            documents = int(self._counts[pair].sum()) if pair else len(self.labels.query)
            for name, e in estimates.items():
                title, ends = COEFFICIENTS[name].title, (blank(e.low), blank(e.high))
                rows.append([", ".join(pair) or "all", title, documents, e.value, *ends])
        return Grid(columns, rows, "Agreement on documents", self.notes)

    @property
    def notes(self) -> list[str]:
        """Sentences that a reader of the coefficients must know."""
        return [note_on_intervals(self.confidence)]

    def confusion(self, first: str, second: str) -> Grid:
        """Return the documents by grade of the first source (rows) and of the second (columns)."""
        counts = self._counts[first, second].sum(0)
        grades = [f"{grade:g}" for grade in self.labels.grades]
        columns = [Column(f"{first} \\ {second}", "label"), *(Column(grade, "integer") for grade in grades)]
        rows: list[list[Cell]] = [
            [grade, *map(int, row)] for grade, row in zip(grades, counts.tolist(), strict=True)
        ]
        return Grid(columns, rows, f"Documents by grade: {first} in rows, {second} in columns")

    def by_grade(self) -> Grid:
        """Return for each pair of sources and grade how often one gives it where the other does.

        2 n_gg / (n_g. + n_.g): the share of the labels with this grade on which both agree.
        """
        rows: list[list[Cell]] = []
        for pair, counts in self._counts.items():
            if pair:
                table = counts.sum(0)
                labels = table.sum(0) + table.sum(1)
                for k, grade in enumerate(self.labels.grades):
                    share = 2 * table[k, k] / labels[k] if labels[k] else float("nan")
                    rows.append([", ".join(pair), f"{grade:g}", int(labels[k]), float(share)])
        return grid_of(("sources", "grade", "labels", "agreement"), rows)

    def by_query(self) -> Grid:
        """Return a row per pair of sources and query: documents in common, and each coefficient."""
        names = [name for name, c in COEFFICIENTS.items() if not c.of_all]
        rows: list[list[Cell]] = []
        for pair, counts in self._counts.items():
            for query, table in zip(self.labels.queries, counts if pair else (), strict=False):
                if table.any():
                    values = [float(COEFFICIENTS[name].function(table, self.labels.grades)) for name in names]
                    rows.append([", ".join(pair), query, int(table.sum()), *values])
        return grid_of(("sources", "query", "documents", *(COEFFICIENTS[n].title for n in names)), rows)


@dataclass(frozen=True, eq=False, repr=False)
class SourceAgreement(Shown):
    """Agreement of sources on documents, if they are judgments, and on systems, if these are known."""

    documents: DocumentAgreement | None
    leaderboards: Sequence[LeaderboardAgreement]

    def grids(self) -> list[Grid]:
        """Return the tables: coefficients, confusion of two sources, orders of systems, significant pairs."""
        grids = [] if self.documents is None else [self.documents.grid()]
        if self.documents is not None and len(self.documents.labels.sources) == 2:
            first, second = self.documents.labels.sources
            grids.append(self.documents.confusion(first, second))
        for board in self.leaderboards:
            grids += [board.grid(), board.means_grid(), board.significant_grid()]
        return grids

    def grid(self) -> Grid:
        """Return all coefficients in one table, a row each."""
        parts = [] if self.documents is None else [("documents", self.documents.grid())]
        parts += [(str(board.measure), board.grid()) for board in self.leaderboards]
        shown = ("sources", "coefficient", "value", "low", "high")
        rows: list[Sequence[Cell]] = []
        for of, grid in parts:
            values = grid.as_columns()
            rows += zip([of] * len(grid.rows), *(values[name] for name in shown), strict=True)
        columns = [Column(name, "label") for name in ("of", *shown[:2])] + [*map(Column, shown[2:])]
        notes = list(dict.fromkeys(note for _, grid in parts for note in grid.notes))
        return Grid(columns, rows, "Agreement", notes)


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
) -> SourceAgreement:
    """Return how far two or more named sources agree: judgments of people or models, or tables of scores.

    Judgments are compared document by document. With `runs` the runs are scored by each source, and the
    leaderboards are compared by each of the `measures`; `Scores` are compared as leaderboards alone. `p` is
    the persistence of rank-biased overlap, `alpha` the level at which pairs of systems are significant.
    Intervals are for other sets of as many queries.

    >>> a = {"q1": {"d1": 1, "d2": 0, "d3": 0}, "q2": {"d1": 1, "d2": 1}}
    >>> b = {"q1": {"d1": 1, "d2": 1, "d3": 0}, "q2": {"d1": 1, "d2": 1}}
    >>> round(agree({"ann": a, "bob": b}).documents.estimates["ann", "bob"]["kappa"].value, 4)
    0.5455
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
    documents = None
    if judged:
        labels = SharedLabels.of(judged)
        if not len(labels.query):
            raise UsageError("no document was judged by two sources: expected the same queries and documents")
        documents = DocumentAgreement(labels, confidence)
        if runs is not None:
            tables = {
                name: evaluate(Collection.of(own, runs), measures=measures) for name, own in judged.items()
            }
    boards = leaderboards(tables, p=p, draws=drawing, alpha=alpha) if tables else []
    return SourceAgreement(documents, boards)
