"""Views: which fields a table has, for people and for programs; a column that no row has is left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unjudged.results.fields import FIELDS, Field, Row, known
from unjudged.results.grid import DECIMALS, Cell, Grid, grid_of


@dataclass(eq=False, repr=False)
class View:
    """`shown` are the fields of tables; programs get `more`. The best value of each of `best` stands out.

    With `across`, people see a row for rows that differ in this field only, and in its place a column per
    value of it with each of `cells`; the other fields come from the rows whose value is `rest`. The cells
    `by_measure` are what a view across measures has of each.
    """

    shown: Sequence[str | Field]
    more: Sequence[str] = ()
    best: Sequence[str] = ()
    across: str = ""
    cells: Sequence[str] = ()
    rest: str = ""
    by_measure: Sequence[str] = ()
    decimals: int = DECIMALS

    @property
    def written(self) -> list[str]:
        """Names of the fields that programs get, those that name a row first."""
        own = (one if isinstance(one, str) else one.name for one in (*self.shown, *self.cells, *self.more))
        every = dict.fromkeys(part for name in own for part in (name, *field_of(name).parts))
        return sorted(every, key=lambda name: field_of(name).kind != "label")

    def across_measures(self) -> View:
        """Return the same with columns by measure, after what tells the rows apart."""
        plain = [
            one for one in self.shown if isinstance(one, str) and one not in ("measure", *self.by_measure)
        ]
        labels = [name for name in plain if FIELDS[name].kind == "label" or name in ("queries", "clusters")]
        others = [name for name in plain if name not in labels]
        return replace(self, shown=[*labels, "measure", *others], across="measure", cells=self.by_measure)


def field_of(name: str) -> Field:
    """Return a field by its name; one that only programs get need not be registered."""
    return FIELDS.get(name) or Field(name, name)


_INTERVALS = ("could be", "estimated", "calibrated", "other queries would give")
_BY_MEASURE = ("mean", *_INTERVALS)
_TESTED = ("p", "p_adjusted", "p_careful")
_COEFFICIENTS = View(
    ["measure", "judge", "coefficient", "documents", "value", "other queries would give"], ["method"]
)
VIEWS: dict[str, View] = {
    "systems": View(
        [
            *("measure", "letter", "system", "collection", *_BY_MEASURE, "place", "better_than"),
            "hardly judged",
        ],
        ["confidence", "method", "judged_share", "as_judged", "labels", "queries", "clusters"],
        best=("mean",),
        by_measure=_BY_MEASURE,
    ),
    "pairs": View(
        [
            *("collection", "measure", "a", "b", "difference", "could be", "estimated", "flip", "seen"),
            *(*_TESTED, "W/T/L", "effect", "headline"),
        ],
        ["as_judged", "labels", "other queries would give", "mean_a", "mean_b", "queries", "clusters"],
    ),
    "segments": View(
        [
            *("measure", "a", "b", "system", "segment", "queries", "clusters", "mean_a", "mean_b"),
            *("difference", "other queries would give", *_TESTED, "detectable", "headline"),
        ],
        [
            *("mean", *_INTERVALS, "confidence", "method", "flip", "seen", "interaction_p"),
            "interaction_p_adjusted",
        ],
        by_measure=_BY_MEASURE,
    ),
    "queries": View(
        [
            *("measure", "system", "query", "value", "value_a", "value_b", "difference", "could be"),
        ],
        ["a", "b"],
        by_measure=("value", "could be"),
    ),
    "choices": View(
        ["choice", "family"],
        [
            *("measure", "least", "unjudged", "cutoff", "a", "b", "difference", "other queries would give"),
            *("p", "other_queries", "more_judging", "headline"),
        ],
        across="family",
        cells=("leads",),
    ),
    "gate": View(
        [
            *("measure", "segment", "queries", "clusters", "mean_b", "mean_a", "difference"),
            *("limit_low", "limit_high", "p_worse_adjusted", "outcome", "would_tell"),
        ],
        [
            *("a", "b", "margin", "judging", "p_not_worse", "p_worse", "open_to", "queries_needed"),
            *("identical", "constant", "lower_is_better", *_TESTED, *_INTERVALS, "headline", "flip", "seen"),
        ],
    ),
    "collections": View(
        [
            *("collection", "measure", "a", "b", "difference", "could be", "other queries would give", "p"),
            *("p_adjusted", "headline"),
        ],
        [
            *("p_careful", "estimated", "flip", "seen", "mean_a", "mean_b", "W/T/L", "effect", "queries"),
            "clusters",
        ],
    ),
    "agreement": _COEFFICIENTS,
    "orders": _COEFFICIENTS,
    "confusion": View(
        ["judge", "grade", "other_grade"], ["share"], across="other_grade", cells=("documents",)
    ),
    "ratings": View(["judge", "grade", "documents", "mean_prediction", "over_rating"]),
    "bias": View(
        ["measure", "judge", "system", "by_people", "estimated", "labels", "bias", "other queries would give"]
    ),
    "means": View(["measure", "system", "judge"], across="judge", cells=("mean", "rank")),
    "files": View(["file", "kind", "queries", "documents", "description"]),
    "matches": View(["file", "other", "common"]),
    "problems": View(["problem"]),
    "stale": View(["query", "listed", "stale", "relevant", "stale_relevant"]),
    "questions": View(["question", "command", "refusal"]),
    "next": View(["query", "document", "gain", "probability", "batch"]),
    "left out": View(["system", "group", "mean", "mean_left_out", "change", "rank", "rank_left_out"]),
    "merged": View(["graded", "cannot_judge", "missing", "judged_twice", "conflicts", "undrawn"]),
    "conflicts": View(["query", "document", "grades"]),
    "experiment": View(
        ["measure", "against", "level_name", "judged", "statistic"],
        ["design", "repeats"],
        across="statistic",
        cells=("agreed",),
    ),
}
"""Every view by its name."""


def grid_of_view(rows: Sequence[Row], view: View, decimals: int | None = None) -> Grid:
    """Return rows as a table for people, with the usual decimals of the view or others."""
    decimals = view.decimals if decimals is None else decimals
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
    """Return a field that shows the named field of the rows with this value; the value is its heading."""
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
    """Return the rows of several views as one; the name of their view is in the first column."""
    if len(rows) == 1:
        ((name, own),) = rows.items()
        return own, VIEWS[name]
    fields = dict.fromkeys(field for name in rows for field in VIEWS[name].written)
    return [{"table": name, **row} for name, own in rows.items() for row in own], View(["table", *fields])


def records_of_view(rows: Sequence[Row], view: View) -> Grid:
    """Return rows for programs: plain values, under the names of their fields."""
    fields = map(field_of, view.written)
    values = [(field.name, [_plain(field.value(row)) for row in rows]) for field in fields]
    told = [(name, column) for name, column in values if any(value is not None for value in column)]
    return grid_of([name for name, _ in told], zip(*(column for _, column in told), strict=True))


def _plain(value: Any) -> Cell:
    """Return a value as CSV and JSON have it."""
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
    """Whether a column has anything to show."""
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
