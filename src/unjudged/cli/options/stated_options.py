"""How scattered labels were drawn, as an option of commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from unjudged.base.errors import UsageError
from unjudged.cli.options.option import OptionGroup
from unjudged.evaluation.collection import Collection
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import RunSource


@dataclass(eq=False, repr=False)
class StatedOptions(OptionGroup, title="Labels without a design"):
    """How labels were drawn that have no design.

    Parameters
    ----------
    sampled
        State how labels without a design were drawn from what the runs retrieve: uniformly (every pair of
        query and document alike) or per-query (some documents of each labelled query, all alike). Without
        it, labels that are scattered over the rankings are no random sample.
    sampled_depth
        With --sampled: only documents that a run has down to this rank could be drawn.
    """

    sampled: Literal["uniformly", "per-query"] | None = None
    sampled_depth: int | None = None

    def check(self, *, from_tables: bool = False) -> bool:
        """Refuse a depth without a statement, and a statement about scores; return `from_tables`."""
        if self.sampled is None and self.sampled_depth is not None:
            raise UsageError("--sampled-depth needs --sampled")
        if from_tables and self.sampled is not None:
            raise UsageError("--sampled is about labels, and does not go with --scores")
        return from_tables

    def applied(
        self, judgments: Judgments, runs: Mapping[str, RunSource]
    ) -> tuple[Judgments, Mapping[str, RunSource]]:
        """Return the judgments as the sample that was stated, and the runs, read once."""
        if self.sampled is None:
            return judgments, runs
        from unjudged.judging.collecting.stated_sample import stated_sample

        collection = Collection.of(judgments, runs).loaded()
        return stated_sample(collection, how=self.sampled, depth=self.sampled_depth), collection.runs


NOT_STATED = StatedOptions()
