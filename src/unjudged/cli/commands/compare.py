"""`unjudged compare`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from unjudged import compare as compare_systems
from unjudged.base.choices import CorrectOver, Format
from unjudged.base.errors import UsageError
from unjudged.cli.commands import SCORE, command
from unjudged.cli.options.arguments import (
    Baseline,
    BoundsDepth,
    By,
    Depth,
    File,
    Load,
    Measures,
    Output,
    OutputFormat,
    PerQuery,
    Plot,
    Rel,
    Ties,
    measures_with_rel,
)
from unjudged.cli.options.input_options import JudgmentOptions, suggest_estimates
from unjudged.cli.options.option import spelt
from unjudged.cli.options.prediction_options import PredictionOptions, StatedOptions
from unjudged.cli.options.significance_options import SignificanceOptions
from unjudged.cli.options.table_options import TableOptions
from unjudged.cli.shell.output import (
    FOR_PAPER,
    FULL_PRECISION,
    beside_standard_error,
    check_decimals,
    check_figure,
    check_output,
    show,
    show_figure,
    show_grids,
    show_paper,
    terminal_width,
    wrapped,
)
from unjudged.cli.shell.standard_streams import already_said, reading
from unjudged.comparison.comparison_grids import systems_records
from unjudged.comparison.comparison_result import Comparison
from unjudged.comparison.systems import COMPARED
from unjudged.evaluation.collection import Collection
from unjudged.evaluation.evaluation import fitting_measures
from unjudged.grids.grid import DECIMALS, Grid
from unjudged.grids.rendering import WITHOUT_NOTES, render

if TYPE_CHECKING:
    from unjudged.predictions.predicted_comparison import PredictedComparison

DETAILED = ("json", "jsonl", "parquet")
"""Formats that have all that is known about a pair; csv has the nine columns that are asked for most."""

CONFIDENCE = 0.95
NO_EFFECT = "No unjudged document that the runs retrieve changes the difference if it alone is relevant."


@command("compare", SCORE, 2, "QRELS RUN RUN...", "Compare runs: significant, settled, or open to judging?")
def compare(
    qrels: File,
    /,
    *runs: File,
    measures: Measures = None,
    _load: Load = None,
    rel: Rel = None,
    depth: Depth = None,
    pool_depth: BoundsDepth = None,
    ties: Ties = "order",
    baseline: Baseline = None,
    tests: SignificanceOptions = SignificanceOptions(),
    correct_over: CorrectOver = "pairs",
    pairs: bool = False,
    per_query: PerQuery = False,
    confidence: float = CONFIDENCE,
    predicted: PredictionOptions = PredictionOptions(),
    inputs: JudgmentOptions = JudgmentOptions(),
    stated: StatedOptions = StatedOptions(),
    tables: TableOptions = TableOptions(),
    by: By = None,
    format: OutputFormat = None,
    output: Output = None,
    decimals: int = DECIMALS,
    plot: Plot = None,
) -> None:
    """Compare runs: which is better, and could other queries or the unjudged documents say the opposite?

    Two runs are compared in sentences, and as one row of pairs in csv and json. More runs give a table of
    systems, or with --pairs a row per pair. An unjudged document that several runs retrieve counts as one.
    With --by a table of segments follows; csv, tsv, jsonl and parquet, which hold one table, have that one.
    With --scores the files are tables of scores by query that any tool computed: `unjudged compare --scores
    TABLE...`.

    Parameters
    ----------
    qrels
        The judgments; with --scores a table of scores.
    runs
        Two or more runs; with --scores further tables.
    measures
        A measure; may be repeated. The default is RBP(p=0.8), or from samples with strata or probabilities
        xinfAP or statAP. Bounds are exact for RBP and P. For other measures they are wider, and a search
        tries to find judgments that reverse the order. Measures that estimate from samples, and policies
        such as unjudged='condensed', have no bounds: their verdicts are about other queries alone.
        Differences by GMAP are of mean logarithms.
    correct_over
        Which tests are corrected together: the pairs of each measure, or all pairs by all measures.
    pairs
        Show a row per pair instead of the table of systems.
    per_query
        Show the differences of two runs by query, and the unjudged documents that matter most.
    confidence
        The confidence level of the intervals of --predictions. The interval for other queries has the level
        1 - alpha.
    format
        The output format. By default the suffix of the output file decides, or else it is text. Of pairs, csv
        and tsv have measure, a, b, difference, p, p_adjusted, low, high (bounds) and verdict; json, jsonl and
        parquet add means, the interval for other queries, queries won, effect and whatever else is known.
    decimals
        The number of decimals in a table. Sentences have four.
    plot
        Draw the first measure in this file (svg, png, pdf or html): the differences of two runs by query, or
        the means of more with their bounds and intervals.
    """
    given = {"ties": None if ties == "order" else ties}
    from_tables = stated.check(
        from_tables=tables.check(inputs, rel=rel, depth=depth, predictions=predicted.predictions, **given)
    )
    scores = tables.read([qrels, *runs], inputs, measures, by) if from_tables else None
    named = (
        {} if scores is not None else inputs.runs(runs, "compare QRELS RUN RUN...", least=2, or_scores=True)
    )
    count = len(named) if scores is None else len(scores.runs)
    shown = {"per_query": per_query, "pairs": pairs, "by": by}
    _check_shown(count, **shown)
    chosen = check_output(format, output)
    two = chosen == "table" and count == 2 and not (pairs or per_query)
    check_decimals(decimals, "sentences" if two and by is None else chosen)
    check_figure(plot)
    predicted.check(
        depth=depth,
        pool_depth=pool_depth,
        per_query=per_query,
        plot=plot,
        correct_over=None if correct_over == "pairs" else correct_over,
        **given,
    )
    _check_used(confidence, predicted)
    tests.check_draws()
    if scores is not None:
        compared = compare_systems(scores, baseline=baseline, correct_over=correct_over, **vars(tests))
    else:
        with reading(len(named)) as on_read:
            judged = stated.applied(inputs.read(qrels, fractions=True, or_scores=True), named)
            collection = Collection.of(*judged, fractions=True, on_read=on_read)
            with_predictions = predicted.predictions is not None
            fitting = COMPARED if with_predictions else fitting_measures(collection.judgments, COMPARED)[:1]
            asked = measures_with_rel(measures or fitting, rel)
            if with_predictions:
                answer = predicted.compared(collection, asked, baseline, confidence, **vars(tests))
                _show_predicted(answer, two, chosen, decimals, (format, output))
                return
            suggest_estimates(collection.judgments, asked)
            compared = compare_systems(
                collection,
                measures=asked,
                depth=depth,
                pool_depth=pool_depth,
                ties=ties,
                baseline=baseline,
                correct_over=correct_over,
                **vars(tests),
            )
    if plot is not None:
        first, names = compared.results[0].measure, compared.runs
        drawn = (
            compared.plot.differences(*names, first) if len(names) == 2 else compared.plot.intervals(first)
        )
        show_figure(drawn, plot)
    segments = (
        None if by is None else compared.by((scores and scores.segments) or by).grid().rounded(decimals)
    )
    if per_query:
        show_grids([grid.rounded(decimals) for grid in _query_grids(compared, chosen)], format, output)
    elif two:
        show(wrapped(str(compared).splitlines()) + _after(segments, chosen), output)
        if beside_standard_error(output):
            already_said(compared.notes)
    elif chosen in FOR_PAPER and not pairs:
        after = _after(segments, chosen)
        show_paper(compared, compared.notes, chosen, decimals, output=output, after=after)
    elif segments is not None and chosen in WITHOUT_NOTES:
        show_grids(replace(segments, notes=[*segments.notes, *compared.notes]), format, output)
    else:
        grid = _grid(compared, chosen, pairs).rounded(decimals)
        show_grids(grid if segments is None else [grid, segments], format, output)


def _after(segments: Grid | None, format: str) -> str:
    """Return the table of segments as it follows the comparison in a text."""
    return "" if segments is None else "\n" + str(render(segments, format, width=terminal_width()))


def _show_predicted(
    answer: PredictedComparison,
    two: bool,
    format: str,
    decimals: int,
    asked: tuple[Format | None, Path | None],
) -> None:
    """Show a comparison by estimates with predictions: in sentences, as a table, or for programs."""
    if two:
        show(wrapped(answer.sentences()), asked[1])
        return
    grid = answer.records() if format in FULL_PRECISION else answer.grid()
    show_grids(grid.rounded(decimals), *asked)


def _check_shown(runs: int, **given: object) -> None:
    """Refuse a table of the queries of more than two runs, and options of which only one can be used."""
    if given["per_query"] and runs != 2:
        raise UsageError(f"--per-query is about two runs, and there are {runs}")
    names = [spelt(name) for name, value in given.items() if value]
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names)} cannot be used together")


def _check_used(confidence: float, predicted: PredictionOptions) -> None:
    """Refuse a confidence level if there is no interval that has it."""
    if confidence != CONFIDENCE and predicted.predictions is None:
        problem = "--confidence is for --predictions"
        raise UsageError(f"{problem}; the interval for other queries has the level 1 - alpha: use --alpha")


def _grid(compared: Comparison, format: str, pairs: bool) -> Grid:
    """Return the table for a format: of pairs or of systems, for people or for programs."""
    if format not in FULL_PRECISION:
        return compared.pairs_grid() if pairs else compared.systems_grid()
    pairs = pairs or len(compared.runs) == 2
    grid = (
        compared.records(detail=format in DETAILED) if pairs else systems_records(compared, compared.results)
    )
    return grid if format == "json" else replace(grid, notes=compared.notes)


def _query_grids(compared: Comparison, format: str) -> list[Grid]:
    """Return the queries and the documents; formats for one table have the queries of all measures."""
    parts = [compared.per_query(measure=result.measure) for result in compared.results]
    if format in WITHOUT_NOTES:
        records = [part.records() for part in parts]
        return [
            replace(records[0], rows=[row for grid in records for row in grid.rows], notes=compared.notes)
        ]
    grids = []
    for part in parts:
        queries = part.grid()
        if part.documents or format == "json":
            grids += [queries, part.documents_grid()]
        else:
            effect = [NO_EFFECT] if part.bounded else []
            grids.append(replace(queries, notes=[*queries.notes, *effect]))
    return [*grids[:-1], replace(grids[-1], notes=[*grids[-1].notes, *compared.notes])]
