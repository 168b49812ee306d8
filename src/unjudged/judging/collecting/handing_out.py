"""Files for assessors: what each of them judges, in an order that says nothing about ranks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from unjudged.base.choices import checked_int
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.formats.writing import document_id, qrels_text, query_id
from unjudged.judging.collecting.drawn_sample import DrawnSample
from unjudged.judging.pooling import sampling
from unjudged.rankings.judgments import UNSAMPLED

Task = list[tuple[str, str]]
"""The (query, document) pairs that one assessor judges."""


def hand_out(
    sample: DrawnSample, *, assessors: int | None = None, twice: float = 0.0, seed: int | None = None
) -> dict[str, Task]:
    """Return the documents to judge now, by file: one per topic, or one for each assessor.

    An assessor judges whole topics, so that each topic has one view of relevance. Topics go to the assessor
    with the fewest documents so far, the largest topics first. `twice` is the share of each topic's
    documents that a second assessor judges too. Within a topic, the order depends on the seed and the names
    only; the default seed is that of the sample. Names that a file of judgments cannot hold are refused.

    >>> from unjudged import sample
    >>> from unjudged.judging import Pool
    >>> from unjudged.judging.collecting.drawn_sample import draw
    >>> tasks = hand_out(draw(Pool.of_runs(sample.runs, 10), "random", 0.5), assessors=3, twice=0.1)
    >>> {name: len(task) for name, task in tasks.items()}
    {'assessor-1.qrels': 263, 'assessor-2.qrels': 263, 'assessor-3.qrels': 263}
    """
    if not 0 <= twice <= 1:
        raise UsageError(f"twice is {twice}, expected a share from 0 to 1")
    rows, salt = sample.rows_to_judge, sample.seed if seed is None else checked_int("seed", seed)
    query, queries = sample.pooled.query, list(sample.pooled.queries)
    identity = sampling.identities_of_rows(sample.pooled, rows)
    order = np.lexsort((sampling.numbers(identity, salt, "order"), query[rows]))
    chance = sampling.numbers(identity, salt, "twice")
    counts = np.bincount(query[rows], minlength=len(queries))
    again = sampling.smallest(chance, query[rows], sampling.rounded(twice, counts))
    names = list(sample.pooled.documents.take(rows))
    check_names((queries[q], document) for q, document in zip(query[rows].tolist(), names, strict=True))
    owner, files = _owners(queries, counts.tolist(), assessors)
    if twice and assessors == 1:
        problem = "one assessor cannot judge a document twice"
        raise UsageError(f"{problem}: give --assessors 2 or more, or omit it for one file per topic")
    tasks: dict[str, Task] = {name: [] for name in files}
    for i in order.tolist():
        topic = int(query[rows[i]])
        item = queries[topic], names[i]
        tasks[files[owner[topic]]].append(item)
        if again[i] and assessors is not None:
            tasks[files[(owner[topic] + 1) % len(files)]].append(item)
        elif again[i]:
            tasks.setdefault(files[owner[topic]].replace(".qrels", "-second.qrels"), []).append(item)
    return {name: _together(task) for name, task in tasks.items() if task}


def check_names(task: Iterable[tuple[str, str]]) -> None:
    """Refuse names that a file of judgments cannot hold, before anyone judges."""
    for query, document in task:
        query_id(query)
        document_id(document)


def _owners(queries: list[str], counts: list[int], assessors: int | None) -> tuple[list[int], list[str]]:
    """Return the file of each topic, and the names of the files."""
    if assessors is None:
        digits = len(str(len(queries)))
        safe = [re.sub(r"[^A-Za-z0-9_-]", "_", query)[:40] for query in queries]
        return list(range(len(queries))), [
            f"topic-{number:0{digits}d}-{name}.qrels" for number, name in enumerate(safe, 1)
        ]
    checked_int("assessors", assessors, least=1)
    load, owner = [0] * assessors, [0] * len(queries)
    for topic in sorted(range(len(queries)), key=lambda q: (-counts[q], q)):
        owner[topic] = load.index(min(load))
        load[owner[topic]] += counts[topic]
    digits = len(str(assessors))
    return owner, [f"assessor-{number:0{digits}d}.qrels" for number in range(1, assessors + 1)]


def _together(task: Task) -> Task:
    """Return each topic's documents together, in the order that they have."""
    first = {query: place for place, query in enumerate(dict.fromkeys(query for query, _ in task))}
    return sorted(task, key=lambda item: first[item[0]])


def task_texts(tasks: Mapping[str, Task], marks: Sequence[str] = ()) -> dict[str, str]:
    """Return the files as qrels with -1 instead of each grade; `marks` are further comments of each."""
    texts = {}
    for name, task in tasks.items():
        topics = counted(len({query for query, _ in task}), "topic")
        head = f"{counted(len(task), 'document')} of {topics} to judge: "
        rows = [(query, document, UNSAMPLED) for query, document in task]
        texts[name] = qrels_text(rows, [head + "replace each -1 by a grade.", *marks])
    return texts
