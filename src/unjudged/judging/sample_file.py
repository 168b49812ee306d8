"""The file that records a drawn sample until its judgments arrive.

unjudged-design 1 blake2b <checksum of all that follows>
{"design": "stratified", "seed": 1, "origin": "stratified sample", "depth": 10, "made_by": "..."}
<query> <document> <stratum> <probability, or NA> <drawn | pooled | earlier-drawn | earlier-pooled>
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from hashlib import blake2b
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.choices import checked_int
from unjudged.base.errors import AssumptionWarning, InputError, UsageError, announce, quoted
from unjudged.base.wording import counted
from unjudged.evaluation.collection import Collection, RunsSource, judged_rankings, with_whole_grades
from unjudged.formats.streams import display_name, number_in_file, read_small, whole_in_file
from unjudged.formats.tables import Ids, decode, encode
from unjudged.formats.writing import document_id, query_id
from unjudged.judging.drawn_sample import POISSON, DrawnSample
from unjudged.rankings.coverage import not_random
from unjudged.rankings.extension import chosen_rows, extended
from unjudged.rankings.judged import Floats, Mask
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.origin import CHOSEN, KINDS, STRATIFIED, UNIFORM, WEIGHTED, Origin
from unjudged.rankings.pooled import PooledDocuments
from unjudged.rankings.runs import Run

SCHEMA = "unjudged-design 1 blake2b"
STATES = ("pooled", "drawn", "earlier-pooled", "earlier-drawn")
LARGEST_FILE = 1 << 31
COLUMNS = 5
MOST_STRATA = 9999


def sample_text(sample: DrawnSample) -> str:
    """Return the sample as text, from which `read_sample` restores it."""
    head = {
        "design": sample.design,
        "seed": sample.seed,
        "origin": sample.origin.kind,
        "depth": sample.origin.depth,
        "made_by": sample.made_by,
        **({"method": sample.method} if sample.method else {}),
    }
    queries = [query_id(name) for name in sample.pooled.queries]
    states = (2 * sample.earlier + sample.drawn).tolist()
    columns = sample.pooled.query.tolist(), sample.pooled.documents, sample.stratum.tolist()
    lines = [json.dumps(head, sort_keys=True)]
    for q, document, stratum, odds, state in zip(*columns, sample.probability.tolist(), states, strict=True):
        shown = "NA" if isnan(odds) else repr(odds)
        lines.append(f"{queries[q]} {document_id(document)} {stratum} {shown} {STATES[state]}")
    body = "".join(f"{line}\n" for line in lines)
    return f"{SCHEMA} {_checksum(encode(body))}\n{body}"


def read_sample(file: str | os.PathLike[str]) -> DrawnSample:
    """Read the file of a drawn sample; a damaged or edited one is refused."""
    data, source = read_small(file, "a design", LARGEST_FILE), display_name(file)
    first, _, body = data.partition(b"\n")
    schema, _, checksum = decode(first).strip().rpartition(" ")
    if schema != SCHEMA:
        problem = f"expected {SCHEMA!r} and a checksum, found {quoted(first)}: is it a design file?"
        raise InputError(problem, source=source, line=1)
    if checksum != _checksum(body):
        raise InputError("the checksum does not match: the file was damaged or edited", source=source, line=1)
    lines = body.split(b"\n")
    try:
        head = json.loads(lines[0])
        design, origin, made_by = str(head["design"]), _origin(head), str(head["made_by"])
        seed, method = whole_in_file("the seed", head["seed"], 0, 2**63 - 1), str(head.get("method", ""))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise InputError("expected a JSON object that names the design", source=source, line=2) from None
    except InputError as error:
        raise InputError(error.problem, source=source, line=2) from None
    return DrawnSample(*_columns(lines[1:], source), design, origin, seed, made_by, method)


def _columns(
    lines: list[bytes], source: str
) -> tuple[PooledDocuments, Mask, NDArray[np.int32], Floats, Mask]:
    """Return the documents, which are drawn, strata, probabilities and earlier ones; lines count from 3."""
    queries: dict[bytes, int] = {}
    listed: dict[tuple[int, bytes], int] = {}
    stratum, probability, states = [], [], []
    last = -1
    for number, line in enumerate(lines, 3):
        fields = line.split()
        if not fields:
            continue
        try:
            name, document, part, odds, state = fields
            stratum.append(whole_in_file("the stratum", part, 0, MOST_STRATA, text=True))
            probability.append(
                float("nan") if odds == b"NA" else number_in_file("the probability", odds, 0, 1, text=True)
            )
            states.append(STATES.index(decode(state)))
        except ValueError:
            problem = f"{quoted(line)}: expected {COLUMNS} columns (query document stratum probability state)"
            raise InputError(problem, source=source, line=number) from None
        except InputError as error:
            raise InputError(error.problem, source=source, line=number) from None
        query, problem = queries.setdefault(name, len(queries)), ""
        before = listed.setdefault((query, document), number)
        if query < last:
            problem = f"query {quoted(name)} comes back: its documents are not together"
        elif before < number:
            problem = f"document {quoted(document)} of query {quoted(name)} is in line {before} too"
        elif states[-1] % 2 and probability[-1] == 0:
            problem = f"document {quoted(document)} was drawn with probability 0"
        if problem:
            raise InputError(problem, source=source, line=number)
        last = query
    if not listed:
        raise InputError("no documents, expected at least one", source=source, line=3)
    offsets = np.searchsorted([q for q, _ in listed], np.arange(len(queries) + 1)).astype(np.int64)
    state_of = np.array(states, np.int64)
    pooled = PooledDocuments(Ids.of(queries), offsets, Ids.of([document for _, document in listed]))
    odds_of = np.array(probability, float)
    return pooled, state_of % 2 == 1, np.array(stratum, np.int32), odds_of, state_of >= 2


def _origin(head: dict[str, Any]) -> Origin:
    """Return the origin; version 0.2 wrote `chosen` and `drawn_to` instead."""
    drawn = WEIGHTED if head["design"] == POISSON else STRATIFIED
    kind = head["origin"] if "origin" in head else CHOSEN if head["chosen"] else drawn
    depth = head.get("depth", head.get("drawn_to"))
    if kind not in KINDS:
        raise ValueError
    return Origin(kind, None if depth is None else whole_in_file("the depth", depth, 0))


def _checksum(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


UNIFORMLY, PER_QUERY = "uniformly", "per-query"
STATED = (UNIFORMLY, PER_QUERY)
"""Ways in which scattered labels may have been drawn."""


def stated_sample(
    qrels: JudgmentsSource | Collection,
    runs: RunsSource | None = None,
    how: str = UNIFORMLY,
    *,
    depth: int | None = None,
) -> Judgments:
    """Return labels as a random sample of all pairs of query and document that the runs retrieve.

    'uniformly': every pair was equally likely to be labelled, whatever its query. 'per-query': a number of
    documents of each labelled query, all equally likely. With `depth`, only documents that a run has down to
    that rank could be drawn. Labels of other documents are left out: the rest is a random sample still.
    Labels that cannot have been drawn so are refused.

    >>> labels = {"q1": {"d1": 1}, "q2": {"d3": 0}}
    >>> run = {q: {"d1": 3, "d2": 2, "d3": 1} for q in ("q1", "q2", "q3")}
    >>> stated_sample(labels, {"mine": run}).probability.round(3).tolist()
    [0.222, 0.222, 0.222, 0.222, 0.222, 0.222, 0.222, 0.222, 0.222]
    """
    if how not in STATED:
        raise UsageError(f"sampled is {how!r}, expected one of {', '.join(STATED)}")
    collection = with_whole_grades(qrels, runs).loaded()
    labels = collection.judgments
    _check_unrecorded(labels)
    named = {name: Run.of(run) for name, run in collection.runs.items()}
    pool = extended(labels, [run.table for run in named.values()], new_queries=how == UNIFORMLY)
    rankings = judged_rankings(pool, named)
    deepest = np.inf if depth is None else checked_int("depth", depth, 1)
    reached = np.zeros(len(pool.grade), bool)
    reached[rankings.row[rankings.rank <= deepest]] = True
    frame = replace(chosen_rows(pool, reached), scale=labels.scale)
    judged = frame.grade >= 0
    if not judged.any():
        to_rank = "" if depth is None else f" down to rank {depth}"
        raise InputError(f"no labelled document is retrieved by any of the runs{to_rank}")
    left_out = int((labels.grade >= 0).sum() - judged.sum())
    if left_out:
        which = "that no run retrieves" if depth is None else f"that no run has down to rank {depth}"
        announce([AssumptionWarning(f"{counted(left_out, 'label')} of documents {which}: left out.")])
    rate = frame.pooled.judged_share(judged, None)
    if how == UNIFORMLY:
        rate = np.full(len(judged), judged.sum() / len(judged))
        sample = replace(frame, probability=rate, origin=Origin(UNIFORM, depth))
    else:
        one = np.ones(len(judged), np.int32)
        sample = replace(frame, stratum=one, origin=Origin(STRATIFIED, depth))
    if (reason := not_random(judged_rankings(sample, named), rate)) is not None:
        raise InputError(f"{reason} of what the runs retrieve, drawn {how}")
    return sample


def _check_unrecorded(labels: Judgments) -> None:
    """Refuse judgments that say themselves how they were made."""
    recorded = labels.stratum is not None or labels.probability is not None
    if recorded or labels.origin.kind == CHOSEN:
        raise UsageError(
            f"these judgments record how they were made, {labels.origin}: a statement cannot change that"
        )
