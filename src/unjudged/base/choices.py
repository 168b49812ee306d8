"""Choices of users: things by name from a registry, lists and numbers; anything else is refused."""

from __future__ import annotations

import os
import reprlib
from collections import UserDict
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any, Literal, TypeVar

from unjudged.base.errors import UsageError, quoted
from unjudged.base.wording import meant, shortlist

Thing = TypeVar("Thing")

Format = Literal["table", "csv", "tsv", "json", "jsonl", "markdown", "latex", "html", "parquet"]
TiesName = Literal["order", "expected"]
TestName = Literal["t", "randomization", "wilcoxon", "bootstrap", "sequential"]
CorrectionName = Literal["holm", "bh", "bonferroni", "none", "tukey"]
DesignName = Literal["uniform", "pool", "mixed", "stratified"]
Conflicts = Literal["error", "majority", "highest", "last"]
"""Names for static typing; a test compares each of these with its registry, which others may add to."""


class Choices(UserDict[str, Thing]):
    """A registry: things by name, in the order they were added.

    It counts its changes: what is made from its names can be kept until the next.

    >>> colours = Choices("colour", red=1, green=2)
    >>> colours.find("red"), colours.changes
    (1, 2)
    """

    changes = 0

    def __init__(self, what: str, **things: Thing) -> None:
        super().__init__(things)
        self.what = what

    def __setitem__(self, name: str, thing: Thing) -> None:
        self.changes += 1
        super().__setitem__(name, thing)

    def __delitem__(self, name: str) -> None:
        self.changes += 1
        super().__delitem__(name)

    def add(self, name: str, thing: Thing) -> Thing:
        """Add a thing under a name, which may replace another."""
        self[name] = thing
        return thing

    def find(self, name: object) -> Thing:
        """Return the thing of this name; an error lists all names if there is none."""
        found = self.data.get(name) if isinstance(name, str) else None
        if found is not None:
            return found
        hint = meant(name, self) if isinstance(name, str) else ""
        raise UsageError(f"{self.what} is {shown(name)}, expected one of {', '.join(self)}{hint}")


def called(text: str) -> tuple[str, dict[str, Any]]:
    """Return the name and the parameters of a text such as `bootstrap(draws=50000)`, as measures have them.

    >>> called("bootstrap(draws=50000)"), called("t")
    (('bootstrap', {'draws': 50000}), ('t', {}))
    """
    try:
        name, bracket, inside = text.strip().partition("(")
        return name.strip(), keywords(f"({inside}" if bracket else "()")
    except (AttributeError, SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        raise UsageError(f"{shown(text)} cannot be read, expected name or name(key=value)") from None


def called_with_levels(text: str) -> tuple[str, list[str], dict[str, Any]]:
    """Return the same of a text that has values first, which stay texts.

    >>> called_with_levels("stratified(5%, 10%, top=20)")
    ('stratified', ['5%', '10%'], {'top': 20})
    """
    name, bracket, inside = str(text).strip().partition("(")
    if bracket and not inside.endswith(")"):
        raise UsageError(f"{shown(text)} cannot be read, expected name(level, key=value)")
    parts = [part.strip() for part in inside.removesuffix(")").split(",") if part.strip()]
    _, named = called(f"{name}({', '.join(part for part in parts if '=' in part)})")
    return name.strip(), [part for part in parts if "=" not in part], named


def keywords(inside: str) -> dict[str, Any]:
    """Return the parameters in `(key=value, ...)`; a bare word is a text, except for true and false."""
    import ast

    call = ast.parse(f"f{inside}", mode="eval").body
    if not isinstance(call, ast.Call) or call.args or not isinstance(call.func, ast.Name):
        raise ValueError(inside)
    words = {"true": True, "false": False}
    return {
        str(one.arg): words.get(one.value.id, one.value.id)
        if isinstance(one.value, ast.Name)
        else ast.literal_eval(one.value)
        for one in call.keywords
    }


def check_parameters(text: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse parameters that are not among the known ones of what `text` names."""
    for one in given:
        if one not in known:
            have = f"it has {', '.join(known)}" if known else "it has none"
            raise UsageError(f"{text}: no parameter is called {one!r}{meant(one, known)}; {have}")


def as_list(what: str, values: Any) -> list[Any]:
    """Return the values of a list or another iterable; a text is one value."""
    if isinstance(values, str):
        return [values]
    if not isinstance(values, Iterable):
        raise UsageError(f"{what} are {shown(values)}, expected a list")
    return list(values)


def checked_int(what: str, value: object, least: int = 0) -> int:
    """Return a whole number of at least `least` as an int; anything else is an error that names it."""
    try:
        number: int = int(value)  # type: ignore[call-overload]
        right = number == value and number >= least
    except (TypeError, ValueError, OverflowError):
        right = False
    if not right:
        raise UsageError(f"{what} is {shown(value)}, expected a whole number of at least {least}")
    return number


def check_probability(what: str, value: object, such_as: float) -> None:
    """Refuse anything but a number between 0 and 1, both excluded."""
    if not isinstance(value, Real) or not 0 < float(value) < 1:
        raise UsageError(f"{what} is {shown(value)}, expected a number between 0 and 1, such as {such_as}")


def check_confidence(confidence: object) -> None:
    """Refuse a confidence level that no interval can have."""
    check_probability("confidence", confidence, 0.95)


def check_file_name(what: str, value: Any, expected: str) -> None:
    """Refuse what cannot name a file."""
    if not isinstance(value, str | os.PathLike):
        raise UsageError(f"{what} are {shown(value)}, expected {expected}")


def shown(value: object) -> str:
    """Return a value as a message may show it: never long."""
    if isinstance(value, Real):
        try:
            return quoted(str(value)).strip("'")
        except ValueError:  # Python does not write integers of more than some thousand digits
            return "a number of very many digits"
    return quoted(value) if isinstance(value, str) else reprlib.repr(value)


def place_of(what: str, name: str, names: Sequence[str]) -> int:
    """Return the place of a name among the names of runs, queries or others.

    >>> place_of("run", "fused", ["lexical", "fused"])
    1
    """
    try:
        return list(names).index(name)
    except ValueError:  # of an array, too
        known = f"there are {shortlist(names)}{meant(str(name), map(str, names))}"
        raise UsageError(f"no {what} is called {name!r}; {known}") from None
