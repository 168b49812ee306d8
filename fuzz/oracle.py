"""What every input must give: a result or an `UnjudgedError`, the same whichever way it is computed."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import unjudged.data
from unjudged.base.errors import UnjudgedError
from unjudged.data.scan import plain, scanner
from unjudged.data.tables import Ids

for _module in pkgutil.walk_packages(unjudged.data.__path__, "unjudged.data."):
    importlib.import_module(_module.name)

Outcome = tuple[str, Any]
"""("result", plain values) or (the error's class, its message)."""

MANY = 3
SMALL = {
    "SMALLEST_PIECE": 1,
    "SMALLEST_PART": 2,
    "SMALLEST_SHARE": 2,
    "BLOCK": 3,
    "ROWS_AT_ONCE": 3,
    "BLOCK_AHEAD": 1000,
    "LARGEST_PIECE": 2,
}
"""How large the pieces of work are, so small that a file of a few lines has several."""

COMPILED = {name: getattr(scanner, name) for name in scanner.__all__}
TWINS = [
    importlib.import_module(f"{plain.__name__}.{one.name}") for one in pkgutil.iter_modules(plain.__path__)
]
PLAIN = {name: next(getattr(twin, name) for twin in TWINS if hasattr(twin, name)) for name in scanner.__all__}


class Difference(AssertionError):
    """Two ways of computing the same thing disagree, or something wrong was accepted."""


def outcome(call: Callable[[], Any]) -> Outcome:
    try:
        return "result", simple(call())
    except UnjudgedError as error:
        str(error).encode()  # a message that cannot be printed is a finding
        return type(error).__name__, str(error)


def simple(value: Any) -> Any:
    """Arrays, tables and dataclasses as lists and dicts, which can be compared; nan equals nan."""
    if isinstance(value, np.ndarray):
        return value.dtype.name, repr(value.tolist())
    if isinstance(value, Ids):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [simple(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        value = {name: getattr(value, name) for name in value.__dataclass_fields__}
    if isinstance(value, dict):
        return {key: simple(item) for key, item in value.items()}
    return repr(value) if isinstance(value, float) else value


def agreed(call: Callable[[], Any], *, messages: bool = True) -> Outcome:
    """The outcome of a call, which must not depend on the scanner or on the number of cores.

    Without `messages` two errors agree whatever they say: of two faults in a file, either may be met first.
    """
    with scanner_is(COMPILED), cores_are(1):
        expected = outcome(call)
    with scanner_is(PLAIN), cores_are(1):
        same("the plain scanner", expected, outcome(call), messages=True)
    with scanner_is(COMPILED), cores_are(MANY):
        same(f"{MANY} cores", expected, outcome(call), messages=messages)
    return expected


def same(what: str, expected: Outcome, found: Outcome, *, messages: bool = True) -> None:
    if not messages and "result" not in (expected[0], found[0]):
        return
    if expected != found:
        raise Difference(f"{what}: expected {_shown(expected)}, found {_shown(found)}")


def shape_of(found: Outcome) -> str:
    """An outcome without its values, to tell new behaviour from known."""
    kind, value = found
    text = value if isinstance(value, str) else ""
    return kind + ": " + re.sub(r"'(?:[^'\\]|\\.)*'|\"[^\"]*\"|[0-9.,]+|/\S+", "_", text)[:160]


def _shown(found: Outcome) -> str:
    return f"{found[0]} {str(found[1])[:400]}"


@contextmanager
def scanner_is(names: dict[str, Any]) -> Iterator[None]:
    """The compiled scanner, or its plain twin."""
    for name, value in names.items():
        setattr(scanner, name, value)
    try:
        yield
    finally:
        for name, value in COMPILED.items():
            setattr(scanner, name, value)


@contextmanager
def cores_are(number: int) -> Iterator[None]:
    """So many cores; with more than one, pieces of a few bytes and blocks of a few rows."""
    chosen: dict[str, Any] = {"cores": lambda: number, **(SMALL if number > 1 else {})}
    before = [(place, name, getattr(place, name)) for name in chosen for place in _places(name)]
    try:
        for place, name, _ in before:
            setattr(place, name, chosen[name])
        yield
    finally:
        for place, name, value in before:
            setattr(place, name, value)


def _places(name: str) -> list[Any]:
    """The modules that use a setting, by its name."""
    if name not in _FOUND:
        modules = [module for key, module in sys.modules.items() if key.startswith("unjudged.data.")]
        _FOUND[name] = [module for module in modules if name in vars(module)]
        if not _FOUND[name]:
            raise LookupError(f"no module of unjudged.data has {name}: the harness must follow its new name")
    return _FOUND[name]


_FOUND: dict[str, list[Any]] = {}
