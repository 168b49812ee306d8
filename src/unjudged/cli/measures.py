"""`unjudged measures`."""

from __future__ import annotations

import inspect

from unjudged.cli.output import show
from unjudged.measures.names import parse
from unjudged.measures.references import REFERENCES
from unjudged.measures.registry import MEASURES, Measure


def measures(name: str | None = None, /) -> None:
    """List the measures, or explain one.

    Parameters
    ----------
    name
        A measure, as AP or nDCG@10, or trec_eval's name for it; its page has formula and citation.
    """
    show(_list() if name is None else _page(parse(name)[0]))


def _list() -> str:
    from io import StringIO

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("measure", "trec_eval", "what it is", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for measure in MEASURES.values():
        table.add_row(
            Text(_signature(measure)), " ".join(measure.traits.trec_eval), measure.help.split("\n")[0]
        )
    target = StringIO()
    Console(file=target, width=150).print(table)
    lines = [line.rstrip() for line in target.getvalue().split("\n")]
    return "\n".join([*lines[:-1], "", "unjudged measures NAME explains one.", ""])


def _page(measure: Measure) -> str:
    names = [*measure.traits.aliases, *measure.traits.trec_eval]
    also = f"\nAlso called {', '.join(names)}.\n" if names else ""
    cited = "".join(f"\n{REFERENCES[key].text}\n" for key in measure.traits.cite)
    return f"{_signature(measure)}\n\n{measure.help}\n{also}{cited}"


def _signature(measure: Measure) -> str:
    """`AP(rel=1)[@cutoff]`: brackets around what may be left out."""
    inside = [f"{k}={v!r}" for k, v in measure.parameters.items() if k != measure.traits.at]
    at = measure.traits.at
    behind = ""
    if at is not None:
        required = measure.parameters[at] is inspect.Parameter.empty
        behind = f"@{at}" if required else f"[@{at}]"
    return measure.name + (f"({', '.join(inside)})" if inside else "") + behind
