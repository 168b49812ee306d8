"""`unjudged evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

import unjudged
from unjudged.cli.arguments import File, Judged, check_files, probability, read_judgments
from unjudged.cli.output import is_terminal, show
from unjudged.cli.progress import reading
from unjudged.errors import UsageError
from unjudged.evaluation import DEFAULT_MEASURES
from unjudged.measures.names import parse_measures
from unjudged.rankings.runs import run_table
from unjudged.report.intervals import INTERVAL_FORMATS
from unjudged.report.tables import FORMATS, as_table
from unjudged.uncertainty.intervals import given_interval

INTERVAL_MEASURES = ("AP", "nDCG@10", "RBP(p=0.8)")


def evaluate(
    qrels: File,
    /,
    *runs: File,
    measures: Annotated[list[str] | None, Parameter(("-m", "--measure"), negative="")] = None,
    per_query: Annotated[bool, Parameter(("-q", "--per-query"), negative="")] = False,
    format: Literal["table", "csv", "json", "markdown", "latex"] = "table",
    output: Annotated[Path | None, Parameter(("-o", "--output"))] = None,
    level: Annotated[int | None, Parameter(("-l", "--level"))] = None,
    depth: Annotated[int | None, Parameter(("-k", "--depth"))] = None,
    judged: Judged = None,
    interval: Literal["bounds", "model", "queries", "both"] | None = None,
    q: str = "all",
    probabilities: str | None = None,
    confidence: float = 0.95,
    more: int = 0,
    seed: int = 0,
) -> None:
    """Score runs against relevance judgments.

    Without -m it prints what a first look needs: AP, its estimate infAP that respects the judgments
    that are missing, nDCG@10, RBP with the residual the unjudged documents leave open, and how much of
    the top ten is judged at all.

    Parameters
    ----------
    qrels
        The judgments: query iteration document grade, where -1 is pooled and not judged; or Parquet, Arrow,
        CSV or TSV with a header, a JSON dictionary; or irds:ID, a dataset of ir_datasets.
    runs
        The runs: query iteration document rank score tag, or files of the other kinds. Plain, gz, xz or zst;
        - is standard input; a pattern such as 'runs/*.parquet' is every file that fits.
    measures
        A measure, as AP(rel=2)@10 or as trec_eval's map_cut_10; may be repeated.
    per_query
        Every query's values too, not only the means.
    format
        How to print; csv and json have full precision.
    output
        Write to this file.
    level
        The lowest grade that counts as relevant, for every measure that does not say its own.
    depth
        Look only at the first documents of each ranking.
    judged
        Judgments made since, in a file of their own, as `unjudged next` asks for them; may be repeated.
    interval
        The means with an interval: bounds (whatever the unjudged turn out to be), model (each of them
        relevant with probability q), queries (bootstrap over queries), both (model and queries together).
    q
        The probability that an unjudged document is relevant: a number, or estimated from the judged
        ones over all, by query, by rank, or with the urn.
    probabilities
        A run whose scores are probabilities of relevance, of a model or an LLM judge, for --interval model.
    confidence
        The level of the interval.
    more
        So many relevant documents that were not retrieved may turn up for each query (bounds).
    seed
        For random completions and samples of queries.
    """
    if not runs:
        raise UsageError("no run given: unjudged evaluate QRELS RUN...")
    check_files([qrels, *runs, *(judged or ()), *([probabilities] if probabilities else ())])
    if probabilities is not None and interval != "model":
        raise UsageError("--probabilities goes with --interval model")
    if probabilities is not None and (depth is not None or "-" in runs):
        raise UsageError("--probabilities goes with files, and without --depth")
    if interval is None and (q, confidence, more, seed) != ("all", 0.95, 0, 0):
        raise UsageError("--q, --confidence, --more and --seed go with --interval")
    if interval is not None and per_query:
        raise UsageError("--per-query does not go with --interval: intervals are of means")
    chosen = parse_measures(measures or (DEFAULT_MEASURES if interval is None else INTERVAL_MEASURES))
    if level is not None:
        chosen = [m(rel=level) if "rel" in m.parameters and "rel" not in m.given else m for m in chosen]
    with reading(len(runs)) as on_read:
        judgments = read_judgments(qrels, judged)
        scores = unjudged.evaluate(judgments, list(runs), chosen, depth=depth, on_read=on_read)
    if probabilities is not None:
        given = run_table(probabilities)
        estimates = [
            [
                given_interval(m, judgments, run, given, probability(q), level=confidence, seed=seed)
                for m in chosen
            ]
            for run in map(run_table, runs)
        ]
        text = INTERVAL_FORMATS[format](scores, estimates)
    elif interval is not None:
        estimates = scores.estimate(interval, q=probability(q), level=confidence, more=more, seed=seed)
        text = INTERVAL_FORMATS[format](scores, estimates)
    elif format == "table":
        text = as_table(scores, per_query, width=None if output else is_terminal())
    else:
        text = FORMATS[format](scores, per_query)
    show(text, output)
