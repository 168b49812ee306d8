"""The level at which a design judges as many documents as there is money for."""

from __future__ import annotations

from typing import Any

from unjudged.base.choices import checked_int
from unjudged.base.errors import UsageError
from unjudged.judging.pooling.designs import Design
from unjudged.judging.pooling.levels import DEPTH
from unjudged.judging.pooling.pool import Pool

DEEPER = "deeper"
"""The option of designs by depth: in how many queries they judge one rank more."""

STEPS = 40
"""Halvings of the interval of shares: far below one document."""


def level_for_budget(design: Design, pool: Pool, budget: float, *, seed: int = 0, **options: Any) -> float:
    """Return the highest level at which the design judges at most `budget` of the pool's judged documents.

    Of a pool that nobody has judged yet, `pool.blank` counts as judged.

    >>> from unjudged import sample
    >>> from unjudged.judging.pooling.designs import DESIGNS
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

    if design.level is DEPTH:
        low, high = 0, 1
        while judged(high) <= budget and judged(high) < every:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if judged(middle) <= budget else (low, middle)
        found: float = high if judged(high) <= budget else low
    else:
        if judged(1.0) <= budget:
            return 1.0
        low_share, high_share = 0.0, 1.0
        for _ in range(STEPS):
            half = (low_share + high_share) / 2
            low_share, high_share = (half, high_share) if judged(half) <= budget else (low_share, half)
        found = low_share
    if not found or judged(found) > budget:
        least = judged(1 if design.level is DEPTH else 1e-9)
        problem = (
            f"the design {design.name!r} judges at least {least} documents, and the budget is {budget:g}"
        )
        raise UsageError(f"{problem}: raise it, or choose another design or a smaller top")
    return found


def options_for_budget(
    design: Design, pool: Pool, budget: float, *, seed: int = 0, **options: Any
) -> tuple[float, dict[str, Any]]:
    """Return the level and the options with which a design judges as many documents as the budget allows.

    The next rank may be too much for all queries. Designs by depth then judge it in some, drawn at random.

    >>> from unjudged import sample
    >>> from unjudged.judging.pooling.designs import DESIGNS
    >>> pool = Pool.of_runs(sample.runs, depth=20)
    >>> options_for_budget(DESIGNS.find("depth"), pool.blank, 800)
    (5, {'deeper': 5})
    """
    level = level_for_budget(design, pool, budget, seed=seed, **options)
    if DEEPER not in design.options or DEEPER in options:
        return level, dict(options)
    low, high = 0, len(pool.judgments.queries)
    while high - low > 1:
        middle = (low + high) // 2
        drawn = design.draw(pool, level, seed, **options, deeper=middle)
        low, high = (middle, high) if int((drawn.grade >= 0).sum()) <= budget else (low, middle)
    return level, {**options, DEEPER: low} if low else dict(options)
