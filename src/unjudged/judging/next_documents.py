"""Which documents to judge next: the most telling ones, a pool, or some drawn at random."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.choices import Choices, called_with_levels, check_parameters, checked_int
from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.wording import counted
from unjudged.collection.collection import Collection, collection_of
from unjudged.data.writing import qrels_text
from unjudged.evidence.contrast import ALONE
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.inference.pair_rows import needs_judging, pair_rows
from unjudged.inference.pair_tests import Settings
from unjudged.inference.pairs import pairs_of
from unjudged.judging.designs import DESIGNS, Design, draw
from unjudged.judging.gains import most_telling
from unjudged.judging.pooling import DEEPEST, Pool, identities_of_rows, numbers
from unjudged.measures.kernel.names import MeasureLike
from unjudged.measures.kernel.permitted import CHOOSING, check_permitted
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.questions.fitting_measures import DEFAULT
from unjudged.rankings.extension import extended, rows_of
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource
from unjudged.rankings.origin import A_POOL, CHOSEN, Origin
from unjudged.rankings.runs import Run, RunsSource
from unjudged.rankings.sample_file import sample_text
from unjudged.results.fields import Row
from unjudged.results.result import Result
from unjudged.results.words import headline_sentence

MOST_TELLING, HOLES = "most telling", "holes"
USUAL, BATCH = 100, 20
"""So many documents are listed or drawn, and are in a batch, if nothing else says how many."""
PROMISES_NOTHING = "This list may not be enough. {}."
IN_PLACE = "To be sure of the order: --until better", 'For an interval: --design "holes(50)"'
"""What does promise something, of several runs and of one."""


def next_documents(
    qrels: JudgmentsSource | Collection | None,
    runs: RunsSource | None = None,
    *,
    design: str = MOST_TELLING,
    n: int | None = None,
    measure: MeasureLike | Sequence[MeasureLike] | None = None,
    until: str | None = None,
    seed: int = 0,
) -> NextDocuments:
    """Return the unjudged documents to judge next, by a design.

    - "most telling": the ones that say most about the pairs of runs that more judging could flip or blur, as
      `compare` says, best first; none if there is no such pair. Of one run, the ones that say most about its
      mean. It is a way to learn quickly, and promises nothing about the order;
    - "holes(50)": 50 of the unjudged documents that the runs have within the cutoff, drawn at random by what
      each could change of the runs' means, so that estimates from them hold; `holes(width=0.1)`: as many as
      an interval of that width needs, and with `depth` down to that rank;
    - "pool(100)": the first 100 of every run;
    - "uniform(10%)", "mixed(5)", "stratified(10:100%, rest:10%)": a random sample, of the documents that the
      judgments list, or, without judgments, of all that the runs retrieve.

    Every design in `judging.DESIGNS` is one. Without a level, as in "uniform", `n` documents are drawn.

    With `until` "better" they are batches of `n` holes, drawn by what they could change of the pairs that
    need judging. Merge the answers and ask again, until the order of each pair on these queries is decided,
    at 95 % however often one looks. "better(batches=5)" declares at most five looks, which gives narrower
    intervals. The design may be holes too, as in "holes(depth=100)". The measure is the one that the first
    batch was for.

    >>> from unjudged import sample
    >>> next_documents(sample.qrels, sample.runs, n=2, measure="nDCG@10").sentence()
    'More judging could change what nDCG@10 says of 4 of 15 pairs of 6 runs.'
    >>> len(next_documents(None, sample.runs, design="pool(10)").wanted)
    1423
    """
    collection = collection_of(qrels, runs)  # type: ignore[arg-type]
    asked = _asked(design, n, seed, BATCH if until is not None else USUAL)
    if until is not None:
        if asked.name not in (MOST_TELLING, HOLES):
            raise UsageError(f"until draws batches of holes: omit design {quoted(design)}")
        made = _until(collection, measure, asked, until)
        return made.of(design=HOLES, seed=seed, until=until)
    kind = Choices[Any]("design", **LISTS, **DESIGNS).find(asked.name)
    if isinstance(kind, Design):
        made = _by_design(collection, kind, asked)
    else:
        made = kind(collection, _by_measure(collection, measure), asked)
    return made.of(design=design, seed=seed)


def _by_measure(collection: Collection, measure: MeasureLike | Sequence[MeasureLike] | None) -> Measure:
    """Return the measure by which documents are chosen: the given one, or the first that is usual.

    Where documents were drawn before, the one that they were drawn for is usual.
    """
    frame = collection.judgments.frame if collection.described.judgments else None
    usual = [] if frame is None else [str(frame.settings.get("measure", DEFAULT))]
    usual = usual or list(collection.described.defaults.measures or (DEFAULT,))
    chosen = collection.measures(measure or usual[:1], tuple)
    if len(chosen) > 1:
        raise UsageError(f"documents are chosen by one measure, and there are {len(chosen)}")
    return chosen[0]


class AskedDesign(NamedTuple):
    """A design as it is written, `stratified(20%, top=5)`: its name, level and parameters."""

    name: str
    level: str
    parameters: Mapping[str, Any]
    n: int
    seed: int


def _asked(design: str, n: int | None, seed: int, usual: int) -> AskedDesign:
    """Return what to list or draw: the design, how many documents, and its parameters."""
    name, levels, parameters = called_with_levels(design)
    level = ", ".join(levels)
    if level and n is not None:
        raise UsageError(f"design {quoted(design)} says how many documents: omit n")
    if name in LISTS:
        if (parameters and name != HOLES) or (level and not level.isdecimal()):
            raise UsageError(f"design is {quoted(design)}, expected {name!r} with a number of documents")
        n = int(level) if level else n
    number = checked_int("n", usual if n is None else n, least=1)
    return AskedDesign(name, level, parameters, number, checked_int("seed", seed))


def _by_design(collection: Collection, kind: Design, asked: AskedDesign) -> NextDocuments:
    """Return what a design chooses of a pool: a random sample, or all that a rule lists."""
    at = kind.level_of(asked.level) if asked.level else None
    named = {name: Run.read(run) for name, run in collection.runs.items()}
    if not collection.described.judgments:
        pool = Pool.of_runs(named, DEEPEST)
    elif kind.random:
        pool = Pool.of(collection.judgments, named or None)
    else:
        tables = [run.table for run in named.values()]
        pool = Pool.of(extended(collection.judgments, tables, new_queries=True), named)
    if kind.random:
        sample = draw(pool, kind, at, n=asked.n, seed=asked.seed, **asked.parameters)
        return _sampled(sample, asked.seed)
    level = at or kind.level_for(pool.blank, asked.n, asked.seed, **asked.parameters)
    made = kind.draw(pool.blank, level, asked.seed, **asked.parameters)
    listed = np.flatnonzero((made.grade >= 0) & pool.judgments.waiting)
    query, names = pool.judgments.query[listed].tolist(), pool.judgments.pooled.names(listed)
    wanted = [{"query": q, "document": d} for _, (q, d) in sorted(zip(query, names, strict=True))]
    return NextDocuments({"next": wanted}, origin=A_POOL if collection.described.judgments else made.origin)


def _sampled(sample: Judgments, seed: int) -> NextDocuments:
    """Return the documents of a sample that wait, in an order that says nothing about ranks."""
    none = np.zeros(len(sample.grade), bool)
    waiting = np.flatnonzero(none if sample.drawn is None else sample.drawn & sample.waiting)
    number = numbers(identities_of_rows(sample.pooled, waiting), seed, "order")
    order = waiting[np.lexsort((number, sample.query[waiting]))]
    odds = np.zeros(len(sample.grade)) if sample.probability is None else sample.probability
    names = zip(sample.pooled.names(order), odds[order].tolist(), strict=True)
    wanted: list[Row] = [
        {"query": query, "document": document, "probability": chance} for (query, document), chance in names
    ]
    return NextDocuments({"next": wanted}, sample=sample, order=order.tolist(), origin=sample.origin)


def _most_telling(collection: Collection, measure: Measure, asked: AskedDesign) -> NextDocuments:
    """List what says most about the pairs that judging could change, or about one run."""
    if collection.judgments.frame is not None:
        problem = (
            "these judgments rest on documents drawn at random, and a list of chosen ones would spoil that"
        )
        raise UsageError(f'{problem}: draw more by --design "holes(50)", or --until better')
    check_permitted(measure, collection.judgments, CHOOSING)
    shared, pairs = collection.shared(), list[Row]()
    open_pairs = [(0, ALONE)]
    if len(shared.runs) > 1:
        pairs = pairs_by_judging(shared, measure, collection.judgments.origin.pool_depth())
        place = list(shared.runs).index
        open_pairs = [(place(row["a"]), place(row["b"])) for row in pairs if needs_judging(row)]
    wanted = list[Row]()
    if open_pairs:
        first, second = (np.array(side) for side in zip(*open_pairs, strict=True))
        best = zip(*most_telling(shared, measure, first, second, asked.n), strict=True)
        wanted = [
            {"query": shared.query(row), "document": shared.document(row), "gain": float(gain)}
            for row, gain in best
        ]
    settings = {"systems": list(shared.runs), "measure": str(measure)}
    return NextDocuments({"next": wanted, "pairs": pairs}, (), settings, origin=Origin(CHOSEN))


def _holes(collection: Collection, measure: Measure, asked: AskedDesign) -> NextDocuments:
    """Draw documents by what they could change of the means of the runs."""
    check_parameters(HOLES, asked.parameters, ["depth", "width"])
    drawn = import_module("unjudged.judging.holes").drawn
    return _in_order(*drawn(collection, measure, n=asked.n, seed=asked.seed, **asked.parameters))


def _until(
    collection: Collection,
    measure: MeasureLike | Sequence[MeasureLike] | None,
    asked: AskedDesign,
    until: str,
) -> NextDocuments:
    """Draw the next batch of holes, unless the order of all pairs is decided."""
    check_parameters(HOLES, asked.parameters, ["depth"])
    next_batch, chosen = import_module("unjudged.judging.until").next_batch, _by_measure(collection, measure)
    options = {"n": asked.n, "seed": asked.seed, "until": until, **asked.parameters}
    return _in_order(*next_batch(collection, chosen, **options))


def _in_order(sample: Judgments, answers: Sequence[str]) -> NextDocuments:
    """Return the documents of an order that wait for their grades, and what is known before."""
    frame = sample.frame
    if frame is None or sample.drawn is None:
        return NextDocuments({"next": []}, answers=answers)
    waiting = np.flatnonzero(sample.waiting & sample.drawn)
    order = waiting[np.argsort(frame.order[waiting])]
    names = zip(sample.pooled.names(order), frame.batch[order].tolist(), strict=True)
    wanted: list[Row] = [{"query": query, "document": document, "batch": b} for (query, document), b in names]
    return NextDocuments(
        {"next": wanted}, sample=sample, order=order.tolist(), origin=sample.origin, answers=answers
    )


LISTS: Choices[Callable[[Collection, Measure, AskedDesign], NextDocuments]] = Choices(
    "design", **{MOST_TELLING: _most_telling, HOLES: _holes}
)
"""Designs that go by a measure, beside those that know pools alone."""


def every_design() -> list[str]:
    """Return the names of all designs."""
    return [*LISTS, *DESIGNS]


def pairs_by_judging(shared: SharedRankings, measure: Measure, depth: int | None) -> list[Row]:
    """Return the row of each pair, with what more judging could change, but not at which shares.

    Below the depth of the pool, 0 for none, only documents of the pool can be relevant.
    """
    evidence = RankingsEvidence.of(shared, measure, depth)
    return pair_rows(evidence, *pairs_of(shared.runs), Settings(), shares=False)[0]


@dataclass(frozen=True, eq=False, repr=False)
class NextDocuments(Result):
    """Rows `next`, the documents to judge, and `pairs`, rows of `compare` if pairs were asked about.

    If no pair needs judging, there are no documents. `sample` has the documents that were drawn, and those
    that could have been; `origin` is how the judgments to come were made.
    """

    view: str = "next"
    sample: Judgments | None = None
    order: Sequence[int] = ()
    origin: Origin = A_POOL
    answers: Sequence[str] = ()
    """What is known before the documents are judged, in sentences."""

    @property
    def wanted(self) -> Sequence[Row]:
        """Documents to judge, in the order in which they are listed."""
        return self.rows["next"]

    @property
    def pairs(self) -> Sequence[Row]:
        """Pairs whose order was asked for."""
        return self.rows.get("pairs", [])

    @property
    def open_pairs(self) -> list[Row]:
        """Pairs that judging could change."""
        return [row for row in self.pairs if needs_judging(row)]

    def would_lose(self, judged: Judgments) -> bool:
        """Whether these judgments have grades that the file to write has not."""
        mine = self.sample
        rows = np.full(len(judged.grade), -1) if mine is None else rows_of(mine, judged.as_table())
        kept = (rows >= 0) & (True if mine is None else mine.grade[rows] == judged.grade)
        return bool(((judged.grade >= 0) & ~kept).any())

    def sentence(self) -> str:
        """Say what to judge, and why."""
        if self.answers:
            return self.answers[0]
        measure, runs = self.settings.get("measure", ""), self.settings.get("systems", ())
        if self.pairs:
            two, many = len(runs) == 2, f"pairs of {len(runs)} runs"
            if self.open_pairs:
                whose = (
                    " and ".join(runs) if two else f"{len(self.open_pairs):,} of {len(self.pairs):,} {many}"
                )
                return f"More judging could change what {measure} says of {whose}."
            whose = " and ".join(runs) if two else f"any of the {len(self.pairs):,} {many}"
            return f"Stop: more judging cannot, or is unlikely to, change what {measure} says of {whose}."
        if self.origin.kind == CHOSEN:
            many = counted(len(self.wanted), "document")
            return f"{many} to judge, which say most about {measure} of {runs[0]}."
        if self.sample is None:
            return f"{counted(len(self.wanted), 'document')} of the pool to judge."
        pool = counted(len(self.sample.grade), "document")
        return f"{counted(len(self.wanted), 'document')} to judge, drawn at random from a pool of {pool}."

    def of(self, **settings: Any) -> NextDocuments:
        """Return the same with settings, and notes: what to do, and what is known of open pairs."""
        known = [headline_sentence(row) for row in self.open_pairs]
        notes = [*(self.answers or [self.sentence()]), *(known if len(known) == 1 else [])]
        if self.wanted and self.origin.kind == CHOSEN:
            names = [name for name, measure in MEASURES.items() if measure.traits.estimates]
            notes.insert(1, PROMISES_NOTHING.format(IN_PLACE[not self.pairs]))
            notes.append(f"Estimates from samples will refuse these judgments: {', '.join(names)}.")
        return replace(self, notes=notes, settings={**self.settings, **settings})

    def title(self, view: str) -> str:  # noqa: ARG002 (there is one view)
        """Return how many documents are to be judged."""
        return f"{counted(len(self.wanted), 'document')} to judge"

    def text(self) -> str:
        """Return the file to judge: qrels with -1 for each document, or a sample with all that was not drawn.

        `judge`, `merge` and an editor take it.
        """
        if not self.wanted and self.sample is None:
            raise InputError(f"nothing to judge: {self.sentence()}")
        topics = len({one["query"] for one in self.wanted})
        what = f"{counted(len(self.wanted), 'document')} of {counted(topics, 'topic')} to judge"
        comments = [f'{what}: replace each -1 by a grade, or by -2 for "cannot judge".', *self.notes]
        if self.sample is not None:
            how = {name: self.settings[name] for name in ("design", "seed")}
            return sample_text(self.sample, comments, self.order, **how)
        rows = [(one["query"], one["document"], UNSAMPLED) for one in self.wanted]
        return qrels_text(rows, [*comments, self.origin.mark(judged=False)])
