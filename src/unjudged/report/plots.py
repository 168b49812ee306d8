"""Figures as altair charts: they save as SVG, PNG, PDF or an interactive page, without a browser."""

from __future__ import annotations

import io
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from unjudged.errors import UsageError, missing_package
from unjudged.measures.rank_biased import RBP
from unjudged.measures.user_models import NCP, stopping_weights
from unjudged.rankings.judged import JudgedRankings
from unjudged.report.text import write_whole

if TYPE_CHECKING:
    import altair

# Okabe and Ito's colours, which the colour-blind can tell apart and which differ in grey too.
COLOURS = ["#000000", "#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9"]
FONT = 12
KINDS = ("svg", "png", "pdf", "html")

_OPTIONS: dict[str, dict[str, Any]] = {"html": {"inline": True}, "png": {"scale_factor": 2}}

USER_MODELS: dict[str, dict[str, Any]] = {
    "uniform (AP)": {},
    "first (RR)": {"stop": "first"},
    "geometric, decay 0.5": {"stop": "geometric", "decay": 0.5},
    "power, exponent 1": {"stop": "power", "exponent": 1.0},
}


def altair_module() -> Any:
    """altair, or an error that says how to get it."""
    try:
        import altair
    except ModuleNotFoundError:
        raise missing_package("altair", "a figure") from None
    return altair


def check_figures() -> None:
    """Refuse before any work is done where figures could not be drawn or saved."""
    altair_module()
    if find_spec("vl_convert") is None:
        raise missing_package("vl-convert-python", "a figure")


def picture(figure: Any, kind: str) -> str | bytes:
    """A figure as the content of a file: svg, png, pdf, or html that needs no network."""
    if kind not in KINDS:
        raise UsageError(f"the kind of a figure is {kind!r}, expected one of {', '.join(KINDS)}")
    check_figures()
    target = io.StringIO() if kind in ("svg", "html") else io.BytesIO()
    figure.save(target, format=kind, **_OPTIONS.get(kind, {}))
    return target.getvalue()


def save(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file of the kind that its name says, whole or not at all.

    >>> save("a figure", "figure.bmp")
    Traceback (most recent call last):
        ...
    unjudged.errors.UsageError: the kind of a figure is 'bmp', expected one of svg, png, pdf, html
    """
    place = Path(path)
    write_whole(place, picture(figure, place.suffix.removeprefix(".")))


def sized(figure: Any) -> Any:
    """Text of one size everywhere."""
    return figure.configure_axis(labelFontSize=FONT, titleFontSize=FONT).configure_legend(
        labelFontSize=FONT, titleFontSize=FONT
    )


def user_model_values(ranking: JudgedRankings, p: float = 0.8) -> dict[str, float]:
    """What each user model says of one ranking; RBP, whose user stops by chance at each rank, beside them."""
    values = {name: float(NCP(**model).compute(ranking)[0]) for name, model in USER_MODELS.items()}
    return {**values, f"RBP(p={p})": float(RBP(p=p).compute(ranking)[0])}


def user_models(ranking: JudgedRankings, p: float = 0.8) -> altair.HConcatChart:
    """How many relevant documents users want under each model, and what that says of one ranking."""
    chart = altair_module()
    relevant = int(ranking.known(1)[0])
    rows = []
    for name, model in USER_MODELS.items():
        weights = stopping_weights(model.get("stop", "uniform"), relevant)
        shares = weights / weights.sum()
        rows += [{"model": name, "wanted": i, "share": share} for i, share in enumerate(shares.tolist(), 1)]
    values = [{"model": name, "value": value} for name, value in user_model_values(ranking, p).items()]
    names = [value["model"] for value in values]
    colour = chart.Color("model:N", legend=None, scale=chart.Scale(domain=names, range=COLOURS[: len(names)]))
    wanted = chart.X("wanted:O", title="relevant documents a user wants", axis=chart.Axis(labelAngle=0))
    share = chart.Y("share:Q", title="share of users")
    left = (
        chart.Chart(chart.Data(values=rows))
        .mark_line(point=chart.OverlayMarkDef(size=50))
        .encode(wanted, share, colour, chart.Shape("model:N", legend=None, scale=chart.Scale(domain=names)))
        .properties(width=300, height=230)
    )
    highest = np.ceil(10 * max(user_model_values(ranking, p).values())) / 10
    bars = chart.Chart(chart.Data(values=values)).encode(
        chart.X("value:Q", title="value for the ranking", scale=chart.Scale(domain=[0, highest])),
        chart.Y("model:N", title=None, sort=names),
    )
    labels = bars.mark_text(align="left", dx=4).encode(chart.Text("value:Q", format=".3f"))
    right = (bars.mark_bar(height=14).encode(colour) + labels).properties(width=260, height=230)
    figure: altair.HConcatChart = sized(left | right)
    return figure
