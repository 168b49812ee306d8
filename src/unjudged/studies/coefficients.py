"""Coefficients of agreement of two judges, from counts of pairs of grades; leading axes are other samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.choices import Choices
from unjudged.base.errors import InputError
from unjudged.base.segments import Floats, Integers
from unjudged.base.wording import counted

MOST_GRADES = 64
Counts = Floats
"""`counts[..., i, j]`: documents with grade i by the first judge and grade j by the second."""


class Coefficient(NamedTuple):
    """A coefficient: its name in tables, `function(counts, grades)`, and the values it can have."""

    title: str
    function: Callable[[Counts, Floats], Floats]
    limits: tuple[float, float] = (-1.0, 1.0)


def same_grade(counts: Counts, grades: Floats) -> Floats:
    """Return the share of documents with the same grade."""
    return 1 - _mean_distance(counts, grades, 0)


def mean_error(counts: Counts, grades: Floats) -> Floats:
    """Return the mean distance of the two grades."""
    return _mean_distance(counts, grades, 1)


def _mean_distance(counts: Counts, grades: Floats, power: int) -> Floats:
    return _ratio((counts * _distance(grades, power)).sum((-2, -1)), counts.sum((-2, -1)))


def weighted_kappa(power: int) -> Callable[[Counts, Floats], Floats]:
    """Cohen's kappa (1960; weighted, 1968): 1 - observed / expected mean distance |i - j|^power.

    Power 0 counts every difference as one. Expected is the mean distance of independent judges who use
    each grade as often as these do.
    """

    def kappa(counts: Counts, grades: Floats) -> Floats:
        distance = _distance(grades, power)
        observed = (counts * distance).sum((-2, -1))
        expected = np.einsum("...i,ij,...j->...", counts.sum(-1), distance, counts.sum(-2))
        return 1 - _ratio(observed * counts.sum((-2, -1)), expected)

    return kappa


def krippendorff_alpha(ordinal: bool) -> Callable[[Counts, Floats], Floats]:
    """Krippendorff's alpha (1980): 1 - observed / expected squared distance, of labels without their judges.

    Nominal grades differ by one. The ordinal distance of two grades is the number of labels between them,
    half of the documents of either grade included.
    """

    def alpha(counts: Counts, grades: Floats) -> Floats:
        counts = counts + np.swapaxes(counts, -1, -2)
        labels = counts.sum(-1)
        if ordinal:
            middle = labels.cumsum(-1) - labels / 2
            distance = (middle[..., :, None] - middle[..., None, :]) ** 2
        else:
            distance = np.broadcast_to(_distance(grades, 0), counts.shape)
        n = labels.sum(-1)
        observed = (counts * distance).sum((-2, -1))
        expected = (labels[..., :, None] * labels[..., None, :] * distance).sum((-2, -1))
        return 1 - _ratio(observed * (n - 1), expected)

    return alpha


def _distance(grades: Floats, power: int) -> Floats:
    apart = np.abs(grades[:, None] - grades)
    return np.asarray(apart**power if power else apart > 0, float)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """Return the quotient, not a number where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom == 0, np.nan, top / bottom)


COEFFICIENTS: Choices[Coefficient] = Choices(
    "coefficient",
    same=Coefficient("same grade", same_grade, limits=(0.0, 1.0)),
    kappa=Coefficient("kappa", weighted_kappa(0)),
    linear=Coefficient("linear kappa", weighted_kappa(1)),
    quadratic=Coefficient("quadratic kappa", weighted_kappa(2)),
    mae=Coefficient("mean error", mean_error, limits=(0.0, np.inf)),
    alpha=Coefficient("alpha", krippendorff_alpha(ordinal=False)),
    ordinal_alpha=Coefficient("ordinal alpha", krippendorff_alpha(ordinal=True)),
)


def grades_of(*labels: NDArray[Any]) -> Floats:
    """Return the grades that occur, sorted; too many are no scale, and a table of them would have no end."""
    grades = np.unique(np.concatenate([np.unique(own) for own in labels]))
    if len(grades) > MOST_GRADES:
        problem = f"{counted(len(grades), 'different grade')}, expected at most {MOST_GRADES}"
        raise InputError(f"{problem}: predictions of many values are scores (kind='scores')")
    return grades.astype(float)


def tables(
    query: Integers, first: Integers, second: Integers, shape: tuple[int, int], weight: Floats | None = None
) -> Counts:
    """Count documents by query and by the places of two grades; `shape` is queries and grades."""
    queries, n = shape
    weights: Any = weight
    counts = np.bincount((query * n + first) * n + second, weights, queries * n * n)
    return counts.reshape(queries, n, n).astype(float)
