"""Judgment designs: one registered function each, and what experiments, commands and figures need of it.

    @design(level="share", axis="share of the first half (%)", levels=(0.1, 0.5))
    def halves(pool, level, seed):
        return pool.stratified({50: level}, seed)

makes `experiment(..., design="halves")`, its figures and `unjudged next --design "halves(10%)"` work.
Keyword-only parameters of the function are parameters of the design: `stratified(20%, top=5)`.
"""

from __future__ import annotations

import inspect
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, TypeVar

import numpy as np

from unjudged.base.choices import Choices, check_parameters, checked_int
from unjudged.base.errors import AssumptionWarning, InputError, UsageError, announce, quoted
from unjudged.base.wording import counted
from unjudged.collection.collection import Collection, collection_of, judged_rankings
from unjudged.collection.description import STATED
from unjudged.judging.pooling import DEEPEST, REST, Pool, Strata, checked_depth, checked_share
from unjudged.rankings.coverage import not_random
from unjudged.rankings.extension import chosen_rows, extended
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource, answers_in
from unjudged.rankings.origin import CHOSEN, STRATIFIED, UNIFORM, Origin
from unjudged.rankings.runs import Run, RunsSource
from unjudged.rankings.sample_file import answered

FINEST = 1_000_000
"""So many shares are told apart."""

Draw = Callable[..., Judgments]
Function = TypeVar("Function", bound=Draw)

DESIGNS: Choices[Design] = Choices("design")
"""Every design by its name, in the order they were registered."""


def share_of_text(text: str) -> float:
    """`10%` and `0.1` are the same; `10` is refused, because it could mean either."""
    number, percent, rest = text.partition("%")
    try:
        value = float(number) / (100 if percent else 1)
    except ValueError:
        value = -1.0
    if rest or not (isfinite(value) and 0 <= value <= 1):
        raise UsageError(f"invalid share {quoted(text)}: use 10% or 0.1")
    return value


def depth_of_text(text: str) -> float:
    """Return a depth that is written as a whole number."""
    if not text.isdecimal() or len(text) > len(str(DEEPEST)):
        raise UsageError(f"invalid depth {quoted(text)}: use a whole number such as 10")
    return float(checked_depth(int(text)))


@dataclass(frozen=True)
class Level:
    """A kind of level: a share or a depth."""

    check: Callable[[float], float]
    read: Callable[[str], float]
    pattern: str
    factor: float

    def show(self, level: float) -> str:
        """`5 %` for a share, `depth 5` for a depth."""
        return self.pattern.format(self.on_axis(level))

    def on_axis(self, level: float) -> float:
        """Return the level as figures show it: shares in percent."""
        return self.factor * level


LEVELS: Choices[Level] = Choices(
    "level",
    share=Level(checked_share, share_of_text, "{:g} %", 100),
    depth=Level(checked_depth, depth_of_text, "depth {:g}", 1),
)


@dataclass(frozen=True)
class Design:
    """A way to choose which documents of a pool are judged."""

    name: str
    function: Draw
    level: Level
    """What a level is: a share of the documents or a depth."""
    levels: tuple[float, ...]
    """The levels of an experiment that names none."""
    axis: str
    """The title of the axis of levels."""
    random: bool = True
    """Whether the documents are drawn at random, so that repeats differ and probabilities make sense."""
    cite: tuple[str, ...] = ()
    """Keys of the works to cite."""

    @property
    def options(self) -> dict[str, Any]:
        """Options of the design and their defaults."""
        parameters = inspect.signature(self.function).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    def draw(self, pool: Pool, level: float | Strata, seed: int = 0, **options: Any) -> Judgments:
        """Return the judgments at a level; the documents that were not chosen are pooled and unjudged.

        >>> from unjudged import sample
        >>> DESIGNS.find("mixed").draw(Pool.of(sample.qrels, sample.runs), 2, seed=1)
        Judgments(30 queries, 598 judged documents, 156 relevant, 1532 pooled but not judged)
        """
        check_parameters(f"design {self.name!r}", options, list(self.options))
        checked = level if isinstance(level, Mapping) else self.level.check(level)
        made = self.function(pool, checked, checked_int("seed", seed), **options)
        if not isinstance(made, Judgments):
            raise UsageError(f"design {self.name!r} returned {type(made).__name__}, expected Judgments")
        return made

    def level_of(self, text: str) -> float | Strata:
        """Return a level from text: `10%` or `0.1`, a depth, or `10:100%, rest:10%`, a share for each."""
        if ":" not in text:
            return self.level.read(text)
        strata: dict[float, float] = {}
        for part in text.split(","):
            depth, _, share = part.partition(":")
            end = REST if depth.strip() == "rest" else depth_of_text(depth.strip())
            if end in strata:
                raise UsageError(f"stratum {depth.strip()} is given twice in {text!r}")
            strata[end] = share_of_text(share.strip())
        return strata

    def level_for(self, blank: Pool, n: int, seed: int, **options: Any) -> float:
        """Return the highest level at which the design draws at most `n` documents."""
        by_depth = self.level is LEVELS["depth"]
        finest = int(blank.rankings.retrieved.max(initial=1)) if by_depth else FINEST

        def level(step: int) -> float:
            return step if by_depth else step / FINEST

        def drawn(step: int) -> int:
            return int((self.draw(blank, level(step), seed, **options).grade >= 0).sum())

        step = bisect_right(range(1, finest + 1), n, key=drawn)
        if not step:
            problem = f"design {self.name!r} draws at least {drawn(1)} documents, and n is {n}"
            raise UsageError(f"{problem}: raise it, or choose another design or parameters of it")
        return level(step)


def design(
    *, level: str, levels: tuple[float, ...], axis: str, name: str | None = None, **more: Any
) -> Callable[[Function], Function]:
    """Register a function of (pool, level, seed) as a design, under its own name or `name`.

    The arguments are the fields of `Design`; `level` is "share" or "depth".
    """
    kind = LEVELS.find(level)
    if not levels:
        raise UsageError("a design needs at least one default level")
    for number in levels:
        kind.check(number)

    def register(function: Function) -> Function:
        called = name or function.__name__
        DESIGNS.add(called, Design(called, function, kind, levels, axis, **more))
        return function

    return register


design(
    name="uniform",
    level="share",
    levels=(0.05, 0.1, 0.3),
    axis="judged share of the pool (%)",
    cite=("yilmaz2006",),
)(Pool.uniform)
design(
    name="pool",
    level="depth",
    levels=(4, 8, 30),
    axis="depth of the pool",
    random=False,
    cite=("harman1993",),
)(Pool.depth)
design(
    name="mixed",
    level="depth",
    levels=(1, 4, 10),
    axis="depth of the pool, plus as many documents drawn from the rest",
    cite=("yilmaz2008b",),
)(Pool.mixed)
design(
    name="stratified",
    level="share",
    levels=(0.05, 0.1, 0.3),
    axis="judged share below the top of the pool (%)",
    cite=("yilmaz2008b",),
)(Pool.stratified)


def draw(
    pool: Pool,
    design: Design,
    level: float | Strata | None = None,
    *,
    n: int = 100,
    seed: int = 0,
    **options: Any,
) -> Judgments:
    """Draw documents of a pool for people to judge; without a level, at most `n`.

    The grades of the pool decide nothing: drawn documents that have one keep it, and the others wait.

    >>> from unjudged import sample
    >>> pool = Pool.of_runs(sample.runs, depth=20)
    >>> int(draw(pool, DESIGNS.find("stratified"), 0.1, seed=1, top=5).drawn.sum())
    945
    """
    if "redraw" in design.options:
        if options.get("redraw"):
            raise UsageError("a sample cannot be drawn again by its relevant documents before it is judged")
        options["redraw"] = False
    blank = pool.blank
    if level is None:
        level = design.level_for(blank, checked_int("n", n, least=1), seed, **options)
    made = design.draw(blank, level, seed, **options)
    drawn = made.grade >= 0
    stratum = np.ones(len(drawn), np.int32) if made.stratum is None else made.stratum
    grade = np.where(drawn, answers_in(pool.judgments.grade), UNSAMPLED).astype(np.int32)
    share = made.probability if made.probability is not None else made.pooled.judged_share(drawn, stratum)
    return answered(Judgments(made.pooled, grade, stratum, share, made.origin, drawn=drawn))


def stated_sample(
    qrels: JudgmentsSource | Collection,
    runs: RunsSource | None = None,
    how: str = STATED[0],
    *,
    depth: int | None = None,
) -> Judgments:
    """Return labels as a random sample of all pairs of query and document that the runs retrieve.

    'sample': every pair was equally likely to be labelled. 'sample per query': a number of
    documents of each labelled query, all equally likely. With `depth`, only documents that a run has down to
    that rank could be drawn. Labels of other documents are left out: the rest is a random sample still.
    Labels that cannot have been drawn so are refused.

    >>> labels = {"q1": {"d1": 1}, "q2": {"d3": 0}}
    >>> run = {q: {"d1": 3, "d2": 2, "d3": 1} for q in ("q1", "q2", "q3")}
    >>> stated_sample(labels, {"mine": run}).probability.round(3).tolist()
    [0.222, 0.222, 0.222, 0.222, 0.222, 0.222, 0.222, 0.222, 0.222]
    """
    if how not in STATED:
        raise UsageError(f"how is {how!r}, expected one of {', '.join(STATED)}")
    collection = collection_of(qrels, runs).loaded()
    labels = Judgments.whole(collection.judgments)
    _check_unrecorded(labels)
    named = {name: Run.read(run) for name, run in collection.runs.items()}
    pool = extended(labels, [run.table for run in named.values()], new_queries=how == STATED[0])
    rankings = judged_rankings(pool, named)
    deepest = np.inf if depth is None else checked_int("depth", depth, 1)
    reached = np.zeros(len(pool.grade), bool)
    reached[rankings.row[rankings.rank <= deepest]] = True
    frame = chosen_rows(pool, reached)
    judged = frame.grade >= 0
    if not judged.any():
        to_rank = "" if depth is None else f" down to rank {depth}"
        raise InputError(f"no labelled document is retrieved by any of the runs{to_rank}")
    left_out = int((labels.grade >= 0).sum() - judged.sum())
    if left_out:
        which = "that no run retrieves" if depth is None else f"that no run has down to rank {depth}"
        announce([AssumptionWarning(f"{counted(left_out, 'label')} of documents {which}: left out.")])
    rate = frame.pooled.judged_share(judged, None)
    if how == STATED[0]:
        rate = np.full(len(judged), judged.sum() / len(judged))
        sample = replace(frame, probability=rate, origin=Origin(UNIFORM, depth))
    else:
        one = np.ones(len(judged), np.int32)
        sample = replace(frame, stratum=one, origin=Origin(STRATIFIED, depth))
    if (reason := not_random(judged_rankings(sample, named), rate)) is not None:
        raise InputError(f"{reason} of what the runs retrieve")
    return sample


def _check_unrecorded(labels: Judgments) -> None:
    """Refuse judgments that say themselves how they were made."""
    if labels.recorded or labels.origin.kind == CHOSEN:
        raise UsageError(
            f"these judgments record how they were made, {labels.origin}: a statement cannot change that"
        )
