"""Evaluate systems: what do they score, and how sure is that?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unjudged.base.choices import TiesName
from unjudged.collection.query_segments import SegmentsSource
from unjudged.questions.gathering import Measures, Source, asked_about, gather
from unjudged.rankings.runs import RunsSource
from unjudged.results.evaluation import Evaluation


def evaluate(
    qrels: Source,
    runs: RunsSource | None = None,
    measures: Measures = None,
    *,
    interval: str | None = None,
    segments: SegmentsSource | None = None,
    predictions: Any = None,
    threshold: float | None = None,
    depth: int | None = None,
    pool_depth: int | None = None,
    ties: TiesName | None = None,
    seed: int = 0,
    on_read: Callable[[str], None] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Score runs against judgments.

    `qrels` and each run may be a file (plain, gz, xz, zst; `-` is standard input), a frame (pandas, Polars,
    PyArrow, DuckDB), a dict of dicts, lists or sets, a `Judgments` or a `Run`, or rows; or `qrels` a
    description, or `Scores` of another tool. `runs` is one run, a list of them, or a mapping of names to
    them; a column `run` of a frame or file names several. Grades may be fractions, which are gains.

    By the first measure systems have a range: what judging could make of their means. Where the judgments
    record which documents were drawn, means are estimates with intervals; where pooled runs and their groups
    are described, other runs have calibrated intervals. `interval` asks for one, for every measure:

    - 'bounds': the same range. `bounds(extra_relevant=2)` allows for relevant documents that nobody found.
    - 'queries': other queries, these judgments.
    - 'calibrated': as far as the pooled groups were off when each was left out, as the collection describes.
    - 'model(prevalence=0.2)': unjudged documents are relevant with this probability, or with one per rank
      band, `model(prevalence=[0.5, 0.3, 0.1])`.
    - 'sampling': of estimates, had other documents been drawn.

    Each takes its `confidence`, as in `queries(confidence=0.9)`. A measure that cannot have the interval
    appears with its mean alone and a note; it is an error if none can.

    Parameters
    ----------
    qrels
        The judgments.
    runs
        The runs.
    measures
        nDCG@10, AP and Judged@10 if none are named; estimates of AP too if the judgments are a sample.
    interval
        An interval with its parameters.
    segments
        A mapping of queries to segments, or a file or frame of them.
    predictions
        What a model predicts of documents, or several models by name, beside those described: estimates from
        drawn documents, or from queries that people judged, use them.
    threshold
        The lowest predicted score that counts as relevant, for predictions by query.
    depth
        Keep only so many first documents of each ranking.
    pool_depth
        The rank to which runs were pooled: documents of a run below it count as nonrelevant for its range.
    ties
        'expected' for expected values over all orders of documents of the same score, or over 1,000 that the
        `seed` draws where there are too many. By default they are in trec_eval's order, names descending.
    seed
        The seed of all that is drawn.
    on_read
        Is told the name of each run once it is read.
    on_progress
        Is told how many runs of how many have an interval.

    >>> qrels = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 2}}
    >>> run = {"q1": {"d1": 0.3, "d2": 0.7}, "q2": {"d3": 0.5}}
    >>> evaluate(qrels, {"mine": run}, ["nDCG@10", "AP"])
    system  nDCG@10  could be         AP
    mine     0.8155  0.82 – 0.82  0.7500
    """
    collection = asked_about(qrels, runs, on_read=on_read)
    found = gather(
        collection,
        measures,
        depth=depth,
        pool_depth=pool_depth,
        ties=ties,
        predictions=predictions,
        threshold=threshold,
        seed=seed,
        alone=True,
    )
    made = Evaluation(found, collection.segments(segments), collection.alpha(None), seed, on_progress)
    return made if interval is None else made.with_interval(interval)
