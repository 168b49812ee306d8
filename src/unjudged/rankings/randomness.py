"""Whether judged documents can be a pool of the runs, or a random sample of one: their ranks tell."""

from __future__ import annotations

import numpy as np

from unjudged.rankings.judged import Floats, JudgedRankings

TOP, FAR = 10, 6.0
"""Ranks at which judged documents are counted, and how many deviations more than expected is too far."""

JUDGED_SHARE = 0.5
"""Of all documents in the first ten of pooled runs, listed or not, at least this share is judged."""


def few_judged(r: JudgedRankings, depth: int = TOP) -> str | None:
    """Say how few of the first documents of the runs are judged, if too few for a pool of these runs.

    >>> print(few_judged(JudgedRankings.spelled("1 U U U")))
    25% of the documents in the first 10 of the runs are judged
    """
    judged = np.count_nonzero(r.judgments.grade[r.row[r.rank <= depth]] >= 0)
    retrieved = np.minimum(r.retrieved, depth).sum()
    if judged >= JUDGED_SHARE * retrieved:
        return None
    return f"{judged / retrieved:.0%} of the documents in the first {depth} of the runs are judged"


def not_random(r: JudgedRankings, rate: Floats) -> str | None:
    """Say why the judged documents cannot be a random sample of their strata, or return None.

    `rate` is the judged share of each row's stratum, not a number for rows that could not be drawn. The
    number judged among the first ten of the runs is compared with the one to expect: a pool that was judged
    to some rank has far more there.

    >>> r = JudgedRankings.spelled(" ".join(["1"] * 10 + ["U"] * 90))
    >>> print(str(not_random(r, np.full(100, 0.1))).partition(", and")[0])
    10 of the 10 listed documents among the first 10 of the runs are judged
    """
    top = np.flatnonzero((r.where(r.rank <= TOP).best_rank(missing=TOP + 1) <= TOP) & np.isfinite(rate))
    expected, spread = float(rate[top].sum()), float(np.sqrt((rate[top] * (1 - rate[top])).sum()))
    judged = int((r.judgments.grade[top] >= 0).sum())
    if judged - expected <= FAR * spread:
        return None
    return (
        f"{judged:,} of the {len(top):,} listed documents among the first {TOP} of the runs are judged, and "
        f"a random sample would have {expected:,.0f} of them: these judgments are not a random sample"
    )
