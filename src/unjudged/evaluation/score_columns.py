"""What the columns and names of a table of scores are: its query, its values, systems or measures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import shortlist
from unjudged.evaluation.score_cells import UNNAMED, names_measure, parts_of, same_measure
from unjudged.formats.columns import NAMES, listed
from unjudged.formats.named_columns import QUERIES, NamedColumns, folded
from unjudged.formats.text_columns import has_no_value, is_number

Wide = Literal["systems", "measures"]
ROLES: Mapping[str, tuple[str, ...]] = {
    "query": QUERIES,
    "system": (*NAMES["run"], "runid", "model", "name"),
    "measure": ("measure", "metric"),
    "value": ("value", "score"),
    "repeat": ("repeat", "seed"),
}
"""Names of columns by role; the first that a table has counts, in upper or lower case."""
NO_NAME = re.compile(r"\s*|Unnamed: \d+|__index_level_\d+__")
"""How CSV, pandas and Parquet call a column without a name, such as the index of a frame."""

SPELT = re.compile(r"[+-]?\d*(?:[.,]\d+)? ?%?")
"""Numbers that are spelt with a comma or a percent sign, which errors name."""


@dataclass(frozen=True, eq=False)
class ScoreColumns:
    """Columns of a table: those with a role, those with values, and whether these are measures."""

    role: Mapping[str, str | None]
    values: Sequence[str]
    are_measures: bool
    notes: Sequence[str]
    others: Sequence[str] = ()
    """Measures that are not asked for."""

    @classmethod
    def of(
        cls,
        table: NamedColumns,
        given: Mapping[str, str],
        asked: Sequence[str] | None,
        wide: Wide | None,
        by: str | None,
    ) -> ScoreColumns:
        role = {name: table.column(name, given, names) for name, names in ROLES.items()}
        if role["query"] is None:
            raise _without_query(table)
        taken = {by, *(name for of, name in role.items() if of != "value")}
        others = [name for name in table.columns if name not in taken]
        unnamed = [name for name in others if NO_NAME.fullmatch(name)]
        found = [name for name in others if name not in unnamed]
        texts = [name for name in found if _is_text(name, table.columns[name])]
        values = [name for name in found if name not in texts]
        if not values:
            raise InputError(f"no column of numbers among {listed(list(table.columns))}")
        lone = role["value"] is not None and folded(role["value"]) == UNNAMED and "value" not in given
        if lone and role["measure"] is None and len(values) > 1:
            role["value"] = None  # one of several measures
        if role["value"] is not None:
            return cls(role, [role["value"]], role["system"] is not None, [])
        notes = ["A column without a name is ignored."] if unnamed else []
        named = role["system"] or role["measure"]
        if not named and texts:
            notes.append(f"Columns without numbers are ignored: {shortlist(texts)}.")
        if role["measure"] is None and wide != "systems" and (chosen := _asked_for(values, asked)):
            return cls(role, chosen, True, notes, [name for name in values if name not in chosen])
        if named:
            return cls(role, values, role["system"] is not None, notes)
        if len(values) == 1 and wide is None:
            return cls(role, values, True, notes)
        are_measures = wide == "measures" or (wide is None and are_names_of_measures(values, "columns"))
        if wide is None and not are_measures and asked is None:
            other = "--wide measures takes them for measures (in Python wide=)"
            notes.append(f"Columns are taken for systems: {shortlist(values)}; {other}.")
        return cls(role, values, are_measures, notes)


def _without_query(table: NamedColumns) -> InputError:
    remedy = f"expected {', '.join(QUERIES)}, or its name, as in --columns query=NAME"
    if any(map(NO_NAME.fullmatch, table.columns)):
        remedy = "one column has no name: if it has the queries, call it query"
    return InputError(f"no column for the query among {listed(list(table.columns))}; {remedy}")


def are_names_of_measures(names: Iterable[str], what: str) -> bool:
    """Return whether all names are measures, not none of them; an error if only some are."""
    each = list(dict.fromkeys(names))
    known = [name for name in each if names_measure(name)]
    if known and len(known) < len(each):
        other = next(name for name in each if name not in known)
        problem = f"of the {what}, {shortlist(known, 3)} {'is' if len(known) == 1 else 'are'} known as"
        kind = "a measure" if len(known) == 1 else "measures"
        remedy = "say what they are: --wide measures or --wide systems (in Python wide=)"
        raise UsageError(f"{problem} {kind}, {other} is not; {remedy}")
    return bool(known)


def _asked_for(names: Sequence[str], asked: Sequence[str] | None) -> list[str]:
    """Return the names of all measures that are asked for; none if one of them is no name here."""
    wanted = parts_of(asked or (), names)
    found = [[name for name in names if same_measure(name, one)] for one in wanted]
    return [name for name in names if any(name in own for own in found)] if all(found) else []


def _is_text(name: str, values: Sequence[Any]) -> bool:
    """Whether no cell is a number and the name is no measure."""
    present = (value for value in values if not has_no_value(value))
    return not (names_measure(name) or any(is_number(v) or SPELT.fullmatch(str(v).strip()) for v in present))
