"""Audit of judges: how far models or further people agree with people, and what they do to scores of runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, UsageError
from unjudged.base.notes import DOUBT, Note
from unjudged.base.segments import Floats, Integers
from unjudged.base.wording import counted, shortlist
from unjudged.collection.collection import Collection, collection_of, judged_rankings
from unjudged.evidence.contrast import alone
from unjudged.evidence.drawn.estimated import EstimatedEvidence
from unjudged.evidence.drawn.judges import GRADES, Judges, JudgesSource, Predictions
from unjudged.evidence.drawn.strata import StrataEvidence
from unjudged.evidence.mean_intervals import t_half, within
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.inference.system_rows import means_of_systems
from unjudged.measures.kernel.measure import Measure, mean_over_queries
from unjudged.measures.kernel.names import MeasureLike, with_relevant
from unjudged.predictions import Completeness, IncompleteError, with_retrieved
from unjudged.questions.estimating import Drawn
from unjudged.questions.fitting_measures import DEFAULT
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource
from unjudged.rankings.runs import RunsSource
from unjudged.results.fields import Row, known
from unjudged.results.result import Result
from unjudged.studies.agreement import (
    COEFFICIENTS,
    DRAWS,
    STATISTICS,
    Estimate,
    QueryDraws,
    grades_of,
    left_out_estimates,
    note_on_intervals,
    row_of,
    tables,
)

Biases = tuple[list[Row], list[str]]
"""Biases of the runs that have one, and sentences on what was left out."""


def bias_rows(
    collection: Collection, source: Predictions, measure: Measure, confidence: float, threshold: float | None
) -> Biases:
    """Compare what each run scores by a judge and by people, who judged drawn documents or whole queries."""
    drawn = Drawn.of(collection.changed(predictions={source.name: source}))
    if not (drawn.one_by_one or drawn.strata):
        return _of_complete_queries(collection, source, measure, confidence, threshold)
    shared = collection.shared()
    plain = RankingsEvidence.of(shared, measure, collection.judgments.origin.pool_depth())
    people, notes = drawn.estimated(plain, shared.judged_rankings)
    if not isinstance(people, EstimatedEvidence | StrataEvidence):
        raise UsageError(
            f"{measure}: the bias of a run needs complete judgments, or an estimate from drawn ones"
        )
    contrast = alone(people)
    columns = means_of_systems(contrast, 1 - confidence)
    gaps = _by_judge(shared, source, measure, threshold) - contrast.scores
    rows = []
    for k, run in enumerate(people.systems):
        own = {"by_people": float(columns["mean"][k])}
        own |= {name: known(float(columns[name][k])) for name in SHOWN if name in columns}
        rows.append(own | _bias(gaps[k], run, measure, confidence))
    return rows, [str(one) for one in notes if one.code != "drawn"]


SHOWN = ("estimate_low", "estimate_high", "labels")


def _by_judge(
    shared: SharedRankings, source: Predictions, measure: Measure, threshold: float | None
) -> Floats:
    """Return runs x queries by the judge's labels; documents without one keep people's grade."""
    value = np.full(len(shared.judgments.grade), np.nan)
    own = shared.name < len(shared.original.grade)
    value[own] = source.aligned(shared.original).value[shared.name[own]]
    label = source.labels(value, threshold, int(measure.given.get("rel", 1)))
    grade = np.where(label == UNSAMPLED, shared.judgments.grade, label).astype(np.int32)
    rankings = shared.rankings.relabelled(shared.judgments.with_grades(grade))
    return measure.averaged(shared.per_run(measure.compute(rankings)))


def _of_complete_queries(
    collection: Collection, source: Predictions, measure: Measure, confidence: float, threshold: float | None
) -> Biases:
    """Compare scores by the judge and by people on the queries that people judged completely for a run."""
    rankings, retrieved = collection.rankings, with_retrieved(collection)
    runs = tuple(collection.runs)
    human = measure.compute(rankings).reshape(len(runs), -1)
    labelled = ~np.isnan(source.aligned(retrieved.judgments).value)
    value = source.aligned(collection.judgments).value
    grade = source.labels(value, threshold, int(measure.given.get("rel", 1))).astype(np.int32)
    relabelled = rankings.relabelled(collection.judgments.with_grades(grade))
    machine = measure.compute(relabelled).reshape(len(runs), -1)
    found: list[Row] = []
    notes, refused = list[str](), None
    for i, run in enumerate(runs):
        judged = Completeness.of(measure, retrieved.run(i), labelled)
        try:
            judged.check(2)
        except IncompleteError as error:
            refused = error
            notes.append(f"{run}: the bias cannot be told. {error}.")
            continue
        known = judged.complete
        people, gaps = human[i, known], machine[i, known] - human[i, known]
        by_people = {"by_people": float(mean_over_queries(people))}
        found.append(by_people | _bias(gaps, run, measure, confidence))
        if left := int((~known).sum()):
            notes.append(f"{run}: {counted(left, 'query')} left out, judged in part for {measure}.")
    if refused is not None and not found:
        raise refused
    return found, notes


def _bias(gaps: Floats, run: str, measure: Measure, confidence: float) -> Row:
    """Return the mean of the differences by query, with its interval for other queries."""
    widest = measure.range[1] - measure.range[0]
    if len(gaps) < 2:
        problem = f"bias in {measure} of {run}: an interval over queries needs two queries or more"
        raise UsageError(f"{problem}, there is {len(gaps)}")
    value, deviation = float(mean_over_queries(gaps)), float(np.std(gaps, ddof=1))
    low, high = within(value, t_half(deviation, len(gaps), confidence), (-widest, widest))
    ends = {"query_low": known(low), "query_high": known(high)}
    return {"measure": str(measure), "system": run, "bias": value, **ends}


PEOPLE = "people"
OF_ORDERS = ("tau", "tau_ap", "rho", "rms", "rbo")
"""Statistics of the order of systems by a judge, as an estimate of that by people."""


def audit(
    qrels: JudgmentsSource | Collection,
    judges: JudgesSource | None = None,
    runs: RunsSource | None = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    rel: int | None = None,
    threshold: float | None = None,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Result:
    """Compare a model, or further people, with people's judgments, on documents and on runs.

    Rows are `agreement` on documents (kappa, alpha and others), the `confusion` of grades, `ratings` by
    people's grade; and with runs the agreement on their `orders` by each measure, the `means` by each judge,
    and the `bias`, how much higher each run scores by a judge than by people.

    Parameters
    ----------
    qrels
        Judgments by people, or a collection, whose models are the judges if none are named.
    judges
        A judge, or several by name: grades (as qrels), or probabilities or other scores (as a run).
    runs
        The runs that both score.
    measures
        Measures of the runs: nDCG@10 if none is named.
    rel
        The lowest relevant grade: the collection's, or 1.
    threshold
        The score from which on a document is relevant; of probabilities 0.5.
    confidence
        The level of the intervals, which are for other sets of as many queries.
    draws
        How often the queries are drawn again for intervals of the orders.
    seed
        The seed of these draws.

    >>> people = {"q1": {"d1": 1, "d2": 0, "d3": 1}, "q2": {"d1": 0, "d2": 1, "d3": 0}}
    >>> model = {"q1": {"d1": 0.9, "d2": 0.6, "d3": 0.7}, "q2": {"d1": 0.2, "d2": 0.4, "d3": 0.3}}
    >>> round(audit(people, model).rows["agreement"][0]["value"], 4)
    0.3333
    """
    collection = collection_of(qrels, runs)
    people = Judgments.whole(collection.judgments)
    if judges is None and not collection.predictions:
        raise UsageError("no judge to audit: give the labels of a model or of another person")
    found = Judges.of(collection.predictions if judges is None else judges)
    lowest = int(collection.described.relevant or 1) if rel is None else rel
    views = ("agreement", "confusion", "ratings", "orders", "means", "bias")
    rows: dict[str, list[Row]] = {view: [] for view in views}
    notes, sizes = [], []
    for name, judge in found.by_name.items():
        labels = AuditedLabels.of(people, judge, threshold, lowest)
        sizes.append(counted(len(labels.weight), "document"))
        for view, own in labels.rows(judge, lowest, confidence).items():
            rows[view] += [{"judge": name, **row} for row in own]
        notes += [*labels.notes(), *judge.notes()]
    about = f"On documents: {note_on_intervals(confidence)} Relevant is from grade {lowest} on."
    notes = [Note(about), *map(Note, notes)]
    if collection.runs:
        named = collection.measures(measures, lambda: (DEFAULT,))
        chosen = with_relevant(named, None if lowest == 1 else lowest)
        collection = collection.loaded()
        if not people.recorded and len(collection.runs) > 1:
            by_judge = {name: judge.judgments(threshold, lowest) for name, judge in found.by_name.items()}
            scored = ScoredRuns.of(collection, by_judge)
            drawing = QueryDraws(len(scored.queries), confidence=confidence, draws=draws, seed=seed)
            for measure in chosen:
                rows["orders"] += scored.orders(measure, drawing)
                rows["means"] += scored.means(measure)
            how = note_on_intervals(confidence, f"{draws:,} draws of the queries")
            notes.append(Note(f"On systems: {how}"))
        for measure, (name, judge) in product(chosen, found.by_name.items()):
            try:
                own, said = bias_rows(collection, judge, measure, confidence, threshold)
            except (UsageError, IncompleteError) as error:
                if not rows["orders"]:
                    raise
                own, said = [], [f"No bias in {measure}: {error}."]
            rows["bias"] += [{"judge": name, **row} for row in own]
            notes += [Note(one, weight=DOUBT) for one in said]
    many = ", ".join(dict.fromkeys(sizes))
    titles = {
        "agreement": f"Agreement with people on {many}: {_kappas(rows['agreement'])}",
        "confusion": "Documents by grade: people's in rows, the judge's in columns",
        "ratings": "Labels by people's grades",
        "orders": f"Order of {counted(len(collection.runs), 'system')} by the judge and by people",
        "means": "Means and ranks",
        "bias": "Scores by the judge minus by people",
    }
    return Result(rows, list(dict.fromkeys(notes)), {"titles": titles, "judges": found.names})


RELEVANCE = "kappa, relevant or not"


def _kappas(rows: Sequence[Row]) -> str:
    """Return the agreement of each judge on what is relevant, as a title names it."""
    own = {row["judge"]: row["value"] for row in rows if row["coefficient"] == RELEVANCE}
    named = [f"kappa {'unknown' if value is None else f'{value:.2f}'}" for value in own.values()]
    judges = [f"{said} of {name}" for said, name in zip(named, own, strict=True)]
    return f"{shortlist(judges if len(own) > 1 else named)} (relevant or not)"


@dataclass(frozen=True, eq=False)
class AuditedLabels:
    """Documents that people and a judge labelled: their queries, labels and weights.

    `value` is what the judge said, `predicted` the label that it counts as. The weight is 1 / the recorded
    probability of being judged.
    """

    query: Integers
    human: NDArray[Any]
    predicted: NDArray[Any]
    weight: Floats
    value: Floats
    missing: int = 0
    """Documents that people judged and the judge did not."""

    @classmethod
    def of(cls, people: Judgments, judge: Predictions, threshold: float | None, rel: int) -> AuditedLabels:
        """Match documents by name; InputError if there are none."""
        value = judge.aligned(people).value
        inclusion = people.inclusion if people.recorded else np.where(people.grade >= 0, 1.0, np.nan)
        judged = np.isfinite(inclusion)
        both = judged & ~np.isnan(value)
        if not both.any():
            raise InputError("no document that people judged has a label by the judge", source=judge.name)
        label, missing = judge.labels(value, threshold, rel), int((judged & ~both).sum())
        weight = 1 / inclusion[both]
        return cls(people.query[both], people.grade[both], label[both], weight, value[both], missing)

    @cached_property
    def grades(self) -> Floats:
        """Grades that people or the judge give."""
        return grades_of(self.human, self.predicted)

    def by_relevance(self, rel: int) -> AuditedLabels:
        """Return the same, relevant or not."""
        return replace(self, human=self.human >= rel, predicted=self.predicted >= rel)

    def tables(self, *, weighted: bool = True) -> Floats:
        """Return the documents by query and by both grades: the sums of their weights, or counts."""
        names, query = np.unique(self.query, return_inverse=True)
        first, second = (np.searchsorted(self.grades, own) for own in (self.human, self.predicted))
        weight = self.weight if weighted else None
        return tables(query, first, second, (len(names), len(self.grades)), weight)

    def rows(self, judge: Predictions, rel: int, confidence: float) -> dict[str, list[Row]]:
        """Return the rows on documents."""
        same = [*self.agreement(self.by_relevance(rel), ["kappa"], confidence, ", relevant or not")]
        if judge.kind == GRADES:
            same += self.agreement(self, list(COEFFICIENTS), confidence)
        lowest = None if judge.kind == GRADES else rel
        return {"agreement": same, "confusion": [*self.confusion()], "ratings": [*self.ratings(lowest)]}

    def agreement(
        self, labels: AuditedLabels, names: Sequence[str], confidence: float, what: str = ""
    ) -> Iterator[Row]:
        """Yield the coefficients of labels."""
        found = coefficient_estimates(labels.tables(), labels.grades, confidence, names)
        for name, one in found.items():
            yield row_of(one, COEFFICIENTS[name].title + what, documents=len(self.weight))

    def confusion(self) -> Iterator[Row]:
        """Yield how many documents have each two grades, and their weighted share."""
        totals, weights = self.tables(weighted=False).sum(0), self.tables().sum(0)
        names = [f"{grade:g}" for grade in self.grades]
        for i, j in product(np.flatnonzero(totals.any(1)), np.flatnonzero(totals.any(0))):
            share = float(weights[i, j] / weights.sum())
            yield {"grade": names[i], "other_grade": names[j], "documents": int(totals[i, j]), "share": share}

    def ratings(self, rel: int | None) -> Iterator[Row]:
        """Yield how the judge rated documents of each grade; with `rel`, over-rating is a share of them."""
        for grade in np.unique(self.human).tolist():
            own = self.human == grade
            label, weight = self.predicted[own], self.weight[own]
            excess = label - grade if rel is None else (label >= rel) - float(grade >= rel)
            yield {
                "grade": f"{grade:g}",
                "documents": int(own.sum()),
                "mean_prediction": float(np.average(self.value[own], weights=weight)),
                "over_rating": float(np.average(excess, weights=weight)),
            }

    def notes(self) -> Iterator[str]:
        """Say what the documents stand for, and which are missing."""
        if (self.weight != self.weight[0]).any():
            yield "Each document is weighted by 1 / its probability of being judged."
        if self.missing:
            has = "has" if self.missing == 1 else "have"
            yield f"{counted(self.missing, 'document')} that people judged {has} no label by the judge."


def coefficient_estimates(
    counts: Floats, grades: Floats, confidence: float, names: Iterable[str] = tuple(COEFFICIENTS)
) -> dict[str, Estimate]:
    """Estimate coefficients from queries x grades x grades, which may be weighted."""
    chosen = {name: COEFFICIENTS[name] for name in names}

    def values(tables: Floats) -> dict[str, Floats]:
        return {name: c.function(tables, grades) for name, c in chosen.items()}

    return left_out_estimates(counts, values, {name: c.limits for name, c in chosen.items()}, confidence)


@dataclass(frozen=True, eq=False)
class ScoredRuns:
    """Runs matched with the judgments of people and of each judge, on the queries of all of them."""

    runs: Sequence[str]
    queries: Sequence[str]
    rankings: Mapping[str, JudgedRankings]

    @classmethod
    def of(cls, collection: Collection, by_judge: Mapping[str, Judgments]) -> ScoredRuns:
        """Match the runs; UsageError if people and judges have no query in common."""
        others = {name: judged_rankings(own, collection.runs) for name, own in by_judge.items()}
        rankings = {PEOPLE: collection.rankings, **others}
        every = [list(one.judgments.queries) for one in rankings.values()]
        queries = [query for query in every[0] if all(query in set(own) for own in every[1:])]
        if not queries:
            raise UsageError(f"no query in common: people judged {shortlist(every[0])}")
        return cls(list(collection.runs), queries, rankings)

    def scores(self, measure: Measure) -> dict[str, Floats]:
        """Return runs x queries by people and by each judge."""
        found = {}
        for name, rankings in self.rankings.items():
            place = {query: j for j, query in enumerate(rankings.judgments.queries)}
            values = measure.compute(rankings).reshape(len(self.runs), -1)
            found[name] = values[:, [place[query] for query in self.queries]]
        return found

    def orders(self, measure: Measure, drawing: QueryDraws) -> Iterator[Row]:
        """Yield how far the order by each judge agrees with that by people."""
        limits = {name: STATISTICS[name].limits for name in OF_ORDERS}
        scores = self.scores(measure)
        people = scores.pop(PEOPLE)

        def statistics(estimate: Floats, actual: Floats) -> dict[str, float]:
            return {name: STATISTICS[name].function(estimate, actual) for name in OF_ORDERS}

        for judge, own in scores.items():

            def drawn(weights: Floats, own: Floats = own) -> dict[str, Floats]:
                sums = zip(weights @ own.T, weights @ people.T, strict=True)
                each = [statistics(a, b) for a, b in sums]  # only an error depends on their size
                found = {name: np.array([one[name] for one in each]) for name in OF_ORDERS}
                return {**found, "rms": found["rms"] / len(self.queries)}

            whole = statistics(measure.over_queries(own), measure.over_queries(people))
            for name, one in drawing.estimates(whole, drawn, limits).items():
                title = STATISTICS[name].title
                yield row_of(one, title, measure=str(measure), judge=judge)

    def means(self, measure: Measure) -> Iterator[Row]:
        """Yield the means and ranks by people and by each judge, the best by people first."""
        means = {name: measure.over_queries(own) for name, own in self.scores(measure).items()}
        for i in np.argsort(-means[PEOPLE], kind="stable").tolist():
            for name, own in means.items():
                rank = 1 + int((own > own[i]).sum())
                row = {"measure": str(measure), "system": self.runs[i], "judge": name}
                yield {**row, "mean": float(own[i]), "rank": rank}
