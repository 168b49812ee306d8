"""Input that a gate does not decide upon, because it is more likely broken than what it seems."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted
from unjudged.collection.description import Description
from unjudged.collection.score_rows import UNNAMED
from unjudged.data.scan import scanner
from unjudged.measures.kernel.registry import MEASURES, Measure

if TYPE_CHECKING:
    from unjudged.evidence.shared import SharedRankings

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
            problem = f"no ranking for {missing} of {counted(queries, 'query')}"
            raise InputError(f"{problem}: a gate decides only if at most a fifth lacks", source=name)
        if unjudged > UNJUDGED * queries:
            problem = f"no judged document in the rankings of {unjudged} of {counted(queries, 'query')}"
            raise InputError(f"{problem}: does it name documents as the judgments do?", source=name)


def check_directions(measures: Sequence[Measure], described: Description) -> None:
    """Refuse a measure of a described table that is not known, unless it is said to be lower or higher."""
    if described.scores is None:
        return
    declared = {UNNAMED, *(described.scores.lower or ()), *(described.scores.higher or ())}
    for measure in measures:
        if measure.name not in MEASURES and str(measure) not in declared:
            raise UsageError(
                f"it is not known whether {measure} is better lower or higher: "
                f"--set scores.lower={measure}, or scores.higher"
            )
