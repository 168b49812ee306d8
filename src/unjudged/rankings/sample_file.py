"""The file of a random sample that people judge: what was drawn, and what could have been.

# unjudged-sample {"depth": 10, "documents": 3, "judged": false, "origin": "stratified sample"}
# 1 document to judge: replace each -1 by a grade, or by -2 for "cannot judge".
<query> <document> <stratum, 0 for none> <probability> <-1, or its grade; . for a document that was not drawn>

Where documents are drawn one after another, the columns between are the best rank of a document in the runs
that the order is of, its size, its place in the order, and its batch. The last three are 0 for what was
judged before.

Every command reads the file as judgments. Estimates from samples wait until each drawn document has an
answer; those from an order use its answers up to the first that is missing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from unjudged.base.errors import InputError, quoted
from unjudged.base.wording import plain
from unjudged.data.streams import display_name, read_small
from unjudged.data.tables import Ids, decode
from unjudged.data.values import number_in_file, whole_in_file
from unjudged.data.writing import document_id, query_id
from unjudged.rankings.judgments import CANNOT_JUDGE, SAMPLE, UNSAMPLED, Judgments
from unjudged.rankings.origin import KINDS, DrawOrder, Origin
from unjudged.rankings.pooled import PooledDocuments

LARGEST_FILE = 1 << 31
MOST_STRATA, HIGHEST_GRADE = 9999, 2**31 - 1
NOT_DRAWN = "."
COLUMNS = ("query document stratum probability grade", "query document rank size order batch grade")
"""What the lines have, without and with an order."""


def sample_text(sample: Judgments, comments: Sequence[str] = (), order: Sequence[int] = (), **of: Any) -> str:
    """Return a sample as text, from which `read_sample` restores it.

    `comments` follow the first line, which also holds what the sample is `of`. `order` has the rows in which
    the documents to judge are listed, before the others.
    """
    frame, none = sample.frame, np.zeros(len(sample.grade), np.int32)
    origin = {"origin": sample.origin.kind, "depth": sample.origin.depth}
    head = {**of, **origin, "documents": len(sample.grade), "judged": sample.drawn is None}
    if frame is not None:
        head["order"] = dict(frame.settings)
        columns: list[Any] = [
            none if frame.rank is None else frame.rank,
            frame.size,
            frame.order,
            frame.batch,
        ]
        shown = frame.drawn | (sample.grade != UNSAMPLED)
    else:
        judged_share = sample.pooled.judged_share(sample.grade >= 0, sample.stratum)
        probability = judged_share if sample.probability is None else sample.probability
        columns = [none if sample.stratum is None else sample.stratum, probability]
        shown = sample.grade != UNSAMPLED if sample.drawn is None else sample.drawn
    queries, documents = [query_id(name) for name in sample.queries], list(sample.documents)
    grades = np.where(shown, sample.grade.astype(str), NOT_DRAWN).tolist()
    fields = [" ".join(map(repr, row)) for row in zip(*(column.tolist() for column in columns), strict=True)]
    lines = [f"{SAMPLE}{json.dumps(head, sort_keys=True)}", *(f"# {plain(comment)}" for comment in comments)]
    first, query = set(order), sample.query.tolist()
    rows = (*order, *(row for row in range(len(grades)) if row not in first))
    lines += [
        f"{queries[query[row]]} {document_id(documents[row])} {fields[row]} {grades[row]}" for row in rows
    ]
    return "".join(f"{line}\n" for line in lines)


def read_sample(file: str | os.PathLike[str]) -> Judgments:
    """Read the file of a sample, as it was written or with grades filled in; one that was cut is refused."""
    data, source = read_small(file, "a sample", LARGEST_FILE), display_name(file)
    first, *lines = data.split(b"\n")
    try:
        head = json.loads(first.removeprefix(SAMPLE.encode()))
        origin, judged, settings = _origin(head), bool(head["judged"]), head.get("order")
        documents = whole_in_file("the number of documents", head["documents"], 1)
        settings = None if settings is None else dict(settings)
    except (ValueError, TypeError, KeyError, RecursionError):
        problem = f"expected {SAMPLE!r} and what was drawn, as this package writes it"
        raise InputError(problem, source=source, line=1) from None
    except InputError as error:
        raise InputError(error.problem, source=source, line=1) from None
    rows: dict[tuple[bytes, bytes], tuple[Any, ...]] = {}
    for number, line in enumerate(lines, 2):
        if line.strip() and not line.startswith(b"#"):
            try:
                name, row = _row(line, ordered=settings is not None)
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
    grade, drawn, *columns = (np.array(column)[order] for column in zip(*rows.values(), strict=True))
    sample = Judgments(pooled, grade.astype(np.int32), origin=origin, drawn=drawn)
    if settings is not None:
        frame = _frame(columns, settings, source)
        sample = replace(sample, frame=frame, drawn=frame.drawn)
    else:
        stratum, probability = columns[0].astype(np.int32), columns[1].astype(float)
        sample = replace(sample, stratum=stratum if stratum.any() else None, probability=probability)
    return replace(sample, drawn=None) if judged else answered(sample)


def _row(line: bytes, *, ordered: bool) -> tuple[tuple[bytes, bytes], tuple[Any, ...]]:
    """Return query and document of a line, and grade, whether it was drawn, and the other columns."""
    fields, expected = line.split(), COLUMNS[ordered]
    if len(fields) != len(expected.split()):
        raise InputError(f"{quoted(line)}: expected {len(expected.split())} columns ({expected})")
    query, document, *of, text = fields
    columns: list[float]
    if ordered:
        rank, size, *places = of
        named = zip(("the rank", "the order", "the batch"), (rank, *places), strict=True)
        columns = [whole_in_file(name, value, 0, HIGHEST_GRADE, text=True) for name, value in named]
        columns.append(number_in_file("the size", size, 0, text=True))
    else:
        columns = [whole_in_file("the stratum", of[0], 0, MOST_STRATA, text=True)]
        columns.append(number_in_file("the probability", of[1], 0, 1, text=True))
    if decode(text) == NOT_DRAWN:
        return (query, document), (UNSAMPLED, False, *columns)
    if not ordered and columns[1] == 0:
        raise InputError(f"document {quoted(document)} was drawn with probability 0")
    negative = {b"-1": UNSAMPLED, b"-2": CANNOT_JUDGE}.get(text)
    grade = whole_in_file("the grade", text, 0, HIGHEST_GRADE, text=True) if negative is None else negative
    return (query, document), (grade, True, *columns)


def _frame(columns: Sequence[Any], settings: Mapping[str, Any], source: str) -> DrawOrder:
    """Return the order, which numbers its documents from 1 without a gap."""
    rank, order, batch = (column.astype(np.int64) for column in columns[:3])
    size = columns[3].astype(float)
    own = order > 0
    whole = np.array_equal(np.sort(order[own]), np.arange(1, own.sum() + 1))
    if not (whole and np.array_equal(own, size > 0) and not batch[~own].any()):
        raise InputError(
            "the order has gaps, or documents without a size: the file was edited", source=source
        )
    return DrawOrder(size, order, batch, settings, rank if rank.any() else None)


def _origin(head: dict[str, Any]) -> Origin:
    """Return how the judgments of a sample were made, from the head of its file."""
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
