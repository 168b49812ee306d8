"""`unjudged measures` and `unjudged cite`."""

from __future__ import annotations

from typing import Annotated, Literal

import unjudged
from unjudged.base.choices import Format
from unjudged.base.errors import UsageError
from unjudged.citation import citations_grid
from unjudged.cli.commands import LOOK_UP, command
from unjudged.cli.options.arguments import Output, OutputFormat
from unjudged.cli.options.option import Option
from unjudged.cli.shell.output import own_format, show, show_grids
from unjudged.grids.rendering import FORMATS
from unjudged.measures.kernel.names import parse
from unjudged.report.measure_pages import measures_grid, page

CitationFormat = Annotated[Literal["bibtex"] | Format | None, Option(choices=("bibtex", *FORMATS))]


@command("measures", LOOK_UP, 2, "[NAME]", "List the measures, or explain one.")
def measures(name: str | None = None, /, *, format: OutputFormat = None, output: Output = None) -> None:
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


@command("cite", LOOK_UP, 3, "[NAME...]", "Print the BibTeX of a measure.")
def cite(*names: str, format: CitationFormat = None, output: Output = None) -> None:
    """Print the BibTeX entries of the papers that define the measures, or of this package.

    Parameters
    ----------
    names
        Measures, as for `unjudged evaluate -m`, or `unjudged`. Default: unjudged.
    format
        By default the suffix of the output file decides, or else it is bibtex.
    """
    chosen = own_format(format, output, "bibtex")
    if chosen == "bibtex":
        show(unjudged.cite(*names), output)
    else:
        show_grids(citations_grid(*names), chosen, output)
