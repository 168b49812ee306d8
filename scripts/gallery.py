"""The gallery of the documentation: every kind of figure, with the code or command that makes it."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from textwrap import wrap
from typing import Any

LINE = 90
"""The longest line of a command."""

HEAD = """# Gallery

<div class="grid" markdown>

{thumbnails}

</div>

They show the sample collection: six runs, thirty queries. `unjudged demo --files .` writes the files that
the commands read.

```python
from unjudged import compare, compare_choices, evaluate, sample

pair = {{name: sample.runs[name] for name in ("fused", "reranked")}}
scores = evaluate(sample.qrels, sample.runs, ["AP", "nDCG@10"])
comparison = compare(sample.qrels, sample.runs, ["AP", "nDCG@10"])
choices = compare_choices(sample.qrels, pair)
```

A figure shows itself in a notebook. `.save("figure.svg")` writes SVG, which is light or dark like the page
around it. With the extra `report` (in a checkout, `pip install ".[report]"`) it writes PNG and PDF too. A PDF
has no title: a paper's caption says it. On the command line `--plot FILE` of `evaluate` and `compare` draws
the first measure.

"""
FIGURES = {
    "intervals": (
        "Systems in their ranges",
        "Dot: today's score. Bar: what judging could make of it. Line: what other queries would give.",
        'scores.plot.intervals("nDCG@10")',
    ),
    "differences": (
        "Two systems, query by query",
        "Each dot is a query, in the range that judging could make of it; the mean stands beside them.",
        'comparison.plot.differences("fused", "dense", "nDCG@10")',
    ),
    "choices": (
        "Does the conclusion survive?",
        "A strip for each choice of measure, cutoff and grade, in the colour of the leader.",
        "choices.plot.choices()",
    ),
    "judged": (
        "How much is judged",
        "`dense` was not pooled: most of what it retrieved is unjudged.",
        "scores.plot.judged_by_rank()",
    ),
}
COMMANDS = {
    "experiment": (
        "How few judgments are enough",
        "Each measure against AP with all judgments. The bands are one standard deviation on either side.",
        "unjudged experiment {all} -m AP infAP Bpref --design 'uniform(5%, 10%, 20%, 40%, 70%)'",
    ),
    "estimated": (
        "Estimated against actual",
        "With one level, the estimates of a sample: on the line they are right.",
        "unjudged experiment {all} -m AP infAP --design 'uniform(20%)'",
    ),
}
PAGE = """## The page of an evaluation

`unjudged report` writes one HTML file with all of this and more: choose a pair to see its differences by
query, and a query to see the two rankings side by side. It opens from disk and needs no network. This is
[the page of the sample](gallery/page.html).

```
unjudged report qrels.txt *.run -o page.html
```
"""


def gallery_in_markdown() -> str:
    """The page of the gallery."""
    titles = {name: title for name, (title, *_) in {**FIGURES, **COMMANDS}.items()}
    thumbnails = "\n\n".join(
        f"[![{title}](gallery/{name}.svg)](#{anchor_of(title)})" for name, title in titles.items()
    )
    parts = [HEAD.format(thumbnails=thumbnails) + PAGE]
    for name, (title, text, code) in FIGURES.items():
        parts.append(f"## {title}\n\n{text}\n\n```python\n{code}\n```\n\n![{title}](gallery/{name}.svg)\n")
    for name, (title, text, command) in COMMANDS.items():
        shown = command.format(all="qrels.txt *.run")
        lines = wrap(f"{shown} --plot {name}.svg", LINE, break_long_words=False, break_on_hyphens=False)
        code = "```\n" + " \\\n    ".join(lines) + "\n```"
        parts.append(f"## {title}\n\n{text}\n\n{code}\n\n![{title}](gallery/{name}.svg)\n")
    return "\n".join(parts)


def anchor_of(title: str) -> str:
    """Return the name that the site gives to a heading."""
    return re.sub(r"[^a-z ]", "", title.lower()).replace(" ", "-")


def draw_gallery(place: Path) -> None:
    """Write every figure of the gallery to a folder."""
    from unjudged import compare, compare_choices, evaluate, sample

    pair = {name: sample.runs[name] for name in ("fused", "reranked")}
    names: dict[str, Any] = {
        "choices": compare_choices(sample.qrels, pair),
        "scores": evaluate(sample.qrels, sample.runs, ["AP", "nDCG@10"]),
        "comparison": compare(sample.qrels, sample.runs, ["AP", "nDCG@10"]),
    }
    for name, (_, _, code) in FIGURES.items():
        eval(code, names).save(place / f"{name}.svg")  # noqa: S307 (the code above)
    folder = Path(sample.__file__).parent
    files = shlex.join([str(folder / "qrels.txt"), *(str(run) for run in sorted(folder.glob("*.run")))])
    for name, (_, _, command) in COMMANDS.items():
        words = shlex.split(command.format(all=files))[1:]
        asked = [sys.executable, "-m", "unjudged", *words, "--plot", str(place / f"{name}.svg")]
        subprocess.run(asked, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 (the commands above)
