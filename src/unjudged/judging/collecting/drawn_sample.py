"""Documents drawn from a pool before anyone has judged it, and how they were drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import UsageError
from unjudged.formats.tables import Ids
from unjudged.grids.grid import Column, Grid
from unjudged.grids.shown import Shown
from unjudged.judging.pooling.designs import Design, find_design
from unjudged.judging.pooling.pool import Pool
from unjudged.rankings.extension import chosen_rows, rows_of, table_of_pool
from unjudged.rankings.judged import Floats, Mask
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import CHOSEN, STRATIFIED, Origin, joined
from unjudged.rankings.pooled import PooledDocuments


@dataclass(frozen=True, eq=False, repr=False)
class DrawnSample(Shown):
    """Which documents of a pool are to be judged, the stratum and the inclusion probability of each.

    `probability` is NaN where it is unknown. `earlier` documents were in the pool of an earlier sample, and
    those of them that were drawn have been handed out before. `origin` is that of the judgments to come.
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

    @property
    def to_judge(self) -> NDArray[np.int64]:
        """The rows that are to be judged now."""
        return np.flatnonzero(self.drawn & ~self.earlier)

    @property
    def chosen(self) -> bool:
        """Whether documents were selected for what their judgments would show."""
        return self.origin.kind == CHOSEN

    @property
    def form(self) -> str:
        """The form of the file that keeps all that is known of the sample: qrels, strata or prels."""
        if self.chosen or self.fits("qrels"):
            return "qrels"
        return "strata" if self.fits("strata") else "prels"

    def fits(self, form: str) -> bool:
        """Whether a file of this form tells how documents were drawn.

        Files of strata need equal probabilities in each stratum of a query, qrels in each query.
        """
        stratum = self.stratum if form == "strata" else np.zeros_like(self.stratum)
        if np.isnan(self.probability[self.drawn]).any():
            return form != "qrels" or len(np.unique(self.stratum)) == 1
        order = np.lexsort((self.probability, stratum, self.pooled.query))
        cell, odds = np.stack([self.pooled.query, stratum])[:, order], self.probability[order]
        alike = (cell[:, 1:] == cell[:, :-1]).all(axis=0)
        return form == "prels" or bool((odds[1:] == odds[:-1])[alike].all())

    def judgments(self, grade: NDArray[np.int32]) -> Judgments:
        """The sample with these grades, one per row; a chosen sample has no strata and no probabilities."""
        if self.chosen:
            return Judgments(self.pooled, grade, origin=self.origin)
        unknown = np.isnan(self.probability[self.drawn]).any()
        probability = None if unknown else self.probability
        return Judgments(self.pooled, grade, self.stratum, probability, self.origin)

    def grid(self) -> Grid:
        """Per stratum: documents, how many of them are drawn, and the range of their probabilities."""
        columns = [Column(name, "integer") for name in ("stratum", "documents", "drawn")]
        columns += [Column("lowest probability"), Column("highest probability")]
        rows = []
        for stratum in np.unique(self.stratum).tolist():
            own = self.stratum == stratum
            odds = self.probability[own]
            known = (None, None) if np.isnan(odds).any() else (float(odds.min()), float(odds.max()))
            rows.append([stratum, int(own.sum()), int((own & self.drawn).sum()), *known])
        notes = ["Chosen for what they show: not a random sample."] if self.chosen else []
        return Grid(columns, rows, f"{self.design}, {int(self.drawn.sum())} documents drawn", notes)


def draw(
    pool: Pool,
    design: str | Design,
    level: float | None = None,
    *,
    strata: Mapping[float, float] | None = None,
    seed: int = 0,
    since: DrawnSample | None = None,
    made_by: str = "",
    **options: Any,
) -> DrawnSample:
    """Draw documents to be judged from a pool, whatever its grades.

    `strata` replaces the level of the stratified design: `{10: 1.0, float("inf"): 0.1}`. `since` is an
    earlier sample: only documents outside its pool are drawn, in strata of their own, and the earlier
    documents keep their strata and probabilities.

    >>> from unjudged import sample
    >>> pool = Pool.of_runs(sample.runs, depth=20)
    >>> int(draw(pool, "stratified", 0.1, seed=1, top=5).drawn.sum())
    945
    """
    kind = find_design(design) if isinstance(design, str) else design
    if "redraw" in kind.options:
        if options.get("redraw"):
            raise UsageError("a sample cannot be drawn again by its relevant documents before it is judged")
        options["redraw"] = False
    fresh = pool if since is None else _without(pool, since)
    blank = replace(fresh, judgments=fresh.judgments.with_grades(np.zeros_like(fresh.judgments.grade)))
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
    found = DrawnSample(
        pooled=fresh.judgments.pooled,
        drawn=drawn,
        stratum=np.ones(len(drawn), np.int32) if stratum is None else stratum,
        probability=np.full(len(drawn), np.nan) if probability is None else probability,
        earlier=np.zeros(len(drawn), bool),
        design=kind.name,
        seed=seed,
        origin=origin,
        made_by=made_by,
    )
    return found if since is None else _joined(since, found)


def _without(pool: Pool, since: DrawnSample) -> Pool:
    """The pool without the documents of an earlier one."""
    earlier = Judgments(since.pooled, np.zeros(len(since.drawn), np.int32))
    fresh = rows_of(earlier, table_of_pool(pool.judgments.pooled)) < 0
    if not fresh.any():
        raise UsageError("every document of the pool is in the earlier one: there is nothing to draw from")
    judgments = chosen_rows(pool.judgments, fresh)
    row = np.where(fresh, np.cumsum(fresh) - 1, -1)
    matched = None if pool.matched is None else pool.matched.moved(judgments, row)
    return Pool(judgments, matched, pool.runs)


def _joined(since: DrawnSample, found: DrawnSample) -> DrawnSample:
    """The earlier pool and the new documents: query by query, the earlier rows first."""
    parts = (since.pooled, found.pooled)
    names = list(dict.fromkeys(name for part in parts for name in part.queries.tolist()))
    place = {name: number for number, name in enumerate(names)}
    codes = [
        np.array([place[name] for name in part.queries.tolist()], np.int64)[part.query] for part in parts
    ]
    query = np.concatenate(codes)
    order = np.argsort(query, kind="stable")
    offsets = np.searchsorted(query[order], np.arange(len(names) + 1)).astype(np.int64)
    documents = Ids.joined([part.documents for part in parts]).take(order)
    above = int(since.stratum.max(initial=0))
    return replace(
        found,
        pooled=PooledDocuments(Ids.of(names), offsets, documents),
        drawn=np.concatenate([since.drawn, found.drawn])[order],
        stratum=np.concatenate([since.stratum, found.stratum + above])[order].astype(np.int32),
        probability=np.concatenate([since.probability, found.probability])[order],
        earlier=np.concatenate([np.ones(len(since.drawn), bool), found.earlier])[order],
        origin=joined(since.origin, found.origin),
    )
