"""Page of each measure, made from its definition, and the families of measures."""

from __future__ import annotations

import inspect

from unjudged.citation import REFERENCES
from unjudged.measures.kernel.names import other_names
from unjudged.measures.kernel.registry import MEASURES, Measure

FAMILIES = {
    "precision": "Precision, recall and average precision",
    "gain": "Gain",
    "rank_biased": "Rank-biased precision and models of users",
    "incomplete": "Average precision from uniform samples",
    "stratified": "Estimates from stratified samples",
    "weighted": "Estimates from weighted samples",
    "sets": "Sets without an order, and counts",
    "own": "Your own",
}


def family_of(measure: Measure) -> str:
    """Return the family of a measure."""
    home, _, family = measure.function.__module__.rpartition(".")
    return family if home == "unjudged.measures" else "own"


def signature(measure: Measure) -> str:
    """`AP(rel=1)[@cutoff]`: what is optional is in brackets."""
    inside = [f"{k}={v!r}" for k, v in measure.parameters.items() if k != measure.traits.at]
    after = ""
    if measure.traits.at is not None:
        required = measure.parameters[measure.traits.at] is inspect.Parameter.empty
        after = f"@{measure.traits.at}" if required else f"[@{measure.traits.at}]"
    return measure.name + (f"({', '.join(inside)})" if inside else "") + after


def page(measure: Measure) -> str:
    """Formula, value where undefined, treatment of the unjudged, when to use it, example, citation."""
    names = other_names(MEASURES[measure.name])
    also = [f"Also called {', '.join(names)}."] if names else []
    low, high = measure.range
    facts = f"Values from {low:g} to {high:g}; over queries the {measure.traits.summary}."
    if "R = 0" in measure.help:
        facts = f"R is the number of documents judged relevant. {facts}"
    cited = [key.strip() if key.startswith("@") else REFERENCES[key].text for key in measure.traits.cite]
    return "\n\n".join([signature(measure), measure.help, " ".join([facts, *also]), *cited]) + "\n"
