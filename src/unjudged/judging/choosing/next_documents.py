"""Which documents to judge next: those that narrow an interval most, or say most about the order of runs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unjudged.base.choices import checked_int
from unjudged.base.errors import UsageError
from unjudged.evaluation.collection import RunsSource, name_runs
from unjudged.evaluation.evaluation import evaluate
from unjudged.evidence.rankings import RankingsEvidence
from unjudged.inference.infer import Settings
from unjudged.inference.rows import Row, answer
from unjudged.judging.choosing.expert_prevalence import FROM_RUNS
from unjudged.judging.choosing.gains import DRAWS, gains
from unjudged.judging.choosing.next_result import Candidate, NextDocuments
from unjudged.measures.kernel.estimand import CHOOSING, check_permitted
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.questions.sources import DEFAULT
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
    measure: MeasureLike = DEFAULT,
    *,
    difference: bool = False,
    settle: bool | None = None,
    top: int | None = None,
    pooled: bool = False,
    prevalence: PrevalenceLike = FROM_RUNS,
    draws: int = DRAWS,
    seed: int = 0,
) -> NextDocuments:
    """Return the unjudged documents that are most worth judging, best first.

    By RBP and P these are the documents that narrow the interval of the runs' means most, or that of the
    `difference` of two runs. With `settle`, and by any other measure, they are those that say most about the
    order of the runs; the other arguments go with this.

    Each document's gain is summed over the pairs of runs that more judging could flip or blur, as `compare`
    says. `top` takes only the pairs of the best runs so far. With `pooled`, only documents of the pool can be
    relevant.

    >>> from unjudged import sample
    >>> next_documents(sample.qrels, sample.runs["dense"], 1, "RBP(p=0.8)")[0].query
    'q03'
    >>> next_documents(sample.qrels, sample.runs, 2, "nDCG@10").sentence()
    'More judging could change what nDCG@10 says of 4 of 15 pairs of 6 runs.'
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
        )
        return _narrowing(SharedRankings.of(judgments, named), chosen, budget, difference=difference)
    if difference:
        raise UsageError("--difference is for RBP and P, and does not go with --settle: omit it")
    if len(named) < 2:
        problem = f"{chosen} asks about the order of runs"
        raise UsageError(f"{problem}: give two runs or more, or RBP or P, whose interval documents narrow")
    if top is not None:
        read = {name: Run.of(run) for name, run in named.items()}
        means = np.asarray(evaluate(judgments, read, chosen).means)[:, 0]
        kept = set(np.argsort(-means, kind="stable")[: checked_int("top", top, least=2)].tolist())
        named = {name: run for i, (name, run) in enumerate(read.items()) if i in kept}
    shared = SharedRankings.of(judgments, named)
    pairs = pairs_by_judging(shared, chosen, 0 if pooled else judgments.origin.pool_depth())
    if pooled:
        outside = (shared.name >= len(judgments.grade)) & (shared.judgments.grade < 0)
        shared = shared.with_grades(np.where(outside, 0, shared.judgments.grade))
    result = NextDocuments([], list(named), str(chosen), 0, pairs)
    place = list(named).index
    open_pairs = [(place(row["a"]), place(row["b"])) for row in result.open_pairs]
    if not open_pairs:
        return result
    first, second = (np.array(side) for side in zip(*open_pairs, strict=True))
    gain = gains(shared, chosen, first, second, prevalence=prevalence, draws=draws, seed=seed)
    order = _best(gain, shared)
    wanted = _candidates(shared, gain, order[:budget])
    return replace(result, wanted=wanted, candidates=len(order))


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


def pairs_by_judging(shared: SharedRankings, measure: Measure, depth: int | None) -> list[Row]:
    """Return the row of each pair, with what more judging could change.

    Below the depth of the pool, 0 for none, only documents of the pool can be relevant.
    """
    scores = measure.averaged(shared.per_run(measure.compute(shared.judged_rankings)))
    return answer([RankingsEvidence(shared, measure, scores, depth)], Settings()).pairs
