"""Groups of pooled runs, and the calibration that they allow."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

import unjudged
from unjudged.base.choices import check_file_name
from unjudged.base.errors import InputError, UsageError, announce, quoted
from unjudged.base.segments import Floats, Integers
from unjudged.base.wording import plain, shortlist
from unjudged.collection.collection import Collection, collection_of
from unjudged.data.columns import NAMES, listed
from unjudged.data.sources import name_in_errors, read_small_table
from unjudged.data.text_tables import Headless
from unjudged.evidence.calibration import (
    Calibration,
    FirstDocuments,
    LeftOut,
    check_pooled,
    mean_bounds,
    pooled_to,
    scale_of,
    unusual,
)
from unjudged.evidence.value_bounds import is_bounded
from unjudged.measures.kernel.names import MeasureLike
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.coverage import coverage_warnings
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import JudgmentsSource
from unjudged.rankings.runs import RunsSource

PAIRS = Headless(
    ("run", "group"), lambda fields: len(fields) == 2 and not any(" " in field for field in fields)
)
"""Lines of a run and its group."""
CALIBRATED_MEASURES = ("AP", "nDCG@10", "RBP(p=0.8)", "P@10", "RR")

Groups = Mapping[str, str] | str | os.PathLike[str]
"""A mapping of runs to groups, a file of lines `run group`, or a pattern whose first bracket is the group."""


def calibrate(
    qrels: JudgmentsSource | Collection,
    runs: RunsSource | None = None,
    groups: Groups | None = None,
    measures: MeasureLike | Iterable[MeasureLike] = CALIBRATED_MEASURES,
    *,
    depth: int | None = None,
    on_read: Callable[[str], None] | None = None,
) -> Calibration:
    """Learn from the pooled runs how far off scores are when a group was not pooled.

    A description says which runs were pooled, to which depth, and their groups.

    Parameters
    ----------
    qrels, runs
        Judgments and the pooled runs, or a collection.
    groups
        Which runs are of one team or family: a mapping, a file of lines `run group`, or a pattern such as
        `(.*?)-` whose first bracket is the group in the run's name.
    measures
        Measures that have bounds.
    depth
        The depth of the pool, below which rankings are cut. Unless given or described it is 100, or the rank
        to which nearly all documents are judged.
    on_read
        Is told the name of each run once it is read.
    """
    collection = collection_of(qrels, runs, on_read=on_read)
    labels = collection.described.labels
    if runs is None and labels.pooled:
        collection = collection.chosen(labels.pooled)
    groups = collection.described.groups if groups is None else groups
    if groups is None:
        raise UsageError("groups are needed: a mapping of runs to groups, a file, or a pattern")
    depth = labels.depth if depth is None else depth
    chosen = collection.measures(measures, lambda: CALIBRATED_MEASURES)
    group_of = groups_of(groups, collection.runs)
    names = sorted(set(group_of.values()))
    queries = list(collection.judgments.queries)
    announce(coverage_warnings(list(collection.runs), queries, collection.rankings))
    group = [names.index(group_of[run]) for run in collection.runs]
    name = os.path.basename(qrels) if isinstance(qrels, str | os.PathLike) else ""
    return calibrated(collection.rankings, group, chosen, depth=depth, name=name)


def calibration_of(
    collection: Collection, measures: MeasureLike | Iterable[MeasureLike] = CALIBRATED_MEASURES
) -> Calibration | None:
    """Return the described calibration: a saved one, or one made from the pooled runs and their groups."""
    labels = collection.described.labels
    if isinstance(labels.calibration, str | os.PathLike):
        return Calibration.load(labels.calibration)
    if labels.calibration is None and labels.pooled and collection.described.groups is not None:
        asked = list(collection.measures(measures, lambda: CALIBRATED_MEASURES))
        return calibrate(collection, measures=[one for one in asked if is_bounded(one)] or asked)
    known: Calibration | None = labels.calibration
    return known


def calibrated(
    rankings: JudgedRankings,
    group: Sequence[int] | Integers,
    measures: Sequence[Measure],
    *,
    depth: int | None = None,
    name: str = "",
) -> Calibration:
    """Leave out each group of the pooled runs in turn."""
    depth = pooled_to(rankings) if depth is None else depth
    if depth < 1:
        raise UsageError(f"depth is {depth}: use a whole number of at least 1")
    check_pooled(measures, rankings, depth)
    left_out = LeftOut.of(rankings, group, depth)
    if left_out.groups < 2:
        raise UsageError("calibration needs at least two groups of pooled runs")
    each, queries = left_out.each(), len(rankings.judgments.queries)
    first = FirstDocuments.of(each, queries)
    usual = ~unusual(first, first)
    scores = {}
    for measure in measures:
        low, high = mean_bounds(measure, each, queries)
        scale = np.where(usual, scale_of(high - low, first.relevant), 0)
        scores[str(measure)] = _scores(left_out, measure, each, scale)
    return Calibration(
        groups=len(np.unique(left_out.group[usual])),
        runs=int(usual.sum()),
        queries=queries,
        depth=depth,
        unjudged=tuple(first.unjudged.tolist()),
        relevant=tuple(first.relevant.tolist()),
        scores=scores,
        topics=rankings.judgments.topics,
        fingerprint=rankings.judgments.fingerprint,
        judgments=name,
        made_by=f"unjudged {unjudged.__version__}",
    )


def _scores(
    left_out: LeftOut, measure: Measure, each: JudgedRankings, scale: Floats
) -> tuple[tuple[int, float], ...]:
    """Return group and score of the runs with a scale, the lowest |score| first."""
    error = left_out.means(measure, left_out.rankings) - left_out.means(measure, each)
    chosen = np.flatnonzero(scale > 0)
    chosen = chosen[np.argsort(np.abs(error[chosen] / scale[chosen]), kind="stable")]
    score = (error[chosen] / scale[chosen]).tolist()
    return tuple(zip(left_out.group[chosen].tolist(), score, strict=True))


def groups_of(groups: Groups, runs: Iterable[str]) -> dict[str, str]:
    """Return the group of every run; a run without one is an error."""
    names = list(runs)
    if isinstance(groups, Mapping):
        known = dict(groups)
    elif isinstance(groups, str) and "(" in groups:
        known = groups_by_pattern(groups, names)
    else:
        known = read_groups(groups)
    lacking = [run for run in names if run not in known]
    if lacking:
        have = "has" if len(lacking) == 1 else "have"
        raise InputError(f"{len(lacking)} of {len(names)} runs {have} no group: {shortlist(lacking)}")
    return {run: known[run] for run in names}


def groups_by_pattern(pattern: str, runs: Iterable[str]) -> dict[str, str]:
    """Return the group of each run whose name the pattern matches: its first bracket."""
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"invalid pattern {quoted(pattern)} for groups: {plain(str(error))}") from None
    if not compiled.groups:
        problem = f"pattern {quoted(pattern)} has no bracket that is a group"
        raise UsageError(f"{problem}: use one such as '(.*?)-', whose first bracket is the group")
    matches = {run: compiled.search(run) for run in runs}
    return {run: match.group(1) for run, match in matches.items() if match and match.group(1)}


def read_groups(file: str | os.PathLike[str]) -> dict[str, str]:
    """Return the group of each run from a file of lines `run group`."""
    check_file_name("groups", file, "a mapping of runs to groups, a file of lines `run group`, or a pattern")
    with name_in_errors(file, "groups"):
        table = read_small_table(file, PAIRS)
        run, group = table.column("run", {}, NAMES["run"]), table.column("group", {}, ("group",))
        if run is None or group is None:
            raise InputError(f"found the columns {listed([*table.columns])}, expected run and group")
        return table.labels(("run", run), ("group", group))
