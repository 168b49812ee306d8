"""`unjudged measures`, `cite`, `baseline`, `completion` and `doctor`: commands that look things up."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import unjudged
from unjudged.base.choices import Format
from unjudged.base.errors import InputError, UsageError, reason_of
from unjudged.baselines import variance_of_ap
from unjudged.citation import citations_grid
from unjudged.cli.commands import LOOK_UP, SCORE, command
from unjudged.cli.options.arguments import File, InputFile, Load, Measures, Output, OutputFormat
from unjudged.cli.options.option import Option
from unjudged.cli.shell.output import check_output, own_format, show, show_grids
from unjudged.grids.grid import Cell, Column, Grid
from unjudged.grids.rendering import FORMATS, WITHOUT_NOTES
from unjudged.measures.kernel.names import parse, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judgments import Judgments
from unjudged.report.measure_pages import measures_grid, page

DEFAULT = ("AP", "P@10", "R@10", "RR", "nDCG@10", "RBP(p=0.8)")
LARGEST_FOR_VARIANCE = 10**8
Shell = Literal["zsh", "bash", "fish", "powershell"]
CitationFormat = Annotated[Literal["bibtex"] | Format | None, Option(choices=("bibtex", *FORMATS))]


@command("measures", LOOK_UP, 2, "[NAME]", "List the measures, or explain one.")
def measures(
    name: str | None = None, /, *, _load: Load = None, format: OutputFormat = None, output: Output = None
) -> None:
    """List the measures, or explain one.

    Parameters
    ----------
    name
        A measure, such as AP or nDCG@10, or trec_eval's name for it; its page has the formula and a citation.
    format
        The format of the list. By default the suffix of the output file decides, or else a table is printed.
    """
    if name is None:
        show_grids(measures_grid(), format, output)
    elif format is not None:
        raise UsageError("--format is for the list of measures; the page of a measure is text")
    else:
        show(page(parse(name)[0]), output)


@command("cite", LOOK_UP, 3, "[NAME...]", "Print the BibTeX of measures and methods.")
def cite(*names: str, _load: Load = None, format: CitationFormat = None, output: Output = None) -> None:
    """Print the BibTeX entries of the papers that define measures and methods, or of this package.

    Parameters
    ----------
    names
        Measures, as for `unjudged evaluate -m`; intervals (calibrated), tests (t), corrections (holm) and
        designs (stratified); or `unjudged`. Default: unjudged.
    format
        By default the suffix of the output file decides, or else it is bibtex.
    """
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
    _load: Load = None,
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


@command("completion", LOOK_UP, 4, "[SHELL]", "Let the shell complete commands and options.")
def completion(shell: Shell | None = None, /, *, install: bool = False, output: Output = None) -> None:
    """Print the script with which a shell completes the commands and options of unjudged, or install it.

    Parameters
    ----------
    shell
        The shell. Default: the one that runs this command.
    install
        Write the script where the shell looks for it, and load it at startup. Then start a new shell.
    output
        Write the script to this file.
    """
    from cyclopts.completion.detect import ShellDetectionError

    from unjudged.cli.shell.parser import make_app

    app = make_app()
    try:
        if install:
            show(f"{app.install_completion(shell=shell, output=output)}: start a new shell to use it\n")
        else:
            show(app.generate_completion(shell=shell), output)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"the script cannot be written: {reason_of(error)}") from None
    except (ShellDetectionError, ValueError):
        raise UsageError("this shell is not known: name one, as in `unjudged completion bash`") from None


@command("doctor", LOOK_UP, 5, "FILE...", "Tell what files are, how they match, and what to ask of them.")
def doctor(*files: File, format: OutputFormat = None, output: Output = None) -> None:
    """Tell what each file is, how the files match, and which commands answer which questions from them.

    Files may come in any order: judgments, runs, tables of scores, predictions, designs, calibrations,
    groups, texts and topics. What the judgments do not allow is listed with its reason. The exit code is 1 if
    no file is recognised.

    Parameters
    ----------
    files
        The files that you have.
    format
        The output format. By default the suffix of the output file decides, or else text is printed.
        csv, tsv, jsonl and parquet hold the table of files alone.
    """
    from unjudged.diagnosis.questions import doctor as diagnose

    chosen = check_output(format, output)
    found = diagnose(*files)
    if chosen == "table":
        show(f"{found}\n", output)
    else:
        show_grids(found.grid() if chosen in WITHOUT_NOTES else found.grids(), format, output)
    if not found.recognised:
        sys.exit(1)
