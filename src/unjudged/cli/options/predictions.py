"""Predicted relevance as an option of commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from unjudged.base.errors import UsageError
from unjudged.cli.options.arguments import InputFile
from unjudged.cli.options.option import OptionGroup
from unjudged.grids.grid import Grid
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import RunSource

if TYPE_CHECKING:
    from unjudged.comparison.comparison_result import Comparison
    from unjudged.predictions.estimators.estimates import Estimates


@dataclass(eq=False, repr=False)
class PredictionOptions(OptionGroup):
    """A file of predictions and how to use it.

    Parameters
    ----------
    predictions
        Predicted relevance of all documents, by a model for example: grades (as qrels), or probabilities or
        other scores (as a run). Estimates what the runs would score if people judged everything: P, RBP and
        DCG from a random sample of human judgments; any measure if people judged some queries completely and
        more queries have predictions. Good predictions make the interval narrow; bad ones do not make it
        wrong, because human judgments decide what is relevant.
    threshold
        The lowest predicted score that counts as relevant, if queries are judged completely. Default: 0.5
        for probabilities.
    outside
        What to do with retrieved documents that people could not have judged: error, count them as
        nonrelevant (as in TREC), or trust what is predicted.
    """

    predictions: InputFile = None
    threshold: float | None = None
    outside: Literal["error", "nonrelevant", "predicted"] = "error"

    def check(self, **others: object) -> None:
        """Refuse options that need predictions, or that do not go with them."""
        if self.predictions is None and (self.threshold, self.outside) != (None, "error"):
            raise UsageError("--threshold and --outside need --predictions")
        for name, value in others.items():
            if self.predictions is not None and value:
                raise UsageError(f"--predictions does not go with --{name.replace('_', '-')}")

    def estimates(
        self,
        judgments: Judgments,
        runs: Mapping[str, RunSource],
        measures: Iterable[str] | None,
        rel: int | None = None,
    ) -> list[Estimates]:
        """Return the estimates of each measure."""
        from unjudged.predictions.combined_estimates import estimate_with_predictions

        assert self.predictions is not None  # noqa: S101
        return estimate_with_predictions(
            judgments,
            runs,
            self.predictions,
            measures,
            threshold=self.threshold,
            outside=self.outside,
            rel=rel,
        )

    @staticmethod
    def grid(estimates: Sequence[Estimates], confidence: float, decimals: int) -> Grid:
        """Return the estimates as a table."""
        from unjudged.predictions.estimators.estimates import estimates_grid

        return estimates_grid(estimates, confidence, decimals)

    def differences(
        self, judgments: Judgments, runs: Mapping[str, RunSource], compared: Comparison, confidence: float
    ) -> list[str]:
        """Sentences on the differences of the pairs that were compared; none without predictions."""
        if self.predictions is None:
            return []
        from unjudged.predictions.combined_estimates import difference_notes

        estimates = self.estimates(judgments, runs, [str(result.measure) for result in compared.results])
        tested = compared.results[0].tests.pairs
        pairs = zip(tested.first.tolist(), tested.second.tolist(), strict=True)
        named = [(compared.runs[i], compared.runs[j]) for i, j in pairs]
        return [*difference_notes(estimates, named, confidence), *_after(judgments)]


def _after(judgments: Judgments) -> list[str]:
    """How the rest of a comparison, which is printed after these sentences, reads a sample."""
    if judgments.probability is None:
        return ["The rest of the comparison does not use the predictions."]
    return ["The rest of the comparison uses neither sample nor predictions: what was not drawn is unjudged."]


NO_PREDICTIONS = PredictionOptions()
