"""The pages of the documentation that describe the measures: an index, and a page per family."""

from __future__ import annotations

from unjudged.diagnosis.explaining import FAMILIES, family_of, page, signature
from unjudged.measures.kernel.registry import MEASURES, Measure

INDEX = """\
# Measures

`unjudged explain infAP` shows one measure and its BibTeX.

Write a measure as here, or as trec_eval, ranx and BEIR do: `ndcg_cut_10`, `ndcg@10`, `NDCG@10`. Case, hyphens and
underscores do not matter. Several measures are a list, or one text with commas: `AP,nDCG@5,10`. On the command line
`-m AP nDCG@10` works too.

Every measure also takes two policies. `unjudged='condensed'` removes the unjudged documents from the ranking first, and
`unjudged='nonrelevant'` treats the ones of the pool as judged nonrelevant. `chance=N` corrects the value for what a random
ranking of N documents is expected to score.

## How to read these pages

R is the number of documents of the query that are judged relevant, that is, of grade `rel` (1 unless given) or higher. In the
examples a ranking is spelled out: for each document its grade, `U` (pooled, not judged) or `N` (not pooled). `missed`
lists the documents of the judgments that the ranking does not have.
"""
FAMILY = """\
[All measures, and how to read this page](index.md#how-to-read-these-pages)

```
>>> from unjudged import *

```
"""


def measures_pages() -> dict[str, str]:
    """Return the text of each page by its name in docs/measures."""
    of_family = {
        family: [one for one in MEASURES.values() if family_of(one) == family]
        for family in FAMILIES
        if family != "own"
    }
    listed = [
        f"## [{FAMILIES[family]}]({family}.md)\n\n" + "\n".join(f"- {_line(one, family)}" for one in measures)
        for family, measures in of_family.items()
    ]
    pages = {"index.md": "\n".join([INDEX, "\n\n".join(listed), ""])}
    for family, measures in of_family.items():
        sections = [f"# {FAMILIES[family]}", FAMILY.strip(), *map(_section, measures)]
        pages[f"{family}.md"] = "\n\n".join(sections).rstrip() + "\n"
    return pages


def _line(measure: Measure, family: str) -> str:
    summary = measure.help.splitlines()[0]
    return f"[`{signature(measure)}`]({family}.md#{measure.name.lower()}): {summary}"


def _section(measure: Measure) -> str:
    _, rest = page(measure).split("\n\n", 1)
    return f"## {measure.name}\n\n`{signature(measure)}`\n\n{_markdown(rest)}"


def _markdown(text: str) -> str:
    """Examples and indented formulas become code blocks."""
    blocks = []
    for block in text.strip().split("\n\n"):
        if block.startswith(">>>"):
            blocks.append(f"```\n{block}\n\n```")
        else:
            blocks.append(block)
    return "\n\n".join(blocks)
