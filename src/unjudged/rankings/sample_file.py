"""The file of a random sample that people judge: what was drawn, and what could have been.

# unjudged-sample {"depth": 10, "documents": 3, "judged": false, "origin": "stratified sample"}
# 1 document to judge: replace each -1 by a grade, or by -2 for "cannot judge".
<query> <document> <stratum, 0 for none> <probability> <-1, or its grade; . for a document that was not drawn>

Every command reads it as judgments. Estimates wait until each drawn document has an answer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import plain
from unjudged.data.streams import display_name, number_in_file, read_small, whole_in_file
from unjudged.data.tables import Ids, decode
from unjudged.data.writing import document_id, query_id
from unjudged.rankings.judgments import CANNOT_JUDGE, SAMPLE, UNSAMPLED, Judgments
from unjudged.rankings.origin import KINDS, Origin
from unjudged.rankings.pooled import PooledDocuments

LARGEST_FILE = 1 << 31
MOST_STRATA, HIGHEST_GRADE = 9999, 2**31 - 1
NOT_DRAWN = "."
EXPECTED = "expected 5 columns (query document stratum probability grade)"


def sample_text(sample: Judgments, comments: Sequence[str] = (), order: Sequence[int] = (), **of: Any) -> str:
    """Return a sample as text, from which `read_sample` restores it.

    `comments` follow the first line, which also holds what the sample is `of`. `order` has the rows in which
    the documents to judge are listed, before the others.
    """
    waiting = sample.drawn is not None
    origin = {"origin": sample.origin.kind, "depth": sample.origin.depth}
    head = {**of, **origin, "documents": len(sample.grade), "judged": not waiting}
    drawn = sample.grade != UNSAMPLED if sample.drawn is None else sample.drawn
    none = np.zeros(len(drawn), np.int32)
    stratum = (none if sample.stratum is None else sample.stratum).tolist()
    judged_share = sample.pooled.judged_share(sample.grade >= 0, sample.stratum)
    probability = judged_share if sample.probability is None else sample.probability
    queries, documents = [query_id(name) for name in sample.queries], list(sample.documents)
    grades = np.where(drawn, sample.grade.astype(str), NOT_DRAWN).tolist()
    odds, query = probability.tolist(), sample.query.tolist()
    lines = [f"{SAMPLE}{json.dumps(head, sort_keys=True)}", *(f"# {plain(comment)}" for comment in comments)]
    first = set(order)
    for row in (*order, *(row for row in range(len(drawn)) if row not in first)):
        name = document_id(documents[row])
        lines.append(f"{queries[query[row]]} {name} {stratum[row]} {odds[row]!r} {grades[row]}")
    return "".join(f"{line}\n" for line in lines)


def read_sample(file: str | os.PathLike[str]) -> Judgments:
    """Read the file of a sample, as it was written or with grades filled in; one that was cut is refused."""
    data, source = read_small(file, "a sample", LARGEST_FILE), display_name(file)
    first, *lines = data.split(b"\n")
    try:
        head = json.loads(first.removeprefix(SAMPLE.encode()))
        origin, judged = _origin(head), bool(head["judged"])
        documents = whole_in_file("the number of documents", head["documents"], 1)
    except (ValueError, TypeError, KeyError, RecursionError):
        problem = f"expected {SAMPLE!r} and what was drawn, as this package writes it"
        raise InputError(problem, source=source, line=1) from None
    except InputError as error:
        raise InputError(error.problem, source=source, line=1) from None
    rows: dict[tuple[bytes, bytes], tuple[int, float, int, bool]] = {}
    for number, line in enumerate(lines, 2):
        if line.strip() and not line.startswith(b"#"):
            try:
                name, row = _row(line)
            except InputError as error:
                raise InputError(error.problem, source=source, line=number) from None
            if name in rows:
                problem = f"document {quoted(name[1])} of query {quoted(name[0])} comes twice"
                raise InputError(problem, source=source, line=number)
            rows[name] = row
    if len(rows) != documents:
        problem = f"{len(rows)} documents, and the first line says {documents}: the file was cut"
        raise InputError(problem, source=source)
    names = dict.fromkeys(query for query, _ in rows)
    place = {query: number for number, query in enumerate(names)}
    query = np.array([place[query] for query, _ in rows], np.int64)
    order = np.argsort(query, kind="stable")
    listed = Ids.of([document for _, document in rows]).take(order)
    pooled = PooledDocuments(Ids.of(names), np.searchsorted(query[order], np.arange(len(names) + 1)), listed)
    stratum, odds, grade, drawn = (np.array(column)[order] for column in zip(*rows.values(), strict=True))
    sample = Judgments(
        pooled,
        grade.astype(np.int32),
        stratum.astype(np.int32) if stratum.any() else None,
        odds.astype(float),
        origin,
        drawn=drawn,
    )
    return replace(sample, drawn=None) if judged else answered(sample)


def _row(line: bytes) -> tuple[tuple[bytes, bytes], tuple[int, float, int, bool]]:
    """Return query and document of a line, and stratum, probability, grade and whether it was drawn."""
    fields = line.split()
    if len(fields) != 5:
        raise InputError(f"{quoted(line)}: {EXPECTED}")
    query, document, part, odds, grade = fields
    stratum = whole_in_file("the stratum", part, 0, MOST_STRATA, text=True)
    probability = number_in_file("the probability", odds, 0, 1, text=True)
    if decode(grade) == NOT_DRAWN:
        return (query, document), (stratum, probability, UNSAMPLED, False)
    if probability == 0:
        raise InputError(f"document {quoted(document)} was drawn with probability 0")
    negative = {b"-1": UNSAMPLED, b"-2": CANNOT_JUDGE}.get(grade)
    value = whole_in_file("the grade", grade, 0, HIGHEST_GRADE, text=True) if negative is None else negative
    return (query, document), (stratum, probability, value, True)


def _origin(head: dict[str, Any]) -> Origin:
    kind, depth = head["origin"], head.get("depth")
    if kind not in KINDS:
        raise ValueError(kind)
    return Origin(kind, None if depth is None else whole_in_file("the depth", depth, 0))


def answered(sample: Judgments) -> Judgments:
    """Return a sample that waits for no answer as plain judgments; one that waits stays as it is.

    Where people could not judge some of the drawn documents, those that they judged stand for them: the
    probabilities are multiplied by the judged share of the drawn documents of their stratum.
    """
    if sample.drawn is None or (sample.drawn & sample.waiting).any():
        return sample
    judged, done = sample.grade >= 0, replace(sample, drawn=None)
    if sample.probability is None or (judged == sample.drawn).all():
        return done
    stratum = np.zeros(len(judged), np.int64) if sample.stratum is None else sample.stratum
    _, cell = np.unique(sample.query * (int(stratum.max(initial=0)) + 1) + stratum, return_inverse=True)
    drawn, known = (np.bincount(cell[rows], minlength=cell.max() + 1) for rows in (sample.drawn, judged))
    return replace(done, probability=sample.probability * (known[cell] / np.maximum(drawn[cell], 1)))
