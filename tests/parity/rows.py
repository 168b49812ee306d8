"""What both sides share: rows of answers, and how questions are asked."""

from __future__ import annotations

import json
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.parity.collections import Case, read_cases
from tests.parity.questions import Question, questions_of

Value = Any
"""A number, a text, or a list of either."""
Found = tuple[str, str, str, str, Value]
"""Segment, first and second system, name of the field and its value: one thing that an adapter answers."""
Answer = Callable[..., Iterable[Found]]


class Key(NamedTuple):
    """By which old and new rows are joined; `field` begins with the label of the question."""

    collection: str
    segment: str
    measure: str
    a: str
    b: str
    field: str


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


def ask_all(
    ask: Mapping[str, Answer],
    folder: Path,
    refused: type[Exception],
    questions: Callable[[Case], Iterable[Question]] = questions_of,
) -> Rows:
    """Answer the questions about each collection of a folder."""
    found: Rows = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in read_cases(folder):
            for key, value in answers(ask, case, refused, questions(case)):
                if key in found:
                    raise ValueError(f"two answers to {key}")
                found[key] = value
    return found


Rows = dict[Key, Value]


def write_rows(rows: Rows, file: Path) -> None:
    """Write a row per line."""
    with file.open("w", encoding="utf-8") as stream:
        for key, value in rows.items():
            stream.write(json.dumps([*key, value]) + "\n")


def read_rows(lines: Iterable[str]) -> Rows:
    """Read rows that `write_rows` wrote."""
    rows = (json.loads(line) for line in lines)
    return {Key(*row): value for *row, value in rows}


def main(ask: Mapping[str, Answer], refused: type[Exception], arguments: list[str]) -> None:
    """Ask about the collections of one folder and write the answers to a file."""
    folder, file = map(Path, arguments)
    write_rows(ask_all(ask, folder, refused), file)
