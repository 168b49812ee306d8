"""Pooled groups left out in turn: judgments without them, and how far off their runs would have been."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.notes import DOUBT, Note
from unjudged.base.segments import Floats, Integers, numbered
from unjudged.base.wording import percent
from unjudged.evidence.calibration import LeftOut, check_pooled
from unjudged.judging.pooling import Pool, means_of_runs
from unjudged.measures.kernel.measure import ratio
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.rankings.extension import chosen_rows
from unjudged.results.result import Result

Groups = Mapping[str, str]
"""The group of each run; a run without an entry forms its own group."""


def left_out_groups(
    pool: Pool, measure: MeasureLike = "AP", *, depth: int = 100, groups: Groups | None = None
) -> Result:
    """Leave each group out of the pool, and see how far off its runs are, in score and in place.

    All runs are scored without the judgments of documents that only this group has among its first `depth`
    documents, as if it came later. A place is 1 and the number of runs with a higher mean.

    >>> from unjudged import sample
    >>> print(left_out_groups(Pool.of(sample.qrels, sample.runs), depth=20))
    Groups left out of the pool; AP
    system    group       mean  left out  change (%)  rank  rank left out
    boolean   boolean   0.0939    0.0840      -10.49     6              6
    lexical   lexical   0.2272    0.2175       -4.31     4              4
    expanded  expanded  0.2736    0.2410      -11.90     3              3
    fused     fused     0.3321    0.2867      -13.66     2              2
    reranked  reranked  0.4374    0.3867      -11.59     1              1
    dense     dense     0.2057    0.2057        0.00     5              5
    <BLANKLINE>
    Left out, a run's AP changes by 8.66 % on average, 13.66 % at most (fused), its
    place by 0.0 on average, 0 at most.
    """
    chosen = parse_measure(measure)
    if not chosen.traits.estimates:  # an estimate from samples asks for itself
        check_pooled([chosen], pool.rankings)
    names, left_out = groups_of(pool, depth, groups)
    if len(names) < 2:
        raise UsageError("one group only: nothing can be left out")
    actual = means_of_runs(chosen, pool.rankings)
    rest, first = np.zeros_like(actual), _places(actual)
    place = np.zeros_like(first)
    for g in range(len(names)):
        own, kept = left_out.group == g, left_out.only_group != g
        judgments, row = chosen_rows(pool.judgments, kept), numbered(np.flatnonzero(kept), len(kept))
        means = means_of_runs(chosen, pool.rankings.moved(judgments, row))
        rest[own], place[own] = means[own], _places(means)[own]
    change = ratio(rest - actual, actual)
    names_of = [names[g] for g in left_out.group.tolist()]
    fields = ("system", "group", "mean", "mean_left_out", "change", "rank", "rank_left_out")
    values = (actual, rest, 100 * change, first, place)
    lists = (pool.runs, names_of, *(one.tolist() for one in values))
    rows = [dict(zip(fields, row, strict=True)) for row in zip(*lists, strict=True)]
    finding = f"No mean {chosen} is above 0, so there is nothing to lose."
    if (actual > 0).any():
        size, moved = np.abs(change), np.abs(place - first)
        most = int(np.argmax(size))
        finding = (
            f"Left out, a run's {chosen} changes by {percent(size.mean(), 2)} on average, "
            f"{percent(size[most], 2)} at most ({pool.runs[most]}), its place by "
            f"{moved.mean():.1f} on average, {moved.max()} at most."
        )
    titles = {"left out": f"Groups left out of the pool; {chosen}"}
    return Result({"left out": rows}, [Note(finding, weight=DOUBT)], {"titles": titles})


def _places(means: Floats) -> Integers:
    """Return 1 and the number of higher means, for each mean."""
    places: Integers = 1 + (means[None, :] > means[:, None]).sum(axis=1)
    return places


def groups_of(pool: Pool, depth: int, groups: Groups | None) -> tuple[list[str], LeftOut]:
    """Return the names of the groups, and what each of them brought to the pool."""
    known = groups or {}
    for run in pool.runs:
        if run not in known and run in known.values():
            raise UsageError(f"run {run!r} is in no group, and a group has the same name: give it a group")
    group = [known.get(run, run) for run in pool.runs]
    names = list(dict.fromkeys(group))
    return names, LeftOut.of(pool.rankings, [names.index(name) for name in group], depth)
