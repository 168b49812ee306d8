"""What there is to say of a measure, from its own definition: for the terminal and for the documentation."""

from __future__ import annotations

import inspect

from unjudged.measures.references import REFERENCES
from unjudged.measures.registry import MEASURES, Measure

_HEAD = """
Written by `make docs` from the measures' own definitions; `unjudged measures NAME` shows one of them,
`unjudged cite NAME` its BibTeX. Every measure also takes `unjudged='condensed'` (unjudged documents are
removed from the ranking first, pooled or not) and `unjudged='nonrelevant'` (those of the pool count as
judged nonrelevant). In the examples a ranking is spelled out: a grade, `U` (pooled, not judged) or `N` (not
pooled) for each document; `missed` are the documents of the judgments that it does not have.

```
>>> from unjudged import *

```
"""


def signature(measure: Measure) -> str:
    """`AP(rel=1)[@cutoff]`: brackets around what may be left out."""
    inside = [f"{k}={v!r}" for k, v in measure.parameters.items() if k != measure.traits.at]
    behind = ""
    if measure.traits.at is not None:
        required = measure.parameters[measure.traits.at] is inspect.Parameter.empty
        behind = f"@{measure.traits.at}" if required else f"[@{measure.traits.at}]"
    return measure.name + (f"({', '.join(inside)})" if inside else "") + behind


def page(measure: Measure) -> str:
    """Formula, value when undefined, treatment of the unjudged, when to use it, example, citation."""
    names = [*measure.traits.aliases, *measure.traits.trec_eval]
    also = [f"Also called {', '.join(names)}."] if names else []
    low, high = measure.traits.range
    facts = f"Values from {low:g} to {high:g}; over queries the {measure.traits.summary}."
    cited = [REFERENCES[key].text for key in measure.traits.cite]
    return "\n\n".join([signature(measure), measure.help, " ".join([facts, *also]), *cited]) + "\n"


def measures_in_markdown() -> str:
    """The documentation's page of all measures."""
    head = [
        "# The measures",
        _HEAD.strip(),
    ]
    listed = [f"- [`{signature(m)}`](#{m.name.lower()}): {m.help.splitlines()[0]}" for m in MEASURES.values()]
    sections = []
    for measure in MEASURES.values():
        _, rest = page(measure).split("\n\n", 1)
        sections.append(f"## {measure.name}\n\n`{signature(measure)}`\n\n{_markdown(rest)}")
    return "\n\n".join([*head, "\n".join(listed), *sections]).rstrip() + "\n"


def _markdown(text: str) -> str:
    """Examples and indented formulas become code blocks; blank lines around them stay."""
    blocks = []
    for block in text.strip().split("\n\n"):
        if block.startswith(">>>"):
            blocks.append(f"```\n{block}\n\n```")
        else:
            blocks.append(block)
    return "\n\n".join(blocks)
