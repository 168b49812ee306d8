"""How many judgments settle the order of TREC-8's ten best runs by AP, in which order of judging.

    python benchmarks/next_order.py --data ../shared/data/trec8 [--confidence 0.95]

The pool is the first 100 documents of the ten runs, as far as TREC judged them. Its depth-10 part is judged
to begin with. Then documents are judged by gains (recomputed for every batch), by best rank, by MoveToFront
(Cormack, Palmer and Clarke, 1998: a run's priority falls with every nonrelevant document) or at random. A
pair is settled if no completion changes its order; with --confidence, if so many random completions agree.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from unjudged import AP, Judgments, Pool, evaluate
from unjudged.judging.gains import gains
from unjudged.judging.settling import PairBounds, likely_bounds, pair_bounds, with_grades
from unjudged.rankings.extension import chosen_rows
from unjudged.uncertainty.shared import SharedRankings

RUNS, DEPTH, START, DRAWS = 10, 100, 10, 80


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data/trec8"))
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--confidence", type=float)
    options = parser.parse_args()
    files = {path.name: path for path in sorted((options.data / "runs").iterdir())}
    every = Judgments.read(options.data / "qrels.trec8.gz")
    means = np.asarray(evaluate(every, files, "AP").means)[:, 0]
    names = list(files)
    best = {names[i]: files[names[i]] for i in np.argsort(-means, kind="stable")[:RUNS].tolist()}
    pool = Pool.of(every, best)
    truth = chosen_rows(every, (pool.best <= DEPTH) & (every.grade >= 0))
    shared = SharedRankings.of(truth, best)
    pooled = shared.name < len(truth.grade)
    answer = np.where(pooled, np.maximum(shared.judgments.grade, 0), 0).astype(np.int32)
    waiting = np.flatnonzero(pooled & (shared.best_rank > START))
    print(f"{RUNS} runs, {int(pooled.sum())} pooled documents, {len(waiting)} to judge")

    def settled(judged: np.ndarray) -> int:
        grade = answer.copy()
        grade[waiting] = -1
        grade[judged] = answer[judged]
        return int((~bounds_of(with_grades(shared, grade), options.confidence).open).sum())

    orders = {
        "gains": by_gains(shared, answer, waiting, options.batch, options.confidence),
        "depth": waiting[np.argsort(shared.best_rank[waiting], kind="stable")],
        "MoveToFront": move_to_front(shared, answer, waiting),
    }
    for seed in range(options.repeats):
        orders[f"random {seed}"] = np.random.default_rng(seed).permutation(waiting)
    steps = [*range(0, len(waiting), options.batch), len(waiting)]
    curve = {name: [settled(order[:n]) for n in steps] for name, order in orders.items()}
    print("\t".join(["judged", *curve]))
    for k, n in enumerate(steps):
        print("\t".join([str(n), *(str(found[k]) for found in curve.values())]))
    print("\njudgments needed to settle so many pairs (to the batch)")
    print("\t".join(["pairs", *curve]))
    for wanted in range(5, RUNS * (RUNS - 1) // 2 + 1, 5):
        needed = [
            next((n for n, s in zip(steps, found, strict=True) if s >= wanted), "-")
            for found in curve.values()
        ]
        print("\t".join([str(wanted), *map(str, needed)]))


def bounds_of(shared: SharedRankings, confidence: float | None) -> PairBounds:
    if confidence is None:
        return pair_bounds(shared, AP)
    return likely_bounds(shared, AP, confidence, draws=DRAWS)


def by_gains(
    shared: SharedRankings, answer: np.ndarray, waiting: np.ndarray, batch: int, confidence: float | None
) -> np.ndarray:
    """In batches: the documents with the largest gains, given all that is judged."""
    grade = answer.copy()
    grade[waiting] = -1
    order: list[np.ndarray] = []
    left = waiting
    while len(left):
        now = with_grades(shared, grade)
        bounds = bounds_of(now, confidence)
        if not bounds.open.any():
            order.append(left)
            break
        gain = gains(now, AP, bounds.first[bounds.open], bounds.second[bounds.open], draws=DRAWS)
        chosen = left[np.argsort(-gain[left], kind="stable")[:batch]]
        grade[chosen] = answer[chosen]
        order.append(chosen)
        left = np.setdiff1d(left, chosen, assume_unique=True)
    return np.concatenate(order)


def move_to_front(shared: SharedRankings, answer: np.ndarray, waiting: np.ndarray) -> np.ndarray:
    """Topic by topic in turn: the next document of the run with the highest priority."""
    queries, r = len(shared.queries), shared.rankings
    open_rows = np.zeros(len(answer), bool)
    open_rows[waiting] = True
    lists = [
        [
            [
                row
                for row in r.row[r.offsets[i * queries + q] : r.offsets[i * queries + q + 1]].tolist()
                if open_rows[row]
            ]
            for i in range(len(shared.runs))
        ]
        for q in range(queries)
    ]
    priority, order = np.zeros((queries, len(shared.runs))), []
    while any(any(topic) for topic in lists):
        for q, topic in enumerate(lists):
            for ranking in topic:
                while ranking and not open_rows[ranking[0]]:
                    ranking.pop(0)
            ready = [i for i, ranking in enumerate(topic) if ranking]
            if ready:
                run = max(ready, key=lambda i: (priority[q, i], -i))
                row = topic[run].pop(0)
                open_rows[row] = False
                priority[q, run] -= answer[row] < 1
                order.append(row)
    return np.array(order)


if __name__ == "__main__":
    main()
