"""Calibrated intervals: how far off were the pooled groups when each was left out?

For each left-out run, truth is its mean under all judgments, and value its mean with the documents of its
own group unjudged, with the bounds low and high. Were unjudged documents relevant as often as the judged ones
of its first ranks, a share p, they would be worth about p (high - low). A power of this is the scale:

    score = (truth - value) / scale,    scale = (p (high - low)) ** 1.15

Split conformal prediction turns the scores into an interval: value +- s scale, cut to the bounds, s the
ceil((n + 1) confidence)-th smallest |score|. It holds for a run that is like the left-out ones; others get
their bounds.

A group is a team or a family of systems. U_g are the judged documents that only group g brought to the pool,
down to its depth. With U_g unjudged, the runs of g are like a new run: unseen by the judging.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unjudged.base.errors import AssumptionWarning, InputError, UsageError, announce, quoted
from unjudged.base.segments import Floats, Integers, Mask, ends
from unjudged.base.wording import counted, percent
from unjudged.data.streams import PathLike, display_name, read_small
from unjudged.data.values import number_in_file, whole_in_file
from unjudged.data.writing import write_whole
from unjudged.evidence.filled import anonymous
from unjudged.evidence.value_bounds import bounds
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.permitted import LEAVING_OUT, check_permitted
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.coverage import few_judged
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import UNIFORM

POWER = 1.15
SCHEMA = "unjudged calibration 6"
RANDOM_SAMPLE = "for an interval judge a random sample of its documents (`unjudged next --design holes`)"


@dataclass(frozen=True, eq=False)
class CalibratedMeans:
    """Mean of each run with its interval, its first documents, and whether it is unlike the left-out ones."""

    value: Floats
    low: Floats
    high: Floats
    first: FirstDocuments
    unlike: Mask


@dataclass(frozen=True)
class Calibration:
    """Lessons of leaving out each group: rows of group and score of left-out runs, by measure.

    `unjudged` and `relevant` are shares of the first 30 documents of each left-out run. The `runs` that are
    unlike the others in these shares have no scores.

    It holds for runs on the same queries and judgments: `topics` and `fingerprint` identify the judgments
    that it was made from, `judgments` is their name.
    """

    groups: int
    runs: int
    queries: int
    depth: int
    unjudged: tuple[float, ...]
    relevant: tuple[float, ...]
    scores: Mapping[str, tuple[tuple[int, float], ...]]
    topics: str = ""
    fingerprint: str = ""
    judgments: str = ""
    made_by: str = ""

    def check_collection(self, judgments: Judgments) -> None:
        """Refuse judgments of other queries; warn of other judgments of these queries."""
        if not self.topics or not len(judgments.queries.data):
            return
        named = f"{self.judgments or 'judgments'} ({counted(self.queries, 'query')})"
        if self.topics != judgments.topics:
            problem = f"the calibration was made from {named}, which have other queries than these judgments"
            raise UsageError(f"{problem}: calibrations hold for their own collection only")
        if self.fingerprint != judgments.fingerprint:
            what = f"The calibration was made from other judgments of these queries ({named})"
            announce([AssumptionWarning(f"{what}: make it again if many documents were judged since.")])

    def errors(self, measure: Measure) -> Floats:
        """Return the size of each score of a measure; refuse one for which nothing was learnt."""
        if str(measure) not in self.scores:
            known = ", ".join(self.scores) or "no measure"
            raise UsageError(f"the calibration has no {measure}; it has {known}")
        return np.abs([score for _, score in self.scores[str(measure)]])

    def radius(self, measure: Measure, confidence: float) -> float:
        """Return the ceil((n + 1) confidence)-th smallest |score|."""
        errors = self.errors(measure)
        return float(np.sort(errors)[place_of(len(errors), confidence) - 1])

    def check(self, measure: Measure, confidence: float) -> None:
        """Refuse a level that the groups, or the scores of this measure, cannot give."""
        self.errors(measure)
        if problem := self.too_few_groups(confidence, [measure]):
            raise UsageError(problem)

    def level(self, confidence: float, measures: Sequence[Measure] = ()) -> float:
        """Return this confidence, or the highest that some of the measures can have."""
        most = _most(self._deciding(measures)[0])
        return most if self.too_few_groups(confidence, measures) else confidence

    def too_few_groups(self, confidence: float, measures: Sequence[Measure] = ()) -> str:
        """Say that none of the measures can have this confidence, and which they can; nothing if one can."""
        count, what, which = self._deciding(measures)
        if confidence * (count + 1) <= count + 1e-9:
            return ""
        least = f"{'it' if count == 1 else 'they'} can give at most {percent(_most(count))}"
        return f"{counted(count, what)}{which} cannot give {percent(confidence)} confidence; {least}"

    def _deciding(self, measures: Sequence[Measure]) -> tuple[int, str, str]:
        """Count what limits the level: the groups, or the scores of the measure that has the most."""
        counts = {measure: len(self.errors(measure)) for measure in measures if str(measure) in self.scores}
        most = max(counts, key=lambda measure: counts[measure], default=None)
        if most is None or self.groups <= counts[most]:
            return self.groups, "group", ""
        return counts[most], "left-out run", f" with unjudged documents that count for {most}"

    def means(self, measure: Measure, rankings: JudgedRankings, confidence: float) -> CalibratedMeans:
        """Return the mean of each run with its calibrated interval, or bounds if it is unlike the others."""
        self.check_collection(rankings.judgments)
        self.check(measure, confidence)
        if (why := sampled(rankings)) is not None:
            raise UsageError(f"calibrated intervals need a pool, and {why}: use bounds")
        rankings, queries = rankings.cut(self.depth), len(rankings.judgments.queries)
        value = mean_over_queries(measure.compute(rankings).reshape(-1, queries))
        least, most = mean_bounds(measure, rankings, queries)
        first = FirstDocuments.of(rankings, queries)
        scale = scale_of(most - least, first.relevant)
        known = FirstDocuments(np.array(self.unjudged), np.array(self.relevant))
        unlike = (scale > 0) & unusual(first, known)
        reach = np.where(unlike, most - least, scale * self.radius(measure, confidence))
        low, high = np.maximum(value - reach, least), np.minimum(value + reach, most)
        return CalibratedMeans(value, low, high, first, unlike)

    def describe(self, means: CalibratedMeans, run: int, name: str) -> str:
        """Say what was assumed; of a run unlike the left-out ones, where it differs from them."""
        learnt = f"calibrated on {self.runs} runs of {self.groups} groups, cut at rank {self.depth}"
        if not means.unlike[run]:
            return f"{learnt}, each group left out in turn; assumes runs like theirs"
        unjudged, relevant = float(means.first.unjudged[run]), float(means.first.relevant[run])
        above = [
            f"{percent(float(np.mean(np.array(known) < own - 1e-12)), 0)}"
            for known, own in ((self.unjudged, unjudged), (self.relevant, relevant))
        ]
        shares = (
            f"of the first {FIRST} documents of {name}, {percent(unjudged, 0)} are unjudged, more than in "
            f"{above[0]} of the left-out runs, and {percent(relevant, 0)} of the judged are relevant, "
            f"more than in {above[1]}"
        )
        return f"{learnt}; unlike them ({shares}), so these are bounds: {RANDOM_SAMPLE}"

    def save(self, path: PathLike) -> None:
        """Write the calibration to a small JSON file, whole or not at all, for use without the runs."""
        write_whole(path, json.dumps({"schema": SCHEMA, **asdict(self)}) + "\n")

    @classmethod
    def load(cls, path: PathLike) -> Calibration:
        """Read a file that `save` wrote."""
        text = read_small(path, "a calibration")
        try:
            fields = json.loads(text)
            return cls(**_checked(fields))
        except InputError as error:
            problem = f": {error.problem}"
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
            problem = ""
        remedy = "use a file written by `unjudged.calibrate(...).save(FILE)` of this version"
        raise InputError(f"not a calibration{problem}; {remedy}", source=display_name(path))


def scale_of(width: Floats, relevant: Floats) -> Floats:
    """Return (p (high - low)) ** 1.15, p the relevant share of a run's first judged documents."""
    scale: Floats = (relevant * np.where(width > 1e-12, width, 0)) ** POWER
    return scale


def place_of(count: int, confidence: float) -> int:
    """Return the place of the sorted score that bounds a new run's: ceil((n + 1) confidence)."""
    return math.ceil((count + 1) * confidence - 1e-9)


def _most(count: int) -> float:
    """Return the highest confidence that this number of scores can give, in whole thousandths."""
    return math.floor(1000 * count / (count + 1) + 1e-9) / 1000


def _checked(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a file with their values, or raise some error."""
    if fields["schema"] != SCHEMA:
        raise InputError(f"it is {quoted(str(fields['schema']))}, not {SCHEMA!r}")
    counts = ("groups", "runs", "queries", "depth")
    texts = ("topics", "fingerprint", "judgments", "made_by")
    found: dict[str, Any] = {name: whole_in_file(name, fields[name], 1) for name in counts}
    for name in ("unjudged", "relevant"):
        found[name] = tuple(number_in_file(name, share, 0, 1) for share in fields[name])
    if not 0 < len(found["unjudged"]) == len(found["relevant"]):
        raise InputError("its unjudged and relevant shares are of different runs, or of none")
    found["scores"] = {
        name: tuple(
            (whole_in_file("a group", group, 0), number_in_file("a score", score)) for group, score in rows
        )
        for name, rows in fields["scores"].items()
    }
    found |= {name: fields[name] for name in texts}
    if not all(
        isinstance(text, str) and text.isprintable() for text in (*found["scores"], *map(found.get, texts))
    ):
        raise InputError("it names something by what is not text")
    return found


TOP = 10
FIRST = 30
USUAL = 0.95
"""Runs above this share of the left-out runs are unlike them."""
POOLED_SHARE = 0.9
"""Of the listed documents that runs have in their first ten, a pool has at least this share judged."""
JUDGED_SHARE, NEARLY_ALL = 0.6, 0.95
"""Of the documents that pooled runs have down to the pool's depth at least this share is judged, usually
nearly all."""
DEEPEST = 100
"""The depth that is taken for the pool's if the judgments reach so far."""


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Rankings of pooled runs cut at the pool's depth, and the group of each run (0, 1, ...)."""

    rankings: JudgedRankings
    group: Integers

    @classmethod
    def of(cls, rankings: JudgedRankings, group: Sequence[int] | Integers, depth: int) -> LeftOut:
        return cls(rankings.cut(depth), np.asarray(group, np.int64))

    @property
    def groups(self) -> int:
        return int(self.group.max(initial=-1)) + 1

    @cached_property
    def run(self) -> Integers:
        """Run of each ranking."""
        return np.arange(len(self.rankings)) // len(self.rankings.judgments.queries)

    @cached_property
    def contributors(self) -> Mask:
        """Rows x groups: which groups brought each document to the pool."""
        found = np.zeros((len(self.rankings.judgments.grade), self.groups), bool)
        found[self.rankings.row, self.group[self.run[self.rankings.ranking]]] = True
        return found

    @cached_property
    def sole_group(self) -> Integers:
        """Only group that brought each judged document, -1 if there are several or none."""
        return np.where(self.rankings.judgments.grade >= 0, self.only_group, -1)

    @cached_property
    def only_group(self) -> Integers:
        """Only group that brought each document, judged or not; -1 if there are several or none."""
        return np.where(self.contributors.sum(axis=1) == 1, self.contributors.argmax(axis=1), -1)

    def each(self) -> JudgedRankings:
        """Every run over a pool of its own, in which the documents of its group alone are unjudged.

        A hidden document that the run did not retrieve is not in its pool: a new run would not know of it.
        """
        r, hidden = self.rankings, self.sole_group[None, :] == self.group[:, None]
        runs, rows = hidden.shape
        copy = self.run[r.ranking] * rows + r.row
        grade = np.where(hidden, -1, r.judgments.grade[None, :]).astype(np.int32).ravel()
        kept = ~hidden.ravel()
        kept[copy] = True
        new_row = (np.cumsum(kept) - 1).astype(np.int32)
        starts = (r.judgments.offsets[None, :-1] + rows * np.arange(runs)[:, None]).ravel()
        offsets = np.append(ends(kept)[starts], kept.sum())
        return JudgedRankings(
            judgments=anonymous(offsets, grade[kept]),
            rank=r.rank,
            row=new_row[copy],
            offsets=ends(r.counts),
            retrieved=r.retrieved,
            query=np.arange(len(r), dtype=np.int32),
        )

    def means(self, measure: Measure, rankings: JudgedRankings) -> Floats:
        """Return the mean of each run."""
        return mean_over_queries(measure.compute(rankings).reshape(-1, len(self.rankings.judgments.queries)))


@dataclass(frozen=True, eq=False)
class FirstDocuments:
    """Per run, of its first 30 documents over all queries: the unjudged share, and the relevant share.

    They show whether a new run is like the left-out ones. If far more of it is unjudged it is not. Nor is it
    if its judged documents are relevant far more often: it finds what the others do not, and among its
    unjudged documents are relevant ones, too. The relevant share is of the judged documents with one relevant
    and one nonrelevant document added, so it is never 0.
    """

    unjudged: Floats
    relevant: Floats

    @classmethod
    def of(cls, rankings: JudgedRankings, queries: int) -> FirstDocuments:
        first, labels = rankings.rank <= FIRST, rankings.labels
        judged, relevant = (
            rankings.where(first & chosen).counts.reshape(-1, queries).sum(axis=1)
            for chosen in (labels >= 0, labels >= 1)
        )
        retrieved = np.minimum(rankings.retrieved, FIRST).reshape(-1, queries).sum(axis=1)
        return cls(1 - judged / np.maximum(retrieved, 1), (relevant + 1) / (judged + 2))


def unusual(new: FirstDocuments, known: FirstDocuments) -> Mask:
    """Return which runs have a larger share than 95 % of the known runs: the ceil(.95 (n + 1))-th, or all."""
    place = min(math.ceil((len(known.unjudged) + 1) * USUAL - 1e-9), len(known.unjudged))
    limits = [np.sort(share)[place - 1] if place else 0.0 for share in (known.unjudged, known.relevant)]
    above: Mask = (new.unjudged > limits[0] + 1e-12) | (new.relevant > limits[1] + 1e-12)
    return above


def check_pooled(measures: Sequence[Measure], rankings: JudgedRankings, depth: int = TOP) -> None:
    """Refuse judgments that are a sample: left-out runs would seem to lose what was only not drawn.

    Lines with grade -1 may mean a sample, or a pool that was judged to some rank. The first documents of
    the runs, down to the pool's depth, show which, and whether these runs were pooled at all.
    """
    judgments = rankings.judgments
    for measure in measures:
        check_permitted(measure, judgments, LEAVING_OUT)
    why = few_judged(rankings, min(TOP, depth)) or sampled(rankings, min(TOP, depth), POOLED_SHARE)
    if why is not None:
        raise UsageError(f"{LEAVING_OUT.name} needs a pool of these runs, and {why}: {LEAVING_OUT.instead}")
    share = judged_to(rankings, depth)
    if share < JUDGED_SHARE:
        known = f"{percent(share, 0)} of the first {depth} documents of the pooled runs are judged"
        reach = f"down to rank {pooled_to(rankings)} nearly all are"
        raise UsageError(f"{known}, so they were not pooled to that depth: {reach}; give the pool's depth")


def sampled(rankings: JudgedRankings, depth: int = TOP, share: float = JUDGED_SHARE) -> str | None:
    """Say why the judgments seem to be a sample: fewer of the listed first documents are judged; or None."""
    judgments = rankings.judgments
    if judgments.recorded:
        return "these judgments record what was drawn"
    if judgments.origin.kind != UNIFORM:
        return None
    labels = rankings.labels[rankings.rank <= depth]
    judged = np.count_nonzero(labels >= 0)
    if judged >= share * len(labels):
        return None
    few = f"{percent(judged / len(labels), 0)} of the listed documents"
    return f"{few} in the first {depth} of the runs are judged"


def judged_to(rankings: JudgedRankings, depth: int) -> float:
    """Return the judged share of the documents down to a rank, listed or not."""
    judged = np.count_nonzero(rankings.labels[rankings.rank <= depth] >= 0)
    return float(judged / max(np.minimum(rankings.retrieved, depth).sum(), 1))


def pooled_to(rankings: JudgedRankings) -> int:
    """Return the deepest rank, at most 100, to which nearly all documents of pooled runs are judged."""
    judged = np.cumsum(
        np.bincount(rankings.rank[rankings.labels >= 0], minlength=DEEPEST + 1)[1 : DEEPEST + 1]
    )
    retrieved = np.cumsum([np.count_nonzero(rankings.retrieved >= k) for k in range(1, DEEPEST + 1)])
    deep = np.flatnonzero(judged >= NEARLY_ALL * np.maximum(retrieved, 1))
    return int(deep[-1]) + 1 if len(deep) else 1


def mean_bounds(measure: Measure, rankings: JudgedRankings, queries: int) -> tuple[Floats, Floats]:
    """Return the bounds of each run's mean; documents after the end of a ranking do not count."""
    found = bounds(measure, rankings, after_end=False)
    low, high = (mean_over_queries(end.reshape(-1, queries)) for end in (found.low, found.high))
    return low, high
