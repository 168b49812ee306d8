"""Compare systems over several collections, each of which has its own queries."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from unjudged.base.choices import CorrectionName, TestName, check_probability, checked_int
from unjudged.base.errors import UnjudgedWarning, UsageError, announce
from unjudged.base.wording import counted, shortlist
from unjudged.comparison.collections_result import MACRO, CollectionsComparison
from unjudged.comparison.comparison_notes import notes_on_direction
from unjudged.comparison.systems import UNKNOWN
from unjudged.comparison.testing.corrections import find_correction
from unjudged.comparison.testing.macro_means import macro_differences, macro_variances
from unjudged.comparison.testing.pairs import place_of_baseline
from unjudged.comparison.testing.pairwise import compare_pairs
from unjudged.evaluation.collection import Collection
from unjudged.evaluation.evaluation import evaluate
from unjudged.evaluation.scores import Scores
from unjudged.formats.inputs import FILE, FRAME, MAPPING, kind_of_source
from unjudged.measures.kernel.names import MeasureLike
from unjudged.rankings.judged import Floats

A_TABLE = "(?P<name>[^=]+)=(?P<qrels>)(?P<files>.+)"
DRIVE = r"[A-Za-z]:[\\/]"
A_COLLECTION = (
    rf"(?P<name>[^=]+)=(?P<qrels>irds:[^:]+|{DRIVE}[^:]*|[^:]+):(?P<files>(?:(?<=[:,]){DRIVE}|[^:])+)"
)
"""A letter, a colon and a slash begin a path of Windows; any other colon ends the judgments."""
ANY_NAME = "a file of --list takes names with colons and commas, between tabs: NAME, QRELS, RUN, RUN"
ENOUGH = 10
"""With fewer queries, a collection hardly shows how far its differences spread."""
AS_THEY_ARE = "Judgments are taken as they are: `compare` of one collection says what they leave open."
OF_TABLES = f"Judgments: {UNKNOWN}."
DEFAULT = "nDCG@10"
"""Measure if none is named, and if no table of scores has only one."""


def compare_collections(
    collections: Mapping[Any, Any],
    measure: MeasureLike | None = None,
    *,
    depth: int | None = None,
    baseline: str | None = None,
    test: TestName = "t",
    correction: CorrectionName = "holm",
    alpha: float = 0.05,
    draws: int = 20_000,
    seed: int = 0,
) -> CollectionsComparison:
    """Compare systems over several collections, as BEIR and MTEB report them, by tests over queries.

    `collections` maps names to a `Collection`, to (judgments, runs), or to a table of scores: `Scores`, or a
    file or frame that `Scores.of` takes. Each needs the same runs and at least two queries. `measure` is the
    one of the tables if they have only one, else nDCG@10. `depth` keeps only the first documents of each
    ranking. `test` is for pairs within collections, corrected over all pairs and collections; the mean over
    collections has a t test with stratified queries, corrected over the pairs.

    >>> from unjudged import sample
    >>> runs = {name: sample.runs[name] for name in ("lexical", "fused", "reranked")}
    >>> found = compare_collections({"one": (sample.qrels, runs), "two": (sample.qrels, runs)})
    >>> found.runs[found.order[0]], found.ranks()[found.order[0]]
    ('reranked', (1, 1))
    """
    check_probability("alpha", alpha, 0.05)
    seed, corrected = checked_int("seed", seed), find_correction(correction)
    if corrected.joint:
        raise UsageError(f"{correction} looks at one collection at a time: use holm, bh, bonferroni or none")
    scores = _scores(_by_name(collections), measure, depth)
    chosen = next(iter(scores.values())).measures[0]
    runs = _same_runs(scores)
    values = []
    for name, one in scores.items():
        values.append(chosen.averaged(one.values[[list(one.runs).index(run) for run in runs], :, 0]))
        if len(one.queries) < 2:
            raise UsageError(f"collection {name!r} has one query, expected at least two")
    place = place_of_baseline(baseline, runs)
    options = {"test": test, "baseline": place, "alpha": alpha, "draws": draws, "seed": seed}
    options["lower"] = chosen.traits.lower
    tests = [compare_pairs(part, correction="none", **options) for part in values]  # type: ignore[arg-type]
    pairs, p = tests[0].pairs, np.stack([one.p for one in tests])
    differences = [part[pairs.first] - part[pairs.second] for part in values]
    macro = macro_differences(differences, 1 - alpha)
    variances = np.concatenate([macro_variances(values), macro_variances(differences)], axis=1)
    tested = "all pairs" if baseline is None else f"the pairs with {baseline}"
    method = (
        f"{tests[0].test.heading} within collections, {corrected.title} over {tested} of all collections; t "
        f"test with stratified queries for the mean, corrected over {tested}; alpha = {alpha:g}."
    )
    return CollectionsComparison(
        chosen,
        runs,
        list(scores),
        tests,
        corrected.function(p.ravel()).reshape(p.shape),
        macro,
        corrected.function(macro.p),
        alpha,
        method,
        seed,
        [
            *dict.fromkeys(
                f"{name}: {said}" for name, one in scores.items() for said in (*one.warnings, *one.notes)
            ),
            *_same_queries(scores, values),
            *([f"{chosen}: differences are of mean logarithms."] if chosen.geometric else []),
            *resting_on_few({name: len(one.queries) for name, one in scores.items()}, variances),
            *notes_on_direction([chosen]),
            OF_TABLES if all(one.of_a_table for one in scores.values()) else AS_THEY_ARE,
        ],
    )


def resting_on_few(queries: Mapping[str, int], variances: Floats) -> list[str]:
    """Say if most of the uncertainty of a mean over collections is that of one with very few queries.

    `variances`, collections x systems and pairs, are what each collection adds to the variance of a mean.

    >>> resting_on_few({"small": 5, "large": 50}, np.array([[1 / 5, 1 / 5], [1 / 50, 9 / 5]]))[0][:79]
    'small has 5 queries, on which up to 91% of the uncertainty of a mean or differe'
    >>> resting_on_few({"small": 5, "large": 50}, np.array([[1 / 5], [1 / 2]]))
    []
    """
    place, name = min(enumerate(queries), key=lambda one: queries[one[1]])
    least, total = queries[name], variances.sum(axis=0)
    share = float((variances[place, total > 0] / total[total > 0]).max(initial=0))
    if least >= ENOUGH or list(queries.values()).count(least) > 1 or share <= 0.5:
        return []
    rests = f"on which up to {share:.0%} of the uncertainty of a mean or difference over collections rests"
    doubt = "its interval and p value may be too small or too large"
    return [f"{name} has {counted(least, 'query')}, {rests}: {doubt}, less so from {ENOUGH} queries on."]


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


def _scores(
    collections: Mapping[str, Any], measure: MeasureLike | None, depth: int | None
) -> dict[str, Scores]:
    """Return the scores of each collection by the measure, which tables may name."""
    tables = {
        name: _table(name, source, measure, depth)
        for name, source in collections.items()
        if not isinstance(source, Collection | tuple | list)
    }
    if measure is None:
        named = {str(one) for table in tables.values() for one in table.measures}
        measure = named.pop() if len(named) == 1 else DEFAULT
    return {
        name: tables[name].chosen(measure) if name in tables else _evaluated(name, source, measure, depth)
        for name, source in collections.items()
    }


def _table(name: str, source: Any, measure: MeasureLike | None, depth: int | None) -> Scores:
    if depth is not None:
        raise UsageError(f"depth needs judgments and runs, and collection {name!r} has scores: omit it")
    if not isinstance(source, Scores) and kind_of_source(source) not in (FILE, FRAME, MAPPING):
        expected = "a Collection, (judgments, runs), or a table of scores"
        raise UsageError(f"collection {name!r} is of type {type(source).__name__}, expected {expected}")
    return Scores.of(source, measure)


def _evaluated(name: str, source: Any, measure: MeasureLike, depth: int | None) -> Scores:
    """Return the scores of judgments and runs; warnings about them name the collection."""
    if not isinstance(source, Collection) and len(source) != 2:
        raise UsageError(f"collection {name!r} has {len(source)} parts, expected (judgments, runs)")
    qrels, runs = (source, None) if isinstance(source, Collection) else source
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always", UnjudgedWarning)
        scores = evaluate(qrels, runs, [measure], depth=depth)
    for one in recorded:
        if isinstance(one.message, UnjudgedWarning):
            announce([type(one.message)(f"{name}: {one.message}")])
        else:
            warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return scores


def _same_queries(scores: Mapping[str, Scores], values: Sequence[Floats]) -> Iterator[str]:
    """Say which collections have the same judgments, or the same scores where these are not known."""
    alike: dict[tuple[str, str | bytes], list[str]] = {}
    for (name, one), own in zip(scores.items(), values, strict=True):
        known = one.rankings and one.rankings.judgments.fingerprint
        alike.setdefault(("judgments", known) if known else ("scores", own.tobytes()), []).append(name)
    for (what, _), names in alike.items():
        if len(names) > 1:
            doubt = "their queries are not independent, and intervals and p values of the mean are too small"
            yield f"{shortlist(names)} have the same {what}: {doubt}."


def _same_runs(scores: Mapping[str, Scores]) -> list[str]:
    """Return the runs that every collection must have."""
    runs = list(dict.fromkeys(run for one in scores.values() for run in one.runs))
    for name, one in scores.items():
        missing = [run for run in runs if run not in one.runs]
        if missing:
            have = "is" if len(missing) == 1 else "are"
            problem = f"{shortlist(missing)} {have} not among the runs of collection {name!r}"
            raise UsageError(f"{problem}: give each collection the same runs, by the same names")
    return runs


def listed_collections(words: Iterable[str], *, tables: bool = False) -> dict[str, list[str]]:
    """Return the judgments and the runs of each collection from words such as NAME=QRELS:RUN,RUN.

    Tabs may separate name and files instead; then file names may have any other character. With `tables`,
    words are NAME=TABLE,TABLE.

    >>> listed_collections(["scifact=qrels.tsv:runs/*.run", "web=irds:web/test:a.run,b.run"])
    {'scifact': ['qrels.tsv', 'runs/*.run'], 'web': ['irds:web/test', 'a.run', 'b.run']}
    >>> listed_collections(["web=C:/qrels.txt:C:/a.run", "a,b QRELS:1.txt a,b.run".replace(" ", chr(9))])
    {'web': ['C:/qrels.txt', 'C:/a.run'], 'a,b': ['QRELS:1.txt', 'a,b.run']}
    """
    expected = "NAME=TABLE,TABLE" if tables else "NAME=QRELS:RUN,RUN or NAME=QRELS:'RUNS/*'"
    found: dict[str, list[str]] = {}
    for word in words:
        name, tab, rest = word.partition("\t")
        files = rest.split("\t") if tab else []
        if not tab and (parts := re.fullmatch(A_TABLE if tables else A_COLLECTION, word)):
            name, files = parts["name"], [*filter(None, (parts["qrels"], *parts["files"].split(",")))]
        if not name or not all(files) or len(files) < (1 if tables else 2):
            raise UsageError(f"{word!r} is not a collection, expected {expected}; {ANY_NAME}")
        if name in found:
            raise UsageError(f"collection {name!r} is given twice")
        found[name] = files
    return found
