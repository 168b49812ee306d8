"""Views: which fields a table has, for people and for programs; a column that no row has is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unjudged.results.fields import FIELDS, Field, Row, known
from unjudged.results.grid import DECIMALS, Cell, Grid, grid_of


@dataclass(frozen=True)
class View:
    """`shown` are for people, `written` for programs; the best value of each field of `best` stands out.

    With `across`, people see a row for rows that differ in this field only, and in its place a column per
    value of it with each of `cells`; the other fields are those of the rows whose value is `rest`. The cells
    `by_measure` are what a view across measures has of each.
    """

    shown: Sequence[str | Field]
    written: Sequence[str]
    best: Sequence[str] = ()
    across: str = ""
    cells: Sequence[str] = ()
    rest: str = ""
    by_measure: Sequence[str] = ()

    def across_measures(self) -> View:
        """Return the same with columns by measure, after what tells the rows apart."""
        plain = [
            one for one in self.shown if isinstance(one, str) and one not in ("measure", *self.by_measure)
        ]
        labels = [name for name in plain if FIELDS[name].kind == "label" or name == "queries"]
        others = [name for name in plain if name not in labels]
        return replace(self, shown=[*labels, "measure", *others], across="measure", cells=self.by_measure)


_BY_MEASURE = ("mean", "could be", "estimated", "calibrated", "other queries would give")
_OUTCOMES = ("wins", "ties", "losses", "effect", "effect_low", "effect_high")
_ENDS = ("low", "high", "estimate_low", "estimate_high", "query_low", "query_high")
_ANSWERS = (
    *("headline", "better", "p_careful", "other_queries", "more_judging", "in_other_orders"),
    *("flip", "loss", "seen"),
)
_INTERVAL = (
    *("low", "high", "estimate", "estimate_low", "estimate_high", "calibrated_low", "calibrated_high"),
    *("query_low", "query_high", "confidence", "method", "estimated_measure"),
)
_LEFT_OUT = ("system", "group", "mean", "mean_left_out", "change", "rank", "rank_left_out")
_NEXT = ("query", "document", "gain", "probability")
_MERGED = ("graded", "cannot_judge", "missing", "judged_twice", "conflicts", "undrawn")
_FILES = ("file", "kind", "queries", "documents", "description")
_QUESTIONS = ("question", "command", "refusal")
_RATINGS = ("judge", "grade", "documents", "mean_prediction", "over_rating")
_COEFFICIENTS = View(
    ["measure", "judge", "coefficient", "documents", "value", "other queries would give"],
    ["measure", "judge", "coefficient", "documents", "value", "query_low", "query_high", "method"],
)
VIEWS: dict[str, View] = {
    "systems": View(
        [
            *("measure", "letter", "system", "collection", "mean", "could be", "estimated", "calibrated"),
            *("other queries would give", "place", "better_than", "hardly judged"),
        ],
        [
            *("collection", "measure", "system", "mean", *_INTERVAL, "judged_share", "place_low"),
            *("place_high", "better_than", "queries"),
        ],
        best=("mean",),
        by_measure=_BY_MEASURE,
    ),
    "pairs": View(
        [
            *("measure", "a", "b", "difference", "could be", "estimated", "flip", "seen", "p", "p_adjusted"),
            *("p_careful", "W/T/L", "effect", "headline"),
        ],
        [
            *("collection", "measure", "a", "b", "difference", "p", "p_adjusted", *_ENDS, *_ANSWERS),
            *("mean_a", "mean_b", *_OUTCOMES, "queries"),
        ],
    ),
    "segments": View(
        [
            *("measure", "a", "b", "system", "segment", "queries", "mean_a", "mean_b", "difference"),
            *("other queries would give", "p", "p_adjusted", "p_careful", "detectable", "headline"),
        ],
        [
            *("measure", "a", "b", "system", "segment", "queries", "mean_a", "mean_b", "difference", "p"),
            *("p_adjusted", "mean", *_INTERVAL, *_ANSWERS, "detectable", "interaction_p"),
            "interaction_p_adjusted",
        ],
        by_measure=_BY_MEASURE,
    ),
    "queries": View(
        [
            *("measure", "system", "query", "value_a", "value_b", "difference", "could be", "document"),
            "document_effect",
        ],
        [
            *("measure", "a", "b", "system", "query", "value", "value_a", "value_b", "difference", "low"),
            *("high", "document", "document_effect"),
        ],
        by_measure=("value",),
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
    "agreement": _COEFFICIENTS,
    "orders": _COEFFICIENTS,
    "confusion": View(
        ["judge", "grade", "other_grade"],
        ["judge", "grade", "other_grade", "documents", "share"],
        across="other_grade",
        cells=("documents",),
    ),
    "ratings": View(_RATINGS, _RATINGS),
    "bias": View(
        ["measure", "judge", "system", "by_people", "estimated", "bias", "other queries would give"],
        ["measure", "judge", "system", "by_people", *_ENDS[2:4], "bias", *_ENDS[4:]],
    ),
    "means": View(
        ["measure", "system", "judge"],
        ["measure", "system", "judge", "mean", "rank"],
        across="judge",
        cells=("mean", "rank"),
    ),
    "files": View(_FILES, _FILES),
    "matches": View(("file", "other", "common"), ("file", "other", "common")),
    "problems": View(("problem",), ("problem",)),
    "questions": View(_QUESTIONS, _QUESTIONS),
    "next": View(_NEXT, _NEXT),
    "left out": View(_LEFT_OUT, _LEFT_OUT),
    "merged": View(_MERGED, _MERGED),
    "conflicts": View(("query", "document", "grades"), ("query", "document", "grades")),
    "experiment": View(
        ["measure", "against", "level_name", "judged", "statistic"],
        ["design", "level", "judged", "measure", "against", "statistic", "mean", "deviation", "repeats"],
        across="statistic",
        cells=("agreed",),
    ),
}
"""Every view by its name."""


def grid_of_view(rows: Sequence[Row], view: View, decimals: int = DECIMALS) -> Grid:
    """Return rows as a table for people."""
    named = {**_named_after_two(rows), **_named_after_measure(rows, view)}
    shown, best = view.shown, view.best
    if view.across:
        rows, shown, best = _spread(rows, view)
    fields = [FIELDS[one] if isinstance(one, str) else one for one in shown]
    fields = [replace(one, heading=named[one.name]) if one.name in named else one for one in fields]
    cells = [[field.cell(row, decimals) for field in fields] for row in rows]
    kept = [k for k in range(len(fields)) if _told(fields[k].name, [line[k] for line in cells])]
    return Grid(
        [fields[k].column(decimals) for k in kept],
        [[line[k] for k in kept] for line in cells],
        stressed=frozenset(_best(rows, best, [fields[k].name for k in kept])),
    )


def _named_after_two(rows: Sequence[Row]) -> dict[str, str]:
    """Return headings of what belongs to either system, if all rows are of the same two."""
    two = {(row["a"], row["b"]) for row in rows if "a" in row}
    if len(two) != 1:
        return {}
    ((a, b),) = two
    return {"mean_a": a, "mean_b": b, "value_a": a, "value_b": b}


def _named_after_measure(rows: Sequence[Row], view: View) -> dict[str, str]:
    """Return the heading of means, if all are by the same measure and no column says by which."""
    names = {str(row.get("measure")) for row in rows}
    if view.across or len(names) != 1 or "measure" not in view.shown:
        return {}
    return {"mean": names.pop()}


def _spread(rows: Sequence[Row], view: View) -> tuple[list[Row], list[str | Field], list[str]]:
    """Return rows with a column per value of the field across, the fields, and those with a best."""
    place = view.shown.index(view.across)
    others = [*view.shown[:place], *view.shown[place + 1 :]]
    labels = [name for name in others if isinstance(name, str) and FIELDS[name].kind == "label"]
    heads = [head for head in dict.fromkeys(row[view.across] for row in rows) if head != view.rest]
    made: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        own = made.setdefault(tuple(row.get(name) for name in labels), {})
        if row[view.across] == view.rest or not own:
            own |= row
        for name in view.cells:
            own[f"{name} of {row[view.across]}"] = row.get(name)
            own[f"row of {row[view.across]}"] = row
    counts = {row[view.across] for row in rows if row.get("count")}
    spread = [_cell_of(name, head, view, count=head in counts) for head in heads for name in view.cells]
    shown = [*others[:place], *spread, *others[place:]]
    best = [f"{name} of {head}" for head in heads for name in view.best if name in view.cells]
    return list(made.values()), shown, [*best, *view.best]


def _cell_of(name: str, head: Any, view: View, *, count: bool) -> Field:
    """Return the field that shows another one of the rows with this value, which names the first."""
    of = FIELDS[name]
    beside = of.heading if view.by_measure else f"{of.heading} {head}"
    return replace(
        of,
        name=f"{name} of {head}",
        heading=str(head) if name == view.cells[0] else beside,
        kind="integer" if count and name in view.cells[:1] else of.kind,
        text=lambda row, decimals: of.cell(row.get(f"row of {head}", {}), decimals),
    )


def together(rows: Mapping[str, Sequence[Row]]) -> tuple[Sequence[Row], View]:
    """Return the rows of views as those of one; several have the name of their view in the first column."""
    if len(rows) == 1:
        ((name, own),) = rows.items()
        return own, VIEWS[name]
    fields = dict.fromkeys(field for name in rows for field in VIEWS[name].written)
    return [{"table": name, **row} for name, own in rows.items() for row in own], View((), ("table", *fields))


def records_of_view(rows: Sequence[Row], view: View) -> Grid:
    """Return rows for programs: plain values, under the names of their fields."""
    fields = [FIELDS.get(name) or Field(name, name) for name in view.written]
    values = [(field.name, [_plain(field.value(row)) for row in rows]) for field in fields]
    told = [(name, column) for name, column in values if any(value is not None for value in column)]
    return grid_of([name for name, _ in told], zip(*(column for _, column in told), strict=True))


def _plain(value: Any) -> Cell:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        value = " ".join(map(str, value))
    cell: Cell = known(value)
    return cell


NAMED_IF_SEVERAL = ("measure", "a", "b", "segment", "collection", "judge")
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
        head = name.partition(" of ")[2]
        own = [row.get(f"row of {head}", row) for row in rows]
        for measure in dict.fromkeys(row.get("measure") for row in own):
            several = [(k, row, rows[k][name]) for k, row in enumerate(own) if row.get("measure") == measure]
            if name in shown and len(several) > 1 and all(row.get("quality", True) for _, row, _ in several):
                sign = -1 if several[0][1].get("lower_is_better") else 1
                top = max(sign * value for *_, value in several)
                yield from ((k, shown.index(name)) for k, _, value in several if sign * value == top)
