"""Which documents to judge next: those that narrow an interval most, or say most about the order of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from unjudged.base.choices import checked_int
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.evaluation.collection import Collection, RunsSource, collection_of
from unjudged.evaluation.default_measures import DEFAULT
from unjudged.evidence.rankings import RankingsEvidence
from unjudged.formats.writing import qrels_text
from unjudged.inference.infer import Settings
from unjudged.inference.rows import Row, answer, better_first, needs_judging
from unjudged.judging.drawn_sample import DrawnSample
from unjudged.judging.gains import DRAWS, gains
from unjudged.measures.kernel.estimand import CHOOSING, check_permitted
from unjudged.measures.kernel.names import MeasureLike
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.questions.evaluate import evaluate
from unjudged.rankings.judged import Floats, Integers
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource
from unjudged.rankings.origin import CHOSEN, Origin
from unjudged.rankings.runs import Run
from unjudged.results.result import Result
from unjudged.results.views import View
from unjudged.results.words import headline_sentence
from unjudged.uncertainty.prevalence import GivenPrevalence
from unjudged.uncertainty.shared import SharedRankings


def next_documents(
    qrels: JudgmentsSource | Collection,
    runs: RunsSource | None = None,
    budget: int = 100,
    measure: MeasureLike | None = None,
    *,
    difference: bool = False,
    settle: bool | None = None,
    top: int | None = None,
    pooled: bool = False,
    prevalence: GivenPrevalence | None = None,
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
    >>> next_documents(sample.qrels, sample.runs["dense"], 1, "RBP(p=0.8)").wanted[0]["query"]
    'q03'
    >>> next_documents(sample.qrels, sample.runs, 2, "nDCG@10").sentence()
    'More judging could change what nDCG@10 says of 4 of 15 pairs of 6 runs.'
    """
    budget, seed = checked_int("budget", budget, least=1), checked_int("seed", seed)
    collection = collection_of(qrels, runs)
    usual = collection.described.defaults.measures or (DEFAULT,)
    collection, (chosen,) = collection.by_whole_grades(collection.measures(measure or usual[:1], tuple))
    judgments, named = collection.judgments, collection.runs
    check_permitted(chosen, judgments, CHOOSING)
    if not (chosen.traits.weight is None if settle is None else settle):
        _refuse_ignored(
            top=(top, None),
            pooled=(pooled, False),
            prevalence=(prevalence, None),
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
    place = list(named).index
    open_pairs = [(place(row["a"]), place(row["b"])) for row in pairs if needs_judging(row)]
    if not open_pairs:
        return _listed(shared, chosen, 0, [], pairs=pairs)
    first, second = (np.array(side) for side in zip(*open_pairs, strict=True))
    gain = gains(shared, chosen, first, second, prevalence=prevalence, draws=draws, seed=seed)
    order = _best(gain, shared)
    return _listed(shared, chosen, len(order), _candidates(shared, gain, order[:budget]), pairs=pairs)


def _listed(
    shared: SharedRankings,
    measure: Measure,
    candidates: int,
    wanted: list[Row],
    *,
    pairs: Sequence[Row] = (),
    interval: str = "",
) -> NextDocuments:
    """Return the result; `candidates` is how many documents have a gain."""
    settings = {"systems": list(shared.runs), "measure": str(measure), "interval": interval}
    return NextDocuments({"next": wanted, "pairs": pairs}, (), {**settings, "candidates": candidates}).told()


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
    what = "difference" if difference else "mean"
    return _listed(shared, measure, len(order), _candidates(shared, gain, order[:budget]), interval=what)


def _best(gain: Floats, shared: SharedRankings) -> Integers:
    """Return the rows with a gain that have no answer, the largest first."""
    candidates = np.flatnonzero((gain > 0) & shared.judgments.waiting)
    return candidates[np.argsort(-gain[candidates], kind="stable")]


def _candidates(shared: SharedRankings, gain: Floats, rows: Integers) -> list[Row]:
    return [
        {"query": shared.query(r), "document": shared.document(r), "gain": float(gain[r])}
        for r in rows.tolist()
    ]


def pairs_by_judging(shared: SharedRankings, measure: Measure, depth: int | None) -> list[Row]:
    """Return the row of each pair, with what more judging could change.

    Below the depth of the pool, 0 for none, only documents of the pool can be relevant.
    """
    scores = measure.averaged(shared.per_run(measure.compute(shared.judged_rankings)))
    return answer([RankingsEvidence(shared, measure, scores, depth)], Settings()).pairs


NAMED = 3
"""A sentence about open pairs names this many."""


@dataclass(frozen=True, eq=False, repr=False)
class NextDocuments(Result):
    """Rows `next`, the documents to judge, best first, and `pairs`, which runs judging could still change.

    `pairs` are rows of `compare`, of the pairs whose order was asked for; none if the documents narrow an
    interval. If no pair needs judging, there are no documents.
    """

    view: str = "next"

    @property
    def wanted(self) -> Sequence[Row]:
        """Documents to judge, best first."""
        return self.rows["next"]

    @property
    def pairs(self) -> Sequence[Row]:
        """Pairs whose order was asked for."""
        return self.rows["pairs"]

    @property
    def open_pairs(self) -> list[Row]:
        """Pairs that judging could change."""
        return [row for row in self.pairs if needs_judging(row)]

    def sentence(self) -> str:
        """Say what to do, in one sentence or two."""
        measure, runs, interval = (self.settings[name] for name in ("measure", "systems", "interval"))
        if interval:
            they = "It narrows" if len(self.wanted) == 1 else "Together they narrow"
            narrowed = sum(one["gain"] for one in self.wanted)
            return f"{they} the interval of the {interval} {measure} by {narrowed:.6f}."
        two, many = len(runs) == 2, f"pairs of {len(runs)} runs"
        whose = " and ".join(runs) if two else f"{len(self.open_pairs)} of {len(self.pairs)} {many}"
        if self.open_pairs:
            return f"More judging could change what {measure} says of {whose}."
        stop = whose if two else f"any of the {len(self.pairs)} {many}"
        return f"Stop: more judging cannot, or is unlikely to, change what {measure} says of {stop}."

    def told(self) -> NextDocuments:
        """Return the same with notes: what to do, what is known of open pairs, and which estimates refuse."""
        known = [headline_sentence(row) for row in self.open_pairs]
        notes = [self.sentence(), *known[:NAMED]]
        if len(known) > NAMED:
            notes.append(f"And {counted(len(known) - NAMED, 'more pair')}: see --pairs.")
        if self.wanted:
            names = [name for name, measure in MEASURES.items() if measure.traits.estimates]
            notes.append(f"Estimates from samples will refuse these judgments: {', '.join(names)}.")
        return replace(self, notes=notes)

    def title(self, view: str) -> str:
        """Return how many documents are to be judged, or by what pairs are compared."""
        if view == "pairs":
            return f"Pairs by {self.settings['measure']}"
        return f"{counted(len(self.wanted), 'document')} to judge"

    def shown(self, view: str) -> tuple[Sequence[Row], View]:
        """Return the rows of a view, the better run first."""
        rows, view_of = super().shown(view)
        return [better_first(row) for row in rows] if view == "pairs" else rows, view_of

    def task(self) -> str:
        """Return qrels with -1 for each document, marked as chosen."""
        rows = [(one["query"], one["document"], UNSAMPLED) for one in self.wanted]
        asked = f"{counted(len(rows), 'document')} to judge: replace each -1 by a grade."
        return qrels_text(rows, [asked, *self.notes, Origin(CHOSEN).mark()])

    def sample(self, made_by: str = "") -> DrawnSample:
        """Return the documents as a sample that was chosen: `merge` takes it, estimates refuse it."""
        table: dict[str, dict[str, int]] = {}
        for one in self.wanted:
            table.setdefault(one["query"], {})[one["document"]] = UNSAMPLED
        return DrawnSample(
            pooled=Judgments.of(table).pooled,
            drawn=np.ones(len(self.wanted), bool),
            stratum=np.ones(len(self.wanted), np.int32),
            probability=np.full(len(self.wanted), np.nan),
            earlier=np.zeros(len(self.wanted), bool),
            design=f"next by {self.settings['measure']}",
            origin=Origin(CHOSEN),
            made_by=made_by,
        )
