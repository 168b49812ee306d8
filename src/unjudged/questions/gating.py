"""A gate for releases: does the new system pass, fail, or is it undecided?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from unjudged.base.choices import shown
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.collection.description import Description
from unjudged.collection.query_segments import EVERY, SegmentsSource, several_segments, with_every
from unjudged.collection.score_arrays import UNNAMED
from unjudged.data.scan import scanner
from unjudged.inference.gate_checks import (
    AS_JUDGED,
    FAIL,
    PASS,
    SEEN,
    WORST,
    JudgingName,
    gate_checks,
)
from unjudged.inference.pair_tests import Settings
from unjudged.inference.significance import find_test
from unjudged.measures.kernel.names import MeasureLike, parse_measure, place_of_measure, with_relevant
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.questions.fitting_measures import notes_on_measures
from unjudged.questions.gathering import asked_about, gather
from unjudged.results.gate_result import GateResult

if TYPE_CHECKING:
    from unjudged.evidence.shared import SharedRankings

GATE_TESTS = ("t", "sequential")
IfUndecided: TypeAlias = Literal["pass", "fail"] | None
"""What an undecided result counts as."""
Margin: TypeAlias = float | Mapping[str, float] | Mapping[Measure, float]
"""Loss that does not matter, perhaps one for each measure."""


def gate(
    qrels: Any,
    old: Any = None,
    new: Any = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    margin: Margin | None = None,
    alpha: float | None = None,
    segments: SegmentsSource | None = None,
    judging: JudgingName = "seen",
    undecided: IfUndecided = None,
    test: Literal["t", "sequential"] = "t",
    predictions: Any = None,
    depth: int | None = None,
    on_read: Callable[[str], None] | None = None,
) -> GateResult:
    """Ask whether a new system is worse than the old one by more than a margin: pass, fail or undecided.

    Parameters
    ----------
    qrels
        Judgments, a collection, a description, or `Scores`.
    old, new
        Runs, or names of runs of a collection; they need not be named where there are two.
    measures
        Those of the margin, if it is a mapping; else of the description, nDCG@10, or all of the `Scores`.
    margin
        The loss that does not matter, in units of the measure, or one for each measure in a mapping.
    alpha
        The level, which is for one look.
    segments
        The segment of each query: none may fail.
    judging
        What is assumed of unjudged documents: "seen", that those which favour either system are relevant as
        often as the judged ones; "worst", that they are as bad for the answer as can be; "as-judged", that
        none is relevant.
    undecided
        What such an outcome counts as for the exit code.
    test
        "t", or "sequential": the same two systems may then be asked about again whenever they met more
        queries, from 30 on; that takes about twice as many as one look.
    predictions
        What models predict.
    depth
        How many documents of each ranking count.
    on_read
        Is told the name of each run once it is read.

    >>> from unjudged import sample
    >>> passed = gate(sample.qrels, sample.runs["lexical"], sample.runs["reranked"], "P@10", margin=0.01)
    >>> passed.outcome, bool(passed)
    ('pass', True)
    """
    if judging not in (SEEN, WORST, AS_JUDGED):
        raise UsageError(f"judging is {shown(judging)}, expected {SEEN!r}, {WORST!r} or {AS_JUDGED!r}")
    if undecided not in (None, PASS, FAIL):
        raise UsageError(f"undecided is {shown(undecided)}, expected {PASS!r} or {FAIL!r}")
    if isinstance(old, str) and isinstance(new, str) and old == new:
        raise UsageError(f"old and new are both {old!r}: name two systems")
    if test not in GATE_TESTS:
        raise UsageError(f"test is {shown(test)}, expected {' or '.join(map(repr, GATE_TESTS))}")
    collection = asked_about(qrels, None if old is None and new is None else [old, new], on_read=on_read)
    described, systems = collection.described, collection.systems
    if len(systems) != 2:
        problem = f"{counted(len(systems), 'run')}, expected an old one and a new one"
        raise UsageError(f"{problem}: {shortlist(systems)}")
    margin, measures = _asked(described, margin, measures)
    alpha, segments = collection.alpha(alpha), collection.segments(segments)
    found = gather(collection, measures, depth=depth, predictions=predictions)
    if found.shared is not None:
        check_rankings(found.shared)
    check_directions(found.measures, described)
    before, after = found.systems
    margins = _margins(margin, found.measures)
    queries = len(found.queries)
    parts = with_every({} if segments is None else several_segments(segments, list(found.queries)), queries)
    asked = []
    for one, own in zip(found.evidence, margins, strict=True):
        if not one.measure.traits.quality:
            raise UsageError(f"{one.measure} does not measure quality: a gate needs one that should rise")
        contrast = one.contrast(np.array([1]), np.array([0]), by_query=True)
        for segment, chosen in parts.items():
            asked.append((contrast if segment == EVERY else contrast.over(chosen), own, segment))
    checks = gate_checks(asked, judging, Settings(alpha=alpha, test=find_test(test)))
    told = {"systems": [before, after], "old": before, "new": after, "alpha": alpha, "library": found.library}
    told |= {"undecided": undecided, "test": test}
    told["margin"] = margins[0] if len({*margins}) == 1 else {c["measure"]: c["margin"] for c in checks}
    notes = [*found.notes, *notes_on_measures(found.measures)]
    return GateResult({"gate": checks}, notes, told, view="gate", source=found)


def _asked(
    described: Description, margin: Margin | None, measures: MeasureLike | Iterable[MeasureLike] | None
) -> tuple[Margin, MeasureLike | Iterable[MeasureLike] | None]:
    """Return the margin that a call names, else the one described, and the measures."""
    named = [measures] if isinstance(measures, str | Measure) else measures
    usual = described.defaults.margin
    if margin is None and isinstance(usual, Mapping) and named is not None:
        losses = {_written(name): loss for name, loss in usual.items()}
        named = list(named)
        margin = {str(measure): losses.get(_written(measure), 0.0) for measure in named}
    elif margin is None:
        margin = 0.0 if usual is None else usual
    each: list[Any] = list(margin.values()) if isinstance(margin, Mapping) else [margin]
    for one in each:
        if not (isinstance(one, Real) and 0 <= float(one) < inf):
            raise UsageError(f"margin is {shown(one)}, expected a number of at least 0, such as 0.01")
    if not isinstance(margin, Mapping):
        return margin, named
    if described.relevant is None:
        return margin, list(margin) if named is None else named
    by_name = {_written(name, described.relevant): loss for name, loss in margin.items()}
    return by_name, list(margin) if named is None else named


def _written(measure: MeasureLike, relevant: float | None = None) -> str:
    """Return the name of a measure as it is here, or as it is given if it is of a table."""
    with suppress(UsageError):
        return str(with_relevant([parse_measure(measure)], relevant)[0])
    return str(measure)


def _margins(margin: Margin, measures: Sequence[Measure]) -> list[float]:
    """Return the margin of each measure, less than all of its range, or else its check could never fail."""
    names = list(map(str, measures))
    given = margin if isinstance(margin, Mapping) else dict.fromkeys(names, margin)
    places = [place_of_measure(measure, names) for measure in given]
    for k, name in enumerate(names):
        if places.count(k) != 1:
            has = counted(places.count(k), "margin") if k in places else "no margin"
            raise UsageError(f"{name} has {has}, expected one")
    by_place = dict(zip(places, given.values(), strict=True))
    own = [float(by_place[k]) for k in range(len(names))]
    for measure, one in zip(measures, own, strict=True):
        if one >= measure.reach:
            problem = f"the values of {measure} are from {measure.range[0]:g} to {measure.range[1]:g}"
            raise UsageError(f"margin is {one:g}, but {problem}: no loss is larger; give a smaller margin")
    return own


MISSING, UNJUDGED = 1 / 5, 9 / 10
"""Shares of the queries: without a ranking, and without any judged document in it."""


def check_rankings(shared: SharedRankings) -> None:
    """Refuse a run that lacks more than a fifth of the queries, or has no judged document in nine of ten."""
    rankings, runs = shared.judged_rankings, list(shared.runs)
    judged = np.asarray(scanner.count_grades(rankings.labels, rankings.offsets, 0, np.inf))
    for name, ranked, known in zip(
        runs, rankings.retrieved.reshape(len(runs), -1), judged.reshape(len(runs), -1), strict=True
    ):
        queries, missing, unjudged = ranked.size, int((ranked == 0).sum()), int((known == 0).sum())
        if missing > MISSING * queries:
            problem = f"no ranking for {missing:,} of {counted(queries, 'query')}"
            raise InputError(f"{problem}: a gate decides only if at most a fifth lacks", source=name)
        if unjudged > UNJUDGED * queries:
            problem = f"no judged document in the rankings of {unjudged:,} of {counted(queries, 'query')}"
            raise InputError(f"{problem}: does it name documents as the judgments do?", source=name)


def check_directions(measures: Sequence[Measure], described: Description) -> None:
    """Refuse a measure of a described table that is not known, unless it is said to be lower or higher."""
    if described.scores is None:
        return
    declared = {UNNAMED, *(described.scores.higher or ())}
    for measure in measures:
        if measure.name not in MEASURES and not measure.traits.lower and str(measure) not in declared:
            raise UsageError(
                f"it is not known whether {measure} is better lower or higher: "
                f"--set scores.lower={measure}, or scores.higher"
            )
