"""What to judge next: the documents, who leads in each pair of runs, and what that rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unjudged.base.wording import counted
from unjudged.formats.writing import qrels_text
from unjudged.grids.grid import Column, Grid, Shown
from unjudged.inference.rows import Row, better_first, needs_judging
from unjudged.judging.collecting.drawn_sample import DrawnSample
from unjudged.measures.kernel.registry import MEASURES
from unjudged.rankings.judgments import UNSAMPLED, Judgments
from unjudged.rankings.origin import CHOSEN, Origin
from unjudged.results.views import grid_of_view
from unjudged.results.words import headline_sentence

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
        return grid_of_view(rows, "pairs", title=title, notes=notes, written=self.pairs)

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
