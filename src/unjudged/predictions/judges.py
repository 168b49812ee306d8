"""One or several judges, by name: models, click logs or further assessors that predict relevance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.formats.inputs import is_one_source
from unjudged.predictions.predictions import Predictions, PredictionsSource
from unjudged.rankings.judged import Floats, Mask
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import Run

ONE = "predictions"
"""Name of a judge that has none."""


@dataclass(frozen=True, eq=False, repr=False)
class Judges:
    """Predictions by the name of the judge who made them.

    >>> Judges.of({"llama": {"q1": {"d1": 0.9, "d2": 0.2}}, "clicks": {"q1": {"d1": 7, "d2": 0}}})
    Judges(llama, clicks)
    >>> Judges.of({"q1": {"d1": 0.9, "d2": 0.2}})
    Judges(predictions)
    """

    by_name: Mapping[str, Predictions]

    @classmethod
    def of(cls, source: JudgesSource, *, kind: str | None = None) -> Judges:
        """Read predictions of one judge, in any form that `Predictions.of` takes, or a mapping of several."""
        if isinstance(source, Judges):
            return source
        made = Predictions | Judgments | Run
        several = isinstance(source, Mapping) and any(isinstance(each, made) for each in source.values())
        if not several and (isinstance(source, made) or is_one_source(source)):
            return cls({ONE: Predictions.of(source, kind=kind)})  # type: ignore[arg-type]
        if not isinstance(source, Mapping) or not source:
            raise UsageError("expected the predictions of one judge, or of several by name: {'model': ...}")
        return cls({str(name): Predictions.of(each, kind=kind) for name, each in source.items()})

    def __repr__(self) -> str:
        return f"Judges({', '.join(self.by_name)})"

    def __len__(self) -> int:
        return len(self.by_name)

    @property
    def names(self) -> list[str]:
        """Names of the judges."""
        return list(self.by_name)

    @property
    def all(self) -> list[Predictions]:
        """Predictions of each judge."""
        return list(self.by_name.values())

    @property
    def queries(self) -> set[bytes]:
        """Queries for which any judge has predictions."""
        return {query for judge in self.all for query in judge.table.queries.tolist()}

    def aligned(self, judgments: Judgments, what: str = "the judgments") -> Floats:
        """Return judges x rows of the judgments; not a number where a judge has no prediction."""
        return np.stack([judge.aligned(judgments, what).value for judge in self.all])

    def notes(self) -> list[str]:
        """Say as what the predictions were read, where they could be either kind."""
        return [note for judge in self.all for note in judge.notes()]

    def weighed(self, weights: Floats) -> dict[str, float]:
        """Return weights by the names of the judges."""
        return dict(zip(self.names, weights.tolist(), strict=True))


def any_predicted(values: Floats) -> Mask:
    """Return the rows for which any of the judges has a prediction; `values` is judges x rows."""
    known: Mask = np.logical_or.reduce(~np.isnan(values), axis=0)
    return known


def weights_text(weights: Mapping[str, float]) -> str:
    """Return the weights of judges in words.

    >>> weights_text({"llama": 0.75, "clicks": 0.2})
    'llama 0.75, clicks 0.20'
    """
    return ", ".join(f"{name} {weight:.2f}" for name, weight in weights.items())


JudgesSource = Judges | PredictionsSource | Mapping[str, PredictionsSource]
