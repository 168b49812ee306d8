"""Size of the paired t test on estimates from samples, where the truth is no difference or known.

A unit is a query with a sample of its own: queries and samples are both drawn again. Simulated queries have a
pool of 100 documents and two systems of the same kind. From real collections, topics and samples are drawn
with replacement for pairs of 17 runs. `exchanged` swaps the two systems on each query at random, so that
there is no difference; `shifted` tests the true difference of the runs under complete judgments, to which the
bias of an estimate is a difference. `one run` tests the true mean of each run: 1 minus the coverage of its
interval for other queries. Sums are estimated as `compare` does it, in the simulation anew for the queries of
each trial.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from math import inf

import numpy as np
from held import Held
from left_out_runs import Track
from sampling_coverage import Sums

from unjudged import Judgments
from unjudged.base.segments import Floats
from unjudged.evidence.distributions import t_quantile
from unjudged.judging import Pool
from unjudged.measures.kernel.names import parse_measures
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.rankings.runs import Run

ESTIMATES = ("xinfAP", "infNDCG", "statAP")
SUMS = ("P@10", "RBP(p=0.8)")
COMPLETE = "all of the pool"
DESIGNS: dict[str, Callable[[Pool, int], Judgments]] = {
    "top 10 + 10 %": lambda pool, seed: pool.stratified({10: 1.0, inf: 0.1}, seed=seed),
    "top 10 + 20 %": lambda pool, seed: pool.stratified({10: 1.0, inf: 0.2}, seed=seed),
    "10:1, 50:.3, rest:.1": lambda pool, seed: pool.stratified({10: 1.0, 50: 0.3, inf: 0.1}, seed=seed),
    "random 20 %": lambda pool, seed: pool.uniform(0.2, seed=seed, redraw=False),
    "mixed 5": lambda pool, seed: pool.mixed(5, seed=seed),
    COMPLETE: lambda pool, seed: pool.uniform(1.0, seed=seed),
}
SIMULATED, EXCHANGED, SHIFTED, ONE = "simulated", "exchanged", "shifted", "one run"
SETTINGS = SIMULATED, EXCHANGED, SHIFTED, ONE
SIZES = (25, 50)
LEVEL, SEED = 0.95, 27
QUERIES, AT_ONCE, DOCUMENTS = 100_000, 2_000, 100
RUNS, DRAWS, PER_PAIR = 17, 40, 200


def simulated_sizes(design: str) -> list[Held]:
    """Return the sizes for one design where two simulated systems are of one kind."""
    rng = np.random.default_rng(SEED)
    values = [_estimates(_two_systems(rng, AT_ONCE), design, part) for part in range(QUERIES // AT_ONCE)]
    both = np.concatenate(values, axis=1)
    gap = both[:, :, 0] - both[:, :, 1]
    return [
        _held("simulated", (design, SIMULATED, size), measure, [_rejected(gap[k].reshape(-1, size), 0.0)])
        for k, measure in enumerate(ESTIMATES)
        for size in SIZES
    ]


def sums_of(design: str) -> list[Measure]:
    """Return the sums that a design leaves to be estimated."""
    if design == COMPLETE:
        return []
    return [measure for measure in parse_measures(SUMS) if str(measure) != "P@10" or "10" not in design]


def simulated_sums(design: str) -> list[Held]:
    """Return the sizes for one design where sums of two simulated systems of one kind are estimated."""
    rng, gaps = np.random.default_rng(SEED), dict[tuple[str, int], list[Floats]]()
    for part in range(QUERIES // AT_ONCE):
        pool = _two_systems(rng, AT_ONCE)
        rankings = pool.rankings.relabelled(DESIGNS[design](pool, part))
        for size in SIZES:
            for start in range(0, AT_ONCE, size):
                own = np.zeros(AT_ONCE, bool)
                own[start : start + size] = True
                sums = Sums.of(rankings.of_queries(own))
                for measure in sums_of(design):
                    evidence, found = sums.by(measure), gaps.setdefault((str(measure), size), [])
                    if evidence.alone.given.all():
                        found.append(evidence.scores[0] - evidence.scores[1])
    rows = []
    for (name, size), found in gaps.items():
        named, trials = f"{design}, {SIMULATED}, {size} queries", len(found)
        held = 1 - _rejected(np.stack(found), 0.0) if found else np.nan
        refused = 1 - trials * size / QUERIES
        rows.append(Held("simulated", named, name, LEVEL, held, trials, refused=refused))
    return rows


def _two_systems(rng: np.random.Generator, queries: int) -> Pool:
    """Two systems whose scores are relevance and noise of the same size; queries are easy and hard."""
    shape = queries, DOCUMENTS
    relevant = rng.random(shape) < rng.beta(1.0, 8.0, (queries, 1))
    relevant[:, 0] = True
    signal = relevant * rng.uniform(0.5, 2.5, (queries, 1))
    names = np.arange(queries).astype(str)
    place = np.arange(queries * DOCUMENTS).reshape(shape)
    grades = {
        q: dict(zip(map(str, own), map(int, row), strict=True))
        for q, own, row in zip(names.tolist(), place.tolist(), relevant.tolist(), strict=True)
    }
    runs = {name: Run.from_arrays(place, signal + rng.normal(size=shape), queries=names) for name in "ab"}
    return Pool.of(grades, runs)


def sizes_of_tests(track: Track, design: str) -> list[Held]:
    """Return the sizes for one design and pairs of real runs."""
    return list(_of_track(track, design))


def _of_track(track: Track, design: str) -> Iterator[Held]:
    pool = Pool.of(track.judgments, [track.runs[i * len(track.runs) // RUNS] for i in range(RUNS)])
    runs, queries = len(pool.runs), len(pool.judgments.queries)
    plain = [MEASURES[measure.traits.estimates] for measure in parse_measures(ESTIMATES)] + sums_of(design)
    truth = [measure.compute(pool.rankings).reshape(runs, queries).mean(axis=1) for measure in plain]
    drawn = np.stack([_estimates(pool, design, seed, sums=True) for seed in range(DRAWS)])
    rng = np.random.default_rng([SEED, 8])
    for k, measure in enumerate([*ESTIMATES, *map(str, sums_of(design))]):
        for size in SIZES:
            shares: dict[str, list[float]] = {EXCHANGED: [], SHIFTED: [], ONE: []}
            for a in range(runs):
                topic, seed = (rng.integers(0, n, (PER_PAIR, size)) for n in (queries, DRAWS))
                shares[ONE].append(_rejected(drawn[seed, k, topic, a], float(truth[k][a])))
            for a, b in combinations(range(runs), 2):
                topic, seed = (rng.integers(0, n, (PER_PAIR, size)) for n in (queries, DRAWS))
                gap = drawn[seed, k, topic, a] - drawn[seed, k, topic, b]
                true = float(truth[k][a] - truth[k][b])
                shares[EXCHANGED].append(_rejected(gap * rng.choice([-1, 1], gap.shape), 0.0))
                shares[SHIFTED].append(_rejected(gap, true))
            for setting, own in shares.items():
                yield _held(track.name, (design, setting, size), measure, own)


def _held(collection: str, asked: tuple[str, str, int], measure: str, shares: list[float]) -> Held:
    design, setting, size = asked
    trials = QUERIES // size if setting == SIMULATED else PER_PAIR * len(shares)
    name = f"{design}, {setting}, {size} queries"
    return Held(collection, name, measure, LEVEL, 1 - float(np.mean(shares)), trials)


def _estimates(pool: Pool, design: str, seed: int, *, sums: bool = False) -> Floats:
    """Measures x queries x runs, from one sample of every query."""
    rankings = pool.rankings.relabelled(DESIGNS[design](pool, seed))
    values = [
        measure.compute(rankings).reshape(len(pool.runs), -1).T for measure in parse_measures(ESTIMATES)
    ]
    if sums and (measures := sums_of(design)):
        made = Sums.of(rankings)
        values += [made.by(measure).by_query.T for measure in measures]
    return np.stack(values)


def _rejected(values: Floats, truth: float) -> float:
    """Return the share of rows whose mean differs from the truth by the paired t test."""
    n = values.shape[1]
    error = values.std(axis=1, ddof=1) / np.sqrt(n)
    return float((np.abs(values.mean(axis=1) - truth) > t_quantile(LEVEL, n - 1) * error).mean())
