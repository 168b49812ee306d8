"""Judgment designs: one registered object each, which says all that experiments, commands and figures need.

    @design(level="share", axis="share of the first half (%)", levels=(0.1, 0.5))
    def halves(pool, level, seed):
        return pool.stratified({50: level}, seed=seed)

makes `experiment(..., design="halves")` and its figures work. Keyword-only parameters of the function are
options of the design: `experiment(..., design="stratified", top=20)`. `level_for_budget` finds the level that
a number of judgments pays for.
"""

from __future__ import annotations

import inspect
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from unjudged.base.choices import Choices, checked_int
from unjudged.base.errors import UsageError
from unjudged.judging.pooling import REST, Pool
from unjudged.judging.sampling import DEPTH, LEVELS, Level
from unjudged.rankings.judgments import Judgments

SHARES = tuple(p / 100 for p in (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100))
DEPTHS = (1, 2, 3, 4, 5, 8, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
"""The levels of Yilmaz and Aslam (2008)."""

Draw = Callable[..., Judgments]
Function = TypeVar("Function", bound=Draw)

DESIGNS: Choices[Design] = Choices("design")
"""Every design by its name, in the order they were registered."""


@dataclass(frozen=True)
class Design:
    """A way to choose which documents of a pool are judged."""

    name: str
    function: Draw
    level: Level
    """What a level is: a share of the documents or a depth."""
    levels: tuple[float, ...]
    """The levels of an experiment that names none."""
    shown: tuple[float, ...]
    """The levels that scatter plots show, if the experiment has them."""
    axis: str
    """The title of the axis of levels."""
    runs: bool
    """Whether it looks at the rankings of runs."""
    random: bool
    """Whether the documents are drawn at random, so that repeats differ and probabilities make sense."""
    form: str
    """The form of the file that keeps all that is known of the sample: qrels or strata."""
    cite: tuple[str, ...] = ()
    """Keys of the works to cite."""

    @property
    def options(self) -> dict[str, Any]:
        """Options of the design and their defaults."""
        parameters = inspect.signature(self.function).parameters.values()
        return {p.name: p.default for p in parameters if p.kind is p.KEYWORD_ONLY}

    def check_options(self, given: Mapping[str, Any]) -> None:
        for name in given:
            if name not in self.options:
                known = ", ".join(self.options) or "none"
                raise UsageError(f"design {self.name!r} has no option {name!r}; its options: {known}")

    def draw(self, pool: Pool, level: float, seed: int = 0, **options: Any) -> Judgments:
        """Return the judgments at a level; the documents that were not chosen are pooled and unjudged.

        >>> from unjudged import sample
        >>> DESIGNS.find("mixed").draw(Pool.of(sample.qrels, sample.runs), 2, seed=1)
        Judgments(30 queries, 598 judged documents, 156 relevant, 1532 pooled but not judged)
        """
        self.check_options(options)
        made = self.function(pool, self.level.check(level), checked_int("seed", seed), **options)
        if not isinstance(made, Judgments):
            raise UsageError(f"design {self.name!r} returned {type(made).__name__}, expected Judgments")
        return made


def design(
    *,
    level: str,
    levels: tuple[float, ...],
    axis: str,
    shown: tuple[float, ...] = (),
    runs: bool = True,
    random: bool = True,
    form: str = "qrels",
    cite: tuple[str, ...] = (),
    name: str | None = None,
) -> Callable[[Function], Function]:
    """Register a function of (pool, level, seed) as a design, under its own name or `name`.

    The arguments are the fields of `Design`; `level` is "share" or "depth".
    """
    if level not in LEVELS:
        raise UsageError(f"level is {level!r}, expected one of {', '.join(LEVELS)}")
    kind = LEVELS[level]
    if not levels:
        raise UsageError("a design needs at least one default level")
    for number in (*levels, *shown):
        kind.check(number)

    def register(function: Function) -> Function:
        called = name or function.__name__
        DESIGNS.add(called, Design(called, function, kind, levels, shown, axis, runs, random, form, cite))
        return function

    return register


@design(
    level="share",
    levels=SHARES,
    axis="judged share of the pool (%)",
    shown=(0.3, 0.1, 0.05),
    runs=False,
    cite=("yilmaz2006",),
)
def random(pool: Pool, level: float, seed: int, *, redraw: bool = True) -> Judgments:
    """A share of each query's judged documents."""
    return pool.random(level, seed=seed, redraw=redraw)


@design(
    level="depth",
    levels=DEPTHS,
    axis="depth of the pool",
    shown=(30, 8, 4),
    random=False,
    cite=("harman1993",),
)
def depth(pool: Pool, level: int, seed: int, *, deeper: int = 0) -> Judgments:
    """Return the first documents of every run, and one more in `deeper` queries."""
    return pool.depth(level, deeper=deeper, seed=seed)


@design(
    level="depth",
    levels=(1, 2, 3, 4, 5, 10, 20, 30, 40, 50),
    axis="depth of the pool, plus as many documents drawn from the rest",
    shown=(10, 4, 1),
    form="strata",
    cite=("yilmaz2008b",),
)
def mixed(pool: Pool, level: int, seed: int, *, deeper: int = 0) -> Judgments:
    """Return the first documents of every run, one more in `deeper` queries, and as many from the rest."""
    return pool.mixed(level, deeper=deeper, seed=seed)


@design(
    level="share",
    levels=SHARES,
    axis="judged share below the top of the pool (%)",
    shown=(0.3, 0.1, 0.05),
    form="strata",
    cite=("yilmaz2008b",),
)
def stratified(pool: Pool, level: float, seed: int, *, top: int = 10) -> Judgments:
    """Return the depth-`top` pool, and a share of the rest."""
    return pool.stratified({float(checked_int("top", top, least=1)): 1.0, REST: level}, seed=seed)


DEEPER = "deeper"
"""The option of designs by depth: in how many queries they judge one rank more."""

STEPS = 40
"""Halvings of the interval of shares: far below one document."""


def level_for_budget(design: Design, pool: Pool, budget: float, *, seed: int = 0, **options: Any) -> float:
    """Return the highest level at which the design judges at most `budget` of the pool's judged documents.

    Of a pool that nobody has judged yet, `pool.blank` counts as judged.

    >>> from unjudged import sample
    >>> from unjudged.judging.designs import DESIGNS
    >>> pool = Pool.of_runs(sample.runs, depth=20)
    >>> level_for_budget(DESIGNS.find("depth"), pool.blank, 800)
    5
    """
    checked_int("budget", int(budget), least=1)
    every = int((pool.judgments.grade >= 0).sum())
    if "redraw" in design.options:
        options = {**options, "redraw": False}

    def judged(level: float) -> int:
        return int((design.draw(pool, level, seed, **options).grade >= 0).sum())

    found: float
    if design.level is DEPTH:
        deepest = 1
        while judged(deepest) <= budget and judged(deepest) < every:
            deepest *= 2
        found = bisect_right(range(1, deepest + 1), budget, lo=deepest // 2, key=judged)
    else:
        if judged(1.0) <= budget:
            return 1.0
        found, too_much = 0.0, 1.0
        for _ in range(STEPS):
            half = (found + too_much) / 2
            found, too_much = (half, too_much) if judged(half) <= budget else (found, half)
    if not found or judged(found) > budget:
        least = judged(1 if design.level is DEPTH else 1e-9)
        problem = f"design {design.name!r} judges at least {least} documents, and the budget is {budget:g}"
        raise UsageError(f"the {problem}: raise it, or choose another design or a smaller top")
    return found


def options_for_budget(
    design: Design, pool: Pool, budget: float, *, seed: int = 0, **options: Any
) -> tuple[float, dict[str, Any]]:
    """Return the level and the options with which a design judges as many documents as the budget allows.

    The next rank may be too much for all queries. Designs by depth then judge it in some, drawn at random.

    >>> from unjudged import sample
    >>> from unjudged.judging.designs import DESIGNS
    >>> pool = Pool.of_runs(sample.runs, depth=20)
    >>> options_for_budget(DESIGNS.find("depth"), pool.blank, 800)
    (5, {'deeper': 5})
    """
    level = level_for_budget(design, pool, budget, seed=seed, **options)
    if DEEPER not in design.options or DEEPER in options:
        return level, dict(options)

    def judged(deeper: int) -> int:
        return int((design.draw(pool, level, seed, **options, deeper=deeper).grade >= 0).sum())

    deeper = bisect_right(range(1, len(pool.judgments.queries)), budget, key=judged)
    return level, {**options, DEEPER: deeper} if deeper else dict(options)
