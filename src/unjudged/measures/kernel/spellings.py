"""Every name that a measure goes by: its own, its aliases, and the names that other tools use."""

from __future__ import annotations

from types import MappingProxyType

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
    """Every name with its measure, as it is spelled; trec_eval's names stand for no cutoff here."""
    own = {name: m for m in MEASURES.values() for name in (m.name, *m.traits.aliases)}
    elsewhere = {name: MEASURES[m](**given) for name, (m, given) in ELSEWHERE.items()}
    return {**{name: m for name, (m, _) in trec_eval_names().items()}, **elsewhere, **own}


def other_names(measure: Measure) -> list[str]:
    """Return the other names of a measure without parameters."""
    return [name for name, known in spellings().items() if known == measure and name != measure.name]


def trec_eval_names() -> dict[str, tuple[Measure, tuple[float, ...]]]:
    """trec_eval's names, each with its measure and its default cutoffs."""
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
