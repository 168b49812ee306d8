"""What the keys of a description take: texts, files, numbers; and where each stands in its TOML."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from unjudged.base.choices import shown
from unjudged.base.errors import InputError, UnjudgedError, UsageError
from unjudged.base.wording import meant, plain
from unjudged.data.nested_dicts import DATASET
from unjudged.data.streams import display_name

HIGHEST = 1e300
AT_LINE = r"(?s)(.*) \(at (?:line ([0-9]+), column [0-9]+|end of document)\)"
MANY_PARTS = r"(?:\.[^.=,\n]{0,80}){64}"


class Wrong(Exception):
    """A value is not what its key takes; the text completes "expected"."""


class Place(NamedTuple):
    """Where a value stands: in a file with this text, or nowhere if it was given in a call."""

    file: str = ""
    text: str = ""
    path: tuple[str | int, ...] = ()

    def at(self, *keys: str | int) -> Place:
        """Return the place of a key within this one."""
        return self._replace(path=(*self.path, *keys))

    def error(self, problem: str) -> UnjudgedError:
        """Return an error that names the key, and file and line if there is one."""
        key = plain(".".join(one for one in self.path if isinstance(one, str)))
        said = f"{key} {problem}" if key else problem
        if not self.file:
            return UsageError(said)
        return InputError(said, source=display_name(self.file), line=line_of(self.text, self.path))

    def file_named(self, name: str) -> str:
        """Return a name as seen from here: names are relative to the file that has them."""
        if not self.file or name.startswith(DATASET):
            return name
        joined = os.path.join(os.path.dirname(self.file), name)
        return os.path.join(".", joined) if joined.startswith("-") else joined


HERE = Place()
Reads = Callable[[Any, Place], Any]
"""Return the value that a key has, or raise `Wrong`."""


def a_text(value: Any, _: Place) -> str:
    """Take a text that has something."""
    if not isinstance(value, str) or not value or "\0" in value:
        raise Wrong("a text")
    return value


def a_file(value: Any, place: Place) -> Any:
    """Take the name of a file; in Python anything that holds the same."""
    return place.file_named(a_text(value, place)) if place.file or isinstance(value, str) else value


def a_pattern(value: Any, place: Place) -> Any:
    """Take a pattern, which has a bracket, or a file; in Python also a mapping."""
    return value if isinstance(value, str) and "(" in value else a_file(value, place)


def some_texts(value: Any, place: Place) -> tuple[str, ...]:
    """Take one text or several."""
    several = [value] if isinstance(value, str) else value
    if not isinstance(several, list | tuple) or not several:
        raise Wrong("a text, or a list of texts")
    return tuple(a_text(one, place) for one in several)


def some(reads: Reads, what: str) -> Reads:
    """Take one value or a list of values that are read alike."""

    def read(value: Any, place: Place) -> tuple[Any, ...]:
        several = value if isinstance(value, list | tuple) else [value]
        if not several:
            raise Wrong(what)
        return tuple(read_value(reads, one, place) for one in several)

    return read


def some_files(value: Any, place: Place) -> Any:
    """Take one file or several; in Python anything that holds the same."""
    if not place.file and not isinstance(value, str):
        return value
    return tuple(map(place.file_named, some_texts(value, place)))


def one_of(*choices: str) -> Reads:
    """Take one of these words."""

    def read(value: Any, _: Place) -> str:
        if isinstance(value, str) and value in choices:
            return value
        raise Wrong(f"one of {', '.join(choices)}{meant(value, choices)}")

    return read


def a_number(least: float = -HIGHEST, below: float = HIGHEST, *, above: bool = False) -> Reads:
    """Take a number of at least `least`, or `above` it, and below another."""
    limits = "" if least == -HIGHEST else f" above {least:g}" if above else f" of at least {least:g}"
    limits += "" if below == HIGHEST else f" and below {below:g}"

    def read(value: Any, _: Place) -> float:
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        if not plain or not least <= value < below or (above and value == least):
            raise Wrong(f"a number{limits}")
        return float(value)

    return read


def a_rank(value: Any, _: Place) -> int:
    """Take a rank, from 1."""
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value < 1 << 31:
        raise Wrong("a whole number of at least 1")
    return value


def a_range(value: Any, place: Place) -> tuple[float, float]:
    """Take the lowest and the highest value."""
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise Wrong("two numbers, such as [0, 100]")
    low, high = (a_number()(one, place) for one in value)
    if low >= high:
        raise Wrong("the lower number first, such as [0, 100]")
    return low, high


def table_of(reads: Reads, what: str) -> Reads:
    """Take a table of values that are read alike."""

    def read(value: Any, place: Place) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise Wrong(what)
        return {str(name): read_value(reads, one, place.at(str(name))) for name, one in value.items()}

    return read


def some_runs(value: Any, place: Place) -> Any:
    """Take files by name, or files and patterns; in Python any source of runs."""
    if isinstance(value, Mapping) and place.file:
        return table_of(a_file, "")(value, place)
    if place.file and not isinstance(value, str | list):
        raise Wrong('a table of files by name, or a list such as ["runs/*.run"]')
    return some_files(value, place)


def a_margin(value: Any, place: Place) -> Any:
    """Take a loss that does not matter, or one for each measure."""
    loss = a_number(0)
    if isinstance(value, Mapping):
        return table_of(loss, "")(value, place)
    try:
        return loss(value, place)
    except Wrong:
        raise Wrong('a number of at least 0, or a table such as { "nDCG@10" = 0.01 }') from None


COLUMNS = table_of(a_text, 'a table of columns by role, such as { query = "topic" }')


def read_value(reads: Reads, value: Any, place: Place) -> Any:
    """Return a value as its key has it."""
    try:
        return reads(value, place)
    except Wrong as wrong:
        raise place.error(f"is {shown(value)}, expected {wrong}") from None


def parsed(text: str) -> dict[str, Any]:
    """Return the tables of a text; an error names the line if there is one."""
    if found := re.search(MANY_PARTS, text):  # the parser takes hours for thousands of parts
        line = text.count("\n", 0, found.start()) + 1
        raise InputError("a name with 64 dots, expected keys of one or two parts", line=line)
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        told = re.fullmatch(AT_LINE, str(error))
        problem = told[1] if told else str(error)
        if isinstance(error, RecursionError):
            problem = "lists or tables too deep in each other"
        at = int(told[2]) if told and told[2] else None
        raise InputError(f"not TOML: {problem}", line=at) from None


def line_of(text: str, path: tuple[str | int, ...]) -> int | None:
    """Return the line at which a value begins, or else the table or list that it is in; None for neither.

    The parser does not say. The first lines of a text are a text too, unless they end within a value.

    >>> line_of("[[judgments]]#[[judgments]]#by = 'model'".replace("#", chr(10)), ("judgments", 1, "by"))
    3
    """
    lines = text.split("\n")

    def steps(count: int) -> int | None:
        """Return how much of the path is in the first lines, None if they end within a value."""
        try:
            tree: Any = parsed("\n".join(lines[:count]))
        except InputError:
            return None
        for k, step in enumerate(path):
            places = range(len(tree)) if isinstance(tree, list) else tree if isinstance(tree, dict) else ()
            if step not in places:
                return k
            tree = tree[step]
        return len(path)

    most, low, high = steps(len(lines)), 0, len(lines)
    if not most:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        upward = (*range(middle, low, -1), *range(middle + 1, high + 1))
        at, found = next((n, own) for n in upward if (own := steps(n)) is not None)
        if found < most:
            low = at
        elif at > middle:  # the value begins after `low` and ends here
            break
        else:
            high = at
    return low + 1


def keys_of(dotted: str) -> tuple[str, ...]:
    """Return the parts of a dotted key, without quotes; none if it is not a key."""
    try:
        tree: Any = parsed(f"{dotted} = 0")
    except InputError:
        return ()
    keys = []
    while isinstance(tree, dict) and len(tree) == 1:
        ((key, tree),) = tree.items()
        keys.append(key)
    return () if isinstance(tree, dict) else tuple(keys)


def in_toml(text: str) -> str:
    """Return a text as TOML writes it."""
    import json

    try:
        text.encode()
    except UnicodeEncodeError:
        problem = "its name is not UTF-8, and a description is: rename it"
        raise InputError(problem, source=display_name(text)) from None
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def with_table(text: str, name: str, keys: Mapping[str, str]) -> str:
    """Return a text with one more table in a list of tables, at its end; all else stays as it is.

    >>> print(with_table("a = 1  # one", "b", {"c": "d"}))
    a = 1  # one
    <BLANKLINE>
    [[b]]
    c = "d"
    <BLANKLINE>
    """
    lines = "\r\n" if "\r\n" in text else "\n"
    whole = _as_list(text, name)
    table = [f"[[{name}]]", *(f"{key} = {in_toml(value)}" for key, value in keys.items()), ""]
    return whole + lines * (2 - whole.endswith("\n")) + lines.join(table)


def _as_list(text: str, name: str) -> str:
    """Return a text in which one table is a list of one; a line of a text in it may look like its header."""
    import tomllib

    before = tomllib.loads(text)
    if isinstance(before.get(name), dict):
        for header in re.finditer(rf"(?m)^[ \t]*\[[ \t]*{name}[ \t]*\]", text):
            listed = f"{text[: header.start()]}[[{name}]]{text[header.end() :]}"
            if tomllib.loads(listed) == {**before, name: [before[name]]}:
                return listed
    return text
