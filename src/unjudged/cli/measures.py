"""`unjudged measures` and `unjudged cite`."""

from __future__ import annotations

from unjudged.cli.options.arguments import Format, Output
from unjudged.cli.output import show, show_grids
from unjudged.errors import UsageError
from unjudged.measures.names import parse
from unjudged.measures.references import REFERENCES
from unjudged.report.measure_list import measures_grid
from unjudged.report.pages import page


def measures(name: str | None = None, /, *, format: Format | None = None, output: Output = None) -> None:
    """List the measures, or explain one.

    Parameters
    ----------
    name
        A measure, such as AP or nDCG@10, or trec_eval's name for it; its page has the formula and a citation.
    format
        The format of the list. By default the suffix of the output file decides, or else a table is printed.
    output
        Write to this file.
    """
    if name is None:
        show_grids(measures_grid(), format, output)
    elif format is not None:
        raise UsageError("--format is for the list of measures; the page of a measure is text")
    else:
        show(page(parse(name)[0]), output)


def cite(*names: str, output: Output = None) -> None:
    """Print the BibTeX entries of the papers that define the measures.

    Parameters
    ----------
    names
        Measures, as for `unjudged evaluate -m`.
    output
        Write to this file.
    """
    if not names:
        raise UsageError("no measure given: unjudged cite MEASURE...")
    keys = dict.fromkeys(key for name in names for measure in parse(name) for key in measure.traits.cite)
    show("\n".join(REFERENCES[key].bibtex(key) for key in keys), output)
