"""Draws every figure with hostile names; a process of its own, because a panic in the renderer ends it.

`python -m tests.report.hostile_figures KIND ...` prints name and kind of each figure once it is drawn.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

from unjudged import compare, evaluate
from unjudged.report.charts import picture
from unjudged.report.experiment_figures import across, curves, scatter
from unjudged.studies.experimenting import experiment

LONG = "x" * 40_000
HOSTILE = (
    "\x01control\x1b[31m\x00\x7f",
    "not UTF-8 \udcff\udce9",
    LONG,
    LONG + "y",
    "__proto__",
    "</text><script>alert(1)</script>&amp;",
    "\ufffe\uffff\u202eevil\u202c",
    "line\nbreak\ttab",
)


def collection() -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Return judgments and runs of ten queries with hostile names of queries and runs."""
    queries = [*HOSTILE, "q9", "q10"]
    qrels = {query: {f"d{j}": (i + j) % 3 % 2 for j in range(12)} for i, query in enumerate(queries)}
    runs = {
        run: {query: {f"d{(i + k * j) % 15}": 20.0 - j for j in range(10)} for i, query in enumerate(queries)}
        for k, run in enumerate(HOSTILE[:6], 1)
    }
    return qrels, runs


def figures() -> dict[str, Callable[[], Any]]:
    """Return how to draw every figure, by its name."""
    qrels, runs = collection()
    first, second = list(runs)[:2]
    scores, comparison = evaluate(qrels, runs, ["AP"]), compare(qrels, runs, ["AP"])
    tried = experiment(qrels, runs, levels=[0.1, 0.3], measures=["AP", "Bpref"], repeats=2)
    return {
        "intervals": scores.plot.intervals,
        "differences of scores": lambda: scores.plot.differences(first, second),
        "judged": scores.plot.judged_by_rank,
        "intervals of a comparison": comparison.plot.intervals,
        "differences": lambda: comparison.plot.differences(first, second),
        "curves": lambda: curves(tried),
        "scatter": lambda: scatter(tried),
        "across": lambda: across({HOSTILE[0]: (tried, "AP"), HOSTILE[1]: (tried, "Bpref")}),
    }


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for name, draw in figures().items():
        figure = draw()
        for kind in sys.argv[1:]:
            assert picture(figure, kind)
            sys.stdout.write(f"{name}: {kind}\n")
