"""The grades that assessors may give, with labels and descriptions: a list, or a file of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.formats.small_files import read_small_text

LABELS = {0: "not relevant", 1: "relevant", 2: "highly relevant", 3: "perfectly relevant"}
HIGHEST = 9
"""Grades are typed as one key."""


class Grade(NamedTuple):
    """What a grade is called, and when to give it."""

    label: str
    description: str = ""


Scale = dict[int, Grade]
"""Grades by number, in ascending order."""


def scale_of(grades: Iterable[int]) -> Scale:
    """Return a scale of plain numbers, with their usual labels."""
    chosen = sorted(set(grades))
    if len(chosen) < 2 or chosen[0] < 0 or chosen[-1] > HIGHEST:
        raise UsageError(f"grades are {chosen}, expected two or more whole numbers from 0 to {HIGHEST}")
    return {grade: Grade(LABELS.get(grade, "")) for grade in chosen}


def read_scale(given: str) -> Scale:
    """Read `0,1,2`, or a file of lines `grade label description`, separated by tabs."""
    words = [word.strip() for word in given.split(",")]
    if all(word.isascii() and word.isdecimal() and len(word) == 1 for word in words):
        return scale_of(int(word) for word in words)
    if re.fullmatch(r"[-+0-9,.\s]*", given):
        raise UsageError(f"grades are {given!r}: use whole numbers from 0 to {HIGHEST}, as 0,1,2, or a file")
    found: Scale = {}
    lines = read_small_text(given, "lines of a grade, its label and its description").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        first, *rest = (field.strip() for field in line.split("\t", 2))
        known = first.isascii() and first.isdecimal() and len(first) == 1
        if not known or not rest or not rest[0]:
            problem = f"{quoted(line)}: expected a grade from 0 to {HIGHEST}, a tab and its label"
            raise InputError(problem, source=given, line=number)
        if int(first) in found:
            raise InputError(f"grade {first} comes twice", source=given, line=number)
        found[int(first)] = Grade(*rest)
    if len(found) < 2:
        raise InputError(f"{len(found)} grades, expected two or more lines", source=given)
    return dict(sorted(found.items()))
