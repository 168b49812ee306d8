"""Documents drawn for people to judge, how they were drawn, and which of them still wait for a grade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.choices import DesignName
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted
from unjudged.formats.tables import Ids
from unjudged.formats.writing import qrels_text
from unjudged.judging import sampling
from unjudged.judging.designs import DESIGNS, Design
from unjudged.judging.pooling import Pool
from unjudged.rankings.extension import chosen_rows, rows_of, table_of_pool
from unjudged.rankings.judged import Floats, Mask
from unjudged.rankings.judgments import UNSAMPLED, Judgments
from unjudged.rankings.origin import CHOSEN, MARK, STRATIFIED, UNKNOWN, Origin, joined
from unjudged.rankings.pooled import PooledDocuments
from unjudged.results.fields import Row
from unjudged.results.grid import Grid, Shown
from unjudged.results.views import VIEWS, grid_of_view

POISSON = "predictions"
"""The design of documents drawn one by one, without strata, as for estimates with predictions."""


@dataclass(frozen=True, eq=False, repr=False)
class DrawnSample(Shown):
    """Documents of a pool that people are to judge, with the stratum and the probability of each.

    `probability` is NaN where it is unknown. `earlier` documents were in an earlier pool or judged before,
    and are not handed out again. `grade` has the grades that are known already, -1 for the others. `origin`
    is that of the judgments to come, and `method` says in words how the probabilities were chosen.
    """

    pooled: PooledDocuments
    drawn: Mask
    stratum: NDArray[np.int32]
    probability: Floats
    earlier: Mask
    design: str
    origin: Origin
    seed: int = 0
    made_by: str = ""
    method: str = ""
    grade: NDArray[np.int32] | None = None

    @property
    def rows_to_judge(self) -> NDArray[np.int64]:
        """Rows that are to be judged now."""
        return np.flatnonzero(self.drawn & ~self.earlier)

    def to_judge(self) -> list[tuple[str, str]]:
        """Return the (query, document) pairs that are to be judged now."""
        return self.pooled.names(self.rows_to_judge)

    @property
    def chosen(self) -> bool:
        """True for documents that were selected for what their judgments would show."""
        return self.origin.kind == CHOSEN

    @property
    def form(self) -> str:
        """Form of the file that keeps all that is known of the sample: qrels, strata or prels."""
        if self.chosen or self.fits("qrels"):
            return "qrels"
        return "strata" if self.fits("strata") else "prels"

    def fits(self, form: str) -> bool:
        """Return True if a file of this form tells how documents were drawn.

        Files of strata need equal probabilities in each stratum of a query, qrels in each query.
        """
        stratum = self.stratum if form == "strata" else np.zeros_like(self.stratum)
        if np.isnan(self.probability[self.drawn]).any():
            return form != "qrels" or len(np.unique(self.stratum)) == 1
        order = np.lexsort((self.probability, stratum, self.pooled.query))
        cell, odds = np.stack([self.pooled.query, stratum])[:, order], self.probability[order]
        alike = (cell[:, 1:] == cell[:, :-1]).all(axis=0)
        return form == "prels" or bool((odds[1:] == odds[:-1])[alike].all())

    @property
    def judgments(self) -> Judgments:
        """Judgments so far; estimates refuse them while drawn documents wait for a grade."""
        waiting = np.full(len(self.drawn), UNSAMPLED, np.int32)
        return self.graded(waiting if self.grade is None else self.grade)

    def graded(self, grade: NDArray[np.int32]) -> Judgments:
        """Return the sample with these grades, one per row; chosen ones have no strata or probabilities."""
        if self.chosen:
            return Judgments(self.pooled, grade, origin=self.origin, drawn=self.drawn)
        probability = None if np.isnan(self.probability[self.drawn]).any() else self.probability
        stratum = None if self.design == POISSON else self.stratum
        return Judgments(self.pooled, grade, stratum, probability, self.origin, drawn=self.drawn)

    def marks(self) -> list[str]:
        """Return the comments of files with documents to judge: their answers alone are no sample."""
        if self.chosen:
            return [self.origin.mark()]
        if self.drawn.all():
            return []
        return [f"{MARK} {UNKNOWN}: the probabilities with which documents were drawn are not in this file"]

    def task(self) -> str:
        """Return qrels with -1 for each document to judge, in an order that says nothing about ranks.

        Within a topic, the order depends on the seed and the names only.
        """
        rows, pairs = self.rows_to_judge, self.to_judge()
        numbers = sampling.numbers(sampling.identities_of_rows(self.pooled, rows), self.seed, "order")
        order = np.lexsort((numbers, self.pooled.query[rows])).tolist()
        number = counted(len(pairs), "document"), counted(len({query for query, _ in pairs}), "topic")
        asked = 'replace each -1 by a grade, or by -2 for "cannot judge".'
        head = f"{' of '.join(number)} to judge: {asked}"
        return qrels_text([(*pairs[i], UNSAMPLED) for i in order], [head, *self.marks()])

    def grid(self) -> Grid:
        """Per stratum: documents, how many of them are drawn, and the range of their probabilities."""
        before = np.zeros(len(self.drawn), bool) if self.grade is None else self.grade != UNSAMPLED
        rows: list[Row] = []
        for stratum in np.unique(self.stratum).tolist():
            own = (self.stratum == stratum) & ~before
            row: Row = {"stratum": stratum, "pooled": int(own.sum()), "drawn": int((own & self.drawn).sum())}
            if before.any():
                row["judged_before"] = int((before & (self.stratum == stratum)).sum())
            odds = self.probability[own]
            if len(odds) and not np.isnan(odds).any():
                row |= {"lowest_probability": float(odds.min()), "highest_probability": float(odds.max())}
            rows.append(row)
        notes = ["Chosen for what they show: not a random sample."] if self.chosen else []
        notes += [f"Drawn {self.method}."] if self.method else []
        drawn = counted(int((self.drawn & ~before).sum()), "document")
        return grid_of_view(rows, VIEWS["strata"], title=f"{self.design}, {drawn} drawn", notes=notes)


def check_judged(judgments: Judgments) -> None:
    """Refuse a sample in which drawn documents still wait for their judgments."""
    if judgments.drawn is None:
        return
    waiting = np.flatnonzero(judgments.drawn & judgments.waiting)
    if len(waiting):
        ((query, document),) = judgments.pooled.names(waiting[:1])
        several = "1 drawn document is" if len(waiting) == 1 else f"{len(waiting)} drawn documents are"
        example = f"document {document!r} of query {query!r}"
        raise InputError(f"{several} not judged yet, such as {example}: the estimate needs all of them")


def draw(
    pool: Pool,
    design: DesignName | Design,
    level: float | None = None,
    *,
    strata: Mapping[float, float] | None = None,
    seed: int = 0,
    since: DrawnSample | None = None,
    made_by: str = "",
    **options: Any,
) -> DrawnSample:
    """Draw documents to be judged from a pool; its grades do not matter.

    `strata` replaces the level of the stratified design: `{10: 1.0, float("inf"): 0.1}`. `since` is an
    earlier sample: only documents outside its pool are drawn, in strata of their own, and the earlier
    documents keep their strata and probabilities.

    >>> from unjudged import sample
    >>> pool = Pool.of_runs(sample.runs, depth=20)
    >>> int(draw(pool, "stratified", 0.1, seed=1, top=5).drawn.sum())
    945
    """
    kind = DESIGNS.find(design) if isinstance(design, str) else design
    if "redraw" in kind.options:
        if options.get("redraw"):
            raise UsageError("a sample cannot be drawn again by its relevant documents before it is judged")
        options["redraw"] = False
    fresh = pool if since is None else documents_since(pool, since)
    blank = fresh.blank
    if strata is not None:
        made = blank.stratified(strata, seed=seed)
    elif level is None:
        raise UsageError(f"design {kind.name!r} needs a level")
    else:
        made = kind.draw(blank, level, seed, **options)
    drawn = made.grade >= 0
    stratum, probability, origin = made.stratum, made.probability, made.origin
    if not kind.random and probability is None:
        probability = drawn.astype(float)
        origin = Origin(STRATIFIED, fresh.drawable_to(probability) if kind.runs else None)
        stratum = np.where(drawn, 1, 2).astype(np.int32) if stratum is None else stratum
    new = DrawnSample(
        pooled=fresh.judgments.pooled,
        drawn=drawn,
        stratum=np.ones(len(drawn), np.int32) if stratum is None else stratum,
        probability=np.full(len(drawn), np.nan) if probability is None else probability,
        earlier=np.zeros(len(drawn), bool),
        design=kind.name,
        seed=seed,
        origin=origin,
        made_by=made_by,
        method=_to_depths(level, **options),
    )
    return new if since is None else _joined(since, new)


def _to_depths(level: float | None, deeper: int = 0, **_: object) -> str:
    """Say which ranks are judged where some queries are judged one rank deeper."""
    if level is None or not deeper:
        return ""
    return f"to rank {level:g}, and to rank {level + 1:g} in {counted(deeper, 'query')}, chosen at random"


def documents_since(pool: Pool, since: DrawnSample) -> Pool:
    """Return the pool without the documents of an earlier one."""
    earlier = Judgments(since.pooled, np.zeros(len(since.drawn), np.int32))
    fresh = rows_of(earlier, table_of_pool(pool.judgments.pooled)) < 0
    if not fresh.any():
        raise UsageError("every document of the pool is in the earlier one: there is nothing to draw from")
    judgments = chosen_rows(pool.judgments, fresh)
    row = np.where(fresh, np.cumsum(fresh) - 1, -1)
    matched = None if pool.matched is None else pool.matched.moved(judgments, row)
    return Pool(judgments, matched, pool.runs)


def _joined(since: DrawnSample, new: DrawnSample) -> DrawnSample:
    """Return the earlier pool and the new documents: query by query, the earlier rows first."""
    parts = (since.pooled, new.pooled)
    names = list(dict.fromkeys(name for part in parts for name in part.queries.tolist()))
    place = {name: number for number, name in enumerate(names)}
    codes = (np.array([place[name] for name in part.queries.tolist()], np.int64) for part in parts)
    query = np.concatenate([code[part.query] for code, part in zip(codes, parts, strict=True)])
    order = np.argsort(query, kind="stable")
    offsets = np.searchsorted(query[order], np.arange(len(names) + 1)).astype(np.int64)
    documents = Ids.joined([part.documents for part in parts]).take(order)
    above, unknown = int(since.stratum.max(initial=0)), np.full(len(new.drawn), UNSAMPLED, np.int32)

    def both(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return np.concatenate([first, second])[order]

    return replace(
        new,
        pooled=PooledDocuments(Ids.of(names), offsets, documents),
        drawn=both(since.drawn, new.drawn),
        stratum=both(since.stratum, new.stratum + above).astype(np.int32),
        probability=both(since.probability, new.probability),
        earlier=both(np.ones(len(since.drawn), bool), new.earlier),
        origin=joined(since.origin, new.origin),
        grade=None if since.grade is None else both(since.grade, unknown),
    )
