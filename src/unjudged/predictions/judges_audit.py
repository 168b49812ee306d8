"""Audit several judges beside people: agreement, bias of runs, favoured groups, and order of the runs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from unjudged.agreement.agreeing import coefficient_estimates
from unjudged.agreement.leaderboards import LeaderboardAgreement, order_coefficients
from unjudged.agreement.resampling import QueryDraws
from unjudged.base.errors import UsageError
from unjudged.base.segments import sums
from unjudged.evaluation.collection import Collection, RunsSource
from unjudged.evaluation.groups import Groups, groups_by_pattern, read_groups
from unjudged.measures.kernel.estimand import ALL_JUDGED, OTHER, Estimand
from unjudged.measures.kernel.measure import Measure
from unjudged.measures.kernel.names import MeasureLike
from unjudged.predictions.audit_grids import Audit
from unjudged.predictions.auditing import audit, labels_of, measure_with_rel
from unjudged.predictions.judges_audit_grids import AGREEMENT, PEOPLE, Favour, JudgesAudit
from unjudged.predictions.predictions import GRADES, Judges, JudgesSource, Predictions
from unjudged.predictions.score_bias import Biases, score_biases
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.quantiles import t_interval

PERSISTENCE, MOST_AT_THE_TOP = 0.9, 10


def audit_judges(
    qrels: JudgmentsSource,
    judges: JudgesSource,
    runs: RunsSource | None = None,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    groups: Groups | None = None,
    rel: int = 1,
    threshold: float | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> JudgesAudit:
    """Compare several judges with people: on documents, and with `runs` on what these score.

    `groups` tells the family of each run: a mapping, a file of lines `run group`, or a pattern. A judge is of
    the group that is listed with its name, else of the group that is called like it. The other options are
    those of `audit`.

    >>> people = {"q1": {"d1": 1, "d2": 0, "d3": 1}, "q2": {"d1": 0, "d2": 1, "d3": 0}}
    >>> model = {"q1": {"d1": 0.9, "d2": 0.6, "d3": 0.7}, "q2": {"d1": 0.2, "d2": 0.4, "d3": 0.3}}
    >>> found = audit_judges(people, {"model": model, "second": people})
    >>> [round(found.agreement[name]["AUC"].value, 4) for name in found.judges]
    [0.8889, 1.0]
    """
    judgments, several = Judgments.of(qrels), Judges.of(judges)
    audits: dict[str, Audit] = {}
    agreement: dict[str, dict[str, Estimate]] = {}
    for name, judge in several.by_name.items():
        audits[name] = audit(judgments, judge, rel=rel, threshold=threshold, confidence=confidence)
        coefficients = _coefficients(judgments, judge, rel, threshold, confidence)
        agreement[name] = {"AUC": audits[name].auc, **coefficients}
    chosen = measure_with_rel(measure, rel)
    biases: dict[str, Biases] = {}
    favours: list[Favour] = []
    board = None
    if runs is not None:
        biases = score_biases(Collection.of(judgments, runs), several, chosen, confidence, threshold)
        board = _leaderboard(biases, chosen, confidence, seed)
    if groups is not None:
        if not biases:
            raise UsageError("groups are of runs: give the runs too")
        favours = _favours(biases, _groups(groups, biases, several), chosen, confidence)
    notes = dict.fromkeys(note for own in biases.values() for note in own.notes)
    return JudgesAudit(
        rel=rel,
        judges=several.names,
        audits=audits,
        agreement=agreement,
        measure=str(chosen),
        biases=biases,
        favours=favours,
        board=board,
        notes=[*notes, *several.notes()],
        confidence=confidence,
    )


def _coefficients(
    judgments: Judgments, judge: Predictions, rel: int, threshold: float | None, confidence: float
) -> dict[str, Estimate]:
    """Return coefficients of agreement with people, each document weighted by 1 / its probability.

    Grades are compared as they are, scores as relevant or not; without a threshold they have no labels.
    """
    value = judge.aligned(judgments).value
    label = labels_of(judge, value, rel, threshold, needed=False)
    if label is None:
        return {}
    both = np.isfinite(judgments.inclusion) & ~np.isnan(value)
    people, own = judgments.grade[both].astype(np.int64), label[both].astype(np.int64)
    if judge.kind != GRADES:
        people, own = (people >= rel).astype(np.int64), (own >= rel).astype(np.int64)
    grades = np.unique(np.concatenate([people, own]))
    n, queries = len(grades), len(judgments.queries)
    cell = (judgments.query[both] * n + np.searchsorted(grades, people)) * n + np.searchsorted(grades, own)
    counts = sums(1 / judgments.inclusion[both], cell, queries * n * n).reshape(queries, n, n)
    found = coefficient_estimates(counts, grades.astype(float), confidence)
    of_grades = () if judge.kind == GRADES else ("linear", "quadratic")
    return {title: found[name] for name, title in AGREEMENT.items() if name not in of_grades}


def _leaderboard(
    biases: Mapping[str, Biases], measure: Measure, confidence: float, seed: int
) -> LeaderboardAgreement | None:
    """Return how far each judge orders the runs as people do, over queries that are known for all of them."""
    first = next(iter(biases.values()))
    known = set.intersection(*({bias.run for bias in own.by_run} for own in biases.values()))
    rows = [i for i, run in enumerate(first.runs) if run in known]
    scores = [first.people[rows], *(own.predicted[rows] for own in biases.values())]
    complete = ~np.isnan(np.concatenate(scores)).any(axis=0)
    if len(rows) < 2 or not complete.any():
        return None
    queries = int(complete.sum())
    return LeaderboardAgreement(
        measure,
        [PEOPLE, *biases],
        [first.runs[i] for i in rows],
        [str(j) for j in np.flatnonzero(complete)],
        [own[:, complete] for own in scores],
        order_coefficients(min(MOST_AT_THE_TOP, (len(rows) + 1) // 2), PERSISTENCE),
        QueryDraws(queries, confidence=confidence, seed=seed),
    )


def _groups(groups: Groups, biases: Mapping[str, Biases], judges: Judges) -> dict[str, str]:
    """Return the group of each run and judge that has one."""
    runs = next(iter(biases.values())).runs
    if isinstance(groups, Mapping):
        group_of = dict(groups)
    elif "(" in str(groups):
        group_of = groups_by_pattern(str(groups), [*runs, *judges.names])
    else:
        group_of = read_groups(groups)
    named = {group_of[run] for run in runs if run in group_of}
    if len(named) < 1 + all(run in group_of for run in runs):
        raise UsageError(f"the groups name {len(named)} of the runs' families, expected two or more")
    return {name: group_of.get(name, name) for name in (*runs, *judges.names)}


def _favours(
    biases: Mapping[str, Biases], group_of: Mapping[str, str], measure: Measure, confidence: float
) -> list[Favour]:
    """Return for each group and judge how much more the judge overrates its runs than those of others."""
    favours = []
    runs = next(iter(biases.values())).runs
    for group in sorted({group_of[run] for run in runs if group_of[run] != run}):
        own = np.array([group_of[run] == group for run in runs])
        for judge, found in biases.items():
            gaps = found.predicted - found.people
            known = ~np.isnan(gaps).any(axis=0)
            contrast = gaps[own][:, known].mean(axis=0) - gaps[~own][:, known].mean(axis=0)
            of = Estimand(f"bias in {measure}", OTHER, ALL_JUDGED, f"{group} minus other runs")
            estimate = t_interval(contrast, confidence, method="t over queries", of=of)
            favours.append(Favour(judge, group, int(own.sum()), group_of[judge] == group, estimate))
    return favours
