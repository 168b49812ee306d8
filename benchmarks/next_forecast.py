"""Is the forecast of `next` the same from batch to batch? For two and for five neighbouring TREC-8 runs.

    python benchmarks/next_forecast.py --data ../shared/data/trec8 [--write docs/laboratory.md]

As in next_order.py, the first 10 documents of each run are judged to begin with, and the first 100 can be.
Batches are judged by gains until every pair is settled: by RBP if no judgment can change an order (batches of
50), by AP if it holds in the central 95 % of random completions (batches of 200). A cell is the forecast of
all judgments, those made so far included, in brackets if it is not told because completions differ too much.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

import next_order
import numpy as np

from unjudged import AP, RBP
from unjudged.judging.choosing.expert_prevalence import FROM_RUNS, completions_of
from unjudged.judging.choosing.gains import gains
from unjudged.judging.choosing.settling import Forecast, forecast_of, likely_bounds, pair_bounds

DEPTH, DRAWS, MOST = 100, 120, 6
BEGIN, END = "<!-- benchmarks/next_forecast.py -->", "<!-- end of the forecasts -->"
BY = {
    "RBP": (RBP(p=0.8), partial(pair_bounds, measure=RBP(p=0.8)), 50),
    "AP": (AP, partial(likely_bounds, measure=AP, confidence=0.95, draws=DRAWS), 200),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared/data/trec8"))
    parser.add_argument("--places", type=int, nargs="*", default=[*range(1, 100, 10)], help="first places")
    parser.add_argument("--write", type=Path, help="put the table between its marks in this file")
    options = parser.parse_args()
    heads = ["by", "runs by AP", *(f"batch {k}" for k in range(MOST)), "settled after"]
    rows = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    steps, told, missed = [], 0, 0
    for name, runs in (("RBP", 2), ("RBP", 5), ("AP", 2)):
        for place in options.places:
            seen, stop = sequence(options.data, name, place, runs)
            cells = [shown(*one) for one in seen] + [""] * (MOST - len(seen))
            end = f"{stop:,}" if stop is not None else f"more than {MOST * BY[name][2]:,}"
            rows.append(f"| {name} | {place} to {place + runs - 1} | {' | '.join(cells)} | {end} |")
            print(rows[-1], flush=True)
            totals = [judged + found.middle for judged, found in seen if found.steady]
            steps += [max(a, b) / min(a, b) for a, b in zip(totals, totals[1:], strict=False)]
            told += len(totals)
            if stop is not None:
                missed += sum(max(t, stop) > 2 * min(t, stop) for t in totals)
    text = "\n".join(rows) + (
        f"\n\n{told} forecasts were told. From one to the next the total changed by a factor of "
        f"{np.median(steps):.2f} in the median and {max(steps):.2f} at most; {missed} "
        f"{'was' if missed == 1 else 'were'} more than a factor of 2 away from what settled the runs."
    )
    print(text)
    if options.write is not None:
        page = options.write.read_text()
        before, after = page.split(BEGIN)[0], page.split(END, 1)[1]
        options.write.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


def sequence(data: Path, name: str, place: int, runs: int) -> tuple[list[tuple[int, Forecast]], int | None]:
    """What is judged and the forecast before each batch, and how many judgments settle every pair."""
    measure, bounds_of, batch = BY[name]
    next_order.RUNS = runs
    collection = next_order.Collection.of(data, place, DEPTH)
    order = np.zeros(0, np.int64)
    seen: list[tuple[int, Forecast]] = []
    while True:
        now = collection.judged(order)
        bounds = bounds_of(now)
        if not bounds.open.any():
            return seen, len(order)
        if len(seen) == MOST:
            return seen, None
        gain = gains(now, measure, bounds.first[bounds.open], bounds.second[bounds.open])
        rows = np.flatnonzero((gain > 0) & now.judgments.waiting)
        rows = rows[np.argsort(-gain[rows], kind="stable")]
        completions = completions_of(now, FROM_RUNS, seed=1)
        seen.append((len(order), forecast_of(now, measure, rows, completions, bounds_of, batch=batch)))
        order = np.concatenate([order, rows[:batch]])


def shown(judged: int, found: Forecast) -> str:
    """The forecast of all judgments; in brackets if it is not told."""
    total = f"{judged + found.middle:,}" if found.middle <= found.candidates else "not worth it"
    return total if found.steady and found.worthwhile else f"({total})"


if __name__ == "__main__":
    main()
