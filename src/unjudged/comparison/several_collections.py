"""Compare systems over several collections, each of which has its own queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from unjudged.base.choices import CorrectionName, TestName, check_probability, checked_int
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.comparison.collections_result import CollectionsComparison
from unjudged.comparison.testing.corrections import find_correction
from unjudged.comparison.testing.macro_means import macro_differences
from unjudged.comparison.testing.pairs import place_of_baseline
from unjudged.comparison.testing.pairwise import compare_pairs
from unjudged.evaluation.collection import Collection
from unjudged.evaluation.evaluation import evaluate
from unjudged.evaluation.scores import Scores
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import Measure

ENOUGH = 10
"""With fewer queries, a collection hardly shows how far its differences spread."""


def compare_collections(
    collections: Mapping[str, Any],
    measure: MeasureLike = "nDCG@10",
    *,
    baseline: str | None = None,
    test: TestName = "t",
    correction: CorrectionName = "holm",
    alpha: float = 0.05,
    draws: int = 20_000,
    seed: int = 0,
) -> CollectionsComparison:
    """Compare systems over several collections, as BEIR and MTEB report them, by tests over queries.

    `collections` maps names to a `Collection`, to (judgments, runs), or to `Scores`. Each needs the same
    runs and at least two queries. `test` is for pairs within collections, corrected over all pairs and
    collections; the mean over collections has a t test with stratified queries, corrected over the pairs.

    >>> from unjudged import sample
    >>> halves = {"one": (sample.qrels, sample.runs), "two": (sample.qrels, sample.runs)}
    >>> found = compare_collections(halves)
    >>> found.runs[found.order[0]], found.ranks()[found.order[0]]
    ('reranked', (1, 1))
    """
    check_probability("alpha", alpha, 0.05)
    seed = checked_int("seed", seed)
    if len(collections) < 2:
        raise UsageError("one collection has no mean over collections: give two or more, or use compare")
    corrected, chosen = find_correction(correction), parse_measure(measure)
    if corrected.joint:
        raise UsageError(f"{correction} looks at one collection at a time: use holm, bh, bonferroni or none")
    scores = {name: _scores(name, source, chosen) for name, source in collections.items()}
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
    method = (
        f"{tests[0].test.heading} within collections, {corrected.title} over all pairs of all; t test with "
        f"stratified queries for the mean, corrected over pairs; alpha = {alpha:g}."
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
            *dict.fromkeys(f"{name}: {warning}" for name, one in scores.items() for warning in one.warnings),
            *([f"{chosen}: differences are of mean logarithms."] if chosen.geometric else []),
            *resting_on_few({name: len(one.queries) for name, one in scores.items()}),
        ],
    )


def resting_on_few(queries: Mapping[str, int]) -> list[str]:
    """Say if most of the uncertainty of a mean over collections is that of one with very few queries.

    >>> resting_on_few({"small": 5, "large": 50})[0][:75]
    'small has 5 queries, on which 91% of the uncertainty of the mean rests: int'
    >>> resting_on_few({"a": 5, "b": 5})
    []
    """
    name = min(queries, key=lambda name: queries[name])
    share = 1 / queries[name] / sum(1 / count for count in queries.values())
    if queries[name] >= ENOUGH or share <= 0.5:
        return []
    rests = f"on which {share:.0%} of the uncertainty of the mean rests"
    doubt = "intervals and p values of the mean may be too small or too large"
    return [
        f"{name} has {counted(queries[name], 'query')}, {rests}: {doubt}, less so from {ENOUGH} queries on."
    ]


def _scores(name: str, source: Any, measure: Measure) -> Scores:
    if isinstance(source, Scores):
        return source.chosen([measure])
    if isinstance(source, Collection):
        return evaluate(source, None, [measure])
    if not (isinstance(source, tuple | list) and len(source) == 2):
        expected = "a Collection, (judgments, runs), or Scores"
        raise UsageError(f"collection {name!r} is of type {type(source).__name__}, expected {expected}")
    return evaluate(source[0], source[1], [measure])


def _same_runs(scores: Mapping[str, Scores]) -> list[str]:
    """Return the runs that every collection must have."""
    runs = list(dict.fromkeys(run for one in scores.values() for run in one.runs))
    for name, one in scores.items():
        missing = [run for run in runs if run not in one.runs]
        if missing:
            have = "is" if len(missing) == 1 else "are"
            problem = f"{shortlist(missing)} {have} not among the runs of collection {name!r}"
            raise UsageError(f"{problem}: give each collection the same runs, by the same names")
    if len(runs) < 2:
        raise UsageError("one run cannot be compared: give two or more")
    return runs


def listed_collections(words: Iterable[str]) -> dict[str, tuple[str, list[str]]]:
    """Return collections from words such as NAME=QRELS:RUN,RUN.

    >>> listed_collections(["scifact=qrels.tsv:runs/*.run", "web=irds:web/test:a.run,b.run"])
    {'scifact': ('qrels.tsv', ['runs/*.run']), 'web': ('irds:web/test', ['a.run', 'b.run'])}
    """
    found: dict[str, tuple[str, list[str]]] = {}
    for word in words:
        name, equals, files = word.partition("=")
        scheme = "irds:" if files.startswith("irds:") else ""
        qrels, colon, runs = files.removeprefix(scheme).partition(":")
        if not (equals and name and qrels and colon and runs):
            raise UsageError(
                f"{word!r} is not a collection, expected NAME=QRELS:RUN,RUN or NAME=QRELS:'RUNS/*'"
            )
        if name in found:
            raise UsageError(f"collection {name!r} is given twice")
        found[name] = f"{scheme}{qrels}", [run for run in runs.split(",") if run]
    return found
