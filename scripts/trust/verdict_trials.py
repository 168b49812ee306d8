"""How often headlines and the gate were wrong: pairs of runs whose groups are left out of the judging.

The documents that only the left-out groups brought are unjudged. Runs are compared under what is left of the
judgments, and what is said of them is counted against all judgments. `both` compares every run of a group
with every run of another, both left out; `one` compares every run of a group that is left out, the old run
of a gate, with the pooled runs of others. Runs are cut at the depth of the pool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from left_out_runs import Pooled, Track, of_runs, only_by, tracks

from unjudged.base.segments import Floats, Integers, numbered
from unjudged.evidence.calibration import LeftOut
from unjudged.evidence.contrast import Contrast
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.inference.corrections import find_correction
from unjudged.inference.gate_checks import JudgingName, extremes
from unjudged.inference.pair_tests import Settings, decide, run_tests
from unjudged.inference.pairs import Pairs
from unjudged.inference.significance import careful, p_values, t
from unjudged.inference.verdict import BETTER, HEADLINES
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.extension import chosen_rows

ALPHA, DRAWS, SEED, MARGINS = 0.05, 20, 41, (0.0, 0.01)
BOTH, ONE = "both", "one"
LEFT_OUT = {BOTH: "two groups left out", ONE: "one group left out"}
MEASURES = {
    "TREC-8": ("RBP(p=0.8)", "nDCG@10", "AP"),
    "DL-2019": ("RBP(p=0.8, rel=2)", "nDCG@10", "AP(rel=2)"),
}
JUDGINGS: tuple[JudgingName, ...] = ("as-judged", "seen", "worst")
SIGNIFICANT, SURE = "significant", "better, whatever is judged"
RULES = (SIGNIFICANT, BETTER, SURE)
PASS, FAIL = 1, -1
UNCORRECTED = Settings(ALPHA, correction=find_correction("none"))
Columns = dict[Any, np.ndarray]
Found = dict[tuple[str, str, str], Columns]
TruthOf = Callable[[Integers, Integers], "Truth"]


class Truth(NamedTuple):
    """True means of differences of pairs, first minus second, and their p values, under all judgments."""

    mean: Floats
    p: Floats

    @classmethod
    def of(cls, scores: Floats, first: Integers, second: Integers) -> Truth:
        """Return the truth of pairs of these scores, with Student's p values."""
        pairs = Pairs(scores, first, second)
        return cls(pairs.difference, p_values(pairs, t).p)


def without(pooled: Pooled, depth: int, out: Sequence[int], runs: Integers) -> SharedRankings:
    """Return some of the runs over the judgments without the documents that only these groups brought."""
    whole = pooled.rankings.judgments
    hidden = only_by(LeftOut.of(pooled.rankings, pooled.group, depth), out)
    left, grade = chosen_rows(whole, ~hidden), np.where(hidden, -1, whole.grade).astype(np.int32)
    order = np.concatenate([np.flatnonzero(~hidden), np.flatnonzero(hidden)])
    pool = whole.with_grades(grade)
    rankings = of_runs(pooled.rankings, runs).relabelled(pool)
    names = whole.documents.take(order)
    place = numbered(order, len(grade))
    return SharedRankings(pool, rankings, [f"run {r}" for r in runs], whole.queries, names, place, left)


def trials(track: Track, setting: str, groups: Sequence[Sequence[int]]) -> dict[str, Columns]:
    """Return for each measure what was said of all pairs of runs, as columns."""
    pooled = Pooled.read(track)
    measures = parse_measures(MEASURES[track.name])
    found: dict[str, list[Columns]] = {str(measure): [] for measure in measures}
    for out in groups:
        mine = np.isin(pooled.group, out)
        runs = np.flatnonzero(mine) if setting == BOTH else np.arange(len(mine))
        shared = without(pooled, track.depth, out, runs)
        first, second = _pairs(pooled.group[runs], mine[runs], setting)
        for measure in measures:
            complete = measure.compute(of_runs(pooled.rankings, runs))
            scores = (
                shared.per_run(values) for values in (measure.compute(shared.judged_rankings), complete)
            )
            evidence = RankingsEvidence(shared, measure, next(scores), track.depth)
            truth = partial(Truth.of, next(scores))
            rng = np.random.default_rng([SEED, *out])
            found[str(measure)].append(_said(evidence, truth, first, second, rng, turned=setting == BOTH))
    return {name: _joined(parts) for name, parts in found.items()}


def _joined(parts: Sequence[Columns]) -> Columns:
    return {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}


def _pairs(group: Integers, mine: Any, setting: str) -> tuple[Integers, Integers]:
    """Return pairs of runs of different groups: both left out, or the first one only."""
    apart = group[:, None] != group[None, :]
    wanted = np.triu(apart) if setting == BOTH else mine[:, None] & ~mine[None, :]
    first, second = np.nonzero(wanted)
    return first, second


def _said(
    evidence: RankingsEvidence, true: TruthOf, first: Integers, second: Integers, rng: Any, *, turned: bool
) -> Columns:
    """Return the headline, what other rules say, and rates of resampled queries, of each pair.

    Gates are asked about the second run as the new one, or if `turned` about either.
    """
    contrast, truth = evidence.contrast(first, second, by_query=True), true(first, second)
    tested = run_tests(contrast, UNCORRECTED, shares=False)
    (columns,) = decide([tested], UNCORRECTED)
    wrong = tested.pairs.difference * truth.mean < 0
    said: Columns = {
        "headline": columns["headline"],
        "wrong": wrong,
        "lost": wrong | (truth.p > ALPHA),
        SIGNIFICANT: columns["p"] <= ALPHA,
        BETTER: columns["headline"] == BETTER,
        SURE: columns["sure"],
    }
    said |= _sizes(contrast, truth.mean, rng)
    both = [(first, second), (second, first)] if turned else [(second, first)]
    gates = [
        _gates(evidence.contrast(new, before, by_query=True), true(new, before).mean, rng)
        for new, before in both
    ]
    return said | {key: np.stack([gate[key] for gate in gates], axis=1) for key in gates[0]}


def _resampled(values: Floats, index: Integers, shift: Floats) -> Floats:
    """Return (pairs x draws) x queries: values on drawn queries, minus the shift of each pair."""
    drawn = np.take_along_axis(values[:, None, :], index, axis=2) - shift[:, None, None]
    return drawn.reshape(-1, values.shape[1])


def _drawn(contrast: Contrast, rng: np.random.Generator) -> Integers:
    queries = len(contrast.queries)
    return rng.integers(0, queries, (len(contrast), DRAWS, queries))


def _sizes(contrast: Contrast, truth: Floats, rng: np.random.Generator) -> Columns:
    """Return how often rules name a better system on resampled queries if the true mean difference is 0."""
    index, reach = _drawn(contrast, rng), contrast.measure.reach
    now = _resampled(contrast.values, index, truth)
    ahead = now.mean(axis=1) > 0
    tips: Any = contrast.tips
    down, up = tips(contrast.first, contrast.second), tips(contrast.second, contrast.first)
    ones = np.ones(len(contrast))

    def holds(down_to: Floats, up_to: Floats) -> Any:
        own = _resampled(down_to, index, truth), _resampled(up_to, index, -truth)
        led = np.where(ahead[:, None], *own)
        return (led.mean(axis=1) > 0) & (careful(led, reach=reach).both <= ALPHA)

    as_judged = careful(now, reach=reach).both <= ALPHA
    rates = {
        SIGNIFICANT: _student(now) <= ALPHA,
        BETTER: as_judged & holds(down.at(down.seen), up.at(up.seen)),
        SURE: as_judged & holds(down.at(ones), up.at(ones)),
    }
    return {(rule, "size"): rate.reshape(-1, DRAWS).mean(axis=1) for rule, rate in rates.items()}


def _student(values: Floats) -> Floats:
    from scipy.special import stdtr

    error = values.std(axis=1, ddof=1) / np.sqrt(values.shape[1])
    p: Floats = 2 * stdtr(
        values.shape[1] - 1, -np.abs(values.mean(axis=1)) / np.where(error > 0, error, np.inf)
    )
    return p


def _gates(contrast: Contrast, truth: Floats, rng: np.random.Generator) -> Columns:
    """Return what a gate says of each pair of new and old, where it is false, and passes at the boundary."""
    index, reach, said = _drawn(contrast, rng), contrast.measure.reach, Columns()
    for judging, margin in product(JUDGINGS, MARGINS):
        worst, best, _ = extremes(contrast, judging)
        failed = careful(best, margin, reach).below <= ALPHA
        passed = ~failed & (careful(worst, margin, reach).above <= ALPHA)
        at_boundary = careful(_resampled(worst, index, truth + margin), margin, reach).above <= ALPHA
        key = judging, margin
        said[*key, "outcome"] = np.where(failed, FAIL, np.where(passed, PASS, 0))
        said[*key, "false"] = (passed & (truth < -margin)) | (failed & (truth > -margin))
        said[*key, "boundary"] = at_boundary.reshape(-1, DRAWS).mean(axis=1)
    return said


def everything(folder: Path, workers: int) -> Found:
    """Return columns by track, setting and measure."""
    jobs, parts = [], 4 * workers
    with ProcessPoolExecutor(workers) as pool:
        for track in tracks(folder):
            groups = range(Pooled.read(track).groups)
            for setting, size in ((BOTH, 2), (ONE, 1)):
                out = list(combinations(groups, size))
                shares = [out[k::parts] for k in range(parts) if out[k::parts]]
                jobs.append(
                    (
                        track.name,
                        setting,
                        [pool.submit(trials, track, setting, own) for own in shares],
                    )
                )
        found = {}
        for name, setting, futures in jobs:
            made = [future.result() for future in futures]
            for measure in made[0]:
                found[name, setting, measure] = _joined([one[measure] for one in made])
    return found


def rules(columns: Found) -> Iterator[list[Any]]:
    """Yield what each rule decides, how many lose significance or have the wrong sign, and the size."""
    for (track, setting, measure), said in columns.items():
        for rule in RULES:
            chosen = said[rule].astype(bool)
            lost, wrong = (int(said[key][chosen].sum()) for key in ("lost", "wrong"))
            size, decided = f"{said[rule, 'size'].mean():.4f}", f"{chosen.mean():.3f}"
            yield [track, LEFT_OUT[setting], measure, rule, len(chosen), decided, lost, wrong, size]


def headlines(columns: Found) -> Iterator[list[Any]]:
    """Yield pairs of each headline: how many are not significant, or have the other sign, in truth."""
    for (track, setting, measure), said in columns.items():
        for headline in HEADLINES:
            chosen = said["headline"] == headline
            if setting == BOTH and chosen.any():
                shares = chosen.mean(), said["lost"][chosen].mean(), said["wrong"][chosen].mean()
                yield [track, measure, headline, len(chosen), *(f"{share:.3f}" for share in shares)]


def gates(columns: Found, margin: float) -> Iterator[list[Any]]:
    """Yield outcomes of gates whose old run is left out, and how often they pass at the boundary."""
    for (track, setting, measure), said in columns.items():
        for judging in JUDGINGS if setting == ONE else ():
            outcome, false = said[judging, margin, "outcome"], said[judging, margin, "false"]
            wrong = [int((false & (outcome == kind)).sum()) for kind in (PASS, FAIL)]
            rate, open_ = f"{said[judging, margin, 'boundary'].mean():.4f}", f"{(outcome == 0).mean():.3f}"
            yield [track, measure, judging, margin, len(outcome), open_, *wrong, rate]
