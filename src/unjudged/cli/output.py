"""Where output goes: standard output, or a file that appears whole."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unjudged.base.errors import UsageError
from unjudged.base.notes import BELOW
from unjudged.base.wording import plain
from unjudged.cli.standard_streams import already_said, show, tell, terminal_width
from unjudged.results.grid import DECIMALS, Grid
from unjudged.results.rendering import FORMATS, arrow_modules, format_of, render

if TYPE_CHECKING:
    from pathlib import Path

    from unjudged.cli.command_line import Given
    from unjudged.results.result import Result

MOST_DECIMALS = 15
_LABEL = re.compile(r" *\S.*?  +(?=\S)")
"""The start of a line before a wide gap, such as the name of a measure."""


def wrapped(lines: Sequence[str], indent: str = "") -> str:
    """Return sentences after an indent, wrapped to the terminal; what follows a label stays beside it."""
    import textwrap

    width, shown = terminal_width(), list[str]()
    for line in lines:
        label = _LABEL.match(line)
        hang = indent + " " * (label.end() if label and label.end() < width // 3 else 0)
        shown += textwrap.wrap(
            plain(line), width, initial_indent=indent, subsequent_indent=hang, break_on_hyphens=False
        ) or [""]
    return "".join(f"{line}\n" for line in shown)


def on_terminal(output: Path | None) -> bool:
    """Whether results go to a terminal, not to a file or a pipe."""
    return output is None and sys.stdout is not None and sys.stdout.isatty()


def form_of(given: Given) -> str:
    """Return the format to write: as asked for, else by the suffix of the file; without a suffix, a table.

    Refuse a format that cannot be written, and what it cannot have, before the work.
    """
    output: Path | None = given.output
    known = [one.suffix for one in FORMATS.values()]
    if given.format is None and output is not None and output.suffix.lower() not in ("", *known):
        raise UsageError(
            f"{output}: no format has the suffix {output.suffix}: use {', '.join(known)}, or --format"
        )
    chosen: str = given.format or format_of(output)
    if chosen == "parquet":
        if output is None:
            raise UsageError("--format parquet needs --output FILE")
        arrow_modules()
    decimals = getattr(given, "decimals", None)
    if decimals is not None and not 0 <= decimals <= MOST_DECIMALS:
        raise UsageError(f"--decimals is {decimals}, expected a number from 0 to {MOST_DECIMALS}")
    if decimals is not None and FORMATS.find(chosen).exact:
        raise UsageError(f"--decimals is for tables; {chosen} has full precision")
    return chosen


def show_figure(figure: Any, plot: Path) -> None:
    """Write a figure to a file; the suffix of its name is the kind."""
    from unjudged.report.figure import picture

    show(picture(figure, plot.suffix.removeprefix(".")), plot)


def show_tables(grids: Grid | Sequence[Grid], given: Given, *, text: str = "", after: str = "") -> None:
    """Write tables in the format that was asked for; notes go where they have a place, once.

    `text` is what people read instead of a table, and `after` what follows it.
    """
    chosen = form_of(given)
    several = [grids] if isinstance(grids, Grid) else list(grids)
    notes = [note for grid in several for note in grid.notes]
    if chosen == "table":
        below = [] if text else [one for one in notes if getattr(one, "code", "") in BELOW]
        tell([one for one in notes if one not in below])
        after = f"{wrapped(['', *below]) if below else ''}{after}"
        bare = [replace(grid, notes=()) for grid in several]
        width, bold = terminal_width(), on_terminal(given.output)
        show(f"{text or render(bare, chosen, width=width, bold=bold)!s}{after}", given.output)
        return
    (tell if FORMATS.find(chosen).single else already_said)(notes)
    show(render(grids, chosen), given.output)


def show_result(result: Result, given: Given, view: str = "", *, text: str = "", after: str = "") -> None:
    """Write a view of a result, or all of them; `text` and `after` are as in `show_tables`."""
    chosen, decimals = form_of(given), getattr(given, "decimals", None)
    if chosen == "latex" and view == "systems":
        already_said(result.notes_of(view))
        show(result.to_latex(DECIMALS if decimals is None else decimals), given.output)
        return
    grids = result.grids(decimals, format=chosen, view=view)
    if chosen == "json" and result.source is not None and "systems" in result.settings:
        from unjudged.results.methods_paragraph import facts_of

        grids = [replace(grid, facts=facts_of(result)) for grid in grids]
    show_tables(grids[0] if len(grids) == 1 else grids, given, text=text, after=after)
