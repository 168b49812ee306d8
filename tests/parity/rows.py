"""Rows of answers, and how questions are asked."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tests.parity.collections import Case
from tests.parity.questions import Question

Value = Any
"""A number, a text, or a list of either."""
Found = tuple[str, str, str, str, Value]
"""Segment, first and second system, name of the field and its value: one thing that an adapter answers."""
Answer = Callable[..., Iterable[Found]]


class Key(NamedTuple):
    """By which recorded and present rows are joined; `field` begins with the label of the question."""

    collection: str
    segment: str
    measure: str
    a: str
    b: str
    field: str


Rows = dict[Key, Value]


def answers(
    ask: Mapping[str, Answer], case: Case, refused: type[Exception], questions: Iterable[Question]
) -> Iterator[tuple[Key, Value]]:
    """Ask the questions of one collection; what is refused, or goes wrong, is an answer too."""
    for question in questions:
        adapter = ask.get(question.ask)
        if adapter is None:
            continue
        try:
            found = list(adapter(case, **question.options))
        except refused:
            found = [("", "", "", "refused", True)]
        except Exception:  # noqa: BLE001 (a crash is a difference)
            found = [("", "", "", "crashed", traceback.format_exc(limit=-2))]
        for segment, a, b, field, value in found:
            yield Key(case.name, segment, question.measure, a, b, f"{question.label}.{field}"), plain(value)


def plain(value: Any) -> Value:
    """Return arrays and their numbers as those of Python."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, dict):
        return [plain(item) for item in value.items()]
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value
