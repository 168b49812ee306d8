"""Names at the ends of lines, moved apart so that they do not overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log10
from typing import Any

from unjudged.report.figures.charts import FONT, altair_module

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
