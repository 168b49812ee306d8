"""Charts of scores and comparisons, described once for figures and for the page, without their rows.

A description is a dict of a small part of Vega-Lite. `figures/charts.py` makes an Altair chart of it, and
`page/files/plots.js` draws it with the numbers that a reader of the page chooses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unjudged.base.wording import percent
from unjudged.inference.verdict import BETTER, FEW_QUERIES, NEEDS_BOTH, NEEDS_JUDGING, NEEDS_QUERIES

Description = dict[str, Any]

INK, BLUE, ORANGE, GREEN, PINK, GREY = "#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8a939d"
BOUNDS, CALIBRATED, QUERIES, BAND, QUIET = "#5b2a86", "#E69F00", "#8a3b00", "#c9d0d8", "#535c66"
IN_THE_DARK = {
    INK: "#e8ebef",
    BLUE: "#56b4e9",
    ORANGE: "#f5a04c",
    GREEN: "#35cfa0",
    PINK: "#e29cc4",
    GREY: "#7d8894",
    BOUNDS: "#c9a6ff",
    CALIBRATED: "#e6b84c",
    QUERIES: "#f09c66",
    BAND: "#3c4650",
    QUIET: "#a9b3be",
}
"""Every colour of a description, and what a page shows instead of it on a dark background."""

ROW, CELL, BAR = 26, 22, 16
"""Pixels for a run, a pair and a query."""

MARKS: dict[str, tuple[str, str, float]] = {
    BETTER: ("square", BLUE, 0.73),
    NEEDS_JUDGING: ("triangle-up", ORANGE, 0.64),
    NEEDS_QUERIES: ("circle", GREEN, 0.41),
    NEEDS_BOTH: ("cross", GREY, 0.5),
    FEW_QUERIES: ("diamond", PINK, 0.4),
}
"""Shape, colour and share of a cell's side by headline: shapes differ as well as colours."""


def intervals_chart(measure: str, words: Mapping[str, str]) -> Description:
    """Describe means of runs as ticks, with intervals by kind, each in its own shape and explained in words.

    A row has `run`, `mean`, and for each kind its ends, such as `bounds_low` and `bounds_high`.
    """
    title = f"mean {measure}"
    layers = [_interval(kind, said, title) for kind, said in words.items()]
    mean = {
        "description": "mean",
        "mark": {"type": "rule", "color": INK, "strokeWidth": 2},
        "encoding": {
            "x": {**_number("mean", title), "scale": {"zero": False}},
            "y": _within("run", 0.12),
            "y2": {"field": "run", "bandPosition": 0.88},
            "tooltip": _tip("run", mean=".4f"),
        },
    }
    return {
        "title": {"text": f"Mean {measure} with intervals", "subtitle": list(words.values())},
        "data": {"name": "rows"},
        "height": {"step": ROW},
        "layer": [*layers, mean],
    }


def _interval(kind: str, words: str, title: str) -> Description:
    low, high, middle = f"{kind}_low", f"{kind}_high", 0.5
    if kind == "bounds":
        mark = {"type": "bar", "filled": False, "color": BOUNDS, "strokeWidth": 1.5, "height": {"band": 0.4}}
    elif kind in ("queries", "both"):
        mark, middle = {"type": "rule", "color": QUERIES, "strokeDash": [4, 3], "strokeWidth": 1.5}, 0.84
    else:
        mark = {"type": "bar", "color": CALIBRATED, "height": {"band": 0.2}}
    return {
        "description": words,
        "mark": mark,
        "encoding": {
            "x": {**_number(low, title), "scale": {"zero": False}},
            "x2": {"field": high},
            "y": _within("run", middle),
            "tooltip": _tip("run", **{low: ".4f", high: ".4f"}),
        },
    }


def interval_words(kind: str, confidence: float, judged: str = "these judgments") -> str:
    """Say what an interval looks like and covers; `judged` says with which judgments other queries are."""
    level = percent(confidence)
    if kind == "bounds":
        return "hollow box: what judging could make of it"
    if kind == "queries":
        return f"dashed line: other queries{', ' if judged else ''}{judged} ({level})"
    if kind == "both":
        return f"dashed line: other queries, completely judged ({level})"
    if kind == "sampling":
        return f"solid bar: another sample of the pool, these queries ({level})"
    like = ", if the run is like the pooled ones" if kind == "calibrated" else ""
    return f"solid bar: {kind} interval on these queries{like} ({level})"


def matrix_chart(measure: str) -> Description:
    """Describe the headline of every pair as a symbol: row against column. The page alone draws it.

    A row has `row`, `column`, `difference`, `low`, `high`, `p` and `headline`.
    """

    def scale(part: int) -> dict[str, list[Any]]:
        return {"domain": list(MARKS), "range": [mark[part] for mark in MARKS.values()]}

    headline = {"field": "headline", "type": "nominal", "sort": list(MARKS)}
    legend = {"title": None, "orient": "bottom", "labelLimit": 0}
    numbers = {"difference": "+.4f", "low": "+.4f", "high": "+.4f", "p": ".4f"}
    return {
        "title": {"text": f"Pairs by {measure}", "subtitle": "systems by mean, best first"},
        "data": {"name": "rows"},
        "width": {"step": CELL},
        "height": {"step": CELL},
        "usermeta": {"shares": {headline: mark[2] for headline, mark in MARKS.items()}},
        "mark": {"type": "point", "filled": True, "opacity": 1},
        "encoding": {
            "x": {**_band("column", []), "axis": {"orient": "top", "labelAngle": -90}},
            "y": _band("row", []),
            "shape": {**headline, "scale": scale(0), "legend": legend},
            "color": {**headline, "scale": scale(1), "legend": legend},
            "tooltip": [*_tip("row"), *_tip("column"), *_tip("headline", **numbers)],
        },
    }


def differences_chart(
    measure: str, a: str, b: str, *, bounded: bool = False, interval: bool = False
) -> Description:
    """Describe the differences of two systems as bars, with a line for their mean and a box for its bounds.

    A row has `query`, `difference` and `better`, one of the two systems. The row of `mean` has `mean` and
    perhaps `low` and `high`, its bounds, and `query_low` and `query_high`, its interval for other queries.
    """
    colours = {"domain": [a, b], "range": [BLUE, ORANGE]}
    title = f"difference of {measure}"
    bars = {
        "data": {"name": "rows"},
        "mark": {"type": "bar"},
        "encoding": {
            "x": {
                **_band("query"),
                "title": "query, largest difference first",
                "axis": {"labelOverlap": True},
            },
            "y": _number("difference", title),
            "color": {"field": "better", "type": "nominal", "scale": colours, "legend": None},
            "tooltip": _tip("query", difference="+.4f"),
        },
    }
    mean: list[Description] = [
        {
            "data": {"name": "mean"},
            "mark": {"type": "rule", "color": INK, "strokeWidth": 2},
            "encoding": {"y": _number("mean", title)},
        }
    ]
    box = {
        "data": {"name": "mean"},
        "mark": {"type": "rect", "filled": False, "color": BOUNDS, "strokeWidth": 1.5},
        "encoding": {"y": _number("low", title), "y2": {"field": "high"}},
    }
    band = {
        "data": {"name": "mean"},
        "mark": {"type": "rect", "color": QUERIES, "opacity": 0.3},
        "encoding": {"y": _number("query_low", title), "y2": {"field": "query_high"}},
    }
    return {
        "title": {"text": f"Differences in {measure} by query, {a} minus {b}"},
        "width": {"step": BAR},
        "height": 240,
        "layer": [bars, *([band] if interval else []), *([box] if bounded else []), *mean],
    }


def judged_chart(systems: Sequence[str]) -> Description:
    """Describe the judged share at each rank: its range over all systems, its mean, and some systems.

    A row has `rank`, `low`, `high`, `mean` and a share for each of the systems.
    """

    def layer(field: str, words: str, mark: dict[str, Any]) -> Description:
        return {"description": words, "mark": mark, "encoding": {"x": x, "y": {**share, "field": field}}}

    x = {**_number("rank", "rank"), "scale": {"zero": False, "nice": False}}
    share = {**_number("mean", "judged documents (%)"), "scale": {"domain": [0, 100]}}
    band = layer("low", "", {"type": "area", "color": BAND})
    band["encoding"]["y2"] = {"field": "high"}
    looks: tuple[dict[str, Any], ...] = ({"color": BLUE}, {"color": ORANGE, "strokeDash": [6, 3]})
    lines = [
        layer(name, name, {"type": "line", "strokeWidth": 2.5, **look})
        for name, look in zip(systems, looks, strict=False)
    ]
    said = "mean of all systems; the band runs from the lowest to the highest"
    mean = layer("mean", said, {"type": "line", "color": QUIET, "strokeWidth": 2})
    return {
        "title": {"text": "Judged share of the documents at each rank"},
        "data": {"name": "rows"},
        "layer": [band, mean, *lines],
    }


def _number(field: str, title: str) -> dict[str, Any]:
    return {"field": field, "type": "quantitative", "title": title}


def _band(field: str, order: Sequence[str] | None = None) -> dict[str, Any]:
    """Names in this order, or else in that of the rows."""
    return {"field": field, "type": "nominal", "title": None, "sort": None if order is None else list(order)}


def _within(field: str, middle: float) -> dict[str, Any]:
    """Names in the order of the rows, with marks at a share of the height of each."""
    return {**_band(field), "scale": {"type": "band"}, "bandPosition": middle}


def _tip(name: str, **numbers: str) -> list[dict[str, Any]]:
    """A tooltip of a name, and of numbers with their formats."""
    fields = [{"field": field, "type": "quantitative", "format": shown} for field, shown in numbers.items()]
    return [{"field": name, "type": "nominal"}, *fields]
