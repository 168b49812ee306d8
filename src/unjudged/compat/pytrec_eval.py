"""pytrec_eval's calls: write `from unjudged.compat import pytrec_eval` instead of `import pytrec_eval`.

>>> from unjudged.compat import pytrec_eval
>>> evaluator = pytrec_eval.RelevanceEvaluator({"q1": {"d1": 1, "d2": 0}}, {"map", "P_1"})
>>> evaluator.evaluate({"q1": {"d1": 0.3, "d2": 0.7}})
{'q1': {'map': 0.5, 'P_1': 0.0}}
"""

from __future__ import annotations

import codecs
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np

from unjudged.base.errors import InputError, RepeatedDocument, UnjudgedError, UsageError, quoted
from unjudged.base.wording import kind_of
from unjudged.compat.trec_eval_measures import (
    NICKNAMES,
    ORDER,
    Column,
    Settings,
    Stop,
    Takes,
    columns,
    names_of,
    values,
)
from unjudged.data import matching
from unjudged.data.columns import DECIMAL, LARGEST_WHOLE, QRELS, RUN, Layout
from unjudged.data.nested_dicts import WrongType, plain_dict, scores_by_document, table_of_rankings
from unjudged.data.scan import scanner
from unjudged.data.scan.checks import MOST_ROWS
from unjudged.data.streams import name_source_in_errors
from unjudged.data.tables import encode
from unjudged.measures.kernel.registry import MEASURES
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "evaluate_measures",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

VERSION = 9
"""pytrec_eval runs trec_eval 9."""

supported_measures = set(names_of("all_trec", VERSION))
supported_nicknames = {name: set(names_of(name, VERSION)) for name in NICKNAMES}

Rankings = Mapping[str, Mapping[str, float]]
Grades = Mapping[str, Mapping[str, int]]


class MalformedLine(InputError, ValueError):
    """A line that cannot be read as part of a run, or of judgments."""


class RepeatedLine(InputError, AssertionError):
    """A line that repeats a document of its query."""


class RelevanceEvaluator:
    """Scores runs with the same judgments, measures and lowest relevant grade."""

    def __init__(
        self,
        query_relevance: Grades,
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        """`judged_docs_only_flag` ignores every document that is not judged."""
        with name_source_in_errors(""):
            judged = _copied(query_relevance)
        level = _level(relevance_level)
        self._columns = _chosen(_texts(measures), level, MEASURES.changes)
        self._names = [_key(column) for column in self._columns]
        self._judged_only = bool(judged_docs_only_flag)
        self._judgments = Judgments.whole(judged) if judged else None

    def evaluate(self, scores: Rankings) -> dict[str, dict[str, float]]:
        """Return the value of each measure, for each query of the run that is judged."""
        if not isinstance(scores, Mapping):
            raise WrongType("Argument object scores should be of type dictionary.")
        with name_source_in_errors(""):
            run = plain_dict(scores)
            if not run or self._judgments is None:
                return {}
            queries, documents, _ = self._judgments.pooled.keys(run)
            judged = queries, documents, self._judgments.offsets, MOST_ROWS, True
            own = {query: ranking for query, ranking in run.items() if query in queries}
            matched = scanner.match_dicts(own, *judged)
            if matched is None:  # some are not plain
                own = {query: scores_by_document(query, ranking) for query, ranking in own.items()}
                matched = scanner.match_dicts(own, *judged)
            if matched is None:
                matched = matching.match(table_of_rankings(own), self._judgments.index)
        rankings = JudgedRankings(
            self._judgments, matched.rank, matched.row, matched.ends, matched.retrieved, matched.query
        )
        table = values(self._columns, rankings.condensed() if self._judged_only else rankings)
        for k, column in enumerate(self._columns):
            if column.of == "num_q":
                table[:, k] = 1.0
        rows = [dict(zip(self._names, row, strict=True)) for row in table.tolist()]
        return dict(zip([query for query in run if query in queries], rows, strict=True))


def _copied(query_relevance: Any) -> dict[str, dict[str, int]]:
    """Return the queries that have judgments. Dicts that are not plain are copied."""
    if not isinstance(query_relevance, Mapping):
        raise WrongType("Argument query_relevance should be of type dictionary.")
    judged = plain_dict(query_relevance)
    for query, grades in judged.items():
        if not isinstance(grades, Mapping):
            what = f"query {quoted(str(query))} holds {kind_of(grades)}"
            raise WrongType(f"{what}, expected a dict of documents and their grades")
    copies = {q: grades if type(grades) is dict else plain_dict(grades) for q, grades in judged.items()}
    kept = {query: grades for query, grades in copies.items() if grades}
    for query, grades in list(kept.items())[:1]:  # where the first ids are whole numbers, others accept them
        for name in (query, *list(grades)[:1]):
            if not isinstance(name, str):
                what = f"query {quoted(str(query))}: {quoted(str(name))} is {kind_of(name)}"
                raise WrongType(f"{what}, expected a string")
    return kept


def _level(relevance_level: int) -> int:
    try:
        level = index(relevance_level)
    except TypeError:
        raise WrongType("Argument relevance_level should be an integer.") from None
    if not 1 <= level <= LARGEST_WHOLE:
        raise WrongType(f"Argument relevance_level should be positive, and at most {LARGEST_WHOLE}.")
    return level


def evaluate_measures(
    query_relevance: Grades,
    scores: Rankings,
    measures: Iterable[str],
    relevance_level: int = 1,
    judged_docs_only_flag: bool = False,
) -> dict[str, float]:
    """Evaluate a run and aggregate each measure, as `compute_aggregated_measure` does, in one call.

    >>> evaluate_measures({"q1": {"d1": 1}}, {"q1": {"d1": 0.3, "d2": 0.7}}, {"map", "num_ret"})
    {'num_ret': 2.0, 'map': 0.5}
    """
    evaluator = RelevanceEvaluator(query_relevance, measures, relevance_level, judged_docs_only_flag)
    rows = list(evaluator.evaluate(scores).values())
    names = list(rows[0]) if rows else []
    return {name: compute_aggregated_measure(name, [row[name] for row in rows]) for name in names}


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """Aggregate the values of all queries: the sum for counts, the geometric mean for gm_, else the mean."""
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read the lines of a run, or an open file, into `{query: {document: score}}`."""
    return _parsed(f_run, RUN)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read the lines of judgments, or an open file, into `{query: {document: grade}}`."""
    return _parsed(f_qrel, QRELS)


def _parsed(lines: Iterable[str], layout: Layout) -> dict[str, dict[str, Any]]:
    try:
        table = matching.grouped(scanner.read_table(_bytes(lines), layout)[0])
        rows = scanner.nested_rows(table, DECIMAL not in layout.kinds)
        if sum(map(len, rows.values())) < len(table.documents):
            matching.index(table)  # refuses the repeated document
        return defaultdict(dict, rows)
    except RepeatedDocument as error:
        raise RepeatedLine(str(error)) from None
    except UnjudgedError as error:
        raise MalformedLine(str(error)) from None


def _bytes(lines: Iterable[str]) -> Any:
    """Return a stream of the lines' bytes: the file's own if nothing was read from it yet."""
    if isinstance(lines, io.TextIOWrapper) and codecs.lookup(lines.encoding).name in ("utf-8", "ascii"):
        try:
            if lines.tell() == 0:
                return lines.buffer
        except OSError:
            pass
    return io.BytesIO(encode(lines.read() if isinstance(lines, io.TextIOBase) else "\n".join(lines)))


_NUMBERS = re.compile(r"[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)", re.ASCII)


def _texts(measures: Iterable[str]) -> tuple[str, ...]:
    if not isinstance(measures, Iterable):
        raise WrongType("Argument measures should be a collection of names.")
    texts = tuple(measures)
    for text in texts:
        if not isinstance(text, str):
            raise WrongType(f"a measure is of type {type(text).__name__}, expected a name")
    return texts


@lru_cache(maxsize=256)
def _chosen(measures: tuple[str, ...], level: int, _: int) -> list[Column]:
    """Return the values to compute, which are chosen again only after a change of the registry."""
    try:
        return columns(_parameters(measures), Settings(level, VERSION))
    except Stop as error:
        raise UsageError("; ".join(map(str, error.args))) from None


def _parameters(measures: Iterable[str]) -> dict[str, str | None]:
    """Return the parameters of each measure: `P_5` and `P.10` together are P with cutoffs 5 and 10."""
    parameters: dict[str, set[str]] = {}
    for text in measures:
        for measure in supported_nicknames.get(text, [text]):
            name, given = _split(measure)
            parameters.setdefault(name, set()).update(given)
    return {name: ",".join(sorted(given)) or None for name, given in parameters.items()}


def _split(measure: str) -> tuple[str, list[str]]:
    if measure in supported_measures:
        return measure, []
    for name in supported_measures:
        numbers = _NUMBERS.fullmatch(measure, len(name)) if measure.startswith(name) else None
        if numbers:
            given = numbers[1].split(",")
            if any(float(number) > LARGEST_WHOLE for number in given):
                raise UsageError(f"measure {quoted(measure)}: expected numbers up to {LARGEST_WHOLE}")
            return name, given
    raise UsageError(f"unsupported measure {quoted(measure)}, expected one of supported_measures")


def _key(column: Column) -> str:
    """pytrec_eval includes a cutoff in the name of a value, but no other parameter."""
    return column.name if ORDER[column.of] in (Takes.WHOLE, Takes.DECIMAL) else column.of
