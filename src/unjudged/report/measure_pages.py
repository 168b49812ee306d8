"""List of measures and page of each, made from their definitions."""

from __future__ import annotations

import inspect

from unjudged.citation import REFERENCES
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.measures.kernel.spellings import other_names
from unjudged.results.grid import Column, Grid, grid_of


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


def measures_grid() -> Grid:
    """Return a row per measure; the long form also has its parameters and its names in trec_eval."""
    described = [(measure, measure.help.split("\n")[0]) for measure in MEASURES.values()]
    return Grid(
        [Column("measure", "label"), Column("description", "text")],
        [(_short(measure), text) for measure, text in described],
        notes=["unjudged measures NAME explains one; unjudged.cite(NAME) in Python gives its BibTeX."],
        records=lambda: grid_of(
            ("measure", "signature", "trec_eval", "description"),
            [(m.name, signature(m), " ".join(m.traits.trec_eval), text) for m, text in described],
        ),
    )


def _short(measure: Measure) -> str:
    """`AP[@cutoff]`: the name, and the cutoff if it takes one."""
    whole = signature(measure)
    return measure.name + whole[whole.rindex(")") + 1 :] if "(" in whole else whole
