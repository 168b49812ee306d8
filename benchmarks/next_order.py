"""How many judgments settle the order of ten TREC-8 runs by AP, in which order of judging.

    python benchmarks/next_order.py --data ../shared/data/trec8 [--write docs/laboratory.md]

Every document that the ten runs retrieve can be judged; with --depth 100, the first 100 of each run. A
document that TREC did not judge is nonrelevant, as in every AP of TREC-8. The first 10 of each run are judged
to begin with. Then documents are judged by gains (recomputed for every batch), by best rank, by MoveToFront
(Cormack, Palmer and Clarke, 1998: a run's priority falls with every nonrelevant document) or at random. A
pair is settled if its order is the same in the central 95 % of random completions, and settled rightly if
that is its order with every document judged.

The last table has other runs, by gains alone and in larger steps: how many of the settled pairs are in the
wrong order. The method was chosen on the first sixty runs by AP; the others were not looked at before.
"""

from __future__ import annotations

import argparse
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from unjudged import AP, Judgments, evaluate
from unjudged.judging.choosing.gains import gains
from unjudged.judging.choosing.settling import PairBounds, likely_bounds
from unjudged.uncertainty.shared import SharedRankings

RUNS, START, DRAWS, CONFIDENCE = 10, 10, 160, 0.95
DEEPEST, LARGER_STEPS, NOT_LOOKED_AT = 1000, 1.6, 61
WANTED = (20, 25, 30, 35, 38, 40, 41, 42, 43, 44, 45)
BEGIN, END = "<!-- benchmarks/next_order.py -->", "<!-- end -->"

Curve = list[tuple[int, int]]
"""How many pairs are settled rightly and wrongly after each step."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data/trec8"))
    parser.add_argument("--depths", type=int, nargs="*", default=[DEEPEST, 100])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--others", type=int, nargs="*", default=[*range(11, 100, 10)], help="first places")
    parser.add_argument("--write", type=Path, help="put the tables between their marks in this file")
    options = parser.parse_args()
    parts = []
    for depth in options.depths:
        collection = Collection.of(options.data, 1, depth)
        curves = collection.curves(options.repeats)
        what = "every document that they retrieve" if depth == DEEPEST else f"their first {depth} documents"
        title = f"The ten best runs, {what}: {len(collection.waiting):,} documents to judge"
        parts += [title, in_markdown(collection.steps, curves), needed_in_markdown(collection.steps, curves)]
        print("\n\n".join(parts[-3:]), flush=True)
    if options.others:
        parts += [
            "Other runs, judged by gains:",
            others_in_markdown(options.data, options.others, options.depths),
        ]
    text = "\n\n".join(parts)
    if options.write is not None:
        page = options.write.read_text()
        before, after = page.split(BEGIN)[0], page.split(END, 1)[1]
        options.write.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


@dataclass(frozen=True, eq=False)
class Collection:
    """Runs over the documents they retrieve, the grade of every document, and those that wait."""

    shared: SharedRankings
    answer: np.ndarray
    waiting: np.ndarray
    growth: float
    """How many more documents are judged after each step."""

    @classmethod
    def of(cls, data: Path, place: int, depth: int, growth: float = 1.25) -> Collection:
        """The ten runs from this place on, by AP; what is deeper than `depth` in all is known nonrelevant."""
        files = {path.name: path for path in sorted((data / "runs").iterdir())}
        every = Judgments.read(data / "qrels.trec8.gz")
        means = np.asarray(evaluate(every, files, "AP").means)[:, 0]
        names = list(files)
        order = np.argsort(-means, kind="stable")[place - 1 : place - 1 + RUNS]
        runs = {names[i]: files[names[i]] for i in order.tolist()}
        first = SharedRankings.of(every, runs)
        retrieved = np.flatnonzero(first.best_rank <= depth)
        truth: dict[str, dict[str, int]] = {}
        for row in retrieved.tolist():
            grade = max(int(first.judgments.grade[row]), 0)
            truth.setdefault(first.query(row), {})[first.document(row)] = grade
        judgments = Judgments.of(truth)
        shared = SharedRankings.of(judgments, runs)
        listed = shared.name < len(judgments.grade)
        answer = np.where(listed, shared.judgments.grade, 0).astype(np.int32)
        return cls(shared, answer, np.flatnonzero(listed & (shared.best_rank > START)), growth)

    @property
    def steps(self) -> list[int]:
        """None, then 500 and so much more each time, and all."""
        numbers = [0, 500]
        while numbers[-1] < len(self.waiting):
            numbers.append(int(round(self.growth * numbers[-1], -2)))
        return [*numbers[:-1], len(self.waiting)]

    def judged(self, rows: np.ndarray) -> SharedRankings:
        """What is known once these documents are judged."""
        grade = self.answer.copy()
        grade[self.waiting] = -1
        grade[rows] = self.answer[rows]
        return self.shared.with_grades(grade)

    def curves(self, repeats: int) -> dict[str, Curve]:
        orders = {
            "best rank": self.waiting[np.argsort(self.shared.best_rank[self.waiting], kind="stable")],
            "MoveToFront": move_to_front(self),
        }
        for seed in range(repeats):
            orders[f"random {seed}"] = np.random.default_rng(seed).permutation(self.waiting)
        curves = {"gains": by_gains(self)}
        for name, order in orders.items():
            curves[name] = [self.settled(bounds_of(self.judged(order[:n]))) for n in self.steps]
        return curves

    def settled(self, bounds: PairBounds) -> tuple[int, int]:
        """How many pairs are settled rightly and wrongly."""
        settled = np.where(bounds.low > 0, 1, -1)[~bounds.open]
        order = np.sign(self.means[bounds.first] - self.means[bounds.second])[~bounds.open]
        return int((order == settled).sum()), int((order != settled).sum())

    @cached_property
    def means(self) -> np.ndarray:
        """The mean AP of each run with every document judged."""
        complete = self.shared.with_grades(self.answer).rankings
        return np.asarray(self.shared.per_run(AP.compute(complete)).mean(axis=1))


def in_markdown(steps: Sequence[int], curves: dict[str, Curve]) -> str:
    """The curves: pairs that are settled rightly, and in brackets wrongly."""
    rows = [f"| judged | {' | '.join(curves)} |", "|---|" + "---|" * len(curves)]
    for k, n in enumerate(steps):
        rows.append(f"| {n:,} | {' | '.join(shown(*found[k]) for found in curves.values())} |")
    return "\n".join(rows)


def shown(right: int, wrong: int) -> str:
    return f"{right} ({wrong})" if wrong else f"{right}"


def needed_in_markdown(steps: Sequence[int], curves: dict[str, Curve]) -> str:
    """From how many judgments on so many pairs stay settled rightly."""
    rows = [f"| pairs | {' | '.join(curves)} | gains / random |", "|---|" + "---|" * (len(curves) + 1)]
    for wanted in WANTED:
        needed = {}
        for name, found in curves.items():
            below = [k for k, (right, _) in enumerate(found) if right < wanted]
            needed[name] = steps[below[-1] + 1] if below else 0
        drawn = [n for name, n in needed.items() if name.startswith("random")]
        ratio = needed["gains"] / np.mean(drawn) if any(drawn) else float("nan")
        rows.append(f"| {wanted} | {' | '.join(f'{n:,}' for n in needed.values())} | {ratio:.2f} |")
    return "\n".join(rows)


def others_in_markdown(data: Path, places: Sequence[int], depths: Sequence[int]) -> str:
    """For ten runs each, over all steps but the last: settled pairs, and the share of them that is wrong."""
    heads = [f"to depth {depth:,}: settled, median | wrong" for depth in depths]
    rows = [f"| runs by AP | {' | '.join(heads)} |", "|---|" + "---|" * (2 * len(depths))]
    total = np.zeros((len(places), len(depths), 2))
    for i, place in enumerate(places):
        cells = []
        for k, depth in enumerate(depths):
            found = np.array(by_gains(Collection.of(data, place, depth, LARGER_STEPS))[:-1])
            settled, wrong = found.sum(axis=1), found[:, 1]
            total[i, k] = settled.sum(), wrong.sum()
            cells.append(f"{np.median(settled):.0f} | {share(total[i, k])}")
        rows.append(f"| {place} to {place + RUNS - 1} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    for name, chosen in (("all", 0), (f"from {NOT_LOOKED_AT} on", NOT_LOOKED_AT)):
        sums = total[np.array(places) >= chosen].sum(axis=0)
        rows.append(f"| {name} | {' | '.join(f' | {share(sum_)}' for sum_ in sums)} |")
    return "\n".join(rows)


def share(settled_and_wrong: np.ndarray) -> str:
    settled, wrong = settled_and_wrong.tolist()
    return f"{wrong / max(settled, 1):.1%}"


def bounds_of(shared: SharedRankings) -> PairBounds:
    return likely_bounds(shared, AP, CONFIDENCE, draws=DRAWS)


def by_gains(collection: Collection) -> Curve:
    """From step to step, the documents with the largest gains are judged, given all that is judged so far."""
    order, found = np.zeros(0, np.int64), []
    for n, following in zip(collection.steps, [*collection.steps[1:], 0], strict=True):
        now = collection.judged(order)
        bounds = bounds_of(now)
        found.append(collection.settled(bounds))
        left = np.setdiff1d(collection.waiting, order, assume_unique=True)
        if len(left):
            wanted = bounds.open if bounds.open.any() else np.ones(len(bounds.open), bool)
            gain = gains(now, AP, bounds.first[wanted], bounds.second[wanted], draws=DRAWS)
            order = np.concatenate([order, left[np.argsort(-gain[left], kind="stable")[: following - n]]])
    return found


def move_to_front(collection: Collection) -> np.ndarray:
    """Topic by topic in turn: the next document of the run with the highest priority."""
    shared, answer = collection.shared, collection.answer
    queries, r = len(shared.queries), shared.rankings
    open_rows = np.zeros(len(answer), bool)
    open_rows[collection.waiting] = True
    lists = [
        [
            deque(
                row
                for row in r.row[r.offsets[i * queries + q] : r.offsets[i * queries + q + 1]].tolist()
                if open_rows[row]
            )
            for i in range(len(shared.runs))
        ]
        for q in range(queries)
    ]
    priority, order = np.zeros((queries, len(shared.runs))), []
    while any(any(topic) for topic in lists):
        for q, topic in enumerate(lists):
            for ranking in topic:
                while ranking and not open_rows[ranking[0]]:
                    ranking.popleft()
            ready = [i for i, ranking in enumerate(topic) if ranking]
            if ready:
                run = max(ready, key=lambda i: (priority[q, i], -i))
                row = topic[run].popleft()
                open_rows[row] = False
                priority[q, run] -= answer[row] < 1
                order.append(row)
    return np.array(order)


if __name__ == "__main__":
    main()
