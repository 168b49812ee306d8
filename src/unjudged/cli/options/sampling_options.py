"""A design with its level and options, as the command line gives them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import Any

from unjudged.base.errors import UsageError
from unjudged.judging.pooling.designs import DESIGNS, Design, options_for_budget
from unjudged.judging.pooling.pool import Pool
from unjudged.judging.pooling.sampling import DEPTH, SHARE
from unjudged.rankings.judgments import Judgments


@dataclass(frozen=True)
class SamplingOptions:
    """A design, and its level, a share for each depth, or a number of documents that decides the level."""

    design: Design
    level: float | None
    strata: Mapping[float, float] | None
    options: Mapping[str, Any]
    budget: float | None = None

    @classmethod
    def of(
        cls,
        design: str,
        levels: Mapping[str, str | None],
        strata: str | None,
        given: Mapping[str, Any],
        budget: float | None = None,
    ) -> SamplingOptions:
        """Check that the options fit the design; `levels` has the text of --share and --depth."""
        chosen = DESIGNS.find(design)
        options = {name: value for name, value in given.items() if value is not None}
        if strata is not None and design != "stratified":
            raise UsageError("--strata goes with --design stratified")
        needed = None if strata is not None or budget is not None else chosen.level.name
        for name, text in levels.items():
            if (text is None) == (name == needed):
                problem = f"needs --{name}" if text is None else f"does not take --{name}"
                beside = " beside --strata" if strata is not None else " beside --budget" if budget else ""
                raise UsageError(f"--design {design} {problem}{beside}")
        if strata is not None and budget is not None:
            raise UsageError("--strata has a share for each depth: omit --budget")
        chosen.check_options(options)
        if strata is not None and options:
            raise UsageError("--top does not go with --strata: name the depth in --strata")
        level = None if needed is None else chosen.level.read(str(levels[needed]))
        return cls(chosen, level, None if strata is None else strata_of_text(strata), options, budget)

    def within_budget(self, pool: Pool, seed: int) -> SamplingOptions:
        """Return the options with the level that the budget allows, if there is one."""
        if self.budget is None:
            return self
        level, options = options_for_budget(self.design, pool, self.budget, seed=seed, **self.options)
        return replace(self, level=level, options=options)

    def judged(self, pool: Pool, seed: int) -> Judgments:
        """Return the part of the judgments that the design keeps."""
        if self.level is None:
            return pool.stratified(self.strata or {}, seed=seed)
        return self.design.draw(pool, self.level, seed, **self.options)


def strata_of_text(text: str) -> dict[float, float]:
    """`10:100%,50:30%,rest:10%` as depths and shares."""
    strata: dict[float, float] = {}
    for part in text.split(","):
        depth, colon, share = part.partition(":")
        if not colon or not (depth == "rest" or depth.isdecimal()):
            raise UsageError(f"invalid stratum {part!r}: use a depth and a share, as 10:50% or rest:5%")
        end = inf if depth == "rest" else DEPTH.read(depth)
        if end in strata:
            raise UsageError(f"stratum {depth} is given twice in {text!r}")
        strata[end] = SHARE.read(share)
    return strata
