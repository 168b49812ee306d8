"""Where output goes: standard output, or a whole file; notes, warnings and progress beside it."""

from __future__ import annotations

import itertools
import os
import sys
import threading
from contextlib import contextmanager, suppress
from math import inf

from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from typing import Any

    from unjudged.base.notes import Note
    from unjudged.cli.command_line import Given
    from unjudged.results.grid import Grid
    from unjudged.results.result import Result


WIDTH = 80


def terminal_width() -> int:
    """Return the width of the terminal, or 80 where output goes elsewhere.

    It is as `shutil.get_terminal_size` says; `shutil` itself imports every kind of compression.
    """
    given = os.environ.get("COLUMNS", "")
    columns = int(given) if given.isdecimal() else 0
    if not columns and sys.__stdout__ is not None:
        with suppress(ValueError, OSError):
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns
    return max(columns or WIDTH, 20)


def show(content: str | bytes, output: Path | None = None, *, said: bool = True) -> None:
    """Write text or bytes to a file, and say so if asked, or to standard output."""
    if output is None and sys.stdout is None:
        raise InputError("standard output is closed")
    data = content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape")
    try:
        if output is None:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
        from unjudged.data.writing import write_whole

        write_whole(output, data)
        if said and sys.stderr is not None and output.is_file():
            sys.stderr.write(f"wrote {plain(str(output))}\n")
    except BrokenPipeError:
        raise
    except OSError as error:
        if output is None:
            drop_output()
        raise InputError(
            f"cannot be written: {error.strerror}", source=str(output or "standard output")
        ) from None


def drop_output() -> None:
    """Forget what was not written: Python would try to write it at its end, and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_SAID: set[str] = set()
"""Sentences that this command has said on standard error, or wrote with its results."""

_NOTES: list[Note | str] = []
"""Notes on its results."""


def warn(problem: str) -> None:
    """Tell the user about something on standard error, once."""
    if problem not in _SAID and sys.stderr is not None:
        _SAID.add(problem)
        sys.stderr.write(f"unjudged: {plain(problem)}\n")


def already_said(notes: Iterable[str]) -> None:
    """Notes that the user sees with the results, so that no warning repeats them."""
    _SAID.update(notes)


def tell(notes: Iterable[str]) -> None:
    """Keep notes until the results are written."""
    _NOTES.extend(notes)


@contextmanager
def notes_on_standard_error(*, all_notes: bool = False) -> Iterator[None]:
    """Write notes and warnings after the results, each once: reasons for doubt, and how many others.

    With `all_notes` the others are written, too.
    """
    import warnings

    from unjudged.base.errors import UnjudgedWarning
    from unjudged.base.notes import DOUBT, Note

    _SAID.clear()
    _NOTES.clear()
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always", UnjudgedWarning)
        yield
    notes: list[Note | str] = []
    for one in recorded:
        if isinstance(one.message, UnjudgedWarning) and one.message.note.code:
            notes.append(one.message.note)
        else:  # without a code it is a reason for doubt
            ours = issubclass(one.category, UnjudgedWarning)
            name = "" if ours else f"{one.category.__name__}: "
            notes.append(Note(f"{name}{one.message}", weight=DOUBT))
    _write([one for one in dict.fromkeys([*notes, *_NOTES]) if one not in _SAID], all_notes=all_notes)


def _write(notes: Sequence[str], *, all_notes: bool) -> None:
    if not notes or sys.stderr is None:
        return
    from unjudged.base.notes import DOUBT, folded

    lines = notes if all_notes else folded(notes, "-v")
    marks = ["! " if getattr(one, "weight", None) == DOUBT else "" for one in lines]
    sys.stderr.write("".join(f"{mark}{plain(one)}\n" for mark, one in zip(marks, lines, strict=True)))


SECONDS, PAUSE = 2.0, 0.2
"""Work that takes longer shows its progress, as often as this."""
CLEARED = "\r\x1b[2K"


@contextmanager
def progress(
    what: str, total: float = inf, *, then: str = "", after: float = SECONDS
) -> Iterator[Callable[[int], None]]:
    """A callback that takes how many steps are done; a line on standard error shows their share.

    The line appears once the work has taken `after` seconds, and only on a terminal. Without a `total` it
    shows only that work goes on, so the callback need not be called. `then` is what follows the last step.

    >>> from unjudged import experiment, sample
    >>> with progress("judging less", total=2) as report:
    ...     results = experiment(sample.qrels, sample.runs, levels=[0.5], repeats=2, on_step=report)
    """
    terminal, done, ended = sys.stderr, [0], threading.Event()
    if terminal is None or not terminal.isatty():
        yield lambda _: None
        return

    def write() -> None:
        pause = after
        while not ended.wait(pause):
            share = f" {100 * done[0] / total:.0f} %" if 0 < done[0] < total else ""
            terminal.write(f"{CLEARED}{then if then and done[0] >= total else what}{share} ...")
            terminal.flush()
            pause = PAUSE
        terminal.write(CLEARED if pause == PAUSE else "")
        terminal.flush()

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    try:
        yield lambda steps: done.__setitem__(0, steps)
    finally:
        ended.set()
        thread.join()


@contextmanager
def reading(runs: int) -> Iterator[Callable[[str], None]]:
    """A callback that takes the name of each run that was read."""
    with progress("reading runs", runs, then="computing") as report:
        count = itertools.count(1)
        yield lambda _: report(next(count))


if TYPE_CHECKING:
    from pathlib import Path

    from unjudged.cli.command_line import Given
    from unjudged.results.result import Result

MOST_DECIMALS = 15
LABEL = r" *\S.*?  +(?=\S)"
"""The start of a line before a wide gap, such as the name of a measure."""


def wrapped(lines: Sequence[str], indent: str = "") -> str:
    """Return sentences after an indent, wrapped to the terminal; what follows a label stays beside it."""
    import re
    import textwrap

    width, shown = terminal_width(), list[str]()
    for line in lines:
        label = re.match(LABEL, line)
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
    from unjudged.results.rendering import FORMATS, arrow_modules, format_of

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
    from dataclasses import replace

    from unjudged.base.notes import BELOW
    from unjudged.results.grid import Grid
    from unjudged.results.rendering import FORMATS, render

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
    from dataclasses import replace

    chosen, decimals = form_of(given), getattr(given, "decimals", None)
    if chosen == "latex" and view == "systems":
        from unjudged.results.grid import DECIMALS

        already_said(result.notes_of(view))
        show(result.to_latex(DECIMALS if decimals is None else decimals), given.output)
        return
    grids = result.grids(decimals, format=chosen, view=view)
    if text and chosen == "table":  # sentences have no marks to explain
        grids = [replace(grid, notes=result.notes_of(view, marks=False)) for grid in grids]
    if chosen == "json" and result.source is not None and "systems" in result.settings:
        from unjudged.results.methods_paragraph import facts_of

        grids = [replace(grid, facts=facts_of(result)) for grid in grids]
    show_tables(grids[0] if len(grids) == 1 else grids, given, text=text, after=after)
