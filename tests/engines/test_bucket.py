"""Queries evaluated bucket by bucket have, to the last bit, the values they have all together."""

from __future__ import annotations

from dataclasses import replace
from inspect import Parameter
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow
import pytest

from unjudged import MEASURES, InputError, Judgments, Run, UsageError, evaluate, measure, sample
from unjudged.base.segments import Floats
from unjudged.engines.spark import Task
from unjudged.evidence.value_bounds import bounds
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.judged import JudgedRankings

AT = {"recall": "@0.1", "cutoff": "@10", "multiple": "@1.0"}
EVERY = [
    name + next((AT[key] for key, default in m.parameters.items() if default is Parameter.empty), "")
    for name, m in MEASURES.items()
    if m.function.__module__.startswith("unjudged.") and not m.traits.across_queries
]


def judgment_rows() -> pyarrow.Table:
    """The sample's judgments with strata and probabilities."""
    j = Judgments.read(sample.qrels)
    names = np.array(list(j.queries))[j.query]
    number = np.arange(len(j.grade))
    return pyarrow.table(
        {
            "query": names,
            "document": list(j.documents),
            "grade": j.grade,
            "stratum": number % 3,
            "method": np.ones(len(names), np.int64),
            "probability": 1 / (1 + number % 7),
            "place": number,
        }
    )


def run_rows() -> pyarrow.Table:
    tables = []
    for number, path in enumerate(sample.runs.values()):
        run = Run.read(path)
        names = np.repeat(np.array(list(run.queries)), np.diff(run.offsets))
        columns = {"query": names, "document": list(run.documents), "score": run.scores}
        tables.append(pyarrow.table({**columns, "run": np.full(len(names), number, np.int32)}))
    return pyarrow.concat_tables(tables)


def shuffled(table: pyarrow.Table, seed: int) -> pyarrow.Table:
    return table.take(np.random.default_rng(seed).permutation(len(table)))


def test_bucket_by_bucket() -> None:
    qrels, runs = judgment_rows(), run_rows()
    asked = [*EVERY, "subAP(seed=1)", "AP(unjudged='condensed')@10", "nDCG(gains={1: 2, 2: 7})"]
    expected = evaluate(qrels.drop_columns("place"), sample.runs, asked)
    task = Task.of(list(sample.runs), parse_measures(asked))
    bucket_of = {query: i * i % 4 for i, query in enumerate(expected.queries)}  # buckets 2 and 3 stay empty
    found = {}
    for bucket in range(4):
        own = [
            pyarrow.array([bucket_of.get(q, 0) == bucket for q in t["query"].to_pylist()])
            for t in (runs, qrels)
        ]
        result = task.score(shuffled(runs.filter(own[0]), bucket), shuffled(qrels.filter(own[1]), bucket))
        found.update({tuple(row.values())[:3]: row["value"] for row in result.to_pylist()})
    rows = {tuple(row[:3]): row.value for row in expected}
    assert found.keys() == rows.keys()
    assert [key for key, value in rows.items() if found[key] != value] == []


def test_depth_and_a_measure_of_your_own() -> None:
    @measure()
    def Top(r: JudgedRankings, *, rel: int = 1) -> Floats:
        """Whether the first document is relevant."""
        return r.where((r.labels >= rel) & (r.rank == 1)).counts.astype(float)

    asked = [Top(rel=2), MEASURES["AP"]]
    result = Task.of(list(sample.runs), asked, depth=5).score(run_rows(), judgment_rows())
    expected = evaluate(sample.qrels, sample.runs, asked, depth=5)
    assert result["value"].to_numpy().tobytes() == expected.values.tobytes()
    with pytest.raises(UsageError, match="depth is 0"):
        Task.of(["a"], asked, depth=0)
    with pytest.raises(UsageError, match="needs further judgments, which engines do not distribute"):
        Task.of(["a"], [MEASURES["infAP"](actual=str(sample.qrels))])


def test_rows_that_are_wrong() -> None:
    run = {"query": ["q", "r"], "document": ["a", "b"], "score": [1.0, 2.0], "run": [0, 0]}
    qrels = {"query": ["q"], "document": ["a"], "grade": [1], "place": [0]}
    task = Task.of(["mine"], parse_measures("AP"))
    wrong: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({"score": [1.0, None]}, {}, "a row of run 'mine': the score is missing"),
        ({"score": ["1", "x"]}, {}, "a row of run 'mine': the score is 'x', expected a finite number"),
        ({"query": ["q", None]}, {}, "a row of run 'mine': the query is null"),
        ({"query": ["r", "r"], "document": ["b", "b"]}, {}, "document 'b' of query 'r' appears twice"),
    ]
    for in_run, in_qrels, message in wrong:
        for judged in (1, 0):
            tables = pyarrow.table({**run, **in_run}), pyarrow.table({**qrels, **in_qrels}).slice(0, judged)
            if judged or in_run:
                with pytest.raises(InputError, match=message):
                    task.score(*tables)
    assert len(task.score(pyarrow.table(run), pyarrow.table(qrels).slice(0, 0))) == 0


def test_bounds_bucket_by_bucket() -> None:
    """The highest grade of all judgments counts, also in buckets that lack it."""
    qrels, runs = judgment_rows().drop_columns(["stratum", "method", "probability"]), run_rows()
    asked = ["P@10", "nDCG@10", "AP", "RBP(p=0.8)", "ERR@10", "statAP"]
    judgments = Judgments.read(qrels.drop_columns("place"))
    every = evaluate(judgments, sample.runs, asked)
    top = int(judgments.grade.max())
    task = replace(Task.of(list(sample.runs), parse_measures(asked)), highest=top)
    found = {}
    for bucket in range(7):
        own = [
            pyarrow.array([crc32(q.encode()) % 7 == bucket for q in t["query"].to_pylist()])
            for t in (runs, qrels)
        ]
        for row in task.score(runs.filter(own[0]), qrels.filter(own[1])).to_pylist():
            found[row["run"], row["query"], row["measure"]] = (row["value"], row["low"], row["high"])
    for k, known in enumerate(every.cube.measures):
        shape = len(every.runs), len(every.queries)
        if str(known) == "statAP":
            assert all(ends[1:] == (None, None) for key, ends in found.items() if key[2] == "statAP")
            continue
        limits = bounds(known, every.rankings)
        low, high = limits.low.reshape(shape), limits.high.reshape(shape)
        for i, run in enumerate(every.runs):
            for j, query in enumerate(every.queries):
                expected = every.values[i, j, k], low[i, j], high[i, j]
                assert found[run, query, str(known)] == expected
