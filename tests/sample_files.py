"""Samples as other tools write them: with strata, as sample_eval reads them, or with probabilities."""

from __future__ import annotations

import numpy as np

from unjudged import Judgments


def text_of_sample(judgments: Judgments, form: str) -> str:
    """Return the lines of a sample as `strata`, or the judged ones as `prels`."""
    queries, documents, grades = judgments.query.tolist(), list(judgments.documents), judgments.grade.tolist()
    names = [judgments.queries[q] for q in queries]
    if form == "strata":
        strata = np.ones_like(judgments.grade) if judgments.stratum is None else judgments.stratum
        rows = zip(names, documents, strata.tolist(), grades, strict=True)
        return "".join(f"{q} 0 {document} {stratum} {grade}\n" for q, document, stratum, grade in rows)
    assert judgments.probability is not None
    prels = zip(names, documents, grades, judgments.probability.tolist(), strict=True)
    return "".join(f"{q} {document} {grade} 1 {p!r}\n" for q, document, grade, p in prels if grade >= 0)
