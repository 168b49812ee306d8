"""docs/judgments.md: which measures and methods may be used with which judgments, asked of the code."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from inspect import Parameter

import numpy as np

from unjudged import MEASURES, Judgments, Measure
from unjudged.evidence.intervals import INTERVALS
from unjudged.measures.kernel.permitted import (
    BY_DOCUMENT,
    CHOOSING,
    COMPARISON,
    LEAVING_OUT,
    TAKING_AWAY,
    Estimand,
    Use,
    permitted,
)
from unjudged.rankings.origin import KINDS, Kind, Origin

NEEDED = {"cutoff": 10, "recall": 0.5, "multiple": 1.0}
COMMANDS = {
    COMPARISON: "tests over queries (`compare`, `report`)",
    LEAVING_OUT: "calibration",
    TAKING_AWAY: "`experiment`",
    CHOOSING: "`next`",
    BY_DOCUMENT: "predictions by document, `audit`",
}
HEAD = """# What your judgments allow

Judgments are a pool, a sample, or something else. That decides what you can compute from them. The files keep it, and every
command asks before it computes. These tables are made by asking the same code.

## How judgments were made

| kind | what it means | where it comes from |
|---|---|---|
"""
FROM = {
    "pool": 'four columns; `how = "pool"` in a description',
    "checked pool": '`next --design "holes(50)"`, `merge`',
    "uniform sample": 'four columns with -1 for documents that were not drawn; `next --design "uniform(10%)"`',
    "stratified sample": 'five columns with strata; `next --design "stratified(...)"`, `merge`',
    "weighted sample": "prels (five columns with probabilities)",
    "chosen": "a comment in the file; `next`",
    "positives": 'four columns, ten queries or more, and no grade of 0 or below; `how = "positives"`',
    "unknown": "a comment in the file; strata that were written without their column",
}
KEPT = """
A file of text keeps its kind in its columns, or in a comment such as `# unjudged-origin pool to rank 100: ...`. Lines with
grade -1 can mean a sample, or a pool that was judged to some rank only. Where too many of the
first ten documents of the runs are judged, it cannot be a sample.

Grade -2 is the answer "cannot judge". Such a document is not judged, and it is not missing either.

"""


def judgments_in_markdown() -> str:
    """Return the page."""
    rows = [f"| {kind} | {words.partition(': ')[2]} | {FROM[kind]} |" for kind, words in KINDS.items()]
    parts = [
        HEAD + "\n".join(rows),
        KEPT.strip("\n"),
        "## Measures",
        _measures(),
        "## Methods and commands",
        _uses(),
    ]
    return "\n\n".join(parts) + "\n"


def _judgments(kind: Kind) -> Judgments:
    made = Judgments.read({"q": {"a": 1, "b": 0, "c": -1, "d": -1}})
    probability = np.array([1.0, 1.0, 0.5, 0.5]) if "sample" in kind and kind != "uniform sample" else None
    return replace(made, probability=probability, origin=Origin(kind))


def _measure(measure: Measure) -> Measure:
    empty = [name for name, default in measure.parameters.items() if default is Parameter.empty]
    return measure(**{name: NEEDED[name] for name in empty})


def _measures() -> str:
    """One row per set of measures that have the same answers, and the first refusal by each kind."""
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    refusals: dict[Kind, str] = {}
    for measure in map(_measure, MEASURES.values()):
        answers = {kind: permitted(measure, _judgments(kind)) for kind in KINDS}
        for kind, answer in answers.items():
            if not isinstance(answer, Estimand):
                refusals.setdefault(kind, f"- {answer}.")
        said = (one.judgments if isinstance(one, Estimand) else "refused" for one in answers.values())
        groups[tuple(said)].append(measure.name)
    most = max(groups, key=lambda said: len(groups[said]))
    groups[most] = ["all others"]
    rows = [f"| {', '.join(names)} | {' | '.join(said)} |" for said, names in groups.items()]
    head = ["| measures | " + " | ".join(KINDS) + " |", "|---" * (len(KINDS) + 1) + "|"]
    listed = [refusals[kind] for kind in KINDS if kind in refusals][:2]
    return "\n".join([*head, *rows, "", "What a refusal says, for instance:", "", *listed])


def _uses() -> str:
    uses: dict[str, Use] = {f"`--interval {name}`": method.use for name, method in INTERVALS.items()}
    uses |= {name: use for use, name in COMMANDS.items()}
    head = ["| | estimates | " + " | ".join(KINDS) + " |", "|---" * (len(KINDS) + 2) + "|"]
    rows = []
    for name, use in uses.items():
        cells = ["yes" if kind in use.takes else "refused" for kind in KINDS]
        rows.append(f"| {name} | {use.queries}, {use.judgments} | {' | '.join(cells)} |")
    note = (
        "These are the answers for AP, nDCG and other plain measures. Estimates (infAP, xinfAP, statAP) and measures with "
        "`unjudged=` or `chance=` have no range and no calibration. Lines of -1 may also mean a pool that was judged to some "
        "rank. So calibration takes them, unless fewer of the first documents of the runs are judged than a pool would have. "
        "What people judge by the list of `next` is *chosen*."
    )
    return "\n".join([*head, *rows, "", note])
