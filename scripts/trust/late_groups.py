"""Groups of TREC-8 that come late: their best runs before their documents are judged, and after a hundred."""

from __future__ import annotations

import csv
import gzip
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from unjudged import Collection, evaluate, judging

MEASURE = "nDCG@10"
DEPTH = 100
JUDGMENTS = 100
RIVALS = 3
HEAD = (
    *("group", "run", "type", "hidden", "score", "place", "late_score", "late_place", "low", "high"),
    *("judged", "judged_score", "judged_place"),
)

Grades = dict[tuple[str, str], int]


def groups_of(folder: Path) -> list[str]:
    """Return the groups of the pooled runs."""
    return sorted({row["group"] for row in _pooled(folder)})


def late_group(folder: Path, group: str) -> list[object]:
    """Return the row of a group that comes late: as it is, and with a hundred more judgments.

    They are those that `next` lists for its best run beside the runs that score best without it.
    """
    rows = _pooled(folder)
    runs = {row["run"]: folder / "runs" / f"input.{row['run']}.gz" for row in rows}
    kinds = {row["run"]: row["type"] for row in rows if row["group"] == group}
    every = _grades(folder)
    others = _first_documents(path for run, path in runs.items() if run not in kinds)
    hidden = {pair for pair in _first_documents(runs[run] for run in kinds) if pair not in others}
    known = {pair: grade for pair, grade in every.items() if pair not in hidden}
    truth, late = _means(every, runs), _means(known, runs)
    best = max(kinds, key=truth.__getitem__)
    rivals = sorted(set(runs) - set(kinds), key=late.__getitem__)[-RIVALS:]
    low, high, judged = _judged_more(known, every, {run: runs[run] for run in (best, *rivals)}, best)
    after = _means(judged, runs)
    return [
        *(group, best, kinds[best], len(every) - len(known), _text(truth[best]), _place(truth, best)),
        *(_text(late[best]), _place(late, best), _text(low), _text(high)),
        *(len(judged) - len(known), _text(after[best]), _place(after, best)),
    ]


def _judged_more(
    known: Grades, every: Grades, runs: Mapping[str, Path], best: str
) -> tuple[float, float, Grades]:
    """The range of the best run, and the judgments with what `next` lists; an unlisted document is a 0."""
    collection = Collection(_by_query(known), runs)
    row = evaluate(collection, measures=MEASURE).row(best, MEASURE)
    wanted = judging.next(collection, n=JUDGMENTS, measure=MEASURE).wanted
    listed = [(row["query"], row["document"]) for row in wanted]
    added = {pair: every.get(pair, 0) for pair in listed}
    return float(row["low"]), float(row["high"]), known | added


def _means(grades: Grades, runs: Mapping[str, Path]) -> dict[str, float]:
    found = evaluate(Collection(_by_query(grades), runs), measures=MEASURE)
    return {run: float(found.row(run, MEASURE)["mean"]) for run in runs}


def _by_query(grades: Grades) -> dict[str, dict[str, int]]:
    made: dict[str, dict[str, int]] = defaultdict(dict)
    for (query, document), grade in grades.items():
        made[query][document] = grade
    return made


@cache
def _pooled(folder: Path) -> list[dict[str, str]]:
    with (folder / "run-info.tsv").open() as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["pooled"] == "yes"]


@cache
def _grades(folder: Path) -> Grades:
    with gzip.open(folder / "qrels.trec8.gz", "rt") as file:
        return {(query, document): int(grade) for query, _, document, grade in map(str.split, file)}


def _first_documents(paths: Iterable[Path]) -> set[tuple[str, str]]:
    return set().union(*map(_first_of_run, paths))


@cache
def _first_of_run(path: Path) -> set[tuple[str, str]]:
    """The first documents of each ranking: best score first, and of equal scores the last name."""
    ranked: dict[str, list[tuple[float, str]]] = defaultdict(list)
    with gzip.open(path, "rt") as file:
        for query, _, document, _, score, _ in map(str.split, file):
            ranked[query].append((float(score), document))
    return {(query, name) for query, found in ranked.items() for _, name in sorted(found)[-DEPTH:]}


def _place(means: Mapping[str, float], run: str) -> int:
    return 1 + sum(mean > means[run] for mean in means.values())


def _text(value: float) -> str:
    return f"{value:.4f}"
