"""Files for assessors: what each of them judges, in an order that says nothing about ranks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from unjudged.base.choices import checked_int
from unjudged.base.errors import InputError
from unjudged.base.segments import Integers
from unjudged.base.wording import counted, shortlist
from unjudged.formats.writing import document_id, qrels_text, query_id
from unjudged.judging.collecting.assignment import Assignment, assign, by_topic
from unjudged.judging.collecting.drawn_sample import DrawnSample
from unjudged.judging.pooling import sampling
from unjudged.rankings.judgments import UNSAMPLED

ASSESSOR = "unjudged-assessor"
"""How a comment begins that says who judges."""
Task = list[tuple[str, str]]
"""The (query, document) pairs that one assessor judges."""


def hand_out(
    sample: DrawnSample,
    *,
    assessors: int | Sequence[str] | None = None,
    twice: float | None = None,
    twice_topics: int | None = None,
    assignment: Assignment | None = None,
    seed: int | None = None,
) -> dict[str, Task]:
    """Return the documents to judge now, by file: one per topic, or one for each assessor.

    An assessor judges whole topics, so that each topic has one view of relevance. Who judges which topic says
    the `assignment`, or else `assign` with the other options. The share that a second assessor judges too is
    one of all documents drawn so far, so over several rounds it stays the same. Within a topic, the order
    depends on the seed and the names only; the default seed is that of the sample. Names that a file of
    judgments cannot hold are refused.

    >>> from unjudged import sample
    >>> from unjudged.judging import Pool
    >>> from unjudged.judging.collecting.drawn_sample import draw
    >>> tasks = hand_out(draw(Pool.of_runs(sample.runs, 10), "random", 0.5), assessors=3, twice=0.1)
    >>> {name: len(task) for name, task in tasks.items()}
    {'assessor-1.qrels': 261, 'assessor-2.qrels': 265, 'assessor-3.qrels': 263}
    """
    rows, salt = sample.rows_to_judge, sample.seed if seed is None else checked_int("seed", seed)
    query, pairs = sample.pooled.query[rows], sample.to_judge()
    if assignment is None and assessors is None:
        assignment = by_topic(sample, twice=twice, twice_topics=twice_topics, seed=salt)
    elif assignment is None:
        assignment = assign(sample, assessors, twice=twice, twice_topics=twice_topics, seed=salt)
    identity = sampling.identities_of_rows(sample.pooled, rows)
    order = np.lexsort((sampling.numbers(identity, salt, "order"), query))
    again = sampling.smallest(sampling.numbers(identity, salt, "twice"), query, _again(sample, assignment))
    check_names(pairs)
    tasks: dict[str, Task] = {name: [] for name in assignment.assessors}
    for i in order.tolist():
        topic, _ = pairs[i]
        for name in [assignment.own[topic], *(assignment.second.get(topic, ()) if again[i] else ())]:
            tasks[name].append(pairs[i])
    return {f"{name}.qrels": task for name, task in tasks.items() if task}


def _again(sample: DrawnSample, assignment: Assignment) -> Integers:
    """Return how many of each topic's new documents are judged twice, so that the share of all is kept."""
    queries = list(sample.pooled.queries)
    if unknown := [topic for topic in queries if topic not in assignment.own]:
        problem = f"the assignment lacks {counted(len(unknown), 'topic')}: {shortlist(unknown)}"
        raise InputError(f"{problem}: add them, or use assign(..., since=assignment)")
    doubled = np.array([topic in assignment.second for topic in queries], np.int64)
    now, before = (sample.by_topic(rows) for rows in (sample.drawn, sample.drawn & sample.earlier))
    more = sampling.rounded(assignment.twice, now) - sampling.rounded(assignment.twice, before)
    wanted: Integers = doubled * more
    return wanted


def check_names(task: Iterable[tuple[str, str]]) -> None:
    """Refuse names that a file of judgments cannot hold, before anyone judges."""
    for query, document in task:
        query_id(query)
        document_id(document)


def task_texts(
    tasks: Mapping[str, Task], marks: Sequence[str] = (), *, named: bool = False
) -> dict[str, str]:
    """Return the files as qrels with -1 instead of each grade; `marks` are further comments of each.

    If files are `named` after assessors, each says whose it is, so that answers are known by name.
    """
    texts = {}
    for name, task in tasks.items():
        topics = counted(len({query for query, _ in task}), "topic")
        head = f"{counted(len(task), 'document')} of {topics} to judge: "
        rows = [(query, document, UNSAMPLED) for query, document in task]
        own = [f"{ASSESSOR} {name.removesuffix('.qrels')}"] if named else []
        asked = 'replace each -1 by a grade, or by -2 for "cannot judge".'
        texts[name] = qrels_text(rows, [head + asked, *own, *marks])
    return texts
