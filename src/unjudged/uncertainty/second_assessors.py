"""What another assessor would have changed, learnt from topics that a second person judged too.

For a run, d(q, p) is its value on topic q by the grades of second assessor p minus that by the first grades,
both from the documents that both judged. Topics and assessors are random effects,

    d(q, p) = shift + assessor_p + topic_qp,

so had one other assessor judged all T topics, the mean would be the mean as judged plus the shift, and

    variance = s_a^2 (1 + sum n_p^2 / n^2) + s_t^2 (1/n + 1/T),

with n_p topics of assessor p and n in all. The analysis of variance of one factor estimates it as a sum of
the mean squares between and within assessors, and Student's t has Satterthwaite's degrees of freedom. T
counts as no more than the topics of one second assessor, because the difference of two mean squares would
hold too rarely: with more topics intervals are wider than they need be. With as many topics as each second
assessor has, this is Student's interval from the means of people. It is never narrower than if people did not
differ, s_a = 0. From one second assessor s_a is not known.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from unjudged.base.errors import InputError, UsageError
from unjudged.base.segments import Integers, owners
from unjudged.base.wording import counted, shortlist
from unjudged.measures.kernel.estimand import ANOTHER_ASSESSOR, Use
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.extension import rows_of, table_of
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource

FIRST = 10
LEAST_SHARE = 0.5
"""A topic counts if this share of the judged documents among the runs' first ten was judged twice."""


def check_assessed(measure: Measure) -> None:
    """Refuse a measure whose values from fewer documents mean something else."""
    if measure.traits.estimates:
        problem = f"{measure} estimates from a random sample, and documents judged twice are none"
        raise UsageError(f"{problem}: use {measure.traits.estimates}")
    if not measure.traits.quality:
        raise UsageError(f"{measure} is not about relevance, which another assessor would change")


ANOTHER: Final = Use("an interval for another assessor", judgments=ANOTHER_ASSESSOR, check=check_assessed)


@dataclass(frozen=True, eq=False)
class SecondAssessors:
    """Judgments of second assessors, by name."""

    judgments: Mapping[str, Judgments]

    @classmethod
    def of(cls, source: Any) -> SecondAssessors:
        """From judgments of one assessor, a list of files, or a mapping of names to judgments.

        >>> SecondAssessors.of({"ann": {"q1": {"d1": 1}}, "bob": {"q2": {"d1": 0}}}).judgments["ann"]
        Judgments(1 query, 1 judged documents, 1 relevant, 0 pooled but not judged)
        """
        if isinstance(source, cls):
            return source
        if isinstance(source, str | os.PathLike):
            source = [source]
        if isinstance(source, list | tuple) and all(isinstance(one, str | os.PathLike) for one in source):
            stems = [Path(one).stem for one in source]
            several = [
                stem if stems.count(stem) == 1 else str(one) for stem, one in zip(stems, source, strict=True)
            ]
            if len(set(several)) < len(several):
                raise UsageError("the same file is given twice as second judgments")
            source = dict(zip(several, source, strict=True))
        named = isinstance(source, Mapping) and all(map(_is_source, source.values()))
        return cls(
            {str(k): Judgments.of(v) for k, v in source.items()}
            if named
            else {"second": Judgments.of(source)}
        )

    def shifts(self, measure: Measure, rankings: JudgedRankings, runs: int) -> AssessorShifts:
        """Return how the values of each run on each topic judged twice change with the assessor."""
        judgments = rankings.judgments
        near = rankings.best_rank(missing=FIRST + 1) <= FIRST
        queries = len(judgments.queries)
        parts: list[tuple[str, Integers, Floats, Floats]] = []
        thin = 0
        for name, second in self.judgments.items():
            row = rows_of(judgments, table_of(second))
            grade = np.full(len(judgments.grade), UNSAMPLED, np.int32)
            grade[row[row >= 0]] = second.grade[row >= 0]
            twice = (grade >= 0) & (judgments.grade >= 0)
            wanted = near & (judgments.grade >= 0)
            asked, known, shared = (
                np.bincount(judgments.query[rows], minlength=queries)
                for rows in (wanted, wanted & twice, twice)
            )
            whole = (shared > 0) & (known >= LEAST_SHARE * asked)
            thin += int(((shared > 0) & ~whole).sum())
            if not whole.any():
                continue
            first, other = (
                measure.compute(
                    rankings.relabelled(judgments.with_grades(np.where(twice, own, UNSAMPLED)))
                ).reshape(runs, queries)[:, whole]
                for own in (judgments.grade, grade)
            )
            parts.append((name, np.flatnonzero(whole), first, other - first))
        person = owners(np.array([len(topics) for _, topics, _, _ in parts], np.int64))
        if len(person) < 2:
            self._refuse(judgments, thin, len(person))
        names, topics, by_first, shifts = zip(*parts, strict=True)
        first, shift = (np.concatenate(values, axis=1) for values in (by_first, shifts))
        return AssessorShifts(first, shift, np.concatenate(topics), person, names, queries, thin)

    def _refuse(self, judgments: Judgments, thin: int, topics: int) -> None:
        """Say why nothing can be learnt."""
        names = {name for one in self.judgments.values() for name in one.queries}
        if not names & set(judgments.queries):
            asked = shortlist(list(names), 3)
            raise InputError(
                f"the second judgments have other queries ({asked}): expected some of the judgments'"
            )
        problem = f"{counted(topics, 'topic')} judged twice, expected two or more"
        if thin:
            problem += (
                f"; in {counted(thin, 'more topic')} a second assessor judged only few of the documents"
            )
            problem += f" that runs have among their first {FIRST}"
        raise InputError(
            f"{problem}: give whole topics to a second assessor (unjudged sample --twice-topics)"
        )


@dataclass(frozen=True, eq=False)
class AssessorShifts:
    """`shift[i, c]` is how the value of run i changes with second assessor `person[c]` on topic `topic[c]`.

    `first[i, c]` is its value by the first grades of the documents that both judged.
    """

    first: Floats
    shift: Floats
    topic: Integers
    person: Integers
    names: Sequence[str]
    topics: int
    """Topics of the mean that is asked about."""
    thin: int = 0
    """Topics of which too little was judged twice, which are left out."""

    @property
    def method(self) -> str:
        """Say what intervals rest on."""
        learnt = f"{counted(self.shift.shape[1], 'topic')} judged twice"
        left_out = f", {counted(self.thin, 'topic')} left out with too few documents judged twice" * (
            self.thin > 0
        )
        if len(self.names) == 1:
            person = f"had {self.names[0]} judged all topics, learnt from {learnt}{left_out}"
            return f"{person}; one second assessor cannot tell how far people differ"
        people = counted(len(self.names), "second assessor")
        return f"had another assessor judged, learnt from {people} on {learnt}{left_out}"

    def sets(self) -> dict[tuple[str, ...], Integers]:
        """Return the columns of each set of second assessors who judged different topics, by their names.

        Assessors share the topics of a collection, so a set is as the first assessors are: one per topic.
        Each assessor joins the first set that has none of their topics.
        """
        found: list[tuple[list[str], list[int]]] = []
        for number, name in enumerate(self.names):
            own = np.flatnonzero(self.person == number).tolist()
            topics = set(self.topic[own].tolist())
            for names, columns in found:
                if not topics & set(self.topic[columns].tolist()):
                    names.append(name)
                    columns.extend(own)
                    break
            else:
                found.append(([name], own))
        return {tuple(names): np.array(columns) for names, columns in found}

    def mean(self, run: int, confidence: float) -> tuple[float, float]:
        """Return the expected shift of a run's mean, and half the width of its interval."""
        middle, half = prediction(self.shift[run], self.person, self.topics, confidence)
        return float(middle), float(half)

    def difference(self, a: int, b: int, confidence: float) -> tuple[float, float]:
        """Return the same for the difference of two runs, a minus b."""
        middle, half = prediction(self.shift[a] - self.shift[b], self.person, self.topics, confidence)
        return float(middle), float(half)


def prediction(shift: Floats, person: Integers, topics: int, confidence: float) -> tuple[Floats, Floats]:
    """Return the mean of shifts (the last axis) and half the width for another person's mean of `topics`.

    >>> middle, half = prediction(np.array([0.1, 0.3, 0.2, 0.4]), np.array([0, 0, 1, 1]), 10, 0.95)
    >>> round(float(middle), 2), round(float(half), 4)
    (0.25, 1.1004)
    """
    from scipy.special import stdtrit

    count = np.bincount(person).astype(float)
    n, people = float(count.sum()), len(count)
    middle = shift.mean(axis=-1)
    own = np.stack([shift[..., person == p].mean(axis=-1) for p in range(people)], axis=-1)
    total = ((shift - middle[..., None]) ** 2).sum(axis=-1)
    among = (count * (own - middle[..., None]) ** 2).sum(axis=-1)
    both = 1 / n + 1 / topics
    alike = stdtrit(n - 1, (1 + confidence) / 2) * np.sqrt(both * total / (n - 1))
    if not 1 < people < n:
        return middle, alike
    between, within = among / (people - 1), np.maximum(total - among, 0) / (n - people)
    size = (n - (count**2).sum() / n) / (people - 1)
    factor = (1 + (count**2).sum() / n**2) / size
    parts = factor * between, max(both - factor, 0.0) * within
    variance = parts[0] + parts[1]
    spread = parts[0] ** 2 / (people - 1) + parts[1] ** 2 / (n - people)
    freedom = np.divide(variance**2, spread, out=np.full(np.shape(middle), n - 1.0), where=spread > 0)
    return middle, np.maximum(alike, stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(variance))


def _is_source(value: Any) -> bool:
    """Whether a value of a mapping is all judgments of one assessor, not the documents of one query."""
    if isinstance(value, Mapping):
        return bool(value) and all(isinstance(inner, Mapping) for inner in value.values())
    return isinstance(value, Judgments | str | os.PathLike) or hasattr(value, "columns")


SecondSource = (
    JudgmentsSource | SecondAssessors | Sequence[str | os.PathLike[str]] | Mapping[str, JudgmentsSource]
)
