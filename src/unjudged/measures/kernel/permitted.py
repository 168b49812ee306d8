"""What judgments of their origin permit: what a number estimates from them, or why it cannot be computed.

`permitted` is the one place that decides. Measures, interval methods, tests and commands declare which
kinds of judgments they take; every call asks here, and prints the same sentence if the answer is no.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.measure import Measure
from unjudged.measures.kernel.traits import Refusal, refused_measure
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import (
    ANY,
    EVEN,
    KINDS,
    OF_NONRELEVANT,
    RANDOM,
    SAMPLES,
    WITH_NONRELEVANT,
    Kind,
)

THESE: Final = "these queries"
OTHER: Final = "other queries"
AS_THEY_ARE: Final = "judgments as they are"
UNKNOWN_JUDGMENTS: Final = "judgments: unknown"
"""Judgments behind scores that another tool computed."""
ALL_JUDGED: Final = "all documents judged"
POOL_JUDGED: Final = "the pool judged"

SAMPLED: Final = "the spread over queries contains the noise of sampling"
"""Why tests and intervals over queries hold for estimates from samples."""


@dataclass(eq=False, repr=False)
class Estimand:
    """Quantity that a number estimates.

    `measure` is written with its cutoff. `queries` are these or other ones. `judgments` are taken as they
    are, or as they would be with all documents, or all of the pool, judged. `subject` is a run, or two.

    >>> print(Estimand("AP@100", judgments="all documents judged", subject="bm25"))
    mean AP@100 of bm25 (these queries, all documents judged)
    """

    measure: str
    queries: str = THESE
    judgments: str = AS_THEY_ARE
    subject: str = ""
    statistic: str = "mean"

    def __str__(self) -> str:
        subject = f" of {self.subject}" if self.subject else ""
        return f"{self.statistic} {self.measure}{subject} ({self.queries}, {self.judgments})"


@dataclass(eq=False, repr=False)
class Use:
    """Use of a measure: which judgments it takes, and what it estimates.

    `instead` is the advice for judgments that it does not take; `check` refuses measures.
    """

    name: str
    takes: frozenset[Kind] = ANY
    queries: str = THESE
    judgments: str = AS_THEY_ARE
    instead: str = ""
    check: Callable[[Measure], None] | None = None
    needs: str = ""
    """What it needs, in words, where the kinds that it takes do not say it."""
    geometric: bool = False
    """It takes geometric means, as means of logarithms."""


VALUE: Final = Use("a value", geometric=True)


def permitted(measure: Measure, judgments: Judgments | None, use: Use = VALUE) -> Estimand | Refusal:
    """Return what the measure, or an interval or test of it, estimates from these judgments, or a refusal.

    For scores of a table there are no judgments to ask about. An estimate from a sample takes judgments not
    as they are: it is of the measure with the pool judged. The spread of such estimates over queries contains
    the noise of sampling, so tests and intervals for other queries cover both.

    >>> from unjudged import infAP
    >>> sample = Judgments.read({"q": {"a": 1, "b": -1}})
    >>> print(permitted(infAP, sample))
    mean AP (these queries, the pool judged)
    """
    if judgments is not None:
        kind = judgments.origin.kind
        if kind not in measure.traits.takes and not (kind in SAMPLES and judgments.even):
            return refused_measure(measure.name, measure.traits, judgments)
        if measure.traits.estimates and (problem := judgments.unanswered):
            return Refusal(problem, "")
        if (refusal := refused_use(judgments, use)) is not None:
            return refusal
    try:
        if not use.geometric:
            measure.check_mean()
        if use.check is not None:
            use.check(measure)
    except UsageError as error:
        return Refusal(str(error), "")
    if measure.traits.estimates and use.judgments == AS_THEY_ARE:
        return Estimand(measure.estimated, use.queries, POOL_JUDGED)
    return Estimand(str(measure), use.queries, use.judgments)


def refused_use(judgments: Judgments, use: Use) -> Refusal | None:
    """Return why no measure can be used in this way with these judgments, or None."""
    if judgments.origin.kind in use.takes:
        return None
    words = [KINDS[kind].partition(":")[0] for kind in KINDS if kind in use.takes]
    needed = " or ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} or {words[-1]}"
    needed = use.needs or (OF_NONRELEVANT if use.takes == WITH_NONRELEVANT else needed)
    return Refusal(f"{use.name} needs {needed}, and these judgments are {judgments.origin}", use.instead)


def how_to_judge(judgments: Judgments, systems: int) -> list[str]:
    """Return the options of `next` that go on with judgments; none where a chosen list would spoil them."""
    if judgments.frame is not None:
        how = ["--until", "better"] if systems > 1 else ["--design", "holes(50)"]
        return [*how, "-o", "to-judge.sample"]
    return [] if judgments.recorded else ["-n", "100", "-o", "to-judge.qrels"]


def check_use_permitted(judgments: Judgments, use: Use) -> None:
    """Refuse a use that these judgments permit to no measure, whichever it is."""
    if (refusal := refused_use(judgments, use)) is not None:
        raise UsageError(str(refusal))


def check_permitted(measure: Measure, judgments: Judgments, use: Use) -> Estimand:
    """Return what is estimated; a refusal is an error."""
    answer = permitted(measure, judgments, use)
    if isinstance(answer, Refusal):
        raise UsageError(str(answer))
    return answer


def _complete(measure: Measure) -> None:
    measure.check_completable()


def _choosable(measure: Measure) -> None:
    if plain := measure.traits.estimates:
        problem = f"{measure} estimates from a random sample and would refuse the documents chosen here"
        raise UsageError(f"{problem}: use {plain}, or draw a sample (unjudged next --design uniform)")
    measure.check_completable()


COMPARISON: Final = Use("a comparison", queries=OTHER, geometric=True)
LEAVING_OUT: Final = Use(
    "leaving out pooled runs",
    EVEN,
    needs="a pool",
    judgments=ALL_JUDGED,
    instead="unjudged documents of a sample would count as nonrelevant; use 'bounds', or measures that "
    "estimate from samples (xinfAP, statAP)",
    check=_complete,
)
BY_DOCUMENT: Final = Use(
    "an estimate by document",
    RANDOM,
    judgments=ALL_JUDGED,
    instead="draw a sample (unjudged next --design holes)",
)
TAKING_AWAY: Final = Use(
    "taking judgments away",
    EVEN,
    needs="a pool",
    instead="start from the judgments that these were drawn or chosen from",
)
CHOOSING: Final = Use(
    "choosing what to judge",
    WITH_NONRELEVANT,
    judgments=ALL_JUDGED,
    instead='draw a random check of the holes (unjudged next --design "holes(50)")',
    check=_choosable,
)
"""The uses that are not interval methods."""
