"""Rank-biased precision, and how much of it the unjudged documents leave open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats, Integers
from unjudged.measures.gain import with_given
from unjudged.measures.kernel import chance
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

Gains = Mapping[int, float] | None


def _weight(rank: Floats, p: float = 0.8, cutoff: float = inf, **_: Any) -> Floats:
    """Return what a document of gain 1 at each rank adds to RBP."""
    return (1 - p) * p ** (rank - 1.0) * (rank <= cutoff)


def _tail(rank: NDArray[np.integer], p: float = 0.8, cutoff: float = inf, **_: Any) -> Floats:
    """Sum the weights of the ranks after each rank."""
    weight: Floats = p ** np.minimum(rank, cutoff) - p**cutoff
    return weight


def gain_of(
    grade: NDArray[np.integer], rel: int = 1, max_grade: int | None = None, gains: Gains = None, **_: Any
) -> Floats:
    """Return the gain of each grade, where it does not depend on the query: 0 below `rel`."""
    gain = grade / max_grade if max_grade else np.ones(grade.shape)
    return np.where(grade >= rel, with_given(gains, grade, gain), 0.0)


@measure(
    pointwise=True,
    chance=chance.of_rank_biased,
    gain=gain_of,
    weight=_weight,
    tail=_tail,
    cite=("moffat2008",),
)
def RBP(
    r: JudgedRankings,
    *,
    p: float = 0.8,
    rel: int = 1,
    cutoff: float = inf,
    max_grade: int | None = None,
    gains: Gains = None,
    scale: str = "none",
) -> Floats:
    """Rank-biased precision: the probability that a document a user looks at is relevant.

    RBP = (1 - p) sum over ranks k of gain p^(k-1): the user goes on to the next document with probability
    p. The gain of a relevant document is 1. `max_grade=4` makes it grade / 4, and `gains={1: 0.3}` sets the
    gains of some grades. `scale='query'` follows trec_eval 10: the gain is the grade, and where a query has
    a grade above 1, all its gains are divided by the highest. Unjudged documents count as not relevant, so
    RBP is the lower end of what the ranking may be worth. RBPResidual is the distance to the upper end,
    RBPUpper the upper end.

    Use it when judgments are incomplete: its uncertainty is known exactly.

    >>> RBP(p=0.8).compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1"))
    array([0.2926543])
    """
    hits = r.relevant(rel, cutoff)
    grade, query = hits.labels, hits.query[hits.ranking]
    gain = _gains(r.judgments, grade, query, rel=rel, max_grade=max_grade, gains=gains, scale=scale)
    return (1 - p) * hits.total(gain * _powers(p, hits))


def _powers(p: float, r: JudgedRankings) -> Floats:
    """Return p^(k-1) for the rank k of each document, with each power computed once."""
    powers: Floats = p ** np.arange(r.rank.max(initial=0), dtype=float)
    return powers.take(r.rank - 1)


def _gains(
    judgments: Judgments,
    grade: NDArray[np.int32],
    query: NDArray[np.integer],
    *,
    rel: int,
    max_grade: int | None,
    gains: Gains,
    scale: str,
) -> Floats:
    """Return the gains of relevant documents, each of a query."""
    if scale == "query":
        gain = _scaled_by_query(judgments, grade, query, gains or {})
    else:
        gain = gain_of(grade, rel, max_grade, gains)
    if gain.max(initial=0.0) > 1:
        raise UsageError(f"RBP: a gain is {gain.max():g}, expected none above 1: give max_grade or gains")
    return gain


def _scaled_by_query(
    judgments: Judgments, grade: NDArray[np.int32], query: NDArray[np.integer], gains: Mapping[int, float]
) -> Floats:
    """Grades, or the gains given for them, mapped to 0 to 1 for each query that has one outside.

    A query has all grades from 0 to the highest that was judged for it.
    """
    top = np.full(len(judgments.queries), -1)
    np.maximum.at(top, judgments.query, judgments.grade)
    low, high = np.zeros(len(top)), top.astype(float)
    for level in sorted(gains):
        low = np.where(low == level, low + 1, low)
    for level in sorted(gains, reverse=True):
        high = np.where(high == level, high - 1, high)
    lowest = np.minimum(np.where(low <= top, low, inf), min(gains.values(), default=inf))
    highest = np.maximum(np.where(high >= 0, high, -inf), max(gains.values(), default=-inf))
    outside = ((lowest < 0) | (highest > 1)) & (highest > lowest)
    start, size = np.where(outside, lowest, 0.0), np.where(outside, highest - lowest, 1.0)
    scaled: Floats = (with_given(gains, grade, grade.astype(float)) - start[query]) / size[query]
    return scaled


@measure(ungraded=True, quality=False, cite=("moffat2008", "park2016"))
def RBPResidual(r: JudgedRankings, *, p: float = 0.8, cutoff: float = inf) -> Floats:
    """RBP that would be added if every unjudged document were relevant.

    RBPResidual = the sum of the weights (1 - p) p^(k-1) of all ranks without a judged document, including
    the ranks after the end of the ranking (p^L after L documents); that is, 1 - (weights of the judged).
    With a cutoff, everything below it counts as unjudged. It is 1 where nothing was retrieved.

    Use it with every RBP: without it RBP is half a number.

    >>> RBPResidual(p=0.8).compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1"))
    array([0.4549169])
    """
    judged = r.where((r.labels >= 0) & (r.rank <= cutoff))
    return np.maximum(1 - (1 - p) * judged.total(_powers(p, judged)), 0.0)


@measure(quality=False, cite=("moffat2008", "park2016"))
def RBPUpper(
    r: JudgedRankings,
    *,
    p: float = 0.8,
    rel: int = 1,
    cutoff: float = inf,
    max_grade: int | None = None,
    gains: Gains = None,
    scale: str = "none",
) -> Floats:
    """RBP if every unjudged document were relevant: RBP + RBPResidual.

    Unjudged documents, including those after the end of the ranking, count as relevant with gain 1.

    Use it with RBP as the two ends of an interval.

    >>> RBPUpper(p=0.8).compute(JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1"))
    array([0.7475712])
    """
    lower = RBP.function(r, p=p, rel=rel, cutoff=cutoff, max_grade=max_grade, gains=gains, scale=scale)
    return lower + RBPResidual.function(r, p=p, cutoff=cutoff)


Stop = str | Sequence[float] | Callable[[Integers], Floats]


@measure(diluted=True, cite=("robertson2008",))
def NCP(
    r: JudgedRankings, *, rel: int = 1, stop: Stop = "uniform", decay: float = 0.5, exponent: float = 1.0
) -> Floats:
    """Normalised cumulative precision: the expected precision where users stop because they are satisfied.

    NCP = sum over ranks n of p_s(n) precision(n), where p_s(n) is the share of users who are satisfied by
    exactly the relevant document at rank n. Users who want i relevant documents stop at the i-th. Their
    shares over i = 1..R add up to 1; a document that was not retrieved has precision 0. NCP is 0 where R =
    0. Unjudged documents count as not relevant.

    `stop` says how many documents users want: 'uniform' (any number up to R equally often, which makes NCP
    equal to AP), 'first' (everyone wants one, which makes it RR), 'geometric' (each further document is
    wanted by a share `decay` of the users), 'power' (shares fall as i^-exponent), a table such as (0.5,
    0.3, 0.2), or in Python a function that takes the ordinals 1, 2, ... and returns their weights.

    Use it when you know how many relevant documents your users look for.

    >>> ranking = JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0")
    >>> NCP.compute(ranking), NCP(stop="first").compute(ranking)
    (array([0.26111111]), array([0.5]))
    """
    hits, relevant = r.relevant(rel), r.known(rel)
    weight = stopping_weights(stop, int(relevant.max(initial=0)), decay, exponent)
    up_to = np.concatenate([[0.0], np.cumsum(weight)])
    return ratio(hits.total(weight[hits.place - 1] * hits.place / hits.rank), up_to[relevant])


def stopping_weights(stop: Stop, most: int, decay: float = 0.5, exponent: float = 1.0) -> Floats:
    """Return the relative numbers of users who want 1, 2, ..., `most` relevant documents."""
    ordinal = np.arange(1, most + 1)
    if callable(stop):
        return _checked(stop(ordinal), most)
    if not isinstance(stop, str):
        table = np.zeros(most)
        table[: len(stop)] = stop[:most]
        return table
    shapes = {
        "uniform": np.ones(most),
        "first": ordinal == 1,
        "geometric": decay ** (ordinal - 1.0),
        "power": ordinal**-exponent,
    }
    return np.asarray(shapes[stop], float)


def _checked(weights: Any, most: int) -> Floats:
    """Return the weights that the parameter `stop` of NCP gave; refuse what are none."""
    try:
        numbers = np.asarray(weights, float)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty(0)
    if numbers.shape != (most,) or not np.isfinite(numbers).all() or (numbers < 0).any():
        raise UsageError(f"NCP: stop returned {weights!r}, expected {most} finite weights of at least 0")
    return numbers
