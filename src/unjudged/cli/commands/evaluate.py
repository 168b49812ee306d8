"""Score systems against judgments: their means, what judging could make of them, and how much was judged.

A measure that cannot have the interval that is asked for is printed with its mean alone and a note.

    unjudged evaluate qrels.txt *.run
    unjudged evaluate qrels.txt dense.run -m AP nDCG@10 --interval bounds
    unjudged evaluate qrels.txt *.run -m nDCG@10 --format latex -o systems.tex
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unjudged.cli.opening import opened, predicting
from unjudged.cli.options import Option, options, views
from unjudged.cli.output import form_of, show_figure, show_result
from unjudged.cli.standard_streams import progress, tell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unjudged.base.notes import Note
    from unjudged.cli.command_line import Given
    from unjudged.results.evaluation import Evaluation

USAGE = "[SOURCE...]"
INTERVAL = Option(
    "--interval",
    known="evidence.intervals.methods.interval_methods",
    help="Add an interval to each mean, of one of these kinds. bounds: whatever the unjudged documents turn "
    'out to be, "bounds(extra_relevant=2)"; calibrated: a run like the pooled groups; model: each unjudged '
    'document is relevant with a probability, "model(prevalence=0.2)"; queries: other queries; sampling: '
    "another random sample; both: other queries and judgments. All take a confidence, as in "
    '"queries(confidence=0.9)".',
)
VIEW = views("systems", "queries", "segments")
OPTIONS = options("measure set", VIEW, INTERVAL, "depth seed format output decimals plot")


def run(given: Given) -> None:
    """Score, and show the means, with intervals if they are asked for."""
    import unjudged

    form_of(given)
    with opened(given) as collection, progress("estimating intervals", len(collection.runs)) as advance:
        found = unjudged.evaluate(
            collection,
            measures=given.measure,
            interval=given.interval,
            depth=given.depth,
            seed=given.seed,
            on_progress=lambda done, _: advance(done),
            **predicting(collection, given.set),
        )
    if given.plot is not None:
        shown = None if given.interval is None else [given.interval]
        show_figure(found.plot.intervals(found.measures[0], shown), given.plot)
    tell(hardly_judged(found, given))
    view = given.view or "systems"
    show_result(found.as_view(view), given, view)


def hardly_judged(found: Evaluation, given: Given) -> Iterator[Note]:
    """Say of which systems little was judged, and which command lists what to judge."""
    from shlex import join

    from unjudged.base.notes import note
    from unjudged.results.fields import LITTLE

    shares = {row["system"]: row["mean"] for row in found.rows["systems"] if row["measure"] == "Judged@10"}
    if low := {name: share for name, share in shares.items() if share < LITTLE}:
        name = min(low, key=lambda one: low[one])
        command = join(["unjudged", "next", *given.words])
        yield note("hardly-judged", [name], unseen=1 - low[name], command=command)
