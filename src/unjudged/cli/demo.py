"""`unjudged demo`."""

from __future__ import annotations

import sys
from dataclasses import replace

from unjudged import sample
from unjudged.cli.output import show, terminal_width
from unjudged.evaluation import evaluate
from unjudged.grids.terminal import table

_BEFORE = """\
Six systems, thirty queries. The first five systems were pooled and partly
judged. `dense` came later, and nobody judged what only it finds.

"""
_AFTER = """
By AP, `dense` is near the bottom. But only a third of its top ten was judged:
its RBP may be anything from {dense}, while that of `reranked` lies between
{reranked}. A number that ignores the unjudged documents ranks
the judging, not the system.

Try it on your files:   unjudged evaluate QRELS RUN...
List the measures:      unjudged measures
"""


def demo() -> None:
    """Score six systems on a sample collection that comes with the package."""
    scores = evaluate(sample.qrels, sample.runs)

    def interval(run: str, word: str) -> str:
        low = scores.value("RBP(p=0.8)", run=run)
        return f"{low:.2f} {word} {low + scores.value('RBPResidual(p=0.8)', run=run):.2f}"

    after = _AFTER.format(dense=interval("dense", "to"), reranked=interval("reranked", "and"))
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    shown = table(replace(scores.grid(), title=""), width=terminal_width(), bold=on_terminal)
    show(_BEFORE + shown + after)
