"""Which documents to judge next: those that narrow an interval most, or say most about the order of runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from unjudged.base.choices import checked_int
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.evaluation.collection import RunsSource, name_runs
from unjudged.evaluation.evaluation import evaluate
from unjudged.evidence.rankings import RankingsEvidence
from unjudged.formats.writing import qrels_text
from unjudged.grids.grid import Column, Grid, Shown
from unjudged.inference.infer import Settings
from unjudged.inference.rows import Row, answer, better_first, needs_judging
from unjudged.judging.drawn_sample import DrawnSample
from unjudged.judging.expert_prevalence import FROM_RUNS
from unjudged.judging.gains import DRAWS, gains
from unjudged.measures.kernel.estimand import CHOOSING, check_permitted
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.questions.sources import DEFAULT
from unjudged.rankings.coverage import in_order
from unjudged.rankings.judged import Floats, Integers
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource
from unjudged.rankings.origin import CHOSEN, Origin
from unjudged.rankings.runs import Run
from unjudged.results.views import VIEWS, grid_of_view
from unjudged.results.words import headline_sentence
from unjudged.uncertainty.prevalence import PrevalenceLike
from unjudged.uncertainty.shared import SharedRankings


def next_documents(
    qrels: JudgmentsSource,
    runs: RunsSource,
    budget: int,
    measure: MeasureLike = DEFAULT,
    *,
    difference: bool = False,
    settle: bool | None = None,
    top: int | None = None,
    pooled: bool = False,
    prevalence: PrevalenceLike = FROM_RUNS,
    draws: int = DRAWS,
    seed: int = 0,
) -> NextDocuments:
    """Return the unjudged documents that are most worth judging, best first.

    By RBP and P these are the documents that narrow the interval of the runs' means most, or that of the
    `difference` of two runs. With `settle`, and by any other measure, they are those that say most about the
    order of the runs; the other arguments go with this.

    Each document's gain is summed over the pairs of runs that more judging could flip or blur, as `compare`
    says. `top` takes only the pairs of the best runs so far. With `pooled`, only documents of the pool can be
    relevant.

    >>> from unjudged import sample
    >>> next_documents(sample.qrels, sample.runs["dense"], 1, "RBP(p=0.8)")[0].query
    'q03'
    >>> next_documents(sample.qrels, sample.runs, 2, "nDCG@10").sentence()
    'More judging could change what nDCG@10 says of 4 of 15 pairs of 6 runs.'
    """
    (chosen,) = parse_measures(measure)
    budget, seed = checked_int("budget", budget, least=1), checked_int("seed", seed)
    judgments = Judgments.with_fractions(qrels)
    named = in_order(judgments, name_runs(runs))
    judgments, chosen = judgments.by_whole_grades(), chosen.on_scale(judgments.scale)
    check_permitted(chosen, judgments, CHOOSING)
    if not (chosen.traits.weight is None if settle is None else settle):
        _refuse_ignored(
            top=(top, None),
            pooled=(pooled, False),
            prevalence=(prevalence, FROM_RUNS),
            seed=(seed, 0),
        )
        return _narrowing(SharedRankings.of(judgments, named), chosen, budget, difference=difference)
    if difference:
        raise UsageError("--difference is for RBP and P, and does not go with --settle: omit it")
    if len(named) < 2:
        problem = f"{chosen} asks about the order of runs"
        raise UsageError(f"{problem}: give two runs or more, or RBP or P, whose interval documents narrow")
    if top is not None:
        read = {name: Run.of(run) for name, run in named.items()}
        means = np.asarray(evaluate(judgments, read, chosen).means)[:, 0]
        kept = set(np.argsort(-means, kind="stable")[: checked_int("top", top, least=2)].tolist())
        named = {name: run for i, (name, run) in enumerate(read.items()) if i in kept}
    shared = SharedRankings.of(judgments, named)
    pairs = pairs_by_judging(shared, chosen, 0 if pooled else judgments.origin.pool_depth())
    if pooled:
        outside = (shared.name >= len(judgments.grade)) & (shared.judgments.grade < 0)
        shared = shared.with_grades(np.where(outside, 0, shared.judgments.grade))
    result = NextDocuments([], list(named), str(chosen), 0, pairs)
    place = list(named).index
    open_pairs = [(place(row["a"]), place(row["b"])) for row in result.open_pairs]
    if not open_pairs:
        return result
    first, second = (np.array(side) for side in zip(*open_pairs, strict=True))
    gain = gains(shared, chosen, first, second, prevalence=prevalence, draws=draws, seed=seed)
    order = _best(gain, shared)
    wanted = _candidates(shared, gain, order[:budget])
    return replace(result, wanted=wanted, candidates=len(order))


def _refuse_ignored(**options: tuple[object, object]) -> None:
    """Refuse options, each with its default, that only the order of runs uses."""
    given = [f"--{name}" for name, (value, default) in options.items() if value != default]
    if given:
        go = "goes" if len(given) == 1 else "go"
        raise UsageError(f"{' and '.join(given)} {go} with --settle, or with a measure other than RBP and P")


def _narrowing(shared: SharedRankings, measure: Measure, budget: int, *, difference: bool) -> NextDocuments:
    """Return the documents with the largest weights in the runs' means, or in the difference of two."""
    runs = len(shared.runs)
    if difference and runs != 2:
        raise UsageError(f"the difference of {runs} runs was asked for: give two")
    weights = shared.unknown_weights(measure)
    sign = np.where(weights.run == 0, 1.0, -1.0) if difference else np.full(len(weights.run), 1 / runs)
    gain = np.abs(np.bincount(weights.row, sign * weights.weight, weights.rows))
    order = _best(gain, shared)
    wanted, what = _candidates(shared, gain, order[:budget]), "difference" if difference else "mean"
    return NextDocuments(wanted, list(shared.runs), str(measure), len(order), interval=what)


def _best(gain: Floats, shared: SharedRankings) -> Integers:
    """Return the rows with a gain that have no answer, the largest first."""
    candidates = np.flatnonzero((gain > 0) & shared.judgments.waiting)
    return candidates[np.argsort(-gain[candidates], kind="stable")]


def _candidates(shared: SharedRankings, gain: Floats, rows: Integers) -> list[Candidate]:
    return [Candidate(shared.query(r), shared.document(r), float(gain[r])) for r in rows.tolist()]


def pairs_by_judging(shared: SharedRankings, measure: Measure, depth: int | None) -> list[Row]:
    """Return the row of each pair, with what more judging could change.

    Below the depth of the pool, 0 for none, only documents of the pool can be relevant.
    """
    scores = measure.averaged(shared.per_run(measure.compute(shared.judged_rankings)))
    return answer([RankingsEvidence(shared, measure, scores, depth)], Settings()).pairs


NAMED = 3
"""A sentence about open pairs names this many."""


class Candidate(NamedTuple):
    """A document to judge, and its gain: how much its judgment narrows an interval or says about an order."""

    query: str
    document: str
    gain: float


@dataclass(frozen=True, eq=False, repr=False)
class NextDocuments(Shown):
    """Documents to judge next, best first, and which pairs of runs judging could still change.

    `pairs` are rows of `compare`, of the pairs whose order was asked for; none if the documents narrow an
    `interval`. If no pair needs judging, `wanted` is empty.
    """

    wanted: list[Candidate]
    runs: list[str]
    measure: str
    candidates: int
    pairs: Sequence[Row] = ()
    interval: str = ""

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.wanted)

    def __len__(self) -> int:
        return len(self.wanted)

    def __getitem__(self, place: int) -> Candidate:
        return self.wanted[place]

    @property
    def open_pairs(self) -> list[Row]:
        """Pairs that judging could change."""
        return [row for row in self.pairs if needs_judging(row)]

    def sentence(self) -> str:
        """Say what to do, in one sentence or two."""
        if self.interval:
            they = "It narrows" if len(self) == 1 else "Together they narrow"
            narrowed = sum(one.gain for one in self)
            return f"{they} the interval of the {self.interval} {self.measure} by {narrowed:.6f}."
        two, runs = len(self.runs) == 2, f"pairs of {len(self.runs)} runs"
        whose = f"{' and '.join(self.runs)}" if two else f"{len(self.open_pairs)} of {len(self.pairs)} {runs}"
        if self.open_pairs:
            return f"More judging could change what {self.measure} says of {whose}."
        stop = whose if two else f"any of the {len(self.pairs)} {runs}"
        return f"Stop: more judging cannot, or is unlikely to, change what {self.measure} says of {stop}."

    def notes(self) -> list[str]:
        """Say what to do, and what is known of the open pairs."""
        known = [headline_sentence(row) for row in self.open_pairs]
        more = [f"And {counted(len(known) - NAMED, 'more pair')}: see --pairs."] * (len(known) > NAMED)
        return [self.sentence(), *known[:NAMED], *more]

    def grid(self) -> Grid:
        columns = [Column("query", "label"), Column("document", "label"), Column("gain", decimals=6)]
        notes = [*([] if self.interval else self.notes()), *([self.refused] if self.wanted else [])]
        return Grid(columns, self.wanted, f"{counted(len(self), 'document')} to judge", notes)

    @property
    def refused(self) -> str:
        """Name the estimates that will refuse judgments of these documents."""
        names = [name for name, measure in MEASURES.items() if measure.traits.estimates]
        return f"Estimates from samples will refuse these judgments: {', '.join(names)}."

    def pairs_grid(self) -> Grid:
        """Return a row per pair of runs: who leads, and whether judging could change that."""
        rows = [better_first(row) for row in self.pairs]
        title, notes = f"Pairs by {self.measure}", [self.sentence()]
        return grid_of_view(rows, VIEWS["pairs"], title=title, notes=notes, written=self.pairs)

    def task(self) -> str:
        """Return qrels with -1 for each document, marked as chosen."""
        rows = [(one.query, one.document, UNSAMPLED) for one in self]
        asked = f"{counted(len(rows), 'document')} to judge: replace each -1 by a grade."
        return qrels_text(rows, [asked, *self.notes(), self.refused, Origin(CHOSEN).mark()])

    def sample(self, made_by: str = "") -> DrawnSample:
        """Return the documents as a sample that was chosen: `merge` takes it, estimates refuse it."""
        table: dict[str, dict[str, int]] = {}
        for one in self:
            table.setdefault(one.query, {})[one.document] = UNSAMPLED
        return DrawnSample(
            pooled=Judgments.of(table).pooled,
            drawn=np.ones(len(self), bool),
            stratum=np.ones(len(self), np.int32),
            probability=np.full(len(self), np.nan),
            earlier=np.zeros(len(self), bool),
            design=f"next by {self.measure}",
            origin=Origin(CHOSEN),
            made_by=made_by,
        )
