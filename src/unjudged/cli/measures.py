"""`unjudged measures` and `unjudged cite`."""

from __future__ import annotations

from unjudged.cli.output import show
from unjudged.errors import UsageError
from unjudged.measures.names import parse
from unjudged.measures.references import REFERENCES
from unjudged.measures.registry import MEASURES
from unjudged.report.pages import page, signature


def measures(name: str | None = None, /) -> None:
    """List the measures, or explain one.

    Parameters
    ----------
    name
        A measure, as AP or nDCG@10, or trec_eval's name for it; its page has formula and citation.
    """
    show(_list() if name is None else page(parse(name)[0]))


def cite(*names: str) -> None:
    """Print the BibTeX of what the measures are cited for.

    Parameters
    ----------
    names
        Measures, as for `unjudged evaluate -m`.
    """
    if not names:
        raise UsageError("no measure given: unjudged cite MEASURE...")
    keys = dict.fromkeys(key for name in names for measure in parse(name) for key in measure.traits.cite)
    show("\n".join(REFERENCES[key].bibtex(key) for key in keys))


def _list() -> str:
    from io import StringIO

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("measure", "trec_eval", "what it is", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for measure in MEASURES.values():
        what = measure.help.split("\n")[0]
        table.add_row(Text(signature(measure)), " ".join(measure.traits.trec_eval), Text(what))
    target = StringIO()
    Console(file=target, width=10**4).print(table)
    lines = [line.rstrip() for line in target.getvalue().split("\n")]
    return "\n".join(
        [*lines[:-1], "", "unjudged measures NAME explains one; unjudged cite NAME is for your paper.", ""]
    )
