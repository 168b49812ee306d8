"""The kind of a file, by its start: judgments, a run, scores, a design, a calibration, groups or texts."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from unjudged.base.errors import InputError
from unjudged.data.columns import NAMES, QUERIES, folded, is_header
from unjudged.data.frames import open_arrow
from unjudged.data.nested_dicts import DATASET
from unjudged.data.sources import reader_of
from unjudged.data.streams import name_file_in_errors, opened
from unjudged.data.text_tables import header_of
from unjudged.data.values import is_number
from unjudged.rankings.judgments import SAMPLE

JUDGMENTS: Final = "judgments"
RUN: Final = "run"
SCORES: Final = "scores"
DESIGN: Final = "design"
CALIBRATION: Final = "calibration"
GROUPS: Final = "groups"
TEXTS: Final = "texts"
LABELS: Final = "labels by a model"
UNKNOWN: Final = "unknown"
START = 1 << 14
NUMBER_AT = {4: 3, 5: 4, 6: 4}
"""By how many fields a line of TREC has, the place of a number; six are a run's."""
BODIES = {"text", "body", "contents", "content", "abstract", "description", "desc"}
"""Columns with a text."""
RECORDS = r'(\{\s*"rows"\s*:\s*)?(\[\s*)?'
"""What stands before the first record of JSON lines, of a list, and of what `--format json` writes."""
NAME = r'"([^"\\]*)"\s*:'
MODELS = "claude|deepseek|flan|gemini|gemma|gpt|llama|llm|mistral|mixtral|model|phi|qwen|umbrela"
"""Words in the name of a file with a model's labels."""
OUTER = r'\{\s*"([^"\\]*)"\s*:\s*(?:\{\s*"[^"\\]*"\s*:\s*)?(\{[^{}]*)'
"""First name of an object of objects, and the innermost names; names of systems are skipped."""


def judge_in(word: str) -> tuple[str, str] | None:
    """Return name and file of NAME=FILE, which are a model's labels; None of any other word."""
    name, _, file = word.partition("=")
    is_file = file.startswith(DATASET) or os.path.exists(file)
    return (name, file) if name and is_file and not os.path.exists(word) else None


def is_by_model(file: str) -> bool:
    """Whether the name of a file says that a model made what is in it.

    >>> is_by_model("labels/llama-3.qrels"), is_by_model("people.qrels")
    (True, False)
    """
    words = re.findall("[a-z]+", os.path.basename(file).casefold())
    return any(re.fullmatch(MODELS, word) for word in words)


def kind_of_file(file: str) -> str:
    """Return the kind that the start of a file shows; nothing if only its numbers can show it."""
    if file.startswith(DATASET):
        return JUDGMENTS
    with name_file_in_errors(file):
        start = _start(file)
        if start.startswith(SAMPLE.encode()):
            return DESIGN
        if b'"schema": "unjudged calibration' in start[:200]:
            return CALIBRATION
        lines = (line for line in start.splitlines() if line.strip() and not line.startswith(b"#"))
        line = next(lines, b"").decode("utf-8", "replace").strip()
        return _kind(file, start, line, line.split())


def _start(file: str) -> bytes:
    """Return the first bytes of a file, nothing of a folder."""
    if os.path.isdir(file):
        return b""
    with opened(file) as stream:
        return (stream.read(START) or b"").removeprefix(b"\xef\xbb\xbf").lstrip()


def _kind(file: str, start: bytes, line: str, words: Sequence[str]) -> str:
    is_json = start[:1] in (b"{", b"[")
    if _is_text(line) or (len(words) == 1 and not is_json and not {*line} & {*",;|<"}):
        if b"\0" in start:
            raise InputError("it is binary, expected text, Parquet or Arrow")
        return TEXTS
    if not is_json and len(words) in NUMBER_AT and is_number(words[NUMBER_AT[len(words)]]):
        return RUN if len(words) == max(NUMBER_AT) else JUDGMENTS
    if start[:100].lower().startswith((b"<!doctype html", b"<html")):
        raise InputError("it is a page of HTML, expected a file of data")
    names = _names(file, start, line)
    if is_header(names):
        return _by_columns({*names})
    if BODIES & {*names}:
        return TEXTS
    if _is_printed(words) or (is_json and _is_nested(start)) or (names and _is_table(start, names)):
        return SCORES
    return GROUPS if len(words) == 2 and not is_json else _by_columns({*names})


def _by_columns(names: set[str]) -> str:
    """Return whether columns belong to runs or to judgments, nothing if nobody can tell."""
    if {*NAMES["rank"], *NAMES["score"][1:]} & names:
        return RUN
    return JUDGMENTS if {*NAMES["grade"][:-1], *NAMES["stratum"]} & names else ""


def _is_text(line: str) -> bool:
    """Whether a line is a name, a tab and a text, as in MS MARCO's collection."""
    name, tab, text = line.partition("\t")
    return bool(tab) and " " not in name and " " in text.strip() and "\t" not in text


def _names(file: str, start: bytes, line: str) -> list[str]:
    """Return the names of columns, or of the fields of the first JSON object."""
    if reader_of(file).kind == "Parquet or Arrow" and not os.path.isdir(file):
        return [*open_arrow(file).columns]
    if start[:1] not in (b"{", b"["):
        return header_of(line)[0]
    import json

    text = start.decode("utf-8", "replace")
    with suppress(ValueError, RecursionError):
        first, _ = json.JSONDecoder().raw_decode(text, re.match(RECORDS, text).end())  # type: ignore[union-attr]
        return list(first) if isinstance(first, dict) else []
    return []


def _is_printed(words: Sequence[str]) -> bool:
    """Whether a line is a measure, a query and a value, in either order of the first two."""
    from unjudged.measures.kernel.names import names_measure

    return len(words) == 3 and any(map(names_measure, words[:2]))


def _is_table(start: bytes, names: Sequence[str]) -> bool:
    """Whether columns are queries with values, or names without a number among them."""
    is_text = start[:1] not in (b"{", b"[", b"#")
    return bool({*map(folded, names)} & {*QUERIES}) or (is_text and not any(map(is_number, names)))


def _is_nested(start: bytes) -> bool:
    """Whether a JSON object has names of measures outside or inside, as pytrec_eval and ranx have them."""
    from unjudged.measures.kernel.names import names_measure

    if not (found := re.match(OUTER, start.decode("utf-8", "replace"))):
        return False
    outer, inside = found.groups()
    inner = re.findall(NAME, inside)[:3]
    return names_measure(outer) or (bool(inner) and all(map(names_measure, inner)))
