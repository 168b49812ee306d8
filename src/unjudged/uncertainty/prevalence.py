"""Prevalence: the probability that an unjudged document is relevant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.errors import UsageError
from unjudged.base.segments import sums
from unjudged.measures.kernel.registry import ratio
from unjudged.rankings.hashing import mixed, salt, uniforms
from unjudged.rankings.judged import Floats, Integers, Mask

ESTIMATED = ("all", "query", "rank")

GivenPrevalence = float | Sequence[float]
"""A probability, or a probability per rank band 1, 2, 3-4, 5-8, ..."""
PrevalenceLike = GivenPrevalence | str
"""The same, or one of ESTIMATED."""


@dataclass(frozen=True, eq=False)
class Prevalence:
    """Document d is relevant with the probability of cell `cell[d]`.

    A probability that is given is known. One estimated from `relevant[c]` of `judged[c]` documents is
    uncertain: each completion draws it from its posterior distribution, Beta(relevant + 1/2, rest + 1/2),
    and shares it among all documents of the cell.
    """

    cell: Integers
    probability: Floats
    assumption: str
    relevant: Floats | None = None
    judged: Floats | None = None

    @property
    def chance(self) -> Floats:
        """Expected probability of each document."""
        chance: Floats = self.probability[self.cell]
        return chance

    def table(self, completions: int, seed: int) -> Floats:
        """Cells x completions, or cells x 1 where the probabilities are known."""
        if self.relevant is None or self.judged is None:
            return self.probability[:, None]
        from scipy.special import betaincinv

        cells = mixed(np.arange(1, len(self.probability) + 1, dtype=np.uint64))
        share = uniforms(cells[:, None], salt(seed, "prevalence"), np.arange(completions)[None, :])
        a, b = self.relevant + 0.5, self.judged - self.relevant + 0.5
        table: Floats = betaincinv(a[:, None], b[:, None], np.clip(share, 1e-12, 1 - 1e-12))
        return table

    def at(self, cell: Integers) -> Prevalence:
        """Return the same prevalence for other documents."""
        return replace(self, cell=cell)


def prevalence_of(
    given: PrevalenceLike,
    query: Integers,
    rank: Integers,
    *,
    judged_query: Integers,
    judged_rank: Integers,
    relevant: Mask,
    queries: int,
) -> Prevalence:
    """Return the prevalence of documents of these queries at these ranks.

    `given` is a number, a number per rank band, or how to estimate it from the judged documents, of which the
    query, the best rank and the relevance are known: 'all' takes one share for all of them, 'query' one per
    query (the overall one where it has no judged document), 'rank' one per rank band.
    """
    if not isinstance(given, str):
        return given_prevalence(given, rank)
    if given not in ESTIMATED:
        raise UsageError(f"prevalence is {given!r}: use a probability or one of {', '.join(ESTIMATED)}")
    if not len(relevant):
        raise UsageError("no retrieved document is judged, so prevalence cannot be estimated: give a number")
    if given == "rank":
        cell, judged_cell = band_of(rank), band_of(judged_rank)
        size = 1 + int(max(cell.max(initial=0), judged_cell.max(initial=0)))
    elif given == "query":
        cell, judged_cell, size = query, judged_query, queries
    else:
        cell, judged_cell, size = np.zeros(len(rank), np.int64), np.zeros(len(relevant), np.int64), 1
    judged = np.bincount(judged_cell, minlength=size).astype(float)
    hits = sums(relevant, judged_cell, size)
    for c in np.flatnonzero(judged == 0).tolist():  # no evidence: that of the band above, or of all
        above = given == "rank" and c > 0
        judged[c], hits[c] = (judged[c - 1], hits[c - 1]) if above else (len(relevant), relevant.sum())
    words = {
        "all": f"prevalence {float(relevant.mean()):.4f}, estimated from the judged documents",
        "query": "prevalence estimated per query from its judged documents",
        "rank": "prevalence estimated per rank band from the judged documents",
    }
    return Prevalence(cell, ratio(hits, judged), words[given], hits, judged)


def given_prevalence(given: GivenPrevalence, rank: Integers) -> Prevalence:
    """Return the prevalence of documents at these ranks by a number, or by a number per rank band."""
    values = np.atleast_1d(np.asarray(given, float))
    if not (values.ndim == 1 and len(values) and (values >= 0).all() and (values <= 1).all()):
        raise UsageError(f"prevalence is {given!r}: use a probability from 0 to 1, or one per rank band")
    if len(values) == 1:
        return Prevalence(np.zeros(len(rank), np.int64), values, f"given prevalence {values[0]:g}")
    shown = ", ".join(f"{value:.3g}" for value in values)
    cell = np.minimum(band_of(rank), len(values) - 1)
    return Prevalence(cell, values, f"given prevalence {shown} at ranks 1, 2, 3-4, 5-8, ...")


def band_of(rank: ArrayLike) -> Integers:
    """Return the band of each rank: 0 for rank 1, 1 for 2, 2 for 3 and 4, 3 for 5 to 8, ..."""
    band: Integers = np.ceil(np.log2(np.maximum(np.asarray(rank, float), 1))).astype(np.int64)
    return band
