"""`unjudged compare`."""

from __future__ import annotations

from dataclasses import replace

from unjudged.base.choices import CorrectOver
from unjudged.base.errors import UsageError
from unjudged.cli.arguments import (
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
from unjudged.cli.input_options import JudgmentOptions, suggest_estimates
from unjudged.cli.option import spelt
from unjudged.cli.output import (
    FULL_PRECISION,
    beside_standard_error,
    check_decimals,
    check_figure,
    check_output,
    grid_in,
    show,
    show_figure,
    show_grids,
    show_paper,
    terminal_width,
    wrapped,
)
from unjudged.cli.prediction_options import PredictionOptions, StatedOptions
from unjudged.cli.standard_streams import already_said, reading
from unjudged.cli.table_options import SignificanceOptions, TableOptions
from unjudged.evaluation.collection import Collection
from unjudged.evaluation.evaluation import fitting_measures
from unjudged.questions.compare import compare as compare_systems
from unjudged.questions.sources import DEFAULT
from unjudged.results.comparison import Comparison
from unjudged.results.grid import DECIMALS, Grid
from unjudged.results.rendering import WITHOUT_NOTES, render


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
    """Compare runs: which is better, would other queries say so too, and could more judging change it?

    Each pair is the run given later minus the earlier one. Two runs are compared in sentences, and as one row
    of pairs in csv and json. More runs give a table of systems, or with --pairs a row per pair. With --by a
    table of segments follows; csv, tsv, jsonl and parquet, which hold one table, have that one. With --scores
    the files are tables of scores by query that any tool computed: `unjudged compare --scores TABLE...`.

    Parameters
    ----------
    qrels
        The judgments; with --scores a table of scores.
    runs
        Two or more runs; with --scores further tables.
    measures
        A measure; may be repeated. The default is nDCG@10, or from samples with strata or probabilities
        xinfAP or statAP. Measures that estimate from samples, and policies such as unjudged='condensed', have
        no bounds: what more judging could change is unknown then. Differences by GMAP are of mean logarithms.
    correct_over
        Which tests are corrected together: the pairs of each measure, or all pairs by all measures.
    pairs
        Show a row per pair instead of the table of systems.
    per_query
        Show the differences of two runs by query, and the unjudged documents that matter most.
    decimals
        The number of decimals in a table. Sentences have four.
    plot
        Draw the first measure in this file (svg, png, pdf or html): the differences of two runs by query, or
        the systems in their ranges.

    Examples
    --------
    unjudged compare qrels.txt dense.run reranked.run
    unjudged compare qrels.txt *.run -m AP nDCG@10 --baseline lexical
    unjudged compare qrels.txt *.run --pairs -o pairs.csv
    """
    given = {"ties": None if ties == "order" else ties}
    from_tables = stated.check(
        from_tables=tables.check(inputs, rel=rel, depth=depth, predictions=predicted.predictions, **given)
    )
    scores = tables.read([qrels, *runs], inputs, measures, by) if from_tables else None
    named = {} if scores is not None else inputs.runs(runs, least=2, or_scores=True)
    count = len(named) if scores is None else len(scores.runs)
    shown = {"per_query": per_query, "pairs": pairs, "by": by}
    _check_shown(count, **shown)
    chosen = check_output(format, output)
    two = chosen == "table" and count == 2 and not (pairs or per_query)
    check_decimals(decimals, "sentences" if two and by is None else chosen)
    check_figure(plot)
    predicted.check(depth=depth, pool_depth=pool_depth, per_query=per_query, plot=plot, **given)
    tests.check_draws()
    settings = {"baseline": baseline, "correct_over": correct_over, **vars(tests)}
    if scores is not None:
        compared = compare_systems(scores, segments=scores.segments or by, **settings)
    else:
        with reading(len(named)) as on_read:
            judged = stated.applied(inputs.read(qrels, fractions=True, or_scores=True), named)
            collection = Collection(*judged, on_read=on_read)
            fitting = fitting_measures(collection.judgments, (DEFAULT,))[:1]
            asked = (
                None
                if predicted.predictions and not measures
                else measures_with_rel(measures or fitting, rel)
            )
            if not predicted.predictions:
                suggest_estimates(collection.judgments, asked or ())
            compared = compare_systems(
                collection,
                measures=asked,
                segments=by,
                depth=depth,
                pool_depth=pool_depth,
                ties=ties,
                **predicted.given(),
                **settings,
            )
    if plot is not None:
        show_figure(compared.plot.differences() if count == 2 else compared.plot.intervals(), plot)
    if per_query:
        show_grids(_query_grids(compared, chosen, decimals), format, output)
        return
    segments = None if by is None else grid_in(compared, "segments", chosen, decimals)
    if segments is not None and chosen not in WITHOUT_NOTES:  # the others are with the first table
        segments = replace(segments, notes=[n for n in segments.notes if n not in compared.notes])
    if two:
        show(wrapped(str(compared).splitlines()) + _after(segments, chosen), output)
        if beside_standard_error(output):
            already_said(compared.notes)
    elif chosen == "latex" and not pairs:
        show_paper(compared, compared.notes, decimals, output, _after(segments, chosen))
    elif segments is not None and chosen in WITHOUT_NOTES:
        show_grids(segments, format, output)
    else:
        by_pair = pairs or (count == 2 and chosen in FULL_PRECISION)
        grid = grid_in(compared, "pairs" if by_pair else "systems", chosen, decimals)
        show_grids(grid if segments is None else [grid, segments], format, output)


def _after(segments: Grid | None, format: str) -> str:
    """Return the table of segments as it follows the comparison in a text."""
    return "" if segments is None else "\n" + str(render(segments, format, width=terminal_width()))


def _check_shown(runs: int, **given: object) -> None:
    """Refuse a table of the queries of more than two runs, and options of which only one can be used."""
    if given["per_query"] and runs != 2:
        raise UsageError(f"--per-query is about two runs, and there are {runs}")
    names = [spelt(name) for name, value in given.items() if value]
    if len(names) > 1:
        raise UsageError(f"{' and '.join(names)} cannot be used together")


def _query_grids(compared: Comparison, format: str, decimals: int) -> list[Grid]:
    """Return the queries and the documents; formats for one table have the queries of all measures."""
    parts = [compared.by_query(measure=measure) for measure in compared.measures]
    if format in WITHOUT_NOTES:
        records = [part.records("queries") for part in parts]
        return [replace(records[0], rows=[row for one in records for row in one.rows], notes=compared.notes)]
    views = [(part, view) for part in parts for view in ("queries", "documents") if part.rows[view]]
    grids = [part.grid(view, decimals) for part, view in views]
    return [*grids[:-1], replace(grids[-1], notes=[*grids[-1].notes, *compared.notes])]
