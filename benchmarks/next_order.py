"""How many judgments settle the order of TREC-8's ten best runs by AP, in which order of judging.

    python benchmarks/next_order.py --data ../shared/data/trec8 [--write docs/laboratory.md]

The pool is the first 100 documents of the ten runs, as far as TREC judged them. Its depth-10 part is judged
to begin with. Then documents are judged by gains (recomputed for every batch), by best rank, by MoveToFront
(Cormack, Palmer and Clarke, 1998: a run's priority falls with every nonrelevant document) or at random. A
pair is settled if its order is the same in the central 95 % of random completions, and settled rightly if
that is its order with the whole pool judged. With --confidence 1, if it is the same in every completion.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from unjudged import AP, Judgments, Pool, evaluate
from unjudged.judging.gains import gains
from unjudged.judging.settling import PairBounds, likely_bounds, pair_bounds, with_grades
from unjudged.rankings.extension import chosen_rows
from unjudged.uncertainty.shared import SharedRankings

RUNS, DEPTH, START, DRAWS = 10, 100, 10, 160
PAIRS = RUNS * (RUNS - 1) // 2
WANTED = (30, 35, 38, 40, 41, 42, 43, 44, 45)
BEGIN, END = "<!-- benchmarks/next_order.py -->", "<!-- end -->"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data/trec8"))
    parser.add_argument("--batch", type=int, default=500)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--confidence", type=float, default=0.95)
    parser.add_argument("--write", type=Path, help="put the table between its marks in this file")
    options = parser.parse_args()
    shared, answer, waiting = collection(options.data)
    right_order = np.sign(bounds_of(with_grades(shared, answer), options.confidence).low)

    def settled(judged: np.ndarray) -> tuple[int, int]:
        grade = answer.copy()
        grade[waiting] = -1
        grade[judged] = answer[judged]
        found = bounds_of(with_grades(shared, grade), options.confidence)
        order = np.where(found.low > 0, 1, -1)[~found.open]
        right = int((order == right_order[~found.open]).sum())
        return right, len(order) - right

    orders = {
        "gains": by_gains(shared, answer, waiting, options.batch, options.confidence),
        "best rank": waiting[np.argsort(shared.best_rank[waiting], kind="stable")],
        "MoveToFront": move_to_front(shared, answer, waiting),
    }
    for seed in range(options.repeats):
        orders[f"random {seed}"] = np.random.default_rng(seed).permutation(waiting)
    steps = [*range(0, len(waiting), options.batch), len(waiting)]
    curve = {name: [settled(order[:n]) for n in steps] for name, order in orders.items()}
    text = "\n\n".join([in_markdown(steps, curve), needed_in_markdown(steps, curve)])
    print(text)
    if options.write is not None:
        page = options.write.read_text()
        before, after = page.split(BEGIN)[0], page.split(END, 1)[1]
        options.write.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


def collection(data: Path) -> tuple[SharedRankings, np.ndarray, np.ndarray]:
    """The ten best runs over their pool, the grade of every document, and the documents to be judged."""
    files = {path.name: path for path in sorted((data / "runs").iterdir())}
    every = Judgments.read(data / "qrels.trec8.gz")
    means = np.asarray(evaluate(every, files, "AP").means)[:, 0]
    names = list(files)
    best = {names[i]: files[names[i]] for i in np.argsort(-means, kind="stable")[:RUNS].tolist()}
    truth = chosen_rows(every, (Pool.of(every, best).best <= DEPTH) & (every.grade >= 0))
    shared = SharedRankings.of(truth, best)
    pooled = shared.name < len(truth.grade)
    answer = np.where(pooled, np.maximum(shared.judgments.grade, 0), 0).astype(np.int32)
    return shared, answer, np.flatnonzero(pooled & (shared.best_rank > START))


def in_markdown(steps: Sequence[int], curve: dict[str, list[tuple[int, int]]]) -> str:
    """The curves: pairs that are settled rightly, and in brackets wrongly."""
    rows = [f"| judged | {' | '.join(curve)} |", "|---|" + "---|" * len(curve)]
    for k, n in enumerate(steps):
        if k % 2 == 0 or n == steps[-1]:
            cells = [
                f"{found[k][0]} ({found[k][1]})" if found[k][1] else f"{found[k][0]}"
                for found in curve.values()
            ]
            rows.append(f"| {n:,} | {' | '.join(cells)} |")
    return "\n".join(rows)


def needed_in_markdown(steps: Sequence[int], curve: dict[str, list[tuple[int, int]]]) -> str:
    """From how many judgments on so many pairs stay settled rightly."""
    rows = [f"| pairs | {' | '.join(curve)} | gains / random |", "|---|" + "---|" * (len(curve) + 1)]
    for wanted in WANTED:
        needed = {}
        for name, found in curve.items():
            below = [k for k, (right, _) in enumerate(found) if right < wanted]
            needed[name] = steps[below[-1] + 1] if below else 0
        drawn = [n for name, n in needed.items() if name.startswith("random")]
        ratio = needed["gains"] / np.mean(drawn) if any(drawn) else float("nan")
        rows.append(f"| {wanted} | {' | '.join(f'{n:,}' for n in needed.values())} | {ratio:.2f} |")
    return "\n".join(rows)


def bounds_of(shared: SharedRankings, confidence: float) -> PairBounds:
    if confidence == 1:
        return pair_bounds(shared, AP)
    return likely_bounds(shared, AP, confidence, draws=DRAWS)


def by_gains(
    shared: SharedRankings, answer: np.ndarray, waiting: np.ndarray, batch: int, confidence: float
) -> np.ndarray:
    """In batches: the documents with the largest gains, given all that is judged."""
    grade = answer.copy()
    grade[waiting] = -1
    order: list[np.ndarray] = []
    left = waiting
    while len(left):
        now = with_grades(shared, grade)
        bounds = bounds_of(now, confidence)
        wanted = bounds.open if bounds.open.any() else np.ones(len(bounds.open), bool)
        gain = gains(now, AP, bounds.first[wanted], bounds.second[wanted], draws=DRAWS)
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
