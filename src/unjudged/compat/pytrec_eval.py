"""pytrec_eval's calls: `from unjudged.compat import pytrec_eval` in the place of `import pytrec_eval`.

>>> from unjudged.compat import pytrec_eval
>>> evaluator = pytrec_eval.RelevanceEvaluator({"q1": {"d1": 1, "d2": 0}}, {"map", "P_1"})
>>> evaluator.evaluate({"q1": {"d1": 0.3, "d2": 0.7}})
{'q1': {'map': 0.5, 'P_1': 0.0}}
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from unjudged.compat.trec_eval.translation import (
    NICKNAMES,
    ORDER,
    Column,
    Settings,
    Takes,
    columns,
    names_of,
    values,
)
from unjudged.errors import InputError, RepeatedDocument
from unjudged.formats.readers.nested import nested
from unjudged.formats.roles import QRELS, RUN, Layout
from unjudged.formats.scan import scanner
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
    """A line that is not of a run, or not of judgments."""


class RepeatedLine(InputError, AssertionError):
    """A document that stands there twice for a query."""


class RelevanceEvaluator:
    """Scores runs by the same judgments, measures and level of relevance."""

    def __init__(
        self,
        query_relevance: Grades,
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        """`judged_docs_only_flag` leaves out every document that is not judged."""
        if not isinstance(query_relevance, Mapping):
            raise TypeError("Argument query_relevance should be of type dictionary.")
        if relevance_level < 1:
            raise TypeError("Argument relevance_level should be positive.")
        self._columns = columns(_parameters(measures), Settings(relevance_level, VERSION))
        self._names = [_key(column) for column in self._columns]
        self._judged_only = bool(judged_docs_only_flag)
        judged = {query: grades for query, grades in query_relevance.items() if len(grades)}
        self._judgments = Judgments.of(judged) if judged else None
        self._queries = {query: q for q, query in enumerate(judged)}
        self._documents = [list(grades) for grades in judged.values()]

    def evaluate(self, scores: Rankings) -> dict[str, dict[str, float]]:
        """For each query of the run that is judged, the value of each measure."""
        if not isinstance(scores, Mapping):
            raise TypeError("Argument object scores should be of type dictionary.")
        if not scores or self._judgments is None:
            return {}
        matched = scanner.match_mapping(scores, self._queries, self._documents, self._judgments.offsets, True)
        rankings = JudgedRankings(
            self._judgments, matched.rank, matched.row, matched.ends, matched.retrieved, matched.query
        )
        table = values(self._columns, rankings.condensed() if self._judged_only else rankings)
        for k, column in enumerate(self._columns):
            if column.of == "num_q":
                table[:, k] = 1.0
        queries = (query for query in scores if query in self._queries)
        rows = (dict(zip(self._names, row, strict=True)) for row in table.tolist())
        return dict(zip(queries, rows, strict=True))


def evaluate_measures(
    query_relevance: Grades,
    scores: Rankings,
    measures: Iterable[str],
    relevance_level: int = 1,
    judged_docs_only_flag: bool = False,
) -> dict[str, float]:
    """In one call what `compute_aggregated_measure` makes of every measure's values.

    >>> evaluate_measures({"q1": {"d1": 1}}, {"q1": {"d1": 0.3, "d2": 0.7}}, {"map", "num_ret"})
    {'num_ret': 2.0, 'map': 0.5}
    """
    evaluator = RelevanceEvaluator(query_relevance, measures, relevance_level, judged_docs_only_flag)
    found = list(evaluator.evaluate(scores).values())
    names = list(found[0]) if found else []
    return {name: compute_aggregated_measure(name, [row[name] for row in found]) for name in names}


def compute_aggregated_measure(measure: str, values: list[float]) -> float:
    """Of the values of all queries the sum for counts, the geometric mean for gm_, else the mean."""
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """The rankings of a run's lines, or of a file that was opened: `{query: {document: score}}`."""
    return _parsed(f_run, RUN)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """The judgments of a file's lines, or of a file that was opened: `{query: {document: grade}}`."""
    return _parsed(f_qrel, QRELS)


def _parsed(lines: Iterable[str], layout: Layout) -> dict[str, dict[str, Any]]:
    try:
        return defaultdict(dict, nested(lines, layout))
    except RepeatedDocument as error:
        raise RepeatedLine(str(error)) from None
    except InputError as error:
        raise MalformedLine(str(error)) from None


_NUMBERS = re.compile(r"[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)")


def _parameters(measures: Iterable[str]) -> dict[str, str | None]:
    """Measures and their parameters, those of one measure together: `P_5` and `P.10` are P of 5 and 10."""
    found: dict[str, set[str]] = {}
    for text in measures:
        for measure in supported_nicknames.get(text, [text]):
            name, given = _split(measure)
            found.setdefault(name, set()).update(given)
    return {name: ",".join(sorted(given)) or None for name, given in found.items()}


def _split(measure: str) -> tuple[str, list[str]]:
    if measure in supported_measures:
        return measure, []
    for name in supported_measures:
        numbers = _NUMBERS.fullmatch(measure, len(name)) if measure.startswith(name) else None
        if numbers:
            return name, numbers[1].split(",")
    raise ValueError(f"unsupported measure {measure}")


def _key(column: Column) -> str:
    """pytrec_eval names a value by its cutoff, and by no other parameter."""
    return column.name if ORDER[column.of] in (Takes.WHOLE, Takes.DECIMAL) else column.of
