"""Judgments and runs as text, in the forms that evaluation tools read."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from unjudged.errors import InputError, UsageError
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import Run
from unjudged.report.text import plain, write_whole

METHOD = 1
"""What statAP's script calls a document that was drawn with its probability."""


def as_qrels(judgments: Judgments) -> Iterator[str]:
    """`query 0 document grade`, -1 where a document is pooled and not judged."""
    for query, document, grade in _rows(judgments):
        yield f"{query} 0 {document} {grade}"


def as_strata(judgments: Judgments) -> Iterator[str]:
    """`query 0 document stratum grade`, as sample_eval takes it; one stratum where none are recorded."""
    recorded = judgments.stratum
    strata = [1] * len(judgments.grade) if recorded is None else recorded.tolist()
    for (query, document, grade), stratum in zip(_rows(judgments), strata, strict=True):
        yield f"{query} 0 {document} {stratum} {grade}"


def as_prels(judgments: Judgments) -> Iterator[str]:
    """`query document grade method probability` of the judged documents, as statAP's script takes it."""
    if judgments.probability is None:
        raise UsageError("a prels file holds probabilities, and this design has none: choose another form")
    probabilities = judgments.probability.tolist()
    for (query, document, grade), probability in zip(_rows(judgments), probabilities, strict=True):
        if grade >= 0:
            yield f"{query} {document} {grade} {METHOD} {probability!r}"


JUDGMENT_FORMS: dict[str, Callable[[Judgments], Iterator[str]]] = {
    "qrels": as_qrels,
    "strata": as_strata,
    "prels": as_prels,
}


def judgment_file(judgments: Judgments, form: str, made_by: str = "") -> str:
    """A whole file, headed by a comment that says how it was made.

    A name that would not be read back as it is, for a space in it or for a # in front, is refused.
    """
    if form not in JUDGMENT_FORMS:
        raise UsageError(f"form is {form!r}, expected one of {', '.join(JUDGMENT_FORMS)}")
    for name in (*judgments.queries, *judgments.documents):
        if name.split() != [name]:
            raise InputError(f"{name!r} cannot be written: a name has no spaces and is not empty")
    for query in judgments.queries:
        if query.startswith("#"):
            raise InputError(f"query {query!r} cannot be written: a line that starts with # is a comment")
    head = [f"# {plain(made_by)}"] if made_by else []
    return "\n".join([*head, *JUDGMENT_FORMS[form](judgments), ""])


def queries_without_lines(judgments: Judgments, form: str) -> list[str]:
    """The queries that a file of this form does not hold: they would not count where it is read."""
    written = judgments.count(0) if form == "prels" else np.diff(judgments.offsets)
    return [judgments.queries[int(q)] for q in np.flatnonzero(written == 0)]


def write_judgments(judgments: Judgments, path: str | os.PathLike[str], form: str = "qrels") -> None:
    """Write judgments to a file, whole or not at all: as `qrels`, with `strata`, or as `prels`."""
    write_whole(Path(path), judgment_file(judgments, form))


def run_file(run: Run, tag: str) -> str:
    """`query Q0 document rank score tag`, best first; scores with all their digits."""
    sizes = np.diff(run.offsets)
    ranks = (1 + np.arange(len(run.documents)) - np.repeat(run.offsets[:-1], sizes)).tolist()
    names = list(run.queries)
    queries = [names[q] for q in np.repeat(np.arange(len(names)), sizes).tolist()]
    rows = zip(queries, run.documents, ranks, run.scores.tolist(), strict=True)
    return "".join(f"{query} Q0 {document} {rank} {score!r} {tag}\n" for query, document, rank, score in rows)


def _rows(judgments: Judgments) -> Iterator[tuple[str, str, int]]:
    queries = list(judgments.queries)
    columns = zip(judgments.query.tolist(), judgments.documents, judgments.grade.tolist(), strict=True)
    return ((queries[q], document, grade) for q, document, grade in columns)
