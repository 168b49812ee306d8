"""`unjudged compare`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from unjudged import evaluation
from unjudged.cli.arguments import (
    File,
    Format,
    Judged,
    Output,
    check_files,
    number_or_name,
    one_measure,
    read_judgments,
)
from unjudged.cli.output import check_output, show, show_grids
from unjudged.cli.progress import progress
from unjudged.comparison.verdicts import Comparison
from unjudged.grids.escapes import plain
from unjudged.grids.grid import Grid, grid_of
from unjudged.measures.registry import Measure

_VERDICTS = {
    "settled": "settled: {better} is better than {other}, whatever the unjudged documents turn out to be.",
    "leaning": "leaning: {better} is very likely better than {other}, but the unjudged could reverse it.",
    "open": "open: the unjudged documents decide which is better.",
}


def compare(
    qrels: File,
    a: File,
    b: File,
    /,
    *,
    measure: Annotated[str, Parameter(("-m", "--measure"))] = "RBP(p=0.8)",
    judged: Judged = None,
    prevalence: str = "all",
    seed: int = 0,
    format: Format | None = None,
    output: Output = None,
) -> None:
    """Tell whether run A is better than run B, whatever the unjudged documents turn out to be.

    A document that is unjudged in both runs counts as one document, so much of what is unknown cancels out.

    Parameters
    ----------
    qrels
        The judgments.
    a
        One run.
    b
        The other run.
    measure
        The measure. The interval is exact for RBP and P; for other measures it encloses the exact one.
    judged
        A file of further judgments; may be repeated.
    prevalence
        The probability that an unjudged document is relevant: a number, or how to estimate it from the judged
        documents: all, query or rank.
    seed
        The seed of the random completions.
    format
        The output format. By default the suffix of the output file decides, or else sentences are printed.
    output
        Write to this file.
    """
    check_files([qrels, a, b, *(judged or ())])
    chosen_format, chosen = check_output(format, output), one_measure(measure)
    with progress("comparing"):
        judgments = read_judgments(qrels, judged)
        comparison = evaluation.compare(judgments, a, b, chosen, q=number_or_name(prevalence), seed=seed)
    sentences = _sentences(comparison, chosen, a, b)
    if chosen_format == "table":
        show("".join(f"{plain(sentence)}\n" for sentence in sentences), output)
    else:
        show_grids(_grid(comparison, chosen, a, b, sentences), format, output)


def _grid(comparison: Comparison, measure: Measure, a: str, b: str, notes: list[str]) -> Grid:
    difference = comparison.difference
    row = {
        "a": a,
        "b": b,
        "measure": str(measure),
        "difference": difference.value,
        "low": difference.low,
        "high": difference.high,
        "probability": comparison.probability,
        "verdict": comparison.verdict,
    }
    return grid_of(list(row), [list(row.values())], notes)


def _sentences(comparison: Comparison, measure: Measure, a: str, b: str) -> list[str]:
    difference, probability = comparison.difference, comparison.probability
    first, second = (a, b) if difference.low + difference.high >= 0 else (b, a)
    if comparison.verdict == "leaning":
        first, second = (a, b) if probability >= 0.5 else (b, a)
    verdict = _VERDICTS[comparison.verdict].format(better=first, other=second)
    if difference.width == 0 and comparison.verdict == "open":
        verdict = "open: they are equal, and no unjudged document can change that."
    return [
        f"mean {measure}, {a} minus {b}: {difference} ({difference.method})",
        f"probability that {a} is better: {probability:.3f} ({comparison.assumption})",
        verdict,
    ]
