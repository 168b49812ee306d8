"""The picture of the README: what the judgments of the sample leave open, and the truth."""

from __future__ import annotations

import warnings

from make_sample import collection

from unjudged import UnjudgedWarning, evaluate, sample
from unjudged.report.result_plots import systems_figure

MEASURE = "nDCG@10"
WIDTH = 600
PLACES = ("first", "second", "third", "fourth", "fifth", "sixth")
WHY = (
    "Its score counts every document that nobody judged as worthless, and that is two thirds of its top ten."
)


def hero() -> str:
    """Return the picture as SVG, for light and dark pages: how `dense` looks, and what it is."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        today = evaluate(sample.qrels, sample.runs, [MEASURE, "Judged@10"])
        complete = evaluate(collection().complete, sample.runs, MEASURE)
    rows = sorted((today.row(name, MEASURE) for name in today.runs), key=lambda row: -row["mean"])
    truth = {row["system"]: complete.value(MEASURE, run=row["system"]) for row in rows}
    judged = {row["system"]: today.value("Judged@10", run=row["system"]) for row in rows}
    looks = [row["system"] for row in rows].index("dense")
    place = sorted(truth, key=lambda name: -truth[name]).index("dense")
    title = f"dense looks {PLACES[looks]} of six. It is {PLACES[place]}."
    figure = systems_figure(MEASURE, rows, 0.95, title, truth=truth, judged=judged, width=WIDTH)
    figure.why = WHY
    return figure.svg()
