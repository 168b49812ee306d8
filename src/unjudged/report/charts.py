"""Figures as Altair charts, saved as SVG, PNG, PDF or an interactive page without a browser."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from textwrap import wrap
from typing import Any

from unjudged.base.errors import InputError, UsageError, missing_package, reason_of
from unjudged.base.wording import plain
from unjudged.formats.writing import write_whole
from unjudged.report.descriptions import BLUE, CALIBRATED, GREEN, INK, ORANGE, PINK, Description
from unjudged.results.escapes import Labels, shortened

# The colours of Okabe and Ito, which colour-blind readers can tell apart and which also differ in grey.
COLOURS = [INK, ORANGE, BLUE, GREEN, PINK, CALIBRATED, "#56B4E9"]
FONT, WIDTH = 12, 280
"""Size of text and width of the marks: with names and axes about 400, so that text has 7 points at 85 mm."""
LONGEST_TITLE, LINE = 200, 58
KINDS = ("svg", "png", "pdf", "html")


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


def check_plot(path: Path) -> None:
    """Raise an error if no figure can be written to this file."""
    if path.suffix.removeprefix(".") not in KINDS:
        raise UsageError(f"{path}: a figure needs a name that ends in .svg, .png, .pdf or .html")
    check_figures()


class _JsonInHtml(json.JSONEncoder):
    """JSON that is safe inside a script element: no name in it can close the element."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


_OPTIONS: dict[str, dict[str, Any]] = {
    "html": {"inline": True, "json_kwds": {"cls": _JsonInHtml}},
    "png": {"scale_factor": 4},
}


def picture(figure: Any, kind: str) -> str | bytes:
    """A figure as the content of a file: svg, png, pdf, or html that needs no network."""
    if kind not in KINDS:
        raise UsageError(f"unknown kind of figure {kind!r}: use one of {', '.join(KINDS)}")
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
    description["title"] |= {"anchor": "start", "frame": "bounds"}
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


def _shown_offline(figure: Any) -> Any:
    """Return a figure that shows itself in a notebook as a picture, unless a renderer was chosen."""
    kind: Any = type(figure)
    object.__setattr__(figure, "__class__", _offline(kind))  # a chart keeps attributes elsewhere
    return figure


@cache
def _offline(chart: Any) -> Any:
    """Return the same kind of chart, but one that needs no network to show itself."""

    def _repr_mimebundle_(self: Any, *given: Any, **options: Any) -> Any:
        import altair

        if altair.renderers.active != "default":
            return chart._repr_mimebundle_(self, *given, **options)
        return {"image/svg+xml": picture(self, "svg"), "text/plain": f"<{chart.__name__}>"}

    return type(chart.__name__, (chart,), {"_repr_mimebundle_": _repr_mimebundle_, "__module__": __name__})


TEXTS = {"x": "axis", "y": "axis", "color": "legend", "shape": "legend", "strokeDash": "legend"}
"""Channels that show text, and the part that does."""


def _sized(figure: Any) -> Any:
    """Set the size of text in every axis and legend: a figure with settings for all could not be joined."""
    _set_fonts(figure)
    return _shown_offline(figure)


def _set_fonts(part: Any) -> None:
    kwds = part if isinstance(part, dict) else getattr(part, "_kwds", {})
    for key, value in list(kwds.items()):
        channel = value if isinstance(value, dict) else getattr(value, "_kwds", None)
        if key in TEXTS and channel is not None and {"field", "shorthand"} & channel.keys():
            guide = channel.get(TEXTS[key])
            if guide is not None:
                given = guide if isinstance(guide, dict) else getattr(guide, "_kwds", {})
                known = {name: one for name, one in given.items() if repr(one) != "Undefined"}
                channel[TEXTS[key]] = {"labelFontSize": FONT, "titleFontSize": FONT, **known}
            elif TEXTS[key] not in channel:
                channel[TEXTS[key]] = {"labelFontSize": FONT, "titleFontSize": FONT}
        else:
            for inner in value if isinstance(value, list) else [value]:
                _set_fonts(inner)


def _relabel(part: Any, labels: Labels) -> None:
    """Replace names in the data, orders and domains of a chart by their labels, and escape its titles."""
    kwds = part if isinstance(part, dict) else getattr(part, "_kwds", {})
    for key, value in kwds.items():
        if key == "values" and value and isinstance(value, list) and isinstance(value[0], dict):
            kwds[key] = [{k: _labelled(v, labels) for k, v in row.items()} for row in value]
        elif key in ("sort", "domain") and isinstance(value, list | tuple):
            kwds[key] = [_labelled(one, labels) for one in value]
        elif key in ("title", "text", "subtitle") and isinstance(value, str | list):
            kwds[key] = _in_lines(value)
        else:
            for inner in value if isinstance(value, list) else [value]:
                _relabel(inner, labels)


def _in_lines(title: str | list[Any]) -> Any:
    """Break a title into lines."""
    lines = [title] if isinstance(title, str) else title
    if not all(isinstance(line, str) for line in lines):
        return title
    broken = [part for line in lines for part in wrap(shortened(plain(line), LONGEST_TITLE), LINE)]
    return broken if len(broken) > 1 else "".join(broken)


def _labelled(value: Any, labels: Labels) -> Any:
    return labels[value] if isinstance(value, str) else value


DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [1, 4], [12, 4], [4, 1], [8, 2, 2, 2, 2, 2], [3, 5])


def line_looks(field: str, names: Sequence[str]) -> tuple[Any, Any]:
    """Return channels of colour and of dashes that tell up to 63 lines apart, with one legend for both.

    `names` are those in the field, in the order of the legend.
    """
    alt, colours = altair_module(), len(COLOURS)
    longest = max((len(shortened(plain(name))) for name in names), default=1)
    legend = alt.Legend(
        title=None,
        orient="bottom",
        symbolType="stroke",
        symbolSize=600,
        symbolOpacity=1,
        symbolStrokeWidth=2,
        symbolLimit=0,
        columns=max(1, min(len(names), LINE // (longest + 6))),
        labelLimit=0,
    )
    looks = {
        "Color": [COLOURS[i % colours] for i in range(len(names))],
        "StrokeDash": [DASHES[(i // colours + i) % len(DASHES)] for i in range(len(names))],
    }
    return tuple(
        getattr(alt, channel)(
            f"{field}:N", scale=alt.Scale(domain=list(names), range=looks[channel]), sort=None, legend=legend
        )
        for channel in looks
    )


def highest_first(rows: Sequence[Mapping[str, Any]], name: str, value: str) -> list[str]:
    """Return the names of lines, that with the highest mean of its points first."""
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row[name], []).append(row[value])
    return sorted(values, key=lambda one: -sum(values[one]) / len(values[one]))
