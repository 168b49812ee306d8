"""Objects of other libraries as frames or dicts: ranx, trectools, Hugging Face datasets.

They are recognised by what they offer, so none of these libraries is imported.
"""

from __future__ import annotations

from typing import Any

from unjudged.formats.readers.arrow.frames import is_frame

FRAMES = ("run_data", "qrels_data")
"""Where trectools' objects keep their frame of pandas."""


def is_foreign(source: Any) -> bool:
    """Whether an object is of one of these libraries; the columns of a frame may have the same names."""
    if is_frame(source):
        return False
    return _is_dataset(source) or _is_of_ranx(source) or _frame_of(source) is not None


def native(source: Any) -> Any:
    """What the readers take instead of an object of another library; anything else as it is."""
    if not is_foreign(source):
        return source
    if _is_dataset(source):
        return source.with_format("arrow")[:]
    if _is_of_ranx(source):
        return source.to_dict()
    return _frame_of(source)


def name_of(source: Any) -> str | None:
    """Return the name that a run of ranx carries."""
    name = source.name if is_foreign(source) and _is_of_ranx(source) else None
    return name if isinstance(name, str) and name else None


def _is_dataset(source: Any) -> bool:
    return hasattr(source, "with_format") and hasattr(source, "column_names")


def _is_of_ranx(source: Any) -> bool:
    return hasattr(source, "to_dict") and (hasattr(source, "qrels") or hasattr(source, "run"))


def _frame_of(source: Any) -> Any:
    return next((frame for name in FRAMES if (frame := getattr(source, name, None)) is not None), None)
