"""The picture of the README: what the judgments of the sample leave open, and the truth."""

from __future__ import annotations

import warnings
from typing import NamedTuple

from make_sample import collection

from unjudged import UnjudgedWarning, evaluate, sample
from unjudged.report.result_plots import systems_figure

MEASURE = "nDCG@10"
WIDTH = 600
PLACES = ("", "first", "second", "third", "fourth", "fifth", "sixth")
WHY = (
    "Its score counts every document that nobody judged as worthless, and that is two thirds of its top ten."
)


class System(NamedTuple):
    """A system of the sample: its score today, the range of scores, the score if all is judged."""

    name: str
    score: float
    low: float
    high: float
    truth: float
    judged: float


def systems() -> list[System]:
    """Return the systems, the best score first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        today = evaluate(sample.qrels, sample.runs, [MEASURE, "Judged@10"])
        truth = evaluate(collection().complete, sample.runs, MEASURE)
    found = []
    for name, (mean, judged) in zip(today.runs, today.means.tolist(), strict=True):
        row = today.row(name, MEASURE)
        found.append(System(name, mean, row["low"], row["high"], truth.value(MEASURE, run=name), judged))
    return sorted(found, key=lambda one: -one.score)


def title(found: list[System]) -> str:
    """Return how `dense` looks, and what it is with everything judged."""
    by_truth = sorted(found, key=lambda one: -one.truth)
    looks, place = ([one.name for one in order].index("dense") + 1 for order in (found, by_truth))
    return f"dense looks {PLACES[looks]} of six. It is {PLACES[place]}."


def hero() -> str:
    """The picture as SVG, for light and dark pages."""
    found = systems()
    rows = [{"system": one.name, "mean": one.score, "low": one.low, "high": one.high} for one in found]
    truth, judged = ({one.name: getattr(one, name) for one in found} for name in ("truth", "judged"))
    figure = systems_figure(MEASURE, rows, 0.95, title(found), truth=truth, judged=judged, width=WIDTH)
    figure.why = WHY
    return figure.svg()
