"""Standard output, whose failures are errors like any other, and warnings and progress on standard error."""

from __future__ import annotations

import itertools
import os
import sys
import threading
import time
from contextlib import contextmanager, suppress

from unjudged.base.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from unjudged.base.notes import Note

    Report = Callable[[int], None]


WIDTH = 80


def terminal_width() -> int:
    """Return the width of the terminal, or 80 where output goes elsewhere.

    It is that of `shutil.get_terminal_size`; `shutil` itself imports every kind of compression.
    """
    given = os.environ.get("COLUMNS", "")
    columns = int(given) if given.isdecimal() else 0
    if not columns and sys.__stdout__ is not None:
        with suppress(ValueError, OSError):
            columns = os.get_terminal_size(sys.__stdout__.fileno()).columns
    return max(columns or WIDTH, 20)


@contextmanager
def complete_output() -> Iterator[None]:
    """Flush standard output; raise InputError if that fails."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        raise InputError(f"standard output: cannot be written: {error.strerror}") from None


def drop_output() -> None:
    """Forget what was not written: Python would try to write it at its end, and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def warn(problem: str) -> None:
    """Tell the user about something on standard error, once."""
    if problem not in _SAID and sys.stderr is not None:
        _SAID.add(problem)
        from unjudged.base.wording import plain

        sys.stderr.write(f"unjudged: {plain(problem)}\n")


_SAID: set[str] = set()
"""Sentences that this command has said on standard error, or wrote with its results."""

_NOTES: list[str] = []
"""Notes on its results."""


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

    _SAID.clear()
    _NOTES.clear()
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always", UnjudgedWarning)
        yield
    notes = [*(_note_of(one.message) for one in recorded), *_NOTES]
    _write_notes([one for one in dict.fromkeys(notes) if one not in _SAID], all_notes=all_notes)


def _note_of(message: Warning | str) -> Note:
    """Return a warning as a note; one without a code is a reason for doubt."""
    from unjudged.base.errors import UnjudgedWarning
    from unjudged.base.notes import DOUBT, Note

    if isinstance(message, UnjudgedWarning) and message.note.code:
        return message.note
    name = "" if isinstance(message, UnjudgedWarning) else f"{type(message).__name__}: "
    return Note(f"{name}{message}", weight=DOUBT)


def _write_notes(notes: Sequence[str], *, all_notes: bool) -> None:
    if not notes or sys.stderr is None:
        return
    from unjudged.base.notes import DOUBT, READING
    from unjudged.base.wording import counted, plain

    shown = [one for one in notes if all_notes or getattr(one, "weight", READING) == DOUBT]
    lines = [f"! {plain(one)}" for one in shown]
    if others := [one for one in notes if one not in shown]:
        codes = dict.fromkeys(code.replace("-", " ") for one in others if (code := getattr(one, "code", "")))
        about = f" ({', '.join(codes)})" if codes else ""
        lines.append(f"{counted(len(others), 'note')}{about}: -v")
    sys.stderr.write("".join(f"{line}\n" for line in lines))


SECONDS = 2.0


@contextmanager
def progress(
    what: str, total: int | None = None, *, then: str = "", after: float = SECONDS
) -> Iterator[Report]:
    """A callback that takes how many steps are done; a bar on standard error shows it and the time left.

    The bar appears once the work has taken `after` seconds, and only on a terminal. Without a `total` it
    shows only that work goes on, so the callback need not be called. `then` is what follows the last step.

    >>> from unjudged import sample
    >>> from unjudged import experiment
    >>> with progress("judging less", total=2) as report:
    ...     results = experiment(sample.qrels, sample.runs, levels=[0.5], repeats=2, on_step=report)
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    bar = _Bar(what, total, then)
    timer = threading.Timer(after, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield bar.report
    finally:
        timer.cancel()
        bar.stop()


@contextmanager
def reading(runs: int) -> Iterator[Callable[[str], None]]:
    """A callback that takes the name of each run that was read."""
    with progress("reading runs", runs, then="computing") as report:
        count = itertools.count(1)
        yield lambda _: report(next(count))


class _Bar:
    """A line that shows how much of the work is done, once a timer has started it."""

    def __init__(self, what: str, total: int | None, then: str) -> None:
        self._what, self._total, self._then, self._done = what, total, then, 0
        self._started, self._shown, self._ended = time.monotonic(), False, False
        self._lock = threading.Lock()

    def start(self) -> None:
        self._shown = True
        self.report(self._done)

    def report(self, done: int) -> None:
        with self._lock:
            self._done = done
            if self._shown and not self._ended:
                sys.stderr.write(f"\r\x1b[2K{self._line()}")
                sys.stderr.flush()

    def _line(self) -> str:
        share = 0.0 if self._total is None else self._done / self._total
        if share >= 1 and self._then:
            return f"{self._then} ..."
        if not 0 < share < 1:
            return f"{self._what} ..."
        left = round((time.monotonic() - self._started) * (1 / share - 1))
        bar = "━" * round(30 * share)
        return f"{self._what} {bar:30} {100 * share:3.0f} %  {left // 60}:{left % 60:02d} left"

    def stop(self) -> None:
        with self._lock:
            self._ended = True
            if self._shown:
                sys.stderr.write("\r\x1b[2K")
                sys.stderr.flush()
