"""Arrays of documents, scores and grades, as a training loop holds them: the same numbers as from dicts."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from fuzz.decisions import Decisions
from fuzz.doors import MEASURES
from fuzz.kinds import Kind
from fuzz.mutation import BINARY, mutated
from fuzz.oracle import Difference, Outcome, agreed
from unjudged import Judgments, Run, evaluate
from unjudged.base.errors import UnjudgedWarning

KINDS_OF_NUMBERS: list[Any] = [
    *(np.float64, np.int64, np.float32, np.float16, np.int8, np.uint8, np.uint64, np.int32, bool, object),
    *(">f8", "<U8", "S4", np.complex128, "M8[s]", np.longdouble, [("a", "i4")]),
]
NUMBERS = [0, 1, 2, 3, 4, 5, -1, 0.5, -np.inf, np.nan, np.inf, -2, 2**31, 2.0**63, 1e300, -0.0]
NAMES: list[Any] = ["a", "b", "c", "d", "e", "f", "", "é", "\ud800", None, 7, b"a", 1.5, "a\nb", "\0"]


class OnlyDlpack:
    """An array that is handed over by DLPack alone."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


FORMS: list[Callable[[Any], Any]] = [
    lambda held: held[:, ::-1],
    np.asfortranarray,
    lambda held: held.tolist(),
    lambda held: OnlyDlpack(np.array(held)),
    lambda held: held[0] if len(held) else held,
    lambda held: [*held.tolist(), [1]],
    lambda held: held[:, :, None],
    lambda held: np.broadcast_to(held[:1], held.shape),
    lambda held: held,
]
"""A matrix, or what is none: turned, strided, of lists, ragged, with more or fewer dimensions."""


def array_of(decide: Decisions, shape: tuple[int, ...], odd: int, names: bool) -> Any:
    """Documents by name, or numbers of any type."""
    options: list[Any] = NAMES if names else NUMBERS
    options = options if decide.rarely(odd) else options[:6]
    values = [decide.choose(options) for _ in range(int(np.prod(shape)))]
    held: Any = np.array([*values, None], object)[:-1].reshape(shape)
    if not names:
        kind = decide.choose(KINDS_OF_NUMBERS if decide.rarely(odd) else KINDS_OF_NUMBERS[:4])
        with suppress(TypeError, ValueError, OverflowError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            held = held.astype(kind)
    return decide.choose(FORMS)(held) if decide.rarely(3) else held


def sources(decide: Decisions) -> list[dict[str, Any]]:
    """What `from_arrays` is given for judgments and for a run."""
    odd = 2 + decide.below(30)
    rows, columns = 1 + decide.below(4), decide.below(6)
    found = []
    for number in ("grades", "scores"):
        by_name, shape = decide.rarely(4), (rows, columns + decide.below(2))
        given: dict[str, Any] = {}
        if not decide.rarely(4):
            given["documents"] = array_of(decide, shape, odd, by_name)
        if not decide.rarely(4):
            given[number] = array_of(decide, shape, odd, names=False)
        if decide.rarely(3):
            given["queries"] = (
                [decide.choose(NAMES) for _ in range(rows)] if decide.rarely(odd) else range(rows)
            )
        if decide.rarely(3) and not by_name:
            given["names"] = [decide.choose(NAMES) for _ in range(6)] if decide.rarely(odd) else NAMES[:6]
        found.append(given)
    return found


def check(data: bytes) -> Iterator[Outcome]:
    """A run from arrays scores as the dict of its rankings does."""

    def door() -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnjudgedWarning)
            grades, scores = sources(Decisions(data))
            judgments, run = Judgments.from_arrays(**grades), Run.from_arrays(**scores)
            found = evaluate(judgments, {"run": run}, MEASURES)
            rankings = {
                query: {d: -float(rank) for rank, d in enumerate(run.ranking(query))} for query in run.queries
            }
            if evaluate(judgments, {"run": rankings}, MEASURES).values.tolist() != found.values.tolist():
                raise Difference("arrays do not score as their rankings do")
            return found.values, list(found.queries)

    yield agreed(door)


def seeds() -> list[bytes]:
    rng = random.Random(6)
    return [rng.randbytes(rng.choice((12, 40, 90))) for _ in range(60)]


def mutate(rng: random.Random, data: bytes) -> bytes:
    return mutated(rng, data, BINARY)[:400] or b"\0"


KINDS = {"arrays": Kind(seeds, mutate, check)}
