"""Score systems against judgments: their means, and how much of what they found was judged.

A measure that cannot have the interval that is asked for is printed with its mean alone and a note.

    unjudged evaluate qrels.txt *.run
    unjudged evaluate qrels.txt dense.run -m AP nDCG@10 --interval bounds
    unjudged evaluate qrels.txt *.run -m nDCG@10 --format latex -o systems.tex
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unjudged.base.choices import called, check_parameters
from unjudged.base.errors import UsageError
from unjudged.cli.options import (
    DECIMAL_PLACES,
    DEPTH,
    FORMAT,
    MEASURE,
    OUTPUT,
    PLOT,
    SEED,
    SET,
    VERBOSE,
    Option,
    views,
)
from unjudged.cli.output import form_of, show, show_figure, show_tables
from unjudged.cli.sources import opened, predicting
from unjudged.cli.standard_streams import already_said, progress

if TYPE_CHECKING:
    from collections.abc import Iterable

    from unjudged.cli.command_line import Given
    from unjudged.evaluation.scores import Scores


def _intervals() -> Iterable[str]:
    from unjudged.uncertainty.intervals import interval_methods

    return interval_methods()


USAGE = "[SOURCE...]"
INTERVAL = Option(
    "--interval",
    known=_intervals,
    help="Add an interval to each mean, of one of these kinds. bounds: whatever the unjudged documents turn "
    'out to be, "bounds(extra_relevant=2)"; calibrated: a run like the pooled groups; model: each unjudged '
    'document is relevant with a probability, "model(prevalence=0.2)"; queries: other queries; sampling: '
    "another random sample; both: other queries and judgments. All take a confidence, as in "
    '"queries(confidence=0.9)".',
)
OPTIONS = (
    *(MEASURE, SET, views("systems", "queries", "segments"), INTERVAL, DEPTH, SEED),
    *(FORMAT, OUTPUT, DECIMAL_PLACES, PLOT, VERBOSE),
)


def run(given: Given) -> None:
    """Score, and show the means, with intervals if they are asked for."""
    import unjudged

    form = form_of(given)
    kind, parameters = interval(given.interval)
    if kind and given.view == "queries":
        raise UsageError("--interval is of means: omit it, or --view queries")
    if kind not in (None, "queries") and given.view == "segments":
        raise UsageError("--view segments goes with --interval queries, but not with other intervals")
    with opened(given) as collection:
        predicted = predicting(collection, given.set)
        if collection.predictions:
            show_predicted(collection, given, predicted)
            return
        scores = unjudged.evaluate(collection, measures=given.measure, depth=given.depth, seed=given.seed)
    if kind == "calibrated" or given.plot is not None:
        from unjudged.evaluation.groups import calibration_of

        parameters["calibration"] = calibration_of(collection, scores.measures)
        if kind == "calibrated" and parameters["calibration"] is None:
            needed = "judgments.calibration=FILE, or judgments.pooled and groups"
            raise UsageError(f"--interval calibrated needs {needed}, in the description or with --set")
    if given.plot is not None:
        usual = ("queries",) if scores.of_a_table else ("bounds", "queries")
        figure = scores.plot.intervals(
            scores.measures[0], usual if kind is None else (kind,), seed=given.seed, **parameters
        )
        show_figure(figure, given.plot)
    if given.view == "segments":
        show_segments(scores, collection, given, parameters.get("confidence", 0.95) if kind else None)
    elif kind is not None:
        with progress("estimating intervals", len(scores.runs)) as advance:
            estimates = scores.estimate(
                kind, seed=given.seed, **parameters, on_progress=lambda done, _: advance(done)
            )
        show_tables(estimates.grid(given.decimals), given)
    elif form == "latex" and given.view is None:
        already_said([*map(str, scores.warnings), *scores.notes])
        show(scores.to_latex(given.decimals), given.output)
    else:
        grid = scores.grid(given.view == "queries")
        show_tables(replace(grid, title="").rounded(given.decimals), given)


def interval(text: str | None) -> tuple[Any, dict[str, Any]]:
    """Return the kind of an interval and its parameters."""
    if text is None:
        return None, {}
    from unjudged.uncertainty.intervals import interval_methods

    name, parameters = called(text)
    uses = interval_methods().find(name).uses
    known = [one for one in uses or ("draws",) if one not in ("calibration", "pool_depth")]
    check_parameters(text, parameters, [*known, "confidence"])
    if name == "model" and "prevalence" not in parameters:
        what = "the probability that an unjudged document is relevant"
        raise UsageError(f'--interval model needs {what}: "model(prevalence=0.2)"')
    return name, parameters


def show_predicted(collection: Any, given: Given, predicted: dict[str, Any]) -> None:
    """Show estimates from people's labels together with predictions."""
    from unjudged.predictions.combined_estimates import estimate_with_predictions
    from unjudged.predictions.estimates import estimates_table

    if given.interval or given.view or given.depth:
        raise UsageError("with predictions there are intervals already: omit --interval, --view and --depth")
    by_measure = estimate_with_predictions(collection, None, measures=given.measure, **predicted)
    show_tables(estimates_table(by_measure, 0.95).grid(given.decimals), given)


def show_segments(scores: Scores, collection: Any, given: Given, confidence: float | None) -> None:
    """Show the means by segment."""
    from unjudged.evaluation.query_segments import segments_grid, segments_of

    source = scores.segments or collection.described.segments
    if source is None:
        raise UsageError("--view segments needs the segments of the queries: --set segments=FILE")
    grid = segments_grid(scores, segments_of(source, scores.queries), confidence, given.decimals)
    show_tables(grid.rounded(given.decimals), given)
