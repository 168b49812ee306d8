"""From judgments and runs to scores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from unjudged.base.choices import TiesName, checked_int, place_of
from unjudged.base.errors import announce
from unjudged.evaluation.collection import Collection, Names, RunsSource, collection_of
from unjudged.evaluation.query_segments import file_and_column
from unjudged.evaluation.scores import Notes, Scores
from unjudged.evaluation.tied_scores import TIES, notes_on_ties, over_orders
from unjudged.measures.kernel.estimand import permitted
from unjudged.measures.kernel.names import MeasureLike
from unjudged.measures.kernel.registry import MEASURES, compute_all
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.origin import STRATIFIED, WEIGHTED, Kind

DEFAULT_MEASURES = (
    "AP",
    "infAP",
    "nDCG@10",
    "RBP(p=0.8)",
    "RBPResidual(p=0.8)",
    "Judged@10",
)

FROM_SAMPLES: dict[Kind, tuple[str, ...]] = {
    STRATIFIED: ("xinfAP", "infNDCG", "statAP"),
    WEIGHTED: ("statAP", "statRprec", "statP@10"),
}
"""What estimates AP and others from samples with unequal shares."""

TOO_LOW_FOR_AP = 20


def evaluate(
    qrels: JudgmentsSource | Collection,
    runs: RunsSource | None = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    depth: int | None = None,
    pool_depth: int | None = None,
    ties: TiesName | None = None,
    seed: int = 0,
    names: Names = "file",
    on_read: Callable[[str], None] | None = None,
) -> Scores:
    """Score runs against judgments.

    `qrels` and each run may be a file (plain, gz, xz, zst; `-` is standard input), a frame (pandas, Polars,
    PyArrow, DuckDB), a dict of dicts, lists or sets, a `Judgments` or a `Run`, or rows. `runs` is one
    run, a list of them, or a mapping of names to them; a column `run` of a frame or file names several.
    Grades may be fractions, which are gains. `depth` keeps only the first documents of each ranking. For
    bounds, documents that every run has below `pool_depth`, the rank to which runs were pooled, count as
    nonrelevant. names="tag" names runs by their tags.

    Documents of the same score are in trec_eval's order, names descending. ties='expected' gives the expected
    values over all orders of them, or over 1,000 that the `seed` draws where there are too many. A note says
    where other orders change a mean by more than 0.001.

    `on_read` is told the name of each run once it is read. Warns (`UnjudgedWarning`) where runs and
    judgments have little in common; the scores keep these `warnings`.

    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
    >>> run = {"q1": {"d1": 0.3, "d2": 0.7}, "q2": {"d3": 0.5}}
    >>> evaluate(qrels, {"mine": run}, ["AP", "nDCG@10"])
    Scores(1 run x 2 queries; means)
    run       AP  nDCG@10
    mine  0.7500   0.8155
    """
    collection = collection_of(qrels, runs, names=names, on_read=on_read)
    if (table := scores_of(collection)) is not None:
        return table.chosen(collection.described.defaults.measures if measures is None else measures)
    ties = collection.described.ties if ties is None else ties
    TIES.find(ties)
    chosen = collection.measures(measures, lambda: default_measures(collection.judgments))
    across = [measure for measure in chosen if measure.traits.across_queries]
    reach = collection.judgments.origin.pool_depth(pool_depth)
    bounding = None if reach is None else collection.shared().judged_to_pool_depth(reach)
    rankings = uncut = collection.shared().with_judged_elsewhere() if across else collection.rankings
    if depth is not None:
        depth = checked_int("depth", depth, least=1)
        rankings = rankings.cut(depth)
        bounding = None if bounding is None else bounding.cut(depth)
    values, queries = compute_all(chosen, rankings), collection.judgments.pooled.query_names()
    values, named = values.reshape(len(collection.runs), len(queries), len(chosen)), list(collection.runs)
    notes: Notes = ()
    expected = uncut.ties is not None and ties == "expected"
    if expected:
        values, notes = over_orders(chosen, uncut, len(named), depth=depth, seed=seed)
    elif uncut.ties is not None:
        notes = partial(notes_on_ties, chosen, named, uncut, values, depth)
    if collection.notes:
        notes = [*collection.notes, *(notes() if callable(notes) else notes)]
    scores = Scores(values, named, queries, chosen, rankings, collection.library, notes, expected=expected)
    if bounding is not None:
        scores = replace(scores, bounding=bounding, pool_depth=reach)
    if scores.warnings:
        announce(scores.warnings)
    return scores


def scores_of(collection: Collection) -> Scores | None:
    """Return the scores by query of another tool that are described in place of judgments and runs."""
    table = collection.described.scores
    if table is None:
        return None
    given = {name: getattr(table, name) for name in ("lower", "missing", "wide", "range", "columns")}
    segments = collection.described.segments
    if isinstance(segments, str) and not os.path.exists(file_and_column(segments)[0]):
        given["by"] = segments
    file = table.file[0] if isinstance(table.file, tuple) and len(table.file) == 1 else table.file
    scores = Scores.of(file, table.measures, **given)
    return scores if collection.systems is None else of_systems(scores, collection.systems)


def of_systems(scores: Scores, names: Sequence[str]) -> Scores:
    """Return the scores of some systems, in this order."""
    places = [place_of("system", name, list(scores.runs)) for name in names]
    ends = None if scores.ends is None else (scores.ends[0][places], scores.ends[1][places])
    chosen = replace(scores, values=scores.values[places], runs=list(names), rankings=None, ends=ends)
    return replace(chosen, within=None)


def default_measures(judgments: Judgments) -> tuple[str, ...]:
    """Return the measures if none are named; what estimates AP depends on how the judgments were made."""
    if not isinstance(permitted(MEASURES["infAP"], judgments), Refusal):
        return DEFAULT_MEASURES
    by_origin = FROM_SAMPLES.get(judgments.origin.kind, ())[:1]
    return tuple(one for name in DEFAULT_MEASURES for one in (by_origin if name == "infAP" else (name,)))


def fitting_measures(judgments: Judgments, plain: Sequence[str]) -> tuple[str, ...]:
    """Return the measures of a comparison or report if none are named.

    A sample with strata or probabilities has estimates from it. Nothing is known of documents below the rank
    to which it was drawn: if that is low, only precision at it is estimated.
    """
    origin = judgments.origin
    if origin.depth is not None and origin.depth <= TOO_LOW_FOR_AP and origin.kind in FROM_SAMPLES:
        return (f"statP@{origin.depth}",)
    return FROM_SAMPLES.get(origin.kind, tuple(plain))
