"""`unjudged measures`, `unjudged cite` and `unjudged baseline`."""

from __future__ import annotations

from typing import Annotated, Literal

import unjudged
from unjudged.base.choices import Format
from unjudged.base.errors import UsageError
from unjudged.baselines import variance_of_ap
from unjudged.citation import citations_grid
from unjudged.cli.commands import LOOK_UP, SCORE, command
from unjudged.cli.options.arguments import InputFile, Load, Measures, Output, OutputFormat
from unjudged.cli.options.option import Option
from unjudged.cli.shell.output import check_output, own_format, show, show_grids
from unjudged.grids.grid import Cell, Column, Grid
from unjudged.grids.rendering import FORMATS
from unjudged.measures.kernel.loading import load_measures
from unjudged.measures.kernel.names import parse, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judgments import Judgments
from unjudged.report.measure_pages import measures_grid, page

DEFAULT = ("AP", "P@10", "R@10", "RR", "nDCG@10", "RBP(p=0.8)")
LARGEST_FOR_VARIANCE = 10**8
CitationFormat = Annotated[Literal["bibtex"] | Format | None, Option(choices=("bibtex", *FORMATS))]


@command("measures", LOOK_UP, 2, "[NAME]", "List the measures, or explain one.")
def measures(
    name: str | None = None, /, *, load: Load = None, format: OutputFormat = None, output: Output = None
) -> None:
    """List the measures, or explain one.

    Parameters
    ----------
    name
        A measure, such as AP or nDCG@10, or trec_eval's name for it; its page has the formula and a citation.
    format
        The format of the list. By default the suffix of the output file decides, or else a table is printed.
    """
    load_measures(load)
    if name is None:
        show_grids(measures_grid(), format, output)
    elif format is not None:
        raise UsageError("--format is for the list of measures; the page of a measure is text")
    else:
        show(page(parse(name)[0]), output)


@command("cite", LOOK_UP, 3, "[NAME...]", "Print the BibTeX of measures and methods.")
def cite(*names: str, load: Load = None, format: CitationFormat = None, output: Output = None) -> None:
    """Print the BibTeX entries of the papers that define measures and methods, or of this package.

    Parameters
    ----------
    names
        Measures, as for `unjudged evaluate -m`; intervals (calibrated), tests (t), corrections (holm) and
        designs (stratified); or `unjudged`. Default: unjudged.
    format
        By default the suffix of the output file decides, or else it is bibtex.
    """
    load_measures(load)
    chosen = own_format(format, output, "bibtex")
    if chosen == "bibtex":
        show(unjudged.cite(*names), output)
    else:
        show_grids(citations_grid(*names), chosen, output)


@command("baseline", SCORE, 7, "-n DOCUMENTS -r RELEVANT", "Show what a random ranking scores.")
def baseline(
    *,
    documents: Annotated[int, Option("-n", "--documents")],
    relevant: Annotated[int | None, Option("-r", "--relevant")] = None,
    qrels: InputFile = None,
    measures: Measures = None,
    load: Load = None,
    rel: int = 1,
    format: OutputFormat = None,
    output: Output = None,
) -> None:
    """Print the exact expected score of a random ranking.

    Give the number of relevant documents of one query, or a qrels file to get the baseline of each query.

    Parameters
    ----------
    documents
        The size of the collection; a random ranking holds all of it.
    relevant
        The number of relevant documents.
    qrels
        A file of judgments, which gives the number of relevant documents of each query.
    measures
        A measure, such as AP@10; may be repeated. The gain of a relevant document is 1.
    rel
        The lowest grade that counts as relevant, with --qrels.
    """
    load_measures(load)
    if (relevant is None) == (qrels is None):
        raise UsageError("give either --relevant or --qrels")
    check_output(format, output)
    chosen = parse_measures(measures or DEFAULT)
    if relevant is not None:
        grid = _one_query(chosen, documents, relevant)
    else:
        grid = _each_query(chosen, documents, Judgments.read(str(qrels)), rel)
    show_grids(grid, format, output)


def _one_query(measures: list[Measure], documents: int, relevant: int) -> Grid:
    rows: list[list[Cell]] = []
    for measure in measures:
        has_variance = str(measure) == "AP" and documents <= LARGEST_FOR_VARIANCE
        spread = variance_of_ap(documents, relevant) ** 0.5 if has_variance else None
        rows.append([str(measure), float(measure.by_chance(documents, relevant)), spread])
    columns = [
        Column("measure", "label"),
        Column("expected", decimals=10),
        Column("standard deviation", decimals=10),
    ]
    return Grid(columns, rows)


def _each_query(measures: list[Measure], documents: int, judgments: Judgments, rel: int) -> Grid:
    counts = judgments.count(rel)
    values = [measure.by_chance(documents, counts) for measure in measures]
    rows: list[list[Cell]] = [
        [query, int(counts[i]), *(float(v[i]) for v in values)] for i, query in enumerate(judgments.queries)
    ]
    rows.append(["all", float(counts.mean()), *(float(v.mean()) for v in values)])
    columns = [Column("query", "label"), Column("relevant", decimals=1)]
    return Grid([*columns, *(Column(str(measure), decimals=6) for measure in measures)], rows)
