"""What to judge next: the documents, who leads in each pair of runs, and what that rests on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unjudged.base.wording import counted, p_text, percent
from unjudged.comparison.judgment_bounds import decided
from unjudged.formats.writing import qrels_text
from unjudged.grids.grid import Column, Grid, Shown
from unjudged.judging.choosing.settling import Forecast
from unjudged.judging.collecting.drawn_sample import DrawnSample
from unjudged.measures.kernel.registry import MEASURES
from unjudged.rankings.judgments import UNSAMPLED, Judgments
from unjudged.rankings.origin import CHOSEN, Origin

NAMED = 3
"""A sentence about open pairs names this many."""


class Candidate(NamedTuple):
    """A document to judge, and its gain: how much its judgment narrows an interval or says about an order."""

    query: str
    document: str
    gain: float


class RunPair(NamedTuple):
    """Two runs, and the ends between which the leader's advantage lies if more is judged.

    A settled pair has the leader that the judgments settle, an open one the leader by the judgments so far.
    `difference` is by the judgments so far, and `p` is that of the paired t test over queries.
    """

    leader: str
    other: str
    difference: float
    low: float
    high: float
    p: float
    settled: bool

    @property
    def equal(self) -> bool:
        """True if the runs are equal and stay so."""
        return self.settled and bool(decided(np.array(self.low), np.array(self.high))[1])

    def sentence(self, when: str = "with every document judged") -> str:
        """Say who leads as judged, what other queries may say, and the ends of the difference `when`."""
        if self.difference == 0:
            lead = f"{self.leader} and {self.other} are equal as judged"
        else:
            lead = f"{self.leader} leads {self.other} by {self.difference:+.4f} as judged"
        ends = f"between {self.low:+.4f} and {self.high:+.4f}"
        return f"{lead} (paired t test over queries: {p_text(self.p)}); {when} it would be {ends}."


@dataclass(frozen=True, eq=False, repr=False)
class NextDocuments(Shown):
    """Documents to judge next, best first, and how far the order of the runs is from being settled.

    `pairs` are the pairs of runs whose order was asked for, none if the documents narrow an `interval`. If
    every pair is settled, judging can stop and `wanted` is empty. `basis` says what a settled pair rests on;
    `confidence` is the share of random completions in which its order holds, None if it holds in all.
    `forecast` is how many judgments, in the order of gains, would settle all pairs; None if it was not asked
    for.
    """

    wanted: list[Candidate]
    runs: list[str]
    measure: str
    candidates: int
    pairs: tuple[RunPair, ...] = ()
    basis: str = ""
    forecast: Forecast | None = None
    interval: str = ""
    confidence: float | None = None

    def __iter__(self) -> Iterator[Candidate]:
        return iter(self.wanted)

    def __len__(self) -> int:
        return len(self.wanted)

    def __getitem__(self, place: int) -> Candidate:
        return self.wanted[place]

    @property
    def open_pairs(self) -> int:
        """Number of pairs of runs that may still change places."""
        return sum(not pair.settled for pair in self.pairs)

    def order(self) -> str:
        """Return the runs by how many others they are ahead of, best first."""
        wins = dict.fromkeys(self.runs, 0)
        for pair in self.pairs:
            wins[pair.leader] += not pair.equal
        best = sorted(self.runs, key=lambda run: -wins[run])
        steps = [" = " if wins[a] == wins[b] else " > " for a, b in zip(best, best[1:], strict=False)]
        return "".join(word for pair in zip(best, [*steps, ""], strict=True) for word in pair)

    def sentence(self) -> str:
        """Say what to do, in one sentence or two."""
        if self.interval:
            they = "It narrows" if len(self) == 1 else "Together they narrow"
            narrowed = sum(one.gain for one in self)
            return f"{they} the interval of the {self.interval} {self.measure} by {narrowed:.6f}."
        two, runs = len(self.runs) == 2, f"pairs of {len(self.runs)} runs"
        order = f"order of {' and '.join(self.runs)}"
        if not self.open_pairs:
            settled = f"the {order}" if two else f"all {len(self.pairs)} {runs}"
            return f"Stop: the judgments settle {settled} by {self.measure}: {self.order()}. {self.basis}"
        left = f"The {order}" if two else f"{self.open_pairs} of {len(self.pairs)} {runs}"
        left += f" {'is' if self.open_pairs == 1 else 'are'} open by {self.measure}."
        if self.forecast is None:
            return left
        told = self.forecast.sentence("it" if self.open_pairs == 1 else "them")
        easier = self.confidence is None and not self.forecast.worthwhile
        return f"{left} {told}{' Fewer do with --confidence 0.95.' if easier else ''}"

    def notes(self) -> list[str]:
        """Say what to do, what is known of the open pairs, and what settled ones rest on."""
        if not self.open_pairs:
            return [self.sentence()]
        when = "with every document judged"
        if self.confidence is not None:
            when = f"in the central {percent(self.confidence)} of random completions"
        left = [pair.sentence(when) for pair in self.pairs if not pair.settled]
        more = [f"And {counted(len(left) - NAMED, 'more open pair')}: see --pairs."] * (len(left) > NAMED)
        known = [f"Settled pairs: {self.basis}"] if self.open_pairs < len(self.pairs) else []
        return [self.sentence(), *left[:NAMED], *more, *known]

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
        """Return a row per pair of runs: who leads, by how much, and whether that is settled."""
        numbers = [Column(name) for name in ("difference", "low", "high", "p")]
        columns = [Column("leader", "label"), Column("other", "label"), *numbers, Column("settled", "text")]
        rows = [[*pair[:-1], "yes" if pair.settled else "no"] for pair in self.pairs]
        known = [f"Settled pairs: {self.basis}"] * (0 < self.open_pairs < len(rows))
        return Grid(columns, rows, f"Pairs by {self.measure}", [self.sentence(), *known])

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
