"""A measure with its parameters: what it computes, what it is called, and what is true of it."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import import_module
from math import inf
from types import MappingProxyType
from typing import Any

import numpy as np

from unjudged.base.choices import Choices
from unjudged.base.errors import InputError, UsageError
from unjudged.base.segments import Floats
from unjudged.measures.kernel.chance import collection
from unjudged.measures.kernel.traits import Traits, by_places, checked, refused_measure, try_traits
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import SAMPLES

MEASURES: Choices[Measure] = Choices("measure")
"""Every measure by its name, in the order of definition."""

BOUNDS: dict[str, Callable[..., Any]] = {}
"""By a measure's name, what finds its bounds where the general rules for its traits are not enough."""

SOURCES: dict[str, str] = {}
"""The file that measures were loaded from, by their names."""

POLICIES = ("unjudged", "chance")
GRADED = ("max_grade", "gains", "scale")
"""The parameters that make gains depend on the grade."""


@dataclass(eq=False, repr=False)
class Measure:
    """A measure with its parameters, named as it is written: `AP(rel=2)@10`.

    Call it to set parameters; `@` sets the cutoff. Two measures of the same name are equal.

    >>> from unjudged import nDCG
    >>> nDCG(dcg="exp-log2") @ 10
    nDCG(dcg='exp-log2')@10
    """

    name: str
    function: Callable[..., Floats]
    traits: Traits
    given: Mapping[str, Any]
    written: Measure | None = None
    """As it is written, where its parameters are places of fractional grades."""

    def __call__(self, **parameters: Any) -> Measure:
        for parameter in parameters:
            if parameter not in self.parameters and parameter not in POLICIES:
                known = ", ".join([*self.parameters, *POLICIES])
                raise UsageError(f"{self.name} has no parameter {parameter!r}; it has: {known}")
        given = {key: checked(self.name, key, value) for key, value in parameters.items()}
        if self.written is not None:
            raise UsageError(f"{self}: its parameters are fixed: they are places of fractional grades")
        return replace(self, given=MappingProxyType({**self.given, **given}))

    def __matmul__(self, value: float) -> Measure:
        if self.traits.at is None:
            raise UsageError(f"{self.name} takes no cutoff: write {self.name} without @{value}")
        return self(**{self.traits.at: value})

    def __str__(self) -> str:
        return self._name

    @cached_property
    def _name(self) -> str:
        if self.written is not None:
            return str(self.written)
        inside = [f"{key}={value!r}" for key, value in self.given.items() if key != self.traits.at]
        at = f"@{self.given[self.traits.at]}" if self.traits.at and self.traits.at in self.given else ""
        return self.name + (f"({', '.join(inside)})" if inside else "") + at

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (self.name, dict(self.given), SOURCES.get(self.name), self.written)

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter with its default; `inspect.Parameter.empty` where it must be given."""
        return dict(_keywords(self.function))

    @cached_property
    def own(self) -> dict[str, Any]:
        """Given parameters that are the function's own, without the policies."""
        return {name: value for name, value in self.given.items() if name not in POLICIES}

    @property
    def range(self) -> tuple[float, float]:
        """Lowest and highest value; corrected for chance, a value may be as low as you like."""
        low, high = self.traits.range
        return (-inf, high) if "chance" in self.given else (low, high)

    @property
    def reach(self) -> float:
        """The largest difference of two values in the unit that is averaged."""
        return inf if self.geometric else self.range[1] - self.range[0]

    @property
    def help(self) -> str:
        return inspect.getdoc(self.function) or ""

    def compute(self, rankings: JudgedRankings) -> Floats:
        """One value per ranking.

        The policies are parameters of every measure and need no code of its own. `unjudged='condensed'`
        removes the unjudged documents before the measure sees the rankings; 'nonrelevant' treats the ones of
        the pool as judged nonrelevant. `chance=N` corrects the value for what a random ranking of N
        documents is expected to score: (value - expected) / (1 - expected).
        """
        return compute_all([self], rankings)[:, 0]

    def values(self, rankings: JudgedRankings) -> Floats:
        """Return one value per ranking, finite or not."""
        judgments = rankings.judgments
        if self._is_plain and judgments.scale is None and judgments.origin.kind in self.traits.takes:
            return self.function(rankings, **self.own)
        self.check_complete()
        if (measure := self.on(judgments)) is not self:
            return measure.values(rankings)
        if (kind := judgments.origin.kind) not in self.traits.takes and kind not in SAMPLES:
            raise UsageError(str(refused_measure(self.name, self.traits, judgments)))
        if self.traits.estimates and judgments.unanswered:
            raise UsageError(judgments.unanswered)
        rankings = self.with_policy(rankings)
        return self.corrected(self.function(rankings, **self.own), rankings)

    def on(self, judgments: Judgments) -> Measure:
        """Return the measure for the places that grades have in these judgments; its name stays the same."""
        if self.written is not None or (judgments.scale is None and self._whole):
            return self
        return replace(self, given=MappingProxyType(by_places(self, judgments.scale)), written=self)

    @cached_property
    def _is_plain(self) -> bool:
        """Whether it is its function alone: complete, no estimate, and without a policy."""
        policies = len(self.own) < len(self.given)
        return (
            self.written is None and self._whole and not (self._missing or self.traits.estimates or policies)
        )

    @cached_property
    def _whole(self) -> bool:
        """Whether its lowest relevant grade is a whole number, as places are."""
        return not self.given.get("rel", 1) % 1

    def with_policy(self, rankings: JudgedRankings) -> JudgedRankings:
        """Return the rankings as the policy for unjudged documents makes them."""
        policy = self.given.get("unjudged")
        if policy is None:
            return rankings
        return rankings.condensed() if policy == "condensed" else rankings.as_nonrelevant()

    def corrected(self, values: Floats, rankings: JudgedRankings) -> Floats:
        """Return values corrected for chance, if the policy asks for it."""
        documents, rel = self.given.get("chance"), self.given.get("rel", 1)
        if documents is None:
            return values
        if "rel" not in self.parameters and rankings.judgments.highest > 1:
            problem = "the random baseline is for judgments of 0 and 1, these are graded"
            raise UsageError(f"{self.name}: {problem}")
        expected = self.by_chance(documents, rankings.known(rel))
        return ratio(values - expected, 1 - expected)

    def by_chance(self, documents: Any, relevant: Any) -> Floats:
        """Return the expected value of a random ranking of documents, some of them relevant."""
        if self.traits.chance is None:
            known = ", ".join(name for name, m in MEASURES.items() if m.traits.chance)
            raise UsageError(f"{self.name} has no random baseline; these have: {known}")
        n, r = collection(documents, relevant)
        if any(self.given.get(parameter, "none") != "none" for parameter in GRADED):
            raise UsageError(f"{self}: the random baseline is for gains of 0 and 1")
        return self.traits.chance(n, r, **self.own)

    def weights(self, rank: Any) -> Floats:
        """Return what a document of gain 1 adds to the value at each of these ranks."""
        if self.traits.weight is None:
            known = ", ".join(name for name, m in MEASURES.items() if m.traits.weight)
            raise UsageError(f"{self.name} is not a sum over relevant documents; these are: {known}")
        return self.traits.weight(np.asarray(rank, float), **self.own)

    def gain(self, grade: Any) -> Floats:
        """Return the gain of each of these grades: 1 from `rel` on, unless the measure's gains are graded."""
        grades = np.asarray(grade, np.int64)
        if self.traits.gain is None:
            return np.where(grades >= self.given.get("rel", 1), 1.0, 0.0)
        return self.traits.gain(grades, **self.own)

    @property
    def estimated(self) -> str:
        """Name of what it measures or estimates, with the parameters that both have: infP@5 is of P@5."""
        plain = MEASURES.get(self.traits.estimates)
        if plain is None or not self.traits.quality:
            return str(self)
        return str(plain(**{name: value for name, value in self.own.items() if name in plain.parameters}))

    def cut_at(self, depth: int) -> str:
        """Return the name of the measure on rankings that end at a depth."""
        if self.traits.at == "cutoff":
            named = self if self.written is None else self.written
            return str(named(cutoff=depth) if self.given.get("cutoff", inf) > depth else named)
        return f"{self} to rank {depth}"

    def max_grade(self, judgments: Judgments) -> int:
        """Highest grade of the scale: `max_grade` where the measure has one, else the highest known.

        Known are the judged grades and those that `rel` and `gains` mention.
        """
        given = {**self.parameters, **self.given}
        highest = given.get("max_grade")
        if isinstance(highest, int):
            return highest
        mentioned = [1, self.given.get("rel", 1), *self.given.get("gains", {})]
        return max(judgments.highest, *map(int, mentioned))

    def traits_up_to(self, top: int) -> Traits:
        """Return the traits with these parameters, for grades from 0 to `top`.

        Given gains may fall where the grade rises. Then the measure is neither monotone nor pointwise nor
        diluted. A grade of 0 with a gain makes an unjudged document different from a nonrelevant one.
        """
        traits, rel = self.traits, self.given.get("rel", 1)
        if traits.gain is None:
            return traits
        near = [n for grade in (rel, *self.given.get("gains", {})) for n in (grade - 1, grade, grade + 1)]
        gains = self.gain(sorted({0, top, *(n for n in near if 0 <= n <= top)}))
        if gains[0] != 0:
            traits = replace(traits, skips_unjudged=True)
        if (np.diff(gains) < 0).any():
            traits = replace(traits, monotone=False, pointwise=False, diluted=False)
        return traits

    def over_queries(self, values: Floats) -> Floats:
        """Return the mean, sum or geometric mean of the values of all queries, on the last axis."""
        return summarised(self.traits.summary, values)

    @property
    def geometric(self) -> bool:
        """Whether the mean over queries is geometric."""
        return self.traits.summary == GEOMETRIC

    def averaged(self, values: Floats) -> Floats:
        """Return what is averaged over queries: the values, or their logarithms for a geometric mean.

        Differences, tests and intervals for other queries are of these.
        """
        return np.log(values) if self.geometric else values

    def mean_of(self, averages: Floats) -> Floats:
        """Return the means that belong to averages of what `averaged` returns."""
        return np.exp(averages) if self.geometric else averages

    @property
    def sign(self) -> int:
        """-1 if lower values are better, else 1: the product with a value rises with quality."""
        return -1 if self.traits.lower else 1

    def best_first(self, means: Floats) -> list[int]:
        """Return the places of means, the best first; equal ones stay in order."""
        order: list[int] = np.argsort(-self.sign * means, kind="stable").tolist()
        return order

    def try_traits(self) -> None:
        """Refuse traits that small rankings contradict: for authors of measures."""
        self.check_complete()
        with np.errstate(all="ignore"):
            try_traits(replace(self, given=MappingProxyType(self.own)))

    def check_completable(self) -> None:
        """Refuse a measure that is not defined by completed judgments alone."""
        for policy in POLICIES:
            if policy in self.given:
                raise UsageError(
                    f"{self}: bounds and models are of the plain measure; use it without {policy}"
                )
        if self.given.get("scale") == "query":
            raise UsageError(f"{self}: a new grade would move the scale; use {self.name}(max_grade=...)")
        if self.traits.estimates:
            problem = f"{self.name} already estimates what the unjudged documents add"
            raise UsageError(f"{problem}; use AP, nDCG or RBP")

    def check_mean(self) -> None:
        """Refuse a measure whose mean over queries is not arithmetic."""
        if self.geometric:
            raise UsageError(f"{self.name}: this interval is of arithmetic means; use AP or Bpref")

    def check_complete(self) -> None:
        """Refuse a measure that lacks a required parameter."""
        for parameter in self._missing:
            example = f"{self.name}@10" if parameter == "cutoff" else f"{self.name}@0.1"
            raise UsageError(f"{self.name} needs a {parameter}: write it as {example}")

    @cached_property
    def _missing(self) -> list[str]:
        """Required parameters that are not given."""
        known = {**self.parameters, **self.given}
        return [name for name, value in known.items() if value is inspect.Parameter.empty]


AT_ONCE = 400_000
"""Documents of rankings that are evaluated together: what is kept for more of them leaves the cache."""


def compute_all(measures: Sequence[Measure], rankings: JudgedRankings) -> Floats:
    """Ranking x measure: the values of all measures."""
    if len(rankings.rank) <= 2 * AT_ONCE or rankings.elsewhere is not None:
        return _computed_together(measures, rankings)
    return np.concatenate([_computed_together(measures, block) for block in rankings.blocks(AT_ONCE)])


def means_of_runs(measure: Measure, rankings: JudgedRankings) -> Floats:
    """Return the mean over queries of a measure, for each of the runs whose rankings stand end to end."""
    return measure.over_queries(measure.compute(rankings).reshape(-1, len(rankings.judgments.queries)))


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # what is not finite is refused
def _computed_together(measures: Sequence[Measure], rankings: JudgedRankings) -> Floats:
    """Ranking x measure; the measures share what the rankings keep for them."""
    table = np.empty((len(rankings), len(measures)))
    shape = table.shape[:1]
    for k, measure in enumerate(measures):
        values = measure.values(rankings)
        if getattr(values, "shape", None) != shape and np.shape(values) != shape:
            problem = f"{measure} returned an array of shape {np.shape(values)} for {len(table)} rankings"
            raise UsageError(f"{problem}, expected one number per ranking")
        table[:, k] = values
    finite = np.isfinite(table)
    if np.count_nonzero(finite) < finite.size:
        measure = measures[k := int(finite.all(axis=0).argmin())]
        wrong = int(finite[:, k].argmin())
        query = rankings.judgments.queries[int(rankings.query[wrong])]
        remedy = "check the recorded probabilities" if measure.traits.estimates else "check its parameters"
        problem = f"{measure} of query {query!r} is {table[wrong, k]}, expected a finite number"
        raise InputError(f"{problem}: {remedy}")
    return table


def _made_again(
    name: str, given: Mapping[str, Any], source: str | None = None, written: Measure | None = None
) -> Measure:
    """Return the measure that was pickled, once its file is loaded."""
    if name not in MEASURES and source is not None:
        import_module("unjudged.measures.kernel.registry").load_measures(source)
    return replace(MEASURES[name], given=MappingProxyType(dict(given)), written=written)


@cache
def _keywords(function: Callable[..., Floats]) -> dict[str, Any]:
    """Return the parameters of a measure's function, with their defaults."""
    signature = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in signature if p.kind is p.KEYWORD_ONLY}


GEOMETRIC = "geometric mean"
"""The `summary` of a measure whose mean over queries is the exponential of its mean logarithm."""

ROUNDING = 1e-12
"""Values that differ by less, relative to the largest value, are equal: floating point does no better."""


def sum_over_queries(values: Floats) -> Floats:
    """Return the sum over the last axis, rounded once, so that the order of the queries does not matter."""
    if values.shape[-1] == 1:
        return values[..., 0].astype(float)
    rows = values.reshape(-1, values.shape[-1]).tolist()
    try:
        return np.array([math.fsum(row) for row in rows]).reshape(values.shape[:-1])
    except OverflowError:
        raise UsageError("the sum over all queries is too large for a number; use smaller weights") from None


def mean_over_queries(values: Floats, *, exact: bool = True) -> Floats:
    """Return the mean over the last axis: the one rule for means over queries.

    The sum is rounded once. `exact=False` is NumPy's mean: many times as fast, and different in the last
    bits. It is meant for thousands of random draws whose spread or quantiles alone matter, and
    never for a value that is shown or compared with one of `Scores.means`.
    """
    if not exact:
        return np.asarray(values.mean(axis=-1), float)
    return np.asarray(sum_over_queries(values) / values.shape[-1], float)


def without_rounding(differences: Floats, scores: Floats) -> Floats:
    """Return differences of means of such scores, 0 where they are rounding errors: the one rule for ties."""
    return np.where(np.abs(differences) <= ROUNDING * np.abs(scores).max(initial=0), 0.0, differences)


def summarised(summary: str, values: Floats) -> Floats:
    """Return the "mean", "sum" or "geometric mean" over the last axis."""
    if summary == "sum":
        return sum_over_queries(values)
    if summary == GEOMETRIC:
        return np.asarray(np.exp(mean_over_queries(np.log(values))), float)
    return mean_over_queries(values)


def ratio(numerator: Any, denominator: Any) -> Floats:
    """Return the quotient, 0 where there is nothing to divide by."""
    denominator = np.asarray(denominator, float)  # of one kind with the numerator: twice as fast
    if np.count_nonzero(denominator) == denominator.size:
        everywhere: Floats = np.true_divide(numerator, denominator)
        return everywhere
    quotients = np.zeros(np.broadcast(numerator, denominator).shape)
    quotient: Floats = np.divide(numerator, denominator, out=quotients, where=np.not_equal(denominator, 0))
    return quotient
