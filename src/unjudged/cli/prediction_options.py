"""Predicted relevance, and how human labels without a design were drawn, as options of commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from unjudged.base.errors import UsageError
from unjudged.cli.arguments import Kind, NamedFiles, named_files
from unjudged.cli.option import OptionGroup, refuse
from unjudged.evaluation.collection import Collection
from unjudged.measures.kernel.names import MeasureLike
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import RunSource

if TYPE_CHECKING:
    from unjudged.predictions.evidence import Predicted


@dataclass(eq=False, repr=False)
class PredictionOptions(OptionGroup, title="Predictions"):
    """A file of predictions and how to use it.

    Parameters
    ----------
    predictions
        Predicted relevance of all documents, by a model for example: grades (as qrels), or probabilities or
        other scores (as a run). Estimates what the runs would score if people judged everything: P, RBP and
        DCG from a random sample of human judgments; any measure if people judged some queries completely and
        more queries have predictions. Good predictions make the interval narrow; bad ones do not make it
        wrong, because human judgments decide what is relevant. May be repeated for several judges,
        --predictions llama=FILE --predictions clicks=FILE: human judgments decide what each one weighs.
    threshold
        The lowest predicted score that counts as relevant, if queries are judged completely. Default: 0.5
        for probabilities.
    outside
        What to do with retrieved documents that people could not have judged: error, count them as
        nonrelevant (as in TREC), or as predicted; then the interval holds whatever they are.
    """

    predictions: NamedFiles = None
    kind: Kind = None
    threshold: float | None = None
    outside: Literal["error", "nonrelevant", "predicted"] = "error"

    def check(self, **others: object) -> None:
        """Refuse options that need predictions, or that do not go with them."""
        if self.predictions is None and (self.threshold, self.outside) != (None, "error"):
            raise UsageError("--threshold and --outside need --predictions")
        if self.predictions is None and self.kind is not None:
            raise UsageError("--kind needs --predictions")
        if self.predictions is not None:
            refuse("--predictions does not go with {}", others)

    def estimates(
        self, collection: Collection, measures: Iterable[MeasureLike] | None, rel: float | None = None
    ) -> list[Predicted]:
        """Return the estimates of each measure."""
        from unjudged.predictions.evidence import estimate_with_predictions
        from unjudged.predictions.predictions import Judges

        source = Judges.of(named_files(self.predictions or ()), kind=self.kind)
        options = {"threshold": self.threshold, "outside": self.outside, "rel": rel}
        return estimate_with_predictions(collection, None, source, measures, **options)  # type: ignore[arg-type]

    def given(self) -> dict[str, Any]:
        """Return what `compare` takes."""
        from unjudged.predictions.predictions import Judges

        if self.predictions is None:
            return {}
        source = Judges.of(named_files(self.predictions), kind=self.kind)
        return {"predictions": source, "threshold": self.threshold, "outside": self.outside}


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
        from unjudged.judging.stated_sample import stated_sample

        collection = Collection(judgments, runs).loaded()
        return stated_sample(collection, how=self.sampled, depth=self.sampled_depth), collection.runs
