"""The page of the documentation that lists all measures."""

from __future__ import annotations

from unjudged.measures.kernel.registry import MEASURES
from unjudged.report.measure_pages import page, signature

_HEAD = """
`make docs` writes this page from the definitions of the measures. `unjudged measures NAME` shows one of them,
`unjudged.cite(NAME)` in Python gives its BibTeX.

A measure can be written as here, or as trec_eval, ranx and BEIR do: `ndcg_cut_10`, `ndcg@10`, `NDCG@10`.
Case, hyphens and underscores do not matter. Several measures are a list, or one text with commas:
`AP,nDCG@5,10`. On the command line `-m AP nDCG@10` works too: -m takes the next word, and each word after it
that names a measure and no existing file.

Every measure also takes two policies. `unjudged='condensed'` removes the unjudged documents from the
ranking first, pooled or not; `unjudged='nonrelevant'` treats those of the pool as judged nonrelevant.
`chance=N` corrects the value for what a random ranking of N documents is expected to score.

R is the number of documents of the query that are judged relevant, that is, of grade `rel` (1 unless given)
or higher. In the examples a ranking is spelled out: for each document its grade, `U` (pooled, not judged) or
`N` (not pooled). `missed` lists the documents of the judgments that the ranking does not have.

```
>>> from unjudged import *

```
"""


def measures_in_markdown() -> str:
    """The page of the documentation that describes all measures."""
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
    """Examples and indented formulas become code blocks."""
    blocks = []
    for block in text.strip().split("\n\n"):
        if block.startswith(">>>"):
            blocks.append(f"```\n{block}\n\n```")
        else:
            blocks.append(block)
    return "\n\n".join(blocks)
