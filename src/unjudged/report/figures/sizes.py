"""Figures at a width in millimetres with text of a size in points, and in notebooks without a network.

One unit of a figure is a point. The area of the marks takes what axes, titles and legends leave of the width,
which is found by drawing the figure: twice for most of them.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from functools import cache
from math import isfinite
from textwrap import wrap
from typing import Any, NamedTuple

from unjudged.base.errors import InputError, UsageError, reason_of

MM = 72 / 25.4
"""Points of a millimetre."""
FONT = 8.0
DOTS = 300
"""Dots per inch of a PNG with a given width."""
LEAST, PANEL, TALLEST = 60.0, 140.0, 560.0
"""Points: the narrowest area of marks, that of several with their axes, and the highest figure of a page."""
ROUNDS = 8
ROWS = 3
"""Rows of panels on a page: if there are more, twice as many panels stand side by side."""
LETTER = 0.56
"""Width of a letter, in sizes of type."""


class Size(NamedTuple):
    """Width in millimetres and size of text in points; None for those of the figure as it is."""

    width: float | None = None
    font: float | None = None

    def check(self) -> None:
        """Refuse what no figure can have."""
        for name, value, least, most in (("width", self.width, 30, 2000), ("font", self.font, 3, 72)):
            if value is not None and not (isfinite(value) and least <= value <= most):
                unit = "mm" if name == "width" else "pt"
                raise UsageError(f"the {name} of a figure is {value:g} {unit}, expected {least} to {most}")


AS_DRAWN = Size()


class _JsonInHtml(json.JSONEncoder):
    """JSON that is safe inside a script element: no name in it can close the element."""

    def encode(self, o: Any) -> str:
        return super().encode(o).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


_OPTIONS: dict[str, dict[str, Any]] = {
    "html": {"inline": True, "json_kwds": {"cls": _JsonInHtml}},
    "png": {"scale_factor": 2},
}


def as_file(figure: Any, kind: str, size: Size = AS_DRAWN) -> str | bytes:
    """A figure as the content of a file, at a size."""
    size.check()
    if size == AS_DRAWN:
        return _converted(figure, kind)
    spec, drawn = _fitted(figure.to_dict(), size)
    if kind == "html":
        return _converted(type(figure).from_dict(spec, validate=False), kind)
    if kind == "svg":
        return re.sub(r' (width|height)="([\d.]+)"', r' \1="\2pt"', drawn, count=2)
    import vl_convert

    made: bytes = (
        vl_convert.vegalite_to_pdf(spec)
        if kind == "pdf"
        else vl_convert.vegalite_to_png(spec, scale=DOTS / 72, ppi=72)
    )
    return made


def _converted(figure: Any, kind: str) -> str | bytes:
    target = io.StringIO() if kind in ("svg", "html") else io.BytesIO()
    try:
        figure.save(target, format=kind, **_OPTIONS.get(kind, {}))
    except BaseException as error:
        if not isinstance(error, ValueError) and type(error).__name__ != "PanicException":  # the converter's
            raise
        raise InputError(f"the figure cannot be drawn: {reason_of(error)}") from None
    return target.getvalue()


def _fitted(spec: dict[str, Any], size: Size) -> tuple[dict[str, Any], str]:
    """Return the specification with text of the size, as wide as asked, and the SVG that it draws."""
    import vl_convert

    font = FONT if size.font is None else size.font
    if size.width is not None:
        _stack(spec, int(size.width * MM / PANEL) or 1)
    rows = list(_rows(spec))
    own = [[_sides(view) for view in row] for row in rows]
    widest = 1.25 * max(sum(width + 60 for width, _ in row) for row in own)
    widest = widest if size.width is None else size.width * MM
    _write(spec, font, widest, widest / max(map(len, rows)))
    config = spec.setdefault("config", {})
    config |= {"padding": 2, "aria": False}
    config.setdefault("axis", {}).update(labelFontSize=font, titleFontSize=font, labelLimit=0.4 * widest)
    config.setdefault("legend", {}).update(labelFontSize=font, titleFontSize=font)
    config.setdefault("title", {}).update(
        fontSize=1.1 * font, subtitleFontSize=font, anchor="start", frame="bounds", offset=6
    )
    config.setdefault("text", {}).update(fontSize=font)
    fullest = max(range(len(rows)), key=lambda k: sum(width for width, _ in own[k]))
    whole, panels = sum(width for width, _ in own[fullest]), len(rows[fullest])
    room, svg = widest - 60.0 * panels, ""
    for _ in range(ROUNDS if size.width is not None else 1):
        for row, sides in zip(rows, own, strict=True):
            _set_sizes(spec, row, sides, max(room, LEAST * panels) / whole, font=font, stacked=len(rows))
        svg = vl_convert.vegalite_to_svg(spec)
        drawn = _width_of(svg)
        if size.width is None or abs(drawn - widest) < 0.5:
            break
        room -= drawn - widest
        if room / panels < LEAST / 2:
            shown = f"{size.width:g} mm with text of {font:g} pt"
            raise UsageError(f"the figure has no room for its marks at {shown}: choose more, or smaller text")
    return spec, svg


def _stack(spec: dict[str, Any], most: int) -> None:
    """Put no more areas side by side than have room."""
    for part in spec.get("vconcat", []):
        _stack(part, most)
    if len(spec.get("hconcat", [])) > most:
        spec["vconcat"] = spec.pop("hconcat")
    if "concat" in spec:
        several = most if len(spec["concat"]) <= ROWS * most else 2 * most
        spec["columns"] = min(spec.get("columns", len(spec["concat"])), several)


def _rows(spec: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """Yield the areas of marks that stand side by side, row by row."""
    if "vconcat" in spec:
        for part in spec["vconcat"]:
            yield from _rows(part)
    elif "hconcat" in spec:
        yield [view for part in spec["hconcat"] for row in _rows(part) for view in row]
    elif "concat" in spec:
        parts, columns = spec["concat"], spec.get("columns", len(spec["concat"]))
        for start in range(0, len(parts), columns):
            yield parts[start : start + columns]
    else:
        yield [spec]


def _set_sizes(
    spec: dict[str, Any],
    row: list[dict[str, Any]],
    sides: list[tuple[float, float]],
    scale: float,
    *,
    font: float,
    stacked: int,
) -> None:
    """Scale the widths of the areas of a row; bands are as high as text, other heights in proportion.

    Rows that are stacked share the height of a page.
    """
    highest, least = TALLEST, font
    if stacked > 1:  # axes and titles are between them
        highest, least = 0.85 * TALLEST / stacked, 0.72 * font
    for view, (width, height) in zip(row, sides, strict=True):
        view["width"] = scale * width
        across, up = _bands(spec, view, "x"), _bands(spec, view, "y")
        if across and across == up:
            view["height"] = view["width"]
        elif up:
            view["height"] = up * min(2.1 * font, max(highest / up, least))
        else:
            most = min(height, max(highest, 14 * font))
            view["height"] = min(max(height * view["width"] / width, 12 * font), most)
        for axis, bands, side in (("x", across, "width"), ("y", up, "height")):
            if bands:
                _name_bands(view, axis, min(font, max(0.95 * view[side] / bands, 0.7 * font)))


def _name_bands(view: dict[str, Any], axis: str, font: float) -> None:
    """Make names of bands as small as the bands need; those that would still touch are left out."""
    for one in [view, *view.get("layer", [])]:
        channel = one.get("encoding", {}).get(axis, {})
        if "field" in channel and channel.get("axis", {}) is not None:
            channel["axis"] = {**channel.get("axis", {}), "labelFontSize": font, "labelOverlap": True}
        if axis == "y" and one.get("mark", {}).get("type") == "text":
            one["mark"]["fontSize"] = font


def _bands(spec: dict[str, Any], view: dict[str, Any], axis: str) -> int:
    """Return how many names an axis has; 0 for an axis of numbers."""
    for one in [view, *view.get("layer", [])]:
        channel = one.get("encoding", {}).get(axis, {})
        if channel.get("type") in ("nominal", "ordinal"):
            data = one.get("data") or view.get("data") or spec.get("data") or {}
            values = data.get("values") or spec.get("datasets", {}).get(data.get("name"), [])
            return len({str(row.get(channel["field"])) for row in values})
    return 0


def _write(part: Any, font: float, width: float, panel: float) -> None:
    """Set every size of text, break long titles into lines, and put legends below."""
    if isinstance(part, list):
        for one in part:
            _write(one, font, width, panel)
    if not isinstance(part, dict):
        return
    for key, value in part.items():
        if key.lower().endswith("fontsize"):
            part[key] = font
        elif key == "legend" and isinstance(value, dict) and value:
            names = part.get("scale", {}).get("domain", [])
            longest = max(map(len, map(str, names)), default=12)
            columns = max(1, min(len(names) or 4, int(width / (LETTER * font * longest + 4.5 * font))))
            area = (30 if "symbolType" in value else 9) * font
            part[key] = {**value, "orient": "bottom", "columns": columns, "symbolSize": area}
            _write(part[key], font, width, panel)
        elif key in ("title", "subtitle", "text") and isinstance(value, str | list) and value:
            lines = [value] if isinstance(value, str) else value
            letters = max(12, int(panel / ((0.5 if key == "subtitle" else 1.05 * LETTER) * font)))
            if all(isinstance(line, str) for line in lines) and "field" not in part.get("text", {}):
                part[key] = [broken for line in lines for broken in wrap(line, letters) or [""]]
        elif key not in ("data", "datasets"):
            _write(value, font, width, panel)


def _sides(view: dict[str, Any]) -> tuple[float, float]:
    """Return the sides of an area in its own units; those that depend on names count as usual ones."""
    sides = view.get("width"), view.get("height")
    width, height = (float(side) if isinstance(side, int | float) else None for side in sides)
    return width or 300.0, height or 280.0


def _width_of(svg: str) -> float:
    found = re.search(r'<svg[^>]* width="([\d.]+)"', svg)
    if found is None:
        raise InputError("the figure cannot be drawn: its width is not known")
    return float(found[1])


def shown_offline(figure: Any) -> Any:
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
        return {"image/svg+xml": as_file(self, "svg"), "text/plain": f"<{chart.__name__}>"}

    return type(chart.__name__, (chart,), {"_repr_mimebundle_": _repr_mimebundle_, "__module__": __name__})
