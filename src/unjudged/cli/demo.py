"""`unjudged demo`."""

from __future__ import annotations

from unjudged import sample
from unjudged.cli.output import is_terminal, show
from unjudged.evaluation import evaluate
from unjudged.report.tables import as_table

_BEFORE = """\
Six systems, thirty queries. The first five were pooled and partly judged; `dense` came later, and
nobody judged what only it finds.

"""
_AFTER = """
By AP, `dense` is near the bottom. But only a third of its top ten was ever judged: its RBP may be
anything from {dense}, where that of `reranked` lies between {reranked}.
A number that ignores the unjudged ranks the judging, not the system.

The same from files:    unjudged evaluate QRELS RUN...
What there is:          unjudged measures
"""


def demo() -> None:
    """Score the sample collection inside the package."""
    scores = evaluate(sample.qrels, sample.runs)

    def interval(run: str, word: str) -> str:
        low = scores.value("RBP(p=0.8)", run=run)
        return f"{low:.2f} {word} {low + scores.value('RBPResidual(p=0.8)', run=run):.2f}"

    after = _AFTER.format(dense=interval("dense", "to"), reranked=interval("reranked", "and"))
    show(_BEFORE + as_table(scores, width=is_terminal()) + after)
