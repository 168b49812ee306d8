"""Comparisons by estimates with predictions: difference, intervals, p value and verdict of each pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from unjudged.base.wording import p_text, percent
from unjudged.comparison.comparison_result import Comparison
from unjudged.comparison.verdicts import BETTER, CLEAR, OPEN, SETTLED, SIGNIFICANT, Pair, verdict_of
from unjudged.grids.grid import Cell, Column, Grid, Shown, grid_of
from unjudged.measures.kernel.estimand import THESE
from unjudged.predictions.estimators.estimates import PredictedMeans
from unjudged.uncertainty.estimate import Estimate

CONCLUSIONS = {
    CLEAR: "is better than {}: neither the choice of queries nor that of the judged documents explains it.",
    SIGNIFICANT: "is ahead of {} by more than the choice of queries explains, but other documents judged by "
    "people could undo it. Judge more of them (`unjudged sample --for predictions`).",
    SETTLED: "is ahead of {} on these queries, but other queries could say the opposite. Use more queries.",
    OPEN: "is ahead of {}, but other queries, or other documents judged by people, could undo it. Judge more "
    "of both.",
}
"""Sentences by verdict on the run ahead and the other one."""

FIELDS = (
    *("measure", "a", "b", "difference", "p", "p_adjusted", "low", "high", "verdict"),
    *("better", "mean_a", "mean_b", "query_low", "query_high"),
)
PLAIN = ("difference", "p", "p_adjusted", "low", "high", "verdict")


@dataclass(frozen=True)
class PredictedPair:
    """Two runs and one measure, as people and predictions together tell them apart.

    `intervals` has the difference A minus B with an interval for these queries, for other queries, or both.
    """

    a: str
    b: str
    measure: str
    mean_a: float
    mean_b: float
    intervals: Sequence[Estimate]
    test: str
    p: float
    p_adjusted: float
    significant: bool

    @property
    def verdict(self) -> str:
        """Verdict by significance, and by the interval for these queries."""
        first = self.intervals[0]
        settled = self.significant if first.of.queries != THESE else first.low > 0 or first.high < 0
        return verdict_of(self.significant, settled, reversible=True)

    @property
    def ahead(self) -> str | None:
        """Run with the higher estimate, None if they are equal."""
        value = self.intervals[0].value
        return None if value == 0 else self.a if value > 0 else self.b

    @property
    def better(self) -> str | None:
        """Run that may be called better, None if neither may."""
        return self.ahead if self.verdict in BETTER else None

    def sentences(self) -> list[str]:
        """Return the difference with intervals and p value, and the verdict."""
        ends = " and ".join(f"{e.low:+.4f} to {e.high:+.4f} for {e.of.queries}" for e in self.intervals)
        gap = f"{self.measure}, {self.a} minus {self.b}: {self.intervals[0].value:+.4f}"
        level = percent(self.intervals[0].confidence)
        corrected = "" if self.p == self.p_adjusted else f", {p_text(self.p_adjusted)} after correction"
        tested = f"{self.test}: {p_text(self.p)}{corrected}"
        verdict = f"{self.a} and {self.b} have the same estimate."
        if self.ahead is not None:
            other = self.b if self.ahead == self.a else self.a
            verdict = f"{self.ahead} {CONCLUSIONS[self.verdict].format(other)}"
        return [
            f"With predictions, {gap}; {level} interval {ends}; {tested}.",
            f"Verdict: {self.verdict}. {verdict}",
        ]


@dataclass(frozen=True, eq=False, repr=False)
class PredictedComparison(Shown):
    """Pairs of runs compared by estimates with predictions; `plain` has the same without them."""

    pairs: Sequence[PredictedPair]
    plain: Sequence[Pair | None]
    notes: Sequence[str]

    def sentences(self) -> list[str]:
        """Return what is known of each pair, how it was estimated, and the plain numbers after it."""
        lines = [line for pair in self.pairs for line in pair.sentences()]
        return [*lines, *self.notes, *(_plain_sentence(pair) for pair in self.plain if pair is not None)]

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def grid(self) -> Grid:
        """Return a row per pair and measure; the long form has the plain numbers too."""
        columns = [Column(name, "label") for name in ("measure", "a", "b")]
        columns += [Column("difference"), Column("these queries", "text"), Column("other queries", "text")]
        columns += [Column("verdict", "text"), Column("p", "p value"), Column("adjusted", "p value")]
        rows: list[list[Cell]] = []
        for pair in self.pairs:
            by_queries = {e.of.queries: f"[{e.low:.4f}, {e.high:.4f}]" for e in pair.intervals}
            ends = [by_queries.get(queries) for queries in ("these queries", "other queries")]
            row: list[Cell] = [pair.measure, pair.a, pair.b, pair.intervals[0].value, *ends]
            rows.append([*row, pair.verdict, pair.p, pair.p_adjusted])
        level = percent(self.pairs[0].intervals[0].confidence)
        notes = [f"With predictions. difference: a minus b, with {level} intervals.", *self.notes]
        return Grid(columns, rows, notes=notes, records=self.records)

    def records(self) -> Grid:
        """Return a row per pair and measure for programs."""
        rows: list[list[Cell]] = []
        for pair, plain in zip(self.pairs, self.plain, strict=True):
            first, last = pair.intervals[0], pair.intervals[-1]
            row: list[Cell] = [pair.measure, pair.a, pair.b, first.value, pair.p, pair.p_adjusted]
            row += [first.low, first.high, pair.verdict, pair.better, pair.mean_a, pair.mean_b]
            row += [last.low, last.high]
            if plain is None:
                rows.append([*row, *(None for _ in PLAIN)])
                continue
            gap = plain.difference
            rows.append([*row, gap.value, plain.p, plain.p_adjusted, gap.low, gap.high, plain.verdict])
        fields = (*FIELDS, *(f"without_predictions_{name}" for name in PLAIN))
        sentences = [line for pair in self.pairs for line in pair.sentences()]
        return grid_of(fields, rows, [*sentences, *self.notes])


def compare_with_predictions(
    estimates: Sequence[PredictedMeans],
    pairs: Iterable[tuple[str, str]],
    *,
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    confidence: float = 0.95,
    draws: int = 20_000,
    seed: int = 0,
    plain: Comparison | None = None,
) -> PredictedComparison:
    """Compare pairs of runs by estimates of each measure; p values are corrected per measure."""
    listed = list(pairs)
    compared: list[PredictedPair] = []
    beside: list[Pair | None] = []
    for estimate in estimates:
        tests = estimate.tests(listed, test, correction, draws=draws, seed=seed)
        for (a, b), p, p_adjusted in zip(listed, tests.p, tests.p_adjusted, strict=True):
            intervals = estimate.intervals(a, b, confidence=confidence)
            last = intervals[-1]
            sure = estimate.corrected or last.low > 0 or last.high < 0
            mean_a, mean_b = (estimate.intervals(run, confidence=confidence)[0].value for run in (a, b))
            pair = PredictedPair(
                a=a,
                b=b,
                measure=estimate.measure,
                mean_a=mean_a,
                mean_b=mean_b,
                intervals=intervals,
                test=tests.title,
                p=float(p),
                p_adjusted=float(p_adjusted),
                significant=bool(p_adjusted <= alpha) and sure,
            )
            compared.append(pair)
            beside.append(None if plain is None else plain.pair(a, b, estimate.measure))
    notes = dict.fromkeys(note for estimate in estimates for note in estimate.notes())
    return PredictedComparison(compared, beside, list(notes))


def _plain_sentence(pair: Pair) -> str:
    """Return the numbers of a comparison that ignores sample and predictions."""
    means = f"{pair.a} {pair.mean_a:.4f}, {pair.b} {pair.mean_b:.4f}"
    gap = f"{means}, difference {pair.difference.value:+.4f}, {pair.test}: {p_text(pair.p)}"
    return f"Without predictions, with what is not judged as nonrelevant: {pair.measure}: {gap}."
