"""Evidence from people's labels together with predictions: by document, and by query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.evaluation.collection import Collection
from unjudged.evidence.contrast import ALONE, Contrast, Ends, Evidence, Ints
from unjudged.measures.kernel.names import parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.predictions.by_document import DocumentEstimates
from unjudged.predictions.by_query import QueryEstimates
from unjudged.predictions.calibrated_gains import combined_scores
from unjudged.predictions.combined_estimates import estimate_with_predictions
from unjudged.predictions.predictions import JudgesSource
from unjudged.rankings.judged import Floats


def predicted_evidence(
    collection: Collection, predictions: JudgesSource, measures: Any, **options: Any
) -> tuple[list[Evidence], list[str]]:
    """Return the evidence of each measure, by document or by query as the judgments allow, and notes."""
    estimates = estimate_with_predictions(collection, None, predictions, measures, **options)
    queries = list(collection.judgments.queries)
    evidence: list[Evidence] = []
    for one in estimates:
        measure = parse_measure(one.measure)
        if isinstance(one, DocumentEstimates):
            evidence.append(DocumentEvidence(one, measure, queries))
        elif isinstance(one, QueryEstimates):
            evidence.append(QueryEvidence(one, measure))
    return evidence, list(dict.fromkeys(note for one in estimates for note in one.notes()))


SAMPLED = "estimated from a sample of judgments; the test over queries allows for it"


@dataclass(frozen=True, eq=False)
class DocumentEvidence:
    """Unbiased estimates by query, from a random sample of documents that people labelled."""

    estimates: DocumentEstimates
    measure: Measure
    queries: Sequence[str]

    @property
    def systems(self) -> Sequence[str]:
        """Names of the runs."""
        return self.estimates.runs

    def contrast(self, first: Ints, second: Ints, *, by_query: bool = False) -> Contrast:  # noqa: ARG002
        """Return these contrasts with their errors over samples that people might have been given."""
        shares = np.eye(len(self.systems))[first]
        if int(second[0]) != ALONE:
            shares = shares - np.eye(len(self.systems))[second]
        error = np.array([self.estimates.error.deviation(one) for one in shares])
        return Contrast(
            self.measure,
            self.systems,
            self.queries,
            first,
            second,
            self.measure.sign * self.estimates.per_query,
            error=error,
            possible=None if self.estimates.possible is None else Ends(*self.estimates.possible),
            missing=SAMPLED,
        )


@dataclass(frozen=True, eq=False)
class QueryEvidence:
    """Scores of queries that people judged whole, with predicted ones of these and of further queries."""

    estimates: QueryEstimates
    measure: Measure

    @property
    def systems(self) -> Sequence[str]:
        """Names of the runs."""
        return self.estimates.runs

    @property
    def queries(self) -> Sequence[str]:
        """Names of the queries that people judged whole."""
        return self.estimates.queries

    def contrast(self, first: Ints, second: Ints, *, by_query: bool = False) -> Contrast:  # noqa: ARG002
        """Return these contrasts with the predicted ones of several judges combined."""
        e, sign = self.estimates, self.measure.sign
        human, predicted, further = (
            self._gaps(sign * scores, first, second) for scores in (e.human, e.predicted, e.further)
        )
        both = [combined_scores(human[k], predicted[:, k], further[:, k], e.fold) for k in range(len(first))]
        surrogate = (np.stack([one.predicted for one in both]), np.stack([one.further for one in both]))
        return Contrast(
            self.measure,
            self.systems,
            self.queries,
            first,
            second,
            sign * e.human,
            surrogate=surrogate,
            facts={"means": np.array([e.powered(run).value for run in e.runs])},
            missing="estimated with predictions for queries that people did not judge",
        )

    @staticmethod
    def _gaps(scores: Floats, first: Ints, second: Ints) -> Floats:
        """Return the scores of the first systems, or how far they are above the second ones."""
        own = scores[..., first, :]
        return own if int(second[0]) == ALONE else own - scores[..., second, :]
