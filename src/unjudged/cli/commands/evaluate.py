"""`unjudged evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import unjudged
from unjudged.base.choices import Choices, IntervalName, TiesName
from unjudged.base.errors import UsageError
from unjudged.cli.arguments import (
    BoundsDepth,
    By,
    Depth,
    File,
    InputFile,
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
from unjudged.cli.option import Option, refuse, spelt
from unjudged.cli.output import (
    check_decimals,
    check_figure,
    check_output,
    show_figure,
    show_grids,
    show_paper,
)
from unjudged.cli.prediction_options import PredictionOptions, StatedOptions
from unjudged.cli.standard_streams import progress, reading
from unjudged.cli.table_options import TableOptions
from unjudged.evaluation.collection import Collection
from unjudged.evaluation.evaluation import default_measures
from unjudged.evaluation.query_segments import segments_grid, segments_of
from unjudged.evaluation.scores import Scores
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import RunSource
from unjudged.results.grid import DECIMALS

if TYPE_CHECKING:
    from unjudged.uncertainty.intervals import IntervalMethod


def _interval_methods() -> Choices[IntervalMethod]:
    from unjudged.uncertainty.intervals import interval_methods

    return interval_methods()


def evaluate(
    qrels: File,
    /,
    *runs: File,
    measures: Measures = None,
    _load: Load = None,
    per_query: PerQuery = False,
    rel: Rel = None,
    depth: Depth = None,
    predicted: PredictionOptions = PredictionOptions(),
    inputs: JudgmentOptions = JudgmentOptions(),
    stated: StatedOptions = StatedOptions(),
    tables: TableOptions = TableOptions(),
    by: By = None,
    interval: Annotated[IntervalName | None, Option(choices=_interval_methods)] = None,
    prevalence: float | None = None,
    calibration: InputFile = None,
    confidence: float = 0.95,
    extra_relevant: Annotated[int, Option("--extra-relevant")] = 0,
    pool_depth: BoundsDepth = None,
    ties: Ties = "order",
    seed: int = 0,
    format: OutputFormat = None,
    output: Output = None,
    decimals: int = DECIMALS,
    plot: Plot = None,
) -> None:
    """Score runs against relevance judgments.

    Without -m it prints AP; infAP, an estimate of AP that allows for missing judgments; nDCG@10; RBP and the
    residual that the unjudged documents leave open; and how much of the top ten is judged. With --scores the
    files are tables of scores by query that any tool computed: `unjudged evaluate --scores TABLE...`.

    Parameters
    ----------
    qrels
        The judgments: TREC text (query iteration document grade, where -1 is pooled but not judged), Parquet,
        Arrow, CSV or TSV with a header, a JSON dictionary, or irds:ID for a dataset of ir_datasets. With
        --scores, a table of scores.
    runs
        The runs: TREC text (query iteration document rank score tag) or one of the other formats, plain or
        compressed with gz, xz or zst. Use "-" for standard input, and a pattern such as 'runs/*.parquet' for
        all files that match.
    measures
        Measures, such as `-m AP nDCG@10` or `-m AP,nDCG@10`; the spellings of trec_eval (map_cut_10), ranx
        and BEIR (ndcg@10) work too. All words up to the next
        option are measures: files come first. Default: those above.
    per_query
        Print the values of every query, not only the means.
    interval
        Add an interval to each mean: bounds (whatever the unjudged documents turn out to be), calibrated (a
        run like the pooled groups, see --calibration), model (each unjudged document is relevant with
        --prevalence), queries (other queries, these judgments), sampling (another random sample of the pool)
        or both (other queries, given --prevalence or a random sample).
        A measure that cannot have it is printed with its mean alone and a note.
    prevalence
        The probability that an unjudged document is relevant.
    calibration
        A file that `unjudged calibrate` wrote, for --interval calibrated.
    confidence
        The confidence level of the interval.
    extra_relevant
        Assume up to this many unretrieved relevant documents per query (bounds).
    seed
        The seed of random completions, of samples of queries, and of orders of tied documents.
    decimals
        The number of decimals in a table.
    plot
        Draw the means of the first measure with intervals (--interval, or bounds and other queries) in this
        file: svg, png, pdf or html.

    Examples
    --------
    unjudged evaluate qrels.txt *.run
    unjudged evaluate qrels.txt dense.run -m AP nDCG@10 --interval bounds
    unjudged evaluate qrels.txt *.run -m nDCG@10 --format latex -o systems.tex
    """
    chosen_format = check_output(format, output)
    check_decimals(decimals, chosen_format)
    check_figure(plot)
    predicted.check(interval=interval, per_query=per_query, depth=depth)
    given = {"rel": rel, "depth": depth, "predictions": predicted.predictions}
    from_tables = tables.check(inputs, **given, prevalence=prevalence, calibration=calibration)
    stated.check(from_tables=from_tables)
    named = {} if from_tables else inputs.runs(runs, or_scores=True)
    if predicted.predictions is not None:
        collection = Collection(*stated.applied(inputs.read(qrels, fractions=True, or_scores=True), named))
        from unjudged.predictions.estimates import estimates_table

        by_measure = predicted.estimates(collection, measures, rel)
        show_grids(estimates_table(by_measure, confidence).grid(decimals), format, output)
        return
    options: dict[str, object] = {"prevalence": prevalence, "calibration": calibration}
    options |= {"extra_relevant": extra_relevant or None, "pool_depth": pool_depth}
    drawn = seed if ties == "order" else 0
    _check_interval(interval, options, (confidence, drawn) != (0.95, 0), {"per_query": per_query, "by": by})
    _check_ties(ties, interval, by=by, scores=from_tables, predictions=predicted.predictions, plot=plot)
    learnt = None if calibration is None else unjudged.Calibration.load(calibration)
    chosen = None if measures is None or from_tables else measures_with_rel(measures, None)
    if from_tables:
        scores = tables.read([qrels, *runs], inputs, measures, by)
    else:
        scores = _scored(
            lambda: stated.applied(inputs.read(qrels, fractions=True, or_scores=True), named),
            len(named),
            chosen,
            rel,
            depth=depth,
            pool_depth=pool_depth,
            ties=ties,
            seed=seed,
        )
    known: dict[str, Any] = {
        "prevalence": prevalence,
        "calibration": learnt,
        "confidence": confidence,
        "extra_relevant": extra_relevant,
        "seed": seed,
    }
    if plot is not None:
        bounded: tuple[IntervalName, ...] = ("queries",) if from_tables else ("bounds", "queries")
        kinds = bounded if interval is None else (interval,)
        show_figure(scores.plot.intervals(scores.measures[0], kinds, **known), plot)
    if by is not None:
        segments = segments_of(scores.segments or by, scores.queries)
        grid = segments_grid(scores, segments, None if interval is None else confidence, decimals)
        show_grids(grid.rounded(decimals), format, output)
        return
    if interval is None and chosen_format == "latex" and not per_query:
        notes = [*map(str, scores.warnings), *scores.notes]
        show_paper(scores, notes, decimals, output)
        return
    if interval is None:
        show_grids(replace(scores.grid(per_query), title="").rounded(decimals), format, output)
        return
    with progress("estimating intervals", len(scores.runs)) as advance:
        estimates = scores.estimate(interval, **known, on_progress=lambda done, _: advance(done))
    show_grids(estimates.grid(decimals), format, output)


def _scored(
    read: Callable[[], tuple[Judgments, Mapping[str, RunSource]]],
    count: int,
    measures: Sequence[Measure] | None,
    rel: float | None,
    *,
    depth: int | None,
    pool_depth: int | None,
    ties: TiesName,
    seed: int,
) -> Scores:
    """Read the judgments and score the runs, with a bar if that takes long."""
    with reading(count) as on_read:
        judgments, runs = read()
        chosen = measures_with_rel(measures or default_measures(judgments), rel)
        suggest_estimates(judgments, chosen)
        given = {"depth": depth, "pool_depth": pool_depth, "ties": ties, "seed": seed}
        return unjudged.evaluate(judgments, runs, chosen, on_read=on_read, **given)  # type: ignore[arg-type]


def _check_interval(
    interval: str | None, options: Mapping[str, object], others: bool, shown: Mapping[str, object]
) -> None:
    """Refuse options of intervals without one, or that this one ignores, and ways to show that lack it."""
    if interval is None:
        if others or any(value is not None for value in options.values()):
            needing = "--prevalence, --calibration, --confidence, --extra-relevant, --pool-depth"
            raise UsageError(f"{needing} and --seed need --interval")
    else:
        _check_used(interval, **options)
    if shown["by"] and (shown["per_query"] or interval not in (None, "queries")):
        raise UsageError(
            "--by goes with --interval queries, but neither with other intervals nor --per-query"
        )
    if interval is not None and shown["per_query"]:
        raise UsageError("--per-query cannot be used with --interval: intervals are of means")


def _check_ties(ties: TiesName, interval: str | None, **given: object) -> None:
    """Refuse ways to show scores that say nothing of ties, and intervals of one order of them."""
    if ties == "order":
        return
    refuse(f"--ties {ties} and {{}} cannot be used together", given)
    if interval not in (None, "queries"):
        raise UsageError(
            f"--ties {ties} cannot be used with --interval {interval}, which is of one order of the documents"
        )


def _check_used(interval: str, **given: object) -> None:
    """Refuse an option that this interval would ignore, or the lack of one that it needs."""
    methods = _interval_methods()
    uses = methods.find(interval).uses
    for option, value in given.items():
        if value is not None and uses is not None and option not in uses:
            users = [name for name, method in methods.items() if option in (method.uses or ())]
            raise UsageError(
                f"{spelt(option)} is for --interval {' or '.join(users)}, not {interval}: omit it"
            )
    if "calibration" in (uses or ()) and given["calibration"] is None:
        raise UsageError(f"--interval {interval} needs --calibration FILE, which `unjudged calibrate` writes")
    if interval != "both" and "prevalence" in (uses or ()) and given["prevalence"] is None:
        what = "the probability that an unjudged document is relevant"
        raise UsageError(f"--interval {interval} needs --prevalence: {what}")
