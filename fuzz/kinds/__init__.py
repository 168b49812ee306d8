"""Every kind of input: its seeds, how it is mutated, and how it is checked."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterable
from typing import NamedTuple

from fuzz.oracle import Outcome

NAMES = ("text", "dicts", "held", "frames", "arrow", "parquet", "delimited", "json", "compressed", "stdin")
MODULES = {"json": "json_text", "stdin": "standard_input", "arrow": "columnar", "parquet": "columnar"}


class Kind(NamedTuple):
    """`check` gives the outcomes of an input; whatever it raises is a finding."""

    seeds: Callable[[], list[bytes]]
    mutate: Callable[[random.Random, bytes], bytes]
    check: Callable[[bytes], Iterable[Outcome]]


def kind_named(name: str) -> Kind:
    kinds: dict[str, Kind] = importlib.import_module(f"fuzz.kinds.{MODULES.get(name, name)}").KINDS
    return kinds[name]
