"""Which pairs of DL-2019's runs differ significantly, by NIST's grades and by those of two sets of assessors.

Eight people in four pairs judged passages of 23 topics again. One person of each pair is the one set, the
others are the other. A pair of runs is tested on the same topics and documents three times.
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from coverage_tables import markdown

from unjudged import compare
from unjudged.comparison.under_assessors import UnderAssessors

MEASURES = ("nDCG@10", "AP(rel=2)", "P(rel=2)@10", "RBP(p=0.8, rel=2)")
ALPHA = 0.05
NAMED = "bm25tuned_prf_p", "srchvrs_ps_run2"


def official_runs(folder: Path) -> dict[str, Path]:
    """Return the official runs of the track."""
    track = folder.parent / "dl2019" / "track"
    rows = [line.split("\t") for line in (track / "runs.tsv").read_text().splitlines()[1:]]
    return {row[0]: track / "runs" / f"{row[0]}.gz" for row in rows if row[1] != "later"}


def assessor_tests_table(folder: Path) -> str:
    """Return a row per measure: how many pairs are significant by whom, and how often people differ."""
    data, runs = folder.parent / "dl2019", official_runs(folder)
    people = sorted((data / "track" / "assessors").iterdir())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare(
            data / "qrels.dl2019-passage.gz", runs, MEASURES, second=[*map(str, people)], correction="none"
        )
    rows = []
    for measure in MEASURES:
        under = [pair.under_assessors for pair in found.pairs(measure)]
        signs = np.array([[_signs(one) for one in pair] for pair in under])
        first, sets = signs[:, 0, 0], signs[:, :, 1]
        shares = [f"{np.mean(column != 0):.3f}" for column in (first, *sets.T)]
        one, opposite = (sets != 0).sum(axis=1) == 1, sets[:, 0] * sets[:, 1] < 0
        rows.append([measure, str(len(under)), *shares, str(int(one.sum())), str(int(opposite.sum()))])
    head = ["measure", "pairs", "significant by NIST", "by one set", "by the other"]
    head += ["by only one set", "by both, opposite"]
    pair = found.pair(*NAMED, measure=MEASURES[0])
    p_values = ", ".join(f"{one.p:.4f}" for one in pair.under_assessors)
    topics, first_p = pair.under_assessors[0].topics, pair.under_assessors[0].first_p
    named = f"{NAMED[0]} and {NAMED[1]} by {MEASURES[0]}, {topics} topics"
    return f"{markdown(head, rows)}\n\n{named}: p = {first_p:.4f} by NIST's grades, {p_values} by the sets."


def _signs(one: UnderAssessors) -> tuple[int, int]:
    """Return who is significantly ahead by the first grades and by the others: 1, -1, or 0 for neither."""
    return (
        int(np.sign(one.first_difference)) * (one.first_p <= ALPHA),
        int(np.sign(one.difference)) * (one.p <= ALPHA),
    )
