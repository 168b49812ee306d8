"""Every kind of input: its seeds, how it is mutated, and how it is checked."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Iterable
from typing import NamedTuple

from fuzz.oracle import Outcome

MODULES = {
    "text": ("text",),
    "dicts": ("dicts",),
    "held": ("held",),
    "frames": ("frames",),
    "columnar": ("arrow", "parquet"),
    "delimited": ("delimited",),
    "json_text": ("json",),
    "compressed": ("compressed",),
    "standard_input": ("stdin",),
    "saved": ("design", "answers", "calibration", "description"),
    "judging_files": ("texts", "topics", "groups", "predictions"),
    "command_lines": ("options", "figures"),
    "score_tables": ("scores", "segments"),
    "arrays": ("arrays",),
}
NAMES = tuple(name for names in MODULES.values() for name in names)


class Kind(NamedTuple):
    """`check` gives the outcomes of an input; whatever it raises is a finding."""

    seeds: Callable[[], list[bytes]]
    mutate: Callable[[random.Random, bytes], bytes]
    check: Callable[[bytes], Iterable[Outcome]]


def kind_named(name: str) -> Kind:
    module = next(module for module, names in MODULES.items() if name in names)
    kinds: dict[str, Kind] = importlib.import_module(f"fuzz.kinds.{module}").KINDS
    return kinds[name]
