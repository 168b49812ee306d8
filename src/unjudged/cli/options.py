"""Options: each is what `argparse` takes, and the files that it names. Those that commands share are here."""

from __future__ import annotations

import errno
import os
import re
import sys
import textwrap
from argparse import SUPPRESS, ArgumentTypeError
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from unjudged.base.errors import InputError, UnjudgedError, UsageError, reason_of
from unjudged.base.wording import meant

if TYPE_CHECKING:
    from pathlib import Path


class Option:
    """An option: names, help, and what `add_argument` takes.

    The first sentence of its help stands in `-h`, all of it in `--help`. `reads` and `writes` say that it
    names a file, `made` that it names a folder that need not exist. `known` are words that it takes, or where
    they are: `inference.significance.TESTS`. What is in brackets after such a word is its parameters.
    """

    def __init__(
        self,
        *names: str,
        help: str,
        reads: bool = False,
        writes: bool = False,
        made: bool = False,
        known: Sequence[str] | str = (),
        **others: Any,
    ) -> None:
        self.names, self.help, self.reads, self.writes, self.made = names, help, reads, writes, made
        self._known = known
        if known:
            others = {"type": self._choose, "metavar": "NAME", **others}
        if others.get("type", int) not in (int, float):
            others["type"] = _telling(others["type"])
        self.needed = f"{names[0]} {others['metavar']}" if others.pop("required", False) else ""
        """How it is written, if it must be given."""
        if self.needed:
            others["default"] = SUPPRESS
        self.others = others

    @property
    def name(self) -> str:
        """The attribute of the parsed command line that has its value."""
        return str(self.others.get("dest") or self.names[-1].strip("-").replace("-", "_"))

    @property
    def known(self) -> list[str]:
        """The words that it takes, if they are few."""
        if not isinstance(self._known, str):
            return list(self._known)
        module, _, name = self._known.rpartition(".")
        found = getattr(import_module(f"unjudged.{module}"), name)
        return list(found() if callable(found) else found)

    def _choose(self, word: str) -> str:
        if word.partition("(")[0].strip() not in self.known:
            expected = f"expected one of {', '.join(self.known)}{meant(word, self.known)}"
            raise ArgumentTypeError(f"{self.names[-1]} is {word!r}, {expected}")
        return word


def _telling(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """Return the same, whose errors argparse passes on as they are."""

    def reading(text: str) -> Any:
        try:
            return read(text)
        except UnjudgedError as error:
            raise ArgumentTypeError(str(error)) from None

    return reading


def a_measure(text: str) -> str:
    """Take a measure as it is given, once its files are known."""
    from unjudged.measures.kernel.names import is_measure

    if os.path.isfile(text) and not is_measure(text):
        raise ArgumentTypeError(f"{text} is a file, not a measure: files come before -m")
    reads(re.findall(r"""['"]([^'"]+)['"]""", text))  # as in infAP(actual='complete.qrels')
    return text


def a_path(name: str) -> Path | None:
    """Take a file to write; a hyphen is standard output."""
    if not name:
        raise ArgumentTypeError("{} needs the name of a file: is a variable of the shell not set?")
    from pathlib import Path

    return None if name == "-" else Path(name)


def a_figure(name: str) -> Path:
    """Take a file for a figure; what would draw it must be there."""
    from pathlib import Path

    from unjudged.report.figure import check_plot

    check_plot(path := Path(name))
    return path


_SHARED = (
    Option(
        "-m",
        "--measure",
        nargs="+",
        action="extend",
        type=a_measure,
        metavar="NAME",
        help="Measures, such as -m AP nDCG@10. Files come before them. Names of trec_eval (map_cut_10), ranx "
        "and BEIR (ndcg@10) work too.",
    ),
    Option(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="Say more of the data, such as relevant=2 or ties=expected. Any key of a description can be "
        "set, as in segments=FILE, groups='(.*?)-', code=measures.py, judgments.depth=10, "
        "judgments.how=pool, judgments.calibration=FILE, columns.score=cosine, "
        "scores.missing=drop, scores.lower=p50_latency. May be repeated.",
    ),
    Option(
        "-f",
        "--format",
        known="results.rendering.FORMATS",
        help="The output format. By default the suffix of the output file decides, or else it is a table for "
        "people; csv, tsv, json, jsonl and parquet have full precision.",
    ),
    Option("-o", "--output", writes=True, type=a_path, metavar="FILE", help="Write to this file."),
    Option("--decimals", type=int, metavar="N", help="Decimals in a table."),
    Option("--seed", type=int, default=0, metavar="N", help="Another number gives other random draws."),
    Option("-k", "--depth", type=int, metavar="N", help="Keep only the first documents of each ranking."),
    Option(
        "--alpha",
        type=float,
        metavar="X",
        help="The significance level. By default 0.05. Intervals for other queries have the level 1 - alpha.",
    ),
    Option("-b", "--baseline", metavar="RUN", help="Compare all others with this run. By default all pairs."),
    Option("--plot", writes=True, type=a_figure, metavar="FILE", help="Draw a figure (svg, png or pdf)."),
    Option(
        "--test",
        known="inference.significance.TESTS",
        help="The test over queries. By default t. Those that resample take draws, as in "
        '"bootstrap(draws=50000)".',
    ),
    Option(
        "--correction",
        known="inference.corrections.CORRECTIONS",
        default="holm",
        help="For many comparisons. By default holm.",
    ),
)
SHARED = {one.name: one for one in _SHARED}
VERBOSE = Option("-v", "--verbose", action="store_true", help="Show all notes.")


def options(*given: str | Option) -> tuple[Option, ...]:
    """Return the options of a command: shared ones by their names, its own, and --verbose."""
    named = [[one] if isinstance(one, Option) else [SHARED[name] for name in one.split()] for one in given]
    return (*(one for several in named for one in several), VERBOSE)


class Command(NamedTuple):
    """A command: how it is called, its options, and the function that runs it, whose docstring is its help.

    The function takes the parsed command line and returns an exit code, or None.
    """

    usage: str
    options: tuple[Option, ...]
    run: Callable[[Any], int | None]

    @property
    def call(self) -> str:
        """What follows its name: its words, and the options that must be given."""
        return " ".join(filter(None, [self.usage, *(one.needed for one in self.options)]))

    @property
    def help(self) -> str:
        """A sentence, paragraphs, and indented examples."""
        return textwrap.dedent(f"    {(self.run.__doc__ or '').strip()}")


REGISTERED: dict[str, Command] = {}
"""Commands whose modules were imported, by name."""
Run = TypeVar("Run", bound=Callable[[Any], int | None])


def command(name: str, usage: str, *given: str | Option) -> Callable[[Run], Run]:
    """Register a function as the command `name`; `usage` follows the name, and the rest are `options`."""

    def register(run: Run) -> Run:
        REGISTERED[name] = Command(usage, options(*given), run)
        return run

    return register


def views(*names: str) -> Option:
    """Return the option that names a view of a command."""
    return Option("--view", known=names, help=f"Show {', '.join(names[:-1])} or {names[-1]}.")


_READ: list[str] = []
"""Files that this command reads."""

_WRITTEN: list[Path] = []
"""Files that it is going to write."""


def forget() -> None:
    """Forget the files of an earlier command."""
    _READ.clear()
    _WRITTEN.clear()


def reads(files: Iterable[str | os.PathLike[str]]) -> None:
    """Remember that the command reads these files; refuse one that it also writes."""
    for file in files:
        name = os.fspath(file)
        if not name:
            raise UsageError("the name of a file is empty: is a variable of the shell not set?")
        _READ.append(name)
    if _READ.count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    for path in _WRITTEN:
        check_not_read(path)


def writes(files: Sequence[Path], folders: Sequence[Path] = ()) -> None:
    """Remember that the command writes these files and makes these folders; refuse what cannot be written."""
    for path in (*folders, *files):
        problem = _problem(path, new=path in folders)
        if problem:
            raise InputError(f"cannot be written: {problem}", source=str(path))
        if os.path.realpath(path) in map(os.path.realpath, _WRITTEN):
            raise UsageError(f"{path} would be written twice: choose another name for one of the two")
        _WRITTEN.append(path)
        check_not_read(path)


def check_not_read(output: Path) -> None:
    """Refuse to replace a file that this command reads."""
    for name in _READ if os.path.isfile(output) else ():
        files = list(_files(name))
        if any(_is_same_file(output, file) for file in files):
            among = "" if files == [name] else f" as one of {name}"
            raise UsageError(f"{output} is read by this command{among}: write to another file")


def _files(name: str) -> Iterable[str | Path]:
    """Return the files that a name stands for: the parts of a folder, what matches a pattern, or a file."""
    if os.path.isdir(name):
        from pathlib import Path

        from unjudged.data.frames import is_part

        return filter(is_part, Path(name).rglob("*"))
    from unjudged.data.sources import expanded

    return dict.fromkeys([name, *expanded(name)])


def _is_same_file(one: Path, other: str | Path) -> bool:
    """Whether a file to write is one that is read."""
    try:
        return os.path.samestat(os.stat(one), os.stat(sys.stdin.fileno() if other == "-" else other))
    except (OSError, ValueError, AttributeError):  # no such file, no name of a file, no standard input
        return False


def _problem(path: Path, *, new: bool) -> str:
    """Say why no file can have this name, or why it cannot be written, so that no work is lost."""
    from unjudged.data.writing import is_stream

    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:  # a name that is too long, or a link to itself
        return reason_of(error)
    if new or is_stream(path):
        return "" if new or not path.is_dir() else "it is a folder"
    if not path.parent.is_dir():
        return f"{path.parent} is not a folder"
    places = (place for place in (path.resolve().parent, path) if place.exists())
    return "" if all(os.access(place, os.W_OK) for place in places) else os.strerror(errno.EACCES)
