"""Measures as other tools call them: names, and the measure objects of ir_measures, which is not imported."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import Any

from unjudged.base.errors import UsageError
from unjudged.measures.kernel.registry import MEASURES, Measure

ELSEWHERE = MappingProxyType(
    {
        "hit_rate": ("Success", {}),
        "accuracy": ("Success", {}),
        "top_k_accuracy": ("Success", {}),
        "r_precision": ("Rprec", {}),
        "f1": ("SetF", {}),
        "dcg_burges": ("DCG", {"dcg": "exp-log2"}),
        "ndcg_burges": ("nDCG", {"dcg": "exp-log2"}),
        "average_precision": ("AP", {}),
        "mean_average_precision": ("AP", {}),
        "reciprocal_rank": ("RR", {}),
        "mean_reciprocal_rank": ("RR", {}),
        "rank_biased_precision": ("RBP", {}),
        "R_cap": ("RelP", {}),
        "recall_cap": ("RelP", {}),
    }
)
"""Names in ranx, BEIR and elsewhere, each with the measure and the parameters that it stands for."""


def spellings() -> dict[str, Measure]:
    """Return every name with its measure, as it is spelled; trec_eval's names stand for no cutoff here."""
    own = {name: m for m in MEASURES.values() for name in (m.name, *m.traits.aliases)}
    elsewhere = {name: MEASURES[m](**given) for name, (m, given) in ELSEWHERE.items()}
    return {**{name: m for name, (m, _) in trec_eval_names().items()}, **elsewhere, **own}


def other_names(measure: Measure) -> list[str]:
    """Return the other names of a measure without parameters."""
    return [name for name, known in spellings().items() if known == measure and name != measure.name]


def trec_eval_names() -> dict[str, tuple[Measure, tuple[float, ...]]]:
    """Return trec_eval's names, each with its measure and its default cutoffs."""
    return {n: (m, cuts) for m in MEASURES.values() for n, cuts in m.traits.trec_eval.items()}


def plainly(name: str) -> str:
    """Return the name without what people spell differently: case, hyphens and underscores.

    >>> plainly("R-Precision") == plainly("r_precision")
    True
    """
    return name.casefold().replace("_", "").replace("-", "")


def alike(name: str) -> dict[str, Measure]:
    """Return the measures whose names differ from this one only in case, hyphens and underscores."""
    wanted = plainly(name)
    return {known: measure for known, measure in spellings().items() if plainly(known) == wanted}


def is_of_ir_measures(item: Any) -> bool:
    return all(hasattr(item, name) for name in ("NAME", "SUPPORTED_PARAMS", "params"))


def our_measure(item: Any) -> Measure:
    """Return our measure for an object of ir_measures; an error where none means the same."""
    ours = translated(item)
    if ours is None:
        problem = f"{item}: no measure of this package means the same as this one of ir_measures"
        raise UsageError(f"{problem}; give the name of one of ours (`unjudged explain` lists them)")
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
