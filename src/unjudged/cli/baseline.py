"""`unjudged baseline`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from unjudged.baselines import variance_of_ap
from unjudged.cli.output import show
from unjudged.errors import UsageError
from unjudged.measures.names import parse_measures
from unjudged.measures.registry import Measure
from unjudged.rankings.judgments import Judgments
from unjudged.report.tables import aligned

DEFAULT = ("AP", "P@10", "R@10", "RR", "nDCG@10", "RBP(p=0.8)")


def baseline(
    *,
    documents: Annotated[int, Parameter(("-n", "--documents"))],
    relevant: Annotated[int | None, Parameter(("-r", "--relevant"))] = None,
    qrels: str | None = None,
    measures: Annotated[list[str] | None, Parameter(("-m", "--measure"), negative="")] = None,
    level: Annotated[int, Parameter(("-l", "--level"))] = 1,
) -> None:
    """What a random ranking would score, exactly.

    For one query with so many relevant documents, or for every query of a qrels file.

    Parameters
    ----------
    documents
        How many documents the collection has; all of them are ranked.
    relevant
        How many of them are relevant.
    qrels
        Judgments, for the number of relevant documents of each query.
    measures
        A measure, as AP@10; may be repeated. The gain of a relevant document is 1.
    level
        The lowest grade that counts as relevant, with --qrels.
    """
    if (relevant is None) == (qrels is None):
        raise UsageError("give either --relevant or --qrels")
    chosen = parse_measures(measures or DEFAULT)
    if relevant is not None:
        show(_one_query(chosen, documents, relevant))
        return
    judgments = Judgments.read(str(qrels))
    counts = judgments.count(level)
    values = [measure.by_chance(documents, counts) for measure in chosen]
    rows = [
        [query, str(counts[i]), *(f"{v[i]:.6f}" for v in values)] for i, query in enumerate(judgments.queries)
    ]
    rows.append(["all", f"{counts.mean():.1f}", *(f"{v.mean():.6f}" for v in values)])
    show(aligned(["query", "relevant", *map(str, chosen)], rows))


def _one_query(measures: list[Measure], documents: int, relevant: int) -> str:
    rows = []
    for measure in measures:
        quick = str(measure) == "AP" and documents <= 10**8
        spread = variance_of_ap(documents, relevant) ** 0.5 if quick else None
        value = float(measure.by_chance(documents, relevant))
        rows.append([str(measure), f"{value:.10f}", "" if spread is None else f"{spread:.10f}"])
    return aligned(["measure", "expected", "standard deviation"], rows, labels=1)
