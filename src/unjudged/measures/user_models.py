"""Average precision as the expectation of a user population (Robertson, 2008)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.registry import measure, ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings

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
    try:
        numbers = np.asarray(weights, float)
    except (TypeError, ValueError, OverflowError):
        numbers = np.empty(0)
    if numbers.shape != (most,) or not np.isfinite(numbers).all() or (numbers < 0).any():
        raise UsageError(f"NCP: stop returned {weights!r}, expected {most} finite weights of at least 0")
    return numbers
