"""What commit 705eafce answered, and all of it asked again in several processes."""

from __future__ import annotations

import json
import platform
import warnings
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from hashlib import blake2s
from importlib import import_module
from math import fsum
from multiprocessing import get_context
from pathlib import Path
from zlib import crc32

import numpy as np

from tests.parity.ask import ASK
from tests.parity.collections import RECORDED, Case, read_cases, unpack
from tests.parity.compare import BITS, Change, Result, compare, source_of
from tests.parity.questions import Question, questions_of
from tests.parity.rows import Key, Rows, Value, answers
from unjudged import UnjudgedError
from unjudged.base.threads import cores

PART = 20
"""A process asks so many questions about a collection at a time."""
ONE_OF = 12
"""Of the questions about small collections and the sample every test run asks one in so many."""


def is_quick(case: Case, question: Question) -> bool:
    """Whether a question is of the few that every test run asks."""
    few = case.name.endswith((" 1", "numbers", "sample"))
    return few and crc32(f"{question.label} {question.measure}".encode()) % ONE_OF == 0


def check(folder: Path, *, whole: bool) -> Result:
    """Ask about the collections of a folder, and compare with what is recorded of them.

    Values of measures have the same bits, if this machine computes as the one that recorded them.
    """
    asked, jobs = set(), []
    for case in read_cases(folder):
        own = [i for i, one in enumerate(questions_of(case)) if whole or is_quick(case, one)]
        every = list(questions_of(case))
        asked |= {(case.name, every[i].label, every[i].measure) for i in own}
        jobs += [(source_of(case.name), case.name, own[i : i + PART]) for i in range(0, len(own), PART)]
    jobs.sort(key=lambda job: ("trec8", "dl2019", "sample", "small").index(job[0]))
    with ProcessPoolExecutor(cores(), get_context("spawn")) as pool:  # of which few questions start none
        parts = (pool.map if whole else map)(
            ask, [folder] * len(jobs), [job[1] for job in jobs], [job[2] for job in jobs]
        )
        new = {key: value for part in parts for key, value in part.items()}
    named = {name for name, *_ in asked}
    lines = (line for line in unpack("answers") if line[2 : line.index('"', 2)] in named)
    old = {
        key: value
        for key, value in read(lines)
        if (key.collection, key.field.partition(".")[0], key.measure) in asked
    }
    sources = {job[0] for job in jobs} if whole else ()
    return compare(old, new, Change.read(), counted=sources, bits=machine() == recorded_machine())


def ask(folder: Path, name: str, places: list[int]) -> Rows:
    """Ask some of the questions about a collection."""
    (case,) = (case for case in read_cases(folder) if case.name == name)
    every = list(questions_of(case))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            key: summarised(key, value)
            for key, value in answers(ASK, case, UnjudgedError, (every[i] for i in places))
        }


def summarised(key: Key, value: Value) -> Value:
    """Return values by query of TREC-8 and DL-2019 as number, sum and digest."""
    if source_of(key.collection) in ("small", "sample") or not key.field.endswith("values.value"):
        return value
    numbers = [float(number) + 0.0 for number in value]
    return [len(numbers), fsum(numbers), BITS + blake2s(json.dumps(numbers).encode()).hexdigest()[:12]]


def read(lines: Iterable[str]) -> Iterable[tuple[Key, Value]]:
    """Yield rows that were written one a line."""
    for line in lines:
        *key, value = json.loads(line)
        yield Key(*key), value


def machine() -> list[str]:
    """Return what the last bit of logarithms and sums depends on."""
    features = import_module("numpy._core._multiarray_umath").__cpu_features__
    return [platform.system(), np.__version__, *sorted(name for name, has in features.items() if has)]


def recorded_machine() -> list[str]:
    found: list[str] = json.loads((RECORDED / "machine.json").read_text())
    return found
