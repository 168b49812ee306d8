"""The small JSON file of a calibration: every field is checked when it is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from unjudged.base.errors import InputError
from unjudged.formats.small_files import number_in_file, read_small, whole_in_file
from unjudged.formats.streams import PathLike, display_name

SCHEMA, VERSION = "unjudged calibration", 5
UNITS = ("runs", "groups")
OLDER = "an older version of this package wrote it, with other scores: make it again"
NEWER = "a newer version of this package wrote it, which this one cannot read: update"


def calibration_text(fields: Mapping[str, Any]) -> str:
    return json.dumps({"schema": f"{SCHEMA} {VERSION}", **fields}) + "\n"


def calibration_fields(path: PathLike) -> dict[str, Any]:
    """Return the fields of a file that `unjudged calibrate` wrote."""
    remedy, source = "use a file written by `unjudged calibrate`", display_name(path)
    try:
        fields = json.loads(read_small(path, "a calibration"))
    except (ValueError, RecursionError):
        fields = None
    fields = fields if isinstance(fields, dict) else {}
    schema, _, version = str(fields.get("schema")).rpartition(" ")
    if schema != SCHEMA or not version.isdecimal():
        raise InputError(f"not a calibration: {remedy}", source=source)
    if version != str(VERSION):
        raise InputError(OLDER if int(version) < VERSION else NEWER, source=source)
    try:
        return _checked(fields)
    except InputError as error:
        raise InputError(f"not a calibration: {error.problem}; {remedy}", source=source) from None


def _checked(fields: dict[str, Any]) -> dict[str, Any]:
    if fields.get("unit") not in UNITS:
        raise InputError(f"its unit is none of {', '.join(UNITS)}")
    scores = fields.get("scores")
    if not isinstance(scores, dict) or not all(name.isprintable() for name in scores):
        raise InputError("its scores have no measures")
    counts = ("groups", "runs", "queries", "depth")
    shares = ("prevalence", "unjudged", "relevant")
    texts = ("topics", "fingerprint", "judgments", "made_by")
    if not all(isinstance(text := fields.get(name), str) and text.isprintable() for name in texts):
        raise InputError(f"it does not say what it was made from ({', '.join(texts)})")
    numbers = {name: _numbers(name, fields.get(name), 0, 1) for name in shares}
    if len(numbers["unjudged"]) != len(numbers["relevant"]):
        raise InputError("its unjudged and relevant shares are of different runs")
    return {
        "unit": fields["unit"],
        **{name: whole_in_file(name, fields.get(name), 1) for name in counts},
        **numbers,
        **{name: fields[name] for name in texts},
        "scores": {measure: _scores(rows) for measure, rows in scores.items()},
    }


def _scores(rows: object) -> tuple[tuple[int, float], ...]:
    """Return the group and the score of each left-out run."""
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == 2 for row in rows):
        raise InputError("its scores are not lists of group and score")
    group = [whole_in_file("a group", row[0], 0) for row in rows]
    return tuple(zip(group, _numbers("a score", [row[1] for row in rows]), strict=True))


def _numbers(what: str, values: object, *limits: float) -> tuple[float, ...]:
    """Return numbers within the limits that a file holds as a list."""
    if not isinstance(values, list):
        raise InputError(f"{what} is not a list of numbers")
    return tuple(number_in_file(what, value, *limits) for value in values)
