"""Figures as Altair charts, saved as SVG, PNG, PDF or an interactive page without a browser."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from math import log10
from pathlib import Path
from typing import Any

from unjudged.base.errors import InputError, UsageError, missing_package, reason_of
from unjudged.base.wording import plain
from unjudged.formats.writing import write_whole
from unjudged.grids.escapes import Labels, shortened
from unjudged.report.descriptions import BLUE, CALIBRATED, GREEN, INK, ORANGE, PINK, Description

# The colours of Okabe and Ito, which colour-blind readers can tell apart and which also differ in grey.
COLOURS = [INK, ORANGE, BLUE, GREEN, PINK, CALIBRATED, "#56B4E9"]
FONT = 12
LONGEST_TITLE = 200
KINDS = ("svg", "png", "pdf", "html")


class _JsonInHtml(json.JSONEncoder):
    """JSON that is safe inside a script element: no name in it can close the element."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


_OPTIONS: dict[str, dict[str, Any]] = {
    "html": {"inline": True, "json_kwds": {"cls": _JsonInHtml}},
    "png": {"scale_factor": 2},
}


def altair_module() -> Any:
    """Altair, or an error that says how to install it."""
    try:
        import altair
    except ModuleNotFoundError:
        raise missing_package("altair", "a figure") from None
    return altair


def check_figures() -> None:
    """Raise an error if figures cannot be drawn or saved."""
    altair_module()
    if find_spec("vl_convert") is None:
        raise missing_package("vl-convert-python", "a figure")


def check_plot(path: Path | None) -> None:
    """Raise an error if no figure can be written to this file; None stands for no figure."""
    if path is not None:
        if path.suffix.removeprefix(".") not in KINDS:
            raise UsageError(f"{path}: a figure needs a name that ends in .svg, .png, .pdf or .html")
        check_figures()


def check_kind(kind: str) -> None:
    """Refuse a kind of figure that is not known."""
    if kind not in KINDS:
        raise UsageError(f"unknown kind of figure {kind!r}: use one of {', '.join(KINDS)}")


def picture(figure: Any, kind: str) -> str | bytes:
    """A figure as the content of a file: svg, png, pdf, or html that needs no network."""
    check_kind(kind)
    check_figures()
    target = io.StringIO() if kind in ("svg", "html") else io.BytesIO()
    try:
        figure.save(target, format=kind, **_OPTIONS.get(kind, {}))
    except BaseException as error:
        if not isinstance(error, ValueError) and type(error).__name__ != "PanicException":  # the converter's
            raise
        raise InputError(f"the figure cannot be drawn: {reason_of(error)}") from None
    return target.getvalue()


def save(figure: Any, path: str | os.PathLike[str]) -> None:
    """Write a figure to a file, whole or not at all; the suffix of its name is the kind.

    >>> save("a figure", "figure.bmp")
    Traceback (most recent call last):
        ...
    unjudged.base.errors.UsageError: unknown kind of figure 'bmp': use one of svg, png, pdf, html
    """
    place = Path(path)
    write_whole(place, picture(figure, place.suffix.removeprefix(".")))


def drawn(description: Description, **rows: list[dict[str, Any]]) -> Any:
    """Return the Altair chart of a description, with rows by the name that the description gives them."""
    alt, labels = altair_module(), Labels()
    _relabel(description, labels)
    chart = (alt.LayerChart if "layer" in description else alt.Chart).from_dict(description, validate=False)
    for part in (chart, *(chart.layer if "layer" in description else ())):
        if part.data is not alt.Undefined:
            part.data = alt.Data(values=rows[part.data["name"]])
            _relabel(part.data, labels)
    return _sized(chart)


def finished(figure: Any) -> Any:
    """Return the figure with text of one size, and with names that are plain, short and different."""
    _relabel(figure, Labels())
    return _sized(figure)


def _sized(figure: Any) -> Any:
    return figure.configure_axis(labelFontSize=FONT, titleFontSize=FONT).configure_legend(
        labelFontSize=FONT, titleFontSize=FONT
    )


def _relabel(part: Any, labels: Labels) -> None:
    """Replace names in the data, orders and domains of a chart by their labels, and escape its titles."""
    kwds = part if isinstance(part, dict) else getattr(part, "_kwds", {})
    for key, value in kwds.items():
        if key == "values" and value and isinstance(value, list) and isinstance(value[0], dict):
            kwds[key] = [{k: _labelled(v, labels) for k, v in row.items()} for row in value]
        elif key in ("sort", "domain") and isinstance(value, list | tuple):
            kwds[key] = [_labelled(one, labels) for one in value]
        elif key in ("title", "text", "subtitle") and isinstance(value, str):
            kwds[key] = shortened(plain(value), LONGEST_TITLE)
        else:
            for inner in value if isinstance(value, list) else [value]:
                _relabel(inner, labels)


def _labelled(value: Any, labels: Labels) -> Any:
    return labels[value] if isinstance(value, str) else value


LINE = FONT + 2
"""Height of a name in pixels."""

LONGEST = 40


def label_places(
    ends: Mapping[str, float], domain: tuple[float, float], height: float, *, log: bool = False
) -> dict[str, float]:
    """Return the place of each name in pixels from the top, as near to its line as the others allow.

    >>> label_places({"a": 0.5, "b": 0.5, "c": 0.0}, (0.0, 1.0), 100)
    {'a': 43.0, 'b': 57.0, 'c': 100.0}
    """
    low, high = (log10(end) if log else end for end in domain)
    span = (high - low) or 1.0
    wanted = {name: height * (1 - ((log10(y) if log else y) - low) / span) for name, y in ends.items()}
    blocks: list[tuple[list[str], float]] = []
    """Names that touch, from the top, and the middle of them."""
    for name in sorted(ends, key=lambda name: -ends[name]):
        names = [name]
        middle = _inside(wanted[name], 1, height)
        while blocks and blocks[-1][1] + LINE * (len(blocks[-1][0]) + len(names)) / 2 > middle:
            names = blocks.pop()[0] + names
            middle = _inside(sum(wanted[one] for one in names) / len(names), len(names), height)
        blocks.append((names, middle))
    places = {}
    for names, middle in blocks:
        for i, name in enumerate(names):
            places[name] = round(middle + LINE * (i - (len(names) - 1) / 2), 2)
    return {name: places[name] for name in ends}


def _inside(middle: float, names: int, height: float) -> float:
    """Return the middle of a number of names, moved so that they are beside the chart if they fit."""
    half = LINE * (names - 1) / 2
    return min(max(middle, half), max(height - half, half))


def end_labels(
    rows: Sequence[Mapping[str, Any]],
    fields: tuple[str, str, str],
    domain: tuple[float, float],
    size: tuple[float, float],
    colour: Any,
    *,
    log: bool = False,
) -> Any:
    """Return a layer with each line's name beside its last point; `fields` are those of name, x and y."""
    alt, (name, x, y) = altair_module(), fields
    last: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if row[name] not in last or row[x] >= last[row[name]][x]:
            last[row[name]] = row
    places = label_places({one: float(row[y]) for one, row in last.items()}, domain, size[1], log=log)
    shown = [{"name": one, "at": place} for one, place in places.items()]
    text = alt.Chart(alt.Data(values=shown)).mark_text(
        align="left", baseline="middle", dx=6, fontSize=FONT, limit=8 * LONGEST
    )
    right = alt.value(size[0])
    return text.encode(x=right, y=alt.Y("at:Q", scale=None, axis=None), text="name:N", color=colour)
