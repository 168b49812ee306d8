"""Which documents to judge next: those that narrow an interval most, or say most about the order of runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from unjudged.base.choices import checked_int
from unjudged.base.errors import UsageError
from unjudged.comparison.testing.pairs import Pairs
from unjudged.comparison.testing.significance import p_values
from unjudged.evaluation.collection import RunsSource, name_runs
from unjudged.evaluation.evaluation import evaluate
from unjudged.judging.choosing.expert_prevalence import FROM_RUNS, completions_of
from unjudged.judging.choosing.gains import DRAWS, gains
from unjudged.judging.choosing.next_result import Candidate, NextDocuments, RunPair
from unjudged.judging.choosing.settling import PairBounds, forecast_of, likely_bounds, pair_bounds
from unjudged.measures.kernel.estimand import CHOOSING, check_permitted
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.coverage import in_order
from unjudged.rankings.judged import Floats, Integers
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.runs import Run
from unjudged.uncertainty.prevalence import PrevalenceLike
from unjudged.uncertainty.shared import SharedRankings


def next_documents(
    qrels: JudgmentsSource,
    runs: RunsSource,
    budget: int,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    difference: bool = False,
    settle: bool | None = None,
    top: int | None = None,
    pooled: bool = False,
    prevalence: PrevalenceLike = FROM_RUNS,
    draws: int = DRAWS,
    seed: int = 0,
    confidence: float | None = None,
    forecast: bool = False,
) -> NextDocuments:
    """Return the unjudged documents that are most worth judging, best first.

    By RBP and P these are the documents that narrow the interval of the runs' means most, or that of the
    `difference` of two runs. With `settle`, and by any other measure, they are those that say most about the
    order of the runs; the other arguments go with this.

    Each document's gain is summed over the pairs of runs whose order the judgments leave open. `top` takes
    only the pairs of the best runs so far. With `pooled`, only documents of the pool can be relevant.
    `forecast` also says how many judgments would settle all these pairs, if that can be told, and whether it
    is worth it.

    A pair is settled if no completion of the judgments changes its order; for measures other than RBP and P
    that takes nearly all judgments. With `confidence`, it is settled if its order is the same in that central
    share of random completions, which is right if the prevalence is.

    >>> from unjudged import sample
    >>> next_documents(sample.qrels, sample.runs["dense"], budget=1)[0].query
    'q03'
    >>> next_documents(sample.qrels, sample.runs, 2, "nDCG@10", top=3).sentence()
    '2 of 3 pairs of 3 runs are open by nDCG@10.'
    """
    (chosen,) = parse_measures(measure)
    budget, seed = checked_int("budget", budget, least=1), checked_int("seed", seed)
    judgments = Judgments.with_fractions(qrels)
    named = in_order(judgments, name_runs(runs))
    judgments, chosen = judgments.by_whole_grades(), chosen.on_scale(judgments.scale)
    check_permitted(chosen, judgments, CHOOSING)
    if not (chosen.traits.weight is None if settle is None else settle):
        _refuse_ignored(
            top=(top, None),
            pooled=(pooled, False),
            prevalence=(prevalence, FROM_RUNS),
            seed=(seed, 0),
            confidence=(confidence, None),
            forecast=(forecast, False),
        )
        return _narrowing(SharedRankings.of(judgments, named), chosen, budget, difference=difference)
    if difference:
        raise UsageError("--difference is for RBP and P, and does not go with --settle: omit it")
    if len(named) < 2:
        raise UsageError("the order of runs was asked for: give two runs or more")
    if top is not None:
        read = {name: Run.of(run) for name, run in named.items()}
        means = np.asarray(evaluate(judgments, read, chosen).means)[:, 0]
        kept = set(np.argsort(-means, kind="stable")[: checked_int("top", top, least=2)].tolist())
        named = {name: run for i, (name, run) in enumerate(read.items()) if i in kept}
    shared = SharedRankings.of(judgments, named)
    if pooled:
        outside = (shared.name >= len(judgments.grade)) & (shared.judgments.grade < 0)
        shared = shared.with_grades(np.where(outside, 0, shared.judgments.grade))
    bounds_of: Callable[[SharedRankings], PairBounds] = partial(pair_bounds, measure=chosen)
    if confidence is not None:
        bounds_of = partial(
            likely_bounds,
            measure=chosen,
            confidence=confidence,
            prevalence=prevalence,
            draws=2 * draws,
            seed=seed,
        )
    bounds = bounds_of(shared)
    basis = f"{bounds.basis} Documents outside the pool count as nonrelevant." if pooled else bounds.basis
    result = NextDocuments(
        [], list(named), str(chosen), 0, _pairs(shared, chosen, bounds), basis, confidence=confidence
    )
    first, second = bounds.first[bounds.open], bounds.second[bounds.open]
    if not len(first):
        return result
    gain = gains(shared, chosen, first, second, prevalence=prevalence, draws=draws, seed=seed)
    order = _best(gain, shared)
    needed = None
    if forecast:
        completed = completions_of(shared, prevalence, rel=int(chosen.given.get("rel", 1)), seed=seed + 1)
        needed = forecast_of(shared, chosen, order, completed, bounds_of, batch=budget)
    wanted = _candidates(shared, gain, order[:budget])
    return replace(result, wanted=wanted, candidates=len(order), forecast=needed)


def _refuse_ignored(**options: tuple[object, object]) -> None:
    """Refuse options, each with its default, that only the order of runs uses."""
    given = [f"--{name}" for name, (value, default) in options.items() if value != default]
    if given:
        go = "goes" if len(given) == 1 else "go"
        raise UsageError(f"{' and '.join(given)} {go} with --settle, or with a measure other than RBP and P")


def _narrowing(shared: SharedRankings, measure: Measure, budget: int, *, difference: bool) -> NextDocuments:
    """Return the documents with the largest weights in the runs' means, or in the difference of two."""
    runs = len(shared.runs)
    if difference and runs != 2:
        raise UsageError(f"the difference of {runs} runs was asked for: give two")
    weights = shared.unknown_weights(measure)
    sign = np.where(weights.run == 0, 1.0, -1.0) if difference else np.full(len(weights.run), 1 / runs)
    gain = np.abs(np.bincount(weights.row, sign * weights.weight, weights.rows))
    order = _best(gain, shared)
    wanted, what = _candidates(shared, gain, order[:budget]), "difference" if difference else "mean"
    return NextDocuments(wanted, list(shared.runs), str(measure), len(order), interval=what)


def _best(gain: Floats, shared: SharedRankings) -> Integers:
    """Return the rows with a gain that have no answer, the largest first."""
    candidates = np.flatnonzero((gain > 0) & shared.judgments.waiting)
    return candidates[np.argsort(-gain[candidates], kind="stable")]


def _candidates(shared: SharedRankings, gain: Floats, rows: Integers) -> list[Candidate]:
    return [Candidate(shared.query(r), shared.document(r), float(gain[r])) for r in rows.tolist()]


def _pairs(shared: SharedRankings, measure: Measure, bounds: PairBounds) -> tuple[RunPair, ...]:
    """Return who leads in each pair, by the judgments that settle it or by those so far."""
    pairs = Pairs.of(shared.per_run(measure.compute(shared.rankings)))
    columns = (pairs.difference, bounds.low, bounds.high, p_values(pairs).p, bounds.open)
    made = []
    for a, b, gap, low, high, p, left in zip(
        bounds.first.tolist(), bounds.second.tolist(), *(c.tolist() for c in columns), strict=True
    ):
        turned = gap < 0 if left else high < 0
        one, other = (b, a) if turned else (a, b)
        lead, least, most = (-gap, -high, -low) if turned else (gap, low, high)
        made.append(RunPair(shared.runs[one], shared.runs[other], lead, least, most, p, not left))
    return tuple(made)
