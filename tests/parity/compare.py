"""Joins old and new answers by their keys, and holds the differences to the list of deliberate changes."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from math import isnan
from pathlib import Path
from typing import Any

from tests.parity.rows import Key, Rows, Value, read_rows

CHANGES = Path(__file__).with_name("changes.toml")
EXACT = ("values.", "to depth 3.")
"""Values of measures are the same to the last bit, other numbers as nearly as `CLOSE`."""
CLOSE = 1e-12
SOURCES = ("small", "sample", "trec8", "dl2019")
SHOWN = 12


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
            if unknown := entry.keys() - {*SOURCES, *(f"recorded_{source}" for source in SOURCES)}:
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


def compare_lines(old: Iterable[str], new: Iterable[str], changes: Iterable[Change]) -> Result:
    """Compare rows that `write_rows` wrote: only lines that are not the same need to be read."""
    before, after = set(old), set(new)
    same = before & after
    sources = [source for source in SOURCES if source == "small" or any(f'["{source}' in one for one in same)]
    result = compare(read_rows(before - same), read_rows(after - same), changes, sources=sources)
    return replace(result, equal=result.equal + len(same))


def compare(
    old: Rows,
    new: Rows,
    changes: Iterable[Change],
    *,
    sources: Collection[str],
    recorded: bool = False,
    bits: bool = True,
) -> Result:
    """Compare rows of `make parity`, or recorded ones; `changes` state how often each occurs by source.

    Without `bits`, values of measures may differ by a rounding error too: another processor computed them.
    """
    listed = list(changes)
    occurred: Counter[tuple[int, str]] = Counter()
    problems, equal, unlisted = [], 0, 0
    for key in sorted({*old, *new}):
        if key in old and key in new and alike(old[key], new[key], exact=bits and is_exact(key)):
            equal += 1
            continue
        place = next((i for i, change in enumerate(listed) if change.covers(key)), None)
        if place is not None:
            occurred[place, source_of(key)] += 1
            continue
        unlisted += 1
        if unlisted <= SHOWN:
            problems.append(f"{'; '.join(filter(None, key))}: {_shown(old, key)} -> {_shown(new, key)}")
    if unlisted > SHOWN:
        problems += _summary(old, new, listed)
    stale = 0
    for i, change in enumerate(listed):
        for source in sources:
            name = f"recorded_{source}" if recorded else source
            stated = (change.counts or {}).get(name, 0)
            if stated != occurred[i, source]:
                stale += 1
                what = f"{change.field} of {change.measure} in {change.collection}"
                problems.append(
                    f"listed change {what}: {name} = {occurred[i, source]} occur, {stated} listed"
                )
    return Result(equal, sum(occurred.values()), unlisted + stale, problems)


def _summary(old: Rows, new: Rows, listed: list[Change]) -> Iterator[str]:
    """Yield how many rows differ by question, kind of collection and field."""
    kinds: Counter[str] = Counter()
    for key in {*old, *new}:
        same = key in old and key in new and alike(old[key], new[key], exact=is_exact(key))
        if not same and not any(change.covers(key) for change in listed):
            of = key.field if source_of(key) == "small" else f"{source_of(key)}: {key.field}"
            kinds[of] += 1
    yield "all differences that are not listed, by field:"
    for name, count in kinds.most_common(60):
        yield f"  {count:7,} {name}"


def is_exact(key: Key) -> bool:
    means = key.field.endswith((".mean_a", ".mean_b")) and "expected" not in key.field
    return means or key.field.startswith(EXACT)


def source_of(key: Key) -> str:
    """Return where a collection is from."""
    return next((source for source in SOURCES[1:] if key.collection.startswith(source)), "small")


def alike(old: Value, new: Value, *, exact: bool = False) -> bool:
    """Whether two values are the same, numbers to a rounding error unless they must be exact."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(alike(a, b, exact=exact) for a, b in zip(old, new, strict=True))
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
