"""Measure objects of ir_measures as measures of ours, without importing ir_measures."""

from __future__ import annotations

import math
from typing import Any

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.registry import MEASURES, Measure


def is_of_ir_measures(item: Any) -> bool:
    return all(hasattr(item, name) for name in ("NAME", "SUPPORTED_PARAMS", "params"))


def our_measure(item: Any) -> Measure:
    """Our measure for an object of ir_measures; an error where none means the same."""
    ours = translated(item)
    if ours is None:
        problem = f"{item}: no measure of this package means the same as this one of ir_measures"
        raise UsageError(f"{problem}; give the name of one of ours (`unjudged measures` lists them)")
    return ours


def translated(item: Any) -> Measure | None:
    """Return our measure, or None if no measure means the same; our own defaults are left out."""
    if isinstance(getattr(item, "ours", None), Measure):
        return None if "bound" in item.params else item.ours(**item.params)
    given = _parameters(item)
    name = "NumRelRet" if item.NAME == "NumRet" and "rel" in given else item.NAME
    if given.pop("judged_only", False):
        given["unjudged"] = "condensed"
    if "beta" in given:  # ir_measures gives the square of F's beta, as trec_eval does
        given["beta"] = math.sqrt(given["beta"])
    graded = name == "RBP" and "rel" not in given
    if given.pop("relative", False) or graded or name not in MEASURES:
        return None
    ours = MEASURES[name]
    needed = {key: value for key, value in given.items() if ours.parameters.get(key) != value}
    try:
        complete = ours(**needed)
        complete.check_complete()
    except UsageError:
        return None
    return complete


def _parameters(item: Any) -> dict[str, Any]:
    """Return the given parameters and the defaults of ir_measures; a parameter without either is left out."""
    defaults = {
        name: info.default for name, info in item.SUPPORTED_PARAMS.items() if hasattr(info, "default")
    }
    known = {**defaults, **item.params}
    values = (bool, int, float, str, dict)  # what is not provided is an object of its own
    return {name: value for name, value in known.items() if isinstance(value, values)}
