"""Compare systems over several collections: in each of them, and by the mean over all."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from unjudged.base.choices import CorrectionName, TestName, check_probability
from unjudged.base.errors import UnjudgedWarning, UsageError, announce
from unjudged.base.notes import Note, note
from unjudged.base.segments import Floats
from unjudged.base.wording import counted, shortlist
from unjudged.collection.collection import Collection
from unjudged.collection.description import description_of
from unjudged.collection.scores import Scores
from unjudged.data.sources import FILE, FRAME, MAPPING, kind_of_source
from unjudged.evidence.contrast import Evidence
from unjudged.inference.pair_tests import Settings
from unjudged.inference.pairs import pairs_of, place_of_baseline
from unjudged.inference.several_collections import MACRO, collection_rows, macro_variances
from unjudged.measures.kernel.names import MeasureLike
from unjudged.questions.fitting_measures import DEFAULT, notes_on_measures
from unjudged.questions.gathering import Gathered, asked_about, gather
from unjudged.results.comparison import Comparison

ENOUGH = 10
"""With fewer queries, a collection hardly shows how far its differences spread."""


def compare_collections(
    collections: Mapping[Any, Any],
    measure: MeasureLike | None = None,
    *,
    predictions: Any = None,
    depth: int | None = None,
    baseline: str | None = None,
    test: TestName = "t",
    correction: CorrectionName = "holm",
    alpha: float = 0.05,
    draws: int = 20_000,
    seed: int = 0,
) -> Comparison:
    """Compare systems over several collections, as BEIR and MTEB report them, by tests over queries.

    Parameters
    ----------
    collections
        Names and what they are: a `Collection` or its description, (judgments, runs), or a table of scores
        that `Scores.read` takes. Each needs the same runs and at least two queries.
    measure
        One measure: the tables' if they have only one, else nDCG@10.
    predictions
        What models predict, of all collections.
    depth
        How many documents of each ranking count.
    baseline
        The system that all others are compared with; every pair if none is named.
    test, correction, alpha
        The test of pairs within collections, corrected over all pairs and collections, and its level. The
        mean over collections has a t test with stratified queries, corrected over the pairs.
    draws, seed
        How often tests that draw do so, and from which seed.

    >>> from unjudged import sample
    >>> runs = {name: sample.runs[name] for name in ("lexical", "fused", "reranked")}
    >>> found = compare_collections({"one": (sample.qrels, runs), "two": (sample.qrels, runs)})
    >>> found.systems[2]["system"], found.systems[2]["place_high"]
    ('reranked', 1)
    """
    check_probability("alpha", alpha, 0.05)
    settings = Settings.of(test, correction, alpha, draws, seed)
    if settings.correction.joint:
        raise UsageError(f"{correction} looks at one collection at a time: use holm, bh, bonferroni or none")
    read = {name: _read(name, source, measure) for name, source in _by_name(collections).items()}
    measure = _only_measure(read.values()) if measure is None else measure
    runs = _same_runs({name: one.systems for name, one in read.items()})
    place_of_baseline(baseline, runs)
    options = {"depth": depth, "predictions": predictions}
    found = {name: _gathered(name, one.chosen(runs), measure, **options) for name, one in read.items()}
    for name, one in found.items():
        if len(one.queries) < 2:
            raise UsageError(f"collection {name!r} has one query, expected at least two")
    evidence: dict[str, Evidence] = {name: one.evidence[0] for name, one in found.items()}
    rows = collection_rows(evidence, settings, baseline)
    notes = [said.said_of([name]) for name, one in found.items() for said in one.notes]
    notes += [*_same_queries(found), *notes_on_measures([one.measure for one in evidence.values()][:1])]
    notes += resting_on_few(*_variances(evidence, runs, baseline))
    told: dict[str, Any] = {"systems": runs, "baseline": baseline, "alpha": alpha}
    told["collections"] = {name: len(one.queries) for name, one in found.items()}
    told["geometric"] = found[next(iter(found))].evidence[0].measure.geometric
    told["family"] = _family(len(rows["pairs"]), len(found))
    told |= {"test": settings.test.title, "correction": settings.correction.title}
    return Comparison(rows, list(dict.fromkeys(notes)), told, view="systems", source=found)


def _family(pairs: int, collections: int) -> str:
    """Say which tests were corrected together."""
    of_mean = f"; tests of the mean over {counted(pairs, 'pair')}" if pairs > 1 else ""
    return f"{pairs * collections} tests: {counted(pairs, 'pair')} in {collections} collections{of_mean}"


def _variances(
    evidence: Mapping[str, Evidence], runs: Sequence[str], baseline: str | None
) -> tuple[dict[str, int], Floats]:
    """Return the queries of each collection, and what it adds to the variances of means and differences."""
    pairs = pairs_of(runs, baseline)
    contrasts = [one.contrast(*pairs) for one in evidence.values()]
    clusters = [contrast.clusters for contrast in contrasts]
    parts = [
        macro_variances([c.scores for c in contrasts], clusters),
        macro_variances([c.values for c in contrasts], clusters),
    ]
    return {name: len(one.queries) for name, one in evidence.items()}, np.concatenate(parts, axis=1)


def resting_on_few(queries: Mapping[str, int], variances: Floats) -> list[Note]:
    """Say if most of the uncertainty of a mean over collections comes from one with very few queries.

    `variances`, collections x systems and pairs, are what each collection adds to the variance of a mean.

    >>> resting_on_few({"small": 5, "large": 50}, np.array([[1 / 5, 1 / 5], [1 / 50, 9 / 5]]))[0][:79]
    'small has 5 queries, on which up to 91 % of the uncertainty of a mean or differ'
    >>> resting_on_few({"small": 5, "large": 50}, np.array([[1 / 5], [1 / 2]]))
    []
    """
    place, name = min(enumerate(queries), key=lambda one: queries[one[1]])
    least, total = queries[name], variances.sum(axis=0)
    share = float((variances[place, total > 0] / total[total > 0]).max(initial=0))
    if least >= ENOUGH or list(queries.values()).count(least) > 1 or share <= 0.5:
        return []
    return [note("rests-on-few", [name], queries=least, share=share, enough=ENOUGH)]


def _by_name(collections: Mapping[Any, Any]) -> dict[str, Any]:
    """Return at least two collections by name; none may have the name of the mean."""
    named = {str(name): source for name, source in collections.items()}
    if len(named) < len(collections):
        raise UsageError("two collections have the same name")
    if len(named) < 2:
        raise UsageError("one collection has no mean over collections: give two or more, or use compare")
    if MACRO in named:
        raise UsageError(
            f"a collection is called {MACRO!r}, which names the mean over collections: rename it"
        )
    return named


def _only_measure(collections: Iterable[Collection]) -> str:
    """Return the only measure that tables have, else the default."""
    tables = [one.table for one in collections if one.table is not None]
    known = {str(measure) for table in tables for measure in table.measures}
    return known.pop() if len(known) == 1 else DEFAULT


def _read(name: str, source: Any, measure: MeasureLike | None) -> Collection:
    """Return what a source has: judgments and runs, what is described, or scores of a table."""
    if isinstance(source, tuple | list):
        if len(source) != 2:
            raise UsageError(f"collection {name!r} has {len(source)} parts, expected (judgments, runs)")
        return asked_about(*source)
    if isinstance(source, Collection | Scores) or description_of(source) is not None:
        return asked_about(source)
    if kind_of_source(source) not in (FILE, FRAME, MAPPING):
        expected = "a Collection, (judgments, runs), or a table of scores"
        raise UsageError(f"collection {name!r} is of type {type(source).__name__}, expected {expected}")
    return asked_about(Scores.read(source, measure))


def _gathered(name: str, collection: Collection, measure: MeasureLike, **options: Any) -> Gathered:
    """Return the evidence of one collection; warnings name the collection."""
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always", UnjudgedWarning)
        found = gather(collection, [measure], **options)
    for one in recorded:
        if isinstance(one.message, UnjudgedWarning):
            announce([type(one.message)(one.message.note.said_of([name]))])
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return found


def _same_queries(found: Mapping[str, Gathered]) -> Iterator[Note]:
    """Say which collections have the same judgments, or the same scores where these are not known."""
    alike: dict[tuple[str, object], list[str]] = {}
    for name, one in found.items():
        alike.setdefault(one.identity, []).append(name)
    for (what, _), names in alike.items():
        if len(names) > 1:
            yield note("same-queries", names, what=what)


def _same_runs(each: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the runs that every collection must have."""
    runs = list(dict.fromkeys(run for own in each.values() for run in own))
    for name, own in each.items():
        missing = [run for run in runs if run not in own]
        if missing:
            have = "is" if len(missing) == 1 else "are"
            problem = f"{shortlist(missing)} {have} not among the runs of collection {name!r}"
            raise UsageError(f"{problem}: give each collection the same runs, by the same names")
    return runs
