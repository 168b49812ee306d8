"""What the grades of a frame's documents do to scores: a straight part for each document, and the rest.

The score of a query is f0 + the sum of e_d(grade of d), nearly. For sums over documents that is exact. For
any other measure the documents get grades at random, as predicted, many times; the score of every system is
computed each time and regressed on the steps 1[grade of d >= t]. Systems share the random grades, so what
documents do to a difference is the difference of what they do to either system.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import Floats, Integers, Ints, Mask, numbered
from unjudged.evidence.completions import Batched, Grades, cutoff_of
from unjudged.evidence.contrast import is_alone
from unjudged.evidence.drawn.by_design import Moments
from unjudged.evidence.shared import SharedRankings
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.kernel.traits import weights_of
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import UNSAMPLED
from unjudged.rankings.pooled import salt, uniforms

DRAWS, PER_COLUMN = 1500, 4
"""Random grades per query, and the fewest for each step of its documents."""
AFTER = 500
"""Random grades that show what the straight part leaves once some documents are judged."""
DOUBT = 0.22
"""A prediction may be surer than it should be: a document's deviation is at least this part of its reach."""
AT_ONCE = 1 << 19
"""Elements of rankings that are scored at a time."""
RIDGE = 0.01


def steps_of(measure: Measure, grade: NDArray[np.integer]) -> Integers:
    """Return the grades at which a document's effect can change: all that occur, or the lowest relevant."""
    if measure.traits.gain is None and "rel" in measure.parameters:
        return np.array([int(measure.given.get("rel", 1))])
    return np.unique(np.append(grade[grade > 0], 1))


@dataclass(frozen=True, eq=False)
class Effects:
    """Effects of the documents in some rows of the pool on the scores of systems by one measure.

    `chance` (documents x steps) is how likely a document is to reach each of the `steps`. `base` (systems x
    queries) is what each query is expected to score. `effect` (systems x documents x steps) is what reaching
    a step adds to the mean. `unexplained` (queries x systems x systems) has mean products of what is left.
    """

    shared: SharedRankings
    measure: Measure
    row: Integers
    steps: Integers
    chance: Floats
    base: Floats
    effect: Floats
    unexplained: Floats | None = None
    seed: int = 0

    @classmethod
    def of(
        cls,
        shared: SharedRankings,
        measure: Measure,
        row: Integers,
        steps: Integers,
        chance: Floats,
        *,
        seed: int = 0,
    ) -> Effects:
        """Find the effects of the documents in these rows, in ascending order."""
        nothing = cls(shared, measure, row, steps, chance, np.zeros(0), np.zeros(0), seed=seed)
        weight = weights_of(measure, shared.rankings.rank)
        return nothing._regressed() if weight is None else nothing._of_sum(weight)

    @cached_property
    def query(self) -> Integers:
        """Query of each document."""
        return self.shared.judgments.query[self.row]

    @cached_property
    def _open(self) -> JudgedRankings:
        """The rankings, in which the frame's documents are not judged."""
        grade = self.shared.judgments.grade.copy()
        grade[self.row] = UNSAMPLED
        return self.shared.rankings.relabelled(self.shared.judgments.with_grades(grade))

    def _scores(self, rankings: JudgedRankings) -> Floats:
        """Return systems x queries in the unit that is averaged."""
        found = self.measure.averaged(self.shared.per_run(self.measure.compute(rankings)))
        return np.asarray(found)

    def _of_sum(self, weight: Floats) -> Effects:
        """Return exact effects by a sum over documents, whose gains weigh this at their ranks."""
        r, queries = self.shared.rankings, len(self.shared.queries)
        number = numbered(self.row, len(self.shared.judgments.grade))[r.row]
        mine = np.flatnonzero((number >= 0) & (weight != 0))
        rises = np.diff(gains_of(self.measure, np.append(0, self.steps)))
        effect = np.zeros((len(self.shared.runs), len(self.row), len(self.steps)))
        np.add.at(effect, (r.ranking[mine] // queries, number[mine]), weight[mine, None] * rises / queries)
        base = self._scores(self._open)
        for run, own in enumerate(effect):
            base[run] += queries * np.bincount(self.query, (own * self.chance).sum(axis=1), queries)
        return replace(self, base=base, effect=effect)

    def reached(self, grade: Integers) -> Mask:
        """Return documents x steps: which of them these grades reach."""
        reached: Mask = grade[:, None] >= self.steps
        return reached

    # Random grades.

    @cached_property
    def _some(self) -> tuple[Integers, Batched, Integers]:
        """Queries with a document of the frame, their rankings, and the rows of the documents there."""
        there = np.zeros(len(self.shared.queries), bool)
        there[self.query] = True
        counts = self._open.rank <= cutoff_of(self.measure)
        rankings = replace(self._open.where(counts), element=None).of_queries(there)
        kept = numbered(np.flatnonzero(there[self._open.judgments.query]), len(self._open.judgments.grade))
        row = kept[self.row]
        return np.flatnonzero(there), Batched.of(self.measure, rankings, row), row

    def completed(self, reached: Mask) -> Floats:
        """Return draws x systems x queries that have a document; `reached` is draws x documents x steps."""
        queries, batched, _ = self._some
        draws, grades = len(reached), np.append(0, self.steps)
        known = len(batched.rankings.rank) if not batched.sparse else max(len(self.row), 1)
        size = max(1, AT_ONCE // max(known + len(batched.rankings), 1))
        found = np.empty((draws, len(self.shared.runs), len(queries)))
        for start in range(0, draws, size):
            level = reached[start : start + size].sum(axis=2, dtype=np.int16)
            completion, document = np.nonzero(level)
            grade = grades[level[completion, document]].astype(np.int32)
            values = batched.values(Grades(completion, document, grade, len(level)))
            part = found[start : start + size]
            part[:] = self.measure.averaged(values).reshape(part.shape)
        return found

    def random(self, draws: int, *seed: str) -> Mask:
        """Return draws x documents x steps, as predicted."""
        identity, size = self.shared.identity[self.row], max(1, AT_ONCE // max(len(self.row), 1))
        found = np.empty((draws, *self.chance.shape), bool)
        for start in range(0, draws, size):
            drawn = np.arange(start, min(start + size, draws))[:, None]
            number = uniforms(identity[None, :], salt(self.seed, *seed), drawn)
            np.less_equal(number[:, :, None], self.chance, out=found[start : start + size])
        return found

    def _regressed(self) -> Effects:
        """Return effects by any other measure, regressed on scores with random grades."""
        base, runs = self._scores(self._open), len(self.shared.runs)
        documents, steps = self.chance.shape
        effect = np.zeros((runs, documents, steps))
        unexplained = np.zeros((base.shape[1], runs, runs))
        if not documents:
            return replace(self, base=base, effect=effect, unexplained=unexplained)
        most = int(np.bincount(self.query).max()) * steps
        reached = self.random(max(DRAWS, PER_COLUMN * most), "effects")
        scores = self.completed(reached)
        for k, q in enumerate(self._some[0].tolist()):
            own = np.flatnonzero(self.query == q)
            steps_there = (reached[:, own] - self.chance[own]).reshape(len(reached), -1)
            centre, slope, products = straight_part(steps_there, scores[:, :, k])
            base[:, q], unexplained[q] = centre, products
            effect[:, own] = slope.T.reshape(runs, len(own), steps) / base.shape[1]
        return replace(self, base=base, effect=effect, unexplained=unexplained)

    def remainder(self, drawn: Integers, grade: Integers) -> Floats:
        """Return systems x queries: what the straight part leaves on average, with these grades put in."""
        found = np.zeros(self.base.shape)
        if self.unexplained is None or not len(drawn):
            return found
        own = np.flatnonzero(np.isin(self.query, self.query[drawn]))
        part = replace(self, row=self.row[own], chance=self.chance[own], effect=self.effect[:, own])
        reached = part.random(AFTER, "after")
        reached[:, numbered(own, len(self.row))[drawn]] = self.reached(grade)
        scores = part.completed(reached)
        for k, q in enumerate(np.unique(part.query).tolist()):
            there = np.flatnonzero(part.query == q)
            change = (reached[:, there] - part.chance[there]).reshape(AFTER, -1)
            slope = part.effect[:, there].reshape(len(part.effect), -1) * self.base.shape[1]
            left = scores[:, :, k] - self.base[:, q] - change @ slope.T
            found[:, q] = left.mean(axis=0)
        return found

    # Contrasts.

    def of_contrasts(self, first: Ints, second: Ints) -> Floats:
        """Return contrasts x documents x steps: what reaching a step adds to the mean of each."""
        return self.effect[first] if is_alone(second) else self.effect[first] - self.effect[second]

    def moments(self, effect: Floats) -> Moments:
        """Return what is expected of what each document's grade changes, less its expectation."""
        at_least = np.vstack([np.ones(len(self.chance)), self.chance.T, np.zeros(len(self.chance))])
        chance, effects = at_least[:-1] - at_least[1:], np.moveaxis(effect, 2, 0)
        value = np.concatenate([0 * effects[:1], np.cumsum(effects, axis=0)])
        change = value - np.einsum("gd,gkd->kd", chance, value)
        weighted = chance[:, None] * change
        squares, cubes = (weighted * change).sum(axis=0), (weighted * change**2).sum(axis=0)
        reach = value.max(axis=0) - value.min(axis=0)
        return Moments(squares, cubes, np.maximum(np.sqrt(squares), DOUBT * reach))

    def spread(self, effect: Floats) -> Floats:
        """Return contrasts x documents: the deviation that each document's grade is expected to have."""
        return self.moments(effect).spread

    def left_over(self, first: Ints, second: Ints) -> Floats:
        """Return the variance of each mean that the straight part does not explain."""
        if self.unexplained is None:
            return np.zeros(len(first))
        products = self.unexplained.sum(axis=0) / len(self.unexplained) ** 2
        own: Floats = products[first, first]
        if not is_alone(second):
            own = own - 2 * products[first, second] + products[second, second]
        return np.maximum(own, 0.0)

    def sizes(self, first: Ints, second: Ints) -> Floats:
        """Return a size for each document: how much its judgment would say about these contrasts.

        Each contrast counts the same, and no size is 0: a document that seems to change nothing may do.
        """
        spread = self.spread(self.of_contrasts(first, second))
        total = spread.sum(axis=1, keepdims=True)
        size = np.sqrt(((spread / np.where(total > 0, total, 1.0)) ** 2).sum(axis=0))
        least = 1e-3 * float(size.mean()) if size.any() else 1.0
        found: Floats = np.maximum(size, least)
        return found

    def means(self, first: Ints, second: Ints) -> Floats:
        """Return the expected mean of each contrast."""
        means = mean_over_queries(self.base)
        return means[first] if is_alone(second) else means[first] - means[second]


def straight_part(steps: Floats, scores: Floats) -> tuple[Floats, Floats, Floats]:
    """Regress scores (draws x systems) on centred steps (draws x columns).

    Returns the scores where every step is at its expectation, the slopes, and mean products of what is left.
    """
    draws, columns = steps.shape
    centre = steps.mean(axis=0)
    moved, around = steps - centre, scores - scores.mean(axis=0)
    products = moved.T @ moved
    products[np.diag_indices(columns)] += RIDGE
    slope = np.linalg.solve(products, moved.T @ around)
    rest = around - moved @ slope
    freedom = max(draws - columns - 1, 1)
    return scores.mean(axis=0) - centre @ slope, slope, rest.T @ rest / freedom


def gains_of(measure: Measure, grade: Integers) -> Floats:
    """Return the gains of these grades, as the measure has them at the first rank."""
    from unjudged.rankings.judgments import Judgments

    one = np.arange(len(grade) + 1)
    judgments = Judgments.read({str(k): {"d": int(g)} for k, g in enumerate(grade.tolist())})
    first = np.ones(len(grade), np.int32)
    r = JudgedRankings(judgments, first, one[:-1].astype(np.int32), one, first, one[:-1].astype(np.int32))
    weight = weights_of(measure, np.ones(1, np.int64))
    assert weight is not None  # noqa: S101
    found: Floats = measure.compute(r) / weight
    return found
