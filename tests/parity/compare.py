"""Joins recorded and present answers by their keys; every difference must be a deliberate change."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import isnan
from pathlib import Path
from typing import Any

from tests.parity.rows import Key, Rows, Value

CHANGES = Path(__file__).with_name("changes.toml")
EXACT = ("values.", "to depth 3.")
"""Values of measures are the same to the last bit, other numbers as nearly as `CLOSE`."""
BITS = "bits "
"""How a digest of the bits of many values begins."""
CLOSE = 1e-12
SOURCES = ("trec8", "dl2019", "sample", "small")
SHOWN, SUMMED = 12, 60


@dataclass(frozen=True)
class Change:
    """A deliberate change: which rows differ, or are there only before or after it, how many, and why."""

    why: str
    collection: str = "*"
    measure: str = "*"
    field: str = "*"
    counts: Mapping[str, int] | None = None

    @classmethod
    def read(cls, file: Path = CHANGES) -> list[Change]:
        """Read the list of deliberate changes."""
        words = ("why", "collection", "measure", "field")
        found = []
        for entry in tomllib.loads(file.read_text(encoding="utf-8")).get("change", []):
            patterns = {word: entry.pop(word) for word in words if word in entry}
            if unknown := entry.keys() - {*SOURCES}:
                raise ValueError(f"{file}: unknown keys {sorted(unknown)} of the change {patterns}")
            found.append(cls(**patterns, counts=entry))
        return found

    def covers(self, key: Key) -> bool:
        """Whether a row is one of those that the change is about; several patterns are separated by `|`."""
        pairs = ((key.collection, self.collection), (key.measure, self.measure), (key.field, self.field))
        return all(any(fnmatchcase(own, one) for one in of.split("|")) for own, of in pairs)


@dataclass(frozen=True)
class Result:
    """How many rows are equal, how many differ deliberately, and what is wrong."""

    equal: int
    deliberate: int
    wrong: int
    problems: list[str]


def compare(
    old: Rows, new: Rows, changes: Iterable[Change], *, counted: Collection[str] = (), bits: bool = True
) -> Result:
    """Compare rows; of the sources that are `counted`, listed changes occur as often as they state.

    Without `bits`, values of measures may differ by a rounding error too: another processor computed them.
    """
    listed = list(changes)
    occurred: Counter[tuple[int, str]] = Counter()
    unlisted = []
    for key in sorted({*old, *new}):
        if key in old and key in new and alike(old[key], new[key], exact=bits and is_exact(key)):
            continue
        place = next((i for i, change in enumerate(listed) if change.covers(key)), None)
        if place is None:
            unlisted.append(key)
        else:
            occurred[place, source_of(key.collection)] += 1
    problems = [f"{'; '.join(filter(None, k))}: {_shown(old, k)} -> {_shown(new, k)}" for k in unlisted]
    del problems[SHOWN:]
    if len(unlisted) > SHOWN:
        kinds = Counter(f"{source_of(key.collection)}: {key.field}" for key in unlisted)
        problems += [f"  {count:7,} differ in {kind}" for kind, count in kinds.most_common(SUMMED)]
    stale = []
    for (i, change), source in ((one, source) for one in enumerate(listed) for source in counted):
        if (stated := (change.counts or {}).get(source, 0)) != occurred[i, source]:
            what = f"listed change {change.field} of {change.measure} in {change.collection}"
            stale.append(f"{what}: {source} = {occurred[i, source]} occur, {stated} listed")
    deliberate = sum(occurred.values())
    equal = len({*old, *new}) - len(unlisted) - deliberate
    return Result(equal, deliberate, len(unlisted) + len(stale), [*problems, *stale])


def is_exact(key: Key) -> bool:
    means = key.field.endswith((".mean_a", ".mean_b")) and "expected" not in key.field
    return means or key.field.startswith(EXACT)


def source_of(collection: str) -> str:
    """Return where a collection is from."""
    return next((source for source in SOURCES if collection.startswith(source)), "small")


def alike(old: Value, new: Value, *, exact: bool = False) -> bool:
    """Whether two values are the same, numbers to a rounding error unless they must be exact."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(alike(a, b, exact=exact) for a, b in zip(old, new, strict=True))
    if isinstance(old, str) and old.startswith(BITS) and not exact:
        return isinstance(new, str)
    if not (_is_number(old) and _is_number(new)):
        return type(old) is type(new) and bool(old == new)
    if old == new or (isnan(old) and isnan(new)):
        return True
    return not exact and abs(old - new) <= CLOSE * max(1.0, abs(old))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(rows: Rows, key: Key) -> str:
    text = str(rows[key]) if key in rows else "(no row)"
    return text if len(text) <= 200 or key.field.endswith("crashed") else f"{text[:200]} ..."
