"""How likely an unjudged document is to be relevant: given, or estimated from the judged ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from unjudged.errors import UsageError
from unjudged.measures.registry import ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.uncertainty import urn

WAYS = ("all", "query", "rank", "urn")
URN_DOCUMENTS, URN_DEPTH = 100, 30


@dataclass(frozen=True, eq=False)
class Relevance:
    """The probability of relevance of an unjudged document, by ranking and rank; and what was assumed.

    `table[s, b]` is that of ranking s in band b of ranks: 1, 2, 3-4, 5-8, 9-16, ..., or at rank b + 1 if it
    is `by_rank`. The last column is for all ranks behind, so one column is one probability whatever the rank.
    """

    table: Floats
    assumption: str
    by_rank: bool = False

    def at(self, ranking: Integers, rank: ArrayLike) -> Floats:
        """Of documents at these ranks of these rankings."""
        place = np.asarray(rank, np.int64) - 1 if self.by_rank else _band(rank)
        column = np.minimum(place, self.table.shape[1] - 1)
        chance: Floats = self.table[ranking, column]
        return chance


def relevance(rankings: JudgedRankings, q: float | str = "all", *, rel: int = 1) -> Relevance:
    """`q` is a probability, or how to estimate it by maximum likelihood from the judged retrieved documents.

    'all' takes the share of relevant ones among all of them; 'query' that of each ranking (the overall one
    where it has none judged); 'rank' that of each band of ranks 1, 2, 3-4, 5-8, ..., over all rankings
    (that of the band above where a band has none judged); 'urn' fits the urn's q and w jointly to the first
    30 ranks and takes the probability it gives each rank.
    """
    judged = rankings.where(rankings.labels >= 0)
    relevant = judged.labels >= rel
    if not isinstance(q, str):
        if not 0 <= q <= 1:
            raise UsageError(f"q is {q}, expected a probability from 0 to 1")
        return Relevance(np.full((len(rankings), 1), float(q)), f"unjudged relevant with probability {q:g}")
    if q not in WAYS:
        raise UsageError(f"q is {q!r}, expected a probability or one of {', '.join(WAYS)}")
    if not len(judged.rank):
        raise UsageError("no retrieved document is judged, so q cannot be estimated: give it as a number")
    overall = float(relevant.mean())
    if q == "all":
        assumption = f"unjudged relevant with probability {overall:.4f}, as the judged are"
        return Relevance(np.full((len(rankings), 1), overall), assumption)
    if q == "query":
        own = np.where(judged.counts > 0, ratio(judged.total(relevant), judged.counts), overall)
        return Relevance(own[:, None], "unjudged relevant as often as the judged of the same ranking")
    if q == "urn":
        return _by_urn(rankings, judged, relevant)
    bands = _band(judged.rank)
    counts = np.bincount(bands)
    shares = ratio(np.bincount(bands, relevant, len(counts)), counts)
    for band in range(len(shares)):
        if not counts[band]:
            shares[band] = shares[band - 1] if band else overall
    table = np.tile(shares, (len(rankings), 1))
    return Relevance(table, "unjudged relevant as often as the judged at such ranks")


def _by_urn(rankings: JudgedRankings, judged: JudgedRankings, relevant: Mask) -> Relevance:
    documents = min(max(int(rankings.retrieved.max()), 1), URN_DOCUMENTS)
    labels = np.full((len(rankings), min(URN_DEPTH, documents)), -1)
    seen = judged.rank <= labels.shape[1]
    labels[judged.ranking[seen], judged.rank[seen] - 1] = relevant[seen]
    share, w = urn.fit(labels, documents)
    by_rank = urn.relevance_by_rank(documents, share, w)
    assumption = f"unjudged relevant as in an urn of {documents} with q = {share:.4f}, w = {w:.4f}"
    return Relevance(np.tile(by_rank, (len(rankings), 1)), assumption, by_rank=True)


def _band(rank: ArrayLike) -> Integers:
    """0 for rank 1, 1 for 2, 2 for 3 and 4, 3 for 5 to 8, ..."""
    band: Integers = np.ceil(np.log2(np.maximum(np.asarray(rank, float), 1))).astype(np.int64)
    return band
