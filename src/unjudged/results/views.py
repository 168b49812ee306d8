"""Views: which fields a table has, for people and for programs; a column that no row has is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unjudged.grids.grid import DECIMALS, Cell, Grid
from unjudged.results.fields import FIELDS, Field, Row, known


@dataclass(frozen=True)
class View:
    """`shown` are for people, `written` for programs; the best value of each field of `best` stands out."""

    shown: Sequence[str | Field]
    written: Sequence[str]
    best: Sequence[str] = ()


_OUTCOMES = ("wins", "ties", "losses", "effect", "effect_low", "effect_high")
_ENDS = ("low", "high", "estimate_low", "estimate_high", "query_low", "query_high")
_ANSWERS = ("headline", "better", "other_queries", "more_judging", "in_other_orders", "flip", "loss", "seen")
VIEWS: dict[str, View] = {
    "systems": View(
        [
            *("measure", "letter", "system", "collection", "mean", "could be", "estimated"),
            *("other queries would give", "place", "better_than"),
        ],
        [
            *("collection", "measure", "system", "mean", *_ENDS, "place_low", "place_high", "better_than"),
            *("versus", *_OUTCOMES, "queries"),
        ],
        best=("mean",),
    ),
    "pairs": View(
        [
            *("measure", "a", "b", "difference", "could be", "estimated", "flip", "seen", "p", "p_adjusted"),
            *("W/T/L", "effect", "headline"),
        ],
        [
            *("collection", "measure", "a", "b", "difference", "p", "p_adjusted", *_ENDS, *_ANSWERS),
            *("mean_a", "mean_b", *_OUTCOMES, "queries"),
        ],
    ),
    "segments": View(
        [
            *("measure", "a", "b", "segment", "queries", "mean_a", "mean_b", "difference"),
            *("other queries would give", "p", "p_adjusted", "detectable", "headline"),
        ],
        [
            *("measure", "a", "b", "segment", "queries", "mean_a", "mean_b", "difference", "p", "p_adjusted"),
            *(*_ENDS, *_ANSWERS, "detectable", "interaction_p", "interaction_p_adjusted"),
        ],
    ),
    "queries": View(
        [
            *("measure", "query", "value_a", "value_b", "difference", "could be", "document"),
            *("document_effect", "influence", "p_without"),
        ],
        [
            *("measure", "a", "b", "query", "value_a", "value_b", "difference", "low", "high", "document"),
            *("document_effect", "influence", "p_without"),
        ],
    ),
    "documents": View(
        ["measure", "query", "document", "document_effect", "favours"],
        ["measure", "a", "b", "query", "document", "document_effect", "favours"],
    ),
    "gate": View(
        [
            *("measure", "segment", "queries", "mean_b", "mean_a", "difference", "limit_low", "limit_high"),
            *("p_worse_adjusted", "outcome", "would_tell"),
        ],
        [
            *("measure", "segment", "a", "b", "queries", "margin", "mean_a", "mean_b", "difference"),
            *("judging", "limit_low", "limit_high", "p_not_worse", "p_worse", "p_worse_adjusted"),
            *("outcome", "open_to", "queries_needed", "identical", "constant", "lower_is_better"),
            *("p", *_ENDS, *_ANSWERS),
        ],
    ),
    "collections": View(
        [
            *("collection", "a", "b", "difference", "could be", "other queries would give", "p"),
            *("p_adjusted", "headline"),
        ],
        [
            *("collection", "measure", "a", "b", "difference", "p", "p_adjusted", *_ENDS, *_ANSWERS),
            *("mean_a", "mean_b", *_OUTCOMES, "queries"),
        ],
    ),
}
"""Every view by its name."""


def grid_of_view(
    rows: Sequence[Row],
    view: View | str,
    *,
    title: str = "",
    notes: Iterable[str] = (),
    decimals: int = DECIMALS,
    headings: Mapping[str, str] | None = None,
    written: Sequence[Row] | None = None,
) -> Grid:
    """Return rows as a table for people, which programs get in the view's other fields.

    `headings` are those of fields that have another name here, `written` the rows for programs if these are
    others.
    """
    chosen = VIEWS[view] if isinstance(view, str) else view
    named = headings or {}
    fields = [FIELDS[one] if isinstance(one, str) else one for one in chosen.shown]
    fields = [replace(one, heading=named[one.name]) if one.name in named else one for one in fields]
    cells = [[field.cell(row, decimals) for field in fields] for row in rows]
    kept = [k for k in range(len(fields)) if _told(fields[k].name, [line[k] for line in cells])]
    stressed = frozenset(_best(rows, chosen.best, [fields[k].name for k in kept]))
    listed = [*notes]
    return Grid(
        [fields[k].column(decimals) for k in kept],
        [[line[k] for k in kept] for line in cells],
        title,
        listed,
        stressed,
        lambda: records_of_view(rows if written is None else written, chosen, listed),
    )


def pivoted(rows: Sequence[Row], over: str) -> tuple[list[dict[str, Any]], View]:
    """Return rows of systems with their means in a column per collection, and the view that shows them.

    Other fields are those of the row whose collection is `over`.
    """
    made: dict[tuple[Any, Any], dict[str, Any]] = {}
    names = [name for name in dict.fromkeys(row["collection"] for row in rows) if name != over]
    for row in rows:
        own = made.setdefault((row["measure"], row["system"]), {})
        if row["collection"] == over:
            own |= row
        else:
            own[f"mean of {row['collection']}"] = row["mean"]
    means = [f"mean of {name}" for name in names]
    shown: list[str | Field] = ["letter", "system", *map(Field, means, names)]
    shown += ["mean", "other queries would give", "place", "better_than"]
    return list(made.values()), View(shown, VIEWS["systems"].written, best=[*means, "mean"])


def records_of_view(rows: Sequence[Row], view: View | str, notes: Sequence[str] = ()) -> Grid:
    """Return rows for programs: plain values, under the names of their fields."""
    from unjudged.grids.grid import grid_of

    chosen = VIEWS[view] if isinstance(view, str) else view
    fields = [FIELDS.get(name) or Field(name, name) for name in chosen.written]
    values = [(field.name, [_plain(field.value(row)) for row in rows]) for field in fields]
    told = [(name, column) for name, column in values if any(value is not None for value in column)]
    return grid_of([name for name, _ in told], zip(*(column for _, column in told), strict=True), notes)


def _plain(value: Any) -> Cell:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        value = " ".join(map(str, value))
    cell: Cell = known(value)
    return cell


NAMED_IF_SEVERAL = ("measure", "a", "b", "segment", "collection")
IF_SEVERAL_ROWS = ("segment", "collection")
"""Fields that a table leaves out if they are the same in every row."""


def _told(name: str, cells: Sequence[Cell]) -> bool:
    """Whether a column tells anything."""
    if all(cell is None or cell == "" for cell in cells):
        return False
    several = len(set(cells)) > 1 or (len(cells) == 1 and name not in IF_SEVERAL_ROWS)
    return several or name not in NAMED_IF_SEVERAL


def _best(rows: Sequence[Row], names: Sequence[str], shown: Sequence[str]) -> Iterable[tuple[int, int]]:
    """Yield the places of the best values by each measure."""
    for name in names:
        for measure in dict.fromkeys(row.get("measure") for row in rows):
            own = [(k, row) for k, row in enumerate(rows) if row.get("measure") == measure]
            if name in shown and len(own) > 1 and all(row.get("quality", True) for _, row in own):
                sign = -1 if own[0][1].get("lower_is_better") else 1
                top = max(sign * row[name] for _, row in own)
                yield from ((k, shown.index(name)) for k, row in own if sign * row[name] == top)
