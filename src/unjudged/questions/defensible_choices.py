"""Does a conclusion survive? The same two systems under every choice of measure that could be defended."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, product
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.choices import TestName
from unjudged.base.errors import UsageError
from unjudged.base.notes import note
from unjudged.base.segments import Floats
from unjudged.base.wording import counted
from unjudged.collection.description import Choices
from unjudged.collection.query_segments import SegmentsSource, segments_of
from unjudged.evidence.contrast import Contrast
from unjudged.inference.pair_rows import rows_of
from unjudged.inference.pair_tests import Settings, decide, leaders, run_tests
from unjudged.inference.significance import TESTS
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.questions.fitting_measures import DEFAULT
from unjudged.questions.gathering import Source, asked_about, gather
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import RunsSource
from unjudged.results.fields import Row
from unjudged.results.result import Result

LEFT_OUT = "condensed"
OTHER_TESTS = ("randomization", "wilcoxon", "bootstrap")
NAMED = 2
"""Most groups of exceptions that the sentence names."""
SAID = {
    "least": "with relevant = {}",
    "unjudged": "with unjudged documents {}",
    "cutoff": "at cutoff {}",
    "family": "by {}",
}
"""The parts of a choice, and how each is said."""
TEXTS = {LEFT_OUT: "left out", "nonrelevant": "as not relevant"}
AS_SEEN, AT_WORST = "unjudged like the judged", "unjudged at their worst"
CHANGED = {
    AS_SEEN: "if unjudged documents are relevant as often as judged ones",
    AT_WORST: "if unjudged documents are at their worst for it",
}
"""How some changes made one at a time are said; others name themselves."""


class Choice(NamedTuple):
    """One way to score: the lowest relevant grade, what unjudged documents are, a cutoff and a measure."""

    least: float
    unjudged: str
    cutoff: int
    family: str

    @property
    def group(self) -> str:
        """What it shares with others that differ in cutoff or measure."""
        return f"relevant {self.least:g}{', unjudged left out' if self.unjudged == LEFT_OUT else ''}"

    def scored(self) -> Measure:
        """Return the measure; where it knows gains alone, lower grades have none."""
        made, given = parse_measure(self.family), dict[str, Any]()
        if "rel" in made.parameters:
            given["rel"] = self.least
        elif "gains" in made.parameters and self.least > 1:
            given["gains"] = dict.fromkeys(range(1, ceil(self.least)), 0)
        if self.unjudged == LEFT_OUT:
            given["unjudged"] = LEFT_OUT
        return made(**given) @ self.cutoff


def compare_choices(
    qrels: Source,
    runs: RunsSource | None = None,
    measure: MeasureLike | None = None,
    *,
    segments: SegmentsSource | None = None,
    test: TestName | None = None,
    alpha: float | None = None,
    depth: int | None = None,
    seed: int = 0,
    on_read: Callable[[str], None] | None = None,
) -> Result:
    """Compare two systems under every combination of choices, and under further changes one at a time.

    If the collection describes no others, the choices are the measures nDCG, AP, RR and RBP at the cutoffs 5,
    10 and 20, the lowest relevant grade 1 or 2 if some document has it, and unjudged documents that count as
    not relevant or are left out. Each row is the one that `compare` has by that measure. One at a time, by
    `measure`, there are other tests, orders of tied documents that favour either system, unjudged documents
    that are relevant as often as those seen or wherever that is worst, and each segment left out.

    Parameters
    ----------
    qrels, runs, segments, depth, seed, on_read
        As in `compare`.
    measure
        The measure of what changes one at a time.
    test, alpha
        The test of every row, and its level.

    >>> from unjudged import sample
    >>> found = compare_choices(sample.qrels, {name: sample.runs[name] for name in ("fused", "reranked")})
    >>> found.settings["said"][0]
    'reranked leads under 44 of 48 choices, and is better under 12.'
    """
    collection = asked_about(qrels, runs, on_read=on_read)
    if collection.table is not None:
        raise UsageError("choices of measures need judgments and runs, and these are scores")
    if len(collection.systems) != 2:
        raise UsageError(f"choices are about two systems, and there are {len(collection.systems)}")
    described, judgments = collection.described, collection.judgments
    settings = Settings.of(collection.test(test), "none", collection.alpha(alpha), 20_000, seed)
    base = parse_measure((described.defaults.measures or [DEFAULT])[0] if measure is None else measure)
    of = {choice.scored(): choice for choice in _every(described.choices, judgments)}
    found = gather(collection, [*dict.fromkeys([*of, base])], depth=depth, seed=seed)
    rows, one_at_a_time = list[Row](), list[Row]()
    for evidence in found.evidence:
        contrast = evidence.contrast(np.array([1]), np.array([0]), by_query=True)
        if (choice := of.get(evidence.measure)) is not None:
            row = _row(contrast, settings, choice.group, f"cutoff {choice.cutoff}")
            rows.append(row | choice._asdict())
        if evidence.measure == base:
            masks = (
                {} if (named := collection.segments(segments)) is None else segments_of(named, found.queries)
            )
            left = {name: ~mask for name, mask in masks.items() if (~mask).sum() > 1}
            for label, varied, how in _one_at_a_time(contrast, settings, left):
                one_at_a_time.append(_row(varied, how, str(base), label) | {"family": base.name})
    rows += one_at_a_time
    told: dict[str, Any] = {"systems": list(found.systems), "alpha": settings.alpha, "library": found.library}
    told |= {"test": settings.test.title, "said": list(survival_of(rows))}
    told["titles"] = {"choices": " ".join(told["said"])}
    tested = note("choices", test=settings.test.heading, alpha=settings.alpha)
    return Result({"choices": rows}, [*found.notes, tested], told, "choices", found)


def _every(chosen: Choices, judgments: Judgments) -> list[Choice]:
    """Return all combinations; a grade counts as relevant only if a document has it.

    Of fractional grades the lowest one alone counts: gains by whole grade cannot leave some of them out.
    """
    highest = judgments.highest if judgments.scale is None else 0
    relevant = [grade for grade in chosen.relevant if grade <= highest] or [chosen.relevant[0]]
    parts = (relevant, chosen.unjudged, chosen.cutoffs, chosen.measures)
    return [Choice(*one) for one in product(*parts)]


def _row(contrast: Contrast, settings: Settings, group: str, label: str) -> Row:
    """Return the row of the only pair, with its leader as a table shows it."""
    (columns,) = decide([run_tests(contrast, settings, shares=False)], settings)
    (row,) = rows_of(contrast, columns)
    leads = row["better"] or ("equal" if row["ahead"] is None else f"{row['ahead']}?")
    return row | {"leads": leads, "choice": f"{group}, {label}", "group": group, "label": label}


def _one_at_a_time(
    contrast: Contrast, settings: Settings, left: dict[str, Any]
) -> Iterator[tuple[str, Contrast, Settings]]:
    """Yield what is changed alone, and the contrast and the settings with the change."""
    for name in OTHER_TESTS:
        test = TESTS[name]
        if test is not settings.test and (contrast.clusters is None or test.clustered):
            yield f"{name} test", contrast, replace(settings, test=test)
    if contrast.orders is not None:
        for place, name in enumerate(contrast.systems):
            scores = np.where(np.arange(2)[:, None] == place, contrast.orders.high, contrast.orders.low)
            yield f"with ties for {name}", _only(contrast, scores), settings
    if contrast.tips is not None:
        ahead, behind, turned = leaders(contrast, contrast.values.mean(axis=1))
        tip, sign = contrast.tips(ahead, behind), -1.0 if turned[0] else 1.0
        for said, leads in ((AS_SEEN, tip.at(tip.seen)), (AT_WORST, tip.at_worst())):
            scores = np.zeros_like(contrast.scores)
            scores[contrast.first[0]] = sign * leads[0]
            yield said, _only(contrast, scores), settings
    for name, others in left.items():
        yield f"without {name}", contrast.over(others), settings


def _only(contrast: Contrast, scores: Floats) -> Contrast:
    """Return a contrast of which nothing but other scores is known."""
    nothing: dict[str, Any] = dict.fromkeys(("ends", "ends_by_query", "tips", "orders", "error"))
    return replace(contrast, scores=scores, **nothing)


def survival_of(rows: Sequence[Row]) -> Iterator[str]:
    """Say who leads under how many choices, and under which not.

    >>> def row(ahead, **choice):
    ...     return {"ahead": ahead, "better": None, "least": 1, "unjudged": "nonrelevant", **choice}
    >>> rows = [row("new", cutoff=5, family="AP"), row("new", cutoff=5, family="RR")]
    >>> list(survival_of([*rows, row("new", cutoff=20, family="AP"), row("old", cutoff=20, family="RR")]))
    ['new leads under 3 of 4 choices.', 'It does not lead at cutoff 20 by RR.']
    """
    crossed = [row for row in rows if "cutoff" in row]
    names = [row["ahead"] for row in crossed]
    leader = max(filter(None, names), key=names.count, default=None)
    if leader is None:
        yield f"The two systems have the same mean under all {len(names)} choices."
        return
    better = sum(row["better"] == leader for row in crossed)
    sure = f", and is better under {better}" if better else ""
    yield f"{leader} leads under {names.count(leader)} of {len(names)} choices{sure}."
    if others := list(_exceptions(crossed, leader)):
        yield f"It does not lead {' or '.join(others)}."
    changes = {row["label"]: row["ahead"] == leader for row in rows if "cutoff" not in row}
    if changes:
        turned = [name for name, leads in changes.items() if not leads]
        kept = f"{len(changes) - len(turned)} of" if turned else "all"
        yield f"It leads under {kept} {counted(len(changes), 'other change')}, made one at a time."
        if turned:
            yield f"It does not lead {' or '.join(CHANGED.get(one, one) for one in turned)}."


def _exceptions(rows: Sequence[Row], leader: str) -> Iterator[str]:
    """Say under which choices the system does not lead: the largest groups, then how many are left.

    A group has one value of some parts, or two, and all choices with these.
    """
    left = {k for k, row in enumerate(rows) if row["ahead"] != leader}
    groups = [(set(range(len(rows))), list[str]())]
    for part, words in SAID.items():
        values = list(dict.fromkeys(row[part] for row in rows))
        several = chain.from_iterable(combinations(values, size) for size in range(1, min(len(values), 3)))
        owned = [({k for k, row in enumerate(rows) if row[part] in chosen}, chosen) for chosen in several]
        said = [words.format(" or ".join(TEXTS.get(one, f"{one}") for one in chosen)) for _, chosen in owned]
        parts = list(zip(owned, said, strict=True))
        groups += [(group & own, [*named, text]) for (own, _), text in parts for group, named in groups]
    groups = [one for one in groups if one[0] <= left]
    for _ in range(NAMED):
        if left:
            own, words_of = max(groups, key=lambda group: (len(group[0] & left), -len(group[1])))
            left -= own
            yield " ".join(words_of)
    if left:
        yield f"under {len(left)} more"
