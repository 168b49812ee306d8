"""`unjudged compare` and `unjudged next`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from unjudged import evaluation
from unjudged.cli.arguments import File, Judged, check_files, probability, read_judgments
from unjudged.cli.output import show
from unjudged.comparison.verdicts import Comparison
from unjudged.errors import InputError, UsageError
from unjudged.measures.names import parse_measures
from unjudged.measures.registry import Measure
from unjudged.report.text import plain

_WORDS = {
    "settled": "settled: {better} is better than {other} whatever the unjudged of both turn out to be.",
    "leaning": "leaning: {better} is very likely better than {other}, but the unjudged could still turn it.",
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
    q: str = "all",
    seed: int = 0,
) -> None:
    """Is run A better than run B, whatever the unjudged turn out to be?

    A document that is unjudged in both runs is the same document, so much of what is open cancels out.

    Parameters
    ----------
    qrels
        The judgments.
    a
        One run.
    b
        The other run.
    measure
        The measure; the interval is exact for RBP and P, for the others it encloses.
    judged
        Judgments made since, in a file of their own; may be repeated.
    q
        The probability that an unjudged document is relevant: a number, or all, query or rank.
    seed
        For the random completions behind the probability.
    """
    check_files([qrels, a, b])
    chosen = _one(measure)
    found = evaluation.compare(read_judgments(qrels, judged), a, b, chosen, q=probability(q), seed=seed)
    show(_text(found, chosen, a, b))


def _text(found: Comparison, measure: Measure, a: str, b: str) -> str:
    first, second = (a, b) if found.difference.low + found.difference.high >= 0 else (b, a)
    if found.verdict == "leaning":
        first, second = (a, b) if found.probability >= 0.5 else (b, a)
    verdict = _WORDS[found.verdict].format(better=first, other=second)
    if found.difference.width == 0 and found.verdict == "open":
        verdict = "open: they are equal, and no unjudged document can change it."
    lines = [
        f"mean {measure}, {a} minus {b}: {found.difference} ({found.difference.method})",
        f"probability that {a} is better: {found.probability:.3f} ({found.assumption})",
        verdict,
    ]
    return "".join(f"{plain(line)}\n" for line in lines)


def next_to_judge(
    qrels: File,
    /,
    *runs: File,
    budget: Annotated[int, Parameter(("-b", "--budget"))] = 100,
    measure: Annotated[str, Parameter(("-m", "--measure"))] = "RBP(p=0.8)",
    difference: Annotated[bool, Parameter(negative="")] = False,
    judged: Judged = None,
    output: Annotated[Path | None, Parameter(("-o", "--output"))] = None,
) -> None:
    """Which documents to judge next: those whose judgment narrows the interval the most.

    Writes a file in the form of qrels with -1 in the place of each grade. Fill in the grades and give it to
    the other commands as --judged FILE.

    Parameters
    ----------
    qrels
        The judgments there are.
    runs
        The runs to tell more about.
    budget
        How many documents can be judged.
    measure
        RBP or P, with any parameters.
    difference
        Of two runs, narrow the interval of their difference and not those of their means.
    judged
        Judgments made since, in a file of their own; may be repeated.
    output
        Write to this file.
    """
    check_files([qrels, *runs])
    if not runs:
        raise UsageError("no run given: unjudged next QRELS RUN...")
    chosen = _one(measure)
    judgments = read_judgments(qrels, judged)
    wanted = evaluation.to_judge(judgments, list(runs), budget, chosen, difference=difference)
    if not wanted:
        raise InputError("every document that counts is judged already, nothing is left to judge")
    narrowed = sum(one.gain for one in wanted)
    what = "difference" if difference else "mean"
    head = [
        f"# {len(wanted)} documents to judge: put a grade in the place of each -1.",
        f"# Together they narrow the interval of the {what} {chosen} by {narrowed:.6f}.",
    ]
    show("\n".join([*head, *(f"{one.query} 0 {one.document} -1" for one in wanted), ""]), output)


def _one(name: str) -> Measure:
    chosen = parse_measures(name)
    if len(chosen) != 1:
        raise UsageError(f"{name!r} is {len(chosen)} measures, expected one")
    return chosen[0]
