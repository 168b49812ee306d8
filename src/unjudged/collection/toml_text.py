"""TOML as a tree and as text, and the line of each key, which the parser does not report."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from unjudged.base.errors import InputError
from unjudged.data.streams import display_name

Path = tuple[str | int, ...]
"""Keys and places in lists that lead to a value."""

_KEY = r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+)"""
_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_ONE_KEY = re.compile(_DOTTED)
_HEADER = re.compile(rf"[ \t]*(\[\[?)[ \t]*({_DOTTED})[ \t]*\]")
_ASSIGNED = re.compile(rf"[ \t]*({_DOTTED})[ \t]*=")
_TOKEN = re.compile(
    r"""
    "{3} (?: [^"\\] | \\. | "{1,2}(?!") )*+ "{3,5}
    | " (?: [^"\\\n] | \\. )*+ "
    | '{3} .*? '{3,5}
    | ' [^'\n]* '
    | [#] [^\n]*
    """,
    re.DOTALL | re.VERBOSE,
)
"""Texts and comments."""
_AT_LINE = re.compile(r"(.*) \(at (?:line ([0-9]+), column [0-9]+|end of document)\)", re.DOTALL)
_MANY_PARTS = re.compile(r"(?:\.[^.=,\n]{0,80}){64}")


def parsed(text: str) -> dict[str, Any]:
    """Return the tables of a text; an error names the line if there is one."""
    if found := _MANY_PARTS.search(text):  # the parser takes hours for thousands of parts
        line = text.count("\n", 0, found.start()) + 1
        raise InputError("a name with 64 dots, expected keys of one or two parts", line=line)
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        told = _AT_LINE.fullmatch(str(error))
        problem = told[1] if told else str(error)
        if isinstance(error, RecursionError):
            problem = "lists or tables too deep in each other"
        at = int(told[2]) if told and told[2] else None
        raise InputError(f"not TOML: {problem}", line=at) from None


def line_of(text: str, path: Path) -> int | None:
    """Return the line at which a value begins, or else the table or list that it is in; None for neither.

    >>> line_of("[[judgments]]#[[judgments]]#by = 'model'".replace("#", chr(10)), ("judgments", 1, "by"))
    3
    """
    here: Path = ()
    lists: dict[Path, int] = {}
    longest, found, depth = 0, None, 0
    for number, line in enumerate(_TOKEN.sub(_on_one_line, text).split("\n"), 1):
        header = None if depth else _HEADER.match(line)
        assigned = None if depth or header else _ASSIGNED.match(line)
        if header is not None:
            here = own = _numbered(keys_of(header[2]), lists, another=header[1] == "[[")
        else:
            bare = _TOKEN.sub("", line)
            depth += sum(map(bare.count, "[{")) - sum(map(bare.count, "]}"))
            own = () if assigned is None else (*here, *keys_of(assigned[1]))
        different = (k for k, (a, b) in enumerate(zip(own, path, strict=False)) if a != b)
        common = next(different, min(len(own), len(path)))
        if common > longest:
            longest, found = common, number
    return found


def _on_one_line(token: re.Match[str]) -> str:
    """Return a text as it is if it is on one line, else only its lines; nothing of a comment."""
    text = token[0]
    lines = "\n" * text.count("\n")
    return "" if text.startswith("#") else f"''{lines}" if lines or text[:3] in ('"""', "'''") else text


def _numbered(keys: Path, lists: dict[Path, int], *, another: bool) -> Path:
    """Return the path of a table; one of a list has its place, and `another` adds one to the list."""
    path: Path = ()
    for place, key in enumerate(keys, 1):
        path = (*path, key)
        if another and place == len(keys):
            lists[path] = lists.get(path, -1) + 1
        if path in lists:
            path = (*path, lists[path])
    return path


def keys_of(dotted: str) -> tuple[str, ...]:
    """Return the parts of a dotted key, without quotes; none if it is not a key."""
    if not _ONE_KEY.fullmatch(dotted):
        return ()
    tree: Any = parsed(f"{dotted} = 0")
    keys = []
    while isinstance(tree, dict):
        ((key, tree),) = tree.items()
        keys.append(key)
    return tuple(keys)


def quoted(text: str) -> str:
    """Return a text as TOML writes it."""
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
    whole = re.sub(rf"(?m)^[ \t]*\[[ \t]*{name}[ \t]*\]", f"[[{name}]]", text)  # one table is a list of one
    table = [f"[[{name}]]", *(f"{key} = {quoted(value)}" for key, value in keys.items()), ""]
    return whole + lines * (2 - whole.endswith("\n")) + lines.join(table)
