"""Columns of Python's strings as identifiers, in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from unjudged.formats.tables import Ids


def ids_of_strings(column: Any) -> Ids | None:
    """A column of Python objects as identifiers, in UTF-8; None if they are not all strings that have it."""
    objects = np.asarray(column, object).tolist()
    if not set(map(type, objects)) <= {str}:
        return None
    try:
        return Ids.of([text.encode() for text in objects])
    except UnicodeEncodeError:
        return None
