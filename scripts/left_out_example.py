"""A group of TREC-8 that takes no part in the judging: what its best run looks like, and what answers show.

`python scripts/left_out_example.py` writes docs/evidence/left-out-group.csv; TREC-8 is in ../shared/data.
"""

from __future__ import annotations

import csv
import warnings
from pathlib import Path

from held import write_rows

from unjudged import UnjudgedWarning, compare, judging
from unjudged.judging.pooling import left_out_by_group
from unjudged.rankings.extension import chosen_rows
from unjudged.results.fields import Row

DATA = Path("../shared/data/trec8")
GROUP, RUN, OTHER = "miti", "READWARE2", "orcl99man"
"""A group, its best run, and the best run of another group."""
MEASURE, DEPTH, LABELS = "nDCG@10", 100, 50


def main() -> None:
    with (DATA / "run-info.tsv").open() as file:
        pooled = [row for row in csv.DictReader(file, delimiter="\t") if row["pooled"] == "yes"]
    runs = {row["run"]: DATA / f"runs/input.{row['run']}.gz" for row in pooled}
    pool = judging.Pool.of(DATA / "qrels.trec8.gz", runs)
    names, left_out = left_out_by_group(pool, DEPTH, {row["run"]: row["group"] for row in pooled})
    without = chosen_rows(pool.judgments, left_out.only_group != names.index(GROUP))
    pair = {name: runs[name] for name in (OTHER, RUN)}
    drawn = judging.next(without, pair, measure=MEASURE, design=f"holes({LABELS})").sample
    assert drawn is not None  # noqa: S101
    assert drawn.frame is not None  # noqa: S101
    holes = int((drawn.frame.size > 0).sum())
    answered = judging.merge(drawn, {"people": pool.judgments}).judgments
    write_rows(
        "left-out-group",
        ("judgments", RUN, OTHER, "difference", "low", "high", "headline"),
        [
            [f"without {GROUP}", *shown(compare(without, pair, MEASURE).pairs[0], "low", "high")],
            [
                f"and {LABELS} of {holes} holes",
                *shown(compare(answered, pair, MEASURE).pairs[0], "estimate_low", "estimate_high"),
            ],
            ["complete", *shown(compare(pool.judgments, pair, MEASURE).pairs[0], "low", "high")],
        ],
    )


def shown(row: Row, low: str, high: str) -> list[str]:
    """Return the numbers of a pair, and its headline."""
    numbers = (row["mean_a"], row["mean_b"], row["difference"], row[low], row[high])
    return [*(f"{number:.3f}" for number in numbers), row["headline"]]


if __name__ == "__main__":
    warnings.simplefilter("ignore", UnjudgedWarning)
    main()
